//! The ways to satisfy an intersection with alternatives, each as a conjunction of operands and of
//! complements of operands.

use crate::Store;
use crate::number::modular::number_member;
use crate::store::node::{Kind, RegularId};
use grammask_work::count;

/// Branches of alternatives that are examined. Operands that would make more of them are ignored.
const MAX_BRANCHES: usize = 64;

/// Operands that are visited to find the branches. Others are ignored.
const MAX_VISITS: u32 = 512;

/// Depth of the operands that are visited.
const MAX_DEPTH: u32 = 12;

/// Work of one condition of a branch.
const UNITS_PER_LITERAL: u64 = 2;

/// One way to satisfy an expression: operands, each with whether it is excluded. They ascend, and none occurs
/// twice.
pub(super) type Branch = Vec<(RegularId, bool)>;

/// Finds the branches of an expression.
pub(super) struct Branches<'a> {
    store: &'a Store,
    visits: u32,
}

impl<'a> Branches<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, visits: MAX_VISITS }
    }

    /// Returns branches whose union contains an operand.
    pub(super) fn of_operand(&mut self, a: RegularId) -> Vec<Branch> {
        self.of(a, false, MAX_DEPTH)
    }

    /// Returns branches whose union contains the expression, or its complement. Only operands that are
    /// unions, intersections and complements are taken apart.
    fn of(&mut self, a: RegularId, is_excluded: bool, depth: u32) -> Vec<Branch> {
        let (Some(depth), Some(visits)) = (depth.checked_sub(1), self.visits.checked_sub(1)) else {
            return vec![Branch::new()];
        };
        self.visits = visits;
        match self.store.node(a).kind {
            Kind::Not(inner) => self.of(inner, !is_excluded, depth),
            Kind::And(list) | Kind::Or(list) => {
                let is_all = matches!(self.store.node(a).kind, Kind::And(_)) != is_excluded;
                let members = self.store.list(list);
                let parts: Vec<_> =
                    members.iter().map(|&member| self.of(member, is_excluded, depth)).collect();
                if is_all { all(parts) } else { any(&parts) }
            }
            _ => vec![vec![(a, is_excluded)]],
        }
    }
}

/// Returns the branches of a union. If they are too many, returns one branch without conditions.
fn any(parts: &[Vec<Branch>]) -> Vec<Branch> {
    let branches = parts.concat();
    if branches.len() <= MAX_BRANCHES { branches } else { vec![Branch::new()] }
}

/// Returns the branches of an intersection. Parts that would make too many are ignored.
pub(super) fn all(mut parts: Vec<Vec<Branch>>) -> Vec<Branch> {
    // Conditions without alternatives come first: they contradict many alternatives.
    parts.sort_by_key(Vec::len);
    let mut branches = vec![Branch::new()];
    for part in parts {
        let pairs = branches.iter().flat_map(|one| part.iter().map(move |other| (one, other)));
        let made: Vec<Branch> =
            pairs.filter_map(|(one, other)| both(one, other)).take(MAX_BRANCHES + 1).collect();
        if made.len() <= MAX_BRANCHES {
            branches = made;
        }
    }
    branches
}

/// Returns the conjunction of two branches. Returns `None` if one excludes an operand of the other.
fn both(one: &Branch, other: &Branch) -> Option<Branch> {
    count(UNITS_PER_LITERAL * (one.len() + other.len()) as u64);
    let mut all = [&one[..], other].concat();
    all.sort_unstable();
    all.dedup();
    all.windows(2).all(|pair| pair[0].0 != pair[1].0).then_some(all)
}

/// Tests branches of an intersection until `test` is true, those in which few multiples are required first.
/// Branches that require a multiple of an excluded one are left out. Gives up after `tries` branches.
pub(super) fn some_branch(
    store: &Store,
    chosen: &Branch,
    parts: &[Vec<&Branch>],
    tries: &mut u32,
    test: &dyn Fn(&Branch) -> bool,
) -> bool {
    let Some((part, rest)) = parts.split_first() else {
        *tries -= 1;
        return test(chosen);
    };
    let mut compatible = part
        .iter()
        .filter(|alternative| {
            !is_implied(store, chosen, alternative) && !is_implied(store, alternative, chosen)
        })
        .filter_map(|alternative| both(chosen, alternative));
    // At most one level for each operand that was visited.
    compatible.any(|branch| *tries > 0 && some_branch(store, &branch, rest, tries, test))
}

/// Returns true if one branch requires a multiple of a number whose multiples the other branch excludes.
fn is_implied(store: &Store, required: &Branch, excluded: &Branch) -> bool {
    let divisors = |branch: &Branch, is_excluded: bool| -> Vec<u128> {
        let these = branch.iter().filter(|&&(_, of)| of == is_excluded);
        these.filter_map(|&(member, _)| number_member(store, member, is_excluded)?.divisor()).collect()
    };
    let (required, excluded) = (divisors(required, false), divisors(excluded, true));
    count(UNITS_PER_LITERAL * (required.len() * excluded.len()) as u64);
    required.iter().any(|required| excluded.iter().any(|excluded| required.is_multiple_of(*excluded)))
}

/// Sorts the alternatives of each part by the number of required multiples, and the parts by alternatives.
pub(super) fn in_order_of_chance<'a>(store: &Store, parts: &'a [Vec<Branch>]) -> Vec<Vec<&'a Branch>> {
    let required = |branch: &&Branch| {
        let is_required = |&&(a, is_excluded): &&(RegularId, bool)| {
            !is_excluded && matches!(store.node(a).kind, Kind::Number(_))
        };
        branch.iter().filter(is_required).count()
    };
    let mut sorted: Vec<Vec<&Branch>> = parts
        .iter()
        .map(|part| {
            let mut alternatives: Vec<&Branch> = part.iter().collect();
            alternatives.sort_by_key(required);
            alternatives
        })
        .collect();
    sorted.sort_by_key(Vec::len);
    sorted
}

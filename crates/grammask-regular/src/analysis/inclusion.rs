//! Cheap proofs that a loop contains a language. A loop is `C*` for a character class C, or a counted
//! repetition of the set of all bytes.
//!
//! The proofs simplify the state of `.*foo.*` to `.*` as soon as `foo` has been read.

use crate::ByteSet;
use crate::Store;
use crate::analysis::limits::ProofLimits;
use crate::store::node::{Kind, RegularId, UNBOUNDED};
use grammask_work::count;

/// The loop `C*` as an automaton. Its state 0 is between two strings of C.
#[derive(Clone, Copy)]
enum ClassLoop {
    Bytes(ByteSet),
    /// C as a state of the acyclic DFA, which is state 0 of the loop. Any other DFA state s is state s + 1.
    Acyclic(u32),
}

/// Maximum number of loops of an intersection that are compared with the other operands. For a union and for
/// excluded loops, the maximum is a quarter of this. The bound keeps constructors linear.
const MAX_COMPARED_LOOPS: usize = 16;
/// Maximum number of operands of an intersection that are tried. The proof needs one that the loop contains.
const MAX_TRIED_OPERANDS: usize = 4;
/// Work of one visited operand of a proof.
const UNITS_PER_VISIT: u64 = 4;
/// Maximum number of loop states after one prefix of a string.
const MAX_LOOP_STATES: usize = 16;

/// Drops operands of a union that another operand contains.
pub(crate) fn drop_contained(store: &Store, members: &mut Vec<RegularId>) {
    drop_by(store, members, loop_contains);
}

/// Drops operands of an intersection that contain another operand.
pub(crate) fn drop_implied(store: &Store, members: &mut Vec<RegularId>) {
    let loops: Vec<RegularId> = members.iter().copied().filter(|&member| is_loop(store, member)).collect();
    for large in loops.into_iter().take(MAX_COMPARED_LOOPS) {
        if members.iter().any(|&member| member != large && loop_contains(store, large, member)) {
            members.retain(|&member| member != large);
        }
    }
}

/// Returns true if an intersection is proven empty because an excluded loop contains one of its operands.
/// Example: after `foo`, `.{9} & ~(.*foo.*)` is empty, which this test finds without a search.
pub(crate) fn is_excluded_by_loop(store: &Store, members: &[RegularId], negative: &[RegularId]) -> bool {
    let parts = negative.iter().flat_map(|negative| match store.node(*negative).kind {
        Kind::Or(list) => store.list(list),
        _ => std::slice::from_ref(negative),
    });
    let mut loops = parts.copied().filter(|&part| is_loop(store, part)).take(MAX_COMPARED_LOOPS / 4);
    loops.any(|large| {
        members.iter().take(MAX_COMPARED_LOOPS).any(|&member| loop_contains(store, large, member))
    })
}

/// For each operand that is a loop, drops the other operands that it contains according to `contains`.
fn drop_by(
    store: &Store,
    members: &mut Vec<RegularId>,
    contains: impl Fn(&Store, RegularId, RegularId) -> bool,
) {
    if members.len() < 2 || !members.iter().any(|&member| is_loop(store, member)) {
        return;
    }
    let loops: Vec<RegularId> = members.iter().copied().filter(|&member| is_loop(store, member)).collect();
    for &large in loops.iter().take(MAX_COMPARED_LOOPS / 4) {
        if members.contains(&large) {
            members.retain(|&member| member == large || !contains(store, large, member));
        }
    }
}

/// Returns true for `C*` and `C+` with a character class C, and for any repetition of the set of all bytes.
fn is_loop(store: &Store, a: RegularId) -> bool {
    match store.node(a).kind {
        Kind::Repeat { base, min, max } => {
            base == RegularId::ANY
                || (min < 2
                    && max == UNBOUNDED
                    && matches!(store.node(base).kind, Kind::Bytes(_) | Kind::Acyclic(_)))
        }
        _ => false,
    }
}

/// Returns true if the loop `large` is proven to contain `small`.
pub(crate) fn loop_contains(store: &Store, large: RegularId, small: RegularId) -> bool {
    let Kind::Repeat { base, min, max } = store.node(large).kind else { return false };
    let node = store.node(small);
    if base == RegularId::ANY {
        return node.min >= min && node.max <= max;
    }
    if max != UNBOUNDED || min > u32::from(node.min > 0) {
        return false;
    }
    let class = match store.node(base).kind {
        Kind::Bytes(set) => ClassLoop::Bytes(*store.byte_set(set)),
        Kind::Acyclic(state) => ClassLoop::Acyclic(state),
        _ => return false,
    };
    let ProofLimits { depth, visits } = ProofLimits::LOOP;
    let mut proof = LoopProof { store, class, base, visits };
    let is_contained = proof.run(small, &[0], depth).is_some_and(|states| states == [0]);
    count(UNITS_PER_VISIT * u64::from(visits - proof.visits));
    is_contained
}

/// A proof that a loop contains a language: runs the loop over all strings of an expression at once.
struct LoopProof<'s> {
    store: &'s Store,
    class: ClassLoop,
    /// The expression that the loop repeats.
    base: RegularId,
    /// Operands and edges that may still be visited.
    visits: u32,
}

impl LoopProof<'_> {
    fn visit(&mut self) -> Option<()> {
        self.visits = self.visits.checked_sub(1)?;
        Some(())
    }

    /// Runs the loop from `states` over all strings of `a`. Returns a sorted superset of the states at their
    /// ends. Returns `None` if the loop does not accept all these strings, or the proof exceeds its limits.
    fn run(&mut self, a: RegularId, states: &[u32], depth: u32) -> Option<Vec<u32>> {
        self.visit()?;
        // The recursion is bounded by `depth`.
        let depth = depth.checked_sub(1)?;
        if a == self.base && states == [0] {
            return Some(vec![0]);
        }
        let store = self.store;
        match store.node(a).kind {
            Kind::Epsilon => Some(states.to_vec()),
            Kind::Bytes(set) => {
                let mut result = Vec::new();
                for &state in states {
                    self.run_bytes(state, store.byte_set(set), &mut result)?;
                }
                Some(result)
            }
            Kind::Acyclic(start) => self.run_acyclic(start, states),
            Kind::Words { range, depth } => self.run_words(range, depth, states),
            Kind::Concat(..) => {
                let (mut rest, mut now) = (a, states.to_vec());
                while let Kind::Concat(head, tail) = store.node(rest).kind {
                    now = self.run(head, &now, depth)?;
                    rest = tail;
                }
                self.run(rest, &now, depth)
            }
            Kind::Or(list) => {
                let mut result = Vec::new();
                for &member in store.list(list) {
                    for state in self.run(member, states, depth)? {
                        insert(&mut result, state)?;
                    }
                }
                Some(result)
            }
            Kind::Repeat { base, min, .. } => self.run_repeat(base, min, states, depth),
            Kind::And(list) => {
                let members = store.list(list).iter().take(MAX_TRIED_OPERANDS);
                members.copied().find_map(|member| self.run(member, states, depth))
            }
            Kind::PrefixMinimal(inner) => self.run(inner, states, depth),
            Kind::Empty
            | Kind::AhoCorasick { .. }
            | Kind::Factor { .. }
            | Kind::Not(_)
            | Kind::Json { .. }
            | Kind::Number(_) => None,
        }
    }

    /// As [`run`](Self::run), for the strings of a state of the acyclic DFA. This is a search over pairs of
    /// states.
    fn run_acyclic(&mut self, start: u32, states: &[u32]) -> Option<Vec<u32>> {
        let acyclic = &self.store.leaves.acyclic;
        let mut result = Vec::new();
        let mut seen: Vec<(u32, u32)> = states.iter().map(|&state| (state, start)).collect();
        let mut index = 0;
        while let Some(&(state, inner)) = seen.get(index) {
            index += 1;
            if acyclic.is_final(inner) {
                insert(&mut result, state)?;
            }
            for edge in acyclic.edges(inner) {
                let mut next = Vec::new();
                self.run_bytes(state, &ByteSet::range(edge.first, edge.last), &mut next)?;
                for state in next {
                    if !seen.contains(&(state, edge.target)) {
                        seen.push((state, edge.target));
                    }
                }
            }
        }
        Some(result)
    }

    /// As [`run`](Self::run), for the words of a range without their first `depth` bytes.
    fn run_words(&mut self, range: u32, depth: u32, states: &[u32]) -> Option<Vec<u32>> {
        let mut result = Vec::new();
        let (list, words) = self.store.leaves.words(range);
        for suffix in list.rests(words, depth) {
            let mut now = states.to_vec();
            for &byte in suffix {
                let mut next = Vec::new();
                for state in now {
                    self.visit()?;
                    self.run_bytes(state, &ByteSet::single(byte), &mut next)?;
                }
                now = next;
            }
            for state in now {
                insert(&mut result, state)?;
            }
        }
        Some(result)
    }

    /// As [`run`](Self::run), for any number of rounds of `base`, or at least one if `min` is positive.
    fn run_repeat(&mut self, base: RegularId, min: u32, states: &[u32], depth: u32) -> Option<Vec<u32>> {
        let mut now = states.to_vec();
        let mut all = states.to_vec();
        if min > 0 {
            now = self.run(base, &now, depth)?;
            all.clone_from(&now);
        }
        loop {
            now = self.run(base, &now, depth)?;
            let len = all.len();
            for &state in &now {
                insert(&mut all, state)?;
            }
            if all.len() == len {
                return Some(all);
            }
        }
    }

    /// Adds the states after any byte of the set. Returns `None` if the loop does not accept one of these
    /// bytes.
    fn run_bytes(&mut self, state: u32, set: &ByteSet, result: &mut Vec<u32>) -> Option<()> {
        let root = match self.class {
            ClassLoop::Bytes(all) => {
                return if set.is_subset(&all) { insert(result, 0) } else { None };
            }
            ClassLoop::Acyclic(root) => root,
        };
        let acyclic = &self.store.leaves.acyclic;
        let inner = if state == 0 { root } else { state - 1 };
        let mut rest = *set;
        for edge in acyclic.edges(inner) {
            self.visit()?;
            let range = ByteSet::range(edge.first, edge.last);
            if !rest.intersection(&range).is_empty() {
                rest = rest.intersection(&range.complement());
                let is_end = acyclic.edges(edge.target).is_empty();
                if !is_end && acyclic.is_final(edge.target) {
                    return None;
                }
                insert(result, if is_end { 0 } else { edge.target + 1 })?;
            }
        }
        rest.is_empty().then_some(())
    }
}

fn insert(states: &mut Vec<u32>, state: u32) -> Option<()> {
    if let Err(index) = states.binary_search(&state) {
        if states.len() == MAX_LOOP_STATES {
            return None;
        }
        states.insert(index, state);
    }
    Some(())
}

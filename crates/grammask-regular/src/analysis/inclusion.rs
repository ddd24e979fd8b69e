//! Cheap proofs that a loop contains a language: `C*` for a character class C, and bytes counted by length.
//!
//! They let `.*foo.*` become `.*` as soon as `foo` has been read.

use crate::ByteSet;
use crate::Store;
use crate::analysis::limits::ProofLimits;
use crate::store::node::{Kind, RegularId, UNBOUNDED};

/// A loop over a class, as an automaton that returns to state 0 after each of its strings.
#[derive(Clone, Copy)]
enum ClassLoop {
    Bytes(ByteSet),
    /// The initial state in the acyclic DFA. It is state 0 of the loop; other states are their number plus 1.
    Acyclic(u32),
}

/// Number of loops of an intersection that are compared with the other operands; of a union, a quarter of
/// this. The bound keeps constructors linear.
const MAX_COMPARED_LOOPS: usize = 16;
/// Loop states at one position of a string.
const MAX_LOOP_STATES: usize = 16;

/// Drops operands of a union that another operand contains.
pub(crate) fn drop_contained(store: &Store, members: &mut Vec<RegularId>) {
    drop_by(store, members, |store, large, member| loop_contains(store, large, member));
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

/// Returns true if an intersection is proven empty because an excluded loop contains one of its operands. So
/// `.{9} & ~(.*foo.*)` is empty as soon as it has met `foo`, without a search.
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

/// Returns true for `C{m,n}` with a character class C. It must be unbounded unless C is all bytes.
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
    let ProofLimits { depth, mut visits } = ProofLimits::LOOP;
    run_loop(store, class, base, small, &[0], depth, &mut visits).is_some_and(|states| states == [0])
}

/// Returns a superset of the states of the loop after any string of `a` that begins in one of `states`,
/// sorted. `None` if the loop does not accept all these strings, or the proof exceeds its limits.
fn run_loop(
    store: &Store,
    class: ClassLoop,
    base: RegularId,
    a: RegularId,
    states: &[u32],
    depth: u32,
    visits: &mut u32,
) -> Option<Vec<u32>> {
    *visits = visits.checked_sub(1)?;
    // The recursion is bounded by `depth`.
    let depth = depth.checked_sub(1)?;
    if a == base && states == [0] {
        return Some(vec![0]);
    }
    let mut result = Vec::new();
    match store.node(a).kind {
        Kind::Epsilon => return Some(states.to_vec()),
        Kind::Bytes(set) => {
            for &state in states {
                run_loop_bytes(store, class, state, store.byte_set(set), &mut result, visits)?;
            }
        }
        Kind::Acyclic(start) => {
            let mut seen: Vec<(u32, u32)> = states.iter().map(|&state| (state, start)).collect();
            let mut index = 0;
            while let Some(&(state, inner)) = seen.get(index) {
                index += 1;
                if store.leaves.acyclic.is_final(inner) {
                    insert(&mut result, state)?;
                }
                for edge in store.leaves.acyclic.edges(inner) {
                    let mut next = Vec::new();
                    let set = ByteSet::range(edge.first, edge.last);
                    run_loop_bytes(store, class, state, &set, &mut next, visits)?;
                    for state in next {
                        if !seen.contains(&(state, edge.target)) {
                            seen.push((state, edge.target));
                        }
                    }
                }
            }
        }
        Kind::Words { range, depth } => {
            let (list, words) = store.leaves.words(range);
            for rest in list.rests(words, depth) {
                let mut now = states.to_vec();
                for &byte in rest {
                    let mut next = Vec::new();
                    for state in now {
                        *visits = visits.checked_sub(1)?;
                        run_loop_bytes(store, class, state, &ByteSet::single(byte), &mut next, visits)?;
                    }
                    now = next;
                }
                for state in now {
                    insert(&mut result, state)?;
                }
            }
        }
        Kind::Concat(..) => {
            let mut rest = a;
            let mut now = states.to_vec();
            while let Kind::Concat(head, tail) = store.node(rest).kind {
                now = run_loop(store, class, base, head, &now, depth, visits)?;
                rest = tail;
            }
            return run_loop(store, class, base, rest, &now, depth, visits);
        }
        Kind::Or(list) => {
            for &member in store.list(list) {
                for state in run_loop(store, class, base, member, states, depth, visits)? {
                    insert(&mut result, state)?;
                }
            }
        }
        Kind::Repeat { base: inner, min, .. } => {
            let mut now = states.to_vec();
            let mut all = states.to_vec();
            if min > 0 {
                now = run_loop(store, class, base, inner, &now, depth, visits)?;
                all.clone_from(&now);
            }
            loop {
                now = run_loop(store, class, base, inner, &now, depth, visits)?;
                let len = all.len();
                for &state in &now {
                    insert(&mut all, state)?;
                }
                if all.len() == len {
                    return Some(all);
                }
            }
        }
        Kind::And(list) => {
            return store
                .list(list)
                .iter()
                .take(4)
                .find_map(|&member| run_loop(store, class, base, member, states, depth, visits));
        }
        Kind::PrefixMinimal(inner) => return run_loop(store, class, base, inner, states, depth, visits),
        Kind::Empty
        | Kind::AhoCorasick { .. }
        | Kind::Factor { .. }
        | Kind::Not(_)
        | Kind::Json { .. }
        | Kind::Number(_) => return None,
    }
    Some(result)
}

/// Adds the states after any byte of the set. `None` if the loop does not accept one of these bytes.
fn run_loop_bytes(
    store: &Store,
    class: ClassLoop,
    state: u32,
    set: &ByteSet,
    result: &mut Vec<u32>,
    visits: &mut u32,
) -> Option<()> {
    let root = match class {
        ClassLoop::Bytes(all) => {
            return if set.is_subset(&all) { insert(result, 0) } else { None };
        }
        ClassLoop::Acyclic(root) => root,
    };
    let inner = if state == 0 { root } else { state - 1 };
    let mut rest = *set;
    for edge in store.leaves.acyclic.edges(inner) {
        *visits = visits.checked_sub(1)?;
        let range = ByteSet::range(edge.first, edge.last);
        if !rest.intersection(&range).is_empty() {
            rest = rest.intersection(&range.complement());
            let is_end = store.leaves.acyclic.edges(edge.target).is_empty();
            if !is_end && store.leaves.acyclic.is_final(edge.target) {
                return None;
            }
            insert(result, if is_end { 0 } else { edge.target + 1 })?;
        }
    }
    rest.is_empty().then_some(())
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

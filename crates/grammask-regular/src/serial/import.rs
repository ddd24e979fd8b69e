//! Copies languages from one store into another.

use crate::analysis::limits::ProofLimits;
use crate::construct::concat::concat_pair;
use crate::construct::length::any_character;
use crate::construct::prefix::prefix_minimal;
use crate::construct::substring::factor_leaf;
use crate::json::string::json_spellings_at;
use crate::leaf::acyclic_dfa::acyclic_leaf;
use crate::leaf::word_list::WordRange;
use crate::leaf::word_list::word_leaf;
use crate::number::state::NumberState;
use crate::number::state::number_leaf;
use crate::store::node::{JsonPosition, Kind, RegularId, UNBOUNDED};
use crate::{Error, Store};
use grammask_work::{charge, charge_len, count};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Work of copying one expression.
const UNITS_PER_EXPRESSION: u64 = 8;

/// See [`Store::import`].
pub(crate) fn import(store: &mut Store, from: &Store, a: RegularId) -> Result<RegularId, Error> {
    if is_simple(from, a, ProofLimits::SIMPLE_IMPORT.depth, &mut { ProofLimits::SIMPLE_IMPORT.visits }) {
        return import_simple(store, from, a);
    }
    let (order, states) = reachable(from, &[a]);
    let states = import_acyclic(store, from, &states);
    let mut copies: FxHashMap<RegularId, RegularId> = FxHashMap::default();
    charge_len(states.len())?;
    for old in order {
        charge(UNITS_PER_EXPRESSION)?;
        let copy = import_one(store, from, old, &mut |_, part| Ok(copies[&part]), &states)?;
        copies.insert(old, copy);
    }
    Ok(copies.get(&a).copied().unwrap_or(RegularId::EMPTY))
}

/// Returns true if an expression is so small that copying shared operands twice is cheaper than tables of
/// copies. It contains no automata except that of single characters.
fn is_simple(store: &Store, a: RegularId, depth: u32, visits: &mut u32) -> bool {
    let (mut rest, Some(depth)) = (a, depth.checked_sub(1)) else { return false };
    loop {
        let (part, tail) = match store.node(rest).kind {
            Kind::Concat(head, tail) => (head, Some(tail)),
            _ => (rest, None),
        };
        let Some(left) = visits.checked_sub(1) else { return false };
        *visits = left;
        let is_simple = match store.node(part).kind {
            Kind::Empty | Kind::Epsilon | Kind::Bytes(_) | Kind::Words { .. } => true,
            Kind::Acyclic(_) => store.memos.any_character == Some(part),
            Kind::Json { text: inner, at: JsonPosition::Character, .. }
            | Kind::Not(inner)
            | Kind::Repeat { base: inner, .. } => is_simple(store, inner, depth, visits),
            Kind::Or(list) | Kind::And(list) => {
                store.list(list).iter().all(|&member| is_simple(store, member, depth, visits))
            }
            _ => false,
        };
        match tail {
            Some(tail) if is_simple => rest = tail,
            _ => return is_simple,
        }
    }
}

/// Copies a simple expression. The recursion is as deep as the expression.
fn import_simple(store: &mut Store, from: &Store, a: RegularId) -> Result<RegularId, Error> {
    let mut heads = Vec::with_capacity(16);
    let mut rest = a;
    while let Kind::Concat(head, tail) = from.node(rest).kind {
        heads.push(head);
        rest = tail;
    }
    let mut copy = import_part(store, from, rest)?;
    while let Some(head) = heads.pop() {
        let head = import_part(store, from, head)?;
        copy = concat_pair(store, head, copy)?;
    }
    Ok(copy)
}

/// Copies an operand of a simple expression, which is not a concatenation.
fn import_part(store: &mut Store, from: &Store, a: RegularId) -> Result<RegularId, Error> {
    match from.node(a).kind {
        Kind::Acyclic(_) => any_character(store),
        _ => import_one(
            store,
            from,
            a,
            &mut |store, part| import_simple(store, from, part),
            &FxHashMap::default(),
        ),
    }
}

/// Returns all expressions and states of the acyclic DFA that are reachable from languages, in the order of
/// their ids. Operands and targets come first.
pub(crate) fn reachable(store: &Store, languages: &[RegularId]) -> (Vec<RegularId>, Vec<u32>) {
    let mut seen = FxHashSet::default();
    let mut stack = languages.to_vec();
    let mut states = Vec::new();
    while let Some(a) = stack.pop() {
        if !seen.insert(a) {
            continue;
        }
        count(UNITS_PER_EXPRESSION);
        match store.node(a).kind {
            Kind::Acyclic(state) => states.push(state),
            Kind::Concat(head, tail) => stack.extend([head, tail]),
            Kind::Or(list) | Kind::And(list) => stack.extend(store.list(list)),
            Kind::Not(a)
            | Kind::PrefixMinimal(a)
            | Kind::Json { text: a, .. }
            | Kind::Repeat { base: a, .. } => {
                stack.push(a);
            }
            _ => {}
        }
    }
    let mut expressions: Vec<RegularId> = seen.into_iter().collect();
    expressions.sort_unstable();
    let mut seen = FxHashSet::default();
    while let Some(state) = states.pop() {
        if seen.insert(state) {
            states.extend(store.leaves.acyclic.edges(state).iter().map(|edge| edge.target));
        }
    }
    states.extend(seen);
    states.sort_unstable();
    (expressions, states)
}

fn import_acyclic(store: &mut Store, from: &Store, order: &[u32]) -> FxHashMap<u32, u32> {
    let mut copies = FxHashMap::default();
    for &state in order {
        let mut edges = from.leaves.acyclic.edges(state).to_vec();
        edges.iter_mut().for_each(|edge| edge.target = copies[&edge.target]);
        let copy =
            Arc::make_mut(&mut store.leaves.acyclic).state(from.leaves.acyclic.is_final(state), &edges);
        copies.insert(state, copy);
    }
    copies
}

/// Copies an expression, given how operands are copied, and the copies of states of the acyclic DFA.
fn import_one(
    store: &mut Store,
    from: &Store,
    old: RegularId,
    copy: &mut dyn FnMut(&mut Store, RegularId) -> Result<RegularId, Error>,
    states: &FxHashMap<u32, u32>,
) -> Result<RegularId, Error> {
    match from.node(old).kind {
        Kind::Empty => Ok(RegularId::EMPTY),
        Kind::Epsilon => Ok(RegularId::EPSILON),
        Kind::Bytes(set) => match from.byte_set(set).single_byte() {
            Some(byte) => Ok(store.single_byte(byte)),
            None => Ok(store.bytes(*from.byte_set(set))),
        },
        Kind::Acyclic(state) => acyclic_leaf(store, states[&state]),
        Kind::Words { range, depth } => {
            let WordRange { list, start, end } = from.leaves.word_ranges[range];
            let list = store.leaves.intern_word_list(Arc::clone(&from.leaves.word_lists[list]));
            word_leaf(store, WordRange { list, start, end }, depth)
        }
        Kind::AhoCorasick { automaton, state } => {
            let automaton =
                store.leaves.intern_aho_corasick(Arc::clone(&from.leaves.aho_corasick[automaton]));
            store.intern(Kind::AhoCorasick { automaton, state })
        }
        Kind::Factor { automaton, state } => {
            let automaton =
                store.leaves.intern_factor_automaton(Arc::clone(&from.leaves.factor_automata[automaton]));
            factor_leaf(store, automaton, state)
        }
        Kind::Concat(head, tail) => {
            let (head, tail) = (copy(store, head)?, copy(store, tail)?);
            concat_pair(store, head, tail)
        }
        Kind::Or(list) | Kind::And(list) => {
            let mut parts = Vec::with_capacity(list.len as usize);
            for &member in from.list(list) {
                parts.push(copy(store, member)?);
            }
            if matches!(from.node(old).kind, Kind::Or(_)) {
                store.union(&parts)
            } else {
                store.intersection(&parts)
            }
        }
        Kind::Not(a) => {
            let a = copy(store, a)?;
            store.complement(a)
        }
        Kind::Repeat { base, min, max } => {
            let base = copy(store, base)?;
            store.repeat(base, min, (max != UNBOUNDED).then_some(max))
        }
        Kind::PrefixMinimal(a) => {
            let a = copy(store, a)?;
            prefix_minimal(store, a)
        }
        Kind::Json { text, escapes, at } => {
            let text = copy(store, text)?;
            json_spellings_at(store, text, escapes, at)
        }
        Kind::Number(state) => {
            let state = from.leaves.number_states[state];
            let numbers = store.leaves.intern_numbers(Arc::clone(&from.leaves.numbers[state.numbers]));
            number_leaf(store, NumberState { numbers, ..state })
        }
    }
}

//! Byte classes that hold for all languages reachable from given ones.

use crate::number::state::number_splits;
use crate::store::node::{Kind, RegularId};
use crate::{ByteClasses, ByteSet, Store};
use grammask_work::count;
use rustc_hash::{FxHashMap, FxHashSet};

/// Work of one visited expression.
const UNITS_PER_EXPRESSION: u64 = 4;

/// See [`Store::refine`].
pub(crate) fn refine(
    store: &Store,
    languages: impl IntoIterator<Item = RegularId>,
    classes: &mut ByteClasses,
    is_cancelled: &mut dyn FnMut() -> bool,
) -> bool {
    const STEPS_PER_CANCEL_CHECK: usize = 1 << 14;
    let mut seen = vec![false; store.len()];
    let mut splits = FxHashSet::default();
    let mut bytes = ByteSet::EMPTY;
    let mut stack: Vec<RegularId> = languages.into_iter().collect();
    let mut acyclic = Vec::new();
    let mut words: FxHashMap<u32, u32> = FxHashMap::default();
    let (mut avoid, mut factors) = (FxHashSet::default(), FxHashSet::default());
    let (mut has_json, mut has_one_case) = (false, false);
    let mut steps = 0;
    while let Some(a) = stack.pop() {
        if std::mem::replace(&mut seen[a.index()], true) {
            continue;
        }
        steps += 1;
        count(UNITS_PER_EXPRESSION);
        if steps % STEPS_PER_CANCEL_CHECK == 0 && is_cancelled() {
            return false;
        }
        match store.node(a).kind {
            Kind::Empty | Kind::Epsilon => {}
            Kind::Bytes(set) => {
                let set = store.byte_set(set);
                match set.single_byte() {
                    Some(byte) => bytes.insert(byte),
                    None => _ = splits.insert(*set),
                }
            }
            Kind::Acyclic(state) => acyclic.push(state),
            // Many expressions may refer to one automaton or word list, which is examined once.
            Kind::Words { range, depth } => {
                let least = words.entry(range).or_insert(depth);
                *least = depth.min(*least);
            }
            Kind::AhoCorasick { automaton, .. } => {
                avoid.insert(automaton);
            }
            Kind::Factor { automaton, .. } => {
                factors.insert(automaton);
            }
            Kind::Concat(head, tail) => stack.extend([head, tail]),
            Kind::Or(list) | Kind::And(list) => stack.extend(store.list(list)),
            Kind::Json { text: a, escapes, .. } => {
                stack.push(a);
                has_json = true;
                has_one_case |= !escapes.has_upper_case();
            }
            Kind::Number(state) => splits.extend(number_splits(store, state)),
            Kind::Not(a) | Kind::PrefixMinimal(a) | Kind::Repeat { base: a, .. } => stack.push(a),
        }
    }
    if has_json {
        splits.extend(json_splits(has_one_case));
    }
    for (&range, &depth) in &words {
        let (list, words) = store.leaves.words(range);
        let mut has = [false; 256];
        for index in words {
            if (index as usize).is_multiple_of(STEPS_PER_CANCEL_CHECK) && is_cancelled() {
                return false;
            }
            list.word(index)[depth as usize..].iter().for_each(|&byte| has[usize::from(byte)] = true);
        }
        bytes.extend((0..=u8::MAX).filter(|&byte| has[usize::from(byte)]));
    }
    for &automaton in &avoid {
        let texts = &*store.leaves.aho_corasick[automaton].texts;
        texts.iter().for_each(|text| bytes.extend(text.iter().copied()));
    }
    for &automaton in &factors {
        bytes.extend(store.leaves.factor_automata[automaton].text.iter().copied());
    }
    split_by_acyclic_edges(store, acyclic, &mut splits, &mut bytes);
    // Class numbers do not depend on the order of the splits.
    splits.retain(|set| {
        let single = set.single_byte();
        bytes.extend(single);
        single.is_none()
    });
    classes.split_all(&splits, &bytes);
    true
}

/// Adds the byte sets of the edges that are reachable from states of the acyclic DFA.
fn split_by_acyclic_edges(
    store: &Store,
    mut acyclic: Vec<u32>,
    splits: &mut FxHashSet<ByteSet>,
    bytes: &mut ByteSet,
) {
    let mut states = if acyclic.is_empty() { Vec::new() } else { vec![false; store.leaves.acyclic.len()] };
    let mut edges = Vec::new();
    while let Some(state) = acyclic.pop() {
        if !std::mem::replace(&mut states[state as usize], true) {
            // Bytes with the same target need not be distinguished here.
            edges.clear();
            edges.extend_from_slice(store.leaves.acyclic.edges(state));
            edges.sort_by_key(|edge| edge.target);
            count(edges.len() as u64);
            for group in edges.chunk_by(|a, b| a.target == b.target) {
                let mut set = ByteSet::EMPTY;
                group.iter().for_each(|edge| set.insert_range(edge.first, edge.last));
                match set.single_byte() {
                    Some(byte) => bytes.insert(byte),
                    None => _ = splits.insert(set),
                }
                acyclic.push(group[0].target);
            }
        }
    }
}

/// Returns the byte sets that escapes in JSON strings distinguish, besides the bytes of their characters.
/// With `has_one_case`, some escapes have digits in lower case only.
fn json_splits(has_one_case: bool) -> impl Iterator<Item = ByteSet> {
    let letters = b"\"\\/bfnrtuBF0123456789".iter().map(|&byte| ByteSet::single(byte));
    let digits = [(b'a', b'A'), (b'c', b'C'), (b'd', b'D'), (b'e', b'E')];
    letters
        .chain(digits.map(|(lower, upper)| [lower, upper].into_iter().collect()))
        .chain(has_one_case.then_some(ByteSet::range(b'a', b'f')))
        .chain([ByteSet::range(0, 0x1F)])
}

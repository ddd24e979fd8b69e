//! Items of `distinct!` that are rules, whose texts are compared as JSON values.
//!
//! Such an item has a state of its own, that of the operand alone. Beside it, a cursor in each used value
//! follows the text. The item goes on only while some continuation differs from all used values, which a
//! search decides; see [`may_differ`].

use std::sync::Arc;

use grammask_cache::LazyRow;
use grammask_regular::ByteSet;
use grammask_work::charge;

use crate::permutation::distinct::{
    DistinctItem, DistinctState, MAP_ENTRY_BYTES, ReadText, node_after_text, operand, permutation_state,
    progress_at, scan,
};
use crate::permutation::many_values;
use crate::permutation::search::{Search, UNITS_PER_POSITION};
use crate::permutation::used_texts::{Candidate, ComparedState, PrefixId};
use crate::recognizer::Recognizer;
use crate::recognizer::dynamic_nodes::{DynamicNode, NodeKind};
use crate::recognizer::inspect::NodeFlags;
use crate::step::nodes::NodeFactory;
use crate::step::{self, Context};
use crate::{Class, Error, Item, Limit, LimitExceeded, NetworkNodeId, OriginId, SetId};

/// Returns the node to which a class leads inside an item, or from the node before it, given the state of the
/// item's rule. Returns `None` if there is none.
pub(super) fn advance(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    node: NetworkNodeId,
    read: ReadText,
    state: SetId,
    class: Class,
    byte: u8,
) -> Result<Option<NetworkNodeId>, Error> {
    let next = step::step_within(nodes, cx, state, class)?;
    if next.is_dead() {
        return Ok(None);
    }
    let candidates = candidates_after(nodes, cx, node, byte);
    node_after_byte(nodes, cx, read, byte, next, candidates)
}

/// See [`Inspector::compared_bytes`](crate::Inspector::compared_bytes).
pub(crate) fn compared_bytes(recognizer: &Recognizer, node: NetworkNodeId) -> ByteSet {
    if node.index() < recognizer.network().nodes.len() {
        return ByteSet::EMPTY;
    }
    match recognizer.dynamic_nodes().get(node).kind {
        NodeKind::Distinct(ref state) if state.candidates.is_empty() => ByteSet::EMPTY,
        NodeKind::Distinct(ref state) => {
            recognizer.lock().stages().nodes.permutations.texts.next_bytes(&state.candidates)
        }
        NodeKind::Permutation(ref state) if state.distinct_start.is_some() => {
            recognizer.lock().with(|stages, cx| {
                let candidates = first_candidates(&mut stages.nodes, cx, node);
                stages.nodes.permutations.texts.next_bytes(&candidates)
            })
        }
        _ => ByteSet::EMPTY,
    }
}

/// Returns the used values that the text of an item may still become equal to after one more byte. `node` is
/// inside the item, or before it.
fn candidates_after(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    node: NetworkNodeId,
    byte: u8,
) -> Vec<Candidate> {
    let texts = &nodes.permutations.texts;
    if let NodeKind::Distinct(ref state) = cx.tables.dynamic_nodes().get(node).kind {
        cx.meter.add_work(state.candidates.len());
        return texts.advance(&state.candidates, byte);
    }
    let candidates = first_candidates(nodes, cx, node);
    cx.meter.add_work(candidates.len());
    nodes.permutations.texts.advance(&candidates, byte)
}

/// Returns the used values before an item that begins at the node `from`.
pub(super) fn first_candidates(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    from: NetworkNodeId,
) -> Vec<Candidate> {
    let (_, plan, progress) = progress_at(nodes, cx, from);
    nodes.permutations.texts.candidates(plan.used_texts(&progress))
}

/// Returns true if an item can go on from a state of its rule to a value that differs from all candidates.
///
/// # Errors
/// See [`search_among_used`].
fn may_differ(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    state: SetId,
    candidates: &[Candidate],
) -> Result<bool, Error> {
    Ok(many_values::are_enough(nodes, cx, state, candidates)?
        || search_among_used(nodes, cx, state, candidates)?)
}

/// Searches for a value that differs from all candidates, among the texts that agree with some candidate.
/// Returns true if there is one.
///
/// A byte by which no candidate goes on is enough, because a state that is not dead always leads to a whole
/// item. Results are cached: if there is such a byte, for the states on the path to it, and otherwise for all
/// states that were found.
///
/// # Errors
/// If more than [`Limits::max_distinct_search`](crate::Limits::max_distinct_search) states agree.
pub(super) fn search_among_used(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    state: SetId,
    candidates: &[Candidate],
) -> Result<bool, Error> {
    let most = cx.tables.config().limits.max_distinct_search;
    let start = Arc::new((state, candidates.to_vec()));
    if nodes.permutations.texts.may_differ.contains(&start) {
        return Ok(true);
    }
    if nodes.permutations.texts.only_used.contains(&start) {
        return Ok(false);
    }
    let mut search = Search::from(start);
    while let Some(number) = search.next() {
        let position = Arc::clone(search.position(number));
        let (state, candidates) = &*position;
        charge(UNITS_PER_POSITION + UNITS_PER_CANDIDATE * candidates.len() as u64)?;
        let live = step::live_bytes_within(nodes, cx, *state)?;
        let open = nodes.permutations.texts.next_bytes(candidates);
        let common = live.intersection(&open);
        if common != live {
            nodes.permutations.texts.keep_differing(search.path_to(number));
            return Ok(true);
        }
        for byte in common.iter() {
            let next = step::step_within(nodes, cx, *state, cx.tables.network().class_of(byte))?;
            let texts = &nodes.permutations.texts;
            charge(UNITS_PER_CANDIDATE * candidates.len() as u64)?;
            let left = texts.advance(candidates, byte);
            if left.is_empty() || next.completes() && !texts.is_used(&left) {
                nodes.permutations.texts.keep_differing(search.path_to(number));
                return Ok(true);
            }
            let position = Arc::new((next, left));
            if !next.goes_on() || texts.only_used.contains(&position) {
                continue;
            }
            if texts.may_differ.contains(&position) {
                nodes.permutations.texts.keep_differing(search.path_to(number));
                return Ok(true);
            }
            if search.len() > most {
                return Err(LimitExceeded::new(Limit::MaxDistinctSearch, most, None).into());
            }
            search.add(position, number, byte);
        }
    }
    let held = |position: &ComparedState| MAP_ENTRY_BYTES + size_of_val(&position.1[..]);
    let found: Vec<ComparedState> = search.found().collect();
    cx.tables.spend(found.iter().map(held).sum());
    nodes.permutations.texts.only_used.extend(found);
    Ok(false)
}

/// Work of one candidate of a position.
const UNITS_PER_CANDIDATE: u64 = 16;

/// Returns the node after one more byte of a distinct item that is a rule. `next` is the rule's state after
/// that byte, and `candidates` are the used values that the text may still become equal to. Returns `None` if
/// it must become equal to one of them.
pub(super) fn node_after_byte(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    read: ReadText,
    byte: u8,
    next: SetId,
    candidates: Vec<Candidate>,
) -> Result<Option<NetworkNodeId>, Error> {
    let from = read.from;
    let prefix = nodes.permutations.texts.longer(read.prefix, byte);
    if let Some(&known) = nodes.permutations.texts.nodes.get(&(from, prefix)) {
        return Ok(Some(known));
    }
    let is_whole = next.completes() && !nodes.permutations.texts.is_used(&candidates);
    let after = if is_whole { node_after_value(nodes, cx, from, prefix)? } else { None };
    let goes_on = next.goes_on() && (candidates.is_empty() || may_differ(nodes, cx, next, &candidates)?);
    let node = match after {
        None if !goes_on => return Ok(None),
        Some(after) if !goes_on => after,
        _ => {
            let is_final = after.is_some_and(|after| cx.tables.inspect().flags(after).is_final);
            let length = read.length.saturating_add(1);
            let (item, candidates) = (DistinctItem::Rule(next), Box::<[Candidate]>::from(candidates));
            cx.tables.spend(size_of_val(&*candidates));
            let row = LazyRow::new();
            let state = DistinctState { from, prefix, length, item, candidates, row, after };
            let flags = NodeFlags { is_final, goes_on: true };
            cx.tables.dynamic_nodes().push(flags, NodeKind::Distinct(state), None)
        }
    };
    cx.tables.spend(size_of::<DynamicNode>() + MAP_ENTRY_BYTES);
    nodes.permutations.texts.nodes.insert((from, prefix), node);
    Ok(Some(node))
}

/// Returns the node after a distinct item that is a rule, with this text. Returns `None` if further items are
/// needed and all values have been used.
fn node_after_value(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    from: NetworkNodeId,
    text: PrefixId,
) -> Result<Option<NetworkNodeId>, Error> {
    let after = node_after_text(nodes, cx, from, text);
    let NodeFlags { is_final, goes_on } = cx.tables.inspect().flags(after);
    if !goes_on {
        return Ok(Some(after));
    }
    let (callee, plan, progress) = progress_at(nodes, cx, after);
    let state = permutation_state(cx, after);
    if nodes.permutations.choices(cx, state).iter().any(|choice| !plan.is_distinct(choice)) {
        return Ok(Some(after));
    }
    let candidates = nodes.permutations.texts.candidates(plan.used_texts(&progress));
    let node = nodes.start(cx, operand(cx, callee))?;
    let start = cx.tables.intern_set(&[Item { node, origin: OriginId::ROOT }])?;
    if may_differ(nodes, cx, start, &candidates)? {
        return Ok(Some(after));
    }
    Ok(is_final.then_some(NetworkNodeId::END))
}

/// Returns the bytes by which a distinct item that is a rule continues at a node, or begins there.
pub(super) fn live_bytes(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    node: NetworkNodeId,
    state: SetId,
) -> Result<ByteSet, Error> {
    let live = step::live_bytes_within(nodes, cx, state)?;
    let open = match cx.tables.dynamic_nodes().get(node).kind {
        NodeKind::Distinct(ref state) => nodes.permutations.texts.next_bytes(&state.candidates),
        _ => {
            let candidates = first_candidates(nodes, cx, node);
            nodes.permutations.texts.next_bytes(&candidates)
        }
    };
    let mut bytes = live;
    for byte in live.intersection(&open).iter() {
        if scan(nodes, cx, node, cx.tables.network().class_of(byte))?.is_none() {
            bytes.remove(byte);
        }
    }
    Ok(bytes)
}

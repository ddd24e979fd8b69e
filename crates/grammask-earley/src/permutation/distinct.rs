//! Items of `distinct!`, whose texts must differ from each other.
//!
//! While such an item is read, its node stores the bytes read so far. After the item, it is therefore known
//! which text has been used. The next item's language is the item's lexeme without the used texts: in
//! `unordered!(distinct!(#'[ab]+'); ',')`, after `a,` the language is `#'[ab]+' & ~'a'`.
//!
//! An operand with rules is not a lexeme; see [`distinct_values`](super::distinct_values).

use std::sync::Arc;

use grammask_cache::LazyRow;
use grammask_regular::{ByteSet, RegularId, analysis};
use grammask_work::narrow;

use crate::permutation::distinct_values;
use crate::permutation::json_value::Value;
use crate::permutation::plan::{Plan, Progress};
use crate::permutation::used_texts::{
    Candidate, DistinctTexts, EMPTY_PREFIX, PrefixId, TEXT_BYTE_BYTES, UNKNOWN_TEXTS, UsedTexts, UsedTextsId,
};
use crate::recognizer::Recognizer;
use crate::recognizer::dynamic_nodes::{DynamicNode, NO_SUCCESSOR, NodeKind, PermutationState, Phase};
use crate::recognizer::inspect::NodeFlags;
use crate::step::nodes::NodeFactory;
use crate::step::{self, Context, first_sets};
use crate::{Callee, CalleeId, Class, Error, Item, NetworkNodeId, OriginId, SetId};

/// Budget of a hash-map entry with a small key, in bytes; a rough measure.
pub(super) const MAP_ENTRY_BYTES: usize = 64;

/// Work of one new byte of an item, in parser items: the byte makes nodes, prefixes and a list of texts.
const WORK_PER_BYTE: usize = 32;

/// A position inside an item of `distinct!`.
pub(crate) struct DistinctState {
    /// The node before the item.
    pub(crate) from: NetworkNodeId,
    /// The bytes read so far, and their number.
    pub(super) prefix: PrefixId,
    pub(super) length: u32,
    pub(crate) item: DistinctItem,
    /// The used values that the text may still become equal to; empty for a lexeme.
    pub(super) candidates: Box<[Candidate]>,
    /// Successors by class.
    pub(crate) row: LazyRow,
    /// The node after the item, if the bytes read so far are a whole item.
    pub(crate) after: Option<NetworkNodeId>,
}

/// The state of an item of `distinct!`. It does not record the bytes read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DistinctItem {
    /// A state of the item's lexeme, without the texts used before.
    Lexeme(NetworkNodeId),
    /// A state of the operand's rule alone, whose texts are compared as JSON values. Values that were used
    /// before are not excluded from it.
    Rule(SetId),
}

/// A position inside, or before, an item of `distinct!`, for walks that go rule by rule.
#[derive(Clone, Copy, Debug)]
pub struct DistinctPosition {
    /// The state of the item.
    pub item: DistinctItem,
    /// Node for every position after the item, independent of the item's text. It over-approximates the exact
    /// position: it allows the item's own text once more.
    pub after: NetworkNodeId,
}

/// Possible continuations after an item of `distinct!` whose text is unknown.
#[derive(Clone, Copy, Debug)]
pub struct AfterDistinct {
    /// The node before the item.
    pub from: NetworkNodeId,
    /// First state of another item of `distinct!`, if one may follow. Its language still contains the text of
    /// the previous item.
    pub start: Option<NetworkNodeId>,
    /// FIRST set of the other items, and of an item of `distinct!` that is a rule.
    pub bytes: ByteSet,
    /// True if an item of `distinct!` that is a rule may follow.
    pub is_rule: bool,
}

/// See [`Inspector::distinct`](crate::Inspector::distinct).
pub(crate) fn position(
    recognizer: &Recognizer,
    node: NetworkNodeId,
) -> Result<Option<DistinctPosition>, Error> {
    if node.index() < recognizer.network().nodes.len() {
        return Ok(None);
    }
    let (from, item) = match recognizer.dynamic_nodes().get(node).kind {
        NodeKind::Distinct(ref state) => (state.from, Some(state.item)),
        NodeKind::Permutation(ref state) if state.distinct_start.is_some() => {
            (node, recognizer.lock().with(|stages, cx| start(&mut stages.nodes, cx, state))?)
        }
        _ => return Ok(None),
    };
    let Some(item) = item else { return Ok(None) };
    let after = recognizer
        .lock()
        .with(|stages, cx| after_any_text_node(&mut stages.nodes, cx, from, Phase::AfterItem));
    Ok(Some(DistinctPosition { item, after }))
}

/// See [`Inspector::is_inside_distinct`](crate::Inspector::is_inside_distinct).
pub(crate) fn is_inside(recognizer: &Recognizer, node: NetworkNodeId) -> Option<bool> {
    if node.index() < recognizer.network().nodes.len() {
        return None;
    }
    match recognizer.dynamic_nodes().get(node).kind {
        NodeKind::Distinct(ref state) => Some(state.after.is_some()),
        _ => None,
    }
}

/// See [`Inspector::after_distinct`](crate::Inspector::after_distinct).
pub(crate) fn after_any_text(
    recognizer: &Recognizer,
    node: NetworkNodeId,
) -> Result<Option<AfterDistinct>, Error> {
    if node.index() < recognizer.network().nodes.len() {
        return Ok(None);
    }
    match recognizer.dynamic_nodes().get(node).kind {
        NodeKind::AfterAnyText(from, phase)
            if phase == Phase::BeforeItem || separator_after(recognizer, from).is_none() =>
        {
            let after = recognizer
                .lock()
                .with(|stages, cx| continuations_after_any_text(&mut stages.nodes, cx, from));
            after.map(Some)
        }
        _ => Ok(None),
    }
}

/// See [`Inspector::read_text`](crate::Inspector::read_text).
pub(crate) fn read_text(recognizer: &Recognizer, node: NetworkNodeId, max_bytes: usize) -> Option<Vec<u8>> {
    if node.index() < recognizer.network().nodes.len() {
        return Some(Vec::new());
    }
    match recognizer.dynamic_nodes().get(node).kind {
        NodeKind::Distinct(ref state) if state.length as usize > max_bytes => None,
        NodeKind::Distinct(ref state) => {
            Some(recognizer.lock().stages().nodes.permutations.texts.bytes(state.prefix))
        }
        _ => Some(Vec::new()),
    }
}

/// Returns the separator of the permutation that the node `from` is in.
pub(crate) fn separator_after(recognizer: &Recognizer, from: NetworkNodeId) -> Option<CalleeId> {
    let NodeKind::Permutation(ref state) = recognizer.dynamic_nodes().get(from).kind else { return None };
    match recognizer.network().callee(state.callee) {
        Callee::Unordered { separator, .. } => *separator,
        _ => None,
    }
}

/// Returns the first state of the item that may begin at a position. Returns `None` if it may not begin
/// there, or if no text is left.
pub(crate) fn start(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    state: &PermutationState,
) -> Result<Option<DistinctItem>, Error> {
    let Some(distinct_start) = &state.distinct_start else { return Ok(None) };
    if let Some(&known) = distinct_start.item.get() {
        return Ok(known);
    }
    let plan = nodes.permutations.plan(cx, state.callee);
    let may_come = nodes.permutations.choices(cx, state).iter().any(|choice| plan.is_distinct(choice));
    let start = if !may_come {
        None
    } else if plan.compares_values() {
        let node = nodes.start(cx, operand(cx, state.callee))?;
        let state = cx.tables.intern_set(&[Item { node, origin: OriginId::ROOT }])?;
        Some(DistinctItem::Rule(state))
    } else {
        let used = plan.used_texts(&nodes.permutations.progress(state.progress));
        let remaining = remaining(nodes, cx, state.callee, used)?;
        // A language without strings, which need not look empty, has a node that does not go on.
        let lexeme = nodes.lexeme_node(cx, remaining, None)?;
        lexeme.filter(|&lexeme| cx.tables.inspect().flags(lexeme).goes_on).map(DistinctItem::Lexeme)
    };
    Ok(*distinct_start.item.get_or_init(|| start))
}

/// Returns the operand of a permutation's `distinct!`.
pub(super) fn operand(cx: Context<'_>, callee: CalleeId) -> CalleeId {
    match *cx.tables.network().callee(callee) {
        Callee::Unordered { ref items, ref unordered, .. } => {
            items[unordered.distinct.expect("the permutation has a distinct item") as usize]
        }
        _ => unreachable!("only a permutation has a distinct item"),
    }
}

/// Returns the language of a permutation's distinct item without the used texts.
fn remaining(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    callee: CalleeId,
    used: UsedTextsId,
) -> Result<RegularId, Error> {
    let Callee::Lexeme { language, .. } = *cx.tables.network().callee(operand(cx, callee)) else {
        unreachable!("an operand without rules is a lexeme")
    };
    // Start from the longest list whose language is known; usually only the newest text is missing.
    let mut missing = Vec::new();
    let (mut remaining, mut next) = (language, used);
    while let Some(texts) = nodes.permutations.texts.get(next) {
        if let Some(known) = texts.remaining {
            remaining = known;
            break;
        }
        missing.push(next);
        next = texts.older;
    }
    let has_one_spelling = analysis::has_one_spelling_per_number(nodes.store_mut(), language)?;
    let exclude = if has_one_spelling { analysis::exclude_spelling } else { analysis::exclude_value };
    for used in missing.into_iter().rev() {
        let index = used as usize - 1;
        let text = std::mem::take(&mut nodes.permutations.texts.used[index].text);
        let result = exclude(nodes.store_mut(), remaining, &text);
        nodes.permutations.texts.used[index].text = text;
        remaining = result?;
        nodes.permutations.texts.used[index].remaining = Some(remaining);
    }
    Ok(remaining)
}

/// Returns the node at which another text begins, if `node` is inside of a complete text that the next one
/// follows without a separator.
pub(crate) fn next_text(cx: Context<'_>, node: NetworkNodeId) -> Option<NetworkNodeId> {
    if node.index() < cx.tables.network().nodes.len() {
        return None;
    }
    let NodeKind::Distinct(ref state) = cx.tables.dynamic_nodes().get(node).kind else { return None };
    state.after.filter(|&after| begins_text(cx, after))
}

/// Returns true if a text may begin at the node after another one.
fn begins_text(cx: Context<'_>, node: NetworkNodeId) -> bool {
    node.index() >= cx.tables.network().nodes.len()
        && match cx.tables.dynamic_nodes().get(node).kind {
            NodeKind::Permutation(ref state) => state.distinct_start.is_some(),
            _ => false,
        }
}

/// Returns the node to which a class leads inside a distinct item, or from the node before it. Returns `None`
/// for other nodes.
pub(crate) fn scan(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    node: NetworkNodeId,
    class: Class,
) -> Result<Option<NetworkNodeId>, Error> {
    let (read, item, row) = match cx.tables.dynamic_nodes().get(node).kind {
        NodeKind::Distinct(ref state) => {
            let read = ReadText { from: state.from, prefix: state.prefix, length: state.length };
            (read, Some(state.item), &state.row)
        }
        NodeKind::Permutation(ref state) => match &state.distinct_start {
            Some(distinct_start) => {
                let read = ReadText { from: node, prefix: EMPTY_PREFIX, length: 0 };
                (read, start(nodes, cx, state)?, &distinct_start.row)
            }
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    let (Some(item), Some(byte)) = (item, cx.tables.network().representative(class)) else {
        return Ok(None);
    };
    match row.get(class.index()) {
        Some(NO_SUCCESSOR) => return Ok(None),
        Some(next) => return Ok(Some(NetworkNodeId(next))),
        None => {}
    }
    cx.meter.add_work(WORK_PER_BYTE);
    let next = match item {
        DistinctItem::Lexeme(lexeme) => match step::scan::advance(nodes, cx, lexeme, class)? {
            Some(lexeme) => Some(node_after_byte(nodes, cx, read, byte, lexeme)?),
            None => None,
        },
        DistinctItem::Rule(state) => distinct_values::advance(nodes, cx, node, read, state, class, byte)?,
    };
    let entry = next.map_or(NO_SUCCESSOR, |node| node.0);
    cx.tables.spend(row.set(class.index(), entry, cx.tables.network().byte_classes));
    Ok(next)
}

/// Bytes read of a distinct item that begins after the node `from`.
#[derive(Clone, Copy)]
pub(super) struct ReadText {
    pub(super) from: NetworkNodeId,
    pub(super) prefix: PrefixId,
    /// Number of bytes.
    pub(super) length: u32,
}

/// Returns the node after one more byte of a distinct item. `lexeme` is the item's lexeme state after that
/// byte.
fn node_after_byte(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    read: ReadText,
    byte: u8,
    lexeme: NetworkNodeId,
) -> Result<NetworkNodeId, Error> {
    let from = read.from;
    let prefix = nodes.permutations.texts.longer(read.prefix, byte);
    if let Some(&known) = nodes.permutations.texts.nodes.get(&(from, prefix)) {
        return Ok(known);
    }
    let NodeFlags { is_final: is_whole, goes_on } = cx.tables.inspect().flags(lexeme);
    let after = is_whole.then(|| node_after_text(nodes, cx, from, prefix));
    let node = match after {
        Some(after) if !goes_on => after,
        _ => {
            let is_final = after.is_some_and(|after| cx.tables.inspect().flags(after).is_final);
            let length = read.length.saturating_add(1);
            let (item, candidates) = (DistinctItem::Lexeme(lexeme), Box::default());
            let row = LazyRow::new();
            let state = DistinctState { from, prefix, length, item, candidates, row, after };
            let flags = NodeFlags { is_final, goes_on: true };
            cx.tables.dynamic_nodes().push(flags, NodeKind::Distinct(state), None)
        }
    };
    cx.tables.spend(size_of::<DynamicNode>() + MAP_ENTRY_BYTES);
    nodes.permutations.texts.nodes.insert((from, prefix), node);
    Ok(node)
}

/// Returns the node after a distinct item with this text.
pub(super) fn node_after_text(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    from: NetworkNodeId,
    text: PrefixId,
) -> NetworkNodeId {
    let (callee, plan, progress) = progress_at(nodes, cx, from);
    let texts = &mut nodes.permutations.texts;
    let text = texts.bytes(text);
    cx.tables.spend(size_of::<UsedTexts>() + 2 * text.len() + MAP_ENTRY_BYTES);
    let used = texts.add_used(callee, plan.used_texts(&progress), &text, plan.compares_values());
    let value = texts.get(used).and_then(|used| used.value.as_ref());
    cx.tables.spend(value.map_or(0, Value::bytes_used));
    let progress = progress_after(nodes, cx, from, &plan, &progress, used);
    nodes.permutations.node(cx, callee, progress, Phase::AfterItem)
}

/// Returns the progress after a distinct item, with the texts used from then on.
fn progress_after(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    from: NetworkNodeId,
    plan: &Plan,
    progress: &Progress,
    used: UsedTextsId,
) -> Progress {
    let choices = nodes.permutations.choices(cx, permutation_state(cx, from));
    let choice = choices.iter().find(|choice| plan.is_distinct(choice)).expect("the item may come");
    plan.after_distinct(progress, choice, used)
}

/// Returns the permutation that a node is in, and its progress there.
pub(super) fn progress_at(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    node: NetworkNodeId,
) -> (CalleeId, Arc<Plan>, Progress) {
    let state = permutation_state(cx, node);
    let plan = nodes.permutations.plan(cx, state.callee);
    (state.callee, plan, nodes.permutations.progress(state.progress))
}

/// Returns the node for all positions after the distinct item that begins at `from`.
pub(crate) fn after_any_text_node(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    from: NetworkNodeId,
    phase: Phase,
) -> NetworkNodeId {
    let state = permutation_state(cx, from);
    let distinct_start = state.distinct_start.as_ref().expect("a distinct item may begin here");
    let cell = &distinct_start.after_any_text[usize::from(phase == Phase::AfterItem)];
    if let Some(&known) = cell.get() {
        return known;
    }
    let flags = match phase {
        Phase::BeforeItem => NodeFlags { is_final: false, goes_on: true },
        Phase::AfterItem => {
            let (_, plan, progress) = progress_at(nodes, cx, from);
            let progress = progress_after(nodes, cx, from, &plan, &progress, UNKNOWN_TEXTS);
            NodeFlags {
                is_final: plan.is_final(&progress.totals),
                goes_on: plan.goes_on(&progress.totals, || progress.clone()),
            }
        }
    };
    cx.tables.spend(size_of::<DynamicNode>());
    *cell.get_or_init(|| cx.tables.dynamic_nodes().push(flags, NodeKind::AfterAnyText(from, phase), None))
}

/// Returns the continuations after the distinct item that begins at `from`, for any text of that item.
pub(crate) fn continuations_after_any_text(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    from: NetworkNodeId,
) -> Result<AfterDistinct, Error> {
    let state = permutation_state(cx, from);
    let (callee, plan, progress) = progress_at(nodes, cx, from);
    let Callee::Unordered { ref items, .. } = *cx.tables.network().callee(callee) else {
        unreachable!("only a permutation has such nodes")
    };
    let progress = progress_after(nodes, cx, from, &plan, &progress, UNKNOWN_TEXTS);
    let (mut next_text, mut bytes, mut is_rule) = (None, ByteSet::EMPTY, false);
    for choice in plan.choices(&progress) {
        if plan.is_distinct(&choice) && !plan.compares_values() {
            next_text = match start(nodes, cx, state)? {
                Some(DistinctItem::Lexeme(lexeme)) => Some(lexeme),
                _ => None,
            };
        } else {
            is_rule |= plan.is_distinct(&choice);
            bytes = bytes.union(&first_sets::of_callee(nodes, cx, items[choice.item()])?);
        }
    }
    Ok(AfterDistinct { from, start: next_text, bytes, is_rule })
}

/// Returns the bytes by which a distinct item continues at a node, or begins there.
pub(crate) fn scanned_bytes(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    node: NetworkNodeId,
) -> Result<ByteSet, Error> {
    let item = match cx.tables.dynamic_nodes().get(node).kind {
        NodeKind::Distinct(ref state) => Some(state.item),
        NodeKind::Permutation(ref state) => start(nodes, cx, state)?,
        _ => None,
    };
    match item {
        None => Ok(ByteSet::EMPTY),
        Some(DistinctItem::Lexeme(lexeme)) => match cx.tables.dynamic_nodes().get(lexeme).kind {
            NodeKind::Lexeme(ref state) => nodes.live_bytes(state.language),
            _ => Ok(ByteSet::EMPTY),
        },
        Some(DistinctItem::Rule(state)) => distinct_values::live_bytes(nodes, cx, node, state),
    }
}

/// Returns the text read so far, for display.
pub(crate) fn describe(texts: &DistinctTexts, state: &DistinctState) -> String {
    String::from_utf8_lossy(&texts.bytes(state.prefix)).into_owned()
}

/// Returns the node that corresponds to a node inside a distinct item of another recognizer of the same
/// network.
pub(crate) fn import(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    source: &Recognizer,
    from: &NodeFactory,
    state: &DistinctState,
) -> Result<NetworkNodeId, Error> {
    let start = nodes.import(cx, source, from, state.from)?;
    let bytes = from.permutations.texts.bytes(state.prefix);
    let (&last, before) = bytes.split_last().expect("at least one byte has been read");
    let texts = &mut nodes.permutations.texts;
    let prefix = before.iter().fold(EMPTY_PREFIX, |prefix, &byte| texts.longer(prefix, byte));
    cx.tables.spend(before.len() * TEXT_BYTE_BYTES);
    let read = ReadText { from: start, prefix, length: narrow(before.len()) };
    match state.item {
        DistinctItem::Lexeme(lexeme) => {
            let lexeme = nodes.import(cx, source, from, lexeme)?;
            node_after_byte(nodes, cx, read, last, lexeme)
        }
        DistinctItem::Rule(item) => {
            let items = source.items(item);
            let item = step::import::import(nodes, cx, source, from, items)?;
            let mut candidates = if state.candidates.is_empty() {
                Vec::new()
            } else {
                distinct_values::first_candidates(nodes, cx, start)
            };
            for &byte in &bytes {
                candidates = nodes.permutations.texts.advance(&candidates, byte);
            }
            let node = distinct_values::node_after_byte(nodes, cx, read, last, item, candidates)?;
            Ok(node.expect("the item goes on in the other recognizer"))
        }
    }
}

/// Returns the state of the permutation node before a distinct item.
pub(super) fn permutation_state(cx: Context<'_>, from: NetworkNodeId) -> &PermutationState {
    match cx.tables.dynamic_nodes().get(from).kind {
        NodeKind::Permutation(ref state) => state,
        _ => unreachable!("a distinct item begins inside a permutation"),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::recognizer;

    #[test]
    fn open_objects_differ_by_any_part() {
        let recognizer = recognizer(
            "start ::= '[' unordered!(distinct!(object); ','; {1,}) ']';
             object ::= '{' ws '}' | '{' ws member (',' ws member)* '}'; member ::= '\"' json!(#'[a-z]*') '\":' ws value ws;
             value ::= object | '[' ws (value ws (',' ws value ws)*)? ']'; ws ::= (#'[ \\n]{1,64}')?;",
        );
        let mut state = recognizer.initial();
        for (place, &byte) in b"[{},{\"a\":[]},{\"a\":{}},{\"a\":[{}]}]".iter().enumerate() {
            state = recognizer.step(state, byte).unwrap();
            assert!(!state.is_dead(), "{place}");
        }
        assert!(state.completes());
    }
}

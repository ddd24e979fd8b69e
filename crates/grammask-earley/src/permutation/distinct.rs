//! Items of `distinct!`, whose texts must differ from each other.
//!
//! While such an item is read, its node stores the bytes read so far. After the item, it is therefore known
//! which text has been used. The next item's language is the item's lexeme without the used texts: in
//! `unordered!(distinct!(#'[ab]+'); ',')`, after `a,` the language is `#'[ab]+' & ~'a'`.

use std::sync::Arc;

use grammask_cache::LazyRow;
use grammask_regular::{ByteSet, RegularId, analysis};
use rustc_hash::FxHashMap;

use crate::permutation::plan::{Plan, Progress};
use crate::recognizer::Recognizer;
use crate::recognizer::dynamic_nodes::{DynamicNode, NO_SUCCESSOR, NodeKind, PermutationState, Phase};
use crate::recognizer::inspect::NodeFlags;
use crate::step::nodes::NodeFactory;
use crate::step::{self, Context, first_sets};
use crate::{Callee, CalleeId, Class, Error, NetworkNodeId};

/// Budget of a hash-map entry with a small key, in bytes; a rough measure.
const MAP_ENTRY_BYTES: usize = 64;

/// Budget of one byte of a text in [`DistinctTexts`], in bytes; a rough measure.
const TEXT_BYTE_BYTES: usize = 32;

/// A position inside an item of `distinct!`.
pub(crate) struct DistinctState {
    /// The node before the item.
    pub(crate) from: NetworkNodeId,
    /// The bytes read so far, and their number.
    prefix: PrefixId,
    length: u32,
    /// State of the item's lexeme, without the texts used before.
    pub(crate) lexeme: NetworkNodeId,
    /// Successors by class.
    pub(crate) row: LazyRow,
    /// The node after the item, if the bytes read so far are a whole item.
    pub(crate) after: Option<NetworkNodeId>,
}

/// A position inside, or before, an item of `distinct!`, for walks that go rule by rule.
#[derive(Clone, Copy, Debug)]
pub struct DistinctPosition {
    /// State of the item's lexeme, without the texts used before. It does not record the bytes read.
    pub lexeme: NetworkNodeId,
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
    /// FIRST set of the other items.
    pub bytes: ByteSet,
}

/// A text read so far: 0 for the empty text, else 1 plus an index into [`DistinctTexts::prefixes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PrefixId(u32);

const EMPTY_PREFIX: PrefixId = PrefixId(0);

/// A list of used texts: 0 for none, else 1 plus an index into [`DistinctTexts::used`].
pub(crate) type UsedTextsId = u32;

/// Sentinel: the list of used texts is unknown.
const UNKNOWN_TEXTS: UsedTextsId = UsedTextsId::MAX;

/// A list of used texts: an older list and one more text.
struct UsedTexts {
    callee: CalleeId,
    older: UsedTextsId,
    text: Box<[u8]>,
    /// The item's language without all of these texts, once computed.
    remaining: Option<RegularId>,
}

/// The texts being read and the texts used, each once.
#[derive(Default)]
pub(crate) struct DistinctTexts {
    /// The texts read so far: each is a shorter text and a last byte.
    prefixes: Vec<(PrefixId, u8)>,
    prefix_ids: FxHashMap<(PrefixId, u8), PrefixId>,
    used: Vec<UsedTexts>,
    used_ids: FxHashMap<(CalleeId, UsedTextsId, Box<[u8]>), UsedTextsId>,
    nodes: FxHashMap<(NetworkNodeId, PrefixId), NetworkNodeId>,
}

impl DistinctTexts {
    fn longer(&mut self, prefix: PrefixId, byte: u8) -> PrefixId {
        *self.prefix_ids.entry((prefix, byte)).or_insert_with(|| {
            self.prefixes.push((prefix, byte));
            PrefixId(self.prefixes.len() as u32)
        })
    }

    fn bytes(&self, mut prefix: PrefixId) -> Vec<u8> {
        let mut bytes = Vec::new();
        while prefix.0 > 0 {
            let (shorter, byte) = self.prefixes[prefix.0 as usize - 1];
            bytes.push(byte);
            prefix = shorter;
        }
        bytes.reverse();
        bytes
    }

    /// Returns the list of used texts with one more text.
    fn add_used(&mut self, callee: CalleeId, older: UsedTextsId, text: &[u8]) -> UsedTextsId {
        *self.used_ids.entry((callee, older, text.into())).or_insert_with(|| {
            self.used.push(UsedTexts { callee, older, text: text.into(), remaining: None });
            self.used.len() as UsedTextsId
        })
    }

    /// Returns the used texts, oldest first; for display.
    pub(crate) fn list(&self, mut used: UsedTextsId) -> Vec<String> {
        let mut texts = Vec::new();
        while let Some(newest) = self.get(used) {
            texts.push(String::from_utf8_lossy(&newest.text).into_owned());
            used = newest.older;
        }
        texts.reverse();
        texts
    }

    fn get(&self, used: UsedTextsId) -> Option<&UsedTexts> {
        self.used.get((used as usize).checked_sub(1)?)
    }

    /// Copies a list of used texts from another recognizer, and returns its id in `self`.
    pub(crate) fn import(&mut self, from: &Self, mut used: UsedTextsId) -> UsedTextsId {
        let mut path = Vec::new();
        while let Some(newest) = from.get(used) {
            path.push(newest);
            used = newest.older;
        }
        path.iter().rev().fold(0, |older, used| self.add_used(used.callee, older, &used.text))
    }
}

/// See [`Inspector::distinct`](crate::Inspector::distinct).
pub(crate) fn position(
    recognizer: &Recognizer,
    node: NetworkNodeId,
) -> Result<Option<DistinctPosition>, Error> {
    if node.index() < recognizer.network().nodes.len() {
        return Ok(None);
    }
    let (from, lexeme) = match recognizer.dynamic_nodes().get(node).kind {
        NodeKind::Distinct(ref state) => (state.from, Some(state.lexeme)),
        NodeKind::Permutation(ref state) if state.distinct_start.is_some() => {
            (node, recognizer.lock().with(|stages, cx| start(&mut stages.nodes, cx, state))?)
        }
        _ => return Ok(None),
    };
    let Some(lexeme) = lexeme else { return Ok(None) };
    let after = recognizer
        .lock()
        .with(|stages, cx| after_any_text_node(&mut stages.nodes, cx, from, Phase::AfterItem));
    Ok(Some(DistinctPosition { lexeme, after }))
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
) -> Result<Option<NetworkNodeId>, Error> {
    let Some(distinct_start) = &state.distinct_start else { return Ok(None) };
    if let Some(&known) = distinct_start.lexeme.get() {
        return Ok(known);
    }
    let plan = nodes.permutations.plan(cx, state.callee);
    let may_come = nodes.permutations.choices(cx, state).iter().any(|choice| plan.is_distinct(choice));
    let start = if may_come {
        let used = plan.used_texts(&nodes.permutations.progress(state.progress));
        let remaining = remaining(nodes, cx, state.callee, used)?;
        nodes.lexeme_node(cx, remaining, None)?
    } else {
        None
    };
    Ok(*distinct_start.lexeme.get_or_init(|| start))
}

/// Returns the language of a permutation's distinct item without the used texts.
fn remaining(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    callee: CalleeId,
    used: UsedTextsId,
) -> Result<RegularId, Error> {
    let Callee::Unordered { ref items, ref unordered, .. } = *cx.tables.network().callee(callee) else {
        unreachable!("only a permutation has a distinct item")
    };
    let item = unordered.distinct.expect("the permutation has a distinct item") as usize;
    let Callee::Lexeme { language, .. } = *cx.tables.network().callee(items[item]) else {
        unreachable!("a distinct item is a lexeme")
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

/// Returns the node to which a class leads inside a distinct item, or from the node before it. Returns `None`
/// for other nodes.
pub(crate) fn scan(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    node: NetworkNodeId,
    class: Class,
) -> Result<Option<NetworkNodeId>, Error> {
    let (read, lexeme, row) = match cx.tables.dynamic_nodes().get(node).kind {
        NodeKind::Distinct(ref state) => {
            let read = ReadText { from: state.from, prefix: state.prefix, length: state.length };
            (read, Some(state.lexeme), &state.row)
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
    let (Some(lexeme), Some(byte)) = (lexeme, cx.tables.network().representative(class)) else {
        return Ok(None);
    };
    match row.get(class.index()) {
        Some(NO_SUCCESSOR) => return Ok(None),
        Some(next) => return Ok(Some(NetworkNodeId(next))),
        None => {}
    }
    let next = match step::scan::advance(nodes, cx, lexeme, class)? {
        Some(lexeme) => Some(node_after_byte(nodes, cx, read, byte, lexeme)?),
        None => None,
    };
    let entry = next.map_or(NO_SUCCESSOR, |node| node.0);
    cx.tables.spend(row.set(class.index(), entry, cx.tables.network().byte_classes));
    Ok(next)
}

/// Bytes read of a distinct item that begins after the node `from`.
#[derive(Clone, Copy)]
struct ReadText {
    from: NetworkNodeId,
    prefix: PrefixId,
    /// Number of bytes.
    length: u32,
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
            let state = DistinctState { from, prefix, length, lexeme, row: LazyRow::new(), after };
            let flags = NodeFlags { is_final, goes_on: true };
            cx.tables.dynamic_nodes().push(flags, NodeKind::Distinct(state), None)
        }
    };
    cx.tables.spend(size_of::<DynamicNode>() + MAP_ENTRY_BYTES);
    nodes.permutations.texts.nodes.insert((from, prefix), node);
    Ok(node)
}

/// Returns the node after a distinct item with this text.
fn node_after_text(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    from: NetworkNodeId,
    text: PrefixId,
) -> NetworkNodeId {
    let (callee, plan, progress) = progress_at(nodes, cx, from);
    let texts = &mut nodes.permutations.texts;
    let text = texts.bytes(text);
    cx.tables.spend(size_of::<UsedTexts>() + 2 * text.len() + MAP_ENTRY_BYTES);
    let used = texts.add_used(callee, plan.used_texts(&progress), &text);
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
fn progress_at(
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
    let (mut next_text, mut bytes) = (None, ByteSet::EMPTY);
    for choice in plan.choices(&progress) {
        if plan.is_distinct(&choice) {
            next_text = start(nodes, cx, state)?;
        } else {
            bytes = bytes.union(&first_sets::of_callee(nodes, cx, items[choice.item()])?);
        }
    }
    Ok(AfterDistinct { from, start: next_text, bytes })
}

/// Returns the bytes by which a distinct item continues at a node, or begins there.
pub(crate) fn scanned_bytes(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    node: NetworkNodeId,
) -> Result<ByteSet, Error> {
    let lexeme = match cx.tables.dynamic_nodes().get(node).kind {
        NodeKind::Distinct(ref state) => Some(state.lexeme),
        NodeKind::Permutation(ref state) => start(nodes, cx, state)?,
        _ => None,
    };
    let Some(lexeme) = lexeme else { return Ok(ByteSet::EMPTY) };
    match cx.tables.dynamic_nodes().get(lexeme).kind {
        NodeKind::Lexeme(ref state) => nodes.live_bytes(state.language),
        _ => Ok(ByteSet::EMPTY),
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
    let lexeme = nodes.import(cx, source, from, state.lexeme)?;
    let bytes = from.permutations.texts.bytes(state.prefix);
    let (&last, bytes) = bytes.split_last().expect("at least one byte has been read");
    let texts = &mut nodes.permutations.texts;
    let prefix = bytes.iter().fold(EMPTY_PREFIX, |prefix, &byte| texts.longer(prefix, byte));
    cx.tables.spend(bytes.len() * TEXT_BYTE_BYTES);
    let read = ReadText { from: start, prefix, length: bytes.len() as u32 };
    node_after_byte(nodes, cx, read, last, lexeme)
}

/// Returns the state of the permutation node before a distinct item.
fn permutation_state(cx: Context<'_>, from: NetworkNodeId) -> &PermutationState {
    match cx.tables.dynamic_nodes().get(from).kind {
        NodeKind::Permutation(ref state) => state,
        _ => unreachable!("a distinct item begins inside a permutation"),
    }
}

//! Items of `distinct!` whose texts must differ from each other, within one token.
//!
//! The summary of an item knows the lexeme, but not the text that was read. After an item, all its texts are
//! treated alike. If a second item can complete inside the same token, the trie nodes there are walked with
//! the text read.

use grammask_work::{Stopped, charge};
use std::sync::OnceLock;

use grammask_earley::{AfterDistinct, DistinctItem, DistinctPosition, Error, NetworkNodeId, SetId};
use grammask_trie::index::InnerId;
use grammask_trie::{Trie, TrieNodeId};
use rustc_hash::FxHashSet;

use crate::Masks;
use crate::descent::Descent;
use crate::lexicon::walk::output::{WalkOutput, Want};
use crate::node_set::continuation::ContinuationId;

/// Continuations after any text of an item, below some trie nodes.
pub(crate) struct AfterDistinctTexts {
    /// Tokens that are allowed after any text of the item: they end inside the next item, which still has at
    /// least `MIN_COMPLETIONS` completions. Ranges of the trie's token list.
    tokens: Box<[(u32, u32)]>,
    /// Nodes at which the result may depend on the text: the next item is complete, has fewer completions, is
    /// a rule, or is not an item of `distinct!`.
    open: Box<[TrieNodeId]>,
    /// Bytes from the trie nodes to the ends of tokens at and below `open`. If the next item completes inside
    /// a token, its text is a substring of one of these paths.
    paths: Box<[Box<[u8]>]>,
    /// True if each incomplete item in the paths has at least `MIN_COMPLETIONS` completions, so that the
    /// texts before it do not matter.
    has_many_completions: bool,
    /// Continuations from `open` after a text that no item in the paths can equal, once computed.
    for_other_texts: OnceLock<Continuations>,
}

/// Work of one step along the trie.
const UNITS_PER_STEP: u64 = 8;

/// Minimum number of completions of an item such that one differs from all texts that fit inside a token.
const MIN_COMPLETIONS: u32 = 64;

/// Bytes of a path; a longer one might contain `MIN_COMPLETIONS` items.
const MAX_PATH_BYTES: usize = MIN_COMPLETIONS as usize - 2;

/// Number of paths that are compared with a text; beyond it, each text is walked for itself.
const MAX_PATHS: usize = 1_024;

/// Tokens below some nodes, as ranges of the trie's token list, and the nodes at which the rule is complete.
struct Continuations {
    tokens: Box<[(u32, u32)]>,
    exits: Box<[InnerId]>,
}

impl AfterDistinctTexts {
    /// Returns `true` if a text that was read so far may become one of the items in the paths.
    fn may_be_among(&self, read: &[u8]) -> bool {
        // An escape may spell a longer or a shorter text.
        let is_plain = |text: &[u8]| !text.contains(&b'\\');
        let is_in = |path: &[u8]| path.windows(read.len()).any(|part| part == read);
        read.is_empty()
            || !self.has_many_completions
            || !is_plain(read)
            || self.paths.iter().any(|path| !is_plain(path) || is_in(path))
    }
}

/// Bytes of the longest JSON spelling of one byte: two `\\uXXXX` escapes.
const MAX_BYTES_PER_SPELLED_BYTE: usize = 12;

/// Fuel for one step of a state that knows its text; a step of a lexeme takes 1.
pub(super) const FUEL_PER_STEP: u64 = 64;

impl Descent<'_> {
    /// Processes a node at which an item of `distinct!` is being read, or may begin.
    pub(crate) fn read(
        &mut self,
        gss: usize,
        node: NetworkNodeId,
        continuation: ContinuationId,
        distinct: DistinctPosition,
    ) -> Result<(), Error> {
        let lexeme = match distinct.item {
            DistinctItem::Lexeme(lexeme) => lexeme,
            DistinctItem::Rule(state) => return self.read_rule(gss, node, continuation, distinct, state),
        };
        let (key, exit) = self.masks.lexeme_entry(lexeme, continuation, Want::TokensAndExits, self.fuel)?;
        self.gss_nodes[gss].lexemes.push(key);
        let Some(exit) = exit else { return Ok(()) };
        self.gss_nodes[gss].distinct_reads.push((node, distinct.after, continuation));
        // Continuations that were found after other reads of the item follow this one, too.
        for position in 0..self.gss_nodes[gss].after_distinct.len() {
            let (after_distinct, below) = self.gss_nodes[gss].after_distinct[position];
            if self
                .masks
                .recognizer
                .inspect()
                .distinct(after_distinct.from)?
                .is_some_and(|from| from.after == distinct.after)
            {
                self.walk_after(gss, after_distinct, below, node, continuation)?;
            }
        }
        self.enter(gss, distinct.after, exit)
    }

    /// Processes the node that represents all trie nodes after an item, where other items may begin.
    pub(crate) fn read_after_distinct(
        &mut self,
        gss: usize,
        after_distinct: AfterDistinct,
        continuation: ContinuationId,
    ) -> Result<(), Error> {
        let texts = self.masks.texts_after(after_distinct, continuation)?;
        self.gss_nodes[gss].output.allow_ranges(&texts.tokens);
        if texts.open.is_empty() {
            return Ok(());
        }
        self.gss_nodes[gss].after_distinct.push((after_distinct, continuation));
        let Some(from) = self.masks.recognizer.inspect().distinct(after_distinct.from)? else {
            return Ok(());
        };
        for position in 0..self.gss_nodes[gss].distinct_reads.len() {
            let (node, after, read_at) = self.gss_nodes[gss].distinct_reads[position];
            if after == from.after {
                self.walk_after(gss, after_distinct, continuation, node, read_at)?;
            }
        }
        Ok(())
    }

    /// Walks to the open nodes after an item from a node inside the item, so that its text is known.
    pub(super) fn walk_after(
        &mut self,
        gss: usize,
        after_distinct: AfterDistinct,
        below: ContinuationId,
        node: NetworkNodeId,
        continuation: ContinuationId,
    ) -> Result<(), Error> {
        let (masks, lexicon) = (self.masks, &*self.masks.lexicon);
        let (trie, trie_index) = (lexicon.trie(), lexicon.trie_index());
        let recognizer = &masks.recognizer;
        let texts = masks.texts_after(after_distinct, below)?;
        let longest = texts.paths.iter().map(|path| path.len()).max().unwrap_or(0);
        let read = recognizer.inspect().read_text(node, MAX_BYTES_PER_SPELLED_BYTE * (longest + 1));
        let is_other = !after_distinct.is_rule && read.is_none_or(|read| !texts.may_be_among(&read));
        if is_other && let Some(found) = texts.for_other_texts.get() {
            self.add(gss, found);
            return Ok(());
        }
        let start = recognizer.inspect().open_state(node)?;
        let mut output = WalkOutput::new(lexicon.context());
        let mut steps = 0;
        let open = &texts.open;
        for inner in lexicon.continuation(continuation).set().iter() {
            let root = trie_index.node(inner);
            let first = open.partition_point(|&node| node <= root);
            for &below_root in open[first..].iter().take_while(|&&node| node < trie.end(root)) {
                let bytes = trie_index.path(inner, below_root);
                charge(UNITS_PER_STEP * bytes.len() as u64)?;
                let set = bytes.iter().try_fold(start, |set, &byte| recognizer.step(set, byte))?;
                steps += bytes.len() as u64;
                if !set.is_dead() {
                    output.reach(set, below_root);
                    output.walk(recognizer, set, trie_index.inner(below_root))?;
                }
            }
        }
        self.nodes += steps + output.cost.nodes;
        // Each step creates a state.
        self.fuel.consume(FUEL_PER_STEP * (steps + output.cost.nodes));
        let mut exits = Vec::new();
        output.take_exits(&mut exits);
        let found = Continuations { exits: exits.into(), tokens: output.into_ranges() };
        self.add(gss, &found);
        if is_other {
            masks.budget.spend(size_of_val(&*found.tokens) + size_of_val(&*found.exits));
            // Another thread that was faster has stored an equal value.
            let _ = texts.for_other_texts.set(found);
        }
        Ok(())
    }

    fn add(&mut self, gss: usize, found: &Continuations) {
        self.gss_nodes[gss].output.allow_ranges(&found.tokens);
        if !found.exits.is_empty() {
            self.gss_nodes[gss].pending.extend_from_slice(&found.exits);
            self.schedule_return(gss);
        }
    }
}

impl Masks {
    /// Returns the continuations after all texts of an item, below some trie nodes. They do not depend on the
    /// position inside the item.
    fn texts_after(
        &self,
        after_distinct: AfterDistinct,
        continuation: ContinuationId,
    ) -> Result<&AfterDistinctTexts, Error> {
        let key = (after_distinct.from, continuation);
        if let Some(known) = self.after_distinct.get(&key) {
            return Ok(known);
        }
        let (trie, recognizer) = (self.lexicon.trie(), &self.recognizer);
        let (bytes, ends) = (trie.columns().bytes, trie.columns().ends);
        let start = after_distinct.start.map(|start| recognizer.inspect().open_state(start)).transpose()?;
        let mut output = WalkOutput::new(self.lexicon.context());
        let (mut open, mut paths) = (Vec::new(), Vec::new());
        for root in self.lexicon.continuation(continuation).nodes(self.lexicon.trie_index()) {
            // Next node, end of the range of nodes, and the state of the item.
            let mut path = vec![(root.0 + 1, ends[root.index()], start)];
            let mut text = Vec::new();
            while let Some((node, end, set)) = path.pop() {
                if node >= end {
                    continue;
                }
                charge(UNITS_PER_STEP)?;
                let below = ends[node as usize];
                path.push((below, end, set));
                let (here, byte) = (TrieNodeId(node), bytes[node as usize]);
                text.truncate(trie.depth(here) - trie.depth(root) - 1);
                text.push(byte);
                if text.len() == 1 && after_distinct.bytes.contains(byte) {
                    open.push(here);
                    collect_paths(trie, here, &text, &mut paths)?;
                    continue;
                }
                let Some(set) = set else { continue };
                let next = recognizer.step(set, byte)?;
                if next.is_dead() {
                    continue;
                }
                let item = recognizer.kernel(next).first().filter(|_| !next.completes());
                match item {
                    Some(item)
                        if recognizer.inspect().has_distinct_texts(item.node, MIN_COMPLETIONS.into())? =>
                    {
                        output.allow(here);
                        path.push((node + 1, below, Some(next)));
                    }
                    _ => {
                        open.push(here);
                        collect_paths(trie, here, &text, &mut paths)?;
                    }
                }
            }
        }
        // Nodes of the set may be below each other.
        open.sort_unstable();
        open.dedup();
        let has_many_completions = match start {
            _ if after_distinct.is_rule || paths.len() > MAX_PATHS => false,
            Some(start) => self.has_many_completions(start, &paths)?,
            None => true,
        };
        if !has_many_completions {
            paths.clear();
        }
        let found = AfterDistinctTexts {
            has_many_completions,
            tokens: output.into_ranges(),
            open: open.into(),
            paths: paths.into(),
            for_other_texts: OnceLock::new(),
        };
        let paths = found.paths.iter().map(|path| size_of_val(path) + path.len()).sum::<usize>();
        let bytes = size_of_val(&*found.tokens) + size_of_val(&*found.open) + paths;
        self.budget.spend(size_of::<((NetworkNodeId, ContinuationId), AfterDistinctTexts)>() + bytes);
        Ok(self.after_distinct.insert(key, found).0)
    }

    /// Returns `true` if each item that begins in some paths is complete, or has at least `MIN_COMPLETIONS`
    /// completions.
    fn has_many_completions(&self, start: SetId, paths: &[Box<[u8]>]) -> Result<bool, Error> {
        let recognizer = &self.recognizer;
        let mut known: FxHashSet<SetId> = FxHashSet::default();
        for path in paths {
            if path.len() > MAX_PATH_BYTES {
                return Ok(false);
            }
            for begin in 0..path.len() {
                let mut set = start;
                for &byte in &path[begin..] {
                    charge(UNITS_PER_STEP)?;
                    set = recognizer.step(set, byte)?;
                    if set.is_dead() {
                        break;
                    }
                    if set.completes() || !known.insert(set) {
                        continue;
                    }
                    let Some(item) = recognizer.kernel(set).first() else { return Ok(false) };
                    if !recognizer.inspect().has_distinct_texts(item.node, MIN_COMPLETIONS.into())? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }
}

/// Appends the paths to the leaves at and below `from`, each after the path `text` to `from`. Stops once
/// there are more than `MAX_PATHS`.
fn collect_paths(
    trie: &Trie,
    from: TrieNodeId,
    text: &[u8],
    paths: &mut Vec<Box<[u8]>>,
) -> Result<(), Stopped> {
    let mut path = text.to_vec();
    for node in (from.0..trie.end(from).0).map(TrieNodeId) {
        if paths.len() > MAX_PATHS {
            break;
        }
        charge(1)?;
        if node != from {
            path.truncate(text.len() + trie.depth(node) - trie.depth(from) - 1);
            path.push(trie.columns().bytes[node.index()]);
        }
        if !trie.has_children(node) {
            paths.push(path.as_slice().into());
        }
    }
    Ok(())
}

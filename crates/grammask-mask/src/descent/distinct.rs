//! Texts that differ from each other, below places in the trie. What an item of `distinct!` takes is the part of a lexeme, which knows which
//! texts have come, but not what has been read; so behind it, all of its texts are taken for one. Where another item is complete inside of the
//! same token, that is not enough, and these few places are walked with what has been read.

use std::sync::OnceLock;

use grammask_earley::{AfterDistinct, DistinctPosition, Error, NetworkNodeId, SetId};
use grammask_trie::index::InnerId;
use grammask_trie::{Trie, TrieNodeId};
use rustc_hash::FxHashSet;

use crate::Masks;
use crate::descent::Run;
use crate::lexicon::walk::output::{Asked, Findings};
use crate::node_set::interned::ContinuationId;

/// What may come behind all texts of an item, below some places.
pub(crate) struct Behind {
    /// Tokens that end inside of another item, which can be completed in several ways, so whatever the text before it is. As ranges of the trie's list.
    tokens: Box<[(u32, u32)]>,
    /// Nodes at which it may depend on the text: where the other item is complete, or nearly so, or is none of the distinct ones.
    open: Box<[TrieNodeId]>,
    /// What leads from the places to the ends of tokens at and below these nodes: an item that is complete in there is a part of one of them.
    ways: Box<[Box<[u8]>]>,
    /// Whether each item that begins in there, and is not complete, can be completed by so many texts that it does not matter which have come.
    is_roomy: bool,
    /// What comes of these nodes behind a text that none of the items there can be.
    otherwise: OnceLock<Found>,
}

/// An item that can be completed by so many texts can be completed whatever has come in the same token.
const SEVERAL: u64 = 64;

/// Longer ways might have more items than that.
const LONGEST_WAY: usize = SEVERAL as usize - 2;

/// Where there are more ways, as where no separator stands between items, each text is looked at for itself.
const MOST_WAYS: usize = 1_024;

/// What lies below some nodes: tokens, as ranges of the trie's list, and where the rule is complete.
struct Found {
    tokens: Box<[(u32, u32)]>,
    handovers: Box<[InnerId]>,
}

impl Behind {
    /// Whether a text that has been read so far may become one of those in the ways.
    fn may_be_among(&self, read: &[u8]) -> bool {
        // An escape may be another way to write what is longer or shorter.
        let is_plain = |text: &[u8]| !text.contains(&b'\\');
        let is_in = |way: &[u8]| way.windows(read.len()).any(|part| part == read);
        read.is_empty()
            || !self.is_roomy
            || !is_plain(read)
            || self.ways.iter().any(|way| !is_plain(way) || is_in(way))
    }
}

/// A text of more bytes, for each of the longest way, is longer than any in there, however it is written: two times six digits and letters are
/// at least one byte.
const BYTES_OF_ESCAPE: usize = 12;

/// A step with what has been read is as dear as so many steps of a lexeme.
const DEAR: u64 = 64;

impl Run<'_> {
    /// Visits a place at which an item of `distinct!` is being read, or may begin.
    pub(crate) fn read(
        &mut self,
        activation: usize,
        (node, continuation): (NetworkNodeId, ContinuationId),
        distinct: DistinctPosition,
    ) -> Result<(), Error> {
        let (key, handover) =
            self.masks.lexeme_part(distinct.lexeme, continuation, Asked::Places, self.fuel)?;
        self.activations[activation].lexemes.push(key);
        let Some(handover) = handover else { return Ok(()) };
        self.activations[activation].readings.push((node, distinct.after, continuation));
        // What has been found behind other readings of the same item is behind this one, too.
        for place in 0..self.activations[activation].behind.len() {
            let (others, below) = self.activations[activation].behind[place];
            if self
                .masks
                .recognizer
                .inspect()
                .distinct(others.from)?
                .is_some_and(|from| from.after == distinct.after)
            {
                self.walk_behind((activation, others, below), (node, continuation))?;
            }
        }
        self.arrive(activation, distinct.after, handover)
    }

    /// Visits the place that stands for all places behind an item, where others may come.
    pub(crate) fn read_others(
        &mut self,
        activation: usize,
        others: AfterDistinct,
        continuation: ContinuationId,
    ) -> Result<(), Error> {
        let behind = self.masks.behind(others, continuation)?;
        self.activations[activation].findings.allow_ranges(&behind.tokens);
        if behind.open.is_empty() {
            return Ok(());
        }
        self.activations[activation].behind.push((others, continuation));
        let Some(from) = self.masks.recognizer.inspect().distinct(others.from)? else { return Ok(()) };
        for place in 0..self.activations[activation].readings.len() {
            let (node, behind, reading) = self.activations[activation].readings[place];
            if behind == from.after {
                self.walk_behind((activation, others, continuation), (node, reading))?;
            }
        }
        Ok(())
    }

    /// Walks what lies open behind an item that has been read up to a node below some places: from there, so that its text is known.
    fn walk_behind(
        &mut self,
        (activation, others, below): (usize, AfterDistinct, ContinuationId),
        (node, continuation): (NetworkNodeId, ContinuationId),
    ) -> Result<(), Error> {
        let (masks, lexicon) = (self.masks, &*self.masks.lexicon);
        let (trie, outline) = (lexicon.trie(), lexicon.outline());
        let recognizer = &masks.recognizer;
        let behind = masks.behind(others, below)?;
        let longest = behind.ways.iter().map(|way| way.len()).max().unwrap_or(0);
        let read = recognizer.inspect().read_text(node, BYTES_OF_ESCAPE * (longest + 1));
        let is_other = read.is_none_or(|read| !behind.may_be_among(&read));
        if is_other && let Some(found) = behind.otherwise.get() {
            self.find(activation, found);
            return Ok(());
        }
        let start = recognizer.inspect().open_state(node)?;
        let mut findings = Findings::new(lexicon.ground());
        let mut steps = 0;
        let open = &behind.open;
        for root in lexicon.continuation(continuation).nodes(outline) {
            let first = open.partition_point(|&node| node <= root);
            for &place in open[first..].iter().take_while(|&&place| place < trie.end(root)) {
                let path = trie.path(place);
                let bytes = &path[trie.depth(root)..];
                let set = bytes.iter().try_fold(start, |set, &byte| recognizer.step(set, byte))?;
                steps += bytes.len() as u64;
                if !set.is_dead() {
                    findings.reach(set, place);
                    findings.walk(recognizer, set, outline.inner(place))?;
                }
            }
        }
        self.nodes += steps + findings.distance.nodes;
        // Each step makes a state of its own.
        self.fuel.burn(DEAR * (steps + findings.distance.nodes));
        let mut handovers = Vec::new();
        findings.take_handovers(&mut handovers);
        let found = Found { handovers: handovers.into(), tokens: findings.into_ranges() };
        self.find(activation, &found);
        if is_other {
            masks.budget.spend(size_of_val(&*found.tokens) + size_of_val(&*found.handovers));
            // Whoever else has found it has found the same.
            let _ = behind.otherwise.set(found);
        }
        Ok(())
    }

    fn find(&mut self, activation: usize, found: &Found) {
        self.activations[activation].findings.allow_ranges(&found.tokens);
        if !found.handovers.is_empty() {
            self.activations[activation].pending.extend_from_slice(&found.handovers);
            self.flush_later(activation);
        }
    }
}

impl Masks {
    /// What may come behind all texts of an item, below some places. It is the same wherever the item has been read to.
    fn behind(&self, others: AfterDistinct, continuation: ContinuationId) -> Result<&Behind, Error> {
        let key = (others.from, continuation);
        if let Some(known) = self.behind.get(&key) {
            return Ok(known);
        }
        let (trie, recognizer) = (self.lexicon.trie(), &self.recognizer);
        let (bytes, ends) = (trie.columns().bytes, trie.columns().ends);
        let start = others.start.map(|start| recognizer.inspect().open_state(start)).transpose()?;
        let mut findings = Findings::new(self.lexicon.ground());
        let (mut open, mut ways) = (Vec::new(), Vec::new());
        for root in self.lexicon.continuation(continuation).nodes(self.lexicon.outline()) {
            // Where to go on, up to where, and the state of the item there.
            let mut path = vec![(root.0 + 1, ends[root.index()], start)];
            while let Some((node, end, set)) = path.pop() {
                if node >= end {
                    continue;
                }
                let below = ends[node as usize];
                path.push((below, end, set));
                let (here, byte) = (TrieNodeId(node), bytes[node as usize]);
                let begins = trie.depth(here) == trie.depth(root) + 1;
                if begins && others.bytes.contains(byte) {
                    open.push(here);
                    ways_from(trie, root, here, &mut ways);
                    continue;
                }
                let Some(set) = set else { continue };
                let next = recognizer.step(set, byte)?;
                if next.is_dead() {
                    continue;
                }
                let item = recognizer.kernel(next).first().filter(|_| !next.completes());
                match item {
                    Some(item) if recognizer.inspect().has_distinct_texts(item.node, SEVERAL)? => {
                        findings.allow(here);
                        path.push((node + 1, below, Some(next)));
                    }
                    _ => {
                        open.push(here);
                        ways_from(trie, root, here, &mut ways);
                    }
                }
            }
        }
        // Places may be below each other.
        open.sort_unstable();
        open.dedup();
        let is_roomy = match start {
            _ if ways.len() > MOST_WAYS => false,
            Some(start) => self.is_roomy(start, &ways)?,
            None => true,
        };
        if !is_roomy {
            ways.clear();
        }
        let behind = Behind {
            is_roomy,
            tokens: findings.into_ranges(),
            open: open.into(),
            ways: ways.into(),
            otherwise: OnceLock::new(),
        };
        let ways = behind.ways.iter().map(|way| size_of_val(way) + way.len()).sum::<usize>();
        let bytes = size_of_val(&*behind.tokens) + size_of_val(&*behind.open) + ways;
        self.budget.spend(size_of::<((NetworkNodeId, ContinuationId), Behind)>() + bytes);
        Ok(self.behind.insert(key, behind).0)
    }

    /// Whether all items that begin in some ways can be completed by several texts, or are complete.
    fn is_roomy(&self, start: SetId, ways: &[Box<[u8]>]) -> Result<bool, Error> {
        let recognizer = &self.recognizer;
        let mut known: FxHashSet<SetId> = FxHashSet::default();
        for way in ways {
            if way.len() > LONGEST_WAY {
                return Ok(false);
            }
            for begin in 0..way.len() {
                let mut set = start;
                for &byte in &way[begin..] {
                    set = recognizer.step(set, byte)?;
                    if set.is_dead() {
                        break;
                    }
                    if set.completes() || !known.insert(set) {
                        continue;
                    }
                    let Some(item) = recognizer.kernel(set).first() else { return Ok(false) };
                    if !recognizer.inspect().has_distinct_texts(item.node, SEVERAL)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }
}

/// The ways from a node to the ends of the longest tokens at and below another one. Beyond too many, no more are needed.
fn ways_from(trie: &Trie, root: TrieNodeId, from: TrieNodeId, ways: &mut Vec<Box<[u8]>>) {
    for node in (from.0..trie.end(from).0).map(TrieNodeId).filter(|&node| !trie.has_children(node)) {
        if ways.len() > MOST_WAYS {
            return;
        }
        ways.push(trie.path(node)[trie.depth(root)..].into());
    }
}

//! Texts that differ from each other, below places in the trie. What an item of `distinct!` takes is the part of a lexeme, which knows which
//! texts have come, but not what has been read; so behind it, all of its texts are taken for one. Where another item is complete inside of the
//! same token, that is not enough, and these few places are walked with what has been read.

use grammask_earley::{Distinct, Error, NodeId, Others};
use grammask_trie::NodeId as TrieNode;

use super::Run;
use crate::Masks;
use crate::continuation::ContinuationId;
use crate::findings::Findings;

/// What may come behind all texts of an item, below some places.
pub(crate) struct Behind {
    /// Tokens that end inside of another item, which can be completed in several ways, so whatever the text before it is. As ranges of the trie's list.
    tokens: Box<[(u32, u32)]>,
    /// Nodes at which it depends on the text: where the other item is complete, or nearly so, or is none of the distinct ones.
    open: Box<[TrieNode]>,
}

impl Run<'_> {
    /// Visits a place at which an item of `distinct!` is being read, or may begin.
    pub(super) fn read(
        &mut self,
        activation: usize,
        (node, continuation): (NodeId, ContinuationId),
        distinct: Distinct,
    ) -> Result<(), Error> {
        let (key, handover) = self.masks.lexeme_part(distinct.lexeme, continuation, self.fuel)?;
        self.activations[activation].lexemes.push(key);
        let Some(handover) = handover else { return Ok(()) };
        self.activations[activation].readings.push((node, distinct.behind, continuation));
        // What has been found behind other readings of the same item is behind this one, too.
        for place in 0..self.activations[activation].behind.len() {
            let (others, below) = self.activations[activation].behind[place];
            if self.masks.recognizer.distinct(others.from)?.is_some_and(|from| from.behind == distinct.behind)
            {
                self.walk_behind((activation, others, below), (node, continuation))?;
            }
        }
        self.arrive(activation, distinct.behind, handover)
    }

    /// Visits the place that stands for all places behind an item, where others may come.
    pub(super) fn read_others(
        &mut self,
        activation: usize,
        others: Others,
        continuation: ContinuationId,
    ) -> Result<(), Error> {
        let behind = self.masks.behind(others, continuation)?;
        self.activations[activation].findings.allow_ranges(&behind.tokens);
        if behind.open.is_empty() {
            return Ok(());
        }
        self.activations[activation].behind.push((others, continuation));
        let Some(from) = self.masks.recognizer.distinct(others.from)? else { return Ok(()) };
        for place in 0..self.activations[activation].readings.len() {
            let (node, behind, reading) = self.activations[activation].readings[place];
            if behind == from.behind {
                self.walk_behind((activation, others, continuation), (node, reading))?;
            }
        }
        Ok(())
    }

    /// Walks what lies open behind an item that has been read up to a node below some places: from there, so that its text is known.
    fn walk_behind(
        &mut self,
        (activation, others, below): (usize, Others, ContinuationId),
        (node, continuation): (NodeId, ContinuationId),
    ) -> Result<(), Error> {
        let (masks, lexicon) = (self.masks, &*self.masks.lexicon);
        let (trie, outline) = (lexicon.trie(), lexicon.outline());
        let recognizer = &masks.recognizer;
        let start = recognizer.alone(node)?;
        let open = &masks.behind(others, below)?.open;
        let this = &mut self.activations[activation];
        for root in lexicon.continuation(continuation).nodes(outline) {
            let first = open.partition_point(|&node| node <= root);
            for &place in open[first..].iter().take_while(|&&place| place < trie.end(root)) {
                let path = trie.path(place);
                let bytes = &path[trie.depth(root)..];
                let set = bytes.iter().try_fold(start, |set, &byte| recognizer.step(set, byte))?;
                self.nodes += bytes.len() as u64;
                if !set.is_dead() {
                    this.findings.reach(set, place);
                    this.findings.walk(recognizer, set, [place])?;
                }
            }
        }
        let mut handovers = this.findings.take_handovers();
        if !handovers.is_empty() {
            this.pending.append(&mut handovers);
            self.flush_later(activation);
        }
        Ok(())
    }
}

impl Masks {
    /// What may come behind all texts of an item, below some places. It is the same wherever the item has been read to.
    fn behind(&self, others: Others, continuation: ContinuationId) -> Result<&Behind, Error> {
        let key = (others.from, continuation);
        if let Some(known) = self.behind.get(&key) {
            return Ok(known);
        }
        let (trie, recognizer) = (self.lexicon.trie(), &self.recognizer);
        let (bytes, ends) = (trie.bytes_slice(), trie.ends_slice());
        let start = others.start.map(|start| recognizer.alone(start)).transpose()?;
        let mut findings = Findings::new(self.lexicon.ground());
        let mut open = Vec::new();
        for root in self.lexicon.continuation(continuation).nodes(self.lexicon.outline()) {
            // Where to go on, up to where, and the state of the item there.
            let mut path = vec![(root.0 + 1, ends[root.index()], start)];
            while let Some((node, end, set)) = path.pop() {
                if node >= end {
                    continue;
                }
                let below = ends[node as usize];
                path.push((below, end, set));
                let (here, byte) = (TrieNode(node), bytes[node as usize]);
                let begins = trie.depth(here) == trie.depth(root) + 1;
                if begins && others.bytes.contains(byte) {
                    open.push(here);
                    continue;
                }
                let Some(set) = set else { continue };
                let next = recognizer.step(set, byte)?;
                if next.is_dead() {
                    continue;
                }
                let item = recognizer.kernel(next).first().filter(|_| !next.completes());
                match item {
                    Some(item) if recognizer.has_several(item.node)? => {
                        findings.allow(here);
                        path.push((node + 1, below, Some(next)));
                    }
                    _ => open.push(here),
                }
            }
        }
        // Places may be below each other.
        open.sort_unstable();
        open.dedup();
        let behind = Behind { tokens: findings.into_ranges(), open: open.into() };
        let bytes = size_of_val(&*behind.tokens) + size_of_val(&*behind.open);
        self.budget.spend(size_of::<((NodeId, ContinuationId), Behind)>() + bytes);
        Ok(self.behind.insert(key, behind).0)
    }
}

//! Walking the trie with a set: which tokens it takes, and where it hands over to the outside.

use grammask_earley::{Error, Recognizer, SetId, Successors};
use grammask_trie::{NodeId, TokenId, TokenSet, Trie};

/// A set that takes more than one token in this many is kept as bits.
const DENSE: usize = 32;

/// What a walk has found so far.
pub(crate) struct Findings<'a> {
    trie: &'a Trie,
    /// Allowed tokens as ranges of the trie's token list, which is ordered as the nodes are.
    ranges: Vec<(u32, u32)>,
    /// Allowed tokens as bits; empty as long as there are none.
    words: Vec<u32>,
    /// For every outermost origin the nodes at which it is complete, where there is something below them.
    handovers: Vec<Vec<NodeId>>,
    /// Nodes visited.
    pub(crate) visited: usize,
}

impl<'a> Findings<'a> {
    pub(crate) fn new(trie: &'a Trie) -> Self {
        Self { trie, ranges: Vec::new(), words: Vec::new(), handovers: Vec::new(), visited: 0 }
    }

    /// The tokens that end at a node are allowed.
    #[inline]
    fn allow(&mut self, node: NodeId) {
        let starts = self.trie.token_starts_slice();
        let (start, end) = (starts[node.index()], starts[node.index() + 1]);
        match self.ranges.last_mut() {
            Some(last) if last.1 == start => last.1 = end,
            _ if start < end => self.ranges.push((start, end)),
            _ => {}
        }
    }

    /// Tokens found elsewhere are allowed.
    pub(crate) fn allow_set(&mut self, tokens: &TokenSet, words: usize) {
        self.words.resize(words, 0);
        tokens.union_into(&mut self.words);
    }

    /// The outermost origin with this index is complete at a node that has something below it.
    pub(crate) fn hand_over(&mut self, origin: usize, nodes: &[NodeId]) {
        if self.handovers.len() <= origin {
            self.handovers.resize_with(origin + 1, Vec::new);
        }
        self.handovers[origin].extend_from_slice(nodes);
    }

    /// A set has been reached at a node: its tokens are allowed, and what is complete is handed over.
    #[inline]
    pub(crate) fn reach(&mut self, recognizer: &Recognizer, set: SetId, node: NodeId) {
        self.allow(node);
        if set.completes() && self.trie.has_children(node) {
            for origin in recognizer.completed(set) {
                self.hand_over(origin.open_index().unwrap_or(0), &[node]);
            }
        }
    }

    /// Walks everything below the given nodes, starting in `set` at each of them.
    ///
    /// # Errors
    /// When a set exceeds a limit.
    pub(crate) fn walk(
        &mut self,
        recognizer: &Recognizer,
        set: SetId,
        roots: &[NodeId],
    ) -> Result<(), Error> {
        let (bytes, ends) = (self.trie.bytes_slice(), self.trie.ends_slice());
        let start = recognizer.successors(set)?;
        let mut path: Vec<(u32, Successors<'_>)> = Vec::with_capacity(32);
        for &root in roots {
            let (mut end, mut successors) = (ends[root.index()], start);
            let mut node = root.0 + 1;
            loop {
                if node == end {
                    match path.pop() {
                        Some(outer) => (end, successors) = outer,
                        None => break,
                    }
                    continue;
                }
                self.visited += 1;
                let next = successors.after(bytes[node as usize])?;
                let below = ends[node as usize];
                if next.is_dead() {
                    node = below;
                    continue;
                }
                self.reach(recognizer, next, NodeId(node));
                if next.goes_on() && below > node + 1 {
                    path.push((end, successors));
                    (end, successors) = (below, recognizer.successors(next)?);
                    node += 1;
                } else {
                    node = below;
                }
            }
        }
        Ok(())
    }

    /// The allowed tokens, and the handovers by origin, sorted.
    pub(crate) fn finish(mut self, words: usize) -> (TokenSet, Vec<(usize, Vec<NodeId>)>) {
        let tokens = self.trie.tokens_slice();
        let found = self.ranges.iter().map(|&(start, end)| &tokens[start as usize..end as usize]);
        let count: usize = self.ranges.iter().map(|&(start, end)| (end - start) as usize).sum();
        let set = if self.words.is_empty() && count * DENSE < words * 32 {
            let ids: Vec<TokenId> = found.flatten().copied().collect();
            TokenSet::new(&ids)
        } else {
            self.words.resize(words, 0);
            for id in found.flatten() {
                self.words[id.word()] |= id.bit();
            }
            TokenSet::from_words(&self.words)
        };
        let mut handovers = Vec::new();
        for (origin, mut nodes) in self.handovers.into_iter().enumerate() {
            if !nodes.is_empty() {
                nodes.sort_unstable();
                nodes.dedup();
                handovers.push((origin, nodes));
            }
        }
        (set, handovers)
    }
}

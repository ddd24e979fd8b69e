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
    /// The nodes at which the one outermost origin is complete, where there is something below them.
    handovers: Vec<NodeId>,
}

impl<'a> Findings<'a> {
    pub(crate) fn new(trie: &'a Trie) -> Self {
        Self { trie, ranges: Vec::new(), handovers: Vec::new() }
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

    /// A set has been reached at a node: its tokens are allowed, and what is complete is handed over.
    #[inline]
    pub(crate) fn reach(&mut self, set: SetId, node: NodeId) {
        self.allow(node);
        if set.completes() && self.trie.has_children(node) {
            self.handovers.push(node);
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
                let next = successors.after(bytes[node as usize])?;
                let below = ends[node as usize];
                if next.is_dead() {
                    node = below;
                    continue;
                }
                self.reach(next, NodeId(node));
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

    /// The allowed tokens, and the handovers, sorted.
    pub(crate) fn finish(mut self, words: usize) -> (TokenSet, Vec<NodeId>) {
        let tokens = self.trie.tokens_slice();
        let found = self.ranges.iter().map(|&(start, end)| &tokens[start as usize..end as usize]);
        let count: usize = self.ranges.iter().map(|&(start, end)| (end - start) as usize).sum();
        let set = if count * DENSE < words * 32 {
            let ids: Vec<TokenId> = found.flatten().copied().collect();
            TokenSet::new(&ids)
        } else {
            let mut row = vec![0; words];
            for id in found.flatten() {
                row[id.word()] |= id.bit();
            }
            TokenSet::from_words(&row)
        };
        if !self.handovers.is_sorted() {
            self.handovers.sort_unstable();
        }
        self.handovers.dedup();
        (set, self.handovers)
    }
}

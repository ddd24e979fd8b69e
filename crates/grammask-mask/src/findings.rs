//! What a walk over the trie has found: which tokens are allowed, and at which places the outside takes over.

use grammask_earley::{Error, Recognizer, SetId, Successors};
use grammask_trie::{BranchId, NodeId, Outline, TokenId, TokenSet, Trie, Vocabulary};
use smallvec::SmallVec;

use crate::places::Places;
use crate::walked::Distance;

/// Up to so many tokens are sorted; more go through a row of bits, which is faster then.
const FEW: usize = 256;

/// A trie with what is known about it: what a walk needs.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) trie: &'a Trie,
    pub(crate) outline: &'a Outline,
    /// Sets of up to this many places are lists.
    pub(crate) short: usize,
    /// All tokens of the trie, as a packed row.
    pub(crate) every: &'a [u32],
}

/// What a walk has found so far.
pub(crate) struct Findings<'a> {
    ground: Ground<'a>,
    /// Allowed tokens as ranges of the trie's token list, which is ordered as the nodes are.
    ranges: SmallVec<[(u32, u32); 8]>,
    /// The branches at which the one outermost origin is complete.
    handovers: Vec<BranchId>,
    /// Ranges of branches at which it is complete: at all of them; where it stands between two characters.
    everywhere: Vec<(u32, u32)>,
    between: Vec<(u32, u32)>,
    /// Further tokens, as a packed row; and further branches, one bit each. Empty where there are none.
    row: Vec<u32>,
    bits: Vec<u64>,
    /// How much was walked for it.
    pub(crate) distance: Distance,
}

impl<'a> Findings<'a> {
    pub(crate) fn new(ground: Ground<'a>) -> Self {
        Self {
            ground,
            ranges: SmallVec::new(),
            handovers: Vec::new(),
            everywhere: Vec::new(),
            between: Vec::new(),
            row: Vec::new(),
            bits: Vec::new(),
            distance: Distance::default(),
        }
    }

    /// The tokens that end at a node are allowed.
    #[inline]
    pub(crate) fn allow(&mut self, node: NodeId) {
        let starts = self.ground.trie.token_starts_slice();
        self.allow_range(starts[node.index()], starts[node.index() + 1]);
    }

    /// The tokens that end at some nodes are allowed.
    #[inline]
    pub(crate) fn allow_nodes(&mut self, start: u32, end: u32) {
        let starts = self.ground.trie.token_starts_slice();
        self.allow_range(starts[start as usize], starts[end as usize]);
    }

    /// The tokens of a range of the trie's list are allowed.
    #[inline]
    fn allow_range(&mut self, start: u32, end: u32) {
        match self.ranges.last_mut() {
            Some(last) if last.1 == start => last.1 = end,
            _ if start < end => self.ranges.push((start, end)),
            _ => {}
        }
    }

    /// The tokens of some ranges of the trie's list are allowed.
    pub(crate) fn allow_ranges(&mut self, ranges: &[(u32, u32)]) {
        self.ranges.extend_from_slice(ranges);
    }

    /// The tokens of a packed row are allowed. At most once.
    pub(crate) fn allow_row(&mut self, row: Vec<u32>) {
        self.row = row;
    }

    /// The outermost origin is complete at all branches whose bits are set. At most once.
    pub(crate) fn hand_over_all(&mut self, bits: Vec<u64>) {
        self.bits = bits;
    }

    /// The outermost origin is complete at a branch.
    #[inline]
    pub(crate) fn hand_over(&mut self, branch: BranchId) {
        self.handovers.push(branch);
    }

    /// The outermost origin is complete at those of some nodes that are branches.
    #[inline]
    pub(crate) fn hand_over_nodes(&mut self, start: u32, end: u32) {
        self.handovers.extend(self.ground.outline.branches(start..end).map(BranchId));
    }

    /// Where `completes`, the outermost origin is complete at all branches below a node, or at those between two characters.
    pub(crate) fn complete_below(&mut self, node: NodeId, completes: bool, everywhere: bool) {
        let branches = self.ground.outline.branches(node.0 + 1..self.ground.trie.end(node).0);
        if completes && !branches.is_empty() {
            let ranges = if everywhere { &mut self.everywhere } else { &mut self.between };
            match ranges.last_mut() {
                Some(last) if last.1 == branches.start => last.1 = branches.end,
                _ => ranges.push((branches.start, branches.end)),
            }
        }
    }

    /// A set has been reached at a node: its tokens are allowed, and what is complete is handed over.
    #[inline]
    pub(crate) fn reach(&mut self, set: SetId, node: NodeId) {
        self.allow(node);
        if set.completes()
            && let Some(branch) = self.ground.outline.branch(node)
        {
            self.handovers.push(branch);
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
        roots: impl IntoIterator<Item = NodeId>,
    ) -> Result<(), Error> {
        let (bytes, ends) = (self.ground.trie.bytes_slice(), self.ground.trie.ends_slice());
        let start = recognizer.successors(set)?;
        let mut path: SmallVec<[(u32, Successors<'_>); 8]> = SmallVec::new();
        let mut nodes = 0;
        for root in roots {
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
                nodes += 1;
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
        self.distance.walks += 1;
        self.distance.nodes += nodes;
        Ok(())
    }

    /// The branches at which the outermost origin has been complete; they are not told again.
    pub(crate) fn take_handovers(&mut self) -> Vec<BranchId> {
        std::mem::take(&mut self.handovers)
    }

    /// The allowed tokens as ranges of the trie's list.
    pub(crate) fn into_ranges(self) -> Box<[(u32, u32)]> {
        self.ranges[..].into()
    }

    /// The allowed tokens, and where the outside takes over, if anywhere.
    pub(crate) fn finish(mut self) -> (TokenSet, Option<Places>) {
        let single = std::mem::take(&mut self.handovers);
        let bits = std::mem::take(&mut self.bits);
        let places = Places::gather(
            self.ground.outline,
            self.ground.short,
            bits,
            single,
            &self.everywhere,
            &self.between,
        );
        (self.tokens(), places)
    }

    fn tokens(mut self) -> TokenSet {
        let tokens = self.ground.trie.tokens_slice();
        let words = self.ground.vocabulary.mask_words();
        if !self.row.is_empty() {
            let mut row = self.row;
            for &(start, end) in &self.ranges {
                for id in &tokens[start as usize..end as usize] {
                    row[id.word()] |= id.bit();
                }
            }
            return TokenSet::from_words(&row);
        }
        let count: usize = self.ranges.iter().map(|&(start, end)| (end - start) as usize).sum();
        if count <= FEW {
            let mut found: SmallVec<[TokenId; 32]> = SmallVec::with_capacity(count);
            for &(start, end) in &self.ranges {
                found.extend_from_slice(&tokens[start as usize..end as usize]);
            }
            // In place; the set would sort a copy.
            found.sort_unstable();
            return TokenSet::new(&found);
        }
        if count * 2 < tokens.len() {
            let mut row = vec![0; words];
            for &(start, end) in &self.ranges {
                for id in &tokens[start as usize..end as usize] {
                    row[id.word()] |= id.bit();
                }
            }
            return TokenSet::from_words(&row);
        }
        // Taking away what is missing is less work.
        if !self.ranges.is_sorted() {
            self.ranges.sort_unstable();
        }
        let mut row = self.ground.every.to_vec();
        let mut covered = 0;
        for &(start, end) in self.ranges.iter().chain([&(tokens.len() as u32, tokens.len() as u32)]) {
            for id in tokens.get(covered as usize..start as usize).unwrap_or_default() {
                row[id.word()] &= !id.bit();
            }
            covered = covered.max(end);
        }
        TokenSet::from_words(&row)
    }
}

//! The output of a walk over the trie: the accepted tokens, and the trie nodes at which the walked rule or
//! lexeme is
//! complete (its exits).

use std::ops::BitOrAssign;
use std::sync::Arc;

use grammask_earley::{Error, Recognizer, SetId, Successors};
use grammask_trie::index::{Child, InnerId, TrieIndex};
use grammask_trie::{TokenId, TokenSet, Trie, TrieNodeId, Vocabulary, clone_row};
use smallvec::SmallVec;

use crate::masks::stats::WalkCost;
use crate::node_set::continuation::Continuation;
use crate::node_set::{BitRow, NodeSet};

/// Words of a row for each token of a list: more tokens are stored as a row.
const WORDS_PER_LISTED_TOKEN: usize = 4;

/// A trie with what is known about it: what a walk needs.
#[derive(Clone, Copy)]
pub(crate) struct TrieContext<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) trie: &'a Trie,
    pub(crate) outline: &'a TrieIndex,
    /// Sets of up to this many trie nodes are lists.
    pub(crate) short: usize,
    /// All tokens of the trie, as a packed row.
    pub(crate) every: &'a [u32],
}

impl TrieContext<'_> {
    /// So many tokens are better a row.
    pub(crate) fn many(&self) -> usize {
        self.vocabulary.mask_words() / WORDS_PER_LISTED_TOKEN
    }
}

/// What is asked of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// The tokens alone: nobody goes on behind.
    Tokens,
    /// Also where the outside takes over.
    TokensAndExits,
}

/// Allowed tokens.
pub(crate) enum OutputTokens {
    Set(TokenSet),
    /// As a packed row.
    Row(Vec<u32>),
}

/// What a walk has found so far.
pub(crate) struct WalkOutput<'a> {
    context: TrieContext<'a>,
    want: Want,
    /// Allowed tokens as ranges of the trie's token list, which is ordered as the nodes are; and the last
    /// range, which may grow.
    ranges: Vec<(u32, u32)>,
    last: (u32, u32),
    /// The branches at which the one outermost origin is complete.
    exits: Vec<InnerId>,
    /// Ranges of branches at which it is complete: at all of them; where it stands between two characters.
    everywhere: Vec<(u32, u32)>,
    between: Vec<(u32, u32)>,
    /// Further tokens, as a packed row; and further branches, one bit each. Empty, or none, where there are
    /// none.
    row: Vec<u32>,
    bits: Option<BitRow>,
    /// How much was walked for it.
    pub(crate) cost: WalkCost,
}

/// The lists of output that are done with, empty: those of the next ones grow to about the same lengths.
#[derive(Default)]
pub(crate) struct OutputBuffers {
    ranges: Vec<(u32, u32)>,
    exits: Vec<InnerId>,
}

impl OutputBuffers {
    /// How much they can hold without more memory.
    pub(crate) fn capacity(&self) -> usize {
        self.ranges.capacity() + self.exits.capacity()
    }
}

/// Number of nodes from which on the children by a byte are looked up for the whole set.
const MIN_NODES_BY_BYTE: usize = 4;

/// Number of children up to which a set steps to each by itself, without finding all bytes that it scans.
const MAX_CHILDREN_ASKED_SINGLY: usize = 3;

/// A branch on the way of a walk, and where the set there goes on.
struct Frame<'a> {
    successors: Successors<'a>,
    /// The children that are still to be walked.
    children: &'a [Child],
}

impl<'a> Frame<'a> {
    #[inline]
    fn new(
        outline: &'a TrieIndex,
        recognizer: &'a Recognizer,
        branch: InnerId,
        set: SetId,
    ) -> Result<Self, Error> {
        let children = outline.children(branch);
        let successors = match children.len() <= MAX_CHILDREN_ASKED_SINGLY {
            true => recognizer.inspect().successors_lazy(set),
            false => recognizer.inspect().successors(set)?,
        };
        Ok(Self { successors, children })
    }

    /// The next child by a byte that the set may take.
    #[inline]
    fn next(&mut self) -> Option<&'a Child> {
        while let [child, others @ ..] = self.children {
            self.children = others;
            if self.successors.may_take(child.byte) {
                return Some(child);
            }
        }
        None
    }
}

impl<'a> WalkOutput<'a> {
    pub(crate) fn new(context: TrieContext<'a>) -> Self {
        Self::with_want(Want::TokensAndExits, context)
    }

    /// The same with lists that have been used.
    pub(crate) fn with(OutputBuffers { ranges, exits }: OutputBuffers, context: TrieContext<'a>) -> Self {
        Self { ranges, exits, ..Self::new(context) }
    }

    /// Where only tokens are asked for, trie nodes may be told or not.
    pub(crate) fn with_want(want: Want, context: TrieContext<'a>) -> Self {
        Self {
            context,
            want,
            ranges: Vec::new(),
            last: (0, 0),
            exits: Vec::new(),
            everywhere: Vec::new(),
            between: Vec::new(),
            row: Vec::new(),
            bits: None,
            cost: WalkCost::default(),
        }
    }

    /// What is asked for.
    pub(crate) const fn want(&self) -> Want {
        self.want
    }

    /// Whether it is asked where the outside takes over.
    pub(crate) fn wants_exits(&self) -> bool {
        self.want == Want::TokensAndExits
    }

    /// The tokens that end at a node are allowed.
    #[inline]
    pub(crate) fn allow(&mut self, node: TrieNodeId) {
        let starts = self.context.trie.columns().token_starts;
        self.allow_range(starts[node.index()], starts[node.index() + 1]);
    }

    /// The tokens that end at some nodes are allowed.
    #[inline]
    pub(crate) fn allow_nodes(&mut self, start: u32, end: u32) {
        let starts = self.context.trie.columns().token_starts;
        self.allow_range(starts[start as usize], starts[end as usize]);
    }

    /// The tokens that end at a child are allowed.
    #[inline]
    pub(crate) fn allow_child(&mut self, child: &Child) {
        let tokens = child.tokens();
        self.allow_range(tokens.start, tokens.end);
    }

    /// The tokens of a range of the trie's list are allowed.
    #[inline]
    fn allow_range(&mut self, start: u32, end: u32) {
        if self.last.1 == start {
            self.last.1 = end;
        } else if start < end {
            self.close_range();
            self.last = (start, end);
        }
    }

    /// The last range does not grow any more.
    fn close_range(&mut self) {
        if self.last.0 < self.last.1 {
            self.ranges.push(self.last);
        }
        self.last = (0, 0);
    }

    /// The tokens of some ranges of the trie's list are allowed.
    pub(crate) fn allow_ranges(&mut self, ranges: &[(u32, u32)]) {
        self.ranges.extend_from_slice(ranges);
    }

    /// The tokens of a packed row are allowed.
    pub(crate) fn allow_row(&mut self, row: Vec<u32>) {
        if self.row.is_empty() {
            self.row = row;
        } else {
            unite(&mut self.row, &row);
        }
    }

    /// The outermost origin is complete at all branches whose bits are set.
    pub(crate) fn exit_at_all(&mut self, bits: &BitRow) {
        if self.wants_exits() {
            match &mut self.bits {
                Some(own) => unite(&mut Arc::make_mut(own)[..], bits),
                none => *none = Some(Arc::clone(bits)),
            }
        }
    }

    /// The outermost origin is complete at a branch.
    #[inline]
    pub(crate) fn exit_at(&mut self, branch: InnerId) {
        if self.wants_exits() {
            self.exits.push(branch);
        }
    }

    /// The outermost origin is complete at those of some nodes that are branches.
    #[inline]
    pub(crate) fn exit_at_nodes(&mut self, start: u32, end: u32) {
        if self.wants_exits() {
            self.exits.extend(self.context.outline.inner_range(start..end).map(InnerId));
        }
    }

    /// Where `completes`, the outermost origin is complete at all branches below a node, or at those between
    /// two characters.
    pub(crate) fn complete_below(&mut self, node: TrieNodeId, completes: bool, everywhere: bool) {
        let branches = self.context.outline.inner_range(node.0 + 1..self.context.trie.end(node).0);
        if completes && self.wants_exits() && !branches.is_empty() {
            let ranges = if everywhere { &mut self.everywhere } else { &mut self.between };
            match ranges.last_mut() {
                Some(last) if last.1 == branches.start => last.1 = branches.end,
                _ => ranges.push((branches.start, branches.end)),
            }
        }
    }

    /// A set has been reached at a node: its tokens are allowed, and what is complete is handed over.
    #[inline]
    pub(crate) fn reach(&mut self, set: SetId, node: TrieNodeId) {
        self.allow(node);
        self.complete(set, self.context.outline.inner(node));
    }

    /// A set has been reached: where it is complete, it is handed over.
    #[inline]
    fn complete(&mut self, set: SetId, branch: Option<InnerId>) {
        if set.completes() {
            self.exits.extend(branch);
        }
    }

    /// Walks everything below some trie nodes, starting in `set` at each of them. Gives how many bytes it
    /// took to know their children, if nobody has asked
    /// before.
    ///
    /// # Errors
    /// When a set exceeds a limit.
    pub(crate) fn walk_below(
        &mut self,
        recognizer: &Recognizer,
        set: SetId,
        continuation: &Continuation,
    ) -> Result<usize, Error> {
        let outline = self.context.outline;
        let places = continuation.set();
        let (groups, fresh) = match places {
            NodeSet::List(list) if list.len() >= MIN_NODES_BY_BYTE => {
                let (children, fresh) = continuation.all_children(outline);
                (children.groups(), fresh)
            }
            _ => (None, 0),
        };
        let Some(groups) = groups else {
            self.walk(recognizer, set, places.iter())?;
            return Ok(fresh);
        };
        let successors = recognizer.inspect().successors(set)?;
        let mut nodes = 0;
        for (byte, children) in groups.iter().filter(|&(byte, _)| successors.may_take(byte)) {
            let next = successors.step(byte)?;
            nodes += children.len() as u64;
            if next.is_dead() {
                continue;
            }
            children.iter().for_each(|&child| self.reach(next, child));
            if next.goes_on() {
                let below = children.iter().filter_map(|&child| outline.inner(child));
                nodes += self.walk_from(recognizer, next, below)?;
            }
        }
        self.cost.walks += 1;
        self.cost.nodes += nodes;
        Ok(fresh)
    }

    /// The same, from each place by itself.
    ///
    /// # Errors
    /// When a set exceeds a limit.
    pub(crate) fn walk(
        &mut self,
        recognizer: &Recognizer,
        set: SetId,
        places: impl IntoIterator<Item = InnerId>,
    ) -> Result<(), Error> {
        self.cost.walks += 1;
        self.cost.nodes += self.walk_from(recognizer, set, places)?;
        Ok(())
    }

    /// Gives how many nodes it has looked at.
    fn walk_from(
        &mut self,
        recognizer: &Recognizer,
        set: SetId,
        places: impl IntoIterator<Item = InnerId>,
    ) -> Result<u64, Error> {
        let outline = self.context.outline;
        // Branches of which some children are still to be walked, above the one that is.
        let mut path: SmallVec<[Frame<'_>; 8]> = SmallVec::new();
        let mut nodes = 0;
        for branch in places {
            let mut frame = Frame::new(outline, recognizer, branch, set)?;
            loop {
                let Some(child) = frame.next() else {
                    let Some(above) = path.pop() else { break };
                    frame = above;
                    continue;
                };
                nodes += 1;
                let next = frame.successors.step(child.byte)?;
                if next.is_dead() {
                    continue;
                }
                self.allow_child(child);
                let Some(branch) = child.inner() else { continue };
                self.complete(next, Some(branch));
                if next.goes_on() {
                    let above = std::mem::replace(&mut frame, Frame::new(outline, recognizer, branch, next)?);
                    if !above.children.is_empty() {
                        path.push(above);
                    }
                }
            }
        }
        Ok(nodes)
    }

    /// Appends the branches at which the outermost origin has been complete; they are not told again.
    pub(crate) fn take_exits(&mut self, to: &mut Vec<InnerId>) {
        to.append(&mut self.exits);
    }

    /// The allowed tokens as ranges of the trie's list.
    pub(crate) fn into_ranges(mut self) -> Box<[(u32, u32)]> {
        self.close_range();
        self.ranges.into()
    }

    /// The allowed tokens, and where the outside takes over, if anywhere.
    pub(crate) fn finish(mut self) -> (TokenSet, Option<NodeSet>) {
        let places = self.exits();
        let tokens = match self.tokens() {
            OutputTokens::Set(tokens) => tokens,
            OutputTokens::Row(row) => TokenSet::from_row(row),
        };
        (tokens, places)
    }

    /// The same; the tokens as a row, where they were found as one.
    pub(crate) fn finish_as_found(mut self) -> (OutputTokens, Option<NodeSet>) {
        let places = self.exits();
        (self.tokens(), places)
    }

    /// The allowed tokens, where exits are kept apart: up to so many as they come, perhaps some of them
    /// twice; more as a set. And the lists, for the next
    /// output.
    pub(crate) fn finish_loose(mut self, most: usize) -> (Result<Box<[TokenId]>, TokenSet>, OutputBuffers) {
        debug_assert!(self.exits().is_none(), "exits are kept apart");
        self.close_range();
        if !self.row.is_empty() || self.count() > most {
            return (Err(self.finish().0), OutputBuffers::default());
        }
        let tokens = self.listed().into();
        let Self { mut ranges, mut exits, .. } = self;
        ranges.clear();
        exits.clear();
        (Ok(tokens), OutputBuffers { ranges, exits })
    }

    fn exits(&mut self) -> Option<NodeSet> {
        if !self.wants_exits() {
            return None;
        }
        let TrieContext { outline, short, .. } = self.context;
        let (bits, single) = (std::mem::take(&mut self.bits), std::mem::take(&mut self.exits));
        NodeSet::gather(outline, short, bits, single, &self.everywhere, &self.between)
    }

    /// How many tokens are in the ranges.
    fn count(&self) -> usize {
        self.ranges.iter().map(|&(start, end)| (end - start) as usize).sum()
    }

    /// The tokens in the ranges, as they come.
    fn listed(&self) -> Vec<TokenId> {
        let tokens = self.context.trie.columns().tokens;
        let mut found = Vec::with_capacity(self.count());
        for &(start, end) in &self.ranges {
            // Mostly a single one, which is written faster than it is copied.
            match tokens[start as usize..end as usize] {
                [id] => found.push(id),
                ref ids => found.extend_from_slice(ids),
            }
        }
        found
    }

    fn tokens(mut self) -> OutputTokens {
        self.close_range();
        let tokens = self.context.trie.columns().tokens;
        let words = self.context.vocabulary.mask_words();
        if !self.row.is_empty() {
            let mut row = self.row;
            for &(start, end) in &self.ranges {
                for id in &tokens[start as usize..end as usize] {
                    row[id.word()] |= id.bit();
                }
            }
            return OutputTokens::Row(row);
        }
        let count = self.count();
        if count <= self.context.many() {
            return OutputTokens::Set(TokenSet::from_unsorted(&mut self.listed()));
        }
        if count * 2 < tokens.len() {
            let mut row = vec![0; words];
            for &(start, end) in &self.ranges {
                for id in &tokens[start as usize..end as usize] {
                    row[id.word()] |= id.bit();
                }
            }
            return OutputTokens::Row(row);
        }
        // Total away what is missing is less work.
        if !self.ranges.is_sorted() {
            self.ranges.sort_unstable();
        }
        let mut row = clone_row(self.context.every);
        let mut covered = 0;
        for &(start, end) in self.ranges.iter().chain([&(tokens.len() as u32, tokens.len() as u32)]) {
            for id in tokens.get(covered as usize..start as usize).unwrap_or_default() {
                row[id.word()] &= !id.bit();
            }
            covered = covered.max(end);
        }
        OutputTokens::Row(row)
    }
}

/// Sets the bits of another row besides.
fn unite<T: Copy + BitOrAssign>(row: &mut [T], more: &[T]) {
    debug_assert_eq!(row.len(), more.len(), "rows of one vocabulary");
    row.iter_mut().zip(more).for_each(|(word, &more)| *word |= more);
}

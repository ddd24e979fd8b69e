//! The output of a walk over the trie: the accepted tokens, and the trie nodes at which the walked rule or
//! lexeme is complete (its exits).

use grammask_work::{charge, count, narrow};
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

/// Work of one step of a state along the trie.
const UNITS_PER_STATE_STEP: u64 = 4;
/// Trie nodes, or tokens, that are handled as bits by one unit of work.
pub(crate) const NODES_PER_UNIT: usize = 256;

/// A trie with its index and the constants that a walk needs.
#[derive(Clone, Copy)]
pub(crate) struct TrieContext<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) trie: &'a Trie,
    pub(crate) trie_index: &'a TrieIndex,
    /// Maximum number of trie nodes of a set that is a list.
    pub(crate) max_listed_nodes: usize,
    /// All tokens of the trie, as a packed row.
    pub(crate) every: &'a [u32],
}

impl TrieContext<'_> {
    /// Returns the number of tokens beyond which a row is smaller than a list.
    pub(crate) fn many(&self) -> usize {
        self.vocabulary.mask_words() / WORDS_PER_LISTED_TOKEN
    }
}

/// Output that is requested from a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Tokens only: nothing continues at the exits.
    Tokens,
    /// Tokens and exits.
    TokensAndExits,
}

/// Allowed tokens.
pub(crate) enum OutputTokens {
    Set(TokenSet),
    /// As a packed row.
    Row(Vec<u32>),
}

/// The output of a walk so far.
pub(crate) struct WalkOutput<'a> {
    context: TrieContext<'a>,
    want: Want,
    /// Allowed tokens as ranges of the trie's token list, which is in the order of the nodes. `last` is the
    /// last range, which may still grow.
    ranges: Vec<(u32, u32)>,
    last: (u32, u32),
    /// Inner nodes at which the outermost origin is complete.
    exits: Vec<InnerId>,
    /// Ranges of inner nodes at which it is complete: at all of them, or (`between`) at those between two
    /// characters.
    everywhere: Vec<(u32, u32)>,
    between: Vec<(u32, u32)>,
    /// Further tokens as a packed row, and further exits, one bit each. Empty, or `None`, if there are none.
    row: Vec<u32>,
    bits: Option<BitRow>,
    /// Cost of the walk.
    pub(crate) cost: WalkCost,
}

/// Empty buffers of earlier outputs. Later outputs grow to about the same lengths.
#[derive(Default)]
pub(crate) struct OutputBuffers {
    ranges: Vec<(u32, u32)>,
    exits: Vec<InnerId>,
}

impl OutputBuffers {
    /// Returns the total capacity of the buffers, in elements.
    pub(crate) fn capacity(&self) -> usize {
        self.ranges.capacity() + self.exits.capacity()
    }
}

/// Minimum number of nodes of a set for which the children by a byte are looked up for the whole set.
const MIN_NODES_BY_BYTE: usize = 4;

/// Number of children up to which a set steps to each child, instead of finding all bytes that it scans.
const MAX_CHILDREN_ASKED_SINGLY: usize = 3;

/// An inner node on the path of a walk, with the successors of the set there.
struct Frame<'a> {
    successors: Successors<'a>,
    /// Children that are still to be walked.
    children: &'a [Child],
}

impl<'a> Frame<'a> {
    #[inline]
    fn new(
        trie_index: &'a TrieIndex,
        recognizer: &'a Recognizer,
        inner: InnerId,
        set: SetId,
    ) -> Result<Self, Error> {
        let children = trie_index.children(inner);
        let successors = if children.len() <= MAX_CHILDREN_ASKED_SINGLY {
            recognizer.inspect().successors_lazy(set)
        } else {
            recognizer.inspect().successors(set)?
        };
        Ok(Self { successors, children })
    }

    /// Returns the next child by a byte that the set may scan.
    #[inline]
    fn next(&mut self) -> Option<&'a Child> {
        while let [child, rest @ ..] = self.children {
            self.children = rest;
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

    /// As [`new`](Self::new), with the buffers of an earlier output.
    pub(crate) fn with_buffers(
        OutputBuffers { ranges, exits }: OutputBuffers,
        context: TrieContext<'a>,
    ) -> Self {
        Self { ranges, exits, ..Self::new(context) }
    }

    /// Creates an output for a request. If only tokens are requested, exits may be reported or not.
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

    /// Returns the request.
    pub(crate) const fn want(&self) -> Want {
        self.want
    }

    /// Returns `true` if exits are requested.
    pub(crate) fn wants_exits(&self) -> bool {
        self.want == Want::TokensAndExits
    }

    /// Allows the tokens that end at a node.
    #[inline]
    pub(crate) fn allow(&mut self, node: TrieNodeId) {
        let tokens = self.context.trie.columns().token_range(node.index());
        self.allow_range(tokens.start, tokens.end);
    }

    /// Allows the tokens that end at a range of nodes.
    #[inline]
    pub(crate) fn allow_nodes(&mut self, start: u32, end: u32) {
        let columns = self.context.trie.columns();
        self.allow_range(columns.token_start(start as usize), columns.token_start(end as usize));
    }

    /// Allows the tokens that end at a child.
    #[inline]
    pub(crate) fn allow_child(&mut self, child: &Child) {
        let tokens = child.tokens();
        self.allow_range(tokens.start, tokens.end);
    }

    /// Allows the tokens of a range of the trie's list.
    #[inline]
    fn allow_range(&mut self, start: u32, end: u32) {
        if self.last.1 == start {
            self.last.1 = end;
        } else if start < end {
            self.close_range();
            self.last = (start, end);
        }
    }

    /// Ends the last range.
    fn close_range(&mut self) {
        if self.last.0 < self.last.1 {
            self.ranges.push(self.last);
        }
        self.last = (0, 0);
    }

    /// Allows the tokens of some ranges of the trie's list.
    pub(crate) fn allow_ranges(&mut self, ranges: &[(u32, u32)]) {
        self.ranges.extend_from_slice(ranges);
    }

    /// Allows the tokens of a packed row.
    pub(crate) fn allow_row(&mut self, row: Vec<u32>) {
        if self.row.is_empty() {
            self.row = row;
        } else {
            unite(&mut self.row, &row);
        }
    }

    /// Adds all inner nodes whose bits are set as exits.
    pub(crate) fn exit_at_all(&mut self, bits: &BitRow) {
        if self.wants_exits() {
            match &mut self.bits {
                Some(own) => unite(&mut Arc::make_mut(own)[..], bits),
                none => *none = Some(Arc::clone(bits)),
            }
        }
    }

    /// Adds an inner node as an exit.
    #[inline]
    pub(crate) fn exit_at(&mut self, inner: InnerId) {
        if self.wants_exits() {
            self.exits.push(inner);
        }
    }

    /// Adds the inner nodes of a range of nodes as exits.
    #[inline]
    pub(crate) fn exit_at_nodes(&mut self, start: u32, end: u32) {
        if self.wants_exits() {
            self.exits.extend(self.context.trie_index.inner_range(start..end).map(InnerId));
        }
    }

    /// If `completes`, adds exits below a node: all inner nodes if `everywhere`, else those between two
    /// characters.
    pub(crate) fn complete_below(&mut self, node: TrieNodeId, completes: bool, everywhere: bool) {
        let inner_nodes = self.context.trie_index.inner_range(node.0 + 1..self.context.trie.end(node).0);
        if completes && self.wants_exits() && !inner_nodes.is_empty() {
            let ranges = if everywhere { &mut self.everywhere } else { &mut self.between };
            match ranges.last_mut() {
                Some(last) if last.1 == inner_nodes.start => last.1 = inner_nodes.end,
                _ => ranges.push((inner_nodes.start, inner_nodes.end)),
            }
        }
    }

    /// Enters a set at a node: allows the node's tokens, and adds the node as an exit if the set is complete.
    #[inline]
    pub(crate) fn reach(&mut self, set: SetId, node: TrieNodeId) {
        self.allow(node);
        self.complete(set, self.context.trie_index.inner(node));
    }

    /// Adds an inner node as an exit if the set is complete.
    #[inline]
    fn complete(&mut self, set: SetId, inner: Option<InnerId>) {
        if set.completes() {
            self.exits.extend(inner);
        }
    }

    /// Walks everything below some trie nodes, starting in `set` at each of them. Returns the bytes of memory
    /// that their children newly take.
    ///
    /// # Errors
    /// Returns an error if a set exceeds a limit.
    pub(crate) fn walk_below(
        &mut self,
        recognizer: &Recognizer,
        set: SetId,
        continuation: &Continuation,
    ) -> Result<usize, Error> {
        let trie_index = self.context.trie_index;
        let node_set = continuation.set();
        let (groups, fresh) = match node_set {
            NodeSet::List(list) if list.len() >= MIN_NODES_BY_BYTE => {
                let (children, fresh) = continuation.all_children(trie_index);
                (children.groups(), fresh)
            }
            _ => (None, 0),
        };
        let Some(groups) = groups else {
            self.walk(recognizer, set, node_set.iter())?;
            return Ok(fresh);
        };
        let successors = recognizer.inspect().successors(set)?;
        let mut nodes = 0;
        for (byte, children) in groups.iter().filter(|&(byte, _)| successors.may_take(byte)) {
            let next = successors.step(byte)?;
            nodes += children.len() as u64;
            charge(UNITS_PER_STATE_STEP + children.len() as u64)?;
            if next.is_dead() {
                continue;
            }
            children.iter().for_each(|&child| self.reach(next, child));
            if next.goes_on() {
                let below = children.iter().filter_map(|&child| trie_index.inner(child));
                nodes += self.walk_from(recognizer, next, below)?;
            }
        }
        self.cost.walks += 1;
        self.cost.nodes += nodes;
        Ok(fresh)
    }

    /// Walks everything below one trie node, starting in `set`.
    ///
    /// # Errors
    /// Returns an error if a set exceeds a limit.
    pub(crate) fn walk(
        &mut self,
        recognizer: &Recognizer,
        set: SetId,
        node_set: impl IntoIterator<Item = InnerId>,
    ) -> Result<(), Error> {
        self.cost.walks += 1;
        self.cost.nodes += self.walk_from(recognizer, set, node_set)?;
        Ok(())
    }

    /// Returns the number of visited nodes.
    fn walk_from(
        &mut self,
        recognizer: &Recognizer,
        set: SetId,
        node_set: impl IntoIterator<Item = InnerId>,
    ) -> Result<u64, Error> {
        let trie_index = self.context.trie_index;
        // Inner nodes above the current one that have children still to be walked.
        let mut path: SmallVec<[Frame<'_>; 8]> = SmallVec::new();
        let mut nodes = 0;
        for inner in node_set {
            let mut frame = Frame::new(trie_index, recognizer, inner, set)?;
            loop {
                let Some(child) = frame.next() else {
                    let Some(above) = path.pop() else { break };
                    frame = above;
                    continue;
                };
                nodes += 1;
                charge(UNITS_PER_STATE_STEP)?;
                let next = frame.successors.step(child.byte)?;
                if next.is_dead() {
                    continue;
                }
                self.allow_child(child);
                let Some(inner) = child.inner() else { continue };
                self.complete(next, Some(inner));
                if next.goes_on() {
                    let above =
                        std::mem::replace(&mut frame, Frame::new(trie_index, recognizer, inner, next)?);
                    if !above.children.is_empty() {
                        path.push(above);
                    }
                }
            }
        }
        Ok(nodes)
    }

    /// Moves the exits to a list.
    pub(crate) fn take_exits(&mut self, to: &mut Vec<InnerId>) {
        to.append(&mut self.exits);
    }

    /// Returns the allowed tokens as ranges of the trie's list.
    pub(crate) fn into_ranges(mut self) -> Box<[(u32, u32)]> {
        self.close_range();
        self.ranges.into()
    }

    /// Returns the allowed tokens, and the exits if there are any.
    pub(crate) fn finish(mut self) -> (TokenSet, Option<NodeSet>) {
        let node_set = self.exits();
        let tokens = match self.tokens() {
            OutputTokens::Set(tokens) => tokens,
            OutputTokens::Row(row) => TokenSet::from_row(row),
        };
        (tokens, node_set)
    }

    /// As [`finish`](Self::finish), with the tokens as a row if they were collected as one.
    pub(crate) fn finish_as_found(mut self) -> (OutputTokens, Option<NodeSet>) {
        let node_set = self.exits();
        (self.tokens(), node_set)
    }

    /// Returns the allowed tokens and the empty buffers; the exits must have been taken. At most `most`
    /// tokens are a list, in any order and possibly repeated; more are a set.
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

    /// Takes the exits as one set. Returns `None` if there are none, or if only tokens are requested.
    fn exits(&mut self) -> Option<NodeSet> {
        count(self.exits.len() as u64);
        if self.bits.is_some() || !self.everywhere.is_empty() || !self.between.is_empty() {
            count((self.context.trie_index.len() / NODES_PER_UNIT) as u64);
        }
        if !self.wants_exits() {
            return None;
        }
        let TrieContext { trie_index, max_listed_nodes, .. } = self.context;
        let (bits, single) = (std::mem::take(&mut self.bits), std::mem::take(&mut self.exits));
        NodeSet::gather(trie_index, max_listed_nodes, bits, single, &self.everywhere, &self.between)
    }

    /// Returns the number of tokens in the ranges.
    fn count(&self) -> usize {
        self.ranges.iter().map(|&(start, end)| (end - start) as usize).sum()
    }

    /// Returns the tokens in the ranges, in their order.
    fn listed(&self) -> Vec<TokenId> {
        let tokens = self.context.trie.columns().tokens;
        let mut found = Vec::with_capacity(self.count());
        for &(start, end) in &self.ranges {
            // Mostly a single token, which is pushed faster than copied.
            match tokens[start as usize..end as usize] {
                [id] => found.push(id),
                ref ids => found.extend_from_slice(ids),
            }
        }
        found
    }

    /// Returns the allowed tokens: as a set if they are few, and otherwise as a row. A row is made by setting
    /// bits, or by clearing those of the other tokens, whichever is less work.
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
        // Most tokens are allowed, so clearing the others is less work.
        if !self.ranges.is_sorted() {
            self.ranges.sort_unstable();
        }
        let mut row = clone_row(self.context.every);
        let mut covered = 0;
        let all = narrow(tokens.len());
        for &(start, end) in self.ranges.iter().chain([&(all, all)]) {
            for id in tokens.get(covered as usize..start as usize).unwrap_or_default() {
                row[id.word()] &= !id.bit();
            }
            covered = covered.max(end);
        }
        OutputTokens::Row(row)
    }
}

/// Adds the bits of another row.
fn unite<T: Copy + BitOrAssign>(row: &mut [T], more: &[T]) {
    debug_assert_eq!(row.len(), more.len(), "rows of one vocabulary");
    row.iter_mut().zip(more).for_each(|(word, &more)| *word |= more);
}

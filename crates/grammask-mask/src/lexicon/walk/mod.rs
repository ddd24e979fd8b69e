//! Walks the trie with a lexeme, from each node of a set.

use grammask_regular::{ByteSet, Error};
use grammask_trie::index::{Child, InnerId, TrieIndex};
use grammask_trie::{Trie, TrieNodeId};
use grammask_work::{charge, narrow};

use crate::lexicon::automaton::{Automaton, LexemeId, State};
use crate::lexicon::search::{self, NodeQuery, SELF_LOOP_POSITION};
use crate::lexicon::slice::nodes_below;
use crate::lexicon::walk::output::WalkOutput;
use crate::lexicon::walk::self_loop::{NonAscii, SelfLoop};
use crate::lexicon::{Lexicon, LexiconConfig};
use crate::masks::stats::WalkCost;
use crate::node_set::continuation::Continuation;
use crate::node_set::{NodeSet, over_range};

pub(crate) mod output;
pub(crate) mod self_loop;
mod simulation;

/// A lexeme that goes on by less than this share (1/8) of the edges is walked from those edges.
const MIN_EDGE_RATIO: usize = 8;

/// Minimum number of nodes of a set for which the children by a few bytes are looked up for the whole set.
pub(crate) const MIN_NODES_BY_BYTE: usize = 4;

/// Minimum number of nodes of a subtree whose children by a few bytes are looked up instead of scanned.
const MIN_NODES_FOR_BYTE_SEARCH: u32 = 64;

/// Depth in the trie, in bytes, below which no slices are used: the numbers of characters must fit.
const MAX_BASE_DEPTH: usize = 64;

/// Pairs of states that one search for an inclusion visits; beyond it, the answer is no.
const MAX_PAIRS_PER_INCLUSION: usize = 24;

/// Pairs of states that all inclusions of a walk visit together. A counter has a pair for each number.
const MAX_PAIRS_PER_WALK: usize = 4096;

/// Returns the live bytes of a lexeme if the trie has few edges with these bytes. For large sets of nodes.
pub(crate) fn live_bytes_of_few_edges(lexicon: &Lexicon, lexeme: LexemeId) -> Result<Option<ByteSet>, Error> {
    let live = lexicon.automaton.live_bytes(lexeme)?;
    let edges: usize = live.iter().map(|byte| lexicon.trie_index().edges(byte).len()).sum();
    Ok((edges * MIN_EDGE_RATIO < lexicon.trie().len()).then_some(live))
}

/// Adds the tokens that the lexeme of a walk accepts below all nodes of a set, if it continues by the bytes
/// `live` only.
pub(crate) fn below_bytes(
    walk: &mut Walk<'_>,
    continuation: &Continuation,
    live: &ByteSet,
    output: &mut WalkOutput<'_>,
) -> Result<(), Error> {
    let lexicon = walk.lexicon;
    for byte in live.iter() {
        let next = lexicon.automaton.step(walk.lexeme, byte)?;
        let (children, fresh) = continuation.children(lexicon.trie_index(), byte);
        lexicon.spend(fresh);
        for &child in children {
            walk.enter(child, next, output)?;
        }
    }
    Ok(())
}

/// Adds the tokens that the lexeme of a walk accepts below all nodes of a set; by slices below bases if
/// `by_slices`.
pub(crate) fn below(
    walk: &mut Walk<'_>,
    continuation: &Continuation,
    by_slices: bool,
    output: &mut WalkOutput<'_>,
) -> Result<(), Error> {
    let (lexicon, lexeme) = (walk.lexicon, walk.lexeme);
    if !lexeme.goes_on() {
        return Ok(());
    }
    let trie_index = lexicon.trie_index();
    let node_set = continuation.set();
    if let NodeSet::Bits(bits) = node_set {
        // In the order of the trie. A node is skipped if the walk from an earlier node has covered it.
        walk.remaining = Some(bits[..].into());
    }
    let mut taken = Vec::new();
    for &base in lexicon.bases.iter().filter(|_| by_slices) {
        let is_root = node_set.contains(base);
        if !is_root && !walk.has_remaining() {
            continue;
        }
        let query = NodeQuery { base, is_root, set: node_set, by: lexicon.loop_alphabet(lexeme)?.by };
        if search::below_node(walk, &query, output)? && is_root {
            taken.push(base);
        }
    }
    if !walk.has_remaining() {
        let mut rest = node_set.iter().filter(|inner| !taken.contains(inner));
        return rest.try_for_each(|inner| walk.below(trie_index.node(inner), lexeme, output));
    }
    walk.skip_each(&taken);
    for word in 0..trie_index.len().div_ceil(64) {
        while let Some(rest) = walk.remaining.as_mut()
            && rest[word] != 0
        {
            let inner = InnerId(narrow(word * 64) + rest[word].trailing_zeros());
            rest[word] &= rest[word] - 1;
            walk.below(trie_index.node(inner), lexeme, output)?;
        }
    }
    Ok(())
}

/// Returns the bases of slices: the root, and the nodes with at least `min_base_nodes` nodes below them to
/// which ASCII characters lead.
pub(crate) fn bases(trie: &Trie, trie_index: &TrieIndex, config: &LexiconConfig) -> Box<[InnerId]> {
    let mut bases = Vec::new();
    let mut open = if trie_index.is_empty() { Vec::new() } else { vec![InnerId::ROOT] };
    while let Some(base) = open.pop() {
        bases.push(base);
        // The depth is limited so that numbers of characters fit in a layer.
        if trie.depth(trie_index.node(base)) + 1 >= MAX_BASE_DEPTH {
            continue;
        }
        let ascii = trie_index.children(base).iter().filter(|child| child.byte < 0x80);
        let inner_nodes = ascii.filter_map(Child::inner);
        open.extend(
            inner_nodes
                .filter(|&inner| nodes_below(trie, trie_index, inner).len() >= config.tuning.min_base_nodes),
        );
    }
    bases.sort_unstable();
    bases.into()
}

/// Number of trie nodes between two charges of a walk.
const NODES_PER_CHARGE: u64 = 64;
/// Work at a trie node whose children are found by their bytes.
const UNITS_PER_BYTE_SEARCH: u64 = 8;

/// A walk of one lexeme from the nodes of a set.
pub(crate) struct Walk<'a> {
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) lexeme: LexemeId,
    /// The nodes that are still to be walked, one bit each, if they are many.
    remaining: Option<Box<[u64]>>,
    /// States, each with `true` if it is known to accept all that the lexeme accepts.
    larger: Vec<(LexemeId, bool)>,
    /// States, each with `true` if the lexeme is known to accept all that the state accepts.
    smaller: Vec<(LexemeId, bool)>,
    /// Pairs of states that inclusions may still visit.
    pairs: usize,
    /// States by depth.
    path: Vec<(LexemeId, &'a State)>,
    pub(crate) cost: WalkCost,
    /// Cost, in trie nodes, of entries that were computed on the way.
    pub(crate) elsewhere: u64,
}

impl Drop for Walk<'_> {
    fn drop(&mut self) {
        self.lexicon.counters.add(self.cost);
        self.lexicon.strategies.count(SELF_LOOP_POSITION, self.cost.taken);
    }
}

impl<'a> Walk<'a> {
    pub(crate) fn new(lexicon: &'a Lexicon, lexeme: LexemeId) -> Self {
        Self {
            lexicon,
            lexeme,
            remaining: None,
            larger: Vec::new(),
            smaller: Vec::new(),
            pairs: MAX_PAIRS_PER_WALK,
            path: Vec::new(),
            cost: WalkCost { walks: 1, ..WalkCost::default() },
            elsewhere: 0,
        }
    }

    /// Adds the tokens at and below a node where the lexeme is in `state`, unless the state is dead.
    pub(crate) fn enter(
        &mut self,
        node: TrieNodeId,
        state: LexemeId,
        output: &mut WalkOutput<'_>,
    ) -> Result<(), Error> {
        self.cost.nodes += 1;
        if state.is_dead() {
            return Ok(());
        }
        output.allow(node);
        if let Some(inner) = self.lexicon.trie_index().inner(node) {
            if state.completes() {
                output.exit_at(inner);
            }
            if state.goes_on() {
                self.subtree(node, state, output)?;
            }
        }
        Ok(())
    }

    /// Adds the tokens below a node where the lexeme is in `state`. Below a base, these are an entry of
    /// their own.
    pub(crate) fn subtree(
        &mut self,
        root: TrieNodeId,
        state: LexemeId,
        output: &mut WalkOutput<'_>,
    ) -> Result<(), Error> {
        match self.base(root) {
            Some(base) => self.take_entry(base, state, output),
            None => self.below(root, state, output),
        }
    }

    /// Returns the base at a node. Returns `None` if there is none, or if the walk must visit each node.
    fn base(&self, node: TrieNodeId) -> Option<InnerId> {
        let (trie, lexicon) = (self.lexicon.trie(), self.lexicon);
        let is_large = (trie.end(node).0 - node.0) as usize > lexicon.config.tuning.min_base_nodes;
        if !is_large || !lexicon.config.tuning.slices || self.remaining.is_some() {
            return None;
        }
        lexicon.trie_index().inner(node).filter(|inner| lexicon.bases.binary_search(inner).is_ok())
    }

    /// Adds the tokens and exits of the entry below a base.
    fn take_entry(
        &mut self,
        base: InnerId,
        state: LexemeId,
        output: &mut WalkOutput<'_>,
    ) -> Result<(), Error> {
        let below = self.lexicon.intern(NodeSet::List([base].into()));
        let entry = self.lexicon.entry_at_cost(state, below, output.want(), &mut self.elsewhere)?;
        self.lexicon.take_entry(entry, output);
        Ok(())
    }

    /// Adds the tokens below a node at which the lexeme is in `state`.
    fn below(&mut self, root: TrieNodeId, state: LexemeId, output: &mut WalkOutput<'_>) -> Result<(), Error> {
        let (lexicon, ends) = (self.lexicon, self.lexicon.trie().columns().ends);
        let trie_index = lexicon.trie_index();
        let is_wide = |node: TrieNodeId| ends[node.index()] - node.0 >= MIN_NODES_FOR_BYTE_SEARCH;
        // If not every node must be visited, looking up few bytes is faster than scanning all children.
        if !is_wide(root) || self.remaining.is_some() {
            return self.all_below(root, state, output);
        }
        let mut open = vec![(root, state)];
        while let Some((node, state)) = open.pop() {
            charge(UNITS_PER_BYTE_SEARCH)?;
            let live = if is_wide(node) { lexicon.automaton.few_live_bytes(state)? } else { None };
            let (Some(live), Some(inner)) = (live, trie_index.inner(node)) else {
                self.all_below(node, state, output)?;
                continue;
            };
            for byte in live.iter() {
                let Some(child) = trie_index.child(inner, byte) else { continue };
                let next = lexicon.automaton.step(state, byte)?;
                self.cost.nodes += 1;
                if next.is_dead() {
                    continue;
                }
                output.allow_child(child);
                let Some(below) = child.inner() else { continue };
                if next.completes() {
                    output.exit_at(below);
                }
                if next.goes_on() {
                    match self.base(child.node) {
                        Some(base) => self.take_entry(base, next, output)?,
                        None => open.push((child.node, next)),
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the tokens below a node by scanning all children, in the order of the trie.
    ///
    /// The state is stored by depth. Tokens and exits are added as ranges of nodes: while the lexeme stays
    /// alive, a node only extends a range.
    fn all_below(
        &mut self,
        root: TrieNodeId,
        state: LexemeId,
        output: &mut WalkOutput<'_>,
    ) -> Result<(), Error> {
        let lexicon = self.lexicon;
        let (trie, automaton) = (lexicon.trie(), &lexicon.automaton);
        let (columns, bytes, ends) = (trie.columns(), trie.columns().bytes, trie.columns().ends);
        // A leaf is not a subtree.
        let by_loops = lexicon.strategies.is_on(SELF_LOOP_POSITION);
        let min_loop_nodes = if by_loops { lexicon.config.tuning.min_loop_nodes.max(2) } else { u32::MAX };
        let end = ends[root.index()];
        let here = automaton.state(state);
        if end - root.0 >= min_loop_nodes && self.takes_whole(root, end, state, here, output)? {
            output.allow_nodes(root.0 + 1, end);
            return Ok(());
        }
        let above = columns.depth(root.index());
        let mut path = std::mem::take(&mut self.path);
        path.resize(lexicon.trie_index().height() + 1, (state, here));
        path[0] = (state, here);
        let mut node = root.0 + 1;
        // Start of the current range of accepted nodes, and of the current range of nodes at which the lexeme
        // is complete, if any.
        let mut taken = node;
        let mut complete = None;
        let mut nodes = 0;
        while node < end {
            let at = TrieNodeId(node);
            let n = at.index();
            nodes += 1;
            if nodes % NODES_PER_CHARGE == 0 {
                charge(NODES_PER_CHARGE)?;
            }
            let depth = columns.depth(n) - above;
            let (id, here) = path[depth - 1];
            let next = match Automaton::known_step(here, bytes[n]) {
                Some(next) => next,
                None => automaton.step_anew(here, bytes[n])?,
            };
            if next.completes() != complete.is_some() {
                match complete.take() {
                    Some(start) => output.exit_at_nodes(start, node),
                    None => complete = Some(node),
                }
            }
            if next.is_dead() {
                output.allow_nodes(taken, node);
                node = ends[n];
                taken = node;
                continue;
            }
            let below = ends[n];
            node += 1;
            let is_end = !next.goes_on() || self.remaining.is_some() && self.is_left_to(at, next)?;
            if is_end {
                if below > node {
                    output.allow_nodes(taken, node);
                    if let Some(start) = complete.take() {
                        output.exit_at_nodes(start, node);
                    }
                    node = below;
                    taken = node;
                }
                continue;
            }
            let there = if next == id { here } else { automaton.state(next) };
            if below - at.0 >= min_loop_nodes && self.takes_whole(at, below, next, there, output)? {
                if let Some(start) = complete.take() {
                    output.exit_at_nodes(start, node);
                }
                node = below;
                continue;
            }
            path[depth] = (next, there);
        }
        output.allow_nodes(taken, end);
        if let Some(start) = complete {
            output.exit_at_nodes(start, end);
        }
        self.path = path;
        self.cost.nodes += nodes;
        charge(nodes % NODES_PER_CHARGE)?;
        Ok(())
    }

    /// Adds the exits of a whole subtree and returns `true` if the lexeme loops over it. The caller adds
    /// the tokens.
    #[inline]
    fn takes_whole(
        &mut self,
        node: TrieNodeId,
        end: u32,
        state: LexemeId,
        here: &State,
        output: &mut WalkOutput<'_>,
    ) -> Result<bool, Error> {
        let found = match here.known_loops() {
            Some(found) => found,
            None if here.is_plain && self.leaves(node, state)? => return Ok(false),
            None => self.lexicon.loop_alphabet(state)?,
        };
        let trie_index = self.lexicon.trie_index();
        let Some(inner) = trie_index.inner(node) else { return Ok(false) };
        if !found.covers(trie_index, inner) {
            return Ok(false);
        }
        self.cost.taken += 1;
        let found = &found.by;
        output.complete_below(node, found.completes, found.is_of_bytes());
        if self.remaining.is_some() && found.is_steady && self.is_larger(state)? {
            let inner_nodes = trie_index.inner_range(node.0 + 1..end);
            let between = trie_index.char_boundaries();
            let everywhere = if found.is_of_bytes() { u64::MAX } else { 0 };
            let remaining = self.remaining.as_mut().expect("checked above");
            over_range(inner_nodes.start, inner_nodes.end, |word, mask| {
                remaining[word] &= !(mask & (between[word] | everywhere));
            });
        }
        Ok(true)
    }

    /// Returns the number of trie edges below a base by which the lexeme may leave its loop.
    pub(crate) fn loop_exit_edges(&self, base: InnerId, by: &SelfLoop) -> Result<usize, Error> {
        let (automaton, trie_index) = (&self.lexicon.automaton, self.lexicon.trie_index());
        let live = automaton.live_bytes(self.lexeme)?;
        let (ascii, others) = by.characters();
        let is_exit = |&byte: &u8| match byte {
            0..0x80 => ascii >> byte & 1 == 0,
            // There is little white space, but many nodes follow it.
            _ => matches!(others, NonAscii::None | NonAscii::Words),
        };
        let below = nodes_below(self.lexicon.trie(), trie_index, base);
        Ok(live.iter().filter(is_exit).map(|byte| trie_index.edges_to(byte, below.clone()).len()).sum())
    }

    /// Returns `true` if the first byte below a node leads to another state.
    fn leaves(&self, node: TrieNodeId, state: LexemeId) -> Result<bool, Error> {
        let byte = self.lexicon.trie().columns().bytes[node.index() + 1];
        let next = self.lexicon.automaton.step(state, byte)?;
        Ok(next != state && (byte < 0x80 || next.is_dead()))
    }

    /// Decides between two walks that meet at a node, if one accepts all that the other accepts. Returns
    /// `true` if the walk from the node itself is the larger one; otherwise that node may be dropped from
    /// `remaining`.
    ///
    /// # Source
    /// M. De Wulf, L. Doyen, T. Henzinger and J.-F. Raskin, "Antichains", 2006.
    fn is_left_to(&mut self, node: TrieNodeId, state: LexemeId) -> Result<bool, Error> {
        let (Some(inner), Some(remaining)) = (self.lexicon.trie_index().inner(node), &self.remaining) else {
            return Ok(false);
        };
        let (word, bit) = (inner.index() / 64, 1 << (inner.index() % 64));
        if remaining[word] & bit == 0 {
            return Ok(false);
        }
        if self.is_larger(state)? {
            self.remaining.as_mut().expect("checked above")[word] &= !bit;
            return Ok(false);
        }
        self.is_smaller(state)
    }

    /// Drops nodes below which all tokens that the lexeme accepts have been taken.
    pub(crate) fn skip_all(&mut self, inner_nodes: &[u64]) {
        if let Some(remaining) = &mut self.remaining {
            remaining.iter_mut().zip(inner_nodes).for_each(|(remaining, taken)| *remaining &= !taken);
        }
    }

    /// Drops nodes that have been walked.
    pub(crate) fn skip_each(&mut self, nodes: &[InnerId]) {
        if let Some(remaining) = &mut self.remaining {
            nodes.iter().for_each(|inner| remaining[inner.index() / 64] &= !(1 << (inner.index() % 64)));
        }
    }

    /// Returns `true` if the nodes that are still to be walked are tracked.
    pub(crate) const fn has_remaining(&self) -> bool {
        self.remaining.is_some()
    }

    /// Returns `true` if `state` is known to accept all that the lexeme accepts. Incomplete: it may return
    /// `false` wrongly.
    pub(crate) fn is_larger(&mut self, state: LexemeId) -> Result<bool, Error> {
        if let Some(&(_, known)) = self.larger.iter().find(|&&(other, _)| other == state) {
            return Ok(known);
        }
        let mut pairs = MAX_PAIRS_PER_INCLUSION;
        let is_larger =
            state.completes() >= self.lexeme.completes() && self.includes(state, self.lexeme, &mut pairs)?;
        self.larger.push((state, is_larger));
        Ok(is_larger)
    }

    /// Returns `true` if the lexeme is known to accept all that `state` accepts, apart from the empty
    /// string. Incomplete: it may return `false` wrongly.
    fn is_smaller(&mut self, state: LexemeId) -> Result<bool, Error> {
        if let Some(&(_, known)) = self.smaller.iter().find(|&&(other, _)| other == state) {
            return Ok(known);
        }
        let mut pairs = self.pairs;
        let is_smaller = pairs > 0 && self.includes(self.lexeme, state, &mut pairs)?;
        self.pairs = pairs;
        self.smaller.push((state, is_smaller));
        Ok(is_smaller)
    }

    fn includes(&self, large: LexemeId, small: LexemeId, pairs: &mut usize) -> Result<bool, Error> {
        self.lexicon.automaton.includes_after(large, small, pairs)
    }
}

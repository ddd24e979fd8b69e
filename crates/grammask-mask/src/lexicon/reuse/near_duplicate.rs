//! Lexemes that differ from another lexeme by finitely many short strings.
//!
//! ```text
//! [^"]* without "id"   differs from   [^"]*   below the trie nodes of "i" and "id"
//! ```
//!
//! The entry of the other lexeme is stored once. Only the trie nodes at which the two differ are walked.

use std::sync::OnceLock;

use grammask_regular::{ByteSet, Error};
use grammask_trie::index::InnerId;
use grammask_trie::{TokenId, TokenSet, TrieNodeId};

use crate::lexicon::automaton::LexemeId;
use crate::lexicon::entry::StoredTokens;
use crate::lexicon::walk::output::Want;
use crate::lexicon::{Entry, EntryTokens, Lexicon};
use crate::masks::stats::WalkCost;
use crate::node_set::continuation::{Continuation, ContinuationId};
use crate::node_set::{NodeSet, no_bits};

/// Printable ASCII characters, of 95, that must lead to the near duplicate.
const MIN_LOOPING_ASCII: usize = 48;

/// Trie nodes of a difference; lexemes that differ in more have too little in common.
pub(crate) const MAX_DIFFERENCE_NODES: u32 = 4_096;

/// Difference of two lexemes below a set of trie nodes.
#[derive(Default)]
pub(crate) struct Difference {
    /// Nodes whose tokens only the lexeme accepts, and nodes whose tokens only the near duplicate accepts.
    pub(crate) added: Vec<TrieNodeId>,
    pub(crate) removed: Vec<TrieNodeId>,
    /// Exits of the lexeme alone, and of the near duplicate alone.
    pub(crate) added_exits: Vec<InnerId>,
    pub(crate) removed_exits: Vec<InnerId>,
    /// Number of trie nodes that were visited.
    pub(crate) nodes: u64,
}

impl Lexicon {
    /// Returns a state whose language differs by finitely many strings: the self-looping state that most
    /// ASCII characters lead to, or the state without its excluded literals. Returns `None` if there is none.
    fn near_duplicate_of(&self, lexeme: LexemeId) -> Result<Option<LexemeId>, Error> {
        let cell = &self.automaton.cold(lexeme).near_duplicate;
        if let Some(known) = cell.get() {
            return Ok(*known);
        }
        let mut counts: Vec<(LexemeId, usize)> = Vec::new();
        self.automaton.steps(lexeme, &ByteSet::range(0x20, 0x7E), |bytes, next| {
            match counts.iter_mut().find(|(other, _)| *other == next) {
                Some((_, count)) => *count += bytes.len(),
                None => counts.push((next, bytes.len())),
            }
            true
        })?;
        let most = counts.into_iter().max_by_key(|&(_, count)| count);
        let mut near = None;
        if let Some((next, count)) = most
            && next != lexeme
            && !next.is_dead()
            && count >= MIN_LOOPING_ASCII
            && self.automaton.step(next, b'~')? == next
        {
            near = Some(next);
        }
        if near.is_none() {
            near = self.automaton.without_exceptions(lexeme)?;
        }
        Ok(*cell.get_or_init(|| near))
    }

    /// Returns the entry as a difference from the entry of the near duplicate. Returns `None` if there is
    /// none, or the two differ in too many nodes.
    pub(crate) fn entry_by_near_duplicate(
        &self,
        lexeme: LexemeId,
        id: ContinuationId,
        want: Want,
    ) -> Result<Option<Entry>, Error> {
        if !self.allows_difference(id) {
            return Ok(None);
        }
        let Some(near) = self.near_duplicate_of(lexeme)? else { return Ok(None) };
        // The relation can be cyclic, so it is followed by one step only: a state with a near duplicate of
        // its own is not used.
        if self.near_duplicate_of(near)?.is_some() {
            return Ok(None);
        }
        match self.difference(lexeme, near, self.continuation(id))? {
            Some(difference) => self.entry_with_difference(near, id, &difference, want),
            None => Ok(None),
        }
    }

    /// Returns `true` if an entry below this set can be stored as a difference, and that pays.
    pub(crate) fn allows_difference(&self, id: ContinuationId) -> bool {
        let continuation = self.continuation(id);
        let NodeSet::List(roots) = continuation.set() else { return false };
        self.is_apart(roots)
            && continuation.is_heavier(self.trie(), self.trie_index(), MAX_DIFFERENCE_NODES as usize)
    }

    /// Returns the entry that has this difference from the entry of `near`. Returns `None` if that one is
    /// stored as a difference.
    pub(crate) fn entry_with_difference(
        &self,
        near: LexemeId,
        id: ContinuationId,
        difference: &Difference,
        want: Want,
    ) -> Result<Option<Entry>, Error> {
        let mut entry = self.find_entry(near, id, want)?;
        let known = self.entry(entry);
        self.counters.add(WalkCost { walks: 1, nodes: difference.nodes, taken: 0 });
        let trie = self.trie();
        let tokens = |nodes: &[TrieNodeId]| -> Vec<TokenId> {
            nodes.iter().flat_map(|&node| trie.tokens(node)).copied().collect()
        };
        let own = StoredTokens::Set(TokenSet::new(&tokens(&difference.added)));
        let removed = tokens(&difference.removed).into();
        let exit = match (want, &difference.added_exits[..], &difference.removed_exits[..]) {
            (Want::Tokens, ..) => OnceLock::new(),
            (Want::TokensAndExits, [], []) => OnceLock::from(known.exit()),
            (Want::TokensAndExits, ..) => OnceLock::from(self.exit(known.exit(), difference)),
        };
        // The near duplicate must own its tokens: a base is resolved by one step only.
        match &known.tokens.base {
            None => {}
            Some((representative, differing)) if differing.is_empty() && known.tokens.own.is_empty() => {
                entry = *representative;
            }
            Some(_) => return Ok(None),
        }
        let tokens = EntryTokens { own, base: Some((entry, removed)) };
        Ok(Some(Entry { tokens, exit, nodes: difference.nodes }))
    }

    /// Returns `true` if no node is below another one, so that no token is accepted from two nodes.
    pub(crate) fn is_apart(&self, nodes: &[InnerId]) -> bool {
        let ends = self.trie().columns().ends;
        nodes.windows(2).all(|pair| {
            let (one, next) = (self.trie_index().node(pair[0]), self.trie_index().node(pair[1]));
            ends[one.index()] <= next.0
        })
    }

    /// Returns the exits of a lexeme, given those of its near duplicate.
    fn exit(&self, known: Option<ContinuationId>, difference: &Difference) -> Option<ContinuationId> {
        let max_listed_nodes = self.config.tuning.max_listed_nodes;
        let known = known.map(|known| self.continuation(known).set());
        if let None | Some(NodeSet::List(_)) = known {
            let mut list: Vec<InnerId> = known.into_iter().flat_map(NodeSet::iter).collect();
            let mut removed_exits = difference.removed_exits.clone();
            removed_exits.sort_unstable();
            list.retain(|inner| removed_exits.binary_search(inner).is_err());
            list.extend_from_slice(&difference.added_exits);
            list.sort_unstable();
            list.dedup();
            let node_set =
                (!list.is_empty()).then(|| NodeSet::of_list(self.trie_index(), max_listed_nodes, &list));
            return node_set.map(|node_set| self.intern(node_set));
        }
        let mut bits = no_bits(self.trie_index());
        if let Some(known) = known {
            known.mark(&mut bits);
        }
        for inner in &difference.removed_exits {
            bits[inner.index() / 64] &= !(1 << (inner.index() % 64));
        }
        for inner in &difference.added_exits {
            bits[inner.index() / 64] |= 1 << (inner.index() % 64);
        }
        let node_set =
            NodeSet::gather(self.trie_index(), max_listed_nodes, Some(bits.into()), Vec::new(), &[], &[]);
        node_set.map(|node_set| self.intern(node_set))
    }

    /// Walks both lexemes together, at the nodes where their states differ. Returns `None` beyond
    /// `MAX_DIFFERENCE_NODES`.
    fn difference(
        &self,
        lexeme: LexemeId,
        near: LexemeId,
        continuation: &Continuation,
    ) -> Result<Option<Difference>, Error> {
        let (trie, trie_index) = (self.trie(), self.trie_index());
        let mut found = Difference::default();
        let mut open: Vec<(TrieNodeId, LexemeId, LexemeId)> =
            continuation.nodes(trie_index).map(|node| (node, lexeme, near)).collect();
        while let Some((node, own, other)) = open.pop() {
            for child in trie.children(node) {
                found.nodes += 1;
                let byte = trie.byte(child);
                let own = self.automaton.step(own, byte)?;
                let other = self.automaton.step(other, byte)?;
                if own == other {
                    continue;
                }
                match (own.is_dead(), other.is_dead()) {
                    (false, true) => found.added.push(child),
                    (true, false) => found.removed.push(child),
                    _ => {}
                }
                if let Some(inner) = trie_index.inner(child) {
                    match (own.completes(), other.completes()) {
                        (true, false) => found.added_exits.push(inner),
                        (false, true) => found.removed_exits.push(inner),
                        _ => {}
                    }
                    open.push((child, own, other));
                }
            }
            if found.nodes > u64::from(MAX_DIFFERENCE_NODES) {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }
}

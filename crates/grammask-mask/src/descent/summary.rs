//! Summaries: the tokens and exits of a network node below a set of trie nodes, independent of the callers.
//!
//! ```text
//! value below {root}:  tokens "1", "tr", ...;  exits: the trie nodes of "true", "12", ...
//! ```
//!
//! The callers continue at the exits. A summary does not depend on them, so it serves at every depth of
//! nesting.

use std::sync::OnceLock;

use grammask_earley::{Error, NetworkNodeId};
use grammask_trie::{TokenId, TokenSet};
use grammask_work::narrow;
use smallvec::SmallVec;

use crate::Masks;
use crate::descent::total::TotalId;
use crate::descent::{Buffers, Descent};
use crate::lexicon::walk::output::{WalkOutput, Want};
use crate::lexicon::{EntryId, ImportId, LexemeId, TokenView, Tokens};
use crate::masks::budget::Fuel;
use crate::node_set::continuation::ContinuationId;

/// Key of a summary: a node of the network, and the set of trie nodes below which it is walked.
pub(crate) type SummaryKey = (NetworkNodeId, ContinuationId);

/// Result of a node below a set of trie nodes: its rule up to the end, and all rules that are called on the
/// way.
pub(crate) struct Summary {
    /// Tokens that the rule scans itself, in any order and possibly repeated.
    pub(crate) tokens: Box<[TokenId]>,
    /// As `tokens`, if these are many; also the tokens of a lexeme that the lexicon has no room for.
    pub(crate) large: TokenSet,
    /// Entries of the lexemes that are called.
    pub(crate) lexemes: Box<[EntryRef]>,
    /// Summaries of the rules that are called.
    pub(crate) uses: Box<[SummaryKey]>,
    /// Trie nodes at which the rule completes.
    pub(crate) exits: Box<[ContinuationId]>,
    /// Total of the summary, once requested.
    pub(crate) total: OnceLock<TotalId>,
}

/// Number of steps that are followed back from a node to one whose lexeme is known.
const MAX_STEPS_BACK: usize = 64;

/// Value in `Masks::lexemes` for a node whose lexeme has no room in the lexicon.
const NO_LEXEME: u32 = u32::MAX - 1;

/// Reference to an entry of a lexeme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum EntryRef {
    /// One of the lexicon.
    Lexicon(EntryId),
    /// One of the grammar, where the lexicon has no room for the lexeme.
    Grammar(NetworkNodeId, ContinuationId),
}

impl EntryRef {
    /// Returns a number that is unique for the reference.
    pub(crate) fn as_number(&self) -> u64 {
        // Unique: no continuation has the number `u32::MAX`, as there would have to be 2^32 of them.
        match *self {
            Self::Lexicon(entry) => u64::from(entry.number()) | u64::from(u32::MAX) << 32,
            Self::Grammar(node, continuation) => node.index() as u64 | continuation.high(),
        }
    }

    /// Returns the entry of the lexicon. Returns `None` for an entry of the grammar.
    pub(crate) fn as_shared(&self) -> Option<EntryId> {
        match *self {
            Self::Lexicon(entry) => Some(entry),
            Self::Grammar(..) => None,
        }
    }

    /// Returns the entry whose row has the tokens of this one, up to a difference.
    pub(crate) fn of_row(&self, view: &TokenView<'_>) -> Self {
        view.base.map_or(*self, |base| Self::Lexicon(base.entry))
    }
}

impl Summary {
    pub(crate) fn new(
        tokens: Box<[TokenId]>,
        large: TokenSet,
        lexemes: Box<[EntryRef]>,
        uses: Box<[SummaryKey]>,
        exits: Box<[ContinuationId]>,
    ) -> Self {
        Self { tokens, large, lexemes, uses, exits, total: OnceLock::new() }
    }
}

/// The context of the summaries of one mask: the tables of the grammar, the fuel that is left, and buffers.
pub(crate) struct SummaryContext<'a> {
    pub(crate) masks: &'a Masks,
    pub(crate) fuel: &'a Fuel<'a>,
    pub(crate) buffers: &'a mut Buffers,
}

impl<'a> SummaryContext<'a> {
    /// Returns the summary of a node that is not a lexeme, computing it if needed.
    ///
    /// Returns `None` if the grammar is too ambiguous for summaries, or the fuel is exhausted.
    pub(crate) fn summary(&mut self, key: SummaryKey) -> Result<Option<&'a Summary>, Error> {
        let masks = self.masks;
        if let Some(summary) = masks.summaries.get(&key) {
            return Ok(summary.as_ref());
        }
        if !Descent::new(masks, self.fuel, self.buffers).run(key)? {
            // The key is not given up: the entries that consumed the fuel are known the next time.
            if self.fuel.is_exhausted() {
                return Ok(None);
            }
            masks.keep(key, None);
        }
        Ok(masks.summaries.get(&key).and_then(Option::as_ref))
    }
}

impl Masks {
    /// Returns the lexeme that a node is a state of. Returns `None` if the lexicon has no room for it.
    pub(crate) fn lexeme(&self, node: NetworkNodeId) -> Option<LexemeId> {
        if let Some(known) = self.known_lexeme(node) {
            return known.map(|(lexeme, _)| lexeme);
        }
        let lexeme = self.lexeme_by_steps(node).or_else(|| self.lexeme_by_language(node));
        self.store_lexeme(node, lexeme).map(|(lexeme, _)| lexeme)
    }

    /// Finds the lexeme of a node by its language.
    fn lexeme_by_language(&self, node: NetworkNodeId) -> Option<(LexemeId, bool)> {
        self.recognizer.inspect().lexeme(node, |store, language| self.lexicon.lexeme(store, language))?.ok()
    }

    /// Finds the lexeme of a node by the steps that lead to it from a node whose lexeme is known.
    ///
    /// Known steps cost less than comparing languages. If none is known, the steps begin at the start of the
    /// lexeme. Returns `None` if a node on this path is a finite language: its rest is short.
    fn lexeme_by_steps(&self, node: NetworkNodeId) -> Option<(LexemeId, bool)> {
        // From the last byte to the first.
        let mut text: SmallVec<[u8; MAX_STEPS_BACK]> = SmallVec::new();
        let mut here = node;
        let known = loop {
            if text.len() == MAX_STEPS_BACK {
                return None;
            }
            let Some((before, byte)) = self.recognizer.inspect().predecessor(here) else {
                if text.is_empty() {
                    return None;
                }
                let start = self.lexeme_by_language(here);
                self.store_lexeme(here, start);
                break start?;
            };
            text.push(byte);
            if let Some(known) = self.known_lexeme(before) {
                break known?;
            }
            if self.texts.get(narrow(before.index())).is_some() {
                return None;
            }
            here = before;
        };
        text.reverse();
        let (lexeme, is_same) = known;
        if is_same { self.lexicon.after(lexeme, &text).ok() } else { None }
    }

    /// Returns the lexeme of a node if it is known; `Some(None)` if the lexicon has none.
    fn known_lexeme(&self, node: NetworkNodeId) -> Option<Option<(LexemeId, bool)>> {
        let known = self.lexemes.get(narrow(node.index()))?;
        Some((known != NO_LEXEME).then(|| (LexemeId::from_number(known >> 1), known & 1 == 1)))
    }

    /// Records the lexeme of a node, or that the lexicon has none for it. Returns the recorded lexeme.
    fn store_lexeme(
        &self,
        node: NetworkNodeId,
        lexeme: Option<(LexemeId, bool)>,
    ) -> Option<(LexemeId, bool)> {
        // A call that was stopped says nothing about the lexicon: the next one asks it again.
        if lexeme.is_none() && grammask_work::is_stopped() {
            return None;
        }
        // One bit of the stored number is `is_same`. More lexemes than the other bits can number would exceed
        // every memory budget.
        let lexeme = lexeme.filter(|(lexeme, _)| lexeme.number() < NO_LEXEME >> 1);
        let number = lexeme.map_or(NO_LEXEME, |(lexeme, is_same)| lexeme.number() << 1 | u32::from(is_same));
        self.budget.spend(self.lexemes.set(narrow(node.index()), number).1);
        lexeme
    }

    /// Returns the entry of a state of a lexeme, and the exits if they are wanted.
    pub(crate) fn lexeme_entry(
        &self,
        node: NetworkNodeId,
        continuation: ContinuationId,
        want: Want,
        fuel: &Fuel<'_>,
    ) -> Result<(EntryRef, Option<ContinuationId>), Error> {
        let lexicon = &*self.lexicon;
        let is_whole = continuation == ContinuationId::ROOT;
        let of = |entry: EntryId| {
            let exit = match want {
                Want::Tokens => None,
                Want::TokensAndExits => lexicon.entry(entry).exit(),
            };
            (EntryRef::Lexicon(entry), exit)
        };
        if is_whole
            && let Some(entry) = self.entries_at_root.get(narrow(node.index())).map(EntryId::from_number)
            && lexicon.entry(entry).answers(want)
        {
            return Ok(of(entry));
        }
        if let Some(entry) = self.entry_of_language(node, continuation, fuel) {
            if is_whole {
                self.budget.spend(self.entries_at_root.set(narrow(node.index()), entry.number()).1);
            }
            return Ok(of(entry));
        }
        if let Some(lexeme) = self.lexeme(node)
            && let Some(entry) = lexicon.known_entry(lexeme, continuation, want).or_else(|| {
                let entry = lexicon.find_entry(lexeme, continuation, want).ok()?;
                fuel.consume(lexicon.entry(entry).nodes);
                Some(entry)
            })
        {
            if is_whole {
                self.budget.spend(self.entries_at_root.set(narrow(node.index()), entry.number()).1);
            }
            return Ok(of(entry));
        }
        // A limit of the shared lexicon is not an error of this grammar, so the grammar's own tables are
        // used.
        let entry = self.walked(node, continuation)?;
        Ok((EntryRef::Grammar(node, continuation), entry.exits.first().copied()))
    }

    /// Returns the entry of a finite language, found from its texts.
    ///
    /// Returns `None` if the lexeme of the node, or of a node from which steps lead here, is known: then
    /// steps are as fast.
    fn entry_of_language(
        &self,
        node: NetworkNodeId,
        continuation: ContinuationId,
        fuel: &Fuel<'_>,
    ) -> Option<EntryId> {
        let lexicon = &*self.lexicon;
        let number = narrow(node.index());
        let known = self.texts.get(number);
        if let Some(id) = known
            && let Some(entry) = lexicon.known_entry_of_import(ImportId::from_number(id), continuation)
        {
            return Some(entry);
        }
        let path =
            std::iter::successors(Some(node), |&here| Some(self.recognizer.inspect().predecessor(here)?.0));
        if path.take(MAX_STEPS_BACK).any(|here| self.known_lexeme(here).is_some()) {
            return None;
        }
        // The recognizer is locked meanwhile, so the texts are only read there.
        let found = self
            .recognizer
            .inspect()
            .lexeme(node, |store, language| lexicon.find_by_language(store, language, continuation));
        let (id, spelled) = found??;
        self.budget.spend(self.texts.set(number, id.number()).1);
        let entry = lexicon.known_entry_of_import(id, continuation).unwrap_or_else(|| {
            let entry = lexicon.entry_of_import(id, &spelled, continuation);
            fuel.consume(lexicon.entry(entry).nodes);
            entry
        });
        Some(entry)
    }

    /// Returns the tokens of an entry.
    pub(crate) fn lexeme_tokens(&self, key: EntryRef) -> Result<TokenView<'_>, Error> {
        match key {
            EntryRef::Grammar(node, continuation) => {
                Ok(TokenView { own: Tokens::Set(&self.walked(node, continuation)?.large), base: None })
            }
            EntryRef::Lexicon(entry) => Ok(self.lexicon.view(entry)),
        }
    }

    /// Computes the entry of a state of a lexeme with the recognizer, without the lexicon.
    fn walked(&self, node: NetworkNodeId, continuation: ContinuationId) -> Result<&Summary, Error> {
        let key = (node, continuation);
        if let Some(Some(summary)) = self.summaries.get(&key) {
            return Ok(summary);
        }
        let list = self.lexicon.continuation(continuation);
        let mut output = WalkOutput::new(self.lexicon.context());
        let set = self.recognizer.inspect().open_state(node)?;
        self.lexicon.spend(output.walk_below(&self.recognizer, set, list)?);
        self.counters.add(output.cost);
        let (tokens, node_set) = output.finish();
        let exits = node_set.map(|node_set| self.lexicon.intern(node_set)).into_iter().collect();
        let summary = Summary::new(Box::default(), tokens, Box::default(), Box::default(), exits);
        Ok(self.keep(key, Some(summary)).as_ref().expect("a summary is stored under this key"))
    }

    /// Stores a summary, or `None` if its computation was given up. Returns the stored value.
    pub(crate) fn keep(&self, key: SummaryKey, summary: Option<Summary>) -> &Option<Summary> {
        let bytes = summary.as_ref().map_or(0, |summary| {
            size_of_val(&*summary.tokens)
                + summary.large.bytes_used()
                + size_of_val(&*summary.lexemes)
                + size_of_val(&*summary.uses)
                + size_of_val(&*summary.exits)
        });
        self.budget.spend(size_of::<(SummaryKey, Option<Summary>)>() + bytes);
        self.summaries.insert(key, summary).0
    }
}

#[cfg(test)]
mod tests {
    use grammask_work::{Allowance, within};

    use crate::{Config, testing};

    #[test]
    fn a_stopped_search_for_a_lexeme_is_not_kept() {
        let (network, lexicon) = (testing::network("start ::= #'[a-z]+x' ;"), testing::lexicon(&["a", "ax"]));
        let masks = testing::masks(&network, &lexicon, &Config::default());
        let node = masks.recognizer.inspect().lexeme_starts().next().expect("a lexeme").unwrap();
        assert!(within(&Allowance::new("max_work", 0), || masks.lexeme(node)).is_none());
        assert!(masks.known_lexeme(node).is_none(), "the next call asks again");
        assert!(masks.lexeme(node).is_some());
    }
}

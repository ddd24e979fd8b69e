//! Totals: all tokens of a summary and of the summaries that it uses.
//!
//! Many summaries have equal totals. A total is interned, so that masks built from equal totals are found to
//! be equal.

use grammask_earley::Error;
use grammask_trie::{TokenId, TokenSet};
use smallvec::SmallVec;

use crate::Masks;
use crate::descent::small_set::SmallIndexSet;
use crate::descent::summary::{EntryRef, Summary, SummaryContext, SummaryKey};
use crate::masks::delta_mask::change;

/// Number of a [`Total`]. Equal totals of few tokens have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TotalId(u32);

/// All tokens of a summary and of the summaries that it uses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Total {
    /// Ascending if there are at most `MAX_INTERNED_TOKENS`; otherwise in any order, as they are only written
    /// into rows.
    pub(crate) tokens: Box<[TokenId]>,
    /// Further tokens as a set, if there are too many for a list.
    pub(crate) large: TokenSet,
    /// Entries with many tokens, which are referenced instead of copied. Ascending.
    pub(crate) lexemes: Box<[EntryRef]>,
}

impl Total {
    /// Returns an upper bound on the number of tokens, without those of the entries.
    pub(crate) fn len(&self) -> usize {
        self.tokens.len() + self.large.len()
    }

    /// Allows the tokens in a packed row, without those of the entries.
    pub(crate) fn union_into(&self, words: &mut [u32]) {
        change(&[], &self.tokens, words);
        self.large.union_into(words);
    }
}

/// Tokens scanned by a rule itself that are stored as a list; more are stored as a set.
pub(crate) const MAX_LISTED_SCANS: usize = 4096;

/// Number of tokens beyond which repeated tokens are dropped: each user of a shared summary repeats its
/// tokens.
const MIN_TOKENS_TO_DEDUPLICATE: usize = 256;

/// Number of tokens up to which a total is sorted and interned; longer ones are rarely equal.
const MAX_INTERNED_TOKENS: usize = 128;

/// Buffers for collecting a total, reused from one to the next.
#[derive(Default)]
pub(crate) struct TotalBuilder {
    tokens: Vec<TokenId>,
    lexemes: Vec<EntryRef>,
    /// Entries with many tokens.
    many: Vec<EntryRef>,
    seen: SmallIndexSet<SummaryKey>,
    /// Bits of the tokens that `deduplicate` has met; all 0 outside of it.
    marked: Vec<u32>,
}

impl TotalBuilder {
    fn clear(&mut self) {
        self.tokens.clear();
        self.lexemes.clear();
        self.many.clear();
        self.seen.clear();
    }

    /// Adds a known total. Returns its large set, which is not copied.
    fn add<'a>(&mut self, known: &'a Total) -> Option<&'a TokenSet> {
        self.tokens.extend_from_slice(&known.tokens);
        self.many.extend_from_slice(&known.lexemes);
        (!known.large.is_empty()).then_some(&known.large)
    }

    /// Drops repeated tokens.
    ///
    /// # Complexity
    /// Linear in the tokens, not in the vocabulary, whose rows have `words` words.
    fn deduplicate(&mut self, words: usize) {
        let marked = &mut self.marked;
        marked.resize(words, 0);
        self.tokens.retain(|id| {
            let word = &mut marked[id.word()];
            let is_new = *word & id.bit() == 0;
            *word |= id.bit();
            is_new
        });
        self.tokens.iter().for_each(|id| marked[id.word()] = 0);
    }
}

/// Outcome of collecting a total.
enum Gathered {
    All(TotalId),
    /// The summary of this key is used but not stored yet.
    Lacks(SummaryKey),
    GivenUp,
}

impl TotalId {
    /// Returns the number; [`from_number`](Self::from_number) is the inverse.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_number(number: u32) -> Self {
        Self(number)
    }
}

impl SummaryContext<'_> {
    /// Returns the total of a summary. Returns `None` if a summary that it uses was given up.
    pub(crate) fn total_of(&mut self, summary: &Summary) -> Result<Option<TotalId>, Error> {
        loop {
            match self.masks.gather(summary, &mut self.buffers.total_builder)? {
                Gathered::All(total) => return Ok(Some(total)),
                Gathered::GivenUp => return Ok(None),
                // Another thread has computed the summary, and is about to store it.
                Gathered::Lacks(key) if self.summary(key)?.is_none() => return Ok(None),
                Gathered::Lacks(_) => {}
            }
        }
    }
}

impl Masks {
    /// Returns the total with this number.
    pub(crate) fn total(&self, id: TotalId) -> &Total {
        self.totals.get(id.0)
    }

    /// Collects the tokens of a summary and of all summaries that it uses, and interns them as its total.
    fn gather(&self, summary: &Summary, total_builder: &mut TotalBuilder) -> Result<Gathered, Error> {
        if let Some(&known) = summary.total.get() {
            return Ok(Gathered::All(known));
        }
        total_builder.clear();
        let mut sets: SmallVec<[&TokenSet; 2]> = SmallVec::new();
        let mut summaries: SmallVec<[&Summary; 8]> = SmallVec::new();
        summaries.push(summary);
        while let Some(summary) = summaries.pop() {
            if let Some(&known) = summary.total.get() {
                sets.extend(total_builder.add(self.total(known)));
                continue;
            }
            total_builder.tokens.extend_from_slice(&summary.tokens);
            if !summary.large.is_empty() {
                sets.push(&summary.large);
            }
            total_builder.lexemes.extend_from_slice(&summary.lexemes);
            for &key in summary.uses.iter().filter(|&&key| total_builder.seen.insert(key)) {
                match self.summaries.get(&key) {
                    Some(Some(used)) => summaries.push(used),
                    Some(None) => return Ok(Gathered::GivenUp),
                    None => return Ok(Gathered::Lacks(key)),
                }
            }
        }
        let total = self.gathered(total_builder, &sets)?;
        Ok(Gathered::All(*summary.total.get_or_init(|| total)))
    }

    /// Returns the total of an entry and of the total that continues after it.
    pub(crate) fn total_of_lexeme(
        &self,
        lexeme: EntryRef,
        rest: Option<TotalId>,
        total_builder: &mut TotalBuilder,
    ) -> Result<TotalId, Error> {
        total_builder.clear();
        total_builder.lexemes.push(lexeme);
        let large = rest.and_then(|rest| total_builder.add(self.total(rest)));
        self.gathered(total_builder, large.as_slice())
    }

    /// Builds the total of what has been collected and of some large sets.
    fn gathered(&self, total_builder: &mut TotalBuilder, sets: &[&TokenSet]) -> Result<TotalId, Error> {
        let TotalBuilder { tokens, lexemes, many, .. } = total_builder;
        lexemes.sort_unstable();
        lexemes.dedup();
        for &key in &*lexemes {
            let view = self.lexeme_tokens(key)?;
            if view.are_many() {
                many.push(key);
            } else {
                view.own.append_to(tokens);
            }
        }
        many.sort_unstable();
        many.dedup();
        let words = self.vocabulary().mask_words();
        if tokens.len() > MIN_TOKENS_TO_DEDUPLICATE {
            total_builder.deduplicate(words);
        }
        let TotalBuilder { tokens, many, .. } = total_builder;
        let mut large = TokenSet::empty();
        // A list that is longer than a row is stored as a row.
        if let ([set], true) = (sets, tokens.len() <= words) {
            large = (*set).clone();
        } else if !sets.is_empty() || tokens.len() > words {
            let mut row = vec![0; words];
            sets.iter().for_each(|set| set.union_into(&mut row));
            tokens.drain(..).for_each(|id| row[id.word()] |= id.bit());
            large = TokenSet::from_row(row);
        }
        let are_few = large.is_empty() && tokens.len() <= MAX_INTERNED_TOKENS;
        if are_few {
            tokens.sort_unstable();
            tokens.dedup();
        }
        let total = Total { tokens: tokens[..].into(), large, lexemes: many[..].into() };
        Ok(self.keep_total(total, are_few))
    }

    /// Stores a total; one of few tokens is interned.
    fn keep_total(&self, total: Total, are_few: bool) -> TotalId {
        let lists = size_of_val(&*total.tokens) + size_of_val(&*total.lexemes) + total.large.bytes_used();
        let spend = || self.budget.spend(size_of::<Total>() + lists);
        if !are_few {
            spend();
            return TotalId(self.totals.push(total));
        }
        let keep = |total: &Total| {
            spend();
            total.clone()
        };
        TotalId(self.totals.intern(&total, keep))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descent::Buffers;
    use crate::masks::budget::Fuel;
    use crate::node_set::continuation::ContinuationId;
    use crate::{Config, Scratch, Tuning, testing};

    /// Simulates a thread that reads a summary before another thread has stored the summaries that it uses.
    #[test]
    fn what_is_used_and_not_yet_noted_is_found() {
        let words = ["a", "ab", "abc", "(", "((", "(a", ")", "b"];
        let lexicon = testing::lexicon(&words);
        let network =
            testing::network("start ::= X ')' | Y 'b'; X ::= '(' X | Y Y 'c'; Y ::= 'a' | '(' X Y;");
        let config = Config::from(Tuning { max_state_walk_nodes: 0, ..Tuning::default() });
        let masks = || testing::masks(&network, &lexicon, &config);
        let (whole, mut users) = (masks(), 0);
        whole.mask(whole.recognizer.initial(), &mut Scratch::new(words.len())).unwrap();
        for (&key, summary) in whole.summaries.iter() {
            let Some(summary) = summary else { continue };
            users += usize::from(!summary.uses.is_empty());
            let some = masks();
            let copy = Summary::new(
                summary.tokens.clone(),
                summary.large.clone(),
                summary.lexemes.clone(),
                summary.uses.clone(),
                summary.exits.clone(),
            );
            let copy = some.keep(key, Some(copy)).as_ref().unwrap();
            let fuel = Fuel::new(&some, 1);
            let all = |masks: &Masks, summary| {
                let mut context = SummaryContext { masks, fuel: &fuel, buffers: &mut Buffers::default() };
                let total = context.total_of(summary).unwrap();
                let total = masks.total(total.expect("there is little to find"));
                let mut row = vec![0; masks.vocabulary().mask_words()];
                total.union_into(&mut row);
                (row, total.lexemes.clone())
            };
            assert_eq!(all(&some, copy), all(&whole, summary), "below {:?}", key.1 == ContinuationId::ROOT);
        }
        assert!(users > 0, "nothing uses anything");
    }
}

//! What parts take in all, together with what they use. Parts of different nodes often take the same; so what they take has a number, and
//! masks that are put together from the same are found to be the same.

use grammask_earley::Error;
use grammask_trie::{TokenId, TokenSet};
use smallvec::SmallVec;

use crate::Masks;
use crate::descent::Buffers;
use crate::descent::small_set::Seen;
use crate::descent::summary::{LexemeKey, Part, PartKey};
use crate::masks::budget::Fuel;
use crate::masks::delta_mask::change;

/// The number of a [`Taking`]. Equal ones mostly have equal numbers: those of few tokens do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TakingId(u32);

/// All that a part takes, and all that it uses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Taking {
    /// Ascending where they are few; else in no order: to be written into a row, they need not be sorted.
    pub(crate) tokens: Box<[TokenId]>,
    /// What the rules themselves scan, where that is much.
    pub(crate) large: TokenSet,
    /// Lexemes that take many tokens, which are better kept once. Ascending.
    pub(crate) lexemes: Box<[LexemeKey]>,
}

impl Taking {
    /// How many tokens these are at most, without those of lexemes.
    pub(crate) fn len(&self) -> usize {
        self.tokens.len() + self.large.len()
    }

    /// Allows these tokens in a packed row, without those of lexemes.
    pub(crate) fn union_into(&self, words: &mut [u32]) {
        change(&[], &self.tokens, words);
        self.large.union_into(words);
    }
}

/// A rule that scans more tokens than this by itself has them put into a row with what it uses.
pub(crate) const MANY_MORE: usize = 4096;

/// Of more tokens, those that have come several times are left out: what is used by several rules comes with each of them.
const MANY: usize = 256;

/// Of more tokens it is not looked for whether something else takes the same: it would have to be sorted, and hardly ever does.
const FEW: usize = 128;

/// What is gathered of a taking, kept from one to the next.
#[derive(Default)]
pub(crate) struct Gathering {
    tokens: Vec<TokenId>,
    lexemes: Vec<LexemeKey>,
    /// Lexemes that take many tokens.
    many: Vec<LexemeKey>,
    seen: Seen<PartKey>,
    /// Bits of tokens that have come: all 0 but while what comes once more is left out.
    come: Vec<u32>,
}

impl Gathering {
    fn clear(&mut self) {
        self.tokens.clear();
        self.lexemes.clear();
        self.many.clear();
        self.seen.clear();
    }

    /// Adds what is known, but for what is much: that is given back.
    fn add<'a>(&mut self, known: &'a Taking) -> Option<&'a TokenSet> {
        self.tokens.extend_from_slice(&known.tokens);
        self.many.extend_from_slice(&known.lexemes);
        (!known.large.is_empty()).then_some(&known.large)
    }

    /// Leaves each token once. Takes time for the tokens, not for all of the vocabulary, of which there are `words` words of bits.
    fn leave_once(&mut self, words: usize) {
        let come = &mut self.come;
        come.resize(words, 0);
        self.tokens.retain(|id| {
            let word = &mut come[id.word()];
            let is_new = *word & id.bit() == 0;
            *word |= id.bit();
            is_new
        });
        self.tokens.iter().for_each(|id| come[id.word()] = 0);
    }
}

/// What gathering what a part takes has come to.
enum Gathered {
    All(TakingId),
    /// This has not been noted yet.
    Lacks(PartKey),
    GivenUp,
}

impl TakingId {
    /// As a number, and back.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_number(number: u32) -> Self {
        Self(number)
    }
}

impl Masks {
    /// What has this number.
    pub(crate) fn taking(&self, id: TakingId) -> &Taking {
        self.takings.get(id.0)
    }

    /// All that a part takes, with what it uses. None where something that it uses has been given up.
    pub(crate) fn taking_of(
        &self,
        part: &Part,
        fuel: &Fuel<'_>,
        buffers: &mut Buffers,
    ) -> Result<Option<TakingId>, Error> {
        loop {
            match self.gather(part, &mut buffers.gathering)? {
                Gathered::All(taking) => return Ok(Some(taking)),
                Gathered::GivenUp => return Ok(None),
                // Another thread has found it, and is just about to note it.
                Gathered::Lacks(key) if self.part(key, fuel, buffers)?.is_none() => return Ok(None),
                Gathered::Lacks(_) => {}
            }
        }
    }

    fn gather(&self, part: &Part, gathering: &mut Gathering) -> Result<Gathered, Error> {
        if let Some(&known) = part.taking.get() {
            return Ok(Gathered::All(known));
        }
        gathering.clear();
        let mut sets: SmallVec<[&TokenSet; 2]> = SmallVec::new();
        let mut parts: SmallVec<[&Part; 8]> = SmallVec::new();
        parts.push(part);
        while let Some(part) = parts.pop() {
            if let Some(&known) = part.taking.get() {
                sets.extend(gathering.add(self.taking(known)));
                continue;
            }
            gathering.tokens.extend_from_slice(&part.tokens);
            if !part.large.is_empty() {
                sets.push(&part.large);
            }
            gathering.lexemes.extend_from_slice(&part.lexemes);
            for &key in part.uses.iter().filter(|&&key| gathering.seen.insert(key)) {
                match self.parts.get(&key) {
                    Some(Some(used)) => parts.push(used),
                    Some(None) => return Ok(Gathered::GivenUp),
                    None => return Ok(Gathered::Lacks(key)),
                }
            }
        }
        let taking = self.gathered(gathering, &sets)?;
        Ok(Gathered::All(*part.taking.get_or_init(|| taking)))
    }

    /// All that a lexeme takes, and behind it what has been found there.
    pub(crate) fn taking_of_lexeme(
        &self,
        lexeme: LexemeKey,
        behind: Option<TakingId>,
        gathering: &mut Gathering,
    ) -> Result<TakingId, Error> {
        gathering.clear();
        gathering.lexemes.push(lexeme);
        let large = behind.and_then(|behind| gathering.add(self.taking(behind)));
        self.gathered(gathering, large.as_slice())
    }

    /// What has been gathered, and some sets of many tokens.
    fn gathered(&self, gathering: &mut Gathering, sets: &[&TokenSet]) -> Result<TakingId, Error> {
        let Gathering { tokens, lexemes, many, .. } = gathering;
        lexemes.sort_unstable();
        lexemes.dedup();
        for &key in &*lexemes {
            let taken = self.lexeme_tokens(key)?;
            if taken.are_many() {
                many.push(key);
            } else {
                taken.own.append_to(tokens);
            }
        }
        many.sort_unstable();
        many.dedup();
        let words = self.vocabulary().mask_words();
        if tokens.len() > MANY {
            gathering.leave_once(words);
        }
        let Gathering { tokens, many, .. } = gathering;
        let mut large = TokenSet::empty();
        // A list that is longer than a row is better one.
        if let ([set], true) = (sets, tokens.len() <= words) {
            large = (*set).clone();
        } else if !sets.is_empty() || tokens.len() > words {
            let mut row = vec![0; words];
            sets.iter().for_each(|set| set.union_into(&mut row));
            tokens.drain(..).for_each(|id| row[id.word()] |= id.bit());
            large = TokenSet::from_row(row);
        }
        let are_few = large.is_empty() && tokens.len() <= FEW;
        if are_few {
            tokens.sort_unstable();
            tokens.dedup();
        }
        let taking = Taking { tokens: tokens[..].into(), large, lexemes: many[..].into() };
        Ok(self.keep_taking(taking, are_few))
    }

    /// Keeps what is taken; where it is few, once with what is equal.
    fn keep_taking(&self, taking: Taking, are_few: bool) -> TakingId {
        let lists = size_of_val(&*taking.tokens) + size_of_val(&*taking.lexemes) + taking.large.bytes_used();
        let spend = || self.budget.spend(size_of::<Taking>() + lists);
        if !are_few {
            spend();
            return TakingId(self.takings.push(taking));
        }
        let keep = |taking: &Taking| {
            spend();
            taking.clone()
        };
        TakingId(self.takings.intern(&taking, keep))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node_set::interned::ContinuationId;
    use crate::{Config, Scratch, testing};

    /// As when one thread notes what it has found, and another has read only some of it.
    #[test]
    fn what_is_used_and_not_yet_noted_is_found() {
        let words = ["a", "ab", "abc", "(", "((", "(a", ")", "b"];
        let lexicon = testing::lexicon(&words);
        let network =
            testing::network("start ::= X ')' | Y 'b'; X ::= '(' X | Y Y 'c'; Y ::= 'a' | '(' X Y;");
        let config = Config { light: 0, ..Config::default() };
        let masks = || testing::masks(&network, &lexicon, &config);
        let (whole, mut users) = (masks(), 0);
        whole.mask(whole.recognizer.initial(), &mut Scratch::new(words.len())).unwrap();
        for (&key, part) in whole.parts.iter() {
            let Some(part) = part else { continue };
            users += usize::from(!part.uses.is_empty());
            let some = masks();
            let copy = Part::new(
                part.tokens.clone(),
                part.large.clone(),
                part.lexemes.clone(),
                part.uses.clone(),
                part.handovers.clone(),
            );
            let copy = some.keep(key, Some(copy)).as_ref().unwrap();
            let fuel = Fuel::new(&some, 1);
            let all = |masks: &Masks, part| {
                let taking = masks.taking_of(part, &fuel, &mut Buffers::default()).unwrap();
                let taking = masks.taking(taking.expect("there is little to find"));
                let mut row = vec![0; masks.vocabulary().mask_words()];
                taking.union_into(&mut row);
                (row, taking.lexemes.clone())
            };
            assert_eq!(all(&some, copy), all(&whole, part), "below {:?}", key.1 == ContinuationId::WHOLE);
        }
        assert!(users > 0, "nothing uses anything");
    }
}

//! What parts take in all, together with what they use. Parts of different nodes often take the same; so what they take has a number, and
//! masks that are put together from the same are found to be the same.

use grammask_earley::Error;
use grammask_trie::{TokenId, TokenSet};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::Masks;
use crate::parts::{LexemeKey, Part, PartKey};

/// The number of a [`Taking`]. Equal ones mostly have equal numbers: those of few tokens do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TakingId(u32);

/// All that a part takes, and all that it uses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Taking {
    /// Ascending where they are few; else in no order, and perhaps some of them several times: to be written into a row, they need
    /// not be sorted.
    pub(crate) tokens: Box<[TokenId]>,
    /// What the rules themselves scan, where that is much.
    pub(crate) large: TokenSet,
    /// Lexemes that take many tokens, which are better kept once. Ascending.
    pub(crate) lexemes: Box<[LexemeKey]>,
}

/// More tokens than this are kept as a row.
const MANY_MORE: usize = 1024;

/// Of more tokens it is not looked for whether something else takes the same: it would have to be sorted, and hardly ever does.
const FEW: usize = 128;

/// Parts that have been met: mostly few.
#[derive(Default)]
struct Seen {
    few: SmallVec<[PartKey; 16]>,
    many: FxHashSet<PartKey>,
}

impl Seen {
    /// Notes a part; whether it is new.
    fn insert(&mut self, key: PartKey) -> bool {
        if !self.many.is_empty() {
            return self.many.insert(key);
        }
        if self.few.contains(&key) {
            return false;
        }
        if self.few.len() == self.few.inline_size() {
            self.many.extend(self.few.iter().copied().chain([key]));
        } else {
            self.few.push(key);
        }
        true
    }
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

    /// All that a part takes, with what it uses. None where something that it uses is not there: another thread is just
    /// about to note it, or has given it up before.
    pub(crate) fn taking_of(&self, part: &Part) -> Result<Option<TakingId>, Error> {
        if let Some(&known) = part.taking.get() {
            return Ok(Some(known));
        }
        let mut large: SmallVec<[&TokenSet; 2]> = SmallVec::new();
        let mut tokens: SmallVec<[TokenId; 64]> = SmallVec::new();
        let mut lexemes: SmallVec<[LexemeKey; 16]> = SmallVec::new();
        let mut many: SmallVec<[LexemeKey; 16]> = SmallVec::new();
        let mut seen = Seen::default();
        let mut parts: SmallVec<[&Part; 8]> = SmallVec::new();
        parts.push(part);
        while let Some(part) = parts.pop() {
            if let Some(&known) = part.taking.get() {
                let known = self.taking(known);
                tokens.extend_from_slice(&known.tokens);
                many.extend_from_slice(&known.lexemes);
                if !known.large.is_empty() {
                    large.push(&known.large);
                }
                continue;
            }
            if part.tokens.len() > MANY_MORE {
                large.push(&part.tokens);
            } else {
                tokens.extend(part.tokens.iter());
            }
            lexemes.extend_from_slice(&part.lexemes);
            for key in part.uses.iter().filter(|&&key| seen.insert(key)) {
                match self.parts.get(key) {
                    Some(Some(used)) => parts.push(used),
                    Some(None) | None => return Ok(None),
                }
            }
        }
        lexemes.sort_unstable();
        lexemes.dedup();
        for key in lexemes {
            let taken = self.lexeme_tokens(key)?;
            if taken.are_many() {
                many.push(key);
            } else {
                tokens.extend(taken.own.iter());
            }
        }
        many.sort_unstable();
        many.dedup();
        let mut row = Vec::new();
        // What is used by several rules comes several times; where that may be much, each once is worth a row.
        if !large.is_empty() || tokens.len() > MANY_MORE {
            row.resize(self.vocabulary().mask_words(), 0);
            large.iter().for_each(|set| set.union_into(&mut row));
            tokens.drain(..).for_each(|id| row[id.word()] |= id.bit());
        }
        let large = TokenSet::from_words(&row);
        let are_few = large.is_empty() && tokens.len() <= FEW;
        if are_few {
            tokens.sort_unstable();
            tokens.dedup();
        }
        let taking = Taking { tokens: tokens[..].into(), large, lexemes: many[..].into() };
        Ok(Some(*part.taking.get_or_init(|| self.keep_taking(taking, are_few))))
    }

    /// Keeps what a part takes; where it is few, once with what is equal.
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

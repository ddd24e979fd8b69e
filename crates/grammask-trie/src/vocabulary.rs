//! The vocabulary: what bytes each token id stands for, which ids are special, and the trie over it all. Immutable,
//! plain data, to be shared by every grammar.

use std::fmt;

use crate::display::Escaped;
use crate::error::Broken;
use crate::{Config, EntryPlace, Error, TokenId, Trie};

mod build;
mod fingerprint;
mod texts;

pub(crate) use build::Builder;
pub use fingerprint::checksum;
use texts::Texts;

/// The tokens of a model: ordinary ones, which stand for bytes, and special ones, which have a name and no bytes.
///
/// Ids may have gaps, several ids may have the same bytes, tokens may be empty or no UTF-8. An id is ordinary, special or
/// unknown (a gap): never two of these.
///
/// ```
/// # use grammask_trie::{Config, TokenId, Vocabulary};
/// let tokens = [(TokenId(0), b"a".to_vec()), (TokenId(1), b"ab".to_vec()), (TokenId(5), vec![0xff])];
/// let special = [(TokenId(7), "<|end|>".to_string())];
/// let vocabulary = Vocabulary::new(tokens, special, &Config::default())?;
/// assert_eq!(vocabulary.bytes(TokenId(1)), Some(&b"ab"[..]));
/// assert_eq!(vocabulary.bytes(TokenId(7)), None);
/// assert_eq!(vocabulary.special("<|end|>"), Some(TokenId(7)));
/// assert_eq!(vocabulary.id_count(), 8);
/// assert_eq!(vocabulary.to_string(), "3 tokens, 1 special, ids below 8 (4 unknown), longest 2 bytes");
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// # Cost
///
/// 8 bytes a token and the bytes of those that have more than 7, 4 bytes a token for the trie's list, 2 bits an id, and 11 bytes a trie node:
/// 5.0 MB for the 128,000 tokens of Llama 3.
///
/// # Invariants
///
/// Tested by [`Vocabulary::check`]:
///
/// 1. the trie is sound and holds each ordinary token, at the node of its bytes, and nothing else;
/// 2. special tokens stand by strictly ascending id, and their names differ;
/// 3. no id is both ordinary and special;
/// 4. the highest id is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    ordinary: Ranks,
    /// The bytes of each ordinary token, in order of ids.
    texts: Texts,
    /// By id.
    specials: Box<[(TokenId, Box<str>)]>,
    /// Places in `specials`, by name.
    by_name: Box<[u32]>,
    trie: Trie,
    id_count: u32,
    longest: u16,
    every_byte: bool,
    fingerprint: u128,
}

impl Vocabulary {
    /// Makes a vocabulary from ordinary tokens and special ones, each in any order.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateId`] where an id comes twice: two ordinary tokens, two special ones, or one of each (which of the two
    /// would be meant cannot be told). [`Error::DuplicateName`] where two special tokens have the same name.
    /// [`Error::IdTooLarge`], [`Error::TokenTooLong`], [`Error::TooManyBytes`] by the limits of `config`.
    ///
    /// # Complexity
    ///
    /// O(t log t + b) for t tokens of b bytes.
    pub fn new(
        tokens: impl IntoIterator<Item = (TokenId, Vec<u8>)>,
        special: impl IntoIterator<Item = (TokenId, String)>,
        config: &Config,
    ) -> Result<Self, Error> {
        let mut builder = Builder::new(config);
        for (id, bytes) in tokens {
            builder.token(id.0.into(), &bytes)?;
        }
        for (id, name) in special {
            builder.special(id.0.into(), &name)?;
        }
        builder.finish()
    }

    /// The same vocabulary with more special tokens: for formats that do not name them, such as tiktoken's. It costs as much
    /// as making it anew.
    ///
    /// # Errors
    ///
    /// As [`Vocabulary::new`].
    pub fn with_special(
        &self,
        special: impl IntoIterator<Item = (TokenId, String)>,
        config: &Config,
    ) -> Result<Self, Error> {
        let mut builder = Builder::new(config);
        for (id, bytes) in self.tokens() {
            builder.at(EntryPlace::Vocabulary).token(id.0.into(), bytes)?;
        }
        for (id, name) in self.specials() {
            builder.at(EntryPlace::Vocabulary).special(id.0.into(), name)?;
        }
        for ((id, name), number) in special.into_iter().zip(1..) {
            builder.at(EntryPlace::Special(number)).special(id.0.into(), &name)?;
        }
        builder.finish()
    }

    /// One more than the highest id, ordinary or special; 0 without any. Mask rows have this many bits.
    #[inline]
    pub fn id_count(&self) -> usize {
        self.id_count as usize
    }

    /// The number of 32-bit words of a mask row: `id_count` / 32, rounded up.
    #[inline]
    pub fn mask_words(&self) -> usize {
        self.id_count().div_ceil(32)
    }

    /// The number of ordinary tokens.
    #[inline]
    pub fn token_count(&self) -> usize {
        self.texts.len()
    }

    /// The bytes of an ordinary token; none for special tokens and unknown ids. O(1).
    #[inline]
    pub fn bytes(&self, id: TokenId) -> Option<&[u8]> {
        self.ordinary.rank(id).map(|place| self.texts.get(place))
    }

    /// The special token of that name. O(log s) for s special tokens.
    pub fn special(&self, name: &str) -> Option<TokenId> {
        let place = self
            .by_name
            .binary_search_by(|&place| self.specials[place as usize].1.as_ref().cmp(name))
            .ok()?;
        Some(self.specials[self.by_name[place] as usize].0)
    }

    /// The name of a special token; none for ordinary tokens and unknown ids. O(log s) for s special tokens.
    pub fn special_name(&self, id: TokenId) -> Option<&str> {
        let place = self.specials.binary_search_by_key(&id, |&(special, _)| special).ok()?;
        Some(&self.specials[place].1)
    }

    /// Whether the id is a token, ordinary or special.
    pub fn is_known(&self, id: TokenId) -> bool {
        self.ordinary.rank(id).is_some() || self.special_name(id).is_some()
    }

    /// The ordinary tokens with their bytes, by ascending id.
    pub fn tokens(&self) -> impl Iterator<Item = (TokenId, &[u8])> + '_ {
        self.ordinary.ids().zip(self.texts.iter())
    }

    /// The special tokens with their names, by ascending id.
    pub fn specials(&self) -> impl ExactSizeIterator<Item = (TokenId, &str)> + '_ {
        self.specials.iter().map(|(id, name)| (*id, name.as_ref()))
    }

    /// The trie over the ordinary tokens.
    #[inline]
    pub fn trie(&self) -> &Trie {
        &self.trie
    }

    /// The length of the longest ordinary token, in bytes; 0 without any.
    #[inline]
    pub fn longest_token(&self) -> usize {
        usize::from(self.longest)
    }

    /// Whether each of the 256 bytes is a token by itself: then wherever some text goes on, some token does, unless it is given another meaning.
    #[inline]
    pub fn has_every_byte(&self) -> bool {
        self.every_byte
    }

    /// The memory that the vocabulary holds, in bytes, its trie included.
    pub fn bytes_used(&self) -> usize {
        let names: usize = self.specials.iter().map(|(_, name)| name.len()).sum();
        self.ordinary.bytes_used()
            + self.texts.bytes_used()
            + size_of_val(&*self.specials)
            + names
            + size_of_val(&*self.by_name)
            + self.trie.bytes_used()
    }

    /// A hash of the content: equal for equal vocabularies, on every machine and in every version that keeps this definition.
    ///
    /// The content is read as 64-bit words w. First all ordinary tokens by ascending id, then all special ones; each as one
    /// word `id * 2^32 + length`, and then its bytes (a special token's name) in little-endian groups of eight, the last one filled
    /// up with zeros. Before each of the two lists stands its length as a word. From h = 0, each word makes
    /// `h = (h xor w) * M mod 2^128` and then `h = h xor (h >> 64)`, with
    /// M = `0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835`. It is no defence against somebody who looks for collisions.
    #[inline]
    pub fn fingerprint(&self) -> u128 {
        self.fingerprint
    }

    /// A token for people: the bytes as an escaped text in double quotes, or the escaped name of a special token, or `unknown`.
    ///
    /// ```
    /// # use grammask_trie::{Config, TokenId, Vocabulary};
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"\n\xe4".to_vec())], [], &Config::default())?;
    /// assert_eq!(vocabulary.display(TokenId(0)).to_string(), r#""\n\xe4""#);
    /// # Ok::<(), grammask_trie::Error>(())
    /// ```
    pub fn display(&self, id: TokenId) -> impl fmt::Display + '_ {
        TokenText { vocabulary: self, id }
    }

    /// Tests the invariants listed at [`Vocabulary`]. O(b + n) for b bytes of tokens and n trie nodes.
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold, with the token.
    pub fn check(&self) -> Result<(), Broken> {
        self.trie.check()?;
        let listed = self.trie.tokens_slice().len();
        Broken::unless(
            listed == self.token_count(),
            "the trie has as many tokens as the vocabulary",
            || format!("{listed} and {}", self.token_count()),
        )?;
        let (bytes, ends) = (self.trie.bytes_slice(), self.trie.depths_slice());
        let mut path = Vec::new();
        for n in 0..self.trie.len() {
            path.truncate(usize::from(ends[n]).saturating_sub(1));
            if n > 0 {
                path.push(bytes[n]);
            }
            for &id in self.trie.tokens(crate::NodeId(n as u32)) {
                let same = self.bytes(id) == Some(&path);
                Broken::unless(same, "a token stands at the node of its bytes", || id.to_string())?;
            }
        }
        let sorted = self.specials.is_sorted_by(|a, b| a.0 < b.0);
        Broken::unless(sorted, "special tokens ascend", || format!("{} special", self.specials.len()))?;
        for (id, name) in self.specials() {
            let found = self.special(name) == Some(id) && self.special_name(id) == Some(name);
            Broken::unless(found, "a special token is found by id and name", || id.to_string())?;
            let apart = self.ordinary.rank(id).is_none();
            Broken::unless(apart, "no id is both ordinary and special", || id.to_string())?;
        }
        let top = self.id_count.checked_sub(1).map(TokenId);
        Broken::unless(top.is_none_or(|id| self.is_known(id)), "the highest id is known", || {
            format!("{top:?}")
        })
    }
}

/// One line of numbers; `{:#}` adds all tokens, one on a line, by id.
impl fmt::Display for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tokens, special) = (self.token_count(), self.specials.len());
        write!(f, "{tokens} tokens, {special} special, ids below {}", self.id_count)?;
        let gaps = self.id_count() - tokens - special;
        if gaps > 0 {
            write!(f, " ({gaps} unknown)")?;
        }
        write!(f, ", longest {} bytes", self.longest)?;
        if f.alternate() {
            for id in (0..self.id_count).map(TokenId).filter(|&id| self.is_known(id)) {
                write!(f, "\n{id} {}", self.display(id))?;
            }
        }
        Ok(())
    }
}

struct TokenText<'a> {
    vocabulary: &'a Vocabulary,
    id: TokenId,
}

impl fmt::Display for TokenText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.vocabulary.bytes(self.id), self.vocabulary.special_name(self.id)) {
            (Some(bytes), _) => Escaped(bytes).fmt(f),
            (None, Some(name)) => write!(f, "{}", name.escape_debug()),
            (None, None) => f.write_str("unknown"),
        }
    }
}

/// A set of ids that tells the place of each among its members in constant time: two bits an id, whatever the gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ranks {
    words: Box<[u32]>,
    /// How many members stand before each word.
    before: Box<[u32]>,
}

impl Ranks {
    /// Of ascending ids.
    fn new(ids: impl Iterator<Item = TokenId>) -> Self {
        let mut words = Vec::new();
        for id in ids {
            if words.len() <= id.word() {
                words.resize(id.word() + 1, 0);
            }
            words[id.word()] |= id.bit();
        }
        let mut count = 0;
        let before = words
            .iter()
            .map(|word: &u32| {
                let before = count;
                count += word.count_ones();
                before
            })
            .collect();
        Self { words: words.into(), before }
    }

    #[inline]
    fn rank(&self, id: TokenId) -> Option<usize> {
        let word = *self.words.get(id.word())?;
        let below = (word & (id.bit() - 1)).count_ones();
        (word & id.bit() != 0).then(|| (self.before[id.word()] + below) as usize)
    }

    fn ids(&self) -> impl Iterator<Item = TokenId> + '_ {
        crate::set::mask::ones(&self.words)
    }

    fn bytes_used(&self) -> usize {
        size_of_val(&*self.words) + size_of_val(&*self.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Break = fn(&mut Vocabulary);

    #[test]
    fn each_broken_invariant_is_found() {
        let tokens = [(TokenId(0), b"a".to_vec()), (TokenId(2), b"bc".to_vec())];
        let special = [(TokenId(3), "x".to_string()), (TokenId(4), "y".to_string())];
        let sound = Vocabulary::new(tokens, special, &Config::default()).unwrap();
        sound.check().unwrap();
        let breaks: [(&str, Break); 6] = [
            ("the trie has as many tokens as the vocabulary", |v| {
                v.trie = Trie::new(&[], &Config::default()).unwrap();
            }),
            ("a token stands at the node of its bytes", |v| v.texts.spoil(1)),
            ("special tokens ascend", |v| v.specials.reverse()),
            ("a special token is found by id and name", |v| v.by_name.reverse()),
            ("no id is both ordinary and special", |v| v.specials[0].0 = TokenId(2)),
            ("the highest id is known", |v| v.id_count = 9),
        ];
        for (invariant, break_it) in breaks {
            let mut broken = sound.clone();
            break_it(&mut broken);
            assert_eq!(broken.check().unwrap_err().invariant, invariant);
        }
    }
}

//! The vocabulary: the bytes of each token id, the special tokens, and the trie over all ordinary tokens. It
//! is immutable plain data that all grammars share.

use std::fmt;

use crate::display::Escaped;
use crate::error::Violation;
use crate::{Config, EntryPlace, Error, TokenId, Trie};

mod attributes;
mod binary;
mod build;
pub(crate) mod ends;
mod fingerprint;
mod ranks;
pub(crate) mod stable_tokens;
mod token_bytes;

pub use attributes::Attributes;
pub(crate) use build::Builder;
pub use fingerprint::checksum;
use ranks::Ranks;
use token_bytes::TokenBytes;

/// The tokens of a model: ordinary tokens, which have bytes, and special tokens, which have a name and no
/// bytes.
///
/// Ids may have gaps, and several ids may have the same bytes. Tokens may be empty, and need not be UTF-8.
/// Each id is either ordinary, special or unknown (a gap).
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
/// - 12 bytes a token, and most of the bytes of tokens longer than 7 bytes;
/// - 2 bits an id;
/// - 6.25 bytes a trie node.
///
/// That is 3.6 MB for the 128,000 tokens of Llama 3.
///
/// # Invariants
///
/// Tested by [`Vocabulary::check`]:
///
/// 1. the trie is valid, and contains exactly the ordinary tokens, each at the node of its bytes;
/// 2. special tokens have strictly ascending ids, and their names differ;
/// 3. no id is both ordinary and special;
/// 4. the highest id is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    ordinary: Ranks,
    /// The bytes of each ordinary token, by rank.
    texts: TokenBytes,
    /// By id.
    specials: Box<[(TokenId, Box<str>)]>,
    /// Indices into `specials`, by name.
    by_name: Box<[u32]>,
    trie: Trie,
    id_count: u32,
    /// Length of the longest ordinary token, in bytes.
    longest: u16,
    /// True if each of the 256 bytes is a token.
    every_byte: bool,
    fingerprint: u128,
    /// Tokens that end a sequence, without repetitions.
    ends: Box<[TokenId]>,
    /// Tokens that begin a sequence, without repetitions.
    begins: Box<[TokenId]>,
    /// True if special tokens that are added later end or begin a sequence by their names.
    finds_ends: bool,
    strips_first_space: bool,
    /// Number of rows of the model's output: `id_count` or more.
    rows: u32,
}

impl Vocabulary {
    /// Builds a vocabulary from ordinary tokens and special tokens, each in any order. No token ends or
    /// begins a sequence; [`from_parts`](Self::from_parts) states them, or finds them by name.
    ///
    /// # Errors
    ///
    /// - [`Error::DuplicateId`] if an id occurs twice;
    /// - [`Error::DuplicateName`] if two special tokens have the same name;
    /// - [`Error::LimitExceeded`] if the tokens exceed a limit of `config`.
    ///
    /// # Complexity
    ///
    /// O(t log t + b) for t tokens of b bytes.
    pub fn new(
        tokens: impl IntoIterator<Item = (TokenId, Vec<u8>)>,
        special: impl IntoIterator<Item = (TokenId, String)>,
        config: &Config,
    ) -> Result<Self, Error> {
        let attributes =
            Attributes { ends: Some(Vec::new()), begins: Some(Vec::new()), ..Attributes::default() };
        Self::from_parts(tokens, special, attributes, config)
    }

    /// Builds a vocabulary as [`new`](Self::new) does, with attributes.
    ///
    /// ```
    /// # use grammask_trie::{Attributes, Config, TokenId, Vocabulary};
    /// let tokens = [(TokenId(0), b"a".to_vec()), (TokenId(1), b"\n\n".to_vec())];
    /// let attributes = Attributes { ends: Some(vec![TokenId(1)]), rows: Some(64), ..Attributes::default() };
    /// let vocabulary = Vocabulary::from_parts(tokens, [], attributes, &Config::default())?;
    /// assert_eq!((vocabulary.ends(), vocabulary.rows()), (&[TokenId(1)][..], 64));
    /// # Ok::<(), grammask_trie::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// - as [`new`](Self::new);
    /// - [`Error::UnknownToken`] if the attributes name a token that is neither ordinary nor special;
    /// - [`Error::TooFewRows`] if there are fewer rows than ids.
    ///
    /// # Complexity
    ///
    /// As [`new`](Self::new).
    pub fn from_parts(
        tokens: impl IntoIterator<Item = (TokenId, Vec<u8>)>,
        special: impl IntoIterator<Item = (TokenId, String)>,
        attributes: Attributes,
        config: &Config,
    ) -> Result<Self, Error> {
        let mut builder = Builder::new(config);
        builder.attributes = attributes;
        for (id, bytes) in tokens {
            builder.token(id.0.into(), &bytes)?;
        }
        for (id, name) in special {
            builder.special(id.0.into(), &name)?;
        }
        builder.finish()
    }

    /// Returns this vocabulary with more special tokens, for file formats without special tokens such as
    /// tiktoken. If the ends were found by name, the new tokens with such names are ends as well.
    ///
    /// # Errors
    ///
    /// As [`Vocabulary::new`].
    ///
    /// # Complexity
    ///
    /// As [`Vocabulary::new`].
    pub fn with_special(
        &self,
        special: impl IntoIterator<Item = (TokenId, String)>,
        config: &Config,
    ) -> Result<Self, Error> {
        let mut builder = self.to_builder(config)?;
        for ((id, name), number) in special.into_iter().zip(1..) {
            builder.at(EntryPlace::Special(number)).special(id.0.into(), &name)?;
        }
        self.extended(builder)
    }

    /// Returns a builder with the tokens of this vocabulary, to add others.
    pub(crate) fn to_builder<'c>(&self, config: &'c Config) -> Result<Builder<'c>, Error> {
        let mut builder = Builder::new(config);
        builder.attributes = self.attributes();
        for (id, bytes) in self.tokens() {
            builder.at(EntryPlace::Vocabulary).token(id.0.into(), bytes)?;
        }
        for (id, name) in self.specials() {
            builder.at(EntryPlace::Vocabulary).special(id.0.into(), name)?;
        }
        Ok(builder)
    }

    /// Returns the vocabulary of a builder that was made of this one.
    pub(crate) fn extended(&self, builder: Builder<'_>) -> Result<Self, Error> {
        let mut vocabulary = builder.finish()?;
        vocabulary.finds_ends = self.finds_ends;
        if self.finds_ends {
            vocabulary.add_named();
        }
        vocabulary.rows = vocabulary.rows.max(self.rows);
        Ok(vocabulary)
    }

    /// Returns the highest id plus one, ordinary or special: the number of bits of a mask. Returns 0 if there
    /// is no id.
    #[inline]
    pub fn id_count(&self) -> usize {
        self.id_count as usize
    }

    /// Returns the number of 32-bit words of a mask row: `id_count` / 32, rounded up.
    #[inline]
    pub fn mask_words(&self) -> usize {
        self.id_count().div_ceil(32)
    }

    /// Returns the number of ordinary tokens.
    #[inline]
    pub fn token_count(&self) -> usize {
        self.texts.len()
    }

    /// Returns the bytes of an ordinary token in O(1). Returns `None` for special tokens and unknown ids.
    #[inline]
    pub fn bytes(&self, id: TokenId) -> Option<&[u8]> {
        self.ordinary.rank(id).map(|rank| self.texts.get(rank))
    }

    /// Returns the special token with a name. Returns `None` if there is no such token.
    ///
    /// # Complexity
    ///
    /// O(log s) for s special tokens.
    pub fn special(&self, name: &str) -> Option<TokenId> {
        let found = self
            .by_name
            .binary_search_by(|&index| self.specials[index as usize].1.as_ref().cmp(name))
            .ok()?;
        Some(self.specials[self.by_name[found] as usize].0)
    }

    /// Returns the name of a special token. Returns `None` for ordinary tokens and unknown ids.
    ///
    /// # Complexity
    ///
    /// O(log s) for s special tokens.
    pub fn special_name(&self, id: TokenId) -> Option<&str> {
        let found = self.specials.binary_search_by_key(&id, |&(special, _)| special).ok()?;
        Some(&self.specials[found].1)
    }

    /// Returns true if the id is a token, ordinary or special.
    pub fn is_known(&self, id: TokenId) -> bool {
        self.ordinary.rank(id).is_some() || self.special_name(id).is_some()
    }

    /// Returns the ordinary tokens with their bytes, by ascending id.
    pub fn tokens(&self) -> impl Iterator<Item = (TokenId, &[u8])> + '_ {
        self.ordinary.ids().zip(self.texts.iter())
    }

    /// Returns the special tokens with their names, by ascending id.
    pub fn special_tokens(&self) -> impl ExactSizeIterator<Item = (TokenId, &str)> + '_ {
        self.specials()
    }

    /// Returns the special tokens with their names, as [`special_tokens`](Self::special_tokens).
    pub fn specials(&self) -> impl ExactSizeIterator<Item = (TokenId, &str)> + '_ {
        self.specials.iter().map(|(id, name)| (*id, name.as_ref()))
    }

    /// Returns the trie of the ordinary tokens.
    #[inline]
    pub fn trie(&self) -> &Trie {
        &self.trie
    }

    /// Returns the length of the longest ordinary token, in bytes. Returns 0 if there is no token.
    #[inline]
    pub fn longest_token(&self) -> usize {
        usize::from(self.longest)
    }

    /// Returns true if each of the 256 bytes is a token by itself. Then every continuation of a text begins
    /// with a token.
    #[inline]
    pub fn has_every_byte(&self) -> bool {
        self.every_byte
    }

    /// Returns the memory that the vocabulary holds, in bytes, including its trie.
    pub fn bytes_used(&self) -> usize {
        let names: usize = self.specials.iter().map(|(_, name)| name.len()).sum();
        self.ordinary.bytes_used()
            + self.texts.bytes_used()
            + size_of_val(&*self.specials)
            + names
            + size_of_val(&*self.by_name)
            + self.trie.bytes_used()
    }

    /// Returns a hash of the content. Equal vocabularies have equal hashes, on every machine and in every
    /// version with this definition. The hash is not cryptographic: collisions can be constructed.
    ///
    /// The content is a sequence of 64-bit words w: the list of ordinary tokens, then the list of special
    /// tokens. A list is its length, and then its tokens by ascending id. A token is the word `id * 2^32 +
    /// length`, and then its bytes, or the bytes of its name, in little-endian groups of eight, padded with
    /// zeros. The hash h begins with 0, and each word changes it to `h = (h xor w) * M mod 2^128` and then to
    /// `h = h xor (h >> 64)`, with M = `0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835`.
    #[inline]
    pub fn fingerprint(&self) -> u128 {
        self.fingerprint
    }

    /// Displays a token: its bytes as an escaped text in double quotes, its name if it is special, and
    /// otherwise `unknown`.
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

    /// Tests the invariants listed at [`Vocabulary`].
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold, with its token.
    ///
    /// # Complexity
    ///
    /// O(b + n) for b bytes of tokens and n trie nodes.
    pub fn check(&self) -> Result<(), Violation> {
        self.trie.check()?;
        let columns = self.trie.columns();
        let listed = columns.tokens.len();
        Violation::check(
            listed == self.token_count(),
            "the trie has as many tokens as the vocabulary",
            || format!("{listed} and {}", self.token_count()),
        )?;
        let mut path = Vec::new();
        for node in self.trie.nodes() {
            let n = node.index();
            path.truncate(columns.depth(n).saturating_sub(1));
            if n > 0 {
                path.push(columns.bytes[n]);
            }
            for &id in self.trie.tokens(node) {
                let is_equal = self.bytes(id) == Some(&path);
                Violation::check(is_equal, "a token ends at the node of its bytes", || id.to_string())?;
            }
        }
        let is_sorted = self.specials.is_sorted_by(|a, b| a.0 < b.0);
        Violation::check(is_sorted, "special tokens ascend", || format!("{} special", self.specials.len()))?;
        for (id, name) in self.specials() {
            let is_found = self.special(name) == Some(id) && self.special_name(id) == Some(name);
            Violation::check(is_found, "a special token is found by id and name", || id.to_string())?;
            let is_disjoint = self.ordinary.rank(id).is_none();
            Violation::check(is_disjoint, "no id is both ordinary and special", || id.to_string())?;
        }
        let highest = self.id_count.checked_sub(1).map(TokenId);
        let is_known = highest.is_none_or(|id| self.is_known(id));
        Violation::check(is_known, "the highest id is known", || format!("{highest:?}"))
    }
}

/// Displays the sizes in one line. `{:#}` adds all tokens, one per line, by id.
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

/// Displays one token: see [`Vocabulary::display`].
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

#[cfg(test)]
mod tests {
    use super::*;

    type Corruption = fn(&mut Vocabulary);

    #[test]
    fn each_broken_invariant_is_found() {
        let tokens = [(TokenId(0), b"a".to_vec()), (TokenId(2), b"bc".to_vec())];
        let special = [(TokenId(3), "x".to_string()), (TokenId(4), "y".to_string())];
        let valid = Vocabulary::new(tokens, special, &Config::default()).unwrap();
        valid.check().unwrap();
        let corruptions: [(&str, Corruption); 6] = [
            ("the trie has as many tokens as the vocabulary", |v| {
                v.trie = Trie::new(&[], &Config::default()).unwrap();
            }),
            ("a token ends at the node of its bytes", |v| v.texts.corrupt(1)),
            ("special tokens ascend", |v| v.specials.reverse()),
            ("a special token is found by id and name", |v| v.by_name.reverse()),
            ("no id is both ordinary and special", |v| v.specials[0].0 = TokenId(2)),
            ("the highest id is known", |v| v.id_count = 9),
        ];
        for (invariant, corrupt) in corruptions {
            let mut broken = valid.clone();
            corrupt(&mut broken);
            assert_eq!(broken.check().unwrap_err().invariant, invariant);
        }
    }
}

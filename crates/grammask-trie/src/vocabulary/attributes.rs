//! Facts of a vocabulary besides its tokens: ends and beginnings of sequences, rows of the model.

use std::collections::BTreeSet;

use super::{Vocabulary, ends};
use crate::{Config, Error, TokenId};

/// Facts of a vocabulary besides its tokens. The default states nothing: ends and beginnings are
/// found by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Tokens that end a sequence, ordinary or special. `None`: the special tokens that do so by their names
    /// in known models.
    pub ends: Option<Vec<TokenId>>,
    /// Tokens that begin a sequence. `None`: the special tokens that do so by their names in known models.
    pub begins: Option<Vec<TokenId>>,
    /// True if the model's decoder removes one space at the beginning of a text.
    pub strips_first_space: bool,
    /// Number of logits of the model, if it is more than the highest id plus one.
    pub rows: Option<usize>,
}

impl Vocabulary {
    /// Returns the tokens that end a sequence: those that the file says, then those by name. They are special
    /// tokens, unless the file or the caller names an ordinary one.
    ///
    /// ```
    /// # use grammask_trie::{Attributes, Config, TokenId, Vocabulary};
    /// let special = [(TokenId(1), "<|im_start|>".into()), (TokenId(2), "<|im_end|>".into())];
    /// let tokens = [(TokenId(0), b"a".to_vec())];
    /// let vocabulary = Vocabulary::from_parts(tokens, special, Attributes::default(), &Config::default())?;
    /// assert_eq!(vocabulary.ends(), [TokenId(2)]);
    /// # Ok::<(), grammask_trie::Error>(())
    /// ```
    #[inline]
    pub fn ends(&self) -> &[TokenId] {
        &self.ends
    }

    /// Returns the tokens that begin a sequence: those that the file says, otherwise those by name.
    #[inline]
    pub fn begins(&self) -> &[TokenId] {
        &self.begins
    }

    /// Returns true if the model's decoder removes one space at the beginning of a text, as the decoders of
    /// SentencePiece models do. The tokens have this space: ` the` has four bytes. So a grammar for such a
    /// model allows one space in front of the output.
    #[inline]
    pub fn strips_first_space(&self) -> bool {
        self.strips_first_space
    }

    /// Returns the number of logits of the model: at least [`id_count`](Self::id_count). Models often have
    /// more, as their matrices have round sizes. A mask row for all of them has `rows() / 32` words, rounded
    /// up; the bits beyond the vocabulary are 0.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// Returns this vocabulary with other tokens that end a sequence, instead of its own.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownToken`] if a token is neither ordinary nor special.
    pub fn with_ends(mut self, ends: impl IntoIterator<Item = TokenId>) -> Result<Self, Error> {
        self.ends = self.checked("the list of ends", ends)?;
        self.finds_ends = false;
        Ok(self)
    }

    /// Returns this vocabulary with other tokens that begin a sequence, instead of its own.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownToken`] if a token is neither ordinary nor special.
    pub fn with_begins(mut self, begins: impl IntoIterator<Item = TokenId>) -> Result<Self, Error> {
        self.begins = self.checked("the list of beginnings", begins)?;
        Ok(self)
    }

    /// Returns this vocabulary for a model with this number of logits.
    ///
    /// # Errors
    ///
    /// - [`Error::TooFewRows`] if there are fewer rows than ids;
    /// - [`Error::LimitExceeded`] if there are more than `max_ids`.
    pub fn with_rows(mut self, rows: usize, config: &Config) -> Result<Self, Error> {
        self.rows = self.checked_rows(rows, config)?;
        Ok(self)
    }

    /// Returns the special tokens whose names look as if they could end a sequence, by ascending id. See
    /// [`looks_like_end`](crate::looks_like_end).
    ///
    /// # Complexity
    ///
    /// O(s) for s special tokens.
    pub fn likely_ends(&self) -> impl Iterator<Item = (TokenId, &str)> + '_ {
        self.specials().filter(|(_, name)| ends::looks_like_end(name))
    }

    /// Sets the attributes. Ends and beginnings that are not stated are found by name.
    pub(super) fn set_attributes(&mut self, attributes: &Attributes, config: &Config) -> Result<(), Error> {
        self.ends = match &attributes.ends {
            Some(stated) => self.checked("the list of ends", stated.iter().copied())?,
            None => ends::by_name(self.specials()).into(),
        };
        self.begins = match &attributes.begins {
            Some(stated) => self.checked("the list of beginnings", stated.iter().copied())?,
            None => ends::begins_by_name(self.specials()).into(),
        };
        self.strips_first_space = attributes.strips_first_space;
        if let Some(rows) = attributes.rows {
            self.rows = self.checked_rows(rows, config)?;
        }
        Ok(())
    }

    /// Returns the attributes, to build this vocabulary again.
    pub(super) fn attributes(&self) -> Attributes {
        Attributes {
            ends: Some(self.ends.to_vec()),
            begins: Some(self.begins.to_vec()),
            strips_first_space: self.strips_first_space,
            // `with_special` keeps the rows, which may become too few.
            rows: None,
        }
    }

    /// Adds the ends and beginnings by name to those that are stated.
    pub(super) fn add_named(&mut self) {
        let add = |stated: &[TokenId], named: Vec<TokenId>| {
            let more = named.into_iter().filter(|id| !stated.contains(id));
            stated.iter().copied().chain(more).collect::<Box<[TokenId]>>()
        };
        self.ends = add(&self.ends, ends::by_name(self.specials()));
        self.begins = add(&self.begins, ends::begins_by_name(self.specials()));
    }

    /// Returns a number of rows that is not below the number of ids.
    fn checked_rows(&self, rows: usize, config: &Config) -> Result<u32, Error> {
        if rows < self.id_count() {
            return Err(Error::TooFewRows { rows, ids: self.id_count() });
        }
        match (rows as u64).checked_sub(1) {
            Some(highest) => Ok(config.limits.check_id(highest)?.0 + 1),
            None => Ok(0),
        }
    }

    /// Returns known tokens without repetitions, in their order.
    fn checked(&self, key: &str, ids: impl IntoIterator<Item = TokenId>) -> Result<Box<[TokenId]>, Error> {
        let (mut checked, mut seen) = (Vec::new(), BTreeSet::new());
        for id in ids {
            if !self.is_known(id) {
                return Err(Error::UnknownToken { key: key.to_owned(), token: id.to_string() });
            }
            if seen.insert(id) {
                checked.push(id);
            }
        }
        Ok(checked.into())
    }
}

//! The packed mask row that inference engines take: one bit per token.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::bits::popcount::count_ones;
use crate::display::write_ids;
use crate::error::{RowTooShort, Violation};
use crate::{TokenId, TokenSet, clone_row, copy_row};

/// The allowed tokens as a packed row: token t is bit t % 32 of word t / 32, and a set bit means allowed.
///
/// A mask has one bit for each id below its `id_count`. The unused bits of the last word are 0. Other ids are
/// never allowed, and [`Mask::allow`] ignores them. Equal masks have equal words.
///
/// ```
/// # use grammask_trie::{Mask, TokenId};
/// let mut mask = Mask::new(40);
/// mask.allow(TokenId(3));
/// mask.allow(TokenId(33));
/// assert_eq!(mask.as_words(), [0b1000, 0b10]);
/// assert_eq!(mask.to_string(), "2 of 40: 3, 33");
/// let mut logits = [0.5; 64];
/// mask.apply(&mut logits);
/// assert_eq!((logits[3], logits[4], logits[63]), (0.5, f32::NEG_INFINITY, f32::NEG_INFINITY));
/// ```
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Mask {
    words: Box<[u32]>,
    id_count: u32,
}

impl Clone for Mask {
    fn clone(&self) -> Self {
        Self { words: clone_row(&self.words).into(), id_count: self.id_count }
    }
}

impl Mask {
    /// Returns a mask for the ids below `id_count` that allows none. An `id_count` above 2^32 - 1 is reduced
    /// to that.
    pub fn new(id_count: usize) -> Self {
        let id_count = u32::try_from(id_count).unwrap_or(u32::MAX);
        Self { words: vec![0; id_count.div_ceil(32) as usize].into(), id_count }
    }

    /// Converts a packed row to a mask for the ids below `id_count`, without a copy. Clears bits beyond
    /// `id_count`, and allows no ids beyond the end of the row.
    ///
    /// ```
    /// # use grammask_trie::{Mask, TokenId};
    /// let mask = Mask::from_words(33, vec![0b101, u32::MAX, 7]);
    /// assert!(mask.iter().eq([0, 2, 32].map(TokenId)));
    /// ```
    pub fn from_words(id_count: usize, mut words: Vec<u32>) -> Self {
        let id_count = u32::try_from(id_count).unwrap_or(u32::MAX);
        words.resize(id_count.div_ceil(32) as usize, 0);
        let mut mask = Self { words: words.into(), id_count };
        mask.clear_padding();
        mask
    }

    /// Returns the number of ids of the mask.
    #[inline]
    pub fn id_count(&self) -> usize {
        self.id_count as usize
    }

    /// Allows a token. Ignores ids that are not below `id_count`.
    #[inline]
    pub fn allow(&mut self, id: TokenId) {
        if id.0 < self.id_count {
            self.words[id.word()] |= id.bit();
        }
    }

    /// Forbids a token.
    #[inline]
    pub fn forbid(&mut self, id: TokenId) {
        if let Some(word) = self.words.get_mut(id.word()) {
            *word &= !id.bit();
        }
    }

    /// Returns true if a token is allowed.
    #[inline]
    pub fn allows(&self, id: TokenId) -> bool {
        self.words.get(id.word()).is_some_and(|word| word & id.bit() != 0)
    }

    /// Returns the allowed tokens, ascending.
    pub fn iter(&self) -> SetBits<'_> {
        set_bits(&self.words)
    }

    /// Returns the number of allowed tokens.
    pub fn count(&self) -> usize {
        count_ones(&self.words)
    }

    /// Returns true if no token is allowed.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Returns the words. Their number is `id_count` / 32, rounded up.
    #[inline]
    pub fn as_words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the words for writing in place. The unused bits of the last word must stay 0; [`Mask::check`]
    /// tests that.
    #[inline]
    pub fn as_words_mut(&mut self) -> &mut [u32] {
        &mut self.words
    }

    /// Converts the mask to its words, without a copy.
    pub fn into_words(self) -> Vec<u32> {
        self.words.into()
    }

    /// Forbids all tokens.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Allows all tokens that `other` allows. Ignores ids that this mask does not have.
    pub fn union(&mut self, other: &Self) {
        for (word, &added) in self.words.iter_mut().zip(&other.words) {
            *word |= added;
        }
        self.clear_padding();
    }

    /// Allows all tokens of a set. Ignores ids that this mask does not have.
    pub fn union_set(&mut self, set: &TokenSet) {
        set.union_into(&mut self.words);
        self.clear_padding();
    }

    /// Forbids all tokens that `other` does not allow.
    pub fn intersect(&mut self, other: &Self) {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        for (word, keep) in self.words.iter_mut().zip(others) {
            *word &= keep;
        }
    }

    /// Forbids all tokens that `other` allows.
    pub fn subtract(&mut self, other: &Self) {
        for (word, &removed) in self.words.iter_mut().zip(&other.words) {
            *word &= !removed;
        }
    }

    /// Sets the logits of all tokens that are not allowed to negative infinity, and leaves the others as they
    /// are.
    ///
    /// The entry at index t of `logits` belongs to token t. Models pad their logits, and entries beyond
    /// `id_count` get negative infinity, too. Tokens beyond the end of `logits` are ignored.
    pub fn apply(&self, logits: &mut [f32]) {
        let (covered, padding) = logits.split_at_mut(logits.len().min(32 * self.words.len()));
        for (group, &word) in covered.chunks_mut(32).zip(&self.words) {
            match word {
                u32::MAX => {}
                0 => group.fill(f32::NEG_INFINITY),
                // A select without a branch, which compiles to vector code.
                _ => group.iter_mut().enumerate().for_each(|(bit, logit)| {
                    *logit = if word >> bit & 1 == 1 { *logit } else { f32::NEG_INFINITY };
                }),
            }
        }
        padding.fill(f32::NEG_INFINITY);
    }

    /// Copies the mask to the beginning of a row, and fills the rest with zeros.
    ///
    /// ```
    /// # use grammask_trie::{Mask, TokenId};
    /// let mut mask = Mask::new(40);
    /// mask.allow(TokenId(0));
    /// let mut row = [u32::MAX; 4];
    /// mask.copy_to(&mut row)?;
    /// assert_eq!(row, [1, 0, 0, 0]);
    /// assert!(mask.copy_to(&mut row[..1]).is_err());
    /// # Ok::<(), grammask_trie::RowTooShort>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RowTooShort`] if the row has fewer words than the mask. The row is unchanged then.
    pub fn copy_to(&self, row: &mut [u32]) -> Result<(), RowTooShort> {
        let (needed, given) = (self.words.len(), row.len());
        let (front, padding) = row.split_at_mut_checked(needed).ok_or(RowTooShort { needed, given })?;
        copy_row(&self.words, front);
        padding.fill(0);
        Ok(())
    }

    /// Tests the one invariant: the unused bits of the last word are 0.
    ///
    /// # Errors
    ///
    /// If the invariant does not hold.
    pub fn check(&self) -> Result<(), Violation> {
        let last = self.words.last().copied().unwrap_or(0);
        Violation::check(last & !self.last_word() == 0, "unused bits are 0", || {
            format!("the last word is {last:#034b}, for ids below {}", self.id_count)
        })
    }

    /// Returns the bits of the last word that belong to ids.
    fn last_word(&self) -> u32 {
        match self.id_count % 32 {
            0 => u32::MAX,
            used => (1 << used) - 1,
        }
    }

    /// Clears the unused bits of the last word.
    fn clear_padding(&mut self) {
        let used = self.last_word();
        if let Some(last) = self.words.last_mut() {
            *last &= used;
        }
    }
}

/// Folds the words in sixteen lanes with vector instructions, so that hashing a mask costs about as much as
/// reading it.
impl Hash for Mask {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut lanes = [self.id_count; 16];
        let chunks = self.words.chunks_exact(16);
        let rest = chunks.remainder();
        let fold = |lane: &mut u32, word: &u32| *lane = lane.rotate_left(7).wrapping_add(*word);
        for chunk in chunks {
            lanes.iter_mut().zip(chunk).for_each(|(lane, word)| fold(lane, word));
        }
        lanes.iter_mut().zip(rest).for_each(|(lane, word)| fold(lane, word));
        lanes.hash(state);
    }
}

impl Extend<TokenId> for Mask {
    fn extend<I: IntoIterator<Item = TokenId>>(&mut self, ids: I) {
        ids.into_iter().for_each(|id| self.allow(id));
    }
}

impl<'a> IntoIterator for &'a Mask {
    type Item = TokenId;
    type IntoIter = SetBits<'a>;

    fn into_iter(self) -> SetBits<'a> {
        self.iter()
    }
}

/// Displays as `12 of 128000: 3, 5-9, ...`. `{:#}` prints all ranges.
impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.count(), self.id_count)?;
        write_ids(f, self.iter())
    }
}

/// Returns the ids whose bits are set in a packed row, ascending.
pub(crate) fn set_bits(words: &[u32]) -> SetBits<'_> {
    SetBits { words: words.iter(), rest: 0, base: 0, next: 0 }
}

/// Iterator over the tokens of a packed row, ascending: see [`Mask::iter`].
#[derive(Clone, Debug)]
pub struct SetBits<'a> {
    words: std::slice::Iter<'a, u32>,
    /// The bits of the current word that are still to come.
    rest: u32,
    /// Id of the lowest bit of the current word.
    base: u32,
    /// Id of the lowest bit of the next word.
    next: u32,
}

impl Iterator for SetBits<'_> {
    type Item = TokenId;

    #[inline]
    fn next(&mut self) -> Option<TokenId> {
        while self.rest == 0 {
            self.rest = *self.words.next()?;
            self.base = self.next;
            self.next = self.next.wrapping_add(32);
        }
        let id = self.base + self.rest.trailing_zeros();
        self.rest &= self.rest - 1;
        Some(TokenId(id))
    }
}

impl std::iter::FusedIterator for SetBits<'_> {}

//! The packed mask row that inference engines take: one bit a token.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::bits::popcount::count_ones;
use crate::display::write_ids;
use crate::error::{Broken, RowTooShort};
use crate::{TokenId, TokenSet, copied_row, copy_row};

/// Which tokens are allowed: token t is bit t % 32 of word t / 32, and a set bit means allowed.
///
/// A mask has one bit for each id below its `id_count`. The bits of the last word that stand for no id are 0; ids that are not
/// below `id_count` are never allowed, and asking to allow them changes nothing. Equal masks have equal words.
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
        Self { words: copied_row(&self.words).into(), id_count: self.id_count }
    }
}

impl Mask {
    /// A mask for ids below `id_count` that allows none.
    ///
    /// Ids are numbers of 32 bits: more than 2^32 - 1 of them are taken as that many.
    pub fn new(id_count: usize) -> Self {
        let id_count = u32::try_from(id_count).unwrap_or(u32::MAX);
        Self { words: vec![0; id_count.div_ceil(32) as usize].into(), id_count }
    }

    /// The mask for ids below `id_count` that a packed row is, which is not copied; what stands for no id is left out, and what is
    /// missing is not allowed.
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

    /// The number of ids that the mask speaks about.
    #[inline]
    pub fn id_count(&self) -> usize {
        self.id_count as usize
    }

    /// Allows a token.
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

    /// Whether a token is allowed.
    #[inline]
    pub fn allows(&self, id: TokenId) -> bool {
        self.words.get(id.word()).is_some_and(|word| word & id.bit() != 0)
    }

    /// The allowed tokens, ascending.
    pub fn iter(&self) -> Ones<'_> {
        ones(&self.words)
    }

    /// How many tokens are allowed.
    pub fn count(&self) -> usize {
        count_ones(&self.words)
    }

    /// Whether no token is allowed.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The words: `id_count` / 32, rounded up.
    #[inline]
    pub fn as_words(&self) -> &[u32] {
        &self.words
    }

    /// The words, to be written in place. Bits that stand for no id must stay 0: [`Mask::check`] tests it.
    #[inline]
    pub fn as_words_mut(&mut self) -> &mut [u32] {
        &mut self.words
    }

    /// The words, given away.
    pub fn into_words(self) -> Vec<u32> {
        self.words.into()
    }

    /// Forbids all.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Allows what `other` allows, too. Ids that this mask does not have stay out.
    pub fn union(&mut self, other: &Self) {
        for (word, &more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
        self.clear_padding();
    }

    /// Allows the tokens of a set, too. Ids that this mask does not have stay out.
    pub fn union_set(&mut self, set: &TokenSet) {
        set.union_into(&mut self.words);
        self.clear_padding();
    }

    /// Forbids what `other` does not allow.
    pub fn intersect(&mut self, other: &Self) {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        for (word, keep) in self.words.iter_mut().zip(others) {
            *word &= keep;
        }
    }

    /// Forbids what `other` allows.
    pub fn subtract(&mut self, other: &Self) {
        for (word, &less) in self.words.iter_mut().zip(&other.words) {
            *word &= !less;
        }
    }

    /// Sets the logits of all tokens that are not allowed to negative infinity, and leaves the others as they are.
    ///
    /// Place t of `logits` belongs to token t. Models pad their logits: places that no id of the mask stands for get negative
    /// infinity, too. Tokens that the logits have no place for cannot be sampled, so there is nothing to do for them.
    pub fn apply(&self, logits: &mut [f32]) {
        let (covered, padding) = logits.split_at_mut(logits.len().min(32 * self.words.len()));
        for (group, &word) in covered.chunks_mut(32).zip(&self.words) {
            match word {
                u32::MAX => {}
                0 => group.fill(f32::NEG_INFINITY),
                // Written without a branch, so that it becomes vector code.
                _ => group.iter_mut().enumerate().for_each(|(bit, logit)| {
                    *logit = if word >> bit & 1 == 1 { *logit } else { f32::NEG_INFINITY };
                }),
            }
        }
        padding.fill(f32::NEG_INFINITY);
    }

    /// Writes the mask to the beginning of a row, and zeros to the rest of it.
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
    /// [`RowTooShort`], and the row is left as it was.
    pub fn copy_to(&self, row: &mut [u32]) -> Result<(), RowTooShort> {
        let (needed, given) = (self.words.len(), row.len());
        let (front, padding) = row.split_at_mut_checked(needed).ok_or(RowTooShort { needed, given })?;
        copy_row(&self.words, front);
        padding.fill(0);
        Ok(())
    }

    /// Tests the one invariant: the bits that stand for no id are 0.
    ///
    /// # Errors
    ///
    /// If it does not hold.
    pub fn check(&self) -> Result<(), Broken> {
        let last = self.words.last().copied().unwrap_or(0);
        Broken::unless(last & !self.last_word() == 0, "bits that stand for no id are 0", || {
            format!("the last word is {last:#034b}, for ids below {}", self.id_count)
        })
    }

    /// The bits of the last word that stand for ids.
    fn last_word(&self) -> u32 {
        match self.id_count % 32 {
            0 => u32::MAX,
            used => (1 << used) - 1,
        }
    }

    fn clear_padding(&mut self) {
        let used = self.last_word();
        if let Some(last) = self.words.last_mut() {
            *last &= used;
        }
    }
}

/// Folds the words in sixteen lanes by what every processor does to whole vectors at once, so that hashing a mask costs about
/// what reading it costs.
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
    type IntoIter = Ones<'a>;

    fn into_iter(self) -> Ones<'a> {
        self.iter()
    }
}

/// `12 of 128000: 3, 5-9, ...`; `{:#}` prints all ranges.
impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.count(), self.id_count)?;
        write_ids(f, self.iter())
    }
}

/// The ids whose bits are set in some words, ascending.
pub(crate) fn ones(words: &[u32]) -> Ones<'_> {
    Ones { words: words.iter(), rest: 0, base: 0, next: 0 }
}

/// The tokens of a packed row, ascending: see [`Mask::iter`].
#[derive(Clone, Debug)]
pub struct Ones<'a> {
    words: std::slice::Iter<'a, u32>,
    /// What is left of the word in hand.
    rest: u32,
    /// The id of that word's first bit.
    base: u32,
    /// The id of the next word's first bit.
    next: u32,
}

impl Iterator for Ones<'_> {
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

impl std::iter::FusedIterator for Ones<'_> {}

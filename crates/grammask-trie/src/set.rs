//! Sets of tokens: [`TokenSet`], the immutable operand from which masks are assembled, and [`Mask`], the
//! mutable row.

use std::fmt;
use std::iter::FusedIterator;

use crate::bits::popcount::{count_ones, count_ranges, count_up_to};
use crate::bits::radix::sort_ids;
use crate::display::write_ids;
use crate::error::Violation;
use crate::{TokenId, narrow};

mod form;
mod mask;
#[cfg(feature = "roaring")]
mod roaring;

use form::{Form, FormKind};
pub(crate) use mask::set_bits;
pub use mask::{Mask, SetBits};

/// An immutable set of tokens, built once and added to mask rows many times.
///
/// A set has one of three forms, by size:
///
/// - a sorted list, 4 bytes a token;
/// - a list of ranges, 8 bytes a range;
/// - the words of a mask row from the first to the last non-zero word, 4 bytes a word.
///
/// These are the three containers of a Roaring bitmap. Roaring chooses one container per 65,536 ids. A
/// vocabulary has one to four such blocks, so one choice for the whole set loses little and saves a second
/// level of lookup. Roaring has no union into a dense row: adding a scattered set of 4,000 ids takes 22 us,
/// and a `TokenSet` takes 0.7 us. The form shows only in [`TokenSet::bytes_used`].
///
/// ```
/// # use grammask_trie::{TokenId, TokenSet};
/// let set: TokenSet = [7, 3, 5, 6].map(TokenId).into_iter().collect();
/// assert_eq!(set.to_string(), "4 tokens: 3, 5-7");
/// let mut row = [0b1, 0];
/// set.union_into(&mut row);
/// assert_eq!(row, [0b1110_1001, 0]);
/// ```
///
/// # Invariants
///
/// Tested by [`TokenSet::check`]:
///
/// 1. the members ascend, and their number is as stored;
/// 2. ranges do not touch, and the first and the last word of a row are not 0;
/// 3. the form is the one that a new set with these members has, so equal sets compare equal.
///
/// # Source
///
/// D. Lemire et al., "Roaring bitmaps: implementation of an optimized software library", Software: Practice
/// and Experience 48 (2018).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenSet {
    form: Form,
    len: u32,
}

impl TokenSet {
    /// Returns the empty set.
    pub fn empty() -> Self {
        Self { form: Form::List([].into()), len: 0 }
    }

    /// Returns the set of some ids, in any order, with repetitions.
    ///
    /// # Complexity
    ///
    /// O(n) for n ids that are strictly ascending or below 2^20, and O(n log n) otherwise.
    pub fn new(ids: &[TokenId]) -> Self {
        if ids.is_sorted_by(|a, b| a < b) {
            Self::from_sorted(ids)
        } else {
            Self::from_unsorted(&mut ids.to_vec())
        }
    }

    /// Returns the set of some ids, in any order, with repetitions. Sorts `ids` in place, and leaves it in an
    /// unspecified order.
    ///
    /// ```
    /// # use grammask_trie::{TokenId, TokenSet};
    /// let ids = [7, 3, 5, 3].map(TokenId);
    /// assert_eq!(TokenSet::from_unsorted(&mut ids.clone()), TokenSet::new(&ids));
    /// ```
    pub fn from_unsorted(ids: &mut [TokenId]) -> Self {
        sort_ids(ids);
        let mut len = 0;
        for index in 0..ids.len() {
            if len == 0 || ids[len - 1] != ids[index] {
                ids[len] = ids[index];
                len += 1;
            }
        }
        Self::from_sorted(&ids[..len])
    }

    /// Returns the set of the ids whose bits are set in a packed row.
    ///
    /// # Complexity
    ///
    /// O(w + n) for w words and n set bits.
    pub fn from_words(row: &[u32]) -> Self {
        Self::from_counted_words(row, count_ones(row), |words| words.into())
    }

    /// Returns the set of the ids whose bits are set in a packed row. Reuses the memory of the row if
    /// possible.
    ///
    /// ```
    /// # use grammask_trie::TokenSet;
    /// assert_eq!(TokenSet::from_row(vec![0, 7]), TokenSet::from_words(&[0, 7]));
    /// ```
    pub fn from_row(row: Vec<u32>) -> Self {
        let members = count_ones(&row);
        Self::from_counted_row(row, members)
    }

    /// Returns the set of the ids whose bits are set in a packed row, if they are fewer than `limit`. Stops
    /// counting at `limit`.
    ///
    /// ```
    /// # use grammask_trie::TokenSet;
    /// assert_eq!(TokenSet::try_from_row(vec![0, 7], 4), Ok(TokenSet::from_words(&[0, 7])));
    /// assert_eq!(TokenSet::try_from_row(vec![0, 7], 3), Err(vec![0, 7]));
    /// ```
    ///
    /// # Errors
    ///
    /// The row, unchanged, if it has `limit` ids or more.
    pub fn try_from_row(row: Vec<u32>, limit: usize) -> Result<Self, Vec<u32>> {
        let members = count_up_to(&row, limit);
        if members < limit { Ok(Self::from_counted_row(row, members)) } else { Err(row) }
    }

    /// Returns the set of a row with this number of set bits.
    fn from_counted_row(mut row: Vec<u32>, members: usize) -> Self {
        let end = row.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        row.truncate(end);
        let mut set = Self::from_counted_words(&row, members, |_| Box::default());
        if let Form::Words { first, words } = &mut set.form {
            row.drain(..*first as usize);
            *words = row.into();
        }
        set
    }

    /// Returns the set of a row with this number of set bits. If the form is [`Form::Words`], calls `store`
    /// with the words from the first to the last non-zero one.
    fn from_counted_words(row: &[u32], members: usize, store: impl FnOnce(&[u32]) -> Box<[u32]>) -> Self {
        let Some(first) = row.iter().position(|&word| word != 0) else { return Self::empty() };
        let end = row.iter().rposition(|&word| word != 0).map_or(first, |last| last + 1);
        let words = &row[first..end];
        if FormKind::is_too_sparse_for_words(members, words.len()) {
            return Self::from_sorted(&form::list_ids(words, first, members));
        }
        let ranges = count_ranges(words, FormKind::min_ranges_to_ignore(members, words.len()));
        if FormKind::choose(members, ranges, words.len()) == FormKind::Words {
            let form = Form::Words { first: narrow(first), words: store(words) };
            return Self { form, len: narrow(members) };
        }
        Self::from_sorted(&form::list_ids(words, first, members))
    }

    /// Returns the set of strictly ascending ids.
    fn from_sorted(ids: &[TokenId]) -> Self {
        // A list of all 2^32 ids, of 16 GB, is counted as one less.
        Self { form: Form::from_sorted(ids), len: u32::try_from(ids.len()).unwrap_or(u32::MAX) }
    }

    /// Returns the number of tokens.
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns true if the set has no token.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns true if the set has this token.
    ///
    /// # Complexity
    ///
    /// O(1) for words, O(log n) for a list or ranges of length n.
    pub fn contains(&self, id: TokenId) -> bool {
        self.form.contains(id)
    }

    /// Returns the tokens in ascending order.
    pub fn iter(&self) -> Members<'_> {
        Members(match &self.form {
            Form::List(ids) => MembersOf::List(ids.iter()),
            Form::Ranges(ranges) => MembersOf::Ranges { ranges: ranges.iter(), current: None },
            Form::Words { first, words } => MembersOf::Words { base: 32 * first, bits: set_bits(words) },
        })
    }

    /// Appends the tokens to `list` in ascending order. Faster than `list.extend(set)` for sets in the list
    /// form.
    pub fn append_to(&self, list: &mut Vec<TokenId>) {
        match &self.form {
            Form::List(ids) => list.extend_from_slice(ids),
            Form::Ranges(_) | Form::Words { .. } => {
                list.reserve(self.len());
                list.extend(self);
            }
        }
    }

    /// Sets the bits of all tokens in a packed row: token t is bit t % 32 of word t / 32. Ignores tokens
    /// beyond the end of the row.
    ///
    /// # Complexity
    ///
    /// O(n) for a list of n tokens. O(w) for words or ranges that cover w words of the row.
    #[inline]
    pub fn union_into(&self, row: &mut [u32]) {
        match &self.form {
            Form::List(ids) => {
                for id in ids {
                    if let Some(word) = row.get_mut(id.word()) {
                        *word |= id.bit();
                    }
                }
            }
            Form::Ranges(ranges) => form::for_each_word(ranges, row, |word, bits| *word |= bits),
            Form::Words { first, words } => {
                let row = row.get_mut(*first as usize..).unwrap_or_default();
                for (word, added) in row.iter_mut().zip(words) {
                    *word |= added;
                }
            }
        }
    }

    /// Clears the bits of all tokens in a packed row, at the cost of [`union_into`](Self::union_into).
    pub fn subtract_from(&self, row: &mut [u32]) {
        match &self.form {
            Form::List(ids) => {
                for id in ids {
                    if let Some(word) = row.get_mut(id.word()) {
                        *word &= !id.bit();
                    }
                }
            }
            Form::Ranges(ranges) => form::for_each_word(ranges, row, |word, bits| *word &= !bits),
            Form::Words { first, words } => {
                let row = row.get_mut(*first as usize..).unwrap_or_default();
                for (word, removed) in row.iter_mut().zip(words) {
                    *word &= !removed;
                }
            }
        }
    }

    /// Returns the memory that the set holds on the heap, in bytes.
    pub fn bytes_used(&self) -> usize {
        self.form.bytes_used()
    }

    /// Tests the invariants listed at [`TokenSet`].
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    ///
    /// # Complexity
    ///
    /// O(n) for n tokens.
    pub fn check(&self) -> Result<(), Violation> {
        let members: Vec<TokenId> = self.iter().collect();
        let ascend = members.is_sorted_by(|a, b| a < b);
        Violation::check(ascend, "members ascend", || self.to_string())?;
        let is_counted = members.len() == self.len();
        Violation::check(is_counted, "the stored number of members is right", || members.len().to_string())?;
        let is_canonical = Self::from_sorted(&members) == *self;
        Violation::check(is_canonical, "the form is that of a new set", || self.to_string())
    }
}

impl Default for TokenSet {
    fn default() -> Self {
        Self::empty()
    }
}

impl FromIterator<TokenId> for TokenSet {
    fn from_iter<I: IntoIterator<Item = TokenId>>(ids: I) -> Self {
        Self::new(&ids.into_iter().collect::<Vec<_>>())
    }
}

impl<'a> IntoIterator for &'a TokenSet {
    type Item = TokenId;
    type IntoIter = Members<'a>;

    fn into_iter(self) -> Members<'a> {
        self.iter()
    }
}

/// Displays as `4 tokens: 3, 5-7, ...`. `{:#}` prints all ranges.
impl fmt::Display for TokenSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens", self.len)?;
        write_ids(f, self.iter())
    }
}

/// Iterator over the members of a [`TokenSet`], ascending.
#[derive(Clone, Debug)]
pub struct Members<'a>(MembersOf<'a>);

/// The members of each [`Form`].
#[derive(Clone, Debug)]
enum MembersOf<'a> {
    List(std::slice::Iter<'a, TokenId>),
    Ranges { ranges: std::slice::Iter<'a, (u32, u32)>, current: Option<(u32, u32)> },
    Words { base: u32, bits: SetBits<'a> },
}

impl Iterator for Members<'_> {
    type Item = TokenId;

    #[inline]
    fn next(&mut self) -> Option<TokenId> {
        match &mut self.0 {
            MembersOf::List(ids) => ids.next().copied(),
            MembersOf::Ranges { ranges, current } => {
                let (first, last) = current.or_else(|| ranges.next().copied())?;
                *current = (first < last).then_some((first.wrapping_add(1), last));
                Some(TokenId(first))
            }
            MembersOf::Words { base, bits } => bits.next().map(|id| TokenId(*base + id.0)),
        }
    }
}

impl FusedIterator for Members<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_broken_invariant_is_found() {
        let of = |form, len| TokenSet { form, len }.check().unwrap_err().invariant;
        assert_eq!(of(Form::List([5, 3].map(TokenId).into()), 2), "members ascend");
        assert_eq!(of(Form::List([TokenId(3)].into()), 2), "the stored number of members is right");
        let canonical = "the form is that of a new set";
        assert_eq!(of(Form::Ranges([(3, 3)].into()), 1), canonical);
        assert_eq!(of(Form::Words { first: 0, words: [u32::MAX, 0].into() }, 32), canonical);
    }
}

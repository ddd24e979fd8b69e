//! Immutable sets of tokens, each in whichever of three forms suits it: the parts that masks are put together from.

use std::fmt;
use std::iter::FusedIterator;

use crate::TokenId;
use crate::bits::popcount::{count_ones, count_ranges, count_up_to};
use crate::bits::radix::sort_ids;
use crate::display::{Ranges, write_ids};
use crate::error::Broken;
use crate::set::mask::{Ones, ones};

pub(crate) mod mask;

/// A set of tokens that is made once and then joined into mask rows many times.
///
/// There are three forms, and the set chooses by what they would take: a sorted list (4 bytes a token), a list of ranges (8 bytes a range), or
/// the words of a mask row from the first to the last that is not 0 (4 bytes a word). These are the three containers of a Roaring
/// bitmap. Roaring chooses anew for each 65,536 ids; a vocabulary is one to four such blocks, so one choice for
/// all loses little, and there is no second level to look through. The form shows nowhere but in [`TokenSet::bytes_used`].
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
/// Tested by [`TokenSet::check`]: the members ascend, and their count is as stored; ranges do not touch; the first and the last
/// word of a row are not 0; the form is the one that making the set anew would choose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenSet {
    form: Form,
    len: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form {
    /// Ascending.
    List(Box<[TokenId]>),
    /// Ascending, both ends inclusive, with a gap between any two.
    Ranges(Box<[(u32, u32)]>),
    /// The words of a row from the word `first` on.
    Words { first: u32, words: Box<[u32]> },
}

impl TokenSet {
    /// A set without tokens.
    pub fn empty() -> Self {
        Self { form: Form::List([].into()), len: 0 }
    }

    /// The set of some ids, in any order, repetitions allowed.
    ///
    /// # Complexity
    ///
    /// O(n) for n ids that ascend strictly, or are below 2^20; O(n log n) for others.
    pub fn new(ids: &[TokenId]) -> Self {
        match ids.is_sorted_by(|a, b| a < b) {
            true => Self::from_sorted(ids),
            false => Self::from_unsorted(&mut ids.to_vec()),
        }
    }

    /// The same of a list that is of no use afterwards: it is sorted in place.
    ///
    /// ```
    /// # use grammask_trie::{TokenId, TokenSet};
    /// let ids = [7, 3, 5, 3].map(TokenId);
    /// assert_eq!(TokenSet::from_unsorted(&mut ids.clone()), TokenSet::new(&ids));
    /// ```
    pub fn from_unsorted(ids: &mut [TokenId]) -> Self {
        sort_ids(ids);
        let mut len = 0;
        for place in 0..ids.len() {
            if len == 0 || ids[len - 1] != ids[place] {
                ids[len] = ids[place];
                len += 1;
            }
        }
        Self::from_sorted(&ids[..len])
    }

    /// The set of the ids whose bits are set in a packed row.
    ///
    /// # Complexity
    ///
    /// O(w + n) for w words and n set bits.
    pub fn from_words(row: &[u32]) -> Self {
        Self::with_words(row, count_ones(row), |words| words.into())
    }

    /// The same of a row that is given away, which may become the set as it is.
    ///
    /// ```
    /// # use grammask_trie::TokenSet;
    /// assert_eq!(TokenSet::from_row(vec![0, 7]), TokenSet::from_words(&[0, 7]));
    /// ```
    pub fn from_row(row: Vec<u32>) -> Self {
        let members = count_ones(&row);
        Self::from_counted_row(row, members)
    }

    /// The same, unless the ids are `many` or more: then the row, as it was given. That is known before all are counted.
    ///
    /// ```
    /// # use grammask_trie::TokenSet;
    /// assert_eq!(TokenSet::from_row_of_fewer(vec![0, 7], 4), Ok(TokenSet::from_words(&[0, 7])));
    /// assert_eq!(TokenSet::from_row_of_fewer(vec![0, 7], 3), Err(vec![0, 7]));
    /// ```
    ///
    /// # Errors
    ///
    /// The row is given back.
    pub fn from_row_of_fewer(row: Vec<u32>, many: usize) -> Result<Self, Vec<u32>> {
        let members = count_up_to(&row, many);
        if members < many { Ok(Self::from_counted_row(row, members)) } else { Err(row) }
    }

    fn from_counted_row(mut row: Vec<u32>, members: usize) -> Self {
        let end = row.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        row.truncate(end);
        let mut set = Self::with_words(&row, members, |_| Box::default());
        if let Form::Words { first, words } = &mut set.form {
            row.drain(..*first as usize);
            *words = row.into();
        }
        set
    }

    /// The set of a row's ids, so many, where `keep` gives the words that are kept.
    fn with_words(row: &[u32], members: usize, keep: impl FnOnce(&[u32]) -> Box<[u32]>) -> Self {
        let Some(first) = row.iter().position(|&word| word != 0) else { return Self::empty() };
        let end = row.iter().rposition(|&word| word != 0).map_or(first, |last| last + 1);
        let words = &row[first..end];
        // Few members are no row, whatever ranges they are.
        if words.len() > 4 * members {
            return Self::from_sorted(&listed(words, first, members));
        }
        let ranges = count_ranges(words, Choice::many_ranges(members, words.len()));
        if matches!(Choice::of(members, ranges, words.len()), Choice::Words) {
            let form = Form::Words { first: first as u32, words: keep(words) };
            return Self { form, len: members as u32 };
        }
        Self::from_sorted(&listed(words, first, members))
    }

    fn from_sorted(ids: &[TokenId]) -> Self {
        let (Some(&first), Some(&last)) = (ids.first(), ids.last()) else {
            return Self::empty();
        };
        let words = last.word() - first.word() + 1;
        let ranges = 1 + ids.windows(2).filter(|pair| pair[1].0 - pair[0].0 > 1).count();
        let form = match Choice::of(ids.len(), ranges, words) {
            Choice::List => Form::List(ids.into()),
            Choice::Ranges => Form::Ranges(Ranges::new(ids.iter().copied()).collect()),
            Choice::Words => {
                let mut row = vec![0; words];
                for id in ids {
                    row[id.word() - first.word()] |= id.bit();
                }
                Form::Words { first: first.word() as u32, words: row.into() }
            }
        };
        // There are 2^32 ids; a list of them all, of 16 GB, is counted as one less.
        Self { form, len: u32::try_from(ids.len()).unwrap_or(u32::MAX) }
    }

    /// The number of tokens.
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is no token.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether a token is in the set. O(1) for words, otherwise logarithmic.
    pub fn contains(&self, id: TokenId) -> bool {
        match &self.form {
            Form::List(ids) => ids.binary_search(&id).is_ok(),
            Form::Ranges(ranges) => {
                let after = ranges.partition_point(|&(first, _)| first <= id.0);
                after > 0 && id.0 <= ranges[after - 1].1
            }
            Form::Words { first, words } => id
                .word()
                .checked_sub(*first as usize)
                .and_then(|place| words.get(place))
                .is_some_and(|word| word & id.bit() != 0),
        }
    }

    /// The tokens, ascending.
    pub fn iter(&self) -> Members<'_> {
        Members(match &self.form {
            Form::List(ids) => Inner::List(ids.iter()),
            Form::Ranges(ranges) => Inner::Ranges { ranges: ranges.iter(), current: None },
            Form::Words { first, words } => Inner::Words { base: 32 * first, ones: ones(words) },
        })
    }

    /// Appends the tokens to a list, ascending: as extending it by the set, but a list at once.
    pub fn append_to(&self, list: &mut Vec<TokenId>) {
        match &self.form {
            Form::List(ids) => list.extend_from_slice(ids),
            Form::Ranges(_) | Form::Words { .. } => {
                list.reserve(self.len());
                list.extend(self);
            }
        }
    }

    /// Sets the bits of all tokens in a packed row: token t is bit t % 32 of word t / 32. Tokens beyond the row's end are left out.
    ///
    /// # Complexity
    ///
    /// O(members) for a list, O(words covered) for words and ranges; never more than O(row) for the latter.
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
            Form::Ranges(ranges) => over_ranges(ranges, row, |word, bits| *word |= bits),
            Form::Words { first, words } => {
                let row = row.get_mut(*first as usize..).unwrap_or_default();
                for (word, more) in row.iter_mut().zip(words) {
                    *word |= more;
                }
            }
        }
    }

    /// Clears the bits of all tokens in a packed row: the counterpart of [`TokenSet::union_into`], at the same cost.
    pub fn subtract_from(&self, row: &mut [u32]) {
        match &self.form {
            Form::List(ids) => {
                for id in ids {
                    if let Some(word) = row.get_mut(id.word()) {
                        *word &= !id.bit();
                    }
                }
            }
            Form::Ranges(ranges) => over_ranges(ranges, row, |word, bits| *word &= !bits),
            Form::Words { first, words } => {
                let row = row.get_mut(*first as usize..).unwrap_or_default();
                for (word, less) in row.iter_mut().zip(words) {
                    *word &= !less;
                }
            }
        }
    }

    /// The memory that the set holds beside its own 32 bytes.
    pub fn bytes_used(&self) -> usize {
        match &self.form {
            Form::List(ids) => size_of_val(&**ids),
            Form::Ranges(ranges) => size_of_val(&**ranges),
            Form::Words { words, .. } => size_of_val(&**words),
        }
    }

    /// Tests the invariants listed at [`TokenSet`]. O(members).
    ///
    /// # Errors
    ///
    /// The first that does not hold.
    pub fn check(&self) -> Result<(), Broken> {
        let members: Vec<TokenId> = self.iter().collect();
        let ascend = members.is_sorted_by(|a, b| a < b);
        Broken::unless(ascend, "members ascend", || self.to_string())?;
        Broken::unless(members.len() == self.len(), "the count is right", || members.len().to_string())?;
        let canonical = Self::from_sorted(&members) == *self;
        Broken::unless(canonical, "the form is what making the set anew gives", || self.to_string())
    }
}

/// Calls `apply` with each word that a range reaches into, and the bits of the range in that word.
#[inline]
fn over_ranges(ranges: &[(u32, u32)], row: &mut [u32], apply: impl Fn(&mut u32, u32)) {
    for &(first, last) in ranges {
        let (low, high) = ((first / 32) as usize, (last / 32) as usize);
        if low >= row.len() {
            return;
        }
        // The bits from `first` up in its word, and up to `last` in its own.
        let (from, to) = (u32::MAX << (first % 32), u32::MAX >> (31 - last % 32));
        if low == high {
            apply(&mut row[low], from & to);
            continue;
        }
        apply(&mut row[low], from);
        let between = row.len().min(high);
        row[low + 1..between].iter_mut().for_each(|word| apply(word, u32::MAX));
        if let Some(word) = row.get_mut(high) {
            apply(word, to);
        }
    }
}

enum Choice {
    List,
    Ranges,
    Words,
}

/// The ids whose bits are set in some words of a row, from the word `first` on.
fn listed(words: &[u32], first: usize, members: usize) -> Vec<TokenId> {
    let mut ids = Vec::with_capacity(members);
    // Most words are empty where members are few, so two are looked at together.
    for (pair, base) in words.chunks(2).zip((first as u32 * 32..).step_by(64)) {
        let mut rest = u64::from(pair[0]) | pair.get(1).map_or(0, |&high| u64::from(high) << 32);
        while rest != 0 {
            ids.push(TokenId(base + rest.trailing_zeros()));
            rest &= rest - 1;
        }
    }
    ids
}

impl Choice {
    /// From so many ranges on, their number does not matter.
    fn many_ranges(members: usize, words: usize) -> usize {
        members.min(words) / 4 + 1
    }

    /// The form for a set of so many members in so many ranges over so many words of a row.
    fn of(members: usize, ranges: usize, words: usize) -> Self {
        // Joining costs some 0.75 ns a member of a list, and a ninth of that a word (whole vectors of words go at once).
        // So words are taken up to four times the size of a list, between what is smallest and what is fastest;
        // and ranges only where they save much.
        if ranges < Self::many_ranges(members, words) {
            Self::Ranges
        } else if words <= 4 * members {
            Self::Words
        } else {
            Self::List
        }
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

/// `4 tokens: 3, 5-7, ...`; `{:#}` prints all ranges.
impl fmt::Display for TokenSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens", self.len)?;
        write_ids(f, self.iter())
    }
}

/// The members of a [`TokenSet`], ascending.
#[derive(Clone, Debug)]
pub struct Members<'a>(Inner<'a>);

#[derive(Clone, Debug)]
enum Inner<'a> {
    List(std::slice::Iter<'a, TokenId>),
    Ranges { ranges: std::slice::Iter<'a, (u32, u32)>, current: Option<(u32, u32)> },
    Words { base: u32, ones: Ones<'a> },
}

impl Iterator for Members<'_> {
    type Item = TokenId;

    #[inline]
    fn next(&mut self) -> Option<TokenId> {
        match &mut self.0 {
            Inner::List(ids) => ids.next().copied(),
            Inner::Ranges { ranges, current } => {
                let (first, last) = current.or_else(|| ranges.next().copied())?;
                *current = (first < last).then_some((first.wrapping_add(1), last));
                Some(TokenId(first))
            }
            Inner::Words { base, ones } => ones.next().map(|id| TokenId(*base + id.0)),
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
        assert_eq!(of(Form::List([TokenId(3)].into()), 2), "the count is right");
        let canonical = "the form is what making the set anew gives";
        assert_eq!(of(Form::Ranges([(3, 3)].into()), 1), canonical);
        assert_eq!(of(Form::Words { first: 0, words: [u32::MAX, 0].into() }, 32), canonical);
    }
}

//! The three forms of a token set, and the choice between them by size and speed.

use crate::display::Ranges;
use crate::{TokenId, narrow};

/// The members of a token set.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// Ascending.
    List(Box<[TokenId]>),
    /// Ascending, both ends inclusive, with a gap between any two ranges.
    Ranges(Box<[(u32, u32)]>),
    /// The words of a packed row from index `first` on.
    Words { first: u32, words: Box<[u32]> },
}

impl Form {
    /// Chooses the form for strictly ascending ids.
    pub(super) fn from_sorted(ids: &[TokenId]) -> Self {
        let (Some(&first), Some(&last)) = (ids.first(), ids.last()) else {
            return Self::List([].into());
        };
        let words = last.word() - first.word() + 1;
        let ranges = 1 + ids.windows(2).filter(|pair| pair[1].0 - pair[0].0 > 1).count();
        match FormKind::choose(ids.len(), ranges, words) {
            FormKind::List => Self::List(ids.into()),
            FormKind::Ranges => Self::Ranges(Ranges::new(ids.iter().copied()).collect()),
            FormKind::Words => {
                let mut row = vec![0; words];
                for id in ids {
                    row[id.word() - first.word()] |= id.bit();
                }
                Self::Words { first: first.0 / u32::BITS, words: row.into() }
            }
        }
    }

    pub(super) fn contains(&self, id: TokenId) -> bool {
        match self {
            Self::List(ids) => ids.binary_search(&id).is_ok(),
            Self::Ranges(ranges) => {
                let after = ranges.partition_point(|&(first, _)| first <= id.0);
                after > 0 && id.0 <= ranges[after - 1].1
            }
            Self::Words { first, words } => id
                .word()
                .checked_sub(*first as usize)
                .and_then(|index| words.get(index))
                .is_some_and(|word| word & id.bit() != 0),
        }
    }

    pub(super) fn bytes_used(&self) -> usize {
        match self {
            Self::List(ids) => size_of_val(&**ids),
            Self::Ranges(ranges) => size_of_val(&**ranges),
            Self::Words { words, .. } => size_of_val(&**words),
        }
    }
}

/// The kinds of [`Form`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormKind {
    List,
    Ranges,
    Words,
}

/// Words per member up to which a row is preferred to a list. A union costs about 0.75 ns per member of a
/// list, and a ninth of that per word, because several words are combined at once. Four lies between the
/// smallest form (1) and the fastest one (9).
const MAX_WORDS_PER_MEMBER: usize = 4;

/// Entries of a list, or words of a row, that one range must replace: ranges are slower per byte, and pay
/// only if they save much memory.
const MIN_ENTRIES_PER_RANGE: usize = 4;

impl FormKind {
    /// Chooses the form for a number of members in a number of maximal ranges, which cover a number of words.
    pub(super) fn choose(members: usize, ranges: usize, words: usize) -> Self {
        if ranges < Self::min_ranges_to_ignore(members, words) {
            Self::Ranges
        } else if Self::is_too_sparse_for_words(members, words) {
            Self::List
        } else {
            Self::Words
        }
    }

    /// Returns true if a row would be larger than [`MAX_WORDS_PER_MEMBER`] allows.
    pub(super) fn is_too_sparse_for_words(members: usize, words: usize) -> bool {
        words > MAX_WORDS_PER_MEMBER * members
    }

    /// Returns the number of ranges from which on the form is not [`Ranges`](Self::Ranges), so that a count
    /// may stop.
    pub(super) fn min_ranges_to_ignore(members: usize, words: usize) -> usize {
        members.min(words) / MIN_ENTRIES_PER_RANGE + 1
    }
}

/// Calls `apply` with each word of the row that a range touches, and with the bits of the range in that word.
#[inline]
pub(super) fn for_each_word(ranges: &[(u32, u32)], row: &mut [u32], apply: impl Fn(&mut u32, u32)) {
    for &(first, last) in ranges {
        let (low, high) = ((first / 32) as usize, (last / 32) as usize);
        if low >= row.len() {
            return;
        }
        // The bits from `first` on in its word, and the bits up to `last` in its word.
        let (from, to) = (u32::MAX << (first % 32), u32::MAX >> (31 - last % 32));
        if low == high {
            apply(&mut row[low], from & to);
            continue;
        }
        apply(&mut row[low], from);
        let end = row.len().min(high);
        row[low + 1..end].iter_mut().for_each(|word| apply(word, u32::MAX));
        if let Some(word) = row.get_mut(high) {
            apply(word, to);
        }
    }
}

/// Lists the ids of the set bits in the words of a row from index `first` on. There are `members` of them.
pub(super) fn list_ids(words: &[u32], first: usize, members: usize) -> Vec<TokenId> {
    let mut ids = Vec::with_capacity(members);
    // Most words of a sparse row are 0, so words are tested in pairs.
    for (pair, base) in words.chunks(2).zip((narrow(32 * first)..).step_by(64)) {
        let mut rest = u64::from(pair[0]) | pair.get(1).map_or(0, |&high| u64::from(high) << 32);
        while rest != 0 {
            ids.push(TokenId(base + rest.trailing_zeros()));
            rest &= rest - 1;
        }
    }
    ids
}

//! A set of ids with the rank of each member: the index of a token in arrays that have no gaps.

use crate::TokenId;
use crate::set::set_bits;

/// A set of ids that returns the rank of a member in constant time. It takes two bits per id, whatever the
/// gaps.
///
/// # Source
///
/// G. Jacobson, "Space-efficient static trees and graphs", FOCS 1989: a bit vector with rank, one level of
/// counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ranks {
    words: Box<[u32]>,
    /// For each word, the number of members in all words before it.
    before: Box<[u32]>,
}

impl Ranks {
    /// Builds the set of ascending ids.
    pub(super) fn new(ids: impl Iterator<Item = TokenId>) -> Self {
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

    /// Returns the number of members below `id`. Returns `None` if `id` is not a member.
    #[inline]
    pub(super) fn rank(&self, id: TokenId) -> Option<usize> {
        let word = *self.words.get(id.word())?;
        let below = (word & (id.bit() - 1)).count_ones();
        (word & id.bit() != 0).then(|| (self.before[id.word()] + below) as usize)
    }

    /// Returns the members, ascending.
    pub(super) fn ids(&self) -> impl Iterator<Item = TokenId> + '_ {
        set_bits(&self.words)
    }

    pub(super) fn bytes_used(&self) -> usize {
        size_of_val(&*self.words) + size_of_val(&*self.before)
    }
}

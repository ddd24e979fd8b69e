//! Rows of the tokens that some lexemes take, and that some take together. Many grammars have the same few side by side, such as a text, a number and what
//! may stand between values.

use grammask_trie::Mask;
use smallvec::SmallVec;

use crate::lexicon::entry::Tokens;
use crate::lexicon::{Lexicon, PartId, Taken};

/// Rows may take this part of the budget: they are large, and a grammar that has some of its own is hardly slower.
const SHARE: usize = 4;

impl Lexicon {
    /// The number of the row of what these parts, which are sorted, have together; none where there is no room for it.
    pub(crate) fn union(&self, parts: &[PartId]) -> Option<u32> {
        if let &[part] = parts
            && let Taken { own: Tokens::Row(number, _), kin: None } = self.taken(part)
        {
            return Some(number);
        }
        if let Some(&number) = self.unions.get(parts) {
            return Some(number);
        }
        if !self.has_room_for_row() {
            return None;
        }
        let all: SmallVec<[Taken<'_>; 8]> = parts.iter().map(|&part| self.taken(part)).collect();
        let number = self.keep_row(Taken::union(self.vocabulary.id_count(), &all));
        self.budget.spend(size_of_val(parts) + size_of::<(Box<[PartId]>, u32)>());
        Some(*self.unions.insert(parts.into(), number).0)
    }

    fn bytes_of_row(&self) -> usize {
        size_of::<Mask>() + size_of::<u32>() * self.vocabulary.mask_words()
    }

    /// Whether one more row may be kept.
    pub(crate) fn has_room_for_row(&self) -> bool {
        (self.rows.len() + 1) * self.bytes_of_row() <= self.config.budget / SHARE
    }

    /// Keeps a row, and gives its number.
    pub(crate) fn keep_row(&self, row: Mask) -> u32 {
        self.budget.spend(self.bytes_of_row());
        self.rows.push(row)
    }

    /// A row by its number.
    pub(crate) fn row(&self, number: u32) -> &Mask {
        self.rows.get(number)
    }
}

//! Rows of the tokens of one or more entries. Many grammars combine the same lexemes, such as a string, a
//! number and white space.

use grammask_trie::Mask;
use smallvec::SmallVec;

use crate::lexicon::entry::Tokens;
use crate::lexicon::{EntryId, Lexicon, TokenView};

/// Rows may take 1/4 of the budget. Beyond it, grammars store such rows by themselves.
const BUDGET_SHARE_OF_ROWS: usize = 4;

impl Lexicon {
    /// Returns the number of the row that is the union of some entries, which are sorted. Returns `None` if
    /// there is no room for it.
    pub(crate) fn union(&self, entries: &[EntryId]) -> Option<u32> {
        if let &[entry] = entries
            && let TokenView { own: Tokens::Row(number, _), base: None } = self.view(entry)
        {
            return Some(number);
        }
        if let Some(&number) = self.unions.get(entries) {
            return Some(number);
        }
        if !self.has_room_for_row() {
            return None;
        }
        let all: SmallVec<[TokenView<'_>; 8]> = entries.iter().map(|&entry| self.view(entry)).collect();
        let number = self.keep_row(TokenView::union(self.vocabulary.id_count(), &all));
        self.budget.spend(size_of_val(entries) + size_of::<(Box<[EntryId]>, u32)>());
        Some(*self.unions.insert(entries.into(), number).0)
    }

    fn bytes_of_row(&self) -> usize {
        size_of::<Mask>() + size_of::<u32>() * self.vocabulary.mask_words()
    }

    /// Returns `true` if there is room for one more row.
    pub(crate) fn has_room_for_row(&self) -> bool {
        (self.rows.len() + 1) * self.bytes_of_row() <= self.config.limits.budget / BUDGET_SHARE_OF_ROWS
    }

    /// Stores a row, and returns its number.
    pub(crate) fn keep_row(&self, row: Mask) -> u32 {
        self.budget.spend(self.bytes_of_row());
        self.rows.push(row)
    }

    /// Returns a row by its number.
    pub(crate) fn row(&self, number: u32) -> &Mask {
        self.rows.get(number)
    }
}

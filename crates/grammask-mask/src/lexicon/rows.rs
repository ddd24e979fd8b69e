//! Rows of the tokens of one or more entries. Many grammars have the same few lexemes side by side, such as a
//! text, a
//! number and white space.

use grammask_trie::Mask;
use smallvec::SmallVec;

use crate::lexicon::entry::Tokens;
use crate::lexicon::{EntryId, Lexicon, TokenView};

/// Rows may take 1/4 of the budget. Beyond it, grammars store such rows by themselves.
const BUDGET_SHARE_OF_ROWS: usize = 4;

impl Lexicon {
    /// The number of the row of what these entries, which are sorted, have together; none where there is no
    /// room for it.
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

    /// Whether one more row may be kept.
    pub(crate) fn has_room_for_row(&self) -> bool {
        (self.rows.len() + 1) * self.bytes_of_row() <= self.config.budget / BUDGET_SHARE_OF_ROWS
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

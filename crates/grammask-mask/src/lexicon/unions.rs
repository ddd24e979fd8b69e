//! Rows of the tokens that some lexemes take together. Many grammars have the same few side by side, such as a text, a number and what
//! may stand between values.

use grammask_trie::Mask;

use super::{Lexicon, PartId};

/// Rows may take this part of the budget: they are large, and a grammar that has some of its own is hardly slower.
const SHARE: usize = 4;

impl Lexicon {
    /// The number of the row of what these parts, which are sorted, have together; none where there is no room for it.
    pub(crate) fn union(&self, parts: &[PartId]) -> Option<u32> {
        if let Some(&number) = self.unions.get(parts) {
            return Some(number);
        }
        let bytes = size_of::<Mask>() + size_of::<u32>() * self.vocabulary.mask_words();
        if (self.rows.len() + 1) * bytes > self.config.budget / SHARE {
            return None;
        }
        let mut union = Mask::new(self.vocabulary.id_count());
        parts.iter().for_each(|&part| self.taken(part).union_into(&mut union));
        let number = self.rows.push(union);
        self.budget.spend(bytes + size_of_val(parts) + size_of::<(Box<[PartId]>, u32)>());
        Some(*self.unions.insert(parts.into(), number).0)
    }

    /// A row by its number.
    pub(crate) fn row(&self, number: u32) -> &Mask {
        self.rows.get(number)
    }
}

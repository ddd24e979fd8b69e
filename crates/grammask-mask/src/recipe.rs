//! How masks are kept: most allow few tokens, or differ in few tokens from a row that many have in common. So what is kept is the row
//! and the difference, and writing one mask behind another takes no more than what differs between the two.

use grammask_trie::{Mask, TokenId};

/// A mask, as a row and what is different.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recipe {
    /// The row, by its number; none allows nothing.
    pub(crate) row: Option<u32>,
    /// What the row allows and the mask does not, unless it is also in `more`.
    pub(crate) less: Box<[TokenId]>,
    /// What the mask allows; the row may allow it, too.
    pub(crate) more: Box<[TokenId]>,
}

impl Recipe {
    /// The mask that is a row as it is.
    pub(crate) fn of_row(row: u32) -> Self {
        Self { row: Some(row), ..Self::default() }
    }

    /// The row, if the mask is just that.
    pub(crate) fn as_row(&self) -> Option<u32> {
        self.row.filter(|_| self.less.is_empty() && self.more.is_empty())
    }

    /// Makes the row into the mask.
    pub(crate) fn change(&self, row: &mut [u32]) {
        for id in &self.less {
            if let Some(word) = row.get_mut(id.word()) {
                *word &= !id.bit();
            }
        }
        for id in &self.more {
            if let Some(word) = row.get_mut(id.word()) {
                *word |= id.bit();
            }
        }
    }

    /// Bytes of the lists.
    pub(crate) fn bytes_used(&self) -> usize {
        size_of_val(&*self.less) + size_of_val(&*self.more)
    }
}

/// Names a recipe: of which tables, and which of theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecipeId {
    pub(crate) tables: u64,
    pub(crate) number: u32,
}

/// Where masks are written that are not kept as they are: room for one mask, and what it holds.
///
/// Keep it from one mask to the next: what changes between them is little, and nothing else is written then.
#[derive(Clone, Debug)]
pub struct Scratch {
    mask: Mask,
    held: Held,
    /// Where the mask differs from the row that it was made from.
    changed: Vec<TokenId>,
}

/// What the room holds.
#[derive(Clone, Copy, Debug)]
enum Held {
    /// Anything.
    Anything,
    /// Nothing but what was changed.
    Nothing,
    /// A mask by a recipe, made from this row.
    Recipe { id: RecipeId, row: Option<u32> },
}

/// Where a mask stands that was asked for: see [`Masks::write`](crate::Masks::write).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Written(pub(crate) Option<u32>);

impl Default for Scratch {
    /// No room at all.
    fn default() -> Self {
        Self::new(0)
    }
}

impl Scratch {
    /// Room for a mask of ids below `id_count`.
    pub fn new(id_count: usize) -> Self {
        Self { mask: Mask::new(id_count), held: Held::Nothing, changed: Vec::new() }
    }

    /// What was written last.
    pub fn mask(&self) -> &Mask {
        &self.mask
    }

    /// Forbids all tokens.
    pub fn write_nothing(&mut self) -> Written {
        self.restore(None, None);
        Written(None)
    }

    /// The mask, of which nothing is known from now on.
    pub(crate) fn anything(&mut self) -> &mut Mask {
        self.held = Held::Anything;
        &mut self.mask
    }

    /// Writes a mask by its recipe. `rows` gives rows by number.
    pub(crate) fn write<'a>(&mut self, id: RecipeId, recipe: &Recipe, rows: impl Fn(u32) -> &'a Mask) {
        if matches!(self.held, Held::Recipe { id: held, .. } if held == id) {
            return;
        }
        self.restore(Some(id.tables), recipe.row.map(|row| (row, rows(row))));
        recipe.change(self.mask.as_words_mut());
        self.changed.extend_from_slice(&recipe.less);
        self.changed.extend_from_slice(&recipe.more);
        self.held = Held::Recipe { id, row: recipe.row };
    }

    /// Makes the mask equal to a row, or empty.
    fn restore(&mut self, tables: Option<u64>, row: Option<(u32, &Mask)>) {
        let words = self.mask.as_words_mut();
        let is_changed_row = match (self.held, row) {
            (Held::Anything, _) => false,
            (Held::Nothing, row) => row.is_none(),
            (Held::Recipe { row: held, .. }, None) => held.is_none(),
            (Held::Recipe { id, row: held }, Some((row, _))) => {
                Some(id.tables) == tables && held == Some(row)
            }
        };
        match (is_changed_row, row) {
            (true, Some((_, row))) => {
                let row = row.as_words();
                self.changed.iter().for_each(|id| words[id.word()] = row[id.word()]);
            }
            (true, None) => self.changed.iter().for_each(|id| words[id.word()] = 0),
            (false, Some((_, row))) => words.copy_from_slice(row.as_words()),
            (false, None) => words.fill(0),
        }
        self.changed.clear();
        self.held = Held::Nothing;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Masks by recipes of two tables, in any order, are what they are when nothing was written before.
    #[test]
    fn what_was_written_before_does_not_matter() {
        let ids = |ids: &[u32]| ids.iter().copied().map(TokenId).collect::<Box<[TokenId]>>();
        let rows: Vec<Mask> = [&[0, 3, 40, 69][..], &[1, 2, 3]]
            .iter()
            .map(|allowed| {
                let mut mask = Mask::new(70);
                mask.extend(allowed.iter().copied().map(TokenId));
                mask
            })
            .collect();
        let recipes = [
            Recipe { row: None, less: ids(&[]), more: ids(&[5, 33]) },
            Recipe { row: None, less: ids(&[]), more: ids(&[]) },
            Recipe { row: Some(0), less: ids(&[3]), more: ids(&[4]) },
            Recipe { row: Some(0), less: ids(&[40, 0]), more: ids(&[0, 68]) },
            Recipe { row: Some(1), less: ids(&[]), more: ids(&[69]) },
            Recipe::of_row(1),
        ];
        let write = |scratch: &mut Scratch, tables: u64, number: usize| {
            // The other tables have the rows in another order.
            let row = |row: u32| &rows[(row as usize + tables as usize) % 2];
            scratch.write(RecipeId { tables, number: number as u32 }, &recipes[number], row);
            scratch.mask().clone()
        };
        let steps: Vec<(u64, usize)> = (0..2).flat_map(|tables| (0..6).map(move |n| (tables, n))).collect();
        for &(tables, number) in &steps {
            let fresh = write(&mut Scratch::new(70), tables, number);
            for &(other, before) in &steps {
                for change in [false, true] {
                    let mut scratch = Scratch::new(70);
                    write(&mut scratch, other, before);
                    if change {
                        scratch.anything().allow(TokenId(50));
                    }
                    assert_eq!(
                        write(&mut scratch, tables, number),
                        fresh,
                        "{other} {before}, {tables} {number}"
                    );
                    let _ = scratch.write_nothing();
                    assert!(scratch.mask().is_empty());
                }
            }
        }
    }
}

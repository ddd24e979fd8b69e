//! How masks are kept: most allow few tokens, or differ in few tokens from a row that many have in common. So what is kept is the row
//! and the difference, and writing one mask behind another takes no more than what differs between the two.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use grammask_trie::{Mask, TokenId};

/// Names a row that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowId {
    /// By these tables.
    Own(u32),
    /// By their lexicon.
    Shared(u32),
}

/// A mask, as a row and what is different.
#[derive(Debug, Default)]
pub(crate) struct Recipe {
    /// The row; none allows nothing.
    pub(crate) row: Option<RowId>,
    /// What the row allows and the mask does not, unless it is also in `more`.
    pub(crate) less: Box<[TokenId]>,
    /// What the mask allows; the row may allow it, too.
    pub(crate) more: Box<[TokenId]>,
    /// How often it has been written.
    times: AtomicU32,
    /// The row that is the mask itself: some masks are asked for again and again.
    whole: OnceLock<RowId>,
}

/// A mask that is written for the so manieth time gets a row of its own.
const OFTEN: u32 = 8;

impl Recipe {
    pub(crate) fn new(row: Option<RowId>, less: &[TokenId], more: &[TokenId]) -> Self {
        Self { row, less: less.into(), more: more.into(), ..Self::default() }
    }

    /// The mask that is a row as it is.
    pub(crate) fn of_row(row: RowId) -> Self {
        Self { row: Some(row), whole: OnceLock::from(row), ..Self::default() }
    }

    /// The row, if the mask is just that.
    #[inline]
    pub(crate) fn as_row(&self) -> Option<RowId> {
        self.whole.get().copied()
    }

    /// The mask has been written once more. Where that was often, it gets the row that `keep` keeps.
    pub(crate) fn count(&self, keep: impl FnOnce() -> RowId) {
        if self.times.fetch_add(1, Ordering::Relaxed) == OFTEN {
            self.whole.get_or_init(keep);
        }
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

/// Where masks are written that are not kept as they are, and what it holds.
///
/// Keep it from one mask to the next: what changes between them is little, and nothing else is written then.
///
/// # Cost
/// Room for up to six masks, made when they are needed: as many rows as an output mostly takes in turn.
#[derive(Debug)]
pub struct Scratch {
    id_count: usize,
    /// The one that was written last comes first.
    rooms: Vec<Room>,
    /// What was written before anything was: a mask of no ids.
    nothing: Mask,
}

/// Room for one mask.
#[derive(Debug)]
struct Room {
    mask: Mask,
    held: Held,
    /// Where the mask differs from the row that it was made from.
    changed: Vec<TokenId>,
}

/// What a room holds.
#[derive(Clone, Copy, Debug)]
enum Held {
    /// Anything.
    Anything,
    /// Nothing but what was changed.
    Nothing,
    /// A mask by a recipe, made from this row.
    Recipe { id: RecipeId, row: Option<RowId> },
}

/// Rows that an output takes in turn.
const ROOMS: usize = 6;

/// A mask that is kept: see [`Masks::known`](crate::Masks::known).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known(pub(crate) u32);

/// Where a mask stands that was asked for: see [`Masks::write`](crate::Masks::write).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Written(pub(crate) Option<RowId>);

impl Clone for Scratch {
    /// Room for masks of the same ids. What was written is not copied.
    fn clone(&self) -> Self {
        Self::new(self.id_count)
    }
}

impl Default for Scratch {
    /// No room at all.
    fn default() -> Self {
        Self::new(0)
    }
}

impl Scratch {
    /// Room for masks of ids below `id_count`.
    pub fn new(id_count: usize) -> Self {
        Self { id_count, rooms: Vec::new(), nothing: Mask::default() }
    }

    /// The ids that the masks are of: those below.
    pub fn id_count(&self) -> usize {
        self.id_count
    }

    /// What was written last; before anything was, a mask of no ids.
    pub fn mask(&self) -> &Mask {
        self.rooms.first().map_or(&self.nothing, |room| &room.mask)
    }

    /// Forbids all tokens.
    pub fn write_nothing(&mut self) -> Written {
        self.enter(|held| matches!(held, Held::Nothing)).restore(None, None);
        Written(None)
    }

    /// A mask, of which nothing is known from now on.
    pub(crate) fn anything(&mut self) -> &mut Mask {
        let room = self.enter(|held| matches!(held, Held::Anything));
        room.held = Held::Anything;
        &mut room.mask
    }

    /// The mask that was written last as [`anything`](Self::anything).
    pub(crate) fn written_mut(&mut self) -> &mut Mask {
        debug_assert!(matches!(self.rooms[0].held, Held::Anything), "what is known of a room stays true");
        &mut self.rooms[0].mask
    }

    /// Writes a mask by its recipe. `rows` gives rows by name.
    pub(crate) fn write<'a>(&mut self, id: RecipeId, recipe: &Recipe, rows: impl Fn(RowId) -> &'a Mask) {
        let fits = |held: Held| match (held, recipe.row) {
            (Held::Recipe { row: None, .. } | Held::Nothing, None) => true,
            (Held::Recipe { id: other, row }, Some(_)) => other.tables == id.tables && row == recipe.row,
            (Held::Anything | Held::Nothing | Held::Recipe { .. }, _) => false,
        };
        let room = self.enter(fits);
        if matches!(room.held, Held::Recipe { id: held, .. } if held == id) {
            return;
        }
        room.restore(Some(id.tables), recipe.row.map(|row| (row, rows(row))));
        recipe.change(room.mask.as_words_mut());
        room.changed.extend_from_slice(&recipe.less);
        room.changed.extend_from_slice(&recipe.more);
        room.held = Held::Recipe { id, row: recipe.row };
    }

    /// The room that fits, else a new one, or the one that was written longest ago. It is the first one then.
    fn enter(&mut self, fits: impl Fn(Held) -> bool) -> &mut Room {
        let place = match self.rooms.iter().position(|room| fits(room.held)) {
            Some(place) => place,
            None if self.rooms.len() < ROOMS => {
                let mask = Mask::new(self.id_count);
                self.rooms.push(Room { mask, held: Held::Nothing, changed: Vec::new() });
                self.rooms.len() - 1
            }
            None => ROOMS - 1,
        };
        self.rooms[..=place].rotate_right(1);
        &mut self.rooms[0]
    }
}

impl Room {
    /// Makes the mask equal to a row, or empty.
    fn restore(&mut self, tables: Option<u64>, row: Option<(RowId, &Mask)>) {
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
        let ids = |ids: &[u32]| ids.iter().copied().map(TokenId).collect::<Vec<TokenId>>();
        let rows: Vec<Mask> = [&[0, 3, 40, 69][..], &[1, 2, 3]]
            .iter()
            .map(|allowed| {
                let mut mask = Mask::new(70);
                mask.extend(allowed.iter().copied().map(TokenId));
                mask
            })
            .collect();
        let recipes = [
            Recipe::new(None, &[], &ids(&[5, 33])),
            Recipe::new(None, &ids(&[]), &ids(&[])),
            Recipe::new(Some(RowId::Own(0)), &ids(&[3]), &ids(&[4])),
            Recipe::new(Some(RowId::Own(0)), &ids(&[40, 0]), &ids(&[0, 68])),
            Recipe::new(Some(RowId::Own(1)), &ids(&[]), &ids(&[69])),
            Recipe::of_row(RowId::Own(1)),
            Recipe::new(Some(RowId::Shared(0)), &ids(&[40]), &ids(&[2])),
            Recipe::new(Some(RowId::Shared(1)), &ids(&[1]), &ids(&[60])),
        ];
        let write = |scratch: &mut Scratch, tables: u64, number: usize| {
            // The other tables have the rows in another order.
            let row = |row: RowId| match row {
                RowId::Own(row) => &rows[(row as usize + tables as usize) % 2],
                RowId::Shared(row) => &rows[row as usize],
            };
            scratch.write(RecipeId { tables, number: number as u32 }, &recipes[number], row);
            scratch.mask().clone()
        };
        let steps: Vec<(u64, usize)> =
            (0..2).flat_map(|tables| (0..recipes.len()).map(move |n| (tables, n))).collect();
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

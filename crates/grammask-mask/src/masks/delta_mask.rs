//! How masks are kept: most allow few tokens, or differ in few tokens from a row that many have in common. So what is kept is the row
//! and the difference, and writing one mask behind another takes no more than what differs between the two.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use grammask_trie::{Mask, TokenId, copy_row};

/// Names a row that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowId {
    /// By these tables.
    Own(u32),
    /// By their lexicon.
    Shared(u32),
}

/// How many owners of rows there have been.
static OWNERS: AtomicU64 = AtomicU64::new(0);

/// Names who keeps rows, tables or a lexicon, as long as the process lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnerId(u64);

impl OwnerId {
    pub(crate) fn new() -> Self {
        Self(OWNERS.fetch_add(1, Ordering::Relaxed))
    }
}

/// Who keeps rows here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owners {
    pub(crate) tables: OwnerId,
    pub(crate) lexicon: OwnerId,
}

impl Owners {
    fn of(self, row: RowId) -> OwnerId {
        match row {
            RowId::Own(_) => self.tables,
            RowId::Shared(_) => self.lexicon,
        }
    }
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
        change(&self.less, &self.more, row);
    }

    /// Bytes of the lists.
    pub(crate) fn bytes_used(&self) -> usize {
        size_of_val(&*self.less) + size_of_val(&*self.more)
    }
}

/// Forbids some tokens in a packed row, then allows others.
pub(crate) fn change(less: &[TokenId], more: &[TokenId], row: &mut [u32]) {
    for id in less {
        if let Some(word) = row.get_mut(id.word()) {
            *word &= !id.bit();
        }
    }
    for id in more {
        if let Some(word) = row.get_mut(id.word()) {
            *word |= id.bit();
        }
    }
}

/// Names a recipe: of which tables, and which of theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecipeId {
    pub(crate) tables: OwnerId,
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
    is_written: bool,
    /// What was written before anything was: a mask of no ids.
    nothing: Mask,
    /// Where the rooms come from and go to.
    home: Option<Arc<Rooms>>,
}

/// Rooms that nobody writes to: an output takes mostly the same rows as the one before it, so what stands in these need not be copied again.
#[derive(Debug, Default)]
pub(crate) struct Rooms(Mutex<Vec<Vec<Room>>>);

/// Rooms of so many scratches are kept; of more, they are freed.
const LEFT: usize = 16;

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
    /// A mask by a recipe, made from this row of somebody's.
    Recipe { id: RecipeId, row: Option<(OwnerId, RowId)> },
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
        match &self.home {
            Some(home) => Self::of(self.id_count, home),
            None => Self::new(self.id_count),
        }
    }
}

impl Default for Scratch {
    /// No room at all.
    fn default() -> Self {
        Self::new(0)
    }
}

impl Rooms {
    fn lock(&self) -> MutexGuard<'_, Vec<Vec<Room>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let Some(home) = &self.home else { return };
        let mut left = home.lock();
        if !self.rooms.is_empty() && left.len() < LEFT {
            left.push(std::mem::take(&mut self.rooms));
        }
    }
}

impl Scratch {
    /// Room for masks of ids below `id_count`.
    pub fn new(id_count: usize) -> Self {
        Self { id_count, rooms: Vec::new(), is_written: false, nothing: Mask::default(), home: None }
    }

    /// The same, with rooms that another one has left, if there are any.
    pub(crate) fn of(id_count: usize, home: &Arc<Rooms>) -> Self {
        let mut scratch = Self::new(id_count);
        scratch.rooms = home.lock().pop().unwrap_or_default();
        scratch.home = Some(Arc::clone(home));
        scratch
    }

    /// The ids that the masks are of: those below.
    pub fn id_count(&self) -> usize {
        self.id_count
    }

    /// What was written last; before anything was, a mask of no ids.
    pub fn mask(&self) -> &Mask {
        self.rooms.first().filter(|_| self.is_written).map_or(&self.nothing, |room| &room.mask)
    }

    /// Forbids all tokens.
    pub fn write_nothing(&mut self) -> Written {
        let id_count = self.id_count;
        self.enter(|held| matches!(held, Held::Nothing)).restore(id_count, None);
        Written(None)
    }

    /// A mask, of which nothing is known from now on.
    pub(crate) fn anything(&mut self) -> &mut Mask {
        let id_count = self.id_count;
        let room = self.enter(|held| matches!(held, Held::Anything));
        room.held = Held::Anything;
        if room.mask.id_count() != id_count {
            room.mask = Mask::new(id_count);
        }
        &mut room.mask
    }

    /// The mask that was written last as [`anything`](Self::anything).
    pub(crate) fn written_mut(&mut self) -> &mut Mask {
        debug_assert!(matches!(self.rooms[0].held, Held::Anything), "what is known of a room stays true");
        &mut self.rooms[0].mask
    }

    /// Writes a mask by the recipe with this number. `rows` gives rows by name.
    pub(crate) fn write<'a>(
        &mut self,
        number: u32,
        recipe: &Recipe,
        owners: Owners,
        rows: impl Fn(RowId) -> &'a Mask,
    ) {
        let id = RecipeId { tables: owners.tables, number };
        let row = recipe.row.map(|row| (owners.of(row), row));
        let fits = |held: Held| match (held, row) {
            (Held::Recipe { row: None, .. } | Held::Nothing, None) => true,
            (Held::Recipe { row: held, .. }, Some(_)) => held == row,
            (Held::Anything | Held::Nothing, _) | (Held::Recipe { .. }, None) => false,
        };
        let id_count = self.id_count;
        let room = self.enter(fits);
        if matches!(room.held, Held::Recipe { id: held, .. } if held == id) {
            return;
        }
        room.restore(id_count, row.map(|(owner, row)| (owner, row, rows(row))));
        recipe.change(room.mask.as_words_mut());
        room.changed.extend_from_slice(&recipe.less);
        room.changed.extend_from_slice(&recipe.more);
        room.held = Held::Recipe { id, row };
    }

    /// The room that fits, else a new one, or the one that was written longest ago. It is the first one then.
    fn enter(&mut self, fits: impl Fn(Held) -> bool) -> &mut Room {
        let place = match self.rooms.iter().position(|room| fits(room.held)) {
            Some(place) => place,
            None if self.rooms.len() < ROOMS => {
                self.rooms.push(Room { mask: Mask::default(), held: Held::Anything, changed: Vec::new() });
                self.rooms.len() - 1
            }
            None => ROOMS - 1,
        };
        self.is_written = true;
        self.rooms[..=place].rotate_right(1);
        &mut self.rooms[0]
    }
}

impl Room {
    /// Makes the mask equal to a row, or empty.
    fn restore(&mut self, id_count: usize, row: Option<(OwnerId, RowId, &Mask)>) {
        let is_changed_row = match (self.held, row) {
            (Held::Anything, _) => false,
            (Held::Nothing, row) => row.is_none(),
            (Held::Recipe { row: held, .. }, row) => held == row.map(|(owner, row, _)| (owner, row)),
        };
        // A room is made by what is first written to it.
        let is_made = self.mask.id_count() == id_count;
        match row {
            _ if is_changed_row => {
                let words = self.mask.as_words_mut();
                let row = row.map(|(.., row)| row.as_words());
                self.changed.iter().for_each(|id| words[id.word()] = row.map_or(0, |row| row[id.word()]));
            }
            Some((.., row)) if is_made => copy_row(row.as_words(), self.mask.as_words_mut()),
            Some((.., row)) => self.mask = row.clone(),
            None if is_made => self.mask.clear(),
            None => self.mask = Mask::new(id_count),
        }
        self.changed.clear();
        // What stands there is not told before all of it does.
        self.held = if row.is_some() { Held::Anything } else { Held::Nothing };
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
        // Two tables of one lexicon, and one of another; each owner has the rows in another order than the one before it.
        let owners = [(0, 3), (1, 3), (2, 4)]
            .map(|(tables, lexicon)| Owners { tables: OwnerId(tables), lexicon: OwnerId(lexicon) });
        let write = |scratch: &mut Scratch, tables: usize, number: usize| {
            let owners = owners[tables];
            let row = |name: RowId| match name {
                RowId::Own(row) | RowId::Shared(row) => {
                    &rows[(row as usize + owners.of(name).0 as usize) % 2]
                }
            };
            scratch.write(number as u32, &recipes[number], owners, row);
            scratch.mask().clone()
        };
        let steps: Vec<(usize, usize)> =
            (0..3).flat_map(|tables| (0..recipes.len()).map(move |n| (tables, n))).collect();
        let home = Arc::new(Rooms::default());
        for &(tables, number) in &steps {
            let fresh = write(&mut Scratch::new(70), tables, number);
            for &(other, before) in &steps {
                for (change, leave) in [(false, false), (true, false), (false, true), (true, true)] {
                    let mut scratch = Scratch::of(70, &home);
                    assert_eq!(scratch.mask().id_count(), 0, "nothing has been written");
                    write(&mut scratch, other, before);
                    if change {
                        scratch.anything().allow(TokenId(50));
                    }
                    if leave {
                        scratch = scratch.clone();
                        drop(std::mem::replace(&mut scratch, Scratch::of(70, &home)));
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

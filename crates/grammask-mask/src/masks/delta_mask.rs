//! Masks stored as a shared row and a difference.
//!
//! Most masks have few tokens, or differ in few tokens from a row that many masks share. Writing a mask over
//! another one of the same row changes only the words that differ.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use grammask_trie::{Mask, TokenId, copy_row};

/// A stored row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowId {
    /// Of the tables of a grammar.
    Tables(u32),
    /// Of the lexicon.
    Lexicon(u32),
}

/// Number of ids that were given out in this process.
static OWNER_COUNT: AtomicU64 = AtomicU64::new(0);

/// Identifies tables or a lexicon, as long as the process lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnerId(u64);

impl OwnerId {
    pub(crate) fn new() -> Self {
        Self(OWNER_COUNT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Owners of the rows: the tables of a grammar, and the lexicon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owners {
    pub(crate) tables: OwnerId,
    pub(crate) lexicon: OwnerId,
}

impl Owners {
    fn of(self, row: RowId) -> OwnerId {
        match row {
            RowId::Tables(_) => self.tables,
            RowId::Lexicon(_) => self.lexicon,
        }
    }
}

/// A mask as a row and a difference.
#[derive(Debug, Default)]
pub(crate) struct DeltaMask {
    /// Base row; `None` has no tokens.
    pub(crate) row: Option<RowId>,
    /// Tokens of the row that the mask lacks, unless they are also in the other list.
    pub(crate) removed: Box<[TokenId]>,
    /// Tokens that the mask adds; the row may have them, too.
    pub(crate) added: Box<[TokenId]>,
    /// Number of writes.
    writes: AtomicU32,
    /// The row that is the mask itself, for masks that are written often.
    full_row: OnceLock<RowId>,
}

/// After this many writes the mask gets a full row.
const WRITES_BEFORE_ROW: u32 = 8;

impl DeltaMask {
    pub(crate) fn new(row: Option<RowId>, removed: &[TokenId], added: &[TokenId]) -> Self {
        Self { row, removed: removed.into(), added: added.into(), ..Self::default() }
    }

    /// Creates the mask that is a row.
    pub(crate) fn of_row(row: RowId) -> Self {
        Self { row: Some(row), full_row: OnceLock::from(row), ..Self::default() }
    }

    /// Returns the row, if the mask is just that.
    #[inline]
    pub(crate) fn as_row(&self) -> Option<RowId> {
        self.full_row.get().copied()
    }

    /// Counts a write. After `WRITES_BEFORE_ROW`, stores the row that `keep` returns.
    pub(crate) fn count(&self, keep: impl FnOnce() -> RowId) {
        if self.writes.fetch_add(1, Ordering::Relaxed) == WRITES_BEFORE_ROW {
            self.full_row.get_or_init(keep);
        }
    }

    /// Applies the difference to a row.
    pub(crate) fn change(&self, row: &mut [u32]) {
        change(&self.removed, &self.added, row);
    }

    /// Returns the bytes of the lists.
    pub(crate) fn bytes_used(&self) -> usize {
        size_of_val(&*self.removed) + size_of_val(&*self.added)
    }
}

/// Forbids some tokens in a packed row, then allows others.
pub(crate) fn change(removed: &[TokenId], added: &[TokenId], row: &mut [u32]) {
    for id in removed {
        if let Some(word) = row.get_mut(id.word()) {
            *word &= !id.bit();
        }
    }
    for id in added {
        if let Some(word) = row.get_mut(id.word()) {
            *word |= id.bit();
        }
    }
}

/// Identifies a mask: its tables, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeltaMaskId {
    pub(crate) tables: OwnerId,
    pub(crate) number: u32,
}

/// Buffers for masks, with a record of their content.
///
/// Reuse it from one mask to the next: only what differs between them is written then.
///
/// # Cost
/// Up to six rows, allocated on demand: as many as an output mostly alternates between.
#[derive(Debug)]
pub struct Scratch {
    id_count: usize,
    /// Buffers, the most recently written one first.
    buffers: Vec<RowBuffer>,
    is_written: bool,
    /// Mask of no ids, returned before the first write.
    nothing: Mask,
    /// Pool that the buffers come from and return to.
    pool: Option<Arc<RowPool>>,
}

/// Buffers that no scratch uses. A new output mostly begins with the rows of an earlier one, which then need
/// not be copied.
#[derive(Debug, Default)]
pub(crate) struct RowPool(Mutex<Vec<Vec<RowBuffer>>>);

/// Number of scratches whose buffers are pooled; the buffers of further ones are freed.
const MAX_POOLED_SCRATCHES: usize = 16;

/// Buffer for one mask.
#[derive(Debug)]
struct RowBuffer {
    mask: Mask,
    contents: Contents,
    /// Tokens in which the mask may differ from the row it was made from.
    changed: Vec<TokenId>,
}

/// Known content of a buffer.
#[derive(Clone, Copy, Debug)]
enum Contents {
    /// Unknown content.
    Anything,
    /// The empty mask, apart from the changed tokens.
    Nothing,
    /// A difference mask, made from this row of an owner.
    DeltaMask { id: DeltaMaskId, row: Option<(OwnerId, RowId)> },
}

/// Number of row buffers of a scratch: an output alternates between few rows.
const MAX_ROW_BUFFERS: usize = 6;

/// Number of a mask that the tables keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MaskId(pub(crate) u32);

/// Reference to a written mask: see [`StateMask::write`](crate::StateMask::write).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct MaskRef(pub(crate) Option<RowId>);

impl Clone for Scratch {
    /// Returns a scratch for masks of equally many ids, without the written content.
    fn clone(&self) -> Self {
        match &self.pool {
            Some(pool) => Self::of(self.id_count, pool),
            None => Self::new(self.id_count),
        }
    }
}

impl Default for Scratch {
    /// Returns a scratch without buffers.
    fn default() -> Self {
        Self::new(0)
    }
}

impl RowPool {
    fn lock(&self) -> MutexGuard<'_, Vec<Vec<RowBuffer>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let Some(pool) = &self.pool else { return };
        let mut left = pool.lock();
        if !self.buffers.is_empty() && left.len() < MAX_POOLED_SCRATCHES {
            left.push(std::mem::take(&mut self.buffers));
        }
    }
}

impl Scratch {
    /// Creates a scratch for masks of ids below `id_count`.
    pub fn new(id_count: usize) -> Self {
        Self { id_count, buffers: Vec::new(), is_written: false, nothing: Mask::default(), pool: None }
    }

    /// As [`new`](Self::new), with buffers of a pool if there are any.
    pub(crate) fn of(id_count: usize, pool: &Arc<RowPool>) -> Self {
        let mut scratch = Self::new(id_count);
        scratch.buffers = pool.lock().pop().unwrap_or_default();
        scratch.pool = Some(Arc::clone(pool));
        scratch
    }

    /// Returns the number of ids: masks have those below it.
    pub fn id_count(&self) -> usize {
        self.id_count
    }

    /// Returns the mask that was written last. Before the first write, it is a mask of no ids.
    pub fn mask(&self) -> &Mask {
        self.buffers.first().filter(|_| self.is_written).map_or(&self.nothing, |buffer| &buffer.mask)
    }

    /// Writes the empty mask.
    pub fn write_nothing(&mut self) -> MaskRef {
        let id_count = self.id_count;
        self.enter(|contents| matches!(contents, Contents::Nothing)).restore(id_count, None);
        MaskRef(None)
    }

    /// Returns a buffer for a mask. Its content counts as unknown from now on.
    pub(crate) fn anything(&mut self) -> &mut Mask {
        let id_count = self.id_count;
        let buffer = self.enter(|contents| matches!(contents, Contents::Anything));
        buffer.contents = Contents::Anything;
        if buffer.mask.id_count() != id_count {
            buffer.mask = Mask::new(id_count);
        }
        &mut buffer.mask
    }

    /// Returns the mask that was written last through [`anything`](Self::anything).
    pub(crate) fn written_mut(&mut self) -> &mut Mask {
        debug_assert!(
            matches!(self.buffers[0].contents, Contents::Anything),
            "the buffer has unknown content"
        );
        &mut self.buffers[0].mask
    }

    /// Writes the difference mask with this number. `rows` returns rows by number.
    pub(crate) fn write<'a>(
        &mut self,
        number: u32,
        delta_mask: &DeltaMask,
        owners: Owners,
        rows: impl Fn(RowId) -> &'a Mask,
    ) {
        let id = DeltaMaskId { tables: owners.tables, number };
        let row = delta_mask.row.map(|row| (owners.of(row), row));
        let fits = |contents: Contents| match (contents, row) {
            (Contents::DeltaMask { row: None, .. } | Contents::Nothing, None) => true,
            (Contents::DeltaMask { row: contents, .. }, Some(_)) => contents == row,
            (Contents::Anything | Contents::Nothing, _) | (Contents::DeltaMask { .. }, None) => false,
        };
        let id_count = self.id_count;
        let buffer = self.enter(fits);
        if matches!(buffer.contents, Contents::DeltaMask { id: contents, .. } if contents == id) {
            return;
        }
        buffer.restore(id_count, row.map(|(owner, row)| (owner, row, rows(row))));
        delta_mask.change(buffer.mask.as_words_mut());
        buffer.changed.extend_from_slice(&delta_mask.removed);
        buffer.changed.extend_from_slice(&delta_mask.added);
        buffer.contents = Contents::DeltaMask { id, row };
    }

    /// Moves a buffer to the front and returns it: one that fits, else a new one, else the least recently
    /// written one.
    fn enter(&mut self, fits: impl Fn(Contents) -> bool) -> &mut RowBuffer {
        let position = match self.buffers.iter().position(|buffer| fits(buffer.contents)) {
            Some(position) => position,
            None if self.buffers.len() < MAX_ROW_BUFFERS => {
                self.buffers.push(RowBuffer {
                    mask: Mask::default(),
                    contents: Contents::Anything,
                    changed: Vec::new(),
                });
                self.buffers.len() - 1
            }
            None => MAX_ROW_BUFFERS - 1,
        };
        self.is_written = true;
        self.buffers[..=position].rotate_right(1);
        &mut self.buffers[0]
    }
}

impl RowBuffer {
    /// Makes the mask equal to a row, or empty.
    fn restore(&mut self, id_count: usize, row: Option<(OwnerId, RowId, &Mask)>) {
        let is_changed_row = match (self.contents, row) {
            (Contents::Anything, _) => false,
            (Contents::Nothing, row) => row.is_none(),
            (Contents::DeltaMask { row: contents, .. }, row) => {
                contents == row.map(|(owner, row, _)| (owner, row))
            }
        };
        // A buffer is allocated by its first write.
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
        // The content counts as known only after the write is complete.
        self.contents = if row.is_some() { Contents::Anything } else { Contents::Nothing };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes difference masks of two tables in any order, and compares with writes to an empty scratch.
    #[test]
    fn earlier_writes_do_not_matter() {
        let ids = |ids: &[u32]| ids.iter().copied().map(TokenId).collect::<Vec<TokenId>>();
        let rows: Vec<Mask> = [&[0, 3, 40, 69][..], &[1, 2, 3]]
            .iter()
            .map(|allowed| {
                let mut mask = Mask::new(70);
                mask.extend(allowed.iter().copied().map(TokenId));
                mask
            })
            .collect();
        let delta_masks = [
            DeltaMask::new(None, &[], &ids(&[5, 33])),
            DeltaMask::new(None, &ids(&[]), &ids(&[])),
            DeltaMask::new(Some(RowId::Tables(0)), &ids(&[3]), &ids(&[4])),
            DeltaMask::new(Some(RowId::Tables(0)), &ids(&[40, 0]), &ids(&[0, 68])),
            DeltaMask::new(Some(RowId::Tables(1)), &ids(&[]), &ids(&[69])),
            DeltaMask::of_row(RowId::Tables(1)),
            DeltaMask::new(Some(RowId::Lexicon(0)), &ids(&[40]), &ids(&[2])),
            DeltaMask::new(Some(RowId::Lexicon(1)), &ids(&[1]), &ids(&[60])),
        ];
        // Two tables of one lexicon, and one of another lexicon; each owner has the rows in a different
        // order.
        let owners = [(0, 3), (1, 3), (2, 4)]
            .map(|(tables, lexicon)| Owners { tables: OwnerId(tables), lexicon: OwnerId(lexicon) });
        let write = |scratch: &mut Scratch, tables: usize, number: usize| {
            let owners = owners[tables];
            let row = |name: RowId| match name {
                RowId::Tables(row) | RowId::Lexicon(row) => {
                    &rows[(row as usize + owners.of(name).0 as usize) % 2]
                }
            };
            scratch.write(number as u32, &delta_masks[number], owners, row);
            scratch.mask().clone()
        };
        let steps: Vec<(usize, usize)> =
            (0..3).flat_map(|tables| (0..delta_masks.len()).map(move |n| (tables, n))).collect();
        let pool = Arc::new(RowPool::default());
        for &(tables, number) in &steps {
            let fresh = write(&mut Scratch::new(70), tables, number);
            for &(other, before) in &steps {
                for (change, leave) in [(false, false), (true, false), (false, true), (true, true)] {
                    let mut scratch = Scratch::of(70, &pool);
                    assert_eq!(scratch.mask().id_count(), 0, "nothing has been written");
                    write(&mut scratch, other, before);
                    if change {
                        scratch.anything().allow(TokenId(50));
                    }
                    if leave {
                        scratch = scratch.clone();
                        drop(std::mem::replace(&mut scratch, Scratch::of(70, &pool)));
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

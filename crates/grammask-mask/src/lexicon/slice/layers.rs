//! Length index: ids bucketed by a small number, the layer, with a row of bits for all ids up to a layer.

use std::sync::Arc;

use crate::lexicon::slice::NOWHERE;
use crate::node_set::{BitRow, is_within};

/// Ids by layer, possibly restricted to a subset.
pub(crate) struct LengthIndex {
    layered: Arc<Layered>,
    /// Subset of the ids that this index contains, one bit each; `None` if it contains all.
    only: Option<BitRow>,
}

/// Data that an index shares with its subsets.
struct Layered {
    /// Ids, layer by layer.
    ids: Box<[u32]>,
    /// Start of each layer in `ids`, and the end of the last one.
    starts: Box<[usize]>,
    /// Rows of the ids up to some layers, by ascending layer. The first row is empty, the last one has all
    /// ids. A row is stored after every `MAX_IDS_BETWEEN_ROWS` ids.
    rows: Box<[Row]>,
}

/// Ids of all layers up to `layer`, one bit each.
struct Row {
    layer: usize,
    bits: BitRow,
}

/// Ids between two stored rows: setting their bits costs less than copying a row.
const MAX_IDS_BETWEEN_ROWS: usize = 256;

/// Returns `true` if ids of this layer are in an index.
const fn is_layer(layer: u8) -> bool {
    layer != 0 && layer != NOWHERE
}

/// Bits of a word of a row.
const WORD: usize = u64::BITS as usize;

impl Layered {
    /// Returns the last stored row up to a layer, and the ids up to the layer that are not in the row.
    fn up_to(&self, last: usize) -> (&Row, &[u32]) {
        let row = &self.rows[self.rows.partition_point(|row| row.layer <= last) - 1];
        (row, &self.ids[self.start(row.layer + 1)..self.start(last.saturating_add(1))])
    }

    /// Returns the row of all ids.
    fn all(&self) -> &Row {
        &self.rows[self.rows.len() - 1]
    }

    /// Returns the start of a layer in `ids`.
    fn start(&self, layer: usize) -> usize {
        self.starts[layer.min(self.starts.len() - 1)]
    }
}

impl LengthIndex {
    /// Builds the index of some ids below `id_count` and its rows. `layers` has the layer of each id. It is 0
    /// or [`NOWHERE`] for an id that is not in the index. Missing layers are 0.
    ///
    /// # Complexity
    /// Linear in the ids.
    pub(crate) fn new(id_count: usize, layers: &[u8]) -> Self {
        // By layer, at first: the number of ids of the layer before it.
        let mut starts = vec![0; usize::from(NOWHERE) + 1];
        for &layer in layers.iter().filter(|&&layer| is_layer(layer)) {
            starts[usize::from(layer) + 1] += 1;
        }
        let last = starts.iter().rposition(|&count| count > 0).unwrap_or(0);
        starts.truncate(last + 1);
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        let mut ids = vec![0; before];
        let mut next = starts.clone();
        for (id, &layer) in (0..).zip(layers).filter(|&(_, &layer)| is_layer(layer)) {
            let index = &mut next[usize::from(layer)];
            ids[*index] = id;
            *index += 1;
        }
        let mut bits = vec![0; id_count.div_ceil(WORD)];
        let mut rows = vec![Row { layer: 0, bits: BitRow::new(bits.clone()) }];
        let mut since = 0;
        for (layer, range) in starts.windows(2).enumerate() {
            for &id in &ids[range[0]..range[1]] {
                bits[id as usize / WORD] |= 1 << (id as usize % WORD);
            }
            since += range[1] - range[0];
            if since >= MAX_IDS_BETWEEN_ROWS || layer + 2 == starts.len() {
                rows.push(Row { layer, bits: BitRow::new(bits.clone()) });
                since = 0;
            }
        }
        let layered = Layered { ids: ids.into(), starts: starts.into(), rows: rows.into() };
        Self { layered: Arc::new(layered), only: None }
    }

    /// Returns the index of a subset, given as one bit for each id. The subset must be contained in this one.
    pub(crate) fn only(&self, bits: Vec<u64>) -> Self {
        debug_assert!(is_within(&bits, self.bits()), "the subset exceeds the index");
        Self { layered: Arc::clone(&self.layered), only: Some(bits.into()) }
    }

    /// Returns the ids, one bit each.
    pub(crate) fn bits(&self) -> &[u64] {
        self.only.as_ref().unwrap_or_else(|| &self.layered.all().bits)
    }

    /// Returns `true` if the index is not restricted to a subset.
    pub(crate) fn is_whole(&self) -> bool {
        self.only.is_none()
    }

    /// Returns `true` if the subset contains an id. The id must be in a layer.
    #[inline]
    pub(crate) fn has(&self, id: usize) -> bool {
        self.only.as_ref().is_none_or(|only| only[id / WORD] >> (id % WORD) & 1 == 1)
    }

    /// Returns the ids of one layer, ascending.
    pub(crate) fn at(&self, layer: usize) -> impl Iterator<Item = usize> {
        let range = self.layered.start(layer)..self.layered.start(layer.saturating_add(1));
        self.present(&self.layered.ids[range])
    }

    fn present(&self, ids: &[u32]) -> impl Iterator<Item = usize> {
        ids.iter().map(|&id| id as usize).filter(|&id| self.has(id))
    }

    /// Returns the ids of the layers 1 to `last`, one bit each.
    ///
    /// # Complexity
    /// Linear in the ids, 64 a step; constant if the result is a stored row.
    pub(crate) fn up_to(&self, last: usize) -> BitRow {
        let (row, more) = self.layered.up_to(last);
        match &self.only {
            Some(only) if self.is_all(row) => return Arc::clone(only),
            None if more.is_empty() => return Arc::clone(&row.bits),
            _ => {}
        }
        let mut bits = self.those_of(row, |word| word);
        self.present(more).for_each(|id| bits[id / WORD] |= 1 << (id % WORD));
        bits.into()
    }

    /// Returns `true` if a row has all ids.
    fn is_all(&self, row: &Row) -> bool {
        std::ptr::eq(row, self.layered.all())
    }

    /// As [`up_to`](Self::up_to), as a packed row of words of 32 bits.
    pub(crate) fn packed_up_to(&self, last: usize) -> Vec<u32> {
        let (row, more) = self.layered.up_to(last);
        #[expect(clippy::cast_possible_truncation, reason = "the two halves of the word")]
        let halves = |word: u64| [word as u32, (word >> 32) as u32];
        let mut bits = self.those_of(row, halves).into_flattened();
        self.present(more).for_each(|id| bits[id / 32] |= 1 << (id % 32));
        bits
    }

    /// Returns the ids of a row that the subset contains, each word converted by `form`.
    fn those_of<T>(&self, row: &Row, form: impl Fn(u64) -> T) -> Vec<T> {
        match &self.only {
            None => row.bits.iter().map(|&word| form(word)).collect(),
            // All ids of the subset are in the last row, so the row need not be read; it is rarely in a CPU
            // cache.
            Some(only) if self.is_all(row) => only.iter().map(|&word| form(word)).collect(),
            Some(only) => row.bits.iter().zip(&**only).map(|(word, only)| form(word & only)).collect(),
        }
    }

    /// Returns the bytes of memory that are not shared with another index.
    pub(crate) fn bytes_used(&self) -> usize {
        let Layered { ids, starts, rows } = &*self.layered;
        match &self.only {
            Some(only) => size_of_val(&only[..]),
            None => {
                let bits: usize = rows.iter().map(|row| size_of_val(&row.bits[..])).sum();
                size_of_val(&**ids) + size_of_val(&**starts) + size_of_val(&**rows) + bits
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The layer of an id; `None` for one id in eight.
    fn layer(id: usize) -> Option<u8> {
        // Few ids in the first and the last layers; in the others, more than `MAX_IDS_BETWEEN_ROWS`.
        let spread = id * 2_654_435_761 % 65_536;
        (!spread.is_multiple_of(8)).then_some(match spread {
            0..64_000 => 2 + (spread % 5) as u8,
            _ => 1 + (spread % 254) as u8,
        })
    }

    #[test]
    fn rows_hold_what_is_in_the_first_layers() {
        const IDS: usize = 20_000;
        let by_id: Vec<u8> = (0..IDS).map(|id| layer(id).unwrap_or([0, NOWHERE][id % 2])).collect();
        let all = LengthIndex::new(IDS, &by_id);
        assert!(all.layered.rows.len() > 3, "no more rows than {}", all.layered.rows.len());
        // A subset of a subset: every third id below 19,000.
        let third = |id: usize| id.is_multiple_of(3) && id < 19_000;
        let mut first = all.bits().to_vec();
        first[19_000 / 64 + 1..].fill(0);
        let first = all.only(first);
        let mut bits = first.bits().to_vec();
        (0..IDS).filter(|&id| !third(id)).for_each(|id| bits[id / 64] &= !(1 << (id % 64)));
        let some = first.only(bits);
        for (layers, is_some) in [(&all, false), (&some, true)] {
            let is_here = |id: usize| !is_some || third(id);
            for id in 0..IDS {
                // An id without a layer is in no subset; an unrestricted index does not check that.
                let has = is_here(id) && (!is_some || layer(id).is_some());
                assert_eq!(layers.has(id), has, "{id}");
            }
            for last in [0, 1, 2, 3, 4, 5, 6, 7, 8, 17, 100, 254, 255, 1_000, usize::MAX] {
                let row = layers.up_to(last);
                assert_eq!(row.len(), IDS.div_ceil(64));
                let pairs = layers
                    .packed_up_to(last)
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&[low, high]| u64::from(high) << 32 | u64::from(low))
                    .collect::<Vec<u64>>();
                assert_eq!(pairs, *row, "{last}");
                let mut at: Vec<usize> = Vec::new();
                for id in 0..IDS {
                    let layer = layer(id).filter(|_| is_here(id)).map(usize::from);
                    let holds = layer.is_some_and(|layer| layer <= last);
                    assert_eq!(row[id / 64] >> (id % 64) & 1 == 1, holds, "{id} up to {last}");
                    at.extend((layer == Some(last)).then_some(id));
                }
                assert_eq!(layers.at(last).collect::<Vec<_>>(), at, "{last}");
            }
        }
    }
}

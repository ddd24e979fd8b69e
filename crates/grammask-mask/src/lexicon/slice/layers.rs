//! Bitmaps by length: ids bucketed by a small number, with a row of bits for all ids up to a number.

use std::sync::Arc;

use crate::node_set::{BitRow, is_within};

/// Things, while they are put into layers.
pub(crate) struct LengthIndexBuilder {
    things: usize,
    /// What is in each layer, in the order in which it was put there.
    layers: Vec<Vec<u32>>,
}

/// The layers of things, when all are put.
pub(crate) struct LengthIndex {
    layered: Arc<Layered>,
    /// The things that are here, one bit each, of those that are in a layer; all of these, where nothing is
    /// said.
    only: Option<BitRow>,
}

/// What any number of [`LengthIndex`] share.
struct Layered {
    /// Layer by layer.
    things: Box<[u32]>,
    /// Where each layer begins, and one place more.
    starts: Box<[usize]>,
    /// Rows of what is up to some layers, by ascending layer; the first is empty, the last has everything.
    /// There is one wherever many things have
    /// come since the last.
    rows: Box<[Row]>,
}

/// What is up to a layer, one bit each.
struct Row {
    layer: usize,
    bits: BitRow,
}

/// Ids between two stored rows: setting their bits costs less than copying a row.
const MAX_IDS_BETWEEN_ROWS: usize = 256;

/// Bits of a word of a row.
const WORD: usize = u64::BITS as usize;

impl LengthIndexBuilder {
    /// So many things, in no layer.
    pub(crate) fn new(things: usize) -> Self {
        Self { things, layers: Vec::new() }
    }

    /// Puts a thing that is in none into a layer, which is not 0.
    #[inline]
    pub(crate) fn put(&mut self, thing: usize, layer: u8) {
        let layer = usize::from(layer);
        if layer >= self.layers.len() {
            self.layers.resize_with(layer + 1, Vec::new);
        }
        self.layers[layer].push(thing as u32);
    }

    /// When nothing is put any more: notes what most rows have in common.
    ///
    /// # Complexity
    /// Linear in the things.
    pub(crate) fn complete(self) -> LengthIndex {
        let mut things = Vec::with_capacity(self.layers.iter().map(Vec::len).sum());
        let mut starts = vec![0];
        let mut bits = vec![0; self.things.div_ceil(WORD)];
        let mut rows = vec![Row { layer: 0, bits: BitRow::new(bits.clone()) }];
        let mut since = 0;
        for (layer, here) in self.layers.iter().enumerate() {
            for &thing in here {
                bits[thing as usize / WORD] |= 1 << (thing as usize % WORD);
            }
            things.extend_from_slice(here);
            starts.push(things.len());
            since += here.len();
            if since >= MAX_IDS_BETWEEN_ROWS || layer + 1 == self.layers.len() {
                rows.push(Row { layer, bits: BitRow::new(bits.clone()) });
                since = 0;
            }
        }
        let layered = Layered { things: things.into(), starts: starts.into(), rows: rows.into() };
        LengthIndex { layered: Arc::new(layered), only: None }
    }
}

impl Layered {
    /// The row of most of what is up to a layer, and what is not in it.
    fn up_to(&self, last: usize) -> (&Row, &[u32]) {
        let row = &self.rows[self.rows.partition_point(|row| row.layer <= last) - 1];
        (row, &self.things[self.start(row.layer + 1)..self.start(last.saturating_add(1))])
    }

    /// The row of everything.
    fn all(&self) -> &Row {
        &self.rows[self.rows.len() - 1]
    }

    /// Where a layer begins.
    fn start(&self, layer: usize) -> usize {
        self.starts[layer.min(self.starts.len() - 1)]
    }
}

impl LengthIndex {
    /// Some of these things, one bit each, in the same layers.
    pub(crate) fn only(&self, bits: Vec<u64>) -> Self {
        debug_assert!(is_within(&bits, self.bits()), "there is something else");
        Self { layered: Arc::clone(&self.layered), only: Some(bits.into()) }
    }

    /// These things, one bit each.
    pub(crate) fn bits(&self) -> &[u64] {
        self.only.as_ref().unwrap_or_else(|| &self.layered.all().bits)
    }

    /// Whether these are all that are in a layer.
    pub(crate) fn is_whole(&self) -> bool {
        self.only.is_none()
    }

    /// Whether a thing, if it is in a layer, is here.
    #[inline]
    pub(crate) fn has(&self, thing: usize) -> bool {
        self.only.as_ref().is_none_or(|only| only[thing / WORD] >> (thing % WORD) & 1 == 1)
    }

    /// Everything in one layer, in the order in which it was put there.
    pub(crate) fn at(&self, layer: usize) -> impl Iterator<Item = usize> {
        let range = self.layered.start(layer)..self.layered.start(layer.saturating_add(1));
        self.present(&self.layered.things[range])
    }

    fn present(&self, things: &[u32]) -> impl Iterator<Item = usize> {
        things.iter().map(|&thing| thing as usize).filter(|&thing| self.has(thing))
    }

    /// Everything from layer 1 to the layer `last`, one bit each.
    ///
    /// # Complexity
    /// Linear in the things, at 64 a step; but where that is everything, none.
    pub(crate) fn up_to(&self, last: usize) -> BitRow {
        let (row, more) = self.layered.up_to(last);
        match &self.only {
            Some(only) if self.is_all(row) => return Arc::clone(only),
            None if more.is_empty() => return Arc::clone(&row.bits),
            _ => {}
        }
        let mut bits = self.those_of(row, |word| word);
        self.present(more).for_each(|thing| bits[thing / WORD] |= 1 << (thing % WORD));
        bits.into()
    }

    /// Whether a row has everything that is in a layer.
    fn is_all(&self, row: &Row) -> bool {
        std::ptr::eq(row, self.layered.all())
    }

    /// The same as a packed row.
    pub(crate) fn packed_up_to(&self, last: usize) -> Vec<u32> {
        let (row, more) = self.layered.up_to(last);
        let mut bits = self.those_of(row, |word| [word as u32, (word >> 32) as u32]).into_flattened();
        self.present(more).for_each(|thing| bits[thing / 32] |= 1 << (thing % 32));
        bits
    }

    /// Those of a row's things that are here, word by word, each in the form that is wanted.
    fn those_of<T>(&self, row: &Row, form: impl Fn(u64) -> T) -> Vec<T> {
        match &self.only {
            None => row.bits.iter().map(|&word| form(word)).collect(),
            // What is here is in some layer, so a row that no cache holds need not be read.
            Some(only) if self.is_all(row) => only.iter().map(|&word| form(word)).collect(),
            Some(only) => row.bits.iter().zip(&**only).map(|(word, only)| form(word & only)).collect(),
        }
    }

    /// What is not shared with other layers, in bytes.
    pub(crate) fn bytes_used(&self) -> usize {
        let Layered { things, starts, rows } = &*self.layered;
        match &self.only {
            Some(only) => size_of_val(&only[..]),
            None => {
                let bits: usize = rows.iter().map(|row| size_of_val(&row.bits[..])).sum();
                size_of_val(&**things) + size_of_val(&**starts) + size_of_val(&**rows) + bits
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A layer for each of some things; none for one in eight.
    fn layer(thing: usize) -> Option<u8> {
        // Few things in the first layers and in the last ones, and more than fit beside a row in others.
        let spread = thing * 2_654_435_761 % 65_536;
        (!spread.is_multiple_of(8)).then_some(match spread {
            0..64_000 => 2 + (spread % 5) as u8,
            _ => 1 + (spread % 254) as u8,
        })
    }

    #[test]
    fn rows_hold_what_is_in_the_first_layers() {
        const THINGS: usize = 20_000;
        let mut layering = LengthIndexBuilder::new(THINGS);
        (0..THINGS).for_each(|thing| {
            layer(thing).into_iter().for_each(|layer| layering.put(thing, layer));
        });
        let all = layering.complete();
        assert!(all.layered.rows.len() > 3, "no more rows than {}", all.layered.rows.len());
        // Some of the first of all that is in a layer.
        let third = |thing: usize| thing.is_multiple_of(3) && thing < 19_000;
        let mut first = all.bits().to_vec();
        first[19_000 / 64 + 1..].fill(0);
        let first = all.only(first);
        let mut bits = first.bits().to_vec();
        (0..THINGS).filter(|&thing| !third(thing)).for_each(|thing| bits[thing / 64] &= !(1 << (thing % 64)));
        let some = first.only(bits);
        for (layers, is_some) in [(&all, false), (&some, true)] {
            let is_here = |thing: usize| !is_some || third(thing);
            for thing in 0..THINGS {
                // Of what is in no layer nothing is here, but who has everything does not look.
                let has = is_here(thing) && (!is_some || layer(thing).is_some());
                assert_eq!(layers.has(thing), has, "{thing}");
            }
            for last in [0, 1, 2, 3, 4, 5, 6, 7, 8, 17, 100, 254, 255, 1_000, usize::MAX] {
                let row = layers.up_to(last);
                assert_eq!(row.len(), THINGS.div_ceil(64));
                let pairs = layers
                    .packed_up_to(last)
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&[low, high]| u64::from(high) << 32 | u64::from(low))
                    .collect::<Vec<u64>>();
                assert_eq!(pairs, *row, "{last}");
                let mut at: Vec<usize> = Vec::new();
                for thing in 0..THINGS {
                    let layer = layer(thing).filter(|_| is_here(thing)).map(usize::from);
                    let holds = layer.is_some_and(|layer| layer <= last);
                    assert_eq!(row[thing / 64] >> (thing % 64) & 1 == 1, holds, "{thing} up to {last}");
                    at.extend((layer == Some(last)).then_some(thing));
                }
                assert_eq!(layers.at(last).collect::<Vec<_>>(), at, "{last}");
            }
        }
    }
}

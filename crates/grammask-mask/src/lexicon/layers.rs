//! Things in layers, such as tokens by their numbers of characters, of which all up to some layer are wanted as a row of bits.

/// The layer of each thing, in one byte.
pub(super) struct Layers {
    /// One less than the layer, so that layer 0, in which nothing is wanted, and no layer are the same; by the bits of the things.
    ranks: Box<[u8]>,
}

/// The layer of what is in none.
pub(super) const NOWHERE: u8 = u8::MAX;

/// The rank of what is in no layer, or in layer 0.
const UNRANKED: u8 = u8::MAX;

/// Bits of one word of a row.
const WORD: usize = u64::BITS as usize;

impl Layers {
    /// So many things, in no layer.
    pub(super) fn new(things: usize) -> Self {
        Self { ranks: vec![UNRANKED; things.next_multiple_of(WORD)].into() }
    }

    /// The layer of a thing; [`NOWHERE`] also for layer 0.
    #[inline]
    pub(super) fn layer(&self, thing: usize) -> u8 {
        match self.ranks[thing] {
            UNRANKED => NOWHERE,
            rank => rank + 1,
        }
    }

    /// Puts a thing into a layer, which is not 0 and not [`NOWHERE`].
    #[inline]
    pub(super) fn put(&mut self, thing: usize, layer: u8) {
        self.ranks[thing] = layer - 1;
    }

    /// Puts things where they are in others.
    #[inline]
    pub(super) fn copy(&mut self, others: &Self, things: impl Iterator<Item = usize>) {
        things.for_each(|thing| self.ranks[thing] = others.ranks[thing]);
    }

    /// As [`copy`](Self::copy), for a range of them.
    pub(super) fn copy_range(&mut self, others: &Self, things: std::ops::Range<usize>) {
        self.ranks[things.clone()].copy_from_slice(&others.ranks[things]);
    }

    /// Everything from layer 1 to the layer `last`, one bit each.
    ///
    /// # Complexity
    /// Linear in the things, at about a bit a processor's cycle.
    pub(super) fn up_to(&self, last: usize) -> impl Iterator<Item = u64> {
        let most = u8::try_from(last).unwrap_or(UNRANKED);
        let words = self.ranks.as_chunks::<WORD>().0.iter();
        words.map(move |ranks| bits(ranks, most))
    }

    pub(super) fn bytes_used(&self) -> usize {
        self.ranks.len()
    }
}

/// One bit for each rank below `most`.
fn bits(ranks: &[u8; WORD], most: u8) -> u64 {
    // One comparison for many at once; then eight bytes of 0 or 1 become eight bits by one multiplication.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let flags = ranks.map(|rank| u8::from(rank < most));
    let (bytes, _) = flags.as_chunks::<8>();
    bytes
        .iter()
        .rev()
        .fold(0, |bits, &bytes| bits << 8 | u64::from_le_bytes(bytes).wrapping_mul(GATHER) >> 56)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_what_is_in_the_first_layers() {
        let mut layers = Layers::new(200);
        let layer = |thing: usize| (thing * 37 % 256) as u8;
        for thing in (0..200).filter(|&thing| layer(thing) != 0 && layer(thing) != NOWHERE) {
            layers.put(thing, layer(thing));
            assert_eq!(layers.layer(thing), layer(thing));
        }
        for last in [0, 1, 2, 17, 100, 254, 255, 1_000] {
            let row: Vec<u64> = layers.up_to(last).collect();
            assert_eq!(row.len(), 4);
            for thing in 0..256 {
                let holds =
                    thing < 200 && (1..NOWHERE).contains(&layer(thing)) && usize::from(layer(thing)) <= last;
                assert_eq!(row[thing / 64] >> (thing % 64) & 1 == 1, holds, "{thing} up to {last}");
            }
        }
    }
}

//! Things in layers, such as tokens by their numbers of characters, of which all up to some layer are wanted as a row of bits.

/// The layer of each thing, in one byte.
pub(super) struct Layers {
    /// One less than the layer, so that layer 0, in which nothing is wanted, and no layer are the same; by the bits of the things.
    ranks: Box<[u8]>,
    /// By the words of a row; empty until nothing is put any more.
    words: Box<[Word]>,
}

/// What is in one word of a row.
#[derive(Clone, Copy)]
struct Word {
    /// What is in some layer.
    ranked: u64,
    /// The least rank of these.
    least: u8,
    /// The last layer of these.
    last: u8,
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
        Self { ranks: vec![UNRANKED; things.next_multiple_of(WORD)].into(), words: Box::default() }
    }

    /// When nothing is put any more: notes what most rows have in common.
    pub(super) fn complete(mut self) -> Self {
        let word = |ranks: &[u8; WORD]| Word {
            ranked: bits(ranks, UNRANKED),
            least: over(ranks, UNRANKED, u8::min),
            // Layers in place of ranks, so that none is the least.
            last: over(&ranks.map(|rank| rank.wrapping_add(1)), 0, u8::max),
        };
        self.words = self.ranks.as_chunks().0.iter().map(word).collect();
        self
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

    /// The same things in the same layers, where more may be put.
    pub(super) fn again(&self) -> Self {
        Self { ranks: self.ranks.clone(), words: Box::default() }
    }

    /// Puts a thing into no layer.
    #[inline]
    pub(super) fn remove(&mut self, thing: usize) {
        self.ranks[thing] = UNRANKED;
    }

    /// Puts a range of things into no layer.
    pub(super) fn remove_range(&mut self, things: std::ops::Range<usize>) {
        self.ranks[things].fill(UNRANKED);
    }

    /// Everything from layer 1 to the layer `last`, one bit each, after [`complete`](Self::complete).
    ///
    /// # Complexity
    /// Linear in the things, at about a bit a processor's cycle where layers below and above `last` mix, and some sixty elsewhere.
    pub(super) fn up_to(&self, last: usize) -> impl Iterator<Item = u64> {
        let most = u8::try_from(last).unwrap_or(UNRANKED);
        let words = self.words.iter().zip(self.ranks.as_chunks::<WORD>().0);
        words.map(move |(word, ranks)| {
            if word.last <= most {
                word.ranked
            } else if word.least >= most {
                0
            } else {
                bits(ranks, most)
            }
        })
    }

    pub(super) fn bytes_used(&self) -> usize {
        self.ranks.len() + size_of_val(&*self.words)
    }
}

/// What comes of all ranks, sixteen at a time.
fn over(ranks: &[u8; WORD], start: u8, which: impl Fn(u8, u8) -> u8) -> u8 {
    let mut lanes = [start; 16];
    for ranks in ranks.as_chunks::<16>().0 {
        lanes.iter_mut().zip(ranks).for_each(|(lane, &rank)| *lane = which(*lane, rank));
    }
    lanes.into_iter().fold(start, which)
}

/// One bit for each rank below `most`.
fn bits(ranks: &[u8; WORD], most: u8) -> u64 {
    // One comparison for many at once; then eight bytes of 0 or 1 become eight bits by one multiplication.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut flags = [0; WORD];
    flags.iter_mut().zip(ranks).for_each(|(flag, &rank)| *flag = u8::from(rank < most));
    let bytes = flags.as_chunks::<8>().0.iter().rev();
    bytes.fold(0, |bits, &bytes| bits << 8 | u64::from_le_bytes(bytes).wrapping_mul(GATHER) >> 56)
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
        let layers = layers.complete();
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

    #[test]
    fn words_of_one_layer_and_of_none_are_right() {
        let mut layers = Layers::new(256);
        (64..128).for_each(|thing| layers.put(thing, 5));
        (128..140).for_each(|thing| layers.put(thing, 254));
        let layers = layers.complete();
        let row = |last| layers.up_to(last).collect::<Vec<u64>>();
        assert_eq!(row(4), [0; 4]);
        assert_eq!(row(5), [0, u64::MAX, 0, 0]);
        assert_eq!(row(253), [0, u64::MAX, 0, 0]);
        assert_eq!(row(254), [0, u64::MAX, 0xFFF, 0]);
        assert_eq!(row(1_000), row(254));
    }
}

//! Things in layers, such as tokens by their numbers of characters, of which all up to some layer are wanted as a row of bits.

use std::sync::Arc;

/// The layer of each thing, in one byte, while things are put.
pub(super) struct Ranks {
    /// One less than the layer, so that layer 0, in which nothing is wanted, and no layer are the same; by the bits of the things.
    ranks: Box<[u8]>,
}

/// The layers of things, when all are put.
pub(super) struct Layers {
    ranked: Arc<Ranked>,
    /// The things that are here, one bit each; all of those that are in a layer, where nothing is said.
    only: Option<Box<[u64]>>,
}

/// What any number of [`Layers`] share.
struct Ranked {
    ranks: Box<[u8]>,
    /// By the words of a row.
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

impl Ranks {
    /// So many things, in no layer.
    pub(super) fn new(things: usize) -> Self {
        Self { ranks: vec![UNRANKED; things.next_multiple_of(WORD)].into() }
    }

    /// Puts a thing into a layer, which is not 0 and not [`NOWHERE`].
    #[inline]
    pub(super) fn put(&mut self, thing: usize, layer: u8) {
        self.ranks[thing] = layer - 1;
    }

    /// When nothing is put any more: notes what most rows have in common.
    pub(super) fn complete(self) -> Layers {
        let word = |ranks: &[u8; WORD]| Word {
            ranked: bits(ranks, UNRANKED),
            least: over(ranks, UNRANKED, u8::min),
            // Layers in place of ranks, so that none is the least.
            last: over(&ranks.map(|rank| rank.wrapping_add(1)), 0, u8::max),
        };
        let words = self.ranks.as_chunks().0.iter().map(word).collect();
        Layers { ranked: Arc::new(Ranked { ranks: self.ranks, words }), only: None }
    }
}

impl Layers {
    /// Those of these things whose bits are set, in the same layers. Where there are more things than bits, the others are not.
    pub(super) fn only(&self, mut bits: Vec<u64>) -> Self {
        bits.resize(self.ranked.words.len(), 0);
        if let Some(only) = &self.only {
            bits.iter_mut().zip(only).for_each(|(bits, only)| *bits &= only);
        }
        Self { ranked: Arc::clone(&self.ranked), only: Some(bits.into()) }
    }

    /// The layer of a thing; [`NOWHERE`] also for layer 0.
    #[inline]
    pub(super) fn layer(&self, thing: usize) -> u8 {
        let is_here = self.only.as_ref().is_none_or(|only| only[thing / WORD] >> (thing % WORD) & 1 == 1);
        match self.ranked.ranks[thing] {
            rank if is_here && rank != UNRANKED => rank + 1,
            _ => NOWHERE,
        }
    }

    /// Everything from layer 1 to the layer `last`, one bit each.
    ///
    /// # Complexity
    /// Linear in the things, at about a bit a processor's cycle where layers below and above `last` mix, and some sixty elsewhere.
    pub(super) fn up_to(&self, last: usize) -> impl Iterator<Item = u64> {
        let most = u8::try_from(last).unwrap_or(UNRANKED);
        let Ranked { ranks, words } = &*self.ranked;
        let words = words.iter().zip(ranks.as_chunks::<WORD>().0).enumerate();
        words.map(move |(place, (word, ranks))| {
            let only = self.only.as_ref().map_or(u64::MAX, |only| only[place]);
            if word.last <= most {
                word.ranked & only
            } else if word.least >= most || only == 0 {
                0
            } else {
                bits(ranks, most) & only
            }
        })
    }

    /// What is not shared with other layers, in bytes.
    pub(super) fn bytes_used(&self) -> usize {
        match &self.only {
            Some(only) => size_of_val(&**only),
            None => self.ranked.ranks.len() + size_of_val(&*self.ranked.words),
        }
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
        let mut ranks = Ranks::new(200);
        let layer = |thing: usize| (thing * 37 % 256) as u8;
        for thing in (0..200).filter(|&thing| layer(thing) != 0 && layer(thing) != NOWHERE) {
            ranks.put(thing, layer(thing));
        }
        let all = ranks.complete();
        let third = |thing: &usize| thing.is_multiple_of(3);
        let mut bits = vec![0u64; 3];
        (0..192).filter(third).for_each(|thing| bits[thing / 64] |= 1 << (thing % 64));
        let first = (0..3).map(|word| if word < 2 { u64::MAX } else { 0x00FF_FFFF_FFFF_FFFF });
        let some = all.only(first.collect()).only(bits);
        for last in [0, 1, 2, 17, 100, 254, 255, 1_000] {
            for (layers, is_some) in [(&all, false), (&some, true)] {
                let row: Vec<u64> = layers.up_to(last).collect();
                assert_eq!(row.len(), 4);
                for thing in 0..256 {
                    let is_here = thing < 200
                        && (1..NOWHERE).contains(&layer(thing))
                        && (!is_some || third(&thing) && thing < 184);
                    let expected = if is_here { layer(thing) } else { NOWHERE };
                    assert_eq!(layers.layer(thing), expected, "{thing}");
                    let holds = is_here && usize::from(layer(thing)) <= last;
                    assert_eq!(row[thing / 64] >> (thing % 64) & 1 == 1, holds, "{thing} up to {last}");
                }
            }
        }
    }

    #[test]
    fn words_of_one_layer_and_of_none_are_right() {
        let mut ranks = Ranks::new(256);
        (64..128).for_each(|thing| ranks.put(thing, 5));
        (128..140).for_each(|thing| ranks.put(thing, 254));
        let layers = ranks.complete();
        let row = |last| layers.up_to(last).collect::<Vec<u64>>();
        assert_eq!(row(4), [0; 4]);
        assert_eq!(row(5), [0, u64::MAX, 0, 0]);
        assert_eq!(row(253), [0, u64::MAX, 0, 0]);
        assert_eq!(row(254), [0, u64::MAX, 0xFFF, 0]);
        assert_eq!(row(1_000), row(254));
    }
}

//! The bodies of the fuzz targets.
//!
//! Each target reads an [`Input`]: options, the seed of a walk, and the text or file to read. A target fails
//! by a panic. The checks of masks are in [`walk`](mod@walk).

#![forbid(unsafe_code)]

mod files;
mod grammars;
mod seeds;
mod vocabularies;
mod walk;

pub use files::{load, vocabulary};
pub use grammars::{json_schema, kbnf, notation, tags};
pub use seeds::write_seeds_if_asked;

/// Number of bytes before the text.
const HEADER_LEN: usize = 4;

/// Maximum length of a text or file, in bytes. Longer ones are ignored.
const MAX_TEXT_BYTES: usize = 1 << 16;

/// An input of a target.
#[derive(Clone, Copy, Debug)]
struct Input<'a> {
    /// Options, whose meaning the target decides.
    options: u16,
    /// Seed of the random choices of a walk.
    seed: u16,
    /// The text or file.
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    /// Reads an input. Returns `None` if it is too short or too long.
    fn read(data: &'a [u8]) -> Option<Self> {
        let (header, rest) = data.split_first_chunk::<HEADER_LEN>()?;
        let [a, b, c, d] = *header;
        let input = Self { options: u16::from_le_bytes([a, b]), seed: u16::from_le_bytes([c, d]), rest };
        (rest.len() <= MAX_TEXT_BYTES).then_some(input)
    }

    /// Reads an input whose rest is UTF-8.
    fn text(data: &'a [u8]) -> Option<(Self, &'a str)> {
        let input = Self::read(data)?;
        Some((input, str::from_utf8(input.rest).ok()?))
    }

    /// Returns the bit of an option.
    fn has(&self, bit: u32) -> bool {
        self.options >> bit & 1 == 1
    }

    /// Returns `count` bits of the options as a number.
    fn bits(&self, first: u32, count: u32) -> usize {
        usize::from(self.options >> first) & ((1 << count) - 1)
    }

    /// Writes an input.
    fn write(options: u16, seed: u16, rest: &[u8]) -> Vec<u8> {
        [&options.to_le_bytes()[..], &seed.to_le_bytes(), rest].concat()
    }
}

/// A generator of random numbers, by xorshift.
struct Random(u64);

impl Random {
    fn new(seed: u16) -> Self {
        Self(u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `end`, which is positive.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}

//! A vocabulary as large as that of a language model: from a file, or built from the samples of the fixtures.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;
use grammask::{TokenId, Vocabulary};
use grammask_testkit::fixtures::GrammarFixture;
use grammask_testkit::random::Rng;

/// Number of tokens of a built vocabulary.
const TOKENS: usize = 60_000;
/// Letters of the remaining words.
const LETTERS: &[&[u8]] = &[b"abcdefghijklmnopqrstuvwxyz", b"eainst", b"0123456789"];
/// Maximum number of characters of a piece of a sample.
const MAX_PIECE_CHARS: usize = 6;

/// Reads a vocabulary from a file of any known format.
///
/// # Errors
/// If the file cannot be read.
pub fn from_file(path: &Path) -> anyhow::Result<Vocabulary> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    Vocabulary::load(&bytes).with_context(|| path.display().to_string())
}

/// Builds a vocabulary of single bytes, pieces of the samples, and random words. It is always the same.
///
/// # Errors
/// If the engine refuses the vocabulary, which it should not.
pub fn from_samples(fixtures: &[GrammarFixture]) -> anyhow::Result<Vocabulary> {
    let mut tokens: BTreeSet<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    for fixture in fixtures {
        let starts: Vec<usize> = fixture.sample.char_indices().map(|(at, _)| at).collect();
        for pieces in 2..=MAX_PIECE_CHARS {
            tokens.extend(starts.windows(pieces + 1).map(|w| fixture.sample[w[0]..w[pieces]].into()));
        }
    }
    let mut rng = Rng::new(0);
    while tokens.len() < TOKENS {
        let letters = *rng.pick(LETTERS);
        let mut word = if rng.chance(1, 2) { b" ".to_vec() } else { Vec::new() };
        word.extend((0..2 + rng.below(7)).map(|_| *rng.pick(letters)));
        tokens.insert(word);
    }
    let tokens = tokens.into_iter().enumerate().map(|(id, bytes)| (TokenId(id as u32), bytes));
    Ok(Vocabulary::new(tokens, [])?)
}

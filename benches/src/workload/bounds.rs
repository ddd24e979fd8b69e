//! Long bounds, under a random model that ends only when nothing else is allowed.

use std::hint::black_box;

use anyhow::{Context, ensure};
use grammask::{Grammar, TokenId};
use serde::{Deserialize, Serialize};

use crate::engine::grammask::{config, unused};
use crate::input::random::Random;
use crate::input::vocabulary::Words;
use crate::run::timing::{Places, median, sample};

/// The grammars.
const GRAMMARS: &[&str] = &[
    "start ::= #'[a-z]{0,100000}';",
    "start ::= (item ','){3,5000}; item ::= #'[a-z]+';",
    "start ::= except!('x', 10000);",
];

/// Maximum number of masks.
const MAX_MASKS: usize = 4_000;

/// Nanoseconds above which a mask is counted as slow.
pub const SLOW_NANOSECONDS: u64 = 20_000;

/// One grammar. Each round has a fresh grammar and an unused vocabulary. Times are in nanoseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bound {
    /// The grammar.
    pub grammar: String,
    /// Median time to compile.
    pub compile: u64,
    /// Median time of the first mask.
    pub first_mask: u64,
    /// Later masks, each written into a row.
    pub later: Places,
    /// Number of later masks above [`SLOW_NANOSECONDS`], by their medians.
    pub slow: usize,
    /// Positions and times of the slowest masks: at most five, the slowest first.
    pub slowest: Vec<(usize, u64)>,
    /// Number of bytes written.
    pub bytes: usize,
    /// True if the bound was reached, after which only an end is allowed.
    pub is_at_bound: bool,
}

/// Measures all grammars.
///
/// # Errors
/// If a grammar does not compile, or refuses a token of its own mask.
pub fn measure(words: &Words, quick: bool, tell: &mut dyn FnMut(Bound)) -> anyhow::Result<()> {
    let tokens = words.vocabulary()?;
    let config = config(words);
    for grammar in GRAMMARS {
        let compile = || Grammar::compile(grammar, &unused(&tokens), &config);
        let mut model = Random::default();
        let mut matcher = compile()?.matcher();
        let mut chosen = Vec::new();
        let is_at_bound = loop {
            if chosen.len() == MAX_MASKS {
                break false;
            }
            let allowed: Vec<TokenId> = matcher.mask().iter().filter(|token| token.0 != words.end).collect();
            if allowed.is_empty() {
                ensure!(matcher.error().is_none(), "{grammar}: a limit is hit");
                break true;
            }
            let token = allowed[model.below(allowed.len())];
            ensure!(matcher.accept(token).is_accepted(), "{grammar}: a token of the mask is refused");
            chosen.push(token);
        };
        let bytes = matcher.text().len();
        drop(matcher);

        let mut row = vec![0; tokens.mask_words()];
        let (mut compiles, mut first, mut later) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..if quick { 2 } else { 7 } {
            let vocabulary = unused(&tokens);
            let (grammar, time) = sample(|| Grammar::compile(grammar, &vocabulary, &config));
            compiles.push(time);
            let mut matcher = grammar?.matcher();
            let mut times = Vec::with_capacity(chosen.len());
            for &token in &chosen {
                let (written, time) = sample(|| matcher.fill_mask(black_box(&mut row)));
                written?;
                times.push(time);
                ensure!(matcher.accept(token).is_accepted(), "a mask changes");
            }
            first.push(times.remove(0));
            later.push(times);
        }
        let medians: Vec<u64> = (0..later[0].len())
            .map(|place| median(&mut later.iter().map(|round| round[place]).collect::<Vec<_>>()))
            .collect();
        let mut slowest: Vec<(usize, u64)> =
            medians.iter().enumerate().map(|(place, &time)| (place + 1, time)).collect();
        slowest.sort_by_key(|&(place, time)| (std::cmp::Reverse(time), place));
        slowest.truncate(5);
        tell(Bound {
            grammar: (*grammar).to_owned(),
            compile: median(&mut compiles),
            first_mask: median(&mut first),
            later: Places::new(&later).context("nothing is allowed after the first token")?,
            slow: medians.iter().filter(|&&time| time > SLOW_NANOSECONDS).count(),
            slowest,
            bytes,
            is_at_bound,
        });
    }
    Ok(())
}

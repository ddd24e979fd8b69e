//! Known states: masks by reference and as rows, accepted tokens, and copies of rows; and first visits by
//! vocabulary.

use std::hint::black_box;
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};
use grammask::{Grammar, State, TokenId, Vocabulary};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::engine::grammask::{config, unused};
use crate::engine::{COLD, WARM, create};
use crate::input::case::Case;
use crate::input::vocabulary::Words;
use crate::run::measure::{Effort, Run};
use crate::run::timing::{Places, wall};

/// One grammar, all of whose states along the text are known. Times are in nanoseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Known {
    /// The grammar.
    pub case: String,
    /// Number of tokens of the text.
    pub tokens: usize,
    /// Trie nodes visited one by one for the masks of the first pass, with an unused vocabulary.
    pub nodes: u64,
    /// For each position of the text: true if its state is not that of an earlier position.
    pub is_new: Vec<bool>,
    /// A mask by reference.
    pub by_reference: Places,
    /// A mask written into a row.
    pub written: Places,
    /// Copies of a row to the row for masks, from a table with one row for each state.
    pub copy: Places,
    /// Accepted tokens.
    pub accept: Places,
}

/// One grammar with one vocabulary. Times are in nanoseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Size {
    /// The vocabulary.
    pub vocabulary: String,
    /// Number of ids.
    pub id_count: usize,
    /// Known states: masks by reference and as rows, accepted tokens, and copies of rows; and first visits by
    /// vocabulary.
    pub known: Known,
    /// Masks of first passes, each with a fresh grammar and an unused vocabulary.
    pub first: Places,
    /// Masks of first passes at positions with a new state.
    pub visits: Places,
    /// Masks at these positions with a vocabulary that has served another grammar over the text.
    pub warm: Places,
}

/// Groups measurements by grammar: those with the small vocabularies, and that with the large one.
pub fn by_grammar(sizes: &[Size]) -> impl Iterator<Item = (&[Size], &Size)> {
    let of_one = sizes.chunk_by(|one, other| one.known.case == other.known.case);
    of_one.filter_map(|sizes| sizes.split_last().map(|(large, small)| (small, large)))
}

/// Measures each grammar.
///
/// # Errors
/// If a grammar refuses its text.
pub fn measure(
    cases: &[Case],
    words: &Words,
    quick: bool,
    report: &mut dyn FnMut(Known),
) -> anyhow::Result<()> {
    let vocabulary = words.vocabulary()?;
    for case in cases {
        report(known(case, words, &vocabulary, quick).with_context(|| case.name.clone())?);
    }
    Ok(())
}

/// Measures each grammar with each vocabulary, the large one last, and reports the results in this order.
///
/// # Errors
/// If a grammar refuses its text.
pub fn measure_sizes(
    cases: &[Case],
    words: &[Words],
    quick: bool,
    report: &mut dyn FnMut(Size),
) -> anyhow::Result<()> {
    let vocabularies = words.iter().map(Words::vocabulary).collect::<anyhow::Result<Vec<_>>>()?;
    let limit = Duration::from_secs(20);
    let effort = Effort { warmups: 0, rounds: 0, passes: 0, compiles: 0, limit };
    for case in cases {
        let mut runs = Vec::new();
        for (words, vocabulary) in words.iter().zip(&vocabularies) {
            let known = known(case, words, vocabulary, quick).with_context(|| case.name.clone())?;
            let run = |engine| Run::new(create(engine, words)?, case, words, effort);
            runs.push((known, [run(COLD)?, run(WARM)?], [Vec::new(), Vec::new()]));
        }
        // The vocabularies take turns, so that a disturbance affects all. The second of two rounds counts, as
        // it finds the caches as the same vocabulary has left them.
        for _ in 0..if quick { 1 } else { 7 } {
            for (_, runs, masks) in &mut runs {
                for (run, masks) in runs.iter_mut().zip(masks) {
                    let mut round = || run.round().map_err(|end| anyhow!("{}: {end}", case.name));
                    round()?;
                    masks.push(round()?);
                }
            }
        }
        for ((known, _, [cold, warm]), words) in runs.into_iter().zip(words) {
            let first = Places::new(&cold).context("an empty text")?;
            let visits = Places::of(&cold, |place| known.is_new[place]).context("an empty text")?;
            let warm = Places::of(&warm, |place| known.is_new[place]).context("an empty text")?;
            let (vocabulary, id_count) = (words.name.clone(), words.id_count());
            report(Size { vocabulary, id_count, known, first, visits, warm });
        }
    }
    Ok(())
}

#[expect(clippy::mutable_key_type, reason = "a state is compared by its number, which never changes")]
fn known(case: &Case, words: &Words, vocabulary: &Vocabulary, quick: bool) -> anyhow::Result<Known> {
    let tokens = words.encode(&case.text)?;
    let fresh = unused(vocabulary);
    let grammar = Grammar::compile(&case.kbnf, &fresh, &config(words))?;
    let mut matcher = grammar.matcher();
    let mut row = vec![0; vocabulary.mask_words()];

    // One row for each state, as the engine keeps one mask for each.
    let mut rows: Vec<Vec<u32>> = Vec::new();
    let mut row_of: FxHashMap<State, usize> = FxHashMap::default();
    let mut sources = Vec::new();
    let mut is_new = Vec::new();
    for (place, &token) in tokens.iter().enumerate() {
        matcher.fill_mask(&mut row)?;
        let source = *row_of.entry(matcher.state()).or_insert(rows.len());
        is_new.push(source == rows.len());
        if source == rows.len() {
            rows.push(row.clone());
        }
        sources.push(source);
        let outcome = matcher.accept(TokenId(token));
        ensure!(outcome.is_accepted(), "token {place}: {outcome}");
    }
    drop(row_of);
    let nodes = grammar.stats().tables.nodes + fresh.stats().nodes;

    let passes = if quick { 3 } else { 25 };
    let [mut by_reference, mut written, mut copy, mut accept] = [(); 4].map(|()| Vec::new());
    // The methods take turns, so that a disturbance affects all. A token is accepted between two samples, so
    // that the caches are in the same state.
    for _ in 0..passes {
        let mut accepts = Vec::new();
        by_reference.push(pass(&mut matcher, &tokens, &mut accepts, |matcher, _| {
            wall(|| {
                black_box(matcher.mask());
            })
            .1
        }));
        accept.push(accepts);
        written.push(pass(&mut matcher, &tokens, &mut Vec::new(), |matcher, _| {
            let (result, time) = wall(|| matcher.fill_mask(black_box(&mut row)));
            debug_assert!(result.is_ok());
            time
        }));
        copy.push(pass(&mut matcher, &tokens, &mut Vec::new(), |_, place| {
            let source = &rows[sources[place]];
            wall(|| black_box(&mut row).copy_from_slice(black_box(source))).1
        }));
    }
    let places = |passes: &[Vec<u64>]| Places::new(passes).context("an empty text");
    Ok(Known {
        case: case.name.clone(),
        tokens: tokens.len(),
        nodes,
        is_new,
        by_reference: places(&by_reference)?,
        written: places(&written)?,
        copy: places(&copy)?,
        accept: places(&accept)?,
    })
}

/// Follows the text once, with one sample before each token.
fn pass(
    matcher: &mut grammask::Matcher,
    tokens: &[u32],
    accepts: &mut Vec<u64>,
    mut sample: impl FnMut(&mut grammask::Matcher, usize) -> u64,
) -> Vec<u64> {
    matcher.reset();
    let mut times = Vec::with_capacity(tokens.len());
    accepts.reserve(tokens.len());
    for (place, &token) in tokens.iter().enumerate() {
        times.push(sample(matcher, place));
        accepts.push(wall(|| black_box(matcher.accept(TokenId(token)))).1);
    }
    times
}

//! The masks of a batch of known states, by one thread and by two.

use std::hint::black_box;

use anyhow::{Context, ensure};
use grammask::{Grammar, TokenId, fill_masks};
use serde::{Deserialize, Serialize};

use crate::engine::grammask::{config, unused};
use crate::input::case::Case;
use crate::input::vocabulary::Words;
use crate::run::timing::{Summary, wall};

/// Number of sequences in a batch.
pub const SEQUENCES: usize = 256;

/// Grammars of the batches.
pub const CASES: &[&str] = &["json", "c"];

/// Number of calls of each method in a round, where the methods take turns.
const CALLS_PER_ROUND: usize = 10;

/// One grammar. Times are of a whole batch, in nanoseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Batch {
    /// The grammar.
    pub case: String,
    /// Number of different states of the sequences.
    pub states: usize,
    /// Times with one thread.
    pub one: Summary,
    /// Times with two threads.
    pub two: Summary,
    /// Times to copy rows of the same size by one thread.
    pub copy: Summary,
    /// Median over the rounds of the speed-up by two threads.
    pub ratio: f64,
}

/// Measures the grammars of [`CASES`] among the cases.
///
/// # Errors
/// If a grammar refuses its text.
pub fn measure(
    cases: &[Case],
    words: &Words,
    quick: bool,
    tell: &mut dyn FnMut(Batch),
) -> anyhow::Result<()> {
    for case in cases.iter().filter(|case| CASES.contains(&&*case.name)) {
        tell(batch(case, words, quick).with_context(|| case.name.clone())?);
    }
    Ok(())
}

#[expect(clippy::mutable_key_type, reason = "a state is compared by its number, which never changes")]
fn batch(case: &Case, words: &Words, quick: bool) -> anyhow::Result<Batch> {
    let vocabulary = unused(&words.vocabulary()?);
    let tokens = words.encode(&case.text)?;
    let mut matcher = Grammar::compile(&case.kbnf, &vocabulary, &config(words))?.matcher();

    // Each sequence is one token ahead of the previous one. After the end of the text they begin again.
    let mut matchers = Vec::new();
    let mut states = std::collections::HashSet::new();
    for &token in tokens.iter().cycle().take(SEQUENCES) {
        states.insert(matcher.state());
        matchers.push(matcher.clone());
        ensure!(matcher.accept(TokenId(token)).is_accepted(), "the text is not in the language");
        if matcher.len() == tokens.len() {
            matcher.reset();
        }
    }
    let states = states.len();
    let mut rows = vec![0; SEQUENCES * vocabulary.mask_words()];
    fill_masks(&mut matchers, &mut rows, 1)?;
    let masks = rows.clone();

    let (mut one, mut two, mut copy, mut ratios) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..if quick { 10 } else { 150 } {
        for (threads, times) in [(1, &mut one), (2, &mut two)] {
            for _ in 0..CALLS_PER_ROUND {
                let (result, time) = wall(|| fill_masks(&mut matchers, black_box(&mut rows), threads));
                ensure!(result? == 0, "a limit is hit");
                times.push(time);
            }
        }
        for _ in 0..CALLS_PER_ROUND {
            copy.push(wall(|| black_box(&mut rows).copy_from_slice(black_box(&masks))).1);
        }
        let last = |times: &[u64]| times[times.len() - CALLS_PER_ROUND..].iter().sum::<u64>() as f64;
        ratios.push(last(&one) / last(&two));
    }
    ensure!(rows == masks, "the masks change");
    ratios.sort_by(f64::total_cmp);
    let summary = |times: &[u64]| Summary::new(times).unwrap_or_default();
    Ok(Batch {
        case: case.name.clone(),
        states,
        one: summary(&one),
        two: summary(&two),
        copy: summary(&copy),
        ratio: ratios[ratios.len() / 2],
    })
}

//! The masks of a batch, all known, by one thread and by two.

use std::hint::black_box;

use anyhow::{Context, ensure};
use grammask::{Grammar, TokenId, fill_masks};
use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::engine::grammask::{config, unused};
use crate::timing::{Summary, wall};
use crate::vocabulary::Words;

/// Sequences in a batch.
pub const SEQUENCES: usize = 256;

/// The grammars of which batches are measured.
pub const CASES: &[&str] = &["json", "c"];

/// In each round each way is gone so often, one way after the other.
const CALLS: usize = 10;

/// One grammar; times of a whole batch in nanoseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Batch {
    /// The grammar.
    pub case: String,
    /// How many states the sequences are in, together.
    pub states: usize,
    /// One thread.
    pub one: Summary,
    /// Two threads.
    pub two: Summary,
    /// Copying rows of the same size from one place to another, by one thread.
    pub copy: Summary,
    /// The median over the rounds of how many times faster two threads are.
    pub ratio: f64,
}

/// Measures the grammars that are among the cases.
///
/// # Errors
/// When a grammar does not take its text.
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

    // Each sequence is one token further than the one before; behind the end of the text they begin again.
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
            for _ in 0..CALLS {
                let (result, time) = wall(|| fill_masks(&mut matchers, black_box(&mut rows), threads));
                ensure!(result? == 0, "a limit is hit");
                times.push(time);
            }
        }
        for _ in 0..CALLS {
            copy.push(wall(|| black_box(&mut rows).copy_from_slice(black_box(&masks))).1);
        }
        let last = |times: &[u64]| times[times.len() - CALLS..].iter().sum::<u64>() as f64;
        ratios.push(last(&one) / last(&two));
    }
    ensure!(rows == masks, "the masks have changed");
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

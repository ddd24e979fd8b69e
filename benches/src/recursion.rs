//! A right-recursive list of a million elements through the facade: is the last quarter read as fast as the first, and what does
//! the process grow by?

use anyhow::{Context, ensure};
use grammask::{Grammar, TokenId};
use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::engine::grammask::{config, unused};
use crate::machine;
use crate::timing::sample;
use crate::vocabulary::Words;

/// The grammar, whose text is some elements and a full stop.
const CASE: &str = "right";

/// What stands between elements.
const BETWEEN: &str = ", ";

/// How often the list is read.
const ROUNDS: usize = 5;

/// One way to read the list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Recursion {
    /// By bytes or by tokens.
    pub way: String,
    /// How many elements there are.
    pub elements: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Calls that have accepted them.
    pub calls: usize,
    /// Bytes per second in each quarter of the list: the fastest of some rounds.
    pub quarters: Vec<f64>,
    /// Bytes of the grammar's tables after each quarter.
    pub table_bytes: Vec<usize>,
    /// Bytes that the process grew by after each quarter, where the system tells.
    pub growth: Vec<Option<u64>>,
}

/// What a call takes, for each way.
pub const WAYS: &[&str] = &["a call for each element", "a call for each token"];

/// Reads the list in one of the ways.
///
/// # Errors
/// When the grammar does not take the list.
pub fn measure(way: &str, words: &Words, quick: bool) -> anyhow::Result<Recursion> {
    let case = Case::load(CASE)?;
    let elements = if quick { 100_000 } else { 1_000_000 };
    let (list, _) = case.text.rsplit_once('.').context("the text has no full stop")?;
    let unit: Vec<String> = list.split(BETWEEN).map(|element| format!("{element}{BETWEEN}")).collect();
    let repeats = elements / unit.len();
    let tokens: Vec<TokenId> = words.encode(&unit.concat())?.into_iter().map(TokenId).collect();

    let vocabulary = words.vocabulary()?;
    let by_token = way == WAYS[1];
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let grammar = Grammar::compile(&case.kbnf, &unused(&vocabulary), &config(words))?;
        let before = machine::memory();
        let mut matcher = grammar.matcher();
        let mut result = Recursion { way: way.to_owned(), ..Recursion::default() };
        for quarter in 0..4 {
            let from = repeats * quarter / 4;
            let to = repeats * (quarter + 1) / 4;
            let start = matcher.text().len();
            let (is_accepted, time) = sample(|| {
                (from..to).all(|_| {
                    if by_token {
                        tokens.iter().all(|&token| matcher.accept(token).is_accepted())
                    } else {
                        unit.iter().all(|element| matcher.accept_bytes(element.as_bytes()).is_accepted())
                    }
                })
            });
            ensure!(is_accepted, "refused after {} bytes", matcher.text().len());
            let read = matcher.text().len() - start;
            result.elements += (to - from) * unit.len();
            result.bytes += read;
            result.quarters.push(read as f64 * 1e9 / time as f64);
            result.table_bytes.push(grammar.stats().tables.bytes);
            result.growth.push(machine::memory().zip(before).map(|(now, before)| now.saturating_sub(before)));
        }
        result.calls = matcher.len();
        ensure!(result.bytes == repeats * unit.concat().len(), "bytes are missing");
        ensure!(matcher.accept_bytes(b"end.").is_accepted() && matcher.is_complete(), "no list");
        rounds.push(result);
    }
    // Memory as of the first round, when nothing was there that could be used again.
    let mut result = rounds.swap_remove(0);
    for round in &rounds {
        for (best, speed) in result.quarters.iter_mut().zip(&round.quarters) {
            *best = best.max(*speed);
        }
    }
    Ok(result)
}

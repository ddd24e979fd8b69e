//! A right-recursive list of a million elements through the facade: speed by quarter, and growth of the
//! process.

use anyhow::{Context, ensure};
use grammask::{Grammar, TokenId};
use serde::{Deserialize, Serialize};

use crate::engine::grammask::{config, unused};
use crate::input::case::Case;
use crate::input::vocabulary::Words;
use crate::run::machine;
use crate::run::timing::sample;

/// The grammar. Its texts are elements and a full stop.
const CASE: &str = "right";

/// Separator of elements.
const SEPARATOR: &str = ", ";

/// Number of rounds.
const ROUNDS: usize = 5;

/// Results of one way to read the list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Recursion {
    /// By bytes or by tokens.
    pub way: String,
    /// Number of elements.
    pub elements: usize,
    /// Number of bytes.
    pub bytes: usize,
    /// Number of calls that accept them.
    pub calls: usize,
    /// Bytes per second in each quarter of the list: the fastest of several rounds.
    pub quarters: Vec<f64>,
    /// Bytes of the grammar's tables after each quarter.
    pub table_bytes: Vec<usize>,
    /// Growth of the process in bytes after each quarter. `None` where the system does not say.
    pub growth: Vec<Option<u64>>,
}

/// Input of a call, for each way.
pub const WAYS: &[&str] = &["a call for each element", "a call for each token"];

/// Reads the list in one of the ways.
///
/// # Errors
/// If the grammar refuses the list.
pub fn measure(way: &str, words: &Words, quick: bool) -> anyhow::Result<Recursion> {
    let case = Case::load(CASE)?;
    let elements = if quick { 100_000 } else { 1_000_000 };
    let (list, _) = case.text.rsplit_once('.').context("the text has no full stop")?;
    let unit: Vec<String> = list.split(SEPARATOR).map(|element| format!("{element}{SEPARATOR}")).collect();
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
    // Memory is that of the first round, which cannot reuse any.
    let mut result = rounds.swap_remove(0);
    for round in &rounds {
        for (best, speed) in result.quarters.iter_mut().zip(&round.quarters) {
            *best = best.max(*speed);
        }
    }
    Ok(result)
}

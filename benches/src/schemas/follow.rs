//! Follows a document token by token: each token must be in the mask before it, and the end in the mask after
//! the last one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::judge::{Judge, Refusal};
use super::samples::Samples;
use crate::run::timing::sample;

/// The verdict of an engine on a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All tokens and the end are allowed.
    Accepted,
    /// The token with this index is not allowed. The index is the number of tokens if the end is not allowed.
    Refused(usize),
    /// The engine hits a limit, or its mask contradicts `accept`.
    Trouble(String),
}

/// Times by kind of work.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// Masks of a fresh matcher, the first one included.
    pub masks: Samples,
    /// Compiling and the first mask.
    pub starts: Samples,
    /// Masks of known states, written into a row.
    pub known: Samples,
    /// Nanoseconds above which a mask is listed.
    pub slow_from: Option<u64>,
    /// Slow masks of the current document.
    pub slow: Vec<Slow>,
}

/// A slow mask.
#[derive(Clone, Debug)]
pub struct Slow {
    /// Index of the next token.
    pub place: usize,
    /// Nanoseconds.
    pub time: u64,
    /// Number of trie nodes visited.
    pub nodes: u64,
}

/// Compiles, and follows a document.
///
/// # Errors
/// If the schema is refused.
pub fn follow(
    judge: &mut dyn Judge,
    tokens: &[u32],
    end: u32,
    times: &mut Times,
) -> Result<Verdict, Refusal> {
    let (compiled, compile_time) = sample(|| judge.compile());
    compiled?;
    for (place, &token) in tokens.iter().chain([&end]).enumerate() {
        let nodes = times.slow_from.map(|_| judge.nodes());
        let (masked, time) = sample(|| judge.mask());
        if let Err(error) = masked {
            return Ok(Verdict::Trouble(format!("no mask for token {place}: {error}")));
        }
        times.masks.push(time);
        if let (Some(from), Some(nodes)) = (times.slow_from, nodes)
            && time > from
        {
            times.slow.push(Slow { place, time, nodes: judge.nodes() - nodes });
        }
        if place == 0 {
            times.starts.push(compile_time + time);
        }
        if !judge.allows(token) {
            return Ok(match judge.accept(token) {
                Ok(()) => Verdict::Trouble(format!("token {place} is not in the mask, but accepted")),
                Err(_) => Verdict::Refused(place),
            });
        }
        if place < tokens.len()
            && let Err(error) = judge.accept(token)
        {
            return Ok(Verdict::Trouble(format!("token {place} is in the mask, but not accepted: {error}")));
        }
    }
    Ok(Verdict::Accepted)
}

/// Follows a document token by token: each token must be in the mask before it, and the end in the mask after
/// the last one.
pub fn follow_known(judge: &mut dyn Judge, tokens: &[u32], row: &mut [u32], times: &mut Times) {
    if !judge.restart() {
        return;
    }
    for &token in tokens {
        times.known.push(sample(|| judge.fill(row)).1);
        if judge.accept(token).is_err() {
            return;
        }
    }
    times.known.push(sample(|| judge.fill(row)).1);
}

/// Does some work. A panic becomes an error.
///
/// # Errors
/// The message of the panic.
pub fn catching<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        format!("panic: {}", text.unwrap_or_default())
    })
}

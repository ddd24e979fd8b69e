//! Follows a document token by token: is every token in the mask before it, and is the end allowed after the last one?

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::judge::{Judge, Refusal};
use super::samples::Samples;
use crate::timing::sample;

/// What an engine says of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All tokens and the end are allowed.
    Accepted,
    /// The token with this index is not allowed; the number of tokens where it is the end.
    Refused(usize),
    /// Something went wrong: a limit, or a mask that says otherwise than accepting does.
    Trouble(String),
}

/// Where times go.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// Masks of a fresh matcher, the first one included.
    pub masks: Samples,
    /// Compiling, together with the first mask.
    pub starts: Samples,
    /// Masks of states seen before, written into a row.
    pub known: Samples,
    /// Masks that take longer are noted one by one, in nanoseconds.
    pub slow_from: Option<u64>,
    /// Those of the document that is followed.
    pub slow: Vec<Slow>,
}

/// A mask that took long.
#[derive(Clone, Debug)]
pub struct Slow {
    /// Before which token.
    pub place: usize,
    /// How long, in nanoseconds.
    pub time: u64,
    /// How many nodes of the trie were looked at for it.
    pub nodes: u64,
}

/// Compiles anew and follows a document.
///
/// # Errors
/// When the schema is refused.
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

/// Follows a document once more, up to where it is refused, on what is compiled and known.
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

/// Does some work; a panic is told as an error.
///
/// # Errors
/// The panic's message.
pub fn catching<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        format!("panic: {}", text.unwrap_or_default())
    })
}

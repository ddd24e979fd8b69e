//! The tables of `cargo xtask maskbench`, as Markdown.

use std::fmt::{self, Display, Formatter};

use super::corpus::maskbench::Results;
use super::samples::Samples;
use super::tally::Tally;

/// Number of reasons and failures that are printed for each engine.
const MAX_LISTED: usize = 40;

/// Nanoseconds above which a mask is slow.
const SLOW_NANOSECONDS: u64 = 1_000_000;

/// Prints a run.
pub struct Markdown<'r>(pub &'r Results);

impl Display for Markdown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Results { vocabulary, unreadable, tallies, details } = self.0;
        for line in details {
            writeln!(f, "{line}")?;
        }
        writeln!(f, "\n## Times\n")?;
        writeln!(
            f,
            "Microseconds, vocabulary {vocabulary}. TBM is one mask, TTFM is compile and first mask; each document has a fresh grammar"
        )?;
        writeln!(f, "and matcher. Known: the document once more on the same grammar, with rows written.\n")?;
        writeln!(f, "| | samples | avg | p25 | p50 | p75 | p90 | p95 | p99 | p99.9 | max |")?;
        writeln!(f, "| --- |{}", " --: |".repeat(10))?;
        for (name, tally) in tallies {
            let rows =
                [("TBM", &tally.times.masks), ("TTFM", &tally.times.starts), ("known", &tally.times.known)];
            for (what, samples) in rows {
                row(f, &format!("{name} {what}"), samples)?;
            }
        }
        outcomes(f, tallies)?;
        for (name, tally) in tallies.iter().filter(|(_, tally)| !tally.slow.is_empty()) {
            writeln!(f, "\n## Slow masks of {name}\n")?;
            let mut slow: Vec<_> = tally.slow.iter().collect();
            slow.sort_by(|a, b| b.cmp(a));
            slow.iter().try_for_each(|(_, line)| writeln!(f, "- {line}"))?;
        }
        for (name, tally) in tallies {
            refusals(f, name, tally)?;
            failures(f, name, tally)?;
        }
        if !unreadable.is_empty() {
            writeln!(f, "\n## Lines that cannot be read\n")?;
            for line in unreadable {
                writeln!(f, "- {line}")?;
            }
        }
        Ok(())
    }
}

fn row(f: &mut Formatter<'_>, what: &str, samples: &Samples) -> fmt::Result {
    let Some(spread) = samples.spread() else { return Ok(()) };
    write!(f, "| {what} | {} | {} |", samples.count(), microseconds(spread.mean))?;
    for rank in spread.ranks.into_iter().chain([spread.max]) {
        write!(f, " {} |", microseconds(rank as f64))?;
    }
    writeln!(f)
}

/// Writes nanoseconds as microseconds, with about three digits.
pub(crate) fn microseconds(nanoseconds: f64) -> String {
    match nanoseconds / 1e3 {
        small if small < 10.0 => format!("{small:.2}"),
        middle if middle < 100.0 => format!("{middle:.1}"),
        large => format!("{large:.0}"),
    }
}

fn outcomes(f: &mut Formatter<'_>, tallies: &[(&'static str, Tally)]) -> fmt::Result {
    writeln!(f, "\n## Outcomes\n")?;
    let names: Vec<&str> = tallies.iter().map(|(name, _)| *name).collect();
    writeln!(f, "| | {} |", names.join(" | "))?;
    writeln!(f, "| --- |{}", " --: |".repeat(names.len()))?;
    let mut line = |what: &str, of: &dyn Fn(&Tally) -> String| {
        write!(f, "| {what} |")?;
        for (_, tally) in tallies {
            write!(f, " {} |", of(tally))?;
        }
        writeln!(f)
    };
    line("schemas", &|tally| tally.schemas.to_string())?;
    line("compiled", &|tally| part(tally.compiled, tally.schemas))?;
    line("all tests right", &|tally| part(tally.right, tally.schemas))?;
    line("refused to compile", &|tally| tally.refused.values().sum::<usize>().to_string())?;
    line("weakened, with a list", &|tally| tally.relaxed.to_string())?;
    line("documents judged", &|tally| tally.instances.to_string())?;
    line("valid documents refused", &|tally| tally.valid_refused.to_string())?;
    line("invalid documents accepted", &|tally| tally.invalid_accepted.to_string())?;
    line("documents with limits or contradictions", &|tally| tally.troubles.to_string())?;
    line("panics", &|tally| tally.panics.to_string())?;
    line("masks over 1 ms", &|tally| {
        part(tally.times.masks.over(SLOW_NANOSECONDS), tally.times.masks.count())
    })
}

/// Writes a number and its percentage of another.
pub(crate) fn part(count: usize, all: usize) -> String {
    let percent = if all == 0 { 0.0 } else { 100.0 * count as f64 / all as f64 };
    format!("{count} ({percent:.3} %)")
}

/// Writes the reasons of refusals, most frequent first.
pub(crate) fn refusals(f: &mut Formatter<'_>, name: &str, tally: &Tally) -> fmt::Result {
    if tally.refused.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n## Refusals of {name}\n")?;
    let keywords: Vec<String> = tally
        .refused_by_keyword()
        .into_iter()
        .map(|(keyword, count)| format!("`{keyword}` {count}"))
        .collect();
    if keywords.len() > 1 {
        writeln!(f, "By keyword: {}.\n", keywords.join(", "))?;
    }
    writeln!(f, "| schemas | keyword | reason |\n| --: | --- | --- |")?;
    let reasons = tally.refused_by_reason();
    for (keyword, reason, count) in reasons.iter().take(MAX_LISTED) {
        writeln!(f, "| {count} | {keyword} | {} |", reason.replace('|', "\\|"))?;
    }
    if let Some(rest) = reasons.len().checked_sub(MAX_LISTED).filter(|&rest| rest > 0) {
        writeln!(f, "\n{rest} more reasons")?;
    }
    Ok(())
}

/// Writes the schemas that compile and are judged wrongly.
pub(crate) fn failures(f: &mut Formatter<'_>, name: &str, tally: &Tally) -> fmt::Result {
    let is_judged = |causes: &[String]| {
        causes.iter().any(|cause| cause.starts_with("instance ") || cause.starts_with("panic"))
    };
    let wrong: Vec<_> = tally.failures.iter().filter(|failure| is_judged(&failure.causes)).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n## Wrong verdicts of {name}\n")?;
    for failure in wrong.iter().take(MAX_LISTED) {
        let causes: Vec<String> =
            failure.causes.iter().take(2).map(|cause| cause.chars().take(300).collect()).collect();
        writeln!(f, "- {}: {}", failure.name, causes.join("; "))?;
    }
    if let Some(rest) = wrong.len().checked_sub(MAX_LISTED).filter(|&rest| rest > 0) {
        writeln!(f, "\n{rest} more schemas")?;
    }
    Ok(())
}

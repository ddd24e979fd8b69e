//! Tables of all engines side by side.

use std::fmt::{self, Formatter};

use super::{PLACES, cell, megabytes, microseconds, none, percentiles};
use crate::engine::{COLD, WARM};
use crate::run::compare::{Line, Results};
use crate::run::timing::{Places, Summary};

/// Writes all tables of engines.
pub(super) fn all(results: &Results, f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n# The engines side by side\n")?;
    writeln!(
        f,
        "`{COLD}`: a fresh grammar and an unused vocabulary in each round. `{WARM}`: a fresh grammar, and a vocabulary that has served"
    )?;
    writeln!(f, "another grammar, compiled from the same text, over the same text.\n")?;
    writeln!(f, "× is the ratio to `{WARM}`: more than 1 is slower.")?;
    compiling(results, f)?;
    masks(results, f, "Masks on the first pass over a text", |line| line.first_masks)?;
    visits(results, f)?;
    masks(results, f, "Masks seen before", |line| line.known_masks)?;
    accepting(results, f)?;
    remarks(results, f)
}

fn compiling(results: &Results, f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n## Compiling, and memory\n")?;
    writeln!(
        f,
        "Median milliseconds to compile, and to compile with the first mask. Megabytes after the first pass over the text: of the"
    )?;
    writeln!(f, "tables if the engine says so, and growth of the process.\n")?;
    writeln!(f, "| grammar | engine | compile ms | × | and first mask ms | × | tables MB | process MB |")?;
    writeln!(f, "| --- | --- | --: | --: | --: | --: | --: | --: |")?;
    for (line, ours) in with_ours(results) {
        write!(f, "| {} | {} |", line.case, line.engine)?;
        for of in [|line: &Line| line.compile, |line: &Line| line.start] {
            let median = |line: &Line| of(line).map(|times| times.p50 as f64);
            let time = median(line).map_or_else(none, |time| format!("{:.3}", time / 1e6));
            write!(f, " {time} | {} |", ratio(line, median(line), median(ours)))?;
        }
        let table_bytes = line.table_bytes.map_or_else(none, |bytes| megabytes(bytes as f64));
        writeln!(f, " {table_bytes} | {} |", line.growth.map_or_else(none, |bytes| megabytes(bytes as f64)))?;
    }
    Ok(())
}

fn masks(
    results: &Results,
    f: &mut Formatter<'_>,
    title: &str,
    of: impl Fn(&Line) -> Option<Places>,
) -> fmt::Result {
    writeln!(f, "\n## {title}\n")?;
    writeln!(f, "Microseconds, with the row written each time. {PLACES}\n")?;
    writeln!(
        f,
        "| grammar (tokens) | engine | p50 | p90 | p99 | max | plain max | mean | × p50 | × mean | passes |"
    )?;
    writeln!(f, "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |")?;
    for (line, ours) in with_ours(results) {
        let (places, our) = (of(line), of(ours));
        write!(f, "| {} ({}) | {} |", line.case, line.tokens, line.engine)?;
        match places {
            Some(places) => {
                percentiles(f, &places)?;
                writeln!(
                    f,
                    " {} | {} | {} |",
                    ratio(line, Some(places.medians.p50 as f64), our.map(|our| our.medians.p50 as f64)),
                    ratio(line, Some(places.mean), our.map(|our| our.mean)),
                    places.passes,
                )?;
            }
            None => writeln!(f, "{}", " – |".repeat(9))?,
        }
    }
    Ok(())
}

/// Returns the positions at which a first pass meets a new state.
fn visits(results: &Results, f: &mut Formatter<'_>) -> fmt::Result {
    if results.lines.iter().all(|line| line.first_visits.is_none()) {
        return Ok(());
    }
    writeln!(f, "\n## First visits alone\n")?;
    writeln!(f, "First passes again, but only positions with a new state. Microseconds.\n")?;
    writeln!(f, "| grammar | engine | first visits | p50 | p90 | p99 | max | plain max | mean |")?;
    writeln!(f, "| --- | --- | --: | --: | --: | --: | --: | --: | --: |")?;
    for line in &results.lines {
        let Some(places) = &line.first_visits else { continue };
        write!(f, "| {} | {} | {} of {} |", line.case, line.engine, places.medians.count, line.tokens)?;
        percentiles(f, places)?;
        writeln!(f)?;
    }
    Ok(())
}

fn accepting(results: &Results, f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n## Accepting a token\n")?;
    writeln!(f, "Microseconds, including an empty measurement. {PLACES}\n")?;
    writeln!(
        f,
        "| grammar | engine | first p50 | p99 | plain max | mean | × mean | known p50 | p99 | mean | × mean |"
    )?;
    writeln!(f, "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |")?;
    for (line, ours) in with_ours(results) {
        write!(f, "| {} | {} |", line.case, line.engine)?;
        let parts =
            [(line.first_accepts, ours.first_accepts, true), (line.known_accepts, ours.known_accepts, false)];
        for (summary, our, with_max) in parts {
            match summary {
                Some(Places { medians: Summary { p50, p99, .. }, max, mean, .. }) => {
                    write!(f, " {} | {} |", microseconds(p50 as f64), microseconds(p99 as f64))?;
                    if with_max {
                        write!(f, " {} |", microseconds(max as f64))?;
                    }
                    write!(
                        f,
                        " {} | {} |",
                        microseconds(mean),
                        ratio(line, Some(mean), our.map(|our| our.mean))
                    )?;
                }
                None => write!(f, "{}", " – |".repeat(if with_max { 5 } else { 4 }))?,
            }
        }
        writeln!(f)?;
    }
    Ok(())
}

fn remarks(results: &Results, f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n## Completion and agreement\n")?;
    writeln!(
        f,
        "Masks are compared on ordinary tokens that are UTF-8. An engine that takes only the longest lexeme allows fewer tokens where"
    )?;
    writeln!(
        f,
        "several lexemes are possible. kbnf reads grammars with a sentinel byte at the end, as it ends at the first complete text.\n"
    )?;
    writeln!(
        f,
        "Where masks differ, the median says how many more tokens the engine allows than grammask.\n"
    )?;
    writeln!(
        f,
        "| grammar | engine | masks equal to grammask's | median difference | masks without the text's token | remarks |"
    )?;
    writeln!(f, "| --- | --- | --: | --: | --: | --- |")?;
    for line in &results.lines {
        let equal = line
            .agreement
            .map_or_else(none, |agreement| format!("{} of {}", agreement.equal, agreement.compared));
        let difference = line.agreement.and_then(|agreement| agreement.difference);
        let difference = difference.map_or_else(String::new, |difference| format!("{difference:+}"));
        let remarks: Vec<String> = line.end.iter().chain(&line.note).map(|text| cell(text)).collect();
        let remarks = remarks.join("; ");
        writeln!(
            f,
            "| {} | {} | {equal} | {difference} | {} | {remarks} |",
            line.case, line.engine, line.refusals
        )?;
    }
    Ok(())
}

/// Returns each line with that of grammask for the same grammar.
fn with_ours(results: &Results) -> impl Iterator<Item = (&Line, &Line)> {
    results.lines.iter().filter_map(|line| {
        let ours = results.lines.iter().find(|ours| ours.case == line.case && ours.engine == WARM)?;
        Some((line, ours))
    })
}

fn ratio(line: &Line, theirs: Option<f64>, ours: Option<f64>) -> String {
    match (theirs, ours) {
        _ if line.engine == WARM => String::new(),
        (Some(theirs), Some(ours)) if ours > 0.0 => {
            let ratio = theirs / ours;
            if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.0}") }
        }
        _ => none(),
    }
}

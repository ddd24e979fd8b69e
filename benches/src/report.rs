//! The results of `cargo xtask bench` as Markdown: first the bars, then the details.

use std::fmt::{self, Display, Formatter};

use crate::run::compare::Results;
use crate::run::hour::{FAR_BYTES, Look, NEAR_BYTES};
use crate::run::timing::Places;

pub mod bars;
mod engines;
mod ours;

use bars::Bar;

/// Explains the columns of tables with percentiles.
const PLACES: &str = "Each position of the text counts with its median over the passes. Percentiles, max and mean are over positions; the plain \
    max is over all samples.";

/// Results that print as Markdown.
pub struct Markdown<'a>(pub &'a Results);

impl Display for Markdown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let results = self.0;
        head(results, f)?;
        if !results.bars.is_empty() {
            write_bars(&results.bars, f)?;
        }
        if !results.lines.is_empty() {
            engines::all(results, f)?;
        }
        writeln!(f, "\n# grammask alone")?;
        if !results.known.is_empty() {
            ours::known(&results.known, f)?;
        }
        if !results.sizes.is_empty() {
            ours::sizes(&results.sizes, f)?;
        }
        if !results.batches.is_empty() {
            ours::batches(&results.batches, f)?;
        }
        if !results.bounds.is_empty() {
            ours::bounds(&results.bounds, f)?;
        }
        if !results.hard.is_empty() {
            ours::hard(&results.hard, f)?;
        }
        if !results.recursions.is_empty() {
            ours::recursions(&results.recursions, f)?;
        }
        if !results.speeds.is_empty() {
            ours::speeds(&results.speeds, f)?;
        }
        Ok(())
    }
}

fn head(results: &Results, f: &mut Formatter<'_>) -> fmt::Result {
    let machine = &results.machine;
    writeln!(f, "# Benchmarks\n")?;
    writeln!(
        f,
        "Written by `{}`. Compare numbers of one run only, as machines and hours differ.\n",
        results.command
    )?;
    writeln!(f, "- commit {}, {}", machine.commit, machine.compiler)?;
    writeln!(
        f,
        "- {}, {} cores, {}; the run took {:.0} s",
        machine.processor, machine.cores, machine.system, results.seconds
    )?;
    hour(&results.hour, f)?;
    let bytes = results.id_count.div_ceil(32) * 4;
    writeln!(f, "- vocabulary {}: {} ids, {bytes} bytes a row", results.vocabulary, results.id_count)?;
    writeln!(
        f,
        "- a sample is the lesser of wall clock and thread's CPU time, unless stated otherwise; it includes {} µs of an empty \
         measurement",
        microseconds(results.nothing.p50 as f64),
    )?;
    let turns = match results.turns {
        1 => "once".to_owned(),
        turns => {
            format!("{turns} times in turn with the others, each time after a warm-up round")
        }
    };
    writeln!(
        f,
        "- each engine runs each grammar in processes of its own, on one thread: {turns}, for at most {} s (kbnf {} s; kbnf and \
         glrmask have one turn without warm-up)",
        results.limit, results.kbnf_limit
    )?;
    for missing in &results.missing {
        writeln!(f, "- left out: {}", cell(missing))?;
    }
    Ok(())
}

/// Writes the speed of memory during the run.
fn hour(looks: &[Look], f: &mut Formatter<'_>) -> fmt::Result {
    let spread = |of: &dyn Fn(&Look) -> f64| {
        let mut reads: Vec<f64> = looks.iter().map(of).collect();
        reads.sort_by(f64::total_cmp);
        let (least, most) = reads.first().zip(reads.last())?;
        Some(format!("{:.1} ns ({least:.1} to {most:.1})", reads[reads.len() / 2]))
    };
    let Some((near, far)) = spread(&|look| look.near).zip(spread(&|look| look.far)) else { return Ok(()) };
    writeln!(
        f,
        "- a dependent read of memory takes {near} in {} KB and {far} in {} MB: median (minimum to maximum) of {} probes between \
         the parts",
        NEAR_BYTES >> 10,
        FAR_BYTES >> 20,
        looks.len(),
    )
}

fn write_bars(bars: &[Bar], f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n# Bars\n")?;
    writeln!(
        f,
        "Each row has a bar, the case that is furthest from it, the number of cases that reach it, and the other cases that miss it.\n"
    )?;
    writeln!(f, "| measure | bar | measured | worst case | reached | other cases that miss it |")?;
    writeln!(f, "| --- | --: | --: | --- | --- | --- |")?;
    let place = |at: &str| if at.contains("::=") { format!("`{}`", cell(at)) } else { cell(at) };
    for Bar { what, bar, measured, at, reached, cases, failing } in bars {
        let verdict = if reached == cases { "yes" } else { "**no**" };
        // The first one is in a column of its own.
        let others: Vec<String> =
            failing.iter().skip(1).map(|(at, measured)| format!("{} {measured}", place(at))).collect();
        let others = others.join(", ");
        let place = place(at);
        writeln!(
            f,
            "| {what} | {bar} | {measured} | {place} | {verdict}, {reached} of {cases} | {others} |"
        )?;
    }
    Ok(())
}

/// Writes the cells of percentiles, maximum and mean, in microseconds.
fn percentiles(f: &mut Formatter<'_>, places: &Places) -> fmt::Result {
    let medians = &places.medians;
    for time in [medians.p50, medians.p90, medians.p99, medians.max, places.max] {
        write!(f, " {} |", microseconds(time as f64))?;
    }
    write!(f, " {} |", microseconds(places.mean))
}

fn microseconds(nanoseconds: f64) -> String {
    let microseconds = nanoseconds / 1e3;
    match microseconds {
        _ if microseconds < 1.0 => format!("{microseconds:.3}"),
        _ if microseconds < 10.0 => format!("{microseconds:.2}"),
        _ if microseconds < 100.0 => format!("{microseconds:.1}"),
        _ => format!("{microseconds:.0}"),
    }
}

fn megabytes(bytes: f64) -> String {
    format!("{:.2}", bytes / 1e6)
}

fn none() -> String {
    "–".to_owned()
}

/// Returns a text that does not break a table.
fn cell(text: &str) -> String {
    let one_line: Vec<&str> = text.split_whitespace().collect();
    let text = one_line.join(" ").replace('|', "\\|");
    if text.chars().count() > 160 { text.chars().take(160).chain("…".chars()).collect() } else { text }
}

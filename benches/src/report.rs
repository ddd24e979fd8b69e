//! The results as Markdown.

use std::fmt::{self, Display, Formatter};

use crate::compare::{Line, Results};
use crate::engine::OURS;
use crate::linear::Speed;
use crate::timing::Summary;

/// Results that print as Markdown.
pub struct Markdown<'a>(pub &'a Results);

impl Display for Markdown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let results = self.0;
        head(results, f)?;
        if !results.lines.is_empty() {
            compiling(results, f)?;
            masks(results, f, "Masks on the first pass over a text", |line| line.first_masks)?;
            masks(results, f, "Masks seen before", |line| line.known_masks)?;
            accepting(results, f)?;
            remarks(results, f)?;
        }
        if !results.speeds.is_empty() {
            speeds(&results.speeds, f)?;
        }
        Ok(())
    }
}

fn head(results: &Results, f: &mut Formatter<'_>) -> fmt::Result {
    let machine = &results.machine;
    writeln!(f, "# Benchmarks\n")?;
    writeln!(
        f,
        "Written by `cargo xtask bench`. Compare numbers of one run only: machines differ, and so do hours.\n"
    )?;
    writeln!(f, "- commit {}, {}", machine.commit, machine.compiler)?;
    writeln!(f, "- {}, {} cores, {}", machine.processor, machine.cores, machine.system)?;
    let bytes = results.id_count.div_ceil(32) * 4;
    writeln!(f, "- vocabulary {}: {} ids, {bytes} bytes a row", results.vocabulary, results.id_count)?;
    writeln!(
        f,
        "- copying a row takes {} µs (p50; p99 {}), measuring nothing {} µs; a sample is the wall clock or the thread's CPU \
         time, whichever is less",
        microseconds(results.copy.p50 as f64),
        microseconds(results.copy.p99 as f64),
        microseconds(results.nothing.p50 as f64),
    )?;
    writeln!(
        f,
        "- each engine meets each grammar in a process of its own, one after the other, on one thread, for at most {} s\n",
        results.limit
    )?;
    writeln!(f, "× says how many times grammask's number an engine's is: more than 1 is slower.")
}

fn compiling(results: &Results, f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n## Compiling, and memory\n")?;
    writeln!(
        f,
        "Milliseconds, median; megabytes after the first pass over the text: of the tables as far as the engine tells,"
    )?;
    writeln!(f, "and by how much the process grew.\n")?;
    writeln!(f, "| grammar | engine | compile ms | × | tables MB | process MB |")?;
    writeln!(f, "| --- | --- | --: | --: | --: | --: |")?;
    for (line, ours) in with_ours(results) {
        let median = line.compile.map(|compile| compile.p50 as f64);
        let our_median = ours.compile.map(|compile| compile.p50 as f64);
        writeln!(
            f,
            "| {} | {} | {} | {} | {} | {} |",
            line.case,
            line.engine,
            median.map_or_else(none, |time| format!("{:.3}", time / 1e6)),
            ratio(line, median, our_median),
            line.table_bytes.map_or_else(none, |bytes| megabytes(bytes as f64)),
            line.growth.map_or_else(none, |bytes| megabytes(bytes as f64)),
        )?;
    }
    Ok(())
}

fn masks(
    results: &Results,
    f: &mut Formatter<'_>,
    title: &str,
    of: impl Fn(&Line) -> Option<Summary>,
) -> fmt::Result {
    writeln!(f, "\n## {title}\n")?;
    writeln!(f, "Microseconds, the row written out each time.\n")?;
    writeln!(f, "| grammar (tokens) | engine | p50 | p90 | p99 | max | mean | × p50 | × mean | masks |")?;
    writeln!(f, "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |")?;
    for (line, ours) in with_ours(results) {
        let (summary, our) = (of(line), of(ours));
        write!(f, "| {} ({}) | {} | ", line.case, line.tokens, line.engine)?;
        match summary {
            Some(Summary { count, p50, p90, p99, max, mean }) => {
                for time in [p50, p90, p99, max] {
                    write!(f, "{} | ", microseconds(time as f64))?;
                }
                writeln!(
                    f,
                    "{} | {} | {} | {count} |",
                    microseconds(mean),
                    ratio(line, Some(p50 as f64), our.map(|our| our.p50 as f64)),
                    ratio(line, Some(mean), our.map(|our| our.mean)),
                )?;
            }
            None => writeln!(f, "{} |", ["–"; 8].join(" | "))?,
        }
    }
    Ok(())
}

fn accepting(results: &Results, f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n## Accepting a token\n")?;
    writeln!(f, "Microseconds; what measuring nothing takes is in there.\n")?;
    writeln!(
        f,
        "| grammar | engine | first p50 | p99 | max | mean | × mean | known p50 | p99 | mean | × mean |"
    )?;
    writeln!(f, "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |")?;
    for (line, ours) in with_ours(results) {
        write!(f, "| {} | {} |", line.case, line.engine)?;
        let parts =
            [(line.first_accepts, ours.first_accepts, true), (line.known_accepts, ours.known_accepts, false)];
        for (summary, our, with_max) in parts {
            match summary {
                Some(Summary { p50, p99, max, mean, .. }) => {
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
    writeln!(f, "\n## How far they came, and whether they agree\n")?;
    writeln!(
        f,
        "Masks are compared on ordinary tokens that are UTF-8. An engine that takes the longest lexeme only allows less where several are"
    )?;
    writeln!(
        f,
        "possible; kbnf reads the grammars with a sentinel byte at the end, as it ends at the first complete text otherwise.\n"
    )?;
    writeln!(f, "Where they differ, the median says how many tokens more than ours theirs allow.\n")?;
    writeln!(
        f,
        "| grammar | engine | masks equal to ours | median difference | masks without the text's token | remarks |"
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

fn speeds(speeds: &[Speed], f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n## The recognizer alone\n")?;
    writeln!(
        f,
        "Megabytes per second over texts of growing length, by a recognizer that knows nothing (fresh) and over the same text"
    )?;
    writeln!(f, "again (known); the fastest of some rounds. Flat from left to right means linear time.\n")?;
    let Some(longest) = speeds.iter().max_by_key(|speed| speed.steps.len()) else { return Ok(()) };
    write!(f, "| grammar | |")?;
    for step in &longest.steps {
        write!(f, " {} KB |", step.bytes.div_ceil(1024))?;
    }
    writeln!(f, " sets | tables MB |")?;
    writeln!(f, "| --- | --- |{} --: | --: |", " --: |".repeat(longest.steps.len()))?;
    for speed in speeds {
        if let Some(error) = &speed.error {
            writeln!(f, "| {} | {} |{}", speed.case, cell(error), " |".repeat(longest.steps.len() + 2))?;
            continue;
        }
        for known in [false, true] {
            write!(f, "| {} | {} |", speed.case, if known { "known" } else { "fresh" })?;
            for step in &speed.steps {
                let per_second = if known { step.known } else { step.fresh };
                write!(f, " {:.1} |", per_second / 1e6)?;
            }
            match speed.steps.last().filter(|_| known) {
                Some(step) => writeln!(f, " {} | {} |", step.sets, megabytes(step.table_bytes as f64))?,
                None => writeln!(f, " | |")?,
            }
        }
    }
    Ok(())
}

/// Every line, with ours for the same grammar.
fn with_ours(results: &Results) -> impl Iterator<Item = (&Line, &Line)> {
    results.lines.iter().filter_map(|line| {
        let ours = results.lines.iter().find(|ours| ours.case == line.case && ours.engine == OURS)?;
        Some((line, ours))
    })
}

fn ratio(line: &Line, theirs: Option<f64>, ours: Option<f64>) -> String {
    match (theirs, ours) {
        _ if line.engine == OURS => String::new(),
        (Some(theirs), Some(ours)) if ours > 0.0 => {
            let ratio = theirs / ours;
            if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.0}") }
        }
        _ => none(),
    }
}

fn microseconds(nanoseconds: f64) -> String {
    let microseconds = nanoseconds / 1e3;
    match microseconds {
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

/// A text that does not break a table.
fn cell(text: &str) -> String {
    let one_line: Vec<&str> = text.split_whitespace().collect();
    let text = one_line.join(" ").replace('|', "\\|");
    if text.chars().count() > 160 { text.chars().take(160).chain("…".chars()).collect() } else { text }
}

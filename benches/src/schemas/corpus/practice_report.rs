//! The tables of `cargo xtask schemastore` and `cargo xtask generators`, as Markdown.

use std::fmt::{self, Display, Formatter};

use super::practice::{Column, Results};
use crate::schemas::report::{failures, part, refusals};

/// Number of lines of a list that are printed.
const MAX_LISTED: usize = 30;

/// Number of schemas that are listed with their times.
const SLOWEST_LISTED: usize = 8;

/// Prints a run.
pub(super) struct Tables<'r>(pub(super) &'r Results);

impl Display for Tables<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Results { schemas, complete, missing, unreadable, columns } = self.0;
        writeln!(f, "## Outcomes\n")?;
        writeln!(
            f,
            "Complete: all references of the schema lead to documents of the data or to built-in ones.\n"
        )?;
        write!(f, "| |")?;
        columns.iter().try_for_each(|column| write!(f, " {} |", column.name))?;
        writeln!(f, "\n| --- |{}", " --: |".repeat(columns.len()))?;
        let mut line = |what: &str, of: &dyn Fn(&Column) -> String| {
            write!(f, "| {what} |")?;
            columns.iter().try_for_each(|column| write!(f, " {} |", of(column)))?;
            writeln!(f)
        };
        line("schemas compiled", &|column| of(column.tally.compiled, *schemas))?;
        line("complete schemas compiled", &|column| of(column.compiled_complete, *complete))?;
        line("with a list of relaxations", &|column| column.tally.relaxed.to_string())?;
        line("documents judged", &|column| column.tally.instances.to_string())?;
        line("valid documents refused", &|column| column.tally.valid_refused.to_string())?;
        line("invalid documents accepted", &|column| column.tally.invalid_accepted.to_string())?;
        line("invalid documents accepted, relaxations listed", &|column| column.accepted_weakly.to_string())?;
        line("judged otherwise than stated, validator agrees", &|column| column.disputed.len().to_string())?;
        line("judged as stated, validator disagrees", &|column| column.doubted.len().to_string())?;
        line("documents with limits", &|column| column.tally.troubles.to_string())?;
        line("panics", &|column| column.tally.panics.to_string())?;
        line("compile, median ms", &|column| time(column, 500))?;
        line("compile, p99 ms", &|column| time(column, 990))?;
        line("compile, slowest ms", &|column| time(column, 1000))?;
        for column in columns {
            refusals(f, column.name, &column.tally)?;
            failures(f, column.name, &column.tally)?;
            list(f, &format!("Judged otherwise than stated by {}", column.name), &column.disputed)?;
        }
        if let Some(column) = columns.first() {
            list(f, "Doubted by the validator", &column.doubted)?;
            let mut slowest = column.times.clone();
            slowest.sort_by(|a, b| b.cmp(a));
            slowest.truncate(SLOWEST_LISTED);
            let slowest: Vec<String> = slowest
                .into_iter()
                .map(|(time, name)| format!("{} ms: {name}", milliseconds(time)))
                .collect();
            list(f, "Slowest compiles", &slowest)?;
        }
        let missing: Vec<String> = missing.iter().map(|(uri, count)| format!("{count} × {uri}")).collect();
        list(f, "References to documents that are not given", &missing)?;
        list(f, "Lines that cannot be read", unreadable)
    }
}

fn of(count: usize, all: usize) -> String {
    format!("{} of {all}", part(count, all))
}

/// Returns the time at a rank in parts per thousand.
fn time(column: &Column, rank: usize) -> String {
    let mut times: Vec<u64> = column.times.iter().map(|(time, _)| *time).collect();
    times.sort_unstable();
    let index = (times.len() * rank).div_ceil(1000).max(1) - 1;
    times.get(index).map(|&time| milliseconds(time)).unwrap_or_default()
}

fn milliseconds(nanoseconds: u64) -> String {
    format!("{:.1}", nanoseconds as f64 / 1e6)
}

fn list(f: &mut Formatter<'_>, title: &str, lines: &[String]) -> fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n## {title}\n")?;
    lines.iter().take(MAX_LISTED).try_for_each(|line| writeln!(f, "- {}", line.replace('\n', " ")))?;
    match lines.len().checked_sub(MAX_LISTED) {
        Some(rest) if rest > 0 => writeln!(f, "\n{rest} more"),
        _ => Ok(()),
    }
}

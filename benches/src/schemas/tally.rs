//! Counts of an engine over many schemas, and its failures.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::Context;

use super::follow::Times;
use super::judge::Refusal;

/// Counts of an engine.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Number of schemas.
    pub schemas: usize,
    /// Number of compiled schemas.
    pub compiled: usize,
    /// Number of schemas all of whose documents are judged rightly.
    pub right: usize,
    /// Number of documents judged.
    pub instances: usize,
    /// Schemas refused, by keyword and reason.
    pub refused: BTreeMap<(String, String), usize>,
    /// Valid documents refused.
    pub valid_refused: usize,
    /// Invalid documents accepted.
    pub invalid_accepted: usize,
    /// Documents with a limit or a contradiction.
    pub troubles: usize,
    /// Panics.
    pub panics: usize,
    /// Weakened schemas.
    pub relaxed: usize,
    /// Times.
    pub times: Times,
    /// Slow masks, with their nanoseconds.
    pub slow: Vec<(u64, String)>,
    /// Failures.
    pub failures: Vec<Failure>,
}

/// A schema that is refused or judged wrongly.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Failure {
    /// Index of the schema.
    pub index: usize,
    /// The engine.
    pub engine: &'static str,
    /// Name of the schema.
    pub name: String,
    /// Descriptions, one line each.
    pub causes: Vec<String>,
}

impl Tally {
    /// Counts a refused schema.
    pub fn refuse(&mut self, refusal: &Refusal) {
        *self.refused.entry((refusal.keyword.clone(), refusal.reason.clone())).or_default() += 1;
    }

    /// Adds the counts of another tally.
    pub fn add(&mut self, other: Self) {
        self.schemas += other.schemas;
        self.compiled += other.compiled;
        self.right += other.right;
        self.instances += other.instances;
        self.valid_refused += other.valid_refused;
        self.invalid_accepted += other.invalid_accepted;
        self.troubles += other.troubles;
        self.panics += other.panics;
        self.relaxed += other.relaxed;
        for (what, count) in other.refused {
            *self.refused.entry(what).or_default() += count;
        }
        self.times.masks.append(other.times.masks);
        self.times.starts.append(other.times.starts);
        self.times.known.append(other.times.known);
        self.slow.extend(other.slow);
        self.failures.extend(other.failures);
        self.failures.sort();
    }

    /// Returns refusals by keyword, most frequent first.
    pub fn refused_by_keyword(&self) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for ((keyword, _), count) in &self.refused {
            *counts.entry(keyword).or_default() += count;
        }
        let mut counts: Vec<_> =
            counts.into_iter().map(|(keyword, count)| (keyword.to_owned(), count)).collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts
    }

    /// Returns refusals by keyword and reason, most frequent first.
    pub fn refused_by_reason(&self) -> Vec<(&str, &str, usize)> {
        let mut counts: Vec<_> =
            self.refused.iter().map(|((keyword, reason), count)| (&**keyword, &**reason, *count)).collect();
        counts.sort_by_key(|&(_, _, count)| std::cmp::Reverse(count));
        counts
    }
}

/// Writes a line for each failure: engine, name, causes, with tabs between them.
///
/// # Errors
/// If the file cannot be written.
pub fn write_failures<'f>(path: &Path, failures: impl Iterator<Item = &'f Failure>) -> anyhow::Result<()> {
    let context = || path.display().to_string();
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).with_context(context)?);
    for Failure { engine, name, causes, .. } in failures {
        writeln!(file, "{engine}\t{name}\t{}", causes.join("; ").replace(['\n', '\t'], " "))
            .with_context(context)?;
    }
    file.flush().with_context(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_counted_by_keyword_and_reason() {
        let mut tally = Tally::default();
        for (keyword, reason) in [("not", "a"), ("oneOf", "b"), ("not", "c"), ("oneOf", "b")] {
            let refusal = Refusal { keyword: keyword.into(), reason: reason.into(), ..Refusal::default() };
            tally.refuse(&refusal);
        }
        let mut sum = tally.clone();
        sum.add(tally);
        assert_eq!(sum.refused_by_keyword(), [("not".to_owned(), 4), ("oneOf".to_owned(), 4)]);
        assert_eq!(sum.refused_by_reason()[0], ("oneOf", "b", 4));
    }
}

//! What is counted of an engine over many schemas, and which ones it fails.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::Context;

use super::follow::Times;
use super::judge::Refusal;

/// What an engine has done.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many schemas it was given.
    pub schemas: usize,
    /// How many it compiled.
    pub compiled: usize,
    /// Of how many it judged every document right.
    pub right: usize,
    /// How many documents it judged.
    pub instances: usize,
    /// Schemas refused, by keyword and reason.
    pub refused: BTreeMap<(String, String), usize>,
    /// Valid documents refused.
    pub valid_refused: usize,
    /// Invalid documents accepted.
    pub invalid_accepted: usize,
    /// Documents on which something went wrong.
    pub troubles: usize,
    /// Panics.
    pub panics: usize,
    /// Schemas that it weakens.
    pub relaxed: usize,
    /// What took how long.
    pub times: Times,
    /// Masks that took long, with how long.
    pub slow: Vec<(u64, String)>,
    /// What went wrong.
    pub failures: Vec<Failure>,
}

/// A schema that is refused or judged wrongly.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Failure {
    /// Which of all schemas.
    pub index: usize,
    /// The engine.
    pub engine: &'static str,
    /// What the schema is called.
    pub name: String,
    /// What is wrong, each in a line.
    pub causes: Vec<String>,
}

impl Tally {
    /// Counts a schema that is refused.
    pub fn refuse(&mut self, refusal: &Refusal) {
        *self.refused.entry((refusal.keyword.clone(), refusal.reason.clone())).or_default() += 1;
    }

    /// Adds what was counted elsewhere.
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

    /// Refusals by keyword alone, most frequent first.
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

    /// Refusals by keyword and reason, most frequent first.
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
/// When the file cannot be written.
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

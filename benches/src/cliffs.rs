//! `cargo xtask cliffs`: looks for inputs that cost far more than others of their size.
//!
//! Inputs are random schemas and grammars, real schemas, changes of both, and changes of the worst inputs
//! found so far. Each is compiled for a vocabulary that is used for the first time, and a random output is
//! followed. Of each kind of input, the worst by each measure is kept. At the end the worst are made smaller
//! as long as they stay nearly as bad, and larger, to see how the cost grows.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use grammask::{Config, Vocabulary};
use serde_json::json;

pub mod change;
pub mod grammars;
pub mod kinds;
pub mod measure;
pub mod schemas;

use self::change::{changed, larger, smaller};
use self::kinds::Kind;
use self::measure::{Costs, Measure, Outcome, measure};
use crate::engine::grammask::config;
use crate::input::random::Random;
use crate::input::vocabulary::Words;
use crate::schemas::data::{Entry, lines};
use crate::schemas::options::{GENERATORS, SCHEMAS, SCHEMASTORE};

/// Help of `cliffs`.
pub const HELP: &str = "\
cargo xtask cliffs [OPTIONS]

  --minutes N          how long to look (default 5)
  --seed N             seed of all random choices (default 1)
  --vocab o200k|FILE   the vocabulary (default o200k)
  --worst N            inputs that are printed by each measure (default 8)
  --write DIR          writes the printed inputs there, each with a bound of its work in units
  --again DIR          instead: measures the inputs in a folder that --write wrote, and compares with the bounds

Needs nothing but the sources. The schemas beside the checkout are changed too where they are there.
";

/// Bytes of a real schema above which it is left out: to change and measure it takes too long.
const MAX_SEED_BYTES: usize = 1 << 15;

/// Bytes of the text of any input, after changes.
const MAX_INPUT_BYTES: usize = 1 << 16;

/// Measurements for making one input smaller, and the time for them.
const MAX_SMALLER_ATTEMPTS: usize = 400;
const MAX_SMALLER_TIME: Duration = Duration::from_secs(10);

/// Share of its cost that an input keeps while it is made smaller, in percent.
const KEPT_PERCENT: u64 = 75;

/// Bound of a written input, in percent of the work that was measured.
const BOUND_PERCENT: u64 = 125;

/// Nanoseconds between two lines about progress.
const PROGRESS: Duration = Duration::from_secs(30);

/// The command line.
#[derive(Clone, Debug)]
pub struct Options {
    minutes: f64,
    seed: u64,
    vocabulary: String,
    worst: usize,
    write: Option<PathBuf>,
    again: Option<PathBuf>,
}

impl Options {
    /// Reads the command line. Returns `None` if the help is asked for.
    ///
    /// # Errors
    /// If an option is unknown, or its value is missing or wrong.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Option<Self>> {
        let mut options = Self {
            minutes: 5.0,
            seed: 1,
            vocabulary: "o200k".to_owned(),
            worst: 8,
            write: None,
            again: None,
        };
        while let Some(word) = arguments.next() {
            let mut value = || arguments.next().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--minutes" => options.minutes = value()?.parse().context("--minutes")?,
                "--seed" => options.seed = value()?.parse().context("--seed")?,
                "--vocab" => options.vocabulary = value()?,
                "--worst" => options.worst = value()?.parse().context("--worst")?,
                "--write" => options.write = Some(value()?.into()),
                "--again" => options.again = Some(value()?.into()),
                "--help" | "-h" => return Ok(None),
                _ => bail!("unknown option {word}\n\n{HELP}"),
            }
        }
        Ok(Some(options))
    }
}

/// A grammar or a schema.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A JSON Schema.
    Schema(serde_json::Value),
    /// A grammar in KBNF.
    Kbnf(grammars::RandomGrammar),
}

impl Input {
    /// Returns the text of the schema or grammar.
    pub fn text(&self) -> String {
        match self {
            Self::Schema(schema) => schema.to_string(),
            Self::Kbnf(grammar) => grammar.to_string(),
        }
    }
}

/// An input that is kept, and what it cost.
#[derive(Clone, Debug)]
struct Found {
    input: Input,
    /// Seed of the output.
    seed: u64,
    costs: Costs,
}

/// Everything that a search needs.
struct Search {
    vocabulary: Vocabulary,
    config: Config,
    random: Random,
    /// Real schemas.
    seeds: Vec<serde_json::Value>,
    /// The worst of each kind by each measure.
    kept: BTreeMap<(Measure, Kind), Found>,
    measured: usize,
    refused: usize,
}

/// Looks for cliffs, and returns the report in Markdown. Progress goes to stderr.
///
/// # Errors
/// If the vocabulary or a file cannot be read or written, or with `--again`, if an input exceeds its bound.
#[allow(clippy::print_stderr, reason = "progress of a long command")]
pub fn run(options: &Options) -> anyhow::Result<String> {
    let words = Words::load(&options.vocabulary)?;
    let mut search = Search {
        vocabulary: words.vocabulary()?,
        config: config(&words),
        random: Random::new(options.seed),
        seeds: Vec::new(),
        kept: BTreeMap::new(),
        measured: 0,
        refused: 0,
    };
    if let Some(folder) = &options.again {
        return search.again(folder);
    }
    for file in [SCHEMAS, SCHEMASTORE, GENERATORS] {
        match lines(file.as_ref()) {
            Ok(lines) => search.seeds.extend(
                lines
                    .iter()
                    .filter(|line| line.len() < MAX_SEED_BYTES)
                    .filter_map(|line| Some(Entry::parse(line).ok()?.schema)),
            ),
            Err(_) => eprintln!("{file} is not there, so its schemas are not changed"),
        }
    }
    search.look(Duration::from_secs_f64(options.minutes * 60.0));
    search.report(options)
}

impl Search {
    /// Measures inputs until the time is over.
    #[allow(clippy::print_stderr, reason = "progress of a long command")]
    fn look(&mut self, time: Duration) {
        let start = Instant::now();
        let mut next_line = PROGRESS;
        while start.elapsed() < time {
            let input = self.input();
            if input.text().len() > MAX_INPUT_BYTES {
                continue;
            }
            let seed = self.random.below(1 << 30) as u64;
            let costs = measure(&input, seed, &self.vocabulary, &self.config);
            self.measured += 1;
            self.refused += usize::from(matches!(costs.outcome, Outcome::Refused(_)));
            self.keep(&Found { input, seed, costs });
            if start.elapsed() > next_line {
                next_line += PROGRESS;
                let worst =
                    |measure| self.worst(measure, 1).first().map_or(0, |found| measure.of(&found.costs));
                eprintln!(
                    "{:.0} s: {} inputs; worst compile {} units, mask {} units",
                    start.elapsed().as_secs_f64(),
                    self.measured,
                    worst(Measure::Compile),
                    worst(Measure::Mask)
                );
            }
        }
    }

    /// Returns the next input: random, real, or a change of a real one or of a bad one.
    fn input(&mut self) -> Input {
        let choice = self.random.below(100);
        let kept = self.kept.len();
        if choice < 45 && kept > 0 {
            let index = self.random.below(kept);
            let found = self.kept.values().nth(index).map(|found| found.input.clone());
            if let Some(found) = found {
                let other = self.any_schema();
                return changed(&found, &other, &mut self.random);
            }
        }
        match choice {
            0..70 => Input::Schema(schemas::schema(&mut self.random)),
            70..80 => Input::Kbnf(grammars::grammar(&mut self.random)),
            80..85 => Input::Schema(self.any_schema()),
            _ => {
                let (schema, other) = (self.any_schema(), self.any_schema());
                changed(&Input::Schema(schema), &other, &mut self.random)
            }
        }
    }

    /// Returns a real schema, or a random one if there are none.
    fn any_schema(&mut self) -> serde_json::Value {
        match self.seeds.len() {
            0 => schemas::schema(&mut self.random),
            count => self.seeds[self.random.below(count)].clone(),
        }
    }

    /// Keeps an input if it is the worst of its kind by a measure.
    fn keep(&mut self, found: &Found) {
        let kind = Kind::of(&found.input);
        for measure in Measure::ALL {
            let cost = measure.of(&found.costs);
            let worst = self.kept.get(&(measure, kind)).map_or(0, |worst| measure.of(&worst.costs));
            if cost > worst {
                self.kept.insert((measure, kind), found.clone());
            }
        }
    }

    /// Returns the worst inputs by a measure, the worst first, at most `count`.
    fn worst(&self, measure: Measure, count: usize) -> Vec<&Found> {
        let of_measure = self.kept.iter().filter(|((of, _), _)| *of == measure);
        let mut found: Vec<&Found> = of_measure.map(|(_, found)| found).collect();
        found.sort_by_key(|found| std::cmp::Reverse(measure.of(&found.costs)));
        found.truncate(count);
        found
    }

    /// Makes an input smaller as long as it keeps most of its cost.
    fn minimized(&self, found: &Found, measure_of: Measure) -> Found {
        let mut best = found.clone();
        let least = measure_of.of(&found.costs) / 100 * KEPT_PERCENT;
        let (mut attempts, start) = (0, Instant::now());
        loop {
            let mut candidates = smaller(&best.input);
            candidates.sort_by_key(|input| input.text().len());
            let mut is_smaller = false;
            for input in candidates {
                attempts += 1;
                if attempts > MAX_SMALLER_ATTEMPTS || start.elapsed() > MAX_SMALLER_TIME {
                    return best;
                }
                let costs = measure(&input, found.seed, &self.vocabulary, &self.config);
                if measure_of.of(&costs) >= least && input.text().len() < best.input.text().len() {
                    best = Found { input, seed: found.seed, costs };
                    is_smaller = true;
                    break;
                }
            }
            if !is_smaller {
                return best;
            }
        }
    }

    /// Minimizes the worst inputs, makes them larger, and writes the report.
    #[allow(clippy::print_stderr, reason = "progress of a long command")]
    fn report(&self, options: &Options) -> anyhow::Result<String> {
        let mut report = format!(
            "{} inputs measured, {} of them refused. Seed {}, vocabulary {}, which is used for the first time.\n",
            self.measured, self.refused, options.seed, options.vocabulary
        );
        if let Some(folder) = &options.write {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        for measure_of in Measure::ALL {
            eprintln!("{}: making the worst smaller", measure_of.title());
            let _ = writeln!(
                report,
                "\n## {}\n\n| kind | found | smaller | × at twice the size | × at four times | ms | input |\n| --- | --: | --: | --: | --: | --: | --- |",
                measure_of.title()
            );
            for (rank, found) in self.worst(measure_of, options.worst).into_iter().enumerate() {
                let small = self.minimized(found, measure_of);
                let growth = [2, 4].map(|factor| {
                    let input = larger(&small.input, factor);
                    let costs = measure(&input, small.seed, &self.vocabulary, &self.config);
                    match costs.outcome {
                        Outcome::Refused(_) => "refused".to_owned(),
                        _ => ratio(measure_of.of(&costs), measure_of.of(&small.costs)),
                    }
                });
                let text = small.input.text();
                let _ = writeln!(
                    report,
                    "| {} | {} | {} | {} | {} | {:.1} | `{}` |",
                    Kind::of(&small.input),
                    measure_of.of(&found.costs),
                    measure_of.of(&small.costs),
                    growth[0],
                    growth[1],
                    measure_of.time(&small.costs) as f64 / 1e6,
                    shortened(&text).replace('|', "\\|")
                );
                eprintln!(
                    "{} -> {}: {}",
                    measure_of.of(&found.costs),
                    measure_of.of(&small.costs),
                    shortened(&text)
                );
                if let Some(folder) = &options.write {
                    let name = format!("{}-{rank}.json", measure_of.name());
                    std::fs::write(folder.join(&name), written(&small)?).with_context(|| name.clone())?;
                }
            }
        }
        Ok(report)
    }

    /// Measures the inputs of a folder again, and compares their work with their bounds.
    fn again(&self, folder: &std::path::Path) -> anyhow::Result<String> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .with_context(|| folder.display().to_string())?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        files.sort();
        let mut report =
            "| input | measure | units | bound | ms |\n| --- | --- | --: | --: | --: |\n".to_owned();
        let mut exceeded = 0;
        for path in files.iter().filter(|path| path.extension().is_some_and(|end| end == "json")) {
            let written: serde_json::Value =
                serde_json::from_slice(&std::fs::read(path)?).with_context(|| path.display().to_string())?;
            let input = match (&written["schema"], written["kbnf"].as_str()) {
                (serde_json::Value::Null, Some(kbnf)) => Input::Kbnf(grammars::RandomGrammar::of_text(kbnf)),
                (schema, _) => Input::Schema(schema.clone()),
            };
            let seed = written["seed"].as_u64().with_context(|| path.display().to_string())?;
            let costs = measure(&input, seed, &self.vocabulary, &self.config);
            for measure_of in [Measure::Compile, Measure::Mask, Measure::Accept] {
                let (units, bound) = (measure_of.of(&costs), &written["bounds"][measure_of.name()]);
                let bound = bound.as_u64().with_context(|| path.display().to_string())?;
                exceeded += usize::from(units > bound);
                let _ = writeln!(
                    report,
                    "| {} | {} | {units} | {bound} | {:.1} |",
                    path.file_name().unwrap_or_default().display(),
                    measure_of.name(),
                    measure_of.time(&costs) as f64 / 1e6
                );
            }
        }
        anyhow::ensure!(exceeded == 0, "{report}\n{exceeded} bounds are exceeded");
        Ok(report)
    }
}

/// Returns the file of an input: the schema or grammar, the seed of its output, and bounds of its work.
fn written(found: &Found) -> anyhow::Result<String> {
    let bound = |measure: Measure| (measure.of(&found.costs) * BOUND_PERCENT).div_ceil(100);
    let mut file = json!({
        "seed": found.seed,
        "output": String::from_utf8_lossy(&found.costs.output),
        "bounds": {
            "compile": bound(Measure::Compile),
            "mask": bound(Measure::Mask),
            "accept": bound(Measure::Accept),
        },
    });
    match &found.input {
        Input::Schema(schema) => file["schema"] = schema.clone(),
        Input::Kbnf(grammar) => file["kbnf"] = json!(grammar.to_string()),
    }
    Ok(serde_json::to_string_pretty(&file)? + "\n")
}

fn ratio(cost: u64, of: u64) -> String {
    format!("{:.1}", cost as f64 / of.max(1) as f64)
}

/// Number of characters of an input that a table shows.
const MAX_SHOWN_CHARACTERS: usize = 160;

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search() -> Search {
        let words = Words::of_bytes();
        Search {
            vocabulary: words.vocabulary().expect("a vocabulary"),
            config: config(&words),
            random: Random::new(3),
            seeds: Vec::new(),
            kept: BTreeMap::new(),
            measured: 0,
            refused: 0,
        }
    }

    #[test]
    fn worst_of_each_kind_is_kept_and_made_smaller() {
        let mut search = search();
        search.look(Duration::from_millis(300));
        assert!(search.measured > 0 && search.refused < search.measured);
        let worst = search.worst(Measure::Compile, 3);
        assert!(worst.is_sorted_by_key(|found| std::cmp::Reverse(Measure::Compile.of(&found.costs))));
        let found = worst[0];
        let small = search.minimized(found, Measure::Compile);
        assert!(small.input.text().len() <= found.input.text().len());
        let cost = |found: &Found| Measure::Compile.of(&found.costs);
        assert!(cost(&small) >= cost(found) / 100 * KEPT_PERCENT);
    }

    /// Inputs that were found by searches. The work of each is within the bound that its file states.
    #[test]
    fn found_inputs_stay_within_their_bounds() {
        let words = Words::load("o200k").expect("the built-in vocabulary");
        let search = Search {
            vocabulary: words.vocabulary().expect("a vocabulary"),
            config: config(&words),
            ..search()
        };
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("cliffs");
        let report = search.again(&folder).unwrap_or_else(|error| panic!("{error}"));
        assert!(report.lines().count() > 3 * 5, "{report}");
    }

    #[test]
    fn written_inputs_are_measured_again() {
        let mut search = search();
        search.look(Duration::from_millis(100));
        let folder = std::env::temp_dir().join(format!("grammask-cliffs-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let found = search.worst(Measure::Mask, 1)[0].clone();
        std::fs::write(folder.join("found.json"), written(&found).expect("JSON")).expect("a file");
        let report = search.again(&folder).expect("within bounds");
        assert!(report.contains("| found.json | mask |"), "{report}");
        let mut low = found;
        low.costs.mask.units = 0;
        std::fs::write(folder.join("found.json"), written(&low).expect("JSON")).expect("a file");
        let error = search.again(&folder).expect_err("above the bound").to_string();
        assert!(error.contains("1 bounds are exceeded"), "{error}");
        std::fs::remove_dir_all(&folder).expect("the folder is removed");
    }
}

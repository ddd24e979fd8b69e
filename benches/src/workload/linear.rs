//! The recognizer alone over texts of one shape and growing length. Bytes per second should not depend on the
//! length.

use std::sync::Arc;

use anyhow::{Context, ensure};
use grammask_earley::{Network, Recognizer};
use grammask_regular::Store;
use serde::Serialize;

use crate::input::case::Case;
use crate::run::timing::sample;

/// Bytes of the shortest text.
const MIN_TEXT_BYTES: usize = 1 << 10;

/// Speeds of the recognizer on one grammar.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    /// The grammar.
    pub case: String,
    /// One step for each length.
    pub steps: Vec<Step>,
    /// Error, if any.
    pub error: Option<String>,
}

/// One text.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Step {
    /// Length in bytes.
    pub bytes: usize,
    /// Bytes per second of an empty recognizer.
    pub fresh: f64,
    /// Bytes per second on the same text again.
    pub known: f64,
    /// Number of item sets after that.
    pub sets: usize,
    /// Bytes of the tables after that.
    pub table_bytes: usize,
}

/// A way to lengthen a text within the prefixes of a language.
struct Growth {
    case: &'static str,
    /// Occurs once, at the beginning.
    before: &'static str,
    /// Occurs between copies.
    between: &'static str,
    /// The copied part, or the fixture's text if empty.
    unit: &'static str,
}

const GROWTHS: &[Growth] = &[
    Growth { case: "arithmetic", before: "", between: "\n", unit: "" },
    Growth { case: "c", before: "", between: "\n", unit: "" },
    Growth { case: "json", before: "[", between: ",", unit: "" },
    Growth { case: "left", before: "", between: ", ", unit: "apple, pear, plum, cherry" },
    Growth { case: "middle", before: "", between: "", unit: "([" },
    Growth { case: "patterns", before: "", between: "\n", unit: "" },
    Growth { case: "right", before: "", between: ", ", unit: "apple, pear, plum, cherry" },
    Growth { case: "sql", before: "", between: "\n", unit: "" },
    Growth {
        case: "text",
        before: "Title: winter\n\n",
        between: "\n\n",
        unit: "> The wind turned on Tuesday. I counted eleven ships before noon,\nall of them heading south.",
    },
    Growth {
        case: "xml",
        before: "<library>",
        between: "\n",
        unit: "<book id=\"b1\"><title lang='sv'>Sea &amp; shore</title><!-- new --><b>bold <i>and</i></b></book>",
    },
];

/// Runs the recognizer over texts from 1 KB on, each four times longer, up to `largest` bytes.
pub fn measure(case: &Case, largest: usize) -> Speed {
    let mut speed = Speed { case: case.name.clone(), steps: Vec::new(), error: None };
    if let Err(error) = run(case, largest, &mut speed.steps) {
        speed.error = Some(format!("{error:#}"));
    }
    speed
}

fn run(case: &Case, largest: usize, steps: &mut Vec<Step>) -> anyhow::Result<()> {
    let first = recognizer(case)?;
    let mut bytes = MIN_TEXT_BYTES;
    while bytes <= largest {
        let text = long_text(case, bytes)?;
        // Short texts are read several times, and the fastest time counts.
        let rounds = (largest / bytes).clamp(3, 32);
        let mut fresh = u64::MAX;
        let mut known = u64::MAX;
        let mut recognizer = first.successor();
        for _ in 0..rounds {
            recognizer = first.successor();
            for time in [&mut fresh, &mut known] {
                let (read, taken) = sample(|| read(&recognizer, text.as_bytes()));
                read?;
                *time = taken.min(*time);
            }
        }
        let per_second = |time: u64| text.len() as f64 * 1e9 / time as f64;
        steps.push(Step {
            bytes: text.len(),
            fresh: per_second(fresh),
            known: per_second(known),
            sets: recognizer.set_count(),
            table_bytes: recognizer.bytes_used(),
        });
        bytes *= 4;
    }
    Ok(())
}

/// Returns an empty recognizer of a grammar.
///
/// # Errors
/// If the grammar is wrong.
pub fn recognizer(case: &Case) -> anyhow::Result<Recognizer> {
    let ast = grammask_syntax::parse(&case.kbnf, &Default::default())?;
    let config = grammask_normal::Config::default();
    let mut store = Store::new(&config.regular);
    let normal = grammask_normal::normalize_in(&ast, &mut store, &config)?;
    let config = grammask_earley::Config::default();
    Ok(Recognizer::new(Arc::new(Network::build(&normal, store, &config)?), &config))
}

/// Returns a prefix of a text of the language, with `bytes` bytes.
///
/// # Errors
/// If [`GROWTHS`] has no entry for the grammar.
pub fn long_text(case: &Case, bytes: usize) -> anyhow::Result<String> {
    let growth = GROWTHS.iter().find(|growth| growth.case == case.name).context("no long text is known")?;
    Ok(growth.text(case, bytes))
}

/// Reads a text.
///
/// # Errors
/// If it is rejected, or exceeds a limit.
pub fn read(recognizer: &Recognizer, text: &[u8]) -> anyhow::Result<()> {
    let mut state = recognizer.initial();
    for (place, &byte) in text.iter().enumerate() {
        let next = recognizer.step(state, byte)?;
        ensure!(
            !next.is_dead(),
            "rejected at byte {place}: {:?}",
            String::from_utf8_lossy(&text[place.saturating_sub(20)..=place])
        );
        state = next;
    }
    Ok(())
}

impl Growth {
    /// Returns copies, cut to `bytes` bytes. A prefix of an output is enough.
    fn text(&self, case: &Case, bytes: usize) -> String {
        let unit = if self.unit.is_empty() { case.text.trim_end_matches('\n') } else { self.unit };
        let mut text = format!("{}{unit}", self.before);
        while text.len() < bytes {
            text.push_str(self.between);
            text.push_str(unit);
        }
        let mut end = bytes;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text
    }
}

//! The recognizer alone over texts of one shape and growing length: bytes per second should not depend on the length.

use std::sync::Arc;

use anyhow::{Context, ensure};
use grammask_earley::{Network, Recognizer};
use grammask_regular::Store;
use serde::Serialize;

use crate::case::Case;
use crate::timing::sample;

/// The shortest text.
const SHORTEST: usize = 1 << 10;

/// How the recognizer did on one grammar.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    /// The grammar.
    pub case: String,
    /// Text after text.
    pub steps: Vec<Step>,
    /// What went wrong.
    pub error: Option<String>,
}

/// One text.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Step {
    /// Its length.
    pub bytes: usize,
    /// Bytes per second, by a recognizer that knows nothing yet.
    pub fresh: f64,
    /// Bytes per second, when the same text is read again.
    pub known: f64,
    /// Sets that there are then.
    pub sets: usize,
    /// Bytes of the tables then.
    pub table_bytes: usize,
}

/// How to make a text long and keep it in the language, or at least on the way to it.
struct Growth {
    case: &'static str,
    /// Stands once.
    before: &'static str,
    /// Stands between copies.
    between: &'static str,
    /// What is copied; the fixture's text where it is empty.
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

/// Runs the recognizer over texts of 1 KB and four times longer each, up to `largest` bytes.
pub fn measure(case: &Case, largest: usize) -> Speed {
    let mut speed = Speed { case: case.name.clone(), steps: Vec::new(), error: None };
    if let Err(error) = run(case, largest, &mut speed.steps) {
        speed.error = Some(format!("{error:#}"));
    }
    speed
}

fn run(case: &Case, largest: usize, steps: &mut Vec<Step>) -> anyhow::Result<()> {
    let first = recognizer(case)?;
    let mut bytes = SHORTEST;
    while bytes <= largest {
        let text = long_text(case, bytes)?;
        // Short texts are over in no time: read them more often, and take the fastest.
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

/// The recognizer of a grammar, which knows nothing yet.
///
/// # Errors
/// When the grammar is wrong.
pub fn recognizer(case: &Case) -> anyhow::Result<Recognizer> {
    let ast = grammask_syntax::parse(&case.kbnf, &Default::default())?;
    let config = grammask_normal::Config::default();
    let mut store = Store::new(&config.regular);
    let normal = grammask_normal::normalize_in(&ast, &mut store, &config)?;
    let config = grammask_earley::Config::default();
    Ok(Recognizer::new(Arc::new(Network::build(&normal, store, &config)?), &config))
}

/// A text of so many bytes with which some text of the language begins.
///
/// # Errors
/// When nobody has said how to make texts of the grammar long.
pub fn long_text(case: &Case, bytes: usize) -> anyhow::Result<String> {
    let growth = GROWTHS.iter().find(|growth| growth.case == case.name).context("no long text is known")?;
    Ok(growth.text(case, bytes))
}

/// Follows a text.
///
/// # Errors
/// When it is rejected, or exceeds a limit.
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
    /// At least so many bytes, cut to that length: the beginning of an output is enough.
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

//! Runs all engines on all cases, and sums up.

use std::hint::black_box;

use serde::Serialize;

use crate::arguments::Arguments;
use crate::case::{self, Case};
use crate::engine::OURS;
use crate::linear::{self, Speed};
use crate::machine::Machine;
use crate::measure::Measurement;
use crate::timing::{Summary, sample};
use crate::vocabulary::Words;
use crate::worker;

/// All that is reported.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// Where it was run.
    pub machine: Machine,
    /// The vocabulary's name.
    pub vocabulary: String,
    /// How many ids it has, gaps included.
    pub id_count: usize,
    /// Nanoseconds to copy a row of so many bits.
    pub copy: Summary,
    /// Nanoseconds that measuring nothing takes.
    pub nothing: Summary,
    /// How long an engine could take for a grammar, in seconds.
    pub limit: u64,
    /// Case after case, ours first.
    pub lines: Vec<Line>,
    /// The recognizer alone.
    pub speeds: Vec<Speed>,
}

/// One engine on one case; times in nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The grammar.
    pub case: String,
    /// The engine.
    pub engine: String,
    /// Tokens of the text.
    pub tokens: usize,
    /// Compiling.
    pub compile: Option<Summary>,
    /// Masks of fresh grammars.
    pub first_masks: Option<Summary>,
    /// Masks on later passes.
    pub known_masks: Option<Summary>,
    /// Accepting, fresh.
    pub first_accepts: Option<Summary>,
    /// Accepting, later.
    pub known_accepts: Option<Summary>,
    /// How its masks compare with grammask's.
    pub agreement: Option<Agreement>,
    /// How many masks did not allow the text's token.
    pub refusals: usize,
    /// Bytes of the tables after the first pass, where the engine tells.
    pub table_bytes: Option<usize>,
    /// Bytes that the process grew by on the first pass.
    pub growth: Option<u64>,
    /// Where it was cut or has failed.
    pub end: Option<String>,
    /// What else is to be known.
    pub note: Option<String>,
}

/// How an engine's masks of the first pass compare with grammask's.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Agreement {
    /// How many were compared.
    pub compared: usize,
    /// How many are the same.
    pub equal: usize,
    /// By how many tokens their sizes differ in the middle, where they do differ.
    pub difference: Option<i64>,
}

impl Agreement {
    fn new(ours: &Measurement, theirs: &Measurement) -> Self {
        let pairs: Vec<_> = ours.masks.iter().zip(&theirs.masks).collect();
        let unequal = pairs.iter().filter(|(our, their)| our != their);
        let mut differences: Vec<i64> =
            unequal.map(|(our, their)| i64::from(their.0) - i64::from(our.0)).collect();
        differences.sort_unstable();
        Self {
            compared: pairs.len(),
            equal: pairs.len() - differences.len(),
            difference: differences.get(differences.len() / 2).copied(),
        }
    }
}

/// Runs everything that the arguments ask for.
pub fn run(arguments: &Arguments) -> anyhow::Result<Results> {
    let cases = case::load(&arguments.grammars)?;
    let words = Words::load(&arguments.vocabulary)?;
    let mut lines = Vec::new();
    if arguments.masks {
        for case in &cases {
            lines.extend(compare(case, arguments)?);
        }
    }
    let mut speeds = Vec::new();
    if arguments.linear {
        let largest = if arguments.quick { 1 << 16 } else { 1 << 20 };
        for case in &cases {
            eprintln!("{}: the recognizer alone", case.name);
            speeds.push(linear::measure(case, largest));
        }
    }
    Ok(Results {
        machine: Machine::here(),
        vocabulary: words.name.clone(),
        id_count: words.id_count(),
        copy: copying(words.id_count().div_ceil(32)),
        nothing: nothing(),
        limit: arguments.limit.as_secs(),
        lines,
        speeds,
    })
}

fn compare(case: &Case, arguments: &Arguments) -> anyhow::Result<Vec<Line>> {
    let mut lines = Vec::new();
    let mut ours: Option<Measurement> = None;
    for engine in std::iter::once(&OURS).chain(&arguments.peers) {
        eprintln!("{}: {engine}", case.name);
        let measurement = worker::start(engine, case, arguments)?;
        let agreement = ours.as_ref().map(|ours| Agreement::new(ours, &measurement));
        lines.push(Line::new(case, engine, &measurement, agreement));
        if ours.is_none() {
            ours = Some(measurement);
        }
    }
    Ok(lines)
}

impl Line {
    fn new(case: &Case, engine: &str, measurement: &Measurement, agreement: Option<Agreement>) -> Self {
        Self {
            case: case.name.clone(),
            engine: engine.to_owned(),
            tokens: measurement.tokens,
            compile: Summary::new(&measurement.compile),
            first_masks: Summary::new(&measurement.first_masks),
            known_masks: Summary::new(&measurement.known_masks),
            first_accepts: Summary::new(&measurement.first_accepts),
            known_accepts: Summary::new(&measurement.known_accepts),
            agreement: agreement.filter(|agreement| agreement.compared > 0),
            refusals: measurement.refusals,
            table_bytes: measurement.table_bytes,
            growth: measurement.growth,
            end: measurement.end.clone(),
            note: measurement.note.clone(),
        }
    }
}

/// Copying a row, from one of many so that not all of it is in the nearest cache.
fn copying(words: usize) -> Summary {
    let rows: Vec<Vec<u32>> = (0..64).map(|fill| vec![fill; words]).collect();
    let mut target = vec![0; words];
    let times: Vec<u64> = (0..6_400)
        .map(|turn| sample(|| black_box(&mut target).copy_from_slice(black_box(&rows[turn * 37 % 64]))).1)
        .collect();
    Summary::new(&times).unwrap_or_default()
}

fn nothing() -> Summary {
    let times: Vec<u64> = (0..10_000).map(|_| sample(|| ()).1).collect();
    Summary::new(&times).unwrap_or_default()
}

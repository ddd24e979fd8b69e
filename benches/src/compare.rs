//! Runs all parts, each piece of work in a process of its own, and sums up.

use anyhow::{Context, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::arguments::Arguments;
use crate::bars::{self, Bar};
use crate::batch::Batch;
use crate::bounds::Bound;
use crate::case::{self, Case};
use crate::engine::{COLD, GLRMASK, OURS};
use crate::hard::Hard;
use crate::hour::{Hour, Look};
use crate::known::{Known, Size};
use crate::linear::{self, Speed};
use crate::machine::Machine;
use crate::measure::Measurement;
use crate::recursion::{self, Recursion};
use crate::timing::{Places, Summary, sample};
use crate::vocabulary::Words;
use crate::worker::{self, Output};

/// Where a small vocabulary may be, from the root of the workspace.
const SMALL: &str = "../shared/vocab/sentencepiece-byte-fallback.tokenizer.json";

/// All that is reported.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// The command that was run.
    pub command: String,
    /// Where it was run.
    pub machine: Machine,
    /// The vocabulary's name.
    pub vocabulary: String,
    /// How many ids it has, gaps included.
    pub id_count: usize,
    /// Nanoseconds that measuring nothing takes.
    pub nothing: Summary,
    /// How often the turn of an engine came at a grammar, but for those that take long.
    pub turns: usize,
    /// How long an engine could take for a grammar each time, in seconds.
    pub limit: u64,
    /// How long kbnf could.
    pub kbnf_limit: u64,
    /// What reads of memory took before each part and each grammar.
    pub hour: Vec<Look>,
    /// How long the whole run has taken, in seconds.
    pub seconds: f64,
    /// What is to be reached, and whether it is.
    pub bars: Vec<Bar>,
    /// Case after case, ours first.
    pub lines: Vec<Line>,
    /// Ours, where all states were seen before.
    pub known: Vec<Known>,
    /// Small vocabularies and a large one: case after case, the large one's last.
    pub sizes: Vec<Size>,
    /// Batches by one thread and by two.
    pub batches: Vec<Batch>,
    /// Long bounds.
    pub bounds: Vec<Bound>,
    /// Many optional parts, many derivations.
    pub hard: Vec<Hard>,
    /// A million elements.
    pub recursions: Vec<Recursion>,
    /// The recognizer alone.
    pub speeds: Vec<Speed>,
    /// What was left out, and why.
    pub missing: Vec<String>,
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
    /// Compiling and the first mask.
    pub start: Option<Summary>,
    /// Masks of fresh grammars.
    pub first_masks: Option<Places>,
    /// The same at places whose state is not that of an earlier place; ours only.
    pub first_visits: Option<Places>,
    /// Masks on later passes.
    pub known_masks: Option<Places>,
    /// Accepting, fresh.
    pub first_accepts: Option<Places>,
    /// Accepting, later.
    pub known_accepts: Option<Places>,
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
///
/// # Errors
/// When the grammars or the vocabulary cannot be read, or a process cannot be started.
pub fn run(arguments: &Arguments) -> anyhow::Result<Results> {
    let begin = std::time::Instant::now();
    let cases = case::load(&arguments.grammars)?;
    ensure!(!cases.is_empty(), "there is no grammar");
    let words = Words::load(&arguments.vocabulary)?;
    let mut results = Results {
        command: arguments.repeatable(),
        machine: Machine::here(),
        vocabulary: words.name.clone(),
        id_count: words.id_count(),
        nothing: nothing(),
        turns: worker::turns(COLD, arguments.quick),
        limit: arguments.limit.as_secs(),
        kbnf_limit: arguments.limit_of("kbnf").as_secs(),
        seconds: 0.0,
        hour: Vec::new(),
        bars: Vec::new(),
        lines: Vec::new(),
        known: Vec::new(),
        sizes: Vec::new(),
        batches: Vec::new(),
        bounds: Vec::new(),
        hard: Vec::new(),
        recursions: Vec::new(),
        speeds: Vec::new(),
        missing: Vec::new(),
    };
    drop(words);

    let here = &arguments.vocabulary;
    let mut hour = Hour::default();
    if arguments.has("known") {
        hour.look();
        results.known = part("known", here, arguments, &mut results.missing)?;
    }
    if arguments.has("masks") {
        for case in &cases {
            hour.look();
            compare(case, arguments, &mut results)?;
        }
    }
    if arguments.has("vocabularies") {
        hour.look();
        let default = case::root().join(SMALL);
        let small = match &arguments.small_vocabulary {
            Some(path) => path,
            None if default.exists() => default.to_str().context("a path that is no UTF-8")?,
            None => {
                results.missing.push(format!(
                    "a small vocabulary that is no part of the large one: there is no {SMALL}"
                ));
                worker::LARGE
            }
        };
        results.sizes = part("vocabularies", small, arguments, &mut results.missing)?;
    }
    if arguments.has("batch") {
        hour.look();
        if results.machine.cores < 2 {
            results.missing.push("batches by two threads: there is one core".to_owned());
        } else {
            results.batches = part("batch", here, arguments, &mut results.missing)?;
        }
    }
    if arguments.has("bounds") {
        hour.look();
        results.bounds = part("bounds", here, arguments, &mut results.missing)?;
    }
    if arguments.has("hard") {
        hour.look();
        results.hard = part("hard", here, arguments, &mut results.missing)?;
    }
    if arguments.has("recursion") {
        hour.look();
        for way in recursion::WAYS {
            results.recursions.extend(part::<Recursion>(way, here, arguments, &mut results.missing)?);
        }
    }
    if arguments.has("linear") {
        hour.look();
        let largest = if arguments.quick { 1 << 16 } else { 1 << 20 };
        for case in &cases {
            eprintln!("{}: the recognizer alone", case.name);
            results.speeds.push(linear::measure(case, largest));
        }
    }
    results.hour = hour.into_looks();
    results.bars = bars::all(&results);
    results.seconds = begin.elapsed().as_secs_f64();
    Ok(results)
}

/// Has a part done that no other engine takes part in.
fn part<T: DeserializeOwned>(
    name: &str,
    vocabulary: &str,
    arguments: &Arguments,
    missing: &mut Vec<String>,
) -> anyhow::Result<Vec<T>> {
    eprintln!("{name}");
    let output: Output<Vec<T>> = worker::start(name, vocabulary, None, arguments)?;
    missing.extend(output.end.map(|end| format!("the rest of {name}: {end}")));
    Ok(output.value.unwrap_or_default())
}

fn compare(case: &Case, arguments: &Arguments, results: &mut Results) -> anyhow::Result<()> {
    let glrmask = arguments.glrmask.as_ref().map(|_| &GLRMASK);
    let engines = OURS.iter().chain(&arguments.peers).chain(glrmask);
    let mut measured: Vec<(&str, Measurement)> =
        engines.map(|&engine| (engine, Measurement::default())).collect();
    let turns = |engine: &str| worker::turns(engine, arguments.quick);
    for turn in 0..measured.iter().map(|&(engine, _)| turns(engine)).max().unwrap_or(0) {
        let still = |(engine, measurement): &&mut (&str, Measurement)| {
            turn < turns(engine) && measurement.end.is_none()
        };
        for (engine, measurement) in measured.iter_mut().filter(still) {
            eprintln!("{}: {engine}, turn {} of {}", case.name, turn + 1, turns(engine));
            let output: Output<Measurement> =
                worker::start(engine, &arguments.vocabulary, Some(&case.name), arguments)?;
            measurement.extend(output.value.unwrap_or_default());
            measurement.end = output.end.or(measurement.end.take());
        }
    }
    let ours = measured.iter().find(|&&(engine, _)| engine == COLD).map(|(_, ours)| ours);
    for (engine, measurement) in &measured {
        let agreement = ours.filter(|_| *engine != COLD).map(|ours| Agreement::new(ours, measurement));
        let known = results.known.iter().find(|known| known.case == case.name);
        let is_new = known.map(|known| &known.is_new[..]).filter(|_| OURS.contains(engine));
        results.lines.push(Line::new(case, engine, measurement, agreement, is_new));
    }
    Ok(())
}

impl Line {
    fn new(
        case: &Case,
        engine: &str,
        measurement: &Measurement,
        agreement: Option<Agreement>,
        is_new: Option<&[bool]>,
    ) -> Self {
        Self {
            case: case.name.clone(),
            engine: engine.to_owned(),
            tokens: measurement.tokens,
            compile: Summary::new(&measurement.compile),
            start: Summary::new(&measurement.starts),
            first_masks: Places::new(&measurement.first_masks),
            first_visits: is_new.and_then(|is_new| {
                Places::of(&measurement.first_masks, |place| is_new.get(place) == Some(&true))
            }),
            known_masks: Places::new(&measurement.known_masks),
            first_accepts: Places::new(&measurement.first_accepts),
            known_accepts: Places::new(&measurement.known_accepts),
            agreement: agreement.filter(|agreement| agreement.compared > 0),
            refusals: measurement.refusals,
            table_bytes: measurement.table_bytes,
            growth: measurement.growth,
            end: measurement.end.clone(),
            note: measurement.note.clone(),
        }
    }
}

fn nothing() -> Summary {
    let times: Vec<u64> = (0..10_000).map(|_| sample(|| ()).1).collect();
    Summary::new(&times).unwrap_or_default()
}

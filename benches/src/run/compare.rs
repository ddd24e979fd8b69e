//! Runs all parts of `cargo xtask bench`, each in a process of its own, and summarizes the times.

use anyhow::{Context, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::arguments::Arguments;
use crate::engine::{COLD, GLRMASK, OURS};
use crate::input::case::{self, Case};
use crate::input::vocabulary::Words;
use crate::report::bars::{self, Bar};
use crate::run::hour::{Hour, Look};
use crate::run::machine::Machine;
use crate::run::measure::Measurement;
use crate::run::timing::{Places, Summary, sample};
use crate::run::worker::{self, Output};
use crate::workload::batch::Batch;
use crate::workload::bounds::Bound;
use crate::workload::hard::Hard;
use crate::workload::known::{Known, Size};
use crate::workload::linear::{self, Speed};
use crate::workload::recursion::{self, Recursion};

/// A small vocabulary, from the root of the workspace.
const SMALL_VOCABULARY: &str = "../shared/vocab/sentencepiece-byte-fallback.tokenizer.json";

/// The results of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// Command line of the run.
    pub command: String,
    /// The machine.
    pub machine: Machine,
    /// Name of the vocabulary.
    pub vocabulary: String,
    /// Number of ids, gaps included.
    pub id_count: usize,
    /// Nanoseconds of an empty measurement.
    pub nothing: Summary,
    /// Number of turns of an engine at each grammar. Slow engines have one.
    pub turns: usize,
    /// Seconds that an engine may take for a grammar in each turn.
    pub limit: u64,
    /// Seconds that kbnf may take.
    pub kbnf_limit: u64,
    /// Speed of memory before each part and each grammar.
    pub hour: Vec<Look>,
    /// Seconds of the whole run.
    pub seconds: f64,
    /// The bars, and whether they are reached.
    pub bars: Vec<Bar>,
    /// One line for each engine and case, by case, grammask first.
    pub lines: Vec<Line>,
    /// grammask where all states are known.
    pub known: Vec<Known>,
    /// grammask with small vocabularies and a large one: by case, the large one last.
    pub sizes: Vec<Size>,
    /// Batches by one thread and by two.
    pub batches: Vec<Batch>,
    /// Long bounds.
    pub bounds: Vec<Bound>,
    /// Many optional parts, and many derivations.
    pub hard: Vec<Hard>,
    /// A list of a million elements.
    pub recursions: Vec<Recursion>,
    /// The recognizer alone.
    pub speeds: Vec<Speed>,
    /// Parts that were left out, with reasons.
    pub missing: Vec<String>,
}

/// One engine on one case. Times are in nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The grammar.
    pub case: String,
    /// The engine.
    pub engine: String,
    /// Number of tokens of the text.
    pub tokens: usize,
    /// Times to compile.
    pub compile: Option<Summary>,
    /// Times to compile and compute the first mask.
    pub start: Option<Summary>,
    /// Masks of fresh grammars.
    pub first_masks: Option<Places>,
    /// Masks of fresh grammars at positions whose state is new. Only of grammask.
    pub first_visits: Option<Places>,
    /// Masks on later passes.
    pub known_masks: Option<Places>,
    /// Accepted tokens on the first pass.
    pub first_accepts: Option<Places>,
    /// Accepted tokens on later passes.
    pub known_accepts: Option<Places>,
    /// Comparison of its masks with grammask's.
    pub agreement: Option<Agreement>,
    /// Number of masks that forbid the token of the text.
    pub refusals: usize,
    /// Bytes of the tables after the first pass. `None` if the engine does not say.
    pub table_bytes: Option<usize>,
    /// Growth of the process on the first pass, in bytes.
    pub growth: Option<u64>,
    /// The machine.
    pub end: Option<String>,
    /// Remark for the report.
    pub note: Option<String>,
}

/// Comparison of an engine's masks of the first pass with grammask's.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Agreement {
    /// Number of masks compared.
    pub compared: usize,
    /// Number of equal masks.
    pub equal: usize,
    /// Median difference of the numbers of allowed tokens, over masks that differ.
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

/// Runs the parts that the arguments select.
///
/// # Errors
/// If the grammars or the vocabulary cannot be read, or a process cannot be started.
pub fn run(arguments: &Arguments) -> anyhow::Result<Results> {
    let begin = std::time::Instant::now();
    let cases = case::load(&arguments.grammars)?;
    ensure!(!cases.is_empty(), "no grammar is selected");
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
        let default = case::root().join(SMALL_VOCABULARY);
        let small = match &arguments.small_vocabulary {
            Some(path) => path,
            None if default.exists() => default.to_str().context("a path that is not UTF-8")?,
            None => {
                results.missing.push(format!(
                    "a small vocabulary that is not part of the large one: missing {SMALL_VOCABULARY}"
                ));
                worker::LARGE_VOCABULARY
            }
        };
        results.sizes = part("vocabularies", small, arguments, &mut results.missing)?;
    }
    if arguments.has("batch") {
        hour.look();
        if results.machine.cores < 2 {
            results.missing.push("batches by two threads: this machine has one core".to_owned());
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

/// Runs a part that only grammask takes part in.
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

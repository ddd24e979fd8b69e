//! `cargo xtask worst`: the costs of the worst inputs known, with the default limits.
//!
//! For each input: CPU time, work units and memory of compiling, and of the worst mask and token along an
//! output. In addition, the worst mask of tokens after which the output can end in time. See
//! `grammask_testkit::worst`.
#![allow(clippy::print_stdout, reason = "a tool that prints its findings")]

use std::path::{Path, PathBuf};

use anyhow::Context;
use grammask::json_schema::Profile;
use grammask::work::spent;
use grammask::{Config, Error, Grammar, LimitError, Vocabulary};
use grammask_testkit::worst::{Source, WorstCase, worst_cases};
use peak_alloc::PeakAlloc;
use xtask::cases::thread_time::thread_time;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const HELP: &str = "\
cargo xtask worst [FILE...] [OPTIONS]

  FILE           instead of the worst inputs: grammars (.kbnf) and schemas (.json)
  --texts DIR    an output for each file: the text of the same name with .txt in that folder
  --vocab FILE   the vocabulary (default ../shared/vocab/llama3.tiktoken)
  --only TEXT    only the inputs whose names contain the text
  --scale N      multiplies the sizes of the inputs (default 10)
  --attempts N   calls of a mask that exceeds its work limit, one after the other (default 3)
";

/// Number of places of an output at which it is to end in time.
const MOST_ENDS: usize = 12;

/// Options of the command line.
struct Options {
    vocabulary: PathBuf,
    only: String,
    scale: usize,
    attempts: usize,
    files: Vec<PathBuf>,
    texts: PathBuf,
}

impl Options {
    fn parse(arguments: &[String]) -> anyhow::Result<Option<Self>> {
        let mut options = Self {
            vocabulary: "../shared/vocab/llama3.tiktoken".into(),
            only: String::new(),
            scale: 10,
            attempts: 3,
            files: Vec::new(),
            texts: PathBuf::new(),
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().with_context(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--vocab" => options.vocabulary = value()?.into(),
                "--texts" => options.texts = value()?.into(),
                "--only" => options.only = value()?.clone(),
                "--scale" => options.scale = value()?.parse().context("--scale")?,
                "--attempts" => options.attempts = value()?.parse().context("--attempts")?,
                // The place of the file for the current case, which this program does not need.
                "--places" => _ = value()?,
                file if !file.starts_with('-') => options.files.push(file.into()),
                other => anyhow::bail!("unknown option {other}\n\n{HELP}"),
            }
        }
        Ok(Some(options))
    }
}

/// A grammar or a schema in a file, with its output.
fn case_of(file: &Path, texts: &Path) -> anyhow::Result<WorstCase> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let is_schema = file.extension().is_some_and(|extension| extension == "json");
    let output = texts.join(file.file_stem().unwrap_or_default()).with_extension("txt");
    Ok(WorstCase {
        name: file.display().to_string().into(),
        source: if is_schema { Source::Schema(text) } else { Source::Kbnf(text) },
        output: std::fs::read_to_string(output).unwrap_or_default(),
    })
}

/// Cost of one call, or the greatest of several.
#[derive(Clone, Copy, Default)]
struct Cost {
    nanoseconds: u64,
    units: u64,
}

/// Costs of one input.
#[derive(Default)]
struct Costs {
    compile: Cost,
    /// Bytes at the peak of compiling, beyond those before.
    peak: usize,
    /// Bytes at that peak for each byte of the text, beyond those that the compiled grammar holds.
    transient: f64,
    mask: Cost,
    accept: Cost,
    /// The worst of `tokens_to_end` and `fill_mask_within`, without the first call, which makes tables.
    in_time: Cost,
    /// Bytes that the grammar holds in the end, beyond those before.
    held: usize,
    remark: String,
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(options) = Options::parse(&arguments)? else {
        print!("{HELP}");
        return Ok(());
    };
    let bytes = std::fs::read(&options.vocabulary)
        .with_context(|| format!("cannot read {}", options.vocabulary.display()))?;
    let vocabulary =
        Vocabulary::from_tiktoken(&bytes, grammask::loaders::Preset::Llama3).context("the vocabulary")?;
    println!(
        "| input | compile ms | units | peak MB | transient, bytes/byte | mask ms | units | token ms | units \
         | in time ms | units | held MB | outcome |"
    );
    println!("| --- |{}--- |", " --: |".repeat(11));
    let files = options.files.iter().map(|file| case_of(file, &options.texts));
    let mut cases = files.collect::<anyhow::Result<Vec<_>>>()?;
    if cases.is_empty() {
        cases = worst_cases(options.scale);
    }
    for case in cases.iter().filter(|case| case.name.contains(&options.only)) {
        let costs = measure(case, &vocabulary, options.attempts);
        let ms = |cost: Cost| cost.nanoseconds as f64 / 1e6;
        let mb = |bytes: usize| bytes as f64 / 1e6;
        println!(
            "| {} | {:.1} | {} | {:.1} | {:.1} | {:.1} | {} | {:.1} | {} | {:.1} | {} | {:.1} | {} |",
            case.name,
            ms(costs.compile),
            costs.compile.units,
            mb(costs.peak),
            costs.transient,
            ms(costs.mask),
            costs.mask.units,
            ms(costs.accept),
            costs.accept.units,
            ms(costs.in_time),
            costs.in_time.units,
            mb(costs.held),
            costs.remark
        );
    }
    Ok(())
}

/// Compiles one input, and follows its output.
fn measure(case: &WorstCase, vocabulary: &Vocabulary, attempts: usize) -> Costs {
    let config = Config::default().with_profile(Profile::Standard);
    let mut costs = Costs::default();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let (compiled, cost) = cost(|| match &case.source {
        Source::Kbnf(text) => Grammar::compile(text, vocabulary, &config),
        Source::Schema(text) => Grammar::from_json_schema_text(text, vocabulary, &config),
    });
    costs.compile = cost;
    costs.peak = MEMORY.peak_usage().saturating_sub(before);
    let held = MEMORY.current_usage().saturating_sub(before);
    let (Source::Kbnf(text) | Source::Schema(text)) = &case.source;
    costs.transient = costs.peak.saturating_sub(held) as f64 / text.len() as f64;
    match compiled {
        Ok(grammar) => {
            follow(&grammar, &case.output, attempts, &mut costs);
            end_in_time(&grammar, &case.output, &mut costs);
            costs.held = MEMORY.current_usage().saturating_sub(before);
        }
        Err(error) => costs.remark = format!("refused: {}", reason(&error)),
    }
    costs
}

/// Returns the limit that a refused input exceeds, or else its error.
fn reason(error: &Error) -> String {
    error.limit().map_or_else(|| error.to_string(), |exceeded| exceeded.limit)
}

/// Computes the mask before each byte of an output, and accepts the byte.
fn follow(grammar: &Grammar, output: &str, attempts: usize, costs: &mut Costs) {
    let mut matcher = grammar.matcher();
    for (position, byte) in output.bytes().enumerate() {
        let mut failed = None;
        for _ in 0..attempts.max(1) {
            let (_, cost) = cost(|| _ = matcher.mask());
            keep_worst(&mut costs.mask, cost);
            failed = matcher.error().map(exceeded);
            if failed.is_none() {
                break;
            }
        }
        if let Some(limit) = failed
            && costs.remark.is_empty()
        {
            costs.remark = format!("byte {position}: {limit}");
        }
        let (outcome, cost) = cost(|| matcher.accept_bytes(&[byte]));
        keep_worst(&mut costs.accept, cost);
        if !outcome.is_accepted() {
            let limit = matcher.error().map_or("not allowed".to_owned(), exceeded);
            if costs.remark.is_empty() {
                costs.remark = format!("byte {position}: {limit}");
            }
            return;
        }
    }
}

/// Computes bounds of an output's end, and the masks of a few budgets around the least one, at some places of
/// an output.
fn end_in_time(grammar: &Grammar, output: &str, costs: &mut Costs) {
    let mut matcher = grammar.matcher();
    matcher.tokens_to_end();
    let mut row = vec![0; grammar.vocabulary().mask_words()];
    for piece in output.as_bytes().chunks(output.len().div_ceil(MOST_ENDS).max(1)) {
        let (bounds, found) = cost(|| matcher.tokens_to_end());
        keep_worst(&mut costs.in_time, found);
        for more in [0, 1, 20] {
            let tokens = bounds.at_most.unwrap_or(100).saturating_add(more);
            let (_, found) = cost(|| matcher.fill_mask_within(tokens, &mut row));
            keep_worst(&mut costs.in_time, found);
        }
        if !matcher.accept_bytes(piece).is_accepted() {
            return;
        }
    }
}

/// Returns the limit that a call exceeded.
fn exceeded(error: &LimitError) -> String {
    error.limit().map_or_else(|| error.to_string(), |exceeded| exceeded.limit)
}

fn keep_worst(worst: &mut Cost, cost: Cost) {
    worst.nanoseconds = worst.nanoseconds.max(cost.nanoseconds);
    worst.units = worst.units.max(cost.units);
}

/// Returns the result of a call, its CPU time and its work.
fn cost<T>(call: impl FnOnce() -> T) -> (T, Cost) {
    let (units, start) = (spent(), thread_time());
    let result = call();
    let nanoseconds = (thread_time() - start).as_nanos();
    (result, Cost { nanoseconds: u64::try_from(nanoseconds).unwrap_or(u64::MAX), units: spent() - units })
}

//! JSON Schemas by glrmask and by this library, each schema once: `--schemas [FILE] [--step N]`.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail};
use glrmask::{Grammar as Peer, Vocab};
use grammask::json_schema::Profile;
use grammask::{Grammar, TokenId};
use grammask_benches::engine::grammask::config;
use grammask_benches::input::vocabulary::Words;
use grammask_benches::schemas::data::{Entry, lines};
use grammask_benches::schemas::judge::warm;
use grammask_benches::schemas::options::SCHEMAS;
use grammask_benches::schemas::samples::Samples;

/// The vocabulary, a file of Llama 3.
const VOCABULARY: &str = "../shared/vocab/llama3.tiktoken";

/// The times of one schema, by the wall clock, as glrmask uses threads of its own.
struct Times {
    compile: u64,
    masks: Vec<u64>,
}

/// A schema with its valid documents in tokens.
struct Case {
    schema: serde_json::Value,
    documents: Vec<Vec<u32>>,
}

/// Follows the documents of each schema with this library, and then with glrmask. Prints the times of the
/// schemas that both compile.
///
/// # Errors
/// If a file cannot be read, or an option is unknown.
pub(crate) fn run(mut options: impl Iterator<Item = String>) -> anyhow::Result<()> {
    let (mut path, mut step) = (PathBuf::from(SCHEMAS), 16);
    while let Some(word) = options.next() {
        match word.as_str() {
            "--step" => step = options.next().context("--step needs a number")?.parse()?,
            word if word.starts_with("--") => bail!("unknown option {word}"),
            file => path = file.into(),
        }
    }
    let words = Words::load(VOCABULARY)?;
    let mut cases = Vec::new();
    for line in lines(&path)?.iter().step_by(step) {
        let Ok(entry) = Entry::parse(line) else { continue };
        let texts = entry.instances.iter().filter(|instance| instance.is_valid);
        let documents = texts.map(|instance| words.encode(&instance.text)).collect::<anyhow::Result<_>>()?;
        cases.push(Case { schema: entry.schema, documents });
    }

    let config = config(&words).with_profile(Profile::Standard);
    let vocabulary = words.vocabulary()?;
    warm(&vocabulary, &config)?;
    let mut row = vec![0; vocabulary.mask_words()];
    let ours = each("grammask", &cases, |case| {
        let began = Instant::now();
        let grammar = Grammar::from_json_schema(&case.schema, &vocabulary, &config).ok()?;
        let mut times = Times { compile: nanoseconds(began), masks: Vec::new() };
        for document in &case.documents {
            let mut matcher = grammar.matcher();
            follow(document, &mut times, &mut matcher, |matcher| _ = matcher.fill_mask(&mut row), {
                |matcher, token| matcher.accept(TokenId(token)).is_accepted()
            });
        }
        Some(times)
    });

    let vocabulary = Vocab::new(words.tokens.clone());
    let theirs = each("glrmask", &cases, |case| {
        let source = case.schema.to_string();
        let began = Instant::now();
        let constraint =
            Peer::from_json_schema(&source).and_then(|grammar| grammar.compile(&vocabulary)).ok()?;
        let mut times = Times { compile: nanoseconds(began), masks: Vec::new() };
        for document in &case.documents {
            let mut state = constraint.start();
            follow(document, &mut times, &mut state, |state| state.fill_mask(&mut row), {
                |state, token| state.commit_token(token)
            });
        }
        Some(times)
    });

    println!("microseconds, by the wall clock; schemas that both compile");
    println!("| measure | engine | samples | mean | p50 | p99 | p99.9 | max |");
    println!("| --- | --- | --: | --: | --: | --: | --: | --: |");
    let is_common = |index: usize| ours[index].is_some() && theirs[index].is_some();
    for (name, all) in [("grammask", &ours), ("glrmask", &theirs)] {
        let (mut compiles, mut masks) = (Samples::default(), Samples::default());
        for (_, times) in all.iter().enumerate().filter(|(index, _)| is_common(*index)) {
            let Some(times) = times else { continue };
            compiles.push(times.compile);
            masks.extend(times.masks.iter().copied());
        }
        print("compile", name, &compiles);
        print("mask", name, &masks);
    }
    let refused = |all: &[Option<Times>]| all.iter().filter(|times| times.is_none()).count();
    println!("refused: grammask {}, glrmask {}", refused(&ours), refused(&theirs));
    Ok(())
}

/// Measures each case. `None` is a refused schema.
fn each(name: &str, cases: &[Case], mut measure: impl FnMut(&Case) -> Option<Times>) -> Vec<Option<Times>> {
    let measured = cases.iter().enumerate().map(|(number, case)| {
        if number % 50 == 0 {
            eprintln!("{name}: {number} of {} schemas", cases.len());
        }
        measure(case)
    });
    measured.collect()
}

fn nanoseconds(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Computes the mask before each token of a document, up to the first that is refused.
fn follow<S>(
    document: &[u32],
    times: &mut Times,
    state: &mut S,
    mut fill: impl FnMut(&mut S),
    mut accept: impl FnMut(&mut S, u32) -> bool,
) {
    for &token in document {
        let began = Instant::now();
        fill(state);
        times.masks.push(nanoseconds(began));
        if !accept(state, token) {
            return;
        }
    }
}

fn print(measure: &str, engine: &str, samples: &Samples) {
    let Some(spread) = samples.spread() else { return };
    let [_, p50, _, _, _, p99, p999] = spread.ranks.map(|nanoseconds| nanoseconds as f64 / 1e3);
    println!(
        "| {measure} | {engine} | {} | {:.2} | {p50:.2} | {p99:.1} | {p999:.1} | {:.0} |",
        samples.count(),
        spread.mean / 1e3,
        spread.max as f64 / 1e3
    );
}

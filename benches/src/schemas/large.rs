//! Schemas that are large or have high counts: compile, first mask, and masks along a text of a random model.

use std::fmt;

use anyhow::ensure;
use grammask::{Config, Grammar, TokenId, Vocabulary};
use serde_json::{Map, Value, json};

use super::follow::catching;
use super::judge::{Judge, judges, warm};
use super::options::LargeOptions;
use crate::input::random::Random;
use crate::input::vocabulary::Words;
use crate::run::timing::{Summary, median, sample};

/// Maximum number of masks.
const MAX_MASKS: usize = 1_000;
/// Number of compiles, whose median counts.
const ROUNDS: usize = 5;

/// Bars in nanoseconds. `None` if there is no bar.
#[derive(Clone, Copy)]
struct Bars {
    compile: Option<u64>,
    first: Option<u64>,
    later: Option<u64>,
}

/// Bars of large schemas: the first mask.
const fn first(milliseconds: u64) -> Bars {
    Bars { compile: None, first: Some(milliseconds * 1_000_000), later: None }
}

/// Bars of high counts: the compile, and all masks but the first.
const COUNT_BARS: Bars = Bars { compile: Some(1_000_000), first: None, later: Some(20_000) };

/// No bars, for schemas that arithmetic decides and a search would take seconds for.
const NO_BARS: Bars = Bars { compile: None, first: None, later: None };

/// Results of an engine on a schema.
struct Row {
    schema: &'static str,
    engine: &'static str,
    bars: Bars,
    outcome: Result<Times, String>,
}

/// Times in nanoseconds.
struct Times {
    /// Medians over the rounds.
    compile: u64,
    first: u64,
    /// Medians over the rounds at each position. Empty if the text ends at once.
    later: Option<Summary>,
}

/// All rows.
pub struct Large {
    vocabulary: String,
    rows: Vec<Row>,
}

/// Runs all schemas.
///
/// # Errors
/// If a vocabulary cannot be read, or an engine refuses it.
pub fn run(options: &LargeOptions) -> anyhow::Result<Large> {
    let words = Words::load(&options.vocabulary)?;
    let vocabulary = words.vocabulary()?;
    let config = Config::default().ending_with([TokenId(words.end)]);
    warm(&vocabulary, &config)?;
    let mut judges = judges(&words, &vocabulary, &config, options.has_peers)?;
    let mut rows = Vec::new();
    for (name, bars, schema) in schemas() {
        if !options.only.is_empty() && !options.only.iter().any(|only| name.contains(&**only)) {
            continue;
        }
        eprintln!("{name}");
        let text = written(&schema, &vocabulary, &config, words.end);
        for judge in &mut judges {
            let outcome = match &text {
                Ok(text) => catching(|| times(&mut **judge, &schema, text)).and_then(|times| times),
                Err(error) => Err(format!("no text to follow: {error}")),
            };
            rows.push(Row { schema: name, engine: judge.name(), bars, outcome });
        }
    }
    Ok(Large { vocabulary: words.name, rows })
}

/// Returns the tokens of a random model that ends only when nothing else is allowed.
fn written(schema: &Value, vocabulary: &Vocabulary, config: &Config, end: u32) -> anyhow::Result<Vec<u32>> {
    let grammar = Grammar::from_json_schema(schema, vocabulary, config)?;
    let mut matcher = grammar.matcher();
    let mut model = Random::default();
    let mut chosen = Vec::new();
    while chosen.len() < MAX_MASKS {
        let allowed: Vec<TokenId> = matcher.mask().iter().filter(|token| token.0 != end).collect();
        if allowed.is_empty() {
            break;
        }
        let token = allowed[model.below(allowed.len())];
        ensure!(matcher.accept(token).is_accepted(), "a mask promises too much");
        chosen.push(token.0);
    }
    ensure!(matcher.error().is_none(), "a limit is hit");
    Ok(chosen)
}

fn times(judge: &mut dyn Judge, schema: &Value, text: &[u32]) -> Result<Times, String> {
    let (mut compiles, mut firsts) = (Vec::new(), Vec::new());
    let mut places: Vec<Vec<u64>> = Vec::new();
    for _ in 0..ROUNDS {
        judge.prepare(schema);
        let (compiled, time) = sample(|| judge.compile());
        compiled.map_err(|refusal| refusal.message)?;
        compiles.push(time);
        for (place, &token) in text.iter().enumerate() {
            let (mask, time) = sample(|| judge.mask());
            mask?;
            match place.checked_sub(1) {
                None => firsts.push(time),
                Some(place) if place == places.len() => places.push(vec![time]),
                Some(place) => places[place].push(time),
            }
            // Another engine may allow less, such as less white space.
            if !judge.allows(token) || judge.accept(token).is_err() {
                break;
            }
        }
    }
    let later: Vec<u64> = places.iter_mut().map(|times| median(times)).collect();
    Ok(Times { compile: median(&mut compiles), first: median(&mut firsts), later: Summary::new(&later) })
}

fn schemas() -> Vec<(&'static str, Bars, Value)> {
    let object = |count: usize, of: &dyn Fn(usize) -> Value| -> Map<String, Value> {
        (0..count).map(|index| (format!("property_{index}"), of(index))).collect()
    };
    let types = ["string", "integer", "boolean", "number"];
    let typed = |index: usize| json!({ "type": types[index % types.len()] });
    let values = |count: usize| -> Vec<Value> {
        (0..count).map(|index| json!(format!("value-{:x}", index * 2_654_435_761 % (1 << 32)))).collect()
    };
    let function = |index: usize| {
        let arguments = json!({"type": "object", "additionalProperties": false, "required": ["query"], "properties": {
            "query": {"type": "string", "minLength": 1},
            "count": {"type": "integer", "minimum": 1, "maximum": 100 + index},
            "mode": {"enum": ["fast", "exact", format!("mode_{index}")]},
        }});
        json!({"type": "object", "additionalProperties": false, "required": ["name", "arguments"],
            "properties": {"name": {"const": format!("function_{index}")}, "arguments": arguments}})
    };
    let functions = |count: usize| -> Vec<Value> { (0..count).map(function).collect() };
    let million = 1_000_000;
    let closed = |properties: Map<String, Value>| json!({"type": "object", "additionalProperties": false, "properties": properties});
    vec![
        ("512 optional properties, closed", first(5), closed(object(512, &typed))),
        ("512 optional properties", first(5), json!({"type": "object", "properties": object(512, &typed)})),
        ("512 optional strings, closed", first(5), closed(object(512, &|_| typed(0)))),
        ("enum of 8,192 texts", first(5), json!({ "enum": values(8_192) })),
        (
            "enum of 8,192 texts in a property",
            first(5),
            json!({"properties": {"a": {"enum": values(8_192)}}, "required": ["a"]}),
        ),
        ("400 functions, anyOf", first(20), json!({ "anyOf": functions(400) })),
        ("400 functions, oneOf", first(20), json!({ "oneOf": functions(400) })),
        (
            "list of 400 functions, anyOf",
            first(20),
            json!({"type": "array", "items": {"anyOf": functions(400)}, "minItems": 1}),
        ),
        ("maxLength 10^6", COUNT_BARS, json!({"type": "string", "maxLength": million})),
        ("minLength 10^6", COUNT_BARS, json!({"type": "string", "minLength": million})),
        (
            "minLength = maxLength = 10^6",
            COUNT_BARS,
            json!({"type": "string", "minLength": million, "maxLength": million}),
        ),
        (
            "maxItems 10^6, integers",
            COUNT_BARS,
            json!({"type": "array", "items": {"type": "integer"}, "maxItems": million}),
        ),
        (
            "minItems 10^6, integers",
            COUNT_BARS,
            json!({"type": "array", "items": {"type": "integer"}, "minItems": million}),
        ),
        (
            "minItems 10^5, maxItems 10^6, strings",
            COUNT_BARS,
            json!({"type": "array", "items": {"type": "string"}, "minItems": 100_000, "maxItems": million}),
        ),
        ("maxItems 10^6, any items", COUNT_BARS, json!({"type": "array", "maxItems": million})),
        (
            "maxLength 10^6 with a pattern",
            COUNT_BARS,
            json!({"type": "string", "pattern": "^[a-z ]+$", "maxLength": million}),
        ),
        (
            "multiples of 86,400 up to a year",
            NO_BARS,
            json!({"type": "integer", "multipleOf": 86_400, "minimum": 86_400, "maximum": 31_536_000}),
        ),
        (
            "one of two multiples",
            NO_BARS,
            json!({"type": "number", "maximum": 1, "oneOf": [{"multipleOf": 0.123_456_7}, {"multipleOf": 0.001}]}),
        ),
    ]
}

impl fmt::Display for Large {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Large schemas\n")?;
        writeln!(
            f,
            "Vocabulary {}, warmed by what schemas have in common; the median of {ROUNDS} fresh grammars. Compile and first mask in milliseconds, later masks",
            self.vocabulary
        )?;
        writeln!(f, "along a random text in microseconds. What misses its bar is marked.\n")?;
        writeln!(f, "| schema | engine | compile | first mask | both | later: p50 | p99 | max | masks |")?;
        writeln!(f, "| --- | --- |{}", " --: |".repeat(7))?;
        for Row { schema, engine, bars, outcome } in &self.rows {
            let Times { compile, first, later } = match outcome {
                Ok(times) => times,
                Err(error) => {
                    let error: String = error.chars().take(80).collect();
                    writeln!(f, "| {schema} | {engine} | {} |", error.replace(['|', '\n'], " "))?;
                    continue;
                }
            };
            let mark = |time: u64, bar: Option<u64>| {
                if bar.is_some_and(|bar| time > bar && *engine == "grammask") { " !" } else { "" }
            };
            let milliseconds = |time: u64| format!("{:.3}", time as f64 / 1e6);
            write!(
                f,
                "| {schema} | {engine} | {}{} | {}{} | {}{} |",
                milliseconds(*compile),
                mark(*compile, bars.compile),
                milliseconds(*first),
                mark(*first, bars.first),
                milliseconds(compile + first),
                mark(compile + first, bars.first),
            )?;
            match later {
                None => writeln!(f, " | | | 1 |")?,
                Some(later) => {
                    let microseconds = |time: u64| format!("{:.1}", time as f64 / 1e3);
                    writeln!(
                        f,
                        " {} | {} | {}{} | {} |",
                        microseconds(later.p50),
                        microseconds(later.p99),
                        microseconds(later.max),
                        mark(later.max, bars.later),
                        later.count + 1,
                    )?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_large_schema_has_its_times() {
        let options = LargeOptions {
            vocabulary: "bytes".to_owned(),
            only: vec!["Length".to_owned()],
            ..LargeOptions::default()
        };
        let words = Words::of_bytes();
        let vocabulary = words.vocabulary().expect("bytes");
        let mut judges = judges(&words, &vocabulary, &Config::default(), false).expect("ours");
        for (name, _, schema) in schemas().into_iter().filter(|(name, ..)| name.contains(&*options.only[0])) {
            let text = written(&schema, &vocabulary, &Config::default(), words.end).expect(name);
            assert!((4..=MAX_MASKS).contains(&text.len()), "{name}: {} tokens", text.len());
            let times = times(&mut *judges[0], &schema, &text[..4]).expect(name);
            assert!(times.compile > 0 && times.later.is_some_and(|later| later.count == 3), "{name}");
        }
    }
}

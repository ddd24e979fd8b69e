//! Schemas that are made to exhaust time, memory or stack: result, time, and delay of a cancellation.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use grammask::{Config, Grammar, TokenId, Vocabulary};
use serde_json::{Map, Value, json};

use super::options::HostileOptions;

/// Number of cancellations of each schema, evenly over its time.
const CANCELLATIONS_PER_SCHEMA: u32 = 12;

/// Maximum delay of a cancellation.
const MAX_CANCELLATION_DELAY: Duration = Duration::from_millis(10);

/// A schema, and its result.
struct Row {
    schema: &'static str,
    /// A grammar, or the beginning of an error.
    outcome: String,
    time: Duration,
    /// Number of cancellations before its end, and their longest delay.
    cancelled: u32,
    longest: Duration,
}

/// All rows.
pub struct Hostile(Vec<Row>);

/// Runs all schemas.
///
/// # Errors
/// If the vocabulary of single bytes is refused, which it is not.
pub fn run(options: &HostileOptions) -> anyhow::Result<Hostile> {
    let bytes = (0..=u8::MAX).map(|byte| (TokenId(u32::from(byte)), vec![byte]));
    let vocabulary = Vocabulary::new(bytes, [])?;
    let mut rows = Vec::new();
    for (name, make) in schemas() {
        if !options.only.is_empty() && !options.only.iter().any(|only| name.contains(&**only)) {
            continue;
        }
        eprintln!("{name}");
        let schema = make();
        rows.push(row(name, &schema, &vocabulary));
        // serde_json drops a value by recursion, which would exhaust the stack.
        std::mem::forget(schema);
    }
    Ok(Hostile(rows))
}

fn row(name: &'static str, schema: &Value, vocabulary: &Vocabulary) -> Row {
    let start = Instant::now();
    let result = Grammar::from_json_schema(schema, vocabulary, &Config::default());
    let time = start.elapsed();
    let outcome = match &result {
        Ok(_) => "a grammar".to_owned(),
        Err(error) => error.to_string(),
    };
    drop(result);
    let (mut cancelled, mut longest) = (0, Duration::ZERO);
    for moment in 1..=CANCELLATIONS_PER_SCHEMA {
        let flag = Arc::new(AtomicBool::new(false));
        let mut config = Config::default();
        config.json_schema.cancel = Some(Arc::clone(&flag));
        let delay = time * moment / (CANCELLATIONS_PER_SCHEMA + 1);
        let start = Instant::now();
        let canceller = thread::spawn(move || {
            thread::sleep(delay.saturating_sub(start.elapsed()));
            let now = Instant::now();
            flag.store(true, Ordering::Relaxed);
            now
        });
        let result = Grammar::from_json_schema(schema, vocabulary, &config);
        let end = Instant::now();
        let Ok(set) = canceller.join() else { continue };
        if let Err(error) = result
            && error.to_string().contains("cancelled")
        {
            cancelled += 1;
            longest = longest.max(end.saturating_duration_since(set));
        }
    }
    Row { schema: name, outcome, time, cancelled, longest }
}

/// Returns schemas nested in each other.
fn nested(times: usize, inner: Value, key: &str, is_list: bool) -> Value {
    (0..times).fold(inner, |inner, _| {
        let mut entries = Map::new();
        entries.insert(key.to_owned(), if is_list { Value::Array(vec![inner]) } else { inner });
        Value::Object(entries)
    })
}

fn object(entries: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(entries.into_iter().collect())
}

fn all(count: usize, of: impl Fn(usize) -> Value) -> Value {
    json!({ "allOf": (0..count).map(of).collect::<Vec<_>>() })
}

/// Returns two alternatives that share nothing with any other pair.
fn pair(index: usize) -> Value {
    let with = |key: String| json!({"properties": {&*key: {"type": "null"}}, "required": [key]});
    json!([with(format!("a{index}")), with(format!("b{index}"))])
}

/// Name and constructor of a schema.
type Named = (&'static str, fn() -> Value);

/// Names and constructors. Some schemas take much memory, so each is made at its turn.
fn schemas() -> Vec<Named> {
    vec![
        ("`oneOf`, 10^6 deep", || nested(1_000_000, json!({"type": "null"}), "oneOf", true)),
        ("`items`, 10^6 deep", || nested(1_000_000, json!({"type": "null"}), "items", false)),
        ("`not`, 10^4 deep", || nested(10_000, json!({"type": "null"}), "not", false)),
        ("a constant, 10^6 deep", || {
            let deep = nested(1_000_000, json!(null), "a", false);
            let mut schema = Map::new();
            schema.insert("const".to_owned(), deep);
            Value::Object(schema)
        }),
        ("`$ref` to itself", || json!({"$ref": "#"})),
        (
            "`$ref`s to each other",
            || json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        ),
        ("a ring of 1,000 `$ref`s below properties", || {
            let next = |index: usize| json!({"$ref": format!("#/$defs/d{}", (index + 1) % 1000)});
            let defs =
                (0..1000).map(|index| (format!("d{index}"), json!({"properties": {"a": next(index)}})));
            json!({"$ref": "#/$defs/d0", "$defs": object(defs)})
        }),
        ("`enum` of 400,000 texts, 10 MB", || {
            let texts: Vec<Value> =
                (0..400_000).map(|index| json!(format!("value number {index:012}"))).collect();
            json!({ "enum": texts })
        }),
        ("100,000 properties", || {
            let properties = (0..100_000).map(|index| (format!("key{index}"), json!({"type": "null"})));
            json!({"properties": object(properties)})
        }),
        (
            "100,000 equal branches of `oneOf`",
            || json!({"oneOf": (0..100_000).map(|_| json!({"type": "string"})).collect::<Vec<_>>()}),
        ),
        ("1,000 patterns of keys", || {
            let patterns = (0..1000).map(|index| (format!("^{index}"), json!({"type": "null"})));
            json!({"patternProperties": object(patterns)})
        }),
        ("12 patterns of keys that overlap", || {
            let patterns = (0..12).map(|index| (format!("a.{{{index}}}b"), json!({"minimum": index})));
            json!({"patternProperties": object(patterns)})
        }),
        ("`allOf` of 30 `anyOf`s", || all(30, |index| json!({"anyOf": pair(index)}))),
        ("`allOf` of 30 `oneOf`s", || all(30, |index| json!({"oneOf": pair(index)}))),
        ("`allOf` of 30 conditions", || {
            all(
                30,
                |index| json!({"if": {"required": [format!("a{index}")]}, "then": {"minProperties": index}}),
            )
        }),
        ("`allOf` of 12 `contains`", || all(12, |index| json!({"contains": {"minimum": index}}))),
        ("`oneOf` of 200 that nothing tells apart", || {
            let branches: Vec<Value> =
                (0..200).map(|index| json!({"required": [format!("a{index}")]})).collect();
            json!({ "oneOf": branches })
        }),
        ("`oneOf` of 200 patterns", || {
            let branches: Vec<Value> =
                (0..200).map(|index| json!({"pattern": format!("a{{{index}}}b")})).collect();
            json!({ "oneOf": branches })
        }),
        ("40 patterns at once", || {
            all(40, |index| json!({"type": "string", "pattern": format!("a.{{{index}}}b")}))
        }),
        ("none of 40 patterns", || {
            all(40, |index| json!({"type": "string", "not": {"pattern": format!("a.{{{index}}}b")}}))
        }),
        ("pattern `^(.{0,1000}){0,1000}$`", || json!({"pattern": "^(.{0,1000}){0,1000}$"})),
        ("pattern `^(a?){1000}a{1000}$`", || json!({"pattern": "^(a?){1000}a{1000}$"})),
        ("pattern `^[ab]*a[ab]{40}$`", || json!({"pattern": "^[ab]*a[ab]{40}$"})),
        (
            "not pattern `^((a{0,99}){0,99}){0,99}$`",
            || json!({"type": "string", "not": {"pattern": "^((a{0,99}){0,99}){0,99}$"}}),
        ),
        ("pattern `^(?!.*a.{40}b).*c.{40}d`", || json!({"pattern": "^(?!.*a.{40}b).*c.{40}d"})),
        ("pattern of 100,000 characters", || json!({"pattern": "ab?".repeat(33_000)})),
        (
            "pattern of 100,000 groups in groups",
            || json!({"pattern": format!("{}{}", "(".repeat(100_000), ")".repeat(100_000))}),
        ),
    ]
}

impl fmt::Display for Hostile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Hostile schemas\n")?;
        writeln!(
            f,
            "With the default limits: what each ends in, and after how many milliseconds. Then it is cancelled at {CANCELLATIONS_PER_SCHEMA} moments, evenly over that time:"
        )?;
        writeln!(
            f,
            "how often that was before it ended by itself, and in how many milliseconds it ended then, at most. What takes more than {} is marked.\n",
            MAX_CANCELLATION_DELAY.as_millis()
        )?;
        writeln!(f, "| schema | ends in | ms | cancelled | ends in ms, at most |")?;
        writeln!(f, "| --- | --- | --: | --: | --: |")?;
        let milliseconds = |time: Duration| format!("{:.2}", time.as_secs_f64() * 1e3);
        for Row { schema, outcome, time, cancelled, longest } in &self.0 {
            let outcome: String = outcome.chars().take(100).collect();
            let outcome = outcome.replace(['|', '\n'], " ");
            let mark = if *longest > MAX_CANCELLATION_DELAY { " !" } else { "" };
            let (time, longest) = (milliseconds(*time), milliseconds(*longest));
            writeln!(f, "| {schema} | {outcome} | {time} | {cancelled} | {longest}{mark} |")?;
        }
        Ok(())
    }
}

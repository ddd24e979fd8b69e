//! Masks against brute force. All documents of a small universe are listed, and a token is allowed if and
//! only if a spelling of a valid one goes on with it.

use grammask::{TokenId, Vocabulary};
use grammask_json_schema::Whitespace;
use grammask_testkit::random::Rng;
use serde_json::{Value, json};

use crate::validator::is_valid;
use crate::{Compiled, compile, schemas, standard};

/// Tokens for the parts of compact documents of the universe. None begins with `e`, `.` or `-`: the numbers
/// of the universe have no spelling with these, so that all their spellings are listed.
const TOKENS: &[&str] = &[
    "{", "}", "[", "]", ",", ":", "\"", "a", "b", "c", "0", "1", "2", "t", "rue", "true", "f", "alse", "n",
    "ull", "null", "{\"", "\"a\"", "\":", "\",", "\"}", "],", "[1", ",\"", "{\"a\"", "b\":", "1,", "2}",
    "1]", "[]", "{}", "\"]", "[[", "]]", "}}", "\"\"", "[{", "\":1", ":{\"", "ab\"", "\\", "\\u", "00", "6",
    "61", "006", "62", "\\u00", "[2,", "\"ab",
];
const END: TokenId = TokenId(1000);

/// A universe of documents: all values, and the schema that has just these.
struct Universe {
    schema: Value,
    documents: Vec<Value>,
}

impl Universe {
    fn new() -> Self {
        let scalars = [json!(null), json!(true), json!(1), json!(2), json!("a"), json!("ab")];
        let scalar = json!({"enum": scalars});
        let small = json!({"anyOf": [
            {"$ref": "#/$defs/scalar"},
            {"type": "array", "items": {"$ref": "#/$defs/scalar"}, "maxItems": 2},
            closed(&json!({"a": {"$ref": "#/$defs/scalar"}, "b": {"$ref": "#/$defs/scalar"}})),
        ]});
        let large = json!({"anyOf": [
            {"$ref": "#/$defs/scalar"},
            {"type": "array", "prefixItems": [{"$ref": "#/$defs/small"}, {"$ref": "#/$defs/scalar"}], "items": false},
            closed(&json!({"a": {"$ref": "#/$defs/small"}, "b": {"$ref": "#/$defs/scalar"}, "c": {"const": 1}})),
        ]});
        let schema = json!({"scalar": scalar, "small": small, "large": large});
        let mut inside = scalars.to_vec();
        inside.extend(arrays(&scalars, &scalars));
        inside.extend(objects(&scalars, &scalars, &[]));
        let mut documents = scalars.to_vec();
        documents.extend(arrays(&inside, &scalars));
        documents.extend(objects(&inside, &scalars, &[json!(1)]));
        Self { schema, documents }
    }
}

fn closed(properties: &Value) -> Value {
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// Each value of a list, and none.
fn maybe(values: &[Value]) -> impl Iterator<Item = Option<&Value>> + Clone {
    [None].into_iter().chain(values.iter().map(Some))
}

fn arrays(first: &[Value], second: &[Value]) -> Vec<Value> {
    let mut all = vec![json!([])];
    for one in first {
        all.extend(maybe(second).map(|two| [Some(one), two].into_iter().flatten().cloned().collect()));
    }
    all
}

fn objects(a: &[Value], b: &[Value], c: &[Value]) -> Vec<Value> {
    let mut all = Vec::new();
    for a in maybe(a) {
        for b in maybe(b) {
            for c in maybe(c) {
                let entries = [("a", a), ("b", b), ("c", c)];
                let some =
                    entries.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.clone())));
                all.push(Value::Object(some.collect()));
            }
        }
    }
    all
}

/// Relation of a text to the spellings of a value.
#[derive(Clone, Copy, PartialEq)]
enum Reading {
    /// A spelling ends at this place.
    Ends(usize),
    /// The text ends inside of a spelling.
    GoesOn,
    Wrong,
}

fn read_text(expected: &str, text: &[u8], at: usize) -> Reading {
    let (expected, rest) = (expected.as_bytes(), &text[at..]);
    match () {
        () if rest.starts_with(expected) => Reading::Ends(at + expected.len()),
        () if expected.starts_with(rest) => Reading::GoesOn,
        () => Reading::Wrong,
    }
}

/// A string whose letters may be written as they are or as escapes.
fn read_string(contents: &str, text: &[u8], at: usize) -> Reading {
    let mut reading = read_text("\"", text, at);
    for char in contents.chars() {
        let Reading::Ends(at) = reading else { return reading };
        reading = match read_text(&char.to_string(), text, at) {
            Reading::Wrong => read_text(&format!("\\u{:04x}", u32::from(char)), text, at),
            plain => plain,
        };
    }
    let Reading::Ends(at) = reading else { return reading };
    read_text("\"", text, at)
}

fn read(value: &Value, text: &[u8], at: usize) -> Reading {
    match value {
        Value::String(contents) => read_string(contents, text, at),
        Value::Array(items) => {
            let mut reading = read_text("[", text, at);
            for (place, item) in items.iter().enumerate() {
                for step in [(place > 0).then_some(None), Some(Some(item))].into_iter().flatten() {
                    let Reading::Ends(at) = reading else { return reading };
                    reading = step.map_or_else(|| read_text(",", text, at), |item| read(item, text, at));
                }
            }
            let Reading::Ends(at) = reading else { return reading };
            read_text("]", text, at)
        }
        Value::Object(entries) => {
            let mut left: Vec<(&String, &Value)> = entries.iter().collect();
            let mut reading = read_text("{", text, at);
            while !left.is_empty() {
                let Reading::Ends(mut at) = reading else { return reading };
                if left.len() < entries.len() {
                    match read_text(",", text, at) {
                        Reading::Ends(end) => at = end,
                        other => return other,
                    }
                }
                let readings: Vec<Reading> = left.iter().map(|(key, _)| read_string(key, text, at)).collect();
                // No key is the beginning of another one, so at most one is read to its end.
                let Some(place) = readings.iter().position(|reading| matches!(reading, Reading::Ends(_)))
                else {
                    return if readings.contains(&Reading::GoesOn) {
                        Reading::GoesOn
                    } else {
                        Reading::Wrong
                    };
                };
                let (_, value) = left.remove(place);
                reading = readings[place];
                let Reading::Ends(at) = reading else { return reading };
                reading = read_text(":", text, at);
                let Reading::Ends(at) = reading else { return reading };
                reading = read(value, text, at);
            }
            let Reading::Ends(at) = reading else { return reading };
            read_text("}", text, at)
        }
        other => read_text(&other.to_string(), text, at),
    }
}

/// Whether a spelling begins with the text or is it.
fn is_live(value: &Value, text: &[u8]) -> bool {
    matches!(read(value, text, 0), reading if reading == Reading::GoesOn || reading == Reading::Ends(text.len()))
}

#[test]
fn masks_equal_brute_force() {
    let tokens = TOKENS.iter().enumerate().map(|(id, text)| (TokenId(id as u32), text.as_bytes().to_vec()));
    let vocabulary = Vocabulary::new(tokens, [(END, "<|end|>".to_owned())]).unwrap();
    let mut config = standard().ending_with([END]);
    config.json_schema.whitespace = Whitespace::Compact;
    let universe = Universe::new();
    let (mut compiled, mut masks) = (0, 0);
    let mut differences: Vec<String> = Vec::new();
    for seed in 0..600 {
        if compiled == 300 {
            break;
        }
        let mut rng = Rng::new(10_000 + seed);
        let random = schemas::schema(&mut rng);
        let mut definitions = universe.schema.clone();
        definitions.as_object_mut().unwrap().extend(random["$defs"].as_object().unwrap().clone());
        let inside = json!({"properties": {"a": random}, "prefixItems": [random]});
        let random = if rng.chance(1, 2) { inside } else { random };
        let schema = json!({"allOf": [{"$ref": "#/$defs/large"}, random], "$defs": definitions});
        let grammar = match compile(&schema, &vocabulary, &config) {
            Compiled::Grammar(grammar) => Some(grammar),
            Compiled::Unsatisfiable => None,
            Compiled::Refused(_) => continue,
        };
        let valid: Vec<&Value> =
            universe.documents.iter().filter(|document| is_valid(&schema, document)).collect();
        if valid.is_empty() != grammar.is_none() {
            differences.push(format!("seed {seed}: {} valid documents of {random}", valid.len()));
            continue;
        }
        let Some(grammar) = grammar else { continue };
        compiled += 1;
        for _ in 0..4 {
            let mut matcher = grammar.matcher();
            let mut live = valid.clone();
            let mut text: Vec<u8> = Vec::new();
            for _ in 0..12 {
                let with = |token: &str| [&text[..], token.as_bytes()].concat();
                let mut expected: Vec<TokenId> = (0..TOKENS.len())
                    .filter(|&id| {
                        let text = with(TOKENS[id]);
                        live.iter().any(|document| is_live(document, &text))
                    })
                    .map(|id| TokenId(id as u32))
                    .collect();
                if live.iter().any(|document| read(document, &text, 0) == Reading::Ends(text.len())) {
                    expected.push(END);
                }
                let found: Vec<TokenId> = matcher.mask().iter().collect();
                assert_eq!(matcher.error(), None);
                masks += 1;
                if found != expected {
                    let show = |ids: &[TokenId], others: &[TokenId]| -> Vec<&str> {
                        let only = ids.iter().filter(|id| !others.contains(id));
                        only.map(|id| TOKENS.get(id.0 as usize).copied().unwrap_or("the end")).collect()
                    };
                    let (more, less) = (show(&found, &expected), show(&expected, &found));
                    let text = String::from_utf8_lossy(&text);
                    differences.push(format!(
                        "seed {seed}: after {text}: too many {more:?}, too few {less:?}\n  of {random}"
                    ));
                    break;
                }
                let Some(&token) = (!expected.is_empty()).then(|| rng.pick(&expected)) else { break };
                if token == END {
                    break;
                }
                assert!(matcher.accept(token).is_accepted());
                text.extend_from_slice(TOKENS[token.0 as usize].as_bytes());
                live.retain(|document| is_live(document, &text));
            }
        }
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert_eq!(compiled, 300, "fewer schemas have documents");
    assert!(masks >= 3000, "only {masks} masks");
}

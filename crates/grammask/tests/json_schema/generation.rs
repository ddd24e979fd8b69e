//! The profile `Generation`: documents that parsers read as valid ones, each in few spellings.

use grammask::{Config, Grammar, Matcher, TokenId};
use grammask_json_schema::{DateTimes, Profile, PropertyOrder, Whitespace};
use grammask_testkit::random::Rng;
use serde_json::{Value, json};

use crate::cases::check;
use crate::documents::document;
use crate::validator::is_valid;
use crate::{Compiled, accepts, bytes, compile, schemas};

/// Bytes that a random document has before it is brought to an end, and at which it is given up.
const GROWING_BYTES: usize = 60;
const MAX_BYTES: usize = 4_000;

/// Writes a document with digits for integers and the escapes that JSON requires.
fn write(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => {
            let double = number.as_f64().expect("a double");
            let is_integer = double.fract() == 0.0 && double.abs() < 1e15;
            out.push_str(&if is_integer { format!("{}", double as i64) } else { number.to_string() });
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "\n  " });
                out.push_str(&Value::from(&**key).to_string());
                out.push_str(": ");
                write(value, out);
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

#[test]
fn documents_in_their_usual_spelling_are_accepted_if_and_only_if_they_are_valid() {
    let vocabulary = bytes();
    let config = Config::default();
    let (mut compiled, mut right, mut wrong) = (0, 0, 0);
    for seed in 200_000..202_000 {
        let mut rng = Rng::new(seed);
        let schema = schemas::schema(&mut rng);
        let grammar = match compile(&schema, &vocabulary, &config) {
            Compiled::Grammar(grammar) => Some(grammar),
            Compiled::Unsatisfiable => None,
            Compiled::Refused(_) => continue,
        };
        compiled += 1;
        for _ in 0..30 {
            let document = document(&mut rng, &schema);
            let valid = is_valid(&schema, &document);
            *if valid { &mut right } else { &mut wrong } += 1;
            let mut text = String::new();
            write(&document, &mut text);
            let accepted = grammar.as_ref().is_some_and(|grammar| accepts(grammar, &text));
            assert_eq!(accepted, valid, "seed {seed}: {text}\n  of {schema}");
        }
    }
    assert!(compiled >= 1_900, "only {compiled} schemas compile");
    assert!(right >= 15_000 && wrong >= 15_000, "{right} valid and {wrong} invalid documents say too little");
}

/// Writes a document that the grammar allows, byte by byte. Returns `None` if it does not end.
fn random_document(grammar: &Grammar, rng: &mut Rng) -> Option<String> {
    let mut matcher: Matcher = grammar.matcher();
    let mut text = Vec::new();
    while text.len() < MAX_BYTES {
        if matcher.is_complete() && (text.len() > GROWING_BYTES || rng.chance(1, 2)) {
            return Some(String::from_utf8(text).expect("documents are UTF-8"));
        }
        let allowed: Vec<u8> =
            (0..=255u8).filter(|&byte| matcher.mask().allows(TokenId(byte.into()))).collect();
        if allowed.is_empty() {
            assert!(matcher.is_complete(), "a dead end after {}", String::from_utf8_lossy(&text));
            continue;
        }
        // Closing marks bring a long document to an end.
        let closing = *rng.pick(b"\"]}");
        let byte = match text.len() {
            GROWING_BYTES.. if allowed.contains(&closing) => closing,
            _ => *rng.pick(&allowed),
        };
        assert!(matcher.accept_bytes(&[byte]).is_accepted());
        text.push(byte);
    }
    None
}

/// Checks that all numbers of a document are finite, and that its integers fit into 64 bits.
fn check_numbers(value: &Value) {
    match value {
        Value::Number(number) => assert!(number.as_f64().is_some_and(f64::is_finite), "{number}"),
        Value::Array(items) => items.iter().for_each(check_numbers),
        Value::Object(entries) => entries.values().for_each(check_numbers),
        _ => {}
    }
}

#[test]
fn random_documents_are_valid_as_a_parser_reads_them() {
    let vocabulary = bytes();
    let config = Config::default();
    let mut documents = 0;
    for seed in 300_000..300_800 {
        let mut rng = Rng::new(seed);
        let schema = schemas::schema(&mut rng);
        let Compiled::Grammar(grammar) = compile(&schema, &vocabulary, &config) else { continue };
        for _ in 0..5 {
            let Some(text) = random_document(&grammar, &mut rng) else { continue };
            documents += 1;
            assert_eq!(text, text.trim_matches([' ', '\t', '\n', '\r']), "no white space around");
            let value: Value =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}\n  of {schema}"));
            check_numbers(&value);
            assert!(is_valid(&schema, &value), "seed {seed}: {text}\n  of {schema}");
        }
    }
    assert!(documents > 2_000, "only {documents} documents");
}

#[test]
fn spellings_that_parsers_disagree_on_are_not_offered() {
    let config = Config::default();
    check(
        &config,
        &[
            (json!({"type": "integer"}), &["1", "-7", "0"], &["1.0", "7E+001", "-0", "9223372036854775808"]),
            (json!({"enum": [1, 2]}), &["1", "2"], &["1.0", "3"]),
            (json!({"type": "number"}), &["1.5", "1e300", "-2E-10"], &["1e400", "1e-400", "-0"]),
            (json!({"type": "number", "exclusiveMinimum": 0}), &["0.5"], &["0", "1e-400"]),
            (
                json!({"properties": {"date": {"type": "null"}}, "additionalProperties": false}),
                &["{}", "{\"date\":null}", "{ \"date\" : null }", "{\n  \"date\": null\r\n}"],
                &[r#"{"\u0064ate":null}"#, " {}", "{}\n", "{  \"date\":null}", "{\n\n\"date\":null}"],
            ),
            (
                json!({"type": "string"}),
                &[r#""a""#, r#""\n\/\"\\""#, r#""\u0001\u001F\u000a""#, "\"é\u{1F600}\""],
                &[r#""\u0061""#, r#""\u00e9""#, r#""\ud83d\ude00""#, "\"\n\"", r#""\u0020""#],
            ),
        ],
    );
}

#[test]
fn every_fixed_part_of_an_object_in_order_is_forced() {
    let mut config = Config::default();
    config.json_schema.property_order = PropertyOrder::AsWritten;
    config.json_schema.whitespace = Whitespace::Compact;
    let keys: Vec<String> = (0..10).map(|index| format!("key_{index}")).collect();
    let properties: serde_json::Map<String, Value> =
        keys.iter().map(|key| (key.clone(), json!({"type": "boolean"}))).collect();
    let schema =
        json!({"type": "object", "properties": properties, "required": keys, "additionalProperties": false});
    let grammar = Grammar::from_json_schema(&schema, &bytes(), &config).unwrap();
    let mut matcher = grammar.matcher();
    let mut text = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        let expected = format!("{}\"{key}\":", if index == 0 { "{" } else { "," });
        // Of `true` and `false`, the letters after the first one are forced, too.
        let forced = matcher.forced_bytes();
        assert!(String::from_utf8_lossy(&forced).ends_with(&expected), "{forced:?} {expected}");
        assert!(matcher.accept_bytes(&forced).is_accepted() && matcher.accept_bytes(b"t").is_accepted());
        text.extend_from_slice(&forced);
        text.push(b't');
    }
    assert_eq!(matcher.forced_bytes(), b"rue}");
}

#[test]
fn keys_of_patterns_follow_named_ones_in_any_order() {
    let mut config = Config::default().with_profile(Profile::Generation);
    config.json_schema.property_order = PropertyOrder::AsWritten;
    let nothing = json!({"type": "null"});
    check(
        &config,
        &[
            (
                json!({"patternProperties": {"z$": {"type": "string"}}}),
                &[r#"{"x":"","zz":"z"}"#, r#"{"zz":"z","x":""}"#, "{}"],
                &[r#"{"x":"","zz":1}"#],
            ),
            (
                json!({
                    "properties": {"b": nothing, "a": nothing}, "required": ["a"],
                    "patternProperties": {"^x": nothing, "z$": nothing}, "additionalProperties": false,
                }),
                &[
                    r#"{"b":null,"a":null,"x1":null,"qz":null,"x2":null}"#,
                    r#"{"a":null,"qz":null,"xz":null,"x":null}"#,
                    r#"{"a":null}"#,
                ],
                &[r#"{"a":null,"b":null}"#, r#"{"x":null,"a":null}"#, r#"{"b":null,"x":null}"#, "{}"],
            ),
            (
                json!({"properties": {"b": nothing}, "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false}),
                &[r#"{"x":1,"xx":2}"#, r#"{"b":null,"x":1}"#, r#"{"b":null}"#],
                &[r#"{"x":1,"b":null}"#, r#"{"y":1}"#],
            ),
        ],
    );
}

#[test]
fn dates_and_times_are_those_that_parsers_agree_on() {
    let refused = |grammar: &Grammar, texts: &[&str]| texts.iter().all(|text| !accepts(grammar, text));
    let config = Config::default();
    let mut any = Config::default();
    any.json_schema.date_times = DateTimes::Any;
    let cases: [(&str, &[&str], &[&str]); 4] = [
        (
            "date-time",
            &[
                r#""0001-02-28T23:59:59.5Z""#,
                r#""2024-02-29T00:00:00-23:59""#,
                r#""1000-12-31T01:02:03+00:00""#,
            ],
            &[
                r#""2016-12-31T23:59:60Z""#,
                r#""2017-01-01T00:59:60+01:00""#,
                r#""0000-01-01T00:00:00Z""#,
                r#""2024-02-29t00:00:00Z""#,
                r#""2024-02-29T00:00:00z""#,
            ],
        ),
        (
            "date",
            &[r#""0400-02-29""#, r#""0010-01-01""#, r#""2000-02-29""#],
            &[r#""0000-02-29""#, r#""0000-12-31""#],
        ),
        ("time", &[r#""01:02:03Z""#, r#""01:02:03.25+01:30""#], &[r#""23:59:60Z""#, r#""01:02:03z""#]),
        (
            "date-time-local",
            &[r#""2024-02-29T01:02:03""#],
            &[r#""0000-02-29T01:02:03""#, r#""2024-02-29t01:02:03""#],
        ),
    ];
    for (format, both, rare) in cases {
        let schema = json!({"type": "string", "format": format});
        let [common, all] =
            [&config, &any].map(|config| Grammar::from_json_schema(&schema, &bytes(), config).unwrap());
        assert!(both.iter().all(|text| accepts(&common, text) && accepts(&all, text)), "{format}");
        assert!(rare.iter().all(|text| accepts(&all, text)), "{format}");
        assert!(refused(&common, rare), "{format}");

        // Excluded are all texts of the format.
        let excluded = json!({"type": "string", "not": {"format": format}, "maxLength": 40});
        let excluded = Grammar::from_json_schema(&excluded, &bytes(), &config).unwrap();
        assert!(refused(&excluded, rare) && refused(&excluded, both), "not {format}");
        assert!(accepts(&excluded, r#""2024""#), "not {format}");
    }

    // A listed value stays, and so do texts where nothing else is left.
    let listed = json!({"enum": ["2016-12-31T23:59:60z", "x"], "format": "date-time"});
    let small = json!({"format": "date-time", "pattern": "z$"});
    for schema in [listed, small] {
        let grammar = Grammar::from_json_schema(&schema, &bytes(), &config).unwrap();
        assert!(accepts(&grammar, r#""2016-12-31T23:59:60z""#) && !accepts(&grammar, r#""x""#), "{schema}");
    }
}

/// Objects with the property `d` and no others.
fn object(property: &Value, is_required: bool) -> Value {
    let required = if is_required { json!(["d"]) } else { json!([]) };
    json!({
        "type": "object", "properties": {"d": property}, "required": required, "additionalProperties": false,
    })
}

#[test]
fn dates_that_are_not_offered_are_excluded_everywhere() {
    let [date, rare] = [
        json!({"type": "string", "format": "date"}),
        json!({"type": "string", "pattern": "^0000-01-0[1-9]$"}),
    ];
    let either = |first: Value, second: Value| json!({"oneOf": [first, second]});
    let other = json!({"type": "string", "maxLength": 3});
    let cases = [
        (either(object(&json!({"const": "0000-01-01"}), true), object(&date, true)), r#"{"d":"2024-01-01"}"#),
        (either(object(&rare, true), object(&date, true)), r#"{"d":"2024-01-01"}"#),
        (
            json!({"allOf": [object(&rare, false)], "not": {"properties": {"d": date}, "required": ["d"]}}),
            "{}",
        ),
        (
            json!({"allOf": [object(&json!({"anyOf": [rare, other]}), true)], "not": {"properties": {"d": date}}}),
            r#"{"d":"x"}"#,
        ),
        (
            json!({"type": "object", "properties": {"d": {"anyOf": [rare, other]}}, "required": ["d"],
                "if": {"properties": {"d": date}}, "then": {"required": ["e"], "properties": {"e": {"const": 1}}}}),
            r#"{"d":"x"}"#,
        ),
        (
            either(
                json!({"type": "array", "items": rare, "minItems": 1}),
                json!({"type": "array", "items": date}),
            ),
            "[]",
        ),
    ];
    for (schema, right) in cases {
        let grammar = Grammar::from_json_schema(&schema, &bytes(), &Config::default()).unwrap();
        assert!(accepts(&grammar, right), "{schema}: {right}");
        for wrong in [r#"{"d":"0000-01-01"}"#, r#"["0000-01-01"]"#] {
            assert!(!accepts(&grammar, wrong), "{schema}: {wrong}");
        }
    }
    let two = json!({"type": "array", "items": rare, "contains": date, "minContains": 0, "maxContains": 1,
        "uniqueItems": true});
    let grammar = Grammar::from_json_schema(&two, &bytes(), &Config::default()).unwrap();
    assert!(accepts(&grammar, r#"["0000-01-01"]"#) && !accepts(&grammar, r#"["0000-01-01","0000-01-02"]"#));
}

#[test]
fn names_of_unknown_validity_are_excluded_inside_of_values() {
    let name = json!({"type": "string", "format": "hostname"});
    let schema = json!({"oneOf": [object(&json!({"enum": ["xn--a", "b c"]}), true), object(&name, true)]});
    let grammar = Grammar::from_json_schema(&schema, &bytes(), &Config::default()).unwrap();
    assert!(accepts(&grammar, r#"{"d":"b c"}"#) && accepts(&grammar, r#"{"d":"a.b"}"#));
    assert!(!accepts(&grammar, r#"{"d":"xn--a"}"#));
}

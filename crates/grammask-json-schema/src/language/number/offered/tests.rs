//! Which numbers and spellings are offered.

use super::*;
use crate::constraint::ScopeId;
use crate::document::Inputs;
use crate::keyword::expand;
use crate::value::evaluate;
use crate::{Config, Profile};
use serde_json::{Value, json};

/// Checks which numbers a schema offers.
fn check(config: &Config, schema: &Value, offered_texts: &[&str], others: &[&str]) {
    let inputs = Inputs::of_value(schema, config).unwrap_or_else(|error| panic!("{schema}: {error}"));
    let mut cx = Context::new(&inputs, config).unwrap_or_else(|error| panic!("{schema}: {error}"));
    let root = cx.documents.root();
    let language = expand::constraint_of_schema(&mut cx, root, ScopeId::EMPTY)
        .and_then(|root| evaluate::values(&mut cx, root))
        .and_then(|values| offered(&mut cx, values.number));
    let Ok(language) = language else { panic!("{schema} has an error") };
    for (texts, expected) in [(offered_texts, true), (others, false)] {
        for text in texts {
            assert_eq!(cx.languages.contains(language, text), Ok(expected), "{text} of {schema}");
        }
    }
}

#[test]
fn numbers_are_doubles_of_17_digits() {
    let offered_texts = [
        "0",
        "0.0",
        "1",
        "-1",
        "1.5",
        "0.1",
        "-0.00000000000000000001",
        "100000000000000000000",
        "12345678901234567",
        "1.2345678901234567",
        "123456789012.12345",
        "1e5",
        "1E+05",
        "9.9e307",
        "1e-307",
        "-1.7976931348623157e307",
    ];
    let others = [
        "-0",
        "-0.0",
        "0e5",
        "1e400",
        "1e-400",
        "1e308",
        "1e0400",
        "1e1234",
        "123456789012345678",
        "1.23456789012345678",
        "1234567890123.12345",
        "0.123456789012345678",
        "12e3",
        "01",
        "1.",
        "+1",
    ];
    check(&Config::default(), &json!({"type": "number"}), &offered_texts, &others);
    check(
        &Config::default(),
        &json!({"type": "number", "minimum": -1e300, "maximum": 1e300}),
        &["0", "1.5", "1e5"],
        &others,
    );
    let any = Config { numbers: NumberSpelling::Any, ..Config::default() };
    check(&any, &json!({"type": "number"}), &["-0", "1e400", "1.5"], &["01"]);
}

#[test]
fn few_integers_between_bounds_are_a_list() {
    let is_list = |schema: &Value| {
        let config = Config::default();
        let inputs = Inputs::of_value(schema, &config).unwrap();
        let mut cx = Context::new(&inputs, &config).unwrap();
        let root = cx.documents.root();
        let language = expand::constraint_of_schema(&mut cx, root, ScopeId::EMPTY)
            .and_then(|root| evaluate::values(&mut cx, root))
            .and_then(|values| offered(&mut cx, values.number))
            .unwrap_or_else(|_| panic!("{schema} has an error"));
        match cx.languages.get(language) {
            Language::Union(parts) => {
                parts.iter().all(|&part| matches!(cx.languages.get(part), Language::Text(_)))
            }
            language => matches!(language, Language::Text(_)),
        }
    };
    for (is_listed, schema, some, others) in [
        (
            true,
            json!({"type": "integer", "multipleOf": 100, "minimum": 100, "maximum": 900}),
            &["100", "500", "900"][..],
            &["0", "150", "1000", "100.0", "1e2", "-100"][..],
        ),
        (
            true,
            json!({"type": "integer", "multipleOf": 13, "not": {"anyOf": [{"multipleOf": 2}, {"multipleOf": 3}]},
                "exclusiveMinimum": -26, "exclusiveMaximum": 1000}),
            &["-13", "13", "65", "923"],
            &["0", "-0", "26", "39", "-26", "1001"],
        ),
        (
            true,
            json!({"type": "integer", "not": {"multipleOf": 2}, "minimum": -0.5, "maximum": 3.5}),
            &["1", "3"],
            &["-1", "0", "2", "5"],
        ),
        (
            false,
            json!({"type": "integer", "multipleOf": 7, "minimum": 0, "maximum": 10_000}),
            &["0", "9996"],
            &["10003"],
        ),
        (false, json!({"type": "integer", "minimum": 1, "maximum": 9}), &["1", "9"], &["0", "10"]),
        (
            false,
            json!({"type": "integer", "multipleOf": 7, "minimum": 1e18, "maximum": 1e18}),
            &[],
            &["1000000000000000001"],
        ),
    ] {
        check(&Config::default(), &schema, some, others);
        assert_eq!(is_list(&schema), is_listed, "{schema}");
    }
}

#[test]
fn numbers_that_bounds_promise_exist() {
    let bounds = [
        "-1e400", "-1e308", "-1e19", "-9e15", "-3.5", "-1", "-0.001", "0", "0.5", "0.50001", "1", "2", "3",
        "3.1", "1e15", "9e15", "1e19", "1e20", "1e307", "1e308", "1e400",
    ];
    let mut known = 0;
    let configs = [IntegerSpelling::Digits, IntegerSpelling::Bits32, IntegerSpelling::Bits64]
        .map(|integers| Config { integers, ..Config::default() });
    for (index, least) in bounds.iter().enumerate() {
        for most in &bounds[index..] {
            for (keywords, kind) in [("minimum", "integer"), ("exclusiveMinimum", "number")] {
                let upper = keywords.replace("inimum", "aximum");
                let text = format!(r#"{{"type": "{kind}", "{keywords}": {least}, "{upper}": {most}}}"#);
                for config in &configs {
                    let Ok(schema) = serde_json::from_str::<Value>(&text) else { continue };
                    let Ok(inputs) = Inputs::of_value(&schema, config) else { continue };
                    let Ok(mut cx) = Context::new(&inputs, config) else { continue };
                    let root = cx.documents.root();
                    let Ok(values) = expand::constraint_of_schema(&mut cx, root, ScopeId::EMPTY)
                        .and_then(|root| evaluate::values(&mut cx, root))
                    else {
                        continue;
                    };
                    let Ok(some) = select(&mut cx, values.number, 0) else { continue };
                    if cx.is_known_inhabited(some) {
                        known += 1;
                        assert_eq!(cx.languages.is_empty(some), Ok(Some(false)), "{text}");
                    }
                }
            }
        }
    }
    assert!(known > 300, "{known} of the languages were known");
}

#[test]
fn integers_are_digits_of_a_range() {
    let of = |integers| Config { integers, ..Config::default() };
    let integer = json!({"type": "integer"});
    let never = ["1.0", "1e3", "-0", "00", "0.0", "1.5"];
    check(&of(IntegerSpelling::Digits), &integer, &["0", "-7", "99999999999999999999999999"], &never);
    for (integers, first, last, before, after) in [
        (IntegerSpelling::Bits32, "-2147483648", "2147483647", "-2147483649", "2147483648"),
        (
            IntegerSpelling::Bits53,
            "-9007199254740991",
            "9007199254740991",
            "-9007199254740992",
            "9007199254740992",
        ),
        (
            IntegerSpelling::Bits64,
            "-9223372036854775808",
            "9223372036854775807",
            "-9223372036854775809",
            "9223372036854775808",
        ),
    ] {
        check(&of(integers), &integer, &[first, last, "0", "-1"], &[&never[..], &[before, after]].concat());
    }
    check(&of(IntegerSpelling::Any), &integer, &["1.0", "1e3", "-0"], &["1.5"]);
    // A bound of the schema takes the place of the limit on its side.
    let unsigned = json!({"type": "integer", "minimum": 0, "maximum": 18446744073709551615u64});
    check(
        &Config::default(),
        &unsigned,
        &["18446744073709551615", "0"],
        &["18446744073709551616", "-1", "1.0"],
    );
    check(
        &Config::default(),
        &json!({"type": "integer", "minimum": 5}),
        &["5", "9223372036854775807"],
        &["9223372036854775808", "4"],
    );
    check(
        &Config::default(),
        &json!({"type": "integer", "minimum": 1e19}),
        &["10000000000000000000"],
        &["9999999999999999999"],
    );
    check(
        &Config::default(),
        &json!({"type": "number", "multipleOf": 5}),
        &["10", "-5", "0"],
        &["10.0", "7"],
    );
    check(
        &Config::default(),
        &json!({"type": "integer", "not": {"minimum": 3}}),
        &["2", "-9"],
        &["3", "2.0"],
    );
    check(
        &Config::default(),
        &json!({"anyOf": [{"type": "integer"}, {"minimum": 0.5}]}),
        &["3", "-3", "0.5"],
        &["-3.0", "0.25"],
    );
}

#[test]
fn listed_numbers_have_one_spelling() {
    let list = json!({"enum": [1, 2.50, 1e30, -0.0]});
    check(
        &Config::default(),
        &list,
        &["1", "2.5", "1e30", "0"],
        &["1.0", "2.50", "25e-1", "-0", "1E30", "3"],
    );
    check(&Config::default(), &json!({"enum": [1, 2, 3.5], "minimum": 2}), &["2", "3.5"], &["1", "2.0"]);
    check(&Config::default(), &json!({"enum": [1, 2, 3.5], "type": "integer"}), &["1", "2"], &["3.5", "1.0"]);
    let standard = Config::new(Profile::Standard);
    check(&standard, &list, &["1", "1.0", "2.50", "2.5e0", "-0"], &["3"]);
}

#[test]
fn no_double_violates_a_bound_that_its_number_satisfies() {
    let config = Config::default();
    let above = json!({"type": "number", "exclusiveMinimum": 0.1});
    check(&config, &above, &["0.10000000000000002", "1", "0.2"], &["0.1", "0.10000000000000001", "0.10"]);
    let below = json!({"type": "number", "exclusiveMaximum": 5});
    check(&config, &below, &["4.9999999999999991", "4.5"], &["5", "4.9999999999999999"]);
    let not = json!({"type": "number", "not": {"const": 0.1}});
    check(&config, &not, &["0.2", "0.11"], &["0.1", "0.10000000000000001"]);
    let fraction = json!({"type": "number", "not": {"type": "integer"}});
    check(
        &config,
        &fraction,
        &["0.5", "12345678901234.5"],
        &["1", "0.0", "1234567890123456.5", "7888807814490587.8"],
    );
    let positive = json!({"type": "number", "exclusiveMinimum": 0});
    check(&config, &positive, &["1e-307", "0.00000000001"], &["0", "1e-400", "0.0"]);
    check(&config, &json!({"type": "number", "minimum": 0.1}), &["0.1", "0.10000000000000001"], &["0.09"]);
}

//! Options of the configuration make the set of documents smaller or larger, as documented, and never the
//! other way round.

use grammask::{Config, Grammar};
use grammask_json_schema::{AdditionalProperties, PropertyOrder, Unsupported, Whitespace};
use grammask_testkit::random::Rng;
use serde_json::{Value, json};

use crate::cases::check;
use crate::documents::{document, spell};
use crate::validator::is_valid;
use crate::{accepts, bytes, schemas, standard};

fn config(change: impl FnOnce(&mut grammask::JsonSchemaConfig)) -> Config {
    let mut config = standard();
    config.json_schema.whitespace = Whitespace::Flexible { longest: 8 };
    change(&mut config.json_schema);
    config
}

/// Random documents of random schemas: whether each is accepted, and whether it is valid. Schemas that do not
/// compile are left out, and not more than three of four do.
fn compare(seeds: std::ops::Range<u64>, config: &Config, mut see: impl FnMut(bool, bool, &str, &Value)) {
    let vocabulary = bytes();
    let (all, mut compiled) = (seeds.end - seeds.start, 0);
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let schema = schemas::schema(&mut rng);
        let Ok(grammar) = Grammar::from_json_schema(&schema, &vocabulary, config) else { continue };
        compiled += 1;
        let exponents = !schema.to_string().contains("multipleOf");
        for _ in 0..30 {
            let document = document(&mut rng, &schema);
            let mut text = String::new();
            spell(&mut rng, &document, exponents, &mut text);
            see(accepts(&grammar, &text), is_valid(&schema, &document), &text, &schema);
        }
    }
    assert!(compiled * 4 >= all, "only {compiled} of {all} compile");
}

/// Nothing invalid is accepted, and much is.
fn only_valid(seeds: std::ops::Range<u64>, config: &Config) {
    let (mut accepted_in_all, mut refused_in_all) = (0, 0);
    compare(seeds, config, |accepted, valid, text, schema| {
        assert!(valid || !accepted, "accepted: {text}\n  of {schema}");
        accepted_in_all += usize::from(accepted);
        refused_in_all += usize::from(valid && !accepted);
    });
    assert!(accepted_in_all > 5_000 && refused_in_all > 100, "{accepted_in_all} and {refused_in_all}");
}

#[test]
fn documents_of_closed_schemas_are_documents_of_open_ones() {
    only_valid(
        10_000..11_500,
        &config(|choices| choices.additional_properties = AdditionalProperties::Closed),
    );
}

#[test]
fn property_order_as_written_allows_no_other_order() {
    only_valid(20_000..21_500, &config(|choices| choices.property_order = PropertyOrder::AsWritten));
}

#[test]
fn relaxed_schemas_accept_all_valid_documents() {
    let config = config(|choices| choices.unsupported = Unsupported::Relax);
    let mut accepted_in_all = 0;
    compare(30_000..31_500, &config, |accepted, valid, text, schema| {
        assert!(accepted || !valid, "refused: {text}\n  of {schema}");
        accepted_in_all += usize::from(accepted);
    });
    assert!(accepted_in_all > 10_000, "{accepted_in_all}");
}

#[test]
fn closing_applies_to_the_whole_value() {
    let closed = config(|choices| choices.additional_properties = AdditionalProperties::Closed);
    let integer = json!({"type": "integer"});
    check(
        &closed,
        &[
            (
                json!({"properties": {"a": {"properties": {"b": integer}}}}),
                &["{}", r#"{"a":{}}"#, r#"{"a":{"b":1}}"#, "7"],
                &[r#"{"c":1}"#, r#"{"a":{"c":1}}"#, r#"{"a":{"b":"x"}}"#],
            ),
            // Nothing is said of further keys where no keys are named.
            (json!({"type": "object", "required": ["a"]}), &[r#"{"a":1,"b":2}"#], &[r#"{"b":2}"#]),
            (
                json!({"properties": {"a": true}, "patternProperties": {"^x": true}}),
                &[r#"{"a":1,"xy":2}"#],
                &[r#"{"y":1}"#],
            ),
            // A key that only `required` names is allowed; otherwise no object would be left.
            (
                json!({"properties": {"a": integer}, "required": ["c"]}),
                &[r#"{"a":1,"c":"x"}"#, r#"{"c":2}"#],
                &[r#"{"a":1}"#, r#"{"a":1,"c":2,"d":3}"#],
            ),
            (
                json!({"properties": {"a": integer}, "anyOf": [{"required": ["a"]}, {"required": ["c"]}]}),
                &[r#"{"a":1}"#, r#"{"c":2}"#],
                &["{}", r#"{"d":1}"#, r#"{"c":1,"d":1}"#],
            ),
            // An explicit keyword keeps the object open, or constrains other keys.
            (json!({"properties": {"a": true}, "additionalProperties": true}), &[r#"{"c":1}"#], &[]),
            (
                json!({"properties": {"a": true}, "unevaluatedProperties": {"type": "integer"}}),
                &[r#"{"c":1}"#],
                &[r#"{"c":"x"}"#],
            ),
            // Schemas of one value are closed together.
            (
                json!({
                    "allOf": [
                        {"properties": {"a": true}, "required": ["a"]},
                        {"properties": {"b": true}, "required": ["b"]},
                    ],
                }),
                &[r#"{"a":1,"b":2}"#, r#"{"b":1,"a":2}"#],
                &[r#"{"a":1}"#, r#"{"a":1,"b":2,"c":3}"#],
            ),
            (
                json!({"properties": {"a": true}, "anyOf": [{"properties": {"b": integer}}, {"properties": {"c": true}}]}),
                &[r#"{"a":1,"b":2}"#, r#"{"a":1,"c":"x"}"#],
                &[r#"{"d":1}"#, r#"{"a":1,"b":"x"}"#],
            ),
            (
                json!({"$defs": {"base": {"properties": {"a": true}}}, "$ref": "#/$defs/base", "properties": {"b": true}}),
                &[r#"{"a":1,"b":2}"#],
                &[r#"{"c":1}"#],
            ),
            // Conditions and negations follow the standard.
            (
                json!({
                    "type": "object",
                    "properties": {"kind": {"enum": ["a", "b"]}, "b": integer, "c": {}},
                    "if": {"properties": {"kind": {"const": "a"}}},
                    "then": {"required": ["b"]},
                }),
                &[r#"{"kind":"a","c":1,"b":2}"#, r#"{"kind":"b","c":1}"#],
                &[r#"{"kind":"a","c":1}"#, r#"{"kind":"b","d":1}"#],
            ),
            (
                json!({
                    "type": "object",
                    "if": {"properties": {"k": {"const": 1}}, "required": ["k"]},
                    "then": {"required": ["b"]},
                }),
                &[r#"{"k":1,"b":2}"#, r#"{"k":2}"#, r#"{"c":1}"#],
                &[r#"{"k":1}"#, r#"{"k":1,"c":2}"#],
            ),
            (
                json!({"type": "object", "not": {"properties": {"a": integer}}}),
                &[r#"{"a":"x","b":1}"#],
                &[r#"{"x":1}"#],
            ),
        ],
    );
}

#[test]
fn named_properties_come_in_written_order_before_others() {
    let ordered = config(|choices| choices.property_order = PropertyOrder::AsWritten);
    check(
        &ordered,
        &[
            (
                json!({"properties": {"b": true, "a": true}, "required": ["a"]}),
                &[r#"{"b":1,"a":2}"#, r#"{"a":2}"#, r#"{"a":2,"c":3,"d":4}"#],
                &[r#"{"a":2,"b":1}"#, r#"{"c":3,"a":2}"#, r#"{"b":1}"#],
            ),
            (
                json!({"enum": [{"b": 1, "a": 2}, {}, {"c": {"d": 1, "e": [{"g": 1, "f": 2}]}}]}),
                &[r#"{"b":1,"a":2}"#, "{}", r#"{"c":{"d":1,"e":[{"g":1,"f":2}]}}"#],
                &[r#"{"a":2,"b":1}"#, r#"{"b":1}"#, r#"{"c":{"d":1,"e":[{"f":2,"g":1}]}}"#],
            ),
        ],
    );
}

#[test]
fn separators_follow_the_configuration() {
    let separated = config(|choices| {
        choices.whitespace = Whitespace::Separators { item: ", ".into(), key: ": ".into() };
    });
    let schema = json!({"properties": {"a": {"type": "array"}}, "additionalProperties": false});
    let (right, wrong): (&[&str], &[&str]) =
        (&[r#"{"a": [1, {"b": 2, "c": 3}]}"#, "{}"], &[r#"{"a":[1, 2]}"#, r#"{"a": [1,2]}"#, "{ }", " {}"]);
    check(&separated, &[(schema.clone(), right, wrong)]);
    let compact = config(|choices| choices.whitespace = Whitespace::Compact);
    check(&compact, &[(schema, &[r#"{"a":[1,{"b":2,"c":3}]}"#], &[r#"{"a": [1]}"#, r#"{"a":[1, 2]}"#])]);
}

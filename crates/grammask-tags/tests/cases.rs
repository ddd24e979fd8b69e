//! Structural tags with texts and verdicts, and their errors.

#[path = "../../grammask-gbnf/tests/shared.rs"]
mod shared;

use Verdict::{Accept, Live, Reject};
use grammask_tags::{Config, translate};
use shared::{Verdict, verdict};

/// A format, and texts with verdicts.
type Case = (&'static str, &'static [(&'static str, Verdict)]);

/// A list of triggered tags `<f=a>1</f>`, with further fields.
macro_rules! triggered {
    ($fields:literal) => {
        concat!(
            r#"{"type": "triggered_tags", "triggers": ["<f"], "tags": [{"type": "tag", "begin": "<f=a>","#,
            r#" "content": {"type": "const_string", "value": "1"}, "end": "</f>"}]"#,
            $fields,
            "}"
        )
    };
}

const CASES: &[Case] = &[
    (
        triggered!(r#", "at_least_one": true"#),
        &[("hi<f=a>1</f>", Reject(0)), ("<f=a>1</f>", Accept), ("<f=a>1</f>x<f=a>1</f>", Accept), ("", Live)],
    ),
    (triggered!(r#", "stop_after_first": true"#), &[("hi", Accept), ("<f=a>1</f>x", Reject(10))]),
    (triggered!(""), &[("hi<f", Live), ("hi<", Accept), ("", Accept), ("hi<f=b", Reject(5))]),
    (
        triggered!(r#", "at_least_one": true, "stop_after_first": true, "excludes": ["x"]"#),
        &[("<f=a>1</f>x", Reject(10)), ("<f=a>1</f>", Accept)],
    ),
    (
        triggered!(r#", "excludes": ["no"]"#),
        &[("no", Reject(1)), ("<f=a>1</f>no", Reject(11)), ("n<f=a>1</f>o", Accept)],
    ),
    (triggered!(r#", "excludes": ["<"]"#), &[("x", Accept), ("<", Reject(0))]),
    (
        r#"{"type": "tag", "begin": "<a>", "content": {"type": "any_text"}, "end": ["</a>", "</b>"]}"#,
        &[("<a></b></a>", Reject(7)), ("<a>x</b>", Accept), ("<a>x</", Live)],
    ),
    (
        r#"{"type": "tag", "begin": "<a>", "content": {"type": "regex", "pattern": "[a-z]*"}, "end": "b"}"#,
        &[("<a>abb", Accept)],
    ),
    (
        r#"{"type": "tag", "begin": "<a>", "content": {"type": "any_text"}, "end": ["", "</a>"]}"#,
        &[("<a>x", Accept), ("<a>x</a>", Accept), ("<a></a>x", Reject(7))],
    ),
    (
        r#"{"type": "tags_with_separator", "stop_after_first": true, "separator": ",", "tags":
            [{"begin": "A", "content": {"type": "const_string", "value": ""}, "end": ""}]}"#,
        &[("", Accept), ("A", Accept), ("A,A", Reject(1))],
    ),
    (
        r#"{"type": "tags_with_separator", "separator": ",", "at_least_one": true, "tags":
            [{"begin": "A", "content": {"type": "const_string", "value": ""}, "end": ""}]}"#,
        &[("", Live), ("A,A,A", Accept), ("A,", Live)],
    ),
    (
        r#"{"type": "json_schema", "any_order": true, "json_schema": {"type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}}"#,
        &[(r#"{"a":1,"a":2}"#, Reject(8)), (r#"{"b": 1, "a": 2}"#, Accept)],
    ),
    (
        r#"{"type": "tag", "begin": "<r>", "end": "</r>", "content":
            {"type": "dispatch", "rules": [["<f>", {"type": "const_string", "value": "1"}]]}}"#,
        &[("<r>x</r>y</r>", Accept), ("<r><f>1</r>", Accept), ("<r><f></r>", Reject(6))],
    ),
    (
        r#"{"type": "tag", "begin": "<r>", "end": "</r>", "content":
            {"type": "triggered_tags", "triggers": ["<f"], "tags":
            [{"type": "tag", "begin": "<f>", "content": {"type": "any_text"}, "end": "</f>"}]}}"#,
        &[("<r>x</r>y", Reject(8)), ("<r><f></r></f>z</r>", Accept)],
    ),
    (
        r#"{"type": "json_schema", "json_schema": {"type": "object", "properties":
            {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]}}"#,
        &[
            (r#"{ "a" : 1 , "b":"x"}"#, Accept),
            (r#"{"b":"x","a":1}"#, Reject(2)),
            (r#"{"a":1,"c":2}"#, Reject(8)),
            (" {", Reject(0)),
            (r#"{"a":1} "#, Reject(7)),
        ],
    ),
    (
        r#"{"type": "sequence", "elements": [{"type": "any_text", "max_chars": 2},
            {"type": "repeat", "min": 1, "max": -1, "content": {"type": "const_string", "value": "é"}}]}"#,
        &[("ééé", Accept), ("ab", Live), ("abc", Reject(2))],
    ),
    (
        r#"{"type": "any_text", "excludes": ["ab"], "max_chars": 2}"#,
        &[("aa", Accept), ("ab", Reject(1)), ("aaa", Reject(2))],
    ),
    (r#"{"type": "any_text", "excludes": [""]}"#, &[("", Accept), ("a", Reject(0))]),
    (
        r#"{"type": "or", "elements": [{"type": "grammar", "grammar": "root ::= x\nx ::= \"q\"+"},
            {"type": "star", "content": {"type": "const_string", "value": "ab"}}]}"#,
        &[("qq", Accept), ("abab", Accept), ("", Accept), ("qa", Reject(1))],
    ),
    (
        r#"{"type": "json_schema", "style": "qwen_xml", "json_schema": {"type": "object", "properties":
            {"a": {"type": "integer"}, "b": {"type": "string"}, "e": {"enum": ["p q", 1]}}, "required": ["a"]}}"#,
        &[
            (" <parameter=a> 1\n</parameter>\n<parameter=b>x y<\n</p</parameter>", Accept),
            ("<parameter=b>x", Reject(11)),
            ("<parameter=a>1</parameter><parameter=c>", Reject(37)),
            ("<parameter=a>1</parameter><parameter=e>p q</parameter>", Accept),
            ("<parameter=a>1</parameter><parameter=e>\"", Reject(39)),
            ("", Live),
        ],
    ),
    (
        r#"{"type": "json_schema", "style": "deepseek_xml", "json_schema": {"type": "object", "properties":
            {"a": {"type": ["integer", "string"]}}, "required": ["a"]}}"#,
        &[
            ("<｜DSML｜parameter name=\"a\" string=\"false\">1</｜DSML｜parameter>", Accept),
            ("<｜DSML｜parameter name=\"a\" string=\"true\">x</｜DSML｜parameter>", Accept),
        ],
    ),
    (
        r#"{"type": "json_schema", "style": "cohere_xml", "json_schema": {"type": "object", "properties":
            {"o": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
             "l": {"type": "array", "items": {"type": "string"}}}}}"#,
        &[
            (
                "<cofl:value name=\"o\" type=\"dict\"><cofl:value name=\"x\" type=\"json\">1</cofl:value></cofl:value>",
                Accept,
            ),
            (
                "<cofl:value name=\"l\" type=\"list\"><cofl:value type=\"raw\">a</cofl:value></cofl:value>",
                Accept,
            ),
            ("<cofl:value name=\"l\" type=\"json\"", Reject(27)),
        ],
    ),
    (
        r#"{"type": "json_schema", "style": "deepseek_xml", "json_schema": {"type": "object"}}"#,
        &[
            ("<｜DSML｜parameter name=\"a\" string=\"false\">[1]</｜DSML｜parameter>", Accept),
            ("<｜DSML｜parameter name=\"a\" string=\"true\">x y</｜DSML｜parameter>", Accept),
            ("<｜DSML｜parameter name=\"a\" string=\"false\">x", Reject(45)),
            ("", Accept),
        ],
    ),
    (
        r#"{"type": "json_schema", "style": "deepseek_xml", "json_schema": {"type": "object",
            "properties": {"a": {"type": "integer"}}, "additionalProperties": true}}"#,
        &[
            ("<｜DSML｜parameter name=\"a\" string=\"false\">1</｜DSML｜parameter>", Accept),
            ("<｜DSML｜parameter name=\"ab\" string=\"true\">x</｜DSML｜parameter>", Accept),
            ("<｜DSML｜parameter name=\"a\" string=\"true\">", Reject(38)),
        ],
    ),
    (
        r#"{"type": "json_schema", "style": "cohere_xml", "json_schema": {"type": "object", "properties":
            {"l": {"type": "array", "maxItems": 1}}, "additionalProperties": true}}"#,
        &[
            (
                "<cofl:value name=\"l\" type=\"list\"><cofl:value type=\"dict\">\
                 <cofl:value name=\"x\" type=\"raw\">y</cofl:value></cofl:value></cofl:value>",
                Accept,
            ),
            ("<cofl:value name=\"l\" type=\"list\"><cofl:value type=\"json\">\"", Reject(57)),
            ("<cofl:value name=\"q\" type=\"json\">null</cofl:value>", Accept),
            ("<cofl:value name=\"l\" type=\"raw\">", Reject(27)),
        ],
    ),
    (
        r#"{"type": "json_schema", "style": "minimax_m3_xml", "json_schema": {"type": "object", "properties":
            {"a": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2}}}}"#,
        &[
            ("]<]minimax[>[<a>]<]minimax[>[<item>1]<]minimax[>[</item>]<]minimax[>[</a>", Accept),
            ("]<]minimax[>[<a>]<]minimax[>[</a>", Reject(30)),
            ("]<]minimax[>[<a>1", Reject(16)),
        ],
    ),
    (r#"{"type": "any_text", "max_tokens": 0}"#, &[("", Accept), ("a", Reject(0))]),
    (
        r#"{"type": "triggered_tags", "triggers": ["<f", "<g"], "at_least_one": true, "stop_after_first": true,
            "tags": [{"begin": "<f>", "content": {"type": "const_string", "value": "1"}, "end": "."}]}"#,
        &[("<f>1.", Accept), ("<g", Reject(1))],
    ),
    (
        r##"{"type": "json_schema", "style": "glm_xml", "json_schema": {"$defs": {"t": {"type": "integer"}},
            "type": "object", "properties": {"a": {"$ref": "#/$defs/t"}}, "required": ["a"],
            "additionalProperties": {"type": "boolean"}}}"##,
        &[
            ("<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n", Accept),
            (
                "<arg_key>a</arg_key><arg_value>1</arg_value><arg_key>q</arg_key><arg_value>true</arg_value>",
                Accept,
            ),
            ("<arg_key>a</arg_key><arg_value>x", Reject(31)),
        ],
    ),
];

fn tag_of(format: &str) -> String {
    format!("{{\"type\": \"structural_tag\", \"format\": {format}}}")
}

#[test]
fn formats_mean_what_they_mean_in_xgrammar() {
    for (format, texts) in CASES {
        let outcome = translate(&tag_of(format), &Config::default())
            .unwrap_or_else(|errors| panic!("{format}\n{}", errors.render()));
        for (text, expected) in *texts {
            assert_eq!(verdict(&outcome, text), *expected, "{format}\n{}\n{text:?}", outcome.ast);
        }
    }
}

#[test]
fn each_tree_is_read_again_from_its_text() {
    for (format, _) in CASES {
        let ast = translate(&tag_of(format), &Config::default()).expect("the tag is valid").ast;
        let printed = ast.to_string();
        let again = grammask_syntax::parse(&printed, &Default::default());
        let again = again.unwrap_or_else(|errors| panic!("{}", errors.render(&printed, "kbnf")));
        assert!(again.same_as(&ast), "{format}\n{printed}\n{again}");
    }
}

#[test]
fn tokens_and_excluded_strings_are_exact() {
    let cases = [
        (
            r#"{"type": "any_tokens", "exclude_tokens": [1, "<a>"]}"#,
            "root ::= (#'(?s-u:.)' | special!(~ <[1]>, '<a>'))*;",
        ),
        (
            r#"{"type": "plus", "content": {"type": "exclude_token", "exclude_tokens": [1]}}"#,
            "root ::= (#'(?s-u:.)' | special!(~ <[1]>))+;",
        ),
        (
            r#"{"type": "tag", "begin": "a", "content": {"type": "any_tokens"}, "end": {"type": "token", "token": 6}}"#,
            "root ::= 'a' (#'(?s-u:.)' | special!(~ <[6]>))* <[6]>;",
        ),
        (
            r#"{"type": "token_dispatch", "rules": [[5, {"type": "const_string", "value": "b"}]], "loop": false}"#,
            "root ::= (#'(?s-u:.)' | special!(~ <[5]>))* <[5]> 'b' | (#'(?s-u:.)' | special!(~ <[5]>))*;",
        ),
    ];
    for (format, expected) in cases {
        let outcome = translate(&tag_of(format), &Config::default())
            .unwrap_or_else(|errors| panic!("{format}\n{}", errors.render()));
        let printed = outcome.ast.to_string();
        assert!(printed.ends_with(&format!("\n{expected}\n")), "{format}\n{printed}");
    }
    let format = r#"{"type": "json_schema", "excludes": ["</f>", "x"], "json_schema": {"type": "object",
        "properties": {"a": {"enum": ["x", "y"]}, "x": {"type": "integer"}}, "additionalProperties": {"type": "string"}}}"#;
    let outcome = translate(&tag_of(format), &Config::default()).expect("the tag is valid");
    for (text, expected) in [
        (r#"{"a":"y"}"#, Accept),
        (r#"{"a":"x"}"#, Reject(6)),
        (r#"{"x":1}"#, Reject(2)),
        (r#"{"b":"</f"}"#, Accept),
        (r#"{"b":"</f>"}"#, Reject(9)),
        (r#"{"b</f>"#, Reject(6)),
    ] {
        assert_eq!(verdict(&outcome, text), expected, "{text}\n{}", outcome.ast);
    }
}

#[test]
fn the_older_form_is_a_list_of_triggered_tags() {
    let text = r#"{"triggers": ["<f"], "structures": [{"begin": "<f>", "end": "</f>", "schema":
        {"type": "object", "properties": {"q": {"type": "integer"}}, "required": ["q"]}}]}"#;
    let outcome = translate(text, &Config::default()).expect("the tag is valid");
    assert_eq!(verdict(&outcome, "a<f>{\"q\":1}</f>b"), Accept);
    assert_eq!(verdict(&outcome, "a<f>{\"r"), Reject(6));
}

#[test]
fn wrong_tags_have_an_error_with_a_place() {
    let tag = |fields: &str| format!("{{\"type\": \"tag\", \"begin\": \"<a>\", {fields}}}");
    let cases = [
        ("{\"type\": \"foo\"}".to_owned(), "`foo` is not a type of a format"),
        ("{\"type\": \"const_string\"}".to_owned(), "the field `value` is missing"),
        ("{\"type\": \"sequence\", \"elements\": []}".to_owned(), "`elements` must not be empty"),
        (
            "{\"type\": \"repeat\", \"min\": 2, \"max\": 1, \"content\": 1}".to_owned(),
            "the bounds 2 and 1 are the wrong way round",
        ),
        (tag(r#""content": {"type": "any_text"}, "end": """#), "free text needs an end that is not empty"),
        (tag(r#""content": {"type": "any_text"}, "end": []"#), "`end` must not be empty"),
        (
            r#"{"type": "triggered_tags", "triggers": ["<f", "<f="], "tags":
                [{"begin": "<f=a>", "content": {"type": "any_text"}, "end": "e"}]}"#
                .to_owned(),
            "two triggers begin the tag \"<f=a>\"",
        ),
        (
            r#"{"type": "triggered_tags", "triggers": ["<g"], "tags":
                [{"begin": "<f=a>", "content": {"type": "any_text"}, "end": "e"}]}"#
                .to_owned(),
            "no trigger begins the tag \"<f=a>\"",
        ),
        ("{\"type\": \"regex\", \"pattern\": \"(\"}".to_owned(), "the group is not closed"),
        (
            "{\"type\": \"grammar\", \"grammar\": \"root ::= (\"}".to_owned(),
            "(grammar 1):1:10: the group is not closed",
        ),
        ("{\"type\": \"json_schema\", \"json_schema\": {\"type\": 1}}".to_owned(), "JSON Schema at"),
        ("{\"type\": \"any_text\", \"max_chars\": -1}".to_owned(), "`max_chars` must not be negative"),
        ("{\"type\": \"exclude_token\"}".to_owned(), "a grammar cannot demand where tokens of text end"),
        ("[".repeat(2_000), "more than 1000 levels of arrays and objects (limit `max_json_nesting`)"),
        ("{".to_owned(), "not JSON"),
    ];
    for (format, message) in cases {
        let result = translate(&tag_of(&format), &Config::default());
        let errors = result.map(|outcome| outcome.ast.to_string()).expect_err(&format).to_string();
        assert!(errors.contains(message) && errors.starts_with("tags.json"), "{format}\n{errors}");
    }
}

#[test]
fn nested_formats_are_limited() {
    let depth = 300;
    let format =
        r#"{"type": "star", "content": "#.repeat(depth) + r#"{"type": "any_text"}"# + &"}".repeat(depth);
    let errors = translate(&tag_of(&format), &Config::default()).unwrap_err().to_string();
    assert!(errors.contains("more than 200 nested formats (limit `max_format_depth`)"), "{errors}");
}

//! Inputs on which an engine without limits works for seconds or minutes, though they are short.
//!
//! Each is an example of a class of inputs. A test asserts that every call ends within its account of work,
//! and `cargo xtask worst` measures the time.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The notation of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A grammar in KBNF.
    Kbnf(String),
    /// The text of a JSON Schema.
    Schema(String),
}

/// One input, and an output along which masks are computed.
#[derive(Clone, Debug)]
pub struct WorstCase {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The grammar or schema.
    pub source: Source,
    /// The output, as far as the grammar allows it.
    pub output: String,
}

/// Returns the inputs. `scale` multiplies the sizes of those that have one; 1 is for tests, 10 for measuring.
pub fn worst_cases(scale: usize) -> Vec<WorstCase> {
    let schema = |name, text: String, output: &str| WorstCase {
        name: Cow::Borrowed(name),
        source: Source::Schema(text),
        output: output.to_owned(),
    };
    let kbnf = |name, text: String, output: String| WorstCase {
        name: Cow::Borrowed(name),
        source: Source::Kbnf(text),
        output,
    };
    vec![
        schema("products of multiples", PRODUCTS_OF_MULTIPLES.to_owned(), "13860"),
        schema("intersections of residues", INTERSECTIONS_OF_RESIDUES.to_owned(), "1386"),
        schema("patterns under not and anyOf", PATTERNS_UNDER_NOT.to_owned(), "\"ab1 b12\""),
        schema("nullable parts", pattern(&nullable_parts(50 * scale)), "\"abcabc"),
        schema("mixed nullable parts", pattern(&mixed_nullable_parts(50 * scale)), "\"abcxxx"),
        schema("members of const", many_members(300 * scale), "{\"key 0\":0,"),
        schema("overlapping keys", overlapping_keys(12), "{\"a1b\":1,\"zz"),
        schema("kinds of objects", kinds_of_objects(12), "{\"type\":\"Kind3\",\"at\":[[1,2.5"),
        schema("kinds of expressions", kinds_of_expressions(10), "{\"op3\":{\"op1\":{\"op0"),
        schema("paths and digits", PATHS_AND_DIGITS.to_owned(), "\"/data/v12/x/3"),
        schema("ranges of characters", pattern(&ranges(300)), "\"\u{101}\u{108}"),
        schema(
            "international mail",
            r#"{"type":"string","format":"idn-email"}"#.to_owned(),
            "\"m\u{fc}ller@ex",
        ),
        kbnf("distinct texts without an end", DISTINCT_WITHOUT_END.to_owned(), "abc ab".to_owned()),
        kbnf("ambiguous both ways", AMBIGUOUS.to_owned(), "ab".repeat(25 * scale)),
        kbnf("cubic", CUBIC.to_owned(), "xy ".repeat(20 * scale)),
        kbnf("long cycles", long_cycles(3 * scale), "aa".to_owned()),
        kbnf("alternatives", alternatives(2_000 * scale), "ab".to_owned()),
        kbnf("names", names(2_500 * scale), "aa".to_owned()),
        kbnf("nested counters", NESTED_COUNTERS.to_owned(), "a".repeat(40)),
    ]
}

const PRODUCTS_OF_MULTIPLES: &str = r#"{"type":"number","allOf":[
    {"oneOf":[{"multipleOf":33},{"multipleOf":20},{"multipleOf":91}]},
    {"oneOf":[{"not":{"anyOf":[{"multipleOf":10},{"multipleOf":7}]}},{"multipleOf":52}]},
    {"oneOf":[{"not":{"multipleOf":13}},{"multipleOf":11}]},{"not":{"multipleOf":16}}]}"#;

const INTERSECTIONS_OF_RESIDUES: &str = r#"{"type":"integer","minimum":-100000,"maximum":99999999,"allOf":[
    {"anyOf":[{"multipleOf":21},{"multipleOf":22},{"multipleOf":26}]},
    {"anyOf":[{"multipleOf":9},{"multipleOf":14},{"multipleOf":35}]},
    {"not":{"anyOf":[{"multipleOf":8},{"multipleOf":27},{"multipleOf":25},{"multipleOf":49}]}}]}"#;

const PATTERNS_UNDER_NOT: &str = r#"{"type":"string","maxLength":80,"allOf":[
    {"not":{"pattern":"^.{60}$"}},{"anyOf":[{"pattern":"ab1"},{"pattern":"b12"},{"not":{"pattern":"c"}}]},
    {"not":{"anyOf":[{"pattern":"^.{61}$"},{"pattern":"12c"},{"pattern":"^.{7}x.{9}y"}]}},
    {"anyOf":[{"pattern":"1.{12}b"},{"not":{"pattern":"b.{11}1"}}]}]}"#;

const PATHS_AND_DIGITS: &str = r#"{"type":"string","allOf":[
    {"pattern":"/data/v\\d+/.*/\\d+"},{"not":{"pattern":"/\\d+/old/"}},
    {"not":{"pattern":"\\d{3}/[a-z]+\\d"}},{"pattern":"x"}]}"#;

const DISTINCT_WITHOUT_END: &str = "start ::= unordered!(distinct!(#'[a-z ]+'));";
const AMBIGUOUS: &str = "start ::= 'a' start 'b' | #'[ -~]' start | start #'[ -~]' | #'[ -~]';";
const CUBIC: &str = "start ::= start start start | #'[ -~]' start | start #'[a-z]' | #'[ -~]+';";
const NESTED_COUNTERS: &str = "start ::= #'(a{2,9}b?){3,400}(a|ab){5,80}(a{3}b{0,2}){7,30}c';";

/// Returns the schema of the strings that match a pattern.
fn pattern(pattern: &str) -> String {
    format!("{{\"type\":\"string\",\"pattern\":\"{}\"}}", pattern.replace('\\', "\\\\"))
}

/// A concatenation of parts that may all be empty, some of which count.
fn nullable_parts(count: usize) -> String {
    format!("^{}$", "(?:(?:abc)?(?:\\w{1,40})?)".repeat(count))
}

/// As `nullable_parts`, with parts that differ from each other.
fn mixed_nullable_parts(count: usize) -> String {
    let parts = ["(?:abc)?", "(?:[a-f]+)?", "(?:\\w{1,40})?", "(?:x{3,900})?", "(?:(?:a|bc){5,77})?"];
    let parts: String = (0..count).map(|index| parts[index * index % 7 % parts.len()]).collect();
    format!("^{parts}$")
}

/// An object with many members as the only value.
fn many_members(count: usize) -> String {
    let members: Vec<String> = (0..count).map(|index| format!("\"key {index}\":{index}")).collect();
    format!("{{\"const\":{{{}}}}}", members.join(","))
}

/// An object whose keys match several patterns that are not anchored.
fn overlapping_keys(count: u8) -> String {
    let key = |index: u8| {
        let (first, last) = (char::from(b'a' + index), char::from(b'a' + (index * 7 + 3) % 26));
        format!("\"{first}[0-9]*{last}\":{{\"type\":\"integer\",\"minimum\":{index}}}")
    };
    let keys: Vec<String> = (0..count).map(key).collect();
    format!(
        "{{\"type\":\"object\",\"patternProperties\":{{{}}},\"additionalProperties\":false}}",
        keys.join(",")
    )
}

/// A union of kinds of objects with nested arrays of numbers. A key tells the kind.
fn kinds_of_objects(count: usize) -> String {
    let mut arrays = "{\"type\":\"number\"}".to_owned();
    let mut kinds = Vec::new();
    for index in 0..count {
        if index % 3 == 0 {
            arrays = format!("{{\"type\":\"array\",\"minItems\":{},\"items\":{arrays}}}", index % 2);
        }
        kinds.push(format!(
            "{{\"type\":\"object\",\"required\":[\"type\",\"at\"],\"properties\":{{\"type\":{{\"enum\":[\"Kind{index}\"]}},\"at\":{arrays},\"box\":{{\"type\":\"array\",\"minItems\":4,\"items\":{{\"type\":\"number\"}}}}}}}}"
        ));
    }
    format!("{{\"oneOf\":[{}]}}", kinds.join(","))
}

/// An expression is one of several kinds, each of which has expressions inside.
fn kinds_of_expressions(count: usize) -> String {
    let mut kinds = vec!["{\"type\":\"number\"}".to_owned()];
    for index in 0..count {
        kinds.push(format!(
            "{{\"type\":\"object\",\"properties\":{{\"op{index}\":{{\"$ref\":\"#/$defs/x\"}},\"with\":{{\"type\":\"array\",\"items\":{{\"$ref\":\"#/$defs/x\"}}}}}},\"required\":[\"op{index}\"],\"additionalProperties\":false}}"
        ));
    }
    format!("{{\"$defs\":{{\"x\":{{\"oneOf\":[{}]}}}},\"$ref\":\"#/$defs/x\"}}", kinds.join(","))
}

/// A pattern with a class of many ranges.
fn ranges(count: u32) -> String {
    let mut class = String::new();
    for index in 0..count {
        let first = 0x100 + index * 7;
        let _ = write!(class, "\\u{first:04x}-\\u{:04x}", first + 2);
    }
    format!("^[{class}]+[a-z{class}]{{0,40}}$")
}

/// Rules that intersect cycles of coprime lengths.
fn long_cycles(count: usize) -> String {
    let mut text = String::new();
    let names: Vec<String> = (0..count).map(|index| format!("r{index}")).collect();
    let _ = writeln!(text, "start ::= {};", names.join(" | "));
    let letters: Vec<char> = ('a'..='z').collect();
    for (index, name) in names.iter().enumerate() {
        let pair = [letters[index % 26], letters[index / 26 % 26]];
        let cycle =
            |length: usize| format!("#'(?:{0}{1}){{{length}}}(?:(?:{0}{1}){{{length}}})*'", pair[0], pair[1]);
        let all: Vec<String> = [7, 11, 13, 17].map(cycle).into();
        let _ = writeln!(text, "{name} ::= ({}) '!';", all.join(" & "));
    }
    text
}

/// A sequence of names of short rules.
fn names(count: usize) -> String {
    let names: String = (0..count).map(|number| format!("r{number} ")).collect();
    let rules: String = (0..count).map(|number| format!("r{number} ::= 'a';")).collect();
    format!("start ::= {names};{rules}")
}

/// A long sequence of groups: each is a rule of its own.
fn alternatives(count: usize) -> String {
    format!("start ::= {};", "('a'|'b') ".repeat(count))
}

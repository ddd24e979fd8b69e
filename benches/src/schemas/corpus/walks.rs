//! `maskbench --walks`: documents of a random model, which a validator must find valid, and random
//! tokenizations of valid documents, which must be allowed.

use std::fmt::{self, Display, Formatter};

use anyhow::Context;
use grammask::{Grammar, Mask, TokenId};
use jsonschema::Validator;
use serde_json::Value;

use super::maskbench::Bench;
use super::validator::validator;
use crate::input::random::Random;
use crate::input::vocabulary::Words;
use crate::schemas::data::Entry;
use crate::schemas::follow::catching;
use crate::schemas::options::MaskbenchOptions;
use crate::schemas::tally::Failure;

/// Maximum number of tokens of a document.
const MAX_TOKENS: usize = 2_000;

/// Number of tokens after which the model closes all that it can.
const TOKENS_BEFORE_CLOSING: usize = 300;

/// Number of tokenizations of each valid document.
const TOKENIZATIONS_PER_DOCUMENT: usize = 3;

/// Maximum bytes of a token of these.
const MAX_TOKEN_BYTES: usize = 24;

/// Number of failures that are printed.
const MAX_LISTED: usize = 60;

/// Results of a run.
#[derive(Debug, Default)]
pub struct Walks {
    /// Schemas that compile.
    pub schemas: usize,
    /// Compiled schemas that the validator refuses.
    pub unchecked: Vec<String>,
    /// Documents that are valid.
    pub valid: usize,
    /// Documents that are not valid.
    pub invalid: usize,
    /// Documents that are valid but for a format that the grammar does not assert, and lists.
    pub relaxed: usize,
    /// Documents that were not finished.
    pub unfinished: usize,
    /// Documents that could not be finished, as no token of the vocabulary is allowed.
    pub stuck: usize,
    /// Documents beyond the validator: with more levels or greater numbers than it reads, or invalid ones
    /// with numbers that it rounds.
    pub unreadable: usize,
    /// Tokenizations of valid documents of the data.
    pub cuts: usize,
    /// Number of tokenizations that are refused.
    pub refused_cuts: usize,
    /// Failures.
    pub failures: Vec<Failure>,
}

/// Lets the model write documents of each schema that compiles, and tokenizes the valid documents.
///
/// # Errors
/// If a file cannot be read.
pub fn run(options: &MaskbenchOptions) -> anyhow::Result<Walks> {
    let count = options.walks.unwrap_or_default();
    let bench = Bench::load(options)?;
    let model = Model::new(&bench.words);
    let parts = bench.on_threads(options.threads, |lines| {
        let mut walks = Walks::default();
        for (index, line) in lines {
            let Ok(entry) = Entry::parse(line) else { continue };
            bench.enter(&entry.name);
            let mut causes = Vec::new();
            let walked = catching(|| walk(&bench, &model, index, &entry, count, &mut walks, &mut causes));
            causes.extend(walked.err());
            if !causes.is_empty() {
                walks.failures.push(Failure { index, engine: "grammask", name: entry.name, causes });
            }
        }
        Ok(walks)
    })?;
    let sum = parts.into_iter().reduce(Walks::and).context("no threads")?;
    Ok(sum)
}

fn walk(
    bench: &Bench,
    model: &Model<'_>,
    index: usize,
    entry: &Entry,
    count: usize,
    walks: &mut Walks,
    causes: &mut Vec<String>,
) {
    let Ok(grammar) = Grammar::from_json_schema(&entry.schema, &bench.vocabulary, &bench.config) else {
        return;
    };
    walks.schemas += 1;
    let random = |number: usize| Random::new((index as u64) << 16 | number as u64);
    match validator(&entry.schema, bench.config.json_schema.draft, &[]) {
        Ok(validator) => {
            let names = required(&entry.schema);
            for number in 0..count {
                check(
                    model.write(&grammar, &names, &mut random(number)),
                    &validator,
                    &grammar,
                    walks,
                    causes,
                );
            }
        }
        Err(error) => walks.unchecked.push(format!("{}: {error}", entry.name)),
    }
    for (number, instance) in entry.instances.iter().enumerate().filter(|(_, instance)| instance.is_valid) {
        for cut in 0..TOKENIZATIONS_PER_DOCUMENT {
            walks.cuts += 1;
            let mut random = random(count + number * TOKENIZATIONS_PER_DOCUMENT + cut);
            if let Err(cause) = model.read(&grammar, instance.text.as_bytes(), &mut random) {
                walks.refused_cuts += 1;
                causes.push(format!("instance {number}: {cause}"));
            }
        }
    }
}

/// Returns all names that the schema requires, in quotes.
fn required(schema: &Value) -> Vec<Vec<u8>> {
    let mut names = std::collections::BTreeSet::new();
    let mut rest = vec![schema];
    while let Some(schema) = rest.pop() {
        match schema {
            Value::Object(members) => {
                let list = members.get("required").and_then(Value::as_array);
                let list = list.into_iter().flatten().filter(|name| name.is_string());
                names.extend(list.map(|name| name.to_string().into_bytes()));
                rest.extend(members.values());
            }
            Value::Array(items) => rest.extend(items),
            _ => {}
        }
    }
    names.into_iter().collect()
}

fn check(
    written: Written,
    validator: &Validator,
    grammar: &Grammar,
    walks: &mut Walks,
    causes: &mut Vec<String>,
) {
    let text = match written {
        Written::Finished(text) => text,
        Written::Unfinished => {
            walks.unfinished += 1;
            return;
        }
        Written::Stuck(text) => {
            walks.stuck += 1;
            causes.push(format!("stuck: {}", String::from_utf8_lossy(&text)));
            return;
        }
        Written::Trouble(what) => {
            walks.invalid += 1;
            causes.push(what);
            return;
        }
    };
    let document: Value = match serde_json::from_slice(&text) {
        Ok(document) => document,
        Err(error) => {
            let error = error.to_string();
            if error.contains("out of range") || error.contains("recursion limit") {
                walks.unreadable += 1;
            } else {
                walks.invalid += 1;
                causes.push(format!("no JSON, {error}: {}", String::from_utf8_lossy(&text)));
            }
            return;
        }
    };
    let Some(error) = validator.iter_errors(&document).next() else {
        walks.valid += 1;
        return;
    };
    if has_number_read_otherwise(&text) {
        walks.unreadable += 1;
        return;
    }
    let is_weak = grammar.relaxations().iter().any(|relaxation| relaxation.keyword == "format");
    if is_weak && error.kind().keyword() == "format" {
        walks.relaxed += 1;
        return;
    }
    walks.invalid += 1;
    causes.push(format!(
        "document invalid by {} at '{}': {error}: {}",
        error.schema_path(),
        error.instance_path(),
        String::from_utf8_lossy(&text)
    ));
}

/// Returns `true` if the validator reads a number as another one. Such a number has more digits than floating
/// point keeps, becomes zero, or is `-0`, which it takes for a fraction. Digits in strings count as well.
fn has_number_read_otherwise(text: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b".eE+-".contains(byte);
    text.split(|byte| !is_part(byte)).any(|number| {
        let mantissa = number.split(|byte| b"eE".contains(byte)).next().unwrap_or_default();
        let digits = mantissa.iter().filter(|byte| byte.is_ascii_digit());
        let is_some = mantissa.iter().any(|byte| (b'1'..=b'9').contains(byte));
        let is_nothing = std::str::from_utf8(number).is_ok_and(|number| number.parse() == Ok(0.0_f64));
        digits.count() > 14 || (is_some && is_nothing) || number == b"-0"
    })
}

/// Result of a document.
enum Written {
    Finished(Vec<u8>),
    /// There were too many tokens.
    Unfinished,
    /// No token is allowed.
    Stuck(Vec<u8>),
    /// A mask contradicts `accept`, or a limit was hit.
    Trouble(String),
}

/// A random model that only knows how to come to an end.
struct Model<'w> {
    words: &'w Words,
    /// Tokens that only end strings, arrays and objects.
    closers: Vec<TokenId>,
}

impl<'w> Model<'w> {
    fn new(words: &'w Words) -> Self {
        let is_closer = |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(|byte| b"\"]}".contains(byte));
        let closers = words.tokens.iter().filter(|(_, bytes)| is_closer(bytes)).map(|(id, _)| TokenId(*id));
        Self { words, closers: closers.collect() }
    }

    /// Writes a document. `names` are the names of required properties.
    fn write(&self, grammar: &Grammar, names: &[Vec<u8>], random: &mut Random) -> Written {
        let mut matcher = grammar.matcher();
        // Rest of the name that it is writing, the next byte last.
        let mut planned: Vec<u8> = Vec::new();
        for spent in 0..MAX_TOKENS {
            if planned.is_empty() && !names.is_empty() && random.chance(1000 * spent / TOKENS_BEFORE_CLOSING)
            {
                planned = self.plan(matcher.text(), names, random);
            }
            let next = planned.pop().and_then(|byte| self.words.ids().get(&[byte][..]));
            let next = next.map(|id| TokenId(*id)).filter(|&id| matcher.mask().allows(id));
            let token = next.or_else(|| {
                planned.clear();
                self.choose(matcher.mask(), spent, random)
            });
            if let Some(error) = matcher.error() {
                return Written::Trouble(error.to_string());
            }
            let Some(token) = token else { return Written::Stuck(matcher.text().to_vec()) };
            if token.0 == self.words.end {
                return Written::Finished(matcher.text().to_vec());
            }
            let outcome = matcher.accept(token);
            if !outcome.is_accepted() {
                let text = String::from_utf8_lossy(matcher.text());
                return Written::Trouble(format!("a token of the mask, {token}, is {outcome} after {text}"));
            }
        }
        Written::Unfinished
    }

    /// Returns a required name, backwards with its quotes, where a name is allowed. Without required names,
    /// objects that allow any other key would never end.
    fn plan(&self, text: &[u8], names: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
        if !matches!(text.trim_ascii_end().last(), Some(b'{' | b',')) {
            return Vec::new();
        }
        let is_missing = |name: &&Vec<u8>| !text.windows(name.len()).any(|part| part == &name[..]);
        let missing: Vec<&Vec<u8>> = names.iter().filter(is_missing).collect();
        let name = if missing.is_empty() || random.chance(300) {
            &names[random.below(names.len())]
        } else {
            missing[random.below(missing.len())]
        };
        name.iter().rev().copied().collect()
    }

    fn choose(&self, mask: &Mask, spent: usize, random: &mut Random) -> Option<TokenId> {
        let end = TokenId(self.words.end);
        if mask.allows(end) && random.chance(700) {
            return Some(end);
        }
        if random.chance(250 + 750 * spent / TOKENS_BEFORE_CLOSING) {
            let closers: Vec<TokenId> = self.closers.iter().copied().filter(|&id| mask.allows(id)).collect();
            if !closers.is_empty() {
                return Some(closers[random.below(closers.len())]);
            }
        }
        // White space is allowed nearly everywhere, and would be most of the text.
        let is_space = |id: TokenId| self.words.bytes(id.0).iter().all(u8::is_ascii_whitespace);
        let keeps_space = spent < TOKENS_BEFORE_CLOSING && random.chance(200);
        let count = self.words.id_count();
        for _ in 0..64 {
            let id = TokenId(random.below(count) as u32);
            if mask.allows(id) && (keeps_space || !is_space(id)) {
                return Some(id);
            }
        }
        let allowed: Vec<TokenId> = mask.iter().collect();
        let others: Vec<TokenId> =
            allowed.iter().copied().filter(|&id| keeps_space || !is_space(id)).collect();
        let choice = if others.is_empty() { allowed } else { others };
        (!choice.is_empty()).then(|| choice[random.below(choice.len())])
    }

    /// Cuts a text at random, and follows it.
    fn read(&self, grammar: &Grammar, text: &[u8], random: &mut Random) -> Result<(), String> {
        let ids = self.words.ids();
        let mut matcher = grammar.matcher();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let tokens: Vec<(usize, u32)> = (1..=rest.len().min(MAX_TOKEN_BYTES))
                .filter_map(|n| Some((n, *ids.get(&rest[..n])?)))
                .collect();
            if tokens.is_empty() {
                return Err(format!("byte {} begins no token", rest[0]));
            }
            let (length, token) = tokens[random.below(tokens.len())];
            let is_allowed = matcher.mask().allows(TokenId(token));
            let outcome = matcher.accept(TokenId(token));
            if !is_allowed || !outcome.is_accepted() {
                let token = String::from_utf8_lossy(&rest[..length]);
                let before = String::from_utf8_lossy(&text[at.saturating_sub(40)..at]);
                let allowed = if is_allowed { "in the mask" } else { "not in the mask" };
                return Err(format!(
                    "cut at random, byte {at}: {token:?} after {before:?} is {allowed}, and {outcome}"
                ));
            }
            at += length;
        }
        if matcher.mask().allows(TokenId(self.words.end)) {
            Ok(())
        } else {
            Err("cut at random: the end is not allowed".to_owned())
        }
    }
}

impl Walks {
    fn and(mut self, other: Self) -> Self {
        self.schemas += other.schemas;
        self.unchecked.extend(other.unchecked);
        self.valid += other.valid;
        self.invalid += other.invalid;
        self.relaxed += other.relaxed;
        self.unfinished += other.unfinished;
        self.stuck += other.stuck;
        self.unreadable += other.unreadable;
        self.cuts += other.cuts;
        self.refused_cuts += other.refused_cuts;
        self.failures.extend(other.failures);
        self.failures.sort();
        self
    }
}

/// Tables as Markdown.
impl Display for Walks {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "| | |\n| --- | --: |")?;
        writeln!(f, "| schemas that compile | {} |", self.schemas)?;
        writeln!(f, "| of these, without validator | {} |", self.unchecked.len())?;
        writeln!(f, "| documents valid | {} |", self.valid)?;
        writeln!(f, "| documents invalid | {} |", self.invalid)?;
        writeln!(f, "| documents invalid by a format that is not asserted | {} |", self.relaxed)?;
        writeln!(f, "| documents not finished in {MAX_TOKENS} tokens | {} |", self.unfinished)?;
        writeln!(f, "| documents that no token goes on with | {} |", self.stuck)?;
        writeln!(
            f,
            "| documents that the validator cannot read, or not without rounding | {} |",
            self.unreadable
        )?;
        writeln!(f, "| valid documents cut at random | {} |", self.cuts)?;
        writeln!(f, "| of these, refused | {} |", self.refused_cuts)?;
        if !self.failures.is_empty() {
            writeln!(f, "\n## Failures\n")?;
        }
        for failure in self.failures.iter().take(MAX_LISTED) {
            let first: String =
                failure.causes.first().into_iter().flat_map(|cause| cause.chars().take(400)).collect();
            writeln!(
                f,
                "- {} ({} failures): {}",
                failure.name,
                failure.causes.len(),
                first.replace('\n', " ")
            )?;
        }
        if let Some(rest) = self.failures.len().checked_sub(MAX_LISTED).filter(|&rest| rest > 0) {
            writeln!(f, "\n{rest} more schemas")?;
        }
        if !self.unchecked.is_empty() {
            writeln!(f, "\n## Schemas that the validator does not take\n")?;
        }
        for line in self.unchecked.iter().take(MAX_LISTED) {
            writeln!(f, "- {}", line.replace('\n', " "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use grammask::Config;
    use grammask_json_schema::Draft;
    use serde_json::json;

    use super::*;

    const JSON: &str = r#"
        start ::= value;
        value ::= object | array | string | number | 'true' | 'false' | 'null';
        object ::= '{' [string ':' value {',' string ':' value}] '}';
        array ::= '[' [value {',' value}] ']';
        string ::= #'"[a-z\\x20]*"';
        number ::= #'-?[1-9][0-9]{0,5}|0';
    "#;

    fn grammar(words: &Words) -> Grammar {
        let config = Config::default().ending_with([TokenId(words.end)]);
        Grammar::compile(JSON, &words.vocabulary().expect("bytes"), &config).expect("a grammar")
    }

    fn walks(schema: &Value) -> Walks {
        let words = Words::of_bytes();
        let (grammar, model) = (grammar(&words), Model::new(&words));
        let validator = validator(schema, Draft::Draft202012, &[]).expect("a schema");
        let (mut walks, mut causes) = (Walks::default(), Vec::new());
        for number in 0..40 {
            let written = model.write(&grammar, &[], &mut Random::new(number));
            check(written, &validator, &grammar, &mut walks, &mut causes);
        }
        assert_eq!(causes.len(), walks.invalid);
        walks
    }

    #[test]
    fn documents_come_to_an_end_and_are_valid() {
        let walks = walks(&json!({}));
        assert_eq!((walks.valid, walks.unfinished, walks.stuck, walks.unreadable), (40, 0, 0, 0));
    }

    #[test]
    fn required_names_are_found_anywhere() {
        let schema =
            json!({ "required": ["b"], "anyOf": [{ "properties": { "required": { "required": ["a"] } } }] });
        assert_eq!(required(&schema), [b"\"a\"".to_vec(), b"\"b\"".to_vec()]);
    }

    #[test]
    fn numbers_that_are_rounded_prove_nothing() {
        for text in ["[1, -1234567890.123456]", "[2,-0 ]", "{\"a\":-0}", "[1.5e-400]"] {
            assert!(has_number_read_otherwise(text.as_bytes()), "{text}");
        }
        for text in ["[12345678901234, 1.5e300]", "[-0.5, 0e-400, -10]"] {
            assert!(!has_number_read_otherwise(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_grammar_that_allows_too_much_is_caught() {
        let walks = walks(&json!({ "type": ["object", "array"], "maxItems": 0 }));
        assert!(walks.valid > 0 && walks.invalid > 0, "{walks}");
    }

    #[test]
    fn refused_text_is_reported_with_its_position() {
        let words = Words::of_bytes();
        let (grammar, model) = (grammar(&words), Model::new(&words));
        assert_eq!(model.read(&grammar, br#"{"a":[1,null]}"#, &mut Random::new(0)), Ok(()));
        let refused = model.read(&grammar, br#"{"a":01}"#, &mut Random::new(0));
        assert!(refused.is_err_and(|cause| cause.contains("byte 6")));
        let unfinished = model.read(&grammar, b"[1", &mut Random::new(0));
        assert_eq!(unfinished, Err("cut at random: the end is not allowed".to_owned()));
    }
}

//! Reads the fixtures: cases with verdicts from `fixtures/language/*.toml`, and grammars with sample texts
//! from `fixtures/grammars` and `fixtures/texts`.
//!
//! A case:
//!
//! ```toml
//! [[case]]
//! name = "nested_parentheses"
//! grammar = '''start ::= '(' start ')' | 'x';'''
//! # start = "start"                  the start symbol, if it is not that of `%start` or `start`
//! accept = ["x", "(x)"]              # in the language
//! live = ["", "(("]                  # not in it, but some output begins with it
//! reject = { "()" = 1, "x)" = 1 }    # offset of the first byte that cannot follow
//!
//! [[case.input]]                     # a verdict on bytes, or on texts with special tokens
//! bytes = [40, 255]                  # or `text`, or `parts = ["text", { name = "<|end|>" }, { id = 3 }]`, which
//! verdict = { reject = 1 }           # counts a special token as one byte; "accept", "live"
//! # repeat = 400                     number of repetitions of the input
//!
//! [[case.eager]]                     # a sequence of tokens under eager ending; a rejected token is skipped
//! tokens = ["(", ")", "x)", "x", ")"]
//! outcomes = ["ongoing", "rejected", "finished", "rejected", "rejected"]
//!
//! [[case.mask]]                      # the tokens allowed after a text
//! after = "("
//! vocabulary = ["(", "x", "x)", "x))", "()"]
//! allowed = ["(", "x", "x)"]
//! # eager = true                     under eager ending
//! ```
//!
//! An invalid grammar has `error = "part of the message"` instead of inputs.

mod damage;
mod format;

use std::fs;
use std::path::{Path, PathBuf};

use grammask_syntax::{Config, parse};
use serde::Deserialize;

use crate::oracle::{Oracle, Outcome, Run, Verdict, start_of};
use format::RawFile;

/// A grammar, with expected verdicts, outcomes and masks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Name of the file, without its extension.
    pub file: String,
    /// Name, unique in its file.
    pub name: String,
    /// The KBNF text.
    pub grammar: String,
    /// The start symbol, if it is neither that of `%start` nor `start`.
    pub start: Option<String>,
    /// Part of the expected error message, if the grammar is invalid.
    pub error: Option<String>,
    /// Inputs with expected verdicts.
    pub inputs: Vec<Input>,
    /// Sequences of tokens under eager ending, with expected outcomes.
    pub eager: Vec<Eager>,
    /// Expected masks.
    pub masks: Vec<Mask>,
}

/// An input with its expected verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The parts of the input, in order.
    pub parts: Vec<Part>,
    /// The expected verdict. Its offset counts a special token as one byte.
    pub verdict: Verdict,
}

impl Input {
    /// Returns the bytes. `None` if the input has a special token.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let mut all = Vec::new();
        for part in &self.parts {
            let Part::Bytes(bytes) = part else { return None };
            all.extend_from_slice(bytes);
        }
        Some(all)
    }
}

/// A part of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Bytes.
    Bytes(Vec<u8>),
    /// The special token with this name, brackets included.
    SpecialName(String),
    /// The special token with this id.
    SpecialId(u32),
}

/// A sequence of tokens under eager ending, with expected outcomes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Eager {
    /// The tokens. A rejected one is skipped.
    pub tokens: Vec<String>,
    /// `ongoing`, `finished` or `rejected`, for each token.
    #[serde(deserialize_with = "format::outcomes")]
    pub outcomes: Vec<Outcome>,
}

/// An expected mask.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mask {
    /// The text before the mask.
    #[serde(default)]
    pub after: String,
    /// All tokens of the vocabulary.
    pub vocabulary: Vec<String>,
    /// The allowed tokens, in the order of the vocabulary.
    pub allowed: Vec<String>,
    /// True for eager ending.
    #[serde(default)]
    pub eager: bool,
}

/// Returns the folder of the fixtures.
pub fn fixtures_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Calls `check` with every case in `root`/language, ordered by file name and then as in the file.
///
/// # Panics
/// If a file cannot be read, has another format, or has two cases of one name.
pub fn for_each_case(root: &Path, mut check: impl FnMut(&Case)) {
    for path in files(&root.join("language"), "toml") {
        let file = stem(&path);
        let read: RawFile =
            toml::from_str(&read(&path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut names: Vec<&str> = read.case.iter().map(|case| case.name.as_str()).collect();
        names.sort_unstable();
        if let Some(equal) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            panic!("{}: two cases have the name {}", path.display(), equal[0]);
        }
        for raw in read.case {
            check(&raw.case(&file).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
        }
    }
}

/// A grammar of `fixtures/grammars`, with a text in its language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarFixture {
    /// Name of the file, without its extension.
    pub name: String,
    /// The KBNF text.
    pub grammar: String,
    /// The sample text.
    pub sample: String,
}

/// Returns the grammars in `root`/grammars with their samples in `root`/texts, ordered by name.
///
/// # Panics
/// If a file cannot be read.
pub fn grammars(root: &Path) -> Vec<GrammarFixture> {
    let fixture = |path: PathBuf| {
        let name = stem(&path);
        let sample = read(&root.join("texts").join(format!("{name}.txt")));
        GrammarFixture { grammar: read(&path), sample, name }
    };
    files(&root.join("grammars"), "kbnf").into_iter().map(fixture).collect()
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path())
        .filter(|path| path.extension().is_some_and(|extension| extension == ending))
        .collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

impl Case {
    /// Returns the oracle of the grammar.
    ///
    /// # Errors
    /// Returns the message of the parser or of the oracle.
    pub fn oracle(&self) -> Result<Oracle, String> {
        let ast = parse(&self.grammar, &Config::default()).map_err(|errors| errors.to_string())?;
        let start = self.start.clone().unwrap_or_else(|| start_of(&ast));
        Oracle::new(&ast, &start).map_err(|error| error.to_string())
    }

    /// Returns the file and name of the case, for messages.
    pub fn place(&self) -> String {
        format!("{}/{}", self.file, self.name)
    }

    /// Compares the result of compiling the grammar with the expected one. `message` is the error, if there
    /// was one.
    ///
    /// # Errors
    /// Returns the difference.
    pub fn check_error(&self, message: Option<&str>) -> Result<(), String> {
        match (&self.error, message) {
            (None, None) => Ok(()),
            (Some(expected), Some(message)) if message.contains(expected.as_str()) => Ok(()),
            (None, Some(message)) => Err(self.difference("the grammar", &"no error", &message)),
            (Some(expected), None) => {
                Err(self.difference("the grammar", &format!("error {expected:?}"), &"no error"))
            }
            (Some(expected), Some(message)) => {
                Err(self.difference("the grammar", &format!("error {expected:?}"), &message))
            }
        }
    }

    /// Compares a verdict on `input` with the expected one.
    ///
    /// # Errors
    /// Returns the difference.
    pub fn check_verdict(&self, input: &Input, actual: Verdict) -> Result<(), String> {
        self.compare(&format!("input {}", show_parts(&input.parts)), &input.verdict, &actual)
    }

    /// Compares the outcomes of the tokens of `eager` with the expected ones.
    ///
    /// # Errors
    /// Returns the difference.
    pub fn check_eager(&self, eager: &Eager, actual: &[Outcome]) -> Result<(), String> {
        self.compare(&format!("eager tokens {:?}", eager.tokens), &eager.outcomes.as_slice(), &actual)
    }

    /// Compares the allowed tokens, by index in the vocabulary, with the expected ones of `mask`.
    ///
    /// # Errors
    /// Returns the difference.
    pub fn check_mask(&self, mask: &Mask, actual: &[bool]) -> Result<(), String> {
        let tokens = mask.vocabulary.iter().zip(actual).filter(|&(_, allowed)| *allowed);
        let actual: Vec<&str> = tokens.map(|(token, _)| token.as_str()).collect();
        let expected: Vec<&str> = mask.allowed.iter().map(String::as_str).collect();
        let ending = if mask.eager { ", eager" } else { "" };
        self.compare(&format!("mask after {:?}{ending}", mask.after), &expected, &actual)
    }

    /// Compares all expectations of the case with the oracle.
    ///
    /// # Errors
    /// Returns all differences, one per line.
    pub fn check_oracle(&self) -> Result<(), String> {
        let oracle = match self.oracle() {
            Ok(oracle) => oracle,
            Err(message) => return self.check_error(Some(&message)),
        };
        let mut results = vec![self.check_error(None)];
        for input in &self.inputs {
            results.push(self.check_verdict(input, verdict_of(&mut oracle.run(), &input.parts)));
        }
        for eager in &self.eager {
            let mut run = oracle.run();
            let outcomes: Vec<Outcome> =
                eager.tokens.iter().map(|token| run.accept_eagerly(token.as_bytes())).collect();
            results.push(self.check_eager(eager, &outcomes));
        }
        for mask in &self.masks {
            let mut run = oracle.run();
            run.push_all(mask.after.as_bytes());
            let allowed: Vec<bool> = mask
                .vocabulary
                .iter()
                .map(|token| {
                    if mask.eager {
                        run.allows_eagerly(token.as_bytes())
                    } else {
                        run.allows(token.as_bytes())
                    }
                })
                .collect();
            results.push(self.check_mask(mask, &allowed));
        }
        let differences: Vec<String> = results.into_iter().filter_map(Result::err).collect();
        if differences.is_empty() { Ok(()) } else { Err(differences.join("\n")) }
    }

    fn compare<T: PartialEq + std::fmt::Debug>(
        &self,
        what: &str,
        expected: &T,
        actual: &T,
    ) -> Result<(), String> {
        if expected == actual { Ok(()) } else { Err(self.difference(what, expected, actual)) }
    }

    fn difference(&self, what: &str, expected: &dyn std::fmt::Debug, actual: &dyn std::fmt::Debug) -> String {
        format!("{}: {what}: expected {expected:?}, got {actual:?}\n  {}", self.place(), self.grammar.trim())
    }
}

fn verdict_of(run: &mut Run<'_>, parts: &[Part]) -> Verdict {
    for part in parts {
        let live = match part {
            Part::Bytes(bytes) => run.push_all(bytes),
            Part::SpecialName(name) => run.push_special(Some(name), None),
            Part::SpecialId(id) => run.push_special(None, Some(*id)),
        };
        if !live {
            return Verdict::RejectAt(run.position() - 1);
        }
    }
    if run.is_complete() { Verdict::Accept } else { Verdict::LivePrefix }
}

fn show_parts(parts: &[Part]) -> String {
    let show = |part: &Part| match part {
        Part::Bytes(bytes) => format!("\"{}\"", bytes.escape_ascii()),
        Part::SpecialName(name) => name.clone(),
        Part::SpecialId(id) => format!("<[{id}]>"),
    };
    parts.iter().map(show).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(text: &str) -> Result<Case, String> {
        let mut file: RawFile = toml::from_str(text).map_err(|error| error.to_string())?;
        file.case.remove(0).case("file")
    }

    #[test]
    fn all_forms_are_read() {
        let text = r#"
            [[case]]
            name = "all"
            grammar = "start ::= 'a' <|x|>? 'b';"
            accept = ["ab"]
            live = ["a"]
            reject = { "ac" = 1 }
            input = [{ parts = ["a", { name = "<|x|>" }, { id = 3 }], verdict = { reject = 2 } }]
            eager = [{ tokens = ["ab"], outcomes = ["finished"] }]
            mask = [{ after = "a", vocabulary = ["b", "c"], allowed = ["b"] }]
            [[case.input]]
        "#;
        assert!(case(text).is_err(), "one list cannot be written in two ways");
        let case = case(text.trim_end().trim_end_matches("[[case.input]]")).expect("a case");
        assert_eq!(case.inputs.len(), 4);
        assert_eq!(case.inputs[2].verdict, Verdict::RejectAt(1));
        assert_eq!(case.inputs[2].bytes(), Some(b"ac".to_vec()));
        assert_eq!(case.inputs[3].bytes(), None);
        assert_eq!(case.check_oracle(), Ok(()));
    }

    #[test]
    fn differences_are_reported() {
        let text = r#"
            [[case]]
            name = "wrong"
            grammar = "start ::= 'a';"
            accept = ["b"]
            eager = [{ tokens = ["a"], outcomes = ["ongoing"] }]
            mask = [{ vocabulary = ["a", "b"], allowed = ["b"] }]
        "#;
        let message = case(text).expect("a case").check_oracle().expect_err("all three are wrong");
        assert!(message.contains("file/wrong: input \"b\": expected Accept, got RejectAt(0)"), "{message}");
        assert!(message.contains("eager tokens [\"a\"]: expected [Ongoing], got [Finished]"), "{message}");
        assert!(message.contains("mask after \"\": expected [\"b\"], got [\"a\"]"), "{message}");
    }

    #[test]
    fn errors_are_compared() {
        let refused = "[[case]]\nname = \"refused\"\ngrammar = \"start ::= x;\"\nerror = ";
        assert_eq!(case(&format!("{refused}\"undefined\"")).expect("a case").check_oracle(), Ok(()));
        assert!(case(&format!("{refused}\"empty\"")).expect("a case").check_oracle().is_err());
        let taken = "[[case]]\nname = \"taken\"\ngrammar = \"start ::= 'x';\"\nerror = \"undefined\"";
        assert!(case(taken).expect("a case").check_oracle().is_err());
    }

    #[test]
    fn cases_without_expectations_or_with_the_wrong_number_are_refused() {
        let nothing = "[[case]]\nname = \"n\"\ngrammar = \"start ::= 'x';\"\n";
        assert!(case(nothing).is_err());
        assert!(case(&format!("{nothing}eager = [{{ tokens = [\"a\"], outcomes = [] }}]")).is_err());
        assert!(case(&format!("{nothing}input = [{{ verdict = \"live\" }}]")).is_err());
        assert!(case(&format!("{nothing}accepts = [\"x\"]")).is_err());
    }
}

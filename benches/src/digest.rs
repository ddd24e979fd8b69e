//! Hashes of masks and verdicts, one line for each grammar.
//!
//! Two commits whose lines are equal give the same masks and the same verdicts on the fixtures and on a
//! sample of real schemas. Lines hold no names, counters or messages of the engine, so that they survive
//! renames.

use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::path::Path;

use anyhow::ensure;
use grammask::{Error, Grammar, TokenId, Vocabulary};
use grammask_json_schema::Reason;
use rustc_hash::FxHasher;

use crate::engine::grammask::{config, unused, used};
use crate::input::case;
use crate::input::vocabulary::Words;
use crate::schemas::data::{Entry, lines};
use crate::schemas::judge::warm;

/// Of the schemas, every `SCHEMA_STEP`th is taken.
pub const SCHEMA_STEP: usize = 12;

/// Hash of what a matcher answers along a text, and the number of masks in it.
#[derive(Default)]
struct Answers {
    hasher: FxHasher,
    masks: usize,
    accepted: usize,
}

impl Answers {
    /// Follows `tokens` on a fresh matcher, up to the first token that is refused.
    fn follow(&mut self, grammar: &Grammar, tokens: &[u32]) -> anyhow::Result<()> {
        let mut matcher = grammar.matcher();
        let mut row = vec![0; grammar.vocabulary().mask_words()];
        for &token in tokens {
            let filled = matcher.fill_mask(&mut row).is_ok() && matcher.error().is_none();
            (filled, &row, matcher.is_complete()).hash(&mut self.hasher);
            self.masks += 1;
            let is_allowed = row[token as usize / 32] >> (token % 32) & 1 == 1;
            let is_accepted = matcher.accept(TokenId(token)).is_accepted();
            ensure!(
                !filled || is_allowed == is_accepted,
                "the mask and `accept` disagree about token {token}"
            );
            if !is_accepted {
                break;
            }
            self.accepted += 1;
        }
        let filled = matcher.fill_mask(&mut row).is_ok() && matcher.error().is_none();
        (filled, &row, matcher.is_complete()).hash(&mut self.hasher);
        self.masks += 1;
        Ok(())
    }

    fn line(&self) -> String {
        format!("{:016x} masks {} accepted {}", self.hasher.finish(), self.masks, self.accepted)
    }
}

/// The lines of the grammars in `fixtures/grammars` along their texts.
///
/// # Errors
/// If a file cannot be read, a grammar does not compile, or the masks of a used and an unused vocabulary
/// differ.
pub fn fixtures(words: &Words) -> anyhow::Result<String> {
    let vocabulary = words.vocabulary()?;
    let config = config(words);
    let mut out = String::new();
    for case in case::load(&[])? {
        let tokens = words.encode(&case.text)?;
        let cold = unused(&vocabulary);
        let warm = used(&vocabulary, &config, &case.kbnf, &tokens).map_err(anyhow::Error::msg)?;
        let mut found = Vec::new();
        for vocabulary in [&cold, &warm] {
            let grammar = Grammar::compile(&case.kbnf, vocabulary, &config)?;
            let mut answers = Answers::default();
            answers.follow(&grammar, &tokens)?;
            found.push(answers.line());
        }
        ensure!(found[0] == found[1], "the masks of {} depend on the use of the vocabulary", case.name);
        writeln!(out, "fixture {}: {}", case.name, found[0])?;
    }
    Ok(out)
}

/// The lines of every `SCHEMA_STEP`th schema of a file, along its documents.
///
/// # Errors
/// If the file cannot be read, or a mask and `accept` disagree.
pub fn schemas(words: &Words, path: &Path, mut progress: impl FnMut(usize, usize)) -> anyhow::Result<String> {
    let vocabulary: Vocabulary = words.vocabulary()?;
    let config = config(words);
    warm(&vocabulary, &config)?;
    let lines = lines(path)?;
    let mut out = String::new();
    for (row, line) in lines.iter().enumerate().step_by(SCHEMA_STEP) {
        progress(row, lines.len());
        let Ok(entry) = Entry::parse(line) else {
            writeln!(out, "schema {row}: unreadable")?;
            continue;
        };
        match Grammar::from_json_schema(&entry.schema, &vocabulary, &config) {
            Ok(grammar) => {
                let mut answers = Answers::default();
                for instance in &entry.instances {
                    answers.follow(&grammar, &words.encode(&instance.text)?)?;
                }
                writeln!(out, "schema {row}: {}", answers.line())?;
            }
            Err(error) => writeln!(out, "schema {row}: refused, {}", refusal(&error))?,
        }
    }
    Ok(out)
}

/// The kind of a refusal, in words that do not change with messages and names.
fn refusal(error: &Error) -> &'static str {
    match error {
        Error::JsonSchema(error) => match error.reason {
            Reason::Invalid(_) => "invalid",
            Reason::Unsupported(_) => "unsupported",
            Reason::Unsatisfiable(_) => "unsatisfiable",
            Reason::Limit { .. } => "limit",
            _ => "other reason",
        },
        _ => "grammar",
    }
}

/// The lines that differ between two digests: `-` for the older, `+` for the newer.
pub fn differences(older: &str, newer: &str) -> Vec<String> {
    let missing = |from: &str, of: &str, sign: char| {
        let there: std::collections::HashSet<&str> = of.lines().collect();
        from.lines()
            .filter(|line| !there.contains(line))
            .map(|line| format!("{sign} {line}"))
            .collect::<Vec<_>>()
    };
    let mut found = missing(older, newer, '-');
    found.extend(missing(newer, older, '+'));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_of_bytes_distinguishes_verdicts() {
        let words = Words::of_bytes();
        let vocabulary = words.vocabulary().expect("a vocabulary");
        let grammar =
            Grammar::compile("start ::= 'ab' | 'ac';", &vocabulary, &config(&words)).expect("a grammar");
        let digest = |text: &str| {
            let mut answers = Answers::default();
            answers.follow(&grammar, &words.encode(text).expect("tokens")).expect("answers");
            answers.line()
        };
        assert_eq!(digest("ab"), digest("ab"));
        assert_ne!(digest("ab"), digest("a"));
        assert!(digest("axb").ends_with("masks 3 accepted 1"), "{}", digest("axb"));
    }

    #[test]
    fn differing_lines_are_listed_with_their_side() {
        assert_eq!(differences("a\nb\n", "a\nc\n"), ["- b", "+ c"]);
        assert!(differences("a\n", "a\n").is_empty());
    }
}

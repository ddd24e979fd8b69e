//! The vocabulary of the targets, and a configuration with low limits.

use std::cell::OnceCell;

use grammask::json_schema::Config as SchemaConfig;
use grammask::{Attributes, Config, LexiconConfig, LexiconLimits, TokenId, Vocabulary};

/// Tokens of several bytes. All single bytes are tokens as well.
const WORDS: &[&str] = &[
    "ab",
    "abc",
    "aa",
    "ba",
    "the",
    " the",
    " a",
    "  ",
    "    ",
    "\n  ",
    "{\"",
    "\":",
    "\": ",
    "\",",
    "\", \"",
    "\"}",
    "\"]",
    "},",
    "[]",
    "{}",
    "[[",
    "]]",
    "true",
    "false",
    "null",
    "10",
    "123",
    "0.",
    "-1",
    "e+",
    "\\n",
    "\\u",
    "<f",
    "</",
    "/>",
    "é",
    "日本",
    "\u{10ffff}",
    "'s",
    "x1",
    "1a",
    "::=",
    "ids",
    "type",
];

/// The id after the last word is not used, and then follow the special tokens.
const SPECIALS: &[&str] = &["<|end|>", "<|call|>", "<think>"];

/// Returns the vocabulary with an empty lexicon, so that an input alone decides what happens.
pub fn vocabulary(budget: usize) -> Vocabulary {
    thread_local! {
        static TOKENS: OnceCell<Vocabulary> = const { OnceCell::new() };
    }
    let limits = LexiconLimits { budget, regular: low_limits() };
    TOKENS.with(|tokens| tokens.get_or_init(make).with_lexicon(&LexiconConfig::from(limits)))
}

fn make() -> Vocabulary {
    let bytes = (0..=255).map(|byte| vec![byte]);
    let words = WORDS.iter().map(|word| word.as_bytes().to_vec());
    // Two ids with equal bytes, and bytes that are not UTF-8.
    let others = [b"ab".to_vec(), vec![0xc3, 0x28], vec![0xe6, 0x97], vec![0x80, 0x80]];
    let tokens: Vec<_> =
        bytes.chain(words).chain(others).zip(0..).map(|(bytes, id)| (TokenId(id), bytes)).collect();
    let first = tokens.len() as u32 + 1;
    let specials = SPECIALS.iter().zip(first..).map(|(name, id)| (TokenId(id), (*name).to_owned()));
    let attributes = Attributes { ends: Some(vec![TokenId(first)]), ..Attributes::default() };
    Vocabulary::from_parts(tokens, specials, attributes).expect("a vocabulary within the limits")
}

fn low_limits() -> grammask::regular::Limits {
    let mut limits = grammask::regular::Limits::default();
    limits.memory = 32 << 20;
    limits.states = 20_000;
    limits.emptiness_steps = 20_000;
    limits
}

/// Returns a configuration under which one input takes a fraction of a second. `budget` is that of all
/// tables.
pub fn config(budget: usize) -> Config {
    let mut config = Config::default();
    config.limits.max_compile_work = 800_000;
    config.limits.max_forced = 256;
    config.limits.end.max_end_work = 60_000;
    config.limits.end.max_search_work = 10_000;
    config.limits.end.max_states = 500;
    config.syntax.limits.max_nesting = 200;
    config.normal.regular = low_limits();
    config.recognizer.limits.budget = budget;
    config.recognizer.limits.max_bytes = 64 << 20;
    config.masks.limits.budget = budget;
    config.masks.limits.max_mask_work = 60_000;
    config.masks.limits.max_step_work = 100_000;
    config.json_schema = low_schema(SchemaConfig::default());
    config
}

/// Lowers the limits of a configuration of JSON Schema.
pub fn low_schema(mut config: SchemaConfig) -> SchemaConfig {
    config.regular = low_limits();
    config.limits.max_work = 50_000;
    config.limits.max_pattern_steps = 50_000;
    config
}

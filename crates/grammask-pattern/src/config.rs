//! Options and limits of the translation.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Options and limits of the translation.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// How a pattern is read. Default: [`Dialect::Auto`].
    pub dialect: Dialect,
    /// The part of a text that a pattern must match. Default: some part.
    pub extent: Extent,
    /// Limits of the translation.
    pub limits: Limits,
    /// Cancellation flag. Once it is true, the translation ends with
    /// [`Cause::Cancelled`](crate::Cause::Cancelled). Default: none.
    pub cancel: Option<Arc<AtomicBool>>,
}

/// The syntax and meaning of patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Dialect {
    /// ECMA-262. A pattern that is not valid there is read as one of Rust, and then as one of Python; a note
    /// says so. `[[:alpha:]]` has its meaning by Rust, and a quantifier with a plus, as in `a++`, is
    /// possessive. If no dialect has the syntax, `\8`, `\x`, `\u` and octal numbers are read as by ECMA-262
    /// without the flag `u`.
    #[default]
    Auto,
    /// ECMA-262 of 2025 with the flag `u`, and the flag `v` where only that gives a class a meaning.
    ///
    /// In addition, escapes and lone brackets of Annex B that match themselves are valid, such as `\-`, `\@`
    /// and `{`.
    Ecma,
    /// The Rust crate `regex`.
    Rust,
    /// The module `re` of Python 3.11, for texts.
    Python,
}

/// The part of a text that a pattern must match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Any part, as with JSON Schema's `pattern`.
    #[default]
    Search,
    /// The whole text.
    Whole,
    /// The whole text, which is a part of a longer one. Look-ahead at the end of the pattern and look-behind
    /// at its beginning would see the text around. So they are dropped, with a note.
    Part,
}

/// Limits of the translation. Beyond one of them, it ends with [`Cause::Limit`](crate::Cause::Limit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Levels of nested groups. Default: 250.
    pub max_group_nesting: usize,
    /// Largest number in a quantifier. Default: 1,000,000,000.
    pub max_quantifier: u32,
    /// Nodes of an alternative with assertions in its middle. Default: 20,000.
    pub max_pattern_nodes: usize,
    /// Expressions that a pattern with assertions in its middle expands to. Default: 10,000.
    pub max_pattern_size: u64,
    /// Copies of a repetition with assertions inside. Default: 100.
    pub max_pattern_copies: u32,
    /// Steps for a pattern with assertions in its middle, mostly products of two matrix entries. Default:
    /// 2,000,000.
    pub max_pattern_steps: u64,
    /// States of each automaton for a pattern with look-around inside of repetitions. Default: 2,000.
    pub max_pattern_states: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_group_nesting: 250,
            max_quantifier: 1_000_000_000,
            max_pattern_nodes: 20_000,
            max_pattern_size: 10_000,
            max_pattern_copies: 100,
            max_pattern_steps: 2_000_000,
            max_pattern_states: 2_000,
        }
    }
}

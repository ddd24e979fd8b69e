//! Options and limits that all front ends share.

/// Options and limits that all front ends share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Limits on the text and on its tree.
    pub limits: Limits,
    /// The treatment of attributes without effect on the language. Default: a note.
    pub annotations: Annotations,
}

/// The treatment of attributes that have no effect on the language, such as captures, temperatures and
/// budgets of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Annotations {
    /// They are an error.
    Refuse,
    /// They are dropped with a note.
    #[default]
    Note,
}

/// Limits on a text and on its tree. A text beyond a limit has an error, unless the limit says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Length of all sources together, in bytes. Default: 64 MiB.
    pub max_text_bytes: usize,
    /// Levels of groups. Default: 1,000,000.
    pub max_nesting: usize,
    /// Expressions of the tree. Default: 10,000,000.
    pub max_expressions: usize,
    /// Errors that are stored, at least 1. Further errors are only counted. Default: 100.
    pub max_errors: usize,
    /// Notes that are stored. Further notes are only counted. Default: 1,000.
    pub max_notes: usize,
    /// Bytes of one regular expression that is written for several expressions. Default: 1 MiB.
    pub max_regex_bytes: usize,
    /// Bytes of all triggers and excluded texts of one free text. Default: 1 MiB.
    pub max_trigger_bytes: usize,
    /// Expressions of a rule with `lazy` or `max_chars` in EBNF, with its names replaced by their rules.
    /// Default: 20,000.
    pub max_inlined_expressions: usize,
    /// Levels of tuples in the operands of a macro of EBNF. Each level takes stack. Default: 16.
    pub max_tuple_depth: usize,
    /// Quantifiers one behind the other in a regular expression of XGrammar. Default: 100.
    pub max_stacked_quantifiers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_text_bytes: 64 << 20,
            max_nesting: 1_000_000,
            max_expressions: 10_000_000,
            max_errors: 100,
            max_notes: 1_000,
            max_regex_bytes: 1 << 20,
            max_trigger_bytes: 1 << 20,
            max_inlined_expressions: 20_000,
            max_tuple_depth: 16,
            max_stacked_quantifiers: 100,
        }
    }
}

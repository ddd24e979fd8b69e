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
        }
    }
}

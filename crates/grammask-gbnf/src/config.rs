//! Options of the front end.

/// The notation of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// GBNF of llama.cpp.
    LlamaCpp,
    /// EBNF of XGrammar 0.2.8.
    XGrammar,
}

/// Options of [`translate`](crate::translate).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The notation of the text.
    pub dialect: Dialect,
    /// The start symbol. Default: `root`.
    pub root: String,
    /// Name of the text in messages. Default: `grammar.gbnf` or `grammar.ebnf`.
    pub file_name: String,
    /// Limits, and the treatment of annotations.
    pub common: grammask_notation::Config,
}

impl Config {
    /// Returns the default options for GBNF of llama.cpp.
    pub fn gbnf() -> Self {
        Self::new(Dialect::LlamaCpp)
    }

    /// Returns the default options for EBNF of XGrammar.
    pub fn ebnf() -> Self {
        Self::new(Dialect::XGrammar)
    }

    fn new(dialect: Dialect) -> Self {
        let file_name = match dialect {
            Dialect::LlamaCpp => "grammar.gbnf",
            Dialect::XGrammar => "grammar.ebnf",
        };
        let common = grammask_notation::Config::default();
        Self { dialect, root: "root".to_owned(), file_name: file_name.to_owned(), common }
    }
}

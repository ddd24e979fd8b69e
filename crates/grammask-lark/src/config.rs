//! Options and limits of the translation.

use grammask_json_schema::{Config as SchemaConfig, PropertyOrder};
use grammask_pattern::Dialect;

/// Options and limits of the translation.
#[derive(Clone, Debug)]
pub struct Config {
    /// Limits and options that all front ends share. Instead of its `max_nesting`, that of `limits` counts.
    pub notation: grammask_notation::Config,
    /// How JSON Schemas in `%json {…}` are read. Default: as everywhere, but properties have the order of the
    /// schema, as in llguidance and XGrammar.
    pub schema: SchemaConfig,
    /// How regexes are read. Default: by the Rust crate `regex`. A pattern that is not valid there is read as
    /// one of Python and then of ECMA-262, with a note.
    pub pattern_dialect: Dialect,
    /// Grammars for `@name` and `%import name.X`.
    pub grammars: Vec<Grammar>,
    /// Limits of this notation.
    pub limits: Limits,
    /// Limits of the automata that decide whether lexemes compete.
    pub regular: grammask_regular::Limits,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            notation: grammask_notation::Config::default(),
            schema: SchemaConfig { property_order: PropertyOrder::AsWritten, ..SchemaConfig::default() },
            pattern_dialect: Dialect::Rust,
            grammars: Vec::new(),
            limits: Limits::default(),
            regular: grammask_regular::Limits::default(),
        }
    }
}

/// A grammar that others refer to by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grammar {
    /// The name, without `@`.
    pub name: String,
    /// The notation of the text.
    pub kind: GrammarKind,
    /// The grammar.
    pub text: String,
}

/// Notation of a [`Grammar`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GrammarKind {
    /// Lark, with a rule `start`.
    Lark,
    /// A JSON Schema.
    JsonSchema,
}

/// Limits of the translation. Beyond one of them, the grammar has an error that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Levels of groups, of nested grammars and of templates in templates. Each level takes stack, so
    /// values above 250 count as 250. Default: 100.
    pub max_nesting: usize,
    /// Rules after the expansion of templates and parameters, and contexts of rules near lazy ones. Default:
    /// 10,000.
    pub max_expansions: usize,
    /// Expressions of one terminal with `&` or `~` if all names in it are written out. Default: 100,000.
    pub max_terminal_size: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_nesting: 100, max_expansions: 10_000, max_terminal_size: 100_000 }
    }
}

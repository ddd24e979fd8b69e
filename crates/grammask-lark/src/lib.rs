//! Lark to KBNF: the dialect of llguidance, and the notation of Lark itself.
//!
//! ```
//! use grammask_lark::{Config, translate};
//!
//! let text = r#"
//!     start: greeting ", " NAME "!"
//!     greeting: "hello"i | "good day"
//!     NAME: /[A-Z][a-z]+/ & ~"Root"
//! "#;
//! let outcome = translate(text, "g.lark", &Config::default())?;
//! assert_eq!(
//!     outcome.ast.to_string().lines().skip(1).collect::<Vec<_>>(),
//!     [
//!         "start ::= greeting ', ' NAME '!';",
//!         "greeting ::= #'(?i:hello)' | 'good day';",
//!         "NAME ::= #'[A-Z][a-z]+' & ~'Root';",
//!     ],
//! );
//!
//! let errors = translate("start: gretings\ngreeting: 'a'", "g.lark", &Config::default()).unwrap_err();
//! assert_eq!(errors.diagnostics().len(), 2);
//! # Ok::<(), grammask_lark::Errors>(())
//! ```
//!
//! # Meaning
//!
//! An output belongs to the language of a grammar if it can be cut into lexemes in some way. No lexer decides
//! for one way. One rule of lexers is kept, because grammars for tool calls depend on it. Where a lazy lexeme
//! may begin, no other lexeme continues after its end. The page `docs/lark.md` lists all constructs, and how
//! other readers of Lark differ.
//!
//! # Stages
//!
//! | module | from → to |
//! | --- | --- |
//! | `lexer`, `parser` | text → items, with all errors of syntax |
//! | `scope` | items → names, imports and options |
//! | `translate` | names → nodes and languages; templates and parameters are expanded |
//! | `term` | a hash-consed arena of regular languages |
//! | `emit` | nodes → KBNF, with contexts near lazy lexemes |

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod config;
mod emit;
mod guidance;
mod imports;
mod lexer;
mod node;
mod parser;
mod scope;
mod term;
mod translate;
mod tree;

pub use config::{Config, Grammar, GrammarKind, Limits};
pub use grammask_notation::{Annotations, Errors, Outcome};

/// Translates a Lark grammar. `file` is its name in messages.
///
/// The spans of the tree, of notes and of errors are offsets into [`Outcome::sources`], which begins with
/// `text`.
///
/// # Errors
/// All errors at once, by place. If the syntax of a rule is wrong, the other rules are still checked.
///
/// # Complexity
/// Linear in the text, unless the grammar has templates, parameters or lazy rules. These multiply rules, up
/// to [`Limits::max_expansions`].
pub fn translate(text: &str, file: &str, config: &Config) -> Result<Outcome, Errors> {
    translate::translate(text, file, config)
}

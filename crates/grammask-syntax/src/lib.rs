//! KBNF text to a syntax tree with spans, and back: parser, canonical printer, diagnostics.
//!
//! | item | content |
//! | --- | --- |
//! | [`parse`] | the parser: a text to an [`Ast`], or all errors of the text at once |
//! | [`Ast`] | the tree: flat plain data with a [`Span`] at each node; it displays as KBNF |
//! | [`Report`] | rendered errors with source lines; later stages use it as well |
//! | [`suggest`] | the most similar name to a misspelt one |
//! | [`parse_or_recover`] | the usable part of a text with errors, for errors of later stages |
//!
//! The crate does not check the meaning of a grammar: an undefined nonterminal, for example, is an error of a
//! later stage.
//!
//! ```
//! use grammask_syntax::{Config, parse};
//!
//! let text = r#"
//!     start = "{" [pair {"," pair}] "}";     (* brackets are another form of postfixes *)
//!     pair ::= #"[a-z]+" ":" number{1,3};
//!     number ::= #e'[0-9]+' & ~'0';
//! "#;
//! let ast = parse(text, &Config::default())?;
//! ast.check().unwrap();
//! assert_eq!(
//!     ast.to_string(),
//!     "start ::= '{' (pair (',' pair)*)? '}';\n\
//!      pair ::= #'[a-z]+' ':' number{1,3};\n\
//!      number ::= #e'[0-9]+' & ~'0';\n",
//! );
//!
//! let text = "start ::= 'a' | ;\nnext ::= #'\\d+';\n";
//! let errors = parse(text, &Config::default()).unwrap_err();
//! assert_eq!(
//!     errors.render(text, "wrong.kbnf").to_string(),
//!     r"wrong.kbnf:1:17: error: empty alternative
//!   |
//! 1 | start ::= 'a' | ;
//!   |                 ^
//!   = hint: the empty string is written ''
//!
//! wrong.kbnf:2:12: error: unknown escape `\d`
//!   |
//! 2 | next ::= #'\d+';
//!   |            ^^
//!   = hint: in a regex, a backslash is written `\\`: `\\d`
//! ",
//! );
//! # Ok::<(), grammask_syntax::Errors>(())
//! ```
//!
//! # The notation
//!
//! | notation | meaning |
//! | --- | --- |
//! | `name ::= body;`, `name = body;` | a rule; a name may have several rules |
//! | `%start name;`, `%start name?;` | the start symbol; with `?`, the empty output is an output too |
//! | `'text'`, `"text"` | a text with escapes |
//! | `#'re'`, `#e're'`, `#ex're'`, `#substrs'text'` | patterns |
//! | `except!('text')`, `except!(name, 100)` | byte strings that do not contain these texts |
//! | `unordered!(a, b?; ','; {1,3}; 0 -> 1)` | items in any order |
//! | `unordered!(distinct!(a); ',')` | texts of `a`, all different |
//! | <code><&#124;name&#124;></code>, `<[id]>` | a special token |
//! | `special!('<a>', <[7]>, <[10-19]>)`, `special!(~ '<a>')` | one of several special tokens |
//! | `marker!('<a>')` | the special token with this spelling, or else the text |
//! | `substrs!('ab', 'c')` | runs of consecutive texts |
//! | `json!(x)`, `json_short!(x)`, `json_required!(x)` | spellings of the texts of `x` in a JSON string |
//! | `capture!(name, x)` | `x`, with an annotation |
//! | `schema!({"type": "string"})` | the documents that are valid for a JSON Schema |
//! | `x?`, `x*`, `x+`, `x{2}`, `x{2,}`, `x{2,5}`, `[x]`, `{x}` | repetition; one postfix per operand |
//! | `~x`, `x & y`, `x y`, `x, y`, <code>x &#124; y</code> | operators from the tightest to the loosest |
//! | `(* comment *)` | white space |

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod ast;
mod config;
mod diagnostic;
mod error;
mod parser;
mod print;

pub use ast::check::Violation;
pub use ast::inline_list::InlineList;
pub use ast::notation::{
    MAX_COMPARISON_DIGITS, MAX_MULTIPLE_DIGITS, MAX_REPETITIONS, is_comparison_numeral, is_multiple_numeral,
    is_special_name,
};
pub use ast::text::Text;
pub use ast::{
    Ast, Comparison, Escapes, ExceptOperand, Expr, ExprId, ExprKind, Name, Quantifier, Rule, SchemaText,
    Span, SpecialMember, SpecialSet, Unordered,
};
pub use config::{Config, Limits};
pub use diagnostic::suggest::suggest;
pub use diagnostic::{Diagnostic, LineColumn, Note, Report, line_column};
pub use error::{Error, ErrorKind, Errors, Limit, LimitExceeded};
pub use parser::recovery::Recovery;
pub use parser::{parse, parse_bytes, parse_bytes_or_recover, parse_or_recover};
pub use print::{DisplayExpr, Quote, quote};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

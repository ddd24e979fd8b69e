//! KBNF text to a syntax tree with spans, and back: parser, canonical printer, diagnostics.
//!
//! [`parse`] reads a text, or reports everything that is wrong in it at once. The tree, [`Ast`], is flat plain data
//! with a [`Span`] on every node; it prints as KBNF, and that text reads as the same tree. Nothing here knows what a
//! grammar means: an undefined nonterminal is for a later stage to find. That stage reports with the same
//! [`Diagnostic`] and [`Report`], and [`suggest`]s a neighbour for a misspelt name. So that it can do so for a text in which more is
//! wrong, [`parse_or_recover`] hands out what could be read of that.
//!
//! ```
//! use grammask_syntax::{Config, parse};
//!
//! let text = r#"
//!     start = "{" [pair {"," pair}] "}";     (* brackets are postfixes in other words *)
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
//! | written | means |
//! |---|---|
//! | `name ::= body;`, `name = body;` | a rule; a name may have several |
//! | `%start name;` | the start symbol |
//! | `'text'`, `"text"` | a text, with escapes |
//! | `#'re'`, `#e're'`, `#ex're'`, `#substrs'text'` | patterns |
//! | `except!('text')`, `except!(name, 100)` | anything without these texts inside |
//! | `unordered!(a, b?; ','; {1,3}; 0 -> 1)` | items in any order |
//! | `unordered!(distinct!(a); ',')` | texts of `a`, no two of them the same |
//! | <code><&#124;name&#124;></code>, `<[id]>` | a special token |
//! | `x?`, `x*`, `x+`, `x{2}`, `x{2,}`, `x{2,5}`, `[x]`, `{x}` | repetition; one postfix to a part |
//! | `~x`, `x & y`, `x y`, `x, y`, <code>x &#124; y</code> | from the tightest to the loosest |
//! | `(* comment *)` | white space |

mod ast;
mod config;
mod diagnostic;
mod error;
mod parser;
mod print;

pub use ast::check::{Violation, is_bound, is_numeral, is_special_name};
pub use ast::children::Parts;
pub use ast::text::Text;
pub use ast::{
    Ast, Comparison, ExceptOperand, Expr, ExprId, ExprKind, Name, Quantifier, Rule, Span, Unordered,
};
pub use config::Config;
pub use diagnostic::suggest::suggest;
pub use diagnostic::{Diagnostic, LineColumn, Note, Report, line_column};
pub use error::{Error, ErrorKind, Errors, MAX_BOUND, MAX_BOUND_DIGITS, MAX_DIGITS};
pub use parser::recovery::Recovered;
pub use parser::{parse, parse_bytes, parse_bytes_or_recover, parse_or_recover};
pub use print::{DisplayExpr, Quote, quote};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

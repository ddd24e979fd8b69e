//! GBNF of llama.cpp, EBNF of XGrammar, regular expressions and lists of choices as KBNF trees.
//!
//! ```
//! use grammask_gbnf::{Config, translate};
//!
//! let text = "root ::= \"say \" my-word\nmy-word ::= [a-z]+ | \"\"\n";
//! let outcome = translate(text, &Config::gbnf())?;
//! assert_eq!(
//!     outcome.ast.to_string(),
//!     "%start root;\nroot ::= 'say ' my_word;\nmy_word ::= #'[a-z]+' | '';\n",
//! );
//! let errors = translate("root ::= \"a\" (\n", &Config::gbnf()).unwrap_err();
//! assert_eq!(errors.to_string(), "grammar.gbnf:1:14: the group is not closed");
//! # Ok::<(), grammask_notation::Errors>(())
//! ```
//!
//! # Two dialects
//!
//! | | [`Dialect::LlamaCpp`] | [`Dialect::XGrammar`] |
//! | --- | --- | --- |
//! | a line break | ends a rule outside of parentheses | is a blank |
//! | names | letters, digits, `-`, and `_` with a note | also `.`, not a digit first |
//! | `.` | any character | part of a name |
//! | `[^]`, `[]` | the empty text, with a note | any character, none |
//! | empty alternative | the empty text | error |
//! | `x{2}{3}` | quantifiers stack | error |
//! | `\x` in a text | two digits | all digits that follow |
//! | special tokens | `<text>`, `<[id]>`, `!<[id]>*` | `Token(id)`, `ExcludeToken(id)*` |
//! | macros, rule options, `(= …)` | none | yes |
//!
//! # Differences from these programs
//!
//! Each is listed as a note or an error of the grammar:
//!
//! - A second rule for a name is an error. In llama.cpp, the last one counts.
//! - `x{0,2001}` keeps its bound. In llama.cpp, bounds above 2,000 vanish.
//! - Left recursion, and repetitions of what may be empty, are allowed. llama.cpp refuses them.
//! - `(= …)` at the end of a rule has no effect: in XGrammar, it is a hint for computing masks.
//! - A budget `max_chars` is enforced for regular rules; XGrammar's other budgets are annotations.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod choice;
mod config;
pub mod dispatch;
mod ebnf;
mod plain_regex;
mod xgrammar_regex;

pub use choice::{choices, translate_choice, translate_choices};
pub use config::{Config, Dialect};
pub use ebnf::translate;
pub use plain_regex::{RegexDialect, push_regex, translate_regex};

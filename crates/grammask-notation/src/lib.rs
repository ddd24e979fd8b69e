//! The common part of front ends: from the notation of a user to a KBNF tree, with errors and notes in that
//! notation.
//!
//! ```
//! use grammask_notation::{Builder, Config};
//! use grammask_syntax::Span;
//!
//! let mut builder = Builder::new(&Config::default());
//! let text = "my-rule = \"a\"*";
//! let base = builder.add_source("g.txt", text);
//! let name = builder.declare("my-rule");
//! let body = builder.text("a", Span::new(base + 10, base + 13));
//! let body = builder.repeat(body, 0, None, Span::new(base + 10, base + 14));
//! builder.rule(&name, Span::new(base, base + 7), body, Span::new(base, base + text.len()));
//! let outcome = builder.finish(&name, Span::new(base, base + 7))?;
//! assert_eq!(outcome.ast.to_string(), "%start my_rule?;\nmy_rule ::= 'a'*;\n");
//! assert!(outcome.empty_output);
//! # Ok::<(), grammask_notation::Errors>(())
//! ```
//!
//! | item | content |
//! | --- | --- |
//! | [`Builder`] | makes the tree, collects errors and notes |
//! | [`Sources`] | all sources as one virtual text; a span is an offset in it |
//! | [`Names`] | user spelling ↔ identifier of KBNF |
//! | [`Outcome`] | the tree with sources, names and notes |
//! | [`Errors`] | all errors at once, rendered in the sources |

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod builder;
mod class;
mod config;
mod errors;
mod guess;
pub mod json;
mod names;
mod outcome;
mod sources;

pub use builder::{Builder, Place, is_nullable_regex};
pub use class::Class;
pub use config::{Annotations, Config, Limits};
pub use errors::Errors;
pub use grammask_pattern::{Dialect, Extent};
pub use guess::Guess;
pub use names::{Names, is_identifier};
pub use outcome::Outcome;
pub use sources::Sources;

use grammask_syntax::{ExprKind, SpecialMember, SpecialSet, is_special_name};

/// Returns the special token with this spelling.
///
/// ```
/// use grammask_syntax::ExprKind;
///
/// assert!(matches!(grammask_notation::special_token("<|end|>"), ExprKind::SpecialName(_)));
/// assert!(matches!(grammask_notation::special_token("<think>"), ExprKind::SpecialSet(_)));
/// ```
pub fn special_token(name: &str) -> ExprKind {
    if is_special_name(name) {
        return ExprKind::SpecialName(name.into());
    }
    let members = vec![SpecialMember::Name(name.into())];
    ExprKind::SpecialSet(Box::new(SpecialSet { is_complement: false, members }))
}

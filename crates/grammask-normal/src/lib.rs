//! Brings KBNF syntax trees into a normal form by an ordered list of rewrites, each of which can be called
//! alone.
//!
//! [`normalize`] checks the meaning of a tree, reports all errors in one value, and rewrites the tree for a
//! recognizer. The normal form has productions of symbols: no groups, `?`, `*` or `+`, no nullables, no unit
//! cycles, no dead ends. It describes the same language, apart from the empty text, and the same endless
//! outputs. It prints as KBNF.
//!
//! ```
//! let text = "
//!     start ::= '[' [value {',' value}] ']';
//!     value ::= number | start;
//!     number ::= #'[0-9]+';
//!     unused ::= 'x';
//! ";
//! let ast = grammask_syntax::parse(text, &Default::default()).unwrap();
//! let normal = grammask_normal::normalize(&ast, &Default::default()).unwrap();
//! assert_eq!(normal.check(), Ok(()));
//! assert_eq!(normal.to_string(), "\
//! start ::= '[' start_1 ']' | '[]';
//! start_1 ::= value start_4 | value;
//! start_2 ::= ',' value;
//! start_4 ::= start_4 start_2 | start_2;
//! value ::= #'[0-9]+' | start;
//! ");
//! ```
//!
//! | module | from → to | reading |
//! |---|---|---|
//! | `read` | syntax tree → [`Grammar`], with all errors | [`Grammar::read`] |
//! | [`PASSES`] | [`Grammar`] → [`Grammar`] | [`normalize_traced`], [`Pass::apply`] |
//! | `form` | [`Grammar`] → [`NormalForm`] | [`NormalForm::check`], [`NormalForm::lower`] |
//! | `print` | both → KBNF | `Display` |
//!
//! Regular terminals (texts, regexes, operands of `&` and `~`) stay as they are written.
//! [`NormalForm::lower`] turns them into regular languages.
//!
//! # Complexity
//! Everything is linear in the size of the tree, except for merging equal nonterminals, which is O(n log n).
//! Nothing recurses, so deep nesting cannot overflow the stack.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod cancellation;
mod config;
mod error;
mod form;
mod grammar;
pub mod graph;
mod liveness;
mod passes;
mod print;
mod read;
mod unordered;

pub use config::{Config, Limit, LimitExceeded, Limits};
pub use error::{Error, ErrorKind, Errors};
pub use form::{
    Except, Languages, Nonterminal, NonterminalId, NormalForm, Production, Symbol, Terminal, TerminalId,
    Violation,
};
pub use grammar::Grammar;
pub use passes::{PASSES, Pass};
pub use print::terminal_text;
pub use read::check_recovered;
pub use read::notes::notes;
pub use unordered::{Unordered, UnorderedError};

pub use grammask_syntax::{InlineList, SpecialMember, SpecialSet, Text};

use std::borrow::Borrow;

use grammask_regular::Store;
use grammask_syntax::Ast;

use crate::cancellation::Cancellation;
use crate::passes::Context;

/// Brings a grammar into normal form.
///
/// # Errors
/// Returns all errors in the meaning of the grammar: see [`ErrorKind`].
///
/// # Complexity
/// O(n log n) in the size of the tree.
pub fn normalize(ast: &Ast, config: &Config) -> Result<NormalForm, Errors> {
    normalize_in(ast, &mut Store::new(&config.regular), config)
}

/// Brings a grammar into normal form, and compiles the languages of its terminals in `store`.
///
/// A caller that goes on with `store` need not compile them again. `config.regular` is ignored, as the store
/// has options of its own.
///
/// # Errors
/// As [`normalize`].
pub fn normalize_in(ast: &Ast, store: &mut Store, config: &Config) -> Result<NormalForm, Errors> {
    let result = normalize_cancellable(ast, store, config, || false)?;
    Ok(result.expect("the callback never cancels").0)
}

/// Brings a grammar into normal form unless it is cancelled, and returns the terminal languages compiled on
/// the way.
///
/// Polls `is_cancelled` every few microseconds. Returns `Ok(None)` once it returns true. If `ast` is passed
/// by value, its memory is freed as soon as it has been read.
///
/// # Errors
/// As [`normalize`].
///
/// ```
/// use grammask_normal::{Config, normalize_cancellable};
/// use grammask_regular::Store;
///
/// let ast = grammask_syntax::parse("start ::= 'a' | 'b';", &Default::default())?;
/// let mut store = Store::new(&Default::default());
/// assert!(normalize_cancellable(&ast, &mut store, &Config::default(), || true)?.is_none());
/// assert!(normalize_cancellable(&ast, &mut store, &Config::default(), || false)?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn normalize_cancellable(
    ast: impl Borrow<Ast>,
    store: &mut Store,
    config: &Config,
    mut is_cancelled: impl FnMut() -> bool,
) -> Result<Option<(NormalForm, Languages)>, Errors> {
    let Some(mut grammar) = Grammar::read_cancellable(ast.borrow(), store, config, &mut is_cancelled)? else {
        return Ok(None);
    };
    drop(ast);
    for pass in PASSES {
        let mut cancellation = Cancellation::new(&mut is_cancelled);
        let mut context = Context { store, cancellation: &mut cancellation };
        if !pass.run(&mut grammar, &mut context, config)? {
            return Ok(None);
        }
    }
    Ok(form::from_grammar(grammar, &mut Cancellation::new(&mut is_cancelled)))
}

/// The grammar after every pass on its way to the normal form.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Name of each pass, and the grammar after it. The first step is `read`: the grammar as the text has it.
    pub steps: Vec<(&'static str, Grammar)>,
    /// The normal form.
    pub normal: NormalForm,
}

/// Brings a grammar into normal form, and keeps a copy of the grammar after every pass.
///
/// # Errors
/// As [`normalize`].
///
/// ```
/// let ast = grammask_syntax::parse("start ::= 'a' 'b' | 'ab';", &Default::default()).unwrap();
/// let trace = grammask_normal::normalize_traced(&ast, &Default::default()).unwrap();
/// let (name, grammar) = &trace.steps[4];
/// assert_eq!((*name, grammar.to_string().as_str()), ("merge_consecutive_terminals", "start ::= 'ab' | 'ab';\n"));
/// assert_eq!(trace.normal.to_string(), "start ::= 'ab';\n");
/// ```
pub fn normalize_traced(ast: &Ast, config: &Config) -> Result<Trace, Errors> {
    let store = &mut Store::new(&config.regular);
    let mut grammar = Grammar::read(ast, store, config)?;
    let mut steps = vec![("read", grammar.clone())];
    for pass in PASSES {
        pass.apply(&mut grammar, store, config)?;
        steps.push((pass.name, grammar.clone()));
    }
    let mut never = || false;
    let (normal, _) =
        form::from_grammar(grammar, &mut Cancellation::new(&mut never)).expect("the callback never cancels");
    Ok(Trace { steps, normal })
}

//! KBNF syntax trees to a normal form, by an ordered list of rewrites, each callable alone.
//!
//! [`normalize`] checks what a tree says (all errors in one value) and rewrites it until a recognizer has an easy time: productions
//! of symbols, without groups, `?`, `*`, `+`, nullables, unit cycles and dead ends. The normal form describes the same language,
//! apart from the empty text, and the same endless outputs. It prints as KBNF.
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
//! [`PASSES`] is the list of rewrites. [`normalize_traced`] hands out the grammar after each of them; [`Pass::apply`] runs one.
//! The regular parts (texts, regexes, what stands under `&` and `~`) stay as they are written, and become languages by
//! [`NormalForm::lower`].
//!
//! # Complexity
//! Everything is linear in the size of the tree, but merging equal nonterminals, which is O(n log n); nothing recurs, so
//! no depth of nesting is a danger.

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

pub use config::Config;
pub use error::{Error, ErrorKind, Errors};
pub use form::{
    Except, Languages, Nonterminal, NonterminalId, NormalForm, Production, Symbol, Terminal, TerminalId,
    Violation,
};
pub use grammar::Grammar;
pub use passes::{PASSES, Pass};
pub use print::terminal_text;
pub use read::check_recovered;
pub use unordered::{Unordered, UnorderedError};

pub use grammask_syntax::{Parts, Text};

use std::borrow::Borrow;

use grammask_regular::Store;
use grammask_syntax::Ast;

use crate::cancellation::Stop;

/// Brings a grammar into normal form.
///
/// # Errors
/// Everything that is wrong with the meaning of the grammar: see [`ErrorKind`].
///
/// # Complexity
/// O(n log n) in the size of the tree.
pub fn normalize(ast: &Ast, config: &Config) -> Result<NormalForm, Errors> {
    normalize_in(ast, &mut Store::new(&config.regular), config)
}

/// [`normalize`] with the languages of terminals made in `store`, for those who go on to use them: nothing is parsed twice.
/// `config.regular` is not looked at.
///
/// # Errors
/// As [`normalize`].
pub fn normalize_in(ast: &Ast, store: &mut Store, config: &Config) -> Result<NormalForm, Errors> {
    let form = normalize_unless(ast, store, config, || false)?;
    Ok(form.expect("nobody stops it"))
}

/// [`normalize_in`], unless somebody who is asked all the time says to stop: nothing then.
///
/// # Errors
/// As [`normalize`].
///
/// ```
/// use grammask_normal::{Config, normalize_unless};
/// use grammask_regular::Store;
///
/// let ast = grammask_syntax::parse("start ::= 'a' | 'b';", &Default::default())?;
/// let mut store = Store::new(&Default::default());
/// assert!(normalize_unless(&ast, &mut store, &Config::default(), || true)?.is_none());
/// assert!(normalize_unless(&ast, &mut store, &Config::default(), || false)?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn normalize_unless(
    ast: &Ast,
    store: &mut Store,
    config: &Config,
    is_stopped: impl FnMut() -> bool,
) -> Result<Option<NormalForm>, Errors> {
    Ok(normalize_with_languages(ast, store, config, is_stopped)?.map(|(normal, _)| normal))
}

/// [`normalize_unless`] with the languages of terminals that have been made on the way. A tree that is given away is gone once it is read.
///
/// # Errors
/// As [`normalize`].
pub fn normalize_with_languages(
    ast: impl Borrow<Ast>,
    store: &mut Store,
    config: &Config,
    mut is_stopped: impl FnMut() -> bool,
) -> Result<Option<(NormalForm, Languages)>, Errors> {
    let Some(mut grammar) = Grammar::read_unless(ast.borrow(), store, config, &mut is_stopped)? else {
        return Ok(None);
    };
    drop(ast);
    for pass in PASSES {
        if !pass.apply_unless(&mut grammar, store, config, &mut is_stopped)? {
            return Ok(None);
        }
    }
    Ok(form::from_grammar(grammar, &mut Stop::new(&mut is_stopped)))
}

/// The way of a grammar into normal form.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The name of each pass and the grammar after it; the first is `read`, the grammar as it stands in the text.
    pub steps: Vec<(&'static str, Grammar)>,
    /// Where it ends.
    pub normal: NormalForm,
}

/// [`normalize`], and the grammar after every pass.
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
    let (normal, _) = form::from_grammar(grammar, &mut Stop::new(&mut || false)).expect("nobody stops it");
    Ok(Trace { steps, normal })
}

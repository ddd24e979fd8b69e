//! The oracle: what a grammar means, computed in the plainest way. A tree is desugared into productions over byte
//! automata, cut down to what can end or go on for ever, and run by a textbook Earley recognizer.

mod desugar;
mod dfa;
mod json;
mod nfa;
mod numbers;
mod reduce;
mod regex;
mod regular;
mod run;

use grammask_syntax::{Ast, Span};

use reduce::Reduced;
pub use run::{Outcome, Run};

/// What a text is to a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The text is in the language. (It may go on all the same.)
    Accept,
    /// The text is not in the language, but begins some output, finite or endless.
    LivePrefix,
    /// No output begins with the bytes up to and with the one at this offset; the bytes before it begin some.
    RejectAt(usize),
}

/// Why a grammar has no oracle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OracleError {
    /// The start symbol has no rule.
    #[error("undefined start symbol `{0}`")]
    UndefinedStart(String),
    /// A name has no rule.
    #[error("undefined nonterminal `{0}` at byte {start}", start = .1.start)]
    Undefined(String, Span),
    /// The language is empty, or has only the empty string in it.
    #[error("empty language")]
    EmptyLanguage,
    /// What `except!` takes away is not made of texts.
    #[error("the operand of `except!` at byte {start} is not made of texts", start = .0.start)]
    ExceptOperand(Span),
    /// A regex that does not parse, or looks around in its middle.
    #[error("regex at byte {start}: {1}", start = .0.start)]
    Regex(Span, String),
    /// Something under `&` or `~` is not regular.
    #[error("not regular, under `&` or `~` at byte {start}", start = .0.start)]
    NotRegular(Span),
    /// An item or the separator of `unordered!` is empty, among others.
    #[error("an item or the separator of `unordered!` must not be empty, at byte {start}", start = .0.start)]
    EmptyItem(Span),
    /// Too large for tests; says nothing about the grammar.
    #[error("too large for the oracle, at byte {start}", start = .0.start)]
    TooLarge(Span),
}

/// The start symbol that a text asks for: the one of `%start`, else `start`.
pub fn start_of(ast: &Ast) -> &str {
    ast.start.as_ref().map_or("start", |name| &name.text)
}

/// A grammar, ready to be asked about texts.
///
/// # Example
///
/// ```
/// use grammask_syntax::{Config, parse};
/// use grammask_testkit::{Oracle, Verdict};
///
/// let ast = parse("start ::= 'a' start 'b' | 'ab';", &Config::default())?;
/// let oracle = Oracle::new(&ast, "start")?;
/// assert_eq!(oracle.verdict(b"aabb"), Verdict::Accept);
/// assert_eq!(oracle.verdict(b"aab"), Verdict::LivePrefix);
/// assert_eq!(oracle.verdict(b"aba"), Verdict::RejectAt(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
/// J. Earley, "An Efficient Context-Free Parsing Algorithm", 1970; J. Aycock and R. N. Horspool, "Practical Earley
/// Parsing", 2002, for the empty productions.
#[derive(Clone, Debug)]
pub struct Oracle {
    grammar: Reduced,
}

impl Oracle {
    /// The oracle of the grammar in `ast` with the start symbol `start`. What `%start` says is not looked at; see
    /// [`start_of`].
    ///
    /// # Errors
    /// The first thing found that is wrong with the grammar.
    pub fn new(ast: &Ast, start: &str) -> Result<Self, OracleError> {
        let plain = desugar::desugar(ast, start)?;
        Ok(Self { grammar: Reduced::new(plain)? })
    }

    /// A recognizer that has read nothing.
    pub fn run(&self) -> Run<'_> {
        Run::new(&self.grammar)
    }

    /// What `text` is. The empty text is a live prefix: it begins every output, and is none.
    ///
    /// # Complexity
    /// Cubic in the length of the text at worst.
    pub fn verdict(&self, text: &[u8]) -> Verdict {
        let mut run = self.run();
        for (offset, &byte) in text.iter().enumerate() {
            if !run.push(byte) {
                return Verdict::RejectAt(offset);
            }
        }
        if run.is_complete() { Verdict::Accept } else { Verdict::LivePrefix }
    }
}

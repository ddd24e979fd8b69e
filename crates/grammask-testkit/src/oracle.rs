//! The oracle: the meaning of a grammar, computed in the simplest way. A syntax tree is desugared into
//! productions over byte automata, reduced to those that lead to a finite or endless output, and run by a
//! textbook Earley recognizer.

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

/// The relation of a text to a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The text is in the language. Longer texts may be, too.
    Accept,
    /// The text is not in the language, but some output, finite or endless, begins with it.
    LivePrefix,
    /// Some output begins with the bytes before this offset, but none with these and the byte at the offset.
    RejectAt(usize),
}

/// An error of a grammar, or a limit of the oracle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OracleError {
    /// The start symbol has no rule.
    #[error("undefined start symbol `{0}`")]
    UndefinedStart(String),
    /// A name has no rule.
    #[error("undefined nonterminal `{0}` at byte {start}", start = .1.start)]
    Undefined(String, Span),
    /// The language is empty, or contains only the empty text.
    #[error("empty language")]
    EmptyLanguage,
    /// The operand of `except!` contains more than texts.
    #[error("the operand of `except!` at byte {start} contains more than texts", start = .0.start)]
    ExceptOperand(Span),
    /// A regex has a syntax error, or an assertion in its middle.
    #[error("regex at byte {start}: {1}", start = .0.start)]
    Regex(Span, String),
    /// An operand of `&` or `~` is not regular.
    #[error("not regular, under `&` or `~` at byte {start}", start = .0.start)]
    NotRegular(Span),
    /// An item or the separator of `unordered!` matches the empty text.
    #[error("an item or the separator of `unordered!` must not be empty, at byte {start}", start = .0.start)]
    EmptyItem(Span),
    /// The grammar is too large for the oracle, which does not mean that it has an error.
    #[error("too large for the oracle, at byte {start}", start = .0.start)]
    TooLarge(Span),
}

/// Returns the start symbol of a grammar: the one of its `%start` directive, or `start`. It ends with `?` if
/// the empty output is an output.
pub fn start_of(ast: &Ast) -> String {
    let name = ast.start.as_ref().map_or("start", |name| &name.text);
    format!("{name}{}", if ast.allows_empty { "?" } else { "" })
}

/// A reference recognizer for one grammar.
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
/// J. Earley, "An Efficient Context-Free Parsing Algorithm", 1970; J. Aycock and R. N. Horspool, "Practical
/// Earley Parsing", 2002, for the empty productions.
#[derive(Clone, Debug)]
pub struct Oracle {
    grammar: Reduced,
}

impl Oracle {
    /// Creates the oracle of a grammar with this start symbol. With a `?` at its end, the empty output is an
    /// output. Ignores `%start`; see [`start_of`].
    ///
    /// # Errors
    /// Returns the first error that it finds in the grammar.
    pub fn new(ast: &Ast, start: &str) -> Result<Self, OracleError> {
        let name = start.strip_suffix('?').unwrap_or(start);
        let plain = desugar::desugar(ast, name)?;
        Ok(Self { grammar: Reduced::new(plain, name != start)? })
    }

    /// Returns the oracle for a vocabulary in which the tokens with these ids end outputs.
    #[must_use]
    pub fn with_ends(mut self, ids: impl IntoIterator<Item = u32>) -> Self {
        self.grammar.ends.extend(ids);
        self
    }

    /// Returns a recognizer at the beginning of a text.
    pub fn run(&self) -> Run<'_> {
        Run::new(&self.grammar)
    }

    /// Returns the verdict on a text. The empty text is a live prefix, unless it is an output.
    ///
    /// # Complexity
    /// O(n³) in the length of the text.
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

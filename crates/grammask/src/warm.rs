//! Computing ahead of time: for a grammar its masks, for a vocabulary what lexemes take of it.

use std::ops::ControlFlow;

use grammask_syntax::{Ast, ExprKind, Name, Rule, Span};

use crate::{Config, Error, Grammar, Vocabulary, WarmLimits, Warmth};

impl Grammar {
    /// Computes masks before anybody asks for them, breadth first from the beginning of outputs. Masks are the same without.
    ///
    /// Ends when every kind of state has been visited, at a limit, when the tables reach their memory budget, or when
    /// `progress` breaks; it is called every 32 states for each thread. Other threads may use the grammar meanwhile.
    ///
    /// ```
    /// # use grammask::{Config, Grammar, TokenId, Vocabulary, WarmLimits};
    /// # use std::ops::ControlFlow;
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec()), (TokenId(1), b"b".to_vec())], [])?;
    /// let grammar = Grammar::compile("start ::= 'a' start? 'b';", &vocabulary, &Config::default())?;
    /// let warmth = grammar.warm(&WarmLimits::default(), |_| ControlFlow::Continue(()));
    /// assert!(warmth.is_complete);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn warm(&self, limits: &WarmLimits, progress: impl FnMut(Warmth) -> ControlFlow<()>) -> Warmth {
        self.tables().warm(limits, progress)
    }
}

impl Vocabulary {
    /// Lexemes that many grammars have: strings, numbers and white space of JSON, names, digits, lines, any text.
    pub const COMMON_LEXEMES: &[&str] = &[
        r#""([^"\\\x00-\x1f]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*""#,
        r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?",
        r"[ \t\n\r]+",
        r"[A-Za-z_][A-Za-z0-9_]*",
        r"[0-9]+",
        r"[^\n]+",
        r"(?s:.)+",
    ];

    /// Computes what some lexemes, written as regexes, take of the vocabulary, before a grammar asks for it: at most
    /// `limits.states` states of each. [`COMMON_LEXEMES`](Self::COMMON_LEXEMES) is a beginning. Masks are the same without.
    ///
    /// Ends earlier when what grammars share has no more room. `progress` is called every 32 states for each thread, and ends it by breaking. The sum
    /// over all lexemes is returned; it is not complete where some of them were left out.
    ///
    /// # Errors
    /// When one of them is no regex, or exceeds a limit: those before it have been computed.
    ///
    /// ```
    /// # use grammask::{TokenId, Vocabulary, WarmLimits};
    /// # use std::ops::ControlFlow;
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec()), (TokenId(1), b"1".to_vec())], [])?;
    /// vocabulary.warm(Vocabulary::COMMON_LEXEMES, &WarmLimits::default(), |_| ControlFlow::Continue(()))?;
    /// assert!(vocabulary.stats().parts > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn warm(
        &self,
        lexemes: &[&str],
        limits: &WarmLimits,
        progress: impl FnMut(Warmth) -> ControlFlow<()>,
    ) -> Result<Warmth, Error> {
        let grammars =
            lexemes.iter().map(|lexeme| Grammar::from_ast(&only(lexeme), self, &Config::default()));
        warm_each(self, grammars, limits, progress)
    }
}

/// Warms one grammar after the other, each up to the limits, and sums up. Ends where what the vocabulary shares has no more room: whoever comes next
/// would begin with empty tables.
pub(crate) fn warm_each(
    vocabulary: &Vocabulary,
    mut grammars: impl ExactSizeIterator<Item = Result<Grammar, Error>>,
    limits: &WarmLimits,
    mut progress: impl FnMut(Warmth) -> ControlFlow<()>,
) -> Result<Warmth, Error> {
    let mut all = Warmth { is_complete: true, ..Warmth::default() };
    let mut is_over = false;
    while !is_over && !vocabulary.is_full() {
        let Some(grammar) = grammars.next() else { return Ok(all) };
        let warmth = grammar?.warm(limits, |now| {
            let flow = progress(Warmth { states: all.states + now.states, ..now });
            is_over = flow.is_break();
            flow
        });
        all.states += warmth.states;
        all.waiting += warmth.waiting;
        all.is_complete &= warmth.is_complete;
    }
    // Not by asking for the next one: that would be compiled, and take the place of what is full.
    all.is_complete &= grammars.len() == 0;
    Ok(all)
}

/// The grammar of one lexeme.
fn only(lexeme: &str) -> Ast {
    let span = Span::new(0, lexeme.len());
    let mut ast = Ast::default();
    let body = ast.push(ExprKind::Regex(lexeme.into()), span);
    let name = Name { text: "start".to_owned(), span };
    ast.rules.push(Rule { name, body, span });
    ast
}

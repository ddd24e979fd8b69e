//! Warm-up: computing masks of a grammar, or the tokens of lexemes of a vocabulary, before they are needed.

use std::ops::ControlFlow;

use grammask_syntax::{Ast, ExprKind, Name, Rule, Span};

use crate::{Config, Error, Grammar, Vocabulary, WarmLimits, WarmProgress};

impl Grammar {
    /// Computes masks in advance, breadth first from the beginning of an output. Masks are the same without.
    /// Other threads may use the grammar meanwhile.
    ///
    /// Ends when every kind of state has been visited, at one of the limits, when the tables reach their
    /// memory budget, or when `progress` breaks. `progress` is called every 32 states of each thread.
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
    pub fn warm(
        &self,
        limits: &WarmLimits,
        progress: impl FnMut(WarmProgress) -> ControlFlow<()>,
    ) -> WarmProgress {
        self.tables().warm(limits, progress)
    }
}

impl Vocabulary {
    /// Regexes of common lexemes: strings, numbers and white space of JSON, identifiers, digits, lines,
    /// arbitrary text.
    pub const COMMON_LEXEMES: &[&str] = &[
        r#""([^"\\\x00-\x1f]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*""#,
        r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?",
        r"[ \t\n\r]+",
        r"[A-Za-z_][A-Za-z0-9_]*",
        r"[0-9]+",
        r"[^\n]+",
        r"(?s:.)+",
    ];

    /// Fills the lexicon with the tokens of some lexemes, given as regexes such as
    /// [`COMMON_LEXEMES`](Self::COMMON_LEXEMES). Visits at most `limits.states` states of each. Masks are the
    /// same without.
    ///
    /// Ends early when the lexicon reaches its memory budget, or when `progress` breaks. `progress` is called
    /// every 32 states of each thread. Returns the sum over all lexemes. It is not complete if some lexemes
    /// were left out.
    ///
    /// # Errors
    /// If a lexeme is not a regex, or exceeds a limit. The lexemes before it are in the lexicon.
    ///
    /// ```
    /// # use grammask::{TokenId, Vocabulary, WarmLimits};
    /// # use std::ops::ControlFlow;
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec()), (TokenId(1), b"1".to_vec())], [])?;
    /// vocabulary.warm(Vocabulary::COMMON_LEXEMES, &WarmLimits::default(), |_| ControlFlow::Continue(()))?;
    /// assert!(vocabulary.stats().entries > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn warm(
        &self,
        lexemes: &[&str],
        limits: &WarmLimits,
        progress: impl FnMut(WarmProgress) -> ControlFlow<()>,
    ) -> Result<WarmProgress, Error> {
        let grammars =
            lexemes.iter().map(|lexeme| Grammar::from_ast(&grammar_of(lexeme), self, &Config::default()));
        warm_each(self, grammars, limits, progress)
    }
}

/// Warms up one grammar after the other, each up to the limits. Returns the sum. Ends when the lexicon is
/// full: the next grammar would replace it by an empty one.
pub(crate) fn warm_each(
    vocabulary: &Vocabulary,
    mut grammars: impl ExactSizeIterator<Item = Result<Grammar, Error>>,
    limits: &WarmLimits,
    mut progress: impl FnMut(WarmProgress) -> ControlFlow<()>,
) -> Result<WarmProgress, Error> {
    let mut all = WarmProgress { is_complete: true, ..WarmProgress::default() };
    let mut is_cancelled = false;
    while !is_cancelled && !vocabulary.is_full() {
        let Some(grammar) = grammars.next() else { return Ok(all) };
        let warmth = grammar?.warm(limits, |now| {
            let flow = progress(WarmProgress { states: all.states + now.states, ..now });
            is_cancelled = flow.is_break();
            flow
        });
        all.states += warmth.states;
        all.waiting += warmth.waiting;
        all.is_complete &= warmth.is_complete;
    }
    // Not by `next`: it would compile a grammar, and so replace the full lexicon.
    all.is_complete &= grammars.len() == 0;
    Ok(all)
}

/// Returns the grammar whose language is one lexeme.
fn grammar_of(lexeme: &str) -> Ast {
    let span = Span::new(0, lexeme.len());
    let mut ast = Ast::default();
    let body = ast.push(ExprKind::Regex(lexeme.into()), span);
    let name = Name { text: "start".to_owned(), span };
    ast.rules.push(Rule { name, body, span });
    ast
}

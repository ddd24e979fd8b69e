//! Reads expressions that must be terminals: regexes, `except!`, and operands of `&`, `~` and `json!`.

use std::rc::Rc;

use grammask_syntax::{ExceptOperand, ExprKind, Span, Text};
use rustc_hash::FxHashSet;

use super::{Reader, UNDER};
use crate::error::{ErrorKind, describe, place_in_pattern};
use crate::form::{Except, Terminal, TerminalId};
use crate::grammar::terminals::StringKind;

impl<'a> Reader<'a> {
    /// Reads an expression that must be a terminal. Returns `None` if it is not one, or if an error was
    /// reported.
    pub(super) fn terminal(&mut self, kind: &'a ExprKind, index: usize, span: Span) -> Option<TerminalId> {
        let terminal = match kind {
            ExprKind::Text(text) => return Some(self.terminals.intern_string(StringKind::Text, text, span)),
            ExprKind::Substrings(text) => {
                return Some(self.terminals.intern_string(StringKind::Substrings, text, span));
            }
            ExprKind::Regex(pattern) => {
                return self.regex(StringKind::Regex, 1, pattern, span);
            }
            ExprKind::PrefixMinimal(pattern) => {
                return self.regex(StringKind::Early, 2, pattern, span);
            }
            ExprKind::NotContaining(pattern) => {
                return self.regex(StringKind::Without, 3, pattern, span);
            }
            ExprKind::Except { operand, max } => return self.except(operand, *max, index, span),
            ExprKind::ChunkRuns(chunks) => return self.compiled(Terminal::ChunkRuns(chunks.clone()), span),
            ExprKind::SpecialName(_)
            | ExprKind::SpecialId(_)
            | ExprKind::SpecialSet(_)
            | ExprKind::Marker(_) => {
                let flags = self.flags[index];
                if flags & UNDER != 0 {
                    self.not_regular(flags, "a special token".to_owned(), span);
                    return None;
                }
                match kind {
                    ExprKind::SpecialSet(set) => Terminal::SpecialSet(set.clone()),
                    // A front end that has a vocabulary resolves markers first.
                    ExprKind::Marker(text) => Terminal::Text(text.clone()),
                    ExprKind::SpecialId(id) => Terminal::SpecialId(*id),
                    ExprKind::SpecialName(name) => Terminal::SpecialName(name.clone()),
                    _ => return None,
                }
            }
            ExprKind::Sequence(children) => {
                let operands = self.take_terminals(children)?;
                return self.terminal_sequence(operands, span);
            }
            ExprKind::Alternatives(children) => {
                let mut operands = self.take_terminals(children)?;
                let mut seen = FxHashSet::default();
                let cancellation = &mut self.cancellation;
                operands.retain(|&operand| !cancellation.poll_after(1) && seen.insert(operand));
                if let [operand] = operands[..] {
                    return Some(operand);
                }
                Terminal::Alternatives(operands.into())
            }
            ExprKind::And(children) => Terminal::And(self.take_terminals(children)?.into()),
            ExprKind::Not(child) => Terminal::Not(self.take_terminal(*child)?),
            ExprKind::Json(child, escapes) => {
                let operand = self.take_terminal(*child)?;
                // Compile the spellings of a short text only when they are used: a grammar may have
                // thousands.
                if self.terminals.is_short_text(operand) {
                    return Some(self.terminals.intern(Terminal::Json(operand, *escapes), span));
                }
                if !self.terminals.lower_literal_set(operand, self.store, &mut self.cancellation) {
                    return None;
                }
                return self.compiled(Terminal::Json(operand, *escapes), span);
            }
            ExprKind::Compared(comparison, bound) => {
                return self.compiled(Terminal::Compared(*comparison, bound.clone()), span);
            }
            ExprKind::Multiple(numeral) => {
                return self.compiled(Terminal::Multiple(numeral.clone()), span);
            }
            ExprKind::Repeat { expr, quantifier } => {
                let (min, max) = quantifier.bounds();
                let operand = self.take_terminal(*expr)?;
                return Some(self.terminals.repeat(operand, min, max, span));
            }
            ExprKind::Schema(_) => {
                self.report(ErrorKind::UntranslatedSchema, span);
                return None;
            }
            ExprKind::Nonterminal(_)
            | ExprKind::Unordered(_)
            | ExprKind::Distinct(_)
            | ExprKind::Capture { .. } => return None,
        };
        Some(self.terminals.intern(terminal, span))
    }

    /// Reads a regex, and compiles it at once, because its place is known here. `sigil` is the number of
    /// bytes before the opening quote.
    fn regex(&mut self, kind: StringKind, sigil: usize, pattern: &Text, span: Span) -> Option<TerminalId> {
        let known = self.terminals.len();
        let id = self.terminals.intern_string(kind, pattern, span);
        if id.index() < known {
            return Some(id);
        }
        if let Err(error) =
            self.terminals.lower_cancellable(id, self.store, || self.cancellation.is_cancelled())
        {
            let (mut kind, offset) = describe(&error);
            if let ErrorKind::Regex { has_backslash, .. } = &mut kind {
                *has_backslash = pattern.contains('\\');
            }
            self.report(kind, place_in_pattern(span, sigil, pattern, offset));
        }
        Some(id)
    }

    /// Reads an `except!`.
    fn except(
        &mut self,
        operand: &'a ExceptOperand,
        max: Option<u64>,
        index: usize,
        span: Span,
    ) -> Option<TerminalId> {
        let (name, texts, place) = match operand {
            ExceptOperand::Text(text) => (None, Ok(Rc::new(vec![text.to_string()])), span),
            ExceptOperand::Nonterminal(name) => {
                if !self.ids.contains_key(name.text.as_str()) {
                    self.undefined(&name.text, index, name.span);
                    return None;
                }
                if self.is_incomplete(&name.text) {
                    return None;
                }
                (Some(name.text.clone()), self.except.list(&name.text), name.span)
            }
        };
        let texts = match texts {
            Ok(texts) => texts,
            Err(kind) => {
                self.report(kind, place);
                return None;
            }
        };
        if texts.iter().any(String::is_empty) {
            self.report(ErrorKind::ExceptEmptyText { name }, place);
            return None;
        }
        let except = Except { name, texts: texts.to_vec(), max: max.filter(|&max| max > 0) };
        let terminal = Terminal::Except(except.into());
        self.compiled(terminal, span)
    }

    /// Interns a terminal, and compiles it at once, because its place is known here. Returns `None` after an
    /// error.
    ///
    /// A terminal around a failed one then fails without compiling anything. Otherwise each of a thousand
    /// nested `json!` would compile all inside it.
    fn compiled(&mut self, terminal: Terminal, span: Span) -> Option<TerminalId> {
        let id = self.terminals.intern(terminal, span);
        match self.terminals.lower_cancellable(id, self.store, || self.cancellation.is_cancelled()) {
            Ok(_) => Some(id),
            Err(error) => {
                self.report(describe(&error).0, span);
                None
            }
        }
    }
}

//! Reading what is, or has to be, a terminal: patterns, `except!`, and what stands under `&`, `~` and `json!`.

use std::rc::Rc;

use grammask_syntax::{ExceptOperand, ExprKind, Span, Text};
use rustc_hash::FxHashSet;

use super::{Reader, UNDER};
use crate::error::{ErrorKind, describe, place_in_pattern};
use crate::form::{Except, Terminal, TerminalId};
use crate::grammar::terminals::Written;

impl<'a> Reader<'a> {
    /// An expression that is, or has to be, a terminal.
    pub(super) fn terminal(&mut self, kind: &'a ExprKind, index: usize, span: Span) -> Option<TerminalId> {
        let terminal = match kind {
            ExprKind::Text(text) => return Some(self.terminals.intern_written(Written::Text, text, span)),
            ExprKind::Substrings(text) => {
                return Some(self.terminals.intern_written(Written::Substrings, text, span));
            }
            ExprKind::Regex(pattern) => {
                return self.regex(Written::Regex, 1, pattern, span);
            }
            ExprKind::Early(pattern) => {
                return self.regex(Written::Early, 2, pattern, span);
            }
            ExprKind::Without(pattern) => {
                return self.regex(Written::Without, 3, pattern, span);
            }
            ExprKind::Except { operand, max } => return self.except(operand, *max, span),
            ExprKind::SpecialName(_) | ExprKind::SpecialId(_) => {
                let marks = self.marks[index];
                if marks & UNDER != 0 {
                    self.not_regular(marks, "a special token".to_owned(), span);
                    return None;
                }
                match kind {
                    ExprKind::SpecialId(id) => Terminal::SpecialId(*id),
                    ExprKind::SpecialName(name) => Terminal::SpecialName(name.clone()),
                    _ => return None,
                }
            }
            ExprKind::Sequence(children) => {
                let operands = self.take_terminals(children)?;
                return Some(self.terminals.sequence(operands, span));
            }
            ExprKind::Alternatives(children) => {
                let mut operands = self.take_terminals(children)?;
                let mut seen = FxHashSet::default();
                // Who is stopped needs them no more.
                let stop = &mut self.stop;
                operands.retain(|&operand| !stop.after(1) && seen.insert(operand));
                if let [operand] = operands[..] {
                    return Some(operand);
                }
                Terminal::Alternatives(operands.into())
            }
            ExprKind::And(children) => Terminal::And(self.take_terminals(children)?.into()),
            ExprKind::Not(child) => Terminal::Not(self.take_terminal(*child)?),
            ExprKind::Json(child) => {
                let operand = self.take_terminal(*child)?;
                // The spellings of a short text exceed no limit; there may be thousands of them, and most are never looked at.
                if self.terminals.is_short_text(operand) {
                    return Some(self.terminals.intern(Terminal::Json(operand), span));
                }
                if !self.terminals.lowers_texts(operand, self.store, &mut self.stop) {
                    return None;
                }
                return self.lowered(Terminal::Json(operand), span);
            }
            ExprKind::Compared(comparison, bound) => {
                return self.lowered(Terminal::Compared(*comparison, bound.clone()), span);
            }
            ExprKind::Multiple(numeral) => {
                return self.lowered(Terminal::Multiple(numeral.clone()), span);
            }
            ExprKind::Repeat { expr, quantifier } => {
                let (min, max) = quantifier.bounds();
                let operand = self.take_terminal(*expr)?;
                return Some(self.terminals.repeat(operand, min, max, span));
            }
            ExprKind::Nonterminal(_) | ExprKind::Unordered(_) | ExprKind::Distinct(_) => return None,
        };
        Some(self.terminals.intern(terminal, span))
    }

    /// A regex, checked at once, as its place is known here. `sigil`: how many bytes stand before the quote.
    fn regex(&mut self, kind: Written, sigil: usize, pattern: &Text, span: Span) -> Option<TerminalId> {
        let known = self.terminals.len();
        let id = self.terminals.intern_written(kind, pattern, span);
        if id.index() < known {
            return Some(id);
        }
        if let Err(error) = self.terminals.lower_unless(id, self.store, || self.stop.is_stopped()) {
            let (kind, offset) = describe(&error);
            self.report(kind, place_in_pattern(span, sigil, pattern, offset));
        }
        Some(id)
    }

    fn except(&mut self, operand: &'a ExceptOperand, max: Option<u64>, span: Span) -> Option<TerminalId> {
        let (name, texts, place) = match operand {
            ExceptOperand::Text(text) => (None, Ok(Rc::new(vec![text.to_string()])), span),
            ExceptOperand::Nonterminal(name) => {
                if !self.ids.contains_key(name.text.as_str()) {
                    self.undefined(&name.text, name.span);
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
        self.lowered(terminal, span)
    }

    /// A terminal whose language is made at once, as its place is known here; nothing where that is an error, so that nobody makes what stands
    /// around it of what there is not: each of a thousand `json!` in each other would be tried, and go through all those inside.
    fn lowered(&mut self, terminal: Terminal, span: Span) -> Option<TerminalId> {
        let id = self.terminals.intern(terminal, span);
        match self.terminals.lower_unless(id, self.store, || self.stop.is_stopped()) {
            Ok(_) => Some(id),
            Err(error) => {
                self.report(describe(&error).0, span);
                None
            }
        }
    }
}

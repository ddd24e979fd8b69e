//! Copies the rules of another tree, under fresh names.

use grammask_syntax::{Ast, ExceptOperand, ExprId, ExprKind, Name, Rule, Span, Text};
use grammask_work::narrow;
use rustc_hash::FxHashMap;

use super::Builder;
use crate::Outcome;

/// The places of the expressions of a grafted tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Its own spans, moved by this number of bytes.
    Shift(usize),
    /// One span for all of them.
    At(Span),
}

impl Place {
    fn of(self, span: Span) -> Span {
        match self {
            Self::Shift(by) => Span::new(span.start + by, span.end + by),
            Self::At(span) => span,
        }
    }
}

impl Builder {
    /// Copies all rules of a tree under fresh names that begin with `prefix`. Returns the identifier of its
    /// start symbol: that of its `%start`, or `start`.
    ///
    /// A name without a rule stays as it is.
    pub fn graft(&mut self, ast: &Ast, prefix: &str, place: Place) -> Text {
        let mut names: FxHashMap<&str, Text> = FxHashMap::default();
        for rule in &ast.rules {
            let name = rule.name.text.as_str();
            if !names.contains_key(name) {
                let fresh = self.fresh(&format!("{prefix}_{name}"));
                names.insert(name, fresh);
            }
        }
        let renamed = |name: &str| names.get(name).cloned().unwrap_or_else(|| name.into());
        let base = narrow(self.ast.exprs.len());
        if self.is_full || self.exceeds_expressions(ast.exprs.len(), place.of(Span::default())) {
            return renamed("start");
        }
        self.ast.exprs.extend(ast.exprs.iter().map(|expr| {
            let mut expr = expr.clone();
            expr.span = place.of(expr.span);
            for child in expr.kind.children_mut() {
                *child = ExprId(child.0 + base);
            }
            match &mut expr.kind {
                ExprKind::Nonterminal(name) => *name = renamed(name),
                ExprKind::Except { operand, .. } => {
                    if let ExceptOperand::Nonterminal(name) = &mut **operand {
                        name.text = renamed(&name.text).into();
                    }
                }
                _ => {}
            }
            expr
        }));
        self.ast.rules.extend(ast.rules.iter().map(|rule| Rule {
            name: Name { text: renamed(&rule.name.text).into(), span: place.of(rule.name.span) },
            body: ExprId(rule.body.0 + base),
            span: place.of(rule.span),
        }));
        renamed(ast.start.as_ref().map_or("start", |start| &start.text))
    }

    /// Copies the grammar of another front end, with its sources, names and notes. Returns the identifier of
    /// its start symbol.
    pub fn graft_outcome(&mut self, outcome: &Outcome, prefix: &str) -> Text {
        let shift = self.sources.append(&outcome.sources);
        let start = self.graft(&outcome.ast, prefix, Place::Shift(shift));
        for note in &outcome.notes {
            self.note(note.message.clone(), Place::Shift(shift).of(note.span));
        }
        start
    }

    /// Copies the errors of another front end, with its sources.
    pub fn graft_errors(&mut self, errors: &crate::Errors) {
        let shift = self.sources.append(errors.sources());
        for error in errors.diagnostics() {
            let mut error = error.clone();
            error.span = Place::Shift(shift).of(error.span);
            if let Some(note) = &mut error.note {
                note.span = Place::Shift(shift).of(note.span);
            }
            self.report(error);
        }
        self.omitted += errors.omitted();
    }

    /// Reports an error if the tree has no room for `more` expressions.
    fn exceeds_expressions(&mut self, more: usize, span: Span) -> bool {
        let limit = self.config.limits.max_expressions.min(u32::MAX as usize - 1);
        self.is_full = self.ast.exprs.len().saturating_add(more) > limit;
        if self.is_full {
            self.limit("max_expressions", limit, "expressions", span);
            self.push_first(span);
        }
        self.is_full
    }

    /// Makes sure that there is an expression that `push` can return.
    fn push_first(&mut self, span: Span) {
        if self.ast.exprs.is_empty() {
            self.ast.push(ExprKind::Text("".into()), span);
        }
    }
}

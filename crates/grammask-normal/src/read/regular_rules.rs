//! Rules that are named where only regular parts are allowed: in `&`, `~` and `json!`.
//!
//! Such a rule becomes one terminal, which all of its uses share. Each rule is read once, after the rules
//! that it names.

use grammask_syntax::{ExprId, ExprKind, Span};
use rustc_hash::FxHashMap;

use super::flags::UNDER;
use super::{Part, Reader};
use crate::config::{Limit, LimitExceeded};
use crate::form::{NonterminalId, Terminal, TerminalId};
use crate::grammar::Factor;

/// Length of an operand, in concatenated parts, from which on a repetition of it is written as one.
const MIN_REPEATED_LENGTH: u64 = 1 << 12;

/// A rule that is named where only regular parts are allowed.
#[derive(Clone)]
pub(super) enum RegularRule {
    /// Its operands are being read.
    Open,
    /// It is this terminal. `None` after an error in it, which is reported at its place.
    Terminal(Option<TerminalId>),
    /// It is not regular, for this reason.
    NotRegular(String),
}

impl<'a> Reader<'a> {
    /// Reads the rules that are named where only regular parts are allowed.
    pub(super) fn read_regular_rules(&mut self) {
        let ast = self.ast;
        let is_under = |flags: u8| flags & UNDER != 0;
        if !ast
            .exprs
            .iter()
            .zip(&self.flags)
            .any(|(expr, &flags)| is_under(flags) && matches!(expr.kind, ExprKind::Nonterminal(_)))
        {
            return;
        }
        let mut bodies: FxHashMap<NonterminalId, Vec<ExprId>> = FxHashMap::default();
        for rule in &ast.rules {
            bodies.entry(self.ids[rule.name.text.as_str()]).or_default().push(rule.body);
        }
        // While these rules are read, `parts` has what their expressions are as terminals.
        let mut parts = Vec::new();
        parts.resize_with(ast.exprs.len(), || Part::Nothing);
        std::mem::swap(&mut self.parts, &mut parts);
        for index in 0..ast.exprs.len() {
            if is_under(self.flags[index])
                && let ExprKind::Nonterminal(name) = &ast.exprs[index].kind
                && let Some(&id) = self.ids.get(name.as_str())
            {
                self.read_regular_rule(id, &bodies);
            }
            if self.cancellation.poll_after(1) {
                break;
            }
        }
        self.parts = parts;
    }

    /// Reads a rule and those that it names.
    fn read_regular_rule(&mut self, id: NonterminalId, bodies: &FxHashMap<NonterminalId, Vec<ExprId>>) {
        // Pairs of a rule, and true if the rules that it names are read.
        let mut agenda = vec![(id, false)];
        while let Some((id, is_ready)) = agenda.pop() {
            let mut work = 1;
            match self.regular_rules.get(&id) {
                // A rule with a syntax error is not judged.
                None if self.is_incomplete_rule(id) => {
                    self.regular_rules.insert(id, RegularRule::Terminal(None));
                }
                None => {
                    let order = self.in_postorder(&bodies[&id]);
                    work += order.len();
                    self.regular_rules.insert(id, RegularRule::Open);
                    agenda.push((id, true));
                    for &expr in &order {
                        if let ExprKind::Nonterminal(name) = &self.ast.expr(expr).kind
                            && let Some(&named) = self.ids.get(name.as_str())
                        {
                            agenda.push((named, false));
                        }
                    }
                }
                Some(RegularRule::Open) if is_ready => {
                    let order = self.in_postorder(&bodies[&id]);
                    work += order.len();
                    let rule = self.regular_rule(&order, &bodies[&id]);
                    self.regular_rules.insert(id, rule);
                }
                // It is below itself.
                Some(RegularRule::Open) => {
                    self.regular_rules.insert(id, RegularRule::NotRegular("is recursive".to_owned()));
                }
                Some(_) => {}
            }
            if self.cancellation.poll_after(work) {
                return;
            }
        }
    }

    fn is_incomplete_rule(&self, id: NonterminalId) -> bool {
        self.variables[id.index()].name.as_deref().is_some_and(|name| self.is_incomplete(name))
    }

    /// Returns the expressions at and below some others, children before parents.
    fn in_postorder(&self, bodies: &[ExprId]) -> Vec<ExprId> {
        let mut order = bodies.to_vec();
        let mut next = 0;
        while let Some(&expr) = order.get(next) {
            order.extend_from_slice(self.ast.expr(expr).kind.children());
            next += 1;
        }
        order.sort_unstable();
        order
    }

    /// Reads a rule whose names are read.
    fn regular_rule(&mut self, order: &[ExprId], bodies: &[ExprId]) -> RegularRule {
        for &id in order {
            let expr = self.ast.expr(id);
            let contains = |what: &str| RegularRule::NotRegular(format!("contains {what}"));
            let terminal = match &expr.kind {
                ExprKind::Nonterminal(name) => match self.regular_rule_of(name) {
                    Some(RegularRule::Terminal(terminal)) => terminal,
                    Some(RegularRule::NotRegular(_)) => return contains(&format!("`{name}`")),
                    Some(RegularRule::Open) | None => None,
                },
                ExprKind::SpecialName(_)
                | ExprKind::SpecialId(_)
                | ExprKind::SpecialSet(_)
                | ExprKind::Marker(_) => return contains("a special token"),
                ExprKind::Unordered(_) | ExprKind::Distinct(_) => return contains("`unordered!`"),
                ExprKind::Capture { .. } => return contains("a `capture!`"),
                ExprKind::Schema(_) => return contains("a `schema!`"),
                kind => self.terminal(kind, id.index(), expr.span),
            };
            let Some(terminal) = terminal else { return RegularRule::Terminal(None) };
            self.parts[id.index()] = Part::Factor(Factor::terminal(terminal));
        }
        let Some(mut alternatives) = self.take_terminals(bodies) else { return RegularRule::Terminal(None) };
        alternatives.dedup();
        RegularRule::Terminal(Some(match alternatives[..] {
            [one] => one,
            _ => {
                let span = self.ast.expr(bodies[0]).span;
                self.terminals.intern(Terminal::Alternatives(alternatives.into()), span)
            }
        }))
    }

    fn regular_rule_of(&self, name: &str) -> Option<RegularRule> {
        self.regular_rules.get(self.ids.get(name)?).cloned()
    }

    /// Reads a name where only regular parts are allowed.
    pub(super) fn regular_name(&mut self, name: &'a str, index: usize, span: Span) -> Part {
        match self.regular_rule_of(name) {
            Some(RegularRule::Terminal(Some(terminal))) => Part::Factor(Factor::terminal(terminal)),
            Some(RegularRule::NotRegular(reason)) if !self.is_incomplete(name) => {
                let found = format!("the nonterminal `{name}`, which {reason}");
                self.not_regular(self.flags[index], found, span);
                Part::Nothing
            }
            _ => Part::Nothing,
        }
    }

    /// Interns a sequence of terminals. Equal neighbours become a repetition if they are long, so that rules
    /// which double each other stay small. Reports a sequence of too many parts.
    pub(super) fn terminal_sequence(&mut self, operands: Vec<TerminalId>, span: Span) -> Option<TerminalId> {
        if self.regular_rules.is_empty() {
            return Some(self.terminals.sequence(operands, span));
        }
        let mut folded: Vec<TerminalId> = Vec::with_capacity(operands.len());
        for group in operands.chunk_by(|left, right| left == right) {
            let count = u32::try_from(group.len()).unwrap_or(u32::MAX);
            if count > 1 && self.terminals.length(group[0]) >= MIN_REPEATED_LENGTH {
                folded.push(self.terminals.repeat(group[0], count, Some(count), span));
            } else {
                folded.extend_from_slice(group);
            }
        }
        let sequence = self.terminals.sequence(folded, span);
        let (found, value) = (self.terminals.length(sequence), self.config.limits.max_regular_parts);
        if found > value as u64 {
            let found = usize::try_from(found).unwrap_or(usize::MAX);
            self.report(LimitExceeded::new(Limit::MaxRegularParts, value, found).into(), span);
            return None;
        }
        Some(sequence)
    }
}

//! First pass over the syntax tree: checks that it is a tree, and computes flags of its expressions.

use grammask_syntax::{ExprKind, Quantifier};

use super::Reader;
use crate::error::{Error, ErrorKind};

/// Flag: the expression is regular; it contains no nonterminal and no special token.
pub(super) const REGULAR: u8 = 1;
/// Flag: the expression must become one terminal.
pub(super) const AS_TERMINAL: u8 = 2;
/// Flag: the nearest operator above that takes regular operands is `&`.
pub(super) const UNDER_AND: u8 = 4;
/// Flag: the nearest operator above that takes regular operands is `~`.
pub(super) const UNDER_NOT: u8 = 8;
/// Flag: the expression is an item of `unordered!`, whose repetition bounds its occurrences.
pub(super) const IS_ITEM: u8 = 16;
/// Flag: the nearest operator above that takes regular operands is `json!`.
pub(super) const UNDER_JSON: u8 = 32;
/// Flag: the nearest operator above that takes regular operands is `distinct!`.
pub(super) const UNDER_DISTINCT: u8 = 64;
/// Mask of the flags that name the nearest operator with regular operands.
pub(super) const UNDER: u8 = UNDER_AND | UNDER_NOT | UNDER_JSON | UNDER_DISTINCT;

/// Number of alternatives from which on room for their terminals is reserved at once. Otherwise the arena
/// would grow step by step, and each step moves all terminals without polling for cancellation.
const MIN_RESERVED_ALTERNATIVES: usize = 1 << 12;

/// Number of terminals for which room is reserved in addition to those of a large list of alternatives.
const SPARE_TERMINALS: usize = 1 << 12;

impl Reader<'_> {
    /// Computes the flags of all expressions.
    ///
    /// # Errors
    /// Returns an error if the expressions are not a tree with children before parents.
    pub(super) fn flag_exprs(&mut self) -> Result<(), Error> {
        self.flag_upwards()?;
        self.flag_downwards();
        Ok(())
    }

    /// Checks the tree, and finds the regular expressions: children before parents.
    fn flag_upwards(&mut self) -> Result<(), Error> {
        let exprs = &self.ast.exprs;
        let mut is_used = vec![false; exprs.len()];
        for (index, expr) in exprs.iter().enumerate() {
            let children = expr.kind.children();
            if matches!(&expr.kind, ExprKind::Alternatives(parts) if parts.len() >= MIN_RESERVED_ALTERNATIVES)
            {
                self.terminals.reserve(children.len() + SPARE_TERMINALS);
            }
            if self.cancellation.poll_after(1 + children.len() / 64) {
                return Ok(());
            }
            let mut is_regular = !matches!(
                expr.kind,
                ExprKind::Nonterminal(_)
                    | ExprKind::SpecialName(_)
                    | ExprKind::SpecialId(_)
                    | ExprKind::SpecialSet(_)
                    | ExprKind::Marker(_)
                    | ExprKind::Capture { .. }
                    | ExprKind::Schema(_)
                    | ExprKind::Unordered(_)
                    | ExprKind::Distinct(_)
            );
            for child in children {
                if child.index() >= index || std::mem::replace(&mut is_used[child.index()], true) {
                    return Err(self.malformed(index));
                }
                is_regular &= self.flags[child.index()] & REGULAR != 0;
            }
            if !is_well_formed(&expr.kind) {
                return Err(self.malformed(index));
            }
            self.flags[index] = if is_regular { REGULAR } else { 0 };
        }
        for rule in &self.ast.rules {
            if self.cancellation.poll_after(1) {
                return Ok(());
            }
            let body = rule.body.index();
            if body >= exprs.len() || std::mem::replace(&mut is_used[body], true) {
                return Err(self.malformed(body));
            }
        }
        Ok(())
    }

    /// Finds the expressions that must be terminals, and the operators above them: parents before children.
    fn flag_downwards(&mut self) {
        for (index, expr) in self.ast.exprs.iter().enumerate().rev() {
            if self.cancellation.poll_after(1) {
                return;
            }
            let mut inherited = self.flags[index] & (AS_TERMINAL | UNDER);
            match &expr.kind {
                ExprKind::Unordered(unordered) => {
                    for item in unordered.items() {
                        self.flags[item.index()] |= IS_ITEM;
                    }
                }
                ExprKind::Repeat { .. } if self.flags[index] & IS_ITEM != 0 => {}
                ExprKind::And(_) => inherited = AS_TERMINAL | UNDER_AND,
                ExprKind::Not(_) => inherited = AS_TERMINAL | UNDER_NOT,
                ExprKind::Json(..) => inherited = AS_TERMINAL | UNDER_JSON,
                // An operand with rules stays a rule; its texts are compared as JSON values.
                ExprKind::Distinct(child) if self.flags[child.index()] & REGULAR != 0 => {
                    inherited = AS_TERMINAL | UNDER_DISTINCT;
                }
                // A counted repetition of a regular expression is a terminal with a counter.
                ExprKind::Repeat { quantifier, .. }
                    if self.flags[index] & REGULAR != 0 && is_counted(quantifier) =>
                {
                    inherited |= AS_TERMINAL;
                    self.flags[index] |= AS_TERMINAL;
                }
                _ => {}
            }
            for child in expr.kind.children() {
                self.flags[child.index()] |= inherited;
            }
        }
    }

    fn malformed(&self, expr: usize) -> Error {
        let span = self.ast.exprs.get(expr).map(|expr| expr.span).unwrap_or_default();
        Error::new(ErrorKind::MalformedTree { expr }, span)
    }
}

/// Returns true if the operands and bounds of an expression are as the parser makes them.
fn is_well_formed(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Sequence(parts) | ExprKind::Alternatives(parts) | ExprKind::And(parts) => !parts.is_empty(),
        ExprKind::Unordered(unordered) => unordered.is_valid(),
        ExprKind::Repeat { quantifier, .. } => {
            let (min, max) = quantifier.bounds();
            max.is_none_or(|max| min <= max)
        }
        _ => true,
    }
}

/// Returns true for a repetition that needs a counter: bounds above one.
fn is_counted(quantifier: &Quantifier) -> bool {
    let (min, max) = quantifier.bounds();
    min > 1 || matches!(max, Some(2..))
}

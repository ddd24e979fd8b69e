//! Expressions as one regex, for operators that take a regex only.

use grammask_syntax::{ExprId, ExprKind, Quantifier};

use super::Builder;
use crate::class::is_class;

/// An entry of the stack of pending output.
enum Pending {
    Expr(ExprId),
    /// An operand of a quantifier.
    Atom(ExprId),
    Piece(&'static str),
    Postfix(Quantifier),
}

impl Builder {
    /// Returns an expression as one regex of the Rust crate `regex`, if it consists of texts, regexes,
    /// sequences, alternatives and repetitions.
    ///
    /// Returns `None` if it has other parts, or if the regex exceeds
    /// [`max_regex_bytes`](crate::Limits::max_regex_bytes).
    pub fn to_regex(&self, id: ExprId) -> Option<String> {
        let mut out = String::new();
        let mut rest = vec![Pending::Expr(id)];
        while let Some(item) = rest.pop() {
            if out.len() > self.config.limits.max_regex_bytes {
                return None;
            }
            let id = match item {
                Pending::Piece(piece) => {
                    out.push_str(piece);
                    continue;
                }
                Pending::Postfix(quantifier) => {
                    out.push_str(&quantifier.to_string());
                    continue;
                }
                Pending::Atom(id) => match self.kind(id) {
                    ExprKind::Regex(regex) if is_class(regex) => id,
                    _ => {
                        out.push_str("(?:");
                        rest.push(Pending::Piece(")"));
                        id
                    }
                },
                Pending::Expr(id) => id,
            };
            match self.kind(id) {
                ExprKind::Text(text) => out.push_str(&regex_syntax::escape(text)),
                ExprKind::Regex(regex) if is_class(regex) => out.push_str(regex),
                ExprKind::Regex(regex) => {
                    out.push_str("(?:");
                    out.push_str(regex);
                    out.push(')');
                }
                ExprKind::Sequence(parts) => rest.extend(parts.iter().rev().map(|&part| Pending::Expr(part))),
                ExprKind::Alternatives(parts) => {
                    out.push_str("(?:");
                    rest.push(Pending::Piece(")"));
                    for (index, &part) in parts.iter().enumerate().rev() {
                        rest.push(Pending::Expr(part));
                        if index > 0 {
                            rest.push(Pending::Piece("|"));
                        }
                    }
                }
                ExprKind::Repeat { expr, quantifier } => {
                    rest.push(Pending::Postfix(*quantifier));
                    rest.push(Pending::Atom(*expr));
                }
                _ => return None,
            }
        }
        Some(out)
    }
}

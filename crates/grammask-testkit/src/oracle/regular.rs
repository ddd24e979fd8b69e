//! Compiles the regular expressions of a grammar to automata: leaves, and operands of `&`, `~` and `json!`.

use grammask_syntax::{Ast, ExceptOperand, ExprId, ExprKind, Span};

use super::OracleError;
use super::dfa::{Dfa, TooLarge};
use super::{json, nfa, numbers, regex};

/// Returns, for each expression, its automaton. `None` unless it is a leaf, or at or below a `&`, `~` or
/// `json!`.
pub(super) fn regular_parts(ast: &Ast) -> Result<Vec<Option<Dfa>>, OracleError> {
    // Parents come after their children, so going backwards propagates the flag downwards.
    let mut wanted = vec![false; ast.exprs.len()];
    for (i, expr) in ast.exprs.iter().enumerate().rev() {
        wanted[i] |= matches!(expr.kind, ExprKind::And(_) | ExprKind::Not(_) | ExprKind::Json(_));
        if wanted[i] {
            for child in expr.kind.children() {
                wanted[child.index()] = true;
            }
        }
    }
    let mut parts: Vec<Option<Dfa>> = Vec::with_capacity(ast.exprs.len());
    for (expr, wanted) in ast.exprs.iter().zip(wanted) {
        let part = match leaf(ast, &expr.kind, expr.span)? {
            Some(leaf) => Some(leaf),
            None if wanted => Some(operation(&expr.kind, expr.span, &parts)?),
            None => None,
        };
        parts.push(part.map(|part| part.trimmed()));
    }
    Ok(parts)
}

fn leaf(ast: &Ast, kind: &ExprKind, span: Span) -> Result<Option<Dfa>, OracleError> {
    let compile =
        |pattern: &str| regex::compile(pattern).map_err(|message| OracleError::Regex(span, message));
    let dfa = match kind {
        ExprKind::Text(text) => Dfa::text(text.as_bytes()),
        ExprKind::Regex(pattern) => Ok(compile(pattern)?),
        ExprKind::PrefixMinimal(pattern) => compile(pattern)?.earliest(),
        ExprKind::NotContaining(pattern) => without(&compile(pattern)?, None),
        ExprKind::Compared(comparison, bound) => numbers::compared(*comparison, bound),
        ExprKind::Multiple(numeral) => numbers::multiples(numeral),
        ExprKind::Substrings(text) => nfa::pieces(text.as_bytes()),
        ExprKind::Except { operand, max } => {
            let texts = match &**operand {
                ExceptOperand::Text(text) => {
                    Dfa::text(text.as_bytes()).map_err(|_| OracleError::TooLarge(span))?
                }
                ExceptOperand::Nonterminal(name) => texts(ast, &name.text, name.span)?,
            };
            without(&texts, *max)
        }
        _ => return Ok(None),
    };
    dfa.map(Some).map_err(|TooLarge| OracleError::TooLarge(span))
}

/// Returns the non-empty strings of at most `max` bytes that contain no string of `part`.
fn without(part: &Dfa, max: Option<u64>) -> Result<Dfa, TooLarge> {
    let max = max.map(|max| usize::try_from(max).map_err(|_| TooLarge)).transpose()?;
    nfa::containing(part)?.complement()?.intersection(&Dfa::lengths(1, max)?)
}

fn operation(kind: &ExprKind, span: Span, parts: &[Option<Dfa>]) -> Result<Dfa, OracleError> {
    let children: Option<Vec<&Dfa>> =
        kind.children().iter().map(|child| parts[child.index()].as_ref()).collect();
    let children = children.ok_or(OracleError::NotRegular(span))?;
    match kind {
        ExprKind::Sequence(_) => nfa::concatenation(&children),
        ExprKind::Alternatives(_) => nfa::union(&children),
        ExprKind::Repeat { quantifier, .. } => {
            let (min, max) = quantifier.bounds();
            nfa::repetition(children[0], min, max)
        }
        ExprKind::And(_) => {
            children[1..].iter().try_fold(children[0].clone(), |both, next| both.intersection(next))
        }
        ExprKind::Not(_) => children[0].complement(),
        ExprKind::Json(_) => json::spellings(children[0]),
        _ => return Err(OracleError::NotRegular(span)),
    }
    .map_err(|TooLarge| OracleError::TooLarge(span))
}

/// Returns the texts of a nonterminal that contains only texts.
fn texts(ast: &Ast, name: &str, span: Span) -> Result<Dfa, OracleError> {
    let too_large = |TooLarge| OracleError::TooLarge(span);
    let bodies: Vec<ExprId> =
        ast.rules.iter().filter(|rule| rule.name.text == name).map(|rule| rule.body).collect();
    if bodies.is_empty() {
        return Err(OracleError::Undefined(name.to_owned(), span));
    }
    let mut below = vec![false; ast.exprs.len()];
    for &body in &bodies {
        below[body.index()] = true;
    }
    for (i, expr) in ast.exprs.iter().enumerate().rev() {
        if below[i] {
            for child in expr.kind.children() {
                below[child.index()] = true;
            }
        }
    }
    let mut made: Vec<Option<Dfa>> = Vec::new();
    for (expr, below) in ast.exprs.iter().zip(below) {
        let part = match &expr.kind {
            _ if !below => None,
            ExprKind::Text(text) => Some(Dfa::text(text.as_bytes()).map_err(too_large)?),
            kind @ (ExprKind::Sequence(_) | ExprKind::Alternatives(_)) => {
                Some(operation(kind, expr.span, &made)?)
            }
            _ => return Err(OracleError::ExceptOperand(span)),
        };
        made.push(part);
    }
    let bodies: Vec<&Dfa> = bodies.iter().filter_map(|body| made[body.index()].as_ref()).collect();
    nfa::union(&bodies).map_err(too_large)
}

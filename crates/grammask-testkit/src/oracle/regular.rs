//! Compiles the regular expressions of a grammar to automata: leaves, and operands of `&`, `~` and `json!`.

use grammask_syntax::{Ast, Escapes, ExceptOperand, ExprId, ExprKind, Span};

use super::OracleError;
use super::dfa::{Dfa, TooLarge};
use super::{json, nfa, numbers, regex};

/// Returns, for each expression, its automaton. `None` unless it is a leaf, or at or below a `&`, `~` or
/// `json!`.
pub(super) fn regular_parts(ast: &Ast) -> Result<Vec<Option<Dfa>>, OracleError> {
    // Parents come after their children, so going backwards propagates the flag downwards.
    let mut wanted = vec![false; ast.exprs.len()];
    for (i, expr) in ast.exprs.iter().enumerate().rev() {
        wanted[i] |= matches!(expr.kind, ExprKind::And(_) | ExprKind::Not(_) | ExprKind::Json(..));
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
            None if wanted => Some(match &expr.kind {
                ExprKind::Nonterminal(name) => named(ast, name, expr.span, &mut Vec::new())?,
                kind => {
                    let children = kind.children().iter().map(|child| parts[child.index()].clone());
                    let children: Option<Vec<Dfa>> = children.collect();
                    operation(kind, expr.span, &children.ok_or(OracleError::NotRegular(expr.span))?)?
                }
            }),
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
        ExprKind::ChunkRuns(chunks) => nfa::runs(chunks),
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

/// Returns the automaton of a nonterminal. `open` has the names of the rules around it: a rule below itself
/// is not regular.
fn named(ast: &Ast, name: &str, span: Span, open: &mut Vec<String>) -> Result<Dfa, OracleError> {
    if open.iter().any(|other| other == name) {
        return Err(OracleError::NotRegular(span));
    }
    open.push(name.to_owned());
    let mut bodies = Vec::new();
    for rule in ast.rules.iter().filter(|rule| rule.name.text == name) {
        bodies.push(tree(ast, rule.body, open)?);
    }
    open.pop();
    if bodies.is_empty() {
        return Err(OracleError::Undefined(name.to_owned(), span));
    }
    nfa::union(&bodies.iter().collect::<Vec<_>>()).map_err(|TooLarge| OracleError::TooLarge(span))
}

/// Returns the automaton of an expression of a rule that is named under `&`, `~` or `json!`.
fn tree(ast: &Ast, id: ExprId, open: &mut Vec<String>) -> Result<Dfa, OracleError> {
    let expr = ast.expr(id);
    if let Some(leaf) = leaf(ast, &expr.kind, expr.span)? {
        return Ok(leaf.trimmed());
    }
    if let ExprKind::Nonterminal(name) = &expr.kind {
        return named(ast, name, expr.span, open);
    }
    let children = expr.kind.children().iter().map(|&child| tree(ast, child, open));
    let children: Vec<Dfa> = children.collect::<Result<_, _>>()?;
    Ok(operation(&expr.kind, expr.span, &children)?.trimmed())
}

/// The contents of JSON strings with the escapes of `json_short!` and of `json_required!`.
const SHORT_SPELLINGS: &str = r#"(?s-u:[^\\]|\\["\\/bfnrt]|\\u00[01][0-9a-fA-F])*"#;
const REQUIRED_SPELLINGS: &str = r#"(?s-u:[^\\]|\\["\\bfnrt]|\\u00(?:0[0-7bef]|1[0-9a-f]))*"#;

/// Returns the automaton of one of these patterns.
fn few_escapes(pattern: &str) -> Dfa {
    regex::compile(pattern).expect("the pattern is valid")
}

fn operation(kind: &ExprKind, span: Span, children: &[Dfa]) -> Result<Dfa, OracleError> {
    let children: Vec<&Dfa> = children.iter().collect();
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
        ExprKind::Json(_, escapes) => json::spellings(children[0]).and_then(|all| match escapes {
            Escapes::Any => Ok(all),
            Escapes::Short => all.intersection(&few_escapes(SHORT_SPELLINGS)),
            Escapes::Required => all.intersection(&few_escapes(REQUIRED_SPELLINGS)),
        }),
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
                let children = kind.children().iter().map(|child| made[child.index()].clone());
                let children: Option<Vec<Dfa>> = children.collect();
                Some(operation(kind, expr.span, &children.ok_or(OracleError::ExceptOperand(span))?)?)
            }
            _ => return Err(OracleError::ExceptOperand(span)),
        };
        made.push(part);
    }
    let bodies: Vec<&Dfa> = bodies.iter().filter_map(|body| made[body.index()].as_ref()).collect();
    nfa::union(&bodies).map_err(too_large)
}

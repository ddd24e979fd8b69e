//! The canonical text of a tree: one rule a line, `::=`, the fewest parentheses, the same escapes everywhere.
//! Reading it back gives the same tree.

use std::fmt::{self, Write};

use crate::ast::{Ast, ExceptOperand, ExprId, ExprKind, Quantifier, Unordered};

/// How tightly an expression holds together, loosest first. A part is put in parentheses where it is looser than
/// its place allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Alternatives,
    Sequence,
    And,
    Not,
    Repeat,
    Atom,
}

fn binding(kind: &ExprKind) -> Binding {
    match kind {
        ExprKind::Alternatives(_) => Binding::Alternatives,
        ExprKind::Sequence(_) => Binding::Sequence,
        ExprKind::And(_) => Binding::And,
        ExprKind::Not(_) => Binding::Not,
        ExprKind::Repeat { .. } => Binding::Repeat,
        _ => Binding::Atom,
    }
}

/// Prints as KBNF, a line for each rule. `{:#}` puts the id before each expression and parentheses around each that has
/// parts, for looking into a tree; that form is no KBNF.
impl fmt::Display for Ast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(start) = &self.start {
            writeln!(f, "%start {};", start.text)?;
        }
        for rule in &self.rules {
            write!(f, "{} ::= ", rule.name.text)?;
            self.display_expr(rule.body).fmt(f)?;
            f.write_str(";\n")?;
        }
        Ok(())
    }
}

impl fmt::Display for ExprId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expr{}", self.0)
    }
}

impl Ast {
    /// One expression, ready to be shown by `Display`, in the forms of [`Ast`]'s own.
    ///
    /// # Panics
    /// The `Display` panics when the id is not from this tree.
    ///
    /// # Example
    ///
    /// ```
    /// let ast = grammask_syntax::parse("start ::= 'a' ('b' | 'c')*;", &Default::default())?;
    /// let body = ast.display_expr(ast.rules[0].body);
    /// assert_eq!(body.to_string(), "'a' ('b' | 'c')*");
    /// assert_eq!(format!("{body:#}"), "expr5:(expr0:'a' expr4:(expr3:(expr1:'b' | expr2:'c')*))");
    /// # Ok::<(), grammask_syntax::Errors>(())
    /// ```
    pub const fn display_expr(&self, expr: ExprId) -> DisplayExpr<'_> {
        DisplayExpr { ast: self, expr }
    }
}

/// What [`Ast::display_expr`] gives.
#[derive(Clone, Copy, Debug)]
pub struct DisplayExpr<'a> {
    ast: &'a Ast,
    expr: ExprId,
}

/// What is still to be printed, the next one last.
enum Item {
    Expr(ExprId, Binding),
    Piece(&'static str),
    Postfix(Quantifier),
    /// What stands behind the separator of `unordered!`.
    Limits(ExprId),
}

impl fmt::Display for DisplayExpr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with_ids = f.alternate();
        let mut rest = vec![Item::Expr(self.expr, Binding::Alternatives)];
        while let Some(item) = rest.pop() {
            let (id, place) = match item {
                Item::Piece(piece) => {
                    f.write_str(piece)?;
                    continue;
                }
                Item::Postfix(quantifier) => {
                    quantifier.fmt(f)?;
                    continue;
                }
                Item::Limits(id) => {
                    write_limits(f, &self.ast.expr(id).kind)?;
                    continue;
                }
                Item::Expr(id, place) => (id, place),
            };
            let kind = &self.ast.expr(id).kind;
            let own = binding(kind);
            if with_ids {
                write!(f, "{id}:")?;
            }
            if own < place || (with_ids && own != Binding::Atom) {
                f.write_char('(')?;
                rest.push(Item::Piece(")"));
            }
            let mut push_parts = |parts: &[ExprId], separator, place| {
                for (index, &part) in parts.iter().enumerate().rev() {
                    rest.push(Item::Expr(part, place));
                    if index > 0 {
                        rest.push(Item::Piece(separator));
                    }
                }
            };
            match kind {
                ExprKind::Alternatives(parts) => push_parts(parts, " | ", Binding::Sequence),
                ExprKind::Sequence(parts) => push_parts(parts, " ", Binding::And),
                ExprKind::And(parts) => push_parts(parts, " & ", Binding::Not),
                ExprKind::Not(part) => {
                    f.write_char('~')?;
                    rest.push(Item::Expr(*part, Binding::Not));
                }
                ExprKind::Json(part) | ExprKind::Distinct(part) => {
                    f.write_str(if matches!(kind, ExprKind::Json(_)) { "json!(" } else { "distinct!(" })?;
                    rest.push(Item::Piece(")"));
                    rest.push(Item::Expr(*part, Binding::Alternatives));
                }
                ExprKind::Repeat { expr, quantifier } => {
                    rest.push(Item::Postfix(*quantifier));
                    rest.push(Item::Expr(*expr, Binding::Atom));
                }
                ExprKind::Unordered(unordered) => {
                    f.write_str("unordered!(")?;
                    let items = unordered.items();
                    let separator = &unordered.parts[items.len()..];
                    let mut pieces = vec![Item::Limits(id)];
                    for &separator in separator {
                        pieces.extend([Item::Expr(separator, Binding::Alternatives), Item::Piece("; ")]);
                    }
                    rest.append(&mut pieces);
                    for (index, &item) in items.iter().enumerate().rev() {
                        rest.push(Item::Expr(item, Binding::Alternatives));
                        if index > 0 {
                            rest.push(Item::Piece(", "));
                        }
                    }
                }
                atom => write_atom(f, atom)?,
            }
        }
        Ok(())
    }
}

fn write_atom(f: &mut fmt::Formatter<'_>, kind: &ExprKind) -> fmt::Result {
    match kind {
        ExprKind::Nonterminal(name) | ExprKind::SpecialName(name) => f.write_str(name),
        ExprKind::Text(text) => write!(f, "{}", quote(text)),
        ExprKind::Regex(pattern) => write!(f, "#{}", quote(pattern)),
        ExprKind::Early(pattern) => write!(f, "#e{}", quote(pattern)),
        ExprKind::Without(pattern) => write!(f, "#ex{}", quote(pattern)),
        ExprKind::Substrings(text) => write!(f, "#substrs{}", quote(text)),
        ExprKind::Multiple(numeral) => write!(f, "multiple!({numeral})"),
        ExprKind::Compared(comparison, bound) => write!(f, "{}!({bound})", comparison.name()),
        ExprKind::SpecialId(id) => write!(f, "<[{id}]>"),
        ExprKind::Except { operand, max } => {
            match &**operand {
                ExceptOperand::Text(text) => write!(f, "except!({}", quote(text))?,
                ExceptOperand::Nonterminal(name) => write!(f, "except!({}", name.text)?,
            }
            match max {
                Some(max) => write!(f, ", {max})"),
                None => f.write_char(')'),
            }
        }
        _ => Ok(()),
    }
}

/// The bounds and the needs of an `unordered!`, and the parenthesis that closes it.
fn write_limits(f: &mut fmt::Formatter<'_>, kind: &ExprKind) -> fmt::Result {
    let ExprKind::Unordered(unordered) = kind else { return Ok(()) };
    let Unordered { has_separator, min, max, needs, .. } = &**unordered;
    let has_bounds = (*min, *max) != (0, None);
    if !has_separator && (has_bounds || !needs.is_empty()) {
        f.write_str("; ")?;
    }
    if has_bounds {
        write!(f, "; {}", Quantifier::Bounds { min: *min, max: *max })?;
    } else if !needs.is_empty() {
        f.write_str("; ")?;
    }
    for (index, (from, to)) in needs.iter().enumerate() {
        write!(f, "{} {from} -> {to}", if index == 0 { ";" } else { "," })?;
    }
    f.write_char(')')
}

/// Prints as the postfix.
impl fmt::Display for Quantifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option => f.write_str("?"),
            Self::Star => f.write_str("*"),
            Self::Plus => f.write_str("+"),
            Self::Bounds { min, max: Some(max) } if min == max => write!(f, "{{{min}}}"),
            Self::Bounds { min, max: Some(max) } => write!(f, "{{{min},{max}}}"),
            Self::Bounds { min, max: None } => write!(f, "{{{min},}}"),
        }
    }
}

/// A text in quotes and with escapes, ready to be shown by `Display`: in single quotes, unless only double ones
/// spare an escape; characters that would not be seen are escaped, all others stand for themselves.
///
/// # Example
///
/// ```
/// assert_eq!(grammask_syntax::quote("it's\n").to_string(), r#""it's\n""#);
/// ```
pub const fn quote(text: &str) -> Quote<'_> {
    Quote(text)
}

/// What [`quote`] gives.
#[derive(Clone, Copy, Debug)]
pub struct Quote<'a>(&'a str);

impl fmt::Display for Quote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = if self.0.contains('\'') && !self.0.contains('"') { '"' } else { '\'' };
        f.write_char(quote)?;
        let mut written = 0;
        for (at, character) in self.0.char_indices() {
            if character != quote && character != '\\' && !is_invisible(character) {
                continue;
            }
            f.write_str(&self.0[written..at])?;
            written = at + character.len_utf8();
            match character {
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                '\'' | '"' | '\\' => write!(f, "\\{character}")?,
                _ if u32::from(character) <= 0xFF => write!(f, "\\x{:02X}", u32::from(character))?,
                _ => write!(f, "\\u{{{:X}}}", u32::from(character))?,
            }
        }
        f.write_str(&self.0[written..])?;
        f.write_char(quote)
    }
}

/// Control and format characters, and white space other than the space: what a reader could not see or tell apart, and
/// what could change how the rest of a line is shown.
pub(crate) fn is_invisible(character: char) -> bool {
    match character {
        ' '..='~' => false,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' => true,
        '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => true,
        _ => character.is_control() || character.is_whitespace(),
    }
}

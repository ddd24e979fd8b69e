//! Prints a tree in canonical form: one rule per line, `::=`, as few parentheses as possible, uniform
//! escapes. Parsing the output yields an equal tree.

use std::fmt::{self, Write};

use crate::ast::{Ast, ExceptOperand, ExprId, ExprKind, Quantifier, SpecialMember, SpecialSet, Unordered};

/// Precedence of an expression, from the loosest operator to the tightest. A part is put in parentheses if it
/// is looser than its context allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Alternatives,
    Sequence,
    And,
    Not,
    Repeat,
    Atom,
}

fn precedence(kind: &ExprKind) -> Precedence {
    match kind {
        ExprKind::Alternatives(_) => Precedence::Alternatives,
        ExprKind::Sequence(_) => Precedence::Sequence,
        ExprKind::And(_) => Precedence::And,
        ExprKind::Not(_) => Precedence::Not,
        ExprKind::Repeat { .. } => Precedence::Repeat,
        _ => Precedence::Atom,
    }
}

/// Displays as KBNF, one line per rule. `{:#}` adds the id of each expression, and parentheses around each
/// expression with children. That form shows the structure of a tree and is not KBNF.
impl fmt::Display for Ast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(start) = &self.start {
            let mark = if self.allows_empty { "?" } else { "" };
            writeln!(f, "%start {}{mark};", start.text)?;
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
    /// Displays one expression, in the forms of the `Display` of [`Ast`].
    ///
    /// # Panics
    /// `Display` panics if the id is not from this tree.
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

/// Displays an expression: see [`Ast::display_expr`].
#[derive(Clone, Copy, Debug)]
pub struct DisplayExpr<'a> {
    ast: &'a Ast,
    expr: ExprId,
}

/// An entry of the stack of pending output.
enum Pending {
    Expr(ExprId, Precedence),
    Piece(&'static str),
    Postfix(Quantifier),
    /// The bounds and requirements of an `unordered!`.
    UnorderedEnd(ExprId),
}

impl fmt::Display for DisplayExpr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with_ids = f.alternate();
        let mut rest = vec![Pending::Expr(self.expr, Precedence::Alternatives)];
        while let Some(item) = rest.pop() {
            let (id, place) = match item {
                Pending::Piece(piece) => {
                    f.write_str(piece)?;
                    continue;
                }
                Pending::Postfix(quantifier) => {
                    quantifier.fmt(f)?;
                    continue;
                }
                Pending::UnorderedEnd(id) => {
                    write_unordered_end(f, &self.ast.expr(id).kind)?;
                    continue;
                }
                Pending::Expr(id, place) => (id, place),
            };
            let kind = &self.ast.expr(id).kind;
            let own = precedence(kind);
            if with_ids {
                write!(f, "{id}:")?;
            }
            if own < place || (with_ids && own != Precedence::Atom) {
                f.write_char('(')?;
                rest.push(Pending::Piece(")"));
            }
            let mut push_parts = |parts: &[ExprId], separator, place| {
                for (index, &part) in parts.iter().enumerate().rev() {
                    rest.push(Pending::Expr(part, place));
                    if index > 0 {
                        rest.push(Pending::Piece(separator));
                    }
                }
            };
            match kind {
                ExprKind::Alternatives(parts) => push_parts(parts, " | ", Precedence::Sequence),
                ExprKind::Sequence(parts) => push_parts(parts, " ", Precedence::And),
                ExprKind::And(parts) => push_parts(parts, " & ", Precedence::Not),
                ExprKind::Not(part) => {
                    f.write_char('~')?;
                    rest.push(Pending::Expr(*part, Precedence::Not));
                }
                ExprKind::Json(part, _) | ExprKind::Distinct(part) => {
                    match kind {
                        ExprKind::Json(_, escapes) => write!(f, "{}!(", escapes.operator())?,
                        _ => f.write_str("distinct!(")?,
                    }
                    rest.push(Pending::Piece(")"));
                    rest.push(Pending::Expr(*part, Precedence::Alternatives));
                }
                ExprKind::Capture { name, expr } => {
                    write!(f, "capture!({name}, ")?;
                    rest.push(Pending::Piece(")"));
                    rest.push(Pending::Expr(*expr, Precedence::Alternatives));
                }
                ExprKind::Repeat { expr, quantifier } => {
                    rest.push(Pending::Postfix(*quantifier));
                    rest.push(Pending::Expr(*expr, Precedence::Atom));
                }
                ExprKind::Unordered(unordered) => {
                    f.write_str("unordered!(")?;
                    let items = unordered.items();
                    let separator = &unordered.parts[items.len()..];
                    let mut pieces = vec![Pending::UnorderedEnd(id)];
                    for &separator in separator {
                        pieces.extend([
                            Pending::Expr(separator, Precedence::Alternatives),
                            Pending::Piece("; "),
                        ]);
                    }
                    rest.append(&mut pieces);
                    for (index, &item) in items.iter().enumerate().rev() {
                        rest.push(Pending::Expr(item, Precedence::Alternatives));
                        if index > 0 {
                            rest.push(Pending::Piece(", "));
                        }
                    }
                }
                atom => write_atom(f, atom)?,
            }
        }
        Ok(())
    }
}

/// Writes an expression without children.
fn write_atom(f: &mut fmt::Formatter<'_>, kind: &ExprKind) -> fmt::Result {
    match kind {
        ExprKind::Nonterminal(name) | ExprKind::SpecialName(name) => f.write_str(name),
        ExprKind::Text(text) => write!(f, "{}", quote(text)),
        ExprKind::Regex(pattern) => write_pattern(f, "", pattern),
        ExprKind::PrefixMinimal(pattern) => write_pattern(f, "e", pattern),
        ExprKind::NotContaining(pattern) => write_pattern(f, "ex", pattern),
        ExprKind::Substrings(text) => write!(f, "#substrs{}", quote(text)),
        ExprKind::Multiple(numeral) => write!(f, "multiple!({numeral})"),
        ExprKind::Compared(comparison, bound) => write!(f, "{}!({bound})", comparison.name()),
        ExprKind::SpecialId(id) => write!(f, "<[{id}]>"),
        ExprKind::SpecialSet(set) => write!(f, "{set}"),
        ExprKind::Marker(text) => write!(f, "marker!({})", quote(text)),
        ExprKind::Schema(schema) => write!(f, "schema!({})", schema.text),
        ExprKind::ChunkRuns(chunks) => {
            f.write_str("substrs!(")?;
            for (index, chunk) in chunks.iter().enumerate() {
                write!(f, "{}{}", if index == 0 { "" } else { ", " }, quote(chunk))?;
            }
            f.write_char(')')
        }
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

/// Writes the bounds and requirements of an `unordered!`, and its closing parenthesis.
fn write_unordered_end(f: &mut fmt::Formatter<'_>, kind: &ExprKind) -> fmt::Result {
    let ExprKind::Unordered(unordered) = kind else { return Ok(()) };
    let Unordered { has_separator, min, max, requires, .. } = &**unordered;
    let has_bounds = (*min, *max) != (0, None);
    if !has_separator && (has_bounds || !requires.is_empty()) {
        f.write_str("; ")?;
    }
    if has_bounds {
        write!(f, "; {}", Quantifier::Bounds { min: *min, max: *max })?;
    } else if !requires.is_empty() {
        f.write_str("; ")?;
    }
    for (index, (from, to)) in requires.iter().enumerate() {
        write!(f, "{} {from} -> {to}", if index == 0 { ";" } else { "," })?;
    }
    f.write_char(')')
}

/// Displays as the operator.
impl fmt::Display for SpecialSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_complement { "special!(~" } else { "special!(" })?;
        for (index, member) in self.members.iter().enumerate() {
            f.write_str(match (index, self.is_complement) {
                (0, true) => " ",
                (0, false) => "",
                _ => ", ",
            })?;
            write!(f, "{member}")?;
        }
        f.write_char(')')
    }
}

/// Displays as it is written in `special!`.
impl fmt::Display for SpecialMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "{}", quote(name)),
            Self::Ids(first, last) if first == last => write!(f, "<[{first}]>"),
            Self::Ids(first, last) => write!(f, "<[{first}-{last}]>"),
        }
    }
}

/// Displays as the postfix operator.
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

/// Writes a regex: raw, as `#r'\d'`, if that saves escapes.
fn write_pattern(f: &mut fmt::Formatter<'_>, operator: &str, pattern: &str) -> fmt::Result {
    match raw_quote(pattern) {
        Some(quote) => write!(f, "#r{operator}{quote}{pattern}{quote}"),
        None => write!(f, "#{operator}{}", quote(pattern)),
    }
}

/// Returns the quote of a regex that is written without escapes. Returns `None` if it has none, or if it
/// cannot be written so: a quote in it must follow a backslash, and its characters must be visible.
fn raw_quote(pattern: &str) -> Option<char> {
    if !pattern.contains('\\') || pattern.contains(is_invisible) {
        return None;
    }
    let (mut has_single, mut has_double) = (false, false);
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => _ = characters.next()?,
            '\'' => has_single = true,
            '"' => has_double = true,
            _ => {}
        }
    }
    match (has_single, has_double) {
        (false, _) => Some('\''),
        (true, false) => Some('"'),
        (true, true) => None,
    }
}

/// Displays a text in quotes, with invisible characters escaped. The quotes are single, unless double quotes
/// save an escape.
///
/// # Example
///
/// ```
/// assert_eq!(grammask_syntax::quote("it's\n").to_string(), r#""it's\n""#);
/// ```
pub const fn quote(text: &str) -> Quote<'_> {
    Quote(text)
}

/// Displays a text in quotes: see [`quote`].
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

/// Returns true for control and format characters, and for white space other than the space. Readers cannot
/// see or distinguish these, and some change the display of the rest of a line.
pub(crate) fn is_invisible(character: char) -> bool {
    match character {
        ' '..='~' => false,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' => true,
        '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => true,
        _ => character.is_control() || character.is_whitespace(),
    }
}

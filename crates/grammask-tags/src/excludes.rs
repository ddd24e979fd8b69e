//! `excludes` of a JSON Schema: texts that no string of the document contains, as it is spelled.

use grammask_syntax::{Ast, ExprId, ExprKind, Span};

/// Returns the tree of a schema without the documents in which a key or another string contains one of the
/// texts, as it is spelled in the document. Numbers and punctuation may contain them.
///
/// # Complexity
/// Linear in the tree.
pub(crate) fn without(ast: Ast, excludes: &[String]) -> Ast {
    let escaped: Vec<String> = excludes.iter().map(|text| escape(text)).collect();
    let containing = format!("(?s-u:.)*(?:{})(?s-u:.)*", escaped.join("|"));
    let mut is_operand = vec![false; ast.exprs.len()];
    for (index, expr) in ast.exprs.iter().enumerate().rev() {
        let spreads = is_operand[index] || matches!(expr.kind, ExprKind::Json(..) | ExprKind::Not(_));
        for child in expr.kind.children() {
            is_operand[child.index()] |= spreads;
        }
    }
    let mut edited = Ast { start: ast.start, allows_empty: ast.allows_empty, ..Ast::default() };
    let mut ids = Vec::with_capacity(ast.exprs.len());
    for (index, expr) in ast.exprs.into_iter().enumerate() {
        let (mut kind, span): (ExprKind, Span) = (expr.kind, expr.span);
        for child in kind.children_mut() {
            *child = ids[child.index()];
        }
        let id: ExprId = match kind {
            kind if is_operand[index] => edited.push(kind, span),
            ExprKind::Json(..) => {
                let string = edited.push(kind, span);
                let wrong = edited.push(ExprKind::Regex(containing.as_str().into()), span);
                let others = edited.push(ExprKind::Not(wrong), span);
                edited.push(ExprKind::And(vec![string, others].into()), span)
            }
            ExprKind::Text(text) if strings(&text).any(|string| contains(string, excludes)) => {
                edited.push(ExprKind::Regex("[a&&b]".into()), span)
            }
            kind => edited.push(kind, span),
        };
        ids.push(id);
    }
    edited.rules = ast.rules;
    for rule in &mut edited.rules {
        rule.body = ids[rule.body.index()];
    }
    edited
}

fn contains(string: &str, excludes: &[String]) -> bool {
    excludes.iter().any(|text| string.contains(text.as_str()))
}

/// Returns the parts of a constant that belong to strings: those between quotes. A constant without quotes is
/// a part of a string, unless it is a literal, a number or punctuation.
fn strings(text: &str) -> impl Iterator<Item = &str> {
    let is_structure = matches!(text, "null" | "true" | "false")
        || text.bytes().all(|byte| b"{}[],: \t\n\r0123456789+-.eE".contains(&byte));
    let is_quoted = text.contains('"');
    let pieces = text.split('"').enumerate();
    pieces
        .filter(move |(index, _)| if is_quoted { index % 2 == 1 } else { !is_structure })
        .map(|(_, piece)| piece)
}

/// Returns a text as a regex of bytes.
fn escape(text: &str) -> String {
    let escaped = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02X}"),
    };
    format!("(?-u:{})", text.bytes().map(escaped).collect::<String>())
}

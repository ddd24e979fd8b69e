//! Resolves what a grammar says about special tokens and only a vocabulary can decide.

use std::borrow::Cow;

use grammask_syntax::{Ast, ExprKind};

use crate::{Ending, Vocabulary};

/// Returns a grammar with its special tokens as a vocabulary has them:
///
/// - `marker!('<a>')` becomes the special token with this spelling, or the text if there is none;
/// - `special!(~ …)` becomes `special!()`, which no token belongs to, if the vocabulary has no other special
///   token than the listed ones and those that end outputs.
///
/// Compiling a grammar does this. Callers that run the stages one by one do it before
/// [`normalize`](grammask_normal::normalize). Tokens that the vocabulary lacks are left as they are; binding
/// the grammar reports them.
///
/// # Complexity
/// Linear in the tree.
///
/// ```
/// use grammask::{Ending, TokenId, Vocabulary, resolve_special_tokens, syntax};
///
/// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], [(TokenId(7), "<b>".to_owned())])?;
/// let ast = syntax::parse("start ::= marker!('<b>') marker!('<c>') special!(~ '<b>')*;", &Default::default())?;
/// let resolved = resolve_special_tokens(&ast, &vocabulary, &Ending::default());
/// assert_eq!(resolved.to_string(), "start ::= <[7]> '<c>' special!()*;\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn resolve_special_tokens<'a>(ast: &'a Ast, vocabulary: &Vocabulary, ending: &Ending) -> Cow<'a, Ast> {
    let is_open = |kind: &ExprKind| match kind {
        ExprKind::Marker(_) => true,
        ExprKind::SpecialSet(set) => set.is_complement,
        _ => false,
    };
    if !ast.exprs.iter().any(|expr| is_open(&expr.kind)) {
        return Cow::Borrowed(ast);
    }
    let mut resolved = ast.clone();
    for expr in &mut resolved.exprs {
        match &expr.kind {
            ExprKind::Marker(text) => {
                expr.kind = match vocabulary.special(text) {
                    Some(id) => ExprKind::SpecialId(id.0),
                    None => ExprKind::Text(text.clone()),
                };
            }
            ExprKind::SpecialSet(set) if set.is_complement => {
                let mut is_known = true;
                let tokens = grammask_mask::tokens_of_set(set, vocabulary, ending, |_| is_known = false);
                if is_known && tokens.is_empty() {
                    expr.kind = ExprKind::SpecialSet(Box::default());
                }
            }
            _ => {}
        }
    }
    Cow::Owned(resolved)
}

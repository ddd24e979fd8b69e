//! Trees on their way into a grammar. They take far more memory than their text, so they are freed early.

use std::borrow::Borrow;

use grammask_syntax::{Ast, ExprKind};

/// A tree to be compiled, and whether it is kept for the places of errors.
pub(super) enum Tree<'a> {
    /// The caller keeps it.
    Borrowed(&'a Ast),
    /// After it has been read, only the parts stay that errors are located by.
    Shrinking(Ast),
    /// It is dropped after it has been read, so later errors have no places in it.
    #[cfg(feature = "json-schema")]
    Owned(Ast),
}

/// A tree of which the rules and the special tokens go to `rest` when it is dropped. All other expressions,
/// which are most of it, are freed.
pub(super) struct ShrinkOnDrop<'a> {
    pub(super) ast: Ast,
    pub(super) rest: &'a mut Ast,
}

impl Borrow<Ast> for ShrinkOnDrop<'_> {
    fn borrow(&self) -> &Ast {
        &self.ast
    }
}

impl Drop for ShrinkOnDrop<'_> {
    fn drop(&mut self) {
        let is_special = |kind: &ExprKind| {
            matches!(kind, ExprKind::SpecialName(_) | ExprKind::SpecialId(_) | ExprKind::SpecialSet(_))
        };
        *self.rest = std::mem::take(&mut self.ast);
        self.rest.exprs.retain(|expr| is_special(&expr.kind));
        self.rest.exprs.shrink_to_fit();
    }
}

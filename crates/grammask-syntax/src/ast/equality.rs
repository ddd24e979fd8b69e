//! Structural equality of trees: spans and the order of the arena are ignored.

use crate::ast::{Ast, ExceptOperand, ExprId, ExprKind, Unordered};

impl Ast {
    /// Returns true if two trees have equal rules in equal order, with equal bodies and an equal start
    /// symbol, which allows the empty output in both or in none. Spans and ids may differ. Both trees must
    /// pass [`Ast::check`].
    ///
    /// # Panics
    /// If an id in a tree is not from this tree.
    ///
    /// # Complexity
    /// Linear in the number of expressions.
    ///
    /// # Example
    ///
    /// ```
    /// let one = grammask_syntax::parse("start = (('a')), [b]; b = 'b';", &Default::default())?;
    /// let two = grammask_syntax::parse("start ::= 'a' b?;\nb ::= \"b\";", &Default::default())?;
    /// assert!(one.same_as(&two) && one != two);
    /// # Ok::<(), grammask_syntax::Errors>(())
    /// ```
    pub fn same_as(&self, other: &Self) -> bool {
        let start = |ast: &'_ Self| ast.start.as_ref().map(|name| name.text.clone());
        if start(self) != start(other)
            || self.allows_empty != other.allows_empty
            || self.rules.len() != other.rules.len()
        {
            return false;
        }
        let mut pairs: Vec<(ExprId, ExprId)> = Vec::new();
        self.rules.iter().zip(&other.rules).all(|(left, right)| {
            pairs.push((left.body, right.body));
            left.name.text == right.name.text && self.same_bodies(other, &mut pairs)
        })
    }

    /// Compares the pairs of expressions on a stack, with all expressions below them.
    fn same_bodies(&self, other: &Self, pairs: &mut Vec<(ExprId, ExprId)>) -> bool {
        while let Some((left, right)) = pairs.pop() {
            let (left, right) = (&self.expr(left).kind, &other.expr(right).kind);
            let (left_parts, right_parts) = (left.children(), right.children());
            if !same_node(left, right) || left_parts.len() != right_parts.len() {
                return false;
            }
            pairs.extend(left_parts.iter().copied().zip(right_parts.iter().copied()));
        }
        true
    }
}

/// Returns true if two expressions are equal except for their children and spans.
fn same_node(left: &ExprKind, right: &ExprKind) -> bool {
    match (left, right) {
        (ExprKind::Sequence(_), ExprKind::Sequence(_))
        | (ExprKind::Alternatives(_), ExprKind::Alternatives(_))
        | (ExprKind::And(_), ExprKind::And(_))
        | (ExprKind::Not(_), ExprKind::Not(_))
        | (ExprKind::Distinct(_), ExprKind::Distinct(_)) => true,
        (ExprKind::Json(_, left), ExprKind::Json(_, right)) => left == right,
        (ExprKind::Repeat { quantifier: left, .. }, ExprKind::Repeat { quantifier: right, .. }) => {
            left == right
        }
        (ExprKind::Except { operand: left, max }, ExprKind::Except { operand: right, max: other_max }) => {
            max == other_max
                && match (&**left, &**right) {
                    (ExceptOperand::Nonterminal(left), ExceptOperand::Nonterminal(right)) => {
                        left.text == right.text
                    }
                    (left, right) => left == right,
                }
        }
        (ExprKind::Capture { name: left, .. }, ExprKind::Capture { name: right, .. }) => left == right,
        (ExprKind::Schema(left), ExprKind::Schema(right)) => left.text == right.text,
        (ExprKind::Unordered(left), ExprKind::Unordered(right)) => {
            let Unordered { parts: _, has_separator, min, max, requires } = &**right;
            left.has_separator == *has_separator
                && (left.min, left.max) == (*min, *max)
                && left.requires == *requires
        }
        _ => left == right,
    }
}

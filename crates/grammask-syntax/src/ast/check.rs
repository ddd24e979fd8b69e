//! Tests the invariants of a tree.

use crate::ast::notation::{
    MAX_REPETITIONS, is_comparison_numeral, is_multiple_numeral, is_special_name, json_value_len,
};
use crate::ast::{Ast, ExceptOperand, ExprId, ExprKind, Quantifier, SpecialMember};

/// An invariant of [`Ast`] that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// A child does not precede its parent, or a body is not in the arena.
    #[error("{child} is not an expression before its parent")]
    NotBefore {
        /// The child or body.
        child: ExprId,
    },
    /// An expression is not used exactly once, as a child or as a body.
    #[error("{expr} is used {uses} times instead of once")]
    NotUsedOnce {
        /// The expression.
        expr: ExprId,
        /// Number of its uses.
        uses: u32,
    },
    /// A sequence, alternatives or an intersection with fewer than two parts.
    #[error("{expr} has fewer than two parts")]
    TooFewParts {
        /// The expression.
        expr: ExprId,
    },
    /// A repetition with `min > max`, or with a bound above 10^9.
    #[error("{expr} has wrong bounds")]
    WrongBounds {
        /// The expression.
        expr: ExprId,
    },
    /// A name is not an identifier.
    #[error("{name:?} is not an identifier")]
    NotIdentifier {
        /// The name.
        name: String,
    },
    /// The name of a special token does not have the form `<|name|>`.
    #[error("{name:?} is not the name of a special token")]
    NotSpecialName {
        /// The name.
        name: String,
    },
    /// An `unordered!` without items, with `min > max`, or with `->` between items that it does not have.
    #[error("{expr} has wrong operands of `unordered!`")]
    WrongUnordered {
        /// The expression.
        expr: ExprId,
    },
    /// The operand of `multiple!` is not a positive decimal numeral.
    #[error("{numeral:?} is not a positive decimal numeral")]
    NotMultipleNumeral {
        /// The operand.
        numeral: String,
    },
    /// The operand of a comparison is not a decimal numeral.
    #[error("{numeral:?} is not a decimal numeral")]
    NotComparisonNumeral {
        /// The operand.
        numeral: String,
    },
    /// A range of ids in `special!` ends before it begins.
    #[error("{expr} has a range of ids that ends before it begins")]
    WrongIds {
        /// The expression.
        expr: ExprId,
    },
    /// The text of `schema!` is not one JSON value.
    #[error("{expr} has a schema that is not one JSON value")]
    NotSchema {
        /// The expression.
        expr: ExprId,
    },
    /// The empty output is allowed without a start symbol.
    #[error("the empty output is allowed, but there is no start symbol")]
    EmptyWithoutStart,
    /// An `except!` with the length `Some(0)` instead of `None`.
    #[error("{expr} has the length 0")]
    ZeroLength {
        /// The expression.
        expr: ExprId,
    },
}

impl Ast {
    /// Tests the invariants that [`Ast`] lists. The trees of [`parse`](crate::parse) always pass.
    ///
    /// # Errors
    /// The first violation in the order of the arena, then of the rules.
    ///
    /// # Complexity
    /// Linear in the size of the tree.
    pub fn check(&self) -> Result<(), Violation> {
        let mut uses = vec![0_u32; self.exprs.len()];
        for (index, expr) in self.exprs.iter().enumerate() {
            let id = ExprId(u32::try_from(index).unwrap_or(u32::MAX));
            for &child in expr.kind.children() {
                if child.index() >= index {
                    return Err(Violation::NotBefore { child });
                }
                uses[child.index()] += 1;
            }
            check_node(id, &expr.kind)?;
        }
        for rule in &self.rules {
            check_identifier(&rule.name.text)?;
            let count = uses.get_mut(rule.body.index()).ok_or(Violation::NotBefore { child: rule.body })?;
            *count += 1;
        }
        match &self.start {
            Some(start) => check_identifier(&start.text)?,
            None if self.allows_empty => return Err(Violation::EmptyWithoutStart),
            None => {}
        }
        match uses.iter().position(|&uses| uses != 1) {
            Some(index) => {
                let expr = ExprId(u32::try_from(index).unwrap_or(u32::MAX));
                Err(Violation::NotUsedOnce { expr, uses: uses[index] })
            }
            None => Ok(()),
        }
    }
}

/// Tests the invariants of one expression, without those of its children.
fn check_node(expr: ExprId, kind: &ExprKind) -> Result<(), Violation> {
    match kind {
        ExprKind::Sequence(parts) | ExprKind::Alternatives(parts) | ExprKind::And(parts)
            if parts.len() < 2 =>
        {
            Err(Violation::TooFewParts { expr })
        }
        ExprKind::Repeat { quantifier: Quantifier::Bounds { min, max }, .. }
            if *min > max.unwrap_or(MAX_REPETITIONS) || max.is_some_and(|max| max > MAX_REPETITIONS) =>
        {
            Err(Violation::WrongBounds { expr })
        }
        ExprKind::Nonterminal(name) | ExprKind::Capture { name, .. } => check_identifier(name),
        ExprKind::SpecialSet(set) => {
            let is_wrong =
                |member: &SpecialMember| matches!(member, SpecialMember::Ids(first, last) if first > last);
            if set.members.iter().any(is_wrong) { Err(Violation::WrongIds { expr }) } else { Ok(()) }
        }
        ExprKind::Schema(schema) if json_value_len(&schema.text) != Some(schema.text.len()) => {
            Err(Violation::NotSchema { expr })
        }
        ExprKind::Unordered(unordered)
            if !unordered.is_valid() || unordered.min.max(unordered.max.unwrap_or(0)) > MAX_REPETITIONS =>
        {
            Err(Violation::WrongUnordered { expr })
        }
        ExprKind::Except { max: Some(0), .. } => Err(Violation::ZeroLength { expr }),
        ExprKind::Except { operand, .. } => match &**operand {
            ExceptOperand::Nonterminal(name) => check_identifier(&name.text),
            ExceptOperand::Text(_) => Ok(()),
        },
        ExprKind::Multiple(numeral) if !is_multiple_numeral(numeral) => {
            Err(Violation::NotMultipleNumeral { numeral: numeral.to_string() })
        }
        ExprKind::Compared(_, numeral) if !is_comparison_numeral(numeral) => {
            Err(Violation::NotComparisonNumeral { numeral: numeral.to_string() })
        }
        ExprKind::SpecialName(name) if !is_special_name(name) => {
            Err(Violation::NotSpecialName { name: name.to_string() })
        }
        _ => Ok(()),
    }
}

fn check_identifier(name: &str) -> Result<(), Violation> {
    let is_first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let is_identifier = name.bytes().next().is_some_and(is_first)
        && name.bytes().all(|byte| is_first(byte) || byte.is_ascii_digit());
    if is_identifier { Ok(()) } else { Err(Violation::NotIdentifier { name: name.to_owned() }) }
}

/// A deserialized tree before its invariants are tested.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
pub(crate) struct Unchecked {
    rules: Vec<crate::ast::Rule>,
    exprs: Vec<crate::ast::Expr>,
    start: Option<crate::ast::Name>,
    #[serde(default)]
    allows_empty: bool,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for Ast {
    type Error = Violation;

    fn try_from(unchecked: Unchecked) -> Result<Self, Violation> {
        let Unchecked { rules, exprs, start, allows_empty } = unchecked;
        let ast = Self { rules, exprs, start, allows_empty };
        ast.check().map(|()| ast)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{Comparison, Name, Rule, Span};

    fn name(text: &str) -> Name {
        Name { text: text.to_owned(), span: Span::default() }
    }

    /// Returns a tree of these expressions, with the last one as the body of its rule.
    fn tree(kinds: &[ExprKind]) -> Ast {
        let mut ast = Ast::default();
        for kind in kinds {
            let body = ast.push(kind.clone(), Span::default());
            ast.rules = vec![Rule { name: name("start"), body, span: Span::default() }];
        }
        ast
    }

    fn text() -> ExprKind {
        ExprKind::Text("x".into())
    }

    fn violation(kinds: &[ExprKind]) -> String {
        tree(kinds).check().unwrap_err().to_string()
    }

    #[test]
    fn valid_tree_passes() {
        assert_eq!(Ast::default().check(), Ok(()));
        assert_eq!(
            tree(&[text(), text(), ExprKind::Sequence(vec![ExprId(1), ExprId(0)].into())]).check(),
            Ok(())
        );
    }

    #[test]
    fn children_precede_their_parents() {
        assert_eq!(violation(&[ExprKind::Not(ExprId(0))]), "expr0 is not an expression before its parent");
        assert_eq!(
            violation(&[text(), ExprKind::Not(ExprId(7))]),
            "expr7 is not an expression before its parent"
        );
        let mut ast = tree(&[text()]);
        ast.rules[0].body = ExprId(1);
        assert_eq!(ast.check(), Err(Violation::NotBefore { child: ExprId(1) }));
    }

    #[test]
    fn each_expression_is_used_once() {
        assert_eq!(violation(&[text(), text()]), "expr0 is used 0 times instead of once");
        let twice = [text(), ExprKind::And(vec![ExprId(0), ExprId(0)].into())];
        assert_eq!(violation(&twice), "expr0 is used 2 times instead of once");
        let mut ast = tree(&[text()]);
        ast.rules.push(ast.rules[0].clone());
        assert_eq!(ast.check(), Err(Violation::NotUsedOnce { expr: ExprId(0), uses: 2 }));
    }

    #[test]
    fn lists_have_two_parts() {
        for list in [ExprKind::Sequence, ExprKind::Alternatives, ExprKind::And] {
            assert_eq!(violation(&[text(), list(vec![ExprId(0)].into())]), "expr1 has fewer than two parts");
            assert_eq!(violation(&[list(vec![].into())]), "expr0 has fewer than two parts");
        }
    }

    #[test]
    fn repetitions_are_ordered_and_not_too_large() {
        let bounds = |min, max| {
            let quantifier = Quantifier::Bounds { min, max };
            tree(&[text(), ExprKind::Repeat { expr: ExprId(0), quantifier }]).check()
        };
        for (min, max) in [(0, Some(0)), (2, Some(2)), (MAX_REPETITIONS, None), (0, Some(MAX_REPETITIONS))] {
            assert_eq!(bounds(min, max), Ok(()));
        }
        for (min, max) in [(1, Some(0)), (MAX_REPETITIONS + 1, None), (0, Some(MAX_REPETITIONS + 1))] {
            assert_eq!(bounds(min, max), Err(Violation::WrongBounds { expr: ExprId(1) }));
        }
    }

    #[test]
    fn names_are_identifiers() {
        for wrong in ["", "1a", "a-b", "a b", "ä", "except!"] {
            let expected = Err(Violation::NotIdentifier { name: wrong.to_owned() });
            assert_eq!(tree(&[ExprKind::Nonterminal(wrong.into())]).check(), expected);
            let operand = Box::new(ExceptOperand::Nonterminal(name(wrong)));
            assert_eq!(tree(&[ExprKind::Except { operand, max: None }]).check(), expected);
            let mut ast = tree(&[text()]);
            ast.start = Some(name(wrong));
            assert_eq!(ast.check(), expected);
            ast.start = None;
            ast.allows_empty = true;
            assert_eq!(ast.check(), Err(Violation::EmptyWithoutStart));
            ast.allows_empty = false;
            ast.rules[0].name = name(wrong);
            assert_eq!(ast.check(), expected);
        }
        for wrong in
            ["", "end", "<|end", "<||>", "<|>", "<|a b|>", "<|a\n|>", "<|a|>|>", "<|a<|>", "<|a|>b|>"]
        {
            let expected = Err(Violation::NotSpecialName { name: wrong.to_owned() });
            assert_eq!(tree(&[ExprKind::SpecialName(wrong.into())]).check(), expected);
        }
        for right in ["<|end|>", "<|||>", "<|>|>", "<|a|b|>"] {
            assert_eq!(tree(&[ExprKind::SpecialName(right.into())]).check(), Ok(()));
        }
    }

    #[test]
    fn numerals_are_decimal_and_not_too_long() {
        for wrong in ["", "0", "0.00", ".5", "5.", "-1", "1e3", "1.2.3", "٣", &"1".repeat(41)] {
            let expected = Err(Violation::NotMultipleNumeral { numeral: wrong.to_owned() });
            assert_eq!(tree(&[ExprKind::Multiple(wrong.into())]).check(), expected);
        }
        for right in ["7", "007", "0.25", "2.50", &"1".repeat(40)] {
            assert_eq!(tree(&[ExprKind::Multiple(right.into())]).check(), Ok(()));
        }
        for wrong in ["", ".5", "5.", "-1", "1e3", &"1".repeat(10_001)] {
            let expected = Err(Violation::NotComparisonNumeral { numeral: wrong.to_owned() });
            assert_eq!(tree(&[ExprKind::Compared(Comparison::Above, wrong.into())]).check(), expected);
        }
        for right in ["0", "007", "0.250", &"1".repeat(10_000)] {
            assert_eq!(tree(&[ExprKind::Compared(Comparison::Equal, right.into())]).check(), Ok(()));
        }
    }

    #[test]
    fn absent_length_is_none() {
        let operand = Box::new(ExceptOperand::Text("x".into()));
        assert_eq!(violation(&[ExprKind::Except { operand, max: Some(0) }]), "expr0 has the length 0");
    }
}

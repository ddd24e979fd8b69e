//! The invariants of a tree, tested one by one.

use crate::ast::{Ast, ExceptOperand, ExprId, ExprKind, Quantifier};
use crate::error::{MAX_BOUND, MAX_BOUND_DIGITS, MAX_DIGITS};

/// An invariant of [`Ast`] that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// A child does not stand before its parent, or a body not in the arena.
    #[error("{child} is no expression before its parent")]
    NotBefore {
        /// The child or body.
        child: ExprId,
    },
    /// An expression has several parents, or several rules as their body, or nobody has it.
    #[error("{expr} is used {uses} times instead of once")]
    NotUsedOnce {
        /// The expression.
        expr: ExprId,
        /// How often it is used.
        uses: u32,
    },
    /// A sequence, alternatives or an intersection with less than two parts.
    #[error("{expr} has fewer than two parts")]
    TooFewParts {
        /// The expression.
        expr: ExprId,
    },
    /// Bounds with `min > max`, or above 10^9.
    #[error("{expr} has wrong bounds")]
    WrongBounds {
        /// The expression.
        expr: ExprId,
    },
    /// A name that is no identifier.
    #[error("{name:?} is no identifier")]
    NoIdentifier {
        /// The name.
        name: String,
    },
    /// A special token that is not spelt `<|name|>`.
    #[error("{name:?} is no special token's name")]
    NoSpecialName {
        /// The name.
        name: String,
    },
    /// `unordered!` without an item, with bounds in the wrong order, or with a `->` between items that are not there.
    #[error("{expr} is no selection of its items")]
    WrongSelection {
        /// The expression.
        expr: ExprId,
    },
    /// `multiple!` of what is no numeral.
    #[error("{numeral:?} is no positive decimal numeral")]
    NoNumeral {
        /// What is given.
        numeral: String,
    },
    /// A comparison with what is no numeral.
    #[error("{numeral:?} is no decimal numeral")]
    NoBound {
        /// What is given.
        numeral: String,
    },
    /// `except!` with the length 0, which is written without one.
    #[error("{expr} has the length 0")]
    ZeroLength {
        /// The expression.
        expr: ExprId,
    },
}

impl Ast {
    /// Tests the invariants that [`Ast`] lists, and nothing else. What [`parse`](crate::parse) gives always passes.
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
        if let Some(start) = &self.start {
            check_identifier(&start.text)?;
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

fn check_node(expr: ExprId, kind: &ExprKind) -> Result<(), Violation> {
    match kind {
        ExprKind::Sequence(parts) | ExprKind::Alternatives(parts) | ExprKind::And(parts)
            if parts.len() < 2 =>
        {
            Err(Violation::TooFewParts { expr })
        }
        ExprKind::Repeat { quantifier: Quantifier::Bounds { min, max }, .. }
            if *min > max.unwrap_or(MAX_BOUND) || max.is_some_and(|max| max > MAX_BOUND) =>
        {
            Err(Violation::WrongBounds { expr })
        }
        ExprKind::Nonterminal(name) => check_identifier(name),
        ExprKind::Unordered(unordered)
            if !unordered.is_in_order() || unordered.min.max(unordered.max.unwrap_or(0)) > MAX_BOUND =>
        {
            Err(Violation::WrongSelection { expr })
        }
        ExprKind::Except { max: Some(0), .. } => Err(Violation::ZeroLength { expr }),
        ExprKind::Except { operand, .. } => match &**operand {
            ExceptOperand::Nonterminal(name) => check_identifier(&name.text),
            ExceptOperand::Text(_) => Ok(()),
        },
        ExprKind::Multiple(numeral) if !is_numeral(numeral) => {
            Err(Violation::NoNumeral { numeral: numeral.to_string() })
        }
        ExprKind::Compared(_, numeral) if !is_bound(numeral) => {
            Err(Violation::NoBound { numeral: numeral.to_string() })
        }
        ExprKind::SpecialName(name) if !is_special_name(name) => {
            Err(Violation::NoSpecialName { name: name.to_string() })
        }
        _ => Ok(()),
    }
}

fn check_identifier(name: &str) -> Result<(), Violation> {
    let is_first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let is_identifier = name.bytes().next().is_some_and(is_first)
        && name.bytes().all(|byte| is_first(byte) || byte.is_ascii_digit());
    if is_identifier { Ok(()) } else { Err(Violation::NoIdentifier { name: name.to_owned() }) }
}

/// Whether `multiple!` takes this numeral: digits, perhaps a point and more digits, at most 40 digits in all and one of them not 0.
///
/// # Example
///
/// ```
/// assert!(grammask_syntax::is_numeral("0.25") && !grammask_syntax::is_numeral(".5"));
/// ```
pub fn is_numeral(text: &str) -> bool {
    is_decimal(text, MAX_DIGITS) && text.bytes().any(|byte| matches!(byte, b'1'..=b'9'))
}

/// Whether `atleast!` and its like take this numeral: digits, perhaps a point and more digits, at most 10,000 digits in all.
///
/// # Example
///
/// ```
/// assert!(grammask_syntax::is_bound("0") && !grammask_syntax::is_bound("-1"));
/// ```
pub fn is_bound(text: &str) -> bool {
    is_decimal(text, MAX_BOUND_DIGITS)
}

fn is_decimal(text: &str, most: usize) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole) && is_digits(fraction) && text.bytes().filter(u8::is_ascii_digit).count() <= most
}

/// Whether a grammar can name a special token like this: `<|`, something without blanks and `<`, and the first `|>` behind it.
///
/// # Complexity
/// Linear in the length.
///
/// ```
/// use grammask_syntax::is_special_name;
///
/// assert!(is_special_name("<|end|>"));
/// assert!(!is_special_name("</s>") && !is_special_name("<|the end|>"));
/// ```
pub fn is_special_name(name: &str) -> bool {
    let inside = name.strip_prefix("<|").and_then(|rest| rest.strip_suffix("|>"));
    inside.is_some_and(|inside| {
        // The `|>` that ends the token must be the first one, as the parser takes it.
        !inside.is_empty()
            && !inside.contains(|c: char| c.is_whitespace() || c == '<')
            && name[2..].find("|>") == Some(inside.len())
    })
}

/// A tree as it is deserialized: nobody knows yet whether it is one.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
pub(crate) struct Unchecked {
    rules: Vec<crate::ast::Rule>,
    exprs: Vec<crate::ast::Expr>,
    start: Option<crate::ast::Name>,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for Ast {
    type Error = Violation;

    fn try_from(Unchecked { rules, exprs, start }: Unchecked) -> Result<Self, Violation> {
        let ast = Self { rules, exprs, start };
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

    /// A tree of these expressions, with the last one as the body of its rule.
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
    fn a_tree_passes() {
        assert_eq!(Ast::default().check(), Ok(()));
        assert_eq!(
            tree(&[text(), text(), ExprKind::Sequence(vec![ExprId(1), ExprId(0)].into())]).check(),
            Ok(())
        );
    }

    #[test]
    fn children_stand_before_their_parents() {
        assert_eq!(violation(&[ExprKind::Not(ExprId(0))]), "expr0 is no expression before its parent");
        assert_eq!(
            violation(&[text(), ExprKind::Not(ExprId(7))]),
            "expr7 is no expression before its parent"
        );
        let mut ast = tree(&[text()]);
        ast.rules[0].body = ExprId(1);
        assert_eq!(ast.check(), Err(Violation::NotBefore { child: ExprId(1) }));
    }

    #[test]
    fn every_expression_is_used_once() {
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
    fn bounds_are_in_order_and_not_too_large() {
        let bounds = |min, max| {
            let quantifier = Quantifier::Bounds { min, max };
            tree(&[text(), ExprKind::Repeat { expr: ExprId(0), quantifier }]).check()
        };
        for (min, max) in [(0, Some(0)), (2, Some(2)), (MAX_BOUND, None), (0, Some(MAX_BOUND))] {
            assert_eq!(bounds(min, max), Ok(()));
        }
        for (min, max) in [(1, Some(0)), (MAX_BOUND + 1, None), (0, Some(MAX_BOUND + 1))] {
            assert_eq!(bounds(min, max), Err(Violation::WrongBounds { expr: ExprId(1) }));
        }
    }

    #[test]
    fn names_can_be_written() {
        for wrong in ["", "1a", "a-b", "a b", "ä", "except!"] {
            let expected = Err(Violation::NoIdentifier { name: wrong.to_owned() });
            assert_eq!(tree(&[ExprKind::Nonterminal(wrong.into())]).check(), expected);
            let operand = Box::new(ExceptOperand::Nonterminal(name(wrong)));
            assert_eq!(tree(&[ExprKind::Except { operand, max: None }]).check(), expected);
            let mut ast = tree(&[text()]);
            ast.start = Some(name(wrong));
            assert_eq!(ast.check(), expected);
            ast.start = None;
            ast.rules[0].name = name(wrong);
            assert_eq!(ast.check(), expected);
        }
        for wrong in
            ["", "end", "<|end", "<||>", "<|>", "<|a b|>", "<|a\n|>", "<|a|>|>", "<|a<|>", "<|a|>b|>"]
        {
            let expected = Err(Violation::NoSpecialName { name: wrong.to_owned() });
            assert_eq!(tree(&[ExprKind::SpecialName(wrong.into())]).check(), expected);
        }
        for right in ["<|end|>", "<|||>", "<|>|>", "<|a|b|>"] {
            assert_eq!(tree(&[ExprKind::SpecialName(right.into())]).check(), Ok(()));
        }
    }

    #[test]
    fn multiples_are_of_positive_numerals() {
        for wrong in ["", "0", "0.00", ".5", "5.", "-1", "1e3", "1.2.3", "٣", &"1".repeat(41)] {
            let expected = Err(Violation::NoNumeral { numeral: wrong.to_owned() });
            assert_eq!(tree(&[ExprKind::Multiple(wrong.into())]).check(), expected);
        }
        for right in ["7", "007", "0.25", "2.50", &"1".repeat(40)] {
            assert_eq!(tree(&[ExprKind::Multiple(right.into())]).check(), Ok(()));
        }
        for wrong in ["", ".5", "5.", "-1", "1e3", &"1".repeat(10_001)] {
            let expected = Err(Violation::NoBound { numeral: wrong.to_owned() });
            assert_eq!(tree(&[ExprKind::Compared(Comparison::Above, wrong.into())]).check(), expected);
        }
        for right in ["0", "007", "0.250", &"1".repeat(10_000)] {
            assert_eq!(tree(&[ExprKind::Compared(Comparison::Equal, right.into())]).check(), Ok(()));
        }
    }

    #[test]
    fn no_length_is_written_as_none() {
        let operand = Box::new(ExceptOperand::Text("x".into()));
        assert_eq!(violation(&[ExprKind::Except { operand, max: Some(0) }]), "expr0 has the length 0");
    }
}

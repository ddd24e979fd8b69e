//! The syntax tree: plain data, a flat arena of expressions and a list of rules.
//!
//! Expressions stand in one vector, children before parents, so that every walk over a tree is a loop and no
//! nesting depth can exhaust the stack, not even when the tree is dropped.

use std::ops::Range;

use crate::{Parts, Text};

pub(crate) mod check;
pub(crate) mod children;
mod equality;
pub(crate) mod text;

/// A half-open range of byte offsets into the text that was parsed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
}

impl Span {
    /// The span `start..end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The span as a range, for slicing a text.
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// The place of an expression in [`Ast::exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExprId(pub u32);

impl ExprId {
    /// The id as an index into [`Ast::exprs`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An identifier and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A KBNF text as a tree.
///
/// Invariants, tested by [`Ast::check`]: every child of an expression stands before it in `exprs`; every expression
/// is the child of exactly one expression or the body of exactly one rule; [`ExprKind::Sequence`],
/// [`ExprKind::Alternatives`] and [`ExprKind::And`] have at least two children; bounds are `min <= max`, both at
/// most [`MAX_BOUND`](crate::MAX_BOUND); names are identifiers; special names are spelt `<|name|>`, with a name that
/// holds no white space, no `<` and no `|>`; no `except!` has the length `Some(0)`; `multiple!` has a [numeral](crate::is_numeral),
/// a comparison a [bound](crate::is_bound);
/// an `unordered!` has an item, bounds in order, and `->` between items that it has.
///
/// A tree that was built by hand prints and compares as described only when it has them; one that is deserialized
/// is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "crate::ast::check::Unchecked")
)]
pub struct Ast {
    /// The rules, in the order of the text. A name may have several.
    pub rules: Vec<Rule>,
    /// All expressions of all rules, children before parents.
    pub exprs: Vec<Expr>,
    /// What `%start name;` says.
    pub start: Option<Name>,
}

/// `name ::= body;`
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rule {
    /// The left side.
    pub name: Name,
    /// The right side.
    pub body: ExprId,
    /// The whole rule, from the name to the semicolon.
    pub span: Span,
}

/// An expression and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, without surrounding parentheses.
    pub span: Span,
}

/// The kinds of expressions. Texts and patterns are unescaped. Parentheses leave no trace: the shape of the tree says
/// what they said.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ExprKind {
    /// `name`
    Nonterminal(Text),
    /// `'text'`
    Text(Text),
    /// `#'pattern'`
    Regex(Text),
    /// `#e'pattern'`
    Early(Text),
    /// `#ex'pattern'`
    Without(Text),
    /// `#substrs'text'`
    Substrings(Text),
    /// `except!(operand)` or `except!(operand, max)`; `max` in bytes, `None` where it is absent or 0.
    Except {
        /// What must not occur.
        operand: Box<ExceptOperand>,
        /// The greatest length in bytes.
        max: Option<u64>,
    },
    /// `json!(a)`
    Json(ExprId),
    /// `multiple!(0.25)`; the numeral as it is written.
    Multiple(Text),
    /// `atleast!(0.25)` and its like; the numeral as it is written.
    Compared(Comparison, Text),
    /// `<|name|>`; the string is `<|name|>` with its brackets, as vocabularies spell it.
    SpecialName(Text),
    /// `<[id]>`
    SpecialId(u32),
    /// `a b c`
    Sequence(Parts<ExprId>),
    /// `a | b | c`
    Alternatives(Parts<ExprId>),
    /// `a?`, `a*`, `a+`, `a{2,3}`; also `[a]` and `{a}`, which mean `a?` and `a*`.
    Repeat {
        /// What is repeated.
        expr: ExprId,
        /// How often.
        quantifier: Quantifier,
    },
    /// `a & b & c`
    And(Parts<ExprId>),
    /// `~a`
    Not(ExprId),
    /// `distinct!(a)`, an item of [`ExprKind::Unordered`]: any number of texts of `a`, no two of them the same.
    Distinct(ExprId),
    /// `unordered!(a, b?; separator; {min,max}; 0 -> 1)`: the items in any order.
    Unordered(Box<Unordered>),
}

/// What stands in the parentheses of `unordered!`. An item that is a [`ExprKind::Repeat`] may occur as often as its quantifier says, another one
/// exactly once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unordered {
    /// The items, and behind them the separator if there is one.
    pub parts: Parts<ExprId>,
    /// Whether the last part is a separator.
    pub has_separator: bool,
    /// The least number of items in all.
    pub min: u32,
    /// The greatest number of items in all; `None` for "without end".
    pub max: Option<u32>,
    /// `(i, j)`: where item `i` occurs, item `j` has to.
    pub needs: Vec<(u32, u32)>,
}

impl Unordered {
    /// The items, without the separator.
    ///
    /// ```
    /// let ast = grammask_syntax::parse("start ::= unordered!('a', 'b'; ',');", &Default::default()).unwrap();
    /// let grammask_syntax::ExprKind::Unordered(unordered) = &ast.exprs[3].kind else { panic!("it comes last") };
    /// assert_eq!((unordered.parts.len(), unordered.items().len()), (3, 2));
    /// ```
    pub fn items(&self) -> &[ExprId] {
        self.parts
            .len()
            .checked_sub(usize::from(self.has_separator))
            .map_or(&[], |items| &self.parts[..items])
    }

    /// Whether it has an item, and what it says of them is in order: no needs of items that it does not have, no bounds the wrong way round.
    pub fn is_in_order(&self) -> bool {
        let items = self.items().len();
        let is_item = |&(from, to): &(u32, u32)| (from.max(to) as usize) < items;
        items > 0 && self.needs.iter().all(is_item) && self.max.is_none_or(|max| self.min <= max)
    }
}

/// Which numbers, compared with a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Comparison {
    /// `atleast!`
    AtLeast,
    /// `above!`
    Above,
    /// `atmost!`
    AtMost,
    /// `below!`
    Below,
    /// `equal!`
    Equal,
}

impl Comparison {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::AtLeast, Self::Above, Self::AtMost, Self::Below, Self::Equal];

    /// As it is written, without the `!`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AtLeast => "atleast",
            Self::Above => "above",
            Self::AtMost => "atmost",
            Self::Below => "below",
            Self::Equal => "equal",
        }
    }
}

/// What stands in the parentheses of `except!`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ExceptOperand {
    /// A text.
    Text(Text),
    /// A nonterminal.
    Nonterminal(Name),
}

/// How often a part is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Quantifier {
    /// `?`
    Option,
    /// `*`
    Star,
    /// `+`
    Plus,
    /// `{min}`, `{min,}`, `{min,max}`; `max` is `None` for "without end".
    Bounds {
        /// The least number of times, up to 10^9.
        min: u32,
        /// The greatest number of times, up to 10^9.
        max: Option<u32>,
    },
}

impl Quantifier {
    /// The least and the greatest number of times; `None` means without end.
    pub const fn bounds(self) -> (u32, Option<u32>) {
        match self {
            Self::Option => (0, Some(1)),
            Self::Star => (0, None),
            Self::Plus => (1, None),
            Self::Bounds { min, max } => (min, max),
        }
    }
}

impl ExprKind {
    /// The children, in order.
    pub fn children(&self) -> &[ExprId] {
        match self {
            Self::Sequence(parts) | Self::Alternatives(parts) | Self::And(parts) => parts,
            Self::Unordered(unordered) => &unordered.parts,
            Self::Repeat { expr, .. } | Self::Not(expr) | Self::Json(expr) | Self::Distinct(expr) => {
                std::slice::from_ref(expr)
            }
            _ => &[],
        }
    }

    /// The same, to be changed.
    pub(crate) fn children_mut(&mut self) -> &mut [ExprId] {
        match self {
            Self::Sequence(parts) | Self::Alternatives(parts) | Self::And(parts) => parts,
            Self::Unordered(unordered) => &mut unordered.parts,
            Self::Repeat { expr, .. } | Self::Not(expr) | Self::Json(expr) | Self::Distinct(expr) => {
                std::slice::from_mut(expr)
            }
            _ => &mut [],
        }
    }
}

impl Ast {
    /// Adds an expression and says where it stands.
    ///
    /// # Panics
    /// When the tree has 2^32 expressions.
    pub fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let id = ExprId(u32::try_from(self.exprs.len()).expect("an AST has fewer than 2^32 expressions"));
        self.exprs.push(Expr { kind, span });
        id
    }

    /// The expression with this id.
    ///
    /// # Panics
    /// When the id is not from this tree.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::Expr;

    /// A schema of 100,000 properties makes a million of them, and whoever cancels it waits until all are given back.
    #[test]
    fn expressions_are_small() {
        assert_eq!(size_of::<Expr>(), 56);
    }
}

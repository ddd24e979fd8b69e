//! The syntax tree: a flat arena of expressions and a list of rules, as plain data.
//!
//! All expressions are in one vector, children before parents. Each walk over a tree is a loop, so no nesting
//! depth can exhaust the stack, not even when the tree is dropped.

use std::ops::Range;

use crate::{InlineList, Text};

pub(crate) mod check;
mod equality;
mod graft;
pub(crate) mod inline_list;
pub(crate) mod notation;
pub(crate) mod text;

/// A half-open range of byte offsets into the text that was parsed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Returns the span `start..end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the span as a range, for slicing a text.
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// The id of an expression: its index in [`Ast::exprs`]. Displays as `expr3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExprId(pub u32);

impl ExprId {
    /// Returns the id as an index into [`Ast::exprs`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An identifier with its span.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// Its span in the text.
    pub span: Span,
}

/// A KBNF text as a tree.
///
/// # Invariants
///
/// Tested by [`Ast::check`]:
///
/// 1. each child of an expression has a smaller index in `exprs` than its parent;
/// 2. each expression is the child of exactly one expression, or the body of exactly one rule;
/// 3. [`ExprKind::Sequence`], [`ExprKind::Alternatives`] and [`ExprKind::And`] have at least two children;
/// 4. repetitions have `min <= max`, both at most [`MAX_REPETITIONS`](crate::MAX_REPETITIONS);
/// 5. names are identifiers, also those of captures, and special names pass [`is_special_name`](crate::is_special_name);
/// 6. no `except!` has the length `Some(0)`;
/// 7. numerals pass [`is_multiple_numeral`](crate::is_multiple_numeral) in `multiple!`, and
///    [`is_comparison_numeral`](crate::is_comparison_numeral) in comparisons;
/// 8. each `unordered!` passes [`Unordered::is_valid`];
/// 9. `allows_empty` is set only together with `start`;
/// 10. ranges of ids in `special!` do not end before they begin;
/// 11. the text of `schema!` is one JSON value, as far as brackets and quotes say.
///
/// Printing and comparing are defined for trees with these invariants only. Deserialization checks them.
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
    /// The name in `%start name;`. `None` if there is no such directive.
    pub start: Option<Name>,
    /// True for `%start name?;`: the grammar also accepts the empty text, even if the start symbol does not
    /// derive it.
    pub allows_empty: bool,
}

/// `name ::= body;`
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rule {
    /// The left side.
    pub name: Name,
    /// The right side.
    pub body: ExprId,
    /// Span of the whole rule, from the name to the semicolon.
    pub span: Span,
}

/// An expression with its span.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Expr {
    /// The kind, with the children.
    pub kind: ExprKind,
    /// Its span in the text, without surrounding parentheses.
    pub span: Span,
}

/// The kinds of expressions. Texts and patterns are unescaped. Parentheses are not stored, because the tree
/// has the grouping.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ExprKind {
    /// `name`
    Nonterminal(Text),
    /// `'text'`
    Text(Text),
    /// `#'pattern'`
    Regex(Text),
    /// `#e'pattern'`: the matches of which no proper prefix is a match.
    PrefixMinimal(Text),
    /// `#ex'pattern'`: the byte strings in which the pattern matches nowhere.
    NotContaining(Text),
    /// `#substrs'text'`
    Substrings(Text),
    /// `substrs!('text', 'text')`: the runs of consecutive texts, the empty run included.
    ChunkRuns(Vec<Text>),
    /// `except!(operand)` or `except!(operand, max)`.
    Except {
        /// The texts that must not occur.
        operand: Box<ExceptOperand>,
        /// Maximum length, in bytes. `None` if it is absent or 0 in the text.
        max: Option<u64>,
    },
    /// `json!(a)`, `json_short!(a)`, `json_required!(a)`
    Json(ExprId, Escapes),
    /// `multiple!(0.25)`, with the numeral as it is written.
    Multiple(Text),
    /// `atleast!(0.25)` or another comparison, with the numeral as it is written.
    Compared(Comparison, Text),
    /// `<|name|>`, with its brackets.
    SpecialName(Text),
    /// `<[id]>`
    SpecialId(u32),
    /// `special!('<a>', <[7]>, <[10-19]>)`, or `special!(~ '<a>')`.
    SpecialSet(Box<SpecialSet>),
    /// `marker!('<a>')`: the special token with this spelling, or the text if the vocabulary has none.
    Marker(Text),
    /// `a b c`
    Sequence(InlineList<ExprId>),
    /// `a | b | c`
    Alternatives(InlineList<ExprId>),
    /// `a?`, `a*`, `a+`, `a{2,3}`; also `[a]` and `{a}`, which mean `a?` and `a*`.
    Repeat {
        /// The repeated expression.
        expr: ExprId,
        /// The number of repetitions.
        quantifier: Quantifier,
    },
    /// `a & b & c`
    And(InlineList<ExprId>),
    /// `~a`
    Not(ExprId),
    /// `distinct!(a)`, an item of [`ExprKind::Unordered`]: any number of texts of `a`, all different.
    Distinct(ExprId),
    /// `unordered!(a, b?; separator; {min,max}; 0 -> 1)`: the items in any order.
    Unordered(Box<Unordered>),
    /// `capture!(name, a)`: `a`, with an annotation that changes no language.
    Capture {
        /// The name of the capture, an identifier.
        name: Text,
        /// The annotated expression.
        expr: ExprId,
    },
    /// `schema!({...})`: the documents that are valid for a JSON Schema.
    Schema(Box<SchemaText>),
}

/// The operands of `special!`.
///
/// Displays as the operator, such as `special!(~ '<a>', <[7]>)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpecialSet {
    /// True for `special!(~ …)`: the special tokens that are not listed and do not end outputs.
    pub is_complement: bool,
    /// The listed tokens.
    pub members: Vec<SpecialMember>,
}

/// A member of a [`SpecialSet`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SpecialMember {
    /// The special token with exactly this spelling.
    Name(String),
    /// The special tokens with ids from the first to the last one, inclusive: `<[10-19]>` or `<[7]>`.
    Ids(u32, u32),
}

/// A JSON Schema as it is written inside of a grammar.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SchemaText {
    /// The schema, a JSON text.
    pub text: Text,
    /// Its span in the text of the grammar.
    pub span: Span,
}

/// The operands of `unordered!`. An item that is a [`ExprKind::Repeat`] occurs as often as its quantifier
/// says. Another item occurs exactly once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unordered {
    /// The items, and after them the separator if there is one.
    pub parts: InlineList<ExprId>,
    /// True if the last part is a separator.
    pub has_separator: bool,
    /// Minimum number of items, all together.
    pub min: u32,
    /// Maximum number of items, all together. `None` if there is no maximum.
    pub max: Option<u32>,
    /// Pairs `(i, j)`: if item `i` occurs, item `j` must occur. Items count from 0.
    pub requires: Vec<(u32, u32)>,
}

impl Unordered {
    /// Returns the items, without the separator.
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

    /// Returns true if there is an item, `min` is at most `max`, and `requires` names existing items only.
    pub fn is_valid(&self) -> bool {
        let items = self.items().len();
        let is_item = |&(from, to): &(u32, u32)| (from.max(to) as usize) < items;
        items > 0 && self.requires.iter().all(is_item) && self.max.is_none_or(|max| self.min <= max)
    }
}

/// The spellings of the characters of a JSON string in `json!` and its kin (RFC 8259, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Escapes {
    /// `json!`: all spellings of JSON, such as `a`, `\u0061`, `\/` and surrogate pairs.
    Any,
    /// `json_short!`: the character itself, its short escape (`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r` or
    /// `\t`), and `\u00XX` for the control characters up to U+001F.
    Short,
    /// `json_required!`: one spelling. `"`, `\` and control characters have their short escapes, control
    /// characters without one are written as `\u00xx` in lower case, and other characters as themselves.
    Required,
}

impl Escapes {
    /// All sets of spellings.
    pub const ALL: [Self; 3] = [Self::Any, Self::Short, Self::Required];

    /// Returns the name of the operator, without the `!`.
    pub const fn operator(self) -> &'static str {
        match self {
            Self::Any => "json",
            Self::Short => "json_short",
            Self::Required => "json_required",
        }
    }
}

/// The operator of a comparison of numbers with a bound.
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
    /// All comparisons.
    pub const ALL: [Self; 5] = [Self::AtLeast, Self::Above, Self::AtMost, Self::Below, Self::Equal];

    /// Returns the name of the operator, without the `!`.
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

/// The operand of `except!`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ExceptOperand {
    /// A text.
    Text(Text),
    /// A nonterminal.
    Nonterminal(Name),
}

/// The number of repetitions of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Quantifier {
    /// `?`
    Option,
    /// `*`
    Star,
    /// `+`
    Plus,
    /// `{min}`, `{min,}` or `{min,max}`.
    Bounds {
        /// Minimum number, at most 10^9.
        min: u32,
        /// Maximum number, at most 10^9. `None` if there is no maximum.
        max: Option<u32>,
    },
}

impl Quantifier {
    /// Returns the minimum and the maximum. The maximum is `None` if there is none.
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
    /// Returns the children, in order.
    pub fn children(&self) -> &[ExprId] {
        match self {
            Self::Sequence(parts) | Self::Alternatives(parts) | Self::And(parts) => parts,
            Self::Unordered(unordered) => &unordered.parts,
            Self::Repeat { expr, .. }
            | Self::Not(expr)
            | Self::Json(expr, _)
            | Self::Distinct(expr)
            | Self::Capture { expr, .. } => std::slice::from_ref(expr),
            _ => &[],
        }
    }

    /// Returns the children, in order, for changing them.
    pub fn children_mut(&mut self) -> &mut [ExprId] {
        match self {
            Self::Sequence(parts) | Self::Alternatives(parts) | Self::And(parts) => parts,
            Self::Unordered(unordered) => &mut unordered.parts,
            Self::Repeat { expr, .. }
            | Self::Not(expr)
            | Self::Json(expr, _)
            | Self::Distinct(expr)
            | Self::Capture { expr, .. } => std::slice::from_mut(expr),
            _ => &mut [],
        }
    }
}

impl Ast {
    /// Adds an expression, and returns its id.
    ///
    /// # Panics
    /// If the tree has 2^32 expressions.
    pub fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let id = ExprId(u32::try_from(self.exprs.len()).expect("an AST has fewer than 2^32 expressions"));
        self.exprs.push(Expr { kind, span });
        id
    }

    /// Returns the expression with this id.
    ///
    /// # Panics
    /// If the id is not from this tree.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::Expr;

    /// A schema with 100,000 properties has a million expressions, and dropping them delays a cancellation.
    #[test]
    fn expressions_are_small() {
        assert_eq!(size_of::<Expr>(), 56);
    }
}

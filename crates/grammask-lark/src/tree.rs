//! The syntax tree of a Lark text. Spans are offsets into the virtual text of all sources.

use std::rc::Rc;

use grammask_syntax::Span;

/// A rule, a terminal or a statement.
#[derive(Debug)]
pub(crate) enum Item {
    Definition(Rc<Definition>),
    /// `%override` or `%extend`, and the definition.
    Change {
        is_extension: bool,
        definition: Rc<Definition>,
    },
    Ignore(Rc<Alternatives>),
    Import(Import),
    /// A name of `%declare`.
    Declare {
        name: String,
        span: Span,
    },
    /// `%llguidance {…}` or `%grammar_options {…}`: place and JSON text.
    Options {
        json: String,
        span: Span,
    },
}

/// `%import path (NAME, …)`, or with one name after the last dot.
#[derive(Debug)]
pub(crate) struct Import {
    /// The grammar, such as `common`.
    pub from: String,
    /// Names and their local names.
    pub names: Vec<(String, String, Span)>,
}

/// A rule or terminal.
#[derive(Debug)]
pub(crate) struct Definition {
    pub name: String,
    pub name_span: Span,
    pub is_terminal: bool,
    /// True for `name::_`.
    pub is_parametric: bool,
    /// Parameters of a template.
    pub parameters: Vec<String>,
    pub attributes: Attributes,
    /// `None` if it has a syntax error.
    pub body: Option<Rc<Alternatives>>,
    /// The whole definition.
    pub span: Span,
}

/// The attributes of a rule.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    pub lazy: Option<Span>,
    /// `suffix` or `stop`.
    pub suffix: Option<Atom>,
    pub max_tokens: Option<(u64, Span)>,
    pub max_chars: Option<(u64, Span)>,
    pub temperature: Option<Span>,
    pub capture: Option<Span>,
}

/// `a | b | c`
#[derive(Debug)]
pub(crate) struct Alternatives {
    pub branches: Vec<Branch>,
    pub span: Span,
}

/// `a b & c %if condition`
#[derive(Debug)]
pub(crate) struct Branch {
    /// Operands of `&`, at least one.
    pub conjuncts: Vec<Vec<Element>>,
    pub condition: Option<Condition>,
    pub span: Span,
}

/// An atom with its operator.
#[derive(Debug)]
pub(crate) struct Element {
    pub atom: Atom,
    /// Minimum and maximum.
    pub repeat: Option<(u32, Option<u32>)>,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) struct Atom {
    pub kind: AtomKind,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum AtomKind {
    Group(Rc<Alternatives>),
    /// `[a]`
    Optional(Rc<Alternatives>),
    /// `~a`
    Not(Box<Atom>),
    Text {
        text: String,
        ignore_case: bool,
    },
    Range(char, char),
    /// The pattern, with its flags in front, and the number of bytes of these.
    Regex {
        pattern: String,
        flags: usize,
    },
    Name(String),
    /// `name::parameter`
    Apply(String, Parameter),
    /// `name{a, b}`
    Template(String, Vec<Rc<Alternatives>>),
    /// `<name>`, with its brackets.
    Special(String),
    /// Token ids, and whether they are excluded.
    Tokens {
        ranges: Vec<(u32, u32)>,
        is_complement: bool,
    },
    /// `@name`, without the sign.
    Grammar(String),
    /// JSON text.
    Json(String),
    /// Chunks of `%regex`.
    Substrings(Vec<String>),
    Lark(Rc<Vec<Item>>),
}

/// Bits of the parameter of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    pub start: u32,
    /// At most 64, more than `start`.
    pub end: u32,
}

impl Bits {
    pub(crate) const ALL: Self = Self { start: 0, end: 64 };

    /// Returns a mask of the bits.
    pub(crate) const fn mask(self) -> u64 {
        let length = self.end - self.start;
        if length == 64 { u64::MAX } else { ((1 << length) - 1) << self.start }
    }

    /// Returns the value of the bits.
    pub(crate) const fn of(self, value: u64) -> u64 {
        (value & self.mask()) >> self.start
    }
}

/// The parameter in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    Constant(u64),
    Same,
    /// Saturating.
    Increment(Bits),
    Decrement(Bits),
    Or(u64),
    And(u64),
}

impl Parameter {
    /// Returns the parameter of the called rule, if `value` is that of the caller.
    pub(crate) const fn of(self, value: u64) -> u64 {
        match self {
            Self::Constant(constant) => constant,
            Self::Same => value,
            Self::Increment(bits) if value & bits.mask() == bits.mask() => value,
            Self::Increment(bits) => value + (1 << bits.start),
            Self::Decrement(bits) if value & bits.mask() == 0 => value,
            Self::Decrement(bits) => value - (1 << bits.start),
            Self::Or(mask) => value | mask,
            Self::And(mask) => value & mask,
        }
    }
}

/// A condition of `%if`.
#[derive(Debug)]
pub(crate) enum Condition {
    True,
    /// The bits compare with the number as one of these.
    Compare {
        bits: Bits,
        orders: &'static [std::cmp::Ordering],
        number: u64,
    },
    /// The number of bits that are set.
    Count {
        bits: Bits,
        orders: &'static [std::cmp::Ordering],
        number: u64,
    },
    And(Box<[Condition; 2]>),
    Or(Box<[Condition; 2]>),
    Not(Box<Condition>),
}

impl Condition {
    /// Returns the value of a condition without a parameter. `None` if it depends on the parameter.
    pub(crate) fn constant(&self) -> Option<bool> {
        match self {
            Self::True => Some(true),
            Self::Not(inner) => inner.constant().map(|value| !value),
            Self::And(parts) => Some(parts[0].constant()? && parts[1].constant()?),
            Self::Or(parts) => Some(parts[0].constant()? || parts[1].constant()?),
            _ => None,
        }
    }

    /// Returns true if the condition holds for a parameter.
    pub(crate) fn holds(&self, value: u64) -> bool {
        match self {
            Self::True => true,
            Self::Compare { bits, orders, number } => orders.contains(&bits.of(value).cmp(number)),
            Self::Count { bits, orders, number } => {
                orders.contains(&u64::from(bits.of(value).count_ones()).cmp(number))
            }
            Self::And(both) => both.iter().all(|part| part.holds(value)),
            Self::Or(both) => both.iter().any(|part| part.holds(value)),
            Self::Not(part) => !part.holds(value),
        }
    }
}

impl Alternatives {
    /// Returns true if the body uses the parameter of its rule.
    pub(crate) fn needs_parameter(&self) -> bool {
        self.branches.iter().any(|branch| {
            branch.condition.as_ref().is_some_and(|condition| condition.constant().is_none())
                || branch.conjuncts.iter().flatten().any(|element| element.atom.needs_parameter())
        })
    }
}

impl Atom {
    fn needs_parameter(&self) -> bool {
        match &self.kind {
            AtomKind::Group(inner) | AtomKind::Optional(inner) => inner.needs_parameter(),
            AtomKind::Not(inner) => inner.needs_parameter(),
            AtomKind::Apply(_, parameter) => !matches!(parameter, Parameter::Constant(_)),
            AtomKind::Template(_, arguments) => arguments.iter().any(|part| part.needs_parameter()),
            _ => false,
        }
    }
}

//! The syntax tree of a pattern.
//!
//! Groups have no nodes, since no back-reference refers to them. Lazy quantifiers have none either: they
//! change which match is found, but not whether there is one.

/// A node of a pattern. Its depth is that of the nested groups, which is limited.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// One character.
    Char(char),
    /// A class of characters, in the syntax of the Rust `regex` crate.
    Class(String),
    Sequence(Vec<Node>),
    Alternatives(Vec<Node>),
    Repeat(Box<Node>, u32, Option<u32>),
    Assertion(Assertion),
    /// A look-ahead or look-behind.
    Look {
        ahead: bool,
        negative: bool,
        node: Box<Node>,
    },
    /// A node of which only the first match is taken, by the order in which a backtracking matcher tries.
    Atomic {
        node: Box<Node>,
        /// True if the node contains a lazy quantifier.
        lazy: bool,
        /// Byte offset in the pattern.
        offset: usize,
    },
    /// A node without assertions whose texts are restricted. Results from look-around, never from parsing.
    Restricted {
        node: Box<Node>,
        restrictions: Vec<Restriction>,
    },
}

/// A condition on a text: it starts (or ends) with a text of `within`, or it does not.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Restriction {
    pub within: Node,
    pub ahead: bool,
    pub negative: bool,
}

/// An assertion other than look-around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assertion {
    Start,
    End,
    Boundary,
    NotBoundary,
    /// As `NotBoundary`, unless the whole text is empty: `\B` of Python before 3.14.
    InnerNotBoundary,
}

impl Assertion {
    /// Returns true if the assertion holds between two sides: 0 for an edge of the text, 1 for a word
    /// character, otherwise another character.
    pub(crate) const fn holds(self, left: usize, right: usize) -> bool {
        let boundary = (left == 1) != (right == 1);
        match self {
            Self::Start => left == 0,
            Self::End => right == 0,
            Self::Boundary => boundary,
            Self::NotBoundary => !boundary,
            Self::InnerNotBoundary => !boundary && (left != 0 || right != 0),
        }
    }

    /// Returns true if the assertion depends on word characters.
    pub(crate) const fn is_boundary(self) -> bool {
        matches!(self, Self::Boundary | Self::NotBoundary | Self::InnerNotBoundary)
    }
}

impl Node {
    /// Returns a sequence. Nested sequences are flattened.
    pub(crate) fn sequence(parts: Vec<Self>) -> Self {
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::Sequence(inner) => all.extend(inner),
                part => all.push(part),
            }
        }
        if all.len() == 1 { all.remove(0) } else { Self::Sequence(all) }
    }

    /// Returns alternatives. Nested alternatives are flattened.
    pub(crate) fn alternatives(parts: Vec<Self>) -> Self {
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::Alternatives(inner) => all.extend(inner),
                part => all.push(part),
            }
        }
        if all.len() == 1 { all.remove(0) } else { Self::Alternatives(all) }
    }

    /// Returns a repetition.
    pub(crate) fn repeat(node: Self, min: u32, max: Option<u32>) -> Self {
        match (min, max) {
            (1, Some(1)) => node,
            (_, Some(0)) => Self::Sequence(Vec::new()),
            _ => Self::Repeat(Box::new(node), min, max),
        }
    }

    /// Returns a look-around.
    pub(crate) fn look(ahead: bool, negative: bool, node: Self) -> Self {
        Self::Look { ahead, negative, node: Box::new(node) }
    }

    /// Returns the assertion of the start of the text, or of a character of a class before the position.
    pub(crate) fn after_or_start(class: &str) -> Self {
        let start = Self::Assertion(Assertion::Start);
        Self::Alternatives(vec![start, Self::look(false, false, Self::Class(class.to_owned()))])
    }

    /// Returns the assertion of the end of the text, or of a character of a class after the position.
    pub(crate) fn before_or_end(class: &str) -> Self {
        let end = Self::Assertion(Assertion::End);
        Self::Alternatives(vec![end, Self::look(true, false, Self::Class(class.to_owned()))])
    }

    /// Returns the assertion that exactly one side is a character of a class, or that both or none are if not
    /// `different`.
    pub(crate) fn boundary(class: &str, different: bool) -> Self {
        let look = |ahead, negative| Self::look(ahead, negative, Self::Class(class.to_owned()));
        Self::Alternatives(vec![
            Self::Sequence(vec![look(false, false), look(true, different)]),
            Self::Sequence(vec![look(false, true), look(true, !different)]),
        ])
    }

    /// Returns true if the node contains no assertion.
    pub(crate) fn is_pure(&self) -> bool {
        !self.any(&|node| {
            matches!(
                node,
                Self::Assertion(_) | Self::Look { .. } | Self::Restricted { .. } | Self::Atomic { .. }
            )
        })
    }

    /// Returns true if the node contains no look-around.
    pub(crate) fn is_local(&self) -> bool {
        !self.any(&|node| matches!(node, Self::Look { .. }))
    }

    /// Returns true if a predicate holds for some node of the subtree.
    pub(crate) fn any(&self, such: &dyn Fn(&Self) -> bool) -> bool {
        such(self)
            || match self {
                Self::Char(_) | Self::Class(_) | Self::Assertion(_) => false,
                Self::Sequence(parts) | Self::Alternatives(parts) => parts.iter().any(|part| part.any(such)),
                Self::Repeat(node, ..)
                | Self::Look { node, .. }
                | Self::Restricted { node, .. }
                | Self::Atomic { node, .. } => node.any(such),
            }
    }

    /// Returns the number of nodes of the subtree.
    pub(crate) fn count(&self) -> usize {
        1 + match self {
            Self::Char(_) | Self::Class(_) | Self::Assertion(_) => 0,
            Self::Sequence(parts) | Self::Alternatives(parts) => parts.iter().map(Self::count).sum(),
            Self::Repeat(node, ..)
            | Self::Look { node, .. }
            | Self::Restricted { node, .. }
            | Self::Atomic { node, .. } => node.count(),
        }
    }

    /// Returns true if the node matches at most the empty text.
    pub(crate) fn is_zero_width(&self) -> bool {
        match self {
            Self::Char(_) | Self::Class(_) => false,
            Self::Sequence(parts) | Self::Alternatives(parts) => parts.iter().all(Self::is_zero_width),
            Self::Repeat(node, ..) | Self::Restricted { node, .. } | Self::Atomic { node, .. } => {
                node.is_zero_width()
            }
            Self::Assertion(_) | Self::Look { .. } => true,
        }
    }

    /// Returns true if a node without assertions matches the empty text.
    pub(crate) fn is_nullable(&self) -> bool {
        match self {
            Self::Char(_) | Self::Class(_) => false,
            Self::Sequence(parts) => parts.iter().all(Self::is_nullable),
            Self::Alternatives(parts) => parts.iter().any(Self::is_nullable),
            Self::Repeat(node, min, _) => *min == 0 || node.is_nullable(),
            Self::Restricted { node, .. } | Self::Atomic { node, .. } => node.is_nullable(),
            Self::Assertion(_) | Self::Look { .. } => true,
        }
    }
}

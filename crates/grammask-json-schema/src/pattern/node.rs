//! The syntax tree of a pattern. Groups leave no trace in it, since nothing refers back to them; nor do lazy quantifiers,
//! since they change which match is found and not whether there is one.

/// A part of a pattern. As deep as the groups nest, which is limited.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// One character.
    Char(char),
    /// One of the characters of a class, written as the Rust `regex` crate has it.
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
    /// A pure part whose texts are held to more. Made from look-around, not read.
    Tied {
        node: Box<Node>,
        ties: Vec<Tie>,
    },
}

/// That a text begins, or ends, with one of a pure part's texts, or with none of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tie {
    pub within: Node,
    pub ahead: bool,
    pub negative: bool,
}

/// What a place can be asked that is no look-around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assertion {
    Start,
    End,
    Boundary,
    NotBoundary,
}

impl Node {
    /// One part after the other; sequences in it are dissolved.
    pub fn sequence(parts: Vec<Self>) -> Self {
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::Sequence(inner) => all.extend(inner),
                part => all.push(part),
            }
        }
        if all.len() == 1 { all.remove(0) } else { Self::Sequence(all) }
    }

    /// One of the parts; alternatives in it are dissolved.
    pub fn alternatives(parts: Vec<Self>) -> Self {
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::Alternatives(inner) => all.extend(inner),
                part => all.push(part),
            }
        }
        if all.len() == 1 { all.remove(0) } else { Self::Alternatives(all) }
    }

    /// Whether there is no assertion in it.
    pub fn is_pure(&self) -> bool {
        !self.any(&|node| matches!(node, Self::Assertion(_) | Self::Look { .. } | Self::Tied { .. }))
    }

    /// Whether there is no look-around in it.
    pub fn is_local(&self) -> bool {
        !self.any(&|node| matches!(node, Self::Look { .. }))
    }

    /// Whether a part of it, at any depth, is such.
    pub fn any(&self, such: &dyn Fn(&Self) -> bool) -> bool {
        such(self)
            || match self {
                Self::Char(_) | Self::Class(_) | Self::Assertion(_) => false,
                Self::Sequence(parts) | Self::Alternatives(parts) => parts.iter().any(|part| part.any(such)),
                Self::Repeat(node, ..) | Self::Look { node, .. } | Self::Tied { node, .. } => node.any(such),
            }
    }

    /// How many parts there are, at all depths.
    pub fn count(&self) -> usize {
        1 + match self {
            Self::Char(_) | Self::Class(_) | Self::Assertion(_) => 0,
            Self::Sequence(parts) | Self::Alternatives(parts) => parts.iter().map(Self::count).sum(),
            Self::Repeat(node, ..) | Self::Look { node, .. } | Self::Tied { node, .. } => node.count(),
        }
    }

    /// Whether it can match the empty text only.
    pub fn is_zero_width(&self) -> bool {
        match self {
            Self::Char(_) | Self::Class(_) => false,
            Self::Sequence(parts) | Self::Alternatives(parts) => parts.iter().all(Self::is_zero_width),
            Self::Repeat(node, ..) | Self::Tied { node, .. } => node.is_zero_width(),
            Self::Assertion(_) | Self::Look { .. } => true,
        }
    }

    /// Whether a pure part matches the empty text.
    pub fn is_nullable(&self) -> bool {
        match self {
            Self::Char(_) | Self::Class(_) => false,
            Self::Sequence(parts) => parts.iter().all(Self::is_nullable),
            Self::Alternatives(parts) => parts.iter().any(Self::is_nullable),
            Self::Repeat(node, min, _) => *min == 0 || node.is_nullable(),
            Self::Tied { node, .. } => node.is_nullable(),
            Self::Assertion(_) | Self::Look { .. } => true,
        }
    }
}

//! Rules after the expansion of templates and parameters: plain data, children before parents.

use grammask_syntax::{Span, Text};

use crate::scope::ScopeId;
use crate::term::TermId;

/// An index into the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub u32);

impl NodeId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An index into the rules with their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct InstanceId(pub u32);

impl InstanceId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A part of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub kind: NodeKind,
    pub span: Span,
    /// The grammar that the node belongs to, for its ignored texts.
    pub scope: ScopeId,
}

#[derive(Clone, Debug)]
pub(crate) enum NodeKind {
    Empty,
    Never,
    /// A lexeme; a lazy one ends as soon as it can.
    Lexeme {
        term: TermId,
        is_lazy: bool,
    },
    /// `<name>`, with its brackets.
    Special(String),
    /// Special tokens by id.
    Tokens {
        ranges: Vec<(u32, u32)>,
        is_complement: bool,
    },
    /// A rule of another notation, by its identifier.
    Graft(Text),
    Call(InstanceId),
    Sequence(Vec<NodeId>),
    Alternatives(Vec<NodeId>),
    Repeat(NodeId, u32, Option<u32>),
    /// All nodes, or some of them, in any order.
    Unordered {
        items: Vec<NodeId>,
        min: u32,
        max: u32,
    },
}

impl NodeKind {
    pub(crate) fn children(&self) -> &[NodeId] {
        match self {
            Self::Sequence(parts) | Self::Alternatives(parts) => parts,
            Self::Unordered { items, .. } => items,
            Self::Repeat(part, ..) => std::slice::from_ref(part),
            _ => &[],
        }
    }
}

/// A rule with its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// Identifier of its rule.
    pub identifier: Text,
    /// The name in the source.
    pub name_span: Span,
    pub span: Span,
    /// The grammar that the rule belongs to.
    pub scope: ScopeId,
    /// The body. `None` until it is translated.
    pub node: Option<NodeId>,
}

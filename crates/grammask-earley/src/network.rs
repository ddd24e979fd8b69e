//! The network: a normal form compiled for running, as plain data. `build.rs` makes it, `text.rs` prints it,
//! `check.rs` checks it, and `saved.rs` stores it.

use grammask_normal::{Parts, Terminal, TerminalId, Text, Unordered};
use grammask_regular::{ByteSet, RegularId, Store};

use crate::{CalleeId, Class, NetworkNodeId};

pub(crate) mod check;
pub(crate) mod saved;
mod text;

/// A recursive transition network: for every nonterminal an automaton whose edges are bytes, special tokens, and calls of other
/// nonterminals, of lexemes and of counted repetitions.
///
/// Nodes do not know to which nonterminal they belong; who called says what happens at the end. So nodes with the same future are the same
/// node, whichever rules they come from: all rules end in [`NetworkNodeId::END`].
///
/// Invariants, tested by [`Network::check`]: ids are in range; node 0 is the end; the edges of a node are sorted by what they take,
/// each at most once; every other node has an edge or is final, and a final one has an edge; nothing that is called takes the
/// empty text; counters count nonterminals, `1 <= min <= max`, `2 <= max`; the items of an `unordered!` are nonterminals; every node has a copy that only scans, and the bytes that it scans; every byte has one class, classes
/// are numbered by their first byte, and no lexeme tells bytes of one class apart.
#[derive(Clone)]
pub struct Network {
    /// The nodes; the first is [`NetworkNodeId::END`].
    pub nodes: Vec<Node>,
    /// What nodes call.
    pub callees: Vec<Callee>,
    /// The terminals of the normal form, for writing lexemes.
    pub terminals: Vec<Terminal>,
    /// For every node the one that scans the same and calls nothing: itself, or a copy made for that.
    pub scan_only: Vec<NetworkNodeId>,
    /// For every node the bytes that it scans by itself.
    pub scanned: Vec<ByteSet>,
    /// Where the start symbol begins.
    pub start: NetworkNodeId,
    /// The class of every byte.
    pub class_of_byte: Box<[u8; 256]>,
    /// How many classes of bytes there are. The class of special token `i` is this number plus `i`.
    pub byte_classes: usize,
    /// The bytes of every class.
    pub class_bytes: Vec<ByteSet>,
    /// The special tokens that the grammar names.
    pub specials: Vec<Special>,
    /// The languages of the lexemes.
    pub store: Store,
}

/// Labels, and where each of them leads. Mostly a node has one or two, which take no allocation.
pub type Edges<T> = Parts<(T, NetworkNodeId), 2>;

/// A node of a [`Network`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Node {
    /// Whether the rule may end here.
    pub is_final: bool,
    /// Where a class leads; sorted by class.
    pub scans: Edges<Class>,
    /// What is called, and where to go on when it is complete; sorted by callee.
    pub calls: Edges<CalleeId>,
}

impl Node {
    /// Whether the rule may go on here.
    pub fn goes_on(&self) -> bool {
        !self.scans.is_empty() || !self.calls.is_empty()
    }
}

/// What a node can call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A nonterminal.
    Nonterminal {
        /// Its name in the normal form.
        name: Text,
        /// Where it begins.
        start: NetworkNodeId,
    },
    /// A lexeme, which runs as an automaton of its own.
    Lexeme {
        /// How it is written in the normal form.
        text: LexemeText,
        /// Its language, in [`Network::store`].
        language: RegularId,
    },
    /// A callee, `min` to `max` times.
    Counter {
        /// What is counted.
        element: CalleeId,
        /// The least number of times.
        min: u32,
        /// The greatest number of times.
        max: u32,
    },
    /// Callees in any order.
    Unordered {
        /// The name of its nonterminal in the normal form.
        name: Text,
        /// What may be chosen: nonterminals, and the lexeme of `distinct!`.
        items: Vec<CalleeId>,
        /// What stands between two items.
        separator: Option<CalleeId>,
        /// How often the items may be chosen.
        unordered: Box<Unordered>,
    },
}

/// How a lexeme is written. Mostly nobody asks, so it is not written out before.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LexemeText {
    /// As this terminal of [`Network::terminals`].
    Terminal(TerminalId),
    /// Like this: no terminal of the normal form is just that, or the normal form is not there any more.
    Written(String),
}

/// A special token as a grammar names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Special {
    /// `<|name|>`, with its brackets.
    Name(String),
    /// `<[id]>`
    Id(u32),
}

/// For every node the bytes that it scans by itself, given those of every class.
pub(crate) fn scanned(nodes: &[Node], class_bytes: &[ByteSet]) -> Vec<ByteSet> {
    let of_class = |&(class, _): &(Class, NetworkNodeId)| class_bytes.get(class.index());
    let of_node = |node: &Node| {
        node.scans.iter().filter_map(of_class).fold(ByteSet::EMPTY, |all, bytes| all.union(bytes))
    };
    nodes.iter().map(of_node).collect()
}

impl Network {
    /// How many classes there are: of bytes and of special tokens. Rows have this length.
    pub fn classes(&self) -> usize {
        self.byte_classes + self.specials.len()
    }

    /// The class of a byte.
    #[inline]
    pub fn class_of(&self, byte: u8) -> Class {
        Class(u16::from(self.class_of_byte[usize::from(byte)]))
    }

    /// The class of the special token with this index in [`Network::specials`].
    pub fn class_of_special(&self, index: usize) -> Class {
        Class((self.byte_classes + index) as u16)
    }

    /// A byte of the class; `None` for the class of a special token.
    pub fn representative(&self, class: Class) -> Option<u8> {
        self.class_bytes.get(class.index())?.first()
    }

    /// The node with this id.
    pub fn node(&self, id: NetworkNodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Whether texts have to differ from each other somewhere. What has been read of them is not saved.
    pub fn has_distinct(&self) -> bool {
        self.callees.iter().any(Callee::has_distinct)
    }

    /// The languages of the lexemes, in the order of the callees.
    pub(crate) fn lexemes(&self) -> impl Iterator<Item = RegularId> {
        lexemes(&self.callees)
    }

    /// The callee with this id.
    pub fn callee(&self, id: CalleeId) -> &Callee {
        &self.callees[id.index()]
    }
}

impl Callee {
    /// What it calls by itself, without an automaton.
    pub(crate) fn calls(&self) -> impl Iterator<Item = CalleeId> {
        let (items, last): (&[CalleeId], _) = match self {
            Self::Counter { element, .. } => (&[], Some(*element)),
            Self::Unordered { items, separator, .. } => (items, *separator),
            Self::Nonterminal { .. } | Self::Lexeme { .. } => (&[], None),
        };
        items.iter().copied().chain(last)
    }

    /// Whether it is items in any order, and the texts of one of them differ from each other.
    pub(crate) fn has_distinct(&self) -> bool {
        matches!(self, Self::Unordered { unordered, .. } if unordered.distinct.is_some())
    }
}

/// The languages of the lexemes among some callees.
pub(crate) fn lexemes(callees: &[Callee]) -> impl Iterator<Item = RegularId> {
    callees.iter().filter_map(|callee| match callee {
        Callee::Lexeme { language, .. } => Some(*language),
        Callee::Nonterminal { .. } | Callee::Counter { .. } | Callee::Unordered { .. } => None,
    })
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network")
            .field("nodes", &self.nodes.len())
            .field("callees", &self.callees.len())
            .field("byte_classes", &self.byte_classes)
            .finish_non_exhaustive()
    }
}

//! The network: a compiled grammar as plain data.
//!
//! `build.rs` makes it, `text.rs` prints it, `check.rs` checks it, and `saved.rs` stores it.

use grammask_normal::{InlineList, SpecialSet, Terminal, TerminalId, Text, Unordered};
use grammask_regular::{ByteSet, RegularId, Store};

use crate::{CalleeId, Class, NetworkNodeId};

pub(crate) mod check;
pub(crate) mod saved;
mod text;

/// A recursive transition network: for every nonterminal an automaton whose edges are bytes, special tokens,
/// and calls of nonterminals, lexemes, counters and permutations.
///
/// A node does not store its nonterminal; the origin of an item determines what follows the rule. Nodes with
/// equal continuations are therefore shared between rules, and all rules end in [`NetworkNodeId::END`].
///
/// # Invariants
/// [`Network::check`] tests them:
/// - ids are in range, and node 0 is the end;
/// - the edges of a node are sorted by label, without duplicates;
/// - every other node has an edge;
/// - the first node of the start symbol is the end only if the language contains the empty string;
/// - no callee accepts the empty text;
/// - counters count nonterminals, with `1 <= min <= max` and `2 <= max`;
/// - the items of an `unordered!` are nonterminals, apart from the lexeme of `distinct!`;
/// - every node has a copy that only scans, and the set of bytes that it scans;
/// - every byte has one class, classes are numbered by their first byte, and no lexeme distinguishes bytes of
///   one class.
#[derive(Clone)]
pub struct Network {
    /// The nodes; the first is [`NetworkNodeId::END`].
    pub nodes: Vec<Node>,
    /// The callees of all nodes.
    pub callees: Vec<Callee>,
    /// The terminals of the normal form, for the text form of lexemes.
    pub terminals: Vec<Terminal>,
    /// By node, the node with the same scans and no calls: itself or a copy.
    pub scan_only: Vec<NetworkNodeId>,
    /// By node, the bytes that it scans itself.
    pub scanned: Vec<ByteSet>,
    /// First node of the start symbol. [`NetworkNodeId::END`] if the empty output is the only one.
    pub start: NetworkNodeId,
    /// True if the language contains the empty string.
    pub allows_empty: bool,
    /// By byte, its class.
    pub class_of_byte: Box<[u8; 256]>,
    /// Number of byte classes. The class of special token `i` is this number plus `i`.
    pub byte_classes: usize,
    /// By byte class, its bytes.
    pub class_bytes: Vec<ByteSet>,
    /// The special tokens that the grammar names.
    pub specials: Vec<Special>,
    /// The languages of the lexemes.
    pub store: Store,
}

/// Labels, each with the node to which it leads. Two edges fit without an allocation; most nodes have no
/// more.
pub type Edges<T> = InlineList<(T, NetworkNodeId), 2>;

/// A node of a [`Network`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Node {
    /// True if the rule may end here.
    pub is_final: bool,
    /// Scanning edges, sorted by class.
    pub scans: Edges<Class>,
    /// Calls, each with the node that follows; sorted by callee.
    pub calls: Edges<CalleeId>,
}

impl Node {
    /// Returns true if the rule may continue here.
    pub fn goes_on(&self) -> bool {
        !self.scans.is_empty() || !self.calls.is_empty()
    }
}

/// The target of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A nonterminal.
    Nonterminal {
        /// Name in the normal form.
        name: Text,
        /// First node.
        start: NetworkNodeId,
    },
    /// A lexeme, whose automaton is computed lazily by derivatives.
    Lexeme {
        /// KBNF form.
        text: LexemeText,
        /// Language, in [`Network::store`].
        language: RegularId,
    },
    /// A callee repeated `min` to `max` times.
    Counter {
        /// The repeated callee.
        element: CalleeId,
        /// Minimum number of repetitions.
        min: u32,
        /// Maximum number of repetitions.
        max: u32,
    },
    /// A permutation: items in any order.
    Unordered {
        /// Name of the nonterminal in the normal form.
        name: Text,
        /// The items: nonterminals, and the lexeme of `distinct!`.
        items: Vec<CalleeId>,
        /// The separator between two items.
        separator: Option<CalleeId>,
        /// Bounds of the items, and requirements between them.
        unordered: Box<Unordered>,
    },
}

/// KBNF form of a lexeme. It is rarely needed, so it is written out on demand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LexemeText {
    /// The form of this terminal of [`Network::terminals`].
    Terminal(TerminalId),
    /// This text, for a lexeme that is not a terminal of the normal form, and for loaded networks.
    Written(String),
}

/// A special token, as the grammar names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Special {
    /// `<|name|>`, brackets included.
    Name(String),
    /// `<[id]>`: a token id.
    Id(u32),
    /// `special!(…)`: any of several tokens.
    Set(SpecialSet),
}

impl Special {
    /// Returns the special symbol of a terminal. Returns `None` for terminals of bytes.
    pub(crate) fn of(terminal: &Terminal) -> Option<Self> {
        match terminal {
            Terminal::SpecialName(name) => Some(Self::Name(name.to_string())),
            Terminal::SpecialId(id) => Some(Self::Id(*id)),
            Terminal::SpecialSet(set) => Some(Self::Set((**set).clone())),
            _ => None,
        }
    }
}

/// Returns by node the bytes that it scans, given the bytes of every class.
pub(crate) fn scanned(nodes: &[Node], class_bytes: &[ByteSet]) -> Vec<ByteSet> {
    let of_class = |&(class, _): &(Class, NetworkNodeId)| class_bytes.get(class.index());
    let of_node = |node: &Node| {
        node.scans.iter().filter_map(of_class).fold(ByteSet::EMPTY, |all, bytes| all.union(bytes))
    };
    nodes.iter().map(of_node).collect()
}

impl Network {
    /// Returns the approximate number of bytes of the network and the languages of its lexemes.
    pub fn bytes_used(&self) -> usize {
        let edges: usize = self.nodes.iter().map(|node| node.scans.len() + node.calls.len()).sum();
        let of_node = size_of::<Node>() + size_of::<NetworkNodeId>() + size_of::<ByteSet>();
        let callees = self.callees.len() * size_of::<Callee>() + self.terminals.len() * size_of::<Terminal>();
        self.nodes.len() * of_node + 8 * edges + callees + self.store.bytes_used()
    }

    /// Returns the number of classes, of bytes and of special tokens. Rows have this length.
    pub fn classes(&self) -> usize {
        self.byte_classes + self.specials.len()
    }

    /// Returns the class of a byte.
    #[inline]
    pub fn class_of(&self, byte: u8) -> Class {
        Class(u16::from(self.class_of_byte[usize::from(byte)]))
    }

    /// Returns the class of the special token with this index in [`Network::specials`].
    ///
    /// # Panics
    /// If the class would be 2^16 or more, which it is for no index of the list.
    pub fn class_of_special(&self, index: usize) -> Class {
        Class::new(self.byte_classes + index)
    }

    /// Returns a byte of the class. Returns `None` for the class of a special token.
    pub fn representative(&self, class: Class) -> Option<u8> {
        self.class_bytes.get(class.index())?.first()
    }

    /// Returns the node with this id.
    pub fn node(&self, id: NetworkNodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Returns true if the grammar uses `distinct!`. Tables of such grammars are not saved.
    pub fn has_distinct(&self) -> bool {
        self.callees.iter().any(Callee::has_distinct)
    }

    /// Returns the languages of the lexemes, in the order of the callees.
    pub(crate) fn lexemes(&self) -> impl Iterator<Item = RegularId> {
        lexemes(&self.callees)
    }

    /// Returns the callee with this id.
    pub fn callee(&self, id: CalleeId) -> &Callee {
        &self.callees[id.index()]
    }
}

impl Callee {
    /// Returns the callees that a counter or a permutation refers to.
    pub(crate) fn calls(&self) -> impl Iterator<Item = CalleeId> {
        let (items, last): (&[CalleeId], _) = match self {
            Self::Counter { element, .. } => (&[], Some(*element)),
            Self::Unordered { items, separator, .. } => (items, *separator),
            Self::Nonterminal { .. } | Self::Lexeme { .. } => (&[], None),
        };
        items.iter().copied().chain(last)
    }

    /// Returns true for a permutation with an item of `distinct!`.
    pub(crate) fn has_distinct(&self) -> bool {
        matches!(self, Self::Unordered { unordered, .. } if unordered.distinct.is_some())
    }
}

/// Returns the languages of the lexemes among some callees.
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

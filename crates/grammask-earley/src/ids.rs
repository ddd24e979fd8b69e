//! Identifiers of nodes, origins, sets, callees and classes, and the Earley item.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use grammask_work::narrow;

/// A network node (a position in a rule), or a dynamic node (a position in a lexeme, a counter or a
/// permutation).
///
/// Network nodes come first, [`Network::nodes`](crate::Network::nodes) holds them; dynamic nodes follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NetworkNodeId(pub(crate) u32);

impl NetworkNodeId {
    /// The node at which a rule ends and cannot continue. All rules share it.
    pub const END: Self = Self(0);

    /// Marks, in the items of a set, an outermost origin that is complete. Not a node.
    pub(crate) const DONE: Self = Self(u32::MAX);

    /// Maximum number of nodes of a stored network. The other ids remain for dynamic nodes.
    pub(crate) const MAX_NETWORK_NODES: usize = 1 << 30;

    /// Returns the id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the id with this index, for tables whose keys are node ids.
    ///
    /// # Panics
    /// If the index is 2^32 or more.
    pub const fn from_index(index: usize) -> Self {
        Self(narrow(index))
    }
}

impl fmt::Display for NetworkNodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::END { f.write_str("end") } else { write!(f, "node{}", self.0) }
    }
}

/// An origin: the list of items that continue when a rule completes.
///
/// The textbook's origin is the position where the rule began, and the waiting items are looked up there.
/// Here the origin is the list of these items itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OriginId(pub(crate) u32);

impl OriginId {
    /// The origin of the start symbol. When it completes, the text is complete.
    pub const ROOT: Self = Self(0);
    const OPEN: u32 = 1 << 31;

    /// Returns the open origin with this index: a placeholder for callers that are not known.
    ///
    /// # Panics
    /// If `index` is 2^31 or more.
    pub fn open(index: usize) -> Self {
        let index = u32::try_from(index).expect("an index of 32 bits");
        assert!(index < Self::OPEN, "fewer than 2^31 open origins");
        Self(Self::OPEN | index)
    }

    /// Returns the index of an open origin. Returns `None` for other origins.
    pub const fn open_index(self) -> Option<usize> {
        if self.0 & Self::OPEN == 0 { None } else { Some((self.0 & !Self::OPEN) as usize) }
    }

    /// Returns true for the root and for open origins, which have no callers.
    pub const fn is_outermost(self) -> bool {
        self.0 == Self::ROOT.0 || self.0 & Self::OPEN != 0
    }
}

impl fmt::Display for OriginId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.open_index() {
            Some(index) => write!(f, "open{index}"),
            None if *self == Self::ROOT => f.write_str("root"),
            None => write!(f, "origin{}", self.0),
        }
    }
}

/// An Earley set: the complete state of the recognizer after a text.
///
/// Two bits of the id store [`goes_on`](Self::goes_on) and [`completes`](Self::completes), so that a walk
/// need not look the set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetId(u32);

impl SetId {
    /// The dead set: no items, and no complete origin. The state after a text that is not a prefix of any
    /// text of the language.
    pub const DEAD: Self = Self(0);
    const GOES_ON: u32 = 1;
    const COMPLETES: u32 = 2;

    /// Maximum index of a set.
    pub(crate) const MAX_INDEX: u32 = (1 << 30) - 2;

    pub(crate) const fn new(index: u32, goes_on: bool, completes: bool) -> Self {
        Self(index << 2 | (completes as u32) << 1 | goes_on as u32)
    }

    /// Returns the index of the set, which is below [`Recognizer::set_count`](crate::Recognizer::set_count).
    pub const fn index(self) -> u32 {
        self.0 >> 2
    }

    pub(crate) const fn raw(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_raw(raw: u32) -> Self {
        Self(raw)
    }

    /// Returns true for [`SetId::DEAD`].
    pub const fn is_dead(self) -> bool {
        self.0 == 0
    }

    /// Returns true if the set has items, so that more text can follow.
    pub const fn goes_on(self) -> bool {
        self.0 & Self::GOES_ON != 0
    }

    /// Returns true if an outermost origin is complete. For the state after a text: true if the text is in
    /// the language.
    pub const fn completes(self) -> bool {
        self.0 & Self::COMPLETES != 0
    }
}

impl fmt::Display for SetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_dead() { f.write_str("dead") } else { write!(f, "set{}", self.index()) }
    }
}

/// A callee of a node: a nonterminal, a lexeme, a counter or a permutation. Index into
/// [`Network::callees`](crate::Network::callees).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CalleeId(pub(crate) u32);

impl CalleeId {
    /// Returns the id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A class of bytes that no part of the grammar distinguishes, or a special token that the grammar names.
///
/// Classes of bytes come first, special tokens after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class(pub(crate) u16);

impl Class {
    /// Returns the class with this index.
    ///
    /// # Panics
    /// If the index is 2^16 or more.
    pub fn new(index: usize) -> Self {
        Self(u16::try_from(index).expect("there are fewer than 2^16 classes"))
    }

    /// Returns the class as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An Earley item: a position in a rule, and the origin to complete when the rule ends. Ordered by node, then
/// by origin.
// On little-endian machines this field order makes `key` a single load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Item {
    /// The origin to complete when the rule ends.
    pub origin: OriginId,
    /// The position in the rule.
    pub node: NetworkNodeId,
}

impl Item {
    /// Returns both fields as one number, for a single comparison or hash.
    const fn key(self) -> u64 {
        (self.node.0 as u64) << 32 | self.origin.0 as u64
    }
}

impl Ord for Item {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    // Sorting calls only `lt`.
    fn lt(&self, other: &Self) -> bool {
        self.key() < other.key()
    }
}

impl Hash for Item {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.key().hash(hasher);
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.node, self.origin)
    }
}

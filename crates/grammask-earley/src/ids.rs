//! The numbers by which the recognizer knows things: each its own type, each with a short text form.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A node of the network: where we are in a rule, in a lexeme, or in a counted repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NetworkNodeId(pub(crate) u32);

impl NetworkNodeId {
    /// The node at which a rule is complete and nothing more can follow in it. All rules share it.
    pub const END: Self = Self(0);

    /// Stands in the items of a set where an outermost origin is complete; no node of a network.
    pub(crate) const DONE: Self = Self(u32::MAX);

    /// Nodes that a stored network may have: nodes that are made while running come behind them.
    pub(crate) const MOST: usize = 1 << 30;

    /// The id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NetworkNodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::END { f.write_str("end") } else { write!(f, "node{}", self.0) }
    }
}

/// Whom to tell when a rule is complete: a list of callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OriginId(pub(crate) u32);

impl OriginId {
    /// The origin of the start symbol: when it is complete, so is the text.
    pub const ROOT: Self = Self(0);
    const OPEN: u32 = 1 << 31;

    /// The `index`th unknown origin of an open set.
    ///
    /// # Panics
    /// When `index` is 2^31 or more.
    pub fn open(index: usize) -> Self {
        let index = u32::try_from(index).expect("an index of 32 bits");
        assert!(index < Self::OPEN, "fewer than 2^31 open origins");
        Self(Self::OPEN | index)
    }

    /// The index of an unknown origin; `None` for known ones.
    pub const fn open_index(self) -> Option<usize> {
        if self.0 & Self::OPEN == 0 { None } else { Some((self.0 & !Self::OPEN) as usize) }
    }

    /// Whether completing it tells the outside: the root, or an unknown origin.
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

/// An Earley set: the whole state of the recognizer after some text.
///
/// Two bits of the number say what a walk over many texts asks most often, so that it need not look the set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetId(u32);

impl SetId {
    /// The set from which nothing goes on and in which nothing is complete: the text was wrong.
    pub const DEAD: Self = Self(0);
    const GOES_ON: u32 = 1;
    const COMPLETES: u32 = 2;

    /// The largest index of a set.
    pub(crate) const MAX_INDEX: u32 = (1 << 30) - 2;

    pub(crate) const fn new(index: u32, goes_on: bool, completes: bool) -> Self {
        Self(index << 2 | (completes as u32) << 1 | goes_on as u32)
    }

    /// The id as an index: below [`Recognizer::set_count`](crate::Recognizer::set_count).
    pub const fn index(self) -> u32 {
        self.0 >> 2
    }

    pub(crate) const fn raw(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_raw(raw: u32) -> Self {
        Self(raw)
    }

    /// Whether the set is [`SetId::DEAD`].
    pub const fn is_dead(self) -> bool {
        self.0 == 0
    }

    /// Whether there are items: more text can follow.
    pub const fn goes_on(self) -> bool {
        self.0 & Self::GOES_ON != 0
    }

    /// Whether an outermost origin is complete here: for a state of a text, whether the text is in the language.
    pub const fn completes(self) -> bool {
        self.0 & Self::COMPLETES != 0
    }
}

impl fmt::Display for SetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_dead() { f.write_str("dead") } else { write!(f, "set{}", self.index()) }
    }
}

/// What a node calls: a nonterminal, a lexeme or a counted repetition; its place in [`Network::callees`](crate::Network::callees).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CalleeId(pub(crate) u32);

impl CalleeId {
    /// The id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A class of bytes that the whole grammar treats alike; or, behind those, a special token that the grammar names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class(pub(crate) u16);

impl Class {
    /// The class with this index into rows.
    ///
    /// # Panics
    /// When the index has more than 16 bits.
    pub fn new(index: usize) -> Self {
        Self(u16::try_from(index).expect("there are fewer than 2^16 classes"))
    }

    /// The class as an index into rows.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// (node, origin): where we are in a rule, and whom to tell when the rule is complete. Ordered by node, then by origin.
// In this order both are, on most machines, one number in memory, too: that is what `key` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Item {
    /// Whom to tell.
    pub origin: OriginId,
    /// Where we are.
    pub node: NetworkNodeId,
}

impl Item {
    /// Both as one number, which is compared and hashed at once.
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

    // Sorting asks nothing else.
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

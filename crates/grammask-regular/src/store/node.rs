//! What an expression is made of.

use crate::alphabet::partitions::PartitionId;
use std::fmt;

/// A regular language: the id of a hash-consed expression in a [`Store`](crate::Store).
///
/// The id doubles as the state of an automaton: the language is what can still follow there. The next state is
/// [`Store::derivative`](crate::Store::derivative), a state accepts iff it contains the empty string, and
/// [`RegularId::EMPTY`] is the only dead state. Ids of different stores have nothing to do with each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegularId(pub(crate) u32);

impl RegularId {
    /// The language without any string.
    pub const EMPTY: Self = Self(0);
    /// The language of the empty string alone.
    pub const EPSILON: Self = Self(1);
    /// One byte, any.
    pub(crate) const ANY: Self = Self(2);
    /// All strings.
    pub(crate) const ALL: Self = Self(3);

    /// The id as an index, below [`Store::len`](crate::Store::len).
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for RegularId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "regular{}", self.0)
    }
}

/// A counter's upper end that is no end; also the greatest length of a language without longest string.
pub(crate) const UNBOUNDED: u32 = u32::MAX;

/// The kinds of expressions. Operands always have smaller ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    Empty,
    Epsilon,
    /// One byte of an interned set.
    Bytes(u32),
    /// What a state of the acyclic automaton accepts.
    Acyclic(u32),
    /// The words of an interned range, without their first `depth` bytes.
    Words {
        range: u32,
        depth: u32,
    },
    /// What brings no forbidden text to an end, from a state of an Aho-Corasick automaton.
    AhoCorasick {
        automaton: u32,
        state: u32,
    },
    /// What goes on in a text, from a state of its suffix automaton.
    Factor {
        automaton: u32,
        state: u32,
    },
    /// The first operand is no concatenation.
    Concat(RegularId, RegularId),
    /// At least two operands, sorted, in the arena of lists.
    Or(OperandList),
    /// At least two operands, sorted, in the arena of lists.
    And(OperandList),
    Not(RegularId),
    Repeat {
        base: RegularId,
        min: u32,
        max: u32,
    },
    /// The strings of the operand no proper prefix of which is in it; the empty string is not in the operand.
    PrefixMinimal(RegularId),
    /// The spellings of the operand's strings inside a JSON string, from some place in them.
    Json {
        text: RegularId,
        at: JsonPosition,
    },
    /// JSON numbers that are compared with a bound, or multiples of a number, from an interned state.
    Number(u32),
}

/// A place in the spelling of a text inside a JSON string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum JsonPosition {
    /// Between two characters, or inside one that is written as itself.
    Character,
    /// After a backslash.
    AfterBackslash,
    /// After `\u`.
    AfterU,
}

/// A place in the arena of lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct OperandList {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl OperandList {
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// An expression with what is known about it.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// No string is shorter, in bytes; saturated.
    pub(crate) min: u32,
    /// No string is longer, in bytes; [`UNBOUNDED`] where unknown or without end.
    pub(crate) max: u32,
    /// Bytes in one class have the same derivative.
    pub(crate) partition: PartitionId,
    /// Where the row of derivatives begins, or [`NO_ROW`].
    pub(crate) row: u32,
    /// Equal for expressions that differ in counters only. See `counters.rs`.
    pub(crate) counter_free_key: u32,
    pub(crate) flags: u8,
    /// How deep JSON spellings nest.
    pub(crate) nesting: u8,
}

/// No row yet.
pub(crate) const NO_ROW: u32 = u32::MAX;
/// A derivative that has not been taken.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// Contains the empty string.
pub(crate) const NULLABLE: u8 = 1;
/// Proven to contain a string.
pub(crate) const PROVEN_NONEMPTY: u8 = 2;
/// Proven to contain none. [`RegularId::EMPTY`] stands for it wherever it turns up again.
pub(crate) const PROVEN_EMPTY: u8 = 4;
/// Neither void itself nor, as a union, with a void member: fit to be shown outside.
pub(crate) const TRIMMED: u8 = 8;
/// Without complement, intersection or the like: inhabited, and `max` is 0 iff only the empty string is in it.
pub(crate) const STANDARD: u8 = 16;
/// Has a counter on its spine, so that `skeleton` matters.
pub(crate) const HAS_COUNTER: u8 = 32;
/// Seen at once to hold nothing but whole characters of UTF-8; without it, [`is_text`](crate::Store::is_text) looks closer.
pub(crate) const UTF8_ONLY: u8 = 64;

impl Node {
    pub(crate) const fn has(&self, flag: u8) -> bool {
        self.flags & flag == flag
    }
}

//! Expressions: their kinds, and the flags and lengths that are known about each.

use crate::Escapes;
use crate::alphabet::partitions::PartitionId;
use std::fmt;

/// A regular language: id of a hash-consed expression in a [`Store`](crate::Store).
///
/// The id is also a state of an automaton: its language is the set of strings that can still follow. The next
/// state is [`Store::derivative`](crate::Store::derivative). A state accepts iff its language contains the
/// empty string, and [`RegularId::EMPTY`] is the only dead state. Ids of different stores are unrelated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegularId(pub(crate) u32);

impl RegularId {
    /// The language without strings.
    pub const EMPTY: Self = Self(0);
    /// The language of the empty string.
    pub const EPSILON: Self = Self(1);
    /// All strings of one byte.
    pub(crate) const ANY: Self = Self(2);
    /// All strings.
    pub(crate) const ALL: Self = Self(3);

    /// Returns the id as an index, below [`Store::len`](crate::Store::len).
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for RegularId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "regular{}", self.0)
    }
}

/// No upper bound: of a counter, or of the lengths of a language.
pub(crate) const UNBOUNDED: u32 = u32::MAX;

/// The kinds of expressions. Operands have smaller ids than the expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    Empty,
    Epsilon,
    /// One byte of an interned set.
    Bytes(u32),
    /// The strings that a state of the acyclic DFA accepts.
    Acyclic(u32),
    /// The words of an interned range, without their first `depth` bytes.
    Words {
        range: u32,
        depth: u32,
    },
    /// The strings that complete no forbidden text, from a state of an Aho–Corasick automaton.
    AhoCorasick {
        automaton: u32,
        state: u32,
    },
    /// The strings that continue a substring of a text, from a state of its suffix automaton.
    Factor {
        automaton: u32,
        state: u32,
    },
    /// The first operand is not a concatenation.
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
    /// The strings of the operand of which no proper prefix is in it. The empty string is not in the operand.
    PrefixMinimal(RegularId),
    /// The JSON spellings of the operand's strings, from some position in a spelling.
    Json {
        text: RegularId,
        escapes: Escapes,
        at: JsonPosition,
    },
    /// JSON numbers that compare with a bound or are multiples of a number, from an interned state.
    Number(u32),
}

/// A position in the spelling of a text inside a JSON string.
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

/// A range of the operand lists of the arena.
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

/// An expression and its attributes.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// Lower bound of the lengths of all strings, in bytes; saturated.
    pub(crate) min: u32,
    /// Upper bound of the lengths of all strings, in bytes. [`UNBOUNDED`] if there is none, or none is known.
    pub(crate) max: u32,
    /// Bytes of one class have equal derivatives.
    pub(crate) partition: PartitionId,
    /// Start of the row of derivatives, or [`NO_ROW`].
    pub(crate) row: u32,
    /// Equal for expressions that differ only in counters. See `construct::merge_counters`.
    pub(crate) counter_free_key: u32,
    pub(crate) flags: u8,
    /// Levels of JSON spellings.
    pub(crate) nesting: u8,
}

/// The expression has no row of derivatives yet.
pub(crate) const NO_ROW: u32 = u32::MAX;
/// The derivative has not been taken.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// Flag: contains the empty string.
pub(crate) const NULLABLE: u8 = 1;
/// Flag: proven to contain a string.
pub(crate) const PROVEN_NONEMPTY: u8 = 2;
/// Flag: proven to contain no string. [`RegularId::EMPTY`] replaces the expression wherever it becomes an
/// operand.
pub(crate) const PROVEN_EMPTY: u8 = 4;
/// Flag: not empty, and as a union without empty members. Only such expressions are returned to callers.
pub(crate) const TRIMMED: u8 = 8;
/// Flag: a standard regular expression, without complement or intersection. It is not empty, and `max` is 0
/// iff it contains only the empty string.
pub(crate) const STANDARD: u8 = 16;
/// Flag: has a counter on its chain of concatenations, so that `counter_free_key` matters.
pub(crate) const HAS_COUNTER: u8 = 32;
/// Flag: known to contain only UTF-8. Without the flag, [`is_utf8`](crate::analysis::is_utf8) examines the
/// expression.
pub(crate) const UTF8_ONLY: u8 = 64;

impl Node {
    pub(crate) const fn has(&self, flag: u8) -> bool {
        self.flags & flag == flag
    }
}

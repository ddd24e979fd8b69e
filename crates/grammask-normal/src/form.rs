//! The normal form: plain data, productions of symbols and an arena of terminals.

mod check;
mod from_grammar;
pub(crate) mod lower;

use grammask_syntax::{Comparison, Parts, Text};

use crate::unordered::Unordered;

pub use check::Violation;
pub(crate) use from_grammar::from_grammar;
pub use lower::Languages;

/// The place of a nonterminal in [`NormalForm::nonterminals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NonterminalId(pub u32);

/// The place of a terminal in [`NormalForm::terminals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TerminalId(pub u32);

impl NonterminalId {
    /// The id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl TerminalId {
    /// The id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A grammar without EBNF operators, nullables, unit cycles or useless rules.
///
/// Invariants, tested by [`NormalForm::check`]: every id is in range; the start symbol has a production; every production has
/// a symbol; no terminal that a production names contains the empty string or is empty; every nonterminal is
/// reachable; every production can go on to a finite or endless output; no cycle of productions of one nonterminal each; the
/// operands of a terminal stand before it; no two productions of a nonterminal are equal; an `unordered!` has one production of one
/// nonterminal for each item and for the separator, every item can occur, and its cycles and repetitions are none of the above.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NormalForm {
    /// Where a derivation begins.
    pub start: NonterminalId,
    /// The nonterminals; none is nullable.
    pub nonterminals: Vec<Nonterminal>,
    /// The regular parts, each once; the operands of a terminal stand before it.
    pub terminals: Vec<Terminal>,
}

/// A nonterminal and its productions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Nonterminal {
    /// Unique in the normal form; an identifier of KBNF.
    pub name: Text,
    /// The alternatives. With `unordered`: one of one nonterminal for each item, in order, and behind them the separator.
    pub productions: Vec<Production>,
    /// For `unordered!`: how often the items may occur.
    pub unordered: Option<Box<Unordered>>,
}

/// The parts of an alternative, in order.
pub type Production = Parts<Symbol, 3>;

/// A part of a production.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Symbol {
    /// A nonterminal.
    Nonterminal(NonterminalId),
    /// A terminal that does not contain the empty string; or a special token.
    Terminal(TerminalId),
    /// `N{min,max}`: counted, not unrolled; `min` is at least 1, `max` at least 2 and at least `min`.
    Repeat {
        /// What is repeated; not nullable.
        nonterminal: NonterminalId,
        /// The least number of times.
        min: u32,
        /// The greatest number of times.
        max: u32,
    },
}

/// What stands in the parentheses of `except!`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Except {
    /// The name of the rule that lists the texts; `None` for a text in place. Printing writes the rule beside the productions.
    pub name: Option<String>,
    /// What must not occur.
    pub texts: Vec<String>,
    /// The greatest length in bytes.
    pub max: Option<u64>,
}

/// A regular part as it is written: an atom or a combination of terminals that stand before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Terminal {
    /// `'text'`
    Text(Text),
    /// `#'pattern'`
    Regex(Text),
    /// `#e'pattern'`
    Early(Text),
    /// `#ex'pattern'`
    Without(Text),
    /// `#substrs'text'`
    Substrings(Text),
    /// `except!('text', max)` or `except!(name, max)`
    Except(Box<Except>),
    /// `json!(a)`
    Json(TerminalId),
    /// `multiple!(0.25)`
    Multiple(Text),
    /// `atleast!(0.25)` and its like
    Compared(Comparison, Text),
    /// `<|name|>`, with its brackets. Never an operand.
    SpecialName(Text),
    /// `<[id]>`. Never an operand.
    SpecialId(u32),
    /// `a b`
    Sequence(Parts<TerminalId>),
    /// `a | b`
    Alternatives(Parts<TerminalId>),
    /// `a{min,max}`; no `max` means without end.
    Repeat {
        /// What is repeated.
        terminal: TerminalId,
        /// The least number of times.
        min: u32,
        /// The greatest number of times.
        max: Option<u32>,
    },
    /// `a & b`
    And(Parts<TerminalId>),
    /// `~a`
    Not(TerminalId),
}

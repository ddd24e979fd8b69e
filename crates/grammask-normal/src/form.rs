//! The normal form: productions of symbols, and an arena of terminals. All of it is plain data.

mod check;
mod from_grammar;
pub(crate) mod lower;

use grammask_syntax::{Comparison, Escapes, InlineList, SpecialSet, Text};

use crate::unordered::Unordered;

pub use check::Violation;
pub(crate) use from_grammar::from_grammar;
pub use lower::Languages;

/// Index of a nonterminal in [`NormalForm::nonterminals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NonterminalId(pub u32);

/// Index of a terminal in [`NormalForm::terminals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TerminalId(pub u32);

impl NonterminalId {
    /// Returns the id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl TerminalId {
    /// Returns the id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A grammar without EBNF operators, nullables, unit cycles or useless rules.
///
/// Invariants, checked by [`NormalForm::check`]:
///
/// - Every id is in range, and the operands of a terminal precede it.
/// - Every nonterminal is reachable. It has a production, apart from the start symbol if the empty output is
///   the only one. Every production has a symbol, and no two productions of a nonterminal are equal.
/// - No terminal in a production is empty or contains the empty string.
/// - Every production leads to a finite or endless output.
/// - No cycle consists of productions of one nonterminal each.
/// - An `unordered!` has one production of one nonterminal for each item and for the separator, and every
///   item can occur. The invariants about equal productions and cycles do not apply to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NormalForm {
    /// The start symbol.
    pub start: NonterminalId,
    /// True if the language contains the empty string. No nonterminal derives it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub allows_empty: bool,
    /// The nonterminals. None is nullable.
    pub nonterminals: Vec<Nonterminal>,
    /// The distinct terminals, each after its operands.
    pub terminals: Vec<Terminal>,
}

/// A nonterminal and its productions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Nonterminal {
    /// An identifier of KBNF, unique in the normal form.
    pub name: Text,
    /// The alternatives. For an `unordered!`: one production of one nonterminal for each item, in order, then
    /// one for the separator.
    pub productions: Vec<Production>,
    /// The choices of items, if the nonterminal is an `unordered!`.
    pub unordered: Option<Box<Unordered>>,
}

/// The symbols of an alternative, in order.
pub type Production = InlineList<Symbol, 3>;

/// A symbol of a production.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Symbol {
    /// A nonterminal.
    Nonterminal(NonterminalId),
    /// A special token, or a terminal that does not contain the empty string.
    Terminal(TerminalId),
    /// `N{min,max}`, which stays a counter instead of being unrolled: 1 ≤ `min` ≤ `max` and 2 ≤ `max`.
    Repeat {
        /// The repeated nonterminal, which is not nullable.
        nonterminal: NonterminalId,
        /// Least number of repetitions.
        min: u32,
        /// Greatest number of repetitions.
        max: u32,
    },
}

/// The operands of an `except!`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Except {
    /// Name of the rule that lists the texts, which `Display` prints as an additional rule. `None` if the
    /// operand is a text.
    pub name: Option<String>,
    /// The texts that must not occur.
    pub texts: Vec<String>,
    /// Greatest length in bytes. `None` means no greatest length.
    pub max: Option<u64>,
}

/// A terminal as it is written in KBNF: an atom, or a combination of terminals with smaller ids.
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
    /// `substrs!('text', 'text')`
    ChunkRuns(Vec<Text>),
    /// `except!('text', max)` or `except!(name, max)`
    Except(Box<Except>),
    /// `json!(a)`, `json_short!(a)`, `json_required!(a)`
    Json(TerminalId, Escapes),
    /// `multiple!(0.25)`
    Multiple(Text),
    /// A comparison with a number, such as `atleast!(0.25)`.
    Compared(Comparison, Text),
    /// `<|name|>`, with its brackets. Never an operand.
    SpecialName(Text),
    /// `<[id]>`. Never an operand.
    SpecialId(u32),
    /// `special!('<a>', <[7]>)`. Never an operand.
    SpecialSet(Box<SpecialSet>),
    /// `a b`
    Sequence(InlineList<TerminalId>),
    /// `a | b`
    Alternatives(InlineList<TerminalId>),
    /// `a{min,max}`
    Repeat {
        /// The repeated terminal.
        terminal: TerminalId,
        /// Least number of repetitions.
        min: u32,
        /// Greatest number of repetitions. `None` means no greatest number.
        max: Option<u32>,
    },
    /// `a & b`
    And(InlineList<TerminalId>),
    /// `~a`
    Not(TerminalId),
}

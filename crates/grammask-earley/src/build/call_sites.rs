//! Which nonterminals are put in the place where they are called, as far as productions show it.
//!
//! What is called from one place needs no callee: its productions stand there. As long as productions begin alike, they are in the same place; and what
//! several productions of a nonterminal end with is one place, to which they all lead, as the product in `sum ::= product | sum '+' ws product | sum '+' product`.

use std::cmp::Ordering;

use grammask_normal::{NonterminalId, NormalForm, Symbol};

/// Where each nonterminal is called.
pub(crate) struct Places(Vec<Place>);

/// Where a nonterminal is called.
#[derive(Clone, Copy)]
struct Place {
    /// By which nonterminal, if by one.
    caller: NonterminalId,
    /// In how many places.
    calls: u32,
    /// Whether all of them are ends of productions of one nonterminal.
    only_ends: bool,
}

/// How a nonterminal gets to the place where it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placing {
    /// Not at all: it is called.
    Called,
    /// It stands in the one place where it is called.
    Alone,
    /// It stands where several productions of one nonterminal end.
    AtEnd,
}

impl Places {
    /// Finds all calls of a normal form whose productions are [sorted](sort).
    ///
    /// # Complexity
    /// Linear in the normal form.
    pub(crate) fn new(normal: &NormalForm) -> Self {
        let nowhere = Place { caller: normal.start, calls: 0, only_ends: true };
        let mut places = Self(vec![nowhere; normal.nonterminals.len()]);
        places.need_callee(normal.start);
        for (caller, nonterminal) in (0..).map(NonterminalId).zip(&normal.nonterminals) {
            let mut before: &[Symbol] = &[];
            for production in &nonterminal.productions {
                let from = shared_prefix(before, production);
                for (place, symbol) in production.iter().enumerate().skip(from) {
                    match *symbol {
                        // What is called by a register needs a callee.
                        Symbol::Nonterminal(callee) if nonterminal.unordered.is_some() => {
                            places.need_callee(callee);
                        }
                        // Left recursion is a loop.
                        Symbol::Nonterminal(callee) if place == 0 && callee == caller => {}
                        Symbol::Nonterminal(callee) => {
                            places.note(callee, caller, place + 1 == production.len());
                        }
                        // Counted repetition needs one, too.
                        Symbol::Repeat { nonterminal, .. } => places.need_callee(nonterminal),
                        Symbol::Terminal(_) => {}
                    }
                }
                before = production;
            }
        }
        places
    }

    fn note(&mut self, callee: NonterminalId, caller: NonterminalId, is_end: bool) {
        let place = &mut self.0[callee.index()];
        place.only_ends &= is_end && (place.calls == 0 || place.caller == caller);
        place.calls += 1;
        place.caller = caller;
    }

    /// From now on this is called, if it is not already.
    pub(crate) fn need_callee(&mut self, nonterminal: NonterminalId) {
        let place = &mut self.0[nonterminal.index()];
        place.calls += 2;
        place.only_ends = false;
    }

    /// How a nonterminal gets to its place.
    pub(crate) fn placing(&self, nonterminal: NonterminalId) -> Placing {
        match self.0[nonterminal.index()] {
            Place { calls: 1, .. } => Placing::Alone,
            Place { only_ends: true, .. } => Placing::AtEnd,
            Place { .. } => Placing::Called,
        }
    }
}

/// Sorts the productions of each nonterminal so that those stand together that begin alike, and none behind one that it goes on from. Those of
/// items in any order keep their places.
///
/// # Complexity
/// O(n log n) in the productions of a nonterminal.
pub(crate) fn sort(normal: &mut NormalForm) {
    for nonterminal in &mut normal.nonterminals {
        if nonterminal.unordered.is_none() {
            nonterminal.productions.sort_unstable_by(|one, other| {
                let differing = one.iter().zip(other).map(|(one, other)| one.cmp(other));
                differing.reduce(Ordering::then).unwrap_or(Ordering::Equal).then(other.len().cmp(&one.len()))
            });
        }
    }
}

/// With how many symbols a production begins as the one before it does, if that goes on behind them.
pub(crate) fn shared_prefix(before: &[Symbol], production: &[Symbol]) -> usize {
    let longest = before.len().saturating_sub(1);
    production.iter().zip(&before[..longest]).take_while(|(one, other)| one == other).count()
}

//! Finds nonterminals that can be inlined, from the productions alone.
//!
//! A nonterminal with one call site needs no callee; its productions replace the call. Two calls count as one
//! site if the symbols before them are equal, as in `a B 'x' | a B 'y'`. They also count as one site if both
//! end a production of the same nonterminal: `product` in `sum ::= product | sum '+' ws product | sum '+'
//! product`.

use std::cmp::Ordering;

use grammask_normal::{NonterminalId, NormalForm, Symbol};

/// By nonterminal, its call sites.
pub(crate) struct CallSites(Vec<Sites>);

/// The call sites of a nonterminal.
#[derive(Clone, Copy)]
struct Sites {
    /// The calling nonterminal; one of them if there are several.
    caller: NonterminalId,
    /// Number of call sites.
    count: u32,
    /// True if all call sites are ends of productions of one nonterminal.
    only_ends: bool,
}

/// Whether a nonterminal replaces its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InlineDecision {
    /// It remains a callee.
    Call,
    /// It replaces its only call.
    Inline,
    /// It replaces the calls at the ends of one nonterminal's productions, once for all of them.
    InlineAtEnd,
}

impl CallSites {
    /// Finds the call sites of a normal form whose productions are [sorted](sort).
    ///
    /// # Complexity
    /// Linear in the normal form.
    pub(crate) fn new(normal: &NormalForm) -> Self {
        let none = Sites { caller: normal.start, count: 0, only_ends: true };
        let mut sites = Self(vec![none; normal.nonterminals.len()]);
        sites.keep_callee(normal.start);
        for (caller, nonterminal) in (0..).map(NonterminalId).zip(&normal.nonterminals) {
            let mut before: &[Symbol] = &[];
            for production in &nonterminal.productions {
                let from = shared_prefix(before, production);
                for (index, symbol) in production.iter().enumerate().skip(from) {
                    match *symbol {
                        // A permutation refers to its items as callees.
                        Symbol::Nonterminal(callee) if nonterminal.unordered.is_some() => {
                            sites.keep_callee(callee);
                        }
                        // Direct left recursion becomes a loop.
                        Symbol::Nonterminal(callee) if index == 0 && callee == caller => {}
                        Symbol::Nonterminal(callee) => {
                            sites.add(callee, caller, index + 1 == production.len());
                        }
                        // A counter refers to its element as a callee.
                        Symbol::Repeat { nonterminal, .. } => sites.keep_callee(nonterminal),
                        Symbol::Terminal(_) => {}
                    }
                }
                before = production;
            }
        }
        sites
    }

    fn add(&mut self, callee: NonterminalId, caller: NonterminalId, is_end: bool) {
        let sites = &mut self.0[callee.index()];
        sites.only_ends &= is_end && (sites.count == 0 || sites.caller == caller);
        sites.count += 1;
        sites.caller = caller;
    }

    /// Excludes a nonterminal from inlining.
    pub(crate) fn keep_callee(&mut self, nonterminal: NonterminalId) {
        let sites = &mut self.0[nonterminal.index()];
        sites.count += 2;
        sites.only_ends = false;
    }

    pub(crate) fn decision(&self, nonterminal: NonterminalId) -> InlineDecision {
        match self.0[nonterminal.index()] {
            Sites { count: 1, .. } => InlineDecision::Inline,
            Sites { only_ends: true, .. } => InlineDecision::InlineAtEnd,
            Sites { .. } => InlineDecision::Call,
        }
    }
}

/// Sorts the productions of each nonterminal, so that productions with a common prefix are adjacent, and a
/// longer one precedes its own prefixes. The productions of a permutation keep their order.
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

/// Returns the length of the common prefix of two adjacent productions, in symbols. It never includes the
/// last symbol of `before`: that symbol leads to the end of the rule, where no production continues.
pub(crate) fn shared_prefix(before: &[Symbol], production: &[Symbol]) -> usize {
    let longest = before.len().saturating_sub(1);
    production.iter().zip(&before[..longest]).take_while(|(one, other)| one == other).count()
}

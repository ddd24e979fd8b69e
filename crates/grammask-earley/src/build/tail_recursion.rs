//! Tail recursion: turns calls at the ends of mutually recursive rules into jumps.
//!
//! A callee at the end of a rule completes together with the rule, so the call is a jump. In `unary ::= '-'
//! cast | primary;` `cast ::= '(' type ')' cast | unary` the jumps form a loop in one automaton, as `*` does.
//! A repetition then needs no origin of its own, and a mask walks the loop once for a set of trie nodes.
//!
//! An automaton can jump only within itself. So one rule of a mutually recursive group, the loop header, gets
//! copies of the others, and calls at their ends jump to these copies. All other rules call the header as
//! before, so several rules that begin with it at one position predict it once.

use grammask_normal::graph::{Lists, components};
use grammask_work::narrow;

use crate::CalleeId;
use crate::build::dfa::DfaView;
use crate::build::nfa::Label;

/// Maximum number of rounds. Each round searches for tail recursion that does not pass through known headers.
const MAX_ROUNDS: usize = 4;

/// Sentinel: the rule is not a loop header.
const NO_ROUND: u8 = u8::MAX;

/// Groups of rules that are tail-recursive through each other.
pub(crate) struct TailCalls {
    /// By round and rule, the strongly connected component of tail calls.
    rounds: Vec<Vec<u32>>,
    /// By rule, the round in which it became the header of its component.
    header_in: Vec<u8>,
    /// By rule, its only final state, if it has exactly one.
    only_final: Vec<Option<u32>>,
}

/// The rules whose copies a header's automaton contains: a component of some round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    round: u8,
    component: u32,
}

impl TailCalls {
    /// Finds the headers among all rules. `rule_of` returns the index of a callee's rule.
    ///
    /// # Complexity
    /// Linear in the automata.
    pub(crate) fn new<'a>(
        dfas: impl Iterator<Item = DfaView<'a>> + Clone,
        rule_of: impl Fn(CalleeId) -> Option<usize>,
    ) -> Self {
        let only_final: Vec<_> = dfas.clone().map(only_final_state).collect();
        let mut tail_calls =
            Self { rounds: Vec::new(), header_in: vec![NO_ROUND; only_final.len()], only_final };
        let mut calls = vec![0u32; tail_calls.header_in.len()];
        let mut tails = Vec::new();
        let mut units = Vec::new();
        for (caller, dfa) in dfas.enumerate() {
            let from_start = dfa.edges(0).len();
            for (number, &(label, next)) in dfa.all_edges().iter().enumerate() {
                let Label::Call(callee) = label else { continue };
                let Some(callee) = rule_of(callee) else { continue };
                calls[callee] += 1;
                if tail_calls.is_tail_call(dfa, caller, callee, next) {
                    let pair = (narrow(caller), narrow(callee));
                    tails.push(pair);
                    // State 0 is the start, and its edges come first.
                    units.extend((number < from_start).then_some(pair));
                }
            }
        }
        while tail_calls.rounds.len() < MAX_ROUNDS && !tails.is_empty() {
            tail_calls.find_headers(&mut tails, &units, &calls);
        }
        tail_calls
    }

    /// Runs one round: finds the components, and a header for each component that is a loop. Keeps in `tails`
    /// only the tail calls within components whose callee is not a header.
    fn find_headers(&mut self, tails: &mut Vec<(u32, u32)>, units: &[(u32, u32)], calls: &[u32]) {
        let component = components(&Lists::new(self.header_in.len(), tails));
        let is_within = |&(from, to): &(u32, u32)| component[from as usize] == component[to as usize];
        tails.retain(is_within);
        // A rule that begins with another member, as `cast` with `unary`, predicts it. With that member as
        // the header, all rules share the prediction.
        let mut begins_with_another = vec![false; component.len()];
        for &(from, _) in units.iter().filter(|unit| is_within(unit) && unit.0 != unit.1) {
            begins_with_another[from as usize] = true;
        }
        let mut headers = vec![None; component.len()];
        for &(rule, _) in &*tails {
            let rule = rule as usize;
            let rank = (!begins_with_another[rule], calls[rule], std::cmp::Reverse(rule));
            let header = &mut headers[component[rule] as usize];
            *header = (*header).max(Some(rank));
        }
        #[expect(clippy::cast_possible_truncation, reason = "there are at most MAX_ROUNDS")]
        let round = self.rounds.len() as u8;
        for (_, _, header) in headers.into_iter().flatten() {
            self.header_in[header.0] = round;
        }
        tails.retain(|&(_, to)| self.header_in[to as usize] == NO_ROUND);
        self.rounds.push(component);
    }

    /// Returns the scope of `rule` if it is a header: the rules whose copies its automaton contains.
    pub(crate) fn scope(&self, rule: usize) -> Option<Scope> {
        let round = self.header_in[rule];
        let component = self.rounds.get(usize::from(round))?[rule];
        Some(Scope { round, component })
    }

    /// Returns true if a call is a jump within a scope. `caller` and `callee` are rules, `dfa` is the
    /// automaton of the caller, and `next` its state after the call.
    pub(crate) fn is_jump(
        &self,
        scope: Option<Scope>,
        dfa: DfaView<'_>,
        caller: usize,
        callee: usize,
        next: u32,
    ) -> bool {
        scope.is_some_and(|Scope { round, component }| {
            self.rounds[usize::from(round)][callee] == component
                && self.is_tail_call(dfa, caller, callee, next)
        })
    }

    /// Returns true if replacing a call by a jump preserves the language.
    ///
    /// This holds if nothing can follow the call. It also holds if the caller calls itself and can end only
    /// in `next`, because the continuations after the call are then those of the callee.
    fn is_tail_call(&self, dfa: DfaView<'_>, caller: usize, callee: usize, next: u32) -> bool {
        // A state without edges is final, because the automaton of productions has no dead states.
        dfa.edges(next as usize).is_empty() || (caller == callee && self.only_final[caller] == Some(next))
    }
}

/// Returns the final state of an automaton if it has exactly one.
fn only_final_state(dfa: DfaView<'_>) -> Option<u32> {
    let mut ends = (0..dfa.len()).filter(|&state| dfa.is_final(state));
    let end = ends.next()?;
    ends.next().is_none().then_some(narrow(end))
}

//! Right recursion: rules that call each other at their ends.
//!
//! What is called at the end of a rule tells that rule's own callers when it is complete, so the call is a jump. Where it leads back, as in
//! `unary ::= '-' cast | primary` and `cast ::= '(' type ')' cast | unary`, jumps are a loop in one automaton, and what repeats is read as what `*` repeats: without
//! an origin for each time, and below a set of places in the trie as one walk.
//!
//! An automaton can only jump within itself. So of rules that lead to each other one, the head, gets copies of the others, and all ends that lead to
//! one of them are jumps there. Everywhere else the head is called as before: what begins at one place in several rules is predicted once that way.

use grammask_normal::graph::{Lists, components};

use crate::CalleeId;
use crate::build::automaton::Label;
use crate::build::dfa_arena::View;

/// So often rules are looked for that lead to each other without the heads that are known.
const ROUNDS: usize = 4;

/// Not a head.
const NO_ROUND: u8 = u8::MAX;

/// Which parts lead to each other by calls at their ends.
pub(crate) struct Tails {
    /// For each round, the component of every part.
    rounds: Vec<Vec<u32>>,
    /// For each part the round in which it became the head of its component.
    head_in: Vec<u8>,
    /// For each part the only state in which it may end, if it is one.
    only_ends: Vec<Option<u32>>,
}

/// The parts that stand in the automaton of a head: those of a component in some round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    round: u8,
    component: u32,
}

impl Tails {
    /// Finds the heads among the automata of all parts. `part_of` says which part a callee is, if it is one.
    ///
    /// # Complexity
    /// Linear in the automata.
    pub(crate) fn new<'a>(
        automata: impl Iterator<Item = View<'a>> + Clone,
        part_of: impl Fn(CalleeId) -> Option<usize>,
    ) -> Self {
        let only_ends: Vec<_> = automata.clone().map(only_end).collect();
        let mut tails = Self { rounds: Vec::new(), head_in: vec![NO_ROUND; only_ends.len()], only_ends };
        let mut calls = vec![0u32; tails.head_in.len()];
        let mut ends = Vec::new();
        let mut units = Vec::new();
        for (caller, automaton) in automata.enumerate() {
            let from_start = automaton.edges(0).len();
            for (number, &(label, next)) in automaton.all_edges().iter().enumerate() {
                let Label::Call(callee) = label else { continue };
                let Some(callee) = part_of(callee) else { continue };
                calls[callee] += 1;
                if tails.is_end(automaton, (caller, callee), next) {
                    let pair = (caller as u32, callee as u32);
                    ends.push(pair);
                    // State 0 is the start, and its edges come first.
                    units.extend((number < from_start).then_some(pair));
                }
            }
        }
        while tails.rounds.len() < ROUNDS && !ends.is_empty() {
            tails.look(&mut ends, &units, &calls);
        }
        tails
    }

    /// One round: finds the components, a head for each that is a loop, and leaves the calls that may still be one without the heads.
    fn look(&mut self, ends: &mut Vec<(u32, u32)>, units: &[(u32, u32)], calls: &[u32]) {
        let component = components(&Lists::new(self.head_in.len(), ends));
        let is_within = |&(from, to): &(u32, u32)| component[from as usize] == component[to as usize];
        ends.retain(is_within);
        // Whoever begins with another one of them, as `cast` with `unary`, has that predicted: if that is the head, it is so for all at once.
        let mut begins_with_another = vec![false; component.len()];
        for &(from, _) in units.iter().filter(|unit| is_within(unit) && unit.0 != unit.1) {
            begins_with_another[from as usize] = true;
        }
        let mut heads = vec![None; component.len()];
        for &(part, _) in &*ends {
            let part = part as usize;
            let rank = (!begins_with_another[part], calls[part], std::cmp::Reverse(part));
            let head = &mut heads[component[part] as usize];
            *head = (*head).max(Some(rank));
        }
        for (_, _, head) in heads.into_iter().flatten() {
            self.head_in[head.0] = self.rounds.len() as u8;
        }
        ends.retain(|&(_, to)| self.head_in[to as usize] == NO_ROUND);
        self.rounds.push(component);
    }

    /// What stands in the automaton of a part besides, if it is a head.
    pub(crate) fn scope(&self, part: usize) -> Option<Scope> {
        let round = self.head_in[part];
        let component = self.rounds.get(usize::from(round))?[part];
        Some(Scope { round, component })
    }

    /// Whether a call is a jump within a scope: the caller's, the callee's, and the state of the caller that follows.
    pub(crate) fn is_jump(
        &self,
        scope: Option<Scope>,
        automaton: View<'_>,
        (caller, callee): (usize, usize),
        next: u32,
    ) -> bool {
        scope.is_some_and(|Scope { round, component }| {
            self.rounds[usize::from(round)][callee] == component
                && self.is_end(automaton, (caller, callee), next)
        })
    }

    /// Whether nothing is lost when a call that is followed by a state jumps: nothing more can follow, or all that follows the callee itself does as well, as
    /// that is the caller, and always ends there.
    fn is_end(&self, automaton: View<'_>, (caller, callee): (usize, usize), next: u32) -> bool {
        // A state without edges is final: there are no others in an automaton of productions.
        automaton.edges(next as usize).is_empty()
            || (caller == callee && self.only_ends[caller] == Some(next))
    }
}

/// The only final state, if it is one.
fn only_end(automaton: View<'_>) -> Option<u32> {
    let mut ends = (0..automaton.len()).filter(|&state| automaton.is_final(state));
    let end = ends.next()?;
    ends.next().is_none().then_some(end as u32)
}

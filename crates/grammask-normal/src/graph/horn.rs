//! The least fixpoint of Horn clauses over dense numbers, such as "a nonterminal is nullable if all symbols
//! of one of its productions are".
//!
//! `A ::= B C; B ::= ''; C ::= B;` has the clauses `A ← B ∧ C`, `B ←`, `C ← B`, from which B, C and A follow.
//!
//! # Source
//! W. Dowling, J. Gallier, "Linear-time algorithms for testing the satisfiability of propositional Horn
//! formulae", 1984.

use grammask_work::narrow;

use crate::cancellation::Cancellation;
use crate::graph::Lists;

/// Clauses and facts over the numbers `0..count`.
pub(crate) struct HornClauses {
    /// By number: true if it is known to hold.
    holds: Vec<bool>,
    /// Numbers that hold, and whose consequences are not drawn yet.
    pending: Vec<u32>,
    /// By clause: the conclusion.
    heads: Vec<u32>,
    /// By clause: the number of premises that are not known to hold.
    missing: Vec<u32>,
    /// Pairs of a premise and its clause.
    uses: Vec<(u32, u32)>,
}

impl HornClauses {
    /// Creates an empty set of clauses over `0..count`, with room for `clauses` of them.
    pub fn new(count: usize, clauses: usize) -> Self {
        Self {
            holds: vec![false; count],
            pending: Vec::with_capacity(count),
            heads: Vec::with_capacity(clauses),
            missing: Vec::with_capacity(clauses),
            uses: Vec::with_capacity(2 * clauses),
        }
    }

    /// Adds a number that holds.
    pub fn add_fact(&mut self, number: u32) {
        if !std::mem::replace(&mut self.holds[number as usize], true) {
            self.pending.push(number);
        }
    }

    /// Adds a clause: `head` holds if all of `body` do. An empty body is a fact.
    pub fn add_clause(&mut self, head: u32, body: impl Iterator<Item = u32>) {
        let before = self.uses.len();
        let clause = narrow(self.heads.len());
        self.uses.extend(body.map(|premise| (premise, clause)));
        self.heads.push(head);
        self.missing.push(narrow(self.uses.len() - before));
        if self.uses.len() == before {
            self.add_fact(head);
        }
    }

    /// Returns, for each number, true if it follows. If cancelled, some that follow are false.
    ///
    /// `consequences` is called once for each number that holds. It may append further numbers that hold
    /// then, for conclusions that are not clauses.
    ///
    /// # Complexity
    /// Linear in the size of the clauses.
    pub fn solve(
        mut self,
        mut consequences: impl FnMut(u32, &mut Vec<u32>),
        cancellation: &mut Cancellation<'_>,
    ) -> Vec<bool> {
        if self.pending.is_empty() {
            return self.holds;
        }
        let uses = Lists::new(self.holds.len(), &self.uses);
        let mut derived = Vec::new();
        while let Some(number) = self.pending.pop() {
            if cancellation.poll_after(1) {
                break;
            }
            consequences(number, &mut derived);
            for &clause in uses.of(number as usize) {
                let missing = &mut self.missing[clause as usize];
                *missing -= 1;
                if *missing == 0 {
                    derived.push(self.heads[clause as usize]);
                }
            }
            derived.drain(..).for_each(|number| {
                if !std::mem::replace(&mut self.holds[number as usize], true) {
                    self.pending.push(number);
                }
            });
        }
        self.holds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(
        count: usize,
        clauses: &[(u32, &[u32])],
        consequences: impl FnMut(u32, &mut Vec<u32>),
    ) -> Vec<bool> {
        let mut horn = HornClauses::new(count, clauses.len());
        for &(head, body) in clauses {
            horn.add_clause(head, body.iter().copied());
        }
        horn.solve(consequences, &mut Cancellation::new(&mut || false))
    }

    #[test]
    fn derives_the_least_fixpoint() {
        let clauses: &[(u32, &[u32])] = &[(0, &[1, 2]), (1, &[]), (2, &[1, 1]), (3, &[4]), (4, &[3])];
        assert_eq!(solve(5, clauses, |_, _| {}), [true, true, true, false, false]);
        assert_eq!(solve(2, &[(0, &[1])], |_, _| {}), [false, false]);
    }

    #[test]
    fn draws_consequences_that_are_not_clauses() {
        let holds =
            solve(4, &[(1, &[]), (3, &[2])], |number, derived| derived.extend((number == 1).then_some(2)));
        assert_eq!(holds, [false, true, true, true]);
    }
}

//! Liveness: which nonterminals produce a finite string, which an endless output, and which nothing at all.
//!
//! Of `A ::= 'a' A | 'b'; B ::= 'a' B; C ::= C 'x';`, A produces finite strings and an endless output, B only
//! an endless output, and C nothing. The pass `remove_dead_rules` and
//! [`NormalForm::check`](crate::NormalForm::check) use this.

use grammask_work::narrow;

use crate::cancellation::Cancellation;
use crate::grammar::{Atom, Factor};
use crate::graph::horn::HornClauses;
use crate::graph::{Lists, components};
use crate::unordered::{Satisfiability, Unordered, UnorderedError};

/// The kinds of output of each nonterminal. No symbol may be nullable, and repetitions must be expanded.
///
/// An endless output is an endless leftmost descent N → α M, M → β K, ... Each of the prefixes α, β, ...
/// produces a finite string, and infinitely many of them produce a byte. A descent without bytes (`A ::= A
/// 'x';`) is not an output.
///
/// A descent into an item of `unordered!` counts only if everything around the item can be completed. Its
/// beginning is then the beginning of a finite string too, so the analysis need not follow it.
pub(crate) struct Liveness {
    /// By nonterminal: true if it produces a finite, non-empty string.
    pub finite: Vec<bool>,
    /// By nonterminal: true if it produces an endless output. Empty if every symbol produces a finite string,
    /// as the answer is not needed then.
    endless: Vec<bool>,
}

impl Liveness {
    /// Analyses a grammar. The result is meaningless if the call is cancelled.
    ///
    /// `unordered` has the specification of each nonterminal that is an `unordered!`. `is_empty` returns true
    /// for the terminals that contain no string.
    ///
    /// # Errors
    /// Returns an error if the items of an `unordered!` have too many requirements.
    ///
    /// # Complexity
    /// Linear.
    pub fn new(
        bodies: &[&[Vec<Factor>]],
        unordered: &[Option<&Unordered>],
        is_empty: impl Fn(Atom) -> bool,
        cancellation: &mut Cancellation<'_>,
    ) -> Result<Self, UnorderedError> {
        let finite = finite(bodies, unordered, &is_empty, cancellation)?;
        let is_clean = bodies.iter().zip(&finite).all(|(body, finite)| *finite || body.is_empty())
            && bodies.iter().all(|body| {
                body.iter().all(|production| {
                    production.iter().all(|factor| match factor.atom {
                        Atom::Nonterminal(id) => finite[id.index()],
                        terminal => !is_empty(terminal),
                    })
                })
            });
        let mut liveness = Self { finite, endless: Vec::new() };
        if !is_clean {
            liveness.endless = endless(bodies, unordered, |factor| liveness.is_finite(factor, &is_empty));
        }
        Ok(liveness)
    }

    /// Returns true if every symbol of every production produces a finite string. Endless outputs are unknown
    /// then.
    pub const fn is_clean(&self) -> bool {
        self.endless.is_empty()
    }

    /// Returns true if a symbol produces a finite string.
    pub fn is_finite(&self, factor: &Factor, is_empty: impl Fn(Atom) -> bool) -> bool {
        match factor.atom {
            Atom::Nonterminal(id) => self.finite[id.index()],
            terminal => !is_empty(terminal),
        }
    }

    /// Returns true if a symbol produces an endless output. Always false if [`is_clean`](Self::is_clean).
    pub fn is_endless(&self, factor: &Factor) -> bool {
        match factor.atom {
            Atom::Nonterminal(id) => self.endless.get(id.index()).copied().unwrap_or(false),
            Atom::Terminal(_) => false,
        }
    }
}

/// The use of a nonterminal as an item or as the separator of an `unordered!`.
struct ItemUse {
    /// The nonterminal that is the `unordered!`.
    owner: usize,
    /// Index of its production: an item, or after them the separator.
    part: usize,
}

/// Returns, for each nonterminal, true if it produces a finite string.
fn finite(
    bodies: &[&[Vec<Factor>]],
    unordered: &[Option<&Unordered>],
    is_empty: impl Fn(Atom) -> bool,
    cancellation: &mut Cancellation<'_>,
) -> Result<Vec<bool>, UnorderedError> {
    let mut satisfiability = Vec::with_capacity(unordered.len());
    for unordered in unordered {
        // Few nonterminals have one, and it is large.
        satisfiability.push(unordered.map(Satisfiability::new).transpose()?.map(Box::new));
        if cancellation.poll_after(1) {
            return Ok(vec![false; bodies.len()]);
        }
    }
    let mut item_uses = Vec::new();
    let mut uses_by_nonterminal = Vec::new();
    let mut clauses = HornClauses::new(bodies.len(), bodies.iter().map(|body| body.len()).sum());
    for (left, body) in bodies.iter().enumerate() {
        if cancellation.poll_after(1 + body.len() / 16) {
            return Ok(vec![false; bodies.len()]);
        }
        if satisfiability[left].is_some() {
            for (part, factor) in body.iter().flatten().enumerate() {
                if let Atom::Nonterminal(used) = factor.atom {
                    uses_by_nonterminal.push((used.0, narrow(item_uses.len())));
                    item_uses.push(ItemUse { owner: left, part });
                }
            }
            continue;
        }
        for production in
            body.iter().filter(|production| !production.iter().any(|factor| is_empty(factor.atom)))
        {
            clauses
                .add_clause(narrow(left), production.iter().filter_map(|factor| factor.nonterminal_number()));
        }
    }
    let uses_by_nonterminal = Lists::new(bodies.len(), &uses_by_nonterminal);
    let satisfied = |nonterminal: u32, derived: &mut Vec<u32>| {
        for &number in uses_by_nonterminal.of(nonterminal as usize) {
            let ItemUse { owner, part } = item_uses[number as usize];
            if let Some(satisfiability) = &mut satisfiability[owner] {
                satisfiability.add_productive(part);
                derived.extend(satisfiability.is_satisfiable().then_some(narrow(owner)));
            }
        }
    };
    Ok(clauses.solve(satisfied, cancellation))
}

/// Returns, for each nonterminal, true if it produces an endless output.
fn endless(
    bodies: &[&[Vec<Factor>]],
    unordered: &[Option<&Unordered>],
    is_finite: impl Fn(&Factor) -> bool,
) -> Vec<bool> {
    // The edges of a leftmost descent, and those of them with a byte before the next nonterminal.
    let mut edges = Vec::new();
    let mut guarded = Vec::new();
    for (left, body) in bodies.iter().enumerate().filter(|(left, _)| unordered[*left].is_none()) {
        for production in *body {
            for (place, factor) in production.iter().enumerate() {
                let continues = is_finite(factor);
                if let Atom::Nonterminal(next) = factor.atom {
                    let edge = (narrow(left), next.0);
                    // In a counted repetition, the second occurrence comes after a first one, which has a
                    // byte.
                    let is_repeated = continues && !factor.is_once();
                    edges.push(edge);
                    if place > 0 || is_repeated {
                        guarded.push(edge);
                    }
                }
                if !continues {
                    break;
                }
            }
        }
    }
    let graph = Lists::new(bodies.len(), &edges);
    let component = components(&graph);
    let mut endless = vec![false; bodies.len()];
    for (from, to) in guarded {
        if component[from as usize] == component[to as usize] {
            endless[component[from as usize] as usize] = true;
        }
    }
    // Successors have smaller numbers, so one round in ascending order reaches every predecessor of an
    // endless component.
    let members: Vec<(u32, u32)> = component.iter().zip(0..).map(|(&number, node)| (number, node)).collect();
    let members = Lists::new(bodies.len(), &members);
    for number in 0..bodies.len() {
        endless[number] = endless[number]
            || members.of(number).iter().any(|&node| {
                graph.of(node as usize).iter().any(|&next| endless[component[next as usize] as usize])
            });
    }
    component.iter().map(|&number| endless[number as usize]).collect()
}

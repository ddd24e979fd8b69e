//! `A ::= b* c?;` becomes `A ::= A_1 A_2; A_1 ::= '' | A_1 b; A_2 ::= '' | c;`: `?`, `*`, `+` and bounds as
//! rules.

use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::form::NonterminalId;
use crate::grammar::{Atom, Factor, Grammar};
use crate::passes::Context;

/// Replaces optional and repeated factors by nonterminals. Equal factors share one.
///
/// | factor | becomes |
/// |---|---|
/// | `x?` | `N ::= '' \| x` |
/// | `x*` | `N ::= '' \| N x` |
/// | `x+` | `N ::= x \| N x` |
/// | `x{m,}` | `x{m} x*` |
/// | `x{0,n}` | `N ::= '' \| x{1,n}` |
/// | `x{m,n}` | unchanged: a counter, not n copies |
///
/// Repetition in KBNF is finite, so the rules are left-recursive: a right-recursive rule also has an endless
/// output.
///
/// # Complexity
/// Linear.
pub(crate) fn expand_repetitions(grammar: &mut Grammar, context: &mut Context<'_, '_>) -> Result<(), Error> {
    let mut expansion = Expansion { grammar, replacements: FxHashMap::default() };
    for index in 0..expansion.grammar.variables.len() {
        if context.cancellation.poll_after(1) {
            return Ok(());
        }
        let productions = &expansion.grammar.variables[index].productions;
        if productions.iter().all(|production| production.iter().all(Factor::is_once)) {
            continue;
        }
        let origin = expansion.grammar.variables[index].origin;
        let mut productions = std::mem::take(&mut expansion.grammar.variables[index].productions);
        for production in &mut productions {
            if context.cancellation.poll_after(1) {
                return Ok(());
            }
            if !production.iter().all(Factor::is_once) {
                let mut expanded = Vec::with_capacity(production.len() + 1);
                for factor in production.iter() {
                    expansion.expand(*factor, origin, &mut expanded);
                }
                *production = expanded;
            }
        }
        expansion.grammar.variables[index].productions = productions;
    }
    Ok(())
}

/// State of the pass.
struct Expansion<'a> {
    grammar: &'a mut Grammar,
    /// By factor: the nonterminal that replaces it.
    replacements: FxHashMap<Factor, NonterminalId>,
}

impl Expansion<'_> {
    /// Appends the expansion of a factor to `production`.
    fn expand(&mut self, factor: Factor, origin: NonterminalId, production: &mut Vec<Factor>) {
        let x = Factor::once(factor.atom);
        match (factor.min, factor.max) {
            (_, Some(0)) => {}
            (1, Some(1)) => production.push(x),
            (0, Some(1)) => production.push(self.optional(factor, x, origin)),
            (0, None) => production.push(self.recursive(factor, vec![], x, origin)),
            (1, None) => production.push(self.recursive(factor, vec![x], x, origin)),
            (min, None) => {
                production.push(self.counted(factor.atom, min, min, origin));
                self.expand(Factor { min: 0, ..factor }, origin, production);
            }
            (0, Some(max)) => {
                let counted = self.counted(factor.atom, 1, max, origin);
                production.push(self.optional(factor, counted, origin));
            }
            (min, Some(max)) => production.push(self.counted(factor.atom, min, max, origin)),
        }
    }

    /// Returns `N` with `N ::= '' | x`. `key` is the factor that it replaces.
    fn optional(&mut self, key: Factor, x: Factor, origin: NonterminalId) -> Factor {
        if let Some(&id) = self.replacements.get(&key) {
            return Factor::nonterminal(id);
        }
        let id = self.grammar.add_derived(origin, vec![vec![], vec![x]]);
        self.replacements.insert(key, id);
        Factor::nonterminal(id)
    }

    /// Returns `N` with `N ::= first | N x`. `key` is the factor that it replaces.
    fn recursive(&mut self, key: Factor, first: Vec<Factor>, x: Factor, origin: NonterminalId) -> Factor {
        if let Some(&id) = self.replacements.get(&key) {
            return Factor::nonterminal(id);
        }
        let id = self.grammar.add_derived(origin, vec![first]);
        self.grammar.variable_mut(id).productions.push(vec![Factor::nonterminal(id), x]);
        self.replacements.insert(key, id);
        Factor::nonterminal(id)
    }

    /// Returns `x{min,max}` with `min` ≥ 1 and `max` ≥ 2.
    ///
    /// The counter of a terminal becomes part of the terminal. A special token is not regular, so it gets a
    /// nonterminal.
    fn counted(&mut self, atom: Atom, min: u32, max: u32, origin: NonterminalId) -> Factor {
        let atom = match atom {
            Atom::Nonterminal(_) => atom,
            Atom::Terminal(id) if self.grammar.terminals.get(id).is_special() => {
                let key = Factor::terminal(id);
                let known = self.replacements.get(&key).copied();
                Atom::Nonterminal(known.unwrap_or_else(|| {
                    let wrapper = self.grammar.add_derived(origin, vec![vec![key]]);
                    self.replacements.insert(key, wrapper);
                    wrapper
                }))
            }
            Atom::Terminal(id) => {
                let span = self.grammar.terminals.span(id);
                return Factor::terminal(self.grammar.terminals.repeat(id, min, Some(max), span));
            }
        };
        Factor { atom, min, max: Some(max) }
    }
}

/// Returns true if the postcondition of the pass holds: only counters of nonterminals are left.
pub(crate) fn holds(grammar: &Grammar) -> bool {
    grammar.in_use().flat_map(|(_, variable)| variable.productions.iter().flatten()).all(|factor| {
        factor.is_once()
            || matches!((factor.atom, factor.min, factor.max), (Atom::Nonterminal(_), 1.., Some(2..)))
    })
}

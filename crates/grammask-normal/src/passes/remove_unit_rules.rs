//! `A ::= B; B ::= C;` becomes `A ::= C;`, and `A ::= B+; B ::= C?;` becomes `A ::= C*;`. Cycles of such
//! rules are merged.

use grammask_work::narrow;

use crate::cancellation::Cancellation;
use crate::error::Error;
use crate::form::NonterminalId;
use crate::grammar::terminals::Terminals;
use crate::grammar::{Atom, Factor, Grammar, Variable};
use crate::graph::{Lists, components};
use crate::passes::Context;

/// Printed bytes of a terminal that may be written at each of several uses of its nonterminal. A larger one
/// keeps its nonterminal, so that the grammar does not grow.
const MAX_DUPLICATED_BYTES: usize = 64;

/// Replaces each nonterminal that has one alternative of one factor by that factor, and merges the
/// nonterminals of a cycle of unit rules.
///
/// Repetitions are composed: `(x?)+` becomes `x*`. A large terminal that is used more than once keeps its
/// nonterminal.
///
/// A nonterminal with several alternatives is never inlined, even as the only symbol of an alternative (`A
/// ::= B | 'x';`), because that could make the grammar grow quadratically.
///
/// # Complexity
/// Linear.
pub(crate) fn remove_unit_rules(grammar: &mut Grammar, context: &mut Context<'_, '_>) -> Result<(), Error> {
    let cancellation = &mut *context.cancellation;
    drop_loops(grammar, cancellation);
    let is_merged = merge_cycles(grammar, cancellation);
    super::deduplicate_alternatives::deduplicate(grammar, cancellation);
    if cancellation.is_cancelled() {
        return Ok(());
    }
    if !grammar.variables.iter().any(|variable| unit_factor(variable).is_some()) {
        if is_merged {
            grammar.remove_unreachable(cancellation);
        }
        return Ok(());
    }
    let replacements = replacements(grammar, cancellation);
    if cancellation.is_cancelled() {
        return Ok(());
    }
    let is_itself =
        |(index, factor): (usize, &Factor)| *factor == Factor::nonterminal(NonterminalId(narrow(index)));
    if replacements.iter().enumerate().all(is_itself) {
        if is_merged {
            grammar.remove_unreachable(cancellation);
        }
        return Ok(());
    }
    // The start symbol cannot be replaced: it swaps names with its replacement instead.
    if let Some(id) = replacements[grammar.start.index()].as_nonterminal()
        && id != grammar.start
    {
        let (start, other) = (grammar.start, id);
        let name = grammar.variable_mut(start).name.take();
        let other_name = std::mem::replace(&mut grammar.variable_mut(other).name, name);
        grammar.variable_mut(start).name = other_name;
        grammar.names = None;
        grammar.start = other;
    }
    replace(grammar, &replacements, cancellation);
    grammar.remove_unreachable(cancellation);
    Ok(())
}

/// Returns the factor of a nonterminal that has one alternative of one factor. `None` for other nonterminals.
fn unit_factor(variable: &Variable) -> Option<Factor> {
    match &variable.productions[..] {
        [production] if variable.unordered.is_none() => match production[..] {
            [factor] => Some(factor),
            _ => None,
        },
        _ => None,
    }
}

/// Removes alternatives that are their own left side.
pub(super) fn drop_loops(grammar: &mut Grammar, cancellation: &mut Cancellation<'_>) {
    for (index, variable) in grammar.variables.iter_mut().enumerate() {
        if cancellation.poll_after(1 + variable.productions.len() / 16) {
            return;
        }
        if variable.unordered.is_some() {
            continue;
        }
        let id = NonterminalId(narrow(index));
        let is_itself = |production: &[Factor]| matches!(production, [factor] if factor.atom == Atom::Nonterminal(id) && factor.is_once());
        if variable.productions.iter().any(|production| is_itself(production)) {
            variable.productions.retain(|production| !is_itself(production));
        }
    }
}

/// Returns the repetition of `y` that `outer` of `inner` is, where `inner` is a repetition of `y`. `None` if
/// it is not one, such as `(y{2,3}){2}`.
fn compose(outer: &Factor, inner: &Factor) -> Option<Factor> {
    let is_ebnf = |factor: &Factor| factor.min <= 1 && factor.max.is_none_or(|max| max == 1);
    let (min, max) = if outer.is_once() {
        (inner.min, inner.max)
    } else if inner.is_once() {
        (outer.min, outer.max)
    } else if is_ebnf(outer) && is_ebnf(inner) {
        (outer.min * inner.min, outer.max.and(inner.max))
    } else {
        return None;
    };
    Some(Factor { atom: inner.atom, min, max })
}

/// Returns, for each nonterminal, the factor that replaces it: the factor of its unit rule, or itself.
fn replacements(grammar: &Grammar, cancellation: &mut Cancellation<'_>) -> Vec<Factor> {
    let count = grammar.variables.len();
    let uses = count_uses(grammar, cancellation);
    let mut replacements: Vec<Factor> =
        (0..narrow(count)).map(|index| Factor::nonterminal(NonterminalId(index))).collect();
    let mut is_known = vec![false; count];
    let mut is_on_path = vec![false; count];
    let mut path = Vec::new();
    for root in (0..narrow(count)).map(NonterminalId) {
        if unit_factor(grammar.variable(root)).is_none() {
            continue;
        }
        if cancellation.poll_after(1) {
            break;
        }
        // Follow the chain of unit rules to its end, then compose the replacements on the way back.
        let mut at = root;
        while !is_known[at.index()] && !std::mem::replace(&mut is_on_path[at.index()], true) {
            path.push(at);
            match unit_factor(grammar.variable(at)).map(|factor| factor.atom) {
                Some(Atom::Nonterminal(next)) => at = next,
                _ => break,
            }
        }
        while let Some(id) = path.pop() {
            let index = id.index();
            let replacement = unit_factor(grammar.variable(id)).and_then(|factor| match factor.atom {
                Atom::Terminal(terminal) => {
                    let is_small = grammar.terminals.weight(terminal) <= MAX_DUPLICATED_BYTES;
                    (uses[index] <= 1 || is_small).then_some(factor)
                }
                Atom::Nonterminal(next) if is_known[next.index()] => {
                    Some(compose(&factor, &replacements[next.index()]).unwrap_or(factor))
                }
                // A cycle of unit rules: its members keep themselves.
                Atom::Nonterminal(_) => None,
            });
            if let Some(replacement) = replacement {
                replacements[index] = replacement;
            }
            is_known[index] = true;
        }
    }
    replacements
}

/// Returns, for each nonterminal, the number of its occurrences in productions.
fn count_uses(grammar: &Grammar, cancellation: &mut Cancellation<'_>) -> Vec<u32> {
    let mut uses = vec![0u32; grammar.variables.len()];
    for variable in &grammar.variables {
        if cancellation.poll_after(1 + variable.productions.len() / 16) {
            break;
        }
        variable.each(|factor| {
            if let Atom::Nonterminal(id) = factor.atom {
                uses[id.index()] = uses[id.index()].saturating_add(1);
            }
        });
    }
    uses
}

/// Replaces every factor in the grammar. Removes alternatives that become their own left side.
fn replace(grammar: &mut Grammar, replacements: &[Factor], cancellation: &mut Cancellation<'_>) {
    let terminals = &mut grammar.terminals;
    for variable in &mut grammar.variables {
        let is_unordered = variable.unordered.is_some();
        for production in &mut variable.productions {
            if cancellation.poll_after(1) {
                return;
            }
            for factor in production {
                let Atom::Nonterminal(id) = factor.atom else { continue };
                let replacement = &replacements[id.index()];
                let Some(composed) = compose(factor, replacement) else { continue };
                if is_unordered && composed.as_nonterminal().is_none() {
                    continue;
                }
                if let Some(composed) = with_terminal_counter(terminals, composed, replacement) {
                    *factor = composed;
                }
            }
        }
    }
    drop_loops(grammar, cancellation);
}

/// Moves the counter of a counted terminal into the terminal. Other factors stay as they are.
///
/// Returns `None` if the factor must not be replaced: a special token cannot be counted, and a counter of a
/// counter would change its meaning.
fn with_terminal_counter(terminals: &mut Terminals, factor: Factor, replacement: &Factor) -> Option<Factor> {
    match factor.atom {
        Atom::Terminal(terminal) if factor.max.is_some_and(|max| max > 1) || factor.min > 1 => {
            if !replacement.is_once() || terminals.get(terminal).is_special() {
                return None;
            }
            let span = terminals.span(terminal);
            Some(Factor::terminal(terminals.repeat(terminal, factor.min, factor.max, span)))
        }
        _ => Some(factor),
    }
}

/// Returns the nonterminal of a production that is a unit rule. Returns `None` for other productions.
fn unit_target(variable: &Variable, production: &[Factor]) -> Option<NonterminalId> {
    match production {
        [factor] if variable.unordered.is_none() => factor.as_nonterminal(),
        _ => None,
    }
}

/// Returns true if unit rules form a cycle. Most grammars have none, which one depth-first search finds out.
fn has_cycles(grammar: &Grammar, cancellation: &mut Cancellation<'_>) -> bool {
    let mut is_done = vec![false; grammar.variables.len()];
    let mut is_on_path = vec![false; grammar.variables.len()];
    // Nonterminals, each with the number of its productions that were visited.
    let mut path: Vec<(NonterminalId, usize)> = Vec::new();
    for root in 0..grammar.variables.len() {
        if !is_done[root] {
            path.push((NonterminalId(narrow(root)), 0));
            is_on_path[root] = true;
        }
        while let Some((id, place)) = path.last_mut() {
            if cancellation.poll_after(1) {
                return false;
            }
            let id = *id;
            let variable = grammar.variable(id);
            let Some(production) = variable.productions.get(*place) else {
                is_done[id.index()] = true;
                is_on_path[id.index()] = false;
                path.pop();
                continue;
            };
            *place += 1;
            match unit_target(variable, production) {
                Some(next) if next == id || is_done[next.index()] => {}
                Some(next) if std::mem::replace(&mut is_on_path[next.index()], true) => return true,
                Some(next) => path.push((next, 0)),
                None => {}
            }
        }
    }
    false
}

/// Merges the nonterminals of each cycle of unit rules: `A ::= B | 'a'; B ::= A | 'b';` becomes `A ::= 'a' |
/// 'b';`.
///
/// Returns true if there was a cycle.
fn merge_cycles(grammar: &mut Grammar, cancellation: &mut Cancellation<'_>) -> bool {
    if !has_cycles(grammar, cancellation) {
        return false;
    }
    let mut edges = Vec::new();
    for (id, variable) in grammar.in_use() {
        edges.extend(variable.productions.iter().filter_map(|production| {
            let next = unit_target(variable, production).filter(|next| *next != id)?;
            Some((id.0, next.0))
        }));
    }
    let count = grammar.variables.len();
    let component = components(&Lists::new(count, &edges));
    // By component: the member that is kept, which is the start symbol or the first.
    let mut kept: Vec<u32> = vec![u32::MAX; count];
    kept[component[grammar.start.index()] as usize] = grammar.start.0;
    let mut is_cyclic = false;
    for index in 0..count {
        let place = &mut kept[component[index] as usize];
        if *place == u32::MAX {
            *place = narrow(index);
        } else {
            is_cyclic |= *place != narrow(index);
        }
    }
    if !is_cyclic {
        return false;
    }
    let keeper = |id: NonterminalId| NonterminalId(kept[component[id.index()] as usize]);
    let mut merged: Vec<Vec<Vec<Factor>>> = vec![Vec::new(); count];
    for (index, variable) in grammar.variables.iter_mut().enumerate() {
        let keeper_of_left = keeper(NonterminalId(narrow(index)));
        for mut production in std::mem::take(&mut variable.productions) {
            for factor in &mut production {
                if let Atom::Nonterminal(id) = &mut factor.atom {
                    *id = keeper(*id);
                }
            }
            if variable.unordered.is_some() || production[..] != [Factor::nonterminal(keeper_of_left)] {
                merged[keeper_of_left.index()].push(production);
            }
        }
    }
    for (variable, productions) in grammar.variables.iter_mut().zip(merged) {
        variable.productions = productions;
    }
    true
}

/// Returns true if the postcondition of the pass holds: only the start symbol has a nonterminal as its only
/// alternative, and unit rules form no cycle.
pub(crate) fn holds(grammar: &Grammar) -> bool {
    let mut edges = Vec::new();
    for (id, variable) in grammar.in_use().filter(|(_, variable)| variable.unordered.is_none()) {
        for production in &variable.productions {
            if let [factor] = production[..]
                && let Some(next) = factor.as_nonterminal()
            {
                let is_alias = variable.productions.len() == 1 && id != grammar.start;
                let is_itself = next == id;
                if is_alias || is_itself {
                    return false;
                }
                edges.push((id.0, next.0));
            }
        }
    }
    let component = components(&Lists::new(grammar.variables.len(), &edges));
    edges.iter().all(|&(from, to)| component[from as usize] != component[to as usize])
}

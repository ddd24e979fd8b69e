//! `A ::= B; B ::= C;` becomes `A ::= C;`, and `A ::= B+; B ::= C?;` becomes `A ::= C*;`. Cycles of such rules vanish.

use crate::cancellation::Stop;
use crate::error::Error;
use crate::form::{NonterminalId, Terminal};
use crate::grammar::{Atom, Factor, Grammar, Variable};
use crate::graph::{Lists, components};
use crate::passes::Context;

/// A terminal that is written in several places in stead of its nonterminal is at most so large.
const SMALL: usize = 64;

/// Puts what a nonterminal with one alternative of one factor stands for in its place everywhere, and makes one nonterminal of those
/// that produce each other alone.
///
/// What `+`, `*` and `?` mean is kept: `(x?)+` is `x*`. A large terminal keeps its name if it is used more than once, so that a
/// grammar does not grow.
///
/// Nonterminals with several alternatives stay, also where they are alone in an alternative (`A ::= B | 'x';`): to write
/// their alternatives in place would make grammars grow quadratically.
///
/// # Complexity
/// Linear.
pub(crate) fn remove_unit_rules(grammar: &mut Grammar, context: &mut Context<'_>) -> Result<(), Error> {
    let stop = &mut *context.stop;
    drop_loops(grammar, stop);
    let is_merged = merge_cycles(grammar, stop);
    super::deduplicate_alternatives::deduplicate(grammar, stop);
    if stop.is_stopped() {
        return Ok(());
    }
    if !grammar.variables.iter().any(is_single) {
        if is_merged {
            grammar.sweep(stop);
        }
        return Ok(());
    }
    let values = values(grammar, stop);
    if stop.is_stopped() {
        return Ok(());
    }
    let is_itself =
        |(index, value): (usize, &Factor)| *value == Factor::nonterminal(NonterminalId(index as u32));
    if values.iter().enumerate().all(is_itself) {
        if is_merged {
            grammar.sweep(stop);
        }
        return Ok(());
    }
    // The start symbol has no place where it could be replaced: it takes the place of what it stands for.
    if let Some(id) = values[grammar.start.index()].as_nonterminal()
        && id != grammar.start
    {
        let (start, other) = (grammar.start, id);
        let name = grammar.variable_mut(start).name.take();
        let other_name = std::mem::replace(&mut grammar.variable_mut(other).name, name);
        grammar.variable_mut(start).name = other_name;
        grammar.names = None;
        grammar.start = other;
    }
    replace(grammar, &values, stop);
    grammar.sweep(stop);
    Ok(())
}

/// Whether there is one alternative of one factor.
fn is_single(variable: &Variable) -> bool {
    variable.unordered.is_none() && matches!(&variable.productions[..], [production] if production.len() == 1)
}

/// An alternative that is its own left side adds nothing.
pub(super) fn drop_loops(grammar: &mut Grammar, stop: &mut Stop<'_>) {
    for (index, variable) in grammar.variables.iter_mut().enumerate() {
        if stop.after(1 + variable.productions.len() / 16) {
            return;
        }
        if variable.unordered.is_some() {
            continue;
        }
        let id = NonterminalId(index as u32);
        let is_itself = |production: &[Factor]| matches!(production, [factor] if factor.atom == Atom::Nonterminal(id) && factor.is_once());
        if variable.productions.iter().any(|production| is_itself(production)) {
            variable.productions.retain(|production| !is_itself(production));
        }
    }
}

/// `x{min,max}` where x is `y{..}`, if that is a repetition of y again.
fn compose(outer: &Factor, inner: &Factor) -> Option<Factor> {
    let simple = |factor: &Factor| factor.min <= 1 && factor.max.is_none_or(|max| max == 1);
    let (min, max) = if outer.is_once() {
        (inner.min, inner.max)
    } else if inner.is_once() {
        (outer.min, outer.max)
    } else if simple(outer) && simple(inner) {
        (outer.min * inner.min, outer.max.and(inner.max))
    } else {
        return None;
    };
    Some(Factor { atom: inner.atom, min, max })
}

/// What every nonterminal stands for: itself, or a factor in its place.
fn values(grammar: &Grammar, stop: &mut Stop<'_>) -> Vec<Factor> {
    let count = grammar.variables.len();
    let mut uses = vec![0u32; count];
    for variable in &grammar.variables {
        if stop.after(1 + variable.productions.len() / 16) {
            break;
        }
        variable.each(|factor| {
            if let Atom::Nonterminal(id) = factor.atom {
                uses[id.index()] = uses[id.index()].saturating_add(1);
            }
        });
    }
    let single = |id: NonterminalId| match &grammar.variable(id).productions[..] {
        [production] if grammar.variable(id).unordered.is_none() => match production[..] {
            [factor] => Some(factor),
            _ => None,
        },
        _ => None,
    };
    let mut values: Vec<Factor> =
        (0..count).map(|index| Factor::nonterminal(NonterminalId(index as u32))).collect();
    let mut known = vec![false; count];
    let mut on_path = vec![false; count];
    let mut path = Vec::new();
    let roots = (0..).map(NonterminalId).zip(&grammar.variables).filter(|(_, variable)| is_single(variable));
    for (mut at, _) in roots {
        if stop.after(1) {
            break;
        }
        while !known[at.index()] && !std::mem::replace(&mut on_path[at.index()], true) {
            path.push(at);
            match single(at).map(|factor| factor.atom) {
                Some(Atom::Nonterminal(next)) => at = next,
                _ => break,
            }
        }
        while let Some(id) = path.pop() {
            let index = id.index();
            if let Some(factor) = single(id) {
                match factor.atom {
                    Atom::Terminal(terminal) => {
                        if uses[index] <= 1 || grammar.terminals.weight(terminal) <= SMALL {
                            values[index] = factor;
                        }
                    }
                    // Not known yet: a cycle, which stands for nothing but itself.
                    Atom::Nonterminal(next) if known[next.index()] => {
                        values[index] = compose(&factor, &values[next.index()]).unwrap_or(factor);
                    }
                    Atom::Nonterminal(_) => {}
                }
            }
            known[index] = true;
        }
    }
    values
}

/// Writes the values in place. An alternative that has become its own left side goes.
fn replace(grammar: &mut Grammar, values: &[Factor], stop: &mut Stop<'_>) {
    let terminals = &mut grammar.terminals;
    for variable in &mut grammar.variables {
        for production in &mut variable.productions {
            if stop.after(1) {
                return;
            }
            for factor in production {
                let Atom::Nonterminal(id) = factor.atom else { continue };
                let Some(value) = compose(factor, &values[id.index()]) else { continue };
                if variable.unordered.is_some() && value.as_nonterminal().is_none() {
                    continue;
                }
                match value.atom {
                    // A counter on a terminal belongs to the terminal.
                    Atom::Terminal(terminal) if value.max.is_some_and(|max| max > 1) || value.min > 1 => {
                        let grows = values[id.index()].is_once()
                            && !matches!(
                                terminals.get(terminal),
                                Terminal::SpecialId(_) | Terminal::SpecialName(_)
                            );
                        if grows {
                            let span = terminals.span(terminal);
                            let counted = terminals.repeat(terminal, value.min, value.max, span);
                            *factor = Factor::terminal(counted);
                        }
                    }
                    _ => *factor = value,
                }
            }
        }
    }
    drop_loops(grammar, stop);
}

/// The nonterminal that is all of a production.
fn produced_alone(variable: &Variable, production: &[Factor]) -> Option<NonterminalId> {
    match production {
        [factor] if variable.unordered.is_none() => factor.as_nonterminal(),
        _ => None,
    }
}

/// Whether there are nonterminals that produce each other alone. Mostly there are none, and this is found out in one walk.
fn has_cycles(grammar: &Grammar, stop: &mut Stop<'_>) -> bool {
    let mut is_done = vec![false; grammar.variables.len()];
    let mut on_path = vec![false; grammar.variables.len()];
    // Nonterminals, and how many of their productions have been looked at.
    let mut path: Vec<(NonterminalId, usize)> = Vec::new();
    for root in 0..grammar.variables.len() {
        if !is_done[root] {
            path.push((NonterminalId(root as u32), 0));
            on_path[root] = true;
        }
        while let Some((id, place)) = path.last_mut() {
            if stop.after(1) {
                return false;
            }
            let id = *id;
            let variable = grammar.variable(id);
            let Some(production) = variable.productions.get(*place) else {
                is_done[id.index()] = true;
                on_path[id.index()] = false;
                path.pop();
                continue;
            };
            *place += 1;
            match produced_alone(variable, production) {
                Some(next) if next == id || is_done[next.index()] => {}
                Some(next) if std::mem::replace(&mut on_path[next.index()], true) => return true,
                Some(next) => path.push((next, 0)),
                None => {}
            }
        }
    }
    false
}

/// Makes one nonterminal of those that produce each other alone: `A ::= B | 'a'; B ::= A | 'b';` is `A ::= 'a' | 'b';`.
///
/// Says whether there were any.
fn merge_cycles(grammar: &mut Grammar, stop: &mut Stop<'_>) -> bool {
    if !has_cycles(grammar, stop) {
        return false;
    }
    let mut edges = Vec::new();
    for (id, variable) in grammar.in_use() {
        edges.extend(variable.productions.iter().filter_map(|production| {
            let next = produced_alone(variable, production).filter(|next| *next != id)?;
            Some((id.0, next.0))
        }));
    }
    let count = grammar.variables.len();
    let component = components(&Lists::new(count, &edges));
    // The member of a component that stays: the start symbol, or the first.
    let mut kept: Vec<u32> = vec![u32::MAX; count];
    kept[component[grammar.start.index()] as usize] = grammar.start.0;
    let mut is_cyclic = false;
    for index in 0..count {
        let place = &mut kept[component[index] as usize];
        if *place == u32::MAX {
            *place = index as u32;
        } else {
            is_cyclic |= *place != index as u32;
        }
    }
    if !is_cyclic {
        return false;
    }
    let keeper = |id: NonterminalId| NonterminalId(kept[component[id.index()] as usize]);
    let mut merged: Vec<Vec<Vec<Factor>>> = vec![Vec::new(); count];
    for (index, variable) in grammar.variables.iter_mut().enumerate() {
        let keeper_of_left = keeper(NonterminalId(index as u32));
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

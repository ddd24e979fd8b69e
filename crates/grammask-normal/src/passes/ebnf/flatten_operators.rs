//! `'a' ('b' ('c' | ('d' | 'e')))` becomes `'a' 'b' ('c' | 'd' | 'e')`: as flat as precedence allows.

use std::vec::IntoIter;

use crate::error::Error;
use crate::form::NonterminalId;
use crate::grammar::{Factor, Grammar};
use crate::passes::Context;

/// Inlines a sequence in a sequence, and a choice that is an alternative of a choice.
///
/// # Complexity
/// Linear: each factor is moved once, from its innermost group to its final place.
pub(crate) fn flatten_operators(grammar: &mut Grammar, context: &mut Context<'_, '_>) -> Result<(), Error> {
    if !grammar.has_groups {
        return Ok(());
    }
    let mut pending: Vec<NonterminalId> =
        grammar.in_use().filter(|(_, variable)| variable.name.is_some()).map(|(id, _)| id).collect();
    while let Some(id) = pending.pop() {
        if context.cancellation.poll_after(1) {
            return Ok(());
        }
        let variable = grammar.variable(id);
        let productions = &variable.productions;
        if variable.unordered.is_some() || productions.iter().all(|production| is_flat(grammar, production)) {
            pending.extend(productions.iter().flatten().filter_map(|factor| grammar.as_group(factor.atom)));
            continue;
        }
        let mut flat = Vec::with_capacity(productions.len());
        // The choices being inlined, the innermost on top.
        let mut stack: Vec<IntoIter<Vec<Factor>>> =
            vec![std::mem::take(&mut grammar.variable_mut(id).productions).into_iter()];
        while let Some(top) = stack.last_mut() {
            let Some(production) = top.next() else {
                stack.pop();
                continue;
            };
            if context.cancellation.poll_after(1) {
                return Ok(());
            }
            let production = flatten_sequence(grammar, production);
            if let Some(group) = as_choice(grammar, &production) {
                stack.push(take(grammar, group).into_iter());
                continue;
            }
            pending.extend(production.iter().filter_map(|factor| grammar.as_group(factor.atom)));
            flat.push(production);
        }
        grammar.variable_mut(id).productions = flat;
    }
    Ok(())
}

/// Takes the alternatives of a group, which is no longer in use.
fn take(grammar: &mut Grammar, group: NonterminalId) -> Vec<Vec<Factor>> {
    let variable = grammar.variable_mut(group);
    variable.in_use = false;
    std::mem::take(&mut variable.productions)
}

/// Returns true if no group in the production can be inlined: it is not a choice, and no factor is a
/// sequence.
fn is_flat(grammar: &Grammar, production: &[Factor]) -> bool {
    as_choice(grammar, production).is_none()
        && !production.iter().any(|factor| as_sequence(grammar, factor).is_some())
}

/// Returns the group that is the only factor of an alternative.
fn as_choice(grammar: &Grammar, production: &[Factor]) -> Option<NonterminalId> {
    match production {
        [factor] if factor.is_once() => grammar.as_plain_group(factor.atom),
        _ => None,
    }
}

/// Returns the group with one alternative that a factor is.
fn as_sequence(grammar: &Grammar, factor: &Factor) -> Option<NonterminalId> {
    let group = grammar.as_plain_group(factor.atom).filter(|_| factor.is_once())?;
    (grammar.variable(group).productions.len() == 1).then_some(group)
}

/// Inlines the sequences in a production.
fn flatten_sequence(grammar: &mut Grammar, production: Vec<Factor>) -> Vec<Factor> {
    if !production.iter().any(|factor| as_sequence(grammar, factor).is_some()) {
        return production;
    }
    let mut flat = Vec::new();
    let mut stack = vec![production.into_iter()];
    while let Some(top) = stack.last_mut() {
        match top.next() {
            None => {
                stack.pop();
            }
            Some(factor) => match as_sequence(grammar, &factor) {
                Some(group) => stack.push(take(grammar, group).pop().unwrap_or_default().into_iter()),
                None => flat.push(factor),
            },
        }
    }
    flat
}

/// Returns true if the postcondition of the pass holds: no group can be inlined.
pub(crate) fn holds(grammar: &Grammar) -> bool {
    grammar
        .in_use()
        .filter(|(_, variable)| variable.unordered.is_none())
        .flat_map(|(_, variable)| &variable.productions)
        .all(|production| is_flat(grammar, production))
}

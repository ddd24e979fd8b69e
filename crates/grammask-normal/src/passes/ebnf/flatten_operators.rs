//! `'a' ('b' ('c' | ('d' | 'e')))` becomes `'a' 'b' ('c' | 'd' | 'e')`: trees as flat as precedence allows.

use std::vec::IntoIter;

use crate::error::Error;
use crate::form::NonterminalId;
use crate::grammar::{Factor, Grammar};
use crate::passes::Context;

/// Puts a sequence that is part of a sequence, and a choice that is an alternative of a choice, in its place.
///
/// # Complexity
/// Linear: each factor is moved once, from wherever it stands to the place where it stays.
pub(crate) fn flatten_operators(grammar: &mut Grammar, context: &mut Context<'_>) -> Result<(), Error> {
    if !grammar.has_groups {
        return Ok(());
    }
    let mut pending: Vec<NonterminalId> =
        grammar.in_use().filter(|(_, variable)| variable.name.is_some()).map(|(id, _)| id).collect();
    while let Some(id) = pending.pop() {
        if context.stop.after(1) {
            return Ok(());
        }
        let variable = grammar.variable(id);
        let productions = &variable.productions;
        if variable.unordered.is_some() || productions.iter().all(|production| is_flat(grammar, production)) {
            pending.extend(productions.iter().flatten().filter_map(|factor| grammar.is_group(factor.atom)));
            continue;
        }
        let mut flat = Vec::with_capacity(productions.len());
        // The choices that are being taken apart, the innermost on top.
        let mut stack: Vec<IntoIter<Vec<Factor>>> =
            vec![std::mem::take(&mut grammar.variable_mut(id).productions).into_iter()];
        while let Some(top) = stack.last_mut() {
            let Some(production) = top.next() else {
                stack.pop();
                continue;
            };
            if context.stop.after(1) {
                return Ok(());
            }
            let production = flatten_sequence(grammar, production);
            if let Some(group) = is_choice(grammar, &production) {
                stack.push(take(grammar, group).into_iter());
                continue;
            }
            pending.extend(production.iter().filter_map(|factor| grammar.is_group(factor.atom)));
            flat.push(production);
        }
        grammar.variable_mut(id).productions = flat;
    }
    Ok(())
}

/// The alternatives of a group that is dissolved.
fn take(grammar: &mut Grammar, group: NonterminalId) -> Vec<Vec<Factor>> {
    let variable = grammar.variable_mut(group);
    variable.in_use = false;
    std::mem::take(&mut variable.productions)
}

fn is_flat(grammar: &Grammar, production: &[Factor]) -> bool {
    is_choice(grammar, production).is_none()
        && !production.iter().any(|factor| is_sequence(grammar, factor).is_some())
}

/// The group that is alone in an alternative.
fn is_choice(grammar: &Grammar, production: &[Factor]) -> Option<NonterminalId> {
    match production {
        [factor] if factor.is_once() => grammar.is_plain_group(factor.atom),
        _ => None,
    }
}

/// The group that stands for a sequence.
fn is_sequence(grammar: &Grammar, factor: &Factor) -> Option<NonterminalId> {
    let group = grammar.is_plain_group(factor.atom).filter(|_| factor.is_once())?;
    (grammar.variable(group).productions.len() == 1).then_some(group)
}

fn flatten_sequence(grammar: &mut Grammar, production: Vec<Factor>) -> Vec<Factor> {
    if !production.iter().any(|factor| is_sequence(grammar, factor).is_some()) {
        return production;
    }
    let mut flat = Vec::new();
    let mut stack = vec![production.into_iter()];
    while let Some(top) = stack.last_mut() {
        match top.next() {
            None => {
                stack.pop();
            }
            Some(factor) => match is_sequence(grammar, &factor) {
                Some(group) => stack.push(take(grammar, group).pop().unwrap_or_default().into_iter()),
                None => flat.push(factor),
            },
        }
    }
    flat
}

pub(crate) fn holds(grammar: &Grammar) -> bool {
    grammar
        .in_use()
        .filter(|(_, variable)| variable.unordered.is_none())
        .flat_map(|(_, variable)| &variable.productions)
        .all(|production| is_flat(grammar, production))
}

//! `A ::= ('a' | 'b') 'c'*;` becomes `A ::= A_1 'c'*; A_1 ::= 'a' | 'b';`: groups get names.

use grammask_work::narrow;

use crate::error::Error;
use crate::form::NonterminalId;
use crate::grammar::Grammar;
use crate::passes::Context;

/// Gives every group a name derived from that of its rule, in the order of the text.
///
/// # Complexity
/// Linear.
pub(crate) fn flatten_nested_rules(
    grammar: &mut Grammar,
    context: &mut Context<'_, '_>,
) -> Result<(), Error> {
    if !grammar.has_groups {
        return Ok(());
    }
    let mut stack = Vec::new();
    for root in 0..grammar.variables.len() {
        if grammar.variables[root].name.is_none() || !grammar.variables[root].in_use {
            continue;
        }
        let root = NonterminalId(narrow(root));
        stack.push(root);
        while let Some(id) = stack.pop() {
            if context.cancellation.poll_after(1) {
                return Ok(());
            }
            if grammar.variable(id).name.is_none() {
                let name = grammar.derived_name(root, id);
                let serial = grammar.variable(root).derived;
                let variable = grammar.variable_mut(id);
                variable.serial = serial;
                variable.name = Some(name.into());
                variable.origin = root;
            }
            let factors =
                grammar.variable(id).productions.iter().rev().flat_map(|production| production.iter().rev());
            stack.extend(factors.filter_map(|factor| grammar.as_group(factor.atom)));
        }
    }
    // Groups without a name were inlined before, and are not in use.
    grammar.has_groups = false;
    Ok(())
}

/// Returns true if the postcondition of the pass holds: every nonterminal has a name.
pub(crate) fn holds(grammar: &Grammar) -> bool {
    !grammar.has_groups && grammar.in_use().all(|(_, variable)| variable.name.is_some())
}

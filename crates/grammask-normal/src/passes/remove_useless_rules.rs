//! Rules that nobody reaches go, and alternatives that only lead back to themselves (`S ::= S;`).

use crate::cancellation::Stop;
use crate::error::Error;
use crate::grammar::{Factor, Grammar};
use crate::passes::Context;

/// Removes what the start symbol does not reach, and alternatives that are their own left side.
///
/// # Complexity
/// Linear.
pub(crate) fn remove_useless_rules(grammar: &mut Grammar, context: &mut Context<'_>) -> Result<(), Error> {
    super::remove_unit_rules::drop_loops(grammar, context.stop);
    grammar.sweep(context.stop);
    Ok(())
}

pub(crate) fn holds(grammar: &Grammar) -> bool {
    let mut swept = grammar.clone();
    swept.sweep(&mut Stop::new(&mut || false));
    swept.in_use().count() == grammar.in_use().count()
        && grammar.in_use().all(|(id, variable)| {
            variable.unordered.is_some() || !variable.productions.contains(&vec![Factor::nonterminal(id)])
        })
}

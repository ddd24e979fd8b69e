//! `A ::= 'a'; A ::= 'b';` becomes `A ::= 'a' | 'b';`.

use crate::error::Error;
use crate::grammar::Grammar;
use crate::passes::Context;

/// Puts the rules with the same left side together. Alternatives keep the order of the text.
///
/// # Complexity
/// Constant: the alternatives of a nonterminal stand together anyway, and only forget which rule each came from.
pub(crate) fn group_rules(grammar: &mut Grammar, _: &mut Context<'_>) -> Result<(), Error> {
    grammar.rules.clear();
    Ok(())
}

pub(crate) fn holds(grammar: &Grammar) -> bool {
    grammar.rules.is_empty()
}

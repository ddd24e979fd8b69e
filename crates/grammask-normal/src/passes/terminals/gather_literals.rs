//! Alternatives that are single texts become one terminal, so that one automaton recognizes them.
//!
//! `A ::= 'a' | 'b' | ...;` with more than 16 texts becomes `A ::= T;`, where `T` is one terminal that prints
//! as the texts.

use crate::error::Error;
use crate::form::{Terminal, TerminalId};
use crate::grammar::{Factor, Grammar};
use crate::passes::Context;

/// Number of alternative texts that stay separate terminals. Beyond it, one automaton for all is smaller and
/// faster.
const MAX_SEPARATE_TEXTS: usize = 16;

/// Merges the alternatives of a nonterminal that are single texts into one terminal, if there are more than
/// 16.
///
/// # Complexity
/// Linear.
pub(crate) fn gather_literals(grammar: &mut Grammar, context: &mut Context<'_, '_>) -> Result<(), Error> {
    let terminals = &mut grammar.terminals;
    for variable in &mut grammar.variables {
        if context.cancellation.poll_after(1 + variable.productions.len()) {
            return Ok(());
        }
        if variable.productions.len() <= MAX_SEPARATE_TEXTS {
            continue;
        }
        let text = |production: &Vec<Factor>| match production[..] {
            [factor] => factor
                .as_terminal()
                .filter(|&id| matches!(terminals.get(id), Terminal::Text(text) if !text.is_empty())),
            _ => None,
        };
        let texts: Vec<TerminalId> = variable.productions.iter().filter_map(text).collect();
        if texts.len() <= MAX_SEPARATE_TEXTS {
            continue;
        }
        let first = variable.productions.iter().position(|production| text(production).is_some());
        let mut place = 0;
        variable.productions.retain(|production| {
            place += 1;
            Some(place - 1) == first || text(production).is_none()
        });
        let span = terminals.span(texts[0]);
        let gathered = terminals.intern(Terminal::Alternatives(texts.into()), span);
        if let Some(first) = first {
            variable.productions[first] = vec![Factor::terminal(gathered)];
        }
    }
    Ok(())
}

/// Returns true if the postcondition of the pass holds: no nonterminal has more than [`MAX_SEPARATE_TEXTS`]
/// texts as alternatives.
pub(crate) fn holds(grammar: &Grammar) -> bool {
    let is_text = |production: &&Vec<Factor>| match production[..] {
        [factor] => factor
            .as_terminal()
            .is_some_and(|id| matches!(grammar.terminals.get(id), Terminal::Text(text) if !text.is_empty())),
        _ => false,
    };
    grammar
        .in_use()
        .all(|(_, variable)| variable.productions.iter().filter(is_text).count() <= MAX_SEPARATE_TEXTS)
}

//! Many texts that are alternatives of each other become one regular part, so that they run as one automaton.

use crate::error::Error;
use crate::form::{Terminal, TerminalId};
use crate::grammar::{Factor, Grammar};
use crate::passes::Context;

/// More texts than this are gathered.
const FEW: usize = 16;

/// Replaces the alternatives of a nonterminal that are single texts, if they are more than sixteen, by one terminal. It prints
/// as the texts did.
///
/// # Complexity
/// Linear.
pub(crate) fn gather_literals(grammar: &mut Grammar, context: &mut Context<'_>) -> Result<(), Error> {
    let terminals = &mut grammar.terminals;
    for variable in &mut grammar.variables {
        if context.stop.after(1 + variable.productions.len()) {
            return Ok(());
        }
        if variable.productions.len() <= FEW {
            continue;
        }
        let text = |production: &Vec<Factor>| match production[..] {
            [factor] => factor
                .as_terminal()
                .filter(|&id| matches!(terminals.get(id), Terminal::Text(text) if !text.is_empty())),
            _ => None,
        };
        let texts: Vec<TerminalId> = variable.productions.iter().filter_map(text).collect();
        if texts.len() <= FEW {
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

pub(crate) fn holds(grammar: &Grammar) -> bool {
    let is_text = |production: &&Vec<Factor>| match production[..] {
        [factor] => factor
            .as_terminal()
            .is_some_and(|id| matches!(grammar.terminals.get(id), Terminal::Text(text) if !text.is_empty())),
        _ => false,
    };
    grammar.in_use().all(|(_, variable)| variable.productions.iter().filter(is_text).count() <= FEW)
}

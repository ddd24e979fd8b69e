//! `'a' 'b'` becomes `'ab'`, `'"' json!(x) '"'` becomes one terminal, and `''` is removed from sequences.
//! Operands of `&`, `~` and counted repetitions are included.

use grammask_work::narrow;

use crate::error::Error;
use crate::form::{Terminal, TerminalId};
use crate::grammar::terminals::{HAS_ADJACENT_TEXTS, IS_EMPTY_TEXT, IS_JSON, IS_TEXT, StringKind, Terminals};
use crate::grammar::{Atom, Factor, Grammar};
use crate::passes::Context;

/// Joins adjacent texts, in productions and inside terminals. An alternative `''` becomes one without
/// symbols.
///
/// # Complexity
/// Linear in the number of symbols and the length of the texts.
pub(crate) fn merge_consecutive_terminals(
    grammar: &mut Grammar,
    context: &mut Context<'_, '_>,
) -> Result<(), Error> {
    let terminals = &mut grammar.terminals;
    let merged = merge_inside(terminals);
    if context.cancellation.is_cancelled() {
        return Ok(());
    }
    let mut scratch = Vec::new();
    for variable in &mut grammar.variables {
        for production in &mut variable.productions {
            if context.cancellation.poll_after(1) {
                return Ok(());
            }
            if let Some(merged) = &merged {
                for factor in production.iter_mut() {
                    if let Atom::Terminal(id) = &mut factor.atom {
                        *id = merged[id.index()];
                    }
                }
            }
            let flags = scan(terminals, production);
            if flags & IS_EMPTY_TEXT != 0 {
                production.retain(|factor| !is_empty(terminals, factor));
            }
            // A spelling that is quoted already keeps its quotes: those around it are other texts.
            if flags & IS_JSON != 0 {
                quote_spellings(terminals, production, &mut scratch);
            }
            if flags != 0 && scan(terminals, production) & HAS_ADJACENT_TEXTS != 0 {
                merge(terminals, production, &mut scratch);
            }
        }
    }
    Ok(())
}

/// Returns flags of a production: it contains an empty text, a `json!(x)` without quotes, or two adjacent
/// texts.
fn scan(terminals: &Terminals, production: &[Factor]) -> u8 {
    let mut flags = 0;
    let mut was_text = false;
    for factor in production {
        let traits = match factor.atom {
            Atom::Terminal(id) => terminals.traits(id),
            Atom::Nonterminal(_) => 0,
        };
        flags |= traits & IS_EMPTY_TEXT;
        let traits = if factor.is_once() { traits } else { 0 };
        let is_text = traits & IS_TEXT != 0;
        flags |= traits & IS_JSON | if is_text && was_text { HAS_ADJACENT_TEXTS } else { 0 };
        was_text = is_text;
    }
    flags
}

/// Returns the text that a factor is.
fn text<'a>(terminals: &'a Terminals, factor: &Factor) -> Option<&'a str> {
    match terminals.get(factor.as_terminal()?) {
        Terminal::Text(text) => Some(text),
        _ => None,
    }
}

/// Returns true for the empty text and its repetitions: `''`, `''*`, `''?`, ...
fn is_empty(terminals: &Terminals, factor: &Factor) -> bool {
    matches!(factor.atom, Atom::Terminal(id) if terminals.is_empty_text(id))
}

/// Joins adjacent texts of a production. `before` is a scratch buffer.
fn merge(terminals: &mut Terminals, production: &mut Vec<Factor>, before: &mut Vec<Factor>) {
    before.clear();
    before.append(production);
    let mut rest = &before[..];
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|factor| text(terminals, factor).is_some()).count();
        if count < 2 {
            production.push(*first);
            rest = &rest[1..];
            continue;
        }
        let (texts, after) = rest.split_at(count);
        let joined: String = texts.iter().filter_map(|factor| text(terminals, factor)).collect();
        let span = first.as_terminal().map(|id| terminals.span(id)).unwrap_or_default();
        production.push(Factor::terminal(terminals.intern_string(StringKind::Text, &joined.into(), span)));
        rest = after;
    }
}

/// Returns the three operands of a terminal `'"' json!(x) '"'`.
fn quoted_json(terminals: &Terminals, id: TerminalId) -> Option<[TerminalId; 3]> {
    match terminals.get(id) {
        Terminal::Sequence(parts) => {
            <[TerminalId; 3]>::try_from(&parts[..]).ok().filter(|parts| is_quoted(terminals, parts))
        }
        _ => None,
    }
}

/// Returns true if three terminals are a quote, a JSON spelling, and a quote.
fn is_quoted(terminals: &Terminals, &[open, json, close]: &[TerminalId; 3]) -> bool {
    let is_quote = |id| matches!(terminals.get(id), Terminal::Text(text) if text == "\"");
    is_quote(open) && is_quote(close) && matches!(terminals.get(json), Terminal::Json(..))
}

/// Merges each `'"' json!(x) '"'` into one terminal, from left to right. `parts` is a scratch buffer.
///
/// Existing ones are split first, so that the result depends only on the sequence of operands.
fn quote_spellings(terminals: &mut Terminals, production: &mut Vec<Factor>, parts: &mut Vec<Factor>) {
    parts.clear();
    for &factor in &*production {
        match factor.as_terminal().and_then(|id| quoted_json(terminals, id)) {
            Some(quoted) => parts.extend(quoted.map(Factor::terminal)),
            None => parts.push(factor),
        }
    }
    production.clear();
    let mut rest = &parts[..];
    while let Some(first) = rest.first() {
        let three = match rest {
            [open, json, close, ..] => [open, json, close].map(|factor| factor.as_terminal()),
            _ => [None; 3],
        };
        if let [Some(open), Some(json), Some(close)] = three
            && is_quoted(terminals, &[open, json, close])
        {
            let sequence = Terminal::Sequence(vec![open, json, close].into());
            production.push(Factor::terminal(terminals.intern(sequence, terminals.span(json))));
            rest = &rest[3..];
        } else {
            production.push(*first);
            rest = &rest[1..];
        }
    }
}

/// Joins adjacent texts inside terminals. Returns the new id of each terminal, or `None` if nothing changes.
fn merge_inside(terminals: &mut Terminals) -> Option<Vec<TerminalId>> {
    // No terminal with adjacent texts was added since the last run.
    if terminals.with_adjacent_texts() == terminals.merged {
        return None;
    }
    terminals.merged = terminals.with_adjacent_texts();
    let mut merged: Vec<TerminalId> = Vec::with_capacity(terminals.len());
    for index in 0..terminals.len() {
        let id = TerminalId(narrow(index));
        let span = terminals.span(id);
        let map = |operands: &[TerminalId]| operands.iter().map(|id| merged[id.index()]).collect::<Vec<_>>();
        let terminal = terminals.get(id);
        let new = match terminal {
            Terminal::Sequence(parts) => {
                let mut factors: Vec<Factor> = map(parts).into_iter().map(Factor::terminal).collect();
                merge(terminals, &mut factors, &mut Vec::new());
                let parts = factors.iter().filter_map(Factor::as_terminal).collect();
                terminals.sequence(parts, span)
            }
            Terminal::Alternatives(parts) => {
                let parts = map(parts);
                terminals.intern(Terminal::Alternatives(parts.into()), span)
            }
            Terminal::And(parts) => {
                let parts = map(parts);
                terminals.intern(Terminal::And(parts.into()), span)
            }
            Terminal::Not(part) => {
                let part = merged[part.index()];
                terminals.intern(Terminal::Not(part), span)
            }
            Terminal::Json(part, escapes) => {
                let (part, escapes) = (merged[part.index()], *escapes);
                terminals.intern(Terminal::Json(part, escapes), span)
            }
            Terminal::Repeat { terminal, min, max } => {
                let (part, min, max) = (merged[terminal.index()], *min, *max);
                terminals.repeat(part, min, max, span)
            }
            _ => id,
        };
        merged.push(new);
    }
    Some(merged)
}

/// Returns true if the postcondition of the pass holds: no production has adjacent texts or an empty text.
pub(crate) fn holds(grammar: &Grammar) -> bool {
    let is_text = |factor: &Factor| text(&grammar.terminals, factor).is_some();
    grammar.in_use().flat_map(|(_, variable)| &variable.productions).all(|production| {
        !production.windows(2).any(|pair| is_text(&pair[0]) && is_text(&pair[1]))
            && !production.iter().any(|factor| is_empty(&grammar.terminals, factor))
    })
}

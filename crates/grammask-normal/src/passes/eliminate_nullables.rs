//! `A ::= B 'x'; B ::= '' | 'b';` becomes `A ::= B 'x' | 'x'; B ::= 'b';`: afterwards nothing stands for the empty text.

use crate::cancellation::Stop;
use crate::error::{Error, ErrorKind};
use crate::form::{NonterminalId, TerminalId};
use crate::grammar::{Atom, Factor, Grammar};
use crate::graph::Lists;
use crate::passes::ebnf::expand_repetitions;
use crate::passes::{Context, regular_error};

/// A production with more optional symbols than this is split first.
const MAX_OPTIONAL: usize = 2;

/// Takes the empty text out of every nonterminal: with and without each symbol that may be empty, an alternative of its own.
///
/// A production with many such symbols is split into a chain of nonterminals before (`B? B? ... B?` twenty times would have
/// a million alternatives), so that the grammar grows by a constant factor. A regular part T that may be empty becomes
/// `T & ~''`, and its repetition `T{0,n}` becomes `T{1,n}`.
///
/// # Complexity
/// Linear.
pub(crate) fn eliminate_nullables(grammar: &mut Grammar, context: &mut Context<'_>) -> Result<(), Error> {
    if grammar.is_nullable_free {
        return Ok(());
    }
    expand_repetitions::expand_repetitions(grammar, context)?;
    if grammar.in_use().any(|(_, variable)| variable.unordered.is_some()) {
        // Items that nobody reaches any more may be empty.
        grammar.sweep(context.stop);
    }
    grammar.is_nullable_free = true;
    let nullable_terminals =
        grammar.terminals.nullable(context.store).map_err(|(error, span)| regular_error(&error, span))?;
    if context.stop.is_stopped() {
        return Ok(());
    }
    let nullable = nullable_nonterminals(grammar, &nullable_terminals, context.stop);
    if context.stop.is_stopped() {
        return Ok(());
    }
    forbid_empty_items(grammar, &nullable)?;
    grammar.empty_text |= nullable[grammar.start.index()];
    // What is left of a terminal without the empty text, once found.
    let mut rests: Vec<Option<Option<TerminalId>>> = vec![None; nullable_terminals.len()];
    for index in 0..grammar.variables.len() {
        if context.stop.after(1 + grammar.variables[index].productions.len()) {
            return Ok(());
        }
        let id = NonterminalId(index as u32);
        let is_touched = |production: &Vec<Factor>| {
            production.is_empty()
                || production.iter().any(|factor| match factor.atom {
                    Atom::Nonterminal(id) => nullable[id.index()],
                    Atom::Terminal(id) => nullable_terminals[id.index()],
                })
        };
        if !grammar.variables[index].productions.iter().any(is_touched) {
            continue;
        }
        let mut productions = Vec::with_capacity(2 * grammar.variables[index].productions.len());
        for production in std::mem::take(&mut grammar.variables[index].productions) {
            if !is_touched(&production) {
                productions.push(production);
                continue;
            }
            let mut symbols: Vec<(Factor, bool)> = Vec::with_capacity(production.len());
            for mut factor in production {
                let is_optional = match &mut factor.atom {
                    Atom::Nonterminal(id) => nullable[id.index()],
                    Atom::Terminal(id) if nullable_terminals[id.index()] => {
                        let rest = match rests[id.index()] {
                            Some(rest) => rest,
                            None => {
                                let span = grammar.terminals.span(*id);
                                let rest = grammar
                                    .terminals
                                    .without_empty(*id, &nullable_terminals, context.store)
                                    .map_err(|error| regular_error(&error, span))?;
                                rests[id.index()] = Some(rest);
                                rest
                            }
                        };
                        let Some(rest) = rest else { continue };
                        *id = rest;
                        true
                    }
                    Atom::Terminal(_) => false,
                };
                // Some of the m to n may be empty: one to n are not.
                if is_optional && !factor.is_once() {
                    factor.min = 1;
                }
                symbols.push((factor, is_optional));
            }
            expand(grammar, id, &symbols, &mut productions);
        }
        grammar.variables[index].productions = productions;
    }
    Ok(())
}

/// Makes sure that no item or separator of `unordered!` stands for the empty text, and that no selection is empty.
fn forbid_empty_items(grammar: &mut Grammar, nullable: &[bool]) -> Result<(), Error> {
    for variable in &mut grammar.variables {
        let Some(selection) = &mut variable.unordered else { continue };
        for (place, factor) in variable.productions.iter().flatten().enumerate() {
            if matches!(factor.atom, Atom::Nonterminal(id) if nullable[id.index()]) {
                let is_separator = place >= selection.unordered.items.len();
                return Err(Error::new(ErrorKind::EmptyItem { is_separator }, selection.spans[place]));
            }
        }
        if selection.unordered.allows_nothing() {
            selection.unordered.min = 1;
        }
    }
    Ok(())
}

/// Which nonterminals stand for the empty text, among others.
fn nullable_nonterminals(grammar: &Grammar, terminals: &[bool], stop: &mut Stop<'_>) -> Vec<bool> {
    let mut nullable = vec![false; grammar.variables.len()];
    let mut left_sides = Vec::new();
    // How many symbols of a production are not known to be nullable.
    let mut missing = Vec::new();
    let mut uses = Vec::new();
    let mut found = Vec::new();
    for (id, variable) in grammar.in_use() {
        if stop.after(1 + variable.productions.len() / 16) {
            return nullable;
        }
        if let Some(selection) = &variable.unordered {
            if selection.unordered.allows_nothing() {
                nullable[id.index()] = true;
                found.push(id);
            }
            continue;
        }
        for production in &variable.productions {
            // A terminal that is not nullable is missing for ever.
            let terminal =
                |factor: &Factor| matches!(factor.atom, Atom::Terminal(id) if !terminals[id.index()]);
            if production.iter().any(terminal) {
                continue;
            }
            let mut count = 0u32;
            for factor in production {
                if let Atom::Nonterminal(used) = factor.atom {
                    uses.push((used.0, left_sides.len() as u32));
                    count += 1;
                }
            }
            left_sides.push(id);
            missing.push(count);
            if count == 0 && !std::mem::replace(&mut nullable[id.index()], true) {
                found.push(id);
            }
        }
    }
    if found.is_empty() {
        return nullable;
    }
    let uses = Lists::new(grammar.variables.len(), &uses);
    while let Some(id) = found.pop() {
        for &production in uses.of(id.index()) {
            let production = production as usize;
            missing[production] -= 1;
            let left = left_sides[production];
            if missing[production] == 0 && !std::mem::replace(&mut nullable[left.index()], true) {
                found.push(left);
            }
        }
    }
    nullable
}

/// Adds to `productions` what `left ::= symbols` stands for besides the empty text; the flag says what may be left out.
fn expand(
    grammar: &mut Grammar,
    left: NonterminalId,
    symbols: &[(Factor, bool)],
    productions: &mut Vec<Vec<Factor>>,
) {
    let is_optional = |symbol: &(Factor, bool)| symbol.1;
    if symbols.iter().filter(|symbol| is_optional(symbol)).count() <= MAX_OPTIONAL {
        return choose(left, symbols, productions);
    }
    // From behind: what follows is one symbol, optional if all of it is.
    let origin = grammar.variable(left).origin;
    let cuts: Vec<usize> = (0..symbols.len()).filter(|&at| symbols[at].1).skip(1).collect();
    let mut end = symbols.len();
    let mut rest: Option<(Factor, bool)> = None;
    // The last piece holds two optional symbols, each before it one and what follows.
    for &cut in cuts[..cuts.len() - 1].iter().rev() {
        let piece: Vec<(Factor, bool)> = symbols[cut..end].iter().copied().chain(rest).collect();
        let all_optional = piece.iter().all(is_optional);
        let id = grammar.add_derived(origin, Vec::new());
        let mut expanded = Vec::new();
        choose(id, &piece, &mut expanded);
        grammar.variable_mut(id).productions = expanded;
        rest = Some((Factor::nonterminal(id), all_optional));
        end = cut;
    }
    let head: Vec<(Factor, bool)> = symbols[..end].iter().copied().chain(rest).collect();
    choose(left, &head, productions);
}

/// All ways to leave out optional symbols, the longest first, but not all symbols, and not the left side alone.
fn choose(left: NonterminalId, symbols: &[(Factor, bool)], productions: &mut Vec<Vec<Factor>>) {
    let count = symbols.iter().filter(|(_, optional)| *optional).count();
    for left_out in 0..1u32 << count {
        let mut place = 0;
        let mut production = Vec::with_capacity(symbols.len());
        for &(factor, optional) in symbols {
            if optional {
                place += 1;
                if left_out >> (place - 1) & 1 == 1 {
                    continue;
                }
            }
            production.push(factor);
        }
        if !production.is_empty() && production[..] != [Factor::nonterminal(left)] {
            productions.push(production);
        }
    }
}

pub(crate) fn holds(grammar: &Grammar) -> bool {
    grammar.in_use().all(|(_, variable)| variable.productions.iter().all(|production| !production.is_empty()))
}

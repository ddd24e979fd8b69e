//! `A ::= B 'x'; B ::= '' | 'b';` becomes `A ::= B 'x' | 'x'; B ::= 'b';`: afterwards no symbol is nullable.

use grammask_work::narrow;

use crate::cancellation::Cancellation;
use crate::error::{Error, ErrorKind};
use crate::form::{NonterminalId, TerminalId};
use crate::grammar::{Atom, Factor, Grammar};
use crate::graph::horn::HornClauses;
use crate::passes::ebnf::expand_repetitions;
use crate::passes::{Context, regular_error};

/// Number of optional symbols of a production that are expanded into all 2^n combinations. A production with
/// more is split first.
const MAX_EXPANDED_OPTIONALS: usize = 2;

/// Excludes the empty text from every nonterminal: each nullable symbol of a production is once present and
/// once omitted.
///
/// A production with many nullable symbols is split into a chain of nonterminals first, because twenty of
/// them would have a million combinations. So the grammar grows by a constant factor. A nullable terminal T
/// becomes `T & ~''`, and its repetition `T{0,n}` becomes `T{1,n}`.
///
/// # Complexity
/// Linear.
pub(crate) fn eliminate_nullables(grammar: &mut Grammar, context: &mut Context<'_, '_>) -> Result<(), Error> {
    if grammar.is_nullable_free {
        return Ok(());
    }
    expand_repetitions::expand_repetitions(grammar, context)?;
    if grammar.in_use().any(|(_, variable)| variable.unordered.is_some()) {
        // Unreachable items may be nullable; reachable ones must not.
        grammar.remove_unreachable(context.cancellation);
    }
    grammar.is_nullable_free = true;
    let nullable_terminals =
        grammar.terminals.nullable(context.store).map_err(|(error, span)| regular_error(&error, span))?;
    if context.cancellation.is_cancelled() {
        return Ok(());
    }
    let nullable = Nullable {
        nonterminals: nullable_nonterminals(grammar, &nullable_terminals, context.cancellation),
        terminals: nullable_terminals,
    };
    if context.cancellation.is_cancelled() {
        return Ok(());
    }
    forbid_empty_items(grammar, &nullable.nonterminals)?;
    grammar.empty_text |= nullable.nonterminals[grammar.start.index()];
    let mut without_empty = vec![None; nullable.terminals.len()];
    for index in 0..grammar.variables.len() {
        if context.cancellation.poll_after(1 + grammar.variables[index].productions.len()) {
            return Ok(());
        }
        let id = NonterminalId(narrow(index));
        if !grammar.variable(id).productions.iter().any(|production| nullable.occurs_in(production)) {
            continue;
        }
        let mut productions = Vec::with_capacity(2 * grammar.variable(id).productions.len());
        for production in std::mem::take(&mut grammar.variable_mut(id).productions) {
            if nullable.occurs_in(&production) {
                let symbols = nullable.optional_symbols(production, grammar, context, &mut without_empty)?;
                expand(grammar, id, &symbols, &mut productions);
            } else {
                productions.push(production);
            }
        }
        grammar.variable_mut(id).productions = productions;
    }
    Ok(())
}

/// The nullable symbols of a grammar.
struct Nullable {
    /// By nonterminal: true if it is nullable.
    nonterminals: Vec<bool>,
    /// By terminal: true if it contains the empty text.
    terminals: Vec<bool>,
}

/// A symbol of a production, and true if it may be omitted.
type OptionalSymbol = (Factor, bool);

impl Nullable {
    /// Returns true if a production is empty or has a nullable symbol.
    fn occurs_in(&self, production: &[Factor]) -> bool {
        production.is_empty()
            || production.iter().any(|factor| match factor.atom {
                Atom::Nonterminal(id) => self.nonterminals[id.index()],
                Atom::Terminal(id) => self.terminals[id.index()],
            })
    }

    /// Excludes the empty text from each symbol of a production, and marks the nullable ones as optional.
    ///
    /// `without_empty` caches, for each terminal, the terminal without the empty text.
    fn optional_symbols(
        &self,
        production: Vec<Factor>,
        grammar: &mut Grammar,
        context: &mut Context<'_, '_>,
        without_empty: &mut [Option<Option<TerminalId>>],
    ) -> Result<Vec<OptionalSymbol>, Error> {
        let mut symbols = Vec::with_capacity(production.len());
        for mut factor in production {
            let is_optional = match &mut factor.atom {
                Atom::Nonterminal(id) => self.nonterminals[id.index()],
                Atom::Terminal(id) if self.terminals[id.index()] => {
                    let cached = &mut without_empty[id.index()];
                    let rest = match *cached {
                        Some(rest) => rest,
                        None => *cached.insert(self.without_empty(*id, grammar, context)?),
                    };
                    let Some(rest) = rest else { continue };
                    *id = rest;
                    true
                }
                Atom::Terminal(_) => false,
            };
            // Of m to n repetitions, any number may be empty, so one to n are not.
            if is_optional && !factor.is_once() {
                factor.min = 1;
            }
            symbols.push((factor, is_optional));
        }
        Ok(symbols)
    }

    /// Returns a nullable terminal without the empty text. Returns `Ok(None)` if it has no other text.
    fn without_empty(
        &self,
        id: TerminalId,
        grammar: &mut Grammar,
        context: &mut Context<'_, '_>,
    ) -> Result<Option<TerminalId>, Error> {
        let span = grammar.terminals.span(id);
        let rest = grammar.terminals.without_empty(id, &self.terminals, context.store);
        rest.map_err(|error| regular_error(&error, span))
    }
}

/// Refuses nullable items and separators of `unordered!`, and excludes the empty choice.
fn forbid_empty_items(grammar: &mut Grammar, nullable: &[bool]) -> Result<(), Error> {
    for variable in &mut grammar.variables {
        let Some(spanned) = &mut variable.unordered else { continue };
        for (place, factor) in variable.productions.iter().flatten().enumerate() {
            if matches!(factor.atom, Atom::Nonterminal(id) if nullable[id.index()]) {
                let is_separator = place >= spanned.unordered.items.len();
                return Err(Error::new(ErrorKind::EmptyItem { is_separator }, spanned.spans[place]));
            }
        }
        if spanned.unordered.allows_empty() {
            spanned.unordered.min = 1;
        }
    }
    Ok(())
}

/// Returns, for each nonterminal, true if it is nullable.
fn nullable_nonterminals(
    grammar: &Grammar,
    terminals: &[bool],
    cancellation: &mut Cancellation<'_>,
) -> Vec<bool> {
    let mut clauses = HornClauses::new(grammar.variables.len(), grammar.variables.len());
    for (id, variable) in grammar.in_use() {
        if cancellation.poll_after(1 + variable.productions.len() / 16) {
            return vec![false; grammar.variables.len()];
        }
        if let Some(spanned) = &variable.unordered {
            if spanned.unordered.allows_empty() {
                clauses.add_fact(id.0);
            }
            continue;
        }
        let has_no_bytes =
            |factor: &Factor| !matches!(factor.atom, Atom::Terminal(id) if !terminals[id.index()]);
        for production in variable.productions.iter().filter(|production| production.iter().all(has_no_bytes))
        {
            clauses.add_clause(id.0, production.iter().filter_map(Factor::nonterminal_number));
        }
    }
    clauses.solve(|_, _| {}, cancellation)
}

/// Appends the alternatives of `left ::= symbols` without the empty text to `productions`.
fn expand(
    grammar: &mut Grammar,
    left: NonterminalId,
    symbols: &[OptionalSymbol],
    productions: &mut Vec<Vec<Factor>>,
) {
    let is_optional = |symbol: &OptionalSymbol| symbol.1;
    if symbols.iter().filter(|symbol| is_optional(symbol)).count() <= MAX_EXPANDED_OPTIONALS {
        return combine(left, symbols, productions);
    }
    // Split from right to left. The rest is one symbol, which is optional if all of its symbols are.
    let origin = grammar.variable(left).origin;
    let cuts: Vec<usize> = (0..symbols.len()).filter(|&at| symbols[at].1).skip(1).collect();
    let mut end = symbols.len();
    let mut rest: Option<OptionalSymbol> = None;
    // The last piece has two optional symbols. Each piece before has one, and the rest.
    for &cut in cuts[..cuts.len() - 1].iter().rev() {
        let piece: Vec<OptionalSymbol> = symbols[cut..end].iter().copied().chain(rest).collect();
        let all_optional = piece.iter().all(is_optional);
        let id = grammar.add_derived(origin, Vec::new());
        let mut expanded = Vec::new();
        combine(id, &piece, &mut expanded);
        grammar.variable_mut(id).productions = expanded;
        rest = Some((Factor::nonterminal(id), all_optional));
        end = cut;
    }
    let head: Vec<OptionalSymbol> = symbols[..end].iter().copied().chain(rest).collect();
    combine(left, &head, productions);
}

/// Appends one production for each subset of omitted optional symbols, the empty subset first. Omits the
/// empty production and `left ::= left`.
fn combine(left: NonterminalId, symbols: &[OptionalSymbol], productions: &mut Vec<Vec<Factor>>) {
    let count = symbols.iter().filter(|(_, optional)| *optional).count();
    for omitted in 0..1u32 << count {
        let mut seen = 0;
        let mut production = Vec::with_capacity(symbols.len());
        for &(factor, optional) in symbols {
            if optional {
                seen += 1;
                if omitted >> (seen - 1) & 1 == 1 {
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

/// Returns true if the postcondition of the pass holds: no production is empty.
pub(crate) fn holds(grammar: &Grammar) -> bool {
    grammar.in_use().all(|(_, variable)| variable.productions.iter().all(|production| !production.is_empty()))
}

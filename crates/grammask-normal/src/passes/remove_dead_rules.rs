//! `S ::= 'a' D | 'b'; D ::= D 'x';` becomes `S ::= 'b';`: productions that lead to no output, finite or
//! endless, are removed.

use grammask_work::narrow;
use rustc_hash::FxHashMap;

use crate::error::{Error, ErrorKind};
use crate::form::NonterminalId;
use crate::grammar::{Atom, Factor, Grammar};
use crate::liveness::Liveness;
use crate::passes::{Context, regular_error};
use crate::unordered::Unordered;

/// Keeps the part of every production that leads to an output, finite or endless.
///
/// - A production whose symbols all produce finite strings is kept.
/// - A production with a symbol that has only endless outputs (`B ::= 'a' B;`) is kept up to the first such
///   symbol.
/// - A production with a symbol that produces nothing is reduced to the endless outputs of the symbols before
///   it. These are written with copies of nonterminals that have no finite strings: `X ::= 'a' X | 'b'; S ::=
///   X D;` becomes `S ::= X_endless; X_endless ::= 'a' X_endless;`.
///
/// # Errors
/// Returns an error if the start symbol produces nothing, or only the empty text where it is not an output.
///
/// # Complexity
/// Linear.
pub(crate) fn remove_dead_rules(grammar: &mut Grammar, context: &mut Context<'_, '_>) -> Result<(), Error> {
    super::eliminate_nullables::eliminate_nullables(grammar, context)?;
    if context.cancellation.is_cancelled() {
        return Ok(());
    }
    let terminals = &mut grammar.terminals;
    let mut empty = vec![false; terminals.len()];
    let mut is_known = vec![false; terminals.len()];
    for production in grammar.variables.iter().flat_map(|variable| &variable.productions) {
        if context.cancellation.poll_after(1) {
            return Ok(());
        }
        for factor in production {
            if let Atom::Terminal(id) = factor.atom
                && !std::mem::replace(&mut is_known[id.index()], true)
            {
                empty[id.index()] = terminals
                    .is_empty(id, context.store)
                    .map_err(|error| regular_error(&error, terminals.span(id)))?;
            }
        }
    }
    if context.cancellation.is_cancelled() {
        return Ok(());
    }
    let is_empty = |atom| matches!(atom, Atom::Terminal(id) if empty[id.index()]);
    let bodies: Vec<&[Vec<Factor>]> =
        grammar.variables.iter().map(|variable| variable.productions.as_slice()).collect();
    let unordered: Vec<Option<&Unordered>> = grammar
        .variables
        .iter()
        .map(|variable| variable.unordered.as_ref().map(|spanned| &spanned.unordered))
        .collect();
    if context.cancellation.is_cancelled() {
        return Ok(());
    }
    let liveness = Liveness::new(&bodies, &unordered, is_empty, context.cancellation)
        .map_err(|error| Error::new(ErrorKind::Unordered(error), grammar.start_span))?;
    if context.cancellation.is_cancelled() {
        return Ok(());
    }
    let start = Factor::nonterminal(grammar.start);
    let has_only_empty = !liveness.is_finite(&start, is_empty) && !liveness.is_endless(&start);
    if has_only_empty && !(grammar.allows_empty && grammar.empty_text) {
        let start = grammar.start_name().to_owned();
        let kind = if grammar.empty_text {
            ErrorKind::OnlyEmptyText { start }
        } else {
            ErrorKind::EmptyLanguage { start }
        };
        return Err(Error::new(kind, grammar.start_span));
    }
    simplify_unordered(grammar, &liveness)?;
    if liveness.is_clean() {
        grammar.remove_unreachable(context.cancellation);
        return Ok(());
    }
    let count = grammar.variables.len();
    let old =
        grammar.variables.iter_mut().map(|variable| std::mem::take(&mut variable.productions)).collect();
    let mut removal =
        Removal { grammar, old, liveness, empty, copies: FxHashMap::default(), pending: Vec::new() };
    for index in 0..count {
        if context.cancellation.poll_after(1) {
            return Ok(());
        }
        removal.rewrite(NonterminalId(narrow(index)));
    }
    while let Some((original, copy)) = removal.pending.pop() {
        for production in removal.old[original.index()].clone() {
            removal.add_endless(copy, &production);
        }
    }
    grammar.remove_unreachable(context.cancellation);
    Ok(())
}

/// Removes the items of `unordered!` that can never occur, and each `unordered!` that cannot be satisfied.
fn simplify_unordered(grammar: &mut Grammar, liveness: &Liveness) -> Result<(), Error> {
    for index in 0..grammar.variables.len() {
        let variable = &mut grammar.variables[index];
        let Some(spanned) = &mut variable.unordered else { continue };
        let items = spanned.unordered.items.len();
        let produces = |place: usize| {
            let factor = variable.productions.get(place).and_then(|production| production.first());
            factor.is_some_and(|factor| liveness.is_finite(factor, |_| false))
        };
        let (had_separator, span) = (spanned.unordered.has_separator, spanned.span);
        let remaining = spanned.unordered.simplify(produces, produces(items));
        let remaining = remaining.map_err(|error| Error::new(ErrorKind::Unordered(error), span))?;
        let Some(remaining) = remaining else {
            variable.productions = Vec::new();
            variable.unordered = None;
            continue;
        };
        let mut places: Vec<usize> = remaining.iter().map(|&item| item as usize).collect();
        if had_separator && spanned.unordered.has_separator {
            places.push(items);
        }
        spanned.spans = places.iter().map(|&place| spanned.spans[place]).collect();
        let places = places.iter();
        variable.productions =
            places.map(|&place| std::mem::take(&mut variable.productions[place])).collect();
    }
    Ok(())
}

/// State of the pass.
struct Removal<'a> {
    grammar: &'a mut Grammar,
    /// By nonterminal: its productions before the pass.
    old: Vec<Vec<Vec<Factor>>>,
    liveness: Liveness,
    /// By terminal: true if it contains no string.
    empty: Vec<bool>,
    /// By nonterminal: its copy that has only endless outputs.
    copies: FxHashMap<NonterminalId, NonterminalId>,
    /// Pairs of a nonterminal and its copy, which has no productions yet.
    pending: Vec<(NonterminalId, NonterminalId)>,
}

impl Removal<'_> {
    fn is_finite(&self, factor: &Factor) -> bool {
        self.liveness.is_finite(factor, |atom| matches!(atom, Atom::Terminal(id) if self.empty[id.index()]))
    }

    /// Writes the productions of a nonterminal anew.
    fn rewrite(&mut self, id: NonterminalId) {
        if self.grammar.variable(id).unordered.is_some() {
            self.grammar.variable_mut(id).productions = self.old[id.index()].clone();
            return;
        }
        for production in self.old[id.index()].clone() {
            let dead = production.iter().position(|factor| !self.is_finite(factor));
            let symbol = dead.map(|at| production[at]);
            match (dead, symbol) {
                (Some(at), Some(Factor { atom: Atom::Nonterminal(last), .. }))
                    if self.liveness.is_endless(&production[at]) =>
                {
                    let mut kept = production[..at].to_vec();
                    kept.push(Factor::nonterminal(last));
                    self.grammar.variable_mut(id).productions.push(kept);
                }
                (Some(_), _) => self.add_endless(id, &production),
                (None, _) => self.grammar.variable_mut(id).productions.push(production),
            }
        }
    }

    /// Adds the endless outputs of a production to `left`: up to each endless symbol that has only finite
    /// ones before it.
    ///
    /// If there are several, each but the last continues in a new nonterminal, so that common prefixes are
    /// written once.
    fn add_endless(&mut self, left: NonterminalId, production: &[Factor]) {
        let reached = production.iter().position(|factor| !self.is_finite(factor));
        let reached = reached.map_or(production.len(), |at| at + 1);
        let places: Vec<usize> =
            (0..reached).filter(|&at| self.liveness.is_endless(&production[at])).collect();
        let mut left = left;
        let mut from = 0;
        for (number, &at) in places.iter().enumerate() {
            let before = &production[from..at];
            self.add_endless_symbol(left, before, production[at]);
            if number + 1 < places.len() {
                let origin = self.grammar.variable(left).origin;
                let rest = self.grammar.add_derived(origin, Vec::new());
                let mut chain = production[from..=at].to_vec();
                chain.push(Factor::nonterminal(rest));
                self.grammar.variable_mut(left).productions.push(chain);
                left = rest;
                from = at + 1;
            }
        }
    }

    /// Adds `left ::= before x`, with the copy of `x` that has only endless outputs.
    fn add_endless_symbol(&mut self, left: NonterminalId, before: &[Factor], x: Factor) {
        let Atom::Nonterminal(id) = x.atom else { return };
        let copy = if self.is_finite(&x) { self.copy(id) } else { id };
        let mut add = |counted: Option<Factor>| {
            let mut production = before.to_vec();
            production.extend(counted);
            production.push(Factor::nonterminal(copy));
            if production[..] != [Factor::nonterminal(left)] {
                self.grammar.variable_mut(left).productions.push(production);
            }
        };
        add(None);
        // In N{m,n}, up to n - 1 finite occurrences may precede the endless one.
        if let Some(max @ 2..) = x.max
            && copy != id
        {
            add(Some(Factor { atom: x.atom, min: 1, max: Some(max - 1) }));
        }
    }

    /// Returns the copy of a nonterminal that has only endless outputs.
    fn copy(&mut self, id: NonterminalId) -> NonterminalId {
        if let Some(&copy) = self.copies.get(&id) {
            return copy;
        }
        let prefix = format!("{}_endless", self.grammar.variable(id).name.as_deref().unwrap_or_default());
        let name = self.grammar.fresh_name(&prefix);
        let origin = self.grammar.variable(id).origin;
        let copy = self.grammar.add(Some(name.into()), origin, Vec::new());
        self.grammar.variable_mut(copy).serial = u32::MAX;
        self.copies.insert(id, copy);
        self.pending.push((id, copy));
        copy
    }
}

pub(crate) fn holds(grammar: &Grammar) -> bool {
    let may_be_empty = |id| grammar.allows_empty && id == grammar.start;
    grammar.in_use().all(|(id, variable)| !variable.productions.is_empty() || may_be_empty(id))
}

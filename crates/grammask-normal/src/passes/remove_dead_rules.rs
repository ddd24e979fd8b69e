//! What can produce neither a string nor an endless output goes: `S ::= 'a' D | 'b'; D ::= D 'x';` becomes `S ::= 'b';`.

use rustc_hash::FxHashMap;

use crate::error::{Error, ErrorKind};
use crate::form::NonterminalId;
use crate::grammar::{Atom, Factor, Grammar};
use crate::liveness::Liveness;
use crate::passes::{Context, regular_error};
use crate::unordered::Unordered;

/// Keeps of every production what can go on to an output, finite or endless.
///
/// A production stays if all its symbols produce finite strings. It stays up to its first symbol that is endless only (`B ::= 'a' B;`).
/// Where a symbol produces nothing at all, nothing gets past it: what is left are the endless outputs of the symbols before it, written
/// with copies that produce nothing else (`X ::= 'a' X | 'b'; S ::= X D;` becomes `S ::= X_endless; X_endless ::= 'a' X_endless;`).
///
/// # Errors
/// When the start symbol produces nothing, or nothing but the empty text.
///
/// # Complexity
/// Linear.
pub(crate) fn remove_dead_rules(grammar: &mut Grammar, context: &mut Context<'_>) -> Result<(), Error> {
    super::eliminate_nullables::eliminate_nullables(grammar, context)?;
    if context.stop.is_stopped() {
        return Ok(());
    }
    let terminals = &mut grammar.terminals;
    let mut empty = vec![false; terminals.len()];
    let mut is_known = vec![false; terminals.len()];
    for production in grammar.variables.iter().flat_map(|variable| &variable.productions) {
        if context.stop.after(1) {
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
    if context.stop.is_stopped() {
        return Ok(());
    }
    let is_empty = |atom| matches!(atom, Atom::Terminal(id) if empty[id.index()]);
    let bodies: Vec<&[Vec<Factor>]> =
        grammar.variables.iter().map(|variable| variable.productions.as_slice()).collect();
    let selections: Vec<Option<&Unordered>> = grammar
        .variables
        .iter()
        .map(|variable| variable.unordered.as_ref().map(|selection| &selection.unordered))
        .collect();
    if context.stop.is_stopped() {
        return Ok(());
    }
    let liveness = Liveness::new(&bodies, &selections, is_empty, context.stop)
        .map_err(|error| Error::new(ErrorKind::Unordered(error), grammar.start_span))?;
    if context.stop.is_stopped() {
        return Ok(());
    }
    let start = Factor::nonterminal(grammar.start);
    if !liveness.is_finite(&start, is_empty) && !liveness.is_endless(&start) {
        let start = grammar.start_name().to_owned();
        let kind = if grammar.empty_text {
            ErrorKind::OnlyEmptyText { start }
        } else {
            ErrorKind::EmptyLanguage { start }
        };
        return Err(Error::new(kind, grammar.start_span));
    }
    reduce_selections(grammar, &liveness)?;
    if liveness.is_clean() {
        grammar.sweep(context.stop);
        return Ok(());
    }
    let count = grammar.variables.len();
    let old =
        grammar.variables.iter_mut().map(|variable| std::mem::take(&mut variable.productions)).collect();
    let mut removal =
        Removal { grammar, old, liveness, empty, copies: FxHashMap::default(), pending: Vec::new() };
    for index in 0..count {
        if context.stop.after(1) {
            return Ok(());
        }
        removal.rewrite(NonterminalId(index as u32));
    }
    while let Some((original, copy)) = removal.pending.pop() {
        for production in removal.old[original.index()].clone() {
            removal.add_endless(copy, &production);
        }
    }
    grammar.sweep(context.stop);
    Ok(())
}

/// Takes the items of `unordered!` that never occur out, and those selections that cannot be made.
fn reduce_selections(grammar: &mut Grammar, liveness: &Liveness) -> Result<(), Error> {
    for index in 0..grammar.variables.len() {
        let variable = &mut grammar.variables[index];
        let Some(selection) = &mut variable.unordered else { continue };
        let items = selection.unordered.items.len();
        let produces = |place: usize| {
            let factor = variable.productions.get(place).and_then(|production| production.first());
            factor.is_some_and(|factor| liveness.is_finite(factor, |_| false))
        };
        let (had_separator, span) = (selection.unordered.has_separator, selection.span);
        let kept = selection.unordered.reduce(produces, produces(items));
        let kept = kept.map_err(|error| Error::new(ErrorKind::Unordered(error), span))?;
        let Some(kept) = kept else {
            variable.productions = Vec::new();
            variable.unordered = None;
            continue;
        };
        let mut places: Vec<usize> = kept.iter().map(|&item| item as usize).collect();
        if had_separator && selection.unordered.has_separator {
            places.push(items);
        }
        selection.spans = places.iter().map(|&place| selection.spans[place]).collect();
        let places = places.iter();
        variable.productions =
            places.map(|&place| std::mem::take(&mut variable.productions[place])).collect();
    }
    Ok(())
}

struct Removal<'a> {
    grammar: &'a mut Grammar,
    /// The productions before.
    old: Vec<Vec<Vec<Factor>>>,
    liveness: Liveness,
    /// The terminals that contain nothing.
    empty: Vec<bool>,
    /// The copies that produce nothing but endless outputs.
    copies: FxHashMap<NonterminalId, NonterminalId>,
    /// Copies without productions yet.
    pending: Vec<(NonterminalId, NonterminalId)>,
}

impl Removal<'_> {
    fn is_finite(&self, factor: &Factor) -> bool {
        self.liveness.is_finite(factor, |atom| matches!(atom, Atom::Terminal(id) if self.empty[id.index()]))
    }

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

    /// Adds to `left` what a production produces without end: up to any symbol that is endless and has only finite ones before it.
    ///
    /// Of several such places each but the last continues a chain of nonterminals, so that what stands before is written once.
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

    /// Adds `left ::= before x` with an x that produces endless outputs only.
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
        // In N{m,n}, up to n - 1 may come before the endless one.
        if let Some(max @ 2..) = x.max
            && copy != id
        {
            add(Some(Factor { atom: x.atom, min: 1, max: Some(max - 1) }));
        }
    }

    fn copy(&mut self, id: NonterminalId) -> NonterminalId {
        if let Some(&copy) = self.copies.get(&id) {
            return copy;
        }
        let wish = format!("{}_endless", self.grammar.variable(id).name.as_deref().unwrap_or_default());
        let name = self.grammar.fresh_name(&wish);
        let origin = self.grammar.variable(id).origin;
        let copy = self.grammar.add(Some(name.into()), origin, Vec::new());
        self.grammar.variable_mut(copy).serial = u32::MAX;
        self.copies.insert(id, copy);
        self.pending.push((id, copy));
        copy
    }
}

pub(crate) fn holds(grammar: &Grammar) -> bool {
    grammar.in_use().all(|(_, variable)| !variable.productions.is_empty())
}

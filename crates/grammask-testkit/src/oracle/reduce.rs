//! Removes productions that lead to no output, and adds versions of nonterminals for endless outputs. Every
//! item of the recognizer can then be continued, so a set with an item is live.

use super::OracleError;
use super::desugar::{Plain, Production, Special, Symbol};
use super::dfa::Dfa;

/// Productions without dead ends.
///
/// A nonterminal N has three versions: itself for its finite strings, [`Reduced::endless`]`(N)` for its
/// endless outputs, and one for those that are endless without an `unordered!`. An endless derivation
/// descends for ever, and everything before the descent is finite: N → α M β gives endless(N) → α endless(M).
#[derive(Clone, Debug)]
pub(super) struct Reduced {
    pub(super) productions: Vec<Production>,
    /// By nonterminal: the indices of its productions.
    pub(super) of: Vec<Vec<usize>>,
    pub(super) nullable: Vec<bool>,
    pub(super) terminals: Vec<Dfa>,
    pub(super) specials: Vec<Special>,
    /// The finite version of the start symbol.
    pub(super) start: usize,
    /// True if the empty output is an output.
    pub(super) allows_empty: bool,
    /// Ids of the tokens that end outputs, which are in no complement.
    pub(super) ends: Vec<u32>,
    /// Number of nonterminals of the plain grammar.
    plain: usize,
}

impl Reduced {
    /// Reduces a plain grammar. With `allows_empty`, the empty output is an output.
    ///
    /// # Errors
    /// Returns an error if the language is empty, or if an item of `unordered!` is nullable.
    pub(super) fn new(plain: Plain, allows_empty: bool) -> Result<Self, OracleError> {
        let productive = fixpoint(&plain, true, |symbol, known| match symbol {
            Symbol::Terminal(t) => plain.terminals[t].is_nullable() || plain.terminals[t].has_bytes(),
            Symbol::Special(special) => has_token(&plain, special),
            Symbol::Nonterminal(n) => known[n],
        });
        let nullable = fixpoint(&plain, true, |symbol, known| match symbol {
            Symbol::Terminal(t) => plain.terminals[t].is_nullable(),
            Symbol::Special(_) => false,
            Symbol::Nonterminal(n) => known[n],
        });
        check_items(&plain, &nullable)?;
        let is_productive = |symbol: &Symbol| match *symbol {
            Symbol::Terminal(t) => plain.terminals[t].is_nullable() || plain.terminals[t].has_bytes(),
            Symbol::Special(special) => has_token(&plain, special),
            Symbol::Nonterminal(n) => productive[n],
        };

        let mut productions: Vec<Production> = plain
            .productions
            .iter()
            .filter(|production| production.right.iter().all(is_productive))
            .cloned()
            .collect();
        // The nonterminals that produce a non-empty finite string.
        let ending = Plain { productions: productions.clone(), ..plain.clone() };
        let visible = fixpoint(&ending, false, |symbol, known| match symbol {
            Symbol::Terminal(t) => plain.terminals[t].has_bytes(),
            Symbol::Special(_) => true,
            Symbol::Nonterminal(n) => known[n],
        });
        let is_visible = |symbol: &Symbol| match *symbol {
            Symbol::Terminal(t) => plain.terminals[t].has_bytes(),
            Symbol::Special(_) => true,
            Symbol::Nonterminal(n) => visible[n],
        };

        let count = plain.nonterminals;
        let both = descents(&plain, is_productive, is_visible);
        let endless = endless(2 * count, &both);
        for descent in both.iter().filter(|descent| endless[descent.to]) {
            let mut right = plain.productions[descent.production].right[..descent.dot].to_vec();
            right.push(Symbol::Nonterminal(count + descent.to));
            productions.push(Production { left: count + descent.from, right });
        }
        let has_empty = allows_empty && nullable[plain.start];
        if !visible[plain.start] && !endless[plain.start] && !has_empty {
            return Err(OracleError::EmptyLanguage);
        }

        let mut of = vec![Vec::new(); 3 * plain.nonterminals];
        for (p, production) in productions.iter().enumerate() {
            of[production.left].push(p);
        }
        let mut nullable = nullable;
        nullable.resize(of.len(), false);
        Ok(Self {
            productions,
            of,
            nullable,
            terminals: plain.terminals,
            specials: plain.specials,
            start: plain.start,
            allows_empty,
            ends: Vec::new(),
            plain: plain.nonterminals,
        })
    }

    /// Returns the endless version of a nonterminal.
    pub(super) fn endless(&self, nonterminal: usize) -> usize {
        self.plain + nonterminal
    }
}

/// Returns false for `special!()`. The vocabulary counts as one that has tokens in each complement.
fn has_token(plain: &Plain, special: usize) -> bool {
    match &plain.specials[special] {
        Special::Set(set) => set.is_complement || !set.members.is_empty(),
        Special::Name(_) | Special::Id(_) => true,
    }
}

/// Returns an error if an item or a separator of a reachable `unordered!` is nullable.
fn check_items(plain: &Plain, nullable: &[bool]) -> Result<(), OracleError> {
    let mut below = vec![Vec::new(); plain.nonterminals];
    for production in &plain.productions {
        let symbols = production.right.iter();
        below[production.left].extend(symbols.filter_map(|symbol| match *symbol {
            Symbol::Nonterminal(n) => Some(n),
            Symbol::Terminal(_) | Symbol::Special(_) => None,
        }));
    }
    for &(whole, symbol, _) in &plain.parts {
        if let Symbol::Nonterminal(n) = symbol {
            below[whole].push(n);
        }
    }
    let is_used = reachable(&below, &[plain.start]);
    for &(_, symbol, span) in plain.parts.iter().filter(|part| is_used[part.0]) {
        let is_empty = match symbol {
            Symbol::Terminal(t) => plain.terminals[t].is_nullable(),
            Symbol::Special(_) => false,
            Symbol::Nonterminal(n) => nullable[n],
        };
        if is_empty {
            return Err(OracleError::EmptyItem(span));
        }
    }
    Ok(())
}

/// Returns the descents between the endless versions of the nonterminals: N is the endless version, and the
/// number of nonterminals plus N the one that is endless by itself.
///
/// An item of `unordered!` may be endless although it could end, but only if everything around it can be
/// completed, or if something endless follows.
fn descents(
    plain: &Plain,
    is_productive: impl Fn(&Symbol) -> bool,
    is_visible: impl Fn(&Symbol) -> bool,
) -> Vec<Descent> {
    let mut is_unordered = vec![false; plain.nonterminals];
    plain.unordered.iter().for_each(|&state| is_unordered[state] = true);
    // The descents: from N, after a finite α, to M.
    let mut descents: Vec<Descent> = Vec::new();
    for (p, production) in plain.productions.iter().enumerate() {
        for (dot, symbol) in production.right.iter().enumerate() {
            if let Symbol::Nonterminal(to) = *symbol {
                let visible = production.right[..dot].iter().any(&is_visible);
                descents.push(Descent { production: p, dot, from: production.left, to, visible });
            }
            if !is_productive(symbol) {
                break;
            }
        }
    }
    let plain_descents: Vec<Descent> =
        descents.iter().filter(|descent| !is_unordered[descent.from]).copied().collect();
    let by_itself = endless(plain.nonterminals, &plain_descents);
    let count = plain.nonterminals;
    let mut both: Vec<Descent> = Vec::new();
    for of_production in descents.chunk_by(|a, b| a.production == b.production) {
        let production = &plain.productions[of_production[0].production];
        let stop = production.right.iter().find(|symbol| !is_productive(symbol));
        // The last descent that is endless by itself: everything before it can be completed.
        let last = of_production.iter().rposition(|descent| by_itself[descent.to]);
        let up_to_last = |from: usize| {
            let descent = move |(place, descent): (usize, &Descent)| {
                let to = if Some(place) == last { count + descent.to } else { descent.to };
                Descent { from: from + descent.from, to, ..*descent }
            };
            of_production.iter().enumerate().take(last.map_or(0, |last| last + 1)).map(descent)
        };
        match stop {
            None => both.extend(of_production),
            _ if is_unordered[production.left] => continue,
            Some(Symbol::Nonterminal(stop)) if by_itself[*stop] => both.extend(of_production),
            Some(_) => both.extend(up_to_last(0)),
        }
        if !is_unordered[production.left] {
            both.extend(up_to_last(count));
        }
    }
    both
}

/// Returns, for each nonterminal, true if it has a production all of whose symbols satisfy `holds`. If `all`
/// is false, one symbol suffices.
fn fixpoint(plain: &Plain, all: bool, holds: impl Fn(Symbol, &[bool]) -> bool) -> Vec<bool> {
    let mut known = vec![false; plain.nonterminals];
    loop {
        let mut changed = false;
        for production in &plain.productions {
            let mut symbols = production.right.iter();
            let found = if all {
                symbols.all(|&symbol| holds(symbol, &known))
            } else {
                symbols.any(|&symbol| holds(symbol, &known))
            };
            if found && !known[production.left] {
                known[production.left] = true;
                changed = true;
            }
        }
        if !changed {
            return known;
        }
    }
}

/// A descent: a nonterminal in a production, after a finite prefix.
#[derive(Clone, Copy)]
struct Descent {
    production: usize,
    dot: usize,
    from: usize,
    to: usize,
    /// True if the prefix can produce a byte.
    visible: bool,
}

/// Returns, for each nonterminal, true if it has an endless output: it reaches a cycle of descents with a
/// visible one.
fn endless(nonterminals: usize, descents: &[Descent]) -> Vec<bool> {
    let mut forward = vec![Vec::new(); nonterminals];
    let mut backward = vec![Vec::new(); nonterminals];
    for descent in descents {
        forward[descent.from].push(descent.to);
        backward[descent.to].push(descent.from);
    }
    let mut circling: Vec<usize> = Vec::new();
    let mut known = vec![false; nonterminals];
    for descent in descents.iter().filter(|descent| descent.visible) {
        if !known[descent.from] && reachable(&forward, &[descent.to])[descent.from] {
            known[descent.from] = true;
            circling.push(descent.from);
        }
    }
    reachable(&backward, &circling)
}

fn reachable(edges: &[Vec<usize>], from: &[usize]) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut agenda = from.to_vec();
    while let Some(node) = agenda.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            agenda.extend(&edges[node]);
        }
    }
    seen
}

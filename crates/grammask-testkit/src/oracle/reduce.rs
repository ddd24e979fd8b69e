//! Productions to those that count: what can end, and beside it what can go on for ever. Whatever the recognizer
//! has begun can then be gone on with, so a set with an item in it is live.

use super::OracleError;
use super::desugar::{Plain, Production, Special, Symbol};
use super::dfa::Dfa;

/// Productions without dead ends.
///
/// A nonterminal N of the plain grammar stands here as itself, for the finite strings it produces, and as
/// [`Reduced::endless`]`(N)`, for the endless ones (and once more for those that are endless without any `unordered!`). An endless derivation goes down for ever, and all that stands
/// before the way down is finite: N → α M β gives endless(N) → α endless(M).
#[derive(Clone, Debug)]
pub(super) struct Reduced {
    pub(super) productions: Vec<Production>,
    /// For each nonterminal the places of its productions.
    pub(super) of: Vec<Vec<usize>>,
    pub(super) nullable: Vec<bool>,
    pub(super) terminals: Vec<Dfa>,
    pub(super) specials: Vec<Special>,
    /// The finite version of the start symbol.
    pub(super) start: usize,
    /// How many nonterminals the plain grammar has.
    plain: usize,
}

impl Reduced {
    pub(super) fn new(plain: Plain) -> Result<Self, OracleError> {
        let productive = fixpoint(&plain, true, |symbol, known| match symbol {
            Symbol::Terminal(t) => plain.terminals[t].is_nullable() || plain.terminals[t].has_bytes(),
            Symbol::Special(_) => true,
            Symbol::Nonterminal(n) => known[n],
        });
        let nullable = fixpoint(&plain, true, |symbol, known| match symbol {
            Symbol::Terminal(t) => plain.terminals[t].is_nullable(),
            Symbol::Special(_) => false,
            Symbol::Nonterminal(n) => known[n],
        });
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
        let is_productive = |symbol: &Symbol| match *symbol {
            Symbol::Terminal(t) => plain.terminals[t].is_nullable() || plain.terminals[t].has_bytes(),
            Symbol::Special(_) => true,
            Symbol::Nonterminal(n) => productive[n],
        };

        let mut productions: Vec<Production> = plain
            .productions
            .iter()
            .filter(|production| production.right.iter().all(is_productive))
            .cloned()
            .collect();
        // Whether something that is not empty comes out, of the productions that can end.
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

        // The ways down: from N, past a finite α, to M.
        let mut is_unordered = vec![false; plain.nonterminals];
        plain.unordered.iter().for_each(|&state| is_unordered[state] = true);
        let mut ways: Vec<Way> = Vec::new();
        for (p, production) in plain.productions.iter().enumerate() {
            for (dot, symbol) in production.right.iter().enumerate() {
                if let Symbol::Nonterminal(to) = *symbol {
                    let visible = production.right[..dot].iter().any(is_visible);
                    ways.push(Way { production: p, dot, from: production.left, to, visible });
                }
                if !is_productive(symbol) {
                    break;
                }
            }
        }
        // Of `unordered!` an item may go on for ever that could end as well, but only where all around it can be completed, or something
        // endless follows. So there are three versions of each nonterminal: finite, endless, and endless by itself.
        let plain_ways: Vec<Way> = ways.iter().filter(|way| !is_unordered[way.from]).copied().collect();
        let by_itself = endless(plain.nonterminals, &plain_ways);
        let count = plain.nonterminals;
        let mut both: Vec<Way> = Vec::new();
        for of_production in ways.chunk_by(|a, b| a.production == b.production) {
            let production = &plain.productions[of_production[0].production];
            let stop = production.right.iter().find(|symbol| !is_productive(symbol));
            // The last one that is endless by itself: what stands before it can be completed.
            let last = of_production.iter().rposition(|way| by_itself[way.to]);
            let up_to_last = |from: usize| {
                let way = move |(place, way): (usize, &Way)| {
                    let to = if Some(place) == last { count + way.to } else { way.to };
                    Way { from: from + way.from, to, ..*way }
                };
                of_production.iter().enumerate().take(last.map_or(0, |last| last + 1)).map(way)
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
        let endless = endless(2 * count, &both);
        for way in both.iter().filter(|way| endless[way.to]) {
            let mut right = plain.productions[way.production].right[..way.dot].to_vec();
            right.push(Symbol::Nonterminal(count + way.to));
            productions.push(Production { left: count + way.from, right });
        }
        if !visible[plain.start] && !endless[plain.start] {
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
            plain: plain.nonterminals,
        })
    }

    /// The endless version of a nonterminal.
    pub(super) fn endless(&self, nonterminal: usize) -> usize {
        self.plain + nonterminal
    }
}

/// The nonterminals that have a production all (or, with `all` false, any) of whose symbols `holds`.
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

#[derive(Clone, Copy)]
struct Way {
    production: usize,
    dot: usize,
    from: usize,
    to: usize,
    /// Whether it can leave something behind that is not empty.
    visible: bool,
}

/// The nonterminals from which ways lead on for ever, with visible ones again and again: those that reach a circle
/// with a visible way in it.
fn endless(nonterminals: usize, ways: &[Way]) -> Vec<bool> {
    let mut forward = vec![Vec::new(); nonterminals];
    let mut backward = vec![Vec::new(); nonterminals];
    for way in ways {
        forward[way.from].push(way.to);
        backward[way.to].push(way.from);
    }
    let mut circling: Vec<usize> = Vec::new();
    let mut known = vec![false; nonterminals];
    for way in ways.iter().filter(|way| way.visible) {
        if !known[way.from] && reachable(&forward, &[way.to])[way.from] {
            known[way.from] = true;
            circling.push(way.from);
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

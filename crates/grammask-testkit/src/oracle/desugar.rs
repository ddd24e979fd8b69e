//! Desugars a syntax tree into plain productions: groups and operators become nonterminals.

use grammask_syntax::{Ast, ExprId, ExprKind, Span, SpecialSet, Unordered, is_special_name};
use rustc_hash::FxHashMap;

use super::OracleError;
use super::dfa::Dfa;
use super::regular::regular_parts;

/// Repetitions that a bounded part is unrolled into. Beyond it, the grammar is too large for the oracle.
const MAX_UNROLLED_REPETITIONS: u32 = 10_000;

/// A symbol of a production; the numbers are indices in [`Plain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Symbol {
    Terminal(usize),
    Special(usize),
    Nonterminal(usize),
}

/// The name or the id of a special token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Special {
    Name(String),
    Id(u32),
    /// `special!(…)`
    Set(SpecialSet),
}

#[derive(Clone, Debug)]
pub(super) struct Production {
    pub(super) left: usize,
    pub(super) right: Vec<Symbol>,
}

/// A grammar of plain productions, whose right sides may be empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Plain {
    pub(super) nonterminals: usize,
    pub(super) start: usize,
    pub(super) productions: Vec<Production>,
    pub(super) terminals: Vec<Dfa>,
    pub(super) specials: Vec<Special>,
    /// The nonterminals of `unordered!`: an endless output in these counts only if everything around it can
    /// be completed.
    pub(super) unordered: Vec<usize>,
    /// The items and separators, which must not be nullable, each with the nonterminal of its `unordered!`.
    pub(super) parts: Vec<(usize, Symbol, Span)>,
}

impl Plain {
    fn nonterminal(&mut self) -> usize {
        self.nonterminals += 1;
        self.nonterminals - 1
    }

    fn special(&mut self, special: Special) -> Symbol {
        self.specials.push(special);
        Symbol::Special(self.specials.len() - 1)
    }

    fn produce(&mut self, left: usize, right: Vec<Symbol>) {
        self.productions.push(Production { left, right });
    }

    /// Returns each text of a terminal as a terminal of its own. `None` if the terminal has more than
    /// [`MAX_DISTINCT_TEXTS`] texts, or texts that `distinct!` compares by their values.
    fn distinct_texts(&mut self, terminal: Symbol) -> Option<Vec<Symbol>> {
        let Symbol::Terminal(terminal) = terminal else { return None };
        let texts = self.terminals[terminal].strings(MAX_DISTINCT_TEXTS)?;
        let is_plain = |text: &Vec<u8>| text.iter().all(u8::is_ascii_alphabetic);
        if !texts.iter().all(is_plain) {
            return None;
        }
        let mut symbols = Vec::with_capacity(texts.len());
        for text in texts {
            self.terminals.push(Dfa::text(&text).ok()?);
            symbols.push(Symbol::Terminal(self.terminals.len() - 1));
        }
        Some(symbols)
    }

    /// Returns `min` to `max` repetitions of `part`. Unbounded repetition is left-recursive, so that it has
    /// no endless output: only recursive rules have.
    fn repetition(&mut self, part: Symbol, min: u32, max: Option<u32>) -> Symbol {
        let whole = self.nonterminal();
        let mut rest = self.nonterminal();
        self.produce(rest, Vec::new());
        match max {
            None => self.produce(rest, vec![Symbol::Nonterminal(rest), part]),
            Some(max) => {
                for _ in min..max {
                    let more = self.nonterminal();
                    self.produce(more, Vec::new());
                    self.produce(more, vec![part, Symbol::Nonterminal(rest)]);
                    rest = more;
                }
            }
        }
        let mut right = vec![part; min as usize];
        right.push(Symbol::Nonterminal(rest));
        self.produce(whole, right);
        Symbol::Nonterminal(whole)
    }
}

/// States of an `unordered!`, each a count of all items. Beyond it, the grammar is too large for the oracle.
const MAX_UNORDERED_STATES: usize = 5_000;

/// Texts of a `distinct!`. Beyond it, the grammar is too large for the oracle.
const MAX_DISTINCT_TEXTS: usize = 8;

/// The parts and bounds of an `unordered!`.
struct Choice<'a> {
    items: Vec<(Symbol, u32, Option<u32>)>,
    separator: Option<Symbol>,
    min: u32,
    max: Option<u32>,
    needs: &'a [(u32, u32)],
}

impl Choice<'_> {
    /// Returns the counts of all items and of each item from which on larger counts are equivalent.
    fn caps(&self) -> (u32, Vec<u32>) {
        let each = self.items.iter().map(|&(_, min, max)| max.unwrap_or(min.max(1)));
        (self.max.unwrap_or(self.min).max(1), each.collect())
    }

    fn may_end(&self, all: u32, counts: &[u32]) -> bool {
        all >= self.min
            && self.items.iter().zip(counts).all(|(item, &count)| count >= item.1)
            && self.needs.iter().all(|&(from, to)| counts[from as usize] == 0 || counts[to as usize] > 0)
    }

    /// Adds a nonterminal for each reachable count of the items. Returns the one of no items, or `None` if
    /// there are too many.
    fn desugar(&self, plain: &mut Plain) -> Option<Symbol> {
        let (all_cap, caps) = self.caps();
        let mut states: FxHashMap<(u32, Vec<u32>), usize> = FxHashMap::default();
        let start = (0, vec![0; caps.len()]);
        let whole = plain.nonterminal();
        plain.unordered.push(whole);
        states.insert(start.clone(), whole);
        let mut open = vec![start];
        while let Some((all, counts)) = open.pop() {
            let left = states[&(all, counts.clone())];
            if self.may_end(all, &counts) {
                plain.produce(left, Vec::new());
            }
            for (index, &(symbol, _, max)) in self.items.iter().enumerate() {
                if self.max.is_some_and(|max| all >= max) || max.is_some_and(|max| counts[index] >= max) {
                    continue;
                }
                let mut next = counts.clone();
                next[index] = (next[index] + 1).min(caps[index]);
                let next = ((all + 1).min(all_cap), next);
                let to = *states.entry(next.clone()).or_insert_with(|| {
                    open.push(next);
                    let state = plain.nonterminal();
                    plain.unordered.push(state);
                    state
                });
                let separator = self.separator.filter(|_| all > 0);
                let right = separator.into_iter().chain([symbol, Symbol::Nonterminal(to)]).collect();
                plain.produce(left, right);
            }
            if states.len() > MAX_UNORDERED_STATES {
                return None;
            }
        }
        Some(Symbol::Nonterminal(whole))
    }
}

pub(super) fn desugar(ast: &Ast, start: &str) -> Result<Plain, OracleError> {
    let mut plain = Plain::default();
    let mut names: FxHashMap<&str, usize> = FxHashMap::default();
    for rule in &ast.rules {
        names.entry(&rule.name.text).or_insert_with(|| plain.nonterminal());
    }
    plain.start = *names.get(start).ok_or_else(|| OracleError::UndefinedStart(start.to_owned()))?;

    let mut symbols: Vec<Symbol> = Vec::with_capacity(ast.exprs.len());
    for ((id, expr), regular) in (0..).map(ExprId).zip(&ast.exprs).zip(regular_parts(ast)?) {
        let symbol = match (&expr.kind, regular) {
            (_, Some(dfa)) => {
                plain.terminals.push(dfa);
                Symbol::Terminal(plain.terminals.len() - 1)
            }
            (ExprKind::Nonterminal(name), None) => {
                let undefined = || OracleError::Undefined(name.to_string(), expr.span);
                Symbol::Nonterminal(*names.get(name.as_str()).ok_or_else(undefined)?)
            }
            (ExprKind::SpecialName(name), None) => plain.special(Special::Name(name.to_string())),
            (ExprKind::SpecialId(id), None) => plain.special(Special::Id(*id)),
            (ExprKind::SpecialSet(set), None) => plain.special(Special::Set((**set).clone())),
            // A marker of this form counts as the name of a special token of the vocabulary.
            (ExprKind::Marker(text), None) if is_special_name(text) => {
                plain.special(Special::Name(text.to_string()))
            }
            (ExprKind::Marker(text), None) => {
                plain
                    .terminals
                    .push(Dfa::text(text.as_bytes()).map_err(|_| OracleError::TooLarge(expr.span))?);
                Symbol::Terminal(plain.terminals.len() - 1)
            }
            (ExprKind::Capture { expr, .. }, None) => symbols[expr.index()],
            (ExprKind::Sequence(_) | ExprKind::Alternatives(_), None) => {
                let group = plain.nonterminal();
                for right in right_sides(ast, &symbols, id) {
                    plain.produce(group, right);
                }
                Symbol::Nonterminal(group)
            }
            (ExprKind::Repeat { expr: part, quantifier }, None) => {
                let (min, max) = quantifier.bounds();
                if max.unwrap_or(min) > MAX_UNROLLED_REPETITIONS {
                    return Err(OracleError::TooLarge(expr.span));
                }
                plain.repetition(symbols[part.index()], min, max)
            }
            (ExprKind::Unordered(unordered), None) => {
                let Unordered { parts, min, max, requires, .. } = &**unordered;
                let count = unordered.items().len();
                let mut items = Vec::with_capacity(count);
                for part in &parts[..count] {
                    let (symbol, min, max) = match &ast.expr(*part).kind {
                        ExprKind::Repeat { expr, quantifier } => {
                            let (min, max) = quantifier.bounds();
                            (symbols[expr.index()], min, max)
                        }
                        ExprKind::Distinct(_) => {
                            let texts = plain.distinct_texts(symbols[part.index()]);
                            let texts = texts.filter(|_| requires.is_empty());
                            let texts = texts.ok_or(OracleError::TooLarge(expr.span))?;
                            items.extend(texts.into_iter().map(|text| (text, 0, Some(1))));
                            continue;
                        }
                        _ => (symbols[part.index()], 1, Some(1)),
                    };
                    items.push((symbol, min, max));
                    plain.parts.push((plain.nonterminals, symbol, ast.expr(*part).span));
                }
                let separator = parts.get(count).map(|part| symbols[part.index()]);
                if let (Some(symbol), Some(part)) = (separator, parts.get(count)) {
                    plain.parts.push((plain.nonterminals, symbol, ast.expr(*part).span));
                }
                let choice = Choice { items, separator, min: *min, max: *max, needs: requires };
                choice.desugar(&mut plain).ok_or(OracleError::TooLarge(expr.span))?
            }
            // No context-free grammar can require that texts differ, but each of a few texts can be an item.
            (ExprKind::Distinct(text), None) => symbols[text.index()],
            (ExprKind::Schema(_), None) => return Err(OracleError::TooLarge(expr.span)),
            _ => unreachable!("every other kind is regular"),
        };
        symbols.push(symbol);
    }
    for rule in &ast.rules {
        let left = names[rule.name.text.as_str()];
        for right in right_sides(ast, &symbols, rule.body) {
            plain.produce(left, right);
        }
    }
    Ok(plain)
}

/// Returns the right sides of an expression: one for each alternative.
fn right_sides(ast: &Ast, symbols: &[Symbol], id: ExprId) -> Vec<Vec<Symbol>> {
    let symbol = |part: &ExprId| symbols[part.index()];
    // An expression with `&` or `~` is a terminal, and never gets here.
    let sequence = |id: &ExprId| match &ast.expr(*id).kind {
        ExprKind::Sequence(parts) => parts.iter().map(symbol).collect(),
        _ => vec![symbol(id)],
    };
    match &ast.expr(id).kind {
        ExprKind::Alternatives(parts) => parts.iter().map(sequence).collect(),
        _ => vec![sequence(&id)],
    }
}

//! Characters that are repeated one by one become one regular part, so that a text of them runs as one automaton.

use grammask_regular::{RegularId, Store};
use grammask_syntax::Span;
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::form::{NonterminalId, Terminal, TerminalId};
use crate::grammar::{Atom, Factor, Grammar, Variable};
use crate::passes::Context;
use crate::stop::Stop;

/// So many ASCII characters among what is repeated make texts of it.
const MANY: usize = 16;

/// What is longer, in bytes, is no character, however it is escaped.
const LONGEST: u32 = 16;

/// Characters are described by so many alternatives at most, in rules that are so deep at most.
const MOST_ALTERNATIVES: usize = 256;
const DEEPEST: usize = 8;

/// Replaces `N ::= x | N c` by `N ::= x c*` as one terminal, and `c{m,n}` by a counter in a terminal, where `x` and `c` are regular without recursion, and `c` is a
/// character: at most sixteen bytes long, and one of at least sixteen ASCII characters by itself. Other loops stay: what they repeat is better known by itself,
/// as it stands elsewhere too.
///
/// # Complexity
/// Linear in the symbols, and in the automata of what is repeated character by character.
pub(crate) fn gather_characters(grammar: &mut Grammar, context: &mut Context<'_>) -> Result<(), Error> {
    let mut gathering = Gathering { grammar, regular: FxHashMap::default(), known: FxHashMap::default() };
    for index in 0..gathering.grammar.variables.len() {
        let id = NonterminalId(index as u32);
        let variable = gathering.grammar.variable(id);
        if context.stop.after(1 + variable.productions.len()) {
            return Ok(());
        }
        if !variable.in_use || variable.unordered.is_some() {
            continue;
        }
        if has_loop(id, variable) {
            gathering.close(id, DEEPEST, context);
        } else {
            gathering.count(id, context);
        }
    }
    Ok(())
}

/// Whether a production of a nonterminal begins with it.
fn is_loop(id: NonterminalId, production: &[Factor]) -> bool {
    production.first().is_some_and(|first| first.as_nonterminal() == Some(id))
}

/// Whether some alternative may be a single character: the items of lists need not be looked into.
fn may_be_character(productions: &[Vec<Factor>]) -> bool {
    productions.iter().any(|production| production.len() == 1)
}

fn has_loop(id: NonterminalId, variable: &Variable) -> bool {
    variable.productions.iter().any(|production| is_loop(id, production))
}

struct Gathering<'a> {
    grammar: &'a mut Grammar,
    /// Whether nonterminals are regular without recursion and little; those are not that are being looked at.
    regular: FxHashMap<NonterminalId, bool>,
    /// What those stand for of which that was asked.
    known: FxHashMap<NonterminalId, TerminalId>,
}

impl Gathering<'_> {
    /// Makes a terminal of a nonterminal that repeats characters.
    fn close(&mut self, id: NonterminalId, depth: usize, context: &mut Context<'_>) {
        let productions = &self.grammar.variable(id).productions;
        let is_bare = |production: &Vec<Factor>| production.len() == 1 && is_loop(id, production);
        let may_be_character =
            productions.iter().any(|production| production.len() == 2 && is_loop(id, production));
        if productions.len() > MOST_ALTERNATIVES || !may_be_character || productions.iter().any(is_bare) {
            return;
        }
        if !self.are_regular(id, true, depth, context) {
            return;
        }
        let (loops, firsts): (Vec<_>, Vec<_>) = self
            .grammar
            .variable(id)
            .productions
            .clone()
            .into_iter()
            .partition(|production| is_loop(id, production));
        let bodies: Vec<Vec<Factor>> = loops.into_iter().map(|production| production[1..].to_vec()).collect();
        let Some(body) = self.alternatives(&bodies) else { return };
        if firsts.is_empty()
            || !self.is_character(body, context)
            || !self.are_regular(id, false, depth, context)
        {
            return;
        }
        let Some(first) = self.alternatives(&firsts) else { return };
        let terminals = &mut self.grammar.terminals;
        let span = terminals.span(first);
        let all = match first == body {
            true => terminals.repeat(body, 1, None, span),
            false => {
                let rest = terminals.repeat(body, 0, None, span);
                terminals.sequence(vec![first, rest], span)
            }
        };
        self.grammar.variable_mut(id).productions = vec![vec![Factor::terminal(all)]];
    }

    /// Makes terminals of the factors that count characters.
    fn count(&mut self, id: NonterminalId, context: &mut Context<'_>) {
        let is_counter = |factor: &Factor| !factor.is_once() && factor.min >= 1;
        for number in 0..self.grammar.variable(id).productions.len() {
            for place in 0..self.grammar.variable(id).productions[number].len() {
                let factor = self.grammar.variable(id).productions[number][place];
                let Atom::Nonterminal(counted) = factor.atom else { continue };
                if !is_counter(&factor) || !may_be_character(&self.grammar.variable(counted).productions) {
                    continue;
                }
                if !self.is_regular(counted, DEEPEST, context) {
                    continue;
                }
                let Some(character) = self.nonterminal(counted) else { continue };
                if self.is_character(character, context) {
                    let terminals = &mut self.grammar.terminals;
                    let span = terminals.span(character);
                    let all = terminals.repeat(character, factor.min, factor.max, span);
                    self.grammar.variable_mut(id).productions[number][place] = Factor::terminal(all);
                }
            }
        }
    }

    /// Whether a nonterminal is regular without recursion and little. Loops of characters below it are closed on the way.
    fn is_regular(&mut self, id: NonterminalId, depth: usize, context: &mut Context<'_>) -> bool {
        if let Some(&known) = self.regular.get(&id) {
            return known;
        }
        let variable = self.grammar.variable(id);
        if depth == 0 || variable.unordered.is_some() || variable.productions.len() > MOST_ALTERNATIVES {
            return false;
        }
        self.regular.insert(id, false);
        if has_loop(id, variable) {
            self.close(id, depth, context);
        }
        let is_regular =
            !has_loop(id, self.grammar.variable(id)) && self.are_regular(id, false, depth, context);
        self.regular.insert(id, is_regular);
        is_regular
    }

    /// The same of what follows a nonterminal in its loops, or of its other alternatives.
    fn are_regular(
        &mut self,
        id: NonterminalId,
        loops: bool,
        depth: usize,
        context: &mut Context<'_>,
    ) -> bool {
        for number in 0..self.grammar.variable(id).productions.len() {
            let production = &self.grammar.variable(id).productions[number];
            let (len, is_loop) = (production.len(), is_loop(id, production));
            for place in usize::from(is_loop)..if is_loop == loops { len } else { 0 } {
                let is_regular = match self.grammar.variable(id).productions[number][place].atom {
                    Atom::Nonterminal(id) => self.is_regular(id, depth - 1, context),
                    Atom::Terminal(id) => !self.grammar.terminals.get(id).is_special(),
                };
                if !is_regular {
                    return false;
                }
            }
        }
        true
    }

    /// What a regular nonterminal stands for; nothing where it has no productions.
    fn nonterminal(&mut self, id: NonterminalId) -> Option<TerminalId> {
        if let Some(&known) = self.known.get(&id) {
            return Some(known);
        }
        let productions = self.grammar.variable(id).productions.clone();
        let found = self.alternatives(&productions)?;
        self.known.insert(id, found);
        Some(found)
    }

    fn alternatives(&mut self, productions: &[Vec<Factor>]) -> Option<TerminalId> {
        let each = productions.iter().map(|production| self.sequence(production));
        let mut all: Vec<TerminalId> = each.collect::<Option<_>>()?;
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => None,
            [one] => Some(one),
            [first, ..] => {
                let span = self.grammar.terminals.span(first);
                Some(self.grammar.terminals.intern(Terminal::Alternatives(all.into()), span))
            }
        }
    }

    fn sequence(&mut self, factors: &[Factor]) -> Option<TerminalId> {
        let mut parts = Vec::with_capacity(factors.len());
        for factor in factors {
            let part = match factor.atom {
                Atom::Nonterminal(id) => self.nonterminal(id)?,
                Atom::Terminal(id) => id,
            };
            let terminals = &mut self.grammar.terminals;
            let span = terminals.span(part);
            parts.push(terminals.repeat(part, factor.min, factor.max, span));
        }
        let span = parts.first().map_or(Span::default(), |&first| self.grammar.terminals.span(first));
        Some(self.grammar.terminals.sequence(parts, span))
    }

    /// Whether a terminal is a character. Where a limit says that this is not known, it is none: what is wrong is told by whoever needs its
    /// language.
    fn is_character(&mut self, id: TerminalId, context: &mut Context<'_>) -> bool {
        let Context { store, stop } = context;
        let language = self.grammar.terminals.lower_unless(id, store, || stop.is_stopped());
        let Ok(Some(language)) = language else { return false };
        has_many(store, language) && is_short(store, language, stop)
    }
}

/// Whether many ASCII characters are texts of a language by themselves.
fn has_many(store: &mut Store, language: RegularId) -> bool {
    let Ok(live) = store.live_bytes(language) else { return false };
    let ascii: Vec<u8> = live.iter().filter(u8::is_ascii).collect();
    let is_text = |&byte: &u8| {
        let behind = store.derivative(language, byte);
        behind.is_ok_and(|behind| store.is_nullable(behind))
    };
    ascii.len() >= MANY && ascii.into_iter().filter(is_text).take(MANY).count() == MANY
}

/// Whether no text of a language is long.
fn is_short(store: &mut Store, language: RegularId, stop: &mut Stop<'_>) -> bool {
    let any = store.any_byte();
    let Ok(long) = store.repeat(any, LONGEST + 1, None) else { return false };
    let Ok(both) = store.intersection(&[language, long]) else { return false };
    matches!(store.is_empty_unless(both, || stop.is_stopped()), Ok(Some(true)))
}

pub(crate) fn holds(grammar: &Grammar) -> bool {
    // Nothing is left to be gathered, whoever made its languages before.
    let mut copy = grammar.clone();
    copy.terminals.forget_languages();
    let mut store = Store::new(&Default::default());
    let (mut nobody, before) = (|| false, copy.to_string());
    let mut stop = Stop::new(&mut nobody);
    let mut context = Context { store: &mut store, stop: &mut stop };
    gather_characters(&mut copy, &mut context).is_ok() && copy.to_string() == before
}

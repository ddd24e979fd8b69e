//! Characters that are repeated one by one become one regular part, so that a text of them runs as one automaton.

use grammask_regular::{RegularId, Store, analysis};
use grammask_syntax::Span;
use rustc_hash::FxHashMap;

use crate::cancellation::Stop;
use crate::error::Error;
use crate::form::{NonterminalId, Terminal, TerminalId};
use crate::grammar::{Atom, Factor, Grammar};
use crate::passes::Context;

/// Characters are described by so many alternatives at most, in rules that stand in one another so deep at most, and written out in so many bytes at most,
/// as a rule that is used several times is.
const MOST_ALTERNATIVES: usize = 256;
const DEEPEST: usize = 8;
const MOST_BYTES: usize = 4096;

/// Replaces `N ::= x | N c` by `N ::= x c*` as one terminal, `N ::= x | c N` by `N ::= c* x`, and `c{m,n}` by a counter in a terminal, where `x` and `c` are regular
/// without recursion, and `c` is a character: at most sixteen bytes long, and several characters by themselves. With `N ::= N N` besides, all of
/// that is repeated. Other loops stay: what they repeat is better known by itself, as it stands elsewhere too.
///
/// # Complexity
/// Linear in the symbols, and in the automata of what is repeated character by character.
pub(crate) fn gather_characters(grammar: &mut Grammar, context: &mut Context<'_>) -> Result<(), Error> {
    let mut gathering = Gathering {
        grammar,
        context,
        depths: FxHashMap::default(),
        known: FxHashMap::default(),
        characters: FxHashMap::default(),
    };
    for index in 0..gathering.grammar.variables.len() {
        let id = NonterminalId(index as u32);
        let variable = gathering.grammar.variable(id);
        if gathering.context.stop.after(1 + variable.productions.len()) {
            return Ok(());
        }
        match () {
            () if !variable.in_use || variable.unordered.is_some() => {}
            () if has_loop(id, &variable.productions) => gathering.close(id, DEEPEST),
            () => gathering.count(id),
        }
    }
    Ok(())
}

/// Where a production has its own nonterminal.
#[derive(Clone, Copy)]
enum Side {
    First,
    Last,
}

impl Side {
    /// What is repeated by a production that has its own nonterminal there.
    fn body(self, id: NonterminalId, production: &[Factor]) -> Option<&[Factor]> {
        let split = match self {
            Self::First => production.split_first(),
            Self::Last => production.split_last(),
        };
        split.filter(|(itself, _)| itself.as_nonterminal() == Some(id)).map(|(_, body)| body)
    }
}

fn has_loop(id: NonterminalId, productions: &[Vec<Factor>]) -> bool {
    let loops = |side: Side| productions.iter().any(|production| side.body(id, production).is_some());
    loops(Side::First) || loops(Side::Last)
}

/// Whether a production is its own nonterminal twice.
fn is_double(id: NonterminalId, production: &[Factor]) -> bool {
    production.len() == 2 && production.iter().all(|factor| factor.as_nonterminal() == Some(id))
}

/// Whether some alternative may be a single character: the items of lists need not be looked into.
fn may_be_character(mut alternatives: impl Iterator<Item = usize>) -> bool {
    alternatives.any(|factors| factors == 1)
}

/// Alternatives, as they stand in a rule or behind its own name.
type Alternatives<'a> = Vec<&'a [Factor]>;

struct Gathering<'a, 'c> {
    grammar: &'a mut Grammar,
    context: &'a mut Context<'c>,
    /// How deep rules stand in nonterminals that are regular without recursion; nothing for others, and for those that are being looked at, whose
    /// productions are not in their place meanwhile.
    depths: FxHashMap<NonterminalId, Option<usize>>,
    /// What those stand for of which that was asked; nothing where that is too much to be written out.
    known: FxHashMap<NonterminalId, Option<TerminalId>>,
    /// Whether terminals are characters.
    characters: FxHashMap<TerminalId, bool>,
}

impl Gathering<'_, '_> {
    /// Makes a terminal of a nonterminal that repeats characters, in rules of a depth.
    fn close(&mut self, id: NonterminalId, most: usize) {
        self.depths.insert(id, None);
        let productions = std::mem::take(&mut self.grammar.variable_mut(id).productions);
        let closed = self.closed(id, &productions, most);
        if closed.is_some() {
            self.depths.insert(id, Some(0));
        }
        self.grammar.variable_mut(id).productions = match closed {
            Some(terminal) => vec![vec![Factor::terminal(terminal)]],
            None => productions,
        };
    }

    fn closed(&mut self, id: NonterminalId, productions: &[Vec<Factor>], most: usize) -> Option<TerminalId> {
        let single = || productions.iter().map(Vec::as_slice).filter(|production| !is_double(id, production));
        let side = match single().any(|production| Side::First.body(id, production).is_some()) {
            true => Side::First,
            false => Side::Last,
        };
        let bodies: Alternatives<'_> = single().filter_map(|production| side.body(id, production)).collect();
        let ends: Alternatives<'_> =
            single().filter(|production| side.body(id, production).is_none()).collect();
        let repeated = if bodies.is_empty() { &ends } else { &bodies };
        let is_loop = !ends.is_empty() && repeated.iter().all(|body| !body.is_empty());
        if !is_loop
            || productions.len() > MOST_ALTERNATIVES
            || !may_be_character(repeated.iter().map(|body| body.len()))
        {
            return None;
        }
        self.depth(repeated, most)?;
        let body = self.alternatives(repeated)?;
        if !self.is_character(body) {
            return None;
        }
        self.depth(&ends, most)?;
        let end = self.alternatives(&ends)?;
        let span = self.grammar.terminals.span(end);
        if end == body {
            return Some(self.grammar.terminals.repeat(body, 1, None, span));
        }
        // Else an output may go on for ever, which no regular part says.
        if let Side::Last = side
            && !self.is_met(end)
        {
            return None;
        }
        let terminals = &mut self.grammar.terminals;
        let rest = terminals.repeat(body, 0, None, span);
        let parts = match side {
            Side::First => vec![end, rest],
            Side::Last => vec![rest, end],
        };
        let once = terminals.sequence(parts, span);
        let has_double = productions.iter().any(|production| is_double(id, production));
        Some(if has_double { terminals.repeat(once, 1, None, span) } else { once })
    }

    /// Makes terminals of the factors that count characters.
    fn count(&mut self, id: NonterminalId) {
        let productions = &self.grammar.variable(id).productions;
        let counters: Vec<(usize, usize, Factor)> = (0..)
            .zip(productions)
            .flat_map(|(number, production)| {
                (0..).zip(production).map(move |(place, factor)| (number, place, *factor))
            })
            .filter(|(_, _, factor)| !factor.is_once() && factor.min >= 1)
            .collect();
        for (number, place, factor) in counters {
            if let Some(terminal) = self.counter(factor) {
                self.grammar.variable_mut(id).productions[number][place] = Factor::terminal(terminal);
            }
        }
    }

    fn counter(&mut self, factor: Factor) -> Option<TerminalId> {
        let Atom::Nonterminal(counted) = factor.atom else { return None };
        if !may_be_character(self.grammar.variable(counted).productions.iter().map(Vec::len)) {
            return None;
        }
        self.depth_of(counted, DEEPEST)?;
        let character = self.nonterminal(counted).filter(|&character| self.is_character(character))?;
        let terminals = &mut self.grammar.terminals;
        let span = terminals.span(character);
        Some(terminals.repeat(character, factor.min, factor.max, span))
    }

    /// How deep rules stand in a nonterminal that is regular without recursion; nothing for others, and for more than `most`. Loops of characters below it are
    /// closed on the way.
    fn depth_of(&mut self, id: NonterminalId, most: usize) -> Option<usize> {
        if let Some(&known) = self.depths.get(&id) {
            return known.filter(|&depth| depth <= most);
        }
        self.depths.insert(id, None);
        let variable = self.grammar.variable(id);
        if variable.unordered.is_some() || variable.productions.len() > MOST_ALTERNATIVES {
            return None;
        }
        if has_loop(id, &variable.productions) {
            self.close(id, most);
            return self.depths[&id];
        }
        let productions = std::mem::take(&mut self.grammar.variable_mut(id).productions);
        let alternatives: Alternatives<'_> = productions.iter().map(Vec::as_slice).collect();
        let depth = self.depth(&alternatives, most);
        self.grammar.variable_mut(id).productions = productions;
        self.depths.insert(id, depth);
        depth
    }

    /// The same of alternatives.
    fn depth(&mut self, alternatives: &[&[Factor]], most: usize) -> Option<usize> {
        let mut deepest = 0;
        for factor in alternatives.iter().copied().flatten() {
            match factor.atom {
                Atom::Nonterminal(id) => deepest = deepest.max(1 + self.depth_of(id, most.checked_sub(1)?)?),
                Atom::Terminal(id) if self.grammar.terminals.get(id).is_special() => return None,
                Atom::Terminal(_) => {}
            }
        }
        Some(deepest)
    }

    /// What a nonterminal of a known depth stands for; nothing where it has no productions, or that is too much.
    fn nonterminal(&mut self, id: NonterminalId) -> Option<TerminalId> {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let productions = std::mem::take(&mut self.grammar.variable_mut(id).productions);
        let alternatives: Alternatives<'_> = productions.iter().map(Vec::as_slice).collect();
        let found = self.alternatives(&alternatives);
        self.grammar.variable_mut(id).productions = productions;
        self.known.insert(id, found);
        found
    }

    fn alternatives(&mut self, alternatives: &[&[Factor]]) -> Option<TerminalId> {
        let each = alternatives.iter().map(|factors| self.sequence(factors));
        let all: Vec<TerminalId> = each.collect::<Option<_>>()?;
        match all[..] {
            [] => None,
            [one] => Some(one),
            [first, ..] if self.is_little(&all) => {
                let span = self.grammar.terminals.span(first);
                Some(self.grammar.terminals.intern(Terminal::Alternatives(all.into()), span))
            }
            _ => None,
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
        if !self.is_little(&parts) {
            return None;
        }
        let span = parts.first().map_or(Span::default(), |&first| self.grammar.terminals.span(first));
        Some(self.grammar.terminals.sequence(parts, span))
    }

    /// Whether terminals may be written out side by side.
    fn is_little(&self, terminals: &[TerminalId]) -> bool {
        let weights = terminals.iter().map(|&terminal| self.grammar.terminals.weight(terminal));
        weights.fold(0, usize::saturating_add) <= MOST_BYTES
    }

    /// Whether some text is known to meet a terminal.
    fn is_met(&mut self, id: TerminalId) -> bool {
        let Some(language) = self.language(id) else { return false };
        let Context { store, stop } = &mut *self.context;
        matches!(store.cancellable(|| stop.is_stopped()).is_empty(language), Ok(Some(false)))
    }

    /// Whether a terminal is a character.
    fn is_character(&mut self, id: TerminalId) -> bool {
        if let Some(&known) = self.characters.get(&id) {
            return known;
        }
        let is_character = self.language(id).is_some_and(|language| {
            let Context { store, stop } = &mut *self.context;
            analysis::is_character_class(store, language).unwrap_or(false) && is_short(store, language, stop)
        });
        self.characters.insert(id, is_character);
        is_character
    }

    /// The language of a terminal. Nothing where a limit says that it is not known: what is wrong is told by whoever needs it.
    fn language(&mut self, id: TerminalId) -> Option<RegularId> {
        let Context { store, stop } = &mut *self.context;
        self.grammar.terminals.lower_unless(id, store, || stop.is_stopped()).ok().flatten()
    }
}

/// Whether no text of a language is long.
fn is_short(store: &mut Store, language: RegularId, stop: &mut Stop<'_>) -> bool {
    if analysis::max_len(store, language)
        .is_some_and(|longest| longest <= analysis::MAX_ESCAPED_CHARACTER_BYTES)
    {
        return true;
    }
    let any = store.any_byte();
    let Ok(long) = store.repeat(any, analysis::MAX_ESCAPED_CHARACTER_BYTES + 1, None) else { return false };
    let Ok(both) = store.intersection(&[language, long]) else { return false };
    matches!(store.cancellable(|| stop.is_stopped()).is_empty(both), Ok(Some(true)))
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

//! Repeated single characters become one terminal, so that one automaton recognizes a text of them.
//!
//! `text ::= char | text char; char ::= #'[^"]' | '\\\\' escape;` becomes one terminal that repeats the
//! expanded `char`. The recognizer then makes one step for each byte inside it, instead of predicting and
//! completing `char`.

use grammask_regular::{RegularId, Store, analysis};
use grammask_syntax::Span;
use grammask_work::narrow;
use rustc_hash::FxHashMap;

use crate::cancellation::Cancellation;
use crate::error::Error;
use crate::form::{NonterminalId, Terminal, TerminalId};
use crate::grammar::{Atom, Factor, Grammar};
use crate::passes::Context;

/// Number of alternatives of a rule that may be expanded into a character.
const MAX_ALTERNATIVES: usize = 256;

/// Depth of rules, each using the next, that may be expanded into a character.
const MAX_RULE_DEPTH: usize = 8;

/// Bytes of an expanded character when printed. A rule that is used several times is expanded each time.
const MAX_EXPANDED_BYTES: usize = 4096;

/// Merges loops over characters into terminals.
///
/// | rule | becomes |
/// |---|---|
/// | `N ::= x \| N c` | `N ::= x c*` |
/// | `N ::= x \| c N` | `N ::= c* x` |
/// | the same, and `N N` | that, repeated |
/// | `c{m,n}` | a terminal with a counter |
///
/// Here `x` and `c` are regular and not recursive, and `c` is a character: at most sixteen bytes long. Other
/// loops stay rules: a recognizer shares the results for their bodies, which occur elsewhere too.
///
/// # Complexity
/// Linear in the number of symbols and in the automata of the repeated characters.
pub(crate) fn gather_characters(grammar: &mut Grammar, context: &mut Context<'_, '_>) -> Result<(), Error> {
    let mut gathering = Gathering {
        grammar,
        context,
        depths: FxHashMap::default(),
        expansions: FxHashMap::default(),
        characters: FxHashMap::default(),
    };
    for index in 0..gathering.grammar.variables.len() {
        let id = NonterminalId(narrow(index));
        let variable = gathering.grammar.variable(id);
        if gathering.context.cancellation.poll_after(1 + variable.productions.len()) {
            return Ok(());
        }
        if !variable.in_use || variable.unordered.is_some() {
            continue;
        }
        if has_loop(id, &variable.productions) {
            gathering.merge_loop(id, MAX_RULE_DEPTH);
        } else {
            gathering.merge_counters(id);
        }
    }
    Ok(())
}

/// The position of the recursive nonterminal in a production.
#[derive(Clone, Copy)]
enum Side {
    First,
    Last,
}

impl Side {
    /// Returns the part of a production that it repeats. `None` if it is not recursive on this side.
    fn body(self, id: NonterminalId, production: &[Factor]) -> Option<&[Factor]> {
        let split = match self {
            Self::First => production.split_first(),
            Self::Last => production.split_last(),
        };
        split.filter(|(itself, _)| itself.as_nonterminal() == Some(id)).map(|(_, body)| body)
    }
}

/// Returns true if a production begins or ends with its own left side.
fn has_loop(id: NonterminalId, productions: &[Vec<Factor>]) -> bool {
    let loops = |side: Side| productions.iter().any(|production| side.body(id, production).is_some());
    loops(Side::First) || loops(Side::Last)
}

/// Returns true if a production of `id` is `id id`.
fn is_double(id: NonterminalId, production: &[Factor]) -> bool {
    production.len() == 2 && production.iter().all(|factor| factor.as_nonterminal() == Some(id))
}

/// Returns true if some alternative has one factor, and so may be a character. This skips lists without
/// expanding their items.
fn may_be_character(mut alternatives: impl Iterator<Item = usize>) -> bool {
    alternatives.any(|factors| factors == 1)
}

/// Alternatives of a rule, or the repeated parts of its productions.
type Alternatives<'a> = Vec<&'a [Factor]>;

/// State of the pass.
struct Gathering<'a, 's, 'c> {
    grammar: &'a mut Grammar,
    context: &'a mut Context<'s, 'c>,
    /// By nonterminal that is regular and not recursive: the depth of the rules that it uses. `None` for
    /// others, and for those being analysed, whose productions are moved out meanwhile.
    depths: FxHashMap<NonterminalId, Option<usize>>,
    /// By nonterminal: the terminal that it expands to. `None` if that is too large.
    expansions: FxHashMap<NonterminalId, Option<TerminalId>>,
    /// By terminal: true if it is a character.
    characters: FxHashMap<TerminalId, bool>,
}

impl Gathering<'_, '_, '_> {
    /// Merges a nonterminal with a loop into a terminal, if it repeats characters of at most this depth of
    /// rules.
    fn merge_loop(&mut self, id: NonterminalId, max_depth: usize) {
        self.depths.insert(id, None);
        let productions = std::mem::take(&mut self.grammar.variable_mut(id).productions);
        let merged = self.loop_terminal(id, &productions, max_depth);
        if merged.is_some() {
            self.depths.insert(id, Some(0));
        }
        self.grammar.variable_mut(id).productions = match merged {
            Some(terminal) => vec![vec![Factor::terminal(terminal)]],
            None => productions,
        };
    }

    /// Returns the terminal that a nonterminal with a loop is. `None` if it does not repeat characters.
    fn loop_terminal(
        &mut self,
        id: NonterminalId,
        productions: &[Vec<Factor>],
        max_depth: usize,
    ) -> Option<TerminalId> {
        let single = || productions.iter().map(Vec::as_slice).filter(|production| !is_double(id, production));
        let is_left_recursive = single().any(|production| Side::First.body(id, production).is_some());
        let side = if is_left_recursive { Side::First } else { Side::Last };
        let bodies: Alternatives<'_> = single().filter_map(|production| side.body(id, production)).collect();
        let ends: Alternatives<'_> =
            single().filter(|production| side.body(id, production).is_none()).collect();
        let repeated = if bodies.is_empty() { &ends } else { &bodies };
        let is_loop = !ends.is_empty() && repeated.iter().all(|body| !body.is_empty());
        if !is_loop
            || productions.len() > MAX_ALTERNATIVES
            || !may_be_character(repeated.iter().map(|body| body.len()))
        {
            return None;
        }
        self.depth_of_alternatives(repeated, max_depth)?;
        let body = self.alternatives(repeated)?;
        if !self.is_character(body) {
            return None;
        }
        self.depth_of_alternatives(&ends, max_depth)?;
        let end = self.alternatives(&ends)?;
        let span = self.grammar.terminals.span(end);
        if end == body {
            return Some(self.grammar.terminals.repeat(body, 1, None, span));
        }
        // Without a known end, the loop could be endless, and a regular language has no endless texts.
        if let Side::Last = side
            && !self.is_known_nonempty(end)
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

    /// Merges the counted characters in the productions of a nonterminal.
    fn merge_counters(&mut self, id: NonterminalId) {
        let productions = &self.grammar.variable(id).productions;
        let counters: Vec<(usize, usize, Factor)> = (0..)
            .zip(productions)
            .flat_map(|(number, production)| {
                (0..).zip(production).map(move |(place, factor)| (number, place, *factor))
            })
            .filter(|(_, _, factor)| !factor.is_once() && factor.min >= 1)
            .collect();
        for (number, place, factor) in counters {
            if let Some(terminal) = self.counter_terminal(factor) {
                self.grammar.variable_mut(id).productions[number][place] = Factor::terminal(terminal);
            }
        }
    }

    /// Returns the terminal that a counted nonterminal is. `None` if it does not count characters.
    fn counter_terminal(&mut self, factor: Factor) -> Option<TerminalId> {
        let Atom::Nonterminal(counted) = factor.atom else { return None };
        if !may_be_character(self.grammar.variable(counted).productions.iter().map(Vec::len)) {
            return None;
        }
        self.depth_of(counted, MAX_RULE_DEPTH)?;
        let character = self.nonterminal(counted).filter(|&character| self.is_character(character))?;
        let terminals = &mut self.grammar.terminals;
        let span = terminals.span(character);
        Some(terminals.repeat(character, factor.min, factor.max, span))
    }

    /// Returns the depth of the rules that a nonterminal uses. Merges the loops in these on the way.
    ///
    /// Returns `None` if it is recursive, not regular, or deeper than `max_depth`.
    fn depth_of(&mut self, id: NonterminalId, max_depth: usize) -> Option<usize> {
        if let Some(&known) = self.depths.get(&id) {
            return known.filter(|&depth| depth <= max_depth);
        }
        self.depths.insert(id, None);
        let variable = self.grammar.variable(id);
        if variable.unordered.is_some() || variable.productions.len() > MAX_ALTERNATIVES {
            return None;
        }
        if has_loop(id, &variable.productions) {
            self.merge_loop(id, max_depth);
            return self.depths[&id];
        }
        let productions = std::mem::take(&mut self.grammar.variable_mut(id).productions);
        let alternatives: Alternatives<'_> = productions.iter().map(Vec::as_slice).collect();
        let depth = self.depth_of_alternatives(&alternatives, max_depth);
        self.grammar.variable_mut(id).productions = productions;
        self.depths.insert(id, depth);
        depth
    }

    /// As [`depth_of`](Self::depth_of), for alternatives.
    fn depth_of_alternatives(&mut self, alternatives: &[&[Factor]], max_depth: usize) -> Option<usize> {
        let mut deepest = 0;
        for factor in alternatives.iter().copied().flatten() {
            match factor.atom {
                Atom::Nonterminal(id) => {
                    deepest = deepest.max(1 + self.depth_of(id, max_depth.checked_sub(1)?)?);
                }
                Atom::Terminal(id) if self.grammar.terminals.get(id).is_special() => return None,
                Atom::Terminal(_) => {}
            }
        }
        Some(deepest)
    }

    /// Expands a nonterminal of known depth into a terminal. `None` if it has no productions, or if that is
    /// too large.
    fn nonterminal(&mut self, id: NonterminalId) -> Option<TerminalId> {
        if let Some(&known) = self.expansions.get(&id) {
            return known;
        }
        let productions = std::mem::take(&mut self.grammar.variable_mut(id).productions);
        let alternatives: Alternatives<'_> = productions.iter().map(Vec::as_slice).collect();
        let expansion = self.alternatives(&alternatives);
        self.grammar.variable_mut(id).productions = productions;
        self.expansions.insert(id, expansion);
        expansion
    }

    /// Expands alternatives into a terminal.
    fn alternatives(&mut self, alternatives: &[&[Factor]]) -> Option<TerminalId> {
        let each = alternatives.iter().map(|factors| self.sequence(factors));
        let all: Vec<TerminalId> = each.collect::<Option<_>>()?;
        match all[..] {
            [] => None,
            [one] => Some(one),
            [first, ..] if self.is_small(&all) => {
                let span = self.grammar.terminals.span(first);
                Some(self.grammar.terminals.intern(Terminal::Alternatives(all.into()), span))
            }
            _ => None,
        }
    }

    /// Expands a sequence of factors into a terminal.
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
        if !self.is_small(&parts) {
            return None;
        }
        let span = parts.first().map_or(Span::default(), |&first| self.grammar.terminals.span(first));
        Some(self.grammar.terminals.sequence(parts, span))
    }

    /// Returns true if terminals together are small enough to be expanded.
    fn is_small(&self, terminals: &[TerminalId]) -> bool {
        let weights = terminals.iter().map(|&terminal| self.grammar.terminals.weight(terminal));
        weights.fold(0, usize::saturating_add) <= MAX_EXPANDED_BYTES
    }

    /// Returns true if a terminal is known to contain a text.
    fn is_known_nonempty(&mut self, id: TerminalId) -> bool {
        let Some(language) = self.language(id) else { return false };
        let Context { store, cancellation } = &mut *self.context;
        matches!(store.cancellable(|| cancellation.is_cancelled()).is_empty(language), Ok(Some(false)))
    }

    /// Returns true if a terminal is a character.
    fn is_character(&mut self, id: TerminalId) -> bool {
        if let Some(&known) = self.characters.get(&id) {
            return known;
        }
        let is_character = self.language(id).is_some_and(|language| {
            let Context { store, cancellation } = &mut *self.context;
            analysis::is_character_class(store, language).unwrap_or(false)
                && is_short(store, language, cancellation)
        });
        self.characters.insert(id, is_character);
        is_character
    }

    /// Compiles a terminal. `None` if that fails: the caller that needs the language reports the error.
    fn language(&mut self, id: TerminalId) -> Option<RegularId> {
        let Context { store, cancellation } = &mut *self.context;
        self.grammar.terminals.lower_cancellable(id, store, || cancellation.is_cancelled()).ok().flatten()
    }
}

/// Returns true if no text of a language is longer than a character.
fn is_short(store: &mut Store, language: RegularId, cancellation: &mut Cancellation<'_>) -> bool {
    if analysis::max_len(store, language)
        .is_some_and(|longest| longest <= analysis::MAX_ESCAPED_CHARACTER_BYTES)
    {
        return true;
    }
    let any = store.any_byte();
    let Ok(long) = store.repeat(any, analysis::MAX_ESCAPED_CHARACTER_BYTES + 1, None) else { return false };
    let Ok(both) = store.intersection(&[language, long]) else { return false };
    matches!(store.cancellable(|| cancellation.is_cancelled()).is_empty(both), Ok(Some(true)))
}

/// Returns true if the postcondition of the pass holds: running the pass again changes nothing.
pub(crate) fn holds(grammar: &Grammar) -> bool {
    // Running the pass again must change nothing, even in an empty store.
    let mut copy = grammar.clone();
    copy.terminals.forget_languages();
    let mut store = Store::new(&Default::default());
    let (mut never, before) = (|| false, copy.to_string());
    let mut cancellation = Cancellation::new(&mut never);
    let mut context = Context { store: &mut store, cancellation: &mut cancellation };
    gather_characters(&mut copy, &mut context).is_ok() && copy.to_string() == before
}

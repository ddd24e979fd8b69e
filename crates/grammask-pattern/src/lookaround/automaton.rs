//! Patterns with look-around anywhere, inside of repetitions too, by automata.
//!
//! `^(?:a(?!b)|b)+$` is read as an NFA whose empty transitions have guards. A guard is an assertion, or
//! names the NFA of a look-around. The guards at a position depend on the text before it and after it:
//!
//! 1. *Left contexts*: a DFA from left to right. Its state decides `^`, the left side of `\b`, and all
//!    look-behind.
//! 2. *Futures*: from right to left, the set of NFA states from which the rest of the text is accepted. It
//!    decides all look-ahead, and is a function of the next character, the next future and the left context.
//! 3. Pairs of both are the states of an unambiguous NFA. Its DFA is minimized, and written as a regex.
//!
//! # Source
//! J. A. Brzozowski and E. Leiss, "On equations for regular languages, finite automata, and sequential
//! networks", 1980, for automata whose states are evaluated from right to left.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use rustc_hash::FxHashMap;

use super::dfa::Dfa;
use crate::Error;
use crate::language::{LanguageId, Languages};
use crate::syntax::class::{ANY, bracketed, characters};
use crate::syntax::node::{Assertion, Node};
use crate::write;

/// NFA states that are evaluated for one unit of [`Limits::max_pattern_steps`](crate::Limits::max_pattern_steps).
const STATES_PER_STEP: usize = 16;

/// Returns the texts in which an alternative of a pattern matches somewhere.
///
/// # Errors
/// When look-ahead is inside of look-behind, or a limit is exceeded.
pub(crate) fn search(languages: &mut Languages<'_>, alternative: &Node) -> Result<LanguageId, Error> {
    let limits = *languages.limits();
    let mut builder = Builder {
        nfa: Nfa::default(),
        class_ids: FxHashMap::default(),
        body: 0,
        in_behind: false,
        size: 0,
        max_size: limits.max_pattern_nodes,
    };
    builder.main(alternative)?;
    let nfa = builder.nfa;
    let mut budget =
        Budget { steps: 0, max_steps: limits.max_pattern_steps, max_states: limits.max_pattern_states };
    let word = bracketed(languages.word(), false);
    let alphabet = Alphabet::new(&nfa, &word, &budget)?;
    let contexts = Contexts::new(&nfa, &alphabet, &mut budget, languages)?;
    let futures = Futures::new(&nfa, &alphabet, &contexts, &mut budget, languages)?;
    let dfa = Dfa::new(&futures.edges, &futures.starts, &futures.ends, alphabet.symbols.len(), &mut budget)?;
    let dfa = dfa.minimize(&mut budget)?;
    let node = dfa.to_node(&alphabet.symbols, limits.max_pattern_size, &mut budget, languages)?;
    match node {
        Some(node) => write::language(&node, languages),
        None => Ok(LanguageId::NONE),
    }
}

/// The work and the states that are left.
pub(super) struct Budget {
    steps: u64,
    max_steps: u64,
    max_states: usize,
}

impl Budget {
    /// Counts the evaluation of `states` states.
    ///
    /// # Errors
    /// When a limit is exceeded.
    pub(super) fn spend(&mut self, states: usize) -> Result<(), Error> {
        self.steps += (1 + states / STATES_PER_STEP) as u64;
        if self.steps > self.max_steps {
            let what = "steps for a pattern with look-around inside";
            return Err(Error::limit(0, "max_pattern_steps", self.max_steps, what));
        }
        Ok(())
    }

    /// # Errors
    /// When an automaton has too many states.
    pub(super) fn check_states(&self, states: usize) -> Result<(), Error> {
        if states > self.max_states {
            let what = "states of an automaton for a pattern with look-around inside";
            return Err(Error::limit(0, "max_pattern_states", self.max_states as u64, what));
        }
        Ok(())
    }
}

/// The condition of an empty transition.
#[derive(Clone, Copy)]
enum Guard {
    Always,
    Assertion(Assertion),
    /// The look-around of this body holds, or does not if `negative`.
    Look {
        body: usize,
        negative: bool,
    },
}

/// The transitions of an NFA state.
#[derive(Default)]
struct Transitions {
    /// Class and target.
    classes: Vec<(usize, usize)>,
    empty: Vec<(Guard, usize)>,
}

/// The pattern, or the inside of a look-around.
struct Body {
    start: usize,
    accept: usize,
    ahead: bool,
    states: Vec<usize>,
}

/// NFAs of the pattern and of all its look-around.
#[derive(Default)]
struct Nfa {
    states: Vec<Transitions>,
    bodies: Vec<Body>,
    /// The bodies, inner before outer ones.
    order: Vec<usize>,
    classes: Vec<ClassUnicode>,
}

struct Builder {
    nfa: Nfa,
    class_ids: FxHashMap<String, usize>,
    /// The body that is being built.
    body: usize,
    in_behind: bool,
    /// Number of states and transitions.
    size: usize,
    max_size: usize,
}

impl Builder {
    fn main(&mut self, node: &Node) -> Result<(), Error> {
        let any = Node::Repeat(Box::new(Node::Class(ANY.to_owned())), 0, None);
        self.body(&Node::sequence(vec![any, node.clone()]), true)?;
        Ok(())
    }

    fn body(&mut self, node: &Node, ahead: bool) -> Result<usize, Error> {
        let (outer, body) = (self.body, self.nfa.bodies.len());
        self.nfa.bodies.push(Body { start: 0, accept: 0, ahead, states: Vec::new() });
        self.body = body;
        let (start, accept) = (self.state()?, self.state()?);
        self.nfa.bodies[body].start = start;
        self.nfa.bodies[body].accept = accept;
        self.compile(node, start, accept)?;
        self.nfa.order.push(body);
        self.body = outer;
        Ok(body)
    }

    fn grow(&mut self) -> Result<(), Error> {
        self.size += 1;
        if self.size > self.max_size {
            let what = "nodes of a pattern with look-around inside";
            return Err(Error::limit(0, "max_pattern_nodes", self.max_size as u64, what));
        }
        Ok(())
    }

    fn state(&mut self) -> Result<usize, Error> {
        self.grow()?;
        let state = self.nfa.states.len();
        self.nfa.states.push(Transitions::default());
        self.nfa.bodies[self.body].states.push(state);
        Ok(state)
    }

    fn empty(&mut self, from: usize, guard: Guard, to: usize) -> Result<(), Error> {
        self.grow()?;
        self.nfa.states[from].empty.push((guard, to));
        Ok(())
    }

    fn class(&mut self, from: usize, class: &str, to: usize) -> Result<(), Error> {
        self.grow()?;
        let id = match self.class_ids.get(class) {
            Some(&id) => id,
            None => {
                let id = self.nfa.classes.len();
                self.nfa.classes.push(characters(class));
                self.class_ids.insert(class.to_owned(), id);
                id
            }
        };
        self.nfa.states[from].classes.push((id, to));
        Ok(())
    }

    /// Adds the transitions of a node between two states.
    fn compile(&mut self, node: &Node, from: usize, to: usize) -> Result<(), Error> {
        match node {
            Node::Char(c) => self.class(from, &regex_syntax::escape(&c.to_string()), to),
            Node::Class(class) => self.class(from, class, to),
            Node::Sequence(parts) => {
                let Some((last, parts)) = parts.split_last() else {
                    return self.empty(from, Guard::Always, to);
                };
                let mut at = from;
                for part in parts {
                    let next = self.state()?;
                    self.compile(part, at, next)?;
                    at = next;
                }
                self.compile(last, at, to)
            }
            Node::Alternatives(parts) => parts.iter().try_for_each(|part| self.compile(part, from, to)),
            Node::Repeat(inner, min, max) => {
                let mut at = from;
                for _ in 0..*min {
                    let next = self.state()?;
                    self.compile(inner, at, next)?;
                    at = next;
                }
                let Some(max) = max else {
                    let around = self.state()?;
                    self.empty(at, Guard::Always, around)?;
                    self.compile(inner, around, around)?;
                    return self.empty(around, Guard::Always, to);
                };
                for _ in *min..*max {
                    self.empty(at, Guard::Always, to)?;
                    let next = self.state()?;
                    self.compile(inner, at, next)?;
                    at = next;
                }
                self.empty(at, Guard::Always, to)
            }
            Node::Assertion(assertion) => self.empty(from, Guard::Assertion(*assertion), to),
            Node::Look { ahead, negative, node } => {
                if self.in_behind && *ahead {
                    return Err(Error::unsupported(0, "look-ahead inside of a look-behind"));
                }
                let outer = self.in_behind;
                self.in_behind |= !*ahead;
                let body = self.body(node, *ahead)?;
                self.in_behind = outer;
                self.empty(from, Guard::Look { body, negative: *negative }, to)
            }
            Node::Restricted { .. } | Node::Atomic { .. } => {
                Err(Error::unsupported(0, "an atomic group inside of look-around"))
            }
        }
    }
}

/// Characters that no class of the pattern distinguishes are one symbol.
struct Alphabet {
    symbols: Vec<ClassUnicode>,
    /// By class and symbol: true if the class contains the symbol.
    contains: Vec<Vec<bool>>,
    /// The side of each symbol: 1 for word characters, 2 for others.
    sides: Vec<usize>,
}

impl Alphabet {
    fn new(nfa: &Nfa, word: &str, budget: &Budget) -> Result<Self, Error> {
        let mut classes: Vec<ClassUnicode> = nfa.classes.clone();
        classes.push(ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)]));
        let uses_word = nfa
            .states
            .iter()
            .flat_map(|state| &state.empty)
            .any(|(guard, _)| matches!(guard, Guard::Assertion(assertion) if assertion.is_boundary()));
        if uses_word {
            classes.push(characters(word));
        }
        // Starts and ends of the ranges, with the class.
        let mut events: Vec<(u32, bool, usize)> = Vec::new();
        for (class, set) in classes.iter().enumerate() {
            for range in set.ranges() {
                events.push((range.start().into(), true, class));
                events.push((u32::from(range.end()) + 1, false, class));
            }
        }
        events.sort_unstable();
        let mut symbols: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        let mut ranges: Vec<Vec<ClassUnicodeRange>> = Vec::new();
        let mut signatures: Vec<Vec<usize>> = Vec::new();
        let mut inside: Vec<usize> = Vec::new();
        let mut at = 0;
        for (place, starts, class) in events {
            if place > at && !inside.is_empty() {
                let symbol = match symbols.get(&inside) {
                    Some(&symbol) => symbol,
                    None => {
                        budget.check_states(ranges.len())?;
                        symbols.insert(inside.clone(), ranges.len());
                        signatures.push(inside.clone());
                        ranges.push(Vec::new());
                        ranges.len() - 1
                    }
                };
                // Surrogates are not characters.
                let low = if (0xD800..0xE000).contains(&at) { 0xE000 } else { at };
                let high = if (0xD800..0xE000).contains(&(place - 1)) { 0xD7FF } else { place - 1 };
                if let (Some(low), Some(high)) = (char::from_u32(low), char::from_u32(high))
                    && low <= high
                {
                    ranges[symbol].push(ClassUnicodeRange::new(low, high));
                }
            }
            at = place;
            match inside.binary_search(&class) {
                Ok(found) if !starts => drop(inside.remove(found)),
                Err(place) if starts => inside.insert(place, class),
                _ => {}
            }
        }
        let contains = (0..nfa.classes.len())
            .map(|class| signatures.iter().map(|inside| inside.binary_search(&class).is_ok()).collect())
            .collect();
        let word = nfa.classes.len() + 1;
        let side =
            |inside: &Vec<usize>| if uses_word && inside.binary_search(&word).is_err() { 2 } else { 1 };
        let sides = signatures.iter().map(side).collect();
        let symbols = ranges.into_iter().map(ClassUnicode::new).collect();
        Ok(Self { symbols, contains, sides })
    }
}

/// The DFA of left contexts.
struct Contexts {
    /// By context: the side of the character to the left, or 0 at the start of the text.
    left: Vec<usize>,
    /// By context and side of the next character, then by body: true if the look-behind holds.
    behind: Vec<[Vec<bool>; 3]>,
    /// By context and symbol: the contexts before the symbol.
    before: Vec<Vec<Vec<usize>>>,
}

impl Contexts {
    fn new(
        nfa: &Nfa,
        alphabet: &Alphabet,
        budget: &mut Budget,
        languages: &Languages<'_>,
    ) -> Result<Self, Error> {
        let starts: Vec<usize> =
            nfa.bodies.iter().filter(|body| !body.ahead).map(|body| body.start).collect();
        let mut ids = FxHashMap::default();
        let mut known = vec![(0, starts.clone())];
        ids.insert(known[0].clone(), 0);
        let mut behind = Vec::new();
        let mut edges = Vec::new();
        let mut next = 0;
        while next < known.len() {
            if languages.is_cancelled() {
                return Err(Error::cancelled());
            }
            let (left, states) = known[next].clone();
            let closed = [0, 1, 2].map(|right| close(nfa, &states, left, right));
            for (symbol, &side) in alphabet.sides.iter().enumerate() {
                budget.spend(closed[side].0.len())?;
                let mut after = starts.clone();
                for &state in &closed[side].0 {
                    let classes = nfa.states[state].classes.iter();
                    after.extend(
                        classes.filter(|(class, _)| alphabet.contains[*class][symbol]).map(|&(_, to)| to),
                    );
                }
                after.sort_unstable();
                after.dedup();
                let key = (side, after);
                let id = match ids.get(&key) {
                    Some(&id) => id,
                    None => {
                        budget.check_states(known.len())?;
                        ids.insert(key.clone(), known.len());
                        known.push(key);
                        known.len() - 1
                    }
                };
                edges.push((next, symbol, id));
            }
            behind.push(closed.map(|(_, holds)| holds));
            next += 1;
        }
        let mut before = vec![vec![Vec::new(); alphabet.symbols.len()]; known.len()];
        for (from, symbol, to) in edges {
            before[to][symbol].push(from);
        }
        Ok(Self { left: known.into_iter().map(|(left, _)| left).collect(), behind, before })
    }
}

/// Returns the states that are reachable by empty transitions, and by body whether its look-behind holds.
fn close(nfa: &Nfa, states: &[usize], left: usize, right: usize) -> (Vec<usize>, Vec<bool>) {
    let mut holds = vec![false; nfa.bodies.len()];
    let mut all = Vec::new();
    if states.is_empty() {
        return (all, holds);
    }
    let mut seen = vec![false; nfa.states.len()];
    for &body in nfa.order.iter().filter(|&&body| !nfa.bodies[body].ahead) {
        let of = &nfa.bodies[body];
        let mut stack: Vec<usize> =
            states.iter().copied().filter(|state| of.states.binary_search(state).is_ok()).collect();
        while let Some(state) = stack.pop() {
            if std::mem::replace(&mut seen[state], true) {
                continue;
            }
            all.push(state);
            for &(guard, to) in &nfa.states[state].empty {
                if guard.holds(left, right, &holds) {
                    stack.push(to);
                }
            }
        }
        holds[body] = seen[of.accept];
    }
    (all, holds)
}

impl Guard {
    /// Returns true if the guard holds between two sides. `looks` says which look-around holds, by body.
    fn holds(self, left: usize, right: usize, looks: &[bool]) -> bool {
        match self {
            Self::Always => true,
            Self::Assertion(assertion) => assertion.holds(left, right),
            Self::Look { body, negative } => looks[body] != negative,
        }
    }
}

/// The unambiguous NFA of contexts and futures.
struct Futures {
    /// By state: symbol and target.
    edges: Vec<Vec<(usize, usize)>>,
    starts: Vec<usize>,
    ends: Vec<bool>,
}

/// A set of NFA states.
type Set = Box<[u64]>;

fn has(set: &[u64], state: usize) -> bool {
    set[state / 64] >> (state % 64) & 1 == 1
}

impl Futures {
    fn new(
        nfa: &Nfa,
        alphabet: &Alphabet,
        contexts: &Contexts,
        budget: &mut Budget,
        languages: &Languages<'_>,
    ) -> Result<Self, Error> {
        let mut ids: FxHashMap<(usize, Set), usize> = FxHashMap::default();
        let mut known: Vec<(usize, Set)> = Vec::new();
        for context in 0..contexts.left.len() {
            budget.spend(nfa.states.len())?;
            let future = future(nfa, alphabet, contexts, context, None);
            ids.insert((context, future.clone()), known.len());
            known.push((context, future));
        }
        let mut ends = vec![true; known.len()];
        let mut edges: Vec<Vec<(usize, usize)>> = vec![Vec::new(); known.len()];
        let mut next = 0;
        while next < known.len() {
            if languages.is_cancelled() {
                return Err(Error::cancelled());
            }
            let (context, set) = known[next].clone();
            for (symbol, before) in contexts.before[context].iter().enumerate() {
                for &context in before {
                    budget.spend(nfa.states.len())?;
                    let key = (context, future(nfa, alphabet, contexts, context, Some((symbol, &set))));
                    let id = match ids.get(&key) {
                        Some(&id) => id,
                        None => {
                            budget.check_states(known.len())?;
                            ids.insert(key.clone(), known.len());
                            known.push(key);
                            edges.push(Vec::new());
                            ends.push(false);
                            known.len() - 1
                        }
                    };
                    edges[id].push((symbol, next));
                }
            }
            next += 1;
        }
        let start = nfa.bodies[0].start;
        let starts = known.iter().enumerate().filter(|(_, (context, set))| *context == 0 && has(set, start));
        Ok(Self { starts: starts.map(|(id, _)| id).collect(), edges, ends })
    }
}

/// Returns the NFA states from which the rest of a text is accepted, given its first symbol and the future
/// after that. The rest is empty for `None`.
fn future(
    nfa: &Nfa,
    alphabet: &Alphabet,
    contexts: &Contexts,
    context: usize,
    rest: Option<(usize, &Set)>,
) -> Set {
    let mut set = vec![0u64; nfa.states.len().div_ceil(64)];
    let left = contexts.left[context];
    let right = rest.map_or(0, |(symbol, _)| alphabet.sides[symbol]);
    let mut looks = contexts.behind[context][right].clone();
    for &body in nfa.order.iter().filter(|&&body| nfa.bodies[body].ahead) {
        let of = &nfa.bodies[body];
        set[of.accept / 64] |= 1 << (of.accept % 64);
        if let Some((symbol, after)) = rest {
            for &state in &of.states {
                let classes = &nfa.states[state].classes;
                if classes.iter().any(|&(class, to)| alphabet.contains[class][symbol] && has(after, to)) {
                    set[state / 64] |= 1 << (state % 64);
                }
            }
        }
        loop {
            let mut grew = false;
            for &state in of.states.iter().rev() {
                let empty = &nfa.states[state].empty;
                if !has(&set, state)
                    && empty.iter().any(|&(guard, to)| has(&set, to) && guard.holds(left, right, &looks))
                {
                    set[state / 64] |= 1 << (state % 64);
                    grew = true;
                }
            }
            if !grew {
                break;
            }
        }
        looks[body] = has(&set, of.start);
    }
    set.into()
}

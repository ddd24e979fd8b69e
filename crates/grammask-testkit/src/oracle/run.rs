//! Earley's recognizer: a set of items for each position, origins are positions.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::desugar::{Special, Symbol};
use super::reduce::Reduced;

/// What became of a token under eager ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It was taken, and the output goes on.
    Ongoing,
    /// It was taken, and the output is in the language: nothing may follow.
    Finished,
    /// It was not taken, and nothing changed.
    Rejected,
}

/// A place in a production; in front of a terminal, also a place in its automaton (else 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Item {
    production: usize,
    dot: usize,
    state: u32,
    origin: usize,
}

#[derive(Clone, Debug, Default)]
struct Set {
    items: Vec<Item>,
    /// The items in front of a nonterminal, by the nonterminal.
    waiting: FxHashMap<usize, Vec<Item>>,
}

/// A recognizer that has read some bytes and special tokens. A clone goes its own way.
#[derive(Clone, Debug)]
pub struct Run<'g> {
    grammar: &'g Reduced,
    /// One more than what was read.
    sets: Vec<Rc<Set>>,
}

impl<'g> Run<'g> {
    pub(super) fn new(grammar: &'g Reduced) -> Self {
        let mut run = Self { grammar, sets: Vec::new() };
        let starts = [grammar.start, grammar.endless(grammar.start)];
        let begin = |&production: &usize| Item { production, dot: 0, state: 0, origin: 0 };
        let kernel = starts.iter().flat_map(|&start| &grammar.of[start]).map(begin).collect();
        run.close(kernel);
        run
    }

    /// Reads a byte. Gives whether some output still begins with what was read.
    pub fn push(&mut self, byte: u8) -> bool {
        let kernel = self.scan(byte).collect();
        self.close(kernel);
        self.is_live()
    }

    /// The items after `byte`, before anything is completed or predicted.
    fn scan(&self, byte: u8) -> impl Iterator<Item = Item> {
        self.last().items.iter().filter_map(move |item| match self.symbol(*item) {
            Some(Symbol::Terminal(terminal)) => {
                self.grammar.terminals[terminal].next(item.state, byte).map(|state| Item { state, ..*item })
            }
            _ => None,
        })
    }

    /// Reads the bytes of `token`. Gives whether some output still begins with what was read.
    pub fn push_all(&mut self, token: &[u8]) -> bool {
        token.iter().all(|&byte| self.push(byte)) && self.is_live()
    }

    /// Reads a special token, known by its name (`<|name|>`, brackets included), its id or both. Gives whether some
    /// output still begins with what was read.
    pub fn push_special(&mut self, name: Option<&str>, id: Option<u32>) -> bool {
        let mut kernel = Vec::new();
        for item in &self.last().items {
            if let Some(Symbol::Special(special)) = self.symbol(*item) {
                let matches = match &self.grammar.specials[special] {
                    Special::Name(wanted) => name == Some(wanted),
                    Special::Id(wanted) => id == Some(*wanted),
                };
                if matches {
                    kernel.push(Item { dot: item.dot + 1, ..*item });
                }
            }
        }
        self.close(kernel);
        self.is_live()
    }

    /// Whether what was read is in the language. Never before something was read.
    pub fn is_complete(&self) -> bool {
        self.sets.len() > 1 && self.last().items.iter().any(|item| self.is_complete_start(item))
    }

    fn is_complete_start(&self, item: &Item) -> bool {
        let production = &self.grammar.productions[item.production];
        item.origin == 0 && production.left == self.grammar.start && item.dot == production.right.len()
    }

    /// Whether some output, finite or endless, begins with what was read.
    pub fn is_live(&self) -> bool {
        !self.last().items.is_empty()
    }

    /// How many bytes and special tokens were read.
    pub fn position(&self) -> usize {
        self.sets.len() - 1
    }

    /// How many ways to read on there are: as much work is a byte.
    pub fn items(&self) -> usize {
        self.last().items.len()
    }

    /// Goes back to where `position` bytes and special tokens were read. Does nothing if it is not there yet.
    pub fn rollback(&mut self, position: usize) {
        self.sets.truncate(position + 1);
    }

    /// Whether some output begins with what was read and `token`. Never for a token without bytes.
    pub fn allows(&self, token: &[u8]) -> bool {
        !token.is_empty() && self.clone().push_all(token)
    }

    /// As [`Run::allows`], for each of some tokens. What they begin with in common is read once.
    pub fn allowed(&self, tokens: &[Vec<u8>]) -> Vec<bool> {
        self.allowed_while(tokens, |_| true)
    }

    /// As [`Run::allows_eagerly`], for each of some tokens.
    pub fn allowed_eagerly(&self, tokens: &[Vec<u8>]) -> Vec<bool> {
        self.allowed_while(tokens, |run| !run.is_complete())
    }

    /// Which of some tokens can be read, if a byte is read only where `goes_on` says so.
    fn allowed_while(&self, tokens: &[Vec<u8>], goes_on: impl Fn(&Self) -> bool) -> Vec<bool> {
        let mut order: Vec<usize> = (0..tokens.len()).collect();
        order.sort_unstable_by_key(|&token| &tokens[token]);
        let mut allowed = vec![false; tokens.len()];
        let (mut run, begin) = (self.clone(), self.position());
        // What was read of the token before, and whether nothing goes on with the last byte of that.
        let (mut read, mut is_stuck): (&[u8], bool) = (&[], false);
        for place in order {
            let token = &tokens[place];
            let common = read.iter().zip(token).take_while(|(one, other)| one == other).count();
            if common < read.len() {
                is_stuck = false;
                run.rollback(begin + common);
            }
            read = &token[..common];
            while !is_stuck && read.len() < token.len() {
                read = &token[..=read.len()];
                is_stuck = !goes_on(&run) || !run.push(read[read.len() - 1]);
            }
            allowed[place] = !token.is_empty() && !is_stuck;
        }
        allowed
    }

    /// As [`Run::allows`], for a special token.
    pub fn allows_special(&self, name: Option<&str>, id: Option<u32>) -> bool {
        self.clone().push_special(name, id)
    }

    /// Whether `token` is allowed under eager ending: [`Run::allows`], and what was read is not in the language, nor
    /// what was read with a part of the token.
    pub fn allows_eagerly(&self, token: &[u8]) -> bool {
        self.clone().accept_eagerly(token) != Outcome::Rejected
    }

    /// Reads `token` under eager ending, if it is allowed.
    pub fn accept_eagerly(&mut self, token: &[u8]) -> Outcome {
        let before = self.position();
        for &byte in token {
            if self.is_complete() || !self.push(byte) {
                self.rollback(before);
                return Outcome::Rejected;
            }
        }
        match token {
            [] => Outcome::Rejected,
            _ if self.is_complete() => Outcome::Finished,
            _ => Outcome::Ongoing,
        }
    }

    /// The bytes that keep it live, in ascending order.
    pub fn live_bytes(&self) -> Vec<u8> {
        (0..=255).filter(|&byte| self.scan(byte).next().is_some()).collect()
    }

    fn last(&self) -> &Set {
        self.sets.last().expect("there is always a set")
    }

    fn symbol(&self, item: Item) -> Option<Symbol> {
        self.grammar.productions[item.production].right.get(item.dot).copied()
    }

    /// Adds the set that follows from the items in `kernel`.
    fn close(&mut self, kernel: Vec<Item>) {
        let here = self.sets.len();
        let grammar = self.grammar;
        let mut set = Set::default();
        let mut seen: FxHashSet<Item> = FxHashSet::default();
        let mut agenda = kernel;
        while let Some(item) = agenda.pop() {
            if !seen.insert(item) {
                continue;
            }
            set.items.push(item);
            let advanced = Item { dot: item.dot + 1, state: 0, ..item };
            match self.symbol(item) {
                Some(Symbol::Nonterminal(nonterminal)) => {
                    // Predict. An empty production would complete here, when not all that wait for it are known, so
                    // whoever waits for a nullable nonterminal also goes on without it.
                    let waiting = set.waiting.entry(nonterminal).or_default();
                    if waiting.is_empty() {
                        let begin = |&production: &usize| Item { production, dot: 0, state: 0, origin: here };
                        agenda.extend(grammar.of[nonterminal].iter().map(begin));
                    }
                    waiting.push(item);
                    if grammar.nullable[nonterminal] {
                        agenda.push(advanced);
                    }
                }
                Some(Symbol::Terminal(terminal)) => {
                    if grammar.terminals[terminal].is_accepting(item.state) {
                        agenda.push(advanced);
                    }
                }
                Some(Symbol::Special(_)) => {}
                None => {
                    // Complete. What has its origin here is empty, and was dealt with when predicting.
                    let left = grammar.productions[item.production].left;
                    if item.origin != here
                        && let Some(waiting) = self.sets[item.origin].waiting.get(&left)
                    {
                        agenda.extend(waiting.iter().map(|item| Item {
                            dot: item.dot + 1,
                            state: 0,
                            ..*item
                        }));
                    }
                }
            }
        }
        self.sets.push(Rc::new(set));
    }
}

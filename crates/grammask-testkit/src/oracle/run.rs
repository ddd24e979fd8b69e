//! Earley's recognizer: a set of items for each position, with origins that are positions.

use std::rc::Rc;

use grammask_syntax::SpecialMember;
use rustc_hash::{FxHashMap, FxHashSet};

use super::desugar::{Special, Symbol};
use super::reduce::Reduced;

/// The outcome of a token under eager ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The token was accepted, and the text is incomplete.
    Ongoing,
    /// The token was accepted, and the text is complete: nothing may follow.
    Finished,
    /// The token was rejected, and the text is unchanged.
    Rejected,
}

/// A position in a production. Before a terminal, `state` is a state of its automaton; otherwise it is 0.
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
    /// By nonterminal: the items before it.
    callers: FxHashMap<usize, Vec<Item>>,
}

/// A recognizer after some bytes and special tokens. Clones are independent.
#[derive(Clone, Debug)]
pub struct Run<'g> {
    grammar: &'g Reduced,
    /// The sets before and after each byte or special token.
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

    /// Returns the items after `byte`, before completion and prediction.
    fn scan(&self, byte: u8) -> impl Iterator<Item = Item> {
        self.last().items.iter().filter_map(move |item| match self.symbol(*item) {
            Some(Symbol::Terminal(terminal)) => {
                self.grammar.terminals[terminal].next(item.state, byte).map(|state| Item { state, ..*item })
            }
            _ => None,
        })
    }

    /// Reads the bytes of `token`. Returns true if some output begins with the text so far.
    pub fn push_all(&mut self, token: &[u8]) -> bool {
        token.iter().all(|&byte| self.push(byte)) && self.is_live()
    }

    /// Reads a special token, given by its name (`<|name|>`, brackets included), its id or both. Returns true
    /// if some output begins with the text so far.
    pub fn push_special(&mut self, name: Option<&str>, id: Option<u32>) -> bool {
        let mut kernel = Vec::new();
        for item in &self.last().items {
            if let Some(Symbol::Special(special)) = self.symbol(*item) {
                let matches = match &self.grammar.specials[special] {
                    Special::Name(wanted) => name == Some(wanted),
                    Special::Id(wanted) => id == Some(*wanted),
                    Special::Set(set) => {
                        let is_member = set.members.iter().any(|member| match member {
                            SpecialMember::Name(wanted) => name == Some(wanted),
                            SpecialMember::Ids(first, last) => {
                                id.is_some_and(|id| (*first..=*last).contains(&id))
                            }
                        });
                        let is_end = id.is_some_and(|id| self.grammar.ends.contains(&id));
                        if set.is_complement { !is_member && !is_end } else { is_member }
                    }
                };
                if matches {
                    kernel.push(Item { dot: item.dot + 1, ..*item });
                }
            }
        }
        self.close(kernel);
        self.is_live()
    }

    /// Returns true if the text so far is in the language. False for the empty text, unless it is an output.
    pub fn is_complete(&self) -> bool {
        if self.sets.len() == 1 {
            return self.grammar.allows_empty;
        }
        self.last().items.iter().any(|item| self.is_complete_start(item))
    }

    fn is_complete_start(&self, item: &Item) -> bool {
        let production = &self.grammar.productions[item.production];
        item.origin == 0 && production.left == self.grammar.start && item.dot == production.right.len()
    }

    /// Returns true if some output, finite or endless, begins with the text so far.
    pub fn is_live(&self) -> bool {
        !self.last().items.is_empty()
    }

    /// Returns the number of bytes and special tokens so far.
    pub fn position(&self) -> usize {
        self.sets.len() - 1
    }

    /// Returns the number of items in the last set, which is proportional to the work for the next byte.
    pub fn items(&self) -> usize {
        self.last().items.len()
    }

    /// Returns to the state after `position` bytes and special tokens. Does nothing if fewer were read.
    pub fn rollback(&mut self, position: usize) {
        self.sets.truncate(position + 1);
    }

    /// Returns true if some output begins with the text so far and `token`. Always false for a token without
    /// bytes.
    pub fn allows(&self, token: &[u8]) -> bool {
        !token.is_empty() && self.clone().push_all(token)
    }

    /// As [`Run::allows`], for each of `tokens`. Reads common prefixes once.
    pub fn allowed(&self, tokens: &[Vec<u8>]) -> Vec<bool> {
        self.allowed_while(tokens, |_| true)
    }

    /// As [`Run::allows_eagerly`], for each of `tokens`.
    pub fn allowed_eagerly(&self, tokens: &[Vec<u8>]) -> Vec<bool> {
        self.allowed_while(tokens, |run| !run.is_complete())
    }

    /// Returns, for each token, true if all of its bytes can be read. A byte can be read only if
    /// `may_continue` returns true.
    fn allowed_while(&self, tokens: &[Vec<u8>], may_continue: impl Fn(&Self) -> bool) -> Vec<bool> {
        let mut order: Vec<usize> = (0..tokens.len()).collect();
        order.sort_unstable_by_key(|&token| &tokens[token]);
        let mut allowed = vec![false; tokens.len()];
        let (mut run, begin) = (self.clone(), self.position());
        // The prefix of the previous token that was read, and true if its last byte was rejected.
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
                is_stuck = !may_continue(&run) || !run.push(read[read.len() - 1]);
            }
            allowed[place] = !token.is_empty() && !is_stuck;
        }
        allowed
    }

    /// As [`Run::allows`], for a special token.
    pub fn allows_special(&self, name: Option<&str>, id: Option<u32>) -> bool {
        self.clone().push_special(name, id)
    }

    /// Returns true if `token` is allowed under eager ending: [`Run::allows`], and neither the text so far
    /// nor the text with a proper prefix of the token is complete.
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

    /// Returns the bytes that some output continues with, in ascending order.
    pub fn live_bytes(&self) -> Vec<u8> {
        (0..=255).filter(|&byte| self.scan(byte).next().is_some()).collect()
    }

    fn last(&self) -> &Set {
        self.sets.last().expect("there is always a set")
    }

    fn symbol(&self, item: Item) -> Option<Symbol> {
        self.grammar.productions[item.production].right.get(item.dot).copied()
    }

    /// Adds the closure of the items in `kernel`, by prediction and completion.
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
                    // Predict. An empty production would complete in this set, before all of its callers are
                    // known. So an item before a nullable nonterminal also advances over it at once (Aycock
                    // and Horspool).
                    let callers = set.callers.entry(nonterminal).or_default();
                    if callers.is_empty() {
                        let begin = |&production: &usize| Item { production, dot: 0, state: 0, origin: here };
                        agenda.extend(grammar.of[nonterminal].iter().map(begin));
                    }
                    callers.push(item);
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
                    // Complete. An item with its origin here is empty, which prediction has handled.
                    let left = grammar.productions[item.production].left;
                    if item.origin != here
                        && let Some(callers) = self.sets[item.origin].callers.get(&left)
                    {
                        agenda.extend(callers.iter().map(|item| Item {
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

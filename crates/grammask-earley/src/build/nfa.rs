//! The nondeterministic automaton of one nonterminal, over bytes, special tokens, calls and epsilon.

use grammask_work::narrow;

use crate::CalleeId;
use crate::build::dfa::Dfa;

/// Label of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Label {
    /// The empty text; only in an [`Nfa`].
    Epsilon,
    /// One byte.
    Byte(u8),
    /// The special token with this index.
    Special(u16),
    /// A text of the callee.
    Call(CalleeId),
}

/// Initial capacity in states and edges: most nonterminals need no more.
pub(super) const INITIAL_CAPACITY: usize = 64;

/// Sentinel: there is no older edge.
const NO_EDGE: u32 = u32::MAX;

/// A nondeterministic automaton with one start state and one end state.
pub(crate) struct Nfa {
    /// By state, the newest edge that leaves it.
    newest: Vec<u32>,
    edges: Vec<Edge>,
    /// True if there are epsilon edges.
    pub(super) has_epsilon: bool,
}

struct Edge {
    label: Label,
    to: u32,
    /// The next older edge that leaves the same state.
    older: u32,
}

impl Nfa {
    pub(crate) fn new() -> Self {
        let mut newest = Vec::with_capacity(INITIAL_CAPACITY);
        newest.resize(2, NO_EDGE);
        Self { newest, edges: Vec::with_capacity(INITIAL_CAPACITY), has_epsilon: false }
    }

    /// Removes all states but start and end; keeps the capacity.
    pub(crate) fn clear(&mut self) {
        self.newest.clear();
        self.newest.resize(2, NO_EDGE);
        self.edges.clear();
        self.has_epsilon = false;
    }

    pub(crate) const fn start(&self) -> u32 {
        0
    }

    pub(crate) const fn end(&self) -> u32 {
        1
    }

    pub(crate) const fn len(&self) -> usize {
        self.newest.len()
    }

    pub(crate) fn add_state(&mut self) -> u32 {
        self.newest.push(NO_EDGE);
        narrow(self.newest.len() - 1)
    }

    /// Adds an edge.
    pub(crate) fn connect(&mut self, from: u32, label: Label, to: u32) {
        let older = std::mem::replace(&mut self.newest[from as usize], narrow(self.edges.len()));
        self.edges.push(Edge { label, to, older });
        self.has_epsilon |= label == Label::Epsilon;
    }

    /// Adds a chain of the bytes of a text, which must not be empty.
    pub(crate) fn connect_text(&mut self, from: u32, text: &[u8], to: u32) {
        let mut at = from;
        for (place, &byte) in text.iter().enumerate() {
            let next = if place + 1 == text.len() { to } else { self.add_state() };
            self.connect(at, Label::Byte(byte), next);
            at = next;
        }
    }

    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn edges(&self, state: u32) -> impl Iterator<Item = (Label, u32)> {
        let mut next = self.newest[state as usize];
        std::iter::from_fn(move || {
            let edge = self.edges.get(next as usize)?;
            next = edge.older;
            Some((edge.label, edge.to))
        })
    }

    /// Writes this automaton to `chain` and returns true if it is a single chain of labels. Such an automaton
    /// is deterministic already. In some grammars, most rules are chains.
    pub(super) fn write_chain(&self, chain: &mut Dfa) -> bool {
        chain.clear();
        let mut at = self.start();
        while at != self.end() {
            let Some(edge) = self.edges.get(self.newest[at as usize] as usize) else { return false };
            if edge.older != NO_EDGE || edge.label == Label::Epsilon || chain.view().len() + 1 >= self.len() {
                return false;
            }
            chain.edges.push((edge.label, narrow(chain.view().len()) + 1));
            chain.end_state(false);
            at = edge.to;
        }
        chain.end_state(true);
        chain.bottom_up.extend((0..narrow(chain.view().len())).rev());
        self.newest[at as usize] == NO_EDGE
    }
}

//! Deterministic automata over symbols: from an NFA, minimal, and as a regex.
//!
//! # Source
//! J. A. Brzozowski and E. J. McCluskey, "Signal flow graph techniques for sequential circuit state
//! diagrams", 1963, for the elimination of states; M. Delgado and J. Morais, "Approximation to the smallest
//! regular expression for a given regular language", 2004, for its order.

use std::collections::BTreeMap;

use regex_syntax::hir::ClassUnicode;
use rustc_hash::FxHashMap;

use super::automaton::Budget;
use crate::Error;
use crate::language::Languages;
use crate::syntax::class::{characters, to_class};
use crate::syntax::node::Node;

/// A deterministic automaton. Its first state is the start.
pub(super) struct Dfa {
    /// By state and symbol, row-major. `None` leads to no accepting state.
    next: Vec<Option<usize>>,
    accepts: Vec<bool>,
    symbols: usize,
}

impl Dfa {
    /// Returns the automaton of an NFA, which has edges of symbol and target by state.
    pub(super) fn new(
        edges: &[Vec<(usize, usize)>],
        starts: &[usize],
        ends: &[bool],
        symbols: usize,
        budget: &mut Budget,
    ) -> Result<Self, Error> {
        let mut dfa = Self { next: Vec::new(), accepts: Vec::new(), symbols };
        let mut ids: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        let mut known = vec![starts.to_vec()];
        ids.insert(known[0].clone(), 0);
        let mut at = 0;
        while at < known.len() {
            let mut after = vec![Vec::new(); symbols];
            for &state in &known[at] {
                budget.spend(edges[state].len())?;
                for &(symbol, to) in &edges[state] {
                    after[symbol].push(to);
                }
            }
            dfa.accepts.push(known[at].iter().any(|&state| ends[state]));
            for mut set in after {
                if set.is_empty() {
                    dfa.next.push(None);
                    continue;
                }
                set.sort_unstable();
                set.dedup();
                let id = match ids.get(&set) {
                    Some(&id) => id,
                    None => {
                        budget.check_states(known.len())?;
                        ids.insert(set.clone(), known.len());
                        known.push(set);
                        known.len() - 1
                    }
                };
                dfa.next.push(Some(id));
            }
            at += 1;
        }
        Ok(dfa)
    }

    /// Merges states of equal languages, by refining a partition.
    pub(super) fn minimize(self, budget: &mut Budget) -> Result<Self, Error> {
        let mut class: Vec<usize> = self.accepts.iter().map(|&accepts| usize::from(accepts)).collect();
        let mut count = 0;
        loop {
            budget.spend(self.next.len())?;
            let mut ids: FxHashMap<(usize, Vec<Option<usize>>), usize> = FxHashMap::default();
            let mut refined = Vec::with_capacity(class.len());
            for (state, row) in self.next.chunks(self.symbols.max(1)).enumerate() {
                let row = row.iter().map(|to| to.map(|to| class[to])).collect();
                let fresh = ids.len();
                refined.push(*ids.entry((class[state], row)).or_insert(fresh));
            }
            class = refined;
            if ids.len() == count {
                break;
            }
            count = ids.len();
        }
        let mut merged = Self { next: Vec::new(), accepts: Vec::new(), symbols: self.symbols };
        for (state, row) in self.next.chunks(self.symbols.max(1)).enumerate() {
            // The classes are numbered in the order of their first states.
            if class[state] == merged.accepts.len() {
                merged.accepts.push(self.accepts[state]);
                merged.next.extend(row.iter().map(|to| to.map(|to| class[to])));
            }
        }
        Ok(merged)
    }

    /// Returns the language as a node without assertions. Returns `None` if it is empty.
    ///
    /// # Errors
    /// When the node has more than `max_size` nodes.
    pub(super) fn to_node(
        &self,
        symbols: &[ClassUnicode],
        max_size: u64,
        budget: &mut Budget,
        languages: &Languages<'_>,
    ) -> Result<Option<Node>, Error> {
        let states = self.accepts.len();
        let (start, end) = (states, states + 1);
        let mut graph =
            Graph { after: vec![BTreeMap::new(); states + 2], before: vec![Vec::new(); states + 2] };
        graph.add(start, 0, Node::Sequence(Vec::new()));
        for (state, row) in self.next.chunks(self.symbols.max(1)).enumerate() {
            if self.accepts[state] {
                graph.add(state, end, Node::Sequence(Vec::new()));
            }
            let mut sets: BTreeMap<usize, ClassUnicode> = BTreeMap::new();
            for (symbol, to) in row.iter().enumerate() {
                if let Some(to) = to {
                    sets.entry(*to).or_insert_with(ClassUnicode::empty).union(&symbols[symbol]);
                }
            }
            for (to, set) in sets {
                graph.add(state, to, Node::Class(to_class(&set)));
            }
        }
        let mut left: Vec<usize> = (0..states).collect();
        let mut sizes = vec![0u64; states];
        let weigh = |graph: &Graph, state: usize| graph.weight(state);
        for (state, size) in sizes.iter_mut().enumerate() {
            *size = weigh(&graph, state);
        }
        while let Some(best) = (0..left.len()).min_by_key(|&i| (sizes[left[i]], left[i])) {
            if languages.is_cancelled() {
                return Err(Error::cancelled());
            }
            budget.spend(left.len())?;
            let state = left.swap_remove(best);
            let changed = graph.eliminate(state, max_size, budget)?;
            for state in changed {
                if state < states {
                    sizes[state] = weigh(&graph, state);
                }
            }
        }
        Ok(graph.after[start].remove(&end))
    }
}

/// An automaton with nodes on its edges.
struct Graph {
    after: Vec<BTreeMap<usize, Node>>,
    before: Vec<Vec<usize>>,
}

impl Graph {
    fn add(&mut self, from: usize, to: usize, node: Node) {
        match self.after[from].remove(&to) {
            Some(old) => drop(self.after[from].insert(to, either(old, node))),
            None => {
                self.after[from].insert(to, node);
                self.before[to].push(from);
            }
        }
    }

    /// Returns how much the edges grow when a state is eliminated.
    fn weight(&self, state: usize) -> u64 {
        let count = |node: &Node| node.count() as u64;
        let around = self.after[state].get(&state).map_or(0, count);
        let ins: Vec<u64> = self.before[state]
            .iter()
            .filter(|&&from| from != state)
            .filter_map(|&from| self.after[from].get(&state).map(count))
            .collect();
        let outs: Vec<u64> =
            self.after[state].iter().filter(|(to, _)| **to != state).map(|(_, node)| count(node)).collect();
        let (ways_in, ways_out) = (ins.len() as u64, outs.len() as u64);
        let sum = |all: &[u64]| all.iter().fold(0u64, |sum, size| sum.saturating_add(*size));
        sum(&ins)
            .saturating_mul(ways_out.saturating_sub(1))
            .saturating_add(sum(&outs).saturating_mul(ways_in.saturating_sub(1)))
            .saturating_add(around.saturating_mul((ways_in * ways_out).saturating_sub(1)))
    }

    /// Replaces the paths through a state by edges. Returns the states whose edges changed.
    fn eliminate(&mut self, state: usize, max_size: u64, budget: &mut Budget) -> Result<Vec<usize>, Error> {
        let around = self.after[state].remove(&state);
        let outs = std::mem::take(&mut self.after[state]);
        let ins: Vec<usize> =
            std::mem::take(&mut self.before[state]).into_iter().filter(|&from| from != state).collect();
        for &to in outs.keys() {
            self.before[to].retain(|&from| from != state);
        }
        let around = around.map(|node| Node::Repeat(Box::new(node), 0, None));
        for &from in &ins {
            let Some(node) = self.after[from].remove(&state) else { continue };
            let node = match &around {
                Some(around) => then(node, around.clone()),
                None => node,
            };
            for (&to, out) in &outs {
                let path = then(node.clone(), out.clone());
                let size = path.count();
                budget.spend(size)?;
                if size as u64 > max_size {
                    let what = "expressions for a pattern with look-around inside";
                    return Err(Error::limit(0, "max_pattern_size", max_size, what));
                }
                self.add(from, to, path);
            }
        }
        let mut changed = ins;
        changed.extend(outs.keys());
        Ok(changed)
    }
}

/// Returns the concatenation of two nodes.
fn then(a: Node, b: Node) -> Node {
    let parts = |node: Node| match node {
        Node::Sequence(parts) => parts,
        node => vec![node],
    };
    let mut all = parts(a);
    for part in parts(b) {
        match (all.last(), &part) {
            // `x x*` is `x+`.
            (Some(last), Node::Repeat(inner, 0, None)) if *last == **inner => {
                all.pop();
                all.push(Node::Repeat(inner.clone(), 1, None));
            }
            _ => all.push(part),
        }
    }
    Node::sequence(all)
}

/// Returns the union of two nodes.
fn either(a: Node, b: Node) -> Node {
    let is_empty = |node: &Node| matches!(node, Node::Sequence(parts) if parts.is_empty());
    match (a, b) {
        (a, b) if a == b => a,
        (a, b) if is_empty(&a) => optional(b),
        (a, b) if is_empty(&b) => optional(a),
        (Node::Class(a), Node::Class(b)) => {
            let mut set = characters(&a);
            set.union(&characters(&b));
            Node::Class(to_class(&set))
        }
        (a, b) => factor(a, b),
    }
}

fn optional(node: Node) -> Node {
    match node {
        node if node.is_nullable() => node,
        Node::Repeat(inner, 1, None) => Node::Repeat(inner, 0, None),
        node => Node::Repeat(Box::new(node), 0, Some(1)),
    }
}

/// Returns the union of two nodes, with their common parts at the ends factored out.
fn factor(a: Node, b: Node) -> Node {
    let parts = |node: Node| match node {
        Node::Sequence(parts) => parts,
        node => vec![node],
    };
    let (mut a, mut b) = (parts(a), parts(b));
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let mut all: Vec<Node> = a.drain(..same).collect();
    b.drain(..same);
    let same = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let tail = a.split_off(a.len() - same);
    b.truncate(b.len() - same);
    if all.is_empty() && tail.is_empty() {
        return Node::alternatives(vec![Node::sequence(a), Node::sequence(b)]);
    }
    all.push(either(Node::sequence(a), Node::sequence(b)));
    all.extend(tail);
    Node::sequence(all)
}

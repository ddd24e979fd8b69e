//! Nodes with `^`, `$`, `\b` and `\B`, as matrices of languages over the states of a position.
//!
//! The state of a position is what is to its left and to its right: an edge of the text, a word character, or
//! another one. An assertion is a diagonal matrix, a sequence a product, and `*` a closure.
//!
//! # Source
//! S. C. Kleene, "Representation of events in nerve nets and finite automata", 1956, for the closure by
//! intermediate states.

use regex_syntax::hir::ClassUnicode;
use rustc_hash::FxHashMap;

use crate::Error;
use crate::language::{Language, LanguageId, Languages};
use crate::syntax::class::{self, bracketed};
use crate::syntax::node::Node;
use crate::write::to_regex;

/// One emptiness test is charged as this fraction of
/// [`Limits::max_pattern_steps`](crate::Limits::max_pattern_steps).
const EMPTINESS_SHARE_OF_STEPS: u64 = 40;

/// Builds languages and counts steps.
///
/// A *side* of a position is 0 for the edge of the text. It is 1 for a word character and 2 for another one;
/// in patterns without word boundaries, it is 1 for every character.
pub(crate) struct PatternAlgebra<'a, 's> {
    pub languages: &'a mut Languages<'s>,
    /// Number of sides: 2 or 3.
    pub sides: usize,
    sizes: FxHashMap<LanguageId, u64>,
    steps: u64,
}

/// The texts that a node may match, for each pair of states of the positions before and after it.
#[derive(Clone)]
pub(crate) struct Matrix {
    /// By state: true if the node matches the empty text there.
    pub empty: Vec<bool>,
    /// By pair of states, row-major: the nonempty texts.
    pub words: Vec<LanguageId>,
}

impl<'a, 's> PatternAlgebra<'a, 's> {
    pub(crate) fn new(languages: &'a mut Languages<'s>, node: &Node) -> Self {
        let boundary = |node: &Node| matches!(node, Node::Assertion(found) if found.is_boundary());
        let sides = if node.any(&boundary) { 3 } else { 2 };
        Self { languages, sides, sizes: FxHashMap::default(), steps: 0 }
    }

    /// Returns the number of states. State `s` has the sides `s / sides` and `s % sides`.
    pub(crate) const fn states(&self) -> usize {
        self.sides * self.sides
    }

    pub(crate) const fn state(&self, left: usize, right: usize) -> usize {
        left * self.sides + right
    }

    /// Returns the class of the characters of a side.
    pub(crate) fn class_of(&self, side: usize) -> String {
        match (self.sides, side) {
            (2, _) => class::ANY.to_owned(),
            (_, side) => bracketed(self.languages.word(), side == 2),
        }
    }

    /// Returns the texts such that the position before them has this side to its right.
    pub(crate) fn starting_with(&mut self, side: usize) -> LanguageId {
        if side == 0 {
            return LanguageId::EMPTY_TEXT;
        }
        let class = self.class_of(side);
        self.languages.regex(&format!("{class}(?s:.)*"))
    }

    /// Counts a step, and returns `id` unchanged.
    ///
    /// # Errors
    /// When the language or the number of steps is too large.
    pub(crate) fn checked(&mut self, id: LanguageId) -> Result<LanguageId, Error> {
        self.step()?;
        let limit = self.languages.limits().max_pattern_size;
        if self.size(id) > limit {
            return Err(Error::limit(
                0,
                "max_pattern_size",
                limit,
                "expressions for a pattern with assertions inside",
            ));
        }
        Ok(id)
    }

    /// Returns true if a language is empty.
    pub(crate) fn is_empty(&mut self, id: LanguageId) -> Result<bool, Error> {
        // The search may take as long as many other steps.
        self.steps += self.languages.limits().max_pattern_steps / EMPTINESS_SHARE_OF_STEPS;
        self.step()?;
        match self.languages.is_empty(id) {
            Ok(Some(empty)) => Ok(empty),
            Ok(None) => Err(Error::cancelled()),
            Err(error) => Err(Error::unsupported(0, error.to_string())),
        }
    }

    fn step(&mut self) -> Result<(), Error> {
        self.steps += 1;
        if self.languages.is_cancelled() {
            return Err(Error::cancelled());
        }
        let limit = self.languages.limits().max_pattern_steps;
        if self.steps > limit {
            return Err(Error::limit(
                0,
                "max_pattern_steps",
                limit,
                "steps for a pattern with assertions inside",
            ));
        }
        Ok(())
    }

    /// Returns the number of expressions of a language when it is written out.
    fn size(&mut self, id: LanguageId) -> u64 {
        let mut stack = vec![id];
        while let Some(&top) = stack.last() {
            let parts: &[LanguageId] = match self.languages.get(top) {
                Language::Sequence(parts) | Language::Union(parts) | Language::And(parts) => parts,
                Language::Not(part) | Language::Repeat(part, ..) => std::slice::from_ref(part),
                _ => &[],
            };
            let mut sum = 1u64;
            let pending = stack.len();
            for part in parts {
                match self.sizes.get(part) {
                    Some(&size) => sum = sum.saturating_add(size),
                    None => stack.push(*part),
                }
            }
            if stack.len() == pending {
                self.sizes.insert(top, sum);
                stack.pop();
            }
        }
        self.sizes[&id]
    }

    pub(crate) fn concat(&mut self, a: LanguageId, b: LanguageId) -> Result<LanguageId, Error> {
        let both = self.languages.sequence([a, b]);
        self.checked(both)
    }

    pub(crate) fn union(&mut self, parts: Vec<LanguageId>) -> Result<LanguageId, Error> {
        let any = self.languages.union(parts);
        self.checked(any)
    }

    pub(crate) fn intersect(&mut self, a: LanguageId, b: LanguageId) -> Result<LanguageId, Error> {
        let both = match (a, b) {
            _ if a == b => a,
            (LanguageId::EMPTY_TEXT, other) | (other, LanguageId::EMPTY_TEXT) => {
                match self.languages.contains(other, "") {
                    Ok(true) => LanguageId::EMPTY_TEXT,
                    Ok(false) => LanguageId::NONE,
                    Err(_) => self.languages.and([a, b]),
                }
            }
            _ => self.languages.and([a, b]),
        };
        self.checked(both)
    }

    pub(crate) fn subtract(&mut self, a: LanguageId, b: LanguageId) -> Result<LanguageId, Error> {
        let others = self.languages.not(b);
        self.intersect(a, others)
    }

    /// Returns the nonempty texts of a node without assertions.
    pub(crate) fn nonempty(&mut self, node: &Node) -> Result<LanguageId, Error> {
        let id = match node {
            Node::Sequence(parts) if parts.is_empty() => LanguageId::NONE,
            node if !node.is_nullable() => self.pure(node),
            Node::Repeat(inner, 0, max) if !inner.is_nullable() => {
                let max = max.filter(|&max| max > 1);
                let node = match max {
                    None if !matches!(node, Node::Repeat(_, _, None)) => (**inner).clone(),
                    max => Node::Repeat(inner.clone(), 1, max),
                };
                self.pure(&node)
            }
            Node::Alternatives(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.push(self.nonempty(part)?);
                }
                self.languages.union(all)
            }
            node => {
                let (all, some) = (self.pure(node), self.languages.regex("(?s:.)+"));
                self.languages.and([all, some])
            }
        };
        self.checked(id)
    }

    /// Returns the texts of a node without assertions.
    pub(crate) fn pure(&mut self, node: &Node) -> LanguageId {
        let regex = to_regex(node);
        if regex.is_empty() { LanguageId::EMPTY_TEXT } else { self.languages.regex(&regex) }
    }

    fn none(&self) -> Matrix {
        let states = self.states();
        Matrix { empty: vec![false; states], words: vec![LanguageId::NONE; states * states] }
    }

    /// Returns the matrix of the empty text.
    pub(crate) fn identity(&self) -> Matrix {
        Matrix { empty: vec![true; self.states()], ..self.none() }
    }

    /// Returns the matrix of a node without look-around.
    pub(crate) fn matrix(&mut self, node: &Node) -> Result<Matrix, Error> {
        match node {
            node if node.is_pure() => self.pure_matrix(node),
            Node::Sequence(parts) => {
                let mut all = self.identity();
                for part in group_pure(parts) {
                    let next = self.matrix(&part)?;
                    all = self.product(&all, &next)?;
                }
                Ok(all)
            }
            Node::Alternatives(parts) => {
                let (pure, others): (Vec<&Node>, Vec<&Node>) = parts.iter().partition(|part| part.is_pure());
                let mut all = self.none();
                if !pure.is_empty() {
                    all = self.pure_matrix(&Node::alternatives(pure.into_iter().cloned().collect()))?;
                }
                for part in others {
                    let next = self.matrix(part)?;
                    all = self.sum(&all, &next)?;
                }
                Ok(all)
            }
            Node::Repeat(inner, min, max) => {
                let one = self.matrix(inner)?;
                self.repeat(&one, *min, *max)
            }
            Node::Assertion(assertion) => {
                let sides = self.sides;
                let holds = |state: usize| assertion.holds(state / sides, state % sides);
                Ok(Matrix { empty: (0..self.states()).map(holds).collect(), ..self.none() })
            }
            Node::Restricted { node, restrictions } => {
                let mut all = self.matrix(node)?;
                let mut tied = LanguageId::ANY;
                for restrict in restrictions {
                    let within = self.pure(&restrict.within);
                    let parts =
                        if restrict.ahead { [within, LanguageId::ANY] } else { [LanguageId::ANY, within] };
                    let held = self.languages.sequence(parts);
                    tied = if restrict.negative {
                        self.subtract(tied, held)?
                    } else {
                        self.intersect(tied, held)?
                    };
                }
                for words in &mut all.words {
                    *words = self.intersect(*words, tied)?;
                }
                Ok(all)
            }
            Node::Char(_) | Node::Class(_) | Node::Look { .. } | Node::Atomic { .. } => Ok(self.none()),
        }
    }

    fn pure_matrix(&mut self, node: &Node) -> Result<Matrix, Error> {
        let (sides, states) = (self.sides, self.states());
        let mut matrix = self.none();
        matrix.empty = vec![node.is_nullable(); states];
        let some = self.nonempty(node)?;
        // With one class of characters, all texts start and end with it.
        let [firsts, lasts] = match sides {
            2 => [ClassUnicode::empty(), ClassUnicode::empty()],
            _ => [edge(node, false), edge(node, true)],
        };
        for first in 1..sides {
            for last in 1..sides {
                let single = matches!(node, Node::Char(_) | Node::Class(_));
                let mut words = if single && first != last { LanguageId::NONE } else { some };
                for (found, side, end) in [(&firsts, first, false), (&lasts, last, true)] {
                    if words == LanguageId::NONE || sides == 2 {
                        continue;
                    }
                    let class = self.class_of(side);
                    let wanted = class::characters(&class);
                    let mut common = found.clone();
                    common.intersect(&wanted);
                    if common.ranges().is_empty() {
                        words = LanguageId::NONE;
                    } else if common != *found {
                        words = if matches!(node, Node::Class(_)) {
                            self.languages.regex(&class::to_class(&common))
                        } else {
                            let tied =
                                if end { format!("(?s:.)*{class}") } else { format!("{class}(?s:.)*") };
                            let tied = self.languages.regex(&tied);
                            self.intersect(words, tied)?
                        };
                    }
                }
                for left in 0..sides {
                    for right in 0..sides {
                        let (from, to) = (self.state(left, first), self.state(last, right));
                        matrix.words[from * states + to] = words;
                    }
                }
            }
        }
        Ok(matrix)
    }

    fn sum(&mut self, a: &Matrix, b: &Matrix) -> Result<Matrix, Error> {
        let mut words = Vec::with_capacity(a.words.len());
        for (&a, &b) in a.words.iter().zip(&b.words) {
            words.push(self.union(vec![a, b])?);
        }
        Ok(Matrix { empty: a.empty.iter().zip(&b.empty).map(|(&a, &b)| a || b).collect(), words })
    }

    pub(crate) fn product(&mut self, a: &Matrix, b: &Matrix) -> Result<Matrix, Error> {
        let states = self.states();
        let mut words = Vec::with_capacity(a.words.len());
        for from in 0..states {
            for to in 0..states {
                let mut all = Vec::new();
                if b.empty[to] {
                    all.push(a.words[from * states + to]);
                }
                if a.empty[from] {
                    all.push(b.words[from * states + to]);
                }
                for middle in 0..states {
                    let (x, y) = (a.words[from * states + middle], b.words[middle * states + to]);
                    if x != LanguageId::NONE && y != LanguageId::NONE {
                        all.push(self.concat(x, y)?);
                    }
                }
                words.push(self.union(all)?);
            }
        }
        Ok(Matrix { empty: a.empty.iter().zip(&b.empty).map(|(&a, &b)| a && b).collect(), words })
    }

    /// Returns the matrix of any number of repetitions, by admitting one intermediate state after the other.
    fn closure(&mut self, one: &Matrix) -> Result<Matrix, Error> {
        let states = self.states();
        let mut words = one.words.clone();
        for via in 0..states {
            let around = words[via * states + via];
            let around = self.languages.repeat(around, 0, None);
            let before = words.clone();
            for from in 0..states {
                let x = before[from * states + via];
                if x == LanguageId::NONE {
                    continue;
                }
                let x = self.concat(x, around)?;
                for to in 0..states {
                    let y = before[via * states + to];
                    if y == LanguageId::NONE {
                        continue;
                    }
                    // If the intermediate state is also the end, the direct path is included already.
                    let on = self.concat(x, y)?;
                    words[from * states + to] = self.union(vec![before[from * states + to], on])?;
                }
            }
        }
        Ok(Matrix { empty: vec![true; states], words })
    }

    fn repeat(&mut self, one: &Matrix, min: u32, max: Option<u32>) -> Result<Matrix, Error> {
        let copies = max.unwrap_or(min);
        let limit = self.languages.limits().max_pattern_copies;
        if copies > limit {
            return Err(Error::limit(
                0,
                "max_pattern_copies",
                limit,
                "copies of a repetition with assertions inside",
            ));
        }
        let mut all = match max {
            None => self.closure(one)?,
            Some(_) => self.identity(),
        };
        for _ in min..max.unwrap_or(min) {
            all = self.product(one, &all)?;
            all = self.sum(&all, &self.identity())?;
        }
        for _ in 0..min {
            all = self.product(one, &all)?;
        }
        Ok(all)
    }
}

/// Returns the nodes of a sequence, with neighbours that have no assertions joined.
pub(crate) fn group_pure(parts: &[Node]) -> Vec<Node> {
    let mut all = Vec::new();
    let mut run: Vec<Node> = Vec::new();
    for part in parts {
        if part.is_pure() {
            run.push(part.clone());
        } else {
            if !run.is_empty() {
                all.push(Node::sequence(std::mem::take(&mut run)));
            }
            all.push(part.clone());
        }
    }
    if !run.is_empty() {
        all.push(Node::sequence(run));
    }
    all
}

/// Returns the characters that the texts of a node may start with, or end with if `last`.
fn edge(node: &Node, last: bool) -> ClassUnicode {
    match node {
        Node::Char(c) => {
            let c = regex_syntax::hir::ClassUnicodeRange::new(*c, *c);
            ClassUnicode::new([c])
        }
        Node::Class(class) => class::characters(class),
        Node::Sequence(parts) => {
            let mut all = ClassUnicode::empty();
            let mut take = |part: &Node| {
                all.union(&edge(part, last));
                !part.is_nullable()
            };
            let _ = if last { parts.iter().rev().any(&mut take) } else { parts.iter().any(&mut take) };
            all
        }
        Node::Alternatives(parts) => {
            let mut all = ClassUnicode::empty();
            parts.iter().for_each(|part| all.union(&edge(part, last)));
            all
        }
        Node::Repeat(inner, ..) | Node::Restricted { node: inner, .. } | Node::Atomic { node: inner, .. } => {
            edge(inner, last)
        }
        Node::Assertion(_) | Node::Look { .. } => ClassUnicode::empty(),
    }
}

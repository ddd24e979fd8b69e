//! Parts of a pattern with `^`, `$`, `\b` and `\B` anywhere, as matrices of sets of texts over the states of a place: what stands
//! left of it and what stands right of it. Such an assertion is then a diagonal matrix, and `*` is the closure.

use regex_syntax::hir::ClassUnicode;
use rustc_hash::FxHashMap;

use super::class::{self, WORD, bracketed};
use super::node::{Assertion, Node};
use super::write::written;
use super::{COPIES, PatternError, SIZE};
use crate::language::{Language, LanguageId, Languages};

/// The number of steps for one pattern: products of two entries of matrices, mostly.
const STEPS: u64 = 2_000_000;

/// Makes sets of texts and watches their size.
///
/// A *side* of a place is 0 for the edge of the text; 1 for a word character and 2 for another one, or 1 for any character where
/// the pattern has no word boundary.
pub(super) struct Machine<'a> {
    pub languages: &'a mut Languages,
    /// How many sides there are: 2 or 3.
    pub sides: usize,
    sizes: FxHashMap<LanguageId, u64>,
    steps: u64,
}

/// What a part may match, for each pair of states of the places before and behind it.
#[derive(Clone)]
pub(super) struct Matrix {
    /// In which states it matches the empty text.
    pub empty: Vec<bool>,
    /// The texts that are not empty, rows first.
    pub words: Vec<LanguageId>,
}

impl<'a> Machine<'a> {
    pub fn new(languages: &'a mut Languages, node: &Node) -> Self {
        let boundary =
            |node: &Node| matches!(node, Node::Assertion(Assertion::Boundary | Assertion::NotBoundary));
        let sides = if node.any(&boundary) { 3 } else { 2 };
        Self { languages, sides, sizes: FxHashMap::default(), steps: 0 }
    }

    /// How many states a place has. State `s` has the sides `s / sides` and `s % sides`.
    pub const fn states(&self) -> usize {
        self.sides * self.sides
    }

    pub const fn state(&self, left: usize, right: usize) -> usize {
        left * self.sides + right
    }

    /// The class of the characters of a side.
    pub fn side(&self, side: usize) -> String {
        match (self.sides, side) {
            (2, _) => class::ANY.to_owned(),
            (_, side) => bracketed(WORD, side == 2),
        }
    }

    /// The texts that begin so that a place before them has this right side.
    pub fn first(&mut self, side: usize) -> LanguageId {
        if side == 0 {
            return LanguageId::EMPTY_TEXT;
        }
        let class = self.side(side);
        self.languages.regex(&format!("{class}(?s:.)*"))
    }

    /// Counts a step, and refuses what grew too large.
    pub fn check(&mut self, id: LanguageId) -> Result<LanguageId, PatternError> {
        self.step()?;
        if self.size(id) > SIZE {
            return Err(PatternError::unsupported(
                0,
                format!(
                    "limit `size` of {SIZE} exceeded by the expressions for a pattern with assertions inside"
                ),
            ));
        }
        Ok(id)
    }

    /// Whether there is no text in a set.
    pub fn is_empty(&mut self, id: LanguageId) -> Result<bool, PatternError> {
        // It may take as long as many other steps.
        self.steps += STEPS / 40;
        self.step()?;
        match self.languages.is_empty(id) {
            Ok(Some(empty)) => Ok(empty),
            Ok(None) => Err(PatternError::cancelled()),
            Err(error) => Err(PatternError::unsupported(0, error.to_string())),
        }
    }

    fn step(&mut self) -> Result<(), PatternError> {
        self.steps += 1;
        if self.languages.is_cancelled() {
            return Err(PatternError::cancelled());
        }
        if self.steps > STEPS {
            return Err(PatternError::unsupported(
                0,
                format!("limit `steps` of {STEPS} exceeded by a pattern with assertions inside"),
            ));
        }
        Ok(())
    }

    /// How many expressions a set is when it is written out.
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

    pub fn then(&mut self, a: LanguageId, b: LanguageId) -> Result<LanguageId, PatternError> {
        let both = self.languages.sequence([a, b]);
        self.check(both)
    }

    pub fn either(&mut self, parts: Vec<LanguageId>) -> Result<LanguageId, PatternError> {
        let any = self.languages.union(parts);
        self.check(any)
    }

    pub fn both(&mut self, a: LanguageId, b: LanguageId) -> Result<LanguageId, PatternError> {
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
        self.check(both)
    }

    pub fn except(&mut self, a: LanguageId, b: LanguageId) -> Result<LanguageId, PatternError> {
        let others = self.languages.not(b);
        self.both(a, others)
    }

    /// The texts of a pure part that are not empty.
    pub fn nonempty(&mut self, node: &Node) -> Result<LanguageId, PatternError> {
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
        self.check(id)
    }

    /// The texts of a pure part.
    pub fn pure(&mut self, node: &Node) -> LanguageId {
        let regex = written(node);
        if regex.is_empty() { LanguageId::EMPTY_TEXT } else { self.languages.regex(&regex) }
    }

    fn none(&self) -> Matrix {
        let states = self.states();
        Matrix { empty: vec![false; states], words: vec![LanguageId::NONE; states * states] }
    }

    /// The matrix of the empty text.
    pub fn identity(&self) -> Matrix {
        Matrix { empty: vec![true; self.states()], ..self.none() }
    }

    /// The matrix of a part without look-around.
    pub fn matrix(&mut self, node: &Node) -> Result<Matrix, PatternError> {
        match node {
            node if node.is_pure() => self.pure_matrix(node),
            Node::Sequence(parts) => {
                let mut all = self.identity();
                for part in runs(parts) {
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
                self.power(&one, *min, *max)
            }
            Node::Assertion(assertion) => {
                let sides = self.sides;
                let holds = |state: usize| {
                    let (left, right) = (state / sides, state % sides);
                    match assertion {
                        Assertion::Start => left == 0,
                        Assertion::End => right == 0,
                        Assertion::Boundary => (left == 1) != (right == 1),
                        Assertion::NotBoundary => (left == 1) == (right == 1),
                    }
                };
                Ok(Matrix { empty: (0..self.states()).map(holds).collect(), ..self.none() })
            }
            Node::Tied { node, ties } => {
                let mut all = self.matrix(node)?;
                let mut tied = LanguageId::ANY;
                for tie in ties {
                    let within = self.pure(&tie.within);
                    let parts = if tie.ahead { [within, LanguageId::ANY] } else { [LanguageId::ANY, within] };
                    let held = self.languages.sequence(parts);
                    tied = if tie.negative { self.except(tied, held)? } else { self.both(tied, held)? };
                }
                for words in &mut all.words {
                    *words = self.both(*words, tied)?;
                }
                Ok(all)
            }
            Node::Char(_) | Node::Class(_) | Node::Look { .. } => Ok(self.none()),
        }
    }

    fn pure_matrix(&mut self, node: &Node) -> Result<Matrix, PatternError> {
        let (sides, states) = (self.sides, self.states());
        let mut matrix = self.none();
        matrix.empty = vec![node.is_nullable(); states];
        let some = self.nonempty(node)?;
        // With one class of characters, all texts begin and end with it.
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
                    let class = self.side(side);
                    let wanted = class::characters(&class);
                    let mut common = found.clone();
                    common.intersect(&wanted);
                    if common.ranges().is_empty() {
                        words = LanguageId::NONE;
                    } else if common != *found {
                        words = if matches!(node, Node::Class(_)) {
                            self.languages.regex(&class::written(&common))
                        } else {
                            let tied =
                                if end { format!("(?s:.)*{class}") } else { format!("{class}(?s:.)*") };
                            let tied = self.languages.regex(&tied);
                            self.both(words, tied)?
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

    fn sum(&mut self, a: &Matrix, b: &Matrix) -> Result<Matrix, PatternError> {
        let mut words = Vec::with_capacity(a.words.len());
        for (&a, &b) in a.words.iter().zip(&b.words) {
            words.push(self.either(vec![a, b])?);
        }
        Ok(Matrix { empty: a.empty.iter().zip(&b.empty).map(|(&a, &b)| a || b).collect(), words })
    }

    pub fn product(&mut self, a: &Matrix, b: &Matrix) -> Result<Matrix, PatternError> {
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
                        all.push(self.then(x, y)?);
                    }
                }
                words.push(self.either(all)?);
            }
        }
        Ok(Matrix { empty: a.empty.iter().zip(&b.empty).map(|(&a, &b)| a && b).collect(), words })
    }

    /// Any number of times, by taking the states as stations on the way one after the other.
    fn closure(&mut self, one: &Matrix) -> Result<Matrix, PatternError> {
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
                let x = self.then(x, around)?;
                for to in 0..states {
                    let y = before[via * states + to];
                    if y == LanguageId::NONE {
                        continue;
                    }
                    // Through the station and on; where it is also an end, the way there has been counted already.
                    let on = self.then(x, y)?;
                    words[from * states + to] = self.either(vec![before[from * states + to], on])?;
                }
            }
        }
        Ok(Matrix { empty: vec![true; states], words })
    }

    fn power(&mut self, one: &Matrix, min: u32, max: Option<u32>) -> Result<Matrix, PatternError> {
        let copies = max.unwrap_or(min);
        if copies > COPIES {
            return Err(PatternError::unsupported(
                0,
                format!("limit `copies` of {COPIES} exceeded by a repetition with assertions inside"),
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

/// The parts of a sequence, with pure neighbours joined.
pub(super) fn runs(parts: &[Node]) -> Vec<Node> {
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

/// The characters that a pure part's texts may begin with, or end with.
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
        Node::Repeat(inner, ..) | Node::Tied { node: inner, .. } => edge(inner, last),
        Node::Assertion(_) | Node::Look { .. } => ClassUnicode::empty(),
    }
}

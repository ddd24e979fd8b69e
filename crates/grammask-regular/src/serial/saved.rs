//! Languages as plain data, and loading that does not trust the data.

use crate::construct::substring::factor_leaf;
use crate::leaf::acyclic_dfa::Edge;
use crate::leaf::acyclic_dfa::acyclic_leaf;
use crate::leaf::aho_corasick::AhoCorasick;
use crate::leaf::factor_automaton::FactorAutomaton;
use crate::leaf::word_list::word_leaf;
use crate::leaf::word_list::{WordList, WordRange};
use crate::number::comparison::{Bound, Comparison};
use crate::number::multiple::{Divisor, Multiples};
use crate::number::state::number_leaf;
use crate::number::state::{NumberState, Numbers, NumeralPosition};
use crate::serial::import::reachable;
use crate::store::node::{JsonPosition, Kind, RegularId, UNBOUNDED};
use crate::{ByteSet, Error, Escapes, Limits, Store};
use grammask_work::{charge, charge_len, narrow};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Languages of a [`Store`] and everything that they consist of, as plain data.
///
/// Expressions are in the order of their ids, so that operands come first. Automata are saved as the texts
/// that they are made from. Attributes of expressions are not saved: loading computes them again.
///
/// ```
/// use grammask_regular::{Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let name = store.regex("[a-z]+")?;
/// let saved = store.save(&[name]);
/// let (loaded, names) = Store::load(&saved, 1 << 20).expect("nothing was changed");
/// assert_eq!(loaded.display(names[0]).to_string(), store.display(name).to_string());
/// assert_eq!(loaded.save(&names), saved);
/// # Ok::<(), grammask_regular::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Languages {
    limits: Limits,
    sets: Vec<ByteSet>,
    /// Lists of words.
    words: Vec<Vec<Vec<u8>>>,
    /// Lists of texts that must not occur.
    avoid: Vec<Vec<Vec<u8>>>,
    /// Texts whose substrings are languages.
    factors: Vec<Vec<u8>>,
    /// States of the acyclic DFA. State 0 is the sink, which is not listed.
    acyclic: Vec<State>,
    /// Numbers below [`PREDEFINED`] are the languages that every store has; this list continues from there.
    expressions: Vec<Expression>,
    /// The languages, as numbers of expressions.
    languages: Vec<u32>,
}

/// A state of the acyclic DFA.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct State {
    is_final: bool,
    /// First byte, last byte and target of each edge.
    edges: Vec<(u8, u8, u32)>,
}

/// A [`Kind`] whose numbers refer to the tables of [`Languages`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Expression {
    Bytes(u32),
    Acyclic(u32),
    Words {
        list: u32,
        start: u32,
        end: u32,
        depth: u32,
    },
    AhoCorasick {
        texts: u32,
        state: u32,
    },
    Factor {
        text: u32,
        state: u32,
    },
    Concat(u32, u32),
    Or(Vec<u32>),
    And(Vec<u32>),
    Not(u32),
    Repeat {
        base: u32,
        min: u32,
        max: u32,
    },
    PrefixMinimal(u32),
    Json {
        text: u32,
        escapes: Escapes,
        at: JsonPosition,
    },
    /// A position in the multiples of a divisor. The divisor is its digits up to the last that is not zero,
    /// and the power of ten of that digit.
    Multiple {
        unit: u64,
        power: i8,
        position: NumeralPosition,
    },
    /// A position in a comparison with a bound. The bound is its digits, and the exponent of the first one.
    Compared {
        comparison: Comparison,
        digits: Box<[u8]>,
        exponent: i16,
        position: NumeralPosition,
    },
}

/// The reason why saved languages cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The data breaks an invariant.
    #[error("a saved language is damaged: {0}")]
    Damaged(&'static str),
    /// A limit is exceeded.
    #[error(transparent)]
    Limit(#[from] Error),
}

/// Number of expressions that every store has: the empty language, the empty string, any byte, all strings.
const PREDEFINED: u32 = 4;
/// Units of work for building one expression again.
const UNITS_PER_EXPRESSION: u64 = 8;
/// Units of work for a byte of a text whose automaton is built again.
const UNITS_PER_BYTE: usize = 8;
const IN_RANGE: &str = "numbers are in range";
const NORMAL_FORM: &str = "everything is listed once, in normal form and in order";

impl Languages {
    /// Returns the number of languages.
    pub fn len(&self) -> usize {
        self.languages.len()
    }

    /// Returns true if there is no language.
    pub fn is_empty(&self) -> bool {
        self.languages.is_empty()
    }

    /// Returns the limits of the store that was saved.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// See [`Store::save`].
pub(crate) fn save(store: &Store, languages: &[RegularId]) -> Languages {
    let (expressions, states) = reachable(store, languages);
    let base = expressions.partition_point(|a| a.0 < PREDEFINED);
    let mut saver = Saver {
        store,
        expressions: &expressions[base..],
        states: &states[usize::from(states.first() == Some(&0))..],
        numbers: Default::default(),
        saved: Languages { limits: store.limits.clone(), ..Languages::default() },
    };
    for &a in saver.expressions {
        let expression = saver.expression(a);
        saver.saved.expressions.push(expression);
    }
    for &state in saver.states {
        let edges = store.leaves.acyclic.edges(state).iter();
        let edges = edges.map(|edge| (edge.first, edge.last, saver.state(edge.target))).collect();
        saver.saved.acyclic.push(State { is_final: store.leaves.acyclic.is_final(state), edges });
    }
    saver.saved.languages = languages.iter().map(|&a| saver.number(a)).collect();
    saver.saved
}

/// See [`Store::load`].
pub(crate) fn load(saved: &Languages, room: usize) -> Result<(Store, Vec<RegularId>), LoadError> {
    let limits = Limits { memory: saved.limits.memory.min(room), ..saved.limits.clone() };
    let mut store = Store::new(&limits);
    load_leaves(&mut store, saved)?;
    let prefixes = saved.words.iter().map(|words| Prefixes::new(words)).collect();
    let mut loader = Loader { saved, prefixes };
    for (number, expression) in (PREDEFINED..).zip(&saved.expressions) {
        charge(UNITS_PER_EXPRESSION).map_err(Error::from)?;
        store.check_room()?;
        let id = RegularId(number);
        if loader.expression(&mut store, id, expression)? != id || store.arena.nodes.len() != id.index() + 1 {
            return Err(LoadError::Damaged(NORMAL_FORM));
        }
    }
    let languages = saved.languages.iter().map(|&number| loaded(&store, number));
    let languages = languages.collect::<Option<_>>().ok_or(LoadError::Damaged(IN_RANGE))?;
    store.limits = saved.limits.clone();
    Ok((store, languages))
}

/// Returns the expression with this number, if it exists.
fn loaded(store: &Store, number: u32) -> Option<RegularId> {
    ((number as usize) < store.arena.nodes.len()).then_some(RegularId(number))
}

fn load_leaves(store: &mut Store, saved: &Languages) -> Result<(), LoadError> {
    let length = |texts: &[Vec<u8>]| texts.iter().map(Vec::len).sum::<usize>().max(texts.len());
    // Positions in texts are 32-bit numbers, and automata have up to two states per byte.
    let fits = |length: usize| length <= u32::MAX as usize / 8;
    let is_set = |texts: &[Vec<u8>]| texts.is_sorted_by(|a, b| a < b) && fits(length(texts));
    let charge_text = |length: usize| charge_len(length).map_err(Error::from);
    for words in &saved.words {
        charge_text(length(words))?;
        let list: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        let next = narrow(store.leaves.word_lists.len());
        let sound = is_set(words) && !words.is_empty();
        if !sound || store.leaves.intern_word_list(Arc::new(WordList::new(&list))) != next {
            return Err(LoadError::Damaged(NORMAL_FORM));
        }
    }
    for texts in &saved.avoid {
        charge_text(UNITS_PER_BYTE * length(texts))?;
        let next = narrow(store.leaves.aho_corasick.len());
        let sound = is_set(texts) && texts.first().is_some_and(|text| !text.is_empty());
        let texts = || texts.iter().map(|text| text.as_slice().into()).collect();
        if !sound || store.leaves.intern_aho_corasick(Arc::new(AhoCorasick::new(texts()))) != next {
            return Err(LoadError::Damaged(NORMAL_FORM));
        }
        store.check_room()?;
    }
    for text in &saved.factors {
        charge_text(UNITS_PER_BYTE * text.len())?;
        let next = narrow(store.leaves.factor_automata.len());
        if !fits(text.len())
            || store.leaves.intern_factor_automaton(Arc::new(FactorAutomaton::new(text.as_slice().into())))
                != next
        {
            return Err(LoadError::Damaged(NORMAL_FORM));
        }
        store.check_room()?;
    }
    let acyclic = Arc::make_mut(&mut store.leaves.acyclic);
    for (number, State { is_final, edges }) in (1..).zip(&saved.acyclic) {
        charge_text(1 + edges.len())?;
        let edge = |&(first, last, target): &(u8, u8, u32)| Edge { first, last, target };
        let edges: Vec<Edge> = edges.iter().map(edge).collect();
        let apart = |a: &Edge, b: &Edge| a.last < b.first && (a.last + 1 < b.first || a.target != b.target);
        let sound = edges.is_sorted_by(apart)
            && edges.iter().all(|edge| edge.first <= edge.last && edge.target < number)
            && !edges.is_empty();
        if !sound || acyclic.state(*is_final, &edges) != number {
            return Err(LoadError::Damaged(NORMAL_FORM));
        }
    }
    Ok(())
}

struct Saver<'a> {
    store: &'a Store,
    /// The saved expressions, in ascending order.
    expressions: &'a [RegularId],
    states: &'a [u32],
    /// New numbers of sets, word lists, exceptions and texts, by their numbers in the store.
    numbers: [FxHashMap<u32, u32>; 4],
    saved: Languages,
}

impl Saver<'_> {
    /// Returns the number of an expression in the saved form. Predefined expressions keep their ids; the
    /// reachable ones follow, numbered without gaps.
    fn number(&self, a: RegularId) -> u32 {
        if a.0 < PREDEFINED {
            return a.0;
        }
        let position = self.expressions.binary_search(&a).expect("operands are reachable");
        PREDEFINED + narrow(position)
    }

    fn state(&self, state: u32) -> u32 {
        if state == 0 {
            return 0;
        }
        let position = self.states.binary_search(&state).expect("states of leaves are reachable");
        narrow(position) + 1
    }

    /// Returns the new number of a table entry, and true if it is new. Entries are numbered in the order of
    /// their first use.
    fn renumber(&mut self, table: usize, old: u32) -> (u32, bool) {
        let next = narrow(self.numbers[table].len());
        let number = *self.numbers[table].entry(old).or_insert(next);
        (number, number == next)
    }

    fn expression(&mut self, a: RegularId) -> Expression {
        let store = self.store;
        let numbers = |saver: &Self, list| store.list(list).iter().map(|&a| saver.number(a)).collect();
        match store.node(a).kind {
            Kind::Empty | Kind::Epsilon => unreachable!("every store has them"),
            Kind::Bytes(set) => {
                let (number, is_new) = self.renumber(0, set);
                if is_new {
                    self.saved.sets.push(*store.byte_set(set));
                }
                Expression::Bytes(number)
            }
            Kind::Acyclic(state) => Expression::Acyclic(self.state(state)),
            Kind::Words { range, depth } => {
                let WordRange { list, start, end } = store.leaves.word_ranges[range];
                let (number, is_new) = self.renumber(1, list);
                if is_new {
                    let list = &store.leaves.word_lists[list];
                    let words = (0..narrow(list.len())).map(|index| list.word(index).to_vec());
                    self.saved.words.push(words.collect());
                }
                Expression::Words { list: number, start, end, depth }
            }
            Kind::AhoCorasick { automaton, state } => {
                let (number, is_new) = self.renumber(2, automaton);
                if is_new {
                    let texts = store.leaves.aho_corasick[automaton].texts.iter();
                    self.saved.avoid.push(texts.map(|text| text.to_vec()).collect());
                }
                Expression::AhoCorasick { texts: number, state }
            }
            Kind::Factor { automaton, state } => {
                let (number, is_new) = self.renumber(3, automaton);
                if is_new {
                    self.saved.factors.push(store.leaves.factor_automata[automaton].text.to_vec());
                }
                Expression::Factor { text: number, state }
            }
            Kind::Concat(head, tail) => Expression::Concat(self.number(head), self.number(tail)),
            Kind::Or(list) => Expression::Or(numbers(self, list)),
            Kind::And(list) => Expression::And(numbers(self, list)),
            Kind::Not(a) => Expression::Not(self.number(a)),
            Kind::Repeat { base, min, max } => {
                // An absent upper bound becomes 0, the shortest number.
                Expression::Repeat { base: self.number(base), min, max: max.wrapping_add(1) }
            }
            Kind::PrefixMinimal(a) => Expression::PrefixMinimal(self.number(a)),
            Kind::Json { text, escapes, at } => Expression::Json { text: self.number(text), escapes, at },
            Kind::Number(state) => {
                let NumberState { numbers, position } = store.leaves.number_states[state];
                match &*store.leaves.numbers[numbers] {
                    Numbers::Multiples(Multiples { divisor: Divisor { unit, power }, .. }) => {
                        Expression::Multiple { unit: *unit, power: *power, position }
                    }
                    Numbers::Compared(Bound { comparison, digits, exponent }) => Expression::Compared {
                        comparison: *comparison,
                        digits: digits.clone(),
                        exponent: *exponent,
                        position,
                    },
                }
            }
        }
    }
}

struct Loader<'a> {
    saved: &'a Languages,
    prefixes: Vec<Prefixes>,
}

impl Loader<'_> {
    /// Adds a saved expression to a store. Its operands have been added before.
    fn expression(
        &mut self,
        store: &mut Store,
        id: RegularId,
        expression: &Expression,
    ) -> Result<RegularId, LoadError> {
        let damaged = |rule| Err(LoadError::Damaged(rule));
        let kind = match *expression {
            Expression::Bytes(number) => match self.saved.sets.get(number as usize) {
                Some(set) => return Ok(store.bytes(*set)),
                None => return damaged(IN_RANGE),
            },
            Expression::Acyclic(state) => {
                if state as usize > self.saved.acyclic.len() {
                    return damaged(IN_RANGE);
                }
                return Ok(acyclic_leaf(store, state)?);
            }
            Expression::Words { list, start, end, depth } => {
                let prefixes = self.prefixes.get_mut(list as usize).ok_or(LoadError::Damaged(IN_RANGE))?;
                let words = &self.saved.words[list as usize];
                if !prefixes.is_state(words, start, end, depth) {
                    return damaged("words that are read together begin alike");
                }
                return Ok(word_leaf(store, WordRange { list, start, end }, depth)?);
            }
            Expression::AhoCorasick { texts, state } => {
                let Some(automaton) = store.leaves.aho_corasick.get(texts) else {
                    return damaged(IN_RANGE);
                };
                if !automaton.has_state(state) {
                    return damaged(IN_RANGE);
                }
                Kind::AhoCorasick { automaton: texts, state }
            }
            Expression::Factor { text, state } => {
                let Some(automaton) = store.leaves.factor_automata.get(text) else {
                    return damaged(IN_RANGE);
                };
                if !automaton.has_state(state) {
                    return damaged(IN_RANGE);
                }
                return Ok(factor_leaf(store, text, state)?);
            }
            Expression::Or(ref members) | Expression::And(ref members) => {
                let is_union = matches!(expression, Expression::Or(_));
                let members: Vec<RegularId> = members.iter().copied().map(RegularId).collect();
                return match store.broken_list(id, &members, is_union) {
                    Some(rule) => damaged(rule),
                    None => Ok(store.intern_list(&members, is_union)?),
                };
            }
            Expression::Concat(head, tail) => Kind::Concat(RegularId(head), RegularId(tail)),
            Expression::Not(a) => Kind::Not(RegularId(a)),
            Expression::Repeat { base, min, max } => {
                let max = max.checked_sub(1).unwrap_or(UNBOUNDED);
                Kind::Repeat { base: RegularId(base), min, max }
            }
            Expression::PrefixMinimal(a) => Kind::PrefixMinimal(RegularId(a)),
            Expression::Json { text, escapes, at } => {
                store.memos.has_json = true;
                Kind::Json { text: RegularId(text), escapes, at }
            }
            Expression::Multiple { unit, power, position } => {
                let divisor = Divisor { unit, power };
                if !divisor.is_reduced() {
                    return damaged(IN_RANGE);
                }
                return Self::number(store, Numbers::Multiples(Multiples::new(divisor)), position);
            }
            Expression::Compared { comparison, ref digits, exponent, position } => {
                let bound = Bound { comparison, digits: digits.clone(), exponent };
                if !bound.is_reduced() {
                    return damaged(IN_RANGE);
                }
                return Self::number(store, Numbers::Compared(bound), position);
            }
        };
        match store.broken_kind(id, kind) {
            Some(rule) => damaged(rule),
            None => Ok(store.intern(kind)?),
        }
    }

    fn number(
        store: &mut Store,
        numbers: Numbers,
        position: NumeralPosition,
    ) -> Result<RegularId, LoadError> {
        if !numbers.is_position(position) {
            return Err(LoadError::Damaged(IN_RANGE));
        }
        let numbers = store.leaves.intern_numbers(Arc::new(numbers));
        Ok(number_leaf(store, NumberState { numbers, position })?)
    }
}

/// Lengths of common prefixes of words of a sorted list.
struct Prefixes {
    /// For each word, length of the common prefix with the word before it.
    agree: Vec<u32>,
    /// Cached lengths of the common prefix of all words of a range.
    ranges: FxHashMap<(u32, u32), u32>,
}

impl Prefixes {
    fn new(words: &[Vec<u8>]) -> Self {
        let agree =
            |pair: &[Vec<u8>]| narrow(pair[0].iter().zip(&pair[1]).take_while(|(a, b)| a == b).count());
        let agree = std::iter::once(0).chain(words.windows(2).map(agree)).collect();
        Self { agree, ranges: FxHashMap::default() }
    }

    /// Returns true if the words `start..end` are exactly the words with one prefix of `depth` bytes.
    fn is_state(&mut self, words: &[Vec<u8>], start: u32, end: u32, depth: u32) -> bool {
        let Some(first) = words.get(start as usize) else { return false };
        if start >= end || end as usize > words.len() || first.len() < depth as usize {
            return false;
        }
        // Ranges that pass this test are nested or disjoint, so the cache has few of them.
        let begins = start == 0 || self.agree[start as usize] < depth;
        let ends = end as usize == words.len() || self.agree[end as usize] < depth;
        if !begins || !ends {
            return false;
        }
        let inside = &self.agree[start as usize + 1..end as usize];
        let shared = self.ranges.entry((start, end));
        *shared.or_insert_with(|| inside.iter().copied().min().unwrap_or(u32::MAX)) >= depth
    }
}

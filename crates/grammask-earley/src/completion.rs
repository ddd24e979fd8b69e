//! Shortest completions of a text: their length, and a path to a complete text.

mod exits;
mod lengths;
mod lexemes;
mod unordered;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use grammask_work::{charge, charge_len, spent};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Class, Error, Network, NetworkNodeId, OriginId, Recognizer, SetId};
use lengths::{INFINITE, NodeLengths};
use lexemes::Shortest;
pub(crate) use unordered::RestOfItems;

/// Limits of a [`ShortestCompletion`]. Beyond them, it finds no completion; that is not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct CompletionLimits {
    /// Greatest length of a completion, in bytes and special tokens. Default: 65,536.
    pub max_bytes: u64,
    /// Number of vertices, or of states of one lexeme, that one search visits. Default: 50,000, which takes
    /// about 50 ms.
    pub max_states: usize,
}

impl Default for CompletionLimits {
    fn default() -> Self {
        Self { max_bytes: 1 << 16, max_states: 50_000 }
    }
}

/// Finds shortest completions from the states of a recognizer. All calls must pass the recognizer of one
/// network; after it was replaced by its successor, call [`clear`](Self::clear).
///
/// ```
/// use std::sync::Arc;
/// use grammask_earley::{CompletionStep, Network, Recognizer, ShortestCompletion};
/// use grammask_regular::Store;
///
/// let text = "start ::= '[' (start (',' start)*)? ']' | #'[0-9]+';";
/// let ast = grammask_syntax::parse(text, &Default::default())?;
/// let mut store = Store::new(&Default::default());
/// let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default())?;
/// let network = Network::build(&normal, store, &Default::default())?;
/// let recognizer = Recognizer::new(Arc::new(network), &Default::default());
/// let mut completion = ShortestCompletion::new(recognizer.network(), &Default::default())?;
/// let state = recognizer.step_bytes(recognizer.initial(), b"[[1,", |_| true)?;
/// assert_eq!(completion.distance(&recognizer, state)?, Some(3));
/// let path = completion.path(&recognizer, state, 9)?;
/// assert_eq!(path, b"0]]".map(CompletionStep::Byte));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A text is complete once the innermost rule in progress is complete, then its caller, and so on outwards.
/// So a shortest completion is a shortest path over callers, with a few vertices for each level of nesting,
/// instead of a search over texts. After `[(12),` for example, the path completes the list item, then the
/// list.
///
/// # Source
/// E. Dijkstra, "A note on two problems in connexion with graphs", 1959.
#[derive(Debug)]
pub struct ShortestCompletion {
    lengths: NodeLengths,
    /// By class of bytes: its most readable byte.
    representatives: Vec<u8>,
    /// The classes in the order in which they are tried: readable ones first.
    order: Vec<Class>,
    limits: CompletionLimits,
    /// True if each distance is the least.
    is_exact: bool,
    /// Units of work of the thread when the search of a distance, or of a path, began.
    begun: u64,
    /// True while a path is searched. Its distances share one allowance for further items.
    is_in_path: bool,
    /// By vertex: the length of a shortest path to the end.
    distances: FxHashMap<Vertex, u64>,
    /// By state of a lexeme: its shortest completion.
    lexemes: FxHashMap<NetworkNodeId, Shortest>,
    /// By counter or permutation in progress: the least number of bytes to its end. `None` if that is not
    /// known.
    rests: FxHashMap<NetworkNodeId, Option<u64>>,
    /// By state: the first step of a shortest completion, and the state after it.
    steps: FxHashMap<SetId, Option<(CompletionStep, SetId)>>,
}

/// Work of a vertex of the search, which takes some look-ups.
const UNITS_PER_VERTEX: u64 = 4;

/// A vertex of the graph of callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Vertex {
    /// Some item of a state is still to be completed.
    State(SetId),
    /// An origin is complete, so that its callers continue.
    Completed(OriginId),
    /// The text is complete.
    End,
}

/// A step of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionStep {
    /// A byte.
    Byte(u8),
    /// The special token with this index in [`Network::specials`].
    Special(usize),
}

impl ShortestCompletion {
    /// Creates a search for a network.
    ///
    /// # Errors
    /// If a lexeme exceeds a limit of regular languages.
    ///
    /// # Complexity
    /// O(n log n) in the edges of the network, and a copy of its store. In addition, the search for the
    /// shortest text of each lexeme, within the limits.
    pub fn new(network: &Network, limits: &CompletionLimits) -> Result<Self, Error> {
        let mut members: Vec<Vec<u8>> = vec![Vec::new(); network.byte_classes];
        for byte in 0..=255 {
            members[network.class_of(byte).index()].push(byte);
        }
        let representatives: Vec<u8> = members
            .iter()
            .map(|bytes| bytes.iter().copied().min_by_key(|&byte| readability_rank(byte)).unwrap_or(0))
            .collect();
        let mut order: Vec<Class> = (0..network.classes()).map(Class::new).collect();
        order.sort_by_key(|class| representatives.get(class.index()).map(|&byte| readability_rank(byte)));
        let lengths = NodeLengths::new(network, limits)?;
        Ok(Self {
            is_exact: lengths.is_exact && !network.has_distinct(),
            begun: 0,
            is_in_path: false,
            lengths,
            representatives,
            order,
            limits: *limits,
            distances: FxHashMap::default(),
            lexemes: FxHashMap::default(),
            rests: FxHashMap::default(),
            steps: FxHashMap::default(),
        })
    }

    /// Returns true if [`distance`](Self::distance) has returned the least number wherever it has returned
    /// one. Otherwise, it may be that of a longer completion: in a grammar with `distinct!`, with
    /// requirements between the items of an `unordered!`, or after a search that exceeded the limits.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Forgets all states, as needed after the recognizer was replaced.
    pub fn clear(&mut self) {
        self.distances.clear();
        self.lexemes.clear();
        self.rests.clear();
        self.steps.clear();
    }

    /// Returns the number of remembered states.
    pub fn len(&self) -> usize {
        self.distances.len() + self.lexemes.len() + self.rests.len() + self.steps.len()
    }

    /// Returns true if no state is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the least number of bytes and special tokens that complete the text; 0 if it is complete.
    ///
    /// Returns `Ok(None)` if there is no completion within the limits.
    ///
    /// # Errors
    /// If a limit of the recognizer, or the account of work, is exceeded.
    ///
    /// # Complexity
    /// A look-up for a known state. Otherwise, a few vertices for each level of nesting, at most
    /// [`CompletionLimits::max_states`].
    pub fn distance(&mut self, recognizer: &Recognizer, state: SetId) -> Result<Option<u64>, Error> {
        self.distance_from(recognizer, Vertex::State(state))
    }

    /// Returns the least number of bytes and special tokens that complete the text after an origin is
    /// complete.
    ///
    /// # Errors
    /// As [`distance`](Self::distance).
    pub fn distance_after(
        &mut self,
        recognizer: &Recognizer,
        origin: OriginId,
    ) -> Result<Option<u64>, Error> {
        self.distance_from(recognizer, Vertex::Completed(origin))
    }

    /// Returns the least number of bytes that complete a lexeme state, at least 1. Returns `None` for other
    /// nodes, and if there is none within the limits.
    ///
    /// # Errors
    /// If a limit of the recognizer, or the account of work, is exceeded.
    pub fn rest_of_lexeme(
        &mut self,
        recognizer: &Recognizer,
        node: NetworkNodeId,
    ) -> Result<Option<u64>, Error> {
        if !recognizer.inspect().is_lexeme(node) {
            return Ok(None);
        }
        let length = lexemes::shortest(recognizer, &mut self.lexemes, node, &self.limits)?.length;
        Ok(Some(length).filter(|&length| length < INFINITE))
    }

    /// Searches from a vertex.
    fn distance_from(&mut self, recognizer: &Recognizer, from: Vertex) -> Result<Option<u64>, Error> {
        if let Some(&known) = self.distances.get(&from) {
            return Ok(Some(known).filter(|&known| known != INFINITE));
        }
        // By vertex: the length of the shortest known path to it, and the vertex before it.
        let mut paths: FxHashMap<Vertex, (u64, Vertex)> = FxHashMap::from_iter([(from, (0, from))]);
        let mut queue = BinaryHeap::from([Reverse((0, from))]);
        let mut exits = Vec::new();
        let mut is_exhaustive = true;
        if !self.is_in_path {
            self.begun = spent();
        }
        while let Some(Reverse((length, here))) = queue.pop() {
            if length > paths[&here].0 {
                continue;
            }
            if here == Vertex::End {
                // Store the distances of all vertices on the path.
                let mut at = here;
                while at != from {
                    at = paths[&at].1;
                    self.distances.insert(at, length - paths[&at].0);
                }
                return Ok(Some(length));
            }
            exits.clear();
            match self.distances.get(&here) {
                Some(&INFINITE) => {}
                Some(&known) => exits.push((known, Vertex::End)),
                None => self.exits(recognizer, here, &mut exits)?,
            }
            charge(UNITS_PER_VERTEX * (1 + exits.len() as u64))?;
            for &(edge, next) in &exits {
                let total = length.saturating_add(edge);
                if total > self.limits.max_bytes || paths.len() > self.limits.max_states {
                    is_exhaustive &= edge == INFINITE;
                    self.is_exact &= total > self.limits.max_bytes;
                } else if paths.get(&next).is_none_or(|&(known, _)| total < known) {
                    paths.insert(next, (total, here));
                    queue.push(Reverse((total, next)));
                }
            }
        }
        self.distances.insert(from, INFINITE);
        if is_exhaustive {
            self.distances.extend(paths.into_keys().map(|vertex| (vertex, INFINITE)));
        }
        Ok(None)
    }

    /// Returns the first step of a shortest completion, and the state after it.
    ///
    /// Returns `Ok(None)` if the text is complete, or if there is no completion.
    ///
    /// # Errors
    /// If a limit of the recognizer is exceeded.
    pub fn first_step(
        &mut self,
        recognizer: &Recognizer,
        state: SetId,
    ) -> Result<Option<(CompletionStep, SetId)>, Error> {
        if let Some(&known) = self.steps.get(&state) {
            return Ok(known);
        }
        let mut found = None;
        if let Some(distance) = self.distance(recognizer, state)?.filter(|&distance| distance > 0) {
            let mut least = u64::MAX;
            let likely = self.first_class(recognizer, state, distance)?;
            for index in 0..=self.order.len() {
                charge(1)?;
                let class = match index.checked_sub(1) {
                    None => likely,
                    Some(index) => self.order.get(index).copied(),
                };
                let Some(class) = class else { continue };
                let next = recognizer.step_class(state, class)?;
                let rest = if next.is_dead() { None } else { self.distance(recognizer, next)? };
                // Inexact distances do not always decrease along an edge, so the least one is taken.
                if let Some(rest) = rest.filter(|&rest| rest < least) {
                    least = rest;
                    found = Some((self.step_of(class), next));
                }
                if least < distance {
                    break;
                }
            }
        }
        self.steps.insert(state, found);
        Ok(found)
    }

    /// Returns the class of the first step of a completion of length `distance`, read off the items of the
    /// state. Returns `None` if no item has it.
    fn first_class(
        &mut self,
        recognizer: &Recognizer,
        state: SetId,
        distance: u64,
    ) -> Result<Option<Class>, Error> {
        let network = recognizer.network();
        let parts = recognizer.inspect().split(state)?;
        charge_len(parts.lexemes.len())?;
        for item in &parts.lexemes {
            let Some(&Shortest { length, first }) = self.lexemes.get(&item.node) else { continue };
            let rest = self.distances.get(&Vertex::Completed(item.origin));
            if rest.is_some_and(|rest| length.saturating_add(*rest) == distance) {
                return Ok(Some(network.class_of(first)));
            }
        }
        for item in recognizer.kernel(parts.rest) {
            let Some(node) = network.nodes.get(item.node.index()) else { continue };
            let Some(&rest) = self.distances.get(&Vertex::Completed(item.origin)) else { continue };
            charge_len(node.scans.len())?;
            let ends = |to| self.lengths.of(to).saturating_add(1).saturating_add(rest) == distance;
            if let Some(&(class, _)) = node.scans.iter().find(|&&(_, to)| ends(to)) {
                return Ok(Some(class));
            }
        }
        Ok(None)
    }

    /// Returns the first steps of a shortest completion, at most `max_steps`.
    ///
    /// The path from a state on this path is its rest. If distances are not [exact](Self::is_exact), the path
    /// may end at a text that is not complete: where it would come back to a state.
    ///
    /// # Errors
    /// If a limit of the recognizer is exceeded.
    pub fn path(
        &mut self,
        recognizer: &Recognizer,
        state: SetId,
        max_steps: usize,
    ) -> Result<Vec<CompletionStep>, Error> {
        if self.is_in_path {
            return self.path_within(recognizer, state, max_steps);
        }
        (self.begun, self.is_in_path) = (spent(), true);
        let found = self.path_within(recognizer, state, max_steps);
        self.is_in_path = false;
        found
    }

    /// As [`path`](Self::path), with the allowance of the path around it.
    fn path_within(
        &mut self,
        recognizer: &Recognizer,
        state: SetId,
        max_steps: usize,
    ) -> Result<Vec<CompletionStep>, Error> {
        let mut path = Vec::new();
        let mut state = state;
        let mut seen = FxHashSet::default();
        while path.len() < max_steps
            && (self.is_exact || seen.insert(state))
            && let Some((step, next)) = self.first_step(recognizer, state)?
        {
            path.push(step);
            state = next;
        }
        Ok(path)
    }

    /// Returns the step by a class.
    fn step_of(&self, class: Class) -> CompletionStep {
        match self.representatives.get(class.index()) {
            Some(&byte) => CompletionStep::Byte(byte),
            None => CompletionStep::Special(class.index() - self.representatives.len()),
        }
    }
}

/// Returns a rank by readability: letters and digits first, bytes outside of ASCII last.
fn readability_rank(byte: u8) -> (u8, u8) {
    let rank = match byte {
        b'a'..=b'z' => 0,
        b'0'..=b'9' => 1,
        b'A'..=b'Z' => 2,
        b' '..=b'~' => 3,
        b'\n' | b'\t' => 4,
        0..=0x7f => 5,
        _ => 6,
    };
    (rank, byte)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use grammask_regular::Store;
    use grammask_testkit::random::{Rng, Shape, grammar, text};

    use super::*;

    /// A search, with a recognizer.
    struct Searched {
        recognizer: Recognizer,
        search: ShortestCompletion,
    }

    impl Searched {
        fn distance(&mut self, state: SetId) -> Option<u64> {
            self.search.distance(&self.recognizer, state).unwrap()
        }

        fn step(&self, state: SetId, step: CompletionStep) -> SetId {
            let class = match step {
                CompletionStep::Byte(byte) => return self.recognizer.step(state, byte).unwrap(),
                CompletionStep::Special(index) => self.recognizer.network().class_of_special(index),
            };
            self.recognizer.step_class(state, class).unwrap()
        }
    }

    fn completion(grammar: &str) -> Searched {
        let ast = grammask_syntax::parse(grammar, &Default::default()).unwrap();
        let mut store = Store::new(&Default::default());
        let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
        let network = Network::build(&normal, store, &Default::default()).unwrap();
        let limits = CompletionLimits { max_bytes: 10_000, ..CompletionLimits::default() };
        let search = ShortestCompletion::new(&network, &limits).unwrap();
        Searched { recognizer: Recognizer::new(Arc::new(network), &Default::default()), search }
    }

    /// Checks the distance after a text and the shortest completion, which must have that length and complete
    /// the text.
    fn check(grammar: &str, before: &str, distance: Option<u64>, expected: &str) {
        let mut completion = completion(grammar);
        let initial = completion.recognizer.initial();
        let mut state = completion.recognizer.step_bytes(initial, before.as_bytes(), |_| true).unwrap();
        assert_eq!(completion.distance(state), distance, "{grammar} after {before:?}");
        let pieces = completion.search.path(&completion.recognizer, state, usize::MAX).unwrap();
        let spelled: String = pieces
            .iter()
            .map(|piece| match piece {
                CompletionStep::Byte(byte) => char::from(*byte).to_string(),
                CompletionStep::Special(index) => format!("<{index}>"),
            })
            .collect();
        assert_eq!(spelled, expected, "{grammar} after {before:?}");
        for piece in &pieces {
            state = completion.step(state, *piece);
        }
        if let Some(distance) = distance {
            assert_eq!(pieces.len() as u64, distance);
            assert!(state.completes(), "{grammar} after {before:?}");
        }
    }

    #[test]
    fn open_brackets_are_closed() {
        let grammar = "start ::= '[' (start (',' start)*)? ']' | '(' start ')' | #'[0-9]+';";
        check(grammar, "", Some(1), "0");
        check(grammar, "[(", Some(3), "0)]");
        check(grammar, "[(12,", None, "");
        check(grammar, "[(12),", Some(2), "0]");
        check(grammar, &"[(".repeat(30), Some(61), &format!("0{}", ")]".repeat(30)));
    }

    #[test]
    fn lexemes_are_completed() {
        check("start ::= '\"' #'[^\"]*' '\"' ';';", "\"ab", Some(2), "\";");
        check("start ::= #'[a-z]{3,9}' '.';", "a", Some(3), "aa.");
        check("start ::= #'[a-z]{3,9}' '.';", "abcd", Some(1), ".");
        check("start ::= except!('ab', 7) 'abc';", "xa", Some(2), "bc");
    }

    #[test]
    fn counters_reach_their_minimum() {
        check("start ::= A{4,6} ';'; A ::= '(' A ')' | 'x';", "(x)x", Some(3), "xx;");
        check("start ::= A{4,6} ';'; A ::= '(' A ')' | 'x';", "((", Some(7), "x))xxx;");
    }

    #[test]
    fn permutations_end_with_their_missing_items() {
        let grammar = "start ::= '{' unordered!('a', 'bb', 'c'?, 'dd'*; ','; {3,}) '}';";
        check(grammar, "{", Some(7), "a,c,bb}");
        check(grammar, "{bb", Some(5), ",a,c}");
        check(grammar, "{dd,", Some(5), "a,bb}");
        check(grammar, "{c,bb,", Some(2), "a}");
        check(grammar, "{c,bb,a", Some(1), "}");
        check("start ::= unordered!('a'?, 'bbb'?, 'c'?; ; ; 0 -> 1) '.';", "a", Some(4), "bbb.");
        // Only two more items may come, so those that require two others may not.
        let cycles = "2 -> 3, 3 -> 4, 4 -> 2, 5 -> 6, 6 -> 5";
        let items = "'x'?, 'y'?, 'a'?, 'b'?, 'c'?, 'dddd'?, 'eeee'?";
        let grammar = format!("start ::= unordered!({items}; ', '; {{1,4}}; {cycles}) '.';");
        check(&grammar, "x, y,", Some(12), " dddd, eeee.");
        // Each subset of the items is a state, and none of them is visited.
        let items: Vec<String> = (10..40).map(|n| format!("'k{n}'")).collect();
        let grammar = format!("start ::= unordered!({}; ',') '.';", items.join(", "));
        let mut searched = completion(&grammar);
        let state =
            searched.recognizer.step_bytes(searched.recognizer.initial(), b"k12,k", |_| true).unwrap();
        let before = spent();
        assert_eq!(searched.distance(state), Some(2 + 28 * 4 + 1));
        assert!(spent() - before < 50_000, "{}", spent() - before);
    }

    #[test]
    fn the_shorter_of_two_parses_counts() {
        check("start ::= A 'xxxx' | B 'y'; A ::= 'a' A | 'a'; B ::= 'a' B | 'a';", "aaa", Some(1), "y");
        check("E ::= E '+' E | '(' E ')' | 'n'; start ::= E ';';", "n+(n+", Some(3), "n);");
    }

    #[test]
    fn special_tokens_are_steps() {
        check("start ::= 'a' <|x|> <[7]> 'b';", "a", Some(3), "<0><1>b");
    }

    #[test]
    fn endless_texts_have_no_completion() {
        check("start ::= 'a' S | 'a'; S ::= 'x' S;", "", Some(1), "a");
        check("start ::= 'a' S | 'a'; S ::= 'x' S;", "a", Some(0), "");
        check("start ::= 'a' S | 'a'; S ::= 'x' S;", "ax", None, "");
        check("start ::= 'a' S; S ::= 'x' S | 'x' S 'y';", "a", None, "");
        check("start ::= 'a' A{20000}; A ::= 'b' | '(' A ')';", "a", None, "");
    }

    /// Returns the distance by enumerating all texts of up to `most` bytes. The outer `None` means that there
    /// are too many.
    fn by_search(completion: &Searched, state: SetId, most: u64) -> Option<Option<u64>> {
        let mut layer = FxHashSet::from_iter([state]);
        for length in 0..=most {
            if layer.iter().any(|state| state.completes()) {
                return Some(Some(length));
            }
            let mut next = FxHashSet::default();
            for state in layer {
                for &class in &completion.search.order {
                    let after = completion.recognizer.step_class(state, class).ok()?;
                    if !after.is_dead() {
                        next.insert(after);
                    }
                }
            }
            if next.len() > 200 {
                return None;
            }
            layer = next;
        }
        Some(None)
    }

    #[test]
    fn distances_agree_with_enumeration() {
        let mut rng = Rng::new(5);
        let most = 4;
        let mut compared = 0;
        for _ in 0..300 {
            let sample = grammar(&mut rng, &Shape::default());
            let mut completion = completion(&sample.text);
            let mut state = completion.recognizer.initial();
            for byte in text(&mut rng, &sample.oracle, 6) {
                let Some(expected) = by_search(&completion, state, most) else { break };
                let distance = completion.distance(state);
                assert_eq!(distance.filter(|&distance| distance <= most), expected, "{}", sample.text);
                compared += 1;
                state = completion.step(state, CompletionStep::Byte(byte));
                if state.is_dead() {
                    break;
                }
            }
        }
        assert!(compared > 500, "{compared}");
    }
}

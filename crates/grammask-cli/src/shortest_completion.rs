//! Shortest completions of a text: their length and their first step, with which a random model reaches a
//! complete text.

mod lengths;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use grammask_earley::{Class, Config, DistinctItem, Error, Network, OriginId, Recognizer, SetId};
use rustc_hash::{FxHashMap, FxHashSet};

use lengths::{INFINITE, NodeLengths};

/// Vertices, or lexeme states, that one search visits. Beyond it, there is no completion.
const MAX_VERTICES: usize = 200_000;

/// Finds shortest completions from the states of a recognizer of its own.
///
/// A text is complete once the innermost rule in progress is complete, then its caller, and so on outwards.
/// So a shortest completion is a shortest path over callers, with a few vertices for each level of nesting,
/// instead of a search over texts. After `[(12),` for example, the path completes the list item, then the
/// list.
///
/// # Source
/// E. Dijkstra, "A note on two problems in connexion with graphs", 1959.
pub(crate) struct ShortestCompletion {
    recognizer: Recognizer,
    /// Bytes of the tables below which they are not replaced, even above their budget: a single state may
    /// need more than the budget.
    min_replaced_bytes: usize,
    lengths: NodeLengths,
    /// By class of bytes: its most readable byte.
    representatives: Vec<u8>,
    /// The classes in the order in which they are tried: readable ones first.
    order: Vec<Class>,
    /// Greatest length of a completion. Longer ones are ignored.
    limit: u64,
    /// By vertex: the length of a shortest path to the end.
    distances: FxHashMap<Vertex, u64>,
    /// By state of a single lexeme: the length of its shortest completion.
    lexemes: FxHashMap<SetId, u64>,
    /// By state: the first step of a shortest completion, and the state after it.
    steps: FxHashMap<SetId, Option<(Piece, SetId)>>,
}

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
pub(crate) enum Piece {
    /// A byte.
    Byte(u8),
    /// The special token with this index in the network.
    Special(usize),
}

impl ShortestCompletion {
    /// Creates a search for a network. Completions of more than `limit` bytes are ignored.
    pub(crate) fn new(network: &Arc<Network>, config: &Config, limit: u64) -> Result<Self, Error> {
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
        Ok(Self {
            lengths: NodeLengths::new(network, limit)?,
            recognizer: Recognizer::new(Arc::clone(network), config),
            min_replaced_bytes: 0,
            representatives,
            order,
            limit,
            distances: FxHashMap::default(),
            lexemes: FxHashMap::default(),
            steps: FxHashMap::default(),
        })
    }

    /// Returns the state before any text.
    pub(crate) fn initial(&self) -> SetId {
        self.recognizer.initial()
    }

    /// Returns the state after a piece.
    pub(crate) fn step(&self, state: SetId, piece: Piece) -> Result<SetId, Error> {
        match piece {
            Piece::Byte(byte) => self.recognizer.step(state, byte),
            Piece::Special(index) => {
                self.recognizer.step_class(state, self.recognizer.network().class_of_special(index))
            }
        }
    }

    /// Returns the state after some bytes.
    pub(crate) fn step_bytes(&self, state: SetId, bytes: &[u8]) -> Result<SetId, Error> {
        bytes.iter().try_fold(state, |state, &byte| self.recognizer.step(state, byte))
    }

    /// Replaces the tables if they exceed their budget. Returns the same state in the new tables.
    pub(crate) fn shrink(&mut self, state: SetId) -> Result<SetId, Error> {
        if !self.recognizer.is_over_budget() || self.recognizer.bytes_used() <= self.min_replaced_bytes {
            return Ok(state);
        }
        let fresh = self.recognizer.successor();
        let state = fresh.import(&self.recognizer, state)?;
        self.recognizer = fresh;
        self.min_replaced_bytes = 2 * self.recognizer.bytes_used();
        self.distances.clear();
        self.lexemes.clear();
        self.steps.clear();
        Ok(state)
    }

    /// Returns the least number of bytes and special tokens that complete the text; 0 if it is complete.
    ///
    /// Returns `Ok(None)` if there is no completion within the limits.
    pub(crate) fn distance(&mut self, state: SetId) -> Result<Option<u64>, Error> {
        let from = Vertex::State(state);
        if let Some(&known) = self.distances.get(&from) {
            return Ok(Some(known).filter(|&known| known != INFINITE));
        }
        // By vertex: the length of the shortest known path to it, and the vertex before it.
        let mut paths: FxHashMap<Vertex, (u64, Vertex)> = FxHashMap::from_iter([(from, (0, from))]);
        let mut queue = BinaryHeap::from([Reverse((0, from))]);
        let mut exits = Vec::new();
        let mut is_exhaustive = true;
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
                None => self.exits(here, &mut exits)?,
            }
            for &(edge, next) in &exits {
                let total = length.saturating_add(edge);
                if total > self.limit || paths.len() > MAX_VERTICES {
                    is_exhaustive &= edge == INFINITE;
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
    pub(crate) fn first_step(&mut self, state: SetId) -> Result<Option<(Piece, SetId)>, Error> {
        if let Some(&known) = self.steps.get(&state) {
            return Ok(known);
        }
        let mut found = None;
        if let Some(distance) = self.distance(state)?.filter(|&distance| distance > 0) {
            for index in 0..self.order.len() {
                let class = self.order[index];
                let next = self.recognizer.step_class(state, class)?;
                if !next.is_dead() && self.distance(next)?.is_some_and(|rest| rest < distance) {
                    found = Some((self.piece(class), next));
                    break;
                }
            }
        }
        self.steps.insert(state, found);
        Ok(found)
    }

    /// Returns the first steps of a shortest completion, at most `max_steps`.
    pub(crate) fn path(&mut self, state: SetId, max_steps: usize) -> Result<Vec<Piece>, Error> {
        let mut path = Vec::new();
        let mut state = state;
        while path.len() < max_steps
            && let Some((piece, next)) = self.first_step(state)?
        {
            path.push(piece);
            state = next;
        }
        Ok(path)
    }

    /// Returns the piece that stands for a class.
    fn piece(&self, class: Class) -> Piece {
        match self.representatives.get(class.index()) {
            Some(&byte) => Piece::Byte(byte),
            None => Piece::Special(class.index() - self.representatives.len()),
        }
    }

    /// Appends the edges of a vertex: the least number of bytes, and the next vertex.
    fn exits(&mut self, vertex: Vertex, exits: &mut Vec<(u64, Vertex)>) -> Result<(), Error> {
        match vertex {
            Vertex::End | Vertex::Completed(OriginId::ROOT) => exits.push((0, Vertex::End)),
            Vertex::State(state) if state.completes() => exits.push((0, Vertex::End)),
            Vertex::State(state) => {
                let parts = self.recognizer.inspect().split(state)?.clone();
                for item in &parts.lexemes {
                    let distinct = self.recognizer.inspect().distinct(item.node)?;
                    if let Some(DistinctItem::Rule(item)) = distinct.map(|distinct| distinct.item) {
                        self.exits_of_rule(state, item, exits)?;
                    }
                }
                let network = self.recognizer.network();
                for item in &parts.lexemes {
                    // The state after a `distinct!` item depends on its text, so spell the text out.
                    match self.recognizer.inspect().distinct(item.node)?.map(|distinct| distinct.item) {
                        Some(DistinctItem::Lexeme(lexeme)) => {
                            let lexeme = self.recognizer.inspect().open_state(lexeme)?;
                            if let Some(text) = shortest_text(&self.recognizer, lexeme, self.limit)? {
                                let next = self.step_bytes(state, &text)?;
                                exits.push((text.len() as u64, Vertex::State(next)));
                            }
                            continue;
                        }
                        Some(DistinctItem::Rule(_)) => continue,
                        None => {}
                    }
                    let length = lexeme_length(
                        &self.recognizer,
                        &mut self.lexemes,
                        self.recognizer.inspect().open_state(item.node)?,
                        self.limit,
                    )?;
                    exits.push((length, Vertex::Completed(item.origin)));
                }
                for item in self.recognizer.kernel(parts.rest) {
                    exits
                        .push((self.lengths.by_scanning(network, item.node), Vertex::Completed(item.origin)));
                }
            }
            Vertex::Completed(origin) => {
                let network = self.recognizer.network();
                let callers = self.recognizer.callers(origin);
                for caller in callers {
                    exits.push((self.lengths.of(caller.node), Vertex::Completed(caller.origin)));
                }
                // A counter in progress is not a node of the network. Its rest is in the predicted items.
                if callers.iter().any(|caller| caller.node.index() >= network.nodes.len()) {
                    exits.push((0, Vertex::State(self.recognizer.inspect().state_after(origin)?)));
                }
            }
        }
        Ok(())
    }
}

impl ShortestCompletion {
    /// Appends the edges of a state inside of a `distinct!` item that is a rule. `item` is the rule's state.
    ///
    /// The edge spells the shortest rest of the item. Where that is the rest of a used value, each byte that
    /// may follow instead has an edge.
    fn exits_of_rule(
        &mut self,
        state: SetId,
        item: SetId,
        exits: &mut Vec<(u64, Vertex)>,
    ) -> Result<(), Error> {
        let rest = self.path(item, usize::try_from(self.limit).unwrap_or(usize::MAX))?;
        let (mut here, mut read) = (state, 0);
        for piece in &rest {
            let Piece::Byte(byte) = *piece else { break };
            let next = self.recognizer.step(here, byte)?;
            if next.is_dead() {
                break;
            }
            (here, read) = (next, read + 1);
        }
        if read > 0 && read == rest.len() {
            exits.push((read as u64, Vertex::State(here)));
            return Ok(());
        }
        for byte in self.recognizer.live_bytes(here)?.iter() {
            exits.push((read as u64 + 1, Vertex::State(self.recognizer.step(here, byte)?)));
        }
        Ok(())
    }
}

/// Returns the least number of bytes that complete a lexeme. `lexeme` is the set with its state alone.
fn lexeme_length(
    recognizer: &Recognizer,
    cache: &mut FxHashMap<SetId, u64>,
    lexeme: SetId,
    limit: u64,
) -> Result<u64, Error> {
    if let Some(&length) = cache.get(&lexeme) {
        return Ok(length);
    }
    let text = shortest_text(recognizer, lexeme, limit)?;
    let length = text.map_or(INFINITE, |text| text.len() as u64);
    cache.insert(lexeme, length);
    Ok(length)
}

/// Returns a shortest text that completes a lexeme. `lexeme` is the set with its state alone.
///
/// Returns `Ok(None)` if there is none of at most `limit` bytes.
fn shortest_text(recognizer: &Recognizer, lexeme: SetId, limit: u64) -> Result<Option<Vec<u8>>, Error> {
    // Breadth-first search. By visited state: the index of its predecessor, and the byte between them.
    let mut visited = vec![(lexeme, 0, 0)];
    let mut states = FxHashSet::from_iter([lexeme]);
    let (mut layer, mut length) = (0..1, 0);
    while !layer.is_empty() && length < limit && states.len() <= MAX_VERTICES {
        length += 1;
        for index in layer.clone() {
            for class in &recognizer.network().class_bytes {
                let Some(byte) = class.first() else { continue };
                let after = recognizer.step(visited[index].0, byte)?;
                if after.completes() {
                    let mut text = vec![byte];
                    let mut index = index;
                    while index > 0 {
                        let (_, before, byte) = visited[index];
                        text.push(byte);
                        index = before;
                    }
                    text.reverse();
                    return Ok(Some(text));
                }
                if !after.is_dead() && states.insert(after) {
                    visited.push((after, index, byte));
                }
            }
        }
        layer = layer.end..visited.len();
    }
    Ok(None)
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
    use grammask_earley::Limits;
    use grammask_regular::Store;
    use grammask_testkit::random::{Rng, Shape, grammar, text};

    use super::*;

    fn completion(grammar: &str) -> ShortestCompletion {
        let ast = grammask_syntax::parse(grammar, &Default::default()).unwrap();
        let mut store = Store::new(&Default::default());
        let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
        let network = Network::build(&normal, store, &Default::default()).unwrap();
        ShortestCompletion::new(&Arc::new(network), &Default::default(), 10_000).unwrap()
    }

    /// Checks the distance after a text and the shortest completion, which must have that length and complete
    /// the text.
    fn check(grammar: &str, before: &str, distance: Option<u64>, expected: &str) {
        let mut completion = completion(grammar);
        let mut state = completion.step_bytes(completion.initial(), before.as_bytes()).unwrap();
        assert_eq!(completion.distance(state).unwrap(), distance, "{grammar} after {before:?}");
        let pieces = completion.path(state, usize::MAX).unwrap();
        let spelled: String = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Byte(byte) => char::from(*byte).to_string(),
                Piece::Special(index) => format!("<{index}>"),
            })
            .collect();
        assert_eq!(spelled, expected, "{grammar} after {before:?}");
        for piece in &pieces {
            state = completion.step(state, *piece).unwrap();
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

    #[test]
    fn completions_do_not_depend_on_the_budget() {
        let grammar = "start ::= '[' (start (',' start)*)? ']' | #'[0-9]+';";
        let ast = grammask_syntax::parse(grammar, &Default::default()).unwrap();
        let mut store = Store::new(&Default::default());
        let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
        let network = Network::build(&normal, store, &Default::default()).unwrap();
        let limits = Limits { budget: 1, ..Limits::default() };
        let config = Config { limits, ..Config::default() };
        let mut starved = ShortestCompletion::new(&Arc::new(network), &config, 10_000).unwrap();
        let mut state = starved.initial();
        let mut text = Vec::new();
        for &byte in b"[1,[[" {
            state = starved.shrink(starved.step(state, Piece::Byte(byte)).unwrap()).unwrap();
        }
        while let Some((Piece::Byte(byte), next)) = starved.first_step(state).unwrap() {
            text.push(byte);
            state = starved.shrink(next).unwrap();
        }
        assert_eq!(text, b"]]]");
    }

    /// Returns the distance by enumerating all texts of up to `most` bytes. The outer `None` means that there
    /// are too many.
    fn by_search(completion: &ShortestCompletion, state: SetId, most: u64) -> Option<Option<u64>> {
        let mut layer = FxHashSet::from_iter([state]);
        for length in 0..=most {
            if layer.iter().any(|state| state.completes()) {
                return Some(Some(length));
            }
            let mut next = FxHashSet::default();
            for state in layer {
                for &class in &completion.order {
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
            let mut state = completion.initial();
            for byte in text(&mut rng, &sample.oracle, 6) {
                let Some(expected) = by_search(&completion, state, most) else { break };
                let distance = completion.distance(state).unwrap();
                assert_eq!(distance.filter(|&distance| distance <= most), expected, "{}", sample.text);
                compared += 1;
                state = completion.step(state, Piece::Byte(byte)).unwrap();
                if state.is_dead() {
                    break;
                }
            }
        }
        assert!(compared > 500, "{compared}");
    }
}

//! Shortest ways to a complete text: how long they are, and their first step. So a model that wanders can be led to an end.

mod lengths;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use grammask_earley::{Class, Config, Error, Network, OriginId, Recognizer, SetId};
use rustc_hash::{FxHashMap, FxHashSet};

use lengths::{ENDLESS, Lengths};

/// The places among which one shortest way is looked for.
const MAX_PLACES: usize = 200_000;

/// Knows the shortest ways from the states of a recognizer of its own to complete texts.
///
/// A text is complete as soon as whatever is being written is, then whoever waits for that, and so on outwards. So a shortest
/// way is a shortest path over those who wait, one or a few for every level of nesting, and not a search over texts.
pub(crate) struct Steering {
    recognizer: Recognizer,
    /// Fresh tables are made only when those in use hold more bytes than this, as a state may by itself need more than
    /// their budget.
    room: usize,
    lengths: Lengths,
    /// What is written for every class of bytes; a byte that reads well where there is one.
    spelling: Vec<u8>,
    /// The classes in the order in which they are tried: those that read well first.
    order: Vec<Class>,
    /// Longer ways are as good as none.
    limit: u64,
    distances: FxHashMap<Place, u64>,
    /// By the states of lexemes alone.
    lexemes: FxHashMap<SetId, u64>,
    steps: FxHashMap<SetId, Option<(Piece, SetId)>>,
}

/// Where a way leads through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Place {
    /// Something of a state is still to be written.
    State(SetId),
    /// Whoever waits for an origin is told.
    Told(OriginId),
    /// The text is complete.
    End,
}

/// What a step of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A byte.
    Byte(u8),
    /// The special token with this index in the network.
    Special(usize),
}

impl Steering {
    /// Of a network. Ways of more than `limit` bytes are not looked for.
    pub(crate) fn new(network: &Arc<Network>, config: &Config, limit: u64) -> Result<Self, Error> {
        let mut members: Vec<Vec<u8>> = vec![Vec::new(); network.byte_classes];
        for byte in 0..=255 {
            members[network.class_of(byte).index()].push(byte);
        }
        let spelling: Vec<u8> = members
            .iter()
            .map(|bytes| bytes.iter().copied().min_by_key(|&byte| oddness(byte)).unwrap_or(0))
            .collect();
        let mut order: Vec<Class> = (0..network.classes()).map(Class::new).collect();
        order.sort_by_key(|class| spelling.get(class.index()).map(|&byte| oddness(byte)));
        Ok(Self {
            lengths: Lengths::new(network, limit)?,
            recognizer: Recognizer::new(Arc::clone(network), config),
            room: 0,
            spelling,
            order,
            limit,
            distances: FxHashMap::default(),
            lexemes: FxHashMap::default(),
            steps: FxHashMap::default(),
        })
    }

    /// The state before a text.
    pub(crate) fn initial(&self) -> SetId {
        self.recognizer.initial()
    }

    /// The state after a piece.
    pub(crate) fn step(&self, state: SetId, piece: Piece) -> Result<SetId, Error> {
        match piece {
            Piece::Byte(byte) => self.recognizer.step(state, byte),
            Piece::Special(index) => {
                self.recognizer.step_class(state, self.recognizer.network().class_of_special(index))
            }
        }
    }

    /// The state after some bytes.
    pub(crate) fn step_bytes(&self, state: SetId, bytes: &[u8]) -> Result<SetId, Error> {
        bytes.iter().try_fold(state, |state, &byte| self.recognizer.step(state, byte))
    }

    /// Makes room where the tables have grown beyond their budget; gives the same state in the new tables.
    pub(crate) fn make_room(&mut self, state: SetId) -> Result<SetId, Error> {
        if !self.recognizer.is_over_budget() || self.recognizer.bytes_used() <= self.room {
            return Ok(state);
        }
        let fresh = self.recognizer.successor();
        let state = fresh.import(&self.recognizer, state)?;
        self.recognizer = fresh;
        self.room = 2 * self.recognizer.bytes_used();
        self.distances.clear();
        self.lexemes.clear();
        self.steps.clear();
        Ok(state)
    }

    /// How many bytes and special tokens, at least, lead from a state to a complete text; 0 where the text is complete; `None`
    /// where no way is short enough, or none was found within the limits.
    pub(crate) fn distance(&mut self, state: SetId) -> Result<Option<u64>, Error> {
        let from = Place::State(state);
        if let Some(&known) = self.distances.get(&from) {
            return Ok(Some(known).filter(|&known| known != ENDLESS));
        }
        // How long the way to a place is, and from where it comes.
        let mut ways: FxHashMap<Place, (u64, Place)> = FxHashMap::from_iter([(from, (0, from))]);
        let mut queue = BinaryHeap::from([Reverse((0, from))]);
        let mut exits = Vec::new();
        let mut is_whole = true;
        while let Some(Reverse((way, here))) = queue.pop() {
            if way > ways[&here].0 {
                continue;
            }
            if here == Place::End {
                // All places on the way know their distance now.
                let mut at = here;
                while at != from {
                    at = ways[&at].1;
                    self.distances.insert(at, way - ways[&at].0);
                }
                return Ok(Some(way));
            }
            exits.clear();
            match self.distances.get(&here) {
                Some(&ENDLESS) => {}
                Some(&known) => exits.push((known, Place::End)),
                None => self.exits(here, &mut exits)?,
            }
            for &(length, next) in &exits {
                let way = way.saturating_add(length);
                if way > self.limit || ways.len() > MAX_PLACES {
                    is_whole &= length == ENDLESS;
                } else if ways.get(&next).is_none_or(|&(known, _)| way < known) {
                    ways.insert(next, (way, here));
                    queue.push(Reverse((way, next)));
                }
            }
        }
        self.distances.insert(from, ENDLESS);
        if is_whole {
            self.distances.extend(ways.into_keys().map(|place| (place, ENDLESS)));
        }
        Ok(None)
    }

    /// The first step of a shortest way from a state, and where it leads; `None` where the text is complete or there is no way.
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

    /// The first steps, at most `most`, of a shortest way from a state to a complete text.
    pub(crate) fn way(&mut self, state: SetId, most: usize) -> Result<Vec<Piece>, Error> {
        let mut way = Vec::new();
        let mut state = state;
        while way.len() < most
            && let Some((piece, next)) = self.first_step(state)?
        {
            way.push(piece);
            state = next;
        }
        Ok(way)
    }

    fn piece(&self, class: Class) -> Piece {
        match self.spelling.get(class.index()) {
            Some(&byte) => Piece::Byte(byte),
            None => Piece::Special(class.index() - self.spelling.len()),
        }
    }

    /// Where a way can go on from a place, and how many bytes that takes at least.
    fn exits(&mut self, place: Place, exits: &mut Vec<(u64, Place)>) -> Result<(), Error> {
        let network = self.recognizer.network();
        match place {
            Place::End | Place::Told(OriginId::ROOT) => exits.push((0, Place::End)),
            Place::State(state) if state.completes() => exits.push((0, Place::End)),
            Place::State(state) => {
                let parts = self.recognizer.inspect().split(state)?;
                for item in &parts.lexemes {
                    // What comes behind an item whose texts differ is known when its text is.
                    if let Some(distinct) = self.recognizer.inspect().distinct(item.node)? {
                        let lexeme = self.recognizer.inspect().open_state(distinct.lexeme)?;
                        if let Some(text) = shortest_text(&self.recognizer, lexeme, self.limit)? {
                            exits.push((text.len() as u64, Place::State(self.step_bytes(state, &text)?)));
                        }
                        continue;
                    }
                    let length = end_of_lexeme(
                        &self.recognizer,
                        &mut self.lexemes,
                        self.recognizer.inspect().open_state(item.node)?,
                        self.limit,
                    )?;
                    exits.push((length, Place::Told(item.origin)));
                }
                for item in self.recognizer.kernel(parts.rest) {
                    exits.push((self.lengths.by_scanning(network, item.node), Place::Told(item.origin)));
                }
            }
            Place::Told(origin) => {
                let callers = self.recognizer.callers(origin);
                for caller in callers {
                    exits.push((self.lengths.of(caller.node), Place::Told(caller.origin)));
                }
                // A counter is no node of the network; what is left of it shows in what it predicts.
                if callers.iter().any(|caller| caller.node.index() >= network.nodes.len()) {
                    exits.push((0, Place::State(self.recognizer.inspect().state_after(origin)?)));
                }
            }
        }
        Ok(())
    }
}

/// How many bytes, at least, complete the lexeme whose state is alone in a set.
fn end_of_lexeme(
    recognizer: &Recognizer,
    known: &mut FxHashMap<SetId, u64>,
    lexeme: SetId,
    limit: u64,
) -> Result<u64, Error> {
    if let Some(&length) = known.get(&lexeme) {
        return Ok(length);
    }
    let text = shortest_text(recognizer, lexeme, limit)?;
    let found = text.map_or(ENDLESS, |text| text.len() as u64);
    known.insert(lexeme, found);
    Ok(found)
}

/// A shortest text that completes the lexeme whose state is alone in a set, if one of so many bytes at most does.
fn shortest_text(recognizer: &Recognizer, lexeme: SetId, limit: u64) -> Result<Option<Vec<u8>>, Error> {
    // States by layers, each with the place of the one before it in the list, and the byte in between.
    let mut found = vec![(lexeme, 0, 0)];
    let mut seen = FxHashSet::from_iter([lexeme]);
    let (mut layer, mut length) = (0..1, 0);
    while !layer.is_empty() && length < limit && seen.len() <= MAX_PLACES {
        length += 1;
        for place in layer.clone() {
            for class in &recognizer.network().class_bytes {
                let Some(byte) = class.first() else { continue };
                let after = recognizer.step(found[place].0, byte)?;
                if after.completes() {
                    let mut text = vec![byte];
                    let mut place = place;
                    while place > 0 {
                        let (_, before, byte) = found[place];
                        text.push(byte);
                        place = before;
                    }
                    text.reverse();
                    return Ok(Some(text));
                }
                if !after.is_dead() && seen.insert(after) {
                    found.push((after, place, byte));
                }
            }
        }
        layer = layer.end..found.len();
    }
    Ok(None)
}

/// How odd a byte looks in a text: letters and digits do not, what is no ASCII does most.
fn oddness(byte: u8) -> (u8, u8) {
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
    use grammask_regular::Store;
    use grammask_testkit::random::{Rng, Shape, grammar, text};

    use super::*;

    fn steering(grammar: &str) -> Steering {
        let ast = grammask_syntax::parse(grammar, &Default::default()).unwrap();
        let mut store = Store::new(&Default::default());
        let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
        let network = Network::build(&normal, store, &Default::default()).unwrap();
        Steering::new(&Arc::new(network), &Default::default(), 10_000).unwrap()
    }

    /// The distance after a text, and the way from there spelled out: as long as the distance says, and at its end the text is complete.
    fn check(grammar: &str, before: &str, distance: Option<u64>, way: &str) {
        let mut steering = steering(grammar);
        let mut state = steering.step_bytes(steering.initial(), before.as_bytes()).unwrap();
        assert_eq!(steering.distance(state).unwrap(), distance, "{grammar} after {before:?}");
        let pieces = steering.way(state, usize::MAX).unwrap();
        let spelled: String = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Byte(byte) => char::from(*byte).to_string(),
                Piece::Special(index) => format!("<{index}>"),
            })
            .collect();
        assert_eq!(spelled, way, "{grammar} after {before:?}");
        for piece in &pieces {
            state = steering.step(state, *piece).unwrap();
        }
        if let Some(distance) = distance {
            assert_eq!(pieces.len() as u64, distance);
            assert!(state.completes(), "{grammar} after {before:?}");
        }
    }

    #[test]
    fn what_is_open_is_closed() {
        let grammar = "start ::= '[' (start (',' start)*)? ']' | '(' start ')' | #'[0-9]+';";
        check(grammar, "", Some(1), "0");
        check(grammar, "[(", Some(3), "0)]");
        check(grammar, "[(12,", None, "");
        check(grammar, "[(12),", Some(2), "0]");
        check(grammar, &"[(".repeat(30), Some(61), &format!("0{}", ")]".repeat(30)));
    }

    #[test]
    fn a_lexeme_is_brought_to_its_end() {
        check("start ::= '\"' #'[^\"]*' '\"' ';';", "\"ab", Some(2), "\";");
        check("start ::= #'[a-z]{3,9}' '.';", "a", Some(3), "aa.");
        check("start ::= #'[a-z]{3,9}' '.';", "abcd", Some(1), ".");
        check("start ::= except!('ab', 7) 'abc';", "xa", Some(2), "bc");
    }

    #[test]
    fn counts_are_made_up() {
        check("start ::= A{4,6} ';'; A ::= '(' A ')' | 'x';", "(x)x", Some(3), "xx;");
        check("start ::= A{4,6} ';'; A ::= '(' A ')' | 'x';", "((", Some(7), "x))xxx;");
    }

    #[test]
    fn the_shorter_of_two_readings_counts() {
        check("start ::= A 'xxxx' | B 'y'; A ::= 'a' A | 'a'; B ::= 'a' B | 'a';", "aaa", Some(1), "y");
        check("E ::= E '+' E | '(' E ')' | 'n'; start ::= E ';';", "n+(n+", Some(3), "n);");
    }

    #[test]
    fn special_tokens_are_steps() {
        check("start ::= 'a' <|x|> <[7]> 'b';", "a", Some(3), "<0><1>b");
    }

    #[test]
    fn endless_ways_are_none() {
        check("start ::= 'a' S | 'a'; S ::= 'x' S;", "", Some(1), "a");
        check("start ::= 'a' S | 'a'; S ::= 'x' S;", "a", Some(0), "");
        check("start ::= 'a' S | 'a'; S ::= 'x' S;", "ax", None, "");
        check("start ::= 'a' S; S ::= 'x' S | 'x' S 'y';", "a", None, "");
        check("start ::= 'a' A{20000}; A ::= 'b' | '(' A ')';", "a", None, "");
    }

    #[test]
    fn ways_are_the_same_with_fresh_tables() {
        let grammar = "start ::= '[' (start (',' start)*)? ']' | #'[0-9]+';";
        let ast = grammask_syntax::parse(grammar, &Default::default()).unwrap();
        let mut store = Store::new(&Default::default());
        let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
        let network = Network::build(&normal, store, &Default::default()).unwrap();
        let config = Config { budget: 1, ..Config::default() };
        let mut starved = Steering::new(&Arc::new(network), &config, 10_000).unwrap();
        let mut state = starved.initial();
        let mut text = Vec::new();
        for &byte in b"[1,[[" {
            state = starved.make_room(starved.step(state, Piece::Byte(byte)).unwrap()).unwrap();
        }
        while let Some((Piece::Byte(byte), next)) = starved.first_step(state).unwrap() {
            text.push(byte);
            state = starved.make_room(next).unwrap();
        }
        assert_eq!(text, b"]]]");
    }

    /// The distance by going through all texts of up to `most` bytes; the outer `None` where there are too many.
    fn by_search(steering: &Steering, state: SetId, most: u64) -> Option<Option<u64>> {
        let mut layer = FxHashSet::from_iter([state]);
        for length in 0..=most {
            if layer.iter().any(|state| state.completes()) {
                return Some(Some(length));
            }
            let mut next = FxHashSet::default();
            for state in layer {
                for &class in &steering.order {
                    let after = steering.recognizer.step_class(state, class).ok()?;
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
    fn distances_are_those_of_a_search_through_all_texts() {
        let mut rng = Rng::new(5);
        let most = 4;
        let mut compared = 0;
        for _ in 0..300 {
            let sample = grammar(&mut rng, &Shape::default());
            let mut steering = steering(&sample.text);
            let mut state = steering.initial();
            for byte in text(&mut rng, &sample.oracle, 6) {
                let Some(expected) = by_search(&steering, state, most) else { break };
                let distance = steering.distance(state).unwrap();
                assert_eq!(distance.filter(|&distance| distance <= most), expected, "{}", sample.text);
                compared += 1;
                state = steering.step(state, Piece::Byte(byte)).unwrap();
                if state.is_dead() {
                    break;
                }
            }
        }
        assert!(compared > 500, "{compared}");
    }
}

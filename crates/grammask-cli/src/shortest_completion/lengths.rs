//! The least number of bytes from every node of a network to the end of its rule.

mod unordered;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use grammask_earley::{Callee, Class, Error, Network, NetworkNodeId};
use grammask_regular::{RegularId, Store};
use rustc_hash::FxHashSet;

use unordered::Selection;

/// More than any text has: there is no end, or none that was found within the limits.
pub(crate) const ENDLESS: u64 = u64::MAX;

/// The states of one lexeme among which its shortest text is looked for.
const MAX_LEXEME_STATES: usize = 200_000;

/// For every node of a network how many bytes, at least, take it to the end of its rule. A special token counts as one.
#[derive(Debug)]
pub(crate) struct Lengths {
    nodes: Vec<u64>,
}

/// What a length is asked of: a node, or behind the nodes a callee.
type Place = usize;

impl Lengths {
    /// Of all nodes. Lexemes without a text of at most `limit` bytes count as endless.
    ///
    /// # Complexity
    /// O(n log n) in the edges of the network, and what the shortest texts of its lexemes take.
    ///
    /// # Source
    /// D. Knuth, "A generalization of Dijkstra's algorithm", 1977: a call is a sum of two lengths, and lengths are settled
    /// in ascending order.
    pub(crate) fn new(network: &Network, limit: u64) -> Result<Self, Error> {
        let count = network.nodes.len();
        let mut search = Search::new(count + network.callees.len());
        let mut store = network.store.clone();
        for (index, node) in network.nodes.iter().enumerate() {
            if node.is_final {
                search.reach(index, 0);
            }
            for &(_, to) in &node.scans {
                search.depend(&[to.index()], Sum { target: index, known: 1, missing: 1 });
            }
            for &(callee, to) in &node.calls {
                let operands = [count + callee.index(), to.index()];
                search.depend(&operands, Sum { target: index, known: 0, missing: 2 });
            }
        }
        for (index, callee) in network.callees.iter().enumerate() {
            let place = count + index;
            match *callee {
                Callee::Nonterminal { start, .. } => {
                    search.depend(&[start.index()], Sum { target: place, known: 0, missing: 1 });
                }
                Callee::Lexeme { language, .. } => {
                    search.reach(place, shortest_text(network, &mut store, language, limit)?);
                }
                Callee::Counter { element, min, .. } => {
                    search.repeat(count + element.index(), place, u64::from(min));
                }
                Callee::Unordered { ref items, separator, ref unordered, .. } => {
                    if let Some(selection) = Selection::new(place, unordered) {
                        let parts = items.iter().copied().chain(separator);
                        search.choose(parts.map(|part| count + part.index()), selection);
                    }
                }
            }
        }
        let mut lengths = search.run();
        lengths.truncate(count);
        Ok(Self { nodes: lengths })
    }

    /// From a node on.
    pub(crate) fn of(&self, node: NetworkNodeId) -> u64 {
        self.nodes.get(node.index()).copied().unwrap_or(ENDLESS)
    }

    /// From a node on, by way of what it scans.
    pub(crate) fn by_scanning(&self, network: &Network, node: NetworkNodeId) -> u64 {
        let Some(node) = network.nodes.get(node.index()) else { return ENDLESS };
        node.scans.iter().map(|&(_, to)| self.of(to).saturating_add(1)).min().unwrap_or(ENDLESS)
    }
}

/// A length that is the sum of others.
struct Sum {
    target: Place,
    known: u64,
    /// How many of the others are not settled.
    missing: u32,
}

/// Who waits for a length.
enum Waiting {
    /// A sum of it.
    Sum(usize),
    /// A multiple of it.
    Multiple(Place, u64),
    /// A selection, and the place of the item or separator in it.
    Selection(usize, usize),
}

struct Search {
    lengths: Vec<u64>,
    settled: Vec<bool>,
    waiting: Vec<Vec<Waiting>>,
    sums: Vec<Sum>,
    selections: Vec<Selection>,
    queue: BinaryHeap<Reverse<(u64, Place)>>,
}

impl Search {
    fn new(places: usize) -> Self {
        Self {
            lengths: vec![ENDLESS; places],
            settled: vec![false; places],
            waiting: std::iter::repeat_with(Vec::new).take(places).collect(),
            sums: Vec::new(),
            selections: Vec::new(),
            queue: BinaryHeap::new(),
        }
    }

    fn depend(&mut self, operands: &[Place], sum: Sum) {
        for &operand in operands {
            self.waiting[operand].push(Waiting::Sum(self.sums.len()));
        }
        self.sums.push(sum);
    }

    fn repeat(&mut self, element: Place, target: Place, times: u64) {
        self.waiting[element].push(Waiting::Multiple(target, times));
    }

    fn choose(&mut self, parts: impl Iterator<Item = Place>, selection: Selection) {
        for (place, part) in parts.enumerate() {
            self.waiting[part].push(Waiting::Selection(self.selections.len(), place));
        }
        self.selections.push(selection);
    }

    fn reach(&mut self, place: Place, length: u64) {
        if length < self.lengths[place] {
            self.lengths[place] = length;
            self.queue.push(Reverse((length, place)));
        }
    }

    fn run(mut self) -> Vec<u64> {
        while let Some(Reverse((length, place))) = self.queue.pop() {
            if std::mem::replace(&mut self.settled[place], true) {
                continue;
            }
            for waiting in std::mem::take(&mut self.waiting[place]) {
                match waiting {
                    Waiting::Multiple(target, times) => self.reach(target, length.saturating_mul(times)),
                    Waiting::Selection(index, place) => {
                        let selection = &mut self.selections[index];
                        if let Some(whole) = selection.settle(place, length) {
                            let target = selection.target;
                            self.reach(target, whole);
                        }
                    }
                    Waiting::Sum(index) => {
                        let sum = &mut self.sums[index];
                        sum.known = sum.known.saturating_add(length);
                        sum.missing -= 1;
                        if sum.missing == 0 {
                            let (target, known) = (sum.target, sum.known);
                            self.reach(target, known);
                        }
                    }
                }
            }
        }
        self.lengths
    }
}

/// The length of the shortest text of a lexeme; [`ENDLESS`] where none of at most `limit` bytes was found.
fn shortest_text(
    network: &Network,
    store: &mut Store,
    language: RegularId,
    limit: u64,
) -> Result<u64, Error> {
    let mut seen = FxHashSet::from_iter([language]);
    let mut layer = vec![language];
    let mut length = 0;
    while !layer.is_empty() && length <= limit && seen.len() <= MAX_LEXEME_STATES {
        if layer.iter().any(|&state| store.is_nullable(state)) {
            return Ok(length);
        }
        let mut next = Vec::new();
        for &state in &layer {
            for byte in
                (0..network.byte_classes).filter_map(|class| network.representative(Class::new(class)))
            {
                let derivative = store.derivative(state, byte)?;
                if derivative != RegularId::EMPTY && seen.insert(derivative) {
                    next.push(derivative);
                }
            }
        }
        layer = next;
        length += 1;
    }
    Ok(ENDLESS)
}

#[cfg(test)]
mod tests {
    use grammask_normal::normalize_in;

    use super::*;

    fn length(grammar: &str) -> u64 {
        let ast = grammask_syntax::parse(grammar, &Default::default()).unwrap();
        let mut store = Store::new(&Default::default());
        let normal = normalize_in(&ast, &mut store, &Default::default()).unwrap();
        let network = Network::build(&normal, store, &Default::default()).unwrap();
        Lengths::new(&network, 1000).unwrap().of(network.start)
    }

    #[test]
    fn the_shortest_text_counts() {
        for (grammar, expected) in [
            ("start ::= 'abc' | 'de';", 2),
            ("start ::= '(' start ')' | 'x';", 1),
            ("start ::= A B A; A ::= 'a' B | A 'x'; B ::= 'bb' | A;", 8),
            ("start ::= #'[a-z]{3,7}' '.' #'a|bb+';", 5),
            ("start ::= A{5,9}; A ::= '(' A ')' | 'ab';", 10),
            ("start ::= <|x|> 'a';", 2),
            ("start ::= 'a' start;", ENDLESS),
            ("start ::= unordered!('aaa', 'bb'?, 'c'*; ', ') '.';", 4),
            ("start ::= unordered!('aaa', 'bb'?, 'ccccc'*; ', '; {4,}) '.';", 22),
            ("start ::= unordered!('aaa'?, 'bb'?, 'c'?, 'dddd'?; ; {2,3});", 3),
            ("start ::= unordered!('aaa', 'bb'?; ; ; 0 -> 1) '.';", 6),
            ("start ::= 'a' start | 'b' S; S ::= S 'c' | 'ddd';", 4),
            ("start ::= #'a{2000}' 'b';", ENDLESS),
        ] {
            assert_eq!(length(grammar), expected, "{grammar}");
        }
    }
}

//! The least number of bytes from every node of a network to the end of its rule.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use grammask_regular::{RegularId, Store, analysis};
use grammask_work::{charge, charge_len};
use rustc_hash::FxHashMap;

use super::CompletionLimits;
use super::unordered::UnorderedLength;
use crate::recognizer::rest::RestOfCallee;
use crate::{Callee, CalleeId, Error, Network, NetworkNodeId};

/// A length above that of any text: no end exists, or none was found within the limits.
pub(super) const INFINITE: u64 = u64::MAX;

/// By node of a network: the least number of bytes to the end of its rule. A special token counts as one
/// byte.
#[derive(Debug)]
pub(super) struct NodeLengths {
    nodes: Vec<u64>,
    /// By callee: the least number of bytes.
    callees: Vec<u64>,
    /// By callee that is an `unordered!`: the lengths of its items.
    unordered: FxHashMap<usize, UnorderedLength>,
    /// True if each length is the least. Otherwise, lengths are those of some ends, or infinite because of a
    /// limit.
    pub(super) is_exact: bool,
}

/// A node, or the number of nodes plus the index of a callee.
pub(super) type Vertex = usize;

impl NodeLengths {
    /// Computes the lengths of all nodes. A lexeme without a text within the limits is infinitely long.
    ///
    /// # Errors
    /// If a lexeme exceeds a limit of regular languages, or the account of work is exceeded.
    ///
    /// # Complexity
    /// O(n log n) in the number of edges, plus the search for the shortest text of each lexeme.
    ///
    /// # Source
    /// D. Knuth, "A generalization of Dijkstra's algorithm", 1977: the length of a call is the sum of two
    /// lengths, and lengths are settled in ascending order.
    pub(super) fn new(network: &Network, limits: &CompletionLimits) -> Result<Self, Error> {
        let count = network.nodes.len();
        let mut search = Search::new(count + network.callees.len());
        let mut store = network.store.clone();
        let mut is_exact = true;
        for (index, node) in network.nodes.iter().enumerate() {
            charge_len(1 + node.scans.len() + node.calls.len())?;
            if node.is_final {
                search.relax(index, 0);
            }
            for &(_, to) in &node.scans {
                search.add_sum(&[to.index()], Sum { target: index, known: 1, missing: 1 });
            }
            for &(callee, to) in &node.calls {
                let operands = [count + callee.index(), to.index()];
                search.add_sum(&operands, Sum { target: index, known: 0, missing: 2 });
            }
        }
        for (index, callee) in network.callees.iter().enumerate() {
            let vertex = count + index;
            charge(1)?;
            match *callee {
                Callee::Nonterminal { start, .. } => {
                    search.add_sum(&[start.index()], Sum { target: vertex, known: 0, missing: 1 });
                }
                Callee::Lexeme { language, .. } => {
                    let length = shortest_text(&mut store, language, limits)?;
                    is_exact &= length.is_some();
                    search.relax(vertex, length.unwrap_or(INFINITE));
                }
                Callee::Counter { element, min, .. } => {
                    search.add_multiple(count + element.index(), vertex, u64::from(min));
                }
                Callee::Unordered { ref items, separator, ref unordered, .. } => {
                    let length = UnorderedLength::new(vertex, unordered);
                    is_exact &= length.as_ref().is_some_and(|length| length.is_least);
                    if let Some(length) = length {
                        let parts = items.iter().copied().chain(separator);
                        search.add_unordered(parts.map(|part| count + part.index()), length);
                    }
                }
            }
        }
        search.run()?;
        let mut nodes = search.lengths;
        let callees = nodes.split_off(count);
        let unordered = search.unordered.into_iter().map(|length| (length.target - count, length));
        Ok(Self { nodes, callees, unordered: unordered.collect(), is_exact })
    }

    /// Returns the length of the rest of a callee. Returns `None` if it is not known.
    ///
    /// # Errors
    /// If the account of work is exceeded.
    pub(super) fn rest(
        &self,
        network: &Network,
        callee: CalleeId,
        rest: RestOfCallee,
    ) -> Result<Option<u64>, Error> {
        match (rest, network.callee(callee)) {
            (RestOfCallee::Counter(count), &Callee::Counter { element, min, .. }) => {
                let missing = u64::from(min.saturating_sub(count));
                let length = self.callees.get(element.index()).copied().unwrap_or(INFINITE);
                Ok(Some(if missing == 0 { 0 } else { length.saturating_mul(missing) }))
            }
            (RestOfCallee::Unordered(rest), _) => match self.unordered.get(&callee.index()) {
                Some(unordered) => Ok(unordered.rest(rest)?),
                None => Ok(None),
            },
            (RestOfCallee::Counter(_), _) => Ok(None),
        }
    }

    /// Returns the length from a node on.
    pub(super) fn of(&self, node: NetworkNodeId) -> u64 {
        self.nodes.get(node.index()).copied().unwrap_or(INFINITE)
    }

    /// Returns the length from a node on, if the next step scans a byte or a special token.
    ///
    /// # Errors
    /// If the account of work is exceeded.
    pub(super) fn by_scanning(&self, network: &Network, node: NetworkNodeId) -> Result<u64, Error> {
        let Some(node) = network.nodes.get(node.index()) else { return Ok(INFINITE) };
        charge_len(node.scans.len())?;
        let lengths = node.scans.iter().map(|&(_, to)| self.of(to).saturating_add(1));
        Ok(lengths.min().unwrap_or(INFINITE))
    }
}

/// A length that is the sum of others, of which some are not settled.
struct Sum {
    target: Vertex,
    /// Sum of the settled ones.
    known: u64,
    /// Number of those that are not settled.
    missing: u32,
}

/// A length that depends on another.
enum Dependent {
    /// The sum with this index.
    Sum(usize),
    /// This vertex, which is this many times as long.
    Multiple(Vertex, u64),
    /// The `unordered!` with this index, and the index of the part in it.
    Unordered(usize, usize),
}

/// State of the search.
struct Search {
    /// By vertex: the least known length.
    lengths: Vec<u64>,
    /// By vertex: true if its length is final.
    settled: Vec<bool>,
    /// By vertex: the lengths that depend on it.
    dependents: Vec<Vec<Dependent>>,
    sums: Vec<Sum>,
    unordered: Vec<UnorderedLength>,
    queue: BinaryHeap<Reverse<(u64, Vertex)>>,
}

impl Search {
    fn new(vertices: usize) -> Self {
        Self {
            lengths: vec![INFINITE; vertices],
            settled: vec![false; vertices],
            dependents: std::iter::repeat_with(Vec::new).take(vertices).collect(),
            sums: Vec::new(),
            unordered: Vec::new(),
            queue: BinaryHeap::new(),
        }
    }

    /// Adds a sum of the lengths of `operands`.
    fn add_sum(&mut self, operands: &[Vertex], sum: Sum) {
        for &operand in operands {
            self.dependents[operand].push(Dependent::Sum(self.sums.len()));
        }
        self.sums.push(sum);
    }

    /// Makes `target` as long as `times` times `element`.
    fn add_multiple(&mut self, element: Vertex, target: Vertex, times: u64) {
        self.dependents[element].push(Dependent::Multiple(target, times));
    }

    /// Adds an `unordered!` of these parts.
    fn add_unordered(&mut self, parts: impl Iterator<Item = Vertex>, unordered: UnorderedLength) {
        for (number, part) in parts.enumerate() {
            self.dependents[part].push(Dependent::Unordered(self.unordered.len(), number));
        }
        self.unordered.push(unordered);
    }

    /// Lowers the length of a vertex, if `length` is smaller.
    fn relax(&mut self, vertex: Vertex, length: u64) {
        if length < self.lengths[vertex] {
            self.lengths[vertex] = length;
            self.queue.push(Reverse((length, vertex)));
        }
    }

    /// Settles all lengths.
    fn run(&mut self) -> Result<(), Error> {
        while let Some(Reverse((length, vertex))) = self.queue.pop() {
            if std::mem::replace(&mut self.settled[vertex], true) {
                continue;
            }
            charge(1)?;
            for dependent in std::mem::take(&mut self.dependents[vertex]) {
                charge(1)?;
                match dependent {
                    Dependent::Multiple(target, times) => self.relax(target, length.saturating_mul(times)),
                    Dependent::Unordered(index, part) => {
                        let unordered = &mut self.unordered[index];
                        if let Some(whole) = unordered.settle(part, length)? {
                            let target = unordered.target;
                            self.relax(target, whole);
                        }
                    }
                    Dependent::Sum(index) => {
                        let sum = &mut self.sums[index];
                        sum.known = sum.known.saturating_add(length);
                        sum.missing -= 1;
                        if sum.missing == 0 {
                            let (target, known) = (sum.target, sum.known);
                            self.relax(target, known);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns the length of a shortest text of a lexeme. Returns `None` if there is none within the limits.
fn shortest_text(
    store: &mut Store,
    language: RegularId,
    limits: &CompletionLimits,
) -> Result<Option<u64>, Error> {
    if store.is_nullable(language) {
        return Ok(Some(0));
    }
    let text = analysis::shortest_text(store, language, limits.max_bytes, limits.max_states)?;
    Ok(text.map(|text| text.len() as u64))
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
        let limits = CompletionLimits { max_bytes: 1000, ..CompletionLimits::default() };
        NodeLengths::new(&network, &limits).unwrap().of(network.start)
    }

    #[test]
    fn lengths_are_those_of_shortest_texts() {
        for (grammar, expected) in [
            ("start ::= 'abc' | 'de';", 2),
            ("start ::= '(' start ')' | 'x';", 1),
            ("start ::= A B A; A ::= 'a' B | A 'x'; B ::= 'bb' | A;", 8),
            ("start ::= #'[a-z]{3,7}' '.' #'a|bb+';", 5),
            ("start ::= A{5,9}; A ::= '(' A ')' | 'ab';", 10),
            ("start ::= <|x|> 'a';", 2),
            ("start ::= 'a' start;", INFINITE),
            ("start ::= unordered!('aaa', 'bb'?, 'c'*; ', ') '.';", 4),
            ("start ::= unordered!('aaa', 'bb'?, 'ccccc'*; ', '; {4,}) '.';", 22),
            ("start ::= unordered!('aaa'?, 'bb'?, 'c'?, 'dddd'?; ; {2,3});", 3),
            ("start ::= unordered!('aaa', 'bb'?; ; ; 0 -> 1) '.';", 6),
            ("start ::= 'a' start | 'b' S; S ::= S 'c' | 'ddd';", 4),
            ("start ::= #'a{2000}' 'b';", INFINITE),
        ] {
            assert_eq!(length(grammar), expected, "{grammar}");
        }
    }
}

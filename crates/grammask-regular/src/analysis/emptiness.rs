//! Is a language empty? Without complement and intersection it shows in the expression; with them, a search over
//! derivatives decides, and what it learns is kept for all states on its way.

use crate::number::modular::Solved;
use crate::store::node::{INHABITED, Kind, List, RegularId, Spelling, UNBOUNDED, VOID};
use crate::{Error, Store};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What is known about a language before it is searched.
enum Known {
    Inhabited,
    Void,
    /// Inhabited iff one of these is.
    Parts(Vec<RegularId>),
    /// Inhabited iff it is nullable, which it is not, or a derivative is inhabited.
    State,
}

/// A way that led to a state: from another one by a byte, or from what it is a part of.
#[derive(Clone, Copy)]
struct Edge {
    from: RegularId,
    byte: Option<u8>,
    /// The next older one to the same state.
    older: u32,
}

/// The ways that led to a state, as numbers of edges.
#[derive(Clone, Copy)]
struct Met {
    first: u32,
    newest: u32,
}

/// The states met by a search, and who led to them.
#[derive(Default)]
struct Search {
    met: FxHashMap<RegularId, Met>,
    edges: Vec<Edge>,
    /// States of which no derivative has been taken, but for those in `closed`; in the order in which they were met, and by how long their
    /// strings are at least.
    open: VecDeque<RegularId>,
    nearest: BinaryHeap<(Reverse<u32>, RegularId)>,
    closed: FxHashSet<RegularId>,
    /// Whose turn it is.
    turn: u32,
    /// States that are known to be inhabited, from which the knowledge spreads backwards.
    found: Vec<RegularId>,
}

const NONE: u32 = u32::MAX;

impl Search {
    /// The state to go on from. In turn: the first that was met, as breadth first finds short ways; the last, as depth first finds such as need
    /// many bytes; and one that may be nearest to an end, as that finds its way out of wide intersections.
    fn next(&mut self) -> Option<RegularId> {
        loop {
            self.turn = (self.turn + 1) % 3;
            let next = match self.turn {
                0 => self.open.pop_front(),
                1 => self.open.pop_back(),
                _ => self.nearest.pop().map(|(_, state)| state),
            };
            // Each state is in both lists, so where one is empty, nothing is left in the other but what is closed.
            let state = next?;
            if self.closed.insert(state) {
                return Some(state);
            }
        }
    }

    /// The bytes by which a state was reached first, from what it is a state of, which is a part of what is searched.
    fn way_to(&self, mut state: RegularId) -> (RegularId, Vec<u8>) {
        let mut way = Vec::new();
        while let Some(edge) = self.met.get(&state).and_then(|met| self.edges.get(met.first as usize))
            && let Some(byte) = edge.byte
        {
            way.push(byte);
            state = edge.from;
        }
        way.reverse();
        (state, way)
    }
}

impl Store {
    /// Does the language contain no string at all?
    ///
    /// # Errors
    /// When the search takes more than [`Config::emptiness_steps`](crate::Config::emptiness_steps) derivatives, or another
    /// limit is exceeded.
    ///
    /// # Complexity
    /// Constant without complement and intersection; else a search over the states that can be reached, whose
    /// results are remembered.
    pub fn is_empty(&mut self, a: RegularId) -> Result<bool, Error> {
        // Nobody stops it, so there is an answer.
        Ok(self.is_empty_unless(a, || false)?.unwrap_or(false))
    }

    /// The same, unless somebody who is asked before each derivative says to stop: nothing then.
    ///
    /// # Errors
    /// As [`is_empty`](Self::is_empty).
    ///
    /// # Complexity
    /// As [`is_empty`](Self::is_empty). Of a search that is stopped, the derivatives are kept.
    ///
    /// ```
    /// use grammask_regular::{Config, Store};
    ///
    /// let mut store = Store::new(&Config::default());
    /// let (a, b) = (store.regex("[ab]*a")?, store.regex("[ab]*b")?);
    /// let both = store.intersection(&[a, b])?;
    /// assert_eq!(store.is_empty_unless(both, || true)?, None);
    /// assert_eq!(store.is_empty_unless(both, || false)?, Some(true));
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn is_empty_unless(
        &mut self,
        a: RegularId,
        mut is_stopped: impl FnMut() -> bool,
    ) -> Result<Option<bool>, Error> {
        if self.node(a).has(INHABITED) || self.node(a).has(VOID) {
            return Ok(Some(self.node(a).has(VOID)));
        }
        if self.settle(a) {
            return Ok(Some(self.node(a).has(VOID)));
        }
        if self.has_sample(a) {
            self.nodes[a.index()].flags |= INHABITED;
            return Ok(Some(false));
        }
        let mut search = Search::default();
        self.meet(&mut search, a, None);
        let mut steps = 0;
        while search.found.is_empty() {
            let Some(state) = search.next() else { break };
            let partition = self.node(state).partition;
            for class in 0..self.partitions.len(partition) {
                steps += 1;
                if steps > self.config.emptiness_steps {
                    let value = self.config.emptiness_steps;
                    let place = "deciding whether a complement or an intersection is empty";
                    return Err(Error::Limit { limit: "emptiness_steps", value, place, found: None });
                }
                if is_stopped() {
                    return Ok(None);
                }
                let byte = self.partitions.representative(partition, class);
                let next = self.raw_derivative(state, byte)?;
                self.meet(&mut search, next, Some((state, Some(byte))));
                if !search.found.is_empty() {
                    break;
                }
            }
        }
        if let Some(&end) = search.found.first()
            && let (start, way) = search.way_to(end)
            && start != end
            && matches!(self.node(start).kind, Kind::And(_))
        {
            self.learn_witness(&way, end);
        }
        Ok(Some(self.conclude(search, a)))
    }

    /// Takes a language and its parts into the search.
    fn meet(&mut self, search: &mut Search, a: RegularId, from: Option<(RegularId, Option<u8>)>) {
        let mut stack = vec![(a, from)];
        while let Some((a, from)) = stack.pop() {
            let edge = if from.is_some() { search.edges.len() as u32 } else { NONE };
            let is_new = !search.met.contains_key(&a);
            let met = search.met.entry(a).or_insert(Met { first: edge, newest: NONE });
            if let Some((from, byte)) = from {
                let older = std::mem::replace(&mut met.newest, edge);
                search.edges.push(Edge { from, byte, older });
            }
            if !is_new {
                continue;
            }
            match self.prior_knowledge(a) {
                Known::Inhabited => {
                    search.found.push(a);
                    return;
                }
                Known::Void => {}
                Known::Parts(parts) => stack.extend(parts.into_iter().map(|part| (part, Some((a, None))))),
                Known::State if matches!(self.node(a).kind, Kind::And(_)) && self.has_witness(a) => {
                    search.found.push(a);
                    return;
                }
                Known::State if self.settle(a) => {
                    if self.node(a).has(INHABITED) {
                        search.found.push(a);
                        return;
                    }
                }
                Known::State => {
                    search.open.push_back(a);
                    search.nearest.push((Reverse(self.node(a).min), a));
                }
            }
        }
    }

    /// Whether arithmetic says if there is a text; notes it.
    fn settle(&mut self, a: RegularId) -> bool {
        let flag = match self.solved(a) {
            Solved::Unknown => return false,
            Solved::Void => VOID,
            Solved::Inhabited => INHABITED,
        };
        self.nodes[a.index()].flags |= flag;
        true
    }

    fn prior_knowledge(&self, a: RegularId) -> Known {
        let node = self.node(a);
        if node.has(INHABITED) {
            return Known::Inhabited;
        }
        if node.has(VOID) {
            return Known::Void;
        }
        match node.kind {
            Kind::Or(list) => Known::Parts(self.list(list).to_vec()),
            Kind::Repeat { base, .. } => Known::Parts(vec![base]),
            Kind::Early(a) | Kind::Json { text: a, at: Spelling::Text } => Known::Parts(vec![a]),
            Kind::Concat(head, tail) => match (self.node(head), self.node(tail)) {
                (h, t) if h.has(VOID) || t.has(VOID) => Known::Void,
                (_, t) if t.has(INHABITED) => Known::Parts(vec![head]),
                (h, _) if h.has(INHABITED) => Known::Parts(vec![tail]),
                _ => Known::State,
            },
            Kind::And(list) if self.list(list).iter().any(|&member| self.node(member).has(VOID)) => {
                Known::Void
            }
            _ => Known::State,
        }
    }

    /// Writes down what the search has found: whoever leads to an inhabited state is inhabited; if there is none and all is
    /// explored, everything met is empty.
    fn conclude(&mut self, search: Search, a: RegularId) -> bool {
        let Search { met, edges, mut found, .. } = search;
        if found.is_empty() {
            for &state in met.keys() {
                self.nodes[state.index()].flags |= VOID;
            }
            return true;
        }
        while let Some(state) = found.pop() {
            let mut edge = met.get(&state).map_or(NONE, |met| met.newest);
            self.nodes[state.index()].flags |= INHABITED;
            while edge != NONE {
                let Edge { from, older, .. } = edges[edge as usize];
                if !self.node(from).has(INHABITED) {
                    found.push(from);
                }
                edge = older;
            }
        }
        self.node(a).has(VOID)
    }

    /// Is an intersection that of a loop without end and of complements of what ends somewhere?
    pub(crate) fn goes_beyond(&self, members: List) -> bool {
        let mut loops = 0;
        let fits = self.list(members).iter().all(|&member| match self.node(member).kind {
            Kind::Not(a) => self.node(a).max != UNBOUNDED,
            Kind::Repeat { base, max: UNBOUNDED, .. } => {
                loops += 1;
                self.node(base).has(INHABITED) && self.node(base).min > 0
            }
            _ => false,
        });
        fits && loops < 2
    }
}

#[cfg(test)]
mod tests {
    use crate::{Config, Error, RegularId, Store};

    #[test]
    fn what_is_longer_than_all_that_is_left_out_is_not_searched() -> Result<(), Error> {
        let mut store = Store::new(&Config { emptiness_steps: 3, ..Config::default() });
        let [free, short, other] =
            ["(?s:.)*", "(?s:.){0,9999}", "(?:ab){3}|c"].map(|pattern| store.regex(pattern));
        let others = [store.complement(short?)?, store.complement(other?)?];
        let longer = store.intersection(&[free?, others[0], others[1]])?;
        let spelled = store.json_text(longer)?;
        for language in [others[0], longer, spelled] {
            assert_eq!(store.is_empty(language), Ok(false));
            assert_ne!(store.derivative(language, b'a')?, RegularId::EMPTY);
        }
        // Two loops may have nothing in common.
        let [one, two] = ["(?:ab)+", "(?:cd)+"].map(|pattern| store.regex(pattern));
        let neither = store.intersection(&[one?, two?, others[0]])?;
        assert!(store.is_empty(neither).is_err(), "that takes a search, of more steps than these");
        Ok(())
    }
}

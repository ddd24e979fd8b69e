//! Decides whether a language is empty. Without complement and intersection, the flags of the expression
//! suffice. Otherwise a search over derivatives decides, and records its results for the states that it
//! visits.

use crate::analysis::overlap::{alphabet, requires_byte_outside};
use crate::analysis::witnesses::has_witness;
use crate::analysis::witnesses::learn_witness;
use crate::automaton::derivative::raw_derivative;
use crate::number::modular::Satisfiability;
use crate::number::modular::satisfiability;
use crate::number::samples::has_sample;
use crate::store::node::{
    JsonPosition, Kind, OperandList, PROVEN_EMPTY, PROVEN_NONEMPTY, RegularId, UNBOUNDED,
};
use crate::{Error, Limit, Store};
use grammask_work::{charge, count, narrow};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Result of the tests that need no derivative.
enum Classification {
    NonEmpty,
    Empty,
    /// Non-empty iff one of these languages is non-empty.
    Parts(Vec<RegularId>),
    /// Non-empty iff a derivative is non-empty; it is not nullable.
    State,
}

/// How a state was reached: by a byte from another state, or as an operand of it.
#[derive(Clone, Copy)]
struct Predecessor {
    from: RegularId,
    byte: Option<u8>,
    /// Index of the predecessor of the same state that was recorded before this one, or [`NONE`].
    older: u32,
}

/// First and newest predecessor of a state, as indices into the edges of a search, or [`NONE`].
#[derive(Clone, Copy)]
struct Discovered {
    first: u32,
    newest: u32,
}

/// The visited states of a search, and their predecessors.
#[derive(Default)]
struct Search {
    met: FxHashMap<RegularId, Discovered>,
    edges: Vec<Predecessor>,
    /// States to expand, in the order of discovery. A state that is in `closed` as well has been expanded.
    open: VecDeque<RegularId>,
    /// The states of `open`, by a lower bound of the lengths of their strings.
    nearest: BinaryHeap<(Reverse<u32>, RegularId)>,
    closed: FxHashSet<RegularId>,
    /// Number of the strategy that [`next`](Self::next) used last, 0 to 2.
    turn: u32,
    /// States that are proven non-empty. [`propagate`] marks their predecessors.
    found: Vec<RegularId>,
}

/// Work of one derivative of a search, and of one state that it meets, beside that of the derivative itself.
const UNITS_PER_STEP: u64 = 8;

const NONE: u32 = u32::MAX;

impl Search {
    /// Returns the next state to expand. Three strategies take turns. The oldest state (breadth first) finds
    /// short strings, and the newest (depth first) finds long ones. The state with the smallest length bound
    /// helps in intersections of many operands.
    fn next(&mut self) -> Option<RegularId> {
        loop {
            self.turn = (self.turn + 1) % 3;
            let next = match self.turn {
                0 => self.open.pop_front(),
                1 => self.open.pop_back(),
                _ => self.nearest.pop().map(|(_, state)| state),
            };
            // Each state is in both queues, so if one is empty, the other contains only closed states.
            let state = next?;
            if self.closed.insert(state) {
                return Some(state);
            }
        }
    }

    /// Returns the start of the first path to a state, and the bytes of the path. The start is the searched
    /// language, or the last state on the path that was reached as an operand.
    fn path_to(&self, mut state: RegularId) -> (RegularId, Vec<u8>) {
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

/// See [`Store::is_empty`].
pub(crate) fn is_empty(
    store: &mut Store,
    a: RegularId,
    is_cancelled: &mut dyn FnMut() -> bool,
) -> Result<Option<bool>, Error> {
    if store.node(a).has(PROVEN_NONEMPTY) || store.node(a).has(PROVEN_EMPTY) {
        return Ok(Some(store.node(a).has(PROVEN_EMPTY)));
    }
    if decide_by_arithmetic(store, a) {
        return Ok(Some(store.node(a).has(PROVEN_EMPTY)));
    }
    if has_sample(store, a) {
        store.arena.nodes[a.index()].flags |= PROVEN_NONEMPTY;
        return Ok(Some(false));
    }
    let mut search = Search::default();
    discover(store, &mut search, a, None);
    if search.found.is_empty() && lacks_required_byte(store, a) {
        store.arena.nodes[a.index()].flags |= PROVEN_EMPTY;
        return Ok(Some(true));
    }
    let mut steps = 0;
    while search.found.is_empty() {
        let Some(state) = search.next() else { break };
        let partition = store.node(state).partition;
        for class in 0..store.partitions.len(partition) {
            steps += 1;
            if steps > store.limits.emptiness_steps {
                return Err(Error::limit(Limit::EmptinessSteps, store.limits.emptiness_steps, None));
            }
            if is_cancelled() {
                return Ok(None);
            }
            charge(UNITS_PER_STEP)?;
            let byte = store.partitions.representative(partition, class);
            let next = raw_derivative(store, state, byte)?;
            discover(store, &mut search, next, Some((state, Some(byte))));
            if !search.found.is_empty() {
                break;
            }
        }
    }
    if let Some(&end) = search.found.first()
        && let (start, path) = search.path_to(end)
        && start != end
        && matches!(store.node(start).kind, Kind::And(_))
    {
        learn_witness(store, &path, end);
    }
    Ok(Some(propagate(store, search, a)))
}

/// Adds a language and its operands to the search. `from` is its predecessor with the byte in between;
/// without a byte, the language is an operand of the predecessor.
fn discover(store: &mut Store, search: &mut Search, a: RegularId, from: Option<(RegularId, Option<u8>)>) {
    let mut stack = vec![(a, from)];
    while let Some((a, from)) = stack.pop() {
        let edge = if from.is_some() { narrow(search.edges.len()) } else { NONE };
        let is_new = !search.met.contains_key(&a);
        let met = search.met.entry(a).or_insert(Discovered { first: edge, newest: NONE });
        if let Some((from, byte)) = from {
            let older = std::mem::replace(&mut met.newest, edge);
            search.edges.push(Predecessor { from, byte, older });
        }
        if !is_new {
            continue;
        }
        count(UNITS_PER_STEP);
        match classify(store, a) {
            Classification::NonEmpty => {
                search.found.push(a);
                return;
            }
            Classification::Empty => {}
            Classification::Parts(parts) => {
                stack.extend(parts.into_iter().map(|part| (part, Some((a, None)))));
            }
            Classification::State if matches!(store.node(a).kind, Kind::And(_)) && has_witness(store, a) => {
                search.found.push(a);
                return;
            }
            Classification::State if decide_by_arithmetic(store, a) => {
                if store.node(a).has(PROVEN_NONEMPTY) {
                    search.found.push(a);
                    return;
                }
            }
            Classification::State => {
                search.open.push_back(a);
                search.nearest.push((Reverse(store.node(a).min), a));
            }
        }
    }
}

/// Decides emptiness by arithmetic on numbers, and records the result. Returns false if arithmetic does not
/// decide.
fn decide_by_arithmetic(store: &mut Store, a: RegularId) -> bool {
    let flag = match satisfiability(store, a) {
        Satisfiability::Unknown => return false,
        Satisfiability::Void => PROVEN_EMPTY,
        Satisfiability::Inhabited => PROVEN_NONEMPTY,
    };
    store.arena.nodes[a.index()].flags |= flag;
    true
}

/// Returns true if an operand of an intersection requires a byte that no string of the intersection has. A
/// pattern that requires white space, beside the format of host names, took a million derivatives.
fn lacks_required_byte(store: &Store, a: RegularId) -> bool {
    matches!(store.node(a).kind, Kind::And(_)) && requires_byte_outside(store, a, &alphabet(store, a))
}

/// Decides emptiness from flags alone, or returns the languages on which it depends.
fn classify(store: &Store, a: RegularId) -> Classification {
    let node = store.node(a);
    if node.has(PROVEN_NONEMPTY) {
        return Classification::NonEmpty;
    }
    if node.has(PROVEN_EMPTY) {
        return Classification::Empty;
    }
    match node.kind {
        Kind::Or(list) => Classification::Parts(store.list(list).to_vec()),
        Kind::Repeat { base, .. } => Classification::Parts(vec![base]),
        Kind::PrefixMinimal(a) | Kind::Json { text: a, at: JsonPosition::Character, .. } => {
            Classification::Parts(vec![a])
        }
        Kind::Concat(head, tail) => match (store.node(head), store.node(tail)) {
            (h, t) if h.has(PROVEN_EMPTY) || t.has(PROVEN_EMPTY) => Classification::Empty,
            (_, t) if t.has(PROVEN_NONEMPTY) => Classification::Parts(vec![head]),
            (h, _) if h.has(PROVEN_NONEMPTY) => Classification::Parts(vec![tail]),
            _ => Classification::State,
        },
        Kind::And(list) if store.list(list).iter().any(|&member| store.node(member).has(PROVEN_EMPTY)) => {
            Classification::Empty
        }
        _ => Classification::State,
    }
}

/// Records the result of a search, and returns true if `a` is empty. Every predecessor of a non-empty state
/// is non-empty. If the search ends without a non-empty state, all visited states are empty.
fn propagate(store: &mut Store, search: Search, a: RegularId) -> bool {
    let Search { met, edges, mut found, .. } = search;
    if found.is_empty() {
        for &state in met.keys() {
            store.arena.nodes[state.index()].flags |= PROVEN_EMPTY;
        }
        return true;
    }
    while let Some(state) = found.pop() {
        let mut edge = met.get(&state).map_or(NONE, |met| met.newest);
        store.arena.nodes[state.index()].flags |= PROVEN_NONEMPTY;
        while edge != NONE {
            let Predecessor { from, older, .. } = edges[edge as usize];
            if !store.node(from).has(PROVEN_NONEMPTY) {
                found.push(from);
            }
            edge = older;
        }
    }
    store.node(a).has(PROVEN_EMPTY)
}

/// Returns true if the operands are complements of languages of bounded length, and at most one unbounded
/// loop. Their intersection contains every string of the loop that is longer than all excluded strings.
pub(crate) fn exceeds_complements(store: &Store, members: OperandList) -> bool {
    let mut loops = 0;
    let fits = store.list(members).iter().all(|&member| match store.node(member).kind {
        Kind::Not(a) => store.node(a).max != UNBOUNDED,
        Kind::Repeat { base, max: UNBOUNDED, .. } => {
            loops += 1;
            store.node(base).has(PROVEN_NONEMPTY) && store.node(base).min > 0
        }
        _ => false,
    });
    fits && loops < 2
}

#[cfg(test)]
mod tests {
    use crate::{Error, Limits, RegularId, Store};

    #[test]
    fn required_bytes_that_no_string_has_need_no_search() -> Result<(), Error> {
        let mut store = Store::new(&Limits { emptiness_steps: 3, ..Limits::default() });
        let names = store.regex(r"[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?(?:\.[0-9a-z]{1,9}){0,9}")?;
        for (pattern, is_empty) in [
            (r"(?s:.)*[^/]\s{12}ab(?s:.)*", true),
            (r"(?s:.)*(?:@|[éè]x?)(?s:.)*", true),
            (r"(?s:.)*(?:@|a)(?s:.)*", false),
        ] {
            let pattern = store.regex(pattern)?;
            let both = store.intersection(&[names, pattern])?;
            match store.is_empty(both) {
                Ok(found) => assert_eq!(found, is_empty),
                Err(error) => assert!(!is_empty, "{error}"),
            }
        }
        Ok(())
    }

    #[test]
    fn strings_longer_than_exclusions_need_no_search() -> Result<(), Error> {
        let mut store = Store::new(&Limits { emptiness_steps: 3, ..Limits::default() });
        let [free, short, other] =
            ["(?s:.)*", "(?s:.){0,9999}", "(?:ab){3}|c"].map(|pattern| store.regex(pattern));
        let others = [store.complement(short?)?, store.complement(other?)?];
        let longer = store.intersection(&[free?, others[0], others[1]])?;
        let spelled = store.json_text(longer)?;
        for language in [others[0], longer, spelled] {
            assert_eq!(store.is_empty(language), Ok(false));
            assert_ne!(store.derivative(language, b'a')?, RegularId::EMPTY);
        }
        // Two loops may be disjoint.
        let [one, two] = ["(?:ab)+", "(?:ba)+"].map(|pattern| store.regex(pattern));
        let neither = store.intersection(&[one?, two?, others[0]])?;
        assert!(store.is_empty(neither).is_err(), "that takes a search, of more steps than these");
        Ok(())
    }
}

//! The automaton of one nonterminal over bytes and calls: first with empty edges, then deterministic.

use crate::CalleeId;
use crate::build::dfa_arena::{Automaton, View};
use crate::build::list_interner::Slices;

/// What an edge takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Label {
    /// Nothing; only in a [`Fragment`].
    Nothing,
    /// One byte.
    Byte(u8),
    /// The special token with this index.
    Special(u16),
    /// All that the callee produces.
    Call(CalleeId),
}

/// Room for so many states and edges from the beginning: most nonterminals need no more.
const ROOM: usize = 64;

/// No edge, no subset.
const NONE: u32 = u32::MAX;

/// A nondeterministic automaton with one start and one end.
pub(crate) struct Fragment {
    /// The last edge out of every state.
    last: Vec<u32>,
    edges: Vec<Edge>,
    /// Whether there are empty edges.
    has_empty: bool,
}

struct Edge {
    label: Label,
    to: u32,
    /// Another edge out of the same state.
    before: u32,
}

impl Fragment {
    pub(crate) fn new() -> Self {
        let mut last = Vec::with_capacity(ROOM);
        last.resize(2, NONE);
        Self { last, edges: Vec::with_capacity(ROOM), has_empty: false }
    }

    /// Forgets all but start and end, and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.last.clear();
        self.last.resize(2, NONE);
        self.edges.clear();
        self.has_empty = false;
    }

    pub(crate) const fn start(&self) -> u32 {
        0
    }

    pub(crate) const fn end(&self) -> u32 {
        1
    }

    pub(crate) fn len(&self) -> usize {
        self.last.len()
    }

    pub(crate) fn add_state(&mut self) -> u32 {
        self.last.push(NONE);
        (self.last.len() - 1) as u32
    }

    pub(crate) fn connect(&mut self, from: u32, label: Label, to: u32) {
        let before = std::mem::replace(&mut self.last[from as usize], self.edges.len() as u32);
        self.edges.push(Edge { label, to, before });
        self.has_empty |= label == Label::Nothing;
    }

    /// A chain of the bytes of a text, which is not empty.
    pub(crate) fn connect_text(&mut self, from: u32, text: &[u8], to: u32) {
        let mut at = from;
        for (place, &byte) in text.iter().enumerate() {
            let next = if place + 1 == text.len() { to } else { self.add_state() };
            self.connect(at, Label::Byte(byte), next);
            at = next;
        }
    }

    fn edges(&self, state: u32) -> impl Iterator<Item = (Label, u32)> {
        let mut next = self.last[state as usize];
        std::iter::from_fn(move || {
            let edge = self.edges.get(next as usize)?;
            next = edge.before;
            Some((edge.label, edge.to))
        })
    }

    /// Writes the automaton of a single text to `chain`, and says whether the fragment is that: nothing is to be decided there, and most rules
    /// of some grammars are nothing else.
    fn write_chain(&self, chain: &mut Automaton) -> bool {
        chain.clear();
        let mut at = self.start();
        while at != self.end() {
            let Some(edge) = self.edges.get(self.last[at as usize] as usize) else { return false };
            if edge.before != NONE || edge.label == Label::Nothing || chain.view().len() + 1 >= self.len() {
                return false;
            }
            chain.edges.push((edge.label, chain.view().len() as u32 + 1));
            chain.end_state(false);
            at = edge.to;
        }
        chain.end_state(true);
        chain.bottom_up.extend((0..chain.view().len() as u32).rev());
        self.last[at as usize] == NONE
    }
}

/// So often, on average, a subset construction may look at each edge, and at one for each state that it may make: mostly it is twice, but where many
/// repetitions stand in each other a set has as many members as there are, and where many things may be repeated each of them follows on many sets.
const LOOKS: usize = 8;

/// Makes fragments deterministic, one after the other; what is needed for it is kept for its room.
pub(crate) struct Determinizer {
    automaton: Automaton,
    subsets: Subsets,
    subset: Vec<u32>,
    out: Vec<(Label, u32)>,
    minimizer: Minimizer,
}

impl Determinizer {
    pub(crate) fn new() -> Self {
        Self {
            automaton: Automaton::with_capacity(ROOM),
            subsets: Subsets::new(),
            subset: Vec::with_capacity(ROOM),
            out: Vec::with_capacity(ROOM),
            minimizer: Minimizer::new(),
        }
    }

    /// The same language of labels, deterministic and without equivalent states; `None` where the subset construction takes more
    /// than `limit` states, or looks at edges much more often than there are any.
    pub(crate) fn determinize(&mut self, fragment: &Fragment, limit: usize) -> Option<View<'_>> {
        if fragment.write_chain(&mut self.automaton) {
            return Some(self.automaton.view());
        }
        self.construct_subsets(fragment, limit)?;
        self.minimizer.minimize(&mut self.automaton);
        Some(self.automaton.view())
    }

    /// The same for a fragment of automata that have no equivalent states: few come of it, and as long as no loop tells that they are equivalent, they are merged.
    pub(crate) fn make_deterministic(&mut self, fragment: &Fragment, limit: usize) -> Option<View<'_>> {
        self.construct_subsets(fragment, limit)?;
        self.minimizer.merge_alike(&mut self.automaton);
        Some(self.automaton.view())
    }

    fn construct_subsets(&mut self, fragment: &Fragment, limit: usize) -> Option<()> {
        self.automaton.clear();
        self.subsets.clear(fragment.len());
        self.subset.clear();
        self.subset.push(fragment.start());
        self.subsets.close(fragment, &mut self.subset);
        self.subsets.id(&self.subset);
        let most_looks = limit.saturating_add(fragment.edges.len()).saturating_mul(LOOKS);
        let mut looks = 0;
        while self.automaton.view().len() < self.subsets.len() {
            if self.subsets.len() > limit {
                return None;
            }
            let states = self.subsets.get(self.automaton.view().len());
            let is_final = states.contains(&fragment.end());
            self.out.clear();
            for &state in states {
                self.out.extend(fragment.edges(state).filter(|(label, _)| *label != Label::Nothing));
            }
            looks += self.out.len();
            if self.out.len() > 1 {
                self.out.sort_unstable();
                self.out.dedup();
            }
            for chunk in self.out.chunk_by(|a, b| a.0 == b.0) {
                self.subset.clear();
                self.subset.extend(chunk.iter().map(|&(_, to)| to));
                looks += self.subsets.close(fragment, &mut self.subset);
                // One set may have as many edges as there are, each to a set as large.
                if looks > most_looks {
                    return None;
                }
                self.automaton.edges.push((chunk[0].0, self.subsets.id(&self.subset)));
            }
            self.automaton.end_state(is_final);
        }
        Some(())
    }
}

/// The sets of states that the subset construction has met. Most have one member, and need no hashing.
struct Subsets {
    of_one: Vec<u32>,
    /// The others, and their numbers.
    of_more: Slices<u32>,
    ids_of_more: Vec<u32>,
    /// The members of all sets, one after the other, and where each set ends.
    members: Vec<u32>,
    ends: Vec<u32>,
    /// The last closure that a state was reached in, and how many closures there were.
    reached: Vec<u32>,
    closures: u32,
}

impl Subsets {
    fn new() -> Self {
        Self {
            of_one: Vec::with_capacity(ROOM),
            of_more: Slices::new(),
            ids_of_more: Vec::new(),
            members: Vec::with_capacity(ROOM),
            ends: Vec::with_capacity(ROOM),
            reached: Vec::with_capacity(ROOM),
            closures: 0,
        }
    }

    fn clear(&mut self, states: usize) {
        self.of_one.clear();
        self.of_one.resize(states, NONE);
        self.of_more.clear();
        self.ids_of_more.clear();
        self.members.clear();
        self.ends.clear();
        self.reached.clear();
        self.reached.resize(states, 0);
        self.closures = 0;
    }

    const fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, id: usize) -> &[u32] {
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.members[start as usize..self.ends[id] as usize]
    }

    /// Adds what the states reach by empty edges, and sorts them. Says how many edges were looked at.
    fn close(&mut self, fragment: &Fragment, states: &mut Vec<u32>) -> usize {
        let mut looks = 0;
        if fragment.has_empty {
            self.closures += 1;
            let reached = &mut self.reached;
            let closure = self.closures;
            let mut is_new = |state: u32| std::mem::replace(&mut reached[state as usize], closure) != closure;
            states.retain(|&state| is_new(state));
            let mut next = 0;
            while next < states.len() {
                for (label, to) in fragment.edges(states[next]) {
                    looks += 1;
                    if label == Label::Nothing && is_new(to) {
                        states.push(to);
                    }
                }
                next += 1;
            }
        }
        if states.len() > 1 {
            states.sort_unstable();
            states.dedup();
        }
        looks
    }

    /// The number of a sorted set; it joins the list if it is new.
    fn id(&mut self, subset: &[u32]) -> u32 {
        let new = self.ends.len() as u32;
        let id = match *subset {
            [state] => {
                let id = &mut self.of_one[state as usize];
                if *id == NONE {
                    *id = new;
                }
                *id
            }
            _ => {
                let place = self.of_more.intern(subset);
                if place == self.ids_of_more.len() {
                    self.ids_of_more.push(new);
                }
                self.ids_of_more[place]
            }
        };
        if id == new {
            self.members.extend_from_slice(subset);
            self.ends.push(self.members.len() as u32);
        }
        id
    }
}

/// After this many rounds a partition that still changes is given up: only long chains of distinct states need more,
/// and these have little to merge.
const ROUNDS: usize = 64;

/// The number of a list of edges behind a first one.
fn classify(
    classes: &mut Slices<(Label, u32)>,
    room: &mut Vec<(Label, u32)>,
    first: (Label, u32),
    edges: impl Iterator<Item = (Label, u32)>,
) -> u32 {
    room.clear();
    room.push(first);
    room.extend(edges);
    classes.intern(room) as u32
}

/// What merging equivalent states needs, kept for its room.
struct Minimizer {
    class_of: Vec<u32>,
    refined: Vec<u32>,
    /// The class of a state, as the edge of nothing, and its edges to classes.
    classes: Slices<(Label, u32)>,
    class: Vec<(Label, u32)>,
    missing: Vec<u32>,
    /// The predecessors of all states in one list: where those of a state end, and, while filling, where the next one goes.
    ends: Vec<u32>,
    predecessors: Vec<u32>,
}

impl Minimizer {
    fn new() -> Self {
        Self {
            class_of: Vec::new(),
            refined: Vec::new(),
            classes: Slices::new(),
            class: Vec::new(),
            missing: Vec::with_capacity(ROOM),
            ends: Vec::with_capacity(ROOM),
            predecessors: Vec::with_capacity(ROOM),
        }
    }

    /// Merges equivalent states; leaves the automaton as it is where that would take long.
    ///
    /// # Source
    /// E. Moore, "Gedanken-experiments on sequential machines", 1956: refine a partition until it is stable.
    fn minimize(&mut self, automaton: &mut Automaton) {
        // Where there is no loop, equal ends are found when the states become nodes.
        self.find_bottom_up(automaton);
        if automaton.bottom_up.len() == automaton.view().len() {
            return;
        }
        self.class_of.clear();
        self.class_of.extend(automaton.is_final.iter().map(|&is_final| u32::from(is_final)));
        let mut count = 0;
        for _ in 0..ROUNDS {
            self.classes.clear();
            self.refined.clear();
            for state in 0..automaton.view().len() {
                let first = (Label::Nothing, self.class_of[state]);
                let edges = automaton.view().edges(state).iter();
                let edges = edges.map(|&(label, to)| (label, self.class_of[to as usize]));
                self.refined.push(classify(&mut self.classes, &mut self.class, first, edges));
            }
            std::mem::swap(&mut self.class_of, &mut self.refined);
            if self.classes.len() == count {
                if count < automaton.view().len() {
                    self.merge(automaton);
                }
                return;
            }
            count = self.classes.len();
        }
    }

    /// Merges states whose edges are the same, until no two are or it takes long.
    fn merge_alike(&mut self, automaton: &mut Automaton) {
        self.find_bottom_up(automaton);
        for _ in 0..ROUNDS {
            self.classes.clear();
            self.class_of.clear();
            for state in 0..automaton.view().len() {
                let first = (Label::Nothing, u32::from(automaton.view().is_final(state)));
                let edges = automaton.view().edges(state).iter().copied();
                self.class_of.push(classify(&mut self.classes, &mut self.class, first, edges));
            }
            if self.classes.len() == automaton.view().len() {
                return;
            }
            self.merge(automaton);
        }
    }

    /// Leaves one state of every class. Classes are numbered by their first state, so the start stays state 0.
    fn merge(&mut self, automaton: &mut Automaton) {
        let mut kept = 0;
        let mut end = 0;
        for state in 0..automaton.view().len() {
            if self.class_of[state] as usize != kept {
                continue;
            }
            let range = automaton.view().edge_range(state);
            let start = end;
            end += range.len();
            automaton.edges.copy_within(range, start);
            for (_, to) in &mut automaton.edges[start..end] {
                *to = self.class_of[*to as usize];
            }
            automaton.is_final[kept] = automaton.is_final[state];
            // This is behind all that is still to be read: a state before has at least as many edges before it.
            automaton.ends[kept] = end as u32;
            kept += 1;
        }
        automaton.is_final.truncate(kept);
        automaton.ends.truncate(kept);
        automaton.edges.truncate(end);
        self.find_bottom_up(automaton);
    }

    fn find_bottom_up(&mut self, automaton: &mut Automaton) {
        let Self { missing, ends, predecessors, .. } = self;
        let states = 0..automaton.view().len();
        missing.clear();
        missing.extend(states.clone().map(|state| automaton.view().edge_range(state).len() as u32));
        ends.clear();
        ends.resize(automaton.view().len() + 1, 0);
        for &(_, to) in &automaton.edges {
            ends[to as usize + 1] += 1;
        }
        for state in states.clone() {
            ends[state + 1] += ends[state];
        }
        predecessors.clear();
        predecessors.resize(automaton.edges.len(), 0);
        for state in states {
            for &(_, to) in automaton.view().edges(state) {
                predecessors[ends[to as usize] as usize] = state as u32;
                ends[to as usize] += 1;
            }
        }
        let order = &mut automaton.bottom_up;
        order.clear();
        order.extend((0..).zip(&*missing).filter(|(_, missing)| **missing == 0).map(|(state, _)| state));
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            let start = if state == 0 { 0 } else { ends[state as usize - 1] };
            for &predecessor in &predecessors[start as usize..ends[state as usize] as usize] {
                missing[predecessor as usize] -= 1;
                if missing[predecessor as usize] == 0 {
                    order.push(predecessor);
                }
            }
            next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a fragment is given up although so many states are allowed, and how many members the sets had by then.
    fn is_given_up(fragment: &Fragment, limit: usize) -> (bool, usize) {
        let mut determinizer = Determinizer::new();
        let is_given_up = determinizer.determinize(fragment, limit).is_none();
        (is_given_up, determinizer.subsets.members.len())
    }

    #[test]
    fn many_things_that_may_be_left_out_in_a_row_are_given_up() {
        let count = 1_000;
        let mut fragment = Fragment::new();
        let mut at = fragment.start();
        for number in 0..count {
            let next = fragment.add_state();
            fragment.connect(at, Label::Call(CalleeId(number)), next);
            fragment.connect(at, Label::Nothing, next);
            at = next;
        }
        fragment.connect(at, Label::Byte(b'.'), fragment.end());
        // There would be as many sets as there are states; the first has as many edges, each to a set nearly as large.
        let (is_given_up, members) = is_given_up(&fragment, fragment.len() + 1);
        assert!(is_given_up && members < 50 * fragment.len(), "{members}");
    }

    #[test]
    fn many_things_that_follow_on_many_sets_are_given_up() {
        let count = 1_000;
        let mut fragment = Fragment::new();
        let hub = fragment.start();
        fragment.connect(hub, Label::Byte(b'.'), fragment.end());
        (0..count).for_each(|number| fragment.connect(hub, Label::Call(CalleeId(number)), hub));
        let (mut at, mut label) = (hub, Label::Byte(b'y'));
        for _ in 0..count {
            let next = fragment.add_state();
            fragment.connect(at, label, next);
            fragment.connect(at, label, hub);
            (at, label) = (next, Label::Byte(b'x'));
        }
        // Each set holds the hub: few members, few sets, and a million edges.
        let (is_given_up, members) = is_given_up(&fragment, fragment.len() + 1);
        assert!(is_given_up && members < 50 * fragment.len(), "{members}");
    }
}

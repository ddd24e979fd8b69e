//! The nodes of permutations, created lazily: one for each progress and phase.

use std::hash::BuildHasher;
use std::sync::Arc;

use grammask_work::narrow;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::completion::RestOfItems;
use crate::permutation::plan::{Choice, Counters, Plan, Progress, Totals};
use crate::permutation::used_texts::DistinctTexts;
use crate::recognizer::dynamic_nodes::{DynamicNode, NodeKind, PermutationState, Phase};
use crate::recognizer::inspect::NodeFlags;
use crate::step::Context;
use crate::{Callee, CalleeId, Error, NetworkNodeId};

/// Plans of permutations, and every progress made so far, each once.
#[derive(Default)]
pub(crate) struct PermutationNodes {
    plans: FxHashMap<CalleeId, Arc<Plan>>,
    entries: Vec<Entry>,
    /// The newest entry by the hash of callee, counters and totals. Counters may be long, so only the entries
    /// hold them; `Entry::older` chains entries with equal hashes.
    newest: FxHashMap<u64, u32>,
    pub(crate) texts: DistinctTexts,
}

/// A progress of a permutation.
struct Entry {
    callee: CalleeId,
    counters: StoredCounters,
    totals: Totals,
    hash: u64,
    /// By phase, the node of this progress.
    nodes: [Option<NetworkNodeId>; 2],
    /// The next older entry with the same hash.
    older: Option<u32>,
}

/// How an entry stores its counters.
///
/// A position may have as many successors as its counters have bits. Most are never visited, so a successor
/// stores only its difference; full counters for each would take space quadratic in the items.
enum StoredCounters {
    Full(Counters),
    /// The counters of another entry after one more item. The other entry stores its counters in full.
    Delta(u32, Choice),
}

impl StoredCounters {
    fn bytes_used(&self) -> usize {
        match self {
            Self::Full(counters) => size_of_val(&counters[..]),
            Self::Delta(..) => 0,
        }
    }
}

/// Entries by content.
impl PermutationNodes {
    /// Returns the progress with this number.
    pub(crate) fn progress(&self, number: u32) -> Progress {
        let entry = &self.entries[number as usize];
        self.expand(entry.callee, &entry.counters, entry.totals)
    }

    /// Makes an entry store its counters in full. Returns the additional bytes.
    fn make_full(&mut self, number: u32) -> usize {
        if let StoredCounters::Full(_) = self.entries[number as usize].counters {
            return 0;
        }
        let counters = StoredCounters::Full(self.progress(number).counters);
        let bytes = counters.bytes_used();
        self.entries[number as usize].counters = counters;
        bytes
    }

    /// Returns true if two stored counters of a callee are equal.
    fn is_equal(
        &self,
        callee: CalleeId,
        totals: Totals,
        one: &StoredCounters,
        other: &StoredCounters,
    ) -> bool {
        match (one, other) {
            (StoredCounters::Full(one), StoredCounters::Full(other)) => one == other,
            (StoredCounters::Delta(base, choice), StoredCounters::Delta(other_base, other_choice))
                if (base, choice.item) == (other_base, other_choice.item) =>
            {
                true
            }
            _ => self.expand(callee, one, totals).counters == self.expand(callee, other, totals).counters,
        }
    }

    /// Returns the progress with these stored counters and totals.
    fn expand(&self, callee: CalleeId, counters: &StoredCounters, totals: Totals) -> Progress {
        match counters {
            StoredCounters::Full(counters) => Progress { counters: counters.clone(), totals },
            StoredCounters::Delta(base, choice) => self.plans[&callee].after(&self.progress(*base), choice),
        }
    }

    /// Returns the number of a progress, which is added if it is new.
    fn intern(
        &mut self,
        cx: Context<'_>,
        callee: CalleeId,
        counters: StoredCounters,
        totals: Totals,
        hash: u64,
    ) -> u32 {
        // Only the totals count an unbounded item, which has no counter, so they are part of the key.
        let key = FxBuildHasher.hash_one((callee, hash, totals));
        let newest = self.newest.get(&key).copied();
        let mut next = newest;
        while let Some(number) = next {
            let entry = &self.entries[number as usize];
            if (entry.callee, entry.hash, entry.totals) == (callee, hash, totals)
                && self.is_equal(callee, totals, &entry.counters, &counters)
            {
                return number;
            }
            next = entry.older;
        }
        let number = narrow(self.entries.len());
        cx.tables.spend(2 * size_of::<Entry>() + counters.bytes_used());
        self.newest.insert(key, number);
        self.entries.push(Entry { callee, counters, totals, hash, nodes: [None; 2], older: newest });
        number
    }
}

/// Nodes.
impl PermutationNodes {
    /// Returns the plan of a permutation.
    ///
    /// # Panics
    /// If the callee is not a permutation.
    pub(crate) fn plan(&mut self, cx: Context<'_>, callee: CalleeId) -> Arc<Plan> {
        let plan = self.plans.entry(callee).or_insert_with(|| {
            let Callee::Unordered { unordered, .. } = cx.tables.network().callee(callee) else {
                unreachable!("only permutations have a plan")
            };
            let plan = Plan::new(unordered).expect("the network has checked its permutations");
            cx.tables.spend(plan.cost() * size_of::<u64>() * 4);
            Arc::new(plan)
        });
        Arc::clone(plan)
    }

    /// Returns the first node of a permutation.
    pub(crate) fn start(&mut self, cx: Context<'_>, callee: CalleeId) -> NetworkNodeId {
        let plan = self.plan(cx, callee);
        self.node(cx, callee, plan.start(), Phase::BeforeItem)
    }

    /// Returns the node of a progress.
    pub(crate) fn node(
        &mut self,
        cx: Context<'_>,
        callee: CalleeId,
        progress: Progress,
        phase: Phase,
    ) -> NetworkNodeId {
        let plan = self.plan(cx, callee);
        let hash = plan.hash(&progress);
        let counters = StoredCounters::Full(progress.counters);
        let number = self.intern(cx, callee, counters, progress.totals, hash);
        self.node_of_entry(cx, &plan, number, phase)
    }

    /// Returns the node with the progress of a node of another recognizer of the same network.
    pub(crate) fn import(&mut self, cx: Context<'_>, from: &Self, state: &PermutationState) -> NetworkNodeId {
        let plan = self.plan(cx, state.callee);
        if plan.has_distinct() {
            // The ids of used texts differ between recognizers, and with them the hash.
            let mut progress = from.progress(state.progress);
            let used = self.texts.import(&from.texts, plan.used_texts(&progress));
            plan.set_used_texts(&mut progress, used);
            return self.node(cx, state.callee, progress, state.phase);
        }
        let number = self.import_entry(cx, from, state.progress);
        self.node_of_entry(cx, &plan, number, state.phase)
    }

    /// Copies an entry of `from`, and returns its number in `self`. A delta stays a delta, for the reason
    /// given at [`StoredCounters`].
    fn import_entry(&mut self, cx: Context<'_>, from: &Self, number: u32) -> u32 {
        let Entry { callee, ref counters, totals, hash, .. } = from.entries[number as usize];
        let counters = match counters {
            StoredCounters::Full(counters) => StoredCounters::Full(counters.clone()),
            // The base is stored in full, so the recursion is one level deep.
            &StoredCounters::Delta(base, choice) => {
                let base = self.import_entry(cx, from, base);
                cx.tables.spend(self.make_full(base));
                StoredCounters::Delta(base, choice)
            }
        };
        self.intern(cx, callee, counters, totals, hash)
    }

    /// Returns the node of an entry.
    fn node_of_entry(&mut self, cx: Context<'_>, plan: &Plan, number: u32, phase: Phase) -> NetworkNodeId {
        let slot = usize::from(phase == Phase::AfterItem);
        let Entry { callee, totals, ref nodes, .. } = self.entries[number as usize];
        if let Some(node) = nodes[slot] {
            return node;
        }
        let flags = match phase {
            Phase::BeforeItem => NodeFlags { is_final: false, goes_on: true },
            Phase::AfterItem => NodeFlags {
                is_final: plan.is_final(&totals),
                goes_on: plan.goes_on(&totals, || self.progress(number)),
            },
        };
        let node = if flags.goes_on {
            cx.tables.spend(size_of::<DynamicNode>());
            let may_begin_item = phase == Phase::BeforeItem || !plan.has_separator;
            let may_begin_distinct = may_begin_item && plan.has_distinct();
            let state = PermutationState::new(callee, number, phase, may_begin_distinct);
            cx.tables.dynamic_nodes().push(flags, NodeKind::Permutation(state), None)
        } else {
            NetworkNodeId::END
        };
        self.entries[number as usize].nodes[slot] = Some(node);
        node
    }

    /// Returns what must still come at a position. Returns `None` if the permutation has an item of
    /// `distinct!`, as its texts decide what may come.
    pub(crate) fn rest(&mut self, cx: Context<'_>, state: &PermutationState) -> Option<RestOfItems> {
        let plan = self.plan(cx, state.callee);
        cx.meter.add_work(plan.cost());
        (!plan.has_distinct()).then(|| plan.rest(&self.progress(state.progress), state.phase))
    }

    /// Returns the items that may come next. Computed once for each node.
    pub(crate) fn choices<'a>(&mut self, cx: Context<'_>, state: &'a PermutationState) -> &'a [Choice] {
        state.choices.get_or_init(|| {
            let plan = self.plan(cx, state.callee);
            cx.meter.add_work(plan.cost());
            let choices = plan.choices(&self.progress(state.progress));
            cx.tables.spend(size_of_val(&choices[..]));
            choices.into()
        })
    }

    /// Returns the calls of a node, each with the node that follows. Computed once for each node.
    pub(crate) fn calls<'a>(
        &mut self,
        cx: Context<'_>,
        state: &'a PermutationState,
    ) -> Result<&'a [(CalleeId, NetworkNodeId)], Error> {
        if let Some(known) = state.calls.get() {
            return Ok(known);
        }
        let calls = self.compute_calls(cx, state)?;
        cx.tables.spend(size_of_val(&calls[..]));
        Ok(state.calls.get_or_init(|| calls))
    }

    /// Computes the calls of a node: the separator after an item, otherwise the items that may come next. An
    /// item of `distinct!` is not called, because its node records the text.
    fn compute_calls(
        &mut self,
        cx: Context<'_>,
        state: &PermutationState,
    ) -> Result<Box<[(CalleeId, NetworkNodeId)]>, Error> {
        let callee = state.callee;
        let Callee::Unordered { items, separator, .. } = cx.tables.network().callee(callee) else {
            unreachable!("only a permutation has such nodes")
        };
        let plan = self.plan(cx, callee);
        if let (&Some(separator), Phase::AfterItem) = (separator, state.phase) {
            return Ok([(separator, self.node_of_entry(cx, &plan, state.progress, Phase::BeforeItem))].into());
        }
        cx.tables.spend(self.make_full(state.progress));
        let progress = self.progress(state.progress);
        let hash = self.entries[state.progress as usize].hash;
        let choices = self.choices(cx, state).iter();
        let calls = choices.filter(|choice| !plan.is_distinct(choice)).map(|choice| {
            cx.meter.check_cancelled()?;
            let counters = StoredCounters::Delta(state.progress, *choice);
            let totals = plan.totals_after(&progress.totals, choice);
            let hash = plan.hash_after(hash, &progress, choice);
            let number = self.intern(cx, callee, counters, totals, hash);
            Ok((items[choice.item()], self.node_of_entry(cx, &plan, number, Phase::AfterItem)))
        });
        calls.collect()
    }

    /// Returns the text form of a progress: the total, then the counts of single items.
    pub(crate) fn describe(&mut self, cx: Context<'_>, state: &PermutationState) -> String {
        let plan = self.plan(cx, state.callee);
        let counters = self.progress(state.progress).counters;
        let counts = plan.counts(&counters).into_iter().map(|(item, count)| match count {
            _ if plan.distinct_item() == Some(item) => {
                format!("{item}: {}", self.texts.list(count).join(" "))
            }
            1 => item.to_string(),
            count => format!("{item}*{count}"),
        });
        let counts: Vec<String> = counts.collect();
        format!("{}: [{}]", counters[0], counts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recognizer;
    use crate::testing::recognizer;

    /// Returns by how many bytes a recognizer grows after one of `count` items with different names, and the
    /// bytes of another recognizer into which that state is imported.
    fn bytes_with_items(count: usize) -> [usize; 2] {
        let items: Vec<_> = (0..count).map(|item| format!("'<{item}>'?")).collect();
        let some = recognizer(&format!("start ::= unordered!({}; ','; {{0,}}) '.';", items.join(", ")));
        let before = some.bytes_used();
        let state = b"<1>,<".iter().try_fold(some.initial(), |state, &byte| some.step(state, byte)).unwrap();
        assert!(!state.is_dead());
        let other = Recognizer::new(Arc::new(some.network().clone()), some.config());
        assert!(!other.import(&some, state).unwrap().is_dead());
        [some.bytes_used() - before, other.bytes_used()]
    }

    #[test]
    fn position_takes_space_linear_in_the_items() {
        let (some, twice) = (bytes_with_items(4_000), bytes_with_items(8_000));
        for (some, twice) in some.into_iter().zip(twice) {
            assert!(twice < some * 5 / 2, "{some} and {twice} bytes");
        }
    }

    #[test]
    fn entries_that_differ_only_in_totals_have_different_keys() {
        let recognizer = recognizer("start ::= unordered!('a', 'b'?, '('*; ; {1,5000});");
        let mut state = recognizer.initial();
        for _ in 0..2_000 {
            state = recognizer.step(state, b'(').unwrap();
        }
        assert!(!state.is_dead());
        let guard = recognizer.lock();
        let nodes = &guard.stages().nodes.permutations;
        let (entries, keys) = (nodes.entries.len(), nodes.newest.len());
        assert!(entries > 2_000 && keys + 10 > entries, "{keys} keys of {entries} entries");
    }

    #[test]
    fn delta_entries_equal_their_full_counters() {
        let recognizer = recognizer(
            "start ::= unordered!('a'?, 'b'{2,3}, 'c'*, 'd'{1,}, 'e'?, 'f'?, 'g'{0,2}; ; {1,9}; 0 -> 2, 4 -> 5) '.';",
        );
        let mut state = recognizer.initial();
        for &byte in b"gdacbfe" {
            recognizer.scanners(state).unwrap();
            state = recognizer.step(state, byte).unwrap();
        }
        assert!(!state.is_dead());
        recognizer.lock().with(|stages, cx| {
            let nodes = &mut stages.nodes.permutations;
            let plan = nodes.plan(cx, nodes.entries[0].callee);
            let is_delta = |entry: &&Entry| matches!(entry.counters, StoredCounters::Delta(..));
            assert!(nodes.entries.iter().filter(is_delta).count() > 5);
            for (number, entry) in (0..).zip(&nodes.entries) {
                let progress = nodes.progress(number);
                let again = plan.progress(progress.counters.clone());
                assert!(
                    again.totals == entry.totals && plan.hash(&again) == entry.hash,
                    "{:?}",
                    progress.counters
                );
                let equal = (0..nodes.entries.len() as u32)
                    .filter(|&other| nodes.progress(other).counters == again.counters);
                assert_eq!(equal.count(), 1, "{:?} occurs twice", progress.counters);
            }
        });
    }
}

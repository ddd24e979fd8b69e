//! Completion: from finished origins to the items that wait for them, transitively.
//!
//! In `start ::= list '.'; list ::= list 'a' | 'a';` the item after `'a'` finishes an origin of `list`. Its
//! callers are the item before `'.'` and the item before the next `'a'`, which form the new set.

use crate::permutation::distinct;
use crate::recognizer::inspect::NodeFlags;
use crate::step::Context;
use crate::{Error, Item, Limit, LimitExceeded, NetworkNodeId, OriginId, SetId};
use grammask_work::charge;

/// Work of one caller that is advanced.
const UNITS_PER_CALLER: u64 = 4;

/// Collects the items of a new set and completes finished origins. Its buffers live as long as the writer.
#[derive(Default)]
pub(crate) struct Completer {
    /// The items after the symbol of this step.
    advanced: Vec<Item>,
    /// The items of the new set: those that continue, and [`NetworkNodeId::DONE`] for outermost origins.
    items: Vec<Item>,
    /// Origins that are complete and whose callers are still to be advanced.
    finished: Vec<OriginId>,
    /// Memo of the last completion of a single origin: the origin and the items that its callers added.
    last_completion: Option<(OriginId, Vec<Item>)>,
    /// Memo of the last step: the advanced items and the set that they led to.
    last_step: Option<(Vec<Item>, SetId)>,
    /// By origin, the last completion in which the origin's callers were advanced.
    completed_in: Vec<u32>,
    /// By origin, the last completion in which an item of that origin was added, and the item's node.
    /// Ambiguous grammars add the same item many times.
    added_in: Vec<(u32, NetworkNodeId)>,
    /// Number of the current completion.
    completion: u32,
}

impl Completer {
    /// Starts a new set.
    pub(crate) fn begin(&mut self) {
        self.advanced.clear();
    }

    /// Adds the item after the symbol of this step. Does nothing if `node` is `None`.
    pub(crate) fn advance(&mut self, origin: OriginId, node: Option<NetworkNodeId>) {
        self.advanced.extend(node.map(|node| Item { node, origin }));
    }

    /// Completes what the advanced items finish and interns the resulting set.
    pub(crate) fn finish(&mut self, cx: Context<'_>) -> Result<SetId, Error> {
        if self.advanced.is_empty() {
            return Ok(SetId::DEAD);
        }
        // Inside a lexeme that loops, consecutive bytes advance to equal items.
        if let Some((advanced, set)) = &self.last_step
            && *advanced == self.advanced
        {
            return Ok(*set);
        }
        self.items.clear();
        self.finished.clear();
        for &item in &self.advanced {
            self.finished.extend(add_item(cx, item, &mut self.items));
        }
        cx.meter.add_work(self.advanced.len());
        self.complete_finished(cx)?;
        self.items.sort_unstable();
        self.items.dedup();
        let max = cx.tables.config().limits.max_items_per_set;
        if self.items.len() > max {
            return Err(LimitExceeded::new(Limit::MaxItemsPerSet, max, Some(self.items.len())).into());
        }
        let set = cx.tables.intern_set(&self.items)?;
        let (advanced, last_set) = self.last_step.get_or_insert_with(|| (Vec::new(), set));
        advanced.clone_from(&self.advanced);
        *last_set = set;
        Ok(set)
    }

    /// Advances the callers of the finished origins. A lexeme that may end after any byte completes the same
    /// single origin again and again, so the items of the last such completion are kept.
    fn complete_finished(&mut self, cx: Context<'_>) -> Result<(), Error> {
        let [origin] = self.finished[..] else { return self.advance_callers(cx) };
        if let Some((last, items)) = &self.last_completion
            && *last == origin
        {
            self.items.extend_from_slice(items);
            return Ok(());
        }
        let first = self.items.len();
        self.advance_callers(cx)?;
        let (last, items) = self.last_completion.get_or_insert_with(|| (origin, Vec::new()));
        *last = origin;
        items.clear();
        items.extend_from_slice(&self.items[first..]);
        Ok(())
    }

    /// Advances the callers of the finished origins, and of the origins that these finish in turn.
    fn advance_callers(&mut self, cx: Context<'_>) -> Result<(), Error> {
        let max = cx.tables.config().limits.max_work_per_byte;
        self.completed_in.resize(cx.tables.origin_count(), 0);
        self.added_in.resize(cx.tables.origin_count(), (0, NetworkNodeId::END));
        self.completion = self.completion.checked_add(1).unwrap_or_else(|| {
            // On overflow of the number, old numbers would look current.
            self.completed_in.fill(0);
            self.added_in.fill((0, NetworkNodeId::END));
            1
        });
        let mut work = 0;
        while let Some(origin) = self.finished.pop() {
            let completed_in = &mut self.completed_in[origin.0 as usize];
            if *completed_in == self.completion {
                continue;
            }
            *completed_in = self.completion;
            let callers = cx.tables.callers(origin);
            charge(UNITS_PER_CALLER * (1 + callers.len() as u64))?;
            work += callers.len();
            if work > max {
                return Err(LimitExceeded::new(Limit::MaxWorkPerByte, max, Some(work)).into());
            }
            for &caller in callers {
                let here = (self.completion, caller.node);
                match self.added_in.get_mut(caller.origin.0 as usize) {
                    Some(added) if *added == here => continue,
                    Some(added) => *added = here,
                    // An open origin has no entry, and is never completed.
                    None => {}
                }
                self.finished.extend(add_item(cx, caller, &mut self.items));
            }
        }
        cx.meter.add_charged_work(work);
        Ok(())
    }
}

/// Adds an item to `items` if its rule may continue. Returns the item's origin if its rule may end and the
/// origin has callers.
///
/// After a complete text of `distinct!`, the next text may begin at once if there is no separator. That takes
/// a second item, because a node scans one text.
fn add_item(cx: Context<'_>, item: Item, items: &mut Vec<Item>) -> Option<OriginId> {
    let NodeFlags { is_final, goes_on } = cx.tables.inspect().flags(item.node);
    if goes_on {
        items.push(item);
        if let Some(node) = distinct::next_text(cx, item.node) {
            items.push(Item { node, origin: item.origin });
        }
    }
    if is_final && item.origin.is_outermost() {
        items.push(Item { node: NetworkNodeId::DONE, origin: item.origin });
        return None;
    }
    is_final.then_some(item.origin)
}

#[cfg(test)]
mod tests {
    use crate::testing::recognizer;
    use crate::{Config, Recognizer, Tuning};

    const GRAMMAR: &str = "start ::= '(' start ')' | start 'y' | 'x';";

    fn set_completion(recognizer: &Recognizer, completion: u32) {
        recognizer.lock().with(|stages, _| stages.buffers.completer.completion = completion);
    }

    #[test]
    fn completion_number_may_overflow() {
        let recognizer = recognizer(GRAMMAR);
        let mut state = recognizer.initial();
        for (place, &byte) in b"(((xy)y)y)yyy".iter().enumerate() {
            if place == 2 {
                set_completion(&recognizer, u32::MAX - 2);
            }
            state = recognizer.step(state, byte).unwrap();
            assert!(!state.is_dead(), "byte {place}");
        }
        assert!(state.completes() && recognizer.lock().stages().buffers.completer.completion < 10);
    }

    #[test]
    fn overflow_forgets_items_of_old_completions() {
        let network = recognizer(GRAMMAR).network().clone();
        let tuning = Tuning { keep_steps: false, ..Tuning::default() };
        let recognizer = Recognizer::new(network.into(), &Config { tuning, ..Config::default() });
        for round in 0..2 {
            let mut state = recognizer.initial();
            for &byte in b"(((xy)y)y)yyy" {
                state = recognizer.step(state, byte).unwrap();
            }
            assert!(state.completes(), "round {round}");
            set_completion(&recognizer, u32::MAX);
        }
    }
}

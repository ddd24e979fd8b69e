//! Prediction: from the items of a kernel to all callees that may begin there, each with its origin.
//!
//! For the kernel `start ::= '(' • E ')'` with `E ::= E '+' T | T`, prediction adds the first nodes of `E`
//! and `T`. The origin of `E` has two callers, that of `T` the end of `E`.
//!
//! There are two closures. The full one serves queries for everything that a set scans. A step by one byte
//! predicts only callees that begin with that byte. No callee is nullable, so a caller of such a callee
//! begins with the byte as well: every caller is predicted, and the origins are those of the full closure.

use grammask_work::narrow;

use crate::permutation::distinct;
use crate::recognizer::dynamic_nodes::NodeKind;
use crate::step::nodes::NodeFactory;
use crate::step::origins::{Caller, OriginInterner, Reference};
use crate::step::{Context, first_sets};
use crate::{Callee, CalleeId, Error, Item, Limit, LimitExceeded, NetworkNodeId, OriginId};

/// Sentinel: the callee has no prediction in this set, or the prediction has no number in the component
/// search.
const UNSEEN: u32 = u32::MAX;

/// Sentinel: the component search has assigned the prediction's component.
const ASSIGNED: u32 = u32::MAX - 1;

/// The predictions of one set. Its buffers live as long as the writer.
#[derive(Default)]
pub(crate) struct Predictor {
    predictions: Vec<Prediction>,
    /// By callee, the index of its prediction.
    index_of: Vec<u32>,
    /// Calls in the order of discovery: the index of the callee's prediction, and the caller.
    calls: Vec<(u32, Caller)>,
    /// The callers of `calls`, grouped by prediction.
    callers: Vec<Caller>,
    /// By prediction, its origin.
    origins: Vec<OriginId>,
    search: ComponentSearch,
}

/// A callee predicted in the current set.
#[derive(Clone, Copy)]
struct Prediction {
    callee: CalleeId,
    start: NetworkNodeId,
    /// Range of its callers in [`Predictor::callers`]. Until they are grouped, `end` is their number.
    first: u32,
    end: u32,
}

impl Prediction {
    fn callers<'a>(&self, callers: &'a [Caller]) -> &'a [Caller] {
        &callers[self.first as usize..self.end as usize]
    }
}

impl Predictor {
    pub(crate) fn new(callees: usize) -> Self {
        Self { index_of: vec![UNSEEN; callees], ..Self::default() }
    }

    /// Returns the predicted items: the first node of each callee, with its origin.
    pub(crate) fn items(&self) -> impl ExactSizeIterator<Item = Item> {
        let predictions = self.predictions.iter().zip(&self.origins);
        predictions.map(|(prediction, &origin)| Item { node: prediction.start, origin })
    }

    /// Predicts to a fixpoint from a kernel. With `byte`, predicts only callees that begin with it.
    pub(crate) fn predict(
        &mut self,
        nodes: &mut NodeFactory,
        cx: Context<'_>,
        kernel: &[Item],
        byte: Option<u8>,
    ) -> Result<(), Error> {
        self.clear();
        for item in kernel {
            self.predict_from(nodes, cx, item.node, Reference::Known(item.origin), byte)?;
        }
        let mut next = 0_u32;
        while let Some(&Prediction { start, .. }) = self.predictions.get(next as usize) {
            self.predict_from(nodes, cx, start, Reference::Local(next), byte)?;
            next += 1;
        }
        if !self.predictions.is_empty() {
            cx.meter.add_work(self.calls.len());
            self.group_callers();
            self.assign_origins(&mut nodes.origins, cx);
        }
        Ok(())
    }

    /// Removes all predictions, also after a prediction that ended in an error.
    fn clear(&mut self) {
        for prediction in self.predictions.drain(..) {
            self.index_of[prediction.callee.index()] = UNSEEN;
        }
        self.calls.clear();
        self.origins.clear();
    }

    /// Adds the calls of a node whose rule completes `reference`.
    fn predict_from(
        &mut self,
        nodes: &mut NodeFactory,
        cx: Context<'_>,
        node: NetworkNodeId,
        reference: Reference,
        byte: Option<u8>,
    ) -> Result<(), Error> {
        if let Some(known) = cx.tables.network().nodes.get(node.index()) {
            for &(callee, node) in &known.calls {
                self.add_call(nodes, cx, callee, Caller { node, reference }, byte)?;
            }
            return Ok(());
        }
        let dynamic = cx.tables.dynamic_nodes().get(node);
        match dynamic.kind {
            NodeKind::Lexeme(_) | NodeKind::AfterAnyText(..) => {}
            NodeKind::Counter(counter, count) => {
                if let Callee::Counter { element, .. } = *cx.tables.network().callee(counter)
                    && dynamic.goes_on
                {
                    let node = nodes.counter_node(cx, counter, count + 1);
                    self.add_call(nodes, cx, element, Caller { node, reference }, byte)?;
                }
            }
            NodeKind::Permutation(ref state) => {
                for &(callee, node) in nodes.permutations.calls(cx, state)? {
                    self.add_call(nodes, cx, callee, Caller { node, reference }, byte)?;
                }
            }
            NodeKind::Distinct(ref state) => {
                // If the next text may begin at once, the node after this one is an item of its own.
                if let Some(after) = state.after
                    && distinct::next_text(cx, node).is_none()
                {
                    self.predict_from(nodes, cx, after, reference, byte)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a call, and a prediction of its callee if there is none.
    fn add_call(
        &mut self,
        nodes: &mut NodeFactory,
        cx: Context<'_>,
        callee: CalleeId,
        caller: Caller,
        byte: Option<u8>,
    ) -> Result<(), Error> {
        cx.meter.check_cancelled()?;
        let mut index = self.index_of[callee.index()];
        if index == UNSEEN {
            if byte.is_some_and(|byte| !may_begin_with(nodes, cx, callee, byte)) {
                return Ok(());
            }
            let start = nodes.start(cx, callee)?;
            index = narrow(self.predictions.len());
            self.index_of[callee.index()] = index;
            self.predictions.push(Prediction { callee, start, first: 0, end: 0 });
        }
        self.predictions[index as usize].end += 1;
        self.calls.push((index, caller));
        let max = cx.tables.config().limits.max_items_per_set;
        if self.calls.len() > max {
            return Err(LimitExceeded::new(Limit::MaxItemsPerSet, max, Some(self.calls.len())).into());
        }
        Ok(())
    }

    /// Groups the callers by prediction: a counting sort, in linear time.
    fn group_callers(&mut self) {
        let mut first = 0;
        for prediction in &mut self.predictions {
            let count = prediction.end;
            (prediction.first, prediction.end) = (first, first);
            first += count;
        }
        let placeholder = Caller { node: NetworkNodeId::END, reference: Reference::Local(UNSEEN) };
        self.callers.clear();
        self.callers.resize(self.calls.len(), placeholder);
        for &(index, caller) in &self.calls {
            let prediction = &mut self.predictions[index as usize];
            self.callers[prediction.end as usize] = caller;
            prediction.end += 1;
        }
    }

    /// Interns the origin of each prediction, callers before callees.
    fn assign_origins(&mut self, interner: &mut OriginInterner, cx: Context<'_>) {
        let leo = cx.tables.config().tuning.leo;
        let Self { predictions, callers, origins, search, .. } = self;
        if leo {
            search.skip_last_calls(predictions, callers);
        }
        origins.resize(predictions.len(), OriginId::ROOT);
        search.for_each_component(predictions, callers, |predictions, component| match *component {
            [index] if !calls_itself(predictions[index as usize].callers(callers), index) => {
                let callers = predictions[index as usize].callers(callers);
                origins[index as usize] = interner.intern(cx, callers, origins, leo);
            }
            _ => {
                component.sort_unstable_by_key(|&index| predictions[index as usize].callee);
                let members = component.iter().map(|&index| predictions[index as usize].callers(callers));
                let first = interner.intern_component(cx, component, members, origins);
                for (member, &index) in (0..).zip(&*component) {
                    origins[index as usize] = OriginId(first.0 + member);
                }
            }
        });
    }
}

/// Returns false only if it is certain that a callee does not begin with a byte. An exceeded limit counts as
/// uncertain, because it need not matter for this byte; scanning decides.
fn may_begin_with(nodes: &mut NodeFactory, cx: Context<'_>, callee: CalleeId, byte: u8) -> bool {
    first_sets::of_callee(nodes, cx, callee).map_or(true, |bytes| bytes.contains(byte))
}

fn calls_itself(callers: &[Caller], index: u32) -> bool {
    callers.iter().any(|caller| caller.reference == Reference::Local(index))
}

/// Searches the graph of predictions and their callers. Its buffers live as long as the writer.
#[derive(Default)]
struct ComponentSearch {
    /// By prediction, the origin that its callees refer to instead when last calls are skipped.
    replacement: Vec<Reference>,
    /// Tarjan's numbers, or [`UNSEEN`], or [`ASSIGNED`].
    number: Vec<u32>,
    low: Vec<u32>,
    /// The predictions that are numbered but not assigned.
    open: Vec<u32>,
    /// The search path: a prediction, and its next edge.
    path: Vec<(u32, u32)>,
}

impl ComponentSearch {
    /// Leo's optimization, applied when predicting. If the only caller of a prediction is at the end of its
    /// rule, it completes together with the prediction. Callees of the prediction then refer to the caller's
    /// origin directly.
    ///
    /// # Source
    /// J. Leo, "A general context-free parsing algorithm running in linear time on every LR(k) grammar
    /// without using lookahead", 1991.
    fn skip_last_calls(&mut self, predictions: &[Prediction], callers: &mut [Caller]) {
        let Self { replacement, path, .. } = self;
        let mut is_any_skipped = false;
        replacement.clear();
        replacement.extend((0..).zip(predictions).map(
            |(index, prediction)| match *prediction.callers(callers) {
                [Caller { node: NetworkNodeId::END, reference }] => {
                    is_any_skipped = true;
                    reference
                }
                _ => Reference::Local(index),
            },
        ));
        if !is_any_skipped {
            return;
        }
        for index in 0..narrow(predictions.len()) {
            let mut end = Reference::Local(index);
            // A chain of last calls begins outside of the set, so following it ends.
            while let Reference::Local(at) = end
                && replacement[at as usize] != end
                && path.len() <= predictions.len()
            {
                path.push((at, 0));
                end = replacement[at as usize];
            }
            // Path compression: no link is followed twice.
            for (at, _) in path.drain(..) {
                replacement[at as usize] = end;
            }
        }
        for caller in callers {
            if let Reference::Local(index) = caller.reference {
                caller.reference = replacement[index as usize];
            }
        }
    }

    /// Calls `visit` for every strongly connected component of the predictions, callers before callees.
    ///
    /// # Source
    /// R. Tarjan, "Depth-first search and linear graph algorithms", 1972; here with an explicit stack.
    fn for_each_component(
        &mut self,
        predictions: &[Prediction],
        callers: &[Caller],
        mut visit: impl FnMut(&[Prediction], &mut [u32]),
    ) {
        self.number.clear();
        self.number.resize(predictions.len(), UNSEEN);
        self.low.clear();
        self.low.resize(predictions.len(), 0);
        let mut next_number = 0;
        for root in 0..narrow(predictions.len()) {
            if self.number[root as usize] != UNSEEN {
                continue;
            }
            // Fast path: most predictions are called only by earlier ones and by themselves.
            let is_assigned = |caller: &Caller| match caller.reference {
                Reference::Known(_) => true,
                Reference::Local(to) => to == root || self.number[to as usize] == ASSIGNED,
            };
            if predictions[root as usize].callers(callers).iter().all(is_assigned) {
                self.number[root as usize] = ASSIGNED;
                visit(predictions, &mut [root]);
                continue;
            }
            self.path.push((root, predictions[root as usize].first));
            while let Some(&(index, edge)) = self.path.last() {
                self.enter(index, &mut next_number);
                if edge == predictions[index as usize].end {
                    self.leave(index, |component| visit(predictions, component));
                } else {
                    self.follow(index, callers[edge as usize], predictions);
                }
            }
        }
    }

    /// Numbers a prediction on its first visit.
    fn enter(&mut self, index: u32, next_number: &mut u32) {
        if self.number[index as usize] == UNSEEN {
            self.number[index as usize] = *next_number;
            self.low[index as usize] = *next_number;
            *next_number += 1;
            self.open.push(index);
        }
    }

    /// Takes the next edge of the prediction at the end of the path.
    fn follow(&mut self, index: u32, caller: Caller, predictions: &[Prediction]) {
        if let Some((_, edge)) = self.path.last_mut() {
            *edge += 1;
        }
        let Reference::Local(to) = caller.reference else { return };
        match self.number[to as usize] {
            UNSEEN => self.path.push((to, predictions[to as usize].first)),
            ASSIGNED => {}
            open => self.low[index as usize] = self.low[index as usize].min(open),
        }
    }

    /// Removes the prediction at the end of the path. Visits its component if it is the component's root.
    fn leave(&mut self, index: u32, visit: impl FnOnce(&mut [u32])) {
        let here = index as usize;
        self.path.pop();
        if let Some(&(parent, _)) = self.path.last() {
            self.low[parent as usize] = self.low[parent as usize].min(self.low[here]);
        }
        if self.low[here] == self.number[here] {
            let start = self.open.iter().rposition(|&other| other == index).expect("the root is open");
            for &member in &self.open[start..] {
                self.number[member as usize] = ASSIGNED;
            }
            visit(&mut self.open[start..]);
            self.open.truncate(start);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use grammask_regular::Store;

    use crate::{Config, Network, Recognizer, Tuning};

    const GRAMMAR: &str = "start ::= (item ','){2,7} '.' | cycle '#' | start '+' start | #'[a-c]+' | long \
        | '<' unordered!(item?, 'q'{2,3}, '!'*, cycle?; ','; {0,6}; 0 -> 2) '>'; \
        item ::= #'[a-z]{1,3}' & ~'if' | '(' start ')'; cycle ::= other 'a' | '0'; other ::= cycle 'b' | 'x'; \
        long ::= #'[a-z]' long | 'a';";
    const TEXTS: [&[u8]; 6] =
        [b"ab,if,(abc+c),x.+a", b"0bababa#", b"xa#+0#", b"((a),b,.),z,.", b"abcabca", b"<q,!,if,q,0b,!><"];

    #[test]
    fn prediction_by_byte_agrees_with_the_full_closure() {
        for leo in [true, false] {
            let tuning = Tuning { leo, keep_steps: false, ..Default::default() };
            let config = Config { tuning, ..Default::default() };
            let ast = grammask_syntax::parse(GRAMMAR, &Default::default()).unwrap();
            let mut store = Store::new(&Default::default());
            let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
            let network = Arc::new(Network::build(&normal, store, &config).unwrap());
            for text in TEXTS {
                let recognizer = Recognizer::new(Arc::clone(&network), &config);
                let mut states = vec![recognizer.initial()];
                for &byte in text {
                    states.push(recognizer.step(states[states.len() - 1], byte).unwrap());
                }
                for state in states {
                    let step = |byte| recognizer.step(state, byte).unwrap();
                    let by_byte: Vec<_> = (0..=u8::MAX).map(step).collect();
                    // From now on the full closure is known.
                    recognizer.scanners(state).unwrap();
                    let by_closure: Vec<_> = (0..=u8::MAX).map(step).collect();
                    assert!(by_byte == by_closure, "leo {leo}, in {text:?}");
                }
            }
        }
    }
}

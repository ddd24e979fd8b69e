//! The writer half of a recognizer: computes sets that are not in the tables yet.
//!
//! One set of Earley items leads to the next in the textbook's three operations, a module each:
//!
//! | module | operation |
//! | --- | --- |
//! | [`predict`] | from a kernel to everything that may begin there, with an origin for each |
//! | [`scan`] | from an item and a byte class to the item after it |
//! | [`complete`] | from finished origins to their callers, transitively; interns the resulting set |
//! | [`origins`] | equal lists of callers are one origin |
//! | [`nodes`] | creates dynamic nodes: states of lexemes, counters, permutations |
//! | [`first_sets`] | the bytes with which a callee begins, so that a step by one byte predicts little |
//! | [`import`] | copies a state from another recognizer of the same network |
//!
//! All of them write under the recognizer's one lock, which a [`WriterGuard`] holds.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grammask_regular::ByteSet;
use grammask_work::{charge, count};

use crate::recognizer::Recognizer;
use crate::step::complete::Completer;
use crate::step::nodes::NodeFactory;
use crate::step::predict::Predictor;
use crate::{Class, Error, Item, Network, NetworkNodeId, OriginId, SetId};

pub(crate) mod complete;
pub(crate) mod first_sets;
pub(crate) mod import;
pub(crate) mod nodes;
pub(crate) mod origins;
pub(crate) mod predict;
pub(crate) mod scan;

/// Work of one item, or of one of its callers.
const UNITS_PER_ITEM: u64 = 4;

/// Everything that a recognizer changes while it runs, apart from its append-only tables.
pub(crate) struct Writer {
    stages: Stages,
    meter: Meter,
    /// Bytes of the language store that the recognizer's budget already counts.
    counted_store_bytes: usize,
}

/// The operations of one step, each with its own state.
pub(crate) struct Stages {
    pub(crate) nodes: NodeFactory,
    buffers: StepBuffers,
}

/// The state of one step beside the nodes and origins; kept for its capacity.
pub(crate) struct StepBuffers {
    predictor: Predictor,
    completer: Completer,
    /// Kernel items that take the byte of the current step.
    taking: Vec<Item>,
}

impl StepBuffers {
    pub(crate) fn new(network: &Network) -> Self {
        Self {
            predictor: Predictor::new(network.callees.len()),
            completer: Completer::default(),
            taking: Vec::new(),
        }
    }

    /// Returns the set after the byte class of `byte`, given a kernel whose closure is unknown. Predicts only
    /// callees that begin with the byte.
    fn step_by_byte(
        &mut self,
        nodes: &mut NodeFactory,
        cx: Context<'_>,
        kernel: &[Item],
        class: Class,
        byte: u8,
    ) -> Result<SetId, Error> {
        let Self { predictor, completer, taking } = self;
        completer.begin();
        taking.clear();
        for &item in kernel {
            if scan::may_take(nodes, cx, item.node, byte) {
                taking.push(item);
                completer.advance(item.origin, scan::advance(nodes, cx, item.node, class)?);
            }
        }
        predictor.predict(nodes, cx, taking, Some(byte))?;
        for item in predictor.items() {
            completer.advance(item.origin, scan::advance(nodes, cx, item.node, class)?);
        }
        cx.meter.add_work(kernel.len() + predictor.items().len());
        completer.finish(cx)
    }

    /// Returns the set after a symbol that belongs to all of `classes`, given the scanning items of a set.
    fn step(
        &mut self,
        nodes: &mut NodeFactory,
        cx: Context<'_>,
        scanners: &[Item],
        classes: &[Class],
    ) -> Result<SetId, Error> {
        self.completer.begin();
        cx.meter.add_work(scanners.len());
        for item in scanners {
            for &class in classes {
                self.completer.advance(item.origin, scan::advance(nodes, cx, item.node, class)?);
            }
        }
        self.completer.finish(cx)
    }

    /// Returns the scanning items of the closure of `kernel`, sorted.
    fn close(
        &mut self,
        nodes: &mut NodeFactory,
        cx: Context<'_>,
        kernel: &[Item],
    ) -> Result<Vec<Item>, Error> {
        let predictor = &mut self.predictor;
        predictor.predict(nodes, cx, kernel, None)?;
        let mut scanners = Vec::with_capacity(kernel.len() + predictor.items().len());
        scanners.extend(kernel.iter().filter(|item| scan::has_scans(cx, item.node)));
        scanners.extend(predictor.items().filter(|item| scan::has_scans(cx, item.node)));
        cx.meter.add_work(scanners.len());
        scanners.sort_unstable();
        scanners.dedup();
        Ok(scanners)
    }
}

/// Returns the set after a byte class, while another step is being computed.
///
/// # Errors
/// As [`Recognizer::step`], and if too many steps are within each other.
pub(crate) fn step_within(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    state: SetId,
    class: Class,
) -> Result<SetId, Error> {
    if let Some(known) = cx.tables.known_step(state, class) {
        return Ok(known);
    }
    cx.meter.check_cancelled()?;
    let next = nodes.within(cx, |nodes, buffers| {
        match (cx.tables.known_scanners(state), cx.tables.network().representative(class)) {
            (Some(scanners), _) => buffers.step(nodes, cx, scanners, &[class]),
            (None, Some(byte)) => buffers.step_by_byte(nodes, cx, cx.tables.kernel(state), class, byte),
            (None, None) => {
                let scanners = buffers.close(nodes, cx, cx.tables.kernel(state))?;
                buffers.step(nodes, cx, &scanners, &[class])
            }
        }
    })?;
    cx.tables.store_step(state, class, next);
    Ok(next)
}

/// Returns the bytes whose successor is not dead, while a step is being computed.
///
/// # Errors
/// As [`step_within`].
pub(crate) fn live_bytes_within(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    state: SetId,
) -> Result<ByteSet, Error> {
    if !state.goes_on() {
        return Ok(ByteSet::EMPTY);
    }
    if let Some(known) = cx.tables.known_live_bytes(state) {
        return Ok(known);
    }
    nodes.within(cx, |nodes, buffers| {
        let closure = match cx.tables.known_scanners(state) {
            Some(scanners) => scanners,
            None => {
                let scanners = buffers.close(nodes, cx, cx.tables.kernel(state))?;
                cx.tables.store_closure(state, scanners)
            }
        };
        let bytes = scan::live_bytes(nodes, cx, closure)?;
        Ok(cx.tables.store_live_bytes(state, bytes))
    })
}

/// Work counter and cancellation flag.
#[derive(Default)]
pub(crate) struct Meter {
    /// Items, callers and expression bytes processed so far. Loading bounds it.
    work: Cell<usize>,
    cancel: Option<Arc<AtomicBool>>,
}

impl Meter {
    pub(crate) fn work(&self) -> usize {
        self.work.get()
    }

    pub(crate) fn add_work(&self, work: usize) {
        self.add_charged_work(work);
        count(UNITS_PER_ITEM * work as u64);
    }

    /// As [`add_work`](Self::add_work), for work that has charged the account itself.
    pub(crate) fn add_charged_work(&self, work: usize) {
        self.work.set(self.work.get() + work);
    }

    /// Charges the work of one item. Fails if the account of the call is exceeded, and once the cancellation
    /// flag is set. A set may need 100,000 predictions, so each of them checks.
    #[inline]
    pub(crate) fn check_cancelled(&self) -> Result<(), Error> {
        charge(UNITS_PER_ITEM)?;
        match &self.cancel {
            Some(cancel) if cancel.load(Ordering::Relaxed) => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }
}

/// Shared input of all stages: the tables, which are append-only, and the meter.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) tables: &'a Recognizer,
    pub(crate) meter: &'a Meter,
}

/// Exclusive access to the writer half. When dropped, charges the growth of the language store to the budget.
pub(crate) struct WriterGuard<'a> {
    tables: &'a Recognizer,
    writer: MutexGuard<'a, Writer>,
}

impl Writer {
    pub(crate) fn new(network: &Network) -> Self {
        Self {
            stages: Stages {
                nodes: NodeFactory::new(network.store.clone()),
                buffers: StepBuffers::new(network),
            },
            meter: Meter::default(),
            counted_store_bytes: network.store.bytes_used(),
        }
    }
}

impl<'a> WriterGuard<'a> {
    pub(crate) fn new(tables: &'a Recognizer, writer: &'a Mutex<Writer>) -> Self {
        // Entries become visible only when complete, so a panic of another thread leaves nothing half done.
        Self { tables, writer: writer.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Calls `operation` with the stages and the context they work in.
    pub(crate) fn with<T>(&mut self, operation: impl FnOnce(&mut Stages, Context<'_>) -> T) -> T {
        let Writer { stages, meter, .. } = &mut *self.writer;
        operation(stages, Context { tables: self.tables, meter })
    }

    pub(crate) fn stages(&self) -> &Stages {
        &self.writer.stages
    }

    pub(crate) fn meter(&self) -> &Meter {
        &self.writer.meter
    }

    /// See [`Recognizer::set_cancel_flag`].
    pub(crate) fn set_cancel_flag(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.writer.meter.cancel = cancel;
    }

    /// Returns the set after the byte class of `byte`, given a kernel whose closure is unknown. Predicts only
    /// callees that begin with the byte.
    pub(crate) fn step_by_byte(&mut self, kernel: &[Item], class: Class, byte: u8) -> Result<SetId, Error> {
        self.with(|Stages { nodes, buffers }, cx| buffers.step_by_byte(nodes, cx, kernel, class, byte))
    }

    /// Returns the set after a symbol that belongs to all of `classes`, given the scanning items of a set.
    pub(crate) fn step(&mut self, scanners: &[Item], classes: &[Class]) -> Result<SetId, Error> {
        self.with(|Stages { nodes, buffers }, cx| buffers.step(nodes, cx, scanners, classes))
    }

    /// Returns the set in which only `origin` is complete.
    pub(crate) fn complete(&mut self, origin: OriginId) -> Result<SetId, Error> {
        self.with(|stages, cx| {
            let completer = &mut stages.buffers.completer;
            completer.begin();
            completer.advance(origin, Some(NetworkNodeId::END));
            completer.finish(cx)
        })
    }

    /// Returns the scanning items of the closure of `kernel`, sorted.
    pub(crate) fn close(&mut self, kernel: &[Item]) -> Result<Vec<Item>, Error> {
        self.with(|Stages { nodes, buffers }, cx| buffers.close(nodes, cx, kernel))
    }

    /// Returns the bytes that at least one of the scanning items takes.
    pub(crate) fn live_bytes(&mut self, scanners: &[Item]) -> Result<ByteSet, Error> {
        self.with(|stages, cx| scan::live_bytes(&mut stages.nodes, cx, scanners))
    }

    /// Sets the limits of the language store. Computations that exceeded the old limits are tried again.
    pub(crate) fn set_limits(&mut self, regular: &grammask_regular::Limits) {
        self.writer.stages.nodes.set_limits(regular);
    }
}

impl Drop for WriterGuard<'_> {
    fn drop(&mut self) {
        let bytes = self.writer.stages.nodes.store().bytes_used();
        let before = std::mem::replace(&mut self.writer.counted_store_bytes, bytes);
        if bytes > before {
            self.tables.spend(bytes - before);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::recognizer;

    #[test]
    fn growth_of_the_language_store_counts_as_used() {
        let recognizer = recognizer(
            "start ::= (#'[a-z]+x' & ~#'.*y.*' & ~#'.*bc.*') start | ~#'.*ab.*' & #'[a-f]*e' | #'[a-c]{2,30}d' & #'.*cb.*';",
        );
        let begin = recognizer.network().store.bytes_used();
        let mut state = recognizer.initial();
        for byte in *b"abx" {
            state = recognizer.step(state, byte).unwrap();
            recognizer.live_bytes(state).unwrap();
        }
        let grown = recognizer.lock().stages().nodes.store().bytes_used() - begin;
        assert!(grown > 1_000 && recognizer.bytes_used() > grown, "{grown} of {}", recognizer.bytes_used());
    }
}

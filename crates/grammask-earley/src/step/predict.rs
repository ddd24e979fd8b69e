//! Prediction: from the items of a set to everything that begins there, and whom to tell when that is complete.
//!
//! Two closures are made. The whole one is for whoever asks what a set scans. A step by one byte predicts only what takes
//! that byte, which is mostly little of it; as nothing that is called takes the empty text, whoever calls something that
//! takes the byte takes it too, so the callers of what is predicted are all there and the origins are the same.

use crate::recognizer::Recognizer;
use crate::recognizer::dynamic_nodes::Kind;
use crate::step::Workshop;
use crate::step::origins::{Caller, Reference};
use crate::{Callee, CalleeId, Error, Item, NetworkNodeId, OriginId};

/// The callee has not been predicted in this set; or a component has not been searched.
const NOT_YET: u32 = u32::MAX;

/// What is predicted in the set that is being closed. The buffers live as long as the workshop.
#[derive(Default)]
pub(crate) struct Closing {
    pub(crate) locals: Vec<Local>,
    /// For every callee its place in `locals`.
    place_of: Vec<u32>,
    /// Who calls, in the order in which it was found: the place of what is called, and the caller.
    calls: Vec<(u32, Caller)>,
    /// The callers of each local, one local behind the other.
    callers: Vec<Caller>,
    search: Search,
    /// The origin of each local.
    pub(crate) origins: Vec<OriginId>,
}

/// Something predicted in the set that is being closed.
#[derive(Clone, Copy)]
pub(crate) struct Local {
    pub(crate) callee: CalleeId,
    pub(crate) start: NetworkNodeId,
    /// Where its callers begin and end. While they are searched, the end counts them.
    first: u32,
    end: u32,
}

impl Closing {
    pub(crate) fn new(callees: usize) -> Self {
        Self { place_of: vec![NOT_YET; callees], ..Self::default() }
    }

    /// Nothing is predicted. Whatever has happened before, the next set begins like this.
    fn clear(&mut self) {
        for local in self.locals.drain(..) {
            self.place_of[local.callee.index()] = NOT_YET;
        }
        self.calls.clear();
        self.origins.clear();
    }

    /// Sorts the callers by whom they call, in linear time.
    fn arrange(&mut self) {
        let mut first = 0;
        for local in &mut self.locals {
            let count = local.end;
            (local.first, local.end) = (first, first);
            first += count;
        }
        self.callers.clear();
        self.callers.resize(
            self.calls.len(),
            Caller { node: NetworkNodeId::END, reference: Reference::Local(NOT_YET) },
        );
        for &(place, caller) in &self.calls {
            let local = &mut self.locals[place as usize];
            self.callers[local.end as usize] = caller;
            local.end += 1;
        }
    }
}

impl Local {
    pub(crate) fn callers<'a>(&self, callers: &'a [Caller]) -> &'a [Caller] {
        &callers[self.first as usize..self.end as usize]
    }
}

impl Workshop {
    /// Predicts to a fixpoint: what takes `byte`, or everything where there is none. Then `closing` holds what is predicted.
    pub(crate) fn predict_all(
        &mut self,
        tables: &Recognizer,
        kernel: &[Item],
        byte: Option<u8>,
    ) -> Result<(), Error> {
        self.closing.clear();
        for item in kernel {
            self.predict(tables, item.node, Reference::Known(item.origin), byte)?;
        }
        let mut next = 0;
        while let Some(&Local { start, .. }) = self.closing.locals.get(next) {
            self.predict(tables, start, Reference::Local(next as u32), byte)?;
            next += 1;
        }
        if !self.closing.locals.is_empty() {
            self.work += self.closing.calls.len();
            self.closing.arrange();
            self.resolve(tables);
        }
        Ok(())
    }

    /// Notes the calls of a node whose rule tells `reference` when it is complete.
    fn predict(
        &mut self,
        tables: &Recognizer,
        node: NetworkNodeId,
        reference: Reference,
        byte: Option<u8>,
    ) -> Result<(), Error> {
        if let Some(known) = tables.network().nodes.get(node.index()) {
            for &(callee, node) in &known.calls {
                self.call(tables, callee, Caller { node, reference }, byte)?;
            }
            return Ok(());
        }
        let made = tables.made().get(node);
        match made.kind {
            Kind::Lexeme(..) => {}
            Kind::Counter(counter, count) => {
                if let Callee::Counter { element, .. } = *tables.network().callee(counter)
                    && made.goes_on
                {
                    let node = self.counter_node(tables, counter, count + 1);
                    self.call(tables, element, Caller { node, reference }, byte)?;
                }
            }
            Kind::Unordered(ref standing) => {
                for &(callee, node) in self.selection_calls(tables, standing)? {
                    self.call(tables, callee, Caller { node, reference }, byte)?;
                }
            }
            Kind::Reading(ref reading) => {
                if let Some(behind) = reading.behind {
                    self.predict(tables, behind, reference, byte)?;
                }
            }
            Kind::Pending(..) => {}
        }
        Ok(())
    }

    fn call(
        &mut self,
        tables: &Recognizer,
        callee: CalleeId,
        caller: Caller,
        byte: Option<u8>,
    ) -> Result<(), Error> {
        self.go_on()?;
        let mut place = self.closing.place_of[callee.index()];
        if place == NOT_YET {
            if byte.is_some_and(|byte| !self.may_take(tables, callee, byte)) {
                return Ok(());
            }
            let start = self.start(tables, callee)?;
            place = self.closing.locals.len() as u32;
            self.closing.place_of[callee.index()] = place;
            self.closing.locals.push(Local { callee, start, first: 0, end: 0 });
        }
        self.closing.locals[place as usize].end += 1;
        self.closing.calls.push((place, caller));
        let limit = tables.config().max_items_per_set;
        if self.closing.calls.len() > limit { Err(Error::TooManyItems { limit }) } else { Ok(()) }
    }

    /// Whether a callee takes a byte, as far as that is clear: whether it does will show when the byte is scanned.
    fn may_take(&mut self, tables: &Recognizer, callee: CalleeId, byte: u8) -> bool {
        // A limit that is exceeded here need not be in the way of this byte.
        self.taken_by(tables, callee).map_or(true, |takes| takes.contains(byte))
    }

    /// Finds the origins of what is predicted.
    fn resolve(&mut self, tables: &Recognizer) {
        let leo = tables.config().leo;
        let mut closing = std::mem::take(&mut self.closing);
        let Closing { locals, callers, search, origins, .. } = &mut closing;
        if leo {
            search.skip_last_calls(locals, callers);
        }
        origins.resize(locals.len(), OriginId::ROOT);
        search.components(locals, callers, |locals, component| match *component {
            [place] if !calls_itself(locals[place as usize].callers(callers), place) => {
                let callers = locals[place as usize].callers(callers);
                origins[place as usize] = self.intern_callers(tables, callers, origins, leo);
            }
            _ => {
                component.sort_unstable_by_key(|&place| locals[place as usize].callee);
                let members = component.iter().map(|&place| locals[place as usize].callers(callers));
                let first = self.intern_component(tables, component, members, origins);
                for (member, &place) in component.iter().enumerate() {
                    origins[place as usize] = OriginId(first.0 + member as u32);
                }
            }
        });
        self.closing = closing;
    }
}

fn calls_itself(callers: &[Caller], place: u32) -> bool {
    callers.iter().any(|caller| caller.reference == Reference::Local(place))
}

/// Buffers for searching the graph of who calls whom.
#[derive(Default)]
struct Search {
    instead: Vec<Reference>,
    index: Vec<u32>,
    low: Vec<u32>,
    open: Vec<u32>,
    path: Vec<(u32, u32)>,
}

/// The component of this local has been visited.
const FINISHED: u32 = u32::MAX - 1;

impl Search {
    /// Leo's optimization, when predicting: where the one caller of a local is complete as soon as the local is,
    /// whoever is called by the local's items tells the caller's origin directly.
    fn skip_last_calls(&mut self, locals: &[Local], callers: &mut [Caller]) {
        // Whom to tell instead of each local. A chain of last calls begins outside of the set, so following it ends.
        let Self { instead, path, .. } = self;
        let mut skipped = false;
        instead.clear();
        instead.extend((0..).zip(locals).map(|(place, local)| match *local.callers(callers) {
            [Caller { node: NetworkNodeId::END, reference }] => {
                skipped = true;
                reference
            }
            _ => Reference::Local(place),
        }));
        if !skipped {
            return;
        }
        for place in 0..locals.len() as u32 {
            let mut end = Reference::Local(place);
            while let Reference::Local(at) = end
                && instead[at as usize] != end
                && path.len() <= locals.len()
            {
                path.push((at, 0));
                end = instead[at as usize];
            }
            // What has been followed once is not followed again.
            for (at, _) in path.drain(..) {
                instead[at as usize] = end;
            }
        }
        for caller in callers {
            if let Reference::Local(place) = caller.reference {
                caller.reference = instead[place as usize];
            }
        }
    }

    /// Calls `visit` for every strongly connected component of the locals, callers before callees.
    ///
    /// # Source
    /// R. Tarjan, "Depth-first search and linear graph algorithms", 1972; here with an explicit stack.
    fn components(
        &mut self,
        locals: &[Local],
        callers: &[Caller],
        mut visit: impl FnMut(&[Local], &mut [u32]),
    ) {
        let Self { index, low, open, path, .. } = self;
        index.clear();
        index.resize(locals.len(), NOT_YET);
        low.clear();
        low.resize(locals.len(), 0);
        let mut next_index = 0;
        for root in 0..locals.len() as u32 {
            if index[root as usize] != NOT_YET {
                continue;
            }
            // Mostly it is called by what came before it and by itself only, and is a component by itself.
            let is_finished = |caller: &Caller| match caller.reference {
                Reference::Known(_) => true,
                Reference::Local(to) => to == root || index[to as usize] == FINISHED,
            };
            if locals[root as usize].callers(callers).iter().all(is_finished) {
                index[root as usize] = FINISHED;
                visit(locals, &mut [root]);
                continue;
            }
            path.push((root, locals[root as usize].first));
            while let Some((place, edge)) = path.last_mut() {
                let (here, place) = (*place as usize, *place);
                if index[here] == NOT_YET {
                    index[here] = next_index;
                    low[here] = next_index;
                    next_index += 1;
                    open.push(place);
                }
                if *edge == locals[here].end {
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        low[parent as usize] = low[parent as usize].min(low[here]);
                    }
                    if low[here] == index[here] {
                        let start = open.iter().rposition(|&other| other == place).expect("it is open");
                        for &member in &open[start..] {
                            index[member as usize] = FINISHED;
                        }
                        visit(locals, &mut open[start..]);
                        open.truncate(start);
                    }
                    continue;
                }
                let caller = callers[*edge as usize];
                *edge += 1;
                if let Reference::Local(to) = caller.reference {
                    match index[to as usize] {
                        NOT_YET => path.push((to, locals[to as usize].first)),
                        FINISHED => {}
                        open => low[here] = low[here].min(open),
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use grammask_regular::Store;

    use crate::{Config, Network, Recognizer};

    const GRAMMAR: &str = "start ::= (item ','){2,7} '.' | cycle '#' | start '+' start | #'[a-c]+' | long \
        | '<' unordered!(item?, 'q'{2,3}, '!'*, cycle?; ','; {0,6}; 0 -> 2) '>'; \
        item ::= #'[a-z]{1,3}' & ~'if' | '(' start ')'; cycle ::= other 'a' | '0'; other ::= cycle 'b' | 'x'; \
        long ::= #'[a-z]' long | 'a';";
    const TEXTS: [&[u8]; 6] =
        [b"ab,if,(abc+c),x.+a", b"0bababa#", b"xa#+0#", b"((a),b,.),z,.", b"abcabca", b"<q,!,if,q,0b,!><"];

    #[test]
    fn what_takes_a_byte_leads_where_everything_leads() {
        for leo in [true, false] {
            let config = Config { leo, keep_steps: false, ..Default::default() };
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
                    // From now on the whole closure is known.
                    recognizer.scanners(state).unwrap();
                    let by_all: Vec<_> = (0..=u8::MAX).map(step).collect();
                    assert!(by_byte == by_all, "leo {leo}, in {text:?}");
                }
            }
        }
    }
}

//! Where new sets are made: everything of a recognizer that is changed while it runs, behind its one lock.

use grammask_cache::Row;
use grammask_regular::{ByteSet, RegularId, Store};
use rustc_hash::FxHashMap;

use crate::choosing::Choosing;
use crate::made::{Kind, MadeNode, NOWHERE};
use crate::origins::{Caller, Cycle, Local, Reference};
use crate::recognizer::Recognizer;
use crate::{Callee, CalleeId, Class, Error, Item, Network, NodeId, OriginId, SetId};

/// The callee has not been predicted in this set.
const UNPREDICTED: u32 = u32::MAX;

/// What making nodes and sets needs: languages, who has been made, and buffers.
pub(crate) struct Workshop {
    /// The languages of lexeme states.
    store: Store,
    lexeme_nodes: FxHashMap<RegularId, NodeId>,
    counter_nodes: FxHashMap<(CalleeId, u32), NodeId>,
    pub(crate) choosing: Choosing,
    /// Origins that call themselves, by what they are.
    pub(crate) cycles: FxHashMap<Cycle, u32>,
    /// The same by number: what they are, and the first of their origins.
    pub(crate) cycle_list: Vec<(Cycle, OriginId)>,
    /// What is predicted in the set that is being closed.
    locals: Vec<Local>,
    /// For every callee its place in `locals`.
    predicted: Vec<u32>,
    arrivals: Vec<Item>,
    items: Vec<Item>,
    /// The last completion in which an origin was told.
    told: Vec<u32>,
    completions: u32,
    /// What has been looked at: items, callers, and what derivatives were made of. Loading bounds it.
    pub(crate) work: usize,
}

impl Workshop {
    pub(crate) fn new(network: &Network) -> Self {
        Self {
            store: network.store.clone(),
            lexeme_nodes: FxHashMap::default(),
            counter_nodes: FxHashMap::default(),
            choosing: Choosing::default(),
            cycles: FxHashMap::default(),
            cycle_list: Vec::new(),
            locals: Vec::new(),
            predicted: vec![UNPREDICTED; network.callees.len()],
            arrivals: Vec::new(),
            items: Vec::new(),
            told: Vec::new(),
            completions: 0,
            work: 0,
        }
    }

    /// The set after something of these classes, given the items that scan.
    pub(crate) fn step(
        &mut self,
        tables: &Recognizer,
        scanners: &[Item],
        classes: &[Class],
    ) -> Result<SetId, Error> {
        self.arrivals.clear();
        self.work += scanners.len();
        for item in scanners {
            for &class in classes {
                if let Some(node) = self.scan(tables, item.node, class)? {
                    self.arrivals.push(Item { node, origin: item.origin });
                }
            }
        }
        self.settle(tables)
    }

    /// The bytes that some of the scanners take.
    pub(crate) fn first_bytes(&mut self, tables: &Recognizer, scanners: &[Item]) -> Result<ByteSet, Error> {
        let network = tables.network();
        let mut bytes = ByteSet::default();
        for item in scanners {
            if let Some(node) = network.nodes.get(item.node.index()) {
                for &(class, _) in &node.scans {
                    bytes =
                        bytes.union(network.class_bytes.get(class.index()).unwrap_or(&ByteSet::default()));
                }
            } else if let Kind::Lexeme(language, ..) = tables.made().get(item.node).kind {
                bytes = bytes.union(&self.store.live_bytes(language)?);
            }
        }
        Ok(bytes)
    }

    /// The set in which just `origin` is complete.
    pub(crate) fn complete(&mut self, tables: &Recognizer, origin: OriginId) -> Result<SetId, Error> {
        self.arrivals.clear();
        self.arrivals.push(Item { node: NodeId::END, origin });
        self.settle(tables)
    }

    /// Completes what is complete among the arrivals, transitively, and interns what remains.
    fn settle(&mut self, tables: &Recognizer) -> Result<SetId, Error> {
        let config = tables.config();
        self.items.clear();
        self.completions += 1;
        self.told.resize(tables.origin_count(), 0);
        let mut work = 0;
        while let Some(item) = self.arrivals.pop() {
            self.work += 1;
            let (is_final, goes_on) = tables.nature(item.node);
            if goes_on {
                self.items.push(item);
            }
            if !is_final {
                continue;
            }
            if item.origin.is_outermost() {
                self.items.push(Item { node: NodeId::DONE, origin: item.origin });
                continue;
            }
            let told = &mut self.told[item.origin.0 as usize];
            if *told != self.completions {
                *told = self.completions;
                let callers = tables.callers(item.origin);
                work += callers.len();
                if work > config.max_work_per_byte {
                    return Err(Error::TooMuchWork { limit: config.max_work_per_byte });
                }
                self.arrivals.extend_from_slice(callers);
            }
        }
        self.items.sort_unstable();
        self.items.dedup();
        if self.items.len() > config.max_items_per_set {
            return Err(Error::TooManyItems { limit: config.max_items_per_set });
        }
        tables.intern_set(&self.items)
    }

    /// Predicts to a fixpoint, and gives all items that scan, sorted.
    pub(crate) fn close(&mut self, tables: &Recognizer, kernel: &[Item]) -> Result<Vec<Item>, Error> {
        let limit = tables.config().max_items_per_set;
        let mut scanners = Vec::with_capacity(kernel.len());
        scanners.extend(kernel.iter().filter(|item| scans(tables, item.node)));
        let calls = self.predict_all(tables, kernel, limit);
        // Whatever has happened, the next set begins with nothing predicted.
        let mut locals = std::mem::take(&mut self.locals);
        for local in &locals {
            self.predicted[local.callee.index()] = UNPREDICTED;
        }
        let result = calls.and_then(|calls| {
            self.work += calls + scanners.len();
            self.resolve(tables, &mut locals)
        });
        if let Ok(origins) = &result {
            for (local, &origin) in locals.iter().zip(origins) {
                if scans(tables, local.start) {
                    scanners.push(Item { node: local.start, origin });
                }
            }
        }
        locals.clear();
        self.locals = locals;
        result?;
        scanners.sort_unstable();
        scanners.dedup();
        Ok(scanners)
    }

    /// Predicts to a fixpoint, and says how many calls that are.
    fn predict_all(&mut self, tables: &Recognizer, kernel: &[Item], limit: usize) -> Result<usize, Error> {
        let mut calls = 0;
        let mut next = 0;
        loop {
            let (node, reference) =
                match (kernel.get(next), self.locals.get(next.saturating_sub(kernel.len()))) {
                    (Some(item), _) => (item.node, Reference::Known(item.origin)),
                    (None, Some(local)) => (local.start, Reference::Local((next - kernel.len()) as u32)),
                    (None, None) => return Ok(calls),
                };
            calls += self.predict(tables, node, reference)?;
            if calls > limit {
                return Err(Error::TooManyItems { limit });
            }
            next += 1;
        }
    }

    /// Notes the calls of a node whose rule tells `reference` when it is complete, and says how many there are.
    fn predict(&mut self, tables: &Recognizer, node: NodeId, reference: Reference) -> Result<usize, Error> {
        let network = tables.network();
        if let Some(known) = network.nodes.get(node.index()) {
            for &(callee, node) in &known.calls {
                self.call(tables, callee, Caller { node, reference })?;
            }
            return Ok(known.calls.len());
        }
        let made = tables.made().get(node);
        if let Kind::Counter(counter, count) = made.kind
            && let Callee::Counter { element, .. } = *network.callee(counter)
            && made.goes_on
        {
            let node = self.counter_node(tables, counter, count + 1);
            self.call(tables, element, Caller { node, reference })?;
            return Ok(1);
        }
        if let Kind::Unordered(callee, chosen, phase) = made.kind {
            let choices = self.choices(tables, made, (callee, chosen, phase));
            for &(callee, node) in choices {
                self.call(tables, callee, Caller { node, reference })?;
            }
            return Ok(choices.len());
        }
        Ok(0)
    }

    fn call(&mut self, tables: &Recognizer, callee: CalleeId, caller: Caller) -> Result<(), Error> {
        let place = match self.predicted[callee.index()] {
            UNPREDICTED => {
                let start = self.start(tables, callee)?;
                self.predicted[callee.index()] = self.locals.len() as u32;
                self.locals.push(Local { callee, start, callers: Vec::new() });
                self.locals.len() - 1
            }
            place => place as usize,
        };
        self.locals[place].callers.push(caller);
        Ok(())
    }

    /// Where a callee begins.
    pub(crate) fn start(&mut self, tables: &Recognizer, callee: CalleeId) -> Result<NodeId, Error> {
        Ok(match *tables.network().callee(callee) {
            Callee::Nonterminal { start, .. } => start,
            Callee::Lexeme { language, .. } => {
                self.lexeme_node(tables, language, None)?.expect("the language of a lexeme is not empty")
            }
            Callee::Counter { .. } => self.counter_node(tables, callee, 0),
            Callee::Unordered { .. } => self.unordered_start(tables, callee),
        })
    }

    /// The bytes that a lexeme in this state takes.
    pub(crate) fn live_bytes(&mut self, language: RegularId) -> Result<ByteSet, Error> {
        Ok(self.store.live_bytes(language)?)
    }

    /// Where a class leads from a node.
    fn scan(&mut self, tables: &Recognizer, node: NodeId, class: Class) -> Result<Option<NodeId>, Error> {
        let network = tables.network();
        if let Some(known) = network.nodes.get(node.index()) {
            let place = known.scans.binary_search_by_key(&class, |&(class, _)| class);
            return Ok(place.ok().map(|place| known.scans[place].1));
        }
        let (Kind::Lexeme(language, row, _), Some(byte)) =
            (&tables.made().get(node).kind, network.representative(class))
        else {
            return Ok(None);
        };
        match row.get(class.index()) {
            Some(NOWHERE) => Ok(None),
            Some(next) => Ok(Some(NodeId(next))),
            None => {
                let before = self.store.bytes_used();
                let next = self.store.derivative(*language, byte)?;
                let grown = self.store.bytes_used().saturating_sub(before);
                tables.spend(grown);
                self.work += grown / 4;
                let next = self.lexeme_node(tables, next, Some((node, byte)))?;
                row.set(class.index(), next.map_or(NOWHERE, |node| node.0));
                Ok(next)
            }
        }
    }

    /// The node of a lexeme state; none for the empty language.
    pub(crate) fn lexeme_node(
        &mut self,
        tables: &Recognizer,
        language: RegularId,
        before: Option<(NodeId, u8)>,
    ) -> Result<Option<NodeId>, Error> {
        if language == RegularId::EMPTY {
            return Ok(None);
        }
        if let Some(&node) = self.lexeme_nodes.get(&language) {
            return Ok(Some(node));
        }
        let goes_on = self.store.has_more(language)?;
        let is_final = self.store.is_nullable(language);
        let node = if goes_on {
            let row = Row::new(tables.network().byte_classes);
            tables.spend(size_of::<MadeNode>() + row.bytes_used());
            tables.made().push(is_final, goes_on, Kind::Lexeme(language, row, before))
        } else {
            NodeId::END
        };
        self.lexeme_nodes.insert(language, node);
        Ok(Some(node))
    }

    pub(crate) fn counter_node(&mut self, tables: &Recognizer, counter: CalleeId, count: u32) -> NodeId {
        let Callee::Counter { min, max, .. } = *tables.network().callee(counter) else {
            unreachable!("only counters have counter nodes")
        };
        if count == max {
            return NodeId::END;
        }
        if let Some(&node) = self.counter_nodes.get(&(counter, count)) {
            return node;
        }
        tables.spend(size_of::<MadeNode>());
        let node = tables.made().push(count >= min, true, Kind::Counter(counter, count));
        self.counter_nodes.insert((counter, count), node);
        node
    }

    /// The node that stands for a node of another recognizer of the same network.
    pub(crate) fn import_node(
        &mut self,
        tables: &Recognizer,
        source: &Recognizer,
        from: &Self,
        node: NodeId,
    ) -> Result<NodeId, Error> {
        if node == NodeId::DONE || node.index() < tables.network().nodes.len() {
            return Ok(node);
        }
        match source.made().get(node).kind {
            Kind::Lexeme(language, ..) => {
                let language = self.store.import(&from.store, language)?;
                Ok(self.lexeme_node(tables, language, None)?.expect("a state of a lexeme is not empty"))
            }
            Kind::Counter(counter, count) => Ok(self.counter_node(tables, counter, count)),
            Kind::Unordered(callee, chosen, phase) => {
                let chosen = from.choosing.chosen(chosen).clone();
                Ok(self.unordered_node(tables, callee, chosen, phase))
            }
        }
    }

    /// The languages of lexeme states.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// The same, for setting their limits.
    pub(crate) fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }
}

fn scans(tables: &Recognizer, node: NodeId) -> bool {
    match tables.network().nodes.get(node.index()) {
        Some(known) => !known.scans.is_empty(),
        None => matches!(tables.made().get(node).kind, Kind::Lexeme(..)),
    }
}

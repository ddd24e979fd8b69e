//! Where new sets are made: everything of a recognizer that is changed while it runs, behind its one lock.

use grammask_regular::{ByteSet, RegularId, Store};
use rustc_hash::FxHashMap;

use crate::origins::{Caller, Cycle, Local, Reference};
use crate::recognizer::Recognizer;
use crate::{Callee, CalleeId, Class, Error, Item, Network, NodeId, OriginId, SetId};

/// No successor, in the row of a lexeme's node.
const NOWHERE: u32 = u32::MAX;
/// Not computed yet, in the row of a lexeme's node.
const UNKNOWN: u32 = u32::MAX - 1;
/// The callee has not been predicted in this set.
const UNPREDICTED: u32 = u32::MAX;

/// Nodes that are made while running, memo tables that belong to them, and buffers.
pub(crate) struct Workshop {
    /// The languages of lexeme states.
    pub(crate) store: Store,
    /// The nodes behind those of the network.
    pub(crate) made: Vec<MadeNode>,
    lexeme_nodes: FxHashMap<RegularId, NodeId>,
    counter_nodes: FxHashMap<(CalleeId, u32), NodeId>,
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

/// A node that the network does not have.
pub(crate) struct MadeNode {
    is_final: bool,
    goes_on: bool,
    pub(crate) kind: Kind,
}

impl MadeNode {
    /// What a state of a lexeme takes, in bytes.
    pub(crate) fn bytes(network: &Network) -> usize {
        size_of::<Self>() + 4 * network.byte_classes
    }
}

pub(crate) enum Kind {
    /// A state of a lexeme, and its successors by class.
    Lexeme(RegularId, Box<[u32]>),
    /// A counted repetition, and how many are complete.
    Counter(CalleeId, u32),
}

impl Workshop {
    pub(crate) fn new(network: &Network) -> Self {
        Self {
            store: network.store.clone(),
            made: Vec::new(),
            lexeme_nodes: FxHashMap::default(),
            counter_nodes: FxHashMap::default(),
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
    pub(crate) fn first_bytes(&mut self, network: &Network, scanners: &[Item]) -> Result<ByteSet, Error> {
        let mut bytes = ByteSet::default();
        for item in scanners {
            if let Some(node) = network.nodes.get(item.node.index()) {
                for &(class, _) in &node.scans {
                    bytes =
                        bytes.union(network.class_bytes.get(class.index()).unwrap_or(&ByteSet::default()));
                }
            } else if let Kind::Lexeme(language, _) = self.made_node(network, item.node).kind {
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
        let network = tables.network();
        let config = tables.config();
        self.items.clear();
        self.completions += 1;
        self.told.resize(tables.origin_count(), 0);
        let mut work = 0;
        while let Some(item) = self.arrivals.pop() {
            self.work += 1;
            let (is_final, goes_on) = self.nature(network, item.node);
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
        let network = tables.network();
        let limit = tables.config().max_items_per_set;
        let mut scanners = Vec::with_capacity(kernel.len());
        scanners.extend(kernel.iter().filter(|item| self.scans(network, item.node)));
        let calls = self.predict_all(network, kernel, limit);
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
                if self.scans(network, local.start) {
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
    fn predict_all(&mut self, network: &Network, kernel: &[Item], limit: usize) -> Result<usize, Error> {
        let mut calls = 0;
        let mut next = 0;
        loop {
            let (node, reference) =
                match (kernel.get(next), self.locals.get(next.saturating_sub(kernel.len()))) {
                    (Some(item), _) => (item.node, Reference::Known(item.origin)),
                    (None, Some(local)) => (local.start, Reference::Local((next - kernel.len()) as u32)),
                    (None, None) => return Ok(calls),
                };
            calls += self.predict(network, node, reference)?;
            if calls > limit {
                return Err(Error::TooManyItems { limit });
            }
            next += 1;
        }
    }

    /// Notes the calls of a node whose rule tells `reference` when it is complete, and says how many there are.
    fn predict(&mut self, network: &Network, node: NodeId, reference: Reference) -> Result<usize, Error> {
        if let Some(known) = network.nodes.get(node.index()) {
            for &(callee, node) in &known.calls {
                self.call(network, callee, Caller { node, reference })?;
            }
            return Ok(known.calls.len());
        }
        if let Kind::Counter(counter, count) = self.made_node(network, node).kind
            && let Callee::Counter { element, .. } = *network.callee(counter)
            && self.made_node(network, node).goes_on
        {
            let node = self.counter_node(network, counter, count + 1);
            self.call(network, element, Caller { node, reference })?;
            return Ok(1);
        }
        Ok(0)
    }

    fn call(&mut self, network: &Network, callee: CalleeId, caller: Caller) -> Result<(), Error> {
        let place = match self.predicted[callee.index()] {
            UNPREDICTED => {
                let start = match *network.callee(callee) {
                    Callee::Nonterminal { start, .. } => start,
                    Callee::Lexeme { language, .. } => {
                        self.lexeme_node(network, language)?.expect("the language of a lexeme is not empty")
                    }
                    Callee::Counter { .. } => self.counter_node(network, callee, 0),
                };
                self.predicted[callee.index()] = self.locals.len() as u32;
                self.locals.push(Local { callee, start, callers: Vec::new() });
                self.locals.len() - 1
            }
            place => place as usize,
        };
        self.locals[place].callers.push(caller);
        Ok(())
    }

    /// Where a class leads from a node.
    fn scan(&mut self, tables: &Recognizer, node: NodeId, class: Class) -> Result<Option<NodeId>, Error> {
        let network = tables.network();
        if let Some(known) = network.nodes.get(node.index()) {
            let place = known.scans.binary_search_by_key(&class, |&(class, _)| class);
            return Ok(place.ok().map(|place| known.scans[place].1));
        }
        let (Kind::Lexeme(language, row), Some(byte)) =
            (&self.made_node(network, node).kind, network.representative(class))
        else {
            return Ok(None);
        };
        match row[class.index()] {
            NOWHERE => Ok(None),
            UNKNOWN => {
                let language = *language;
                let before = self.store.bytes_used();
                let next = self.store.derivative(language, byte)?;
                let grown = self.store.bytes_used().saturating_sub(before);
                tables.spend(grown);
                self.work += grown / 4;
                let made = self.made.len();
                let next = self.lexeme_node(network, next)?;
                tables.spend((self.made.len() - made) * MadeNode::bytes(network));
                if let Kind::Lexeme(_, row) = &mut self.made[node.index() - network.nodes.len()].kind {
                    row[class.index()] = next.map_or(NOWHERE, |node| node.0);
                }
                Ok(next)
            }
            next => Ok(Some(NodeId(next))),
        }
    }

    /// The node of a lexeme state; none for the empty language.
    pub(crate) fn lexeme_node(
        &mut self,
        network: &Network,
        language: RegularId,
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
            let row = vec![UNKNOWN; network.byte_classes].into();
            self.add_node(network, MadeNode { is_final, goes_on, kind: Kind::Lexeme(language, row) })
        } else {
            NodeId::END
        };
        self.lexeme_nodes.insert(language, node);
        Ok(Some(node))
    }

    pub(crate) fn counter_node(&mut self, network: &Network, counter: CalleeId, count: u32) -> NodeId {
        let Callee::Counter { min, max, .. } = *network.callee(counter) else {
            unreachable!("only counters have counter nodes")
        };
        if count == max {
            return NodeId::END;
        }
        if let Some(&node) = self.counter_nodes.get(&(counter, count)) {
            return node;
        }
        let made = MadeNode { is_final: count >= min, goes_on: true, kind: Kind::Counter(counter, count) };
        let node = self.add_node(network, made);
        self.counter_nodes.insert((counter, count), node);
        node
    }

    fn add_node(&mut self, network: &Network, node: MadeNode) -> NodeId {
        self.made.push(node);
        NodeId((network.nodes.len() + self.made.len() - 1) as u32)
    }

    fn made_node(&self, network: &Network, node: NodeId) -> &MadeNode {
        &self.made[node.index() - network.nodes.len()]
    }

    /// Whether a rule may end at a node, and whether it may go on.
    pub(crate) fn nature(&self, network: &Network, node: NodeId) -> (bool, bool) {
        match network.nodes.get(node.index()) {
            Some(known) => (known.is_final, known.goes_on()),
            None => {
                let made = self.made_node(network, node);
                (made.is_final, made.goes_on)
            }
        }
    }

    fn scans(&self, network: &Network, node: NodeId) -> bool {
        match network.nodes.get(node.index()) {
            Some(known) => !known.scans.is_empty(),
            None => matches!(self.made_node(network, node).kind, Kind::Lexeme(..)),
        }
    }

    /// The node that stands for a node of another recognizer of the same network.
    pub(crate) fn import_node(
        &mut self,
        network: &Network,
        from: &Self,
        node: NodeId,
    ) -> Result<NodeId, Error> {
        if node == NodeId::DONE || node.index() < network.nodes.len() {
            return Ok(node);
        }
        match from.made_node(network, node).kind {
            Kind::Lexeme(language, _) => {
                let language = self.store.import(&from.store, language)?;
                Ok(self.lexeme_node(network, language)?.expect("a state of a lexeme is not empty"))
            }
            Kind::Counter(counter, count) => Ok(self.counter_node(network, counter, count)),
        }
    }

    pub(crate) fn describe(&self, network: &Network, node: NodeId) -> String {
        if node.index() < network.nodes.len() || node == NodeId::DONE {
            return node.to_string();
        }
        match &self.made_node(network, node).kind {
            Kind::Lexeme(language, _) => self.store.display(*language).to_string(),
            Kind::Counter(counter, count) => format!("{count} of {}", network.callee_text(*counter)),
        }
    }
}

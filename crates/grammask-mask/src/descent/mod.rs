//! Computes summaries by descending the rules of the grammar through the trie, for whole sets of trie nodes
//! at once.
//!
//! A rule that is called below a set runs once for all its callers, and notifies each of them where it
//! completes. Left recursion and cycles need no special case.
//!
//! # Source
//! E. Scott and A. Johnstone, "GLL Parsing", 2010; with sets of trie nodes in place of single positions.

use grammask_earley::{AfterDistinct, Error, NetworkNodeId, NodeFlags};
use grammask_trie::TokenSet;
use grammask_trie::index::{Child, InnerId};
use grammask_work::{charge, count};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::Masks;
use crate::descent::small_set::SmallIndexSet;
use crate::descent::summary::{EntryRef, Summary, SummaryKey};
use crate::descent::total::{MAX_LISTED_SCANS, TotalBuilder};
use crate::lexicon::walk::output::{OutputBuffers, WalkOutput, Want};
use crate::masks::budget::Fuel;
use crate::masks::stats::WalkCost;
use crate::node_set::NodeSet;
use crate::node_set::children::NodesByByte;
use crate::node_set::continuation::{Continuation, ContinuationId};
use crate::node_set::semi_naive::{Propagation, SemiNaiveSet};

mod compared;
pub(crate) mod completions;
mod distinct;
pub(crate) mod permutation;
mod small_set;
pub(crate) mod summary;
pub(crate) mod total;
mod visited;

pub(crate) use distinct::AfterDistinctTexts;
use visited::Visited;

/// Number of descriptors of one descent. Beyond it, the trie is walked with the Earley state instead.
const MAX_DESCRIPTORS: usize = 1 << 14;

/// Number of descriptors between two checks of the fuel, which each check consumes as trie nodes.
const STEPS_PER_FUEL_CHECK: usize = 64;

/// Work of one descriptor, and of following the bytes of a node by one step.
const UNITS_PER_DESCRIPTOR: u64 = 32;
const UNITS_PER_SCAN: u64 = 8;

/// Number of GSS nodes up to which they are scanned linearly; beyond it, they are found by hash.
const GSS_INDEX_THRESHOLD: usize = 12;

/// Number of roots up to which scans are followed root by root; larger sets use their children by byte.
const MAX_ROOTS_FOLLOWED_SINGLY: usize = 8;

/// Number of buffers that are kept for later descents. Pooled buffers count in no budget.
const MAX_POOLED_BUFFERS: usize = 64;
/// Capacity, in elements, beyond which a buffer is freed instead of pooled.
const MAX_POOLED_BUFFER_LEN: usize = 1 << 10;

/// Number of children of a trie node that are scanned linearly; beyond it, each scanned byte is looked up.
const MAX_CHILDREN_SCANNED: usize = 16;

/// A node of the graph-structured stack: a rule below a set of trie nodes, while it is computed.
struct GssNode<'a> {
    key: SummaryKey,
    output: WalkOutput<'a>,
    lexemes: SmallVec<[EntryRef; 4]>,
    uses: SmallIndexSet<SummaryKey>,
    /// Sets at which the rule completes and its callers were notified.
    exits: SmallVec<[ContinuationId; 4]>,
    /// Pending completions that are short lists; a return joins them.
    lists: SmallVec<[ContinuationId; 2]>,
    /// Semi-naive set of the exits; `None` while there are few.
    delta: Option<Box<SemiNaiveSet>>,
    pending: Vec<InnerId>,
    is_return_scheduled: bool,
    /// The callers: a GSS node, and the node of the network at which it continues.
    callers: SmallVec<[(usize, NetworkNodeId); 2]>,
    /// Pairs of network node and set that were processed.
    visited: Visited,
    /// Positions in items of `distinct!` that complete inside a token: the network node, the node after the
    /// item, and the set of trie nodes.
    distinct_reads: Vec<(NetworkNodeId, NetworkNodeId, ContinuationId)>,
    /// Nodes after such items at which other items may begin, with their sets.
    after_distinct: Vec<(AfterDistinct, ContinuationId)>,
}

#[derive(Clone, Copy)]
enum Descriptor {
    /// Process a node below a set; if `scans` is false, only its calls.
    Process { gss: usize, node: NetworkNodeId, continuation: ContinuationId, scans: bool },
    /// Process a node below the new trie nodes of many sets.
    ProcessDelta { gss: usize, node: NetworkNodeId, scans: bool },
    /// Notify the callers of the new trie nodes at which the rule completes.
    ReturnDelta(usize),
    /// Notify the callers of pending completions. It is below the descriptors that may add to them.
    Return(usize),
}

/// Buffers of a descent, reused from one to the next.
#[derive(Default)]
pub(crate) struct Buffers {
    calls: Vec<(NetworkNodeId, NetworkNodeId)>,
    /// Nodes of the network that scanning has entered, with the trie node.
    entered: Vec<(NetworkNodeId, InnerId)>,
    /// Nodes that scanning has reached and that are not entered yet.
    path: Vec<(InnerId, NetworkNodeId)>,
    /// Buffers for the output of later GSS nodes.
    lists: Vec<OutputBuffers>,
    pub(crate) total_builder: TotalBuilder,
}

/// The descriptor loop of GLL.
pub(crate) struct Descent<'a> {
    masks: &'a Masks,
    fuel: &'a Fuel<'a>,
    gss_nodes: SmallVec<[GssNode<'a>; 2]>,
    /// Position of each GSS node, once there are more than `GSS_INDEX_THRESHOLD`.
    index: FxHashMap<SummaryKey, usize>,
    descriptors: SmallVec<[Descriptor; 8]>,
    /// Descriptors that are processed when `descriptors` is empty.
    deferred: Vec<Descriptor>,
    /// GSS nodes whose callers are notified when all other descriptors are processed.
    deferred_returns: Vec<usize>,
    buffers: &'a mut Buffers,
    /// Number of trie nodes that scanning has visited.
    nodes: u64,
}

impl<'a> Descent<'a> {
    pub(crate) fn new(masks: &'a Masks, fuel: &'a Fuel<'a>, buffers: &'a mut Buffers) -> Self {
        // A descent that hit a limit leaves its entries here.
        buffers.entered.clear();
        Self {
            masks,
            fuel,
            gss_nodes: SmallVec::new(),
            index: FxHashMap::default(),
            descriptors: SmallVec::new(),
            deferred: Vec::new(),
            deferred_returns: Vec::new(),
            buffers,
            nodes: 0,
        }
    }

    /// Computes the summary of a node and of all rules that it calls, and stores them.
    ///
    /// Returns `false` if that is too much work.
    pub(crate) fn run(mut self, key: SummaryKey) -> Result<bool, Error> {
        let lexicon = &*self.masks.lexicon;
        let max_listed_nodes = lexicon.config().tuning.max_listed_nodes;
        self.add_gss_node(key);
        let mut work = 0;
        while let Some(task) = self.next_descriptor() {
            work += 1;
            charge(UNITS_PER_DESCRIPTOR)?;
            if work % STEPS_PER_FUEL_CHECK == 0 {
                self.fuel.consume(STEPS_PER_FUEL_CHECK as u64);
            }
            if work > MAX_DESCRIPTORS || self.fuel.is_exhausted() {
                self.masks.counters.add(self.cost());
                return Ok(false);
            }
            match task {
                Descriptor::Return(gss) => self.return_pending(gss)?,
                Descriptor::Process { gss, node, continuation, scans } => {
                    match self.gss_nodes[gss].visited.insert(self.fuel, node, continuation, scans) {
                        Propagation::Nothing => {}
                        Propagation::Now => self.process(gss, node, continuation, scans)?,
                        Propagation::Deferred => {
                            self.deferred.push(Descriptor::ProcessDelta { gss, node, scans });
                        }
                    }
                }
                Descriptor::ProcessDelta { gss, node, scans } => {
                    let rest = self.gss_nodes[gss].visited.rest(node, scans, max_listed_nodes);
                    let rest = lexicon.intern(rest.expect("a deferred visit has new trie nodes"));
                    self.process(gss, node, rest, scans)?;
                }
                Descriptor::ReturnDelta(gss) => {
                    let delta = self.gss_nodes[gss].delta.as_mut();
                    let rest = delta.and_then(|delta| delta.take(max_listed_nodes));
                    let rest = lexicon.intern(rest.expect("a deferred return has a node set"));
                    self.notify_all_callers(gss, rest)?;
                }
            }
        }
        self.masks.counters.add(self.cost());
        // Callees come later in the list, and are stored before their callers.
        while let Some(gss) = self.gss_nodes.pop() {
            let GssNode { key, output, lexemes, uses, exits, .. } = gss;
            let (tokens, lists) = output.finish_loose(MAX_LISTED_SCANS);
            if self.buffers.lists.len() < MAX_POOLED_BUFFERS && lists.capacity() <= MAX_POOLED_BUFFER_LEN {
                self.buffers.lists.push(lists);
            }
            let (tokens, large) = match tokens {
                Ok(tokens) => (tokens, TokenSet::empty()),
                Err(large) => (Box::default(), large),
            };
            let summary =
                Summary::new(tokens, large, lexemes[..].into(), uses.as_slice().into(), exits[..].into());
            self.masks.keep(key, Some(summary));
        }
        Ok(true)
    }

    /// Returns the next descriptor. Differences come last, when nothing else can add to them.
    fn next_descriptor(&mut self) -> Option<Descriptor> {
        self.descriptors
            .pop()
            .or_else(|| self.deferred.pop())
            .or_else(|| self.deferred_returns.pop().map(Descriptor::ReturnDelta))
    }

    /// Returns the work of this descent, including that of walks with states.
    fn cost(&self) -> WalkCost {
        let within = self.gss_nodes.iter().map(|gss| gss.output.cost);
        within.fold(WalkCost { walks: 1, nodes: self.nodes, taken: 0 }, |sum, more| WalkCost {
            walks: sum.walks + more.walks,
            nodes: sum.nodes + more.nodes,
            ..sum
        })
    }

    fn add_gss_node(&mut self, key: SummaryKey) -> usize {
        let number = self.gss_nodes.len();
        let lists = self.buffers.lists.pop().unwrap_or_default();
        self.gss_nodes.push(GssNode {
            key,
            output: WalkOutput::with_buffers(lists, self.masks.lexicon.context()),
            lexemes: SmallVec::new(),
            uses: SmallIndexSet::default(),
            exits: SmallVec::new(),
            lists: SmallVec::new(),
            delta: None,
            pending: Vec::new(),
            is_return_scheduled: false,
            callers: SmallVec::new(),
            visited: Visited::default(),
            distinct_reads: Vec::new(),
            after_distinct: Vec::new(),
        });
        if number >= GSS_INDEX_THRESHOLD {
            if number == GSS_INDEX_THRESHOLD {
                self.index.extend((0..).zip(&self.gss_nodes).map(|(number, known)| (known.key, number)));
            }
            self.index.insert(key, number);
        }
        self.descriptors.push(Descriptor::Process {
            gss: number,
            node: key.0,
            continuation: key.1,
            scans: true,
        });
        number
    }

    /// Returns the GSS node of a key, if there is one.
    fn find(&self, key: SummaryKey) -> Option<usize> {
        if self.index.is_empty() {
            self.gss_nodes.iter().position(|known| known.key == key)
        } else {
            self.index.get(&key).copied()
        }
    }

    /// Processes a node below a set of trie nodes, without a check whether it was processed before.
    fn process(
        &mut self,
        gss: usize,
        node: NetworkNodeId,
        continuation: ContinuationId,
        scans: bool,
    ) -> Result<(), Error> {
        let lexicon = &*self.masks.lexicon;
        let list = lexicon.continuation(continuation);
        let recognizer = &self.masks.recognizer;
        if let Some(after_distinct) = recognizer.inspect().after_distinct(node)? {
            return self.read_after_distinct(gss, after_distinct, continuation);
        }
        let mut calls = std::mem::take(&mut self.buffers.calls);
        calls.clear();
        recognizer.inspect().calls(node, &mut calls)?;
        // Results of lexemes are mostly known from other grammars. The callees of a permutation do not depend
        // on the items chosen before. Both are looked up separately.
        let is_apart = recognizer.inspect().is_permutation(node)
            || (recognizer.inspect().scans(node).is_empty()
                && calls.iter().all(|&(start, _)| recognizer.inspect().is_lexeme(start)));
        if !is_apart
            && !list.is_heavier(
                lexicon.trie(),
                lexicon.trie_index(),
                self.masks.config.tuning.max_state_walk_nodes,
            )
        {
            self.buffers.calls = calls;
            let set = recognizer.inspect().open_state(node)?;
            // A closure consumes fuel: if thousands of rules can begin with all others, their closures cost
            // more than a walk with the state.
            if !recognizer.inspect().has_closure(set) {
                self.fuel.consume(recognizer.scanners(set)?.len() as u64);
            }
            let this = &mut self.gss_nodes[gss];
            let fresh = this.output.walk_below(&self.masks.recognizer, set, list)?;
            lexicon.spend(fresh);
            let pending = this.pending.len();
            this.output.take_exits(&mut this.pending);
            if this.pending.len() > pending {
                self.schedule_return(gss);
            }
            return Ok(());
        }
        if scans {
            self.scan(gss, node, list);
        }
        if let Some(distinct) = recognizer.inspect().distinct(node)? {
            self.read(gss, node, continuation, distinct)?;
        }
        for (start, back) in calls.drain(..) {
            let bytes = list.first_bytes(lexicon.trie_index());
            if self.masks.recognizer.inspect().first_bytes(start)?.intersection(bytes).is_empty() {
                continue;
            }
            if self.masks.recognizer.inspect().is_lexeme(start) {
                let (key, exit) =
                    self.masks.lexeme_entry(start, continuation, Want::TokensAndExits, self.fuel)?;
                self.gss_nodes[gss].lexemes.push(key);
                if let Some(exit) = exit {
                    self.enter(gss, back, exit)?;
                }
                continue;
            }
            self.call(gss, (start, continuation), back)?;
        }
        self.buffers.calls = calls;
        Ok(())
    }

    /// Calls a rule; its callers continue at `back` when it completes.
    fn call(&mut self, gss: usize, key: SummaryKey, back: NetworkNodeId) -> Result<(), Error> {
        self.gss_nodes[gss].uses.insert(key);
        if let Some(Some(known)) = self.masks.summaries.get(&key) {
            for &exit in &known.exits {
                self.enter(gss, back, exit)?;
            }
            return Ok(());
        }
        let callee = match self.find(key) {
            Some(callee) => callee,
            None => {
                let callee = self.add_gss_node(key);
                // `Return` is below `Process` on the stack, so it runs when the callee has done all that it
                // can alone.
                let visit = self.descriptors.pop();
                self.descriptors.push(Descriptor::Return(callee));
                self.descriptors.extend(visit);
                self.gss_nodes[callee].is_return_scheduled = true;
                callee
            }
        };
        self.gss_nodes[callee].callers.push((gss, back));
        for position in 0..self.gss_nodes[callee].exits.len() {
            let exit = self.gss_nodes[callee].exits[position];
            self.enter(gss, back, exit)?;
        }
        Ok(())
    }

    /// Enters a node of the network at a set of trie nodes.
    fn enter(&mut self, gss: usize, node: NetworkNodeId, continuation: ContinuationId) -> Result<(), Error> {
        let NodeFlags { is_final, goes_on } = self.masks.recognizer.inspect().flags(node);
        if is_final {
            self.complete(gss, continuation)?;
        }
        if goes_on {
            let lexicon = &*self.masks.lexicon;
            let bytes = lexicon.continuation(continuation).first_bytes(lexicon.trie_index());
            if !self.masks.recognizer.inspect().first_bytes(node)?.intersection(bytes).is_empty() {
                self.descriptors.push(Descriptor::Process { gss, node, continuation, scans: true });
            }
        }
        Ok(())
    }

    /// Completes the rule at a set of trie nodes. Sets stored as bits are not joined: they come from lexemes,
    /// and are equal in every context.
    fn complete(&mut self, gss: usize, continuation: ContinuationId) -> Result<(), Error> {
        match self.masks.lexicon.continuation(continuation).set() {
            NodeSet::List(_) => {
                self.gss_nodes[gss].lists.push(continuation);
                self.schedule_return(gss);
                Ok(())
            }
            NodeSet::Bits(_) => self.notify_callers(gss, continuation),
        }
    }

    fn schedule_return(&mut self, gss: usize) {
        let due = &mut self.gss_nodes[gss].is_return_scheduled;
        if !*due {
            *due = true;
            self.descriptors.push(Descriptor::Return(gss));
        }
    }

    fn return_pending(&mut self, gss: usize) -> Result<(), Error> {
        let lexicon = &*self.masks.lexicon;
        let this = &mut self.gss_nodes[gss];
        this.is_return_scheduled = false;
        let mut pending = std::mem::take(&mut this.pending);
        let mut lists = std::mem::take(&mut this.lists);
        lists.sort_unstable();
        lists.dedup();
        // A rule that only calls another one passes the callee's set on unchanged.
        if let (&[list], true) = (&lists[..], pending.is_empty()) {
            return self.notify_callers(gss, list);
        }
        for &list in &lists {
            match lexicon.continuation(list).set() {
                NodeSet::List(node_set) => pending.extend_from_slice(node_set),
                node_set => pending.extend(node_set.iter()),
            }
        }
        let max_listed_nodes = lexicon.config().tuning.max_listed_nodes;
        match NodeSet::gather(lexicon.trie_index(), max_listed_nodes, None, pending, &[], &[]) {
            Some(node_set) => self.notify_callers(gss, lexicon.intern(node_set)),
            None => Ok(()),
        }
    }

    /// Notifies the callers that the rule completes at a set; later, if they were notified often.
    fn notify_callers(&mut self, gss: usize, continuation: ContinuationId) -> Result<(), Error> {
        let lexicon = &*self.masks.lexicon;
        let continuations = lexicon.continuations();
        let this = &mut self.gss_nodes[gss];
        if this.delta.is_none() {
            if this.exits.iter().any(|&larger| continuations.contains(larger, continuation)) {
                return Ok(());
            }
            this.delta =
                SemiNaiveSet::if_due(lexicon, this.exits.iter().copied(), continuation).map(Box::new);
        }
        let Some(delta) = &mut this.delta else { return self.notify_all_callers(gss, continuation) };
        if delta.add(self.fuel, lexicon.continuation(continuation).set()) == Propagation::Deferred {
            self.deferred_returns.push(gss);
        }
        Ok(())
    }

    /// Continues all callers at a set.
    fn notify_all_callers(&mut self, gss: usize, continuation: ContinuationId) -> Result<(), Error> {
        self.gss_nodes[gss].exits.push(continuation);
        for position in 0..self.gss_nodes[gss].callers.len() {
            let (caller, back) = self.gss_nodes[gss].callers[position];
            self.enter(caller, back, continuation)?;
        }
        Ok(())
    }

    /// Follows the bytes that a node scans, and transitively those that its successors scan.
    fn scan(&mut self, gss: usize, node: NetworkNodeId, list: &Continuation) {
        let (recognizer, lexicon) = (&self.masks.recognizer, &*self.masks.lexicon);
        let scans = recognizer.inspect().scans(node);
        if scans.is_empty() {
            return;
        }
        let (trie, trie_index) = (lexicon.trie(), lexicon.trie_index());
        let network = recognizer.network();
        let mut path = std::mem::take(&mut self.buffers.path);
        path.clear();
        match list.set() {
            NodeSet::List(list) if list.len() <= MAX_ROOTS_FOLLOWED_SINGLY => {
                for &root in list {
                    self.follow(gss, root, node, &mut path);
                    self.follow_path(gss, &mut path);
                }
            }
            _ => {
                let first_bytes = list.first_bytes(trie_index);
                for &(class, target) in scans {
                    let Some(bytes) = network.class_bytes.get(class.index()) else { continue };
                    for byte in bytes.intersection(first_bytes).iter() {
                        let (reached, fresh) = list.reached(trie, trie_index, byte);
                        lexicon.spend(fresh);
                        let Some(reached) = reached else { continue };
                        self.nodes += reached.nodes as u64;
                        count(reached.nodes as u64);
                        self.enter_all(gss, reached, target, &mut path);
                    }
                }
                path.reverse();
                self.follow_path(gss, &mut path);
            }
        }
        self.buffers.path = path;
        let mut entered = std::mem::take(&mut self.buffers.entered);
        entered.sort_unstable();
        entered.dedup();
        let mut inner_nodes = Vec::new();
        for here in entered.chunk_by(|(node, _), (other, _)| node == other) {
            let node = here[0].0;
            inner_nodes.clear();
            inner_nodes.extend(here.iter().map(|&(_, inner)| inner));
            let node_set =
                NodeSet::of_list(trie_index, lexicon.config().tuning.max_listed_nodes, &inner_nodes);
            let continuation = lexicon.intern(node_set);
            self.descriptors.push(Descriptor::Process { gss, node, continuation, scans: false });
        }
        if entered.capacity() <= MAX_POOLED_BUFFER_LEN {
            entered.clear();
            self.buffers.entered = entered;
        }
    }

    /// Enters all nodes of the path, the last one first, and follows the bytes that they scan.
    fn follow_path(&mut self, gss: usize, path: &mut Vec<(InnerId, NetworkNodeId)>) {
        while let Some((inner, node)) = path.pop() {
            let known = self.masks.recognizer.network().node(node);
            if known.is_final {
                self.gss_nodes[gss].pending.push(inner);
                self.schedule_return(gss);
            }
            if !known.calls.is_empty() {
                self.buffers.entered.push((node, inner));
            }
            count(UNITS_PER_SCAN);
            self.follow(gss, inner, node, path);
        }
    }

    /// Follows the bytes that a node scans from a trie node by one step, and appends the results to the path.
    fn follow(
        &mut self,
        gss: usize,
        inner: InnerId,
        node: NetworkNodeId,
        path: &mut Vec<(InnerId, NetworkNodeId)>,
    ) {
        let recognizer = &self.masks.recognizer;
        let (scanned, scans) = (recognizer.inspect().scanned_bytes(node), recognizer.inspect().scans(node));
        if scans.is_empty() {
            return;
        }
        let (network, trie_index) = (recognizer.network(), self.masks.lexicon.trie_index());
        let before = path.len();
        let output = &mut self.gss_nodes[gss].output;
        let mut reach = |child: &Child| {
            let class = network.class_of(child.byte);
            if let Ok(found) = scans.binary_search_by_key(&class, |&(class, _)| class) {
                output.allow_child(child);
                path.extend(child.inner().map(|inner| (inner, scans[found].1)));
            }
        };
        let children = trie_index.children(inner);
        if children.len() <= MAX_CHILDREN_SCANNED {
            self.nodes += children.len() as u64;
            children.iter().filter(|child| scanned.contains(child.byte)).for_each(reach);
        } else {
            for byte in scanned.iter() {
                self.nodes += 1;
                trie_index.child(inner, byte).into_iter().for_each(&mut reach);
            }
        }
        path[before..].reverse();
    }

    /// Enters a node of the network at all trie nodes of a set of children.
    fn enter_all(
        &mut self,
        gss: usize,
        at: &NodesByByte,
        node: NetworkNodeId,
        path: &mut Vec<(InnerId, NetworkNodeId)>,
    ) {
        self.gss_nodes[gss].output.allow_ranges(&at.tokens);
        if at.inner_nodes.len() <= MAX_ROOTS_FOLLOWED_SINGLY {
            path.extend(at.inner_nodes.iter().map(|&inner| (inner, node)));
            return;
        }
        let (lexicon, network) = (&*self.masks.lexicon, self.masks.recognizer.network());
        let known = network.node(node);
        if known.is_final {
            self.gss_nodes[gss].pending.extend_from_slice(&at.inner_nodes);
            self.schedule_return(gss);
        }
        // A larger set is interned once, and processed as a whole.
        if known.goes_on() {
            let (trie_index, max_listed_nodes) =
                (lexicon.trie_index(), lexicon.config().tuning.max_listed_nodes);
            let intern = |inner_nodes: &[InnerId]| {
                lexicon.intern(NodeSet::of_list(trie_index, max_listed_nodes, inner_nodes))
            };
            let continuation = at.number(intern);
            self.descriptors.push(Descriptor::Process { gss, node, continuation, scans: true });
        }
    }
}

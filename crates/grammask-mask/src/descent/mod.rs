//! Finding parts: the rules of a grammar run over places in the trie, many at once.
//!
//! This is recursive descent without recursion: what is called below the same places is run once, whoever calls it, and tells
//! all of its callers where it is complete. So rules that call themselves at once, on the left or in a circle, need nothing special.

use grammask_earley::{AfterDistinct, Error, NetworkNodeId, NodeFlags};
use grammask_trie::TokenSet;
use grammask_trie::index::{Child, InnerId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::Masks;
use crate::descent::small_set::Seen;
use crate::descent::summary::{LexemeKey, Part, PartKey};
use crate::descent::total::{Gathering, MANY_MORE};
use crate::lexicon::walk::output::{Asked, Findings, Lists};
use crate::masks::budget::Fuel;
use crate::masks::stats::Distance;
use crate::node_set::Places;
use crate::node_set::children::Reached;
use crate::node_set::interned::{Continuation, ContinuationId};
use crate::node_set::semi_naive::{Delta, Telling};

pub(crate) mod completions;
mod distinct;
pub(crate) mod permutation;
mod small_set;
pub(crate) mod summary;
pub(crate) mod total;
mod visited;

pub(crate) use distinct::Behind;
use visited::Visited;

/// A run of more steps than this is given up: the grammar is so ambiguous that walking the trie once is less work.
const MUCH_WORK: usize = 1 << 14;

/// So many steps burn as many nodes, whatever they were: sets of places that they keep are noticed then.
const SEVERAL: usize = 64;

/// So many activations are looked up.
const SOME: usize = 12;

/// Below so few places what is scanned is followed from each; below more, what they have by a byte is kept with them.
const FEW: usize = 8;

/// So many lists are kept for later runs, and none that is longer than this: what is kept counts in no budget.
const SPARE: usize = 64;
const LONG: usize = 1 << 10;

/// Of so few children of a place all are looked at; of more, those by bytes that are scanned are looked up.
const FEW_CHILDREN: usize = 16;

/// A node below some places, while it is run.
struct Activation<'a> {
    key: PartKey,
    findings: Findings<'a>,
    lexemes: SmallVec<[LexemeKey; 4]>,
    uses: Seen<PartKey>,
    /// Where the rule is complete, as far as callers have been told.
    exits: SmallVec<[ContinuationId; 4]>,
    /// Where else it is complete, which is told all at once: short lists that have a number, and single places.
    lists: SmallVec<[ContinuationId; 2]>,
    /// Once callers have been told often: of what comes then, they are told what is new.
    delta: Option<Box<Delta>>,
    pending: Vec<InnerId>,
    is_flush_due: bool,
    /// Who is told, and where it goes on then.
    waiting: SmallVec<[(usize, NetworkNodeId); 2]>,
    /// What has been run in it.
    visited: Visited,
    /// Places in items of `distinct!` that are complete below some places: what stands for the places behind them, and where they are run.
    readings: Vec<(NetworkNodeId, NetworkNodeId, ContinuationId)>,
    /// Where others may come behind them, below which places.
    behind: Vec<(AfterDistinct, ContinuationId)>,
}

#[derive(Clone, Copy)]
enum Task {
    /// Run a node of an activation below some places; perhaps only its calls, where what it scans has been followed before.
    Visit { activation: usize, node: NetworkNodeId, continuation: ContinuationId, scans: bool },
    /// Run a node where many visits of it have been new.
    VisitRest { activation: usize, node: NetworkNodeId, scans: bool },
    /// Tell the callers what is new in all that they have not been told.
    TellRest(usize),
    /// Tell the callers what is pending. It stands below the tasks that may add to that.
    Flush(usize),
}

/// What a run writes to on its way, kept from one to the next.
#[derive(Default)]
pub(crate) struct Buffers {
    calls: Vec<(NetworkNodeId, NetworkNodeId)>,
    /// Nodes that have been reached by scanning, and where.
    arrived: Vec<(NetworkNodeId, InnerId)>,
    /// Places that have been reached by scanning, and the nodes there, at which nobody has arrived yet.
    path: Vec<(InnerId, NetworkNodeId)>,
    /// For the findings of activations to come.
    lists: Vec<Lists>,
    pub(crate) gathering: Gathering,
}

/// Source: E. Scott and A. Johnstone, "GLL Parsing", 2010, with sets of places instead of single positions.
pub(crate) struct Run<'a> {
    masks: &'a Masks,
    fuel: &'a Fuel<'a>,
    activations: SmallVec<[Activation<'a>; 2]>,
    /// The number of each activation, once there are more than some: few are looked through faster.
    numbers: FxHashMap<PartKey, usize>,
    tasks: SmallVec<[Task; 8]>,
    /// Visits that come when all tasks are done.
    later: Vec<Task>,
    /// Activations whose callers are still to be told, when all nodes have been visited.
    untold: Vec<usize>,
    buffers: &'a mut Buffers,
    /// Nodes of the trie that were looked at while scanning.
    nodes: u64,
}

impl<'a> Run<'a> {
    pub(crate) fn new(masks: &'a Masks, fuel: &'a Fuel<'a>, buffers: &'a mut Buffers) -> Self {
        // A run that hits a limit leaves something.
        buffers.arrived.clear();
        Self {
            masks,
            fuel,
            activations: SmallVec::new(),
            numbers: FxHashMap::default(),
            tasks: SmallVec::new(),
            later: Vec::new(),
            untold: Vec::new(),
            buffers,
            nodes: 0,
        }
    }

    /// Finds the part of a node, and those of all that is called by it, as far as they were not known, and keeps them. Says whether it has
    /// done so: not where that is too much work.
    pub(crate) fn run(mut self, key: PartKey) -> Result<bool, Error> {
        let lexicon = &*self.masks.lexicon;
        let short = lexicon.config().short_list;
        self.activate(key);
        let mut work = 0;
        while let Some(task) = self.next_task() {
            work += 1;
            if work % SEVERAL == 0 {
                self.fuel.burn(SEVERAL as u64);
            }
            if work > MUCH_WORK || self.fuel.is_burnt() {
                self.masks.walked.add(self.distance());
                return Ok(false);
            }
            match task {
                Task::Flush(activation) => self.flush(activation)?,
                Task::Visit { activation, node, continuation, scans } => {
                    match self.activations[activation].visited.insert(self.fuel, node, continuation, scans) {
                        Telling::Known => {}
                        Telling::Now => self.visit(activation, node, continuation, scans)?,
                        Telling::Later => self.later.push(Task::VisitRest { activation, node, scans }),
                    }
                }
                Task::VisitRest { activation, node, scans } => {
                    let rest = self.activations[activation].visited.rest(node, scans, short);
                    let rest = lexicon.intern(rest.expect("a visit is later where some places are new"));
                    self.visit(activation, node, rest, scans)?;
                }
                Task::TellRest(activation) => {
                    let delta = self.activations[activation].delta.as_mut();
                    let rest = delta.and_then(|delta| delta.take(short));
                    let rest = lexicon.intern(rest.expect("who is untold has something to tell"));
                    self.tell_all(activation, rest)?;
                }
            }
        }
        self.masks.walked.add(self.distance());
        // What is used comes later in the list, and should be there first.
        while let Some(activation) = self.activations.pop() {
            let Activation { key, findings, lexemes, uses, exits, .. } = activation;
            let (tokens, lists) = findings.finish_loose(MANY_MORE);
            if self.buffers.lists.len() < SPARE && lists.capacity() <= LONG {
                self.buffers.lists.push(lists);
            }
            let (tokens, large) = match tokens {
                Ok(tokens) => (tokens, TokenSet::empty()),
                Err(large) => (Box::default(), large),
            };
            let part = Part::new(tokens, large, lexemes[..].into(), uses.as_slice().into(), exits[..].into());
            self.masks.keep(key, Some(part));
        }
        Ok(true)
    }

    /// What is new in many visits comes when nothing else may add to it, and is told after that.
    fn next_task(&mut self) -> Option<Task> {
        self.tasks.pop().or_else(|| self.later.pop()).or_else(|| self.untold.pop().map(Task::TellRest))
    }

    /// One walk, and those of sets that were walked as they are.
    fn distance(&self) -> Distance {
        let within = self.activations.iter().map(|activation| activation.findings.distance);
        within.fold(Distance { walks: 1, nodes: self.nodes, taken: 0 }, |sum, more| Distance {
            walks: sum.walks + more.walks,
            nodes: sum.nodes + more.nodes,
            ..sum
        })
    }

    fn activate(&mut self, key: PartKey) -> usize {
        let number = self.activations.len();
        let lists = self.buffers.lists.pop().unwrap_or_default();
        self.activations.push(Activation {
            key,
            findings: Findings::with(lists, self.masks.lexicon.ground()),
            lexemes: SmallVec::new(),
            uses: Seen::default(),
            exits: SmallVec::new(),
            lists: SmallVec::new(),
            delta: None,
            pending: Vec::new(),
            is_flush_due: false,
            waiting: SmallVec::new(),
            visited: Visited::default(),
            readings: Vec::new(),
            behind: Vec::new(),
        });
        if number >= SOME {
            if number == SOME {
                self.numbers.extend((0..).zip(&self.activations).map(|(number, known)| (known.key, number)));
            }
            self.numbers.insert(key, number);
        }
        self.tasks.push(Task::Visit { activation: number, node: key.0, continuation: key.1, scans: true });
        number
    }

    /// The activation of a node below some places, if there is one.
    fn number(&self, key: PartKey) -> Option<usize> {
        match self.numbers.is_empty() {
            true => self.activations.iter().position(|known| known.key == key),
            false => self.numbers.get(&key).copied(),
        }
    }

    /// Runs a node below places where it has not been run.
    fn visit(
        &mut self,
        activation: usize,
        node: NetworkNodeId,
        continuation: ContinuationId,
        scans: bool,
    ) -> Result<(), Error> {
        let lexicon = &*self.masks.lexicon;
        let list = lexicon.continuation(continuation);
        let recognizer = &self.masks.recognizer;
        if let Some(others) = recognizer.inspect().after_distinct(node)? {
            return self.read_others(activation, others, continuation);
        }
        let mut calls = std::mem::take(&mut self.buffers.calls);
        calls.clear();
        recognizer.inspect().calls(node, &mut calls)?;
        // What lexemes take is mostly known from other grammars; and what a selection calls is the same whatever has been chosen before. Both
        // are better looked for apart.
        let is_apart = recognizer.inspect().is_permutation(node)
            || (recognizer.inspect().scans(node).is_empty()
                && calls.iter().all(|&(start, _)| recognizer.inspect().is_lexeme(start)));
        if !is_apart && !list.is_heavier(lexicon.trie(), lexicon.outline(), self.masks.config.light) {
            self.buffers.calls = calls;
            let set = recognizer.inspect().open_state(node)?;
            // Where each of thousands of rules may begin with all others, closing a set for each is more than walking the state as it is.
            if !recognizer.inspect().has_closure(set) {
                self.fuel.burn(recognizer.scanners(set)?.len() as u64);
            }
            let this = &mut self.activations[activation];
            let fresh = this.findings.walk_below(&self.masks.recognizer, set, list)?;
            lexicon.spend(fresh);
            let pending = this.pending.len();
            this.findings.take_handovers(&mut this.pending);
            if this.pending.len() > pending {
                self.flush_later(activation);
            }
            return Ok(());
        }
        if scans {
            self.scan(activation, node, list);
        }
        if let Some(distinct) = recognizer.inspect().distinct(node)? {
            self.read(activation, (node, continuation), distinct)?;
        }
        for (start, back) in calls.drain(..) {
            let bytes = list.first_bytes(lexicon.outline());
            if self.masks.recognizer.inspect().first_bytes(start)?.intersection(bytes).is_empty() {
                continue;
            }
            if self.masks.recognizer.inspect().is_lexeme(start) {
                let (key, handover) =
                    self.masks.lexeme_part(start, continuation, Asked::Places, self.fuel)?;
                self.activations[activation].lexemes.push(key);
                if let Some(handover) = handover {
                    self.arrive(activation, back, handover)?;
                }
                continue;
            }
            self.call(activation, (start, continuation), back)?;
        }
        self.buffers.calls = calls;
        Ok(())
    }

    /// Calls a rule, whose callers go on at `back` when it is complete.
    fn call(&mut self, activation: usize, key: PartKey, back: NetworkNodeId) -> Result<(), Error> {
        self.activations[activation].uses.insert(key);
        if let Some(Some(known)) = self.masks.parts.get(&key) {
            for &exit in &known.handovers {
                self.arrive(activation, back, exit)?;
            }
            return Ok(());
        }
        let callee = match self.number(key) {
            Some(callee) => callee,
            None => {
                let callee = self.activate(key);
                // The flush stands below the visit, so it comes when the callee has done all that it can alone.
                let visit = self.tasks.pop();
                self.tasks.push(Task::Flush(callee));
                self.tasks.extend(visit);
                self.activations[callee].is_flush_due = true;
                callee
            }
        };
        self.activations[callee].waiting.push((activation, back));
        for place in 0..self.activations[callee].exits.len() {
            let exit = self.activations[callee].exits[place];
            self.arrive(activation, back, exit)?;
        }
        Ok(())
    }

    /// An activation has come to a node, at these places.
    fn arrive(
        &mut self,
        activation: usize,
        node: NetworkNodeId,
        continuation: ContinuationId,
    ) -> Result<(), Error> {
        let NodeFlags { is_final, goes_on } = self.masks.recognizer.inspect().flags(node);
        if is_final {
            self.exit(activation, continuation)?;
        }
        if goes_on {
            let lexicon = &*self.masks.lexicon;
            let bytes = lexicon.continuation(continuation).first_bytes(lexicon.outline());
            if !self.masks.recognizer.inspect().first_bytes(node)?.intersection(bytes).is_empty() {
                self.tasks.push(Task::Visit { activation, node, continuation, scans: true });
            }
        }
        Ok(())
    }

    /// The rule is complete at these places. Long lists stay apart, as they come from lexemes and are the same in every context.
    fn exit(&mut self, activation: usize, continuation: ContinuationId) -> Result<(), Error> {
        match self.masks.lexicon.continuation(continuation).places() {
            Places::List(_) => {
                self.activations[activation].lists.push(continuation);
                self.flush_later(activation);
                Ok(())
            }
            Places::Bits(_) => self.tell(activation, continuation),
        }
    }

    fn flush_later(&mut self, activation: usize) {
        let due = &mut self.activations[activation].is_flush_due;
        if !*due {
            *due = true;
            self.tasks.push(Task::Flush(activation));
        }
    }

    fn flush(&mut self, activation: usize) -> Result<(), Error> {
        let lexicon = &*self.masks.lexicon;
        let this = &mut self.activations[activation];
        this.is_flush_due = false;
        let mut pending = std::mem::take(&mut this.pending);
        let mut lists = std::mem::take(&mut this.lists);
        lists.sort_unstable();
        lists.dedup();
        // What comes from a rule that does nothing but call another one is told on as it is.
        if let (&[list], true) = (&lists[..], pending.is_empty()) {
            return self.tell(activation, list);
        }
        for &list in &lists {
            match lexicon.continuation(list).places() {
                Places::List(places) => pending.extend_from_slice(places),
                places => pending.extend(places.iter()),
            }
        }
        let short = lexicon.config().short_list;
        match Places::gather(lexicon.outline(), short, None, pending, &[], &[]) {
            Some(places) => self.tell(activation, lexicon.intern(places)),
            None => Ok(()),
        }
    }

    /// Tells the callers where the rule is complete; later, where they have been told often.
    fn tell(&mut self, activation: usize, continuation: ContinuationId) -> Result<(), Error> {
        let lexicon = &*self.masks.lexicon;
        let continuations = lexicon.continuations();
        let this = &mut self.activations[activation];
        if this.delta.is_none() {
            if this.exits.iter().any(|&larger| continuations.contains(larger, continuation)) {
                return Ok(());
            }
            this.delta = Delta::if_due(lexicon, this.exits.iter().copied(), continuation).map(Box::new);
        }
        let Some(delta) = &mut this.delta else { return self.tell_all(activation, continuation) };
        if delta.add(self.fuel, lexicon.continuation(continuation).places()) == Telling::Later {
            self.untold.push(activation);
        }
        Ok(())
    }

    /// All callers go on at these places.
    fn tell_all(&mut self, activation: usize, continuation: ContinuationId) -> Result<(), Error> {
        self.activations[activation].exits.push(continuation);
        for place in 0..self.activations[activation].waiting.len() {
            let (caller, back) = self.activations[activation].waiting[place];
            self.arrive(caller, back, continuation)?;
        }
        Ok(())
    }

    /// Follows what a node scans, and what follows by scanning.
    fn scan(&mut self, activation: usize, node: NetworkNodeId, list: &Continuation) {
        let (recognizer, lexicon) = (&self.masks.recognizer, &*self.masks.lexicon);
        let scans = recognizer.inspect().scans(node);
        if scans.is_empty() {
            return;
        }
        let (trie, outline) = (lexicon.trie(), lexicon.outline());
        let network = recognizer.network();
        let mut path = std::mem::take(&mut self.buffers.path);
        path.clear();
        match list.places() {
            Places::List(list) if list.len() <= FEW => {
                for &place in list {
                    self.follow(activation, (place, node), &mut path);
                    self.follow_path(activation, &mut path);
                }
            }
            _ => {
                let first_bytes = list.first_bytes(outline);
                for &(class, target) in scans {
                    let Some(bytes) = network.class_bytes.get(class.index()) else { continue };
                    for byte in bytes.intersection(first_bytes).iter() {
                        let (reached, fresh) = list.reached(trie, outline, byte);
                        lexicon.spend(fresh);
                        let Some(reached) = reached else { continue };
                        self.nodes += reached.nodes as u64;
                        self.reach_all(activation, reached, target, &mut path);
                    }
                }
                path.reverse();
                self.follow_path(activation, &mut path);
            }
        }
        self.buffers.path = path;
        let mut arrived = std::mem::take(&mut self.buffers.arrived);
        arrived.sort_unstable();
        arrived.dedup();
        let mut branches = Vec::new();
        for here in arrived.chunk_by(|(node, _), (other, _)| node == other) {
            let node = here[0].0;
            branches.clear();
            branches.extend(here.iter().map(|&(_, branch)| branch));
            let places = Places::of_list(outline, lexicon.config().short_list, &branches);
            let continuation = lexicon.intern(places);
            self.tasks.push(Task::Visit { activation, node, continuation, scans: false });
        }
        if arrived.capacity() <= LONG {
            arrived.clear();
            self.buffers.arrived = arrived;
        }
    }

    /// Arrives at everything on the path, the last first, and follows what is scanned from there.
    fn follow_path(&mut self, activation: usize, path: &mut Vec<(InnerId, NetworkNodeId)>) {
        while let Some((place, node)) = path.pop() {
            let known = self.masks.recognizer.network().node(node);
            if known.is_final {
                self.activations[activation].pending.push(place);
                self.flush_later(activation);
            }
            if !known.calls.is_empty() {
                self.buffers.arrived.push((node, place));
            }
            self.follow(activation, (place, node), path);
        }
    }

    /// Follows what a node scans from a place, one step: what that leads to comes to the end of the path, the first place last.
    fn follow(
        &mut self,
        activation: usize,
        (place, node): (InnerId, NetworkNodeId),
        path: &mut Vec<(InnerId, NetworkNodeId)>,
    ) {
        let recognizer = &self.masks.recognizer;
        let (scanned, scans) = (recognizer.inspect().scanned_bytes(node), recognizer.inspect().scans(node));
        if scans.is_empty() {
            return;
        }
        let (network, outline) = (recognizer.network(), self.masks.lexicon.outline());
        let before = path.len();
        let findings = &mut self.activations[activation].findings;
        let mut reach = |child: &Child| {
            let class = network.class_of(child.byte);
            if let Ok(found) = scans.binary_search_by_key(&class, |&(class, _)| class) {
                findings.allow_child(child);
                path.extend(child.inner().map(|branch| (branch, scans[found].1)));
            }
        };
        let children = outline.children(place);
        if children.len() <= FEW_CHILDREN {
            self.nodes += children.len() as u64;
            children.iter().filter(|child| scanned.contains(child.byte)).for_each(reach);
        } else {
            for byte in scanned.iter() {
                self.nodes += 1;
                outline.child(place, byte).into_iter().for_each(&mut reach);
            }
        }
        path[before..].reverse();
    }

    /// A node of the grammar has been reached at all of these nodes of the trie, by scanning.
    fn reach_all(
        &mut self,
        activation: usize,
        at: &Reached,
        node: NetworkNodeId,
        path: &mut Vec<(InnerId, NetworkNodeId)>,
    ) {
        self.activations[activation].findings.allow_ranges(&at.tokens);
        if at.branches.len() <= FEW {
            path.extend(at.branches.iter().map(|&branch| (branch, node)));
            return;
        }
        let (lexicon, network) = (&*self.masks.lexicon, self.masks.recognizer.network());
        let known = network.node(node);
        if known.is_final {
            self.activations[activation].pending.extend_from_slice(&at.branches);
            self.flush_later(activation);
        }
        // Many places are kept together, with a number that is known the next time.
        if known.goes_on() {
            let (outline, short) = (lexicon.outline(), lexicon.config().short_list);
            let intern = |branches: &[InnerId]| lexicon.intern(Places::of_list(outline, short, branches));
            let continuation = at.number(intern);
            self.tasks.push(Task::Visit { activation, node, continuation, scans: true });
        }
    }
}

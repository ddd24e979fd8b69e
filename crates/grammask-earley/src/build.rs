//! Normal form to network: one automaton for every nonterminal, with those inlined that are called from one
//! place, direct left recursion as a loop, common prefixes and equal ends shared. What is one place, `call_sites.rs` says before the automata
//! are made, and `inline.rs` after; right recursion becomes a loop then, too.

use std::collections::VecDeque;

use grammask_normal::{Languages, NonterminalId, NormalForm, Symbol, Terminal, TerminalId, Text};
use grammask_regular::{ByteClasses, ByteSet, RegularId, Store};
use rustc_hash::FxHashMap;

use crate::build::automaton::{Determinizer, Fragment, Label};
use crate::build::call_sites::{Places, Placing, shared_prefix};
use crate::build::dfa_arena::{Automata, AutomatonId};
use crate::build::inline::{Inlining, Part};
use crate::build::node_builder::Drafts;
use crate::network::{Edges, LexemeText, lexemes, scanned};
use crate::{BuildError, Callee, CalleeId, Class, Config, Error, Network, NetworkNodeId, Node, Special};

mod automaton;
mod call_sites;
mod dfa_arena;
mod inline;
mod list_interner;
mod node_builder;
mod tail_recursion;
mod text_loops;

/// Texts of up to this many bytes are chains of nodes; longer ones are called as lexemes.
const LONGEST_CHAIN: usize = 64;

/// In an automaton, so many loops may become texts; and in all of them, so many may be tried that do not.
const MOST_TEXT_LOOPS: usize = 16;
const MOST_TRIES: usize = 256;

/// Of so many terminals or more, the store has the space for all languages from the beginning, which are so many for each: else they would be moved
/// time and again to where there is room, and whoever cancels it waits for that.
const MANY_TERMINALS: usize = 1 << 12;
const PER_TERMINAL: usize = 8;

impl Network {
    /// Special tokens that fit behind the classes of bytes.
    pub(crate) const MAX_SPECIALS: usize = 1 << 15;

    /// Compiles a normal form. `store` is where its terminals have been, or will be, lowered.
    ///
    /// # Errors
    /// When the network would exceed `max_nodes`, or a terminal a limit of its own.
    ///
    /// # Complexity
    /// Linear in the size of the normal form; where an automaton cannot be made deterministic in linear size, the
    /// nonterminal keeps its productions as they are.
    ///
    /// ```
    /// use grammask_earley::{Config, Network};
    /// use grammask_regular::Store;
    ///
    /// let ast = grammask_syntax::parse("start ::= '(' start ')' | 'x';", &Default::default()).unwrap();
    /// let mut store = Store::new(&Default::default());
    /// let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    /// let network = Network::build(&normal, store, &Config::default()).unwrap();
    /// assert_eq!(network.check(), Ok(()));
    /// ```
    pub fn build(normal: &NormalForm, store: Store, config: &Config) -> Result<Self, BuildError> {
        Self::build_with(normal.clone(), Languages::new(normal), store, config)
    }

    /// The same for a normal form that nobody needs any more, and of whose terminals some languages in `store` are known.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with(
        normal: NormalForm,
        languages: Languages,
        store: Store,
        config: &Config,
    ) -> Result<Self, BuildError> {
        Ok(Self::build_unless(normal, languages, store, config, || false)?.expect("nobody stops it"))
    }

    /// As [`build_with`](Self::build_with), unless somebody who is asked all the time says to stop: nothing then.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_unless(
        mut normal: NormalForm,
        languages: Languages,
        mut store: Store,
        config: &Config,
        mut is_stopped: impl FnMut() -> bool,
    ) -> Result<Option<Self>, BuildError> {
        if normal.terminals.len() >= MANY_TERMINALS {
            store.reserve_address_space(normal.terminals.len() * PER_TERMINAL);
        }
        call_sites::sort(&mut normal);
        if is_stopped() {
            return Ok(None);
        }
        let places = Places::new(&normal);
        if is_stopped() {
            return Ok(None);
        }
        let names = normal.nonterminals.iter_mut().map(|nonterminal| std::mem::take(&mut nonterminal.name));
        let mut builder = Builder {
            names: names.collect(),
            normal: &normal,
            config,
            store,
            places,
            callees: Vec::new(),
            nonterminals: vec![None; normal.nonterminals.len()],
            callee_ids: FxHashMap::default(),
            pending: VecDeque::new(),
            lexemes: vec![None; normal.terminals.len()],
            specials: Vec::new(),
            parts: Vec::new(),
            automata: Automata::new(),
            nodes: Drafts::new(config.max_nodes),
            fragment: Fragment::new(),
            work: Vec::new(),
            put_in: Vec::new(),
            shared: FxHashMap::default(),
            path: Vec::new(),
            determinizer: Determinizer::new(),
            languages,
            at: normal.start,
        };
        match builder.fill(&mut is_stopped) {
            Ok(Some(start)) => {
                let network = builder.finish(start, &mut is_stopped);
                Ok(network.map(|network| Self { terminals: normal.terminals, ..network }))
            }
            Ok(None) => Ok(None),
            Err(cause) => Err(BuildError { nonterminal: builder.name_at(), cause }),
        }
    }
}

/// What distinguishes a callee that is no nonterminal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum CalleeKey {
    Lexeme(RegularId),
    Counter(CalleeId, u32, u32),
}

struct Builder<'a> {
    normal: &'a NormalForm,
    /// The names of the nonterminals that have not been called yet.
    names: Vec<Text>,
    config: &'a Config,
    store: Store,
    places: Places,
    callees: Vec<Callee>,
    /// What nonterminals have become, and others.
    nonterminals: Vec<Option<CalleeId>>,
    callee_ids: FxHashMap<CalleeKey, CalleeId>,
    /// Callees whose automaton is still to be made.
    pending: VecDeque<(CalleeId, NonterminalId)>,
    /// The lexemes that terminals have become.
    lexemes: Vec<Option<CalleeId>>,
    specials: Vec<Special>,
    /// The automata of the nonterminals, and what they become.
    parts: Vec<Part>,
    automata: Automata,
    nodes: Drafts,
    /// The productions of the nonterminal that is being compiled, and those that are still to be put in; kept for their room.
    fragment: Fragment,
    work: Vec<(NonterminalId, u32, u32)>,
    /// The nonterminals in that fragment, but for itself.
    put_in: Vec<NonterminalId>,
    /// Where the nonterminals begin that stand where several productions end.
    shared: FxHashMap<NonterminalId, u32>,
    /// The states behind the symbols of the production that is being read; kept for its room.
    path: Vec<u32>,
    determinizer: Determinizer,
    languages: Languages,
    /// The nonterminal that is being compiled.
    at: NonterminalId,
}

impl Builder<'_> {
    /// Makes the automata of all nonterminals that are called and says where the start symbol begins; nothing when it is stopped.
    fn fill(&mut self, is_stopped: &mut dyn FnMut() -> bool) -> Result<Option<NetworkNodeId>, Error> {
        let normal = self.normal;
        let automaton = self.automaton(normal.start)?;
        self.parts.push(Part { nonterminal: normal.start, callee: None, automaton });
        while let Some((callee, nonterminal)) = self.pending.pop_front() {
            if is_stopped() {
                return Ok(None);
            }
            if normal.nonterminals[nonterminal.index()].unordered.is_some() {
                self.fill_unordered(callee, nonterminal)?;
            } else if nonterminal == normal.start {
                self.parts[0].callee = Some(callee);
            } else {
                let automaton = self.automaton(nonterminal)?;
                self.parts.push(Part { nonterminal, callee: Some(callee), automaton });
            }
        }
        let (parts, automata, callees) = (&mut self.parts, &mut self.automata, &self.callees);
        let loops = self.config.loop_right_recursion;
        let inlining = Inlining::new(parts, automata, callees, loops);
        let is_called = inlining.inline(parts, automata, callees, &mut self.determinizer, &mut *is_stopped);
        let Some(mut is_called) = is_called else { return Ok(None) };
        match self.gather_texts(&mut *is_stopped) {
            None => return Ok(None),
            Some(false) => {}
            Some(true) => {
                inline::note_lexemes(&self.parts, &self.automata, &self.callees, &mut is_called);
            }
        }
        let ids = inline::forget(&mut self.parts, &mut self.callees, &is_called);
        self.draw(&ids, is_stopped)
    }

    /// Makes lexemes of the texts that automata repeat character by character; whether there are any. Nothing when it is stopped.
    fn gather_texts(&mut self, is_stopped: &mut dyn FnMut() -> bool) -> Option<bool> {
        let mut is_any = false;
        let mut tries = if self.config.gather_texts { MOST_TRIES } else { 0 };
        for part in 0..self.parts.len() {
            for _ in 0..MOST_TEXT_LOOPS {
                if is_stopped() {
                    return None;
                }
                let automaton = self.automata.get(self.parts[part].automaton);
                let text_of = |text: &LexemeText| match text {
                    LexemeText::Terminal(id) => grammask_normal::terminal_text(&self.normal.terminals, *id),
                    LexemeText::Written(text) => text.clone(),
                };
                let found = text_loops::find(automaton, &self.callees, &mut self.store, &text_of, &mut tries);
                let Some(found) = found else { break };
                let texts = found.texts().map(|(language, written)| {
                    let text = LexemeText::Written(written.to_owned());
                    self.callee(CalleeKey::Lexeme(language), Callee::Lexeme { text, language })
                });
                let texts: Vec<CalleeId> = texts.collect();
                found.draw(self.automata.get(self.parts[part].automaton), &texts, &mut self.fragment);
                let limit = self.fragment.len() * 4 + 16;
                let Some(automaton) = self.determinizer.determinize(&self.fragment, limit) else { break };
                self.parts[part].automaton = self.automata.add(automaton);
                is_any = true;
            }
        }
        Some(is_any)
    }

    /// Makes nodes of all automata, given which ids callees have from now on, and says where the start symbol begins; nothing when it is stopped.
    fn draw(
        &mut self,
        ids: &[Option<CalleeId>],
        is_stopped: &mut dyn FnMut() -> bool,
    ) -> Result<Option<NetworkNodeId>, Error> {
        let mut first = None;
        for Part { nonterminal, callee, automaton } in std::mem::take(&mut self.parts) {
            if is_stopped() {
                return Ok(None);
            }
            self.at = nonterminal;
            self.nonterminals[self.at.index()] = callee;
            let id = |callee: CalleeId| ids[callee.index()].expect("it is still called");
            let node = self.nodes.add(self.automata.get(automaton), id)?;
            first.get_or_insert(node);
            if let Some(Callee::Nonterminal { start, .. }) =
                callee.map(|callee| &mut self.callees[callee.index()])
            {
                *start = node;
            }
        }
        Ok(Some(first.expect("the start symbol has an automaton")))
    }

    /// The name of the nonterminal that is being compiled.
    fn name_at(&self) -> String {
        let callee = self.nonterminals[self.at.index()].map(|callee| &self.callees[callee.index()]);
        match callee {
            Some(Callee::Nonterminal { name, .. } | Callee::Unordered { name, .. }) => name.to_string(),
            _ => self.names[self.at.index()].to_string(),
        }
    }

    /// Makes the automaton of a nonterminal.
    fn automaton(&mut self, nonterminal: NonterminalId) -> Result<AutomatonId, Error> {
        if let Some(automaton) = self.rich_automaton(nonterminal)? {
            return Ok(automaton);
        }
        // Whatever was put in its place is called from now on, so nothing is tried again and again.
        if !self.put_in.is_empty() {
            for put_in in self.put_in.drain(..) {
                self.places.need_callee(put_in);
            }
            if let Some(automaton) = self.rich_automaton(nonterminal)? {
                return Ok(automaton);
            }
        }
        self.read_fragment(nonterminal, false)?;
        self.at = nonterminal;
        let automaton = self.determinizer.determinize(&self.fragment, usize::MAX);
        let automaton = automaton.expect("a tree of productions has a deterministic automaton of its size");
        Ok(self.automata.add(automaton))
    }

    /// The automaton of a nonterminal with others in their places and left recursion as loops, if that is not too large.
    fn rich_automaton(&mut self, nonterminal: NonterminalId) -> Result<Option<AutomatonId>, Error> {
        self.read_fragment(nonterminal, true)?;
        self.at = nonterminal;
        let limit = self.fragment.len() * 4 + 16;
        let automaton = self.determinizer.determinize(&self.fragment, limit);
        Ok(automaton.map(|automaton| self.automata.add(automaton)))
    }

    /// The productions of a nonterminal, which are sorted, as a fragment. `rich`: with nonterminals that are called from one place there, and left
    /// recursion as a loop.
    fn read_fragment(&mut self, nonterminal: NonterminalId, rich: bool) -> Result<(), Error> {
        let normal = self.normal;
        self.fragment.clear();
        self.work.clear();
        self.shared.clear();
        self.put_in.clear();
        self.work.push((nonterminal, self.fragment.start(), self.fragment.end()));
        while let Some((current, from, to)) = self.work.pop() {
            self.at = current;
            if normal.nonterminals[current.index()].unordered.is_some() {
                let callee = self.nonterminal_callee(current);
                self.fragment.connect(from, Label::Call(callee), to);
                continue;
            }
            let productions = &normal.nonterminals[current.index()].productions;
            let recursive = |production: &[Symbol]| rich && production[0] == Symbol::Nonterminal(current);
            // With left recursion, what the others produce leads to a state from which the recursive productions
            // lead back to it.
            let exit = if productions.iter().any(|production| recursive(production)) {
                let exit = self.fragment.add_state();
                self.fragment.connect(exit, Label::Nothing, to);
                exit
            } else {
                to
            };
            self.path.clear();
            let mut before: &[Symbol] = &[];
            for production in productions {
                self.path.truncate(shared_prefix(before, production));
                if self.path.is_empty() && recursive(production) {
                    self.path.push(exit);
                }
                self.read_production(production, (from, exit), rich)?;
                before = production;
            }
            if self.fragment.len() > self.config.max_nodes {
                return Err(Error::TooManyNodes { limit: self.config.max_nodes });
            }
        }
        Ok(())
    }

    /// A production between two states, as far as it is not on the path yet.
    fn read_production(
        &mut self,
        production: &[Symbol],
        (from, exit): (u32, u32),
        rich: bool,
    ) -> Result<(), Error> {
        let known = self.path.len();
        let mut at = self.path.last().copied().unwrap_or(from);
        for (place, &symbol) in (1..).zip(production).skip(known) {
            let next = if place == production.len() { exit } else { self.fragment.add_state() };
            self.path.push(next);
            match symbol {
                Symbol::Nonterminal(callee) => {
                    let placing = if rich { self.places.placing(callee) } else { Placing::Called };
                    self.connect_nonterminal(at, (callee, placing), next);
                }
                Symbol::Repeat { nonterminal, min, max } => {
                    let element = self.nonterminal_callee(nonterminal);
                    let key = CalleeKey::Counter(element, min, max);
                    let callee = self.callee(key, Callee::Counter { element, min, max });
                    self.fragment.connect(at, Label::Call(callee), next);
                }
                Symbol::Terminal(terminal) => self.terminal(terminal, at, next)?,
            }
            at = next;
        }
        // The one before goes on from here.
        if known == production.len() {
            self.fragment.connect(at, Label::Nothing, exit);
        }
        Ok(())
    }

    /// Leads from `at` to `next` by a nonterminal.
    fn connect_nonterminal(&mut self, at: u32, (callee, placing): (NonterminalId, Placing), next: u32) {
        match placing {
            Placing::Called => {
                let callee = self.nonterminal_callee(callee);
                self.fragment.connect(at, Label::Call(callee), next);
            }
            Placing::Alone => self.put_in(callee, at, next),
            Placing::AtEnd => {
                let before = match self.shared.get(&callee) {
                    Some(&before) => before,
                    None => {
                        let before = self.fragment.add_state();
                        self.shared.insert(callee, before);
                        self.put_in(callee, before, next);
                        before
                    }
                };
                self.fragment.connect(at, Label::Nothing, before);
            }
        }
    }

    /// From now on the productions of a nonterminal lead from `at` to `next`.
    fn put_in(&mut self, nonterminal: NonterminalId, at: u32, next: u32) {
        self.put_in.push(nonterminal);
        self.work.push((nonterminal, at, next));
    }

    /// Leads from `at` to `next` by a terminal.
    fn terminal(&mut self, id: TerminalId, at: u32, next: u32) -> Result<(), Error> {
        let special = match &self.normal.terminals[id.index()] {
            Terminal::Text(text) if text.len() <= LONGEST_CHAIN => {
                self.fragment.connect_text(at, text.as_bytes(), next);
                return Ok(());
            }
            Terminal::SpecialName(name) => Special::Name(name.to_string()),
            Terminal::SpecialId(id) => Special::Id(*id),
            _ => {
                let callee = self.lexeme(id)?;
                self.fragment.connect(at, Label::Call(callee), next);
                return Ok(());
            }
        };
        let index = match self.specials.iter().position(|known| *known == special) {
            Some(index) => index,
            None if self.specials.len() == Network::MAX_SPECIALS => {
                return Err(Error::TooManySpecials { limit: Network::MAX_SPECIALS });
            }
            None => {
                self.specials.push(special);
                self.specials.len() - 1
            }
        };
        self.fragment.connect(at, Label::Special(index as u16), next);
        Ok(())
    }

    /// A terminal as something that is called.
    fn lexeme(&mut self, id: TerminalId) -> Result<CalleeId, Error> {
        if let Some(known) = self.lexemes[id.index()] {
            return Ok(known);
        }
        let language = self.languages.lower(self.normal, id, &mut self.store)?;
        let text = LexemeText::Terminal(id);
        let callee = self.callee(CalleeKey::Lexeme(language), Callee::Lexeme { text, language });
        self.lexemes[id.index()] = Some(callee);
        Ok(callee)
    }

    fn nonterminal_callee(&mut self, nonterminal: NonterminalId) -> CalleeId {
        if let Some(known) = self.nonterminals[nonterminal.index()] {
            return known;
        }
        let entry = &self.normal.nonterminals[nonterminal.index()];
        let name = std::mem::take(&mut self.names[nonterminal.index()]);
        let callee = match &entry.unordered {
            // What it calls is filled in later.
            Some(unordered) => {
                Callee::Unordered { name, items: Vec::new(), separator: None, unordered: unordered.clone() }
            }
            None => Callee::Nonterminal { name, start: NetworkNodeId::END },
        };
        let id = CalleeId(self.callees.len() as u32);
        self.callees.push(callee);
        self.nonterminals[nonterminal.index()] = Some(id);
        self.pending.push_back((id, nonterminal));
        id
    }

    /// Gives a callee of items in any order what it calls.
    fn fill_unordered(&mut self, callee: CalleeId, nonterminal: NonterminalId) -> Result<(), Error> {
        let normal = self.normal;
        let entry = &normal.nonterminals[nonterminal.index()];
        let distinct = entry.unordered.as_ref().and_then(|unordered| unordered.distinct);
        let mut parts = Vec::with_capacity(entry.productions.len());
        for (place, symbol) in (0..).zip(entry.productions.iter().flatten()) {
            let Symbol::Nonterminal(part) = *symbol else { continue };
            // The texts of a distinct item are read where it is called.
            let text = normal.nonterminals[part.index()].productions.first().map(|symbols| &symbols[..]);
            parts.push(match text {
                Some(&[Symbol::Terminal(text)]) if distinct == Some(place) => self.lexeme(text)?,
                _ => self.nonterminal_callee(part),
            });
        }
        if let Callee::Unordered { items, separator, unordered, .. } = &mut self.callees[callee.index()] {
            if unordered.has_separator {
                *separator = parts.pop();
            }
            *items = parts;
        }
        Ok(())
    }

    fn callee(&mut self, key: CalleeKey, callee: Callee) -> CalleeId {
        *self.callee_ids.entry(key).or_insert_with(|| {
            self.callees.push(callee);
            CalleeId((self.callees.len() - 1) as u32)
        })
    }

    /// Finds the classes of bytes and gives the nodes their final form. The terminals are still missing. Nothing when it is stopped.
    fn finish(mut self, start: NetworkNodeId, is_stopped: &mut dyn FnMut() -> bool) -> Option<Network> {
        let mut classes = ByteClasses::new();
        // Few classes are split faster.
        if !self.store.cancellable(&mut *is_stopped).refine(lexemes(&self.callees), &mut classes) {
            return None;
        }
        classes.split_each(&self.nodes.bytes_scanned());
        // Texts that differ, differ in single bytes.
        if self.callees.iter().any(Callee::has_distinct) {
            classes.split_each(&ByteSet::ALL);
        }
        let byte_classes = classes.len();
        let mut class_of_byte = Box::new([0u8; 256]);
        for byte in 0..=255u8 {
            class_of_byte[usize::from(byte)] = classes.class_of(byte);
        }
        let class_bytes = classes.classes();
        let mut nodes = self.nodes.finish(|label| match label {
            Label::Byte(byte) => Class(u16::from(class_of_byte[usize::from(byte)])),
            Label::Special(index) => Class(byte_classes as u16 + index),
            Label::Call(_) | Label::Nothing => unreachable!("calls are no scans"),
        });
        if is_stopped() {
            return None;
        }
        let scan_only = split_calls(&mut nodes);
        let scanned = scanned(&nodes, &class_bytes);
        let specials = self.specials;
        let (callees, store) = (self.callees, self.store);
        Some(Network {
            nodes,
            callees,
            terminals: Vec::new(),
            scan_only,
            scanned,
            start,
            class_of_byte,
            byte_classes,
            class_bytes,
            specials,
            store,
        })
    }
}

/// Adds a copy without calls for every node that both scans and calls; gives for every node the one without calls.
fn split_calls(nodes: &mut Vec<Node>) -> Vec<NetworkNodeId> {
    let count = nodes.len();
    let mut scan_only: Vec<NetworkNodeId> = (0..count as u32).map(NetworkNodeId).collect();
    for (index, copy) in scan_only.iter_mut().enumerate() {
        let node = &nodes[index];
        if !node.scans.is_empty() && !node.calls.is_empty() {
            let scans = node.scans.clone();
            *copy = NetworkNodeId(nodes.len() as u32);
            nodes.push(Node { is_final: false, scans, calls: Edges::default() });
        }
    }
    scan_only.extend((count..nodes.len()).map(|index| NetworkNodeId(index as u32)));
    scan_only
}

//! Compiles a normal form to a network: one automaton for each nonterminal.
//!
//! Nonterminals with one call site are inlined (`call_sites.rs` decides it on productions, `inline.rs` on
//! automata). Direct left recursion and tail recursion become loops. Common prefixes and equal suffixes are
//! shared.

use std::collections::VecDeque;

use grammask_normal::{Languages, NonterminalId, NormalForm, Symbol, Terminal, TerminalId, Text, Unordered};
use grammask_regular::{ByteClasses, ByteSet, RegularId, Store};
use grammask_work::narrow;
use rustc_hash::FxHashMap;

use crate::build::call_sites::{CallSites, InlineDecision, shared_prefix};
use crate::build::determinize::Determinizer;
use crate::build::dfa::{DfaArena, DfaId};
use crate::build::inline::{Inliner, RuleDfa};
use crate::build::nfa::{Label, Nfa};
use crate::build::node_builder::{NodeBuilder, split_calls};
use crate::network::{LexemeText, lexemes, scanned};
use crate::{
    BuildError, Callee, CalleeId, Class, Config, Error, Limit, LimitExceeded, Network, NetworkNodeId, Special,
};

mod call_sites;
mod determinize;
mod dfa;
mod inline;
mod list_interner;
mod minimize;
mod nfa;
mod node_builder;
mod tail_recursion;
mod text_loops;

/// Maximum length in bytes of a literal that becomes a chain of nodes. A longer one becomes a lexeme.
const MAX_CHAIN_BYTES: usize = 64;

/// Maximum number of loops of one automaton that become text loops.
const MAX_TEXT_LOOPS_PER_DFA: usize = 16;

/// Maximum number of failed attempts at text loops in a grammar. Beyond it, no further loop is tried, so that
/// unsuitable loops cost little.
const MAX_FAILED_TEXT_LOOPS: usize = 256;

/// With at least this many terminals, the store reserves space for [`EXPRESSIONS_PER_TERMINAL`] expressions
/// each in advance. Otherwise the store would reallocate several times, and a cancellation would wait for
/// each.
const MIN_TERMINALS_TO_RESERVE: usize = 1 << 12;
const EXPRESSIONS_PER_TERMINAL: usize = 8;

/// Returns the maximum number of states of the deterministic automaton for `nfa`. Beyond it, calls are not
/// inlined, so that networks stay linear in the grammar.
const fn max_dfa_states(nfa: &Nfa) -> usize {
    nfa.len() * 4 + 16
}

/// Input of [`Network::compile`].
pub struct BuildInput<'a> {
    /// The normal form.
    pub normal: NormalForm,
    /// Languages of the normal form's terminals that `store` already contains.
    pub languages: Languages,
    /// The store for the languages of the lexemes.
    pub store: Store,
    /// Called between stages and before each automaton. Once it returns true, compilation stops.
    pub is_cancelled: &'a mut dyn FnMut() -> bool,
}

impl Network {
    /// Maximum number of special tokens: class ids have 16 bits, and special tokens use the upper half.
    pub(crate) const MAX_SPECIALS: usize = 1 << 15;

    /// Compiles a normal form. `store` receives the languages of its terminals, or already contains them.
    ///
    /// # Errors
    /// If the network would exceed [`Limits::max_nodes`](crate::Limits::max_nodes), or a terminal a limit of
    /// its own.
    ///
    /// # Complexity
    /// Linear in the size of the normal form. If the deterministic automaton of a nonterminal would not be
    /// linear in size, the nonterminal keeps its productions as a tree.
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
        let input = BuildInput {
            normal: normal.clone(),
            languages: Languages::new(normal),
            store,
            is_cancelled: &mut || false,
        };
        Ok(Self::compile(input, config)?.expect("it is never cancelled"))
    }

    /// Compiles a normal form, which is consumed. Returns `None` if cancelled.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn compile(input: BuildInput<'_>, config: &Config) -> Result<Option<Self>, BuildError> {
        let BuildInput { mut normal, languages, mut store, is_cancelled } = input;
        if normal.terminals.len() >= MIN_TERMINALS_TO_RESERVE {
            store.reserve_address_space(normal.terminals.len() * EXPRESSIONS_PER_TERMINAL);
        }
        call_sites::sort(&mut normal);
        if is_cancelled() {
            return Ok(None);
        }
        let call_sites = CallSites::new(&normal);
        if is_cancelled() {
            return Ok(None);
        }
        let names = normal.nonterminals.iter_mut().map(|nonterminal| std::mem::take(&mut nonterminal.name));
        let mut builder = Builder {
            names: names.collect(),
            normal: &normal,
            config,
            store,
            call_sites,
            callees: Vec::new(),
            nonterminals: vec![None; normal.nonterminals.len()],
            callee_ids: FxHashMap::default(),
            pending: VecDeque::new(),
            lexemes: vec![None; normal.terminals.len()],
            specials: Vec::new(),
            rules: Vec::new(),
            dfas: DfaArena::new(),
            nodes: NodeBuilder::new(config.limits.max_nodes),
            nfa: Nfa::new(),
            pending_productions: Vec::new(),
            inlined: Vec::new(),
            shared_ends: FxHashMap::default(),
            path: Vec::new(),
            determinizer: Determinizer::new(),
            languages,
            at: normal.start,
        };
        match builder.build_all(is_cancelled) {
            Ok(Some(start)) => {
                let network = builder.finish(start, is_cancelled);
                Ok(network.map(|network| Self { terminals: normal.terminals, ..network }))
            }
            Ok(None) => Ok(None),
            Err(cause) => Err(BuildError { nonterminal: builder.name_at(), cause }),
        }
    }
}

/// Identity of a callee that is not a nonterminal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum CalleeKey {
    Lexeme(RegularId),
    Counter(CalleeId, u32, u32),
}

/// A network under construction.
struct Builder<'a> {
    normal: &'a NormalForm,
    /// By nonterminal, its name, until it becomes a callee.
    names: Vec<Text>,
    config: &'a Config,
    store: Store,
    call_sites: CallSites,
    callees: Vec<Callee>,
    /// By nonterminal, its callee.
    nonterminals: Vec<Option<CalleeId>>,
    /// The callees that are not nonterminals.
    callee_ids: FxHashMap<CalleeKey, CalleeId>,
    /// Callees whose automaton is still to be built.
    pending: VecDeque<(CalleeId, NonterminalId)>,
    /// By terminal, its lexeme.
    lexemes: Vec<Option<CalleeId>>,
    specials: Vec<Special>,
    rules: Vec<RuleDfa>,
    dfas: DfaArena,
    nodes: NodeBuilder,
    /// Buffer: the productions of the nonterminal being compiled.
    nfa: Nfa,
    /// Nonterminals whose productions are still to be added to `nfa`, each with the states that it connects.
    pending_productions: Vec<(NonterminalId, u32, u32)>,
    /// The nonterminals inlined into `nfa`.
    inlined: Vec<NonterminalId>,
    /// The first states in `nfa` of nonterminals inlined at the ends of several productions.
    shared_ends: FxHashMap<NonterminalId, u32>,
    /// Buffer: the states after the symbols of the production being read.
    path: Vec<u32>,
    determinizer: Determinizer,
    languages: Languages,
    /// The nonterminal being compiled.
    at: NonterminalId,
}

impl Builder<'_> {
    /// Builds the automata and nodes of all nonterminals that are called. Returns the first node of the start
    /// symbol, or `None` if cancelled.
    fn build_all(&mut self, is_cancelled: &mut dyn FnMut() -> bool) -> Result<Option<NetworkNodeId>, Error> {
        let normal = self.normal;
        if normal.nonterminals[normal.start.index()].productions.is_empty() {
            return Ok(Some(NetworkNodeId::END));
        }
        let dfa = self.build_dfa(normal.start)?;
        self.rules.push(RuleDfa { nonterminal: normal.start, callee: None, dfa });
        while let Some((callee, nonterminal)) = self.pending.pop_front() {
            if is_cancelled() {
                return Ok(None);
            }
            if normal.nonterminals[nonterminal.index()].unordered.is_some() {
                self.fill_unordered(callee, nonterminal)?;
            } else if nonterminal == normal.start {
                self.rules[0].callee = Some(callee);
            } else {
                let dfa = self.build_dfa(nonterminal)?;
                self.rules.push(RuleDfa { nonterminal, callee: Some(callee), dfa });
            }
        }
        let (rules, dfas, callees) = (&mut self.rules, &mut self.dfas, &self.callees);
        let loops = self.config.tuning.loop_right_recursion;
        let inliner = Inliner::new(rules, dfas, callees, loops);
        let is_called = inliner.inline(rules, dfas, callees, &mut self.determinizer, &mut *is_cancelled);
        let Some(mut is_called) = is_called else { return Ok(None) };
        match self.gather_texts(is_cancelled) {
            None => return Ok(None),
            Some(false) => {}
            Some(true) => {
                inline::mark_called_lexemes(&self.rules, &self.dfas, &self.callees, &mut is_called);
            }
        }
        let ids = inline::remove_uncalled(&mut self.rules, &mut self.callees, &is_called);
        self.build_nodes(&ids, is_cancelled)
    }

    /// Replaces loops of characters by lexemes. Returns whether there are any, or `None` if cancelled.
    fn gather_texts(&mut self, is_cancelled: &mut dyn FnMut() -> bool) -> Option<bool> {
        let mut is_any = false;
        let mut tries = if self.config.tuning.gather_texts { MAX_FAILED_TEXT_LOOPS } else { 0 };
        for rule in 0..self.rules.len() {
            for _ in 0..MAX_TEXT_LOOPS_PER_DFA {
                if is_cancelled() {
                    return None;
                }
                let dfa = self.dfas.get(self.rules[rule].dfa);
                let text_of = |text: &LexemeText| match text {
                    LexemeText::Terminal(id) => grammask_normal::terminal_text(&self.normal.terminals, *id),
                    LexemeText::Written(text) => text.clone(),
                };
                let found = text_loops::find(dfa, &self.callees, &mut self.store, &text_of, &mut tries);
                let Some(found) = found else { break };
                let texts = found.texts().map(|(language, written)| {
                    let text = LexemeText::Written(written.to_owned());
                    self.callee(CalleeKey::Lexeme(language), Callee::Lexeme { text, language })
                });
                let texts: Vec<CalleeId> = texts.collect();
                found.replace(self.dfas.get(self.rules[rule].dfa), &texts, &mut self.nfa);
                let max_states = max_dfa_states(&self.nfa);
                let Some(dfa) = self.determinizer.determinize(&self.nfa, max_states) else { break };
                self.rules[rule].dfa = self.dfas.add(dfa);
                is_any = true;
            }
        }
        Some(is_any)
    }

    /// Builds the nodes of all automata. `ids` holds the new ids of the callees. Returns the first node of
    /// the start symbol, or `None` if cancelled.
    fn build_nodes(
        &mut self,
        ids: &[Option<CalleeId>],
        is_cancelled: &mut dyn FnMut() -> bool,
    ) -> Result<Option<NetworkNodeId>, Error> {
        let mut first = None;
        for RuleDfa { nonterminal, callee, dfa } in std::mem::take(&mut self.rules) {
            if is_cancelled() {
                return Ok(None);
            }
            self.at = nonterminal;
            self.nonterminals[self.at.index()] = callee;
            let id = |callee: CalleeId| ids[callee.index()].expect("it is still called");
            let node = self.nodes.add(self.dfas.get(dfa), id)?;
            first.get_or_insert(node);
            if let Some(Callee::Nonterminal { start, .. }) =
                callee.map(|callee| &mut self.callees[callee.index()])
            {
                *start = node;
            }
        }
        Ok(Some(first.expect("the start symbol has an automaton")))
    }

    /// Returns the name of the nonterminal being compiled.
    fn name_at(&self) -> String {
        let callee = self.nonterminals[self.at.index()].map(|callee| &self.callees[callee.index()]);
        match callee {
            Some(Callee::Nonterminal { name, .. } | Callee::Unordered { name, .. }) => name.to_string(),
            _ => self.names[self.at.index()].to_string(),
        }
    }

    /// Builds the automaton of a nonterminal.
    fn build_dfa(&mut self, nonterminal: NonterminalId) -> Result<DfaId, Error> {
        if let Some(dfa) = self.inlined_dfa(nonterminal)? {
            return Ok(dfa);
        }
        // Inlining failed: from now on these nonterminals are callees, so that the attempt is not repeated.
        if !self.inlined.is_empty() {
            for nonterminal in self.inlined.drain(..) {
                self.call_sites.keep_callee(nonterminal);
            }
            if let Some(dfa) = self.inlined_dfa(nonterminal)? {
                return Ok(dfa);
            }
        }
        self.read_productions(nonterminal, false)?;
        self.at = nonterminal;
        let dfa = self.determinizer.determinize(&self.nfa, usize::MAX);
        let dfa = dfa.expect("a tree of productions has a deterministic automaton of its size");
        Ok(self.dfas.add(dfa))
    }

    /// Builds the automaton of a nonterminal with inlined nonterminals and left recursion as loops. Returns
    /// `None` if it is too large.
    fn inlined_dfa(&mut self, nonterminal: NonterminalId) -> Result<Option<DfaId>, Error> {
        self.read_productions(nonterminal, true)?;
        self.at = nonterminal;
        let dfa = self.determinizer.determinize(&self.nfa, max_dfa_states(&self.nfa));
        Ok(dfa.map(|dfa| self.dfas.add(dfa)))
    }

    /// Reads the productions of a nonterminal, which are sorted, into `nfa`. With `is_inlining`, also inlines
    /// nonterminals and turns direct left recursion into a loop.
    fn read_productions(&mut self, nonterminal: NonterminalId, is_inlining: bool) -> Result<(), Error> {
        let normal = self.normal;
        self.nfa.clear();
        self.pending_productions.clear();
        self.shared_ends.clear();
        self.inlined.clear();
        self.pending_productions.push((nonterminal, self.nfa.start(), self.nfa.end()));
        while let Some((current, from, to)) = self.pending_productions.pop() {
            self.at = current;
            if normal.nonterminals[current.index()].unordered.is_some() {
                let callee = self.nonterminal_callee(current);
                self.nfa.connect(from, Label::Call(callee), to);
                continue;
            }
            let productions = &normal.nonterminals[current.index()].productions;
            let recursive =
                |production: &[Symbol]| is_inlining && production[0] == Symbol::Nonterminal(current);
            // With left recursion, the other productions lead to a state at which the recursive ones begin
            // and end.
            let exit = if productions.iter().any(|production| recursive(production)) {
                let exit = self.nfa.add_state();
                self.nfa.connect(exit, Label::Epsilon, to);
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
                self.read_production(production, from, exit, is_inlining)?;
                before = production;
            }
            let max_nodes = self.config.limits.max_nodes;
            if self.nfa.len() > max_nodes {
                return Err(LimitExceeded::new(Limit::MaxNodes, max_nodes, Some(self.nfa.len())).into());
            }
        }
        Ok(())
    }

    /// Adds a production between two states. `path` holds the states of the prefix that it shares with the
    /// previous production.
    fn read_production(
        &mut self,
        production: &[Symbol],
        from: u32,
        exit: u32,
        is_inlining: bool,
    ) -> Result<(), Error> {
        let known = self.path.len();
        let mut at = self.path.last().copied().unwrap_or(from);
        for (place, &symbol) in (1..).zip(production).skip(known) {
            let next = if place == production.len() { exit } else { self.nfa.add_state() };
            self.path.push(next);
            match symbol {
                Symbol::Nonterminal(callee) => {
                    let decision =
                        if is_inlining { self.call_sites.decision(callee) } else { InlineDecision::Call };
                    self.connect_nonterminal(at, next, callee, decision);
                }
                Symbol::Repeat { nonterminal, min, max } => {
                    let element = self.nonterminal_callee(nonterminal);
                    let key = CalleeKey::Counter(element, min, max);
                    let callee = self.callee(key, Callee::Counter { element, min, max });
                    self.nfa.connect(at, Label::Call(callee), next);
                }
                Symbol::Terminal(terminal) => self.terminal(terminal, at, next)?,
            }
            at = next;
        }
        // The previous production begins with this whole production.
        if known == production.len() {
            self.nfa.connect(at, Label::Epsilon, exit);
        }
        Ok(())
    }

    /// Connects two states by a nonterminal.
    fn connect_nonterminal(&mut self, at: u32, next: u32, callee: NonterminalId, decision: InlineDecision) {
        match decision {
            InlineDecision::Call => {
                let callee = self.nonterminal_callee(callee);
                self.nfa.connect(at, Label::Call(callee), next);
            }
            InlineDecision::Inline => self.inline(callee, at, next),
            InlineDecision::InlineAtEnd => {
                let before = match self.shared_ends.get(&callee) {
                    Some(&before) => before,
                    None => {
                        let before = self.nfa.add_state();
                        self.shared_ends.insert(callee, before);
                        self.inline(callee, before, next);
                        before
                    }
                };
                self.nfa.connect(at, Label::Epsilon, before);
            }
        }
    }

    /// Connects two states by the productions of a nonterminal, which are read later.
    fn inline(&mut self, nonterminal: NonterminalId, at: u32, next: u32) {
        self.inlined.push(nonterminal);
        self.pending_productions.push((nonterminal, at, next));
    }

    /// Connects two states by a terminal.
    fn terminal(&mut self, id: TerminalId, at: u32, next: u32) -> Result<(), Error> {
        let terminal = &self.normal.terminals[id.index()];
        if let Terminal::Text(text) = terminal
            && text.len() <= MAX_CHAIN_BYTES
        {
            self.nfa.connect_text(at, text.as_bytes(), next);
            return Ok(());
        }
        let Some(special) = Special::of(terminal) else {
            let callee = self.lexeme(id)?;
            self.nfa.connect(at, Label::Call(callee), next);
            return Ok(());
        };
        let max_specials = self.config.limits.max_special_tokens.min(Network::MAX_SPECIALS);
        let index = match self.specials.iter().position(|known| *known == special) {
            Some(index) => index,
            None if self.specials.len() >= max_specials => {
                let found = Some(self.specials.len() + 1);
                return Err(LimitExceeded::new(Limit::MaxSpecialTokens, max_specials, found).into());
            }
            None => {
                self.specials.push(special);
                self.specials.len() - 1
            }
        };
        #[expect(clippy::cast_possible_truncation, reason = "below MAX_SPECIALS")]
        let label = Label::Special(index as u16);
        self.nfa.connect(at, label, next);
        Ok(())
    }

    /// Returns the lexeme of a terminal.
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

    /// Returns the callee of a nonterminal. A new one is added, and its automaton is to be built.
    fn nonterminal_callee(&mut self, nonterminal: NonterminalId) -> CalleeId {
        if let Some(known) = self.nonterminals[nonterminal.index()] {
            return known;
        }
        let entry = &self.normal.nonterminals[nonterminal.index()];
        let name = std::mem::take(&mut self.names[nonterminal.index()]);
        let callee = match &entry.unordered {
            // `fill_unordered` adds the items.
            Some(unordered) => {
                Callee::Unordered { name, items: Vec::new(), separator: None, unordered: unordered.clone() }
            }
            None => Callee::Nonterminal { name, start: NetworkNodeId::END },
        };
        let id = CalleeId(narrow(self.callees.len()));
        self.callees.push(callee);
        self.nonterminals[nonterminal.index()] = Some(id);
        self.pending.push_back((id, nonterminal));
        id
    }

    /// Sets the items and the separator of a permutation.
    fn fill_unordered(&mut self, callee: CalleeId, nonterminal: NonterminalId) -> Result<(), Error> {
        let normal = self.normal;
        let entry = &normal.nonterminals[nonterminal.index()];
        let text_of = |unordered: &Unordered| unordered.distinct.filter(|_| !unordered.distinct_values);
        let distinct = entry.unordered.as_deref().and_then(text_of);
        let mut parts = Vec::with_capacity(entry.productions.len());
        for (place, symbol) in (0..).zip(entry.productions.iter().flatten()) {
            let Symbol::Nonterminal(rule) = *symbol else { continue };
            // An item of `distinct!` without rules is a lexeme, so that used texts can be excluded.
            let text = normal.nonterminals[rule.index()].productions.first().map(|symbols| &symbols[..]);
            parts.push(match text {
                Some(&[Symbol::Terminal(text)]) if distinct == Some(place) => self.lexeme(text)?,
                _ => self.nonterminal_callee(rule),
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
            CalleeId(narrow(self.callees.len() - 1))
        })
    }

    /// Finds the byte classes and builds the network, without its terminals. Returns `None` if cancelled.
    fn finish(mut self, start: NetworkNodeId, is_cancelled: &mut dyn FnMut() -> bool) -> Option<Network> {
        let mut classes = ByteClasses::new();
        // Lexemes first: refining is faster while there are few classes.
        if !self.store.cancellable(&mut *is_cancelled).refine(lexemes(&self.callees), &mut classes) {
            return None;
        }
        classes.split_each(&self.nodes.bytes_scanned());
        // Texts of `distinct!` may differ in any byte.
        if self.callees.iter().any(Callee::has_distinct) {
            classes.split_each(&ByteSet::ALL);
        }
        let byte_classes = classes.len();
        let mut class_of_byte = Box::new([0; 256]);
        for (class, byte) in class_of_byte.iter_mut().zip(0..=u8::MAX) {
            *class = classes.class_of(byte);
        }
        let class_bytes = classes.classes();
        let mut nodes = self.nodes.finish(|label| match label {
            Label::Byte(byte) => Class(u16::from(class_of_byte[usize::from(byte)])),
            Label::Special(index) => Class::new(byte_classes + usize::from(index)),
            Label::Call(_) | Label::Epsilon => unreachable!("calls are not scans"),
        });
        if is_cancelled() {
            return None;
        }
        let scan_only = split_calls(&mut nodes);
        let scanned = scanned(&nodes, &class_bytes);
        let (specials, callees, store) = (self.specials, self.callees, self.store);
        Some(Network {
            nodes,
            callees,
            terminals: Vec::new(),
            scan_only,
            scanned,
            start,
            allows_empty: self.normal.allows_empty,
            class_of_byte,
            byte_classes,
            class_bytes,
            specials,
            store,
        })
    }
}

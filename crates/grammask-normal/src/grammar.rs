//! The grammar that the passes rewrite. A group is a nonterminal without a name, so that no pass walks a
//! tree.

pub(crate) mod terminals;

use std::collections::hash_map::Entry;
use std::fmt;
use std::hash::Hasher;

use grammask_syntax::{Ast, Span, Text};
use rustc_hash::{FxHashMap, FxHasher};

use crate::cancellation::Cancellation;
use crate::form::{NonterminalId, TerminalId};
use crate::grammar::terminals::Terminals;
use crate::unordered::Unordered;

/// A grammar between two passes. Its `Display` is valid KBNF.
///
/// A group of the text, as in `('a' | b)+`, is a nonterminal without a name. It is used once, and printed at
/// its use. So the grammar is flat from the beginning, and [`flatten_nested_rules`](crate::PASSES) only
/// assigns names.
#[derive(Clone, Debug)]
pub struct Grammar {
    pub(crate) start: NonterminalId,
    pub(crate) variables: Vec<Variable>,
    pub(crate) terminals: Terminals,
    /// The rules in the order of the text, each with its number of alternatives. Empty after `group_rules`.
    pub(crate) rules: Vec<(NonterminalId, usize)>,
    /// By the hash of a name: a nonterminal with that name, which may no longer be in use. Filled at the
    /// first look-up.
    pub(crate) names: Option<FxHashMap<u64, NonterminalId>>,
    /// True if there may be nonterminals without a name.
    pub(crate) has_groups: bool,
    /// True if nullables have been eliminated. No later pass creates new ones.
    pub(crate) is_nullable_free: bool,
    /// True if the start symbol was nullable. The normal form leaves the empty text out.
    pub(crate) empty_text: bool,
    /// True if the grammar accepts the empty text, as with `%start name?;`.
    pub(crate) allows_empty: bool,
    /// Place of the start symbol's first rule.
    pub(crate) start_span: Span,
}

/// A nonterminal or a group, and its alternatives.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// `None` for a group.
    pub name: Option<Text>,
    /// The nonterminal of the text from which this one is derived; itself for a rule of the text.
    pub origin: NonterminalId,
    /// Position among the nonterminals with the same origin; 0 for the origin itself.
    pub serial: u32,
    /// Number of names derived from this one.
    pub derived: u32,
    /// The alternatives. Empty if the variable produces nothing or is not in use.
    pub productions: Vec<Vec<Factor>>,
    /// True if the variable still belongs to the grammar.
    pub in_use: bool,
    /// The choices of items, if the variable is an `unordered!`. Each production is then one nonterminal: the
    /// items in order, then the separator. Passes that rewrite productions only rename these.
    pub unordered: Option<Box<SpannedUnordered>>,
}

impl Variable {
    /// Calls `visit` with every factor, in order.
    pub fn each(&self, mut visit: impl FnMut(&Factor)) {
        // Plain loops: nested iterators take several times as long, and most of the time of a pass is spent
        // here.
        for production in &self.productions {
            for factor in production {
                visit(factor);
            }
        }
    }
}

/// The specification of an `unordered!`, with its places in the text.
#[derive(Clone, Debug)]
pub(crate) struct SpannedUnordered {
    pub unordered: Unordered,
    /// Places of the items in order, then of the separator.
    pub spans: Vec<Span>,
    /// Place of the whole `unordered!`.
    pub span: Span,
}

/// A nonterminal, a group or a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Atom {
    Nonterminal(NonterminalId),
    Terminal(TerminalId),
}

/// An atom and its number of repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Factor {
    pub atom: Atom,
    pub min: u32,
    /// `None` means no greatest number.
    pub max: Option<u32>,
}

impl Factor {
    pub const fn once(atom: Atom) -> Self {
        Self { atom, min: 1, max: Some(1) }
    }

    pub const fn nonterminal(id: NonterminalId) -> Self {
        Self::once(Atom::Nonterminal(id))
    }

    pub const fn terminal(id: TerminalId) -> Self {
        Self::once(Atom::Terminal(id))
    }

    pub fn is_once(&self) -> bool {
        self.min == 1 && self.max == Some(1)
    }

    /// Returns the number of the nonterminal, however often it occurs. `None` for a terminal.
    pub fn nonterminal_number(&self) -> Option<u32> {
        match self.atom {
            Atom::Nonterminal(id) => Some(id.0),
            Atom::Terminal(_) => None,
        }
    }

    /// Returns the nonterminal if the factor is exactly one. `None` for terminals and repetitions.
    pub fn as_nonterminal(&self) -> Option<NonterminalId> {
        match self.atom {
            Atom::Nonterminal(id) if self.is_once() => Some(id),
            _ => None,
        }
    }

    /// Returns the terminal if the factor is exactly one. `None` for nonterminals and repetitions.
    pub fn as_terminal(&self) -> Option<TerminalId> {
        match self.atom {
            Atom::Terminal(id) if self.is_once() => Some(id),
            _ => None,
        }
    }
}

impl Grammar {
    pub(crate) fn variable(&self, id: NonterminalId) -> &Variable {
        &self.variables[id.index()]
    }

    pub(crate) fn variable_mut(&mut self, id: NonterminalId) -> &mut Variable {
        &mut self.variables[id.index()]
    }

    /// Returns the variables in use, in the order of their ids.
    pub(crate) fn in_use(&self) -> impl Iterator<Item = (NonterminalId, &Variable)> {
        let ids = (0..).map(NonterminalId);
        ids.zip(&self.variables).filter(|(_, variable)| variable.in_use)
    }

    /// Returns the variables in use in the order of printing: that of the text, each followed by those
    /// derived from it.
    pub(crate) fn in_order(&self) -> Vec<NonterminalId> {
        let mut order: Vec<NonterminalId> = self.in_use().map(|(id, _)| id).collect();
        order.sort_by_key(|&id| (self.variable(id).origin, self.variable(id).serial, id));
        order
    }

    /// Returns the name of the start symbol.
    pub fn start_name(&self) -> &str {
        self.variable(self.start).name.as_deref().unwrap_or_default()
    }

    /// Returns the number of productions, those of groups included.
    pub fn production_count(&self) -> usize {
        self.in_use().map(|(_, variable)| variable.productions.len()).sum()
    }

    /// Returns the number of symbols in all productions together.
    pub fn symbol_count(&self) -> usize {
        self.in_use().flat_map(|(_, variable)| &variable.productions).map(Vec::len).sum()
    }

    /// Returns the group that `atom` is, if its alternatives can be inlined: it is not an `unordered!`.
    pub(crate) fn as_plain_group(&self, atom: Atom) -> Option<NonterminalId> {
        self.as_group(atom).filter(|&id| self.variable(id).unordered.is_none())
    }

    /// Returns the group that `atom` is. `None` for terminals and nonterminals with a name.
    pub(crate) fn as_group(&self, atom: Atom) -> Option<NonterminalId> {
        match atom {
            Atom::Nonterminal(id) if self.has_groups && self.variable(id).name.is_none() => Some(id),
            _ => None,
        }
    }

    /// Adds a nonterminal with a new name, derived from that of `origin`.
    pub(crate) fn add_derived(
        &mut self,
        origin: NonterminalId,
        productions: Vec<Vec<Factor>>,
    ) -> NonterminalId {
        let name = self.derived_name(origin, self.next_id());
        let serial = self.variable(origin).derived;
        let id = self.add(Some(name.into()), origin, productions);
        self.variable_mut(id).serial = serial;
        id
    }

    fn next_id(&self) -> NonterminalId {
        NonterminalId(u32::try_from(self.variables.len()).expect("fewer than 2^32 nonterminals"))
    }

    /// Adds a nonterminal with this name.
    pub(crate) fn add(
        &mut self,
        name: Option<Text>,
        origin: NonterminalId,
        productions: Vec<Vec<Factor>>,
    ) -> NonterminalId {
        let id = self.next_id();
        self.variables.push(Variable {
            name,
            origin,
            serial: 0,
            derived: 0,
            productions,
            in_use: true,
            unordered: None,
        });
        id
    }

    /// Returns a new name for `id`: for the rule `value`, one of `value_1`, `value_2`, ... that the grammar
    /// does not use.
    pub(crate) fn derived_name(&mut self, origin: NonterminalId, id: NonterminalId) -> String {
        loop {
            let variable = self.variable_mut(origin);
            variable.derived += 1;
            let base = variable.name.as_deref().unwrap_or_default();
            let mut name = String::with_capacity(base.len() + 4);
            name.push_str(base);
            name.push('_');
            push_number(&mut name, variable.derived);
            if self.reserve_name(&name, id) {
                return name;
            }
        }
    }

    /// Returns a new name for the next variable: `prefix`, or `prefix` with a number.
    pub(crate) fn fresh_name(&mut self, prefix: &str) -> String {
        let mut name = prefix.to_owned();
        let mut count = 1;
        while !self.reserve_name(&name, self.next_id()) {
            count += 1;
            name = format!("{prefix}_{count}");
        }
        name
    }

    /// Reserves a name for `id`. Returns false if a variable already has it.
    fn reserve_name(&mut self, name: &str, id: NonterminalId) -> bool {
        let hash = |name: &str| {
            let mut hasher = FxHasher::default();
            hasher.write(name.as_bytes());
            hasher.finish()
        };
        let variables = &self.variables;
        let all = || (0..).map(NonterminalId).zip(variables.iter().map(|variable| variable.name.as_deref()));
        let names = self
            .names
            .get_or_insert_with(|| all().filter_map(|(id, name)| Some((hash(name?), id))).collect());
        match names.entry(hash(name)) {
            Entry::Vacant(entry) => {
                entry.insert(id);
                true
            }
            Entry::Occupied(entry) => {
                let known = variables.get(entry.get().index()).and_then(|variable| variable.name.as_deref());
                // A collision of hashes is rare, so the linear search may be slow.
                known != Some(name) && all().all(|(_, known)| known != Some(name))
            }
        }
    }

    /// Removes the variables that are not reachable from the start symbol.
    pub(crate) fn remove_unreachable(&mut self, cancellation: &mut Cancellation<'_>) {
        let mut reached = vec![false; self.variables.len()];
        reached[self.start.index()] = true;
        let mut stack = Vec::with_capacity(self.variables.len());
        stack.push(self.start);
        while let Some(id) = stack.pop() {
            if cancellation.poll_after(1) {
                return;
            }
            self.variable(id).each(|factor| {
                if let Atom::Nonterminal(next) = factor.atom
                    && !std::mem::replace(&mut reached[next.index()], true)
                {
                    stack.push(next);
                }
            });
        }
        for (variable, reached) in self.variables.iter_mut().zip(&reached) {
            if !reached && variable.in_use {
                if cancellation.poll_after(1) {
                    return;
                }
                variable.in_use = false;
                variable.productions = Vec::new();
                variable.unordered = None;
            }
        }
        self.rules.retain(|(id, _)| reached[id.index()]);
    }

    /// Converts the grammar to a syntax tree without spans.
    pub fn to_ast(&self) -> Ast {
        crate::print::grammar_to_ast(self)
    }
}

/// Appends a number in decimal.
fn push_number(text: &mut String, number: u32) {
    let mut unit = 1;
    while number / unit >= 10 {
        unit *= 10;
    }
    while unit > 0 {
        text.push(char::from(b'0' + (number / unit % 10) as u8));
        unit /= 10;
    }
}

impl fmt::Display for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_ast().fmt(f)
    }
}

//! The grammar under work: what the passes rewrite. Groups are nonterminals without a name, so that no pass walks a tree.

pub(crate) mod terminals;

use std::collections::hash_map::Entry;
use std::fmt;
use std::hash::Hasher;

use grammask_syntax::{Ast, Span, Text};
use rustc_hash::{FxHashMap, FxHasher};

use crate::cancellation::Stop;
use crate::form::{NonterminalId, TerminalId};
use crate::grammar::terminals::Terminals;
use crate::unordered::Unordered;

/// A grammar between two passes. Its `Display` is valid KBNF.
///
/// A group of the text, as in `('a' | b)+`, is a nonterminal without a name that is used once, and printed where it is used.
/// So the grammar is flat from the beginning, and [`flatten_nested_rules`](crate::PASSES) only has to give names.
#[derive(Clone, Debug)]
pub struct Grammar {
    pub(crate) start: NonterminalId,
    pub(crate) variables: Vec<Variable>,
    pub(crate) terminals: Terminals,
    /// The rules in the order of the text, each with its number of alternatives; empty once they are grouped.
    pub(crate) rules: Vec<(NonterminalId, usize)>,
    /// Who has a name with this hash, also of those that are not in use any more; made when first asked for.
    pub(crate) names: Option<FxHashMap<u64, NonterminalId>>,
    /// Whether there are nonterminals without a name.
    pub(crate) has_groups: bool,
    /// Whether nullables have been eliminated. Nothing that comes after makes new ones.
    pub(crate) is_nullable_free: bool,
    /// Whether the start symbol stands for the empty text too, which no output is.
    pub(crate) empty_text: bool,
    /// Where the start symbol is defined.
    pub(crate) start_span: Span,
}

/// A nonterminal or a group, and its alternatives.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// `None` for a group.
    pub name: Option<Text>,
    /// The rule of the text that it comes from.
    pub origin: NonterminalId,
    /// Its place among what comes from that rule; 0 for the rule itself.
    pub serial: u32,
    /// How many names have been derived from this one.
    pub derived: u32,
    /// The alternatives. None at all: nothing is produced, or the variable is not in use any more.
    pub productions: Vec<Vec<Factor>>,
    /// Whether it still belongs to the grammar.
    pub in_use: bool,
    /// For `unordered!`: how often the items may occur. Each production is one nonterminal then: the items, and behind them the
    /// separator. Passes that rewrite productions leave these as they are, but for names.
    pub unordered: Option<Box<Selection>>,
}

impl Variable {
    /// All factors, in order.
    pub fn each(&self, mut take: impl FnMut(&Factor)) {
        // Nested iterators take several times as long, and this is what passes mostly do.
        for production in &self.productions {
            for factor in production {
                take(factor);
            }
        }
    }
}

/// What `unordered!` says, and where.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    pub unordered: Unordered,
    /// The places of the items, and that of the separator.
    pub spans: Vec<Span>,
    /// The place of the whole.
    pub span: Span,
}

/// A nonterminal, a group or a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Atom {
    Nonterminal(NonterminalId),
    Terminal(TerminalId),
}

/// An atom and how often it stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Factor {
    pub atom: Atom,
    pub min: u32,
    /// `None`: without end.
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

    /// The nonterminal, if it stands there exactly once.
    pub fn as_nonterminal(&self) -> Option<NonterminalId> {
        match self.atom {
            Atom::Nonterminal(id) if self.is_once() => Some(id),
            _ => None,
        }
    }

    /// The terminal, if it stands there exactly once.
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

    /// The variables in use, in order.
    pub(crate) fn in_use(&self) -> impl Iterator<Item = (NonterminalId, &Variable)> {
        let ids = (0..).map(NonterminalId);
        ids.zip(&self.variables).filter(|(_, variable)| variable.in_use)
    }

    /// The variables in use in the order in which they are printed: that of the text, what is derived from a rule behind it.
    pub(crate) fn in_order(&self) -> Vec<NonterminalId> {
        let mut order: Vec<NonterminalId> = self.in_use().map(|(id, _)| id).collect();
        order.sort_by_key(|&id| (self.variable(id).origin, self.variable(id).serial, id));
        order
    }

    /// The name of the start symbol.
    pub fn start_name(&self) -> &str {
        self.variable(self.start).name.as_deref().unwrap_or_default()
    }

    /// How many productions there are, groups included.
    pub fn production_count(&self) -> usize {
        self.in_use().map(|(_, variable)| variable.productions.len()).sum()
    }

    /// How many symbols there are in all productions.
    pub fn symbol_count(&self) -> usize {
        self.in_use().flat_map(|(_, variable)| &variable.productions).map(Vec::len).sum()
    }

    /// A group whose alternatives may be written in its place.
    pub(crate) fn is_plain_group(&self, atom: Atom) -> Option<NonterminalId> {
        self.is_group(atom).filter(|&id| self.variable(id).unordered.is_none())
    }

    pub(crate) fn is_group(&self, atom: Atom) -> Option<NonterminalId> {
        match atom {
            Atom::Nonterminal(id) if self.has_groups && self.variable(id).name.is_none() => Some(id),
            _ => None,
        }
    }

    /// A nonterminal with a new name, derived from that of a rule of the text.
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

    /// `value_1`, `value_2`, ... for the rule `value`, as the name of a variable; never a name that the text uses.
    pub(crate) fn derived_name(&mut self, origin: NonterminalId, id: NonterminalId) -> String {
        loop {
            let variable = self.variable_mut(origin);
            variable.derived += 1;
            let base = variable.name.as_deref().unwrap_or_default();
            let mut name = String::with_capacity(base.len() + 4);
            name.push_str(base);
            name.push('_');
            push_number(&mut name, variable.derived);
            if self.takes_name(&name, id) {
                return name;
            }
        }
    }

    /// A name that begins with `wish` and is not taken, for the next variable.
    pub(crate) fn fresh_name(&mut self, wish: &str) -> String {
        let mut name = wish.to_owned();
        let mut count = 1;
        while !self.takes_name(&name, self.next_id()) {
            count += 1;
            name = format!("{wish}_{count}");
        }
        name
    }

    /// Whether no variable has the name. This one will have it then.
    fn takes_name(&mut self, name: &str, id: NonterminalId) -> bool {
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
                // Equal hashes of different names are so rare that they may take their time.
                known != Some(name) && all().all(|(_, known)| known != Some(name))
            }
        }
    }

    /// Takes everything out of use that the start symbol does not reach.
    pub(crate) fn sweep(&mut self, stop: &mut Stop<'_>) {
        let mut reached = vec![false; self.variables.len()];
        reached[self.start.index()] = true;
        let mut stack = Vec::with_capacity(self.variables.len());
        stack.push(self.start);
        while let Some(id) = stack.pop() {
            if stop.after(1) {
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
                if stop.after(1) {
                    return;
                }
                variable.in_use = false;
                variable.productions = Vec::new();
                variable.unordered = None;
            }
        }
        self.rules.retain(|(id, _)| reached[id.index()]);
    }

    /// The grammar as a syntax tree, without spans.
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

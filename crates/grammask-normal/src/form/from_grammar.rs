//! Converts a grammar that has passed all rewrites to the normal form, and numbers its symbols anew.

use grammask_regular::RegularId;
use grammask_work::narrow;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cancellation::Cancellation;
use crate::form::lower::Languages;
use crate::form::{Nonterminal, NonterminalId, NormalForm, Symbol, Terminal, TerminalId};
use crate::grammar::{Atom, Factor, Grammar};
use crate::unordered::distinct_operands;

/// Converts a grammar to the normal form, together with the terminal languages that are compiled.
///
/// Nonterminals are numbered in the order of the text, each followed by those derived from it. Terminals are
/// numbered in the order of their first occurrence, operands first. Returns `None` if cancelled.
///
/// The grammar must have gone through all [`PASSES`](crate::PASSES).
pub(crate) fn from_grammar(
    mut grammar: Grammar,
    cancellation: &mut Cancellation<'_>,
) -> Option<(NormalForm, Languages)> {
    let order = in_order(&mut grammar, cancellation);
    let mut numbers: Vec<u32> = vec![0; grammar.variables.len()];
    for (number, id) in (0..).zip(&order) {
        numbers[id.index()] = number;
    }
    let names = ListNames::new(&grammar);
    let mut variables = std::mem::take(&mut grammar.variables);
    let (old, old_languages) = grammar.terminals.into_parts();
    let mut numbering = Numbering {
        new: Vec::with_capacity(old.len()),
        languages: Vec::with_capacity(old.len()),
        new_ids: vec![None; old.len()],
        old,
        old_languages,
        stack: Vec::new(),
        names,
        cancellation,
    };
    let mut nonterminals = Vec::with_capacity(order.len());
    for &id in &order {
        let variable = &mut variables[id.index()];
        if numbering.cancellation.poll_after(1 + variable.productions.len()) {
            return None;
        }
        let mut symbol = |factor: &Factor| match factor.atom {
            Atom::Terminal(id) => Symbol::Terminal(numbering.number(id)),
            Atom::Nonterminal(id) => {
                let nonterminal = NonterminalId(numbers[id.index()]);
                match (factor.min, factor.max) {
                    (min, Some(max @ 2..)) => Symbol::Repeat { nonterminal, min, max },
                    _ => Symbol::Nonterminal(nonterminal),
                }
            }
        };
        // Free each production when it is converted, so that no single step frees all of them.
        let productions = std::mem::take(&mut variable.productions);
        nonterminals.push(Nonterminal {
            name: variable.name.take().unwrap_or_default(),
            productions: productions
                .into_iter()
                .map(|production| production.iter().map(&mut symbol).collect())
                .collect(),
            unordered: variable.unordered.take().map(|spanned| spanned.unordered.into()),
        });
    }
    if numbering.cancellation.is_cancelled() {
        return None;
    }
    let start = NonterminalId(numbers[grammar.start.index()]);
    let allows_empty = grammar.allows_empty;
    let normal = NormalForm { start, allows_empty, nonterminals, terminals: numbering.new };
    Some((normal, Languages::compiled(numbering.languages)))
}

/// Returns the variables in the order of the text, followed by those that are only operands of `distinct!`.
///
/// The latter are not printed as rules. They are named after the first `unordered!` that contains them,
/// because reading the printed grammar gives them that name and position again.
fn in_order(grammar: &mut Grammar, cancellation: &mut Cancellation<'_>) -> Vec<NonterminalId> {
    let mut order = grammar.in_order();
    if cancellation.is_cancelled() {
        return order;
    }
    let distinct = |grammar: &Grammar, id: NonterminalId| {
        grammar.variable(id).unordered.as_ref()?.unordered.distinct_text()
    };
    if order.iter().all(|&id| distinct(grammar, id).is_none()) {
        return order;
    }
    let uses = order.iter().flat_map(|&id| {
        let operand = distinct(grammar, id);
        let factors = (0..).zip(&grammar.variable(id).productions);
        let factors =
            factors.flat_map(|(place, production)| production.iter().map(move |factor| (place, factor)));
        factors.filter_map(move |(place, factor)| match factor.atom {
            Atom::Nonterminal(id) => Some((id, operand == Some(place))),
            Atom::Terminal(_) => None,
        })
    });
    let is_operand = distinct_operands(grammar.variables.len(), grammar.start, uses);
    let mut names: FxHashSet<String> =
        order.iter().filter_map(|&id| grammar.variable(id).name.as_deref().map(str::to_owned)).collect();
    let mut operands = Vec::new();
    for &id in &order {
        let Some(place) = distinct(grammar, id) else { continue };
        let Some(Atom::Nonterminal(operand)) =
            grammar.variable(id).productions[place as usize].first().map(|factor| factor.atom)
        else {
            continue;
        };
        if !is_operand[operand.index()] || operands.contains(&operand) {
            continue;
        }
        operands.push(operand);
        let mut name = format!("{}_text", grammar.variable(id).name.as_deref().unwrap_or_default());
        while !names.insert(name.clone()) {
            name.push('_');
        }
        grammar.variable_mut(operand).name = Some(name.into());
    }
    order.retain(|id| !operands.contains(id));
    order.extend(operands);
    order
}

/// Renumbers terminals in the order of their first use.
struct Numbering<'a, 's> {
    old: Vec<Terminal>,
    /// By old id: the language, if it is compiled.
    old_languages: Vec<Option<RegularId>>,
    new: Vec<Terminal>,
    /// By new id: the language, if it is compiled.
    languages: Vec<Option<RegularId>>,
    /// By old id: the new id. `None` if it has none yet.
    new_ids: Vec<Option<TerminalId>>,
    /// Terminals still to be numbered; empty between calls.
    stack: Vec<TerminalId>,
    names: ListNames,
    cancellation: &'a mut Cancellation<'s>,
}

impl Numbering<'_, '_> {
    /// Returns the new id of a terminal, and numbers its operands first. The result is meaningless if
    /// cancelled.
    fn number(&mut self, id: TerminalId) -> TerminalId {
        if let Some(number) = self.new_ids[id.index()] {
            return number;
        }
        self.stack.push(id);
        while let Some(&id) = self.stack.last() {
            if self.cancellation.poll_after(1) {
                return id;
            }
            if self.new_ids[id.index()].is_some() {
                self.stack.pop();
                continue;
            }
            let pending = self.stack.len();
            let operands = self.old[id.index()].operands().iter().rev();
            self.stack.extend(operands.filter(|operand| self.new_ids[operand.index()].is_none()));
            if self.stack.len() == pending {
                self.stack.pop();
                let new = self.take_renumbered(id);
                self.new_ids[id.index()] = Some(TerminalId(narrow(self.new.len())));
                self.new.push(new);
                self.languages.push(self.old_languages[id.index()]);
            }
        }
        self.new_ids[id.index()].unwrap_or(id)
    }

    /// Moves a terminal out of the old list, with the new ids of its operands.
    fn take_renumbered(&mut self, id: TerminalId) -> Terminal {
        let mut terminal = std::mem::replace(&mut self.old[id.index()], Terminal::SpecialId(0));
        match &mut terminal {
            Terminal::Except(except) => {
                except.name = except.name.take().map(|name| self.names.of(&name));
            }
            other => {
                for operand in other.operands_mut() {
                    *operand = self.new_ids[operand.index()].unwrap_or(*operand);
                }
            }
        }
        terminal
    }
}

/// Chooses names for the rules that list the texts of `except!`.
///
/// A list keeps the name of its rule in the text, unless a nonterminal still has that name. The passes may
/// have rewritten the rule of that nonterminal, so that it no longer lists the texts.
struct ListNames {
    /// Names of the nonterminals in use. Empty if no rule lists texts, as is [`all`](Self::all).
    in_use: FxHashSet<String>,
    /// Names of all nonterminals, removed ones included.
    all: FxHashSet<String>,
    /// By the name in the text: the new name.
    renamed: FxHashMap<String, String>,
    added: FxHashSet<String>,
}

impl ListNames {
    fn new(grammar: &Grammar) -> Self {
        let is_list =
            |terminal: &Terminal| matches!(terminal, Terminal::Except(except) if except.name.is_some());
        let has_lists = grammar.terminals.as_slice().iter().any(is_list);
        let variables = if has_lists { &grammar.variables[..] } else { &[] };
        let names_in_use = variables.iter().filter(|variable| variable.in_use);
        Self {
            in_use: names_in_use.filter_map(|variable| variable.name.as_deref().map(str::to_owned)).collect(),
            all: variables
                .iter()
                .filter_map(|variable| variable.name.as_deref().map(str::to_owned))
                .collect(),
            renamed: FxHashMap::default(),
            added: FxHashSet::default(),
        }
    }

    /// Returns the name for the list that has `name` in the text.
    fn of(&mut self, name: &str) -> String {
        if !self.in_use.contains(name) {
            return name.to_owned();
        }
        if let Some(renamed) = self.renamed.get(name) {
            return renamed.clone();
        }
        let mut candidate = format!("{name}_texts");
        let mut count = 1;
        while self.all.contains(&candidate) || self.added.contains(&candidate) {
            count += 1;
            candidate = format!("{name}_texts_{count}");
        }
        self.added.insert(candidate.clone());
        self.renamed.insert(name.to_owned(), candidate.clone());
        candidate
    }
}

//! Grammar under work to normal form: what is in use, numbered anew.

use grammask_regular::RegularId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cancellation::Stop;
use crate::form::lower::Languages;
use crate::form::{Nonterminal, NonterminalId, NormalForm, Symbol, Terminal, TerminalId};
use crate::grammar::{Atom, Factor, Grammar};
use crate::unordered::only_operands;

/// Numbers nonterminals in the order of the text, what is derived from a rule behind it; terminals as they appear, operands first.
/// Also gives the languages that have been made. Nothing when it was stopped.
///
/// The grammar must have gone through all passes.
pub(crate) fn from_grammar(mut grammar: Grammar, stop: &mut Stop<'_>) -> Option<(NormalForm, Languages)> {
    let order = in_order(&mut grammar, stop);
    let mut numbers: Vec<u32> = vec![0; grammar.variables.len()];
    for (number, id) in (0..).zip(&order) {
        numbers[id.index()] = number;
    }
    let names = ListNames::new(&grammar);
    let mut variables = std::mem::take(&mut grammar.variables);
    let (old, lowered) = grammar.terminals.into_parts();
    let mut numbering = Numbering {
        new: Vec::with_capacity(old.len()),
        languages: Vec::with_capacity(old.len()),
        numbers: vec![None; old.len()],
        old,
        lowered,
        stack: Vec::new(),
        names,
        stop,
    };
    let mut nonterminals = Vec::with_capacity(order.len());
    for &id in &order {
        let variable = &mut variables[id.index()];
        if numbering.stop.after(1 + variable.productions.len()) {
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
        // What has been numbered goes at once: nobody waits for all of it then.
        let productions = std::mem::take(&mut variable.productions);
        nonterminals.push(Nonterminal {
            name: variable.name.take().unwrap_or_default(),
            productions: productions
                .into_iter()
                .map(|production| production.iter().map(&mut symbol).collect())
                .collect(),
            unordered: variable.unordered.take().map(|selection| selection.unordered.into()),
        });
    }
    if numbering.stop.is_stopped() {
        return None;
    }
    let start = NonterminalId(numbers[grammar.start.index()]);
    let normal = NormalForm { start, nonterminals, terminals: numbering.new };
    Some((normal, Languages::known(numbering.languages)))
}

/// The variables in the order of the text, and behind them those that are nothing but operands of `distinct!`. These are not written as
/// rules, so they are named after the first selection that they stand in: whoever reads what is written gives them the same name and place.
fn in_order(grammar: &mut Grammar, stop: &mut Stop<'_>) -> Vec<NonterminalId> {
    let mut order = grammar.in_order();
    if stop.is_stopped() {
        return order;
    }
    let distinct =
        |grammar: &Grammar, id: NonterminalId| grammar.variable(id).unordered.as_ref()?.unordered.distinct;
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
    let is_operand = only_operands(grammar.variables.len(), grammar.start, uses);
    let mut taken: FxHashSet<String> =
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
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        grammar.variable_mut(operand).name = Some(name.into());
    }
    order.retain(|id| !operands.contains(id));
    order.extend(operands);
    order
}

struct Numbering<'a, 's> {
    old: Vec<Terminal>,
    lowered: Vec<Option<RegularId>>,
    new: Vec<Terminal>,
    languages: Vec<Option<RegularId>>,
    numbers: Vec<Option<TerminalId>>,
    stack: Vec<TerminalId>,
    names: ListNames,
    stop: &'a mut Stop<'s>,
}

impl Numbering<'_, '_> {
    fn number(&mut self, id: TerminalId) -> TerminalId {
        if let Some(number) = self.numbers[id.index()] {
            return number;
        }
        self.stack.push(id);
        while let Some(&id) = self.stack.last() {
            if self.stop.after(1) {
                return id;
            }
            if self.numbers[id.index()].is_some() {
                self.stack.pop();
                continue;
            }
            let pending = self.stack.len();
            let operands = self.old[id.index()].operands().iter().rev();
            self.stack.extend(operands.filter(|operand| self.numbers[operand.index()].is_none()));
            if self.stack.len() == pending {
                self.stack.pop();
                let new = self.renumbered(id);
                self.numbers[id.index()] = Some(TerminalId(self.new.len() as u32));
                self.new.push(new);
                self.languages.push(self.lowered[id.index()]);
            }
        }
        self.numbers[id.index()].unwrap_or(id)
    }

    fn renumbered(&mut self, id: TerminalId) -> Terminal {
        let mut terminal = std::mem::replace(&mut self.old[id.index()], Terminal::SpecialId(0));
        match &mut terminal {
            Terminal::Except(except) => {
                except.name = except.name.take().map(|name| self.names.of(&name));
            }
            other => {
                for operand in other.operands_mut() {
                    *operand = self.numbers[operand.index()].unwrap_or(*operand);
                }
            }
        }
        terminal
    }
}

/// Names for the rules that list the texts of `except!`: their own, unless the name is in use, as the rule of that name may
/// be written in another way by now.
struct ListNames {
    /// The names of nonterminals that are in use, and those that were; nothing where no texts are listed.
    taken: FxHashSet<String>,
    all: FxHashSet<String>,
    given: FxHashMap<String, String>,
    added: FxHashSet<String>,
}

impl ListNames {
    fn new(grammar: &Grammar) -> Self {
        let is_list =
            |terminal: &Terminal| matches!(terminal, Terminal::Except(except) if except.name.is_some());
        let has_lists = grammar.terminals.as_slice().iter().any(is_list);
        let variables = if has_lists { &grammar.variables[..] } else { &[] };
        let in_use = variables.iter().filter(|variable| variable.in_use);
        Self {
            taken: in_use.filter_map(|variable| variable.name.as_deref().map(str::to_owned)).collect(),
            all: variables
                .iter()
                .filter_map(|variable| variable.name.as_deref().map(str::to_owned))
                .collect(),
            given: FxHashMap::default(),
            added: FxHashSet::default(),
        }
    }

    fn of(&mut self, name: &str) -> String {
        if !self.taken.contains(name) {
            return name.to_owned();
        }
        if let Some(given) = self.given.get(name) {
            return given.clone();
        }
        let mut wish = format!("{name}_texts");
        let mut count = 1;
        while self.all.contains(&wish) || self.added.contains(&wish) {
            count += 1;
            wish = format!("{name}_texts_{count}");
        }
        self.added.insert(wish.clone());
        self.given.insert(name.to_owned(), wish.clone());
        wish
    }
}

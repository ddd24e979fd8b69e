//! Grammar under work to normal form: what is in use, numbered anew.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::form::{Nonterminal, NonterminalId, NormalForm, Symbol, Terminal, TerminalId};
use crate::grammar::{Atom, Factor, Grammar};

/// Numbers nonterminals in the order of the text, what is derived from a rule behind it; terminals as they appear, operands first.
///
/// The grammar must have gone through all passes.
pub(crate) fn finish(grammar: &Grammar) -> NormalForm {
    let order = grammar.in_order();
    let mut numbers: Vec<u32> = vec![0; grammar.variables.len()];
    for (number, id) in (0..).zip(&order) {
        numbers[id.index()] = number;
    }
    let mut numbering = Numbering {
        old: grammar.terminals.as_slice(),
        new: Vec::new(),
        numbers: vec![None; grammar.terminals.len()],
        names: ListNames::new(grammar),
    };
    let mut nonterminals = Vec::with_capacity(order.len());
    for &id in &order {
        let variable = grammar.variable(id);
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
        let productions = variable
            .productions
            .iter()
            .map(|production| production.iter().map(&mut symbol).collect())
            .collect();
        nonterminals.push(Nonterminal {
            name: variable.name.clone().unwrap_or_default(),
            productions,
            unordered: variable.unordered.as_ref().map(|selection| selection.unordered.clone()),
        });
    }
    NormalForm {
        start: NonterminalId(numbers[grammar.start.index()]),
        nonterminals,
        terminals: numbering.new,
    }
}

struct Numbering<'a> {
    old: &'a [Terminal],
    new: Vec<Terminal>,
    numbers: Vec<Option<TerminalId>>,
    names: ListNames<'a>,
}

impl Numbering<'_> {
    fn number(&mut self, id: TerminalId) -> TerminalId {
        if let Some(number) = self.numbers[id.index()] {
            return number;
        }
        let mut stack = vec![id];
        while let Some(&id) = stack.last() {
            if self.numbers[id.index()].is_some() {
                stack.pop();
                continue;
            }
            let terminal = &self.old[id.index()];
            let pending = stack.len();
            stack.extend(
                terminal.operands().iter().rev().filter(|operand| self.numbers[operand.index()].is_none()),
            );
            if stack.len() == pending {
                stack.pop();
                let new = self.renumbered(id);
                self.numbers[id.index()] = Some(TerminalId(self.new.len() as u32));
                self.new.push(new);
            }
        }
        self.numbers[id.index()].unwrap_or(id)
    }

    fn renumbered(&mut self, id: TerminalId) -> Terminal {
        let of = |id: &TerminalId| self.numbers[id.index()].unwrap_or(*id);
        let all = |ids: &[TerminalId]| ids.iter().map(of).collect();
        match &self.old[id.index()] {
            Terminal::Sequence(operands) => Terminal::Sequence(all(operands)),
            Terminal::Alternatives(operands) => Terminal::Alternatives(all(operands)),
            Terminal::And(operands) => Terminal::And(all(operands)),
            Terminal::Not(operand) => Terminal::Not(of(operand)),
            Terminal::Json(operand) => Terminal::Json(of(operand)),
            Terminal::Repeat { terminal, min, max } => {
                Terminal::Repeat { terminal: of(terminal), min: *min, max: *max }
            }
            Terminal::Except { name: Some(name), texts, max } => {
                Terminal::Except { name: Some(self.names.of(name)), texts: texts.clone(), max: *max }
            }
            terminal => terminal.clone(),
        }
    }
}

/// Names for the rules that list the texts of `except!`: their own, unless the name is in use, as the rule of that name may
/// be written in another way by now.
struct ListNames<'a> {
    taken: FxHashSet<&'a str>,
    all: &'a FxHashSet<String>,
    given: FxHashMap<String, String>,
    added: FxHashSet<String>,
}

impl<'a> ListNames<'a> {
    fn new(grammar: &'a Grammar) -> Self {
        let taken = grammar.in_use().filter_map(|(_, variable)| variable.name.as_deref()).collect();
        Self { taken, all: &grammar.names, given: FxHashMap::default(), added: FxHashSet::default() }
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

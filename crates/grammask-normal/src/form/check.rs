//! Checks the invariants of a normal form.

use grammask_regular::Store;
use grammask_work::narrow;
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use crate::cancellation::Cancellation;
use crate::form::{Except, NonterminalId, NormalForm, Production, Symbol, Terminal, TerminalId};
use crate::grammar::{Atom, Factor};
use crate::graph::{Lists, components};
use crate::liveness::Liveness;
use crate::unordered::Unordered;

/// A broken invariant of [`NormalForm`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Violation {
    /// A symbol or the start symbol is not a nonterminal of the normal form.
    #[error("{0} is out of range")]
    NonterminalOutOfRange(NonterminalId),
    /// A symbol is not a terminal of the normal form.
    #[error("{0} is out of range")]
    TerminalOutOfRange(TerminalId),
    /// An operand of a terminal does not precede it, or is a special token.
    #[error("an operand of {0} does not precede it, or is a special token")]
    Operand(TerminalId),
    /// Two terminals are equal.
    #[error("{0} is equal to an earlier terminal")]
    EqualTerminals(TerminalId),
    /// A name is not an identifier of KBNF, or not unique.
    #[error("{0} has a name that is not an identifier, or not unique")]
    Name(NonterminalId),
    /// The rule that lists the texts of an `except!` has the name of a nonterminal or of another list.
    #[error("{0} lists its texts in a rule whose name is in use")]
    ListName(TerminalId),
    /// A nonterminal has no productions.
    #[error("{0} has no productions")]
    NoProductions(NonterminalId),
    /// A production has no symbols.
    #[error("{0} has a production without symbols")]
    EmptyProduction(NonterminalId),
    /// Two productions of a nonterminal are equal.
    #[error("{0} has equal productions")]
    EqualProductions(NonterminalId),
    /// The bounds of a counted repetition are not 1 ≤ min ≤ max, 2 ≤ max.
    #[error("{0} has a counted repetition with wrong bounds")]
    Bounds(NonterminalId),
    /// A terminal in a production contains the empty string.
    #[error("{0} contains the empty string")]
    NullableTerminal(TerminalId),
    /// A terminal in a production contains no string.
    #[error("{0} contains no string")]
    EmptyTerminal(TerminalId),
    /// The language of a terminal cannot be compiled.
    #[error("the language of {0} cannot be compiled: {1}")]
    Lowering(TerminalId, String),
    /// A nonterminal is not reachable from the start symbol.
    #[error("{0} is not reachable from the start symbol")]
    Unreachable(NonterminalId),
    /// A production leads to no output.
    #[error("{0} has a production that leads to no output")]
    Dead(NonterminalId),
    /// An `unordered!` is invalid, or its productions are not one nonterminal each.
    #[error("{0} is not a valid `unordered!`")]
    Unordered(NonterminalId),
    /// A cycle of unit productions.
    #[error("{0} derives itself by unit productions")]
    UnitCycle(NonterminalId),
}

impl NormalForm {
    /// Checks the invariants listed at [`NormalForm`].
    ///
    /// # Errors
    /// Returns the first one that does not hold.
    ///
    /// # Complexity
    /// Linear, apart from compiling the languages of the terminals, for which it uses a store of its own.
    pub fn check(&self) -> Result<(), Violation> {
        self.check_ids()?;
        self.check_names()?;
        self.check_productions()?;
        self.check_terminals()?;
        self.check_reachable()?;
        self.check_unit_cycles()?;
        self.check_live()
    }

    fn entries(&self) -> impl Iterator<Item = (NonterminalId, &Vec<Production>)> {
        (0..).map(NonterminalId).zip(self.nonterminals.iter().map(|nonterminal| &nonterminal.productions))
    }

    fn check_ids(&self) -> Result<(), Violation> {
        let in_range = |id: NonterminalId| {
            if id.index() < self.nonterminals.len() {
                Ok(())
            } else {
                Err(Violation::NonterminalOutOfRange(id))
            }
        };
        in_range(self.start)?;
        for symbol in self.entries().flat_map(|(_, productions)| productions.iter().flatten()) {
            match *symbol {
                Symbol::Nonterminal(id) | Symbol::Repeat { nonterminal: id, .. } => in_range(id)?,
                Symbol::Terminal(id) if id.index() >= self.terminals.len() => {
                    return Err(Violation::TerminalOutOfRange(id));
                }
                Symbol::Terminal(_) => {}
            }
        }
        let mut seen = FxHashSet::default();
        for (id, terminal) in (0..).map(TerminalId).zip(&self.terminals) {
            let is_wrong =
                |operand: &TerminalId| *operand >= id || self.terminals[operand.index()].is_special();
            if terminal.operands().iter().any(is_wrong) {
                return Err(Violation::Operand(id));
            }
            if !seen.insert(terminal) {
                return Err(Violation::EqualTerminals(id));
            }
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), Violation> {
        let is_identifier = |name: &str| {
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
        };
        let mut seen = FxHashSet::default();
        for (id, nonterminal) in (0..).map(NonterminalId).zip(&self.nonterminals) {
            if !is_identifier(&nonterminal.name) || !seen.insert(nonterminal.name.as_str()) {
                return Err(Violation::Name(id));
            }
        }
        let mut lists: FxHashMap<&str, &[String]> = FxHashMap::default();
        for (id, terminal) in (0..).map(TerminalId).zip(&self.terminals) {
            if let Terminal::Except(except) = terminal
                && let Except { name: Some(name), texts, .. } = &**except
                && (!is_identifier(name)
                    || seen.contains(name.as_str())
                    || *lists.entry(name).or_insert(texts) != texts)
            {
                return Err(Violation::ListName(id));
            }
        }
        Ok(())
    }

    fn check_productions(&self) -> Result<(), Violation> {
        for (id, productions) in self.entries() {
            if productions.is_empty() && !(self.allows_empty && id == self.start) {
                return Err(Violation::NoProductions(id));
            }
            if let Some(unordered) = &self.nonterminals[id.index()].unordered {
                let is_part = |production: &Production| matches!(production[..], [Symbol::Nonterminal(_)]);
                let parts = unordered.items.len() + usize::from(unordered.has_separator);
                if productions.len() != parts
                    || !productions.iter().all(is_part)
                    || unordered.check().is_err()
                {
                    return Err(Violation::Unordered(id));
                }
                continue;
            }
            let mut seen = FxHashSet::default();
            for production in productions {
                if production.is_empty() {
                    return Err(Violation::EmptyProduction(id));
                }
                if !seen.insert(production) {
                    return Err(Violation::EqualProductions(id));
                }
                let is_wrong = |symbol: &Symbol| match *symbol {
                    Symbol::Repeat { min, max, .. } => min < 1 || max < 2 || max < min,
                    _ => false,
                };
                if production.iter().any(is_wrong) {
                    return Err(Violation::Bounds(id));
                }
            }
        }
        Ok(())
    }

    fn check_terminals(&self) -> Result<(), Violation> {
        let mut store = Store::new(&grammask_regular::Limits::default());
        let lowered = self
            .lower_all(&mut store)
            .map_err(|error| Violation::Lowering(TerminalId(0), error.to_string()))?;
        for symbol in self.entries().flat_map(|(_, productions)| productions.iter().flatten()) {
            if let Symbol::Terminal(id) = *symbol
                && let Some(language) = lowered[id.index()]
            {
                if store.is_nullable(language) {
                    return Err(Violation::NullableTerminal(id));
                }
                match store.is_empty(language) {
                    Ok(false) => {}
                    Ok(true) => return Err(Violation::EmptyTerminal(id)),
                    Err(error) => return Err(Violation::Lowering(id, error.to_string())),
                }
            }
        }
        Ok(())
    }

    fn check_reachable(&self) -> Result<(), Violation> {
        let mut is_reached = vec![false; self.nonterminals.len()];
        is_reached[self.start.index()] = true;
        let mut stack = vec![self.start];
        while let Some(id) = stack.pop() {
            for symbol in self.nonterminals[id.index()].productions.iter().flatten() {
                if let Symbol::Nonterminal(next) | Symbol::Repeat { nonterminal: next, .. } = *symbol
                    && !std::mem::replace(&mut is_reached[next.index()], true)
                {
                    stack.push(next);
                }
            }
        }
        match is_reached.iter().position(|reached| !reached) {
            Some(index) => Err(Violation::Unreachable(NonterminalId(narrow(index)))),
            None => Ok(()),
        }
    }

    fn check_unit_cycles(&self) -> Result<(), Violation> {
        let mut edges = Vec::new();
        for (id, productions) in self.entries() {
            if self.nonterminals[id.index()].unordered.is_some() {
                continue;
            }
            for production in productions {
                // A repetition of at least one may also be a single occurrence.
                if let [Symbol::Nonterminal(next)] | [Symbol::Repeat { nonterminal: next, min: 1, .. }] =
                    production[..]
                {
                    edges.push((id.0, next.0, matches!(production[0], Symbol::Nonterminal(_))));
                }
            }
        }
        let units: Vec<(u32, u32)> =
            edges.iter().filter(|edge| edge.2).map(|&(from, to, _)| (from, to)).collect();
        let component = components(&Lists::new(self.nonterminals.len(), &units));
        match units.iter().find(|&&(from, to)| component[from as usize] == component[to as usize]) {
            Some(&(from, _)) => Err(Violation::UnitCycle(NonterminalId(from))),
            None => Ok(()),
        }
    }

    fn check_live(&self) -> Result<(), Violation> {
        let factor = |symbol: &Symbol| match *symbol {
            Symbol::Nonterminal(id) => Factor::nonterminal(id),
            Symbol::Terminal(id) => Factor::terminal(id),
            Symbol::Repeat { nonterminal, min, max } => {
                Factor { atom: Atom::Nonterminal(nonterminal), min, max: Some(max) }
            }
        };
        let bodies: Vec<Vec<Vec<Factor>>> = self
            .entries()
            .map(|(_, productions)| {
                productions.iter().map(|symbols| symbols.iter().map(factor).collect()).collect()
            })
            .collect();
        let slices: Vec<&[Vec<Factor>]> = bodies.iter().map(Vec::as_slice).collect();
        let unordered: Vec<Option<&Unordered>> =
            self.nonterminals.iter().map(|nonterminal| nonterminal.unordered.as_deref()).collect();
        let liveness = Liveness::new(&slices, &unordered, |_| false, &mut Cancellation::new(&mut || false))
            .map_err(|_| Violation::Unordered(NonterminalId(0)))?;
        for (id, body) in (0..).map(NonterminalId).zip(&bodies) {
            for production in body {
                let first_endless =
                    production.iter().position(|factor| !liveness.is_finite(factor, |_| false));
                // No symbol may follow one that never ends.
                if let Some(at) = first_endless
                    && (at + 1 < production.len() || !liveness.is_endless(&production[at]))
                {
                    return Err(Violation::Dead(id));
                }
            }
        }
        Ok(())
    }
}

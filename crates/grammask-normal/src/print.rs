//! Prints grammars and normal forms as KBNF, by way of their syntax trees.

use std::fmt;

use grammask_syntax::{Ast, ExceptOperand, ExprId, ExprKind, Name, Quantifier, Rule, Span};
use grammask_work::narrow;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::form::{Except, NonterminalId, NormalForm, Production, Symbol, Terminal, TerminalId};
use crate::grammar::{Atom, Factor, Grammar};
use crate::unordered::{Unordered, distinct_operands};

/// Converts a grammar to a syntax tree. A nonterminal without alternatives becomes `A ::= A;`, which also
/// produces nothing.
pub(crate) fn grammar_to_ast(grammar: &Grammar) -> Ast {
    let names: Vec<Option<&str>> =
        grammar.variables.iter().map(|variable| variable.name.as_deref()).collect();
    let names_in_use = grammar.in_use().filter_map(|(_, variable)| variable.name.as_deref()).collect();
    let bodies = grammar.variables.iter().map(|variable| variable.productions.as_slice()).collect();
    let mut writer = TreeWriter::new(grammar.terminals.as_slice(), names, bodies, names_in_use);
    let unordered = grammar.variables.iter().map(|variable| variable.unordered.as_ref());
    writer.unordered = unordered.map(|spanned| spanned.map(|spanned| &spanned.unordered)).collect();
    writer.start(grammar.start_name(), grammar.start, grammar.allows_empty);
    if grammar.rules.is_empty() {
        for id in grammar.in_order() {
            let variable = grammar.variable(id);
            if variable.name.is_some() {
                writer.rule(id, 0, variable.productions.len());
            }
        }
    } else {
        let mut written: FxHashMap<NonterminalId, usize> = FxHashMap::default();
        for &(id, count) in &grammar.rules {
            let from = written.entry(id).or_default();
            writer.rule(id, *from, *from + count);
            *from += count;
        }
    }
    writer.finish()
}

impl NormalForm {
    /// Returns, for each nonterminal, true if it is only an operand of `distinct!`, which is printed in
    /// place.
    fn is_printed_in_place(&self) -> Vec<bool> {
        let uses = self.nonterminals.iter().flat_map(|entry| {
            let distinct = entry.unordered.as_ref().and_then(|unordered| unordered.distinct_text());
            let symbols = (0..).zip(&entry.productions);
            let symbols =
                symbols.flat_map(|(place, production)| production.iter().map(move |symbol| (place, symbol)));
            symbols.filter_map(move |(place, symbol)| match *symbol {
                Symbol::Nonterminal(id) | Symbol::Repeat { nonterminal: id, .. } => {
                    Some((id, distinct == Some(place)))
                }
                Symbol::Terminal(_) => None,
            })
        });
        distinct_operands(self.nonterminals.len(), self.start, uses)
    }

    /// Converts the normal form to a syntax tree without spans.
    ///
    /// # Complexity
    /// Linear in the size of the tree, in which a terminal is written out at each use.
    ///
    /// ```
    /// let ast = grammask_syntax::parse("start ::= ('a' 'b')?;", &Default::default()).unwrap();
    /// let normal = grammask_normal::normalize(&ast, &Default::default()).unwrap();
    /// assert_eq!(normal.to_ast().to_string(), normal.to_string());
    /// ```
    pub fn to_ast(&self) -> Ast {
        let factor = |symbol: &Symbol| match *symbol {
            Symbol::Nonterminal(id) => Factor::nonterminal(id),
            Symbol::Terminal(id) => Factor::terminal(id),
            Symbol::Repeat { nonterminal, min, max } => {
                Factor { atom: Atom::Nonterminal(nonterminal), min, max: Some(max) }
            }
        };
        let production = |production: &Production| production.iter().map(factor).collect();
        let bodies: Vec<Vec<Vec<Factor>>> = self
            .nonterminals
            .iter()
            .map(|nonterminal| nonterminal.productions.iter().map(production).collect())
            .collect();
        let names: Vec<Option<&str>> =
            self.nonterminals.iter().map(|entry| Some(entry.name.as_str())).collect();
        let names_in_use = names.iter().copied().flatten().collect();
        let mut writer =
            TreeWriter::new(&self.terminals, names, bodies.iter().map(Vec::as_slice).collect(), names_in_use);
        writer.unordered = self.nonterminals.iter().map(|entry| entry.unordered.as_deref()).collect();
        writer.start(&self.nonterminals[self.start.index()].name, self.start, self.allows_empty);
        let is_in_place = self.is_printed_in_place();
        for (index, body) in bodies.iter().enumerate().filter(|&(index, _)| !is_in_place[index]) {
            writer.rule(NonterminalId(narrow(index)), 0, body.len());
        }
        writer.finish()
    }

    /// Returns a terminal as KBNF.
    ///
    /// # Panics
    /// If the id is not of this normal form.
    pub fn terminal_text(&self, id: TerminalId) -> String {
        terminal_text(&self.terminals, id)
    }
}

/// Returns a terminal of an arena as KBNF, as [`NormalForm::terminal_text`] does.
///
/// # Panics
/// If the id is out of range.
pub fn terminal_text(terminals: &[Terminal], id: TerminalId) -> String {
    let mut writer = TreeWriter::new(terminals, Vec::new(), Vec::new(), FxHashSet::default());
    writer.steps.push(Step::Terminal(id));
    let expr = writer.run();
    writer.ast.display_expr(expr).to_string()
}

/// `{}` is valid KBNF with one rule per line. `{:#}` adds comments with the ids of nonterminals and
/// terminals.
impl fmt::Display for NormalForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_ast().to_string().fmt(f)?;
        if f.alternate() {
            for (index, nonterminal) in (0..).zip(&self.nonterminals) {
                writeln!(f, "(* {} = {} *)", NonterminalId(index), nonterminal.name)?;
            }
            for index in 0..self.terminals.len() {
                let id = TerminalId(narrow(index));
                // A `*)` in a text would end the comment.
                writeln!(f, "(* {id} = {} *)", self.terminal_text(id).replace("*)", "*\\x29"))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for NonterminalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nonterminal{}", self.0)
    }
}

impl fmt::Display for TerminalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "terminal{}", self.0)
    }
}

/// Builds a syntax tree bottom up, with an explicit stack.
struct TreeWriter<'a> {
    terminals: &'a [Terminal],
    /// By nonterminal: its name. `None` for a group.
    names: Vec<Option<&'a str>>,
    /// By nonterminal: its productions.
    bodies: Vec<&'a [Vec<Factor>]>,
    /// By nonterminal: its `unordered!`. Empty if the writer has no nonterminals.
    unordered: Vec<Option<&'a Unordered>>,
    /// The start symbol, if the grammar accepts the empty text. Without productions, it is printed as `''`.
    empty_rule: Option<NonterminalId>,
    /// By terminal: the name of the rule as which it is printed, if it is a part of several others. Empty
    /// unless the terminals would be too long in full.
    shared: Vec<Option<String>>,
    /// Names of the rules in use.
    names_in_use: FxHashSet<&'a str>,
    /// The rules that list texts for `except!`: the name in the grammar, the printed name, and the texts.
    lists: Vec<(&'a str, String, &'a [String])>,
    /// By name in the grammar: the index in `lists`.
    list_of: FxHashMap<&'a str, usize>,
    /// The printed names of `lists`.
    list_names: FxHashSet<String>,
    ast: Ast,
    /// The steps still to be taken, the next one last.
    steps: Vec<Step>,
    /// Finished expressions that wait for their parent.
    finished: Vec<ExprId>,
}

/// A step of building the tree. `Close…` combines finished expressions into one.
enum Step {
    Terminal(TerminalId),
    CloseTerminal(TerminalId),
    /// The alternatives `from..to` of a nonterminal or group.
    Body(NonterminalId, usize, usize),
    Factor(Factor),
    CloseFactor(u32, Option<u32>),
    CloseSequence(usize),
    CloseAlternatives(usize),
    CloseItem(u32, Option<u32>),
    CloseDistinct,
    CloseUnordered(NonterminalId),
}

impl<'a> TreeWriter<'a> {
    fn new(
        terminals: &'a [Terminal],
        names: Vec<Option<&'a str>>,
        bodies: Vec<&'a [Vec<Factor>]>,
        names_in_use: FxHashSet<&'a str>,
    ) -> Self {
        Self {
            terminals,
            names,
            bodies,
            unordered: Vec::new(),
            empty_rule: None,
            shared: shared_names(terminals, &names_in_use),
            names_in_use,
            lists: Vec::new(),
            list_of: FxHashMap::default(),
            list_names: FxHashSet::default(),
            ast: Ast::default(),
            steps: Vec::new(),
            finished: Vec::new(),
        }
    }

    fn start(&mut self, name: &str, id: NonterminalId, allows_empty: bool) {
        if name != "start" || allows_empty {
            self.ast.start = Some(Name { text: name.to_owned(), span: Span::default() });
            self.ast.allows_empty = allows_empty;
        }
        self.empty_rule = allows_empty.then_some(id);
    }

    fn rule(&mut self, id: NonterminalId, from: usize, to: usize) {
        let name = self.names[id.index()].unwrap_or_default();
        let body = if from == to && self.empty_rule == Some(id) {
            self.push(ExprKind::Text(String::new().into()))
        } else if from == to {
            self.push(ExprKind::Nonterminal(name.into()))
        } else {
            self.steps.push(Step::Body(id, from, to));
            self.run()
        };
        self.push_rule(name.to_owned(), body);
    }

    fn push_rule(&mut self, name: String, body: ExprId) {
        let span = Span::default();
        self.ast.rules.push(Rule { name: Name { text: name, span }, body, span });
    }

    fn push(&mut self, kind: ExprKind) -> ExprId {
        self.ast.push(kind, Span::default())
    }

    /// Adds the rules of shared terminals and those that list texts for `except!`, and returns the tree.
    fn finish(mut self) -> Ast {
        for index in 0..self.shared.len() {
            if let Some(name) = self.shared[index].clone() {
                self.open_terminal(TerminalId(narrow(index)));
                let body = self.run();
                self.push_rule(name, body);
            }
        }
        for (_, name, texts) in std::mem::take(&mut self.lists) {
            let texts: Vec<ExprId> =
                texts.iter().map(|text| self.push(ExprKind::Text(text.clone().into()))).collect();
            let body =
                if let [text] = texts[..] { text } else { self.push(ExprKind::Alternatives(texts.into())) };
            self.push_rule(name, body);
        }
        self.ast
    }

    /// Takes all steps, and returns the expression that they build.
    fn run(&mut self) -> ExprId {
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Terminal(id) => match self.shared.get(id.index()) {
                    Some(Some(name)) => {
                        let kind = ExprKind::Nonterminal(name.as_str().into());
                        let expr = self.push(kind);
                        self.finished.push(expr);
                    }
                    _ => self.open_terminal(id),
                },
                Step::CloseTerminal(id) => {
                    let terminals = self.terminals;
                    let expr = self.terminal(&terminals[id.index()]);
                    self.finished.push(expr);
                }
                Step::Body(id, from, to) => match self.unordered_of(id) {
                    Some(unordered) => self.open_unordered(id, unordered),
                    None => self.open_alternatives(id, from, to),
                },
                Step::Factor(factor) => self.open_factor(factor),
                Step::CloseFactor(1, Some(1)) => {}
                Step::CloseFactor(min, max) => {
                    let quantifier = quantifier(min, max);
                    self.replace_last(|expr| ExprKind::Repeat { expr, quantifier });
                }
                Step::CloseSequence(0) => {
                    let expr = self.push(ExprKind::Text(String::new().into()));
                    self.finished.push(expr);
                }
                Step::CloseSequence(count) => self.close(count, |parts| ExprKind::Sequence(parts.into())),
                Step::CloseAlternatives(count) => {
                    self.close(count, |parts| ExprKind::Alternatives(parts.into()));
                }
                Step::CloseItem(min, max) => self.close_item(min, max),
                Step::CloseDistinct => self.replace_last(ExprKind::Distinct),
                Step::CloseUnordered(id) => self.close_unordered(id),
            }
        }
        self.finished.pop().expect("the last step finishes an expression")
    }

    /// Adds the steps for a terminal in full.
    fn open_terminal(&mut self, id: TerminalId) {
        self.steps.push(Step::CloseTerminal(id));
        let operands = self.terminals[id.index()].operands().iter();
        self.steps.extend(operands.rev().map(|&operand| Step::Terminal(operand)));
    }

    /// Adds the steps for alternatives of a nonterminal or group.
    fn open_alternatives(&mut self, id: NonterminalId, from: usize, to: usize) {
        self.steps.push(Step::CloseAlternatives(to - from));
        for production in self.bodies[id.index()][from..to].iter().rev() {
            self.steps.push(Step::CloseSequence(production.len()));
            self.steps.extend(production.iter().rev().map(|&factor| Step::Factor(factor)));
        }
    }

    /// Adds the steps for a factor.
    fn open_factor(&mut self, factor: Factor) {
        self.steps.push(Step::CloseFactor(factor.min, factor.max));
        match factor.atom {
            Atom::Terminal(id) => self.steps.push(Step::Terminal(id)),
            Atom::Nonterminal(id) => match self.names[id.index()] {
                Some(name) => {
                    let expr = self.push(ExprKind::Nonterminal(name.into()));
                    self.finished.push(expr);
                }
                None => self.steps.push(Step::Body(id, 0, self.bodies[id.index()].len())),
            },
        }
    }

    /// Adds the steps for the items and the separator of an `unordered!`.
    fn open_unordered(&mut self, id: NonterminalId, unordered: &Unordered) {
        self.steps.push(Step::CloseUnordered(id));
        for (part, production) in self.bodies[id.index()].iter().enumerate().rev() {
            if unordered.distinct.is_some_and(|item| item as usize == part) {
                self.steps.push(Step::CloseDistinct);
                let operand = production.first().map(|&factor| match unordered.distinct_values {
                    true => factor,
                    false => self.terminal_of(factor),
                });
                self.steps.extend(operand.map(Step::Factor));
                continue;
            }
            if let Some(&(min, max)) = unordered.items.get(part) {
                self.steps.push(Step::CloseItem(min, max));
            }
            self.steps.extend(production.iter().map(|&factor| Step::Factor(factor)));
        }
    }

    /// Adds the bounds of an item to the last finished expression.
    fn close_item(&mut self, min: u32, max: Option<u32>) {
        let item = *self.finished.last().expect("the item is finished");
        // A repetition that is an item needs a quantifier of its own, or its own would be read as the item's.
        let is_repeated = matches!(self.ast.expr(item).kind, ExprKind::Repeat { .. });
        if is_repeated || (min, max) != (1, Some(1)) {
            self.replace_last(|expr| ExprKind::Repeat { expr, quantifier: quantifier(min, max) });
        }
    }

    /// Combines the finished items and the separator into an `unordered!`.
    fn close_unordered(&mut self, id: NonterminalId) {
        let unordered = self.unordered_of(id).expect("the nonterminal is an `unordered!`");
        let count = unordered.items.len() + usize::from(unordered.has_separator);
        let kind = grammask_syntax::Unordered {
            parts: self.finished.split_off(self.finished.len() - count).into(),
            has_separator: unordered.has_separator,
            min: unordered.min,
            max: unordered.max,
            requires: unordered.requires.clone(),
        };
        let expr = self.push(ExprKind::Unordered(kind.into()));
        self.finished.push(expr);
    }

    /// Replaces the last finished expression by one that contains it.
    fn replace_last(&mut self, kind: impl FnOnce(ExprId) -> ExprKind) {
        let inner = self.finished.pop().expect("an expression is finished");
        let expr = self.push(kind(inner));
        self.finished.push(expr);
    }

    /// Returns the terminal of an operand of `distinct!`, which may have got a nonterminal of its own.
    fn terminal_of(&self, factor: Factor) -> Factor {
        let Some(id) = factor.as_nonterminal() else { return factor };
        self.bodies[id.index()].first().and_then(|production| production.first()).copied().unwrap_or(factor)
    }

    /// Returns the `unordered!` that a nonterminal is.
    fn unordered_of(&self, id: NonterminalId) -> Option<&'a Unordered> {
        self.unordered.get(id.index()).copied().flatten()
    }

    /// Combines the last `count` finished expressions into one. A single one stays as it is.
    fn close(&mut self, count: usize, kind: impl FnOnce(Vec<ExprId>) -> ExprKind) {
        if count > 1 {
            let parts = self.finished.split_off(self.finished.len() - count);
            let expr = self.push(kind(parts));
            self.finished.push(expr);
        }
    }

    /// Returns the expression of a terminal. Takes those of its operands from the finished ones.
    fn terminal(&mut self, terminal: &'a Terminal) -> ExprId {
        let mut operands = self.finished.split_off(self.finished.len() - terminal.operands().len());
        let kind = match terminal {
            Terminal::Text(text) => ExprKind::Text(text.clone()),
            Terminal::Regex(pattern) => ExprKind::Regex(pattern.clone()),
            Terminal::Early(pattern) => ExprKind::PrefixMinimal(pattern.clone()),
            Terminal::Without(pattern) => ExprKind::NotContaining(pattern.clone()),
            Terminal::Substrings(text) => ExprKind::Substrings(text.clone()),
            Terminal::Except(except) => {
                let Except { name, texts, max } = &**except;
                let operand = match name {
                    Some(name) => {
                        let text = self.list_name(name, texts);
                        ExceptOperand::Nonterminal(Name { text, span: Span::default() })
                    }
                    None => ExceptOperand::Text(texts.first().cloned().unwrap_or_default().into()),
                };
                ExprKind::Except { operand: Box::new(operand), max: *max }
            }
            Terminal::Json(_, escapes) => {
                ExprKind::Json(operands.pop().expect("spellings have an operand"), *escapes)
            }
            Terminal::Compared(comparison, bound) => ExprKind::Compared(*comparison, bound.clone()),
            Terminal::Multiple(numeral) => ExprKind::Multiple(numeral.clone()),
            Terminal::SpecialName(name) => ExprKind::SpecialName(name.clone()),
            Terminal::SpecialId(id) => ExprKind::SpecialId(*id),
            Terminal::SpecialSet(set) => ExprKind::SpecialSet(set.clone()),
            Terminal::ChunkRuns(chunks) => ExprKind::ChunkRuns(chunks.clone()),
            Terminal::Sequence(_) => ExprKind::Sequence(operands.into()),
            Terminal::Alternatives(_) => ExprKind::Alternatives(operands.into()),
            Terminal::Repeat { min, max, .. } => ExprKind::Repeat {
                expr: operands.pop().expect("a repetition has an operand"),
                quantifier: quantifier(*min, *max),
            },
            Terminal::And(_) => ExprKind::And(operands.into()),
            Terminal::Not(_) => ExprKind::Not(operands.pop().expect("a complement has an operand")),
        };
        self.push(kind)
    }

    /// Returns the printed name of a rule that lists texts: its own, unless a rule in use has that name. The
    /// passes may have rewritten that rule.
    fn list_name(&mut self, name: &'a str, texts: &'a [String]) -> String {
        let index = match self.list_of.get(name) {
            Some(&index) => index,
            None => {
                let mut printed = name.to_owned();
                let mut count = 0;
                while self.names_in_use.contains(printed.as_str()) || self.list_names.contains(&printed) {
                    count += 1;
                    printed =
                        if count == 1 { format!("{name}_texts") } else { format!("{name}_texts_{count}") };
                }
                self.list_names.insert(printed.clone());
                self.list_of.insert(name, self.lists.len());
                self.lists.push((name, printed, texts));
                self.lists.len() - 1
            }
        };
        self.lists[index].1.clone()
    }
}

/// Number of expressions of a terminal up to which all terminals are printed in full.
const MAX_PRINTED_EXPRESSIONS: u64 = 1 << 20;

/// Minimum number of expressions of a terminal that is printed as a rule, if several others share it.
const MIN_SHARED_EXPRESSIONS: u64 = 64;

/// Returns, for each terminal, the name of the rule as which it is printed. Without such rules, terminals
/// that double each other would be printed in exponential length. Empty if no terminal is too long.
fn shared_names(terminals: &[Terminal], names_in_use: &FxHashSet<&str>) -> Vec<Option<String>> {
    let mut sizes: Vec<u64> = Vec::with_capacity(terminals.len());
    let mut uses = vec![0u32; terminals.len()];
    for terminal in terminals {
        let mut size = 1u64;
        for operand in terminal.operands() {
            size = size.saturating_add(sizes[operand.index()]);
            uses[operand.index()] = uses[operand.index()].saturating_add(1);
        }
        sizes.push(size);
    }
    if sizes.iter().all(|&size| size <= MAX_PRINTED_EXPRESSIONS) {
        return Vec::new();
    }
    let name = |(index, (&size, &uses)): (usize, (&u64, &u32))| {
        (size >= MIN_SHARED_EXPRESSIONS && uses > 1).then(|| {
            let mut name = format!("regular_{index}");
            while names_in_use.contains(name.as_str()) {
                name.push('_');
            }
            name
        })
    };
    sizes.iter().zip(&uses).enumerate().map(name).collect()
}

const fn quantifier(min: u32, max: Option<u32>) -> Quantifier {
    match (min, max) {
        (0, Some(1)) => Quantifier::Option,
        (0, None) => Quantifier::Star,
        (1, None) => Quantifier::Plus,
        _ => Quantifier::Bounds { min, max },
    }
}

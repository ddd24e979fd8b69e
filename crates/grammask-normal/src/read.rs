//! Syntax tree to grammar under work, with everything checked that a tree can get wrong: names, operands, regexes. All errors are
//! collected before any is returned.

mod except_texts;
mod terminal;
mod unordered;

use grammask_regular::Store;
use grammask_syntax::{Ast, ExprId, ExprKind, Recovered, Span, Text, suggest};
use rustc_hash::FxHashMap;

use crate::Config;
use crate::cancellation::Stop;
use crate::error::{Error, ErrorKind, Errors};
use crate::form::{NonterminalId, Terminal, TerminalId};
use crate::grammar::terminals::Terminals;
use crate::grammar::{Atom, Factor, Grammar, Variable};
use crate::unordered::Unordered;
use except_texts::ExceptTexts;

/// How many misspelt names get a suggestion: comparing with all names takes time.
const MAX_SUGGESTIONS: usize = 20;

impl Grammar {
    /// Reads a syntax tree and checks it; languages of regexes are made in `store`.
    ///
    /// Rules that nobody reaches are checked too. Parts under `&`, `~` and `json!` become one terminal each, and so do counted
    /// repetitions (`x{2,5}`) of regular parts.
    ///
    /// # Errors
    /// Everything that is wrong, ordered by place: undefined nonterminals, wrong operands of `except!`, `&`, `~` and `json!`, wrong
    /// regexes, a start symbol without a rule, broken limits.
    ///
    /// # Complexity
    /// Linear in the size of the tree, and in that of the texts listed for `except!`.
    pub fn read(ast: &Ast, store: &mut Store, config: &Config) -> Result<Self, Errors> {
        Ok(Self::read_unless(ast, store, config, &mut || false)?.expect("nobody stops it"))
    }

    /// The same, unless somebody who is asked all the time says to stop: nothing then.
    pub(crate) fn read_unless(
        ast: &Ast,
        store: &mut Store,
        config: &Config,
        is_stopped: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Self>, Errors> {
        let mut reader = Reader::new(ast, None, store, config, is_stopped);
        reader.mark()?;
        reader.read_exprs();
        reader.read_rules();
        if reader.stop.is_stopped() {
            return Ok(None);
        }
        reader.finish().map(Some)
    }
}

/// Finds what is wrong with the meaning of what could be read of a wrong text, as far as that can be said without the rest.
///
/// # Errors
/// What [`Grammar::read`] finds, but for what may only be a consequence of what is wrong with the text: a nonterminal that may
/// have a rule in what could not be read, `except!` of a nonterminal some rules of which are not known as they are, a
/// start symbol that may be named there.
///
/// # Complexity
/// As [`Grammar::read`].
///
/// # Example
///
/// ```
/// let text = "start ::= numbr | word; number ::= #'[0-9'; word ::= 'a' | ;";
/// let recovered = grammask_syntax::parse_or_recover(text, &Default::default()).unwrap_err();
/// assert_eq!(recovered.errors.to_string(), "at byte 59: empty alternative");
/// let errors = grammask_normal::check_recovered(&recovered, &Default::default()).unwrap_err();
/// assert_eq!(
///     errors.to_string(),
///     "undefined nonterminal `numbr` (at byte 10); invalid regex: unclosed character class (at byte 37)",
/// );
/// ```
pub fn check_recovered(recovered: &Recovered, config: &Config) -> Result<(), Errors> {
    let store = &mut Store::new(&config.regular);
    let mut never = || false;
    let mut reader = Reader::new(&recovered.ast, Some(recovered), store, config, &mut never);
    reader.mark()?;
    reader.read_exprs();
    reader.find_start();
    reader.give_errors()
}

/// Whether these are so many alternatives that they are mostly texts, each another terminal.
fn regular_list(kind: &ExprKind) -> bool {
    const MANY: usize = 1 << 12;
    matches!(kind, ExprKind::Alternatives(parts) if parts.len() >= MANY)
}

/// Beside many texts there are so many other terminals, or more of them move all others to where there is room.
const FEW_MORE: usize = 1 << 12;

/// A regex of so many bytes takes long enough that somebody may want to stop it.
const LONG_REGEX: usize = 1 << 12;

/// What an expression has become; its parent decides whether it needs a group.
enum Part {
    Factor(Factor),
    Sequence(Vec<Factor>),
    Alternatives(Vec<Vec<Factor>>),
    /// Taken by its parent, or of no use because of an error.
    Nothing,
}

/// Bits of an expression.
const REGULAR: u8 = 1;
/// Has to become a terminal, not a factor.
const AS_TERMINAL: u8 = 2;
/// Is an operand of `&`, at any depth.
const UNDER_AND: u8 = 4;
/// Is an operand of `~`, at any depth.
const UNDER_NOT: u8 = 8;
/// Is an item of `unordered!`, where a repetition says how often it may occur.
const IS_ITEM: u8 = 16;
/// Is an operand of `json!`, at any depth.
const UNDER_JSON: u8 = 32;
/// Is an operand of `distinct!`, at any depth.
const UNDER_DISTINCT: u8 = 64;
/// Which of them is the innermost.
const UNDER: u8 = UNDER_AND | UNDER_NOT | UNDER_JSON | UNDER_DISTINCT;

struct Reader<'a> {
    ast: &'a Ast,
    /// Of a text that is wrong: what may be more than `ast` says.
    recovered: Option<&'a Recovered>,
    store: &'a mut Store,
    config: &'a Config,
    /// Once it is stopped, only some is read, and the rest means nothing.
    stop: Stop<'a>,
    ids: FxHashMap<&'a str, NonterminalId>,
    variables: Vec<Variable>,
    terminals: Terminals,
    marks: Vec<u8>,
    parts: Vec<Part>,
    rules: Vec<(NonterminalId, usize)>,
    except: ExceptTexts<'a>,
    suggestions: FxHashMap<&'a str, Option<String>>,
    errors: Vec<Error>,
    omitted: usize,
}

impl<'a> Reader<'a> {
    fn new(
        ast: &'a Ast,
        recovered: Option<&'a Recovered>,
        store: &'a mut Store,
        config: &'a Config,
        is_stopped: &'a mut dyn FnMut() -> bool,
    ) -> Self {
        let mut stop = Stop::new(is_stopped);
        let mut ids = FxHashMap::default();
        // Groups and terminals are mostly fewer than that.
        let few = ast.exprs.len() / 4;
        let mut variables = Vec::with_capacity(ast.rules.len() + few);
        for rule in &ast.rules {
            if stop.after(1) {
                break;
            }
            ids.entry(rule.name.text.as_str()).or_insert_with(|| {
                let id = NonterminalId(variables.len() as u32);
                let name = Some(Text::from(&rule.name.text));
                variables.push(Variable {
                    name,
                    origin: id,
                    serial: 0,
                    derived: 0,
                    productions: Vec::new(),
                    in_use: true,
                    unordered: None,
                });
                id
            });
        }
        Self {
            ast,
            recovered,
            store,
            config,
            stop,
            ids,
            variables,
            terminals: Terminals::with_capacity(few + 16),
            marks: vec![0; ast.exprs.len()],
            parts: Vec::new(),
            rules: Vec::new(),
            except: ExceptTexts::new(ast, config.max_except_bytes),
            suggestions: FxHashMap::default(),
            errors: Vec::new(),
            omitted: 0,
        }
    }

    fn report(&mut self, kind: ErrorKind, span: Span) {
        if self.errors.len() < self.config.max_errors.max(1) {
            self.errors.push(Error::new(kind, span));
        } else {
            self.omitted += 1;
        }
    }

    /// Finds out which expressions are regular and which have to become terminals; and that the tree is one.
    fn mark(&mut self) -> Result<(), Error> {
        let exprs = &self.ast.exprs;
        let mut used = vec![false; exprs.len()];
        let malformed = |expr: usize| {
            Error::new(
                ErrorKind::MalformedTree { expr },
                exprs.get(expr).map(|expr| expr.span).unwrap_or_default(),
            )
        };
        for (index, expr) in exprs.iter().enumerate() {
            let children = expr.kind.children();
            if regular_list(&expr.kind) {
                // Nobody waits until all before have been moved to where there is room.
                self.terminals.reserve(children.len() + FEW_MORE);
            }
            if self.stop.after(1 + children.len() / 64) {
                return Ok(());
            }
            if matches!(&expr.kind, ExprKind::Sequence(parts) | ExprKind::Alternatives(parts) | ExprKind::And(parts) if parts.is_empty())
            {
                return Err(malformed(index));
            }
            let mut regular = !matches!(
                expr.kind,
                ExprKind::Nonterminal(_)
                    | ExprKind::SpecialName(_)
                    | ExprKind::SpecialId(_)
                    | ExprKind::Unordered(_)
                    | ExprKind::Distinct(_)
            );
            for child in children {
                if child.index() >= index || std::mem::replace(&mut used[child.index()], true) {
                    return Err(malformed(index));
                }
                regular &= self.marks[child.index()] & REGULAR != 0;
            }
            if matches!(&expr.kind, ExprKind::Unordered(unordered) if !unordered.is_in_order()) {
                return Err(malformed(index));
            }
            if let ExprKind::Repeat { quantifier, .. } = &expr.kind
                && let (min, Some(max)) = quantifier.bounds()
                && min > max
            {
                return Err(malformed(index));
            }
            self.marks[index] = if regular { REGULAR } else { 0 };
        }
        for rule in &self.ast.rules {
            if self.stop.after(1) {
                return Ok(());
            }
            let body = rule.body.index();
            if body >= exprs.len() || std::mem::replace(&mut used[body], true) {
                return Err(malformed(body));
            }
        }
        for (index, expr) in exprs.iter().enumerate().rev() {
            if self.stop.after(1) {
                return Ok(());
            }
            let mut inherited = self.marks[index] & (AS_TERMINAL | UNDER);
            match &expr.kind {
                ExprKind::Unordered(unordered) => {
                    for item in unordered.items() {
                        self.marks[item.index()] |= IS_ITEM;
                    }
                }
                ExprKind::Repeat { .. } if self.marks[index] & IS_ITEM != 0 => {}
                ExprKind::And(_) => inherited = AS_TERMINAL | UNDER_AND,
                ExprKind::Not(_) => inherited = AS_TERMINAL | UNDER_NOT,
                ExprKind::Json(_) => inherited = AS_TERMINAL | UNDER_JSON,
                ExprKind::Distinct(_) => inherited = AS_TERMINAL | UNDER_DISTINCT,
                // Counted repetition of a regular part is a terminal with a counter.
                ExprKind::Repeat { quantifier, .. } if self.marks[index] & REGULAR != 0 => {
                    let (min, max) = quantifier.bounds();
                    if min > 1 || max.is_some_and(|max| max > 1) {
                        inherited |= AS_TERMINAL;
                        self.marks[index] |= AS_TERMINAL;
                    }
                }
                _ => {}
            }
            for child in expr.kind.children() {
                self.marks[child.index()] |= inherited;
            }
        }
        Ok(())
    }

    /// Reads a regex that takes long ahead, so that it is only looked up afterwards; whether nobody has stopped it. What is wrong with it is told then.
    fn reads_long_regex(&mut self, kind: &ExprKind) -> bool {
        match kind {
            ExprKind::Regex(pattern) | ExprKind::Early(pattern) | ExprKind::Without(pattern)
                if pattern.len() >= LONG_REGEX =>
            {
                !matches!(self.store.cancellable(|| self.stop.is_stopped()).regex(pattern), Ok(None))
            }
            _ => true,
        }
    }

    /// Reads the expressions, operands before what is made of them.
    fn read_exprs(&mut self) {
        let ast = self.ast;
        self.parts.reserve(ast.exprs.len());
        for (index, expr) in ast.exprs.iter().enumerate() {
            if self.stop.after(1) || !self.reads_long_regex(&expr.kind) {
                return;
            }
            let part = match &expr.kind {
                ExprKind::Nonterminal(name) => self.nonterminal(name, index, expr.span),
                ExprKind::Unordered(unordered) => {
                    let limits = Unordered {
                        items: Vec::new(),
                        has_separator: unordered.has_separator,
                        min: unordered.min,
                        max: unordered.max,
                        needs: unordered.needs.clone(),
                        distinct: None,
                    };
                    self.unordered(&unordered.parts, limits, index, expr.span)
                }
                ExprKind::Repeat { expr, .. } if self.marks[index] & IS_ITEM != 0 => self.take_part(*expr),
                ExprKind::Distinct(child) => self.distinct(*child, index, expr.span),
                ExprKind::Sequence(children) if self.marks[index] & AS_TERMINAL == 0 => {
                    Part::Sequence(children.iter().map(|child| self.take_factor(*child)).collect())
                }
                ExprKind::Alternatives(children) if self.marks[index] & AS_TERMINAL == 0 => {
                    let mut productions = Vec::with_capacity(children.len());
                    for &child in children {
                        if self.stop.after(1) {
                            return;
                        }
                        productions.push(self.take_production(child));
                    }
                    Part::Alternatives(productions)
                }
                ExprKind::Repeat { expr, quantifier } if self.marks[index] & AS_TERMINAL == 0 => {
                    let (min, max) = quantifier.bounds();
                    let factor = self.take_factor(*expr);
                    let atom = if factor.is_once() { factor.atom } else { self.group(vec![vec![factor]]) };
                    Part::Factor(Factor { atom, min, max })
                }
                kind => match self.terminal(kind, index, expr.span) {
                    Some(id) => Part::Factor(Factor::terminal(id)),
                    None => Part::Nothing,
                },
            };
            self.parts.push(part);
        }
    }

    fn nonterminal(&mut self, name: &'a str, index: usize, span: Span) -> Part {
        let Some(&id) = self.ids.get(name) else {
            self.undefined(name, span);
            return Part::Nothing;
        };
        let marks = self.marks[index];
        if marks & UNDER != 0 {
            self.not_regular(marks, format!("the nonterminal `{name}`"), span);
            return Part::Nothing;
        }
        Part::Factor(Factor::nonterminal(id))
    }

    /// Whether a nonterminal may have rules that could not be read.
    fn is_incomplete(&self, name: &str) -> bool {
        self.recovered.is_some_and(|recovered| recovered.is_incomplete(name))
    }

    fn undefined(&mut self, name: &'a str, span: Span) {
        if self.is_incomplete(name) {
            return;
        }
        let suggestion = self.suggestion(name);
        self.report(ErrorKind::UndefinedNonterminal { name: name.to_owned(), suggestion }, span);
    }

    /// The defined name that is most like this one.
    fn suggestion(&mut self, name: &'a str) -> Option<String> {
        if self.suggestions.len() >= MAX_SUGGESTIONS && !self.suggestions.contains_key(name) {
            return None;
        }
        let names = self.variables.iter().filter_map(|variable| variable.name.as_deref());
        self.suggestions.entry(name).or_insert_with(|| suggest(name, names).map(str::to_owned)).clone()
    }

    fn not_regular(&mut self, marks: u8, found: String, span: Span) {
        let operator = match marks & UNDER {
            UNDER_NOT => "~",
            UNDER_JSON => "json!",
            UNDER_DISTINCT => "distinct!",
            _ => "&",
        };
        self.report(ErrorKind::NotRegular { operator, found }, span);
    }

    fn take_part(&mut self, child: ExprId) -> Part {
        std::mem::replace(&mut self.parts[child.index()], Part::Nothing)
    }

    fn take_terminal(&mut self, child: ExprId) -> Option<TerminalId> {
        match self.take_part(child) {
            Part::Factor(factor) => factor.as_terminal(),
            _ => None,
        }
    }

    fn take_terminals(&mut self, children: &[ExprId]) -> Option<Vec<TerminalId>> {
        let mut terminals = Vec::with_capacity(children.len());
        for &child in children {
            if self.stop.after(1) {
                return None;
            }
            terminals.push(self.take_terminal(child)?);
        }
        Some(terminals)
    }

    /// What an expression is as a part of a sequence.
    fn take_factor(&mut self, child: ExprId) -> Factor {
        match self.take_part(child) {
            Part::Factor(factor) => factor,
            Part::Sequence(production) => Factor::once(self.group(vec![production])),
            Part::Alternatives(productions) => Factor::once(self.group(productions)),
            Part::Nothing => {
                Factor::terminal(self.terminals.intern(Terminal::Text(String::new().into()), Span::default()))
            }
        }
    }

    /// What an expression is as an alternative.
    fn take_production(&mut self, child: ExprId) -> Vec<Factor> {
        match self.take_part(child) {
            Part::Sequence(production) => production,
            part => {
                self.parts[child.index()] = part;
                vec![self.take_factor(child)]
            }
        }
    }

    fn group(&mut self, productions: Vec<Vec<Factor>>) -> Atom {
        let id = NonterminalId(self.variables.len() as u32);
        self.variables.push(Variable {
            name: None,
            origin: id,
            serial: 0,
            derived: 0,
            productions,
            in_use: true,
            unordered: None,
        });
        Atom::Nonterminal(id)
    }

    fn read_rules(&mut self) {
        for rule in &self.ast.rules {
            if self.stop.after(1) {
                return;
            }
            let productions = match self.take_part(rule.body) {
                Part::Alternatives(productions) => productions,
                part => {
                    self.parts[rule.body.index()] = part;
                    vec![self.take_production(rule.body)]
                }
            };
            let id = self.ids[rule.name.text.as_str()];
            self.rules.push((id, productions.len()));
            self.variables[id.index()].productions.extend(productions);
        }
        self.name_selections();
    }

    /// Where a rule is nothing but `unordered!`, that is the rule, and no group.
    fn name_selections(&mut self) {
        for index in 0..self.ids.len() {
            let [production] = &self.variables[index].productions[..] else { continue };
            let [factor] = production[..] else { continue };
            let Some(group) = factor.as_nonterminal().map(NonterminalId::index) else { continue };
            if self.variables[group].name.is_none() && self.variables[group].unordered.is_some() {
                let selection = self.variables[group].unordered.take();
                let productions = std::mem::take(&mut self.variables[group].productions);
                self.variables[group].in_use = false;
                self.variables[index].productions = productions;
                self.variables[index].unordered = selection;
            }
        }
    }

    /// The start symbol and where the first of its rules stands; reported where it has none.
    fn find_start(&mut self) -> Option<(NonterminalId, Span)> {
        let ast = self.ast;
        let (name, span) = match (&self.config.start, &ast.start) {
            (Some(name), _) => (name.as_str(), None),
            (None, Some(name)) => (name.text.as_str(), Some(name.span)),
            (None, None) => ("start", None),
        };
        if let Some(&start) = self.ids.get(name) {
            let rule = ast.rules.iter().find(|rule| rule.name.text == name);
            return Some((start, rule.map(|rule| rule.name.span).unwrap_or_default()));
        }
        let may_be_named = self.recovered.is_some_and(|recovered| {
            ast.rules.is_empty() || recovered.start_is_unknown && self.config.start.is_none()
        });
        if !may_be_named && !self.is_incomplete(name) {
            let span = span.or_else(|| ast.rules.first().map(|rule| rule.name.span)).unwrap_or_default();
            let names = ast.rules.iter().map(|rule| rule.name.text.as_str());
            let suggestion = suggest(name, names).map(str::to_owned);
            self.report(ErrorKind::UndefinedStart { name: name.to_owned(), suggestion }, span);
        }
        None
    }

    fn give_errors(&mut self) -> Result<(), Errors> {
        if self.errors.is_empty() {
            return Ok(());
        }
        Err(Errors::new(std::mem::take(&mut self.errors), self.omitted, self.config.max_errors))
    }

    fn finish(mut self) -> Result<Grammar, Errors> {
        let start = self.find_start();
        let (value, limit) = (self.terminals.len(), self.config.max_terminals);
        if value > limit {
            // The first that is one too many.
            let span = self.terminals.span(TerminalId(limit as u32));
            let (field, what) = ("max_terminals", "regular parts");
            self.report(ErrorKind::Limit { field, what, value, limit }, span);
        }
        self.give_errors()?;
        let (start, start_span) = start.expect("a start symbol without a rule is an error");
        let has_groups = self.variables.len() > self.ids.len();
        Ok(Grammar {
            start,
            variables: self.variables,
            terminals: self.terminals,
            rules: self.rules,
            names: None,
            has_groups,
            is_nullable_free: false,
            empty_text: false,
            start_span,
        })
    }
}

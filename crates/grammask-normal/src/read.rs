//! Reads a syntax tree into a [`Grammar`], and checks its names, operands and regexes. All errors are
//! collected before any is returned.

mod except_texts;
mod flags;
pub(crate) mod notes;
mod regular_rules;
mod terminal;
mod unordered;

use grammask_regular::Store;
use grammask_syntax::{Ast, ExprId, ExprKind, Quantifier, Recovery, Span, Text, suggest};
use grammask_work::narrow;
use rustc_hash::FxHashMap;

use crate::Config;
use crate::cancellation::Cancellation;
use crate::config::{Limit, LimitExceeded};
use crate::error::{Error, ErrorKind, Errors};
use crate::form::{NonterminalId, Terminal, TerminalId};
use crate::grammar::terminals::Terminals;
use crate::grammar::{Atom, Factor, Grammar, Variable};
use crate::unordered::Unordered;
use except_texts::ExceptTexts;
use flags::{AS_TERMINAL, IS_ITEM, UNDER, UNDER_DISTINCT, UNDER_JSON, UNDER_NOT};
use regular_rules::RegularRule;

impl Grammar {
    /// Reads a syntax tree and checks it. Compiles the languages of its regexes in `store`.
    ///
    /// Unreachable rules are checked too. An operand of `&`, `~` or `json!` becomes one terminal, and so does
    /// a counted repetition (`x{2,5}`) of a regular expression.
    ///
    /// # Errors
    /// Returns all errors, ordered by place: undefined nonterminals, invalid operands of `except!`, `&`, `~`
    /// and `json!`, invalid regexes, a start symbol without a rule, exceeded limits.
    ///
    /// # Complexity
    /// Linear in the size of the tree, and in that of the texts listed for `except!`.
    pub fn read(ast: &Ast, store: &mut Store, config: &Config) -> Result<Self, Errors> {
        let grammar = Self::read_cancellable(ast, store, config, &mut || false)?;
        Ok(grammar.expect("the callback never cancels"))
    }

    /// As [`read`](Self::read). Returns `Ok(None)` if cancelled.
    pub(crate) fn read_cancellable(
        ast: &Ast,
        store: &mut Store,
        config: &Config,
        is_cancelled: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Self>, Errors> {
        let mut reader = Reader::new(ast, None, store, config, is_cancelled);
        reader.flag_exprs()?;
        reader.read_regular_rules();
        reader.read_exprs();
        reader.read_rules();
        if reader.cancellation.is_cancelled() {
            return Ok(None);
        }
        reader.finish().map(Some)
    }
}

/// Checks the meaning of a text with syntax errors, as far as it could be parsed.
///
/// # Errors
/// Returns the errors that [`Grammar::read`] would, except for those that a syntax error may have caused:
///
/// - an undefined nonterminal or start symbol whose rule may be in the part that could not be parsed;
/// - `except!` of a nonterminal with such a rule.
///
/// # Complexity
/// As [`Grammar::read`].
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
pub fn check_recovered(recovered: &Recovery, config: &Config) -> Result<(), Errors> {
    let store = &mut Store::new(&config.regular);
    let mut never = || false;
    let mut reader = Reader::new(&recovered.ast, Some(recovered), store, config, &mut never);
    reader.flag_exprs()?;
    reader.read_regular_rules();
    reader.read_exprs();
    reader.find_start();
    reader.take_errors()
}

/// Minimum length in bytes of a regex whose compilation polls for cancellation. Shorter ones take less than a
/// millisecond.
const MIN_CANCELLABLE_REGEX_BYTES: usize = 1 << 12;

/// The result of reading an expression. Its parent decides if it needs a group.
enum Part {
    Factor(Factor),
    Sequence(Vec<Factor>),
    Alternatives(Vec<Vec<Factor>>),
    /// Already used by the parent, or unusable because of an error.
    Nothing,
}

/// State of reading one tree.
struct Reader<'a> {
    ast: &'a Ast,
    /// For a text with syntax errors: what may be missing from `ast`.
    recovered: Option<&'a Recovery>,
    store: &'a mut Store,
    config: &'a Config,
    /// Once cancelled, the results are incomplete and must not be used.
    cancellation: Cancellation<'a>,
    /// By name of a rule: its nonterminal.
    ids: FxHashMap<&'a str, NonterminalId>,
    variables: Vec<Variable>,
    terminals: Terminals,
    /// By expression: its flags.
    flags: Vec<u8>,
    /// By expression: what it was read into.
    parts: Vec<Part>,
    /// The rules in the order of the text, each with its number of alternatives.
    rules: Vec<(NonterminalId, usize)>,
    except: ExceptTexts<'a>,
    /// The rules that are named where only regular parts are allowed.
    regular_rules: FxHashMap<NonterminalId, RegularRule>,
    /// By undefined name: the most similar defined one.
    suggestions: FxHashMap<&'a str, Option<String>>,
    errors: Vec<Error>,
    /// Number of errors beyond `max_errors`.
    omitted: usize,
}

impl<'a> Reader<'a> {
    fn new(
        ast: &'a Ast,
        recovered: Option<&'a Recovery>,
        store: &'a mut Store,
        config: &'a Config,
        is_cancelled: &'a mut dyn FnMut() -> bool,
    ) -> Self {
        let mut cancellation = Cancellation::new(is_cancelled);
        let mut ids = FxHashMap::default();
        // An estimate: most grammars have fewer groups, and fewer terminals.
        let quarter = ast.exprs.len() / 4;
        let mut variables = Vec::with_capacity(ast.rules.len() + quarter);
        for rule in &ast.rules {
            if cancellation.poll_after(1) {
                break;
            }
            ids.entry(rule.name.text.as_str()).or_insert_with(|| {
                let id = NonterminalId(narrow(variables.len()));
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
            cancellation,
            ids,
            variables,
            terminals: Terminals::with_capacity(quarter + 16),
            flags: vec![0; ast.exprs.len()],
            parts: Vec::new(),
            rules: Vec::new(),
            except: ExceptTexts::new(ast, config.limits.max_except_bytes),
            regular_rules: FxHashMap::default(),
            suggestions: FxHashMap::default(),
            errors: Vec::new(),
            omitted: 0,
        }
    }

    /// Adds an error, or counts it if there are too many.
    fn report(&mut self, kind: ErrorKind, span: Span) {
        if self.errors.len() < self.config.limits.max_errors.max(1) {
            self.errors.push(Error::new(kind, span));
        } else {
            self.omitted += 1;
        }
    }

    /// Compiles a long regex in a way that can be cancelled, so that reading it finds it in the store.
    /// Returns false if cancelled. Ignores errors, as reading the regex reports them.
    fn compile_long_regex(&mut self, kind: &ExprKind) -> bool {
        match kind {
            ExprKind::Regex(pattern)
            | ExprKind::PrefixMinimal(pattern)
            | ExprKind::NotContaining(pattern)
                if pattern.len() >= MIN_CANCELLABLE_REGEX_BYTES =>
            {
                !matches!(
                    self.store.cancellable(|| self.cancellation.is_cancelled()).regex(pattern),
                    Ok(None)
                )
            }
            _ => true,
        }
    }

    /// Reads all expressions, children before parents.
    fn read_exprs(&mut self) {
        let ast = self.ast;
        self.parts.reserve(ast.exprs.len());
        for (index, expr) in ast.exprs.iter().enumerate() {
            if self.cancellation.poll_after(1) || !self.compile_long_regex(&expr.kind) {
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
                        requires: unordered.requires.clone(),
                        distinct: None,
                        distinct_values: false,
                    };
                    self.unordered(&unordered.parts, limits, index, expr.span)
                }
                ExprKind::Repeat { expr, .. } if self.flags[index] & IS_ITEM != 0 => self.take_part(*expr),
                ExprKind::Distinct(child) => self.distinct(*child, index, expr.span),
                ExprKind::Capture { expr: child, .. } if self.flags[index] & UNDER == 0 => {
                    self.take_part(*child)
                }
                ExprKind::Capture { .. } => {
                    self.not_regular(self.flags[index], "a `capture!`".to_owned(), expr.span);
                    Part::Nothing
                }
                ExprKind::Sequence(children) if self.flags[index] & AS_TERMINAL == 0 => {
                    Part::Sequence(children.iter().map(|child| self.take_factor(*child)).collect())
                }
                ExprKind::Alternatives(children) if self.flags[index] & AS_TERMINAL == 0 => {
                    let mut productions = Vec::with_capacity(children.len());
                    for &child in children {
                        if self.cancellation.poll_after(1) {
                            return;
                        }
                        productions.push(self.take_production(child));
                    }
                    Part::Alternatives(productions)
                }
                ExprKind::Repeat { expr, quantifier } if self.flags[index] & AS_TERMINAL == 0 => {
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

    /// Reads a name: a terminal where only regular parts are allowed, otherwise a nonterminal.
    fn nonterminal(&mut self, name: &'a str, index: usize, span: Span) -> Part {
        let Some(&id) = self.ids.get(name) else {
            self.undefined(name, index, span);
            return Part::Nothing;
        };
        if self.flags[index] & UNDER != 0 {
            return self.regular_name(name, index, span);
        }
        Part::Factor(Factor::nonterminal(id))
    }

    /// Returns true if a nonterminal may have rules in a part of the text that could not be parsed.
    fn is_incomplete(&self, name: &str) -> bool {
        self.recovered.is_some_and(|recovered| recovered.is_incomplete(name))
    }

    /// Reports an undefined nonterminal, unless its rule may be in a part that could not be parsed.
    fn undefined(&mut self, name: &'a str, index: usize, span: Span) {
        if self.is_incomplete(name) {
            return;
        }
        let suggestion = self.suggestion(name);
        // The parser stores an expression right before the one around it.
        let is_in_brackets = self.ast.exprs.get(index + 1).is_some_and(|outer| {
            let is_option = matches!(&outer.kind, ExprKind::Repeat { expr, quantifier: Quantifier::Option } if expr.index() == index);
            is_option && outer.span.start + 1 == span.start && outer.span.end == span.end + 1
        });
        let name = name.to_owned();
        self.report(ErrorKind::UndefinedNonterminal { name, suggestion, is_in_brackets }, span);
    }

    /// Returns the most similar defined name.
    fn suggestion(&mut self, name: &'a str) -> Option<String> {
        if self.suggestions.len() >= self.config.limits.max_suggestions
            && !self.suggestions.contains_key(name)
        {
            return None;
        }
        let names = self.variables.iter().filter_map(|variable| variable.name.as_deref());
        self.suggestions.entry(name).or_insert_with(|| suggest(name, names).map(str::to_owned)).clone()
    }

    fn not_regular(&mut self, flags: u8, found: String, span: Span) {
        let operator = match flags & UNDER {
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

    /// Takes the terminals that all children have become. `None` if one is not a terminal, or if cancelled.
    fn take_terminals(&mut self, children: &[ExprId]) -> Option<Vec<TerminalId>> {
        let mut terminals = Vec::with_capacity(children.len());
        for &child in children {
            if self.cancellation.poll_after(1) {
                return None;
            }
            terminals.push(self.take_terminal(child)?);
        }
        Some(terminals)
    }

    /// Takes an expression as a factor of a sequence.
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

    /// Takes an expression as an alternative.
    fn take_production(&mut self, child: ExprId) -> Vec<Factor> {
        match self.take_part(child) {
            Part::Sequence(production) => production,
            part => {
                self.parts[child.index()] = part;
                vec![self.take_factor(child)]
            }
        }
    }

    /// Adds a group.
    fn group(&mut self, productions: Vec<Vec<Factor>>) -> Atom {
        let id = NonterminalId(narrow(self.variables.len()));
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

    /// Adds the alternatives of each rule to its nonterminal.
    fn read_rules(&mut self) {
        for rule in &self.ast.rules {
            if self.cancellation.poll_after(1) {
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
        self.inline_unordered_rules();
    }

    /// Turns a rule that consists only of an `unordered!` group into that `unordered!` itself.
    fn inline_unordered_rules(&mut self) {
        for index in 0..self.ids.len() {
            let [production] = &self.variables[index].productions[..] else { continue };
            let [factor] = production[..] else { continue };
            let Some(group) = factor.as_nonterminal().map(NonterminalId::index) else { continue };
            if self.variables[group].name.is_none() && self.variables[group].unordered.is_some() {
                let unordered = self.variables[group].unordered.take();
                let productions = std::mem::take(&mut self.variables[group].productions);
                self.variables[group].in_use = false;
                self.variables[index].productions = productions;
                self.variables[index].unordered = unordered;
            }
        }
    }

    /// Returns the start symbol and the place of its first rule. Reports an error if it has none.
    fn find_start(&mut self) -> Option<(NonterminalId, Span)> {
        let ast = self.ast;
        let (name, span) = match (&self.config.start, &ast.start) {
            (Some(name), _) => (name.strip_suffix('?').unwrap_or(name), None),
            (None, Some(name)) => (name.text.as_str(), Some(name.span)),
            (None, None) => ("start", None),
        };
        if let Some(&start) = self.ids.get(name) {
            let rule = ast.rules.iter().find(|rule| rule.name.text == name);
            return Some((start, rule.map(|rule| rule.name.span).unwrap_or_default()));
        }
        let may_be_unparsed = self.recovered.is_some_and(|recovered| {
            ast.rules.is_empty() || recovered.start_is_unknown && self.config.start.is_none()
        });
        if !may_be_unparsed && !self.is_incomplete(name) {
            let span = span.or_else(|| ast.rules.first().map(|rule| rule.name.span)).unwrap_or_default();
            let names = ast.rules.iter().map(|rule| rule.name.text.as_str());
            let suggestion = suggest(name, names).map(str::to_owned);
            self.report(ErrorKind::UndefinedStart { name: name.to_owned(), suggestion }, span);
        }
        None
    }

    /// Returns the collected errors, if there are any.
    fn take_errors(&mut self) -> Result<(), Errors> {
        if self.errors.is_empty() {
            return Ok(());
        }
        Err(Errors::new(std::mem::take(&mut self.errors), self.omitted, self.config.limits.max_errors))
    }

    /// Returns the grammar, or all errors that were reported.
    fn finish(mut self) -> Result<Grammar, Errors> {
        let start = self.find_start();
        let (found, value) = (self.terminals.len(), self.config.limits.max_terminals);
        if found > value {
            // The place of the first terminal beyond the limit.
            let span = self.terminals.span(TerminalId(narrow(value)));
            self.report(LimitExceeded::new(Limit::MaxTerminals, value, found).into(), span);
        }
        self.take_errors()?;
        let allows_empty = match &self.config.start {
            Some(name) => name.ends_with('?'),
            None => self.ast.allows_empty,
        };
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
            allows_empty,
            start_span,
        })
    }
}

//! Syntax tree to grammar under work, with everything checked that a tree can get wrong: names, operands, regexes. All errors are
//! collected before any is returned.

use std::rc::Rc;

use grammask_regular::Store;
use grammask_syntax::{Ast, ExceptOperand, ExprId, ExprKind, Span, suggest};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Config;
use crate::error::{Error, ErrorKind, Errors};
use crate::except_texts::ExceptTexts;
use crate::form::{NonterminalId, Terminal, TerminalId};
use crate::grammar::{Atom, Factor, Grammar, Selection, Variable};
use crate::terminals::{Terminals, Written};
use crate::unordered::Unordered;

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

    /// The same, unless somebody who is asked between some hundred expressions says to stop: nothing then.
    pub(crate) fn read_unless(
        ast: &Ast,
        store: &mut Store,
        config: &Config,
        is_stopped: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Self>, Errors> {
        let mut reader = Reader::new(ast, store, config);
        if !reader.mark(is_stopped)? || !reader.read_exprs(is_stopped) {
            return Ok(None);
        }
        reader.read_rules();
        reader.finish().map(Some)
    }
}

/// So many expressions are read between two questions whether to stop.
const BETWEEN_QUESTIONS: usize = 256;

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
/// Which of them is the innermost.
const UNDER: u8 = UNDER_AND | UNDER_NOT | UNDER_JSON;

struct Reader<'a> {
    ast: &'a Ast,
    store: &'a mut Store,
    config: &'a Config,
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
    fn new(ast: &'a Ast, store: &'a mut Store, config: &'a Config) -> Self {
        let mut ids = FxHashMap::default();
        // Groups and terminals are mostly fewer than that.
        let few = ast.exprs.len() / 4;
        let mut variables = Vec::with_capacity(ast.rules.len() + few);
        for rule in &ast.rules {
            ids.entry(rule.name.text.as_str()).or_insert_with(|| {
                let id = NonterminalId(variables.len() as u32);
                let name = Some(rule.name.text.clone());
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
            store,
            config,
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

    /// Finds out which expressions are regular and which have to become terminals; and that the tree is one. Whether nobody has stopped it.
    fn mark(&mut self, is_stopped: &mut dyn FnMut() -> bool) -> Result<bool, Error> {
        let exprs = &self.ast.exprs;
        let mut used = vec![false; exprs.len()];
        let malformed = |expr: usize| {
            Error::new(
                ErrorKind::MalformedTree { expr },
                exprs.get(expr).map(|expr| expr.span).unwrap_or_default(),
            )
        };
        for (index, expr) in exprs.iter().enumerate() {
            if index % BETWEEN_QUESTIONS == 0 && is_stopped() {
                return Ok(false);
            }
            let children = expr.kind.children();
            if matches!(&expr.kind, ExprKind::Sequence(parts) | ExprKind::Alternatives(parts) | ExprKind::And(parts) if parts.is_empty())
            {
                return Err(malformed(index));
            }
            let mut regular = !matches!(
                expr.kind,
                ExprKind::Nonterminal(_)
                    | ExprKind::SpecialName(_)
                    | ExprKind::SpecialId(_)
                    | ExprKind::Unordered { .. }
            );
            for child in children {
                if child.index() >= index || std::mem::replace(&mut used[child.index()], true) {
                    return Err(malformed(index));
                }
                regular &= self.marks[child.index()] & REGULAR != 0;
            }
            if let ExprKind::Unordered { parts, has_separator, min, max, needs } = &expr.kind {
                let items = parts.len().saturating_sub(usize::from(*has_separator));
                let is_item = |&(from, to): &(u32, u32)| (from.max(to) as usize) < items;
                if items == 0 || !needs.iter().all(is_item) || max.is_some_and(|max| max < *min) {
                    return Err(malformed(index));
                }
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
            let body = rule.body.index();
            if body >= exprs.len() || std::mem::replace(&mut used[body], true) {
                return Err(malformed(body));
            }
        }
        for (index, expr) in exprs.iter().enumerate().rev() {
            let mut inherited = self.marks[index] & (AS_TERMINAL | UNDER);
            match &expr.kind {
                ExprKind::Unordered { parts, has_separator, .. } => {
                    for item in &parts[..parts.len() - usize::from(*has_separator)] {
                        self.marks[item.index()] |= IS_ITEM;
                    }
                }
                ExprKind::Repeat { .. } if self.marks[index] & IS_ITEM != 0 => {}
                ExprKind::And(_) => inherited = AS_TERMINAL | UNDER_AND,
                ExprKind::Not(_) => inherited = AS_TERMINAL | UNDER_NOT,
                ExprKind::Json(_) => inherited = AS_TERMINAL | UNDER_JSON,
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
        Ok(true)
    }

    /// Reads the expressions, operands before what is made of them; whether nobody has stopped it.
    fn read_exprs(&mut self, is_stopped: &mut dyn FnMut() -> bool) -> bool {
        let ast = self.ast;
        self.parts.reserve(ast.exprs.len());
        for (index, expr) in ast.exprs.iter().enumerate() {
            if index % BETWEEN_QUESTIONS == 0 && is_stopped() {
                return false;
            }
            let part = match &expr.kind {
                ExprKind::Nonterminal(name) => self.nonterminal(name, index, expr.span),
                ExprKind::Unordered { parts, has_separator, min, max, needs } => {
                    let limits = Unordered {
                        items: Vec::new(),
                        has_separator: *has_separator,
                        min: *min,
                        max: *max,
                        needs: needs.clone(),
                    };
                    self.unordered(parts, limits, index, expr.span)
                }
                ExprKind::Repeat { expr, .. } if self.marks[index] & IS_ITEM != 0 => self.take_part(*expr),
                ExprKind::Sequence(children) if self.marks[index] & AS_TERMINAL == 0 => {
                    Part::Sequence(children.iter().map(|child| self.take_factor(*child)).collect())
                }
                ExprKind::Alternatives(children) if self.marks[index] & AS_TERMINAL == 0 => {
                    Part::Alternatives(children.iter().map(|child| self.take_production(*child)).collect())
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
        true
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

    /// Items, separator and limits of `unordered!` as a group.
    fn unordered(&mut self, parts: &[ExprId], mut limits: Unordered, index: usize, span: Span) -> Part {
        let marks = self.marks[index];
        if marks & (UNDER_AND | UNDER_NOT) != 0 {
            self.not_regular(marks, "`unordered!`".to_owned(), span);
            return Part::Nothing;
        }
        let items = parts.len() - usize::from(limits.has_separator);
        let bounds = |item: &ExprId| match &self.ast.exprs[item.index()].kind {
            ExprKind::Repeat { quantifier, .. } => quantifier.bounds(),
            _ => (1, Some(1)),
        };
        limits.items = parts[..items].iter().map(bounds).collect();
        if let Err(error) = limits.closures() {
            self.report(ErrorKind::Unordered(error), span);
        }
        let spans = parts.iter().map(|part| self.ast.exprs[part.index()].span).collect();
        let mut productions = Vec::with_capacity(parts.len());
        for &part in parts {
            let factor = self.take_factor(part);
            let atom = match factor.as_nonterminal() {
                Some(id) => Atom::Nonterminal(id),
                None => self.group(vec![vec![factor]]),
            };
            productions.push(vec![Factor::once(atom)]);
        }
        let group = self.group(productions);
        if let Some(variable) = self.variables.last_mut() {
            variable.unordered = Some(Box::new(Selection { unordered: limits, spans, span }));
        }
        Part::Factor(Factor::once(group))
    }

    fn undefined(&mut self, name: &'a str, span: Span) {
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
            _ => "&",
        };
        self.report(ErrorKind::NotRegular { operator, found }, span);
    }

    /// An expression that is, or has to be, a terminal.
    fn terminal(&mut self, kind: &'a ExprKind, index: usize, span: Span) -> Option<TerminalId> {
        let terminal = match kind {
            ExprKind::Text(text) => return Some(self.terminals.intern_written(Written::Text, text, span)),
            ExprKind::Substrings(text) => {
                return Some(self.terminals.intern_written(Written::Substrings, text, span));
            }
            ExprKind::Regex(pattern) => {
                return self.regex(Written::Regex, 1, pattern, span);
            }
            ExprKind::Early(pattern) => {
                return self.regex(Written::Early, 2, pattern, span);
            }
            ExprKind::Without(pattern) => {
                return self.regex(Written::Without, 3, pattern, span);
            }
            ExprKind::Except { operand, max } => return self.except(operand, *max, span),
            ExprKind::SpecialName(_) | ExprKind::SpecialId(_) => {
                let marks = self.marks[index];
                if marks & UNDER != 0 {
                    self.not_regular(marks, "a special token".to_owned(), span);
                    return None;
                }
                match kind {
                    ExprKind::SpecialId(id) => Terminal::SpecialId(*id),
                    ExprKind::SpecialName(name) => Terminal::SpecialName(name.clone()),
                    _ => return None,
                }
            }
            ExprKind::Sequence(children) => {
                let operands = self.take_terminals(children)?;
                return Some(self.terminals.sequence(operands, span));
            }
            ExprKind::Alternatives(children) => {
                let mut operands = self.take_terminals(children)?;
                let mut seen = FxHashSet::default();
                operands.retain(|&operand| seen.insert(operand));
                if let [operand] = operands[..] {
                    return Some(operand);
                }
                Terminal::Alternatives(operands)
            }
            ExprKind::And(children) => Terminal::And(self.take_terminals(children)?),
            ExprKind::Not(child) => Terminal::Not(self.take_terminal(*child)?),
            ExprKind::Json(child) => {
                let operand = self.take_terminal(*child)?;
                // The spellings of a short text exceed no limit; there may be thousands of them, and most are never looked at.
                if self.terminals.is_short_text(operand) {
                    return Some(self.terminals.intern(Terminal::Json(operand), span));
                }
                return Some(self.lowered(Terminal::Json(operand), span));
            }
            ExprKind::Compared(comparison, bound) => {
                return Some(self.lowered(Terminal::Compared(*comparison, bound.clone()), span));
            }
            ExprKind::Multiple(numeral) => {
                return Some(self.lowered(Terminal::Multiple(numeral.clone()), span));
            }
            ExprKind::Repeat { expr, quantifier } => {
                let (min, max) = quantifier.bounds();
                let operand = self.take_terminal(*expr)?;
                return Some(self.terminals.repeat(operand, min, max, span));
            }
            ExprKind::Nonterminal(_) | ExprKind::Unordered { .. } => return None,
        };
        Some(self.terminals.intern(terminal, span))
    }

    /// A regex, checked at once, as its place is known here. `sigil`: how many bytes stand before the quote.
    fn regex(&mut self, kind: Written, sigil: usize, pattern: &str, span: Span) -> Option<TerminalId> {
        let known = self.terminals.len();
        let id = self.terminals.intern_written(kind, pattern, span);
        if id.index() < known {
            return Some(id);
        }
        if let Err(error) = self.terminals.lower(id, self.store) {
            let (kind, offset) = describe(&error);
            self.report(kind, place_in_pattern(span, sigil, pattern, offset));
        }
        Some(id)
    }

    fn except(&mut self, operand: &'a ExceptOperand, max: Option<u64>, span: Span) -> Option<TerminalId> {
        let (name, texts, place) = match operand {
            ExceptOperand::Text(text) => (None, Ok(Rc::new(vec![text.clone()])), span),
            ExceptOperand::Nonterminal(name) => {
                if !self.ids.contains_key(name.text.as_str()) {
                    self.undefined(&name.text, name.span);
                    return None;
                }
                (Some(name.text.clone()), self.except.list(&name.text), name.span)
            }
        };
        let texts = match texts {
            Ok(texts) => texts,
            Err(kind) => {
                self.report(kind, place);
                return None;
            }
        };
        if texts.iter().any(String::is_empty) {
            self.report(ErrorKind::ExceptEmptyText { name }, place);
            return None;
        }
        let terminal = Terminal::Except { name, texts: texts.to_vec(), max: max.filter(|&max| max > 0) };
        Some(self.lowered(terminal, span))
    }

    /// A terminal whose language is made at once, as its place is known here.
    fn lowered(&mut self, terminal: Terminal, span: Span) -> TerminalId {
        let id = self.terminals.intern(terminal, span);
        if let Err(error) = self.terminals.lower(id, self.store) {
            self.report(describe(&error).0, span);
        }
        id
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
        children.iter().map(|child| self.take_terminal(*child)).collect()
    }

    /// What an expression is as a part of a sequence.
    fn take_factor(&mut self, child: ExprId) -> Factor {
        match self.take_part(child) {
            Part::Factor(factor) => factor,
            Part::Sequence(production) => Factor::once(self.group(vec![production])),
            Part::Alternatives(productions) => Factor::once(self.group(productions)),
            Part::Nothing => {
                Factor::terminal(self.terminals.intern(Terminal::Text(String::new()), Span::default()))
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

    fn finish(mut self) -> Result<Grammar, Errors> {
        let ast = self.ast;
        let (name, span) = match (&self.config.start, &ast.start) {
            (Some(name), _) => (name.as_str(), None),
            (None, Some(name)) => (name.text.as_str(), Some(name.span)),
            (None, None) => ("start", None),
        };
        let start = self.ids.get(name).copied();
        if start.is_none() {
            let span = span.or_else(|| ast.rules.first().map(|rule| rule.name.span)).unwrap_or_default();
            let names = ast.rules.iter().map(|rule| rule.name.text.as_str());
            let suggestion = suggest(name, names).map(str::to_owned);
            self.report(ErrorKind::UndefinedStart { name: name.to_owned(), suggestion }, span);
        }
        let terminals = self.terminals.len();
        if terminals > self.config.max_terminals {
            let limit = self.config.max_terminals;
            self.report(ErrorKind::Limit { what: "regular parts", value: terminals, limit }, Span::default());
        }
        let Some(start) = start.filter(|_| self.errors.is_empty()) else {
            return Err(Errors::new(self.errors, self.omitted, self.config.max_errors));
        };
        let has_groups = self.variables.len() > self.ids.len();
        let start_span = ast.rules.iter().find(|rule| rule.name.text == name).map(|rule| rule.name.span);
        Ok(Grammar {
            start,
            variables: self.variables,
            terminals: self.terminals,
            rules: self.rules,
            names: None,
            has_groups,
            is_nullable_free: false,
            empty_text: false,
            start_span: start_span.unwrap_or_default(),
        })
    }
}

/// An error of a regular part as one of ours, with the offset in the pattern if it has one.
pub(crate) fn describe(error: &grammask_regular::Error) -> (ErrorKind, Option<usize>) {
    match error {
        grammask_regular::Error::Regex { offset, message } => {
            (ErrorKind::Regex { message: message.clone() }, Some(*offset))
        }
        error => (ErrorKind::Regular { message: error.to_string() }, None),
    }
}

/// The place of an offset of a pattern in the text. Where the pattern has been unescaped, offsets do not correspond, and the
/// whole regex is the place.
fn place_in_pattern(span: Span, sigil: usize, pattern: &str, offset: Option<usize>) -> Span {
    match offset {
        Some(offset) if span.end.saturating_sub(span.start) == pattern.len() + sigil + 2 => {
            let at = offset.min(pattern.len());
            let width = pattern.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            let start = span.start + sigil + 1 + at;
            Span::new(start, start + width)
        }
        _ => span,
    }
}

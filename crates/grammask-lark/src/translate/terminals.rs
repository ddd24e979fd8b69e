//! Terminals and other regular parts.

use grammask_notation::Annotations;
use grammask_pattern::{Dialect, Extent};
use grammask_syntax::Span;
use grammask_work::narrow;
use rustc_hash::FxHashSet;

use super::{Environment, Found, Terminal, Translator};
use crate::scope::{EntryKind, ScopeId};
use crate::term::{TermId, Terms};
use crate::tree::{Alternatives, Atom, AtomKind, Branch, Element};

impl Translator<'_> {
    /// Returns the language of a terminal, with its name.
    pub(super) fn terminal(&mut self, scope: ScopeId, name: &str, place: Span) -> TermId {
        let root = (scope, name.to_owned());
        if let Some(&known) = self.terminal_ids.get(&root) {
            return known;
        }
        if self.terminal_depth >= self.config.limits.max_nesting.min(250) {
            let limit = self.config.limits.max_nesting.min(250);
            self.builder.limit("max_nesting", limit, "terminals in templates", place);
            return TermId::NEVER;
        }
        let mut open: FxHashSet<(ScopeId, String)> = FxHashSet::default();
        let mut stack = vec![root.clone()];
        while let Some(top) = stack.last().cloned() {
            if self.terminal_ids.contains_key(&top) {
                stack.pop();
                continue;
            }
            if open.insert(top.clone()) {
                for (name, place) in self.names_in_terminal(&top) {
                    let Some(next) = self.target_of(top.0, &name) else { continue };
                    if open.contains(&next) && !self.terminal_ids.contains_key(&next) {
                        let message = format!("the terminal `{name}` refers to itself");
                        self.builder.error_hint(
                            message,
                            place,
                            "only rules, in lower case, may be recursive",
                        );
                        self.terminal_ids.insert(next, TermId::NEVER);
                    } else {
                        stack.push(next);
                    }
                }
                continue;
            }
            stack.pop();
            self.terminal_depth += 1;
            let term = self.terminal_body(&top);
            self.terminal_depth -= 1;
            self.terminal_ids.insert(top, term);
        }
        self.terminal_ids.get(&root).copied().unwrap_or(TermId::NEVER)
    }

    /// Returns the scope and name that a name in a terminal leads to, if it is a terminal without parameters.
    fn target_of(&mut self, scope: ScopeId, name: &str) -> Option<(ScopeId, String)> {
        self.entry(scope, name)?;
        match self.look_up(scope, name, Span::default())? {
            Found::Terminal(scope, name) => {
                let is_template = match &self.entry(scope, &name)?.kind {
                    EntryKind::Own(definition) => !definition.parameters.is_empty(),
                    _ => false,
                };
                (!is_template).then_some((scope, name))
            }
            Found::Rule(..) => None,
        }
    }

    /// Returns the names in the body of a terminal, with their places.
    fn names_in_terminal(&self, (scope, name): &(ScopeId, String)) -> Vec<(String, Span)> {
        let mut names = Vec::new();
        if let Some(entry) = self.entry(*scope, name) {
            if let EntryKind::Own(definition) = &entry.kind
                && let Some(body) = &definition.body
            {
                collect_names(body, &mut names);
            }
            for extension in &entry.extensions {
                collect_names(extension, &mut names);
            }
        }
        names
    }

    fn terminal_body(&mut self, (scope, name): &(ScopeId, String)) -> TermId {
        let Some(entry) = self.entry(*scope, name).cloned() else { return TermId::NEVER };
        let environment = Environment::of(*scope);
        let mut parts = Vec::new();
        match &entry.kind {
            EntryKind::Own(definition) => {
                if let Some(body) = definition.body.clone() {
                    parts.push(self.regular(&body, &environment));
                }
            }
            EntryKind::BuiltIn(regex) => parts.push(self.terms.regex(regex)),
            EntryKind::Imported { .. } => {}
        }
        for extension in &entry.extensions {
            parts.push(self.regular(extension, &environment));
        }
        let term = self.terms.alternatives(parts);
        if term == TermId::NEVER || term == TermId::EMPTY {
            return term;
        }
        let index = narrow(self.terminals.len());
        self.terminals.push(Terminal { name: name.clone(), span: entry.span, term, identifier: None });
        self.terms.named(term, index)
    }

    /// Returns the language of alternatives that must be regular. Reports errors.
    pub(super) fn regular(&mut self, body: &Alternatives, environment: &Environment) -> TermId {
        if !self.enter(body.span) {
            return TermId::NEVER;
        }
        let mut parts = Vec::with_capacity(body.branches.len());
        for branch in &body.branches {
            if let Some(condition) = &branch.condition {
                let holds = match environment.parameter {
                    Some(value) => Some(condition.holds(value)),
                    None => condition.constant(),
                };
                if holds.is_none() {
                    self.builder.error("`%if` belongs into a parametric rule", branch.span);
                }
                if holds != Some(true) {
                    continue;
                }
            }
            parts.push(self.regular_branch(branch, environment));
        }
        self.level -= 1;
        self.terms.alternatives(parts)
    }

    pub(super) fn regular_branch(&mut self, branch: &Branch, environment: &Environment) -> TermId {
        let mut conjuncts = Vec::with_capacity(branch.conjuncts.len());
        for conjunct in &branch.conjuncts {
            let parts: Vec<TermId> =
                conjunct.iter().map(|element| self.regular_element(element, environment)).collect();
            conjuncts.push(self.terms.sequence(parts));
        }
        let term = self.terms.and(conjuncts);
        self.check_size(term, branch.span)
    }

    /// Returns the union of the ignored texts of a grammar, and true if at most one follows a lexeme.
    pub(crate) fn ignored(&mut self, scope: ScopeId) -> (TermId, bool) {
        let bodies = self.scopes[scope.0].ignored.clone();
        let environment = Environment::of(scope);
        let parts = bodies.iter().map(|body| self.regular(body, &environment)).collect();
        (self.terms.alternatives(parts), self.scopes[scope.0].options.ignores_once)
    }

    fn check_size(&mut self, term: TermId, place: Span) -> TermId {
        let depth = self.config.limits.max_nesting.min(250).saturating_mul(8);
        if self.terms.depth(term) > depth {
            if self.noted.insert(place) {
                self.builder.limit(
                    "max_nesting",
                    self.config.limits.max_nesting,
                    "levels of terminals",
                    place,
                );
            }
            return TermId::NEVER;
        }
        term
    }

    fn regular_element(&mut self, element: &Element, environment: &Environment) -> TermId {
        let term = self.regular_atom(&element.atom, environment);
        match element.repeat {
            Some((min, max)) => self.terms.repeat(term, min, max),
            None => term,
        }
    }

    pub(super) fn regular_atom(&mut self, atom: &Atom, environment: &Environment) -> TermId {
        match &atom.kind {
            AtomKind::Group(inner) => self.regular(inner, environment),
            AtomKind::Optional(inner) => {
                let term = self.regular(inner, environment);
                self.terms.repeat(term, 0, Some(1))
            }
            AtomKind::Not(inner) => {
                let term = self.regular_atom(inner, environment);
                self.terms.not(term)
            }
            AtomKind::Text { text, ignore_case: false } => self.terms.text(text),
            AtomKind::Text { text, .. } => {
                let is_caseless = text.chars().all(|char| !char.is_alphabetic());
                if is_caseless {
                    return self.terms.text(text);
                }
                self.terms.regex(&format!("(?i:{})", regex_syntax::escape(text)))
            }
            AtomKind::Range(first, last) if first == last => self.terms.text(&first.to_string()),
            AtomKind::Range(first, last) => {
                let [first, last] = [first, last].map(|end| escape_in_class(*end));
                self.terms.regex(&format!("[{first}-{last}]"))
            }
            AtomKind::Regex { pattern, flags } => self.pattern(pattern, *flags, atom.span),
            AtomKind::Substrings(chunks) => self.terms.substrings(chunks.clone()),
            AtomKind::Name(name) => self.regular_name(name, environment, atom.span),
            AtomKind::Template(name, arguments) => match self.look_up(environment.scope, name, atom.span) {
                Some(Found::Terminal(scope, target)) => {
                    let entry = self.entry(scope, &target).map(|entry| entry.kind.clone());
                    let Some(EntryKind::Own(definition)) = entry else {
                        self.not_regular(&format!("`{name}` has no parameters"), atom.span);
                        return TermId::NEVER;
                    };
                    let Some(inner) = self.call(scope, &definition, arguments, environment, atom.span) else {
                        return TermId::NEVER;
                    };
                    let Some(body) = &definition.body else { return TermId::NEVER };
                    self.in_template(atom.span, |translator| translator.regular(body, &inner))
                }
                Some(Found::Rule(..)) => self.not_regular(&format!("`{name}` is a rule"), atom.span),
                None => TermId::NEVER,
            },
            AtomKind::Apply(name, _) => self.not_regular(&format!("`{name}` is a rule"), atom.span),
            AtomKind::Special(_) | AtomKind::Tokens { .. } => {
                self.not_regular("this is a special token", atom.span)
            }
            AtomKind::Grammar(_) | AtomKind::Lark(_) => self.not_regular("this is a grammar", atom.span),
            AtomKind::Json(_) => self.not_regular("this is a JSON Schema", atom.span),
        }
    }

    /// Counts the templates around a translation, which take stack.
    fn in_template(&mut self, place: Span, translate: impl FnOnce(&mut Self) -> TermId) -> TermId {
        let limit = self.config.limits.max_nesting.min(250);
        if self.terminal_depth >= limit {
            if self.noted.insert(place) {
                self.builder.limit("max_nesting", limit, "templates in templates", place);
            }
            return TermId::NEVER;
        }
        self.terminal_depth += 1;
        let term = translate(self);
        self.terminal_depth -= 1;
        term
    }

    fn regular_name(&mut self, name: &str, environment: &Environment, place: Span) -> TermId {
        if let Some(argument) = environment.argument(name) {
            let argument = &self.arguments[argument.0 as usize];
            let (body, inner) = (argument.body.clone(), argument.environment.clone());
            return self.in_template(place, |translator| translator.regular(&body, &inner));
        }
        match self.look_up(environment.scope, name, place) {
            Some(Found::Terminal(scope, target)) => {
                if let Some(EntryKind::Own(definition)) = self.entry(scope, &target).map(|entry| &entry.kind)
                    && !definition.parameters.is_empty()
                {
                    let definition = definition.clone();
                    self.call(scope, &definition, &[], environment, place);
                    return TermId::NEVER;
                }
                self.terminal(scope, &target, place)
            }
            Some(Found::Rule(..)) => self.not_regular(&format!("`{name}` is a rule"), place),
            None => TermId::NEVER,
        }
    }

    fn not_regular(&mut self, what: &str, place: Span) -> TermId {
        let message = format!(
            "{what}, but only terminals are allowed in a terminal, after `~`, beside `&` and in a lazy rule"
        );
        if self.noted.insert(place) {
            self.builder.error_hint(message, place, "write the name of a terminal in upper case: NAME: …");
        }
        TermId::NEVER
    }

    /// Returns the language of a regex, which begins with `flags` bytes that the source does not have.
    fn pattern(&mut self, pattern: &str, flags: usize, span: Span) -> TermId {
        let translated = |terms: &mut Terms, dialect: Dialect| {
            let config = grammask_pattern::Config {
                dialect,
                extent: Extent::Part,
                ..grammask_pattern::Config::default()
            };
            grammask_pattern::translate(pattern, &config, terms.store())
        };
        let place = |offset: usize| {
            // The slash precedes the pattern.
            let at = (span.start + 1 + offset.saturating_sub(flags)).min(span.end);
            Span::new(at, at)
        };
        let first = self.config.pattern_dialect;
        let mut result = translated(&mut self.terms, first);
        if result.is_err() && first == Dialect::Rust {
            for (dialect, name) in [(Dialect::Python, "Python"), (Dialect::Ecma, "ECMA-262")] {
                let other = translated(&mut self.terms, dialect);
                if other.is_ok() {
                    let message = format!("the regex is read as one of {name}, as it is not one of Rust");
                    self.note_once(&message, span);
                    result = other;
                    break;
                }
            }
        }
        match result {
            Ok(found) => {
                if let Some(at) = lazy_quantifier(pattern) {
                    let note = "the lazy quantifier has no effect: a regex matches whole lexemes";
                    self.note_once(note, place(at));
                }
                for note in &found.notes {
                    self.note_once(&note.message, place(note.offset));
                }
                self.terms.pattern(&found)
            }
            Err(error) => {
                let at = place(error.offset);
                if self.noted.insert(at) {
                    self.builder.error(format!("invalid regex: {}", error.message), at);
                }
                TermId::NEVER
            }
        }
    }

    /// Reports an attribute without effect on the language, once.
    pub(super) fn annotation(&mut self, what: &str, place: Option<Span>) {
        if let Some(place) = place
            && self.noted.insert(place)
        {
            self.builder.annotation(what, place);
        }
    }

    /// Reports a budget of tokens, once: the grammar does not enforce it.
    pub(super) fn budget(&mut self, place: Span) {
        if !self.noted.insert(place) {
            return;
        }
        match self.config.notation.annotations {
            Annotations::Note => {
                self.builder
                    .note("`max_tokens` is not enforced: the grammar allows any number of tokens", place);
            }
            Annotations::Refuse => self.builder.error("`max_tokens` is not supported", place),
        }
    }
}

/// Appends the names in alternatives.
fn collect_names(body: &Alternatives, names: &mut Vec<(String, Span)>) {
    for element in body.branches.iter().flat_map(|branch| branch.conjuncts.iter().flatten()) {
        collect_names_of_atom(&element.atom, names);
    }
}

fn collect_names_of_atom(atom: &Atom, names: &mut Vec<(String, Span)>) {
    match &atom.kind {
        AtomKind::Group(inner) | AtomKind::Optional(inner) => collect_names(inner, names),
        AtomKind::Not(inner) => collect_names_of_atom(inner, names),
        AtomKind::Name(name) => names.push((name.clone(), atom.span)),
        AtomKind::Template(_, arguments) => {
            for argument in arguments {
                collect_names(argument, names);
            }
        }
        _ => {}
    }
}

/// Returns the offset of the first lazy quantifier of a regex.
fn lazy_quantifier(pattern: &str) -> Option<usize> {
    let (mut is_escaped, mut is_in_class, mut follows_quantifier) = (false, false, false);
    for (at, byte) in pattern.bytes().enumerate() {
        if byte == b'?' && follows_quantifier {
            return Some(at);
        }
        follows_quantifier = !is_escaped && !is_in_class && matches!(byte, b'*' | b'+' | b'?' | b'}');
        // `(?` is not a quantifier.
        follows_quantifier &= !(byte == b'?' && pattern[..at].ends_with('('));
        if !is_escaped && matches!(byte, b'[' | b']') {
            is_in_class = byte == b'[';
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    None
}

fn escape_in_class(char: char) -> String {
    if matches!(char, '\\' | ']' | '[' | '^' | '-' | '&' | '~') {
        format!("\\{char}")
    } else if char.is_control() {
        format!("\\x{{{:X}}}", u32::from(char))
    } else {
        char.to_string()
    }
}

//! Items to nodes: names are looked up, terminals become languages, and templates and parameters are expanded
//! breadth first.

mod permutation;
mod rules;
mod terminals;

use std::rc::Rc;

use grammask_notation::{Builder, Outcome};
use grammask_regular::Store;
use grammask_syntax::{Span, Text};
use grammask_work::narrow;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::{Config, GrammarKind};
use crate::node::{Instance, InstanceId, Node, NodeId, NodeKind};
use crate::parser;
use crate::scope::{Entry, EntryKind, Scope, ScopeId};
use crate::term::{TermId, Terms};
use crate::tree::{Alternatives, AtomKind, Definition, Item};

/// An index into the arguments of templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ArgumentId(pub u32);

/// The values of parameters while a body is translated.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    pub scope: ScopeId,
    /// Names of the parameters of a template.
    pub names: Rc<Vec<String>>,
    /// Their values.
    pub arguments: Rc<Vec<ArgumentId>>,
    /// The parameter of a parametric rule.
    pub parameter: Option<u64>,
}

impl Environment {
    pub(crate) fn of(scope: ScopeId) -> Self {
        Self { scope, names: Rc::default(), arguments: Rc::default(), parameter: None }
    }

    /// Returns the value of a parameter of a template.
    pub(crate) fn argument(&self, name: &str) -> Option<ArgumentId> {
        let at = self.names.iter().position(|known| known == name)?;
        self.arguments.get(at).copied()
    }
}

/// An argument of a template: an expression, where its names belong, and the number of templates around it.
struct Argument {
    body: Rc<Alternatives>,
    environment: Environment,
    depth: usize,
}

/// Address of the body of an argument, and its environment.
type ArgumentKey = (usize, ScopeId, Rc<Vec<ArgumentId>>, Option<u64>);

/// A rule with its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct InstanceKey {
    scope: ScopeId,
    name: String,
    arguments: Rc<Vec<ArgumentId>>,
    parameter: Option<u64>,
}

/// A terminal with its language.
pub(crate) struct Terminal {
    pub name: String,
    pub span: Span,
    /// Its language, without the name.
    pub term: TermId,
    /// Identifier of its rule, once it has one.
    pub identifier: Option<Text>,
}

/// The target of a name.
enum Found {
    Rule(ScopeId, Rc<Definition>),
    Terminal(ScopeId, String),
}

pub(crate) struct Translator<'c> {
    pub config: &'c Config,
    pub builder: Builder,
    pub scopes: Vec<Scope>,
    pub terms: Terms,
    pub terminals: Vec<Terminal>,
    pub nodes: Vec<Node>,
    pub instances: Vec<Instance>,
    terminal_ids: FxHashMap<(ScopeId, String), TermId>,
    instance_ids: FxHashMap<InstanceKey, InstanceId>,
    keys: Vec<InstanceKey>,
    arguments: Vec<Argument>,
    argument_ids: FxHashMap<ArgumentKey, ArgumentId>,
    /// Scopes of `%lark {…}` by the address of their items, which `kept` keeps alive.
    nested: FxHashMap<usize, ScopeId>,
    kept: Vec<Rc<Vec<Item>>>,
    /// Scopes of named grammars.
    named: FxHashMap<String, ScopeId>,
    /// Grafted schemas: those of named grammars by address, others by place.
    schemas: FxHashMap<(bool, usize), Option<Text>>,
    /// Places whose note was given.
    noted: FxHashSet<Span>,
    /// Errors about names that were reported, by scope, name and place.
    reported: FxHashSet<(ScopeId, String, Span)>,
    /// Levels of terminals that are being translated for others.
    terminal_depth: usize,
    exceeds_expansions: bool,
    /// Groups that are being translated, through arguments of templates.
    level: usize,
}

/// Translates a source to the nodes of its rules, and these to a grammar.
pub(crate) fn translate(
    text: &str,
    file: &str,
    config: &Config,
) -> Result<Outcome, grammask_notation::Errors> {
    let mut builder = Builder::new(&config.notation);
    let base = builder.add_source(file, text);
    let max_nesting = config.limits.max_nesting.min(250);
    let items = parser::parse(text, base, max_nesting, &mut builder);
    let mut translator = Translator::new(config, builder);
    let main = translator.add_scope(&items);
    let place = Span::new(base, base);
    let start = translator.start(main, place);
    translator.expand();
    translator.check_ignored();
    translator.note_unused(main);
    let start_span = translator.scopes[main.0].entries.get("start").map_or(place, |entry| entry.span);
    crate::emit::emit(translator, start, main, start_span)
}

impl<'c> Translator<'c> {
    fn new(config: &'c Config, builder: Builder) -> Self {
        Self {
            config,
            builder,
            scopes: Vec::new(),
            terms: Terms::new(Store::new(&config.regular)),
            terminals: Vec::new(),
            nodes: Vec::new(),
            instances: Vec::new(),
            terminal_ids: FxHashMap::default(),
            instance_ids: FxHashMap::default(),
            keys: Vec::new(),
            arguments: Vec::new(),
            argument_ids: FxHashMap::default(),
            nested: FxHashMap::default(),
            kept: Vec::new(),
            named: FxHashMap::default(),
            schemas: FxHashMap::default(),
            noted: FxHashSet::default(),
            reported: FxHashSet::default(),
            terminal_depth: 0,
            exceeds_expansions: false,
            level: 0,
        }
    }

    fn add_scope(&mut self, items: &[Item]) -> ScopeId {
        let grammars: Vec<String> = self.config.grammars.iter().map(|grammar| grammar.name.clone()).collect();
        let scope = Scope::new(items, &grammars, &mut self.builder);
        self.scopes.push(scope);
        ScopeId(self.scopes.len() - 1)
    }

    /// Returns the scope of `%lark {…}`.
    fn nested_scope(&mut self, items: &Rc<Vec<Item>>) -> ScopeId {
        let address = Rc::as_ptr(items) as usize;
        if let Some(&known) = self.nested.get(&address) {
            return known;
        }
        let scope = self.add_scope(items);
        self.nested.insert(address, scope);
        self.kept.push(Rc::clone(items));
        scope
    }

    /// Returns the scope of a grammar in [`Config::grammars`]. `None` if it is not Lark.
    fn named_scope(&mut self, name: &str) -> Option<ScopeId> {
        if let Some(&known) = self.named.get(name) {
            return Some(known);
        }
        let config = self.config;
        let grammar = config.grammars.iter().find(|grammar| grammar.name == name)?;
        if grammar.kind != GrammarKind::Lark {
            return None;
        }
        let base = self.builder.add_source(&format!("@{name}"), &grammar.text);
        let max_nesting = config.limits.max_nesting.min(250);
        let items = parser::parse(&grammar.text, base, max_nesting, &mut self.builder);
        let scope = self.add_scope(&items);
        self.named.insert(name.to_owned(), scope);
        Some(scope)
    }

    /// Returns the instance of `start` in a scope. Reports an error at `place` if there is none.
    fn start(&mut self, scope: ScopeId, place: Span) -> Option<InstanceId> {
        if !self.scopes[scope.0].entries.contains_key("start") {
            let first = self.scopes[scope.0].names.first().cloned();
            let hint = match first {
                Some(name) => format!("add a rule: start: {name}"),
                None => "add a rule: start: …".to_owned(),
            };
            self.builder.error_hint("the grammar has no rule `start`", place, hint);
            return None;
        }
        match self.look_up(scope, "start", place)? {
            Found::Rule(scope, definition) => {
                if definition.is_parametric || !definition.parameters.is_empty() {
                    self.builder.error("the rule `start` has no parameters", definition.name_span);
                    return None;
                }
                Some(self.instance(scope, &definition, Rc::default(), None, place))
            }
            Found::Terminal(..) => None,
        }
    }

    /// Finds the meaning of a name, through imports. Reports an error at `place` if there is none.
    fn look_up(&mut self, scope: ScopeId, name: &str, place: Span) -> Option<Found> {
        let (mut at, mut local) = (scope, name.to_owned());
        // Two grammars may import one name from each other.
        for _ in 0..=self.config.grammars.len() {
            let Some(entry) = self.scopes[at.0].entries.get(&local) else {
                self.undefined(at, &local, place);
                return None;
            };
            match entry.kind.clone() {
                EntryKind::Own(definition) if definition.is_terminal => {
                    return Some(Found::Terminal(at, local));
                }
                EntryKind::Own(definition) => return Some(Found::Rule(at, definition)),
                EntryKind::BuiltIn(_) => return Some(Found::Terminal(at, local)),
                EntryKind::Imported { from, name } => {
                    let Some(next) = self.named_scope(&from) else {
                        self.builder.error(format!("`{from}` is not a Lark grammar"), place);
                        return None;
                    };
                    (at, local) = (next, name);
                }
            }
        }
        self.builder.error(format!("`{name}` is imported in a circle"), place);
        None
    }

    fn undefined(&mut self, scope: ScopeId, name: &str, place: Span) {
        if !self.reported.insert((scope, name.to_owned(), place)) {
            return;
        }
        let is_terminal = name.trim_start_matches('_').starts_with(|first: char| first.is_ascii_uppercase());
        let what = if is_terminal { "terminal" } else { "rule" };
        let hint = match self.scopes[scope.0].similar(name) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None if is_terminal => format!("add a terminal: {name}: …"),
            None => format!("add a rule: {name}: …"),
        };
        self.builder.error_hint(format!("undefined {what} `{name}`"), place, hint);
    }

    fn entry(&self, scope: ScopeId, name: &str) -> Option<&Entry> {
        self.scopes[scope.0].entries.get(name)
    }

    /// Returns the argument with this body in this environment.
    fn argument(
        &mut self,
        body: &Rc<Alternatives>,
        environment: &Environment,
        place: Span,
    ) -> Option<ArgumentId> {
        // A parameter that is handed on stays the same argument.
        if let Some(name) = single_name(body)
            && let Some(known) = environment.argument(name)
        {
            return Some(known);
        }
        let address = Rc::as_ptr(body) as usize;
        let key = (address, environment.scope, Rc::clone(&environment.arguments), environment.parameter);
        if let Some(&known) = self.argument_ids.get(&key) {
            return Some(known);
        }
        let inner = environment.arguments.iter().map(|argument| self.arguments[argument.0 as usize].depth);
        let depth = 1 + inner.max().unwrap_or(0);
        let limit = self.config.limits.max_nesting.min(250);
        if depth > limit {
            if self.noted.insert(place) {
                self.builder.error_hint(
                    format!("more than {limit} templates in templates (limit `max_nesting`)"),
                    place,
                    "the argument of a template must not grow with each call",
                );
            }
            return None;
        }
        let id = ArgumentId(narrow(self.arguments.len()));
        self.arguments.push(Argument { body: Rc::clone(body), environment: environment.clone(), depth });
        self.argument_ids.insert(key, id);
        Some(id)
    }

    /// Returns the environment of the body of a template.
    fn call(
        &mut self,
        scope: ScopeId,
        definition: &Definition,
        arguments: &[Rc<Alternatives>],
        environment: &Environment,
        place: Span,
    ) -> Option<Environment> {
        let (expected, found) = (definition.parameters.len(), arguments.len());
        if expected != found {
            let message = format!("`{}` has {expected} parameters, but {found} are given", definition.name);
            let hint = if expected == 0 {
                format!("write `{}` without braces", definition.name)
            } else {
                format!("write `{}{{{}}}`", definition.name, definition.parameters.join(", "))
            };
            self.builder.error_hint(message, place, hint);
            return None;
        }
        let ids: Option<Vec<ArgumentId>> =
            arguments.iter().map(|argument| self.argument(argument, environment, place)).collect();
        Some(Environment {
            scope,
            names: Rc::new(definition.parameters.clone()),
            arguments: Rc::new(ids?),
            parameter: None,
        })
    }

    /// Enters a group. Returns false and reports an error if the nesting exceeds the limit.
    fn enter(&mut self, place: Span) -> bool {
        let limit = self.config.limits.max_nesting.min(250);
        if self.level >= 2 * limit {
            if self.noted.insert(place) {
                self.builder.limit("max_nesting", limit, "groups in arguments of templates", place);
            }
            return false;
        }
        self.level += 1;
        true
    }

    /// Adds a note about a place once.
    fn note_once(&mut self, message: &str, place: Span) {
        if self.noted.insert(place) {
            self.builder.note(message, place);
        }
    }

    fn push(&mut self, kind: NodeKind, span: Span, scope: ScopeId) -> NodeId {
        let id = NodeId(narrow(self.nodes.len()));
        self.nodes.push(Node { kind, span, scope });
        id
    }

    /// Translates the ignored texts of all grammars, so that their errors are reported with the others.
    fn check_ignored(&mut self) {
        for scope in 0..self.scopes.len() {
            self.ignored(ScopeId(scope));
        }
    }

    /// Notes the definitions of the main grammar that `start` does not reach.
    fn note_unused(&mut self, main: ScopeId) {
        if self.builder.has_errors() {
            return;
        }
        let used: FxHashSet<&str> = self.keys.iter().map(|key| key.name.as_str()).collect();
        let mut unused = Vec::new();
        for name in &self.scopes[main.0].names {
            let entry = &self.scopes[main.0].entries[name];
            if let EntryKind::Own(definition) = &entry.kind
                && definition.parameters.is_empty()
                && !used.contains(name.as_str())
                && !self.terminal_ids.contains_key(&(main, name.clone()))
            {
                let what = if definition.is_terminal { "terminal" } else { "rule" };
                unused.push((format!("the {what} `{name}` is not used"), entry.span));
            }
        }
        for (message, span) in unused {
            self.builder.note(message, span);
        }
    }
}

/// Returns the name that alternatives consist of.
fn single_name(body: &Alternatives) -> Option<&str> {
    let [branch] = &body.branches[..] else { return None };
    let [conjunct] = &branch.conjuncts[..] else { return None };
    match (&conjunct[..], &branch.condition) {
        ([element], None) if element.repeat.is_none() => match &element.atom.kind {
            AtomKind::Name(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

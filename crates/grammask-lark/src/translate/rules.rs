//! Bodies of rules.

use std::rc::Rc;

use grammask_syntax::Span;
use grammask_work::narrow;

use super::{Environment, Found, InstanceKey, Translator};
use crate::config::GrammarKind;
use crate::node::{Instance, InstanceId, NodeId, NodeKind};
use crate::scope::ScopeId;
use crate::term::TermId;
use crate::tree::{Alternatives, Atom, AtomKind, Branch, Definition, Element, Parameter};

impl Translator<'_> {
    /// Returns a rule with its parameters. Its body is translated later.
    pub(super) fn instance(
        &mut self,
        scope: ScopeId,
        definition: &Definition,
        arguments: Rc<Vec<super::ArgumentId>>,
        parameter: Option<u64>,
        place: Span,
    ) -> InstanceId {
        let key = InstanceKey { scope, name: definition.name.clone(), arguments, parameter };
        if let Some(&known) = self.instance_ids.get(&key) {
            return known;
        }
        let limit = self.config.limits.max_expansions;
        if self.instances.len() >= limit && !std::mem::replace(&mut self.exceeds_expansions, true) {
            self.builder.error_hint(
                format!("more than {limit} rules with different parameters (limit `max_expansions`)"),
                place,
                "parameters must take few values; a rule whose parameter grows with each call has no end",
            );
        }
        let id = InstanceId(narrow(self.instances.len()));
        let is_plain = scope.0 == 0 && key.arguments.is_empty() && parameter.is_none();
        let identifier = if is_plain {
            self.builder.declare(&definition.name)
        } else {
            self.builder.fresh(&definition.name)
        };
        self.instances.push(Instance {
            identifier,
            name_span: definition.name_span,
            span: definition.span,
            scope,
            node: None,
        });
        self.instance_ids.insert(key.clone(), id);
        self.keys.push(key);
        id
    }

    /// Translates the bodies of all rules, breadth first.
    pub(super) fn expand(&mut self) {
        let mut next = 0;
        while next < self.instances.len() && !self.exceeds_expansions {
            let key = self.keys[next].clone();
            let node = self.rule(&key);
            self.instances[next].node = Some(node);
            next += 1;
        }
    }

    fn rule(&mut self, key: &InstanceKey) -> NodeId {
        let found = self.look_up(key.scope, &key.name, Span::default());
        let Some(Found::Rule(scope, definition)) = found else {
            return self.push(NodeKind::Never, Span::default(), key.scope);
        };
        let environment = Environment {
            scope,
            names: Rc::new(definition.parameters.clone()),
            arguments: Rc::clone(&key.arguments),
            parameter: key.parameter,
        };
        let Some(body) = definition.body.clone() else {
            return self.push(NodeKind::Never, definition.span, scope);
        };
        let extensions = self.entry(key.scope, &key.name).map(|entry| entry.extensions.clone());
        let extensions = extensions.unwrap_or_default();
        let attributes = &definition.attributes;
        self.annotation("`capture`", attributes.capture);
        self.annotation("`temperature`", attributes.temperature);
        if let Some((number, place)) = attributes.max_tokens {
            if number == 0 {
                return self.push(NodeKind::Empty, definition.span, scope);
            }
            self.budget(place);
        }
        if attributes.lazy.is_some() || attributes.suffix.is_some() {
            let mut parts = vec![self.regular(&body, &environment)];
            for extension in &extensions {
                parts.push(self.regular(extension, &environment));
            }
            let mut term = self.terms.alternatives(parts);
            if let Some(suffix) = &attributes.suffix {
                let suffix = self.regular_atom(suffix, &environment);
                term = self.terms.sequence(vec![term, suffix]);
            }
            let term = self.limited(term, &definition);
            if self.terms.is_nullable(term) {
                let place = attributes.lazy.unwrap_or(definition.name_span);
                self.note_once("the lazy rule may be empty; its other texts end as soon as they can", place);
            }
            return self.push(NodeKind::Lexeme { term, is_lazy: true }, definition.span, scope);
        }
        if attributes.max_chars.is_some() {
            let term = self.regular(&body, &environment);
            let term = self.limited(term, &definition);
            return self.push(NodeKind::Lexeme { term, is_lazy: false }, definition.span, scope);
        }
        if key.parameter.is_some()
            && extensions.is_empty()
            && let Some(node) = self.permutation(key, &definition, &environment)
        {
            return node;
        }
        let mut parts = vec![self.alternatives(&body, &environment)];
        for extension in &extensions {
            parts.push(self.alternatives(extension, &environment));
        }
        self.union(parts, definition.span, scope)
    }

    /// Applies `max_chars`.
    fn limited(&mut self, term: TermId, definition: &Definition) -> TermId {
        let Some((number, place)) = definition.attributes.max_chars else { return term };
        match u32::try_from(number).ok().filter(|number| *number <= grammask_syntax::MAX_REPETITIONS) {
            Some(number) => {
                let any = self.terms.regex("(?s:.)");
                let bounded = self.terms.repeat(any, 0, Some(number));
                self.terms.and(vec![bounded, term])
            }
            None => {
                self.builder.limit(
                    "MAX_REPETITIONS",
                    grammask_syntax::MAX_REPETITIONS as usize,
                    "characters",
                    place,
                );
                term
            }
        }
    }

    pub(super) fn alternatives(&mut self, body: &Alternatives, environment: &Environment) -> NodeId {
        if !self.enter(body.span) {
            return self.push(NodeKind::Never, body.span, environment.scope);
        }
        let mut parts = Vec::with_capacity(body.branches.len());
        for branch in &body.branches {
            match (&branch.condition, environment.parameter) {
                (Some(condition), Some(value)) if !condition.holds(value) => continue,
                (Some(condition), None) if condition.constant() == Some(true) => {}
                (Some(condition), None) if condition.constant() == Some(false) => continue,
                (Some(_), None) => {
                    if self.noted.insert(branch.span) {
                        let hint = "a parametric rule is written `name::_ : …`";
                        self.builder.error_hint("`%if` belongs into a parametric rule", branch.span, hint);
                    }
                    continue;
                }
                _ => {}
            }
            parts.push(self.branch(branch, environment));
        }
        self.level -= 1;
        self.union(parts, body.span, environment.scope)
    }

    fn union(&mut self, mut parts: Vec<NodeId>, span: Span, scope: ScopeId) -> NodeId {
        match (parts.len(), parts.pop()) {
            (1, Some(part)) => part,
            (0, _) | (_, None) => self.push(NodeKind::Never, span, scope),
            (_, Some(last)) => {
                parts.push(last);
                self.push(NodeKind::Alternatives(parts), span, scope)
            }
        }
    }

    fn branch(&mut self, branch: &Branch, environment: &Environment) -> NodeId {
        let scope = environment.scope;
        let [elements] = &branch.conjuncts[..] else {
            let term = self.regular_branch(branch, environment);
            return self.push(NodeKind::Lexeme { term, is_lazy: false }, branch.span, scope);
        };
        let mut parts: Vec<NodeId> =
            elements.iter().map(|element| self.element(element, environment)).collect();
        match (parts.len(), parts.pop()) {
            (1, Some(part)) => part,
            (_, None) => self.push(NodeKind::Empty, branch.span, scope),
            (_, Some(last)) => {
                parts.push(last);
                self.push(NodeKind::Sequence(parts), branch.span, scope)
            }
        }
    }

    pub(super) fn element(&mut self, element: &Element, environment: &Environment) -> NodeId {
        let node = self.atom(&element.atom, environment);
        match element.repeat {
            Some((min, max)) => self.push(NodeKind::Repeat(node, min, max), element.span, environment.scope),
            None => node,
        }
    }

    pub(super) fn atom(&mut self, atom: &Atom, environment: &Environment) -> NodeId {
        let scope = environment.scope;
        let kind = match &atom.kind {
            AtomKind::Group(inner) => return self.alternatives(inner, environment),
            AtomKind::Optional(inner) => {
                let node = self.alternatives(inner, environment);
                NodeKind::Repeat(node, 0, Some(1))
            }
            AtomKind::Text { text, .. } if text.is_empty() => NodeKind::Empty,
            AtomKind::Not(_)
            | AtomKind::Text { .. }
            | AtomKind::Range(..)
            | AtomKind::Regex { .. }
            | AtomKind::Substrings(_) => {
                NodeKind::Lexeme { term: self.regular_atom(atom, environment), is_lazy: false }
            }
            AtomKind::Name(name) => return self.name(name, environment, atom),
            AtomKind::Apply(name, parameter) => self.apply(name, *parameter, environment, atom.span),
            AtomKind::Template(name, arguments) => match self.look_up(scope, name, atom.span) {
                Some(Found::Rule(target, definition)) => {
                    match self.call(target, &definition, arguments, environment, atom.span) {
                        Some(inner) => {
                            let instance =
                                self.instance(target, &definition, inner.arguments, None, atom.span);
                            NodeKind::Call(instance)
                        }
                        None => NodeKind::Never,
                    }
                }
                Some(Found::Terminal(..)) => {
                    NodeKind::Lexeme { term: self.regular_atom(atom, environment), is_lazy: false }
                }
                None => NodeKind::Never,
            },
            AtomKind::Special(name) => NodeKind::Special(name.clone()),
            AtomKind::Tokens { ranges, is_complement } => {
                NodeKind::Tokens { ranges: ranges.clone(), is_complement: *is_complement }
            }
            AtomKind::Grammar(name) => self.grammar(name, atom.span),
            AtomKind::Json(json) => {
                let at = atom.span.end - json.len();
                self.schema(json, at, atom.span)
            }
            AtomKind::Lark(items) => {
                let scope = self.nested_scope(items);
                match self.start(scope, atom.span) {
                    Some(start) => NodeKind::Call(start),
                    None => NodeKind::Never,
                }
            }
        };
        self.push(kind, atom.span, scope)
    }

    fn name(&mut self, name: &str, environment: &Environment, atom: &Atom) -> NodeId {
        let (scope, place) = (environment.scope, atom.span);
        if let Some(argument) = environment.argument(name) {
            let argument = &self.arguments[argument.0 as usize];
            let (body, inner) = (Rc::clone(&argument.body), argument.environment.clone());
            return self.alternatives(&body, &inner);
        }
        let kind = match self.look_up(scope, name, place) {
            Some(Found::Rule(target, definition)) => {
                if definition.is_parametric {
                    let message = format!("the rule `{name}` needs a parameter");
                    self.builder.error_hint(message, place, format!("write `{name}::0` or `{name}::_`"));
                    NodeKind::Never
                } else if definition.parameters.is_empty() {
                    NodeKind::Call(self.instance(target, &definition, Rc::default(), None, place))
                } else {
                    self.call(target, &definition, &[], environment, place);
                    NodeKind::Never
                }
            }
            Some(Found::Terminal(..)) => {
                NodeKind::Lexeme { term: self.regular_atom(atom, environment), is_lazy: false }
            }
            None => NodeKind::Never,
        };
        self.push(kind, place, scope)
    }

    fn apply(
        &mut self,
        name: &str,
        parameter: Parameter,
        environment: &Environment,
        place: Span,
    ) -> NodeKind {
        let definition = match self.look_up(environment.scope, name, place) {
            Some(Found::Rule(target, definition)) => (target, definition),
            Some(Found::Terminal(..)) => {
                self.builder.error(format!("the terminal `{name}` has no parameter"), place);
                return NodeKind::Never;
            }
            None => return NodeKind::Never,
        };
        let (target, definition) = definition;
        if !definition.is_parametric {
            let hint = format!("declare it as `{name}::_ : …`, or call it without `::`");
            self.builder.error_hint(format!("the rule `{name}` has no parameter"), place, hint);
            return NodeKind::Never;
        }
        let value = match (parameter, environment.parameter) {
            (Parameter::Constant(value), _) => value,
            (_, Some(value)) => parameter.of(value),
            (_, None) => {
                let hint = "give it a number, or make this rule parametric: `name::_ : …`";
                self.builder.error_hint("this rule has no parameter to pass on", place, hint);
                return NodeKind::Never;
            }
        };
        let body = definition.body.as_ref();
        if body.is_some_and(|body| !body.needs_parameter()) && self.noted.insert(definition.name_span) {
            let message = format!("the rule `{name}` does not use its parameter");
            self.builder.note(message, definition.name_span);
        }
        NodeKind::Call(self.instance(target, &definition, Rc::default(), Some(value), place))
    }

    fn grammar(&mut self, name: &str, place: Span) -> NodeKind {
        let config = self.config;
        let Some(grammar) = config.grammars.iter().find(|grammar| grammar.name == name) else {
            let names = config.grammars.iter().map(|grammar| grammar.name.as_str());
            let hint = match grammask_syntax::suggest(name, names) {
                Some(similar) => format!("did you mean `@{similar}`?"),
                None => "grammars are handed over by name".to_owned(),
            };
            self.builder.error_hint(format!("there is no grammar `@{name}`"), place, hint);
            return NodeKind::Never;
        };
        match grammar.kind {
            GrammarKind::Lark => {
                let Some(scope) = self.named_scope(name) else { return NodeKind::Never };
                self.start(scope, place).map_or(NodeKind::Never, NodeKind::Call)
            }
            GrammarKind::JsonSchema => {
                let address = grammar as *const crate::config::Grammar as usize;
                if let Some(known) = self.schemas.get(&(true, address)) {
                    return known.clone().map_or(NodeKind::Never, NodeKind::Graft);
                }
                let base = self.builder.add_source(&format!("@{name}"), &grammar.text);
                let start = self.builder.schema(&grammar.text, base, &config.schema, name, place);
                self.schemas.insert((true, address), start.clone());
                start.map_or(NodeKind::Never, NodeKind::Graft)
            }
        }
    }

    fn schema(&mut self, json: &str, at: usize, place: Span) -> NodeKind {
        if let Some(known) = self.schemas.get(&(false, at)) {
            return known.clone().map_or(NodeKind::Never, NodeKind::Graft);
        }
        let config = crate::guidance::options(json, &self.config.schema);
        let start = self.builder.schema(json, at, &config, "json", place);
        self.schemas.insert((false, at), start.clone());
        start.map_or(NodeKind::Never, NodeKind::Graft)
    }
}

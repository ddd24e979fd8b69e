//! Nodes to rules of KBNF.
//!
//! An output belongs to the language if there is a way to cut it into lexemes. A lexer does more in one case,
//! and so does this module. Where a lazy lexeme L may begin, no other lexeme that may begin there has a text
//! with a prefix in L. Each such lexeme T becomes `T & ~(L any*)`, if T has such texts.
//!
//! Rules therefore have contexts, if the grammar has lazy lexemes: the lazy lexemes that compete with the
//! first lexeme of the rule, and those that may follow the rule.

mod analysis;
mod contexts;
mod left_recursion;
mod lexemes;

use std::collections::VecDeque;

use grammask_notation::{Errors, Outcome};
use grammask_syntax::{ExprId, ExprKind, Quantifier, Span, Text, Unordered};
use grammask_work::narrow;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::node::{InstanceId, NodeId, NodeKind};
use crate::scope::ScopeId;
use crate::term::TermId;
use crate::translate::Translator;
use analysis::{Analysis, SetId};

/// A part of a grammar that has a rule for each of its contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Target {
    Rule(InstanceId),
    /// The parts of a sequence from one on.
    Tail(NodeId, usize),
}

/// A target, the lazy lexemes that compete with its first lexeme, and those that may follow it.
type Context = (Target, SetId, SetId);

struct Emitter<'c> {
    translator: Translator<'c>,
    analysis: Analysis,
    contexts: FxHashMap<Context, Text>,
    pending: VecDeque<(Context, Text)>,
    /// Targets that have a rule.
    named: FxHashSet<Target>,
    /// Terminals whose rules are due.
    terminals: VecDeque<u32>,
    /// Rules of restricted lexemes.
    restricted: FxHashMap<TermId, Text>,
    regular: FxHashMap<NodeId, Option<TermId>>,
    exceeds_limit: bool,
}

/// Writes the rules that `start` reaches.
pub(crate) fn emit(
    mut translator: Translator<'_>,
    start: Option<InstanceId>,
    main: ScopeId,
    place: Span,
) -> Result<Outcome, Errors> {
    let (Some(start), false) = (start, translator.builder.has_errors()) else {
        return Err(translator.builder.into_errors());
    };
    let analysis = Analysis::new(&translator.nodes, &translator.instances, &mut translator.terms);
    let mut emitter = Emitter {
        translator,
        analysis,
        contexts: FxHashMap::default(),
        pending: VecDeque::new(),
        named: FxHashSet::default(),
        terminals: VecDeque::new(),
        restricted: FxHashMap::default(),
        regular: FxHashMap::default(),
        exceeds_limit: false,
    };
    let first = emitter.first_of_rule(start);
    let mut name = emitter.rule_name((Target::Rule(start), first, SetId::NONE));
    emitter.run();
    let body = emitter.translator.instances[start.index()].node;
    if emitter.analysis.has_lazy && body.is_some_and(|body| emitter.analysis.nullable[body.index()]) {
        let body = emitter.translator.builder.name(&name, place);
        let body = emitter.translator.builder.optional(body, place);
        name = emitter.translator.builder.fresh("start");
        emitter.translator.builder.rule(&name, place, body, place);
    }
    let allows_skip = emitter.translator.scopes[main.0].options.allows_initial_skip;
    if allows_skip && let Some(skip) = emitter.skip(main, place) {
        let body = emitter.translator.builder.name(&name, place);
        let body = emitter.translator.builder.sequence(vec![skip, body], place);
        name = emitter.translator.builder.fresh("start");
        emitter.translator.builder.rule(&name, place, body, place);
        emitter.run();
    }
    emitter.translator.builder.finish(&name, place)
}

impl Emitter<'_> {
    fn first_of_rule(&self, instance: InstanceId) -> SetId {
        let node = self.translator.instances[instance.index()].node;
        node.map_or(SetId::NONE, |node| self.analysis.first[node.index()])
    }

    /// Returns the identifier of the rule for a target in a context.
    fn rule_name(&mut self, mut context: Context) -> Text {
        if !self.analysis.has_lazy {
            context = (context.0, SetId::NONE, SetId::NONE);
        }
        if let Some(known) = self.contexts.get(&context) {
            return known.clone();
        }
        let limit = self.translator.config.limits.max_expansions;
        let name = match context.0 {
            Target::Rule(instance) => {
                let known = self.translator.instances[instance.index()].identifier.clone();
                let is_first = self.named.insert(context.0);
                if !self.analysis.has_lazy || is_first {
                    known
                } else {
                    self.translator.builder.fresh(&known)
                }
            }
            Target::Tail(..) => self.translator.builder.fresh("rest"),
        };
        if self.analysis.has_lazy && self.contexts.len() >= limit.max(self.translator.instances.len()) {
            if !std::mem::replace(&mut self.exceeds_limit, true) {
                let place = self.place(context.0);
                let what = "rules in different contexts of lazy rules";
                self.translator.builder.limit("max_expansions", limit, what, place);
            }
            return name;
        }
        self.contexts.insert(context, name.clone());
        self.pending.push_back((context, name.clone()));
        name
    }

    fn place(&self, target: Target) -> Span {
        match target {
            Target::Rule(instance) => self.translator.instances[instance.index()].span,
            Target::Tail(node, _) => self.translator.nodes[node.index()].span,
        }
    }

    /// Writes all rules that are due.
    fn run(&mut self) {
        loop {
            if let Some((context, name)) = self.pending.pop_front() {
                if self.exceeds_limit {
                    continue;
                }
                let place = self.place(context.0);
                let (name_span, body) = match context.0 {
                    Target::Rule(instance) => {
                        let rule = &self.translator.instances[instance.index()];
                        let (name_span, node) = (rule.name_span, rule.node);
                        let Some(node) = node else { continue };
                        let body = if self.analysis.has_lazy {
                            self.non_empty(node, context.1, context.2)
                        } else {
                            self.plain(node)
                        };
                        (name_span, body)
                    }
                    Target::Tail(node, from) => {
                        (place, self.non_empty_tail(node, from, context.1, context.2))
                    }
                };
                self.translator.builder.rule(&name, name_span, body, place);
            } else if let Some(terminal) = self.terminals.pop_front() {
                self.terminal_rule(terminal);
            } else {
                return;
            }
        }
    }

    /// Returns the expression of a node in a grammar without lazy lexemes.
    fn plain(&mut self, id: NodeId) -> ExprId {
        let node = self.translator.nodes[id.index()].clone();
        let (span, scope) = (node.span, node.scope);
        match node.kind {
            NodeKind::Call(instance) => {
                let name = self.rule_name((Target::Rule(instance), SetId::NONE, SetId::NONE));
                self.call(&name, instance, scope, span)
            }
            NodeKind::Sequence(parts) => {
                let parts = parts.iter().map(|&part| self.plain(part)).collect();
                self.translator.builder.sequence(parts, span)
            }
            NodeKind::Alternatives(parts) => self.plain_alternatives(&parts, span),
            NodeKind::Repeat(part, min @ 0..=1, None) if self.other_tokens_of(part).is_some() => {
                let ranges = self.other_tokens_of(part).unwrap_or_default();
                let part = self.other_tokens(&ranges, span);
                self.translator.builder.repeat(part, min.into(), None, span)
            }
            NodeKind::Repeat(part, min, max) => {
                if max != Some(1)
                    && let Some(term) = self.as_regular(part)
                {
                    let term = self.translator.terms.repeat(term, min, max);
                    return self.term(term, span);
                }
                let part = self.plain(part);
                self.translator.builder.repeat(part, min.into(), max.map(u64::from), span)
            }
            NodeKind::Unordered { items, min, max } => {
                let parts: Vec<ExprId> = items.iter().map(|&item| self.plain(item)).collect();
                self.unordered(&items, parts, min, max, span)
            }
            kind => self.leaf(&kind, scope, span),
        }
    }

    /// Returns the ids that a node excludes, if it is any other token.
    fn other_tokens_of(&self, id: NodeId) -> Option<Vec<(u32, u32)>> {
        match &self.translator.nodes[id.index()].kind {
            NodeKind::Tokens { ranges, is_complement: true } => Some(ranges.clone()),
            _ => None,
        }
    }

    /// Returns alternatives; an empty one makes the others optional.
    fn plain_alternatives(&mut self, parts: &[NodeId], span: Span) -> ExprId {
        let is_empty = |part: &&NodeId| matches!(self.translator.nodes[part.index()].kind, NodeKind::Empty);
        let others: Vec<NodeId> = parts.iter().filter(|part| !is_empty(part)).copied().collect();
        let has_empty = others.len() < parts.len();
        let others: Vec<ExprId> = others.iter().map(|&part| self.plain(part)).collect();
        let builder = &mut self.translator.builder;
        if others.is_empty() {
            return builder.empty(span);
        }
        let others = builder.alternatives(others, span);
        if has_empty { builder.optional(others, span) } else { others }
    }

    /// Returns a node without parts, and the ignored texts after it.
    fn leaf(&mut self, kind: &NodeKind, scope: ScopeId, span: Span) -> ExprId {
        let expr = match kind {
            NodeKind::Empty => return self.translator.builder.empty(span),
            NodeKind::Never => return self.translator.builder.never(span),
            NodeKind::Lexeme { term, is_lazy } => {
                return self.lexeme(*term, *is_lazy, SetId::NONE, scope, span);
            }
            NodeKind::Special(name) => self.special(name, span),
            NodeKind::Tokens { ranges, is_complement } => self.tokens(ranges, *is_complement, span),
            NodeKind::Graft(name) => self.translator.builder.name(name, span),
            _ => return self.translator.builder.never(span),
        };
        self.with_skip(expr, scope, span)
    }

    /// Returns a call, and the ignored texts after it if the rule belongs to another grammar.
    fn call(&mut self, name: &str, instance: InstanceId, scope: ScopeId, span: Span) -> ExprId {
        let expr = self.translator.builder.name(name, span);
        if self.translator.instances[instance.index()].scope == scope {
            return expr;
        }
        self.with_skip(expr, scope, span)
    }

    /// Returns an expression followed by ignored texts.
    fn with_skip(&mut self, expr: ExprId, scope: ScopeId, span: Span) -> ExprId {
        match self.skip(scope, span) {
            Some(skip) => self.translator.builder.sequence(vec![expr, skip], span),
            None => expr,
        }
    }

    /// Returns the ignored texts of a grammar, optional. `None` if it ignores nothing.
    fn skip(&mut self, scope: ScopeId, span: Span) -> Option<ExprId> {
        let translator = &mut self.translator;
        if translator.scopes[scope.0].ignored.is_empty() {
            return None;
        }
        if translator.scopes[scope.0].skip.is_none() {
            let name = translator.builder.fresh("skip");
            translator.scopes[scope.0].skip = Some(name.clone());
            let place = translator.scopes[scope.0].ignored[0].span;
            let (term, ignores_once) = translator.ignored(scope);
            let term = if ignores_once { term } else { translator.terms.repeat(term, 1, None) };
            if translator.builder.has_errors() {
                return None;
            }
            let body = self.term_body(term, place);
            self.translator.builder.rule(&name, place, body, place);
        }
        let name = self.translator.scopes[scope.0].skip.clone()?;
        let skip = self.translator.builder.name(&name, span);
        Some(self.translator.builder.optional(skip, span))
    }

    fn unordered(&mut self, items: &[NodeId], parts: Vec<ExprId>, min: u32, max: u32, span: Span) -> ExprId {
        let nullable = items.iter().find(|item| self.analysis.nullable[item.index()]);
        if let Some(item) = nullable {
            let place = self.translator.nodes[item.index()].span;
            self.translator.builder.error_hint(
                "an item of a permutation of more than 8 items may not be empty",
                place,
                "the condition of the last alternative says how many items occur: bit_count_ge(_, 2)",
            );
        }
        let builder = &mut self.translator.builder;
        let count = narrow(parts.len());
        let is_complete = min == count;
        let parts: Vec<ExprId> = parts
            .into_iter()
            .map(|part| {
                if is_complete {
                    return part;
                }
                builder.push(ExprKind::Repeat { expr: part, quantifier: Quantifier::Option }, span)
            })
            .collect();
        let bounds = if is_complete { (0, None) } else { (min, Some(max)) };
        let unordered = Unordered {
            parts: parts.into(),
            has_separator: false,
            min: bounds.0,
            max: bounds.1,
            requires: Vec::new(),
        };
        builder.push(ExprKind::Unordered(Box::new(unordered)), span)
    }
}

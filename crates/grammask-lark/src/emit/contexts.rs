//! Rules of a grammar with lazy lexemes, in their contexts.
//!
//! `first` is the set of lazy lexemes that may begin where a node begins, `follow` the set of those that may
//! begin where it ends. Expressions made here never produce the empty text, so that the context of what
//! follows is known: a node that may be empty is made optional where it is used.

use grammask_syntax::{ExprId, Span};

use super::analysis::SetId;
use super::{Emitter, Target};
use crate::node::{NodeId, NodeKind};
use crate::scope::ScopeId;
use crate::term::TermId;

impl Emitter<'_> {
    /// Returns the non-empty texts of a node.
    pub(super) fn non_empty(&mut self, id: NodeId, first: SetId, follow: SetId) -> ExprId {
        let node = self.translator.nodes[id.index()].clone();
        let (span, scope) = (node.span, node.scope);
        match node.kind {
            NodeKind::Empty | NodeKind::Never => self.translator.builder.never(span),
            NodeKind::Lexeme { term, is_lazy } => self.non_empty_lexeme(term, is_lazy, first, scope, span),
            NodeKind::Special(_) | NodeKind::Tokens { .. } | NodeKind::Graft(_) => {
                self.leaf(&node.kind, scope, span)
            }
            NodeKind::Call(instance) => {
                let name = self.rule_name((Target::Rule(instance), first, follow));
                self.call(&name, instance, scope, span)
            }
            NodeKind::Sequence(_) => self.non_empty_tail(id, 0, first, follow),
            NodeKind::Alternatives(parts) => {
                let parts = parts.iter().map(|&part| self.non_empty(part, first, follow)).collect();
                self.translator.builder.alternatives(parts, span)
            }
            NodeKind::Repeat(part, min, max) => self.non_empty_repeat(id, (part, min, max), first, follow),
            NodeKind::Unordered { items, min, max } => {
                let inner = self.analysis.first[id.index()];
                let inner = self.analysis.sets.union(inner, follow);
                let inner = self.analysis.sets.union(inner, first);
                let parts: Vec<ExprId> =
                    items.iter().map(|&item| self.non_empty(item, inner, inner)).collect();
                self.unordered(&items, parts, min.max(1), max, span)
            }
        }
    }

    fn non_empty_lexeme(
        &mut self,
        term: TermId,
        is_lazy: bool,
        first: SetId,
        scope: ScopeId,
        span: Span,
    ) -> ExprId {
        let term = if is_lazy { term } else { self.translator.terms.non_empty(term) };
        if is_lazy && self.translator.terms.is_nullable(term) {
            let language = self.restricted(term, true, first);
            let expr = self.term(language, span);
            return self.with_skip(expr, scope, span);
        }
        self.lexeme(term, is_lazy, first, scope, span)
    }

    /// Returns the texts of a node, the empty one included if it has that.
    fn whole(&mut self, id: NodeId, first: SetId, follow: SetId) -> ExprId {
        let span = self.translator.nodes[id.index()].span;
        if matches!(self.translator.nodes[id.index()].kind, NodeKind::Empty) {
            return self.translator.builder.empty(span);
        }
        let expr = self.non_empty(id, first, follow);
        if self.analysis.nullable[id.index()] { self.translator.builder.optional(expr, span) } else { expr }
    }

    /// Returns, for each position in a sequence from `from` on, the lazy lexemes that may begin there, and
    /// whether the rest may be empty. The last position is the end.
    fn firsts(&mut self, parts: &[NodeId], from: usize, follow: SetId) -> Vec<(SetId, bool)> {
        let mut sets = vec![(follow, true); parts.len() + 1];
        for at in (from..parts.len()).rev() {
            let part = parts[at].index();
            let own = self.analysis.first[part];
            sets[at] = if self.analysis.nullable[part] {
                (self.analysis.sets.union(own, sets[at + 1].0), sets[at + 1].1)
            } else {
                (own, false)
            };
        }
        sets
    }

    /// Returns the non-empty texts of the parts of a sequence from one on.
    pub(super) fn non_empty_tail(&mut self, id: NodeId, from: usize, first: SetId, follow: SetId) -> ExprId {
        let node = self.translator.nodes[id.index()].clone();
        let NodeKind::Sequence(parts) = &node.kind else { return self.translator.builder.never(node.span) };
        let sets = self.firsts(parts, from, follow);
        let mut alternatives = Vec::new();
        for at in from..parts.len() {
            let again = self.analysis.again[parts[at].index()];
            let is_nullable = self.analysis.nullable[parts[at].index()];
            let next = sets[at + 1].0;
            if is_nullable && !sets[at + 1].1 && self.analysis.sets.union(next, again) == first {
                // Nothing that follows depends on whether the part is empty.
                let mut all = vec![self.whole(parts[at], first, next)];
                all.extend(self.rest(id, parts, &sets, at + 1, (first, follow)));
                alternatives.push(self.translator.builder.sequence(all, node.span));
                break;
            }
            let mut all = vec![self.non_empty(parts[at], first, next)];
            all.extend(self.rest(id, parts, &sets, at + 1, (again, follow)));
            let place = Span::new(self.translator.nodes[parts[at].index()].span.start, node.span.end);
            alternatives.push(self.translator.builder.sequence(all, place));
            if !is_nullable {
                break;
            }
        }
        self.translator.builder.alternatives(alternatives, node.span)
    }

    /// Returns the parts of a sequence from a position on that a non-empty part precedes. `carried` are the
    /// lazy lexemes that may begin there because that part goes on.
    fn rest(
        &mut self,
        id: NodeId,
        parts: &[NodeId],
        sets: &[(SetId, bool)],
        from: usize,
        (mut carried, follow): (SetId, SetId),
    ) -> Vec<ExprId> {
        let mut all = Vec::new();
        for at in from..parts.len() {
            let here = self.analysis.sets.union(sets[at].0, carried);
            let next = sets[at + 1].0;
            let again = self.analysis.again[parts[at].index()];
            let is_nullable = self.analysis.nullable[parts[at].index()];
            if !is_nullable || at + 1 == parts.len() || self.analysis.sets.union(next, again) == here {
                all.push(self.whole(parts[at], here, next));
                carried = if is_nullable { here } else { again };
                continue;
            }
            // Whether this part is empty decides what competes with the next one.
            let span = self.translator.nodes[id.index()].span;
            let name = self.rule_name((Target::Tail(id, at), here, follow));
            let tail = self.translator.builder.name(&name, span);
            all.push(if sets[at].1 { self.translator.builder.optional(tail, span) } else { tail });
            break;
        }
        all
    }

    /// Returns the non-empty texts of a repetition.
    ///
    /// In `(tool | TEXT)*`, a text that could go on does go on: two of them are never adjacent. So this is
    /// `texts? (tool texts?)*`, where `texts` is `TEXT+` and no tool begins in it.
    fn non_empty_repeat(
        &mut self,
        id: NodeId,
        (part, min, max): (NodeId, u32, Option<u32>),
        first: SetId,
        follow: SetId,
    ) -> ExprId {
        let span = self.translator.nodes[id.index()].span;
        let scope = self.translator.nodes[id.index()].scope;
        let own = self.analysis.first[part.index()];
        let again = self.analysis.again[part.index()];
        let inner = self.analysis.sets.union(own, follow);
        let inner = self.analysis.sets.union(inner, again);
        if max == Some(1) {
            return self.non_empty(part, first, follow);
        }
        if min <= 1
            && max.is_none()
            && let Some(ranges) = self.other_tokens_of(part)
        {
            let part = self.other_tokens(&ranges, span);
            return self.translator.builder.repeat(part, 1, None, span);
        }
        let is_loop = max.is_none() && min <= 1 && self.translator.scopes[scope.0].ignored.is_empty();
        if is_loop {
            let (texts, others) = self.split_loop(part);
            if let Some(texts) = texts {
                return self.text_loop(texts, &others, (first, inner), scope, span);
            }
        }
        let head = self.non_empty(part, first, inner);
        let least = if self.analysis.nullable[part.index()] { 0 } else { min.saturating_sub(1) };
        let most = max.map(|max| u64::from(max.saturating_sub(1)));
        let again = self.non_empty(part, inner, inner);
        let again = self.translator.builder.repeat(again, least.into(), most, span);
        self.translator.builder.sequence(vec![head, again], span)
    }

    /// Returns the non-empty texts of a loop of texts and other alternatives.
    ///
    /// Before an alternative that begins with a lazy lexeme which any text may precede, there is no text: the
    /// lexeme has it.
    fn text_loop(
        &mut self,
        texts: TermId,
        others: &[NodeId],
        (first, inner): (SetId, SetId),
        scope: ScopeId,
        span: Span,
    ) -> ExprId {
        let run = self.translator.terms.repeat(texts, 1, None);
        let head = self.non_empty_lexeme(run, false, first, scope, span);
        if others.is_empty() {
            return head;
        }
        let (lazy, plain): (Vec<NodeId>, Vec<NodeId>) =
            others.iter().partition(|other| self.has_absorbing_head(run, **other));
        let first_item = self.loop_item(&lazy, &plain, run, (first, inner), (scope, span));
        let further = self.loop_item(&lazy, &plain, run, (inner, inner), (scope, span));
        let tail = self.non_empty_lexeme(run, false, inner, scope, span);
        let builder = &mut self.translator.builder;
        let further = builder.repeat(further, 0, None, span);
        let tail = builder.optional(tail, span);
        let items = builder.sequence(vec![first_item, further, tail], span);
        builder.alternatives(vec![items, head], span)
    }

    /// Returns true if a node begins with lazy lexemes, each of which may have any of these texts before it.
    fn has_absorbing_head(&mut self, run: TermId, id: NodeId) -> bool {
        let heads = self.analysis.sets.list(self.analysis.first[id.index()]).to_vec();
        !heads.is_empty() && heads.into_iter().all(|head| self.translator.terms.is_absorbed(run, head))
    }

    /// Returns an alternative of a loop, with the text before it if that is possible.
    fn loop_item(
        &mut self,
        lazy: &[NodeId],
        plain: &[NodeId],
        run: TermId,
        (first, inner): (SetId, SetId),
        (scope, span): (ScopeId, Span),
    ) -> ExprId {
        let mut parts: Vec<ExprId> = lazy.iter().map(|&other| self.non_empty(other, first, inner)).collect();
        if !plain.is_empty() {
            let alternatives = |emitter: &mut Self, set: SetId| {
                let parts = plain.iter().map(|&other| emitter.non_empty(other, set, inner)).collect();
                emitter.translator.builder.alternatives(parts, span)
            };
            let text = self.non_empty_lexeme(run, false, first, scope, span);
            if first == inner {
                let text = self.translator.builder.optional(text, span);
                let item = alternatives(self, inner);
                parts.push(self.translator.builder.sequence(vec![text, item], span));
            } else {
                parts.push(alternatives(self, first));
                let item = alternatives(self, inner);
                parts.push(self.translator.builder.sequence(vec![text, item], span));
            }
        }
        self.translator.builder.alternatives(parts, span)
    }

    /// Splits the body of a loop into the lexemes that may follow each other at once, and all other
    /// alternatives. Rules that consist of alternatives are looked through.
    fn split_loop(&mut self, part: NodeId) -> (Option<TermId>, Vec<NodeId>) {
        let mut texts = Vec::new();
        let mut others = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut rest = vec![part];
        while let Some(id) = rest.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.translator.nodes[id.index()].kind.clone() {
                NodeKind::Alternatives(parts) => rest.extend(parts.iter().rev()),
                NodeKind::Call(instance) => {
                    let node = self.translator.instances[instance.index()].node;
                    match node {
                        Some(node) if self.is_choice(node) => rest.push(node),
                        _ => others.push(id),
                    }
                }
                NodeKind::Empty | NodeKind::Never => {}
                _ => match self.as_regular(id) {
                    Some(term) => texts.push(term),
                    None => others.push(id),
                },
            }
        }
        let texts = (!texts.is_empty()).then(|| self.translator.terms.alternatives(texts));
        (texts, others)
    }

    /// Returns true for a lexeme, a choice, or a call of one.
    fn is_choice(&mut self, id: NodeId) -> bool {
        match self.translator.nodes[id.index()].kind {
            NodeKind::Alternatives(_) | NodeKind::Call(_) => true,
            NodeKind::Lexeme { is_lazy, .. } => !is_lazy,
            _ => self.as_regular(id).is_some(),
        }
    }
}

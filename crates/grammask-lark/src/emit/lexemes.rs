//! Lexemes: languages to regular expressions of KBNF, and rules of terminals.

use grammask_syntax::{ExprId, ExprKind, Span, SpecialMember, SpecialSet};

use super::Emitter;
use super::analysis::SetId;
use crate::node::{NodeId, NodeKind};
use crate::scope::ScopeId;
use crate::term::{Term, TermId};

/// Languages of at most this many expressions become one regex.
const MAX_MERGED_SIZE: usize = 2_000;

/// Length of the longest regex that several expressions become, in bytes.
const MAX_MERGED_BYTES: usize = 1 << 14;

impl Emitter<'_> {
    /// Returns a lexeme where lazy lexemes compete with it, and the ignored texts after it.
    pub(super) fn lexeme(
        &mut self,
        term: TermId,
        is_lazy: bool,
        rivals: SetId,
        scope: ScopeId,
        span: Span,
    ) -> ExprId {
        let has_skip = !self.translator.scopes[scope.0].ignored.is_empty();
        let is_nullable = has_skip && self.translator.terms.is_nullable(term);
        let language = self.restricted(term, is_lazy, rivals);
        if !is_nullable {
            let expr = self.lexeme_expr(term, language, span);
            return self.with_skip(expr, scope, span);
        }
        // Ignored texts follow a lexeme that has at least one character.
        let language = self.translator.terms.non_empty(language);
        let expr = self.lexeme_expr(term, language, span);
        let expr = self.with_skip(expr, scope, span);
        self.translator.builder.optional(expr, span)
    }

    /// Returns the texts of a lexeme that no lazy lexeme of a set ends before.
    pub(super) fn restricted(&mut self, term: TermId, is_lazy: bool, rivals: SetId) -> TermId {
        let terms = &mut self.translator.terms;
        let language = if is_lazy { terms.minimal(term) } else { term };
        let own = if is_lazy { Some(terms.non_empty(term)) } else { None };
        let rivals: Vec<TermId> =
            self.analysis.sets.list(rivals).iter().copied().filter(|&rival| Some(rival) != own).collect();
        let mut heads: Vec<TermId> =
            rivals.into_iter().filter(|&rival| terms.may_begin_with(language, rival)).collect();
        heads.sort_unstable();
        if heads.is_empty() {
            return language;
        }
        let heads = terms.alternatives(heads);
        // Of two lazy lexemes that end together, both may be meant.
        let longer = terms.beginning_with(heads, is_lazy);
        let others = terms.not(longer);
        terms.and(vec![language, others])
    }

    /// Returns the expression of a language that was made from a lexeme.
    fn lexeme_expr(&mut self, origin: TermId, language: TermId, span: Span) -> ExprId {
        if origin == language || self.translator.terms.size(language) < 8 {
            return self.term(language, span);
        }
        if let Some(name) = self.restricted.get(&language) {
            return self.translator.builder.name(name, span);
        }
        let stem = match self.translator.terms.get(origin) {
            &Term::Named(_, terminal) => self.translator.terminals[terminal as usize].name.clone(),
            _ => "lexeme".to_owned(),
        };
        let name = self.translator.builder.fresh(&stem);
        self.restricted.insert(language, name.clone());
        let body = self.term_body(language, span);
        self.translator.builder.rule(&name, span, body, span);
        self.translator.builder.name(&name, span)
    }

    /// Returns the expression of a language in a rule: a name, if it has one.
    pub(super) fn term(&mut self, term: TermId, span: Span) -> ExprId {
        match self.translator.terms.get(term) {
            &Term::Named(_, terminal) => self.terminal_name(terminal, span),
            _ => self.term_body(term, span),
        }
    }

    fn terminal_name(&mut self, terminal: u32, span: Span) -> ExprId {
        let place = &mut self.translator.terminals[terminal as usize];
        let name = match &place.identifier {
            Some(known) => known.clone(),
            None => {
                let user = place.name.clone();
                let is_known = self.translator.builder.identifier(&user).is_some();
                let builder = &mut self.translator.builder;
                let name = if is_known { builder.fresh(&user) } else { builder.declare(&user) };
                self.translator.terminals[terminal as usize].identifier = Some(name.clone());
                self.terminals.push_back(terminal);
                name
            }
        };
        self.translator.builder.name(&name, span)
    }

    /// Writes the rule of a terminal.
    pub(super) fn terminal_rule(&mut self, terminal: u32) {
        let terminal = &self.translator.terminals[terminal as usize];
        let (term, span, name) = (terminal.term, terminal.span, terminal.identifier.clone());
        let Some(name) = name else { return };
        let body = self.term_body(term, span);
        self.translator.builder.rule(&name, span, body, span);
    }

    /// Returns the expression of a language as a regular part, with all names in it written out.
    pub(super) fn term_body(&mut self, term: TermId, span: Span) -> ExprId {
        let limit = self.translator.config.limits.max_terminal_size;
        if self.translator.terms.size(term) > limit {
            if !std::mem::replace(&mut self.exceeds_limit, true) {
                let what = "expressions in a terminal with its names written out";
                self.translator.builder.limit("max_terminal_size", limit, what, span);
            }
            return self.translator.builder.never(span);
        }
        self.operand(term, span)
    }

    fn operand(&mut self, term: TermId, span: Span) -> ExprId {
        let is_small = self.translator.terms.size(term) <= MAX_MERGED_SIZE;
        let known = self.translator.terms.get(term).clone();
        match &known {
            Term::Text(text) => return self.translator.builder.text(text, span),
            Term::Regex(regex) => return self.translator.builder.regex(regex, span),
            Term::Never => return self.translator.builder.never(span),
            Term::Named(inner, _) => return self.operand(*inner, span),
            Term::Alternatives(parts) if parts.iter().all(|&part| self.is_text(part)) => {}
            _ if is_small => {
                if let Some(regex) = self.translator.terms.to_regex(term, MAX_MERGED_BYTES) {
                    return self.translator.builder.regex(&regex, span);
                }
            }
            _ => {}
        }
        match known {
            Term::Sequence(parts) => {
                let parts = self.merged(&parts, span);
                self.translator.builder.sequence(parts, span)
            }
            Term::Alternatives(parts) => {
                let parts = parts.iter().map(|&part| self.operand(part, span)).collect();
                self.translator.builder.alternatives(parts, span)
            }
            Term::And(parts) => {
                let parts = parts.iter().map(|&part| self.operand(part, span)).collect();
                self.translator.builder.and(parts, span)
            }
            Term::Not(part) => {
                let part = self.operand(part, span);
                self.translator.builder.not(part, span)
            }
            Term::Repeat(part, min, max) => {
                let part = self.operand(part, span);
                self.translator.builder.repeat(part, min.into(), max.map(u64::from), span)
            }
            Term::Minimal(part) => self.minimal(part, span),
            Term::Substrings(chunks) => self.substrings(&chunks, span),
            Term::Text(_) | Term::Regex(_) | Term::Never | Term::Named(..) => {
                self.translator.builder.never(span)
            }
        }
    }

    fn is_text(&self, term: TermId) -> bool {
        matches!(self.translator.terms.get(term), Term::Text(_))
    }

    /// Returns the parts of a sequence. Neighbours that are regexes become one.
    fn merged(&mut self, parts: &[TermId], span: Span) -> Vec<ExprId> {
        let mut all = Vec::new();
        let mut run: Vec<TermId> = Vec::new();
        for &part in parts {
            let is_regex = self.translator.terms.size(part) <= MAX_MERGED_SIZE
                && self.translator.terms.to_regex(part, MAX_MERGED_BYTES).is_some();
            if is_regex && run.len() < MAX_MERGED_SIZE {
                run.push(part);
                continue;
            }
            if !run.is_empty() {
                let joined = self.translator.terms.sequence(std::mem::take(&mut run));
                all.push(self.operand(joined, span));
            }
            if is_regex {
                run.push(part);
            } else {
                all.push(self.operand(part, span));
            }
        }
        match run[..] {
            [] => {}
            // A sequence of all parts is not a regex, or there would be no need to split it.
            _ if all.is_empty() => {
                all.extend(run.iter().map(|&part| self.operand(part, span)).collect::<Vec<_>>());
            }
            _ => {
                let joined = self.translator.terms.sequence(run);
                all.push(self.operand(joined, span));
            }
        }
        all
    }

    /// Returns the non-empty texts of a language without a shorter one in it.
    fn minimal(&mut self, part: TermId, span: Span) -> ExprId {
        if self.translator.terms.size(part) <= MAX_MERGED_SIZE
            && let Some(regex) = self.translator.terms.to_regex(part, MAX_MERGED_BYTES)
        {
            return self.translator.builder.prefix_minimal(&regex, span);
        }
        let terms = &mut self.translator.terms;
        let texts = terms.non_empty(part);
        let longer = terms.beginning_with(texts, true);
        let others = terms.not(longer);
        let minimal = terms.and(vec![texts, others]);
        self.operand(minimal, span)
    }

    fn substrings(&mut self, chunks: &[String], span: Span) -> ExprId {
        if chunks.iter().all(|chunk| chunk.chars().count() == 1) {
            let text = chunks.concat();
            return self.translator.builder.push(ExprKind::Substrings(text.as_str().into()), span);
        }
        let chunks = chunks.iter().map(|chunk| chunk.as_str().into()).collect();
        self.translator.builder.push(ExprKind::ChunkRuns(chunks), span)
    }

    pub(super) fn special(&mut self, name: &str, span: Span) -> ExprId {
        if grammask_syntax::is_special_name(name) {
            return self.translator.builder.push(ExprKind::SpecialName(name.into()), span);
        }
        let set = SpecialSet { is_complement: false, members: vec![SpecialMember::Name(name.to_owned())] };
        self.translator.builder.push(ExprKind::SpecialSet(Box::new(set)), span)
    }

    pub(super) fn tokens(&mut self, ranges: &[(u32, u32)], is_complement: bool, span: Span) -> ExprId {
        if is_complement {
            self.translator.builder.error_hint(
                "one token outside of a set is not a language of texts: tokens may be cut in other ways",
                span,
                "repeat it: <[^7]>* is any text and any special token but 7",
            );
        }
        let members = ranges.iter().map(|&(first, last)| SpecialMember::Ids(first, last)).collect();
        let set = SpecialSet { is_complement: false, members };
        self.translator.builder.push(ExprKind::SpecialSet(Box::new(set)), span)
    }

    /// Returns any bytes and the special tokens outside of a set: the parts of tokens outside of it.
    pub(super) fn other_tokens(&mut self, ranges: &[(u32, u32)], span: Span) -> ExprId {
        let members = ranges.iter().map(|&(first, last)| SpecialMember::Ids(first, last)).collect();
        let set = SpecialSet { is_complement: true, members };
        let builder = &mut self.translator.builder;
        let set = builder.push(ExprKind::SpecialSet(Box::new(set)), span);
        let byte = builder.regex("(?s-u:.)", span);
        builder.alternatives(vec![byte, set], span)
    }

    /// Returns the language of a node that is regular as it stands: lexemes without ignored texts between
    /// them. In a grammar with lazy lexemes, only a choice of lexemes is taken.
    pub(super) fn as_regular(&mut self, id: NodeId) -> Option<TermId> {
        if let Some(&known) = self.regular.get(&id) {
            return known;
        }
        let found = self.find_regular(id).filter(|&term| {
            let terms = &self.translator.terms;
            terms.size(term) <= MAX_MERGED_SIZE && terms.depth(term) < 300
        });
        self.regular.insert(id, found);
        found
    }

    fn find_regular(&mut self, id: NodeId) -> Option<TermId> {
        let node = &self.translator.nodes[id.index()];
        if !self.translator.scopes[node.scope.0].ignored.is_empty() {
            return None;
        }
        let has_lazy = self.analysis.has_lazy;
        match node.kind.clone() {
            NodeKind::Empty => Some(TermId::EMPTY),
            NodeKind::Lexeme { term, is_lazy: false } => Some(term),
            NodeKind::Sequence(parts) if !has_lazy => {
                let parts: Option<Vec<TermId>> = parts.iter().map(|&part| self.as_regular(part)).collect();
                Some(self.translator.terms.sequence(parts?))
            }
            NodeKind::Alternatives(parts) => {
                let parts: Option<Vec<TermId>> = parts.iter().map(|&part| self.as_regular(part)).collect();
                Some(self.translator.terms.alternatives(parts?))
            }
            NodeKind::Repeat(part, min, max) if !has_lazy || min <= 1 => {
                let part = self.as_regular(part)?;
                Some(self.translator.terms.repeat(part, min, max))
            }
            _ => None,
        }
    }
}

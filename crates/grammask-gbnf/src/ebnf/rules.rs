//! The checks after all rules are read: names, and the options of rules.

use grammask_syntax::{Diagnostic, Span, Text, suggest};
use rustc_hash::FxHashSet;

use super::regular::Inliner;
use super::{ParsedRule, Parser};

impl Parser<'_, '_> {
    /// Declares the names at the beginnings of lines, so that identifiers keep their spelling.
    pub(super) fn declare_names(&mut self) {
        let mut names: Vec<&str> = begun_names(self.cursor.text).into_iter().collect();
        names.sort_unstable();
        self.builder.declare_all(names.iter().copied());
    }

    /// Adds a rule, unless its name has one.
    pub(super) fn define(&mut self, rule: ParsedRule) {
        if let Some(&first) = self.indices.get(&rule.name) {
            let message = format!("`{}` has two rules", rule.name);
            let hint = match self.is_llama() {
                true => "join them with `|`; llama.cpp takes the last one only",
                false => "join them with `|`",
            };
            let first = self.rules[first].name_span;
            let error = Diagnostic::new(message, rule.name_span).with_hint(hint);
            self.builder.report(error.with_note(first, "the first one is here"));
            return;
        }
        if self.is_llama() && rule.name.contains('_') {
            let message = format!("`{}` has an underscore, which llama.cpp refuses in names", rule.name);
            self.builder.note(message, rule.name_span);
        }
        self.indices.insert(rule.name.clone(), self.rules.len());
        self.rules.push(rule);
        self.rule += 1;
    }

    /// Reports undefined names, applies the options, and adds the rules. Returns the start symbol.
    pub(super) fn finish(mut self, root: &str) -> Option<(Text, Span)> {
        self.report_undefined();
        let Some(&start) = self.indices.get(root) else {
            if !self.builder.has_errors() {
                let span = self.cursor.span(0, 0);
                let hint = match suggest(root, self.rules.iter().map(|rule| rule.name.as_str())) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => format!("add a rule: {root} ::= …"),
                };
                self.builder.error_hint(format!("the start symbol `{root}` has no rule"), span, hint);
            }
            return None;
        };
        if self.builder.has_errors() {
            return None;
        }
        let bodies = self.rules.iter().map(|rule| (rule.identifier.clone(), rule.body)).collect();
        let inliner = Inliner::new(bodies);
        for index in 0..self.rules.len() {
            let rule = &self.rules[index];
            let (name, span, name_span) = (rule.identifier.clone(), rule.span, rule.name_span);
            let body = if rule.options.lazy || rule.options.max_chars.is_some() {
                inliner.restrict(rule, self.builder)
            } else {
                rule.body
            };
            self.builder.rule(&name, name_span, body, span);
        }
        let rule = &self.rules[start];
        (!self.builder.has_errors()).then(|| (rule.identifier.clone(), rule.name_span))
    }

    /// Reports the names without a rule.
    fn report_undefined(&mut self) {
        // The rule of a name may be one that could not be read.
        let begun =
            if self.builder.has_errors() { begun_names(self.cursor.text) } else { FxHashSet::default() };
        let mut suggestions = 0;
        for (name, span) in std::mem::take(&mut self.uses) {
            if self.indices.contains_key(name) || begun.contains(name) {
                continue;
            }
            suggestions += 1;
            let known = self.rules.iter().map(|rule| rule.name.as_str());
            let like = if suggestions <= MAX_SUGGESTIONS { suggest(name, known) } else { None };
            let hint = match like {
                Some(like) => format!("did you mean `{like}`?"),
                None => format!("add a rule: {name} ::= …"),
            };
            self.builder.error_hint(format!("`{name}` has no rule"), span, hint);
        }
    }
}

/// Number of undefined names that are compared with all defined ones.
const MAX_SUGGESTIONS: usize = 20;

/// Returns the names at the beginnings of lines that `::=` or options follow.
fn begun_names(text: &str) -> FxHashSet<&str> {
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
    let begun = |line: &'_ str| {
        let line = line.trim_start();
        let end = line.find(|char| !is_name(char))?;
        let rest = line[end..].trim_start();
        (end > 0 && (rest.starts_with("::=") || rest.starts_with('['))).then_some(end)
    };
    let names = text.lines().filter_map(|line| Some(&line.trim_start()[..begun(line)?]));
    names.collect()
}

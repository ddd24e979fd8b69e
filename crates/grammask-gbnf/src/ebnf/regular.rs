//! Rules with options, whose bodies must be regular: the names in them are replaced by their rules.

use grammask_notation::Builder;
use grammask_syntax::{ExprId, ExprKind, Text};
use rustc_hash::FxHashMap;

use super::ParsedRule;

/// The bodies of all rules.
pub(super) struct Inliner {
    bodies: FxHashMap<Text, ExprId>,
}

impl Inliner {
    pub(super) fn new(bodies: FxHashMap<Text, ExprId>) -> Self {
        Self { bodies }
    }

    /// Returns the body of a rule as its options restrict it.
    pub(super) fn restrict(&self, rule: &ParsedRule, builder: &mut Builder) -> ExprId {
        let span = rule.name_span;
        let inlined = self.inline(rule.body, builder);
        let Some((mut body, regex)) = inlined.and_then(|id| Some((id, builder.to_regex(id)?))) else {
            let message = format!("the options of `{}` need a regular rule", rule.name);
            let hint = "a rule with `lazy` or `max_chars` consists of texts, classes and other regular rules";
            builder.error_hint(message, span, hint);
            return rule.body;
        };
        if rule.options.lazy {
            body = match builder.is_nullable_expr(body) {
                Some(true) => {
                    builder.note("the rule matches the empty text, so as a lazy rule it is empty", span);
                    builder.empty(span)
                }
                _ => builder.prefix_minimal(&regex, span),
            };
        }
        if let Some(max) = rule.options.max_chars {
            // A text with `max` characters or more ends at the first place where it may.
            let min = builder.any_char(span);
            let long = builder.repeat(min, max, None, span);
            let copy = builder.copy(body);
            let ended = builder.and(vec![copy, long], span);
            let more = builder.regex("(?s-u:.)+", span);
            let extended = builder.sequence(vec![ended, more], span);
            let excluded = builder.not(extended, span);
            body = builder.and(vec![body, excluded], span);
        }
        body
    }

    /// Returns a copy of an expression in which names are replaced by their rules. Returns `None` if they are
    /// recursive or too many.
    fn inline(&self, id: ExprId, builder: &mut Builder) -> Option<ExprId> {
        enum Task<'n> {
            Visit(ExprId),
            Make(ExprId),
            Leave(&'n Text),
        }
        let mut open: Vec<&Text> = Vec::new();
        let mut done: Vec<ExprId> = Vec::new();
        let mut tasks = vec![Task::Visit(id)];
        let limit = builder.config().limits.max_inlined_expressions;
        let mut steps = 0;
        while let Some(task) = tasks.pop() {
            steps += 1;
            if steps > limit {
                return None;
            }
            match task {
                Task::Visit(id) => {
                    if let ExprKind::Nonterminal(name) = builder.kind(id) {
                        let (name, &body) = self.bodies.get_key_value(name)?;
                        if open.contains(&name) {
                            return None;
                        }
                        open.push(name);
                        tasks.push(Task::Leave(name));
                        tasks.push(Task::Visit(body));
                        continue;
                    }
                    tasks.push(Task::Make(id));
                    tasks.extend(builder.kind(id).children().iter().rev().map(|&child| Task::Visit(child)));
                }
                Task::Make(id) => {
                    let mut kind = builder.kind(id).clone();
                    let copies = done.split_off(done.len() - kind.children().len());
                    for (child, copy) in kind.children_mut().iter_mut().zip(copies) {
                        *child = copy;
                    }
                    let span = builder.span(id);
                    done.push(builder.push(kind, span));
                }
                Task::Leave(name) => {
                    open.retain(|other| *other != name);
                }
            }
        }
        done.pop()
    }
}

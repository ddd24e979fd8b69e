//! The last steps: dropping unused expressions, and finding out if the empty text is in the language.

use grammask_syntax::{Ast, ExprId, ExprKind};
use regex_syntax::ast;
use rustc_hash::FxHashMap;

use super::Builder;

/// Returns true for the expressions that rules use, by id.
///
/// # Complexity
/// Linear in the expressions.
pub(super) fn used_expressions(ast: &Ast) -> Vec<bool> {
    let mut is_used = vec![false; ast.exprs.len()];
    for rule in &ast.rules {
        is_used[rule.body.index()] = true;
    }
    for index in (0..ast.exprs.len()).rev() {
        if is_used[index] {
            for child in ast.exprs[index].kind.children() {
                is_used[child.index()] = true;
            }
        }
    }
    is_used
}

/// Drops the expressions that no rule uses.
///
/// # Complexity
/// Linear in the expressions.
pub(super) fn compact(ast: &mut Ast, is_used: &[bool]) {
    let mut ids = vec![ExprId(0); ast.exprs.len()];
    let mut next = 0;
    for (index, is_used) in is_used.iter().enumerate() {
        ids[index] = ExprId(next);
        next += u32::from(*is_used);
    }
    let mut index = 0;
    ast.exprs.retain(|_| {
        index += 1;
        is_used[index - 1]
    });
    for expr in &mut ast.exprs {
        for child in expr.kind.children_mut() {
            *child = ids[child.index()];
        }
    }
    for rule in &mut ast.rules {
        rule.body = ids[rule.body.index()];
    }
}

/// Returns true if a regex of the Rust crate matches the empty text. Returns `None` if that depends on a
/// look-around assertion, or if the regex is not valid.
///
/// # Complexity
/// Linear in the regex.
///
/// ```
/// use grammask_notation::is_nullable_regex;
///
/// let answers = ["a+", "a*|b", "a*b", "$a*"].map(is_nullable_regex);
/// assert_eq!(answers, [Some(false), Some(true), Some(false), None]);
/// ```
pub fn is_nullable_regex(regex: &str) -> Option<bool> {
    // A regex without these characters has none of the operators that make a text optional.
    if !regex.is_empty() && !regex.contains(['*', '?', '|', '{', '(', '^', '$', '\\']) {
        return Some(false);
    }
    ast::visit(&ast::parse::Parser::new().parse(regex).ok()?, Nullable::default()).ok()
}

/// Computes if the parts of a regex have the empty text, each after its own parts.
#[derive(Default)]
struct Nullable {
    /// The answers so far.
    answers: Vec<bool>,
}

impl ast::Visitor for Nullable {
    type Output = bool;
    /// There is a look-around assertion.
    type Err = ();

    fn finish(mut self) -> Result<bool, ()> {
        self.answers.pop().ok_or(())
    }

    fn visit_post(&mut self, ast: &ast::Ast) -> Result<(), ()> {
        let count = match ast {
            ast::Ast::Alternation(alternation) => alternation.asts.len(),
            ast::Ast::Concat(concat) => concat.asts.len(),
            ast::Ast::Group(_) | ast::Ast::Repetition(_) => 1,
            _ => 0,
        };
        let parts = self.answers.split_off(self.answers.len().saturating_sub(count));
        self.answers.push(match ast {
            ast::Ast::Assertion(_) => return Err(()),
            ast::Ast::Empty(_) | ast::Ast::Flags(_) => true,
            ast::Ast::Alternation(_) => parts.contains(&true),
            ast::Ast::Repetition(repetition) if may_be_none(&repetition.op.kind) => true,
            ast::Ast::Concat(_) | ast::Ast::Group(_) | ast::Ast::Repetition(_) => !parts.contains(&false),
            _ => false,
        });
        Ok(())
    }
}

/// Returns true if a repetition may have no copy.
fn may_be_none(kind: &ast::RepetitionKind) -> bool {
    use ast::{RepetitionKind, RepetitionRange};
    match kind {
        RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore => true,
        RepetitionKind::OneOrMore => false,
        RepetitionKind::Range(
            RepetitionRange::Exactly(min) | RepetitionRange::AtLeast(min) | RepetitionRange::Bounded(min, _),
        ) => *min == 0,
    }
}

impl Builder {
    /// Returns true if the rules of a name derive the empty text. The tree is compact.
    ///
    /// # Complexity
    /// Linear in the tree for each level of nullable rules that depend on each other, mostly one or two.
    pub(super) fn is_nullable_rule(&mut self, start: &str) -> bool {
        let mut rules: FxHashMap<String, bool> =
            self.ast.rules.iter().map(|rule| (rule.name.text.clone(), false)).collect();
        let leaves: Vec<bool> = (0..self.ast.exprs.len()).map(|index| self.is_nullable_leaf(index)).collect();
        let mut values = leaves.clone();
        loop {
            for (index, expr) in self.ast.exprs.iter().enumerate() {
                let is = |id: &ExprId| values[id.index()];
                values[index] = match &expr.kind {
                    ExprKind::Nonterminal(name) => rules.get(name.as_str()).copied().unwrap_or(false),
                    ExprKind::Sequence(parts) | ExprKind::And(parts) => parts.iter().all(is),
                    ExprKind::Alternatives(parts) => parts.iter().any(is),
                    ExprKind::Repeat { expr, quantifier } => quantifier.bounds().0 == 0 || is(expr),
                    ExprKind::Not(part) => !is(part),
                    ExprKind::Unordered(unordered) => unordered.min == 0 && unordered.items().iter().all(is),
                    kind => match kind.children() {
                        [child] => is(child),
                        _ => leaves[index],
                    },
                };
            }
            let mut has_changed = false;
            for rule in &self.ast.rules {
                if values[rule.body.index()]
                    && let Some(value) = rules.get_mut(&rule.name.text)
                    && !*value
                {
                    (*value, has_changed) = (true, true);
                }
            }
            if !has_changed {
                return rules.get(start).copied().unwrap_or(false);
            }
        }
    }

    /// Returns true if an expression without operands has the empty text.
    fn is_nullable_leaf(&mut self, index: usize) -> bool {
        match &self.ast.exprs[index].kind {
            ExprKind::Text(text) => text.is_empty(),
            ExprKind::Substrings(_) | ExprKind::ChunkRuns(_) => true,
            ExprKind::Regex(regex) => {
                let regex = regex.clone();
                if let Some(&known) = self.nullable_regexes.get(&regex) {
                    return known;
                }
                let is_nullable = self.is_nullable_regex(&regex);
                self.nullable_regexes.insert(regex, is_nullable);
                is_nullable
            }
            _ => false,
        }
    }

    /// Returns true if a regex matches the empty text.
    fn is_nullable_regex(&mut self, regex: &str) -> bool {
        is_nullable_regex(regex).unwrap_or_else(|| {
            let store = self.store();
            store.regex(regex).is_ok_and(|id| store.is_nullable(id))
        })
    }

    /// Returns true if a regular expression without names has the empty text. Returns `None` if it has
    /// names.
    ///
    /// # Complexity
    /// Linear in the expression.
    pub fn is_nullable_expr(&mut self, id: ExprId) -> Option<bool> {
        let mut done: Vec<bool> = Vec::new();
        let mut tasks = vec![(id, false)];
        while let Some((id, is_ready)) = tasks.pop() {
            let children = self.kind(id).children().to_vec();
            if !is_ready && !children.is_empty() {
                tasks.push((id, true));
                tasks.extend(children.iter().rev().map(|&child| (child, false)));
                continue;
            }
            let parts = done.split_off(done.len() - children.len());
            let value = match self.kind(id) {
                ExprKind::Nonterminal(_) => return None,
                ExprKind::Sequence(_) | ExprKind::And(_) => parts.iter().all(|&part| part),
                ExprKind::Alternatives(_) => parts.contains(&true),
                ExprKind::Repeat { quantifier, .. } => quantifier.bounds().0 == 0 || parts[0],
                ExprKind::Not(_) => !parts[0],
                ExprKind::Unordered(unordered) => {
                    unordered.min == 0 && parts.iter().take(unordered.items().len()).all(|&part| part)
                }
                _ if parts.len() == 1 => parts[0],
                _ => self.is_nullable_leaf(id.index()),
            };
            done.push(value);
        }
        done.pop()
    }
}

#[cfg(test)]
mod tests {
    use grammask_regular::Store;

    use super::*;

    #[test]
    fn nullable_regexes_agree_with_their_automata() {
        let parts = [
            "",
            "a",
            "a*",
            "b+",
            "[ab]?",
            "(c|)",
            "(?:d{0}e|f{1,2})",
            r"\w{0,3}",
            ".",
            r"[^\x00-\x{10FFFF}]",
        ];
        let mut store = Store::new(&Default::default());
        for first in parts {
            for second in parts {
                for regex in [
                    format!("{first}{second}"),
                    format!("{first}|{second}"),
                    format!("(?i)(?:{first}){{2}}{second}"),
                    format!("(?:{first}|{second}|a)+"),
                    format!("(?:{first}{second}a)*"),
                ] {
                    let id = store.regex(&regex).unwrap();
                    assert_eq!(is_nullable_regex(&regex), Some(store.is_nullable(id)), "{regex}");
                }
            }
        }
        for unknown in ["^", r"\ba?", "(?:$|b)", "("] {
            assert_eq!(is_nullable_regex(unknown), None, "{unknown}");
        }
    }
}

//! Lists the texts of a nonterminal in `except!`, which may combine texts by `|`, juxtaposition and groups.
//!
//! `except!(stop)` with `stop ::= ('a' | 'b') 'c';` excludes `ac` and `bc`.

use std::rc::Rc;

use grammask_syntax::{Ast, ExprId, ExprKind, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::{Limit, LimitExceeded};
use crate::error::ErrorKind;

type Texts = Result<Rc<Vec<String>>, ErrorKind>;

/// Lists the texts of nonterminals, each once, within a common budget of bytes.
pub(crate) struct ExceptTexts<'a> {
    ast: &'a Ast,
    /// By name: the bodies of its rules. Filled at the first look-up.
    bodies: Option<FxHashMap<&'a str, Vec<ExprId>>>,
    /// By name: the result of [`list`](Self::list).
    listed: FxHashMap<&'a str, Texts>,
    /// Number of bytes that may still be written.
    left: usize,
    /// Number of bytes that all lists together may have.
    limit: usize,
}

/// The parent of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parent {
    Rule,
    Sequence,
    Alternatives,
}

impl<'a> ExceptTexts<'a> {
    pub fn new(ast: &'a Ast, limit: usize) -> Self {
        Self { ast, bodies: None, listed: FxHashMap::default(), left: limit, limit }
    }

    /// Returns the distinct texts of a nonterminal, in the order of the grammar.
    ///
    /// The tree must have children before parents.
    ///
    /// # Errors
    /// Returns an error if the nonterminal contains more than texts, or if the budget is exhausted.
    pub fn list(&mut self, name: &'a str) -> Texts {
        if let Some(texts) = self.listed.get(name) {
            return texts.clone();
        }
        let ast = self.ast;
        let bodies = self.bodies.get_or_insert_with(|| {
            let mut bodies: FxHashMap<&str, Vec<ExprId>> = FxHashMap::default();
            for rule in &ast.rules {
                bodies.entry(rule.name.text.as_str()).or_default().push(rule.body);
            }
            bodies
        });
        let bodies = bodies.get(name).cloned().unwrap_or_default();
        let texts = self.expand(name, &bodies).map(Rc::new);
        self.listed.insert(name, texts.clone());
        texts
    }

    /// Lists the texts of all `bodies`.
    fn expand(&mut self, name: &str, bodies: &[ExprId]) -> Result<Vec<String>, ErrorKind> {
        let mut pending: Vec<(ExprId, Parent)> = bodies.iter().map(|&body| (body, Parent::Rule)).collect();
        let mut exprs = Vec::new();
        let mut first_other: Option<(Span, &str)> = None;
        while let Some((id, parent)) = pending.pop() {
            let expr = self.ast.expr(id);
            let own = match &expr.kind {
                ExprKind::Text(_) => parent,
                ExprKind::Sequence(_) => Parent::Sequence,
                ExprKind::Alternatives(_) => Parent::Alternatives,
                kind => {
                    if first_other.is_none_or(|(span, _)| expr.span < span) {
                        first_other = Some((expr.span, construct(kind)));
                    }
                    continue;
                }
            };
            pending.extend(expr.kind.children().iter().map(|&child| (child, own)));
            exprs.push((id, parent));
        }
        if let Some((_, found)) = first_other {
            return Err(ErrorKind::ExceptOperand { name: name.to_owned(), found: found.to_owned() });
        }
        // Children come before parents. The outermost of directly nested choices writes the list of all, and
        // likewise for sequences. So each text is copied once per change between the two, not once per
        // parenthesis.
        exprs.sort_unstable_by_key(|&(id, _)| id);
        let mut lists: FxHashMap<ExprId, Vec<String>> = FxHashMap::default();
        for (id, parent) in exprs {
            let list = match &self.ast.expr(id).kind {
                ExprKind::Text(text) => {
                    self.spend(text.len() + 1)?;
                    vec![text.to_string()]
                }
                ExprKind::Alternatives(_) if parent != Parent::Alternatives => {
                    let mut all = Vec::new();
                    for part in self.parts(id) {
                        all.append(&mut lists.remove(&part).unwrap_or_default());
                    }
                    self.spend(all.len())?;
                    all
                }
                ExprKind::Sequence(_) if parent != Parent::Sequence => {
                    let parts = self.parts(id);
                    let lists: Vec<_> =
                        parts.iter().map(|part| lists.remove(part).unwrap_or_default()).collect();
                    self.product(&lists)?
                }
                _ => continue,
            };
            lists.insert(id, list);
        }
        let mut seen = FxHashSet::default();
        let mut texts: Vec<String> =
            bodies.iter().flat_map(|body| lists.remove(body).unwrap_or_default()).collect();
        texts.retain(|text| seen.insert(text.clone()));
        Ok(texts)
    }

    /// Returns the operands of an expression, in order. Directly nested expressions of its kind are replaced
    /// by theirs.
    fn parts(&self, id: ExprId) -> Vec<ExprId> {
        let is_same =
            |kind: &ExprKind| std::mem::discriminant(kind) == std::mem::discriminant(&self.ast.expr(id).kind);
        let mut parts = Vec::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let kind = &self.ast.expr(id).kind;
            if is_same(kind) {
                stack.extend(kind.children().iter().rev());
            } else {
                parts.push(id);
            }
        }
        parts
    }

    /// Returns all concatenations of one text from each list.
    fn product(&mut self, lists: &[Vec<String>]) -> Result<Vec<String>, ErrorKind> {
        let mut texts = vec![String::new()];
        for list in lists {
            if let [only] = &list[..] {
                self.spend(texts.len().saturating_mul(only.len() + 1))?;
                texts.iter_mut().for_each(|text| text.push_str(only));
                continue;
            }
            let bytes = |texts: &[String]| texts.iter().map(|text| text.len() + 1).sum::<usize>();
            let heads = bytes(&texts).saturating_mul(list.len());
            self.spend(heads.saturating_add(bytes(list).saturating_mul(texts.len())))?;
            texts =
                texts.iter().flat_map(|head| list.iter().map(move |tail| format!("{head}{tail}"))).collect();
        }
        Ok(texts)
    }

    /// Takes bytes from the budget.
    fn spend(&mut self, bytes: usize) -> Result<(), ErrorKind> {
        if bytes > self.left {
            let found = (self.limit - self.left).saturating_add(bytes);
            return Err(LimitExceeded::new(Limit::MaxExceptBytes, self.limit, found).into());
        }
        self.left -= bytes;
        Ok(())
    }
}

/// Returns the name of a construct that is not a text, for a message.
const fn construct(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::Nonterminal(_) => "a nonterminal",
        ExprKind::Regex(_) | ExprKind::PrefixMinimal(_) | ExprKind::NotContaining(_) => "a regex",
        ExprKind::Substrings(_) => "`#substrs`",
        ExprKind::Except { .. } => "an `except!`",
        ExprKind::SpecialName(_) | ExprKind::SpecialId(_) | ExprKind::SpecialSet(_) => "a special token",
        ExprKind::Marker(_) => "a `marker!`",
        ExprKind::ChunkRuns(_) => "`substrs!`",
        ExprKind::Capture { .. } => "a `capture!`",
        ExprKind::Schema(_) => "a `schema!`",
        ExprKind::Repeat { .. } => "a repetition",
        ExprKind::Unordered(_) => "`unordered!`",
        ExprKind::Distinct(_) => "a `distinct!`",
        ExprKind::And(_) => "`&`",
        ExprKind::Not(_) => "`~`",
        ExprKind::Json(..) => "a `json!`",
        ExprKind::Multiple(_) => "a `multiple!`",
        ExprKind::Compared(..) => "a comparison",
        ExprKind::Text(_) | ExprKind::Sequence(_) | ExprKind::Alternatives(_) => "a text",
    }
}

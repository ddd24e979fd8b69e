//! The texts that a nonterminal in `except!` stands for: it may be made of texts by `|`, juxtaposition and groups.

use std::rc::Rc;

use grammask_syntax::{Ast, ExprId, ExprKind, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::ErrorKind;

type Texts = Result<Rc<Vec<String>>, ErrorKind>;

/// Lists texts, each nonterminal once, within one budget.
pub(crate) struct ExceptTexts<'a> {
    ast: &'a Ast,
    /// The bodies of the rules of a name; filled when first asked for.
    bodies: Option<FxHashMap<&'a str, Vec<ExprId>>>,
    known: FxHashMap<&'a str, Texts>,
    /// How many bytes may still be written.
    left: usize,
    limit: usize,
}

/// What an operator of the tree has been found to stand under.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Under {
    Rule,
    Sequence,
    Alternatives,
}

impl<'a> ExceptTexts<'a> {
    pub fn new(ast: &'a Ast, limit: usize) -> Self {
        Self { ast, bodies: None, known: FxHashMap::default(), left: limit, limit }
    }

    /// The texts of a nonterminal, each once, in the order of the text.
    ///
    /// The tree must be one: children before parents.
    pub fn list(&mut self, name: &'a str) -> Texts {
        if let Some(known) = self.known.get(name) {
            return known.clone();
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
        self.known.insert(name, texts.clone());
        texts
    }

    fn expand(&mut self, name: &str, bodies: &[ExprId]) -> Result<Vec<String>, ErrorKind> {
        let mut pending: Vec<(ExprId, Under)> = bodies.iter().map(|&body| (body, Under::Rule)).collect();
        let mut exprs = Vec::new();
        let mut wrong: Option<(Span, &str)> = None;
        while let Some((id, under)) = pending.pop() {
            let expr = self.ast.expr(id);
            let own = match &expr.kind {
                ExprKind::Text(_) => under,
                ExprKind::Sequence(_) => Under::Sequence,
                ExprKind::Alternatives(_) => Under::Alternatives,
                kind => {
                    if wrong.is_none_or(|(span, _)| expr.span < span) {
                        wrong = Some((expr.span, construct(kind)));
                    }
                    continue;
                }
            };
            pending.extend(expr.kind.children().iter().map(|&child| (child, own)));
            exprs.push((id, under));
        }
        if let Some((_, found)) = wrong {
            return Err(ErrorKind::ExceptOperand { name: name.to_owned(), found: found.to_owned() });
        }
        // Children stand before parents. A choice in a choice, and a sequence in a sequence, is written by the outer one:
        // so each text is copied once per change between the two, not once per parenthesis.
        exprs.sort_unstable_by_key(|&(id, _)| id);
        let mut lists: FxHashMap<ExprId, Vec<String>> = FxHashMap::default();
        for (id, under) in exprs {
            let list = match &self.ast.expr(id).kind {
                ExprKind::Text(text) => {
                    self.spend(text.len() + 1)?;
                    vec![text.to_string()]
                }
                ExprKind::Alternatives(_) if under != Under::Alternatives => {
                    let mut all = Vec::new();
                    for part in self.parts(id) {
                        all.append(&mut lists.remove(&part).unwrap_or_default());
                    }
                    self.spend(all.len())?;
                    all
                }
                ExprKind::Sequence(_) if under != Under::Sequence => {
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

    /// The operands of an operator through operators of the same kind, in order.
    fn parts(&self, id: ExprId) -> Vec<ExprId> {
        let same =
            |kind: &ExprKind| std::mem::discriminant(kind) == std::mem::discriminant(&self.ast.expr(id).kind);
        let mut parts = Vec::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let kind = &self.ast.expr(id).kind;
            if same(kind) {
                stack.extend(kind.children().iter().rev());
            } else {
                parts.push(id);
            }
        }
        parts
    }

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

    fn spend(&mut self, bytes: usize) -> Result<(), ErrorKind> {
        if bytes > self.left {
            let value = (self.limit - self.left).saturating_add(bytes);
            return Err(ErrorKind::Limit {
                field: "max_except_bytes",
                what: "bytes in the texts of `except!`",
                value,
                limit: self.limit,
            });
        }
        self.left -= bytes;
        Ok(())
    }
}

/// A construct that is no text, for a message.
const fn construct(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::Nonterminal(_) => "a nonterminal",
        ExprKind::Regex(_) | ExprKind::Early(_) | ExprKind::Without(_) => "a regex",
        ExprKind::Substrings(_) => "`#substrs`",
        ExprKind::Except { .. } => "an `except!`",
        ExprKind::SpecialName(_) | ExprKind::SpecialId(_) => "a special token",
        ExprKind::Repeat { .. } => "a repetition",
        ExprKind::Unordered(_) => "`unordered!`",
        ExprKind::Distinct(_) => "a `distinct!`",
        ExprKind::And(_) => "`&`",
        ExprKind::Not(_) => "`~`",
        ExprKind::Json(_) => "a `json!`",
        ExprKind::Multiple(_) => "a `multiple!`",
        ExprKind::Compared(..) => "a comparison",
        ExprKind::Text(_) | ExprKind::Sequence(_) | ExprKind::Alternatives(_) => "a text",
    }
}

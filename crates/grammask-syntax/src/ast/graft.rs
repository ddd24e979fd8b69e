//! Copies the rules of one tree into another one.

use crate::ast::{Ast, ExceptOperand, Expr, ExprId, ExprKind, Name, Rule, Span};

impl Ast {
    /// Copies all rules of another tree under new names, each with `prefix` before it. Returns the new name
    /// of its start symbol. All spans of the copies are `span`, as those of `other` belong to another text.
    ///
    /// No name in this tree may begin with `prefix`: see [`Ast::free_prefix`]. The copy does not keep
    /// [`allows_empty`](Ast::allows_empty).
    ///
    /// # Complexity
    /// Linear in `other`.
    ///
    /// ```
    /// use grammask_syntax::{Config, Span, parse};
    ///
    /// let mut ast = parse("start ::= 'a';", &Config::default())?;
    /// let other = parse("start ::= digit+; digit ::= #'[0-9]';", &Config::default())?;
    /// assert_eq!(ast.graft(&other, "b_", Span::default()), "b_start");
    /// assert_eq!(ast.to_string(), "start ::= 'a';\nb_start ::= b_digit+;\nb_digit ::= #'[0-9]';\n");
    /// # Ok::<(), grammask_syntax::Errors>(())
    /// ```
    pub fn graft(&mut self, other: &Self, prefix: &str, span: Span) -> String {
        let base = self.exprs.len();
        let moved = |id: ExprId| {
            ExprId(u32::try_from(base + id.index()).expect("an AST has fewer than 2^32 expressions"))
        };
        let renamed = |name: &str| format!("{prefix}{name}");
        self.exprs.extend(other.exprs.iter().map(|expr| {
            let mut kind = expr.kind.clone();
            kind.children_mut().iter_mut().for_each(|child| *child = moved(*child));
            match &mut kind {
                ExprKind::Nonterminal(name) => *name = renamed(name).into(),
                ExprKind::Except { operand, .. } => {
                    if let ExceptOperand::Nonterminal(name) = &mut **operand {
                        *name = Name { text: renamed(&name.text), span };
                    }
                }
                _ => {}
            }
            Expr { kind, span }
        }));
        self.rules.extend(other.rules.iter().map(|rule| Rule {
            name: Name { text: renamed(&rule.name.text), span },
            body: moved(rule.body),
            span,
        }));
        renamed(other.start.as_ref().map_or("start", |start| &start.text))
    }

    /// Returns a prefix with which no name in the tree begins: `stem` or `stem` with underscores.
    ///
    /// # Complexity
    /// Linear in the tree, for each underscore.
    pub fn free_prefix(&self, stem: &str) -> String {
        let mut prefix = stem.to_owned();
        let is_used = |prefix: &str| {
            let named = self.exprs.iter().filter_map(|expr| match &expr.kind {
                ExprKind::Nonterminal(name) => Some(name.as_str()),
                _ => None,
            });
            let rules = self.rules.iter().map(|rule| rule.name.text.as_str());
            rules.chain(named).any(|name| name.starts_with(prefix))
        };
        while is_used(&prefix) {
            prefix.push('_');
        }
        prefix
    }
}

//! Notes about a grammar: what is legal and hardly meant.

use grammask_regular::Store;
use grammask_syntax::{Ast, Diagnostic, ExceptOperand, ExprId, ExprKind, Span};
use grammask_work::narrow;
use rustc_hash::FxHashMap;

use crate::cancellation::Cancellation;
use crate::graph::horn::HornClauses;
use crate::passes::Context;
use crate::{Config, Errors, Grammar, PASSES};

/// Returns what is legal in a grammar and hardly meant, ordered by place:
///
/// - a start symbol that derives the empty string, which is not an output without `%start name?;`;
/// - control characters in a regex, as `\b`, `\f` and `\v` write them;
/// - lazy quantifiers in a regex, which change no language;
/// - rules that the start symbol does not reach;
/// - rules that produce nothing, and rules whose texts never end.
///
/// # Errors
/// The errors of [`normalize`](crate::normalize).
///
/// # Complexity
/// As [`normalize`](crate::normalize).
///
/// ```
/// let text = "start ::= word*; word ::= #'a+?' #'\\b'; unused ::= 'x';";
/// let ast = grammask_syntax::parse(text, &Default::default()).unwrap();
/// let notes = grammask_normal::notes(&ast, &Default::default()).unwrap();
/// let messages: Vec<&str> = notes.iter().map(|note| note.message.as_str()).collect();
/// assert_eq!(
///     messages,
///     [
///         "`start` derives the empty text, which is no output",
///         "the quantifier `+?` matches the same texts as `+`",
///         "the regex contains the control character U+0008",
///         "the rule `unused` is never used",
///     ],
/// );
/// ```
pub fn notes(ast: &Ast, config: &Config) -> Result<Vec<Diagnostic>, Errors> {
    let mut store = Store::new(&config.regular);
    let mut never = || false;
    let mut grammar = Grammar::read(ast, &mut store, config)?;
    for pass in PASSES {
        let mut cancellation = Cancellation::new(&mut never);
        let mut context = Context { store: &mut store, cancellation: &mut cancellation };
        pass.run(&mut grammar, &mut context, config)?;
    }
    let mut notes = Vec::new();
    if grammar.empty_text && !grammar.allows_empty {
        let start = grammar.start_name();
        let message = format!("`{start}` derives the empty text, which is no output");
        let hint = format!("write `%start {start}?;` if the empty output is meant");
        notes.push(Diagnostic::new(message, grammar.start_span).with_hint(hint));
    }
    notes_on_patterns(ast, &mut notes);
    notes_on_rules(ast, grammar.start_name(), &mut notes);
    notes.sort_by_key(|note| note.span);
    Ok(notes)
}

/// Adds notes about regexes.
fn notes_on_patterns(ast: &Ast, notes: &mut Vec<Diagnostic>) {
    for expr in &ast.exprs {
        let (ExprKind::Regex(pattern) | ExprKind::PrefixMinimal(pattern) | ExprKind::NotContaining(pattern)) =
            &expr.kind
        else {
            continue;
        };
        for (character, letter, meant) in [
            ('\u{8}', 'b', "a word boundary"),
            ('\u{C}', 'f', "a form feed"),
            ('\u{B}', 'v', "a vertical tab"),
        ] {
            if pattern.contains(character) {
                let code = u32::from(character);
                let message = format!("the regex contains the control character U+{code:04X}");
                let hint =
                    format!("KBNF decodes its escapes first; {meant} of the regex is written `\\\\{letter}`");
                notes.push(Diagnostic::new(message, expr.span).with_hint(hint));
            }
        }
        if let Some(quantifier) = lazy_quantifier(pattern) {
            let message = format!("the quantifier `{quantifier}?` matches the same texts as `{quantifier}`");
            let hint = "a language has no preferences; `#e'…'` ends at the first chance";
            notes.push(Diagnostic::new(message, expr.span).with_hint(hint));
        }
    }
}

/// Returns the first quantifier of a valid regex that a `?` makes lazy, without the `?`.
fn lazy_quantifier(pattern: &str) -> Option<&'static str> {
    let mut characters = pattern.chars().peekable();
    let mut depth = 0usize;
    while let Some(character) = characters.next() {
        let quantifier = match character {
            '\\' => {
                characters.next();
                continue;
            }
            '[' => {
                depth += 1;
                continue;
            }
            ']' => {
                depth = depth.saturating_sub(1);
                continue;
            }
            // `(?` begins a group with flags.
            '(' if depth == 0 => {
                if characters.peek() == Some(&'?') {
                    characters.next();
                }
                continue;
            }
            _ if depth > 0 => continue,
            '*' => "*",
            '+' => "+",
            '?' => "?",
            '}' => "}",
            _ => continue,
        };
        if characters.peek() == Some(&'?') {
            return Some(if quantifier == "}" { "{…}" } else { quantifier });
        }
    }
    None
}

/// Adds notes about rules that are not used, and about rules without a finite text.
fn notes_on_rules(ast: &Ast, start: &str, notes: &mut Vec<Diagnostic>) {
    let rules = Rules::new(ast);
    let reached = rules.reached(start);
    let ending = rules.ending();
    let endless = rules.endless(&ending);
    for (number, &(name, span)) in rules.names.iter().enumerate() {
        if !reached[number] {
            notes.push(Diagnostic::new(format!("the rule `{name}` is never used"), span));
        } else if !ending[number] && endless[number] {
            let message = format!("the texts of `{name}` never end");
            let hint = "an output that reaches this rule cannot be completed; add an alternative that ends";
            notes.push(Diagnostic::new(message, span).with_hint(hint));
        } else if !ending[number] {
            let message = format!("`{name}` produces nothing");
            let hint = "each of its alternatives leads back to itself; add one that does not";
            notes.push(Diagnostic::new(message, span).with_hint(hint));
        }
    }
}

/// The rules of a tree by name, numbered in the order of their first places.
struct Rules<'a> {
    ast: &'a Ast,
    names: Vec<(&'a str, Span)>,
    numbers: FxHashMap<&'a str, usize>,
    /// By number: the bodies.
    bodies: Vec<Vec<ExprId>>,
}

impl<'a> Rules<'a> {
    fn new(ast: &'a Ast) -> Self {
        let mut rules = Self { ast, names: Vec::new(), numbers: FxHashMap::default(), bodies: Vec::new() };
        for rule in &ast.rules {
            let name = rule.name.text.as_str();
            let number = *rules.numbers.entry(name).or_insert_with(|| {
                rules.names.push((name, rule.name.span));
                rules.bodies.push(Vec::new());
                rules.bodies.len() - 1
            });
            rules.bodies[number].push(rule.body);
        }
        rules
    }

    /// Calls `visit` with each expression at and below the bodies of a rule.
    fn each_expr(&self, number: usize, mut visit: impl FnMut(&'a ExprKind)) {
        let mut open = self.bodies[number].clone();
        while let Some(id) = open.pop() {
            let kind = &self.ast.expr(id).kind;
            visit(kind);
            open.extend_from_slice(kind.children());
        }
    }

    /// Returns the number of the rule that an expression names.
    fn named(&self, kind: &ExprKind) -> Option<usize> {
        let name = match kind {
            ExprKind::Nonterminal(name) => name.as_str(),
            ExprKind::Except { operand, .. } => match &**operand {
                ExceptOperand::Nonterminal(name) => &name.text,
                ExceptOperand::Text(_) => return None,
            },
            _ => return None,
        };
        self.numbers.get(name).copied()
    }

    /// Returns, for each rule, true if the start symbol names it directly or indirectly.
    fn reached(&self, start: &str) -> Vec<bool> {
        let mut reached = vec![false; self.names.len()];
        let mut open: Vec<usize> = self.numbers.get(start).copied().into_iter().collect();
        while let Some(number) = open.pop() {
            if !std::mem::replace(&mut reached[number], true) {
                self.each_expr(number, |kind| open.extend(self.named(kind)));
            }
        }
        reached
    }

    /// Returns, for each rule, true if it has a finite text. Regular parts count as parts with texts.
    fn ending(&self) -> Vec<bool> {
        let exprs = self.ast.exprs.len();
        let mut clauses = HornClauses::new(exprs + self.names.len(), exprs + self.ast.rules.len());
        for (index, expr) in (0u32..).zip(&self.ast.exprs) {
            let children = expr.kind.children().iter().map(|child| child.0);
            match &expr.kind {
                ExprKind::Alternatives(_) => {
                    children.for_each(|child| clauses.add_clause(index, std::iter::once(child)));
                }
                ExprKind::Repeat { quantifier, .. } if quantifier.bounds().0 == 0 => clauses.add_fact(index),
                ExprKind::Nonterminal(_) => {
                    let rule = self.named(&expr.kind).map(|number| narrow(exprs + number));
                    clauses.add_clause(index, rule.into_iter());
                }
                ExprKind::Unordered(unordered) if unordered.min == 0 => {
                    let items = unordered.items().iter();
                    let required = items.filter(|item| match &self.ast.expr(**item).kind {
                        ExprKind::Repeat { quantifier, .. } => quantifier.bounds().0 > 0,
                        ExprKind::Distinct(_) => false,
                        _ => true,
                    });
                    clauses.add_clause(index, required.map(|item| item.0));
                }
                // Whether enough items end is not looked at.
                ExprKind::Unordered(_) => clauses.add_fact(index),
                _ => clauses.add_clause(index, children),
            }
        }
        for (number, bodies) in self.bodies.iter().enumerate() {
            for body in bodies {
                clauses.add_clause(narrow(exprs + number), std::iter::once(body.0));
            }
        }
        let holds = clauses.solve(|_, _| {}, &mut Cancellation::new(&mut || false));
        holds[exprs..].to_vec()
    }

    /// Returns, for each rule without a finite text, true if it may have an endless one: it reaches itself or
    /// another such rule after something else.
    fn endless(&self, ending: &[bool]) -> Vec<bool> {
        // Pairs of a rule and one that it names with something before it.
        let mut visible: Vec<bool> = vec![false; self.names.len()];
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.names.len()];
        for number in (0..self.names.len()).filter(|&number| !ending[number]) {
            self.each_expr(number, |kind| {
                if let Some(named) = self.named(kind).filter(|&named| !ending[named]) {
                    below[named].push(number);
                }
                if let ExprKind::Sequence(parts) = kind {
                    let is_open = |part: &ExprId| {
                        self.named(&self.ast.expr(*part).kind).is_some_and(|named| !ending[named])
                    };
                    let first = parts.iter().position(is_open);
                    visible[number] |= first.is_some_and(|first| first > 0);
                }
            });
        }
        let mut open: Vec<usize> = (0..visible.len()).filter(|&number| visible[number]).collect();
        while let Some(number) = open.pop() {
            for &above in &below[number] {
                if !std::mem::replace(&mut visible[above], true) {
                    open.push(above);
                }
            }
        }
        visible
    }
}

#[cfg(test)]
mod tests {
    use super::lazy_quantifier;

    #[test]
    fn lazy_quantifiers_are_found_outside_of_classes_and_groups() {
        for (pattern, found) in [
            ("a*?b", Some("*")),
            ("a{2,3}?", Some("{…}")),
            ("a??", Some("?")),
            ("(?i:a)", None),
            ("(?:a)?", None),
            ("[*?]", None),
            (r"\*?", None),
            ("a+", None),
        ] {
            assert_eq!(lazy_quantifier(pattern), found, "{pattern}");
        }
    }
}

//! The languages of the expressions of a grammar, as sets of short strings, by fixed points.

use grammask_syntax::{Ast, Expr, ExprId, ExprKind, Unordered};

use crate::membership::membership;
use crate::strings::{Endless, Space, Strings, after};

pub struct Language<'a> {
    ast: &'a Ast,
    space: Space,
    names: Vec<&'a str>,
    /// By expression: its strings, for leaves and operands of `&` and `~`.
    regular: Vec<Option<Strings>>,
}

impl<'a> Language<'a> {
    pub fn new(ast: &'a Ast, space: Space, long: &[Vec<u8>]) -> Self {
        let short = space.strings();
        let mut names: Vec<&str> = ast.rules.iter().map(|rule| rule.name.text.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let regular = (0..ast.exprs.len() as u32)
            .map(|i| {
                let kind = &ast.exprs[i as usize].kind;
                let is_grammar = matches!(
                    kind,
                    ExprKind::Sequence(_)
                        | ExprKind::Alternatives(_)
                        | ExprKind::Repeat { .. }
                        | ExprKind::Unordered(_)
                );
                let contains = if is_grammar { None } else { membership(ast, ExprId(i)) }?;
                let mut found = Strings::none(space.length);
                found.whole.extend(short.iter().filter(|string| contains(string)).cloned());
                for string in long {
                    let cut = &string[..space.length];
                    if !found.cut.contains(cut) && contains(string) {
                        found.cut.insert(cut.to_vec());
                    }
                }
                Some(found)
            })
            .collect();
        Self { ast, space, names, regular }
    }

    pub fn name(&self, name: &str) -> usize {
        self.names.binary_search(&name).expect("a name")
    }

    /// Returns the strings of every expression, given those of the nonterminals.
    fn values(&self, known: &[Strings]) -> Vec<Strings> {
        let mut values: Vec<Strings> = Vec::new();
        for (expr, regular) in self.ast.exprs.iter().zip(&self.regular) {
            let of = |id: &ExprId| &values[id.index()];
            let value = match (&expr.kind, regular) {
                (_, Some(regular)) => regular.clone(),
                (ExprKind::Nonterminal(name), _) => known[self.name(name)].clone(),
                (ExprKind::Sequence(parts), _) => parts
                    .iter()
                    .fold(Strings::empty_string(self.space.length), |before, part| before.then(of(part))),
                (ExprKind::Alternatives(parts), _) => {
                    parts.iter().fold(Strings::none(self.space.length), |before, part| before.union(of(part)))
                }
                (ExprKind::Repeat { expr, quantifier }, _) => {
                    let (min, max) = quantifier.bounds();
                    of(expr).times(min, max)
                }
                (ExprKind::Unordered(_), _) => self.unordered(&expr.kind, &values),
                (kind, _) => panic!("{kind:?} is not expected"),
            };
            values.push(value);
        }
        values
    }

    /// Returns the strings of an `unordered!`, by enumerating all sequences of items until nothing new comes.
    /// No part is empty, so longer sequences only have longer strings.
    fn unordered(&self, kind: &ExprKind, values: &[Strings]) -> Strings {
        let ExprKind::Unordered(unordered) = kind else { unreachable!("asked for `unordered!` only") };
        let Unordered { parts, min, max, requires: needs, .. } = &**unordered;
        let (items, separator) = parts.split_at(unordered.items().len());
        let items: Vec<(&Strings, u32, u32)> = items
            .iter()
            .map(|item| match &self.ast.expr(*item).kind {
                ExprKind::Repeat { expr, quantifier } => {
                    let (min, max) = quantifier.bounds();
                    (&values[expr.index()], min, max.unwrap_or(u32::MAX))
                }
                _ => (&values[item.index()], 1, 1),
            })
            .collect();
        let may_end = |counts: &[u32]| {
            let all: u32 = counts.iter().sum();
            (*min..=max.unwrap_or(u32::MAX)).contains(&all)
                && items.iter().zip(counts).all(|(item, count)| (item.1..=item.2).contains(count))
                && needs.iter().all(|&(from, to)| counts[from as usize] == 0 || counts[to as usize] > 0)
        };
        let mut found = Strings::none(self.space.length);
        let mut words = vec![(vec![0; items.len()], Strings::empty_string(self.space.length))];
        // After as many items as bytes, and the mandatory ones, everything is truncated.
        let required: u32 = items.iter().map(|item| item.1.max(1)).sum();
        let longest = self.space.length as u32 + required.max(*min) + 1;
        for _ in 0..=longest {
            let mut next: Vec<(Vec<u32>, Strings)> = Vec::new();
            for (counts, before) in &words {
                if may_end(counts) {
                    found = found.union(before);
                }
                let before = match separator {
                    [separator] if counts.iter().any(|&count| count > 0) => {
                        before.clone().then(&values[separator.index()])
                    }
                    _ => before.clone(),
                };
                for (index, item) in items.iter().enumerate().filter(|(index, item)| counts[*index] < item.2)
                {
                    let mut counts = counts.clone();
                    counts[index] += 1;
                    let strings = before.clone().then(item.0);
                    if strings == Strings::none(self.space.length) {
                        continue;
                    }
                    match next.iter_mut().find(|(other, _)| *other == counts) {
                        Some((_, known)) => *known = known.clone().union(&strings),
                        None => next.push((counts, strings)),
                    }
                }
            }
            words = next;
        }
        found
    }

    /// Returns the least solution: finite derivations.
    pub fn finite(&self) -> (Vec<Strings>, Vec<Strings>) {
        let mut known = vec![Strings::none(self.space.length); self.names.len()];
        loop {
            let values = self.values(&known);
            let mut next = vec![Strings::none(self.space.length); self.names.len()];
            for rule in &self.ast.rules {
                let name = self.name(&rule.name.text);
                next[name] = next[name].clone().union(&values[rule.body.index()]);
            }
            if next == known {
                return (known, values);
            }
            known = next;
        }
    }

    /// One step of endless derivations: into a nonterminal with a byte before it, which gives its strings in
    /// `seen`, or without one, which gives those in `unseen`.
    fn step(&self, values: &[Strings], seen: &[Endless], unseen: &[Endless]) -> (Vec<Endless>, Vec<Endless>) {
        // By expression: after a byte, and without one.
        let mut after_bytes: Vec<Endless> = Vec::new();
        let mut after_nothing: Vec<Endless> = Vec::new();
        for (expr, regular) in self.ast.exprs.iter().zip(&self.regular) {
            let (mut bytes, mut nothing) = (Endless::new(), Endless::new());
            let mut add = |before: &Strings, id: ExprId| {
                let mut visible = before.clone();
                if visible.whole.remove(&Vec::new()) {
                    bytes.extend(after_bytes[id.index()].iter().cloned());
                    nothing.extend(after_nothing[id.index()].iter().cloned());
                }
                let below = after(&visible, &after_bytes[id.index()]);
                bytes.extend(below.iter().cloned());
                nothing.extend(below);
            };
            match &expr.kind {
                _ if regular.is_some() => {}
                ExprKind::Nonterminal(name) => {
                    bytes = seen[self.name(name)].clone();
                    nothing = unseen[self.name(name)].clone();
                }
                ExprKind::Sequence(parts) => {
                    let mut before = Strings::empty_string(self.space.length);
                    for &part in parts {
                        add(&before, part);
                        before = before.then(&values[part.index()]);
                    }
                }
                ExprKind::Alternatives(parts) => {
                    parts.iter().for_each(|&part| add(&Strings::empty_string(self.space.length), part));
                }
                ExprKind::Repeat { expr, quantifier } => {
                    let (_, max) = quantifier.bounds();
                    if max != Some(0) {
                        let before = values[expr.index()].times(0, max.map(|max| max - 1));
                        add(&before, *expr);
                    }
                }
                // An endless output in an item counts only if everything around it can be completed. Its
                // prefixes are prefixes of finite strings then.
                ExprKind::Unordered(_) => {}
                kind => panic!("{kind:?} is not expected"),
            }
            after_bytes.push(bytes);
            after_nothing.push(nothing);
        }
        let mut next = vec![Endless::new(); self.names.len()];
        for rule in &self.ast.rules {
            next[self.name(&rule.name.text)].extend(after_nothing[rule.body.index()].iter().cloned());
        }
        (next, after_bytes)
    }

    /// Returns true if there is an `unordered!`, and some endless output has a prefix of no finite string.
    /// The definition here does not cover this combination.
    pub fn is_unclear(&self, values: &[Strings], endless: &[Endless]) -> bool {
        let is_unordered = |expr: &Expr| matches!(expr.kind, ExprKind::Unordered(_));
        let (_, of_exprs) = self.step(values, endless, endless);
        let is_new = |(strings, endless): (&Strings, &Endless)| {
            !endless.iter().all(|string| strings.cut.contains(string) || strings.whole.contains(string))
        };
        self.ast.exprs.iter().any(is_unordered) && values.iter().zip(&of_exprs).any(is_new)
    }

    /// Returns the greatest solution in which bytes occur again and again: only finitely many steps without
    /// bytes are between two steps with some.
    pub fn endless(&self, values: &[Strings]) -> Vec<Endless> {
        let all = self.space.strings().into_iter();
        let everything: Endless = all.filter(|string| string.len() == self.space.length).collect();
        let mut outer = vec![everything; self.names.len()];
        loop {
            let mut inner = vec![Endless::new(); self.names.len()];
            loop {
                let (next, _) = self.step(values, &outer, &inner);
                if next == inner {
                    break;
                }
                inner = next;
            }
            if inner == outer {
                return outer;
            }
            outer = inner;
        }
    }
}

//! The oracle against the definition of the language, computed as sets of short strings: no automaton, no item, no
//! production. Every string over a tiny alphabet up to a length is asked about.

use std::collections::BTreeSet;

use grammask_syntax::{Ast, Config, ExceptOperand, Expr, ExprId, ExprKind, parse};
use grammask_testkit::random::{Rng, Shape, grammar_text};
use grammask_testkit::{Oracle, OracleError, Verdict};
use regex_automata::dfa::{Automaton, dense};
use regex_automata::{Anchored, Input, MatchKind};

/// How much longer a string of a terminal may have to be to end.
const BEYOND: usize = 3;

/// The strings that are compared: all over these bytes up to this length.
#[derive(Clone, Copy, Debug)]
struct Space {
    bytes: &'static [u8],
    length: usize,
}

/// `z` stands for all bytes that no random grammar speaks of.
const WIDE: Space = Space { bytes: b"abcz", length: 3 };
const LONG: Space = Space { bytes: b"ab", length: 6 };

impl Space {
    fn strings(self) -> Vec<Vec<u8>> {
        strings(self.bytes, self.length)
    }
}

/// All strings over these bytes of at most this length.
fn strings(bytes: &[u8], length: usize) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..length {
        last = last
            .iter()
            .flat_map(|one| bytes.iter().map(move |&byte| [one.as_slice(), &[byte]].concat()))
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// The strings of a language, cut off at a length.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Strings {
    length: usize,
    /// Those that are short enough.
    whole: BTreeSet<Vec<u8>>,
    /// The beginnings, of that length, of those that are not.
    cut: BTreeSet<Vec<u8>>,
}

impl Strings {
    fn none(length: usize) -> Self {
        Self { length, whole: BTreeSet::new(), cut: BTreeSet::new() }
    }

    fn empty_string(length: usize) -> Self {
        Self { length, whole: BTreeSet::from([Vec::new()]), cut: BTreeSet::new() }
    }

    fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.cut.is_empty()
    }

    fn insert(&mut self, mut string: Vec<u8>) {
        if string.len() <= self.length {
            self.whole.insert(string);
        } else {
            string.truncate(self.length);
            self.cut.insert(string);
        }
    }

    fn union(mut self, other: &Self) -> Self {
        self.whole.extend(other.whole.iter().cloned());
        self.cut.extend(other.cut.iter().cloned());
        self
    }

    fn then(&self, other: &Self) -> Self {
        let mut all = Self::none(self.length);
        if other.is_empty() {
            return all;
        }
        all.cut = self.cut.clone();
        for one in &self.whole {
            for two in &other.whole {
                all.insert([one.as_slice(), two].concat());
            }
            for two in &other.cut {
                all.cut.insert([one.as_slice(), two].concat()[..self.length].to_vec());
            }
        }
        all
    }

    /// From `min` to `max` times.
    fn times(&self, min: u32, max: Option<u32>) -> Self {
        let mut exactly = Self::empty_string(self.length);
        for _ in 0..min {
            exactly = exactly.then(self);
        }
        let mut all = exactly.clone();
        for _ in min..max.unwrap_or(u32::MAX) {
            exactly = exactly.then(self);
            let more = all.clone().union(&exactly);
            // Without a least number of bytes per round, a round that adds nothing may come before one that does not:
            // never, as what a round can add depends on the strings of `exactly` alone, and `exactly` with the empty
            // string grows, without it gets longer.
            if more == all && max.is_none() {
                break;
            }
            all = more;
        }
        all
    }
}

/// The beginnings of endless strings, all of the length where strings are cut off.
type Endless = BTreeSet<Vec<u8>>;

/// What an endless string begins with when it stands behind one of `before`.
fn behind(before: &Strings, endless: &Endless) -> Endless {
    if endless.is_empty() {
        return Endless::new();
    }
    let mut all = before.cut.clone();
    for one in &before.whole {
        all.extend(endless.iter().map(|two| [one.as_slice(), two].concat()[..before.length].to_vec()));
    }
    all
}

struct Language<'a> {
    ast: &'a Ast,
    space: Space,
    names: Vec<&'a str>,
    /// By expression, for leaves and what stands under `&` and `~`.
    regular: Vec<Option<Strings>>,
}

struct Matcher(dense::DFA<Vec<u32>>);

impl Matcher {
    fn new(pattern: &str) -> Self {
        let builder = dense::Builder::new()
            .configure(dense::Config::new().match_kind(MatchKind::All))
            .syntax(regex_automata::util::syntax::Config::new().utf8(false))
            .thompson(regex_automata::nfa::thompson::Config::new().utf8(false))
            .build(&format!(r"\A(?:{pattern})\z"));
        Self(builder.expect("a regex"))
    }

    fn matches(&self, string: &[u8]) -> bool {
        let input = Input::new(string).anchored(Anchored::Yes);
        self.0.try_search_fwd(&input).expect("a search").is_some_and(|found| found.offset() == string.len())
    }
}

fn has(string: &[u8], inside: impl Fn(&[u8]) -> bool) -> bool {
    (0..=string.len()).any(|from| (from..=string.len()).any(|to| inside(&string[from..to])))
}

/// Whether a string is in a regular part, by the definition of the part.
type Membership = Box<dyn Fn(&[u8]) -> bool>;

fn membership(ast: &Ast, id: ExprId) -> Option<Membership> {
    Some(match &ast.expr(id).kind {
        ExprKind::Text(text) => {
            let text = text.clone();
            Box::new(move |string| string == text.as_bytes())
        }
        ExprKind::Regex(pattern) => {
            let matcher = Matcher::new(pattern);
            Box::new(move |string| matcher.matches(string))
        }
        ExprKind::Early(pattern) => {
            let matcher = Matcher::new(pattern);
            Box::new(move |string| {
                !string.is_empty()
                    && matcher.matches(string)
                    && (1..string.len()).all(|end| !matcher.matches(&string[..end]))
            })
        }
        ExprKind::Without(pattern) => {
            let matcher = Matcher::new(pattern);
            Box::new(move |string| !string.is_empty() && !has(string, |piece| matcher.matches(piece)))
        }
        ExprKind::Substrings(text) => {
            let text = text.clone();
            Box::new(move |string| has(text.as_bytes(), |piece| piece == string))
        }
        ExprKind::Except { operand, max } => {
            let stops: Vec<Vec<u8>> = match operand {
                ExceptOperand::Text(text) => vec![text.clone().into_bytes()],
                ExceptOperand::Nonterminal(name) => {
                    let bodies = ast.rules.iter().filter(|rule| rule.name.text == name.text);
                    bodies.flat_map(|rule| texts(ast, rule.body)).collect()
                }
            };
            let max = max.map_or(usize::MAX, |max| max as usize);
            Box::new(move |string| {
                !string.is_empty()
                    && string.len() <= max
                    && !has(string, |piece| stops.iter().any(|stop| stop == piece))
            })
        }
        // Splits a string in all ways.
        ExprKind::Sequence(parts) => {
            let parts: Vec<Membership> =
                parts.iter().map(|&part| membership(ast, part)).collect::<Option<_>>()?;
            Box::new(move |string| splits(&parts.iter().collect::<Vec<_>>(), string))
        }
        ExprKind::Repeat { expr, quantifier } => {
            let part = membership(ast, *expr)?;
            let (min, max) = quantifier.bounds();
            // More rounds than bytes and `min` together add nothing.
            Box::new(move |string| {
                let most = max.unwrap_or(u32::MAX).min(min + string.len() as u32);
                (min..=most).any(|times| splits(&vec![&part; times as usize], string))
            })
        }
        ExprKind::Alternatives(parts) => {
            let parts: Vec<Membership> =
                parts.iter().map(|&part| membership(ast, part)).collect::<Option<_>>()?;
            Box::new(move |string| parts.iter().any(|part| part(string)))
        }
        ExprKind::And(parts) => {
            let parts: Vec<Membership> =
                parts.iter().map(|&part| membership(ast, part)).collect::<Option<_>>()?;
            Box::new(move |string| parts.iter().all(|part| part(string)))
        }
        ExprKind::Json(part) => {
            let part = membership(ast, *part)?;
            Box::new(move |string| json_value(string).is_some_and(|text| part(text.as_bytes())))
        }
        ExprKind::Multiple(numeral) => {
            let numeral = numeral.clone();
            Box::new(move |string| is_multiple(string, &numeral))
        }
        ExprKind::Not(part) => {
            let part = membership(ast, *part)?;
            Box::new(move |string| !part(string))
        }
        _ => return None,
    })
}

/// What a JSON string stands for, by what stands between its quotes.
fn json_value(string: &[u8]) -> Option<String> {
    let mut rest = std::str::from_utf8(string).ok()?;
    let mut units = Vec::new();
    while let Some(character) = rest.chars().next() {
        let mut length = character.len_utf8();
        match character {
            '"' | '\0'..='\x1f' => return None,
            '\\' => {
                let letter = rest[1..].chars().next()?;
                length = 2;
                units.push(match letter {
                    '"' | '\\' | '/' => letter as u16,
                    'b' => 8,
                    't' => 9,
                    'n' => 10,
                    'f' => 12,
                    'r' => 13,
                    'u' => {
                        let digits =
                            rest.get(2..6).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
                        length = 6;
                        u16::from_str_radix(digits, 16).ok()?
                    }
                    _ => return None,
                });
            }
            // A pair of surrogates of which one is escaped does not come about this way.
            _ => units.extend(character.encode_utf16(&mut [0; 2]).iter()),
        }
        rest = &rest[length..];
    }
    String::from_utf16(&units).ok()
}

/// Whether a string is a number whose value is a multiple of that of `of`, both in units of 10^-20.
fn is_multiple(string: &[u8], of: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let scaled = |text: &str, power: i32| {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_numeral = is_digits(whole) && is_digits(fraction) && (whole == "0" || !whole.starts_with('0'));
        let zeros = (20 - fraction.len() as i32 + power).unsigned_abs();
        is_numeral
            .then(|| format!("{whole}{fraction}").parse::<u128>().ok()?.checked_mul(10_u128.pow(zeros)))
            .flatten()
    };
    let Ok(text) = std::str::from_utf8(string) else { return false };
    let value = match text.split_once(['e', 'E']) {
        None => scaled(text, 0),
        Some((mantissa, exponent)) => {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            let is_step = matches!(of.replace(['.', '0'], "").as_str(), "1" | "2" | "5");
            let is_short = mantissa.len() == 1 || mantissa[1..].starts_with('.');
            if !is_step || !is_digits(digits) || !is_short || mantissa.starts_with('0') {
                return false;
            }
            let power: i32 = digits.parse().expect("digits");
            scaled(mantissa, if exponent.starts_with('-') { -power } else { power })
        }
    };
    value.is_some_and(|value| value.is_multiple_of(scaled(of, 0).expect("a numeral")))
}

fn splits(parts: &[&Membership], string: &[u8]) -> bool {
    match parts {
        [] => string.is_empty(),
        [first, rest @ ..] => {
            (0..=string.len()).any(|end| first(&string[..end]) && splits(rest, &string[end..]))
        }
    }
}

fn texts(ast: &Ast, id: ExprId) -> Vec<Vec<u8>> {
    match &ast.expr(id).kind {
        ExprKind::Text(text) => vec![text.clone().into_bytes()],
        ExprKind::Alternatives(parts) => parts.iter().flat_map(|&part| texts(ast, part)).collect(),
        ExprKind::Sequence(parts) => parts.iter().fold(vec![Vec::new()], |before, &part| {
            let after = texts(ast, part);
            before
                .iter()
                .flat_map(|one| after.iter().map(move |two| [one.as_slice(), two].concat()))
                .collect()
        }),
        other => panic!("{other:?} is no text"),
    }
}

impl<'a> Language<'a> {
    fn new(ast: &'a Ast, space: Space, long: &[Vec<u8>]) -> Self {
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
                        | ExprKind::Unordered { .. }
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

    fn name(&self, name: &str) -> usize {
        self.names.binary_search(&name).expect("a name")
    }

    /// The strings of every expression, given those of the nonterminals.
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
                (ExprKind::Unordered { .. }, _) => self.unordered(&expr.kind, &values),
                (kind, _) => panic!("{kind:?} is not expected"),
            };
            values.push(value);
        }
        values
    }

    /// All words of items one by one, as long as something new comes. No part is empty, so no longer word says more about strings
    /// of some length.
    fn unordered(&self, kind: &ExprKind, values: &[Strings]) -> Strings {
        let ExprKind::Unordered { parts, has_separator, min, max, needs } = kind else {
            unreachable!("asked for `unordered!` only")
        };
        let (items, separator) = parts.split_at(parts.len() - usize::from(*has_separator));
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
        // Behind as many items as bytes, and those that have to come, everything is cut.
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

    /// The least solution: finite derivations.
    fn finite(&self) -> (Vec<Strings>, Vec<Strings>) {
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

    /// One step of endless derivations: down into a nonterminal with something before it gives what `seen` has of
    /// it, with nothing before it what `unseen` has.
    fn step(&self, values: &[Strings], seen: &[Endless], unseen: &[Endless]) -> (Vec<Endless>, Vec<Endless>) {
        // By expression: behind what is not empty, and behind nothing yet.
        let mut behind_bytes: Vec<Endless> = Vec::new();
        let mut behind_nothing: Vec<Endless> = Vec::new();
        for (expr, regular) in self.ast.exprs.iter().zip(&self.regular) {
            let (mut bytes, mut nothing) = (Endless::new(), Endless::new());
            let mut add = |before: &Strings, id: ExprId| {
                let mut visible = before.clone();
                if visible.whole.remove(&Vec::new()) {
                    bytes.extend(behind_bytes[id.index()].iter().cloned());
                    nothing.extend(behind_nothing[id.index()].iter().cloned());
                }
                let below = behind(&visible, &behind_bytes[id.index()]);
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
                // What begins there is endless only as far as it can be completed, and is found as finite then.
                ExprKind::Unordered { .. } => {}
                kind => panic!("{kind:?} is not expected"),
            }
            behind_bytes.push(bytes);
            behind_nothing.push(nothing);
        }
        let mut next = vec![Endless::new(); self.names.len()];
        for rule in &self.ast.rules {
            next[self.name(&rule.name.text)].extend(behind_nothing[rule.body.index()].iter().cloned());
        }
        (next, behind_bytes)
    }

    /// Whether there is `unordered!`, and what never ends begins somewhere with what no finite string begins with: what that means beside
    /// `unordered!` is not told here.
    fn is_unclear(&self, values: &[Strings], endless: &[Endless]) -> bool {
        let is_unordered = |expr: &Expr| matches!(expr.kind, ExprKind::Unordered { .. });
        let (_, of_exprs) = self.step(values, endless, endless);
        let is_new = |(strings, endless): (&Strings, &Endless)| {
            !endless.iter().all(|string| strings.cut.contains(string) || strings.whole.contains(string))
        };
        self.ast.exprs.iter().any(is_unordered) && values.iter().zip(&of_exprs).any(is_new)
    }

    /// The greatest solution in which bytes come again and again: steps without bytes are finitely many between
    /// those with some.
    fn endless(&self, values: &[Strings]) -> Vec<Endless> {
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

fn check(text: &str, space: Space, long: &[Vec<u8>]) -> bool {
    let ast = parse(text, &Config::default()).expect("KBNF");
    let language = Language::new(&ast, space, long);
    let (finite, values) = language.finite();
    let endless = language.endless(&values);
    if language.is_unclear(&values, &endless) {
        return false;
    }
    let start = language.name("start");
    let (finite, endless) = (&finite[start], &endless[start]);
    let empty = finite.cut.is_empty() && finite.whole.iter().all(Vec::is_empty) && endless.is_empty();
    let oracle = match Oracle::new(&ast, "start") {
        Ok(oracle) => oracle,
        Err(OracleError::EmptyLanguage) => {
            assert!(empty, "{text}\nis not empty: {finite:?} {endless:?}");
            return false;
        }
        Err(OracleError::EmptyItem(_)) => return false,
        Err(error) => panic!("{text}\n{error}"),
    };
    assert!(!empty, "{text}\nis empty");
    let begins = |string: &[u8]| {
        let all = finite.whole.iter().chain(&finite.cut).chain(endless);
        all.into_iter().any(|one| one.starts_with(string))
    };
    for string in &space.strings() {
        let expected = if !string.is_empty() && finite.whole.contains(string) {
            Verdict::Accept
        } else {
            let live = (0..=string.len()).take_while(|&end| begins(&string[..end])).count();
            if live > string.len() { Verdict::LivePrefix } else { Verdict::RejectAt(live - 1) }
        };
        let shown = string.escape_ascii();
        assert_eq!(oracle.verdict(string), expected, "\"{shown}\" in\n{text}");
    }
    true
}

/// What is longer than the strings of `space`, with the ends that random patterns may need.
fn longer(space: Space) -> Vec<Vec<u8>> {
    let starts = space.strings().into_iter().filter(|string| string.len() == space.length);
    let mut ends: Vec<Vec<u8>> = strings(b"abcz", BEYOND).into_iter().filter(|end| !end.is_empty()).collect();
    // Neither letters nor UTF-8.
    ends.extend([b"!".to_vec(), b"!a".to_vec(), b"!ab".to_vec(), b"\xff".to_vec(), b"\xffb".to_vec()]);
    starts.flat_map(|start| ends.iter().map(move |end| [start.as_slice(), end].concat())).collect()
}

fn check_random(seeds: std::ops::Range<u64>, shape: &Shape, space: Space) {
    let long = longer(space);
    let count = seeds.end - seeds.start;
    let mut compared = 0;
    for seed in seeds {
        let mut text = grammar_text(&mut Rng::new(seed), shape);
        // What these characters and operators stand for is not among the strings.
        if text.contains("json!") || text.contains("multiple!") {
            continue;
        }
        if text.contains('é') || text.contains("u00e9") || text.contains("\\n") {
            continue;
        }
        if !space.bytes.contains(&b'c') {
            text = text.replace('c', "a");
        }
        compared += u64::from(check(&text, space, &long));
    }
    assert!(compared > count / 8, "only {compared} grammars of {count} were compared");
}

#[test]
fn grammars_of_texts() {
    let shape = Shape { patterns: false, extensions: false, ..Shape::default() };
    check_random(0..400, &shape, WIDE);
}

#[test]
fn grammars_of_texts_and_longer_strings() {
    let shape = Shape { patterns: false, extensions: false, ..Shape::default() };
    check_random(1000..1200, &shape, LONG);
}

#[test]
fn deep_grammars_of_texts_with_bounds() {
    let shape = Shape { patterns: false, nonterminals: 3, depth: 4, ..Shape::default() };
    check_random(2000..2150, &shape, WIDE);
}

#[test]
fn grammars_with_patterns() {
    let shape = Shape { extensions: false, ..Shape::default() };
    check_random(3000..3200, &shape, WIDE);
}

#[test]
fn grammars_with_everything() {
    check_random(4000..4200, &Shape::default(), WIDE);
}

#[test]
fn spellings_and_multiples() {
    let long =
        [&br"\u0061"[..], br"\u002f", br"\u002F", br"\u0061a", br"\u002fa", br"\u002Fa"].map(<[u8]>::to_vec);
    let space = Space { bytes: b"a/\\u0", length: 4 };
    assert!(check("start ::= json!('a' | '/');", space, &long));
    assert!(check("start ::= json!(#'[a/]' & ~'/') 'a'?;", space, &long));
    assert!(check(
        "start ::= json!('/') start? | 'a';",
        Space { bytes: b"a/\\", length: 4 },
        &[br"\u002f".to_vec()]
    ));
    let space = Space { bytes: b"0257.", length: 4 };
    let long: Vec<Vec<u8>> = strings(space.bytes, 6).into_iter().filter(|string| string.len() > 4).collect();
    for text in [
        "start ::= multiple!(0.25);",
        "start ::= multiple!(7) | multiple!(2.5);",
        "start ::= multiple!(5) & ~'0';",
    ] {
        assert!(check(text, space, &long), "{text}");
    }
    let space = Space { bytes: b"025.e-", length: 5 };
    let long: Vec<Vec<u8>> =
        [&b"5.25e2"[..], b"2.5e+01", b"5.05e-1", b"2.52e1", b"20e1"].map(<[u8]>::to_vec).into();
    for text in ["start ::= multiple!(1);", "start ::= multiple!(0.05);", "start ::= multiple!(20) '0'?;"] {
        assert!(check(text, space, &long), "{text}");
    }
}

#[test]
fn chosen_grammars() {
    let long = longer(WIDE);
    for (text, live) in [
        ("start ::= X D; X ::= 'a' X | 'a'; D ::= D 'x';", true),
        ("start ::= 'a'* D | 'b'; D ::= D 'x';", true),
        ("start ::= 'a'* D; D ::= D 'x';", false),
        ("start ::= start;", false),
        ("start ::= E start; E ::= '';", false),
        ("start ::= E start; E ::= 'a'?;", true),
        ("start ::= ('a' start)*;", true),
        ("start ::= ('a' B)* D; B ::= 'b' B | 'c'; D ::= D D;", true),
        ("start ::= A B; A ::= 'a'? 'b'?; B ::= B 'c' | '';", true),
        ("start ::= A; A ::= B 'x'; B ::= A 'y';", false),
        ("start ::= A; A ::= B 'c' | 'a'; B ::= A 'b' | C; C ::= B;", true),
    ] {
        assert_eq!(check(text, WIDE, &long), live, "{text}");
    }
}

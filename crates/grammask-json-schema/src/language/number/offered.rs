//! The spellings of numbers that a grammar offers, by [`IntegerSpelling`] and [`NumberSpelling`].
//!
//! Sets of numbers are computed among all comparable spellings, where complements are exact. A grammar then
//! offers some of these spellings.

use super::Decimal;
use crate::context::{Context, Stop};
use crate::language::{Language, LanguageId, number};
use crate::{Escapes, IntegerSpelling, NumberSpelling};

/// Digits before the point up to which a number is written without exponent.
const MAX_PLAIN_DIGITS: usize = 21;

/// Levels of unions and intersections that are examined. Deeper parts keep all their spellings.
const MAX_LEVELS: u32 = 16;

/// Significant digits of an offered number: as many as identify a double, and as many as a double preserves.
const MAX_DIGITS: usize = 17;
const PRESERVED_DIGITS: usize = 15;

/// Integers of any length.
const INTEGERS: &str = "0|-?[1-9][0-9]*";

/// Returns the spellings of some numbers that the grammar offers. If there is none, all spellings are
/// offered, so that no schema loses its last number.
pub(crate) fn offered(cx: &mut Context<'_>, all: LanguageId) -> Result<LanguageId, Stop> {
    let config = cx.config;
    let offers_all = config.integers == IntegerSpelling::Any
        && config.numbers == NumberSpelling::Any
        && config.literal_escapes == Escapes::Any;
    if offers_all || all == LanguageId::NONE {
        return Ok(all);
    }
    if let Some(&known) = cx.numbers.offered.get(&all) {
        return Ok(known);
    }
    let mut some = select(cx, all, 0)?;
    if some != all && cx.is_empty(some)? && !cx.is_empty(all)? {
        some = all;
    }
    cx.numbers.offered.insert(all, some);
    Ok(some)
}

/// As [`offered`], but may return the empty language. `level` counts the unions and intersections around it.
fn select(cx: &mut Context<'_>, all: LanguageId, level: u32) -> Result<LanguageId, Stop> {
    if level > MAX_LEVELS {
        return Ok(all);
    }
    cx.spend(1)?;
    if let Some(value) = cx.numbers.single.get(&all) {
        return Ok(match cx.config.literal_escapes {
            Escapes::Any => all,
            _ => {
                let text = canonical(value);
                cx.languages.text(&text)
            }
        });
    }
    match cx.languages.get(all).clone() {
        Language::Union(parts) if !cx.numbers.bounds.contains_key(&all) => {
            let parts: Result<Vec<_>, _> = parts.iter().map(|&part| select(cx, part, level + 1)).collect();
            Ok(cx.languages.union(parts?))
        }
        Language::And(parts) => match listed(cx, &parts) {
            Some(values) => list_members(cx, all, &values),
            None => select_from_parts(cx, &parts, level),
        },
        _ => select_from_parts(cx, &[all], level),
    }
}

/// Returns the numbers of a part that lists its numbers. Returns `None` if no part does, or if lists keep all
/// spellings.
fn listed(cx: &Context<'_>, parts: &[LanguageId]) -> Option<Vec<Decimal>> {
    if cx.config.literal_escapes == Escapes::Any {
        return None;
    }
    let single = |part: &LanguageId| cx.numbers.single.get(part).cloned();
    parts.iter().find_map(|part| match cx.languages.get(*part) {
        Language::Union(members) => members.iter().map(single).collect(),
        _ => Some(vec![single(part)?]),
    })
}

/// Returns those of some numbers that are in a language, each in one spelling.
fn list_members(cx: &mut Context<'_>, all: LanguageId, values: &[Decimal]) -> Result<LanguageId, Stop> {
    let mut members = Vec::new();
    for value in values {
        if cx.contains(all, &value.to_string())? {
            let text = canonical(value);
            members.push(cx.languages.text(&text));
        }
    }
    Ok(cx.languages.union(members))
}

/// Returns the offered spellings of an intersection.
fn select_from_parts(cx: &mut Context<'_>, parts: &[LanguageId], level: u32) -> Result<LanguageId, Stop> {
    if is_of_integers(cx, parts) {
        return Ok(integers(cx, parts));
    }
    // One of several sets: the spellings depend on the set.
    if let Some(at) = parts.iter().position(|&part| {
        matches!(cx.languages.get(part), Language::Union(_))
            && !cx.numbers.bounds.contains_key(&part)
            && !is_unrestricted(cx, part)
    }) {
        let Language::Union(sets) = cx.languages.get(parts[at]).clone() else { return Ok(LanguageId::NONE) };
        let mut all = Vec::new();
        for set in sets {
            let others = parts.iter().enumerate().filter(|&(index, _)| index != at).map(|(_, &part)| part);
            let both = cx.languages.and(others.chain([set]));
            all.push(select(cx, both, level + 1)?);
        }
        return Ok(cx.languages.union(all));
    }
    if cx.config.numbers == NumberSpelling::Any {
        return Ok(cx.languages.and(parts.iter().copied()));
    }
    let mut some: Vec<LanguageId> =
        parts.iter().copied().filter(|&part| !is_unrestricted(cx, part)).collect();
    let mut excluded = Excluded::default();
    for &part in parts {
        excluded.add(cx, part);
    }
    // With more digits, a number that is not a multiple may have the double of one, such as that of an
    // integer.
    let digits = if excluded.has_multiples { PRESERVED_DIGITS } else { MAX_DIGITS };
    let mut interval = Interval::default();
    some.iter().for_each(|&part| interval.add(cx, part));
    some.push(doubles(cx, digits));
    for bound in excluded.values {
        some.extend(without_neighbours(cx, &bound));
    }
    let some = cx.languages.and(some);
    if interval.has_integer_as_double() {
        cx.set_inhabited(some);
    }
    Ok(some)
}

/// Returns true for a set of all numbers in all or some spellings.
fn is_unrestricted(cx: &mut Context<'_>, part: LanguageId) -> bool {
    part == cx.numbers.any
        || part == number::comparable(&mut cx.languages)
        || part == number::plain(&mut cx.languages)
}

/// Returns true if some part contains integers only.
fn is_of_integers(cx: &mut Context<'_>, parts: &[LanguageId]) -> bool {
    let digits = number::digits(&mut cx.languages);
    let is_integer = |of: &str| !of.contains('.');
    parts.iter().any(|&part| part == digits || cx.languages.multiples_of(part).is_some_and(is_integer))
}

/// Returns the offered spellings of integers in all these sets.
fn integers(cx: &mut Context<'_>, parts: &[LanguageId]) -> LanguageId {
    let (least, most) = match cx.config.integers {
        IntegerSpelling::Any => return cx.languages.and(parts.iter().copied()),
        IntegerSpelling::Digits => ("", ""),
        IntegerSpelling::Bits32 => ("-2147483648", "2147483647"),
        IntegerSpelling::Bits53 => ("-9007199254740991", "9007199254740991"),
        IntegerSpelling::Bits64 => ("-9223372036854775808", "9223372036854775807"),
    };
    let digits = number::digits(&mut cx.languages);
    let all_integers = number::integer(&mut cx.languages);
    let mut some = vec![cx.languages.regex(INTEGERS)];
    let mut interval = Interval::default();
    for &part in parts {
        if part != digits && part != all_integers && !is_unrestricted(cx, part) {
            some.push(part);
            interval.add(cx, part);
        }
    }
    for (limit, is_minimum) in [(least, true), (most, false)] {
        let Ok(limit) = Decimal::parse_unlimited(limit) else { continue };
        let mut bounds = parts.iter().filter_map(|part| cx.numbers.bounds.get(part));
        // A bound of the schema beyond the range takes the place of the limit; one within is narrower.
        if bounds.any(|bound| bound.is_minimum == is_minimum) {
            continue;
        }
        interval.cut(&limit, is_minimum);
        some.push(if is_minimum {
            number::at_least(&mut cx.languages, &limit, false)
        } else {
            number::at_most(&mut cx.languages, &limit, false)
        });
    }
    let some = cx.languages.and(some);
    if interval.has_integer() {
        cx.set_inhabited(some);
    }
    some
}

/// The numbers between some bounds.
struct Interval {
    /// The bounds, rounded to doubles.
    least: f64,
    most: f64,
    /// True if all that was added are bounds, which are finite as doubles.
    is_known: bool,
}

impl Default for Interval {
    fn default() -> Self {
        Self { least: f64::NEG_INFINITY, most: f64::INFINITY, is_known: true }
    }
}

impl Interval {
    /// Greatest bound that is rounded to a double less than a quarter away.
    const MAX_ROUNDED_BOUND: f64 = (1_u64 << 50) as f64;

    /// Keeps the numbers that are in a set, too.
    fn add(&mut self, cx: &Context<'_>, part: LanguageId) {
        match cx.numbers.bounds.get(&part) {
            Some(bound) => self.cut(&bound.value, bound.is_minimum),
            None => self.is_known = false,
        }
    }

    /// Keeps the numbers on one side of a bound.
    fn cut(&mut self, bound: &Decimal, is_minimum: bool) {
        match bound.to_string().parse::<f64>() {
            Ok(bound) if bound.is_finite() && is_minimum => self.least = self.least.max(bound),
            Ok(bound) if bound.is_finite() => self.most = self.most.min(bound),
            _ => self.is_known = false,
        }
    }

    /// Returns true if an integer certainly lies between the bounds, neither of which it equals.
    fn has_integer(&self) -> bool {
        let width = self.most - self.least;
        let is_wide = || width > 2.0 + 1e-9 * (self.least.abs() + self.most.abs());
        self.is_known && (width == f64::INFINITY || is_wide())
    }

    /// As [`has_integer`](Self::has_integer), for an integer that a double holds.
    fn has_integer_as_double(&self) -> bool {
        let is_exact = |bound: f64| bound.is_infinite() || bound.abs() < Self::MAX_ROUNDED_BOUND;
        self.has_integer() && is_exact(self.least) && is_exact(self.most)
    }
}

/// Returns the numbers that a double holds, with at most `digits` significant digits.
fn doubles(cx: &mut Context<'_>, digits: usize) -> LanguageId {
    let languages = &mut cx.languages;
    let (more, zeros) = (digits - 1, MAX_PLAIN_DIGITS - digits);
    let mantissa = format!(r"[1-9](?:\.[0-9]{{1,{more}}})?");
    let exponent = "[eE][+-]?(?:0?[0-9]{1,2}|[12][0-9]{2}|30[0-7])";
    let whole = format!("[1-9][0-9]{{0,{more}}}0{{0,{zeros}}}");
    let small = format!(r"0\.0{{0,20}}[1-9][0-9]{{0,{more}}}");
    let zero = languages.regex(r"0(?:\.0{1,17})?");
    let others = languages.regex(&format!("-?(?:{whole}|{small}|{mantissa}{exponent})"));
    // Digits on both sides of the point, at most `digits` of them together.
    let fraction = languages.regex(r"[1-9][0-9]*\.[0-9]+");
    let short = languages.regex(&format!("[0-9.]{{3,{}}}", digits + 1));
    let fraction = languages.and([fraction, short]);
    let fraction = super::with_any_sign(languages, fraction);
    languages.union([zero, others, fraction])
}

/// Numbers that a set excludes.
#[derive(Default)]
struct Excluded {
    /// Values of exclusive bounds, and numbers that are not in the set.
    values: Vec<Decimal>,
    /// True if multiples of some number are not in the set.
    has_multiples: bool,
}

impl Excluded {
    /// Adds what a part of an intersection excludes.
    fn add(&mut self, cx: &Context<'_>, part: LanguageId) {
        let mut open = vec![(part, true, 0)];
        while let Some((part, is_positive, level)) = open.pop() {
            if let Some(bound) = cx.numbers.bounds.get(&part) {
                if bound.is_exclusive == is_positive {
                    self.values.push(bound.value.clone());
                }
            } else if let Some(value) = cx.numbers.single.get(&part) {
                if !is_positive {
                    self.values.push(value.clone());
                }
            } else if cx.languages.multiples_of(part).is_some() {
                self.has_multiples |= !is_positive;
            } else if level < MAX_LEVELS {
                match cx.languages.get(part) {
                    Language::Union(parts) | Language::And(parts) => {
                        open.extend(parts.iter().map(|&part| (part, is_positive, level + 1)));
                    }
                    Language::Not(part) => open.push((*part, !is_positive, level + 1)),
                    _ => {}
                }
            }
        }
        self.values.sort_unstable();
        self.values.dedup();
    }
}

/// Returns all numbers except those that are close to `value` and differ from it, because they may round to
/// the double of `value`. They lie between the doubles next to it. Returns `None` for zero, and for a number
/// that is too large for a double.
fn without_neighbours(cx: &mut Context<'_>, value: &Decimal) -> Option<LanguageId> {
    if value.is_zero() {
        return None;
    }
    let double: f64 = value.to_string().parse().ok().filter(|double: &f64| double.is_finite())?;
    let neighbour = |double: f64| Decimal::parse_unlimited(&format!("{double:.16e}")).ok();
    let (below, above) = (neighbour(double.next_down())?, neighbour(double.next_up())?);
    let languages = &mut cx.languages;
    let parts = [
        number::at_most(languages, &below, false),
        number::equal(languages, value),
        number::at_least(languages, &above, false),
    ];
    Some(languages.union(parts))
}

/// Returns the spelling of a number of `enum` or `const`: without exponent, unless it is long.
fn canonical(value: &Decimal) -> String {
    let plain = value.to_string();
    if plain.len() <= MAX_PLAIN_DIGITS + 1 {
        return plain;
    }
    let scientific = value.to_scientific();
    if scientific.len() < plain.len() { scientific } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::ScopeId;
    use crate::document::Inputs;
    use crate::keyword::expand;
    use crate::value::evaluate;
    use crate::{Config, Profile};
    use serde_json::{Value, json};

    /// Checks which numbers a schema offers.
    fn check(config: &Config, schema: &Value, offered_texts: &[&str], others: &[&str]) {
        let inputs = Inputs::of_value(schema, config).unwrap_or_else(|error| panic!("{schema}: {error}"));
        let mut cx = Context::new(&inputs, config).unwrap_or_else(|error| panic!("{schema}: {error}"));
        let root = cx.documents.root();
        let language = expand::constraint_of_schema(&mut cx, root, ScopeId::EMPTY)
            .and_then(|root| evaluate::values(&mut cx, root))
            .and_then(|values| offered(&mut cx, values.number));
        let Ok(language) = language else { panic!("{schema} has an error") };
        for (texts, expected) in [(offered_texts, true), (others, false)] {
            for text in texts {
                assert_eq!(cx.languages.contains(language, text), Ok(expected), "{text} of {schema}");
            }
        }
    }

    #[test]
    fn numbers_are_doubles_of_17_digits() {
        let offered_texts = [
            "0",
            "0.0",
            "1",
            "-1",
            "1.5",
            "0.1",
            "-0.00000000000000000001",
            "100000000000000000000",
            "12345678901234567",
            "1.2345678901234567",
            "123456789012.12345",
            "1e5",
            "1E+05",
            "9.9e307",
            "1e-307",
            "-1.7976931348623157e307",
        ];
        let others = [
            "-0",
            "-0.0",
            "0e5",
            "1e400",
            "1e-400",
            "1e308",
            "1e0400",
            "1e1234",
            "123456789012345678",
            "1.23456789012345678",
            "1234567890123.12345",
            "0.123456789012345678",
            "12e3",
            "01",
            "1.",
            "+1",
        ];
        check(&Config::default(), &json!({"type": "number"}), &offered_texts, &others);
        check(
            &Config::default(),
            &json!({"type": "number", "minimum": -1e300, "maximum": 1e300}),
            &["0", "1.5", "1e5"],
            &others,
        );
        let any = Config { numbers: NumberSpelling::Any, ..Config::default() };
        check(&any, &json!({"type": "number"}), &["-0", "1e400", "1.5"], &["01"]);
    }

    #[test]
    fn numbers_that_bounds_promise_exist() {
        let bounds = [
            "-1e400", "-1e308", "-1e19", "-9e15", "-3.5", "-1", "-0.001", "0", "0.5", "0.50001", "1", "2",
            "3", "3.1", "1e15", "9e15", "1e19", "1e20", "1e307", "1e308", "1e400",
        ];
        let mut known = 0;
        let configs = [IntegerSpelling::Digits, IntegerSpelling::Bits32, IntegerSpelling::Bits64]
            .map(|integers| Config { integers, ..Config::default() });
        for (index, least) in bounds.iter().enumerate() {
            for most in &bounds[index..] {
                for (keywords, kind) in [("minimum", "integer"), ("exclusiveMinimum", "number")] {
                    let upper = keywords.replace("inimum", "aximum");
                    let text = format!(r#"{{"type": "{kind}", "{keywords}": {least}, "{upper}": {most}}}"#);
                    for config in &configs {
                        let Ok(schema) = serde_json::from_str::<Value>(&text) else { continue };
                        let Ok(inputs) = Inputs::of_value(&schema, config) else { continue };
                        let Ok(mut cx) = Context::new(&inputs, config) else { continue };
                        let root = cx.documents.root();
                        let Ok(values) = expand::constraint_of_schema(&mut cx, root, ScopeId::EMPTY)
                            .and_then(|root| evaluate::values(&mut cx, root))
                        else {
                            continue;
                        };
                        let Ok(some) = select(&mut cx, values.number, 0) else { continue };
                        if cx.is_known_inhabited(some) {
                            known += 1;
                            assert_eq!(cx.languages.is_empty(some), Ok(Some(false)), "{text}");
                        }
                    }
                }
            }
        }
        assert!(known > 300, "{known} of the languages were known");
    }

    #[test]
    fn integers_are_digits_of_a_range() {
        let of = |integers| Config { integers, ..Config::default() };
        let integer = json!({"type": "integer"});
        let never = ["1.0", "1e3", "-0", "00", "0.0", "1.5"];
        check(&of(IntegerSpelling::Digits), &integer, &["0", "-7", "99999999999999999999999999"], &never);
        for (integers, first, last, before, after) in [
            (IntegerSpelling::Bits32, "-2147483648", "2147483647", "-2147483649", "2147483648"),
            (
                IntegerSpelling::Bits53,
                "-9007199254740991",
                "9007199254740991",
                "-9007199254740992",
                "9007199254740992",
            ),
            (
                IntegerSpelling::Bits64,
                "-9223372036854775808",
                "9223372036854775807",
                "-9223372036854775809",
                "9223372036854775808",
            ),
        ] {
            check(
                &of(integers),
                &integer,
                &[first, last, "0", "-1"],
                &[&never[..], &[before, after]].concat(),
            );
        }
        check(&of(IntegerSpelling::Any), &integer, &["1.0", "1e3", "-0"], &["1.5"]);
        // A bound of the schema takes the place of the limit on its side.
        let unsigned = json!({"type": "integer", "minimum": 0, "maximum": 18446744073709551615u64});
        check(
            &Config::default(),
            &unsigned,
            &["18446744073709551615", "0"],
            &["18446744073709551616", "-1", "1.0"],
        );
        check(
            &Config::default(),
            &json!({"type": "integer", "minimum": 5}),
            &["5", "9223372036854775807"],
            &["9223372036854775808", "4"],
        );
        check(
            &Config::default(),
            &json!({"type": "integer", "minimum": 1e19}),
            &["10000000000000000000"],
            &["9999999999999999999"],
        );
        check(
            &Config::default(),
            &json!({"type": "number", "multipleOf": 5}),
            &["10", "-5", "0"],
            &["10.0", "7"],
        );
        check(
            &Config::default(),
            &json!({"type": "integer", "not": {"minimum": 3}}),
            &["2", "-9"],
            &["3", "2.0"],
        );
        check(
            &Config::default(),
            &json!({"anyOf": [{"type": "integer"}, {"minimum": 0.5}]}),
            &["3", "-3", "0.5"],
            &["-3.0", "0.25"],
        );
    }

    #[test]
    fn listed_numbers_have_one_spelling() {
        let list = json!({"enum": [1, 2.50, 1e30, -0.0]});
        check(
            &Config::default(),
            &list,
            &["1", "2.5", "1e30", "0"],
            &["1.0", "2.50", "25e-1", "-0", "1E30", "3"],
        );
        check(&Config::default(), &json!({"enum": [1, 2, 3.5], "minimum": 2}), &["2", "3.5"], &["1", "2.0"]);
        check(
            &Config::default(),
            &json!({"enum": [1, 2, 3.5], "type": "integer"}),
            &["1", "2"],
            &["3.5", "1.0"],
        );
        let standard = Config::new(Profile::Standard);
        check(&standard, &list, &["1", "1.0", "2.50", "2.5e0", "-0"], &["3"]);
    }

    #[test]
    fn no_double_violates_a_bound_that_its_number_satisfies() {
        let config = Config::default();
        let above = json!({"type": "number", "exclusiveMinimum": 0.1});
        check(&config, &above, &["0.10000000000000002", "1", "0.2"], &["0.1", "0.10000000000000001", "0.10"]);
        let below = json!({"type": "number", "exclusiveMaximum": 5});
        check(&config, &below, &["4.9999999999999991", "4.5"], &["5", "4.9999999999999999"]);
        let not = json!({"type": "number", "not": {"const": 0.1}});
        check(&config, &not, &["0.2", "0.11"], &["0.1", "0.10000000000000001"]);
        let fraction = json!({"type": "number", "not": {"type": "integer"}});
        check(
            &config,
            &fraction,
            &["0.5", "12345678901234.5"],
            &["1", "0.0", "1234567890123456.5", "7888807814490587.8"],
        );
        let positive = json!({"type": "number", "exclusiveMinimum": 0});
        check(&config, &positive, &["1e-307", "0.00000000001"], &["0", "1e-400", "0.0"]);
        check(
            &config,
            &json!({"type": "number", "minimum": 0.1}),
            &["0.1", "0.10000000000000001"],
            &["0.09"],
        );
    }
}

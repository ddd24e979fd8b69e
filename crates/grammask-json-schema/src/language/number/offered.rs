//! The spellings of numbers that a grammar offers, by [`IntegerSpelling`] and [`NumberSpelling`].
//!
//! Sets of numbers are computed among all comparable spellings, where complements are exact. A grammar then
//! offers some of these spellings.

use super::Decimal;
use crate::context::{Context, Stop};
use crate::language::{Language, LanguageId, number};
use crate::{Escapes, IntegerSpelling, NumberSpelling};
use interval::Interval;

mod interval;

#[cfg(test)]
mod tests;

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
    if !interval.is_known
        && let Some(list) = listed_integers(cx, &some, &interval)
    {
        return list;
    }
    let some = cx.languages.and(some);
    if interval.has_integer() {
        cx.set_inhabited(some);
    }
    some
}

/// Returns the integers in all these sets as a list of texts, if there are few between the bounds. Multiples
/// and their complements between bounds are then texts, and not a product of automata. Returns `None` if
/// there are many, or if a limit is exceeded.
fn listed_integers(cx: &mut Context<'_>, sets: &[LanguageId], interval: &Interval) -> Option<LanguageId> {
    let steps = sets.iter().filter_map(|&set| cx.languages.multiples_of(set)?.parse::<f64>().ok());
    let step = steps.filter(|step| step.fract() == 0.0).fold(1.0, f64::max);
    let mut members = Vec::new();
    for integer in interval.multiples(step)? {
        let text = integer.to_string();
        let mut is_member = true;
        for &set in sets {
            is_member = is_member && cx.languages.contains(set, &text).ok()?;
        }
        if is_member {
            members.push(cx.languages.text(&text));
        }
    }
    Some(cx.languages.union(members))
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

//! Sample strings that prove intersections of number languages to be non-empty.
//!
//! A search would follow derivatives digit by digit. Usually a bound itself, zero or one is in the
//! intersection. A membership test proves this without making states.

use crate::analysis::limits::ProofLimits;
use grammask_work::count;
use std::ops::{Range, RangeInclusive};

use crate::Store;
use crate::number::state::{NumberState, Numbers};
use crate::store::node::{Kind, RegularId, UNBOUNDED};

/// Digits of the longest bound that is a sample.
const MAX_SAMPLE_DIGITS: usize = 20;

/// Work of one visited operand of a membership test.
const UNITS_PER_VISIT: u64 = 2;

/// Number of samples.
const MAX_SAMPLES: usize = 16;

/// Strings that may be in a language.
#[derive(Default)]
struct Samples {
    bytes: Vec<u8>,
    texts: Vec<Range<usize>>,
}

impl Samples {
    /// Adds the numeral of an integer bound, and its suffixes after each digit.
    fn add(&mut self, digits: &[u8], exponent: i16) {
        let Ok(exponent) = usize::try_from(exponent) else { return };
        if exponent >= MAX_SAMPLE_DIGITS || digits.len() > exponent + 1 {
            return;
        }
        let start = self.bytes.len();
        self.bytes.extend(digits.iter().map(|digit| b'0' + digit));
        self.bytes.resize(start + exponent + 1, b'0');
        let end = self.bytes.len();
        for start in start..end {
            if self.texts.len() == MAX_SAMPLES {
                break;
            }
            if !self.iter().any(|text| text == &self.bytes[start..end]) {
                self.texts.push(start..end);
            }
        }
    }

    fn push(&mut self, text: &str) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text.as_bytes());
        self.texts.push(start..self.bytes.len());
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.texts.iter().map(|position| &self.bytes[position.clone()])
    }
}

/// Returns true if a sample is proven to be in an intersection of number languages. False means "not proven".
///
/// # Complexity
/// O(1): few texts are tried, on expressions that are not deep.
pub(crate) fn has_sample(store: &Store, a: RegularId) -> bool {
    if store.leaves.numbers.is_empty() || !matches!(store.node(a).kind, Kind::And(_)) {
        return false;
    }
    let mut samples = Samples::default();
    if !collect_samples(
        store,
        a,
        ProofLimits::SAMPLES.depth,
        &mut { ProofLimits::SAMPLES.visits },
        &mut samples,
    ) {
        return false;
    }
    let simple: [&[u8]; 3] = [b"1", b"0", b"-1"];
    let mut texts = samples.iter().chain(simple);
    texts.any(|text| {
        let ProofLimits { depth, visits } = ProofLimits::SAMPLE_MEMBERSHIP;
        let mut left = visits;
        let result = membership(store, a, text, depth, &mut left);
        count(UNITS_PER_VISIT * u64::from(visits - left));
        result == Some(true)
    })
}

/// Collects samples from the bounds and divisors of an expression. Returns true if it contains numbers.
fn collect_samples(store: &Store, a: RegularId, depth: u32, visits: &mut u32, samples: &mut Samples) -> bool {
    let (Some(depth), Some(left)) = (depth.checked_sub(1), visits.checked_sub(1)) else { return false };
    *visits = left;
    match store.node(a).kind {
        Kind::Number(state) => {
            let NumberState { numbers, position } = store.leaves.number_states[state];
            match &*store.leaves.numbers[numbers] {
                Numbers::Compared(bound) => samples.add(&bound.digits, bound.exponent),
                Numbers::Multiples(multiples) => {
                    multiples.completions(position).iter().for_each(|text| samples.push(text));
                }
            }
            true
        }
        Kind::And(list) | Kind::Or(list) => {
            let mut found = false;
            for &member in store.list(list) {
                found |= collect_samples(store, member, depth, visits, samples);
                if *visits == 0 {
                    break;
                }
            }
            found
        }
        Kind::Concat(head, tail) => {
            let found = collect_samples(store, head, depth, visits, samples);
            collect_samples(store, tail, depth, visits, samples) || found
        }
        _ => false,
    }
}

/// Returns true if a string is proven to be in a language. False means "not proven".
pub(crate) fn is_known_member(store: &Store, a: RegularId, text: &[u8]) -> bool {
    let ProofLimits { depth, visits } = ProofLimits::MEMBERSHIP;
    let mut left = visits;
    let result = membership(store, a, text, depth, &mut left);
    count(UNITS_PER_VISIT * u64::from(visits - left));
    result == Some(true)
}

/// Returns whether a string is in a language. Returns `None` if that is not decided without derivatives.
fn membership(store: &Store, a: RegularId, text: &[u8], depth: u32, visits: &mut u32) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    *visits = visits.checked_sub(1)?;
    if text.is_empty() {
        return Some(store.is_nullable(a));
    }
    if !length_range(store, a).contains(&text.len()) {
        return Some(false);
    }
    match store.node(a).kind {
        Kind::Empty | Kind::Epsilon => Some(false),
        Kind::Bytes(set) => Some(text.len() == 1 && store.byte_set(set).contains(text[0])),
        Kind::Words { range, depth } => {
            let (list, words) = store.leaves.words(range);
            let (mut some, mut depth) = (words, depth);
            for &byte in text {
                some = list.step(some, depth, byte);
                depth += 1;
            }
            Some(list.rests(some, depth).next().is_some_and(<[u8]>::is_empty))
        }
        Kind::Acyclic(state) => {
            let end = text.iter().try_fold(state, |state, &byte| store.leaves.acyclic.step(state, byte));
            Some(end.is_some_and(|end| store.leaves.acyclic.is_final(end)))
        }
        Kind::AhoCorasick { automaton, state } => {
            let automaton = &store.leaves.aho_corasick[automaton];
            Some(text.iter().try_fold(state, |state, &byte| automaton.step(state, byte)).is_some())
        }
        Kind::Factor { automaton, state } => {
            let automaton = &store.leaves.factor_automata[automaton];
            Some(text.iter().try_fold(state, |state, &byte| automaton.step(state, byte)).is_some())
        }
        Kind::Number(state) => {
            let NumberState { numbers, position } = store.leaves.number_states[state];
            let numbers = &store.leaves.numbers[numbers];
            let end = text.iter().try_fold(position, |position, &byte| numbers.step(position, byte));
            Some(end.is_some_and(|end| numbers.is_accepting(end)))
        }
        Kind::And(list) => {
            for &member in store.list(list) {
                if !membership(store, member, text, depth, visits)? {
                    return Some(false);
                }
            }
            Some(true)
        }
        Kind::Or(list) => {
            for &member in store.list(list) {
                if membership(store, member, text, depth, visits)? {
                    return Some(true);
                }
            }
            Some(false)
        }
        Kind::Not(inner) => Some(!membership(store, inner, text, depth, visits)?),
        Kind::Concat(head, tail) => {
            // Usually the head contains the longest possible prefix.
            let (first, last) = length_range(store, head).into_inner();
            for end in (first..=last.min(text.len())).rev() {
                if membership(store, head, &text[..end], depth, visits)?
                    && membership(store, tail, &text[end..], depth, visits)?
                {
                    return Some(true);
                }
            }
            Some(false)
        }
        Kind::Repeat { base, min, max } if min <= 1 && (max == 1 || max == UNBOUNDED) => {
            if max == UNBOUNDED
                && let Kind::Bytes(set) = store.node(base).kind
            {
                let set = store.byte_set(set);
                return Some(text.iter().all(|&byte| set.contains(byte)));
            }
            // For an unbounded repetition, one more round is tried after each prefix that fits.
            if membership(store, base, text, depth, visits)? {
                return Some(true);
            }
            if max == 1 {
                return Some(false);
            }
            for end in 1..text.len() {
                if membership(store, base, &text[..end], depth, visits)?
                    && membership(store, a, &text[end..], depth, visits)?
                {
                    return Some(true);
                }
            }
            Some(false)
        }
        // No round is empty: otherwise the lower bound would be 0.
        Kind::Repeat { base, min, max } => repeat_membership(store, (base, min, max), text, depth, visits),
        _ => None,
    }
}

/// Returns bounds of the lengths of the strings, in bytes.
fn length_range(store: &Store, a: RegularId) -> RangeInclusive<usize> {
    let node = store.node(a);
    node.min as usize..=if node.max == UNBOUNDED { usize::MAX } else { node.max as usize }
}

/// As [`membership`], for rounds of a language between two bounds. The recursion is bounded by that of
/// [`membership`].
fn repeat_membership(
    store: &Store,
    (base, min, max): (RegularId, u32, u32),
    text: &[u8],
    depth: u32,
    visits: &mut u32,
) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    if text.is_empty() || max == 0 {
        return Some(text.is_empty() && (min == 0 || store.is_nullable(base)));
    }
    let rest = (base, min.saturating_sub(1), if max == UNBOUNDED { max } else { max - 1 });
    let (first, last) = length_range(store, base).into_inner();
    for end in (first.max(1)..=last.min(text.len())).rev() {
        if membership(store, base, &text[..end], depth, visits)?
            && repeat_membership(store, rest, &text[end..], depth, visits)?
        {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::{has_sample, membership};
    use crate::{Comparison, Limits, Store};

    /// Samples prove only what is true, and ordinary bounds have one.
    #[test]
    fn samples_are_in_the_language() {
        let mut store = Store::new(&Limits::default());
        let minus = store.regex("-?").unwrap();
        let integer = store.multiple("1").unwrap();
        let integer = store.concat(&[minus, integer]).unwrap();
        let digits = store.regex("-?(0|[1-9][0-9]*)").unwrap();
        let mut proven = 0;
        for least in ["0", "1", "7", "100", "99999", "0.5"] {
            for most in ["0", "1", "9", "120", "100000", "0.75"] {
                for other in [integer, digits] {
                    let above = store.compared(Comparison::AtLeast, least).unwrap();
                    let below = store.compared(Comparison::AtMost, most).unwrap();
                    let both = store.intersection(&[other, above, below]).unwrap();
                    let mut open = vec![both];
                    let mut position = 0;
                    while let Some(&state) = open.get(position) {
                        position += 1;
                        let has_sample = has_sample(&store, state);
                        assert!(!has_sample || !store.is_empty(state).unwrap(), "{}", store.display(state));
                        proven += usize::from(has_sample);
                        for byte in *b"-.0123456789e" {
                            let next = store.derivative(state, byte).unwrap();
                            if !open.contains(&next) && open.len() < 40 {
                                open.push(next);
                            }
                        }
                    }
                }
            }
        }
        assert!(proven > 100, "{proven} states");
    }

    #[test]
    fn multiples_of_large_numbers_are_proven_without_a_search() {
        let mut store = Store::new(&Limits::default());
        let plain = store.regex(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?").unwrap();
        let minus = store.regex("-?").unwrap();
        for of in
            ["604800", "86400000", "1000003", "16777216", "123456.7", "0.0000700001", "18446744073709551557"]
        {
            let multiples = store.multiple(of).unwrap();
            let signed = store.concat(&[minus, multiples]).unwrap();
            let above = store.compared(Comparison::AtLeast, "5").unwrap();
            for others in [&[plain, signed][..], &[plain, signed, above]] {
                let both = store.intersection(others).unwrap();
                let mut state = both;
                for byte in *b"98702465.1" {
                    assert!(
                        has_sample(&store, state) || store.is_nullable(state),
                        "{}",
                        store.display(state)
                    );
                    state = store
                        .derivative(state, byte)
                        .unwrap_or_else(|error| panic!("{of}, {}: {error}", byte as char));
                    if state == crate::RegularId::EMPTY {
                        // No fraction is a multiple of an integer.
                        assert!(byte == b'.' || byte == b'1');
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn membership_agrees_with_derivatives() {
        let mut store = Store::new(&Limits::default());
        for pattern in [
            "-?(0|[1-9][0-9]*)",
            "(12)*3?",
            "1?2?",
            "(1|12)(2|3)+",
            "[^1]2",
            "1{0,1}(2*)",
            "1{2}2*",
            "([12]3?){2,3}",
            "(12|3){1,2}",
        ] {
            let language = store.regex(pattern).unwrap();
            let not = store.complement(language).unwrap();
            for number in 0..4_000 {
                let text = number.to_string().into_bytes();
                let end =
                    text.iter().try_fold(language, |state, &byte| store.derivative(state, byte)).unwrap();
                let expected = store.is_nullable(end);
                for (a, expected) in [(language, expected), (not, !expected)] {
                    let held = membership(&store, a, &text, 12, &mut 10_000);
                    assert!(held.is_none_or(|held| held == expected), "{pattern}: {number}");
                }
            }
        }
    }
}

//! Numbers that are compared with a bound against arithmetic on numerals.

mod automaton;
mod numeral;

use automaton::explore;
use grammask_regular::{Comparison, Limits, RegularId, Store};
use numeral::value;
use std::cmp::Ordering;

const ALL: [Comparison; 5] =
    [Comparison::AtLeast, Comparison::Above, Comparison::AtMost, Comparison::Below, Comparison::Equal];

const BOUNDS: [&str; 22] = [
    "0",
    "1",
    "5",
    "9",
    "10",
    "12",
    "15",
    "50",
    "99",
    "100",
    "105",
    "1200",
    "0.5",
    "0.05",
    "1.5",
    "2.05",
    "90.5",
    "0.0015",
    "99.9",
    "1.0005",
    "100000",
    "0.000000001",
];

fn start(store: &mut Store, comparison: Comparison, bound: &str) -> RegularId {
    store.compared(comparison, bound).unwrap()
}

#[test]
fn short_numbers_are_those_that_compare_so() {
    let mut store = Store::new(&Limits::default());
    for bound in BOUNDS {
        for comparison in ALL {
            let language = start(&mut store, comparison, bound);
            let mut level: Vec<(String, RegularId)> = vec![(String::new(), language)];
            for length in 0..=5 {
                let mut next = Vec::new();
                let letters = match length {
                    0..3 => "0123456789.eE+-",
                    3 | 4 => "01259.e-",
                    _ => "",
                };
                for (word, state) in &level {
                    let expected = value(word, true)
                        .is_some_and(|number| comparison.allows(number.cmp(&value(bound, true).unwrap())));
                    assert_eq!(store.is_nullable(*state), expected, "{comparison:?} {bound}: {word}");
                    if *state == RegularId::EMPTY && length > 2 {
                        continue;
                    }
                    for letter in letters.chars() {
                        let state = store.derivative(*state, letter as u8).unwrap();
                        next.push((format!("{word}{letter}"), state));
                    }
                }
                level = next;
            }
        }
    }
    store.check().unwrap();
}

#[test]
fn no_state_is_dead_and_hardly_any_are_equal() {
    let mut store = Store::new(&Limits::default());
    let long = "9".repeat(30);
    let tiny = format!("0.{}123", "0".repeat(30));
    let precise = format!("1.{}1", "0".repeat(25));
    for bound in BOUNDS.iter().copied().chain([long.as_str(), &tiny, &precise, "1234567890123456789012345"]) {
        for comparison in ALL {
            let language = start(&mut store, comparison, bound);
            let whole = explore(&mut store, language, 1_000);
            let inhabited = whole.inhabited();
            for (index, &state) in whole.states.iter().enumerate() {
                let shown = store.display(state).to_string();
                assert_eq!(state != RegularId::EMPTY, inhabited[index], "{comparison:?} {bound}: {shown}");
            }
            let (all, least) = (whole.live_len(), whole.minimal_len());
            assert!(all <= least + 30, "{comparison:?} {bound}: {all}, not {least}");
        }
    }
}

#[test]
fn bounds_divide_all_numbers() {
    let mut store = Store::new(&Limits::default());
    let all = start(&mut store, Comparison::AtLeast, "0");
    let pattern =
        store.regex(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|[1-9](?:\.[0-9]{1,20})?[eE][+-]?[0-9]+").unwrap();
    let digits = "1234567890".repeat(100);
    let huge = format!("1{}", "0".repeat(9_999));
    let tiny = format!("0.{}5", "0".repeat(400));
    let beyond = ["18446744073709551615", "1.0000000000000000000000000000005", &digits, &huge, &tiny];
    let is_empty = |store: &mut Store, yes: RegularId, no: RegularId| {
        let no = store.complement(no).unwrap();
        let both = store.intersection(&[yes, no]).unwrap();
        store.is_empty(both).unwrap()
    };
    assert!(is_empty(&mut store, all, pattern) && is_empty(&mut store, pattern, all));
    for bound in BOUNDS.iter().copied().chain(beyond) {
        let parts = [Comparison::Below, Comparison::Equal, Comparison::Above]
            .map(|comparison| start(&mut store, comparison, bound));
        let whole = store.union(&parts).unwrap();
        assert!(
            is_empty(&mut store, all, whole) && is_empty(&mut store, whole, all),
            "{}",
            &bound[..10.min(bound.len())]
        );
        for (wide, narrow) in [(Comparison::AtMost, 0), (Comparison::AtLeast, 2)] {
            let wide = start(&mut store, wide, bound);
            let parts = store.union(&[parts[1], parts[narrow]]).unwrap();
            assert!(is_empty(&mut store, wide, parts) && is_empty(&mut store, parts, wide));
        }
    }
}

#[test]
fn bounds_of_a_length_share_states_once_the_ordering_is_decided() {
    let mut store = Store::new(&Limits::default());
    let mut after = |comparison, bound: &str, text: &str| {
        let start = start(&mut store, comparison, bound);
        text.bytes().fold(start, |state, byte| store.derivative(state, byte).unwrap())
    };
    let less = after(Comparison::AtMost, "2893", "1");
    for (comparison, bound, text) in [
        (Comparison::AtMost, "7000", "6"),
        (Comparison::Below, "2000", "1"),
        (Comparison::Below, "3000.5", "2"),
    ] {
        assert_eq!(after(comparison, bound, text), less, "{comparison:?} {bound}");
    }
    // Fewer digits may follow.
    assert_ne!(after(Comparison::AtMost, "2893", "11"), less);
    assert_ne!(after(Comparison::AtMost, "289", "1"), less);
    // The ordering is open, or the other one.
    assert_ne!(after(Comparison::AtMost, "2893", "2"), less);
    assert_ne!(after(Comparison::AtLeast, "2893", "1"), less);
    let greater = after(Comparison::AtLeast, "2893", "12345");
    assert_eq!(after(Comparison::Above, "7", "10"), greater);
    assert_ne!(after(Comparison::Above, "7", "8"), greater, "an exponent may follow");
    assert_eq!(after(Comparison::AtMost, "12", "0"), after(Comparison::Below, "5", "0"));
    assert_ne!(after(Comparison::AtMost, "0.5", "0"), after(Comparison::Below, "5", "0"));
}

#[test]
fn exponents_are_compared_without_end() {
    let mut store = Store::new(&Limits::default());
    let accepts = |store: &mut Store, comparison, bound: &str, word: &str| {
        let start = start(store, comparison, bound);
        let end = word.bytes().try_fold(start, |state, byte| store.derivative(state, byte)).unwrap();
        store.is_nullable(end)
    };
    let bound = format!("17{}", "0".repeat(307));
    for (word, ordering) in [
        ("1.7e308", Ordering::Equal),
        ("1.70E+00308", Ordering::Equal),
        ("1.69999e308", Ordering::Less),
        ("9.9e307", Ordering::Less),
        ("1e-99999999999", Ordering::Less),
        ("1.70000000001e308", Ordering::Greater),
        ("1e309", Ordering::Greater),
        ("1e99999999999", Ordering::Greater),
        (bound.as_str(), Ordering::Equal),
    ] {
        for comparison in ALL {
            let expected = comparison.allows(ordering);
            assert_eq!(accepts(&mut store, comparison, &bound, word), expected, "{comparison:?} {word}");
        }
    }
}

#[test]
fn invalid_numerals_are_errors() {
    let mut store = Store::new(&Limits::default());
    let long = "1".repeat(10_001);
    for wrong in ["", ".5", "5.", "-1", "1e3", "1.2.3", "٣"] {
        let error = store.compared(Comparison::Equal, wrong).unwrap_err().to_string();
        assert!(error.ends_with("is not a decimal numeral"), "{error}");
    }
    let error = store.compared(Comparison::Equal, &long).unwrap_err().to_string();
    assert_eq!(error, "more than 10000 digits in a bound of numbers, here 10001 (limit `numeral_digits`)");
    assert_eq!(store.compared(Comparison::Below, "0.00"), Ok(RegularId::EMPTY));
    assert_eq!(store.compared(Comparison::Above, "2.5"), store.compared(Comparison::Above, "02.500"));
    let bound = start(&mut store, Comparison::AtMost, "120");
    let state = store.derivative(bound, b'1').unwrap();
    assert_eq!(store.display(bound).to_string(), "<at most 120>");
    assert_eq!(store.display(state).to_string(), "<at most 120 behind 1 digits, equal>");
    let bound = start(&mut store, Comparison::Above, "0.05");
    assert_eq!(store.display(bound).to_string(), "<above 0.05>");
    let bound = start(&mut store, Comparison::AtLeast, "0");
    assert_eq!(store.display(bound).to_string(), "<at least 0>");
}

//! Multiples of decimal numbers against arithmetic on numerals.

mod automaton;
mod numeral;

use automaton::explore;
use grammask_regular::{Limits, RegularId, Store};
use numeral::value;

/// Whether `word` is a number whose value is a multiple of that of `of`; with an exponent where that is 1, 2
/// or 5 and zeros.
fn is_multiple(word: &str, of: &str) -> bool {
    let is_step = matches!(of.replace(['.', '0'], "").as_str(), "1" | "2" | "5");
    value(word, is_step).is_some_and(|number| number.is_multiple_of(value(of, false).unwrap()))
}

const NUMBERS: [&str; 20] = [
    "1", "2", "5", "3", "7", "10", "12", "0.5", "0.25", "2.5", "0.3", "0.01", "0.02", "0.007", "1.10",
    "1200.000", "20", "500", "0.00005", "1000.0",
];

#[test]
fn short_numerals_are_those_that_divide() {
    let mut store = Store::new(&Limits::default());
    for of in NUMBERS {
        let language = store.multiple(of).unwrap();
        let mut level: Vec<(String, RegularId)> = vec![(String::new(), language)];
        for length in 0..=5 {
            let mut next = Vec::new();
            let letters = if length < 5 { "0123456789.eE+-" } else { "" };
            for (word, state) in &level {
                assert_eq!(store.is_nullable(*state), is_multiple(word, of), "{of}: {word}");
                for letter in letters.chars() {
                    next.push((format!("{word}{letter}"), store.derivative(*state, letter as u8).unwrap()));
                }
            }
            level = next;
        }
    }
    store.check().unwrap();
}

#[test]
fn no_state_is_dead() {
    let mut store = Store::new(&Limits::default());
    for of in NUMBERS {
        let language = store.multiple(of).unwrap();
        let whole = explore(&mut store, language, 50_000);
        let inhabited = whole.inhabited();
        for (index, &state) in whole.states.iter().enumerate() {
            assert_eq!(state != RegularId::EMPTY, inhabited[index], "{of}: {}", store.display(state));
            assert_eq!(store.is_empty(state), Ok(!inhabited[index]), "{of}: {}", store.display(state));
        }
    }
}

#[test]
fn hardly_any_states_are_equal() {
    let mut store = Store::new(&Limits::default());
    for of in ["1", "0.05", "7", "2000"] {
        let language = store.multiple(of).unwrap();
        let whole = explore(&mut store, language, 2_000);
        // Such as zeros at the end, of a fraction and of an exponent that must be zero.
        assert!(whole.live_len() <= whole.minimal_len() + 4, "{of}");
    }
}

#[test]
fn long_numbers_are_exact() {
    let mut store = Store::new(&Limits::default());
    let accepts = |store: &mut Store, of: &str, word: &str| {
        let start = store.multiple(of).unwrap();
        let end = word.bytes().try_fold(start, |state, byte| store.derivative(state, byte)).unwrap();
        store.is_nullable(end)
    };
    assert!(accepts(&mut store, "18446744073709551615", "36893488147419103230.0"));
    assert!(!accepts(&mut store, "18446744073709551615", "36893488147419103231"));
    let tiny = format!("0.{}1", "0".repeat(38));
    assert!(accepts(&mut store, &tiny, &format!("12.{}7", "3".repeat(38))));
    assert!(!accepts(&mut store, &tiny, &format!("12.{}7", "3".repeat(39))));
    assert!(accepts(&mut store, "0000000000000000000002.5000000000000000", "7.50000"));
}

#[test]
fn invalid_numerals_are_errors() {
    let mut store = Store::new(&Limits::default());
    let long = "1".repeat(41);
    for wrong in ["", "0", "0.00", ".5", "5.", "-1", "1e3", "1.2.3", "٣"] {
        let error = store.multiple(wrong).unwrap_err().to_string();
        assert!(error.ends_with("is not a positive decimal numeral"), "{error}");
    }
    let error = store.multiple(&long).unwrap_err().to_string();
    assert_eq!(
        error,
        "more than 40 digits in a number given for its multiples, here 41 (limit `divisor_digits`)"
    );
    let error = store.multiple("1844674407370955161.6").unwrap_err().to_string();
    let limit = u64::MAX;
    assert_eq!(
        error,
        format!("more than {limit} as a number without its point given for its multiples (limit `divisor`)")
    );
}

#[test]
fn equal_numbers_are_one_language() {
    let mut store = Store::new(&Limits::default());
    assert_eq!(store.multiple("2.5"), store.multiple("002.500"));
    let seven = store.multiple("7").unwrap();
    let after = store.derivative(seven, b'7').unwrap();
    assert_eq!(store.display(seven).to_string(), "<multiple of 7>");
    assert_eq!(store.display(after).to_string(), "<multiple of 7 from 0>");
    let hundredth = store.multiple("0.05").unwrap();
    let point = b"3.0".iter().try_fold(hundredth, |state, &byte| store.derivative(state, byte)).unwrap();
    assert_eq!(store.display(point).to_string(), "<multiple of 0.05 behind 1 places, exponent from -1>");
    let point = b"30.0".iter().try_fold(hundredth, |state, &byte| store.derivative(state, byte)).unwrap();
    assert_eq!(store.display(point).to_string(), "<multiple of 0.05 from 0 with 1 places left>");
}

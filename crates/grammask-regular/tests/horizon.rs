//! Saturation against its definition: no string of the horizon tells the two languages apart, neither by what
//! is in them nor by what can be prolonged.

use std::collections::{BTreeSet, HashSet};

use grammask_regular::analysis::{self, Horizon};
use grammask_regular::{Limits, RegularId, Store};

const ALWAYS_KEPT_BYTES: usize = 2;
const LONG_STRINGS: [&[u8]; 10] = [
    b"aababaab",
    b"-a-a-a-ab-a",
    "aé aéé a".as_bytes(),
    b"ab ab  ab a",
    "éééb".as_bytes(),
    b"b\\u0061aa\\u00e9",
    b"a\\\"a\"",
    "\\ud83d\\ude00a😀".as_bytes(),
    b"0061bababa",
    b"ab-ab-ab-ab-\xC3",
];

/// All strings of the horizon, of bytes that matter.
fn strings() -> BTreeSet<Vec<u8>> {
    let mut all = BTreeSet::from([Vec::new()]);
    for _ in 0..ALWAYS_KEPT_BYTES {
        let longer: Vec<Vec<u8>> = all
            .iter()
            .flat_map(|string| {
                b"ab- \"\\u0\xC3\xA9\xFF".iter().map(|&byte| string.iter().copied().chain([byte]).collect())
            })
            .collect();
        all.extend(longer);
    }
    for text in LONG_STRINGS {
        for start in 0..text.len() {
            all.extend((start..=text.len()).map(|end| text[start..end].to_vec()));
        }
    }
    all
}

/// Whether a string is in a language, and whether it can be prolonged to one that is.
fn seen(store: &mut Store, start: RegularId, string: &[u8]) -> (bool, bool) {
    let end = string.iter().try_fold(start, |state, &byte| store.derivative(state, byte)).unwrap();
    (store.is_nullable(end), end != RegularId::EMPTY)
}

/// States near a start, breadth first.
fn states(store: &mut Store, start: RegularId, most: usize) -> Vec<RegularId> {
    let mut found = vec![start];
    let mut place = 0;
    while let (Some(&state), true) = (found.get(place), found.len() < most) {
        place += 1;
        for byte in *b"ab- \\u0\xC3\xA9\xF0" {
            let next = store.derivative(state, byte).unwrap();
            if next != RegularId::EMPTY && !found.contains(&next) {
                found.push(next);
            }
        }
    }
    found
}

#[test]
fn nothing_in_the_horizon_tells_a_saturated_language_from_its_own() {
    let strings = strings();
    // Each pattern with a length, which may say nothing.
    let cases = [
        ("a{0,40}", "*"),
        ("a{3,4}b", "*"),
        ("(a|b){2,30}-", "*"),
        ("([ab]+-){0,7}a", "*"),
        ("([ab]+ +){0,6}[ab]+", "*"),
        ("([ab]+ +){3,4}[ab]+", "*"),
        ("(a{1,9}b){0,9}", "*"),
        ("(aé| a){5,8}", "*"),
        ("(?s:.){0,9}", "*"),
        ("[ab]+-[ab]+", "{1,11}"),
        ("[ab]*(-a{4}b)?", "{0,12}"),
        ("[ab]*(-a{4}b)?[ab]*", "{0,13}"),
        ("[ab]*(-a{4}b)?[ab]*", "{9,30}"),
        ("[ab]*é[ab]*", "{0,10}"),
        ("([aé]| [aé])*", "{3,11}"),
        ("([^-]|-[^-])*", "{0,14}"),
        ("([ab]+-){0,7}[ab]*", "{0,20}"),
        ("a*b{20}|a*-b*", "{0,16}"),
        ("(ab){0,3}", "*"),
        ("[ab-]*(éa{4}b)?", "{0,17}"),
        ("[ab-]*(éa{4}b)?", "{0,18}"),
        ("([ab-]|\\[)*(éa{4}b)?", "{0,18}"),
    ];
    let mut are_fewer = 0;
    for (pattern, bounds) in cases {
        for is_spelled in [false, true] {
            let mut store = Store::new(&Limits::default());
            let mut horizon = Horizon::new(ALWAYS_KEPT_BYTES as u32, LONG_STRINGS);
            let plain = store.regex(pattern).unwrap();
            let length = store.regex(&format!("(?s:.){bounds}")).unwrap();
            let mut start = store.intersection(&[plain, length]).unwrap();
            if is_spelled {
                let quote = store.literal(b"\"").unwrap();
                start = store.json_text(start).and_then(|text| store.concat(&[text, quote])).unwrap();
            }
            let mut all = HashSet::new();
            let states = states(&mut store, start, 60);
            for &state in &states {
                let saturated = analysis::saturate(&mut store, state, &mut horizon).unwrap();
                all.insert(saturated);
                for string in &strings {
                    assert_eq!(
                        seen(&mut store, saturated, string),
                        seen(&mut store, state, string),
                        "{pattern} & {bounds}, spelled: {is_spelled}: {} for {}, {string:?}",
                        store.display(saturated),
                        store.display(state),
                    );
                }
            }
            are_fewer += usize::from(all.len() < states.len());
            store.check().unwrap();
        }
    }
    // Else nothing would have been compared.
    assert!(are_fewer >= 18, "{are_fewer}");
}

#[test]
fn counters_are_seen_no_further_than_texts_have_what_they_count() {
    let mut store = Store::new(&Limits::default());
    let mut horizon = Horizon::new(2, ["a-a-a-a-a-a", "          "]);
    let mut saturated = |pattern: &str, length: &str| {
        let pattern = store.regex(pattern).unwrap();
        let length = store.regex(&format!("(?s:.){length}")).unwrap();
        let both = store.intersection(&[pattern, length]).unwrap();
        analysis::saturate(&mut store, both, &mut horizon).unwrap()
    };
    assert_eq!(saturated("(a-){0,6}b", "*"), saturated("(a-)*b", "*"));
    assert_ne!(saturated("(a-){0,5}b", "*"), saturated("(a-)*b", "*"));
    assert_eq!(saturated("(a-){9}b", "*"), saturated("(a-){6,}b", "*"));
    // Eleven characters and no more, then up to four to an end.
    assert_eq!(saturated("([a-]*bcd)?[a-]*", "{0,16}"), saturated("([a-]*bcd)?[a-]*", "*"));
    assert_ne!(saturated("([a-]*bcd)?[a-]*", "{0,9}"), saturated("([a-]*bcd)?[a-]*", "*"));
}

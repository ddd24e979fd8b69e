//! Texts of bounded lengths: what their intersections with patterns hold, and where nothing is left to
//! intersect.

use grammask_regular::{Limits, RegularId, Store, analysis};

/// All strings of up to five of some characters, one of them of two bytes.
fn texts() -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..5 {
        last =
            last.iter().flat_map(|text| ["a", "b", "-", "é"].map(|piece| format!("{text}{piece}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn accepts(store: &mut Store, start: RegularId, text: &str) -> bool {
    let end = text.bytes().try_fold(start, |state, byte| store.derivative(state, byte)).unwrap();
    store.is_nullable(end)
}

const PATTERNS: [&str; 16] = [
    "[ab]+",
    "[^-]*",
    "(ab)*",
    "a[ab-]*é",
    "a([ab-]*[ab])?",
    "(a|é)-(a|bb)*",
    "(ab|-é){2,}",
    "[a-b]{2}|é*",
    "(a|b|aé)*",
    "[ab]+-[ab]+",
    "(a|ab|abb)é{0,2}",
    "",
    "(?s:.){1,3}",
    "(?s-u:.)*",
    "a{0,3}b{0,3}",
    "(-[ab]{1,2}){1,2}",
];

const BOUNDS: [&str; 8] = ["{0,0}", "{0,1}", "{1,1}", "{1,3}", "{2,}", "{3,4}", "{4,}", "{0,2}"];

#[test]
fn an_intersection_with_a_length_holds_what_is_so_long() {
    let texts = texts();
    let mut store = Store::new(&Limits::default());
    for pattern in PATTERNS {
        let plain = store.regex(pattern).unwrap();
        for bounds in BOUNDS {
            let length = store.regex(&format!("(?s:.){bounds}")).unwrap();
            let both = store.intersection(&[plain, length]).unwrap();
            let mut some = false;
            for text in &texts {
                let expected = accepts(&mut store, plain, text) && accepts(&mut store, length, text);
                assert_eq!(accepts(&mut store, both, text), expected, "{pattern} & {bounds}: {text:?}");
                some |= expected;
            }
            assert!(!some || !store.is_empty(both).unwrap(), "{pattern} & {bounds}");
        }
    }
    store.check().unwrap();
}

#[test]
fn a_length_moves_into_the_only_counter() {
    let mut store = Store::new(&Limits::default());
    for (pattern, bounds, expected) in [
        ("[a-z]+", "{1,9}", "[a-z]{1,9}"),
        ("[a-z]+", "{0,9}", "[a-z]{1,9}"),
        ("[^/]*", "{3,}", "[^/]{3,}"),
        (".{2,8}", "{4,20}", ".{4,8}"),
        ("(ab)*", "{3,9}", "(ab){2,4}"),
        ("[a-z][a-z0-9]*", "{0,63}", "[a-z][a-z0-9]{0,62}"),
        ("[a-z]([-a-z0-9]*[a-z0-9])?", "{1,63}", "[a-z]([-a-z0-9]{0,61}[a-z0-9])?"),
        ("arn:[^ ]+", "{20,2048}", "arn:[^ ]{16,2044}"),
        ("[0-9]{4}-[0-9]{2}", "{1,10}", "[0-9]{4}-[0-9]{2}"),
    ] {
        let length = store.regex(&format!("(?s:.){bounds}")).unwrap();
        let plain = store.regex(pattern).unwrap();
        let expected = store.regex(expected).unwrap();
        assert_eq!(store.intersection(&[plain, length]), Ok(expected), "{pattern} & {bounds}");
        // Spellings of it, likewise.
        let [plain, length, expected] = [plain, length, expected].map(|text| store.json_text(text).unwrap());
        assert_eq!(store.intersection(&[plain, length]), Ok(expected), "{pattern} & {bounds}");
    }
    let (few, many) = (store.regex("[0-9]{4}").unwrap(), store.regex("(?s:.){5,}").unwrap());
    assert_eq!(store.intersection(&[few, many]), Ok(RegularId::EMPTY));
}

#[test]
fn a_count_is_left_out_only_where_nothing_else_is() {
    let mut store = Store::new(&Default::default());
    let quote = store.literal(b"\"").unwrap();
    let mut left = |patterns: &[&str]| {
        let texts: Vec<_> = patterns.iter().map(|pattern| store.regex(pattern).unwrap()).collect();
        let text = store.intersection(&texts).unwrap();
        let spelled = store.json_text(text).unwrap();
        let lexeme = store.concat(&[spelled, quote]).unwrap();
        let left = analysis::split_length(&mut store, lexeme).unwrap();
        left.map(|(free, characters)| (analysis::short_completion_chars(&store, free), characters))
    };
    // A character that is asked for may be one of a single byte; where none is, as many are counted as the
    // first has bytes.
    let words = "([^ ]+ )*[^ ]+";
    assert_eq!(left(&[words, "(?s:.){0,30}"]), Some((Some(1), 0..=30)));
    assert_eq!(left(&[words, "(?s:.){1,30}"]), Some((Some(1), 1..=30)));
    assert_eq!(left(&["([^ ]+ )*[éàç]x", "(?s:.){1,30}"]), Some((Some(3), 1..=30)));
    assert_eq!(left(&["([^ ]+ )*[é한]x", "(?s:.){1,30}"]), Some((Some(3), 1..=30)));
    assert_eq!(left(&["([^ ]+ )*a{3}(bc|bcd)", "(?s:.){2,30}"]), Some((Some(5), 2..=30)));
    assert_eq!(left(&["([0-9]+ ?)*", "(?s:.){0,30}"]), Some((Some(0), 0..=30)));
    // Characters that are asked for by the count alone.
    assert_eq!(left(&["([0-9]+ ?)*", "(?s:.){1,30}"]), None);
    // Only the count makes it UTF-8.
    assert_eq!(left(&["[^x]*x((?-u:\\xFF)|y{14})", "(?s:.){0,20}"]), None);
    // Two conditions remain, of which a text must be seen to meet both.
    assert_eq!(left(&[words, "[^a]*(b+[^a]+)*", "(?s:.){0,30}"]), Some((None, 0..=30)));
    assert_eq!(left(&[words, "[^b]*(a+[^b]+)*", "(?s:.){0,30}"]), Some((Some(1), 0..=30)));
    assert_eq!(left(&[words]), None);
}

/// Texts of no more characters than the nearest bound are in both languages or in neither; and what is said
/// to be enough is.
#[test]
fn bounds_that_are_far_make_no_difference() {
    let mut store = Store::new(&Limits::default());
    for patterns in [
        &["(a+b){0,3}a?"][..],
        &["(a?b?){1,3}", "[ab]*"],
        &["((ab?){0,4}b){0,3}"],
        &["a{2,4}b{0,3}", "(?s:.){0,5}"],
        &["(a|b{4}){0,4}", "~(b{0,3}a)*"],
        &["(é|a){3,4}b*"],
        &["(ab){0,3}|(ba){0,5}a"],
    ] {
        let texts: Vec<_> = patterns
            .iter()
            .map(|pattern| match pattern.strip_prefix('~') {
                None => store.regex(pattern).unwrap(),
                Some(pattern) => {
                    let other = store.regex(pattern).unwrap();
                    store.complement(other).unwrap()
                }
            })
            .collect();
        let counted = store.intersection(&texts).unwrap();
        let (free, most) = analysis::drop_bounds(&mut store, counted, 3).unwrap().unwrap();
        assert!(free != counted && most >= 3, "{patterns:?}");
        let mut level = vec![(counted, free)];
        for _ in 0..=most {
            for &(counted, free) in &level {
                assert_eq!(store.is_nullable(counted), store.is_nullable(free), "{patterns:?}");
            }
            let mut next = Vec::new();
            for (counted, free) in level {
                for character in ["a", "b", "é", "c"] {
                    let mut behind = (counted, free);
                    for &byte in character.as_bytes() {
                        behind.0 = store.derivative(behind.0, byte).unwrap();
                        behind.1 = store.derivative(behind.1, byte).unwrap();
                    }
                    if !next.contains(&behind) {
                        next.push(behind);
                    }
                }
            }
            level = next;
        }
    }
}

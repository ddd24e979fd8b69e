//! Texts of bounded lengths: what their intersections with patterns hold, and where nothing is left to intersect.

use grammask_regular::{Config, RegularId, Store};

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
    let mut store = Store::new(&Config::default());
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
    let mut store = Store::new(&Config::default());
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
        let left = store.without_length(lexeme).unwrap();
        left.map(|(free, characters)| (store.enough_to_end(free), characters))
    };
    // A character that is asked for may be one of a single byte; where none is, as many are counted as the longest has.
    let words = "([^ ]+ )*[^ ]+";
    assert_eq!(left(&[words, "(?s:.){0,30}"]), Some((Some(1), 0..=30)));
    assert_eq!(left(&[words, "(?s:.){1,30}"]), Some((Some(1), 1..=30)));
    assert_eq!(left(&["([^ ]+ )*[éàç]x", "(?s:.){1,30}"]), Some((Some(3), 1..=30)));
    assert_eq!(left(&["([^ ]+ )*[é한]x", "(?s:.){1,30}"]), Some((Some(4), 1..=30)));
    assert_eq!(left(&["([^ ]+ )*a{3}(bc|bcd)", "(?s:.){2,30}"]), Some((Some(5), 2..=30)));
    assert_eq!(left(&["([0-9]+ ?)*", "(?s:.){0,30}"]), Some((Some(0), 0..=30)));
    // Characters that are asked for by the count alone.
    assert_eq!(left(&["([0-9]+ ?)*", "(?s:.){1,30}"]), None);
    // What is text by the count alone.
    assert_eq!(left(&["[^x]*x((?-u:\\xFF)|y{14})", "(?s:.){0,20}"]), None);
    // Two conditions remain, of which some text need not be short.
    assert_eq!(left(&[words, "[^a]*(b+[^a]+)*", "(?s:.){0,30}"]), Some((None, 0..=30)));
    assert_eq!(left(&[words]), None);
}

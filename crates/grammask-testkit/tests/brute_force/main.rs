//! Compares the oracle with the definition of the language, computed as sets of short strings, without
//! automata, items or productions. Tests every string over a tiny alphabet up to a length.

mod language;
mod membership;
mod strings;

use grammask_syntax::{Config, parse};
use grammask_testkit::random::{Rng, Shape, grammar_text};
use grammask_testkit::{Oracle, OracleError, Verdict, start_of};

use language::Language;
use strings::{Space, strings};

/// Number of further bytes that a string of a terminal may need to end.
const MAX_COMPLETION_BYTES: usize = 3;

/// `z` represents all bytes that random grammars do not use.
const FOUR_BYTES: Space = Space { bytes: b"abcz", length: 3 };
const SIX_LONG: Space = Space { bytes: b"ab", length: 6 };

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
    let is_output = |string: &[u8]| !string.is_empty() && finite.whole.contains(string);
    let has_empty = ast.allows_empty && finite.whole.contains(&[][..]);
    let empty =
        finite.cut.is_empty() && finite.whole.iter().all(Vec::is_empty) && endless.is_empty() && !has_empty;
    let oracle = match Oracle::new(&ast, &start_of(&ast)) {
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
        let expected = if is_output(string) || string.is_empty() && ast.allows_empty {
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

/// Returns continuations of the strings of `space`, with the ends that random patterns may need.
fn longer(space: Space) -> Vec<Vec<u8>> {
    let starts = space.strings().into_iter().filter(|string| string.len() == space.length);
    let mut ends: Vec<Vec<u8>> =
        strings(b"abcz", MAX_COMPLETION_BYTES).into_iter().filter(|end| !end.is_empty()).collect();
    // Bytes that are neither letters nor UTF-8.
    ends.extend([b"!".to_vec(), b"!a".to_vec(), b"!ab".to_vec(), b"\xff".to_vec(), b"\xffb".to_vec()]);
    starts.flat_map(|start| ends.iter().map(move |end| [start.as_slice(), end].concat())).collect()
}

fn check_random(seeds: std::ops::Range<u64>, shape: &Shape, space: Space) {
    let long = longer(space);
    let count = seeds.end - seeds.start;
    let mut compared = 0;
    for seed in seeds {
        let mut text = grammar_text(&mut Rng::new(seed), shape);
        // The strings do not contain the meaning of these characters and operators.
        if ["json!", "multiple!", "atleast!", "below!", "distinct!"].iter().any(|name| text.contains(name)) {
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
    check_random(0..400, &shape, FOUR_BYTES);
}

#[test]
fn grammars_of_texts_and_longer_strings() {
    let shape = Shape { patterns: false, extensions: false, ..Shape::default() };
    check_random(1000..1200, &shape, SIX_LONG);
}

#[test]
fn deep_grammars_of_texts_with_bounds() {
    let shape = Shape { patterns: false, nonterminals: 3, depth: 4, ..Shape::default() };
    check_random(2000..2150, &shape, FOUR_BYTES);
}

#[test]
fn grammars_with_patterns() {
    let shape = Shape { extensions: false, ..Shape::default() };
    check_random(3000..3200, &shape, FOUR_BYTES);
}

#[test]
fn grammars_with_everything() {
    let shape = Shape { empty_output: true, ..Shape::default() };
    check_random(4000..4200, &shape, FOUR_BYTES);
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
        "start ::= multiple!(7) & ~'0';",
    ] {
        assert!(check(text, space, &long), "{text}");
    }
    // Every live prefix has one of these continuations.
    let ends = [&b"0"[..], b"00", b"5", b"1", b"-5", b"e5", b"0e5", b"e1", b"0e1", b"e-5", b"0e-5"];
    let space = Space { bytes: b"025.e-", length: 4 };
    let all = strings(space.bytes, space.length);
    let long: Vec<Vec<u8>> = all
        .iter()
        .flat_map(|start| ends.map(|end| [start, end].concat()))
        .filter(|string| string.len() > 4)
        .collect();
    for text in [
        "start ::= multiple!(1);",
        "start ::= multiple!(0.05);",
        "start ::= multiple!(20) | multiple!(7);",
        "start ::= atleast!(2.5);",
        "start ::= above!(0.05) & atmost!(205);",
        "start ::= below!(0.25) | equal!(50);",
        "start ::= '-' atmost!(20.5) | atleast!(0);",
    ] {
        assert!(check(text, space, &long), "{text}");
    }
}

#[test]
fn chosen_grammars() {
    let long = longer(FOUR_BYTES);
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
        assert_eq!(check(text, FOUR_BYTES, &long), live, "{text}");
    }
}

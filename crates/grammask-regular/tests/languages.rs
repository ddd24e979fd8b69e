//! The language of each construct, on small examples, and inputs that are refused.

mod automaton;

use automaton::explore;
use grammask_regular::{Error, Limits, RegularId, Store};
use std::fmt::Write;

fn store() -> Store {
    Store::new(&Limits::default())
}

fn run(store: &mut Store, start: RegularId, input: &[u8]) -> RegularId {
    input.iter().try_fold(start, |state, &byte| store.derivative(state, byte)).unwrap()
}

#[track_caller]
fn check(store: &mut Store, language: RegularId, accepted: &[&str], live: &[&str], rejected: &[&str]) {
    for (inputs, accepts, lives) in [(accepted, true, true), (live, false, true), (rejected, false, false)] {
        for input in inputs {
            let state = run(store, language, input.as_bytes());
            assert_eq!(store.is_nullable(state), accepts, "{input:?}: {}", store.display(state));
            assert_eq!(state != RegularId::EMPTY, lives, "{input:?}: {}", store.display(state));
        }
    }
}

#[test]
fn an_exception_guards_its_own_span() {
    let mut s = store();
    let text = s.except(&[b"\n\n"], None).unwrap();
    check(&mut s, text, &["x", "\n", "x\ny\n", "\u{e4}"], &[""], &["\n\n", "x\n\ny"]);
    let raw = run(&mut s, text, &[0xFF, 0xC3]);
    assert!(s.is_nullable(raw));
    let short = s.except(&[b"\n\n"], Some(5)).unwrap();
    check(&mut s, short, &["12345", "\n1\n3\n"], &[""], &["123456", "\n\n"]);
    let full = run(&mut s, short, b"12345");
    assert_eq!((full, s.has_nonempty_string(full)), (RegularId::EPSILON, Ok(false)));
    assert_eq!(s.except(&[b"a", b""], None), Ok(RegularId::EMPTY));
    assert_eq!(s.except(&[b"a"], Some(0)), s.except(&[b"a"], None));
    let all: Vec<u8> = (0..=255).collect();
    let all: Vec<&[u8]> = all.chunks(1).collect();
    let nothing = s.except(&all, None).unwrap();
    assert_eq!(s.is_empty(nothing), Ok(true));
    assert_eq!(s.is_empty(short), Ok(false));
}

#[test]
fn without_forbids_every_substring() {
    let mut s = store();
    let ab = s.regex("ab").unwrap();
    let free = s.without_substring(ab).unwrap();
    check(&mut s, free, &["x", "ba", "aaa", "xa"], &[""], &["ab", "xaby"]);
    let nullable = s.regex("a*").unwrap();
    let none = s.without_substring(nullable).unwrap();
    assert_eq!(s.is_empty(none), Ok(true));
    let five = s.regex("[a-z]{1000}").unwrap();
    let free = s.without_substring(five).unwrap();
    let word = "q".repeat(999);
    check(&mut s, free, &[&word, &format!("{word} {word}")], &[""], &[&format!("{word}q")]);
    assert!(s.display(run(&mut s.clone(), free, word.as_bytes())).to_string().len() < 200);
}

#[test]
fn without_few_texts_is_except() {
    let mut s = store();
    let long = "ab".repeat(10_000);
    for (pattern, texts) in [
        ("ab", vec!["ab"]),
        ("(?i:ab)|c{2}", vec!["AB", "Ab", "aB", "ab", "cc"]),
        ("x(yes|no)", vec!["xyes", "xno"]),
        (long.as_str(), vec![long.as_str()]),
    ] {
        let texts: Vec<&[u8]> = texts.into_iter().map(str::as_bytes).collect();
        let one = s.regex(pattern).unwrap();
        assert_eq!(s.without_substring(one), s.except(&texts, None), "{}", &pattern[..2]);
    }
    // Places in a periodic text overlap: as sets of places, each state of this would be as large as the text.
    let one = s.regex(&long).unwrap();
    let free = s.without_substring(one).unwrap();
    let end = run(&mut s, free, &long.as_bytes()[..long.len() - 1]);
    assert_eq!(s.derivative(end, b'b'), Ok(RegularId::EMPTY));
    assert!(s.bytes_used() < 10_000_000, "{}", s.bytes_used());
}

#[test]
fn early_stops_at_the_first_chance() {
    let mut s = store();
    for (pattern, accepted, live, rejected) in [
        ("a*", &["a"][..], &[""][..], &["aa", "b"][..]),
        ("(?s).*\n", &["x\n", "\n"], &["", "x"], &["x\ny"]),
        ("ab|abc|b", &["ab", "b"], &["", "a"], &["abc"]),
        ("a{2,5}|a{4}b", &["aa"], &["a"], &["aaa"]),
    ] {
        let language = s.regex(pattern).unwrap();
        let early = s.shortest_match(language).unwrap();
        check(&mut s, early, accepted, live, rejected);
        let end = run(&mut s, early, accepted[0].as_bytes());
        assert_eq!(end, RegularId::EPSILON, "{pattern}");
    }
    assert_eq!(s.shortest_match(RegularId::EPSILON), Ok(RegularId::EMPTY));
}

#[test]
fn substrings_are_those_of_the_text() {
    let mut s = store();
    let parts = s.substrings("abcbé".as_bytes()).unwrap();
    check(&mut s, parts, &["", "a", "bcb", "cb", "abcbé", "b"], &[], &["bb", "ac", "ca"]);
    let inside = run(&mut s, parts, "bé".as_bytes());
    assert_eq!((inside, s.has_nonempty_string(inside)), (RegularId::EPSILON, Ok(false)));
    assert_eq!(s.substrings(b""), Ok(RegularId::EPSILON));
}

#[test]
fn keys_fall_back_into_the_plain_state() {
    let mut s = store();
    let name = s.regex("[a-z]+").unwrap();
    let plain = run(&mut s, name, b"x");
    let keywords = s.literals([&b"if"[..], b"else", b"elif", b"while", b"for"]).unwrap();
    let others = s.complement(keywords).unwrap();
    let identifier = s.intersection(&[name, others]).unwrap();
    check(&mut s, identifier, &["x", "i", "iff", "elsa", "els"], &["", "if", "for"], &["1", "if-"]);
    for input in ["x", "ix", "elsx", "ifx", "whilst"] {
        assert_eq!(run(&mut s, identifier, input.as_bytes()), plain, "{input}");
    }
    let whole = explore(&mut s, identifier, 100);
    assert_eq!(whole.live_len(), whole.minimal_len());
}

#[test]
fn combinations_that_cannot_end_are_dead_at_once() {
    let mut s = store();
    let combine = |s: &mut Store, patterns: &[&str]| {
        let parts: Vec<RegularId> = patterns.iter().map(|pattern| s.regex(pattern).unwrap()).collect();
        s.intersection(&parts).unwrap()
    };
    let disjoint = combine(&mut s, &["[a-z]+x", "[a-z]+y"]);
    assert_eq!(s.is_empty(disjoint), Ok(true));
    assert_eq!(s.derivative(disjoint, b'a'), Ok(RegularId::EMPTY));
    // Three bytes are left where the date needs four.
    let short = combine(&mut s, &["(?s-u:.{0,8})", r"a*\d{4}-\d{2}"]);
    check(&mut s, short, &["2024-12", "a2024-12"], &["a"], &["aa", "b"]);
    let all = combine(&mut s, &["(?s-u:.*)", "[a-z]+"]);
    assert_eq!(s.regex("[a-z]+"), Ok(all));
    let empty = s.intersection(&[disjoint, all]).unwrap();
    let tail = s.concat(&[all, empty]).unwrap();
    let either = s.union(&[tail, all]).unwrap();
    let next = s.derivative(either, b'q').unwrap();
    assert_eq!(s.regex("[a-z]*"), Ok(next));
}

#[test]
fn a_loop_is_dropped_only_where_it_says_nothing() {
    let mut s = store();
    let [some, any, pairs] = ["[a-z]+", "[a-z]*", "(ab)*"].map(|pattern| s.regex(pattern).unwrap());
    assert_eq!(s.intersection(&[any, pairs]), Ok(pairs));
    let both = s.intersection(&[some, pairs]).unwrap();
    check(&mut s, both, &["ab", "abab"], &["", "a"], &["b"]);
    assert_eq!(s.union(&[any, pairs]), Ok(any));
    assert_eq!(s.union(&[some, pairs]), Ok(any));
}

#[test]
fn counters_join_where_they_can_be_split_in_several_ways() {
    let mut s = store();
    let many = s.regex(r"(\w+\s*){1,5000}").unwrap();
    let end = run(&mut s, many, "word and word ".repeat(30).as_bytes());
    assert!(s.display(end).to_string().len() < 400, "{}", s.display(end));
    let joined = s.regex("x{3,7}y|x{5,9}y").unwrap();
    assert_eq!(s.regex("x{3,9}y"), Ok(joined));
    let apart = s.regex("(x{3,7}|x{9,12})y").unwrap();
    assert_ne!(s.regex("x{3,12}y"), Ok(apart));
}

#[test]
fn a_clone_is_independent() {
    let mut one = store();
    let name = one.regex(r"\w+").unwrap();
    let mut two = one.clone();
    let here = run(&mut one, name, "aé".as_bytes());
    two.literals((0..100).map(|i| &b"abcdefghijabcdefghij"[i % 10..i % 10 + 5])).unwrap();
    let there = run(&mut two, name, "aé".as_bytes());
    assert!(one.is_nullable(here) && two.is_nullable(there));
    one.check().unwrap();
    two.check().unwrap();
}

#[test]
fn unsupported_regex_syntax_is_refused_with_its_offset() {
    let mut table = String::new();
    let mut s = store();
    for pattern in [
        "a^b",
        "a$b",
        "(a|^b)c|d^",
        "a?^b",
        "(^a)*",
        "(a$){2}",
        r"x(a|\bb)y",
        r"a\bb",
        r"a\Bb",
        r"(\ba|b)",
        r"$\ba",
        "(",
        "a{3,2}",
        "[z-a]",
        r"(a)\1",
        "(?=a)",
        r"\p{Nonsense}",
        "a**(",
        "*",
        "(?z)",
        "\\",
    ] {
        let error = s.regex(pattern).unwrap_err();
        assert!(matches!(error, Error::Regex { offset, .. } if offset <= pattern.len()), "{pattern}");
        writeln!(table, "{pattern:12} {error}").unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn word_boundaries_at_the_ends_test_one_character() {
    let mut s = store();
    let word = s.regex(r"\b[-aé ]+\b").unwrap();
    check(&mut s, word, &["a", "é", "a -é"], &["", "a-", "a "], &["-", " a"]);
    let inner = s.regex(r"^\B.*\B$").unwrap();
    check(&mut s, inner, &["", "-", "-a-"], &["-a"], &["a", "é"]);
    assert_eq!(s.regex(r"\b"), Ok(RegularId::EMPTY));
}

/// The states of some lexemes, as they are shown.
#[test]
fn states_are_shown_as_expressions() {
    let mut table = String::new();
    let mut s = store();
    let not_if = {
        let name = s.regex("[a-z]+").unwrap();
        let keyword = s.literal(b"if").unwrap();
        let other = s.complement(keyword).unwrap();
        s.intersection(&[name, other]).unwrap()
    };
    let early = s.regex("(?s-u:.*);").and_then(|a| s.shortest_match(a)).unwrap();
    let words: Vec<String> = (0..20).map(|i| format!("w{i}")).collect();
    let words = s.literals(words.iter().map(String::as_bytes)).unwrap();
    let cases = [
        ("any name but if", not_if, "ifs"),
        ("early", early, "a;"),
        ("number", s.regex("-?[0-9]+(?:\\.[0-9]+)?").unwrap(), "-1.5"),
        ("counted", s.regex("(ab|c){3,5000}").unwrap(), "abca"),
        ("except", s.except(&[b"*/", b"]]>"], Some(9)).unwrap(), "]*"),
        ("substrings", s.substrings(b"banana").unwrap(), "ana"),
        ("words", words, "w1"),
        ("text", s.literal(&[b'x'; 60]).unwrap(), "xxx"),
        ("character", s.regex("[^\"\\\\]*").unwrap(), "é"),
    ];
    for (name, start, input) in cases {
        writeln!(table, "{name}").unwrap();
        let mut state = start;
        writeln!(table, "      {}", s.display(state)).unwrap();
        for &byte in input.as_bytes() {
            state = s.derivative(state, byte).unwrap();
            let end = if s.is_nullable(state) { "   (accepts)" } else { "" };
            writeln!(table, "  {}: {}{end}", byte.escape_ascii(), s.display(state)).unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn intersections_that_take_nothing_away_vanish() {
    let mut s = store();
    let any = s.regex("(?s:.)*").unwrap();
    let some = s.regex("(?s:.)+").unwrap();
    let no_empty = s.complement(RegularId::EPSILON).unwrap();
    for (pattern, non_empty) in [
        ("[a-z]*", "[a-z]+"),
        ("(é|x){0,9}", "(é|x){1,9}"),
        ("(ab)?", "ab"),
        ("|a|bc", "a|bc"),
        ("a+b", "a+b"),
    ] {
        let (language, non_empty) = (s.regex(pattern).unwrap(), s.regex(non_empty).unwrap());
        assert_eq!(s.intersection(&[any, language]), Ok(language), "{pattern}");
        assert_eq!(s.intersection(&[language, no_empty]), Ok(non_empty), "{pattern}");
        assert_eq!(s.intersection(&[no_empty, any, non_empty]), Ok(non_empty), "{pattern}");
        assert_eq!(s.intersection(&[some, non_empty]), Ok(non_empty), "{pattern}");
    }
    assert_eq!(s.intersection(&[RegularId::EPSILON, no_empty]), Ok(RegularId::EMPTY));
    // Strings that are not UTF-8 are excluded.
    let bytes = s.regex("(?-u:[\\x80-\\xFF])*").unwrap();
    let texts = s.intersection(&[any, bytes]).unwrap();
    assert_ne!(texts, bytes);
    assert_eq!(s.derivative(texts, 0xFF), Ok(RegularId::EMPTY));
}

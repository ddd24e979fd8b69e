//! Hostile and huge input: an error or an outcome, never a panic, a hang or an overflow of the stack.

use grammask::{Config, Error, Grammar, Matcher, Outcome, TokenId, Vocabulary};

fn bytes_vocabulary() -> Vocabulary {
    Vocabulary::new((0..=255u8).map(|byte| (TokenId(u32::from(byte)), vec![byte])), []).unwrap()
}

fn compile(text: &str) -> Result<Grammar, Error> {
    Grammar::compile(text, &bytes_vocabulary(), &Config::default())
}

fn matcher(text: &str) -> Matcher {
    compile(text).unwrap_or_else(|error| panic!("{}", error.render(text, "grammar"))).matcher()
}

#[test]
fn deep_nesting_is_ordinary() {
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{", "}"), ("~(", ")"), ("(", ")+"), ("('b'? ", ")"), ("('b' | ", ")*")]
    {
        let text = format!("start ::= 'x' {}'a'{};", open.repeat(100_000), close.repeat(100_000));
        match compile(&text) {
            Ok(grammar) => {
                let mut matcher = grammar.matcher();
                assert!(matcher.accept_bytes(b"x").is_accepted(), "{open}");
                assert!(!matcher.mask().is_empty() || matcher.error().is_some(), "{open}");
            }
            Err(error) => assert!(!error.to_string().is_empty(), "{open}"),
        }
    }
}

#[test]
fn a_literal_of_ten_megabytes_is_ordinary() {
    let literal = "abcdefghij".repeat(1 << 20);
    let mut matcher = matcher(&format!("start ::= '{literal}' | 'abcx';"));
    assert_eq!(matcher.mask().iter().collect::<Vec<_>>(), [TokenId(97)]);
    assert_eq!(matcher.accept_bytes(b"abc"), Outcome::Ongoing);
    assert_eq!(matcher.mask().iter().collect::<Vec<_>>(), [TokenId(100), TokenId(120)]);
    assert_eq!(matcher.accept_bytes(&literal.as_bytes()[3..]), Outcome::Finished);
}

#[test]
fn fifty_thousand_alternatives_are_ordinary() {
    let words: Vec<String> = (0..50_000).map(|number| format!("'word {number}' tail")).collect();
    let mut matcher = matcher(&format!("start ::= {}; tail ::= '!' | '?' tail;", words.join(" | ")));
    assert_eq!(matcher.accept_bytes(b"word 49999??"), Outcome::Ongoing);
    assert_eq!(matcher.accept_bytes(b"!"), Outcome::Finished);
}

#[test]
fn automata_of_a_million_states_are_made_lazily() {
    let mut matcher = matcher("start ::= #'(a|b)*a(a|b){20}' '.';");
    for round in 0..2_000u32 {
        let byte = if round.wrapping_mul(2_654_435_761) >> 31 == 0 { b'a' } else { b'b' };
        assert_eq!(matcher.accept_bytes(&[byte]), Outcome::Ongoing);
    }
    assert!(matcher.accept_bytes(b"a").is_accepted());
    assert!(matcher.accept_bytes("b".repeat(20).as_bytes()).is_accepted());
    assert!(matcher.mask().allows(TokenId(u32::from(b'.'))));
}

#[test]
fn twenty_optionals_stay_small() {
    let mut matcher = matcher(&format!("start ::= {} 'y';", "#'x0'? ".repeat(20)));
    assert!(matcher.accept_bytes("x0".repeat(20).as_bytes()).is_accepted());
    assert_eq!(matcher.accept_bytes(b"x"), Outcome::Rejected);
    assert_eq!(matcher.accept_bytes(b"y"), Outcome::Finished);
}

#[test]
fn large_counters_are_not_unrolled() {
    let mut letters = matcher("start ::= #'[a-z]{0,100000}' ';';");
    assert!(letters.accept_bytes(&[b'q'; 100_000]).is_accepted());
    assert_eq!(letters.mask().iter().collect::<Vec<_>>(), [TokenId(u32::from(b';'))]);
    let mut items = matcher("start ::= (item ','){3,1000000000} '.'; item ::= 'a' | '(' item ')';");
    assert!(items.accept_bytes(b"a,(a),").is_accepted());
    assert!(!items.mask().allows(TokenId(u32::from(b'.'))));
    assert!(items.accept_bytes(b"((a)),").is_accepted());
    assert!(items.mask().allows(TokenId(u32::from(b'.'))));
}

#[test]
fn excessive_ambiguity_is_a_limit_error_and_changes_nothing() {
    let mut config = Config::default();
    config.recognizer.limits.max_items_per_set = 64;
    let grammar =
        Grammar::compile("start ::= E '.'; E ::= E E ['~'] | 'c';", &bytes_vocabulary(), &config).unwrap();
    let mut matcher = grammar.matcher();
    while matcher.accept_bytes(b"c").is_accepted() {}
    let length = matcher.text().len();
    assert!((20..=64).contains(&length), "{length} bytes");
    assert_eq!(matcher.accept_bytes(b"c"), Outcome::LimitExceeded);
    let error = matcher.error().expect("the limit is named").to_string();
    assert!(error.contains("max_items_per_set") && error.contains("64"), "{error}");
    assert!(error.contains(&format!("after {length} bytes")), "{error}");
    assert_eq!((matcher.text().len(), matcher.is_finished()), (length, false));
    matcher.rollback(1).unwrap();
    assert!(matcher.accept_bytes(b".").is_accepted());
}

#[test]
fn four_hundred_ambiguous_characters_are_read() {
    for text in ["start ::= E '.'; E ::= E E | 'c';", "start ::= E '.'; E ::= E E ['~'] | 'c';"] {
        let mut matcher = matcher(text);
        for _ in 0..400 {
            assert_eq!(matcher.accept_bytes(b"c"), Outcome::Ongoing);
        }
        assert_eq!(matcher.accept_bytes(b"."), Outcome::Finished);
    }
}

#[test]
fn work_per_ambiguous_character_grows_quadratically_at_most() {
    // Counted work is equal on every machine. Each prefix is completed once, and notifies its callers, one
    // for each character before it. The sum is half the square, as in any Earley recognizer.
    let read = |work: usize| {
        let mut config = Config::default();
        config.recognizer.limits.max_work_per_byte = work;
        let text = "start ::= E '.'; E ::= E E ['~'] | 'c';";
        let mut matcher = Grammar::compile(text, &bytes_vocabulary(), &config).unwrap().matcher();
        while matcher.accept_bytes(b"c").is_accepted() {}
        matcher.len()
    };
    assert!(read(1_000) >= 40 && read(4_000) >= 80 && read(100_000) >= 400);
}

#[test]
fn recursion_of_every_kind_goes_a_hundred_thousand_deep() {
    for text in [
        "start ::= start 'a' | 'a';",
        "start ::= 'a' start | 'a';",
        "start ::= A 'a' | 'a'; A ::= B; B ::= start | start;",
        "start ::= 'a' A | 'a'; A ::= start;",
        "start ::= ('a'?)* 'a';",
    ] {
        let mut matcher = matcher(text);
        assert!(matcher.accept_bytes(&[b'a'; 100_000]).is_accepted(), "{text}");
        assert!(matcher.is_complete(), "{text}");
    }
    let mut nested = matcher("start ::= '(' start ')' | 'x';");
    assert_eq!(nested.accept_bytes(&[b'('; 100_000]), Outcome::Ongoing);
    assert_eq!(nested.accept_bytes(b"x"), Outcome::Ongoing);
    assert_eq!(nested.accept_bytes(&[b')'; 100_001]), Outcome::Rejected);
    assert_eq!(nested.accept_bytes(&[b')'; 100_000]), Outcome::Finished);
}

#[test]
fn rules_without_meaning_are_errors() {
    for (text, word) in [
        ("", "start"),
        ("start ::= ;", "''"),
        ("start ::= start;", "empty"),
        ("start ::= A; A ::= B; B ::= A;", "empty"),
        ("start ::= A 'x'; A ::= A 'y';", "empty"),
        ("start ::= '';", "empty"),
        ("start ::= other;", "undefined"),
        ("start ::= #'(';", "regex"),
        ("start ::= #'a' & #'b';", "empty"),
        ("start ::= <|absent|>;", "<|absent|>"),
        ("start ::= <[7]>;", "<[7]>"),
    ] {
        let error = compile(text).err().unwrap_or_else(|| panic!("{text} compiles"));
        let rendered = error.render(text, "grammar");
        assert!(rendered.contains(word), "{text}:\n{rendered}");
    }
}

#[test]
fn tokens_out_of_range_are_rejected() {
    let mut matcher = matcher("start ::= 'ab';");
    for id in [256, 1 << 20, u32::MAX] {
        assert_eq!(matcher.accept(TokenId(id)), Outcome::Rejected);
        assert_eq!(matcher.validate(&[TokenId(id)]), 0);
    }
    let ends = Config::default().ending_with([TokenId(u32::MAX)]);
    assert!(Grammar::compile("start ::= 'ab';", &bytes_vocabulary(), &ends).is_err());
}

#[test]
fn any_bytes_may_be_a_text() {
    let mut state = 7u64;
    let mut matcher = matcher("start ::= #'\\\\p{L}+' (' ' #'\\\\p{L}+')* '.' | #ex'ab' 'b';");
    for _ in 0..20_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let bytes = &state.to_be_bytes()[..(state >> 60) as usize % 8];
        let before = (matcher.text().to_vec(), matcher.state());
        if !matcher.accept_bytes(bytes).is_accepted() {
            assert_eq!((matcher.text().to_vec(), matcher.state()), before);
        }
        if matcher.is_finished() || matcher.len() > 200 {
            matcher.reset();
        }
    }
}

//! The contract of the matcher, method by method: results of calls, and refused calls that change nothing.

use std::fmt::Debug;

use grammask::{Config, Grammar, Matcher, Outcome, RollbackError, State, TokenId, Vocabulary};

const NESTED: &str = "start ::= '(' start ')' | 'x';";
/// By id. 7 and 8 have the same bytes, 9 has none, 10 is a gap, 11 comes after the gap.
const TOKENS: [&str; 10] = ["(", ")", "x", "((", "x)", "))", "(x", "q", "q", ""];

fn vocabulary() -> Vocabulary {
    let tokens = (0..).zip(TOKENS).map(|(id, text)| (TokenId(id), text.as_bytes().to_vec()));
    let tokens = tokens.chain([(TokenId(11), b"())".to_vec()), (TokenId(40), b"(".to_vec())]);
    Vocabulary::new(tokens, [(TokenId(41), "<|special|>".to_owned())]).unwrap()
}

fn matcher(grammar: &str) -> Matcher {
    Grammar::compile(grammar, &vocabulary(), &Config::default()).unwrap().matcher()
}

fn after(grammar: &str, text: &str) -> Matcher {
    let mut matcher = matcher(grammar);
    assert!(matcher.accept_bytes(text.as_bytes()).is_accepted(), "{grammar} refuses {text:?}");
    matcher
}

fn allowed(matcher: &mut Matcher) -> Vec<u32> {
    matcher.mask().iter().map(|id| id.0).collect()
}

/// All that can be seen of a matcher.
#[derive(Debug, PartialEq)]
struct Picture {
    state: State,
    mask: Vec<u32>,
    text: Vec<u8>,
    length: usize,
    complete: bool,
    finished: bool,
    stuck: bool,
    forced: Vec<u8>,
}

fn picture(matcher: &mut Matcher) -> Picture {
    Picture {
        mask: allowed(matcher),
        stuck: matcher.is_stuck(),
        forced: matcher.forced_bytes(),
        state: matcher.state(),
        text: matcher.text().to_vec(),
        length: matcher.len(),
        complete: matcher.is_complete(),
        finished: matcher.is_finished(),
    }
}

#[track_caller]
fn changes_nothing<T: Debug>(matcher: &mut Matcher, call: impl FnOnce(&mut Matcher) -> T) -> T {
    let before = picture(matcher);
    let result = call(matcher);
    assert_eq!(before, picture(matcher), "{result:?}");
    result
}

#[test]
fn the_mask_contains_the_tokens_that_can_be_accepted() {
    let mut matcher = matcher(NESTED);
    assert_eq!(allowed(&mut matcher), [0, 2, 3, 6, 40]);
    for next in [0, 3, 40, 4, 5, 1] {
        for id in 0..100 {
            let allowed = matcher.mask().allows(TokenId(id));
            let outcome = matcher.clone().accept(TokenId(id));
            assert_eq!(allowed, outcome.is_accepted(), "token {id}: {outcome}, {matcher:?}");
        }
        assert!(matcher.accept(TokenId(next)).is_accepted(), "token {next}, {matcher:?}");
    }
    assert!(matcher.is_finished());
    assert_eq!(matcher.text(), b"((((x))))");
}

#[test]
fn a_mask_is_written_with_zeros_after_it() {
    let mut matcher = matcher(NESTED);
    let mut row = [u32::MAX; 4];
    matcher.fill_mask(&mut row).unwrap();
    assert_eq!(row, [0b100_1101, 1 << 8, 0, 0]);
    let mut short = [u32::MAX; 1];
    let error = changes_nothing(&mut matcher, |matcher| matcher.fill_mask(&mut short)).unwrap_err();
    assert_eq!((error.needed, error.given), (2, 1));
    assert_eq!(short, [u32::MAX]);
}

#[test]
fn logits_of_other_tokens_become_negative_infinity() {
    let mut matcher = matcher(NESTED);
    // More logits than ids, fewer than ids, none.
    for length in [50, 42, 5, 0] {
        let mut logits: Vec<f32> = (0..length).map(|id| id as f32 + 0.5).collect();
        matcher.apply(&mut logits);
        for (id, logit) in logits.into_iter().enumerate() {
            let expected = if [0, 2, 3, 6, 40].contains(&id) { id as f32 + 0.5 } else { f32::NEG_INFINITY };
            assert_eq!(logit, expected, "token {id} of {length}");
        }
    }
}

#[test]
fn tokens_that_are_not_allowed_change_nothing() {
    for text in ["", "(", "((x", "(x)"] {
        let mut matcher = matcher(NESTED);
        if !text.is_empty() {
            assert!(matcher.accept_bytes(text.as_bytes()).is_accepted());
        }
        let mask = allowed(&mut matcher);
        for id in (0..60).chain([u32::MAX]).filter(|id| !mask.contains(id)) {
            let outcome = changes_nothing(&mut matcher, |matcher| matcher.accept(TokenId(id)));
            assert_eq!(outcome, Outcome::Rejected, "token {id} after {text:?}");
        }
    }
}

#[test]
fn bytes_that_are_not_allowed_change_nothing() {
    for text in ["(", "((x"] {
        let mut matcher = after(NESTED, text);
        for refused in ["q", "x))))", "(((q", ")q", "((x)))))", "\u{e9}"] {
            let outcome = changes_nothing(&mut matcher, |matcher| matcher.accept_bytes(refused.as_bytes()));
            assert_eq!(outcome, Outcome::Rejected, "{refused:?} after {text:?}");
        }
    }
}

#[test]
fn bytes_may_end_anywhere_and_count_as_one_token() {
    let mut matcher = matcher("start ::= 'é' 'ß';");
    assert_eq!(matcher.accept_bytes(b"\xc3"), Outcome::Stuck, "no token goes on");
    assert_eq!(matcher.accept_bytes(b"\xa9\xc3"), Outcome::Stuck);
    assert_eq!(matcher.accept_bytes(b"\x9f"), Outcome::Finished);
    assert_eq!((matcher.len(), matcher.text()), (3, "éß".as_bytes()));
    matcher.rollback(2).unwrap();
    assert_eq!((matcher.len(), matcher.text()), (1, &b"\xc3"[..]));
    assert_eq!(matcher.accept_bytes(b"\xa9\xc3\x9f"), Outcome::Finished);
}

#[test]
fn empty_bytes_are_accepted_until_the_end_and_add_nothing() {
    let mut matcher = after(NESTED, "(x");
    let (state, mask) = (matcher.state(), allowed(&mut matcher));
    assert_eq!(matcher.accept_bytes(b""), Outcome::Ongoing);
    assert_eq!((matcher.state(), allowed(&mut matcher), matcher.text()), (state, mask, &b"(x"[..]));
    // A caller who takes back what was accepted, call by call, need not remember which calls had bytes.
    assert_eq!(matcher.len(), 2);
    matcher.rollback(2).unwrap();
    assert_eq!(matcher.text(), b"");
    assert_eq!(matcher.accept_bytes(b""), Outcome::Ongoing);
    assert_eq!(matcher.accept_bytes(b"x"), Outcome::Finished);
    assert_eq!(changes_nothing(&mut matcher, |matcher| matcher.accept_bytes(b"")), Outcome::Rejected);
    let mut stuck = after("start ::= 'é';", "");
    assert_eq!(stuck.accept_bytes(b""), Outcome::Stuck, "no token goes on");
}

#[test]
fn complete_is_not_finished() {
    let mut matcher = matcher("start ::= 'x' 'x'*;");
    assert!(!matcher.is_complete() && !matcher.is_finished());
    assert_eq!(matcher.accept(TokenId(2)), Outcome::Ongoing);
    assert!(matcher.is_complete() && !matcher.is_finished());
    assert_eq!(allowed(&mut matcher), [2]);
}

#[test]
fn a_complete_text_that_cannot_go_on_is_finished() {
    let mut matcher = after(NESTED, "(x");
    assert_eq!(matcher.accept(TokenId(1)), Outcome::Finished);
    assert!(matcher.is_complete() && matcher.is_finished());
    assert!(matcher.mask().is_empty());
    assert_eq!(matcher.forced_bytes(), b"");
    assert_eq!(matcher.validate(&[TokenId(1)]), 0);
    assert!(!matcher.is_stuck());
    let outcomes = changes_nothing(&mut matcher, |m| [m.accept(TokenId(1)), m.accept_bytes(b")")]);
    assert_eq!(outcomes, [Outcome::Rejected; 2]);
}

#[test]
fn rollback_restores_every_earlier_state() {
    let walk = [0, 3, 40, 6, 1, 5, 1];
    let mut matcher = matcher(NESTED);
    let mut pictures = vec![picture(&mut matcher)];
    for id in walk {
        assert!(matcher.accept(TokenId(id)).is_accepted());
        pictures.push(picture(&mut matcher));
    }
    for back in 0..=walk.len() {
        let mut matcher = matcher.clone();
        matcher.rollback(back).unwrap();
        let place = walk.len() - back;
        assert_eq!(picture(&mut matcher), pictures[place], "{back} back");
        for (id, expected) in walk[place..].iter().zip(&pictures[place + 1..]) {
            assert!(matcher.accept(TokenId(*id)).is_accepted());
            assert_eq!(&picture(&mut matcher), expected);
        }
    }
}

#[test]
fn rollback_works_on_a_finished_output() {
    let mut matcher = after(NESTED, "(x");
    let before = picture(&mut matcher);
    assert_eq!(matcher.accept(TokenId(1)), Outcome::Finished);
    matcher.rollback(1).unwrap();
    assert_eq!(picture(&mut matcher), before);
    assert_eq!(matcher.accept(TokenId(1)), Outcome::Finished);
}

#[test]
fn rollback_beyond_the_beginning_is_an_error() {
    let mut matcher = after(NESTED, "((");
    assert_eq!(matcher.accept(TokenId(2)), Outcome::Ongoing);
    for asked in [3, usize::MAX] {
        let result = changes_nothing(&mut matcher, |matcher| matcher.rollback(asked));
        assert_eq!(result, Err(RollbackError::TooMany { asked, accepted: 2 }));
    }
    assert_eq!(changes_nothing(&mut matcher, |matcher| matcher.rollback(0)), Ok(()));
}

#[test]
fn reset_returns_to_the_beginning() {
    let mut fresh = matcher(NESTED);
    let first = picture(&mut fresh);
    for text in ["(", "((x", "(x)"] {
        let mut matcher = fresh.clone();
        assert!(matcher.accept_bytes(text.as_bytes()).is_accepted());
        matcher.reset();
        assert_eq!(picture(&mut matcher), first, "after {text:?}");
        assert!(matcher.is_empty());
        assert!(matcher.rollback(1).is_err());
    }
}

#[test]
fn clones_are_independent() {
    let mut one = after(NESTED, "((");
    let before = picture(&mut one);
    let mut two = one.clone();
    assert_eq!(picture(&mut two), before);
    assert_eq!(two.accept_bytes(b"x))"), Outcome::Finished);
    assert_eq!(picture(&mut one), before);
    two.rollback(2).unwrap();
    assert_eq!((one.len(), two.len()), (1, 0));
    assert_eq!(one.accept(TokenId(2)), Outcome::Ongoing);
    assert_eq!((one.text(), two.text()), (&b"((x"[..], &b""[..]));
}

#[test]
fn forced_bytes_end_at_the_first_choice() {
    let cases = [
        ("start ::= 'abc';", "", "abc"),
        ("start ::= 'abc' ('d' | 'e');", "", "abc"),
        ("start ::= 'abc' 'd'?;", "", "abc"),
        ("start ::= 'abc' <|special|>;", "", "abc"),
        ("start ::= 'ab' ('cd' | 'ce');", "a", "bc"),
        ("start ::= 'a' #'b{3}' 'c' | 'abbbcd';", "", "abbbc"),
        ("start ::= 'a' 'b'* 'c';", "", "a"),
        (NESTED, "(x", ")"),
        (NESTED, "((((x", "))))"),
        ("start ::= 'x' | 'y';", "", ""),
    ];
    for (grammar, text, forced) in cases {
        let mut matcher = matcher(grammar);
        if !text.is_empty() {
            assert!(matcher.accept_bytes(text.as_bytes()).is_accepted());
        }
        let found = matcher.forced_bytes();
        assert_eq!(String::from_utf8_lossy(&found), forced, "{grammar} after {text:?}");
        assert!(found.is_empty() || matcher.accept_bytes(&found).is_accepted(), "{grammar}");
    }
}

#[test]
fn endlessly_forced_bytes_are_cut_off() {
    assert_eq!(matcher("start ::= 'ab' start;").forced_bytes().len(), 1 << 16);
}

#[test]
fn validate_counts_the_tokens_that_can_be_accepted() {
    let cases: [(&str, &[u32], usize); 9] = [
        ("", &[], 0),
        ("", &[0, 0, 2, 1, 1], 5),
        ("", &[0, 0, 2, 1, 1, 1], 5),
        ("", &[0, 3, 7, 2], 2),
        ("", &[0, 9, 2], 1),
        ("", &[0, 10, 2], 1),
        ("", &[0, u32::MAX, 2], 1),
        ("(((x", &[5, 1], 2),
        ("(((x", &[5, 5], 1),
    ];
    for (text, ids, expected) in cases {
        let mut matcher = matcher(NESTED);
        if !text.is_empty() {
            assert!(matcher.accept_bytes(text.as_bytes()).is_accepted());
        }
        let tokens: Vec<_> = ids.iter().copied().map(TokenId).collect();
        let valid = changes_nothing(&mut matcher, |matcher| matcher.validate(&tokens));
        assert_eq!(valid, expected, "{ids:?} after {text:?}");
        let accepted = tokens.iter().take_while(|&&token| matcher.accept(token).is_accepted()).count();
        assert_eq!(accepted, expected, "{ids:?} after {text:?}");
    }
}

#[test]
fn equal_futures_are_equal_states() {
    let list = "start ::= '(' item; item ::= 'x' item | ')';";
    let mut one = after(list, "(");
    let mut two = one.clone();
    assert_eq!(one.state(), two.state());
    for _ in 0..100 {
        assert!(two.accept(TokenId(2)).is_accepted());
    }
    let middle = two.state();
    assert!(two.accept(TokenId(2)).is_accepted());
    assert_eq!(two.state(), middle, "a right-recursive list stays where it is");
    assert!(one.accept_bytes(b"x").is_accepted());
    assert_eq!(one.state(), middle);
    assert!(one.accept(TokenId(1)).is_accepted());
    assert_ne!(one.state(), two.state());
}

#[test]
fn an_exceeded_limit_changes_nothing() {
    let mut config = Config::default();
    config.recognizer.limits.max_items_per_set = 60;
    let grammar =
        Grammar::compile("start ::= E ')'; E ::= E E ['~'] | 'x';", &vocabulary(), &config).unwrap();
    let mut matcher = grammar.matcher();
    let outcome = (0..1000).map(|_| matcher.accept(TokenId(2))).find(|outcome| !outcome.is_accepted());
    assert_eq!(outcome, Some(Outcome::LimitExceeded));
    let error = matcher.error().expect("the limit").clone();
    assert_eq!(error.offset, matcher.text().len());
    assert!(error.to_string().contains("60") && error.to_string().contains("max_items_per_set"), "{error}");
    let outcomes =
        changes_nothing(&mut matcher, |m| [m.accept(TokenId(2)), m.accept_bytes(b"x"), m.accept(TokenId(7))]);
    assert_eq!(outcomes, [Outcome::LimitExceeded, Outcome::LimitExceeded, Outcome::Rejected]);
    let length = matcher.len();
    matcher.rollback(length - 1).unwrap();
    assert_eq!(allowed(&mut matcher), [1, 2, 4]);
    assert_eq!(matcher.error(), None);
    assert_eq!(matcher.accept(TokenId(1)), Outcome::Finished);
}

#[test]
fn outputs_that_nest_deep_end_in_a_limit() {
    let mut config = Config::default();
    (config.recognizer.limits.budget, config.recognizer.limits.max_bytes) = (1 << 16, 1 << 20);
    let vocabulary = Vocabulary::new([(TokenId(0), b"(".to_vec()), (TokenId(1), b")".to_vec())], []).unwrap();
    let nested = Grammar::compile("start ::= '(' start ')' | ')';", &vocabulary, &config).unwrap();
    let flat = Grammar::compile("start ::= '(' start | ')';", &vocabulary, &config).unwrap();
    let write = |grammar: &Grammar| {
        let mut matcher = grammar.matcher();
        let outcome = (0..100_000).map(|_| matcher.accept(TokenId(0))).find(|outcome| !outcome.is_accepted());
        (outcome, matcher)
    };
    let (outcome, matcher) = write(&nested);
    assert_eq!(outcome, Some(Outcome::LimitExceeded));
    let error = matcher.error().unwrap();
    assert_eq!(error.offset, matcher.text().len());
    assert!(error.to_string().contains("1048576") && error.to_string().contains("max_bytes"), "{error}");
    // A long output without nesting takes no more memory.
    assert_eq!(write(&flat).0, None);
}

#[test]
fn a_mask_beyond_a_limit_is_empty_and_an_error() {
    let mut config = Config::default();
    config.recognizer.limits.max_items_per_set = 60;
    let vocabulary =
        Vocabulary::new([(TokenId(0), b"x".to_vec()), (TokenId(1), vec![b'x'; 80])], []).unwrap();
    let grammar = Grammar::compile("start ::= E ')'; E ::= E E ['~'] | 'x';", &vocabulary, &config).unwrap();
    let mut matcher = grammar.matcher();
    assert!(matcher.mask().is_empty());
    assert_eq!(matcher.error().map(|error| error.offset), Some(0));
    assert!(!matcher.is_stuck(), "the limit leaves it unknown");
    assert_eq!(matcher.accept(TokenId(0)), Outcome::Ongoing);
}

#[test]
fn an_ambiguous_grammar_is_walked_once() {
    // Every text over the three letters up to seven, so that every rule may end at every node.
    let mut texts = vec![Vec::new()];
    for from in 0..1093 {
        texts.extend(b"abc".map(|letter| [&texts[from][..], &[letter]].concat()));
    }
    let vocabulary = Vocabulary::new((0..).map(TokenId).zip(texts), []).unwrap();
    let text = "start ::= A start | A 'c'; A ::= A A | start 'b' | 'a' | #'[abc]+';";
    let grammar = Grammar::compile(text, &vocabulary, &Config::default()).unwrap();
    let mut matcher = grammar.matcher();
    for letter in b"abcacbbacb" {
        assert!(matcher.accept_bytes(&[*letter]).is_accepted());
        assert_eq!(matcher.mask().count(), vocabulary.token_count() - 1, "all but the token without bytes");
    }
    let parts = grammar.stats().tables.summaries;
    assert!(parts < 300, "{parts} parts");
}

#[test]
fn handles_can_be_sent_and_shared() {
    fn check<T: Send + Sync + Clone + 'static>() {}
    check::<Grammar>();
    check::<Matcher>();
    check::<Vocabulary>();
}

#[test]
fn threads_share_a_grammar() {
    let grammar = Grammar::compile(NESTED, &vocabulary(), &Config::default()).unwrap();
    let walk = |grammar: &Grammar| {
        let mut matcher = grammar.matcher();
        let mut masks = Vec::new();
        for id in [0, 3, 40, 6, 1, 5, 1] {
            assert!(matcher.accept(TokenId(id)).is_accepted());
            masks.push(allowed(&mut matcher));
        }
        masks
    };
    let expected = walk(&Grammar::compile(NESTED, &vocabulary(), &Config::default()).unwrap());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| walk(&grammar))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), expected);
        }
    });
}

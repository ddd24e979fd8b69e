//! The end of an output: a token may run past the first complete text, and finishes the output then.

use ahash::AHashMap;
use grammask_kbnf::engine_like::AcceptTokenError;
use grammask_kbnf::{AcceptTokenResult, Engine, EngineLike, Token, Vocabulary};

use AcceptTokenResult::{Finished, Ongoing};

type Accepted = Result<AcceptTokenResult, AcceptTokenError>;

const REJECTED: Accepted = Err(AcceptTokenError::Rejected);

fn engine(grammar: &str, tokens: &[&str]) -> Engine {
    let tokens = (0..).zip(tokens).map(|(id, token)| (id, Token(token.as_bytes().into()))).collect();
    let vocabulary = Vocabulary::new(tokens, AHashMap::new()).unwrap();
    Engine::new(grammar, vocabulary).unwrap_or_else(|error| panic!("{grammar}: {error}"))
}

fn allowed(engine: &mut Engine) -> Vec<usize> {
    engine.compute_allowed_token_ids();
    engine.allowed_token_ids_from_last_computation().ones().collect()
}

/// A grammar, a text that is accepted first, and what accepting each of some tokens gives then.
type Case = (&'static str, &'static str, &'static [(&'static str, Accepted)]);

const CASES: &[Case] = &[
    // The complete text `a` is inside of `ab`, whose last byte leads to `abc`.
    (
        "start ::= 'a' | 'abc';",
        "",
        &[
            ("a", Ok(Finished)),
            ("ab", Ok(Finished)),
            ("abc", Ok(Finished)),
            ("ax", REJECTED),
            ("abcd", REJECTED),
        ],
    ),
    // No complete text inside of the token.
    ("start ::= 'abc' 'de';", "", &[("ab", Ok(Ongoing)), ("abcd", Ok(Ongoing)), ("abcde", Ok(Finished))]),
    ("start ::= 'abc' 'de';", "ab", &[("cd", Ok(Ongoing)), ("cde", Ok(Finished)), ("cdex", REJECTED)]),
    // Lists: `a` is complete, `a,` is not.
    ("start ::= 'a' (',' 'a')*;", "", &[("a,", Ok(Finished)), ("a,a", Ok(Finished)), (",a", REJECTED)]),
    // The text was complete only after the first byte of the token, or only after one in the middle.
    (
        "start ::= 'x' ('a' | 'abcd');",
        "x",
        &[("ab", Ok(Finished)), ("abc", Ok(Finished)), ("abcde", REJECTED)],
    ),
    ("start ::= 'ab' | 'abcd';", "", &[("abc", Ok(Finished)), ("a", Ok(Ongoing)), ("abd", REJECTED)]),
    // The empty text is in the language: it finishes nothing.
    ("start ::= ('ab')*;", "", &[("a", Ok(Ongoing)), ("ab", Ok(Finished)), ("aba", Ok(Finished))]),
    ("start ::= ['ab'];", "", &[("a", Ok(Ongoing)), ("aba", REJECTED)]),
    // Left recursion, right recursion, and an operator.
    ("start ::= start 'a' | 'a';", "", &[("aaa", Ok(Finished)), ("ab", REJECTED)]),
    ("start ::= 'a' start | 'b';", "aa", &[("b", Ok(Finished)), ("ab", Ok(Finished))]),
    (
        "start ::= start '+' start | '1';",
        "",
        &[("1+", Ok(Finished)), ("1+1", Ok(Finished)), ("+1", REJECTED)],
    ),
    // Regexes, and characters of several bytes.
    ("start ::= #'[0-9]+';", "", &[("12", Ok(Finished)), ("1a", REJECTED)]),
    ("start ::= 'é' | 'éa';", "", &[("é", Ok(Finished)), ("éa", Ok(Finished)), ("éé", REJECTED)]),
];

#[test]
fn tokens_may_run_past_the_first_complete_text() {
    for &(grammar, before, results) in CASES {
        let tokens: Vec<&str> = results.iter().map(|&(token, _)| token).collect();
        let mut engine = engine(grammar, &tokens);
        if !before.is_empty() {
            assert_eq!(engine.try_accept_new_bytes(before.as_bytes()), Ok(Ongoing), "{grammar}");
        }
        let expected: Vec<usize> = (0..results.len()).filter(|&id| results[id].1.is_ok()).collect();
        assert_eq!(allowed(&mut engine), expected, "{grammar} after {before:?}");
        for (id, &(token, result)) in (0..).zip(results) {
            let mut by_token = engine.clone();
            assert_eq!(by_token.try_accept_new_token(id), result, "{grammar} after {before:?}: {token:?}");
            let mut by_bytes = engine.clone();
            assert_eq!(by_bytes.try_accept_new_bytes(token.as_bytes()), result, "{grammar}: {token:?}");
            for mut engine in [by_token, by_bytes] {
                assert_eq!(engine.is_finished(), result == Ok(Finished));
                let accepted = if result.is_ok() { token } else { "" };
                assert_eq!(engine.matcher().text(), [before, accepted].concat().as_bytes());
                if engine.is_finished() {
                    assert_eq!(allowed(&mut engine), [0_usize; 0]);
                    assert_eq!(engine.try_accept_new_token(id), Err(AcceptTokenError::Finished));
                }
            }
        }
    }
}

#[test]
fn finished_engines_begin_again_after_a_reset() {
    let mut engine = engine("start ::= 'a' | 'abc';", &["a", "ab", "c"]);
    assert_eq!(engine.try_accept_new_token(1), Ok(Finished));
    engine.reset();
    assert!(!engine.is_finished());
    assert_eq!(allowed(&mut engine), [0, 1]);
    assert_eq!(engine.try_accept_new_token(2), REJECTED);
    assert_eq!(engine.try_accept_new_token(0), Ok(Finished));
}

#[test]
fn empty_tokens_are_accepted_and_change_nothing() {
    let mut engine = engine("start ::= ('ab')*;", &["", "ab"]);
    assert_eq!(allowed(&mut engine), [1]);
    assert_eq!(engine.try_accept_new_token(0), Ok(Ongoing));
    assert_eq!(engine.try_accept_new_bytes(b""), Ok(Ongoing));
    assert_eq!((engine.matcher().len(), engine.matcher().text()), (0, &b""[..]));
    assert_eq!(engine.try_accept_new_token(1), Ok(Finished));
    assert_eq!(engine.try_accept_new_token(0), Err(AcceptTokenError::Finished));
}

#[test]
fn updates_with_a_finishing_token_keep_logits_and_ids() {
    let mut engine = engine("start ::= 'a' 'b'*;", &["a", "ab", "b"]);
    engine.compute_allowed_token_ids();
    let mut logits = [0.5; 3];
    assert_eq!(engine.update_logits(1, &mut logits), Ok(Finished));
    assert_eq!(logits, [0.5; 3]);
    assert_eq!(engine.allowed_token_ids_from_last_computation().ones().collect::<Vec<_>>(), [0, 1]);
}

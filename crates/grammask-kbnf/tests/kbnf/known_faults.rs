//! Grammars that the crate `kbnf` misreads, and their right answers with its rule for the end of an output.

use ahash::AHashMap;
use grammask_kbnf::engine::CreateEngineError;
use grammask_kbnf::engine_like::AcceptTokenError;
use grammask_kbnf::{AcceptTokenResult, Engine, EngineLike, Token, Vocabulary};

/// Ids in the order of the list.
fn vocabulary(tokens: &[&str]) -> Vocabulary {
    let tokens = (0..).zip(tokens).map(|(id, token)| (id, Token(token.as_bytes().into()))).collect();
    Vocabulary::new(tokens, AHashMap::new()).unwrap()
}

fn engine(grammar: &str, tokens: &[&str]) -> Engine {
    Engine::new(grammar, vocabulary(tokens)).unwrap_or_else(|error| panic!("{grammar}: {error}"))
}

/// Reads a text byte by byte; gives one letter for each: ongoing, finished, rejected (and that is the end).
fn trace(grammar: &str, text: &str) -> String {
    let mut engine = engine(grammar, &[]);
    let mut trace = String::new();
    for &byte in text.as_bytes() {
        match engine.try_accept_new_bytes(&[byte]) {
            Ok(AcceptTokenResult::Ongoing) => trace.push('O'),
            Ok(AcceptTokenResult::Finished) => trace.push('F'),
            Err(_) => {
                trace.push('R');
                break;
            }
        }
    }
    trace
}

fn allowed<'t>(engine: &mut Engine, tokens: &[&'t str]) -> Vec<&'t str> {
    engine.compute_allowed_token_ids();
    engine.allowed_token_ids_from_last_computation().ones().map(|id| tokens[id]).collect()
}

#[test]
fn texts_byte_by_byte() {
    let cases = [
        // Two rules share a beginning that is a nonterminal.
        ("start::=stmt ';'; stmt::=name '=' name | 'v' name; name::=#'[a-z]+'|'_';", "var=x;", "OOOOOF"),
        // An automaton is left in the middle while another goes on.
        ("start::=T ';'; T::=A 'x'|'a' A; A::=#'[ab]+|a[abc]+'|'qq';", "abac;", "OOOOR"),
        // Cycles of unit rules.
        ("start::='a'|A 'b'; A::=start|'c';", "a", "F"),
        ("start::='a'|A 'b'; A::=start|'c';", "cb", "OF"),
        ("start::=A ';'; A::=B|'a'; B::=A|'b';", "b;", "OF"),
        // A rule that never ends is an alternative that never ends, not one that may end anywhere.
        ("start::='a' S|'a'; S::='x' S;", "a", "F"),
        ("start::='a'X|'b'; X::='a'X|'b';", "ab", "OF"),
        ("start::='a'X|'b'; X::='a'X|'b';", "aaab", "OOOF"),
        // Repetitions of nothing.
        ("start::='a' ('')*;", "a", "F"),
        ("start::=#ex'ab' 'b';", "xab", "OOF"),
        // Comments and blanks in groups.
        ("start::=('a' (* c *) 'b');", "ab", "OF"),
        ("start::=('(') ;", "(", "F"),
        // An exception of bounded length, beyond which only its end is possible.
        (r"start::=except!('\n\n',5)'\n\n';", "abcde\n\n", "OOOOOOF"),
        (r"start::=except!('\n\n',5)'\n\n';", "abcdef", "OOOOOR"),
        // The beginning of a longer sentence is where the output ends.
        ("start::='a'|'abc';", "ab", "FR"),
        ("E::=E'+'E|'E'; start::=E;", "E+", "FR"),
    ];
    for (grammar, text, expected) in cases {
        assert_eq!(trace(grammar, text), expected, "{grammar} on {text:?}");
    }
}

#[test]
fn grammars_without_output_are_refused() {
    for grammar in ["start::=A; A::=B; B::=A;", "start::='';", "start::=start;", "start::=start 'x';"] {
        let error = Engine::new(grammar, vocabulary(&["a"])).unwrap_err();
        assert!(matches!(error, CreateEngineError::EmptyGrammarError), "{grammar}: {error:?}");
    }
}

#[test]
fn first_bytes_of_nullable_parts() {
    let tokens = ["a", "b", "c", "x", ",", ";"];
    assert_eq!(allowed(&mut engine("start::=A 'x'; A::=#'a*'|#'b*';", &tokens), &tokens), ["a", "b", "x"]);
    let substrings = "start::=#substrs'ab' ',' #substrs'cd' ';';";
    assert_eq!(allowed(&mut engine(substrings, &tokens), &tokens), ["a", "b", ","]);
}

#[test]
fn a_token_may_span_a_regex_and_the_text_after_it() {
    for (grammar, tokens) in
        [("start::=#'abc' 'd'|'az';", ["abcd", "abcz"]), ("start::=#ex'b' 'b';", ["ab", "abb"])]
    {
        let mut engine = engine(grammar, &tokens);
        assert_eq!(allowed(&mut engine, &tokens), &tokens[..1], "{grammar}");
        assert_eq!(engine.try_accept_new_token(1), Err(AcceptTokenError::Rejected));
        assert_eq!(engine.try_accept_new_token(0), Ok(AcceptTokenResult::Finished));
    }
}

#[test]
fn a_refused_token_changes_nothing() {
    let tokens = ["a", "b", "bc", "bcd", "bx", "x"];
    let mut engine = engine("start::='abcd';", &tokens);
    assert_eq!(engine.try_accept_new_token(0), Ok(AcceptTokenResult::Ongoing));
    assert_eq!(engine.try_accept_new_token(4), Err(AcceptTokenError::Rejected));
    assert_eq!(allowed(&mut engine, &tokens), ["b", "bc", "bcd"]);
    assert_eq!(engine.try_accept_new_token(3), Ok(AcceptTokenResult::Finished));
}

#[test]
fn a_refused_token_that_closes_too_many_braces_changes_nothing() {
    let tokens = ["{", "}", "}}", "}}?", "}}}}", "}}}}}"];
    let mut engine = engine("start::=('{'start'}')?;", &tokens);
    for _ in 0..4 {
        assert_eq!(engine.try_accept_new_token(0), Ok(AcceptTokenResult::Ongoing));
    }
    let state = engine.matcher().state();
    for refused in [3, 5] {
        assert_eq!(engine.try_accept_new_token(refused), Err(AcceptTokenError::Rejected));
        assert_eq!(engine.matcher().state(), state);
        assert_eq!(engine.matcher().text(), b"{{{{");
    }
    assert_eq!(allowed(&mut engine, &tokens), ["{", "}", "}}", "}}}}"]);
    assert_eq!(engine.try_accept_new_token(4), Ok(AcceptTokenResult::Finished));
}

#[test]
fn many_optional_parts_stay_small() {
    let options: String = (0..20).map(|n| format!("#'x{n}'? ")).collect();
    let mut engine = engine(&format!("start ::= {options}';';"), &[]);
    assert_eq!(engine.try_accept_new_bytes(b"x3x7x19"), Ok(AcceptTokenResult::Ongoing));
    assert_eq!(engine.try_accept_new_bytes(b"x2"), Err(AcceptTokenError::Rejected));
    assert_eq!(engine.try_accept_new_bytes(b";"), Ok(AcceptTokenResult::Finished));
    let nodes = engine.matcher().grammar().stats().tables.sets;
    assert!(nodes < 200, "{nodes} sets");
}

#[test]
fn ambiguous_outputs_stay_fast() {
    let mut engine = engine("E::=E E|'c'; start::=E '.';", &["c", "."]);
    for _ in 0..400 {
        assert_eq!(engine.try_accept_new_token(0), Ok(AcceptTokenResult::Ongoing));
    }
    assert_eq!(engine.try_accept_new_token(1), Ok(AcceptTokenResult::Finished));
}

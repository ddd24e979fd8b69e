//! Masks through the public API: special tokens, endings, forced bytes, and the errors of binding to a
//! vocabulary.

use std::sync::Arc;

use grammask_earley::{Network, Recognizer};
use grammask_mask::{
    BindError, BindErrors, Ending, Lexicon, LexiconConfig, Limit, Limits, Masks, Prefetch, Scratch,
};
use grammask_regular::Store;
use grammask_trie::{TokenId, Vocabulary};

const WORDS: [&str; 9] = ["a", "b", "ab", "abc", "ca", "c", "é", "b;", "\""];
const END: TokenId = TokenId(20);
const CALL: TokenId = TokenId(21);

fn bind(grammar: &str, ending: &Ending) -> Result<Masks, BindErrors> {
    bind_within(grammar, ending, Limits::default())
}

fn bind_within(grammar: &str, ending: &Ending, limits: Limits) -> Result<Masks, BindErrors> {
    let ast = grammask_syntax::parse(grammar, &Default::default()).unwrap();
    let mut store = Store::new(&Default::default());
    let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    let network = Network::build(&normal, store, &Default::default()).unwrap();
    let tokens = WORDS.iter().enumerate().map(|(id, word)| (TokenId(id as u32), word.as_bytes().to_vec()));
    let specials = [(END, "<|end|>".into()), (CALL, "<|call|>".into())];
    let vocabulary = Arc::new(Vocabulary::new(tokens, specials, &Default::default()).unwrap());
    Masks::new(
        Recognizer::new(Arc::new(network), &Default::default()),
        Arc::new(Lexicon::new(vocabulary, &LexiconConfig::default())),
        ending,
        &limits.into(),
    )
}

/// Returns the texts of the tokens that are allowed after `text`.
fn allowed(masks: &Masks, text: &str) -> Vec<String> {
    let state = masks.step_bytes(masks.recognizer().initial(), text.as_bytes()).unwrap();
    let mut scratch = Scratch::new(masks.vocabulary().id_count());
    let mask = masks.mask(state, &mut scratch).unwrap();
    let name = |id: TokenId| match masks.vocabulary().bytes(id) {
        Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        None => masks.vocabulary().special_name(id).unwrap().to_owned(),
    };
    mask.iter().map(name).collect()
}

#[test]
fn tokens_that_end_a_text_are_allowed_exactly_where_it_is_complete() {
    let masks = bind("start ::= 'a' 'b'* 'c'?;", &Ending::EndOfSequence(vec![END])).unwrap();
    assert_eq!(allowed(&masks, ""), ["a", "ab", "abc"]);
    assert_eq!(allowed(&masks, "a"), ["b", "c", "<|end|>"]);
    assert_eq!(allowed(&masks, "abc"), ["<|end|>"]);
}

#[test]
fn an_ending_beyond_the_limit_is_refused() {
    let limits = |max_end_tokens| Limits { max_end_tokens, ..Limits::default() };
    let ending = Ending::EndOfSequence(vec![END, CALL, END]);
    assert!(bind_within("start ::= 'a';", &ending, limits(2)).is_ok(), "tokens are counted once");
    let errors = bind_within("start ::= 'a';", &ending, limits(1)).map(|_| ()).unwrap_err();
    assert_eq!(
        errors.to_string(),
        "the ending has 2 tokens that end a text, more than 1 (limit `max_end_tokens`)"
    );
    let [BindError::Limit(exceeded)] = errors.as_slice() else { panic!("{errors}") };
    assert_eq!((exceeded.limit, exceeded.value, exceeded.found), (Limit::MaxEndTokens, 1, Some(2)));
}

#[test]
fn forced_bytes_end_at_the_limit_on_items() {
    let forced = |limits| {
        let masks =
            bind_within("start ::= 'abcabc' 'a' | 'abcabc' 'b';", &Ending::default(), limits).unwrap();
        let mut forced = Vec::new();
        masks.forced_bytes(masks.recognizer().initial(), 100, &mut forced).unwrap();
        forced
    };
    assert_eq!(forced(Limits::default()), b"abcabc");
    assert_eq!(forced(Limits { max_forced_items: 0, ..Limits::default() }), b"a");
}

#[test]
fn special_tokens_are_allowed_where_the_grammar_names_them() {
    let masks = bind("start ::= 'a' (<|call|> | <[20]>) 'b' ;", &Ending::default()).unwrap();
    assert_eq!(allowed(&masks, "a"), ["<|end|>", "<|call|>"]);
    let after = masks.step(masks.step(masks.recognizer().initial(), TokenId(0)).unwrap(), CALL).unwrap();
    assert!(masks.step(after, TokenId(1)).unwrap().completes());
}

#[test]
fn a_special_token_may_be_named_in_two_ways() {
    let masks =
        bind("start ::= <|call|> 'a' | <[21]> 'b' | <[21]> <|call|> 'c';", &Ending::default()).unwrap();
    let one = masks.step(masks.recognizer().initial(), CALL).unwrap();
    assert!(masks.step(one, TokenId(0)).unwrap().completes());
    assert!(masks.step(one, TokenId(1)).unwrap().completes());
    assert!(masks.step(masks.step(one, CALL).unwrap(), TokenId(5)).unwrap().completes());
}

#[test]
fn an_eager_ending_takes_out_what_runs_past_it() {
    let masks = bind("start ::= 'a' | 'abc' | 'ca' start;", &Ending::Eager).unwrap();
    assert_eq!(allowed(&masks, ""), ["a", "ca", "c"]);
    assert_eq!(allowed(&masks, "c"), ["a"]);
}

#[test]
fn a_token_may_end_inside_a_character() {
    let masks = bind("start ::= #'[é-ü]' 'a';", &Ending::default()).unwrap();
    assert_eq!(allowed(&masks, ""), ["é"]);
    assert!(masks.step_bytes(masks.recognizer().initial(), &[0xc3]).unwrap().goes_on());
}

#[test]
fn forced_bytes_end_where_there_is_a_choice_or_an_end() {
    for (grammar, forced) in [
        ("start ::= 'abc' ('x' | 'y');", "abc"),
        ("start ::= 'ab' 'c'?;", "ab"),
        ("start ::= 'ab' <|call|>;", "ab"),
        ("start ::= 'a'{5} 'b';", "aaaaab"),
    ] {
        let masks = bind(grammar, &Ending::default()).unwrap();
        let mut bytes = Vec::new();
        masks.forced_bytes(masks.recognizer().initial(), 100, &mut bytes).unwrap();
        assert_eq!(String::from_utf8_lossy(&bytes), forced, "{grammar}");
    }
    let endless = bind("start ::= 'ab' start;", &Ending::default()).unwrap();
    let mut bytes = Vec::new();
    endless.forced_bytes(endless.recognizer().initial(), 5, &mut bytes).unwrap();
    assert_eq!(bytes, b"ababa");
}

/// Each byte has more callers than the byte before it. Without a bound on their sum, 65,536 bytes took
/// seconds and gigabytes.
#[test]
fn forced_bytes_of_ambiguous_texts_are_fewer() {
    let grammar = "start ::= {'ab' | start <|call|>} start | start | start start*;";
    let forced = |masks: &Masks, state| {
        let mut bytes = Vec::new();
        masks.forced_bytes(state, 1 << 16, &mut bytes).unwrap();
        bytes
    };
    let masks = bind(grammar, &Ending::default()).unwrap();
    let bytes = forced(&masks, masks.recognizer().initial());
    assert!((200..20_000).contains(&bytes.len()), "{}", bytes.len());
    assert!(bytes.iter().eq(b"ab".iter().cycle().take(bytes.len())));
    assert!(masks.bytes_used() < 1 << 27, "{}", masks.bytes_used());
    // Cached results do not change the result.
    assert_eq!(forced(&masks, masks.recognizer().initial()), bytes);
}

#[test]
fn names_that_the_vocabulary_does_not_have_are_errors() {
    let unknown = |grammar: &str, ending: &Ending| bind(grammar, ending).err().map(|error| error.to_string());
    let message = unknown("start ::= <|absent|>;", &Ending::default());
    assert_eq!(message.as_deref(), Some("the vocabulary has no special token <|absent|>"));
    let ending = Ending::EndOfSequence(vec![END, TokenId(30)]);
    let message = unknown("start ::= <|absent|> <[20]> <[0]> <|absent|>;", &ending);
    let all = "the vocabulary has no special token <|absent|>; the vocabulary has no special token <[0]>; the vocabulary has no token30, which is to end texts";
    assert_eq!(message.as_deref(), Some(all));
    // Token 0 is an ordinary token.
    let message = unknown("start ::= <[0]>;", &Ending::default());
    assert_eq!(message.as_deref(), Some("the vocabulary has no special token <[0]>"));
    let message = unknown("start ::= 'a';", &Ending::EndOfSequence(vec![TokenId(9)]));
    assert_eq!(message.as_deref(), Some("the vocabulary has no token9, which is to end texts"));
}

#[test]
fn parts_are_shared_between_depths() {
    let masks = bind("start ::= 'a' start 'b' | 'c';", &Ending::default()).unwrap();
    let _ = allowed(&masks, "aaa");
    let before = masks.stats();
    for depth in 4..50 {
        let _ = allowed(&masks, &"a".repeat(depth));
    }
    let after = masks.stats();
    assert!(after.masks >= before.masks + 40);
    assert!(after.summaries <= before.summaries + 3, "{} parts became {}", before.summaries, after.summaries);
}

#[test]
fn looking_ahead_finds_the_first_mask_and_what_lexemes_take() {
    let bind = || {
        let grammar =
            r#"start ::= #'a+' '"' json!('c' | 'ab') '"' #'a+' start | #'b+' '"' json!('b') '"' #'c+';"#;
        bind(grammar, &Ending::default()).unwrap()
    };
    let masks = bind();
    let first = masks.recognizer().initial();
    assert!(!masks.at(first).is_known());
    let (cancelled, not_cancelled) = (Arc::new(true.into()), Arc::new(false.into()));
    let ahead = |cancel| Prefetch { texts: &[b"a"], nodes: 4096, cancel: Some(cancel) };
    masks.prefetch(&ahead(&cancelled)).unwrap();
    let few = masks.lexicon().stats();
    masks.prefetch(&ahead(&not_cancelled)).unwrap();
    assert!(masks.at(first).is_known());
    let more = masks.lexicon().stats();
    assert!(more.lexemes > few.lexemes && more.entries > few.entries, "{few:?}, then {more:?}");
    let fresh = bind();
    for text in ["", "a", "a\"", "a\"a", "a\"c\"", "a\"ab\"a", "bb", "b\"b\"c"] {
        assert_eq!(allowed(&masks, text), allowed(&fresh, text), "after {text}");
    }
}

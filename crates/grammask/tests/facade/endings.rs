//! Endings of outputs, and tokens that the trie does not decide: ending tokens, special tokens, tokens with
//! equal bytes, unknown ids; and outputs that no token can continue.

use grammask::{Config, Ending, Error, Grammar, Matcher, Outcome, TokenId, Vocabulary};

const LIST: &str = "start ::= 'a' (',' 'a')*;";
const A: u32 = 0;
const COMMA: u32 = 1;
const BOTH: u32 = 2;
/// An ordinary token that may end texts: its bytes are also in texts.
const SEMICOLON: u32 = 5;
const EMPTY: u32 = 6;
const END: u32 = 9;
const STOP: u32 = 10;
const A_TWIN: u32 = 64;

fn vocabulary() -> Vocabulary {
    let tokens = [(A, "a"), (COMMA, ","), (BOTH, ",a"), (SEMICOLON, ";"), (EMPTY, ""), (A_TWIN, "a")];
    let special = [(END, "<|end|>"), (STOP, "<|stop|>")];
    Vocabulary::new(
        tokens.map(|(id, text)| (TokenId(id), text.as_bytes().to_vec())),
        special.map(|(id, name)| (TokenId(id), name.to_owned())),
    )
    .unwrap()
}

fn compile(grammar: &str, ending: Ending) -> Result<Grammar, Error> {
    Grammar::compile(grammar, &vocabulary(), &Config { ending, ..Config::default() })
}

fn matcher(grammar: &str, ending: Ending) -> Matcher {
    compile(grammar, ending).unwrap_or_else(|error| panic!("{grammar}: {error}")).matcher()
}

fn ended_by<const N: usize>(ids: [u32; N]) -> Ending {
    Ending::EndOfSequence(ids.map(TokenId).to_vec())
}

/// The mask, which must be what can be accepted, and what `validate` says of each token alone.
#[track_caller]
fn allowed(matcher: &mut Matcher) -> Vec<u32> {
    let mask: Vec<u32> = matcher.mask().iter().map(|id| id.0).collect();
    for id in 0..100 {
        let outcome = matcher.clone().accept(TokenId(id));
        assert_eq!(outcome.is_accepted(), mask.contains(&id), "token {id}: {outcome}, mask {mask:?}");
        assert_eq!(matcher.validate(&[TokenId(id)]), usize::from(mask.contains(&id)), "token {id}");
    }
    mask
}

#[test]
fn without_ending_tokens_a_text_ends_when_nothing_can_follow() {
    let mut matcher = matcher(LIST, ended_by([]));
    assert_eq!(allowed(&mut matcher), [A, A_TWIN]);
    assert_eq!(matcher.accept(TokenId(A_TWIN)), Outcome::Ongoing);
    assert_eq!(allowed(&mut matcher), [COMMA, BOTH]);
    assert_eq!(matcher.accept(TokenId(BOTH)), Outcome::Ongoing);

    let mut matcher = self::matcher("start ::= 'a' | 'a' ',';", ended_by([]));
    assert_eq!(matcher.accept(TokenId(A)), Outcome::Ongoing);
    assert!(matcher.is_complete());
    assert_eq!(matcher.accept(TokenId(COMMA)), Outcome::Finished);
}

#[test]
fn an_ending_token_is_allowed_when_the_text_is_complete() {
    let mut matcher = matcher(LIST, ended_by([END]));
    assert_eq!(allowed(&mut matcher), [A, A_TWIN]);
    assert_eq!(matcher.accept(TokenId(END)), Outcome::Rejected);
    assert_eq!(matcher.accept(TokenId(A)), Outcome::Ongoing);
    assert_eq!(allowed(&mut matcher), [COMMA, BOTH, END]);
    assert_eq!(matcher.accept(TokenId(COMMA)), Outcome::Ongoing);
    assert_eq!(allowed(&mut matcher), [A, A_TWIN]);
    assert_eq!(matcher.accept(TokenId(A)), Outcome::Ongoing);
    assert_eq!(matcher.accept(TokenId(END)), Outcome::Finished);
    assert!(matcher.is_finished() && matcher.is_complete());
    assert_eq!(matcher.text(), b"a,a", "the ending is no text");
    assert_eq!(allowed(&mut matcher), [0_u32; 0]);

    matcher.rollback(1).unwrap();
    assert!(!matcher.is_finished());
    assert_eq!(allowed(&mut matcher), [COMMA, BOTH, END]);
    matcher.rollback(3).unwrap();
    assert_eq!(allowed(&mut matcher), [A, A_TWIN]);
}

#[test]
fn only_ending_tokens_are_allowed_when_nothing_can_follow() {
    let mut matcher = matcher("start ::= 'a';", ended_by([END, STOP]));
    assert_eq!(matcher.accept(TokenId(A)), Outcome::Ongoing, "the output ends with its ending token");
    assert!(matcher.is_complete() && !matcher.is_finished());
    assert_eq!(allowed(&mut matcher), [END, STOP]);
    assert_eq!(matcher.clone().accept(TokenId(STOP)), Outcome::Finished);
    assert_eq!(matcher.accept(TokenId(END)), Outcome::Finished);
    assert_eq!(matcher.accept(TokenId(STOP)), Outcome::Rejected);
}

#[test]
fn an_ending_token_may_have_bytes() {
    // If it cannot end the text, it is not allowed even if the grammar allows its bytes.
    let mut matcher = matcher("start ::= 'a' (';' 'a')*;", ended_by([SEMICOLON]));
    assert_eq!(allowed(&mut matcher), [A, A_TWIN]);
    assert_eq!(matcher.accept(TokenId(A)), Outcome::Ongoing);
    assert_eq!(allowed(&mut matcher), [SEMICOLON]);
    assert_eq!(matcher.clone().accept_bytes(b";"), Outcome::Ongoing);
    assert_eq!(matcher.accept(TokenId(SEMICOLON)), Outcome::Finished);
    assert_eq!(matcher.text(), b"a");

    let mut matcher = self::matcher("start ::= ';' 'a';", ended_by([SEMICOLON]));
    assert_eq!(allowed(&mut matcher), [0_u32; 0]);
    assert!(matcher.is_stuck());
    assert_eq!(matcher.accept_bytes(b";"), Outcome::Ongoing);
}

#[test]
fn an_ending_token_may_have_no_bytes_at_all() {
    let mut matcher = matcher(LIST, ended_by([EMPTY]));
    assert_eq!(allowed(&mut matcher), [A, A_TWIN]);
    assert_eq!(matcher.accept(TokenId(A)), Outcome::Ongoing);
    assert_eq!(allowed(&mut matcher), [COMMA, BOTH, EMPTY]);
    assert_eq!(matcher.accept(TokenId(EMPTY)), Outcome::Finished);
}

#[test]
fn an_ending_token_in_the_middle_of_a_draft_is_its_end() {
    let mut matcher = matcher(LIST, ended_by([END]));
    let draft = [A, BOTH, END, A].map(TokenId);
    assert_eq!(matcher.validate(&draft), 3);
    assert_eq!(matcher.validate(&[A, COMMA, END].map(TokenId)), 2);
    assert!(matcher.is_empty());
}

#[test]
fn ending_tokens_must_be_known() {
    let error = compile(LIST, ended_by([END, 33])).unwrap_err();
    assert!(error.to_string().contains("33"), "{error}");
    assert!(matches!(error, Error::Bind(_)));
}

#[test]
fn eager_outputs_end_at_the_first_complete_text() {
    let mut matcher = matcher("start ::= 'a' {',a'};", Ending::Eager);
    assert_eq!(matcher.accept(TokenId(A)), Outcome::Finished);
    assert_eq!(allowed(&mut matcher), [0_u32; 0]);
    assert_eq!(matcher.accept(TokenId(COMMA)), Outcome::Rejected);
    assert_eq!(matcher.accept_bytes(b",a"), Outcome::Rejected);
}

#[test]
fn no_token_runs_past_an_eager_end() {
    let mut matcher = matcher("start ::= 'a' ',' | 'a' ',a' ';';", Ending::Eager);
    assert_eq!(matcher.accept(TokenId(A)), Outcome::Ongoing);
    assert_eq!(allowed(&mut matcher), [COMMA]);
    assert_eq!(matcher.accept_bytes(b",a"), Outcome::Rejected);
    assert_eq!(matcher.validate(&[COMMA, A, SEMICOLON].map(TokenId)), 1);
    assert_eq!(matcher.accept(TokenId(COMMA)), Outcome::Finished);
}

#[test]
fn special_tokens_are_allowed_if_the_grammar_names_them() {
    for special in ["<|stop|>", "<[10]>"] {
        for ending in [ended_by([]), ended_by([END]), Ending::Eager] {
            let mut matcher = matcher(&format!("start ::= ('a' {special})+ ';';"), ending);
            assert_eq!(matcher.accept(TokenId(STOP)), Outcome::Rejected);
            assert_eq!(matcher.accept(TokenId(A)), Outcome::Ongoing);
            assert_eq!(allowed(&mut matcher), [STOP]);
            assert_eq!(matcher.forced_bytes(), b"");
            assert_eq!(matcher.accept(TokenId(STOP)), Outcome::Ongoing);
            assert_eq!(matcher.text(), b"a", "a special token has no bytes");
            assert_eq!(allowed(&mut matcher), [A, SEMICOLON, A_TWIN]);
            matcher.rollback(1).unwrap();
            assert_eq!(allowed(&mut matcher), [STOP]);
        }
    }
}

#[test]
fn the_name_of_a_special_token_is_not_text() {
    let mut matcher = matcher("start ::= <|stop|> ';';", Ending::Eager);
    assert_eq!(matcher.accept_bytes(b"<|stop|>"), Outcome::Rejected);
    assert_eq!(allowed(&mut matcher), [STOP]);
}

#[test]
fn a_text_may_be_a_special_token_alone() {
    for ending in [ended_by([]), Ending::Eager] {
        let mut matcher = matcher("start ::= <|stop|>;", ending);
        assert_eq!(allowed(&mut matcher), [STOP]);
        assert_eq!(matcher.accept(TokenId(STOP)), Outcome::Finished);
        assert!(matcher.is_complete());
        assert_eq!(matcher.text(), b"");
    }
}

#[test]
fn a_special_token_may_be_an_ending_token() {
    let mut matcher = matcher("start ::= 'a' (<|stop|> 'a')* ';'?;", ended_by([STOP]));
    assert_eq!(allowed(&mut matcher), [A, A_TWIN]);
    assert_eq!(matcher.accept(TokenId(A)), Outcome::Ongoing);
    assert_eq!(allowed(&mut matcher), [SEMICOLON, STOP]);
    assert_eq!(
        matcher.clone().accept(TokenId(STOP)),
        Outcome::Finished,
        "where both are possible, the text ends"
    );

    let mut matcher = self::matcher("start ::= 'a' <|stop|> ';';", ended_by([STOP]));
    assert_eq!(matcher.accept(TokenId(A)), Outcome::Ongoing);
    assert_eq!(allowed(&mut matcher), [STOP]);
    assert_eq!(matcher.accept(TokenId(STOP)), Outcome::Ongoing, "the grammar wants it here");
    assert_eq!(allowed(&mut matcher), [SEMICOLON]);
}

#[test]
fn special_tokens_must_be_known() {
    for (special, shown) in [("<|absent|>", "absent"), ("<[33]>", "33"), ("<[0]>", "0")] {
        let error = compile(&format!("start ::= 'a' {special};"), Ending::Eager).unwrap_err();
        assert!(matches!(error, Error::Bind(_)), "{error:?}");
        assert!(error.to_string().contains(shown), "{error}");
    }
}

#[test]
fn unknown_ids_are_never_allowed() {
    // Every byte is possible, and so is every token that has bytes.
    let mut matcher = matcher("start ::= #'(?s-u:.)*';", ended_by([]));
    assert_eq!(allowed(&mut matcher), [A, COMMA, BOTH, SEMICOLON, A_TWIN]);
    let mut row = [u32::MAX; 5];
    matcher.fill_mask(&mut row).unwrap();
    assert_eq!(row, [0b10_0111, 0, 1, 0, 0]);
}

#[test]
fn a_text_that_no_token_continues_is_stuck() {
    for ending in [ended_by([]), ended_by([END]), Ending::Eager] {
        let mut matcher = matcher("start ::= 'a' ',' 'b';", ending);
        assert!(!matcher.is_stuck());
        assert_eq!(matcher.accept(TokenId(A)), Outcome::Ongoing);
        assert_eq!(matcher.accept(TokenId(COMMA)), Outcome::Stuck);
        assert!(matcher.is_stuck() && !matcher.is_finished() && !matcher.is_complete());
        assert_eq!(allowed(&mut matcher), [0_u32; 0]);
        assert_eq!(matcher.forced_bytes(), b"b");
        assert!(matcher.clone().accept_bytes(b"b").is_accepted());
        matcher.rollback(1).unwrap();
        assert!(!matcher.is_stuck());
    }
}

#[test]
fn a_grammar_that_no_token_begins_is_stuck_from_the_beginning() {
    let mut matcher = matcher("start ::= 'z';", ended_by([END]));
    assert!(matcher.is_stuck() && matcher.mask().is_empty());
}

#[test]
fn a_complete_text_is_stuck_when_only_texts_without_tokens_could_follow() {
    // An ending token can always follow a complete text.
    let mut matcher = matcher("start ::= 'a' 'z'?;", ended_by([END]));
    assert_eq!(matcher.accept(TokenId(A)), Outcome::Ongoing);
    assert!(!matcher.is_stuck());
    assert_eq!(allowed(&mut matcher), [END]);
    // Without one, the output is complete, and not finished: bytes can still follow.
    let mut matcher = self::matcher("start ::= 'a' 'z'?;", ended_by([]));
    assert_eq!(matcher.accept(TokenId(A)), Outcome::Stuck);
    assert!(matcher.is_stuck() && matcher.is_complete() && !matcher.is_finished());
    assert_eq!(matcher.accept_bytes(b"z"), Outcome::Finished);
}

#[test]
fn an_empty_vocabulary_allows_nothing() {
    let vocabulary = Vocabulary::new([], []).unwrap();
    let mut matcher = Grammar::compile(LIST, &vocabulary, &Config::default()).unwrap().matcher();
    assert!(matcher.mask().is_empty());
    assert!(matcher.is_stuck());
    assert_eq!(matcher.accept(TokenId(0)), Outcome::Rejected);
    matcher.fill_mask(&mut []).unwrap();
    let mut logits = [1.0];
    matcher.apply(&mut logits);
    assert_eq!(logits, [f32::NEG_INFINITY]);
    assert_eq!(matcher.accept_bytes(b"a"), Outcome::Stuck);
    assert!(matcher.is_complete());
}

#[test]
fn the_empty_output_may_end_at_once() {
    let grammar = "%start list?; list ::= 'a' (',' 'a')*;";
    let mut list = matcher(grammar, ended_by([END, STOP]));
    assert!(list.is_complete() && !list.is_finished());
    assert_eq!(allowed(&mut list), [A, END, STOP, A_TWIN]);
    assert_eq!(list.accept(TokenId(END)), Outcome::Finished);
    list.rollback(1).unwrap();
    assert_eq!(list.accept(TokenId(A)), Outcome::Ongoing);
    assert_eq!(list.forced_bytes(), b"");
    list.reset();
    assert!(list.is_complete());

    let mut list = matcher(grammar, Ending::default());
    assert!(list.is_complete() && !list.is_finished());
    assert_eq!(allowed(&mut list), [A, A_TWIN]);
}

#[test]
fn the_only_output_may_be_empty() {
    let grammar = "%start nothing?; nothing ::= '';";
    let mut list = matcher(grammar, ended_by([END]));
    assert_eq!(allowed(&mut list), [END]);
    assert_eq!(list.accept(TokenId(END)), Outcome::Finished);
    let mut list = matcher(grammar, Ending::default());
    assert!(list.is_finished() && list.is_complete());
    assert_eq!(allowed(&mut list), [0u32; 0]);
}

#[test]
fn the_eager_ending_excludes_the_empty_output() {
    let text = "%start list?; list ::= 'a'*;";
    let error = compile(text, Ending::Eager).unwrap_err();
    let report = error.render(text, "list.kbnf");
    assert!(
        report.contains("list.kbnf:1:8: error: with the eager ending, the empty output ends"),
        "{report}"
    );
    assert!(compile("%start list; list ::= 'a'*;", Ending::Eager).is_ok());
}

#[test]
fn ends_of_outputs_are_in_no_complement() {
    let grammar = "start ::= special!(~ <|stop|>) 'a' | 'a';";
    assert_eq!(allowed(&mut matcher(grammar, Ending::default())), [A, END, A_TWIN]);
    assert_eq!(allowed(&mut matcher(grammar, ended_by([END]))), [A, A_TWIN]);
    // A complement without tokens is removed like other parts that produce nothing.
    let error = compile("start ::= 'a' special!(~ <|stop|>);", ended_by([END])).unwrap_err();
    assert!(error.is_empty_language(), "{error}");
    assert!(compile("start ::= 'a' special!(~ <|stop|>);", Ending::default()).is_ok());
}

#[test]
fn markers_are_special_tokens_of_the_vocabulary_or_texts() {
    let mut list = matcher("start ::= marker!('<|stop|>') marker!(',a');", Ending::default());
    assert_eq!(allowed(&mut list), [STOP]);
    assert!(list.accept(TokenId(STOP)).is_accepted());
    assert_eq!(allowed(&mut list), [COMMA, BOTH]);
}

#[test]
fn unknown_members_of_sets_are_errors_at_their_place() {
    let text =
        "start ::= special!('<|stopp|>', <[9]>) special!(~ <[64]>) special!(<[0-10]>) special!(<[70-80]>);";
    let report = compile(text, Ending::default()).unwrap_err().render(text, "g");
    for expected in [
        "g:1:11: error: the vocabulary has no special token special!('<|stopp|>')",
        "did you mean \"<|stop|>\"?",
        "g:1:40: error: the vocabulary has no special token <[64]>",
        "token64 is the ordinary token \"a\"",
        "the ids 0 to 10 contain token0, which is an ordinary token",
        "error: the vocabulary has no special token special!(<[70-80]>)",
    ] {
        assert!(report.contains(expected), "{expected}\n{report}");
    }
}

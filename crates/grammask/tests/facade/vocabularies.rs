//! Ends of the vocabulary as the default ending, notes about missing ends, ends of one matcher, and rows
//! wider than the vocabulary.

use grammask::{
    Attributes, Config, Ending, Grammar, GrammarNote, Mask, Outcome, RowTooShort, TokenId, Vocabulary,
};

const A: TokenId = TokenId(0);
const LINE: TokenId = TokenId(1);
const END: TokenId = TokenId(2);
const TURN: TokenId = TokenId(40);

fn vocabulary(special: &[(TokenId, &str)]) -> Vocabulary {
    let tokens = [(A, b"a".to_vec()), (LINE, b"\n".to_vec())];
    let special = special.iter().map(|&(id, name)| (id, name.to_owned()));
    let attributes = Attributes { rows: Some(70), ..Attributes::default() };
    Vocabulary::from_parts(tokens, special, attributes).unwrap()
}

fn named() -> Vocabulary {
    vocabulary(&[(END, "</s>"), (TURN, "<|im_end|>")])
}

fn compile(text: &str, vocabulary: &Vocabulary) -> Grammar {
    Grammar::compile(text, vocabulary, &Config::default()).unwrap()
}

fn ids(mask: &Mask) -> Vec<TokenId> {
    mask.iter().collect()
}

#[test]
fn default_ending_is_that_of_the_vocabulary() {
    let grammar = compile("start ::= 'a'+;", &named());
    assert_eq!(grammar.ending(), Ending::EndOfSequence(vec![END, TURN]));
    assert_eq!(grammar.notes(), []);
    let mut matcher = grammar.matcher();
    assert_eq!(ids(matcher.mask()), [A], "the empty text is not complete");
    assert!(matcher.accept(A).is_accepted());
    assert_eq!(ids(matcher.mask()), [A, END, TURN]);
    let other = named().with_ends([END]).unwrap();
    assert_eq!(compile("start ::= 'a'+;", &other).ending(), Ending::EndOfSequence(vec![END]));
    let none = Config::default().ending_with([]);
    let grammar = Grammar::compile("start ::= 'a'+;", &named(), &none).unwrap();
    assert_eq!(grammar.ending(), Ending::EndOfSequence(vec![]));
}

#[test]
fn ending_without_tokens_is_a_note() {
    let special = [(END, "<|end_of_answer|>"), (TURN, "<|image|>")];
    let grammar = compile("start ::= 'a' | 'aa';", &vocabulary(&special));
    let likely = vec![(END, "<|end_of_answer|>".to_owned())];
    assert_eq!(grammar.notes(), [GrammarNote::NoEndToken { likely }]);
    let mut matcher = grammar.matcher();
    assert!(matcher.accept(A).is_accepted() && matcher.accept(A).is_accepted());
    assert!(matcher.is_complete() && matcher.mask().is_empty());
    let eager = Config { ending: Ending::Eager, ..Config::default() };
    let grammar = Grammar::compile("start ::= 'a';", &vocabulary(&special), &eager).unwrap();
    assert_eq!(grammar.notes(), []);
}

#[test]
fn matchers_may_have_ends_of_their_own() {
    let grammar = compile("start ::= ('a' | '\\n')+;", &named());
    let after = |ends: &[TokenId]| {
        let mut matcher = grammar.matcher_with_ends(ends.iter().copied()).unwrap();
        assert!(matcher.accept(A).is_accepted());
        ids(matcher.mask())
    };
    assert_eq!(after(&[END]), [A, LINE, END]);
    assert_eq!(after(&[TURN, LINE]), [A, LINE, TURN]);
    assert_eq!(after(&[]), [A, LINE]);
    // An ordinary token that ends a text is allowed where the text is complete, and adds nothing to it.
    let mut matcher = grammar.matcher_with_ends([LINE]).unwrap();
    assert_eq!(ids(matcher.mask()), [A]);
    assert_eq!(matcher.accept(LINE), Outcome::Rejected);
    assert!(matcher.accept(A).is_accepted());
    assert_eq!(matcher.accept(LINE), Outcome::Finished);
    assert_eq!((matcher.text(), matcher.len()), (&b"a"[..], 2));
    assert_eq!(matcher.accept(A), Outcome::Rejected);
    matcher.rollback(1).unwrap();
    assert!(!matcher.is_finished() && matcher.accept(A).is_accepted());
    let unknown = grammar.matcher_with_ends([TokenId(9)]).unwrap_err();
    assert!(unknown.to_string().contains('9'), "{unknown}");
    // More sets than are kept: each gives the masks of its ends.
    for round in 0..3 {
        for set in 0..32u32 {
            let ends = [A, LINE, END, TURN].into_iter().enumerate();
            let ends: Vec<TokenId> = ends.filter(|(bit, _)| set >> bit & 1 == 1).map(|(_, id)| id).collect();
            assert_eq!(after_a(&grammar, &ends).contains(&END), ends.contains(&END), "{round} {set}");
        }
    }
}

/// Returns the mask after the bytes of `a`.
fn after_a(grammar: &Grammar, ends: &[TokenId]) -> Vec<TokenId> {
    let mut matcher = grammar.matcher_with_ends(ends.iter().copied()).unwrap();
    assert!(matcher.accept_bytes(b"a").is_accepted());
    ids(matcher.mask())
}

#[test]
fn end_tokens_are_rolled_back_as_others() {
    let mut matcher = compile("start ::= 'a'+;", &named()).matcher();
    assert!(matcher.accept(A).is_accepted());
    assert_eq!(matcher.accept(END), Outcome::Finished);
    assert_eq!((matcher.len(), matcher.text()), (2, &b"a"[..]));
    matcher.rollback(1).unwrap();
    assert_eq!(ids(matcher.mask()), [A, END, TURN]);
    assert_eq!(matcher.accept(TURN), Outcome::Finished);
    matcher.rollback(2).unwrap();
    assert!(matcher.is_empty() && ids(matcher.mask()) == [A]);
}

#[test]
fn rows_may_be_wider_than_the_vocabulary() {
    let vocabulary = named();
    assert_eq!((vocabulary.id_count(), vocabulary.mask_words(), vocabulary.rows()), (41, 2, 70));
    let grammar = compile("start ::= 'a'+;", &vocabulary);
    let mut matcher = grammar.matcher();
    let mut row = [u32::MAX; 3];
    matcher.fill_mask(&mut row).unwrap();
    assert_eq!(row, [1, 0, 0], "bits beyond the vocabulary are cleared");
    let error = matcher.fill_mask(&mut row[..1]).unwrap_err();
    assert_eq!(error, RowTooShort { needed: 2, given: 1 });
    assert_eq!(error.to_string(), "a row of 1 words does not hold a mask of 2 words");
    let mut logits = [0.0; 70];
    matcher.apply(&mut logits);
    assert_eq!(logits.iter().filter(|logit| logit.is_finite()).count(), 1);
}

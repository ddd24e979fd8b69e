//! Grammars that begin after a token or a text: the mask is exact on both sides of it.

use grammask::{Begin, Config, Grammar, Matcher, TokenId, Vocabulary};

const WORDS: [&str; 10] =
    ["yes", "no", "</", "think>", "think>ye", "think>x", "s", "<", "</think>no", "\u{1f600} and\n"];
const THINK: TokenId = TokenId(10);
const SPECIAL: TokenId = TokenId(11);
const END: TokenId = TokenId(12);

fn vocabulary() -> Vocabulary {
    let words = WORDS.iter().zip(0..).map(|(word, id)| (TokenId(id), word.as_bytes().to_vec()));
    let specials = [(THINK, "<|/think|>"), (SPECIAL, "<|other|>"), (END, "<|end|>")];
    Vocabulary::new(words, specials.map(|(id, name)| (id, name.to_owned()))).unwrap()
}

fn matcher(begin: Begin, grammar: &str) -> Matcher {
    let config = Config { begin: Some(begin), ..Config::default() }.ending_with([END]);
    Grammar::compile(grammar, &vocabulary(), &config).unwrap().matcher()
}

fn allowed(matcher: &mut Matcher) -> Vec<u32> {
    matcher.mask().iter().map(|token| token.0).collect()
}

fn accept(matcher: &mut Matcher, tokens: &[u32]) {
    for &token in tokens {
        assert!(matcher.accept(TokenId(token)).is_accepted(), "{token} after {:?}", matcher.text());
    }
}

#[test]
fn everything_but_an_end_is_allowed_before_a_token() {
    let mut matcher = matcher(Begin::Token(THINK), "start ::= 'yes' | 'no';");
    let free: Vec<u32> = (0..=11).collect();
    assert_eq!(allowed(&mut matcher), free);
    accept(&mut matcher, &[0, 8, 11, 5]);
    assert_eq!(allowed(&mut matcher), free);
    assert!(!matcher.is_complete());
    accept(&mut matcher, &[10]);
    assert_eq!(allowed(&mut matcher), [0, 1]);
    accept(&mut matcher, &[1]);
    assert_eq!(allowed(&mut matcher), [12]);
    matcher.rollback(2).unwrap();
    assert_eq!(allowed(&mut matcher), free);
}

#[test]
fn a_text_ends_inside_of_tokens_and_their_rest_is_constrained() {
    let mut matcher = matcher(Begin::Text("</think>".to_owned()), "start ::= 'yes' | 'no';");
    assert_eq!(allowed(&mut matcher), (0..=11).collect::<Vec<_>>());
    accept(&mut matcher, &[7, 2]);
    // `think>x` goes on with a text that is not in the language.
    assert_eq!(allowed(&mut matcher), [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    let mut inside = matcher.clone();
    accept(&mut inside, &[4]);
    assert_eq!(allowed(&mut inside), [6]);
    accept(&mut matcher, &[3]);
    assert_eq!(allowed(&mut matcher), [0, 1]);
}

#[test]
fn only_the_first_occurrence_counts() {
    let mut matcher = matcher(Begin::Text("</think>".to_owned()), "start ::= '</think>no' | 'yes';");
    accept(&mut matcher, &[9, 11, 2, 3, 8]);
    assert!(matcher.is_complete());
    assert_eq!(allowed(&mut matcher), [12]);
}

#[test]
fn a_token_with_bytes_counts_as_its_text() {
    let mut matcher = matcher(Begin::Token(TokenId(3)), "start ::= 'yes';");
    accept(&mut matcher, &[2, 4, 6]);
    assert!(matcher.is_complete());
}

#[test]
fn a_start_symbol_and_a_schema_keep_their_meaning() {
    let config = Config { begin: Some(Begin::Token(THINK)), ..Config::default() };
    let named = config.with_start("begin_after").ending_with([END]);
    let grammar = Grammar::compile("start ::= 'yes'; begin_after ::= 'no';", &vocabulary(), &named).unwrap();
    let mut matcher = grammar.matcher();
    accept(&mut matcher, &[0, 10, 1]);
    assert!(matcher.is_complete());

    let bytes = (0..=255).map(|byte| (TokenId(byte), vec![byte as u8]));
    let vocabulary = Vocabulary::new(bytes, [(TokenId(256), "<|/think|>".to_owned())]).unwrap();
    let config = Config { begin: Some(Begin::Token(TokenId(256))), ..Config::default() };
    let schema = serde_json::json!({"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]});
    let mut matcher = Grammar::from_json_schema(&schema, &vocabulary, &config).unwrap().matcher();
    assert!(matcher.accept_bytes(b"{\"b\": 2} \xff").is_accepted());
    assert!(matcher.accept(TokenId(256)).is_accepted());
    assert!(!matcher.accept_bytes(b"{\"b\" 2}").is_accepted());
    assert!(matcher.accept_bytes(b"{\"a\": 1}").is_accepted());
    assert!(matcher.is_complete());
}

#[test]
fn errors_keep_their_places() {
    let config = Config { begin: Some(Begin::Token(THINK)), ..Config::default() };
    let text = "start ::= 'yes' <|missing|>;";
    let error = Grammar::compile(text, &vocabulary(), &config).unwrap_err();
    let found: Vec<_> = error.diagnostics().iter().map(|found| &text[found.span.range()]).collect();
    assert_eq!(found, ["<|missing|>"]);
}

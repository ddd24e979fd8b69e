//! Forced tokens with a real tokenizer, o200k: a regex that cuts text into words and looks ahead, then byte
//! pair encoding.

use grammask::{Config, Grammar};
use grammask_testkit::random::Rng;

use super::{VOCABULARY, encode};

/// Checks after each token of a text that the forced tokens are the next ones. Returns the numbers of forced
/// tokens and of all tokens.
fn check(grammar: &Grammar, text: &str) -> (usize, usize) {
    let tokens = encode(text.as_bytes());
    let mut matcher = grammar.matcher();
    let mut spared = 0;
    let mut place = 0;
    loop {
        let forced = matcher.forced_tokens(encode).unwrap();
        let rest = &tokens[place..];
        assert!(rest.starts_with(&forced), "{forced:?} in place of {rest:?} after {matcher:?} of {text:?}");
        spared += forced.len();
        let next = if forced.is_empty() { &rest[..rest.len().min(1)] } else { &forced[..] };
        if next.is_empty() {
            return (spared, tokens.len());
        }
        for &token in next {
            assert!(matcher.accept(token).is_accepted());
        }
        place += next.len();
    }
}

fn compile(text: &str) -> Grammar {
    Grammar::compile(text, &VOCABULARY, &Config::default()).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn fixture(grammar: &str, text: &str) {
    check(&compile(grammar), text);
}

#[test]
fn forced_tokens_of_fixtures_equal_the_tokenizer() {
    fixture(
        include_str!("../../../../../fixtures/grammars/json.kbnf"),
        include_str!("../../../../../fixtures/texts/json.txt"),
    );
    fixture(
        include_str!("../../../../../fixtures/grammars/sql.kbnf"),
        include_str!("../../../../../fixtures/texts/sql.txt"),
    );
    fixture(
        include_str!("../../../../../fixtures/grammars/xml.kbnf"),
        include_str!("../../../../../fixtures/texts/xml.txt"),
    );
    fixture(
        include_str!("../../../../../fixtures/grammars/c.kbnf"),
        include_str!("../../../../../fixtures/texts/c.txt"),
    );
}

#[test]
fn the_keys_of_an_object_are_forced() {
    let grammar = compile(
        r#"start ::= '{"first_name": "' name '", "age": ' #'[0-9]+' ', "address": {"street": "' name '", "is_verified": '
        ('true' | 'false') '}, "preferred_languages": [' ('"' name '"' (', "' name '"')*)? '], "comment": null}';
        name ::= #'[^"\\\\\\x00-\\x1f]*';"#,
    );
    let mut rng = Rng::new(7);
    let words = [
        "Ada", " ", "  ", "don't", "we'll", "é", "日本", "17", "x_y", "//", "ABC", "d", "'", "", ".", "{",
        "🦀",
    ];
    let (mut spared, mut all) = (0, 0);
    for _ in 0..40 {
        let mut name = || (0..rng.below(4)).map(|_| *rng.pick(&words)).collect::<String>();
        let (one, two, three, four) = (name(), name(), name(), name());
        let age = 10_usize.pow(rng.below(8) as u32);
        let truth = rng.chance(1, 2);
        let text = format!(
            r#"{{"first_name": "{one}", "age": {age}, "address": {{"street": "{two}", "is_verified": {truth}}}, "preferred_languages": ["{three}", "{four}"], "comment": null}}"#
        );
        let (forced, tokens) = check(&grammar, &text);
        spared += forced;
        all += tokens;
    }
    assert!(spared * 3 > all, "{spared} of {all} tokens are forced");
}

#[test]
fn tokens_of_a_forced_word_do_not_depend_on_the_text_after_it() {
    // Where the tokenizer's regex looks back or ahead: white space, digits, apostrophes, capitals, marks,
    // line ends.
    let pieces = [
        " ", "  ", "   ", "\t", "\n", "\r\n", "a", "b", "don", "'", "'t", "'l", "l", "A", "BC", "1", "23",
        "é", "日", "本", "\u{301}", "/", "//", ".", "\"", "{", "://", "we", "_", "=", " x", "🦀", "\u{a0}",
        "\u{3000}",
    ];
    for seed in 0..250 {
        let mut rng = Rng::new(seed);
        let mut text = |most| (0..1 + rng.below(most)).map(|_| *rng.pick(&pieces)).collect::<String>();
        let word = text(6);
        let ends: Vec<String> = (0..12).map(|_| text(3)).collect();
        let choices: Vec<String> = ends.iter().map(|end| quoted(end)).collect();
        let grammar = compile(&format!("start ::= {} ({});", quoted(&word), choices.join(" | ")));
        for end in &ends {
            check(&grammar, &format!("{word}{end}"));
        }
    }
}

/// A KBNF string.
fn quoted(text: &str) -> String {
    let mut quoted = "'".to_owned();
    for char in text.chars() {
        match char {
            '\'' => quoted += "\\'",
            '\n' => quoted += "\\n",
            '\r' => quoted += "\\r",
            '\t' => quoted += "\\t",
            _ => quoted.push(char),
        }
    }
    quoted + "'"
}

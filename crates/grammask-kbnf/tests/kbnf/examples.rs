//! The examples that the documentation of the crate `kbnf` shows: its grammars, its vocabularies and its
//! results, reached through the names of that crate.

use ahash::AHashMap;
use grammask_kbnf::{self as kbnf, Engine, EngineLike, Token, Vocabulary};
use kbnf::AcceptTokenResult::{Finished, Ongoing};

const FREE_TEXT: &str = r"start ::= except!('\n\n')'\n\n';";

/// Ids that begin at 1 and leave out 3.
fn vocabulary() -> Vocabulary {
    let texts = AHashMap::from_iter(
        [(1, "a"), (2, "hello"), (4, "\n"), (5, "\n\n")].map(|(id, t)| (id, t.to_owned())),
    );
    let tokens = texts.iter().map(|(&id, text)| (id, Token(text.as_bytes().into()))).collect();
    Vocabulary::new(tokens, texts).unwrap()
}

fn allowed(engine: &Engine) -> Vec<usize> {
    engine.allowed_token_ids_from_last_computation().ones().collect()
}

/// The logits of greedy decoding: a logit of 1 for the wanted token, 0 for the others.
fn logits_for(token: usize) -> [f32; 6] {
    let mut logits = [0.0; 6];
    logits[token] = 1.0;
    logits
}

#[test]
fn greedy_decoding_of_free_text_between_fixed_texts() {
    const OUT: f32 = f32::NEG_INFINITY;

    let texts = [(1, "你好"), (2, "hello"), (3, "250"), (4, "\n"), (5, "\n\n")];
    let texts = AHashMap::from_iter(texts.map(|(id, text)| (id, text.to_owned())));
    let mut tokens: AHashMap<u32, Token> =
        texts.iter().map(|(&id, text)| (id, Token(text.as_bytes().into()))).collect();
    // A byte that is no UTF-8, whatever its text says.
    tokens.insert(3, Token([250].into()));
    let vocabulary = Vocabulary::new(tokens, texts).unwrap();
    let mut engine = Engine::new(r#"start ::= "你好"except!('\n\n')'\n\n';"#, vocabulary).unwrap();

    // Each token, and what is left of the logits that want the next one.
    let steps = [
        (1, 3, Ongoing, [OUT, 0.0, 0.0, 1.0, 0.0, 0.0]),
        (3, 4, Ongoing, [OUT, 0.0, 0.0, 0.0, 1.0, 0.0]),
        // The documentation shows OUT for the last token, as versions before 0.4.1 gave. Version 0.5.7 lets
        // the token run past the first complete text.
        (4, 1, Ongoing, [OUT, 1.0, 0.0, 0.0, 0.0, 0.0]),
        (1, 5, Ongoing, [OUT, 0.0, 0.0, 0.0, 0.0, 1.0]),
        (5, 0, Finished, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ];
    for (token, wanted, result, masked) in steps {
        let mut logits = logits_for(wanted);
        assert_eq!(engine.update_logits(token, &mut logits), Ok(result));
        assert_eq!(logits, masked, "after token {token}");
    }
    assert!(engine.is_finished());
}

#[test]
fn ids_allowed_at_the_beginning() {
    let mut engine = Engine::new(FREE_TEXT, vocabulary()).unwrap();
    engine.compute_allowed_token_ids();
    assert_eq!(allowed(&engine), [1, 2, 4, 5]);
    let mut logits = [0.0_f32; 6];
    engine.mask_logits(&mut logits).unwrap();
    assert_eq!(format!("{logits:?}"), "[-inf, 0.0, 0.0, -inf, 0.0, 0.0]");
}

#[test]
fn ids_allowed_after_a_prompt() {
    let mut engine = Engine::new(FREE_TEXT, vocabulary()).unwrap();
    for _ in 0..2 {
        assert_eq!(engine.try_accept_new_token(2), Ok(Ongoing));
    }
    engine.compute_allowed_token_ids();
    assert_eq!(allowed(&engine), [1, 2, 4, 5]);
    let mut logits = [0.0_f32; 6];
    engine.mask_logits(&mut logits).unwrap();
    assert_eq!(format!("{logits:?}"), "[-inf, 0.0, 0.0, -inf, 0.0, 0.0]");
}

#[test]
fn an_engine_serves_several_outputs() {
    let mut engine = Engine::new(FREE_TEXT, vocabulary()).unwrap();
    assert_eq!(engine.try_accept_new_token(2), Ok(Ongoing));
    assert_eq!(engine.try_accept_new_token(5), Ok(Finished));
    engine.compute_allowed_token_ids();
    assert_eq!(allowed(&engine), [0_usize; 0]);
    engine.reset();
    let mut logits = [0.0_f32; 6];
    assert_eq!(engine.update_logits(2, &mut logits), Ok(Ongoing));
    assert_eq!(format!("{logits:?}"), "[-inf, 0.0, 0.0, -inf, 0.0, 0.0]");
}

/// Every byte is a token; what is said of an input holds when it is read byte by byte.
struct Bytes {
    engine: Engine,
}

impl Bytes {
    fn new(grammar: &str) -> Self {
        let tokens = (0..=255).map(|byte| (u32::from(byte), Token([byte].into()))).collect();
        let vocabulary = Vocabulary::new(tokens, AHashMap::new()).unwrap();
        Self { engine: Engine::new(grammar, vocabulary).unwrap_or_else(|error| panic!("{grammar}: {error}")) }
    }

    /// How many bytes are accepted, and whether the engine has finished then. Masks and acceptance must
    /// agree.
    fn read(&mut self, text: &[u8]) -> (usize, bool) {
        self.engine.reset();
        for (place, &byte) in text.iter().enumerate() {
            self.engine.compute_allowed_token_ids();
            let allowed = self.engine.allowed_token_ids_from_last_computation().contains(byte.into());
            let accepted = self.engine.try_accept_new_token(byte.into()).is_ok();
            assert_eq!(allowed, accepted, "byte {place} of {:?}", String::from_utf8_lossy(text));
            if !accepted {
                return (place, self.engine.is_finished());
            }
        }
        (text.len(), self.engine.is_finished())
    }

    #[track_caller]
    fn finishes(&mut self, texts: &[&str]) -> &mut Self {
        for text in texts {
            assert_eq!(self.read(text.as_bytes()), (text.len(), true), "{text:?}");
        }
        self
    }

    #[track_caller]
    fn goes_on(&mut self, texts: &[&str]) -> &mut Self {
        for text in texts {
            assert_eq!(self.read(text.as_bytes()), (text.len(), false), "{text:?}");
        }
        self
    }

    /// The last byte is refused, the others are not.
    #[track_caller]
    fn refuses_the_end_of(&mut self, texts: &[&str]) -> &mut Self {
        for text in texts {
            assert_eq!(self.read(text.as_bytes()).0, text.len() - 1, "{text:?}");
        }
        self
    }
}

#[test]
fn rules() {
    let comment = "(* first *) start ::= \"A\"; (* last *)";
    Bytes::new(comment).finishes(&["A"]).refuses_the_end_of(&["B", "AA"]);
    Bytes::new("start ::= 'A'; start ::= 'B';").finishes(&["A", "B"]).refuses_the_end_of(&["C", "AB"]);
    Bytes::new("start ::= _x_1Y; _x_1Y ::= 'A';").finishes(&["A"]);
}

#[test]
fn texts_and_their_escapes() {
    let grammar = r#"start ::= "\t\n\r\"\'\\" '\t\n\r\"\'\\' '"' "'";"#;
    Bytes::new(grammar).finishes(&["\t\n\r\"'\\\t\n\r\"'\\\"'"]);
}

#[test]
fn juxtaposition() {
    Bytes::new("start ::= 'A' 'B';").finishes(&["AB"]).refuses_the_end_of(&["B", "AA"]);
}

#[test]
fn alternatives() {
    Bytes::new("start ::= 'A' | 'B';").finishes(&["A", "B"]).refuses_the_end_of(&["C"]);
}

#[test]
fn endless_rules() {
    let long = "A".repeat(500);
    Bytes::new("start ::= 'A' start;").goes_on(&["A", "AA", &long]).refuses_the_end_of(&["AAB"]);
    Bytes::new("start ::= 'A' start | 'B' start;").goes_on(&["ABBA", &long]).refuses_the_end_of(&["ABC"]);
}

#[test]
fn groups() {
    Bytes::new("start ::= ('A'|'B') 'C';").finishes(&["AC", "BC"]).refuses_the_end_of(&["C", "AB", "AA"]);
}

#[test]
fn options() {
    // `AB` is in the language, but the output has ended before.
    Bytes::new("start ::= 'A' ['B'];").finishes(&["A"]).refuses_the_end_of(&["AB", "B"]);
    Bytes::new("start ::= 'A'? 'B';").finishes(&["B", "AB"]).refuses_the_end_of(&["AA"]);
}

#[test]
fn balanced_braces() {
    let mut bytes = Bytes::new("start ::= ('{'start'}')?;");
    bytes.finishes(&["{}", "{{}}", "{{{}}}"]).goes_on(&["{", "{{{", "{{{}"]);
    bytes.refuses_the_end_of(&["}", "{}{", "{{}{"]);
}

#[test]
fn repetitions() {
    Bytes::new("start ::= 'A'{'A'};").finishes(&["A"]).refuses_the_end_of(&["AA"]);
    let mut bytes = Bytes::new("start ::= {'A'|'C'} 'B';");
    bytes.finishes(&["B", "AB", "CCACB"]).goes_on(&["CACA"]).refuses_the_end_of(&["AD", "BB"]);
    Bytes::new("start ::= 'A'* 'B';").finishes(&["B", "AAAB"]).refuses_the_end_of(&["AAC"]);
    let mut bytes = Bytes::new("start ::= ('A'|'B')+ 'C';");
    bytes.finishes(&["AC", "BABC"]).goes_on(&["AB"]).refuses_the_end_of(&["C"]);
}

#[test]
fn regexes() {
    for grammar in ["start ::= #'.+A';", "start ::= #'.+' 'A';"] {
        let mut bytes = Bytes::new(grammar);
        bytes
            .finishes(&["xA", "AA", "你A", "xyzA"])
            .goes_on(&["A", "xyz", "你"])
            .refuses_the_end_of(&["\n", "x\n"]);
        assert_eq!(bytes.read(b"x\xff"), (1, false));
    }
}

#[test]
fn exceptions() {
    let mut bytes = Bytes::new(FREE_TEXT);
    bytes.finishes(&["a\n\n", "\n\n\n", "\na\n\n"]).goes_on(&["\n\n", "a\n", "\na\n"]);
    assert_eq!(bytes.read(b"\xff\x80\n\n"), (4, true), "bytes, not characters");
    Bytes::new(r"start ::= #'.*\n\n';").finishes(&["\n\n", "a\n\n"]).refuses_the_end_of(&["\na"]);
}

#[test]
fn exceptions_by_a_nonterminal() {
    let mut bytes = Bytes::new("start ::= except!(C)C; C ::= 'A'|'B';");
    bytes.finishes(&["xA", "xyB", "\nA"]).goes_on(&["x"]).refuses_the_end_of(&["A", "B"]);
}

#[test]
fn exceptions_of_bounded_length() {
    let mut bytes = Bytes::new(r"start ::= except!('\n\n',50)'\n\n';");
    let fifty = "x".repeat(50);
    bytes.finishes(&["a\n\n", &format!("{fifty}\n\n")]).goes_on(&[&fifty, &format!("{fifty}\n")]);
    bytes.refuses_the_end_of(&[&format!("{fifty}x"), &format!("{fifty}\nx")]);
}

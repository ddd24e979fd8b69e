//! Items in any order whose implications cannot be met: masks allow no token that leads there.

use grammask::mask::LexiconTuning;
use grammask::{Config, Error, Grammar, TokenId, Vocabulary};
use serde_json::json;

/// All bytes, and a few words.
fn vocabulary() -> Vocabulary {
    let words = ["ab", "aaaa", "[{", "[{\"", "null"].map(|word| word.as_bytes().to_vec());
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    Vocabulary::new((0..).map(TokenId).zip(bytes.chain(words)), []).unwrap()
}

/// Follows all outputs of up to `depth` tokens. Exactly the tokens of each mask are accepted, and no output
/// is stuck. Returns the number of visited states.
fn follow(grammar: &Grammar, depth: usize) -> usize {
    let vocabulary = grammar.vocabulary().clone();
    let ids: Vec<TokenId> = vocabulary.tokens().map(|(id, _)| id).collect();
    let mut met = 0;
    let mut level = vec![grammar.matcher()];
    for _ in 0..depth {
        let mut next = Vec::new();
        for mut matcher in level {
            met += 1;
            let mask = matcher.mask().clone();
            assert!(
                matcher.is_complete() || mask.iter().next().is_some(),
                "stuck behind {:?}",
                matcher.text()
            );
            for &id in &ids {
                let mut other = matcher.clone();
                let is_accepted = other.accept(id).is_accepted();
                assert_eq!(is_accepted, mask.allows(id), "{id:?} behind {:?}", matcher.text());
                if is_accepted && next.len() < 40 {
                    next.push(other);
                }
            }
        }
        level = next;
    }
    met
}

#[test]
fn items_that_imply_too_many_others_are_never_begun() {
    let text = "start ::= 'x' #' ?' unordered!('a'?, 'b'?; ; {1}; 0 -> 1, 1 -> 0) | 'y';";
    let grammar = Grammar::compile(text, &vocabulary(), &Config::default()).unwrap();
    let mask: Vec<TokenId> = grammar.matcher().mask().iter().collect();
    assert_eq!(mask, [TokenId(b'y'.into())]);
    assert!(follow(&grammar, 3) > 1);
    for bounds in ["{1}", "{0,1}"] {
        let text = format!("start ::= unordered!('a'?, 'b'?; ','; {bounds}; 0 -> 1, 1 -> 0);");
        assert!(Grammar::compile(&text, &vocabulary(), &Config::default()).is_err(), "{text}");
    }
}

#[test]
fn keys_that_imply_too_many_others_are_never_begun() {
    let item = json!({
        "type": "object",
        "properties": { "a": { "type": "null" }, "b": { "type": "null" } },
        "dependentRequired": { "a": ["b"], "b": ["a"] },
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": false,
    });
    let error = Grammar::from_json_schema(&item, &vocabulary(), &Config::default()).unwrap_err();
    assert!(matches!(error, Error::JsonSchema(_)), "{error}");
    let list = json!({ "type": "array", "items": item });
    let grammar = Grammar::from_json_schema(&list, &vocabulary(), &Config::default()).unwrap();
    let mut matcher = grammar.matcher();
    assert!(!matcher.clone().accept_bytes(b"[{").is_accepted());
    assert!(matcher.accept_bytes(b"[]").is_accepted() && matcher.is_complete());
    assert!(follow(&grammar, 4) > 3);
}

#[test]
fn masks_do_not_depend_on_the_length_of_node_lists() {
    let text = "start ::= except!('ab', 5) 'c';";
    let plain = Grammar::compile(text, &vocabulary(), &Config::default()).unwrap();
    for max_listed_nodes in [0, 1, usize::MAX / 8, usize::MAX] {
        let other =
            vocabulary().with_lexicon(&LexiconTuning { max_listed_nodes, ..LexiconTuning::default() }.into());
        let other = Grammar::compile(text, &other, &Config::default()).unwrap();
        let (mut plain, mut other) = (plain.matcher(), other.matcher());
        for &byte in b"xayac" {
            assert_eq!(plain.mask(), other.mask(), "{max_listed_nodes}");
            assert!(plain.accept_bytes(&[byte]).is_accepted() && other.accept_bytes(&[byte]).is_accepted());
        }
        assert_eq!(plain.mask(), other.mask(), "{max_listed_nodes}");
    }
}

//! Distinct texts inside of random grammars. A token is in the mask if and only if its bytes can be read,
//! with shared, tiny or loaded tables, and with every ending. `grammask-mask` tests reading itself against
//! known lists.

use grammask::mask::LexiconTuning;
use grammask::{Config, Ending, Grammar, Matcher, TokenId, Vocabulary};
use grammask_testkit::random::Rng;

use super::{STOP, config, readable};

/// Items that may differ.
const TEXTS: &[&str] = &[
    "'\"' json!(#'[ab]*') '\"'",
    "'\"' json!(~('a' | 'ab') & #'(?s:.){0,9}') '\"'",
    "#'[ab]{1,40}'",
    "#'a+b?'",
    "'\"' json!(#'[ab]{1,90}') '\"' | 'n' | #'[0-9]+'",
    "#'x[ab]{40}|b|ab'",
];

/// Further items.
const OTHER_ITEMS: &[&str] = &["'n'?", "'a'?", "'ab'{1,2}", "('<' list '>')?", "'\"a\"'?", "('[' list ']')*"];

fn grammar(rng: &mut Rng) -> String {
    let list = |rng: &mut Rng| {
        let mut items = vec![format!("distinct!({})", rng.pick(TEXTS))];
        for _ in 0..rng.below(3) {
            let other = *rng.pick(OTHER_ITEMS);
            if rng.chance(1, 2) { items.push(other.to_owned()) } else { items.insert(0, other.to_owned()) }
        }
        let separator = *rng.pick(&["','", "','", "', '", "',' ' '*", "';' | ','"]);
        let bounds = *rng.pick(&["", "; {2,}", "; {0,3}", "; {1,2}", "; {3,5}"]);
        format!("unordered!({}; {separator}{bounds})", items.join(", "))
    };
    match rng.below(4) {
        0 => format!("start ::= '[' list ']'; list ::= {};", list(rng)),
        1 => format!("start ::= list; list ::= '[' ({} | list)? ']';", list(rng)),
        2 => format!("start ::= '[' (list | #'[a-z,\"]+') ']'; list ::= {} | '-';", list(rng)),
        _ => format!("start ::= ('[' list ']')+; list ::= {} | {};", list(rng), list(rng)),
    }
}

/// All bytes, and what texts of such grammars are made of, in pieces of several lengths.
fn words(rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    let pieces = [
        "\"", "a", "b", "ab", ",", ", ", "]", "[", "n", "\\u0061", "\\u00", "62", "\",\"", "a\",\"", "1",
        ";", "aaaa", "x",
    ];
    for _ in 0..600 {
        let word: Vec<&str> = (0..1 + rng.below(6)).map(|_| *rng.pick(&pieces)).collect();
        words.push(word.concat().into_bytes());
    }
    words.push([b'x'].into_iter().chain([b'a'; 40]).collect());
    words.push(b"bbbbbbbbbbbbbbbb".to_vec());
    words
}

#[test]
fn special_tokens_are_not_part_of_a_text() {
    let tokens = ["[", "]", ",", "a", "b", "a,"].map(|word| word.as_bytes().to_vec());
    let vocabulary =
        Vocabulary::new((0..).map(TokenId).zip(tokens), [(TokenId(9), "<|mark|>".to_owned())]).unwrap();
    let text = "start ::= '[' unordered!(distinct!(#'[ab]+'), (<|mark|> 'b')?; ',') ']';";
    let mut matcher = Grammar::compile(text, &vocabulary, &Config::default()).unwrap().matcher();
    let mut allowed = |token| {
        let allowed: Vec<u32> = matcher.mask().iter().map(|id| id.0).collect();
        assert!(matcher.accept(TokenId(token)).is_accepted(), "{token} of {allowed:?}");
        allowed
    };
    let masks: Vec<Vec<u32>> = [0, 3, 2, 9, 4, 2, 4, 2, 3, 4, 1].into_iter().map(&mut allowed).collect();
    assert_eq!(masks[1..4], [vec![1, 3, 4, 5, 9], vec![1, 2, 3, 4, 5], vec![3, 4, 9]]);
    assert_eq!(masks[8..], [vec![3, 4], vec![3, 4, 5], vec![1, 2, 3, 4, 5]]);
}

#[test]
fn masks_of_distinct_texts_equal_reading_each_token() {
    let mut masks = 0;
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let text = grammar(&mut rng);
        let words = words(&mut rng);
        let ids = (0..).map(TokenId).zip(words.iter().cloned());
        let shared = Vocabulary::new(ids, [(STOP, "<|stop|>".to_owned())]).unwrap();
        let ending = if rng.chance(1, 4) { Ending::Eager } else { Ending::EndOfSequence(vec![STOP]) };
        let tuning = LexiconTuning {
            min_loop_nodes: *rng.pick(&[1, 12]),
            min_base_nodes: *rng.pick(&[1, 16_384]),
            ..LexiconTuning::default()
        };
        let vocabularies = [shared.clone(), shared.clone(), shared.with_lexicon(&tuning.into())];
        let mut matchers: Vec<Matcher> = vocabularies
            .iter()
            .map(|vocabulary| {
                Grammar::compile(&text, vocabulary, &config(&mut rng, &ending)).unwrap().matcher()
            })
            .collect();
        for _ in 0..4 {
            matchers.iter_mut().for_each(Matcher::reset);
            for step in 0..14 {
                let expected = readable(&matchers[0], &words);
                for (place, matcher) in matchers.iter_mut().enumerate() {
                    let mut mask: Vec<TokenId> = matcher.mask().iter().collect();
                    assert_eq!(matcher.error(), None, "{text}");
                    mask.retain(|&id| id != STOP);
                    assert_eq!(mask, expected, "seed {seed}, step {step}, tables {place}: {text}");
                    masks += 1;
                }
                if expected.is_empty() {
                    break;
                }
                let few: Vec<TokenId> = (0..3).map(|_| *rng.pick(&expected)).collect();
                let token = few.into_iter().max_by_key(|id| words[id.0 as usize].len()).unwrap();
                let outcomes: Vec<_> = matchers.iter_mut().map(|matcher| matcher.accept(token)).collect();
                assert!(
                    outcomes.iter().all(|outcome| outcome.is_accepted() && *outcome == outcomes[0]),
                    "{text}"
                );
                if rng.chance(1, 8) {
                    matchers.iter_mut().for_each(|matcher| assert!(matcher.rollback(1).is_ok()));
                }
            }
        }
    }
    assert!(masks > 4_000, "{masks} masks");
}

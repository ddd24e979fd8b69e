//! Masks on a vocabulary that models use are those of walking the whole trie. Much of what makes masks fast
//! pays only where tokens are many, so small vocabularies do not show whether it is right.

use std::path::Path;

use grammask::{Config, Grammar, LexiconConfig, TokenId};
use grammask_testkit::random::Rng;

use super::{VOCABULARY, encode};

/// A grammar as it is mostly used, and one that walks the whole trie for each mask.
fn both(text: &str) -> (Grammar, Grammar) {
    let compile = |vocabulary, config: &Config| {
        Grammar::compile(text, vocabulary, config).unwrap_or_else(|error| panic!("{text}\n{error}"))
    };
    let mut simple = Config::default();
    simple.masks.tuning.keep_summaries = false;
    simple.masks.tuning.keep_masks = false;
    // Walking the whole trie takes more work than a mask may by default.
    simple.masks.limits.max_mask_work = u64::MAX;
    (
        compile(&VOCABULARY, &Config::default()),
        compile(&VOCABULARY.with_lexicon(&LexiconConfig::default()), &simple),
    )
}

/// Follows tokens, and compares each `each`th mask.
fn follow(text: &str, (fast, simple): &(Grammar, Grammar), tokens: &[TokenId], each: usize) {
    let (mut fast, mut simple) = (fast.matcher(), simple.matcher());
    for (place, &token) in tokens.iter().enumerate() {
        let mask = fast.mask();
        if place % each == 0 {
            assert!(mask == simple.mask(), "{text}\nafter {:?}", String::from_utf8_lossy(fast.text()));
        }
        assert!(fast.accept(token).is_accepted() && simple.accept(token).is_accepted());
    }
}

#[test]
fn masks_of_fixtures_equal_a_walk_of_the_trie() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    for name in ["arithmetic", "c", "json", "left", "middle", "patterns", "right", "sql", "text", "xml"] {
        let grammar = std::fs::read_to_string(root.join(format!("grammars/{name}.kbnf"))).unwrap();
        let text = std::fs::read(root.join(format!("texts/{name}.txt"))).unwrap();
        let tokens = encode(&text);
        follow(name, &both(&grammar), &tokens[..tokens.len().min(200)], 11);
    }
}

#[test]
fn tokens_of_lexemes_equal_a_walk_of_the_trie() {
    // Lexemes that loop, nearly loop, count, contain words, or have several continuations.
    let lexemes = [
        r##"#'[ -~](~*([ -}&&[^!]][ -~]*)?)'"##,
        r##"(#'[^"]*' & ~('id' | 'name' | 'named')) '"' (#'[^"]+' & ~'id') '"'"##,
        r##"{#'[a-z]+' ',' #'[a-z]*' ';' #'[a-z]{0,9}'}+"##,
        r##"'"' json!(#'(?s:.)+' & #'(\\S+\\s+){0,29}\\S+') '"'"##,
        r##"'"' json!(#'(?s:.){1,60}' & #'(\\S+\\s+){0,29}\\S+') '"'"##,
        r##"#'([^"éü][^"]{9}|é[^"]{0,8})"'"##,
        r##"'"' json!(#'[^éü ]([^ ]+ ){0,4}[^ ]*|é[^ ]{0,9}' & #'(?s:.){0,12}') '"'"##,
        r##"'"' json!(#'(?s:.)*' & ~('key' | 'kez' | 'other')) '":' #'[^<>&]+'"##,
        r##"{'<' #'[^<>&]+' '>' #'[^<>&]*' '</' #'[^<>&]+' '>'}+"##,
        r##"#'[a-z]{0,100000}' #'[a-z0-9]{3,40}'"##,
        r##"except!('</', 500) '</' except!('x')"##,
        r##"#'[^,]*(foo|bar)[^,]*' ',' #'[^,]*@[^,]*'"##,
        r##"#'\\w+( \\w+){0,200}\\.'"##,
    ];
    let mut rng = Rng::new(7);
    for lexeme in lexemes {
        let text = format!("start ::= {lexeme};");
        let grammars = both(&text);
        for _ in 0..3 {
            let mut matcher = grammars.0.matcher();
            let mut tokens = Vec::new();
            while tokens.len() < 12 {
                let allowed: Vec<TokenId> = matcher.mask().iter().collect();
                if allowed.is_empty() {
                    break;
                }
                // Among a few frequent tokens, so that several long words are read.
                let token = allowed[rng.below(allowed.len().min(3_000))];
                assert!(matcher.accept(token).is_accepted(), "{text}");
                tokens.push(token);
            }
            follow(&text, &grammars, &tokens, 2);
        }
    }
}

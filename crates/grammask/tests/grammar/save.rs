//! Saved grammars: loading gives an equal grammar, or an error if the bytes are damaged.

use grammask::{
    Config, Ending, Grammar, LexiconConfig, LoadError, Mask, Outcome, Tables, TokenId, Vocabulary,
};
use grammask_testkit::fixtures::{fixtures_root, grammars};
use grammask_testkit::random::{Rng, Shape, grammar as random_grammar, vocabulary as random_vocabulary};

const HEADER: usize = 52;
const BOTH: [Tables; 2] = [Tables::Cold, Tables::Warm];

/// All bytes, and all that a text has of some lengths.
fn vocabulary(text: &str) -> Vocabulary {
    let mut words: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
    for length in [2, 3, 5, 8] {
        words.extend(text.as_bytes().windows(length).map(<[u8]>::to_vec));
    }
    words.sort();
    words.dedup();
    Vocabulary::new((0..).map(TokenId).zip(words), [(TokenId(90_000), "<|end|>".into())]).unwrap()
}

#[test]
fn unknown_configuration_fields_are_errors() {
    let all = serde_json::to_value(Config::default()).unwrap();
    let stages = all.as_object().unwrap().iter().filter(|(_, stage)| stage.is_object());
    let stages: Vec<&String> = stages.map(|(name, _)| name).filter(|name| *name != "ending").collect();
    assert_eq!(stages.len(), 6, "{stages:?}");
    for stage in stages {
        let wrong = serde_json::json!({ stage: { "budgte": 1 } });
        let error = serde_json::from_value::<Config>(wrong).unwrap_err().to_string();
        assert!(error.starts_with("unknown field `budgte`"), "{stage}: {error}");
    }
    let inner = [("normal", "regular"), ("recognizer", "regular"), ("masks", "lexicon")];
    for (stage, inner) in inner.into_iter().filter(|(stage, inner)| all[stage].get(inner).is_some()) {
        let wrong = serde_json::json!({ stage: { inner: { "budgte": 1 } } });
        assert!(serde_json::from_value::<Config>(wrong).is_err(), "{stage}, {inner}");
    }
    assert_eq!(
        format!("{:?}", serde_json::from_value::<Config>(all).unwrap()),
        format!("{:?}", Config::default())
    );
}

/// The text as tokens, the longest each time.
fn tokens(text: &str, vocabulary: &Vocabulary) -> Vec<TokenId> {
    let mut rest = text.as_bytes();
    let mut tokens = Vec::new();
    let trie = vocabulary.trie();
    while !rest.is_empty() {
        let token = (1..=rest.len().min(8)).rev().find_map(|length| {
            Some((trie.find(&rest[..length])?, length)).filter(|&(node, _)| !trie.tokens(node).is_empty())
        });
        let (node, length) = token.unwrap();
        tokens.push(trie.tokens(node)[0]);
        rest = &rest[length..];
    }
    tokens
}

/// The masks along some tokens, as far as they are accepted.
fn masks(grammar: &Grammar, tokens: &[TokenId]) -> Vec<Mask> {
    let mut matcher = grammar.matcher();
    let mut masks = vec![matcher.mask().clone()];
    for &token in tokens {
        if !matches!(matcher.accept(token), Outcome::Ongoing) {
            break;
        }
        masks.push(matcher.mask().clone());
    }
    masks
}

/// Saves, loads, compares masks and saves again.
fn check(grammar: &Grammar, tokens: &[TokenId], place: &str) {
    let cold = grammar.save(Tables::Cold);
    let expected = masks(grammar, tokens);
    assert!(grammar.save(Tables::Cold) == cold, "{place}: cold does not depend on tables");
    for tables in BOTH {
        let bytes = grammar.save(tables);
        assert!(grammar.save(tables) == bytes, "{place}: {tables:?} twice");
        let loaded = Grammar::load(&bytes, grammar.vocabulary())
            .unwrap_or_else(|error| panic!("{place}: {tables:?}: {error}"));
        assert!(loaded.save(Tables::Cold) == cold, "{place}: {tables:?}, cold again");
        assert!(
            loaded.save(tables) == bytes,
            "{place}: {tables:?} again {:?} {:?}",
            grammar.stats(),
            loaded.stats()
        );
        if tables == Tables::Warm {
            let (was, is) = (grammar.stats().tables, loaded.stats().tables);
            assert_eq!((is.sets, is.origins, is.masks), (was.sets, was.origins, was.masks), "{place}");
        }
        assert!(masks(&loaded, tokens) == expected, "{place}: masks of {tables:?}");
        if tables == Tables::Warm {
            let (was, is) = (grammar.stats().tables, loaded.stats().tables);
            assert_eq!(
                (is.sets, is.masks, is.summaries),
                (was.sets, was.masks, 0),
                "{place}: nothing is new"
            );
        }
    }
}

#[test]
fn loaded_fixtures_equal_the_saved_ones() {
    for fixture in grammars(&fixtures_root()) {
        let vocabulary = vocabulary(&fixture.sample);
        let config = Config::default().ending_with([TokenId(90_000)]);
        let grammar = Grammar::compile(&fixture.grammar, &vocabulary, &config).unwrap();
        check(&grammar, &tokens(&fixture.sample, &vocabulary), &fixture.name);
    }
}

#[test]
fn grammars_with_distinct_texts_are_saved_cold() {
    let vocabulary = vocabulary("[\"ab\", \"b\"]");
    let text = "start ::= '[' unordered!(distinct!('\"' json!(#'[ab]*') '\"'), 'n'?; ', ') ']';";
    let config = Config::default().ending_with([TokenId(90_000)]);
    let grammar = Grammar::compile(text, &vocabulary, &config).unwrap();
    for text in ["[\"ab\", \"b\", n]", "[\"\", \"\", \"a\"]"] {
        let tokens = tokens(text, &vocabulary);
        let expected = masks(&grammar, &tokens);
        let bytes = grammar.save(Tables::Warm);
        assert!(bytes == grammar.save(Tables::Cold));
        let loaded = Grammar::load(&bytes, &vocabulary).unwrap();
        assert!(masks(&loaded, &tokens) == expected && loaded.save(Tables::Warm) == bytes);
    }
}

#[test]
fn a_warm_grammar_serves_texts_it_has_not_seen() {
    let fixture = grammars(&fixtures_root()).into_iter().find(|fixture| fixture.name == "json").unwrap();
    let vocabulary = vocabulary(&fixture.sample);
    let compile = || Grammar::compile(&fixture.grammar, &vocabulary, &Config::default()).unwrap();
    let grammar = compile();
    masks(&grammar, &tokens("[1, {\"a\": [null]}]", &vocabulary));
    let loaded = Grammar::load(&grammar.save(Tables::Warm), &vocabulary).unwrap();
    let tokens = tokens(&fixture.sample, &vocabulary);
    assert!(masks(&loaded, &tokens) == masks(&compile(), &tokens));
}

#[test]
fn a_loaded_grammar_shares_the_lexicon_of_its_vocabulary() {
    let fixture = grammars(&fixtures_root()).into_iter().find(|fixture| fixture.name == "json").unwrap();
    let vocabulary = vocabulary(&fixture.sample);
    let tokens = tokens(&fixture.sample, &vocabulary);
    let grammar = Grammar::compile(&fixture.grammar, &vocabulary, &Config::default()).unwrap();
    let expected = masks(&grammar, &tokens);
    // Equal tokens with an empty lexicon, which is not saved.
    let other = vocabulary.with_lexicon(&LexiconConfig::default());
    let before = other.stats();
    let loaded = Grammar::load(&grammar.save(Tables::Cold), &other).unwrap();
    assert_eq!(other.stats(), before);
    assert!(masks(&loaded, &tokens) == expected);
    assert!(other.stats().entries > 0);
    assert_eq!(other.stats(), vocabulary.stats());
}

#[test]
fn loaded_random_grammars_equal_the_saved_ones() {
    let shapes = [
        Shape {
            nonterminals: 5,
            depth: 2,
            patterns: true,
            extensions: true,
            specials: false,
            empty_output: false,
        },
        Shape {
            nonterminals: 4,
            depth: 2,
            patterns: true,
            extensions: true,
            specials: true,
            empty_output: false,
        },
        Shape {
            nonterminals: 6,
            depth: 3,
            patterns: false,
            extensions: false,
            specials: true,
            empty_output: false,
        },
    ];
    let special = [(500, "<|end|>"), (7_000, "<|sep|>"), (7, "<|seven|>")];
    for seed in 0..240 {
        let mut rng = Rng::new(seed);
        // The eager ending excludes the empty output.
        let shape = Shape { empty_output: seed % 4 != 0, ..shapes[seed as usize % 3] };
        let random = random_grammar(&mut rng, &shape);
        // Tables of such grammars are not saved.
        if random.text.contains("distinct!") {
            continue;
        }
        let words = random_vocabulary(&mut rng, 40);
        let ids = (0..).filter(|&id| id != 7).map(TokenId);
        let special = special.map(|(id, name)| (TokenId(id), name.to_owned()));
        let vocabulary = Vocabulary::new(ids.zip(words), special).unwrap();
        let ending = match seed % 4 {
            0 => Ending::Eager,
            1 => Ending::EndOfSequence(vec![TokenId(500)]),
            _ => Ending::default(),
        };
        let mut config = Config { ending, ..Config::default() };
        // Without kept masks, each mask of an ambiguous grammar begins anew.
        config.masks.limits.max_mask_work = u64::MAX;
        config.recognizer.tuning.leo = seed % 5 != 0;
        config.recognizer.tuning.keep_steps = seed % 7 != 0;
        config.masks.tuning.keep_masks = seed % 11 != 0;
        // These vocabularies are small: rules are walked one by one only where that is asked for.
        config.masks.tuning.max_state_walk_nodes =
            if seed % 2 == 0 { 0 } else { config.masks.tuning.max_state_walk_nodes };
        let grammar = Grammar::compile(&random.text, &vocabulary, &config).unwrap();
        let mut walk = Vec::new();
        for _ in 0..3 {
            let mut matcher = grammar.matcher();
            walk.clear();
            while walk.len() < 20 && !matcher.is_finished() {
                let allowed: Vec<TokenId> = matcher.mask().iter().collect();
                if allowed.is_empty() {
                    break;
                }
                walk.push(*rng.pick(&allowed));
                let _ = matcher.accept(walk[walk.len() - 1]);
            }
        }
        let grammar = if config.masks.tuning.keep_masks && config.recognizer.tuning.keep_steps {
            grammar
        } else {
            // Without tables there is nothing to compare their sizes with; texts and masks must be the same.
            let loaded = Grammar::load(&grammar.save(Tables::Warm), &vocabulary).unwrap();
            assert!(masks(&loaded, &walk) == masks(&grammar, &walk), "{}", random.text);
            continue;
        };
        check(&grammar, &walk, &random.text);
    }
}

/// Every kind of expression, callee, origin and set.
const SMALL_GRAMMAR: &str = "
    start ::= list | except!('xy', 9) '!' | #substrs'abcabd' ';' | (item ','){2,7} '.' | <|end|> | cycle '#';
    list ::= list item | item;
    item ::= #'[a-z]{1,3}' & ~('if' | 'else') | '(' list ')' | #ex'-->' '<';
    words ::= 'a' | 'ab' | 'abc' | 'abcd' | 'abcde' | 'b' | 'bc' | 'bcd' | 'bcde' | 'x';
    cycle ::= other 'a' | '0'; other ::= cycle 'b' words | #'é|[а-я]x' ;
";

fn small() -> (Grammar, Vocabulary) {
    let words = ["a", "b", "c", "ab", "if", "(", ")", "x", "xy", "!", ";", ",", ".", "#", "-", "0", "a,"];
    let tokens = (0..).map(TokenId).zip(words.map(|word| word.as_bytes().to_vec()));
    let vocabulary = Vocabulary::new(tokens, [(TokenId(40), "<|end|>".into())]).unwrap();
    let mut config = Config::default().ending_with([TokenId(40)]);
    // Walks rule by rule and walks set by set make nodes of their own.
    config.masks.tuning.max_state_walk_nodes = 8;
    let grammar = Grammar::compile(SMALL_GRAMMAR, &vocabulary, &config).unwrap();
    for text in ["abc,a,b,", "0ba", "((ab)c)", "xyx", "abca;", "-b<"] {
        let mut matcher = grammar.matcher();
        for byte in text.bytes() {
            matcher.mask();
            let _ = matcher.accept_bytes(&[byte]);
        }
        matcher.mask();
    }
    (grammar, vocabulary)
}

/// Returns the bytes with the right length and checksum for the body.
fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = bytes.len() - HEADER;
    bytes[28..36].copy_from_slice(&(length as u64).to_le_bytes());
    let mut checked = bytes[..36].to_vec();
    checked.extend(grammask_trie::checksum(&bytes[HEADER..]).to_le_bytes());
    bytes[36..HEADER].copy_from_slice(&grammask_trie::checksum(&checked).to_le_bytes());
    bytes
}

#[test]
fn truncated_or_flipped_bytes_are_errors() {
    let (grammar, vocabulary) = small();
    for tables in BOTH {
        let bytes = grammar.save(tables);
        assert_eq!(seal(bytes.clone()), bytes);
        for length in 0..bytes.len() {
            let error = Grammar::load(&bytes[..length], &vocabulary).unwrap_err();
            assert!(matches!(error, LoadError::NotSaved | LoadError::Length { .. }), "{length}: {error}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(matches!(Grammar::load(&longer, &vocabulary), Err(LoadError::Length { .. })));
        assert!(matches!(Grammar::load(&seal(longer), &vocabulary), Err(LoadError::Damaged(_))));
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[place] ^= 1 << bit;
                assert!(Grammar::load(&flipped, &vocabulary).is_err(), "bit {bit} of byte {place}");
            }
        }
    }
}

#[test]
fn other_versions_and_vocabularies_are_refused() {
    let (grammar, vocabulary) = small();
    let bytes = grammar.save(Tables::Cold);
    let other = Vocabulary::new([(TokenId(0), b"a".to_vec())], [(TokenId(40), "<|end|>".into())]).unwrap();
    assert_eq!(
        Grammar::load(&bytes, &other).unwrap_err(),
        LoadError::Vocabulary { found: vocabulary.fingerprint(), expected: other.fingerprint() }
    );
    let mut newer = bytes.clone();
    newer[8] += 1;
    assert_eq!(
        Grammar::load(&seal(newer), &vocabulary).unwrap_err(),
        LoadError::Version { found: 17, supported: 16 }
    );
    assert_eq!(Grammar::load(SMALL_GRAMMAR.as_bytes(), &vocabulary).unwrap_err(), LoadError::NotSaved);
    // The header of another vocabulary does not make the grammar fit: it names a token that is not there.
    let none = Vocabulary::new([(TokenId(0), b"a".to_vec())], []).unwrap();
    let mut moved = bytes;
    moved[12..28].copy_from_slice(&none.fingerprint().to_le_bytes());
    assert!(matches!(Grammar::load(&seal(moved), &none), Err(LoadError::Bind(_))));
}

#[test]
fn crafted_bodies_give_a_grammar_or_an_error() {
    let (grammar, vocabulary) = small();
    let mut rng = Rng::new(11);
    let mut loaded = 0;
    for tables in BOTH {
        let bytes = grammar.save(tables);
        for _ in 0..6_000 {
            let mut crafted = bytes.clone();
            for _ in 0..=rng.below(3) {
                let place = HEADER + rng.below(crafted.len() - HEADER);
                match rng.below(5) {
                    0 => crafted[place] ^= 1 << rng.below(8),
                    1 => crafted[place] = rng.below(256) as u8,
                    2 => crafted[place] = crafted[place].wrapping_add(1),
                    // A length or a number that is as large as can be.
                    3 => drop(crafted.splice(place..=place, [255, 255, 255, 255, 15])),
                    _ => {
                        let other = HEADER + rng.below(crafted.len() - HEADER);
                        let end = (other + rng.below(8)).min(crafted.len());
                        let piece = crafted[other..end].to_vec();
                        crafted.splice(place..place, piece);
                    }
                }
            }
            if let Ok(grammar) = Grammar::load(&seal(crafted), &vocabulary) {
                loaded += 1;
                let mut matcher = grammar.matcher();
                for byte in *b"ab((x),.#!;" {
                    matcher.mask();
                    let _ = matcher.accept_bytes(&[byte]);
                }
            }
        }
    }
    assert!(loaded > 100, "{loaded} of the crafted bodies were loaded");
    for _ in 0..2_000 {
        let mut noise = grammar.save(Tables::Cold)[..HEADER].to_vec();
        noise.extend((0..rng.below(200)).map(|_| rng.below(256) as u8));
        assert!(Grammar::load(&seal(noise), &vocabulary).is_err());
    }
}

/// Needs are numbers of items, which may be any in crafted bytes.
#[test]
fn crafted_implications_give_a_grammar_or_an_error() {
    let (_, vocabulary) = small();
    let text = "start ::= unordered!('a'?, 'b'?, 'c'; ; ; 0 -> 1);";
    let grammar = Grammar::compile(text, &vocabulary, &Config::default()).unwrap();
    let bytes = grammar.save(Tables::Cold);
    let mut refused = 0;
    for place in HEADER..bytes.len() {
        for value in [2, 63, 127, 255] {
            let mut crafted = bytes.clone();
            crafted[place] = value;
            refused += usize::from(Grammar::load(&seal(crafted), &vocabulary).is_err());
        }
    }
    assert!(refused > 100, "{refused}");
}

/// Checking the saved states of this many items would take longer than computing them.
#[test]
fn tables_that_take_too_long_to_check_are_not_saved() {
    let bytes = (0..128_u8).map(|byte| (TokenId(byte.into()), vec![byte]));
    let vocabulary = Vocabulary::new(bytes, []).unwrap();
    let items: Vec<String> = (0..30_000).map(|item| format!("'a{item:x}'?")).collect();
    let text = format!("start ::= unordered!({});", items.join(", "));
    let grammar = Grammar::compile(&text, &vocabulary, &Config::default()).unwrap();
    let mut matcher = grammar.matcher();
    for byte in *b"a7a" {
        assert!(matcher.accept(TokenId(byte.into())).is_accepted());
    }
    let loaded = Grammar::load(&grammar.save(Tables::Warm), &vocabulary).unwrap();
    assert_eq!(loaded.stats().tables.masks, 0);
    let mut again = loaded.matcher();
    assert!(again.accept_bytes(b"a7a").is_accepted());
    assert_eq!(again.mask(), matcher.mask());
}

/// The bytes of a small grammar. If they change, the version of the format must change.
#[test]
fn saved_bytes_change_with_the_version_only() {
    let tokens = ["a", "b", "ab", "1"].map(|word| word.as_bytes().to_vec());
    let vocabulary = Vocabulary::new((0..).map(TokenId).zip(tokens), []).unwrap();
    let text = "start ::= 'a' start 'b' | #'[0-9]{2,}' | (x ','){2,4}; x ::= 'a' | 'b';";
    // Without parts, how masks are put together says nothing about which states there are.
    // How much of a mask is light is written, and no part of the format.
    let mut config = Config::default();
    config.masks.tuning.keep_summaries = false;
    config.masks.tuning.max_state_walk_nodes = 2048;
    let grammar = Grammar::compile(text, &vocabulary, &config).unwrap();
    masks(&grammar, &[0, 3, 3].map(TokenId));
    let lines = |bytes: &[u8]| {
        let line = |line: &[u8]| line.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        bytes.chunks(32).map(line).collect::<Vec<_>>().join("\n")
    };
    let [cold, warm] = BOTH.map(|tables| lines(&grammar.save(tables)));
    insta::assert_snapshot!(format!("{text}\n\ncold\n{cold}\n\nwarm\n{warm}"));
}

#[test]
fn remarks_are_saved_with_the_grammar() {
    let vocabulary = Vocabulary::new((0..=255).map(|byte| (TokenId(byte), vec![byte as u8])), []).unwrap();
    let schema = serde_json::json!({ "type": "string", "format": "color", "pattern": "(a)\\1" });
    let mut config = Config::default();
    config.json_schema.unsupported = grammask::json_schema::Unsupported::Relax;
    let grammar = Grammar::from_json_schema(&schema, &vocabulary, &config).unwrap();
    assert_eq!((grammar.relaxations().len(), grammar.schema_notes().len()), (1, 1));
    for tables in BOTH {
        let loaded = Grammar::load(&grammar.save(tables), &vocabulary).unwrap();
        assert_eq!(loaded.relaxations(), grammar.relaxations());
        assert_eq!(loaded.schema_notes(), grammar.schema_notes());
    }
}

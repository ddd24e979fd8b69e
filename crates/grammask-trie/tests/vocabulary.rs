//! Tests of valid vocabularies and of errors.

use std::collections::BTreeMap;

use grammask_trie::{Config, Error, Limit, LimitExceeded, Limits, TokenId, Vocabulary};
use proptest::prelude::*;

fn build(tokens: &[(u32, &[u8])], special: &[(u32, &str)]) -> Result<Vocabulary, Error> {
    with(tokens, special, &Config::default())
}

fn with(tokens: &[(u32, &[u8])], special: &[(u32, &str)], config: &Config) -> Result<Vocabulary, Error> {
    let tokens = tokens.iter().map(|&(id, bytes)| (TokenId(id), bytes.to_vec()));
    let special = special.iter().map(|&(id, name)| (TokenId(id), name.to_string()));
    Vocabulary::new(tokens, special, config)
}

fn valid(tokens: &[(u32, &[u8])], special: &[(u32, &str)]) -> Vocabulary {
    let vocabulary = build(tokens, special).unwrap();
    vocabulary.check().unwrap();
    vocabulary
}

#[test]
fn duplicates_gaps_empty_tokens_and_invalid_utf8_are_allowed() {
    let vocabulary =
        valid(&[(9, b"a"), (2, b"a"), (4, b""), (0, b"\xff\xfe"), (3, b"\"\n'")], &[(7, "<b>"), (6, "<a>")]);
    insta::assert_snapshot!(format!("{vocabulary:#}"), @r#"
    5 tokens, 2 special, ids below 10 (3 unknown), longest 3 bytes
    token0 "\xff\xfe"
    token2 "a"
    token3 "\"\n'"
    token4 ""
    token6 <a>
    token7 <b>
    token9 "a"
    "#);
    assert_eq!(vocabulary.bytes(TokenId(4)), Some(&b""[..]));
    for unknown in [1, 5, 8, 10, 31, 32, u32::MAX].map(TokenId) {
        assert!(!vocabulary.is_known(unknown) && vocabulary.bytes(unknown).is_none(), "{unknown}");
        assert_eq!(vocabulary.display(unknown).to_string(), "unknown");
    }
}

#[test]
fn special_tokens_are_found_by_name_and_id_and_have_no_bytes() {
    let vocabulary = valid(&[(0, b"<a>")], &[(7, "<b>"), (6, "<a>"), (40, "")]);
    assert_eq!(
        ["<a>", "<b>", "", "<c>"].map(|name| vocabulary.special(name)),
        [Some(TokenId(6)), Some(TokenId(7)), Some(TokenId(40)), None]
    );
    assert_eq!(vocabulary.special_name(TokenId(7)), Some("<b>"));
    assert_eq!(vocabulary.special_name(TokenId(0)), None);
    assert_eq!(vocabulary.bytes(TokenId(6)), None);
    assert_eq!((vocabulary.id_count(), vocabulary.mask_words()), (41, 2));
    assert_eq!(vocabulary.trie().columns().tokens, [TokenId(0)]);
}

#[test]
fn duplicate_id_is_an_error() {
    let message =
        |tokens: &[(u32, &[u8])], special: &[(u32, &str)]| build(tokens, special).unwrap_err().to_string();
    assert_eq!(
        message(&[(3, b"a"), (1, b"b"), (3, b"a")], &[]),
        "token3 is given twice: in entry 1 and entry 3"
    );
    assert_eq!(message(&[(3, b"a")], &[(3, "a")]), "token3 is given twice: in entry 1 and special token 1");
    let found = message(&[], &[(3, "a"), (4, "b"), (3, "c")]);
    assert_eq!(found, "token3 is given twice: in special token 1 and special token 3");
    let found = message(&[(7, b"a"), (7, b"b"), (5, b"c"), (7, b"d"), (2, b"e")], &[(5, "x"), (2, "y")]);
    assert_eq!(found, "token2 is given twice: in entry 5 and special token 2, and so are 2 more ids");
}

#[test]
fn duplicate_name_is_an_error() {
    let error = build(&[], &[(8, "x"), (5, "y"), (3, "x")]).unwrap_err();
    assert_eq!(error.to_string(), r#"the special tokens token3 and token8 have the same name "x""#);
}

#[test]
fn huge_id_is_an_error() {
    for id in [4_000_000_000, 1 << 24, u32::MAX] {
        let found = Some(u64::from(id) + 1);
        let exceeded = LimitExceeded { limit: Limit::MaxIds, value: 1 << 24, found };
        let error = Err(Error::LimitExceeded { id: Some(id.into()), exceeded });
        assert_eq!(build(&[(0, b"a"), (id, b"b")], &[]), error);
        assert_eq!(build(&[(0, b"a")], &[(id, "b")]), error);
    }
    let top = valid(&[((1 << 24) - 1, b"x")], &[]);
    assert_eq!(top.mask_words(), 1 << 19);
    assert!(top.bytes_used() < 5_000_000, "{}", top.bytes_used());
}

#[test]
fn limits_name_the_token() {
    let config = Config::from(Limits { max_token_bytes: 3, max_bytes: 6, ..Limits::default() });
    let exceeded = LimitExceeded { limit: Limit::MaxTokenBytes, value: 3, found: Some(4) };
    let too_long = Error::LimitExceeded { id: Some(1), exceeded };
    assert_eq!(too_long.to_string(), "token id 1: 4 bytes in a token, more than 3 (limit `max_token_bytes`)");
    assert_eq!(with(&[(1, b"abcd")], &[], &config), Err(too_long));
    let exceeded = LimitExceeded { limit: Limit::MaxBytes, value: 6, found: None };
    let too_many = Error::LimitExceeded { id: Some(2), exceeded };
    assert_eq!(with(&[(1, b"abc")], &[(2, "abcd")], &config), Err(too_many.clone()));
    assert_eq!(
        too_many.to_string(),
        "token id 2: more than 6 bytes in all tokens and names of special tokens (limit `max_bytes`)"
    );
    assert!(with(&[(1, b"abc")], &[(2, "abc")], &config).is_ok());
}

#[test]
fn empty_vocabulary_is_valid() {
    let vocabulary = valid(&[], &[]);
    assert_eq!((vocabulary.id_count(), vocabulary.mask_words(), vocabulary.longest_token()), (0, 0, 0));
    assert_eq!(vocabulary.tokens().count() + vocabulary.specials().count(), 0);
}

#[test]
fn has_every_byte_requires_single_byte_tokens() {
    let bytes: Vec<[u8; 1]> = (0..=255).map(|byte| [byte]).collect();
    let mut tokens: Vec<(u32, &[u8])> = (0..).zip(bytes.iter().map(|byte| &byte[..])).collect();
    assert!(valid(&tokens, &[]).has_every_byte());
    tokens[17].1 = b"\x11\x11";
    assert!(!valid(&tokens, &[]).has_every_byte());
}

#[test]
fn special_tokens_can_be_added_later() {
    let vocabulary = valid(&[(1, b"a")], &[(0, "<s>")]);
    let config = Config::default();
    let more = vocabulary.with_special([(TokenId(5), "</s>".to_string())], &config).unwrap();
    assert_eq!(more, valid(&[(1, b"a")], &[(0, "<s>"), (5, "</s>")]));
    let taken = vocabulary.with_special([(TokenId(1), "x".to_string())], &config);
    let found = taken.unwrap_err().to_string();
    assert_eq!(found, "token1 is given twice: in the vocabulary and special token 1");
}

#[test]
fn fingerprint_depends_on_all_content() {
    let one = |tokens: &[(u32, &[u8])], special: &[(u32, &str)]| valid(tokens, special).fingerprint();
    let all = [
        one(&[], &[]),
        one(&[(0, b"")], &[]),
        one(&[], &[(0, "")]),
        one(&[(0, b"a")], &[]),
        one(&[(0, b"a\0")], &[]),
        one(&[(1, b"a")], &[]),
        one(&[(0, b"a"), (1, b"b")], &[]),
        one(&[(0, b"b"), (1, b"a")], &[]),
        one(&[(0, b"a")], &[(1, "b")]),
        one(&[(0, b"abcdefgh"), (1, b"i")], &[]),
        one(&[(0, b"abcdefghi"), (1, b"")], &[]),
    ];
    let mut distinct = all.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), all.len());
}

#[test]
fn fingerprint_keeps_its_definition() {
    // Worked out from the definition by hand: these values may only change with it.
    const M: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
    let step = |hash: u128, word: u64| {
        let hash = (hash ^ u128::from(word)).wrapping_mul(M);
        hash ^ (hash >> 64)
    };
    let words = [1, (5 << 32) | 9, u64::from_le_bytes(*b"abcdefgh"), u64::from(b'i'), 1, (7 << 32) | 1, 0x78];
    let expected = words.into_iter().fold(0, step);
    assert_eq!(valid(&[(5, b"abcdefghi")], &[(7, "x")]).fingerprint(), expected);
}

proptest! {
    #[test]
    fn tokens_come_back_by_ascending_id(
        tokens in prop::collection::btree_map(0u32..300, prop::collection::vec(any::<u8>(), 0..4), 0..80),
    ) {
        let list: Vec<(u32, &[u8])> = tokens.iter().rev().map(|(&id, bytes)| (id, bytes.as_slice())).collect();
        let vocabulary = valid(&list, &[]);
        let back: Vec<(u32, Vec<u8>)> = vocabulary.tokens().map(|(id, bytes)| (id.0, bytes.to_vec())).collect();
        prop_assert_eq!(&back.iter().cloned().collect::<BTreeMap<_, _>>(), &tokens);
        prop_assert!(back.is_sorted());
        for id in 0..330 {
            prop_assert_eq!(vocabulary.bytes(TokenId(id)), tokens.get(&id).map(Vec::as_slice));
        }
        prop_assert_eq!(vocabulary.longest_token(), tokens.values().map(Vec::len).max().unwrap_or(0));
    }
}

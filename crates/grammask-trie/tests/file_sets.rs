//! Ends, special tokens and spellings, as files and options say them.
#![cfg(feature = "loaders")]

use grammask_trie::loaders::{self, AddedSpecials, Options, Spelling, VocabularyFiles};
use grammask_trie::{Attributes, Config, Error, TokenId, Vocabulary};

/// A byte-level tokenizer.json with these pieces and added tokens.
fn tokenizer(pieces: &str, added: &str) -> String {
    format!(
        r#"{{"added_tokens": [{added}], "decoder": {{"type": "ByteLevel"}}, "model": {{"vocab": {{{pieces}}}}}}}"#
    )
}

fn added(id: u32, content: &str, special: bool) -> String {
    format!(r#"{{"id": {id}, "content": "{content}", "special": {special}}}"#)
}

fn load(file: &str) -> Result<Vocabulary, Error> {
    loaders::load(file.as_bytes(), &Config::default())
}

fn set(tokenizer: &str, config: &str, generation: &str) -> Result<Vocabulary, Error> {
    let files = VocabularyFiles {
        tokenizer: tokenizer.as_bytes(),
        tokenizer_config: (!config.is_empty()).then_some(config.as_bytes()),
        generation_config: (!generation.is_empty()).then_some(generation.as_bytes()),
    };
    loaders::load_files(&files, &Options::default(), &Config::default())
}

fn ids(ids: &[u32]) -> Vec<TokenId> {
    ids.iter().copied().map(TokenId).collect()
}

#[test]
fn every_token_goes_through_the_decoder() {
    let list = [added(1, "\u{f5}", false), added(2, "\u{120}", false), added(3, "\u{e9} x", false)].join(",");
    let vocabulary = load(&tokenizer(r#""a": 0"#, &list)).unwrap();
    let bytes = |id| vocabulary.bytes(TokenId(id)).unwrap();
    assert_eq!((bytes(1), bytes(2)), (&b"\xf5"[..], &b" "[..]));
    assert_eq!(bytes(3), "\u{e9} x".as_bytes(), "a space is outside of the alphabet");
}

#[test]
fn added_tokens_that_clash_are_refused() {
    let says = |pieces, list: &[String]| load(&tokenizer(pieces, &list.join(","))).unwrap_err().to_string();
    insta::assert_snapshot!(
        [
            says(r#""a": 0"#, &[added(0, "b", false)]),
            says(r#""a": 0"#, &[added(1, "a", true)]),
            says(r#""a": 0"#, &[added(1, "<s>", true), added(2, "<s>", true)]),
            says(r#""a": 0"#, &[added(1, "<s>", true), added(1, "</s>", true)]),
        ]
        .join("\n"),
        @r#"
    added token 1: "b" with the id 0 clashes: "a" has this id in entry 1 of the model
    added token 1: "a" with the id 1 clashes: it has the id 0 in entry 1 of the model
    added token 2: "<s>" with the id 2 clashes: it has the id 1 before
    added token 2: "</s>" with the id 1 clashes: "<s>" has this id before
    "#
    );
    let twice = [added(1, "<s>", true), added(1, "<s>", true)].join(",");
    assert_eq!(load(&tokenizer(r#""a": 0, "<s>": 1"#, &twice)).unwrap().special("<s>"), Some(TokenId(1)));
}

#[test]
fn added_tokens_are_special_by_flag_by_name_or_by_option() {
    let list = [added(1, "<x>", true), added(2, "<\u{ff5c}User\u{ff5c}>", false), added(3, "<think>", false)];
    let file = tokenizer(r#""a": 0"#, &list.join(","));
    let special = |added: AddedSpecials| {
        let options = Options { added, ..Options::default() };
        let vocabulary = loaders::load_with(file.as_bytes(), &options, &Config::default())?;
        Ok::<_, Error>(vocabulary.special_tokens().map(|(id, _)| id.0).collect::<Vec<_>>())
    };
    assert_eq!(special(AddedSpecials::FlagAndTurns).unwrap(), [1, 2]);
    assert_eq!(special(AddedSpecials::Flag).unwrap(), [1]);
    assert_eq!(special(AddedSpecials::All).unwrap(), [1, 2, 3]);
    assert_eq!(special(AddedSpecials::Named(vec!["<think>".into()])).unwrap(), [3]);
    assert_eq!(
        special(AddedSpecials::Named(vec!["<thin>".into()])).unwrap_err().to_string(),
        r#"the list of special added tokens names "<thin>", which is not in the vocabulary"#
    );
}

#[test]
fn configurations_say_how_a_sequence_ends() {
    let list = [added(1, "<s>", true), added(2, "</s>", true), added(3, "<x>", true), added(4, "<y>", true)];
    let file = tokenizer(r#""a": 0"#, &list.join(","));
    let ends = |config, generation| set(&file, config, generation).map(|v| v.ends().to_vec());
    assert_eq!(ends("", "").unwrap(), ids(&[2]));
    assert_eq!(ends(r#"{"eos_token": "<x>"}"#, "").unwrap(), ids(&[3, 2]));
    assert_eq!(ends(r#"{"eos_token": {"content": "<x>"}}"#, "").unwrap(), ids(&[3, 2]));
    assert_eq!(ends(r#"{"eos_token": null}"#, r#"{"eos_token_id": 4}"#).unwrap(), ids(&[4]));
    assert_eq!(ends(r#"{"eos_token": "<x>"}"#, r#"{"eos_token_id": [4, 0, 4]}"#).unwrap(), ids(&[4, 0, 3]));
    let begins = set(&file, r#"{"bos_token": "<x>"}"#, r#"{"bos_token_id": 1}"#).unwrap();
    assert_eq!(begins.begins(), ids(&[3]));
    insta::assert_snapshot!(
        [
            ends(r#"{"eos_token": "<z>"}"#, ""),
            ends("", r#"{"eos_token_id": 9}"#),
            ends("", r#"{"eos_token_id": "2"}"#),
            ends(r#"{"eos_token": 2}"#, ""),
            ends("[]", ""),
            ends("", "{\n1}"),
            ends(r#"{"added_tokens_decoder": {"x": {"content": "<z>"}}}"#, ""),
        ]
        .map(|result| result.unwrap_err().to_string())
        .join("\n"),
        @r#"
    `eos_token` of tokenizer_config.json names "<z>", which is not in the vocabulary
    `eos_token_id` of generation_config.json names the id 9, which is not in the vocabulary
    `generation_config.json: eos_token_id`: expected an id or a list of ids
    `tokenizer_config.json: eos_token`: expected a text, or an object with `content`
    `tokenizer_config.json`: expected an object
    `generation_config.json`: line 2, column 1: key must be a string
    `tokenizer_config.json: added_tokens_decoder`: expected ids with objects that have `content`
    "#
    );
}

#[test]
fn configurations_add_tokens_that_the_tokenizer_lacks() {
    let config = r#"{"added_tokens_decoder": {"0": {"content": "a"}, "5": {"content": "<|im_end|>"},
        "6": {"content": "<tool>", "special": true}, "7": {"content": "\u00f5"}}}"#;
    let vocabulary = set("YQ== 0\n", config, "").unwrap();
    insta::assert_snapshot!(format!("{vocabulary:#}"), @r#"
    2 tokens, 2 special, ids below 8 (4 unknown), longest 2 bytes
    token0 "a"
    token5 <|im_end|>
    token6 <tool>
    token7 "õ"
    "#);
    assert_eq!(vocabulary.ends(), ids(&[5]));
}

#[test]
fn texts_that_look_like_a_spelling_are_refused() {
    let says = |file: &str| load(file).unwrap_err().to_string();
    let hint = "name the spelling: `vocab_json`, or `--vocab-format` on the command line";
    assert_eq!(
        says("{\"\u{120}a\": 0, \"a\": 1}"),
        format!("the texts look like the byte-level spelling (1 of 2, such as \"\u{120}a\"); {hint}")
    );
    assert_eq!(
        says("[[0, \"\u{2581}a\"], [1, \"<0x0A>\"]]"),
        format!("the texts look like the SentencePiece spelling (2 of 2, such as \"\u{2581}a\"); {hint}")
    );
    assert!(load("{\"\u{120}a\": 0, \" a\": 1}").is_ok(), "texts with spaces are no byte-level texts");
    let spelled = |file: &str, spelling| {
        let vocabulary = loaders::vocab_json(file.as_bytes(), spelling, &Config::default()).unwrap();
        (0..2).map(|id| vocabulary.bytes(TokenId(id)).unwrap().to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(spelled("{\"\u{120}a\": 0, \"a\": 1}", Spelling::ByteLevel), [b" a".to_vec(), b"a".to_vec()]);
    assert_eq!(
        spelled("{\"\u{2581}a\": 0, \"<0x0A>\": 1}", Spelling::SentencePiece),
        [b" a".to_vec(), b"\n".to_vec()]
    );
    assert_eq!(spelled("{\"<0x0A>\": 0, \"a\": 1}", Spelling::Literal)[0], b"<0x0A>");
}

#[test]
fn word_pieces_begin_with_a_space_unless_they_continue_a_word() {
    let file = r###"{"decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true}, "model": {"type": "WordPiece",
        "unk_token": "[UNK]", "continuing_subword_prefix": "##",
        "vocab": {"[UNK]": 0, "the": 1, "##ing": 2, ".": 3, "##.": 4}}}"###;
    let vocabulary = load(file).unwrap();
    let texts: Vec<&[u8]> = vocabulary.tokens().map(|(_, bytes)| bytes).collect();
    assert_eq!(texts, [&b" the"[..], b"ing", b".", b"."]);
    assert!(vocabulary.strips_first_space());
}

#[test]
fn decoders_may_strip_pieces_and_replace_literal_regexes() {
    let decoder = |decoder: &str| {
        load(&format!(r#"{{"decoder": {decoder}, "model": {{"vocab": {{"  _a_": 0}}}}}}"#)).map(
            |vocabulary| (vocabulary.bytes(TokenId(0)).unwrap().to_vec(), vocabulary.strips_first_space()),
        )
    };
    assert_eq!(
        decoder(r#"{"type": "Replace", "pattern": {"Regex": "_"}, "content": "-"}"#),
        Ok((b"  -a-".to_vec(), false))
    );
    assert_eq!(
        decoder(r#"{"type": "Strip", "content": " ", "start": 1, "stop": 1}"#),
        Ok((b" _a_".to_vec(), false))
    );
    let metaspace =
        |options: &str| decoder(&format!(r#"{{"type": "Metaspace", "replacement": "_"{options}}}"#));
    assert_eq!(metaspace(""), Ok((b"   a ".to_vec(), true)));
    assert_eq!(metaspace(r#", "prepend_scheme": "never""#), Ok((b"   a ".to_vec(), false)));
    assert_eq!(metaspace(r#", "add_prefix_space": false"#), Ok((b"   a ".to_vec(), false)));
}

#[test]
fn tekken_files_reserve_ids() {
    let file = |config: &str, rest: &str| {
        format!(
            r#"{{"config": {{{config}}}, "vocab": [{{"rank": 0, "token_bytes": "YQ==", "token_str": null}},
            {{"rank": 1, "token_bytes": "/w=="}}]{rest}}}"#
        )
    };
    let sizes = r#""default_vocab_size": 24, "default_num_special_tokens": 22"#;
    let vocabulary = load(&file(sizes, "")).unwrap();
    assert_eq!(vocabulary.special("[TOOL_CONTENT]"), Some(TokenId(19)));
    assert_eq!(vocabulary.special("<SPECIAL_21>"), Some(TokenId(21)));
    assert_eq!(
        (vocabulary.bytes(TokenId(22)), vocabulary.bytes(TokenId(23))),
        (Some(&b"a"[..]), Some(&b"\xff"[..]))
    );
    assert_eq!((vocabulary.ends(), vocabulary.begins()), (&[TokenId(2)][..], &[TokenId(1)][..]));
    let listed = r#", "special_tokens": [{"rank": 1, "token_str": "<b>"}]"#;
    let vocabulary =
        load(&file(r#""default_vocab_size": 3, "default_num_special_tokens": 2"#, listed)).unwrap();
    assert_eq!(vocabulary.special("<SPECIAL_0>"), Some(TokenId(0)));
    assert_eq!(
        (vocabulary.special("<b>"), vocabulary.id_count()),
        (Some(TokenId(1)), 3),
        "rank 1 is cut off"
    );
    let ranks = format!(r#"{{"config": {{{sizes}}}, "bpe_ranks": "! 0 YQ== /w==\n! 2 Yg=="}}"#);
    assert_eq!(load(&ranks).unwrap(), load(&file(sizes, "")).unwrap(), "rank 2 is cut off");
    let says = |file: &str| load(file).unwrap_err().to_string();
    insta::assert_snapshot!(
        [
            says(&file(sizes, "").replace("/w==", "/w")),
            says(&file(r#""default_vocab_size": 9, "default_num_special_tokens": 9999999"#, "")),
            says(&file(r#""default_vocab_size": 9, "default_num_special_tokens": 1"#, listed)),
            says(&file(r#""default_vocab_size": 9"#, "")),
        ]
        .join("\n"),
        @r#"
    entry 2: the token is not base64
    9999999 ids reserved for special tokens, more than 65536 (limit `max_reserved_ids`)
    `special_tokens`: "<b>" has the rank 1, but only 1 ids are special
    line 1, column 36: missing field `default_num_special_tokens`
    "#
    );
}

#[test]
fn attributes_are_checked() {
    let config = Config::default();
    let build = |attributes| Vocabulary::from_parts([(TokenId(3), b"a".to_vec())], [], attributes, &config);
    let with_ends = |ends: &[u32]| Attributes { ends: Some(ids(ends)), ..Attributes::default() };
    assert_eq!(build(with_ends(&[3, 3])).unwrap().ends(), ids(&[3]));
    assert_eq!(
        build(with_ends(&[2])).unwrap_err().to_string(),
        "the list of ends names token2, which is not in the vocabulary"
    );
    let with_rows = |rows| Attributes { rows: Some(rows), ..Attributes::default() };
    assert_eq!(build(with_rows(4)).unwrap().rows(), 4);
    assert_eq!(build(with_rows(3)), Err(Error::TooFewRows { rows: 3, ids: 4 }));
    assert!(matches!(build(with_rows(1 << 25)), Err(Error::LimitExceeded { .. })));
    assert_eq!(build(Attributes::default()).unwrap().rows(), 4);
    // More special tokens keep the ends, and add those by name if the ends were found by name.
    let special = || [(TokenId(9), "</s>".into())];
    let more = build(with_ends(&[3])).unwrap().with_special(special(), &config).unwrap();
    assert_eq!((more.ends(), more.rows()), (&ids(&[3])[..], 10));
    let more = build(Attributes::default()).unwrap().with_special(special(), &config).unwrap();
    assert_eq!(more.ends(), ids(&[9]));
    assert_eq!(more.with_ends([]).unwrap().ends(), []);
}

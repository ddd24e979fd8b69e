//! The loaders on small files, sound ones and damaged ones.
#![cfg(feature = "loaders")]

use grammask_trie::loaders::{self, Format};
use grammask_trie::{Attributes, Config, Error, Limit, LimitExceeded, LineProblem, TokenId, Vocabulary};
use proptest::prelude::*;

type Loader = fn(&[u8], &Config) -> Result<Vocabulary, Error>;

const LOADERS: [(Format, Loader); 9] = [
    (Format::SentencePiece, loaders::sentencepiece),
    (Format::Gguf, loaders::gguf),
    (Format::Tekken, loaders::tekken),
    (Format::TiktokenJson, loaders::tiktoken_json),
    (Format::Tiktoken, |bytes, config| loaders::tiktoken(bytes, [], config)),
    (Format::TokenizerJson, loaders::tokenizer_json),
    (Format::RwkvJson, loaders::rwkv_json),
    (Format::RwkvText, loaders::rwkv_text),
    (Format::PlainJson, loaders::plain_json),
];

fn load(file: &str) -> Result<Vocabulary, Error> {
    let vocabulary = loaders::load(file.as_bytes(), &Config::default())?;
    vocabulary.check().unwrap();
    Ok(vocabulary)
}

fn says(file: &str) -> String {
    load(file).unwrap_err().to_string()
}

/// A tokenizer.json with that model and those other parts.
fn tokenizer(model: &str, parts: &str) -> String {
    format!(r#"{{"version": "1.0", {parts} "model": {model}}}"#)
}

const LLAMA_2: &str = r#""decoder": {"type": "Sequence", "decoders": [
    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
    {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},"#;

#[test]
fn tiktoken_lines_are_base64_and_rank() {
    let vocabulary = load("IQ== 0\r\n\n4A== 7\n/+8= 3").unwrap();
    insta::assert_snapshot!(format!("{vocabulary:#}"), @r#"
    3 tokens, 0 special, ids below 8 (5 unknown), longest 2 bytes
    token0 "!"
    token3 "\xff\xef"
    token7 "\xe0"
    "#);
}

#[test]
fn error_in_a_line_has_its_place() {
    for (file, problem, place) in [
        ("IQ== 0\nIg==\n", LineProblem::Shape("a base64 text, a space and a rank"), (2, 7)),
        ("IQ== 0\n\nIg== x\n", LineProblem::Id, (3, 8)),
        ("IQ== 0\nIg== -1", LineProblem::Id, (2, 7)),
        ("IQ== 0\nIg== 99999999999999999999", LineProblem::Id, (2, 7)),
        ("IQ== 0\nI 2", LineProblem::Base64, (2, 7)),
        ("1 'a' 1\n2 'b'", LineProblem::Literal, (2, 8)),
        ("1 'a' 1\n2 b'é' 2", LineProblem::Literal, (2, 8)),
        ("1 'a' 1\nx 'b' 1", LineProblem::Id, (2, 8)),
        ("1 'a' 1\n2 'é' 1", LineProblem::Length { stated: 1, actual: 2 }, (2, 8)),
    ] {
        let (line, offset) = place;
        match problem {
            // With one space the text between the first and the last is missing.
            LineProblem::Literal if file.ends_with("'b'") => {
                assert!(matches!(
                    load(file),
                    Err(Error::Line { line: 2, offset: 8, problem: LineProblem::Shape(_) })
                ));
            }
            _ => assert_eq!(load(file), Err(Error::Line { line, offset, problem }), "{file}"),
        }
    }
    assert_eq!(says("IQ== 0\nI 2"), "line 2 (byte 7): the token is not base64");
    assert_eq!(says("1 'a' 1\n2 'é' 1"), "line 2 (byte 8): the line says 1 bytes, its token has 2");
}

#[test]
fn rwkv_text_has_python_literals() {
    let vocabulary =
        load("1 '\\x00' 1\n2 ' ' 1\n3 b'\\xe4\\xb8' 2\n4 \"it's a\" 6\n5 'é\u{2028}' 5\n").unwrap();
    insta::assert_snapshot!(format!("{vocabulary:#}"), @r#"
    5 tokens, 1 special, ids below 6, longest 6 bytes
    token0 <|endoftext|>
    token1 "\0"
    token2 " "
    token3 "\xe4\xb8"
    token4 "it's a"
    token5 "é\u{2028}"
    "#);
}

#[test]
fn rwkv_json_has_texts_and_lists_of_bytes() {
    let vocabulary = load(r#"{"1": "\u0000", "5": [128, 0], "3": "\u0080", "4": []}"#).unwrap();
    insta::assert_snapshot!(format!("{vocabulary:#}"), @r#"
    4 tokens, 1 special, ids below 6 (1 unknown), longest 2 bytes
    token0 <|endoftext|>
    token1 "\0"
    token3 "\u{80}"
    token4 ""
    token5 "\x80\0"
    "#);
}

#[test]
fn plain_json_is_an_object_or_a_list() {
    assert_eq!(load(r#"{"a": 0, "é": 2}"#), load(r#"[[0, "a"], [2, [195, 169]]]"#));
    let twice = load(r#"{"a": 0, "a": 2}"#).unwrap();
    assert_eq!(twice.trie().columns().tokens, [TokenId(0), TokenId(2)]);
    assert_eq!(load("[]").unwrap().id_count(), 0);
}

#[test]
fn error_in_json_has_its_place() {
    insta::assert_snapshot!(
        [
            "{\"a\": 0,\n \"b\": -1}",
            "{\"a\": 0,\n \"b\": 1.5}",
            "{\"a\": 0,\n \"b\"",
            "{\"1\": \"a\",\n \"x\": \"b\"}",
            "{\"1\": \"a\",\n \"2\": [256]}",
            "{\"1\": \"a\",\n \"2\": null}",
            "[[0, \"a\"],\n [1]]",
            "[[0, \"a\"],\n [1, \"b\", 2]]",
            "[[0, \"a\"]] x",
            "{\"version\": \"1.0\"}",
            "{\"model\": {}}",
            "{\"model\": {\"vocab\": {\"a\": null}}}",
            "{\"model\": {\"vocab\": {}}, \"added_tokens\": [{\"id\": 1}]}",
        ]
        .map(says)
        .join("\n"),
        @r#"
        line 2, column 8: invalid value: integer `-1`, expected u64
        line 2, column 9: invalid type: floating point `1.5`, expected u64
        line 2, column 4: EOF while parsing an object
        line 2, column 4: "x" is not a token id
        line 2, column 10: invalid value: integer `256`, expected u8
        line 2, column 10: invalid type: null, expected a text or a list of byte values
        line 2, column 4: invalid length 1, expected a tuple of size 2
        line 2, column 11: trailing characters
        line 1, column 12: trailing characters
        line 1, column 18: missing field `model`
        line 1, column 12: missing field `vocab`
        line 1, column 30: invalid type: null, expected u64
        line 1, column 51: missing field `content`
        "#
    );
}

#[test]
fn duplicate_ids_and_huge_ids_are_errors_in_every_format() {
    let base64 = "IQ== 5\nIg== 5";
    for (file, places) in [
        (base64, "line 1 and line 2"),
        ("5 'a' 1\n\n5 'b' 1", "line 1 and line 3"),
        (r#"{"5": "a", "5": "b"}"#, "entry 1 and entry 2"),
        (r#"{"a": 5, "c": 4, "b": 5}"#, "entry 1 and entry 3"),
        (r#"[[5, "a"], [5, "b"]]"#, "entry 1 and entry 2"),
    ] {
        let found = load(file).unwrap_err().to_string();
        assert_eq!(found, format!("token5 is given twice: in {places}"), "{file}");
        let huge = file.replacen('5', "4294967301", 1);
        let exceeded = LimitExceeded { limit: Limit::MaxIds, value: 1 << 24, found: Some(4_294_967_302) };
        let error = Error::LimitExceeded { id: Some(4_294_967_301), exceeded };
        assert_eq!(load(&huge), Err(error), "{huge}");
    }
    let model = r#"{"type": "BPE", "vocab": {"a": 7, "b": 9, "c": 7}}"#;
    let found = load(&tokenizer(model, LLAMA_2)).unwrap_err().to_string();
    assert_eq!(found, "token7 is given twice: in entry 1 of the model and entry 3 of the model");
    let model = r#"{"type": "BPE", "vocab": {"a": 4000000000}}"#;
    assert!(matches!(
        load(&tokenizer(model, LLAMA_2)),
        Err(Error::LimitExceeded { id: Some(4_000_000_000), .. })
    ));
}

#[test]
fn byte_level_pieces_use_an_alphabet_of_bytes() {
    let model = r#"{"type": "BPE", "vocab": {"Ġa": 0, "Ċ": 1, "Ã©": 2, "a b": 3, "世": 4}, "merges": ["Ġ a"],
        "continuing_subword_prefix": "", "end_of_word_suffix": ""}"#;
    let parts = r#""added_tokens": [{"id": 5, "content": "é  ", "special": false}, {"id": 6, "content": "<s>", "special": true}],
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Split"}, {"type": "ByteLevel"}]},"#;
    let by_pre_tokenizer = load(&tokenizer(model, parts)).unwrap();
    insta::assert_snapshot!(format!("{by_pre_tokenizer:#}"), @r#"
    6 tokens, 1 special, ids below 7, longest 4 bytes
    token0 " a"
    token1 "\n"
    token2 "é"
    token3 "a b"
    token4 "世"
    token5 "é  "
    token6 <s>
    "#);
    let decoder = format!(r#"{parts} "decoder": {{"type": "ByteLevel"}},"#);
    assert_eq!(load(&tokenizer(model, &decoder)), Ok(by_pre_tokenizer));
}

#[test]
fn sentencepiece_pieces_have_marks_for_spaces_and_bytes() {
    let model = r#"{"type": "BPE", "unk_token": "<unk>", "byte_fallback": true, "merges": [["▁", "t"]],
        "vocab": {"<unk>": 0, "<s>": 1, "<0x0A>": 2, "▁the": 3, "▁▁": 4, "a": 5, "<0x0>": 6, "<0xE4>": 7}}"#;
    let parts = format!(
        r#"{LLAMA_2} "added_tokens": [{{"id": 1, "content": "<s>", "special": true}},
        {{"id": 8, "content": "▁▁▁", "special": false}}],"#
    );
    let vocabulary = load(&tokenizer(model, &parts)).unwrap();
    insta::assert_snapshot!(format!("{vocabulary:#}"), @r#"
    7 tokens, 2 special, ids below 9, longest 5 bytes
    token0 <unk>
    token1 <s>
    token2 "\n"
    token3 " the"
    token4 "  "
    token5 "a"
    token6 "<0x0>"
    token7 "\xe4"
    token8 "   "
    "#);
}

#[test]
fn unigram_pieces_are_numbered_by_index() {
    let model = r#"{"type": "Unigram", "unk_id": 1, "vocab": [["<pad>", 0.0], ["<unk>", 0], ["▁a", -1.5], ["b", -3]]}"#;
    let parts = r#""decoder": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": true},
        "added_tokens": [{"id": 0, "content": "<pad>", "special": true}],"#;
    let vocabulary = load(&tokenizer(model, parts)).unwrap();
    insta::assert_snapshot!(format!("{vocabulary:#}"), @r#"
    2 tokens, 2 special, ids below 4, longest 2 bytes
    token0 <pad>
    token1 <unk>
    token2 " a"
    token3 "b"
    "#);
}

#[test]
fn normalizer_defines_the_mark_without_a_decoder() {
    let model = r#"{"type": "BPE", "vocab": {"_a": 0, "<0x41>": 1}, "byte_fallback": true}"#;
    let parts = r#""decoder": null, "normalizer": {"type": "Sequence", "normalizers": [
        {"type": "NFC"}, {"type": "Replace", "pattern": {"String": " "}, "content": "_"}]},"#;
    let vocabulary = load(&tokenizer(model, parts)).unwrap();
    assert_eq!(
        [0, 1].map(|id| vocabulary.bytes(TokenId(id)).unwrap().to_vec()),
        [b" a".to_vec(), b"A".to_vec()]
    );
}

#[test]
fn decoders_beyond_single_tokens_are_not_supported() {
    let bpe = r#"{"type": "BPE", "vocab": {"a": 0}}"#;
    insta::assert_snapshot!(
        [
            tokenizer(bpe, ""),
            tokenizer(bpe, r#""decoder": {"type": "BPEDecoder", "suffix": "</w>"},"#),
            tokenizer(bpe, r#""decoder": {"type": "Replace", "pattern": {"Regex": "_+"}, "content": " "},"#),
            tokenizer(bpe, r#""decoder": {"type": "Replace", "pattern": {"String": ""}, "content": " "},"#),
            tokenizer(bpe, r#""decoder": {"type": "Strip", "content": "ab", "start": 1, "stop": 0},"#),
            tokenizer(bpe, r#""decoder": {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "ByteFallback"}]},"#),
            tokenizer(r#"{"type": "CharBPE", "vocab": {"a": 0}}"#, LLAMA_2),
            tokenizer(r###"{"type": "WordPiece", "continuing_subword_prefix": "##", "vocab": {"a": 0}}"###, LLAMA_2),
            tokenizer(r#"{"type": "BPE", "end_of_word_suffix": "</w>", "vocab": {"a": 0}}"#, LLAMA_2),
        ]
        .map(|file| says(&file))
        .join("\n"),
        @r###"
        not supported: a tokenizer that does not say how to decode its pieces
        not supported: the decoder "BPEDecoder"
        not supported: a decoder that replaces anything but a text by a text
        not supported: a decoder that replaces the empty text
        not supported: a decoder that strips anything but a character, a number of times
        not supported: the decoder "ByteFallback" after "Fuse"
        not supported: the model "CharBPE"
        not supported: the continuing_subword_prefix "##"
        not supported: the end_of_word_suffix "</w>"
        "###
    );
}

#[test]
fn decoding_takes_linear_time() {
    let model = format!(r#"{{"type": "BPE", "vocab": {{"{}": 3}}}}"#, "_".repeat(7000));
    let replace = |content: &str| {
        format!(r#"{{"type": "Replace", "pattern": {{"String": "_"}}, "content": "{content}"}}"#)
    };
    let sequence = |steps: &[String]| {
        let parts = format!(r#""decoder": {{"type": "Sequence", "decoders": [{}]}},"#, steps.join(","));
        load(&tokenizer(&model, &parts))
    };
    assert_eq!(sequence(&[replace("_-_-_-_-")]).unwrap().longest_token(), 56_000);
    assert_eq!(sequence(&[replace("____"), replace("__")]).unwrap().longest_token(), 56_000);
    insta::assert_snapshot!(
        [
            sequence(&[replace(&"x".repeat(100_000))]),
            sequence(&[replace("___"), replace("___")]),
            sequence(&vec![replace("_"); 17]),
        ]
        .map(|result| result.unwrap_err().to_string())
        .join("\n"),
        @r#"
        100000 times the length of a piece after decoding, more than 8 (limit `max_decoder_growth`)
        9 times the length of a piece after decoding, more than 8 (limit `max_decoder_growth`)
        17 steps of the decoder, more than 16 (limit `max_decoder_steps`)
        "#
    );
}

#[test]
fn deep_nesting_is_an_error() {
    for open in [
        "[",
        "{\"a\":",
        "{\"model\":{\"x\":",
        "{\"version\":[",
        "{\"decoder\":{\"type\":\"Sequence\",\"decoders\":[",
    ] {
        let file = open.repeat(100_000);
        assert!(
            LOADERS.iter().all(|(_, loader)| loader(file.as_bytes(), &Config::default()).is_err()),
            "{open}"
        );
    }
}

#[test]
fn formats_are_detected_by_their_beginning() {
    for (file, format) in [
        ("IQ== 0", Some(Format::Tiktoken)),
        ("\n\nIQ== 0\n", Some(Format::Tiktoken)),
        ("1 b'\\x80' 1", Some(Format::RwkvText)),
        (" {\"1\": [", Some(Format::RwkvJson)),
        ("{\"1\": \"", Some(Format::RwkvJson)),
        ("{\"1\": 0}", Some(Format::PlainJson)),
        ("{\"model\": 0}", Some(Format::PlainJson)),
        ("[[", Some(Format::PlainJson)),
        ("{\"version\": \"1.0\"", Some(Format::TokenizerJson)),
        ("{\"truncation\": null", Some(Format::TokenizerJson)),
        ("{\"model\": {", Some(Format::TokenizerJson)),
        ("", None),
        ("{", None),
        ("{\"a", None),
        ("{\"a\"", None),
        ("{\"a\":", None),
        ("\u{feff}{\"a\": 0}", None),
        ("hello world", None),
        ("{\"config\": {", Some(Format::Tekken)),
        ("{\"vocab\": [", Some(Format::Tekken)),
        ("{\"explicit_n_vocab\": 7", Some(Format::TiktokenJson)),
        ("{\"bpe_ranks\": \"", Some(Format::TiktokenJson)),
        ("GGUF", Some(Format::Gguf)),
        ("\n{\n  \"a\": 0, \"b\": 1}", Some(Format::PlainJson)),
        ("\n\u{9}\n\u{5}<unk>\u{18}\u{2}", Some(Format::SentencePiece)),
    ] {
        assert_eq!(Format::sniff(file.as_bytes()), format, "{file}");
        if format.is_none() {
            assert_eq!(load(file), Err(Error::UnknownFormat));
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_loader_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        for (_, loader) in LOADERS {
            let _ = loader(&bytes, &Config::default());
        }
        let _ = loaders::load(&bytes, &Config::default());
    }

    #[test]
    fn damaged_files_are_an_error_or_a_valid_vocabulary(
        file in prop::sample::select(vec![
            "IQ== 0\nIg== 1\n/+8= 300\n".to_owned(),
            "1 '\\x00' 1\n2 b'\\xff' 1\n3 \"it's\" 4\n".to_owned(),
            r#"{"1": "a", "2": [255, 0]}"#.to_owned(),
            r#"{"a": 1, "é": 2}"#.to_owned(),
            r#"[[0, "a"], [7, [195]]]"#.to_owned(),
            tokenizer(r#"{"type": "BPE", "vocab": {"▁a": 0, "<0x0A>": 1}, "byte_fallback": true}"#, LLAMA_2),
        ]),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = file.into_bytes();
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(cut.index(bytes.len() + 1));
        for (_, loader) in LOADERS {
            if let Ok(vocabulary) = loader(&bytes, &Config::default()) {
                vocabulary.check().unwrap();
            }
        }
    }

    #[test]
    fn written_files_are_read_back(
        tokens in prop::collection::btree_map(0u32..500, prop::collection::vec(any::<u8>(), 0..6), 1..30),
    ) {
        use base64::Engine as _;
        let built = |special: &[(TokenId, String)]| {
            let tokens = tokens.iter().map(|(&id, bytes)| (TokenId(id), bytes.clone()));
            Vocabulary::from_parts(tokens, special.to_vec(), Attributes::default(), &Config::default())
        };
        let expected = built(&[]);
        let end = (TokenId(0), "<|endoftext|>".to_owned());
        let with_end = if tokens.contains_key(&0) { expected.clone() } else { built(&[end]) };
        let lines = |entry: &dyn Fn(u32, &[u8]) -> String| {
            tokens.iter().map(|(&id, bytes)| entry(id, bytes)).collect::<Vec<_>>()
        };
        let base64 = base64::engine::general_purpose::STANDARD;
        let tiktoken = lines(&|id, bytes| format!("{} {id}\n", base64.encode(bytes))).concat();
        let text = lines(&|id, bytes| {
            let escaped: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
            format!("{id} b'{escaped}' {}\n", bytes.len())
        }).concat();
        let rwkv = format!("{{{}}}", lines(&|id, bytes| format!("\"{id}\": {bytes:?}")).join(","));
        let list = format!("[{}]", lines(&|id, bytes| format!("[{id}, {bytes:?}]")).join(","));
        for (file, expected) in [(tiktoken, &expected), (text, &with_end), (rwkv, &with_end), (list, &expected)] {
            prop_assert_eq!(&loaders::load(file.as_bytes(), &Config::default()), expected, "{}", file);
        }
    }
}

//! Files of GGUF and SentencePiece, sound ones and damaged ones. Each is written here value by value, so that
//! every corner of the formats can be put into a file.
#![cfg(feature = "loaders")]

use grammask_trie::loaders::{self, AddedSpecials, Format, Options};
use grammask_trie::{BinaryProblem, Config, Error, TokenId, Vocabulary};
use proptest::prelude::*;

/// Types of tokens, as both formats number them.
const NORMAL: u8 = 1;
const UNKNOWN: u8 = 2;
const CONTROL: u8 = 3;
const USER: u8 = 4;
const UNUSED: u8 = 5;
const BYTE: u8 = 6;

/// Writes a protobuf field with bytes: its tag, its length, its content. All are shorter than 128 bytes here.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, content.len() as u8][..], content].concat()
}

/// Writes a protobuf field with a number below 128. Fields from 16 on have two bytes of tag.
fn number(field: u8, value: u8) -> Vec<u8> {
    if field < 16 { vec![field << 3, value] } else { vec![field << 3 | 0x80, field >> 4, value] }
}

/// Writes a piece of a SentencePiece model: text, score, type.
fn piece(text: &str, kind: u8) -> Vec<u8> {
    let score = [&[2 << 3 | 5][..], &(-1.5f32).to_le_bytes()].concat();
    field(1, &[field(1, text.as_bytes()), score, number(3, kind)].concat())
}

/// A model with every type of piece.
fn model() -> Vec<u8> {
    let pieces = [
        ("<unk>", UNKNOWN),
        ("<s>", CONTROL),
        ("</s>", CONTROL),
        ("<0x0A>", BYTE),
        ("\u{2581}the", NORMAL),
        ("\u{2581}\u{2581}", USER),
        ("<end_of_turn>", USER),
        ("<think>", USER),
        ("never", UNUSED),
        ("<0x41>", NORMAL),
    ];
    pieces.iter().flat_map(|(text, kind)| piece(text, *kind)).collect()
}

fn load(bytes: &[u8]) -> Result<Vocabulary, Error> {
    let vocabulary = loaders::load(bytes, &Config::default())?;
    vocabulary.check().unwrap();
    Ok(vocabulary)
}

#[test]
fn sentencepiece_pieces_have_types() {
    assert_eq!(Format::sniff(&model()), Some(Format::SentencePiece));
    let vocabulary = load(&model()).unwrap();
    insta::assert_snapshot!(format!("{vocabulary:#}"), @r#"
    5 tokens, 4 special, ids below 10 (1 unknown), longest 7 bytes
    token0 <unk>
    token1 <s>
    token2 </s>
    token3 "\n"
    token4 " the"
    token5 "  "
    token6 <end_of_turn>
    token7 "<think>"
    token9 "<0x41>"
    "#);
    assert_eq!(vocabulary.ends(), [2, 6].map(TokenId));
    assert_eq!(vocabulary.begins(), [TokenId(1)]);
    assert!(vocabulary.strips_first_space());
}

#[test]
fn sentencepiece_files_say_ends_and_spaces() {
    // The ids of the first and last token, then no dummy prefix, then no extra spaces.
    let trainer = |parts: &[Vec<u8>]| field(2, &parts.concat());
    let normalizer = |parts: &[Vec<u8>]| field(3, &parts.concat());
    let with = |parts: &[Vec<u8>]| load(&[model(), parts.concat()].concat());
    let vocabulary = with(&[trainer(&[number(41, 2), number(42, 1)])]).unwrap();
    assert_eq!((vocabulary.ends(), vocabulary.begins()), (&[1, 2, 6].map(TokenId)[..], &[TokenId(2)][..]));
    // -1 has ten bytes.
    let none = [&[42 << 3 & 0x7f | 0x80, 42 >> 4][..], &[0xff; 9], &[1]].concat();
    assert_eq!(with(&[trainer(&[none])]).unwrap().ends(), [2, 6].map(TokenId), "the names are left");
    assert!(with(&[normalizer(&[number(3, 0)])]).unwrap().strips_first_space(), "extra spaces are removed");
    assert!(!with(&[normalizer(&[number(3, 0), number(4, 0)])]).unwrap().strips_first_space());
    assert!(!with(&[trainer(&[number(24, 1)])]).unwrap().strips_first_space(), "spaces are suffixes");
    assert_eq!(
        with(&[trainer(&[number(42, 77)])]).unwrap_err().to_string(),
        "`trainer_spec.eos_id` names the id 77, which is not in the vocabulary"
    );
    assert_eq!(
        with(&[field(5, &field(2, b"rules"))]).unwrap_err().to_string(),
        "not supported: a SentencePiece model with a `denormalizer_spec`"
    );
}

#[test]
fn damaged_sentencepiece_files_have_the_place_of_the_damage() {
    let says = |bytes: &[u8]| loaders::sentencepiece(bytes, &Config::default()).unwrap_err().to_string();
    insta::assert_snapshot!(
        [
            says(b""),
            says(&[0x0a, 0x7f, 0x0a]),
            says(&[0x0a, 0x03, 0x0a, 0x01, 0xff]),
            says(&[0x0a, 0x02, 0x18, 0x09]),
            says(&[0x0b]),
            says(&[0xff; 12]),
            // A length of 2^63.
            says(&[0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]),
            says(&piece("<0x0>", BYTE)),
        ]
        .join("\n"),
        @r"
    byte 0: the file does not begin with a piece of a SentencePiece model
    byte 2: the file ends 126 bytes before the end of this value
    byte 4: the text is not UTF-8
    byte 2: the type of a piece is not a number from 1 to 6
    byte 0: field 1 has the wire type 3
    byte 0: the number has more than 64 bits
    byte 11: the file ends 9223372036854775808 bytes before the end of this value
    token 0: the token is marked as a byte and is not spelled `<0xHH>`
    "
    );
}

/// A GGUF file of version 3 with these keys.
fn gguf(keys: &[Vec<u8>]) -> Vec<u8> {
    let head = [&b"GGUF"[..], &3u32.to_le_bytes(), &9u64.to_le_bytes(), &(keys.len() as u64).to_le_bytes()];
    [head.concat(), keys.concat()].concat()
}

fn text(content: &str) -> Vec<u8> {
    [&(content.len() as u64).to_le_bytes()[..], content.as_bytes()].concat()
}

/// A key with a value of a type.
fn key(name: &str, kind: u32, value: &[u8]) -> Vec<u8> {
    [text(name), kind.to_le_bytes().to_vec(), value.to_vec()].concat()
}

fn text_key(name: &str, value: &str) -> Vec<u8> {
    key(name, 8, &text(value))
}

fn id_key(name: &str, id: u32) -> Vec<u8> {
    key(&format!("tokenizer.ggml.{name}_token_id"), 4, &id.to_le_bytes())
}

fn array(kind: u32, values: &[Vec<u8>]) -> Vec<u8> {
    [kind.to_le_bytes().to_vec(), (values.len() as u64).to_le_bytes().to_vec(), values.concat()].concat()
}

/// The keys of a vocabulary.
fn tokens(model: &str, tokens: &[(&str, u8)]) -> Vec<Vec<u8>> {
    let pieces: Vec<Vec<u8>> = tokens.iter().map(|(piece, _)| text(piece)).collect();
    let kinds: Vec<Vec<u8>> =
        tokens.iter().map(|(_, kind)| i32::from(*kind).to_le_bytes().to_vec()).collect();
    vec![
        text_key("general.architecture", "llama"),
        text_key("tokenizer.ggml.model", model),
        key("tokenizer.ggml.scores", 9, &array(6, &vec![vec![0; 4]; tokens.len()])),
        key("tokenizer.ggml.tokens", 9, &array(8, &pieces)),
        key("tokenizer.ggml.token_type", 9, &array(5, &kinds)),
    ]
}

#[test]
fn gguf_of_a_sentencepiece_model() {
    let keys = tokens(
        "llama",
        &[
            ("<unk>", UNKNOWN),
            ("<s>", CONTROL),
            ("</s>", CONTROL),
            ("<0xff>", BYTE),
            ("\u{2581}the", NORMAL),
            ("\u{2581}", USER),
            ("<|im_end|>", NORMAL),
            ("[PAD7]", USER),
            ("[PAD9]", NORMAL),
            ("x", UNUSED),
        ],
    );
    let file = gguf(&keys);
    assert_eq!(Format::sniff(&file), Some(Format::Gguf));
    let vocabulary = load(&file).unwrap();
    insta::assert_snapshot!(format!("{vocabulary:#}"), @r#"
    4 tokens, 4 special, ids below 9 (1 unknown), longest 6 bytes
    token0 <unk>
    token1 <s>
    token2 </s>
    token3 "\xff"
    token4 " the"
    token5 "▁"
    token6 <|im_end|>
    token8 "[PAD9]"
    "#);
    assert_eq!((vocabulary.rows(), vocabulary.id_count()), (10, 9));
    // The default of the format, and a name.
    assert_eq!(vocabulary.ends(), [2, 6].map(TokenId));
    let with = |more: Vec<u8>| load(&gguf(&[keys.clone(), vec![more]].concat())).unwrap();
    assert_eq!(with(id_key("eos", 6)).ends(), [6, 2].map(TokenId));
    assert_eq!(with(id_key("eot", 4)).special_name(TokenId(4)), Some("\u{2581}the"), "an end is special");
    assert_eq!(with(id_key("bos", 2)).begins(), [TokenId(2)]);
    assert!(with(id_key("eos", 6)).strips_first_space());
    assert!(!with(key("tokenizer.ggml.add_space_prefix", 7, &[0])).strips_first_space());
    let all = Options { added: AddedSpecials::Flag, ..Options::default() };
    assert!(loaders::load_with(&file, &all, &Config::default()).unwrap().bytes(TokenId(6)).is_some());
}

#[test]
fn gguf_of_other_models() {
    let vocabulary = |model, list: &[(&str, u8)]| load(&gguf(&tokens(model, list))).unwrap();
    let bytes =
        |model, piece, kind| vocabulary(model, &[(piece, kind)]).bytes(TokenId(0)).map(<[u8]>::to_vec);
    assert_eq!(bytes("gpt2", "\u{120}a", NORMAL).unwrap(), b" a");
    assert_eq!(bytes("gpt2", "\u{f5}", NORMAL).unwrap(), b"\xf5");
    assert_eq!(bytes("gpt2", "\u{f5}", USER).unwrap(), "\u{f5}".as_bytes(), "user-defined text is literal");
    assert_eq!(bytes("gpt2", "a b\u{120}", NORMAL).unwrap(), "a b\u{120}".as_bytes());
    assert_eq!(bytes("gemma4", "\u{2581}a", NORMAL).unwrap(), b" a");
    assert_eq!(bytes("bert", "\u{2581}a", NORMAL).unwrap(), b" a");
    assert_eq!(bytes("rwkv", r"\n\xffa", NORMAL).unwrap(), b"\n\xffa");
    assert_eq!(bytes("plamo2", "\u{2581}\u{120}", NORMAL).unwrap(), "\u{2581}\u{120}".as_bytes());
    let harmony = vocabulary("gpt2", &[("<|return|>", CONTROL), ("<|end|>", CONTROL), ("<|call|>", CONTROL)]);
    assert_eq!(harmony.ends(), [0, 2].map(TokenId));
    let unlike = load(&gguf(&tokens("wordpiece", &[("a", NORMAL)]))).unwrap_err();
    assert!(
        unlike.to_string().starts_with("`tokenizer.ggml.model`: the model \"wordpiece\" is not supported")
    );
    let pre = [tokens("gpt2", &[("\u{2581}a", NORMAL)]), vec![text_key("tokenizer.ggml.pre", "gemma4")]];
    assert_eq!(load(&gguf(&pre.concat())).unwrap().bytes(TokenId(0)).unwrap(), b" a");
}

#[test]
fn damaged_gguf_files_have_the_place_of_the_damage() {
    let says = |bytes: &[u8]| loaders::gguf(bytes, &Config::default()).unwrap_err().to_string();
    let list = |keys: Vec<Vec<u8>>| says(&gguf(&keys));
    let two = tokens("llama", &[("a", NORMAL), ("b", NORMAL)]);
    let replaced = |index: usize, by: Vec<u8>| {
        let mut keys = two.clone();
        keys[index] = by;
        list(keys)
    };
    let huge = [8u32.to_le_bytes().to_vec(), u64::MAX.to_le_bytes().to_vec()].concat();
    let nested = [[9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0].repeat(100), array(8, &[])].concat();
    insta::assert_snapshot!(
        [
            says(b"GGML"),
            says(b"GGUF\x01\0\0\0"),
            says(b"GGUF\0\0\0\x03"),
            says(b"GGUF\x03\0\0\0\0"),
            replaced(0, text_key("general.architecture", "llama")[..30].to_vec()),
            replaced(1, text_key("x", "y")),
            replaced(1, key("tokenizer.ggml.model", 4, &[0; 4])),
            replaced(3, text_key("x", "y")),
            replaced(3, key("tokenizer.ggml.tokens", 9, &array(4, &[vec![0; 4]]))),
            replaced(3, key("tokenizer.ggml.tokens", 9, &huge)),
            replaced(4, key("tokenizer.ggml.token_type", 9, &array(5, &[vec![0; 4]]))),
            replaced(4, key("tokenizer.ggml.token_type", 9, &array(5, &[vec![9; 4], vec![9; 4]]))),
            replaced(0, key("x", 13, b"")),
            replaced(0, key("x", 9, &nested)),
            list([two.clone(), vec![id_key("eos", 7)]].concat()),
            says(&gguf(&tokens("rwkv", &[("a\\", NORMAL)]))),
        ]
        .join("\n"),
        @"
    byte 0: the file does not begin with GGUF
    byte 4: version 1 of the format is not supported, only 2 and 3 in little-endian order
    byte 4: version 50331648 of the format is not supported, only 2 and 3 in little-endian order
    byte 8: the file ends 7 bytes before the end of this value
    byte 52: there is no value type 1310728
    `tokenizer.ggml.model`: the key is missing
    `tokenizer.ggml.model`: expected a text, found an integer
    `tokenizer.ggml.tokens`: the key is missing
    `tokenizer.ggml.tokens`: expected an array of values that are a text, found one of values that are an integer
    byte 253: the file ends 21474836473 bytes before the end of this value
    `tokenizer.ggml.token_type`: 1 types instead of one for each of the 2 tokens
    token 0: the type of the token is not a number from 0 to 6
    byte 33: there is no value type 13
    byte 85: the array is nested more than 4 levels deep
    `tokenizer.ggml.eos_token_id` names the id 7, which is not in the vocabulary
    token 0: the token is not an escaped text
    "
    );
    let cut = &gguf(&two)[..100];
    let error = loaders::gguf(cut, &Config::default()).unwrap_err();
    assert!(matches!(error, Error::Binary { problem: BinaryProblem::End { .. }, .. }), "{error}");
}

proptest! {
    #[test]
    fn damaged_binary_files_are_an_error_or_a_valid_vocabulary(
        is_gguf in any::<bool>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let list = [("<s>", CONTROL), ("\u{120}a", NORMAL), ("<0x0A>", BYTE), ("[PAD3]", USER)];
        let mut bytes = if is_gguf { gguf(&tokens("gpt2", &list)) } else { model() };
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(cut.index(bytes.len() + 1));
        for loader in [loaders::gguf, loaders::sentencepiece, loaders::load] {
            if let Ok(vocabulary) = loader(&bytes, &Config::default()) {
                vocabulary.check().unwrap();
            }
        }
    }
}

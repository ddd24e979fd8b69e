//! The loaders on the vocabularies of real models, where the folder that holds them is there.
#![cfg(feature = "loaders")]
#![allow(clippy::print_stderr, reason = "a check that is skipped says so")]

use std::path::Path;

use grammask_trie::loaders::{self, Format};
use grammask_trie::{Config, TokenId, TrieNodeId, Vocabulary};

/// The file, or none with a word about it where it is not there.
fn file(name: &str) -> Option<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vocab").join(name);
    let read = std::fs::read(&path);
    if let Err(error) = &read {
        eprintln!("skipped: {}: {error}", path.display());
    }
    read.ok()
}

fn load(bytes: &[u8]) -> Vocabulary {
    let vocabulary = loaders::load(bytes, &Config::default()).unwrap();
    vocabulary.check().unwrap();
    vocabulary
}

fn bytes(vocabulary: &Vocabulary, id: u32) -> &[u8] {
    vocabulary.bytes(TokenId(id)).unwrap()
}

#[test]
fn llama_3_in_tiktoken_form() {
    let Some(file) = file("llama3.tiktoken") else { return };
    assert_eq!(Format::sniff(&file), Some(Format::Tiktoken));
    let vocabulary = load(&file);
    assert_eq!(vocabulary.to_string(), "128000 tokens, 0 special, ids below 128000, longest 128 bytes");
    assert_eq!(vocabulary.trie().to_string(), "274521 nodes, 128000 tokens, depth 128");
    assert!(vocabulary.has_every_byte());
    assert_eq!((bytes(&vocabulary, 0), bytes(&vocabulary, 262)), (&b"!"[..], &b"   "[..]));
    for (id, bytes) in vocabulary.tokens() {
        let node = vocabulary.trie().find(bytes).unwrap();
        assert_eq!(vocabulary.trie().tokens(node), [id], "no two tokens are alike");
    }
}

#[test]
fn rwkv_world_in_json_form() {
    let Some(file) = file("rwkv_vocab_v20230424.json") else { return };
    assert_eq!(Format::sniff(&file), Some(Format::RwkvJson));
    let vocabulary = load(&file);
    assert_eq!(vocabulary.to_string(), "65529 tokens, 1 special, ids below 65530, longest 128 bytes");
    assert!(vocabulary.has_every_byte());
    assert_eq!((bytes(&vocabulary, 1), bytes(&vocabulary, 129)), (&[0][..], &[128][..]));
    assert_eq!(bytes(&vocabulary, 2423), "\u{80}".as_bytes());
    assert_eq!(vocabulary.ends(), [TokenId(0)]);
}

#[test]
fn llama_2_as_tokenizer_json() {
    let Some(file) = file("sentencepiece-byte-fallback.tokenizer.json") else { return };
    assert_eq!(Format::sniff(&file), Some(Format::TokenizerJson));
    let vocabulary = load(&file);
    assert_eq!(vocabulary.to_string(), "31997 tokens, 4 special, ids below 32001, longest 16 bytes");
    assert!(vocabulary.has_every_byte());
    assert_eq!(
        ["<unk>", "<s>", "</s>", "[PAD]"].map(|name| vocabulary.special(name).unwrap().0),
        [0, 1, 2, 32000]
    );
    assert!((0..=255).all(|byte| bytes(&vocabulary, 3 + u32::from(byte)) == [byte]));
    assert_eq!((bytes(&vocabulary, 266), bytes(&vocabulary, 259)), (&b" the"[..], &b" t"[..]));
    assert_eq!(vocabulary.ends(), [TokenId(2)]);
    assert!(vocabulary.strips_first_space());
    // A byte that is a piece, too.
    let a = vocabulary.trie().child(TrieNodeId::ROOT, b'a').unwrap();
    assert_eq!(vocabulary.trie().tokens(a).len(), 2);
}

#[test]
fn truncated_files_are_an_error_or_a_valid_vocabulary() {
    for name in ["llama3.tiktoken", "rwkv_vocab_v20230424.json", "sentencepiece-byte-fallback.tokenizer.json"]
    {
        let Some(file) = file(name) else { continue };
        // Every thousandth byte of the first part, then fewer, because reading most of a file takes long.
        let cuts = (0..file.len().min(60_000)).step_by(1000).chain((0..file.len()).step_by(100_003));
        for cut in cuts {
            match loaders::load(&file[..cut], &Config::default()) {
                Ok(vocabulary) => assert!(name.ends_with("tiktoken") && vocabulary.check().is_ok(), "{cut}"),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
}

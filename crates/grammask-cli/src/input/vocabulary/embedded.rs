//! The vocabularies that are part of the program.

use grammask_trie::Vocabulary;
use grammask_trie::loaders::Preset;

use crate::failure::Failure;

/// Names of the vocabularies, the default first.
pub(crate) const NAMES: [&str; 2] = ["o200k", "o200k_harmony"];

/// o200k in the binary form. Written by the example `save` of grammask-trie from `o200k_base.tiktoken`, which
/// is part of tiktoken (MIT, OpenAI).
const O200K: &[u8] = include_bytes!("../../../data/o200k.vocabulary");

/// Loads the vocabulary with a name of [`NAMES`].
pub(super) fn load(name: &str) -> Result<Vocabulary, Failure> {
    let failure = |error| Failure::other(format!("the vocabulary {name}: {error}"));
    let o200k = Vocabulary::from_bytes(O200K, &Default::default()).map_err(failure)?;
    if name == NAMES[0] {
        return Ok(o200k);
    }
    let tokens = o200k.tokens().map(|(id, bytes)| (id, bytes.to_vec()));
    let special = Preset::O200kHarmony.special_tokens();
    Vocabulary::from_parts(tokens, special, Default::default(), &Default::default()).map_err(failure)
}

#[cfg(test)]
mod tests {
    use grammask::TokenId;

    use super::*;

    #[test]
    fn the_embedded_vocabulary_is_complete() {
        let vocabulary = load("o200k").unwrap();
        assert_eq!(vocabulary.token_count(), 199_998);
        assert_eq!(vocabulary.special("<|endoftext|>"), Some(TokenId(199_999)));
        assert_eq!(vocabulary.special("<|endofprompt|>"), Some(TokenId(200_018)));
        assert!(vocabulary.has_every_byte());
        let tokenizer = tiktoken_rs::o200k_base_singleton();
        for (id, bytes) in vocabulary.tokens() {
            assert_eq!(tokenizer.decode_bytes(&[id.0]).unwrap(), bytes, "{id}");
        }
        let harmony = load("o200k_harmony").unwrap();
        assert_eq!(harmony.token_count(), 199_998);
        assert_eq!(harmony.ends(), [199_999, 200_002, 200_012].map(TokenId));
    }
}

//! The vocabularies that are part of the program.

use grammask::TokenId;
use grammask_trie::Vocabulary;
use grammask_trie::loaders::Preset;

use crate::failure::Failure;

/// Names of the vocabularies, the default first.
pub(crate) const NAMES: [&str; 2] = ["o200k", "o200k_harmony"];

/// Loads the vocabulary with a name of [`NAMES`].
pub(super) fn load(name: &str) -> Result<Vocabulary, Failure> {
    let preset = Preset::named(name).unwrap_or(Preset::O200k);
    // The singleton is never freed. Freeing half a million small strings would take longer than a command.
    let tokenizer = tiktoken_rs::o200k_base_singleton();
    // The ranks of ordinary tokens start at 0 and have no gaps.
    let tokens = (0..preset.token_count() as u32)
        .map_while(|id| Some((TokenId(id), tokenizer.decode_bytes(&[id]).ok()?)));
    Vocabulary::new(tokens, preset.special_tokens(), &Default::default())
        .map_err(|error| Failure::other(format!("the vocabulary {name}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_vocabulary_is_complete() {
        let vocabulary = load("o200k").unwrap();
        assert_eq!(vocabulary.token_count(), 199_998);
        assert_eq!(vocabulary.special("<|endoftext|>"), Some(TokenId(199_999)));
        assert_eq!(vocabulary.special("<|endofprompt|>"), Some(TokenId(200_018)));
        assert!(vocabulary.has_every_byte());
        let harmony = load("o200k_harmony").unwrap();
        assert_eq!(harmony.token_count(), 199_998);
        assert_eq!(harmony.ends(), [199_999, 200_002, 200_012].map(TokenId));
    }
}

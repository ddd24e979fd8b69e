//! A vocabulary as grammars share it.

use std::ops::Deref;
use std::sync::Arc;

use crate::TokenId;

/// The tokens of a model.
///
/// A clone is another handle to the same vocabulary. What can be asked of it is what can be asked of a
/// [`grammask_trie::Vocabulary`], to which it dereferences; [`loaders`](crate::loaders) read tokenizer files.
///
/// ```
/// use grammask::{TokenId, Vocabulary};
///
/// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], [(TokenId(1), "<|end|>".into())])?;
/// assert_eq!(vocabulary.special("<|end|>"), Some(TokenId(1)));
/// # Ok::<(), grammask::VocabularyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Vocabulary {
    tokens: Arc<grammask_trie::Vocabulary>,
}

impl Vocabulary {
    /// A vocabulary of tokens with bytes, and of special tokens, which have a name and no bytes.
    ///
    /// Gaps in the ids, several ids with the same bytes, empty tokens and tokens that are no UTF-8 are all fine.
    ///
    /// # Errors
    /// When an id is given twice or exceeds the limits of [`grammask_trie::Config`]'s defaults.
    ///
    /// # Complexity
    /// O(b log t) for t tokens of b bytes together.
    pub fn new(
        tokens: impl IntoIterator<Item = (TokenId, Vec<u8>)>,
        special: impl IntoIterator<Item = (TokenId, String)>,
    ) -> Result<Self, crate::VocabularyError> {
        Ok(grammask_trie::Vocabulary::new(tokens, special, &grammask_trie::Config::default())?.into())
    }

    /// Reads a tokenizer file of any known format: tiktoken, Hugging Face `tokenizer.json`, RWKV, plain JSON.
    ///
    /// # Errors
    /// When the bytes are in none of these formats, or damaged.
    #[cfg(feature = "loaders")]
    pub fn load(bytes: &[u8]) -> Result<Self, crate::VocabularyError> {
        Ok(grammask_trie::loaders::load(bytes, &grammask_trie::Config::default())?.into())
    }

    /// The handle that other layers take.
    pub(crate) fn tokens_shared(&self) -> &Arc<grammask_trie::Vocabulary> {
        &self.tokens
    }
}

impl From<grammask_trie::Vocabulary> for Vocabulary {
    fn from(tokens: grammask_trie::Vocabulary) -> Self {
        Self { tokens: Arc::new(tokens) }
    }
}

impl Deref for Vocabulary {
    type Target = grammask_trie::Vocabulary;

    fn deref(&self) -> &Self::Target {
        &self.tokens
    }
}

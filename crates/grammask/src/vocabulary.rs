//! A vocabulary as grammars share it.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use grammask_mask::{Lexicon, LexiconConfig, LexiconStats};

use crate::TokenId;

/// The tokens of a model.
///
/// A clone is another handle to the same vocabulary. All grammars of a vocabulary share what their lexemes take of it: the second
/// grammar with strings finds the masks inside of strings ready. What can be asked of it is what can be asked of a
/// [`grammask_trie::Vocabulary`], to which it dereferences; [`loaders`](crate::loaders) read tokenizer files.
///
/// ```
/// use grammask::{TokenId, Vocabulary};
///
/// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], [(TokenId(1), "<|end|>".into())])?;
/// assert_eq!(vocabulary.special("<|end|>"), Some(TokenId(1)));
/// # Ok::<(), grammask::VocabularyError>(())
/// ```
#[derive(Clone)]
pub struct Vocabulary {
    shared: Arc<Shared>,
}

struct Shared {
    tokens: Arc<grammask_trie::Vocabulary>,
    /// What grammars share. It is exchanged for an empty one when it exceeds its budget; grammars move over one by one.
    lexicon: Mutex<Arc<Lexicon>>,
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

    /// The same tokens, with nothing shared yet, and with other limits for what will be.
    pub fn with_lexicon(&self, config: &LexiconConfig) -> Self {
        let lexicon = Arc::new(self.current().with_config(config));
        let tokens = Arc::clone(&self.shared.tokens);
        Self { shared: Arc::new(Shared { tokens, lexicon: Mutex::new(lexicon) }) }
    }

    /// Sizes of what grammars share.
    pub fn stats(&self) -> LexiconStats {
        self.current().stats()
    }

    /// Whether what grammars share has reached its budget.
    pub(crate) fn is_full(&self) -> bool {
        self.current().is_over_budget()
    }

    /// What grammars share, as it is.
    fn current(&self) -> Arc<Lexicon> {
        Arc::clone(&self.shared.lexicon.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What grammars share: never more than its budget when it is given out.
    pub(crate) fn lexicon(&self) -> Arc<Lexicon> {
        let mut lexicon = self.shared.lexicon.lock().unwrap_or_else(PoisonError::into_inner);
        if lexicon.is_over_budget() {
            *lexicon = Arc::new(lexicon.successor());
        }
        Arc::clone(&lexicon)
    }
}

impl From<grammask_trie::Vocabulary> for Vocabulary {
    fn from(tokens: grammask_trie::Vocabulary) -> Self {
        let tokens = Arc::new(tokens);
        let lexicon = Lexicon::new(Arc::clone(&tokens), &LexiconConfig::default());
        Self { shared: Arc::new(Shared { tokens, lexicon: Mutex::new(Arc::new(lexicon)) }) }
    }
}

impl std::fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vocabulary")
            .field("tokens", &self.shared.tokens)
            .field("stats", &self.stats())
            .finish()
    }
}

impl Deref for Vocabulary {
    type Target = grammask_trie::Vocabulary;

    fn deref(&self) -> &Self::Target {
        &self.shared.tokens
    }
}

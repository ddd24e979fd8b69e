//! Vocabularies as the crate `kbnf` has them: made from maps of ids to tokens and to texts.

use std::fmt;
use std::sync::Arc;

use ahash::AHashMap;
use grammask::trie::Limit;
use grammask::{TokenId, VocabularyError};

/// The bytes of a token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Token(pub Box<[u8]>);

/// The tokens of a model. A clone is another handle to the same vocabulary.
///
/// ```
/// use ahash::AHashMap;
/// use grammask_kbnf::{Token, Vocabulary};
///
/// let tokens = AHashMap::from_iter([(0, Token(b"a".as_slice().into())), (4, Token([0xff].as_slice().into()))]);
/// let texts = AHashMap::from_iter([(0, "a".to_string()), (4, "<0xFF>".to_string())]);
/// let vocabulary = Vocabulary::new(tokens, texts)?;
/// assert_eq!(vocabulary.vocab_size(), 5);
/// assert_eq!(vocabulary.token_id(&Token([0xff].as_slice().into())), Some(4));
/// assert_eq!(vocabulary.token_string(4), Some("<0xFF>"));
/// # Ok::<(), grammask_kbnf::vocabulary::CreateVocabularyError>(())
/// ```
#[derive(Clone)]
pub struct Vocabulary {
    shared: Arc<Shared>,
}

struct Shared {
    tokens: AHashMap<u32, Token>,
    texts: AHashMap<u32, String>,
    vocabulary: grammask::Vocabulary,
}

/// Why a vocabulary could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateVocabularyError {
    /// An id is too large, or the tokens have too many bytes together: the number of ids or bytes, and the
    /// limit.
    #[error("the vocabulary has {0} ids, or bytes, more than {1}")]
    VocabularyTooLarge(usize, usize),
    /// A token is too long: its length in bytes, and the limit.
    #[error("a token has {0} bytes, more than {1}")]
    TokenTooLong(usize, usize),
}

impl Vocabulary {
    /// Makes a vocabulary of the tokens in `id_to_token`. Several ids may have equal bytes, and ids may have
    /// gaps.
    ///
    /// `id_to_token_string` has the texts for [`token_string`](Self::token_string), and may lack some ids.
    /// Nothing else depends on it.
    ///
    /// # Errors
    /// If the ids or the tokens exceed the default [limits](grammask::trie::Limits) of vocabularies.
    ///
    /// # Complexity
    /// O(b log t) for t tokens with b bytes in total.
    pub fn new(
        id_to_token: AHashMap<u32, Token>,
        id_to_token_string: AHashMap<u32, String>,
    ) -> Result<Self, CreateVocabularyError> {
        let mut sorted: Vec<_> = id_to_token.iter().map(|(&id, token)| (TokenId(id), token)).collect();
        sorted.sort_unstable_by_key(|&(id, _)| id);
        let tokens = sorted.iter().map(|&(id, token)| (id, token.0.to_vec()));
        let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        let vocabulary = grammask::Vocabulary::new(tokens, []).map_err(|error| match error {
            VocabularyError::LimitExceeded { exceeded, .. } if exceeded.limit == Limit::MaxTokenBytes => {
                let length = exceeded.found.unwrap_or(exceeded.value);
                CreateVocabularyError::TokenTooLong(number(length), number(exceeded.value))
            }
            VocabularyError::LimitExceeded { exceeded, .. } if exceeded.limit == Limit::MaxBytes => {
                let bytes = sorted.iter().map(|(_, token)| token.0.len()).sum();
                CreateVocabularyError::VocabularyTooLarge(bytes, number(exceeded.value))
            }
            _ => {
                let limit = grammask::trie::Limits::default().max_ids;
                let ids = sorted.last().map_or(0, |(id, _)| id.index().saturating_add(1));
                CreateVocabularyError::VocabularyTooLarge(ids, limit as usize)
            }
        })?;
        let shared = Shared { tokens: id_to_token, texts: id_to_token_string, vocabulary };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Returns the token with this id. Returns `None` if no token has it.
    pub fn token(&self, token_id: u32) -> Option<&Token> {
        self.shared.tokens.get(&token_id)
    }

    /// Returns the text of the token with this id. Returns `None` if `id_to_token_string` lacks it.
    pub fn token_string(&self, token_id: u32) -> Option<&str> {
        self.shared.texts.get(&token_id).map(String::as_str)
    }

    /// Returns the id of a token: the smallest, if several ids have its bytes. Returns `None` if no id has
    /// them.
    pub fn token_id(&self, token: &Token) -> Option<u32> {
        let trie = self.shared.vocabulary.trie();
        trie.find(&token.0).and_then(|node| trie.tokens(node).first()).map(|id| id.0)
    }

    /// Returns one more than the largest id, or 0 if there are no tokens. Logits must be at least as many.
    pub fn vocab_size(&self) -> usize {
        self.shared.vocabulary.id_count()
    }

    /// Returns the vocabulary for `grammask`.
    pub fn as_vocabulary(&self) -> &grammask::Vocabulary {
        &self.shared.vocabulary
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vocabulary({})", *self.shared.vocabulary)
    }
}

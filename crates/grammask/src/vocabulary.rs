//! A vocabulary as grammars share it.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    lexicons: Mutex<Lexicons>,
}

/// What grammars share. It is exchanged for an empty one when it exceeds its budget; grammars move over one by one.
struct Lexicons {
    current: Arc<Lexicon>,
    /// The last one that was given up: freeing it takes many times as long as a mask may, so that waits until somebody compiles a grammar.
    given_up: Option<Arc<Lexicon>>,
}

impl Lexicons {
    fn new(lexicon: Lexicon) -> Mutex<Self> {
        Mutex::new(Self { current: Arc::new(lexicon), given_up: None })
    }
}

impl Vocabulary {
    /// A vocabulary of tokens with bytes, and of special tokens, which have a name and no bytes.
    ///
    /// Gaps in the ids, several ids with the same bytes, empty tokens and tokens that are no UTF-8 are all fine.
    ///
    /// # Errors
    /// When an id is given twice or exceeds the default [limits](grammask_trie::Limits) of vocabularies.
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
        let lexicon = self.current().with_config(config);
        let tokens = Arc::clone(&self.shared.tokens);
        Self { shared: Arc::new(Shared { tokens, lexicons: Lexicons::new(lexicon) }) }
    }

    /// Sizes of what grammars share.
    pub fn stats(&self) -> LexiconStats {
        self.current().stats()
    }

    /// Whether what grammars share has reached its budget.
    pub(crate) fn is_full(&self) -> bool {
        self.current().is_over_budget()
    }

    fn lock(&self) -> MutexGuard<'_, Lexicons> {
        self.shared.lexicons.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What grammars share, as it is.
    fn current(&self) -> Arc<Lexicon> {
        Arc::clone(&self.lock().current)
    }

    /// What grammars share: never more than its budget when it is given out.
    pub(crate) fn lexicon(&self) -> Arc<Lexicon> {
        let mut lexicons = self.lock();
        if lexicons.current.is_over_budget() {
            let next = Arc::new(lexicons.current.successor());
            let last = std::mem::replace(&mut lexicons.current, next);
            let before = lexicons.given_up.replace(last);
            let current = Arc::clone(&lexicons.current);
            drop(lexicons);
            drop(before);
            return current;
        }
        Arc::clone(&lexicons.current)
    }

    /// The same for a new grammar: its user waits anyhow, so what was given up is freed now.
    pub(crate) fn lexicon_to_compile(&self) -> Arc<Lexicon> {
        let lexicon = self.lexicon();
        let given_up = self.lock().given_up.take();
        drop(given_up);
        lexicon
    }
}

impl From<grammask_trie::Vocabulary> for Vocabulary {
    fn from(tokens: grammask_trie::Vocabulary) -> Self {
        let tokens = Arc::new(tokens);
        let lexicon = Lexicon::new(Arc::clone(&tokens), &LexiconConfig::default());
        Self { shared: Arc::new(Shared { tokens, lexicons: Lexicons::new(lexicon) }) }
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

#[cfg(test)]
mod tests {
    use std::sync::Weak;

    use super::*;
    use crate::{Config, Grammar};

    #[test]
    fn one_lexicon_is_kept_until_a_grammar_is_compiled() {
        let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], []).unwrap();
        let vocabulary = vocabulary.with_lexicon(&LexiconConfig { budget: 0, ..LexiconConfig::default() });
        let compile = || Grammar::compile("start ::= #'a*' 'b';", &vocabulary, &Config::default()).unwrap();
        let mut matcher = compile().matcher();
        // Each call fills a lexicon beyond its budget, so that the next one goes on in another.
        let mut seen = Vec::new();
        let mut note = || {
            let current = Arc::downgrade(&vocabulary.current());
            if !seen.iter().any(|known| Weak::ptr_eq(known, &current)) {
                seen.push(current);
            }
        };
        for _ in 0..4 {
            matcher.mask();
            note();
            assert!(matcher.accept(TokenId(0)).is_accepted());
            note();
        }
        let alive = || seen.iter().rev().map(|lexicon| lexicon.upgrade().is_some()).collect::<Vec<_>>();
        assert!(seen.len() > 3);
        assert_eq!(alive()[..3], [true, true, false], "the one in use, and the last one that was given up");
        compile();
        assert_eq!(alive()[..2], [true, false]);
    }
}

//! A vocabulary, with the lexicon that its grammars share.

use std::ops::Deref;
#[cfg(feature = "notations")]
use std::sync::OnceLock;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use grammask_mask::{Lexicon, LexiconConfig, LexiconStats};

use crate::{Attributes, TokenId};

#[cfg(feature = "loaders")]
mod files;

/// The tokens of a model.
///
/// A clone is another handle to the same vocabulary. All grammars of a vocabulary share a lexicon, a cache of
/// the tokens that each lexeme accepts: the second grammar with strings finds the masks inside of strings in
/// it. So make one vocabulary for each model, and clone it.
///
/// It dereferences to [`grammask_trie::Vocabulary`], which has the methods to look up tokens, the tokens that
/// end a sequence ([`ends`](grammask_trie::Vocabulary::ends)) and the number of logits of the model
/// ([`rows`](grammask_trie::Vocabulary::rows)). `grammask::loaders` reads tokenizer files.
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
    /// The names of the special tokens, made for the first structural tag.
    #[cfg(feature = "notations")]
    special_spellings: OnceLock<grammask_tags::SpecialTokens>,
}

impl Shared {
    fn new(tokens: Arc<grammask_trie::Vocabulary>, lexicon: Lexicon) -> Arc<Self> {
        Arc::new(Self {
            tokens,
            lexicons: Lexicons::new(lexicon),
            #[cfg(feature = "notations")]
            special_spellings: OnceLock::new(),
        })
    }
}

type SharedLexicon = grammask_cache::Shared<Lexicon>;

/// The lexicon that grammars share. An empty one replaces it when it exceeds its memory budget; grammars move
/// to the new one when they replace their own tables.
struct Lexicons {
    current: SharedLexicon,
    /// The lexicon before. It is freed when a grammar is compiled, by a thread of its own if it is large.
    retired: Option<SharedLexicon>,
}

impl Lexicons {
    fn new(lexicon: Lexicon) -> Mutex<Self> {
        Mutex::new(Self { current: SharedLexicon::new(lexicon), retired: None })
    }
}

impl Vocabulary {
    /// Makes a vocabulary of tokens with bytes, and of special tokens, which have a name and no bytes.
    ///
    /// The ids may have gaps, and several ids may have equal bytes. A token may be empty, and need not be
    /// UTF-8. No token ends a sequence; [`from_parts`](Self::from_parts) states the ends, or finds them by name.
    ///
    /// # Errors
    /// If an id occurs twice, or a default [limit](grammask_trie::Limits) of vocabularies is exceeded.
    ///
    /// # Complexity
    /// O(b log t) for t tokens with b bytes in total.
    pub fn new(
        tokens: impl IntoIterator<Item = (TokenId, Vec<u8>)>,
        special: impl IntoIterator<Item = (TokenId, String)>,
    ) -> Result<Self, crate::VocabularyError> {
        Ok(grammask_trie::Vocabulary::new(tokens, special, &grammask_trie::Config::default())?.into())
    }

    /// Makes a vocabulary as [`new`](Self::new) does, with facts besides its tokens. These are the tokens that
    /// end and begin a sequence, the number of logits, and whether the decoder strips the first space.
    ///
    /// # Errors
    /// As [`new`](Self::new), and if the attributes name a token that is not there, or fewer rows than ids.
    ///
    /// ```
    /// use grammask::{Attributes, TokenId, Vocabulary};
    ///
    /// let attributes = Attributes { rows: Some(128), ..Attributes::default() };
    /// let special = [(TokenId(1), "</s>".into())];
    /// let vocabulary = Vocabulary::from_parts([(TokenId(0), b"a".to_vec())], special, attributes)?;
    /// assert_eq!((vocabulary.rows(), vocabulary.ends()), (128, &[TokenId(1)][..]));
    /// # Ok::<(), grammask::VocabularyError>(())
    /// ```
    pub fn from_parts(
        tokens: impl IntoIterator<Item = (TokenId, Vec<u8>)>,
        special: impl IntoIterator<Item = (TokenId, String)>,
        attributes: Attributes,
    ) -> Result<Self, crate::VocabularyError> {
        let config = grammask_trie::Config::default();
        Ok(grammask_trie::Vocabulary::from_parts(tokens, special, attributes, &config)?.into())
    }

    /// Returns a vocabulary with other tokens that end a sequence, which [`Ending::OfVocabulary`] takes, and
    /// an empty lexicon of its own.
    ///
    /// [`Ending::OfVocabulary`]: crate::Ending::OfVocabulary
    ///
    /// # Errors
    /// If a token is not in the vocabulary.
    pub fn with_ends(&self, ends: impl IntoIterator<Item = TokenId>) -> Result<Self, crate::VocabularyError> {
        Ok(grammask_trie::Vocabulary::clone(&self.shared.tokens).with_ends(ends)?.into())
    }

    /// Reads a vocabulary that [`to_bytes`](grammask_trie::Vocabulary::to_bytes) wrote, in a fraction of the time
    /// of a tokenizer file.
    ///
    /// # Errors
    /// If the bytes are damaged, or have another version of the format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, crate::VocabularyError> {
        Ok(grammask_trie::Vocabulary::from_bytes(bytes, &grammask_trie::Config::default())?.into())
    }

    /// Returns a vocabulary with the same tokens and an empty lexicon of its own, with these limits.
    pub fn with_lexicon(&self, config: &LexiconConfig) -> Self {
        let lexicon = self.current().with_config(config);
        let tokens = Arc::clone(&self.shared.tokens);
        Self { shared: Shared::new(tokens, lexicon) }
    }

    /// Returns the names of the special tokens, as structural tags look them up in texts.
    #[cfg(feature = "notations")]
    pub(crate) fn special_spellings(&self) -> &grammask_tags::SpecialTokens {
        self.shared
            .special_spellings
            .get_or_init(|| self.shared.tokens.specials().map(|(_, name)| name).collect())
    }

    /// Returns the sizes of the shared lexicon, and the work for it.
    pub fn stats(&self) -> LexiconStats {
        self.current().stats()
    }

    /// Returns true if the lexicon has reached its memory budget.
    pub(crate) fn is_full(&self) -> bool {
        self.current().is_over_budget()
    }

    fn lock(&self) -> MutexGuard<'_, Lexicons> {
        self.shared.lexicons.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the lexicon, even if it exceeds its memory budget.
    fn current(&self) -> SharedLexicon {
        self.lock().current.clone()
    }

    /// Returns the lexicon. Replaces it before if it exceeds its memory budget.
    pub(crate) fn lexicon(&self) -> SharedLexicon {
        let mut lexicons = self.lock();
        if lexicons.current.is_over_budget() {
            let next = SharedLexicon::new(lexicons.current.successor());
            let last = std::mem::replace(&mut lexicons.current, next);
            let before = lexicons.retired.replace(last);
            let current = lexicons.current.clone();
            drop(lexicons);
            drop(before);
            return current;
        }
        lexicons.current.clone()
    }

    /// Replaces the lexicon by an empty one, to free its memory as soon as no grammar uses it.
    pub(crate) fn replace_lexicon(&self) {
        let mut lexicons = self.lock();
        let next = SharedLexicon::new(lexicons.current.successor());
        let last = std::mem::replace(&mut lexicons.current, next);
        let before = lexicons.retired.take();
        drop(lexicons);
        drop((last, before));
    }

    /// Returns a handle that keeps nothing in memory.
    pub(crate) fn downgrade(&self) -> WeakVocabulary {
        WeakVocabulary(Arc::downgrade(&self.shared))
    }

    /// Returns the lexicon for a new grammar. Frees the retired lexicon, as compiling takes time in any case.
    pub(crate) fn lexicon_to_compile(&self) -> SharedLexicon {
        let lexicon = self.lexicon();
        let retired = self.lock().retired.take();
        drop(retired);
        lexicon
    }
}

/// A handle to a vocabulary that keeps nothing in memory.
pub(crate) struct WeakVocabulary(Weak<Shared>);

impl WeakVocabulary {
    pub(crate) fn upgrade(&self) -> Option<Vocabulary> {
        self.0.upgrade().map(|shared| Vocabulary { shared })
    }

    pub(crate) fn ptr_eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

impl From<grammask_trie::Vocabulary> for Vocabulary {
    fn from(tokens: grammask_trie::Vocabulary) -> Self {
        let tokens = Arc::new(tokens);
        let lexicon = Lexicon::new(Arc::clone(&tokens), &LexiconConfig::default());
        Self { shared: Shared::new(tokens, lexicon) }
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
    use crate::{Config, Grammar, LexiconLimits};

    #[test]
    fn retired_lexicon_is_freed_when_a_grammar_is_compiled() {
        let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], []).unwrap();
        let vocabulary =
            vocabulary.with_lexicon(&LexiconLimits { budget: 0, ..LexiconLimits::default() }.into());
        let compile = || Grammar::compile("start ::= #'a*' 'b';", &vocabulary, &Config::default()).unwrap();
        let mut matcher = compile().matcher();
        // Each call fills the lexicon beyond its budget, so the next call replaces it.
        let mut seen = Vec::new();
        let mut record = || {
            let current = Arc::downgrade(vocabulary.current().arc());
            if !seen.iter().any(|known| Weak::ptr_eq(known, &current)) {
                seen.push(current);
            }
        };
        for _ in 0..4 {
            matcher.mask();
            record();
            assert!(matcher.accept(TokenId(0)).is_accepted());
            record();
        }
        let alive = || seen.iter().rev().map(|lexicon| lexicon.upgrade().is_some()).collect::<Vec<_>>();
        assert!(seen.len() > 3);
        assert_eq!(alive()[..3], [true, true, false], "the one in use, and the retired one");
        compile();
        assert_eq!(alive()[..2], [true, false]);
    }
}

//! The engine of the crate `kbnf`: a matcher, the rule for the end of an output, and the ids of the last
//! computation.

use std::fmt;
use std::sync::Arc;

use fixedbitset::{Block, FixedBitSet};
use grammask::{ConfigPart, Grammar, Matcher, Outcome, TokenId};

use super::engine_base::CreateEngineBaseError;
use super::engine_like::{
    AcceptTokenError, AcceptTokenResult, EngineLike, MaskLogitsError, UpdateLogitsError, WriteBufferError,
    sealed,
};
use super::grammar::CreateGrammarError;
use super::{Config, Vocabulary};

/// The settings of the engine itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EngineConfig {
    /// True if masks and parts of them are kept. Masks are the same without, but are computed anew for every
    /// token. Default: true.
    pub cache_enabled: bool,
    /// True if sets of items are compacted. Without effect: they always are. Default: true.
    pub compaction_enabled: bool,
    /// True if prefixes of rejected tokens are kept. Without effect: a walk over the vocabulary's trie visits
    /// a common prefix once. Default: true.
    pub rejected_token_prefix_cache_enabled: bool,
}

/// Why an engine could not be made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CreateEngineError {
    /// Never given.
    #[error("{0}")]
    EngineBaseError(#[from] CreateEngineBaseError),
    /// The grammar is wrong.
    #[error("{0}")]
    GrammarError(#[from] CreateGrammarError),
    /// The language of the grammar is empty, or contains the empty text only.
    #[error("the grammar has no output: its language is empty, or contains the empty text only")]
    EmptyGrammarError,
    /// Never given: an exceeded limit is a [`GrammarError`](Self::GrammarError) that names it.
    #[error("the grammar or the configuration is too large")]
    InvalidInputError,
}

/// Follows one output, masks logits, and [ends](crate#when-an-output-ends) with the first token in which the
/// text is in the language.
///
/// A clone is independent of the original; both share the masks that either computes.
#[derive(Clone)]
pub struct Engine {
    matcher: Matcher,
    vocabulary: Arc<Vocabulary>,
    /// The ids of the last computation.
    allowed: FixedBitSet,
    /// True if the text was in the language after some byte of the last accepted token.
    finished: bool,
}

impl Engine {
    /// Makes an engine for a KBNF text, with the default settings.
    ///
    /// # Errors
    /// If the text is not KBNF, has no meaning, or exceeds a limit.
    pub fn new(kbnf_syntax_grammar_str: &str, vocabulary: Vocabulary) -> Result<Self, CreateEngineError> {
        Self::with_config(kbnf_syntax_grammar_str, vocabulary, Config::default())
    }

    /// Makes an engine for a KBNF text.
    ///
    /// # Errors
    /// If the text is not KBNF, has no meaning, or exceeds a limit.
    pub fn with_config(
        kbnf_syntax_grammar_str: &str,
        vocabulary: Vocabulary,
        config: Config,
    ) -> Result<Self, CreateEngineError> {
        let config = config.internal_config();
        let grammar = Grammar::compile(kbnf_syntax_grammar_str, vocabulary.as_vocabulary(), &config)?;
        let allowed = FixedBitSet::with_capacity(vocabulary.vocab_size());
        Ok(Self { matcher: grammar.matcher(), vocabulary: Arc::new(vocabulary), allowed, finished: false })
    }

    /// Frees unused memory. Without effect: there is none.
    pub fn shrink_to_fit(&mut self) {}

    /// Returns the matcher inside: the text so far, the exceeded limit, the state, ...
    ///
    /// Only [`is_finished`](EngineLike::is_finished) of the engine says whether the output is finished. The
    /// matcher does not know the first complete text inside of a token.
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// Accepts bytes by `accept`, which appends all of them to the matcher's text or changes nothing.
    fn accept(
        &mut self,
        bytes: &[u8],
        accept: impl FnOnce(&mut Matcher) -> Outcome,
    ) -> Result<AcceptTokenResult, AcceptTokenError> {
        let Some((_, before_last)) = bytes.split_last() else { return Ok(AcceptTokenResult::Ongoing) };
        let completes_inside = self.matcher.first_completion(before_last).is_some();
        if !accept(&mut self.matcher).is_accepted() {
            return Err(AcceptTokenError::Rejected);
        }
        self.finished = completes_inside || self.matcher.is_complete();
        Ok(if self.finished { AcceptTokenResult::Finished } else { AcceptTokenResult::Ongoing })
    }
}

impl sealed::Sealed for Engine {}

impl EngineLike for Engine {
    fn try_accept_new_token(&mut self, token_id: u32) -> Result<AcceptTokenResult, AcceptTokenError> {
        if self.finished {
            return Err(AcceptTokenError::Finished);
        }
        let vocabulary = Arc::clone(&self.vocabulary);
        let token = vocabulary.token(token_id).ok_or(AcceptTokenError::UnknownTokenID)?;
        self.accept(&token.0, |matcher| matcher.accept(TokenId(token_id)))
    }

    fn try_accept_new_bytes(&mut self, bytes: &[u8]) -> Result<AcceptTokenResult, AcceptTokenError> {
        if self.finished {
            return Err(AcceptTokenError::Finished);
        }
        self.accept(bytes, |matcher| matcher.accept_bytes(bytes))
    }

    fn compute_allowed_token_ids(&mut self) {
        const WORDS_PER_BLOCK: usize = size_of::<Block>() / size_of::<u32>();
        if self.finished {
            self.allowed.clear();
            return;
        }
        let words = self.matcher.mask().as_words();
        let blocks = words.chunks(WORDS_PER_BLOCK).map(|words| {
            words.iter().rev().fold(0, |block: Block, &word| block.unbounded_shl(u32::BITS) | word as Block)
        });
        self.allowed.as_mut_slice().iter_mut().zip(blocks).for_each(|(slot, block)| *slot = block);
    }

    fn mask_logits(&self, logits: &mut [f32]) -> Result<(), MaskLogitsError> {
        const BITS: usize = Block::BITS as usize;
        let Some((of_vocabulary, padding)) = logits.split_at_mut_checked(self.vocabulary.vocab_size()) else {
            return Err(MaskLogitsError::InvalidLogitsLength);
        };
        for (logits, &block) in of_vocabulary.chunks_mut(BITS).zip(self.allowed.as_slice()) {
            match block {
                Block::MAX => {}
                0 => logits.fill(f32::NEG_INFINITY),
                _ => logits.iter_mut().enumerate().for_each(|(bit, logit)| {
                    *logit = if block >> bit & 1 == 1 { *logit } else { f32::NEG_INFINITY };
                }),
            }
        }
        padding.fill(f32::NEG_INFINITY);
        Ok(())
    }

    fn update_logits(
        &mut self,
        token_id: u32,
        logits: &mut [f32],
    ) -> Result<AcceptTokenResult, UpdateLogitsError> {
        // Too few logits are an error only if the token does not finish the output, and then it must not be
        // accepted.
        let is_too_short = logits.len() < self.vocabulary.vocab_size();
        let before = is_too_short.then(|| self.matcher.clone());
        let result = self.try_accept_new_token(token_id)?;
        if result == AcceptTokenResult::Finished {
            return Ok(result);
        }
        if let Some(before) = before {
            self.matcher = before;
            return Err(UpdateLogitsError::InvalidLogitsLength);
        }
        self.compute_allowed_token_ids();
        match self.mask_logits(logits) {
            Ok(()) => Ok(result),
            Err(MaskLogitsError::InvalidLogitsLength) => Err(UpdateLogitsError::InvalidLogitsLength),
        }
    }

    fn allowed_token_ids_from_last_computation(&self) -> &FixedBitSet {
        &self.allowed
    }

    fn write_disallowed_token_ids_to_buffer(&self, buffer: &mut [usize]) -> Result<(), WriteBufferError> {
        write(self.allowed.count_zeroes(..), self.allowed.zeroes(), buffer)
    }

    fn write_allowed_token_ids_to_buffer(&self, buffer: &mut [usize]) -> Result<(), WriteBufferError> {
        write(self.allowed.count_ones(..), self.allowed.ones(), buffer)
    }

    fn is_finished(&self) -> bool {
        self.finished
    }

    fn reset(&mut self) {
        self.matcher.reset();
        self.allowed.clear();
        self.finished = false;
    }

    fn into_boxed_engine(self) -> Box<dyn EngineLike> {
        Box::new(self)
    }

    fn vocab(&self) -> Arc<Vocabulary> {
        Arc::clone(&self.vocabulary)
    }
}

fn write(
    count: usize,
    ids: impl Iterator<Item = usize>,
    buffer: &mut [usize],
) -> Result<(), WriteBufferError> {
    let slots = buffer.get_mut(..count).ok_or(WriteBufferError::BufferTooSmall)?;
    slots.iter_mut().zip(ids).for_each(|(slot, id)| *slot = id);
    Ok(())
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("matcher", &self.matcher)
            .field("vocabulary", &self.vocabulary)
            .field("allowed", &self.allowed.count_ones(..))
            .field("finished", &self.finished)
            .finish()
    }
}

impl From<grammask::Error> for CreateEngineError {
    fn from(error: grammask::Error) -> Self {
        use grammask::Error;

        if error.is_empty_language() {
            return Self::EmptyGrammarError;
        }
        if let Some(exceeded) = error.limit()
            && exceeded.part == ConfigPart::Recognizer
            && exceeded.limit == "max_nodes"
        {
            let limit = usize::try_from(exceeded.value).unwrap_or(usize::MAX);
            let at_least = limit.saturating_add(1);
            return CreateGrammarError::IntConversionError("nodes".to_owned(), at_least, limit).into();
        }
        let error = Box::new(error);
        Self::GrammarError(match *error {
            Error::Syntax(_) | Error::SyntaxAndNormal { .. } => CreateGrammarError::ParsingError(error),
            _ => CreateGrammarError::SemanticError(error),
        })
    }
}

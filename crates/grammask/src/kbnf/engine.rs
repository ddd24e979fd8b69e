//! The engine of the crate `kbnf`: a matcher with eager ending, and the set of ids that it last computed.

use std::fmt;
use std::sync::Arc;

use fixedbitset::{Block, FixedBitSet};

use super::engine_base::CreateEngineBaseError;
use super::engine_like::{
    AcceptTokenError, AcceptTokenResult, EngineLike, MaskLogitsError, UpdateLogitsError, WriteBufferError,
    sealed,
};
use super::grammar::CreateGrammarError;
use super::{Config, Vocabulary};
use crate::{Grammar, Matcher, Outcome, Placed, TokenId};

/// The settings of the engine itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EngineConfig {
    /// Whether masks and parts of them are kept. They are the same without, but take their time at every token.
    /// Default: yes.
    pub cache_enabled: bool,
    /// Whether sets of items are made smaller. Without effect: they always are. Default: yes.
    pub compaction_enabled: bool,
    /// Whether the beginnings of rejected tokens are kept. Without effect: tokens with a common beginning are always
    /// looked at together. Default: yes.
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
    /// The language of the grammar is empty, or has just the empty text in it.
    #[error("the grammar has no output: its language is empty, or has just the empty text in it")]
    EmptyGrammarError,
    /// Never given: a limit that is exceeded is a [`GrammarError`](Self::GrammarError) that names it.
    #[error("the grammar or the configuration is too large")]
    InvalidInputError,
}

/// Follows one output, masks logits, and ends as soon as the text is in the language.
///
/// A clone goes its own way; what both compute is shared.
#[derive(Clone)]
pub struct Engine {
    matcher: Matcher,
    vocabulary: Arc<Vocabulary>,
    allowed: FixedBitSet,
}

impl Engine {
    /// An engine for a KBNF text with the default settings.
    ///
    /// # Errors
    /// When the text is no KBNF, means nothing, or exceeds a limit.
    pub fn new(kbnf_syntax_grammar_str: &str, vocabulary: Vocabulary) -> Result<Self, CreateEngineError> {
        Self::with_config(kbnf_syntax_grammar_str, vocabulary, Config::default())
    }

    /// An engine for a KBNF text.
    ///
    /// # Errors
    /// When the text is no KBNF, means nothing, or exceeds a limit.
    pub fn with_config(
        kbnf_syntax_grammar_str: &str,
        vocabulary: Vocabulary,
        config: Config,
    ) -> Result<Self, CreateEngineError> {
        let config = config.internal_config();
        let grammar = Grammar::compile(kbnf_syntax_grammar_str, vocabulary.as_vocabulary(), &config)?;
        let allowed = FixedBitSet::with_capacity(vocabulary.vocab_size());
        Ok(Self { matcher: grammar.matcher(), vocabulary: Arc::new(vocabulary), allowed })
    }

    /// Frees memory that is not needed. Without effect: there is none.
    pub fn shrink_to_fit(&mut self) {}

    /// The matcher inside, with all that it can tell: the text so far, the limit that was hit, the state, ...
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    fn result(outcome: Outcome) -> Result<AcceptTokenResult, AcceptTokenError> {
        match outcome {
            Outcome::Ongoing | Outcome::Stuck => Ok(AcceptTokenResult::Ongoing),
            Outcome::Finished => Ok(AcceptTokenResult::Finished),
            Outcome::Rejected | Outcome::LimitExceeded => Err(AcceptTokenError::Rejected),
        }
    }
}

impl sealed::Sealed for Engine {}

impl EngineLike for Engine {
    fn try_accept_new_token(&mut self, token_id: u32) -> Result<AcceptTokenResult, AcceptTokenError> {
        if self.is_finished() {
            return Err(AcceptTokenError::Finished);
        }
        if !self.matcher.grammar().vocabulary().is_known(TokenId(token_id)) {
            return Err(AcceptTokenError::UnknownTokenID);
        }
        Self::result(self.matcher.accept(TokenId(token_id)))
    }

    fn try_accept_new_bytes(&mut self, bytes: &[u8]) -> Result<AcceptTokenResult, AcceptTokenError> {
        if self.is_finished() {
            return Err(AcceptTokenError::Finished);
        }
        if bytes.is_empty() {
            return Ok(AcceptTokenResult::Ongoing);
        }
        Self::result(self.matcher.accept_bytes(bytes))
    }

    fn compute_allowed_token_ids(&mut self) {
        const WORDS: usize = size_of::<Block>() / size_of::<u32>();
        let words = self.matcher.mask().as_words();
        for (block, words) in self.allowed.as_mut_slice().iter_mut().zip(words.chunks(WORDS)) {
            *block =
                words.iter().rev().fold(0, |block: Block, &word| block.unbounded_shl(32) | word as Block);
        }
    }

    fn mask_logits(&self, logits: &mut [f32]) -> Result<(), MaskLogitsError> {
        const BITS: usize = Block::BITS as usize;
        let Some((known, padding)) = logits.split_at_mut_checked(self.vocabulary.vocab_size()) else {
            return Err(MaskLogitsError::InvalidLogitsLength);
        };
        for (logits, &block) in known.chunks_mut(BITS).zip(self.allowed.as_slice()) {
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
        // Too few logits are an error only where they are needed, and then the token must not be accepted.
        let too_few = logits.len() < self.vocabulary.vocab_size();
        let before = too_few.then(|| self.matcher.clone());
        let result = self.try_accept_new_token(token_id)?;
        if result == AcceptTokenResult::Finished {
            self.allowed.clear();
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
        self.matcher.is_finished()
    }

    fn reset(&mut self) {
        self.matcher.reset();
        self.allowed.clear();
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
    let places = buffer.get_mut(..count).ok_or(WriteBufferError::BufferTooSmall)?;
    places.iter_mut().zip(ids).for_each(|(place, id)| *place = id);
    Ok(())
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("matcher", &self.matcher)
            .field("vocabulary", &self.vocabulary)
            .field("allowed", &self.allowed.count_ones(..))
            .finish()
    }
}

impl From<crate::Error> for CreateEngineError {
    fn from(error: crate::Error) -> Self {
        use grammask_earley::BuildError;
        use grammask_normal::ErrorKind;

        let grammar_error = match error {
            error @ (crate::Error::Syntax(_) | crate::Error::SyntaxAndNormal { .. }) => {
                CreateGrammarError::ParsingError(Box::new(error))
            }
            crate::Error::Normal(errors)
                if errors.errors().iter().all(|error| {
                    matches!(error.kind, ErrorKind::EmptyLanguage { .. } | ErrorKind::OnlyEmptyText { .. })
                }) =>
            {
                return Self::EmptyGrammarError;
            }
            crate::Error::Recognizer(Placed {
                cause: BuildError { cause: grammask_earley::Error::TooManyNodes { limit }, .. },
                ..
            }) => CreateGrammarError::IntConversionError("nodes".to_owned(), limit.saturating_add(1), limit),
            other => CreateGrammarError::SemanticError(Box::new(other)),
        };
        Self::GrammarError(grammar_error)
    }
}

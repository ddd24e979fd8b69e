//! The methods of an engine as a trait, and their results and errors.

use std::fmt;
use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::vocabulary::Vocabulary;

/// Why a token or bytes were not accepted. The engine is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum AcceptTokenError {
    /// The vocabulary has no token with this id.
    #[error("the vocabulary has no such token")]
    UnknownTokenID,
    /// The grammar does not allow it here, or a limit is exceeded.
    #[error("the token is not allowed here")]
    Rejected,
    /// The output is finished: nothing more is accepted.
    #[error("the output is finished")]
    Finished,
}

/// Result of accepting a token or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AcceptTokenResult {
    /// The output goes on. If no token of the vocabulary can follow, no token is allowed from here on.
    Ongoing,
    /// The text was in the language after some byte of the token, so the [output is
    /// finished](crate#when-an-output-ends).
    Finished,
}

impl fmt::Display for AcceptTokenResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ongoing => "accepted, the output goes on",
            Self::Finished => "accepted, the output is finished",
        })
    }
}

/// Why logits were not masked. They are unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum MaskLogitsError {
    /// There are fewer logits than [`Vocabulary::vocab_size`].
    #[error("there are fewer logits than token ids")]
    InvalidLogitsLength,
}

/// Why ids were not written. The buffer is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum WriteBufferError {
    /// The buffer is shorter than the list of ids.
    #[error("the buffer is too short for the token ids")]
    BufferTooSmall,
}

/// Why a token was not accepted, or the logits were not masked. Engine and logits are unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum UpdateLogitsError {
    /// The vocabulary has no token with this id.
    #[error("the vocabulary has no such token")]
    UnknownTokenID,
    /// The grammar does not allow the token here, or a limit is exceeded.
    #[error("the token is not allowed here")]
    Rejected,
    /// The output is finished: nothing more is accepted.
    #[error("the output is finished")]
    Finished,
    /// There are fewer logits than [`Vocabulary::vocab_size`].
    #[error("there are fewer logits than token ids")]
    InvalidLogitsLength,
}

impl From<AcceptTokenError> for UpdateLogitsError {
    fn from(error: AcceptTokenError) -> Self {
        match error {
            AcceptTokenError::UnknownTokenID => Self::UnknownTokenID,
            AcceptTokenError::Rejected => Self::Rejected,
            AcceptTokenError::Finished => Self::Finished,
        }
    }
}

pub(super) mod sealed {
    pub trait Sealed {}
}

/// The methods of an [`Engine`](crate::Engine).
///
/// *The last computation* is the last call of [`compute_allowed_token_ids`](Self::compute_allowed_token_ids)
/// or of [`update_logits`](Self::update_logits) that computed ids. Accepting alone computes nothing. Before
/// the first computation, and after [`reset`](Self::reset), no id is allowed.
pub trait EngineLike: sealed::Sealed {
    /// Accepts a token: see [when an output ends](crate#when-an-output-ends).
    ///
    /// # Errors
    /// If the engine is finished, the id is unknown, or the token is not allowed. Nothing changes.
    fn try_accept_new_token(&mut self, token_id: u32) -> Result<AcceptTokenResult, AcceptTokenError>;

    /// Accepts bytes as if they were a token. An empty slice is accepted unless the engine is finished.
    ///
    /// # Errors
    /// If the engine is finished, or the bytes are not allowed. Nothing changes.
    fn try_accept_new_bytes(&mut self, bytes: &[u8]) -> Result<AcceptTokenResult, AcceptTokenError>;

    /// Computes the ids that may come next: none if the engine is finished.
    fn compute_allowed_token_ids(&mut self);

    /// Sets logits to negative infinity: those of ids that the last computation did not find allowed, and
    /// those beyond the vocabulary.
    ///
    /// # Errors
    /// If there are fewer logits than [`Vocabulary::vocab_size`]. Nothing changes.
    fn mask_logits(&self, logits: &mut [f32]) -> Result<(), MaskLogitsError>;

    /// Accepts a token, computes the ids that may come next, and masks the logits by them. A token that
    /// finishes the output leaves the logits and the last computation as they are.
    ///
    /// # Errors
    /// If the token is not accepted, or if it does not finish the output and there are fewer logits than
    /// [`Vocabulary::vocab_size`]. Nothing changes.
    fn update_logits(
        &mut self,
        token_id: u32,
        logits: &mut [f32],
    ) -> Result<AcceptTokenResult, UpdateLogitsError>;

    /// Returns the ids that the last computation found allowed: one bit for each id below
    /// [`Vocabulary::vocab_size`].
    fn allowed_token_ids_from_last_computation(&self) -> &FixedBitSet;

    /// Writes the ids that the last computation did not find allowed to the beginning of a buffer, in
    /// ascending order.
    ///
    /// # Errors
    /// If the buffer is too short. Nothing is written.
    fn write_disallowed_token_ids_to_buffer(&self, buffer: &mut [usize]) -> Result<(), WriteBufferError>;

    /// Writes the ids that the last computation found allowed to the beginning of a buffer, in ascending
    /// order.
    ///
    /// # Errors
    /// If the buffer is too short. Nothing is written.
    fn write_allowed_token_ids_to_buffer(&self, buffer: &mut [usize]) -> Result<(), WriteBufferError>;

    /// Returns true if the output is finished.
    fn is_finished(&self) -> bool;

    /// Returns to the beginning of an output. Keeps the masks that were computed.
    fn reset(&mut self);

    /// Moves the engine into a box.
    fn into_boxed_engine(self) -> Box<dyn EngineLike>;

    /// Returns the vocabulary.
    fn vocab(&self) -> Arc<Vocabulary>;
}

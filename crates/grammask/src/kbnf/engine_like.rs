//! What an engine can do, as a trait, and the results and errors of its methods.

use std::fmt;
use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::vocabulary::Vocabulary;

/// Why a token or bytes were not accepted. The engine is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum AcceptTokenError {
    /// The vocabulary has no token with this id.
    #[error("the vocabulary has no such token")]
    UnknownTokenID,
    /// The grammar does not allow it here, or a limit was hit.
    #[error("the token is not allowed here")]
    Rejected,
    /// The output is finished: nothing can be accepted any more.
    #[error("the output is finished")]
    Finished,
}

/// What has become of an engine that has accepted a token or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AcceptTokenResult {
    /// The output goes on. (If no token of the vocabulary can follow, no token is allowed from here on.)
    Ongoing,
    /// The output is in the language, and so finished.
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

/// Why logits were not masked. They are as they were before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum MaskLogitsError {
    /// There are fewer logits than ids, that is, than [`Vocabulary::vocab_size`].
    #[error("there are fewer logits than token ids")]
    InvalidLogitsLength,
}

/// Why ids were not written. The buffer is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum WriteBufferError {
    /// The buffer is shorter than the list of ids.
    #[error("the buffer is too short for the token ids")]
    BufferTooSmall,
}

/// Why a token was not accepted, or the logits were not masked. Engine and logits are as they were before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum UpdateLogitsError {
    /// The vocabulary has no token with this id.
    #[error("the vocabulary has no such token")]
    UnknownTokenID,
    /// The grammar does not allow the token here, or a limit was hit.
    #[error("the token is not allowed here")]
    Rejected,
    /// The output is finished: nothing can be accepted any more.
    #[error("the output is finished")]
    Finished,
    /// There are fewer logits than ids, that is, than [`Vocabulary::vocab_size`].
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

/// What an engine can do.
///
/// *The last computation* is the last call of [`compute_allowed_token_ids`](Self::compute_allowed_token_ids) or of
/// [`update_logits`](Self::update_logits) that was not refused. Accepting alone computes nothing. Before the first
/// computation, and after [`reset`](Self::reset), no id is allowed.
pub trait EngineLike: sealed::Sealed {
    /// Accepts a token.
    ///
    /// # Errors
    /// When it cannot be accepted: nothing changes.
    fn try_accept_new_token(&mut self, token_id: u32) -> Result<AcceptTokenResult, AcceptTokenError>;

    /// Accepts bytes as if they were a token. No bytes at all are always accepted, until the output is finished.
    ///
    /// # Errors
    /// When they cannot be accepted: nothing changes.
    fn try_accept_new_bytes(&mut self, bytes: &[u8]) -> Result<AcceptTokenResult, AcceptTokenError>;

    /// Computes which ids may come next: none when the output is finished.
    fn compute_allowed_token_ids(&mut self);

    /// Sets the logits of all ids that the last computation did not find allowed to negative infinity, also of those
    /// beyond the vocabulary.
    ///
    /// # Errors
    /// When there are fewer logits than ids: nothing changes.
    fn mask_logits(&self, logits: &mut [f32]) -> Result<(), MaskLogitsError>;

    /// Accepts a token, computes which ids may come next, and masks the logits by them. When the token finishes the
    /// output, the logits are left alone, and no id is allowed from then on.
    ///
    /// # Errors
    /// When the token cannot be accepted, or when it does not finish the output and there are fewer logits than ids:
    /// nothing changes.
    fn update_logits(
        &mut self,
        token_id: u32,
        logits: &mut [f32],
    ) -> Result<AcceptTokenResult, UpdateLogitsError>;

    /// The ids that the last computation found allowed: one bit for each id below [`Vocabulary::vocab_size`].
    fn allowed_token_ids_from_last_computation(&self) -> &FixedBitSet;

    /// Writes the ids that the last computation did not find allowed to the beginning of a buffer, in ascending order.
    ///
    /// # Errors
    /// When the buffer is too short: nothing is written.
    fn write_disallowed_token_ids_to_buffer(&self, buffer: &mut [usize]) -> Result<(), WriteBufferError>;

    /// Writes the ids that the last computation found allowed to the beginning of a buffer, in ascending order.
    ///
    /// # Errors
    /// When the buffer is too short: nothing is written.
    fn write_allowed_token_ids_to_buffer(&self, buffer: &mut [usize]) -> Result<(), WriteBufferError>;

    /// Whether the output is finished.
    fn is_finished(&self) -> bool;

    /// Goes back to the beginning of an output. What was computed for masks is kept.
    fn reset(&mut self);

    /// The engine in a box.
    fn into_boxed_engine(self) -> Box<dyn EngineLike>;

    /// The vocabulary.
    fn vocab(&self) -> Arc<Vocabulary>;
}

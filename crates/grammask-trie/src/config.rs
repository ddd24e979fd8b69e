//! The limits under which vocabularies are built.

use crate::{Error, Limit, LimitExceeded, TokenId};

/// Configuration of vocabularies and tries.
///
/// ```
/// # use grammask_trie::{Config, Error, Limit, Limits, TokenId, Vocabulary};
/// let config = Config { limits: Limits { max_ids: 1000, ..Limits::default() } };
/// let error = Vocabulary::new([(TokenId(4_000_000_000), b"x".to_vec())], [], &config).unwrap_err();
/// let Error::LimitExceeded { exceeded, .. } = error else { panic!("{error}") };
/// assert_eq!((exceeded.limit, exceeded.value), (Limit::MaxIds, 1000));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Config {
    /// Limits on the input.
    pub limits: Limits,
}

/// Limits on vocabularies. The defaults are above every tokenizer in use, and bound the memory that a damaged
/// or hostile file can take to about 400 MB. An input beyond a limit is an [`Error::LimitExceeded`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Limits {
    /// Maximum number of ids: each id, ordinary or special, is below this. A mask takes at most `max_ids / 8`
    /// bytes. Default: 2^24. Values above 2^31 - 1 count as that.
    pub max_ids: u32,
    /// Maximum length of a token, in bytes. The depth of a trie is the length of its longest token. Default:
    /// 65,535, which is also the largest possible value.
    pub max_token_bytes: u16,
    /// Maximum length of all tokens and all names of special tokens together, in bytes. Default: 2^25.
    pub max_bytes: u32,
    /// Maximum number of steps of the decoder in a `tokenizer.json`. Files in use have three. Default: 16.
    pub max_decoder_steps: u32,
    /// Maximum factor by which the decoder in a `tokenizer.json` may make a piece longer. The decoders of
    /// files in use only make pieces shorter. Default: 8.
    pub max_decoder_growth: u32,
    /// Maximum number of ids that a `tekken.json` reserves for special tokens. Files in use reserve 1000. It
    /// bounds the names that are made for those that the file does not name. Default: 65,536.
    pub max_reserved_ids: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_ids: 1 << 24,
            max_token_bytes: u16::MAX,
            max_bytes: 1 << 25,
            max_decoder_steps: 16,
            max_decoder_growth: 8,
            max_reserved_ids: 1 << 16,
        }
    }
}

impl From<Limits> for Config {
    fn from(limits: Limits) -> Self {
        Self { limits }
    }
}

impl Limits {
    /// Maximum number of tokens of a trie, whatever the limits: the counts of its index have 31 bits.
    pub(crate) const MAX_TOKENS: u32 = u32::MAX >> 1;

    /// Returns the id if it is below `max_ids`.
    pub(crate) fn check_id(&self, id: u64) -> Result<TokenId, Error> {
        match u32::try_from(id) {
            Ok(small) if small < self.max_ids.min(Self::MAX_TOKENS) => Ok(TokenId(small)),
            _ => Err(self.too_many_ids(id)),
        }
    }

    /// Returns the error for a vocabulary whose ids reach `id`.
    pub(crate) fn too_many_ids(&self, id: u64) -> Error {
        let value = self.max_ids.min(Self::MAX_TOKENS).into();
        let exceeded = LimitExceeded { limit: Limit::MaxIds, value, found: Some(id.saturating_add(1)) };
        Error::LimitExceeded { id: Some(id), exceeded }
    }

    /// Checks the length of a token, in bytes.
    pub(crate) fn check_token(&self, id: TokenId, length: usize) -> Result<(), Error> {
        if length <= usize::from(self.max_token_bytes) {
            return Ok(());
        }
        let value = self.max_token_bytes.into();
        let exceeded = LimitExceeded { limit: Limit::MaxTokenBytes, value, found: Some(length as u64) };
        Err(Error::LimitExceeded { id: Some(id.0.into()), exceeded })
    }

    /// Returns the error for a vocabulary that exceeds `max_bytes` with the token `id`.
    pub(crate) fn too_many_bytes(&self, id: TokenId) -> Error {
        let exceeded = LimitExceeded { limit: Limit::MaxBytes, value: self.max_bytes.into(), found: None };
        Error::LimitExceeded { id: Some(id.0.into()), exceeded }
    }
}

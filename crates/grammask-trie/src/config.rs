//! The limits that a vocabulary is built under.

/// Limits for building vocabularies and tries. The defaults hold every tokenizer in use with room to spare, and keep
/// what a damaged or hostile file can cost below some 400 MB.
///
/// ```
/// # use grammask_trie::{Config, Error, TokenId, Vocabulary};
/// let config = Config { id_limit: 1000, ..Config::default() };
/// let error = Vocabulary::new([(TokenId(4_000_000_000), b"x".to_vec())], [], &config).unwrap_err();
/// assert!(matches!(error, Error::IdTooLarge { id: 4_000_000_000, limit: 1000 }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Config {
    /// Ids must be below this, ordinary and special ones. A mask takes `id_limit / 8` bytes at most. Default: 2^24.
    pub id_limit: u32,
    /// The longest token allowed, in bytes; a trie is as deep as its longest token. Default: 65,535, which is also the most.
    pub max_token_bytes: u16,
    /// The most bytes that all tokens and all names of special tokens may have together. Default: 2^25.
    pub max_bytes: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { id_limit: 1 << 24, max_token_bytes: u16::MAX, max_bytes: 1 << 25 }
    }
}

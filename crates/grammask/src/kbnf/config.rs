//! The settings of the crate `kbnf`, and what they are in this crate's configuration.

use crate::Ending;

use super::engine::EngineConfig;

/// The settings of an [`Engine`](super::Engine).
///
/// ```
/// use grammask::kbnf::Config;
///
/// let config = Config { start_nonterminal: "value".to_string(), ..Config::default() };
/// assert!(config.engine_config.cache_enabled);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Config {
    /// The settings of regular expressions.
    pub regex_config: RegexConfig,
    /// The settings of the engine.
    pub engine_config: EngineConfig,
    /// The start symbol. Default: `start`, which a `%start` in the grammar's text overrides; any other name overrides
    /// that.
    pub start_nonterminal: String,
    /// How many bytes of output are expected. Without effect: an engine's memory does not depend on it. Default:
    /// 2^32 - 1.
    pub expected_output_length: usize,
    /// The settings of compression.
    pub compression_config: CompressionConfig,
}

/// The kind of automaton that regular expressions become. Without effect: here they are lazily made automata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Fsa {
    /// A deterministic automaton.
    Dfa,
}

/// The settings of regular expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RegexConfig {
    /// The memory in bytes that the automata of all regular expressions of a grammar may take together, roughly; it is
    /// [`grammask_regular::Config::memory`]. As states are made when they are needed, the limit may be hit when an
    /// engine is created or later on, and may not be hit where all states together would exceed it. Default: `None`,
    /// the default of that field.
    pub max_memory_usage: Option<usize>,
    /// The kind of automaton. Without effect.
    pub fsa_type: Fsa,
    /// For how many tokens the masks of a regular expression are computed ahead. Without effect: they are computed
    /// when they are needed, and shared. Default: `Some(1000)`.
    pub min_tokens_required_for_eager_regex_cache: Option<usize>,
}

/// The settings of compression. Without effect: texts are shared in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CompressionConfig {
    /// From how many texts on they are compressed. Without effect. Default: 5.
    pub min_terminals: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            regex_config: RegexConfig {
                max_memory_usage: None,
                fsa_type: Fsa::Dfa,
                min_tokens_required_for_eager_regex_cache: Some(1000),
            },
            engine_config: EngineConfig {
                cache_enabled: true,
                compaction_enabled: true,
                rejected_token_prefix_cache_enabled: true,
            },
            start_nonterminal: "start".to_owned(),
            expected_output_length: u32::MAX as usize,
            compression_config: CompressionConfig { min_terminals: 5 },
        }
    }
}

impl Config {
    /// The same for this crate: what an [`Engine`](super::Engine) with these settings compiles its grammar by.
    ///
    /// ```
    /// let config = grammask::kbnf::Config::default().internal_config();
    /// assert_eq!(config.ending, grammask::Ending::Eager);
    /// ```
    pub fn internal_config(self) -> crate::Config {
        let mut config = crate::Config { ending: Ending::Eager, ..crate::Config::default() };
        if let Some(bytes) = self.regex_config.max_memory_usage {
            config.normal.regular.memory = bytes;
        }
        if self.start_nonterminal != "start" {
            config.normal.start = Some(self.start_nonterminal);
        }
        config.masks.keep_parts = self.engine_config.cache_enabled;
        config.masks.keep_masks = self.engine_config.cache_enabled;
        config
    }
}

impl From<Config> for crate::Config {
    fn from(config: Config) -> Self {
        config.internal_config()
    }
}

//! The settings of the crate `kbnf`, and their counterparts in `grammask`.

use grammask::Ending;

use super::engine::EngineConfig;

/// The settings of an [`Engine`](super::Engine).
///
/// ```
/// use grammask_kbnf::Config;
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
    /// The start symbol. Default: `start`, which a `%start` in the grammar's text overrides. Any other name
    /// overrides the `%start`.
    pub start_nonterminal: String,
    /// Expected length of the output, in bytes. Without effect: an engine's memory does not depend on it.
    /// Default: 2^32 - 1.
    pub expected_output_length: usize,
    /// The settings of compression.
    pub compression_config: CompressionConfig,
}

/// The kind of automaton for regular expressions. Without effect: `grammask` makes states when they are
/// needed.
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
    /// Memory for the automata of all regular expressions of a grammar together, in bytes, roughly. It sets
    /// the limit `memory` of [`grammask::regular::Limits`], and `None` leaves that limit at its default.
    /// States are made when they are needed, so the limit may be exceeded when an engine is created, later
    /// on, or never. Default: `None`.
    pub max_memory_usage: Option<usize>,
    /// The kind of automaton. Without effect.
    pub fsa_type: Fsa,
    /// Number of tokens from which on masks of a regular expression are precomputed. Without effect: they are
    /// computed when they are needed, and shared. Default: `Some(1000)`.
    pub min_tokens_required_for_eager_regex_cache: Option<usize>,
}

/// The settings of compression. Without effect: equal texts are shared in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CompressionConfig {
    /// Number of texts from which on they are compressed. Without effect. Default: 5.
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
    /// Returns the configuration with which an [`Engine`](super::Engine) of these settings compiles its
    /// grammar.
    ///
    /// Its ending has no tokens, since the engine itself decides [when an output
    /// ends](crate#when-an-output-ends).
    ///
    /// ```
    /// let config = grammask_kbnf::Config::default().internal_config();
    /// assert_eq!(config.ending, grammask::Ending::EndOfSequence(vec![]));
    /// ```
    pub fn internal_config(self) -> grammask::Config {
        let mut config =
            grammask::Config { ending: Ending::EndOfSequence(Vec::new()), ..grammask::Config::default() };
        if let Some(bytes) = self.regex_config.max_memory_usage {
            config.normal.regular.memory = bytes;
        }
        if self.start_nonterminal != "start" {
            config.normal.start = Some(self.start_nonterminal);
        }
        config.masks.tuning.keep_summaries = self.engine_config.cache_enabled;
        config.masks.tuning.keep_masks = self.engine_config.cache_enabled;
        config
    }
}

impl From<Config> for grammask::Config {
    fn from(config: Config) -> Self {
        config.internal_config()
    }
}

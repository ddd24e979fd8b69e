//! The configuration of a compiled grammar: its ending, and one part for each stage.

use grammask_work::{Allowance, CancelFlag, within};

use crate::{Begin, Ending, Error, MemoryBudget, TokenId};

/// Options and limits of a compiled grammar. Each part is the configuration of one stage.
///
/// ```
/// use grammask::{Config, Ending};
///
/// let config = Config { ending: Ending::Eager, ..Config::default() }.with_start("value");
/// assert_eq!(config.normal.start.as_deref(), Some("value"));
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Config {
    /// When an output ends. Default: [`Ending::OfVocabulary`], with the tokens that the vocabulary says end a
    /// sequence.
    pub ending: Ending,
    /// The token or text after which the grammar begins. Default: `None`, the beginning of an output.
    pub begin: Option<Begin>,
    /// Limits of compiling, and of matchers.
    pub limits: Limits,
    /// A flag that cancels compiling from another thread: the call ends with
    /// [`Error::Stopped`](crate::Error::Stopped) within milliseconds. Not serialized. Default: none.
    /// [`Matcher::set_cancel_flag`](crate::Matcher::set_cancel_flag) is that of masks.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub cancel: Option<CancelFlag>,
    /// The budget that bounds the memory of all grammars that have it. Not serialized. Default: none; each
    /// grammar has its own limits only.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub memory: Option<MemoryBudget>,
    /// Options and limits of [`Grammar::from_json_schema`](crate::Grammar::from_json_schema).
    #[cfg(feature = "json-schema")]
    pub json_schema: grammask_json_schema::Config,
    /// Limits of reading a grammar's text.
    pub syntax: grammask_syntax::Config,
    /// The start symbol, and limits of the normal form and of regular expressions.
    pub normal: grammask_normal::Config,
    /// Limits of the recognizer.
    pub recognizer: grammask_earley::Config,
    /// Limits of masks.
    pub masks: grammask_mask::Config,
    /// Work budget for masks that [`Grammar::from_json_schema`](crate::Grammar::from_json_schema) computes in
    /// advance, in nodes of the vocabulary's trie, roughly; a terminal counts as 64. The mask of the first
    /// state is computed in any case. With a budget of at least 1, so are those after `{"` and `[`, and then
    /// the tokens of terminals within the budget. Compiling takes longer then, and the first masks of the
    /// first output less. Masks are the same with any value. Default: 0. Where grammars are compiled well
    /// before the first output, take 2,048.
    pub prefetch_nodes: u64,
}

/// Limits of compiling, and of matchers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Limits {
    /// Maximum length of what [`Matcher::forced_bytes`](crate::Matcher::forced_bytes) and
    /// [`Matcher::forced_tokens`](crate::Matcher::forced_tokens) give: bytes, and tokens in addition to them.
    /// A grammar can force an endless text; it is cut at this length, without an error. Default: 65,536.
    pub max_forced: usize,
    /// Units of work for compiling one grammar, in all stages together. A unit is an elementary step of some
    /// nanoseconds; units are counted, so the limit is the same on every machine. Beyond it,
    /// [`Error::Stopped`](crate::Error::Stopped). Default: 40,000,000, less than a second.
    pub max_compile_work: u64,
    /// Limits of [`Matcher::tokens_to_end`](crate::Matcher::tokens_to_end) and
    /// [`Matcher::fill_mask_within`](crate::Matcher::fill_mask_within). Beyond them, the lower and the
    /// upper bound may differ, and tokens are left out whose completion was not found.
    pub end: grammask_mask::EndLimits,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_forced: 1 << 16, max_compile_work: 40_000_000, end: grammask_mask::EndLimits::default() }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            ending: Ending::OfVocabulary,
            begin: None,
            limits: Limits::default(),
            cancel: None,
            memory: None,
            #[cfg(feature = "json-schema")]
            json_schema: grammask_json_schema::Config::default(),
            syntax: grammask_syntax::Config::default(),
            normal: grammask_normal::Config::default(),
            recognizer: grammask_earley::Config::default(),
            masks: grammask_mask::Config::default(),
            prefetch_nodes: 0,
        }
    }
}

impl Config {
    /// Calls `compile` with the account of one compile. An account that is exceeded, or a flag that is set,
    /// turns any result into [`Error::Stopped`]: a stage that could not finish may have gone on with less.
    pub(crate) fn compile_within<T>(&self, compile: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let mut allowance = Allowance::new("max_compile_work", self.limits.max_compile_work);
        allowance.flags.extend(self.cancel.clone());
        within(&allowance, || {
            let result = compile();
            match grammask_work::stopped() {
                Some(cause) => Err(Error::stopped(cause, result.as_ref().err())),
                None => result,
            }
        })
    }

    /// Sets the start symbol. With a `?` at its end, the grammar also accepts the empty text. Default: the
    /// name after `%start` in the grammar's text, or `start` if there is none.
    #[must_use]
    pub fn with_start(mut self, name: impl Into<String>) -> Self {
        self.normal.start = Some(name.into());
        self
    }

    /// Sets the options of JSON Schema to those of a profile, and their limits to the defaults.
    ///
    /// ```
    /// use grammask::json_schema::{Profile, Whitespace};
    ///
    /// let config = grammask::Config::default().with_profile(Profile::Standard);
    /// assert_eq!(config.json_schema.whitespace, Whitespace::Flexible { longest: 64 });
    /// ```
    #[cfg(feature = "json-schema")]
    #[must_use]
    pub fn with_profile(mut self, profile: grammask_json_schema::Profile) -> Self {
        self.json_schema = profile.into();
        self
    }

    /// Sets [`Ending::EndOfSequence`] with these tokens as the ending.
    #[must_use]
    pub fn ending_with(mut self, tokens: impl IntoIterator<Item = TokenId>) -> Self {
        self.ending = Ending::EndOfSequence(tokens.into_iter().collect());
        self
    }
}

#[cfg(all(test, feature = "serde", feature = "json-schema"))]
mod tests {
    use super::*;

    #[test]
    fn serialization_keeps_all_options_but_the_cancellation_flag() {
        let mut config = Config::default();
        config.json_schema.property_order = grammask_json_schema::PropertyOrder::AsWritten;
        config.masks.limits.max_forced_items = 7;
        let stored = serde_json::to_value(&config).unwrap();
        let loaded: Config = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(loaded.json_schema.property_order, config.json_schema.property_order);
        assert_eq!(serde_json::to_value(&loaded).unwrap(), stored);
    }
}

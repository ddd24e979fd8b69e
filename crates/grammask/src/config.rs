//! All choices and limits in one value: one field per stage.

use crate::Ending;

/// All choices and limits of a compiled grammar.
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
    /// When a text ends. Default: an end-of-sequence ending without tokens.
    pub ending: Ending,
    /// Choices and limits of [`Grammar::from_json_schema`](crate::Grammar::from_json_schema).
    pub json_schema: grammask_json_schema::Config,
    /// Limits of reading a grammar's text.
    pub syntax: grammask_syntax::Config,
    /// The start symbol, and limits of normalizing, regexes included.
    pub normal: grammask_normal::Config,
    /// Limits and switches of the recognizer.
    pub recognizer: grammask_earley::Config,
    /// Limits and switches of masks.
    pub masks: grammask_mask::Config,
    /// How much is found while a JSON Schema is compiled, so that whoever waits for masks waits less: the masks behind `{"` and `[`, and what the
    /// grammar's lexemes take, as long as walking so many nodes of the vocabulary's trie takes, roughly; a lexeme counts as 64. The mask
    /// of the first state is found with any value, and masks are the same with any. Default: 8192, a fraction of a millisecond.
    pub ahead: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            ending: Ending::default(),
            json_schema: grammask_json_schema::Config::default(),
            syntax: grammask_syntax::Config::default(),
            normal: grammask_normal::Config::default(),
            recognizer: grammask_earley::Config::default(),
            masks: grammask_mask::Config::default(),
            ahead: 8192,
        }
    }
}

impl Config {
    /// The same with another start symbol; the default is what `%start` says, and `start` where the text says nothing.
    #[must_use]
    pub fn with_start(mut self, name: impl Into<String>) -> Self {
        self.normal.start = Some(name.into());
        self
    }

    /// The same with [`Ending::EndOfSequence`] by these tokens.
    #[must_use]
    pub fn ending_with(mut self, tokens: impl IntoIterator<Item = crate::TokenId>) -> Self {
        self.ending = Ending::EndOfSequence(tokens.into_iter().collect());
        self
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;

    #[test]
    fn all_choices_but_the_flag_are_stored() {
        let mut config = Config::default();
        config.json_schema.property_order = grammask_json_schema::PropertyOrder::AsWritten;
        config.masks.light = 7;
        let stored = serde_json::to_value(&config).unwrap();
        let loaded: Config = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(loaded.json_schema.property_order, config.json_schema.property_order);
        assert_eq!(serde_json::to_value(&loaded).unwrap(), stored);
    }
}

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
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
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

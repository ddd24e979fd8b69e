//! What a caller can choose: the start symbol and the limits.

/// The start symbol and the limits of normalization. The defaults are generous: a grammar that breaks one of them is broken.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Config {
    /// The start symbol. `None` (the default) means what `%start` says in the text, and `start` where the text says nothing.
    pub start: Option<String>,
    /// The greatest number of productions after any pass.
    pub max_productions: usize,
    /// The greatest number of symbols in all productions after any pass.
    pub max_symbols: usize,
    /// The greatest number of distinct regular parts.
    pub max_terminals: usize,
    /// The greatest number of bytes that may be written while the texts of all operands of `except!` are listed.
    pub max_except_bytes: usize,
    /// How many errors are reported one by one; those beyond are counted.
    pub max_errors: usize,
    /// The limits of the regular parts.
    pub regular: grammask_regular::Config,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            start: None,
            max_productions: 8_000_000,
            max_symbols: 32_000_000,
            max_terminals: 8_000_000,
            max_except_bytes: 64 << 20,
            max_errors: 100,
            regular: grammask_regular::Config::default(),
        }
    }
}

//! Limits and tuning of a lexicon.

/// Limits and tuning of a [`Lexicon`](crate::Lexicon).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct LexiconConfig {
    /// Bytes that the tables may hold; beyond it, [`Lexicon::is_over_budget`](crate::Lexicon::is_over_budget)
    /// returns `true`. Tables that were replaced stay in memory while a grammar refers to them. Default: 128
    /// MiB.
    pub budget: usize,
    /// True if subtrees of the trie that a lexeme loops through are taken as a whole. Performance only.
    /// Default: true.
    pub slices: bool,
    /// Nodes of a subtree from which on it is checked for a loop. Performance only. Default: 12.
    pub slice_size: u32,
    /// Edges of the trie that leave the loop of a lexeme, beyond which a safe class is searched for.
    /// Performance only. Default: 1,024.
    pub strays: usize,
    /// Trie nodes below a node from which on it is a base of slices; the root always is. Performance only.
    /// Default: 16,384: nearly half of the trie of Llama 3 is below a blank.
    pub base_size: usize,
    /// Edges of the trie that leave a class, up to which the loop of a lexeme is taken from its slice
    /// although no safe class was found. Performance only. Default: 16,384.
    pub leaving: usize,
    /// Inner trie nodes of a set that is stored as a list; larger sets have one bit for each inner node.
    /// Performance only. Default: 2,048, as many bytes as the bits for 128,000 tokens.
    pub short_list: usize,
    /// Names of [`STRATEGIES`](crate::STRATEGIES) that are not tried. Performance only; for tests. Default:
    /// none.
    #[doc(hidden)]
    #[cfg_attr(feature = "serde", serde(skip))]
    pub disabled: Vec<&'static str>,
    /// Limits of the languages of lexemes. Beyond one of them, a lexeme is walked with the tables of its
    /// grammar.
    pub regular: grammask_regular::Limits,
}

impl Default for LexiconConfig {
    fn default() -> Self {
        Self {
            budget: 128 << 20,
            slices: true,
            slice_size: 12,
            strays: 1024,
            base_size: 16_384,
            leaving: 16_384,
            short_list: 2048,
            disabled: Vec::new(),
            regular: grammask_regular::Limits::default(),
        }
    }
}

impl LexiconConfig {
    /// Returns a configuration with slices wherever they are possible, for tests with small vocabularies.
    /// Masks are equal.
    ///
    /// ```
    /// # use grammask_mask::LexiconConfig;
    /// assert!(LexiconConfig::eager().base_size < LexiconConfig::default().base_size);
    /// ```
    pub fn eager() -> Self {
        Self { slice_size: 1, strays: 0, base_size: 1, leaving: 0, ..Self::default() }
    }
}

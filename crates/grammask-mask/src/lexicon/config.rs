//! What a lexicon may take, and how it walks.

/// How a [`Lexicon`](crate::Lexicon) works.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct LexiconConfig {
    /// Bytes that the tables may hold before [`Lexicon::is_over_budget`](crate::Lexicon::is_over_budget) says so. It is for the tables in use: those that
    /// were given up stay in memory as long as a grammar that was bound to them is not used, or is not dropped; the facade keeps the last of them until a
    /// grammar is compiled, as freeing it takes longer than a mask may.
    /// Default: 128 MiB.
    pub budget: usize,
    /// Whether subtrees of the trie through which a lexeme provably loops are taken whole, and lexemes that nearly loop are found from those
    /// that do. Masks are the same without.
    /// Default: yes.
    pub slices: bool,
    /// Whether a lexeme loops through a subtree is want where it has at least so many nodes. Masks are the same with any value.
    /// Default: 12.
    pub slice_size: u32,
    /// Whether a class of characters keeps a lexeme alive is want where it may go on by more edges of the trie than so many that are not of its
    /// loop: by few there is little to walk. Masks are the same with any value. Default: 1024.
    pub strays: usize,
    /// Below a place in the trie, slices are used where it has at least so many nodes, or is the root. Masks are the same with any value.
    /// Default: 16,384; below a blank stands nearly half of the trie of Llama 3.
    pub base_size: usize,
    /// Where at most so many edges of the trie lead out of a class of characters that keeps a lexeme alive for ever, its texts are not taken as runs:
    /// what is behind these edges is walked instead, which takes less than knowing the runs. Masks are the same with any value. Default: 16,384.
    pub leaving: usize,
    /// Sets of up to this many places in the trie are lists, longer ones rows of bits, one for each inner node. Masks are the same with
    /// any value. Default: 2,048, as a list of so many takes as much as a row of bits for 128,000 tokens.
    pub short_list: usize,
    /// Names of [`STRATEGIES`](crate::STRATEGIES) that are not tried. Masks are the same without them, so this is for tests and
    /// measurements. Default: none.
    #[doc(hidden)]
    #[cfg_attr(feature = "serde", serde(skip))]
    pub disabled: Vec<&'static str>,
    /// Limits of the lexemes' languages. Where one is hit, the grammar's own tables are used instead.
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
    /// Slices wherever they are possible, however little they save. Masks are the same as with any other configuration, so it is for tests, which meet all
    /// ways to find them in small vocabularies.
    ///
    /// ```
    /// # use grammask_mask::LexiconConfig;
    /// assert!(LexiconConfig::eager().base_size < LexiconConfig::default().base_size);
    /// ```
    pub fn eager() -> Self {
        Self { slice_size: 1, strays: 0, base_size: 1, leaving: 0, ..Self::default() }
    }
}

//! Findings of prose that each area may still have. Numbers only ever go down; the aim is an empty table.

/// Area and number of findings. An area that is not listed may have none.
pub const PROSE_BUDGET: &[(&str, usize)] = &[
    ("documents", 1148),
    ("grammask", 14),
    ("grammask-cache", 116),
    ("grammask-cli", 8),
    ("grammask-earley", 349),
    ("grammask-json-schema", 5),
    ("grammask-kbnf", 3),
    ("grammask-mask", 832),
    ("grammask-normal", 8),
    ("grammask-python", 20),
    ("grammask-regular", 116),
    ("grammask-syntax", 199),
    ("grammask-testkit", 8),
    ("grammask-trie", 24),
];

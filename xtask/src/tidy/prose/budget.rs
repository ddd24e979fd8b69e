//! Findings of prose that each area may still have. Numbers only ever go down; the aim is an empty table.

/// Area and number of findings. An area that is not listed may have none.
pub const PROSE_BUDGET: &[(&str, usize)] = &[
    ("documents", 85),
    ("grammask", 15),
    ("grammask-cli", 1),
    ("grammask-json-schema", 5),
    ("grammask-kbnf", 2),
    ("grammask-mask", 831),
    ("grammask-normal", 1),
    ("grammask-python", 2),
    ("grammask-regular", 13),
    ("grammask-syntax", 199),
    ("grammask-testkit", 4),
    ("grammask-trie", 24),
];

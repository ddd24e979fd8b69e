//! Findings of prose that each area may still have. Numbers only ever go down; the aim is an empty table.

/// Area and number of findings. An area that is not listed may have none.
pub const PROSE_BUDGET: &[(&str, usize)] = &[("documents", 37), ("grammask-json-schema", 2)];

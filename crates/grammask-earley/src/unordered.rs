//! Items in any order, as `unordered!(a, b?, c*)` writes them: permutations.

pub(crate) mod distinct;
pub(crate) mod nodes;
pub(crate) mod plan;

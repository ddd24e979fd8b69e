//! Permutations: items in any order, as `unordered!(a, b?, c*)` writes them.
//!
//! After `b` has been read, the orders `a c`, `c a`, `c c a` and so on are still possible. A position is
//! therefore not a node of the network but the progress made: how often each item has occurred. Equal
//! progress is one node, in whichever order the items came.
//!
//! | module | contents |
//! | --- | --- |
//! | [`plan`] | layout of the counters, and the rules for what may come next |
//! | [`nodes`] | the nodes of a permutation, created lazily |
//! | [`distinct`] | items of `distinct!`, whose texts must differ from each other |
//! | [`distinct_values`] | such items that are rules, whose texts are compared as JSON values |
//! | [`used_texts`] | the texts of both |
//! | [`json_value`] | JSON values of texts, for items that are compared by value |
//! | [`comparison`] | how far a text that is being read agrees with such a value |
//!
//! # Source
//! A. Baars, A. Löh, D. Swierstra, "Parsing permutation phrases", 2004. Here items may also repeat and imply
//! each other.

pub(crate) mod comparison;
pub(crate) mod distinct;
pub(crate) mod distinct_values;
pub(crate) mod json_value;
mod many_values;
pub(crate) mod nodes;
pub(crate) mod plan;
mod search;
pub(crate) mod used_texts;

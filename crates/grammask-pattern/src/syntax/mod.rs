//! Texts of patterns as syntax trees.

pub(crate) mod class;
pub(crate) mod ecma;
pub(crate) mod node;

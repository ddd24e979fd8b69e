//! Simpler languages that differ only in strings longer than some bound, or only in shorter ones.

pub(crate) mod drop_bounds;
pub(crate) mod drop_exceptions;
pub(crate) mod horizon;
pub(crate) mod saturate;

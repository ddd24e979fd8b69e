//! Languages that differ only in strings that are longer than some bound.

pub(crate) mod drop_bounds;
pub(crate) mod drop_exceptions;
pub(crate) mod horizon;
pub(crate) mod saturate;

//! Languages of JSON numbers, by their values.

pub(crate) mod comparison;
pub(crate) mod modular;
pub(crate) mod multiple;
pub(crate) mod samples;
pub(crate) mod state;

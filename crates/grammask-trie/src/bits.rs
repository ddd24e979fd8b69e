//! Loops over words and ids that the standard library has no fast form of: row copies, bit counts, sorting.

pub(crate) mod copy;
pub(crate) mod popcount;
pub(crate) mod radix;

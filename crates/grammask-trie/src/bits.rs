//! Loops over words and ids that are faster than their counterparts in the standard library: copying,
//! counting bits, sorting.

pub(crate) mod copy;
pub(crate) mod popcount;
pub(crate) mod radix;

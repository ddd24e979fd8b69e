//! Decision procedures: exact ones that search, and one-sided ones that look at expressions alone.

pub(crate) mod characters;
pub(crate) mod emptiness;
pub(crate) mod first_bytes;
pub(crate) mod inclusion;
pub(crate) mod overlap;
pub(crate) mod shortest;
pub(crate) mod utf8;
pub(crate) mod witnesses;

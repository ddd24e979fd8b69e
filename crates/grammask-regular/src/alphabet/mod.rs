//! Sets of bytes, and classes of bytes that a language does not distinguish.

pub(crate) mod byte_classes;
pub(crate) mod byte_set;
pub(crate) mod partitions;

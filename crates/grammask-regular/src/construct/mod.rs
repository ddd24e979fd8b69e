//! Constructors of expressions. Each returns the normal form of its result, so that equal languages usually
//! have equal ids and automata stay small.

pub(crate) mod boolean;
pub(crate) mod concat;
pub(crate) mod length;
pub(crate) mod merge_counters;
pub(crate) mod prefix;
pub(crate) mod regex;
pub(crate) mod repeat;
pub(crate) mod split;
pub(crate) mod substring;
pub(crate) mod union;
pub(crate) mod word_boundary;

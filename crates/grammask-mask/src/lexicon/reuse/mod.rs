//! Entries found from the entries of other lexemes, or from the texts of a finite language.

pub(crate) mod finite;
pub(crate) mod near_duplicate;
pub(crate) mod same_successors;
pub(crate) mod split_prefix;

//! Answers for a state that come from what is known of other states, or of the texts of its language.

pub(crate) mod finite;
pub(crate) mod near_duplicate;
pub(crate) mod same_successors;
pub(crate) mod split_prefix;

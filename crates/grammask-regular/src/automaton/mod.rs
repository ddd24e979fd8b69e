//! The automaton whose states are expressions.

pub(crate) mod derivative;
pub(crate) mod refine;
pub(crate) mod state_count;

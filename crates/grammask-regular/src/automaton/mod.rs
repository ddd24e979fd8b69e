//! The automaton whose states are expressions: derivatives, and what they say about the alphabet and the
//! number of states.

pub(crate) mod derivative;
pub(crate) mod refine;
pub(crate) mod state_count;

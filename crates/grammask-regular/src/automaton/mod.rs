//! The automaton whose states are expressions: its derivatives, byte classes and number of states.

pub(crate) mod derivative;
pub(crate) mod refine;
pub(crate) mod state_count;

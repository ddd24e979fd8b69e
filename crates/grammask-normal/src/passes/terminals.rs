//! Passes that make fewer and larger terminals, so that one automaton recognizes what several symbols did.

pub(super) mod gather_characters;
pub(super) mod gather_literals;
pub(super) mod merge_consecutive_terminals;

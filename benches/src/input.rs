//! Inputs of all measurements: grammars with texts, vocabularies, and random numbers.

pub mod case;
pub mod random;
pub mod vocabulary;

//! Languages that are kept as automata inside an expression.

pub(crate) mod acyclic_dfa;
pub(crate) mod aho_corasick;
pub(crate) mod factor_automaton;
pub(crate) mod word_list;

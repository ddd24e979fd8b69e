//! Input of a command: a grammar, a vocabulary, and a text as tokens.

pub(crate) mod front_end;
pub(crate) mod source;
pub(crate) mod tokenize;
pub(crate) mod vocabulary;

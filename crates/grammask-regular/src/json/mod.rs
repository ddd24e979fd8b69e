//! JSON strings: the language of all spellings of the texts of another language, and proofs about it.

pub(crate) mod cursor;
pub(crate) mod escape;
pub(crate) mod escapes;
pub(crate) mod exclude;
pub(crate) mod finite;
pub(crate) mod string;

//! Languages of JSON strings: all spellings of the texts of another language.

pub(crate) mod cursor;
pub(crate) mod escape;
pub(crate) mod exclude;
pub(crate) mod finite;
pub(crate) mod string;

//! JSON strings: the language of all spellings of the texts of another language, and what can be seen of it.

pub(crate) mod cursor;
pub(crate) mod escape;
pub(crate) mod exclude;
pub(crate) mod finite;
pub(crate) mod string;

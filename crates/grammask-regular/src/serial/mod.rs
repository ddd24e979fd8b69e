//! Languages outside of a store: saved, compared between stores, copied from one store into another.

pub(crate) mod canonical_form;
pub(crate) mod import;
pub(crate) mod saved;

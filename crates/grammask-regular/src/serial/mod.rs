//! Languages outside of their store: saved, copied into another store, and compared across stores.

pub(crate) mod canonical_form;
pub(crate) mod import;
pub(crate) mod saved;

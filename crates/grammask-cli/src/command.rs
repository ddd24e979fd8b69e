//! The commands, one per file.

pub(crate) mod accept;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod convert;
pub(crate) mod generate;
pub(crate) mod mask;
pub(crate) mod show;
pub(crate) mod vocab;

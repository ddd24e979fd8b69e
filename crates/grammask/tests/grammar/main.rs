//! From a text to a compiled grammar: every stage's output, error reports, hostile input, and saved grammars.

mod bad_input;
#[cfg(feature = "json-schema")]
mod embedded_schemas;
mod errors;
#[cfg(feature = "save")]
mod save;
mod stages;
#[cfg(feature = "json-schema")]
mod work;

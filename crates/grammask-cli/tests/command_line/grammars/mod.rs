//! Grammars in other notations than KBNF.

mod notation;
mod schema;

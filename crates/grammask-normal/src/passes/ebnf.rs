//! Passes that turn the operators of EBNF (groups, `?`, `*`, `+`, bounds, repeated left sides) into plain
//! rules.

pub(super) mod expand_repetitions;
pub(super) mod flatten_nested_rules;
pub(super) mod flatten_operators;
pub(super) mod group_rules;

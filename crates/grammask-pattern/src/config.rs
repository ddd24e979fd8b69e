//! Options and limits of the translation.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Options and limits of the translation.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Limits of the translation.
    pub limits: Limits,
    /// Cancellation flag. Once it is true, the translation ends with
    /// [`Cause::Cancelled`](crate::Cause::Cancelled). Default: none.
    pub cancel: Option<Arc<AtomicBool>>,
}

/// Limits of the translation. Beyond one of them, it ends with [`Cause::Limit`](crate::Cause::Limit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Levels of nested groups. Default: 250.
    pub max_group_nesting: usize,
    /// Largest number in a quantifier. Default: 1,000,000,000.
    pub max_quantifier: u32,
    /// Nodes of an alternative with assertions in its middle. Default: 20,000.
    pub max_pattern_nodes: usize,
    /// Expressions that a pattern with assertions in its middle expands to. Default: 10,000.
    pub max_pattern_size: u64,
    /// Copies of a repetition with assertions inside. Default: 100.
    pub max_pattern_copies: u32,
    /// Steps for a pattern with assertions in its middle, mostly products of two matrix entries. Default:
    /// 2,000,000.
    pub max_pattern_steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_group_nesting: 250,
            max_quantifier: 1_000_000_000,
            max_pattern_nodes: 20_000,
            max_pattern_size: 10_000,
            max_pattern_copies: 100,
            max_pattern_steps: 2_000_000,
        }
    }
}

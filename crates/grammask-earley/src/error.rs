//! What can go wrong: limits, each named with its value.

/// The limit that stopped a step, or the making of a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A set would have more items than allowed: the grammar is very ambiguous here, or goes on in very many ways.
    #[error(
        "one can be at more than {limit} places of the grammar at once (limit max_items_per_set): it is ambiguous, or \
         very many rules begin alike"
    )]
    TooManyItems {
        /// The value of `max_items_per_set`.
        limit: usize,
    },
    /// Completing rules after one byte takes more steps than allowed: the grammar is very ambiguous here.
    #[error(
        "one byte takes more than {limit} completion steps (limit max_work_per_byte): the grammar is ambiguous"
    )]
    TooMuchWork {
        /// The value of `max_work_per_byte`.
        limit: usize,
    },
    /// The network would have more nodes than allowed.
    #[error("the grammar needs more than {limit} nodes (limit max_nodes)")]
    TooManyNodes {
        /// The value of `max_nodes`.
        limit: usize,
    },
    /// The tables hold as many sets as ids can tell apart.
    #[error("the tables hold {limit} sets, as many as there are ids")]
    TooManySets {
        /// How many ids there are.
        limit: usize,
    },
    /// The tables hold more bytes than allowed, though they were made anew whenever they could be: the states in use are so large, as those of
    /// outputs that nest very deep, or one text has led through so many.
    #[error(
        "the tables take more than {limit} bytes (limit max_bytes): an output nests very deep, or a language has very many states"
    )]
    TooManyBytes {
        /// The value of `max_bytes`.
        limit: usize,
    },
    /// The grammar names more special tokens than there are classes.
    #[error("the grammar names more than {limit} special tokens")]
    TooManySpecials {
        /// How many it may name.
        limit: usize,
    },
    /// Whoever has asked does not want to know any more: see [`Recognizer::set_cancel_flag`](crate::Recognizer::set_cancel_flag).
    #[error("cancelled")]
    Cancelled,
    /// A lexeme is beyond a limit of its own.
    #[error(transparent)]
    Regular(#[from] grammask_regular::Error),
}

/// Why a network could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}; exceeded in `{nonterminal}`")]
pub struct BuildError {
    /// The nonterminal of the normal form that was being compiled. What is made of a part of a rule has the rule's name, `_` and a number.
    pub nonterminal: String,
    /// The limit.
    #[source]
    pub cause: Error,
}

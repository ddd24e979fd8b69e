//! What can be wrong with a vocabulary, a vocabulary file, or a mask row.

use crate::TokenId;

/// Why a vocabulary or a trie could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An id is not below [`Config::id_limit`](crate::Config::id_limit).
    #[error("token id {id} is not below the limit {limit}")]
    IdTooLarge {
        /// The id.
        id: u64,
        /// The first id that is not allowed.
        limit: u32,
    },
    /// An id was given twice, be it as an ordinary token, as a special one, or as both.
    #[error("{id} is given twice: in {first} and {second}{}", more(*.others))]
    DuplicateId {
        /// The smallest such id.
        id: TokenId,
        /// Where it is given first.
        first: EntryPlace,
        /// Where it is given again.
        second: EntryPlace,
        /// How many more ids are given twice.
        others: usize,
    },
    /// Two special tokens have the same name, so that the name would not say which.
    #[error("the special tokens {first} and {second} have the same name {name:?}")]
    DuplicateName {
        /// The name.
        name: String,
        /// The smaller id.
        first: TokenId,
        /// The larger id.
        second: TokenId,
    },
    /// A token is longer than [`Config::max_token_bytes`](crate::Config::max_token_bytes).
    #[error("{id} has {length} bytes, more than the limit {limit}")]
    TokenTooLong {
        /// The token.
        id: TokenId,
        /// Its length in bytes.
        length: usize,
        /// The longest allowed, in bytes.
        limit: u16,
    },
    /// The tokens together are longer than [`Config::max_bytes`](crate::Config::max_bytes).
    #[error("with {id} the vocabulary has more than {limit} bytes")]
    TooManyBytes {
        /// The token that passed the limit.
        id: TokenId,
        /// The most allowed, in bytes.
        limit: u32,
    },
    /// A line of a text format is not what the format wants.
    #[error("line {line} (byte {offset}): {problem}")]
    Line {
        /// Counted from one.
        line: usize,
        /// Where the line begins, in bytes from the beginning of the file.
        offset: usize,
        /// What is wrong with it.
        problem: LineProblem,
    },
    /// The file is no JSON, or not JSON of the shape that the format wants.
    #[error("line {line}, column {column}: {message}")]
    Json {
        /// Counted from one.
        line: usize,
        /// In bytes, counted from one; zero at the beginning of a line.
        column: usize,
        /// What the JSON reader says.
        message: String,
    },
    /// The file is of the right shape, but asks for something that no loader here can do.
    #[error("not supported: {what}")]
    Unsupported {
        /// The construct, with its value.
        what: String,
    },
    /// The file begins like none of the formats that [`load`](crate::loaders::load) knows.
    #[cfg(feature = "loaders")]
    #[error("no known vocabulary format begins like this")]
    UnknownFormat,
}

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => ", and so is 1 more id".to_owned(),
        others => format!(", and so are {others} more ids"),
    }
}

/// Where an entry of a vocabulary comes from; all numbers count from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EntryPlace {
    /// A line of a text format.
    #[error("line {0}")]
    Line(u32),
    /// An entry of the object or list that is a JSON file, or of the tokens that are given to make a vocabulary of.
    #[error("entry {0}")]
    Entry(u32),
    /// An entry of the vocabulary in the model of a `tokenizer.json`.
    #[error("entry {0} of the model")]
    Piece(u32),
    /// An entry of the `added_tokens` of a `tokenizer.json`.
    #[error("added token {0}")]
    Added(u32),
    /// One of the special tokens that are given beside the ordinary ones.
    #[error("special token {0}")]
    Special(u32),
    /// The vocabulary to which special tokens are to be added.
    #[error("the vocabulary")]
    Vocabulary,
}

/// What is wrong with a line of a vocabulary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// The line has not all the fields of the format.
    #[error("expected {0}")]
    Shape(&'static str),
    /// The id is no decimal number that fits 64 bits.
    #[error("the id is not a number")]
    Id,
    /// The token is no base64 text.
    #[error("the token is not base64")]
    Base64,
    /// The token is no Python literal of a text or of bytes.
    #[error("the token is not a Python literal")]
    Literal,
    /// The line names another length than its token has.
    #[error("the line says {stated} bytes, its token has {actual}")]
    Length {
        /// As the line says, in bytes.
        stated: usize,
        /// As the token has, in bytes.
        actual: usize,
    },
}

/// A mask row of the caller is shorter than the mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a row of {given} words does not hold a mask of {needed} words")]
pub struct RowTooShort {
    /// Words of 32 bits that the mask has.
    pub needed: usize,
    /// Words that the row has.
    pub given: usize,
}

/// An invariant that a value breaks: found by the `check` functions, and always a bug of this crate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("broken invariant: {invariant} ({place})")]
pub struct Broken {
    /// The invariant, as its list has it.
    pub invariant: &'static str,
    /// Where it does not hold.
    pub place: String,
}

impl Broken {
    /// `Ok` iff the invariant holds; the place is only made when it does not.
    pub(crate) fn unless(
        holds: bool,
        invariant: &'static str,
        place: impl FnOnce() -> String,
    ) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self { invariant, place: place() }) }
    }
}

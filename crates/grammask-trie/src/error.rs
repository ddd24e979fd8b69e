//! Errors of vocabularies, vocabulary files and mask rows.

use std::fmt;

use crate::TokenId;

/// Why a vocabulary or a trie could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input exceeds a limit of [`Limits`](crate::Limits).
    #[error("{}{exceeded}", of_token(*.id))]
    LimitExceeded {
        /// Id of the first token beyond the limit. `None` if the limit does not concern one token.
        id: Option<u64>,
        /// The limit and its value.
        exceeded: LimitExceeded,
    },
    /// An id occurs twice: in two ordinary tokens, in two special tokens, or in one of each.
    #[error("{id} is given twice: in {first} and {second}{}", more(*.others))]
    DuplicateId {
        /// The smallest such id.
        id: TokenId,
        /// First entry with this id.
        first: EntryPlace,
        /// Second entry with this id.
        second: EntryPlace,
        /// Number of further ids that occur twice.
        others: usize,
    },
    /// Two special tokens have the same name.
    #[error("the special tokens {first} and {second} have the same name {name:?}")]
    DuplicateName {
        /// The name.
        name: String,
        /// The smaller id.
        first: TokenId,
        /// The larger id.
        second: TokenId,
    },
    /// A line of a text format has an error.
    #[error("line {line} (byte {offset}): {problem}")]
    Line {
        /// Line number, from 1.
        line: usize,
        /// Byte offset of the beginning of the line in the file.
        offset: usize,
        /// The error in the line.
        problem: LineProblem,
    },
    /// The file is not JSON, or has another structure than its format.
    #[error("line {line}, column {column}: {message}")]
    Json {
        /// Line number, from 1.
        line: usize,
        /// Column in bytes, from 1. It is 0 at the beginning of a line.
        column: usize,
        /// Message of the JSON reader.
        message: String,
    },
    /// A GGUF or SentencePiece file, or a saved vocabulary, is damaged.
    #[error("byte {offset}: {problem}")]
    Binary {
        /// Byte offset in the file of the value with the problem.
        offset: usize,
        /// The problem.
        problem: BinaryProblem,
    },
    /// An entry of a JSON or GGUF file is not a token.
    #[error("{place}: {problem}")]
    Entry {
        /// The entry.
        place: EntryPlace,
        /// The error in the entry.
        problem: LineProblem,
    },
    /// A key of a file has a value that cannot be used, or is missing.
    #[error("`{key}`: {message}")]
    Key {
        /// The key, with the name of the file in front if there are several files.
        key: String,
        /// The reason.
        message: String,
    },
    /// The texts of a plain JSON file look like the spelling of a tokenizer. Taken literally, they would be
    /// other tokens than the model's.
    #[error(
        "the texts look like the {spelling} spelling ({count} of {total}, such as {example:?}); \
         name the spelling: `vocab_json`, or `--vocab-format` on the command line"
    )]
    Spelling {
        /// The spelling: `byte-level` or `SentencePiece`.
        spelling: &'static str,
        /// Number of texts that show the spelling.
        count: usize,
        /// Number of all texts.
        total: usize,
        /// The first text that shows the spelling.
        example: String,
    },
    /// An added token of a `tokenizer.json` has the id or the text of another token. The library gives it
    /// another id than the file says, so the file does not say what the model writes.
    #[error("{place}: {token} clashes: {reason}")]
    Clash {
        /// The added token.
        place: EntryPlace,
        /// Its text and id.
        token: String,
        /// The other token.
        reason: String,
    },
    /// A token that ends or begins a sequence is not in the vocabulary.
    #[error("{key} names {token}, which is not in the vocabulary")]
    UnknownToken {
        /// The option or the key of a file that names the token.
        key: String,
        /// The id, or the name in quotes.
        token: String,
    },
    /// The model has fewer rows than the tokenizer has ids.
    #[error("{rows} rows are fewer than the {ids} ids of the vocabulary")]
    TooFewRows {
        /// Number of rows that was given.
        rows: usize,
        /// The highest id plus one.
        ids: usize,
    },
    /// The file is well-formed but uses a feature that no loader supports.
    #[error("not supported: {what}")]
    Unsupported {
        /// The feature, with its value.
        what: String,
    },
    /// Bytes are not a bitmap in the portable format of Roaring.
    #[cfg(feature = "roaring")]
    #[error("the bytes are not a Roaring bitmap: {message}")]
    Roaring {
        /// Message of the reader.
        message: String,
    },
    /// The file does not begin like a format that [`load`](crate::loaders::load) knows.
    #[cfg(feature = "loaders")]
    #[error("the file does not begin like a known vocabulary format")]
    UnknownFormat,
}

fn of_token(id: Option<u64>) -> String {
    id.map_or_else(String::new, |id| format!("token id {id}: "))
}

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => ", and so is 1 more id".to_owned(),
        others => format!(", and so are {others} more ids"),
    }
}

/// A limit of this crate. Displays as the field of [`Limits`](crate::Limits).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// `max_ids`
    MaxIds,
    /// `max_token_bytes`
    MaxTokenBytes,
    /// `max_bytes`
    MaxBytes,
    /// `max_decoder_steps`
    MaxDecoderSteps,
    /// `max_decoder_growth`
    MaxDecoderGrowth,
    /// `max_reserved_ids`
    MaxReservedIds,
}

impl Limit {
    /// Returns a noun phrase for the counted things.
    const fn unit(self) -> &'static str {
        match self {
            Self::MaxIds => "token ids",
            Self::MaxTokenBytes => "bytes in a token",
            Self::MaxBytes => "bytes in all tokens and names of special tokens",
            Self::MaxDecoderSteps => "steps of the decoder",
            Self::MaxReservedIds => "ids reserved for special tokens",
            Self::MaxDecoderGrowth => "times the length of a piece after decoding",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MaxIds => "max_ids",
            Self::MaxTokenBytes => "max_token_bytes",
            Self::MaxBytes => "max_bytes",
            Self::MaxDecoderSteps => "max_decoder_steps",
            Self::MaxDecoderGrowth => "max_decoder_growth",
            Self::MaxReservedIds => "max_reserved_ids",
        })
    }
}

/// An input exceeds a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// The limit.
    pub limit: Limit,
    /// The value of the limit: the greatest number that is allowed.
    pub value: u64,
    /// The number in the input. `None` if it was not counted to the end.
    pub found: Option<u64>,
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, value, found } = self;
        match found {
            Some(found) => write!(f, "{found} {}, more than {value} (limit `{limit}`)", limit.unit()),
            None => write!(f, "more than {value} {} (limit `{limit}`)", limit.unit()),
        }
    }
}

impl std::error::Error for LimitExceeded {}

/// Where an entry of a vocabulary comes from. Numbers count from 1, except for ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EntryPlace {
    /// A line of a text format.
    #[error("line {0}")]
    Line(u32),
    /// An entry of the object or list in a JSON file, or of the ordinary tokens that were passed to a
    /// constructor.
    #[error("entry {0}")]
    Entry(u32),
    /// An entry of the vocabulary in the model of a `tokenizer.json`.
    #[error("entry {0} of the model")]
    Piece(u32),
    /// An entry of the `added_tokens` of a `tokenizer.json`.
    #[error("added token {0}")]
    Added(u32),
    /// An entry of the `added_tokens_decoder` of a `tokenizer_config.json`.
    #[error("entry {0} of `added_tokens_decoder`")]
    Decoder(u32),
    /// A token of a GGUF or SentencePiece file, by its id, which counts from 0.
    #[error("token {0}")]
    Id(u32),
    /// An entry of the special tokens that were passed to a constructor.
    #[error("special token {0}")]
    Special(u32),
    /// The vocabulary to which special tokens are added.
    #[error("the vocabulary")]
    Vocabulary,
}

/// An error in a line of a vocabulary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// The line lacks a field of the format.
    #[error("expected {0}")]
    Shape(&'static str),
    /// The id is not a decimal number of 64 bits.
    #[error("the id is not a number")]
    Id,
    /// The token is not a base64 text.
    #[error("the token is not base64")]
    Base64,
    /// The token is not a backslash-escaped text of a GGUF file for RWKV.
    #[error("the token is not an escaped text")]
    Escape,
    /// The type of the token is not one of the format.
    #[error("the type of the token is not a number from 0 to 6")]
    TokenType,
    /// The token is marked as a byte and is not `<0xHH>`.
    #[error("the token is marked as a byte and is not spelled `<0xHH>`")]
    Byte,
    /// The token is not a Python literal of a text or of bytes.
    #[error("the token is not a Python literal")]
    Literal,
    /// The length in the line differs from the length of the token.
    #[error("the line says {stated} bytes, its token has {actual}")]
    Length {
        /// Length that the line states, in bytes.
        stated: usize,
        /// Length of the token, in bytes.
        actual: usize,
    },
}

/// An error in a binary vocabulary file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BinaryProblem {
    /// The file ends inside of a value. A model file of which only the beginning was read has this error,
    /// too.
    #[error("the file ends {missing} bytes before the end of this value")]
    End {
        /// Number of bytes that are missing, at least.
        missing: u64,
    },
    /// A number has more than 64 bits.
    #[error("the number has more than 64 bits")]
    Number,
    /// A field of a protobuf message has a wire type that does not exist, or not the one of the field.
    #[error("field {field} has the wire type {wire}")]
    WireType {
        /// Number of the field.
        field: u64,
        /// The wire type.
        wire: u8,
    },
    /// A GGUF value has a type that does not exist.
    #[error("there is no value type {0}")]
    ValueType(u32),
    /// Arrays of a GGUF value contain each other more deeply than the format is used.
    #[error("the array is nested more than {0} levels deep")]
    Nesting(usize),
    /// A text is not UTF-8.
    #[error("the text is not UTF-8")]
    Utf8,
    /// The file does not begin like one of its format.
    #[error("the file does not begin with {0}")]
    Magic(&'static str),
    /// The file has a version of its format that is not supported.
    #[error("version {found} of the format is not supported, only {supported}")]
    Version {
        /// The version of the file.
        found: u32,
        /// The versions that are supported.
        supported: &'static str,
    },
    /// Two values that describe the same list have different lengths.
    #[error("{found} values instead of {expected}")]
    Count {
        /// Number of values.
        found: u64,
        /// Number of tokens.
        expected: u64,
    },
    /// The bytes are not those that were saved.
    #[error("the checksum is {found:032x} instead of {expected:032x}")]
    Checksum {
        /// Fingerprint of the tokens that were read.
        found: u128,
        /// Fingerprint in the file.
        expected: u128,
    },
    /// A saved value cannot occur.
    #[error("{0}")]
    Value(&'static str),
}

/// A row of the caller is shorter than the mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a row of {given} words does not hold a mask of {needed} words")]
pub struct RowTooShort {
    /// Length of the mask, in words of 32 bits.
    pub needed: usize,
    /// Length of the row, in words of 32 bits.
    pub given: usize,
}

/// An invariant that does not hold. The `check` functions return it, and it is always a bug of this crate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("broken invariant: {invariant} ({place})")]
pub struct Violation {
    /// The invariant.
    pub invariant: &'static str,
    /// Where it does not hold.
    pub place: String,
}

impl Violation {
    /// Returns an error if the invariant does not hold. Calls `place` only then.
    pub(crate) fn check(
        holds: bool,
        invariant: &'static str,
        place: impl FnOnce() -> String,
    ) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self { invariant, place: place() }) }
    }
}

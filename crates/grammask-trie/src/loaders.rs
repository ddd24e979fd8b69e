//! Loaders for the vocabulary files of models: tiktoken, Hugging Face `tokenizer.json`, RWKV and plain JSON.
//!
//! Each loader takes the bytes of a file. No input makes a loader panic, and each error has the place in the
//! file.
//!
//! ```
//! use grammask_trie::{Config, TokenId, loaders};
//!
//! let vocabulary = loaders::load(br#"{"a": 0, "b": 1, "ab": 2}"#, &Config::default())?;
//! assert_eq!(vocabulary.bytes(TokenId(2)), Some(&b"ab"[..]));
//! # Ok::<(), grammask_trie::Error>(())
//! ```

use std::fmt;

use crate::{Config, Error, Vocabulary};

mod entries;
mod lines;
mod literal;
mod pieces;
mod plain;
mod rwkv;
mod tiktoken;
mod tokenizer;

pub use plain::plain_json;
pub use rwkv::{rwkv_json, rwkv_text};
pub use tiktoken::tiktoken;
pub use tokenizer::tokenizer_json;

/// The formats that [`load`] distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Lines of a base64 text and a rank: [`tiktoken`].
    Tiktoken,
    /// Hugging Face `tokenizer.json`: [`tokenizer_json`].
    TokenizerJson,
    /// An object from ids to texts or lists of bytes: [`rwkv_json`].
    RwkvJson,
    /// Lines of id, Python literal and length: [`rwkv_text`].
    RwkvText,
    /// An object from texts to ids, or a list of pairs: [`plain_json`].
    PlainJson,
}

impl Format {
    /// Detects the format from the beginning of a file: from its first line, or from the first entry of its
    /// JSON object. Returns `None` if no format begins like this. The rest of the file is not checked.
    ///
    /// ```
    /// # use grammask_trie::loaders::Format;
    /// assert_eq!(Format::sniff(b"IQ== 0\nIg== 1\n"), Some(Format::Tiktoken));
    /// assert_eq!(Format::sniff(b"1 '\\x00' 1\n"), Some(Format::RwkvText));
    /// assert_eq!(Format::sniff(br#"{"version": "1.0", "#), Some(Format::TokenizerJson));
    /// assert_eq!(Format::sniff(b"GIF89a"), None);
    /// ```
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        match bytes.trim_ascii_start().first()? {
            b'[' => Some(Self::PlainJson),
            b'{' => Some(match entries::first_entry(bytes)? {
                (_, entries::Kind::Number) => Self::PlainJson,
                (key, entries::Kind::Piece) if is_decimal(key.as_bytes()) => Self::RwkvJson,
                _ => Self::TokenizerJson,
            }),
            _ => {
                let line = lines::lines(bytes).next()?;
                if rwkv::looks_like(line.content) {
                    Some(Self::RwkvText)
                } else if tiktoken::looks_like(line.content) {
                    Some(Self::Tiktoken)
                } else {
                    None
                }
            }
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tiktoken => "tiktoken",
            Self::TokenizerJson => "tokenizer.json",
            Self::RwkvJson => "RWKV JSON",
            Self::RwkvText => "RWKV text",
            Self::PlainJson => "plain JSON",
        })
    }
}

/// Loads a vocabulary in the format that [`Format::sniff`] detects. Formats without special tokens yield
/// none; [`Vocabulary::with_special`] adds them.
///
/// # Errors
///
/// [`Error::UnknownFormat`], or an error of the loader for the format.
///
/// # Complexity
///
/// O(n log n) for n bytes. Memory is about 10 n bytes.
pub fn load(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    match Format::sniff(bytes).ok_or(Error::UnknownFormat)? {
        Format::Tiktoken => tiktoken(bytes, [], config),
        Format::TokenizerJson => tokenizer_json(bytes, config),
        Format::RwkvJson => rwkv_json(bytes, config),
        Format::RwkvText => rwkv_text(bytes, config),
        Format::PlainJson => plain_json(bytes, config),
    }
}

/// Parses a number of 64 bits that consists of decimal digits only.
fn decimal(digits: &[u8]) -> Option<u64> {
    let text = str::from_utf8(digits).ok().filter(|_| is_decimal(digits))?;
    text.parse().ok()
}

fn is_decimal(digits: &[u8]) -> bool {
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

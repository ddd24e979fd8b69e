//! Vocabularies from the files that models come with, each from bytes: tiktoken, Hugging Face `tokenizer.json`, RWKV and
//! plain JSON. No input makes a loader panic; what is wrong with a file is told with its place.
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

/// The formats that [`load`] tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Lines of base64 and rank: [`tiktoken`].
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
    /// Looks at the beginning of a file: at its first line, or at the first entry of its JSON object. None if that is like none
    /// of the formats; the rest of the file may still be wrong.
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

/// Reads a vocabulary of whichever format [`Format::sniff`] finds. Formats that name no special tokens give none:
/// [`Vocabulary::with_special`] adds them.
///
/// # Errors
///
/// [`Error::UnknownFormat`], or what the format's own loader says.
///
/// # Complexity
///
/// O(n log n) for n bytes, in memory some ten times n.
pub fn load(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    match Format::sniff(bytes).ok_or(Error::UnknownFormat)? {
        Format::Tiktoken => tiktoken(bytes, [], config),
        Format::TokenizerJson => tokenizer_json(bytes, config),
        Format::RwkvJson => rwkv_json(bytes, config),
        Format::RwkvText => rwkv_text(bytes, config),
        Format::PlainJson => plain_json(bytes, config),
    }
}

/// A number that fits 64 bits, in decimal digits and nothing else.
fn decimal(digits: &[u8]) -> Option<u64> {
    let text = str::from_utf8(digits).ok().filter(|_| is_decimal(digits))?;
    text.parse().ok()
}

fn is_decimal(digits: &[u8]) -> bool {
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

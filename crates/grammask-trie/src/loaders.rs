//! Loaders for the vocabulary files of models.
//!
//! | format | files | loader |
//! | --- | --- | --- |
//! | [`Format::TokenizerJson`] | Hugging Face `tokenizer.json` | [`tokenizer_json`] |
//! | [`Format::SentencePiece`] | `tokenizer.model`, `spiece.model` | [`sentencepiece`] |
//! | [`Format::Gguf`] | models of llama.cpp | [`gguf`] |
//! | [`Format::Tekken`] | `tekken.json` of Mistral | [`tekken`] |
//! | [`Format::Tiktoken`] | `*.tiktoken` | [`tiktoken`], [`tiktoken_preset`] |
//! | [`Format::TiktokenJson`] | `claude.json` | [`tiktoken_json`] |
//! | [`Format::RwkvText`], [`Format::RwkvJson`] | RWKV World | [`rwkv_text`], [`rwkv_json`] |
//! | [`Format::Saved`] | written by [`Vocabulary::to_bytes`] | [`Vocabulary::from_bytes`] |
//! | [`Format::PlainJson`] | `vocab.json`, or written by a script | [`vocab_json`], [`plain_json`] |
//!
//! Each loader takes the bytes of a file. No input makes a loader panic, each error has the place in the
//! file, and memory is in proportion to the file, whatever lengths it states.
//!
//! ```
//! use grammask_trie::{Config, TokenId, loaders};
//!
//! let vocabulary = loaders::load(br#"{"a": 0, "b": 1, "ab": 2}"#, &Config::default())?;
//! assert_eq!(vocabulary.bytes(TokenId(2)), Some(&b"ab"[..]));
//! # Ok::<(), grammask_trie::Error>(())
//! ```

use std::fmt;

use entries::Kind;

use crate::vocabulary::Builder;
use crate::{Config, Error, Vocabulary};

mod entries;
mod gguf;
mod hugging_face;
mod lines;
mod literal;
mod options;
mod plain;
mod rwkv;
mod sentencepiece;
mod spelling;
mod tekken;
mod tiktoken;

pub use gguf::{gguf, is_cut_gguf};
pub use hugging_face::configurations::{VocabularyFiles, load_files};
pub use hugging_face::tokenizer::tokenizer_json;
pub use hugging_face::vocab_json::vocab_json;
pub use options::{AddedSpecials, Options, UnknownFormatName};
pub use plain::plain_json;
pub use rwkv::{rwkv_json, rwkv_text};
pub use sentencepiece::sentencepiece;
pub use spelling::Spelling;
pub use tekken::tekken;
pub use tiktoken::{Preset, tiktoken, tiktoken_json, tiktoken_preset};

/// Names of files that are the tokenizer in the folder of a model, the preferred ones first.
pub const TOKENIZER_FILES: [&str; 7] = [
    "tokenizer.json",
    "tekken.json",
    "tokenizer.model",
    "spiece.model",
    "qwen.tiktoken",
    "rwkv_vocab_v20230424.txt",
    "tokenizer.vocab.json",
];

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
    /// SentencePiece `.model`: [`sentencepiece`].
    SentencePiece,
    /// GGUF: [`gguf`].
    Gguf,
    /// Mistral's `tekken.json`: [`tekken`].
    Tekken,
    /// `claude.json`, tiktoken's ranks as JSON: [`tiktoken_json`].
    TiktokenJson,
    /// The binary form of this crate: [`Vocabulary::from_bytes`].
    Saved,
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
    /// assert_eq!(Format::sniff(br#"{"config": {"#), Some(Format::Tekken));
    /// assert_eq!(Format::sniff(b"GGUF"), Some(Format::Gguf));
    /// assert_eq!(Format::sniff(b"GIF89a"), None);
    /// ```
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        if Vocabulary::is_saved(bytes) {
            return Some(Self::Saved);
        }
        if gguf::looks_like(bytes) {
            return Some(Self::Gguf);
        }
        if sentencepiece::looks_like(bytes) {
            return Some(Self::SentencePiece);
        }
        match bytes.trim_ascii_start().first()? {
            b'[' => Some(Self::PlainJson),
            b'{' => Some(match entries::first_entry(bytes)? {
                (key, Kind::Number) if key == "explicit_n_vocab" => Self::TiktokenJson,
                (_, Kind::Number) => Self::PlainJson,
                (key, Kind::Text | Kind::List) if is_decimal(key.as_bytes()) => Self::RwkvJson,
                (key, Kind::Object) if key == "config" => Self::Tekken,
                (key, Kind::List) if key == "vocab" || key == "special_tokens" => Self::Tekken,
                (key, Kind::Text) if key == "bpe_ranks" || key == "pat_str" => Self::TiktokenJson,
                (key, Kind::Object) if key == "special_tokens" => Self::TiktokenJson,
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
            Self::SentencePiece => "SentencePiece",
            Self::Gguf => "GGUF",
            Self::Tekken => "tekken.json",
            Self::TiktokenJson => "tiktoken JSON",
            Self::Saved => "saved vocabulary",
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
    load_with(bytes, &Options::default(), config)
}

/// Loads a vocabulary as [`load`] does, with options.
///
/// # Errors
///
/// As [`load`].
pub fn load_with(bytes: &[u8], options: &Options, config: &Config) -> Result<Vocabulary, Error> {
    let format = match options.format {
        Some(format) => format,
        None => Format::sniff(bytes).ok_or(Error::UnknownFormat)?,
    };
    let builder: Builder<'_> = match format {
        Format::Tiktoken => tiktoken::read(bytes, options, config)?,
        Format::TokenizerJson => hugging_face::tokenizer::read(bytes, options, config)?,
        Format::RwkvJson => rwkv::read_json(bytes, config)?,
        Format::RwkvText => rwkv::read_text(bytes, config)?,
        Format::PlainJson => match options.spelling {
            Some(spelling) => hugging_face::vocab_json::read(bytes, spelling, options, config)?,
            None => plain::read(bytes, config)?,
        },
        Format::SentencePiece => sentencepiece::read(bytes, options, config)?,
        Format::Gguf => gguf::read(bytes, options, config)?,
        Format::Tekken => tekken::read(bytes, options, config)?,
        Format::TiktokenJson => tiktoken::claude::read(bytes, options, config)?,
        Format::Saved => return Vocabulary::from_bytes(bytes, config),
    };
    builder.finish()
}

/// Maximum length of the description in [`Error::Unsupported`], in characters. The rest is cut off.
const MAX_DESCRIPTION_CHARS: usize = 200;

/// Returns an error for an unsupported feature. `what` may contain texts of the file.
fn unsupported(what: &str) -> Error {
    Error::Unsupported { what: shortened(what) }
}

/// Returns the beginning of a text of a file, for an error.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_DESCRIPTION_CHARS).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

/// Returns the value of two hexadecimal digits.
fn hexadecimal(digits: [u8; 2]) -> Option<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()
}

/// Parses a number of 64 bits that consists of decimal digits only.
fn decimal(digits: &[u8]) -> Option<u64> {
    let text = str::from_utf8(digits).ok().filter(|_| is_decimal(digits))?;
    text.parse().ok()
}

fn is_decimal(digits: &[u8]) -> bool {
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

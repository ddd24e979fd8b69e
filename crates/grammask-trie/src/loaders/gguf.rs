//! GGUF files, the models of llama.cpp: the vocabulary in the metadata of their header.
//!
//! # Source
//!
//! The rules for the bytes of a token are those of `llama_token_to_piece` in llama.cpp (`llama-vocab.cpp`).

use std::borrow::Cow;

use super::sentencepiece::Kind;
use super::{Options, hexadecimal, spelling};
use crate::vocabulary::Builder;
use crate::{BinaryProblem, Config, EntryPlace, Error, LineProblem, TokenId, Vocabulary};

mod header;

use header::Header;

/// Loads the vocabulary of a GGUF file. `bytes` is the file or its beginning up to the end of the header,
/// which is within the first 64 MB of every model in use; tensors are not read.
///
/// `tokenizer.ggml.model` and the type of a token decide its bytes:
///
/// | model | normal token | byte token |
/// | --- | --- | --- |
/// | `llama`, `t5`, `bert`, `gemma4` | a space for each `▁` (U+2581) | HH of `<0xHH>` |
/// | `gpt2` | the byte-level alphabet; text with other characters is taken literally | HH of `<0xHH>` |
/// | `rwkv` | the text, with the escapes `\n`, `\r`, `\t`, `\xHH` and `\` before other characters | |
/// | `plamo2` | the text | HH of `<0xHH>` |
///
/// Control and unknown tokens are special, user-defined tokens are literal, and unused tokens and paddings
/// (`[PAD7]` with id 7, unless it is normal) are unknown ids. A token that ends or frames a turn by its name
/// in known models is special, too, whatever its type; see [`AddedSpecials`](super::AddedSpecials).
///
/// The ends are the tokens of the keys `eos_token_id`, `eot_token_id` and `eom_token_id`, and tokens by name.
/// [`Vocabulary::rows`] is the number of all tokens, paddings included.
///
/// # Errors
///
/// - [`Error::Binary`] if the bytes are no GGUF header of version 2 or 3, or end before its last token;
/// - [`Error::Key`] if a key is missing or has another type, and for other models;
/// - [`Error::Entry`] if a token is not spelled as its model and type demand;
/// - [`Error::UnknownToken`] if a key names a token that does not exist;
/// - the errors of [`Vocabulary::new`].
///
/// # Complexity
///
/// O(n log n) for a header of n bytes. Memory is about 10 n bytes.
pub fn gguf(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    read(bytes, &Options::default(), config)?.finish()
}

/// Returns true if a file begins like GGUF.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    bytes.starts_with(header::MAGIC)
}

/// How the normal tokens of a model are spelled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Model {
    Spaces,
    ByteLevel,
    Rwkv,
    Literal,
}

impl Model {
    fn of(header: &Header<'_>) -> Result<Self, Error> {
        let name = header.text(header::MODEL)?;
        // Models with pre-tokenizers of their own that llama.cpp escapes as SentencePiece does.
        let escapes = ["gemma4", "granite-embed-multi-311m", "sarvam-moe"];
        Ok(match name {
            "llama" | "t5" | "bert" | "gemma4" => Self::Spaces,
            "gpt2" if header.pre.is_some_and(|pre| escapes.contains(&pre)) => Self::Spaces,
            "gpt2" => Self::ByteLevel,
            "rwkv" => Self::Rwkv,
            "plamo2" => Self::Literal,
            other => {
                let known = "`llama`, `gpt2`, `t5`, `bert`, `rwkv`, `plamo2` and `gemma4` are supported";
                let message = format!("the model {:?} is not supported; {known}", super::shortened(other));
                return Err(Error::Key { key: header::MODEL.to_owned(), message });
            }
        })
    }

    /// Returns the bytes of a normal token. Returns `None` if its escapes are invalid.
    fn bytes(self, text: &str) -> Option<Cow<'_, [u8]>> {
        Some(match self {
            Self::Spaces => spelling::spaced(text),
            Self::ByteLevel => spelling::byte_level(text),
            Self::Literal => Cow::Borrowed(text.as_bytes()),
            Self::Rwkv => unescaped(text.as_bytes())?,
        })
    }
}

/// Returns true if the bytes begin a GGUF file, but end inside of its header: a reader reads more of the file
/// then, instead of all of its tensors.
///
/// ```
/// use grammask_trie::loaders::is_cut_gguf;
///
/// assert!(is_cut_gguf(b"GGUF\x03\0\0\0"));
/// assert!(!is_cut_gguf(b"YQ== 0\n"));
/// ```
pub fn is_cut_gguf(bytes: &[u8]) -> bool {
    let is_cut = |error: Error| matches!(error, Error::Binary { problem: BinaryProblem::End { .. }, .. });
    looks_like(bytes) && gguf(bytes, &Config::default()).is_err_and(is_cut)
}

pub(super) fn read<'c>(bytes: &[u8], options: &Options, config: &'c Config) -> Result<Builder<'c>, Error> {
    let header = Header::read(bytes)?;
    let model = Model::of(&header)?;
    let mut builder = Builder::new(config);
    let ends = [
        (header.eos.or(header.default_eos()), "`tokenizer.ggml.eos_token_id`"),
        (header.eot, "`tokenizer.ggml.eot_token_id`"),
        (header.eom, "`tokenizer.ggml.eom_token_id`"),
    ];
    for (id, key) in ends {
        builder.stated_ends.extend(header.token(id, key)?);
    }
    if let Some(begin) = header.token(header.bos, "`tokenizer.ggml.bos_token_id`")? {
        builder.attributes.begins = Some(vec![begin]);
    }
    let frames: Vec<TokenId> =
        builder.stated_ends.iter().chain(builder.attributes.begins.iter().flatten()).copied().collect();
    for (&text, id) in header.tokens.iter().zip(0u32..) {
        let place = EntryPlace::Id(id);
        let number = u64::from(id);
        builder.at(place);
        let kind = header.kind(id).ok_or(Error::Entry { place, problem: LineProblem::TokenType })?;
        let is_named = frames.contains(&TokenId(id)) || options.added.is_special(text, false);
        match kind {
            Kind::Unused => builder.check_unused(number)?,
            Kind::UserDefined | Kind::Unknown | Kind::Control if is_padding(text, id) => {
                builder.check_unused(number)?;
            }
            Kind::Control | Kind::Unknown => builder.special(number, text)?,
            Kind::Normal | Kind::UserDefined if is_named => builder.special(number, text)?,
            Kind::UserDefined => builder.token(number, text.as_bytes())?,
            Kind::Byte => {
                let byte = spelling::fallback_byte(text);
                let byte = byte.ok_or(Error::Entry { place, problem: LineProblem::Byte })?;
                builder.token(number, &[byte])?;
            }
            Kind::Normal => {
                let bytes = model.bytes(text);
                let bytes = bytes.ok_or(Error::Entry { place, problem: LineProblem::Escape })?;
                builder.token(number, &bytes)?;
            }
        }
    }
    // An end that is not a token, such as a padding, can never be written.
    builder.attributes.strips_first_space = header.strips_first_space(model == Model::Spaces);
    builder.attributes.rows = Some(header.tokens.len());
    Ok(builder)
}

/// Returns true for the name `[PADn]` that converters give to the rows of a model beyond its vocabulary.
fn is_padding(text: &str, id: u32) -> bool {
    let number = text.strip_prefix("[PAD").and_then(|rest| rest.strip_suffix(']'));
    number.is_some_and(|number| number.parse() == Ok(id))
}

/// Returns the bytes of a text with backslash escapes. Returns `None` if an escape is incomplete.
fn unescaped(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    if !text.contains(&b'\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != b'\\' {
            bytes.push(*byte);
            continue;
        }
        let (&escape, after) = rest.split_first()?;
        rest = after;
        bytes.push(match escape {
            b't' => b'\t',
            b'n' => b'\n',
            b'r' => b'\r',
            b'x' => {
                let (digits, after) = rest.split_first_chunk::<2>()?;
                rest = after;
                hexadecimal(*digits)?
            }
            other => other,
        });
    }
    Some(Cow::Owned(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backslashes_escape_bytes() {
        let bytes = |text: &str| unescaped(text.as_bytes()).map(Cow::into_owned);
        assert_eq!(bytes(r"a\n\\\x00\xfFb\'").unwrap(), b"a\n\\\0\xffb'");
        assert_eq!(bytes("plain").unwrap(), b"plain");
        for incomplete in ["\\", "a\\", "\\x", "\\x0", "\\xg0", "\\x+1"] {
            assert_eq!(bytes(incomplete), None, "{incomplete}");
        }
    }

    #[test]
    fn paddings_have_the_number_of_their_id() {
        assert!(is_padding("[PAD7]", 7));
        for other in ["[PAD]", "[PAD8]", "[PAD7", "PAD7]", "[PAD 7]"] {
            assert!(!is_padding(other, 7), "{other}");
        }
    }
}

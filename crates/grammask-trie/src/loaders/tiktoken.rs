//! The tiktoken format: one line per token, with its bytes in base64 and its rank, which is its id.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Options, decimal, is_decimal, lines};
use crate::vocabulary::Builder;
use crate::{Config, Error, LineProblem, TokenId, Vocabulary};

pub(super) mod claude;
mod preset;

pub use claude::tiktoken_json;
pub use preset::Preset;

/// Loads a tiktoken file: lines of a base64 text, a space, and a rank. Empty lines are ignored. The format
/// has no special tokens, so they are an argument.
///
/// ```
/// # use grammask_trie::{Config, TokenId, loaders};
/// let special = [(TokenId(2), "<|end|>".to_string())];
/// let vocabulary = loaders::tiktoken(b"IQ== 0\nIg== 1\n", special, &Config::default())?;
/// assert_eq!(vocabulary.bytes(TokenId(1)), Some(&b"\""[..]));
/// assert_eq!(vocabulary.special("<|end|>"), Some(TokenId(2)));
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Line`] if a line has another form, and the errors of [`Vocabulary::new`].
pub fn tiktoken(
    bytes: &[u8],
    special: impl IntoIterator<Item = (TokenId, String)>,
    config: &Config,
) -> Result<Vocabulary, Error> {
    let mut builder = lines_of(bytes, config)?;
    for (id, name) in special {
        builder.special(id.0.into(), &name)?;
    }
    builder.finish()
}

/// Loads a tiktoken file with the special tokens of a known vocabulary.
///
/// # Errors
///
/// - as [`tiktoken`];
/// - [`Error::Key`] if the file has another number of tokens than the known vocabulary.
pub fn tiktoken_preset(bytes: &[u8], preset: Preset, config: &Config) -> Result<Vocabulary, Error> {
    let options = Options { preset: Some(preset), ..Options::default() };
    read(bytes, &options, config)?.finish()
}

pub(super) fn read<'c>(bytes: &[u8], options: &Options, config: &'c Config) -> Result<Builder<'c>, Error> {
    let mut builder = lines_of(bytes, config)?;
    let Some(preset) = options.preset else { return Ok(builder) };
    let (found, expected) = (builder.token_count(), preset.token_count());
    if found != expected {
        let message = format!("the preset is for {expected} tokens, the file has {found}");
        return Err(Error::Key { key: preset.name().to_owned(), message });
    }
    for (id, name) in preset.special_tokens() {
        builder.special(id.0.into(), &name)?;
    }
    Ok(builder)
}

/// Reads the lines of a file.
fn lines_of<'c>(bytes: &[u8], config: &'c Config) -> Result<Builder<'c>, Error> {
    let mut builder = Builder::new(config);
    let mut token = Vec::new();
    for line in lines::lines(bytes) {
        let (text, rank) = split(line.content)
            .ok_or_else(|| line.error(LineProblem::Shape("a base64 text, a space and a rank")))?;
        let id = decimal(rank).ok_or_else(|| line.error(LineProblem::Id))?;
        token.clear();
        STANDARD.decode_vec(text, &mut token).map_err(|_| line.error(LineProblem::Base64))?;
        builder.at(line.place()).token(id, &token)?;
    }
    Ok(builder)
}

/// Returns true if a line looks like a line of this format.
pub(super) fn looks_like(line: &[u8]) -> bool {
    split(line).is_some_and(|(text, rank)| is_decimal(rank) && STANDARD.decode(text).is_ok())
}

/// Splits a line at its last space.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = line.iter().rposition(|&byte| byte == b' ')?;
    Some((&line[..space], &line[space + 1..]))
}

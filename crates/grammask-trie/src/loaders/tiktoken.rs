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
        if !decode_plain(text, &mut token) {
            token.clear();
            STANDARD.decode_vec(text, &mut token).map_err(|_| line.error(LineProblem::Base64))?;
        }
        builder.at(line.place()).token(id, &token)?;
    }
    Ok(builder)
}

/// Value of each base64 digit, and [`NO_DIGIT`] of other bytes.
const DIGITS: [u8; 256] = {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut values = [NO_DIGIT; 256];
    let mut n = 0;
    while (n as usize) < alphabet.len() {
        values[alphabet[n as usize] as usize] = n;
        n += 1;
    }
    values
};

const NO_DIGIT: u8 = 0xff;

/// Decodes a well-formed base64 text, several times as fast as the library does for texts of a few bytes.
/// Returns false for any other text, of which `token` may then hold a part.
fn decode_plain(text: &[u8], token: &mut Vec<u8>) -> bool {
    let (groups, []) = text.as_chunks::<4>() else { return false };
    let Some((last, groups)) = groups.split_last() else { return true };
    for group in groups {
        let [a, b, c, d] = group.map(|digit| DIGITS[usize::from(digit)]);
        if a | b | c | d >= 64 {
            return false;
        }
        token.extend_from_slice(&[a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
    }
    let [a, b, c, d] = last.map(|digit| DIGITS[usize::from(digit)]);
    // The bits that padding cuts off must be zero.
    match last {
        [.., b'=', b'='] if a | b < 64 && b & 0xf == 0 => token.push(a << 2 | b >> 4),
        [.., b'='] if a | b | c < 64 && c & 3 == 0 => {
            token.extend_from_slice(&[a << 2 | b >> 4, b << 4 | c >> 2]);
        }
        _ if a | b | c | d < 64 => {
            token.extend_from_slice(&[a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
        }
        _ => return false,
    }
    true
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_as_the_library_does() {
        let digits = b"AB/+9z=*";
        for length in 0..=6u32 {
            for number in 0..8usize.pow(length.min(5)) {
                let digit = |place: u32| digits[number / 8usize.pow(place.min(4)) % 8];
                let text: Vec<u8> = (0..length).map(digit).collect();
                let mut token = Vec::new();
                let is_plain = decode_plain(&text, &mut token);
                assert_eq!(is_plain.then_some(token), STANDARD.decode(&text).ok(), "{text:?}");
            }
        }
    }
}

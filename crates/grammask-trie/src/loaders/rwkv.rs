//! The vocabularies of RWKV models: the original text form, and the JSON form made from it.

use super::entries::{self, Decimal, Pairs, Piece};
use super::lines::{self, Line};
use super::{decimal, is_decimal, literal};
use crate::vocabulary::Builder;
use crate::{Config, Error, LineProblem, Vocabulary};

/// Reads the JSON form: one object from ids, as decimal texts, to tokens, each a text or a list of byte values.
///
/// Id 0, which RWKV models take for the end of a text, is not in these files: [`Vocabulary::with_special`] adds it.
///
/// ```
/// # use grammask_trie::{Config, TokenId, loaders};
/// let vocabulary = loaders::rwkv_json(br#"{"1": "\u0000", "129": [128]}"#, &Config::default())?;
/// assert_eq!(vocabulary.bytes(TokenId(129)), Some(&[128][..]));
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Json`], and what [`Vocabulary::new`] says.
pub fn rwkv_json(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    let Pairs(tokens) = entries::read::<Pairs<Decimal, Piece<'_>>>(bytes)?;
    let mut builder = Builder::new(config);
    for (Decimal(id), piece) in tokens {
        builder.token(id, piece.bytes())?;
    }
    builder.finish()
}

/// Reads the text form: a line for each token, with its id, a Python literal (a text such as `'\n'` or `"it's"`, or bytes such
/// as `b'\xe4'`) and its length in bytes, which must be right. Empty lines are passed over. On id 0, see [`rwkv_json`].
///
/// ```
/// # use grammask_trie::{Config, TokenId, loaders};
/// let vocabulary = loaders::rwkv_text(b"1 '\\x00' 1\n129 b'\\x80' 1\n", &Config::default())?;
/// assert_eq!(vocabulary.bytes(TokenId(129)), Some(&[128][..]));
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Line`], and what [`Vocabulary::new`] says.
pub fn rwkv_text(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    let mut builder = Builder::new(config);
    for line in lines::lines(bytes) {
        let (id, token) = entry(&line)?;
        builder.at(line.place()).token(id, &token)?;
    }
    builder.finish()
}

fn entry(line: &Line<'_>) -> Result<(u64, Vec<u8>), Error> {
    let shape =
        || line.error(LineProblem::Shape("an id, a Python literal and a length, with spaces between"));
    let [id, literal, length] = split(line.content).ok_or_else(shape)?;
    let id = decimal(id).ok_or_else(|| line.error(LineProblem::Id))?;
    let length = decimal(length).and_then(|length| usize::try_from(length).ok()).ok_or_else(shape)?;
    let token = literal::parse(literal).ok_or_else(|| line.error(LineProblem::Literal))?;
    if token.len() != length {
        return Err(line.error(LineProblem::Length { stated: length, actual: token.len() }));
    }
    Ok((id, token))
}

/// Whether a line could be one of the text form.
pub(super) fn looks_like(line: &[u8]) -> bool {
    let quoted = |literal: &[u8]| matches!(literal, [b'\'' | b'"', ..] | [b'b', b'\'' | b'"', ..]);
    split(line).is_some_and(|[id, literal, length]| is_decimal(id) && quoted(literal) && is_decimal(length))
}

/// The parts before the first space, after the last, and between: the literal may have spaces of its own.
fn split(line: &[u8]) -> Option<[&[u8]; 3]> {
    let is_space = |&byte: &u8| byte == b' ';
    let (first, last) = (line.iter().position(is_space)?, line.iter().rposition(is_space)?);
    Some([&line[..first], line.get(first + 1..last)?, &line[last + 1..]])
}

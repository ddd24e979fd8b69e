//! The vocabularies of RWKV models: the original text form, and the JSON form that is derived from it.

use super::entries::{self, Decimal, Pairs, Piece};
use super::lines::{self, Line};
use super::{decimal, is_decimal, literal};
use crate::vocabulary::Builder;
use crate::{Config, Error, LineProblem, Vocabulary};

/// Id of the token with which RWKV models end a text. The files have no entry for it.
const END_ID: u64 = 0;

/// Name of that token, as the documentation of RWKV has it.
const END_NAME: &str = "<|endoftext|>";

/// Loads the JSON form: one object from ids, as decimal texts, to tokens. A token is a text or a list of byte
/// values.
///
/// These files lack id 0, with which RWKV models end a text. It becomes the special token `<|endoftext|>`,
/// unless an entry has the id.
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
/// [`Error::Json`], and the errors of [`Vocabulary::new`].
pub fn rwkv_json(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    read_json(bytes, config)?.finish()
}

pub(super) fn read_json<'c>(bytes: &[u8], config: &'c Config) -> Result<Builder<'c>, Error> {
    let Pairs(tokens) = entries::read::<Pairs<Decimal, Piece<'_>>>(bytes)?;
    let mut builder = Builder::new(config);
    let mut has_end = false;
    for (Decimal(id), piece) in tokens {
        has_end |= id == END_ID;
        builder.token(id, piece.bytes())?;
    }
    add_end(&mut builder, has_end)?;
    Ok(builder)
}

/// Adds the token that ends a text, if the file has no token with its id.
fn add_end(builder: &mut Builder<'_>, has_end: bool) -> Result<(), Error> {
    if !has_end && builder.token_count() > 0 {
        builder.special(END_ID, END_NAME)?;
    }
    Ok(())
}

/// Loads the text form. Each line has the id of a token, a Python literal, and the length of the token in
/// bytes. The literal is a text such as `'\n'` or `"it's"`, or bytes such as `b'\xe4'`. Empty lines are
/// ignored.
///
/// These files lack id 0: see [`rwkv_json`], which adds it.
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
/// [`Error::Line`], and the errors of [`Vocabulary::new`].
pub fn rwkv_text(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    read_text(bytes, config)?.finish()
}

pub(super) fn read_text<'c>(bytes: &[u8], config: &'c Config) -> Result<Builder<'c>, Error> {
    let mut builder = Builder::new(config);
    let mut has_end = false;
    for line in lines::lines(bytes) {
        let (id, token) = entry(&line)?;
        has_end |= id == END_ID;
        builder.at(line.place()).token(id, &token)?;
    }
    add_end(&mut builder, has_end)?;
    Ok(builder)
}

/// Parses a line to an id and the bytes of a token.
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

/// Returns true if a line looks like a line of the text form.
pub(super) fn looks_like(line: &[u8]) -> bool {
    let quoted = |literal: &[u8]| matches!(literal, [b'\'' | b'"', ..] | [b'b', b'\'' | b'"', ..]);
    split(line).is_some_and(|[id, literal, length]| is_decimal(id) && quoted(literal) && is_decimal(length))
}

/// Splits a line at its first and its last space, because the literal between them may contain spaces.
fn split(line: &[u8]) -> Option<[&[u8]; 3]> {
    let is_space = |&byte: &u8| byte == b' ';
    let (first, last) = (line.iter().position(is_space)?, line.iter().rposition(is_space)?);
    Some([&line[..first], line.get(first + 1..last)?, &line[last + 1..]])
}

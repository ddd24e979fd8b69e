//! Plain JSON: the format for vocabularies that are written by hand or by a script.

use super::entries::{self, Pairs, Piece, Text};
use crate::vocabulary::Builder;
use crate::{Config, Error, Vocabulary};

/// Loads plain JSON in one of two forms:
///
/// - an object from texts to ids: `{"a": 0, "ab": 1}`. A token is the UTF-8 of its text, without translation.
///   A text may occur several times, for several ids with the same bytes;
/// - a list of pairs of an id and a token, which is a text or a list of byte values: `[[0, "a"], [1,
///   [255]]]`.
///
/// The format has no special tokens; [`Vocabulary::with_special`] adds them.
///
/// ```
/// # use grammask_trie::{Config, TokenId, loaders};
/// let vocabulary = loaders::plain_json(br#"[[0, "a"], [7, [255]]]"#, &Config::default())?;
/// assert_eq!(vocabulary.bytes(TokenId(7)), Some(&[255][..]));
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Json`], and the errors of [`Vocabulary::new`].
pub fn plain_json(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    let mut builder = Builder::new(config);
    if bytes.trim_ascii_start().starts_with(b"[") {
        for (id, piece) in entries::read::<Vec<(u64, Piece<'_>)>>(bytes)? {
            builder.token(id, piece.bytes())?;
        }
    } else {
        for (Text(text), id) in entries::read::<Pairs<Text<'_>, u64>>(bytes)?.0 {
            builder.token(id, text.as_bytes())?;
        }
    }
    builder.finish()
}

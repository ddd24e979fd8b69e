//! Plain JSON: the format for vocabularies that are written by hand or by a script.

use super::entries::{self, Pairs, Piece, Text};
use super::hugging_face::vocab_json::check_literal;
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
/// A `vocab.json` of Hugging Face has this form, too, with other texts: `Ġa` or `▁a` for ` a`. Texts that
/// look like this are refused; [`vocab_json`](super::vocab_json) takes the spelling as an argument, also the
/// literal one.
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
/// [`Error::Json`], [`Error::Spelling`], and the errors of [`Vocabulary::new`].
pub fn plain_json(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    read(bytes, config)?.finish()
}

pub(super) fn read<'c>(bytes: &[u8], config: &'c Config) -> Result<Builder<'c>, Error> {
    let mut builder = Builder::new(config);
    if bytes.trim_ascii_start().starts_with(b"[") {
        let list = entries::read::<Vec<(u64, Piece<'_>)>>(bytes)?;
        check_literal(&list.iter().filter_map(|(_, piece)| piece.text()))?;
        for (id, piece) in list {
            builder.token(id, piece.bytes())?;
        }
    } else {
        let list = entries::read::<Pairs<Text<'_>, u64>>(bytes)?.0;
        check_literal(&list.iter().map(|(Text(text), _)| &**text))?;
        for (Text(text), id) in list {
            builder.token(id, text.as_bytes())?;
        }
    }
    Ok(builder)
}

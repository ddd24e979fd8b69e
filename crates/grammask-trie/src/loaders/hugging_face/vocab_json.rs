//! `vocab.json`: an object from the texts of pieces to ids, whose spelling no file says.

use crate::loaders::entries::{self, Pairs, Text};
use crate::loaders::spelling::{self, SPACE_MARK, Spelling};
use crate::loaders::{AddedSpecials, Options, shortened};
use crate::vocabulary::Builder;
use crate::vocabulary::ends::frames_turn_or_tag;
use crate::{Config, EntryPlace, Error, Vocabulary};

/// The characters of the byte-level alphabet for a space and a line break.
const BYTE_LEVEL_MARKS: [char; 2] = ['\u{120}', '\u{10a}'];

/// One text in this many shows a spelling in every vocabulary of that spelling. In a vocabulary of plain
/// texts, such characters are rarer.
const TEXTS_PER_SIGN: usize = 64;

/// Loads a `vocab.json`: an object from texts to ids, in a spelling that the caller knows.
///
/// A text that ends or frames a turn by its name in known models, such as `<|endoftext|>`, is a special
/// token; see [`AddedSpecials`](crate::loaders::AddedSpecials).
///
/// ```
/// # use grammask_trie::{Config, TokenId, loaders};
/// let file = r#"{"a": 0, "Ġa": 1, "<|endoftext|>": 2}"#.as_bytes();
/// let spelling = loaders::Spelling::ByteLevel;
/// let vocabulary = loaders::vocab_json(file, spelling, &Config::default())?;
/// assert_eq!(vocabulary.bytes(TokenId(1)), Some(&b" a"[..]));
/// assert_eq!(vocabulary.ends(), [TokenId(2)]);
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Json`], and the errors of [`Vocabulary::new`].
pub fn vocab_json(bytes: &[u8], spelling: Spelling, config: &Config) -> Result<Vocabulary, Error> {
    read(bytes, spelling, &Options::default(), config)?.finish()
}

pub(in crate::loaders) fn read<'c>(
    bytes: &[u8],
    spelling: Spelling,
    options: &Options,
    config: &'c Config,
) -> Result<Builder<'c>, Error> {
    let mut builder = Builder::new(config);
    for ((Text(text), id), number) in entries::read::<Pairs<Text<'_>, u64>>(bytes)?.0.into_iter().zip(1..) {
        builder.at(EntryPlace::Entry(number));
        // The file has no flags, so the names of the default decide.
        let is_named = match &options.added {
            AddedSpecials::FlagAndTurns => frames_turn_or_tag(&text),
            AddedSpecials::All => false,
            other => other.is_special(&text, false),
        };
        if spelling != Spelling::Literal && is_named {
            builder.special(id, &text)?;
        } else {
            builder.token(id, &spelling.bytes(&text))?;
        }
    }
    Ok(builder)
}

/// Returns an error if texts that should be literal look like those of a tokenizer.
pub(in crate::loaders) fn check_literal<'a, T>(texts: &T) -> Result<(), Error>
where
    T: Iterator<Item = &'a str> + Clone,
{
    let total = texts.clone().count();
    let shows_bytes: fn(&str) -> bool = |text| text.contains(BYTE_LEVEL_MARKS);
    let shows_marks: fn(&str) -> bool =
        |text| text.contains(SPACE_MARK) || spelling::fallback_byte(text).is_some();
    for (spelling, shows) in [("byte-level", shows_bytes), ("SentencePiece", shows_marks)] {
        let count = texts.clone().filter(|text| shows(text)).count();
        // A tokenizer that spells spaces with marks has none in its texts.
        let spaces = texts.clone().filter(|text| text.contains(' ')).count();
        if count * TEXTS_PER_SIGN >= total
            && count > spaces
            && let Some(example) = texts.clone().find(|text| shows(text))
        {
            return Err(Error::Spelling { spelling, count, total, example: shortened(example) });
        }
    }
    Ok(())
}

//! SentencePiece models: the protobuf message `ModelProto` of `.model` files.
//!
//! # Source
//!
//! `sentencepiece_model.proto` of SentencePiece has the numbers of the fields.

use super::{Options, spelling};
use crate::cursor::Cursor;
use crate::vocabulary::Builder;
use crate::{BinaryProblem, Config, EntryPlace, Error, LineProblem, TokenId, Vocabulary};

/// Loads a SentencePiece `.model` file, of BPE, Unigram, words or characters. The id of a piece is its index.
///
/// | type of a piece | token |
/// | --- | --- |
/// | normal, user-defined | its text, with a space for each `▁` (U+2581) |
/// | byte | the byte HH of `<0xHH>` |
/// | control, unknown | a special token |
/// | unused | no token: an unknown id |
///
/// A user-defined piece is special if its name ends or frames a turn in known models; see
/// [`AddedSpecials`](super::AddedSpecials). The end is the `eos_id` of the file, and tokens by name.
///
/// ```
/// # use grammask_trie::{Config, TokenId, loaders};
/// // Three pieces: an unknown one, a control one, and "▁a", whose type is left out.
/// let file = b"\x0a\x07\x0a\x03unk\x18\x02\x0a\x08\x0a\x04</s>\x18\x03\x0a\x06\x0a\x04\xe2\x96\x81a\
///     \x12\x03\xd0\x02\x01";
/// let vocabulary = loaders::sentencepiece(file, &Config::default())?;
/// assert_eq!(vocabulary.bytes(TokenId(2)), Some(&b" a"[..]));
/// assert_eq!(vocabulary.ends(), [TokenId(1)]);
/// assert!(vocabulary.strips_first_space());
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// # Errors
///
/// - [`Error::Binary`] if the bytes are not a `ModelProto`;
/// - [`Error::Entry`] if a byte piece is not spelled `<0xHH>`;
/// - [`Error::UnknownToken`] if `eos_id` or `bos_id` is not the id of a piece;
/// - [`Error::Unsupported`] for a model that changes text after decoding (`denormalizer_spec`);
/// - the errors of [`Vocabulary::new`].
pub fn sentencepiece(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    read(bytes, &Options::default(), config)?.finish()
}

/// Returns true if a file begins like a `ModelProto`: with a piece that has a text, a score and a type at
/// most.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let mut file = Cursor::new(bytes);
    let Ok(Some(Field { number: 1, value: Value::Bytes(mut piece), .. })) = field(&mut file) else {
        return false;
    };
    let mut has_text = false;
    loop {
        match field(&mut piece) {
            Ok(Some(Field { number: 1, value: Value::Bytes(_), .. })) => has_text = true,
            Ok(Some(Field { number: 2, value: Value::Fixed, .. })) => {}
            Ok(Some(Field { number: 3, value: Value::Number(_), .. })) => {}
            Ok(None) => return has_text,
            _ => return false,
        }
    }
}

/// The types of pieces, as the format numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

impl Kind {
    /// Returns the type with a number. GGUF uses the same numbers.
    pub(super) fn of(number: u64) -> Option<Self> {
        Some(match number {
            1 => Self::Normal,
            2 => Self::Unknown,
            3 => Self::Control,
            4 => Self::UserDefined,
            5 => Self::Unused,
            6 => Self::Byte,
            _ => return None,
        })
    }
}

/// The parts of a file besides its pieces.
struct Model {
    bos: i32,
    eos: i32,
    adds_dummy_prefix: bool,
    removes_extra_spaces: bool,
    has_space_suffix: bool,
}

pub(super) fn read<'c>(bytes: &[u8], options: &Options, config: &'c Config) -> Result<Builder<'c>, Error> {
    let mut builder = Builder::new(config);
    // The defaults of the format.
    let mut model = Model {
        bos: 1,
        eos: 2,
        adds_dummy_prefix: true,
        removes_extra_spaces: true,
        has_space_suffix: false,
    };
    let mut count = 0u64;
    let mut file = Cursor::new(bytes);
    while let Some(Field { number, value, .. }) = field(&mut file)? {
        match (number, value) {
            (1, Value::Bytes(piece)) => {
                add(&mut builder, count, piece, options)?;
                count += 1;
            }
            (2, Value::Bytes(trainer)) => read_trainer(trainer, &mut model)?,
            (3, Value::Bytes(normalizer)) => read_normalizer(normalizer, &mut model)?,
            (5, Value::Bytes(denormalizer)) => check_denormalizer(denormalizer)?,
            _ => {}
        }
    }
    if count == 0 {
        return Err(Cursor::new(bytes).error(BinaryProblem::Magic("a piece of a SentencePiece model")));
    }
    // The ids are unused if they are negative.
    let token = |id: i32, key: &str| match u32::try_from(id) {
        Ok(id) if u64::from(id) < count => Ok(Some(TokenId(id))),
        Ok(id) => Err(Error::UnknownToken { key: key.to_owned(), token: format!("the id {id}") }),
        Err(_) => Ok(None),
    };
    builder.stated_ends.extend(token(model.eos, "`trainer_spec.eos_id`")?);
    if let Some(bos) = token(model.bos, "`trainer_spec.bos_id`")? {
        builder.attributes.begins = Some(vec![bos]);
    }
    let strips = model.adds_dummy_prefix || model.removes_extra_spaces;
    builder.attributes.strips_first_space = strips && !model.has_space_suffix;
    Ok(builder)
}

/// Adds a piece.
fn add(builder: &mut Builder<'_>, id: u64, mut piece: Cursor<'_>, options: &Options) -> Result<(), Error> {
    let (mut text, mut kind) = ("", Kind::Normal);
    while let Some(Field { number, value, start }) = field(&mut piece)? {
        match (number, value) {
            (1, Value::Bytes(bytes)) => text = utf8(bytes)?,
            (3, Value::Number(number)) => {
                let unknown = BinaryProblem::Value("the type of a piece is not a number from 1 to 6");
                kind = Kind::of(number).ok_or_else(|| start.error(unknown))?;
            }
            _ => {}
        }
    }
    let place = EntryPlace::Id(u32::try_from(id).unwrap_or(u32::MAX));
    builder.at(place);
    match kind {
        Kind::UserDefined if options.added.is_special(text, false) => builder.special(id, text),
        Kind::Normal | Kind::UserDefined => builder.token(id, &spelling::spaced(text)),
        Kind::Byte => {
            let problem = LineProblem::Byte;
            let byte = spelling::fallback_byte(text).ok_or(Error::Entry { place, problem })?;
            builder.token(id, &[byte])
        }
        Kind::Control | Kind::Unknown => builder.special(id, text),
        Kind::Unused => builder.check_unused(id),
    }
}

fn read_trainer(mut trainer: Cursor<'_>, model: &mut Model) -> Result<(), Error> {
    while let Some(Field { number, value, .. }) = field(&mut trainer)? {
        match (number, value) {
            (24, Value::Number(flag)) => model.has_space_suffix = flag != 0,
            (41, Value::Number(id)) => model.bos = int32(id),
            (42, Value::Number(id)) => model.eos = int32(id),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the value of a field of the type `int32`. A negative one is written with 64 bits, of which the
/// lower half counts.
fn int32(number: u64) -> i32 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

fn read_normalizer(mut normalizer: Cursor<'_>, model: &mut Model) -> Result<(), Error> {
    while let Some(Field { number, value, .. }) = field(&mut normalizer)? {
        match (number, value) {
            (3, Value::Number(flag)) => model.adds_dummy_prefix = flag != 0,
            (4, Value::Number(flag)) => model.removes_extra_spaces = flag != 0,
            _ => {}
        }
    }
    Ok(())
}

/// Returns an error if the decoded text is changed by rules, which need not act on single tokens.
fn check_denormalizer(mut denormalizer: Cursor<'_>) -> Result<(), Error> {
    while let Some(Field { number, value, .. }) = field(&mut denormalizer)? {
        if let (2, Value::Bytes(rules)) = (number, value)
            && !rules.is_at_end()
        {
            return Err(super::unsupported("a SentencePiece model with a `denormalizer_spec`"));
        }
    }
    Ok(())
}

/// A field of a protobuf message.
struct Field<'a> {
    number: u64,
    value: Value<'a>,
    /// The beginning of the field.
    start: Cursor<'a>,
}

enum Value<'a> {
    Number(u64),
    Bytes(Cursor<'a>),
    /// A number of 32 or 64 bits in a fixed number of bytes.
    Fixed,
}

/// Takes the next field of a message. Returns `None` at its end.
fn field<'a>(message: &mut Cursor<'a>) -> Result<Option<Field<'a>>, Error> {
    if message.is_at_end() {
        return Ok(None);
    }
    let start = *message;
    let key = message.varint()?;
    let number = key >> 3;
    let value = match (key & 7) as u8 {
        0 => Value::Number(message.varint()?),
        1 => {
            message.take(8)?;
            Value::Fixed
        }
        2 => {
            let length = message.varint()?;
            Value::Bytes(message.part(length)?)
        }
        5 => {
            message.take(4)?;
            Value::Fixed
        }
        wire => return Err(start.error(BinaryProblem::WireType { field: number, wire })),
    };
    Ok(Some(Field { number, value, start }))
}

/// Returns the rest of a message as a text.
fn utf8(mut bytes: Cursor<'_>) -> Result<&str, Error> {
    let start = bytes;
    let rest = bytes.rest();
    str::from_utf8(rest).map_err(|_| start.error(BinaryProblem::Utf8))
}

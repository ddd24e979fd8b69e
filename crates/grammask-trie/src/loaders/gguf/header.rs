//! The metadata of a GGUF file: keys with typed values, of which those of the tokenizer are kept.

use crate::cursor::Cursor;
use crate::loaders::sentencepiece::Kind;
use crate::{BinaryProblem, Error, TokenId};

pub(super) const MAGIC: &[u8] = b"GGUF";

/// The key with the kind of the vocabulary.
pub(super) const MODEL: &str = "tokenizer.ggml.model";

const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";

/// Maximum depth of arrays in arrays. No key in use has an array in an array.
const MAX_NESTING: usize = 4;

/// The metadata of the tokenizer.
#[derive(Default)]
pub(super) struct Header<'a> {
    model: Option<&'a str>,
    pub(super) pre: Option<&'a str>,
    pub(super) tokens: Vec<&'a str>,
    /// The type of each token, as little-endian numbers. `None` if all tokens are normal.
    types: Option<&'a [[u8; 4]]>,
    pub(super) bos: Option<u64>,
    pub(super) eos: Option<u64>,
    pub(super) eot: Option<u64>,
    pub(super) eom: Option<u64>,
    adds_space_prefix: Option<bool>,
    removes_extra_spaces: Option<bool>,
}

impl<'a> Header<'a> {
    /// Reads a header up to the last key that is needed, or to its end.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        let mut file = Cursor::new(bytes);
        if !bytes.starts_with(MAGIC) {
            return Err(file.error(BinaryProblem::Magic("GGUF")));
        }
        file.take(MAGIC.len() as u64)?;
        let place = file;
        let version = file.u32()?;
        if !matches!(version, 2 | 3) {
            let supported = "2 and 3 in little-endian order";
            return Err(place.error(BinaryProblem::Version { found: version, supported }));
        }
        let _tensors = file.u64()?;
        let keys = file.u64()?;
        let mut header = Self::default();
        for _ in 0..keys {
            let key = text(&mut file)?;
            let kind = ValueType::read(&mut file)?;
            header.value(key, kind, &mut file)?;
        }
        if header.tokens.is_empty() {
            return Err(Error::Key { key: TOKENS.to_owned(), message: "the key is missing".to_owned() });
        }
        if let Some(types) = header.types
            && types.len() != header.tokens.len()
        {
            let (found, expected) = (types.len(), header.tokens.len());
            let message = format!("{found} types instead of one for each of the {expected} tokens");
            return Err(Error::Key { key: TYPES.to_owned(), message });
        }
        Ok(header)
    }

    /// Reads the value of a key.
    fn value(&mut self, key: &str, kind: ValueType, file: &mut Cursor<'a>) -> Result<(), Error> {
        let Some(name) = key.strip_prefix("tokenizer.ggml.") else { return skip(kind, file) };
        match name {
            "model" => self.model = Some(text_of(key, kind, file)?),
            "pre" => self.pre = Some(text_of(key, kind, file)?),
            "tokens" => {
                let count = array_of(key, kind, ValueType::Text, file)?;
                self.tokens.clear();
                for _ in 0..count {
                    self.tokens.push(text(file)?);
                }
            }
            "token_type" => {
                let count = array_of(key, kind, ValueType::Fixed { bytes: 4, is_integer: true }, file)?;
                let bytes = file.take(count.saturating_mul(4))?;
                self.types = Some(bytes.as_chunks().0);
            }
            "bos_token_id" => self.bos = Some(id_of(key, kind, file)?),
            "eos_token_id" => self.eos = Some(id_of(key, kind, file)?),
            "eot_token_id" => self.eot = Some(id_of(key, kind, file)?),
            "eom_token_id" => self.eom = Some(id_of(key, kind, file)?),
            "add_space_prefix" => self.adds_space_prefix = Some(flag_of(key, kind, file)?),
            "remove_extra_whitespaces" => self.removes_extra_spaces = Some(flag_of(key, kind, file)?),
            _ => skip(kind, file)?,
        }
        Ok(())
    }

    /// Returns the value of a key that must be there.
    pub(super) fn text(&self, key: &str) -> Result<&'a str, Error> {
        let missing = || Error::Key { key: key.to_owned(), message: "the key is missing".to_owned() };
        self.model.ok_or_else(missing)
    }

    /// Returns the type of a token. Returns `None` if it has a number that is not a type.
    pub(super) fn kind(&self, id: u32) -> Option<Kind> {
        let Some(types) = self.types else { return Some(Kind::Normal) };
        match i32::from_le_bytes(*types.get(id as usize)?) {
            // "Undefined", which llama.cpp does not print.
            0 => Some(Kind::Unused),
            number => Kind::of(u64::try_from(number).ok()?),
        }
    }

    /// Returns the token that ends a sequence of a file without the key, as llama.cpp does.
    pub(super) fn default_eos(&self) -> Option<u64> {
        let id = match self.model {
            Some("llama") => 2,
            Some("t5") => 1,
            _ => return None,
        };
        (id < self.tokens.len() as u64).then_some(id)
    }

    /// Returns the token with the id of a key. Ids of 2^31 and above mean that there is none.
    pub(super) fn token(&self, id: Option<u64>, key: &str) -> Result<Option<TokenId>, Error> {
        match id {
            Some(id) if id < self.tokens.len() as u64 => Ok(u32::try_from(id).ok().map(TokenId)),
            Some(id) if i32::try_from(id).is_ok() => {
                Err(Error::UnknownToken { key: key.to_owned(), token: format!("the id {id}") })
            }
            _ => Ok(None),
        }
    }

    /// Returns true if the model strips the first space. `is_default` holds for a file without the key.
    pub(super) fn strips_first_space(&self, is_default: bool) -> bool {
        let is_default = is_default && self.model == Some("llama");
        self.adds_space_prefix.unwrap_or(is_default) || self.removes_extra_spaces.unwrap_or(false)
    }
}

/// The type of a value, as far as it decides how many bytes the value has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueType {
    Fixed { bytes: u8, is_integer: bool },
    Bool,
    Text,
    Array,
}

impl ValueType {
    fn read(file: &mut Cursor<'_>) -> Result<Self, Error> {
        let start = *file;
        let integer = |bytes| Self::Fixed { bytes, is_integer: true };
        let float = |bytes| Self::Fixed { bytes, is_integer: false };
        Ok(match file.u32()? {
            0 | 1 => integer(1),
            2 | 3 => integer(2),
            4 | 5 => integer(4),
            6 => float(4),
            7 => Self::Bool,
            8 => Self::Text,
            9 => Self::Array,
            10 | 11 => integer(8),
            12 => float(8),
            other => return Err(start.error(BinaryProblem::ValueType(other))),
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Fixed { is_integer: true, .. } => "an integer",
            Self::Fixed { is_integer: false, .. } => "a floating-point number",
            Self::Bool => "true or false",
            Self::Text => "a text",
            Self::Array => "an array",
        }
    }
}

fn text<'a>(file: &mut Cursor<'a>) -> Result<&'a str, Error> {
    let length = file.u64()?;
    let start = *file;
    let bytes = file.take(length)?;
    str::from_utf8(bytes).map_err(|_| start.error(BinaryProblem::Utf8))
}

/// Passes over a value.
fn skip(kind: ValueType, file: &mut Cursor<'_>) -> Result<(), Error> {
    // The numbers of values that are left, of the outer arrays first.
    let mut open = Vec::new();
    let mut next = kind;
    loop {
        match next {
            ValueType::Fixed { bytes, .. } => drop(file.take(bytes.into())?),
            ValueType::Bool => drop(file.take(1)?),
            ValueType::Text => {
                let length = file.u64()?;
                file.take(length)?;
            }
            ValueType::Array => {
                let place = *file;
                let (inner, count) = (ValueType::read(file)?, file.u64()?);
                match inner {
                    ValueType::Fixed { bytes, .. } => {
                        file.take(count.saturating_mul(bytes.into()))?;
                    }
                    ValueType::Bool => drop(file.take(count)?),
                    _ if open.len() == MAX_NESTING => {
                        return Err(place.error(BinaryProblem::Nesting(MAX_NESTING)));
                    }
                    _ => open.push((inner, count)),
                }
            }
        }
        loop {
            match open.last_mut() {
                None => return Ok(()),
                Some((_, 0)) => drop(open.pop()),
                Some((inner, count)) => {
                    *count -= 1;
                    next = *inner;
                    break;
                }
            }
        }
    }
}

/// Returns the error for a key whose value has another type.
fn mismatch(key: &str, expected: &str, found: &str) -> Error {
    Error::Key { key: key.to_owned(), message: format!("expected {expected}, found {found}") }
}

fn text_of<'a>(key: &str, kind: ValueType, file: &mut Cursor<'a>) -> Result<&'a str, Error> {
    match kind {
        ValueType::Text => text(file),
        other => Err(mismatch(key, "a text", other.name())),
    }
}

fn flag_of(key: &str, kind: ValueType, file: &mut Cursor<'_>) -> Result<bool, Error> {
    match kind {
        ValueType::Bool => Ok(file.array::<1>()? != [0]),
        other => Err(mismatch(key, "true or false", other.name())),
    }
}

fn id_of(key: &str, kind: ValueType, file: &mut Cursor<'_>) -> Result<u64, Error> {
    match kind {
        ValueType::Fixed { bytes, is_integer: true } => {
            let mut number = [0; 8];
            let taken = file.take(bytes.into())?;
            number[..taken.len()].copy_from_slice(taken);
            Ok(u64::from_le_bytes(number))
        }
        other => Err(mismatch(key, "an integer", other.name())),
    }
}

/// Reads the head of an array, and returns the number of its values.
fn array_of(key: &str, kind: ValueType, inner: ValueType, file: &mut Cursor<'_>) -> Result<u64, Error> {
    if kind != ValueType::Array {
        return Err(mismatch(key, "an array", kind.name()));
    }
    let found = ValueType::read(file)?;
    if found != inner {
        let expected = format!("an array of values that are {}", inner.name());
        return Err(mismatch(key, &expected, &format!("one of values that are {}", found.name())));
    }
    file.u64()
}

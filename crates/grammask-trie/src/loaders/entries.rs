//! The JSON values in vocabulary files. Objects are read as lists of pairs, so that repeated keys are kept
//! and nothing depends on the order of a hash map.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde_core::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::Error;

/// Reads a whole file as one JSON value.
pub(super) fn read<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    serde_json::from_slice(bytes).map_err(|error| {
        let message = error.to_string();
        // The error has fields for line and column.
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
        Error::Json { line: error.line(), column: error.column(), message }
    })
}

/// An object, as a list of its entries.
pub(super) struct Pairs<K, V>(pub(super) Vec<(K, V)>);

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Pairs<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor<K, V>(PhantomData<(K, V)>);

        impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for PairsVisitor<K, V> {
            type Value = Pairs<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(PairsVisitor(PhantomData))
    }
}

/// A text. It is borrowed from the file if it has no escapes.
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}

/// An id, written as a text of decimal digits.
pub(super) struct Decimal(pub(super) u64);

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Text(text) = Text::deserialize(deserializer)?;
        let id = super::decimal(text.as_bytes());
        id.map(Self).ok_or_else(|| de::Error::custom(format_args!("{text:?} is not a token id")))
    }
}

/// A token: a text, or a list of byte values.
pub(super) enum Piece<'a> {
    Text(Cow<'a, str>),
    Bytes(Vec<u8>),
}

impl Piece<'_> {
    /// Returns the text. Returns `None` for a list of byte values.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Bytes(_) => None,
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl<'de> Deserialize<'de> for Piece<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PieceVisitor;

        impl<'de> Visitor<'de> for PieceVisitor {
            type Value = Piece<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of byte values")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Piece::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Piece::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = list.next_element()? {
                    bytes.push(byte);
                }
                Ok(Piece::Bytes(bytes))
            }
        }

        deserializer.deserialize_any(PieceVisitor)
    }
}

/// Kind of a JSON value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Text,
    List,
    Object,
    Other,
}

/// Returns the key of the first entry of an object and the kind of its value. Does not read further, so a
/// truncated file has a first entry as well.
pub(super) fn first_entry(bytes: &[u8]) -> Option<(String, Kind)> {
    let rest = bytes.trim_ascii_start().strip_prefix(b"{")?;
    let mut keys = serde_json::Deserializer::from_slice(rest).into_iter::<String>();
    let key = keys.next()?.ok()?;
    let value = rest.get(keys.byte_offset()..)?.trim_ascii_start().strip_prefix(b":")?;
    let kind = match value.trim_ascii_start().first()? {
        b'0'..=b'9' | b'-' => Kind::Number,
        b'"' => Kind::Text,
        b'[' => Kind::List,
        b'{' => Kind::Object,
        _ => Kind::Other,
    };
    Some((key, kind))
}

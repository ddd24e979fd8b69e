//! Hugging Face `tokenizer.json`: the pieces of its model, converted to bytes by the decoder of the file, and
//! its added tokens.

use std::fmt;

use serde_core::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::entries::{self, Text};
use super::pieces::{PieceDecoder, unsupported};
use crate::vocabulary::Builder;
use crate::{Config, EntryPlace, Error, Vocabulary};

/// Loads a `tokenizer.json` whose model is BPE, Unigram or WordLevel.
///
/// The decoder of the file converts pieces to bytes:
///
/// - `ByteLevel`: each character is a byte, in the alphabet of GPT-2. A piece with other characters is taken
///   literally;
/// - `Replace` (such as of `▁` by a space in SentencePiece) and `Metaspace`: the replacement is made;
/// - `ByteFallback`, or a model with `byte_fallback`: `<0xHH>` is that byte.
///
/// If a file has no decoder, its pre-tokenizer and normalizer are inverted. Decoders that act on the whole
/// text change no token. For example, the decoder of Llama 2 strips one space at the beginning of a text, but
/// its token `▁the` always has the four bytes ` the`. So a grammar for such a model must allow the space at
/// the beginning of the output.
///
/// Of `added_tokens`, the entries marked special are special tokens named by their `content`, and the others
/// are ordinary tokens. With `ByteLevel`, an ordinary added token is the UTF-8 of its content; otherwise the
/// decoder converts it. An added token replaces the entry of the model with its id. The unknown token of the
/// model is always special.
///
/// ```
/// # use grammask_trie::{Config, TokenId, loaders};
/// let file = r#"{
///     "added_tokens": [{"id": 2, "content": "<s>", "special": true}],
///     "decoder": {"type": "ByteLevel"},
///     "model": {"type": "BPE", "vocab": {"a": 0, "Ġa": 1}, "merges": []}
/// }"#;
/// let vocabulary = loaders::tokenizer_json(file.as_bytes(), &Config::default())?;
/// assert_eq!(vocabulary.bytes(TokenId(1)), Some(&b" a"[..]));
/// assert_eq!(vocabulary.special("<s>"), Some(TokenId(2)));
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// # Errors
///
/// - [`Error::Json`] if the file has another structure;
/// - [`Error::Unsupported`] for other decoders (`WordPiece`, `BPEDecoder`, `CTC`, regexes) and other models;
/// - [`Error::LimitExceeded`] if the decoder exceeds `max_decoder_steps` or `max_decoder_growth`;
/// - the errors of [`Vocabulary::new`].
pub fn tokenizer_json(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    let file = entries::read::<File<'_>>(bytes)?;
    file.model.check_supported()?;
    let byte_fallback = file.model.rest.get("byte_fallback").and_then(Value::as_bool).unwrap_or(false);
    let decoder = PieceDecoder::find(
        &file.decoder,
        &file.pre_tokenizer,
        &file.normalizer,
        byte_fallback,
        &config.limits,
    )?;

    let mut builder = Builder::new(config);
    let mut replaced: Vec<u64> = file.added.iter().map(|added| added.id).collect();
    replaced.sort_unstable();
    let unknown = file.model.unknown();
    for ((Text(piece), id), number) in file.model.pieces.iter().zip(1..) {
        if replaced.binary_search(id).is_ok() {
            continue;
        }
        builder.at(EntryPlace::Piece(number));
        if unknown.as_ref().is_some_and(|unknown| unknown.is(piece, *id)) {
            builder.special(*id, piece)?;
        } else {
            builder.token(*id, &decoder.bytes(piece))?;
        }
    }
    for (Added { id, content: Text(content), special }, number) in file.added.iter().zip(1..) {
        builder.at(EntryPlace::Added(number));
        if *special {
            builder.special(*id, content)?;
        } else if decoder.is_byte_level() {
            builder.token(*id, content.as_bytes())?;
        } else {
            builder.token(*id, &decoder.bytes(content))?;
        }
    }
    builder.finish()
}

/// The parts of a file that are read.
struct File<'a> {
    model: Model<'a>,
    added: Vec<Added<'a>>,
    decoder: Value,
    pre_tokenizer: Value,
    normalizer: Value,
}

impl<'de> Deserialize<'de> for File<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FileVisitor;

        impl<'de> Visitor<'de> for FileVisitor {
            type Value = File<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a tokenizer.json object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<File<'de>, A::Error> {
                let (mut model, mut added) = (None, None::<Vec<Added<'de>>>);
                let [mut decoder, mut pre_tokenizer, mut normalizer] =
                    [Value::Null, Value::Null, Value::Null];
                while let Some(Text(key)) = map.next_key()? {
                    match &*key {
                        "model" => model = Some(map.next_value()?),
                        "added_tokens" => added = map.next_value()?,
                        "decoder" => decoder = map.next_value()?,
                        "pre_tokenizer" => pre_tokenizer = map.next_value()?,
                        "normalizer" => normalizer = map.next_value()?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                let model = model.ok_or_else(|| de::Error::missing_field("model"))?;
                Ok(File { model, added: added.unwrap_or_default(), decoder, pre_tokenizer, normalizer })
            }
        }

        deserializer.deserialize_map(FileVisitor)
    }
}

/// The model: its pieces with their ids, and its other entries except for the merges.
struct Model<'a> {
    pieces: Vec<(Text<'a>, u64)>,
    rest: Map<String, Value>,
}

/// The unknown token of a model: the token for text that it cannot tokenize.
enum Unknown {
    Piece(String),
    Id(u64),
}

impl Unknown {
    fn is(&self, piece: &str, id: u64) -> bool {
        match self {
            Self::Piece(unknown) => unknown == piece,
            Self::Id(unknown) => *unknown == id,
        }
    }
}

impl Model<'_> {
    fn check_supported(&self) -> Result<(), Error> {
        // Old files lack the type.
        if let Some(kind) = self.rest.get("type").filter(|kind| !kind.is_null())
            && !["BPE", "Unigram", "WordLevel"].map(Value::from).contains(kind)
        {
            return Err(unsupported(&format!("the model {kind}")));
        }
        for affix in ["continuing_subword_prefix", "end_of_word_suffix"] {
            if let Some(Value::String(text)) = self.rest.get(affix)
                && !text.is_empty()
            {
                return Err(unsupported(&format!("the {affix} {text:?}")));
            }
        }
        Ok(())
    }

    fn unknown(&self) -> Option<Unknown> {
        let piece =
            self.rest.get("unk_token").and_then(Value::as_str).map(|piece| Unknown::Piece(piece.into()));
        piece.or_else(|| self.rest.get("unk_id").and_then(Value::as_u64).map(Unknown::Id))
    }
}

impl<'de> Deserialize<'de> for Model<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ModelVisitor;

        impl<'de> Visitor<'de> for ModelVisitor {
            type Value = Model<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the object of a model")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Model<'de>, A::Error> {
                let (mut pieces, mut rest) = (None, Map::new());
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "vocab" => pieces = Some(map.next_value::<Pieces<'de>>()?.0),
                        "merges" => drop(map.next_value::<IgnoredAny>()?),
                        _ => drop(rest.insert(key, map.next_value()?)),
                    }
                }
                let pieces = pieces.ok_or_else(|| de::Error::missing_field("vocab"))?;
                Ok(Model { pieces, rest })
            }
        }

        deserializer.deserialize_map(ModelVisitor)
    }
}

/// The pieces of a model: an object from pieces to ids or, for Unigram, a list of pieces with scores. The id
/// of a piece in a list is its index.
struct Pieces<'a>(Vec<(Text<'a>, u64)>);

impl<'de> Deserialize<'de> for Pieces<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PiecesVisitor;

        impl<'de> Visitor<'de> for PiecesVisitor {
            type Value = Pieces<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object from pieces to ids, or a list of pieces with scores")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pieces<'de>, A::Error> {
                let mut pieces = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    pieces.push(entry);
                }
                Ok(Pieces(pieces))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Pieces<'de>, A::Error> {
                let mut pieces = Vec::new();
                while let Some((piece, _score)) = list.next_element::<(Text<'de>, f64)>()? {
                    pieces.push((piece, pieces.len() as u64));
                }
                Ok(Pieces(pieces))
            }
        }

        deserializer.deserialize_any(PiecesVisitor)
    }
}

/// An entry of `added_tokens`.
struct Added<'a> {
    id: u64,
    content: Text<'a>,
    special: bool,
}

impl<'de> Deserialize<'de> for Added<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AddedVisitor;

        impl<'de> Visitor<'de> for AddedVisitor {
            type Value = Added<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an added token")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Added<'de>, A::Error> {
                let (mut id, mut content, mut special) = (None, None, false);
                while let Some(Text(key)) = map.next_key()? {
                    match &*key {
                        "id" => id = Some(map.next_value()?),
                        "content" => content = Some(map.next_value()?),
                        "special" => special = map.next_value()?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(Added {
                    id: id.ok_or_else(|| de::Error::missing_field("id"))?,
                    content: content.ok_or_else(|| de::Error::missing_field("content"))?,
                    special,
                })
            }
        }

        deserializer.deserialize_map(AddedVisitor)
    }
}

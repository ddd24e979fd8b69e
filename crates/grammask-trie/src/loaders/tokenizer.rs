//! Hugging Face `tokenizer.json`: the pieces of its model, turned into bytes by what the file's decoder says, and its
//! added tokens.

use std::fmt;

use serde_core::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::entries::{self, Text};
use super::pieces::{Decoder, unsupported};
use crate::vocabulary::Builder;
use crate::{Config, EntryPlace, Error, Vocabulary};

/// Reads a `tokenizer.json` whose model is BPE, Unigram or WordLevel.
///
/// What bytes a piece stands for is what the file's decoder makes of it:
///
/// - `ByteLevel`: each character stands for a byte, in the alphabet of GPT-2. A piece with other characters is taken as it stands.
/// - `Replace` (as in SentencePiece's `▁` for a space) and `Metaspace`: the replacement is made;
/// - `ByteFallback`, or a model with `byte_fallback`: `<0xHH>` is that byte.
///
/// A file without a decoder is read by its pre-tokenizer and normalizer. Decoders that act on the text as a whole change no
/// token: in particular, Llama 2's decoder strips one space at the very beginning of a text, but its token `▁the` is the four bytes
/// ` the` here, wherever it stands. So a grammar for such a model sees the space that the model writes first, and
/// has to allow it. Other decoders (`WordPiece`, `BPEDecoder`, `CTC`,
/// regexes) are an error, and so are more than 16 of them, or such that make a piece more than eight times as long.
///
/// Of `added_tokens`, those marked special are special tokens by the name `content`; the others are ordinary tokens. With
/// `ByteLevel` they stand for their content as it is, otherwise for what the decoder makes of it. An added token
/// replaces what the model says about its id. The model's unknown token is special even if no added token says so.
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
/// [`Error::Json`] for another shape, [`Error::Unsupported`], and what [`Vocabulary::new`] says.
pub fn tokenizer_json(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    let file = entries::read::<File<'_>>(bytes)?;
    file.model.check_supported()?;
    let byte_fallback = file.model.rest.get("byte_fallback").and_then(Value::as_bool).unwrap_or(false);
    let decoder = Decoder::find(&file.decoder, &file.pre_tokenizer, &file.normalizer, byte_fallback)?;

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

/// The parts of a file that matter here.
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

/// The model: its pieces with their ids, and all else that it says but for its merges.
struct Model<'a> {
    pieces: Vec<(Text<'a>, u64)>,
    rest: Map<String, Value>,
}

/// How a model names the token for what it cannot tokenize.
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
        // Old files leave the type out.
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

/// The pieces of a model: an object from pieces to ids, or (Unigram) a list of pieces with their scores, whose ids are their places.
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

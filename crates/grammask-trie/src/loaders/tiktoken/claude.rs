//! `claude.json` of the npm package `@anthropic-ai/tokenizer`: tiktoken's ranks and special tokens as JSON.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_core::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::loaders::entries::{self, Pairs, Text};
use crate::loaders::{Options, decimal};
use crate::vocabulary::Builder;
use crate::{Config, EntryPlace, Error, LineProblem, Vocabulary};

/// Loads JSON as the JavaScript ports of tiktoken take it: an object with `bpe_ranks` and `special_tokens`.
///
/// Each line of `bpe_ranks` has a text that is ignored, the rank of its first token, and tokens in base64
/// with consecutive ranks: `! 5 IQ== Ig==`. `special_tokens` is an object from names to ids.
///
/// ```
/// # use grammask_trie::{Config, TokenId, loaders};
/// let file = br#"{"special_tokens": {"<EOT>": 0}, "bpe_ranks": "! 5 IQ== Ig=="}"#;
/// let vocabulary = loaders::tiktoken_json(file, &Config::default())?;
/// assert_eq!(vocabulary.bytes(TokenId(6)), Some(&b"\""[..]));
/// assert_eq!(vocabulary.ends(), [TokenId(0)]);
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// # Errors
///
/// - [`Error::Json`] if the file has another structure;
/// - [`Error::Entry`] if a line of `bpe_ranks` lacks a rank, or a token is not base64;
/// - the errors of [`Vocabulary::new`].
pub fn tiktoken_json(bytes: &[u8], config: &Config) -> Result<Vocabulary, Error> {
    read(bytes, &Options::default(), config)?.finish()
}

pub(in crate::loaders) fn read<'c>(
    bytes: &[u8],
    _options: &Options,
    config: &'c Config,
) -> Result<Builder<'c>, Error> {
    let file = entries::read::<File<'_>>(bytes)?;
    let mut builder = Builder::new(config);
    for (Text(name), id) in file.specials {
        builder.special(id, &name)?;
    }
    each_rank(&file.ranks.0, |rank, place, token| builder.at(place).token(rank, token))?;
    Ok(builder)
}

/// Calls a function with each token of `bpe_ranks`: its rank, its number as the place, and its bytes.
pub(in crate::loaders) fn each_rank(
    ranks: &str,
    mut add: impl FnMut(u64, EntryPlace, &[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut number = 0;
    let mut token = Vec::new();
    for line in ranks.split('\n').filter(|line| !line.trim().is_empty()) {
        let mut words = line.split_ascii_whitespace().skip(1);
        let shape = LineProblem::Shape("a text, a rank, and tokens in base64");
        let first = words.next().and_then(|rank| decimal(rank.as_bytes()));
        let first = first.ok_or(Error::Entry { place: EntryPlace::Entry(number + 1), problem: shape })?;
        for (word, offset) in words.zip(0..) {
            number = number.saturating_add(1);
            let place = EntryPlace::Entry(number);
            token.clear();
            STANDARD
                .decode_vec(word, &mut token)
                .map_err(|_| Error::Entry { place, problem: LineProblem::Base64 })?;
            add(first.saturating_add(offset), place, &token)?;
        }
    }
    Ok(())
}

/// The parts of a file that are read.
struct File<'a> {
    ranks: Text<'a>,
    specials: Vec<(Text<'a>, u64)>,
}

impl<'de> Deserialize<'de> for File<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FileVisitor;

        impl<'de> Visitor<'de> for FileVisitor {
            type Value = File<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with `bpe_ranks`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<File<'de>, A::Error> {
                let (mut ranks, mut specials) = (None, None::<Pairs<Text<'de>, u64>>);
                while let Some(Text(key)) = map.next_key()? {
                    match &*key {
                        "bpe_ranks" => ranks = Some(map.next_value()?),
                        "special_tokens" => specials = map.next_value::<Option<_>>()?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                let ranks = ranks.ok_or_else(|| de::Error::missing_field("bpe_ranks"))?;
                Ok(File { ranks, specials: specials.map_or_else(Vec::new, |pairs| pairs.0) })
            }
        }

        deserializer.deserialize_map(FileVisitor)
    }
}

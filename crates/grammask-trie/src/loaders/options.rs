//! Options of reading vocabulary files.

use super::{Format, Preset, Spelling};
use crate::Error;
use crate::vocabulary::ends::frames_turn;

/// Options of [`load_with`](super::load_with). The default detects the format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The format. `None`: as [`Format::sniff`](super::Format::sniff) detects it.
    pub format: Option<Format>,
    /// Which added tokens are special.
    pub added: AddedSpecials,
    /// The special tokens of a tiktoken file. `None`: there are none.
    pub preset: Option<Preset>,
    /// The spelling of plain JSON. `None`: literal, and texts that look otherwise are an error.
    pub spelling: Option<Spelling>,
}

/// The formats by the names that users give.
const FORMATS: [(&str, Format); 9] = [
    ("tokenizer.json", Format::TokenizerJson),
    ("sentencepiece", Format::SentencePiece),
    ("gguf", Format::Gguf),
    ("tekken", Format::Tekken),
    ("tiktoken", Format::Tiktoken),
    ("tiktoken-json", Format::TiktokenJson),
    ("rwkv-text", Format::RwkvText),
    ("rwkv-json", Format::RwkvJson),
    ("vocab.json", Format::PlainJson),
];

/// The spellings of a `vocab.json` by the names that users give.
const SPELLINGS: [(&str, Spelling); 3] = [
    ("literal", Spelling::Literal),
    ("byte-level", Spelling::ByteLevel),
    ("sentencepiece", Spelling::SentencePiece),
];

/// A name that is not a format of vocabularies, or a variant that the format does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is not a format of vocabularies: {known}")]
pub struct UnknownFormatName {
    /// The name.
    pub name: String,
    /// The names that are known in this place.
    known: String,
}

impl Options {
    /// Sets the format by its name, as command lines and configurations give it: `gguf`, `tiktoken:llama3`
    /// with a [preset](Preset), or `vocab.json:byte-level` with a [spelling](Spelling).
    ///
    /// # Errors
    /// If there is no such name; the message lists those that there are.
    ///
    /// ```
    /// use grammask_trie::loaders::{Options, Preset};
    ///
    /// assert_eq!(Options::default().with_format("tiktoken:llama3")?.preset, Some(Preset::Llama3));
    /// let error = Options::default().with_format("gguf:x").unwrap_err();
    /// assert_eq!(error.to_string(), "\"gguf:x\" is not a format of vocabularies: gguf has no variants");
    /// # Ok::<(), grammask_trie::loaders::UnknownFormatName>(())
    /// ```
    pub fn with_format(mut self, name: &str) -> Result<Self, UnknownFormatName> {
        let unknown = |known: String| UnknownFormatName { name: super::shortened(name), known };
        let one_of = |what: &str, names: Vec<&str>| unknown(format!("{what} are {}", names.join(", ")));
        let (format, variant) = name.split_once(':').map_or((name, None), |(name, rest)| (name, Some(rest)));
        let found = FORMATS.iter().find(|(known, _)| *known == format);
        let known = || FORMATS.map(|(known, _)| known).to_vec();
        self.format = Some(found.ok_or_else(|| one_of("the formats", known()))?.1);
        match (self.format, variant) {
            (_, None) => {}
            (Some(Format::Tiktoken), Some(preset)) => {
                let names = || Preset::ALL.iter().map(|preset| preset.name()).collect();
                let preset = Preset::named(preset);
                self.preset = Some(preset.ok_or_else(|| one_of("the variants of tiktoken", names()))?);
            }
            (Some(Format::PlainJson), Some(spelling)) => {
                let names = || SPELLINGS.map(|(known, _)| known).to_vec();
                let found = SPELLINGS.iter().find(|(known, _)| *known == spelling);
                self.spelling = Some(found.ok_or_else(|| one_of("the variants of vocab.json", names()))?.1);
            }
            (_, Some(_)) => return Err(unknown(format!("{format} has no variants"))),
        }
        Ok(self)
    }
}

/// Which added tokens are special: they have a name and no bytes, and a grammar allows them only by name.
///
/// Added tokens are the `added_tokens` of a `tokenizer.json`, where a flag marks some as special. In
/// SentencePiece and GGUF files they are the user-defined tokens, which have no flag. Tokens that these
/// files call control tokens are always special.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddedSpecials {
    /// Those with the flag, and those that end, begin or separate turns by their names in known models, such
    /// as `<｜User｜>` of DeepSeek, which has no flag. Tokens of tools and thoughts, such as `<think>`, are
    /// text without the flag.
    #[default]
    FlagAndTurns,
    /// Those with the flag.
    Flag,
    /// All.
    All,
    /// Those with these names.
    Named(Vec<String>),
}

impl AddedSpecials {
    /// Returns true if a token with this name and flag is special.
    pub(super) fn is_special(&self, name: &str, flag: bool) -> bool {
        match self {
            Self::FlagAndTurns => flag || frames_turn(name),
            Self::Flag => flag,
            Self::All => true,
            Self::Named(names) => names.iter().any(|named| named == name),
        }
    }

    /// Returns an error if a name is not among those of the added tokens.
    pub(super) fn check_names(&self, added: &[&str]) -> Result<(), Error> {
        let Self::Named(names) = self else { return Ok(()) };
        match names.iter().find(|name| !added.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => {
                let key = "the list of special added tokens".to_owned();
                Err(Error::UnknownToken { key, token: format!("{name:?}") })
            }
        }
    }
}

//! Options of reading vocabulary files.

use super::{Preset, Spelling};
use crate::Error;
use crate::vocabulary::ends::frames_turn;

/// Options of [`load_with`](super::load_with). The default detects the format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The format. `None`: as [`Format::sniff`](super::Format::sniff) detects it.
    pub format: Option<super::Format>,
    /// Which added tokens are special.
    pub added: AddedSpecials,
    /// The special tokens of a tiktoken file. `None`: there are none.
    pub preset: Option<Preset>,
    /// The spelling of plain JSON. `None`: literal, and texts that look otherwise are an error.
    pub spelling: Option<Spelling>,
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

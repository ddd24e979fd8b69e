//! The files beside a tokenizer: `tokenizer_config.json` and `generation_config.json`. They say which tokens
//! end and begin a sequence, and may add tokens.

use serde_json::Value;

use crate::loaders::{self, Options, entries, shortened};
use crate::vocabulary::Builder;
use crate::{Config, EntryPlace, Error, TokenId, Vocabulary};

/// The files of a model in the form of Hugging Face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VocabularyFiles<'a> {
    /// The tokenizer, in any format: `tokenizer.json`, `tokenizer.model`, or another.
    pub tokenizer: &'a [u8],
    /// `tokenizer_config.json`.
    pub tokenizer_config: Option<&'a [u8]>,
    /// `generation_config.json`.
    pub generation_config: Option<&'a [u8]>,
}

/// Loads the files of a model.
///
/// The ends of a sequence are, in this order and without repetitions:
///
/// 1. `eos_token_id` of `generation_config.json`, an id or a list of ids;
/// 2. `eos_token` of `tokenizer_config.json`;
/// 3. if the first one is missing, those that the tokenizer file names, and those known by name.
///
/// `bos_token_id` and `bos_token` say how a sequence begins. `added_tokens_decoder` of
/// `tokenizer_config.json` adds tokens to a tokenizer that lacks their ids.
///
/// ```
/// use grammask_trie::loaders::{self, VocabularyFiles};
/// use grammask_trie::{Config, TokenId};
///
/// let files = VocabularyFiles {
///     tokenizer: br#"{"added_tokens": [{"id": 1, "content": "<stop>", "special": true}],
///         "decoder": {"type": "ByteLevel"}, "model": {"vocab": {"a": 0}}}"#,
///     tokenizer_config: Some(br#"{"eos_token": "<stop>"}"#),
///     generation_config: None,
/// };
/// let vocabulary = loaders::load_files(&files, &loaders::Options::default(), &Config::default())?;
/// assert_eq!(vocabulary.ends(), [TokenId(1)]);
/// # Ok::<(), grammask_trie::Error>(())
/// ```
///
/// # Errors
///
/// - the errors of the tokenizer's format, without the name of a file;
/// - [`Error::Key`] with the name of the file if a configuration is not JSON, or a key has another form;
/// - [`Error::UnknownToken`] if a configuration names a token that the tokenizer lacks.
pub fn load_files(
    files: &VocabularyFiles<'_>,
    options: &Options,
    config: &Config,
) -> Result<Vocabulary, Error> {
    let vocabulary = loaders::load_with(files.tokenizer, options, config)?;
    let (tokenizer, generation) = (
        Configuration::read("tokenizer_config.json", files.tokenizer_config)?,
        Configuration::read("generation_config.json", files.generation_config)?,
    );
    let vocabulary = add_tokens(vocabulary, &tokenizer, options, config)?;
    let mut ends = generation.ids("eos_token_id", &vocabulary)?;
    let is_complete = !ends.is_empty();
    ends.extend(tokenizer.token("eos_token", &vocabulary)?);
    if !is_complete {
        ends.extend(vocabulary.ends());
    }
    let mut begins: Vec<TokenId> = tokenizer.token("bos_token", &vocabulary)?.into_iter().collect();
    if begins.is_empty() {
        begins = generation.ids("bos_token_id", &vocabulary)?;
    }
    let vocabulary = vocabulary.with_ends(ends)?;
    if begins.is_empty() { Ok(vocabulary) } else { vocabulary.with_begins(begins) }
}

/// A file of the set.
struct Configuration {
    name: &'static str,
    /// Null if there is no file.
    content: Value,
}

impl Configuration {
    fn read(name: &'static str, bytes: Option<&[u8]>) -> Result<Self, Error> {
        let Some(bytes) = bytes else { return Ok(Self { name, content: Value::Null }) };
        let content: Value = entries::read(bytes)
            .map_err(|error| Error::Key { key: name.to_owned(), message: error.to_string() })?;
        if !content.is_object() {
            return Err(Error::Key { key: name.to_owned(), message: "expected an object".to_owned() });
        }
        Ok(Self { name, content })
    }

    fn error(&self, key: &str, message: &str) -> Error {
        Error::Key { key: format!("{}: {key}", self.name), message: message.to_owned() }
    }

    fn unknown(&self, key: &str, token: String) -> Error {
        Error::UnknownToken { key: format!("`{key}` of {}", self.name), token }
    }

    /// Returns the tokens of a key with an id, a list of ids, or null.
    fn ids(&self, key: &str, vocabulary: &Vocabulary) -> Result<Vec<TokenId>, Error> {
        let ids = match &self.content[key] {
            Value::Null => return Ok(Vec::new()),
            Value::Array(ids) => ids.as_slice(),
            id => std::slice::from_ref(id),
        };
        let token = |id: &Value| {
            let number = id.as_u64().ok_or_else(|| self.error(key, "expected an id or a list of ids"))?;
            let id = u32::try_from(number).ok().map(TokenId).filter(|&id| vocabulary.is_known(id));
            id.ok_or_else(|| self.unknown(key, format!("the id {number}")))
        };
        ids.iter().map(token).collect()
    }

    /// Returns the token of a key with a text, an object with `content`, or null.
    fn token(&self, key: &str, vocabulary: &Vocabulary) -> Result<Option<TokenId>, Error> {
        let name = match &self.content[key] {
            Value::Null => return Ok(None),
            Value::Object(object) => object.get("content").and_then(Value::as_str),
            text => text.as_str(),
        };
        let name = name.ok_or_else(|| self.error(key, "expected a text, or an object with `content`"))?;
        let ordinary = || {
            let node = vocabulary.trie().find(name.as_bytes())?;
            vocabulary.trie().tokens(node).first().copied()
        };
        match vocabulary.special(name).or_else(ordinary) {
            Some(id) => Ok(Some(id)),
            None => Err(self.unknown(key, format!("{:?}", shortened(name)))),
        }
    }
}

/// Adds the tokens of `added_tokens_decoder` whose ids the tokenizer lacks.
fn add_tokens(
    vocabulary: Vocabulary,
    tokenizer: &Configuration,
    options: &Options,
    config: &Config,
) -> Result<Vocabulary, Error> {
    const KEY: &str = "added_tokens_decoder";
    let added = match &tokenizer.content[KEY] {
        Value::Null => return Ok(vocabulary),
        Value::Object(added) => added,
        _ => return Err(tokenizer.error(KEY, "expected an object")),
    };
    let mut builder: Option<Builder<'_>> = None;
    for ((id, token), number) in added.iter().zip(1..) {
        let place = EntryPlace::Decoder(number);
        let content = token["content"].as_str();
        let (Some(id), Some(content)) = (loaders::decimal(id.as_bytes()), content) else {
            return Err(tokenizer.error(KEY, "expected ids with objects that have `content`"));
        };
        if u32::try_from(id).is_ok_and(|id| vocabulary.is_known(TokenId(id))) {
            continue;
        }
        let builder = match &mut builder {
            Some(builder) => builder,
            None => builder.insert(vocabulary.to_builder(config)?),
        };
        builder.at(place);
        if options.added.is_special(content, token["special"].as_bool().unwrap_or(false)) {
            builder.special(id, content)?;
        } else {
            builder.token(id, content.as_bytes())?;
        }
    }
    match builder {
        None => Ok(vocabulary),
        Some(builder) => vocabulary.extended(builder),
    }
}

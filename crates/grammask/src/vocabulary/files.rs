//! Vocabularies from the files of models.

use grammask_trie::Config;

use super::Vocabulary;
use crate::VocabularyError;
use crate::loaders::{self, Options, Preset, VocabularyFiles};

impl Vocabulary {
    /// Reads a tokenizer file, whose format is detected: see [`loaders`].
    ///
    /// # Errors
    /// If the bytes are in none of these formats, or damaged.
    ///
    /// ```
    /// use grammask::{TokenId, Vocabulary};
    ///
    /// // A tiktoken file: the bytes of each token in base64, and its id.
    /// let vocabulary = Vocabulary::load(b"YQ== 0\nYWI= 1\n")?;
    /// assert_eq!(vocabulary.bytes(TokenId(1)), Some(&b"ab"[..]));
    /// # Ok::<(), grammask::VocabularyError>(())
    /// ```
    pub fn load(bytes: &[u8]) -> Result<Self, VocabularyError> {
        Ok(loaders::load(bytes, &Config::default())?.into())
    }

    /// Reads a tokenizer file with options: its format, which added tokens are special, the special tokens of
    /// a tiktoken file, the spelling of a `vocab.json`.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_with(bytes: &[u8], options: &Options) -> Result<Self, VocabularyError> {
        Ok(loaders::load_with(bytes, options, &Config::default())?.into())
    }

    /// Reads the files of a model in the form of Hugging Face: the tokenizer in any format,
    /// `tokenizer_config.json` and `generation_config.json`. The configurations say which tokens end a
    /// sequence; [`loaders::load_files`] has the order in which they count.
    ///
    /// # Errors
    /// If a file is damaged, or a configuration names a token that the tokenizer lacks.
    ///
    /// ```
    /// use grammask::loaders::VocabularyFiles;
    /// use grammask::{TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::from_file_set(&VocabularyFiles {
    ///     tokenizer: br#"{"added_tokens": [{"id": 1, "content": "<stop>", "special": true}],
    ///         "decoder": {"type": "ByteLevel"}, "model": {"vocab": {"a": 0}}}"#,
    ///     tokenizer_config: None,
    ///     generation_config: Some(br#"{"eos_token_id": [1]}"#),
    /// })?;
    /// assert_eq!(vocabulary.ends(), [TokenId(1)]);
    /// # Ok::<(), grammask::VocabularyError>(())
    /// ```
    pub fn from_file_set(files: &VocabularyFiles<'_>) -> Result<Self, VocabularyError> {
        Ok(loaders::load_files(files, &Options::default(), &Config::default())?.into())
    }

    /// Reads a Hugging Face `tokenizer.json`: see [`loaders::tokenizer_json`].
    ///
    /// # Errors
    /// If the file is damaged, or its decoder looks at other tokens.
    pub fn from_tokenizer_json(bytes: &[u8]) -> Result<Self, VocabularyError> {
        Ok(loaders::tokenizer_json(bytes, &Config::default())?.into())
    }

    /// Reads a GGUF file, or its beginning up to the end of the header: see [`loaders::gguf`].
    ///
    /// # Errors
    /// If the header is damaged or incomplete, or has no vocabulary of a known kind.
    pub fn from_gguf(bytes: &[u8]) -> Result<Self, VocabularyError> {
        Ok(loaders::gguf(bytes, &Config::default())?.into())
    }

    /// Reads a SentencePiece `.model` file: see [`loaders::sentencepiece`].
    ///
    /// # Errors
    /// If the file is damaged, or changes texts after decoding.
    pub fn from_sentencepiece(bytes: &[u8]) -> Result<Self, VocabularyError> {
        Ok(loaders::sentencepiece(bytes, &Config::default())?.into())
    }

    /// Reads a `tekken.json`: see [`loaders::tekken`].
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn from_tekken(bytes: &[u8]) -> Result<Self, VocabularyError> {
        Ok(loaders::tekken(bytes, &Config::default())?.into())
    }

    /// Reads a tiktoken file, with the special tokens of a known vocabulary, as the file has none.
    ///
    /// # Errors
    /// If the file is damaged, or has another number of tokens than that vocabulary.
    ///
    /// ```
    /// use grammask::Vocabulary;
    /// use grammask::loaders::Preset;
    ///
    /// let error = Vocabulary::from_tiktoken(b"YQ== 0\n", Preset::Llama3).unwrap_err();
    /// assert_eq!(error.to_string(), "`llama3`: the preset is for 128000 tokens, the file has 1");
    /// ```
    pub fn from_tiktoken(bytes: &[u8], preset: Preset) -> Result<Self, VocabularyError> {
        Ok(loaders::tiktoken_preset(bytes, preset, &Config::default())?.into())
    }
}

//! The vocabulary of all engines, and the tokenization of texts.

use std::sync::OnceLock;

use anyhow::{Context, bail};
use grammask::{TokenId, Vocabulary};
use rustc_hash::FxHashMap;
use tiktoken_rs::CoreBPE;

/// Names of end-of-text tokens, in order of preference.
const END_NAMES: &[&str] = &["<|endoftext|>", "<|end_of_text|>", "</s>", "<|im_end|>", "<|eot_id|>"];

/// The pieces into which Llama 3's tokenizer cuts a text before it merges bytes. A tiktoken file does not
/// contain them.
const LLAMA3_PIECES: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

/// Numbers of ordinary and of special tokens of Llama 3, and its end token.
const LLAMA3: (u32, u32, u32) = (128_000, 256, 128_001);

/// Tokens in a form for every engine.
pub struct Words {
    /// Name in the report.
    pub name: String,
    /// Ordinary tokens, by id.
    pub tokens: Vec<(u32, Vec<u8>)>,
    /// Special tokens: id and name.
    pub specials: Vec<(u32, String)>,
    /// The end token, which is one of the special tokens.
    pub end: u32,
    encoder: Option<CoreBPE>,
    ids: OnceLock<FxHashMap<Vec<u8>, u32>>,
}

impl Words {
    /// Returns a vocabulary with one token for each byte, and an end token.
    pub fn of_bytes() -> Self {
        Self {
            name: "bytes".to_owned(),
            tokens: (0..=255).map(|byte| (u32::from(byte), vec![byte])).collect(),
            specials: vec![(256, END_NAMES[0].to_owned())],
            end: 256,
            encoder: None,
            ids: OnceLock::new(),
        }
    }

    /// Returns the ids of ordinary tokens by their bytes.
    pub fn ids(&self) -> &FxHashMap<Vec<u8>, u32> {
        self.ids.get_or_init(|| self.tokens.iter().map(|(id, bytes)| (bytes.clone(), *id)).collect())
    }

    /// Loads o200k, or the vocabulary in a file.
    ///
    /// # Errors
    /// If the file cannot be read, or has no known format.
    pub fn load(name: &str) -> anyhow::Result<Self> {
        if name == "o200k" { Self::o200k() } else { Self::from_file(name) }
    }

    /// Returns the ordinary tokens below `id`, with `id` as the end token. Texts are cut into the longest
    /// tokens.
    pub fn below(&self, id: u32) -> Self {
        Self {
            name: format!("{} below {id}", self.name),
            tokens: self.tokens.iter().take_while(|(token, _)| *token < id).cloned().collect(),
            specials: vec![(id, END_NAMES[0].to_owned())],
            end: id,
            encoder: None,
            ids: OnceLock::new(),
        }
    }

    /// Returns the number of ids, gaps included.
    pub fn id_count(&self) -> usize {
        let ordinary = self.tokens.last().map_or(0, |(id, _)| *id);
        let special = self.specials.iter().map(|(id, _)| *id).max().unwrap_or(0);
        ordinary.max(special) as usize + 1
    }

    /// Returns the bytes of an ordinary token. Returns no bytes for any other id.
    pub fn bytes(&self, id: u32) -> &[u8] {
        self.tokens.binary_search_by_key(&id, |(id, _)| *id).map_or(&[], |place| &self.tokens[place].1)
    }

    /// Returns the vocabulary for grammask.
    ///
    /// # Errors
    /// If it exceeds a limit.
    pub fn vocabulary(&self) -> anyhow::Result<Vocabulary> {
        let tokens = self.tokens.iter().map(|(id, bytes)| (TokenId(*id), bytes.clone()));
        let specials = self.specials.iter().map(|(id, name)| (TokenId(*id), name.clone()));
        Ok(Vocabulary::new(tokens, specials)?)
    }

    /// Cuts a text into tokens: by the vocabulary's own tokenizer if that is known, else the longest token at
    /// each position.
    ///
    /// # Errors
    /// If no token begins with a byte of the text.
    pub fn encode(&self, text: &str) -> anyhow::Result<Vec<u32>> {
        if let Some(encoder) = &self.encoder {
            return Ok(encoder.encode_ordinary(text));
        }
        let ids = self.ids();
        let longest = self.tokens.iter().map(|(_, bytes)| bytes.len()).max().unwrap_or(0);
        let mut rest = text.as_bytes();
        let mut tokens = Vec::new();
        while !rest.is_empty() {
            let lengths = (1..=longest.min(rest.len())).rev();
            let Some((length, id)) = lengths.into_iter().find_map(|n| Some((n, *ids.get(&rest[..n])?)))
            else {
                bail!("no token begins with byte {}", rest[0]);
            };
            tokens.push(id);
            rest = &rest[length..];
        }
        Ok(tokens)
    }

    fn o200k() -> anyhow::Result<Self> {
        let encoder = tiktoken_rs::o200k_base()?;
        let mut specials = Vec::new();
        for name in encoder.special_tokens() {
            let ids = encoder.encode_with_special_tokens(name);
            let [id] = ids[..] else { bail!("{name} is {} tokens", ids.len()) };
            specials.push((id, name.to_owned()));
        }
        specials.sort();
        let count = specials.last().map_or(0, |(id, _)| *id);
        let mut tokens = Vec::new();
        for id in (0..count).filter(|id| specials.iter().all(|(special, _)| special != id)) {
            // Some ids below the greatest have no token.
            if let Ok(bytes) = encoder.decode_bytes(&[id]) {
                tokens.push((id, bytes));
            }
        }
        let end = end_of(&specials).context("o200k has no end of text")?;
        Ok(Self {
            name: "o200k".to_owned(),
            tokens,
            specials,
            end,
            encoder: Some(encoder),
            ids: OnceLock::new(),
        })
    }

    fn from_file(path: &str) -> anyhow::Result<Self> {
        let bytes = std::fs::read(path).with_context(|| path.to_owned())?;
        let vocabulary = grammask::loaders::load(&bytes, &Default::default())?;
        let tokens: Vec<_> = vocabulary.tokens().map(|(id, bytes)| (id.0, bytes.to_vec())).collect();
        let mut specials: Vec<_> = vocabulary.specials().map(|(id, name)| (id.0, name.to_owned())).collect();
        let name = std::path::Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let (ordinary, special, end) = LLAMA3;
        if specials.is_empty() && vocabulary.id_count() == ordinary as usize && name.contains("llama3") {
            let title = |id| {
                if id == end { END_NAMES[1].to_owned() } else { format!("<|special {}|>", id - ordinary) }
            };
            let specials = (ordinary..ordinary + special).map(|id| (id, title(id))).collect();
            let ranks = tokens.iter().map(|(id, bytes)| (bytes.clone(), *id)).collect();
            let encoder = Some(CoreBPE::new(ranks, FxHashMap::default(), LLAMA3_PIECES)?);
            return Ok(Self { name, tokens, specials, end, encoder, ids: OnceLock::new() });
        }
        let end = match end_of(&specials) {
            Some(end) => end,
            None => {
                // A tiktoken file has no special tokens.
                let id = u32::try_from(vocabulary.id_count())?;
                specials.push((id, END_NAMES[0].to_owned()));
                id
            }
        };
        Ok(Self { name, tokens, specials, end, encoder: None, ids: OnceLock::new() })
    }
}

fn end_of(specials: &[(u32, String)]) -> Option<u32> {
    END_NAMES.iter().find_map(|end| specials.iter().find(|(_, name)| name == end)).map(|(id, _)| *id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_tokens() {
        let words = Words::of_bytes();
        assert_eq!((words.id_count(), words.bytes(255)), (257, &[255][..]));
        assert_eq!(words.encode("aé").ok(), Some(vec![97, 0xc3, 0xa9]));
        assert_eq!(words.specials, [(256, "<|endoftext|>".to_owned())]);
    }

    #[test]
    fn a_smaller_vocabulary_has_the_first_tokens_and_an_end() {
        let words = Words::of_bytes().below(128);
        assert_eq!(
            (words.id_count(), words.end, words.bytes(127), words.bytes(128)),
            (129, 128, &[127][..], &[][..])
        );
        assert_eq!(words.encode("az").ok(), Some(vec![97, 122]));
        assert!(words.encode("é").is_err());
    }

    #[test]
    fn the_pieces_of_llama_are_a_regex() {
        let ranks = (0..=255).map(|byte| (vec![byte], u32::from(byte))).collect();
        let encoder = CoreBPE::new(ranks, FxHashMap::default(), LLAMA3_PIECES).expect("a regex");
        assert_eq!(encoder.encode_ordinary("it's 12"), b"it's 12".map(u32::from));
    }
}

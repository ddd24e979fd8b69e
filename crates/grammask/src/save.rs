//! Compiled grammars as bytes: a header that says what they are and whether they are whole, and all stages' plain data.

use grammask_earley::{Recognizer, Saved};
use grammask_json_schema::Relaxation;
use grammask_mask::{BindErrors, Ending, Masks, SavedMasks};
use serde::{Deserialize, Serialize};

use crate::{Grammar, Vocabulary};

/// Which of a grammar's tables are saved with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tables {
    /// None: the loaded grammar is as if it had just been compiled.
    #[default]
    Cold,
    /// The states that were seen so far, the steps between them, and their masks: for the loaded grammar they are known. Parts of
    /// masks, which other states share, are not saved, nor is what grammars share through their vocabulary. States of a grammar with `distinct!` hold
    /// what has been written, and are not saved either: such a grammar is saved as if it were cold. So is one with states in which so many items of an
    /// `unordered!` are chosen in so many ways that to check what is saved would take longer than to make it.
    Warm,
}

/// Why bytes are no saved grammar, or not one for this vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The bytes do not begin as a saved grammar does.
    #[error("this is no saved grammar")]
    NotSaved,
    /// Another version of the format.
    #[error("the grammar is saved in version {found} of the format; this is version {supported}")]
    Version {
        /// The version of the bytes.
        found: u32,
        /// The version that can be read.
        supported: u32,
    },
    /// There are fewer bytes than were saved, or more.
    #[error("a saved grammar of {expected} bytes has {found}")]
    Length {
        /// How many bytes there should be.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The bytes are not those that were saved.
    #[error("the saved grammar is damaged: its checksum is wrong")]
    Checksum,
    /// The grammar was compiled for another vocabulary.
    #[error("the grammar is saved for the vocabulary {found:032x}; this is {expected:032x}")]
    Vocabulary {
        /// The [fingerprint](grammask_trie::Vocabulary::fingerprint) of the vocabulary that the grammar was compiled for.
        found: u128,
        /// That of the vocabulary that was given.
        expected: u128,
    },
    /// The checksum is right, but what it protects cannot be a grammar.
    #[error("the saved grammar is damaged: {0}")]
    Damaged(&'static str),
    /// A network, a language or a table breaks an invariant, or exceeds a limit.
    #[error(transparent)]
    Recognizer(#[from] grammask_earley::LoadError),
    /// A mask breaks an invariant.
    #[error(transparent)]
    Masks(#[from] grammask_mask::DamagedMasks),
    /// The grammar or its ending names tokens that the vocabulary does not have.
    #[error(transparent)]
    Bind(#[from] BindErrors),
}

/// What stands behind the header. What is changed here, or in what it is made of, is another version of the format.
#[derive(Serialize, Deserialize)]
struct Body {
    ending: Ending,
    config: grammask_mask::Config,
    recognizer: Saved,
    masks: Option<SavedMasks>,
    relaxations: Vec<Relaxation>,
}

const MAGIC: [u8; 8] = *b"grammask";
const VERSION: u32 = 6;
/// Magic, version, fingerprint of the vocabulary, length of the body, checksum; numbers are little-endian.
const HEADER: usize = 8 + 4 + 16 + 8 + 16;
/// The checksum is of all that comes before it in the header, and of the body's checksum.
const CHECKED: usize = HEADER - 16;

/// Loading may take so many bytes, and so many for each byte that is there.
const ROOM: usize = 64 << 20;
const ROOM_PER_BYTE: usize = 512;

impl Grammar {
    /// The compiled grammar as bytes, for [`load`](Self::load): with its ending and all limits; with [`Tables::Warm`], also what has been
    /// computed for it so far. Equal grammars and tables give equal bytes.
    ///
    /// ```
    /// use grammask::{Config, Grammar, LoadError, Tables, TokenId, Vocabulary};
    ///
    /// let tokens = [(TokenId(0), b"a".to_vec()), (TokenId(1), b"ab".to_vec()), (TokenId(2), b"c".to_vec())];
    /// let vocabulary = Vocabulary::new(tokens, [])?;
    /// let grammar = Grammar::compile("start ::= 'a' 'b'* 'c';", &vocabulary, &Config::default())?;
    /// grammar.matcher().mask();
    /// let bytes = grammar.save(Tables::Warm);
    ///
    /// let loaded = Grammar::load(&bytes, &vocabulary)?;
    /// assert_eq!(loaded.stats().tables.masks, 1);
    /// assert_eq!(loaded.matcher().mask(), grammar.matcher().mask());
    ///
    /// let other = Vocabulary::new([(TokenId(0), b"a".to_vec())], [])?;
    /// assert!(matches!(Grammar::load(&bytes, &other), Err(LoadError::Vocabulary { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    /// Linear in the size of the grammar; with [`Tables::Warm`], also in that of its tables.
    pub fn save(&self, tables: Tables) -> Vec<u8> {
        let masks = self.tables();
        let is_warm = tables == Tables::Warm && masks.recognizer().saves_tables();
        // Masks first: they are of states that the recognizer has by then.
        let saved_masks = is_warm.then(|| masks.save());
        let body = Body {
            ending: masks.ending().clone(),
            config: masks.config().clone(),
            recognizer: masks.recognizer().save(is_warm),
            masks: saved_masks,
            relaxations: self.relaxations().to_vec(),
        };
        let body = postcard::to_allocvec(&body).expect("plain data can be written to memory");
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(self.vocabulary().fingerprint().to_le_bytes());
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(checksum(&bytes, &body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// The grammar that was [saved](Self::save) for this vocabulary, ready to run. It shares with other grammars what they share through the
    /// vocabulary, as a compiled one does.
    ///
    /// Whatever the bytes are, this gives a grammar or an error, with memory in proportion to their length, and so does what
    /// is done with the grammar. The checksum tells of damage, not of malice, and a grammar can be anything anyhow: load only what
    /// you trust. Of tables, everything is computed again but the masks of states, which would take as long as making them.
    ///
    /// # Errors
    /// When the bytes are no saved grammar, are of another version, or damaged; or when they were saved for another vocabulary.
    ///
    /// # Complexity
    /// Linear in the number of bytes; automata of texts are built as when they were compiled first.
    pub fn load(bytes: &[u8], vocabulary: &Vocabulary) -> Result<Self, LoadError> {
        let body = open(bytes, vocabulary)?;
        let (body, rest): (Body, &[u8]) = postcard::take_from_bytes(body)
            .map_err(|_| LoadError::Damaged("it does not have the form of one"))?;
        if !rest.is_empty() {
            return Err(LoadError::Damaged("something stands behind it"));
        }
        let room = bytes.len().saturating_mul(ROOM_PER_BYTE).saturating_add(ROOM);
        let recognizer = Recognizer::load(&body.recognizer, room)?;
        let masks = Masks::new(recognizer, vocabulary.lexicon_to_compile(), &body.ending, &body.config)?;
        if let Some(saved) = &body.masks {
            masks.load(saved, room)?;
        }
        Ok(Self::from_masks(masks, vocabulary).with_relaxations(body.relaxations))
    }
}

/// What stands behind the header, if that is right.
fn open<'b>(bytes: &'b [u8], vocabulary: &Vocabulary) -> Result<&'b [u8], LoadError> {
    let rest = bytes.strip_prefix(&MAGIC).ok_or(LoadError::NotSaved)?;
    let incomplete = LoadError::Length { expected: HEADER as u64, found: bytes.len() as u64 };
    let header = (|| {
        let (version, rest) = rest.split_first_chunk()?;
        let (fingerprint, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (sum, body) = rest.split_first_chunk()?;
        let numbers =
            (u128::from_le_bytes(*fingerprint), u64::from_le_bytes(*length), u128::from_le_bytes(*sum));
        Some((u32::from_le_bytes(*version), numbers, body))
    })();
    let (version, (found, length, sum), body) = header.ok_or(incomplete)?;
    if version != VERSION {
        return Err(LoadError::Version { found: version, supported: VERSION });
    }
    if length != body.len() as u64 {
        let expected = length.saturating_add(HEADER as u64);
        return Err(LoadError::Length { expected, found: bytes.len() as u64 });
    }
    if sum != checksum(&bytes[..CHECKED], body) {
        return Err(LoadError::Checksum);
    }
    let expected = vocabulary.fingerprint();
    if found != expected {
        return Err(LoadError::Vocabulary { found, expected });
    }
    Ok(body)
}

fn checksum(header: &[u8], body: &[u8]) -> u128 {
    let mut checked = header.to_vec();
    checked.extend(grammask_trie::checksum(body).to_le_bytes());
    grammask_trie::checksum(&checked)
}

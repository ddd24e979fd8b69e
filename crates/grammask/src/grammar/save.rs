//! Compiled grammars as bytes: a header with version, vocabulary and checksum, then the plain data of all
//! stages.

use grammask_cache::Shared as SharedTables;
use grammask_earley::{Recognizer, Saved};
use grammask_mask::{BindErrors, Ending, Masks, SavedMasks};
use grammask_work::{Allowance, Stopped, charge, charge_len, within};
use postcard::de_flavors::Flavor;
use serde::{Deserialize, Serialize};

use super::schema_remarks::SchemaRemarks;
use crate::{Config, Grammar, Limits, Vocabulary};

/// The tables that are saved with a grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tables {
    /// None. The loaded grammar is like one that was just compiled.
    #[default]
    Cold,
    /// All states so far, the steps between them, and their masks. Parts of masks that states share are not
    /// saved, nor is the vocabulary's lexicon.
    ///
    /// Some grammars are saved as with [`Cold`](Self::Cold). The states of `distinct!` contain parts of the
    /// text. Those of some `unordered!` would take longer to check than to compute.
    Warm,
}

/// Why bytes are not a saved grammar for this vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The bytes do not begin like a saved grammar.
    #[error("this is not a saved grammar")]
    NotSaved,
    /// The bytes have another version of the format.
    #[error("the grammar is saved in version {found} of the format; this is version {supported}")]
    Version {
        /// The version of the bytes.
        found: u32,
        /// The version that this library reads.
        supported: u32,
    },
    /// There are fewer bytes than were saved, or more.
    #[error("the saved grammar is damaged: it has {found} bytes instead of {expected}")]
    Length {
        /// Length of the saved grammar, in bytes.
        expected: u64,
        /// Number of given bytes.
        found: u64,
    },
    /// The bytes have changed since they were saved.
    #[error("the saved grammar is damaged: its checksum is wrong")]
    Checksum,
    /// The grammar was compiled for another vocabulary.
    #[error("the grammar is saved for the vocabulary {found:032x}, not for {expected:032x}")]
    Vocabulary {
        /// [Fingerprint](grammask_trie::Vocabulary::fingerprint) of the vocabulary that the grammar was
        /// compiled for.
        found: u128,
        /// Fingerprint of the given vocabulary.
        expected: u128,
    },
    /// The checksum is right, but the data cannot be a grammar.
    #[error("the saved grammar is damaged: {0}")]
    Damaged(&'static str),
    /// A network, a regular language or a table violates an invariant, or exceeds a limit.
    #[error(transparent)]
    Recognizer(#[from] grammask_earley::LoadError),
    /// A mask violates an invariant.
    #[error(transparent)]
    Masks(#[from] grammask_mask::DamagedMasks),
    /// The grammar or its ending names tokens that the vocabulary lacks.
    #[error(transparent)]
    Bind(#[from] BindErrors),
    /// Loading was cancelled, or exceeds its limit of work.
    #[error("loading a saved grammar: {0}")]
    Stopped(#[from] Stopped),
    /// The grammars of [`Config::memory`](crate::Config::memory) hold too many bytes.
    #[error(transparent)]
    Memory(#[from] crate::MemoryExceeded),
}

/// The data after the header. A change of this type, or of a type in it, makes a new [`VERSION`].
#[derive(Serialize, Deserialize)]
struct Body {
    ending: Ending,
    limits: Limits,
    mask_limits: grammask_mask::Limits,
    mask_tuning: grammask_mask::Tuning,
    recognizer: Saved,
    masks: Option<SavedMasks>,
    remarks: SchemaRemarks,
}

/// The first bytes of every saved grammar.
pub const SAVED_MAGIC: &[u8; 8] = b"grammask";
const VERSION: u32 = 16;
/// Length of the header, in bytes: magic, version, fingerprint of the vocabulary, length of the body,
/// checksum. Numbers are little-endian.
const HEADER_LEN: usize = 8 + 4 + 16 + 8 + 16;
/// Length of the part of the header before the checksum. The checksum covers this part, and the checksum of
/// the body.
const CHECKED_LEN: usize = HEADER_LEN - 16;

/// Memory that loading any grammar may take, in bytes.
const LOAD_BASE_BYTES: usize = 64 << 20;
/// Memory that loading may take in addition, for each byte of the saved grammar. Beyond both, loading fails,
/// so damaged data cannot exhaust the memory.
const LOAD_BYTES_PER_SAVED_BYTE: usize = 512;

impl Grammar {
    /// Returns the compiled grammar as bytes for [`load`](Self::load), with its ending and limits. With
    /// [`Tables::Warm`], the bytes also contain the states and masks so far. Equal grammars and tables give
    /// equal bytes.
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
    /// Linear in the size of the grammar. With [`Tables::Warm`], also in the size of its tables.
    pub fn save(&self, tables: Tables) -> Vec<u8> {
        let masks = self.tables();
        let is_warm = tables == Tables::Warm && masks.recognizer().saves_tables();
        // Masks first: another thread may add states and masks between the two calls.
        let saved_masks = is_warm.then(|| masks.save());
        let body = Body {
            ending: masks.ending().clone(),
            limits: self.shared.limits,
            mask_limits: masks.config().limits.clone(),
            mask_tuning: masks.config().tuning.clone(),
            recognizer: masks.recognizer().save(is_warm),
            masks: saved_masks,
            remarks: self.shared.remarks.clone(),
        };
        let body = postcard::to_allocvec(&body).expect("plain data can be written to memory");
        let mut bytes = Vec::with_capacity(HEADER_LEN + body.len());
        bytes.extend(SAVED_MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(self.vocabulary().fingerprint().to_le_bytes());
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(checksum(&bytes, &body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// Loads a grammar that was [saved](Self::save) for this vocabulary. It shares the vocabulary's lexicon,
    /// as a compiled grammar does.
    ///
    /// Any bytes give a grammar or an error, with memory in proportion to their length. The checksum detects
    /// damage, not malice: a forged grammar can allow any output, so load grammars from trusted sources only.
    /// All tables are checked except for the masks of states, since checking a mask takes as long as
    /// computing it.
    ///
    /// # Errors
    /// If the bytes are not a saved grammar, have another version, are damaged, or were saved for another
    /// vocabulary.
    ///
    /// # Complexity
    /// Linear in the number of bytes, and in the automata of texts, which are built again.
    pub fn load(bytes: &[u8], vocabulary: &Vocabulary) -> Result<Self, LoadError> {
        let mut config = Config::default();
        config.limits.max_compile_work = u64::MAX;
        Self::load_within(bytes, vocabulary, &config)
    }

    /// Loads a grammar as [`load`](Self::load), within the work, with the cancellation flag and for the
    /// memory budget of a configuration: [`Limits::max_compile_work`], [`Config::cancel`] and
    /// [`Config::memory`]. The other limits of the grammar are those that were saved.
    ///
    /// The steps of [`Tables::Warm`] are computed again, so they can take more work than a compile.
    ///
    /// # Errors
    /// As [`load`](Self::load), and [`LoadError::Stopped`] and [`LoadError::Memory`].
    ///
    /// ```
    /// use grammask::{CancelFlag, Config, Grammar, LoadError, Stopped, Tables, TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], [])?;
    /// let grammar = Grammar::compile("start ::= 'a';", &vocabulary, &Config::default())?;
    /// let bytes = grammar.save(Tables::Cold);
    /// let flag = CancelFlag::new();
    /// let config = Config { cancel: Some(flag.clone()), ..Config::default() };
    /// assert!(Grammar::load_within(&bytes, &vocabulary, &config).is_ok());
    /// flag.cancel();
    /// let stopped = Grammar::load_within(&bytes, &vocabulary, &config).err();
    /// assert_eq!(stopped, Some(LoadError::Stopped(Stopped::Cancelled)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load_within(bytes: &[u8], vocabulary: &Vocabulary, config: &Config) -> Result<Self, LoadError> {
        config.check_memory()?;
        let mut allowance = Allowance::new("max_compile_work", config.limits.max_compile_work);
        allowance.flags.extend(config.cancel.clone());
        let grammar = within(&allowance, || {
            let result = Self::load_counted(bytes, vocabulary);
            match grammask_work::stopped() {
                Some(cause) => Err(cause.into()),
                None => result,
            }
        })?;
        Ok(config.admit(grammar)?)
    }

    fn load_counted(bytes: &[u8], vocabulary: &Vocabulary) -> Result<Self, LoadError> {
        let body = open(bytes, vocabulary)?;
        let mut reader = postcard::Deserializer::from_flavor(CountedBytes { rest: body });
        let body =
            Body::deserialize(&mut reader).map_err(|_| LoadError::Damaged("its data has a wrong form"))?;
        let rest = reader.finalize().map_err(|_| LoadError::Damaged("its data has a wrong form"))?;
        if !rest.is_empty() {
            return Err(LoadError::Damaged("it has more bytes than it needs"));
        }
        let max_bytes = bytes.len().saturating_mul(LOAD_BYTES_PER_SAVED_BYTE).saturating_add(LOAD_BASE_BYTES);
        let recognizer = Recognizer::load(&body.recognizer, max_bytes)?;
        let config = grammask_mask::Config { limits: body.mask_limits, tuning: body.mask_tuning };
        let masks = Masks::new(recognizer, vocabulary.lexicon_to_compile(), &body.ending, &config)?;
        if let Some(saved) = &body.masks {
            masks.load(saved, max_bytes)?;
        }
        Ok(Self::from_tables(SharedTables::new(masks), vocabulary, body.limits).with_remarks(body.remarks))
    }
}

/// Bytes that are charged as they are read.
struct CountedBytes<'b> {
    rest: &'b [u8],
}

impl<'b> Flavor<'b> for CountedBytes<'b> {
    type Remainder = &'b [u8];
    type Source = &'b [u8];

    fn pop(&mut self) -> postcard::Result<u8> {
        charge(1).map_err(|_| postcard::Error::DeserializeUnexpectedEnd)?;
        let (first, rest) = self.rest.split_first().ok_or(postcard::Error::DeserializeUnexpectedEnd)?;
        self.rest = rest;
        Ok(*first)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }

    fn try_take_n(&mut self, count: usize) -> postcard::Result<&'b [u8]> {
        // Bytes that are taken at once are copied fast.
        charge_len(count / 16).map_err(|_| postcard::Error::DeserializeUnexpectedEnd)?;
        let taken = self.rest.split_at_checked(count).ok_or(postcard::Error::DeserializeUnexpectedEnd)?;
        self.rest = taken.1;
        Ok(taken.0)
    }

    fn finalize(self) -> postcard::Result<&'b [u8]> {
        Ok(self.rest)
    }
}

/// Checks the header, and returns the body.
fn open<'b>(bytes: &'b [u8], vocabulary: &Vocabulary) -> Result<&'b [u8], LoadError> {
    let rest = bytes.strip_prefix(SAVED_MAGIC).ok_or(LoadError::NotSaved)?;
    let incomplete = LoadError::Length { expected: HEADER_LEN as u64, found: bytes.len() as u64 };
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
        let expected = length.saturating_add(HEADER_LEN as u64);
        return Err(LoadError::Length { expected, found: bytes.len() as u64 });
    }
    if sum != checksum(&bytes[..CHECKED_LEN], body) {
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

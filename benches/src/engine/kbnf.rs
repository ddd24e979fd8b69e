//! kbnf, in its default configuration.
//!
//! It ends at the first complete text. A sentinel byte after the grammar makes it go on to the end as the
//! others do.

use ahash::AHashMap;
use kbnf::{Config, Engine as KbnfEngine, EngineLike, Token, Vocabulary};

use super::Engine;
use crate::input::case::Case;
use crate::input::vocabulary::Words;
use crate::run::measure::SENTINEL;

/// kbnf.
pub struct Kbnf {
    vocabulary: Vocabulary,
    /// A grammar, and the vocabulary that the engine consumes.
    prepared: Option<(String, Vocabulary)>,
    is_translated: bool,
    engine: Option<KbnfEngine>,
}

impl Kbnf {
    /// Binds it to a vocabulary.
    pub fn new(words: &Words) -> anyhow::Result<Self> {
        let mut tokens = AHashMap::default();
        let mut texts = AHashMap::default();
        for (id, bytes) in &words.tokens {
            tokens.insert(*id, Token(bytes.clone().into_boxed_slice()));
            texts.insert(*id, String::from_utf8_lossy(bytes).into_owned());
        }
        let vocabulary = Vocabulary::new(tokens, texts)?;
        Ok(Self { vocabulary, prepared: None, is_translated: false, engine: None })
    }

    fn engine(&mut self) -> Result<&mut KbnfEngine, String> {
        self.engine.as_mut().ok_or_else(|| "nothing is compiled".to_owned())
    }
}

impl Engine for Kbnf {
    fn prepare(&mut self, case: &Case, _: &[u32]) -> Result<(), String> {
        self.engine = None;
        self.is_translated = case.old_kbnf.is_some();
        let grammar = case.old_kbnf.as_ref().unwrap_or(&case.kbnf);
        let ended = format!("{grammar}\nbench_start ::= start '\\u{:04x}';\n", SENTINEL);
        self.prepared = Some((ended, self.vocabulary.clone()));
        Ok(())
    }

    fn compile(&mut self) -> Result<(), String> {
        let (grammar, vocabulary) = self.prepared.take().ok_or("not prepared")?;
        let config = Config { start_nonterminal: "bench_start".to_owned(), ..Config::default() };
        let engine = KbnfEngine::with_config(&grammar, vocabulary, config);
        self.engine =
            Some(engine.map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())?);
        Ok(())
    }

    fn restart(&mut self) -> Result<(), String> {
        self.engine()?.reset();
        Ok(())
    }

    fn mask(&mut self, row: &mut [u32]) -> Result<(), String> {
        let engine = self.engine()?;
        engine.compute_allowed_token_ids();
        row.fill(0);
        let words = engine.allowed_token_ids_from_last_computation().as_slice();
        // A block has the width of a pointer here, and of a word in the row.
        const { assert!(usize::BITS == 64) }
        for (pair, block) in row.chunks_mut(2).zip(words) {
            for (half, word) in pair.iter_mut().enumerate() {
                *word = (*block >> (32 * half)) as u32;
            }
        }
        Ok(())
    }

    fn accept(&mut self, token: u32) -> Result<(), String> {
        self.engine()?.try_accept_new_token(token).map(drop).map_err(|error| error.to_string())
    }

    fn table_bytes(&self) -> Option<usize> {
        None
    }

    fn note(&self) -> Option<String> {
        self.is_translated
            .then(|| "reads a translation of the grammar, as it does not know all of KBNF here".to_owned())
    }
}

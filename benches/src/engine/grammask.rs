//! grammask, through its facade.

use std::sync::Arc;

use grammask::{Config, Grammar, Matcher, TokenId, Vocabulary};

use super::Engine;
use crate::case::Case;
use crate::vocabulary::Words;

/// grammask.
pub struct Grammask {
    vocabulary: Arc<Vocabulary>,
    config: Config,
    text: String,
    matcher: Option<Matcher>,
}

impl Grammask {
    /// Binds it to a vocabulary.
    pub fn new(words: &Words) -> anyhow::Result<Self> {
        let vocabulary = Arc::new(words.vocabulary()?);
        let config = Config::default().ending_with([TokenId(words.end)]);
        Ok(Self { vocabulary, config, text: String::new(), matcher: None })
    }

    fn matcher(&mut self) -> Result<&mut Matcher, String> {
        self.matcher.as_mut().ok_or_else(|| "nothing is compiled".to_owned())
    }
}

impl Engine for Grammask {
    fn prepare(&mut self, case: &Case) -> Result<(), String> {
        self.matcher = None;
        self.text.clone_from(&case.kbnf);
        Ok(())
    }

    fn compile(&mut self) -> Result<(), String> {
        let grammar = Grammar::compile(&self.text, &self.vocabulary, &self.config);
        self.matcher = Some(grammar.map_err(|error| error.to_string())?.matcher());
        Ok(())
    }

    fn restart(&mut self) -> Result<(), String> {
        self.matcher()?.reset();
        Ok(())
    }

    fn mask(&mut self, row: &mut [u32]) -> Result<(), String> {
        let matcher = self.matcher()?;
        matcher.fill_mask(row).map_err(|error| error.to_string())?;
        matcher.error().map_or(Ok(()), |error| Err(error.to_string()))
    }

    fn accept(&mut self, token: u32) -> Result<(), String> {
        let outcome = self.matcher()?.accept(TokenId(token));
        if outcome.is_accepted() { Ok(()) } else { Err(outcome.to_string()) }
    }

    fn table_bytes(&self) -> Option<usize> {
        self.matcher.as_ref().map(|matcher| matcher.grammar().stats().tables.bytes)
    }

    fn note(&self) -> Option<String> {
        None
    }
}

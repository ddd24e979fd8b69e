//! grammask, through its facade.

use grammask::json_schema::Profile;
use grammask::{Config, Grammar, LexiconConfig, Matcher, TokenId, Vocabulary};

use super::Engine;
use crate::input::case::Case;
use crate::input::vocabulary::Words;

/// grammask.
pub struct Grammask {
    /// The tokens. Grammars use a copy that shares no lexicon with it.
    words: Vocabulary,
    /// True if the vocabulary serves another grammar first.
    is_warm: bool,
    prepared: Vocabulary,
    config: Config,
    text: String,
    matcher: Option<Matcher>,
}

impl Grammask {
    /// Binds it to a vocabulary.
    ///
    /// # Errors
    /// If the vocabulary exceeds a limit.
    pub fn new(words: &Words, is_warm: bool) -> anyhow::Result<Self> {
        let vocabulary = words.vocabulary()?;
        Ok(Self {
            is_warm,
            prepared: vocabulary.clone(),
            words: vocabulary,
            config: config(words),
            text: String::new(),
            matcher: None,
        })
    }

    fn matcher(&mut self) -> Result<&mut Matcher, String> {
        self.matcher.as_mut().ok_or_else(|| "nothing is compiled".to_owned())
    }
}

/// Returns the configuration of all grammars.
pub fn config(words: &Words) -> Config {
    Config::default().with_profile(Profile::Standard).ending_with([TokenId(words.end)])
}

/// Returns the same tokens with an empty lexicon.
pub fn unused(vocabulary: &Vocabulary) -> Vocabulary {
    vocabulary.with_lexicon(&LexiconConfig::default())
}

/// Returns the same tokens with the lexicon of a grammar that has followed a text.
///
/// # Errors
/// If the grammar does not compile, or refuses the text.
pub fn used(
    vocabulary: &Vocabulary,
    config: &Config,
    kbnf: &str,
    tokens: &[u32],
) -> Result<Vocabulary, String> {
    let vocabulary = unused(vocabulary);
    let grammar = Grammar::compile(kbnf, &vocabulary, config).map_err(|error| error.to_string())?;
    let mut matcher = grammar.matcher();
    for (place, &token) in tokens.iter().enumerate() {
        let _ = matcher.mask();
        let outcome = matcher.accept(TokenId(token));
        if !outcome.is_accepted() {
            return Err(format!("token {place}: {outcome}"));
        }
    }
    Ok(vocabulary)
}

impl Engine for Grammask {
    fn prepare(&mut self, case: &Case, tokens: &[u32]) -> Result<(), String> {
        self.matcher = None;
        self.text.clone_from(&case.kbnf);
        self.prepared = if self.is_warm {
            used(&self.words, &self.config, &case.kbnf, tokens)?
        } else {
            unused(&self.words)
        };
        Ok(())
    }

    fn compile(&mut self) -> Result<(), String> {
        let grammar = Grammar::compile(&self.text, &self.prepared, &self.config);
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

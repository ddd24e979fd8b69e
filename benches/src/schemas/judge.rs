//! The interface of engines for JSON Schema.

use std::hint::black_box;
use std::ops::ControlFlow;

use grammask::{Config, Error, Grammar, Matcher, TokenId, Vocabulary, WarmLimits};
use grammask_json_schema::Reason;
use serde_json::Value;

use crate::input::vocabulary::Words;

/// The reason of a refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refusal {
    /// Keyword that is refused. Empty if the engine does not say.
    pub keyword: String,
    /// Reason in one line, without positions, so that equal reasons are counted together.
    pub reason: String,
    /// True if no document is valid.
    pub is_empty: bool,
    /// Message of the engine.
    pub message: String,
}

/// An engine that is bound to a vocabulary and judges documents.
pub trait Judge {
    /// Returns the name of the engine.
    fn name(&self) -> &'static str;

    /// Drops the last schema and takes another one. The time does not count.
    fn prepare(&mut self, schema: &Value);

    /// Compiles the schema, up to the first mask.
    fn compile(&mut self) -> Result<(), Refusal>;

    /// Computes the mask.
    fn mask(&mut self) -> Result<(), String>;

    /// Returns `true` if the last mask allows a token.
    fn allows(&mut self, token: u32) -> bool;

    /// Accepts a token.
    fn accept(&mut self, token: u32) -> Result<(), String>;

    /// Starts another document on the schema that was compiled, with a matcher of its own. Returns `false` if
    /// nothing is compiled.
    fn start_document(&mut self) -> bool;

    /// Returns to the beginning and keeps all tables. Returns `false` if the engine cannot.
    fn restart(&mut self) -> bool;

    /// Writes the mask into a row.
    fn fill(&mut self, row: &mut [u32]);

    /// Returns the number of parts of the schema that are weakened, if the engine says so.
    fn relaxations(&self) -> usize;

    /// Returns the number of trie nodes visited so far, if the engine counts them.
    fn nodes(&self) -> u64 {
        0
    }

    /// Returns the number of bytes of a text that are accepted one by one. Returns `None` if the engine
    /// cannot say.
    fn live_bytes(&mut self, text: &[u8]) -> Option<usize>;
}

/// grammask.
pub struct Ours {
    vocabulary: Vocabulary,
    config: Config,
    schema: Value,
    matcher: Option<Matcher>,
}

impl Ours {
    /// Returns grammask with a vocabulary, whose lexicon all schemas share.
    pub fn new(vocabulary: &Vocabulary, config: Config) -> Self {
        Self { vocabulary: vocabulary.clone(), config, schema: Value::Null, matcher: None }
    }

    fn matcher(&mut self) -> Result<&mut Matcher, String> {
        self.matcher.as_mut().ok_or_else(|| "nothing is compiled".to_owned())
    }
}

impl Judge for Ours {
    fn name(&self) -> &'static str {
        "grammask"
    }

    fn prepare(&mut self, schema: &Value) {
        self.matcher = None;
        self.schema.clone_from(schema);
    }

    fn compile(&mut self) -> Result<(), Refusal> {
        let grammar = Grammar::from_json_schema(&self.schema, &self.vocabulary, &self.config);
        self.matcher = Some(grammar.map_err(|error| refusal(&error))?.matcher());
        Ok(())
    }

    fn mask(&mut self) -> Result<(), String> {
        let matcher = self.matcher()?;
        black_box(matcher.mask());
        matcher.error().map_or(Ok(()), |error| Err(error.to_string()))
    }

    fn allows(&mut self, token: u32) -> bool {
        self.matcher.as_mut().is_some_and(|matcher| matcher.mask().allows(TokenId(token)))
    }

    fn accept(&mut self, token: u32) -> Result<(), String> {
        let outcome = self.matcher()?.accept(TokenId(token));
        if outcome.is_accepted() { Ok(()) } else { Err(outcome.to_string()) }
    }

    fn start_document(&mut self) -> bool {
        self.matcher = self.matcher.take().map(|matcher| matcher.grammar().matcher());
        self.matcher.is_some()
    }

    fn restart(&mut self) -> bool {
        self.matcher.as_mut().map(Matcher::reset).is_some()
    }

    fn fill(&mut self, row: &mut [u32]) {
        if let Some(matcher) = &mut self.matcher {
            let _ = black_box(matcher.fill_mask(row));
        }
    }

    fn relaxations(&self) -> usize {
        self.matcher.as_ref().map_or(0, |matcher| matcher.grammar().relaxations().len())
    }

    fn nodes(&self) -> u64 {
        let of_rules = self.matcher.as_ref().map_or(0, |matcher| matcher.grammar().stats().tables.nodes);
        of_rules + self.vocabulary.stats().nodes
    }

    fn live_bytes(&mut self, text: &[u8]) -> Option<usize> {
        let matcher = self.matcher.as_mut()?;
        matcher.reset();
        Some(text.chunks(1).take_while(|byte| matcher.accept_bytes(byte).is_accepted()).count())
    }
}

/// Returns the reason of an error that compiling a schema ended with.
pub(crate) fn refusal(error: &Error) -> Refusal {
    let message = error.to_string();
    match error {
        Error::JsonSchema(error) => {
            let kind = match &error.reason {
                Reason::Invalid(_) => "invalid: ",
                Reason::Unsatisfiable(_) => "unsatisfiable: ",
                _ => "",
            };
            let reason = match &error.reason {
                Reason::Invalid(what) | Reason::Unsupported(what) | Reason::Unsatisfiable(what) => {
                    what.clone()
                }
                other => other.to_string(),
            };
            let is_empty = matches!(error.reason, Reason::Unsatisfiable(_));
            Refusal { keyword: error.keyword.clone(), reason: format!("{kind}{reason}"), is_empty, message }
        }
        _ => Refusal { keyword: "(grammar)".to_owned(), reason: shape(&message), is_empty: false, message },
    }
}

/// Returns the first line of a message without the parts of one schema: numbers and quoted text.
pub(crate) fn shape(message: &str) -> String {
    let mut shape = String::new();
    let mut quote = None;
    for character in message.lines().next().unwrap_or_default().chars().take(200) {
        match (quote, character) {
            (Some(open), close) if open == close => {
                quote = None;
                shape.push('…');
                shape.push(close);
            }
            (Some(_), _) => {}
            (None, '"' | '`') => {
                quote = Some(character);
                shape.push(character);
            }
            (None, '0'..='9') if shape.ends_with('#') => {}
            (None, '0'..='9') => shape.push('#'),
            (None, character) => shape.push(character),
        }
    }
    shape
}

/// Computes the tables that schemas have in common, as a server does when it starts.
///
/// # Errors
/// If a limit of the configuration is too low for it.
pub fn warm(vocabulary: &Vocabulary, config: &Config) -> Result<(), Error> {
    let limits = WarmLimits { states: 500, ..WarmLimits::default() };
    vocabulary.warm_json_schemas(config, &limits, |_| ControlFlow::Continue(()))?;
    Ok(())
}

/// Returns all engines, bound to a vocabulary.
///
/// # Errors
/// If an engine refuses the vocabulary.
pub fn judges(
    words: &Words,
    vocabulary: &Vocabulary,
    config: &Config,
    has_peers: bool,
) -> anyhow::Result<Vec<Box<dyn Judge>>> {
    let mut judges: Vec<Box<dyn Judge>> = vec![Box::new(Ours::new(vocabulary, config.clone()))];
    if has_peers {
        judges.extend(peer(words)?);
    }
    Ok(judges)
}

/// Returns llguidance, bound to the vocabulary. Returns `None` if this build has no feature `peers`.
///
/// # Errors
/// If llguidance refuses the vocabulary.
#[cfg(feature = "peers")]
pub fn peer(words: &Words) -> anyhow::Result<Option<Box<dyn Judge>>> {
    Ok(Some(Box::new(crate::engine::llguidance::LlJudge::new(words)?)))
}

/// Returns llguidance, bound to the vocabulary. Returns `None` if this build has no feature `peers`.
///
/// # Errors
/// If llguidance refuses the vocabulary.
#[cfg(not(feature = "peers"))]
pub fn peer(_: &Words) -> anyhow::Result<Option<Box<dyn Judge>>> {
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_messages_have_one_shape() {
        let one = shape("property \"a\" at line 12 is `no` good\nat all");
        assert_eq!(one, shape("property \"b c\" at line 7 is `yes` good"));
        assert_ne!(one, shape("property \"a\" at line 12 is good"));
    }
}

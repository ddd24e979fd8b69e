//! What each engine is asked to do with a schema, in the same words.

use std::hint::black_box;
use std::ops::ControlFlow;

use grammask::{Config, Error, Grammar, Matcher, TokenId, Vocabulary, WarmLimits};
use grammask_json_schema::Reason;
use serde_json::Value;

use crate::vocabulary::Words;

/// Why a schema is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refusal {
    /// Which keyword is to blame; empty where the engine does not tell.
    pub keyword: String,
    /// The reason, in a line and without place, so that like is counted with like.
    pub reason: String,
    /// Whether it says that no document is valid.
    pub is_empty: bool,
    /// All that the engine tells.
    pub message: String,
}

/// An engine that is bound to a vocabulary, and judges documents.
pub trait Judge {
    /// What it is called.
    fn name(&self) -> &'static str;

    /// Forgets everything and takes a schema; the time does not count.
    fn prepare(&mut self, schema: &Value);

    /// Compiles the schema anew; ready for the first mask.
    fn compile(&mut self) -> Result<(), Refusal>;

    /// Computes the mask.
    fn mask(&mut self) -> Result<(), String>;

    /// Whether the mask that was computed last allows a token.
    fn allows(&mut self, token: u32) -> bool;

    /// Accepts a token.
    fn accept(&mut self, token: u32) -> Result<(), String>;

    /// Starts another document on the schema that was compiled, with a matcher of its own. Returns `false` if nothing is
    /// compiled.
    fn start_document(&mut self) -> bool;

    /// Goes back to the beginning with all that was learnt, where the engine keeps it; whether it does.
    fn restart(&mut self) -> bool;

    /// Writes the mask into a row.
    fn fill(&mut self, row: &mut [u32]);

    /// How many parts of the schema that is compiled it does not hold documents to, where it tells.
    fn relaxations(&self) -> usize;

    /// How many nodes of the trie it has looked at, all in all, where it counts them.
    fn nodes(&self) -> u64 {
        0
    }

    /// How many bytes of a text the engine takes, one by one, where it can tell.
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
    /// With a vocabulary, which keeps what it learns from one schema to the next.
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

fn refusal(error: &Error) -> Refusal {
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

/// The first line of a message without what stands in it of one schema: numbers and what is in quotes.
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

/// Computes what schemas have in common, as a server does when it starts.
///
/// # Errors
/// When a limit of the configuration is too low for it.
pub fn warm(vocabulary: &Vocabulary, config: &Config) -> Result<(), Error> {
    let limits = WarmLimits { states: 500, ..WarmLimits::default() };
    vocabulary.warm_json_schemas(config, &limits, |_| ControlFlow::Continue(()))?;
    Ok(())
}

/// All engines that are to be asked, of this vocabulary.
///
/// # Errors
/// When one cannot be bound to it.
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

//! llguidance, through its `Matcher`.
//!
//! The environment of the tokenizer and the slices are made once and do not count.

use std::sync::Arc;

use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};
use toktrie::{ApproximateTokEnv, SimpleVob, TokEnv, TokRxInfo, TokTrie};

use serde_json::Value;

use super::Engine;
use crate::input::case::Case;
use crate::input::vocabulary::Words;
use crate::schemas::judge::{Judge, Refusal, shape};

/// llguidance.
pub struct LlGuidance {
    factory: ParserFactory,
    grammar: Option<TopLevelGrammar>,
    matcher: Option<Matcher>,
}

impl LlGuidance {
    /// Binds it to a vocabulary.
    pub fn new(words: &Words) -> anyhow::Result<Self> {
        let factory = factory(words)?;
        Ok(Self { factory, grammar: None, matcher: None })
    }

    fn matcher(&mut self) -> Result<&mut Matcher, String> {
        self.matcher.as_mut().ok_or_else(|| "nothing is compiled".to_owned())
    }
}

impl Engine for LlGuidance {
    fn prepare(&mut self, case: &Case, _: &[u32]) -> Result<(), String> {
        self.matcher = None;
        let lark = case.lark.clone().ok_or("there is no Lark form of this grammar")?;
        self.grammar = Some(TopLevelGrammar::from_lark(lark));
        Ok(())
    }

    fn compile(&mut self) -> Result<(), String> {
        let grammar = self.grammar.take().ok_or("not prepared")?;
        let matcher = Matcher::new(self.factory.create_parser(grammar));
        if let Some(error) = matcher.get_error() {
            return Err(first_line(&error));
        }
        self.matcher = Some(matcher);
        Ok(())
    }

    fn restart(&mut self) -> Result<(), String> {
        self.matcher()?.reset().map_err(|error| first_line(&error.to_string()))
    }

    fn mask(&mut self, row: &mut [u32]) -> Result<(), String> {
        let mask = self.matcher()?.compute_mask().map_err(|error| first_line(&error.to_string()))?;
        let words = mask.as_slice();
        let (written, rest) = row.split_at_mut(words.len().min(row.len()));
        written.copy_from_slice(&words[..written.len()]);
        rest.fill(0);
        Ok(())
    }

    fn accept(&mut self, token: u32) -> Result<(), String> {
        self.matcher()?.consume_token(token).map_err(|error| first_line(&error.to_string()))
    }

    fn table_bytes(&self) -> Option<usize> {
        None
    }

    fn note(&self) -> Option<String> {
        None
    }
}

/// Creates the factory that all grammars of a vocabulary share.
fn factory(words: &Words) -> anyhow::Result<ParserFactory> {
    let mut tokens = vec![Vec::new(); words.id_count()];
    for (id, bytes) in &words.tokens {
        tokens[*id as usize].clone_from(bytes);
    }
    for (id, name) in &words.specials {
        // This engine marks special tokens by this byte.
        tokens[*id as usize] = [&[TokTrie::SPECIAL_TOKEN_MARKER], name.as_bytes()].concat();
    }
    let trie = TokTrie::from(&TokRxInfo::new(u32::try_from(tokens.len())?, words.end), &tokens);
    let environment: TokEnv = Arc::new(ApproximateTokEnv::new(trie));
    let mut factory = ParserFactory::new_simple(&environment)?;
    factory.quiet();
    Ok(factory)
}

/// llguidance with JSON Schemas, in its default configuration.
pub(crate) struct LlJudge {
    factory: ParserFactory,
    grammar: Option<TopLevelGrammar>,
    matcher: Option<Matcher>,
    /// The matcher as it was before the first document.
    pristine: Option<Matcher>,
    mask: Option<SimpleVob>,
}

impl LlJudge {
    /// Binds it to a vocabulary.
    pub(crate) fn new(words: &Words) -> anyhow::Result<Self> {
        Ok(Self { factory: factory(words)?, grammar: None, matcher: None, pristine: None, mask: None })
    }

    fn matcher(&mut self) -> Result<&mut Matcher, String> {
        self.matcher.as_mut().ok_or_else(|| "nothing is compiled".to_owned())
    }
}

impl Judge for LlJudge {
    fn name(&self) -> &'static str {
        "llguidance"
    }

    fn prepare(&mut self, schema: &Value) {
        self.matcher = None;
        self.pristine = None;
        self.mask = None;
        self.grammar = Some(TopLevelGrammar::from_json_schema(schema.clone()));
    }

    fn compile(&mut self) -> Result<(), Refusal> {
        let Some(grammar) = self.grammar.take() else { return Err(Refusal::default()) };
        let matcher = Matcher::new(self.factory.create_parser(grammar));
        if let Some(error) = matcher.get_error() {
            let message = first_line(&error);
            // Unknown keywords are a list, as in `Unimplemented keys: ["not", "if"]`.
            let keywords =
                message.strip_prefix("Unimplemented keys: [").and_then(|rest| rest.strip_suffix(']'));
            let keyword = keywords.unwrap_or_default().replace('"', "");
            return Err(Refusal {
                keyword,
                reason: shape(&message),
                is_empty: message.starts_with("Unsatisfiable"),
                message,
            });
        }
        self.matcher = Some(matcher);
        Ok(())
    }

    fn mask(&mut self) -> Result<(), String> {
        // It stops after the last possible token, and only the end is left.
        let mask = self.matcher()?.compute_mask_or_eos().map_err(|error| first_line(&error.to_string()))?;
        self.mask = Some(mask);
        Ok(())
    }

    fn allows(&mut self, token: u32) -> bool {
        self.mask.as_ref().is_some_and(|mask| mask.is_allowed(token))
    }

    fn accept(&mut self, token: u32) -> Result<(), String> {
        self.matcher()?.consume_token(token).map_err(|error| first_line(&error.to_string()))
    }

    fn start_document(&mut self) -> bool {
        // A plain clone shares the lexer's caches, so later documents find the states of earlier ones.
        self.pristine = self.pristine.take().or_else(|| self.matcher.take());
        self.matcher = self.pristine.clone();
        self.matcher.is_some()
    }

    fn restart(&mut self) -> bool {
        false
    }

    fn fill(&mut self, _: &mut [u32]) {}

    fn relaxations(&self) -> usize {
        0
    }

    fn live_bytes(&mut self, _: &[u8]) -> Option<usize> {
        None
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

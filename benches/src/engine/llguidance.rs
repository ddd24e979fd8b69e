//! llguidance, through its `Matcher`. The tokenizer's environment and the slices are made once and do not count.

use std::sync::Arc;

use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};
use toktrie::{ApproximateTokEnv, TokEnv, TokRxInfo, TokTrie};

use super::Engine;
use crate::case::Case;
use crate::vocabulary::Words;

/// llguidance.
pub struct LlGuidance {
    factory: ParserFactory,
    grammar: Option<TopLevelGrammar>,
    matcher: Option<Matcher>,
}

impl LlGuidance {
    /// Binds it to a vocabulary.
    pub fn new(words: &Words) -> anyhow::Result<Self> {
        let mut tokens = vec![Vec::new(); words.id_count()];
        for (id, bytes) in &words.tokens {
            tokens[*id as usize].clone_from(bytes);
        }
        for (id, name) in &words.specials {
            // How this engine tells special tokens from others.
            tokens[*id as usize] = [&[TokTrie::SPECIAL_TOKEN_MARKER], name.as_bytes()].concat();
        }
        let trie = TokTrie::from(&TokRxInfo::new(u32::try_from(tokens.len())?, words.end), &tokens);
        let environment: TokEnv = Arc::new(ApproximateTokEnv::new(trie));
        let mut factory = ParserFactory::new_simple(&environment)?;
        factory.quiet();
        Ok(Self { factory, grammar: None, matcher: None })
    }

    fn matcher(&mut self) -> Result<&mut Matcher, String> {
        self.matcher.as_mut().ok_or_else(|| "nothing is compiled".to_owned())
    }
}

impl Engine for LlGuidance {
    fn prepare(&mut self, case: &Case, _: &[u32]) -> Result<(), String> {
        self.matcher = None;
        let lark = case.lark.clone().ok_or("nobody has written this grammar in Lark")?;
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

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

//! Shortest completions with tables of their own, which are replaced within their budget.

use std::sync::Arc;

use grammask_earley::{CompletionLimits, CompletionStep, Config, Error, Network, Recognizer, SetId};

/// States of one search for a shortest completion. Beyond it, there is no completion.
const MAX_SEARCHED_STATES: usize = 200_000;

/// Finds shortest completions from the states of a recognizer of its own.
pub(crate) struct ShortestCompletion {
    recognizer: Recognizer,
    search: grammask_earley::ShortestCompletion,
    /// Bytes of the tables below which they are not replaced, even above their budget: a single state may
    /// need more than the budget.
    min_replaced_bytes: usize,
}

impl ShortestCompletion {
    /// Creates a search for a network. Completions of more than `limit` bytes are ignored.
    pub(crate) fn new(network: &Arc<Network>, config: &Config, limit: u64) -> Result<Self, Error> {
        let limits = CompletionLimits { max_bytes: limit, max_states: MAX_SEARCHED_STATES };
        Ok(Self {
            search: grammask_earley::ShortestCompletion::new(network, &limits)?,
            recognizer: Recognizer::new(Arc::clone(network), config),
            min_replaced_bytes: 0,
        })
    }

    /// Returns the state before any text.
    pub(crate) fn initial(&self) -> SetId {
        self.recognizer.initial()
    }

    /// Returns the state after a step.
    pub(crate) fn step(&self, state: SetId, step: CompletionStep) -> Result<SetId, Error> {
        match step {
            CompletionStep::Byte(byte) => self.recognizer.step(state, byte),
            CompletionStep::Special(index) => {
                self.recognizer.step_class(state, self.recognizer.network().class_of_special(index))
            }
        }
    }

    /// Returns the state after some bytes.
    pub(crate) fn step_bytes(&self, state: SetId, bytes: &[u8]) -> Result<SetId, Error> {
        self.recognizer.step_bytes(state, bytes, |_| true)
    }

    /// Replaces the tables if they exceed their budget. Returns the same state in the new tables.
    pub(crate) fn shrink(&mut self, state: SetId) -> Result<SetId, Error> {
        if !self.recognizer.is_over_budget() || self.recognizer.bytes_used() <= self.min_replaced_bytes {
            return Ok(state);
        }
        let fresh = self.recognizer.successor();
        let state = fresh.import(&self.recognizer, state)?;
        self.recognizer = fresh;
        self.min_replaced_bytes = 2 * self.recognizer.bytes_used();
        self.search.clear();
        Ok(state)
    }

    /// Returns the least number of bytes and special tokens that complete the text; 0 if it is complete.
    pub(crate) fn distance(&mut self, state: SetId) -> Result<Option<u64>, Error> {
        self.search.distance(&self.recognizer, state)
    }

    /// Returns the first steps of a shortest completion, at most `max_steps`.
    pub(crate) fn path(&mut self, state: SetId, max_steps: usize) -> Result<Vec<CompletionStep>, Error> {
        self.search.path(&self.recognizer, state, max_steps)
    }
}

#[cfg(test)]
mod tests {
    use grammask_earley::Limits;
    use grammask_regular::Store;

    use super::*;

    #[test]
    fn completions_do_not_depend_on_the_budget() {
        let grammar = "start ::= '[' (start (',' start)*)? ']' | #'[0-9]+';";
        let ast = grammask_syntax::parse(grammar, &Default::default()).unwrap();
        let mut store = Store::new(&Default::default());
        let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
        let network = Network::build(&normal, store, &Default::default()).unwrap();
        let limits = Limits { budget: 1, ..Limits::default() };
        let config = Config { limits, ..Config::default() };
        let mut starved = ShortestCompletion::new(&Arc::new(network), &config, 10_000).unwrap();
        let mut state = starved.initial();
        let mut text = Vec::new();
        for &byte in b"[1,[[" {
            state = starved.shrink(starved.step(state, CompletionStep::Byte(byte)).unwrap()).unwrap();
        }
        while let Some(&CompletionStep::Byte(byte)) = starved.path(state, 1).unwrap().first() {
            text.push(byte);
            state = starved.step(state, CompletionStep::Byte(byte)).unwrap();
            state = starved.shrink(state).unwrap();
        }
        assert_eq!(text, b"]]]");
    }
}

//! What is found before anybody asks, while a grammar is bound to a vocabulary: whoever compiles has time, and whoever waits for a mask has none.
//! Nothing depends on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use grammask_earley::{Error, NetworkNodeId, SetId};

use crate::Masks;

/// Looking for a lexeme among those of the vocabulary takes about as long as walking so many nodes of the trie.
const NODES_PER_LEXEME: u64 = 64;

/// What is worth being found prefetch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prefetch<'a> {
    /// Texts with which outputs probably begin: the masks behind them.
    pub texts: &'a [&'a [u8]],
    /// How long the grammar's lexemes are looked at: as long as walking so many nodes of the trie takes, roughly. A lexeme counts as 64, and what is
    /// walked for it is counted when it has been walked. With 0, only the mask of the first state is found.
    pub nodes: u64,
    /// Once it is true, it ends early.
    pub cancel: Option<&'a Arc<AtomicBool>>,
}

impl Masks {
    /// Finds the mask of the first state, which every output asks for; and of the grammar's lexemes, in the order in which they are met, which
    /// ones of the vocabulary's they are and what they take at the beginning of a token. Masks are the same without.
    ///
    /// Ends early when it is cancelled.
    ///
    /// # Errors
    /// When a limit of the recognizer or of its languages is exceeded: whoever needs what was looked for will be told the same.
    ///
    /// # Complexity
    /// That of one mask, and what `prefetch` says.
    pub fn prefetch(&self, prefetch: &Prefetch<'_>) -> Result<(), Error> {
        self.recognizer.set_cancel_flag(prefetch.cancel.cloned());
        let found = self.prefetch_within(prefetch);
        self.recognizer.set_cancel_flag(None);
        match found {
            Err(Error::Cancelled) => Ok(()),
            found => found,
        }
    }

    fn prefetch_within(&self, prefetch: &Prefetch<'_>) -> Result<(), Error> {
        let is_stopped = || prefetch.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed));
        let first = self.recognizer.initial();
        self.find(first)?;
        if prefetch.nodes == 0 {
            return Ok(());
        }
        for text in prefetch.texts {
            if is_stopped() {
                return Ok(());
            }
            let state = self.step_bytes(first, text)?;
            if state.goes_on() {
                self.find(state)?;
            }
        }
        if !self.config.keep_summaries {
            return Ok(());
        }
        let mut left = prefetch.nodes;
        for node in self.recognizer.inspect().lexeme_starts() {
            if left < NODES_PER_LEXEME || is_stopped() {
                break;
            }
            left -= NODES_PER_LEXEME;
            let node = node?;
            match self.lexeme(node).and_then(|lexeme| self.lexicon.prefetch(lexeme).ok()) {
                Some(nodes) => left = left.saturating_sub(nodes),
                // What vocabularies share has limits of its own, which say nothing about the grammar.
                None => self.find_alone(node)?,
            }
        }
        Ok(())
    }

    /// Finds what a lexeme takes from its beginning, and behind the byte that it begins with, without what vocabularies share.
    fn find_alone(&self, node: NetworkNodeId) -> Result<(), Error> {
        let set = self.recognizer.inspect().open_state(node)?;
        let first = self.recognizer.live_bytes(set)?;
        if let Some(byte) = first.single_byte() {
            let next = self.recognizer.step(set, byte)?;
            self.recognizer.live_bytes(next)?;
        }
        Ok(())
    }

    /// Finds the mask of a state, if masks are kept.
    fn find(&self, state: SetId) -> Result<(), Error> {
        if self.config.keep_masks && self.known(state).is_none() {
            // Nothing is written in which an output would go on.
            self.make(state, &mut self.scratch())?;
        }
        Ok(())
    }
}

//! What is found before anybody asks, while a grammar is bound to a vocabulary: whoever compiles has time, and whoever waits for a mask has none.
//! Nothing depends on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use grammask_earley::SetId;

use crate::Masks;

/// Looking for a lexeme among those of the vocabulary takes about as long as walking so many nodes of the trie.
const LEXEME: u64 = 64;

/// What is worth being found ahead.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ahead<'a> {
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
    /// Ends early when it is cancelled. Where a limit is exceeded, nothing is kept: whoever needs it will be told.
    ///
    /// # Complexity
    /// That of one mask, and what `ahead` says.
    pub fn look_ahead(&self, ahead: &Ahead<'_>) {
        self.recognizer.heed(ahead.cancel.cloned());
        self.look_as_far(ahead);
        self.recognizer.heed(None);
    }

    fn look_as_far(&self, ahead: &Ahead<'_>) {
        let is_stopped = || ahead.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed));
        let first = self.recognizer.initial();
        self.find(first);
        if ahead.nodes == 0 {
            return;
        }
        for text in ahead.texts {
            if is_stopped() {
                return;
            }
            if let Ok(state) = self.step_bytes(first, text)
                && state.goes_on()
            {
                self.find(state);
            }
        }
        if !self.config.keep_parts {
            return;
        }
        let mut left = ahead.nodes;
        for node in self.recognizer.lexeme_starts() {
            if left < LEXEME || is_stopped() {
                break;
            }
            left -= LEXEME;
            let Ok(node) = node else { continue };
            if let Some(lexeme) = self.lexeme(node) {
                left = left.saturating_sub(self.lexicon.look_ahead(lexeme));
            }
        }
    }

    /// Finds the mask of a state, if masks are kept.
    fn find(&self, state: SetId) {
        if self.config.keep_masks && self.known(state).is_none() {
            // Nothing is written in which an output would go on.
            _ = self.make(state, &mut self.scratch());
        }
    }
}

//! What is found before anybody asks, while a grammar is bound to a vocabulary: whoever compiles has time, and whoever waits for a mask has none.
//! Nothing depends on it.

use crate::{Masks, Scratch};

/// Looking for a lexeme among those of the vocabulary takes about as long as walking so many nodes of the trie.
const LEXEME: u64 = 64;

impl Masks {
    /// Finds the mask of the first state, which every output asks for; and of the grammar's lexemes, in the order in which they are met, which
    /// ones of the vocabulary's they are and what they take at the beginning of a token. Masks are the same without.
    ///
    /// Looks at lexemes for about as long as walking `nodes` nodes of the trie takes: each counts as 64, and what is walked for it is counted when it has
    /// been. Ends early when somebody who is asked between two lexemes says so. Where a limit is exceeded, nothing is kept: whoever needs it will be
    /// told.
    ///
    /// # Complexity
    /// That of one mask, and what `nodes` says.
    pub fn look_ahead(&self, nodes: u64, is_stopped: impl Fn() -> bool) {
        let first = self.recognizer.initial();
        if self.config.keep_masks && self.known(first).is_none() {
            // Nothing is written in which an output would go on.
            _ = self.make(first, &mut Scratch::new(self.vocabulary().id_count()));
        }
        if !self.config.keep_parts {
            return;
        }
        let mut left = nodes;
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
}

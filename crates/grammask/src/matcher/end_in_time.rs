//! Outputs that end in time: how many tokens an output needs to its end, and masks within a budget of tokens.

use std::sync::PoisonError;

use grammask_earley::{Error, SetId};
use grammask_mask::{Completions, TokensToEnd};
use grammask_trie::{Mask, RowTooShort};
use grammask_work::{Allowance, Stopped, within};

use crate::{LimitError, Matcher};

impl Matcher {
    /// Returns bounds on the number of tokens that the output needs to its end, an end token included if the
    /// grammar has any. Both are 0 if the output has ended.
    ///
    /// The bounds are equal unless the search exceeds [`Limits::end`](crate::Limits::end).
    ///
    /// If a limit of the recognizer is exceeded, or the call is cancelled, returns 0 and `None`, and
    /// [`error`](Self::error) has the reason.
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary};
    ///
    /// let words = ["[", "]", "]]", "1", ","];
    /// let tokens = (0..5).map(|id| (TokenId(id), words[id as usize].as_bytes().to_vec()));
    /// let vocabulary = Vocabulary::new(tokens, [(TokenId(5), "</s>".into())])?;
    /// let config = Config::default().ending_with([TokenId(5)]);
    /// let grammar = Grammar::compile("start ::= '[' start (',' start)* ']' | '1';", &vocabulary, &config)?;
    /// let mut matcher = grammar.matcher();
    /// // `1` and `</s>`.
    /// assert_eq!(matcher.tokens_to_end().at_most, Some(2));
    /// matcher.accept_bytes(b"[[[1");
    /// // `]`, `]]` and `</s>`.
    /// assert_eq!(matcher.tokens_to_end().at_least, 3);
    /// assert!(matcher.tokens_to_end().is_exact());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    /// The first call for a grammar takes time linear in its network, at most the work of a compile. A call
    /// then takes time linear in the nesting of the output, and the time of the search if the state is new.
    /// Calls for one grammar wait for each other.
    pub fn tokens_to_end(&mut self) -> TokensToEnd {
        let _open = self.prepare();
        if self.position.finished {
            return TokensToEnd { at_least: 0, at_most: Some(0) };
        }
        let found = self.with_completions(Completions::tokens_to_end);
        found.unwrap_or_else(|cause| {
            let _ = self.fail(cause);
            TokensToEnd { at_least: 0, at_most: None }
        })
    }

    /// Returns a number of tokens with which the output can end, the least one unless the search exceeds its
    /// limits: the upper bound of [`tokens_to_end`](Self::tokens_to_end). Returns `None` if no completion is
    /// known.
    pub fn min_tokens_to_end(&mut self) -> Option<u64> {
        self.tokens_to_end().at_most
    }

    /// Writes the mask of the tokens after which the output can still end within `tokens` tokens, the next
    /// one and an end token included. Returns true if there is one.
    ///
    /// A server calls it instead of [`fill_mask`](Self::fill_mask) with the number of tokens that are left,
    /// so that outputs are complete when the budget is spent. After a token of this mask, the mask for
    /// `tokens - 1` is not empty, as long as the grammar's tables are not replaced.
    ///
    /// - A token of the mask is one of `fill_mask`, and a completion after it is known.
    /// - A token is left out though a completion exists only if finding it exceeds
    ///   [`Limits::end`](crate::Limits::end). Short tokens are tried before long ones.
    /// - The row holds zeros if the result is false: `tokens` is too small, or the output has ended.
    ///
    /// If a limit of the recognizer is exceeded, no token is found within
    /// [`EndLimits::max_end_work`](crate::EndLimits::max_end_work), or the call is cancelled, the row holds
    /// zeros, and [`error`](Self::error) has the reason.
    ///
    /// # Errors
    /// If the row has fewer words than the vocabulary's
    /// [`mask_words`](grammask_trie::Vocabulary::mask_words). Nothing is written.
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary};
    ///
    /// let words = ["(", ")", "x"];
    /// let tokens = (0..3).map(|id| (TokenId(id), words[id as usize].as_bytes().to_vec()));
    /// let vocabulary = Vocabulary::new(tokens, [])?;
    /// let grammar = Grammar::compile("start ::= '(' start ')' | 'x';", &vocabulary, &Config::default())?;
    /// let mut row = [0];
    /// // `(x)` has three tokens, `((x))` has five.
    /// assert!(grammar.matcher().fill_mask_within(3, &mut row)?);
    /// assert_eq!(row, [0b101]);
    /// assert!(grammar.matcher().fill_mask_within(2, &mut row)?);
    /// assert_eq!(row, [0b100]);
    /// assert!(!grammar.matcher().fill_mask_within(0, &mut row)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    /// That of [`fill_mask`](Self::fill_mask) if all tokens of a known state leave enough tokens. Otherwise,
    /// a walk over the allowed part of the vocabulary's trie, some milliseconds for 128,000 tokens, and
    /// searches, all within the limits. Calls for one grammar wait for each other.
    pub fn fill_mask_within(&mut self, tokens: u64, row: &mut [u32]) -> Result<bool, RowTooShort> {
        let (needed, given) = (self.tables.vocabulary().mask_words(), row.len());
        if given < needed {
            return Err(RowTooShort { needed, given });
        }
        let _open = self.prepare();
        row.fill(0);
        if self.position.finished {
            return Ok(false);
        }
        let mut mask = Mask::new(self.tables.vocabulary().id_count());
        let found =
            self.with_completions(|completions, state| completions.mask_within(state, tokens, &mut mask));
        match found {
            Ok(is_possible) => {
                let words = mask.as_words();
                row[..words.len()].copy_from_slice(words);
                Ok(is_possible)
            }
            Err(cause) => {
                self.error = Some(LimitError { offset: self.text_len(), cause });
                Ok(false)
            }
        }
    }

    /// Runs a search from the state of the output in the grammar's tables for such searches.
    fn with_completions<T>(
        &self,
        search: impl FnOnce(&mut Completions, SetId) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut slot = self.grammar.completions().lock().unwrap_or_else(PoisonError::into_inner);
        let mut completions = match slot.take() {
            Some(Ok(completions)) => completions,
            Some(Err(error)) => {
                *slot = Some(Err(error.clone()));
                return Err(error);
            }
            None => {
                let limits = self.grammar.limits();
                let allowance = Allowance::new("max_compile_work", limits.max_compile_work);
                match within(&allowance, || Completions::new(&self.tables, &limits.end)) {
                    Ok(completions) => Box::new(completions),
                    Err(error) => {
                        // Another call may not be cancelled, but it would exceed the same limit.
                        if !matches!(error, Error::Cancelled | Error::Stopped(Stopped::Cancelled)) {
                            *slot = Some(Err(error.clone()));
                        }
                        return Err(error);
                    }
                }
            }
        };
        let entered = completions.enter(self.tables.recognizer(), self.position.set);
        let found = entered.and_then(|state| search(&mut completions, state));
        *slot = Some(Ok(completions));
        found
    }
}

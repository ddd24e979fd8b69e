//! Tokens that the grammar forces, as far as the model's own tokenizer gives them for every continuation.

use grammask_trie::{TokenId, TokenizerMismatch};

use crate::{LimitError, Matcher};

/// Why forced tokens cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ForcedError {
    /// The tokenizer's tokens do not spell the text.
    #[error(transparent)]
    Misspelled(#[from] TokenizerMismatch),
    /// A limit is exceeded.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

impl Matcher {
    /// Returns the longest run of tokens that must come next and that the model's own tokenizer gives,
    /// whatever the output continues with. Accepts none of them.
    ///
    /// The run covers the [forced bytes](Self::forced_bytes). If only one token without bytes can follow
    /// them, the run goes on with this token and the bytes forced after it. It ends at a token that the
    /// grammar does not allow since it ends outputs, and at
    /// [`Limits::max_forced`](crate::Limits::max_forced).
    ///
    /// `tokenize` is the model's tokenizer:
    /// - Its input is the output after the last token without bytes, and some forced bytes. The input ends
    ///   inside of a character only if the output must.
    /// - Its result is the tokens of the input. Tokens at the end may be missing.
    /// - If the prompt ends with text rather than with a special token, put this text in front, and remove
    ///   its tokens from the result.
    ///
    /// The last forced bytes may begin a longer token, so their tokens may change with the text that follows.
    /// Such tokens are left out. The method tokenizes the text up to each byte from which a token reaches
    /// beyond the forced bytes. It returns the tokens that all results share. It is empty if a token crosses
    /// the end of the output: then the model has not followed its tokenizer, or was about to pick a longer
    /// token.
    ///
    /// The result is right for a tokenizer whose tokens before a token's end do not depend on the bytes after
    /// it. Byte pair encoding, unigram models and longest match are such tokenizers, also after a split into
    /// words by a regex that looks ahead over white space only.
    ///
    /// # Errors
    /// If the tokens of `tokenize` do not spell its input, or a limit is exceeded.
    ///
    /// # Complexity
    /// No call of `tokenize` if no byte is forced. Otherwise, at most one call for each byte of the longest
    /// token.
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary};
    ///
    /// let words = ["a", "b", "c", "ab", "bc"];
    /// let tokens = (0..5).map(|id| (TokenId(id), words[id as usize].as_bytes().to_vec()));
    /// let vocabulary = Vocabulary::new(tokens, [])?;
    /// // Longest match.
    /// let tokenize = |bytes: &[u8]| {
    ///     let mut tokens = Vec::new();
    ///     let mut rest = bytes;
    ///     while !rest.is_empty() {
    ///         let fits = |id: &u32| rest.starts_with(words[*id as usize].as_bytes());
    ///         let id = (0..5).filter(fits).max_by_key(|&id| words[id as usize].len()).unwrap();
    ///         tokens.push(TokenId(id));
    ///         rest = &rest[words[id as usize].len()..];
    ///     }
    ///     tokens
    /// };
    ///
    /// // "abab" is forced, but its last "b" may begin the token "bc", and then the "a" before it is a token of its own.
    /// let grammar = Grammar::compile("start ::= 'abab' ('c' | 'a');", &vocabulary, &Config::default())?;
    /// assert_eq!(grammar.matcher().forced_tokens(tokenize)?, [TokenId(3)]);
    /// // Here, nothing follows.
    /// let grammar = Grammar::compile("start ::= 'abab';", &vocabulary, &Config::default())?;
    /// assert_eq!(grammar.matcher().forced_tokens(tokenize)?, [TokenId(3), TokenId(3)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forced_tokens(
        &mut self,
        tokenize: impl FnMut(&[u8]) -> Vec<TokenId>,
    ) -> Result<Vec<TokenId>, ForcedError> {
        let _open = self.prepare();
        let forced = self.find_forced(tokenize);
        if let Err(ForcedError::Limit(error)) = &forced {
            self.error = Some(error.clone());
        }
        forced
    }

    /// Alternates between forced bytes, which become stable tokens, and tokens without bytes that are the
    /// only ones allowed.
    fn find_forced(
        &mut self,
        mut tokenize: impl FnMut(&[u8]) -> Vec<TokenId>,
    ) -> Result<Vec<TokenId>, ForcedError> {
        let offset = self.text_len();
        let limit = |cause| ForcedError::Limit(LimitError { offset, cause });
        let max_forced = self.grammar.limits().max_forced;
        let mut text = self.text_since_special();
        let Self { tables, position, scratch, recorder, .. } = self;
        let mut position = *position;
        let mut forced = Vec::new();
        let mut forced_bytes = 0;
        while !position.finished && forced_bytes + forced.len() < max_forced {
            let start = text.len();
            tables.forced_bytes(position.set, max_forced - forced_bytes, &mut text).map_err(limit)?;
            forced_bytes += text.len() - start;
            let after = position.after_bytes(tables, &text[start..]).map_err(limit)?.unwrap_or(position);
            // True if only a token without bytes can follow.
            let ends = after.finished || tables.recognizer().live_bytes(after.set).map_err(limit)?.is_empty();
            let mut end = start;
            for (token, after) in tables.vocabulary().stable_tokens(&text, start, ends, &mut tokenize)? {
                let Some(next) = position.after(tables, token).map_err(limit)? else {
                    return Ok(forced);
                };
                position = next;
                end = after;
                forced.push(token);
            }
            if !ends || end < text.len() || position.finished {
                break;
            }
            let written = position.mask(tables, scratch, recorder).map_err(limit)?;
            let mut allowed = tables.written(written, scratch).iter();
            let (Some(token), None) = (allowed.next(), allowed.next()) else { break };
            let Some(next) = position.after(tables, token).map_err(limit)? else { break };
            position = next;
            forced.push(token);
            text.clear();
        }
        Ok(forced)
    }
}

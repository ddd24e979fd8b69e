//! The tokens of a text that do not depend on the text after it, according to the model's own tokenizer.
//!
//! For example, let `b` and `bc` be tokens and `ab` a text that goes on. The tokenizer cuts `ab` into `a`,
//! `b`, but `abc` into `a`, `bc`. So only `a` is stable.

use std::collections::BTreeSet;

use crate::{TokenId, Vocabulary};

/// The tokens of a tokenizer do not spell the text: it adds or normalizes something, or has another
/// vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{token} does not spell the bytes of the text from byte {offset} on")]
pub struct TokenizerMismatch {
    /// The first wrong token.
    pub token: TokenId,
    /// Byte offset in the text at which it should begin.
    pub offset: usize,
}

impl Vocabulary {
    /// Returns the tokens of `text` from byte `from` on that the tokenizer gives for every continuation of
    /// the text. Each comes with the byte offset of its end. If `is_whole` is true, nothing continues the
    /// text.
    ///
    /// The result is empty if a token crosses `from`. It is right for a tokenizer whose tokens before a
    /// token's end do not depend on the bytes after it. Byte pair encoding, unigram models and longest match
    /// are such tokenizers.
    ///
    /// # Errors
    /// If the tokens of the tokenizer do not spell the text.
    ///
    /// # Complexity
    /// At most one call of `tokenize` for each byte of the longest token, each with a prefix of the text.
    pub fn stable_tokens(
        &self,
        text: &[u8],
        from: usize,
        is_whole: bool,
        mut tokenize: impl FnMut(&[u8]) -> Vec<TokenId>,
    ) -> Result<Vec<(TokenId, usize)>, TokenizerMismatch> {
        if text.len() == from {
            return Ok(Vec::new());
        }
        let cuts = if is_whole { BTreeSet::from([text.len()]) } else { self.possible_cuts(text) };
        // Every stable token ends at the first cut or before it.
        if cuts.first().is_none_or(|&cut| cut <= from) {
            return Ok(Vec::new());
        }
        let mut common: Option<Vec<(TokenId, usize)>> = None;
        for &cut in &cuts {
            let tokens = self.with_token_ends(&text[..cut], tokenize(&text[..cut]))?;
            let common = match &mut common {
                None => common.insert(tokens),
                Some(common) => {
                    let equal = common.iter().zip(&tokens).take_while(|(one, other)| one == other).count();
                    common.truncate(equal);
                    common
                }
            };
            if common.last().is_none_or(|&(_, end)| end <= from) {
                return Ok(Vec::new());
            }
        }
        let common = common.unwrap_or_default();
        let first = common.partition_point(|&(_, end)| end <= from);
        let starts_at_from = if first == 0 { from == 0 } else { common[first - 1].1 == from };
        Ok(if starts_at_from { common[first..].to_vec() } else { Vec::new() })
    }

    /// Returns offsets of the text such that, in every continuation of it, a token ends at one of them. They
    /// are the end of the text, and the start of each token that may extend beyond the end. No offset is
    /// inside a character.
    fn possible_cuts(&self, text: &[u8]) -> BTreeSet<usize> {
        let mut cuts = BTreeSet::new();
        // Ends of characters after which the text may continue inside of a token. The last one is next.
        let mut ends = BTreeSet::from([whole_characters(text)]);
        while let Some(end) = ends.pop_last() {
            cuts.insert(end);
            for start in end.saturating_sub(self.longest_token().saturating_sub(1))..end {
                let trie = self.trie();
                if !trie.find(&text[start..end]).is_some_and(|node| trie.has_children(node)) {
                    continue;
                }
                // A tokenizer of characters cannot read a text that ends inside of one. Its tokens of the
                // text up to the character before hold here only if no token reaches beyond that character.
                match whole_characters(&text[..start]) {
                    whole if whole < start => _ = ends.insert(whole),
                    _ => _ = cuts.insert(start),
                }
            }
        }
        cuts
    }

    /// Adds the end of each token. Together, the tokens must spell a prefix of the text.
    fn with_token_ends(
        &self,
        text: &[u8],
        tokens: Vec<TokenId>,
    ) -> Result<Vec<(TokenId, usize)>, TokenizerMismatch> {
        let mut offset = 0;
        let with_ends = tokens.into_iter().map(|token| {
            let bytes =
                self.bytes(token).filter(|bytes| !bytes.is_empty() && text[offset..].starts_with(bytes));
            offset += bytes.ok_or(TokenizerMismatch { token, offset })?.len();
            Ok((token, offset))
        });
        with_ends.collect()
    }
}

/// Returns the length of a text without an incomplete UTF-8 sequence at its end.
fn whole_characters(text: &[u8]) -> usize {
    for (back, &byte) in (1..=3).zip(text.iter().rev()) {
        let needed = match byte {
            0x80..=0xbf => continue,
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            _ => 1,
        };
        return if needed > back { text.len() - back } else { text.len() };
    }
    text.len()
}

//! Tokens that the grammar forces, as far as the model's own tokenizer would cut the text like that, whatever comes next.

use std::collections::BTreeSet;

use grammask_trie::{TokenId, Vocabulary};

use crate::matcher::MAX_FORCED;
use crate::{LimitError, Matcher};

/// Why forced tokens cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ForcedError {
    /// The tokenizer's tokens do not spell the text: it adds something, normalizes, or belongs to another vocabulary.
    #[error("{token} is not what the text has from byte {offset} on")]
    Misspelled {
        /// The first token that is wrong.
        token: TokenId,
        /// Where it should stand, as a byte offset in the bytes that the tokenizer was given.
        offset: usize,
    },
    /// A limit was hit.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

impl Matcher {
    /// The longest run of tokens that must come next and that the model's own tokenizer would put there, whatever the output goes on with.
    /// Accepts none of them.
    ///
    /// These are tokens of the [forced bytes](Self::forced_bytes), and, where only one token without bytes can follow them, this
    /// token and what is forced after it. It ends after some 65,536, bytes and tokens counted together.
    ///
    /// `tokenize` is the model's tokenizer. It is given the output so far, from the last token without bytes on (as no other token goes
    /// across such a token), followed by some forced bytes: how a text is cut may depend on what stands before. It gives the tokens of
    /// these bytes; tokens at the end may be missing, where it has nothing to say. A caller whose prompt ends with
    /// text, not with a special token, puts this text in front, and takes its tokens off again. The bytes end inside of a character only
    /// where the output must.
    ///
    /// The result are the tokens that `tokenize` gives behind the output so far. It is empty where a token goes across that place: then
    /// the model has left its tokenizer's way, or was about to take a longer token. The last forced bytes
    /// are held back as long as they could be the beginning of a longer token: the text is cut once more at each place from which a token
    /// of the vocabulary reaches beyond the forced bytes, and what all these cuts have in common is what nothing can change. So the result is
    /// right for tokenizers whose tokens in front of a place where one ends do not depend on what follows: byte pair encoding, unigram models
    /// and longest match, with or without a regex that cuts the text into words first and looks ahead over nothing but white space.
    /// A token that the grammar does not allow, as it ends outputs, ends the run.
    ///
    /// # Errors
    /// When the tokens that `tokenize` gives do not spell the bytes that it was given, or a limit is hit.
    ///
    /// # Complexity
    /// Nothing is tokenized where no byte is forced. Else up to one call of `tokenize` for each byte of the longest token, mostly a few, each
    /// over the output since the last token without bytes.
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary};
    ///
    /// let words = ["a", "b", "c", "ab", "bc"];
    /// let tokens = (0..5).map(|id| (TokenId(id), words[id as usize].as_bytes().to_vec()));
    /// let vocabulary = Vocabulary::new(tokens, [])?;
    /// // Takes the longest token each time.
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
    /// // "abab" is forced, but its last "b" may be the beginning of "bc", so the "a" before it may stand alone.
    /// let grammar = Grammar::compile("start ::= 'abab' ('c' | 'a');", &vocabulary, &Config::default())?;
    /// assert_eq!(grammar.matcher().forced_tokens(tokenize)?, [TokenId(3)]);
    /// // Here nothing follows.
    /// let grammar = Grammar::compile("start ::= 'abab';", &vocabulary, &Config::default())?;
    /// assert_eq!(grammar.matcher().forced_tokens(tokenize)?, [TokenId(3), TokenId(3)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forced_tokens(
        &mut self,
        tokenize: impl FnMut(&[u8]) -> Vec<TokenId>,
    ) -> Result<Vec<TokenId>, ForcedError> {
        self.prepare();
        let forced = self.find_forced(tokenize);
        if let Err(ForcedError::Limit(error)) = &forced {
            self.error = Some(error.clone());
        }
        forced
    }

    fn find_forced(
        &mut self,
        mut tokenize: impl FnMut(&[u8]) -> Vec<TokenId>,
    ) -> Result<Vec<TokenId>, ForcedError> {
        let offset = self.text_len();
        let limit = |cause| ForcedError::Limit(LimitError { offset, cause });
        let mut text = self.text_since_special();
        let Self { tables, position, scratch, tally, .. } = self;
        let mut position = *position;
        let mut forced = Vec::new();
        let mut bytes = 0;
        while !position.finished && bytes + forced.len() < MAX_FORCED {
            let known = text.len();
            tables.forced_bytes(position.set, MAX_FORCED - bytes, &mut text).map_err(limit)?;
            bytes += text.len() - known;
            let after = position.after_bytes(tables, &text[known..]).map_err(limit)?.unwrap_or(position);
            // Whether nothing can follow but a token without bytes.
            let ends = after.finished || tables.recognizer().live_bytes(after.set).map_err(limit)?.is_empty();
            let mut end = known;
            for (token, after) in stable_tokens(tables.vocabulary(), &text, known, ends, &mut tokenize)? {
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
            let written = position.mask(tables, scratch, tally).map_err(limit)?;
            let mut follow = tables.written(written, scratch).iter();
            let (Some(token), None) = (follow.next(), follow.next()) else { break };
            let Some(next) = position.after(tables, token).map_err(limit)? else { break };
            position = next;
            forced.push(token);
            text.clear();
        }
        Ok(forced)
    }
}

/// The tokens of the text from byte `known` on, each with its end, as far as they are the same whatever follows. `is_whole`: nothing follows.
fn stable_tokens(
    vocabulary: &Vocabulary,
    text: &[u8],
    known: usize,
    is_whole: bool,
    tokenize: &mut impl FnMut(&[u8]) -> Vec<TokenId>,
) -> Result<Vec<(TokenId, usize)>, ForcedError> {
    if text.len() == known {
        return Ok(Vec::new());
    }
    let cuts = if is_whole { BTreeSet::from([text.len()]) } else { possible_cuts(vocabulary, text) };
    // What nothing can change ends at the first cut at the latest.
    if cuts.first().is_none_or(|&cut| cut <= known) {
        return Ok(Vec::new());
    }
    let mut common: Option<Vec<(TokenId, usize)>> = None;
    for &cut in &cuts {
        let tokens = spell(vocabulary, &text[..cut], tokenize(&text[..cut]))?;
        let common = match &mut common {
            None => common.insert(tokens),
            Some(common) => {
                let same = common.iter().zip(&tokens).take_while(|(one, other)| one == other).count();
                common.truncate(same);
                common
            }
        };
        if common.last().is_none_or(|&(_, end)| end <= known) {
            return Ok(Vec::new());
        }
    }
    let common = common.unwrap_or_default();
    // A token that goes across the end of the output so far is none that can be put there.
    let first = common.partition_point(|&(_, end)| end <= known);
    let starts_there = if first == 0 { known == 0 } else { common[first - 1].1 == known };
    Ok(if starts_there { common[first..].to_vec() } else { Vec::new() })
}

/// Places such that every text that goes on has a token that ends at one of them: the end itself, and wherever a token begins that
/// reaches beyond the end. None is inside of a character.
fn possible_cuts(vocabulary: &Vocabulary, text: &[u8]) -> BTreeSet<usize> {
    let mut cuts = BTreeSet::new();
    // Ends of whole characters, seen from which the text may go on inside of a token; the last ones first.
    let mut ends = BTreeSet::from([whole_characters(text)]);
    while let Some(end) = ends.pop_last() {
        cuts.insert(end);
        for start in end.saturating_sub(vocabulary.longest_token().saturating_sub(1))..end {
            let trie = vocabulary.trie();
            if !trie.find(&text[start..end]).is_some_and(|node| trie.has_children(node)) {
                continue;
            }
            // A tokenizer of characters cannot be asked for what ends inside of one; what it says of a place before holds for
            // this one only as far as nothing reaches beyond that place.
            match whole_characters(&text[..start]) {
                whole if whole < start => _ = ends.insert(whole),
                _ => _ = cuts.insert(start),
            }
        }
    }
    cuts
}

/// The length of a text without the beginning of a character at its end.
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

/// The tokens with their ends in the text, which they must spell from its beginning.
fn spell(
    vocabulary: &Vocabulary,
    text: &[u8],
    tokens: Vec<TokenId>,
) -> Result<Vec<(TokenId, usize)>, ForcedError> {
    let mut offset = 0;
    let spelled = tokens.into_iter().map(|token| {
        let bytes =
            vocabulary.bytes(token).filter(|bytes| !bytes.is_empty() && text[offset..].starts_with(bytes));
        offset += bytes.ok_or(ForcedError::Misspelled { token, offset })?.len();
        Ok((token, offset))
    });
    spelled.collect()
}

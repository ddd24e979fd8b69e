//! Splits a text into tokens: with the tokenizer of the vocabulary if it is known, otherwise into the longest
//! tokens.

use grammask::TokenId;
use grammask_trie::{TrieNodeId, Vocabulary};

use crate::failure::Failure;
use crate::output::quoted;

/// Length of a run of white space, in characters, after which the text is split. The regex of the tokenizer
/// looks ahead after white space, and panics on a million characters of it.
const MAX_WHITESPACE_RUN_CHARS: usize = 1 << 16;

/// The method that splits a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The tokenizer of the embedded vocabulary.
    Tokenizer,
    /// The longest token at each position, from left to right.
    LongestMatch,
}

impl Cut {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Tokenizer => "the o200k tokenizer",
            Self::LongestMatch => "longest match",
        }
    }
}

/// Splits a text into tokens. Also returns the method.
///
/// `is_embedded` is true for the embedded vocabulary, whose tokenizer accepts only UTF-8.
pub(crate) fn tokenize(
    vocabulary: &Vocabulary,
    is_embedded: bool,
    text: &[u8],
) -> Result<(Vec<TokenId>, Cut), Failure> {
    match str::from_utf8(text) {
        Ok(text) if is_embedded => {
            let tokenizer = tiktoken_rs::o200k_base_singleton();
            let ids = pieces(text).into_iter().flat_map(|piece| tokenizer.encode_ordinary(piece));
            Ok((ids.map(TokenId).collect(), Cut::Tokenizer))
        }
        _ => Ok((longest_match(vocabulary, text)?, Cut::LongestMatch)),
    }
}

/// Splits a text so that no piece has a long run of white space. Nearly every text is one piece.
fn pieces(mut text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    while let Some(end) = end_of_long_run(text) {
        let (piece, rest) = text.split_at(end);
        pieces.push(piece);
        text = rest;
    }
    pieces.push(text);
    pieces
}

/// Returns the byte offset at which the first run of white space reaches its greatest length.
fn end_of_long_run(text: &str) -> Option<usize> {
    let mut run = 0;
    for (at, character) in text.char_indices() {
        run = if character.is_whitespace() { run + 1 } else { 0 };
        if run == MAX_WHITESPACE_RUN_CHARS {
            return Some(at + character.len_utf8());
        }
    }
    None
}

/// Returns the longest token at each position, from left to right.
fn longest_match(vocabulary: &Vocabulary, text: &[u8]) -> Result<Vec<TokenId>, Failure> {
    let trie = vocabulary.trie();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let mut node = TrieNodeId::ROOT;
        let mut longest = None;
        for (length, &byte) in (1..).zip(&text[at..]) {
            let Some(child) = trie.child(node, byte) else { break };
            node = child;
            longest = trie.tokens(node).first().map(|&token| (token, length)).or(longest);
        }
        let Some((token, length)) = longest else {
            let byte = quoted(&text[at..=at]);
            return Err(Failure::other(format!(
                "no token of the vocabulary matches the text at byte {at}, {byte}"
            )));
        };
        tokens.push(token);
        at += length;
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_match_takes_the_longest_token_each_time() {
        let words: [&[u8]; 6] = [b"a", b"ab", b"abcd", b"c", b"\xff", b""];
        let tokens = words.iter().enumerate().map(|(id, word)| (TokenId(id as u32), word.to_vec()));
        let vocabulary = Vocabulary::new(tokens, [], &Default::default()).unwrap();
        let cut = |text: &[u8]| tokenize(&vocabulary, false, text).map(|(tokens, _)| tokens);
        assert_eq!(cut(b"").unwrap(), []);
        assert_eq!(cut(b"abcabcda\xff").unwrap(), [1, 3, 2, 0, 4].map(TokenId));
        let Err(Failure::Other(message)) = cut(b"abb") else { panic!("there is no token for it") };
        assert_eq!(message, "no token of the vocabulary matches the text at byte 2, \"b\"");
    }

    #[test]
    fn the_embedded_tokenizer_accepts_any_text() {
        let vocabulary = Vocabulary::new([], [], &Default::default()).unwrap();
        for text in [
            format!("{}x", " ".repeat(3_000_000)),
            "a".repeat(300_000),
            " \n".repeat(100_000),
            "1é😀\0<|endoftext|>".into(),
        ] {
            let (tokens, cut) = tokenize(&vocabulary, true, text.as_bytes()).unwrap();
            let tokenizer = tiktoken_rs::o200k_base_singleton();
            let ids: Vec<u32> = tokens.iter().map(|token| token.0).collect();
            assert!(cut == Cut::Tokenizer && tokenizer.decode_bytes(&ids).unwrap() == text.as_bytes());
        }
        assert!(tokenize(&vocabulary, true, b"\xff").is_err(), "no UTF-8, and nothing in the vocabulary");
    }
}

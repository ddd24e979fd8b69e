//! A text as tokens: as the model's own tokenizer cuts it where that is known, else always the longest token.

use grammask::TokenId;
use grammask_trie::{TrieNodeId, Vocabulary};

use crate::failure::Failure;
use crate::output::quoted;

/// The tokenizer's regex looks ahead behind white space, and the tokenizer panics where there are a million characters of it.
const LONG_RUN: usize = 1 << 16;

/// How a text was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// By the tokenizer that belongs to the embedded vocabulary.
    Tokenizer,
    /// From left to right, the longest token each time.
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

/// The tokens of a text. `is_embedded` says that the vocabulary is the embedded one, whose tokenizer knows UTF-8 alone.
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

/// The text in pieces without long runs of white space. Nearly always it is one.
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

/// Where the first long run of white space has reached its length.
fn end_of_long_run(text: &str) -> Option<usize> {
    let mut run = 0;
    for (at, character) in text.char_indices() {
        run = if character.is_whitespace() { run + 1 } else { 0 };
        if run == LONG_RUN {
            return Some(at + character.len_utf8());
        }
    }
    None
}

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
            return Err(Failure::other(format!("no token of the vocabulary begins like byte {at}, {byte}")));
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
    fn the_longest_token_is_taken_each_time() {
        let words: [&[u8]; 6] = [b"a", b"ab", b"abcd", b"c", b"\xff", b""];
        let tokens = words.iter().enumerate().map(|(id, word)| (TokenId(id as u32), word.to_vec()));
        let vocabulary = Vocabulary::new(tokens, [], &Default::default()).unwrap();
        let cut = |text: &[u8]| tokenize(&vocabulary, false, text).map(|(tokens, _)| tokens);
        assert_eq!(cut(b"").unwrap(), []);
        assert_eq!(cut(b"abcabcda\xff").unwrap(), [1, 3, 2, 0, 4].map(TokenId));
        let Err(Failure::Other(message)) = cut(b"abb") else { panic!("there is no token for it") };
        assert_eq!(message, "no token of the vocabulary begins like byte 2, \"b\"");
    }

    #[test]
    fn the_embedded_tokenizer_takes_any_text() {
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

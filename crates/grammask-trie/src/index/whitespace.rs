//! Characters beyond ASCII that the kinds of text exclude: white space, and line terminators.

use super::{InnerId, TextKind};

/// Multi-byte characters that differ only in their last byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExcludedChars {
    /// All bytes except the last one.
    pub prefix: &'static [u8],
    /// The values of the last byte, ascending.
    pub last: &'static [u8],
}

/// U+2028 and U+2029.
const LINE_ENDS: &[ExcludedChars] = &[ExcludedChars { prefix: b"\xE2\x80", last: b"\xA8\xA9" }];

/// The multi-byte characters that Unicode's `White_Space` or the `\s` of ECMA 262 contains:
/// U+0085 and U+00A0; U+1680; U+2000 to U+200A, U+2028, U+2029 and U+202F; U+205F; U+3000; U+FEFF.
const WHITESPACE: &[ExcludedChars] = &[
    ExcludedChars { prefix: b"\xC2", last: b"\x85\xA0" },
    ExcludedChars { prefix: b"\xE1\x9A", last: b"\x80" },
    ExcludedChars { prefix: b"\xE2\x80", last: b"\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8A\xA8\xA9\xAF" },
    ExcludedChars { prefix: b"\xE2\x81", last: b"\x9F" },
    ExcludedChars { prefix: b"\xE3\x80", last: b"\x80" },
    ExcludedChars { prefix: b"\xEF\xBB", last: b"\xBF" },
];

impl TextKind {
    /// Returns the multi-byte characters that strings of this kind lack, by ascending bytes. Returns an empty
    /// list for [`Ascii`](Self::Ascii), which lacks all of them.
    pub const fn excluded_chars(self) -> &'static [ExcludedChars] {
        match self {
            Self::NoWhitespace => WHITESPACE,
            Self::NoLineEnds => LINE_ENDS,
            Self::Ascii | Self::Utf8 | Self::Bytes => &[],
        }
    }
}

/// The last bytes of all white space: bit `b & 0x3F` for byte `b`.
const WHITESPACE_LAST_BYTES: u64 = {
    let (mut last, mut index) = (0, 0);
    while index < WHITESPACE.len() {
        let bytes = WHITESPACE[index].last;
        let mut byte = 0;
        while byte < bytes.len() {
            last |= 1 << (bytes[byte] & 0x3F);
            byte += 1;
        }
        index += 1;
    }
    last
};

/// Returns the most specific kind of a string in which `byte` occurs after the path to `parent`.
/// `follows(parent, prefix)` returns true if that path ends with `prefix`.
pub(super) fn kind_of_last_byte(
    byte: u8,
    parent: InnerId,
    follows: impl Fn(InnerId, &[u8]) -> bool,
) -> TextKind {
    let ends_excluded = |kind: TextKind| {
        let mut chars = kind.excluded_chars().iter();
        chars.any(|chars| chars.last.contains(&byte) && follows(parent, chars.prefix))
    };
    let may_be_whitespace = WHITESPACE_LAST_BYTES >> (byte & 0x3F) & 1 == 1;
    if !may_be_whitespace || !ends_excluded(TextKind::NoWhitespace) {
        TextKind::NoWhitespace
    } else if !ends_excluded(TextKind::NoLineEnds) {
        TextKind::NoLineEnds
    } else {
        TextKind::Utf8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::TrieIndex;
    use crate::{Config, TokenId, Trie};

    #[test]
    fn whitespace_and_line_ends_are_distinguished_from_all_other_chars() {
        let characters = ('\u{80}'..='\u{ffff}').filter(|character| character.len_utf8() < 4);
        let characters: Vec<String> = characters.chain(['😀', '\u{10ffff}']).map(String::from).collect();
        for stem in ["", "a", "é"] {
            for texts in characters.chunks(1000) {
                let texts: Vec<String> = texts.iter().map(|text| format!("{stem}{text}b")).collect();
                let mut tokens: Vec<(TokenId, &[u8])> =
                    (0..).map(TokenId).zip(texts.iter().map(String::as_bytes)).collect();
                tokens.sort_unstable_by_key(|&(_, bytes)| bytes);
                let trie = Trie::new(&tokens, &Config::default()).unwrap();
                let index = TrieIndex::new(&trie);
                let kinds = [TextKind::NoWhitespace, TextKind::NoLineEnds];
                let excluded = kinds.map(|kind| {
                    let edges = index.excluded_edges(&trie, kind);
                    let found = edges.map(|(before, edge)| {
                        let is_stem = trie.depth(index.node(before)) == stem.len();
                        (is_stem, trie.subtree_tokens(edge.child).to_vec())
                    });
                    found.flat_map(|(is_stem, tokens)| tokens.into_iter().map(move |id| (is_stem, id)))
                });
                let [blank, end] = excluded.map(|found| found.collect::<Vec<(bool, TokenId)>>());
                for (number, text) in texts.iter().enumerate() {
                    let character = text[stem.len()..].chars().next().unwrap();
                    let id = TokenId(number as u32);
                    let is_blank = character.is_whitespace() || character == '\u{feff}';
                    assert_eq!(blank.contains(&(true, id)), is_blank, "{character:?}");
                    assert_eq!(end.contains(&(true, id)), matches!(character, '\u{2028}' | '\u{2029}'));
                }
                assert!(blank.iter().chain(&end).all(|(is_stem, _)| *is_stem));
                let has_blank = !blank.is_empty();
                let kind = index.summary(InnerId::ROOT).kind;
                assert_eq!(kind > TextKind::NoWhitespace, has_blank);
                assert_eq!(kind > TextKind::NoLineEnds, !end.is_empty());
            }
        }
    }
}

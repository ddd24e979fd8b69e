//! Characters of several bytes that texts of some kinds do not have: white space, and what ends lines.

use super::{BranchId, Edge, Encoding, Outline};
use crate::Trie;

/// Characters of several bytes that differ only in their last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omission {
    /// All bytes but the last one.
    pub before: &'static [u8],
    /// What the last one may be.
    pub last: &'static [u8],
}

/// U+2028 and U+2029.
const LINE_ENDS: &[Omission] = &[Omission { before: b"\xE2\x80", last: b"\xA8\xA9" }];

/// U+0085 and U+00A0; U+1680; U+2000 to U+200A, U+2028, U+2029 and U+202F; U+205F; U+3000; U+FEFF.
const BLANKS: &[Omission] = &[
    Omission { before: b"\xC2", last: b"\x85\xA0" },
    Omission { before: b"\xE1\x9A", last: b"\x80" },
    Omission { before: b"\xE2\x80", last: b"\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8A\xA8\xA9\xAF" },
    Omission { before: b"\xE2\x81", last: b"\x9F" },
    Omission { before: b"\xE3\x80", last: b"\x80" },
    Omission { before: b"\xEF\xBB", last: b"\xBF" },
];

impl Encoding {
    /// The characters of several bytes that such strings do not have, by ascending bytes, where they may have all others.
    pub const fn omissions(self) -> &'static [Omission] {
        match self {
            Self::Words => BLANKS,
            Self::Lines => LINE_ENDS,
            Self::Ascii | Self::Utf8 | Self::Bytes => &[],
        }
    }
}

/// Which bytes may be the last ones, by their lower six bits.
const LAST: u64 = {
    let (mut last, mut place) = (0, 0);
    while place < BLANKS.len() {
        let bytes = BLANKS[place].last;
        let mut byte = 0;
        while byte < bytes.len() {
            last |= 1 << (bytes[byte] & 0x3F);
            byte += 1;
        }
        place += 1;
    }
    last
};

/// What strings are that have a character which ends by this byte, below the branches of its other bytes.
pub(super) fn encoding_of(byte: u8, parent: BranchId, ends_by: impl Fn(BranchId, &[u8]) -> bool) -> Encoding {
    let has = |encoding: Encoding| {
        let mut omissions = encoding.omissions().iter();
        omissions.any(|omission| omission.last.contains(&byte) && ends_by(parent, omission.before))
    };
    match () {
        () if LAST >> (byte & 0x3F) & 1 == 0 => Encoding::Words,
        () if !has(Encoding::Words) => Encoding::Words,
        () if !has(Encoding::Lines) => Encoding::Lines,
        () => Encoding::Utf8,
    }
}

impl Outline {
    /// The edges by which characters end that an encoding leaves out, each with the branch before the character.
    pub fn omitted<'a>(
        &'a self,
        trie: &'a Trie,
        encoding: Encoding,
    ) -> impl Iterator<Item = (BranchId, &'a Edge)> {
        encoding.omissions().iter().flat_map(move |omission| {
            let edges = omission.last.iter().flat_map(|&byte| self.edges(byte));
            edges.filter_map(move |edge| Some((self.above(trie, edge.parent, omission.before)?, edge)))
        })
    }

    /// The branch from which some bytes lead to another one.
    fn above(&self, trie: &Trie, branch: BranchId, bytes: &[u8]) -> Option<BranchId> {
        above(trie, &self.nodes, &self.parents, branch, bytes)
    }
}

/// The branch from which some bytes lead to another one.
pub(super) fn above(
    trie: &Trie,
    nodes: &[crate::NodeId],
    parents: &[BranchId],
    branch: BranchId,
    bytes: &[u8],
) -> Option<BranchId> {
    bytes.iter().rev().try_fold(branch, |branch, &byte| {
        let is_it = branch != BranchId::ROOT && trie.byte(nodes[branch.index()]) == byte;
        is_it.then(|| parents[branch.index()])
    })
}

#[cfg(test)]
mod tests {
    use crate::{Config, TokenId};

    use super::*;

    #[test]
    fn white_space_and_ends_of_lines_are_told_from_all_other_characters() {
        let characters = ('\u{80}'..='\u{ffff}').filter(|character| character.len_utf8() < 4);
        let characters: Vec<String> = characters.chain(['😀', '\u{10ffff}']).map(String::from).collect();
        for stem in ["", "a", "é"] {
            for texts in characters.chunks(1000) {
                let texts: Vec<String> = texts.iter().map(|text| format!("{stem}{text}b")).collect();
                let mut tokens: Vec<(TokenId, &[u8])> =
                    (0..).map(TokenId).zip(texts.iter().map(String::as_bytes)).collect();
                tokens.sort_unstable_by_key(|&(_, bytes)| bytes);
                let trie = Trie::new(&tokens, &Config::default()).unwrap();
                let outline = Outline::new(&trie);
                let encodings = [Encoding::Words, Encoding::Lines];
                let omitted = encodings.map(|encoding| {
                    let edges = outline.omitted(&trie, encoding);
                    let found = edges.map(|(before, edge)| {
                        let is_stem = trie.depth(outline.node(before)) == stem.len();
                        (is_stem, trie.subtree_tokens(edge.child).to_vec())
                    });
                    found.flat_map(|(is_stem, tokens)| tokens.into_iter().map(move |id| (is_stem, id)))
                });
                let [blank, end] = omitted.map(|found| found.collect::<Vec<(bool, TokenId)>>());
                for (place, text) in texts.iter().enumerate() {
                    let character = text[stem.len()..].chars().next().unwrap();
                    let id = TokenId(place as u32);
                    let is_blank = character.is_whitespace() || character == '\u{feff}';
                    assert_eq!(blank.contains(&(true, id)), is_blank, "{character:?}");
                    assert_eq!(end.contains(&(true, id)), matches!(character, '\u{2028}' | '\u{2029}'));
                }
                assert!(blank.iter().chain(&end).all(|(is_stem, _)| *is_stem));
                let has_blank = !blank.is_empty();
                let encoding = outline.below(BranchId::ROOT).encoding;
                assert_eq!(encoding > Encoding::Words, has_blank);
                assert_eq!(encoding > Encoding::Lines, !end.is_empty());
            }
        }
    }
}

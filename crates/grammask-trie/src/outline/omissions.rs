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

/// What strings are that have a character which ends by this byte, below the branches of its other bytes.
pub(super) fn encoding_of(byte: u8, parent: BranchId, ends_by: impl Fn(BranchId, &[u8]) -> bool) -> Encoding {
    let has = |encoding: Encoding| {
        let mut omissions = encoding.omissions().iter();
        omissions.any(|omission| omission.last.contains(&byte) && ends_by(parent, omission.before))
    };
    match () {
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

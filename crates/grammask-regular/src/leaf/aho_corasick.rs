//! Strings that contain none of some texts: an Aho–Corasick automaton whose matching states are dead.

use crate::ByteClasses;
use grammask_work::narrow;
use std::sync::Arc;

/// The automaton. A state is a node of the trie of the texts: the longest prefix of a text that ends here.
pub(crate) struct AhoCorasick {
    /// The sorted texts, by which equal automata are found.
    pub(crate) texts: Arc<[Box<[u8]>]>,
    nodes: Vec<TrieNode>,
}

#[derive(Clone, Copy)]
struct TrieNode {
    child: u32,
    sibling: u32,
    /// The longest proper suffix that has a child by some byte by which this node has none.
    fail: u32,
    byte: u8,
    is_match: bool,
}

const NONE: u32 = u32::MAX;
const ROOT: u32 = 0;

impl AhoCorasick {
    /// Builds the automaton of texts that are sorted, distinct and not empty.
    ///
    /// # Complexity
    /// Time and space linear in the length of the texts, times the number of different bytes after a prefix.
    pub(crate) fn new(texts: Arc<[Box<[u8]>]>) -> Self {
        let root = TrieNode { child: NONE, sibling: NONE, fail: NONE, byte: 0, is_match: false };
        let mut this = Self { texts, nodes: vec![root] };
        this.grow();
        this.link();
        this
    }

    /// Adds all texts to the trie, without failure links.
    fn grow(&mut self) {
        for index in 0..self.texts.len() {
            let mut node = ROOT;
            for position in 0..self.texts[index].len() {
                let byte = self.texts[index][position];
                node = self.child(node, byte).unwrap_or_else(|| {
                    let child = narrow(self.nodes.len());
                    let sibling = std::mem::replace(&mut self.nodes[node as usize].child, child);
                    self.nodes.push(TrieNode { child: NONE, sibling, fail: ROOT, byte, is_match: false });
                    child
                });
            }
            self.nodes[node as usize].is_match = true;
        }
    }

    /// Sets the failure links, breadth first: a link leads to a node of smaller depth.
    fn link(&mut self) {
        let mut level = vec![(ROOT, ROOT)];
        while !level.is_empty() {
            let mut next = Vec::new();
            for &(node, suffix) in &level {
                for child in self.children(node) {
                    let byte = self.nodes[child as usize].byte;
                    // The longest proper suffix of the child, by the links of its parent.
                    let target = if node == ROOT { ROOT } else { self.follow(suffix, byte) };
                    self.nodes[child as usize].is_match |= self.nodes[target as usize].is_match;
                    let covered = self
                        .children(target)
                        .all(|other| self.child(child, self.nodes[other as usize].byte).is_some());
                    self.nodes[child as usize].fail =
                        if covered { self.nodes[target as usize].fail } else { target };
                    next.push((child, target));
                }
            }
            level = next;
        }
    }

    /// Returns the children of a node.
    fn children(&self, node: u32) -> impl Iterator<Item = u32> + use<> {
        // Copied, because the caller changes other nodes meanwhile.
        let mut children = Vec::new();
        let mut child = self.nodes[node as usize].child;
        while child != NONE {
            children.push(child);
            child = self.nodes[child as usize].sibling;
        }
        children.into_iter()
    }

    fn child(&self, node: u32, byte: u8) -> Option<u32> {
        let mut child = self.nodes[node as usize].child;
        while child != NONE && self.nodes[child as usize].byte != byte {
            child = self.nodes[child as usize].sibling;
        }
        (child != NONE).then_some(child)
    }

    /// Returns the node after a byte, by the failure links of nodes that have no child by this byte.
    fn follow(&self, mut node: u32, byte: u8) -> u32 {
        while node != NONE {
            if let Some(child) = self.child(node, byte) {
                return child;
            }
            node = self.nodes[node as usize].fail;
        }
        ROOT
    }

    /// Returns the next state. Returns `None` if the byte completes a text.
    pub(crate) fn step(&self, state: u32, byte: u8) -> Option<u32> {
        let next = self.follow(state, byte);
        (!self.nodes[next as usize].is_match).then_some(next)
    }

    /// Returns true if the state exists and is not the end of a text.
    pub(crate) fn has_state(&self, state: u32) -> bool {
        self.nodes.get(state as usize).is_some_and(|node| !node.is_match)
    }

    /// Returns the byte classes with equal next states.
    pub(crate) fn classes(&self, state: u32) -> ByteClasses {
        let mut targets = [NONE; 256];
        let mut node = state;
        while node != NONE {
            let mut child = self.nodes[node as usize].child;
            while child != NONE {
                let target = &mut targets[usize::from(self.nodes[child as usize].byte)];
                if *target == NONE {
                    *target = if self.nodes[child as usize].is_match { NONE - 1 } else { child };
                }
                child = self.nodes[child as usize].sibling;
            }
            node = self.nodes[node as usize].fail;
        }
        ByteClasses::by_key(|byte| targets[usize::from(byte)])
    }

    pub(crate) fn bytes_used(&self) -> usize {
        self.nodes.len() * size_of::<TrieNode>()
            + self.texts.iter().map(|text| text.len() + 16).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::AhoCorasick;

    fn avoids(texts: &[&str], input: &[u8]) -> bool {
        let mut texts: Vec<Box<[u8]>> = texts.iter().map(|text| text.as_bytes().into()).collect();
        texts.sort();
        let automaton = AhoCorasick::new(texts.into());
        input.iter().try_fold(0, |state, &byte| automaton.step(state, byte)).is_some()
    }

    #[test]
    fn agrees_with_searching() {
        let sets: [&[&str]; 7] = [
            &["a"],
            &["ab", "ba"],
            &["aab", "b"],
            &["abab"],
            &["aaa", "bab", "bb"],
            &["aabaa", "ab"],
            &["abcab", "bc"],
        ];
        for texts in sets {
            for length in 0..9u32 {
                for number in 0..3u32.pow(length.min(8)) {
                    let input: Vec<u8> =
                        (0..length).map(|i| b'a' + (number / 3u32.pow(i) % 3) as u8).collect();
                    let found = texts.iter().any(|t| input.windows(t.len()).any(|w| w == t.as_bytes()));
                    assert_eq!(avoids(texts, &input), !found, "{texts:?} {input:?}");
                }
            }
        }
    }

    #[test]
    fn classes_follow_the_steps() {
        let automaton = AhoCorasick::new([&b"abab"[..], b"bb", b"bca"].map(Into::into).into());
        for state in 0..automaton.nodes.len() as u32 {
            let classes = automaton.classes(state);
            for byte in 0..=255 {
                let other = classes.representative(classes.class_of(byte));
                assert_eq!(automaton.step(state, byte), automaton.step(state, other));
            }
        }
    }

    #[test]
    fn long_periodic_texts_have_short_failure_chains() {
        let automaton = AhoCorasick::new([vec![b'a'; 100_000].into()].into());
        let mut state = 0;
        for _ in 0..99_999 {
            state = automaton.step(state, b'a').unwrap();
        }
        assert_eq!(automaton.step(state, b'a'), None);
        assert_eq!(automaton.step(state, b'b'), Some(0));
        let mut links = 0;
        let mut node = state;
        while automaton.nodes[node as usize].fail != super::NONE {
            node = automaton.nodes[node as usize].fail;
            links += 1;
        }
        assert!(links < 2, "{links}");
    }
}

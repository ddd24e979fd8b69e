//! Where the tokens of each node begin in the list of all tokens: a bit vector over the nodes with a count
//! for each block. Nearly every node has one token or none, so one bit a node says almost all.

use std::ops::Range;

use crate::narrow;

/// Nodes of one block: the bits of a word.
const NODES_PER_BLOCK: usize = u32::BITS as usize;

/// Bit of [`Block::before`] that is set if a node of the block has more than one token.
const HAS_FURTHER: u32 = 1 << 31;

/// For each node `n` and once more at the end, the number of tokens at all nodes before `n`. It takes two
/// bits a node, and four bytes for each further token of a node.
///
/// # Source
///
/// G. Jacobson, "Space-efficient static trees and graphs", FOCS 1989: a bit vector with rank, one level of
/// counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TokenStarts {
    blocks: Box<[Block]>,
    /// The nodes with more than one token, ascending, each once for each token after its first.
    further: Box<[u32]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    /// Number of tokens at all nodes before the block, below 2^31, and [`HAS_FURTHER`].
    before: u32,
    /// Bit `i` is set if node `i` of the block has a token.
    bits: u32,
}

impl TokenStarts {
    /// Returns the number of tokens at all nodes before `node`.
    #[inline]
    pub(super) fn start(&self, node: usize) -> u32 {
        let block = self.blocks[node / NODES_PER_BLOCK];
        let lower = block.bits & ((1 << (node % NODES_PER_BLOCK)) - 1);
        let start = (block.before & !HAS_FURTHER) + lower.count_ones();
        if block.before & HAS_FURTHER == 0 { start } else { start + self.further_before(node) }
    }

    /// Returns the half-open range of the tokens of `node` in the list of all tokens.
    #[inline]
    pub(super) fn range(&self, node: usize) -> Range<u32> {
        let block = self.blocks[node / NODES_PER_BLOCK];
        let start = self.start(node);
        if block.before & HAS_FURTHER == 0 {
            start..start + (block.bits >> (node % NODES_PER_BLOCK) & 1)
        } else {
            start..self.start(node + 1)
        }
    }

    /// Returns the number of tokens at `node`. Unlike [`range`](Self::range), it counts no bits in most blocks.
    #[inline]
    pub(super) fn count(&self, node: usize) -> u32 {
        let block = self.blocks[node / NODES_PER_BLOCK];
        if block.before & HAS_FURTHER == 0 {
            block.bits >> (node % NODES_PER_BLOCK) & 1
        } else {
            let Range { start, end } = self.range(node);
            end - start
        }
    }

    /// Returns the number of further tokens at the nodes of the block of `node` that are before it.
    #[cold]
    fn further_before(&self, node: usize) -> u32 {
        let first = node / NODES_PER_BLOCK * NODES_PER_BLOCK;
        let from = self.further.partition_point(|&other| (other as usize) < first);
        narrow(self.further[from..].partition_point(|&other| (other as usize) < node))
    }

    pub(super) fn bytes_used(&self) -> usize {
        size_of_val(&*self.blocks) + size_of_val(&*self.further)
    }

    /// Returns true if there are `nodes` nodes with `tokens` tokens, and the counts of all blocks are right.
    pub(super) fn is_valid(&self, nodes: usize, tokens: usize) -> bool {
        let further = self.further.iter().map(|&node| node as usize);
        let is_listed = self.further.is_sorted() && further.clone().all(|node| node < nodes);
        if !is_listed || self.blocks.len() != nodes / NODES_PER_BLOCK + 1 {
            return false;
        }
        let mut expected = Builder::with_capacity(nodes);
        let mut further = further.peekable();
        for node in 0..nodes {
            expected.nodes(1);
            let bits = self.blocks[node / NODES_PER_BLOCK].bits;
            (0..bits >> (node % NODES_PER_BLOCK) & 1).for_each(|_| expected.token());
            while further.next_if_eq(&node).is_some() {
                expected.token();
            }
        }
        expected.tokens as usize == tokens && expected.finish() == *self
    }

    /// Changes the count of the first block.
    #[cfg(test)]
    pub(super) fn corrupt_count(&mut self) {
        self.blocks[0].before += 1;
    }

    /// Moves the token of one node to another node.
    #[cfg(test)]
    pub(super) fn move_token(&mut self, from: usize, to: usize) {
        self.blocks[0].bits ^= 1 << from | 1 << to;
    }
}

/// Collects nodes and their tokens in order.
pub(super) struct Builder {
    blocks: Vec<Block>,
    further: Vec<u32>,
    nodes: usize,
    /// At most 2^31 - 1: see [`Limits::MAX_TOKENS`](crate::Limits::MAX_TOKENS).
    tokens: u32,
}

impl Builder {
    pub(super) fn with_capacity(nodes: usize) -> Self {
        let blocks = Vec::with_capacity(nodes / NODES_PER_BLOCK + 1);
        Self { blocks, further: Vec::new(), nodes: 0, tokens: 0 }
    }

    /// Adds nodes after all others.
    pub(super) fn nodes(&mut self, count: usize) {
        self.nodes += count;
        let blocks = self.nodes.div_ceil(NODES_PER_BLOCK);
        while self.blocks.len() < blocks {
            self.blocks.push(Block { before: self.tokens, bits: 0 });
        }
    }

    /// Adds a token to the last node. There is a node.
    pub(super) fn token(&mut self) {
        let node = self.nodes - 1;
        let (block, bit) = (&mut self.blocks[node / NODES_PER_BLOCK], 1 << (node % NODES_PER_BLOCK));
        if block.bits & bit == 0 {
            block.bits |= bit;
        } else {
            block.before |= HAS_FURTHER;
            self.further.push(narrow(node));
        }
        self.tokens += 1;
    }

    pub(super) fn finish(mut self) -> TokenStarts {
        if self.nodes.is_multiple_of(NODES_PER_BLOCK) {
            self.blocks.push(Block { before: self.tokens, bits: 0 });
        }
        TokenStarts { blocks: self.blocks.into(), further: self.further.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_sums_of_counts() {
        for nodes in [1, 31, 32, 33, 64, 200] {
            let counts: Vec<u32> = (0..nodes).map(|n| [0, 1, 1, 0, 3, 1, 2][n * n % 7]).collect();
            let mut builder = Builder::with_capacity(nodes);
            for &count in &counts {
                builder.nodes(1);
                (0..count).for_each(|_| builder.token());
            }
            let starts = builder.finish();
            let mut sum = 0;
            for (node, &count) in counts.iter().enumerate() {
                assert_eq!(
                    (starts.start(node), starts.range(node), starts.count(node)),
                    (sum, sum..sum + count, count),
                    "{node} of {nodes}"
                );
                sum += count;
            }
            assert_eq!(starts.start(nodes), sum);
            assert!(starts.is_valid(nodes, sum as usize) && !starts.is_valid(nodes, sum as usize + 1));
        }
    }
}

//! The depth of each node in one byte, and in a list for the few nodes that are deeper.

use std::ops::Range;

use crate::narrow;

/// Entry in `low` of a node whose depth is in the list `deep`: no smaller depth is there.
const LISTED_DEPTH: u8 = u8::MAX;

/// The depths of the nodes of a trie. Tokens in use have at most 256 bytes, nearly all of them below 64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Depths {
    /// The depth, or [`LISTED_DEPTH`] if it is not below that.
    low: Vec<u8>,
    /// The nodes with [`LISTED_DEPTH`], ascending, each with its depth.
    deep: Vec<(u32, u16)>,
}

impl Depths {
    pub(super) fn with_capacity(nodes: usize) -> Self {
        Self { low: Vec::with_capacity(nodes), deep: Vec::new() }
    }

    /// Adds the depths of the next nodes, each below 2^16.
    pub(super) fn extend(&mut self, depths: Range<usize>) {
        // The end is exclusive, so it may be `LISTED_DEPTH`.
        if let (Ok(start), Ok(end)) = (u8::try_from(depths.start), u8::try_from(depths.end)) {
            self.low.extend(start..end);
            return;
        }
        for depth in depths {
            match u8::try_from(depth) {
                Ok(low) if low < LISTED_DEPTH => self.low.push(low),
                _ => {
                    #[expect(clippy::cast_possible_truncation, reason = "a depth is below 2^16")]
                    self.deep.push((narrow(self.low.len()), depth as u16));
                    self.low.push(LISTED_DEPTH);
                }
            }
        }
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.low.shrink_to_fit();
        self.deep.shrink_to_fit();
    }

    #[inline]
    pub(super) fn get(&self, node: usize) -> usize {
        match self.low[node] {
            LISTED_DEPTH => self.get_deep(node),
            low => low.into(),
        }
    }

    /// # Complexity
    /// O(log d) for d deep nodes.
    #[cold]
    fn get_deep(&self, node: usize) -> usize {
        let position = self.deep.partition_point(|&(other, _)| (other as usize) < node);
        self.deep[position].1.into()
    }

    pub(super) fn len(&self) -> usize {
        self.low.len()
    }

    pub(super) fn max(&self) -> usize {
        let low = self.low.iter().copied().max().unwrap_or(0);
        self.deep.iter().map(|&(_, depth)| depth).max().map_or(low.into(), usize::from)
    }

    pub(super) fn bytes_used(&self) -> usize {
        self.low.len() + size_of_val(&*self.deep)
    }

    #[cfg(test)]
    pub(super) fn set(&mut self, node: usize, depth: u8) {
        self.low[node] = depth;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_of_any_size_are_unchanged() {
        let expected = [0, 1, 254, 255, 256, 3, 65_535, 255, 254];
        let mut depths = Depths::default();
        expected.iter().for_each(|&depth| depths.extend(depth..depth + 1));
        let found: Vec<usize> = (0..depths.len()).map(|node| depths.get(node)).collect();
        assert_eq!(found, expected.map(usize::from));
        assert_eq!(depths.max(), 65_535);
        let mut depths = Depths::default();
        [0..1, 7..8, 3..4].into_iter().for_each(|range| depths.extend(range));
        assert_eq!(depths.max(), 7);
    }
}

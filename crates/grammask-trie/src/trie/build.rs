//! Builds a trie: sorts the tokens by their bytes, then adds them in one pass that keeps the path to the last
//! token open.

use std::cmp::Ordering;
use std::ops::Range;

use super::depths::Depths;
use super::{Trie, token_starts};
use crate::{Config, Error, Limits, TokenId, narrow};

pub(super) fn trie(tokens: &[(TokenId, &[u8])], config: &Config) -> Result<Trie, Error> {
    check_limits(tokens, config)?;
    let order = sorted(tokens);
    Ok(of_sorted(order.iter().map(|&index| tokens[index as usize])))
}

/// Builds the trie of tokens that are sorted by bytes, then by id, in linear time.
fn of_sorted<'a>(tokens: impl ExactSizeIterator<Item = (TokenId, &'a [u8])>) -> Trie {
    let count = tokens.len();
    let mut trie = Builder::new(count, 2 * count);
    let mut last: &[u8] = &[];
    for (id, bytes) in tokens {
        let shared = last.iter().zip(bytes).take_while(|(a, b)| a == b).count();
        trie.push(id, shared, &bytes[shared..]);
        last = bytes;
    }
    trie.finish()
}

fn check_limits(tokens: &[(TokenId, &[u8])], config: &Config) -> Result<(), Error> {
    let limits = &config.limits;
    if let Some(&(id, _)) = tokens.get(Limits::MAX_TOKENS as usize) {
        return Err(limits.too_many_ids(id.0.into()));
    }
    // Node numbers have 32 bits, and one of them is the root's.
    let mut left = limits.max_bytes.min(u32::MAX - 1) as usize;
    for &(id, bytes) in tokens {
        limits.check_token(id, bytes.len())?;
        left = left.checked_sub(bytes.len()).ok_or_else(|| limits.too_many_bytes(id))?;
    }
    Ok(())
}

/// Returns the indices of the tokens, sorted by bytes, then by id.
fn sorted(tokens: &[(TokenId, &[u8])]) -> Vec<u32> {
    // The first eight bytes decide nearly all comparisons. Stored with the index, they spare most cache
    // misses on the tokens themselves.
    let keys: Vec<(u64, u32)> =
        tokens.iter().zip(0..).map(|(&(_, bytes), index)| (first_eight(bytes), index)).collect();
    let (mut keys, buckets) = by_first_two(keys);
    for bucket in buckets {
        keys[bucket].sort_unstable_by(|&(a, i), &(b, j)| {
            a.cmp(&b).then_with(|| {
                let ((first, x), (second, y)) = (tokens[i as usize], tokens[j as usize]);
                match x.cmp(y) {
                    Ordering::Equal => first.cmp(&second),
                    unequal => unequal,
                }
            })
        });
    }
    keys.into_iter().map(|(_, index)| index).collect()
}

/// Number of tokens below which the counters for all pairs of bytes cost more than they save.
const MIN_BUCKETED_TOKENS: usize = 1 << 13;

/// Distributes keys by their first two bytes, so that only short lists are left to sort. Returns the ranges
/// of these lists.
fn by_first_two(keys: Vec<(u64, u32)>) -> (Vec<(u64, u32)>, Vec<Range<usize>>) {
    if keys.len() < MIN_BUCKETED_TOKENS {
        let all = 0..keys.len();
        return (keys, vec![all]);
    }
    let mut next = vec![0u32; 1 << 16];
    keys.iter().for_each(|&(key, _)| next[(key >> 48) as usize] += 1);
    let mut buckets = Vec::new();
    let mut before = 0;
    for count in &mut next {
        if *count > 1 {
            buckets.push(before as usize..(before + *count) as usize);
        }
        before += std::mem::replace(count, before);
    }
    let mut distributed = vec![(0, 0); keys.len()];
    for key in keys {
        let index = &mut next[(key.0 >> 48) as usize];
        distributed[*index as usize] = key;
        *index += 1;
    }
    (distributed, buckets)
}

/// Returns the first eight bytes as a number in the same order. Shorter tokens are padded with zeros, so
/// equal numbers do not imply equal prefixes.
fn first_eight(bytes: &[u8]) -> u64 {
    let mut first = [0; 8];
    let length = bytes.len().min(8);
    first[..length].copy_from_slice(&bytes[..length]);
    u64::from_be_bytes(first)
}

/// The nodes that were added so far. Those on the path to the last token are open: their subtrees may still
/// grow.
pub(crate) struct Builder {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    depths: Depths,
    token_starts: token_starts::Builder,
    tokens: Vec<TokenId>,
    /// The open nodes below the root. The entry at index `d` has depth `d + 1`.
    open: Vec<u32>,
}

impl Builder {
    /// Reserves memory for some tokens, and for some nodes besides the root.
    pub(crate) fn new(tokens: usize, nodes: usize) -> Self {
        let mut builder = Self {
            bytes: Vec::with_capacity(nodes + 1),
            ends: Vec::with_capacity(nodes + 1),
            depths: Depths::with_capacity(nodes + 1),
            token_starts: token_starts::Builder::with_capacity(nodes + 1),
            tokens: Vec::with_capacity(tokens),
            open: Vec::new(),
        };
        builder.nodes(&[0], 0);
        builder
    }

    /// Adds a token. Its bytes are not less than those of the last token. It shares the first `shared` of
    /// them, and the rest is `suffix`. A token is shorter than 2^16 bytes, and all are shorter than 2^32
    /// bytes together.
    pub(crate) fn push(&mut self, id: TokenId, shared: usize, suffix: &[u8]) {
        if !suffix.is_empty() {
            self.close(shared);
            let first = narrow(self.bytes.len());
            self.open.extend((first..).take(suffix.len()));
            self.nodes(suffix, shared + 1);
        }
        // A prefix sorts before longer tokens, so the last node is the node of this token.
        self.tokens.push(id);
        self.token_starts.token();
    }

    /// Adds nodes, each the child of the one before it. The first one has this depth.
    fn nodes(&mut self, bytes: &[u8], depth: usize) {
        self.bytes.extend_from_slice(bytes);
        self.ends.resize(self.bytes.len(), 0);
        self.depths.extend(depth..depth + bytes.len());
        self.token_starts.nodes(bytes.len());
    }

    /// Closes the subtrees of the open nodes deeper than `depth`.
    fn close(&mut self, depth: usize) {
        let end = narrow(self.bytes.len());
        for &node in &self.open[depth..] {
            self.ends[node as usize] = end;
        }
        self.open.truncate(depth);
    }

    pub(crate) fn finish(mut self) -> Trie {
        self.close(0);
        self.ends[0] = narrow(self.bytes.len());
        self.depths.shrink_to_fit();
        Trie {
            bytes: self.bytes.into(),
            ends: self.ends.into(),
            depths: self.depths,
            token_starts: self.token_starts.finish(),
            tokens: self.tokens.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_zero_bytes_sort_after_the_shorter_token() {
        let tokens: [(TokenId, &[u8]); 4] =
            [(TokenId(0), b"a\0\0"), (TokenId(1), b"a"), (TokenId(2), b"a\0"), (TokenId(3), b"")];
        assert_eq!(sorted(&tokens), [3, 1, 2, 0]);
    }

    #[test]
    fn many_tokens_sort_as_few_do() {
        let texts: Vec<Vec<u8>> = (0..3 * MIN_BUCKETED_TOKENS as u64)
            .map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()[..(n % 9).min(8) as usize].to_vec())
            .collect();
        let tokens: Vec<(TokenId, &[u8])> =
            (0..).map(TokenId).zip(texts.iter().map(|text| &text[..])).collect();
        let mut expected: Vec<u32> = (0..tokens.len() as u32).collect();
        expected.sort_by_key(|&index| (tokens[index as usize].1, index));
        assert_eq!(sorted(&tokens), expected);
    }

    #[test]
    fn tokens_with_equal_first_eight_bytes_sort_by_the_rest() {
        let tokens: [(TokenId, &[u8]); 3] =
            [(TokenId(7), b"abcdefghz"), (TokenId(9), b"abcdefgh"), (TokenId(1), b"abcdefghz")];
        assert_eq!(sorted(&tokens), [1, 2, 0]);
    }
}

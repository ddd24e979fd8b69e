//! The content hash of a vocabulary, as `Vocabulary::fingerprint` defines it, and the checksum of any bytes.

use crate::TokenId;

/// Multiplier of the hash: odd, the first 128 binary digits of the fraction of the golden ratio.
const MULTIPLIER: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;

pub(super) fn fingerprint<'a>(
    tokens: impl ExactSizeIterator<Item = (TokenId, &'a [u8])>,
    specials: impl ExactSizeIterator<Item = (TokenId, &'a [u8])>,
) -> u128 {
    let mut hash = Hash(0);
    hash.list(tokens);
    hash.list(specials);
    hash.0
}

/// Returns a checksum of some bytes, for detecting damage. It is equal on all machines, and not
/// cryptographic.
///
/// The checksum is the hash that [`Vocabulary::fingerprint`](crate::Vocabulary::fingerprint) defines, of the
/// number of bytes and then of the bytes as those of a token.
///
/// ```
/// assert_ne!(grammask_trie::checksum(b"one bit"), grammask_trie::checksum(b"one bis"));
/// ```
///
/// # Complexity
///
/// O(n) for n bytes, some GB per second.
pub fn checksum(bytes: &[u8]) -> u128 {
    let mut hash = Hash(0);
    hash.word(bytes.len() as u64);
    hash.bytes(bytes);
    hash.0
}

struct Hash(u128);

impl Hash {
    fn list<'a>(&mut self, entries: impl ExactSizeIterator<Item = (TokenId, &'a [u8])>) {
        self.word(entries.len() as u64);
        for (id, bytes) in entries {
            self.word((u64::from(id.0) << 32) | bytes.len() as u64);
            self.bytes(bytes);
        }
    }

    /// Hashes bytes as words of eight. The last word is padded with zeros.
    fn bytes(&mut self, bytes: &[u8]) {
        let (groups, rest) = bytes.as_chunks::<8>();
        for &group in groups {
            self.word(u64::from_le_bytes(group));
        }
        if !rest.is_empty() {
            let mut group = [0; 8];
            group[..rest.len()].copy_from_slice(rest);
            self.word(u64::from_le_bytes(group));
        }
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ u128::from(word)).wrapping_mul(MULTIPLIER);
        self.0 ^= self.0 >> 64;
    }
}

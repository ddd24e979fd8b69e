//! Conversion of token sets to and from Roaring bitmaps, in memory and in the portable serialization format.

use roaring::RoaringBitmap;

use super::{Form, TokenSet};
use crate::{Config, Error, TokenId};

/// Converts to a Roaring bitmap with the same ids.
///
/// ```
/// # use grammask_trie::{TokenId, TokenSet};
/// let set: TokenSet = [3, 5, 6, 7].map(TokenId).into_iter().collect();
/// let bitmap = roaring::RoaringBitmap::from(&set);
/// assert!(bitmap.iter().eq([3, 5, 6, 7]));
/// assert_eq!(TokenSet::from(&bitmap), set);
/// ```
impl From<&TokenSet> for RoaringBitmap {
    fn from(set: &TokenSet) -> Self {
        if let Form::Ranges(ranges) = &set.form {
            let mut bitmap = Self::new();
            for &(first, last) in ranges {
                bitmap.insert_range(first..=last);
            }
            return bitmap;
        }
        // Appending fails only for ids that do not ascend.
        Self::from_sorted_iter(set.iter().map(|id| id.0)).unwrap_or_default()
    }
}

/// Converts from a Roaring bitmap with the same ids.
impl From<&RoaringBitmap> for TokenSet {
    fn from(bitmap: &RoaringBitmap) -> Self {
        let ids: Vec<TokenId> = bitmap.iter().map(TokenId).collect();
        Self::from_sorted(&ids)
    }
}

impl TokenSet {
    /// Serializes the set in the portable format of Roaring bitmaps, which the implementations in C, Java, Go
    /// and Python read as well. Equal sets have equal bytes.
    ///
    /// ```
    /// # use grammask_trie::{Config, TokenId, TokenSet};
    /// let set: TokenSet = [3, 5, 6, 7].map(TokenId).into_iter().collect();
    /// let bytes = set.to_roaring_bytes();
    /// assert_eq!(TokenSet::from_roaring_bytes(&bytes, &Config::default())?, set);
    /// # Ok::<(), grammask_trie::Error>(())
    /// ```
    ///
    /// # Source
    ///
    /// <https://github.com/RoaringBitmap/RoaringFormatSpec>
    pub fn to_roaring_bytes(&self) -> Vec<u8> {
        let bitmap = RoaringBitmap::from(self);
        let mut bytes = Vec::with_capacity(bitmap.serialized_size());
        // Writing to a vector does not fail.
        let _ = bitmap.serialize_into(&mut bytes);
        bytes
    }

    /// Reads a set in the portable format of Roaring bitmaps.
    ///
    /// # Errors
    ///
    /// [`Error::Roaring`] if the bytes are not one bitmap in this format. [`Error::LimitExceeded`] if an id
    /// is not below `max_ids`.
    ///
    /// # Complexity
    ///
    /// O(b + n) for b bytes and n ids.
    pub fn from_roaring_bytes(bytes: &[u8], config: &Config) -> Result<Self, Error> {
        let mut rest = bytes;
        let bitmap = RoaringBitmap::deserialize_from(&mut rest)
            .map_err(|error| Error::Roaring { message: error.to_string() })?;
        if !rest.is_empty() {
            let message = format!("{} bytes after the end of the bitmap", rest.len());
            return Err(Error::Roaring { message });
        }
        if let Some(last) = bitmap.max() {
            config.limits.check_id(last.into())?;
        }
        Ok(Self::from(&bitmap))
    }
}

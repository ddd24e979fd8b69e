//! Characters: which languages texts are made of.

use crate::store::node::UNBOUNDED;
use crate::{ByteSet, Error, RegularId, Store};

/// Of so many characters, texts are made: a single one is known well enough by itself.
const SEVERAL: usize = 2;

/// The first bytes of characters in UTF-8, and how many bytes follow. What they let through that is no character is in no text either.
const LEADS: [((u8, u8), u32); 4] = [((0, 0x7F), 0), ((0xC2, 0xDF), 1), ((0xE0, 0xEF), 2), ((0xF0, 0xF4), 3)];

/// What is longer, in bytes, is no character, however it is escaped.
pub const MAX_ESCAPED_CHARACTER_BYTES: u32 = 16;

/// Whether texts are made of the strings of `a`: at least two single characters are among them.
///
/// # Errors
/// When a limit is exceeded.
///
/// # Complexity
/// As [`has_characters`](Self::has_characters).
pub fn is_character_class(store: &mut Store, a: RegularId) -> Result<bool, Error> {
    has_characters(store, a, SEVERAL)
}

/// Whether at least so many single characters are strings of `a`.
///
/// # Errors
/// When a limit is exceeded.
///
/// # Complexity
/// One derivative for each byte class of `a`; where ASCII characters are fewer, some for each class of the first bytes of others.
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let escaped = store.regex(r"[a-c]|\\[nt]|[0-9]{2,}")?;
/// assert!(analysis::has_characters(&mut store, escaped, 3)? && !analysis::has_characters(&mut store, escaped, 4)?);
/// let letters = store.regex("[а-яё]+")?;
/// assert!(analysis::has_characters(&mut store, letters, 33)? && !analysis::has_characters(&mut store, letters, 34)?);
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn has_characters(store: &mut Store, a: RegularId, least: usize) -> Result<bool, Error> {
    let mut missing = least;
    for (bytes, more) in LEADS {
        if missing > 0 {
            missing -= single_characters(store, a, bytes, more, missing)?;
        }
    }
    Ok(missing == 0)
}

/// How many characters are strings of `a` of which these bytes come first and so many follow; no more than `most` are counted. The depth of this recursion
/// is bounded by the bytes of a character.
fn single_characters(
    store: &mut Store,
    a: RegularId,
    (first, last): (u8, u8),
    more: u32,
    most: usize,
) -> Result<usize, Error> {
    let (partition, bytes) = (store.node(a).partition, ByteSet::range(first, last));
    let mut found = 0;
    for class in 0..store.partitions.len(partition) {
        let alike = store.partitions.class(partition, class).intersection(&bytes);
        let Some(byte) = alike.first().filter(|_| found < most) else { continue };
        let behind = store.derivative(a, byte)?;
        let each = match more {
            _ if behind == RegularId::EMPTY => 0,
            0 => usize::from(store.is_nullable(behind)),
            _ => single_characters(store, behind, (0x80, 0xBF), more - 1, most - found)?,
        };
        found += alike.len() * each;
    }
    Ok(found.min(most))
}

/// A length in bytes that no string of `a` exceeds, as far as its expression tells it.
///
/// # Complexity
/// Constant.
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let escaped = store.regex(r"[^\\]|\\u[0-9]{4}")?;
/// assert_eq!(analysis::max_len(&store, escaped), Some(6));
/// let word = store.regex("[a-z]+")?;
/// assert_eq!(analysis::max_len(&store, word), None);
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn max_len(store: &Store, a: RegularId) -> Option<u32> {
    Some(store.node(a).max).filter(|&max| max != UNBOUNDED)
}

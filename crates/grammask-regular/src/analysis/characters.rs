//! Tests which single characters a language contains.

use crate::store::node::UNBOUNDED;
use crate::{ByteSet, Error, RegularId, Store};

/// Number of characters that make a language a character class.
const MIN_CLASS_CHARACTERS: usize = 2;

/// Ranges of first bytes of UTF-8 characters, each with the number of bytes that follow. They admit some byte
/// strings that are not characters, such as surrogates; no text contains these.
const FIRST_BYTES: [((u8, u8), u32); 4] =
    [((0, 0x7F), 0), ((0xC2, 0xDF), 1), ((0xE0, 0xEF), 2), ((0xF0, 0xF4), 3)];

/// Maximum length of one character in any escaped form, in bytes.
pub const MAX_ESCAPED_CHARACTER_BYTES: u32 = 16;

/// Returns true if at least two single characters are strings of `a`.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// As [`has_characters`].
pub fn is_character_class(store: &mut Store, a: RegularId) -> Result<bool, Error> {
    has_characters(store, a, MIN_CLASS_CHARACTERS)
}

/// Returns true if at least `least` single characters are strings of `a`.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// One derivative for each byte class of `a`. If `a` has fewer than `least` ASCII characters, also some
/// derivatives for each class of first bytes of other characters.
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
    for (bytes, more) in FIRST_BYTES {
        if missing > 0 {
            missing -= single_characters(store, a, bytes, more, missing)?;
        }
    }
    Ok(missing == 0)
}

/// Counts the single characters in `a` whose first byte is in a range and that have `more` bytes after it.
/// Stops at `most`. The recursion is at most four levels deep.
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
        let after = store.derivative(a, byte)?;
        let each = match more {
            _ if after == RegularId::EMPTY => 0,
            0 => usize::from(store.is_nullable(after)),
            _ => single_characters(store, after, (0x80, 0xBF), more - 1, most - found)?,
        };
        found += alike.len() * each;
    }
    Ok(found.min(most))
}

/// Returns an upper bound of the lengths of the strings of `a`, in bytes. Returns `None` if the attributes of
/// the expression contain no bound.
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

//! Partitions of the 256 bytes into classes of bytes that need not be distinguished.

use crate::ByteSet;

/// A partition of the bytes 0 to 255. Classes are numbered in the order of their smallest byte.
///
/// ```
/// use grammask_regular::{ByteClasses, ByteSet};
/// let mut classes = ByteClasses::new();
/// classes.split(&ByteSet::range(b'0', b'9'));
/// assert_eq!(classes.len(), 2);
/// assert_eq!(classes.class_of(b'3'), classes.class_of(b'7'));
/// assert_ne!(classes.class_of(b'3'), classes.class_of(b'x'));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ByteClasses {
    map: [u8; 256],
    len: u16,
}

impl Default for ByteClasses {
    fn default() -> Self {
        Self::new()
    }
}

impl ByteClasses {
    /// Returns the partition with one class of all bytes.
    pub const fn new() -> Self {
        Self { map: [0; 256], len: 1 }
    }

    /// Splits every class into its bytes that are in `set` and its other bytes.
    ///
    /// # Complexity
    /// Time O(256).
    pub fn split(&mut self, set: &ByteSet) {
        self.split_all([set], &ByteSet::EMPTY);
    }

    /// Gives every byte of `set` a class of its own.
    ///
    /// # Complexity
    /// Time O(256).
    pub fn split_each(&mut self, set: &ByteSet) {
        let mut renumbered = [u16::MAX; 512];
        let key =
            |byte: u8, class| if set.contains(byte) { 256 + usize::from(byte) } else { usize::from(class) };
        self.renumber(key, &mut renumbered);
    }

    /// Splits by each of the sets, and gives every byte of `single` a class of its own.
    ///
    /// # Complexity
    /// Time O(256), and O(classes) for each set.
    pub(crate) fn split_all<'a>(&mut self, sets: impl IntoIterator<Item = &'a ByteSet>, single: &ByteSet) {
        let mut classes = self.classes();
        for set in sets {
            for place in 0..classes.len() {
                let inside = classes[place].intersection(set);
                if !inside.is_empty() && inside != classes[place] {
                    classes[place] = classes[place].intersection(&set.complement());
                    classes.push(inside);
                }
            }
        }
        for (number, class) in classes.iter().enumerate() {
            class.iter().for_each(|byte| self.map[usize::from(byte)] = class_number(number));
        }
        self.split_each(single);
    }

    /// Returns the bytes of all classes, in the order of their numbers.
    ///
    /// # Complexity
    /// Time O(256).
    pub fn classes(&self) -> Vec<ByteSet> {
        let mut classes = vec![ByteSet::EMPTY; self.len()];
        for (byte, &class) in each_byte().zip(&self.map) {
            classes[usize::from(class)].insert(byte);
        }
        classes
    }

    /// Returns the partition in which two bytes are in one class iff they have equal keys.
    pub(crate) fn by_key(mut key: impl FnMut(u8) -> u32) -> Self {
        let mut result = Self::new();
        let mut keys: Vec<u32> = Vec::new();
        // Adjacent bytes usually have equal keys.
        let mut last = (0, usize::MAX);
        for byte in 0..=255u8 {
            let key = key(byte);
            if last != (key, last.1) || last.1 == usize::MAX {
                let class = keys.iter().rposition(|&k| k == key).unwrap_or_else(|| {
                    keys.push(key);
                    keys.len() - 1
                });
                last = (key, class);
            }
            result.map[usize::from(byte)] = class_number(last.1);
        }
        result.len = u16::try_from(keys.len()).unwrap_or(256);
        result
    }

    /// As [`by_key`](Self::by_key), for keys below `end`.
    pub(crate) fn by_pair(key: impl Fn(u8) -> usize, end: usize) -> Self {
        let mut result = Self::new();
        result.renumber(|byte, _| key(byte), &mut vec![u16::MAX; end]);
        result
    }

    /// Makes one class of all bytes with equal keys. `key` takes a byte and its old class. `renumbered` has
    /// an entry for each key, `u16::MAX` at the start.
    fn renumber(&mut self, key: impl Fn(u8, u8) -> usize, renumbered: &mut [u16]) {
        let mut len = 0;
        for (byte, class) in each_byte().zip(&mut self.map) {
            let number = &mut renumbered[key(byte, *class)];
            if *number == u16::MAX {
                *number = len;
                len += 1;
            }
            *class = class_number(usize::from(*number));
        }
        self.len = len;
    }

    /// Returns the class of a byte, which is below [`ByteClasses::len`].
    #[inline]
    pub const fn class_of(&self, byte: u8) -> u8 {
        self.map[byte as usize]
    }

    /// Returns the number of classes, 1 to 256.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns false: a partition has at least one class.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the smallest byte of a class, and 0 for a class that does not exist.
    pub fn representative(&self, class: u8) -> u8 {
        (0..=255).find(|&byte| self.class_of(byte) == class).unwrap_or(0)
    }

    /// Returns the bytes of a class, and no bytes for a class that does not exist.
    pub fn members(&self, class: u8) -> ByteSet {
        (0..=255).filter(|&byte| self.class_of(byte) == class).collect()
    }
}

/// Returns all bytes in order. Unlike `0..=u8::MAX`, each step is one comparison.
#[expect(clippy::cast_possible_truncation, reason = "the range ends at 256")]
pub(super) fn each_byte() -> impl Iterator<Item = u8> {
    (0..256_u16).map(|byte| byte as u8)
}

/// Returns the number of a class as a byte.
#[expect(clippy::cast_possible_truncation, reason = "there are at most 256 classes")]
fn class_number(class: usize) -> u8 {
    class as u8
}

#[cfg(test)]
mod tests {
    use super::ByteClasses;
    use crate::ByteSet;

    #[test]
    fn classes_are_numbered_by_their_smallest_byte() {
        let mut classes = ByteClasses::new();
        classes.split(&ByteSet::range(b'a', b'z'));
        classes.split(&ByteSet::range(b'm', 255));
        assert_eq!(classes.len(), 4);
        let order: Vec<u8> = (0..4).map(|class| classes.representative(class)).collect();
        assert_eq!(order, [0, b'a', b'm', b'{']);
        assert_eq!(classes.members(1), ByteSet::range(b'a', b'l'));
    }

    #[test]
    fn by_key_agrees_with_by_pair() {
        let key = |byte: u8| u32::from(byte) * 37 % 11;
        let classes = ByteClasses::by_key(key);
        assert_eq!(classes.len(), 11);
        assert_eq!(classes, ByteClasses::by_pair(|byte| key(byte) as usize, 11));
        let mut split = ByteClasses::new();
        (0..11).for_each(|class| split.split(&classes.members(class)));
        assert_eq!(split, classes);
    }

    #[test]
    fn split_each_agrees_with_single_splits() {
        let mut one_by_one = ByteClasses::new();
        one_by_one.split(&ByteSet::range(b'a', b'z'));
        let mut at_once = one_by_one.clone();
        let set: ByteSet = b"amz{~".iter().copied().collect();
        set.iter().for_each(|byte| one_by_one.split(&ByteSet::single(byte)));
        at_once.split_each(&set);
        assert_eq!(at_once, one_by_one);
    }

    #[test]
    fn all_bytes_can_be_separate_classes() {
        let mut classes = ByteClasses::new();
        (0..=255).for_each(|byte| classes.split(&ByteSet::single(byte)));
        assert_eq!(classes.len(), 256);
        assert!((0..=255).all(|byte| classes.class_of(byte) == byte && classes.representative(byte) == byte));
        assert_eq!(classes, ByteClasses::by_key(u32::from));
    }
}

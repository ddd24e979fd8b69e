//! Lists of fixed length, such as the children of an expression. Short lists are stored in place, so most
//! expressions need no allocation.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// A list of fixed length that dereferences to a slice. Up to `N` entries, and at most 255, are stored in
/// place; a longer list is a vector.
///
/// ```
/// use grammask_syntax::{ExprId, InlineList};
///
/// let list: InlineList<ExprId> = [ExprId(0), ExprId(1)].into();
/// assert_eq!(list.len(), 2);
/// assert_eq!(list, vec![ExprId(0), ExprId(1)].into());
/// ```
#[derive(Clone)]
pub struct InlineList<T, const N: usize = 6>(Repr<T, N>);

#[derive(Clone)]
enum Repr<T, const N: usize> {
    Inline { len: u8, entries: [T; N] },
    Heap(Vec<T>),
}

impl<T, const N: usize> Default for InlineList<T, N> {
    fn default() -> Self {
        Self(Repr::Heap(Vec::new()))
    }
}

impl<T, const N: usize> Deref for InlineList<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Repr::Inline { len, entries } => &entries[..usize::from(*len)],
            Repr::Heap(entries) => entries,
        }
    }
}

impl<T, const N: usize> DerefMut for InlineList<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Repr::Inline { len, entries } => &mut entries[..usize::from(*len)],
            Repr::Heap(entries) => entries,
        }
    }
}

impl<T: Copy, const N: usize> InlineList<T, N> {
    /// Stores the entries in place. Returns `None` if there are none, or more than `N` or than 255.
    fn inline(entries: &[T]) -> Option<Self> {
        let mut inline = [*entries.first()?; N];
        inline.get_mut(..entries.len())?.copy_from_slice(entries);
        Some(Self(Repr::Inline { len: u8::try_from(entries.len()).ok()?, entries: inline }))
    }
}

impl<T: Copy, const N: usize> From<&[T]> for InlineList<T, N> {
    fn from(entries: &[T]) -> Self {
        Self::inline(entries).unwrap_or_else(|| Self(Repr::Heap(entries.to_vec())))
    }
}

impl<T: Copy, const LEN: usize, const N: usize> From<[T; LEN]> for InlineList<T, N> {
    fn from(entries: [T; LEN]) -> Self {
        Self::from(&entries[..])
    }
}

impl<T: Copy, const N: usize> From<Vec<T>> for InlineList<T, N> {
    fn from(entries: Vec<T>) -> Self {
        Self::inline(&entries).unwrap_or(Self(Repr::Heap(entries)))
    }
}

impl<T: Copy, const N: usize> FromIterator<T> for InlineList<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        let mut entries = entries.into_iter();
        let Some(first) = entries.next() else { return Self(Repr::Heap(Vec::new())) };
        let (mut inline, mut len) = ([first; N], 1);
        while let Some(entry) = entries.next() {
            match inline.get_mut(len) {
                Some(slot) => *slot = entry,
                None => {
                    let mut list = inline.to_vec();
                    list.push(entry);
                    list.extend(entries);
                    return Self(Repr::Heap(list));
                }
            }
            len += 1;
        }
        Self(match u8::try_from(len) {
            Ok(len) => Repr::Inline { len, entries: inline },
            Err(_) => Repr::Heap(inline[..len].to_vec()),
        })
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a InlineList<T, N> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: PartialEq, const N: usize> PartialEq for InlineList<T, N> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Eq, const N: usize> Eq for InlineList<T, N> {}

impl<T: std::hash::Hash, const N: usize> std::hash::Hash for InlineList<T, N> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self[..].hash(state);
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for InlineList<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

#[cfg(feature = "serde")]
impl<T: serde::Serialize, const N: usize> serde::Serialize for InlineList<T, N> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self[..].serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de, T: Copy + serde::Deserialize<'de>, const N: usize> serde::Deserialize<'de> for InlineList<T, N> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::InlineList;
    use crate::ExprId;

    const N: usize = 2;

    #[test]
    fn list_has_the_entries_it_was_built_from() {
        for count in 0..3 * N as u32 {
            let ids: Vec<ExprId> = (0..count).map(ExprId).collect();
            let mut list: InlineList<ExprId, N> = ids.clone().into();
            assert!(
                list[..] == ids[..]
                    && list == InlineList::from(&ids[..])
                    && list == ids.iter().copied().collect()
            );
            if let Some(first) = list.first_mut() {
                *first = ExprId(99);
                assert_eq!((list.len(), list[0]), (ids.len(), ExprId(99)));
            }
        }
    }

    #[test]
    fn more_than_255_entries_are_a_vector() {
        for count in [255, 256, 257, 300, 301] {
            let ids: Vec<ExprId> = (0..count).map(ExprId).collect();
            let list: InlineList<ExprId, 300> = ids.clone().into();
            let collected: InlineList<ExprId, 300> = ids.iter().copied().collect();
            assert!(list[..] == ids[..] && collected[..] == ids[..], "{count}");
        }
    }
}

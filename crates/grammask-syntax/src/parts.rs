//! Lists of ids that do not grow, as the children of expressions: few stand in place, so that most of them need no allocation.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// So many stand in place.
const FEW: usize = 6;

/// What something is made of, in order, as the children of an expression: a slice wherever one is asked for. Made of a vector or an array
/// by `into`.
///
/// ```
/// use grammask_syntax::{ExprId, Parts};
///
/// let parts = Parts::from([ExprId(0), ExprId(1)]);
/// assert_eq!(parts.len(), 2);
/// assert_eq!(parts, Parts::from(vec![ExprId(0), ExprId(1)]));
/// ```
#[derive(Clone)]
pub struct Parts<T>(Repr<T>);

#[derive(Clone)]
enum Repr<T> {
    Few { len: u8, parts: [T; FEW] },
    Many(Vec<T>),
}

impl<T> Deref for Parts<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Repr::Few { len, parts } => &parts[..usize::from(*len)],
            Repr::Many(parts) => parts,
        }
    }
}

impl<T> DerefMut for Parts<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Repr::Few { len, parts } => &mut parts[..usize::from(*len)],
            Repr::Many(parts) => parts,
        }
    }
}

impl<T: Copy> Parts<T> {
    /// If there are few, but some.
    fn few(parts: &[T]) -> Option<Self> {
        let mut few = [*parts.first()?; FEW];
        few.get_mut(..parts.len())?.copy_from_slice(parts);
        Some(Self(Repr::Few { len: parts.len() as u8, parts: few }))
    }
}

impl<T: Copy> From<&[T]> for Parts<T> {
    fn from(parts: &[T]) -> Self {
        Self::few(parts).unwrap_or_else(|| Self(Repr::Many(parts.to_vec())))
    }
}

impl<T: Copy, const N: usize> From<[T; N]> for Parts<T> {
    fn from(parts: [T; N]) -> Self {
        Self::from(&parts[..])
    }
}

impl<T: Copy> From<Vec<T>> for Parts<T> {
    fn from(parts: Vec<T>) -> Self {
        Self::few(&parts).unwrap_or(Self(Repr::Many(parts)))
    }
}

impl<T: Copy> FromIterator<T> for Parts<T> {
    fn from_iter<I: IntoIterator<Item = T>>(parts: I) -> Self {
        parts.into_iter().collect::<Vec<T>>().into()
    }
}

impl<'a, T> IntoIterator for &'a Parts<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: PartialEq> PartialEq for Parts<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Eq> Eq for Parts<T> {}

impl<T: std::hash::Hash> std::hash::Hash for Parts<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self[..].hash(state);
    }
}

impl<T: fmt::Debug> fmt::Debug for Parts<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

#[cfg(feature = "serde")]
impl<T: serde::Serialize> serde::Serialize for Parts<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self[..].serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de, T: Copy + serde::Deserialize<'de>> serde::Deserialize<'de> for Parts<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, Parts};
    use crate::ExprId;

    #[test]
    fn parts_are_what_they_were_made_of() {
        for count in 0..2 * FEW as u32 {
            let ids: Vec<ExprId> = (0..count).map(ExprId).collect();
            let mut parts = Parts::from(ids.clone());
            assert!(parts[..] == ids[..] && parts == Parts::from(&ids[..]));
            if let Some(first) = parts.first_mut() {
                *first = ExprId(99);
                assert_eq!((parts.len(), parts[0]), (ids.len(), ExprId(99)));
            }
        }
    }
}

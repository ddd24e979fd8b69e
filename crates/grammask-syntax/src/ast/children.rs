//! Lists of ids that do not grow, as the children of expressions: few stand in place, so that most of them need no allocation.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// What something is made of, in order, as the children of an expression: a slice wherever one is asked for. Made of a vector or an array
/// by `into`. Up to `FEW` of them stand in place.
///
/// ```
/// use grammask_syntax::{ExprId, Parts};
///
/// let parts: Parts<ExprId> = [ExprId(0), ExprId(1)].into();
/// assert_eq!(parts.len(), 2);
/// assert_eq!(parts, vec![ExprId(0), ExprId(1)].into());
/// ```
#[derive(Clone)]
pub struct Parts<T, const FEW: usize = 6>(Repr<T, FEW>);

#[derive(Clone)]
enum Repr<T, const FEW: usize> {
    Few { len: u8, parts: [T; FEW] },
    Many(Vec<T>),
}

impl<T, const FEW: usize> Default for Parts<T, FEW> {
    fn default() -> Self {
        Self(Repr::Many(Vec::new()))
    }
}

impl<T, const FEW: usize> Deref for Parts<T, FEW> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Repr::Few { len, parts } => &parts[..usize::from(*len)],
            Repr::Many(parts) => parts,
        }
    }
}

impl<T, const FEW: usize> DerefMut for Parts<T, FEW> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Repr::Few { len, parts } => &mut parts[..usize::from(*len)],
            Repr::Many(parts) => parts,
        }
    }
}

impl<T: Copy, const FEW: usize> Parts<T, FEW> {
    /// If there are few, but some.
    fn few(parts: &[T]) -> Option<Self> {
        let mut few = [*parts.first()?; FEW];
        few.get_mut(..parts.len())?.copy_from_slice(parts);
        Some(Self(Repr::Few { len: parts.len() as u8, parts: few }))
    }
}

impl<T: Copy, const FEW: usize> From<&[T]> for Parts<T, FEW> {
    fn from(parts: &[T]) -> Self {
        Self::few(parts).unwrap_or_else(|| Self(Repr::Many(parts.to_vec())))
    }
}

impl<T: Copy, const N: usize, const FEW: usize> From<[T; N]> for Parts<T, FEW> {
    fn from(parts: [T; N]) -> Self {
        Self::from(&parts[..])
    }
}

impl<T: Copy, const FEW: usize> From<Vec<T>> for Parts<T, FEW> {
    fn from(parts: Vec<T>) -> Self {
        Self::few(&parts).unwrap_or(Self(Repr::Many(parts)))
    }
}

impl<T: Copy, const FEW: usize> FromIterator<T> for Parts<T, FEW> {
    fn from_iter<I: IntoIterator<Item = T>>(parts: I) -> Self {
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else { return Self(Repr::Many(Vec::new())) };
        let (mut few, mut len) = ([first; FEW], 1);
        while let Some(part) = parts.next() {
            match few.get_mut(len) {
                Some(place) => *place = part,
                None => {
                    let mut many = few.to_vec();
                    many.push(part);
                    many.extend(parts);
                    return Self(Repr::Many(many));
                }
            }
            len += 1;
        }
        Self(Repr::Few { len: len as u8, parts: few })
    }
}

impl<'a, T, const FEW: usize> IntoIterator for &'a Parts<T, FEW> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: PartialEq, const FEW: usize> PartialEq for Parts<T, FEW> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Eq, const FEW: usize> Eq for Parts<T, FEW> {}

impl<T: std::hash::Hash, const FEW: usize> std::hash::Hash for Parts<T, FEW> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self[..].hash(state);
    }
}

impl<T: fmt::Debug, const FEW: usize> fmt::Debug for Parts<T, FEW> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

#[cfg(feature = "serde")]
impl<T: serde::Serialize, const FEW: usize> serde::Serialize for Parts<T, FEW> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self[..].serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de, T: Copy + serde::Deserialize<'de>, const FEW: usize> serde::Deserialize<'de> for Parts<T, FEW> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::Parts;
    use crate::ExprId;

    const FEW: usize = 2;

    #[test]
    fn parts_are_what_they_were_made_of() {
        for count in 0..3 * FEW as u32 {
            let ids: Vec<ExprId> = (0..count).map(ExprId).collect();
            let mut parts: Parts<ExprId, FEW> = ids.clone().into();
            assert!(
                parts[..] == ids[..]
                    && parts == Parts::from(&ids[..])
                    && parts == ids.iter().copied().collect()
            );
            if let Some(first) = parts.first_mut() {
                *first = ExprId(99);
                assert_eq!((parts.len(), parts[0]), (ids.len(), ExprId(99)));
            }
        }
    }
}

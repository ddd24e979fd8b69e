//! The texts in a tree. Short texts are stored in place and long texts are shared, so copying and dropping a
//! tree of a million texts does not take a million allocations.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use grammask_work::narrow;

/// Maximum length of a text that is stored in place, in bytes. With the length and the tag, it makes a
/// [`Text`] as large as its other variants: 32 bytes.
const MAX_INLINE_BYTES: usize = 30;

/// An immutable text that dereferences to [`str`]. Cloning it does not allocate.
///
/// ```
/// use grammask_syntax::Text;
///
/// let text = Text::from("start");
/// assert_eq!(text, "start");
/// assert_eq!(text.len(), 5);
/// assert_eq!(String::from(text), "start");
/// ```
#[derive(Clone)]
pub struct Text(Repr);

#[derive(Clone)]
enum Repr {
    Inline {
        len: u8,
        bytes: [u8; MAX_INLINE_BYTES],
    },
    Long(Arc<str>),
    /// The half-open byte range `start..end` of a text that several share.
    Shared {
        of: Arc<str>,
        start: u32,
        end: u32,
    },
}

impl Text {
    /// Returns the text as a string slice.
    #[inline]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            // The bytes were copied from a `str`.
            Repr::Inline { .. } => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Repr::Long(text) => text,
            Repr::Shared { of, start, end } => &of[*start as usize..*end as usize],
        }
    }

    /// Returns the bytes of the text.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Inline { len, bytes } => &bytes[..usize::from(*len)],
            Repr::Long(text) => text.as_bytes(),
            Repr::Shared { of, start, end } => &of.as_bytes()[*start as usize..*end as usize],
        }
    }

    /// Converts texts, and stores the bytes of all long ones in one allocation.
    ///
    /// ```
    /// use grammask_syntax::Text;
    ///
    /// let texts = ["a".to_owned(), "b".repeat(100), "c".repeat(100)];
    /// let all = Text::share_storage(texts.iter().map(String::as_str));
    /// assert!(all.iter().zip(&texts).all(|(one, other)| one == other));
    /// ```
    pub fn share_storage<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Vec<Self> {
        let is_long = |text: &&str| text.len() > MAX_INLINE_BYTES;
        let length = texts.clone().filter(is_long).map(str::len).sum();
        // Offsets have 32 bits. Longer texts are stored separately.
        if length == 0 || u32::try_from(length).is_err() {
            return texts.map(Self::from).collect();
        }
        let mut all = String::with_capacity(length);
        texts.clone().filter(is_long).for_each(|text| all.push_str(text));
        let all: Arc<str> = all.into();
        let mut start = 0;
        let part = |text: &'a str| {
            if !is_long(&text) {
                return Self::from(text);
            }
            let end = start + narrow(text.len());
            let part = Repr::Shared { of: Arc::clone(&all), start, end };
            start = end;
            Self(part)
        };
        texts.map(part).collect()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        let mut bytes = [0; MAX_INLINE_BYTES];
        if let Ok(len) = u8::try_from(text.len())
            && let Some(place) = bytes.get_mut(..text.len())
        {
            place.copy_from_slice(text.as_bytes());
            return Self(Repr::Inline { len, bytes });
        }
        Self(Repr::Long(text.into()))
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.as_str().to_owned()
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::from("")
    }
}

impl Deref for Text {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq for Text {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<String> for Text {
    fn eq(&self, other: &String) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Hash for Text {
    /// Equals the hash of the `str`, without validation of UTF-8.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(self.as_bytes());
        state.write_u8(0xFF);
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Text {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_str().serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

    use super::{MAX_INLINE_BYTES, Text};

    #[test]
    fn text_equals_the_string_it_was_built_from() {
        assert_eq!(size_of::<Text>(), 32);
        let hash = BuildHasherDefault::<DefaultHasher>::default();
        let texts: Vec<String> = (0..3 * MAX_INLINE_BYTES).map(|len| "é".repeat(len)).collect();
        let all = Text::share_storage(texts.iter().map(String::as_str));
        for (text, part) in texts.iter().zip(all) {
            let alone = Text::from(text);
            assert!(alone == *text && part == *text && alone == part);
            assert_eq!((alone.as_str(), part.as_str()), (&**text, &**text));
            assert_eq!(hash.hash_one(&alone), hash.hash_one(text));
            assert_eq!(hash.hash_one(&part), hash.hash_one(text));
            assert_eq!(format!("{alone} {part:?}"), format!("{text} {text:?}"));
        }
    }
}

//! Characters and short texts, as far as single bytes and lengths tell them.

use crate::node::UNBOUNDED;
use crate::{ByteSet, Error, RegularId, Store};

/// Of so many ASCII characters or more, texts are made.
const MANY: usize = 16;

impl Store {
    /// The bytes that are strings of `a` by themselves.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// One derivative for each byte class of `a`.
    ///
    /// ```
    /// # use grammask_regular::{ByteSet, Config, Store};
    /// let mut store = Store::new(&Config::default());
    /// let escaped = store.regex(r"[a-z]|\\[nt]|[0-9]{2,}")?;
    /// assert_eq!(store.single_bytes(escaped)?, ByteSet::range(b'a', b'z'));
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn single_bytes(&mut self, a: RegularId) -> Result<ByteSet, Error> {
        let partition = self.node(a).partition;
        let mut single = ByteSet::EMPTY;
        for class in 0..self.partitions.len(partition) {
            let byte = self.partitions.representative(partition, class);
            let behind = self.derivative(a, byte)?;
            if self.is_nullable(behind) {
                single = single.union(self.partitions.class(partition, class));
            }
        }
        Ok(single)
    }

    /// Whether texts are made of the strings of `a`: at least sixteen ASCII characters are among them.
    ///
    /// # Errors
    /// When a limit is exceeded.
    ///
    /// # Complexity
    /// As [`single_bytes`](Self::single_bytes).
    pub fn makes_texts(&mut self, a: RegularId) -> Result<bool, Error> {
        Ok(self.single_bytes(a)?.iter().filter(u8::is_ascii).count() >= MANY)
    }

    /// A length in bytes that no string of `a` exceeds, as far as its expression tells it.
    ///
    /// # Complexity
    /// Constant.
    pub fn longest(&self, a: RegularId) -> Option<u32> {
        Some(self.node(a).max).filter(|&max| max != UNBOUNDED)
    }
}

//! A shared pointer whose last owner does not wait until a large value is freed.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::thread::Builder;

/// Bytes of a value that is freed by the thread that drops it: that takes less than a millisecond.
const MAX_BYTES_FREED_HERE: usize = 1 << 20;

/// A value that knows its size.
pub trait HeapSize: Send + Sync + 'static {
    /// Returns the bytes that the value holds on the heap, approximately.
    fn heap_bytes(&self) -> usize;
}

/// An [`Arc`] whose last owner hands a large value to a thread of its own, which frees it.
///
/// Freeing tables of some ten megabytes takes as long as thousands of masks. The thread that happens to be
/// the last owner would have to wait. Where no thread can be started, it does.
///
/// ```
/// use grammask_cache::{HeapSize, Shared};
///
/// struct Table(Vec<u8>);
/// impl HeapSize for Table {
///     fn heap_bytes(&self) -> usize {
///         self.0.len()
///     }
/// }
///
/// let table = Shared::new(Table(vec![0; 1 << 22]));
/// let other = table.clone();
/// drop(table);
/// assert_eq!(other.0.len(), 1 << 22);
/// ```
pub struct Shared<T: HeapSize> {
    /// Present until it is dropped.
    value: Option<Arc<T>>,
}

impl<T: HeapSize> Shared<T> {
    /// Shares a value.
    pub fn new(value: T) -> Self {
        Self::from(Arc::new(value))
    }

    /// Returns true if both refer to one value.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(self.arc(), other.arc())
    }

    /// Returns the pointer, for callers that keep no owner of their own.
    pub fn arc(&self) -> &Arc<T> {
        self.value.as_ref().expect("it is present until it is dropped")
    }
}

impl<T: HeapSize> From<Arc<T>> for Shared<T> {
    fn from(value: Arc<T>) -> Self {
        Self { value: Some(value) }
    }
}

impl<T: HeapSize> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self::from(Arc::clone(self.arc()))
    }
}

impl<T: HeapSize> Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.arc()
    }
}

impl<T: HeapSize> Drop for Shared<T> {
    fn drop(&mut self) {
        let Some(value) = self.value.take() else { return };
        if Arc::strong_count(&value) == 1 && value.heap_bytes() <= MAX_BYTES_FREED_HERE {
            // Dropping the pointer frees the value where it is. Taking it out would copy it.
            return;
        }
        if let Some(value) = Arc::into_inner(value)
            && value.heap_bytes() > MAX_BYTES_FREED_HERE
        {
            // If no thread can be started, the closure is dropped here, and the value with it.
            let _ = Builder::new().name("grammask-free".to_owned()).spawn(move || drop(value));
        }
    }
}

impl<T: HeapSize + fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{ThreadId, current};

    use super::*;

    /// Reports the thread that frees it.
    struct Reporter {
        bytes: usize,
        to: Sender<ThreadId>,
    }

    impl HeapSize for Reporter {
        fn heap_bytes(&self) -> usize {
            self.bytes
        }
    }

    impl Drop for Reporter {
        fn drop(&mut self) {
            let _ = self.to.send(current().id());
        }
    }

    #[test]
    fn only_the_last_owner_frees_and_large_values_are_freed_by_another_thread() {
        for (bytes, is_here) in [(0, true), (MAX_BYTES_FREED_HERE, true), (MAX_BYTES_FREED_HERE + 1, false)] {
            let (to, freed) = channel();
            let one = Shared::new(Reporter { bytes, to });
            let other = one.clone();
            assert!(one.ptr_eq(&other));
            drop(one);
            assert!(freed.try_recv().is_err(), "there is another owner");
            drop(other);
            let thread = freed.recv().expect("it is freed");
            assert_eq!(thread == current().id(), is_here, "{bytes} bytes");
        }
    }
}

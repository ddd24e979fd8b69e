//! `std::sync::OnceLock` for models, which loom does not provide. A thread that sees the cell full sees the
//! writes that precede its filling, and no later ones.

use std::sync;

use loom::sync::Mutex;

use super::atomic::{AtomicBool, Ordering};

/// A cell that is filled at most once.
///
/// A `OnceLock` of `std` holds the value, because it can return references. Loom models whether the value may
/// be read: it explores all values that an acquiring load of `is_full` may return, older ones included.
pub(crate) struct OnceLock<T> {
    value: sync::OnceLock<Published<T>>,
    is_full: AtomicBool,
    filling: Mutex<()>,
}

/// A value, and an atomic created with it. Loom fails a model that reads the atomic without a happens-before
/// relation to its creation, so the value is not read too early either.
struct Published<T> {
    value: T,
    witness: AtomicBool,
}

impl<T> OnceLock<T> {
    pub(crate) fn new() -> Self {
        Self { value: sync::OnceLock::new(), is_full: AtomicBool::new(false), filling: Mutex::new(()) }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        if !self.is_full.load(Ordering::Acquire) {
            return None;
        }
        let published = self.value.get()?;
        published.witness.load(Ordering::Relaxed);
        Some(&published.value)
    }

    pub(crate) fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        if let Some(value) = self.get() {
            return value;
        }
        let filling = self.filling.lock().expect("models stop at a panic");
        if self.get().is_none() {
            let published = Published { value: make(), witness: AtomicBool::new(true) };
            assert!(self.value.set(published).is_ok(), "filled once");
            self.is_full.store(true, Ordering::Release);
        }
        drop(filling);
        self.get().expect("full by now")
    }
}

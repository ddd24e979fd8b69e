//! `std::sync::OnceLock` for models, as loom has none: who sees that it is full sees what was written before it was
//! filled, and nobody sees more than that.

use std::sync;

use loom::sync::Mutex;

use super::atomic::{AtomicBool, Ordering};

/// A place that is filled at most once.
///
/// The value lies in a `OnceLock` of `std`, which hands out references. Whether it may be looked at is what loom
/// knows: a model goes through all that an acquiring load of `is_full` may give, the past included.
pub(crate) struct OnceLock<T> {
    value: sync::OnceLock<Published<T>>,
    is_full: AtomicBool,
    filling: Mutex<()>,
}

/// A value, and an atomic that is made with it: loom ends a model in which it is read by a thread that its making
/// does not happen before, so the value is not read too early either.
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
        let filling = self.filling.lock().expect("no model goes on after a panic");
        if self.get().is_none() {
            let published = Published { value: make(), witness: AtomicBool::new(true) };
            assert!(self.value.set(published).is_ok(), "filled once");
            self.is_full.store(true, Ordering::Release);
        }
        drop(filling);
        self.get().expect("full by now")
    }
}

//! A value that one call at a time uses, and that a panic closes for good.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, TryLockError};

use pyo3::prelude::*;

use crate::errors;

/// A value behind a lock that is never waited for: a second call while the first one runs is an error.
///
/// Python code may share an object between threads. Waiting for the lock while holding the GIL could deadlock
/// with a call that has released it.
pub struct Guarded<T> {
    name: &'static str,
    slot: Mutex<Slot<T>>,
}

enum Slot<T> {
    Ready(T),
    /// Taken out by a batch.
    InUse,
    /// The message of the panic that left the value in an unknown state.
    Panicked(String),
}

impl<T> Guarded<T> {
    /// Wraps `value`; `name` is how messages call the object.
    pub const fn new(name: &'static str, value: T) -> Self {
        Self { name, slot: Mutex::new(Slot::Ready(value)) }
    }

    /// Runs `work` on the value.
    ///
    /// # Errors
    /// If another call uses the value, if an earlier call has panicked, and if `work` panics or fails.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> PyResult<R>) -> PyResult<R> {
        let mut slot = match self.slot.try_lock() {
            Ok(slot) => slot,
            Err(TryLockError::Poisoned(slot)) => slot.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(errors::in_use(self.name)),
        };
        let value = match &mut *slot {
            Slot::Ready(value) => value,
            Slot::InUse => return Err(errors::in_use(self.name)),
            Slot::Panicked(message) => return Err(errors::closed_by_panic(self.name, message)),
        };
        match catch_unwind(AssertUnwindSafe(|| work(value))) {
            Ok(result) => result,
            Err(panic) => {
                let message = panic_message(&*panic);
                *slot = Slot::Panicked(message.clone());
                Err(errors::panicked(&message))
            }
        }
    }

    /// Takes the value out, for a call that needs many values side by side; [`put_back`](Self::put_back) ends
    /// it.
    ///
    /// # Errors
    /// As [`with`](Self::with).
    pub fn take(&self) -> PyResult<T> {
        let mut slot = match self.slot.try_lock() {
            Ok(slot) => slot,
            Err(TryLockError::Poisoned(slot)) => slot.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(errors::in_use(self.name)),
        };
        match std::mem::replace(&mut *slot, Slot::InUse) {
            Slot::Ready(value) => Ok(value),
            Slot::InUse => Err(errors::in_use(self.name)),
            Slot::Panicked(message) => {
                let error = errors::closed_by_panic(self.name, &message);
                *slot = Slot::Panicked(message);
                Err(error)
            }
        }
    }

    /// Gives back what [`take`](Self::take) took, or the message of the panic that lost it.
    pub fn put_back(&self, value: Result<T, String>) {
        let mut slot = self.slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *slot = match value {
            Ok(value) => Slot::Ready(value),
            Err(message) => Slot::Panicked(message),
        };
    }
}

/// Runs `work`; a panic becomes an exception.
///
/// # Errors
/// Those of `work`, and its panic.
pub fn catching<R>(work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(panic) => Err(errors::panicked(&panic_message(&*panic))),
    }
}

/// The text of a panic.
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

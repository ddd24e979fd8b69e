//! A value that threads share for a while: the first one that needs it makes it, and makes a new one for a
//! later number.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Holds the value of one number at a time; numbers grow.
pub struct Kept<T>(Mutex<Option<(u64, Arc<T>)>>);

impl<T> Kept<T> {
    /// Returns a holder without a value.
    pub const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns the value of a number, which depends on nothing else. A thread that comes late with an earlier
    /// number gets a value of its own.
    ///
    /// # Errors
    /// The error of `make`.
    pub fn get(&self, number: u64, make: impl FnOnce() -> Result<T, String>) -> Result<Arc<T>, String> {
        let mut place = lock(&self.0);
        match &*place {
            Some((kept, value)) if *kept == number => Ok(Arc::clone(value)),
            Some((kept, _)) if *kept > number => {
                drop(place);
                Ok(Arc::new(make()?))
            }
            _ => {
                let value = Arc::new(make()?);
                *place = Some((number, Arc::clone(&value)));
                Ok(value)
            }
        }
    }
}

/// Locks the value, also after a panic of another thread.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

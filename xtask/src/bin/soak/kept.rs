//! What threads share for a while: made by whoever needs it first, made again when its time is over.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A place for the values of growing numbers, which has one of them at a time.
pub struct Kept<T>(Mutex<Option<(u64, Arc<T>)>>);

impl<T> Kept<T> {
    /// A place without a value.
    pub const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// The value of this number, which depends on nothing else. Who comes late for an earlier one gets a value of its own.
    ///
    /// # Errors
    /// That of `make`.
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

/// What is in there, whatever became of who had it last.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

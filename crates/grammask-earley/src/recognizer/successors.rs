//! The successors of one state, for walks that need several of them.
//!
//! The state's row and first bytes are looked up once, when the accessor is created.

use grammask_cache::LazyRow;
use grammask_regular::ByteSet;

use crate::{Error, Recognizer, SetId};

/// Accessor for the successors of one state.
#[derive(Clone, Copy, Debug)]
pub struct Successors<'a> {
    recognizer: &'a Recognizer,
    /// Known successors by class.
    row: &'a LazyRow,
    /// Superset of the bytes that the state takes.
    bytes_bound: &'a ByteSet,
    state: SetId,
}

impl Successors<'_> {
    /// Returns false only if the state has no successor by `byte`. May return true where the successor is
    /// dead.
    #[inline]
    pub fn may_take(&self, byte: u8) -> bool {
        self.bytes_bound.contains(byte)
    }

    /// Returns the successor by `byte`, as [`Recognizer::step`] does.
    ///
    /// # Errors
    /// As [`Recognizer::step`].
    #[inline]
    pub fn step(&self, byte: u8) -> Result<SetId, Error> {
        let class = self.recognizer.network.class_of(byte);
        match self.row.get(class.index()) {
            Some(raw) => Ok(SetId::from_raw(raw)),
            None if !self.bytes_bound.contains(byte) => Ok(SetId::DEAD),
            None => self.recognizer.compute_step(self.state, class),
        }
    }
}

/// Computes the closure of the state if it is unknown.
pub(super) fn with_closure(recognizer: &Recognizer, state: SetId) -> Result<Successors<'_>, Error> {
    let set = recognizer.set(state);
    let closure = match set.closure.get() {
        Some(closure) => closure,
        None => recognizer.closure(set, &mut recognizer.lock())?,
    };
    Ok(Successors { recognizer, row: &set.row, bytes_bound: &closure.bytes_bound, state })
}

/// Uses the closure of the state only if it is known.
#[inline]
pub(super) fn without_closure(recognizer: &Recognizer, state: SetId) -> Successors<'_> {
    let set = recognizer.set(state);
    let bytes_bound = set.closure.get().map_or(&ByteSet::ALL, |closure| &closure.bytes_bound);
    Successors { recognizer, row: &set.row, bytes_bound, state }
}

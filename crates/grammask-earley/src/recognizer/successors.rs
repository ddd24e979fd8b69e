//! The successors of one state, for a walk that asks for some of them: what is known of the state is looked up once.

use grammask_cache::LazyRow;
use grammask_regular::ByteSet;

use crate::{Error, Recognizer, SetId};

/// The successors of one state.
#[derive(Clone, Copy, Debug)]
pub struct Successors<'a> {
    recognizer: &'a Recognizer,
    row: &'a LazyRow,
    most: &'a ByteSet,
    state: SetId,
}

impl Successors<'_> {
    /// Whether the state may go on by a byte, as far as that is clear without a step.
    #[inline]
    pub fn may_take(&self, byte: u8) -> bool {
        self.most.contains(byte)
    }

    /// As [`Recognizer::step`] from the state.
    ///
    /// # Errors
    /// As [`Recognizer::step`].
    #[inline]
    pub fn after(&self, byte: u8) -> Result<SetId, Error> {
        let class = self.recognizer.network.class_of(byte);
        match self.row.get(class.index()) {
            Some(raw) => Ok(SetId::from_raw(raw)),
            None if !self.most.contains(byte) => Ok(SetId::DEAD),
            None => self.recognizer.step_anew(self.state, class),
        }
    }
}

impl Recognizer {
    /// The successors of a state, for asking many of them.
    ///
    /// # Errors
    /// When the set exceeds a limit.
    pub fn successors(&self, state: SetId) -> Result<Successors<'_>, Error> {
        let set = self.set(state);
        let closure = match set.closure.get() {
            Some(closure) => closure,
            None => self.closure(set, &mut self.lock())?,
        };
        Ok(Successors { recognizer: self, row: &set.row, most: &closure.most, state })
    }

    /// The same, for asking few of them: what the state scans is not looked for. Where nobody has done that before, it may take any byte.
    #[inline]
    pub fn few_successors(&self, state: SetId) -> Successors<'_> {
        let set = self.set(state);
        let most = set.closure.get().map_or(&ByteSet::ALL, |closure| &closure.most);
        Successors { recognizer: self, row: &set.row, most, state }
    }
}

//! Cooperative cancellation: polls the caller's callback once every [`STEPS_PER_POLL`] steps, so that loops
//! need no counters of their own.

use grammask_work::count;

/// Number of steps between two polls. 256 steps take some microseconds, so a poll costs nothing measurable
/// and a cancelled call still returns at once.
const STEPS_PER_POLL: usize = 256;

/// Work of one step.
const UNITS_PER_STEP: u64 = 4;

/// A cancellation callback and the steps since its last poll. A call that is cancelled once stays cancelled.
pub(crate) struct Cancellation<'a> {
    is_requested: &'a mut dyn FnMut() -> bool,
    steps_since_poll: usize,
    is_cancelled: bool,
}

impl<'a> Cancellation<'a> {
    /// Wraps a callback that returns true to cancel. The first step polls it.
    pub fn new(is_requested: &'a mut dyn FnMut() -> bool) -> Self {
        Self { is_requested, steps_since_poll: STEPS_PER_POLL, is_cancelled: false }
    }

    /// Counts `steps` of work, and polls if enough have passed. Returns true if the call is cancelled.
    #[inline]
    pub fn poll_after(&mut self, steps: usize) -> bool {
        self.steps_since_poll += steps;
        self.is_cancelled || self.steps_since_poll >= STEPS_PER_POLL && self.is_cancelled()
    }

    /// Polls at once. Returns true if the call is cancelled.
    pub fn is_cancelled(&mut self) -> bool {
        // The steps are work of the current call, too. An exceeded account ends it like a cancellation.
        count(UNITS_PER_STEP * self.steps_since_poll as u64);
        self.steps_since_poll = 0;
        self.is_cancelled |= (self.is_requested)() || grammask_work::is_stopped();
        self.is_cancelled
    }
}

#[cfg(test)]
mod tests {
    use super::{Cancellation, STEPS_PER_POLL};

    #[test]
    fn polls_once_per_interval_and_stays_cancelled() {
        let mut polls = 0;
        let mut is_requested = || {
            polls += 1;
            polls == 3
        };
        let mut cancellation = Cancellation::new(&mut is_requested);
        let steps = (0..).take_while(|_| !cancellation.poll_after(1)).count();
        assert_eq!(steps, 2 * STEPS_PER_POLL);
        assert!(cancellation.is_cancelled() && cancellation.is_cancelled());
    }
}

//! Whoever may stop it: asked every now and then, so that loops need not count for themselves.

/// So many steps are taken between two questions: some microseconds.
const BETWEEN_QUESTIONS: usize = 256;

/// Asks somebody whether to stop. What has been stopped stays so.
pub(crate) struct Stop<'a> {
    ask: &'a mut dyn FnMut() -> bool,
    /// Steps since the last question.
    steps: usize,
    is_stopped: bool,
}

impl<'a> Stop<'a> {
    pub fn new(ask: &'a mut dyn FnMut() -> bool) -> Self {
        // The first step asks.
        Self { ask, steps: BETWEEN_QUESTIONS, is_stopped: false }
    }

    /// Takes so many steps; whether to stop.
    #[inline]
    pub fn after(&mut self, steps: usize) -> bool {
        self.steps += steps;
        self.is_stopped || self.steps >= BETWEEN_QUESTIONS && self.is_stopped()
    }

    /// Whether to stop, asked now.
    pub fn is_stopped(&mut self) -> bool {
        self.steps = 0;
        self.is_stopped |= (self.ask)();
        self.is_stopped
    }
}

#[cfg(test)]
mod tests {
    use super::{BETWEEN_QUESTIONS, Stop};

    #[test]
    fn is_asked_between_many_steps_and_stays_stopped() {
        let mut asked = 0;
        let mut ask = || {
            asked += 1;
            asked == 3
        };
        let mut stop = Stop::new(&mut ask);
        let steps = (0..).take_while(|_| !stop.after(1)).count();
        assert_eq!(steps, 2 * BETWEEN_QUESTIONS);
        assert!(stop.is_stopped() && stop.is_stopped());
    }
}

//! Says on a terminal how far a long run has come, in one line that goes away at the end.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often it says something.
const EVERY: Duration = Duration::from_millis(100);

/// A line on stderr, if that is a terminal.
pub(crate) struct Progress {
    is_terminal: bool,
    told: Instant,
    is_dirty: bool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self { is_terminal: io::stderr().is_terminal(), told: Instant::now(), is_dirty: false }
    }

    /// Says how far it is, unless it has just said something.
    pub(crate) fn tell(&mut self, news: impl Display) {
        if self.is_terminal && self.told.elapsed() >= EVERY {
            // Nobody misses it.
            let _ = write!(io::stderr(), "\r\x1b[K{news}");
            self.told = Instant::now();
            self.is_dirty = true;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_dirty {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

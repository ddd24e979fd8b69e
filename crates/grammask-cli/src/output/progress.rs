//! A progress line on a terminal, removed at the end.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Time between two updates of the line.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// A progress line on stderr, if that is a terminal.
pub(crate) struct Progress {
    is_terminal: bool,
    last_update: Instant,
    /// True if a line is on the terminal.
    is_visible: bool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self { is_terminal: io::stderr().is_terminal(), last_update: Instant::now(), is_visible: false }
    }

    /// Shows a message, unless the line was updated just before.
    pub(crate) fn update(&mut self, message: impl Display) {
        if self.is_terminal && self.last_update.elapsed() >= UPDATE_INTERVAL {
            // Best effort: the line is only informative.
            let _ = write!(io::stderr(), "\r\x1b[K{message}");
            self.last_update = Instant::now();
            self.is_visible = true;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_visible {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

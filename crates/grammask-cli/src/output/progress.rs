//! A progress line on a terminal, removed at the end.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time between two updates of the line.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// Time after which a step has a line of its own.
const MAX_SILENCE: Duration = Duration::from_secs(1);

/// Calls a function. If it takes longer than a second, and stderr is a terminal, a line says since when.
pub(crate) fn during<T>(step: &str, call: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return call();
    }
    let (end, ended) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let (begin, mut progress) = (Instant::now(), Progress::new());
            // The end of the call drops the sender.
            while ended.recv_timeout(MAX_SILENCE) == Err::<(), _>(RecvTimeoutError::Timeout) {
                progress.update(format!("{step}: {} s", begin.elapsed().as_secs()));
            }
        });
        let _end = end;
        call()
    })
}

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

//! CPU time of threads.

use std::path::PathBuf;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Returns the CPU time of the current thread. It has nanoseconds on most systems.
pub fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// A thread whose CPU time other threads can read, on Linux.
#[derive(Clone, Debug)]
pub struct SeenThread(PathBuf);

impl SeenThread {
    /// Returns the current thread. Returns `None` if the system has no such files.
    pub fn current() -> Option<Self> {
        let thread = std::fs::read_link("/proc/thread-self").ok()?;
        Some(Self(PathBuf::from("/proc").join(thread).join("schedstat")))
    }

    /// Returns the CPU time that the system has counted for the thread. It lags behind by up to one tick of
    /// the system, mostly 4 ms.
    pub fn time(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(&self.0).ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_while_a_thread_works() {
        let start = thread_time();
        while thread_time() - start < Duration::from_millis(20) {}
        if let Some(thread) = SeenThread::current() {
            let seen = thread.time().expect("the file of a thread that lives");
            assert!(seen + Duration::from_millis(15) >= thread_time());
        }
    }
}

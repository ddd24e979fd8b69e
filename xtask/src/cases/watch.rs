//! Watches for cases that take too long or too much memory, which no case can report itself.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// No case is allowed to take longer.
const TOO_LONG: Duration = Duration::from_secs(60);

/// Nor may the process grow beyond this, in kilobytes.
const TOO_LARGE: u64 = 6 << 20;

thread_local! {
    static WORK: RefCell<Option<Arc<Mutex<Case>>>> = const { RefCell::new(None) };
}

/// What a thread is at.
struct Case {
    /// The command line that runs it again.
    again: String,
    since: Instant,
    /// What the case is about, as far as it is known.
    topic: String,
}

/// Notes what the case of this thread is about, for when it goes too far.
pub fn note(topic: String) {
    WORK.with_borrow(|work| {
        if let Some(work) = work {
            lock(work).topic = topic;
        }
    });
}

/// The threads that are looked after.
pub struct Watch {
    cases: Arc<Mutex<Vec<Arc<Mutex<Case>>>>>,
}

/// A thread that is looked after, until this is dropped.
pub struct Worker<'w> {
    watch: &'w Watch,
    case: Arc<Mutex<Case>>,
    place: Option<PathBuf>,
}

impl Watch {
    /// Starts a thread that ends the process when a case goes too far.
    pub fn start() -> Self {
        let cases = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&cases);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(200));
                look(&lock(&seen));
            }
        });
        Self { cases }
    }

    /// Looks after this thread, too. The file `place` always has the command line of its case, for when the process ends
    /// without a word.
    pub fn worker(&self, place: Option<PathBuf>) -> Worker<'_> {
        let case =
            Arc::new(Mutex::new(Case { again: String::new(), since: Instant::now(), topic: String::new() }));
        lock(&self.cases).push(Arc::clone(&case));
        WORK.set(Some(Arc::clone(&case)));
        Worker { watch: self, case, place }
    }
}

impl Worker<'_> {
    /// Says which case begins, by the command line that runs it again.
    pub fn enter(&self, again: &str) {
        if let Some(place) = &self.place {
            // Without the file, only the case that kills the process is lost.
            std::fs::write(place, again).ok();
        }
        *lock(&self.case) = Case { again: again.to_owned(), since: Instant::now(), topic: String::new() };
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        lock(&self.watch.cases).retain(|case| !Arc::ptr_eq(case, &self.case));
        WORK.set(None);
    }
}

/// Ends the process if one of these goes too far.
fn look(cases: &[Arc<Mutex<Case>>]) {
    let held = memory().unwrap_or(0);
    for case in cases {
        let case = lock(case);
        if case.since.elapsed() > TOO_LONG {
            println!("takes more than {} s: {}\n{}", TOO_LONG.as_secs(), case.again, case.topic);
            std::process::exit(1);
        }
        if held > TOO_LARGE {
            println!("{} MB are held: {}\n{}", held >> 10, case.again, case.topic);
        }
    }
    if held > TOO_LARGE {
        std::process::exit(1);
    }
}

/// Kilobytes that the process holds, where the system tells.
pub fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

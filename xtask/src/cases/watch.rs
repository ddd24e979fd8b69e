//! Watches for cases that take too much time or memory, which a case cannot report itself.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum time of a case.
const MAX_CASE_TIME: Duration = Duration::from_secs(60);

/// Maximum resident memory of the process, in kilobytes.
const MAX_RESIDENT_KB: u64 = 6 << 20;

thread_local! {
    static WORK: RefCell<Option<Arc<Mutex<Case>>>> = const { RefCell::new(None) };
}

/// The current case of a thread.
struct Case {
    /// The command that repeats it.
    again: String,
    since: Instant,
    /// Description of the case, as far as it is known.
    topic: String,
}

/// Notes the description of the current case of this thread, for a report.
pub fn note(topic: String) {
    WORK.with_borrow(|work| {
        if let Some(work) = work {
            lock(work).topic = topic;
        }
    });
}

/// The watched threads.
pub struct Watch {
    cases: Arc<Mutex<Vec<Arc<Mutex<Case>>>>>,
}

/// A watched thread, until this is dropped.
pub struct Worker<'w> {
    watch: &'w Watch,
    case: Arc<Mutex<Case>>,
    place: Option<PathBuf>,
}

impl Watch {
    /// Starts a thread that ends the process if a case exceeds a maximum.
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

    /// Adds this thread. The file `place` always holds the command of its current case, in case the process
    /// dies.
    pub fn worker(&self, place: Option<PathBuf>) -> Worker<'_> {
        let case =
            Arc::new(Mutex::new(Case { again: String::new(), since: Instant::now(), topic: String::new() }));
        lock(&self.cases).push(Arc::clone(&case));
        WORK.set(Some(Arc::clone(&case)));
        Worker { watch: self, case, place }
    }
}

impl Worker<'_> {
    /// Begins a case, with the command that repeats it.
    pub fn enter(&self, again: &str) {
        if let Some(place) = &self.place {
            // Without the file, only the report of a dead process is lost.
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

/// Ends the process if one of the cases exceeds a maximum.
fn look(cases: &[Arc<Mutex<Case>>]) {
    let held = memory().unwrap_or(0);
    for case in cases {
        let case = lock(case);
        if case.since.elapsed() > MAX_CASE_TIME {
            println!("takes more than {} s: {}\n{}", MAX_CASE_TIME.as_secs(), case.again, case.topic);
            std::process::exit(1);
        }
        if held > MAX_RESIDENT_KB {
            println!("{} MB are held: {}\n{}", held >> 10, case.again, case.topic);
        }
    }
    if held > MAX_RESIDENT_KB {
        std::process::exit(1);
    }
}

/// Returns the resident kilobytes of the process. Returns `None` where the system does not say.
pub fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

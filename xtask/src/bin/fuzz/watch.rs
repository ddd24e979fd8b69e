//! Watches for cases that take too long or too much memory, which no case can report itself.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// No case is allowed to take longer.
const TOO_LONG: Duration = Duration::from_secs(60);

/// Nor may the process grow beyond this, in kilobytes.
const TOO_LARGE: u64 = 6 << 20;

/// What the case is about, as far as it is known.
static TOPIC: Mutex<String> = Mutex::new(String::new());

/// Notes what the case is about, for when it goes too far.
pub fn note(topic: String) {
    *TOPIC.lock().unwrap_or_else(PoisonError::into_inner) = topic;
}

/// What the watching thread and the working one share.
pub struct Watch {
    now: Arc<Mutex<(u64, Instant)>>,
    place: Option<PathBuf>,
}

impl Watch {
    /// Starts a thread that ends the process when a case goes too far. The file `place` always has the number of the
    /// case, for when the process ends without a word.
    pub fn start(place: Option<PathBuf>) -> Self {
        let now = Arc::new(Mutex::new((0, Instant::now())));
        let seen = Arc::clone(&now);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(200));
                let (case, since) = *seen.lock().unwrap_or_else(PoisonError::into_inner);
                let excess = match memory() {
                    Some(kilobytes) if kilobytes > TOO_LARGE => format!("holds {} MB", kilobytes >> 10),
                    _ if since.elapsed() > TOO_LONG => format!("takes more than {} s", TOO_LONG.as_secs()),
                    _ => continue,
                };
                let topic = TOPIC.lock().unwrap_or_else(PoisonError::into_inner);
                println!("case {case} {excess}: cargo xtask fuzz --seed {case} --cases 1\n{topic}");
                std::process::exit(1);
            }
        });
        Self { now, place }
    }

    /// Says which case begins.
    pub fn enter(&self, case: u64) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = (case, Instant::now());
        if let Some(place) = &self.place {
            // Without the file, only the number of a case that kills the process is lost.
            std::fs::write(place, case.to_string()).ok();
        }
    }
}

/// Kilobytes that the process holds, where the system tells.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

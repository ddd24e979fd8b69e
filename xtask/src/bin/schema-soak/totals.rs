//! Counts and slow calls of a soak.

use std::fmt;
use std::time::Duration;

/// Maximum CPU time of a mask or an accepted text.
pub const MAX_STEP: Duration = Duration::from_millis(50);

/// Maximum CPU time of a compile.
pub const MAX_COMPILE: Duration = Duration::from_secs(1);

/// Number of slow calls that are listed.
const MAX_LISTED_CALLS: usize = 10;

/// Calls of one kind.
#[derive(Debug)]
pub struct Calls {
    kind: &'static str,
    max: Duration,
    count: u64,
    time: Duration,
    slow: u64,
    /// The slowest calls with their descriptions, the slowest first.
    slowest: Vec<(Duration, String)>,
}

impl Calls {
    fn new(kind: &'static str, max: Duration) -> Self {
        Self { kind, max, count: 0, time: Duration::ZERO, slow: 0, slowest: Vec::new() }
    }

    /// Counts a call.
    pub fn record(&mut self, time: Duration, name: impl FnOnce() -> String) {
        self.count += 1;
        self.time += time;
        self.slow += u64::from(time > self.max);
        if self.slowest.len() < MAX_LISTED_CALLS
            || self.slowest.last().is_some_and(|(least, _)| *least < time)
        {
            self.keep(time, name());
        }
    }

    fn keep(&mut self, time: Duration, name: String) {
        let at = self.slowest.partition_point(|(known, _)| *known >= time);
        self.slowest.insert(at, (time, name));
        self.slowest.truncate(MAX_LISTED_CALLS);
    }

    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.time += other.time;
        self.slow += other.slow;
        for (time, name) in other.slowest {
            self.keep(time, name);
        }
    }
}

/// The counts of a thread, or of all.
#[derive(Debug)]
pub struct Totals {
    pub compiles: Calls,
    pub masks: Calls,
    pub accepts: Calls,
    /// Compiles that a limit or the schema ended.
    pub refused: u64,
    /// Compiles that were cancelled.
    pub cancelled: u64,
    /// Masks and accepts that met a limit.
    pub stopped: u64,
    pub documents: u64,
    /// Masks that were compared with those of a second compile.
    pub compared: u64,
    /// Descriptions of masks that differ.
    pub differences: Vec<String>,
}

impl Default for Totals {
    fn default() -> Self {
        Self {
            compiles: Calls::new("compiles", MAX_COMPILE),
            masks: Calls::new("masks", MAX_STEP),
            accepts: Calls::new("accepts", MAX_STEP),
            refused: 0,
            cancelled: 0,
            stopped: 0,
            documents: 0,
            compared: 0,
            differences: Vec::new(),
        }
    }
}

impl Totals {
    /// Adds the counts of another thread.
    pub fn add(&mut self, other: Self) {
        self.compiles.add(other.compiles);
        self.masks.add(other.masks);
        self.accepts.add(other.accepts);
        self.refused += other.refused;
        self.cancelled += other.cancelled;
        self.stopped += other.stopped;
        self.documents += other.documents;
        self.compared += other.compared;
        self.differences.extend(other.differences);
    }

    /// Returns true if nothing differs and no call is slow.
    pub fn is_clean(&self) -> bool {
        self.differences.is_empty()
            && [&self.compiles, &self.masks, &self.accepts].iter().all(|calls| calls.slow == 0)
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} refused, {} cancelled, {} calls met a limit, {} documents, {} masks compared, {} differ",
            self.refused,
            self.cancelled,
            self.stopped,
            self.documents,
            self.compared,
            self.differences.len()
        )?;
        for difference in self.differences.iter().take(MAX_LISTED_CALLS) {
            writeln!(f, "  {difference}")?;
        }
        writeln!(f, "| calls | number | mean us | longest ms | over the maximum |")?;
        writeln!(f, "| --- | --: | --: | --: | --: |")?;
        for calls in [&self.compiles, &self.masks, &self.accepts] {
            let mean = calls.time.as_secs_f64() * 1e6 / calls.count.max(1) as f64;
            let longest = calls.slowest.first().map_or(0.0, |(time, _)| time.as_secs_f64() * 1e3);
            writeln!(f, "| {} | {} | {mean:.1} | {longest:.1} | {} |", calls.kind, calls.count, calls.slow)?;
        }
        for calls in [&self.compiles, &self.masks, &self.accepts] {
            writeln!(f, "slowest {}:", calls.kind)?;
            for (time, name) in &calls.slowest {
                writeln!(f, "  {:.1} ms: {name}", time.as_secs_f64() * 1e3)?;
            }
        }
        Ok(())
    }
}

//! Probes the speed of memory during a run.
//!
//! Other machines on the same processor share its caches, so the same program can take twice as long in
//! another hour. Dependent reads, each of which waits for the previous one, show this.

use std::hint::black_box;

use serde::Serialize;

use crate::input::random::Random;
use crate::run::timing::{median, sample};

/// Bytes that fit into a core's own caches, unless others use them.
pub const NEAR_BYTES: usize = 1 << 18;

/// Bytes that fit into no cache.
pub const FAR_BYTES: usize = 1 << 25;

/// Number of reads of a probe.
const READS_PER_PROBE: usize = 1 << 15;

/// Number of probes whose median is taken.
const PROBES_PER_LOOK: usize = 5;

/// Result of a probe: nanoseconds of a read.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Look {
    /// Among [`NEAR_BYTES`] bytes.
    pub near: f64,
    /// Among [`FAR_BYTES`] bytes.
    pub far: f64,
}

/// The memory to read, and the results so far.
pub struct Hour {
    near: Circle,
    far: Circle,
    looks: Vec<Look>,
}

impl Default for Hour {
    fn default() -> Self {
        Self { near: Circle::new(NEAR_BYTES), far: Circle::new(FAR_BYTES), looks: Vec::new() }
    }
}

impl Hour {
    /// Probes, and stores the result.
    pub fn look(&mut self) {
        self.looks.push(Look { near: self.near.nanoseconds(), far: self.far.nanoseconds() });
    }

    /// Returns all results.
    pub fn into_looks(self) -> Vec<Look> {
        self.looks
    }
}

/// A cyclic permutation: each position stores the next one.
struct Circle(Vec<u32>);

impl Circle {
    /// # Source
    /// S. Sattolo, "An algorithm to generate a random cyclic permutation", 1986.
    fn new(bytes: usize) -> Self {
        let mut next: Vec<u32> = (0..).take(bytes / size_of::<u32>()).collect();
        let mut random = Random::default();
        for last in (1..next.len()).rev() {
            next.swap(last, random.below(last));
        }
        Self(next)
    }

    fn read(&self, reads: usize) -> u32 {
        (0..reads).fold(0, |at, _| self.0[at as usize])
    }

    /// Returns the nanoseconds of a read.
    fn nanoseconds(&self) -> f64 {
        let mut times: Vec<u64> =
            (0..PROBES_PER_LOOK).map(|_| sample(|| black_box(self.read(READS_PER_PROBE))).1).collect();
        median(&mut times) as f64 / READS_PER_PROBE as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circle_visits_all_positions() {
        let circle = Circle::new(4096);
        let mut way: Vec<u32> = (1..=1024).map(|reads| circle.read(reads)).collect();
        assert_eq!(way[1023], 0);
        way.sort_unstable();
        assert_eq!(way, (0..1024).collect::<Vec<_>>());
    }

    #[test]
    fn each_probe_is_stored() {
        let (near, far) = (Circle::new(4096), Circle::new(1 << 16));
        let mut hour = Hour { near, far, looks: Vec::new() };
        hour.look();
        hour.look();
        let looks = hour.into_looks();
        assert_eq!(looks.len(), 2);
        assert!(looks.iter().all(|look| look.near > 0.0 && look.far > 0.0));
    }
}

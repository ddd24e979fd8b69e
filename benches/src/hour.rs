//! How fast the machine's memory is in this hour. Neighbours that nobody sees share its caches, so that the same program takes twice as long in one hour as
//! in another: reads that each wait for the one before say so.

use std::hint::black_box;

use serde::Serialize;

use crate::random::Random;
use crate::timing::{median, sample};

/// So many bytes fit into a core's own caches, as long as nobody else is there.
pub const NEAR: usize = 1 << 18;

/// So many fit into no cache.
pub const FAR: usize = 1 << 25;

/// So many reads.
const READS: usize = 1 << 15;

/// Each look takes the median of so many.
const TIMES: usize = 5;

/// What a look has seen: nanoseconds for so many reads, in as many bytes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Look {
    /// In [`NEAR`] bytes.
    pub near: f64,
    /// In [`FAR`] bytes.
    pub far: f64,
}

/// Reads that never change.
pub struct Hour {
    near: Circle,
    far: Circle,
    looks: Vec<Look>,
}

impl Default for Hour {
    fn default() -> Self {
        Self { near: Circle::new(NEAR), far: Circle::new(FAR), looks: Vec::new() }
    }
}

impl Hour {
    /// Reads some times, and notes what that took.
    pub fn look(&mut self) {
        self.looks.push(Look { near: self.near.nanoseconds(), far: self.far.nanoseconds() });
    }

    /// All that was noted.
    pub fn into_looks(self) -> Vec<Look> {
        self.looks
    }
}

/// From each place to another one, through all of them.
struct Circle(Vec<u32>);

impl Circle {
    /// Source: S. Sattolo, "An algorithm to generate a random cyclic permutation", 1986.
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

    /// What a read takes.
    fn nanoseconds(&self) -> f64 {
        let mut times: Vec<u64> = (0..TIMES).map(|_| sample(|| black_box(self.read(READS))).1).collect();
        median(&mut times) as f64 / READS as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_passes_all_places() {
        let circle = Circle::new(4096);
        let mut way: Vec<u32> = (1..=1024).map(|reads| circle.read(reads)).collect();
        assert_eq!(way[1023], 0);
        way.sort_unstable();
        assert_eq!(way, (0..1024).collect::<Vec<_>>());
    }

    #[test]
    fn each_look_is_noted() {
        let (near, far) = (Circle::new(4096), Circle::new(1 << 16));
        let mut hour = Hour { near, far, looks: Vec::new() };
        hour.look();
        hour.look();
        let looks = hour.into_looks();
        assert_eq!(looks.len(), 2);
        assert!(looks.iter().all(|look| look.near > 0.0 && look.far > 0.0));
    }
}

//! Measures the time to copy a row to each address within a page, by the standard library and by
//! [`copy_row`]: `cargo run --release -p grammask-trie --example copying`.
#![allow(clippy::print_stdout, reason = "this is a command")]

use std::hint::black_box;
use std::time::Instant;

use grammask_trie::copy_row;

/// Page size, in words of 4 bytes.
const PAGE_WORDS: usize = 1024;

/// Number of copies per address. The result is the median of their times.
const REPETITIONS: usize = 51;

fn main() {
    println!("| ids | words | copied by | p50 | slowest address | × | addresses over 2 × |");
    println!("| ---: | ---: | --- | ---: | ---: | ---: | ---: |");
    for ids in [32_001usize, 128_256, 200_019] {
        let words = ids.div_ceil(32);
        let row = vec![1u32; words];
        let mut buffer = vec![0u32; words + PAGE_WORDS];
        let mut print = |name: &str, copy: fn(&[u32], &mut [u32])| {
            let mut times: Vec<f64> = (0..PAGE_WORDS)
                .map(|offset| median(|| copy(black_box(&row), &mut buffer[offset..][..words])))
                .collect();
            times.sort_by(f64::total_cmp);
            let (p50, slowest) = (times[PAGE_WORDS / 2], times[PAGE_WORDS - 1]);
            let slow = times.iter().filter(|&&time| time > 2.0 * p50).count();
            println!(
                "| {ids} | {words} | {name} | {p50:.2} us | {slowest:.2} us | {:.1} | {slow} of {PAGE_WORDS} |",
                slowest / p50
            );
        };
        print("copy_from_slice", |from, to| to.copy_from_slice(from));
        print("copy_row", copy_row);
    }
}

/// Returns the median time of `f`, in microseconds.
fn median(mut f: impl FnMut()) -> f64 {
    let mut times = [0.0; REPETITIONS];
    for time in &mut times {
        let begin = Instant::now();
        f();
        *time = begin.elapsed().as_secs_f64() * 1e6;
    }
    times.sort_by(f64::total_cmp);
    times[REPETITIONS / 2]
}

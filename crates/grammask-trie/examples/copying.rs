//! Prints how long a row takes to be copied to every place that it may have in a page, by the standard library and by [`copy_row`]:
//! `cargo run --release -p grammask-trie --example copying`.
#![allow(clippy::print_stdout, reason = "this is a command")]

use std::hint::black_box;
use std::time::Instant;

use grammask_trie::copy_row;

/// Words of a page of 4 KB.
const PAGE: usize = 1024;

/// Copies to each place; the median counts.
const TIMES: usize = 51;

fn main() {
    println!("| ids | words | way | p50 | slowest place | × | places over 2 × |");
    println!("| ---: | ---: | --- | ---: | ---: | ---: | ---: |");
    for ids in [32_001usize, 128_256, 200_019] {
        let words = ids.div_ceil(32);
        let row = vec![1u32; words];
        let mut room = vec![0u32; words + PAGE];
        let mut print = |way: &str, copy: fn(&[u32], &mut [u32])| {
            let mut places: Vec<f64> = (0..PAGE)
                .map(|place| median(|| copy(black_box(&row), &mut room[place..][..words])))
                .collect();
            places.sort_by(f64::total_cmp);
            let (p50, slowest) = (places[PAGE / 2], places[PAGE - 1]);
            let slow = places.iter().filter(|&&time| time > 2.0 * p50).count();
            println!(
                "| {ids} | {words} | {way} | {p50:.2} us | {slowest:.2} us | {:.1} | {slow} of {PAGE} |",
                slowest / p50
            );
        };
        print("copy_from_slice", |from, to| to.copy_from_slice(from));
        print("copy_row", copy_row);
    }
}

/// The median of the times that `f` takes, in microseconds.
fn median(mut f: impl FnMut()) -> f64 {
    let mut times = [0.0; TIMES];
    for time in &mut times {
        let begin = Instant::now();
        f();
        *time = begin.elapsed().as_secs_f64() * 1e6;
    }
    times.sort_by(f64::total_cmp);
    times[TIMES / 2]
}

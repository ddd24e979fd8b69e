//! Prints the cost of a batch of cached masks: `cargo run --release -p grammask --example batch --
//! VOCABULARY`.
#![allow(clippy::print_stdout, reason = "this is a command")]

use std::time::Instant;

use grammask::{Config, Grammar, Matcher, Vocabulary, fill_masks};

/// Sequences in the batch.
const SEQUENCES: usize = 256;
const ROUNDS: usize = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("the path of a tokenizer file is missing")?;
    let vocabulary = Vocabulary::load(&std::fs::read(path)?)?;
    let text = include_str!("../../../fixtures/texts/json.txt");
    let grammar = Grammar::compile(
        include_str!("../../../fixtures/grammars/json.kbnf"),
        &vocabulary,
        &Config::default(),
    )?;

    // Each matcher is one byte further than the one before.
    let mut matchers = Vec::new();
    let mut matcher = grammar.matcher();
    for byte in text.bytes().cycle().take(SEQUENCES) {
        if !matcher.accept_bytes(&[byte]).is_accepted() {
            matcher.reset();
        }
        matchers.push(matcher.clone());
    }
    let words = vocabulary.mask_words();
    let mut rows = vec![0; SEQUENCES * words];
    fill_masks(&mut matchers, &mut rows, 1)?;
    let masks = rows.clone();

    // The variants take turns, so a disturbance of the machine affects all of them.
    let names = ["copying the rows", "1 thread", "2 threads", "2 threads, started anew"];
    let mut times = vec![Vec::new(); names.len()];
    for _ in 0..ROUNDS / 20 {
        for (way, times) in times.iter_mut().enumerate() {
            for _ in 0..20 {
                let start = Instant::now();
                match way {
                    0 => rows.copy_from_slice(&masks),
                    1 | 2 => drop(fill_masks(&mut matchers, &mut rows, way)?),
                    _ => started_anew(&mut matchers, &mut rows),
                }
                times.push(start.elapsed().as_secs_f64() * 1e6);
            }
        }
    }
    println!("{SEQUENCES} masks of {words} words, microseconds:");
    for (name, times) in names.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let at = |part: f64| times[(part * (ROUNDS - 1) as f64) as usize];
        println!(
            "{name:24} p1 {:6.1}  p10 {:6.1}  p50 {:6.1}  p90 {:6.1}  p99 {:6.1}",
            at(0.01),
            at(0.1),
            at(0.5),
            at(0.9),
            at(0.99)
        );
    }
    Ok(())
}

/// Does the same with a thread for each half that is started and joined.
fn started_anew(matchers: &mut [Matcher], rows: &mut [u32]) {
    let (one, two) = matchers.split_at_mut(SEQUENCES / 2);
    let (upper, lower) = rows.split_at_mut(rows.len() / 2);
    std::thread::scope(|scope| {
        scope.spawn(|| fill_masks(two, lower, 1));
        let _ = fill_masks(one, upper, 1);
    });
}

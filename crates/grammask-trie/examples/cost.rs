//! Measures memory and time of the vocabularies in some files:
//! `cargo run --release -p grammask-trie --example cost -- FILE...`.
#![allow(clippy::print_stdout, reason = "this is a command")]

use std::time::Instant;

use grammask_trie::{Config, TokenId, TokenSet, Vocabulary, loaders};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("| file | ids | trie nodes | longest token | memory | loaded in | built in |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let config = Config::default();
    for path in std::env::args().skip(1) {
        let file = std::fs::read(&path)?;
        let (vocabulary, loaded) = best_of_five(|| loaders::load(&file, &config));
        let vocabulary = vocabulary?;
        let tokens: Vec<(TokenId, Vec<u8>)> =
            vocabulary.tokens().map(|(id, bytes)| (id, bytes.to_vec())).collect();
        let (_, built) = best_of_five(|| Vocabulary::new(tokens.clone(), [], &config));
        println!(
            "| {} | {} | {} | {} | {:.2} MB | {loaded:.0} ms | {built:.0} ms |",
            path.rsplit('/').next().unwrap_or(&path),
            vocabulary.id_count(),
            vocabulary.trie().len(),
            vocabulary.longest_token(),
            vocabulary.bytes_used() as f64 / 1e6,
        );
        let mut row = vec![0; vocabulary.mask_words()];
        for step in [1, 3, 10, 30, 100, 1000] {
            let ids = vocabulary.tokens().map(|(id, _)| id);
            let set: TokenSet = ids.filter(|id| id.0 % step == 0 || id.0 / 512 % step == 1).collect();
            let ((), time) =
                best_of_five(|| (0..1000).for_each(|_| set.union_into(std::hint::black_box(&mut row))));
            println!("  a set of {} tokens: {} bytes, added in {time:.2} us", set.len(), set.bytes_used());
        }
    }
    Ok(())
}

/// Returns the result of `f` and the shortest of five times, in milliseconds.
fn best_of_five<T>(mut f: impl FnMut() -> T) -> (T, f64) {
    let mut run = || {
        let begin = Instant::now();
        let result = f();
        (result, begin.elapsed().as_secs_f64() * 1e3)
    };
    let mut best = run();
    for _ in 0..4 {
        let next = run();
        if next.1 < best.1 {
            best = next;
        }
    }
    best
}

//! Writes a vocabulary in the binary form of this crate, which loads faster than any tokenizer file.
//!
//! `cargo run --release -p grammask-trie --example save -- [PRESET] FILE OUTPUT`
#![allow(clippy::print_stdout, reason = "an example")]

use std::time::Instant;

use grammask_trie::loaders::{self, Options, Preset};
use grammask_trie::{Config, Vocabulary};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut options = Options::default();
    if let Some(preset) = arguments.first().and_then(|name| Preset::named(name)) {
        options.preset = Some(preset);
        arguments.remove(0);
    }
    let [file, output] = &arguments[..] else { return Err("usage: save [PRESET] FILE OUTPUT".into()) };
    let bytes = std::fs::read(file)?;
    let started = Instant::now();
    let vocabulary = loaders::load_with(&bytes, &options, &Config::default())?;
    let loaded = started.elapsed();
    let saved = vocabulary.to_bytes();
    let started = Instant::now();
    let again = Vocabulary::from_bytes(&saved, &Config::default())?;
    let read = started.elapsed();
    assert_eq!(again, vocabulary, "the vocabulary is read as it was written");
    std::fs::write(output, &saved)?;
    println!("{vocabulary}: {} bytes, {} bytes in memory", saved.len(), vocabulary.bytes_used());
    println!("loaded in {loaded:?}, read back in {read:?}");
    Ok(())
}

//! Prints the tokens of vocabulary files, for comparing them with other readers.
//!
//! `cargo run --release -p grammask-trie --example tokens -- [PRESET] FILE…`
//!
//! For each file, it prints lines with the path, the format, the rows, and whether the first space is
//! stripped. Then comes a line for each token: the id and the bytes in hexadecimal, or the id, `special` and
//! the name. The last lines are `begins` and `ends` with ids. A file that does not load has a line `error`.
#![allow(clippy::print_stdout, reason = "an example")]

use std::fmt::Write;

use grammask_trie::loaders::{self, Format, Options, Preset};
use grammask_trie::{Config, Vocabulary};

fn main() {
    let mut options = Options::default();
    for argument in std::env::args().skip(1) {
        if let Some(preset) = Preset::named(&argument) {
            options.preset = Some(preset);
            continue;
        }
        let bytes = match std::fs::read(&argument) {
            Ok(bytes) => bytes,
            Err(error) => {
                println!("file {argument}\nerror {error}");
                continue;
            }
        };
        let format = Format::sniff(&bytes).map_or("unknown".to_owned(), |format| format.to_string());
        println!("file {argument}\nformat {format}");
        match loaders::load_with(&bytes, &options, &Config::default()) {
            Ok(vocabulary) => println!("{}", listing(&vocabulary)),
            Err(error) => println!("error {error}"),
        }
    }
}

/// Returns all tokens of a vocabulary, one per line.
fn listing(vocabulary: &Vocabulary) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut text = format!("rows {}\nstrips {}\n", vocabulary.rows(), vocabulary.strips_first_space());
    for (id, bytes) in vocabulary.tokens() {
        let _ = writeln!(text, "{} {}", id.0, hex(bytes));
    }
    for (id, name) in vocabulary.special_tokens() {
        let _ = writeln!(text, "{} special {}", id.0, hex(name.as_bytes()));
    }
    let ids = |ids: &[grammask_trie::TokenId]| ids.iter().map(|id| format!(" {}", id.0)).collect::<String>();
    let _ = write!(text, "begins{}\nends{}", ids(vocabulary.begins()), ids(vocabulary.ends()));
    text
}

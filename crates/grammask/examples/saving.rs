//! Prints the cost of saving and loading: `cargo run --release -p grammask --features save --example saving
//! -- VOCABULARY`, where VOCABULARY is a tokenizer file. There is a line for each grammar of
//! `fixtures/grammars` and its sample text.
#![allow(clippy::print_stdout, reason = "this is a command")]

use std::path::Path;
use std::time::{Duration, Instant};

use grammask::{Config, Grammar, LexiconConfig, Tables, TokenId, Vocabulary};

/// Number of measurements of each time. The minimum is printed.
const ROUNDS: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("which vocabulary?")?;
    let vocabulary = Vocabulary::load(&std::fs::read(file)?)?;
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut grammars: Vec<_> = std::fs::read_dir(fixtures.join("grammars"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    grammars.sort();
    println!(
        "| grammar | compile | load cold | cold bytes | masks of a text | load warm | warm bytes | states | masks |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for path in grammars {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(&path)?;
        let sample = std::fs::read(fixtures.join("texts").join(format!("{name}.txt")))?;
        // Each grammar begins with an empty lexicon.
        let vocabulary = vocabulary.with_lexicon(&LexiconConfig::default());
        let tokens = tokens(&sample, &vocabulary);
        let compile = || Grammar::compile(&text, &vocabulary, &Config::default());
        let grammar = compile()?;
        let (_, first) = least(1, || walk(&grammar, &tokens));
        let (_, compiling) = least(ROUNDS, compile);
        let [cold, warm] = [Tables::Cold, Tables::Warm].map(|tables| grammar.save(tables));
        let (loaded, cold_time) = least(ROUNDS, || Grammar::load(&cold, &vocabulary));
        loaded?;
        let (loaded, warm_time) = least(ROUNDS, || Grammar::load(&warm, &vocabulary));
        let stats = loaded?.stats().tables;
        println!(
            "| {name} | {compiling:.1?} | {cold_time:.1?} | {} | {first:.1?} | {warm_time:.1?} | {} | {} | {} |",
            cold.len(),
            warm.len(),
            stats.sets,
            stats.masks
        );
    }
    Ok(())
}

/// The result of the last round, and the shortest time of a round.
fn least<T>(rounds: usize, mut run: impl FnMut() -> T) -> (T, Duration) {
    let mut round = || {
        let begin = Instant::now();
        (run(), begin.elapsed())
    };
    (1..rounds).fold(round(), |(_, least), _| {
        let (result, time) = round();
        (result, time.min(least))
    })
}

fn walk(grammar: &Grammar, tokens: &[TokenId]) {
    let mut matcher = grammar.matcher();
    for &token in tokens {
        matcher.mask();
        if !matcher.accept(token).is_accepted() {
            break;
        }
    }
    matcher.mask();
}

/// The text as tokens, the longest each time.
fn tokens(text: &[u8], vocabulary: &Vocabulary) -> Vec<TokenId> {
    let trie = vocabulary.trie();
    let mut rest = text;
    let mut tokens = Vec::new();
    while !rest.is_empty() {
        let lengths = (1..=rest.len().min(vocabulary.longest_token())).rev();
        let token = |length: usize| Some((*trie.tokens(trie.find(&rest[..length])?).first()?, length));
        let Some((token, length)) = lengths.into_iter().find_map(token) else { break };
        tokens.push(token);
        rest = &rest[length..];
    }
    tokens
}

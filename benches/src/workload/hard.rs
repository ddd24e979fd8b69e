//! Grammars that take exponential or cubic time in a careless engine: many optional parts in one rule, and a
//! text with many derivations.

use anyhow::ensure;
use grammask::{Grammar, Matcher, TokenId, Vocabulary};
use serde::{Deserialize, Serialize};

use crate::engine::grammask::{config, unused};
use crate::input::vocabulary::Words;
use crate::run::timing::{Summary, sample};

/// Characters of the text with many derivations.
const CHARACTERS: usize = 400;

/// The recursion of the first grammar is a loop on both sides. The second one sometimes ends in another
/// letter, so each of its calls stays.
const DERIVATIONS: &[&str] =
    &["start ::= E '.'; E ::= E E | 'c';", "start ::= E '.'; E ::= E E ['~'] | 'c';"];

/// One grammar, compiled each time for an unused vocabulary. Times are in nanoseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hard {
    /// Name of the timed work.
    pub what: String,
    /// The grammar.
    pub grammar: String,
    /// Times.
    pub times: Summary,
    /// Maximum median, if there is a bar.
    pub bar: Option<u64>,
}

/// Measures all grammars.
///
/// # Errors
/// If a grammar does not compile, or refuses its text.
pub fn measure(words: &Words, quick: bool, tell: &mut dyn FnMut(Hard)) -> anyhow::Result<()> {
    let tokens = words.vocabulary()?;
    let config = config(words);
    let rounds = if quick { 2 } else { 15 };
    let compile = |grammar: &str, vocabulary: &Vocabulary| Grammar::compile(grammar, vocabulary, &config);

    let grammar = format!("start ::= {}'.';", "#'x0'? ".repeat(20));
    let mut times = Vec::new();
    for _ in 0..rounds {
        let vocabulary = unused(&tokens);
        let (compiled, time) = sample(|| compile(&grammar, &vocabulary));
        ensure!(compiled?.matcher().accept_bytes(b"x0x0.").is_accepted(), "{grammar}");
        times.push(time);
    }
    tell(Hard::new("compile", &grammar, &times, Some(10_000_000)));

    let text = words.encode(&"c".repeat(CHARACTERS))?;
    for grammar in DERIVATIONS {
        let (mut bytes, mut cut) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let fresh = || Ok::<_, anyhow::Error>(compile(grammar, &unused(&tokens))?.matcher());
            let (mut one, mut other) = (fresh()?, fresh()?);
            let (live, time) = sample(|| (0..CHARACTERS).all(|_| one.accept_bytes(b"c").is_accepted()));
            ensure!(live && one.accept_bytes(b".").is_accepted(), "{grammar}");
            bytes.push(time);
            let (live, time) = sample(|| text.iter().all(|&token| follow(&mut other, TokenId(token))));
            ensure!(live && other.text() == &one.text()[..CHARACTERS], "{grammar}");
            cut.push(time);
        }
        tell(Hard::new(&format!("{CHARACTERS} × `c`, byte by byte"), grammar, &bytes, Some(100_000_000)));
        tell(Hard::new(&format!("{CHARACTERS} × `c` in tokens, with a mask for each"), grammar, &cut, None));
    }
    Ok(())
}

/// Computes the mask, and accepts the token if the mask allows it.
fn follow(matcher: &mut Matcher, token: TokenId) -> bool {
    matcher.mask().allows(token) && matcher.accept(token).is_accepted()
}

impl Hard {
    fn new(what: &str, grammar: &str, times: &[u64], bar: Option<u64>) -> Self {
        let times = Summary::new(times).unwrap_or_default();
        Self { what: what.to_owned(), grammar: grammar.to_owned(), times, bar }
    }
}

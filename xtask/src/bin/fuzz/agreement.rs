//! Random grammars on which the engine and the oracle must agree: whether they mean anything, and on every mask.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use grammask::{Config, Ending, Error, Grammar, Matcher, Outcome, TokenId, Vocabulary};
use grammask_testkit::random::{self, Rng, Shape};
use grammask_testkit::{Oracle, OracleError, Run, start_of};

use crate::watch;

/// How many grammars and masks were compared.
static GRAMMARS: AtomicUsize = AtomicUsize::new(0);
static MASKS: AtomicUsize = AtomicUsize::new(0);

/// How much was compared with the oracle.
pub fn closing_line() -> String {
    format!("{} masks of {} grammars are the oracle's", MASKS.load(Relaxed), GRAMMARS.load(Relaxed))
}

/// The token that ends texts.
const END: TokenId = TokenId(40);

/// Tokens with bytes.
const WORDS: usize = 32;

/// A grammar that may mean nothing: engine and oracle must say the same.
pub fn whether_it_compiles(rng: &mut Rng) -> Result<(), String> {
    let text = random::grammar_text(rng, &Shape::default());
    let about = |what: String| format!("{what}\ngrammar:\n{text}");
    let ast = grammask_syntax::parse(&text, &Default::default()).map_err(|error| about(error.to_string()))?;
    watch::note(about(String::new()));
    let expected = Oracle::new(&ast, start_of(&ast));
    let (vocabulary, _) = vocabulary(rng)?;
    match (Grammar::compile(&text, &vocabulary, &Config::default()), expected) {
        (_, Err(OracleError::TooLarge(_))) | (Ok(_), Ok(_)) | (Err(_), Err(_)) => Ok(()),
        (Ok(_), Err(error)) => Err(about(format!("compiles, though {error}"))),
        (Err(error), Ok(_)) => Err(about(format!("does not compile, though it means something: {error}"))),
    }
}

/// Walks through an output token by token; at every place the mask must be the oracle's.
pub fn masks(rng: &mut Rng) -> Result<(), String> {
    let random = random::grammar(rng, &Shape::default());
    let (vocabulary, words) = vocabulary(rng)?;
    let is_eager = rng.chance(1, 3);
    let ending = if is_eager { Ending::Eager } else { Ending::EndOfSequence(vec![END]) };
    let config = Config { ending, ..Config::default() };
    let about =
        |what: String| format!("{what}\neager {is_eager}, words {words:?}\ngrammar:\n{}", random.text);
    watch::note(about(String::new()));
    let grammar = match Grammar::compile(&random.text, &vocabulary, &config) {
        Ok(grammar) => grammar,
        Err(Error::Recognizer(_)) => return Ok(()),
        Err(error) => return Err(about(format!("does not compile: {error}"))),
    };
    let mut matcher = grammar.matcher();
    let mut oracle = random.oracle.run();
    GRAMMARS.fetch_add(1, Relaxed);
    let mut places = Vec::new();
    for _ in 0..8 {
        compare(&mut matcher, &oracle, &words, is_eager).map_err(about)?;
        let allowed: Vec<TokenId> = matcher.mask().iter().filter(|id| *id != END).collect();
        if allowed.is_empty() || matcher.is_finished() {
            break;
        }
        let token = *rng.pick(&allowed);
        places.push((matcher.state(), oracle.position()));
        let outcome = matcher.accept(token);
        if !outcome.is_accepted() || !oracle.push_all(&words[token.0 as usize]) {
            return Err(about(format!("after {:?}: token {token} {outcome}", matcher.text().escape_ascii())));
        }
        if is_eager && (outcome == Outcome::Finished) != oracle.is_complete() {
            return Err(about(format!("{outcome} after {:?}", matcher.text().escape_ascii())));
        }
        if rng.chance(1, 6) {
            let back = 1 + rng.below(places.len());
            matcher.rollback(back).map_err(|error| about(error.to_string()))?;
            let (state, position) = places[places.len() - back];
            places.truncate(places.len() - back);
            oracle.rollback(position);
            if matcher.state() != state {
                return Err(about(format!("taking {back} tokens back leads elsewhere")));
            }
        }
    }
    Ok(())
}

fn compare(matcher: &mut Matcher, oracle: &Run<'_>, words: &[Vec<u8>], is_eager: bool) -> Result<(), String> {
    let place = format!("after {:?}", matcher.text().escape_ascii().to_string());
    if matcher.is_complete() != oracle.is_complete() {
        return Err(format!(
            "{place}: complete {}, the oracle says {}",
            matcher.is_complete(),
            oracle.is_complete()
        ));
    }
    let is_finished = matcher.is_finished();
    let mask = matcher.mask();
    let ends = mask.allows(END);
    if ends != (!is_eager && !is_finished && oracle.is_complete()) {
        return Err(format!("{place}: the end is allowed: {ends}"));
    }
    for (id, word) in words.iter().enumerate() {
        let expected =
            !is_finished && if is_eager { oracle.allows_eagerly(word) } else { oracle.allows(word) };
        let allowed = mask.allows(TokenId(id as u32));
        if allowed != expected {
            return Err(format!(
                "{place}: token {id} {:?} is allowed: {allowed}",
                word.escape_ascii().to_string()
            ));
        }
    }
    MASKS.fetch_add(1, Relaxed);
    match matcher.error() {
        Some(error) => Err(error.to_string()),
        None => Ok(()),
    }
}

fn vocabulary(rng: &mut Rng) -> Result<(Vocabulary, Vec<Vec<u8>>), String> {
    let words = random::vocabulary(rng, WORDS);
    let tokens = words.iter().cloned().enumerate().map(|(id, bytes)| (TokenId(id as u32), bytes));
    let vocabulary =
        Vocabulary::new(tokens, [(END, "<|end|>".to_owned())]).map_err(|error| error.to_string())?;
    Ok((vocabulary, words))
}

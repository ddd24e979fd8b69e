//! Operations of an inference server: batches on several threads, draft trees, forced tokens, masks in
//! advance, rollbacks.

mod batch;
mod begin;
mod draft;
mod end_in_time;
mod forced;
mod grammar_cache;
mod memory;
mod o200k;
#[path = "../random_setup/mod.rs"]
mod random_setup;
mod rollback;
mod states;

use grammask::{Config, Ending, Grammar, Matcher};
use grammask_testkit::random::{RandomGrammar, Rng, grammar};
use random_setup::{SHAPES, compile, endings, shape, tokens, vocabulary};

/// Memory budgets in bytes: one without effect, and two that are exceeded all the time.
const BUDGETS: [usize; 3] = [usize::MAX, 4096, 1];

fn config(ending: &Ending, budget: usize) -> Config {
    let mut config = Config { ending: ending.clone(), ..Config::default() };
    config.recognizer.limits.budget = budget;
    config.masks.limits.budget = budget;
    config
}

/// Returns a random grammar with a random vocabulary and ending.
fn random_grammar(seed: u64, budget: usize) -> (RandomGrammar, Grammar) {
    let mut rng = Rng::new(seed);
    let random = grammar(&mut rng, &shape(seed));
    let vocabulary = vocabulary(&tokens(&mut rng));
    let ending = &endings()[seed as usize / SHAPES.len() % 3];
    let grammar = compile(&random, &vocabulary, &config(ending, budget));
    (random, grammar)
}

/// Accepts random allowed tokens, at most `most`.
fn walk(rng: &mut Rng, matcher: &mut Matcher, most: usize) {
    for _ in 0..most {
        let allowed: Vec<_> = matcher.mask().iter().collect();
        if allowed.is_empty() {
            break;
        }
        assert!(matcher.accept(*rng.pick(&allowed)).is_accepted());
    }
}

/// Returns the row that the matcher itself writes.
fn row(matcher: &mut Matcher, words: usize) -> Vec<u32> {
    let mut row = vec![u32::MAX; words];
    matcher.fill_mask(&mut row).unwrap();
    row
}

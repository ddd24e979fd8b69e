//! Items of `distinct!`: texts without rules, and rules whose texts are compared as JSON values.

mod texts;
mod values;

use grammask::{Config, Ending, Matcher, TokenId};
use grammask_testkit::random::Rng;

/// Ends texts, and has no bytes.
const STOP: TokenId = TokenId(100_000);

/// Configuration with random limits, so that tables are kept, or begun anew after a few masks.
fn config(rng: &mut Rng, ending: &Ending) -> Config {
    let mut config = Config { ending: ending.clone(), ..Config::default() };
    config.masks.tuning.max_state_walk_nodes = *rng.pick(&[0, 512]);
    config.masks.tuning.keep_masks = rng.chance(1, 2);
    if rng.chance(1, 3) {
        let budget = *rng.pick(&[1 << 12, 1 << 15, 1 << 18]);
        (config.masks.limits.budget, config.recognizer.limits.budget) = (budget, budget);
    }
    config
}

/// The mask according to reading the bytes of each token.
fn readable(matcher: &Matcher, words: &[Vec<u8>]) -> Vec<TokenId> {
    let ids = (0..).map(TokenId).zip(words);
    ids.filter(|(_, bytes)| matcher.clone().accept_bytes(bytes).is_accepted()).map(|(id, _)| id).collect()
}

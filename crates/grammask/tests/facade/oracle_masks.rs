//! Masks as the oracle has them, and the switches with which the engine must find the same ones.

use grammask::{Config, Ending, TokenId};
use grammask_testkit::Run;

use crate::random_setup::{SPECIALS, STOP};

/// Every combination of the switches that must not change any result; texts are gathered in half of them, and
/// in half of each right recursion is a loop.
pub fn configs(ending: &Ending) -> Vec<(String, Config)> {
    let mut configs = Vec::new();
    for bits in 0..16 {
        let [keep_steps, leo, keep_summaries, keep_masks] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
        let mut config = Config { ending: ending.clone(), ..Config::default() };
        config.recognizer.tuning.keep_steps = keep_steps;
        config.recognizer.tuning.leo = leo;
        let gather_texts = i32::count_ones(bits) % 2 == 0;
        config.recognizer.tuning.gather_texts = gather_texts;
        let loops = keep_steps == keep_masks;
        config.recognizer.tuning.loop_right_recursion = loops;
        config.masks.keep_summaries = keep_summaries;
        config.masks.keep_masks = keep_masks;
        let name = format!(
            "gather_texts {gather_texts}, loop_right_recursion {loops}, keep_steps {keep_steps}, leo {leo}, keep_summaries {keep_summaries}, keep_masks {keep_masks}"
        );
        configs.push((name, config));
    }
    configs
}

/// The mask by its definition, asking the oracle for each token.
pub fn expected(run: &Run<'_>, tokens: &[(TokenId, Vec<u8>)], ending: &Ending) -> Vec<TokenId> {
    let eager = *ending == Ending::Eager;
    if eager && run.is_complete() {
        return Vec::new();
    }
    let allows = |bytes: &Vec<u8>| if eager { run.allows_eagerly(bytes) } else { run.allows(bytes) };
    let mut mask: Vec<TokenId> =
        tokens.iter().filter(|(_, bytes)| allows(bytes)).map(|&(id, _)| id).collect();
    mask.extend(
        SPECIALS.iter().filter(|(id, name)| run.allows_special(Some(name), Some(id.0))).map(|&(id, _)| id),
    );
    if run.is_complete() && !mask.contains(&STOP) {
        mask.extend(ending.tokens());
    }
    mask.sort_unstable();
    mask
}

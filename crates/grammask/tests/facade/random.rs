//! Random grammars and walks: masks against the oracle with every combination of switches, and matchers whose
//! tables are replaced all the time against matchers whose tables never are.

use std::ops::Range;

use crate::random_setup::{SHAPES, SPECIALS, STOP, compile, endings, shape, tokens, vocabulary};
use grammask::{Config, Ending, Matcher, Outcome, TokenId};
use grammask_testkit::random::{RandomGrammar, Rng, grammar, operators, tails, texts};
use grammask_testkit::{Outcome as OracleOutcome, Run};

/// Returns every combination of the switches that must not change any result. Half of them gather texts, and
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
        config.masks.tuning.keep_summaries = keep_summaries;
        config.masks.tuning.keep_masks = keep_masks;
        let name = format!(
            "gather_texts {gather_texts}, loop_right_recursion {loops}, keep_steps {keep_steps}, leo {leo}, keep_summaries {keep_summaries}, keep_masks {keep_masks}"
        );
        configs.push((name, config));
    }
    configs
}

/// Returns the mask by its definition: asks the oracle for each token.
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

/// Whether anything can follow, be it in the vocabulary or not.
fn goes_on(run: &Run<'_>) -> bool {
    !run.live_bytes().is_empty()
        || SPECIALS.iter().any(|(id, name)| run.allows_special(Some(name), Some(id.0)))
}

fn push(run: &mut Run<'_>, tokens: &[(TokenId, Vec<u8>)], token: TokenId) -> bool {
    match tokens.iter().find(|&&(id, _)| id == token) {
        Some((_, bytes)) => run.push_all(bytes),
        None => {
            let name = SPECIALS.iter().find(|&&(id, _)| id == token).map(|&(_, name)| name);
            run.push_special(name, Some(token.0))
        }
    }
}

fn mask(matcher: &mut Matcher) -> Vec<TokenId> {
    let mask = matcher.mask().iter().collect();
    assert_eq!(matcher.error(), None);
    mask
}

#[test]
fn masks_equal_the_oracle_with_every_switch() {
    check_masks(0..75, |rng, seed| grammar(rng, &shape(seed)));
}

#[test]
fn masks_of_operators_equal_the_oracle_with_every_switch() {
    check_masks(5000..5060, |rng, _| operators::grammar(rng));
}

#[test]
fn masks_of_texts_equal_the_oracle_with_every_switch() {
    check_masks(6000..6060, |rng, _| texts::with_specials(rng));
}

#[test]
fn masks_of_right_recursion_equal_the_oracle_with_every_switch() {
    check_masks(7000..7060, |rng, _| tails::grammar(rng));
}

/// Walks along the masks of grammars by seeds, with every combination of switches.
fn check_masks(seeds: Range<u64>, grammar: impl Fn(&mut Rng, u64) -> RandomGrammar) {
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let random = grammar(&mut rng, seed);
        let tokens = tokens(&mut rng);
        let vocabulary = vocabulary(&tokens);
        let ending = &endings()[seed as usize / SHAPES.len() % 3];
        let mut matchers: Vec<(String, Matcher)> = configs(ending)
            .into_iter()
            .map(|(name, config)| (name, compile(&random, &vocabulary, &config).matcher()))
            .collect();
        let oracle = random.oracle.clone().with_ends(ending.tokens().iter().map(|id| id.0));
        let mut run = oracle.run();
        let mut path = Vec::new();
        for _ in 0..5 {
            let expected = expected(&run, &tokens, ending);
            for (name, matcher) in &mut matchers {
                let found = mask(matcher);
                assert_eq!(
                    found, expected,
                    "seed {seed}, {name}, {ending:?}, after {path:?} of\n{}",
                    random.text
                );
                assert_eq!(matcher.is_complete(), run.is_complete(), "seed {seed}, {name}, after {path:?}");
            }
            let Some(&token) = (!expected.is_empty()).then(|| rng.pick(&expected)) else { break };
            path.push(token);
            let ends = ending.tokens().contains(&token);
            let live = ends || push(&mut run, &tokens, token);
            assert!(live);
            let finished = match ending {
                Ending::Eager => run.is_complete(),
                Ending::EndOfSequence(ids) if ids.is_empty() => run.is_complete() && !goes_on(&run),
                Ending::EndOfSequence(_) | Ending::OfVocabulary => ends,
            };
            let stuck = !finished && self::expected(&run, &tokens, ending).is_empty();
            let right = match (finished, stuck) {
                (true, _) => Outcome::Finished,
                (false, true) => Outcome::Stuck,
                (false, false) => Outcome::Ongoing,
            };
            for (name, matcher) in &mut matchers {
                let outcome = matcher.accept(token);
                assert_eq!(
                    outcome, right,
                    "seed {seed}, {name}, {ending:?}, after {path:?} of\n{}",
                    random.text
                );
            }
            if finished {
                break;
            }
        }
    }
}

#[test]
fn exactly_the_allowed_tokens_are_accepted() {
    for seed in 1000..1090 {
        let mut rng = Rng::new(seed);
        let random = grammar(&mut rng, &shape(seed));
        let vocabulary = vocabulary(&tokens(&mut rng));
        let ending = endings()[seed as usize / SHAPES.len() % 3].clone();
        let config = Config { ending, ..Config::default() };
        let mut matcher = compile(&random, &vocabulary, &config).matcher();
        for _ in 0..5 {
            let mask = mask(&mut matcher);
            for id in (0..100).map(TokenId) {
                let outcome = matcher.clone().accept(id);
                let valid = matcher.validate(&[id]);
                let allowed = mask.contains(&id);
                assert_eq!(
                    (outcome.is_accepted(), valid),
                    (allowed, usize::from(allowed)),
                    "seed {seed}, {id}"
                );
            }
            if mask.is_empty() || !matcher.accept(*rng.pick(&mask)).is_accepted() {
                break;
            }
        }
    }
}

#[test]
fn accepted_bytes_equal_the_oracle() {
    for seed in 2000..2100 {
        let mut rng = Rng::new(seed);
        let random = grammar(&mut rng, &SHAPES[0]);
        let vocabulary = vocabulary(&tokens(&mut rng));
        let ending = &endings()[seed as usize % 3];
        let config = Config { ending: ending.clone(), ..Config::default() };
        let mut matcher = compile(&random, &vocabulary, &config).matcher();
        let mut run = random.oracle.run();
        for _ in 0..12 {
            if matcher.is_finished() {
                break;
            }
            let (_, bytes) = rng.pick(&tokens(&mut rng.clone())).clone();
            // The oracle takes no token without bytes, and a call without bytes is none.
            let accepted = bytes.is_empty()
                || match ending {
                    Ending::Eager => run.clone().accept_eagerly(&bytes) != OracleOutcome::Rejected,
                    Ending::EndOfSequence(_) | Ending::OfVocabulary => run.allows(&bytes),
                };
            let outcome = matcher.accept_bytes(&bytes);
            assert_eq!(
                outcome.is_accepted(),
                accepted,
                "seed {seed}, {bytes:?} after {matcher:?} of\n{}",
                random.text
            );
            if accepted {
                run.push_all(&bytes);
            }
            assert_eq!(matcher.is_complete(), run.is_complete(), "seed {seed}, {matcher:?}");
        }
    }
}

/// Everything that a caller can see and that may not depend on budgets. States are not compared: equal
/// futures may have different states when tables are thrown away.
fn view(matcher: &mut Matcher) -> (Vec<TokenId>, Vec<u8>, usize, bool, bool, Vec<u8>) {
    let forced = matcher.forced_bytes();
    (
        mask(matcher),
        matcher.text().to_vec(),
        matcher.len(),
        matcher.is_complete(),
        matcher.is_finished(),
        forced,
    )
}

#[test]
fn a_matcher_without_memory_equals_any_other() {
    for seed in 3000..3030 {
        let mut rng = Rng::new(seed);
        let random = grammar(&mut rng, &shape(seed));
        let tokens = tokens(&mut rng);
        let vocabulary = vocabulary(&tokens);
        let ending = endings()[seed as usize / SHAPES.len() % 3].clone();
        let mut plentiful = Config { ending, ..Config::default() };
        // Without memory, each mask of an ambiguous grammar begins anew.
        plentiful.masks.limits.max_mask_work = u64::MAX;
        let mut starved = plentiful.clone();
        starved.recognizer.limits.budget = 1;
        starved.masks.limits.budget = 1;
        let start = (
            compile(&random, &vocabulary, &plentiful).matcher(),
            compile(&random, &vocabulary, &starved).matcher(),
        );
        // Several sequences of the same grammars, so that tables are given up while others use them.
        let mut pairs = vec![start];
        for step in 0..60 {
            let place = rng.below(pairs.len());
            let many = pairs.len();
            let (rich, poor) = &mut pairs[place];
            match rng.below(12) {
                0 if many < 4 => {
                    let copy = (rich.clone(), poor.clone());
                    pairs.push(copy);
                    continue;
                }
                0 | 1 => {
                    let back = rng.below(rich.len() + 2);
                    assert_eq!(rich.rollback(back).is_ok(), poor.rollback(back).is_ok());
                }
                2 => {
                    if rng.chance(1, 4) {
                        rich.reset();
                        poor.reset();
                    }
                }
                3 => {
                    let bytes = &rng.pick(&tokens).1;
                    assert_eq!(
                        rich.accept_bytes(bytes),
                        poor.accept_bytes(bytes),
                        "seed {seed}, step {step}"
                    );
                }
                4 => {
                    let draft: Vec<TokenId> = (0..4).map(|_| rng.pick(&tokens).0).collect();
                    assert_eq!(rich.validate(&draft), poor.validate(&draft), "seed {seed}, step {step}");
                }
                5 => {
                    let token = rng.pick(&tokens).0;
                    assert_eq!(rich.accept(token), poor.accept(token), "seed {seed}, step {step}");
                }
                _ => {
                    let allowed = mask(rich);
                    if !allowed.is_empty() {
                        let token = *rng.pick(&allowed);
                        assert_eq!(
                            rich.accept(token),
                            poor.accept(token),
                            "seed {seed}, step {step}, {token}"
                        );
                    }
                }
            }
            assert_eq!(view(rich), view(poor), "seed {seed}, step {step} of\n{}", random.text);
        }
    }
}

#[test]
fn masks_do_not_depend_on_earlier_calls() {
    for seed in 4000..4060 {
        let mut rng = Rng::new(seed);
        let random = grammar(&mut rng, &shape(seed));
        let vocabulary = vocabulary(&tokens(&mut rng));
        let warm = compile(&random, &vocabulary, &Config::default());
        let mut paths: Vec<(Vec<TokenId>, Vec<TokenId>)> = Vec::new();
        for _ in 0..6 {
            let mut matcher = warm.matcher();
            let mut path = Vec::new();
            for _ in 0..6 {
                let allowed = mask(&mut matcher);
                paths.push((path.clone(), allowed.clone()));
                if allowed.is_empty() {
                    break;
                }
                path.push(*rng.pick(&allowed));
                assert!(matcher.accept(path[path.len() - 1]).is_accepted());
            }
        }
        for (path, seen) in &paths {
            // A grammar that has done nothing else, and one that has done everything.
            for grammar in [&compile(&random, &vocabulary, &Config::default()), &warm] {
                let mut matcher = grammar.matcher();
                for &token in path {
                    assert!(matcher.accept(token).is_accepted(), "seed {seed}, {path:?} of\n{}", random.text);
                }
                assert_eq!(&mask(&mut matcher), seen, "seed {seed}, after {path:?} of\n{}", random.text);
            }
        }
    }
}

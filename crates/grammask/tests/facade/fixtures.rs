//! The fixture grammars against the oracle. Sample, damaged and random texts become dead at the same byte.
//! Masks over a thousand tokens are equal with every combination of switches, cold and warm.

use crate::random::{configs, expected};
use crate::random_setup::{SPECIALS, STOP, endings, vocabulary};
use grammask::{Config, Ending, Grammar, LexiconConfig, Matcher, Outcome, TokenId, Vocabulary};
use grammask_testkit::fixtures::{GrammarFixture, fixtures_root, grammars};
use grammask_testkit::random::Rng;
use grammask_testkit::{Oracle, Run};

/// Number of texts with random faults for each grammar.
const FAULTS: usize = 6;
/// Number of random places of a sample at which whole masks are compared.
const PLACES: usize = 6;
/// Number of random outputs for each grammar and ending.
const WALKS: usize = 3;
const STEPS: usize = 6;

type Tokens = Vec<(TokenId, Vec<u8>)>;

/// A fixture with all that a comparison needs.
struct Subject {
    fixture: GrammarFixture,
    oracle: Oracle,
    tokens: Tokens,
    vocabulary: Vocabulary,
    rng: Rng,
}

impl Subject {
    /// A vocabulary of its own for each configuration: lexicons are shared by the grammars of a vocabulary,
    /// and the first must not warm up the others.
    fn compile(&self, config: &Config) -> Grammar {
        let cold = self.vocabulary.with_lexicon(&LexiconConfig::default());
        Grammar::compile(&self.fixture.grammar, &cold, config)
            .unwrap_or_else(|error| panic!("{}: {error}", self.fixture.name))
    }

    fn compiled(&self, ending: &Ending) -> Vec<(String, Grammar)> {
        let compile = |(name, config): (String, Config)| {
            (format!("{}, {ending:?}, {name}", self.fixture.name), self.compile(&config))
        };
        configs(ending).into_iter().map(compile).collect()
    }
}

/// All bytes, pieces of the grammar's sample and its damaged ones, pieces of the other samples, and random
/// strings.
fn tokens(rng: &mut Rng, fixture: &GrammarFixture, all: &[GrammarFixture]) -> Tokens {
    let mut words: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    let damaged = fixture.damaged();
    for count in 0..650 {
        let from = match count % 5 {
            0 => &rng.pick(all).sample,
            1 if !damaged.is_empty() => rng.pick(&damaged),
            _ => &fixture.sample,
        };
        let (start, length) = (rng.below(from.len() - 2), 2 + rng.below(if count % 7 == 0 { 24 } else { 6 }));
        let bytes = from.as_bytes();
        words.push(bytes[start..bytes.len().min(start + length)].to_vec());
    }
    for count in 0..100 {
        // Characters that grammars are about, or any bytes at all.
        let byte = |rng: &mut Rng| match count % 3 {
            0 => rng.below(256) as u8,
            _ => *rng.pick(fixture.sample.as_bytes()),
        };
        words.push((0..2 + rng.below(4)).map(|_| byte(rng)).collect());
    }
    let is_special = |id: &TokenId| SPECIALS.iter().any(|(special, _)| special == id);
    (0..).map(TokenId).filter(|id| !is_special(id)).zip(words).collect()
}

/// The sample, its damaged forms, and forms with a byte changed, taken out, put in or said twice.
fn texts(subject: &mut Subject) -> Vec<Vec<u8>> {
    let sample = subject.fixture.sample.as_bytes();
    let mut texts = vec![sample.to_vec()];
    texts.extend(subject.fixture.damaged().into_iter().map(String::into_bytes));
    for kind in 0..FAULTS {
        let mut text = sample.to_vec();
        let place = subject.rng.below(text.len());
        let other = *subject.rng.pick(sample);
        match kind % 4 {
            0 => text[place] = other,
            1 => drop(text.remove(place)),
            2 => text.insert(place, other),
            _ => text.insert(place, text[place]),
        }
        texts.push(text);
    }
    texts
}

fn for_each_fixture(check: impl Fn(&mut Subject)) {
    let all = grammars(&fixtures_root());
    assert!(all.len() >= 10, "{} grammars", all.len());
    for (seed, fixture) in all.iter().enumerate() {
        let mut rng = Rng::new(seed as u64);
        let tokens = tokens(&mut rng, fixture, &all);
        assert!(tokens.len() >= 1_000);
        let ast = grammask_syntax::parse(&fixture.grammar, &Default::default()).unwrap();
        let oracle = Oracle::new(&ast, "start").unwrap();
        let vocabulary = vocabulary(&tokens);
        check(&mut Subject { fixture: fixture.clone(), oracle, tokens, vocabulary, rng });
    }
}

fn mask(matcher: &mut Matcher) -> Vec<TokenId> {
    let mask = matcher.mask().iter().collect();
    assert_eq!(matcher.error(), None);
    mask
}

/// Compares the masks of matchers at the position of `run`, each requested twice, with the oracle's mask.
/// Returns it.
fn compare(
    subject: &Subject,
    run: &Run<'_>,
    ending: &Ending,
    matchers: &mut [(String, Matcher)],
) -> Vec<TokenId> {
    let right = expected(run, &subject.tokens, ending);
    for (name, matcher) in matchers {
        for time in ["at first", "again"] {
            let found = mask(matcher);
            let differ: Vec<_> =
                subject.tokens.iter().filter(|(id, _)| found.contains(id) != right.contains(id)).collect();
            assert!(found == right, "{name}, {time}, after {matcher:?}: {differ:?}, {found:?}");
        }
        assert_eq!(matcher.is_complete(), run.is_complete(), "{name}, after {matcher:?}");
    }
    right
}

#[test]
fn texts_become_dead_at_the_same_byte_as_in_the_oracle() {
    for_each_fixture(|subject| {
        let texts = texts(subject);
        for (number, (name, grammar)) in subject.compiled(&endings()[0]).iter().enumerate() {
            // Only the first two switches concern the recognizer.
            if number >= 4 {
                break;
            }
            for text in &texts {
                let (mut matcher, mut run) = (grammar.matcher(), subject.oracle.run());
                for &byte in text {
                    let live = run.push(byte);
                    let accepted = matcher.accept_bytes(&[byte]).is_accepted();
                    assert_eq!(accepted, live, "{name}, byte {byte} after {matcher:?}");
                    if !live {
                        break;
                    }
                    assert_eq!(matcher.is_complete(), run.is_complete(), "{name}, after {matcher:?}");
                }
            }
        }
    });
}

#[test]
fn live_bytes_along_the_samples_equal_the_oracle() {
    for_each_fixture(|subject| {
        let grammar = subject.compile(&Config::default());
        let (mut matcher, mut run) = (grammar.matcher(), subject.oracle.run());
        for byte in subject.fixture.sample.bytes() {
            let mask = mask(&mut matcher);
            let single = subject.tokens.iter().filter(|(id, bytes)| bytes.len() == 1 && mask.contains(id));
            let live: Vec<u8> = single.map(|(_, bytes)| bytes[0]).collect();
            assert_eq!(live, run.live_bytes(), "{}, after {matcher:?}", subject.fixture.name);
            assert!(matcher.accept_bytes(&[byte]).is_accepted() && run.push(byte));
        }
    });
}

#[test]
fn masks_along_the_samples_equal_the_oracle() {
    for_each_fixture(|subject| {
        for ending in endings() {
            let sample = subject.fixture.sample.clone().into_bytes();
            // Where an ending is eager, the output is over as soon as it is complete.
            let mut whole = subject.oracle.run();
            let last = sample.iter().position(|&byte| {
                whole.push(byte);
                ending == Ending::Eager && whole.is_complete()
            });
            let last = last.map_or(sample.len(), |place| place + 1);
            let mut places: Vec<usize> = (0..PLACES).map(|_| subject.rng.below(last)).collect();
            places.extend([0, last]);
            places.sort_unstable();
            places.dedup();
            let grammars = subject.compiled(&ending);
            let start = |(name, grammar): &(String, Grammar)| (name.clone(), grammar.matcher());
            let mut matchers: Vec<_> = grammars.iter().map(start).collect();
            let mut run = subject.oracle.run();
            let mut read = 0;
            for place in places {
                for &byte in &sample[read..place] {
                    assert!(run.push(byte));
                }
                for (name, matcher) in &mut matchers {
                    let outcome = matcher.accept_bytes(&sample[read..place]);
                    assert!(place == read || outcome.is_accepted(), "{name}, {outcome:?}");
                }
                read = place;
                let right = compare(subject, &run, &ending, &mut matchers);
                // A grammar that has done nothing else.
                let config = Config { ending: ending.clone(), ..Config::default() };
                let mut fresh = subject.compile(&config).matcher();
                assert!(place == 0 || fresh.accept_bytes(&sample[..place]).is_accepted());
                let (_, warm) = &mut matchers[15];
                assert_eq!(mask(&mut fresh), right, "{}, fresh, after {fresh:?}", subject.fixture.name);
                for &(id, _) in subject.tokens.iter().step_by(3) {
                    assert_eq!(warm.validate(&[id]), usize::from(right.contains(&id)), "{id}, {warm:?}");
                }
            }
        }
    });
}

#[test]
fn masks_along_the_samples_are_equal_after_rollback_and_in_clones() {
    for_each_fixture(|subject| {
        for ending in endings() {
            for (name, grammar) in subject.compiled(&ending) {
                let mut matcher = grammar.matcher();
                let (mut masks, mut clones) = (vec![mask(&mut matcher)], vec![matcher.clone()]);
                for byte in subject.fixture.sample.bytes() {
                    if !matcher.accept_bytes(&[byte]).is_accepted() {
                        break;
                    }
                    masks.push(mask(&mut matcher));
                    clones.push(matcher.clone());
                    if matcher.is_finished() {
                        break;
                    }
                }
                let mut accepted = masks.len() - 1;
                assert!(accepted > 0, "{name}");
                while accepted > 0 {
                    let back = 1 + subject.rng.below(accepted);
                    matcher.rollback(back).unwrap();
                    accepted -= back;
                    assert_eq!(mask(&mut matcher), masks[accepted], "{name}, back at {matcher:?}");
                }
                for (right, mut clone) in masks.into_iter().zip(clones) {
                    assert_eq!(mask(&mut clone), right, "{name}, clone at {clone:?}");
                }
            }
        }
    });
}

#[test]
fn random_outputs_equal_the_oracle() {
    for_each_fixture(|subject| {
        for ending in endings() {
            let grammars = subject.compiled(&ending);
            for _ in 0..WALKS {
                let mut matchers: Vec<_> =
                    grammars.iter().map(|(name, grammar)| (name.clone(), grammar.matcher())).collect();
                let mut run = subject.oracle.run();
                for _ in 0..STEPS {
                    let right = compare(subject, &run, &ending, &mut matchers);
                    let Some(&token) = (!right.is_empty()).then(|| subject.rng.pick(&right)) else { break };
                    if token != STOP {
                        let (_, bytes) = subject.tokens.iter().find(|(id, _)| *id == token).unwrap();
                        assert!(run.push_all(bytes));
                    }
                    let is_over = match &ending {
                        Ending::Eager => run.is_complete(),
                        Ending::EndOfSequence(ids) if ids.is_empty() => {
                            run.is_complete() && run.live_bytes().is_empty()
                        }
                        Ending::EndOfSequence(_) | Ending::OfVocabulary => token == STOP,
                    };
                    for (name, matcher) in &mut matchers {
                        let outcome = matcher.accept(token);
                        assert_eq!(
                            outcome == Outcome::Finished,
                            is_over,
                            "{name}, {outcome:?} at {matcher:?}"
                        );
                    }
                    if is_over {
                        break;
                    }
                }
            }
        }
    });
}

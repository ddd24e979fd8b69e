//! Masks do not depend on sharing: one vocabulary for all grammars or one for each, with every configuration
//! of the lexicon. Nor do they depend on warm-up, replaced tables, or the number of threads.

use std::ops::ControlFlow;

use crate::random_setup::{compile, endings, shape, tokens, vocabulary};
use grammask::mask::LexiconTuning;
use grammask::{
    Config, Ending, Grammar, LexiconConfig, LexiconLimits, Mask, TokenId, Vocabulary, WarmLimits,
};
use grammask_testkit::random::{RandomGrammar, Rng, grammar};

/// A way through one grammar: the tokens that were taken, and the mask before each.
type Walk = Vec<(TokenId, Mask)>;

/// Vocabularies with the same tokens, each of which shares in its own way. `tiny` ones hold next to nothing.
fn vocabularies(plain: &Vocabulary) -> Vec<(&'static str, Vocabulary)> {
    let eager = LexiconTuning::eager();
    let (mut tiny, mut starved) = (LexiconConfig::from(eager.clone()), LexiconConfig::from(eager.clone()));
    tiny.limits.budget = 2_000;
    starved.limits.regular.states = 12;
    let configs = [
        ("taking every subtree that can be", eager.clone().into()),
        ("no slices", LexiconTuning { slices: false, ..LexiconTuning::default() }.into()),
        ("rows of bits only", LexiconTuning { max_listed_nodes: 0, ..eager }.into()),
        (
            "short lists",
            LexiconTuning { max_listed_nodes: 3, slices: false, ..LexiconTuning::default() }.into(),
        ),
        ("tiny", tiny),
        ("starved", starved),
    ];
    configs.map(|(name, config)| (name, plain.with_lexicon(&config))).into()
}

fn configs(ending: &Ending) -> Vec<(&'static str, Config)> {
    let plain = Config { ending: ending.clone(), ..Config::default() };
    let with = |change: fn(&mut Config)| {
        let mut config = plain.clone();
        change(&mut config);
        config
    };
    vec![
        ("set by set", with(|config| config.masks.tuning.max_state_walk_nodes = usize::MAX)),
        ("rule by rule", with(|config| config.masks.tuning.max_state_walk_nodes = 0)),
        ("a few nodes set by set", with(|config| config.masks.tuning.max_state_walk_nodes = 4)),
        (
            "rebuilt at every step",
            with(|config| {
                config.masks.limits.budget = 1;
                config.recognizer.limits.budget = 1;
            }),
        ),
    ]
}

/// Random walks, with masks found by walking the whole trie, nothing kept and nothing shared.
fn reference(rng: &mut Rng, random: &RandomGrammar, plain: &Vocabulary, ending: &Ending) -> Vec<Walk> {
    let mut config = Config { ending: ending.clone(), ..Config::default() };
    config.masks.tuning.keep_summaries = false;
    config.masks.tuning.keep_masks = false;
    let grammar = compile(random, &plain.with_lexicon(&LexiconConfig::default()), &config);
    let mut walk = || {
        let mut matcher = grammar.matcher();
        let mut walk = Walk::new();
        while walk.len() < 6 {
            let mask = matcher.mask().clone();
            let allowed: Vec<TokenId> = mask.iter().collect();
            if allowed.is_empty() {
                break;
            }
            let token = *rng.pick(&allowed);
            walk.push((token, mask));
            if !matcher.accept(token).is_accepted() || matcher.is_finished() {
                break;
            }
        }
        walk
    };
    (0..3).map(|_| walk()).collect()
}

/// Follows the walks and compares each mask.
fn follow(grammar: &Grammar, walks: &[Walk], place: &str) {
    for walk in walks {
        let mut matcher = grammar.matcher();
        for (step, (token, mask)) in walk.iter().enumerate() {
            assert_eq!(matcher.mask(), mask, "{place}, step {step} of {walk:?}");
            assert_eq!(matcher.error(), None, "{place}");
            assert!(matcher.accept(*token).is_accepted(), "{place}, {token} at step {step}");
        }
    }
}

#[test]
fn masks_do_not_depend_on_what_is_shared() {
    for seed in 0..4 {
        let mut rng = Rng::new(seed);
        let plain = vocabulary(&tokens(&mut rng));
        let shared = vocabularies(&plain);
        for number in 0..12 {
            let random = grammar(&mut rng, &shape(number as u64));
            let ending = &endings()[(number / 3) % 3];
            let walks = reference(&mut rng, &random, &plain, ending);
            for (place, (sharing, vocabulary)) in shared.iter().enumerate() {
                for (way, (finding, config)) in configs(ending).iter().enumerate() {
                    // Every pair comes up, if not with every grammar.
                    if (place + way + number) % 2 == 0 {
                        let name = format!("seed {seed}, {number}, {sharing}, {finding}:\n{}", random.text);
                        let grammar = compile(&random, vocabulary, config);
                        follow(&grammar, &walks, &name);
                        follow(&grammar, &walks, &format!("known, {name}"));
                        let again = compile(&random, vocabulary, config);
                        follow(&again, &walks, &format!("compiled again, {name}"));
                    }
                }
            }
        }
    }
}

#[test]
fn masks_do_not_depend_on_threads_or_warmth() {
    let mut rng = Rng::new(77);
    let plain = vocabulary(&tokens(&mut rng));
    let shared = vocabularies(&plain);
    for number in 0..24 {
        let random = grammar(&mut rng, &shape(number as u64));
        let ending = &endings()[(number / 3) % 3];
        let walks = reference(&mut rng, &random, &plain, ending);
        let (sharing, vocabulary) = &shared[number % shared.len()];
        let (finding, config) = &configs(ending)[number / 6 % 4];
        let name = format!("{number}, {sharing}, {finding}:\n{}", random.text);
        for threads in [1, 2, 8] {
            let grammar = compile(&random, vocabulary, config);
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| follow(&grammar, &walks, &format!("{threads} threads, {name}")));
                }
                scope.spawn(|| {
                    let limits = WarmLimits { states: 200, threads };
                    grammar.warm(&limits, |_| ControlFlow::Continue(()))
                });
            });
            let grammar = compile(&random, vocabulary, config);
            grammar.warm(&WarmLimits { states: 100, threads }, |_| ControlFlow::Continue(()));
            follow(&grammar, &walks, &format!("warmed up on {threads} threads, {name}"));
        }
    }
}

#[test]
fn warm_up_ends_when_cancelled_and_at_its_limits() {
    let mut rng = Rng::new(5);
    let plain = vocabulary(&tokens(&mut rng));
    let text = "start ::= list; list ::= '(' (list | #'[a-z]+' | #'[0-9]{1,50}')* ')';";
    let compile = || Grammar::compile(text, &plain, &Config::default()).unwrap();
    let all = compile().warm(&WarmLimits::default(), |_| ControlFlow::Continue(()));
    assert!(all.is_complete && all.waiting == 0 && all.states > 10, "{all:?}");
    let few = compile().warm(&WarmLimits { states: 7, threads: 1 }, |_| ControlFlow::Continue(()));
    assert!(!few.is_complete && few.states == 7 && few.waiting > 0, "{few:?}");
    let mut told = 0;
    let stopped = compile().warm(&WarmLimits::default(), |_| {
        told += 1;
        ControlFlow::Break(())
    });
    assert!(told == 1 && stopped.states < all.states, "{stopped:?}");
    let mut config = Config::default();
    config.masks.limits.budget = 2_000;
    let full = Grammar::compile(text, &plain, &config).unwrap();
    let full = full.warm(&WarmLimits::default(), |_| ControlFlow::Continue(()));
    assert!(!full.is_complete && full.states < all.states, "{full:?}");
}

#[test]
fn later_grammars_reuse_the_lexicon() {
    let mut rng = Rng::new(6);
    let plain = vocabulary(&tokens(&mut rng));
    let limits = WarmLimits::default();
    let warm = |text: &str| {
        let grammar = Grammar::compile(text, &plain, &Config::default()).unwrap();
        grammar.warm(&limits, |_| ControlFlow::Continue(()));
        plain.stats().entries
    };
    let first = warm("start ::= #'[a-z]+' '!';");
    assert!(first > 0);
    // At another place, the lexeme needs no new walk of the whole trie, and none at all in the same grammar.
    assert_eq!(warm("start ::= #'[a-z]+' '!';"), first);
    let other = Grammar::compile("start ::= #'[a-z]+' '?';", &plain, &Config::default()).unwrap();
    other.matcher().mask();
    assert_eq!(plain.stats().entries, first);
    assert!(warm("start ::= #'[0-9]+' '!';") > first);
}

/// The tokens of a mask, each of which must be accepted, and no other.
fn allowed(grammar: &Grammar, text: &str) -> Vec<TokenId> {
    let mut matcher = grammar.matcher();
    assert!(matcher.accept_bytes(text.as_bytes()).is_accepted());
    let mask = matcher.mask().clone();
    for id in (0..mask.id_count() as u32).map(TokenId) {
        assert_eq!(matcher.clone().accept(id).is_accepted(), mask.allows(id), "token {id} after {text:?}");
    }
    mask.iter().collect()
}

#[test]
fn unmatchable_parts_allow_no_token() {
    let tokens = (0..=u8::MAX).map(|byte| (TokenId(u32::from(byte)), vec![byte]));
    let plain = Vocabulary::new(tokens, []).unwrap();
    let text = "start ::= 'k:' json!('b' | 'a' (#'(xy)+' & #'(xz)+')) ';' | 'm:' json!('c' | 'a' (#'(xy)+' & #'(xz)+')) '.';";
    let id = |byte: u8| TokenId(u32::from(byte));
    for order in [["k:", "m:"], ["m:", "k:"]] {
        let vocabulary = plain.with_lexicon(&LexiconConfig::default());
        let grammar = Grammar::compile(text, &vocabulary, &Config::default()).unwrap();
        for place in order.into_iter().chain(order) {
            let letter = if place == "k:" { b'b' } else { b'c' };
            assert_eq!(allowed(&grammar, place), [id(b'\\'), id(letter)], "after {place}");
        }
    }
}

#[test]
fn lexemes_that_are_near_duplicates_of_each_other_are_found() {
    // After most characters the one goes on to the other and back, and each loops by one of them.
    let class = "A-Z0-9 !#$%&()*+,./:<=>?@_";
    let text = format!("start ::= #'(~|[{class}]~*[{class}])*' ';';");
    let single = (0x20..0x7F).map(|byte| vec![byte]);
    let words = (0..7_000).map(|number: u32| {
        let mut letters = number.to_string().into_bytes();
        letters.iter_mut().for_each(|digit| *digit += b'a' - b'0');
        letters.insert(0, b'q');
        letters
    });
    let tokens = (0..).map(TokenId).zip(single.chain(words));
    let vocabulary = Vocabulary::new(tokens, []).unwrap();
    let grammar = Grammar::compile(&text, &vocabulary, &Config::default()).unwrap();
    let odd = allowed(&grammar, "A");
    let even = allowed(&grammar, "A~B");
    assert_eq!(even.len(), odd.len() + 1, "the text may end where no character is left over");
}

#[test]
fn a_long_nested_output_stays_within_its_budgets() {
    const BUDGET: usize = 1 << 20;
    let mut rng = Rng::new(8);
    let words = ["(", ")", "((", "))", ",", "a", "ab", "abc", "),(", "1", "22", "a,", ",a", "1,2"];
    let bytes = (0..=255u8).map(|byte| vec![byte]).chain(words.iter().map(|word| word.as_bytes().to_vec()));
    let plain = Vocabulary::new((0..).map(TokenId).zip(bytes), []).unwrap();
    let vocabulary = plain.with_lexicon(&LexiconLimits { budget: BUDGET, ..LexiconLimits::default() }.into());
    let mut config = Config::default();
    (config.masks.limits.budget, config.recognizer.limits.budget) = (BUDGET, BUDGET);
    let text = "start ::= (list ','){2,1000000}; list ::= '(' (item ',')* ')';
                item ::= list | #'[a-z]{1,100000}' | #'[0-9]+';";
    let grammar = Grammar::compile(text, &vocabulary, &config).unwrap();
    let again = Grammar::compile(text, &plain, &Config::default()).unwrap();
    let mut matcher = grammar.matcher();
    let mut depth = 0usize;
    let (mut deepest, mut largest) = (0, 0);
    for step in 0..100_000 {
        let allowed: Vec<TokenId> = matcher.mask().iter().collect();
        assert_eq!(matcher.error(), None);
        let token = *rng.pick(&allowed);
        assert!(matcher.accept(token).is_accepted());
        for byte in vocabulary.bytes(token).unwrap() {
            depth = (depth + usize::from(*byte == b'(')).saturating_sub(usize::from(*byte == b')'));
        }
        deepest = deepest.max(depth);
        largest = largest.max(grammar.stats().tables.bytes + vocabulary.stats().bytes);
        if step % 20_000 == 19_999 {
            // Reading the same text again without a budget gives the same mask.
            let mut other = again.matcher();
            assert!(other.accept_bytes(matcher.text()).is_accepted());
            assert_eq!(matcher.mask(), other.mask(), "after {step} tokens");
        }
    }
    assert!(deepest > 20, "it nests: {deepest}");
    // Tables are asked between calls, so they may exceed their budget by what one call makes.
    assert!(largest < 4 * BUDGET, "{largest} bytes");
}

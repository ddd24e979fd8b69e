//! Statistics: requested masks, computed masks, and walks.

use std::time::Duration;

use grammask::{Config, Draft, Grammar, Matcher, Scratch, TokenId, Vocabulary, fill_masks};

/// Numbers in brackets; tokens for each letter, and some of two.
const LIST: &str = "start ::= '[' value (',' value)* ']'; value ::= #'[0-9]+' | start;";
const WORDS: [&str; 9] = ["[", "]", ",", "1", "2", "12", "[[", "],", "1,"];

fn vocabulary() -> Vocabulary {
    let tokens = WORDS.iter().enumerate().map(|(id, word)| (TokenId(id as u32), word.as_bytes().to_vec()));
    Vocabulary::new(tokens, []).unwrap()
}

fn grammar(config: &Config) -> Grammar {
    Grammar::compile(LIST, &vocabulary(), config).unwrap()
}

fn token(word: &str) -> TokenId {
    TokenId(WORDS.iter().position(|other| *other == word).unwrap() as u32)
}

/// Follows a text, and asks for the mask before each token and at the end.
fn follow(matcher: &mut Matcher, words: &[&str]) {
    for word in words {
        matcher.mask();
        let _ = matcher.accept(token(word));
    }
    matcher.mask();
}

const TEXT: [&str; 5] = ["[[", "12", "],", "1", "]"];

/// Numbers of requested and of computed masks.
fn counts(matcher: &Matcher) -> (u64, u64) {
    (matcher.stats().requested, matcher.stats().computed)
}

#[test]
fn cached_masks_are_not_counted_as_computed() {
    let grammar = grammar(&Config::default());
    let mut matcher = grammar.matcher();
    assert_eq!(matcher.stats(), Default::default());
    follow(&mut matcher, &TEXT);
    let first = matcher.stats();
    // The vocabulary is new, and the mask of a finished output needs no work.
    assert!(first.requested >= 6 && (3..=5).contains(&first.computed), "{first:?}");
    assert!(
        first.max_compute_time > Duration::ZERO && first.max_compute_time <= first.compute_time,
        "{first:?}"
    );
    assert!(
        first.mean_compute_time() <= first.max_compute_time
            && first.mean_compute_time() * first.computed as u32 <= first.compute_time,
        "{first:?}"
    );
    assert_eq!(first.computed, grammar.stats().tables.masks as u64);

    let mut second = grammar.matcher();
    follow(&mut second, &TEXT);
    assert_eq!(counts(&second), (first.requested, 0));
    assert_eq!((second.stats().compute_time, second.stats().cached()), (Duration::ZERO, first.requested));
}

#[test]
fn statistics_of_a_grammar_are_the_sum_of_its_matchers() {
    let grammar = grammar(&Config::default());
    let mut matchers = [grammar.matcher(), grammar.matcher()];
    matchers.iter_mut().for_each(|matcher| follow(matcher, &TEXT));
    let asked = matchers.iter().map(|matcher| matcher.stats().requested).sum::<u64>();
    let first = matchers[0].stats();
    // The masks of the second matcher were cached, and it has not reported its requests yet.
    assert!(grammar.stats().masks.requested < asked);
    matchers[1].reset();
    assert_eq!(matchers[1].stats(), Default::default(), "after a reset it counts anew");
    let [one, _] = matchers;
    drop(one);
    let all = grammar.stats().masks;
    assert_eq!((all.requested, all.computed), (asked, first.computed));
    assert_eq!((all.compute_time, all.max_compute_time), (first.compute_time, first.max_compute_time));
}

#[test]
fn clones_begin_with_zeros_and_rollback_keeps_the_counts() {
    let mut config = Config::default();
    config.masks.limits.budget = 0;
    config.recognizer.limits.budget = 0;
    for config in [Config::default(), config] {
        let grammar = grammar(&config);
        let mut matcher = grammar.matcher();
        follow(&mut matcher, &TEXT[..3]);
        let before = matcher.stats();
        let clone = matcher.clone();
        assert_eq!(clone.stats(), Default::default());
        matcher.rollback(2).unwrap();
        let after = matcher.stats();
        if config.masks.limits.budget > 0 {
            assert_eq!(after, before, "nothing is read again");
        }
        assert!(
            after.requested >= before.requested && after.computed >= before.computed,
            "{before:?} {after:?}"
        );
        drop((matcher, clone));
        let all = grammar.stats().masks;
        assert_eq!(
            (all.requested, all.computed),
            (after.requested, after.computed),
            "also where the text is read again"
        );
    }
}

#[test]
fn counts_survive_a_replacement_of_the_tables() {
    let mut config = Config::default();
    config.masks.limits.budget = 0;
    config.recognizer.limits.budget = 0;
    let grammar = grammar(&config);
    let mut before = grammar.stats();
    for _ in 0..4 {
        let mut matcher = grammar.matcher();
        follow(&mut matcher, &TEXT);
        drop(matcher);
        let after = grammar.stats();
        // Each time most of it is computed again.
        assert!(after.masks.computed >= before.masks.computed + 2, "{after:?}");
        assert!(after.masks.requested >= before.masks.requested + 6, "{after:?}");
        assert!(after.tables.walks >= before.tables.walks, "{after:?}");
        before = after;
    }
    assert!(before.masks.computed > before.tables.masks as u64, "tables were exchanged: {before:?}");
}

#[test]
fn masks_that_are_not_kept_are_computed_each_time() {
    let mut config = Config::default();
    config.masks.tuning.keep_masks = false;
    let grammar = grammar(&config);
    let mut matcher = grammar.matcher();
    for _ in 0..5 {
        matcher.mask();
    }
    assert_eq!(counts(&matcher), (5, 5));
}

#[test]
fn batches_drafts_and_states_are_counted() {
    let grammar = grammar(&Config::default());
    let mut batch = vec![grammar.matcher(); 3];
    fill_masks(&mut batch, &mut [0; 3], 1).unwrap();
    assert_eq!(batch.iter().map(counts).collect::<Vec<_>>(), [(1, 1), (1, 0), (1, 0)]);

    let mut matcher = grammar.matcher();
    let draft = Draft::chain(["[", "1", "1"].map(token));
    matcher.fill_masks_for_draft(&draft, &mut [0; 4]).unwrap();
    let (asked, first) = counts(&matcher);
    assert!(asked == 4 && (1..=3).contains(&first), "{asked} {first}");

    drop((batch, matcher));
    let before = grammar.stats().masks;
    let state = grammar.matcher().state_after(token("[[")).unwrap();
    for _ in 0..3 {
        grammar.mask_of(&state, &mut Scratch::default()).unwrap();
        grammar.fill_mask_of(&state, &mut [0]).unwrap();
    }
    let after = grammar.stats().masks;
    // Those that were known are not counted.
    assert_eq!((after.requested, after.computed), (before.requested + 1, before.computed + 1));
}

#[test]
fn walks_are_counted_with_the_tables_that_keep_their_results() {
    let vocabulary = vocabulary();
    let first = Grammar::compile(LIST, &vocabulary, &Config::default()).unwrap();
    follow(&mut first.matcher(), &TEXT);
    let (tables, lexicon) = (first.stats().tables, vocabulary.stats());
    assert!(tables.walks > 0 && tables.nodes > 0, "{tables:?}");
    assert!(lexicon.nodes + lexicon.taken > 0, "{lexicon:?}");
    assert_eq!(lexicon.walks, lexicon.entries as u64, "one for each result");
    // For the next grammar the lexemes are walked already; its rules are not.
    let second = Grammar::compile(LIST, &vocabulary, &Config::default()).unwrap();
    follow(&mut second.matcher(), &TEXT);
    assert_eq!(vocabulary.stats(), lexicon);
    assert_eq!(second.stats().tables.nodes, tables.nodes);
    // Cached results are not walked again.
    follow(&mut first.matcher(), &TEXT);
    assert_eq!((first.stats().tables, vocabulary.stats()), (tables, lexicon));
}

#[test]
fn threads_lose_no_counts() {
    let grammar = grammar(&Config::default());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..50).for_each(|_| follow(&mut grammar.matcher(), &TEXT)));
        }
    });
    let masks = grammar.stats().masks;
    let mut alone = grammar.matcher();
    follow(&mut alone, &TEXT);
    assert_eq!(masks.requested, 400 * alone.stats().requested);
    assert!(masks.computed >= grammar.stats().tables.masks as u64 && masks.computed < 8 * 6, "{masks:?}");
}

//! Rollback over any distance, across replaced tables and from a finished output; and clones on several
//! threads.

use grammask::{Matcher, Outcome, TokenId};
use grammask_testkit::random::Rng;

use crate::{BUDGETS, random_grammar, row};

/// The observable state of a matcher that does not depend on budgets.
type View = (Vec<u32>, Vec<u8>, usize, bool, bool);

fn view(matcher: &mut Matcher) -> View {
    let words = matcher.grammar().vocabulary().mask_words();
    let mask = row(matcher, words);
    (mask, matcher.text().to_vec(), matcher.len(), matcher.is_complete(), matcher.is_finished())
}

/// Accepts up to `most` random tokens, or bytes now and then; gives what was seen before each and at the end.
fn record(rng: &mut Rng, matcher: &mut Matcher, most: usize) -> Vec<View> {
    let mut views = vec![view(matcher)];
    for _ in 0..most {
        let allowed: Vec<TokenId> = matcher.mask().iter().collect();
        if allowed.is_empty() {
            break;
        }
        let token = *rng.pick(&allowed);
        let bytes = matcher.grammar().vocabulary().bytes(token).map(<[u8]>::to_vec);
        let outcome = match bytes {
            Some(bytes) if rng.chance(1, 4) => matcher.accept_bytes(&bytes),
            _ => matcher.accept(token),
        };
        assert!(outcome.is_accepted());
        views.push(view(matcher));
    }
    views
}

#[test]
fn rollback_takes_back_any_number_of_tokens() {
    for seed in 0..24 {
        let mut rng = Rng::new(seed);
        let (random, grammar) = random_grammar(seed, BUDGETS[seed as usize % 3]);
        let mut matcher = grammar.matcher();
        let mut views = record(&mut rng, &mut matcher, 14);
        for _ in 0..6 {
            let back = rng.below(matcher.len() + 1);
            matcher.rollback(back).unwrap();
            views.truncate(views.len() - back);
            assert_eq!(
                Some(&view(&mut matcher)),
                views.last(),
                "seed {seed}, {back} back of\n{}",
                random.text
            );
            let steps = rng.below(6);
            let more = record(&mut rng, &mut matcher, steps);
            views.extend(more.into_iter().skip(1));
        }
        let all = matcher.len();
        matcher.rollback(all).unwrap();
        assert_eq!(view(&mut matcher), views[0]);
    }
}

#[test]
fn rollback_works_across_a_replacement_of_the_tables() {
    let mut exchanged = 0;
    for seed in 0..15 {
        let mut rng = Rng::new(seed);
        let (random, grammar) = random_grammar(seed, 4096);
        let mut matcher = grammar.matcher();
        let first = matcher.state();
        let mut views = record(&mut rng, &mut matcher, 12);
        // Others fill the tables meanwhile.
        for _ in 0..3 {
            record(&mut rng, &mut grammar.matcher(), 12);
        }
        exchanged += usize::from(grammar.matcher().state() != first);
        while let Some(expected) = views.pop() {
            assert_eq!(view(&mut matcher), expected, "seed {seed} of\n{}", random.text);
            if !views.is_empty() {
                matcher.rollback(1).unwrap();
            }
        }
        assert!(matcher.is_empty());
    }
    assert!(exchanged > 2, "{exchanged} of 15");
}

#[test]
fn rollback_works_after_every_kind_of_end() {
    let mut finished = 0;
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let (_, grammar) = random_grammar(seed, BUDGETS[seed as usize % 3]);
        let mut matcher = grammar.matcher();
        let views = record(&mut rng, &mut matcher, 15);
        if !matcher.is_finished() {
            continue;
        }
        finished += 1;
        let back = 1 + rng.below(matcher.len());
        matcher.rollback(back).unwrap();
        assert!(!matcher.is_finished());
        assert_eq!(view(&mut matcher), views[views.len() - 1 - back], "seed {seed}");
    }
    assert!(finished > 8, "{finished} of 60");
}

#[test]
fn clones_diverge_on_separate_threads() {
    for seed in 0..12 {
        let (random, grammar) = random_grammar(seed, BUDGETS[seed as usize % 3]);
        let mut matcher = grammar.matcher();
        let before = record(&mut Rng::new(seed), &mut matcher, 5);
        let go = |mut clone: Matcher, way: u64| {
            let mut rng = Rng::new(way);
            let mut views = Vec::new();
            for _ in 0..4 {
                let back = rng.below(clone.len() + 1);
                clone.rollback(back).unwrap();
                views.extend(record(&mut rng, &mut clone, 5));
            }
            views
        };
        // One after the other, from other tables.
        let (_, alone) = random_grammar(seed, usize::MAX);
        let mut start = alone.matcher();
        record(&mut Rng::new(seed), &mut start, 5);
        let expected = [1, 2].map(|way| go(start.clone(), way));
        let found = std::thread::scope(|scope| {
            [1, 2]
                .map(|way| (way, matcher.clone()))
                .map(|(way, clone)| scope.spawn(move || go(clone, way)))
                .map(|t| t.join().unwrap())
        });
        assert_eq!(found, expected, "seed {seed} of\n{}", random.text);
        assert_eq!(Some(&view(&mut matcher)), before.last(), "seed {seed}: a clone's way is its own");
    }
}

#[test]
fn rolled_back_tokens_can_be_accepted_again() {
    for seed in 0..12 {
        let mut rng = Rng::new(seed);
        let (_, grammar) = random_grammar(seed, BUDGETS[seed as usize % 3]);
        let mut matcher = grammar.matcher();
        let mut tokens = Vec::new();
        let mut outcomes: Vec<Outcome> = Vec::new();
        for _ in 0..10 {
            let allowed: Vec<TokenId> = matcher.mask().iter().collect();
            if allowed.is_empty() {
                break;
            }
            tokens.push(*rng.pick(&allowed));
            outcomes.push(matcher.accept(tokens[tokens.len() - 1]));
        }
        let end = view(&mut matcher);
        for back in 0..=tokens.len() {
            matcher.rollback(back).unwrap();
            let place = tokens.len() - back;
            let again: Vec<Outcome> = tokens[place..].iter().map(|&token| matcher.accept(token)).collect();
            assert_eq!(again, outcomes[place..], "seed {seed}, {back} back");
            assert_eq!(view(&mut matcher), end);
        }
    }
}

//! Properties of the oracle on any grammar, and of the random generators.

use grammask_testkit::random::{Rng, Shape, grammar, grammar_text, live_byte, text, vocabulary};
use grammask_testkit::{Outcome, Verdict};

const EVERYTHING: Shape =
    Shape { nonterminals: 5, depth: 2, patterns: true, extensions: true, specials: true, empty_output: true };

#[test]
fn equal_seeds_give_equal_results() {
    for seed in 0..50 {
        let (mut one, mut two) = (Rng::new(seed), Rng::new(seed));
        let (first, second) = (grammar(&mut one, &EVERYTHING), grammar(&mut two, &EVERYTHING));
        assert_eq!(first.text, second.text);
        assert_eq!(text(&mut one, &first.oracle, 8), text(&mut two, &second.oracle, 8));
        assert_eq!(vocabulary(&mut one, 40), vocabulary(&mut two, 40));
    }
    assert_ne!(grammar_text(&mut Rng::new(1), &EVERYTHING), grammar_text(&mut Rng::new(2), &EVERYTHING));
}

#[test]
fn every_incomplete_live_text_can_be_continued() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let grammar = grammar(&mut rng, &EVERYTHING);
        let mut run = grammar.oracle.run();
        for _ in 0..10 {
            assert!(run.is_live());
            let special = [(Some("<|end|>"), None), (Some("<|sep|>"), None), (None, Some(7))]
                .into_iter()
                .find(|&(name, id)| run.allows_special(name, id));
            match (live_byte(&mut rng, &run), special) {
                (Some(byte), _) => assert!(run.push(byte)),
                (None, Some((name, id))) => assert!(run.push_special(name, id)),
                (None, None) => {
                    assert!(run.is_complete(), "a dead end after {} in\n{}", run.position(), grammar.text);
                    break;
                }
            }
        }
    }
}

#[test]
fn a_dead_run_stays_dead() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let grammar = grammar(&mut rng, &Shape::default());
        let mut run = grammar.oracle.run();
        let refused = (0..=255).find(|&byte| !run.allows(&[byte]));
        let Some(refused) = refused else { continue };
        assert!(!run.push(refused));
        assert!(!run.is_live() && !run.is_complete() && run.live_bytes().is_empty());
        assert!(!run.push(b'a') && !run.allows(b"") && !run.allows_eagerly(b"a"));
        run.rollback(0);
        assert!(run.is_live());
    }
}

#[test]
fn texts_have_all_three_verdicts() {
    let (mut accepted, mut live, mut rejected) = (0, 0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let grammar = grammar(&mut rng, &Shape::default());
        let text = text(&mut rng, &grammar.oracle, 8);
        match grammar.oracle.verdict(&text) {
            Verdict::Accept => accepted += 1,
            Verdict::LivePrefix => live += 1,
            Verdict::RejectAt(offset) => {
                assert_eq!(offset, text.len() - 1, "a walk ends where it is rejected");
                rejected += 1;
            }
        }
    }
    assert!(accepted > 60 && live > 30 && rejected > 60, "{accepted} {live} {rejected}");
}

#[test]
fn eager_tokens_agree_with_their_bytes() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let grammar = grammar(&mut rng, &Shape::default());
        let mut run = grammar.oracle.run();
        let mut bytewise = run.clone();
        for token in vocabulary(&mut rng, 60) {
            let expected = if token.is_empty() {
                Outcome::Rejected
            } else {
                let mut trial = bytewise.clone();
                let mut last = Outcome::Ongoing;
                for &byte in &token {
                    last = if last == Outcome::Ongoing {
                        trial.accept_eagerly(&[byte])
                    } else {
                        Outcome::Rejected
                    };
                }
                if last != Outcome::Rejected {
                    bytewise = trial;
                }
                last
            };
            let allowed = run.allows_eagerly(&token);
            assert_eq!(run.accept_eagerly(&token), expected, "{}", grammar.text);
            assert_eq!(allowed, expected != Outcome::Rejected);
            assert!(!allowed || bytewise.is_live());
        }
    }
}

#[test]
fn vocabularies_have_corner_cases() {
    let vocabulary = vocabulary(&mut Rng::new(5), 80);
    assert_eq!(vocabulary.len(), 80);
    assert!(vocabulary.iter().any(Vec::is_empty));
    assert!(vocabulary.iter().any(|token| std::str::from_utf8(token).is_err()));
    let mut distinct = vocabulary.clone();
    distinct.sort();
    distinct.dedup();
    assert!(distinct.len() < vocabulary.len());
    assert!(b"abc".iter().all(|&byte| vocabulary.contains(&vec![byte])));
}

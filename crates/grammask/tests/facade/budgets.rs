//! Memory budgets hold within a call and with shared tables, and statistics add up across replaced tables.

use std::ops::ControlFlow;

use grammask::{Config, Grammar, LexiconLimits, Matcher, Outcome, TokenId, Vocabulary, WarmLimits};

const BUDGET: usize = 1 << 20;

/// Lists that nest and count: each byte of a text of them leads to a state that has not been seen.
const LISTS: &str = "start ::= v{0,1000000}; v ::= '[' v{0,1000} ']' | '(' v ')' | #'[a-z]{1,40}' ';';";

fn bytes() -> Vocabulary {
    Vocabulary::new((0..=255u8).map(|byte| (TokenId(u32::from(byte)), vec![byte])), []).unwrap()
}

fn budgeted(text: &str, budget: usize, vocabulary: &Vocabulary) -> Grammar {
    let mut config = Config::default();
    (config.masks.limits.budget, config.recognizer.limits.budget) = (budget, budget);
    Grammar::compile(text, vocabulary, &config).unwrap()
}

fn largest(grammar: &Grammar) -> usize {
    grammar.stats().tables.bytes + grammar.vocabulary().stats().bytes
}

#[test]
fn one_call_with_a_long_text_stays_within_the_budget() {
    let vocabulary = bytes();
    let grammar = budgeted(LISTS, BUDGET, &vocabulary);
    let text = format!("[{}]", "abc;(de;)".repeat(400)).repeat(200);
    let mut matcher = grammar.matcher();
    assert_eq!(matcher.accept_bytes(b"[xyz;"), Outcome::Ongoing);
    assert_eq!(matcher.accept_bytes(text.as_bytes()), Outcome::Ongoing);
    assert!(largest(&grammar) < 3 * BUDGET, "{} bytes", largest(&grammar));
    assert_eq!((matcher.len(), matcher.text().len()), (2, 5 + text.len()));
    // The mask and rollback are unaffected.
    assert_eq!(matcher.accept_bytes(b"]"), Outcome::Ongoing);
    assert!(matcher.is_complete());
    let mask = matcher.mask().clone();
    matcher.rollback(2).unwrap();
    assert_eq!(matcher.text(), b"[xyz;");
    assert_eq!(matcher.accept_bytes(b"]"), Outcome::Ongoing);
    let mut fresh = budgeted(LISTS, usize::MAX, &vocabulary).matcher();
    assert!(fresh.accept_bytes(b"[xyz;]").is_accepted());
    assert_eq!(matcher.mask(), fresh.mask());
    assert!(fresh.accept_bytes(b"a;").is_accepted());
    assert_eq!(matcher.accept_bytes(b"a;"), Outcome::Ongoing);
    assert_eq!(&mask, fresh.mask());
}

#[test]
fn a_refused_text_changes_nothing_even_if_tables_are_replaced() {
    let grammar = budgeted(LISTS, BUDGET, &bytes());
    let mut matcher = grammar.matcher();
    assert!(matcher.accept_bytes(b"[a;").is_accepted());
    let mask = matcher.mask().clone();
    let wrong = format!("{}!", "(abc;)".repeat(60_000));
    assert_eq!(matcher.accept_bytes(wrong.as_bytes()), Outcome::Rejected);
    assert!(largest(&grammar) < 3 * BUDGET, "{} bytes", largest(&grammar));
    assert_eq!((matcher.len(), matcher.text()), (1, &b"[a;"[..]));
    assert_eq!(*matcher.mask(), mask);
    assert_eq!(matcher.accept_bytes(b"]"), Outcome::Ongoing);
    assert!(matcher.is_complete());
}

#[test]
fn validating_stays_within_the_budget() {
    let grammar = budgeted(LISTS, BUDGET, &bytes());
    let mut matcher = grammar.matcher();
    let tokens: Vec<TokenId> =
        "[abc;(de;)]".repeat(40_000).bytes().chain(*b"]").map(|byte| TokenId(u32::from(byte))).collect();
    assert_eq!(matcher.validate(&tokens), tokens.len() - 1);
    assert!(largest(&grammar) < 3 * BUDGET, "{} bytes", largest(&grammar));
    assert!(matcher.is_empty() && matcher.text().is_empty());
}

/// Matchers that have waited in tables that were given up come, one after the other, to tables that are
/// nearly twice as full as they were for the one before. None tolerates more because of that.
#[test]
fn matchers_leave_full_tables() {
    // No two of them share a state.
    let ways: Vec<String> =
        (0..6).map(|number| format!("'{number}' v{{0,{}}}", 1_000_000 + number)).collect();
    let text = format!("start ::= {}; v ::= #'[a-z]' ';';", ways.join(" | "));
    let grammar = budgeted(&text, BUDGET, &bytes());
    let mut matchers: Vec<Matcher> = (0..6).map(|_| grammar.matcher()).collect();
    let mut full = 0;
    for (number, matcher) in matchers.iter_mut().enumerate() {
        assert!(matcher.accept_bytes(number.to_string().as_bytes()).is_accepted());
        let begin = largest(&grammar);
        for turn in 0..60_000 {
            let before = largest(&grammar);
            assert!(matcher.accept(TokenId(u32::from(b"a;"[turn % 2]))).is_accepted());
            let now = largest(&grammar);
            assert!(now < 3 * BUDGET, "{now} bytes at matcher {number}");
            // The first one goes on to the second tables, and fills these.
            full += usize::from(now < before);
            if full > 0 && now > if number == 0 { BUDGET } else { begin * 197 / 100 } {
                break;
            }
        }
    }
    assert!(full > 0, "no tables were exchanged");
}

/// States that are deep are carried over with all that waits for them: together they exceed the budget, and
/// still get somewhere.
#[test]
fn alternating_deep_states_are_not_imported_each_time() {
    let vocabulary = bytes();
    let grammar = budgeted(LISTS, 1 << 16, &vocabulary);
    let mut matchers: Vec<Matcher> = (0..8).map(|_| grammar.matcher()).collect();
    for matcher in &mut matchers {
        assert!(matcher.accept_bytes("[".repeat(1_000).as_bytes()).is_accepted());
    }
    let before = grammar.stats().masks;
    for _ in 0..900 {
        for matcher in &mut matchers {
            for byte in *b"[a;]" {
                assert!(matcher.accept(TokenId(u32::from(byte))).is_accepted());
            }
        }
    }
    assert_eq!(grammar.stats().masks, before);
    // The open items have 1,000 levels each, with about a hundred bytes per level.
    assert!(largest(&grammar) < 8 << 20, "{} bytes", largest(&grammar));
}

/// The lexicon has a budget of its own, which does not count for the budget of a grammar.
#[test]
fn a_large_lexicon_does_not_count_for_the_budget_of_a_grammar() {
    let vocabulary = bytes();
    let lexemes: Vec<String> = (1..200).map(|length| format!("[a-z]{{{length}}}[0-9]{{{length}}}")).collect();
    let lexemes: Vec<&str> = lexemes.iter().map(String::as_str).collect();
    vocabulary.warm(&lexemes, &WarmLimits::default(), |_| ControlFlow::Continue(())).unwrap();
    let shared = vocabulary.stats().bytes;
    let budget = shared / 16;
    let grammar = budgeted(LISTS, budget, &vocabulary);
    let mut matcher = grammar.matcher();
    for byte in "[abc;(de;)]".repeat(2_000).bytes() {
        assert!(matcher.accept(TokenId(u32::from(byte))).is_accepted());
        let now = grammar.stats().tables.bytes;
        assert!(now < 3 * budget, "{now} bytes of {budget}, beside {shared} of the lexicon");
    }
    // And the other way round: a lexicon that is full is left, however much the grammar holds.
    let vocabulary =
        bytes().with_lexicon(&LexiconLimits { budget: 40_000, ..LexiconLimits::default() }.into());
    let words: Vec<String> =
        (1..80).map(|length| format!("#'[a-z]{{{length}}}[0-9]{{{length}}}' ';'")).collect();
    let grammar = budgeted(&format!("start ::= {};", words.join(" ")), 1 << 22, &vocabulary);
    let mut matcher = grammar.matcher();
    for length in 1..80 {
        for byte in format!("{}{};", "a".repeat(length), "0".repeat(length)).bytes() {
            matcher.mask();
            assert!(matcher.accept(TokenId(u32::from(byte))).is_accepted());
            let now = vocabulary.stats().bytes;
            assert!(now < 2 * 40_000, "{now} bytes");
        }
    }
}

/// A token that ends outputs is none that goes on with its bytes.
#[test]
fn an_output_is_stuck_if_the_only_token_of_a_byte_ends_outputs() {
    let vocabulary = bytes();
    let config = Config::default().ending_with([TokenId(u32::from(b'a'))]);
    let grammar = Grammar::compile("start ::= 'x' 'a';", &vocabulary, &config).unwrap();
    let mut matcher = grammar.matcher();
    assert_eq!(matcher.accept(TokenId(u32::from(b'x'))), Outcome::Stuck);
    assert!(matcher.is_stuck());
    let twice = (0..=256u32).map(|id| (TokenId(id), vec![if id == 256 { b'a' } else { id as u8 }]));
    let grammar =
        Grammar::compile("start ::= 'x' 'a';", &Vocabulary::new(twice, []).unwrap(), &config).unwrap();
    let mut matcher = grammar.matcher();
    assert_eq!(matcher.accept(TokenId(u32::from(b'x'))), Outcome::Ongoing);
    assert_eq!(matcher.mask().iter().collect::<Vec<_>>(), [TokenId(256)]);
}

/// Masks requested while the text is read again count for that matcher.
#[test]
fn mask_counts_add_up_after_a_replacement_of_the_tables() {
    let few = b"ab()[]".iter().map(|&byte| (TokenId(u32::from(byte)), vec![byte]));
    let vocabulary = Vocabulary::new(few, []).unwrap();
    let grammar = budgeted("start ::= v+; v ::= '(' v ')' | 'a'{1,9} 'b';", 0, &vocabulary);
    let mut matchers = [grammar.matcher(), grammar.matcher()];
    for (turn, byte) in b"(aaab)ab(aab)ab".iter().enumerate() {
        for matcher in &mut matchers {
            assert!(matcher.accept(TokenId(u32::from(*byte))).is_accepted());
            if turn % 4 == 3 {
                matcher.rollback(3).unwrap();
                for again in &b"(aaab)ab(aab)ab"[turn - 2..=turn] {
                    assert!(matcher.accept(TokenId(u32::from(*again))).is_accepted());
                }
            }
            matcher.mask();
        }
    }
    let (asked, first) = matchers.iter().fold((0, 0), |(asked, first), matcher| {
        (asked + matcher.stats().requested, first + matcher.stats().computed)
    });
    drop(matchers);
    let all = grammar.stats().masks;
    assert_eq!((asked, first), (all.requested, all.computed));
}

#[test]
fn cancelled_warm_up_is_not_complete() {
    let vocabulary = bytes();
    let (lexemes, limits) = (["a", "[0-9]+x{3,40}", "b+"], WarmLimits::default());
    let warmth = vocabulary.warm(&lexemes, &limits, |_| ControlFlow::Break(())).unwrap();
    assert!(!warmth.is_complete, "{warmth:?}");
    let warmth = vocabulary.warm(&lexemes[..1], &limits, |_| ControlFlow::Continue(())).unwrap();
    assert!(warmth.is_complete, "{warmth:?}");
    let warmth = vocabulary.warm(&lexemes, &limits, |_| ControlFlow::Continue(())).unwrap();
    assert!(warmth.is_complete, "{warmth:?}");
}

/// Lexemes that do not fit are left out, and the others stay.
#[test]
fn warm_up_ends_at_the_memory_budget() {
    let vocabulary =
        bytes().with_lexicon(&LexiconLimits { budget: 60_000, ..LexiconLimits::default() }.into());
    let lexemes: Vec<String> = (1..60).map(|length| format!("[a-z]{{{length}}}[0-9]{{{length}}}")).collect();
    let lexemes: Vec<&str> = lexemes.iter().map(String::as_str).collect();
    let mut last = 0;
    let warmth = vocabulary.warm(&lexemes, &WarmLimits::default(), |_| {
        let now = vocabulary.stats().bytes;
        assert!(now >= last, "{now} bytes after {last}");
        last = now;
        ControlFlow::Continue(())
    });
    let warmth = warmth.unwrap();
    assert!(!warmth.is_complete && warmth.states > 10, "{warmth:?}");
    assert!(vocabulary.stats().bytes >= 50_000, "{:?}", vocabulary.stats());
}

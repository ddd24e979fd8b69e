//! Bounds on the number of tokens to the end, and masks within a budget of tokens, compared with brute force.

#![allow(clippy::mutable_key_type, reason = "a state is compared by its number and its tables")]

use std::collections::{HashMap, HashSet};

use grammask::{CancelFlag, Config, EndLimits, Ending, Grammar, Limits, Matcher, TokenId, Vocabulary};
use grammask_testkit::random::Rng;

use crate::{BUDGETS, random_grammar, walk};

/// Greatest number of tokens that brute force enumerates.
const MAX_DEPTH: u64 = 3;
/// Number of states of one depth beyond which brute force gives up.
const MAX_LAYER_STATES: usize = 40;

/// Returns true if an output needs no further token.
fn has_ended(matcher: &Matcher) -> bool {
    let ending = matcher.grammar().ending();
    matcher.is_finished() || ending.tokens().is_empty() && matcher.is_complete()
}

/// Returns the least number of tokens to the end, if it is at most `most`. The outer `None` means that there
/// are too many states.
fn by_brute_force(matcher: &Matcher, most: u64) -> Option<Option<u64>> {
    let mut seen = HashSet::new();
    let mut layer = vec![matcher.clone()];
    for depth in 0..=most {
        if layer.iter().any(has_ended) {
            return Some(Some(depth));
        }
        let mut next = Vec::new();
        for mut matcher in layer {
            let allowed: Vec<TokenId> = matcher.mask().iter().collect();
            for token in allowed {
                let mut after = matcher.clone();
                assert!(after.accept(token).is_accepted());
                if seen.insert(after.state()) {
                    next.push(after);
                }
            }
        }
        if next.len() > MAX_LAYER_STATES {
            return None;
        }
        layer = next;
    }
    Some(None)
}

fn row_within(matcher: &mut Matcher, tokens: u64) -> (bool, Vec<u32>) {
    let mut row = vec![u32::MAX; matcher.grammar().vocabulary().mask_words() + 1];
    let is_possible = matcher.fill_mask_within(tokens, &mut row).unwrap();
    assert!(matcher.error().is_none());
    (is_possible, row)
}

/// Returns each allowed token with the least number of tokens that end the output after it, if it is at most
/// `most`. Returns `None` if there are too many states.
fn tokens_after(matcher: &mut Matcher, most: u64) -> Option<Vec<(TokenId, Option<u64>)>> {
    let allowed: Vec<TokenId> = matcher.mask().iter().collect();
    let mut known = HashMap::new();
    let mut found = Vec::new();
    for token in allowed {
        let mut after = matcher.clone();
        assert!(after.accept(token).is_accepted());
        let state = after.state();
        let distance = match known.get(&state) {
            Some(&distance) => distance,
            None => by_brute_force(&after, most)?,
        };
        known.insert(state, distance);
        found.push((token, distance));
    }
    Some(found)
}

#[test]
fn bounds_and_masks_equal_brute_force() {
    let (mut compared, mut rows) = (0, 0);
    for seed in 0..30 {
        let (_, grammar) = random_grammar(seed, BUDGETS[seed as usize % 3]);
        let mut rng = Rng::new(seed);
        for steps in [0, 1, 4] {
            let mut matcher = grammar.matcher();
            walk(&mut rng, &mut matcher, steps);
            let Some(expected) = by_brute_force(&matcher, MAX_DEPTH) else { continue };
            let bounds = matcher.tokens_to_end();
            let found = (bounds.at_least, bounds.at_most);
            match expected {
                Some(expected) => assert_eq!(found, (expected, Some(expected)), "{seed} {matcher:?}"),
                None => assert!(bounds.at_least > MAX_DEPTH, "{seed} {matcher:?} {bounds:?}"),
            }
            compared += 1;
            let Some(after) = tokens_after(&mut matcher, MAX_DEPTH - 1) else { continue };
            for tokens in 0..=MAX_DEPTH {
                let fits = |rest: Option<u64>| rest.is_some_and(|rest| rest < tokens);
                let expected: Vec<TokenId> =
                    after.iter().filter(|(_, rest)| fits(*rest)).map(|(token, _)| *token).collect();
                let (is_possible, row) = row_within(&mut matcher, tokens);
                let ids =
                    (0..row.len() as u32 * 32).filter(|id| row[*id as usize / 32] >> (id % 32) & 1 == 1);
                assert_eq!(ids.map(TokenId).collect::<Vec<_>>(), expected, "{seed} {matcher:?}, {tokens}");
                assert_eq!(is_possible, !expected.is_empty());
                rows += 1;
            }
        }
    }
    assert!(compared > 40 && rows > 100, "{compared} bounds, {rows} rows");
}

/// Writes an output with random tokens of the masks within a budget. Returns the tokens that are left.
fn write_within(rng: &mut Rng, matcher: &mut Matcher, budget: u64) -> u64 {
    let mut left = budget;
    while !has_ended(matcher) {
        let (is_possible, row) = row_within(matcher, left);
        assert!(is_possible, "{matcher:?} with {left} of {budget} tokens");
        let ids = (0..row.len() as u32 * 32).filter(|id| row[*id as usize / 32] >> (id % 32) & 1 == 1);
        let allowed: Vec<u32> = ids.collect();
        assert!(matcher.accept(TokenId(*rng.pick(&allowed))).is_accepted());
        left -= 1;
    }
    left
}

#[test]
fn outputs_end_within_every_sufficient_budget() {
    let mut written = 0;
    for seed in 200..230 {
        let (_, grammar) = random_grammar(seed, BUDGETS[0]);
        let mut rng = Rng::new(seed);
        let Some(least) = grammar.matcher().min_tokens_to_end() else { continue };
        assert!(!row_within(&mut grammar.matcher(), least.saturating_sub(1)).0 || least == 0);
        for budget in [least, least + 1, least + 7] {
            write_within(&mut rng, &mut grammar.matcher(), budget);
            written += 1;
        }
    }
    assert!(written > 50, "{written}");
}

/// Returns a grammar over bytes, some pairs and an end token.
fn byte_grammar(text: &str, end: EndLimits) -> Grammar {
    let bytes = (0..=255u8).map(|byte| (TokenId(u32::from(byte)), vec![byte]));
    let pairs = ["\"]", "]}", "}]", "{\"", "\":", "\",", "[\""].map(|pair| pair.as_bytes().to_vec());
    let tokens = bytes.chain((257..).map(TokenId).zip(pairs));
    let vocabulary = Vocabulary::new(tokens, [(TokenId(256), "</s>".into())]).unwrap();
    let config = Config { limits: Limits { end, ..Limits::default() }, ..Config::default() };
    Grammar::compile(text, &vocabulary, &config.ending_with([TokenId(256)])).unwrap()
}

const NESTED: &str = r#"
    start ::= list | object | #'"[a-z]{0,40}"' | #'[0-9]{3,9}';
    list ::= '[' (start (',' start)*)? ']';
    object ::= '{' #'"[a-z]+"' ':' start '}';"#;

#[test]
fn nested_outputs_end_with_their_last_token() {
    let grammar = byte_grammar(NESTED, EndLimits::default());
    let mut rng = Rng::new(3);
    for budget in [3, 4, 10, 25, 60] {
        for _ in 0..10 {
            write_within(&mut rng, &mut grammar.matcher(), budget);
        }
    }
    let mut matcher = grammar.matcher();
    assert!(matcher.accept_bytes(br#"[[{"a":{"b":"x"#).is_accepted());
    // `"`, `}`, `}]`, `]` and the end token.
    assert_eq!(matcher.min_tokens_to_end(), Some(5));
}

#[test]
fn distinct_and_required_items_end_in_time() {
    for text in [
        "start ::= '[' unordered!(distinct!(#'[ab]{1,2}'); ','; {3,5}) ']';",
        "start ::= unordered!('aaa', 'bb'?, 'ccccc'*; ', '; {4,});",
        "start ::= unordered!('aaa'?, 'bb'?, 'c'?; ; {2,3}; 0 -> 1, 2 -> 0) '.';",
    ] {
        let grammar = byte_grammar(text, EndLimits::default());
        let mut rng = Rng::new(9);
        let least = grammar.matcher().min_tokens_to_end().unwrap();
        for budget in [least, least + 1, least + 5] {
            for _ in 0..5 {
                write_within(&mut rng, &mut grammar.matcher(), budget);
            }
        }
    }
}

/// A list that is not closed yet is closed, before further items are tried: each of them is a state.
#[test]
fn lists_of_distinct_items_end_within_little_work() {
    let grammar = byte_grammar(
        "start ::= '{\"list\":[' unordered!(distinct!(#'0|[1-9][0-9]*'); ','; {0,}) '],\"something else\":' #'[a-z]+' '}';",
        EndLimits::default(),
    );
    let mut matcher = grammar.matcher();
    for (text, left) in [("", 28), ("{\"list\":[", 21), ("1", 21), (",2", 21), ("2", 21), ("],", 19)] {
        assert!(matcher.accept_bytes(text.as_bytes()).is_accepted());
        let before = grammask::work::spent();
        let bounds = matcher.tokens_to_end();
        let units = grammask::work::spent() - before;
        assert_eq!(bounds.at_most, Some(left), "after {text}");
        assert!(matcher.error().is_none() && units < 3_000_000, "after {text}: {units} units");
    }
}

#[test]
fn limits_leave_bounds_apart_and_masks_smaller() {
    let starved = EndLimits { max_search_work: 0, max_spelled: 2, ..EndLimits::default() };
    let (exact, starved) = (byte_grammar(NESTED, EndLimits::default()), byte_grammar(NESTED, starved));
    let mut rng = Rng::new(5);
    let mut wider = 0;
    for _ in 0..60 {
        let mut matcher = exact.matcher();
        let steps = rng.below(12);
        walk(&mut rng, &mut matcher, steps);
        let mut other = starved.matcher();
        assert!(other.accept_bytes(matcher.text()).is_accepted() || matcher.is_finished());
        if matcher.is_finished() {
            continue;
        }
        let (bounds, loose) = (matcher.tokens_to_end(), other.tokens_to_end());
        assert!(bounds.is_exact());
        assert!(loose.at_least <= bounds.at_least && loose.at_most >= bounds.at_most);
        wider += usize::from(!loose.is_exact());
        let tokens = loose.at_most.unwrap();
        let (is_possible, row) = row_within(&mut other, tokens);
        assert!(is_possible, "a completion is known");
        let (_, whole) = row_within(&mut matcher, tokens);
        assert!(row.iter().zip(&whole).all(|(row, whole)| row & !whole == 0));
    }
    assert!(wider > 10, "{wider}");
}

#[test]
fn endless_and_finished_outputs_have_no_tokens_within_a_budget() {
    let grammar = byte_grammar("start ::= 'a' S | 'b'; S ::= 'x' S | 'x' S 'y';", EndLimits::default());
    // No text after `a` is complete, so the grammar does not have it.
    assert_eq!(grammar.matcher().min_tokens_to_end(), Some(2));
    let mut matcher = grammar.matcher();
    assert!(matcher.accept_bytes(b"b").is_accepted());
    assert_eq!(matcher.tokens_to_end().at_least, 1);
    assert!(matcher.accept(TokenId(256)).is_accepted());
    assert_eq!(matcher.min_tokens_to_end(), Some(0));
    assert_eq!(row_within(&mut matcher, 9), (false, vec![0; 10]));
    let mut short = [7; 3];
    assert!(matcher.fill_mask_within(9, &mut short).is_err());
    assert_eq!(short, [7; 3]);
}

#[test]
fn a_vocabulary_that_cannot_spell_the_end_has_no_completion() {
    let tokens = [(TokenId(0), b"a".to_vec()), (TokenId(1), b"b".to_vec())];
    let vocabulary = Vocabulary::new(tokens, []).unwrap();
    let config = Config { ending: Ending::EndOfSequence(vec![]), ..Config::default() };
    let grammar = Grammar::compile("start ::= 'a' #'b*' 'c';", &vocabulary, &config).unwrap();
    let bounds = grammar.matcher().tokens_to_end();
    assert_eq!((bounds.at_least, bounds.at_most), (u64::MAX, None));
    assert!(!row_within(&mut grammar.matcher(), 1 << 40).0);
}

/// Beyond the limit of work, a mask has the tokens that were found, and the next mask is never empty.
#[test]
fn a_limit_of_work_leaves_the_known_completion() {
    let items: Vec<String> = (10..70).map(|n| format!("'\"k{n}\":' #'[0-9]{{1,9}}|\"[a-z]*\"'")).collect();
    let text = format!("start ::= '{{' unordered!({}; ',') '}}';", items.join(", "));
    let limits = EndLimits { max_end_work: 60_000, max_search_work: 0, ..EndLimits::default() };
    let grammar = byte_grammar(&text, limits);
    let mut matcher = grammar.matcher();
    let mut rng = Rng::new(1);
    let mut left = matcher.min_tokens_to_end().expect("a completion is found");
    assert!(left > 300, "{left}");
    while !has_ended(&matcher) {
        let before = grammask::work::spent();
        let (is_possible, row) = row_within(&mut matcher, left);
        assert!(grammask::work::spent() - before < 120_000);
        assert!(is_possible, "{matcher:?} with {left} tokens");
        let ids = (0..row.len() as u32 * 32).filter(|id| row[*id as usize / 32] >> (id % 32) & 1 == 1);
        assert!(matcher.accept(TokenId(*rng.pick(&ids.collect::<Vec<_>>()))).is_accepted());
        left -= 1;
    }
}

#[test]
fn limits_and_flags_are_errors_that_leave_the_matcher() {
    let limits = EndLimits { max_end_work: 10, ..EndLimits::default() };
    let mut matcher = byte_grammar(NESTED, limits).matcher();
    assert!(matcher.accept_bytes(b"[[").is_accepted());
    let mut row = vec![u32::MAX; matcher.grammar().vocabulary().mask_words()];
    assert_eq!(matcher.fill_mask_within(9, &mut row), Ok(false));
    let limit = matcher.error().and_then(|error| error.limit()).expect("a limit");
    assert_eq!((limit.limit.as_str(), limit.value), ("max_end_work", 10));
    assert!(row.iter().all(|word| *word == 0));
    assert_eq!(matcher.tokens_to_end().at_most, None);
    assert!(matcher.error().is_none(), "bounds that stay apart are no error");

    let mut matcher = byte_grammar(NESTED, EndLimits::default()).matcher();
    let flag = CancelFlag::new();
    matcher.set_cancel_flag(Some(flag.clone()));
    assert!(matcher.accept_bytes(b"[[").is_accepted());
    flag.cancel();
    assert_eq!(matcher.fill_mask_within(9, &mut row), Ok(false));
    assert!(matcher.error().is_some_and(|error| error.is_cancelled()));
    assert_eq!(matcher.tokens_to_end().at_most, None);
    assert!(matcher.error().is_some_and(|error| error.is_cancelled()));
    flag.reset();
    assert_eq!(matcher.fill_mask_within(9, &mut row), Ok(true));
    assert!(matcher.error().is_none() && matcher.tokens_to_end().is_exact());
}

/// A token is in the mask of a budget exactly if the bounds after it say so, also where one bound on all
/// tokens of a state decides.
#[test]
fn masks_of_every_budget_agree_with_the_bounds_after_each_token() {
    let json = r#"
        start ::= object;
        object ::= '{' (member (',' member)*)? '}';
        member ::= '"id":' #'[0-9]{1,4}' | '"name":' string | #'"[a-h]{3}"' ':' value;
        value ::= object | string | '[' (value (',' value)*)? ']' | #'-?[0-9]+(\\.[0-9]+)?';
        string ::= #'"([^"\\\\\\x00-\\x1f]|\\\\["\\\\n]|\\\\u[0-9a-f]{4})*"';"#;
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let pieces = ["\"", ",", "}", "]", ":", "é", "世", "a", "de", "name", "1", "27", "\\", "\\u", "[", "{"];
    let pairs = pieces.iter().flat_map(|one| pieces.map(|other| format!("{one}{other}").into_bytes()));
    let letters = (b'a'..=b'h').flat_map(|one| (b'a'..=b'h').map(move |other| vec![one, other, one]));
    let mut texts: Vec<Vec<u8>> = bytes.chain(pairs).chain(letters).collect();
    texts.sort();
    texts.dedup();
    let tokens = (0..).map(TokenId).zip(texts.iter().cloned());
    let end = TokenId(texts.len() as u32);
    let vocabulary = Vocabulary::new(tokens, [(end, "</s>".into())]).unwrap();
    let config = Config::default().ending_with([end]);
    let grammar = Grammar::compile(json, &vocabulary, &config).unwrap();
    let (mut rng, mut plenty, mut scarce) = (Rng::new(4), 0, 0);
    for _ in 0..50 {
        let mut matcher = grammar.matcher();
        let steps = rng.below(20);
        walk(&mut rng, &mut matcher, steps);
        if matcher.is_finished() {
            continue;
        }
        let whole = matcher.mask().clone();
        let least = matcher.min_tokens_to_end().expect("an end");
        let after: Vec<(TokenId, u64)> = whole
            .iter()
            .map(|token| {
                let mut next = matcher.clone();
                assert!(next.accept(token).is_accepted());
                let bounds = next.tokens_to_end();
                assert!(bounds.is_exact(), "{next:?} {bounds:?}");
                (token, bounds.at_least)
            })
            .collect();
        // From the greatest budget, for which a bound on all tokens suffices, to the least.
        for more in [40, 9, 6, 4, 3, 2, 1, 0] {
            let budget = least + more;
            let mut fresh = grammar.matcher();
            assert!(fresh.accept_bytes(matcher.text()).is_accepted());
            let (_, row) = row_within(&mut fresh, budget);
            for &(token, rest) in &after {
                let is_set = row[token.0 as usize / 32] >> (token.0 % 32) & 1 == 1;
                assert_eq!(is_set, rest < budget, "{token:?} after {matcher:?} with {budget}");
            }
            let count: u32 = row.iter().map(|word| word.count_ones()).sum();
            assert!(count as usize <= whole.count());
            *(if count as usize == whole.count() { &mut plenty } else { &mut scarce }) += 1;
        }
    }
    assert!(plenty > 50 && scarce > 20, "{plenty} {scarce}");
}

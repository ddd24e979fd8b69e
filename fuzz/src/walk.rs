//! A random walk through the outputs of a grammar, with the checks that hold for every grammar:
//!
//! - a token is in the mask exactly if `validate` accepts it;
//! - a row, the mask of a state and the mask of another matcher are the mask;
//! - a refused token changes nothing, and an allowed one is accepted;
//! - forced bytes are accepted, and allowed tokens agree with them;
//! - another compile, under other budgets, has the same masks;
//! - a rollback leads to the masks from before;
//! - a limit is an error that leaves the matcher where it was.

use grammask::work::spent;
use grammask::{Grammar, Mask, Matcher, Outcome, Scratch, TokenId};

use crate::Random;

/// Maximum number of tokens of a walk.
const MAX_STEPS: usize = 16;

/// Units of work after which a walk ends.
const MAX_UNITS: u64 = 1_500_000;

/// Walks through a grammar. `other` is a second compile of it, under other budgets.
pub fn walk(grammar: &Grammar, other: Option<&Grammar>, seed: u16) {
    let end = spent() + MAX_UNITS;
    let mut random = Random::new(seed);
    let mut matcher = grammar.matcher();
    let mut other = other.map(Grammar::matcher);
    let (mut tokens, mut masks) = (Vec::new(), Vec::new());
    while tokens.len() < MAX_STEPS && spent() < end {
        let Some(mask) = mask_of(&mut matcher) else { break };
        if let Some(matcher) = &mut other {
            if let Some(second) = mask_of(matcher) {
                assert_eq!(second, mask, "the masks of two compiles differ after {tokens:?}");
            }
        }
        check_state(&mut matcher, &mask, &mut random);
        check_forced(&mut matcher, &mask);
        check_end(&mut matcher, &mask, random.below(20) as u64);
        if spent() >= end {
            break;
        }
        check_each_token(&mut matcher, &mask, end);
        refuse_one(&mut matcher, &mask, &mut random);
        masks.push(mask.clone());
        let Some(token) = pick(&mask, &mut random) else { break };
        let outcome = accept(&mut matcher, token, &mask);
        let Some(outcome) = outcome else { break };
        tokens.push(token);
        if let Some(second) = &mut other
            && accept(second, token, &mask).is_none_or(|second| second != outcome)
        {
            // The second compile met a limit.
            other = None;
        }
        if outcome != Outcome::Ongoing {
            break;
        }
    }
    check_repeat(grammar, &tokens, &masks);
    check_rollback(&mut matcher, &tokens, &masks, &mut random);
}

/// Returns the mask. Returns `None` if it exceeds a limit, which leaves the matcher as it was.
fn mask_of(matcher: &mut Matcher) -> Option<Mask> {
    let (length, text) = (matcher.len(), matcher.text().to_vec());
    let mask = matcher.mask().clone();
    assert_eq!(mask.check(), Ok(()));
    let failed = matcher.error().is_some();
    assert!(!failed || mask.is_empty(), "a mask beyond a limit allows tokens");
    assert_eq!((matcher.len(), matcher.text()), (length, &text[..]));
    if failed {
        assert!(matcher.error().is_some_and(|error| !error.to_string().is_empty()));
        let mut row = vec![u32::MAX; mask.as_words().len()];
        matcher.fill_mask(&mut row).expect("a row of the vocabulary's length");
        if matcher.error().is_some() {
            assert!(row.iter().all(|word| *word == 0), "a row beyond a limit allows tokens");
        }
        let _ = matcher.clone().accept(TokenId(0));
        return None;
    }
    Some(mask)
}

/// Checks the row, and the mask of the state after a token.
fn check_state(matcher: &mut Matcher, mask: &Mask, random: &mut Random) {
    let mut row = vec![u32::MAX; mask.as_words().len()];
    matcher.fill_mask(&mut row).expect("a row of the vocabulary's length");
    assert_eq!(row, mask.as_words());
    let state = matcher.state();
    let grammar = matcher.grammar().clone();
    if let Ok(second) = grammar.mask_of(&state, &mut Scratch::default()) {
        assert_eq!(second, mask);
    }
    if let Some(token) = pick(mask, random) {
        let next = matcher.state_after(token);
        let mut clone = matcher.clone();
        let outcome = clone.accept(token);
        assert!(next.is_none() || outcome.is_accepted() || outcome == Outcome::LimitExceeded);
        if let Some(state) = next
            && outcome.is_accepted()
            && let Some(after) = mask_of(&mut clone)
            && grammar.fill_mask_of(&state, &mut row).is_ok()
        {
            assert_eq!(row, after.as_words());
        }
    }
}

/// Checks the forced bytes against the mask, and accepts them on a clone.
fn check_forced(matcher: &mut Matcher, mask: &Mask) {
    let forced = matcher.forced_bytes();
    if forced.is_empty() {
        return;
    }
    let vocabulary = matcher.grammar().vocabulary().clone();
    for token in mask.iter() {
        let bytes = vocabulary.bytes(token).expect("no special token is allowed before a forced byte");
        let common = bytes.len().min(forced.len());
        assert_eq!(bytes[..common], forced[..common], "an allowed token differs from the forced bytes");
    }
    let outcome = matcher.clone().accept_bytes(&forced);
    assert!(outcome.is_accepted() || outcome == Outcome::LimitExceeded, "forced bytes are {outcome}");
}

/// Checks that the tokens that lead to an end within a number of tokens are allowed.
fn check_end(matcher: &mut Matcher, mask: &Mask, tokens: u64) {
    let mut row = vec![u32::MAX; mask.as_words().len()];
    let found = matcher.fill_mask_within(tokens, &mut row).expect("a row of the vocabulary's length");
    assert!(row.iter().zip(mask.as_words()).all(|(within, mask)| within & !mask == 0));
    assert!(found || row.iter().all(|word| *word == 0));
    let _ = matcher.tokens_to_end();
}

/// Checks that the mask has the tokens that `validate` accepts.
fn check_each_token(matcher: &mut Matcher, mask: &Mask, end: u64) {
    for id in 0..mask.id_count() as u32 {
        if spent() >= end {
            return;
        }
        let is_valid = matcher.validate(&[TokenId(id)]) == 1;
        if matcher.error().is_none() {
            let text = String::from_utf8_lossy(matcher.text()).into_owned();
            assert_eq!(is_valid, mask.allows(TokenId(id)), "token {id} after {text:?}");
        }
    }
}

/// Accepts a token that is not allowed.
fn refuse_one(matcher: &mut Matcher, mask: &Mask, random: &mut Random) {
    let token = TokenId(random.below(mask.id_count() + 2) as u32);
    if (token.0 as usize) < mask.id_count() && mask.allows(token) {
        return;
    }
    let before = (matcher.len(), matcher.text().to_vec(), matcher.is_finished(), matcher.is_complete());
    let outcome = matcher.accept(token);
    assert!(matches!(outcome, Outcome::Rejected | Outcome::LimitExceeded), "{token:?} is {outcome}");
    assert_eq!(
        (matcher.len(), matcher.text().to_vec(), matcher.is_finished(), matcher.is_complete()),
        before
    );
    if let Some(after) = mask_of(matcher) {
        assert_eq!(&after, mask, "a refused token changes the mask");
    }
}

/// Returns an allowed token.
fn pick(mask: &Mask, random: &mut Random) -> Option<TokenId> {
    let count = mask.count();
    (count > 0).then(|| mask.iter().nth(random.below(count))).flatten()
}

/// Accepts an allowed token. Returns `None` if a limit is exceeded.
fn accept(matcher: &mut Matcher, token: TokenId, mask: &Mask) -> Option<Outcome> {
    let before = (matcher.len(), matcher.text().to_vec());
    match matcher.accept(token) {
        Outcome::LimitExceeded => {
            assert!(matcher.error().is_some());
            assert_eq!((matcher.len(), matcher.text().to_vec()), before);
            None
        }
        outcome => {
            assert!(
                outcome.is_accepted(),
                "the allowed token {token:?} is {outcome}, {} allowed",
                mask.count()
            );
            assert!(outcome != Outcome::Finished || matcher.is_finished());
            assert_eq!(matcher.len(), before.0 + 1);
            Some(outcome)
        }
    }
}

/// Feeds the tokens to a new matcher, which has the same masks.
fn check_repeat(grammar: &Grammar, tokens: &[TokenId], masks: &[Mask]) {
    let mut fresh = grammar.matcher();
    for (token, mask) in tokens.iter().zip(masks) {
        let outcome = fresh.accept(*token);
        if outcome == Outcome::LimitExceeded {
            return;
        }
        assert!(outcome.is_accepted(), "{token:?} is {outcome} the second time, {} allowed", mask.count());
    }
    if tokens.len() < masks.len()
        && let Some(mask) = mask_of(&mut fresh)
    {
        assert_eq!(mask, masks[tokens.len()], "a new matcher has another mask after {tokens:?}");
    }
}

/// Rolls back some tokens, and accepts them again.
fn check_rollback(matcher: &mut Matcher, tokens: &[TokenId], masks: &[Mask], random: &mut Random) {
    if tokens.is_empty() || tokens.len() != matcher.len() {
        return;
    }
    let back = 1 + random.below(tokens.len());
    let text = matcher.text().to_vec();
    if matcher.rollback(back).is_err() {
        assert_eq!(matcher.text(), text);
        return;
    }
    let keep = tokens.len() - back;
    for (token, expected) in tokens[keep..].iter().zip(&masks[keep..]) {
        match mask_of(matcher) {
            Some(mask) => assert_eq!(&mask, expected, "a rollback by {back} changes the mask"),
            None => return,
        }
        if accept(matcher, *token, expected).is_none() {
            return;
        }
    }
    assert_eq!(matcher.text(), text);
    matcher.reset();
    if let Some(mask) = mask_of(matcher) {
        assert_eq!(mask, masks[0], "a reset leads to another mask");
    }
}

//! Random draft trees give the masks and outcomes of a clone that accepts each branch.

use grammask::{
    Config, Draft, DraftError, Ending, Grammar, Matcher, Outcome, RowsError, TokenId, Vocabulary,
};
use grammask_testkit::random::Rng;

use crate::{BUDGETS, random_grammar, row, walk};

/// A random tree. Most of its tokens are allowed at their place.
fn random_draft(rng: &mut Rng, matcher: &Matcher) -> Draft {
    let mut nodes = Vec::new();
    let mut matchers: Vec<Matcher> = Vec::new();
    for node in 0..rng.below(14) {
        let parent = (node > 0 && rng.chance(4, 5)).then(|| rng.below(node));
        let mut before = parent.map_or(matcher, |parent| &matchers[parent]).clone();
        let allowed: Vec<TokenId> = before.mask().iter().collect();
        let wild = allowed.is_empty() || rng.chance(1, 5);
        let token = if wild { TokenId(rng.below(100) as u32) } else { *rng.pick(&allowed) };
        let _ = before.accept(token);
        matchers.push(before);
        nodes.push((token, parent));
    }
    Draft::new(nodes).unwrap()
}

/// Compares with a clone for each node that accepts what is on the way to it.
fn check(matcher: &mut Matcher, draft: &Draft, about: &str) {
    let stride = matcher.grammar().vocabulary().mask_words() + 1;
    let (state, text, length) = (matcher.state(), matcher.text().to_vec(), matcher.len());
    let mut rows = vec![u32::MAX; stride * (draft.len() + 1)];
    let masks = matcher.fill_masks_for_draft(draft, &mut rows).unwrap();
    assert_eq!(masks.limits().len(), 0);
    assert_eq!(masks.outcome(draft.len()), None);
    assert_eq!((text.as_slice(), length), (matcher.text(), matcher.len()), "{about}");
    if matcher.state() != state {
        // Only where the tables were exchanged.
        assert_ne!(matcher.grammar().stats().tables.sets, 0);
    }
    let mut rows = rows.chunks(stride);
    assert_eq!(rows.next().unwrap(), row(&mut matcher.clone(), stride), "{about}");
    for (node, found) in rows.enumerate() {
        let mut way = vec![node];
        while let Some(parent) = draft.parent(way[way.len() - 1]) {
            way.push(parent);
        }
        let mut clone = matcher.clone();
        let mut outcome = Outcome::Rejected;
        let mut accepted = 0;
        for &node in way.iter().rev() {
            outcome = clone.accept(draft.token(node).unwrap());
            if !outcome.is_accepted() {
                break;
            }
            accepted += 1;
        }
        let expected = if accepted == way.len() { row(&mut clone, stride) } else { vec![0; stride] };
        assert_eq!(found, expected, "{about}, node {node} of {draft:?}");
        assert_eq!(masks.outcome(node), Some(outcome), "{about}, node {node} of {draft:?}");
        assert_eq!(masks.is_accepted(node), accepted == way.len());
        assert_eq!(masks.accepted_len(node), accepted, "{about}, node {node} of {draft:?}");
    }
}

#[test]
fn masks_along_a_draft_equal_those_of_accepting_clones() {
    for seed in 0..150 {
        let mut rng = Rng::new(seed);
        let (random, grammar) = random_grammar(seed, BUDGETS[seed as usize % 3]);
        for _ in 0..4 {
            let mut matcher = grammar.matcher();
            let steps = rng.below(6);
            walk(&mut rng, &mut matcher, steps);
            let draft = random_draft(&mut rng, &matcher);
            let about = format!("seed {seed}, after {matcher:?} of\n{}", random.text);
            check(&mut matcher, &draft, &about);
        }
    }
}

fn grammar(text: &str, ending: Ending) -> Grammar {
    let tokens = [(0, "a"), (1, "b"), (2, "ab"), (3, ";")];
    let tokens = tokens.map(|(id, text)| (TokenId(id), text.as_bytes().to_vec()));
    let vocabulary = Vocabulary::new(tokens, [(TokenId(4), "<|end|>".to_owned())]).unwrap();
    Grammar::compile(text, &vocabulary, &Config { ending, ..Config::default() }).unwrap()
}

#[test]
fn nothing_follows_a_token_that_ends_the_output() {
    // The ordinary token 3 ends outputs, too.
    let ending = Ending::EndOfSequence(vec![TokenId(3), TokenId(4)]);
    let mut matcher = grammar("start ::= 'a'+;", ending).matcher();
    let nodes = [(0, None), (4, Some(0)), (0, Some(1)), (3, Some(0)), (0, Some(0)), (4, None)];
    let draft = Draft::new(nodes.map(|(token, parent)| (TokenId(token), parent))).unwrap();
    check(&mut matcher, &draft, "tokens that end outputs");
    let masks = matcher.fill_masks_for_draft(&draft, &mut [0; 7]).unwrap();
    let outcomes: Vec<_> = (0..6).map(|node| masks.outcome(node).unwrap()).collect();
    use Outcome::{Finished, Ongoing, Rejected};
    assert_eq!(outcomes, [Ongoing, Finished, Rejected, Finished, Ongoing, Rejected]);
}

#[test]
fn nothing_follows_a_text_that_is_eagerly_complete() {
    let mut matcher = grammar("start ::= 'a' | 'a' 'b' | 'b' 'b';", Ending::Eager).matcher();
    let nodes = [(0, None), (1, Some(0)), (2, None), (1, None), (1, Some(3)), (1, Some(4))];
    let draft = Draft::new(nodes.map(|(token, parent)| (TokenId(token), parent))).unwrap();
    check(&mut matcher, &draft, "eager");
    let mut rows = [u32::MAX; 7];
    let masks = matcher.fill_masks_for_draft(&draft, &mut rows).unwrap();
    assert_eq!(rows, [0b11, 0, 0, 0, 0b10, 0, 0]);
    assert_eq!([0, 1, 2, 3, 4, 5].map(|node| masks.accepted_len(node)), [1, 1, 0, 1, 2, 2]);
}

#[test]
fn a_finished_matcher_accepts_no_draft() {
    let mut matcher = grammar("start ::= 'a';", Ending::default()).matcher();
    assert_eq!(matcher.accept(TokenId(0)), Outcome::Finished);
    check(&mut matcher, &Draft::chain([TokenId(0), TokenId(0)]), "finished");
    check(&mut matcher, &Draft::default(), "finished, no draft");
}

#[test]
fn a_node_cannot_come_before_its_parent() {
    let draft = |parents: &[Option<usize>]| Draft::new(parents.iter().map(|&parent| (TokenId(0), parent)));
    assert_eq!(draft(&[None, Some(1)]), Err(DraftError { node: 1, parent: 1 }));
    assert_eq!(draft(&[None, Some(2), None]), Err(DraftError { node: 1, parent: 2 }));
    assert_eq!(draft(&[Some(usize::MAX)]), Err(DraftError { node: 0, parent: usize::MAX }));
    assert_eq!(draft(&[None, Some(0), Some(1)]), Ok(Draft::chain([TokenId(0); 3])));
    assert_eq!(draft(&[]), Ok(Draft::default()));
}

#[test]
fn rows_that_do_not_fit_the_draft_are_refused_and_unchanged() {
    let mut matcher = grammar("start ::= 'a';", Ending::default()).matcher();
    let mut rows = [7; 5];
    let draft = Draft::chain([TokenId(0); 3]);
    let error = matcher.fill_masks_for_draft(&draft, &mut rows).unwrap_err();
    assert_eq!(error, RowsError::Uneven { words: 5, rows: 4 });
    let error = matcher.fill_masks_for_draft(&draft, &mut rows[..0]).unwrap_err();
    assert!(matches!(error, RowsError::TooShort { row: 0, .. }));
    assert_eq!(rows, [7; 5]);
}

#[test]
fn a_limit_ends_its_own_branch_only() {
    let mut config = Config::default();
    config.recognizer.limits.max_items_per_set = 60;
    let tokens = [(TokenId(0), b"x".to_vec()), (TokenId(1), vec![b'x'; 80]), (TokenId(2), b")".to_vec())];
    let vocabulary = Vocabulary::new(tokens, []).unwrap();
    let grammar =
        Grammar::compile("start ::= ')' | E ')'; E ::= E E ['~'] | 'x';", &vocabulary, &config).unwrap();
    let mut matcher = grammar.matcher();
    let nodes = [(1, None), (2, Some(0)), (2, None), (0, None), (2, Some(3))];
    let draft = Draft::new(nodes.map(|(token, parent)| (TokenId(token), parent))).unwrap();
    let mut rows = [u32::MAX; 6];
    let masks = matcher.fill_masks_for_draft(&draft, &mut rows).unwrap();
    let outcomes: Vec<_> = (0..5).map(|node| masks.outcome(node).unwrap()).collect();
    use Outcome::{Finished, LimitExceeded, Ongoing, Rejected};
    assert_eq!(outcomes, [LimitExceeded, Rejected, Finished, Ongoing, Finished]);
    let limits: Vec<_> = masks.limits().map(|(row, error)| (row, error.offset)).collect();
    // No mask can be computed where the long token is tried.
    assert_eq!(limits, [(0, 0), (1, 0), (4, 1)]);
    assert_eq!(rows, [0; 6]);
    assert_eq!(matcher.error(), masks.limits().next().map(|(_, error)| error));
}

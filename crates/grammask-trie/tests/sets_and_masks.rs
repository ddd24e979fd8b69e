//! Compares token sets with `BTreeSet`, and masks with lists of Booleans.

use std::collections::BTreeSet;

use grammask_trie::{Mask, RowTooShort, TokenId, TokenSet};
use proptest::collection::vec;
use proptest::prelude::*;

/// Lists of ids for all three forms: scattered ids, dense ids, and whole ranges.
fn ids() -> impl Strategy<Value = Vec<u32>> {
    let scattered = vec(0u32..5000, 0..40);
    let dense = vec(700u32..1200, 0..600);
    let ranges = vec((0u32..4000, 0u32..300), 0..5)
        .prop_map(|ranges| ranges.into_iter().flat_map(|(first, count)| first..first + count).collect());
    prop_oneof![scattered, dense, ranges]
}

fn set(ids: &[u32]) -> TokenSet {
    let set: TokenSet = ids.iter().copied().map(TokenId).collect();
    set.check().unwrap();
    set
}

fn row(ids: &BTreeSet<u32>, words: usize) -> Vec<u32> {
    let mut row = vec![0; words];
    for id in ids.iter().map(|&id| TokenId(id)).filter(|id| id.word() < words) {
        row[id.word()] |= id.bit();
    }
    row
}

proptest! {
    #[test]
    fn set_has_exactly_the_given_ids(ids in ids()) {
        let (model, set) = (ids.iter().copied().collect::<BTreeSet<_>>(), set(&ids));
        prop_assert_eq!(set.iter().map(|id| id.0).collect::<Vec<_>>(), model.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!((set.len(), set.is_empty()), (model.len(), model.is_empty()));
        for id in 0..5100 {
            prop_assert_eq!(set.contains(TokenId(id)), model.contains(&id), "{}", id);
        }
        prop_assert_eq!(TokenSet::from_words(&row(&model, 200)), set);
    }

    #[test]
    fn union_and_subtraction_change_members_only(ids in ids(), before in ids(), words in 0usize..170) {
        let (members, before) = (ids.iter().copied().collect::<BTreeSet<_>>(), before.into_iter().collect());
        let set = set(&ids);
        let mut joined = row(&before, words);
        set.union_into(&mut joined);
        prop_assert_eq!(joined, row(&before.union(&members).copied().collect(), words));
        let mut taken = row(&before, words);
        set.subtract_from(&mut taken);
        prop_assert_eq!(taken, row(&before.difference(&members).copied().collect(), words));
    }

    #[test]
    fn set_is_at_most_a_few_times_larger_than_a_list_or_a_row(ids in ids()) {
        let set = set(&ids);
        let span = ids.iter().max().map_or(0, |max| max / 32 + 1) as usize;
        prop_assert!(set.bytes_used() <= 16 * set.len());
        prop_assert!(set.bytes_used() <= 4 * span.max(1));
    }

    #[test]
    fn mask_agrees_with_a_list_of_booleans(
        count in 0usize..150,
        steps in vec((any::<bool>(), 0u32..200), 0..100),
        other_count in 0usize..250,
        other in vec(0u32..250, 0..100),
        length in 0usize..300,
    ) {
        let mut model = vec![false; count];
        let mut mask = Mask::new(count);
        for (allow, id) in steps {
            if allow { mask.allow(TokenId(id)) } else { mask.forbid(TokenId(id)) }
            if let Some(bit) = model.get_mut(id as usize) {
                *bit = allow;
            }
        }
        let agree = |mask: &Mask, model: &[bool]| {
            mask.check().unwrap();
            let ids: Vec<usize> = mask.iter().map(TokenId::index).collect();
            let expected: Vec<usize> = (0..model.len()).filter(|&id| model[id]).collect();
            assert_eq!(ids, expected);
            assert_eq!((mask.count(), mask.is_empty()), (ids.len(), ids.is_empty()));
            assert!((0..300).all(|id| mask.allows(TokenId(id)) == model.get(id as usize).is_some_and(|&bit| bit)));
        };
        agree(&mask, &model);

        let logits: Vec<f32> = (0..length).map(|place| place as f32).collect();
        let mut masked = logits.clone();
        mask.apply(&mut masked);
        for (place, (&was, &is)) in logits.iter().zip(&masked).enumerate() {
            let allowed = model.get(place).is_some_and(|&bit| bit);
            prop_assert_eq!(is, if allowed { was } else { f32::NEG_INFINITY });
        }

        let mut operand = Mask::new(other_count);
        operand.extend(other.iter().copied().map(TokenId));
        let has = |id: usize| id < other_count && other.contains(&(id as u32));
        let apply = |operation: &dyn Fn(&mut Mask), expected: &dyn Fn(bool, usize) -> bool| {
            let mut result = mask.clone();
            operation(&mut result);
            let model: Vec<bool> = model.iter().enumerate().map(|(id, &bit)| expected(bit, id)).collect();
            agree(&result, &model);
        };
        apply(&|mask| mask.union(&operand), &|bit, id| bit || has(id));
        apply(&|mask| mask.intersect(&operand), &|bit, id| bit && has(id));
        apply(&|mask| mask.subtract(&operand), &|bit, id| bit && !has(id));
        apply(&|mask| mask.union_set(&set(&other)), &|bit, id| bit || other.contains(&(id as u32)));
        apply(&Mask::clear, &|_, _| false);
    }

    #[test]
    fn copy_fills_the_row_or_leaves_it_unchanged(allowed in vec(0u32..100, 0..50), words in 0usize..8) {
        let mut mask = Mask::new(100);
        mask.extend(allowed.into_iter().map(TokenId));
        let mut row = vec![0xdead_beef; words];
        if words < 4 {
            prop_assert_eq!(mask.copy_to(&mut row), Err(RowTooShort { needed: 4, given: words }));
            prop_assert!(row.iter().all(|&word| word == 0xdead_beef));
        } else {
            prop_assert_eq!(mask.copy_to(&mut row), Ok(()));
            prop_assert_eq!(&row[..4], mask.as_words());
            prop_assert!(row[4..].iter().all(|&word| word == 0));
        }
    }
}

#[test]
fn each_form_is_chosen_if_it_is_small() {
    let every = |step: usize| set(&(0..32_000).step_by(step).collect::<Vec<_>>());
    // One range, a row of 1000 words, a list of 16 ids.
    assert_eq!([every(1), every(2), every(2000)].map(|set| set.bytes_used()), [8, 4000, 64]);
    // A row is stored from its first non-zero word on.
    assert_eq!(set(&(64_000..64_320).step_by(2).collect::<Vec<_>>()).bytes_used(), 40);
}

#[test]
fn highest_ids_work_like_others() {
    let top = u32::MAX;
    for ids in [vec![0, top], vec![top], (top - 99..=top).collect(), (top - 99..=top).step_by(2).collect()] {
        let set = set(&ids);
        assert!(set.iter().map(|id| id.0).eq(ids.iter().copied()), "{set}");
        assert!(ids.iter().all(|&id| set.contains(TokenId(id))), "{set}");
        let mut row = [0; 2];
        set.union_into(&mut row);
        set.subtract_from(&mut row);
        assert_eq!(row, [0; 2]);
        let mut mask = Mask::new(40);
        mask.union_set(&set);
        mask.subtract(&Mask::new(7));
        mask.allow(TokenId(top));
        mask.forbid(TokenId(top));
        assert!(mask.count() <= 1 && !mask.allows(TokenId(top)));
    }
}

#[test]
fn alternate_display_prints_all_ranges() {
    let ids = [0, 1, 2, 5, 7, 9, 11, 13, 15, 17, 18];
    let mut mask = Mask::new(20);
    mask.extend(ids.map(TokenId));
    assert_eq!(mask.to_string(), "11 of 20: 0-2, 5, 7, 9, 11, 13, 15, 17-18");
    mask.forbid(TokenId(1));
    assert_eq!(mask.to_string(), "10 of 20: 0, 2, 5, 7, 9, 11, 13, 15, ...");
    assert_eq!(format!("{mask:#}"), "10 of 20: 0, 2, 5, 7, 9, 11, 13, 15, 17-18");
    assert_eq!(set(&ids).to_string(), "11 tokens: 0-2, 5, 7, 9, 11, 13, 15, 17-18");
    assert_eq!(Mask::new(0).to_string(), "0 of 0");
    assert_eq!(TokenSet::empty().to_string(), "0 tokens");
}

#[test]
fn words_written_in_place_are_checked() {
    let mut mask = Mask::new(33);
    mask.as_words_mut()[1] = 0b11;
    assert!(mask.check().unwrap_err().to_string().contains("unused bits are 0"));
}

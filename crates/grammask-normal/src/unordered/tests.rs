//! Satisfiability against the enumeration of all choices.

use grammask_testkit::random::Rng;

use super::*;

/// Greatest number of occurrences of an item that the enumeration tries. The bounds below are smaller, so it
/// is as good as no bound.
const MAX_OCCURRENCES: u32 = 4;

/// Returns all choices that are allowed and not empty, as the number of occurrences of each item.
fn choices(unordered: &Unordered, separator_produces: bool) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for &(min, max) in &unordered.items {
        let counts = min..=max.unwrap_or(MAX_OCCURRENCES);
        all = all
            .iter()
            .flat_map(|some| counts.clone().map(move |count| [&some[..], &[count]].concat()))
            .collect();
    }
    all.retain(|counts| {
        let total: u32 = counts.iter().sum();
        total >= unordered.min.max(1)
            && unordered.max.is_none_or(|max| total <= max)
            && (total <= 1 || !unordered.has_separator || separator_produces)
            && unordered
                .requires
                .iter()
                .all(|&(from, to)| counts[from as usize] == 0 || counts[to as usize] > 0)
    });
    all
}

/// Returns random items with bounds and requirements, cyclic ones included.
fn random(mut next: impl FnMut(u32) -> u32) -> Unordered {
    let count = 1 + next(4);
    let items =
        (0..count).map(|_| [(0, Some(1)), (1, Some(1)), (0, Some(2)), (0, None)][next(4) as usize]).collect();
    let requires = (0..next(5)).map(|_| (next(count), next(count))).filter(|(from, to)| from != to).collect();
    let (min, max) = (next(4), [None, Some(next(5))][next(2) as usize]);
    Unordered {
        items,
        has_separator: next(2) == 0,
        min,
        max,
        requires,
        distinct: None,
        distinct_values: false,
    }
}

#[test]
fn satisfiability_and_simplification_agree_with_enumeration() {
    let mut rng = Rng::new(3);
    let mut next = |bound: u32| rng.below(bound as usize) as u32;
    let mut outcomes = [0; 3];
    for _ in 0..20_000 {
        let unordered = random(&mut next);
        let separator_produces = next(4) > 0;
        let choices = choices(&unordered, separator_produces);
        let mut simplified = unordered.clone();
        let remaining = match simplified.simplify(|_| true, separator_produces) {
            Ok(remaining) => remaining,
            Err(UnorderedError::JumpingCount { .. }) => {
                outcomes[2] += 1;
                continue;
            }
            Err(error) => panic!("{unordered:?}: {error}"),
        };
        let items = 0..unordered.items.len();
        let occur: Vec<u32> = items
            .clone()
            .filter(|&item| choices.iter().any(|counts| counts[item] > 0))
            .map(|item| item as u32)
            .collect();
        assert_eq!(remaining.unwrap_or_default(), occur, "{unordered:?} {separator_produces}");
        let mut satisfiability = Satisfiability::new(&unordered).unwrap();
        items.for_each(|item| satisfiability.add_productive(item));
        if separator_produces {
            satisfiability.add_productive(unordered.items.len());
        }
        assert_eq!(
            satisfiability.is_satisfiable(),
            !choices.is_empty(),
            "{unordered:?} {separator_produces}"
        );
        outcomes[usize::from(choices.is_empty())] += 1;
    }
    assert!(outcomes.iter().all(|&count| count > 20), "{outcomes:?}");
}

#[test]
fn requirements_of_items_that_do_not_exist_are_an_error() {
    for requires in [vec![(0, 9)], vec![(9, 0)], vec![(u32::MAX, 1)]] {
        let items = vec![(0, Some(1)), (1, Some(1))];
        let unordered = Unordered {
            items,
            has_separator: false,
            min: 0,
            max: None,
            requires,
            distinct: None,
            distinct_values: false,
        };
        assert_eq!(unordered.check(), Err(UnorderedError::Malformed));
        assert_eq!(unordered.requirement_closures(), Err(UnorderedError::Malformed));
        assert_eq!((unordered.mandatory_count(), unordered.largest_cycle()), (1, 1));
    }
}

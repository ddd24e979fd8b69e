//! Products of divisibility conditions, their alternatives and complements, are decided by arithmetic.

use grammask_regular::{Comparison, Error, Limits, RegularId, Store};
use grammask_work::spent;

const NUMERAL: &str = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?";

/// A condition on a number.
#[derive(Debug)]
enum Condition {
    /// A multiple of a number.
    Of(u64),
    /// At most a number.
    AtMost(u64),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

use Condition::{All, Any, AtMost, Not, Of};

fn not(condition: Condition) -> Condition {
    Not(Box::new(condition))
}

/// Returns the numbers that satisfy a condition, as the translator of JSON Schema writes them.
fn language(store: &mut Store, condition: &Condition) -> Result<RegularId, Error> {
    let numeral = store.regex(NUMERAL)?;
    match condition {
        Of(divisor) => {
            let (minus, multiple) = (store.regex("-?")?, store.multiple(&divisor.to_string())?);
            let signed = store.concat(&[minus, multiple])?;
            store.intersection(&[numeral, signed])
        }
        AtMost(bound) => {
            let bounded = store.compared(Comparison::AtMost, &bound.to_string())?;
            store.intersection(&[numeral, bounded])
        }
        Not(inner) => {
            let inner = language(store, inner)?;
            let inner = store.complement(inner)?;
            store.intersection(&[numeral, inner])
        }
        All(parts) => {
            let parts = parts.iter().map(|part| language(store, part)).collect::<Result<Vec<_>, _>>()?;
            store.intersection(&parts)
        }
        Any(parts) => {
            let parts = parts.iter().map(|part| language(store, part)).collect::<Result<Vec<_>, _>>()?;
            store.union(&parts)
        }
    }
}

/// Returns true if an integer satisfies a condition.
fn holds(condition: &Condition, number: u64) -> bool {
    match condition {
        Of(divisor) => number.is_multiple_of(*divisor),
        AtMost(bound) => number <= *bound,
        Not(inner) => !holds(inner, number),
        All(parts) => parts.iter().all(|part| holds(part, number)),
        Any(parts) => parts.iter().any(|part| holds(part, number)),
    }
}

fn one_of(parts: [u64; 3]) -> Condition {
    let alone = |index: usize| {
        let others = (0..3).filter(|&other| other != index).map(|other| not(Of(parts[other])));
        All([Of(parts[index])].into_iter().chain(others).collect())
    };
    Any((0..3).map(alone).collect())
}

/// Follows the digits of each number below 1000. Returns the number of new states and their work.
fn follow(condition: &Condition) -> Result<(u64, u64), Error> {
    let mut store = Store::new(&Limits::default());
    let start = language(&mut store, condition)?;
    let (mut states, before) = (0, spent());
    for number in 1..1000u64 {
        let mut here = start;
        for byte in number.to_string().bytes() {
            let now = spent();
            here = store.derivative(here, byte)?;
            states += u64::from(spent() > now);
        }
        assert_eq!(store.is_nullable(here), holds(condition, number), "{number}");
    }
    Ok((states, spent() - before))
}

/// The automaton of these conditions has 240,240 states, and 38,610,000 for the last ones. Each state is
/// live, which a search would find out by visiting dozens of others.
#[test]
fn work_of_a_state_does_not_depend_on_the_divisors() -> Result<(), Error> {
    let conditions = |three: [u64; 3], [a, b, c, d, e, f]: [u64; 6]| {
        All(vec![
            one_of(three),
            Any(vec![
                All(vec![not(Any(vec![Of(a), Of(b)])), not(Of(c))]),
                All(vec![Of(c), not(not(Any(vec![Of(a), Of(b)])))]),
            ]),
            Any(vec![All(vec![Of(d), Of(e)]), not(Of(d))]),
            not(Of(f)),
        ])
    };
    for condition in [
        conditions([33, 20, 91], [10, 7, 52, 13, 11, 16]),
        conditions([35, 12, 77], [6, 7, 44, 11, 13, 8]),
        conditions([27, 625, 121], [10, 13, 52, 17, 19, 16]),
    ] {
        let (states, units) = follow(&condition)?;
        assert!(states > 500, "{states} states");
        assert!(units < 2_500 * states, "{units} units for {states} states of {condition:?}");
    }
    Ok(())
}

/// Returns a condition by the digits of a number.
fn condition(choice: &mut u64, depth: usize) -> Condition {
    let mut digit = |below: u64| {
        let digit = *choice % below;
        *choice /= below;
        digit
    };
    let kind = digit(if depth == 0 { 2 } else { 6 });
    match kind {
        0 => Of(digit(5) + 2),
        1 => AtMost([0, 3, 47, 600][digit(4) as usize]),
        2 => not(condition(choice, depth - 1)),
        3 => Any(vec![condition(choice, depth - 1), condition(choice, depth - 1)]),
        _ => All(vec![condition(choice, depth - 1), condition(choice, depth - 1)]),
    }
}

#[test]
fn states_are_live_exactly_if_some_number_continues() -> Result<(), Error> {
    let (mut dead, mut live) = (0, 0);
    for seed in 0..400u64 {
        let condition = condition(&mut (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15), 3);
        // Divisors are at most 6, so three more digits have all residues modulo 60, and exceed all bounds.
        let is_live = |number: u64| {
            (0..4)
                .map(|digits| 10u64.pow(digits))
                .any(|scale| (0..scale).any(|more| holds(&condition, number * scale + more)))
        };
        let mut store = Store::new(&Limits::default());
        let start = language(&mut store, &condition)?;
        for number in (1..100).chain([123, 480, 599, 600, 601, 997]) {
            let text = number.to_string();
            let end = text.bytes().try_fold(start, |here, byte| store.derivative(here, byte))?;
            let expected = is_live(number) || has_fraction(&condition, number);
            assert_eq!(!store.is_empty(end)?, expected, "{number} of {condition:?}");
            live += u64::from(expected);
            dead += u64::from(!expected);
        }
    }
    assert!(live > 5_000 && dead > 5_000, "{live} live, {dead} dead");
    Ok(())
}

/// Returns true if a number with a fraction satisfies the condition: it is a multiple of nothing.
fn has_fraction(condition: &Condition, whole: u64) -> bool {
    let satisfied = |condition: &Condition| has_fraction(condition, whole);
    match condition {
        Of(_) => false,
        AtMost(bound) => whole < *bound,
        Not(inner) => !satisfied(inner),
        All(parts) => parts.iter().all(satisfied),
        Any(parts) => parts.iter().any(satisfied),
    }
}

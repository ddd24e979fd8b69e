//! Decides by modular arithmetic whether an intersection contains a multiple between bounds.
//!
//! A search would follow remainders digit by digit, and there are as many as the divisor: `{"multipleOf":
//! 86400, "maximum": 31536000}` took half a second for one mask.

use crate::number::branches::{Branch, Branches, all, in_order_of_chance, some_branch};
use crate::number::samples::is_known_member;
use grammask_work::count;
use std::cmp::Ordering;

use crate::Store;
use crate::number::comparison::{Bound, Comparison};
use crate::number::congruence::Congruence;
use crate::number::multiple::Multiples;
use crate::number::state::{NumberState, Numbers, NumeralPosition};
use crate::store::node::{Kind, RegularId};

/// Digits of the longest number that fits the arithmetic of 128 bits. Longer ones are left to a search.
const MAX_DIGITS: u32 = 36;

/// Branches that are tested before all branches are listed.
const MAX_TRIES: u32 = 8;

/// Multiples that are tested against the other operands: in all, and for each number of digits.
const MAX_CANDIDATES: usize = 64;
const MAX_CANDIDATES_PER_LENGTH: u128 = 4;

/// Work of one condition for one number of digits.
const UNITS_PER_CONDITION: u64 = 16;

/// A divisibility condition: an operand of multiples, with its position.
struct DivisorConstraint<'a> {
    multiples: &'a Multiples,
    /// Remainder of the digits read. For a step, the number of zeros that must follow before the point.
    rest: u64,
    /// Number of digits after the point that may be other than zero. Negative if that many before it have to
    /// be zero.
    room: i32,
}

impl DivisorConstraint<'_> {
    /// Returns the condition on the value of the next digits, `whole` before the point and `after` after it.
    /// Returns `None` if it is unknown.
    fn congruence(&self, whole: u32, after: u32) -> Option<Congruence> {
        let scale = 10_u128.checked_pow(after.checked_sub_signed(self.room)?)?;
        if self.multiples.is_step() {
            // After `rest` zeros, the digits read are a multiple.
            let modulus = u128::from(self.multiples.unit()).checked_mul(scale);
            return Congruence::new(Some(0), modulus).filter(|_| u64::from(whole) >= self.rest);
        }
        let modulus = u128::from(self.multiples.modulus());
        // Remainder of the digits read, shifted by `whole` places. It is below 2^64.
        let read = (0..whole).fold(u128::from(self.rest), |read, _| read * 10 % modulus);
        let missing = (modulus - read) % modulus;
        Congruence::new(missing.checked_mul(scale), modulus.checked_mul(scale))
    }
}

impl DivisorConstraint<'_> {
    /// As [`congruence`](Self::congruence), if the digits after the point suffice to decide divisibility.
    /// Returns `None` otherwise.
    fn exactly(&self, whole: u32, after: u32) -> Option<Congruence> {
        if i64::from(after) >= i64::from(self.room) {
            return self.congruence(whole, after);
        }
        // With fewer digits, the condition is known only if every number is a multiple.
        let scale = 10_u128.checked_pow(u32::try_from(self.room.checked_sub_unsigned(after)?).ok()?)?;
        let is_plain = self.multiples.is_step() && scale.is_multiple_of(u128::from(self.multiples.unit()));
        is_plain.then_some(Congruence::NONE)
    }
}

/// An ordering condition: an operand of comparison, with the number of digits read and their ordering.
struct BoundConstraint<'a> {
    bound: &'a Bound,
    /// The comparison that holds for the numbers; for a complement, the opposite one.
    comparison: Comparison,
    at: i32,
    side: Ordering,
}

impl BoundConstraint<'_> {
    /// Compares the length of the number before the point with that of the bound. The number has the digits
    /// read and `whole` more.
    fn length(&self, whole: u32) -> Ordering {
        self.at.saturating_add_unsigned(whole).cmp(&(i32::from(self.bound.exponent) + 1))
    }

    /// Returns true if no number with at least `whole` more digits before the point is allowed.
    fn is_exceeded(&self, whole: u32) -> bool {
        self.length(whole).is_gt() && !self.comparison.allows(Ordering::Greater)
    }

    /// Returns the ordering relative to the bound, if `whole` more digits precede the point.
    fn side(&self, is_whole: bool, whole: u32) -> Ordering {
        if is_whole { self.length(whole).then(self.side) } else { self.side }
    }

    /// Returns the least and greatest allowed value of the next `count` digits, if the ordering so far is
    /// `side`. Returns `None` if no value is allowed.
    fn range(&self, side: Ordering, count: u32) -> Option<(u128, u128)> {
        let last = 10_u128.pow(count) - 1;
        let comparison = self.comparison;
        if side.is_ne() {
            return comparison.allows(side).then_some((0, last));
        }
        // All digits so far are those of the bound: the next ones are compared with the rest of it.
        let digits = &self.bound.digits;
        let digit = |at: i32| usize::try_from(at).ok().and_then(|at| digits.get(at)).copied().unwrap_or(0);
        let next = (self.at..).take(count as usize);
        let bound = next.fold(0, |sum, at| sum * 10 + u128::from(digit(at)));
        let end = usize::try_from(self.at.saturating_add_unsigned(count));
        let is_exact = end.is_ok_and(|end| end >= digits.len());
        let (least, most) = match comparison {
            Comparison::AtLeast if is_exact => (bound, last),
            Comparison::AtLeast | Comparison::Above => (bound + 1, last),
            Comparison::Below if is_exact => (0, bound.checked_sub(1)?),
            Comparison::AtMost | Comparison::Below => (0, bound),
            Comparison::Equal => is_exact.then_some((bound, bound))?,
        };
        (least <= most).then_some((least, most))
    }
}

/// The conditions of an intersection.
struct Constraints<'a> {
    divided: Vec<DivisorConstraint<'a>>,
    /// Excluded multiples.
    excluded: Vec<DivisorConstraint<'a>>,
    limits: Vec<BoundConstraint<'a>>,
    part: NumeralPart,
    /// True if a bound excludes all numbers.
    is_void: bool,
    /// True if some required multiple excludes exponents. Otherwise, numbers with an exponent are no
    /// candidates, so candidates prove only that there are numbers.
    is_complete: bool,
}

/// A part of a numeral.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumeralPart {
    /// Before the point.
    Whole,
    /// Directly after the point: a digit must follow.
    Pointed,
    /// After digits of the fraction.
    Fraction,
}

/// The result of the decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Satisfiability {
    /// The intersection is empty.
    Void,
    /// The intersection contains a string.
    Inhabited,
    Unknown,
}

/// An operand of an intersection: numbers, or their complement.
#[derive(Clone, Copy)]
pub(super) struct NumberMember<'a> {
    numbers: &'a Numbers,
    position: NumeralPosition,
    is_complement: bool,
}

impl NumberMember<'_> {
    /// Returns the divisor, if the numbers are the multiples of an integer that fits.
    pub(super) fn divisor(&self) -> Option<u128> {
        let Numbers::Multiples(multiples) = self.numbers else { return None };
        let zeros = 10_u128.checked_pow(u32::try_from(-multiples.room()).ok()?)?;
        let factor = if multiples.is_step() { multiples.unit() } else { multiples.modulus() };
        u128::from(factor).checked_mul(zeros)
    }
}

impl<'a> Constraints<'a> {
    /// Collects the conditions of operands. Returns `None` if two required multiples are in different parts
    /// of a numeral, or if there is no multiple at all.
    fn of(members: &[NumberMember<'a>]) -> Option<Self> {
        let (mut divided, mut excluded, mut part) = (Vec::new(), Vec::new(), None);
        let mut has_plain = false;
        for &NumberMember { numbers, position, is_complement } in members {
            let Numbers::Multiples(multiples) = numbers else { continue };
            let (rest, room, here) = match position {
                NumeralPosition::Integer(rest) => (rest, multiples.room(), NumeralPart::Whole),
                NumeralPosition::Point(rest) => (rest, multiples.room(), NumeralPart::Pointed),
                NumeralPosition::Fraction { left, remainder } => {
                    (remainder, left.into(), NumeralPart::Fraction)
                }
                // An exponent may follow here. The operand that `has_plain` requires excludes it.
                NumeralPosition::First(least) => {
                    (least.max(0).unsigned_abs().into(), multiples.room(), NumeralPart::Whole)
                }
                NumeralPosition::Mantissa { digits: 0, least: ..=0 } => {
                    (0, multiples.room(), NumeralPart::Pointed)
                }
                NumeralPosition::Mantissa { digits, least: ..=0 } => {
                    (0, (multiples.room() - i32::from(digits)).max(0), NumeralPart::Fraction)
                }
                _ if is_complement => continue,
                _ => return None,
            };
            has_plain |= !is_complement
                && !matches!(position, NumeralPosition::First(_) | NumeralPosition::Mantissa { .. });
            let these = DivisorConstraint { multiples, rest, room };
            if is_complement {
                excluded.push((these, here));
            } else if *part.get_or_insert(here) == here {
                divided.push(these);
            } else {
                return None;
            }
        }
        let part = part.or_else(|| excluded.first().map(|&(_, here)| here))?;
        let excluded = excluded.into_iter().filter(|(_, here)| *here == part).map(|(these, _)| these);
        let mut this = Self {
            divided,
            excluded: excluded.collect(),
            limits: Vec::new(),
            part,
            is_void: false,
            is_complete: has_plain,
        };
        members.iter().for_each(|member| this.limit(member));
        Some(this)
    }

    /// Adds a bound. For a complement, the comparison is reversed, because all candidates are numbers.
    fn limit(&mut self, &NumberMember { numbers, position, is_complement }: &NumberMember<'a>) {
        let Numbers::Compared(bound) = numbers else { return };
        let comparison = match (bound.comparison, is_complement) {
            (comparison, false) => comparison,
            (Comparison::AtLeast, true) => Comparison::Below,
            (Comparison::Above, true) => Comparison::AtMost,
            (Comparison::AtMost, true) => Comparison::Above,
            (Comparison::Below, true) => Comparison::AtLeast,
            (Comparison::Equal, true) => return,
        };
        let (at, side) = match (position, self.part) {
            (NumeralPosition::Whole { digits, side }, NumeralPart::Whole) => (digits.into(), side),
            (NumeralPosition::Compared { at, .. }, NumeralPart::Pointed | NumeralPart::Fraction) => {
                (at.into(), Ordering::Equal)
            }
            // An exponent may follow, but no multiple has one.
            (NumeralPosition::Significant { digits, side }, NumeralPart::Pointed | NumeralPart::Fraction) => {
                (i32::from(digits) + 1, 0.cmp(&bound.exponent).then(side))
            }
            // All numbers from here on satisfy the bound, and no number satisfies its complement.
            (NumeralPosition::Digits, NumeralPart::Whole)
            | (NumeralPosition::More(0 | 1), NumeralPart::Pointed)
            | (NumeralPosition::More(0), NumeralPart::Fraction) => {
                self.is_void |= is_complement;
                return;
            }
            _ => return,
        };
        self.limits.push(BoundConstraint { bound, comparison, at, side });
    }

    /// Returns the number of digits after the point that candidates have.
    fn after(&self) -> u32 {
        let room = self.divided.iter().map(|divided| divided.room).max().unwrap_or(0);
        room.max(0).unsigned_abs()
    }

    /// Returns the number of conditions.
    fn len(&self) -> u64 {
        (self.limits.len() + self.divided.len() + self.excluded.len()) as u64
    }

    /// Returns the condition that all required multiples make for `whole` digits before the point and `after`
    /// after it. Returns `None` if it has no solution.
    fn required(&self, whole: u32, after: u32) -> Option<Congruence> {
        self.divided.iter().try_fold(Congruence::NONE, |asked, divided| {
            // Unknown conditions are ignored.
            asked.and(divided.congruence(whole, after).unwrap_or(Congruence::NONE))
        })
    }

    /// Tests a few candidates of a length at which every residue occurs. This is enough for most
    /// intersections, however large their divisors are.
    fn has_candidate(&self, mut holds: impl FnMut(&str) -> bool) -> bool {
        let after = self.after();
        if self.is_void || self.part != NumeralPart::Whole || after > 0 || !self.limits.is_empty() {
            return false;
        }
        count(UNITS_PER_CONDITION * self.len());
        let Some(asked) = self.required(0, 0) else { return false };
        let whole =
            (asked.modulus * MAX_CANDIDATES_PER_LENGTH).checked_ilog10().map_or(1, |digits| digits + 1);
        if whole > MAX_DIGITS {
            return false;
        }
        let Some(asked) = self.required(whole, 0) else { return false };
        let is_excluded = |excluded: &DivisorConstraint<'_>| {
            excluded.exactly(whole, 0).is_some_and(|excluded| asked.implies(excluded))
        };
        if self.excluded.iter().any(is_excluded) {
            return false;
        }
        let first = asked.first(0);
        let mut numbers = (0..MAX_CANDIDATES_PER_LENGTH).map(|more| first + more * asked.modulus);
        numbers.any(|number| holds(&self.text(number, whole, 0)))
    }

    /// Tests candidate strings with `holds` until one is in the intersection. Without one, the result is
    /// `Void` only if there was no candidate.
    fn solve(&self, holds: impl FnMut(&str) -> bool) -> Satisfiability {
        match self.solve_plain(holds) {
            Satisfiability::Void if !self.is_complete => Satisfiability::Unknown,
            solved => solved,
        }
    }

    /// As [`solve`](Self::solve), for numbers without an exponent.
    fn solve_plain(&self, mut holds: impl FnMut(&str) -> bool) -> Satisfiability {
        if self.is_void {
            return Satisfiability::Void;
        }
        let after = self.after();
        if after > MAX_DIGITS {
            return Satisfiability::Unknown;
        }
        let is_whole = self.part == NumeralPart::Whole;
        let mut solved = Satisfiability::Void;
        let mut left = MAX_CANDIDATES;
        for whole in 0..=MAX_DIGITS - after {
            if is_whole && self.limits.iter().any(|limit| limit.is_exceeded(whole)) {
                return solved;
            }
            let mut range = Some((0, 10_u128.pow(whole + after) - 1));
            for limit in &self.limits {
                let more = limit.range(limit.side(is_whole, whole), whole + after);
                range = range.zip(more).map(|(one, other)| (one.0.max(other.0), one.1.min(other.1)));
            }
            count(UNITS_PER_CONDITION * self.len());
            let asked = self.required(whole, after);
            let is_excluded = |asked: &Congruence| {
                let mut all = self.excluded.iter().filter_map(|these| these.exactly(whole, after));
                all.any(|excluded| asked.implies(excluded))
            };
            // More digits multiply all residues by ten, so an exclusion holds for them as well.
            if asked.as_ref().is_some_and(is_excluded) {
                return solved;
            }
            // Integers come first, because the other operands may not allow a point.
            let plain = Congruence { residue: 0, modulus: 10_u128.pow(after) };
            let plain = asked.filter(|_| is_whole && after > 0).and_then(|asked| asked.and(plain));
            let (least, most) = range.unwrap_or((1, 0));
            for asked in [plain, asked].into_iter().flatten() {
                let first = asked.first(least);
                let numbers = (0..MAX_CANDIDATES_PER_LENGTH).map(|more| first + more * asked.modulus);
                for number in numbers.take_while(|&number| number <= most) {
                    if holds(&self.text(number, whole, after)) {
                        return Satisfiability::Inhabited;
                    }
                    solved = Satisfiability::Unknown;
                    left -= 1;
                    if left == 0 {
                        return Satisfiability::Unknown;
                    }
                }
            }
            if !is_whole {
                return solved;
            }
        }
        Satisfiability::Unknown
    }

    /// Returns a number as digits before and after the point.
    fn text(&self, number: u128, whole: u32, after: u32) -> String {
        let point = 10_u128.pow(after);
        let padded = |number: u128, digits: u32| match digits {
            0 => String::new(),
            _ => format!("{number:0>0$}", digits as usize),
        };
        let (before, fraction) = (padded(number / point, whole), number % point);
        match self.part {
            NumeralPart::Whole if fraction == 0 => before,
            NumeralPart::Whole => format!("{before}.{}", padded(fraction, after)),
            NumeralPart::Pointed => padded(fraction, after.max(1)),
            NumeralPart::Fraction => padded(fraction, after),
        }
    }
}

/// Decides whether an intersection with multiples contains a string.
///
/// The intersection is taken apart into branches of conditions. Strings are made from the conditions of one
/// branch, and tested on the whole expression. It is empty if every branch is.
///
/// # Complexity
/// Linear in the operands, the branches and the digits of the bounds, up to some dozens.
pub(crate) fn satisfiability(store: &Store, a: RegularId) -> Satisfiability {
    let Kind::And(list) = store.node(a).kind else { return Satisfiability::Unknown };
    if store.leaves.numbers.is_empty() {
        return Satisfiability::Unknown;
    }
    let mut branches = Branches::new(store);
    let parts: Vec<Vec<Branch>> =
        store.list(list).iter().map(|&member| branches.of_operand(member)).collect();
    let holds = |text: &str| is_known_member(store, a, text.as_bytes());
    let numbers = |branch: &Branch| -> Vec<NumberMember<'_>> {
        branch.iter().filter_map(|&(member, is_excluded)| number_member(store, member, is_excluded)).collect()
    };
    if parts.iter().any(|part| part.len() > 1) {
        let test = |branch: &Branch| {
            Constraints::of(&numbers(branch)).is_some_and(|branch| branch.has_candidate(holds))
        };
        let sorted = in_order_of_chance(store, &parts);
        if some_branch(store, &Branch::new(), &sorted, &mut { MAX_TRIES }, &test) {
            return Satisfiability::Inhabited;
        }
    }
    let mut all_branches = Satisfiability::Void;
    for branch in all(parts) {
        let solved = Constraints::of(&numbers(&branch)).map(|branch| branch.solve(holds));
        match solved.unwrap_or(Satisfiability::Unknown) {
            Satisfiability::Inhabited => return Satisfiability::Inhabited,
            Satisfiability::Void => {}
            Satisfiability::Unknown => all_branches = Satisfiability::Unknown,
        }
    }
    all_branches
}

pub(super) fn number_member(store: &Store, a: RegularId, is_complement: bool) -> Option<NumberMember<'_>> {
    let Kind::Number(state) = store.node(a).kind else { return None };
    let NumberState { numbers, position } = store.leaves.number_states[state];
    Some(NumberMember { numbers: &store.leaves.numbers[numbers], position, is_complement })
}

#[cfg(test)]
mod tests {
    use super::Satisfiability;
    use super::satisfiability;
    use crate::automaton::derivative::raw_derivative;
    use crate::{Comparison, Limits, RegularId, Store};

    /// Follows all digits. Returns true if there is a string, and `None` if the digits lead to many states.
    fn reaches(store: &mut Store, from: RegularId) -> Option<bool> {
        let mut open = vec![from];
        let mut position = 0;
        while let Some(&state) = open.get(position) {
            position += 1;
            if store.is_nullable(state) {
                return Some(true);
            }
            for byte in *b"0123456789." {
                let next = raw_derivative(store, state, byte).unwrap();
                if !open.contains(&next) {
                    open.push(next);
                }
            }
            if open.len() > 600 {
                return None;
            }
        }
        Some(false)
    }

    #[test]
    fn arithmetic_agrees_with_search() {
        let mut store = Store::new(&Limits::default());
        let (mut void, mut inhabited) = (0, 0);
        let bounds = [
            (Comparison::AtMost, "95.5"),
            (Comparison::Below, "2000"),
            (Comparison::AtLeast, "18.04"),
            (Comparison::Above, "7"),
            (Comparison::Equal, "36.25"),
            (Comparison::AtMost, "0.5"),
        ];
        let divisors = ["7", "12", "0.25", "0.7", "1", "20", "86.4", "500", "0.03"];
        for (position, divisor) in divisors.iter().enumerate() {
            let others = &divisors[(position + 1) % divisors.len()..];
            for other in others.iter().take(3) {
                for pair in bounds.iter().flat_map(|one| bounds.iter().map(move |other| [one, other])) {
                    let mut members =
                        [divisor, other].map(|numeral| store.multiple(numeral).unwrap()).to_vec();
                    members
                        .extend(pair.map(|&(comparison, bound)| store.compared(comparison, bound).unwrap()));
                    let [one, two, first, second] = members[..] else { unreachable!("four were made") };
                    let both = store.intersection(&[two, second]).unwrap();
                    let [not_two, not_both] = [two, both].map(|a| store.complement(a).unwrap());
                    for parts in [
                        &[one][..],
                        &[one, first, second],
                        &[one, two, first, second],
                        &[one, first, not_two],
                        &[one, first, not_both],
                    ] {
                        let all = store.intersection(parts).unwrap();
                        for begin in ["1", "3", "36", "18.", "18.0", "9", "95", "0.", "84", "20.2"] {
                            let here = begin
                                .bytes()
                                .try_fold(all, |here, byte| raw_derivative(&mut store, here, byte));
                            let here = here.unwrap();
                            let solved = satisfiability(&store, here);
                            if solved == Satisfiability::Unknown {
                                continue;
                            }
                            let Some(some) = reaches(&mut store, here) else { continue };
                            void += usize::from(solved == Satisfiability::Void);
                            inhabited += usize::from(solved == Satisfiability::Inhabited);
                            assert_eq!(
                                some,
                                solved == Satisfiability::Inhabited,
                                "{}, {begin}",
                                store.display(here)
                            );
                        }
                    }
                }
            }
        }
        assert!(void > 100 && inhabited > 100, "{void} void, {inhabited} inhabited");
    }

    #[test]
    fn multiples_below_a_bound_take_no_search() {
        let mut store = Store::new(&Limits { emptiness_steps: 400, ..Limits::default() });
        let plain = store.regex(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?").unwrap();
        for (of, least, most) in
            [("86400", "86400", "31536000"), ("65537", "1000000", "99999999999"), ("0.123456789", "1", "1e9")]
        {
            let most = if most == "1e9" { "1000000000" } else { most };
            let multiples = store.multiple(of).unwrap();
            let bounds = [(Comparison::AtLeast, least), (Comparison::AtMost, most)];
            let bounds = bounds.map(|(comparison, bound)| store.compared(comparison, bound).unwrap());
            let all = store.intersection(&[multiples, bounds[0], bounds[1], plain]).unwrap();
            for number in 100..1_000 {
                let text = number.to_string();
                let step = |state: RegularId, byte: u8| store.derivative(state, byte);
                let end = text.bytes().try_fold(all, step);
                assert!(end.is_ok(), "{of}, {text}: {end:?}");
            }
        }
    }
    #[test]
    fn numbers_beyond_128_bits_are_left_to_a_search() {
        let mut store = Store::new(&Limits::default());
        let plain = store.regex(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?").unwrap();
        let above = store.compared(Comparison::Above, "0").unwrap();
        let below =
            ["1", &format!("1{:0<70}", "")].map(|most| store.compared(Comparison::Below, most).unwrap());
        for places in 30..=60 {
            for (unit, is_small) in
                ["1", "2", "5", "7"].into_iter().flat_map(|unit| [(unit, true), (unit, false)])
            {
                let text = if is_small { format!("0.{unit:0>places$}") } else { format!("{unit:0<places$}") };
                // More of them are not a divisor.
                let Ok(multiples) = store.multiple(&text) else { continue };
                let all =
                    store.intersection(&[multiples, plain, above, below[usize::from(!is_small)]]).unwrap();
                for end in 1..=text.len() {
                    let step = |state: RegularId, byte: u8| store.derivative(state, byte);
                    let here = text.bytes().take(end).try_fold(all, step).unwrap();
                    assert_ne!(satisfiability(&store, here), Satisfiability::Void, "{text}, {end}");
                }
            }
        }
    }
}

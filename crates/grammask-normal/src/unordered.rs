//! What `unordered!` says about its items: how often each may occur, how many there are in all, which need which; and whether that can be
//! kept. Both the normalizer and whoever runs a normal form ask here.

use thiserror::Error;

use crate::form::NonterminalId;
use crate::graph::{Lists, components};

/// In which selections the items of a nonterminal may stand. The order is free.
///
/// ```
/// use grammask_normal::Unordered;
///
/// // unordered!(a, b?, c*; ; {2,}; 1 -> 2)
/// let items = vec![(1, Some(1)), (0, Some(1)), (0, None)];
/// let needs = vec![(1, 2)];
/// let unordered = Unordered { items, has_separator: false, min: 2, max: None, needs, distinct: None };
/// assert_eq!(unordered.check(), Ok(()));
/// assert_eq!(unordered.least(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unordered {
    /// For every item how often it may occur; `None` for "without end".
    pub items: Vec<(u32, Option<u32>)>,
    /// Whether something stands between two items.
    pub has_separator: bool,
    /// The least number of items in all.
    pub min: u32,
    /// The greatest number of items in all; `None` for "without end".
    pub max: Option<u32>,
    /// `(i, j)`: where item `i` occurs, item `j` has to.
    pub needs: Vec<(u32, u32)>,
    /// The item whose texts differ from each other, if there is one. It is a terminal with more texts than are ever counted, so that
    /// there is always another one, and it may occur any number of times.
    pub distinct: Option<u32>,
}

/// Why an [`Unordered`] is none, or cannot be kept exactly.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnorderedError {
    /// No items, bounds in the wrong order, or numbers of items that are not there.
    #[error("an `unordered!` has no items, wrong bounds, or needs of items that are not there")]
    Malformed,
    /// No selection is allowed, or some item stands in none.
    #[error("an `unordered!` has items that never occur")]
    Unsatisfiable,
    /// Items need more others, directly and indirectly, than a table may hold.
    #[error("items of an `unordered!` need more than {limit} others, directly and indirectly")]
    TooManyNeeds {
        /// How many may be.
        limit: usize,
    },
    /// More than one item is `distinct!`.
    #[error("an `unordered!` has more than one `distinct!`")]
    SeveralDistinct,
    /// Items that only occur together could make the number of items jump over what is allowed.
    #[error(
        "{count} items of an `unordered!` need each other, which is not supported with a total of {min} to {max}"
    )]
    JumpingCount {
        /// How many need each other.
        count: usize,
        /// The least number of items.
        min: u32,
        /// The greatest number of items.
        max: u32,
    },
}

/// For each nonterminal whether it is used as the operand of `distinct!` only. The uses are the nonterminals that productions name, each with
/// whether it is that.
pub(crate) fn only_operands(
    count: usize,
    start: NonterminalId,
    uses: impl Iterator<Item = (NonterminalId, bool)>,
) -> Vec<bool> {
    let (mut is_operand, mut is_rule) = (vec![false; count], vec![false; count]);
    is_rule[start.index()] = true;
    for (id, as_operand) in uses {
        let place = if as_operand { &mut is_operand } else { &mut is_rule };
        place[id.index()] = true;
    }
    is_operand.iter().zip(is_rule).map(|(&operand, rule)| operand && !rule).collect()
}

impl Unordered {
    /// So many items may be needed by items, directly and indirectly, each counted for each that needs it.
    pub const MAX_NEEDS: usize = 1 << 15;

    /// The items that every selection holds: those that have to occur, and what these need, transitively.
    ///
    /// # Complexity
    /// Linear in the items and needs.
    pub fn forced(&self) -> Vec<bool> {
        let mut forced: Vec<bool> = self.items.iter().map(|&(min, _)| min > 0).collect();
        if self.needs.is_empty() {
            return forced;
        }
        let needs = self.need_lists();
        let mut open: Vec<usize> = (0..forced.len()).filter(|&item| forced[item]).collect();
        while let Some(item) = open.pop() {
            for &next in needs.of(item) {
                if !std::mem::replace(&mut forced[next as usize], true) {
                    open.push(next as usize);
                }
            }
        }
        forced
    }

    /// The least number of items that the items themselves ask for, whatever `min` says.
    ///
    /// # Complexity
    /// Linear in the items and needs.
    pub fn least(&self) -> u64 {
        self.least_of(&self.forced())
    }

    fn least_of(&self, forced: &[bool]) -> u64 {
        let items = self.items.iter().zip(forced).filter(|(_, forced)| **forced);
        items.map(|(&(min, _), _)| u64::from(min.max(1))).sum()
    }

    /// For every item those that it needs, directly and indirectly, itself not counted; sorted.
    ///
    /// # Errors
    /// When these are more than [`Self::MAX_NEEDS`], or numbers of items that are not there.
    ///
    /// # Complexity
    /// O(n + m √m) for n items and m needs, indirect ones counted.
    pub fn closures(&self) -> Result<Vec<Box<[u32]>>, UnorderedError> {
        if !self.needs_are_of_items() {
            return Err(UnorderedError::Malformed);
        }
        if self.needs.is_empty() {
            return Ok(vec![Box::default(); self.items.len()]);
        }
        let too_many = UnorderedError::TooManyNeeds { limit: Self::MAX_NEEDS };
        if self.needs.len() > Self::MAX_NEEDS {
            return Err(too_many);
        }
        let needs = self.need_lists();
        let mut last_seen = vec![usize::MAX; self.items.len()];
        let mut total = 0;
        let mut open = Vec::new();
        let mut closures = vec![Box::default(); self.items.len()];
        for item in 0..self.items.len() {
            last_seen[item] = item;
            let mut found: Vec<u32> = Vec::new();
            open.push(item);
            while let Some(at) = open.pop() {
                for &next in needs.of(at) {
                    if std::mem::replace(&mut last_seen[next as usize], item) != item {
                        found.push(next);
                        open.push(next as usize);
                    }
                }
                if total + found.len() > Self::MAX_NEEDS {
                    return Err(too_many);
                }
            }
            total += found.len();
            found.sort_unstable();
            closures[item] = found.into();
        }
        Ok(closures)
    }

    /// Tests that there are items, bounds are in order, needs are of items that are there, every item can occur and some selection
    /// is allowed, the empty one not; and that all that is known to be exact.
    ///
    /// # Errors
    /// What does not hold.
    ///
    /// # Complexity
    /// That of [`Self::closures`].
    pub fn check(&self) -> Result<(), UnorderedError> {
        let is_ordered = |&(min, max): &(u32, Option<u32>)| max.is_none_or(|max| max >= min.max(1));
        if self.items.is_empty() || !self.items.iter().all(is_ordered) {
            return Err(UnorderedError::Malformed);
        }
        if self.needs.iter().any(|(from, to)| from == to) || !self.needs_are_of_items() {
            return Err(UnorderedError::Malformed);
        }
        if self.min == 0 && self.least() == 0 {
            return Err(UnorderedError::Malformed);
        }
        if self.distinct.is_some_and(|item| self.items.get(item as usize) != Some(&(0, None))) {
            return Err(UnorderedError::Malformed);
        }
        let mut reduced = self.clone();
        match reduced.reduce(|_| true, true)? {
            Some(kept) if kept.len() == self.items.len() => Ok(()),
            _ => Err(UnorderedError::Unsatisfiable),
        }
    }

    /// How many items need each other at most, directly and indirectly; 1 where none do.
    pub fn largest_cycle(&self) -> usize {
        if self.needs.is_empty() {
            return 1;
        }
        let mut sizes = vec![0; self.items.len()];
        for component in components(&self.need_lists()) {
            sizes[component as usize] += 1;
        }
        sizes.into_iter().max().unwrap_or(1)
    }

    /// Whether the selection of nothing is allowed.
    pub(crate) fn allows_nothing(&self) -> bool {
        self.min == 0 && self.items.iter().all(|&(min, _)| min == 0)
    }

    /// Takes out the items that never occur, given which ones and whether the separator produce something; and limits that do not
    /// limit. Gives the old numbers of the items that stay; `None` where no selection is allowed, other than of nothing.
    ///
    /// # Complexity
    /// That of [`Self::closures`].
    pub(crate) fn reduce(
        &mut self,
        produces: impl Fn(usize) -> bool,
        separator_produces: bool,
    ) -> Result<Option<Vec<u32>>, UnorderedError> {
        let closures = self.closures()?;
        if self.has_separator && !separator_produces {
            self.max = Some(self.max.map_or(1, |max| max.min(1)));
        }
        let may_occur: Vec<bool> =
            self.items.iter().enumerate().map(|(item, &(_, max))| max != Some(0) && produces(item)).collect();
        let mut stays: Vec<bool> = (0..self.items.len())
            .map(|item| may_occur[item] && closures[item].iter().all(|&other| may_occur[other as usize]))
            .collect();
        let forced = self.forced();
        let least = self.least_of(&forced);
        let lacks = |(stays, forced): (&bool, &bool)| *forced && !stays;
        let most = u64::from(self.max.unwrap_or(u32::MAX));
        if stays.iter().zip(&forced).any(lacks)
            || least > most
            || self.items.iter().any(|&(min, max)| max.is_some_and(|max| max < min))
            || self.max.is_some_and(|max| max < self.min)
        {
            return Ok(None);
        }
        if self.max.is_some() {
            for (item, stays) in stays.iter_mut().enumerate() {
                *stays &= least + u64::from(brings(item, &closures[item], &forced)) <= most;
            }
        }
        let kept: Vec<u32> = (0..).zip(&stays).filter(|(_, stays)| **stays).map(|(item, _)| item).collect();
        if kept.is_empty() {
            return Ok(None);
        }
        let mut numbers = vec![u32::MAX; self.items.len()];
        for (number, &item) in (0..).zip(&kept) {
            numbers[item as usize] = number;
        }
        self.items = kept.iter().map(|&item| self.items[item as usize]).collect();
        self.distinct = self.distinct.map(|item| numbers[item as usize]).filter(|&item| item != u32::MAX);
        let renumbered = self.needs.iter().map(|&(from, to)| (numbers[from as usize], numbers[to as usize]));
        self.needs = renumbered.filter(|&(from, to)| from != to && from.max(to) != u32::MAX).collect();
        self.needs.sort_unstable();
        self.needs.dedup();
        let capacity = self.capacity();
        if capacity.is_some_and(|capacity| capacity < u64::from(self.min)) {
            return Ok(None);
        }
        if capacity.is_some_and(|capacity| most >= capacity) {
            self.max = None;
        }
        if u64::from(self.min) <= least {
            self.min = 0;
        }
        if self.max == Some(1) || capacity == Some(1) {
            self.has_separator = false;
        }
        if let (min @ 1.., Some(max)) = (self.min, self.max) {
            let count = self.largest_cycle();
            if count > (max - min) as usize + 1 {
                return Err(UnorderedError::JumpingCount { count, min, max });
            }
        }
        Ok(Some(kept))
    }

    /// How many items there can be in all, by their own bounds; `None` for "without end".
    pub fn capacity(&self) -> Option<u64> {
        self.items.iter().map(|&(_, max)| max.map(u64::from)).sum()
    }

    fn needs_are_of_items(&self) -> bool {
        let count = self.items.len();
        self.needs.iter().all(|&(from, to)| (from.max(to) as usize) < count)
    }

    /// By item, those that it needs; needs of items that are not there are none.
    fn need_lists(&self) -> Lists {
        let count = self.items.len();
        if self.needs_are_of_items() {
            return Lists::new(count, &self.needs);
        }
        let is_of_items = |&(from, to): &(u32, u32)| (from.max(to) as usize) < count;
        Lists::new(count, &self.needs.iter().copied().filter(is_of_items).collect::<Vec<_>>())
    }
}

/// How many more than the forced ones an item brings with it that needs these others, itself included: none, if it is forced.
fn brings(item: usize, closure: &[u32], forced: &[bool]) -> u32 {
    let is_free = |item: usize| u32::from(!forced[item]);
    is_free(item) + closure.iter().map(|&other| is_free(other as usize)).sum::<u32>()
}

/// Whether some selection is allowed, while it becomes known which items produce something.
pub(crate) struct Progress<'a> {
    unordered: &'a Unordered,
    forced: Vec<bool>,
    least: u64,
    /// How many forced items are not known.
    missing: usize,
    /// For every item how many of those it needs, itself included, are not known.
    lacking: Vec<u32>,
    /// For every item those that need it, itself included; nothing where no item needs another.
    needed_by: Option<Lists>,
    /// What every item [`brings`].
    brings: Vec<u32>,
    /// How many items there can be of those that are known with all that they need, and are no more with it than there may be: as long as the separator
    /// is not known, and once it is.
    capacities: [u64; 2],
    separator: bool,
    /// Whether all bounds are in order.
    is_ordered: bool,
}

impl<'a> Progress<'a> {
    pub fn new(unordered: &'a Unordered) -> Result<Self, UnorderedError> {
        let forced = unordered.forced();
        let (lacking, brings, needed_by) = if unordered.needs.is_empty() {
            let items = 0..unordered.items.len();
            (vec![1; items.len()], items.map(|item| brings(item, &[], &forced)).collect(), None)
        } else {
            let closures = unordered.closures()?;
            let brought = closures.iter().enumerate().map(|(item, closure)| brings(item, closure, &forced));
            let brought = brought.collect();
            let mut needed_by = Vec::new();
            for (item, closure) in (0..).zip(&closures) {
                needed_by.push((item, item));
                needed_by.extend(closure.iter().map(|&other| (other, item)));
            }
            let lacking = closures.iter().map(|closure| closure.len() as u32 + 1).collect();
            (lacking, brought, Some(Lists::new(closures.len(), &needed_by)))
        };
        Ok(Self {
            least: unordered.least_of(&forced),
            missing: forced.iter().filter(|forced| **forced).count(),
            forced,
            lacking,
            needed_by,
            brings,
            capacities: [0; 2],
            separator: !unordered.has_separator,
            is_ordered: unordered.items.iter().all(|&(min, max)| max.is_none_or(|max| max >= min)),
            unordered,
        })
    }

    /// Takes note of an item that produces something, or of the separator, which stands behind them.
    pub fn add(&mut self, place: usize) {
        let Some(&forced) = self.forced.get(place) else {
            self.separator = true;
            return;
        };
        if self.unordered.items[place].1 == Some(0) {
            return;
        }
        self.missing -= usize::from(forced);
        let alone = [place as u32];
        let needed_by = self.needed_by.as_ref().map_or(&alone[..], |needed_by| needed_by.of(place));
        for &item in needed_by {
            let item = item as usize;
            self.lacking[item] -= 1;
            if self.lacking[item] == 0 {
                let max = self.unordered.items[item].1.map_or(u64::MAX, u64::from);
                for separator in [false, true] {
                    if self.least + u64::from(self.brings[item]) <= u64::from(self.most(separator)) {
                        let capacity = &mut self.capacities[usize::from(separator)];
                        *capacity = capacity.saturating_add(max);
                    }
                }
            }
        }
    }

    /// How many items there may be, if the separator is known or not.
    fn most(&self, separator: bool) -> u32 {
        let max = self.unordered.max;
        if separator { max.unwrap_or(u32::MAX) } else { max.unwrap_or(1).min(1) }
    }

    /// Whether some selection that is not empty is allowed with what is known.
    pub fn is_enough(&self) -> bool {
        let (min, most) = (self.unordered.min, self.most(self.separator));
        self.missing == 0
            && self.least <= u64::from(most)
            && min <= most
            && self.capacities[usize::from(self.separator)] >= u64::from(min.max(1))
            && most > 0
            && self.is_ordered
    }
}

#[cfg(test)]
mod tests {
    use grammask_testkit::random::Rng;

    use super::*;

    /// Items in selections are counted up to so many, which is as good as without end for the bounds below.
    const MANY: u32 = 4;

    /// All selections that are allowed and not empty: how often each item occurs in them.
    fn selections(unordered: &Unordered, separator_produces: bool) -> Vec<Vec<u32>> {
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for &(min, max) in &unordered.items {
            let counts = min..=max.unwrap_or(MANY);
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
                    .needs
                    .iter()
                    .all(|&(from, to)| counts[from as usize] == 0 || counts[to as usize] > 0)
        });
        all
    }

    /// Some items with bounds and needs, circles among them.
    fn random(mut next: impl FnMut(u32) -> u32) -> Unordered {
        let count = 1 + next(4);
        let items = (0..count)
            .map(|_| [(0, Some(1)), (1, Some(1)), (0, Some(2)), (0, None)][next(4) as usize])
            .collect();
        let needs =
            (0..next(5)).map(|_| (next(count), next(count))).filter(|(from, to)| from != to).collect();
        let (min, max) = (next(4), [None, Some(next(5))][next(2) as usize]);
        Unordered { items, has_separator: next(2) == 0, min, max, needs, distinct: None }
    }

    #[test]
    fn what_is_enough_and_what_stays_is_as_by_enumeration() {
        let mut rng = Rng::new(3);
        let mut next = |bound: u32| rng.below(bound as usize) as u32;
        let mut seen = [0; 3];
        for _ in 0..20_000 {
            let unordered = random(&mut next);
            let separator_produces = next(4) > 0;
            let selections = selections(&unordered, separator_produces);
            let mut reduced = unordered.clone();
            let kept = match reduced.reduce(|_| true, separator_produces) {
                Ok(kept) => kept,
                Err(UnorderedError::JumpingCount { .. }) => {
                    seen[2] += 1;
                    continue;
                }
                Err(error) => panic!("{unordered:?}: {error}"),
            };
            let items = 0..unordered.items.len();
            let occur: Vec<u32> = items
                .clone()
                .filter(|&item| selections.iter().any(|counts| counts[item] > 0))
                .map(|item| item as u32)
                .collect();
            assert_eq!(kept.unwrap_or_default(), occur, "{unordered:?} {separator_produces}");
            let mut progress = Progress::new(&unordered).unwrap();
            items.for_each(|item| progress.add(item));
            if separator_produces {
                progress.add(unordered.items.len());
            }
            assert_eq!(progress.is_enough(), !selections.is_empty(), "{unordered:?} {separator_produces}");
            seen[usize::from(selections.is_empty())] += 1;
        }
        assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
    }

    #[test]
    fn needs_of_items_that_are_not_there_are_told() {
        for needs in [vec![(0, 9)], vec![(9, 0)], vec![(u32::MAX, 1)]] {
            let items = vec![(0, Some(1)), (1, Some(1))];
            let unordered =
                Unordered { items, has_separator: false, min: 0, max: None, needs, distinct: None };
            assert_eq!(unordered.check(), Err(UnorderedError::Malformed));
            assert_eq!(unordered.closures(), Err(UnorderedError::Malformed));
            assert_eq!((unordered.least(), unordered.largest_cycle()), (1, 1));
        }
    }
}

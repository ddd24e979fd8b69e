//! The specification of an `unordered!`: how often each item may occur, how many items there are in all,
//! which item requires which; and whether any choice of items satisfies it.
//!
//! `unordered!(a, b?, c*; ',')` matches `a`, `b,a`, `c,a,c`: a choice of items, in any order.

mod satisfiability;
#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::form::NonterminalId;
use crate::graph::{Lists, components};

pub(crate) use satisfiability::Satisfiability;

/// The choices of items that an `unordered!` allows, in any order.
///
/// ```
/// use grammask_normal::Unordered;
///
/// // unordered!(a, b?, c*; ; {2,}; 1 -> 2)
/// let items = vec![(1, Some(1)), (0, Some(1)), (0, None)];
/// let requires = vec![(1, 2)];
/// let unordered = Unordered {
///     items,
///     has_separator: false,
///     min: 2,
///     max: None,
///     requires,
///     distinct: None,
///     distinct_values: false,
/// };
/// assert_eq!(unordered.check(), Ok(()));
/// assert_eq!(unordered.mandatory_count(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unordered {
    /// By item: the least and greatest number of occurrences. `None` means no greatest number.
    pub items: Vec<(u32, Option<u32>)>,
    /// True if a separator is between two adjacent items.
    pub has_separator: bool,
    /// Least number of items in all.
    pub min: u32,
    /// Greatest number of items in all. `None` means no greatest number.
    pub max: Option<u32>,
    /// Pairs `(i, j)`: if item `i` occurs, item `j` must occur too.
    pub requires: Vec<(u32, u32)>,
    /// Index of the item that is `distinct!`, whose occurrences all have different texts. `None` if there is
    /// none. Its bounds are `(0, None)`. Unless [`distinct_values`](Self::distinct_values) is set, the item
    /// is a terminal that has as many texts as the `unordered!` may have items.
    pub distinct: Option<u32>,
    /// True if the texts of the `distinct!` item are compared as JSON values: the keys of an object may have
    /// any order, and a string or a number any spelling. Texts that are not JSON values are compared byte by
    /// byte. This is so for an operand with rules.
    pub distinct_values: bool,
}

/// Why an [`Unordered`] is invalid or not supported.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnorderedError {
    /// There are no items, bounds are reversed, or an item number is out of range.
    #[error("an `unordered!` has no items, reversed bounds, or requirements of items that do not exist")]
    Malformed,
    /// No choice of items is allowed, or some item occurs in none.
    #[error("an `unordered!` has items that can never occur")]
    Unsatisfiable,
    /// The items have more requirements, indirect ones included, than [`Unordered::MAX_REQUIREMENTS`].
    #[error("more than {limit} requirements between items of an `unordered!`, indirect ones included")]
    TooManyRequirements {
        /// The greatest number of pairs of an item and one that it requires.
        limit: usize,
    },
    /// More than one item is `distinct!`.
    #[error("an `unordered!` has more than one `distinct!`")]
    SeveralDistinct,
    /// Items that require each other can only be added together, which could skip every allowed total.
    #[error(
        "{count} items of an `unordered!` require each other, which is not supported with a total of {min} to {max} items"
    )]
    JumpingCount {
        /// Number of items that require each other.
        count: usize,
        /// Least number of items in all.
        min: u32,
        /// Greatest number of items in all.
        max: u32,
    },
}

/// Returns, for each nonterminal, true if it is used only as the operand of `distinct!`.
///
/// `uses` has every nonterminal that a production names, and true if it is the operand of `distinct!` there.
pub(crate) fn distinct_operands(
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
    /// Greatest number of pairs (item, required item), indirect requirements included: 32,768, which keeps
    /// the tables of a recognizer below a megabyte. An `unordered!` beyond it is refused.
    pub const MAX_REQUIREMENTS: usize = 1 << 15;

    /// Returns, for each item, true if every allowed choice contains it: it must occur, or an item that must
    /// occur requires it, directly or indirectly.
    ///
    /// # Complexity
    /// O(items + requirements).
    pub fn mandatory(&self) -> Vec<bool> {
        let mut mandatory: Vec<bool> = self.items.iter().map(|&(min, _)| min > 0).collect();
        if self.requires.is_empty() {
            return mandatory;
        }
        let required = self.requirement_lists();
        let mut stack: Vec<usize> = (0..mandatory.len()).filter(|&item| mandatory[item]).collect();
        while let Some(item) = stack.pop() {
            for &next in required.of(item) {
                if !std::mem::replace(&mut mandatory[next as usize], true) {
                    stack.push(next as usize);
                }
            }
        }
        mandatory
    }

    /// Returns the least number of items in all that the bounds and requirements of the items imply,
    /// regardless of [`min`](Self::min).
    ///
    /// # Complexity
    /// O(items + requirements).
    pub fn mandatory_count(&self) -> u64 {
        self.count_mandatory(&self.mandatory())
    }

    /// Returns the index of the item of `distinct!` if its texts are compared byte by byte, or as single
    /// strings and numbers. `None` if they are compared as JSON values, or if there is no such item.
    pub(crate) fn distinct_text(&self) -> Option<u32> {
        self.distinct.filter(|_| !self.distinct_values)
    }

    fn count_mandatory(&self, mandatory: &[bool]) -> u64 {
        let items = self.items.iter().zip(mandatory).filter(|(_, mandatory)| **mandatory);
        items.map(|(&(min, _), _)| u64::from(min.max(1))).sum()
    }

    /// Returns, for each item, the other items that it requires, directly and indirectly, in ascending order.
    ///
    /// # Errors
    /// Returns an error if these are more than [`MAX_REQUIREMENTS`](Self::MAX_REQUIREMENTS) in all, or if a
    /// requirement names an item that does not exist.
    ///
    /// # Complexity
    /// O(n + m √m) for n items and m requirements, indirect ones included.
    pub fn requirement_closures(&self) -> Result<Vec<Box<[u32]>>, UnorderedError> {
        if !self.requirements_are_in_range() {
            return Err(UnorderedError::Malformed);
        }
        if self.requires.is_empty() {
            return Ok(vec![Box::default(); self.items.len()]);
        }
        let too_many = UnorderedError::TooManyRequirements { limit: Self::MAX_REQUIREMENTS };
        if self.requires.len() > Self::MAX_REQUIREMENTS {
            return Err(too_many);
        }
        let required = self.requirement_lists();
        let mut last_reached_from = vec![usize::MAX; self.items.len()];
        let mut total = 0;
        let mut stack = Vec::new();
        let mut closures = vec![Box::default(); self.items.len()];
        for item in 0..self.items.len() {
            last_reached_from[item] = item;
            let mut found: Vec<u32> = Vec::new();
            stack.push(item);
            while let Some(at) = stack.pop() {
                for &next in required.of(at) {
                    if std::mem::replace(&mut last_reached_from[next as usize], item) != item {
                        found.push(next);
                        stack.push(next as usize);
                    }
                }
                if total + found.len() > Self::MAX_REQUIREMENTS {
                    return Err(too_many);
                }
            }
            total += found.len();
            found.sort_unstable();
            closures[item] = found.into();
        }
        Ok(closures)
    }

    /// Checks that there are items, bounds are in order, requirements are of existing items, every item can
    /// occur, and some choice is allowed, but not the empty one.
    ///
    /// # Errors
    /// Returns the first condition that does not hold.
    ///
    /// # Complexity
    /// That of [`requirement_closures`](Self::requirement_closures).
    pub fn check(&self) -> Result<(), UnorderedError> {
        let is_ordered = |&(min, max): &(u32, Option<u32>)| max.is_none_or(|max| max >= min.max(1));
        if self.items.is_empty() || !self.items.iter().all(is_ordered) {
            return Err(UnorderedError::Malformed);
        }
        if self.requires.iter().any(|(from, to)| from == to) || !self.requirements_are_in_range() {
            return Err(UnorderedError::Malformed);
        }
        if self.min == 0 && self.mandatory_count() == 0 {
            return Err(UnorderedError::Malformed);
        }
        if self.distinct.is_some_and(|item| self.items.get(item as usize) != Some(&(0, None))) {
            return Err(UnorderedError::Malformed);
        }
        let mut simplified = self.clone();
        match simplified.simplify(|_| true, true)? {
            Some(remaining) if remaining.len() == self.items.len() => Ok(()),
            _ => Err(UnorderedError::Unsatisfiable),
        }
    }

    /// Returns the size of the largest set of items that all require each other, directly or indirectly. It
    /// is 1 if no two items do.
    pub fn largest_cycle(&self) -> usize {
        if self.requires.is_empty() {
            return 1;
        }
        let mut sizes = vec![0; self.items.len()];
        for component in components(&self.requirement_lists()) {
            sizes[component as usize] += 1;
        }
        sizes.into_iter().max().unwrap_or(1)
    }

    /// Returns true if the choice of no items is allowed.
    pub(crate) fn allows_empty(&self) -> bool {
        self.min == 0 && self.items.iter().all(|&(min, _)| min == 0)
    }

    /// Removes the items that can never occur, and bounds without effect. Returns the old numbers of the
    /// items that remain. Returns `Ok(None)` if no choice is allowed, apart from the empty one.
    ///
    /// `produces` returns true for the items that produce a finite string, and `separator_produces` is the
    /// same for the separator.
    ///
    /// # Errors
    /// Returns an error if there are too many requirements, or if a total could not be reached exactly.
    ///
    /// # Complexity
    /// That of [`requirement_closures`](Self::requirement_closures).
    pub(crate) fn simplify(
        &mut self,
        produces: impl Fn(usize) -> bool,
        separator_produces: bool,
    ) -> Result<Option<Vec<u32>>, UnorderedError> {
        let closures = self.requirement_closures()?;
        if self.has_separator && !separator_produces {
            self.max = Some(self.max.map_or(1, |max| max.min(1)));
        }
        let can_occur: Vec<bool> =
            self.items.iter().enumerate().map(|(item, &(_, max))| max != Some(0) && produces(item)).collect();
        let mut remains: Vec<bool> = (0..self.items.len())
            .map(|item| can_occur[item] && closures[item].iter().all(|&other| can_occur[other as usize]))
            .collect();
        let mandatory = self.mandatory();
        let least = self.count_mandatory(&mandatory);
        let is_missing = |(remains, mandatory): (&bool, &bool)| *mandatory && !remains;
        let most = u64::from(self.max.unwrap_or(u32::MAX));
        if remains.iter().zip(&mandatory).any(is_missing)
            || least > most
            || self.items.iter().any(|&(min, max)| max.is_some_and(|max| max < min))
            || self.max.is_some_and(|max| max < self.min)
        {
            return Ok(None);
        }
        if self.max.is_some() {
            for (item, remains) in remains.iter_mut().enumerate() {
                *remains &= least + u64::from(added_items(item, &closures[item], &mandatory)) <= most;
            }
        }
        let remaining: Vec<u32> =
            (0..).zip(&remains).filter(|(_, remains)| **remains).map(|(item, _)| item).collect();
        if remaining.is_empty() {
            return Ok(None);
        }
        let mut numbers = vec![u32::MAX; self.items.len()];
        for (number, &item) in (0..).zip(&remaining) {
            numbers[item as usize] = number;
        }
        self.items = remaining.iter().map(|&item| self.items[item as usize]).collect();
        self.distinct = self.distinct.map(|item| numbers[item as usize]).filter(|&item| item != u32::MAX);
        let renumbered =
            self.requires.iter().map(|&(from, to)| (numbers[from as usize], numbers[to as usize]));
        self.requires = renumbered.filter(|&(from, to)| from != to && from.max(to) != u32::MAX).collect();
        self.requires.sort_unstable();
        self.requires.dedup();
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
        Ok(Some(remaining))
    }

    /// Returns the greatest number of items in all that the bounds of the items allow. `None` means no
    /// greatest number.
    pub fn capacity(&self) -> Option<u64> {
        self.items.iter().map(|&(_, max)| max.map(u64::from)).sum()
    }

    fn requirements_are_in_range(&self) -> bool {
        let count = self.items.len();
        self.requires.iter().all(|&(from, to)| (from.max(to) as usize) < count)
    }

    /// Returns the directly required items of each item. Ignores requirements that name items that do not
    /// exist.
    fn requirement_lists(&self) -> Lists {
        let count = self.items.len();
        if self.requirements_are_in_range() {
            return Lists::new(count, &self.requires);
        }
        let is_of_items = |&(from, to): &(u32, u32)| (from.max(to) as usize) < count;
        Lists::new(count, &self.requires.iter().copied().filter(is_of_items).collect::<Vec<_>>())
    }
}

/// Returns the number of items that choosing `item` adds to the mandatory ones: itself and those that it
/// requires.
///
/// `closure` has the items that it requires. A mandatory item adds none.
fn added_items(item: usize, closure: &[u32], mandatory: &[bool]) -> u32 {
    let is_optional = |item: usize| u32::from(!mandatory[item]);
    is_optional(item) + closure.iter().map(|&other| is_optional(other as usize)).sum::<u32>()
}

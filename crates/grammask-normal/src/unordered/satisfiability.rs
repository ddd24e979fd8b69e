//! Whether an `unordered!` can be satisfied, computed incrementally as its items turn out to be productive.

use grammask_work::narrow;

use super::{Unordered, UnorderedError, added_items};
use crate::graph::Lists;

/// Decides whether an `unordered!` allows some choice of items that produce finite strings, while these
/// become known one by one.
pub(crate) struct Satisfiability<'a> {
    unordered: &'a Unordered,
    /// By item: true if every allowed choice contains it.
    mandatory: Vec<bool>,
    mandatory_count: u64,
    /// Number of mandatory items that are not known to be productive.
    missing_mandatory: usize,
    /// By item: how many of the items that it requires, itself included, are not known to be productive.
    missing_required: Vec<u32>,
    /// By item: those that require it, itself included. `None` if there are no requirements.
    required_by: Option<Lists>,
    /// By item: the number of items that choosing it adds to the mandatory ones.
    added_items: Vec<u32>,
    /// Number of occurrences that the usable items allow: without a separator, and with one. An item is
    /// usable if all that it requires is productive, and if choosing it does not exceed the greatest total.
    capacities: [u64; 2],
    /// True if the separator is productive, or if there is none.
    has_separator: bool,
    /// True if no bounds are reversed.
    is_ordered: bool,
}

impl<'a> Satisfiability<'a> {
    /// Starts with no productive items.
    ///
    /// # Errors
    /// Returns an error if there are too many requirements.
    pub fn new(unordered: &'a Unordered) -> Result<Self, UnorderedError> {
        let mandatory = unordered.mandatory();
        let (missing_required, added_items, required_by) = if unordered.requires.is_empty() {
            let items = 0..unordered.items.len();
            (vec![1; items.len()], items.map(|item| added_items(item, &[], &mandatory)).collect(), None)
        } else {
            let closures = unordered.requirement_closures()?;
            let added =
                closures.iter().enumerate().map(|(item, closure)| added_items(item, closure, &mandatory));
            let added = added.collect();
            let mut required_by = Vec::new();
            for (item, closure) in (0..).zip(&closures) {
                required_by.push((item, item));
                required_by.extend(closure.iter().map(|&other| (other, item)));
            }
            let missing_required = closures.iter().map(|closure| narrow(closure.len()) + 1).collect();
            (missing_required, added, Some(Lists::new(closures.len(), &required_by)))
        };
        Ok(Self {
            mandatory_count: unordered.count_mandatory(&mandatory),
            missing_mandatory: mandatory.iter().filter(|mandatory| **mandatory).count(),
            mandatory,
            missing_required,
            required_by,
            added_items,
            capacities: [0; 2],
            has_separator: !unordered.has_separator,
            is_ordered: unordered.items.iter().all(|&(min, max)| max.is_none_or(|max| max >= min)),
            unordered,
        })
    }

    /// Records that an item is productive. The number after the last item is the separator.
    pub fn add_productive(&mut self, part: usize) {
        let Some(&is_mandatory) = self.mandatory.get(part) else {
            self.has_separator = true;
            return;
        };
        if self.unordered.items[part].1 == Some(0) {
            return;
        }
        self.missing_mandatory -= usize::from(is_mandatory);
        let alone = [narrow(part)];
        let required_by = self.required_by.as_ref().map_or(&alone[..], |required_by| required_by.of(part));
        for &item in required_by {
            let item = item as usize;
            self.missing_required[item] -= 1;
            if self.missing_required[item] == 0 {
                let max = self.unordered.items[item].1.map_or(u64::MAX, u64::from);
                for separator in [false, true] {
                    if self.mandatory_count + u64::from(self.added_items[item])
                        <= u64::from(self.greatest_total(separator))
                    {
                        let capacity = &mut self.capacities[usize::from(separator)];
                        *capacity = capacity.saturating_add(max);
                    }
                }
            }
        }
    }

    /// Returns the greatest number of items in all. Without a productive separator, at most one item fits.
    fn greatest_total(&self, has_separator: bool) -> u32 {
        let max = self.unordered.max;
        if has_separator { max.unwrap_or(u32::MAX) } else { max.unwrap_or(1).min(1) }
    }

    /// Returns true if some choice of productive items, other than the empty one, is allowed.
    pub fn is_satisfiable(&self) -> bool {
        let (min, greatest) = (self.unordered.min, self.greatest_total(self.has_separator));
        self.missing_mandatory == 0
            && self.mandatory_count <= u64::from(greatest)
            && min <= greatest
            && self.capacities[usize::from(self.has_separator)] >= u64::from(min.max(1))
            && greatest > 0
            && self.is_ordered
    }
}

//! The counters of a permutation, and the rules for the items that may come next.
//!
//! For `unordered!(a, b?, c{2,3}; ; {0,5})` the counters are one bit for `a`, one bit for `b` and a number
//! for `c`. The total number of items is counted as well, up to 5.

use grammask_normal::{Unordered, UnorderedError};
use grammask_work::narrow;
use smallvec::SmallVec;

use crate::completion::RestOfItems;
use crate::permutation::used_texts::UsedTextsId;
use crate::recognizer::dynamic_nodes::Phase;

/// The constant part of a permutation: layout of the counters, bounds, and requirements between items.
pub(crate) struct Plan {
    items: Vec<ItemPlan>,
    /// Number of words of [`Counters`].
    words: usize,
    /// Minimum number of items in total.
    min: u32,
    /// Maximum number of items in total; `None` if the total never matters.
    max: Option<u32>,
    /// The items that occur in every text, in order.
    mandatory: Vec<u32>,
    /// By item, the items that it requires, directly and indirectly.
    closures: Vec<Box<[u32]>>,
    /// Number of items in the largest cycle of requirements.
    largest_cycle: u64,
    /// The item of `distinct!`. Its counter holds a [`UsedTextsId`] instead of a number.
    distinct: Option<u32>,
    /// True if the texts of that item are compared as JSON values.
    compares_values: bool,
    pub(crate) has_separator: bool,
}

/// Bounds of an item, and the position of its counter.
struct ItemPlan {
    min: u32,
    max: Option<u32>,
    /// The counter saturates here; 0 if the item has no counter.
    cap: u32,
    /// Index of the counter's word.
    word: usize,
    /// Position of the counter's bit. Counters with a cap of 1 share words.
    shift: u32,
}

/// The counters of a permutation: the total number of items, then bits and numbers for single items.
///
/// Up to 96 items that may occur at most once fit without an allocation.
pub(crate) type Counters = SmallVec<[u32; 4]>;

/// The progress of a permutation: its counters, and the totals that follow from them.
#[derive(Clone)]
pub(crate) struct Progress {
    pub(crate) counters: Counters,
    pub(crate) totals: Totals,
}

/// Totals over all items. They follow from the counters, and can also be updated without them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Totals {
    /// Number of items so far, saturating at the maximum, or at the minimum if there is no maximum; equal to
    /// the first word of the counters.
    count: u32,
    /// Number of items that must still come.
    missing: u64,
    /// Number of items that may still come by the items' own bounds; `None` if unbounded.
    left: Option<u64>,
}

/// An item that may come next, and how it changes the totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub(crate) item: u32,
    /// Number of further items that it requires.
    required_items: u32,
    /// True if the item is one of those that must still come.
    is_missing: bool,
}

impl Choice {
    /// Returns the index of the item in its permutation.
    pub const fn item(&self) -> usize {
        self.item as usize
    }
}

impl ItemPlan {
    fn count(&self, counters: &[u32]) -> u32 {
        match self.cap {
            0 => 0,
            1 => counters[self.word] >> self.shift & 1,
            _ => counters[self.word],
        }
    }

    /// Returns the minimum number of occurrences of the item if it must occur.
    fn required(&self) -> u32 {
        self.min.max(1)
    }
}

impl Plan {
    /// Lays out the counters: first a bit for each item that occurs at most once, then a word for each other
    /// item that is counted.
    pub(crate) fn new(unordered: &Unordered) -> Result<Self, UnorderedError> {
        let closures = unordered.requirement_closures()?;
        let mut is_linked = vec![false; closures.len()];
        for &(from, to) in &unordered.requires {
            is_linked[from as usize] = true;
            is_linked[to as usize] = true;
        }
        let mut bits = 0;
        let mut items = Vec::with_capacity(closures.len());
        for (number, (&(min, max), is_linked)) in (0..).zip(unordered.items.iter().zip(is_linked)) {
            let cap = if unordered.distinct == Some(number) {
                u32::MAX
            } else {
                max.unwrap_or(min.max(u32::from(is_linked)))
            };
            let (word, shift) = (1 + bits as usize / 32, bits % 32);
            bits += u32::from(cap == 1);
            items.push(ItemPlan { min, max, cap, word, shift });
        }
        let mut words = 1 + bits.div_ceil(32) as usize;
        for item in items.iter_mut().filter(|item| item.cap > 1) {
            item.word = words;
            words += 1;
        }
        let mandatory = unordered.mandatory();
        Ok(Self {
            items,
            words,
            min: unordered.min,
            max: unordered.max,
            mandatory: (0..)
                .zip(mandatory)
                .filter(|(_, is_mandatory)| *is_mandatory)
                .map(|(item, _)| item)
                .collect(),
            closures,
            largest_cycle: unordered.largest_cycle() as u64,
            distinct: unordered.distinct,
            compares_values: unordered.distinct_values,
            has_separator: unordered.has_separator,
        })
    }

    /// Returns true if the texts of the item of `distinct!` are compared as JSON values.
    pub(crate) fn compares_values(&self) -> bool {
        self.compares_values
    }

    /// Returns the progress before the first item.
    pub(crate) fn start(&self) -> Progress {
        self.progress(SmallVec::from_elem(0, self.words))
    }

    /// Returns the progress with these counters, which must be [valid](Self::is_valid).
    ///
    /// # Complexity
    /// Linear in the items and their requirements.
    pub(crate) fn progress(&self, counters: Counters) -> Progress {
        let is_needed = self.needed(&counters);
        let mut missing = 0;
        let mut left = Some(0);
        for (item, is_needed) in self.items.iter().zip(is_needed) {
            let count = item.count(&counters);
            if is_needed {
                missing += u64::from(item.required().saturating_sub(count));
            }
            let more = item.max.map(|max| u64::from(max - count));
            left = left.zip(more).map(|(left, more)| left + more);
        }
        let totals = Totals { count: counters[0], missing, left };
        Progress { counters, totals }
    }

    /// Returns true if counters have this plan's layout and can be completed.
    pub(crate) fn is_valid(&self, counters: &[u32]) -> bool {
        let cap = self.max.unwrap_or(self.min);
        if counters.len() != self.words || counters[0] > cap {
            return false;
        }
        let mut used = vec![0u32; self.words];
        used[0] = u32::MAX;
        for item in &self.items {
            match item.cap {
                0 => {}
                1 => used[item.word] |= 1 << item.shift,
                cap if counters[item.word] > cap => return false,
                _ => used[item.word] = u32::MAX,
            }
        }
        if counters.iter().zip(&used).any(|(word, used)| word & !used != 0) {
            return false;
        }
        let progress = self.progress(counters.into());
        self.max.is_none_or(|max| u64::from(counters[0]) + progress.totals.missing <= u64::from(max))
    }

    /// Returns the work of computing a progress or its choices, in items and requirements.
    pub(crate) fn cost(&self) -> usize {
        self.items.len() + self.closures.iter().map(|closure| closure.len()).sum::<usize>()
    }

    /// Returns what must still come at a position.
    ///
    /// # Complexity
    /// Linear in the items and their requirements.
    pub(crate) fn rest(&self, progress: &Progress, phase: Phase) -> RestOfItems {
        let read: Vec<u32> = self.items.iter().map(|item| item.count(&progress.counters)).collect();
        let needed = self.needed(&progress.counters);
        let missing = self.items.iter().zip(needed).zip(&read).map(|((item, is_needed), &read)| {
            if is_needed { u64::from(item.required().saturating_sub(read)) } else { 0 }
        });
        let times = missing.collect();
        let least = u64::from(self.min.saturating_sub(progress.totals.count));
        let is_after_item = phase == Phase::AfterItem;
        let most = self.max.map(|max| u64::from(max.saturating_sub(progress.totals.count)));
        RestOfItems { read, times, least: least.max(u64::from(!is_after_item)), most, is_after_item }
    }

    /// Returns true if the permutation may end.
    pub(crate) fn is_final(&self, totals: &Totals) -> bool {
        totals.missing == 0 && totals.count >= self.min
    }

    /// Returns true if another item may come. Calls `progress`, which must return the progress with these
    /// totals, only if the totals are not sufficient.
    pub(crate) fn goes_on(&self, totals: &Totals, progress: impl FnOnce() -> Progress) -> bool {
        if totals.missing > 0 {
            return true;
        }
        if totals.left == Some(0) {
            return false;
        }
        match self.room(totals) {
            None => true,
            // Some item that may come requires only items of its own cycle, so room for the largest cycle
            // suffices.
            Some(room) => room >= self.largest_cycle || (room > 0 && !self.choices(&progress()).is_empty()),
        }
    }

    /// Returns the items that may come next, such that the permutation can still be completed.
    ///
    /// # Complexity
    /// Linear in the items and their requirements.
    pub(crate) fn choices(&self, progress: &Progress) -> Vec<Choice> {
        let is_needed = self.needed(&progress.counters);
        let room = self.room(&progress.totals);
        let mut choices = Vec::with_capacity(self.items.len());
        for (number, item) in self.items.iter().enumerate() {
            let count = item.count(&progress.counters);
            if item.max.is_some_and(|max| count >= max) {
                continue;
            }
            let is_missing = is_needed[number] && count < item.required();
            let required_items = if is_needed[number] {
                0
            } else {
                narrow(self.closures[number].iter().filter(|&&other| !is_needed[other as usize]).count())
            };
            if is_missing || room.is_none_or(|room| u64::from(required_items) < room) {
                choices.push(Choice { item: narrow(number), required_items, is_missing });
            }
        }
        choices
    }

    /// Returns the progress after one more item.
    ///
    /// # Complexity
    /// Linear in the words of the counters.
    pub(crate) fn after(&self, progress: &Progress, choice: &Choice) -> Progress {
        let mut counters = progress.counters.clone();
        let totals = self.totals_after(&progress.totals, choice);
        counters[0] = totals.count;
        let item = &self.items[choice.item()];
        match item.cap {
            0 => {}
            1 => counters[item.word] |= 1 << item.shift,
            cap => counters[item.word] = (counters[item.word] + 1).min(cap),
        }
        Progress { counters, totals }
    }

    /// Returns true if the permutation has an item of `distinct!`.
    pub(crate) fn has_distinct(&self) -> bool {
        self.distinct.is_some()
    }

    /// Returns the index of the item of `distinct!`.
    pub(crate) fn distinct_item(&self) -> Option<usize> {
        self.distinct.map(|item| item as usize)
    }

    /// Returns true if `choice` is the item of `distinct!`.
    pub(crate) fn is_distinct(&self, choice: &Choice) -> bool {
        self.distinct == Some(choice.item)
    }

    /// Returns the list of texts that items of `distinct!` have used.
    pub(crate) fn used_texts(&self, progress: &Progress) -> UsedTextsId {
        self.distinct.map_or(0, |item| progress.counters[self.items[item as usize].word])
    }

    /// Returns the progress after an item of `distinct!`, with the texts used from then on.
    pub(crate) fn after_distinct(&self, progress: &Progress, choice: &Choice, used: UsedTextsId) -> Progress {
        let totals = self.totals_after(&progress.totals, choice);
        let mut after = Progress { counters: progress.counters.clone(), totals };
        after.counters[0] = after.totals.count;
        self.set_used_texts(&mut after, used);
        after
    }

    /// Sets the list of texts that items of `distinct!` have used.
    pub(crate) fn set_used_texts(&self, progress: &mut Progress, used: UsedTextsId) {
        if let Some(item) = self.distinct {
            progress.counters[self.items[item as usize].word] = used;
        }
    }

    /// Returns the totals after one more item.
    ///
    /// # Complexity
    /// O(1).
    pub(crate) fn totals_after(&self, totals: &Totals, choice: &Choice) -> Totals {
        Totals {
            count: (totals.count + 1).min(self.max.unwrap_or(self.min)),
            missing: totals.missing + u64::from(choice.required_items) - u64::from(choice.is_missing),
            left: totals.left.map(|left| left - 1),
        }
    }

    /// Returns a hash of the counters. It is a sum over the items, so one more item changes it in O(1).
    ///
    /// # Complexity
    /// Linear in the items.
    pub(crate) fn hash(&self, progress: &Progress) -> u64 {
        let items = (0..).zip(&self.items);
        let hashes = items.map(|(number, item)| summand(number, item.count(&progress.counters)));
        hashes.fold(0, u64::wrapping_add)
    }

    /// Returns the hash after one more item, given the hash of `progress`.
    ///
    /// # Complexity
    /// O(1).
    pub(crate) fn hash_after(&self, hash: u64, progress: &Progress, choice: &Choice) -> u64 {
        let item = &self.items[choice.item()];
        let count = item.count(&progress.counters);
        let more = (count + 1).min(item.cap);
        hash.wrapping_sub(summand(choice.item, count)).wrapping_add(summand(choice.item, more))
    }

    /// Returns the items whose counter is not 0, with their counters; for display.
    pub(crate) fn counts(&self, counters: &[u32]) -> Vec<(usize, u32)> {
        let counts = self.items.iter().map(|item| item.count(counters));
        counts.enumerate().filter(|&(_, count)| count > 0).collect()
    }

    /// Returns how many optional items still fit below the maximum; `None` if unbounded.
    fn room(&self, totals: &Totals) -> Option<u64> {
        self.max.map(|max| u64::from(max).saturating_sub(u64::from(totals.count) + totals.missing))
    }

    /// Returns for each item whether it has occurred or must occur.
    fn needed(&self, counters: &[u32]) -> Vec<bool> {
        let mut needed = vec![false; self.items.len()];
        for &item in &self.mandatory {
            needed[item as usize] = true;
        }
        for (number, closure) in self.closures.iter().enumerate() {
            if self.items[number].count(counters) > 0 {
                needed[number] = true;
                closure.iter().for_each(|&other| needed[other as usize] = true);
            }
        }
        needed
    }
}

/// Returns the summand of an item and its count in the hash. With a linear function, different sets would
/// collide: the sums of {1, 4} and {2, 3} are equal.
///
/// # Source
/// The finalizer of SplitMix64: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
/// generators", 2014.
const fn summand(item: u32, count: u32) -> u64 {
    if count == 0 {
        return 0;
    }
    let mut bits = ((item as u64) << 32) + count as u64;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

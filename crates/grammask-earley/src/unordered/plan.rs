//! Registers of what has been chosen from items that may stand in any order: which items have occurred, as far as it matters, and
//! what may be chosen next. One register stands for all orders in which the same has been chosen.

use grammask_normal::{Unordered, UnorderedError};
use smallvec::SmallVec;

use crate::unordered::distinct::SeenId;

/// What does not change while items are chosen: where a register keeps what, and what is needed by what.
pub(crate) struct Plan {
    items: Vec<Slot>,
    /// How many words a register has.
    words: usize,
    min: u32,
    /// The greatest number of items in all; `None` where nothing has to be counted for it.
    max: Option<u32>,
    /// The items that every selection holds, in order.
    forced: Vec<u32>,
    /// For every item what it needs, directly and indirectly.
    closures: Vec<Box<[u32]>>,
    largest_cycle: u64,
    /// The item whose texts differ from each other. In place of a count, a register has the texts that have come.
    distinct: Option<u32>,
    pub(crate) has_separator: bool,
}

/// An item, and where its count stands.
struct Slot {
    min: u32,
    max: Option<u32>,
    /// The greatest count that is told apart; 0 where none is.
    cap: u32,
    word: usize,
    /// Counts of up to 1 share a word.
    shift: u32,
}

/// The number of items that have been chosen, then bits and numbers for single items. Up to 96 items that may occur once fit in place.
pub(crate) type Register = SmallVec<[u32; 4]>;

/// What has been chosen: a register, and what follows from it.
#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) register: Register,
    pub(crate) tally: Tally,
}

/// Numbers that follow from a register, and without it from those before an item came.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Tally {
    /// How many items have been chosen, as far as it matters; the first word of the register.
    count: u32,
    /// How many items are still to come, whatever comes.
    missing: u64,
    /// How many more there can be by their own bounds; `None` for "without end".
    left: Option<u64>,
}

/// An item that may come next, and how the numbers change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub(crate) item: u32,
    /// How many more items are missing by it, itself not counted.
    brings: u32,
    /// Whether it is one of those that are missing.
    is_missing: bool,
}

impl Choice {
    /// Which of the items.
    pub const fn item(&self) -> usize {
        self.item as usize
    }
}

impl Slot {
    fn count(&self, register: &[u32]) -> u32 {
        match self.cap {
            0 => 0,
            1 => register[self.word] >> self.shift & 1,
            _ => register[self.word],
        }
    }

    /// How often it has to occur where it is needed.
    fn least(&self) -> u32 {
        self.min.max(1)
    }
}

impl Plan {
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
            let cap = match unordered.distinct == Some(number) {
                true => u32::MAX,
                false => max.unwrap_or(min.max(u32::from(is_linked))),
            };
            let (word, shift) = (1 + bits as usize / 32, bits % 32);
            bits += u32::from(cap == 1);
            items.push(Slot { min, max, cap, word, shift });
        }
        let mut words = 1 + bits.div_ceil(32) as usize;
        for item in items.iter_mut().filter(|item| item.cap > 1) {
            item.word = words;
            words += 1;
        }
        let forced = unordered.mandatory();
        Ok(Self {
            items,
            words,
            min: unordered.min,
            max: unordered.max,
            forced: (0..).zip(forced).filter(|(_, forced)| *forced).map(|(item, _)| item).collect(),
            closures,
            largest_cycle: unordered.largest_cycle() as u64,
            distinct: unordered.distinct,
            has_separator: unordered.has_separator,
        })
    }

    /// The register of nothing.
    pub(crate) fn empty(&self) -> Chosen {
        self.chosen(SmallVec::from_elem(0, self.words))
    }

    /// What follows from a register, which is one of this plan.
    ///
    /// # Complexity
    /// Linear in the items, and in what they need.
    pub(crate) fn chosen(&self, register: Register) -> Chosen {
        let is_needed = self.needed(&register);
        let mut missing = 0;
        let mut left = Some(0);
        for (item, is_needed) in self.items.iter().zip(is_needed) {
            let count = item.count(&register);
            if is_needed {
                missing += u64::from(item.least().saturating_sub(count));
            }
            let more = item.max.map(|max| u64::from(max - count));
            left = left.zip(more).map(|(left, more)| left + more);
        }
        let tally = Tally { count: register[0], missing, left };
        Chosen { register, tally }
    }

    /// Whether a register can be one of this plan, and can be completed.
    pub(crate) fn takes(&self, register: &[u32]) -> bool {
        let most = self.max.unwrap_or(self.min);
        if register.len() != self.words || register[0] > most {
            return false;
        }
        let mut known = vec![0u32; self.words];
        known[0] = u32::MAX;
        for item in &self.items {
            match item.cap {
                0 => {}
                1 => known[item.word] |= 1 << item.shift,
                cap if register[item.word] > cap => return false,
                _ => known[item.word] = u32::MAX,
            }
        }
        if register.iter().zip(&known).any(|(word, known)| word & !known != 0) {
            return false;
        }
        let chosen = self.chosen(register.into());
        self.max.is_none_or(|max| u64::from(register[0]) + chosen.tally.missing <= u64::from(max))
    }

    /// How much work it is to look at a register.
    pub(crate) fn cost(&self) -> usize {
        self.items.len() + self.closures.iter().map(|closure| closure.len()).sum::<usize>()
    }

    /// Whether nothing more has to come.
    pub(crate) fn is_final(&self, tally: &Tally) -> bool {
        tally.missing == 0 && tally.count >= self.min
    }

    /// Whether another item may come. `chosen`, whose tally it is, is seldom asked for.
    pub(crate) fn goes_on(&self, tally: &Tally, chosen: impl FnOnce() -> Chosen) -> bool {
        if tally.missing > 0 {
            return true;
        }
        if tally.left == Some(0) {
            return false;
        }
        match self.room(tally) {
            // Some item brings at most those with it that it is in a cycle with.
            None => true,
            Some(room) => room >= self.largest_cycle || (room > 0 && !self.choices(&chosen()).is_empty()),
        }
    }

    /// The items that may come next: after each, the whole can still be completed.
    ///
    /// # Complexity
    /// Linear in the items, and in what they need.
    pub(crate) fn choices(&self, chosen: &Chosen) -> Vec<Choice> {
        let is_needed = self.needed(&chosen.register);
        let room = self.room(&chosen.tally);
        let mut choices = Vec::with_capacity(self.items.len());
        for (number, item) in self.items.iter().enumerate() {
            let count = item.count(&chosen.register);
            if item.max.is_some_and(|max| count >= max) {
                continue;
            }
            let is_missing = is_needed[number] && count < item.least();
            let brings = if is_needed[number] {
                0
            } else {
                self.closures[number].iter().filter(|&&other| !is_needed[other as usize]).count() as u32
            };
            if is_missing || room.is_none_or(|room| u64::from(brings) < room) {
                choices.push(Choice { item: number as u32, brings, is_missing });
            }
        }
        choices
    }

    /// What has been chosen when an item has come.
    ///
    /// # Complexity
    /// Linear in the words of a register.
    pub(crate) fn after(&self, chosen: &Chosen, choice: &Choice) -> Chosen {
        let mut register = chosen.register.clone();
        let tally = self.tally_after(&chosen.tally, choice);
        register[0] = tally.count;
        let item = &self.items[choice.item()];
        match item.cap {
            0 => {}
            1 => register[item.word] |= 1 << item.shift,
            cap => register[item.word] = (register[item.word] + 1).min(cap),
        }
        Chosen { register, tally }
    }

    /// Whether the texts of some item differ from each other.
    pub(crate) fn has_distinct(&self) -> bool {
        self.distinct.is_some()
    }

    /// The item whose texts differ from each other.
    pub(crate) fn distinct_item(&self) -> Option<usize> {
        self.distinct.map(|item| item as usize)
    }

    /// Whether this is the item whose texts differ from each other.
    pub(crate) fn is_distinct(&self, choice: &Choice) -> bool {
        self.distinct == Some(choice.item)
    }

    /// The texts that have come of the item whose texts differ.
    pub(crate) fn seen(&self, chosen: &Chosen) -> SeenId {
        self.distinct.map_or(0, |item| chosen.register[self.items[item as usize].word])
    }

    /// What has been chosen when the item whose texts differ has come, and these are the texts now.
    pub(crate) fn after_text(&self, chosen: &Chosen, choice: &Choice, seen: SeenId) -> Chosen {
        let mut after =
            Chosen { register: chosen.register.clone(), tally: self.tally_after(&chosen.tally, choice) };
        after.register[0] = after.tally.count;
        self.set_seen(&mut after, seen);
        after
    }

    /// Says which texts have come.
    pub(crate) fn set_seen(&self, chosen: &mut Chosen, seen: SeenId) {
        if let Some(item) = self.distinct {
            chosen.register[self.items[item as usize].word] = seen;
        }
    }

    /// The tally when an item has come.
    ///
    /// # Complexity
    /// O(1).
    pub(crate) fn tally_after(&self, tally: &Tally, choice: &Choice) -> Tally {
        Tally {
            count: (tally.count + 1).min(self.max.unwrap_or(self.min)),
            missing: tally.missing + u64::from(choice.brings) - u64::from(choice.is_missing),
            left: tally.left.map(|left| left - 1),
        }
    }

    /// A hash of what has been chosen, as a sum over items: that after one more follows from it.
    ///
    /// # Complexity
    /// Linear in the items.
    pub(crate) fn hash(&self, chosen: &Chosen) -> u64 {
        let items = (0..).zip(&self.items);
        let hashes = items.map(|(number, item)| summand(number, item.count(&chosen.register)));
        hashes.fold(0, u64::wrapping_add)
    }

    /// The hash when an item has come after `chosen`, whose hash is given.
    ///
    /// # Complexity
    /// O(1).
    pub(crate) fn hash_after(&self, hash: u64, chosen: &Chosen, choice: &Choice) -> u64 {
        let item = &self.items[choice.item()];
        let count = item.count(&chosen.register);
        let more = (count + 1).min(item.cap);
        hash.wrapping_sub(summand(choice.item, count)).wrapping_add(summand(choice.item, more))
    }

    /// The numbers of single items, for being shown; of items whose number does not matter, none.
    pub(crate) fn counts(&self, register: &[u32]) -> Vec<(usize, u32)> {
        let counts = self.items.iter().map(|item| item.count(register));
        counts.enumerate().filter(|&(_, count)| count > 0).collect()
    }

    /// How many items may come beside those that are missing; `None` for "without end".
    fn room(&self, tally: &Tally) -> Option<u64> {
        self.max.map(|max| u64::from(max).saturating_sub(u64::from(tally.count) + tally.missing))
    }

    /// Which items have occurred, or have to.
    fn needed(&self, register: &[u32]) -> Vec<bool> {
        let mut needed = vec![false; self.items.len()];
        for &item in &self.forced {
            needed[item as usize] = true;
        }
        for (number, closure) in self.closures.iter().enumerate() {
            if self.items[number].count(register) > 0 {
                needed[number] = true;
                closure.iter().for_each(|&other| needed[other as usize] = true);
            }
        }
        needed
    }
}

/// What an item that has occurred so often adds to a hash. Sums of what is linear in the item would mostly be the same: {1, 4} and {2, 3}.
///
/// # Source
/// The finalizer of SplitMix64: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
const fn summand(item: u32, count: u32) -> u64 {
    if count == 0 {
        return 0;
    }
    let mut bits = ((item as u64) << 32) + count as u64;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

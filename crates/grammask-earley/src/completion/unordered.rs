//! The least number of bytes of an `unordered!`, computed incrementally as the lengths of its items become
//! known, shortest first.

use grammask_normal::Unordered;
use grammask_work::{Stopped, charge_len};

use super::lengths::Vertex;

/// The items that must still come at a position of an `unordered!`.
pub(crate) struct RestOfItems {
    /// By item: how often it has come. May be less for an item without a greatest number.
    pub(crate) read: Vec<u32>,
    /// By item: how often it must come yet.
    pub(crate) times: Vec<u64>,
    /// The least number of items that must come yet.
    pub(crate) least: u64,
    /// The greatest number of items that may come yet. `None` means no greatest number.
    pub(crate) most: Option<u64>,
    /// True if a separator, where there is one, is before each of them; otherwise before all but the first.
    pub(crate) is_after_item: bool,
}

/// State of one `unordered!`.
#[derive(Debug)]
pub(super) struct UnorderedLength {
    /// The vertex of the `unordered!`.
    pub(super) target: Vertex,
    unordered: Unordered,
    /// By item: true if every choice contains it.
    mandatory: Vec<bool>,
    /// By item: the items that it requires.
    closures: Vec<Box<[u32]>>,
    /// By item: its length, if it is known.
    lengths: Vec<Option<u64>>,
    /// The items of known length, shortest first.
    known: Vec<usize>,
    /// Number of mandatory items of unknown length.
    missing: usize,
    /// Length of the separator, if it is known; 0 if there is none.
    separator: Option<u64>,
    /// True if the length of the whole was returned.
    is_done: bool,
    /// False if a length was returned that may not be the least.
    pub(super) is_least: bool,
}

impl UnorderedLength {
    /// Starts with no known lengths. Returns `None` if the items have too many requirements.
    pub(super) fn new(target: Vertex, unordered: &Unordered) -> Option<Self> {
        let mandatory = unordered.mandatory();
        Some(Self {
            target,
            closures: unordered.requirement_closures().ok()?,
            lengths: vec![None; mandatory.len()],
            known: Vec::new(),
            missing: mandatory.iter().filter(|mandatory| **mandatory).count(),
            mandatory,
            separator: (!unordered.has_separator).then_some(0),
            unordered: unordered.clone(),
            is_done: false,
            is_least: unordered.requires.is_empty(),
        })
    }

    /// Records the length of an item. The number after the last item is the separator. Returns the length of
    /// the whole once it becomes known.
    ///
    /// # Errors
    /// If the account of work is exceeded.
    pub(super) fn settle(&mut self, part: usize, length: u64) -> Result<Option<u64>, Stopped> {
        match self.lengths.get_mut(part) {
            None => self.separator = Some(length),
            Some(known) => {
                *known = Some(length);
                self.known.push(part);
                self.missing -= usize::from(self.mandatory[part]);
            }
        }
        if self.is_done || self.missing > 0 {
            return Ok(None);
        }
        let whole = self.shortest()?;
        self.is_done = whole.is_some();
        Ok(whole)
    }

    /// Returns the length of the mandatory items and of the shortest others, up to the least total.
    fn shortest(&self) -> Result<Option<u64>, Stopped> {
        let items = self.unordered.items.iter().zip(&self.mandatory);
        let times = items.map(|(&(min, _), &is)| if is { u64::from(min.max(1)) } else { 0 }).collect();
        let least = u64::from(self.unordered.min).max(1);
        let (read, most) = (vec![0; self.mandatory.len()], self.unordered.max.map(u64::from));
        self.rest(RestOfItems { read, times, least, most, is_after_item: false })
    }

    /// Returns the least length of some items that must come, and of the shortest others, up to the least
    /// number of them.
    ///
    /// If the others require further items, the result is a possible length, but not always the least.
    ///
    /// # Errors
    /// If the account of work is exceeded.
    pub(super) fn rest(&self, rest: RestOfItems) -> Result<Option<u64>, Stopped> {
        let RestOfItems { read, mut times, least, most, is_after_item } = rest;
        charge_len(times.len())?;
        let mut count: u64 = times.iter().sum();
        while count < least {
            let before = count;
            for &item in &self.known {
                charge_len(1 + self.closures[item].len())?;
                let comes = |other: &u32| times[*other as usize] > 0 || read[*other as usize] > 0;
                if count < least && self.closures[item].iter().all(comes) {
                    let most = self.unordered.items[item].1.map_or(u64::MAX, u64::from);
                    let left = most.saturating_sub(u64::from(read[item])).saturating_sub(times[item]);
                    let more = left.min(least - count);
                    times[item] += more;
                    count += more;
                }
            }
            if count == before {
                // Only items that require others are left.
                let comes = |item: usize| times[item] > 0 || read[item] > 0;
                let is_known = |item: &&usize| {
                    let closure = || self.closures[**item].iter().map(|&other| other as usize);
                    let more = 1 + closure().filter(|&other| !comes(other)).count() as u64;
                    !comes(**item)
                        && most.is_none_or(|most| count + more <= most)
                        && closure().all(|other| self.lengths[other].is_some())
                };
                charge_len(self.known.iter().map(|&item| 1 + self.closures[item].len()).sum())?;
                let Some(&item) = self.known.iter().find(is_known) else { return Ok(None) };
                for other in self.closures[item].iter().map(|&other| other as usize).chain([item]) {
                    if times[other] == 0 && read[other] == 0 {
                        times[other] = 1;
                        count += 1;
                    }
                }
            }
        }
        let mut whole = match (count - u64::from(count > 0 && !is_after_item), self.separator) {
            (0, _) => 0,
            (separators, Some(length)) => length.saturating_mul(separators),
            (_, None) => return Ok(None),
        };
        for (length, times) in self.lengths.iter().zip(times).filter(|(_, times)| *times > 0) {
            let Some(length) = *length else { return Ok(None) };
            whole = whole.saturating_add(length.saturating_mul(times));
        }
        Ok(Some(whole))
    }
}

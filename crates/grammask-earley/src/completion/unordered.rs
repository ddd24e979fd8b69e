//! The least number of bytes of an `unordered!`, computed incrementally as the lengths of its items become
//! known, shortest first.

use grammask_normal::Unordered;

use super::lengths::Vertex;

/// State of one `unordered!`.
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
    pub(super) fn settle(&mut self, part: usize, length: u64) -> Option<u64> {
        match self.lengths.get_mut(part) {
            None => self.separator = Some(length),
            Some(known) => {
                *known = Some(length);
                self.known.push(part);
                self.missing -= usize::from(self.mandatory[part]);
            }
        }
        if self.is_done || self.missing > 0 {
            return None;
        }
        let whole = self.shortest();
        self.is_done = whole.is_some();
        whole
    }

    /// Returns the length of the mandatory items and of the shortest others, up to the least total.
    ///
    /// If the others require further items, the result is a possible length, but not always the least.
    fn shortest(&self) -> Option<u64> {
        let mut times: Vec<u64> = self
            .unordered
            .items
            .iter()
            .zip(&self.mandatory)
            .map(|(&(min, _), &mandatory)| if mandatory { u64::from(min.max(1)) } else { 0 })
            .collect();
        let mut count: u64 = times.iter().sum();
        let least = u64::from(self.unordered.min).max(1);
        while count < least {
            let before = count;
            for &item in &self.known {
                let is_free = self.closures[item].iter().all(|&other| times[other as usize] > 0);
                if is_free && count < least {
                    let most = self.unordered.items[item].1.map_or(u64::MAX, u64::from);
                    let more = (most - times[item]).min(least - count);
                    times[item] += more;
                    count += more;
                }
            }
            if count == before {
                // Only items that require others are left.
                let is_known = |item: &&usize| {
                    let closure = self.closures[**item].iter();
                    times[**item] == 0 && closure.copied().all(|other| self.lengths[other as usize].is_some())
                };
                let item = *self.known.iter().find(is_known)?;
                for other in self.closures[item].iter().map(|&other| other as usize).chain([item]) {
                    if times[other] == 0 {
                        times[other] = 1;
                        count += 1;
                    }
                }
            }
        }
        let separators = match count {
            1 => 0,
            _ => self.separator?.saturating_mul(count - 1),
        };
        let mut whole = separators;
        for (length, times) in self.lengths.iter().zip(times).filter(|(_, times)| *times > 0) {
            whole = whole.saturating_add((*length)?.saturating_mul(times));
        }
        Some(whole)
    }
}

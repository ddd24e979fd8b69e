//! The least number of bytes of items that may stand in any order, while the lengths of the items become known, shortest first.

use grammask_normal::Unordered;

use super::Place;

/// What is known of a selection of items.
pub(super) struct Selection {
    pub(super) target: Place,
    unordered: Unordered,
    forced: Vec<bool>,
    closures: Vec<Box<[u32]>>,
    lengths: Vec<Option<u64>>,
    /// The items whose lengths are known, shortest first.
    known: Vec<usize>,
    /// How many forced items have no known length.
    missing: usize,
    separator: Option<u64>,
    is_done: bool,
}

impl Selection {
    /// `None` where the limits of the normal form do not hold.
    pub(super) fn new(target: Place, unordered: &Unordered) -> Option<Self> {
        let forced = unordered.forced();
        Some(Self {
            target,
            closures: unordered.closures().ok()?,
            lengths: vec![None; forced.len()],
            known: Vec::new(),
            missing: forced.iter().filter(|forced| **forced).count(),
            forced,
            separator: (!unordered.has_separator).then_some(0),
            unordered: unordered.clone(),
            is_done: false,
        })
    }

    /// Takes note of the length of an item, or of the separator, which stands behind them. Gives the length of the whole when it
    /// becomes known.
    pub(super) fn settle(&mut self, place: usize, length: u64) -> Option<u64> {
        match self.lengths.get_mut(place) {
            None => self.separator = Some(length),
            Some(known) => {
                *known = Some(length);
                self.known.push(place);
                self.missing -= usize::from(self.forced[place]);
            }
        }
        if self.is_done || self.missing > 0 {
            return None;
        }
        let whole = self.shortest();
        self.is_done = whole.is_some();
        whole
    }

    /// The forced items, and as many of the shortest others as have to come. Where the others need more in their turn, not always the
    /// least, but what can be had.
    fn shortest(&self) -> Option<u64> {
        let mut times: Vec<u64> = self
            .unordered
            .items
            .iter()
            .zip(&self.forced)
            .map(|(&(min, _), &forced)| if forced { u64::from(min.max(1)) } else { 0 })
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
                // Only items that need others are left.
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

//! How much may be done for one mask, before the trie is walked with the state as it is.

use std::cell::{Cell, OnceCell};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::{Lexicon, Masks};

/// How many nodes of the trie may be walked by lexemes for one mask, and items be closed; and how many bytes may be kept of that. In a very ambiguous
/// grammar, parts would take hundreds of walks, where walking the trie once with the state as it is takes no longer than some.
pub(crate) struct Fuel<'a> {
    masks: &'a Masks,
    given: u64,
    nodes: Cell<u64>,
    /// So many bytes the lexicon and the tables may hold, once something has been burnt; others fill the lexicon meanwhile, too.
    most_bytes: OnceCell<[usize; 2]>,
}

/// What may still be burnt in vain, in nodes, by all masks of a grammar: as long as that is little, each mask gets less fuel. So a grammar whose masks are
/// always walked as they are pays for parts mostly in the first ones, and one whose first masks come too early for parts gets there.
#[derive(Default)]
pub(crate) struct Savings {
    /// How much of what there was at the beginning is gone.
    gone: AtomicU64,
}

/// A step of a lexeme can be so much faster than one of a state as it is.
const TIMES: usize = 4;
const TIMES_IF_DISTINCT: usize = 64;

/// A mask may burn this part of the savings, more where its state has many items. What there is at the beginning is as many walks for the first mask, times this.
const PART_OF_SAVINGS: usize = 4;

/// A mask that is found by parts saves this part of a walk.
const PART_OF_WALK: u64 = 8;

/// So many items make a walk over the trie about as dear as one more walk of lexemes.
const ITEMS: usize = 128;

/// In a small trie there is nothing to save, and parts are to be had all the same.
const LEAST: usize = 1 << 16;

/// One mask may take this part of a budget, which is asked only between masks; or so many bytes, where that is nearly nothing.
const PART_OF_BUDGET: usize = 4;
const LEAST_BYTES: usize = 1 << 22;

impl<'a> Fuel<'a> {
    /// As much as walking the whole trie some times, as far as there are savings: the more items a state has, the dearer is a walk with the state as it is; the
    /// more so where it makes states of its own at every node, as texts have to differ.
    pub(crate) fn new(masks: &'a Masks, items: usize) -> Self {
        let trie = masks.lexicon.trie().len();
        let (times, walk) = match masks.has_distinct {
            true => (TIMES_IF_DISTINCT, trie),
            false => (TIMES, masks.savings.left(trie) / (PART_OF_SAVINGS * TIMES)),
        };
        let given = ((times + items / ITEMS) * walk).max(LEAST) as u64;
        Self { masks, given, nodes: Cell::new(given), most_bytes: OnceCell::new() }
    }

    /// The mask has been found by parts, or what was burnt for it was burnt in vain.
    pub(crate) fn settle(&self, is_found: bool) {
        let Self { masks, given, nodes, .. } = self;
        match is_found {
            true => masks.savings.save(masks.lexicon.trie().len() as u64 / PART_OF_WALK),
            false => masks.savings.lose(given - nodes.get(), masks.lexicon.trie().len()),
        }
    }

    /// The lexicon that fills meanwhile.
    pub(crate) fn lexicon(&self) -> &'a Lexicon {
        &self.masks.lexicon
    }

    /// So many nodes have been walked, and something is kept of that.
    pub(crate) fn burn(&self, nodes: u64) {
        let masks = self.masks;
        let used = [masks.lexicon.bytes_used(), masks.bytes_used()];
        let most_bytes = self.most_bytes.get_or_init(|| {
            let limits = [masks.lexicon.config().budget, masks.config.budget];
            let more = limits.map(|limit| (limit / PART_OF_BUDGET).max(LEAST_BYTES));
            std::array::from_fn(|place| used[place].saturating_add(more[place]))
        });
        let is_full = used.iter().zip(most_bytes).any(|(used, most)| used > most);
        self.nodes.set(if is_full { 0 } else { self.nodes.get().saturating_sub(nodes) });
    }

    /// A row of places is kept: each of its words is as dear as a node.
    pub(crate) fn burn_row(&self) {
        self.burn(self.masks.lexicon.outline().len() as u64 / 64);
    }

    pub(crate) fn is_burnt(&self) -> bool {
        self.nodes.get() == 0
    }
}

impl Savings {
    /// How much there is at the beginning, in a trie of this size.
    const fn all(trie: usize) -> u64 {
        (PART_OF_SAVINGS * TIMES * trie) as u64
    }

    fn left(&self, trie: usize) -> usize {
        Self::all(trie).saturating_sub(self.gone.load(Relaxed)) as usize
    }

    // Of what two threads do at once, one may be forgotten: it is about time, not about masks.

    fn lose(&self, nodes: u64, trie: usize) {
        self.gone.store(self.gone.load(Relaxed).saturating_add(nodes).min(Self::all(trie)), Relaxed);
    }

    fn save(&self, nodes: u64) {
        let gone = self.gone.load(Relaxed);
        if gone > 0 {
            self.gone.store(gone.saturating_sub(nodes), Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, LexiconConfig, testing};

    fn small() -> Masks {
        let (network, lexicon) = (testing::network("start ::= 'a'+;"), testing::lexicon(&["a", "aa"]));
        testing::masks(&network, &lexicon, &Config::default())
    }

    #[test]
    fn nodes_burn() {
        let masks = small();
        let fuel = Fuel::new(&masks, 1);
        fuel.burn(LEAST as u64 - 1);
        assert!(!fuel.is_burnt());
        fuel.burn(1);
        assert!(fuel.is_burnt());
    }

    #[test]
    fn what_burns_in_vain_is_missed_until_masks_are_found() {
        let (trie, savings) = (1_000_000, Savings::default());
        let all = savings.left(trie);
        let mut burnt = 0;
        for _ in 0..30 {
            let given = savings.left(trie) / PART_OF_SAVINGS;
            savings.lose(given as u64, trie);
            burnt += given;
        }
        // However many masks are in vain, they burn no more than that.
        assert_eq!(burnt + savings.left(trie), all);
        assert!(savings.left(trie) < all / 1_000);
        savings.lose(u64::MAX, trie);
        assert_eq!(savings.left(trie), 0);
        for found in 0..1_000 {
            assert_eq!(savings.left(trie), (found * (trie / PART_OF_WALK as usize)).min(all));
            savings.save(trie as u64 / PART_OF_WALK);
        }
    }

    #[test]
    fn a_mask_settles_what_it_has_burnt() {
        let masks = small();
        let trie = masks.lexicon.trie().len();
        let fuel = Fuel::new(&masks, 1);
        fuel.burn(3);
        fuel.settle(true);
        assert_eq!(masks.savings.left(trie) as u64, Savings::all(trie));
        fuel.settle(false);
        let successor = masks.successor(masks.lexicon.clone());
        assert_eq!(successor.savings.left(trie) as u64, Savings::all(trie) - 3);
    }

    #[test]
    fn bytes_that_are_kept_burn_whatever_the_nodes() {
        let network = testing::network("start ::= 'a'+;");
        for (budget, most) in [(0, LEAST_BYTES), (1 << 26, (1 << 26) / PART_OF_BUDGET)] {
            for is_lexicon in [true, false] {
                let lexicon = testing::lexicon(&["a", "aa"]);
                let lexicon = lexicon.with_config(&LexiconConfig { budget, ..lexicon.config().clone() });
                let masks =
                    testing::masks(&network, &lexicon.into(), &Config { budget, ..Config::default() });
                let spend = |bytes| match is_lexicon {
                    true => masks.lexicon.spend(bytes),
                    false => masks.budget.spend(bytes),
                };
                let fuel = Fuel::new(&masks, 1);
                fuel.burn(1);
                spend(most);
                fuel.burn(1);
                assert!(!fuel.is_burnt());
                spend(1);
                fuel.burn(1);
                assert!(fuel.is_burnt());
            }
        }
    }
}

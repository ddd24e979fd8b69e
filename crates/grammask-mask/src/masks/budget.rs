//! Work budget of one mask, in trie nodes. When it is exhausted, the trie is walked with the Earley state.

use std::cell::{Cell, OnceCell};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::{Lexicon, Masks};

/// The work that one mask may cost, in trie nodes walked by lexemes, and the bytes that it may keep.
///
/// In a very ambiguous grammar, summaries would take hundreds of walks. Walking the trie once with the state
/// costs less.
pub(crate) struct Fuel<'a> {
    masks: &'a Masks,
    given: u64,
    nodes: Cell<u64>,
    /// Maximum bytes of the lexicon and of the tables, set at the first consumption. Other threads fill the
    /// lexicon meanwhile, too.
    most_bytes: OnceCell<[usize; 2]>,
}

/// Per-grammar credit for failed attempts with summaries, in trie nodes.
///
/// A failure costs what it walked; a success refunds 1/8 of a walk. A mask may consume 1/4 of the credit. A
/// grammar for which summaries never pay off thus stops trying, and one that only starts badly recovers.
#[derive(Default)]
pub(crate) struct FailureCredit {
    /// Part of the initial credit that is used up, in trie nodes.
    used: AtomicU64,
}

/// Walks with lexemes that cost as much as one walk with a state.
const STATE_WALKS_PER_MASK: usize = 4;
/// As `STATE_WALKS_PER_MASK`, if texts must differ: each step then makes a state.
const STATE_WALKS_PER_MASK_IF_DISTINCT: usize = 64;

/// A mask may consume 1/4 of the credit that is left.
const MASKS_PER_CREDIT: usize = 4;

/// A success refunds 1/8 of a walk over the trie.
const SUCCESSES_PER_WALK: u64 = 8;

/// Items of a state that make a walk with it cost as much as one more walk with lexemes.
const ITEMS_PER_EXTRA_WALK: usize = 128;

/// Fuel of a mask, in trie nodes, that is always given: a small trie has nothing to save.
const MIN_FUEL_NODES: usize = 1 << 16;

/// A mask may fill 1/4 of a memory budget, which is checked between masks only.
const MASKS_PER_BUDGET: usize = 4;
/// Bytes that a mask may always fill.
const MIN_BYTES_PER_MASK: usize = 1 << 22;

impl<'a> Fuel<'a> {
    /// Creates the fuel of one mask: some walks of the trie, limited by the credit. A walk with the state
    /// costs more if it has many items, and much more with `distinct!`, where every step creates a state.
    pub(crate) fn new(masks: &'a Masks, items: usize) -> Self {
        let trie = masks.lexicon.trie().len();
        let (times, walk) = if masks.has_distinct {
            (STATE_WALKS_PER_MASK_IF_DISTINCT, trie)
        } else {
            (STATE_WALKS_PER_MASK, masks.credit.left(trie) / (MASKS_PER_CREDIT * STATE_WALKS_PER_MASK))
        };
        let given = ((times + items / ITEMS_PER_EXTRA_WALK) * walk).max(MIN_FUEL_NODES) as u64;
        Self { masks, given, nodes: Cell::new(given), most_bytes: OnceCell::new() }
    }

    /// Updates the credit at the end of a mask: a success is refunded, a failure is charged.
    pub(crate) fn finish_mask(&self, is_found: bool) {
        let Self { masks, given, nodes, .. } = self;
        let trie = masks.lexicon.trie().len();
        if is_found {
            masks.credit.refund(trie as u64 / SUCCESSES_PER_WALK);
        } else {
            masks.credit.charge(given - nodes.get(), trie);
        }
    }

    /// Returns the lexicon.
    pub(crate) fn lexicon(&self) -> &'a Lexicon {
        &self.masks.lexicon
    }

    /// Consumes fuel for trie nodes. If the tables are too full, all fuel is consumed.
    pub(crate) fn consume(&self, nodes: u64) {
        let masks = self.masks;
        let used = [masks.lexicon.bytes_used(), masks.bytes_used()];
        let most_bytes = self.most_bytes.get_or_init(|| {
            let limits = [masks.lexicon.config().limits.budget, masks.config.limits.budget];
            let more = limits.map(|limit| (limit / MASKS_PER_BUDGET).max(MIN_BYTES_PER_MASK));
            std::array::from_fn(|table| used[table].saturating_add(more[table]))
        });
        let is_full = used.iter().zip(most_bytes).any(|(used, most)| used > most);
        self.nodes.set(if is_full { 0 } else { self.nodes.get().saturating_sub(nodes) });
    }

    /// Consumes fuel for a set stored as bits: each word costs one node.
    pub(crate) fn consume_row(&self) {
        self.consume(self.masks.lexicon.trie_index().len() as u64 / 64);
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.nodes.get() == 0
    }
}

impl FailureCredit {
    /// Returns the initial credit for a trie with `trie` nodes.
    const fn all(trie: usize) -> u64 {
        (MASKS_PER_CREDIT * STATE_WALKS_PER_MASK * trie) as u64
    }

    #[expect(clippy::cast_possible_truncation, reason = "`all` computes the credit as a `usize`")]
    fn left(&self, trie: usize) -> usize {
        Self::all(trie).saturating_sub(self.used.load(Relaxed)) as usize
    }

    // Lost updates are harmless: the credit only affects time.

    fn charge(&self, nodes: u64, trie: usize) {
        self.used.store(self.used.load(Relaxed).saturating_add(nodes).min(Self::all(trie)), Relaxed);
    }

    fn refund(&self, nodes: u64) {
        let used_nodes = self.used.load(Relaxed);
        if used_nodes > 0 {
            self.used.store(used_nodes.saturating_sub(nodes), Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, LexiconLimits, Limits, testing};

    fn small() -> Masks {
        let (network, lexicon) = (testing::network("start ::= 'a'+;"), testing::lexicon(&["a", "aa"]));
        testing::masks(&network, &lexicon, &Config::default())
    }

    #[test]
    fn nodes_exhaust_fuel() {
        let masks = small();
        let fuel = Fuel::new(&masks, 1);
        fuel.consume(MIN_FUEL_NODES as u64 - 1);
        assert!(!fuel.is_exhausted());
        fuel.consume(1);
        assert!(fuel.is_exhausted());
    }

    #[test]
    fn failures_reduce_the_credit_until_masks_are_found() {
        let (trie, credit) = (1_000_000, FailureCredit::default());
        let all = credit.left(trie);
        let mut charged = 0;
        for _ in 0..30 {
            let given = credit.left(trie) / MASKS_PER_CREDIT;
            credit.charge(given as u64, trie);
            charged += given;
        }
        // All failed masks together consume no more than the credit.
        assert_eq!(charged + credit.left(trie), all);
        assert!(credit.left(trie) < all / 1_000);
        credit.charge(u64::MAX, trie);
        assert_eq!(credit.left(trie), 0);
        for refunds in 0..1_000 {
            assert_eq!(credit.left(trie), (refunds * (trie / SUCCESSES_PER_WALK as usize)).min(all));
            credit.refund(trie as u64 / SUCCESSES_PER_WALK);
        }
    }

    #[test]
    fn only_a_failed_mask_is_charged() {
        let masks = small();
        let trie = masks.lexicon.trie().len();
        let fuel = Fuel::new(&masks, 1);
        fuel.consume(3);
        fuel.finish_mask(true);
        assert_eq!(masks.credit.left(trie) as u64, FailureCredit::all(trie));
        fuel.finish_mask(false);
        let successor = masks.successor(masks.lexicon.clone());
        assert_eq!(successor.credit.left(trie) as u64, FailureCredit::all(trie) - 3);
    }

    #[test]
    fn kept_bytes_exhaust_fuel() {
        let network = testing::network("start ::= 'a'+;");
        for (budget, most) in [(0, MIN_BYTES_PER_MASK), (1 << 26, (1 << 26) / MASKS_PER_BUDGET)] {
            for is_lexicon in [true, false] {
                let lexicon = testing::lexicon(&["a", "aa"]);
                let limits = LexiconLimits { budget, ..LexiconLimits::default() };
                let lexicon = lexicon.with_config(&limits.into());
                let limits = Limits { budget, ..Limits::default() };
                let masks = testing::masks(&network, &lexicon.into(), &limits.into());
                let spend = |bytes| {
                    if is_lexicon {
                        masks.lexicon.spend(bytes);
                    } else {
                        masks.budget.spend(bytes);
                    }
                };
                let fuel = Fuel::new(&masks, 1);
                fuel.consume(1);
                spend(most);
                fuel.consume(1);
                assert!(!fuel.is_exhausted());
                spend(1);
                fuel.consume(1);
                assert!(fuel.is_exhausted());
            }
        }
    }
}

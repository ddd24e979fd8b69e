//! How much may be done for one mask, before the trie is walked with the state as it is.

use std::cell::{Cell, OnceCell};

use crate::{Lexicon, Masks};

/// How many nodes of the trie may be walked by lexemes for one mask, and items be closed; and how many bytes may be kept of that. In a very ambiguous
/// grammar, parts would take hundreds of walks, where walking the trie once with the state as it is takes no longer than some.
pub(crate) struct Fuel<'a> {
    masks: &'a Masks,
    nodes: Cell<u64>,
    /// So many bytes the lexicon and the tables may hold, once something has been burnt; others fill the lexicon meanwhile, too.
    most_bytes: OnceCell<[usize; 2]>,
}

/// A step of a lexeme is so much faster than one of a state as it is.
const TIMES: usize = 4;
const TIMES_IF_DISTINCT: usize = 64;

/// So many items make a walk over the trie about as dear as one more walk of lexemes.
const ITEMS: usize = 128;

/// In a small trie there is nothing to save, and parts are to be had all the same.
const LEAST: usize = 1 << 16;

/// One mask may take this part of a budget, which is asked only between masks; or so many bytes, where that is nearly nothing.
const PART_OF_BUDGET: usize = 4;
const LEAST_BYTES: usize = 1 << 22;

impl<'a> Fuel<'a> {
    /// As much as walking the whole trie some times: the more items a state has, the dearer is a walk with the state as it is; the more so where it makes
    /// states of its own at every node, as texts have to differ.
    pub(crate) fn new(masks: &'a Masks, items: usize) -> Self {
        let times = if masks.has_distinct { TIMES_IF_DISTINCT } else { TIMES };
        let nodes = ((times + items / ITEMS) * masks.lexicon.trie().len()).max(LEAST);
        Self { masks, nodes: Cell::new(nodes as u64), most_bytes: OnceCell::new() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, LexiconConfig, testing};

    #[test]
    fn nodes_burn() {
        let masks = testing::masks(
            &testing::network("start ::= 'a'+;"),
            &testing::lexicon(&["a", "aa"]),
            &Config::default(),
        );
        let fuel = Fuel::new(&masks, 1);
        fuel.burn(LEAST as u64 - 1);
        assert!(!fuel.is_burnt());
        fuel.burn(1);
        assert!(fuel.is_burnt());
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

//! Items of `distinct!` that are rules, whose texts are compared as JSON values.
//!
//! Such an item has a state of its own. At the root of the trie, its tokens are assembled from that state, as
//! those of a whole mask are, and once for each state. They do not exclude used values. Only a token whose
//! bytes agree with a used value to its end can be excluded. These are few, and are found by a walk with the
//! exact position. Below other trie nodes, everything is walked with the exact position.

use grammask_earley::{DistinctPosition, Error, NetworkNodeId, SetId};
use grammask_trie::index::InnerId;
use grammask_trie::{Mask, TokenSet, TrieNodeId};

use crate::Masks;
use crate::descent::Descent;
use crate::descent::summary::{Summary, SummaryKey};
use crate::node_set::NodeSet;
use crate::node_set::continuation::ContinuationId;

/// The tokens of a state, and the trie nodes at which its root origin completes.
pub(crate) struct StateSummary<'a> {
    key: SummaryKey,
    summary: &'a Summary,
}

/// Tokens and exits of the state of an item that a position inside the item excludes.
#[derive(Default)]
struct Excluded {
    /// Trie nodes: tokens there and below are excluded.
    subtrees: Vec<TrieNodeId>,
    /// Exits at which the text is a used value.
    exits: Vec<InnerId>,
}

impl Descent<'_> {
    /// Processes a node at which an item of `distinct!` that is a rule is being read, or may begin.
    pub(super) fn read_rule(
        &mut self,
        gss: usize,
        node: NetworkNodeId,
        continuation: ContinuationId,
        distinct: DistinctPosition,
        state: SetId,
    ) -> Result<(), Error> {
        let masks = self.masks;
        let found = if continuation == ContinuationId::ROOT { masks.state_summary(state)? } else { None };
        let Some(StateSummary { key, summary }) = found else {
            return self.walk_exactly(gss, node, continuation);
        };
        let excluded = self.excluded(node)?;
        let this = &mut self.gss_nodes[gss];
        if excluded.subtrees.is_empty() {
            this.uses.insert(key);
        } else {
            this.uses.insert(masks.reduced_summary(node, summary, &excluded)?);
        }
        this.distinct_reads.push((node, distinct.after, continuation));
        for position in 0..self.gss_nodes[gss].after_distinct.len() {
            let (after_distinct, below) = self.gss_nodes[gss].after_distinct[position];
            let from = masks.recognizer.inspect().distinct(after_distinct.from)?;
            if from.is_some_and(|from| from.after == distinct.after) {
                self.walk_after(gss, after_distinct, below, node, continuation)?;
            }
        }
        for &exit in &summary.exits {
            if let Some(exit) = masks.without(exit, &excluded) {
                self.enter(gss, distinct.after, exit)?;
            }
        }
        Ok(())
    }

    /// Walks everything below some trie nodes with the exact position.
    fn walk_exactly(
        &mut self,
        gss: usize,
        node: NetworkNodeId,
        continuation: ContinuationId,
    ) -> Result<(), Error> {
        let (masks, lexicon) = (self.masks, &*self.masks.lexicon);
        let set = masks.recognizer.inspect().open_state(node)?;
        let this = &mut self.gss_nodes[gss];
        let before = this.output.cost.nodes;
        let fresh = this.output.walk_below(&masks.recognizer, set, lexicon.continuation(continuation))?;
        lexicon.spend(fresh);
        let pending = this.pending.len();
        this.output.take_exits(&mut this.pending);
        let (nodes, has_exits) = (this.output.cost.nodes - before, this.pending.len() > pending);
        self.fuel.consume(super::distinct::FUEL_PER_STEP * nodes);
        if has_exits {
            self.schedule_return(gss);
        }
        Ok(())
    }

    /// Finds the tokens and exits that a position excludes, by a walk along the used values.
    fn excluded(&mut self, node: NetworkNodeId) -> Result<Excluded, Error> {
        let (recognizer, trie_index) = (&self.masks.recognizer, self.masks.lexicon.trie_index());
        let mut excluded = Excluded::default();
        let bytes = recognizer.inspect().compared_bytes(node);
        if bytes.is_empty() || trie_index.is_empty() {
            return Ok(excluded);
        }
        let mut path = vec![(InnerId::ROOT, recognizer.inspect().open_state(node)?, bytes)];
        let mut steps = 0;
        while let Some((inner, set, bytes)) = path.pop() {
            for child in trie_index.children(inner).iter().filter(|child| bytes.contains(child.byte)) {
                steps += 1;
                let next = recognizer.step(set, child.byte)?;
                if next.is_dead() {
                    excluded.subtrees.push(child.node);
                    continue;
                }
                let (Some(below), &[item]) = (child.inner(), recognizer.kernel(next)) else { continue };
                let Some(is_unused) = recognizer.inspect().is_inside_distinct(item.node) else { continue };
                if !is_unused {
                    // The rule may be complete here; then the text is a used value.
                    excluded.exits.push(below);
                }
                let bytes = recognizer.inspect().compared_bytes(item.node);
                if !bytes.is_empty() {
                    path.push((below, next, bytes));
                }
            }
        }
        self.nodes += steps;
        self.fuel.consume(super::distinct::FUEL_PER_STEP * steps);
        excluded.exits.sort_unstable();
        Ok(excluded)
    }
}

impl Masks {
    /// Returns the tokens of a state at the root of the trie, and where its root origin completes. Returns
    /// `None` if that is too much work.
    fn state_summary(&self, state: SetId) -> Result<Option<StateSummary<'_>>, Error> {
        let key = (NetworkNodeId::from_index(state.index() as usize), ContinuationId::OF_STATE);
        let known = match self.summaries.get(&key) {
            Some(known) => known,
            None => {
                let summary = self.assemble_parts(state)?.map(|(operands, ends)| {
                    let (mut tokens, mut lexemes) = (Vec::new(), operands.lexemes);
                    let mut large = LargeSet::default();
                    for total in operands.totals.iter().map(|&total| self.total(total)) {
                        tokens.extend_from_slice(&total.tokens);
                        lexemes.extend_from_slice(&total.lexemes);
                        large.add(self, &total.large);
                    }
                    lexemes.sort_unstable();
                    lexemes.dedup();
                    tokens.sort_unstable();
                    tokens.dedup();
                    Summary::new(tokens.into(), large.finish(), lexemes.into(), Box::default(), ends.into())
                });
                self.keep(key, summary)
            }
        };
        Ok(known.as_ref().map(|summary| StateSummary { key, summary }))
    }

    /// Returns the key of the summary of a position: the tokens of the item's state without those that are
    /// excluded.
    fn reduced_summary(
        &self,
        node: NetworkNodeId,
        summary: &Summary,
        excluded: &Excluded,
    ) -> Result<SummaryKey, Error> {
        let key = (node, ContinuationId::OF_ITEM);
        if self.summaries.get(&key).is_some() {
            return Ok(key);
        }
        let mut mask = Mask::new(self.vocabulary().id_count());
        for &lexeme in &summary.lexemes {
            self.lexeme_tokens(lexeme)?.union_into(&mut mask);
        }
        mask.union_set(&summary.large);
        mask.extend(summary.tokens.iter().copied());
        for &subtree in &excluded.subtrees {
            self.lexicon.trie().subtree_tokens(subtree).iter().for_each(|&token| mask.forbid(token));
        }
        let tokens = TokenSet::from_row(mask.into_words());
        self.keep(
            key,
            Some(Summary::new(Box::default(), tokens, Box::default(), Box::default(), Box::default())),
        );
        Ok(key)
    }

    /// Returns exits without those that are excluded. Returns `None` if none is left.
    fn without(&self, exits: ContinuationId, excluded: &Excluded) -> Option<ContinuationId> {
        if excluded.exits.is_empty() && excluded.subtrees.is_empty() {
            return Some(exits);
        }
        let (trie, trie_index) = (self.lexicon.trie(), self.lexicon.trie_index());
        let is_below = |inner: InnerId, subtree: &TrieNodeId| {
            let node = trie_index.node(inner);
            *subtree <= node && node < trie.end(*subtree)
        };
        let is_left = |inner: &InnerId| {
            excluded.exits.binary_search(inner).is_err()
                && !excluded.subtrees.iter().any(|subtree| is_below(*inner, subtree))
        };
        let left: Vec<InnerId> = self.lexicon.continuation(exits).set().iter().filter(is_left).collect();
        if left.is_empty() {
            return None;
        }
        let most = self.lexicon.config().tuning.max_listed_nodes;
        Some(self.lexicon.intern(NodeSet::of_list(trie_index, most, &left)))
    }
}

/// A union of token sets: mostly of none or one.
#[derive(Default)]
struct LargeSet {
    set: TokenSet,
    row: Vec<u32>,
}

impl LargeSet {
    /// Adds a set. One set is kept as it is; from the second on, all are united in a row.
    fn add(&mut self, masks: &Masks, set: &TokenSet) {
        if set.is_empty() {
            return;
        }
        if self.set.is_empty() && self.row.is_empty() {
            self.set = set.clone();
            return;
        }
        if self.row.is_empty() {
            self.row = vec![0; masks.vocabulary().mask_words()];
            self.set.union_into(&mut self.row);
        }
        set.union_into(&mut self.row);
    }

    fn finish(self) -> TokenSet {
        if self.row.is_empty() { self.set } else { TokenSet::from_row(self.row) }
    }
}

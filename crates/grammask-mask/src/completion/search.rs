//! The search over tokens: whether some completion has at most a number of tokens.

use grammask_earley::{Error, SetId};
use grammask_trie::{TokenId, TrieNodeId};
use grammask_work::spent;
use rustc_hash::FxHashMap;

use super::Completions;

/// Trie nodes that a searched state counts as, in addition to those that are visited.
const NODES_PER_STATE: u64 = 64;

/// Units of work of new states that count as one trie node.
const UNITS_PER_NODE: u64 = 4;

impl Completions {
    /// Begins the searches of a call.
    pub(super) fn begin_search(&mut self) {
        self.nodes_left = self.limits.max_nodes;
        self.spent = spent();
    }

    /// Counts the work of the states that were made since the last call. Returns false if the limit is
    /// reached.
    fn may_go_on(&mut self) -> bool {
        let now = spent();
        self.nodes_left = self.nodes_left.saturating_sub((now - self.spent) / UNITS_PER_NODE);
        self.spent = now;
        self.nodes_left > 0
    }

    /// Returns whether a state has a completion of at most `tokens` tokens. Returns `None` if the search
    /// exceeds its limits.
    pub(super) fn decide(&mut self, state: SetId, tokens: u64) -> Result<Option<bool>, Error> {
        if let Some(known) = self.decide_by_bounds(state, tokens)? {
            return Ok(Some(known));
        }
        self.search(state, tokens)
    }

    /// Returns the answer if the bounds have it.
    pub(super) fn decide_by_bounds(&mut self, state: SetId, tokens: u64) -> Result<Option<bool>, Error> {
        let bounds = self.bounds(state)?;
        if bounds.at_most <= tokens {
            return Ok(Some(true));
        }
        if bounds.at_least > tokens {
            return Ok(Some(false));
        }
        Ok((self.spelled(state)?.at_most <= tokens).then_some(true))
    }

    /// Searches breadth first over tokens. A state that was seen before is not searched again, as fewer
    /// tokens are left for it.
    pub(super) fn search(&mut self, from: SetId, tokens: u64) -> Result<Option<bool>, Error> {
        // By state: the state before it.
        let mut before: FxHashMap<SetId, SetId> = FxHashMap::from_iter([(from, from)]);
        let mut layer = vec![from];
        let mut left = tokens;
        // True if fewer tokens are left than some state needs.
        let mut is_cut = false;
        while left > 0 && !layer.is_empty() {
            left -= 1;
            let mut next_layer = Vec::new();
            for state in std::mem::take(&mut layer) {
                if !self.may_go_on() {
                    return Ok(None);
                }
                let mut found = Vec::new();
                self.successors(state, |next, _| found.push(next))?;
                for next in found {
                    if before.contains_key(&next) {
                        continue;
                    }
                    before.insert(next, state);
                    match self.decide_by_bounds(next, left)? {
                        Some(true) => {
                            self.remember(&before, next)?;
                            return Ok(Some(true));
                        }
                        Some(false) => is_cut |= self.bounds(next)?.at_least < u64::MAX,
                        None => next_layer.push(next),
                    }
                }
            }
            layer = next_layer;
        }
        let mut bounds = self.bounds(from)?;
        let is_exhaustive = layer.is_empty() && !is_cut;
        let more = if is_exhaustive { u64::MAX } else { tokens.saturating_add(1) };
        bounds.at_least = bounds.at_least.max(more);
        self.known.insert(from, bounds);
        Ok(Some(false))
    }

    /// Lowers the upper bounds of the states on the path to a state.
    fn remember(&mut self, before: &FxHashMap<SetId, SetId>, found: SetId) -> Result<(), Error> {
        let mut state = found;
        let mut at_most = self.bounds(found)?.at_most;
        while let Some(&earlier) = before.get(&state).filter(|&&earlier| earlier != state) {
            at_most = at_most.saturating_add(1);
            self.lower(earlier, at_most)?;
            state = earlier;
        }
        Ok(())
    }

    /// Calls `visit` with each state after a token, and its tokens. Tokens that end a text are left out. A
    /// state may be visited several times.
    pub(super) fn successors(
        &mut self,
        state: SetId,
        mut visit: impl FnMut(SetId, &[TokenId]),
    ) -> Result<(), Error> {
        let is_eager = self.is_eager();
        let recognizer = self.masks.recognizer();
        for index in 0..self.masks.specials.len() {
            let next = recognizer.step_class(state, recognizer.network().class_of_special(index))?;
            let tokens = self.special_tokens(index);
            if !next.is_dead() && !tokens.is_empty() {
                visit(next, tokens);
            }
        }
        let mut nodes = 0;
        if state.goes_on() {
            let trie = self.masks.vocabulary().trie();
            let mut stack = vec![(TrieNodeId::ROOT, state)];
            let mut tokens = Vec::new();
            while let Some((node, state)) = stack.pop() {
                for child in trie.children(node) {
                    nodes += 1;
                    let next = recognizer.step(state, trie.byte(child))?;
                    if next.is_dead() {
                        continue;
                    }
                    tokens.clear();
                    tokens.extend(trie.tokens(child).iter().copied().filter(|&token| self.is_text(token)));
                    if !tokens.is_empty() {
                        visit(next, &tokens);
                    }
                    if trie.has_children(child) && !(is_eager && next.completes()) {
                        stack.push((child, next));
                    }
                }
            }
        }
        self.nodes_left = self.nodes_left.saturating_sub(nodes + NODES_PER_STATE);
        Ok(())
    }
}

//! The search over tokens: whether some completion has at most a number of tokens.

use std::collections::VecDeque;

use grammask_earley::{Error, SetId};
use grammask_trie::{TokenId, TrieNodeId};
use grammask_work::{charge, charge_len, spent};
use rustc_hash::FxHashMap;

use super::{Completions, MAX_SEARCH_WORK, within_work};

/// Work of a state that is searched, in addition to the nodes of the trie.
const UNITS_PER_STATE: u64 = 16;

impl Completions {
    /// Returns whether a state has a completion of at most `tokens` tokens. Returns `None` if the searches of
    /// the call exceed their limit.
    pub(super) fn decide(&mut self, state: SetId, tokens: u64) -> Result<Option<bool>, Error> {
        match self.decide_by_bounds(state, tokens)? {
            Some(known) => Ok(Some(known)),
            None => self.search(state, tokens),
        }
    }

    /// As [`decide`](Self::decide), if the bounds do not have the answer.
    pub(super) fn search(&mut self, state: SetId, tokens: u64) -> Result<Option<bool>, Error> {
        let (before, left) = (spent(), self.search_left);
        let found = within_work(MAX_SEARCH_WORK, left, || self.search_layers(state, tokens))?;
        self.search_left = left.saturating_sub(spent() - before);
        Ok(found.ok())
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
    fn search_layers(&mut self, from: SetId, tokens: u64) -> Result<bool, Error> {
        // By state: the state before it, and a token between them.
        let mut before: FxHashMap<SetId, (SetId, Option<TokenId>)> =
            FxHashMap::from_iter([(from, (from, None))]);
        let mut layer = vec![from];
        let mut left = tokens;
        // True if fewer tokens are left than some state needs.
        let mut is_cut = false;
        while left > 0 && !layer.is_empty() {
            left -= 1;
            let mut next_layer = Vec::new();
            for state in std::mem::take(&mut layer) {
                let mut found = Vec::new();
                self.each_successor(state, |_, next, tokens| {
                    found.push((next, tokens.first().copied()));
                    Ok(())
                })?;
                charge_len(found.len())?;
                for (next, token) in found {
                    if before.contains_key(&next) {
                        continue;
                    }
                    before.insert(next, (state, token));
                    match self.decide_by_bounds(next, left)? {
                        Some(true) => {
                            self.remember(&before, next)?;
                            return Ok(true);
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
        Ok(false)
    }

    /// Lowers the upper bounds of the states on the path to a state.
    fn remember(
        &mut self,
        before: &FxHashMap<SetId, (SetId, Option<TokenId>)>,
        found: SetId,
    ) -> Result<(), Error> {
        let mut state = found;
        let mut at_most = self.bounds(found)?.at_most;
        while let Some(&(earlier, Some(token))) = before.get(&state) {
            charge(1)?;
            at_most = at_most.saturating_add(1);
            self.lower(earlier, at_most, token)?;
            state = earlier;
        }
        Ok(())
    }

    /// Calls `visit` with each state after a token, and its tokens. Tokens that end a text are left out. A
    /// state may be visited several times. Short tokens come first.
    ///
    /// # Errors
    /// If a limit of the recognizer or the account of work is exceeded, and those of `visit`.
    pub(super) fn each_successor(
        &mut self,
        state: SetId,
        mut visit: impl FnMut(&mut Self, SetId, &[TokenId]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        charge(UNITS_PER_STATE)?;
        let is_eager = self.is_eager();
        for index in 0..self.masks.specials.len() {
            let recognizer = self.masks.recognizer();
            let next = recognizer.step_class(state, recognizer.network().class_of_special(index))?;
            let tokens = self.special_tokens(index).to_vec();
            charge_len(1 + tokens.len())?;
            if !next.is_dead() && !tokens.is_empty() {
                visit(self, next, &tokens)?;
            }
        }
        if !state.goes_on() {
            return Ok(());
        }
        let vocabulary = self.masks.vocabulary().clone();
        let trie = vocabulary.trie();
        let mut queue = VecDeque::from([(TrieNodeId::ROOT, state)]);
        let mut tokens = Vec::new();
        while let Some((node, state)) = queue.pop_front() {
            for child in trie.children(node) {
                charge(1)?;
                let next = self.masks.recognizer().step(state, trie.byte(child))?;
                if next.is_dead() {
                    continue;
                }
                tokens.clear();
                tokens.extend(trie.tokens(child).iter().copied().filter(|&token| self.is_text(token)));
                if !tokens.is_empty() {
                    visit(self, next, &tokens)?;
                }
                if trie.has_children(child) && !(is_eager && next.completes()) {
                    queue.push_back((child, next));
                }
            }
        }
        Ok(())
    }
}

//! How many tokens complete a text, and the tokens that leave enough of a budget for that.
//!
//! Below, a *completion* of a state is a list of tokens that ends a text, an end token included where the
//! ending has some. [`Completions`] knows bounds on the shortest completion of a state, and narrows them:
//!
//! 1. The shortest completion in bytes gives the first bounds. Each token has at most as many bytes as the
//!    longest token; where all bytes are tokens, one token for each byte suffices.
//! 2. The least number of tokens that spell this completion is a better upper bound.
//! 3. Only if both leave a question open, a breadth-first search over tokens decides it.

mod search;

use grammask_earley::{CompletionLimits, CompletionStep, Error, Recognizer, SetId, ShortestCompletion};
use grammask_trie::{Mask, TokenId, TrieNodeId};
use rustc_hash::FxHashMap;

use crate::{Ending, Masks};

/// Limits of [`Completions`]. Beyond them, the lower and the upper bound may differ; that is not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct EndLimits {
    /// Limits of searches for shortest completions in bytes.
    pub bytes: CompletionLimits,
    /// Trie nodes that the searches over tokens of one call visit. States that are made on the way count as
    /// the nodes that take as long. Default: 2^18, some milliseconds.
    pub max_nodes: u64,
    /// Maximum length in bytes of a completion for which the least number of tokens is computed. Default:
    /// 4,096.
    pub max_spelled: usize,
    /// Number of states whose bounds are kept. Beyond it, all are forgotten. Default: 2^18.
    pub max_states: usize,
}

impl Default for EndLimits {
    fn default() -> Self {
        Self {
            bytes: CompletionLimits::default(),
            max_nodes: 1 << 18,
            max_spelled: 1 << 12,
            max_states: 1 << 18,
        }
    }
}

/// Bounds on the number of tokens that end an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokensToEnd {
    /// No completion has fewer tokens. `u64::MAX` if there is no completion.
    pub at_least: u64,
    /// A completion with this number of tokens is known. `None` if none is known within the limits.
    pub at_most: Option<u64>,
}

impl TokensToEnd {
    /// Returns true if the number is known.
    pub fn is_exact(&self) -> bool {
        self.at_most == Some(self.at_least)
    }
}

/// Bounds of a state.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    at_least: u64,
    /// `u64::MAX` if no completion is known.
    at_most: u64,
    /// True if the completion in bytes has been spelled with the least number of tokens.
    is_spelled: bool,
}

/// Bounds on the completions of the states of one grammar.
///
/// Has tables of its own, so that its searches do not fill those of matchers. [`enter`](Self::enter) brings a
/// state into them.
pub struct Completions {
    masks: Masks,
    bytes: ShortestCompletion,
    limits: EndLimits,
    known: FxHashMap<SetId, Bounds>,
    /// By state: the greatest upper bound after any of its tokens. If the budget is at least that, all tokens
    /// of the mask are within it.
    greatest: FxHashMap<SetId, u64>,
    /// True if one token for each byte of a completion suffices.
    has_all_steps: bool,
    /// Number of trie nodes that the call may still search.
    nodes_left: u64,
    /// Units of work of the thread, up to which `nodes_left` counts.
    spent: u64,
}

impl Completions {
    /// Makes empty tables for the grammar of some masks.
    ///
    /// # Errors
    /// If a lexeme exceeds a limit of regular languages.
    ///
    /// # Complexity
    /// As [`ShortestCompletion::new`].
    pub fn new(masks: &Masks, limits: &EndLimits) -> Result<Self, Error> {
        let masks = masks.successor(masks.lexicon().clone());
        let network = masks.recognizer().network();
        let bytes = ShortestCompletion::new(network, &limits.bytes)?;
        let has_specials = masks.specials.iter().all(|tokens| !tokens.is_empty());
        Ok(Self {
            has_all_steps: masks.is_never_stuck() && has_specials && !network.has_distinct(),
            masks,
            bytes,
            limits: *limits,
            known: FxHashMap::default(),
            greatest: FxHashMap::default(),
            nodes_left: 0,
            spent: 0,
        })
    }

    /// Begins a call: returns the state of these tables for a state of `from`, a recognizer of the same
    /// grammar. Empties the tables before if they are full.
    ///
    /// # Errors
    /// If a limit of the recognizer is exceeded.
    ///
    /// # Complexity
    /// Linear in the origins that are reachable from the state.
    pub fn enter(&mut self, from: &Recognizer, state: SetId) -> Result<SetId, Error> {
        let kept = self.known.len().max(self.greatest.len()).max(self.bytes.len());
        if self.masks.is_full() || kept > self.limits.max_states {
            self.masks = self.masks.successor(self.masks.lexicon().clone());
            self.bytes.clear();
            self.known.clear();
            self.greatest.clear();
        }
        self.begin_search();
        self.masks.recognizer().import(from, state)
    }

    /// Returns bounds on the number of tokens that end an output after a state. They are equal unless the
    /// search exceeds its limits.
    ///
    /// # Errors
    /// If a limit of the recognizer is exceeded.
    pub fn tokens_to_end(&mut self, state: SetId) -> Result<TokensToEnd, Error> {
        let mut bounds = self.spelled(state)?;
        if bounds.at_most == u64::MAX && bounds.at_least < u64::MAX {
            // Any completion, however long.
            self.search(state, u64::MAX - 1)?;
            bounds = self.bounds(state)?;
        }
        while bounds.at_least < bounds.at_most && self.decide(state, bounds.at_least)?.is_some() {
            bounds = self.bounds(state)?;
        }
        Ok(TokensToEnd {
            at_least: bounds.at_least,
            at_most: Some(bounds.at_most).filter(|&at_most| at_most < u64::MAX),
        })
    }

    /// Writes the tokens after which an output can still end within `tokens` tokens, the token itself
    /// included. Returns true if there is one.
    ///
    /// A token is left out only if no completion is known within the limits: see [`EndLimits`].
    ///
    /// # Errors
    /// If a limit of the recognizer is exceeded. The content of the mask is unspecified then.
    ///
    /// # Complexity
    /// A walk over the allowed part of the trie, unless all tokens of the state leave enough. In addition,
    /// searches that visit at most [`EndLimits::max_nodes`] trie nodes.
    pub fn mask_within(&mut self, state: SetId, tokens: u64, mask: &mut Mask) -> Result<bool, Error> {
        mask.clear();
        let Some(left) = tokens.checked_sub(1) else { return Ok(false) };
        if self.greatest.get(&state).is_some_and(|&greatest| greatest <= left) {
            let mut scratch = self.masks.scratch();
            let whole = self.masks.mask(state, &mut scratch)?;
            mask.as_words_mut().copy_from_slice(whole.as_words());
            return Ok(!mask.is_empty());
        }
        let mut after = Vec::new();
        self.successors(state, |next, tokens| after.extend(tokens.iter().map(|&token| (next, token))))?;
        // The walk is not part of the search.
        self.begin_search();
        // Known answers come first, so that searches do not use up the limit before them.
        let mut open = Vec::new();
        let (mut last, mut greatest) = (None, 0);
        for &(next, token) in &after {
            let known = match last {
                Some((state, known)) if state == next => known,
                _ => self.decide_by_bounds(next, left)?,
            };
            last = Some((next, known));
            match known {
                Some(true) => mask.allow(token),
                Some(false) => {}
                None => open.push((next, token)),
            }
        }
        for (next, token) in open {
            if self.decide(next, left)? == Some(true) {
                mask.allow(token);
            }
        }
        for (next, _) in after {
            greatest = greatest.max(self.bounds(next)?.at_most);
        }
        self.greatest.insert(state, greatest);
        if state.completes() {
            mask.extend(self.masks.ending().tokens().iter().copied());
        }
        Ok(!mask.is_empty())
    }

    /// Returns the number of tokens that end a complete text.
    fn end_tokens(&self) -> u64 {
        u64::from(!self.masks.ending().tokens().is_empty())
    }

    /// Returns the bounds that are known, or those of the completion in bytes.
    fn bounds(&mut self, state: SetId) -> Result<Bounds, Error> {
        if let Some(&known) = self.known.get(&state) {
            return Ok(known);
        }
        let ends = self.end_tokens();
        let bounds = if state.completes() {
            Bounds { at_least: ends, at_most: ends, is_spelled: true }
        } else {
            let distance = self.bytes.distance(self.masks.recognizer(), state)?;
            let longest = self.masks.vocabulary().longest_token().max(1) as u64;
            let least = match distance {
                Some(distance) if self.bytes.is_exact() => distance.div_ceil(longest).max(1),
                _ => 1,
            };
            let most = distance.filter(|_| self.has_all_steps);
            Bounds {
                at_least: least.saturating_add(ends),
                at_most: most.map_or(u64::MAX, |most| most.saturating_add(ends)),
                is_spelled: distance.is_none(),
            }
        };
        self.known.insert(state, bounds);
        Ok(bounds)
    }

    /// Lowers an upper bound.
    fn lower(&mut self, state: SetId, at_most: u64) -> Result<(), Error> {
        let mut bounds = self.bounds(state)?;
        bounds.at_most = bounds.at_most.min(at_most);
        self.known.insert(state, bounds);
        Ok(())
    }

    /// Returns the bounds, of which the upper one is at most that of spelling the completion in bytes.
    fn spelled(&mut self, state: SetId) -> Result<Bounds, Error> {
        let bounds = self.bounds(state)?;
        if bounds.is_spelled || bounds.at_least == bounds.at_most {
            return Ok(bounds);
        }
        self.known.insert(state, Bounds { is_spelled: true, ..bounds });
        let path = self.bytes.path(self.masks.recognizer(), state, self.limits.max_spelled)?;
        let mut states = vec![state];
        for &step in &path {
            let last = states.last().copied().unwrap_or(state);
            states.push(self.after(last, step)?);
        }
        if states.last().is_some_and(|last| last.completes()) {
            let ends = self.end_tokens();
            let counts = self.least_spelling(&path);
            for (&state, &count) in states.iter().zip(&counts) {
                if count < u64::MAX {
                    self.lower(state, count.saturating_add(ends))?;
                }
            }
        }
        self.bounds(state)
    }

    /// Returns the state after a step.
    fn after(&self, state: SetId, step: CompletionStep) -> Result<SetId, Error> {
        let recognizer = self.masks.recognizer();
        match step {
            CompletionStep::Byte(byte) => recognizer.step(state, byte),
            CompletionStep::Special(index) => {
                recognizer.step_class(state, recognizer.network().class_of_special(index))
            }
        }
    }

    /// Returns, by position on a path, the least number of tokens that spell the rest of the path;
    /// `u64::MAX` if no tokens spell it.
    fn least_spelling(&self, path: &[CompletionStep]) -> Vec<u64> {
        let vocabulary = self.masks.vocabulary();
        let trie = vocabulary.trie();
        let mut counts = vec![u64::MAX; path.len() + 1];
        counts[path.len()] = 0;
        for start in (0..path.len()).rev() {
            let mut least = u64::MAX;
            let mut node = TrieNodeId::ROOT;
            for (index, &step) in path.iter().enumerate().skip(start) {
                match step {
                    CompletionStep::Special(special) if index == start => {
                        if !self.special_tokens(special).is_empty() {
                            least = counts[index + 1];
                        }
                        break;
                    }
                    CompletionStep::Special(_) => break,
                    CompletionStep::Byte(byte) => {
                        let Some(child) = trie.child(node, byte) else { break };
                        node = child;
                        if trie.tokens(node).iter().any(|&token| self.is_text(token)) {
                            least = least.min(counts[index + 1]);
                        }
                    }
                }
            }
            counts[start] = least.saturating_add(1);
        }
        counts
    }

    /// Returns true if accepting a token appends its bytes, because the token does not end a text.
    fn is_text(&self, token: TokenId) -> bool {
        !self.masks.ending().tokens().contains(&token)
    }

    /// Returns true if no token may go on past a complete text.
    fn is_eager(&self) -> bool {
        *self.masks.ending() == Ending::Eager
    }

    /// Returns the tokens of a special symbol.
    fn special_tokens(&self, index: usize) -> &[TokenId] {
        self.masks.specials.iter().nth(index).unwrap_or_default()
    }
}

impl std::fmt::Debug for Completions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Completions").field("states", &self.known.len()).finish_non_exhaustive()
    }
}

//! How many tokens complete a text, and the tokens that leave enough of a budget for that.
//!
//! Below, a *completion* of a state is a list of tokens that ends a text, an end token included where the
//! ending has some. [`Completions`] knows bounds on the shortest completion of a state, and narrows them:
//!
//! 1. The shortest completion in bytes gives the first bounds. Each token has at most as many bytes as the
//!    longest token; where all bytes are tokens, one token for each byte suffices.
//! 2. The least number of tokens that spell this completion is a better upper bound.
//! 3. Only if both leave a question open, a breadth-first search over tokens decides it.
//!
//! All of it counts as work of one call, up to [`EndLimits::max_end_work`]. So a mask begins with a token of
//! the completion that is known, and goes on with short tokens.

mod plenty;
mod search;

use grammask_earley::{
    CompletionLimits, CompletionStep, Error, NetworkNodeId, Recognizer, SetId, ShortestCompletion,
};
use grammask_trie::{Mask, TokenId, TrieNodeId};
use grammask_work::{Allowance, Stopped, charge, charge_len, spent, stopped, within};
use rustc_hash::FxHashMap;

use crate::{Ending, Masks};
use plenty::LexemeReach;

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
    /// Units of work of one call. Beyond it, bounds stay apart, and a mask has the tokens that were found.
    /// Default: 1,000,000, about 50 ms.
    pub max_end_work: u64,
    /// The part of these units that searches over tokens take. Beyond it, bounds and tokens that only such a
    /// search decides stay open. Default: 250,000.
    pub max_search_work: u64,
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
            max_end_work: 1_000_000,
            max_search_work: 250_000,
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
    /// The first token of the completion with `at_most` tokens. `None` for an end token, and for the token of
    /// the first byte of the completion in bytes.
    first: Option<TokenId>,
}

/// The name of [`EndLimits::max_end_work`], for messages.
const MAX_WORK: &str = "max_end_work";
/// The name of [`EndLimits::max_search_work`].
const MAX_SEARCH_WORK: &str = "max_search_work";

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
    /// By state of a terminal.
    reaches: FxHashMap<NetworkNodeId, LexemeReach>,
    /// Number of exits in `reaches`.
    kept_exits: usize,
    /// Units of work that searches of the call may still take.
    search_left: u64,
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
            reaches: FxHashMap::default(),
            kept_exits: 0,
            search_left: 0,
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
        let kept = self.known.len().max(self.greatest.len()).max(self.bytes.len()).max(self.kept_exits);
        if self.masks.is_full() || kept > self.limits.max_states {
            self.masks = self.masks.successor(self.masks.lexicon().clone());
            self.bytes.clear();
            self.known.clear();
            self.greatest.clear();
            self.reaches.clear();
            self.kept_exits = 0;
        }
        self.masks.recognizer().import(from, state)
    }

    /// Returns bounds on the number of tokens that end an output after a state. They are equal unless the
    /// search exceeds its limits.
    ///
    /// # Errors
    /// If a limit of the recognizer is exceeded, or the call is cancelled.
    pub fn tokens_to_end(&mut self, state: SetId) -> Result<TokensToEnd, Error> {
        self.limited(self.limits.max_end_work, |completions| completions.narrow(state))?;
        let bounds = self.known.get(&state);
        Ok(TokensToEnd {
            at_least: bounds.map_or(0, |bounds| bounds.at_least),
            at_most: bounds.map(|bounds| bounds.at_most).filter(|&at_most| at_most < u64::MAX),
        })
    }

    /// Narrows the bounds of a state until they are equal.
    fn narrow(&mut self, state: SetId) -> Result<(), Error> {
        let mut bounds = self.spelled(state)?;
        if bounds.at_most == u64::MAX && bounds.at_least < u64::MAX {
            // Any completion, however long.
            self.search(state, u64::MAX - 1)?;
            bounds = self.bounds(state)?;
        }
        while bounds.at_least < bounds.at_most && self.decide(state, bounds.at_least)?.is_some() {
            bounds = self.bounds(state)?;
        }
        Ok(())
    }

    /// Writes the tokens after which an output can still end within `tokens` tokens, the token itself
    /// included. Returns true if there is one.
    ///
    /// A token is left out only if no completion is known within the limits: see [`EndLimits`]. Where a
    /// completion of `tokens` tokens is known, its first token is in the mask.
    ///
    /// # Errors
    /// If a limit of the recognizer is exceeded, the call is cancelled, or [`EndLimits::max_end_work`] is
    /// exceeded before any token is found. The content of the mask is unspecified then.
    ///
    /// # Complexity
    /// A walk over the allowed part of the trie, unless all tokens of the state leave enough. In addition,
    /// searches over tokens. [`EndLimits::max_end_work`] bounds both. Where all tokens leave enough, that of
    /// [`Masks::mask`].
    pub fn mask_within(&mut self, state: SetId, tokens: u64, mask: &mut Mask) -> Result<bool, Error> {
        mask.clear();
        let Some(left) = tokens.checked_sub(1) else { return Ok(false) };
        let is_plenty =
            |completions: &Self| completions.greatest.get(&state).is_some_and(|&greatest| greatest <= left);
        let (begun, units) = (spent(), self.limits.max_end_work);
        let (mut exceeded, mut needs_walk) = (None, false);
        if !is_plenty(self) {
            exceeded = self.limited(units, |completions| {
                completions.allow_first(state, left, mask)?;
                match completions.bound_after_all(state, left)? {
                    Some(bound) => _ = completions.greatest.insert(state, bound),
                    None => needs_walk = true,
                }
                Ok(())
            })?;
        }
        let units = units.saturating_sub(spent() - begun);
        if is_plenty(self) {
            let mut scratch = self.masks.scratch();
            match self.masks.mask(state, &mut scratch) {
                Ok(whole) => {
                    mask.as_words_mut().copy_from_slice(whole.as_words());
                    return Ok(!mask.is_empty());
                }
                // The walk finds at least a part of the mask.
                Err(Error::Stopped(Stopped::WorkExceeded { .. })) => needs_walk = true,
                Err(error) => return Err(error),
            }
        }
        if needs_walk {
            exceeded = self.limited(units, |completions| {
                completions.allow_first(state, left, mask)?;
                completions.allow_within(state, left, mask)
            })?;
        }
        if state.completes() {
            mask.extend(self.masks.ending().tokens().iter().copied());
        }
        match exceeded {
            Some(cause) if mask.is_empty() => Err(cause.into()),
            _ => Ok(!mask.is_empty()),
        }
    }

    /// Adds the first token of the known completion, if it leaves enough.
    fn allow_first(&mut self, state: SetId, left: u64, mask: &mut Mask) -> Result<(), Error> {
        if self.decide_by_bounds(state, left.saturating_add(1))? == Some(true)
            && let Some(first) = self.first_token(state)?
        {
            mask.allow(first);
        }
        Ok(())
    }

    /// Adds the tokens after which `left` tokens can end an output. End tokens are left out.
    fn allow_within(&mut self, state: SetId, left: u64, mask: &mut Mask) -> Result<(), Error> {
        // Known answers come first, so that searches do not use up the limit before them.
        let mut open = OpenStates::default();
        let (mut last, mut greatest) = (None, 0);
        self.each_successor(state, |completions, next, tokens| {
            let known = match last {
                Some((state, known)) if state == next => known,
                _ => completions.decide_by_bounds(next, left)?,
            };
            last = Some((next, known));
            match known {
                Some(true) => mask.extend(tokens.iter().copied()),
                Some(false) => {}
                None => return open.add(next, tokens),
            }
            greatest = greatest.max(completions.bounds(next)?.at_most);
            Ok(())
        })?;
        for (next, tokens) in &open.states {
            if self.search_left > 0 && self.decide(*next, left)? == Some(true) {
                mask.extend(tokens.iter().copied());
            }
            greatest = greatest.max(self.bounds(*next)?.at_most);
        }
        self.greatest.insert(state, greatest);
        Ok(())
    }

    /// Returns the first token of the completion with the least known number of tokens. Returns `None` if
    /// that is an end token, or no completion is known.
    fn first_token(&mut self, state: SetId) -> Result<Option<TokenId>, Error> {
        let bounds = self.bounds(state)?;
        if bounds.first.is_some() || bounds.at_most == u64::MAX || state.completes() {
            return Ok(bounds.first);
        }
        let Some((step, _)) = self.bytes.first_step(self.masks.recognizer(), state)? else { return Ok(None) };
        Ok(match step {
            CompletionStep::Special(special) => self.special_tokens(special).first().copied(),
            CompletionStep::Byte(byte) => {
                let trie = self.masks.vocabulary().trie();
                let node = trie.child(TrieNodeId::ROOT, byte);
                let tokens = node.map(|node| trie.tokens(node)).unwrap_or_default();
                tokens.iter().copied().find(|&token| self.is_text(token))
            }
        })
    }

    /// Calls `search` with an account of some units, at most [`EndLimits::max_end_work`]. Returns why it
    /// ended early if it spent them. Everything that is known by then holds.
    fn limited(
        &mut self,
        units: u64,
        search: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<Option<Stopped>, Error> {
        self.search_left = self.limits.max_search_work;
        match within_work(MAX_WORK, units, || search(self))? {
            Ok(()) => Ok(None),
            Err(cause) => Ok(Some(cause)),
        }
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
            Bounds { at_least: ends, at_most: ends, is_spelled: true, first: None }
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
                first: None,
            }
        };
        self.known.insert(state, bounds);
        Ok(bounds)
    }

    /// Lowers an upper bound to that of a completion that begins with a token.
    fn lower(&mut self, state: SetId, at_most: u64, first: TokenId) -> Result<(), Error> {
        let bounds = self.bounds(state)?;
        if at_most < bounds.at_most {
            self.known.insert(state, Bounds { at_most, first: Some(first), ..bounds });
        }
        Ok(())
    }

    /// Returns the bounds, of which the upper one is at most that of spelling the completion in bytes.
    fn spelled(&mut self, state: SetId) -> Result<Bounds, Error> {
        let bounds = self.bounds(state)?;
        if bounds.is_spelled || bounds.at_least == bounds.at_most {
            return Ok(bounds);
        }
        let path = self.bytes.path(self.masks.recognizer(), state, self.limits.max_spelled)?;
        let mut states = vec![state];
        for &step in &path {
            let last = states.last().copied().unwrap_or(state);
            states.push(self.after(last, step)?);
        }
        if states.last().is_some_and(|last| last.completes()) {
            let ends = self.end_tokens();
            let spelling = self.least_spelling(&path)?;
            for (&state, &(count, first)) in states.iter().zip(&spelling) {
                if let Some(first) = first {
                    self.lower(state, count.saturating_add(ends), first)?;
                }
            }
        }
        let bounds = Bounds { is_spelled: true, ..self.bounds(state)? };
        self.known.insert(state, bounds);
        Ok(bounds)
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

    /// Returns, by position on a path, the least number of tokens that spell the rest of the path, and the
    /// first of them. Where no tokens spell it, these are `u64::MAX` and `None`.
    fn least_spelling(&self, path: &[CompletionStep]) -> Result<Vec<(u64, Option<TokenId>)>, Error> {
        let vocabulary = self.masks.vocabulary();
        let trie = vocabulary.trie();
        let mut spelling = vec![(u64::MAX, None); path.len() + 1];
        spelling[path.len()] = (0, None);
        for start in (0..path.len()).rev() {
            let mut least = (u64::MAX, None);
            let mut node = TrieNodeId::ROOT;
            for (index, &step) in path.iter().enumerate().skip(start) {
                charge(1)?;
                let rest = spelling[index + 1].0;
                match step {
                    CompletionStep::Special(special) if index == start => {
                        least = (rest, self.special_tokens(special).first().copied());
                        break;
                    }
                    CompletionStep::Special(_) => break,
                    CompletionStep::Byte(byte) => {
                        let Some(child) = trie.child(node, byte) else { break };
                        node = child;
                        let token = trie.tokens(node).iter().copied().find(|&token| self.is_text(token));
                        if token.is_some() && rest < least.0 {
                            least = (rest, token);
                        }
                    }
                }
            }
            if least.0 < u64::MAX && least.1.is_some() {
                spelling[start] = (least.0.saturating_add(1), least.1);
            }
        }
        Ok(spelling)
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

/// The states after some tokens whose bounds leave it open whether they end in time, and these tokens.
#[derive(Default)]
struct OpenStates {
    /// In the order in which they were met.
    states: Vec<(SetId, Vec<TokenId>)>,
    indices: FxHashMap<SetId, usize>,
}

impl OpenStates {
    fn add(&mut self, state: SetId, tokens: &[TokenId]) -> Result<(), Error> {
        charge_len(tokens.len())?;
        let index = *self.indices.entry(state).or_insert(self.states.len());
        match self.states.get_mut(index) {
            Some((_, known)) => known.extend(tokens),
            None => self.states.push((state, tokens.to_vec())),
        }
        Ok(())
    }
}

/// Calls `call` with an account of some units. The inner error says that the call spent them.
fn within_work<T>(
    limit: &'static str,
    units: u64,
    call: impl FnOnce() -> Result<T, Error>,
) -> Result<Result<T, Stopped>, Error> {
    within(&Allowance::new(limit, units), || match call() {
        Ok(found) => Ok(Ok(found)),
        Err(error) => match stopped() {
            Some(cause @ Stopped::WorkExceeded { limit: exceeded, .. }) if exceeded == limit => {
                Ok(Err(cause))
            }
            _ => Err(error),
        },
    })
}

impl std::fmt::Debug for Completions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Completions").field("states", &self.known.len()).finish_non_exhaustive()
    }
}

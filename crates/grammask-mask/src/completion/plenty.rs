//! A bound on the length of the shortest completions after all tokens of a state at once, without a walk over
//! the whole trie.
//!
//! Most tokens of a mask only lengthen a terminal: a string in JSON is the usual case. The states after them
//! differ from one output to the next, but the states of the terminal do not. So the trie is walked once for
//! each state of a terminal. The walk gives the longest of the shortest rests of the terminal, and the tokens
//! that complete it. Only these are read from the state of the output.

use grammask_earley::{Error, NetworkNodeId, SetId};
use grammask_trie::TrieNodeId;
use grammask_trie::index::InnerId;
use grammask_work::{charge, charge_len};
use rustc_hash::FxHashMap;

use super::{Completions, MAX_WORK, within_work};

/// The tokens that begin inside of a terminal.
#[derive(Debug, Default)]
pub(super) struct LexemeReach {
    /// The greatest number of bytes that the terminal still needs after a token that does not complete it.
    rest: u64,
    /// The nodes at which the terminal is complete for the first time.
    exits: Vec<TrieNodeId>,
}

/// A rest that is longer than any.
const UNKNOWN: u64 = u64::MAX;

/// Number of nodes below a node from which it is worth while to know the loops of the state.
const MIN_LOOP_NODES: u32 = 64;

/// Maximum number of states of a loop.
const MAX_LOOP_STATES: usize = 16;

/// A loop of a terminal: few states that some bytes do not leave. The bytes are some ASCII characters, and
/// all bytes outside of ASCII. None of the states is complete. By some bytes, the terminal may not go on.
#[derive(Clone, Copy, Debug)]
struct Loop {
    /// The ASCII characters: bit `c` for character `c`.
    ascii: u128,
    /// The greatest rest of the states.
    rest: u64,
}

impl Completions {
    /// Returns a number of tokens with which the output can end after each token of the mask. Returns `None`
    /// if none is found that is at most `left`.
    ///
    /// # Errors
    /// If a limit of the recognizer or the account of work is exceeded.
    pub(super) fn bound_after_all(&mut self, state: SetId, left: u64) -> Result<Option<u64>, Error> {
        if !self.has_all_steps || !state.goes_on() || self.bounds(state)?.at_most > left {
            return Ok(None);
        }
        // Half of the work is for a walk over the whole trie.
        let units = self.limits.max_end_work / 2;
        Ok(within_work(MAX_WORK, units, || self.find_bound(state, left))?.unwrap_or(None))
    }

    /// As [`bound_after_all`](Self::bound_after_all), charged to the current account of work.
    fn find_bound(&mut self, state: SetId, left: u64) -> Result<Option<u64>, Error> {
        let parts = self.masks.recognizer().inspect().split(state)?.clone();
        let ends = self.end_tokens();
        let mut bound = 0;
        for item in &parts.lexemes {
            if !self.masks.recognizer().inspect().is_lexeme(item.node) {
                return Ok(None);
            }
            let Some(after) = self.bytes.distance_after(self.masks.recognizer(), item.origin)? else {
                return Ok(None);
            };
            let rest = self.reach(item.node)?;
            let length = rest.saturating_add(after);
            bound = bound.max(length.saturating_add(ends));
            if bound > left || length > self.limits.bytes.max_bytes {
                return Ok(None);
            }
        }
        for item in 0..parts.lexemes.len() {
            let node = parts.lexemes[item].node;
            let exits = self.reaches.get(&node).map_or(0, |reach| reach.exits.len());
            for exit in 0..exits {
                let exit = self.reaches[&node].exits[exit];
                let path = self.masks.lexicon().trie_index().path(InnerId::ROOT, exit);
                charge_len(path.len())?;
                let next = self.masks.recognizer().step_bytes(state, &path, |_| true)?;
                let Some(found) = self.bound_below(exit, next, left)? else { return Ok(None) };
                bound = bound.max(found);
            }
        }
        // Everything else begins with a byte of the network.
        let bytes = self.masks.recognizer().live_bytes(parts.rest)?;
        for byte in bytes.iter() {
            let Some(node) = self.masks.vocabulary().trie().child(TrieNodeId::ROOT, byte) else { continue };
            let next = self.masks.recognizer().step(state, byte)?;
            let Some(found) = self.bound_below(node, next, left)? else { return Ok(None) };
            bound = bound.max(found);
        }
        for index in 0..self.masks.specials.len() {
            let recognizer = self.masks.recognizer();
            let next = recognizer.step_class(state, recognizer.network().class_of_special(index))?;
            if !next.is_dead() {
                bound = bound.max(self.bounds(next)?.at_most);
            }
        }
        Ok(Some(bound).filter(|&bound| bound <= left))
    }

    /// Returns the greatest upper bound of the states after the tokens at a node and below it. `state` is the
    /// one after the node's bytes. Returns `None` if a bound exceeds `left`.
    fn bound_below(&mut self, node: TrieNodeId, state: SetId, left: u64) -> Result<Option<u64>, Error> {
        let vocabulary = self.masks.vocabulary().clone();
        let trie = vocabulary.trie();
        let is_eager = self.is_eager();
        let mut bound = 0;
        let mut stack = vec![(node, state)];
        while let Some((node, state)) = stack.pop() {
            charge(1)?;
            if state.is_dead() {
                continue;
            }
            if trie.tokens(node).iter().any(|&token| self.is_text(token)) {
                bound = bound.max(self.bounds(state)?.at_most);
                if bound > left {
                    return Ok(None);
                }
            }
            if is_eager && state.completes() {
                continue;
            }
            for child in trie.children(node) {
                stack.push((child, self.masks.recognizer().step(state, trie.byte(child))?));
            }
        }
        Ok(Some(bound))
    }

    /// Returns the greatest rest of a terminal after a token, and keeps its exits. Returns [`UNKNOWN`] if the
    /// rest of some state is not known, or if the terminal has no loop, so that a walk would be long.
    fn reach(&mut self, lexeme: NetworkNodeId) -> Result<u64, Error> {
        if let Some(known) = self.reaches.get(&lexeme) {
            return Ok(known.rest);
        }
        let unknown = || LexemeReach { rest: UNKNOWN, exits: Vec::new() };
        let reach = self.walk_lexeme(lexeme)?.unwrap_or_else(unknown);
        let rest = reach.rest;
        self.kept_exits += 1 + reach.exits.len();
        self.reaches.insert(lexeme, reach);
        Ok(rest)
    }

    /// Walks the trie from a state of a terminal. Returns `None` if the state has no loop, or if the rest of
    /// some state is not known.
    fn walk_lexeme(&mut self, lexeme: NetworkNodeId) -> Result<Option<LexemeReach>, Error> {
        let vocabulary = self.masks.vocabulary().clone();
        let trie = vocabulary.trie();
        let lexicon = self.masks.lexicon().clone();
        let index = lexicon.trie_index();
        let mut loops: FxHashMap<SetId, Option<Loop>> = FxHashMap::default();
        let mut reach = LexemeReach::default();
        let start = self.masks.recognizer().inspect().open_state(lexeme)?;
        let mut stack = vec![(TrieNodeId::ROOT, start)];
        while let Some((node, state)) = stack.pop() {
            if trie.end(node).0 - node.0 > MIN_LOOP_NODES
                && let Some(inner) = index.inner(node)
            {
                let known = match loops.get(&state) {
                    Some(&known) => known,
                    None => self.find_loop(state)?,
                };
                loops.insert(state, known);
                if known.is_none() && node == TrieNodeId::ROOT {
                    return Ok(None);
                }
                if let Some(found) = known.filter(|found| index.summary(inner).ascii & !found.ascii == 0) {
                    reach.rest = reach.rest.max(found.rest);
                    continue;
                }
            }
            for child in trie.children(node) {
                charge(1)?;
                let next = self.masks.recognizer().step(state, trie.byte(child))?;
                if next.completes() {
                    reach.exits.push(child);
                } else if !next.is_dead() {
                    if next != state || node == TrieNodeId::ROOT {
                        let Some(rest) = self.rest_of(next)? else { return Ok(None) };
                        reach.rest = reach.rest.max(rest);
                    }
                    stack.push((child, next));
                }
            }
        }
        Ok(Some(reach))
    }

    /// Returns the greatest rest of the terminals of a state. Returns `None` if one is not known.
    fn rest_of(&mut self, state: SetId) -> Result<Option<u64>, Error> {
        let mut greatest = 0;
        for item in &self.masks.recognizer().inspect().split(state)?.lexemes {
            match self.bytes.rest_of_lexeme(self.masks.recognizer(), item.node)? {
                Some(rest) => greatest = greatest.max(rest),
                None => return Ok(None),
            }
        }
        Ok(Some(greatest))
    }

    /// Returns the loop of a state of a terminal. Returns `None` if there is none of few states.
    fn find_loop(&mut self, state: SetId) -> Result<Option<Loop>, Error> {
        let mut states = vec![state];
        let mut place = 0;
        let mut found = Loop { ascii: 0, rest: 0 };
        while let Some(&state) = states.get(place) {
            place += 1;
            let Some(rest) = self.rest_of(state)? else { return Ok(None) };
            found.rest = found.rest.max(rest);
            charge(128)?;
            for byte in 0x80..=u8::MAX {
                let next = self.masks.recognizer().step(state, byte)?;
                if next.completes() {
                    return Ok(None);
                }
                if !next.is_dead() && !states.contains(&next) {
                    if states.len() == MAX_LOOP_STATES {
                        return Ok(None);
                    }
                    states.push(next);
                }
            }
        }
        for character in 0..128 {
            let mut stays = true;
            for &state in &states {
                charge(1)?;
                let next = self.masks.recognizer().step(state, character)?;
                stays &= next.is_dead() || states.contains(&next) && !next.completes();
            }
            found.ascii |= u128::from(stays) << character;
        }
        Ok(Some(found))
    }
}

//! The edges of the graph of callers, on which [`ShortestCompletion`] searches.

use grammask_work::{charge_len, spent};

use super::lengths::INFINITE;
use super::lexemes::{shortest, shortest_text};
use super::{CompletionStep, ShortestCompletion, Vertex};
use crate::{DistinctItem, Error, NetworkNodeId, OriginId, Recognizer, SetId};

/// Units of work of a search for a distance or a path, up to which it reads further items of a `distinct!`
/// that need not come.
const UNITS_FOR_ITEMS: u64 = 10_000;

impl ShortestCompletion {
    /// Appends the edges of a vertex: the least number of bytes, and the next vertex.
    pub(super) fn exits(
        &mut self,
        recognizer: &Recognizer,
        vertex: Vertex,
        exits: &mut Vec<(u64, Vertex)>,
    ) -> Result<(), Error> {
        match vertex {
            Vertex::End | Vertex::Completed(OriginId::ROOT) => exits.push((0, Vertex::End)),
            Vertex::State(state) if state.completes() => exits.push((0, Vertex::End)),
            Vertex::State(state) => {
                let parts = recognizer.inspect().split(state)?.clone();
                charge_len(parts.lexemes.len())?;
                let network = recognizer.network();
                let mut distinct = Vec::new();
                for item in &parts.lexemes {
                    if let Some(item) = recognizer.inspect().distinct(item.node)? {
                        distinct.push(item.item);
                        continue;
                    }
                    let length = shortest(recognizer, &mut self.lexemes, item.node, &self.limits)?.length;
                    // A live lexeme has a completion, so a limit was exceeded.
                    self.is_exact &= length < INFINITE;
                    exits.push((length, Vertex::Completed(item.origin)));
                }
                for item in recognizer.kernel(parts.rest) {
                    let length = self.lengths.by_scanning(network, item.node)?;
                    exits.push((length, Vertex::Completed(item.origin)));
                }
                // Further items mostly make a list longer, and each order of them is a state. So items are
                // read while that is little work, and where the text cannot go on without one.
                let is_needed = || exits.iter().all(|&(length, _)| length == INFINITE);
                if spent() - self.begun < UNITS_FOR_ITEMS || is_needed() {
                    for item in distinct {
                        self.exits_of_distinct(recognizer, state, item, exits)?;
                    }
                }
            }
            Vertex::Completed(origin) => {
                let mut is_known = true;
                for caller in recognizer.callers(origin) {
                    let length = match self.lengths.of(caller.node) {
                        INFINITE => self.rest(recognizer, caller.node)?,
                        length => Some(length),
                    };
                    is_known &= length.is_some();
                    exits.push((length.unwrap_or(INFINITE), Vertex::Completed(caller.origin)));
                }
                // The rest of an item of `distinct!` is in the predicted items.
                if !is_known {
                    exits.push((0, Vertex::State(recognizer.inspect().state_after(origin)?)));
                }
            }
        }
        Ok(())
    }
}

impl ShortestCompletion {
    /// Returns the least number of bytes from a node to the end of its rule. Returns `None` if only its items
    /// tell, because it is not a node of the network, a counter or a permutation.
    fn rest(&mut self, recognizer: &Recognizer, node: NetworkNodeId) -> Result<Option<u64>, Error> {
        if node.index() < recognizer.network().nodes.len() {
            return Ok(Some(INFINITE));
        }
        if let Some(&known) = self.rests.get(&node) {
            return Ok(known);
        }
        let length = match recognizer.inspect().progress(node) {
            Some((callee, rest)) => self.lengths.rest(recognizer.network(), callee, rest)?,
            None => None,
        };
        self.rests.insert(node, length);
        Ok(length)
    }

    /// Appends the edges of a state inside of a `distinct!` item, or before it.
    fn exits_of_distinct(
        &mut self,
        recognizer: &Recognizer,
        state: SetId,
        item: DistinctItem,
        exits: &mut Vec<(u64, Vertex)>,
    ) -> Result<(), Error> {
        let lexeme = match item {
            DistinctItem::Rule(item) => return self.exits_of_rule(recognizer, state, item, exits),
            DistinctItem::Lexeme(lexeme) => lexeme,
        };
        // The state after the item depends on its text, so spell the text out.
        if let Some(text) = shortest_text(recognizer, lexeme, &self.limits)? {
            let next = recognizer.step_bytes(state, &text, |_| true)?;
            exits.push((text.len() as u64, Vertex::State(next)));
        }
        Ok(())
    }

    /// Appends the edges of a state inside of a `distinct!` item that is a rule. `item` is the rule's state.
    ///
    /// The edge spells the shortest rest of the item. Where that is the rest of a used value, each byte that
    /// may follow instead has an edge.
    fn exits_of_rule(
        &mut self,
        recognizer: &Recognizer,
        state: SetId,
        item: SetId,
        exits: &mut Vec<(u64, Vertex)>,
    ) -> Result<(), Error> {
        let max_steps = usize::try_from(self.limits.max_bytes).unwrap_or(usize::MAX);
        let rest = self.path(recognizer, item, max_steps)?;
        let (mut here, mut read) = (state, 0);
        for step in &rest {
            let CompletionStep::Byte(byte) = *step else { break };
            let next = recognizer.step(here, byte)?;
            if next.is_dead() {
                break;
            }
            (here, read) = (next, read + 1);
        }
        if read > 0 && read == rest.len() {
            exits.push((read as u64, Vertex::State(here)));
            return Ok(());
        }
        for byte in recognizer.live_bytes(here)?.iter() {
            exits.push((read as u64 + 1, Vertex::State(recognizer.step(here, byte)?)));
        }
        Ok(())
    }
}

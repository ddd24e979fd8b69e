//! The shortest texts that complete a lexeme in progress, and other items that need no caller.

use grammask_work::charge;
use rustc_hash::{FxHashMap, FxHashSet};

use super::CompletionLimits;
use super::lengths::INFINITE;
use crate::{Error, NetworkNodeId, Recognizer};

/// A shortest text that completes a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shortest {
    /// Number of its bytes; infinite if none was found.
    pub(super) length: u64,
    /// Its first byte.
    pub(super) first: u8,
}

/// Returns the length and the first byte of a shortest text that completes a node.
pub(super) fn shortest(
    recognizer: &Recognizer,
    cache: &mut FxHashMap<NetworkNodeId, Shortest>,
    node: NetworkNodeId,
    limits: &CompletionLimits,
) -> Result<Shortest, Error> {
    if let Some(&known) = cache.get(&node) {
        return Ok(known);
    }
    let text = shortest_text(recognizer, node, limits)?.unwrap_or_default();
    let found = match text.first() {
        Some(&first) => Shortest { length: text.len() as u64, first },
        None => Shortest { length: INFINITE, first: 0 },
    };
    cache.insert(node, found);
    Ok(found)
}

/// Returns a shortest text that completes a node. It has at least one byte.
///
/// Returns `Ok(None)` if there is none within the limits.
pub(super) fn shortest_text(
    recognizer: &Recognizer,
    node: NetworkNodeId,
    limits: &CompletionLimits,
) -> Result<Option<Vec<u8>>, Error> {
    let inspector = recognizer.inspect();
    if inspector.is_lexeme(node) {
        return inspector.shortest_lexeme_text(node, limits.max_bytes, limits.max_states);
    }
    let start = inspector.open_state(node)?;
    // Breadth-first search. By visited state: the index of its predecessor, and the byte between them.
    let mut visited = vec![(start, 0, 0)];
    let mut states = FxHashSet::from_iter([start]);
    let (mut layer, mut length) = (0..1, 0);
    while !layer.is_empty() && length < limits.max_bytes && states.len() <= limits.max_states {
        length += 1;
        for index in layer.clone() {
            for class in &recognizer.network().class_bytes {
                let Some(byte) = class.first() else { continue };
                charge(1)?;
                let after = recognizer.step(visited[index].0, byte)?;
                if after.completes() {
                    let mut text = vec![byte];
                    let mut index = index;
                    while index > 0 {
                        let (_, before, byte) = visited[index];
                        text.push(byte);
                        index = before;
                    }
                    text.reverse();
                    return Ok(Some(text));
                }
                if !after.is_dead() && states.insert(after) {
                    visited.push((after, index, byte));
                }
            }
        }
        layer = layer.end..visited.len();
    }
    Ok(None)
}

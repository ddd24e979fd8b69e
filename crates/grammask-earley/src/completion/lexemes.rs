//! The shortest texts that complete a lexeme in progress.

use rustc_hash::{FxHashMap, FxHashSet};

use super::CompletionLimits;
use super::lengths::INFINITE;
use crate::{Error, Recognizer, SetId};

/// Returns the least number of bytes that complete a lexeme. `lexeme` is the set with its state alone.
pub(super) fn lexeme_length(
    recognizer: &Recognizer,
    cache: &mut FxHashMap<SetId, u64>,
    lexeme: SetId,
    limits: &CompletionLimits,
) -> Result<u64, Error> {
    if let Some(&length) = cache.get(&lexeme) {
        return Ok(length);
    }
    let text = shortest_text(recognizer, lexeme, limits)?;
    let length = text.map_or(INFINITE, |text| text.len() as u64);
    cache.insert(lexeme, length);
    Ok(length)
}

/// Returns a shortest text that completes a lexeme. `lexeme` is the set with its state alone.
///
/// Returns `Ok(None)` if there is none within the limits.
pub(super) fn shortest_text(
    recognizer: &Recognizer,
    lexeme: SetId,
    limits: &CompletionLimits,
) -> Result<Option<Vec<u8>>, Error> {
    // Breadth-first search. By visited state: the index of its predecessor, and the byte between them.
    let mut visited = vec![(lexeme, 0, 0)];
    let mut states = FxHashSet::from_iter([lexeme]);
    let (mut layer, mut length) = (0..1, 0);
    while !layer.is_empty() && length < limits.max_bytes && states.len() <= limits.max_states {
        length += 1;
        for index in layer.clone() {
            for class in &recognizer.network().class_bytes {
                let Some(byte) = class.first() else { continue };
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

//! The accepted steps of a matcher, in chunks. Full chunks never change, so clones share them and copy the
//! last only.

use std::sync::{Arc, OnceLock};

use grammask_earley::SetId;
use grammask_trie::TokenId;

/// Number of steps after which a chunk is full. A clone of a history copies at most that many.
const MAX_CHUNK_STEPS: usize = 256;

/// Number of bytes of text after which a chunk is full.
const MAX_CHUNK_BYTES: usize = 8 << 10;

/// An accepted token, or the bytes of one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The state before.
    pub(crate) before: SetId,
    /// The token. `None` for bytes.
    pub(crate) token: Option<TokenId>,
    /// Byte offset in the text of its chunk at which its bytes begin.
    start: usize,
}

/// The accepted steps, and their bytes.
///
/// # Complexity
/// Adding a step takes time linear in its bytes, cloning constant time, and removing k steps O(k). The text
/// as one slice is made by the first call that needs it, and updated from then on.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The chunk to which steps are added.
    last: Chunk,
    /// The whole text, after the first call of [`text`](Self::text).
    text: OnceLock<Vec<u8>>,
}

/// Consecutive steps, and a link to the chunk before them.
#[derive(Clone, Debug, Default)]
struct Chunk {
    before: Option<Arc<Chunk>>,
    /// Number of steps in all chunks before.
    steps_before: usize,
    /// Number of bytes in all chunks before.
    bytes_before: usize,
    steps: Vec<Step>,
    bytes: Vec<u8>,
}

impl History {
    /// Returns the number of steps.
    pub(crate) fn len(&self) -> usize {
        self.last.steps_before + self.last.steps.len()
    }

    /// Returns the number of bytes of all steps.
    pub(crate) fn text_len(&self) -> usize {
        self.last.bytes_before + self.last.bytes.len()
    }

    /// Adds a step: the state before it, its token if it is one, and its bytes.
    pub(crate) fn push(&mut self, before: SetId, token: Option<TokenId>, bytes: &[u8]) {
        self.last.steps.push(Step { before, token, start: self.last.bytes.len() });
        self.last.bytes.extend_from_slice(bytes);
        if let Some(text) = self.text.get_mut() {
            text.extend_from_slice(bytes);
        }
        // Now rather than with the next step, so that no clone copies a full chunk.
        if self.last.steps.len() == MAX_CHUNK_STEPS || self.last.bytes.len() >= MAX_CHUNK_BYTES {
            self.begin_chunk();
        }
    }

    /// Begins an empty chunk after the last one, which is full and shared from now on.
    #[cold]
    fn begin_chunk(&mut self) {
        let (steps_before, bytes_before) = (self.len(), self.text_len());
        let full = std::mem::take(&mut self.last);
        self.last = Chunk {
            steps_before,
            bytes_before,
            // The next chunk will have about as many steps and bytes.
            steps: Vec::with_capacity(full.steps.len()),
            bytes: Vec::with_capacity(full.bytes.len().min(MAX_CHUNK_BYTES)),
            before: Some(Arc::new(full)),
        };
    }

    /// Removes all but the first `keep` steps. Returns the state before the first removed step. Returns
    /// `None` if no step is removed.
    pub(crate) fn truncate(&mut self, keep: usize) -> Option<SetId> {
        if keep >= self.len() {
            return None;
        }
        if keep < self.last.steps_before {
            let mut chunk = self.last.before.take();
            while let Some(later) = chunk.take_if(|chunk| keep < chunk.steps_before) {
                chunk = later.before.clone();
            }
            self.last = Arc::unwrap_or_clone(chunk?);
        }
        let index = keep - self.last.steps_before;
        let step = self.last.steps[index];
        self.last.steps.truncate(index);
        self.last.bytes.truncate(step.start);
        let length = self.text_len();
        if let Some(text) = self.text.get_mut() {
            text.truncate(length);
        }
        Some(step.before)
    }

    /// Removes all steps.
    pub(crate) fn clear(&mut self) {
        self.last.before = None;
        (self.last.steps_before, self.last.bytes_before) = (0, 0);
        self.last.steps.clear();
        self.last.bytes.clear();
        if let Some(text) = self.text.get_mut() {
            text.clear();
        }
    }

    /// Returns the bytes of all steps.
    pub(crate) fn text(&self) -> &[u8] {
        self.text.get_or_init(|| {
            let mut text = Vec::with_capacity(self.text_len());
            self.in_order().iter().for_each(|chunk| text.extend_from_slice(&chunk.bytes));
            text
        })
    }

    /// Returns the bytes of all steps after the last step for which `is_last` is true.
    pub(crate) fn text_after(&self, mut is_last: impl FnMut(&Step) -> bool) -> Vec<u8> {
        let mut pieces = Vec::new();
        for chunk in self.backwards() {
            let last = chunk.steps.iter().rposition(&mut is_last);
            let start = last.map_or(0, |last| chunk.bytes_of(last).end);
            pieces.push(&chunk.bytes[start..]);
            if last.is_some() {
                break;
            }
        }
        pieces.reverse();
        pieces.concat()
    }

    /// Returns all steps with their bytes, in order.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (Step, &[u8])> {
        self.in_order().into_iter().flat_map(|chunk| {
            let steps = chunk.steps.iter().enumerate();
            steps.map(|(index, step)| (*step, &chunk.bytes[chunk.bytes_of(index)]))
        })
    }

    fn backwards(&self) -> impl Iterator<Item = &Chunk> {
        std::iter::successors(Some(&self.last), |chunk| chunk.before.as_deref())
    }

    fn in_order(&self) -> Vec<&Chunk> {
        let mut chunks: Vec<&Chunk> = self.backwards().collect();
        chunks.reverse();
        chunks
    }
}

impl Clone for History {
    /// Leaves out the text as one slice, which most clones never need.
    fn clone(&self) -> Self {
        Self { last: self.last.clone(), text: OnceLock::new() }
    }
}

impl Chunk {
    /// Returns the range of a step's bytes in `bytes`.
    fn bytes_of(&self, index: usize) -> std::ops::Range<usize> {
        let end = self.steps.get(index + 1).map_or(self.bytes.len(), |next| next.start);
        self.steps[index].start..end
    }
}

impl Drop for Chunk {
    /// Drops the chunks before in a loop. Nested drops would overflow the stack for long outputs.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(mut chunk) = before.and_then(Arc::into_inner) {
            before = chunk.before.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use grammask_testkit::random::Rng;

    use super::*;
    use crate::{Config, Grammar, Vocabulary};

    /// States that are pairwise distinct.
    fn sets() -> Vec<SetId> {
        let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], []).unwrap();
        let grammar = Grammar::compile("start ::= #'a{100}';", &vocabulary, &Config::default()).unwrap();
        let tables = grammar.tables();
        let step = |set: &SetId| tables.recognizer().step(*set, b'a').ok();
        std::iter::successors(Some(tables.recognizer().initial()), step).take(99).collect()
    }

    /// A history, and the list of steps that it should contain.
    #[derive(Clone, Default)]
    struct Pair {
        history: History,
        plain: Vec<(SetId, Option<TokenId>, Vec<u8>)>,
    }

    impl Pair {
        fn check(&self, asks_for_text: bool) {
            let text = self.plain.iter().flat_map(|(.., bytes)| bytes).copied().collect::<Vec<_>>();
            assert_eq!((self.history.len(), self.history.text_len()), (self.plain.len(), text.len()));
            let steps = self.history.steps().map(|(step, bytes)| (step.before, step.token, bytes.to_vec()));
            assert_eq!(steps.collect::<Vec<_>>(), self.plain);
            let last = self.plain.iter().rposition(|(_, token, _)| *token == Some(TokenId(7)));
            let after = &self.plain[last.map_or(0, |last| last + 1)..];
            assert_eq!(
                self.history.text_after(|step| step.token == Some(TokenId(7))),
                after.iter().flat_map(|(.., bytes)| bytes).copied().collect::<Vec<_>>()
            );
            if asks_for_text {
                assert_eq!(self.history.text(), text);
            }
        }
    }

    #[test]
    fn clones_are_independent() {
        let (mut rng, sets) = (Rng::new(1), sets());
        let mut pairs = vec![Pair::default()];
        for round in 0..600 {
            let index = rng.below(pairs.len());
            if pairs.len() < 6 && rng.chance(1, 3) {
                let copy = pairs[index].clone();
                pairs.push(copy);
            }
            let Pair { history, plain } = &mut pairs[index];
            match rng.below(20) {
                0 => {
                    history.clear();
                    plain.clear();
                }
                1..6 => {
                    // Half of the time to the border between two chunks, or next to it.
                    let border =
                        rng.below(plain.len() / MAX_CHUNK_STEPS + 1) * MAX_CHUNK_STEPS + rng.below(3);
                    let keep = if rng.chance(1, 2) { border } else { rng.below(plain.len() + 1) };
                    assert_eq!(history.truncate(keep), plain.get(keep).map(|(before, ..)| *before));
                    plain.truncate(keep);
                }
                _ => {
                    let long = rng.chance(1, 30);
                    for _ in 0..rng.below(if long { 6 } else { 300 }) {
                        let set = *rng.pick(&sets);
                        let token = rng.chance(9, 10).then(|| TokenId(rng.below(9) as u32));
                        let bytes = vec![rng.below(256) as u8; rng.below(if long { 6_000 } else { 4 })];
                        history.push(set, token, &bytes);
                        plain.push((set, token, bytes));
                    }
                }
            }
            pairs[index].check(round % 3 == 0);
            pairs[(index + 1) % pairs.len()].check(false);
        }
    }

    #[test]
    fn a_clone_copies_the_last_chunk_only() {
        let mut history = History::default();
        for _ in 0..10 * MAX_CHUNK_STEPS + 7 {
            history.push(SetId::DEAD, None, b"x");
        }
        let clone = history.clone();
        let shared = |history: &History| history.last.before.as_ref().map(Arc::as_ptr);
        assert!(shared(&history).is_some() && shared(&history) == shared(&clone));
        assert_eq!(clone.last.steps.len(), 7);
        history.push(SetId::DEAD, None, &[0; MAX_CHUNK_BYTES]);
        history.push(SetId::DEAD, None, b"x");
        assert_eq!(history.clone().last.bytes, b"x", "many bytes fill a chunk as well");
    }

    #[test]
    fn a_long_history_is_dropped_without_nesting() {
        let run = || {
            let mut history = History::default();
            for _ in 0..1_000 * MAX_CHUNK_STEPS {
                history.push(SetId::DEAD, None, b"x");
            }
            let clone = history.clone();
            drop(history);
            assert_eq!(clone.len(), 1_000 * MAX_CHUNK_STEPS);
            drop(clone);
        };
        // Too small a stack for a thousand nested calls.
        std::thread::Builder::new().stack_size(64 << 10).spawn(run).unwrap().join().unwrap();
    }
}

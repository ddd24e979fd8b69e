//! What a matcher has accepted, in chunks: full ones never change again, so clones share them, and only the last one is copied.

use std::sync::{Arc, OnceLock};

use grammask_earley::SetId;
use grammask_trie::TokenId;

/// How many steps a chunk has before the next begins, and how many bytes, if that is sooner. A clone copies at most one chunk.
const CHUNK: usize = 256;
const CHUNK_BYTES: usize = 8 << 10;

/// Something that was accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The state before.
    pub(crate) before: SetId,
    /// The token; none for bytes.
    pub(crate) token: Option<TokenId>,
    /// Where its bytes begin in the text of its chunk.
    start: usize,
}

/// What was accepted, call by call, and the bytes of it.
///
/// # Complexity
/// Adding a step and cloning O(1), but for the bytes of one step, which may be any number; taking back k steps O(k). The text as one piece is put together
/// when it is first asked for, and kept up from then on.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The chunk that grows.
    last: Chunk,
    /// The whole text, once somebody has asked for it.
    text: OnceLock<Vec<u8>>,
}

/// Some steps in a row, and all before them.
#[derive(Clone, Debug, Default)]
struct Chunk {
    before: Option<Arc<Chunk>>,
    /// How many steps there are before these.
    steps_before: usize,
    /// How many bytes.
    bytes_before: usize,
    steps: Vec<Step>,
    bytes: Vec<u8>,
}

impl History {
    /// How many steps there are.
    pub(crate) fn len(&self) -> usize {
        self.last.steps_before + self.last.steps.len()
    }

    /// How many bytes they have.
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
        // At once, so that no clone copies a full one.
        if self.last.steps.len() == CHUNK || self.last.bytes.len() >= CHUNK_BYTES {
            self.begin_chunk();
        }
    }

    #[cold]
    fn begin_chunk(&mut self) {
        let (steps_before, bytes_before) = (self.len(), self.text_len());
        let full = std::mem::take(&mut self.last);
        self.last = Chunk {
            steps_before,
            bytes_before,
            // Who has written one chunk will write another like it.
            steps: Vec::with_capacity(full.steps.len()),
            bytes: Vec::with_capacity(full.bytes.len().min(CHUNK_BYTES)),
            before: Some(Arc::new(full)),
        };
    }

    /// Takes back all but the first `keep` steps. Gives the state before the first of those taken back, if there are any.
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
        let place = keep - self.last.steps_before;
        let step = self.last.steps[place];
        self.last.steps.truncate(place);
        self.last.bytes.truncate(step.start);
        let length = self.text_len();
        if let Some(text) = self.text.get_mut() {
            text.truncate(length);
        }
        Some(step.before)
    }

    /// Takes back everything.
    pub(crate) fn clear(&mut self) {
        self.last.before = None;
        (self.last.steps_before, self.last.bytes_before) = (0, 0);
        self.last.steps.clear();
        self.last.bytes.clear();
        if let Some(text) = self.text.get_mut() {
            text.clear();
        }
    }

    /// All bytes.
    pub(crate) fn text(&self) -> &[u8] {
        self.text.get_or_init(|| {
            let mut text = Vec::with_capacity(self.text_len());
            self.in_order().iter().for_each(|chunk| text.extend_from_slice(&chunk.bytes));
            text
        })
    }

    /// The bytes of all steps behind the last one of these.
    pub(crate) fn text_behind(&self, mut is_last: impl FnMut(&Step) -> bool) -> Vec<u8> {
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

    /// All steps with their bytes, from the first on.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (Step, &[u8])> {
        self.in_order().into_iter().flat_map(|chunk| {
            let steps = chunk.steps.iter().enumerate();
            steps.map(|(place, step)| (*step, &chunk.bytes[chunk.bytes_of(place)]))
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
    /// The text as one piece is left behind: a clone that nobody asks for its text needs none.
    fn clone(&self) -> Self {
        Self { last: self.last.clone(), text: OnceLock::new() }
    }
}

impl Chunk {
    /// Where the bytes of a step are.
    fn bytes_of(&self, place: usize) -> std::ops::Range<usize> {
        let end = self.steps.get(place + 1).map_or(self.bytes.len(), |next| next.start);
        self.steps[place].start..end
    }
}

impl Drop for Chunk {
    /// Chunk by chunk, as dropping one that drops the one before it nests as deep as the output is long.
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

    /// Sets of which no two are the same.
    fn sets() -> Vec<SetId> {
        let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec())], []).unwrap();
        let grammar = Grammar::compile("start ::= #'a{100}';", &vocabulary, &Config::default()).unwrap();
        let tables = grammar.tables();
        let step = |set: &SetId| tables.recognizer().step(*set, b'a').ok();
        std::iter::successors(Some(tables.recognizer().initial()), step).take(99).collect()
    }

    /// A history beside the plain lists that it stands for.
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
            let behind = &self.plain[last.map_or(0, |last| last + 1)..];
            assert_eq!(
                self.history.text_behind(|step| step.token == Some(TokenId(7))),
                behind.iter().flat_map(|(.., bytes)| bytes).copied().collect::<Vec<_>>()
            );
            if asks_for_text {
                assert_eq!(self.history.text(), text);
            }
        }
    }

    #[test]
    fn clones_share_what_they_have_and_go_their_own_way() {
        let (mut rng, sets) = (Rng::new(1), sets());
        let mut pairs = vec![Pair::default()];
        for round in 0..600 {
            let place = rng.below(pairs.len());
            if pairs.len() < 6 && rng.chance(1, 3) {
                let copy = pairs[place].clone();
                pairs.push(copy);
            }
            let Pair { history, plain } = &mut pairs[place];
            match rng.below(20) {
                0 => {
                    history.clear();
                    plain.clear();
                }
                1..6 => {
                    // Often to the border between two chunks, or next to it.
                    let border = rng.below(plain.len() / CHUNK + 1) * CHUNK + rng.below(3);
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
            pairs[place].check(round % 3 == 0);
            pairs[(place + 1) % pairs.len()].check(false);
        }
    }

    #[test]
    fn a_clone_copies_the_last_chunk_alone() {
        let mut history = History::default();
        for _ in 0..10 * CHUNK + 7 {
            history.push(SetId::DEAD, None, b"x");
        }
        let clone = history.clone();
        let shared = |history: &History| history.last.before.as_ref().map(Arc::as_ptr);
        assert!(shared(&history).is_some() && shared(&history) == shared(&clone));
        assert_eq!(clone.last.steps.len(), 7);
        history.push(SetId::DEAD, None, &[0; CHUNK_BYTES]);
        history.push(SetId::DEAD, None, b"x");
        assert_eq!(history.clone().last.bytes, b"x", "many bytes fill a chunk, too");
    }

    #[test]
    fn a_long_history_is_dropped_without_nesting() {
        let run = || {
            let mut history = History::default();
            for _ in 0..1_000 * CHUNK {
                history.push(SetId::DEAD, None, b"x");
            }
            let clone = history.clone();
            drop(history);
            assert_eq!(clone.len(), 1_000 * CHUNK);
            drop(clone);
        };
        // So little stack that a thousand nested calls would not fit.
        std::thread::Builder::new().stack_size(64 << 10).spawn(run).unwrap().join().unwrap();
    }
}

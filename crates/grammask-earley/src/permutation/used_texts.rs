//! The texts of `distinct!` items: those being read, and those that have been used. Each is stored once.

use std::sync::Arc;

use grammask_regular::{ByteSet, RegularId};
use grammask_work::narrow;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::permutation::comparison::Cursor;
use crate::permutation::json_value::Value;
use crate::permutation::many_values::{Reached, ValuePosition};
use crate::{CalleeId, NetworkNodeId, SetId};

/// Budget of one byte of a text in [`DistinctTexts`], in bytes; a rough measure.
pub(super) const TEXT_BYTE_BYTES: usize = 32;

/// A used value that the text of an item may still become equal to.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Candidate {
    pub(super) used: UsedTextsId,
    pub(super) cursor: Cursor,
}

/// A text read so far: 0 for the empty text, else 1 plus an index into [`DistinctTexts::prefixes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PrefixId(u32);

pub(super) const EMPTY_PREFIX: PrefixId = PrefixId(0);

/// A list of used texts: 0 for none, else 1 plus an index into [`DistinctTexts::used`].
pub(crate) type UsedTextsId = u32;

/// Sentinel: the list of used texts is unknown.
pub(super) const UNKNOWN_TEXTS: UsedTextsId = UsedTextsId::MAX;

/// A list of used texts: an older list and one more text.
pub(super) struct UsedTexts {
    callee: CalleeId,
    pub(super) older: UsedTextsId,
    pub(super) text: Box<[u8]>,
    /// The value of the text, if texts are compared as JSON values.
    pub(super) value: Option<Value>,
    /// The item's language without all of these texts, once computed.
    pub(super) remaining: Option<RegularId>,
}

/// The texts being read and the texts used, each once.
#[derive(Default)]
pub(crate) struct DistinctTexts {
    /// The texts read so far: each is a shorter text and a last byte.
    prefixes: Vec<(PrefixId, u8)>,
    prefix_ids: FxHashMap<(PrefixId, u8), PrefixId>,
    pub(super) used: Vec<UsedTexts>,
    used_ids: FxHashMap<(CalleeId, UsedTextsId, Box<[u8]>), UsedTextsId>,
    /// Positions in items that are rules: states with the used values that the text agrees with, from which
    /// each continuation is one of these values.
    pub(super) only_used: FxHashSet<ComparedState>,
    /// Positions from which some continuation is another value. Only the newest are kept, because a text that
    /// is being read follows them.
    pub(super) may_differ: FxHashSet<ComparedState>,
    /// The number of values after positions in items that are rules, as far as it is known.
    pub(super) many_values: FxHashMap<ValuePosition, Reached>,
    pub(super) nodes: FxHashMap<(NetworkNodeId, PrefixId), NetworkNodeId>,
}

/// A state of an item that is a rule, with the used values that the text agrees with.
pub(super) type ComparedState = Arc<(SetId, Vec<Candidate>)>;

/// Maximum number of positions of which it is known that they may differ from the used values.
const MAX_DIFFERING_POSITIONS: usize = 1 << 12;

impl DistinctTexts {
    /// Keeps positions from which some continuation differs from the used values.
    pub(super) fn keep_differing(&mut self, positions: impl Iterator<Item = ComparedState>) {
        if self.may_differ.len() > MAX_DIFFERING_POSITIONS {
            self.may_differ.clear();
        }
        self.may_differ.extend(positions);
    }

    pub(super) fn longer(&mut self, prefix: PrefixId, byte: u8) -> PrefixId {
        *self.prefix_ids.entry((prefix, byte)).or_insert_with(|| {
            self.prefixes.push((prefix, byte));
            PrefixId(narrow(self.prefixes.len()))
        })
    }

    /// Returns the bytes of a text read so far.
    pub(super) fn bytes(&self, mut prefix: PrefixId) -> Vec<u8> {
        let mut bytes = Vec::new();
        while prefix.0 > 0 {
            let (shorter, byte) = self.prefixes[prefix.0 as usize - 1];
            bytes.push(byte);
            prefix = shorter;
        }
        bytes.reverse();
        bytes
    }

    /// Returns the list of used texts with one more text.
    pub(super) fn add_used(
        &mut self,
        callee: CalleeId,
        older: UsedTextsId,
        text: &[u8],
        by_value: bool,
    ) -> UsedTextsId {
        *self.used_ids.entry((callee, older, text.into())).or_insert_with(|| {
            let value = by_value.then(|| Value::of(text));
            self.used.push(UsedTexts { callee, older, text: text.into(), value, remaining: None });
            narrow(self.used.len())
        })
    }

    /// Returns the used texts, oldest first; for display.
    pub(crate) fn list(&self, mut used: UsedTextsId) -> Vec<String> {
        let mut texts = Vec::new();
        while let Some(newest) = self.get(used) {
            texts.push(String::from_utf8_lossy(&newest.text).into_owned());
            used = newest.older;
        }
        texts.reverse();
        texts
    }

    pub(super) fn get(&self, used: UsedTextsId) -> Option<&UsedTexts> {
        self.used.get((used as usize).checked_sub(1)?)
    }

    /// Copies a list of used texts from another recognizer, and returns its id in `self`.
    pub(crate) fn import(&mut self, from: &Self, mut used: UsedTextsId) -> UsedTextsId {
        let mut path = Vec::new();
        while let Some(newest) = from.get(used) {
            path.push(newest);
            used = newest.older;
        }
        let add =
            |older, used: &&UsedTexts| self.add_used(used.callee, older, &used.text, used.value.is_some());
        path.iter().rev().fold(0, add)
    }

    /// Returns the used values before the first byte of an item.
    pub(super) fn candidates(&self, mut used: UsedTextsId) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        while let Some(newest) = self.get(used) {
            if let Some(value) = &newest.value {
                candidates.push(Candidate { used, cursor: Cursor::new(value) });
            }
            used = newest.older;
        }
        candidates
    }

    /// Returns the value of a candidate.
    pub(super) fn value(&self, candidate: &Candidate) -> &Value {
        let used = self.get(candidate.used).and_then(|used| used.value.as_ref());
        used.expect("a candidate is a used value")
    }

    /// Returns the candidates that a text with one more byte may still become equal to.
    pub(super) fn advance(&self, candidates: &[Candidate], byte: u8) -> Vec<Candidate> {
        let advanced = candidates.iter().filter_map(|candidate| {
            let mut cursor = candidate.cursor.clone();
            cursor.advance(self.value(candidate), byte).then_some(Candidate { used: candidate.used, cursor })
        });
        advanced.collect()
    }

    /// Returns true if the text is equal to a candidate.
    pub(super) fn is_used(&self, candidates: &[Candidate]) -> bool {
        candidates.iter().any(|candidate| candidate.cursor.is_equal(self.value(candidate)))
    }

    /// Returns a superset of the bytes after which a candidate remains.
    pub(super) fn next_bytes(&self, candidates: &[Candidate]) -> ByteSet {
        candidates.iter().fold(ByteSet::EMPTY, |bytes, candidate| {
            bytes.union(&candidate.cursor.next_bytes(self.value(candidate)))
        })
    }
}

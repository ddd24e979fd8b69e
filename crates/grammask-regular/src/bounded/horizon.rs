//! The strings that a walk over the vocabulary can read. Two bounds of a language follow: how often it
//! repeats within these strings, and how far its prefixes are from an end.

use crate::store::node::{JsonPosition, Kind, RegularId, UNBOUNDED};
use crate::{ByteSet, Error, Store};
use grammask_work::{charge, count};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The strings that a walk can read from a state: all strings of up to some length, and the substrings of
/// some longer texts.
///
/// It caches results about languages, so it belongs to one [`Store`].
///
/// ```
/// # use grammask_regular::analysis::{self, Horizon};
/// # use grammask_regular::{Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let mut horizon = Horizon::new(2, [b"a-a-a-a"]);
/// // No text has more than two `a` in a row.
/// let far = store.regex("a{0,100}")?;
/// let farther = store.regex("a{0,99}")?;
/// let far = analysis::saturate(&mut store, far, &mut horizon)?;
/// assert_eq!(analysis::saturate(&mut store, farther, &mut horizon)?, far);
/// # Ok::<(), grammask_regular::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Horizon {
    /// All strings of at most this many bytes belong to the horizon.
    short: u32,
    /// The texts that are longer than `short`, the longest first.
    long: Arc<[Box<[u8]>]>,
    /// Results of [`max_repetitions`].
    times: FxHashMap<RegularId, u32>,
    reaches: ReachTable,
}

/// Number of tables of cached results.
const REACH_TABLES: usize = 64;

/// Results by expression, in [`REACH_TABLES`] small tables, so that no insertion has to grow a large one.
#[derive(Clone, Debug)]
struct ReachTable {
    tables: [FxHashMap<RegularId, BoundedReach>; REACH_TABLES],
    len: usize,
}

impl Default for ReachTable {
    fn default() -> Self {
        Self { tables: std::array::from_fn(|_| FxHashMap::default()), len: 0 }
    }
}

impl ReachTable {
    fn get(&self, a: RegularId) -> Option<BoundedReach> {
        self.tables[a.index() % REACH_TABLES].get(&a).copied()
    }

    fn insert(&mut self, a: RegularId, reach: BoundedReach) {
        self.len += usize::from(self.tables[a.index() % REACH_TABLES].insert(a, reach).is_none());
    }
}

/// Upper bounds of the distance to the end of a string, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundedReach {
    /// Upper bound of the length of the shortest string; [`UNBOUNDED`] if unknown.
    least: u32,
    /// Number of bytes that suffices to complete any non-empty prefix of a string.
    inside: u32,
    /// A superset of the bytes of all strings.
    pub(crate) bytes: ByteSet,
}

/// Work of one visited expression.
const UNITS_PER_EXPRESSION: u64 = 4;

/// No bounds are known.
const UNKNOWN: BoundedReach = BoundedReach { least: UNBOUNDED, inside: UNBOUNDED, bytes: ByteSet::ALL };

impl BoundedReach {
    /// Returns a number of bytes that suffices to complete any prefix of a string, including the empty one.
    pub(crate) fn room(&self) -> u32 {
        self.least.max(self.inside)
    }
}

/// Maximum number of bytes that [`max_repetitions`] reads. Beyond it, the bound is the length of the text
/// divided by the least length of a string.
const MAX_BYTES_READ: usize = 50_000;

impl Horizon {
    /// Returns the horizon of all strings of up to `short` bytes, and of the substrings of the texts.
    pub fn new(short: u32, texts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        let mut long: Vec<Box<[u8]>> = texts.into_iter().map(|text| text.as_ref().into()).collect();
        long.retain(|text| text.len() > short as usize);
        long.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        long.dedup();
        Self { short, long: long.into(), ..Self::default() }
    }

    /// Returns a horizon with the same strings, and without cached results.
    ///
    /// # Complexity
    /// O(1).
    #[must_use]
    pub fn unexplored(&self) -> Self {
        Self { short: self.short, long: Arc::clone(&self.long), ..Self::default() }
    }

    /// Returns the heap bytes of the cached results, approximately.
    pub fn bytes_used(&self) -> usize {
        self.times.len() * 16 + self.reaches.len * (size_of::<BoundedReach>() + 16)
    }

    /// Returns the length of the longest string, in bytes.
    pub(crate) fn longest(&self) -> u32 {
        self.long.first().map_or(self.short, |text| u32::try_from(text.len()).unwrap_or(UNBOUNDED))
    }

    /// Returns the length in bytes up to which all strings belong to the horizon.
    pub(crate) fn short(&self) -> u32 {
        self.short
    }
}

/// Returns an upper bound of how many strings of `base` follow each other in a string of the horizon. `base`
/// does not contain the empty string.
pub(crate) fn max_repetitions(
    store: &mut Store,
    base: RegularId,
    horizon: &mut Horizon,
) -> Result<u32, Error> {
    if let Some(&known) = horizon.times.get(&base) {
        return Ok(known);
    }
    let least = store.node(base).min.max(1);
    let mut most = horizon.short / least;
    let mut steps = 0;
    'texts: for text in &*horizon.long {
        let fit = u32::try_from(text.len()).unwrap_or(UNBOUNDED) / least;
        if fit <= most {
            break;
        }
        // Greatest number of consecutive strings of `base` that end at each position.
        let mut ended = vec![0; text.len() + 1];
        for start in 0..text.len() {
            let mut state = base;
            for (place, &byte) in (start + 1..).zip(&text[start..]) {
                steps += 1;
                charge(1)?;
                if steps > MAX_BYTES_READ {
                    // The remaining texts are not longer.
                    most = fit;
                    break 'texts;
                }
                state = store.derivative(state, byte)?;
                if state == RegularId::EMPTY {
                    break;
                }
                if store.is_nullable(state) {
                    ended[place] = ended[place].max(ended[start] + 1);
                }
            }
            most = most.max(ended[start + 1]);
        }
    }
    horizon.times.insert(base, most);
    Ok(most)
}

/// Returns upper bounds of the distance to the end of a string, computed from the expression.
///
/// # Complexity
/// Linear in the size of the expression. Results for operands are cached.
pub(crate) fn bounded_reach(store: &Store, a: RegularId, horizon: &mut Horizon) -> BoundedReach {
    let known = &mut horizon.reaches;
    let mut stack = vec![a];
    while let Some(&a) = stack.last() {
        let len = stack.len();
        count(UNITS_PER_EXPRESSION);
        match store.node(a).kind {
            _ if known.get(a).is_some() => {}
            Kind::Concat(head, tail) => stack.extend([head, tail]),
            Kind::Or(list) => stack.extend(store.list(list)),
            Kind::Repeat { base, .. } => stack.push(base),
            Kind::PrefixMinimal(a) | Kind::Json { text: a, .. } => stack.push(a),
            _ => {}
        }
        let mut place = len;
        while place < stack.len() {
            if known.get(stack[place]).is_some() {
                stack.swap_remove(place);
            } else {
                place += 1;
            }
        }
        if stack.len() == len {
            let found = reach_of(store, a, known);
            known.insert(a, found);
            stack.pop();
        }
    }
    known.get(a).unwrap_or(UNKNOWN)
}

/// Computes the result for an expression from the results for its operands.
fn reach_of(store: &Store, a: RegularId, known: &ReachTable) -> BoundedReach {
    if let Some(known) = known.get(a) {
        return known;
    }
    let unknown = UNKNOWN;
    let of = |a| known.get(a).unwrap_or(UNKNOWN);
    match store.node(a).kind {
        Kind::Epsilon => BoundedReach { least: 0, inside: 0, bytes: ByteSet::EMPTY },
        Kind::Bytes(set) => BoundedReach { least: 1, inside: 0, bytes: *store.byte_set(set) },
        Kind::Acyclic(state) => {
            let (mut bytes, mut seen, mut next) = (ByteSet::EMPTY, vec![state], 0);
            while let Some(&state) = seen.get(next) {
                next += 1;
                if seen.len() > MAX_CLASS_STATES {
                    bytes = ByteSet::ALL;
                    break;
                }
                for edge in store.leaves.acyclic.edges(state) {
                    bytes.insert_range(edge.first, edge.last);
                    if !seen.contains(&edge.target) {
                        seen.push(edge.target);
                    }
                }
            }
            let longest = store.leaves.acyclic.longest(state);
            BoundedReach {
                least: if store.is_nullable(a) { 0 } else { longest },
                inside: longest.saturating_sub(1),
                bytes,
            }
        }
        Kind::Words { range, depth } => {
            let longest = store.node(a).max;
            let (list, words) = store.leaves.words(range);
            let mut bytes = ByteSet::ALL;
            if longest.saturating_mul(words.end - words.start) <= MAX_WORD_BYTES {
                bytes = list.rests(words, depth).flatten().copied().collect();
            }
            BoundedReach { least: longest, inside: longest.saturating_sub(1), bytes }
        }
        // The language is prefix-closed, so no byte is needed to complete a prefix.
        Kind::AhoCorasick { .. } | Kind::Factor { .. } => {
            BoundedReach { least: 0, inside: 0, bytes: ByteSet::ALL }
        }
        Kind::Concat(head, tail) => {
            let (head, tail) = (of(head), of(tail));
            BoundedReach {
                least: head.least.saturating_add(tail.least),
                inside: head.inside.saturating_add(tail.least).max(tail.inside),
                bytes: head.bytes.union(&tail.bytes),
            }
        }
        Kind::Or(list) => store.list(list).iter().map(|&member| of(member)).fold(
            BoundedReach { inside: 0, bytes: ByteSet::EMPTY, ..unknown },
            |all, one| BoundedReach {
                least: all.least.min(one.least),
                inside: all.inside.max(one.inside),
                bytes: all.bytes.union(&one.bytes),
            },
        ),
        Kind::Repeat { base, min, .. } => {
            let base = of(base);
            let others = base.least.saturating_mul(min.saturating_sub(1));
            BoundedReach {
                least: base.least.saturating_mul(min),
                inside: base.inside.saturating_add(others),
                bytes: base.bytes,
            }
        }
        // A shortest completion to a string of the operand passes no other string of the operand.
        Kind::PrefixMinimal(inner) => of(inner),
        Kind::Json { text, at, .. } => {
            let text = of(text);
            let begun = if at == JsonPosition::Character { 0 } else { MAX_CHARACTER_SPELLING_BYTES };
            BoundedReach {
                least: text.least.saturating_mul(6).saturating_add(begun),
                inside: text.room().saturating_mul(6).saturating_add(MAX_CHARACTER_SPELLING_BYTES),
                bytes: ByteSet::ALL,
            }
        }
        Kind::Empty | Kind::Number(_) | Kind::Not(_) | Kind::And(_) => unknown,
    }
}

/// Maximum number of visited states of a character class. Beyond it, the class counts as one of all bytes.
const MAX_CLASS_STATES: usize = 200;
/// Maximum number of bytes of words. Beyond it, the words count as words of all bytes.
const MAX_WORD_BYTES: u32 = 4096;

/// Bytes of the longest spelling of a character in a JSON string.
const MAX_CHARACTER_SPELLING_BYTES: u32 = 12;

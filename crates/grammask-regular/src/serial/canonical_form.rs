//! A canonical form of expressions, without ids of their store. Results that are stored by canonical form are
//! found again for an equal expression of another store.

use std::hash::{Hash, Hasher};

use crate::number::state::NumberState;
use crate::store::node::{JsonPosition, Kind, RegularId};
use crate::{ByteSet, Escapes, Store};
use grammask_work::narrow;
use rustc_hash::FxHashMap;

/// Levels of operands that are written. Formats of dates and addresses have some levels.
const MAX_DEPTH: u32 = 32;
/// Maximum length of written paths of the acyclic DFA, in bytes.
const MAX_PATH_BYTES: u32 = 64;

/// Number of states up to which linear search is faster than a hash table.
const MAX_STATES_SCANNED: usize = 64;

/// Writes at most `room` more numbers.
struct Writer<'w> {
    room: usize,
    write: &'w mut dyn FnMut(u32),
    /// The states of the acyclic DFA that have been written, in this order.
    states: Vec<u32>,
    /// Index of each state in `states`; used from [`MAX_STATES_SCANNED`] states on.
    places: FxHashMap<u32, u32>,
    /// Positions of the unions and intersections that have been written.
    lists: FxHashMap<RegularId, u32>,
}

/// The kind of an operand. Single bytes have numbers above these.
#[derive(Clone, Copy)]
enum Tag {
    Empty,
    Epsilon,
    /// Eight numbers follow, with a bit for each byte.
    Bytes,
    /// The language of single characters.
    Character,
    /// A state of the acyclic DFA: see [`write_state`].
    Acyclic,
    /// The number of words follows, then for each its length and its bytes in groups of four.
    Words,
    /// Two operands follow.
    Concat,
    /// A union or an intersection that has been written before: its position among these follows.
    Known,
    /// The number of operands follows, then each of them.
    Or,
    /// As for `Or`.
    And,
    Not,
    /// The bounds follow, then an operand.
    Repeat,
    /// The position in a spelling follows, then an operand.
    Json,
    /// A count follows, then this many numbers, which encode a language of numbers and a position.
    Numbers,
}

/// Offset of the tags of single bytes.
const BYTE_OFFSET: u32 = 1 << 8;

impl Writer<'_> {
    /// Writes a number. Returns `None` if there is no room.
    fn number(&mut self, number: u32) -> Option<()> {
        self.room = self.room.checked_sub(1)?;
        (self.write)(number);
        Some(())
    }

    /// Returns the position of a state among the written ones, and adds the state if it is new.
    fn position(&mut self, state: u32) -> u32 {
        let known = if self.states.len() < MAX_STATES_SCANNED {
            self.states.iter().position(|&other| other == state).map(narrow)
        } else {
            self.places.get(&state).copied()
        };
        known.unwrap_or_else(|| {
            let position = narrow(self.states.len());
            self.states.push(state);
            match self.states.len() {
                0..MAX_STATES_SCANNED => {}
                MAX_STATES_SCANNED => self.places.extend(self.states.iter().copied().zip(0..)),
                _ => _ = self.places.insert(state, position),
            }
            position
        })
    }

    fn tag(&mut self, tag: Tag) -> Option<()> {
        self.number(tag as u32)
    }

    fn set(&mut self, set: &ByteSet) -> Option<()> {
        if let Some(byte) = set.single_byte() {
            return self.number(BYTE_OFFSET + u32::from(byte));
        }
        self.tag(Tag::Bytes)?;
        (0..=7).try_for_each(|part: u8| {
            let bits = (0..32).filter(|bit| set.contains(part * 32 + bit));
            self.number(bits.fold(0, |number, bit| number | 1 << bit))
        })
    }

    fn text(&mut self, text: &[u8]) -> Option<()> {
        self.number(u32::try_from(text.len()).ok()?)?;
        text.chunks(4).try_for_each(|bytes| {
            self.number(bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)))
        })
    }
}

/// Records the data that a value writes to a hasher. Different values of a type write different sequences,
/// because the length of each part precedes it.
#[derive(Default)]
struct Recorder(Vec<u32>);

impl Hasher for Recorder {
    fn write(&mut self, bytes: &[u8]) {
        self.0.push(narrow(bytes.len()));
        for bytes in bytes.chunks(4) {
            self.0.push(bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)));
        }
    }

    /// The hash is not used.
    fn finish(&self) -> u64 {
        0
    }
}

/// Writes an expression as numbers: languages with equal canonical forms are equal, whichever stores they
/// belong to. So a caller that keeps results by canonical form need not [`import`](Store::import) the same
/// language twice.
///
/// Returns false, and has written an unspecified prefix, if the expression is nested too deeply, contains an
/// exception or the substrings of a text, or takes more than `most` numbers. Equal languages may have
/// different canonical forms.
///
/// # Complexity
/// O(`most`).
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let (mut one, mut other) = (Store::new(&Limits::default()), Store::new(&Limits::default()));
/// other.regex("[0-9]+")?; // from here on, equal expressions have different ids
/// let canonical_form = |store: &mut Store, text: &[u8]| {
///     let mut form = Vec::new();
///     let language = store.literal(text)?;
///     assert!(analysis::write_canonical_form(store, language, 64, &mut |number| form.push(number)));
///     Ok::<_, grammask_regular::Error>(form)
/// };
/// assert_eq!(canonical_form(&mut one, b"key")?, canonical_form(&mut other, b"key")?);
/// assert_ne!(canonical_form(&mut one, b"key")?, canonical_form(&mut other, b"kez")?);
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn write_canonical_form(store: &Store, a: RegularId, most: usize, write: &mut dyn FnMut(u32)) -> bool {
    write_expression(
        store,
        &mut Writer {
            room: most,
            write,
            states: Vec::new(),
            places: FxHashMap::default(),
            lists: FxHashMap::default(),
        },
        a,
        MAX_DEPTH,
    )
    .is_some()
}

/// A prefix code: the operands follow the tag, so every form has one reading.
fn write_expression(store: &Store, to: &mut Writer<'_>, a: RegularId, depth: u32) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    let mut part = a;
    // A loop, because a concatenation may be as long as a text.
    while let Kind::Concat(head, tail) = store.node(part).kind {
        to.tag(Tag::Concat)?;
        write_expression(store, to, head, depth)?;
        part = tail;
    }
    match store.node(part).kind {
        Kind::Empty => to.tag(Tag::Empty),
        Kind::Epsilon => to.tag(Tag::Epsilon),
        Kind::Bytes(set) => to.set(store.byte_set(set)),
        Kind::Acyclic(_) if store.memos.any_character == Some(part) => to.tag(Tag::Character),
        Kind::Acyclic(state) => {
            to.tag(Tag::Acyclic)?;
            write_state(store, to, state, MAX_PATH_BYTES)
        }
        Kind::Words { range, depth } => {
            let (list, mut words) = store.leaves.words(range);
            to.tag(Tag::Words)?;
            to.number(words.end - words.start)?;
            words.try_for_each(|index| to.text(&list.word(index)[depth as usize..]))
        }
        Kind::Or(list) | Kind::And(list) => {
            let next = narrow(to.lists.len());
            let position = *to.lists.entry(part).or_insert(next);
            if position < next {
                to.tag(Tag::Known)?;
                return to.number(position);
            }
            let is_union = matches!(store.node(part).kind, Kind::Or(_));
            to.tag(if is_union { Tag::Or } else { Tag::And })?;
            to.number(list.len)?;
            store.list(list).iter().try_for_each(|&member| write_expression(store, to, member, depth))
        }
        Kind::Not(inner) => {
            to.tag(Tag::Not)?;
            write_expression(store, to, inner, depth)
        }
        Kind::Repeat { base, min, max } => {
            to.tag(Tag::Repeat)?;
            to.number(min)?;
            to.number(max)?;
            write_expression(store, to, base, depth)
        }
        Kind::Json { text, escapes, at } => {
            to.tag(Tag::Json)?;
            to.number(match escapes {
                Escapes::Any => 0,
                Escapes::Short => 1,
                Escapes::Required => 2,
            })?;
            to.number(match at {
                JsonPosition::Character => 0,
                JsonPosition::AfterBackslash => 1,
                JsonPosition::AfterU => 2,
            })?;
            write_expression(store, to, text, depth)
        }
        Kind::Number(state) => {
            let NumberState { numbers, position } = store.leaves.number_states[state];
            let mut recorder = Recorder::default();
            (&store.leaves.numbers[numbers], position).hash(&mut recorder);
            to.tag(Tag::Numbers)?;
            to.number(u32::try_from(recorder.0.len()).ok()?)?;
            recorder.0.into_iter().try_for_each(|number| to.number(number))
        }
        // Concatenations have been handled above.
        Kind::Concat(..) | Kind::AhoCorasick { .. } | Kind::Factor { .. } | Kind::PrefixMinimal(_) => None,
    }
}

/// Writes a state of the acyclic DFA as its position among the states written before. A new state takes the
/// next position, followed by twice its number of edges, plus one if it is final, and by each edge with its
/// target.
fn write_state(store: &Store, to: &mut Writer<'_>, state: u32, depth: u32) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    let next = narrow(to.states.len());
    let position = to.position(state);
    to.number(position)?;
    if position < next {
        return Some(());
    }
    let edges = store.leaves.acyclic.edges(state);
    to.number(narrow(edges.len()) << 1 | u32::from(store.leaves.acyclic.is_final(state)))?;
    edges.iter().try_for_each(|edge| {
        to.number(u32::from(edge.first) << 8 | u32::from(edge.last))?;
        write_state(store, to, edge.target, depth)
    })
}

#[cfg(test)]
mod tests {
    use super::write_canonical_form;
    use rustc_hash::FxHashMap;

    use crate::{Comparison, Limits, RegularId, Store};

    fn transcript(store: &Store, a: RegularId) -> Option<Vec<u32>> {
        let mut numbers = Vec::new();
        write_canonical_form(store, a, 256, &mut |number| numbers.push(number)).then_some(numbers)
    }

    /// Different expressions, and all that derivatives make of them.
    fn languages(store: &mut Store) -> Vec<RegularId> {
        let mut open = Vec::new();
        for pattern in [
            "abc",
            "abcd",
            "ab|ac",
            "a{2,5}",
            "a{2,6}",
            "[a-c]*x",
            "[^a]",
            "(?s:.)*",
            "é?",
            "a|b|cd",
            "[a-zé]{1,3}x",
            "1[0-9]|2[0-3]",
        ] {
            let plain = store.regex(pattern).unwrap();
            let spelled = store.json_text(plain).unwrap();
            let not = store.complement(plain).unwrap();
            let both = store.intersection(&[not, spelled]).unwrap();
            open.extend([plain, spelled, not, both]);
        }
        let words: Vec<Vec<u8>> =
            (0..40).map(|n| format!("{n} is a word of more than some letters").into()).collect();
        open.push(store.literals(words.iter().map(Vec::as_slice)).unwrap());
        for numeral in ["3", "0.25", "12.5"] {
            open.push(store.multiple(numeral).unwrap());
            for comparison in [Comparison::AtLeast, Comparison::Below, Comparison::Equal] {
                open.push(store.compared(comparison, numeral).unwrap());
            }
        }
        let mut position = 0;
        while position < open.len() && open.len() < 1_000 {
            for byte in 0..=u8::MAX {
                let next = store.derivative(open[position], byte).unwrap();
                if !open.contains(&next) {
                    open.push(next);
                }
            }
            position += 1;
        }
        open
    }

    #[test]
    fn equal_canonical_forms_mean_equal_languages() {
        let mut store = Store::new(&Limits::default());
        let mut known: FxHashMap<Vec<u32>, RegularId> = FxHashMap::default();
        let languages = languages(&mut store);
        for &a in &languages {
            if let Some(transcript) = transcript(&store, a)
                && let Some(other) = known.insert(transcript, a)
            {
                // Equal suffixes of words may have different ids.
                for (more, less) in [(a, other), (other, a)] {
                    let less = store.complement(less).unwrap();
                    let rest = store.intersection(&[more, less]).unwrap();
                    assert!(
                        store.is_empty(rest).unwrap(),
                        "{} and {}",
                        store.display(a),
                        store.display(other)
                    );
                }
            }
        }
        assert!(known.len() > 100, "{} of {} have transcripts", known.len(), languages.len());
    }

    #[test]
    fn stores_agree() {
        let (mut one, mut other) = (Store::new(&Limits::default()), Store::new(&Limits::default()));
        other.regex("[x-z]{3}|é").unwrap();
        for a in languages(&mut one) {
            let copy = other.import(&one, a).unwrap();
            if let (Some(transcript), Some(copied)) = (transcript(&one, a), transcript(&other, copy))
                && transcript != copied
            {
                // Operands of a union are in the order of their ids, so it may have two forms.
                let back = one.import(&other, copy).unwrap();
                assert_eq!(back, a, "{}", one.display(a));
            }
        }
    }

    #[test]
    fn canonical_form_stops_at_the_limit() {
        let mut store = Store::new(&Limits::default());
        let text = store.literal(b"some text").unwrap();
        let mut count = 0;
        assert!(write_canonical_form(&store, text, 256, &mut |_| count += 1));
        for most in 0..count {
            assert!(!write_canonical_form(&store, text, most, &mut |_| {}));
        }
        let mut deep = text;
        let letter = store.literal(b"x").unwrap();
        for _ in 0..40 {
            let more = store.concat(&[deep, letter]).unwrap();
            deep = store.repeat(more, 2, None).unwrap();
        }
        assert!(transcript(&store, deep).is_none());
    }
}

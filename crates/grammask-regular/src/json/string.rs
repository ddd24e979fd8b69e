//! The spellings of texts inside a JSON string: `json(x)` holds every way to write a string of x between the quotes. One kind
//! of expression does it; what may follow `\u` is an expression of the other kinds, made when it is asked for.

use crate::leaf::acyclic_dfa::{Edge, SINK};
use crate::store::node::{INHABITED, Kind, RegularId, Spelling, TRIMMED};
use crate::{ByteSet, Error, Store};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How deep spellings of spellings may nest. Derivatives recurse so deep and no deeper.
pub(crate) const JSON_NESTING: u8 = 8;

/// The pattern of every text.
const ANY_TEXT: &str = "(?s:.)*";

/// The letters of short escapes, and the bytes that they stand for.
pub(crate) const SHORT_ESCAPES: [(u8, u8); 8] = [
    (b'"', b'"'),
    (b'\\', b'\\'),
    (b'/', b'/'),
    (b'b', 0x08),
    (b'f', 0x0C),
    (b'n', b'\n'),
    (b'r', b'\r'),
    (b't', b'\t'),
];

/// Characters that lead to the same language: the language, and the characters as a state of the acyclic automaton.
type Group = (RegularId, u32);

impl Store {
    /// What may stand between the quotes of a JSON string (RFC 8259) whose value is in `a`: every character as it is, unless it is
    /// a control character, `"` or `\`; in its short escape, if it has one; as `\uXXXX` with digits in either case, beyond U+FFFF as a
    /// pair of surrogates. Strings of `a` that are not UTF-8 have no spelling.
    ///
    /// # Errors
    /// When a limit is exceeded, or `a` is itself made of spellings that nest 8 deep.
    ///
    /// # Complexity
    /// Linear in the size of the expression, for the proof that it holds nothing but UTF-8. The derivative by the first
    /// digit behind `\u` costs as many derivatives of `a` as its states tell apart bytes of one character.
    ///
    /// ```
    /// # use grammask_regular::{Config, Store};
    /// let mut store = Store::new(&Config::default());
    /// let slash = store.literal(b"/")?;
    /// let spelled = store.json_text(slash)?;
    /// for spelling in ["/", "\\/", "\\u002f", "\\u002F"] {
    ///     let end = spelling.bytes().try_fold(spelled, |state, byte| store.derivative(state, byte))?;
    ///     assert!(store.is_nullable(end));
    /// }
    /// # Ok::<(), grammask_regular::Error>(())
    /// ```
    pub fn json_text(&mut self, a: RegularId) -> Result<RegularId, Error> {
        if self.node(a).nesting >= JSON_NESTING {
            let value = usize::from(JSON_NESTING);
            return Err(Error::Limit {
                limit: "json_nesting",
                value,
                place: "JSON spellings of JSON spellings",
                found: Some(value + 1),
            });
        }
        let mut text = a;
        if !self.is_text(a) {
            let any = self.regex(ANY_TEXT)?;
            text = self.intersection(&[a, any])?;
        }
        self.json_node(text)
    }

    /// The spellings of a language of UTF-8, or of a state of one.
    pub(crate) fn json_node(&mut self, a: RegularId) -> Result<RegularId, Error> {
        let a = self.resolved(a);
        if a == RegularId::EMPTY || a == RegularId::EPSILON {
            return Ok(a);
        }
        self.has_json = true;
        self.intern(Kind::Json { text: a, at: Spelling::Text })
    }

    /// The same from some place on. In an escape, nothing is left where no character can come next.
    pub(crate) fn json_state(&mut self, a: RegularId, at: Spelling) -> Result<RegularId, Error> {
        if at == Spelling::Text {
            return self.json_node(a);
        }
        let a = self.resolved(a);
        if !self.begins_character(a)? {
            return Ok(RegularId::EMPTY);
        }
        let state = self.intern(Kind::Json { text: a, at })?;
        self.nodes[state.index()].flags |= INHABITED | TRIMMED;
        Ok(state)
    }

    /// Whether a byte of a spelling stands for itself.
    pub(crate) const fn is_raw(byte: u8) -> bool {
        byte >= 0x20 && byte != b'"' && byte != b'\\'
    }

    /// The derivative by a byte that does not stand for itself. The characters behind `\u` are looked at as late as this, at the first
    /// digit: every walk over a string asks what a backslash does, but few go on with digits.
    pub(crate) fn json_escape(&mut self, a: RegularId, at: Spelling, byte: u8) -> Result<RegularId, Error> {
        let short = match (at, byte) {
            (Spelling::Text, b'\\') => return self.json_state(a, Spelling::Escape),
            (Spelling::Escape, b'u') => return self.json_state(a, Spelling::Unit),
            (Spelling::Escape, _) => match SHORT_ESCAPES.iter().find(|&&(letter, _)| letter == byte) {
                Some(&(_, short)) => short,
                None => return Ok(RegularId::EMPTY),
            },
            (Spelling::Unit, b'0'..=b'9' | b'A'..=b'F' | b'a'..=b'f') => {
                let units = self.json_units(a, byte)?;
                return self.derivative(units, byte);
            }
            _ => return Ok(RegularId::EMPTY),
        };
        let next = self.derivative(a, short)?;
        self.json_node(next)
    }

    /// Whether a string of `a` begins with a character, not with the rest of one.
    fn begins_character(&mut self, a: RegularId) -> Result<bool, Error> {
        let mut firsts = ByteSet::range(0, 0x7F);
        firsts.insert_range(0xC2, 0xF4);
        let partition = self.node(a).partition;
        for class in 0..self.partitions.len(partition) {
            if let Some(byte) = self.partitions.class(partition, class).intersection(&firsts).first()
                && self.derivative(a, byte)? != RegularId::EMPTY
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What may follow `\u` in the spellings of `a` and begins with this digit: the digits of a character, and the spellings of what
    /// follows it.
    fn json_units(&mut self, a: RegularId, digit: u8) -> Result<RegularId, Error> {
        // The first digit says how the UTF-8 begins: with `d` also in the surrogates of what has four bytes.
        let value = char::from(digit).to_digit(16).unwrap_or(0) as u8;
        let firsts = match value {
            0 => [(0x00, 0x7F), (0xC2, 0xDF), (0xE0, 0xE0)].as_slice(),
            0xD => &[(0xED, 0xED), (0xF0, 0xF4)],
            _ => &[(0xE0 + value, 0xE0 + value)],
        };
        if let Some(&known) = self.units.get(&(a, value)) {
            return Ok(known);
        }
        let mut parts = Vec::new();
        for (next, characters) in self.characters(a, firsts)? {
            let digits = self.json_digits(characters)?;
            let rest = self.json_node(next)?;
            parts.push(self.concat_two(digits, rest)?);
        }
        let all = self.union(&parts)?;
        self.leaf_bytes += 16;
        self.units.insert((a, value), all);
        Ok(all)
    }

    /// The characters that strings of `a` begin with, those with one of these first bytes, by what follows them, in the order of their ids.
    fn characters(&mut self, a: RegularId, from: &[(u8, u8)]) -> Result<Vec<Group>, Error> {
        // The first bytes of characters of one to four bytes.
        const FIRST: [(u8, u8); 4] = [(0x00, 0x7F), (0xC2, 0xDF), (0xE0, 0xEF), (0xF0, 0xF4)];
        let mut wanted = ByteSet::EMPTY;
        from.iter().for_each(|&(low, high)| wanted.insert_range(low, high));
        let mut known = FxHashMap::default();
        let mut edges = Vec::new();
        let partition = self.node(a).partition;
        for class in 0..self.partitions.len(partition) {
            let bytes = self.partitions.class(partition, class).intersection(&wanted);
            let firsts = FIRST.map(|(low, high)| bytes.intersection(&ByteSet::range(low, high)));
            if firsts.iter().all(ByteSet::is_empty) {
                continue;
            }
            let next = self.derivative(a, self.partitions.representative(partition, class))?;
            if next == RegularId::EMPTY {
                continue;
            }
            for (more, firsts) in (0..).zip(&firsts).filter(|(_, firsts)| !firsts.is_empty()) {
                for (end, state) in self.continuations(next, more, &mut known)? {
                    push_edges(&mut edges, end, firsts, state);
                }
            }
        }
        Ok(self.grouped(edges))
    }

    /// The same for the last `more` bytes of characters.
    fn continuations(
        &mut self,
        a: RegularId,
        more: u8,
        known: &mut FxHashMap<(RegularId, u8), Vec<Group>>,
    ) -> Result<Vec<Group>, Error> {
        if more == 0 {
            return Ok(vec![(a, SINK)]);
        }
        if let Some(groups) = known.get(&(a, more)) {
            return Ok(groups.clone());
        }
        let mut edges = Vec::new();
        let partition = self.node(a).partition;
        for class in 0..self.partitions.len(partition) {
            let bytes = self.partitions.class(partition, class).intersection(&ByteSet::range(0x80, 0xBF));
            let Some(byte) = bytes.first() else { continue };
            let next = self.derivative(a, byte)?;
            if next != RegularId::EMPTY {
                // At most three deep.
                for (end, state) in self.continuations(next, more - 1, known)? {
                    push_edges(&mut edges, end, &bytes, state);
                }
            }
        }
        let groups = self.grouped(edges);
        known.insert((a, more), groups.clone());
        Ok(groups)
    }

    fn grouped(&mut self, mut edges: Vec<(RegularId, Edge)>) -> Vec<Group> {
        edges.sort_unstable_by_key(|&(end, edge)| (end, edge.first));
        let mut groups = Vec::new();
        for group in edges.chunk_by(|a, b| a.0 == b.0) {
            let edges: Vec<Edge> = group.iter().map(|&(_, edge)| edge).collect();
            groups.push((group[0].0, Arc::make_mut(&mut self.acyclic).state(false, &edges)));
        }
        groups
    }
}

fn push_edges(edges: &mut Vec<(RegularId, Edge)>, end: RegularId, bytes: &ByteSet, target: u32) {
    edges.extend(bytes.ranges().map(|(first, last)| (end, Edge { first, last, target })));
}

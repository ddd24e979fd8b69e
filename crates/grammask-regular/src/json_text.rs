//! The spellings of texts inside a JSON string: `json(x)` holds every way to write a string of x between the quotes. One kind
//! of expression does it; what may follow a backslash is an expression of the other kinds, made when it is asked for.

use crate::acyclic::{Edge, SINK};
use crate::node::{Kind, RegularId};
use crate::{ByteSet, Error, Store};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How deep spellings of spellings may nest. Derivatives recurse so deep and no deeper.
pub(crate) const JSON_NESTING: u8 = 8;

/// The pattern of every text.
const ANY_TEXT: &str = "(?s:.)*";

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
    /// Linear in the size of the expression, for the proof that it holds nothing but UTF-8. The derivative by a backslash costs
    /// as many derivatives of `a` as its states tell apart bytes of one character.
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
        self.intern(Kind::Json(a))
    }

    /// Whether a byte of a spelling stands for itself.
    pub(crate) const fn is_raw(byte: u8) -> bool {
        byte >= 0x20 && byte != b'"' && byte != b'\\'
    }

    /// What may follow a backslash in the spellings of `a`: the rest of an escape, and the spellings of what follows its
    /// character.
    pub(crate) fn json_escape(&mut self, a: RegularId) -> Result<RegularId, Error> {
        let mut parts = Vec::new();
        for (next, characters) in self.characters(a)? {
            let escape = self.json_escapes(characters)?;
            let rest = self.json_node(next)?;
            parts.push(self.concat_two(escape, rest)?);
        }
        self.union(&parts)
    }

    /// The characters that strings of `a` begin with, by what follows them, in the order of their ids.
    fn characters(&mut self, a: RegularId) -> Result<Vec<Group>, Error> {
        // The first bytes of characters of one to four bytes.
        const FIRST: [(u8, u8); 4] = [(0x00, 0x7F), (0xC2, 0xDF), (0xE0, 0xEF), (0xF0, 0xF4)];
        let mut known = FxHashMap::default();
        let mut edges = Vec::new();
        let partition = self.node(a).partition;
        for class in 0..self.partitions.len(partition) {
            let bytes = *self.partitions.class(partition, class);
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

//! Text loops: in a loop over characters and other alternatives, each run of characters becomes one lexeme.
//!
//! A template, or an answer with tool calls in it, is `(character | '{{' expression '}}')*`. Read naively,
//! each character is a lexeme of its own, after which all alternatives may follow. So the state that the loop
//! returns to is split in two. From the first, one call reads one or more characters and leads to the second.
//! The second has the other alternatives but no characters. Each text is still read in exactly one way, and
//! each lexeme reads a maximal run of characters.
//!
//! Prefix operators, `('-' | '!')* operand`, are such loops, too.
//!
//! If all alternatives are characters, the normal form has made a terminal of the loop already
//! (`gather_characters` in `grammask-normal`). Here calls are inlined, so loops through several rules are
//! found as well.

use grammask_regular::{ByteSet, RegularId, Store, analysis};
use grammask_work::narrow;
use rustc_hash::FxHashMap;

use crate::build::dfa::DfaView;
use crate::build::nfa::{Label, Nfa};
use crate::{Callee, CalleeId, LexemeText};

/// Maximum number of states of an automaton that is searched. A larger one stays unchanged.
const MAX_DFA_STATES: usize = 1 << 16;

/// Maximum number of states inside the characters of one loop. With more, these characters stay separate.
const MAX_INNER_STATES: usize = 64;

/// Maximum number of states of a text loop's lexeme. With more, its parts are cheaper as separate lexemes.
const MAX_LEXEME_STATES: usize = 48;

/// Maximum length of a written lexeme or list of alternatives, in bytes. The rest is replaced by an ellipsis.
const MAX_WRITTEN_BYTES: usize = 256;

/// A loop that repeats characters, and its replacement.
pub(crate) struct TextLoop {
    /// The states from which characters lead to the loop's state. The loop's state is the first of them.
    entries: Vec<LoopEntry>,
    /// The states inside characters of several symbols, each after the states that follow it.
    inner: Vec<InnerState>,
    /// By state, its index in `inner`; `None` for other states that have been visited.
    inner_index: FxHashMap<usize, Option<usize>>,
}

/// A state from which characters lead to the loop's state.
struct LoopEntry {
    state: usize,
    /// The first edges of these characters.
    edges: Vec<usize>,
    /// The characters from here, with all characters that may follow.
    text: RegularId,
    /// KBNF form of `text`.
    written: String,
}

/// A state inside a character of several symbols.
struct InnerState {
    state: usize,
    /// The edges by which characters continue, as indices into the automaton's edges.
    edges: Vec<usize>,
    /// The rests of the characters, from here to the loop's state.
    rest: Characters,
    /// True if the state is final or has edges that do not belong to characters.
    goes_on: bool,
}

/// A language of characters.
struct Characters {
    language: RegularId,
    /// Maximum length in bytes.
    max_bytes: u32,
    /// KBNF form.
    written: String,
}

/// Finds a loop that repeats characters. Returns `None` if there is none, if its texts need too large a
/// lexeme, or if the automaton is too large. A failed attempt decrements `tries`; at 0 there is no further
/// attempt.
///
/// # Complexity
/// Linear in the automaton, plus for each attempt linear in the states of its languages, up to
/// [`MAX_LEXEME_STATES`].
pub(crate) fn find(
    dfa: DfaView<'_>,
    callees: &[Callee],
    store: &mut Store,
    text_of: &dyn Fn(&LexemeText) -> String,
    tries: &mut usize,
) -> Option<TextLoop> {
    let has_loop = dfa.loop_free_bottom_up().len() < dfa.len();
    if !has_loop || dfa.len() > MAX_DFA_STATES {
        return None;
    }
    (0..dfa.len()).find_map(|state| {
        if *tries == 0 || !may_repeat_characters(dfa, callees, state) {
            return None;
        }
        let (inner, inner_index) = (Vec::new(), FxHashMap::default());
        let found = Search { dfa, callees, store, text_of, target: state, inner, inner_index }.find();
        *tries -= usize::from(found.is_none());
        found
    })
}

/// Returns true if a state has a loop by a lexeme or by at least two bytes. A loop by a single byte is not
/// replaced.
fn may_repeat_characters(dfa: DfaView<'_>, callees: &[Callee], state: usize) -> bool {
    let mut bytes = 0;
    dfa.edges(state).iter().filter(|&&(_, to)| to as usize == state).any(|&(label, _)| {
        bytes += usize::from(matches!(label, Label::Byte(_)));
        bytes == 2 || lexeme(label, callees).is_some()
    })
}

/// Returns the language and the text form of the lexeme that a label calls. Returns `None` for other labels.
fn lexeme(label: Label, callees: &[Callee]) -> Option<(RegularId, &LexemeText)> {
    match label {
        Label::Call(callee) => match &callees[callee.index()] {
            Callee::Lexeme { language, text } => Some((*language, text)),
            _ => None,
        },
        _ => None,
    }
}

struct Search<'a> {
    dfa: DfaView<'a>,
    callees: &'a [Callee],
    store: &'a mut Store,
    /// Returns the KBNF form of a lexeme.
    text_of: &'a dyn Fn(&LexemeText) -> String,
    /// The loop's state.
    target: usize,
    inner: Vec<InnerState>,
    /// By visited state, its index in `inner`; `None` for other states, and while the state is being visited.
    inner_index: FxHashMap<usize, Option<usize>>,
}

impl Search<'_> {
    /// An exceeded limit of the store is not an error here: the loop stays unchanged.
    fn find(mut self) -> Option<TextLoop> {
        let (edges, character) = self.characters_from(self.target)?;
        let once = self.store.repeat(character.language, 1, None).ok()?;
        let text = self.if_small(once)?;
        if !self.goes_on(self.target, &edges) {
            // The loop has no other alternative and never ends; no lexeme has such texts.
            return None;
        }
        let more = self.store.repeat(character.language, 0, None).ok()?;
        let written = format!("{}+", grouped(&character.written));
        let mut entries = vec![LoopEntry { state: self.target, edges, text, written }];
        let target = self.target;
        for state in (0..self.dfa.len()).filter(|&state| state != target) {
            let Some((edges, first)) = self.characters_from(state) else { continue };
            let text = self.store.concat(&[first.language, more]).ok()?;
            if let Some(text) = self.if_small(text) {
                let written = format!("{} {}*", grouped(&first.written), grouped(&character.written));
                entries.push(LoopEntry { state, edges, text, written });
            }
        }
        Some(TextLoop { entries, inner: self.inner, inner_index: self.inner_index })
    }

    /// Returns the edges by which characters lead from a state to the loop's state, and these characters.
    /// Returns `None` unless the labels of the edges that lead there directly form a character class.
    fn characters_from(&mut self, state: usize) -> Option<(Vec<usize>, Characters)> {
        let (mut edges, mut all) = (Vec::new(), Vec::new());
        for edge in self.dfa.edge_range(state) {
            let (label, to) = self.dfa.all_edges()[edge];
            if to as usize == self.target
                && let Some(text) = self.text(label)
            {
                edges.push(edge);
                all.push(text);
            }
        }
        if all.is_empty() {
            return None;
        }
        let direct = self.union(&all)?;
        if !analysis::is_character_class(self.store, direct.language).ok()? {
            return None;
        }
        for edge in self.dfa.edge_range(state) {
            let (label, to) = self.dfa.all_edges()[edge];
            if to as usize != self.target
                && let Some(characters) =
                    self.characters(label, to as usize, analysis::MAX_ESCAPED_CHARACTER_BYTES)
            {
                edges.push(edge);
                all.push(characters);
            }
        }
        edges.sort_unstable();
        Some((edges, self.union(&all)?))
    }

    /// Returns the union of several languages of characters.
    fn union(&mut self, all: &[Characters]) -> Option<Characters> {
        let languages: Vec<RegularId> = all.iter().map(|characters| characters.language).collect();
        let mut written = String::new();
        for characters in all {
            if written.len() > MAX_WRITTEN_BYTES {
                written.push('…');
                break;
            }
            written.push_str(if written.is_empty() { "" } else { " | " });
            written.push_str(&characters.written);
        }
        let max_bytes = all.iter().map(|characters| characters.max_bytes).max()?;
        Some(Characters { language: self.store.union(&languages).ok()?, max_bytes, written })
    }

    /// Returns the characters of at most `max_bytes` bytes that begin with `label` and pass through the state
    /// `to`.
    fn characters(&mut self, label: Label, to: usize, max_bytes: u32) -> Option<Characters> {
        let first = self.character(label).filter(|first| first.max_bytes <= max_bytes)?;
        if to == self.target {
            return Some(first);
        }
        let rest_bytes = max_bytes - first.max_bytes;
        let index = self.inner_state(to, rest_bytes)?;
        let rest = &self.inner[index].rest;
        if rest.max_bytes > rest_bytes {
            return None;
        }
        let language = self.store.concat(&[first.language, rest.language]).ok()?;
        let (one, other) = (grouped(&first.written), grouped(&rest.written));
        let written = match (label, one.strip_suffix('\''), other.strip_prefix('\'')) {
            // Two literals are written as one.
            (Label::Byte(_), Some(one), Some(other)) => format!("{one}{other}"),
            _ => format!("{one} {other}"),
        };
        Some(Characters { language, max_bytes: first.max_bytes + rest.max_bytes, written })
    }

    /// Returns the index of a state among the inner states, if it is one. The bytes of a character bound the
    /// recursion.
    fn inner_state(&mut self, state: usize, max_bytes: u32) -> Option<usize> {
        if let Some(&known) = self.inner_index.get(&state) {
            return known;
        }
        if max_bytes == 0 || self.inner_index.len() >= MAX_INNER_STATES {
            return None;
        }
        self.inner_index.insert(state, None);
        let (mut edges, mut all) = (Vec::new(), Vec::new());
        for edge in self.dfa.edge_range(state) {
            let (label, to) = self.dfa.all_edges()[edge];
            if let Some(characters) = self.characters(label, to as usize, max_bytes) {
                edges.push(edge);
                all.push(characters);
            }
        }
        let rest = self.union(&all)?;
        let goes_on = self.goes_on(state, &edges);
        let index = self.inner.len();
        self.inner.push(InnerState { state, edges, rest, goes_on });
        self.inner_index.insert(state, Some(index));
        Some(index)
    }

    /// Returns true if a state is final, or if a continuation from it is not a character. `edges` are the
    /// edges that begin a character.
    fn goes_on(&self, state: usize, edges: &[usize]) -> bool {
        let is_other = |&edge: &usize| match edges.binary_search(&edge) {
            Err(_) => true,
            Ok(_) => {
                let index = self.inner_index.get(&(self.dfa.all_edges()[edge].1 as usize));
                index.copied().flatten().is_some_and(|index| self.inner[index].goes_on)
            }
        };
        self.dfa.is_final(state) || self.dfa.edge_range(state).any(|edge| is_other(&edge))
    }

    /// Returns the language of a label that may be part of a character.
    fn character(&mut self, label: Label) -> Option<Characters> {
        let (language, written) = match label {
            Label::Byte(byte) => {
                let set: ByteSet = [byte].into_iter().collect();
                let is_text = matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
                let written = if is_text { format!("'{}'", byte.escape_ascii()) } else { set.to_string() };
                (self.store.bytes(set), written)
            }
            _ => {
                let (language, text) = lexeme(label, self.callees)?;
                (language, self.written(text))
            }
        };
        let max_bytes = analysis::max_len(self.store, language)
            .filter(|&bytes| bytes <= analysis::MAX_ESCAPED_CHARACTER_BYTES)?;
        Some(Characters { language, max_bytes, written })
    }

    /// Returns the language of a label that may be part of a text: a character, or a word without bounds on
    /// its length.
    fn text(&mut self, label: Label) -> Option<Characters> {
        if let Some(character) = self.character(label) {
            return Some(character);
        }
        let (language, text) = lexeme(label, self.callees)?;
        let is_simple = analysis::is_standard(self.store, language)
            && analysis::drop_bounds(self.store, language, 2).ok()?.is_none()
            && analysis::has_characters(self.store, language, 1).ok()?;
        is_simple.then(|| Characters { language, max_bytes: u32::MAX, written: self.written(text) })
    }

    /// Returns the KBNF form of a lexeme, shortened to [`MAX_WRITTEN_BYTES`].
    fn written(&self, text: &LexemeText) -> String {
        let mut written = (self.text_of)(text);
        if written.len() > MAX_WRITTEN_BYTES {
            written.truncate(written.floor_char_boundary(MAX_WRITTEN_BYTES));
            written.push('…');
        }
        written
    }

    /// Returns `text` if its automaton has at most [`MAX_LEXEME_STATES`] states.
    fn if_small(&mut self, text: RegularId) -> Option<RegularId> {
        analysis::has_at_most_states(self.store, text, MAX_LEXEME_STATES).ok()?.then_some(text)
    }
}

/// Adds parentheses around alternatives and intersections.
fn grouped(written: &str) -> String {
    if written.contains(" | ") || written.contains(" & ") {
        format!("({written})")
    } else {
        written.to_owned()
    }
}

impl TextLoop {
    /// Returns the lexeme of each entry and its KBNF form, in the order of the entries.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (RegularId, &str)> {
        self.entries.iter().map(|entry| (entry.text, &*entry.written))
    }

    /// Writes the automaton to `nfa`, with calls of these lexemes instead of the loop's characters.
    pub(crate) fn replace(&self, dfa: DfaView<'_>, texts: &[CalleeId], nfa: &mut Nfa) {
        nfa.clear();
        let first = narrow(nfa.len());
        (0..dfa.len()).for_each(|_| _ = nfa.add_state());
        nfa.connect(nfa.start(), Label::Epsilon, first);
        // Copies of states without the edges of characters: the loop's state after a text, and each inner
        // state, because other alternatives may continue inside a character.
        let after_text = nfa.add_state();
        let inner_copies: Vec<u32> = self.inner.iter().map(|_| nfa.add_state()).collect();
        let mut replacement = Replacement { text_loop: self, dfa, first, inner_copies: &inner_copies, nfa };
        for state in 0..dfa.len() {
            let at = first + narrow(state);
            match self.entries.iter().zip(texts).find(|(entry, _)| entry.state == state) {
                Some((entry, &text)) => {
                    replacement.add_state(state, at, &entry.edges);
                    replacement.nfa.connect(at, Label::Call(text), after_text);
                }
                None => replacement.add_state(state, at, &[]),
            }
        }
        replacement.add_state(self.target(), after_text, &self.entries[0].edges);
        for (inner, &at) in self.inner.iter().zip(&inner_copies) {
            replacement.add_state(inner.state, at, &inner.edges);
        }
    }

    /// Returns the loop's state.
    fn target(&self) -> usize {
        self.entries[0].state
    }
}

/// An automaton under construction in which a text loop is replaced.
struct Replacement<'a> {
    text_loop: &'a TextLoop,
    dfa: DfaView<'a>,
    /// Position of the old automaton's state 0 in `nfa`.
    first: u32,
    /// The inner states without characters.
    inner_copies: &'a [u32],
    nfa: &'a mut Nfa,
}

impl Replacement<'_> {
    /// Adds the edges of `state` to the state `at`. Omits the edges `characters`, except where other
    /// alternatives may continue inside a character.
    fn add_state(&mut self, state: usize, at: u32, characters: &[usize]) {
        if self.dfa.is_final(state) {
            self.nfa.connect(at, Label::Epsilon, self.nfa.end());
        }
        for edge in self.dfa.edge_range(state) {
            let (label, to) = self.dfa.all_edges()[edge];
            if characters.binary_search(&edge).is_err() {
                self.nfa.connect(at, label, self.first + to);
            } else if to as usize != self.text_loop.target()
                && let Some(index) = self.text_loop.inner_index[&(to as usize)]
                && self.text_loop.inner[index].goes_on
            {
                self.nfa.connect(at, label, self.inner_copies[index]);
            }
        }
    }
}

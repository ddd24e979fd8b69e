//! Texts between other things: what a loop repeats character by character becomes one lexeme.
//!
//! A template, a line with marks, or an answer with calls of tools in it is `(character | '{{' expression '}}')*`. Each character would be a lexeme of its
//! own, behind which all of that may come again. So the state that such a loop comes back to is made two. From the first, any number of characters
//! leads to the second in one step; the second has what the first has, but no characters. There is one way still to take each text, and the
//! characters are taken as far as they go.
//!
//! Operators before an operand, `('-' | '!')* operand`, are such characters, too.
//!
//! Where all that is repeated is characters, the normal form has made a terminal of it before (`gather_characters` in `grammask-normal`). Here rules
//! stand in the place where they are called, so it shows which loops go through several of them.

use grammask_regular::{ByteSet, RegularId, Store, analysis};
use rustc_hash::FxHashMap;

use crate::build::automaton::{Fragment, Label};
use crate::build::dfa_arena::View;
use crate::{Callee, CalleeId, LexemeText};

/// An automaton with more states stays as it is.
const MOST_AUTOMATON_STATES: usize = 1 << 16;

/// So many states are looked at on the ways of one loop.
const MOST_STATES: usize = 64;

/// A lexeme of such texts may have so many states: else its parts are better known by themselves.
const MOST_LEXEME_STATES: usize = 48;

/// Of what is written of lexemes and alternatives, what is longer in bytes is left out.
const MOST_WRITTEN: usize = 256;

/// A loop in an automaton that repeats characters, and what it becomes.
pub(crate) struct TextLoop {
    /// The states from which characters lead to the one that the loop comes back to; that one is the first of them.
    entrances: Vec<Entrance>,
    /// The states between, each behind those to which its ways lead.
    between: Vec<Between>,
    /// Where each of these stands.
    places: FxHashMap<usize, Option<usize>>,
}

/// A state from which characters lead to the one that the loop comes back to.
struct Entrance {
    state: usize,
    /// The edges by which they do.
    edges: Vec<usize>,
    /// The characters from here, with all that may follow.
    text: RegularId,
    /// How that is written.
    written: String,
}

/// A state in the middle of characters.
struct Between {
    state: usize,
    /// The edges by which characters go on, by their places among all edges of the automaton.
    edges: Vec<usize>,
    /// What leads from here to where the loop comes back.
    rest: Characters,
    /// Whether something else goes on from here, too, or it is final.
    goes_on: bool,
}

/// Characters as a language.
struct Characters {
    language: RegularId,
    /// The length in bytes of the longest of them.
    longest: u32,
    /// How they are written.
    written: String,
}

/// Finds a loop that repeats characters. Nothing where there is none, where its texts are too much for one lexeme, or where the automaton is very large. A loop that
/// is tried in vain is one of `tries`, and none is tried without.
///
/// # Complexity
/// Linear in the automaton, for each of the loops that are tried in those of their languages, as far as they are few states.
pub(crate) fn find(
    automaton: View<'_>,
    callees: &[Callee],
    store: &mut Store,
    text_of: &dyn Fn(&LexemeText) -> String,
    tries: &mut usize,
) -> Option<TextLoop> {
    let has_loop = automaton.loop_free_bottom_up().len() < automaton.len();
    if !has_loop || automaton.len() > MOST_AUTOMATON_STATES {
        return None;
    }
    (0..automaton.len()).find_map(|state| {
        if *tries == 0 || !may_repeat_characters(automaton, callees, state) {
            return None;
        }
        let (between, places) = (Vec::new(), FxHashMap::default());
        let found = Search { automaton, callees, store, text_of, target: state, between, places }.find();
        *tries -= usize::from(found.is_none());
        found
    })
}

/// Whether a state comes back to itself by a lexeme, or by two bytes at least: by one alone no text is made.
fn may_repeat_characters(automaton: View<'_>, callees: &[Callee], state: usize) -> bool {
    let mut bytes = 0;
    automaton.edges(state).iter().filter(|&&(_, to)| to as usize == state).any(|&(label, _)| {
        bytes += usize::from(matches!(label, Label::Byte(_)));
        bytes == 2 || lexeme(label, callees).is_some()
    })
}

/// A lexeme, if a label calls one: its language, and how it is written.
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
    automaton: View<'a>,
    callees: &'a [Callee],
    store: &'a mut Store,
    /// How a lexeme is written in the normal form.
    text_of: &'a dyn Fn(&LexemeText) -> String,
    /// The state that the loop comes back to.
    target: usize,
    between: Vec<Between>,
    /// The states that have been met, and their places among those between; nothing for those that are not, and for those that are being looked at.
    places: FxHashMap<usize, Option<usize>>,
}

impl Search<'_> {
    /// Limits of the store are no errors here: without a lexeme of its own a text is read as it was before.
    fn find(mut self) -> Option<TextLoop> {
        let (edges, character) = self.leading(self.target)?;
        let once = self.store.repeat(character.language, 1, None).ok()?;
        let text = self.if_small(once)?;
        if !self.goes_on(self.target, &edges) {
            // Nothing but characters without end, which no lexeme says.
            return None;
        }
        let more = self.store.repeat(character.language, 0, None).ok()?;
        let written = format!("{}+", grouped(&character.written));
        let mut entrances = vec![Entrance { state: self.target, edges, text, written }];
        let target = self.target;
        for state in (0..self.automaton.len()).filter(|&state| state != target) {
            let Some((edges, first)) = self.leading(state) else { continue };
            let text = self.store.concat(&[first.language, more]).ok()?;
            if let Some(text) = self.if_small(text) {
                let written = format!("{} {}*", grouped(&first.written), grouped(&character.written));
                entrances.push(Entrance { state, edges, text, written });
            }
        }
        Some(TextLoop { entrances, between: self.between, places: self.places })
    }

    /// By which edges characters lead from a state to where the loop comes back, and which characters. Nothing where texts are not made of those that lead
    /// there by one edge.
    fn leading(&mut self, state: usize) -> Option<(Vec<usize>, Characters)> {
        let (mut edges, mut all) = (Vec::new(), Vec::new());
        for edge in self.automaton.edge_range(state) {
            let (label, to) = self.automaton.all_edges()[edge];
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
        if !analysis::is_character_class(&mut self.store, direct.language).ok()? {
            return None;
        }
        for edge in self.automaton.edge_range(state) {
            let (label, to) = self.automaton.all_edges()[edge];
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

    /// All of these.
    fn union(&mut self, all: &[Characters]) -> Option<Characters> {
        let languages: Vec<RegularId> = all.iter().map(|characters| characters.language).collect();
        let mut written = String::new();
        for characters in all {
            if written.len() > MOST_WRITTEN {
                written.push('…');
                break;
            }
            written.push_str(if written.is_empty() { "" } else { " | " });
            written.push_str(&characters.written);
        }
        let longest = all.iter().map(|characters| characters.longest).max()?;
        Some(Characters { language: self.store.union(&languages).ok()?, longest, written })
    }

    /// What a label and a state behind it say of characters: of so many bytes at most.
    fn characters(&mut self, label: Label, to: usize, most: u32) -> Option<Characters> {
        let first = self.character(label).filter(|first| first.longest <= most)?;
        if to == self.target {
            return Some(first);
        }
        let most = most - first.longest;
        let place = self.place(to, most)?;
        let rest = &self.between[place].rest;
        if rest.longest > most {
            return None;
        }
        let language = self.store.concat(&[first.language, rest.language]).ok()?;
        let (one, other) = (grouped(&first.written), grouped(&rest.written));
        let written = match (label, one.strip_suffix('\''), other.strip_prefix('\'')) {
            // Two texts are one.
            (Label::Byte(_), Some(one), Some(other)) => format!("{one}{other}"),
            _ => format!("{one} {other}"),
        };
        Some(Characters { language, longest: first.longest + rest.longest, written })
    }

    /// The place of a state among those between, if it is one. The depth of this recursion is bounded by the bytes of a character.
    fn place(&mut self, state: usize, most: u32) -> Option<usize> {
        if let Some(&known) = self.places.get(&state) {
            return known;
        }
        if most == 0 || self.places.len() >= MOST_STATES {
            return None;
        }
        self.places.insert(state, None);
        let (mut edges, mut all) = (Vec::new(), Vec::new());
        for edge in self.automaton.edge_range(state) {
            let (label, to) = self.automaton.all_edges()[edge];
            if let Some(characters) = self.characters(label, to as usize, most) {
                edges.push(edge);
                all.push(characters);
            }
        }
        let rest = self.union(&all)?;
        let goes_on = self.goes_on(state, &edges);
        let place = self.between.len();
        self.between.push(Between { state, edges, rest, goes_on });
        self.places.insert(state, Some(place));
        Some(place)
    }

    /// Whether a state is final, or something goes on from it that is no character: characters go on by these edges.
    fn goes_on(&self, state: usize, edges: &[usize]) -> bool {
        let others = |&edge: &usize| match edges.binary_search(&edge) {
            Err(_) => true,
            Ok(_) => {
                let place = self.places.get(&(self.automaton.all_edges()[edge].1 as usize));
                place.copied().flatten().is_some_and(|place| self.between[place].goes_on)
            }
        };
        self.automaton.is_final(state) || self.automaton.edge_range(state).any(|edge| others(&edge))
    }

    /// A label that may be part of a character.
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
        let longest = analysis::max_len(&self.store, language)
            .filter(|&longest| longest <= analysis::MAX_ESCAPED_CHARACTER_BYTES)?;
        Some(Characters { language, longest, written })
    }

    /// A label that may be part of a text: a character, or a word of characters that are not counted.
    fn text(&mut self, label: Label) -> Option<Characters> {
        if let Some(character) = self.character(label) {
            return Some(character);
        }
        let (language, text) = lexeme(label, self.callees)?;
        let is_simple = analysis::is_standard(&self.store, language)
            && analysis::drop_bounds(&mut self.store, language, 2).ok()?.is_none()
            && analysis::has_characters(&mut self.store, language, 1).ok()?;
        is_simple.then(|| Characters { language, longest: u32::MAX, written: self.written(text) })
    }

    /// How a lexeme is written, if that is not long.
    fn written(&self, text: &LexemeText) -> String {
        let mut written = (self.text_of)(text);
        if written.len() > MOST_WRITTEN {
            written.truncate(written.floor_char_boundary(MOST_WRITTEN));
            written.push('…');
        }
        written
    }

    /// A lexeme, if it has few states.
    fn if_small(&mut self, text: RegularId) -> Option<RegularId> {
        analysis::has_at_most_states(&mut self.store, text, MOST_LEXEME_STATES).ok()?.then_some(text)
    }
}

/// In parentheses, where several alternatives or conditions are written.
fn grouped(written: &str) -> String {
    match written.contains(" | ") || written.contains(" & ") {
        true => format!("({written})"),
        false => written.to_owned(),
    }
}

impl TextLoop {
    /// The lexemes that are needed, and how they are written: what each entrance begins, in their order.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (RegularId, &str)> {
        self.entrances.iter().map(|entrance| (entrance.text, &*entrance.written))
    }

    /// Draws the automaton with these lexemes in the place of the loop.
    pub(crate) fn draw(&self, automaton: View<'_>, texts: &[CalleeId], fragment: &mut Fragment) {
        fragment.clear();
        let first = fragment.len() as u32;
        (0..automaton.len()).for_each(|_| _ = fragment.add_state());
        fragment.connect(fragment.start(), Label::Nothing, first);
        // The states without characters: behind the text, and in the middle of what else begins like one.
        let behind = fragment.add_state();
        let rests: Vec<u32> = self.between.iter().map(|_| fragment.add_state()).collect();
        let mut drawing = Drawing { found: self, automaton, first, rests: &rests, fragment };
        for state in 0..automaton.len() {
            let at = first + state as u32;
            match self.entrances.iter().zip(texts).find(|(entrance, _)| entrance.state == state) {
                Some((entrance, &text)) => {
                    drawing.state(state, at, &entrance.edges);
                    drawing.fragment.connect(at, Label::Call(text), behind);
                }
                None => drawing.state(state, at, &[]),
            }
        }
        drawing.state(self.target(), behind, &self.entrances[0].edges);
        for (between, &at) in self.between.iter().zip(&rests) {
            drawing.state(between.state, at, &between.edges);
        }
    }

    /// The state that the loop comes back to.
    fn target(&self) -> usize {
        self.entrances[0].state
    }
}

/// A fragment in which a loop becomes what it is to be.
struct Drawing<'a> {
    found: &'a TextLoop,
    automaton: View<'a>,
    /// Where the states of the automaton begin in the fragment.
    first: u32,
    /// The states between, without characters.
    rests: &'a [u32],
    fragment: &'a mut Fragment,
}

impl Drawing<'_> {
    /// Draws what leads on from a state, without the characters of these edges.
    fn state(&mut self, state: usize, at: u32, characters: &[usize]) {
        if self.automaton.is_final(state) {
            self.fragment.connect(at, Label::Nothing, self.fragment.end());
        }
        for edge in self.automaton.edge_range(state) {
            let (label, to) = self.automaton.all_edges()[edge];
            if characters.binary_search(&edge).is_err() {
                self.fragment.connect(at, label, self.first + to);
            } else if to as usize != self.found.target()
                && let Some(place) = self.found.places[&(to as usize)]
                && self.found.between[place].goes_on
            {
                self.fragment.connect(at, label, self.rests[place]);
            }
        }
    }
}

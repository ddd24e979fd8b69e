//! Breadth-first search over the states that the characters of a class lead to, and the dead ends among them.

use grammask_regular::{ByteSet, Error};
use grammask_trie::Trie;
use grammask_trie::index::{InnerId, TrieIndex};

use crate::lexicon::automaton::{Automaton, LexemeId};
use crate::lexicon::slice::Class;
use crate::lexicon::slice::safe_class::{MAX_CLASS_STATES, going_on, has_non_ascii};
use crate::lexicon::slice::utf8::{after_characters_except, after_lead_except};
use crate::lexicon::walk::self_loop::NonAscii;

/// Characters before a dead end that are compared with the trie.
const MAX_CHARS_COMPARED: usize = 4;

/// Dead end of a class: after some of its characters, all of which continue, some others do not continue.
#[derive(Clone, Copy, Default)]
pub(crate) struct DeadEnd {
    /// ASCII characters that do not continue, one bit each.
    pub(crate) by: u128,
    /// Characters before the dead end, the nearest one first: ASCII characters, one bit each. All bits are
    /// set if any character is possible.
    before: [u128; MAX_CHARS_COMPARED],
}

impl DeadEnd {
    /// Returns the characters that are possible right before the dead end.
    pub(crate) const fn near(&self) -> u128 {
        self.before[0]
    }

    /// Returns `true` if the dead end may follow an inner node: the characters on the path from `base` to the
    /// node agree with `before`.
    pub(crate) fn may_follow(
        &self,
        trie: &Trie,
        trie_index: &TrieIndex,
        inner: InnerId,
        base: InnerId,
    ) -> bool {
        let above = std::iter::successors(Some(inner), |&inner| Some(trie_index.parent(inner)));
        for (inner, &among) in above.take_while(|&inner| inner != base).zip(&self.before) {
            match trie.byte(trie_index.node(inner)) {
                // Nothing before a multi-byte character is compared.
                0x80.. => return among == u128::MAX,
                byte if among >> byte & 1 == 0 => return false,
                _ => {}
            }
        }
        true
    }
}

/// The states after all multi-byte characters of a class. `is_strict` is true if no other bytes continue.
#[derive(Debug)]
pub(crate) struct AfterMultibyte {
    states: Box<[LexemeId]>,
    pub(crate) is_strict: bool,
}

/// Returns the states after all multi-byte characters of `non_ascii`. Returns `None` if the lexeme cannot
/// finish some of them.
pub(crate) fn after_multibyte(
    automaton: &Automaton,
    state: LexemeId,
    non_ascii: NonAscii,
) -> Result<Option<&AfterMultibyte>, Error> {
    let Some(position) = NonAscii::CHARACTERS.iter().position(|&some| some == non_ascii) else {
        return Ok(None);
    };
    let cell = &automaton.cold(state).after_multibyte[position];
    if let Some(known) = cell.get() {
        return Ok(known.as_ref());
    }
    let mut states = Vec::new();
    let visit = |next| add_live_state(&mut states, next);
    let strict = after_characters_except(automaton, state, non_ascii.excluded_chars(), visit)?;
    let found = strict.map(|is_strict| AfterMultibyte { states: states.into(), is_strict });
    Ok(cell.get_or_init(|| found).as_ref())
}

/// Returns the largest class of multi-byte characters that may follow a state and its successors by these.
pub(crate) fn largest_non_ascii(automaton: &Automaton, main: LexemeId) -> Result<NonAscii, Error> {
    'fewer: for non_ascii in [NonAscii::Characters, NonAscii::Lines] {
        let Some(next) = after_multibyte(automaton, main, non_ascii)? else { continue };
        for &next in &next.states {
            if after_multibyte(automaton, next, non_ascii)?.is_none() {
                continue 'fewer;
            }
        }
        return Ok(non_ascii);
    }
    Ok(NonAscii::Words)
}

/// Adds a state to a list without repetition. Returns `true` if the lexeme continues there and the list has
/// at most `MAX_CLASS_STATES` states.
fn add_live_state(states: &mut Vec<LexemeId>, next: LexemeId) -> bool {
    if !states.contains(&next) {
        states.push(next);
    }
    next.goes_on() && states.len() <= MAX_CLASS_STATES
}

/// The states that the characters of a class lead to.
pub(crate) struct ClassFrontier {
    /// True if the lexeme continues by whole characters only.
    is_text: bool,
    /// True if the lexeme may continue by characters that the class excludes.
    pub(crate) omitted: bool,
    pub(crate) states: Vec<LexemeId>,
    /// For each state, the ASCII characters that lead to it, one bit each; all bits are set if a multi-byte
    /// character does.
    pub(crate) paths: Vec<u128>,
}

impl ClassFrontier {
    pub(crate) const fn new(is_text: bool) -> Self {
        Self { is_text, omitted: false, states: Vec::new(), paths: Vec::new() }
    }

    /// Returns `true` if the multi-byte characters of the class may be followed as a whole. `is_strict` is
    /// true if no other bytes continue.
    ///
    /// For a lexeme of whole characters, the other bytes can only be excluded characters. Then `omitted` is
    /// set, and the walk handles them separately.
    fn may_follow_characters(&mut self, is_strict: bool) -> bool {
        self.omitted |= self.is_text && !is_strict;
        is_strict || self.is_text
    }

    /// Adds a state, and the ASCII characters that lead to it.
    fn add(&mut self, next: LexemeId, by: u128) {
        match self.states.iter().position(|&state| state == next) {
            Some(position) => self.paths[position] |= by,
            None => {
                self.states.push(next);
                self.paths.push(by);
            }
        }
    }

    /// Follows the characters of a class from the start state of a lexeme. Returns the first bytes for
    /// which the lexeme does not continue by all characters of the class.
    pub(crate) fn begin(
        &mut self,
        automaton: &Automaton,
        start: LexemeId,
        class: Class,
    ) -> Result<ByteSet, Error> {
        let first = going_on(automaton, start, class.ascii, |next, by| self.add(next, by))?;
        let mut not_first: ByteSet =
            (0..128u8).filter(|byte| (class.ascii & !first) >> byte & 1 == 1).collect();
        if class.non_ascii != NonAscii::None {
            for lead in 0xC2..=0xF4 {
                let mut states = Vec::new();
                let visit = |next| add_live_state(&mut states, next);
                let strict =
                    after_lead_except(automaton, start, lead, class.non_ascii.excluded_chars(), visit)?;
                if strict.is_some_and(|strict| self.may_follow_characters(strict)) {
                    states.into_iter().for_each(|next| self.add(next, u128::MAX));
                } else {
                    not_first.insert(lead);
                }
            }
        }
        Ok(not_first)
    }

    /// Returns the dead ends with the characters before them. Each is given by the position of its state and
    /// the characters that do not continue.
    pub(crate) fn ends(
        &self,
        automaton: &Automaton,
        class: Class,
        ends: &[(usize, u128)],
    ) -> Result<Vec<DeadEnd>, Error> {
        if ends.is_empty() {
            return Ok(Vec::new());
        }
        // Predecessors by multi-byte characters are not needed: nothing before such a character is compared.
        let mut from: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for (position, &state) in self.states.iter().enumerate() {
            going_on(automaton, state, class.ascii, |next, _| {
                if let Some(to) = self.states.iter().position(|&state| state == next) {
                    from[to].push(position);
                }
            })?;
        }
        let end = |&(position, by): &(usize, u128)| {
            let mut end = DeadEnd { by, ..DeadEnd::default() };
            let mut positions = vec![position];
            for before in &mut end.before {
                *before = positions.iter().fold(0, |all, &position| all | self.paths[position]);
                positions = positions.iter().flat_map(|&position| from[position].iter().copied()).collect();
                positions.sort_unstable();
                positions.dedup();
            }
            end
        };
        Ok(ends.iter().map(end).collect())
    }

    /// Returns the smaller set: the characters `here` that do not continue from a state, or the characters
    /// that lead to it.
    pub(crate) fn fewer(&self, position: usize, here: u128) -> u128 {
        let leading = self.paths[position];
        if leading.count_ones() < here.count_ones() { leading } else { here }
    }

    /// Follows all characters of a class from a state. Returns the ASCII characters of the class by which the
    /// lexeme does not continue. Returns `None` if the multi-byte characters by which it continues do not fit
    /// the class.
    pub(crate) fn follow(
        &mut self,
        automaton: &Automaton,
        state: LexemeId,
        class: Class,
    ) -> Result<Option<u128>, Error> {
        let alive = going_on(automaton, state, class.ascii, |next, by| self.add(next, by))?;
        match class.non_ascii {
            NonAscii::Words | NonAscii::Lines | NonAscii::Characters => {
                match after_multibyte(automaton, state, class.non_ascii)? {
                    Some(after_multibyte) if self.may_follow_characters(after_multibyte.is_strict) => {
                        after_multibyte.states.iter().for_each(|&next| self.add(next, u128::MAX));
                    }
                    _ => return Ok(None),
                }
            }
            _ if has_non_ascii(&automaton.live_bytes(state)?) => return Ok(None),
            _ => {}
        }
        Ok(Some(class.ascii & !alive))
    }
}

//! Breadth-first search over the states that the characters of a class lead to, and the dead ends among them.

use grammask_cache::Budget;
use grammask_regular::{ByteSet, Error};
use grammask_trie::Trie;
use grammask_trie::index::{InnerId, TrieIndex};

use crate::lexicon::automaton::{Automaton, LexemeId};
use crate::lexicon::slice::Class;
use crate::lexicon::slice::safe_class::{MAX_CLASS_STATES, going_on, has_others};
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
    pub(crate) fn is_behind(&self, trie: &Trie, outline: &TrieIndex, branch: InnerId, base: InnerId) -> bool {
        let above = std::iter::successors(Some(branch), |&branch| Some(outline.parent(branch)));
        for (branch, &among) in above.take_while(|&branch| branch != base).zip(&self.before) {
            match trie.byte(outline.node(branch)) {
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

/// Returns the states after all multi-byte characters of `others`. Returns `None` if the lexeme cannot finish
/// some of them.
pub(crate) fn after_multibyte<'a>(
    automaton: &'a Automaton,
    state: LexemeId,
    others: NonAscii,
    budget: &Budget,
) -> Result<Option<&'a AfterMultibyte>, Error> {
    let Some(place) = NonAscii::CHARACTERS.iter().position(|&some| some == others) else { return Ok(None) };
    let place = &automaton.cold(state, budget).behind[place];
    if let Some(known) = place.get() {
        return Ok(known.as_ref());
    }
    let mut states = Vec::new();
    let tell = |next| takes(&mut states, next);
    let strict = after_characters_except(automaton, state, others.excluded_chars(), budget, tell)?;
    let found = strict.map(|is_strict| AfterMultibyte { states: states.into(), is_strict });
    Ok(place.get_or_init(|| found).as_ref())
}

/// Returns the largest class of multi-byte characters that may follow a state and its successors by these.
pub(crate) fn most_others(automaton: &Automaton, main: LexemeId, budget: &Budget) -> Result<NonAscii, Error> {
    'fewer: for others in [NonAscii::Characters, NonAscii::Lines] {
        let Some(next) = after_multibyte(automaton, main, others, budget)? else { continue };
        for &next in &next.states {
            if after_multibyte(automaton, next, others, budget)?.is_none() {
                continue 'fewer;
            }
        }
        return Ok(others);
    }
    Ok(NonAscii::Words)
}

/// Adds a state to a list without repetition. Returns `true` if the lexeme continues there and the list has
/// at most `MAX_CLASS_STATES` states.
fn takes(states: &mut Vec<LexemeId>, next: LexemeId) -> bool {
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

    /// Returns `true` if characters may be followed in place of their bytes: no other bytes continue, or only
    /// excluded characters do. Sets `omitted` in the latter case.
    fn are_characters(&mut self, is_strict: bool) -> bool {
        self.omitted |= self.is_text && !is_strict;
        is_strict || self.is_text
    }

    fn arrive(&mut self, next: LexemeId, by: u128) {
        match self.states.iter().position(|&state| state == next) {
            Some(place) => self.paths[place] |= by,
            None => {
                self.states.push(next);
                self.paths.push(by);
            }
        }
    }

    /// Follows the characters of a class from the beginning of a lexeme. Returns the first bytes for which
    /// not all characters of the class continue.
    pub(crate) fn begin(
        &mut self,
        automaton: &Automaton,
        start: LexemeId,
        class: Class,
        budget: &Budget,
    ) -> Result<ByteSet, Error> {
        let first = going_on(automaton, start, class.ascii, budget, |next, by| self.arrive(next, by))?;
        let mut not_first: ByteSet =
            (0..128u8).filter(|byte| (class.ascii & !first) >> byte & 1 == 1).collect();
        if class.others != NonAscii::None {
            for lead in 0xC2..=0xF4 {
                let mut states = Vec::new();
                let tell = |next| takes(&mut states, next);
                let strict =
                    after_lead_except(automaton, start, lead, class.others.excluded_chars(), budget, tell)?;
                if strict.is_some_and(|strict| self.are_characters(strict)) {
                    states.into_iter().for_each(|next| self.arrive(next, u128::MAX));
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
        budget: &Budget,
    ) -> Result<Vec<DeadEnd>, Error> {
        if ends.is_empty() {
            return Ok(Vec::new());
        }
        // Predecessors by multi-byte characters are not needed: nothing before such a character is compared.
        let mut from: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for (place, &state) in self.states.iter().enumerate() {
            going_on(automaton, state, class.ascii, budget, |next, _| {
                if let Some(to) = self.states.iter().position(|&state| state == next) {
                    from[to].push(place);
                }
            })?;
        }
        let end = |&(place, by): &(usize, u128)| {
            let mut end = DeadEnd { by, ..DeadEnd::default() };
            let mut places = vec![place];
            for before in &mut end.before {
                *before = places.iter().fold(0, |all, &place| all | self.paths[place]);
                places = places.iter().flat_map(|&place| from[place].iter().copied()).collect();
                places.sort_unstable();
                places.dedup();
            }
            end
        };
        Ok(ends.iter().map(end).collect())
    }

    /// Returns the smaller set: the characters `here` that do not continue from a state, or the characters
    /// that lead to it.
    pub(crate) fn fewer(&self, place: usize, here: u128) -> u128 {
        let way = self.paths[place];
        if way.count_ones() < here.count_ones() { way } else { here }
    }

    /// Follows all characters of a class from a state. Returns the ASCII characters of the class by which the
    /// lexeme does not continue. Returns `None` if the multi-byte characters by which it continues do not fit
    /// the class.
    pub(crate) fn follow(
        &mut self,
        automaton: &Automaton,
        state: LexemeId,
        class: Class,
        budget: &Budget,
    ) -> Result<Option<u128>, Error> {
        let alive = going_on(automaton, state, class.ascii, budget, |next, by| self.arrive(next, by))?;
        match class.others {
            NonAscii::Words | NonAscii::Lines | NonAscii::Characters => {
                match after_multibyte(automaton, state, class.others, budget)? {
                    Some(behind) if self.are_characters(behind.is_strict) => {
                        behind.states.iter().for_each(|&next| self.arrive(next, u128::MAX));
                    }
                    _ => return Ok(None),
                }
            }
            _ if has_others(&automaton.live_bytes(state, budget)?) => return Ok(None),
            _ => {}
        }
        Ok(Some(class.ascii & !alive))
    }
}

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

/// An end of paths through characters of a class: behind some of them, all going on, nothing goes on by
/// others.
#[derive(Clone, Copy, Default)]
pub(crate) struct DeadEnd {
    /// ASCII characters, bit by bit.
    pub(crate) by: u128,
    /// What stands before them, the nearest first: ASCII characters, bit by bit; anything, where all bits are
    /// set.
    before: [u128; MAX_CHARS_COMPARED],
}

impl DeadEnd {
    /// What stands right before it.
    pub(crate) const fn near(&self) -> u128 {
        self.before[0]
    }

    /// Whether the end may be behind a branch: the characters before it are among those that stand there, as
    /// far as there are any behind a place above.
    pub(crate) fn is_behind(&self, trie: &Trie, outline: &TrieIndex, branch: InnerId, base: InnerId) -> bool {
        let above = std::iter::successors(Some(branch), |&branch| Some(outline.parent(branch)));
        for (branch, &among) in above.take_while(|&branch| branch != base).zip(&self.before) {
            match trie.byte(outline.node(branch)) {
                // Before a character of several bytes, nothing more is compared.
                0x80.. => return among == u128::MAX,
                byte if among >> byte & 1 == 0 => return false,
                _ => {}
            }
        }
        true
    }
}

/// What lies behind all characters of several bytes.
#[derive(Debug)]
pub(crate) struct AfterMultibyte {
    states: Box<[LexemeId]>,
    pub(crate) is_strict: bool,
}

/// The states behind all characters of several bytes, or most; nothing where some of them cannot be finished.
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

/// The most characters of several bytes that may follow a state, and what they lead to.
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

/// Notes a state behind a character, each once. Whether the lexeme goes on there, and there are not yet too
/// many.
fn takes(states: &mut Vec<LexemeId>, next: LexemeId) -> bool {
    if !states.contains(&next) {
        states.push(next);
    }
    next.goes_on() && states.len() <= MAX_CLASS_STATES
}

/// The states that a class leads to.
pub(crate) struct ClassFrontier {
    /// Whether the lexeme goes on by whole characters only.
    is_text: bool,
    /// Whether it may go on by characters that are left out of the class.
    pub(crate) omitted: bool,
    pub(crate) states: Vec<LexemeId>,
    /// For each state the ASCII characters that lead to it; all ones where one of several bytes does.
    pub(crate) paths: Vec<u128>,
}

impl ClassFrontier {
    pub(crate) const fn new(is_text: bool) -> Self {
        Self { is_text, omitted: false, states: Vec::new(), paths: Vec::new() }
    }

    /// Whether characters may be followed in place of the bytes that begin as they do: nothing else goes on
    /// by these, or only characters that are
    /// left out. Notes that there are such.
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

    /// Follows the characters of a class from the beginning of a lexeme. Gives the bytes of which not all
    /// characters that begin so go on.
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

    /// Ends of paths, each by its state and the characters by which nothing goes on; with what stands before
    /// it.
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
        // Before a character of several bytes nothing is compared, so what these lead to is not needed.
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

    /// What ends at a state by some characters, or what leads there: whichever is less.
    pub(crate) fn fewer(&self, place: usize, here: u128) -> u128 {
        let way = self.paths[place];
        if way.count_ones() < here.count_ones() { way } else { here }
    }

    /// Follows all characters of a class from a state. Gives those ASCII characters of the class with which
    /// the lexeme does not go on;
    /// nothing where that holds for some other characters.
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

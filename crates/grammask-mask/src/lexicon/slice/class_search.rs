//! The search for a class of characters that keeps a lexeme alive, whatever its states on the way are.
//!
//! The search begins with all characters that continue from the state after most characters. It explores the
//! states after one character, two characters, and so on. If some characters lead to a dead end, it begins
//! again without them.

use grammask_regular::{ByteSet, Error};
use grammask_work::charge;

use crate::lexicon::automaton::{Automaton, LexemeId};
use crate::lexicon::slice::Class;
use crate::lexicon::slice::frontier::{ClassFrontier, largest_non_ascii};
use crate::lexicon::slice::safe_class::{
    MAX_CLASS_STATES, MIN_CLASS_ASCII, SafeClass, after_ascii, going_back, going_on, has_non_ascii, room,
};
use crate::lexicon::slice::utf8::no_leads;
use crate::lexicon::walk::self_loop::NonAscii;

/// Maximum number of characters at a dead end, and of characters right before it, for which such pairs are
/// looked up in the trie. Beyond it, the characters are dropped from the class.
const MAX_EXIT_ASCII: u32 = 4;

/// Dead ends of a class; with more, as for a list of words, the search stops.
const MAX_DEAD_ENDS: usize = 12;

/// Maximum number of characters that lead to one state and are called rare. Rare characters are dropped if
/// there are too many states.
const MAX_RARE_ASCII: u32 = 2;

/// Characters for which a class is followed; few tokens are longer.
const MAX_CLASS_CHARS: usize = 24;

/// Characters for which a class must keep the lexeme alive to be worth a slice; most tokens are shorter. If
/// the lexeme dies earlier, the characters that kill it are dropped, and the search starts again.
const MIN_CLASS_CHARS: usize = 8;

/// Outcome of a search for a safe class.
pub(crate) enum ClassSearch {
    Found(SafeClass),
    /// There is no class, and none for a lexeme that differs only in nearer bounds.
    None,
    /// No class was found, but a lexeme with nearer bounds may have one.
    Unknown,
}

impl ClassSearch {
    pub(crate) fn found(self) -> Option<SafeClass> {
        match self {
            Self::Found(safe) => Some(safe),
            Self::None | Self::Unknown => None,
        }
    }
}

/// Returns the class of the characters that continue from a state and from its successors, without those that
/// soon lead to a dead end. If the characters of the text are counted as well, `most` is their maximum.
pub(crate) fn search(
    automaton: &Automaton,
    start: LexemeId,
    most: Option<usize>,
) -> Result<ClassSearch, Error> {
    let Some(finder) = ClassFinder::new(automaton, start, most)? else { return Ok(ClassSearch::None) };
    let mut has_ends = false;
    let found = finder.find(Some(&mut has_ends))?;
    // If the exploration is cut, a search that drops the characters of dead ends is simpler and reaches
    // farther.
    match found {
        ClassSearch::Found(safe) if !has_ends || !safe.is_cut => Ok(ClassSearch::Found(safe)),
        _ if has_ends => finder.find(None),
        found => Ok(found),
    }
}

/// The data of one search.
struct ClassFinder<'a> {
    automaton: &'a Automaton,
    start: LexemeId,
    /// Maximum number of characters of the text, if they are counted.
    most: Option<usize>,
    is_text: bool,
    /// State after most ASCII characters.
    main: LexemeId,
    /// ASCII characters by which `start` continues, one bit each.
    first: u128,
    /// ASCII characters by which `start` or `main` continues.
    ascii: u128,
    /// Rare characters: at most `MAX_RARE_ASCII` of them lead from `main` to one state.
    rare: u128,
    non_ascii: NonAscii,
}

/// Outcome of exploring one class.
enum Exploration {
    /// All characters of the class continue, apart from dead ends that were collected.
    Safe(SafeStates),
    /// Some characters lead to a dead end. The others are worth another try.
    Smaller(u128),
    /// No class remains.
    None,
}

/// Work of one state that the characters of a class lead to.
const UNITS_PER_STATE: u64 = 128;

/// The states that the characters of a class lead to.
struct SafeStates {
    class: Class,
    frontier: ClassFrontier,
    not_first: ByteSet,
    /// Dead ends: position of the state, and the characters that do not continue from it.
    ends: Vec<(usize, u128)>,
    /// Number of characters that were followed; `None` if further ones lead to no new state.
    reach: Option<usize>,
}

impl<'a> ClassFinder<'a> {
    /// Returns `None` if there is no class.
    fn new(automaton: &'a Automaton, start: LexemeId, most: Option<usize>) -> Result<Option<Self>, Error> {
        let live = automaton.live_bytes(start)?;
        if !live.intersection(&no_leads()).is_empty() {
            return Ok(None);
        }
        let (first, counts) = after_ascii(automaton, start)?;
        let Some(&(main, _)) = counts.iter().max_by_key(|&&(_, count)| count) else { return Ok(None) };
        let non_ascii =
            if has_non_ascii(&live) { largest_non_ascii(automaton, main)? } else { NonAscii::None };
        let is_text = automaton.is_text(start);
        let mut rare = 0;
        let ascii = first
            | going_on(automaton, main, u128::MAX, |_, by| {
                rare |= if by.count_ones() <= MAX_RARE_ASCII { by } else { 0 };
            })?;
        Ok(Some(Self { automaton, start, most, is_text, main, first, ascii, rare, non_ascii }))
    }

    /// Searches for a class. Dead ends are collected if `has_ends` is given, which is set to `true` if there
    /// are any. Otherwise their characters are dropped.
    fn find(&self, mut has_ends: Option<&mut bool>) -> Result<ClassSearch, Error> {
        let (mut ascii, mut rare) = (self.ascii, self.rare);
        let mut is_unknown = false;
        while (ascii & self.first).count_ones() >= MIN_CLASS_ASCII {
            let found = match self.explore(ascii, &mut rare, has_ends.as_deref_mut())? {
                Exploration::Safe(found) => found,
                Exploration::Smaller(smaller) => {
                    ascii = smaller;
                    continue;
                }
                Exploration::None => return Ok(ClassSearch::None),
            };
            let mut reach = found.reach;
            if let Some(most) = self.most {
                let states = found.frontier.states.iter().copied();
                let Some(room) = room(self.automaton, most, states) else { return Ok(ClassSearch::Unknown) };
                reach = Some(reach.map_or(room, |reach| reach.min(room)));
            }
            if let Some(safe) = self.class_of(&found, reach)? {
                return Ok(ClassSearch::Found(safe));
            }
            // Restrict the class to the characters that lead back to the main state, so that `completes` has
            // one value.
            let returning = going_back(self.automaton, self.main)? & ascii;
            if returning == ascii {
                return Ok(ClassSearch::Unknown);
            }
            (ascii, is_unknown) = (returning, true);
        }
        Ok(if is_unknown { ClassSearch::Unknown } else { ClassSearch::None })
    }

    /// Explores the states that the characters of one class lead to. If rare characters
    /// are dropped, `rare` becomes empty.
    fn explore(
        &self,
        ascii: u128,
        rare: &mut u128,
        mut has_ends: Option<&mut bool>,
    ) -> Result<Exploration, Error> {
        let automaton = self.automaton;
        let class = Class { ascii, non_ascii: self.non_ascii };
        let mut frontier = ClassFrontier::new(self.is_text);
        let not_first = frontier.begin(automaton, self.start, class)?;
        let (mut from, mut reach) = (0, 1);
        let mut ends = Vec::new();
        loop {
            let until = frontier.states.len();
            let mut ending = 0;
            for position in from..until {
                let state = frontier.states[position];
                charge(UNITS_PER_STATE)?;
                let here = frontier.follow(automaton, state, class)?.unwrap_or(ascii);
                match &mut has_ends {
                    Some(has_ends) if here != 0 && here.count_ones() <= MAX_EXIT_ASCII => {
                        **has_ends = true;
                        ends.push((position, here));
                    }
                    _ => ending |= frontier.fewer(position, here),
                }
            }
            if ends.len() > MAX_DEAD_ENDS {
                return Ok(Exploration::None);
            }
            // Only after the loop above, `frontier.paths` has all characters that lead to a state.
            let has_many_paths =
                |&&(position, _): &&(usize, u128)| frontier.paths[position].count_ones() > MAX_EXIT_ASCII;
            let late = ends.iter().filter(has_many_paths);
            let late = late.fold(0, |late, &(position, here)| late | frontier.fewer(position, here));
            if late != 0 {
                return Ok(Exploration::Smaller(ascii & !late));
            }
            let is_endless = ending == 0 && frontier.states.len() == until;
            if ending != 0 && reach < MIN_CLASS_CHARS {
                return Ok(Exploration::Smaller(ascii & !ending));
            }
            if ending == 0 && !is_endless {
                reach += 1;
                if frontier.states.len() <= MAX_CLASS_STATES && reach < MAX_CLASS_CHARS {
                    from = until;
                    continue;
                }
                if reach < MIN_CLASS_CHARS {
                    // Each occurrence of a rare character adds as many states as there are already.
                    let smaller = ascii & !std::mem::take(rare);
                    let is_smaller = smaller != ascii;
                    return Ok(if is_smaller { Exploration::Smaller(smaller) } else { Exploration::None });
                }
            } else {
                frontier.states.truncate(until);
            }
            let reach = (!is_endless).then_some(reach);
            return Ok(Exploration::Safe(SafeStates { class, frontier, not_first, ends, reach }));
        }
    }

    /// Returns the class with the properties of its states. Returns `None` if only some of the states after
    /// its characters are complete.
    fn class_of(&self, found: &SafeStates, reach: Option<usize>) -> Result<Option<SafeClass>, Error> {
        let SafeStates { class, frontier, not_first, .. } = found;
        let ends = frontier.ends(self.automaton, *class, &found.ends)?;
        let states = &frontier.states;
        let completes = states.first().is_some_and(|state| state.completes());
        if states.iter().any(|state| state.completes() != completes) {
            return Ok(None);
        }
        let mut leaving = 0;
        for &state in states.iter().chain([&self.start]) {
            leaving |= self.automaton.live_bytes(state)?.ascii();
        }
        Ok(Some(SafeClass {
            class: *class,
            not_first: *not_first,
            reach,
            completes,
            leaving: leaving & !class.ascii,
            omitted: frontier.omitted,
            ends,
            is_cut: found.reach.is_some(),
            states: Some(states.clone()),
        }))
    }
}

//! Safe classes: classes of characters that keep a lexeme alive, in whichever states it is on the way.
//!
//! ```text
//! (?s:.)*ab(?s:.)*    any character keeps it alive: each text can still be completed
//! ```
//!
//! The tokens that consist of such characters are taken from the slice of the class. The trie is walked only
//! from the edges that leave the class.

use grammask_cache::Budget;
use grammask_regular::{ByteSet, Error};
use grammask_trie::index::InnerId;

use crate::lexicon::Lexicon;
use crate::lexicon::automaton::{Automaton, HeadForm, LexemeId};
use crate::lexicon::slice::frontier::{ClassFrontier, DeadEnd, after_multibyte, most_others};
use crate::lexicon::slice::paths::{
    ExcludedFirsts, continue_after, follow_paths, follow_paths_with, forget, leave,
};
use crate::lexicon::slice::utf8::no_leads;
use crate::lexicon::slice::{Class, NOWHERE, nodes_below};
use crate::lexicon::walk::Walk;
use crate::lexicon::walk::output::WalkOutput;
use crate::lexicon::walk::self_loop::{NonAscii, SelfLoop};

/// Minimum number of ASCII characters of a class; smaller classes have few tokens.
pub(crate) const MIN_CLASS_ASCII: u32 = 24;

/// States that the search for a class visits before it stops.
pub(crate) const MAX_CLASS_STATES: usize = 72;

/// Maximum number of characters at a dead end, and of characters right before it, for which such pairs are
/// looked up in the trie. Beyond it, the characters are dropped from the class.
const MAX_EXIT_ASCII: u32 = 4;

/// Dead ends of a class; with more, as for a list of words, the search stops.
const MAX_DEAD_ENDS: usize = 12;

/// Maximum number of characters that lead to one state and are called rare. Rare characters are dropped if
/// there are too many states.
const MAX_RARE_ASCII: u32 = 2;

/// Counter bounds from this value on are first treated as infinite.
const MIN_FAR_BOUND: usize = 16;

/// Characters for which a class is followed; few tokens are longer.
const MAX_CLASS_CHARS: usize = 24;

/// Characters for which a class must keep the lexeme alive to be worth a slice; most tokens are shorter. If
/// the lexeme dies earlier, the characters that kill it are dropped, and the search starts again.
const MIN_CLASS_CHARS: usize = 8;

/// A class of characters that keeps a lexeme alive.
pub(crate) struct SafeClass {
    pub(crate) class: Class,
    /// First bytes of characters of the class for which the lexeme cannot begin with every such character.
    pub(crate) not_first: ByteSet,
    /// Number of characters for which the lexeme stays alive; `None` if any number.
    pub(crate) reach: Option<usize>,
    /// True if the lexeme is complete after one or more of the characters.
    pub(crate) completes: bool,
    /// ASCII characters outside the class by which some state continues, one bit each.
    pub(crate) leaving: u128,
    /// True if multi-byte characters that the class excludes may continue, too.
    pub(crate) omitted: bool,
    /// Positions at which some characters of the class do not continue.
    pub(crate) ends: Vec<DeadEnd>,
    /// True if the exploration of the states ended at a number of characters, not at a fixed point.
    pub(crate) is_cut: bool,
    /// States after one or more characters of the class. `None` if they are those of another lexeme, without
    /// bounds.
    pub(crate) states: Option<Vec<LexemeId>>,
}

/// Outcome of a search for a safe class.
enum ClassSearch {
    Found(SafeClass),
    /// There is no class, and none for a lexeme that differs only in nearer bounds.
    None,
    /// No class was found, but a lexeme with nearer bounds may have one.
    Unknown,
}

impl ClassSearch {
    fn found(self) -> Option<SafeClass> {
        match self {
            Self::Found(safe) => Some(safe),
            Self::None | Self::Unknown => None,
        }
    }
}

impl SafeClass {
    /// Finds a class that keeps a lexeme alive.
    ///
    /// If a lexeme counts the characters of its text, every character leads to another state. The search then
    /// explores the lexeme without the count. Both are alive as long as enough characters remain to end the
    /// text.
    pub(crate) fn find(
        automaton: &Automaton,
        lexeme: LexemeId,
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        let uncounted = automaton.uncounted(lexeme, budget)?;
        let by_counter = match uncounted {
            Some((free, most)) => Self::of_counter(automaton, free, Some(most), budget)?,
            None => None,
        };
        let by_counter = by_counter.filter(|safe| !safe.completes);
        // A lexeme without far bounds has few states, and its texts rarely end soon.
        if by_counter.is_none()
            && let Some((free, most)) = automaton.unbounded(lexeme, MIN_FAR_BOUND, budget)?
        {
            match Self::of(automaton, free, Some(most), budget)? {
                ClassSearch::Found(safe) => return Ok(Some(Self { states: None, ..safe })),
                ClassSearch::None => return Ok(None),
                ClassSearch::Unknown => {}
            }
        }
        if let Some((free, most)) = uncounted {
            let found = match by_counter {
                None => Self::of(automaton, free, Some(most), budget)?,
                Some(safe) => ClassSearch::Found(safe),
            };
            match found {
                ClassSearch::Found(safe) if !safe.completes => {
                    return Ok(Some(Self { states: None, ..safe }));
                }
                ClassSearch::None => return Ok(None),
                ClassSearch::Found(_) | ClassSearch::Unknown => {}
            }
        }
        Ok(Self::of(automaton, lexeme, None, budget)?.found())
    }

    /// Returns the class of the characters that a counter at the beginning of a lexeme counts, up to its
    /// bound. If the characters of the whole text are counted as well, `most` is their maximum.
    fn of_counter(
        automaton: &Automaton,
        lexeme: LexemeId,
        most: Option<usize>,
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        let HeadForm::Counted { rest, .. } = automaton.head_form(lexeme, budget)? else { return Ok(None) };
        let by = SelfLoop::of(automaton, lexeme, budget)?;
        let (ascii, others) = by.characters();
        let Some((counter, omitted)) = by.open_counter() else { return Ok(None) };
        // Otherwise the lexeme is incomplete after the first characters, and complete after later ones.
        let is_uniform = !counter.completes || counter.min <= 1;
        if !is_uniform || others == NonAscii::Bytes || ascii.count_ones() < MIN_CLASS_ASCII {
            return Ok(None);
        }
        if omitted && !automaton.is_text(lexeme) {
            return Ok(None);
        }
        let mut reach = counter.max as usize;
        if let Some(most) = most {
            // No state on the way needs more characters to end the text than this one.
            let Some(room) = room(automaton, most, std::iter::once(lexeme)) else { return Ok(None) };
            reach = reach.min(room);
        }
        let live = automaton.live_bytes(lexeme, budget)?.union(&automaton.live_bytes(rest, budget)?);
        if others == NonAscii::None && has_others(&live) {
            return Ok(None);
        }
        Ok(Some(Self {
            class: Class { ascii, others },
            not_first: ByteSet::EMPTY,
            reach: Some(reach),
            completes: counter.completes,
            leaving: live.ascii() & !ascii,
            omitted,
            ends: Vec::new(),
            is_cut: false,
            states: None,
        }))
    }

    /// Returns the class of the characters that continue from a state and from its successors, without those
    /// that soon lead to a dead end. If the characters of the text are counted as well, `most` is their
    /// maximum.
    fn of(
        automaton: &Automaton,
        start: LexemeId,
        most: Option<usize>,
        budget: &Budget,
    ) -> Result<ClassSearch, Error> {
        let mut has_ends = false;
        let found = Self::followed(automaton, start, most, Some(&mut has_ends), budget)?;
        // If the exploration is cut, a search that drops the characters of dead ends is simpler and reaches
        // farther.
        match found {
            ClassSearch::Found(safe) if !has_ends || !safe.is_cut => Ok(ClassSearch::Found(safe)),
            _ if has_ends => Self::followed(automaton, start, most, None, budget),
            found => Ok(found),
        }
    }

    /// Implements [`of`](Self::of). Dead ends are collected if `has_ends` is given; it is set to `true` if
    /// there are any.
    fn followed(
        automaton: &Automaton,
        start: LexemeId,
        most: Option<usize>,
        mut has_ends: Option<&mut bool>,
        budget: &Budget,
    ) -> Result<ClassSearch, Error> {
        let live = automaton.live_bytes(start, budget)?;
        if !live.intersection(&no_leads()).is_empty() {
            return Ok(ClassSearch::None);
        }
        let (first, counts) = after_ascii(automaton, start, budget)?;
        let Some(&(main, _)) = counts.iter().max_by_key(|&&(_, count)| count) else {
            return Ok(ClassSearch::None);
        };
        let others = if has_others(&live) { most_others(automaton, main, budget)? } else { NonAscii::None };
        let is_text = automaton.is_text(start);
        // Rare characters: at most `MAX_RARE_ASCII` of them lead to one state.
        let mut cold = 0;
        let mut ascii = first;
        ascii |= going_on(automaton, main, u128::MAX, budget, |_, by| {
            cold |= if by.count_ones() <= MAX_RARE_ASCII { by } else { 0 };
        })?;
        let mut is_unknown = false;
        'smaller: while (ascii & first).count_ones() >= MIN_CLASS_ASCII {
            let class = Class { ascii, others };
            let mut frontier = ClassFrontier::new(is_text);
            let not_first = frontier.begin(automaton, start, class, budget)?;
            let (mut from, mut reach) = (0, 1);
            let mut ends = Vec::new();
            loop {
                let until = frontier.states.len();
                let mut ending = 0;
                for place in from..until {
                    let state = frontier.states[place];
                    let here = frontier.follow(automaton, state, class, budget)?.unwrap_or(ascii);
                    match &mut has_ends {
                        Some(has_ends) if here != 0 && here.count_ones() <= MAX_EXIT_ASCII => {
                            **has_ends = true;
                            ends.push((place, here));
                        }
                        _ => ending |= frontier.fewer(place, here),
                    }
                }
                if ends.len() > MAX_DEAD_ENDS {
                    return Ok(ClassSearch::None);
                }
                // The characters that lead to a state are complete only after the loop above.
                let is_behind_many =
                    |&&(place, _): &&(usize, u128)| frontier.paths[place].count_ones() > MAX_EXIT_ASCII;
                let late = ends.iter().filter(is_behind_many);
                let late = late.fold(0, |late, &(place, here)| late | frontier.fewer(place, here));
                if late != 0 {
                    ascii &= !late;
                    continue 'smaller;
                }
                let is_endless = ending == 0 && frontier.states.len() == until;
                if ending != 0 && reach < MIN_CLASS_CHARS {
                    ascii &= !ending;
                    continue 'smaller;
                }
                if ending == 0 && !is_endless {
                    reach += 1;
                    if frontier.states.len() <= MAX_CLASS_STATES && reach < MAX_CLASS_CHARS {
                        from = until;
                        continue;
                    }
                    if reach < MIN_CLASS_CHARS {
                        // Each occurrence of a rare character adds as many states as there are already.
                        ascii &= !std::mem::take(&mut cold);
                        if class.ascii == ascii {
                            return Ok(ClassSearch::None);
                        }
                        continue 'smaller;
                    }
                } else {
                    frontier.states.truncate(until);
                }
                let mut reach = (!is_endless).then_some(reach);
                if let Some(most) = most {
                    let Some(room) = room(automaton, most, frontier.states.iter().copied()) else {
                        return Ok(ClassSearch::Unknown);
                    };
                    reach = Some(reach.map_or(room, |reach| reach.min(room)));
                }
                let ends = frontier.ends(automaton, class, &ends, budget)?;
                let safe = Self {
                    class,
                    not_first,
                    reach,
                    completes: false,
                    leaving: 0,
                    omitted: frontier.omitted,
                    ends,
                    is_cut: !is_endless,
                    states: None,
                };
                if let Some(safe) = safe.with_states(automaton, start, &frontier.states, budget)? {
                    return Ok(ClassSearch::Found(safe));
                }
                // Restrict the class to the characters that lead back to the main state, so that `completes`
                // has one value.
                let returning = going_back(automaton, main, budget)? & ascii;
                if returning == ascii {
                    return Ok(ClassSearch::Unknown);
                }
                (ascii, is_unknown) = (returning, true);
                continue 'smaller;
            }
        }
        Ok(if is_unknown { ClassSearch::Unknown } else { ClassSearch::None })
    }

    /// Returns the class of the characters that lead a lexeme back to its own state. Returns `None` if other
    /// bytes continue where multi-byte characters begin, unless the lexeme is text.
    pub(crate) fn of_loop(
        automaton: &Automaton,
        lexeme: LexemeId,
        by: &SelfLoop,
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        let (ascii, others) = by.characters();
        let live = automaton.live_bytes(lexeme, budget)?;
        let (are_characters, is_strict) = match others {
            NonAscii::None => (!has_others(&live), true),
            // A class of bytes has no multi-byte characters to be cut. A bound that is far now is met later
            // with the same slice.
            NonAscii::Bytes => (true, true),
            NonAscii::Words | NonAscii::Lines | NonAscii::Characters => {
                let behind = after_multibyte(automaton, lexeme, others, budget)?;
                let is_strict = behind.is_some_and(|behind| behind.is_strict);
                (is_strict || behind.is_some() && automaton.is_text(lexeme), is_strict)
            }
        };
        Ok((are_characters && ascii.count_ones() >= MIN_CLASS_ASCII).then(|| Self {
            class: Class { ascii, others },
            not_first: ByteSet::EMPTY,
            reach: None,
            completes: by.completes,
            leaving: live.ascii() & !ascii,
            omitted: !is_strict,
            ends: Vec::new(),
            is_cut: false,
            states: Some(vec![lexeme]),
        }))
    }

    /// Adds the properties of the start and of the states after some characters. Returns `None` if only some
    /// of these states are complete.
    fn with_states(
        mut self,
        automaton: &Automaton,
        start: LexemeId,
        states: &[LexemeId],
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        self.completes = states.first().is_some_and(|state| state.completes());
        if states.iter().any(|state| state.completes() != self.completes) {
            return Ok(None);
        }
        for &state in states.iter().chain([&start]) {
            self.leaving |= automaton.live_bytes(state, budget)?.ascii();
        }
        self.leaving &= !self.class.ascii;
        self.states = Some(states.to_vec());
        Ok(Some(self))
    }

    /// Returns `true` if at most `LexiconConfig::leaving` edges of the trie below `base` leave the class.
    fn leaves_little(&self, lexicon: &Lexicon, base: InnerId) -> bool {
        let below = nodes_below(lexicon.trie(), lexicon.outline(), base);
        let out = (0..128u8).filter(|byte| self.leaving >> byte & 1 == 1);
        let edges = out.map(|byte| lexicon.outline().edges_to(byte, below.clone()).len());
        edges.sum::<usize>() <= lexicon.config.leaving
    }
}

/// Returns `true` if some byte is not ASCII.
pub(crate) fn has_others(bytes: &ByteSet) -> bool {
    !bytes.is_subset(&ByteSet::range(0, 0x7F))
}

/// Returns how many characters may follow such that the text can still be ended from each of `states`. The
/// rest of the text has at most `most` characters, an incomplete one included. Returns `None` if no character
/// may follow, or if this is not evident.
pub(crate) fn room(
    automaton: &Automaton,
    most: usize,
    states: impl Iterator<Item = LexemeId>,
) -> Option<usize> {
    let mut ends = states.map(|state| automaton.enough_to_end(state));
    let enough = ends.try_fold(0, |sum: usize, end| Some(sum.max(end?)))?;
    most.checked_sub(enough).filter(|&room| room > 0)
}

/// Returns those of the ASCII characters `among` by which a lexeme continues, one bit each. Calls `tell` with
/// each successor and the characters that lead to it.
pub(crate) fn going_on(
    automaton: &Automaton,
    state: LexemeId,
    among: u128,
    budget: &Budget,
    mut tell: impl FnMut(LexemeId, u128),
) -> Result<u128, Error> {
    let mut ascii = 0;
    automaton.steps(state, &ByteSet::range(0, 0x7F), budget, |bytes, next| {
        let by = bytes.ascii() & among;
        if by != 0 && next.goes_on() {
            ascii |= by;
            tell(next, by);
        }
        true
    })?;
    Ok(ascii)
}

/// Returns the ASCII characters that lead from a state back to itself, one bit each.
fn going_back(automaton: &Automaton, state: LexemeId, budget: &Budget) -> Result<u128, Error> {
    let mut ascii = 0;
    going_on(automaton, state, u128::MAX, budget, |next, by| ascii |= if next == state { by } else { 0 })?;
    Ok(ascii)
}

/// Returns the ASCII characters by which a lexeme continues, one bit each. Also returns the successors, each
/// with the number of characters that lead to it.
pub(crate) fn after_ascii(
    automaton: &Automaton,
    state: LexemeId,
    budget: &Budget,
) -> Result<(u128, Vec<(LexemeId, u32)>), Error> {
    let mut counts: Vec<(LexemeId, u32)> = Vec::new();
    let ascii = going_on(automaton, state, u128::MAX, budget, |next, by| {
        match counts.iter_mut().find(|(other, _)| *other == next) {
            Some((_, count)) => *count += by.count_ones(),
            None => counts.push((next, by.count_ones())),
        }
    })?;
    Ok((ascii, counts))
}

/// Takes the tokens that a lexeme accepts below `base` if it counts the characters of a class. Returns
/// `false` if it does not.
pub(crate) fn below_counter(
    walk: &mut Walk<'_>,
    base: InnerId,
    by: &SelfLoop,
    output: &mut WalkOutput<'_>,
) -> Result<bool, Error> {
    if !by.counts() {
        return Ok(false);
    }
    match SafeClass::of_counter(&walk.lexicon.automaton, walk.lexeme, None, &walk.lexicon.budget)? {
        Some(safe) => take(walk, base, &safe, output),
        None => Ok(false),
    }
}

/// Takes the tokens that a lexeme accepts below `base` if it loops and at most `LexiconConfig::strays` edges
/// of the trie leave the loop. Returns `false` otherwise.
pub(crate) fn below_loop(
    walk: &mut Walk<'_>,
    base: InnerId,
    by: &SelfLoop,
    output: &mut WalkOutput<'_>,
) -> Result<bool, Error> {
    if by.counts() || walk.strays(base, by)? > walk.lexicon.config.strays {
        return Ok(false);
    }
    match SafeClass::of_loop(&walk.lexicon.automaton, walk.lexeme, by, &walk.lexicon.budget)? {
        Some(safe) => take(walk, base, &safe, output),
        None => Ok(false),
    }
}

/// Takes the tokens that a lexeme accepts below `base` if a class of characters keeps it alive. Returns
/// `false` if there is no such class.
pub(crate) fn below(
    walk: &mut Walk<'_>,
    base: InnerId,
    by: &SelfLoop,
    output: &mut WalkOutput<'_>,
) -> Result<bool, Error> {
    let lexicon = walk.lexicon;
    if by.counts() || walk.strays(base, by)? <= lexicon.config.strays {
        return Ok(false);
    }
    let safe = match SafeClass::find(&lexicon.automaton, walk.lexeme, &lexicon.budget)? {
        Some(safe) => Some(safe),
        None => SafeClass::of_loop(&lexicon.automaton, walk.lexeme, by, &lexicon.budget)?
            .filter(|safe| safe.leaves_little(lexicon, base)),
    };
    match safe {
        Some(safe) => take(walk, base, &safe, output),
        None => Ok(false),
    }
}

/// Takes the tokens that a lexeme accepts below `base`, from the slice of a safe class. Returns `false` if
/// tokens are too long, or if nodes that remain to be walked cannot be dropped.
fn take(
    walk: &mut Walk<'_>,
    base: InnerId,
    safe: &SafeClass,
    output: &mut WalkOutput<'_>,
) -> Result<bool, Error> {
    let lexicon = walk.lexicon;
    if walk.has_remaining() {
        let (Some(states), None) = (&safe.states, safe.reach) else { return Ok(false) };
        for &state in states {
            if !walk.is_larger(state)? {
                return Ok(false);
            }
        }
    }
    let slice = lexicon.slice(safe.class, base);
    let most = slice.longest();
    let reach = match safe.reach {
        Some(reach) if reach < most => reach,
        _ if lexicon.outline().height() < usize::from(NOWHERE) => most,
        _ => return Ok(false),
    };
    let mut row = slice.row(&lexicon.vocabulary, reach);
    let are_needed = safe.completes && output.wants_exits() || walk.has_remaining();
    let mut branches = are_needed.then(|| slice.branches(reach));
    let excluded = ExcludedFirsts::of(lexicon, base, &safe.not_first);
    excluded.forget(lexicon, &mut row, &mut branches);
    // Nodes after more characters are walked by `continue_after`.
    let is_too_far = |branch| (reach..usize::from(NOWHERE)).contains(&usize::from(slice.length(branch)));
    let mut ended = Vec::new();
    let to_dead_ends = lexicon.paths_to_dead_ends(slice, &safe.ends);
    follow_paths_with(walk, &to_dead_ends, is_too_far, |_, child, next| {
        if !next.goes_on() {
            forget(lexicon, child, &mut row, &mut branches);
            ended.push((child, next));
        }
        Ok(())
    })?;
    output.allow_row(row);
    if let Some(branches) = branches {
        walk.leave_out_all(&branches);
        if safe.completes {
            output.exit_at_all(&branches);
        }
    }
    for (child, next) in ended {
        walk.arrive(child, next, output)?;
    }
    excluded.arrive(walk, output)?;
    let only = match safe.states.as_deref() {
        Some(&[state]) if safe.reach.is_none() && safe.ends.is_empty() => Some(state),
        _ => None,
    };
    for byte in (0..128u8).filter(|byte| safe.leaving >> byte & 1 == 1) {
        match only {
            Some(state) => leave(walk, slice, (state, &excluded), byte, output)?,
            None => follow_paths(walk, lexicon.leaving(slice, byte), is_too_far, output)?,
        }
    }
    if safe.omitted {
        let to_omitted = lexicon.paths_to_omitted(slice, safe.class.others);
        follow_paths(walk, &to_omitted, |_| false, output)?;
    }
    if safe.reach.is_some() {
        continue_after(walk, slice, reach, output)?;
    }
    Ok(true)
}

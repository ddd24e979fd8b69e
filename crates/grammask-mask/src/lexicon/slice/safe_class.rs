//! Safe classes: classes of characters that keep a lexeme alive, whatever its states on the way are.
//!
//! ```text
//! (?s:.)*ab(?s:.)*    any character keeps it alive: each text can still be completed
//! ```
//!
//! The tokens that consist of such characters are taken from the slice of the class; the trie is walked from
//! the edges
//! that leave the class alone.

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

/// ASCII characters of a class; smaller classes have few tokens.
pub(crate) const MIN_CLASS_ASCII: u32 = 24;

/// States that the search for a class visits before it stops.
pub(crate) const MAX_CLASS_STATES: usize = 72;

/// Characters that end a path, and characters before them, up to which such pairs are looked up in the trie.
/// Beyond it, the characters are dropped from the class.
const MAX_EXIT_ASCII: u32 = 4;

/// Dead ends of a class; with more, as for a list of words, the search stops.
const MAX_DEAD_ENDS: usize = 12;

/// Characters that lead to a state of their own and are dropped if there are too many states.
const MAX_RARE_ASCII: u32 = 2;

/// Counter bounds from this one on are first taken for infinite.
const MIN_FAR_BOUND: usize = 16;

/// Characters for which a class is followed: few tokens have more.
const MAX_CLASS_CHARS: usize = 24;

/// Characters for which a class must keep the lexeme alive to be worth a slice. If it dies earlier, the
/// characters
/// that kill it are dropped, and the search starts again: most tokens are shorter than this.
const MIN_CLASS_CHARS: usize = 8;

/// What keeps a lexeme alive.
pub(crate) struct SafeClass {
    pub(crate) class: Class,
    /// The bytes with which characters of the class begin, but not the lexeme: not with all of these
    /// characters.
    pub(crate) not_first: ByteSet,
    /// For how many characters; `None` for ever.
    pub(crate) reach: Option<usize>,
    /// Whether the lexeme is complete behind one and more of them.
    pub(crate) completes: bool,
    /// The ASCII characters that may lead somewhere else from some state, bit by bit.
    pub(crate) leaving: u128,
    /// Whether characters of several bytes that are left out may, too.
    pub(crate) omitted: bool,
    /// Where characters of the class end some paths.
    pub(crate) ends: Vec<DeadEnd>,
    /// Whether the states were followed for some characters only.
    pub(crate) is_cut: bool,
    /// The states behind one and more characters of the class, where those of the lexeme itself were
    /// followed.
    pub(crate) states: Option<Vec<LexemeId>>,
}

/// What a search for a class came to.
enum ClassSearch {
    Found(SafeClass),
    /// Its states show none: nor do those of a lexeme that differs in that some of its bounds are nearer.
    None,
    /// One was not found, but a lexeme with nearer bounds may have one.
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
    /// What keeps a lexeme alive.
    ///
    /// Where the characters of its text are counted, every character leads to another state. So the same
    /// lexeme is looked at that does not count them: as long
    /// as so many may follow as suffice to end its text, one is alive where the other is.
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
        // Without far bounds there are few states, and mostly no text that ends soon.
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

    /// The characters that a lexeme counts by itself, as long as there may be more of them; where those of
    /// its whole text are counted beside
    /// that, `most` of these.
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
        // Behind the first few it would not be complete, and behind the others it would.
        let is_uniform = !counter.completes || counter.min <= 1;
        if !is_uniform || others == NonAscii::Bytes || ascii.count_ones() < MIN_CLASS_ASCII {
            return Ok(None);
        }
        if omitted && !automaton.is_text(lexeme) {
            return Ok(None);
        }
        let mut reach = counter.max as usize;
        if let Some(most) = most {
            // No state on the way needs more than this one.
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

    /// The class of the characters that go on from a state and from where it leads to, without those that end
    /// some way soon; where
    /// characters are counted beside that, as long as a text of so many at most can still be ended.
    fn of(
        automaton: &Automaton,
        start: LexemeId,
        most: Option<usize>,
        budget: &Budget,
    ) -> Result<ClassSearch, Error> {
        let mut has_ends = false;
        let found = Self::followed(automaton, start, most, Some(&mut has_ends), budget)?;
        // What is cut anyhow is cut better where there is less to be looked for.
        match found {
            ClassSearch::Found(safe) if !has_ends || !safe.is_cut => Ok(ClassSearch::Found(safe)),
            _ if has_ends => Self::followed(automaton, start, most, None, budget),
            found => Ok(found),
        }
    }

    /// The same; where ends are looked for, whether there have been any.
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
        // Characters of which few lead to the same state.
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
                // Behind how many characters a state is, is not known before.
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
                        // Each time that one of these comes, there are as many states again.
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
                // Behind the characters that lead back to where most lead, it is complete or not.
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

    /// The characters that lead a lexeme back to where it is: where nothing else begins as those of several
    /// bytes do, or all that does is text.
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
            // Where a text goes on with the class, there are no characters to be cut. A bound that is far now
            // is met with the same slice.
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

    /// The same with what can be read off the beginning and the states behind some characters; nothing where
    /// only some of these are
    /// complete.
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

    /// Whether few edges of the trie below a place lead out of the class.
    fn leaves_little(&self, lexicon: &Lexicon, base: InnerId) -> bool {
        let below = nodes_below(lexicon.trie(), lexicon.outline(), base);
        let out = (0..128u8).filter(|byte| self.leaving >> byte & 1 == 1);
        let edges = out.map(|byte| lexicon.outline().edges_to(byte, below.clone()).len());
        edges.sum::<usize>() <= lexicon.config.leaving
    }
}

/// Whether there are bytes that are no ASCII.
pub(crate) fn has_others(bytes: &ByteSet) -> bool {
    !bytes.is_subset(&ByteSet::range(0, 0x7F))
}

/// How many characters may follow, where `most` may be in the rest of a text, and it must be possible to end
/// it from any of some states; nothing
/// where there may be none, or where it is not evident. One that is cut counts.
pub(crate) fn room(
    automaton: &Automaton,
    most: usize,
    states: impl Iterator<Item = LexemeId>,
) -> Option<usize> {
    let mut ends = states.map(|state| automaton.enough_to_end(state));
    let enough = ends.try_fold(0, |sum: usize, end| Some(sum.max(end?)))?;
    most.checked_sub(enough).filter(|&room| room > 0)
}

/// Those of some ASCII characters, bit by bit, with which a lexeme goes on. Tells where they lead, and by
/// which bits.
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

/// The ASCII characters that lead from a state back to it, bit by bit.
fn going_back(automaton: &Automaton, state: LexemeId, budget: &Budget) -> Result<u128, Error> {
    let mut ascii = 0;
    going_on(automaton, state, u128::MAX, budget, |next, by| ascii |= if next == state { by } else { 0 })?;
    Ok(ascii)
}

/// The ASCII characters with which a lexeme goes on, bit by bit; and the states behind them, with how many
/// lead to each.
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

/// Takes what a lexeme accepts below `base`, where it counts the characters of a class. Returns `false` if it
/// does not.
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

/// Takes what a lexeme accepts below `base`, where it loops and goes on by few other edges of the trie: so
/// there is little to
/// take that the loop does not. Returns `false` if that is not so.
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

/// Takes what a lexeme accepts below `base`, where a class of characters keeps it alive. Returns `false` if
/// none does.
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

/// What a lexeme takes below a place, where this keeps it alive. Gives up, with `false`, where tokens are too
/// long, or where it would have to be
/// told what is taken of other trie nodes and cannot.
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
    // What is behind more characters is looked for below.
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

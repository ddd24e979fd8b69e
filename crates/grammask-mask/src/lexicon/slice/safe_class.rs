//! Classes of characters that keep a lexeme alive: as long as only they follow, it can be finished, whatever its states are on the way. So it is
//! where a text has to hold a word, or must begin and end with certain characters. The tokens made of them are taken from a slice.

use grammask_cache::Budget;
use grammask_regular::{ByteSet, Error};
use grammask_trie::index::InnerId;

use crate::lexicon::Lexicon;
use crate::lexicon::automaton::{Automaton, LexemeId, Surface};
use crate::lexicon::slice::frontier::{End, Reached, behind, most_others};
use crate::lexicon::slice::paths::{Firsts, follow_ways, follow_ways_to, forget, go_further, leave};
use crate::lexicon::slice::utf8::no_leads;
use crate::lexicon::slice::{Class, NOWHERE, by_word_count, invariant, nodes_below};
use crate::lexicon::walk::Walk;
use crate::lexicon::walk::output::Findings;
use crate::lexicon::walk::self_loop::{Loop, Others};

/// A class of fewer ASCII characters makes few tokens.
pub(crate) const FEW: u32 = 24;

/// States that are looked at before a class is no longer followed.
pub(crate) const MANY: usize = 72;

/// Where so few characters end ways behind so few others, these pairs are looked for in the vocabulary; else the one or the other are no
/// characters of the class. What is found is the same.
const ENDS: u32 = 4;

/// Where there are more ends, as many words, or as many counts of a word, no more is looked for.
const MANY_ENDS: usize = 12;

/// So few characters are left out where they alone lead to a state, and states become too many.
const SELDOM: u32 = 2;

/// ASCII letters and digits, bit by bit.
const LETTERS: u128 = 0x07ff_fffe_07ff_fffe_03ff_0000_0000_0000;

/// The same, and a blank.
const MOST: u128 = LETTERS | 1 << b' ';

/// Bounds that are so far are first taken for none.
const FAR: usize = 16;

/// Few tokens have more characters, so what is alive for so many is followed no further.
const LONG: usize = 24;

/// Most tokens have fewer characters, so what is alive for so many only is not worth a slice, where a smaller class may be alive for more: behind so
/// many, all ways that end are taken out of the class. A bound on the length ends all of them, so there no other class is better.
const SHORT: usize = 8;

/// What keeps a lexeme alive.
pub(crate) struct Closed {
    pub(crate) class: Class,
    /// The bytes with which characters of the class begin, but not the lexeme: not with all of these characters.
    pub(crate) not_first: ByteSet,
    /// For how many characters; `None` for ever.
    pub(crate) reach: Option<usize>,
    /// Whether the lexeme is complete behind one and more of them.
    pub(crate) completes: bool,
    /// The ASCII characters that may lead somewhere else from some state, bit by bit.
    pub(crate) exits: u128,
    /// Whether characters of several bytes that are left out may, too.
    pub(crate) omitted: bool,
    /// Where characters of the class end some ways.
    pub(crate) ends: Vec<End>,
    /// Whether hardly any characters had to be left out, and no longer texts, other than those that are too long anyhow.
    pub(crate) is_whole: bool,
    /// Whether the states were followed for some characters only.
    pub(crate) is_cut: bool,
    /// The states behind one and more characters of the class, where those of the lexeme itself were followed.
    pub(crate) states: Option<Vec<LexemeId>>,
}

/// What a search for a class came to.
enum Search {
    Found(Closed),
    /// Its states show none: nor do those of a lexeme that differs in that some of its bounds are nearer.
    None,
    /// One was not found, but a lexeme with nearer bounds may have one.
    Unknown,
}

impl Search {
    fn found(self) -> Option<Closed> {
        match self {
            Self::Found(closed) => Some(closed),
            Self::None | Self::Unknown => None,
        }
    }
}

impl Closed {
    /// What keeps a lexeme alive.
    ///
    /// Where the characters of its text are counted, every character leads to another state. So the same lexeme is looked at that does not count them: as long
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
        let by_counter = by_counter.filter(|closed| !closed.completes);
        // Without far bounds there are few states, and mostly no text that ends soon.
        if by_counter.is_none()
            && let Some((free, most)) = automaton.unbounded(lexeme, FAR, budget)?
        {
            match Self::by_kernel_or_states(automaton, free, Some(most), budget)? {
                Search::Found(closed) => {
                    // Near such a bound, what may come behind it is alive whatever is counted.
                    if closed.reach.is_some_and(|reach| reach < SHORT)
                        && let Some(kernel) = invariant::closed(automaton, lexeme, None, budget)?
                    {
                        return Ok(Some(kernel));
                    }
                    let is_whole = closed.exits & MOST == 0 && closed.reach.is_none_or(|reach| reach >= LONG);
                    return Ok(Some(Self { is_whole, states: None, ..closed }));
                }
                Search::None => return invariant::closed(automaton, lexeme, None, budget),
                Search::Unknown => {}
            }
        }
        if let Some((free, most)) = uncounted {
            let found = match by_counter {
                None => Self::by_kernel_or_states(automaton, free, Some(most), budget)?,
                Some(closed) => Search::Found(closed),
            };
            match found {
                Search::Found(closed) if !closed.completes => {
                    return Ok(Some(Self { states: None, ..closed }));
                }
                Search::None => return invariant::closed(automaton, lexeme, None, budget),
                Search::Found(_) | Search::Unknown => {}
            }
        }
        Ok(Self::by_kernel_or_states(automaton, lexeme, None, budget)?.found())
    }

    /// The characters that a lexeme counts by itself, as long as there may be more of them; where those of its whole text are counted beside
    /// that, `most` of these.
    fn of_counter(
        automaton: &Automaton,
        lexeme: LexemeId,
        most: Option<usize>,
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        let Surface::Counted { rest, .. } = automaton.surface(lexeme, budget)? else { return Ok(None) };
        let by = Loop::of(automaton, lexeme, budget)?;
        let (ascii, others) = by.characters();
        let Some((counter, omitted)) = by.open_counter() else { return Ok(None) };
        // Behind the first few it would not be complete, and behind the others it would.
        let is_uniform = !counter.completes || counter.min <= 1;
        if !is_uniform || others == Others::Bytes || ascii.count_ones() < FEW {
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
        if others == Others::None && has_others(&live) {
            return Ok(None);
        }
        Ok(Some(Self {
            class: Class { ascii, others },
            not_first: ByteSet::EMPTY,
            reach: Some(reach),
            completes: counter.completes,
            exits: live.ascii() & !ascii,
            omitted,
            ends: Vec::new(),
            is_whole: true,
            is_cut: false,
            states: None,
        }))
    }

    fn by_kernel_or_states(
        automaton: &Automaton,
        lexeme: LexemeId,
        most: Option<usize>,
        budget: &Budget,
    ) -> Result<Search, Error> {
        let by_kernel = invariant::closed(automaton, lexeme, most, budget)?;
        // By a letter that had to be left out, much of the vocabulary has to be walked.
        let kernel = match by_kernel {
            Some(kernel) if kernel.exits & LETTERS == 0 => return Ok(Search::Found(kernel)),
            kernel => kernel,
        };
        let by_states = Self::of(automaton, lexeme, most, budget)?;
        let has_more = |one: &Self, other: &Self| {
            one.reach == other.reach && one.class.ascii.count_ones() > other.class.ascii.count_ones()
        };
        Ok(match (kernel, by_states) {
            (Some(kernel), Search::Found(states)) if has_more(&states, &kernel) => Search::Found(states),
            (Some(kernel), _) => Search::Found(kernel),
            (None, states) => states,
        })
    }

    /// The class of the characters that go on from a state and from where it leads to, without those that end some way soon; where
    /// characters are counted beside that, as long as a text of so many at most can still be ended.
    fn of(
        automaton: &Automaton,
        start: LexemeId,
        most: Option<usize>,
        budget: &Budget,
    ) -> Result<Search, Error> {
        let mut has_ends = false;
        let found = Self::followed(automaton, start, most, Some(&mut has_ends), budget)?;
        // What is cut anyhow is cut better where there is less to be looked for.
        match found {
            Search::Found(closed) if !has_ends || !closed.is_cut => Ok(Search::Found(closed)),
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
    ) -> Result<Search, Error> {
        let live = automaton.live_bytes(start, budget)?;
        if !live.intersection(&no_leads()).is_empty() {
            return Ok(Search::None);
        }
        let (first, counts) = behind_ascii(automaton, start, budget)?;
        let Some(&(main, _)) = counts.iter().max_by_key(|&&(_, count)| count) else {
            return Ok(Search::None);
        };
        let others = if has_others(&live) { most_others(automaton, main, budget)? } else { Others::None };
        let is_text = automaton.is_text(start);
        // Characters of which few lead to the same state.
        let mut seldom = 0;
        let mut ascii = first;
        ascii |= going_on(automaton, main, u128::MAX, budget, |_, by| {
            seldom |= if by.count_ones() <= SELDOM { by } else { 0 };
        })?;
        let whole = ascii;
        let mut is_unknown = false;
        'smaller: while (ascii & first).count_ones() >= FEW {
            let class = Class { ascii, others };
            let mut reached = Reached::new(is_text);
            let not_first = reached.begin(automaton, start, class, budget)?;
            let (mut from, mut reach) = (0, 1);
            let mut ends = Vec::new();
            loop {
                let until = reached.states.len();
                let mut ending = 0;
                for place in from..until {
                    let state = reached.states[place];
                    let here = reached.follow(automaton, state, class, budget)?.unwrap_or(ascii);
                    match &mut has_ends {
                        Some(has_ends) if here != 0 && here.count_ones() <= ENDS => {
                            **has_ends = true;
                            ends.push((place, here));
                        }
                        _ => ending |= reached.fewer(place, here),
                    }
                }
                if ends.len() > MANY_ENDS {
                    return Ok(Search::None);
                }
                // Behind how many characters a state is, is not known before.
                let is_behind_many = |&&(place, _): &&(usize, u128)| reached.ways[place].count_ones() > ENDS;
                let late = ends.iter().filter(is_behind_many);
                let late = late.fold(0, |late, &(place, here)| late | reached.fewer(place, here));
                if late != 0 {
                    ascii &= !late;
                    continue 'smaller;
                }
                let is_endless = ending == 0 && reached.states.len() == until;
                if ending != 0 && reach < SHORT {
                    ascii &= !ending;
                    continue 'smaller;
                }
                if ending == 0 && !is_endless {
                    reach += 1;
                    if reached.states.len() <= MANY && reach < LONG {
                        from = until;
                        continue;
                    }
                    if reach < SHORT {
                        // Each time that one of these comes, there are as many states again.
                        ascii &= !std::mem::take(&mut seldom);
                        if class.ascii == ascii {
                            return Ok(Search::None);
                        }
                        continue 'smaller;
                    }
                } else {
                    reached.states.truncate(until);
                }
                let is_whole = is_endless && ascii == whole;
                let mut reach = (!is_endless).then_some(reach);
                if let Some(most) = most {
                    let Some(room) = room(automaton, most, reached.states.iter().copied()) else {
                        return Ok(Search::Unknown);
                    };
                    reach = Some(reach.map_or(room, |reach| reach.min(room)));
                }
                let ends = reached.ends(automaton, class, &ends, budget)?;
                let closed = Self {
                    class,
                    not_first,
                    reach,
                    completes: false,
                    exits: 0,
                    omitted: reached.omitted,
                    ends,
                    is_whole,
                    is_cut: !is_endless,
                    states: None,
                };
                if let Some(closed) = closed.with_states(automaton, start, &reached.states, budget)? {
                    return Ok(Search::Found(closed));
                }
                // Behind the characters that lead back to where most lead, it is complete or not.
                let returning = going_back(automaton, main, budget)? & ascii;
                if returning == ascii {
                    return Ok(Search::Unknown);
                }
                (ascii, is_unknown) = (returning, true);
                continue 'smaller;
            }
        }
        Ok(if is_unknown { Search::Unknown } else { Search::None })
    }

    /// The characters that lead a lexeme back to where it is: where nothing else begins as those of several bytes do, or all that does is text.
    pub(crate) fn of_loop(
        automaton: &Automaton,
        lexeme: LexemeId,
        by: &Loop,
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        let (ascii, others) = by.characters();
        let live = automaton.live_bytes(lexeme, budget)?;
        let (are_characters, is_strict) = match others {
            Others::None => (!has_others(&live), true),
            // Where a text goes on with the class, there are no characters to be cut. A bound that is far now is met with the same slice.
            Others::Bytes => (true, true),
            Others::Words | Others::Lines | Others::Characters => {
                let behind = behind(automaton, lexeme, others, budget)?;
                let is_strict = behind.is_some_and(|behind| behind.is_strict);
                (is_strict || behind.is_some() && automaton.is_text(lexeme), is_strict)
            }
        };
        Ok((are_characters && ascii.count_ones() >= FEW).then(|| Self {
            class: Class { ascii, others },
            not_first: ByteSet::EMPTY,
            reach: None,
            completes: by.completes,
            exits: live.ascii() & !ascii,
            omitted: !is_strict,
            ends: Vec::new(),
            is_whole: true,
            is_cut: false,
            states: Some(vec![lexeme]),
        }))
    }

    /// The same with what can be read off the beginning and the states behind some characters; nothing where only some of these are
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
            self.exits |= automaton.live_bytes(state, budget)?.ascii();
        }
        self.exits &= !self.class.ascii;
        self.states = Some(states.to_vec());
        Ok(Some(self))
    }

    /// Whether few edges of the trie below a place lead out of the class.
    fn leaves_little(&self, lexicon: &Lexicon, base: InnerId) -> bool {
        let below = nodes_below(lexicon.trie(), lexicon.outline(), base);
        let out = (0..128u8).filter(|byte| self.exits >> byte & 1 == 1);
        let edges = out.map(|byte| lexicon.outline().edges_to(byte, below.clone()).len());
        edges.sum::<usize>() <= lexicon.config.leaving
    }
}

/// Whether there are bytes that are no ASCII.
pub(crate) fn has_others(bytes: &ByteSet) -> bool {
    !bytes.is_subset(&ByteSet::range(0, 0x7F))
}

/// How many characters may follow, where `most` may be in the rest of a text, and it must be possible to end it from any of some states; nothing
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

/// Those of some ASCII characters, bit by bit, with which a lexeme goes on. Tells where they lead, and by which bits.
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

/// The ASCII characters with which a lexeme goes on, bit by bit; and the states behind them, with how many lead to each.
pub(crate) fn behind_ascii(
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

/// What a lexeme takes below a place, where a class of characters keeps it alive. Gives up, with `false`, where none does.
pub(crate) fn below(
    walk: &mut Walk<'_>,
    base: InnerId,
    by: &Loop,
    findings: &mut Findings<'_>,
) -> Result<bool, Error> {
    let lexicon = walk.lexicon;
    let (automaton, budget) = (&lexicon.automaton, &lexicon.budget);
    if by.counts() {
        return match Closed::of_counter(automaton, walk.lexeme, None, budget)? {
            Some(closed) => take(walk, base, &closed, findings),
            None => Ok(false),
        };
    }
    // By few other edges of the trie there is little to take that a loop does not.
    if walk.strays(base, by)? <= lexicon.config.strays {
        return match Closed::of_loop(automaton, walk.lexeme, by, budget)? {
            Some(closed) => take(walk, base, &closed, findings),
            None => Ok(false),
        };
    }
    let closed = Closed::find(automaton, walk.lexeme, budget)?;
    // By runs where that may leave less to be walked.
    let is_enough =
        |closed: &Closed| closed.is_whole || closed.reach.is_none() && closed.leaves_little(lexicon, base);
    if !closed.as_ref().is_some_and(is_enough)
        && base == InnerId::ROOT
        && !walk.has_remaining()
        && by_word_count::below_root(walk, findings)?
    {
        return Ok(true);
    }
    let closed = match closed {
        Some(closed) => Some(closed),
        None => Closed::of_loop(automaton, walk.lexeme, by, budget)?
            .filter(|closed| closed.leaves_little(lexicon, base)),
    };
    match closed {
        Some(closed) => take(walk, base, &closed, findings),
        None => Ok(false),
    }
}

/// What a lexeme takes below a place, where this keeps it alive. Gives up, with `false`, where tokens are too long, or where it would have to be
/// told what is taken of other places and cannot.
fn take(
    walk: &mut Walk<'_>,
    base: InnerId,
    closed: &Closed,
    findings: &mut Findings<'_>,
) -> Result<bool, Error> {
    let lexicon = walk.lexicon;
    if walk.has_remaining() {
        let (Some(states), None) = (&closed.states, closed.reach) else { return Ok(false) };
        for &state in states {
            if !walk.is_larger(state)? {
                return Ok(false);
            }
        }
    }
    let slice = lexicon.slice(closed.class, base);
    let most = slice.longest();
    let reach = match closed.reach {
        Some(reach) if reach < most => reach,
        _ if lexicon.outline().height() < usize::from(NOWHERE) => most,
        _ => return Ok(false),
    };
    let mut row = slice.row(&lexicon.vocabulary, reach);
    let are_needed = closed.completes && findings.wants_places() || walk.has_remaining();
    let mut branches = are_needed.then(|| slice.branches(reach));
    let firsts = Firsts::of(lexicon, base, &closed.not_first);
    firsts.forget(lexicon, &mut row, &mut branches);
    // What is behind more characters is looked for below.
    let is_too_far = |branch| (reach..usize::from(NOWHERE)).contains(&usize::from(slice.length(branch)));
    let mut ended = Vec::new();
    let to_ends = lexicon.ways_to_ends(slice, &closed.ends);
    follow_ways_to(walk, &to_ends, is_too_far, |_, child, next| {
        if !next.goes_on() {
            forget(lexicon, child, &mut row, &mut branches);
            ended.push((child, next));
        }
        Ok(())
    })?;
    findings.allow_row(row);
    if let Some(branches) = branches {
        walk.leave_out_all(&branches);
        if closed.completes {
            findings.hand_over_all(&branches);
        }
    }
    for (child, next) in ended {
        walk.arrive(child, next, findings)?;
    }
    firsts.arrive(walk, findings)?;
    let only = match closed.states.as_deref() {
        Some(&[state]) if closed.reach.is_none() && closed.ends.is_empty() => Some(state),
        _ => None,
    };
    for byte in (0..128u8).filter(|byte| closed.exits >> byte & 1 == 1) {
        match only {
            Some(state) => leave(walk, slice, (state, &firsts), byte, findings)?,
            None => follow_ways(walk, lexicon.exits(slice, byte), is_too_far, findings)?,
        }
    }
    if closed.omitted {
        let to_omitted = lexicon.ways_to_omitted(slice, closed.class.others);
        follow_ways(walk, &to_omitted, |_| false, findings)?;
    }
    if closed.reach.is_some() {
        go_further(walk, slice, slice, reach, findings)?;
    }
    Ok(true)
}

//! Safe classes: classes of characters that keep a lexeme alive, in whichever states it is on the way.
//!
//! ```text
//! (?s:.)*ab(?s:.)*    any character keeps it alive: each text can still be completed
//! ```
//!
//! The tokens that consist of such characters are taken from the slice of the class. The trie is walked only
//! from the edges that leave the class.

use grammask_regular::{ByteSet, Error};
use grammask_trie::index::InnerId;

use crate::lexicon::Lexicon;
use crate::lexicon::automaton::{Automaton, HeadForm, LexemeId};
use crate::lexicon::slice::class_search::{self, ClassSearch};
use crate::lexicon::slice::frontier::{DeadEnd, after_multibyte};
use crate::lexicon::slice::paths::{
    ExcludedFirsts, continue_after, follow_exit_edges, follow_paths, remove_subtree, visit_path_ends,
};
use crate::lexicon::slice::{Class, NOWHERE, nodes_below};
use crate::lexicon::walk::Walk;
use crate::lexicon::walk::output::WalkOutput;
use crate::lexicon::walk::self_loop::{NonAscii, SelfLoop};

/// Minimum number of ASCII characters of a class; smaller classes have few tokens.
pub(crate) const MIN_CLASS_ASCII: u32 = 24;

/// States that the search for a class visits before it stops.
pub(crate) const MAX_CLASS_STATES: usize = 72;

/// Counter bounds from this value on are first treated as infinite.
const MIN_FAR_BOUND: u32 = 16;

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

impl SafeClass {
    /// Finds a class that keeps a lexeme alive.
    ///
    /// If a lexeme counts the characters of its text, every character leads to another state. The search then
    /// explores the lexeme without the count. Both are alive as long as enough characters remain to end the
    /// text.
    pub(crate) fn find(automaton: &Automaton, lexeme: LexemeId) -> Result<Option<Self>, Error> {
        let uncounted = automaton.uncounted(lexeme)?;
        let by_counter = match uncounted {
            Some((free, most)) => Self::of_counter(automaton, free, Some(most))?,
            None => None,
        };
        let by_counter = by_counter.filter(|safe| !safe.completes);
        // A lexeme without far bounds has few states, and its texts rarely end soon.
        if by_counter.is_none()
            && let Some((free, most)) = automaton.unbounded(lexeme, MIN_FAR_BOUND)?
        {
            match class_search::search(automaton, free, Some(most))? {
                ClassSearch::Found(safe) => return Ok(Some(Self { states: None, ..safe })),
                ClassSearch::None => return Ok(None),
                ClassSearch::Unknown => {}
            }
        }
        if let Some((free, most)) = uncounted {
            let found = match by_counter {
                None => class_search::search(automaton, free, Some(most))?,
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
        Ok(class_search::search(automaton, lexeme, None)?.found())
    }

    /// Returns the class of the characters that a counter at the beginning of a lexeme counts, up to its
    /// bound. If the characters of the whole text are counted as well, `most` is their maximum.
    fn of_counter(
        automaton: &Automaton,
        lexeme: LexemeId,
        most: Option<usize>,
    ) -> Result<Option<Self>, Error> {
        let HeadForm::Counted { rest, .. } = automaton.head_form(lexeme)? else { return Ok(None) };
        let by = SelfLoop::of(automaton, lexeme)?;
        let (ascii, non_ascii) = by.characters();
        let Some((counter, omitted)) = by.open_counter() else { return Ok(None) };
        // Otherwise the lexeme is incomplete after the first characters, and complete after later ones.
        let is_uniform = !counter.completes || counter.min <= 1;
        if !is_uniform || non_ascii == NonAscii::Bytes || ascii.count_ones() < MIN_CLASS_ASCII {
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
        let live = automaton.live_bytes(lexeme)?.union(&automaton.live_bytes(rest)?);
        if non_ascii == NonAscii::None && has_non_ascii(&live) {
            return Ok(None);
        }
        Ok(Some(Self {
            class: Class { ascii, non_ascii },
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

    /// Returns the class of the characters that lead a lexeme back to its own state. Returns `None` if other
    /// bytes continue where multi-byte characters begin, unless the lexeme is text.
    pub(crate) fn of_loop(
        automaton: &Automaton,
        lexeme: LexemeId,
        by: &SelfLoop,
    ) -> Result<Option<Self>, Error> {
        let (ascii, non_ascii) = by.characters();
        let live = automaton.live_bytes(lexeme)?;
        let (are_characters, is_strict) = match non_ascii {
            NonAscii::None => (!has_non_ascii(&live), true),
            // A class of bytes has no multi-byte characters to be cut. A bound that is far now is met later
            // with the same slice.
            NonAscii::Bytes => (true, true),
            NonAscii::Words | NonAscii::Lines | NonAscii::Characters => {
                let behind = after_multibyte(automaton, lexeme, non_ascii)?;
                let is_strict = behind.is_some_and(|behind| behind.is_strict);
                (is_strict || behind.is_some() && automaton.is_text(lexeme), is_strict)
            }
        };
        Ok((are_characters && ascii.count_ones() >= MIN_CLASS_ASCII).then(|| Self {
            class: Class { ascii, non_ascii },
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

    /// Returns `true` if at most `LexiconTuning::max_class_exit_edges` edges of the trie below `base` leave
    /// the class.
    fn leaves_little(&self, lexicon: &Lexicon, base: InnerId) -> bool {
        let below = nodes_below(lexicon.trie(), lexicon.trie_index(), base);
        let out = (0..128u8).filter(|byte| self.leaving >> byte & 1 == 1);
        let edges = out.map(|byte| lexicon.trie_index().edges_to(byte, below.clone()).len());
        edges.sum::<usize>() <= lexicon.config.tuning.max_class_exit_edges
    }
}

/// Returns `true` if some byte is not ASCII.
pub(crate) fn has_non_ascii(bytes: &ByteSet) -> bool {
    !bytes.is_subset(&ByteSet::range(0, 0x7F))
}

/// Returns how many characters may follow such that the text can still be ended from each of `states`. The
/// rest of the text has at most `most` characters, an incomplete one included. Returns `None` if no character
/// may follow, or if the expression does not show it.
pub(crate) fn room(
    automaton: &Automaton,
    most: usize,
    states: impl Iterator<Item = LexemeId>,
) -> Option<usize> {
    let mut ends = states.map(|state| automaton.enough_to_end(state));
    let enough = ends.try_fold(0, |sum: usize, end| Some(sum.max(end?)))?;
    most.checked_sub(enough).filter(|&room| room > 0)
}

/// Returns those of the ASCII characters `among` by which a lexeme continues, one bit each. Calls `visit`
/// with each successor and the characters that lead to it.
pub(crate) fn going_on(
    automaton: &Automaton,
    state: LexemeId,
    among: u128,
    mut visit: impl FnMut(LexemeId, u128),
) -> Result<u128, Error> {
    let mut ascii = 0;
    automaton.steps(state, &ByteSet::range(0, 0x7F), |bytes, next| {
        let by = bytes.ascii() & among;
        if by != 0 && next.goes_on() {
            ascii |= by;
            visit(next, by);
        }
        true
    })?;
    Ok(ascii)
}

/// Returns the ASCII characters that lead from a state back to itself, one bit each.
pub(crate) fn going_back(automaton: &Automaton, state: LexemeId) -> Result<u128, Error> {
    let mut ascii = 0;
    going_on(automaton, state, u128::MAX, |next, by| ascii |= if next == state { by } else { 0 })?;
    Ok(ascii)
}

/// Returns the ASCII characters by which a lexeme continues, one bit each. Also returns the successors, each
/// with the number of characters that lead to it.
pub(crate) fn after_ascii(
    automaton: &Automaton,
    state: LexemeId,
) -> Result<(u128, Vec<(LexemeId, u32)>), Error> {
    let mut counts: Vec<(LexemeId, u32)> = Vec::new();
    let ascii = going_on(automaton, state, u128::MAX, |next, by| {
        match counts.iter_mut().find(|(other, _)| *other == next) {
            Some((_, count)) => *count += by.count_ones(),
            None => counts.push((next, by.count_ones())),
        }
    })?;
    Ok((ascii, counts))
}

/// Adds the tokens that a lexeme accepts below `base` if it counts the characters of a class. Returns
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
    match SafeClass::of_counter(&walk.lexicon.automaton, walk.lexeme, None)? {
        Some(safe) => take(walk, base, &safe, output),
        None => Ok(false),
    }
}

/// Adds the tokens that a lexeme accepts below `base` if it loops and at most
/// `LexiconTuning::max_loop_exit_edges` edges of the trie leave the loop. Returns `false` otherwise.
pub(crate) fn below_loop(
    walk: &mut Walk<'_>,
    base: InnerId,
    by: &SelfLoop,
    output: &mut WalkOutput<'_>,
) -> Result<bool, Error> {
    if by.counts() || walk.loop_exit_edges(base, by)? > walk.lexicon.config.tuning.max_loop_exit_edges {
        return Ok(false);
    }
    match SafeClass::of_loop(&walk.lexicon.automaton, walk.lexeme, by)? {
        Some(safe) => take(walk, base, &safe, output),
        None => Ok(false),
    }
}

/// Adds the tokens that a lexeme accepts below `base` if a class of characters keeps it alive. Returns
/// `false` if there is no such class.
pub(crate) fn below(
    walk: &mut Walk<'_>,
    base: InnerId,
    by: &SelfLoop,
    output: &mut WalkOutput<'_>,
) -> Result<bool, Error> {
    let lexicon = walk.lexicon;
    if by.counts() || walk.loop_exit_edges(base, by)? <= lexicon.config.tuning.max_loop_exit_edges {
        return Ok(false);
    }
    let safe = match SafeClass::find(&lexicon.automaton, walk.lexeme)? {
        Some(safe) => Some(safe),
        None => SafeClass::of_loop(&lexicon.automaton, walk.lexeme, by)?
            .filter(|safe| safe.leaves_little(lexicon, base)),
    };
    match safe {
        Some(safe) => take(walk, base, &safe, output),
        None => Ok(false),
    }
}

/// Adds the tokens that a lexeme accepts below `base`, from the slice of a safe class. Returns `false` if
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
        _ if lexicon.trie_index().height() < usize::from(NOWHERE) => most,
        _ => return Ok(false),
    };
    let mut row = slice.row(&lexicon.vocabulary, reach);
    let are_needed = safe.completes && output.wants_exits() || walk.has_remaining();
    let mut inner_nodes = are_needed.then(|| slice.inner_nodes(reach));
    let excluded = ExcludedFirsts::of(lexicon, base, &safe.not_first);
    excluded.remove_subtree(lexicon, &mut row, &mut inner_nodes);
    // Nodes after more characters are walked by `continue_after`.
    let is_too_far = |inner| (reach..usize::from(NOWHERE)).contains(&usize::from(slice.length(inner)));
    let mut ended = Vec::new();
    let to_dead_ends = lexicon.paths_to_dead_ends(slice, &safe.ends);
    visit_path_ends(walk, &to_dead_ends, is_too_far, |_, child, next| {
        if !next.goes_on() {
            remove_subtree(lexicon, child, &mut row, &mut inner_nodes);
            ended.push((child, next));
        }
        Ok(())
    })?;
    output.allow_row(row);
    if let Some(inner_nodes) = inner_nodes {
        walk.skip_all(&inner_nodes);
        if safe.completes {
            output.exit_at_all(&inner_nodes);
        }
    }
    for (child, next) in ended {
        walk.enter(child, next, output)?;
    }
    excluded.enter(walk, output)?;
    let only = match safe.states.as_deref() {
        Some(&[state]) if safe.reach.is_none() && safe.ends.is_empty() => Some(state),
        _ => None,
    };
    for byte in (0..128u8).filter(|byte| safe.leaving >> byte & 1 == 1) {
        match only {
            Some(state) => follow_exit_edges(walk, slice, state, &excluded, byte, output)?,
            None => follow_paths(walk, lexicon.leaving(slice, byte), is_too_far, output)?,
        }
    }
    if safe.omitted {
        let to_omitted = lexicon.paths_to_omitted(slice, safe.class.non_ascii);
        follow_paths(walk, &to_omitted, |_| false, output)?;
    }
    if safe.reach.is_some() {
        continue_after(walk, slice, reach, output)?;
    }
    Ok(true)
}

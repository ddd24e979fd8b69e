//! Classes of characters that keep a lexeme alive: as long as only they follow, it can be finished, whatever its states are on the way. So it is
//! where a text has to hold a word, or must begin and end with certain characters. The tokens made of them are taken from a slice.

use grammask_cache::Budget;
use grammask_regular::Error;
use grammask_trie::{Decoder, NodeId};

use super::automaton::{Automaton, LexemeId};
use super::loops::{Others, behind_characters};
use super::slices::{Class, NOWHERE, Slice};
use super::walk::Walk;
use crate::findings::Findings;

/// A class of fewer ASCII characters makes few tokens.
const FEW: u32 = 24;

/// States that are looked at before a class is no longer followed.
const MANY: usize = 64;

/// Most tokens have fewer characters, so what is alive for so many only is not worth a slice.
const SHORT: usize = 8;

/// What keeps a lexeme alive.
struct Closed {
    class: Class,
    /// For how many characters; `None` for ever.
    reach: Option<usize>,
    /// Whether the lexeme is complete behind one and more of them.
    completes: bool,
    /// The ASCII characters that lead somewhere else from some state, bit by bit.
    exits: u128,
}

/// What lies behind all characters of several bytes.
#[derive(Debug)]
pub(super) struct Behind {
    states: Box<[LexemeId]>,
    is_strict: bool,
}

/// The states behind all characters of several bytes; nothing where some of them cannot be finished.
fn behind<'a>(
    automaton: &'a Automaton,
    state: LexemeId,
    budget: &Budget,
) -> Result<Option<&'a Behind>, Error> {
    let place = &automaton.state(state).behind;
    if let Some(known) = place.get() {
        return Ok(known.as_ref());
    }
    let mut states = Vec::new();
    let strict = behind_characters(automaton, state, budget, |next| {
        if !states.contains(&next) {
            states.push(next);
        }
        next.goes_on() && states.len() <= MANY
    })?;
    let found = strict.map(|is_strict| Behind { states: states.into(), is_strict });
    Ok(place.get_or_init(|| found).as_ref())
}

impl Closed {
    /// The class of the characters that go on from a state, without those that end some way soon.
    fn of(automaton: &Automaton, start: LexemeId, budget: &Budget) -> Result<Option<Self>, Error> {
        let mut ascii = 0u128;
        for byte in 0..128u8 {
            ascii |= u128::from(automaton.step(start, byte, budget)?.goes_on()) << byte;
        }
        let live = automaton.live_bytes(start, budget)?;
        let others = match behind(automaton, start, budget)? {
            Some(behind) if behind.is_strict => Others::Characters,
            None if (0x80..=u8::MAX).all(|byte| !live.contains(byte)) => Others::None,
            _ => return Ok(None),
        };
        'smaller: while ascii.count_ones() >= FEW {
            let mut states = vec![start];
            // For each state the characters that have led to it; all ones where one of several bytes has.
            let mut ways = vec![0u128];
            let (mut from, mut reach, mut returns) = (0, 0, false);
            loop {
                let until = states.len();
                let mut ending = 0;
                for place in from..until {
                    let state = states[place];
                    let mut arrive = |next: LexemeId, by: u128| {
                        returns |= next == start;
                        match states.iter().position(|&state| state == next) {
                            Some(place) => ways[place] |= by,
                            None => {
                                states.push(next);
                                ways.push(by);
                            }
                        }
                    };
                    let mut here = 0;
                    for byte in (0..128u8).filter(|byte| ascii >> byte & 1 == 1) {
                        let next = automaton.step(state, byte, budget)?;
                        if next.goes_on() {
                            arrive(next, 1 << byte);
                        } else {
                            here |= 1u128 << byte;
                        }
                    }
                    match (others, behind(automaton, state, budget)?) {
                        (Others::Characters, Some(behind)) if behind.is_strict => {
                            behind.states.iter().for_each(|&next| arrive(next, u128::MAX));
                        }
                        (Others::None, _)
                            if automaton.live_bytes(state, budget)?.iter().all(|byte| byte < 0x80) => {}
                        _ => here = ascii,
                    }
                    // What ends here, or what leads here: whichever is less.
                    let way = ways[place];
                    ending |= if place > 0 && way.count_ones() < here.count_ones() { way } else { here };
                }
                let is_ending = ending != 0;
                if is_ending && reach < SHORT {
                    ascii &= !ending;
                    continue 'smaller;
                }
                let is_endless = !is_ending && states.len() == until;
                if !is_ending && !is_endless {
                    reach += 1;
                    if states.len() <= MANY {
                        from = until;
                        continue;
                    }
                    if reach < SHORT {
                        return Ok(None);
                    }
                } else {
                    states.truncate(until);
                }
                let reach = (!is_endless).then_some(reach);
                return Self::found(automaton, Class { ascii, others }, &states, returns, reach, budget);
            }
        }
        Ok(None)
    }

    /// The class, given the states on the way, the first of them the start.
    fn found(
        automaton: &Automaton,
        class: Class,
        states: &[LexemeId],
        returns: bool,
        reach: Option<usize>,
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        let mut behind = states[usize::from(!returns)..].iter().map(|state| state.completes());
        let completes = behind.next().unwrap_or(false);
        if behind.any(|other| other != completes) {
            return Ok(None);
        }
        let mut exits = 0;
        for &state in states {
            for byte in automaton.live_bytes(state, budget)?.iter().filter(|&byte| byte < 0x80) {
                exits |= 1 << byte;
            }
        }
        Ok(Some(Self { class, reach, completes, exits: exits & !class.ascii }))
    }
}

/// What a lexeme takes below the root, where a class of characters keeps it alive. Gives up, with `false`, where none does.
pub(super) fn below_root(walk: &mut Walk<'_>, findings: &mut Findings<'_>) -> Result<bool, Error> {
    let lexicon = walk.lexicon;
    let Some(closed) = Closed::of(&lexicon.automaton, walk.lexeme, &lexicon.budget)? else {
        return Ok(false);
    };
    let slice = lexicon.slice(closed.class);
    // A slice has no token of so many characters.
    let most = usize::from(NOWHERE) - 1;
    let reach = match closed.reach {
        Some(reach) if reach < most => reach,
        _ if lexicon.outline().height() <= most => most,
        _ => return Ok(false),
    };
    slice.allow(lexicon, reach, findings);
    if closed.completes {
        findings.hand_over_all(slice.branches(reach));
    }
    for byte in (0..128u8).filter(|byte| closed.exits >> byte & 1 == 1) {
        leave(walk, slice, byte, reach, findings)?;
    }
    if closed.reach.is_some() { go_further(walk, slice, reach, findings) } else { Ok(true) }
}

/// Follows the ways through up to so many characters to one that is not of the class.
fn leave(
    walk: &mut Walk<'_>,
    slice: &Slice,
    byte: u8,
    reach: usize,
    findings: &mut Findings<'_>,
) -> Result<(), Error> {
    let (lexicon, steps) = (walk.lexicon, slice.exits(byte));
    let outline = lexicon.outline();
    // The states by depth; nothing below the depth at which the way has been too long.
    let mut states = vec![walk.lexeme; outline.height() + 1];
    let mut too_deep = usize::MAX;
    for step in steps {
        let depth = usize::from(step.depth);
        if depth > too_deep {
            continue;
        }
        too_deep = usize::MAX;
        let next = lexicon.automaton.step(states[depth - 1], step.byte, &lexicon.budget)?;
        if step.leaves {
            if !next.is_dead() {
                walk.arrive(step.node, next, findings)?;
            }
            continue;
        }
        states[depth] = next;
        let length = outline.branch(step.node).map_or(NOWHERE, |branch| slice.length(branch));
        if length != NOWHERE && usize::from(length) >= reach {
            too_deep = depth;
        }
    }
    walk.distance.nodes += steps.len() as u64;
    Ok(())
}

/// Goes on below all places behind just so many characters of the class.
fn go_further(
    walk: &mut Walk<'_>,
    slice: &Slice,
    reach: usize,
    findings: &mut Findings<'_>,
) -> Result<bool, Error> {
    let lexicon = walk.lexicon;
    let (trie, outline) = (lexicon.trie(), lexicon.outline());
    let mut open = vec![(NodeId::ROOT, walk.lexeme, Decoder::Between)];
    let mut nodes = 0;
    while let Some((node, state, inside)) = open.pop() {
        for child in trie.children(node) {
            let (byte, Some(branch)) = (trie.byte(child), outline.branch(child)) else { continue };
            let (decoder, is_character) = inside.after(byte);
            let is_of_class = byte >= 0x80 || slice.length(branch) != NOWHERE;
            // No token below has so many characters.
            let is_short = trie.depth(child) + usize::from(outline.below(branch).height) <= reach;
            if is_short || !is_character || !is_of_class {
                continue;
            }
            nodes += 1;
            let next = lexicon.automaton.step(state, byte, &lexicon.budget)?;
            if usize::from(slice.length(branch)) == reach {
                walk.subtree(child, next, findings)?;
            } else if next.goes_on() {
                open.push((child, next, decoder));
            }
        }
    }
    walk.distance.nodes += nodes;
    Ok(true)
}

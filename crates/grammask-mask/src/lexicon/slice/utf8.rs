//! The states after all multi-byte characters, without enumerating the characters.

use std::ops::RangeInclusive;

use grammask_regular::{ByteSet, Error};
use grammask_trie::index::ExcludedChars;

use crate::lexicon::automaton::{Automaton, LexemeId};

/// Multi-byte characters: first and last lead byte, first and last second byte, number of further bytes.
const LEADS: [(u8, u8, u8, u8, usize); 8] = [
    (0xC2, 0xDF, 0x80, 0xBF, 0),
    (0xE0, 0xE0, 0xA0, 0xBF, 1),
    (0xE1, 0xEC, 0x80, 0xBF, 1),
    (0xED, 0xED, 0x80, 0x9F, 1),
    (0xEE, 0xEF, 0x80, 0xBF, 1),
    (0xF0, 0xF0, 0x90, 0xBF, 2),
    (0xF1, 0xF3, 0x80, 0xBF, 2),
    (0xF4, 0xF4, 0x80, 0x8F, 2),
];

/// Returns the non-ASCII bytes that begin no character.
pub(crate) fn no_leads() -> ByteSet {
    ByteSet::range(0x80, 0xC1).union(&ByteSet::range(0xF5, u8::MAX))
}

/// States inside multi-byte characters; free text has fewer.
const MAX_STATES_INSIDE: usize = 64;

/// Calls `takes` with the states after all multi-byte characters. Returns `Some(true)` if no other bytes
/// continue at or inside these characters. Returns `None` if the lexeme cannot finish some character, or if
/// `takes` returns `false`.
pub(crate) fn after_characters(
    automaton: &Automaton,
    from: LexemeId,
    takes: impl FnMut(LexemeId) -> bool,
) -> Result<Option<bool>, Error> {
    let mut is_strict = true;
    automaton.steps(from, &no_leads(), |_, next| {
        is_strict &= next.is_dead();
        true
    })?;
    let strict = after_leads(automaton, from, 0xC2..=0xF4, takes)?;
    Ok(strict.map(|inside| inside && is_strict))
}

/// As [`after_characters`], for all characters but some. The excluded characters count as other bytes.
pub(crate) fn after_characters_except(
    automaton: &Automaton,
    from: LexemeId,
    omissions: &[ExcludedChars],
    mut takes: impl FnMut(LexemeId) -> bool,
) -> Result<Option<bool>, Error> {
    if omissions.is_empty() {
        return after_characters(automaton, from, takes);
    }
    let mut is_strict = automaton.live_bytes(from)?.intersection(&no_leads()).is_empty();
    let mut least = 0xC2;
    for lead in 0xC2..=0xF4 {
        let has_omissions = omissions.iter().any(|omission| omission.prefix[0] == lead);
        if !has_omissions && lead < 0xF4 {
            continue;
        }
        let most = if has_omissions { lead - 1 } else { lead };
        let others = after_leads(automaton, from, least..=most, &mut takes)?;
        least = lead + 1;
        let these = if has_omissions {
            after_lead_except(automaton, from, lead, omissions, &mut takes)?
        } else {
            Some(true)
        };
        let (Some(others), Some(these)) = (others, these) else { return Ok(None) };
        is_strict &= others && these;
    }
    Ok(Some(is_strict))
}

/// As [`after_characters_except`], for the characters that begin with `lead`. If some of them are excluded,
/// all bytes from 0x80 to 0xBF must be possible after the lead byte.
pub(crate) fn after_lead_except(
    automaton: &Automaton,
    from: LexemeId,
    lead: u8,
    omissions: &[ExcludedChars],
    mut takes: impl FnMut(LexemeId) -> bool,
) -> Result<Option<bool>, Error> {
    let omissions: Vec<&ExcludedChars> =
        omissions.iter().filter(|omission| omission.prefix[0] == lead).collect();
    if omissions.is_empty() {
        return after_leads(automaton, from, lead..=lead, takes);
    }
    let lead = automaton.step(from, lead)?;
    let any = ByteSet::range(0x80, 0xBF);
    let is_inside = |state: LexemeId| state.goes_on() && !state.completes();
    // States inside characters, with the last bytes of the characters that end there.
    let mut inside: Vec<(LexemeId, ByteSet)> = Vec::new();
    let mut second = any;
    for omission in &omissions {
        let mut last = any;
        omission.last.iter().for_each(|&byte| last.remove(byte));
        match *omission.prefix {
            [_] => inside.push((lead, last)),
            [_, byte] => {
                inside.push((automaton.step(lead, byte)?, last));
                second.remove(byte);
            }
            _ => return Ok(None),
        }
    }
    if !is_inside(lead) {
        return Ok(None);
    }
    if omissions.iter().all(|omission| omission.prefix.len() > 1) {
        automaton.steps(lead, &second, |_, next| {
            inside.push((next, any));
            true
        })?;
    }
    let mut is_strict = automaton.live_bytes(lead)?.is_subset(&any);
    for (state, bytes) in inside {
        if !is_inside(state) || !automaton.steps(state, &bytes, |_, next| takes(next))? {
            return Ok(None);
        }
        is_strict &= automaton.live_bytes(state)?.is_subset(&bytes);
    }
    Ok(Some(is_strict))
}

/// As [`after_characters`], for the characters whose lead bytes are in a range.
pub(crate) fn after_leads(
    automaton: &Automaton,
    from: LexemeId,
    range: RangeInclusive<u8>,
    mut takes: impl FnMut(LexemeId) -> bool,
) -> Result<Option<bool>, Error> {
    // States inside a character, with the range of the next byte and the number of bytes after it, without
    // repetition.
    let mut inside: Vec<(LexemeId, u8, u8, usize)> = Vec::new();
    let visit = |inside: &mut Vec<(LexemeId, u8, u8, usize)>, next: (LexemeId, u8, u8, usize)| {
        let is_fine = next.0.goes_on() && !next.0.completes();
        if is_fine && !inside.contains(&next) {
            inside.push(next);
        }
        is_fine && inside.len() <= MAX_STATES_INSIDE
    };
    let mut is_strict = true;
    for (first, last, low, high, rest) in LEADS {
        let leads = ByteSet::range(first.max(*range.start()), last.min(*range.end()));
        let tell = |_: &ByteSet, next| visit(&mut inside, (next, low, high, rest));
        if !automaton.steps(from, &leads, tell)? {
            return Ok(None);
        }
    }
    let mut position = 0;
    while let Some(&(state, low, high, rest)) = inside.get(position) {
        position += 1;
        let continuations = ByteSet::range(low, high);
        let goes_on = automaton.steps(state, &ByteSet::ALL, |bytes, next| {
            is_strict &= next.is_dead() || bytes.is_subset(&continuations);
            match bytes.intersection(&continuations).is_empty() {
                true => true,
                false if rest == 0 => takes(next),
                false => visit(&mut inside, (next, 0x80, 0xBF, rest - 1)),
            }
        })?;
        if !goes_on {
            return Ok(None);
        }
    }
    Ok(Some(is_strict))
}

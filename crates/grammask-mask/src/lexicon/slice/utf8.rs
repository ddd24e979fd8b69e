//! What is behind the characters of several bytes: the states that they lead to, all at once or one by one.

use std::rc::Rc;

use grammask_cache::Budget;
use grammask_regular::{ByteSet, Error};
use grammask_trie::index::ExcludedChars;

use crate::lexicon::automaton::{Automaton, LexemeId};

/// The bytes that begin characters of several bytes, and the bytes that may follow: first the second byte, then how many more.
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

/// The bytes that are no ASCII and begin no character.
pub(crate) fn no_leads() -> ByteSet {
    ByteSet::range(0x80, 0xC1).union(&ByteSet::range(0xF5, u8::MAX))
}

/// So many different states inside of characters are more than free text has.
const MANY: usize = 64;

/// Tells the states behind all characters of several bytes, and gives whether no other bytes go on where one of theirs may stand. Nothing
/// where some character cannot be finished, or where a state behind one is not taken.
pub(crate) fn behind_characters(
    automaton: &Automaton,
    from: LexemeId,
    budget: &Budget,
    takes: impl FnMut(LexemeId) -> bool,
) -> Result<Option<bool>, Error> {
    let mut is_strict = true;
    automaton.steps(from, &no_leads(), budget, |_, next| {
        is_strict &= next.is_dead();
        true
    })?;
    let strict = behind_leads(automaton, from, (0xC2, 0xF4), budget, takes)?;
    Ok(strict.map(|inside| inside && is_strict))
}

/// The same for all characters but some; these go on where other bytes do.
pub(crate) fn behind_characters_but(
    automaton: &Automaton,
    from: LexemeId,
    omissions: &[ExcludedChars],
    budget: &Budget,
    mut takes: impl FnMut(LexemeId) -> bool,
) -> Result<Option<bool>, Error> {
    if omissions.is_empty() {
        return behind_characters(automaton, from, budget, takes);
    }
    let mut is_strict = automaton.live_bytes(from, budget)?.intersection(&no_leads()).is_empty();
    let mut least = 0xC2;
    for lead in 0xC2..=0xF4 {
        let has_omissions = omissions.iter().any(|omission| omission.prefix[0] == lead);
        if !has_omissions && lead < 0xF4 {
            continue;
        }
        let most = if has_omissions { lead - 1 } else { lead };
        let others = behind_leads(automaton, from, (least, most), budget, &mut takes)?;
        least = lead + 1;
        let these = match has_omissions {
            false => Some(true),
            true => behind_lead_but(automaton, from, lead, omissions, budget, &mut takes)?,
        };
        let (Some(others), Some(these)) = (others, these) else { return Ok(None) };
        is_strict &= others && these;
    }
    Ok(Some(is_strict))
}

/// The same for the characters that begin with a byte. Where some of them are left out, their other bytes must be any from 0x80 to 0xBF.
pub(crate) fn behind_lead_but(
    automaton: &Automaton,
    from: LexemeId,
    lead: u8,
    omissions: &[ExcludedChars],
    budget: &Budget,
    mut takes: impl FnMut(LexemeId) -> bool,
) -> Result<Option<bool>, Error> {
    let omissions: Vec<&ExcludedChars> =
        omissions.iter().filter(|omission| omission.prefix[0] == lead).collect();
    if omissions.is_empty() {
        return behind_leads(automaton, from, (lead, lead), budget, takes);
    }
    let lead = automaton.step(from, lead, budget)?;
    let any = ByteSet::range(0x80, 0xBF);
    let is_inside = |state: LexemeId| state.goes_on() && !state.completes();
    // States inside of characters, and by which bytes one ends there.
    let mut inside: Vec<(LexemeId, ByteSet)> = Vec::new();
    let mut second = any;
    for omission in &omissions {
        let mut last = any;
        omission.last.iter().for_each(|&byte| last.remove(byte));
        match *omission.prefix {
            [_] => inside.push((lead, last)),
            [_, byte] => {
                inside.push((automaton.step(lead, byte, budget)?, last));
                second.remove(byte);
            }
            _ => return Ok(None),
        }
    }
    if !is_inside(lead) {
        return Ok(None);
    }
    if omissions.iter().all(|omission| omission.prefix.len() > 1) {
        automaton.steps(lead, &second, budget, |_, next| {
            inside.push((next, any));
            true
        })?;
    }
    let mut is_strict = automaton.live_bytes(lead, budget)?.is_subset(&any);
    for (state, bytes) in inside {
        if !is_inside(state) || !automaton.steps(state, &bytes, budget, |_, next| takes(next))? {
            return Ok(None);
        }
        is_strict &= automaton.live_bytes(state, budget)?.is_subset(&bytes);
    }
    Ok(Some(is_strict))
}

/// As [`behind_characters`] for the characters that begin with bytes of a range.
pub(crate) fn behind_leads(
    automaton: &Automaton,
    from: LexemeId,
    (least, most): (u8, u8),
    budget: &Budget,
    mut takes: impl FnMut(LexemeId) -> bool,
) -> Result<Option<bool>, Error> {
    // States inside of a character, with the range of the next byte and how many more follow it; each once.
    let mut inside: Vec<(LexemeId, u8, u8, usize)> = Vec::new();
    let visit = |inside: &mut Vec<(LexemeId, u8, u8, usize)>, next: (LexemeId, u8, u8, usize)| {
        let is_fine = next.0.goes_on() && !next.0.completes();
        if is_fine && !inside.contains(&next) {
            inside.push(next);
        }
        is_fine && inside.len() <= MANY
    };
    let mut is_strict = true;
    for (first, last, low, high, rest) in LEADS {
        let leads = ByteSet::range(first.max(least), last.min(most));
        let tell = |_: &ByteSet, next| visit(&mut inside, (next, low, high, rest));
        if !automaton.steps(from, &leads, budget, tell)? {
            return Ok(None);
        }
    }
    let mut place = 0;
    while let Some(&(state, low, high, rest)) = inside.get(place) {
        place += 1;
        let inner = ByteSet::range(low, high);
        let goes_on = automaton.steps(state, &ByteSet::ALL, budget, |bytes, next| {
            is_strict &= next.is_dead() || bytes.is_subset(&inner);
            match bytes.intersection(&inner).is_empty() {
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

/// Some characters, by their code points: the first and the last one.
pub(crate) type CharacterRange = (u32, u32);

/// What is behind characters, by ascending code points.
pub(crate) type EachBehind = Rc<[(CharacterRange, LexemeId)]>;

/// So many ranges of characters that lead to different states are no kinds of characters.
const MANY_RANGES: usize = 64;

/// The states behind all characters of several bytes that begin with bytes of a range, ranges that touch and lead to the same state being one; dead
/// ones where a character is not taken. Nothing where these are many, or where other bytes go on where one of a character's may stand.
pub(crate) fn behind_each_character(
    automaton: &Automaton,
    from: LexemeId,
    (least, most): (u8, u8),
    budget: &Budget,
) -> Result<Option<EachBehind>, Error> {
    let mut found = Vec::new();
    let mut inner = Inner { automaton, budget, known: Vec::new() };
    for (first, last, low, high, rest) in LEADS {
        let leads = ByteSet::range(first.max(least), last.min(most));
        let mut groups = Vec::new();
        automaton.steps(from, &leads, budget, |bytes, next| {
            groups.push((*bytes, next));
            true
        })?;
        for (bytes, next) in groups {
            let Some(ranges) = inner.behind(next, low, high, rest)? else { return Ok(None) };
            for byte in bytes.iter() {
                let bits = u32::from(byte) & (0x3F >> (rest + 1));
                push_shifted(&mut found, bits << (6 * (rest + 1)), &ranges);
                if found.len() > MANY_RANGES {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(joined(found)))
}

/// Appends ranges, each by so much larger; where one touches the last one and leads to the same state, they become one.
fn push_shifted(ranges: &mut Vec<(CharacterRange, LexemeId)>, by: u32, more: &[(CharacterRange, LexemeId)]) {
    for &((first, last), next) in more {
        match ranges.last_mut() {
            Some(((_, end), same)) if *same == next && *end + 1 == first + by => *end = last + by,
            _ => ranges.push(((first + by, last + by), next)),
        }
    }
}

/// The ranges in ascending order, those that touch and lead to the same state as one.
fn joined(mut ranges: Vec<(CharacterRange, LexemeId)>) -> EachBehind {
    ranges.sort_unstable_by_key(|&(range, _)| range);
    let mut joined = Vec::new();
    push_shifted(&mut joined, 0, &ranges);
    joined.into()
}

/// What is behind the rests of characters.
struct Inner<'a> {
    automaton: &'a Automaton,
    budget: &'a Budget,
    known: Vec<(InnerKey, EachBehind)>,
}

/// The state inside of a character, between which bytes the next one is, and how many more follow.
type InnerKey = (LexemeId, u8, u8, usize);

impl Inner<'_> {
    /// The states behind the rests of a character, by the bits of these. Nothing where other bytes go on, too, or the ranges are many.
    fn behind(
        &mut self,
        state: LexemeId,
        low: u8,
        high: u8,
        rest: usize,
    ) -> Result<Option<EachBehind>, Error> {
        let key = (state, low, high, rest);
        if let Some((_, known)) = self.known.iter().find(|(known, _)| *known == key) {
            return Ok(Some(Rc::clone(known)));
        }
        let bits = |byte: u8| u32::from(byte & 0x3F) << (6 * rest);
        let mut found = Vec::new();
        if state.is_dead() {
            found.push(((bits(low), bits(high) | ((1 << (6 * rest)) - 1)), state));
        } else if state.completes() {
            return Ok(None);
        } else {
            let inside = ByteSet::range(low, high);
            let mut groups = Vec::new();
            let is_strict = self.automaton.steps(state, &ByteSet::ALL, self.budget, |bytes, next| {
                groups.push((bytes.intersection(&inside), next));
                next.is_dead() || bytes.is_subset(&inside)
            })?;
            if !is_strict {
                return Ok(None);
            }
            for (bytes, next) in groups {
                let mut below = None;
                for byte in bytes.iter() {
                    if rest == 0 {
                        push_shifted(&mut found, bits(byte), &[((0, 0), next)]);
                        continue;
                    }
                    if below.is_none() {
                        below = self.behind(next, 0x80, 0xBF, rest - 1)?;
                    }
                    let Some(below) = &below else { return Ok(None) };
                    push_shifted(&mut found, bits(byte), below);
                }
                if found.len() > MANY_RANGES {
                    return Ok(None);
                }
            }
        }
        let found = joined(found);
        self.known.push((key, Rc::clone(&found)));
        Ok(Some(found))
    }
}

//! Loops of lexemes: which texts lead from a state back to it. Where all strings below a place in the trie are such texts, they need
//! not be walked. This is what makes the first visit to free text cheap: nearly all tokens stand in such subtrees.

use std::rc::Rc;

use grammask_cache::Budget;
use grammask_regular::{ByteSet, Error};
use grammask_trie::{Below, BranchId, Encoding, Outline, Traits};

use super::automaton::{Automaton, LexemeId, Surface};

/// Over which characters a state loops.
///
/// After any string of these characters, of up to `reach` bytes, the lexeme goes on just as it does in this state: counters apart, the
/// state is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    /// ASCII characters, bit by bit.
    ascii: u128,
    others: Others,
    /// Whether the lexeme is complete after each of the characters.
    pub(super) completes: bool,
    /// Whether the state is the same, counters included.
    pub(super) is_steady: bool,
    reach: u32,
    /// What is counted, where the loop is a counter.
    counter: Option<Counter>,
    /// Whether in place of a character of several bytes nothing else is taken that begins as one does.
    is_strict: bool,
}

/// A loop that counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counter {
    /// How many are still asked for, and how many may follow.
    pub(super) min: u32,
    pub(super) max: u32,
    /// Whether the lexeme is complete after any number of them between the two.
    pub(super) completes: bool,
}

/// A loop, with what answers most questions at once.
pub(super) struct Coverage {
    pub(super) by: Loop,
    /// What there is some of, and what there is all of.
    some: Traits,
    all: Traits,
}

impl Coverage {
    pub(super) fn of(automaton: &Automaton, state: LexemeId, budget: &Budget) -> Result<Self, Error> {
        let by = Loop::of(automaton, state, budget)?;
        let encoding = match by.others {
            Others::None => Encoding::Ascii,
            Others::Characters => Encoding::Utf8,
            Others::Bytes => Encoding::Bytes,
        };
        let (some, all) = Traits::of(by.ascii, encoding);
        Ok(Self { by, some, all })
    }

    /// Whether all strings below a branch are taken.
    #[inline]
    pub(super) fn covers(&self, outline: &Outline, branch: BranchId) -> bool {
        let traits = outline.traits(branch);
        traits.is_subset(self.some)
            && (traits.is_subset(self.all) && self.by.reach == u32::MAX
                || self.by.covers(outline.below(branch)))
    }
}

/// So many bytes of a character are missing at most where it is cut.
const LONGEST_REST: u32 = 3;

/// Over what else a state loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Others {
    /// Nothing else, or not all.
    None,
    /// All other characters, as UTF-8. One that is cut leads to a state from which it can be finished, and in which the lexeme is
    /// not complete.
    Characters,
    /// All other bytes, one by one.
    Bytes,
}

impl Loop {
    const NONE: Self = Self {
        ascii: 0,
        others: Others::None,
        completes: false,
        is_steady: false,
        reach: 0,
        counter: None,
        is_strict: false,
    };

    /// The counter, where nothing but its characters goes on as they do.
    pub(super) fn counter(&self) -> Option<Counter> {
        self.counter.filter(|_| self.is_strict)
    }

    /// Whether characters are counted.
    pub(super) fn counts(&self) -> bool {
        !self.is_none() && !self.is_steady
    }

    /// The characters: ASCII, bit by bit, and others.
    pub(super) fn characters(&self) -> (u128, Others) {
        (self.ascii, self.others)
    }

    /// Whether all strings below a branch are taken.
    fn covers(&self, below: &Below) -> bool {
        let least = match below.encoding {
            Encoding::Ascii => Others::None,
            Encoding::Utf8 => Others::Characters,
            Encoding::Bytes => Others::Bytes,
        };
        below.ascii & !self.ascii == 0 && self.others >= least && u32::from(below.height) <= self.reach
    }

    /// Whether every byte leads back, so that there is nothing inside of a character.
    pub(super) fn is_of_bytes(&self) -> bool {
        self.others == Others::Bytes
    }

    fn is_none(&self) -> bool {
        self.ascii == 0 && self.others == Others::None
    }

    /// The loop of a state.
    pub(super) fn of(automaton: &Automaton, state: LexemeId, budget: &Budget) -> Result<Self, Error> {
        // From where nothing goes on, every byte leads back, but nothing is taken.
        if !state.goes_on() {
            return Ok(Self::NONE);
        }
        let steady = |state: LexemeId| {
            let (ascii, others, is_strict) = returns(automaton, state, state, budget)?;
            let completes = state.completes();
            let counter = None;
            Ok(Self { ascii, others, completes, is_steady: true, reach: u32::MAX, counter, is_strict })
        };
        match automaton.surface(state, budget)? {
            Surface::Counted { base, min, max, rest } => {
                let found = Self::counted(automaton, base, min, max, rest, budget)?;
                if found.is_none() { steady(state) } else { Ok(found) }
            }
            Surface::All(parts) => {
                let own = steady(state)?;
                if !own.is_none() {
                    return Ok(own);
                }
                let mut all = Self {
                    ascii: u128::MAX,
                    others: Others::Bytes,
                    is_steady: true,
                    completes: true,
                    reach: u32::MAX,
                    counter: None,
                    is_strict: true,
                };
                // How many bytes follow at most, where bytes are counted.
                let mut bytes = u32::MAX;
                for part in parts {
                    let one = match automaton.surface(part, budget)? {
                        Surface::Counted { base, min, max, rest } => {
                            Self::counted(automaton, base, min, max, rest, budget)?
                        }
                        Surface::All(_) => Self::NONE,
                        Surface::Plain => steady(part)?,
                    };
                    // What is complete in every part is in the intersection: only so is it known to be alive.
                    if !one.completes {
                        return Ok(Self::NONE);
                    }
                    all.ascii &= one.ascii;
                    if one.others == Others::Bytes {
                        bytes = bytes.min(one.reach);
                    }
                    all.others = all.others.min(one.others);
                    all.is_steady &= one.is_steady;
                    all.reach = all.reach.min(one.reach);
                    all.is_strict &= one.is_strict;
                    all.counter = all.counter.or(one.counter);
                }
                // A character that is cut must still be finished where another part counts its bytes.
                if all.others == Others::Characters && bytes != u32::MAX {
                    all.reach = all.reach.min(bytes.saturating_sub(LONGEST_REST));
                }
                // None asks for more characters, as all are complete.
                all.counter = all.counter.map(|counter| Counter { max: all.reach, ..counter });
                // Whether a character of several bytes is one in all parts at once is not asked.
                all.is_strict &= all.others != Others::Characters;
                Ok(all)
            }
            Surface::Plain => steady(state),
        }
    }

    /// The loop of `base{min,max} rest`, over characters of which each is the base once, and none begins the rest where the
    /// rest may begin.
    fn counted(
        automaton: &Automaton,
        base: LexemeId,
        min: u32,
        max: u32,
        rest: LexemeId,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let (mut ascii, mut others, is_strict) =
            returns(automaton, base, automaton.epsilon(budget)?, budget)?;
        let taken = automaton.live_bytes(rest, budget)?;
        let is_taken = |byte: &u8| taken.contains(*byte);
        let others_taken = (0x80..=u8::MAX).any(|byte| taken.contains(byte));
        let ascii_taken = (0..128u8).filter(is_taken).fold(0, |ascii, byte| ascii | 1u128 << byte);
        // Later it is as if none were asked for. So what begins the rest is left out, or there must be no such thing.
        let is_apart = ascii & ascii_taken == 0 && !others_taken;
        if min == 0 {
            ascii &= !ascii_taken;
            if others_taken {
                others = Others::None;
            }
        }
        let reach = if min == 0 { max } else { max.min(min - 1) };
        let completes = min == 0 && rest.completes();
        let counter = Counter { min, max, completes: rest.completes() };
        let counter = (min == 0 || is_apart).then_some(counter);
        Ok(Self { ascii, others, completes, is_steady: false, reach, counter, is_strict })
    }
}

/// The ASCII characters that lead from one state to another; which others do; and whether nothing else goes on that begins as one of those.
fn returns(
    automaton: &Automaton,
    from: LexemeId,
    to: LexemeId,
    budget: &Budget,
) -> Result<(u128, Others, bool), Error> {
    let mut ascii = 0;
    automaton.steps(from, &ByteSet::range(0, 0x7F), budget, |bytes, next| {
        ascii |= if next == to { bytes.ascii() } else { 0 };
        true
    })?;
    // A loop over nothing but characters of several bytes is none that is worth being known.
    if ascii == 0 {
        return Ok((0, Others::None, true));
    }
    if automaton.steps(from, &ByteSet::range(0x80, u8::MAX), budget, |_, next| next == to)? {
        return Ok((ascii, Others::Bytes, true));
    }
    let strict = all_characters_return(automaton, from, to, budget)?;
    let others = if strict.is_some() { Others::Characters } else { Others::None };
    Ok((ascii, others, strict.unwrap_or(true)))
}

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

/// A loop over so many different states inside of characters is no loop that free text has.
const MANY: usize = 64;

/// Whether all characters of several bytes return; and if so, whether no other bytes go on where one of theirs may stand.
fn all_characters_return(
    automaton: &Automaton,
    from: LexemeId,
    to: LexemeId,
    budget: &Budget,
) -> Result<Option<bool>, Error> {
    behind_characters(automaton, from, budget, |next| next == to)
}

/// Tells the states behind all characters of several bytes, and gives whether no other bytes go on where one of theirs may stand. Nothing
/// where some character cannot be finished, or where a state behind one is not taken.
pub(super) fn behind_characters(
    automaton: &Automaton,
    from: LexemeId,
    budget: &Budget,
    takes: impl FnMut(LexemeId) -> bool,
) -> Result<Option<bool>, Error> {
    let mut is_strict = true;
    let never_first = ByteSet::range(0x80, 0xC1).union(&ByteSet::range(0xF5, u8::MAX));
    automaton.steps(from, &never_first, budget, |_, next| {
        is_strict &= next.is_dead();
        true
    })?;
    let strict = behind_leads(automaton, from, (0xC2, 0xF4), budget, takes)?;
    Ok(strict.map(|inside| inside && is_strict))
}

/// The same for the characters that begin with bytes of a range.
pub(super) fn behind_leads(
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
pub(super) type CharacterRange = (u32, u32);

/// So many ranges of characters that lead to different states are no kinds of characters.
const MANY_RANGES: usize = 64;

/// The states behind all characters of several bytes that begin with bytes of a range, ranges that touch and lead to the same state being one; dead
/// ones where a character is not taken. Nothing where these are many, or where other bytes go on where one of a character's may stand.
pub(super) fn behind_each_character(
    automaton: &Automaton,
    from: LexemeId,
    (least, most): (u8, u8),
    budget: &Budget,
) -> Result<Option<Vec<(CharacterRange, LexemeId)>>, Error> {
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
    found.sort_unstable_by_key(|&(range, _)| range);
    let mut joined = Vec::new();
    push_shifted(&mut joined, 0, &found);
    Ok(Some(joined))
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

/// What is behind the rests of characters.
struct Inner<'a> {
    automaton: &'a Automaton,
    budget: &'a Budget,
    known: Vec<(InnerKey, Rc<[(CharacterRange, LexemeId)]>)>,
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
    ) -> Result<Option<Rc<[(CharacterRange, LexemeId)]>>, Error> {
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
            found.sort_unstable_by_key(|&(range, _)| range);
            let mut joined = Vec::new();
            push_shifted(&mut joined, 0, &found);
            found = joined;
        }
        let found: Rc<[_]> = found.into();
        self.known.push((key, Rc::clone(&found)));
        Ok(Some(found))
    }
}

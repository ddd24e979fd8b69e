//! Self-loops of a lexeme: the characters that lead from a state back to it.
//!
//! If all strings below a trie node consist of such characters, the subtree is taken as a whole. Free text,
//! such as
//! `[^"]*`, is cheap for that reason: most tokens are in such subtrees.

use grammask_cache::Budget;
use grammask_regular::{ByteSet, Error};
use grammask_trie::index::{ClassSignature, ExcludedChars, InnerId, SubtreeSummary, TextKind, TrieIndex};

use crate::lexicon::automaton::{Automaton, HeadForm, LexemeId};
use crate::lexicon::slice::utf8::{after_characters, after_characters_except};

/// Over which characters a state loops.
///
/// After any string of these characters, of up to `reach` bytes, the lexeme goes on just as it does in this
/// state: counters apart, the
/// state is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SelfLoop {
    /// ASCII characters, bit by bit.
    ascii: u128,
    others: NonAscii,
    /// Whether the lexeme is complete after each of the characters.
    pub(crate) completes: bool,
    /// Whether the state is the same, counters included.
    pub(crate) is_steady: bool,
    reach: u32,
    /// What is counted, where the loop is a counter.
    counter: Option<Counter>,
    /// Whether in place of a character of several bytes nothing else is taken that begins as one does.
    is_strict: bool,
}

/// A loop that counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counter {
    /// How many are still asked for, and how many may follow.
    pub(crate) min: u32,
    pub(crate) max: u32,
    /// Whether the lexeme is complete after any number of them between the two.
    pub(crate) completes: bool,
}

/// A loop, with what answers most questions at once.
pub(crate) struct LoopAlphabet {
    pub(crate) by: SelfLoop,
    /// What there is some of, and what there is all of.
    some: ClassSignature,
    all: ClassSignature,
}

impl LoopAlphabet {
    pub(crate) fn of(automaton: &Automaton, state: LexemeId, budget: &Budget) -> Result<Self, Error> {
        let by = SelfLoop::of(automaton, state, budget)?;
        let (some, all) = ClassSignature::approximate(by.ascii, by.others.encoding());
        Ok(Self { by, some, all })
    }

    /// Whether all strings below a branch are taken.
    #[inline]
    pub(crate) fn covers(&self, outline: &TrieIndex, branch: InnerId) -> bool {
        let traits = outline.signature(branch);
        traits.is_subset(self.some)
            && (traits.is_subset(self.all) && self.by.reach == u32::MAX
                || self.by.covers(outline.summary(branch)))
    }
}

/// Bytes that a cut UTF-8 character can miss.
const MAX_MISSING_BYTES: u32 = 3;

/// Over what else a state loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum NonAscii {
    /// Nothing else, or not all.
    None,
    /// All other characters but white space, as what stands in a word; otherwise as all.
    Words,
    /// All other characters but U+2028 and U+2029, as what stands in a line by ECMA 262; otherwise as all.
    Lines,
    /// All other characters, as UTF-8. One that is cut leads to a state from which it can be finished, and in
    /// which the lexeme is
    /// not complete.
    Characters,
    /// All other bytes, one by one.
    Bytes,
}

impl NonAscii {
    /// Those that are characters, the most first.
    pub(crate) const CHARACTERS: [Self; 3] = [Self::Characters, Self::Lines, Self::Words];

    /// What strings of them are.
    pub(crate) const fn encoding(self) -> TextKind {
        match self {
            Self::None => TextKind::Ascii,
            Self::Words => TextKind::NoWhitespace,
            Self::Lines => TextKind::NoLineEnds,
            Self::Characters => TextKind::Utf8,
            Self::Bytes => TextKind::Bytes,
        }
    }

    /// Whether they are characters of several bytes.
    pub(crate) fn are_characters(self) -> bool {
        Self::CHARACTERS.contains(&self)
    }

    /// The characters of several bytes that are left out.
    pub(crate) const fn excluded_chars(self) -> &'static [ExcludedChars] {
        self.encoding().excluded_chars()
    }
}

impl SelfLoop {
    const NONE: Self = Self {
        ascii: 0,
        others: NonAscii::None,
        completes: false,
        is_steady: false,
        reach: 0,
        counter: None,
        is_strict: false,
    };

    /// The counter, where nothing but its characters goes on as they do.
    pub(crate) fn counter(&self) -> Option<Counter> {
        self.counter.filter(|_| self.is_strict)
    }

    /// The counter, whatever else may go on; and whether something may that begins as a character of several
    /// bytes does.
    pub(crate) fn open_counter(&self) -> Option<(Counter, bool)> {
        self.counter.map(|counter| (counter, !self.is_strict))
    }

    /// Whether characters are counted.
    pub(crate) fn counts(&self) -> bool {
        !self.is_none() && !self.is_steady
    }

    /// The characters: ASCII, bit by bit, and others.
    pub(crate) fn characters(&self) -> (u128, NonAscii) {
        (self.ascii, self.others)
    }

    /// Whether all strings below a branch are taken.
    fn covers(&self, below: &SubtreeSummary) -> bool {
        below.ascii & !self.ascii == 0
            && self.others.encoding() >= below.kind
            && u32::from(below.height) <= self.reach
    }

    /// Whether every byte leads back, so that there is nothing inside of a character.
    pub(crate) fn is_of_bytes(&self) -> bool {
        self.others == NonAscii::Bytes
    }

    fn is_none(&self) -> bool {
        self.ascii == 0 && self.others == NonAscii::None
    }

    /// The loop of a state.
    pub(crate) fn of(automaton: &Automaton, state: LexemeId, budget: &Budget) -> Result<Self, Error> {
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
        match automaton.head_form(state, budget)? {
            HeadForm::Counted { base, min, max, rest } => {
                let found = Self::counted(automaton, base, min, max, rest, budget)?;
                if found.is_none() { steady(state) } else { Ok(found) }
            }
            HeadForm::All(parts) => {
                let own = steady(state)?;
                if !own.is_none() {
                    return Ok(own);
                }
                let mut all = Self {
                    ascii: u128::MAX,
                    others: NonAscii::Bytes,
                    is_steady: true,
                    completes: true,
                    reach: u32::MAX,
                    counter: None,
                    is_strict: true,
                };
                // How many bytes follow at most, where bytes are counted.
                let mut bytes = u32::MAX;
                for part in parts {
                    let one = match automaton.head_form(part, budget)? {
                        HeadForm::Counted { base, min, max, rest } => {
                            Self::counted(automaton, base, min, max, rest, budget)?
                        }
                        HeadForm::All(_) => Self::NONE,
                        HeadForm::Plain => steady(part)?,
                    };
                    // What is complete in every part is in the intersection: only so is it known to be alive.
                    if !one.completes {
                        return Ok(Self::NONE);
                    }
                    all.ascii &= one.ascii;
                    if one.others == NonAscii::Bytes {
                        bytes = bytes.min(one.reach);
                    }
                    all.others = all.others.min(one.others);
                    all.is_steady &= one.is_steady;
                    all.reach = all.reach.min(one.reach);
                    all.is_strict &= one.is_strict;
                    all.counter = all.counter.or(one.counter);
                }
                // A character that is cut must still be finished where another part counts its bytes.
                if all.others.are_characters() && bytes != u32::MAX {
                    all.reach = all.reach.min(bytes.saturating_sub(MAX_MISSING_BYTES));
                }
                // None asks for more characters, as all are complete.
                all.counter = all.counter.map(|counter| Counter { max: all.reach, ..counter });
                // Whether a character of several bytes is one in all parts at once is not asked.
                all.is_strict &= all.others != NonAscii::Characters;
                Ok(all)
            }
            HeadForm::Plain => steady(state),
        }
    }

    /// The loop of `base{min,max} rest`, over characters of which each is the base once, and none begins the
    /// rest where the
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
        // Later it is as if none were asked for. So what begins the rest is left out, or there must be no
        // such thing.
        let is_apart = ascii & ascii_taken == 0 && !others_taken;
        if min == 0 {
            ascii &= !ascii_taken;
            if others_taken {
                others = NonAscii::None;
            }
        }
        let reach = if min == 0 { max } else { max.min(min - 1) };
        let completes = min == 0 && rest.completes();
        let counter = Counter { min, max, completes: rest.completes() };
        let counter = (min == 0 || is_apart).then_some(counter);
        Ok(Self { ascii, others, completes, is_steady: false, reach, counter, is_strict })
    }
}

/// The ASCII characters that lead from one state to another; which others do; and whether nothing else goes
/// on that begins as one of those.
fn returns(
    automaton: &Automaton,
    from: LexemeId,
    to: LexemeId,
    budget: &Budget,
) -> Result<(u128, NonAscii, bool), Error> {
    let mut ascii = 0;
    automaton.steps(from, &ByteSet::range(0, 0x7F), budget, |bytes, next| {
        ascii |= if next == to { bytes.ascii() } else { 0 };
        true
    })?;
    // A loop over nothing but characters of several bytes is none that is worth being known.
    if ascii == 0 {
        return Ok((0, NonAscii::None, true));
    }
    if automaton.steps(from, &ByteSet::range(0x80, u8::MAX), budget, |_, next| next == to)? {
        return Ok((ascii, NonAscii::Bytes, true));
    }
    if let Some(is_strict) = all_characters_return(automaton, from, to, budget)? {
        return Ok((ascii, NonAscii::Characters, is_strict));
    }
    // What stands for a character that is left out is not asked.
    for others in [NonAscii::Lines, NonAscii::Words] {
        if after_characters_except(automaton, from, others.excluded_chars(), budget, |next| next == to)?
            .is_some()
        {
            return Ok((ascii, others, false));
        }
    }
    Ok((ascii, NonAscii::None, true))
}

/// Whether all characters of several bytes return; and if so, whether no other bytes go on where one of
/// theirs may stand.
fn all_characters_return(
    automaton: &Automaton,
    from: LexemeId,
    to: LexemeId,
    budget: &Budget,
) -> Result<Option<bool>, Error> {
    after_characters(automaton, from, budget, |next| next == to)
}

//! Self-loops of a lexeme: the characters that lead from a state back to it.
//!
//! If all strings below a trie node consist of such characters, the subtree is taken as a whole. Free text,
//! such as `[^"]*`, is cheap for that reason: most tokens are in such subtrees.

use grammask_regular::{ByteSet, Error};
use grammask_trie::index::{ClassSignature, ExcludedChars, InnerId, SubtreeSummary, TextKind, TrieIndex};

use crate::lexicon::automaton::{Automaton, HeadForm, LexemeId};
use crate::lexicon::slice::utf8::{after_characters, after_characters_except};

/// The characters over which a state loops.
///
/// After any string of these characters of at most `reach` bytes, the lexeme continues as in this state:
/// apart from counters, the state is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SelfLoop {
    /// ASCII characters, one bit each.
    ascii: u128,
    non_ascii: NonAscii,
    /// True if the lexeme is complete after each of the characters.
    pub(crate) completes: bool,
    /// True if the state is the same, counters included.
    pub(crate) is_steady: bool,
    reach: u32,
    /// Counter of the characters, if the loop is one.
    counter: Option<Counter>,
    /// True if no other bytes continue where a multi-byte character may begin or continue.
    is_strict: bool,
}

/// A loop that counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counter {
    /// Minimum and maximum number of characters that may follow.
    pub(crate) min: u32,
    pub(crate) max: u32,
    /// True if the lexeme is complete after every number of characters from `min` to `max`.
    pub(crate) completes: bool,
}

/// A loop, with signatures of its characters, which decide most tests of [`covers`](Self::covers) alone.
pub(crate) struct LoopAlphabet {
    pub(crate) by: SelfLoop,
    /// Groups of which the loop has some characters, and groups of which it has all.
    some: ClassSignature,
    all: ClassSignature,
}

impl LoopAlphabet {
    pub(crate) fn of(automaton: &Automaton, state: LexemeId) -> Result<Self, Error> {
        let by = SelfLoop::of(automaton, state)?;
        let (some, all) = ClassSignature::approximate(by.ascii, by.non_ascii.encoding());
        Ok(Self { by, some, all })
    }

    /// Returns `true` if the loop accepts all strings below an inner node.
    #[inline]
    pub(crate) fn covers(&self, trie_index: &TrieIndex, inner: InnerId) -> bool {
        let traits = trie_index.signature(inner);
        traits.is_subset(self.some)
            && (traits.is_subset(self.all) && self.by.reach == u32::MAX
                || self.by.covers(trie_index.summary(inner)))
    }
}

/// Bytes that a cut UTF-8 character can miss.
const MAX_MISSING_BYTES: u32 = 3;

/// The non-ASCII bytes over which a state loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum NonAscii {
    /// None, or not all of any class below.
    None,
    /// All multi-byte characters but white space, as in a word; otherwise like `Characters`.
    Words,
    /// All multi-byte characters but U+2028 and U+2029, as in a line by ECMA 262; otherwise like
    /// `Characters`.
    Lines,
    /// All multi-byte characters, as UTF-8. Inside a character, the lexeme is not complete, and the character
    /// can be finished.
    Characters,
    /// All non-ASCII bytes, one by one.
    Bytes,
}

impl NonAscii {
    /// Classes of characters, the largest first.
    pub(crate) const CHARACTERS: [Self; 3] = [Self::Characters, Self::Lines, Self::Words];

    /// Returns the kind of text that consists of these characters.
    pub(crate) const fn encoding(self) -> TextKind {
        match self {
            Self::None => TextKind::Ascii,
            Self::Words => TextKind::NoWhitespace,
            Self::Lines => TextKind::NoLineEnds,
            Self::Characters => TextKind::Utf8,
            Self::Bytes => TextKind::Bytes,
        }
    }

    /// Returns `true` if these are multi-byte characters.
    pub(crate) fn are_characters(self) -> bool {
        Self::CHARACTERS.contains(&self)
    }

    /// Returns the multi-byte characters that are excluded.
    pub(crate) const fn excluded_chars(self) -> &'static [ExcludedChars] {
        self.encoding().excluded_chars()
    }
}

impl SelfLoop {
    const NONE: Self = Self {
        ascii: 0,
        non_ascii: NonAscii::None,
        completes: false,
        is_steady: false,
        reach: 0,
        counter: None,
        is_strict: false,
    };

    /// Returns the counter if no bytes but its characters continue as these do.
    pub(crate) fn counter(&self) -> Option<Counter> {
        self.counter.filter(|_| self.is_strict)
    }

    /// Returns the counter, and `true` if other bytes may continue where a multi-byte character begins.
    pub(crate) fn open_counter(&self) -> Option<(Counter, bool)> {
        self.counter.map(|counter| (counter, !self.is_strict))
    }

    /// Returns `true` if characters are counted.
    pub(crate) fn counts(&self) -> bool {
        !self.is_none() && !self.is_steady
    }

    /// Returns the characters: ASCII, one bit each, and others.
    pub(crate) fn characters(&self) -> (u128, NonAscii) {
        (self.ascii, self.non_ascii)
    }

    /// Returns `true` if the loop accepts all strings below an inner node.
    fn covers(&self, below: &SubtreeSummary) -> bool {
        below.ascii & !self.ascii == 0
            && self.non_ascii.encoding() >= below.kind
            && u32::from(below.height) <= self.reach
    }

    /// Returns `true` if the loop reads every non-ASCII byte on its own. The lexeme may then also be complete
    /// at trie nodes inside a multi-byte character.
    pub(crate) fn is_of_bytes(&self) -> bool {
        self.non_ascii == NonAscii::Bytes
    }

    fn is_none(&self) -> bool {
        self.ascii == 0 && self.non_ascii == NonAscii::None
    }

    /// Computes the loop of a state.
    pub(crate) fn of(automaton: &Automaton, state: LexemeId) -> Result<Self, Error> {
        // From a state without continuation, every byte leads back, but no token is accepted.
        if !state.goes_on() {
            return Ok(Self::NONE);
        }
        let steady = |state: LexemeId| {
            let (ascii, non_ascii, is_strict) = returns(automaton, state, state)?;
            let completes = state.completes();
            let counter = None;
            Ok(Self { ascii, non_ascii, completes, is_steady: true, reach: u32::MAX, counter, is_strict })
        };
        match automaton.head_form(state)? {
            HeadForm::Counted { base, min, max, rest } => {
                let found = Self::counted(automaton, base, min, max, rest)?;
                if found.is_none() { steady(state) } else { Ok(found) }
            }
            HeadForm::All(parts) => {
                let own = steady(state)?;
                if !own.is_none() {
                    return Ok(own);
                }
                let mut all = Self {
                    ascii: u128::MAX,
                    non_ascii: NonAscii::Bytes,
                    is_steady: true,
                    completes: true,
                    reach: u32::MAX,
                    counter: None,
                    is_strict: true,
                };
                // Maximum number of bytes that may follow, if bytes are counted.
                let mut bytes = u32::MAX;
                for part in parts {
                    let one = match automaton.head_form(part)? {
                        HeadForm::Counted { base, min, max, rest } => {
                            Self::counted(automaton, base, min, max, rest)?
                        }
                        HeadForm::All(_) => Self::NONE,
                        HeadForm::Plain => steady(part)?,
                    };
                    // If every part is complete, the intersection is complete, and therefore known to be
                    // live.
                    if !one.completes {
                        return Ok(Self::NONE);
                    }
                    all.ascii &= one.ascii;
                    if one.non_ascii == NonAscii::Bytes {
                        bytes = bytes.min(one.reach);
                    }
                    all.non_ascii = all.non_ascii.min(one.non_ascii);
                    all.is_steady &= one.is_steady;
                    all.reach = all.reach.min(one.reach);
                    all.is_strict &= one.is_strict;
                    all.counter = all.counter.or(one.counter);
                }
                // An incomplete character must still fit if another part counts its bytes.
                if all.non_ascii.are_characters() && bytes != u32::MAX {
                    all.reach = all.reach.min(bytes.saturating_sub(MAX_MISSING_BYTES));
                }
                // No part requires more characters, as all are complete.
                all.counter = all.counter.map(|counter| Counter { max: all.reach, ..counter });
                // Conservative: strictness of the parts does not prove strictness of the intersection here.
                all.is_strict &= all.non_ascii != NonAscii::Characters;
                Ok(all)
            }
            HeadForm::Plain => steady(state),
        }
    }

    /// Computes the loop of `base{min,max} rest`. Each of its characters matches the base once, and none
    /// begins the rest where the rest may begin.
    fn counted(
        automaton: &Automaton,
        base: LexemeId,
        min: u32,
        max: u32,
        rest: LexemeId,
    ) -> Result<Self, Error> {
        let (mut ascii, mut non_ascii, is_strict) = returns(automaton, base, automaton.epsilon()?)?;
        let taken = automaton.live_bytes(rest)?;
        let is_taken = |byte: &u8| taken.contains(*byte);
        let non_ascii_taken = (0x80..=u8::MAX).any(|byte| taken.contains(byte));
        let ascii_taken = (0..128u8).filter(is_taken).fold(0, |ascii, byte| ascii | 1u128 << byte);
        // Once the minimum is reached, the rest may begin. So its first characters are excluded, or there
        // must be none.
        let is_apart = ascii & ascii_taken == 0 && !non_ascii_taken;
        if min == 0 {
            ascii &= !ascii_taken;
            if non_ascii_taken {
                non_ascii = NonAscii::None;
            }
        }
        let reach = if min == 0 { max } else { max.min(min - 1) };
        let completes = min == 0 && rest.completes();
        let counter = Counter { min, max, completes: rest.completes() };
        let counter = (min == 0 || is_apart).then_some(counter);
        Ok(Self { ascii, non_ascii, completes, is_steady: false, reach, counter, is_strict })
    }
}

/// Returns the ASCII characters that lead from one state to another, and the class of other characters that
/// do. The flag is true if no other bytes continue where these characters begin.
fn returns(automaton: &Automaton, from: LexemeId, to: LexemeId) -> Result<(u128, NonAscii, bool), Error> {
    let mut ascii = 0;
    automaton.steps(from, &ByteSet::range(0, 0x7F), |bytes, next| {
        ascii |= if next == to { bytes.ascii() } else { 0 };
        true
    })?;
    // A loop over multi-byte characters alone is not worth storing.
    if ascii == 0 {
        return Ok((0, NonAscii::None, true));
    }
    if automaton.steps(from, &ByteSet::range(0x80, u8::MAX), |_, next| next == to)? {
        return Ok((ascii, NonAscii::Bytes, true));
    }
    if let Some(is_strict) = all_characters_return(automaton, from, to)? {
        return Ok((ascii, NonAscii::Characters, is_strict));
    }
    // Conservative: bytes in place of an excluded character might continue, so the loop is not strict.
    for non_ascii in [NonAscii::Lines, NonAscii::Words] {
        if after_characters_except(automaton, from, non_ascii.excluded_chars(), |next| next == to)?.is_some()
        {
            return Ok((ascii, non_ascii, false));
        }
    }
    Ok((ascii, NonAscii::None, true))
}

/// Returns `None` unless all multi-byte characters lead back. Otherwise returns `true` if no other bytes
/// continue at or inside these characters.
fn all_characters_return(automaton: &Automaton, from: LexemeId, to: LexemeId) -> Result<Option<bool>, Error> {
    after_characters(automaton, from, |next| next == to)
}

//! Kernels: languages that stay within what a lexeme may become, whatever characters of a class follow. As long as only they do, the lexeme can
//! be finished as the kernel can, and nobody has to follow its states: behind `.*(red|blue)` or in a class of a regular expression they are
//! many, for each of them remembers what was begun.

use grammask_cache::Budget;
use grammask_regular::{ByteSet, Error};

use crate::lexicon::automaton::{Automaton, LexemeId};
use crate::lexicon::slice::Class;
use crate::lexicon::slice::safe_class::{Closed, FEW, behind_ascii, going_on, room};
use crate::lexicon::slice::utf8::{behind_characters_but, behind_lead_but};
use crate::lexicon::walk::self_loop::Others;

/// So many characters may be left out of a class, if blanks are not among them: what is left is most of the vocabulary.
const LEFT_OUT: u32 = 4;

/// By so many bytes the lexeme may begin otherwise than the class: what is below them is walked. Where it does not begin by a byte at all, there is
/// nothing to walk; but by some characters both must begin.
const NOT_FIRST: usize = 8;

/// So many states behind a character are looked at for what they have in common with the one that most lead to.
const STATES: usize = 5;

/// What keeps a lexeme alive by a kernel. Where the characters of its text are counted beside that, there may be `most`.
///
/// If a kernel X lies within δ(X, k) for each character k of a class, and within δ(L, k) for the lexeme L, it lies within δ(L, w) for each text w of
/// the class: derivatives keep inclusion. All strings are texts, so no state goes on by bytes that are no character.
pub(crate) fn closed(
    automaton: &Automaton,
    start: LexemeId,
    most: Option<usize>,
    budget: &Budget,
) -> Result<Option<Closed>, Error> {
    let (first, mut states) = behind_ascii(automaton, start, budget)?;
    // Behind one character, or behind two: then it has to lie within what the first one leads to.
    let mut before = None;
    loop {
        states.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let Some(&(main, count)) = states.first() else { return Ok(None) };
        // What is simpler than what most characters lead to. Else that itself, or what it has in common with something else: behind a
        // backslash, say, that is nothing.
        let others = states.iter().take(STATES).map(|&(other, _)| Some(other));
        for other in std::iter::once(None).chain(others) {
            let mut state = match other {
                None => automaton.kernel(main, budget)?,
                Some(other) => automaton.common(main, other, budget)?,
            };
            if let (Some(common), Some(before)) = (state, before) {
                state = automaton.common(common, before, budget)?;
            }
            let Some(state) = state else { continue };
            let mut kernel = Kernel { automaton, state, known: Vec::new() };
            let mut tried = None;
            for comes_back in [false, true] {
                let class = kernel.class(first, comes_back, budget)?;
                let (Some(some), true) = (class, class != tried) else { break };
                if let Some(closed) = kernel.closed(start, some, most, budget)? {
                    return Ok(Some(closed));
                }
                tried = class;
            }
        }
        if before.is_some() || main == start || count < FEW {
            return Ok(None);
        }
        states = behind_ascii(automaton, main, budget)?.1;
        before = Some(main);
    }
}

/// A language that may be a kernel.
struct Kernel<'a> {
    automaton: &'a Automaton,
    state: LexemeId,
    /// Whether it lies within states, each asked once.
    known: Vec<(LexemeId, bool)>,
}

impl Kernel<'_> {
    fn is_within(&mut self, next: LexemeId) -> bool {
        if let Some(&(_, is_within)) = self.known.iter().find(|(state, _)| *state == next) {
            return is_within;
        }
        let is_within = self.automaton.is_within(self.state, next);
        self.known.push((next, is_within));
        is_within
    }

    /// The characters that leave the kernel within where they lead to, if these are nearly all by which it goes on, or by which the lexeme begins.
    /// Of the ASCII ones, where asked for, only those by which it comes back: by others, the lexeme may become complete.
    fn class(&mut self, first: u128, comes_back: bool, budget: &Budget) -> Result<Option<Class>, Error> {
        let (automaton, state) = (self.automaton, self.state);
        let mut ascii = 0;
        let whole = going_on(automaton, state, u128::MAX, budget, |next, by| {
            if next == state || !comes_back && self.is_within(next) {
                ascii |= by;
            }
        })? | first;
        let left_out = whole & !ascii;
        if ascii.count_ones() < FEW || left_out.count_ones() > LEFT_OUT || left_out >> b' ' & 1 == 1 {
            return Ok(None);
        }
        for others in Others::CHARACTERS {
            let takes = |next| self.is_within(next);
            if behind_characters_but(automaton, state, others.excluded_chars(), budget, takes)?.is_some() {
                return Ok(Some(Class { ascii, others }));
            }
        }
        Ok(None)
    }

    /// What the lexeme takes by the characters of the class.
    fn closed(
        &mut self,
        start: LexemeId,
        class: Class,
        most: Option<usize>,
        budget: &Budget,
    ) -> Result<Option<Closed>, Error> {
        let (automaton, state) = (self.automaton, self.state);
        let completes = state.completes();
        let members: ByteSet =
            (0..128u8).filter(|byte| class.ascii >> byte & 1 == 1).chain(0x80..=u8::MAX).collect();
        // Asked for the lexeme as a whole, as its states are not known: whether they all go on by characters only; and where the kernel is not
        // complete, whether one that it lies within might be.
        if !automaton.is_text(start) || !completes && !automaton.needs_other(start, &members) {
            return Ok(None);
        }
        let not_first = self.not_first(start, class, budget)?;
        if not_first.len() > NOT_FIRST {
            let otherwise = automaton.live_bytes(start, budget)?.intersection(&not_first);
            let alike = class.ascii & !not_first.ascii();
            if otherwise.len() > NOT_FIRST || alike.count_ones() < FEW {
                return Ok(None);
            }
        }
        let mut reach = None;
        if let Some(most) = most {
            // What ends the kernel ends the lexeme.
            let Some(room) = room(automaton, most, std::iter::once(state)) else { return Ok(None) };
            reach = Some(room);
        }
        Ok(Some(Closed {
            class,
            not_first,
            reach,
            completes,
            exits: automaton.bytes(start).ascii() & !class.ascii,
            omitted: !class.others.excluded_chars().is_empty(),
            ends: Vec::new(),
            is_whole: true,
            is_cut: false,
            states: None,
        }))
    }

    /// The bytes by which characters of the class begin, but not all of them lead to where the kernel lies within.
    fn not_first(&mut self, start: LexemeId, class: Class, budget: &Budget) -> Result<ByteSet, Error> {
        let automaton = self.automaton;
        let mut first = 0;
        going_on(automaton, start, class.ascii, budget, |next, by| {
            if self.is_within(next) {
                first |= by;
            }
        })?;
        let mut not_first: ByteSet =
            (0..128u8).filter(|byte| (class.ascii & !first) >> byte & 1 == 1).collect();
        for lead in 0xC2..=0xF4 {
            let takes = |next| self.is_within(next);
            if behind_lead_but(automaton, start, lead, class.others.excluded_chars(), budget, takes)?
                .is_none()
            {
                not_first.insert(lead);
            }
        }
        Ok(not_first)
    }
}

//! Random grammars on a small vocabulary, which threads share and compare with the oracle.
//!
//! Everything about a walk follows from its number.

use std::sync::Arc;

use grammask_testkit::random::{self, Rng, Shape, conditions, tails, texts};
use xtask::cases::agreement::{self, Subject, Words};

use crate::kept::Kept;

/// Number of grammars that are alive at a time.
const SLOTS: u64 = 16;
/// Number of consecutive walks with the same grammar, so that threads meet in its tables.
const WALKS_PER_TURN: u64 = 16;
/// Number of turns of a grammar before another one replaces it.
const TURNS_PER_GRAMMAR: u64 = 4;
/// Number of grammars with the same vocabulary. Their common lexicon grows with each of them, until the last
/// one is gone.
const GRAMMARS_PER_VOCABULARY: u64 = 128;
/// The slot whose grammars meet the conditions of shortcuts. One is enough, as the oracle takes long for each
/// of their masks. It is the last, so that a short soak reaches the others.
const SHORTCUT_SLOT: u64 = SLOTS - 1;

/// Maximum number of tokens of a walk.
const MAX_WALK_TOKENS: usize = 10;

/// Budgets of the tables in bytes: the default, or so little that they are emptied at every token, every few
/// tokens, or now and then.
const BUDGET_BYTES: &[usize] = &[32 << 20, 32 << 20, 1, 4 << 10, 32 << 10];

/// The grammars that are alive.
pub struct Pool {
    /// `None` if a limit was exceeded.
    places: Vec<Kept<Option<Subject>>>,
    words: Kept<Words>,
    many_words: Kept<Words>,
}

impl Pool {
    /// Returns a pool without grammars.
    pub fn new() -> Self {
        Self {
            places: (0..SLOTS).map(|_| Kept::new()).collect(),
            words: Kept::new(),
            many_words: Kept::new(),
        }
    }

    /// Follows the output of a number, or reads a text.
    ///
    /// # Errors
    /// The difference between engine and oracle.
    pub fn walk(&self, number: u64) -> Result<(), String> {
        let mut rng = Rng::new(!number);
        if rng.chance(1, 16) {
            return agreement::whether_it_compiles(&mut rng);
        }
        let subject = self.subject(subject_of(number))?;
        match &*subject {
            None => Ok(()),
            Some(subject) if rng.chance(1, 4) => subject.read(&mut rng),
            Some(subject) => subject.walk(&mut rng, MAX_WALK_TOKENS),
        }
    }

    fn subject(&self, number: u64) -> Result<Arc<Option<Subject>>, String> {
        self.places[(number % SLOTS) as usize].get(number, || {
            let words = number / GRAMMARS_PER_VOCABULARY;
            let mut rng = Rng::new(number);
            let (words, random) = if number % SLOTS == SHORTCUT_SLOT {
                let words = self.many_words.get(words, || Words::for_conditions(&mut Rng::new(words)))?;
                let random = match rng.below(6) {
                    0 => texts::grammar(&mut rng),
                    1 => tails::grammar(&mut rng),
                    _ => conditions::grammar(&mut rng),
                };
                (words, random)
            } else {
                let words = self.words.get(words, || Words::random(&mut Rng::new(words)))?;
                (words, random::grammar(&mut rng, &Shape::default()))
            };
            let is_eager = rng.chance(1, 3);
            Subject::new(random, words, is_eager, Some(*rng.pick(BUDGET_BYTES)))
        })
    }
}

/// Returns `true` after enough walks that two vocabularies are gone. From then on, memory does not depend on
/// the time.
pub const fn is_warm(walks: u64) -> bool {
    walks >= 2 * GRAMMARS_PER_VOCABULARY * WALKS_PER_TURN * TURNS_PER_GRAMMAR
}

/// Returns the grammar of a walk. Slots change their grammars in turns, not all at once.
const fn subject_of(walk: u64) -> u64 {
    let (turn, place) = (walk / WALKS_PER_TURN / SLOTS, walk / WALKS_PER_TURN % SLOTS);
    (turn + place) / TURNS_PER_GRAMMAR * SLOTS + place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_warm_when_vocabularies_have_gone() {
        let cold = (0..).find(|walk| is_warm(*walk)).unwrap_or(0);
        let oldest = (cold..cold + SLOTS * WALKS_PER_TURN)
            .map(|walk| subject_of(walk) / GRAMMARS_PER_VOCABULARY)
            .min();
        assert_eq!(oldest, Some(2));
    }

    #[test]
    fn a_place_has_a_grammar_for_some_rounds() {
        let walks = WALKS_PER_TURN * SLOTS * TURNS_PER_GRAMMAR * 3;
        let mut subjects: Vec<u64> = (0..walks).map(subject_of).collect();
        assert!((1..WALKS_PER_TURN as usize).all(|walk| subjects[walk] == subjects[0]));
        subjects.sort_unstable();
        let longest = subjects.chunk_by(|a, b| a == b).map(<[u64]>::len).max();
        assert_eq!(longest, Some((WALKS_PER_TURN * TURNS_PER_GRAMMAR) as usize));
    }
}

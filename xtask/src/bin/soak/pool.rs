//! Random grammars on a small vocabulary, which threads walk through together and compare with the oracle. All that a
//! walk is about follows from its number.

use std::sync::Arc;

use grammask_testkit::random::{self, Rng, Shape, conditions, tails, texts};
use xtask::cases::agreement::{self, Subject, Words};

use crate::kept::Kept;

/// How many grammars are kept at a time.
const PLACES: u64 = 16;
/// How many walks in a row have the same grammar, so that threads meet in its tables.
const TOGETHER: u64 = 16;
/// How often a grammar's turn comes before another takes its place.
const ROUNDS: u64 = 4;
/// How many grammars have the same vocabulary: what these share grows with each of them until it is given up with the last.
const SHARED: u64 = 128;
/// The place whose grammars aim at the conditions of shortcuts: one is enough, as each of their masks takes the oracle long, and the last is, so that a
/// short soak sees the others.
const FOR_CONDITIONS: u64 = PLACES - 1;

/// Tokens of a walk at most.
const LENGTH: usize = 10;

/// What tables may hold in bytes: as much as by default, or so little that they are given up at every token, every few
/// tokens, or now and then.
const BUDGETS: &[usize] = &[32 << 20, 32 << 20, 1, 4 << 10, 32 << 10];

/// The grammars of the time.
pub struct Pool {
    /// `None` where a limit was exceeded.
    places: Vec<Kept<Option<Subject>>>,
    words: Kept<Words>,
    many_words: Kept<Words>,
}

impl Pool {
    /// A pool without grammars.
    pub fn new() -> Self {
        Self {
            places: (0..PLACES).map(|_| Kept::new()).collect(),
            words: Kept::new(),
            many_words: Kept::new(),
        }
    }

    /// Goes through the output of this number, or reads a text.
    ///
    /// # Errors
    /// What engine and oracle do not agree on.
    pub fn walk(&self, number: u64) -> Result<(), String> {
        let mut rng = Rng::new(!number);
        if rng.chance(1, 16) {
            return agreement::whether_it_compiles(&mut rng);
        }
        let subject = self.subject(subject_of(number))?;
        match &*subject {
            None => Ok(()),
            Some(subject) if rng.chance(1, 4) => subject.read(&mut rng),
            Some(subject) => subject.walk(&mut rng, LENGTH),
        }
    }

    fn subject(&self, number: u64) -> Result<Arc<Option<Subject>>, String> {
        self.places[(number % PLACES) as usize].get(number, || {
            let words = number / SHARED;
            let mut rng = Rng::new(number);
            let (words, random) = if number % PLACES == FOR_CONDITIONS {
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
            Subject::new(random, words, is_eager, Some(*rng.pick(BUDGETS)))
        })
    }
}

/// Whether this is so many walks that two vocabularies have come and gone, and what there is at a time no longer depends on how long it goes on.
pub const fn is_warm(walks: u64) -> bool {
    walks >= 2 * SHARED * TOGETHER * ROUNDS
}

/// The grammar of a walk. The places change their grammars in turns, not all at once.
const fn subject_of(walk: u64) -> u64 {
    let (turn, place) = (walk / TOGETHER / PLACES, walk / TOGETHER % PLACES);
    (turn + place) / ROUNDS * PLACES + place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_warm_when_vocabularies_have_gone() {
        let cold = (0..).find(|walk| is_warm(*walk)).unwrap_or(0);
        let oldest = (cold..cold + PLACES * TOGETHER).map(|walk| subject_of(walk) / SHARED).min();
        assert_eq!(oldest, Some(2));
    }

    #[test]
    fn a_place_has_a_grammar_for_some_rounds() {
        let walks = TOGETHER * PLACES * ROUNDS * 3;
        let mut subjects: Vec<u64> = (0..walks).map(subject_of).collect();
        assert!((1..TOGETHER as usize).all(|walk| subjects[walk] == subjects[0]));
        subjects.sort_unstable();
        let longest = subjects.chunk_by(|a, b| a == b).map(<[u64]>::len).max();
        assert_eq!(longest, Some((TOGETHER * ROUNDS) as usize));
    }
}

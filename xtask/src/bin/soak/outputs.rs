//! Outputs on a large vocabulary, token by token under the mask of a model that picks at random. Each runs twice, with grammars that have the same
//! language, and the masks must be the same.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use grammask::{LexiconConfig, Mask, Matcher, Outcome, TokenId, Vocabulary};
use grammask_testkit::random::Rng;
use xtask::cases::watch;

use crate::grammars::Grammars;
use crate::kept::lock;

/// What all grammars share may hold in bytes: little enough to be full before memory is judged, and to be given up many times in an hour.
const SHARED: usize = 32 << 20;

/// The vocabulary, in which what all grammars share has little room.
pub fn with_little_room(vocabulary: &Vocabulary) -> Vocabulary {
    vocabulary.with_lexicon(&LexiconConfig { budget: SHARED, ..LexiconConfig::default() })
}

/// The outputs of some grammars, which all threads share.
pub struct Outputs {
    /// The command line that runs one again ends in this option and its number.
    option: &'static str,
    vocabulary: Vocabulary,
    grammars: Grammars,
    /// Tokens between two looks at whether time is over.
    step: usize,
    next: AtomicU64,
    /// How many were begun, how many masks were compared, and how long the longest output is.
    begun: AtomicUsize,
    masks: AtomicUsize,
    longest: AtomicUsize,
    slowest: Mutex<(Duration, String)>,
}

/// An output of one thread.
pub struct Output {
    /// What it can be run again by.
    pub number: u64,
    name: String,
    rng: Rng,
    one: Matcher,
    other: Matcher,
    /// Where masks are written.
    row: Vec<u32>,
    /// How many tokens it shall have, and once in how many of them masks are compared.
    length: usize,
    every: usize,
    /// How many were picked, those that were taken back included.
    picked: usize,
}

impl Outputs {
    /// No output of these grammars. Each goes on by so many tokens at a time.
    pub fn new(option: &'static str, vocabulary: &Vocabulary, grammars: Grammars, step: usize) -> Self {
        Self {
            option,
            vocabulary: vocabulary.clone(),
            grammars,
            step,
            next: AtomicU64::new(0),
            begun: AtomicUsize::new(0),
            masks: AtomicUsize::new(0),
            longest: AtomicUsize::new(0),
            slowest: Mutex::new((Duration::ZERO, "none".to_owned())),
        }
    }

    /// The command line that runs the output of this number again.
    pub fn again(&self, number: u64) -> String {
        format!("cargo xtask soak {} {number}", self.option)
    }

    /// The number of an output that nobody has begun.
    pub fn next(&self) -> u64 {
        self.next.fetch_add(1, Relaxed)
    }

    /// Whether every grammar has had its turn, so that from now on some are given up when others come.
    pub fn is_warm(&self) -> bool {
        self.next.load(Relaxed) >= self.grammars.once()
    }

    /// Begins an output; `None` where its grammar exceeds a limit.
    ///
    /// # Errors
    /// When its grammar does not compile.
    pub fn begin(&self, number: u64) -> Result<Option<Output>, String> {
        let subject = self.grammars.subject(number, &self.vocabulary)?;
        let Some(subject) = &*subject else { return Ok(None) };
        self.begun.fetch_add(1, Relaxed);
        Ok(Some(Output {
            number,
            name: subject.name.clone(),
            rng: Rng::new(number),
            one: subject.grammars[0].matcher(),
            other: subject.grammars[1].matcher(),
            row: vec![u32::MAX; self.vocabulary.mask_words()],
            length: subject.length,
            every: subject.every,
            picked: 0,
        }))
    }

    /// Some tokens more; whether the output goes on.
    ///
    /// # Errors
    /// When the two disagree, or one with its own mask.
    pub fn go_on(&self, output: &mut Output) -> Result<bool, String> {
        watch::note(output.name.clone());
        for _ in 0..self.step {
            if output.one.len() >= output.length {
                return Ok(false);
            }
            if !self.token(output).map_err(|what| output.about(&what))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn token(&self, output: &mut Output) -> Result<bool, String> {
        output.picked += 1;
        let vocabulary = &self.vocabulary;
        let (one, other, rng) = (&mut output.one, &mut output.other, &mut output.rng);
        // What a server asks for, and what a single caller does: neither may depend on whether the other came first.
        let is_row_first = rng.chance(1, 2);
        if is_row_first {
            fill(one, &mut output.row)?;
        }
        let since = Instant::now();
        one.mask();
        self.note_time(since.elapsed(), &output.name);
        if !is_row_first {
            fill(one, &mut output.row)?;
        }
        let mask = one.mask();
        if mask.as_words() != output.row {
            return Err(format!("the mask is {mask}, and the row is another one"));
        }
        if output.picked.is_multiple_of(output.every) {
            let others = other.mask();
            if mask.as_words() != others.as_words() {
                return Err(format!("masks differ: {mask} and {others}"));
            }
            self.masks.fetch_add(1, Relaxed);
        }
        let Some(token) = pick(rng, mask) else {
            return match one.error() {
                Some(error) => Err(error.to_string()),
                None => Ok(false),
            };
        };
        let any = TokenId(rng.below(vocabulary.id_count()) as u32);
        let is_allowed = mask.allows(any);
        if (one.validate(&[any]) == 1) != is_allowed {
            return Err(format!("token {any} is allowed: {is_allowed}, but not when it comes"));
        }
        let outcomes = (one.accept(token), other.accept(token));
        if outcomes.0 != outcomes.1 || !outcomes.0.is_accepted() {
            return Err(format!("token {token} is allowed, and then {} and {}", outcomes.0, outcomes.1));
        }
        self.longest.fetch_max(one.len(), Relaxed);
        if rng.chance(1, 2_048) {
            let back = rng.below(one.len() + 1).min(20);
            if one.rollback(back).is_err() || other.rollback(back).is_err() {
                return Err(format!("{back} tokens cannot be taken back"));
            }
        }
        Ok(outcomes.0 == Outcome::Ongoing)
    }

    fn note_time(&self, time: Duration, name: &str) {
        let mut slowest = lock(&self.slowest);
        if time > slowest.0 {
            *slowest = (time, name.to_owned());
        }
    }

    /// How many masks were compared.
    pub fn masks(&self) -> usize {
        self.masks.load(Relaxed)
    }

    /// Bytes of what all grammars share.
    pub fn shared_bytes(&self) -> usize {
        self.vocabulary.stats().bytes
    }

    /// How much was done.
    pub fn closing_line(&self) -> String {
        format!(
            "{} masks of {} outputs, the longest of {} tokens, are the same",
            self.masks(),
            self.begun.load(Relaxed),
            self.longest.load(Relaxed)
        )
    }

    /// The slowest mask of the first of both, and for which grammar it was.
    pub fn slowest_mask(&self) -> (Duration, String) {
        lock(&self.slowest).clone()
    }
}

impl Output {
    fn about(&self, what: &str) -> String {
        let text = self.one.text();
        let end = &text[text.len().saturating_sub(200)..];
        format!(
            "{what}\n{} after {} tokens, which end in {:?}",
            self.name,
            self.one.len(),
            end.escape_ascii().to_string()
        )
    }
}

fn fill(matcher: &mut Matcher, row: &mut [u32]) -> Result<(), String> {
    matcher.fill_mask(row).map_err(|error| error.to_string())
}

/// A token of the mask: the first at or after a random place.
fn pick(rng: &mut Rng, mask: &Mask) -> Option<TokenId> {
    let words = mask.as_words();
    let start = rng.below(words.len() * 32);
    let (first, bit) = (start / 32, start % 32);
    let above = words.get(first)? & (u32::MAX << bit);
    let here = (above != 0).then_some((first, above));
    let (place, word) = here.or_else(|| {
        let order = (first + 1..words.len()).chain(0..=first);
        order.map(|place| (place, words[place])).find(|(_, word)| *word != 0)
    })?;
    Some(TokenId(place as u32 * 32 + word.trailing_zeros()))
}

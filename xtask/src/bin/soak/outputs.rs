//! Outputs on a large vocabulary, token by token under the mask of a model that picks at random.
//!
//! Each runs twice, with two grammars of the same language, whose masks must be the same.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use grammask::{LexiconLimits, Mask, Matcher, Outcome, TokenId, Vocabulary};
use grammask_testkit::random::Rng;
use xtask::cases::watch;

use crate::grammars::Grammars;
use crate::kept::lock;

/// Budget in bytes of the lexicon that all grammars share: full before memory is judged, and replaced many
/// times in an hour.
const LEXICON_BUDGET_BYTES: usize = 32 << 20;

/// Returns the vocabulary with that budget.
pub fn with_little_room(vocabulary: &Vocabulary) -> Vocabulary {
    vocabulary
        .with_lexicon(&LexiconLimits { budget: LEXICON_BUDGET_BYTES, ..LexiconLimits::default() }.into())
}

/// The outputs of some grammars, which all threads share.
pub struct Outputs {
    /// Option of the command line that repeats an output, followed by its number.
    option: &'static str,
    vocabulary: Vocabulary,
    grammars: Grammars,
    /// Tokens between two looks at the clock.
    step: usize,
    next: AtomicU64,
    /// Number of outputs begun, number of masks compared, and tokens of the longest output.
    begun: AtomicUsize,
    masks: AtomicUsize,
    longest: AtomicUsize,
    slowest: Mutex<(Duration, String)>,
}

/// An output of one thread.
pub struct Output {
    /// The command that repeats it.
    pub number: u64,
    name: String,
    rng: Rng,
    one: Matcher,
    other: Matcher,
    /// Row for masks.
    row: Vec<u32>,
    /// Number of tokens, and tokens between two comparisons of masks.
    length: usize,
    every: usize,
    /// Number of tokens picked, including those that were taken back.
    picked: usize,
}

impl Outputs {
    /// Returns no output yet. Each output goes on by `step` tokens at a time.
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

    /// Returns the command that repeats an output.
    pub fn again(&self, number: u64) -> String {
        format!("cargo xtask soak {} {number}", self.option)
    }

    /// Returns the number of the next output.
    pub fn next(&self) -> u64 {
        self.next.fetch_add(1, Relaxed)
    }

    /// Returns `true` if every grammar had its turn, so that new ones replace old ones from now on.
    pub fn is_warm(&self) -> bool {
        self.next.load(Relaxed) >= self.grammars.once()
    }

    /// Begins an output. Returns `None` if its grammar exceeds a limit.
    ///
    /// # Errors
    /// If its grammar does not compile.
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

    /// Goes on for some tokens. Returns `true` if the output is not at its end.
    ///
    /// # Errors
    /// If the two grammars disagree, or one disagrees with its own mask.
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
        // A server asks for rows, a single caller for masks. Neither may depend on which comes first.
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

    /// Returns the number of masks compared.
    pub fn masks(&self) -> usize {
        self.masks.load(Relaxed)
    }

    /// Returns the bytes of the lexicon that all grammars share.
    pub fn shared_bytes(&self) -> usize {
        self.vocabulary.stats().bytes
    }

    /// Returns the line of the summary.
    pub fn closing_line(&self) -> String {
        format!(
            "{} masks of {} outputs, the longest of {} tokens, are the same",
            self.masks(),
            self.begun.load(Relaxed),
            self.longest.load(Relaxed)
        )
    }

    /// Returns the slowest mask of the first grammars, and the grammar.
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

/// Returns the first token of the mask at or after a random id.
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

//! Random grammars on which engine and oracle must agree: on errors, on every text, and on every mask.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use grammask::{Config, Ending, Error, Grammar, Matcher, Outcome, TokenId, Vocabulary};
use grammask_testkit::random::{self, RandomGrammar, Rng, Shape, conditions};
use grammask_testkit::{Oracle, OracleError, Run, start_of};

use super::watch;

/// Numbers of grammars, texts and masks compared.
static GRAMMARS: AtomicUsize = AtomicUsize::new(0);
static TEXTS: AtomicUsize = AtomicUsize::new(0);
static MASKS: AtomicUsize = AtomicUsize::new(0);

/// Nanoseconds of the slowest mask.
static SLOWEST: AtomicU64 = AtomicU64::new(0);

/// Returns the line of the summary.
pub fn closing_line() -> String {
    format!(
        "{} masks of {} grammars are the oracle's, and {} texts",
        MASKS.load(Relaxed),
        GRAMMARS.load(Relaxed),
        TEXTS.load(Relaxed)
    )
}

/// Returns the number of masks compared.
pub fn masks() -> usize {
    MASKS.load(Relaxed)
}

/// Returns the time of the slowest mask.
pub fn slowest_mask() -> Duration {
    Duration::from_nanos(SLOWEST.load(Relaxed))
}

/// Number of tokens with bytes, of an ordinary vocabulary and of one that meets the conditions of shortcuts.
const WORDS: usize = 32;
const SHORTCUT_WORDS: usize = 2_600;

/// Maximum number of items of the oracle with the larger vocabulary. Beyond it, the oracle takes too long.
const MAX_ORACLE_ITEMS: usize = 48;

/// Maximum number of tokens of which the longest one is taken.
const MAX_PICKS: usize = 3;

/// Maximum number of bytes of a text.
const MAX_TEXT: usize = 24;

/// A vocabulary that is small enough to ask the oracle for its masks.
pub struct Words {
    /// The vocabulary of the engine.
    pub vocabulary: Vocabulary,
    /// Bytes of every token but the end token, by id.
    bytes: Vec<Vec<u8>>,
    /// The end token.
    end: TokenId,
}

impl Words {
    /// Returns a random vocabulary.
    ///
    /// # Errors
    /// If the engine refuses the vocabulary, which it should not.
    pub fn random(rng: &mut Rng) -> Result<Self, String> {
        Self::of(random::vocabulary(rng, WORDS))
    }

    /// Returns a random vocabulary that is large enough for all shortcuts.
    ///
    /// # Errors
    /// If the engine refuses the vocabulary, which it should not.
    pub fn for_conditions(rng: &mut Rng) -> Result<Self, String> {
        Self::of(conditions::vocabulary(rng, SHORTCUT_WORDS))
    }

    fn of(bytes: Vec<Vec<u8>>) -> Result<Self, String> {
        let tokens = bytes.iter().cloned().enumerate().map(|(id, bytes)| (TokenId(id as u32), bytes));
        let end = TokenId(bytes.len() as u32);
        let vocabulary =
            Vocabulary::new(tokens, [(end, "<|end|>".to_owned())]).map_err(|error| error.to_string())?;
        Ok(Self { vocabulary, bytes, end })
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes.len() {
            0..=WORDS => write!(f, "words {:?}", self.bytes),
            many => write!(f, "{many} words"),
        }
    }
}

/// Compiles a grammar that may be wrong. Engine and oracle must agree whether it is.
///
/// # Errors
/// If they disagree.
pub fn whether_it_compiles(rng: &mut Rng) -> Result<(), String> {
    let text = random::grammar_text(rng, &Shape::default());
    let about = |what: String| format!("{what}\ngrammar:\n{text}");
    let ast = grammask_syntax::parse(&text, &Default::default()).map_err(|error| about(error.to_string()))?;
    watch::note(about(String::new()));
    let expected = Oracle::new(&ast, &start_of(&ast));
    let words = Words::random(rng)?;
    match (Grammar::compile(&text, &words.vocabulary, &Config::default()), expected) {
        (_, Err(OracleError::TooLarge(_))) | (Ok(_), Ok(_)) | (Err(_), Err(_)) => Ok(()),
        (Ok(_), Err(error)) => Err(about(format!("compiles, but the oracle says: {error}"))),
        (Err(error), Ok(_)) => Err(about(format!("does not compile, but the oracle has a meaning: {error}"))),
    }
}

/// A random grammar without errors, compiled, with its oracle.
pub struct Subject {
    random: RandomGrammar,
    words: Arc<Words>,
    grammar: Grammar,
    is_eager: bool,
    /// Budget of the tables in bytes. `None` if they belong to a single output and are never emptied.
    budget: Option<usize>,
}

impl Subject {
    /// Compiles the grammar. Returns `None` if it exceeds a limit of the recognizer. Without a budget, the
    /// tables have the default budget, which a short output does not use up.
    ///
    /// # Errors
    /// If it does not compile.
    pub fn new(
        random: RandomGrammar,
        words: Arc<Words>,
        is_eager: bool,
        budget: Option<usize>,
    ) -> Result<Option<Self>, String> {
        let ending = if is_eager { Ending::Eager } else { Ending::EndOfSequence(vec![words.end]) };
        let mut config = Config { ending, ..Config::default() };
        config.masks.limits.max_mask_work = u64::MAX;
        if let Some(bytes) = budget {
            config.recognizer.limits.budget = bytes;
            config.masks.limits.budget = bytes;
        }
        watch::note(random.text.clone());
        let grammar = match Grammar::compile(&random.text, &words.vocabulary, &config) {
            Ok(grammar) => grammar,
            Err(Error::Recognizer(_)) => return Ok(None),
            Err(error) => return Err(format!("does not compile: {error}\ngrammar:\n{}", random.text)),
        };
        GRAMMARS.fetch_add(1, Relaxed);
        Ok(Some(Self { random, words, grammar, is_eager, budget }))
    }

    /// Follows an output of at most `tokens` tokens. Each mask must be that of the oracle.
    ///
    /// # Errors
    /// The first difference.
    pub fn walk(&self, rng: &mut Rng, tokens: usize) -> Result<(), String> {
        watch::note(self.about(""));
        self.try_walk(rng, tokens).map_err(|what| self.about(&what))
    }

    /// Reads a text byte by byte. Engine and oracle must agree on each prefix.
    ///
    /// # Errors
    /// If they disagree.
    pub fn read(&self, rng: &mut Rng) -> Result<(), String> {
        watch::note(self.about(""));
        self.try_read(rng).map_err(|what| self.about(&what))
    }

    fn about(&self, what: &str) -> String {
        let Self { is_eager, budget, .. } = self;
        format!("{what}\neager {is_eager}, budget {budget:?}, {}\ngrammar:\n{}", self.words, self.random.text)
    }

    fn try_walk(&self, rng: &mut Rng, tokens: usize) -> Result<(), String> {
        let mut matcher = self.grammar.matcher();
        let mut oracle = self.random.oracle.run();
        let mut places = Vec::new();
        for _ in 0..tokens {
            self.compare(&mut matcher, &oracle)?;
            let allowed: Vec<TokenId> = matcher.mask().iter().filter(|id| *id != self.words.end).collect();
            let is_much = oracle.items() * self.words.bytes.len() > MAX_ORACLE_ITEMS * SHORTCUT_WORDS;
            if allowed.is_empty() || matcher.is_finished() || is_much {
                break;
            }
            // Prefer long tokens, so that bounds are reached.
            let length = |id: &TokenId| self.words.bytes[id.0 as usize].len();
            let picks = 1 + rng.below(MAX_PICKS);
            let token = (0..picks).map(|_| *rng.pick(&allowed)).max_by_key(length).unwrap_or(allowed[0]);
            places.push((matcher.state(), oracle.position()));
            let outcome = matcher.accept(token);
            if !outcome.is_accepted() || !oracle.push_all(&self.words.bytes[token.0 as usize]) {
                return Err(format!("{}: token {token} {outcome}", place(&matcher)));
            }
            if self.is_eager && (outcome == Outcome::Finished) != oracle.is_complete() {
                return Err(format!("{}: {outcome}", place(&matcher)));
            }
            if rng.chance(1, 6) {
                let back = 1 + rng.below(places.len());
                matcher.rollback(back).map_err(|error| error.to_string())?;
                let (state, position) = places[places.len() - back].clone();
                places.truncate(places.len() - back);
                oracle.rollback(position);
                // Tables that were emptied since then may have another state for the same future.
                if self.budget.is_none() && matcher.state() != state {
                    return Err(format!("{}: taking {back} tokens back leads elsewhere", place(&matcher)));
                }
            }
        }
        Ok(())
    }

    fn compare(&self, matcher: &mut Matcher, oracle: &Run<'_>) -> Result<(), String> {
        let place = place(matcher);
        if matcher.is_complete() != oracle.is_complete() {
            return Err(format!(
                "{place}: complete {}, the oracle says {}",
                matcher.is_complete(),
                oracle.is_complete()
            ));
        }
        let is_finished = matcher.is_finished();
        let since = Instant::now();
        let mask = matcher.mask();
        SLOWEST.fetch_max(since.elapsed().as_nanos() as u64, Relaxed);
        let ends = mask.allows(self.words.end);
        if ends != (!self.is_eager && !is_finished && oracle.is_complete()) {
            return Err(format!("{place}: the end is allowed: {ends}"));
        }
        let words = &self.words.bytes;
        let expected = if self.is_eager { oracle.allowed_eagerly(words) } else { oracle.allowed(words) };
        for ((id, word), expected) in words.iter().enumerate().zip(expected) {
            let allowed = mask.allows(TokenId(id as u32));
            if allowed != (expected && !is_finished) {
                return Err(format!(
                    "{place}: token {id} {:?} is allowed: {allowed}",
                    word.escape_ascii().to_string()
                ));
            }
        }
        MASKS.fetch_add(1, Relaxed);
        let written = mask.as_words().to_vec();
        let mut row = vec![u32::MAX; written.len()];
        matcher.fill_mask(&mut row).map_err(|error| error.to_string())?;
        match matcher.error() {
            Some(error) => Err(error.to_string()),
            None if row != written => Err(format!("{place}: the row {row:x?} is not the mask {written:x?}")),
            None => Ok(()),
        }
    }

    fn try_read(&self, rng: &mut Rng) -> Result<(), String> {
        let mut matcher = self.grammar.matcher();
        let mut oracle = self.random.oracle.run();
        for byte in random::text(rng, &self.random.oracle, MAX_TEXT) {
            if matcher.is_finished() {
                break;
            }
            let outcome = matcher.accept_bytes(&[byte]);
            let is_live = oracle.push(byte);
            if outcome.is_accepted() != is_live {
                return Err(format!("{}: byte {byte} {outcome}, live {is_live}", place(&matcher)));
            }
            if !is_live {
                break;
            }
            if matcher.is_complete() != oracle.is_complete() {
                return Err(format!("{}: complete {}", place(&matcher), matcher.is_complete()));
            }
        }
        TEXTS.fetch_add(1, Relaxed);
        Ok(())
    }
}

/// Returns the text of a matcher, for messages.
fn place(matcher: &Matcher) -> String {
    format!("after {:?}", matcher.text().escape_ascii().to_string())
}

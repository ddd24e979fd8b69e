//! Long outputs on a large vocabulary, token by token under the mask of a model that picks at random. Each runs twice, with
//! much and with little room for tables, and the masks must be the same.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use grammask::{Config, Grammar, LexiconConfig, Mask, Matcher, Outcome, TokenId, Vocabulary};
use grammask_testkit::fixtures::GrammarFixture;
use grammask_testkit::random::Rng;
use xtask::watch;

use crate::kept::{Kept, lock};

/// It nests and counts, and never has to end.
const NESTS_AND_COUNTS: &str = r#"
start ::= item {';' item};
item ::= list | word | text | pairs | number;
list ::= '[' [item {',' item}] ']';
word ::= #'[a-z]{1,200}';
text ::= '"' (#'[^"\\\\]' | '\\' #'["\\\\n]'){0,300} '"';
pairs ::= '{' (#'[a-z]+' ':' item ';'){1,40} '}';
number ::= #'[0-9]{1,12}' ['.' #'[0-9]{1,6}'];
"#;

/// Tokens of an output at most: of that grammar, and of the fixtures.
const LONG: usize = 100_000;
const SHORT: usize = 2_000;

/// Tokens between two looks at whether time is over.
const STEP: usize = 64;

/// The masks are compared once in so many tokens, as those with little room take most of the time.
const EVERY: usize = 32;

/// How many outputs in a row have the same grammar, so that threads meet in its tables. At its next turn it is compiled again.
const TOGETHER: u64 = 2;

/// What tables may hold in bytes: enough for a while, and too little.
const RICH: usize = 8 << 20;
const POOR: usize = 1 << 20;

/// What all grammars share may hold in bytes: little enough to be full before memory is judged, and to be given up many times in an hour.
const SHARED: usize = 32 << 20;

/// The grammars, shared by all threads.
pub struct Outputs {
    vocabulary: Vocabulary,
    cases: Vec<Case>,
    next: AtomicU64,
    /// How many were begun, how many masks were compared, and how long the longest output is.
    begun: AtomicUsize,
    masks: AtomicUsize,
    longest: AtomicUsize,
    slowest: Mutex<(Duration, String)>,
}

struct Case {
    name: String,
    text: String,
    tokens: usize,
    kept: Kept<[Grammar; 2]>,
}

/// An output of one thread.
pub struct Output {
    /// What it can be run again by.
    pub number: u64,
    name: String,
    rng: Rng,
    rich: Matcher,
    poor: Matcher,
    /// Where masks are written.
    row: Vec<u32>,
    /// How many tokens it shall have.
    length: usize,
    /// How many were picked, those that were taken back included.
    picked: usize,
}

impl Outputs {
    /// No output of these grammars, and of one that nests and counts.
    pub fn new(vocabulary: &Vocabulary, fixtures: &[GrammarFixture]) -> Self {
        let case = |name: &str, text: &str, tokens| Case {
            name: name.to_owned(),
            text: text.to_owned(),
            tokens,
            kept: Kept::new(),
        };
        let mut cases: Vec<Case> =
            fixtures.iter().map(|fixture| case(&fixture.name, &fixture.grammar, SHORT)).collect();
        cases.push(case("nests and counts", NESTS_AND_COUNTS, LONG));
        let lexicon = LexiconConfig { budget: SHARED, ..LexiconConfig::default() };
        Self {
            vocabulary: vocabulary.with_lexicon(&lexicon),
            cases,
            next: AtomicU64::new(0),
            begun: AtomicUsize::new(0),
            masks: AtomicUsize::new(0),
            longest: AtomicUsize::new(0),
            slowest: Mutex::new((Duration::ZERO, "none".to_owned())),
        }
    }

    /// The number of an output that nobody has begun.
    pub fn next(&self) -> u64 {
        self.next.fetch_add(1, Relaxed)
    }

    /// Whether every grammar has had its turn, so that from now on some are given up when others come.
    pub fn is_warm(&self) -> bool {
        self.next.load(Relaxed) >= self.cases.len() as u64 * TOGETHER
    }

    /// Begins an output.
    ///
    /// # Errors
    /// When its grammar does not compile.
    pub fn begin(&self, number: u64) -> Result<Output, String> {
        let turn = number / TOGETHER;
        let count = self.cases.len() as u64;
        let case = &self.cases[(turn % count) as usize];
        let grammars =
            case.kept.get(turn / count, || Ok([self.compile(case, RICH)?, self.compile(case, POOR)?]))?;
        self.begun.fetch_add(1, Relaxed);
        Ok(Output {
            number,
            name: case.name.clone(),
            rng: Rng::new(number),
            rich: grammars[0].matcher(),
            poor: grammars[1].matcher(),
            row: vec![u32::MAX; self.vocabulary.mask_words()],
            length: case.tokens,
            picked: 0,
        })
    }

    fn compile(&self, case: &Case, budget: usize) -> Result<Grammar, String> {
        let mut config = Config::default();
        config.recognizer.budget = budget;
        config.masks.budget = budget;
        Grammar::compile(&case.text, &self.vocabulary, &config)
            .map_err(|error| format!("{}: {error}", case.name))
    }

    /// Some tokens more; whether the output goes on.
    ///
    /// # Errors
    /// When the two disagree, or one with its own mask.
    pub fn go_on(&self, output: &mut Output) -> Result<bool, String> {
        watch::note(output.name.clone());
        for _ in 0..STEP {
            if output.rich.len() >= output.length {
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
        let (rich, poor, rng) = (&mut output.rich, &mut output.poor, &mut output.rng);
        // What a server asks for, and what a single caller does: neither may depend on whether the other came first.
        let is_row_first = rng.chance(1, 2);
        if is_row_first {
            fill(rich, &mut output.row)?;
        }
        let since = Instant::now();
        rich.mask();
        self.note_time(since.elapsed(), &output.name);
        if !is_row_first {
            fill(rich, &mut output.row)?;
        }
        let mask = rich.mask();
        if mask.as_words() != output.row {
            return Err(format!("the mask is {mask}, and the row is another one"));
        }
        if output.picked.is_multiple_of(EVERY) {
            let others = poor.mask();
            if mask.as_words() != others.as_words() {
                return Err(format!("masks differ: {mask} and {others}"));
            }
            self.masks.fetch_add(1, Relaxed);
        }
        let Some(token) = pick(rng, mask) else {
            return match rich.error() {
                Some(error) => Err(error.to_string()),
                None => Ok(false),
            };
        };
        let other = TokenId(rng.below(vocabulary.id_count()) as u32);
        let is_allowed = mask.allows(other);
        if (rich.validate(&[other]) == 1) != is_allowed {
            return Err(format!("token {other} is allowed: {is_allowed}, but not when it comes"));
        }
        let outcomes = (rich.accept(token), poor.accept(token));
        if outcomes.0 != outcomes.1 || !outcomes.0.is_accepted() {
            return Err(format!("token {token} is allowed, and then {} and {}", outcomes.0, outcomes.1));
        }
        self.longest.fetch_max(rich.len(), Relaxed);
        if rng.chance(1, 2_048) {
            let back = rng.below(rich.len() + 1).min(20);
            if rich.rollback(back).is_err() || poor.rollback(back).is_err() {
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
            "{} masks of {} outputs are the same with much and with little room; the longest has {} tokens",
            self.masks(),
            self.begun.load(Relaxed),
            self.longest.load(Relaxed)
        )
    }

    /// The slowest mask of those with much room, for which grammar it was, and how many tokens there are.
    pub fn slowest_mask(&self) -> (Duration, String, usize) {
        let (time, name) = lock(&self.slowest).clone();
        (time, name, self.vocabulary.id_count())
    }
}

impl Output {
    fn about(&self, what: &str) -> String {
        let text = self.rich.text();
        let end = &text[text.len().saturating_sub(200)..];
        format!(
            "{what}\n{} after {} tokens, which end in {:?}",
            self.name,
            self.rich.len(),
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

//! The random actions of one thread.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use grammask::json_schema::Profile;
use grammask::{CancelFlag, Config, Error, Grammar, LexiconConfig, Vocabulary};
use grammask_testkit::random::Rng;
use xtask::cases::schemas::SchemaCase;
use xtask::cases::thread_time::thread_time;

use crate::totals::Totals;

/// Maximum length of the part of a document that is followed, in bytes.
const MAX_DOCUMENT_BYTES: usize = 3_000;

/// Maximum number of bytes of one accepted text.
const MAX_STEP_BYTES: usize = 6;

/// A thread's state.
pub struct Session {
    vocabulary: Vocabulary,
    random: Rng,
    /// Flags to raise, after a time.
    flags: Sender<(CancelFlag, Duration)>,
    pub totals: Totals,
}

impl Session {
    /// Makes a session with a thread that raises its flags.
    pub fn new(vocabulary: Vocabulary, seed: u64) -> Self {
        let (flags, orders): (_, Receiver<(CancelFlag, Duration)>) = channel();
        std::thread::spawn(move || {
            for (flag, after) in orders {
                std::thread::sleep(after);
                flag.cancel();
            }
        });
        Self { vocabulary, random: Rng::new(seed), flags, totals: Totals::default() }
    }

    /// Takes a schema and a document, compiles and follows.
    pub fn next(&mut self, schemas: &[SchemaCase]) {
        let case = &schemas[self.random.below(schemas.len())];
        let mut config = Config::default().with_profile(Profile::Standard);
        if self.random.chance(1, 4) {
            let budget = self.random.below(64 << 10);
            config.recognizer.limits.budget = budget;
            config.masks.limits.budget = budget;
        }
        match self.random.below(10) {
            0 | 1 => self.cancel(case, &config),
            2 => self.lower_limits(&mut config),
            _ => {}
        }
        let vocabulary = self.vocabulary.clone();
        let Some(grammar) = self.compile(case, &vocabulary, &config) else { return };
        let other = self.random.chance(1, 3).then(|| {
            let fresh = self.random.chance(1, 8);
            let vocabulary =
                if fresh { vocabulary.with_lexicon(&LexiconConfig::default()) } else { vocabulary.clone() };
            self.compile(case, &vocabulary, &Config::default().with_profile(Profile::Standard))
        });
        let other = other.flatten();
        for _ in 0..1 + self.random.below(2) {
            if let Some(document) = case.documents.get(self.random.below(case.documents.len().max(1))) {
                self.follow(case, &grammar, other.as_ref(), document);
            }
        }
    }

    /// Compiles with a flag that is raised soon.
    fn cancel(&mut self, case: &SchemaCase, config: &Config) {
        let flag = CancelFlag::new();
        let after = Duration::from_micros(self.random.below(6_000) as u64);
        let config = Config { cancel: Some(flag.clone()), ..config.clone() };
        let _ = self.flags.send((flag, after));
        let vocabulary = self.vocabulary.clone();
        self.compile(case, &vocabulary, &config);
    }

    /// Lowers one limit at random.
    fn lower_limits(&mut self, config: &mut Config) {
        let low = 1 << self.random.below(20);
        match self.random.below(6) {
            0 => config.limits.max_compile_work = low as u64,
            1 => config.masks.limits.max_mask_work = low as u64,
            2 => config.masks.limits.max_step_work = low as u64,
            3 => config.recognizer.limits.max_items_per_set = low,
            4 => config.normal.regular.memory = low,
            _ => config.json_schema.limits.max_work = low as u64,
        }
    }

    fn compile(&mut self, case: &SchemaCase, vocabulary: &Vocabulary, config: &Config) -> Option<Grammar> {
        let start = thread_time();
        let compiled = Grammar::from_json_schema_text(&case.schema, vocabulary, config);
        self.totals.compiles.record(thread_time() - start, || case.name.clone());
        compiled.map_err(|error: Error| self.count(&error)).ok()
    }

    fn count(&mut self, error: &Error) {
        match error.is_cancelled() {
            true => self.totals.cancelled += 1,
            false => self.totals.refused += 1,
        }
    }

    /// Follows a document in texts of random lengths, with a mask before each.
    fn follow(&mut self, case: &SchemaCase, grammar: &Grammar, other: Option<&Grammar>, document: &str) {
        self.totals.documents += 1;
        let mut matcher = grammar.matcher();
        let mut other = other.map(Grammar::matcher);
        let words = grammar.vocabulary().mask_words();
        let (mut row, mut second) = (vec![0; words], vec![0; words]);
        let mut rest = &document.as_bytes()[..document.len().min(MAX_DOCUMENT_BYTES)];
        while !rest.is_empty() {
            let place = || format!("{} after {} bytes", case.name, document.len() - rest.len());
            let start = thread_time();
            matcher.fill_mask(&mut row).expect("a row of the vocabulary's length");
            self.totals.masks.record(thread_time() - start, place);
            self.totals.stopped += u64::from(matcher.error().is_some());
            if let Some(other) = other.as_mut().filter(|_| matcher.error().is_none()) {
                other.fill_mask(&mut second).expect("a row of the vocabulary's length");
                if other.error().is_none() {
                    self.totals.compared += 1;
                    if row != second {
                        self.totals.differences.push(place());
                        return;
                    }
                }
            }
            let (text, next) = rest.split_at(rest.len().min(1 + self.random.below(MAX_STEP_BYTES)));
            let start = thread_time();
            let is_accepted = matcher.accept_bytes(text).is_accepted();
            self.totals.accepts.record(thread_time() - start, place);
            self.totals.stopped += u64::from(matcher.error().is_some());
            if !is_accepted {
                return;
            }
            rest = next;
            // The other matcher may meet a limit.
            other = other.and_then(|mut other| other.accept_bytes(text).is_accepted().then_some(other));
        }
        if self.random.chance(1, 2) {
            let _ = matcher.rollback(self.random.below(matcher.len() + 1));
            matcher.fill_mask(&mut row).expect("a row of the vocabulary's length");
        }
    }
}

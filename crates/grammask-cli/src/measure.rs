//! Measures the time of every mask and every accepted token along a text, in several passes.

use std::time::{Duration, Instant};

use grammask::{
    CancelFlag, Config, Grammar, GrammarStats, LexiconConfig, LexiconStats, Matcher, TokenId, Vocabulary,
};

use crate::command::mask::check_limit;
use crate::failure::Failure;
use crate::input::source::Source;
use crate::output::progress::Progress;
use crate::timing::Times;

/// All times of `grammask bench`, each kind over all passes.
#[derive(Default)]
pub(crate) struct Measurement {
    /// Times of compiling, from the text of the grammar to the first matcher.
    pub compile: Times,
    /// Times of new masks, with a new grammar and a new vocabulary.
    pub first_new: Times,
    /// Times of new masks, with a new grammar and a vocabulary that a grammar with the same lexemes has used.
    pub first: Times,
    /// Times of cached masks, returned by reference.
    pub known: Times,
    /// Times of cached masks, copied to a row.
    pub written: Times,
    /// Times of accepting tokens with a new grammar, without the time of new masks.
    pub accept_fresh: Times,
    /// Times of accepting tokens when everything is cached.
    pub accept_known: Times,
    /// By number of tokens before the mask: the least time of a new mask with a used vocabulary. `None` if no
    /// pass computed one there.
    pub best: Vec<Option<u64>>,
    /// Size and work of the grammar after the text, with a new vocabulary.
    pub grammar: GrammarStats,
    /// Size and work of the vocabulary after the same run.
    pub lexicon: LexiconStats,
    /// Nanoseconds of reading the clock, which every time includes.
    pub clock: u64,
    /// The pass that Ctrl-C ended.
    pub interrupted: Option<usize>,
}

/// The input of a measurement.
pub(crate) struct Plan<'a> {
    pub source: &'a Source,
    pub vocabulary: &'a Vocabulary,
    pub config: &'a Config,
    pub tokens: &'a [TokenId],
    pub passes: usize,
    /// Set by Ctrl-C. The measurement ends with the times so far.
    pub interrupt: &'a CancelFlag,
}

impl Plan<'_> {
    /// Runs all passes. The grammar must accept the tokens, at least as a live prefix.
    pub(crate) fn measure(&self) -> Result<Measurement, Failure> {
        let mut all = Measurement { clock: clock(), ..Measurement::default() };
        all.best.resize(self.tokens.len() + 1, None);
        let mut progress = Progress::new();
        for pass in 1..=self.passes {
            // Start each pass with empty caches.
            let vocabulary = self.vocabulary.with_lexicon(&LexiconConfig::default());
            let mut follow = |matcher: &mut Matcher, what, row: Option<&mut [u32]>| {
                let message = |percent| format!("pass {pass} of {}, {what}: {percent} %", self.passes);
                self.follow(matcher, row, |percent| progress.update(message(percent)))
            };
            let grammar = self.compile(&vocabulary, &mut all.compile)?;
            let fresh = follow(&mut grammar.matcher(), "new vocabulary", None)?;
            all.first_new.extend(fresh.iter().filter_map(|step| step.first_visit));
            (all.grammar, all.lexicon) = (grammar.stats(), vocabulary.stats());

            let grammar = self.compile(&vocabulary, &mut all.compile)?;
            let fresh = follow(&mut grammar.matcher(), "new grammar", None)?;
            for (best, step) in all.best.iter_mut().zip(&fresh) {
                if let Some(time) = step.first_visit {
                    all.first.push(time);
                    let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
                    *best = Some(best.map_or(time, |least| least.min(time)));
                }
            }
            all.accept_fresh.extend(fresh.iter().filter_map(|step| step.accept));

            let known = follow(&mut grammar.matcher(), "cached masks", None)?;
            all.known.extend(known.iter().filter(|step| step.first_visit.is_none()).map(|step| step.mask));
            all.accept_known.extend(known.iter().filter_map(|step| step.accept));

            let mut row = vec![0; vocabulary.mask_words()];
            let written = follow(&mut grammar.matcher(), "cached masks", Some(&mut row))?;
            all.written
                .extend(written.iter().filter(|step| step.first_visit.is_none()).map(|step| step.mask));
            if self.interrupt.is_cancelled() {
                all.interrupted = Some(pass);
                break;
            }
        }
        Ok(all)
    }

    /// Compiles a new grammar, and adds the time.
    pub(crate) fn compile(&self, vocabulary: &Vocabulary, times: &mut Times) -> Result<Grammar, Failure> {
        let started = Instant::now();
        let ast = self.source.parse(self.config)?;
        let grammar = Grammar::from_ast(&ast, vocabulary, self.config);
        times.push(started.elapsed());
        grammar.map_err(|error| self.source.failure(&error))
    }

    /// Accepts the tokens, and asks for the mask before each of them and at the end. Calls `report` with the
    /// percentage of the text.
    fn follow(
        &self,
        matcher: &mut Matcher,
        mut row: Option<&mut [u32]>,
        mut report: impl FnMut(usize),
    ) -> Result<Vec<Step>, Failure> {
        let mut steps = Vec::with_capacity(self.tokens.len() + 1);
        // If the vocabulary lacks a byte, accepting a token computes the mask, so that time is taken from the
        // statistics.
        let mut before = matcher.stats();
        for place in 0..=self.tokens.len() {
            if self.interrupt.is_cancelled() {
                break;
            }
            let started = Instant::now();
            match &mut row {
                None => drop(std::hint::black_box(matcher.mask())),
                Some(row) => matcher.fill_mask(row).map_err(|error| Failure::other(error.to_string()))?,
            }
            let mask = started.elapsed();
            check_limit(matcher)?;
            let now = matcher.stats();
            let first_visit =
                (now.computed > before.computed).then(|| now.compute_time - before.compute_time);
            before = now;
            let mut accept = None;
            if let Some(&token) = self.tokens.get(place) {
                let started = Instant::now();
                let outcome = matcher.accept(token);
                let time = started.elapsed();
                if !outcome.is_accepted() {
                    check_limit(matcher)?;
                    return Err(Failure::other(format!("{token} is {outcome}, but was accepted before")));
                }
                accept = Some(time.saturating_sub(matcher.stats().compute_time - before.compute_time));
            }
            steps.push(Step { mask, first_visit, accept });
            report(100 * place / self.tokens.len().max(1));
        }
        Ok(steps)
    }
}

/// The times of one token of the text.
struct Step {
    mask: Duration,
    /// Time of computing the mask. `None` if it was cached.
    first_visit: Option<Duration>,
    /// Time of accepting the token. `None` at the end of the text.
    accept: Option<Duration>,
}

/// Returns the median time of reading the clock, in nanoseconds.
fn clock() -> u64 {
    let mut times = Times::default();
    for _ in 0..1000 {
        let started = Instant::now();
        times.push(started.elapsed());
    }
    times.summary().p50
}

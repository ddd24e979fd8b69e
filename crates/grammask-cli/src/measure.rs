//! Following a text under a grammar again and again, and taking the time of every step.

use std::time::{Duration, Instant};

use grammask::{Config, Grammar, GrammarStats, LexiconConfig, LexiconStats, Matcher, TokenId, Vocabulary};

use crate::command::mask::check_limit;
use crate::failure::Failure;
use crate::input::source::Source;
use crate::output::progress::Progress;
use crate::timing::Times;

/// All times of a bench, each kind over all passes.
#[derive(Default)]
pub(crate) struct Measurement {
    /// From the grammar's text to the first matcher.
    pub compile: Times,
    /// First visits of a fresh grammar whose vocabulary no grammar has used before.
    pub first_new: Times,
    /// The same where a grammar with the same lexemes has been there.
    pub first: Times,
    /// Masks by reference, all of them seen before.
    pub known: Times,
    /// The same, copied to a row.
    pub written: Times,
    /// Tokens accepted by a fresh grammar, first visits of masks not included.
    pub accept_fresh: Times,
    /// Tokens accepted where everything was seen before.
    pub accept_known: Times,
    /// By place in the text, counted in tokens: the least time of a first visit with a used vocabulary.
    pub best: Vec<Option<u64>>,
    /// What the grammar holds after one text, and what it took with a fresh vocabulary.
    pub grammar: GrammarStats,
    /// What the vocabulary holds then.
    pub lexicon: LexiconStats,
    /// Nanoseconds that taking a time takes.
    pub clock: u64,
}

/// What is followed, and how often.
pub(crate) struct Plan<'a> {
    pub source: &'a Source,
    pub vocabulary: &'a Vocabulary,
    pub config: &'a Config,
    pub tokens: &'a [TokenId],
    pub passes: usize,
}

impl Plan<'_> {
    /// Runs all passes. The text must be one that the grammar takes.
    pub(crate) fn measure(&self) -> Result<Measurement, Failure> {
        let mut all = Measurement { clock: clock(), ..Measurement::default() };
        all.best.resize(self.tokens.len() + 1, None);
        let mut progress = Progress::new();
        for pass in 1..=self.passes {
            // Nothing of what an earlier pass found is known.
            let vocabulary = self.vocabulary.with_lexicon(&LexiconConfig::default());
            let mut follow = |matcher: &mut Matcher, what, row: Option<&mut [u32]>| {
                let news = |part| format!("pass {pass} of {}, {what}: {part} %", self.passes);
                self.follow(matcher, row, |part| progress.tell(news(part)))
            };
            let grammar = self.compile(&vocabulary, &mut all.compile)?;
            let fresh = follow(&mut grammar.matcher(), "new vocabulary", None)?;
            all.first_new.extend(fresh.iter().filter_map(|step| step.first_visit));
            (all.grammar, all.lexicon) = (grammar.stats(), vocabulary.stats());

            let grammar = self.compile(&vocabulary, &mut all.compile)?;
            let fresh = follow(&mut grammar.matcher(), "fresh grammar", None)?;
            for (best, step) in all.best.iter_mut().zip(&fresh) {
                if let Some(time) = step.first_visit {
                    all.first.push(time);
                    let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
                    *best = Some(best.map_or(time, |least| least.min(time)));
                }
            }
            all.accept_fresh.extend(fresh.iter().filter_map(|step| step.accept));

            let known = follow(&mut grammar.matcher(), "known masks", None)?;
            all.known.extend(known.iter().filter(|step| step.first_visit.is_none()).map(|step| step.mask));
            all.accept_known.extend(known.iter().filter_map(|step| step.accept));

            let mut row = vec![0; vocabulary.mask_words()];
            let written = follow(&mut grammar.matcher(), "known masks", Some(&mut row))?;
            all.written
                .extend(written.iter().filter(|step| step.first_visit.is_none()).map(|step| step.mask));
        }
        Ok(all)
    }

    /// A fresh grammar.
    pub(crate) fn compile(&self, vocabulary: &Vocabulary, times: &mut Times) -> Result<Grammar, Failure> {
        let started = Instant::now();
        let ast = self.source.parse(self.config)?;
        let grammar = Grammar::from_ast(&ast, vocabulary, self.config);
        times.push(started.elapsed());
        grammar.map_err(|error| self.source.failure(&error))
    }

    /// Follows the text; asks for the mask before each token and at the end.
    fn follow(
        &self,
        matcher: &mut Matcher,
        mut row: Option<&mut [u32]>,
        mut tell: impl FnMut(usize),
    ) -> Result<Vec<Step>, Failure> {
        let mut steps = Vec::with_capacity(self.tokens.len() + 1);
        // A vocabulary that does not have every byte has its masks computed when a token is accepted.
        let mut before = matcher.stats();
        for place in 0..=self.tokens.len() {
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
            tell(100 * place / self.tokens.len().max(1));
        }
        Ok(steps)
    }
}

/// What one token of the text took.
struct Step {
    mask: Duration,
    /// What computing the mask took, if it was not known.
    first_visit: Option<Duration>,
    /// None at the end.
    accept: Option<Duration>,
}

/// Nanoseconds between two looks at the clock.
fn clock() -> u64 {
    let mut times = Times::default();
    for _ in 0..1000 {
        let started = Instant::now();
        times.push(started.elapsed());
    }
    times.summary().p50
}

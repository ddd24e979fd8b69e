//! Runs one engine on one case: rounds with fresh grammars, then passes over the text with known states.

use std::hash::Hasher;
use std::time::{Duration, Instant};

use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::input::case::Case;
use crate::input::vocabulary::Words;
use crate::run::machine;
use crate::run::timing::{sample, wall};

/// A byte that no text contains. See the engine `kbnf`.
pub const SENTINEL: u8 = 3;

/// Measurements. All times are in nanoseconds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Measurement {
    /// Number of tokens of the text.
    pub tokens: usize,
    /// Times to compile.
    pub compile: Vec<u64>,
    /// Times to compile and compute the first mask.
    pub starts: Vec<u64>,
    /// Times of masks on a grammar's first pass over the text, for each round.
    pub first_masks: Vec<Vec<u64>>,
    /// Times to accept tokens on these passes.
    pub first_accepts: Vec<Vec<u64>>,
    /// Times of masks on later passes.
    pub known_masks: Vec<Vec<u64>>,
    /// Times to accept tokens on later passes.
    pub known_accepts: Vec<Vec<u64>>,
    /// For each mask of the first pass: the number of allowed tokens, and a hash of them.
    pub masks: Vec<(u32, u64)>,
    /// Number of masks of the first pass that forbid the token of the text.
    pub refusals: usize,
    /// Bytes of the grammar's tables. `None` if the engine does not say.
    pub table_bytes: Option<usize>,
    /// Growth of the process since before the grammar was compiled, in bytes.
    pub growth: Option<u64>,
    /// Reason and position of an early end.
    pub end: Option<String>,
    /// Remark for the report.
    pub note: Option<String>,
}

impl Measurement {
    /// Adds the times of a later turn, and its end. Other facts are the same in each turn, and the growth is
    /// that of the first.
    pub fn extend(&mut self, more: Self) {
        if self.tokens == 0 {
            *self = more;
            return;
        }
        self.compile.extend(more.compile);
        self.starts.extend(more.starts);
        self.first_masks.extend(more.first_masks);
        self.first_accepts.extend(more.first_accepts);
        self.known_masks.extend(more.known_masks);
        self.known_accepts.extend(more.known_accepts);
        self.end = more.end;
    }

    /// Removes all times.
    fn forget_times(&mut self) {
        let Self { compile, starts, first_masks, first_accepts, .. } = self;
        [compile, starts].into_iter().for_each(Vec::clear);
        [first_masks, first_accepts].into_iter().for_each(Vec::clear);
    }
}

/// Amount of work.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Number of fresh grammars whose times do not count, as a new process first has to request memory.
    pub warmups: usize,
    /// Number of fresh grammars.
    pub rounds: usize,
    /// Number of passes over the text with a known grammar.
    pub passes: usize,
    /// Minimum number of compiles, as long as they are fast.
    pub compiles: usize,
    /// Time after which the run ends.
    pub limit: Duration,
}

/// One engine on one case.
pub struct Run<'a> {
    engine: Box<dyn Engine>,
    has_threads: bool,
    case: &'a Case,
    words: &'a Words,
    tokens: Vec<u32>,
    /// Tokens that are compared between engines. Special tokens, tokens with the sentinel, and tokens that
    /// are not UTF-8 are left out, as some engines never allow them.
    comparable: Vec<u32>,
    row: Vec<u32>,
    begin: Instant,
    effort: Effort,
    result: Measurement,
    told: Instant,
}

/// Kind of a pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// The pass of the first round, whose masks are hashed.
    First,
    Fresh,
    Known,
}

impl<'a> Run<'a> {
    /// Prepares a run.
    ///
    /// # Errors
    /// If no token begins with a byte of the text.
    pub fn new(
        engine: Box<dyn Engine>,
        case: &'a Case,
        words: &'a Words,
        effort: Effort,
    ) -> anyhow::Result<Self> {
        let mut comparable = vec![0; words.id_count().div_ceil(32)];
        for (id, bytes) in &words.tokens {
            if !bytes.contains(&SENTINEL) && std::str::from_utf8(bytes).is_ok() {
                comparable[*id as usize / 32] |= 1 << (id % 32);
            }
        }
        let tokens = words.encode(&case.text)?;
        let row = vec![0; comparable.len()];
        let result = Measurement { tokens: tokens.len(), ..Measurement::default() };
        let now = Instant::now();
        let has_threads = engine.has_threads();
        Ok(Self {
            engine,
            has_threads,
            case,
            words,
            tokens,
            comparable,
            row,
            begin: now,
            effort,
            result,
            told: now,
        })
    }

    /// Runs, and reports intermediate results. Errors are part of the result.
    pub fn run(mut self, mut tell: impl FnMut(&Measurement)) -> Measurement {
        self.begin = Instant::now();
        if let Err(end) = self.rounds(&mut tell) {
            self.result.end = Some(end);
        }
        self.result.note = self.engine.note();
        self.result
    }

    /// Runs one more round with a fresh grammar. Returns the times of the masks.
    ///
    /// # Errors
    /// If the grammar refuses its text, or the time is over.
    pub fn round(&mut self) -> Result<Vec<u64>, String> {
        self.engine.prepare(self.case, &self.tokens)?;
        self.compile()?;
        self.pass(Pass::Fresh, &mut |_| ())?;
        Ok(self.result.first_masks.pop().unwrap_or_default())
    }

    fn rounds(&mut self, tell: &mut dyn FnMut(&Measurement)) -> Result<(), String> {
        let mut before = None;
        for round in 0..self.effort.warmups + self.effort.rounds {
            self.engine.prepare(self.case, &self.tokens)?;
            if round == 0 {
                before = machine::memory();
            }
            self.compile()?;
            self.pass(if round == 0 { Pass::First } else { Pass::Fresh }, tell)?;
            if round == 0 {
                self.result.table_bytes = self.engine.table_bytes();
                let after = machine::memory();
                self.result.growth = after.zip(before).map(|(after, before)| after.saturating_sub(before));
            }
            if round < self.effort.warmups {
                self.result.forget_times();
            }
        }
        for _ in 0..self.effort.passes {
            self.engine.restart()?;
            self.pass(Pass::Known, tell)?;
        }
        // Fast compiles are repeated, as a median needs samples.
        while self.result.compile.len() < self.effort.compiles
            && self.result.starts.iter().sum::<u64>() < 500_000_000
        {
            self.engine.prepare(self.case, &self.tokens)?;
            self.compile()?;
            let (masked, time) = self.mask();
            masked?;
            self.result.starts.extend(self.result.compile.last().map(|compile| compile + time));
        }
        Ok(())
    }

    fn compile(&mut self) -> Result<(), String> {
        let (compiled, time) =
            if self.has_threads { wall(|| self.engine.compile()) } else { sample(|| self.engine.compile()) };
        compiled.map_err(|error| format!("does not compile: {error}"))?;
        self.result.compile.push(time);
        Ok(())
    }

    fn pass(&mut self, pass: Pass, tell: &mut dyn FnMut(&Measurement)) -> Result<(), String> {
        let is_known = pass == Pass::Known;
        let result = &mut self.result;
        let (masks, accepts) = if is_known {
            (&mut result.known_masks, &mut result.known_accepts)
        } else {
            (&mut result.first_masks, &mut result.first_accepts)
        };
        masks.push(Vec::new());
        accepts.push(Vec::new());
        for place in 0..self.tokens.len() {
            let token = self.tokens[place];
            let (masked, time) = self.mask();
            masked.map_err(|error| format!("no mask for token {place}, {}: {error}", self.near(place)))?;
            let result = &mut self.result;
            let masks = if is_known { &mut result.known_masks } else { &mut result.first_masks };
            masks.last_mut().into_iter().for_each(|pass| pass.push(time));
            if place == 0 && !is_known {
                result.starts.extend(result.compile.last().map(|compile| compile + time));
            }
            if pass == Pass::First {
                self.look_at_mask(token);
            }
            let (accepted, time) = if self.has_threads {
                wall(|| self.engine.accept(token))
            } else {
                sample(|| self.engine.accept(token))
            };
            accepted.map_err(|error| format!("refuses token {place}, {}: {error}", self.near(place)))?;
            let result = &mut self.result;
            let accepts = if is_known { &mut result.known_accepts } else { &mut result.first_accepts };
            accepts.last_mut().into_iter().for_each(|pass| pass.push(time));
            self.check_limit(tell)?;
        }
        Ok(())
    }

    fn mask(&mut self) -> (Result<(), String>, u64) {
        let Self { engine, row, .. } = self;
        if self.has_threads { wall(|| engine.mask(row)) } else { sample(|| engine.mask(row)) }
    }

    /// Returns the end of the text before a token.
    fn near(&self, place: usize) -> String {
        let before: Vec<u8> =
            self.tokens[..place].iter().flat_map(|token| self.words.bytes(*token)).copied().collect();
        let tail = &before[before.len().saturating_sub(24)..];
        format!("after {:?}", String::from_utf8_lossy(tail))
    }

    fn look_at_mask(&mut self, token: u32) {
        if self.row[token as usize / 32] & (1 << (token % 32)) == 0 {
            self.result.refusals += 1;
        }
        let mut hasher = FxHasher::default();
        let mut count = 0;
        for (word, comparable) in self.row.iter().zip(&self.comparable) {
            hasher.write_u32(word & comparable);
            count += (word & comparable).count_ones();
        }
        self.result.masks.push((count, hasher.finish()));
    }

    fn check_limit(&mut self, tell: &mut dyn FnMut(&Measurement)) -> Result<(), String> {
        // Rarely, so that reports do not disturb the measurement.
        if self.told.elapsed() > Duration::from_secs(1) {
            tell(&self.result);
            self.told = Instant::now();
        }
        if self.begin.elapsed() > self.effort.limit {
            return Err(format!("cut after {} s", self.effort.limit.as_secs()));
        }
        Ok(())
    }
}

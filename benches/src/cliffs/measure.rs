//! The costs of one input: compiling, masks and accepted tokens along a random output, memory.

use grammask::work::spent;
use grammask::{Config, Grammar, Matcher, TokenId, Vocabulary};

use super::Input;
use crate::engine::grammask::unused;
use crate::input::random::Random;
use crate::run::timing::sample;

/// Tokens of an output.
const MAX_TOKENS: usize = 48;

/// Work and time of one call, or the greatest of several.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Units of the account of the call.
    pub units: u64,
    /// Nanoseconds.
    pub time: u64,
}

impl Cost {
    fn keep_worst(&mut self, other: Self) {
        self.units = self.units.max(other.units);
        self.time = self.time.max(other.time);
    }
}

/// Result of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It compiled.
    Compiled,
    /// It was refused, with the message.
    Refused(String),
}

/// The costs of an input.
#[derive(Clone, Debug)]
pub struct Costs {
    /// Compiling or refusing.
    pub compile: Cost,
    /// The first mask.
    pub first_mask: Cost,
    /// The worst mask.
    pub mask: Cost,
    /// The worst accepted token.
    pub accept: Cost,
    /// Bytes of the tables of the grammar and of the vocabulary.
    pub bytes: u64,
    /// The bytes of the output.
    pub output: Vec<u8>,
    /// The result of compiling.
    pub outcome: Outcome,
}

/// A number by which inputs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Units of compiling.
    Compile,
    /// Units of the first mask.
    FirstMask,
    /// Units of the worst mask.
    Mask,
    /// Units of the worst accepted token.
    Accept,
    /// Nanoseconds of compiling.
    CompileTime,
    /// Nanoseconds of the worst mask.
    MaskTime,
    /// Bytes of tables.
    Bytes,
}

impl Measure {
    /// All measures.
    pub const ALL: [Self; 7] = [
        Self::Compile,
        Self::FirstMask,
        Self::Mask,
        Self::Accept,
        Self::CompileTime,
        Self::MaskTime,
        Self::Bytes,
    ];

    /// Returns the number.
    pub fn of(self, costs: &Costs) -> u64 {
        match self {
            Self::Compile => costs.compile.units,
            Self::FirstMask => costs.first_mask.units,
            Self::Mask => costs.mask.units,
            Self::Accept => costs.accept.units,
            Self::CompileTime => costs.compile.time,
            Self::MaskTime => costs.mask.time,
            Self::Bytes => costs.bytes,
        }
    }

    /// Returns the time of the call that is measured, in nanoseconds.
    pub fn time(self, costs: &Costs) -> u64 {
        match self {
            Self::Compile | Self::CompileTime | Self::Bytes => costs.compile.time,
            Self::FirstMask => costs.first_mask.time,
            Self::Mask | Self::MaskTime => costs.mask.time,
            Self::Accept => costs.accept.time,
        }
    }

    /// Returns the heading of its table.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Compile => "Work of compiling, in units",
            Self::FirstMask => "Work of the first mask, in units",
            Self::Mask => "Work of the worst mask, in units",
            Self::Accept => "Work of the worst accepted token, in units",
            Self::CompileTime => "Time of compiling, in nanoseconds",
            Self::MaskTime => "Time of the worst mask, in nanoseconds",
            Self::Bytes => "Memory of all tables, in bytes",
        }
    }

    /// Returns a name for files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compile => "compile",
            Self::FirstMask => "first-mask",
            Self::Mask => "mask",
            Self::Accept => "accept",
            Self::CompileTime => "compile-time",
            Self::MaskTime => "mask-time",
            Self::Bytes => "bytes",
        }
    }
}

/// Compiles an input for a vocabulary with empty tables, and follows a random output. Equal arguments have
/// equal costs, but for the times.
pub fn measure(input: &Input, seed: u64, vocabulary: &Vocabulary, config: &Config) -> Costs {
    let vocabulary = unused(vocabulary);
    let mut costs = Costs {
        compile: Cost::default(),
        first_mask: Cost::default(),
        mask: Cost::default(),
        accept: Cost::default(),
        bytes: 0,
        output: Vec::new(),
        outcome: Outcome::Compiled,
    };
    let text = input.text();
    let (compiled, cost) = cost(|| match input {
        Input::Schema(_) => Grammar::from_json_schema_text(&text, &vocabulary, config),
        Input::Kbnf(_) => Grammar::compile(&text, &vocabulary, config),
    });
    costs.compile = cost;
    match compiled {
        Ok(grammar) => {
            follow(&mut grammar.matcher(), seed, &mut costs);
            costs.bytes = (grammar.stats().tables.bytes + vocabulary.stats().bytes) as u64;
        }
        Err(error) => costs.outcome = Outcome::Refused(error.to_string()),
    }
    costs
}

/// Follows a random output up to its end, a limit, or [`MAX_TOKENS`] tokens.
fn follow(matcher: &mut Matcher, seed: u64, costs: &mut Costs) {
    let mut random = Random::new(seed);
    for place in 0..MAX_TOKENS {
        let (count, of_mask) = cost(|| matcher.mask().count());
        if place == 0 {
            costs.first_mask = of_mask;
        }
        costs.mask.keep_worst(of_mask);
        if count == 0 || matcher.error().is_some() {
            return;
        }
        let index = random.below(count);
        let Some(token) = matcher.mask().iter().nth(index) else { return };
        let bytes = matcher.grammar().vocabulary().bytes(TokenId(token.0)).map(<[u8]>::to_vec);
        // The end, or another special token.
        let Some(bytes) = bytes else { return };
        let (outcome, of_token) = cost(|| matcher.accept(token));
        costs.accept.keep_worst(of_token);
        if !outcome.is_accepted() {
            return;
        }
        costs.output.extend(bytes);
    }
}

/// Returns the result of a call, its work and its time.
fn cost<T>(call: impl FnOnce() -> T) -> (T, Cost) {
    let before = spent();
    let (result, time) = sample(call);
    (result, Cost { units: spent() - before, time })
}

//! `grammask bench`: measures the time of masks along a text, and prints a table, JSON or a histogram.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;

use grammask::{Grammar, Matcher, Outcome, TokenId, Vocabulary};
use serde_json::{Value, json};

use crate::Status;
use crate::args::{Bench, ReadingArgs};
use crate::command::mask::check_limit;
use crate::failure::{Failure, Rejection};
use crate::input::source::{Source, config, read};
use crate::input::tokenize::{Cut, tokenize};
use crate::input::vocabulary;
use crate::interrupt;
use crate::measure::{Measurement, Plan};
use crate::output::histogram;
use crate::output::listing::{in_order, token_json};
use crate::output::{Output, bytes_to_json, quoted};
use crate::timing::Times;

/// Size of a text, in bytes. A larger text is an error.
const MAX_TEXT_BYTES: usize = 1 << 24;

/// Number of masks of one kind, whose times are all stored. More are an error.
const MAX_MASKS: usize = 2_000_000;

/// Number of the slowest new masks that are printed.
const MAX_SLOWEST_MASKS: usize = 5;

/// Bytes of the text that are printed before a place.
const CONTEXT_BYTES_BEFORE: usize = 32;

/// Bytes of the text that are printed after a place.
const CONTEXT_BYTES_AFTER: usize = 16;

/// Number of allowed tokens that are printed if a text is rejected.
const MAX_PRINTED_TOKENS: usize = 8;

pub(crate) fn run(arguments: &Bench, reading: &ReadingArgs, out: &mut Output) -> Result<Status, Failure> {
    let mut config = config(reading)?;
    let text = read_text(arguments)?;
    let source = Source::read(&arguments.file, reading, &config)?;
    // Report errors of the grammar before loading the vocabulary, which takes longer.
    source.parse(&config)?;
    if let Some(folder) = arguments.svg.as_deref().and_then(Path::parent)
        && !folder.as_os_str().is_empty()
        && !folder.is_dir()
    {
        return Err(Failure::other(format!("{} is not a folder", folder.display())));
    }
    let (vocabulary, ending) = vocabulary::load(&arguments.vocabulary, reading.json)?;
    let vocabulary = Vocabulary::from(vocabulary);
    config.ending = ending;
    let is_embedded = arguments.vocabulary.is_embedded();
    let (tokens, cut) = tokenize(&vocabulary, is_embedded, &text)?;
    let passes = arguments.passes as usize;
    let masks = (tokens.len() + 1).saturating_mul(passes);
    if masks > MAX_MASKS {
        return Err(Failure::other(format!(
            "more than {MAX_MASKS} masks: {passes} passes over {} tokens compute {masks}; use fewer --passes",
            tokens.len()
        )));
    }
    let interrupt = &interrupt::flag();
    let plan = Plan {
        source: &source,
        vocabulary: &vocabulary,
        config: &config,
        tokens: &tokens,
        passes,
        interrupt,
    };
    let is_complete = accept_tokens(&plan.compile(&vocabulary, &mut Times::default())?, &text, &tokens)?;
    let result = plan.measure()?;
    let report =
        Report { text: &text, vocabulary: &vocabulary, tokens: &tokens, cut, is_complete, passes, result };
    if let Some(path) = &arguments.svg {
        std::fs::write(path, report.svg(&source.name))
            .map_err(|error| Failure::other(format!("cannot write {}: {error}", path.display())))?;
    }
    if out.is_json() {
        out.json(&report.json())?;
    } else {
        out.text(report.text())?;
    }
    Ok(Status::Yes)
}

/// Reads the text from the arguments, a file or stdin.
fn read_text(arguments: &Bench) -> Result<Vec<u8>, Failure> {
    let stdin = Path::new("-");
    let path = match (&arguments.text.text, &arguments.text.text_file) {
        (Some(text), _) => return Ok(text.as_encoded_bytes().to_vec()),
        (None, file) => file.as_deref().unwrap_or(stdin),
    };
    if arguments.file == stdin && path == stdin {
        return Err(Failure::other("the grammar and the text cannot both come from stdin"));
    }
    let text = read(path, MAX_TEXT_BYTES)?;
    if text.len() > MAX_TEXT_BYTES {
        return Err(Failure::other(format!("the text has more than {MAX_TEXT_BYTES} bytes")));
    }
    Ok(text)
}

/// Accepts the text token by token. Returns true if it is complete then.
///
/// # Errors
/// Returns an error with the first byte that cannot follow, and the tokens that are allowed there.
fn accept_tokens(grammar: &Grammar, text: &[u8], tokens: &[TokenId]) -> Result<bool, Failure> {
    let mut matcher = grammar.matcher();
    for &token in tokens {
        match matcher.accept(token) {
            Outcome::Rejected => {
                let at = matcher.text().len();
                return Err(rejection(&mut matcher, text, at)?);
            }
            Outcome::LimitExceeded => check_limit(&matcher)?,
            _ => {}
        }
    }
    Ok(matcher.is_complete())
}

/// Returns the error of a text that is rejected after byte `at`, which is the position of the matcher.
fn rejection(matcher: &mut Matcher, text: &[u8], mut at: usize) -> Result<Failure, Failure> {
    while text.get(at).is_some_and(|&byte| matcher.accept_bytes(&[byte]).is_accepted()) {
        at += 1;
    }
    check_limit(matcher)?;
    let grammar = matcher.grammar().clone();
    let vocabulary = grammar.vocabulary();
    let mask = matcher.mask().clone();
    check_limit(matcher)?;
    let allowed = in_order(vocabulary, mask.iter());
    let (before, after) = around(text, at);
    let mut message = format!("the text is rejected at byte {at}: {} then {}", quoted(before), quoted(after));
    match allowed.len() {
        0 => message.push_str("; no token is allowed there, because the text has ended"),
        count => {
            let _ = write!(message, "; {count} tokens are allowed there:");
            for &token in allowed.iter().take(MAX_PRINTED_TOKENS) {
                let _ = write!(message, " {}", vocabulary.display(token));
            }
            message.push_str(if count > MAX_PRINTED_TOKENS { " ..." } else { "" });
        }
    }
    let named: Value =
        allowed.iter().take(MAX_PRINTED_TOKENS).map(|&token| token_json(vocabulary, token)).collect();
    Ok(Failure::Rejected(Box::new(Rejection { at, message, count: allowed.len(), allowed: named })))
}

/// Returns a few bytes of the text before and after a place, cut between characters.
fn around(text: &[u8], at: usize) -> (&[u8], &[u8]) {
    let is_inside = |place: usize| text.get(place).is_some_and(|byte| byte & 0xc0 == 0x80);
    let mut start = at.saturating_sub(CONTEXT_BYTES_BEFORE);
    while start < at && is_inside(start) {
        start += 1;
    }
    let mut end = (at + CONTEXT_BYTES_AFTER).min(text.len());
    while end > at && is_inside(end) {
        end -= 1;
    }
    (&text[start..at], &text[at..end])
}

/// The printed result.
struct Report<'a> {
    text: &'a [u8],
    vocabulary: &'a Vocabulary,
    tokens: &'a [TokenId],
    cut: Cut,
    is_complete: bool,
    passes: usize,
    result: Measurement,
}

/// A slow new mask.
struct SlowMask<'a> {
    nanoseconds: u64,
    /// Byte offset in the text.
    at: usize,
    /// The text before the place.
    before: &'a [u8],
    /// The text after the place.
    after: &'a [u8],
}

impl Report<'_> {
    /// Returns all series of times, each with its title and its name in JSON.
    fn rows(&self) -> [(&'static str, &'static str, &Times); 7] {
        let result = &self.result;
        [
            ("compile", "compile", &result.compile),
            ("new masks, new vocabulary", "first_visit_new_vocabulary", &result.first_new),
            ("new masks, used vocabulary", "first_visit", &result.first),
            ("cached masks", "known", &result.known),
            ("cached masks, copied to a row", "known_row", &result.written),
            ("accepted tokens, new grammar", "accept_fresh", &result.accept_fresh),
            ("accepted tokens, cached", "accept_known", &result.accept_known),
        ]
    }

    /// Returns the new masks, with a used vocabulary, whose fastest pass was slowest.
    fn slowest(&self) -> Vec<SlowMask<'_>> {
        let mut visits: Vec<(u64, usize)> = Vec::new();
        let mut at = 0;
        for (place, best) in self.result.best.iter().enumerate() {
            visits.extend(best.map(|nanoseconds| (nanoseconds, at)));
            let bytes = self.tokens.get(place).and_then(|&token| self.vocabulary.bytes(token));
            at += bytes.map_or(0, <[u8]>::len);
        }
        visits.sort_by_key(|&(nanoseconds, at)| (std::cmp::Reverse(nanoseconds), at));
        let visits = visits.into_iter().take(MAX_SLOWEST_MASKS);
        let place = |(nanoseconds, at)| {
            let (before, after) = around(self.text, at);
            SlowMask { nanoseconds, at, before, after }
        };
        visits.map(place).collect()
    }

    /// Returns the result as text.
    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").expect("a text takes lines");
        let us = |nanoseconds: u64| nanoseconds as f64 / 1e3;
        let verdict = if self.is_complete { "complete" } else { "live prefix" };
        line(format_args!(
            "{} bytes, {} tokens by {}, {verdict}; {} passes; each time includes {:.2} us of reading the clock\n",
            self.text.len(),
            self.tokens.len(),
            self.cut.name(),
            self.passes,
            us(self.result.clock)
        ));
        if let Some(pass) = self.result.interrupted {
            line(format_args!("interrupted in pass {pass}: the times are those until then\n"));
        }
        line(format_args!(
            "{:<30}{:>9}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "times in us", "count", "mean", "p50", "p90", "p99", "max"
        ));
        for (title, _, times) in self.rows() {
            let summary = times.summary();
            let [mean, p50, p90, p99, max] =
                [summary.mean, summary.p50, summary.p90, summary.p99, summary.max].map(us);
            line(format_args!(
                "{title:<30}{:>9}{mean:>10.2}{p50:>10.2}{p90:>10.2}{p99:>10.2}{max:>10.2}",
                times.len()
            ));
        }
        let (tables, lexicon) = (self.result.grammar.tables, self.result.lexicon);
        line(format_args!(
            "\ngrammar: {} sets, {} origins, {} parts, {} masks, {} kB; {} walks over {} trie nodes",
            tables.sets,
            tables.origins,
            tables.summaries,
            tables.masks,
            tables.bytes.div_ceil(1000),
            tables.walks,
            tables.nodes
        ));
        line(format_args!(
            "vocabulary: {} lexeme states, {} continuations, {} parts, {} kB; {} walks over {} trie nodes, {} subtrees taken whole",
            lexicon.lexemes,
            lexicon.continuations,
            lexicon.entries,
            lexicon.bytes.div_ceil(1000),
            lexicon.walks,
            lexicon.nodes,
            lexicon.taken
        ));
        let slowest = self.slowest();
        if !slowest.is_empty() {
            line(format_args!("\nslowest new masks, used vocabulary, best of {} passes", self.passes));
        }
        for SlowMask { nanoseconds, at, before, after } in slowest {
            let (time, before, after) = (us(nanoseconds), quoted(before), quoted(after));
            line(format_args!("{time:>10.2} us  byte {at:<7} {before} then {after}"));
        }
        text
    }

    /// Returns the result as JSON.
    fn json(&self) -> Value {
        let (tables, lexicon) = (self.result.grammar.tables, self.result.lexicon);
        let mut times = json!({});
        for (_, name, values) in self.rows() {
            times[name] = values.summary().to_json();
            times[name]["count"] = json!(values.len());
        }
        let slow = |slow: SlowMask<'_>| {
            json!({
                "ns": slow.nanoseconds,
                "at": slow.at,
                "before": bytes_to_json(slow.before),
                "after": bytes_to_json(slow.after),
            })
        };
        json!({
            "bytes": self.text.len(),
            "tokens": self.tokens.len(),
            "cut": self.cut.name(),
            "complete": self.is_complete,
            "passes": self.passes,
            "interrupted": self.result.interrupted,
            "clock_ns": self.result.clock,
            "ns": times,
            "grammar": {
                "sets": tables.sets,
                "origins": tables.origins,
                "parts": tables.summaries,
                "masks": tables.masks,
                "bytes": tables.bytes,
                "walks": tables.walks,
                "nodes": tables.nodes,
            },
            "vocabulary": {
                "lexemes": lexicon.lexemes,
                "continuations": lexicon.continuations,
                "parts": lexicon.entries,
                "bytes": lexicon.bytes,
                "walks": lexicon.walks,
                "nodes": lexicon.nodes,
                "taken": lexicon.taken,
            },
            "slowest": self.slowest().into_iter().map(slow).collect::<Value>(),
        })
    }

    /// Returns the histogram as SVG.
    fn svg(&self, name: &str) -> String {
        let name = Path::new(name).file_name().map_or(name.into(), OsStr::to_string_lossy);
        histogram::draw(
            &format!("{name}: times of masks"),
            &format!(
                "{} tokens by {}, {} passes; new grammars, used vocabulary",
                self.tokens.len(),
                self.cut.name(),
                self.passes
            ),
            [("new masks", &self.result.first), ("cached masks", &self.result.known)],
        )
    }
}

//! The bars: a maximum or minimum for each measure, and the cases that reach it.
//!
//! An example of a row:
//! `mask of a first pass, warm vocabulary: p99 | ≤ 100 µs | 46.3 µs | c | yes, 10 of 10`. The case `c` is the
//! one that is nearest to the bar or furthest beyond it.

use serde::Serialize;

use crate::engine::{COLD, WARM};
use crate::run::compare::{Line, Results};
use crate::run::timing::Places;
use crate::workload::bounds::SLOW_NANOSECONDS;
use crate::workload::known::{Known, Size, by_grammar};

/// For each grammar, how many times faster than llguidance the mean mask of a first pass with a warm
/// vocabulary must be.
const MIN_SPEEDUP_BY_GRAMMAR: &[(&str, f64)] =
    &[("json", 10.0), ("arithmetic", 30.0), ("sql", 30.0), ("xml", 30.0), ("c", 30.0)];

/// For each grammar, the maximum mean mask of a first pass with a warm vocabulary, in microseconds.
const MAX_MEAN_MICROSECONDS_BY_GRAMMAR: &[(&str, f64)] = &[
    ("json", 2.0),
    ("arithmetic", 10.0),
    ("sql", 10.0),
    ("patterns", 4.0),
    ("text", 2.0),
    ("right", 1.0),
    ("xml", 10.0),
    ("c", 30.0),
];

/// Maximum growth of the process by the first text of a grammar, in bytes.
const MAX_GROWTH_BYTES: f64 = 50e6;

/// Maximum ratio of two measurements of equal work.
const MAX_NOISE_RATIO: f64 = 1.25;

/// Minimum speed of the slowest quarter of a list that is read in linear time, as a part of the fastest.
const MIN_QUARTER_RATIO: f64 = 0.8;

/// Maximum growth of the process for each byte of text and for each call. The history of a matcher grows with
/// both, and the tables must not grow at all.
const MAX_HISTORY_BYTES: (f64, f64) = (2.0, 48.0);

/// A bar, with the case that is furthest from it.
#[derive(Clone, Debug, Serialize)]
pub struct Bar {
    /// Name of the measure.
    pub what: String,
    /// The bars: a maximum or minimum for each measure, and the cases that reach it.
    ///
    /// An example of a row:
    /// `mask of a first pass, warm vocabulary: p99 | ≤ 100 µs | 46.3 µs | c | yes, 10 of 10`. The case `c` is
    /// the one that is nearest to the bar or furthest beyond it.
    pub bar: String,
    /// Measurement of the worst case, with a unit.
    pub measured: String,
    /// Name of the worst case.
    pub at: String,
    /// Number of cases that reach the bar.
    pub reached: usize,
    /// Number of cases.
    pub cases: usize,
    /// Cases that miss the bar, the furthest first, with their measurements.
    pub failing: Vec<(String, String)>,
}

/// Unit of a number.
#[derive(Clone, Copy)]
enum Unit {
    /// Nanoseconds, printed as microseconds.
    Microseconds,
    /// Nanoseconds, printed as milliseconds.
    Milliseconds,
    /// A ratio, printed as n ×.
    Times,
    /// A fraction, printed as 1/n.
    Part,
    /// Bytes, printed as megabytes.
    Megabytes,
}

/// Measurement of a case, and its bar.
struct Value {
    at: String,
    measured: f64,
    bar: f64,
}

/// Returns the bars of all parts that were run.
pub fn all(results: &Results) -> Vec<Bar> {
    let mut bars = Vec::new();
    known(&results.known, &mut bars);
    first(results, &mut bars);
    starts(&results.lines, &mut bars);
    sizes(&results.sizes, &mut bars);
    let batches = results.batches.iter().map(|batch| value(&batch.case, batch.ratio, 1.8));
    bars.extend(at_least("256 known masks: speed-up by two threads", Unit::Times, batches));
    let bounds = || results.bounds.iter();
    let compiles = bounds().map(|bound| value(&bound.grammar, bound.compile as f64, 2e6));
    bars.extend(at_most("long bounds: compile", Unit::Milliseconds, compiles));
    let masks =
        bounds().map(|bound| value(&bound.grammar, bound.later.medians.max as f64, SLOW_NANOSECONDS as f64));
    bars.extend(at_most("long bounds: any mask after the first", Unit::Microseconds, masks));
    for hard in &results.hard {
        let time = hard.bar.map(|bar| value(&hard.grammar, hard.times.p50 as f64, bar as f64));
        bars.extend(at_most(&format!("{}: p50", hard.what), Unit::Milliseconds, time));
    }
    recursion(results, &mut bars);
    bars
}

fn known(known: &[Known], bars: &mut Vec<Bar>) {
    let of = |bar: f64, of: &dyn Fn(&Known) -> u64| -> Vec<Value> {
        known.iter().map(|known| value(&known.case, of(known) as f64, bar)).collect()
    };
    let by_reference = of(100.0, &|known| known.by_reference.medians.p50);
    bars.extend(at_most("mask seen before, by reference: p50", Unit::Microseconds, by_reference));
    let written = of(2e3, &|known| known.written.medians.p50);
    bars.extend(at_most("mask seen before, row written: p50", Unit::Microseconds, written));
    let ratio =
        |written: u64, copy: u64, known: &Known| value(&known.case, written as f64 / copy as f64, 2.0);
    let p50 = known.iter().map(|k| ratio(k.written.medians.p99, k.copy.medians.p50, k));
    bars.extend(at_most(
        "mask seen before, row written: p99, as a multiple of the p50 of a row copy",
        Unit::Times,
        p50,
    ));
    let p99 = known.iter().map(|k| ratio(k.written.medians.p99, k.copy.medians.p99, k));
    bars.extend(at_most(
        "mask seen before, row written: p99, as a multiple of the p99 of a row copy",
        Unit::Times,
        p99,
    ));
    let p50 = of(1e3, &|known| known.accept.medians.p50);
    bars.extend(at_most("accept a token seen before: p50", Unit::Microseconds, p50));
    let mean = known.iter().map(|known| value(&known.case, known.accept.mean, 300.0));
    bars.extend(at_most("accept a token seen before: mean", Unit::Microseconds, mean));
    let accept = of(300.0, &|known| known.accept.medians.p99);
    bars.extend(at_most("accept a token seen before: p99", Unit::Microseconds, accept));
}

fn first(results: &Results, bars: &mut Vec<Bar>) {
    let lines = |engine: &'static str| results.lines.iter().filter(move |line| line.engine == engine);
    let of = |bar: f64, of: fn(&Places) -> u64| -> Vec<Value> {
        let warm = lines(WARM).map(|line| (line, line.first_masks.as_ref()));
        warm.filter_map(|(line, places)| Some(value(&line.case, of(places?) as f64, bar))).collect()
    };
    let name = "mask of a first pass, warm vocabulary";
    bars.extend(at_most(&format!("{name}: p50"), Unit::Microseconds, of(3e3, |places| places.medians.p50)));
    bars.extend(at_most(&format!("{name}: p99"), Unit::Microseconds, of(1e5, |places| places.medians.p99)));
    bars.extend(at_most(&format!("{name}: max"), Unit::Microseconds, of(1e6, |places| places.medians.max)));
    let aims = lines(WARM).filter_map(|line| {
        let (_, aim) = MAX_MEAN_MICROSECONDS_BY_GRAMMAR.iter().find(|(case, _)| *case == line.case)?;
        Some(value(&line.case, line.first_masks?.mean, aim * 1e3))
    });
    bars.extend(at_most(&format!("{name}: mean, with a bar for each grammar"), Unit::Microseconds, aims));

    let peer =
        |line: &Line| results.lines.iter().find(|peer| peer.case == line.case && peer.engine == "llguidance");
    let mean = |line: &Line| Some(line.first_masks?.mean / peer(line)?.first_masks?.mean);
    let warm = lines(WARM).filter_map(|line| {
        let (_, part) = MIN_SPEEDUP_BY_GRAMMAR.iter().find(|(case, _)| *case == line.case)?;
        Some(value(&line.case, mean(line)?, 1.0 / part))
    });
    bars.extend(at_most(&format!("{name}: mean, as a part of llguidance's"), Unit::Part, warm));
    let cold = lines(COLD).filter_map(|line| Some(value(&line.case, mean(line)?, 0.25)));
    let name = "mask of a first pass, unused vocabulary: mean, as a part of llguidance's";
    bars.extend(at_most(name, Unit::Part, cold));

    for (engine, vocabulary) in [(WARM, "warm vocabulary"), (COLD, "unused vocabulary")] {
        let starts = lines(engine).filter_map(|line| {
            let ratio = line.start?.p50 as f64 / peer(line)?.start?.p50 as f64;
            Some(value(&line.case, ratio, 1.0))
        });
        let name = format!("compile and first mask, {vocabulary}, as a multiple of llguidance's");
        bars.extend(at_most(&name, Unit::Times, starts));
    }
}

/// Bars of new states: first visits, first accepts, compiles and memory.
fn starts(lines: &[Line], bars: &mut Vec<Bar>) {
    for (engine, vocabulary) in [(WARM, "warm vocabulary"), (COLD, "unused vocabulary")] {
        let values = |bar: f64, of: &dyn Fn(&Line) -> Option<u64>| -> Vec<Value> {
            let lines = lines.iter().filter(|line| line.engine == engine);
            lines.filter_map(|line| Some(value(&line.case, of(line)? as f64, bar))).collect()
        };
        let p50 = |places: Option<Places>| Some(places?.medians.p50);
        let visits = values(1e4, &|line| p50(line.first_visits));
        bars.extend(at_most(&format!("first visit, {vocabulary}: p50"), Unit::Microseconds, visits));
        let accepts = values(1e3, &|line| p50(line.first_accepts));
        let name = format!("accept a token of a first pass, {vocabulary}: p50");
        bars.extend(at_most(&name, Unit::Microseconds, accepts));
        let compiles = values(1e6, &|line| Some(line.compile?.p50));
        bars.extend(at_most(&format!("compile, {vocabulary}: p50"), Unit::Milliseconds, compiles));
        let growth = values(MAX_GROWTH_BYTES, &|line| line.growth);
        let name = format!("compile and first pass, {vocabulary}: growth of the process");
        bars.extend(at_most(&name, Unit::Megabytes, growth));
    }
}

fn sizes(sizes: &[Size], bars: &mut Vec<Bar>) {
    let Some((small, large)) = by_grammar(sizes).next() else { return };
    for (place, small) in small.iter().enumerate() {
        let pairs = || by_grammar(sizes).filter_map(move |(small, large)| Some((small.get(place)?, large)));
        let name =
            format!("{} ids as a multiple of {} ids of {}", large.id_count, small.id_count, small.vocabulary);
        let by_reference = pairs().map(|(small, large)| {
            let p50 = |size: &Size| size.known.by_reference.medians.p50 as f64;
            value(&small.known.case, p50(large) / p50(small), MAX_NOISE_RATIO)
        });
        let known = format!("{name}: mask seen before, by reference, p50");
        bars.extend(at_most(&known, Unit::Times, by_reference));
        let mut first_visits = |way: &str, mean: fn(&Size) -> f64| {
            let first =
                pairs().map(|(small, large)| value(&small.known.case, mean(large) / mean(small), 4.0));
            bars.extend(at_most(&format!("{name}: first visit, {way}, mean"), Unit::Times, first));
        };
        first_visits("warm vocabulary", |size| size.warm.mean);
        first_visits("unused vocabulary", |size| size.visits.mean);
    }
}

fn recursion(results: &Results, bars: &mut Vec<Bar>) {
    let flat = results.recursions.iter().map(|recursion| {
        let slowest = recursion.quarters.iter().copied().fold(f64::INFINITY, f64::min);
        let fastest = recursion.quarters.iter().copied().fold(0.0, f64::max);
        value(&recursion.way, slowest / fastest, MIN_QUARTER_RATIO)
    });
    let name = "right recursion, a million elements: speed of the slowest quarter as a part of the fastest";
    bars.extend(at_least(name, Unit::Times, flat));
    let tables = results.recursions.iter().filter_map(|recursion| {
        let (first, last) = (recursion.table_bytes.first()?, recursion.table_bytes.last()?);
        Some(value(&recursion.way, *last as f64, *first as f64))
    });
    let name =
        "right recursion, a million elements: tables after the last quarter, against those after the first";
    bars.extend(at_most(name, Unit::Megabytes, tables));
    let growth = results.recursions.iter().filter_map(|recursion| {
        let growth = (*recursion.growth.last()?)?;
        let history =
            MAX_HISTORY_BYTES.0 * recursion.bytes as f64 + MAX_HISTORY_BYTES.1 * recursion.calls as f64;
        Some(value(&recursion.way, growth as f64, history))
    });
    let name = "right recursion, a million elements: growth of the process, against its text and history";
    bars.extend(at_most(name, Unit::Megabytes, growth));
}

fn value(at: &str, measured: f64, bar: f64) -> Value {
    Value { at: at.to_owned(), measured, bar }
}

/// Returns a bar that must not be exceeded. Returns `None` if there are no values.
fn at_most(what: &str, unit: Unit, values: impl IntoIterator<Item = Value>) -> Option<Bar> {
    bar(what, "≤", unit, values, |value| value.measured / value.bar)
}

/// Returns a bar that must be exceeded. Returns `None` if there are no values.
fn at_least(what: &str, unit: Unit, values: impl IntoIterator<Item = Value>) -> Option<Bar> {
    bar(what, "≥", unit, values, |value| value.bar / value.measured)
}

/// Returns a bar with the value that is furthest from it. A distance of at most 1 reaches the bar.
fn bar(
    what: &str,
    sign: &str,
    unit: Unit,
    values: impl IntoIterator<Item = Value>,
    distance: fn(&Value) -> f64,
) -> Option<Bar> {
    let mut values: Vec<Value> = values.into_iter().collect();
    values.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    let worst = values.first()?;
    // A value that is not a number reaches nothing.
    let (reaching, failing): (Vec<_>, Vec<_>) = values.iter().partition(|value| distance(value) <= 1.0);
    Some(Bar {
        what: what.to_owned(),
        bar: format!("{sign} {}", unit.print(worst.bar)),
        measured: unit.print(worst.measured),
        at: worst.at.clone(),
        reached: reaching.len(),
        cases: values.len(),
        failing: failing.iter().map(|value| (value.at.clone(), unit.print(value.measured))).collect(),
    })
}

impl Unit {
    fn print(self, value: f64) -> String {
        match self {
            Self::Microseconds => format!("{} µs", digits(value / 1e3)),
            Self::Milliseconds => format!("{} ms", digits(value / 1e6)),
            Self::Times => format!("{} ×", digits(value)),
            Self::Part if value > 1.0 => format!("{} ×", digits(value)),
            Self::Part => format!("1/{}", digits(1.0 / value)),
            Self::Megabytes if value < 1e5 => format!("{} KB", digits(value / 1e3)),
            Self::Megabytes => format!("{} MB", digits(value / 1e6)),
        }
    }
}

/// Returns a number with about three digits.
pub fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}").trim_end_matches(".0").to_owned(),
        size if size >= 0.1 => {
            let text = format!("{value:.2}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worst_case_is_furthest_from_its_own_bar() {
        let values = [value("a", 50.0, 100.0), value("b", 30.0, 10.0), value("c", 90.0, 100.0)];
        let bar = at_most("x", Unit::Times, values).expect("there are values");
        assert_eq!((&*bar.at, &*bar.bar, &*bar.measured), ("b", "≤ 10 ×", "30 ×"));
        assert_eq!((bar.reached, bar.cases), (2, 3));
        assert_eq!(bar.failing, [("b".to_owned(), "30 ×".to_owned())]);
        let bar = at_least("x", Unit::Times, [value("a", 1.7, 1.8), value("b", 1.9, 1.8)]);
        assert_eq!(bar.map(|bar| (bar.at, bar.reached)), Some(("a".to_owned(), 1)));
        assert!(at_most("x", Unit::Times, []).is_none());
    }

    #[test]
    fn value_that_is_not_a_number_reaches_nothing() {
        let bar = at_most("x", Unit::Times, [value("a", f64::NAN, 1.0), value("b", 0.5, 1.0)]);
        assert_eq!(bar.map(|bar| (bar.at, bar.reached)), Some(("a".to_owned(), 1)));
    }

    #[test]
    fn numbers_have_units() {
        assert_eq!(Unit::Microseconds.print(3_000.0), "3 µs");
        assert_eq!(Unit::Microseconds.print(123_456.0), "123 µs");
        assert_eq!(Unit::Milliseconds.print(2e6), "2 ms");
        assert_eq!(Unit::Part.print(0.1), "1/10");
        assert_eq!(Unit::Part.print(1.5), "1.5 ×");
        assert_eq!(Unit::Megabytes.print(12_340_000.0), "12.3 MB");
        assert_eq!(Unit::Megabytes.print(1_200.0), "1.2 KB");
    }
}

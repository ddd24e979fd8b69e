//! Tables of grammask alone.

use std::fmt::{self, Formatter};

use super::{PLACES, cell, megabytes, microseconds, none, percentiles};
use crate::report::bars::digits;
use crate::run::timing::{Places, Summary};
use crate::workload::batch::{Batch, SEQUENCES};
use crate::workload::bounds::{Bound, SLOW_NANOSECONDS};
use crate::workload::hard::Hard;
use crate::workload::known::{Known, Size, by_grammar};
use crate::workload::linear::Speed;
use crate::workload::recursion::Recursion;

/// Masks of known states, and copies of rows.
pub(super) fn known(known: &[Known], f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n## Masks of known states, and copies of a row\n")?;
    writeln!(
        f,
        "Microseconds by the wall clock alone, in turn: the mask by reference, the mask written into a row, and a copy of a row from"
    )?;
    writeln!(f, "a table with one row for each state. Between two samples a token is accepted. {PLACES}\n")?;
    writeln!(
        f,
        "| grammar (tokens, states) | | p50 | p90 | p99 | max | plain max | mean | × p99 of the copy |"
    )?;
    writeln!(f, "| --- | --- | --: | --: | --: | --: | --: | --: | --: |")?;
    for known in known {
        let states = known.is_new.iter().filter(|is_new| **is_new).count();
        let ways = [
            ("by reference", &known.by_reference),
            ("row written", &known.written),
            ("row copied", &known.copy),
            ("accept", &known.accept),
        ];
        for (way, places) in ways {
            write!(f, "| {} ({}, {states}) | {way} |", known.case, known.tokens)?;
            percentiles(f, places)?;
            let ratio = places.medians.p99 as f64 / known.copy.medians.p99 as f64;
            writeln!(f, " {} |", if way == "row written" { digits(ratio) } else { String::new() })?;
        }
    }
    Ok(())
}

/// Small vocabularies and a large one.
pub(super) fn sizes(sizes: &[Size], f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n## Small vocabularies and a large one\n")?;
    writeln!(
        f,
        "Microseconds. × is the ratio of the large vocabulary to this one. First visits are positions with a new state, by a fresh"
    )?;
    writeln!(
        f,
        "grammar with an unused vocabulary. The vocabularies take turns, and the second of two rounds counts."
    )?;
    writeln!(f, "Nodes are trie nodes visited one by one on the first pass.\n")?;
    writeln!(
        f,
        "| grammar | vocabulary (ids) | tokens | by reference p50 | × | first visits p50 | max | mean | × | first pass, total | × | nodes | × |"
    )?;
    writeln!(f, "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |")?;
    for (small, large) in by_grammar(sizes) {
        for size in small.iter().chain([large]) {
            let by_reference = |size: &Size| size.known.by_reference.medians.p50 as f64;
            let visit = |size: &Size| size.visits.mean;
            let pass = |size: &Size| size.first.mean * size.known.tokens as f64;
            let nodes = |size: &Size| size.known.nodes as f64;
            let ratio = |of: &dyn Fn(&Size) -> f64| {
                if std::ptr::eq(size, large) { String::new() } else { digits(of(large) / of(size)) }
            };
            writeln!(
                f,
                "| {} | {} ({}) | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                size.known.case,
                cell(&size.vocabulary),
                size.id_count,
                size.known.tokens,
                microseconds(by_reference(size)),
                ratio(&by_reference),
                microseconds(size.visits.medians.p50 as f64),
                microseconds(size.visits.medians.max as f64),
                microseconds(visit(size)),
                ratio(&visit),
                microseconds(pass(size)),
                ratio(&pass),
                size.known.nodes,
                ratio(&nodes),
            )?;
        }
    }
    Ok(())
}

/// Batches.
pub(super) fn batches(batches: &[Batch], f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n## The masks of a batch\n")?;
    writeln!(
        f,
        "{SEQUENCES} sequences of one grammar, each one token ahead of the previous one, all masks known. Microseconds for the whole"
    )?;
    writeln!(
        f,
        "batch by the wall clock. × is the speed-up by two threads: the median over rounds in which the methods take turns.\n"
    )?;
    writeln!(f, "| grammar (states) | way | p50 | p90 | p99 | mean | × |")?;
    writeln!(f, "| --- | --- | --: | --: | --: | --: | --: |")?;
    for batch in batches {
        let ways = [
            ("`fill_masks(.., 1)`", &batch.one),
            ("`fill_masks(.., 2)`", &batch.two),
            ("copying the rows", &batch.copy),
        ];
        for (way, Summary { p50, p90, p99, mean, .. }) in ways {
            let [p50, p90, p99, mean] = [*p50 as f64, *p90 as f64, *p99 as f64, *mean].map(microseconds);
            let ratio = if way.contains('2') { digits(batch.ratio) } else { String::new() };
            writeln!(
                f,
                "| {} ({}) | {way} | {p50} | {p90} | {p99} | {mean} | {ratio} |",
                batch.case, batch.states
            )?;
        }
    }
    Ok(())
}

/// Long bounds.
pub(super) fn bounds(bounds: &[Bound], f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n## Long bounds\n")?;
    writeln!(
        f,
        "A random model that ends only when nothing else is allowed; fresh grammar, unused vocabulary, rows written out."
    )?;
    writeln!(f, "Compile in milliseconds, masks in microseconds; the first mask is mask 0. {PLACES}\n")?;
    writeln!(
        f,
        "| grammar | compile ms | first mask | later: p50 | p90 | p99 | max | plain max | mean | over {} µs | slowest masks, with their numbers | bytes |",
        SLOW_NANOSECONDS / 1000
    )?;
    writeln!(f, "| --- |{}", " --: |".repeat(11))?;
    for bound in bounds {
        write!(
            f,
            "| `{}` | {:.3} | {} |",
            cell(&bound.grammar),
            bound.compile as f64 / 1e6,
            microseconds(bound.first_mask as f64)
        )?;
        percentiles(f, &bound.later)?;
        let slowest: Vec<String> = bound
            .slowest
            .iter()
            .map(|&(place, time)| format!("{} at {place}", microseconds(time as f64)))
            .collect();
        let end = if bound.is_at_bound { ", bound reached" } else { "" };
        let Places { medians: Summary { count, .. }, .. } = bound.later;
        writeln!(f, " {} of {count} | {} | {}{end} |", bound.slow, slowest.join(", "), bound.bytes)?;
    }
    Ok(())
}

/// Many optional parts, and many derivations.
pub(super) fn hard(hard: &[Hard], f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n## Optional parts in a row, and many derivations\n")?;
    writeln!(
        f,
        "Milliseconds, each time with a fresh grammar and an unused vocabulary. Beyond the limits, such texts end in an error that"
    )?;
    writeln!(f, "names the limit.\n")?;
    writeln!(f, "| grammar | measure | p50 | max | bar |")?;
    writeln!(f, "| --- | --- | --: | --: | --: |")?;
    for Hard { what, grammar, times, bar } in hard {
        let [p50, max] = [times.p50, times.max].map(|time| time as f64 / 1e6);
        let bar = bar.map_or_else(none, |bar| digits(bar as f64 / 1e6));
        writeln!(f, "| `{}` | {what} | {p50:.3} | {max:.3} | {bar} |", cell(grammar))?;
    }
    Ok(())
}

/// A million elements.
pub(super) fn recursions(recursions: &[Recursion], f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n## A right-recursive list\n")?;
    writeln!(
        f,
        "The grammar `right` over a list of elements: megabytes per second in each quarter, the fastest of several rounds, and the"
    )?;
    writeln!(
        f,
        "size of tables and growth of the process after it. A matcher stores its text, and one step for each call.\n"
    )?;
    writeln!(f, "| | elements | bytes | calls | | 1/4 | 2/4 | 3/4 | 4/4 |")?;
    writeln!(f, "| --- | --: | --: | --: | --- | --: | --: | --: | --: |")?;
    for recursion in recursions {
        let Recursion { way, elements, bytes, calls, .. } = recursion;
        let speeds = recursion.quarters.iter().map(|speed| format!("{:.1}", speed / 1e6)).collect();
        let tables = recursion.table_bytes.iter().map(|bytes| digits(*bytes as f64 / 1e3)).collect();
        let grown = recursion.growth.iter();
        let grown = grown.map(|bytes| bytes.map_or_else(none, |bytes| megabytes(bytes as f64))).collect();
        let rows: [(&str, Vec<String>); 3] =
            [("MB per second", speeds), ("tables KB", tables), ("growth of the process MB", grown)];
        for (name, values) in rows {
            writeln!(f, "| {way} | {elements} | {bytes} | {calls} | {name} | {} |", values.join(" | "))?;
        }
    }
    Ok(())
}

/// The recognizer alone.
pub(super) fn speeds(speeds: &[Speed], f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n## The recognizer alone\n")?;
    writeln!(
        f,
        "Megabytes per second over texts of growing length, with an empty recognizer (fresh) and over the same text again (known);"
    )?;
    writeln!(f, "the fastest of several rounds. Constant from left to right means linear time.\n")?;
    let Some(longest) = speeds.iter().max_by_key(|speed| speed.steps.len()) else { return Ok(()) };
    write!(f, "| grammar | |")?;
    for step in &longest.steps {
        write!(f, " {} KB |", step.bytes.div_ceil(1024))?;
    }
    writeln!(f, " sets | tables MB |")?;
    writeln!(f, "| --- | --- |{} --: | --: |", " --: |".repeat(longest.steps.len()))?;
    for speed in speeds {
        if let Some(error) = &speed.error {
            writeln!(f, "| {} | {} |{}", speed.case, cell(error), " |".repeat(longest.steps.len() + 2))?;
            continue;
        }
        for known in [false, true] {
            write!(f, "| {} | {} |", speed.case, if known { "known" } else { "fresh" })?;
            for step in &speed.steps {
                let per_second = if known { step.known } else { step.fresh };
                write!(f, " {:.1} |", per_second / 1e6)?;
            }
            match speed.steps.last().filter(|_| known) {
                Some(step) => writeln!(f, " {} | {} |", step.sets, megabytes(step.table_bytes as f64))?,
                None => writeln!(f, " | |")?,
            }
        }
    }
    Ok(())
}

//! The tables of `maskbench --server`, as Markdown.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

use super::server::{Call, EngineRun, SchemaRun, Server, Slowest, Start, Work};
use crate::schemas::report::microseconds;
use crate::schemas::samples::Samples;

/// Number of schemas that are listed for each measure.
const MAX_LISTED: usize = 5;

/// Calls that take longer count for the time of a unit.
const MIN_RATED_NANOSECONDS: u64 = 100_000;

/// Characters of a refusal's message that are printed.
const MAX_MESSAGE_CHARS: usize = 120;

/// A number of nanoseconds of a schema, with a remark.
type Item = (u64, String);

/// A measure: its name, the samples of a schema, and its largest sample with its position.
struct Measure {
    name: &'static str,
    samples: fn(&SchemaRun, &mut Samples),
    largest: fn(&SchemaRun) -> Option<Item>,
}

const COMPILE_AND_FIRST_MASK: &str = "compile + first mask";

const MEASURES: &[Measure] = &[
    Measure {
        name: "compile",
        samples: |schema, samples| samples.extend(compile(schema)),
        largest: |schema| Some((compile(schema)?, String::new())),
    },
    Measure {
        name: "refusal",
        samples: |schema, samples| samples.extend(refusal(schema).map(|(time, _)| time)),
        largest: refusal,
    },
    Measure {
        name: "first mask",
        samples: |schema, samples| samples.extend(first_mask(schema)),
        largest: |schema| Some((first_mask(schema)?, String::new())),
    },
    Measure {
        name: COMPILE_AND_FIRST_MASK,
        samples: |schema, samples| samples.extend(schema.compile_and_first_mask()),
        largest: |schema| Some((schema.compile_and_first_mask()?, String::new())),
    },
    Measure {
        name: "mask",
        samples: |schema, samples| samples.extend(schema.masks.iter().copied()),
        largest: |schema| schema.slowest_mask.map(position),
    },
    Measure {
        name: "accept",
        samples: |schema, samples| samples.extend(schema.accepts.iter().copied()),
        largest: |schema| schema.slowest_accept.map(position),
    },
];

fn compile(schema: &SchemaRun) -> Option<u64> {
    match schema.start {
        Start::Compiled { compile, .. } => Some(compile),
        Start::Refused { .. } | Start::Panicked(_) => None,
    }
}

fn first_mask(schema: &SchemaRun) -> Option<u64> {
    match schema.start {
        Start::Compiled { first_mask, .. } => Some(first_mask),
        Start::Refused { .. } | Start::Panicked(_) => None,
    }
}

fn refusal(schema: &SchemaRun) -> Option<Item> {
    let Start::Refused { time, message } = &schema.start else { return None };
    let line = message.lines().next().unwrap_or_default();
    Some((*time, format!(": {}", line.chars().take(MAX_MESSAGE_CHARS).collect::<String>())))
}

fn position(slowest: Slowest) -> Item {
    (slowest.time, format!(", document {}, token {}", slowest.document, slowest.token))
}

impl Display for Server {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Each schema once, as a server meets them\n")?;
        writeln!(
            f,
            "Microseconds, vocabulary {}, {} threads. One compile a schema, a fresh matcher a document.",
            self.vocabulary, self.threads
        )?;
        writeln!(f, "The lesser of wall clock and thread time is taken.")?;
        if self.unreadable > 0 {
            writeln!(f, "{} lines hold no schema that can be read.", self.unreadable)?;
        }
        outcomes(f, &self.engines)?;
        writeln!(f, "\n## All schemas\n")?;
        let all: Vec<(&str, Vec<&SchemaRun>)> =
            self.engines.iter().map(|engine| (engine.name, engine.schemas.iter().collect())).collect();
        table(f, &all)?;
        if let Some(ours) = self.engines.first() {
            work(f, ours)?;
        }
        if let [ours, peer] = &self.engines[..] {
            compare(f, ours, peer)?;
        }
        self.engines.iter().try_for_each(|engine| largest(f, engine))
    }
}

/// Percentiles of the work of grammask's calls, and of the time that a unit takes in long ones.
fn work(f: &mut Formatter<'_>, engine: &EngineRun) -> fmt::Result {
    writeln!(f, "\n## Work of {}\n", engine.name)?;
    writeln!(
        f,
        "Units of the account of a call, without calls that only look up; and nanoseconds a unit in calls of more than \
         {} microseconds.\n",
        MIN_RATED_NANOSECONDS / 1_000
    )?;
    writeln!(f, "| call | unit | samples | mean | p50 | p90 | p99 | p99.9 | max |")?;
    writeln!(f, "| --- | --- |{}", " --: |".repeat(7))?;
    for (call, name) in [(Call::Compile, "compile"), (Call::Mask, "mask"), (Call::Accept, "accept")] {
        let all = || engine.schemas.iter().flat_map(|schema| &schema.work).filter(|work| work.call == call);
        let mut units = Samples::default();
        units.extend(all().map(|work| work.units));
        let mut rates = Samples::default();
        let long = all().filter(|work| work.time > MIN_RATED_NANOSECONDS);
        rates.extend(long.map(|work| 1_000 * work.time / work.units));
        for (unit, samples, factor) in [("units", &units, 1.0), ("ns/unit", &rates, 1_000.0)] {
            let Some(cells) = cells(samples) else { continue };
            write!(f, "| {name} | {unit} | {} |", samples.count())?;
            cells.iter().try_for_each(|&cell| write!(f, " {:.1} |", cell / factor))?;
            writeln!(f)?;
        }
    }
    let mut slow: Vec<(u64, &Work, &SchemaRun)> = engine
        .schemas
        .iter()
        .flat_map(|schema| schema.work.iter().map(move |work| (work, schema)))
        .filter(|(work, _)| work.time > 10 * MIN_RATED_NANOSECONDS)
        .map(|(work, schema)| (1_000 * work.time / work.units, work, schema))
        .collect();
    slow.sort_by_key(|&(rate, ..)| std::cmp::Reverse(rate));
    writeln!(f)?;
    for (rate, work, schema) in slow.iter().take(MAX_LISTED) {
        writeln!(
            f,
            "- {:.1} ns a unit: {:?} of {} units, {} microseconds, {}, line {}",
            *rate as f64 / 1_000.0,
            work.call,
            work.units,
            work.time / 1_000,
            schema.name,
            schema.line
        )?;
    }
    Ok(())
}

/// Numbers of schemas by result, and memory.
fn outcomes(f: &mut Formatter<'_>, engines: &[EngineRun]) -> fmt::Result {
    writeln!(f, "\n## Outcomes and memory\n")?;
    writeln!(
        f,
        "Resident megabytes of the process, before the first schema and after the last. Documents are wrong if the engine \
         judges them\nwrongly or hits a limit there.\n"
    )?;
    writeln!(
        f,
        "| engine | schemas | compiled | refused | panics | wrong documents | MB before | MB after | growth |"
    )?;
    writeln!(f, "| --- |{}", " --: |".repeat(8))?;
    for engine in engines {
        let count = |is_wanted: fn(&Start) -> bool| {
            engine.schemas.iter().filter(|schema| is_wanted(&schema.start)).count()
        };
        let megabytes =
            |bytes: Option<f64>| bytes.map_or("–".to_owned(), |bytes| format!("{:.1}", bytes / 1e6));
        let (before, after) =
            (engine.memory_before.map(|bytes| bytes as f64), engine.memory_after.map(|bytes| bytes as f64));
        writeln!(
            f,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            engine.name,
            engine.schemas.len(),
            count(|start| matches!(start, Start::Compiled { .. })),
            count(|start| matches!(start, Start::Refused { .. })),
            count(|start| matches!(start, Start::Panicked(_))),
            engine.schemas.iter().map(|schema| schema.wrong_documents).sum::<usize>(),
            megabytes(before),
            megabytes(after),
            megabytes(before.zip(after).map(|(before, after)| after - before)),
        )?;
    }
    Ok(())
}

/// Percentiles of each measure, engine by engine. Adds a row of ratios where there are two engines.
fn table(f: &mut Formatter<'_>, engines: &[(&str, Vec<&SchemaRun>)]) -> fmt::Result {
    writeln!(f, "| measure | engine | samples | mean | p50 | p90 | p99 | p99.9 | max |")?;
    writeln!(f, "| --- | --- |{}", " --: |".repeat(7))?;
    for measure in MEASURES {
        let mut rows = Vec::new();
        for (name, schemas) in engines {
            let mut samples = Samples::default();
            schemas.iter().for_each(|schema| (measure.samples)(schema, &mut samples));
            let Some(cells) = cells(&samples) else { continue };
            write!(f, "| {} | {name} | {} |", measure.name, samples.count())?;
            cells.iter().try_for_each(|&cell| write!(f, " {} |", microseconds(cell)))?;
            writeln!(f)?;
            rows.push(cells);
        }
        if let [ours, peer] = &rows[..] {
            write!(f, "| {} | ratio | |", measure.name)?;
            ours.iter().zip(peer).try_for_each(|(ours, peer)| write!(f, " {:.3} |", ours / peer))?;
            writeln!(f)?;
        }
    }
    Ok(())
}

/// Mean, p50, p90, p99, p99.9 and maximum, in nanoseconds. Returns `None` if there are no samples.
fn cells(samples: &Samples) -> Option<[f64; 6]> {
    let spread = samples.spread()?;
    let [_, p50, _, p90, _, p99, p999] = spread.ranks.map(|rank| rank as f64);
    Some([spread.mean, p50, p90, p99, p999, spread.max as f64])
}

/// Compares two engines on the schemas that both compile, and lists where grammask is slower.
fn compare(f: &mut Formatter<'_>, ours: &EngineRun, peer: &EngineRun) -> fmt::Result {
    let theirs: HashMap<usize, &SchemaRun> =
        peer.schemas.iter().map(|schema| (schema.line, schema)).collect();
    let compiled = ours.schemas.iter().filter(|schema| schema.compile_and_first_mask().is_some());
    let (mut both, mut alone) = (Vec::new(), Vec::new());
    for schema in compiled {
        match theirs.get(&schema.line) {
            Some(other) if other.compile_and_first_mask().is_some() => both.push((schema, *other)),
            _ => alone.push(schema),
        }
    }
    writeln!(f, "\n## The {} schemas that both engines compile\n", both.len())?;
    let (our_schemas, their_schemas) = both.iter().copied().unzip();
    table(f, &[(ours.name, our_schemas), (peer.name, their_schemas)])?;

    let mut ratios: Vec<(f64, &SchemaRun, u64, u64)> = both
        .iter()
        .filter_map(|(schema, other)| {
            let (time, other_time) = (schema.compile_and_first_mask()?, other.compile_and_first_mask()?);
            Some((time as f64 / other_time.max(1) as f64, *schema, time, other_time))
        })
        .collect();
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    let slower = |bound: f64| ratios.iter().filter(|(ratio, ..)| *ratio > bound).count();
    writeln!(
        f,
        "\nFor {COMPILE_AND_FIRST_MASK}, {} is slower than {} on {} of {} schemas ({:.2} %), and more than twice as slow on {}:\n",
        ours.name,
        peer.name,
        slower(1.0),
        both.len(),
        100.0 * slower(1.0) as f64 / both.len().max(1) as f64,
        slower(2.0),
    )?;
    for (ratio, schema, time, other) in ratios.iter().take(MAX_LISTED) {
        let (time, other) = (microseconds(*time as f64), microseconds(*other as f64));
        writeln!(f, "- {ratio:.2}: {time} against {other}, {}, line {}", schema.name, schema.line)?;
    }
    writeln!(f, "\n## The {} schemas that only {} compiles\n", alone.len(), ours.name)?;
    table(f, &[(ours.name, alone)])
}

/// The schemas with the largest samples of each measure.
fn largest(f: &mut Formatter<'_>, engine: &EngineRun) -> fmt::Result {
    writeln!(f, "\n## The slowest of {}\n", engine.name)?;
    writeln!(f, "Microseconds. One sample a schema; lines count from 1.")?;
    for measure in MEASURES {
        let mut items: Vec<(Item, &SchemaRun)> =
            engine.schemas.iter().filter_map(|schema| Some(((measure.largest)(schema)?, schema))).collect();
        items.sort_by_key(|((time, _), _)| std::cmp::Reverse(*time));
        if items.is_empty() {
            continue;
        }
        writeln!(f, "\n### {}\n", measure.name)?;
        for ((time, remark), schema) in items.iter().take(MAX_LISTED) {
            let time = microseconds(*time as f64);
            writeln!(f, "- {time}: {}, line {}{remark}", schema.name, schema.line)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(line: usize, start: Start) -> SchemaRun {
        SchemaRun {
            line,
            name: format!("s{line}"),
            start,
            masks: vec![1_000, 3_000],
            accepts: vec![500],
            work: Vec::new(),
            slowest_mask: Some(Slowest { time: 3_000, document: 1, token: 2 }),
            slowest_accept: None,
            wrong_documents: 0,
        }
    }

    fn compiled(line: usize, compile: u64) -> SchemaRun {
        schema(line, Start::Compiled { compile, first_mask: 1_000 })
    }

    fn refused(line: usize) -> SchemaRun {
        schema(line, Start::Refused { time: 9_000, message: "too much\nof it".to_owned() })
    }

    fn engine(name: &'static str, schemas: Vec<SchemaRun>) -> EngineRun {
        EngineRun { name, schemas, memory_before: Some(1_000_000), memory_after: Some(3_500_000) }
    }

    #[test]
    fn engines_are_compared_where_both_compile() {
        let server = Server {
            vocabulary: "bytes".to_owned(),
            unreadable: 0,
            threads: 1,
            engines: vec![
                engine("grammask", vec![compiled(1, 9_000), compiled(2, 1_000), refused(3)]),
                engine("other", vec![compiled(1, 1_000), refused(2), compiled(3, 1_000)]),
            ],
        };
        let report = server.to_string();
        for line in [
            "| grammask | 3 | 2 | 1 | 0 | 0 | 1.0 | 3.5 | 2.5 |",
            "## The 1 schemas that both engines compile",
            "is slower than other on 1 of 1 schemas (100.00 %), and more than twice as slow on 1:",
            "- 5.00: 10.0 against 2.00, s1, line 1",
            "## The 1 schemas that only grammask compiles",
            "- 9.00: s3, line 3: too much\n",
            "- 3.00: s1, line 1, document 1, token 2",
            "| compile | ratio | | 5.000 |",
        ] {
            assert!(report.contains(line), "{line}\n{report}");
        }
    }
}

//! The start of docs/benchmarks.md: one chart and one table against other engines.
//!
//! Both are made from the detailed tables of the same document, so they never show another run.

use std::fmt::Write;

use anyhow::{Context, ensure};

/// The heading of the part that this module writes.
const HEADING: &str = "## Against other engines";

/// The heading of the part after it.
const CONDITIONS: &str = "## Conditions";

/// Headings of the tables that are read, and the columns.
const MASKS: (&str, &str) = ("## Masks on the first pass over a text", "mean");
const STARTS: (&str, &str) = ("## Compiling, and memory", "and first mask ms");

/// The cell of an engine without a result.
const NO_RESULT: &str = "–";

/// The document with its new start, and the chart.
#[derive(Debug)]
pub struct Overview {
    /// The whole document.
    pub document: String,
    /// The chart as an SVG image.
    pub chart: String,
}

/// Numbers of all grammars and engines: one column of a detailed table.
#[derive(Debug, PartialEq)]
struct Numbers<'a> {
    engines: Vec<&'a str>,
    /// Name of the grammar, and a cell for each engine.
    grammars: Vec<(&'a str, Vec<&'a str>)>,
}

/// Writes the part at the start of a document, which may have an older one. `chart` is the path of the chart
/// from the document.
///
/// # Errors
/// If the document lacks a table, a column or its commit.
pub fn overview(document: &str, chart: &str) -> anyhow::Result<Overview> {
    let masks = Numbers::read(document, MASKS)?;
    let starts = Numbers::read(document, STARTS)?;
    ensure!(masks.engines == starts.engines, "the tables have different engines");
    let commit = between(document, "\n- commit ", ",").context("the document has no commit")?;
    let vocabulary = between(document, "\n- vocabulary ", ":").context("the document has no vocabulary")?;
    let run = format!("commit {commit}, vocabulary {vocabulary}, one thread");

    let mut part = format!("{HEADING}\n\n![Mean time of a mask, logarithmic]({chart})\n\n");
    writeln!(part, "At {run}. The tables below have all numbers.\n")?;
    let mut header = "| mean of a mask, µs |".to_owned();
    let mut rule = "| --- |".to_owned();
    for engine in &masks.engines {
        write!(header, " {engine} |")?;
        rule.push_str(" --: |");
    }
    writeln!(part, "{header}\n{rule}")?;
    rows(&mut part, &masks)?;
    writeln!(part, "| **compile and first mask, median, ms** |{}", " |".repeat(masks.engines.len()))?;
    rows(&mut part, &starts)?;
    Ok(Overview { document: replace(document, &part)?, chart: draw(&masks, &run)? })
}

fn rows(part: &mut String, numbers: &Numbers<'_>) -> anyhow::Result<()> {
    for (grammar, cells) in &numbers.grammars {
        writeln!(part, "| {grammar} | {} |", cells.join(" | "))?;
    }
    Ok(())
}

/// Returns the document with `part` before the list of conditions, in place of an older part.
fn replace(document: &str, part: &str) -> anyhow::Result<String> {
    let list = document.find("\n- commit ").context("the document has no list of conditions")? + 1;
    let before = document.find(HEADING).unwrap_or(list);
    ensure!(before <= list, "{HEADING} is not at the start");
    Ok(format!("{}{part}\n{CONDITIONS}\n\n{}", &document[..before], &document[list..]))
}

/// Returns the text between two marks.
fn between<'a>(document: &'a str, start: &str, end: &str) -> Option<&'a str> {
    document.split_once(start)?.1.split_once(end).map(|(text, _)| text)
}

impl<'a> Numbers<'a> {
    /// Reads a column of the table below a heading.
    fn read(document: &'a str, (heading, column): (&str, &str)) -> anyhow::Result<Self> {
        let (_, rest) =
            document.split_once(&format!("{heading}\n")).with_context(|| format!("no part {heading:?}"))?;
        let mut lines =
            rest.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
        let header = lines.next().context("a part without a table")?;
        let place = cells(header).position(|cell| cell == column);
        let place = place.with_context(|| format!("{heading:?} has no column {column:?}"))?;
        let mut numbers = Self { engines: Vec::new(), grammars: Vec::new() };
        // The line after the header has only dashes.
        for line in lines.skip(1) {
            let cells: Vec<&str> = cells(line).collect();
            let (grammar, engine, number) =
                (cells[0], *cells.get(1).context("a short row")?, cells.get(place));
            let number = *number.with_context(|| format!("a short row: {line}"))?;
            // In some tables, the number of tokens follows the name in parentheses.
            let grammar = grammar.split_once(" (").map_or(grammar, |(name, _)| name);
            let index = numbers.engines.iter().position(|&known| known == engine).unwrap_or_else(|| {
                numbers.engines.push(engine);
                numbers.engines.len() - 1
            });
            if numbers.grammars.last().is_none_or(|&(last, _)| last != grammar) {
                numbers.grammars.push((grammar, Vec::new()));
            }
            if let Some((_, row)) = numbers.grammars.last_mut() {
                row.resize(row.len().max(index + 1), NO_RESULT);
                row[index] = number;
            }
        }
        let count = numbers.engines.len();
        numbers.grammars.iter_mut().for_each(|(_, row)| row.resize(count, NO_RESULT));
        Ok(numbers)
    }
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.trim_matches('|').split('|').map(str::trim)
}

/// Width of the chart, and of the part left of the bars, in pixels.
const WIDTH: f64 = 760.0;
const LEFT: f64 = 90.0;
/// Right end of the longest bar, in pixels. Its number follows.
const RIGHT: f64 = 690.0;
/// Top of the first bar, height of a bar, and space between two grammars, in pixels.
const TOP: f64 = 84.0;
const BAR: f64 = 9.0;
const GAP: f64 = 9.0;
/// Classes of the bars in the order of the engines.
const COLOURS: [&str; 5] = ["a", "b", "c", "d", "e"];

const STYLE: &str = "<style>
text { font: 12px sans-serif; fill: #1f2328 } .number { font-size: 9px } .title { font-size: 15px; font-weight: bold }
.frame { fill: #ffffff } .grid { stroke: #d0d7de }
.a { fill: #54a3f5 } .b { fill: #0950a8 } .c { fill: #d4700b } .d { fill: #8b949e } .e { fill: #2da44e }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .frame { fill: #0d1117 } .grid { stroke: #30363d }
.a { fill: #388bfd } .b { fill: #a5d6ff } .c { fill: #f0a04b }
}
</style>";

/// Draws a bar for each number on a logarithmic scale.
fn draw(numbers: &Numbers<'_>, run: &str) -> anyhow::Result<String> {
    let value = |cell: &str| cell.parse::<f64>().ok().filter(|value| *value > 0.0);
    let values = || numbers.grammars.iter().flat_map(|(_, row)| row.iter().filter_map(|cell| value(cell)));
    let least = values().fold(f64::INFINITY, f64::min).log10().floor();
    let most = values().fold(0.0, f64::max).log10().ceil();
    ensure!(least < most && numbers.engines.len() <= COLOURS.len(), "no numbers, or too many engines");
    let place = |value: f64| LEFT + (value.log10() - least) / (most - least) * (RIGHT - LEFT);
    let group = BAR * numbers.engines.len() as f64 + GAP;
    let bottom = TOP + group * numbers.grammars.len() as f64;
    let height = bottom + 26.0;

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\">\n<title>Mean time of a mask</title>\n{STYLE}\n"
    );
    writeln!(svg, "<rect class=\"frame\" width=\"{WIDTH}\" height=\"{height}\" rx=\"6\"/>")?;
    writeln!(
        svg,
        "<text class=\"title\" x=\"16\" y=\"26\">Mean time of a mask on the first pass over a text</text>"
    )?;
    writeln!(svg, "<text x=\"16\" y=\"44\">microseconds, logarithmic; {run}</text>")?;
    for (index, engine) in numbers.engines.iter().enumerate() {
        let x = 16.0 + 150.0 * index as f64;
        writeln!(svg, "<rect class=\"{}\" x=\"{x}\" y=\"55\" width=\"11\" height=\"11\"/>", COLOURS[index])?;
        writeln!(svg, "<text x=\"{}\" y=\"65\">{engine}</text>", x + 16.0)?;
    }
    for exponent in least as i32..=most as i32 {
        let (x, power) = (place(10_f64.powi(exponent)), 10_f64.powi(exponent));
        writeln!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{}\" y2=\"{bottom}\"/>",
            TOP - 6.0
        )?;
        writeln!(svg, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{power}</text>", bottom + 16.0)?;
    }
    for (row, (grammar, cells)) in numbers.grammars.iter().enumerate() {
        let top = TOP + group * row as f64;
        let middle = top + (group - GAP) / 2.0 + 4.0;
        writeln!(svg, "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{grammar}</text>", LEFT - 8.0)?;
        for (index, cell) in cells.iter().enumerate() {
            let y = top + BAR * index as f64;
            let (end, label) = match value(cell) {
                Some(number) => (place(number), *cell),
                None => (LEFT, "no result"),
            };
            writeln!(
                svg,
                "<rect class=\"{}\" x=\"{LEFT}\" y=\"{y}\" width=\"{:.1}\" height=\"{}\"/>",
                COLOURS[index],
                end - LEFT,
                BAR - 1.0
            )?;
            writeln!(
                svg,
                "<text class=\"number\" x=\"{:.1}\" y=\"{}\">{label}</text>",
                end + 4.0,
                y + BAR - 1.0
            )?;
        }
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "# Benchmarks

Written.

- commit abc, rustc
- vocabulary o200k: 5 ids

# Engines

## Compiling, and memory

| grammar | engine | compile ms | × | and first mask ms | × |
| --- | --- | --: | --: | --: | --: |
| c | ours | 1 | | 2 | |
| c | theirs | 3 | | 4 | |

## Masks on the first pass over a text

| grammar (tokens) | engine | p50 | mean |
| --- | --- | --: | --: |
| c (30) | ours | 5 | 0.6 |
| c (0) | theirs | – | – |
| json (30) | theirs | 7 | 80 |
";

    #[test]
    fn numbers_are_those_of_the_tables() {
        let masks = Numbers::read(DOCUMENT, MASKS).expect("a table");
        let grammars = vec![("c", vec!["0.6", "–"]), ("json", vec!["–", "80"])];
        assert_eq!(masks, Numbers { engines: vec!["ours", "theirs"], grammars });
    }

    #[test]
    fn the_start_is_replaced() {
        let once = overview(DOCUMENT, "peers.svg").expect("an overview");
        let start = "# Benchmarks\n\nWritten.\n\n## Against other engines\n\n![";
        assert!(once.document.starts_with(start), "{}", once.document);
        assert!(once.document.contains("| c | 0.6 | – |\n| json | – | 80 |\n"));
        assert!(once.document.contains("\n\n## Conditions\n\n- commit abc"));
        let twice = overview(&once.document, "peers.svg").expect("an overview");
        assert_eq!((twice.document, twice.chart), (once.document, once.chart));
    }

    #[test]
    fn a_bar_of_the_chart_is_as_long_as_its_logarithm() {
        let chart = overview(DOCUMENT, "peers.svg").expect("an overview").chart;
        // From 0.1 to 100: 0.6 is at 26 %, 80 at 97 %.
        for length in ["width=\"155.6\"", "width=\"580.6\"", "width=\"0.0\"", ">no result<"] {
            assert!(chart.contains(length), "{chart} lacks {length}");
        }
    }

    #[test]
    fn a_document_without_tables_is_an_error() {
        assert!(overview("# Benchmarks\n\n- commit abc, x\n", "peers.svg").is_err());
        assert!(overview(&DOCUMENT.replace("mean", "middle"), "peers.svg").is_err());
    }
}

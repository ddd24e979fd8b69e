//! Rules about prose and names, with a budget of findings for each crate.
//!
//! The rules hold for comments, documents and names of constants: see CONTRIBUTING.md. `cargo xtask tidy`
//! fails where a crate has more findings than [`PROSE_BUDGET`] allows, and `cargo xtask tidy --prose` lists
//! them.

mod blocks;
mod budget;
mod constants;
mod folders;
mod sentences;
mod words;

use std::collections::BTreeMap;
use std::io::Write;

pub use budget::PROSE_BUDGET;
pub use folders::check as check_folders;

use super::lexer::{Kind, segments};
use super::{Finding, TextFile};
use blocks::{Block, markdown_blocks, rust_blocks};

/// Columns of a line with a comment, and of a line of a document. Tables, code and lines with links may be
/// longer.
const MAX_COLUMNS: usize = 110;

/// The area of all documents that belong to no crate.
const DOCUMENTS: &str = "documents";

/// A rule of prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// A line is wider than 110 columns.
    Width,
    /// A sentence has more than 30 words.
    Length,
    /// A sentence begins with a free relative clause, or with a vague quantity.
    Opening,
    /// A word or phrase that is on the deny-list, or a name that has been replaced.
    Word(&'static str),
    /// A constant whose name is an adjective, or begins with a vague quantity.
    Constant,
    /// A folder holds more than 12 Rust files.
    Folder,
}

/// Titles of the columns in which rules are counted.
const COLUMNS: [&str; 6] = ["width", "length", "opening", "word", "constant", "folder"];

impl Rule {
    /// Index into [`COLUMNS`].
    fn column(self) -> usize {
        match self {
            Self::Width => 0,
            Self::Length => 1,
            Self::Opening => 2,
            Self::Word(_) => 3,
            Self::Constant => 4,
            Self::Folder => 5,
        }
    }
}

/// A place that breaks a rule of prose.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The place, with a message.
    pub finding: Finding,
    /// The rule.
    pub rule: Rule,
}

impl Violation {
    fn new(path: &str, line: usize, rule: Rule, message: impl Into<String>) -> Self {
        Self { finding: Finding { path: path.to_owned(), line, message: message.into() }, rule }
    }
}

/// Checks all files. Returns violations by area: the name of a crate, `xtask`, `benches` or `documents`.
pub fn check(files: &[TextFile]) -> BTreeMap<String, Vec<Violation>> {
    let mut areas: BTreeMap<String, Vec<Violation>> = BTreeMap::new();
    for file in files {
        let violations = check_file(&file.path, &file.content);
        if !violations.is_empty() {
            areas.entry(area(&file.path)).or_default().extend(violations);
        }
    }
    for violation in check_folders(files.iter().map(|file| &*file.path)) {
        areas.entry(area(&violation.finding.path)).or_default().push(violation);
    }
    areas.values_mut().for_each(|violations| violations.sort());
    areas
}

/// Checks one file.
fn check_file(path: &str, content: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    let blocks = if path.ends_with(".rs") {
        violations.extend(constants::check(path, content));
        violations.extend(words_in_code(path, content));
        rust_blocks(content)
    } else if path.ends_with(".md") {
        markdown_blocks(content)
    } else {
        return violations;
    };
    for block in &blocks {
        violations.extend(widths(path, block));
        violations.extend(sentences::check(path, block));
        let found = words::find(&block.prose());
        violations.extend(found.into_iter().map(|(at, word)| {
            Violation::new(path, block.line_at(at), Rule::Word(word), format!("`{word}` is on the deny-list"))
        }));
    }
    violations
}

/// The lines of a block that are too wide.
fn widths(path: &str, block: &Block) -> Vec<Violation> {
    block
        .lines
        .iter()
        .filter(|line| line.columns > MAX_COLUMNS && line.is_prose && !has_link(&line.text))
        .map(|line| {
            let message = format!("{} columns, {MAX_COLUMNS} are the limit", line.columns);
            Violation::new(path, line.number, Rule::Width, message)
        })
        .collect()
}

fn has_link(line: &str) -> bool {
    line.contains("://") || line.contains("](") || line.starts_with('|')
}

/// Words of the deny-list in names and literals.
fn words_in_code(path: &str, content: &str) -> Vec<Violation> {
    // The deny-list itself.
    if path.starts_with("xtask/src/tidy/prose") {
        return Vec::new();
    }
    let mut violations = Vec::new();
    for (range, kind) in segments(content) {
        let line_of = |at: usize| content[..range.start + at].matches('\n').count() + 1;
        if kind == Kind::Comment {
            continue;
        }
        if kind == Kind::Code {
            for (at, old, new) in words::find_old_names(&content[range.clone()]) {
                let message = format!("`{old}` is called `{new}`");
                violations.push(Violation::new(path, line_of(at), Rule::Word(old), message));
            }
        }
        for (at, word) in words::find(&content[range.clone()]) {
            let message = format!("`{word}` is on the deny-list");
            violations.push(Violation::new(path, line_of(at), Rule::Word(word), message));
        }
    }
    violations
}

/// The area that a path belongs to.
fn area(path: &str) -> String {
    let mut parts = path.split('/');
    match (parts.next(), parts.next()) {
        (Some("crates"), Some(name)) => name.to_owned(),
        (Some(name @ ("xtask" | "benches")), Some(_)) => name.to_owned(),
        _ => DOCUMENTS.to_owned(),
    }
}

/// One finding for each area with more violations than its budget.
pub fn over_budget(areas: &BTreeMap<String, Vec<Violation>>) -> Vec<Finding> {
    let over = |(area, violations): (&String, &Vec<Violation>)| {
        let budget = budget_of(area);
        (violations.len() > budget).then(|| {
            Finding::of_file(
                area,
                format!(
                    "{} findings of prose, {budget} are allowed: cargo xtask tidy --prose {area}",
                    violations.len()
                ),
            )
        })
    };
    areas.iter().filter_map(over).collect()
}

fn budget_of(area: &str) -> usize {
    PROSE_BUDGET.iter().find(|(name, _)| *name == area).map_or(0, |(_, budget)| *budget)
}

/// Prints the violations of one area, or the counts of all areas.
///
/// # Errors
/// If nothing can be printed.
pub fn print(areas: &BTreeMap<String, Vec<Violation>>, only: Option<&str>) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if let Some(only) = only {
        let violations = areas.get(only).map_or(&[][..], Vec::as_slice);
        for violation in violations {
            writeln!(out, "{}", violation.finding)?;
        }
        writeln!(out, "{only}: {} findings of prose, {} are allowed", violations.len(), budget_of(only))?;
        return Ok(());
    }
    write!(out, "{:<22} {:>6} {:>6}", "area", "budget", "all")?;
    COLUMNS.iter().try_for_each(|title| write!(out, " {title:>8}"))?;
    writeln!(out)?;
    let mut sums = [0; COLUMNS.len()];
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    for (area, violations) in areas {
        let mut counts = [0; COLUMNS.len()];
        for Violation { rule, .. } in violations {
            counts[rule.column()] += 1;
            if let Rule::Word(word) = rule {
                *words.entry(word).or_default() += 1;
            }
        }
        write!(out, "{area:<22} {:>6} {:>6}", budget_of(area), violations.len())?;
        counts.iter().try_for_each(|count| write!(out, " {count:>8}"))?;
        writeln!(out)?;
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    let budgets: usize = PROSE_BUDGET.iter().map(|(_, budget)| budget).sum();
    write!(out, "{:<22} {budgets:>6} {:>6}", "sum", sums.iter().sum::<usize>())?;
    sums.iter().try_for_each(|sum| write!(out, " {sum:>8}"))?;
    writeln!(out)?;
    for (word, count) in words {
        writeln!(out, "{count:>6}  {word}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, content: &str) -> Vec<String> {
        check_file(path, content).into_iter().map(|violation| violation.finding.to_string()).collect()
    }

    #[test]
    fn wide_comments_and_documents_are_found() {
        let wide = "word ".repeat(23);
        let code =
            format!("/// {wide}\nfn f() {{}} // {wide}\nlet x = \"{wide}\";\n/// ```\n/// {wide}\n/// ```\n");
        assert_eq!(
            messages("crates/x/src/a.rs", &code),
            [
                "crates/x/src/a.rs:1: 119 columns, 110 are the limit",
                "crates/x/src/a.rs:2: 128 columns, 110 are the limit"
            ]
        );
        let text = format!("{wide}\n\n| {wide} |\n\n{wide} [x](y)\n");
        assert_eq!(messages("docs/a.md", &text), ["docs/a.md:1: 115 columns, 110 are the limit"]);
    }

    #[test]
    fn words_of_the_deny_list_are_found_in_comments_names_and_literals() {
        let code =
            "// Nobody\n// stands\n// in for so\n// many.\nfn is_told(x: so_many) { f(\"somebody\") }\n";
        let rules: Vec<Rule> =
            check_file("crates/x/src/a.rs", code).into_iter().map(|violation| violation.rule).collect();
        let word = |word| Rule::Word(word);
        assert_eq!(
            rules,
            [
                word("so many"),
                word("is told"),
                word("somebody"),
                word("nobody"),
                word("so many"),
                word("stands in")
            ]
        );
    }

    #[test]
    fn areas_are_crates() {
        for (path, name) in [
            ("crates/grammask/src/lib.rs", "grammask"),
            ("xtask/src/lib.rs", "xtask"),
            ("docs/kbnf.md", DOCUMENTS),
            ("README.md", DOCUMENTS),
        ] {
            assert_eq!(area(path), name);
        }
    }

    #[test]
    fn area_without_budget_has_none() {
        let violation = Violation::new("crates/new/src/a.rs", 1, Rule::Width, "wide");
        let areas = BTreeMap::from([("new".to_owned(), vec![violation])]);
        assert_eq!(
            over_budget(&areas)[0].to_string(),
            "new: 1 findings of prose, 0 are allowed: cargo xtask tidy --prose new"
        );
    }
}

//! The official suite of JSON Schema: every case, byte by byte.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use grammask::{Config, TokenId};
use grammask_json_schema::{Document, Draft, Formats};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::data::Instance;
use super::follow::catching;
use super::judge::{Judge, Refusal, judges};
use super::options::SuiteOptions;
use super::report::part;
use super::tally::Failure;
use crate::input::vocabulary::Words;

/// Folders and drafts.
const DRAFTS: &[(&str, Draft)] = &[
    ("4", Draft::Draft4),
    ("6", Draft::Draft6),
    ("7", Draft::Draft7),
    ("2019-09", Draft::Draft201909),
    ("2020-12", Draft::Draft202012),
];

/// Base URI of the suite's remote schemas.
const REMOTES: &str = "http://localhost:1234/";

/// Counts of an engine over some cases.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    /// Number of cases.
    pub cases: usize,
    /// Cases judged rightly.
    pub right: usize,
    /// Cases whose schema is refused.
    pub refused: usize,
    /// Invalid cases that are accepted.
    pub false_positives: usize,
    /// Valid cases that are refused.
    pub false_negatives: usize,
    /// Cases with a panic or a limit.
    pub troubles: usize,
}

/// Results of a run.
pub struct Results {
    /// The engines.
    pub engines: Vec<&'static str>,
    /// A score for each engine, by file, such as `draft2020-12/optional/format/date.json`.
    pub files: BTreeMap<String, Vec<Score>>,
    /// Failures.
    pub failures: Vec<Failure>,
}

#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Value,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    description: String,
    data: Box<RawValue>,
    valid: bool,
}

/// Runs the cases of the selected drafts.
///
/// # Errors
/// If there is no such draft, or a file cannot be read.
pub fn run(options: &SuiteOptions) -> anyhow::Result<Results> {
    let drafts: Vec<_> =
        DRAFTS.iter().filter(|(name, _)| options.draft == "all" || options.draft == *name).collect();
    if drafts.is_empty() {
        bail!("--draft 4, 6, 7, 2019-09, 2020-12 or all, not {}", options.draft);
    }
    let words = Words::of_bytes();
    let vocabulary = words.vocabulary()?;
    let mut config = Config::default().with_profile(options.profile).ending_with([TokenId(words.end)]);
    config.json_schema.documents = documents(&options.path.join("remotes"))?;
    let mut results = Results { engines: Vec::new(), files: BTreeMap::new(), failures: Vec::new() };
    for &&(name, draft) in &drafts {
        config.json_schema.draft = draft;
        let mut annotating = config.clone();
        annotating.json_schema.formats = Formats::Annotations;
        let mut annotators = judges(&words, &vocabulary, &annotating, options.has_peers)?;
        let mut judges = judges(&words, &vocabulary, &config, options.has_peers)?;
        results.engines = judges.iter().map(|judge| judge.name()).collect();
        let folder = options.path.join("tests").join(format!("draft{name}"));
        for path in files(&folder)? {
            let name = relative(&path, &options.path.join("tests"));
            // Only the cases of `optional` assert formats.
            let judges = if name.contains("/optional/") || !name.ends_with("/format.json") {
                &mut judges
            } else {
                &mut annotators
            };
            file(&path, &name, judges, words.end, &mut results)?;
        }
    }
    Ok(results)
}

/// Returns the draft with a name such as `7` or `2019-09`. Returns `None` if there is none.
pub(crate) fn draft_named(name: &str) -> Option<Draft> {
    DRAFTS.iter().find(|(known, _)| *known == name).map(|(_, draft)| *draft)
}

fn file(
    path: &Path,
    name: &str,
    judges: &mut [Box<dyn Judge>],
    end: u32,
    results: &mut Results,
) -> anyhow::Result<()> {
    let context = || path.display().to_string();
    let groups: Vec<Group> =
        serde_json::from_str(&std::fs::read_to_string(path).with_context(context)?).with_context(context)?;
    let mut scores = vec![Score::default(); judges.len()];
    for Group { description, schema, tests } in groups {
        for test in tests {
            let instance = Instance::new(test.valid, &test.data);
            for (judge, score) in judges.iter_mut().zip(&mut scores) {
                let judged = catching(|| is_accepted(&mut **judge, &schema, instance.text.as_bytes(), end));
                score.cases += 1;
                let cause = match judged {
                    Ok(Ok(is_accepted)) if is_accepted == test.valid => {
                        score.right += 1;
                        continue;
                    }
                    Ok(Ok(true)) => {
                        score.false_positives += 1;
                        "invalid, accepted".to_owned()
                    }
                    Ok(Ok(false)) => {
                        score.false_negatives += 1;
                        let at = judge.live_bytes(instance.text.as_bytes());
                        at.map_or("valid, refused".to_owned(), |at| format!("valid, refused at byte {at}"))
                    }
                    Ok(Err(Problem::Refused(refusal))) => {
                        score.refused += 1;
                        format!("refused to compile: {}", refusal.message)
                    }
                    Ok(Err(Problem::Trouble(message))) | Err(message) => {
                        score.troubles += 1;
                        message
                    }
                };
                results.failures.push(Failure {
                    index: results.failures.len(),
                    engine: judge.name(),
                    name: format!("{name}: {description}: {}", test.description),
                    causes: vec![cause],
                });
            }
        }
    }
    results.files.insert(name.to_owned(), scores);
    Ok(())
}

/// Reason why there is no verdict.
enum Problem {
    /// The schema is refused.
    Refused(Refusal),
    /// The engine hits a limit or contradicts itself.
    Trouble(String),
}

/// Returns `true` if a text is one of the schema's documents. Tokens are bytes.
fn is_accepted(judge: &mut dyn Judge, schema: &Value, text: &[u8], end: u32) -> Result<bool, Problem> {
    judge.prepare(schema);
    match judge.compile() {
        Ok(()) => {}
        // A refusal because no document is valid is a verdict.
        Err(refusal) if refusal.is_empty => return Ok(false),
        Err(refusal) => return Err(Problem::Refused(refusal)),
    }
    for &byte in text {
        judge.mask().map_err(Problem::Trouble)?;
        let token = u32::from(byte);
        if !judge.allows(token) {
            return Ok(false);
        }
        judge.accept(token).map_err(Problem::Trouble)?;
    }
    judge.mask().map_err(Problem::Trouble)?;
    Ok(judge.allows(end))
}

/// Returns the schemas to which others refer.
fn documents(folder: &Path) -> anyhow::Result<Vec<Document>> {
    let mut documents = Vec::new();
    for path in files(folder)? {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let schema = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        documents.push(Document { uri: format!("{REMOTES}{}", relative(&path, folder)), schema });
    }
    Ok(documents)
}

/// Returns all JSON files below a folder, sorted.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn relative(path: &Path, folder: &Path) -> String {
    let parts = path.strip_prefix(folder).unwrap_or(path).components();
    parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

impl Score {
    fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.right += other.right;
        self.refused += other.refused;
        self.false_positives += other.false_positives;
        self.false_negatives += other.false_negatives;
        self.troubles += other.troubles;
    }
}

impl Results {
    /// Returns the sums over the files that `is_wanted` selects.
    fn sums(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<Score> {
        let mut sums = vec![Score::default(); self.engines.len()];
        for scores in self.files.iter().filter(|(name, _)| is_wanted(name)).map(|(_, scores)| scores) {
            for (sum, score) in sums.iter_mut().zip(scores) {
                sum.add(score);
            }
        }
        sums
    }
}

/// Tables as Markdown.
impl Display for Results {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Right: accepted as stated; a schema that is said to have no valid document rejects all. Refused: the schema does not compile.\n"
        )?;
        write!(f, "| | cases |")?;
        for engine in &self.engines {
            write!(f, " {engine}: right | refused | false positives | false negatives | troubles |")?;
        }
        writeln!(f, "\n| --- | --: |{}", " --: |".repeat(5 * self.engines.len()))?;
        let is_optional = |name: &str| name.contains("/optional/");
        let is_format = |name: &str| name.contains("/optional/format/");
        row(f, "**all**", &self.sums(|_| true), true)?;
        row(f, "required", &self.sums(|name| !is_optional(name)), true)?;
        row(f, "optional, without formats", &self.sums(|name| is_optional(name) && !is_format(name)), true)?;
        row(f, "optional formats", &self.sums(is_format), true)?;
        for (name, scores) in &self.files {
            row(f, name, scores, false)?;
        }
        Ok(())
    }
}

fn row(f: &mut Formatter<'_>, name: &str, scores: &[Score], with_part: bool) -> fmt::Result {
    write!(f, "| {name} | {} |", scores.first().map_or(0, |score| score.cases))?;
    for score in scores {
        let Score { cases, right, refused, false_positives, false_negatives, troubles } = *score;
        let right = if with_part { part(right, cases) } else { right.to_string() };
        write!(f, " {right} | {refused} | {false_positives} | {false_negatives} | {troubles} |")?;
    }
    writeln!(f)
}

//! `cargo xtask schemastore` and `cargo xtask generators`: schemas as people and libraries write them today,
//! each compiled by default and relaxed, with verdicts on their documents.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Context;
use grammask::{Config, Grammar, TokenId, Vocabulary};
use grammask_json_schema::{Document, Draft, Unsupported, missing_documents};
use serde_json::Value;

use super::practice_report::Tables;
use crate::input::vocabulary::Words;
use crate::schemas::data::{Entry, Instance, lines};
use crate::schemas::follow::catching;
use crate::schemas::judge::{self, refusal};
use crate::schemas::options::PracticeOptions;
use crate::schemas::tally::{Failure, Tally, write_failures};

/// Bytes of stack for the validator, which is recursive.
const STACK_BYTES: usize = 512 << 20;

/// The address of SchemaStore's schemas.
const HOST: &str = "https://json.schemastore.org/";

/// Time between two lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

/// Verdict of the validator on a document. `None` if it has none.
type SecondOpinion<'v> = &'v dyn Fn(&str) -> Option<bool>;

/// Counts under one configuration.
#[derive(Default)]
pub struct Column {
    /// Name of the configuration.
    pub name: &'static str,
    /// Counts that are common to all programs.
    pub tally: Tally,
    /// Compiled schemas among those whose references lead to given documents.
    pub compiled_complete: usize,
    /// Invalid documents that weakened schemas accept.
    pub accepted_weakly: usize,
    /// Documents judged otherwise than the data say, where the validator agrees with the verdict.
    pub disputed: Vec<String>,
    /// Documents judged as the data say, where the validator does not agree.
    pub doubted: Vec<String>,
    /// Nanoseconds and name for each compiled or refused schema.
    pub times: Vec<(u64, String)>,
}

/// Results of a run.
pub struct Results {
    /// Number of schemas.
    pub schemas: usize,
    /// Number of schemas whose references all lead to given documents.
    pub complete: usize,
    /// URIs that are not given, with the number of schemas that need them.
    pub missing: BTreeMap<String, usize>,
    /// Errors of lines that cannot be read.
    pub unreadable: Vec<String>,
    /// One column for each configuration.
    pub columns: Vec<Column>,
}

/// Runs the program, and returns its report.
///
/// # Errors
/// If a file cannot be read or written.
pub fn main(options: &PracticeOptions) -> anyhow::Result<String> {
    if options.help {
        return Ok(options.help_text());
    }
    if !options.path.exists() {
        return Ok(format!("{}: skipped, as there is no {}\n", options.program, options.path.display()));
    }
    // Panics are caught, counted and listed with the schema.
    std::panic::set_hook(Box::new(|_| {}));
    let results = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, || run(options))?;
        thread.join().map_err(|_| anyhow::anyhow!("a panic outside of the engine"))?
    })?;
    if let Some(path) = &options.failures {
        write_failures(path, results.columns.iter().flat_map(|column| &column.tally.failures))?;
    }
    Ok(Tables(&results).to_string())
}

/// Compiles all schemas, and judges their documents.
///
/// # Errors
/// If a file cannot be read.
pub fn run(options: &PracticeOptions) -> anyhow::Result<Results> {
    let words = Words::of_bytes();
    let vocabulary = words.vocabulary()?;
    let mut strict = Config::default().with_profile(options.profile).ending_with([TokenId(words.end)]);
    if let Some(draft) = &options.draft {
        strict.json_schema.draft = draft_named(draft)?;
    }
    let mut relaxed = strict.clone();
    relaxed.json_schema.unsupported = Unsupported::Relax;
    judge::warm(&vocabulary, &strict)?;
    let mut results = Results {
        schemas: 0,
        complete: 0,
        missing: BTreeMap::new(),
        unreadable: Vec::new(),
        columns: ["by default", "relaxed"].map(|name| Column { name, ..Column::default() }).into(),
    };
    let mut entries = Vec::new();
    for (index, line) in lines(&options.path)?.iter().enumerate() {
        match Entry::parse(line) {
            Ok(entry) => entries.push(entry),
            Err(error) => {
                let start: String = line.chars().take(60).collect();
                results.unreadable.push(format!("line {}, {start}: {error}", index + 1));
            }
        }
    }
    let library = Library::new(&entries);
    let mut told = Instant::now();
    for (index, entry) in entries.iter().enumerate().take(options.limit.unwrap_or(usize::MAX)) {
        if !options.only.is_empty() && !options.only.iter().any(|only| entry.name.contains(&**only)) {
            continue;
        }
        if told.elapsed() > PROGRESS_INTERVAL {
            eprintln!("{index} of {}: {}", entries.len(), entry.name);
            told = Instant::now();
        }
        let (documents, missing) = library.closure(entry);
        results.schemas += 1;
        results.complete += usize::from(missing.is_empty());
        for uri in &missing {
            *results.missing.entry(uri.clone()).or_default() += 1;
        }
        for (column, config) in results.columns.iter_mut().zip([&strict, &relaxed]) {
            let mut config = config.clone();
            config.json_schema.documents.clone_from(&documents);
            if let Some(draft) = &entry.draft {
                config.json_schema.draft = draft_named(draft)?;
            }
            let mut trial = Trial { entry, config, vocabulary: &vocabulary, column, causes: Vec::new() };
            if let Err(panic) = catching(|| trial.run(missing.is_empty())) {
                trial.column.tally.panics += 1;
                trial.causes.push(panic);
            }
            let causes = trial.causes;
            if causes.is_empty() {
                column.tally.right += 1;
            } else {
                let failure = Failure { index, engine: column.name, name: entry.name.clone(), causes };
                column.tally.failures.push(failure);
            }
        }
    }
    Ok(results)
}

/// A schema under one configuration.
struct Trial<'t> {
    entry: &'t Entry,
    config: Config,
    vocabulary: &'t Vocabulary,
    column: &'t mut Column,
    causes: Vec<String>,
}

impl Trial<'_> {
    fn run(&mut self, is_complete: bool) {
        let start = Instant::now();
        let compiled = Grammar::from_json_schema(&self.entry.schema, self.vocabulary, &self.config);
        let time = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.column.times.push((time, self.entry.name.clone()));
        let grammar = match compiled {
            Ok(grammar) => grammar,
            Err(error) => {
                let refusal = refusal(&error);
                self.column.tally.refuse(&refusal);
                self.causes.push(refusal.message);
                return;
            }
        };
        self.column.tally.compiled += 1;
        self.column.compiled_complete += usize::from(is_complete);
        let is_weakened = !grammar.relaxations().is_empty();
        self.column.tally.relaxed += usize::from(is_weakened);
        let schema = &self.entry.schema;
        let opinion = second_opinion(schema, &self.config);
        for (number, instance) in self.entry.instances.iter().enumerate() {
            self.judge(&grammar, is_weakened, number, instance, &opinion);
        }
    }

    fn judge(
        &mut self,
        grammar: &Grammar,
        is_weakened: bool,
        number: usize,
        instance: &Instance,
        opinion: SecondOpinion<'_>,
    ) {
        self.column.tally.instances += 1;
        let Instance { is_valid, text } = instance;
        let mut matcher = grammar.matcher();
        let is_accepted = matcher.accept_bytes(text.as_bytes()).is_accepted() && matcher.is_complete();
        if let Some(error) = matcher.error() {
            self.column.tally.troubles += 1;
            self.causes.push(format!("instance {number}: {error}"));
            return;
        }
        let opinion = opinion(text);
        let shown: String = text.chars().take(300).collect();
        let line = || format!("{}, instance {number}: {shown}", self.entry.name);
        if is_accepted == *is_valid {
            if opinion.is_some_and(|opinion| opinion != is_accepted) {
                self.column.doubted.push(line());
            }
            return;
        }
        if is_accepted && is_weakened {
            self.column.accepted_weakly += 1;
            return;
        }
        if opinion == Some(is_accepted) {
            self.column.disputed.push(line());
            return;
        }
        let cause = if is_accepted {
            self.column.tally.invalid_accepted += 1;
            format!("invalid, accepted: {shown}")
        } else {
            self.column.tally.valid_refused += 1;
            format!("valid, refused at {}", refused_at(grammar, text))
        };
        self.causes.push(format!("instance {number}: {cause}"));
    }
}

/// Returns the number of accepted bytes of a text, with the text around it.
fn refused_at(grammar: &Grammar, text: &str) -> String {
    let mut matcher = grammar.matcher();
    let live = text.as_bytes().chunks(1).take_while(|byte| matcher.accept_bytes(byte).is_accepted()).count();
    super::maskbench::place(text, live)
}

#[cfg(feature = "walks")]
fn second_opinion(schema: &Value, config: &Config) -> impl Fn(&str) -> Option<bool> + use<> {
    let config = &config.json_schema;
    let built = catching(|| super::validator::validator(schema, config.draft, &config.documents));
    let validator = built.ok().and_then(Result::ok);
    move |text: &str| {
        let document: Value = serde_json::from_str(text).ok()?;
        let validator = validator.as_ref()?;
        catching(|| validator.is_valid(&document)).ok()
    }
}

#[cfg(not(feature = "walks"))]
fn second_opinion(_: &Value, _: &Config) -> impl Fn(&str) -> Option<bool> + use<> {
    |_: &str| None
}

/// Returns the draft with a name such as `7` or `2019-09`.
fn draft_named(name: &str) -> anyhow::Result<Draft> {
    crate::schemas::suite::draft_named(name)
        .with_context(|| format!("draft 4, 6, 7, 2019-09 or 2020-12, not {name}"))
}

/// The schemas of the data by their URIs.
struct Library<'e> {
    by_uri: BTreeMap<String, &'e Value>,
}

impl<'e> Library<'e> {
    /// Registers each schema under its identifier and under the addresses of SchemaStore.
    fn new(entries: &'e [Entry]) -> Self {
        let mut by_uri = BTreeMap::new();
        for Entry { name, schema, .. } in entries {
            let own = ["$id", "id"].iter().find_map(|keyword| schema.get(keyword)?.as_str());
            let own = own.map(|uri| uri.split('#').next().unwrap_or_default().to_owned());
            let stem = name.strip_suffix(".json").unwrap_or(name);
            let hosts = [HOST, "http://json.schemastore.org/", "https://www.schemastore.org/"];
            let addresses =
                hosts.iter().flat_map(|host| [format!("{host}{stem}"), format!("{host}{stem}.json")]);
            for uri in own.into_iter().chain(addresses).filter(|uri| !uri.is_empty()) {
                by_uri.entry(uri).or_insert(schema);
            }
        }
        Self { by_uri }
    }

    /// Returns the schema with a URI. Schemas without an identifier refer to others by relative URIs.
    fn named(&self, uri: &str) -> Option<&'e Value> {
        let known = self.by_uri.get(uri).or_else(|| self.by_uri.get(&format!("{HOST}{uri}")));
        known.copied()
    }

    /// Returns the documents to which an entry refers, directly or through others, and the URIs that are not
    /// in the data.
    fn closure(&self, entry: &Entry) -> (Vec<Document>, Vec<String>) {
        let mut config = grammask_json_schema::Config::default();
        if let Some(draft) = entry.draft.as_deref().and_then(crate::schemas::suite::draft_named) {
            config.draft = draft;
        }
        loop {
            // A schema that is too deep is refused for that reason below.
            let missing = missing_documents(&entry.schema, &config).unwrap_or_default();
            let known = missing.iter().filter_map(|uri| Some((uri, self.named(uri)?)));
            let known: Vec<Document> =
                known.map(|(uri, schema)| Document { uri: uri.clone(), schema: schema.clone() }).collect();
            if known.is_empty() {
                return (config.documents, missing);
            }
            config.documents.extend(known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_lead_to_other_schemas_of_the_file() {
        let lines = [
            r#"{"name":"a.json","schema":{"items":{"$ref":"https://json.schemastore.org/b"}},"tests":[{"valid":true,"data":[1]},{"valid":false,"data":["x"]},{"valid":true,"data":[null]}]}"#,
            r#"{"name":"b.json","schema":{"type":"integer"},"tests":[]}"#,
            r#"{"name":"c.json","schema":{"$ref":"https://example.org/d"},"tests":[]}"#,
        ];
        let path = std::env::temp_dir().join(format!("grammask-practice-{}.jsonl", std::process::id()));
        std::fs::write(&path, lines.join("\n")).expect("a file");
        let words = [path.to_string_lossy().into_owned()].into_iter();
        let options = PracticeOptions::parse("schemastore", "", words).expect("a path");
        let results = run(&options).expect("results");
        std::fs::remove_file(&path).expect("the file");
        assert_eq!((results.schemas, results.complete), (3, 2));
        let strict = &results.columns[0];
        assert_eq!((strict.tally.compiled, strict.compiled_complete, strict.tally.instances), (2, 2, 3));
        // The last document is not what its author says.
        assert_eq!(strict.disputed.len() + strict.tally.valid_refused, 1);
        assert_eq!(results.missing.keys().collect::<Vec<_>>(), ["https://example.org/d"]);
        assert!(Tables(&results).to_string().contains("| complete schemas compiled | 2 (100.000 %) of 2 |"));
    }
}

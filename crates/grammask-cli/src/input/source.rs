//! Reads and compiles the grammar of a command, and reports errors with their places.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use grammask::json_schema::{
    AdditionalProperties, DateTimes, Document, Draft, Escapes, Formats, IntegerSpelling, LocatedError, Note,
    NumberSpelling, PatternDialect, Profile, PropertyOrder, Translation, Unsupported, UntaggedUnions,
    Whitespace, locate, translate_text,
};
use grammask::notation::Outcome;
use grammask::{
    Config, Error, JsonSchemaConfig, Relaxation, Vocabulary, lark, resolve_special_tokens, tags,
    translate_schemas,
};
use grammask_earley::{Callee, Network, Recognizer};
use grammask_normal::NormalForm;
use grammask_regular::Store;
use grammask_syntax::{Ast, Diagnostic, Report, line_column};
use serde_json::json;

use crate::args::{
    ChoiceArgs, DateTimesChoice, DraftChoice, EscapesChoice, FormatsChoice, IntegersChoice, NotationChoice,
    NumbersChoice, PatternDialectChoice, ProfileChoice, ReadingArgs, UntaggedUnionsChoice, WhitespaceChoice,
};
use crate::failure::{Failure, InvalidGrammar, diagnostics_to_json};
use crate::input::front_end::FrontEnd;
use crate::output::progress;

/// The text of a grammar, and its name for messages.
#[derive(Debug)]
pub(crate) struct Source {
    pub name: String,
    pub bytes: Vec<u8>,
    /// For a JSON Schema: the keywords that the grammar does not enforce, once translated. `None` for KBNF.
    relaxations: Option<OnceCell<Vec<Relaxation>>>,
    /// Remarks about readings of a JSON Schema, once translated.
    notes: OnceCell<Vec<Note>>,
    /// The front end for another notation than KBNF and JSON Schema.
    front_end: Option<FrontEnd>,
    /// The result of the front end, once translated.
    outcome: OnceCell<Outcome>,
    /// True if warnings are written to stderr.
    has_warnings: bool,
}

/// A compiled grammar, and the stages before it.
pub(crate) struct Compiled {
    pub ast: Ast,
    pub normal: NormalForm,
    pub network: Arc<Network>,
    /// Time of compiling, without reading the file.
    pub time: Duration,
}

/// Returns the configuration that the arguments ask for.
///
/// # Errors
/// If a file of `--document` cannot be read.
pub(crate) fn config(reading: &ReadingArgs) -> Result<Config, Failure> {
    let mut config = match &reading.start {
        Some(start) if reading.notation() == NotationChoice::Kbnf => Config::default().with_start(start),
        _ => Config::default(),
    };
    let defaults = match reading.notation() {
        NotationChoice::Lark => lark::Config::default().schema,
        NotationChoice::Tags => tags::Config::default().json_schema,
        _ => config.json_schema,
    };
    config.json_schema = schema_config(&reading.choices, defaults, config.syntax.limits.max_text_bytes)?;
    Ok(config)
}

/// Returns the options for JSON Schemas: those of `defaults`, with the choices of the arguments.
///
/// A profile keeps the order of properties, and the treatment of additional ones and of unsupported keywords.
/// `max_bytes` is the limit of a document.
///
/// # Errors
/// If a file of `--document` cannot be read.
fn schema_config(
    choices: &ChoiceArgs,
    defaults: JsonSchemaConfig,
    max_bytes: usize,
) -> Result<JsonSchemaConfig, Failure> {
    let mut chosen = match choices.profile {
        None => defaults,
        Some(profile) => {
            let profile = match profile {
                ProfileChoice::Generation => Profile::Generation,
                ProfileChoice::Standard => Profile::Standard,
            };
            JsonSchemaConfig {
                property_order: defaults.property_order,
                additional_properties: defaults.additional_properties,
                unsupported: defaults.unsupported,
                ..profile.into()
            }
        }
    };
    apply_spellings(choices, &mut chosen);
    if choices.as_written {
        chosen.property_order = PropertyOrder::AsWritten;
    }
    if choices.closed {
        chosen.additional_properties = AdditionalProperties::Closed;
    }
    chosen.untagged_unions = match choices.untagged_unions {
        Some(UntaggedUnionsChoice::Exact) => UntaggedUnions::Exact,
        Some(UntaggedUnionsChoice::Omitted) => UntaggedUnions::Omitted,
        None => chosen.untagged_unions,
    };
    chosen.formats = match choices.formats {
        Some(FormatsChoice::Annotations) => Formats::Annotations,
        Some(FormatsChoice::Asserted) => Formats::Asserted,
        Some(FormatsChoice::Extended) => Formats::Extended,
        None if choices.no_formats => Formats::Annotations,
        None => chosen.formats,
    };
    chosen.date_times = match choices.date_times {
        Some(DateTimesChoice::Any) => DateTimes::Any,
        Some(DateTimesChoice::Common) => DateTimes::Common,
        None => chosen.date_times,
    };
    chosen.naive_times |= choices.naive_times;
    chosen.pattern_dialect = match choices.pattern_dialect {
        Some(PatternDialectChoice::Auto) => PatternDialect::Auto,
        Some(PatternDialectChoice::Ecma) => PatternDialect::Ecma,
        Some(PatternDialectChoice::Rust) => PatternDialect::Rust,
        Some(PatternDialectChoice::Python) => PatternDialect::Python,
        None => chosen.pattern_dialect,
    };
    if choices.relax {
        chosen.unsupported = Unsupported::Relax;
    }
    chosen.draft = match choices.draft {
        Some(DraftChoice::OpenApi30) => Draft::OpenApi30,
        Some(DraftChoice::Draft4) => Draft::Draft4,
        Some(DraftChoice::Draft6) => Draft::Draft6,
        Some(DraftChoice::Draft7) => Draft::Draft7,
        Some(DraftChoice::Draft201909) => Draft::Draft201909,
        Some(DraftChoice::Draft202012) => Draft::Draft202012,
        None => chosen.draft,
    };
    for argument in &choices.documents {
        chosen.documents.push(document(argument, max_bytes)?);
    }
    Ok(chosen)
}

/// Returns an error if options for JSON Schemas are given and the grammar has none.
fn check_choices(reading: &ReadingArgs, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    let Some(option) = reading.choices.given() else { return Ok(()) };
    let mark = match reading.notation() {
        NotationChoice::JsonSchema => return Ok(()),
        NotationChoice::Kbnf => "schema!",
        NotationChoice::Lark => "%json",
        NotationChoice::Tags => "schema",
        NotationChoice::Gbnf | NotationChoice::Ebnf | NotationChoice::Regex | NotationChoice::Choice => "",
    };
    if !mark.is_empty() && bytes.windows(mark.len()).any(|window| window == mark.as_bytes()) {
        return Ok(());
    }
    Err(Failure::other(format!(
        "{option} has no effect: {name} has no JSON Schema inside; with --schema, the whole file is read as one"
    )))
}

/// Maximum number of levels of arrays and objects in a `--document`, as `serde_json` has it.
const MAX_DOCUMENT_LEVELS: usize = 127;

/// Reads a schema that others may refer to. `argument` is its URI and its file, with `=` between them. A URI
/// may contain `=`, so the last one counts that is followed by the name of a file.
fn document(argument: &str, max_bytes: usize) -> Result<Document, Failure> {
    let splits = argument.match_indices('=').map(|(index, _)| (&argument[..index], &argument[index + 1..]));
    let mut splits = splits.filter(|(uri, file)| !uri.is_empty() && !file.is_empty());
    let first = splits.next().ok_or_else(|| {
        Failure::other(format!(
            "--document needs URI=FILE, such as https://a.example/b.json=b.json, not {argument}"
        ))
    })?;
    let (uri, file) = splits.rfind(|(_, file)| Path::new(file).is_file()).unwrap_or(first);
    let bytes = read(Path::new(file), max_bytes)?;
    if bytes.len() > max_bytes {
        return Err(Failure::other(format!("{file}: more than {max_bytes} bytes (limit `max_text_bytes`)")));
    }
    let schema = serde_json::from_slice(&bytes).map_err(|error| {
        let problem = error.to_string();
        Failure::other(if problem.starts_with("recursion limit") {
            format!("{file}: more than {MAX_DOCUMENT_LEVELS} levels, the limit of a --document")
        } else {
            format!("{file}: not JSON: {problem}")
        })
    })?;
    Ok(Document { uri: uri.to_owned(), schema })
}

/// Applies the options about white space and spellings.
fn apply_spellings(choices: &ChoiceArgs, chosen: &mut JsonSchemaConfig) {
    if let Some(whitespace) = choices.whitespace {
        chosen.whitespace = match whitespace {
            WhitespaceChoice::Flexible(longest) => Whitespace::Flexible { longest },
            WhitespaceChoice::Bounded(blanks, indentation) => Whitespace::Bounded { blanks, indentation },
            WhitespaceChoice::Compact => Whitespace::Compact,
            WhitespaceChoice::Spaced => Whitespace::Separators { item: ", ".into(), key: ": ".into() },
        };
    }
    let escapes = |choice| match choice {
        EscapesChoice::Any => Escapes::Any,
        EscapesChoice::Short => Escapes::Short,
        EscapesChoice::Required => Escapes::Required,
    };
    chosen.surrounding_whitespace = choices.surrounding_whitespace.unwrap_or(chosen.surrounding_whitespace);
    chosen.literal_escapes = choices.literal_escapes.map_or(chosen.literal_escapes, escapes);
    chosen.string_escapes = choices.string_escapes.map_or(chosen.string_escapes, escapes);
    chosen.integers = choices.integers.map_or(chosen.integers, |choice| match choice {
        IntegersChoice::Any => IntegerSpelling::Any,
        IntegersChoice::Digits => IntegerSpelling::Digits,
        IntegersChoice::Bits32 => IntegerSpelling::Bits32,
        IntegersChoice::Bits53 => IntegerSpelling::Bits53,
        IntegersChoice::Bits64 => IntegerSpelling::Bits64,
    });
    chosen.numbers = choices.numbers.map_or(chosen.numbers, |choice| match choice {
        NumbersChoice::Any => NumberSpelling::Any,
        NumbersChoice::Double => NumberSpelling::Double,
    });
}

/// Reads a file, or stdin for `-`, up to one byte more than `max_bytes`.
pub(crate) fn read(path: &Path, max_bytes: usize) -> Result<Vec<u8>, Failure> {
    let max_read = max_bytes as u64 + 1;
    let mut bytes = Vec::new();
    let result = if path.as_os_str() == "-" {
        io::stdin().lock().take(max_read).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(max_read).read_to_end(&mut bytes))
    };
    result.map_err(|error| unreadable(path, &error))?;
    Ok(bytes)
}

/// Returns true if a file is a compiled grammar, as `grammask compile` writes it.
pub(crate) fn is_compiled(bytes: &[u8]) -> bool {
    bytes.starts_with(grammask::SAVED_MAGIC)
}

/// Returns an error that names the unreadable file.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::other(format!("cannot read {}: {error}", name_of(path)))
}

fn name_of(path: &Path) -> String {
    if path.as_os_str() == "-" { "<stdin>".to_owned() } else { path.display().to_string() }
}

impl Source {
    /// Reads the file. A file beyond the limit of the parser is read in part, as the parser refuses it.
    pub(crate) fn read(path: &Path, reading: &ReadingArgs, config: &Config) -> Result<Self, Failure> {
        let name = name_of(path);
        let bytes = read(path, config.syntax.limits.max_text_bytes)?;
        check_choices(reading, &name, &bytes)?;
        Ok(Self {
            name,
            bytes,
            relaxations: reading.schema.then(OnceCell::new),
            notes: OnceCell::new(),
            front_end: FrontEnd::of(reading, config),
            outcome: OnceCell::new(),
            has_warnings: !reading.json,
        })
    }

    /// Parses KBNF, or translates a JSON Schema. Warns on stderr if the translation is weaker than the
    /// schema.
    pub(crate) fn parse(&self, config: &Config) -> Result<Ast, Failure> {
        self.parse_for(config, None)
    }

    /// As [`parse`](Self::parse). Structural tags demand the special tokens of a vocabulary that they spell.
    fn parse_for(&self, config: &Config, vocabulary: Option<&Vocabulary>) -> Result<Ast, Failure> {
        if is_compiled(&self.bytes) {
            return Err(Failure::other(format!(
                "{}: this is a compiled grammar, which only `grammask mask` reads; this command needs the \
                 grammar's text",
                self.name
            )));
        }
        if let Some(relaxations) = &self.relaxations {
            return self.translate(relaxations, config);
        }
        if let Some(front_end) = &self.front_end {
            return self.translate_notation(front_end, config, vocabulary);
        }
        let ast =
            grammask_syntax::parse_bytes_or_recover(&self.bytes, &config.syntax).map_err(|recovered| {
                let text = String::from_utf8_lossy(&self.bytes);
                self.failure(&Error::of_recovered(*recovered, config)).with_guess(&text, None)
            })?;
        let (ast, remarks) = translate_schemas(&ast, config).map_err(|error| self.failure(&error))?;
        if self.has_warnings {
            // Best effort: the answer does not depend on the warnings.
            for relaxation in &remarks.relaxations {
                let _ = writeln!(io::stderr(), "{}: warning: {relaxation}", self.name);
            }
            for note in &remarks.notes {
                let _ = writeln!(io::stderr(), "{}: note: {note}", self.name);
            }
        }
        Ok(ast.into_owned())
    }

    /// Translates another notation. Writes its notes to stderr.
    fn translate_notation(
        &self,
        front_end: &FrontEnd,
        config: &Config,
        vocabulary: Option<&Vocabulary>,
    ) -> Result<Ast, Failure> {
        let max_bytes = config.syntax.limits.max_text_bytes;
        if self.bytes.len() > max_bytes {
            return Err(self.invalid_schema(&format!("more than {max_bytes} bytes (limit `max_text_bytes`)")));
        }
        let text = std::str::from_utf8(&self.bytes)
            .map_err(|error| self.invalid_schema(&format!("not UTF-8: {error}")))?;
        let translated = front_end.translate(text, &self.name, vocabulary);
        let outcome = translated
            .map_err(|errors| Failure::of_notation(&errors).with_guess(text, Some(front_end.notation())))?;
        let outcome = self.outcome.get_or_init(|| {
            if self.has_warnings {
                // Best effort: the answer does not depend on the notes.
                let _ = io::stderr().write_all(outcome.render_notes().as_bytes());
            }
            outcome
        });
        Ok(outcome.ast.clone())
    }

    /// Returns the notes of a front end as JSON. `None` for KBNF and JSON Schemas.
    pub(crate) fn notation_notes(&self) -> Option<Vec<serde_json::Value>> {
        let outcome = self.outcome.get()?;
        let note = |note: &Diagnostic| {
            let (file, place) = outcome.sources.locate(note.span.start);
            json!({ "file": file, "line": place.line, "column": place.column, "message": note.message })
        };
        Some(outcome.notes.iter().map(note).collect())
    }

    /// Translates a JSON Schema.
    fn translate(&self, relaxations: &OnceCell<Vec<Relaxation>>, config: &Config) -> Result<Ast, Failure> {
        let max_bytes = config.syntax.limits.max_text_bytes;
        if self.bytes.len() > max_bytes {
            return Err(self.invalid_schema(&format!("more than {max_bytes} bytes (limit `max_text_bytes`)")));
        }
        let text = std::str::from_utf8(&self.bytes)
            .map_err(|error| self.invalid_schema(&format!("not UTF-8: {error}")))?;
        let translation =
            translate_text(text, &config.json_schema).map_err(|errors| self.failure_of_schema(&errors))?;
        let Translation { ast, relaxations: weaker, notes } = translation;
        if self.has_warnings && relaxations.get().is_none() {
            let mut lines = remarks(&self.name, text, "warning", weaker.iter().map(Remark::of_relaxation));
            lines += &remarks(&self.name, text, "note", notes.iter().map(Remark::of_note));
            // Best effort: the answer does not depend on the warnings.
            let _ = io::stderr().write_all(lines.as_bytes());
        }
        relaxations.get_or_init(|| weaker);
        self.notes.get_or_init(|| notes);
        Ok(ast)
    }

    /// Returns the keywords that the grammar does not enforce. `None` for KBNF, and before translating.
    pub(crate) fn relaxations(&self) -> Option<&[Relaxation]> {
        self.relaxations.as_ref()?.get().map(Vec::as_slice)
    }

    /// Returns the remarks about readings of a JSON Schema. Empty before translating.
    pub(crate) fn notes(&self) -> &[Note] {
        self.notes.get().map_or(&[], Vec::as_slice)
    }

    /// Returns an error of the schema without a place.
    fn invalid_schema(&self, message: &str) -> Failure {
        let report = format!("{}: error: {message}\n", self.name);
        let errors = vec![json!({ "file": self.name, "message": message })];
        Failure::Grammar(Box::new(InvalidGrammar { report, errors, omitted: 0, is_empty_language: false }))
    }

    /// Converts the errors of a schema.
    fn failure_of_schema(&self, errors: &[LocatedError]) -> Failure {
        let mut report = String::new();
        let mut answers = Vec::new();
        let mut diagnostics = Vec::new();
        for LocatedError { error, span } in errors {
            let mut answer = json!({ "file": self.name, "message": error.to_string() });
            if let Some(span) = *span {
                let diagnostic = Diagnostic::new(error.to_string(), span);
                answer = diagnostics_to_json(self, std::slice::from_ref(&diagnostic)).remove(0);
                diagnostics.push(diagnostic);
            } else {
                report.push_str(&format!("{}: error: {error}\n", self.name));
            }
            answer["pointer"] = json!(error.pointer);
            answer["keyword"] = json!(error.keyword);
            answer["reason"] = json!(error.reason.to_string());
            answers.push(answer);
        }
        if !diagnostics.is_empty() {
            report.push_str(&Report::new(&self.bytes, &self.name, diagnostics).to_string());
        }
        Failure::Grammar(Box::new(InvalidGrammar {
            report,
            errors: answers,
            omitted: 0,
            is_empty_language: false,
        }))
    }

    /// Compiles the grammar to a network.
    pub(crate) fn compile(&self, config: &Config) -> Result<Compiled, Failure> {
        self.compile_for(config, None)
    }

    /// Compiles the grammar to a network, with the special tokens of a vocabulary if there is one.
    pub(crate) fn compile_for(
        &self,
        config: &Config,
        vocabulary: Option<&Vocabulary>,
    ) -> Result<Compiled, Failure> {
        progress::during("compiling", || self.compile_now(config, vocabulary))
    }

    fn compile_now(&self, config: &Config, vocabulary: Option<&Vocabulary>) -> Result<Compiled, Failure> {
        let started = Instant::now();
        let mut ast = self.parse_for(config, vocabulary)?;
        if let Some(vocabulary) = vocabulary {
            ast = resolve_special_tokens(&ast, vocabulary, &config.ending).into_owned();
        }
        let mut store = Store::new(&config.normal.regular);
        let normal = grammask_normal::normalize_in(&ast, &mut store, &config.normal).map_err(|errors| {
            let error = Error::from(errors);
            let is_empty = error.is_empty_language();
            let mut failure = self.failure(&self.about(error));
            if let Failure::Grammar(invalid) = &mut failure {
                invalid.is_empty_language = is_empty;
            }
            failure
        })?;
        let network = Network::build(&normal, store, &config.recognizer)
            .map_err(|error| self.failure(&self.about_network(Error::of_network(error, &ast))))?;
        Ok(Compiled { ast, normal, network: Arc::new(network), time: started.elapsed() })
    }

    /// As [`compile`](Self::compile). Returns `None`, and writes a warning to stderr, if the grammar is in
    /// another notation than KBNF and has no outputs: other programs load such grammars.
    pub(crate) fn compile_unless_empty(&self, config: &Config) -> Result<Option<Compiled>, Failure> {
        match self.compile(config) {
            Err(Failure::Grammar(invalid)) if invalid.is_empty_language && self.outcome.get().is_some() => {
                // Best effort: the answer does not depend on the warning.
                let _ = io::stderr().write_all(invalid.report.replacen("error:", "warning:", 1).as_bytes());
                Ok(None)
            }
            result => result.map(Some),
        }
    }

    /// Rewords an error of a later stage for a schema.
    fn about(&self, error: Error) -> Error {
        if let Some(outcome) = self.outcome.get() {
            return error.in_notation(outcome);
        }
        if self.relaxations.is_some() { error.about_schema() } else { error }
    }

    /// Rewords an error of the network for another notation.
    fn about_network(&self, error: Error) -> Error {
        match self.outcome.get() {
            Some(outcome) => error.in_notation(outcome),
            None => error,
        }
    }

    /// Converts an error of the grammar.
    pub(crate) fn failure(&self, error: &Error) -> Failure {
        if let Error::Notation(errors) = error {
            return Failure::of_notation(errors);
        }
        let diagnostics = error.diagnostics();
        // The grammar of a schema has no places in the text of the schema.
        if diagnostics.is_empty() || self.relaxations.is_some() {
            let mut answer = json!({ "file": self.name, "message": error.to_string() });
            if let Error::JsonSchema(error) = error {
                answer["pointer"] = json!(error.pointer);
                answer["keyword"] = json!(error.keyword);
                answer["reason"] = json!(error.reason.to_string());
            }
            let report = format!("{}: error: {error}\n", self.name);
            let errors = vec![answer];
            return Failure::Grammar(Box::new(InvalidGrammar {
                report,
                errors,
                omitted: 0,
                is_empty_language: false,
            }));
        }
        let errors = diagnostics_to_json(self, &diagnostics);
        let omitted = error.omitted();
        let report = Report::new(&self.bytes, &self.name, diagnostics).with_omitted(omitted).to_string();
        Failure::Grammar(Box::new(InvalidGrammar { report, errors, omitted, is_empty_language: false }))
    }
}

/// A relaxation or a note of a JSON Schema.
struct Remark<'a> {
    pointer: &'a str,
    keyword: &'a str,
    what: &'a str,
    text: String,
}

impl<'a> Remark<'a> {
    fn of_relaxation(one: &'a Relaxation) -> Self {
        Self { pointer: &one.pointer, keyword: &one.keyword, what: &one.reason, text: one.to_string() }
    }

    fn of_note(one: &'a Note) -> Self {
        Self { pointer: &one.pointer, keyword: &one.keyword, what: &one.message, text: one.to_string() }
    }
}

/// Returns a line for each keyword and reason of some remarks, with the first place and the number of others.
fn remarks<'a>(name: &str, text: &str, kind: &str, all: impl Iterator<Item = Remark<'a>>) -> String {
    let mut groups: Vec<(Remark<'a>, usize)> = Vec::new();
    let mut indices: HashMap<(&'a str, &'a str), usize> = HashMap::new();
    for remark in all {
        let index = *indices.entry((remark.keyword, remark.what)).or_insert(groups.len());
        match groups.get_mut(index) {
            Some((_, count)) => *count += 1,
            None => groups.push((remark, 1)),
        }
    }
    let mut lines = String::new();
    for (first, count) in groups {
        let place = locate(text, first.pointer, first.keyword).map(|span| line_column(text, span.start));
        let place = place.map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
        let more = match count {
            1 => String::new(),
            2 => " (and at 1 other place)".to_owned(),
            count => format!(" (and at {} other places)", count - 1),
        };
        lines.push_str(&format!("{name}{place}: {kind}: {}{more}\n", first.text));
    }
    lines
}

impl Compiled {
    /// Creates a recognizer for the grammar.
    pub(crate) fn recognizer(&self, config: &Config) -> Recognizer {
        Recognizer::new(Arc::clone(&self.network), &config.recognizer)
    }

    /// Returns the number of productions of the normal form.
    pub(crate) fn production_count(&self) -> usize {
        self.normal.nonterminals.iter().map(|nonterminal| nonterminal.productions.len()).sum()
    }

    /// Returns the number of lexemes that the network calls.
    pub(crate) fn lexeme_count(&self) -> usize {
        self.network.callees.iter().filter(|callee| matches!(callee, Callee::Lexeme { .. })).count()
    }
}

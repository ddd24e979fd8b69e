//! `maskbench --server`: each schema of a file once, as a server meets them.
//!
//! One vocabulary serves all schemas. A schema is compiled once, and each of its documents gets a matcher of
//! its own. Schemas without documents and refused schemas count too, so that the slowest request of a server
//! is in the tables.

use anyhow::Context;
use grammask::work::spent;

use super::maskbench::Bench;
use crate::run::machine::memory;
use crate::run::timing::sample;
use crate::schemas::data::Entry;
use crate::schemas::follow::catching;
use crate::schemas::judge::{Judge, Ours, peer};
use crate::schemas::options::MaskbenchOptions;

/// Measurements of all engines.
pub struct Server {
    /// Name of the vocabulary.
    pub vocabulary: String,
    /// Number of lines that hold no schema, such as those that nest more than 127 levels.
    pub unreadable: usize,
    /// Threads that serve schemas at the same time.
    pub threads: usize,
    /// grammask first.
    pub engines: Vec<EngineRun>,
}

/// Measurements of one engine, in the order of the file.
pub struct EngineRun {
    /// Name of the engine.
    pub name: &'static str,
    /// One for each readable schema, sorted by line.
    pub schemas: Vec<SchemaRun>,
    /// Resident bytes of the process before the first schema. `None` where the system does not say.
    pub memory_before: Option<u64>,
    /// Resident bytes after the last schema, without the measurements themselves.
    pub memory_after: Option<u64>,
}

/// Measurements of one engine on one schema.
#[derive(Debug)]
pub struct SchemaRun {
    /// Line in the file, from 1.
    pub line: usize,
    /// Name of the schema.
    pub name: String,
    /// Result of compiling.
    pub start: Start,
    /// Nanoseconds of each mask, the first mask included.
    pub masks: Vec<u64>,
    /// Nanoseconds of each accepted token.
    pub accepts: Vec<u64>,
    /// Work of compiling or refusing, of all masks, and of all accepted tokens, each with its nanoseconds.
    /// Engines other than grammask count no work.
    pub work: Vec<Work>,
    /// The slowest mask.
    pub slowest_mask: Option<Slowest>,
    /// The slowest accepted token.
    pub slowest_accept: Option<Slowest>,
    /// Number of documents that the engine judges wrongly, or at which it hits a limit.
    pub wrong_documents: usize,
}

/// The kind of a call that does work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Compiling or refusing a schema.
    Compile,
    /// Computing a mask.
    Mask,
    /// Accepting a token.
    Accept,
}

/// Work of one call, in units of the account of the call.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// The call.
    pub call: Call,
    /// Units of work.
    pub units: u64,
    /// Nanoseconds.
    pub time: u64,
}

/// Result of compiling a schema. Times are in nanoseconds.
#[derive(Debug)]
pub enum Start {
    /// The schema compiled.
    Compiled {
        /// Time to compile.
        compile: u64,
        /// Time of the first mask.
        first_mask: u64,
    },
    /// The engine refused the schema.
    Refused {
        /// Time until it did.
        time: u64,
        /// Message of the engine.
        message: String,
    },
    /// The engine panicked.
    Panicked(String),
}

/// The slowest of several operations, and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slowest {
    /// Nanoseconds.
    pub time: u64,
    /// Index of the document.
    pub document: usize,
    /// Index of the token.
    pub token: usize,
}

impl SchemaRun {
    /// Returns the time to compile plus that of the first mask, in nanoseconds. Returns `None` if the schema
    /// was refused.
    pub fn compile_and_first_mask(&self) -> Option<u64> {
        match self.start {
            Start::Compiled { compile, first_mask } => Some(compile + first_mask),
            Start::Refused { .. } | Start::Panicked(_) => None,
        }
    }

    /// Returns the bytes that the measurements occupy on the heap.
    fn heap_bytes(&self) -> u64 {
        let samples = self.masks.capacity() + self.accepts.capacity() + 3 * self.work.capacity();
        (self.name.capacity() + samples * size_of::<u64>() + size_of::<Self>()) as u64
    }
}

/// Serves all schemas with each engine, one engine after the other.
///
/// # Errors
/// If a file cannot be read, an engine refuses the vocabulary, or a document cannot be cut into tokens.
pub fn run(options: &MaskbenchOptions) -> anyhow::Result<Server> {
    let bench = Bench::load(options)?;
    let mut server = Server {
        vocabulary: bench.words.name.clone(),
        unreadable: 0,
        threads: options.threads,
        engines: Vec::new(),
    };
    let ours = serve_all(&bench, options.threads, || {
        Ok(Some(Box::new(Ours::new(&bench.vocabulary, bench.config.clone()))))
    })?;
    server.unreadable = bench.lines.len() - ours.as_ref().map_or(0, |run| run.schemas.len());
    server.engines.extend(ours);
    if options.has_peers {
        server.engines.extend(serve_all(&bench, options.threads, || peer(&bench.words))?);
    }
    Ok(server)
}

/// Serves all schemas with one engine. Returns `None` if there is no such engine.
fn serve_all(
    bench: &Bench,
    threads: usize,
    create: impl Fn() -> anyhow::Result<Option<Box<dyn Judge>>> + Sync,
) -> anyhow::Result<Option<EngineRun>> {
    let parts = bench.on_threads(threads, |lines| {
        let Some(mut judge) = create()? else { return Ok(None) };
        let before = memory();
        let mut schemas = Vec::new();
        for (index, line) in lines {
            let Ok(entry) = Entry::parse(line) else { continue };
            bench.enter(&entry.name);
            let texts = entry.instances.iter().map(|instance| bench.words.encode(&instance.text));
            let texts: Vec<Vec<u32>> = texts.collect::<Result<_, _>>().with_context(|| entry.name.clone())?;
            schemas.push(serve(&mut *judge, index + 1, &entry, &texts, bench.words.end));
        }
        Ok(Some((judge.name(), schemas, before)))
    })?;
    let mut run: Option<EngineRun> = None;
    let memory_after = memory();
    for (name, schemas, before) in parts.into_iter().flatten() {
        let run = run.get_or_insert_with(|| EngineRun {
            name,
            schemas: Vec::new(),
            memory_before: before,
            memory_after: None,
        });
        run.schemas.extend(schemas);
    }
    if let Some(run) = &mut run {
        run.schemas.sort_by_key(|schema| schema.line);
        let measurements: u64 = run.schemas.iter().map(SchemaRun::heap_bytes).sum();
        run.memory_after = memory_after.map(|bytes| bytes.saturating_sub(measurements));
    }
    Ok(run)
}

/// Serves one schema: compiles it, computes the first mask, and follows each document.
fn serve(judge: &mut dyn Judge, line: usize, entry: &Entry, texts: &[Vec<u32>], end: u32) -> SchemaRun {
    judge.prepare(&entry.schema);
    let mut schema = SchemaRun {
        line,
        name: entry.name.clone(),
        start: Start::Panicked(String::new()),
        masks: Vec::new(),
        accepts: Vec::new(),
        work: Vec::new(),
        slowest_mask: None,
        slowest_accept: None,
        wrong_documents: 0,
    };
    if let Err(message) = catching(|| schema.serve(judge, entry, texts, end)) {
        schema.start = Start::Panicked(message);
    }
    schema
}

impl SchemaRun {
    fn serve(&mut self, judge: &mut dyn Judge, entry: &Entry, texts: &[Vec<u32>], end: u32) {
        let before = spent();
        let (compiled, compile) = sample(|| judge.compile());
        self.work_done(Call::Compile, before, compile);
        if let Err(refusal) = compiled {
            self.start = Start::Refused { time: compile, message: refusal.message };
            return;
        }
        judge.start_document();
        let before = spent();
        let (_, first_mask) = sample(|| judge.mask());
        self.work_done(Call::Mask, before, first_mask);
        self.start = Start::Compiled { compile, first_mask };
        self.mask_took(first_mask, 0, 0);
        for (document, (tokens, instance)) in texts.iter().zip(&entry.instances).enumerate() {
            let is_accepted = self.follow(judge, document, tokens, end);
            self.wrong_documents += usize::from(is_accepted != Some(instance.is_valid));
        }
    }

    /// Follows a document up to the first token that the mask forbids. Returns whether all tokens and the end
    /// are allowed, and `None` if the engine reports an error.
    fn follow(&mut self, judge: &mut dyn Judge, document: usize, tokens: &[u32], end: u32) -> Option<bool> {
        // The first document goes on with the matcher that has computed the first mask.
        if document > 0 {
            judge.start_document();
        }
        for (place, &token) in tokens.iter().chain([&end]).enumerate() {
            if document > 0 || place > 0 {
                let before = spent();
                let (masked, time) = sample(|| judge.mask());
                self.work_done(Call::Mask, before, time);
                self.mask_took(time, document, place);
                masked.ok()?;
            }
            if !judge.allows(token) {
                return Some(false);
            }
            if place < tokens.len() {
                let before = spent();
                let (accepted, time) = sample(|| judge.accept(token));
                self.work_done(Call::Accept, before, time);
                self.accepts.push(time);
                keep_slowest(&mut self.slowest_accept, Slowest { time, document, token: place });
                accepted.ok()?;
            }
        }
        Some(true)
    }

    /// Records the work of a call, unless everything was known.
    fn work_done(&mut self, call: Call, before: u64, time: u64) {
        let units = spent() - before;
        if units > 0 {
            self.work.push(Work { call, units, time });
        }
    }

    fn mask_took(&mut self, time: u64, document: usize, token: usize) {
        self.masks.push(time);
        keep_slowest(&mut self.slowest_mask, Slowest { time, document, token });
    }
}

fn keep_slowest(slowest: &mut Option<Slowest>, other: Slowest) {
    if slowest.is_none_or(|slowest| slowest.time < other.time) {
        *slowest = Some(other);
    }
}

#[cfg(test)]
mod tests {
    use grammask::json_schema::Profile;
    use grammask::{Config, TokenId};

    use super::*;
    use crate::input::vocabulary::Words;

    fn serve_line(line: &str) -> SchemaRun {
        let words = Words::of_bytes();
        let vocabulary = words.vocabulary().expect("a vocabulary");
        let config = Config::default().with_profile(Profile::Standard).ending_with([TokenId(words.end)]);
        let entry = Entry::parse(line).expect("a line");
        let texts: Vec<Vec<u32>> =
            entry.instances.iter().map(|instance| words.encode(&instance.text).expect("bytes")).collect();
        serve(&mut Ours::new(&vocabulary, config), 7, &entry, &texts, words.end)
    }

    #[test]
    fn documents_are_followed_to_the_first_forbidden_token() {
        let run = serve_line(
            r#"{"name":"n","schema":{"type":"boolean"},"tests":[{"valid":true,"data":true},{"valid":false,"data":1},{"valid":false,"data":false}]}"#,
        );
        // `true` and the end, then `1`, then `false` and the end.
        assert_eq!((run.masks.len(), run.accepts.len(), run.wrong_documents), (5 + 1 + 6, 4 + 5, 1));
        assert!(run.compile_and_first_mask().is_some() && run.slowest_mask.is_some());
    }

    #[test]
    fn schema_without_documents_has_a_first_mask() {
        let run = serve_line(r#"{"name":"n","schema":{},"tests":[]}"#);
        assert_eq!((run.masks.len(), run.accepts.len(), run.line), (1, 0, 7));
    }

    #[test]
    fn refused_schema_has_a_time() {
        let run = serve_line(r#"{"name":"n","schema":{"type":7},"tests":[{"valid":true,"data":1}]}"#);
        assert!(matches!(run.start, Start::Refused { .. }), "{run:?}");
        assert!(run.masks.is_empty());
    }
}

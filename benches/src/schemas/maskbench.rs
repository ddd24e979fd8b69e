//! Real schemas with their documents: every mask on the way is timed, and every document judged.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use grammask::{Config, TokenId, Vocabulary, WarmLimits};

use super::data::{Entry, lines};
use super::follow::{Verdict, catching, follow, follow_known};
use super::judge::{Judge, judges};
use super::options::MaskbenchOptions;
use super::tally::{Failure, Tally};
use crate::vocabulary::Words;

/// Bytes of stack for engines that are recursive.
const STACK: usize = 512 << 20;

/// How often it is told how far it is.
const PAUSE: Duration = Duration::from_secs(10);

/// What a run has found out.
pub struct Results {
    /// The vocabulary.
    pub vocabulary: String,
    /// Lines that cannot be read: their errors.
    pub unreadable: Vec<String>,
    /// What each engine has done.
    pub tallies: Vec<(&'static str, Tally)>,
    /// What is said of each document, where single schemas were asked for.
    pub details: Vec<String>,
}

/// What a run is about.
pub struct Bench {
    pub(super) words: Words,
    pub(super) vocabulary: Vocabulary,
    pub(super) config: Config,
    pub(super) lines: Vec<(usize, String)>,
    /// Schemas done, and the one that is at work on some thread.
    progress: Mutex<(usize, String, Instant)>,
}

impl Bench {
    /// Reads all that is wanted, and warms the vocabulary.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn load(options: &MaskbenchOptions) -> anyhow::Result<Self> {
        let words = Words::load(&options.vocabulary)?;
        let vocabulary = words.vocabulary()?;
        let config = Config::default().ending_with([TokenId(words.end)]);
        let limits = WarmLimits::default();
        vocabulary.warm(Vocabulary::COMMON_LEXEMES, &limits, |_| std::ops::ControlFlow::Continue(()))?;
        let (job, count) = options.job;
        let mut lines: Vec<(usize, String)> = lines(&options.path)?.into_iter().enumerate().collect();
        lines.truncate(options.limit.unwrap_or(usize::MAX));
        lines.retain(|(index, _)| index % count == job);
        if !options.only.is_empty() {
            let names: Vec<String> = options.only.iter().map(|name| format!("{name:?}")).collect();
            lines.retain(|(_, line)| {
                let name = line.strip_prefix("{\"name\":").unwrap_or(line);
                names.iter().any(|wanted| name.trim_start().starts_with(&**wanted))
            });
        }
        let progress = Mutex::new((0, String::new(), Instant::now()));
        Ok(Self { words, vocabulary, config, lines, progress })
    }

    /// Does work for each schema on so many threads with large stacks; what each thread has come to.
    ///
    /// # Errors
    /// When a thread cannot be started, or its work fails.
    pub(super) fn on_threads<T: Send>(
        &self,
        threads: usize,
        work: impl Fn(&mut dyn Iterator<Item = (usize, &str)>) -> anyhow::Result<T> + Sync,
    ) -> anyhow::Result<Vec<T>> {
        std::thread::scope(|scope| {
            let mut handles = Vec::new();
            for thread in 0..threads {
                let work = &work;
                let run = move || {
                    let lines = self.lines.iter().skip(thread).step_by(threads);
                    work(&mut lines.map(|(index, line)| (*index, &**line)))
                };
                handles.push(std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run)?);
            }
            while handles.iter().any(|handle| !handle.is_finished()) {
                std::thread::sleep(Duration::from_millis(50));
                self.tell();
            }
            let join = |handle: std::thread::ScopedJoinHandle<'_, anyhow::Result<T>>| {
                handle.join().map_err(|_| anyhow::anyhow!("a thread has panicked"))?
            };
            handles.into_iter().map(join).collect()
        })
    }

    /// Notes that work on a schema begins.
    pub(super) fn enter(&self, name: &str) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.0 += 1;
        name.clone_into(&mut progress.1);
    }

    fn tell(&self) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.2.elapsed() > PAUSE {
            eprintln!("{} of {}: {}", progress.0, self.lines.len(), progress.1);
            progress.2 = Instant::now();
        }
    }
}

/// Runs all schemas on all engines.
///
/// # Errors
/// When a file cannot be read, or an engine not be bound to the vocabulary.
pub fn run(options: &MaskbenchOptions) -> anyhow::Result<Results> {
    let bench = Bench::load(options)?;
    let parts = bench.on_threads(options.threads, |lines| {
        let judges = judges(&bench.words, &bench.vocabulary, &bench.config, options.has_peers)?;
        let mut part = Part {
            bench: &bench,
            tallies: judges.iter().map(|judge| (judge.name(), Tally::default())).collect(),
            judges,
            row: vec![0; bench.vocabulary.mask_words()],
            unreadable: Vec::new(),
            details: (!options.only.is_empty()).then(Vec::new),
        };
        for (index, line) in lines {
            part.judge(index, line)?;
        }
        Ok((part.unreadable, part.tallies, part.details))
    })?;
    let mut results = Results {
        vocabulary: bench.words.name,
        unreadable: Vec::new(),
        tallies: Vec::new(),
        details: Vec::new(),
    };
    for (unreadable, tallies, details) in parts {
        results.unreadable.extend(unreadable);
        results.details.extend(details.into_iter().flatten());
        if results.tallies.is_empty() {
            results.tallies = tallies;
        } else {
            for ((_, sum), (_, tally)) in results.tallies.iter_mut().zip(tallies) {
                sum.add(tally);
            }
        }
    }
    Ok(results)
}

/// The work of a thread.
struct Part<'b> {
    bench: &'b Bench,
    judges: Vec<Box<dyn Judge>>,
    tallies: Vec<(&'static str, Tally)>,
    row: Vec<u32>,
    unreadable: Vec<String>,
    details: Option<Vec<String>>,
}

impl Part<'_> {
    fn judge(&mut self, index: usize, line: &str) -> anyhow::Result<()> {
        let entry = match Entry::parse(line) {
            Ok(entry) => entry,
            Err(error) => {
                let begin: String = line.chars().take(60).collect();
                self.unreadable.push(format!("line {}, {begin}: {error}", index + 1));
                return Ok(());
            }
        };
        self.bench.enter(&entry.name);
        let encode = |text: &str| self.bench.words.encode(text);
        let texts: Vec<Vec<u32>> = entry
            .instances
            .iter()
            .map(|instance| encode(&instance.text))
            .collect::<Result<_, _>>()
            .with_context(|| entry.name.clone())?;
        for (judge, (name, tally)) in self.judges.iter_mut().zip(&mut self.tallies) {
            let details = self.details.as_mut();
            let mut causes = Vec::new();
            tally.schemas += 1;
            let (end, row) = (self.bench.words.end, &mut self.row);
            let judged =
                catching(|| judge_entry(&mut **judge, &entry, &texts, end, row, tally, &mut causes, details));
            if let Err(panic) = judged {
                tally.panics += 1;
                causes.push(panic);
            }
            if causes.is_empty() {
                tally.right += 1;
            } else {
                tally.failures.push(Failure { index, engine: *name, name: entry.name.clone(), causes });
            }
        }
        Ok(())
    }
}

#[allow(clippy::too_many_arguments, reason = "they are parts of three values that are borrowed apart")]
fn judge_entry(
    judge: &mut dyn Judge,
    entry: &Entry,
    texts: &[Vec<u32>],
    end: u32,
    row: &mut [u32],
    tally: &mut Tally,
    causes: &mut Vec<String>,
    mut details: Option<&mut Vec<String>>,
) {
    let engine = judge.name();
    let mut tell = |judge: &mut dyn Judge, line: String, text: &str| {
        if let Some(details) = &mut details {
            let at = judge.live_bytes(text.as_bytes()).filter(|&at| at < text.len());
            let at = at.map_or_else(String::new, |at| format!(", refused at {}", place(text, at)));
            details.push(format!("{engine}: {line}{at}"));
        }
    };
    judge.prepare(&entry.schema);
    if let Err(refusal) = judge.compile() {
        tally.refuse(&refusal);
        tell(judge, format!("{}: {}", entry.name, refusal.message), "");
        causes.push(refusal.message);
        return;
    }
    tally.compiled += 1;
    tally.relaxed += usize::from(judge.relaxations() > 0);
    for (number, (instance, tokens)) in entry.instances.iter().zip(texts).enumerate() {
        judge.prepare(&entry.schema);
        let verdict = match follow(judge, tokens, end, &mut tally.times) {
            Ok(verdict) => verdict,
            // It compiled a moment ago.
            Err(refusal) => Verdict::Trouble(refusal.message),
        };
        tally.instances += 1;
        let validity = if instance.is_valid { "valid" } else { "invalid" };
        let text = &instance.text;
        tell(judge, format!("{}, {validity} instance {number}: {verdict:?}", entry.name), text);
        let cause = match verdict {
            Verdict::Accepted if !instance.is_valid => {
                tally.invalid_accepted += 1;
                Some("invalid, accepted".to_owned())
            }
            Verdict::Refused(token) if instance.is_valid => {
                tally.valid_refused += 1;
                let at = judge.live_bytes(text.as_bytes());
                let at = at.map_or_else(|| format!("token {token}"), |at| place(text, at));
                Some(format!("valid, refused at {at}"))
            }
            Verdict::Trouble(what) => {
                tally.troubles += 1;
                Some(what)
            }
            Verdict::Accepted | Verdict::Refused(_) => None,
        };
        causes.extend(cause.map(|cause| format!("instance {number}: {cause}")));
        follow_known(judge, tokens, row, &mut tally.times);
    }
}

/// A byte offset with the text around it.
fn place(text: &str, at: usize) -> String {
    let bytes = text.as_bytes();
    let at = at.min(bytes.len());
    let before = String::from_utf8_lossy(&bytes[at.saturating_sub(40)..at]);
    let after = String::from_utf8_lossy(&bytes[at..bytes.len().min(at + 20)]);
    format!("byte {at}: {before:?} then {after:?}")
}

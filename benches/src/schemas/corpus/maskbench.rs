//! `cargo xtask maskbench`: real schemas with documents. Each mask is timed, and each document judged.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use grammask::{Config, TokenId, Vocabulary};

use crate::input::vocabulary::Words;
use crate::schemas::data::{Entry, Instance, lines};
use crate::schemas::follow::{Slow, Verdict, catching, follow, follow_known};
use crate::schemas::judge::{Judge, judges, warm};
use crate::schemas::options::MaskbenchOptions;
use crate::schemas::tally::{Failure, Tally};

/// Bytes of stack for engines that are recursive.
const STACK_BYTES: usize = 512 << 20;

/// Time between two lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

/// Results of a run.
pub struct Results {
    /// The vocabulary.
    pub vocabulary: String,
    /// Errors of lines that cannot be read.
    pub unreadable: Vec<String>,
    /// Counts of each engine.
    pub tallies: Vec<(&'static str, Tally)>,
    /// Verdicts on each document, where single schemas were selected.
    pub details: Vec<String>,
}

/// Inputs of a run, with its progress.
pub struct Bench {
    pub(super) words: Words,
    pub(super) vocabulary: Vocabulary,
    pub(super) config: Config,
    pub(super) lines: Vec<(usize, String)>,
    /// Number of schemas begun, the last one on any thread, and the time of the last report.
    progress: Mutex<(usize, String, Instant)>,
}

impl Bench {
    /// Reads the inputs, and warms the vocabulary.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn load(options: &MaskbenchOptions) -> anyhow::Result<Self> {
        let words = Words::load(&options.vocabulary)?;
        let vocabulary = words.vocabulary()?;
        let mut config = Config::default().with_profile(options.profile).ending_with([TokenId(words.end)]);
        config.prefetch_nodes = options.prefetch_nodes;
        warm(&vocabulary, &config)?;
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

    /// Runs `work` on `threads` threads with large stacks, each with its share of the schemas. Returns the
    /// results by thread.
    ///
    /// # Errors
    /// If a thread cannot be started, or its work fails.
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
                handles.push(std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run)?);
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

    /// Records that work on a schema begins.
    pub(super) fn enter(&self, name: &str) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.0 += 1;
        name.clone_into(&mut progress.1);
    }

    fn tell(&self) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.2.elapsed() > PROGRESS_INTERVAL {
            eprintln!("{} of {}: {}", progress.0, self.lines.len(), progress.1);
            progress.2 = Instant::now();
        }
    }
}

/// Runs all schemas on all engines.
///
/// # Errors
/// If a file cannot be read, or an engine refuses the vocabulary.
pub fn run(options: &MaskbenchOptions) -> anyhow::Result<Results> {
    let bench = Bench::load(options)?;
    let parts = bench.on_threads(options.threads, |lines| {
        let judges = judges(&bench.words, &bench.vocabulary, &bench.config, options.has_peers)?;
        let mut part = Part {
            bench: &bench,
            tallies: judges.iter().map(|judge| (judge.name(), Tally::default())).collect(),
            judges,
            slow: options.slow,
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
    /// Microseconds above which masks are listed.
    slow: Option<u64>,
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
            let mut causes = Vec::new();
            tally.schemas += 1;
            tally.times.slow_from = self.slow.map(|slow| slow * 1_000);
            let mut hearing = Hearing {
                entry: &entry,
                texts: &texts,
                end: self.bench.words.end,
                length: &|tokens| tokens.iter().map(|&token| self.bench.words.bytes(token).len()).sum(),
                row: &mut self.row,
                tally,
                causes: &mut causes,
                details: self.details.as_mut(),
            };
            let judged = catching(|| hearing.run(&mut **judge));
            if let Err(panic) = judged {
                tally.panics += 1;
                causes.push(panic);
            }
            if causes.is_empty() {
                tally.right += 1;
            } else {
                tally.failures.push(Failure { index, engine: name, name: entry.name.clone(), causes });
            }
        }
        Ok(())
    }
}

/// A schema with the counts of an engine.
struct Hearing<'h> {
    entry: &'h Entry,
    /// The documents as tokens.
    texts: &'h [Vec<u32>],
    end: u32,
    /// Returns the number of bytes of tokens.
    length: &'h dyn Fn(&[u32]) -> usize,
    row: &'h mut [u32],
    tally: &'h mut Tally,
    causes: &'h mut Vec<String>,
    /// Verdicts on each document, where single schemas were selected.
    details: Option<&'h mut Vec<String>>,
}

impl Hearing<'_> {
    fn run(&mut self, judge: &mut dyn Judge) {
        judge.prepare(&self.entry.schema);
        if let Err(refusal) = judge.compile() {
            self.tally.refuse(&refusal);
            self.tell(judge, &refusal.message, "");
            self.causes.push(refusal.message);
            return;
        }
        self.tally.compiled += 1;
        self.tally.relaxed += usize::from(judge.relaxations() > 0);
        for number in 0..self.texts.len() {
            self.instance(judge, number);
        }
    }

    fn instance(&mut self, judge: &mut dyn Judge, number: usize) {
        let Instance { is_valid, text } = &self.entry.instances[number];
        let tokens = &self.texts[number];
        judge.prepare(&self.entry.schema);
        // It compiled before.
        let verdict = follow(judge, tokens, self.end, &mut self.tally.times)
            .unwrap_or_else(|refusal| Verdict::Trouble(refusal.message));
        for slow in std::mem::take(&mut self.tally.times.slow) {
            let Slow { place: before, time, nodes } = slow;
            let at = place(text, (self.length)(&tokens[..before]));
            let name = &self.entry.name;
            let line = format!("{} us, {nodes} nodes: {name}, instance {number}, {at}", time / 1_000);
            self.tally.slow.push((time, line));
        }
        follow_known(judge, tokens, self.row, &mut self.tally.times);
        self.tally.instances += 1;
        let validity = if *is_valid { "valid" } else { "invalid" };
        self.tell(judge, &format!("{validity} instance {number}: {verdict:?}"), text);
        let cause = match verdict {
            Verdict::Accepted if !is_valid => {
                self.tally.invalid_accepted += 1;
                "invalid, accepted".to_owned()
            }
            Verdict::Refused(token) if *is_valid => {
                self.tally.valid_refused += 1;
                let at = judge.live_bytes(text.as_bytes());
                let at = at.map_or_else(|| format!("token {token}"), |at| place(text, at));
                format!("valid, refused at {at}")
            }
            Verdict::Trouble(what) => {
                self.tally.troubles += 1;
                what
            }
            Verdict::Accepted | Verdict::Refused(_) => return,
        };
        self.causes.push(format!("instance {number}: {cause}"));
    }

    fn tell(&mut self, judge: &mut dyn Judge, line: &str, text: &str) {
        if let Some(details) = &mut self.details {
            let at = judge.live_bytes(text.as_bytes()).filter(|&at| at < text.len());
            let at = at.map_or_else(String::new, |at| format!(", refused at {}", place(text, at)));
            details.push(format!("{}: {}: {line}{at}", judge.name(), self.entry.name));
        }
    }
}

/// Returns a byte offset with the text around it.
pub(super) fn place(text: &str, at: usize) -> String {
    let bytes = text.as_bytes();
    let at = at.min(bytes.len());
    let before = String::from_utf8_lossy(&bytes[at.saturating_sub(40)..at]);
    let after = String::from_utf8_lossy(&bytes[at..bytes.len().min(at + 20)]);
    format!("byte {at}: {before:?} then {after:?}")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::schemas::judge::Refusal;

    /// Tokens are bytes. All but `x` are allowed, and the end after `}`. `accept` takes a `y`, though no mask
    /// allows it.
    #[derive(Default)]
    struct Fake {
        schema: Value,
        last: u32,
    }

    const END: u32 = 256;

    impl Judge for Fake {
        fn name(&self) -> &'static str {
            "fake"
        }

        fn prepare(&mut self, schema: &Value) {
            *self = Self { schema: schema.clone(), last: 0 };
        }

        fn compile(&mut self) -> Result<(), Refusal> {
            match self.schema.as_str() {
                Some("panic") => panic!("on purpose"),
                Some(reason) => Err(Refusal { reason: reason.to_owned(), ..Refusal::default() }),
                None => Ok(()),
            }
        }

        fn mask(&mut self) -> Result<(), String> {
            Ok(())
        }

        fn allows(&mut self, token: u32) -> bool {
            if token == END { self.last == u32::from(b'}') } else { !b"xy".map(u32::from).contains(&token) }
        }

        fn accept(&mut self, token: u32) -> Result<(), String> {
            if token != END && token != u32::from(b'x') {
                self.last = token;
                return Ok(());
            }
            Err("no".to_owned())
        }

        fn start_document(&mut self) -> bool {
            self.last = 0;
            true
        }

        fn restart(&mut self) -> bool {
            true
        }

        fn fill(&mut self, _: &mut [u32]) {}

        fn relaxations(&self) -> usize {
            0
        }

        fn live_bytes(&mut self, text: &[u8]) -> Option<usize> {
            Some(text.iter().take_while(|byte| **byte != b'x').count())
        }
    }

    fn judge(line: &str) -> (Tally, Vec<String>) {
        let entry = Entry::parse(line).expect("a line");
        let texts: Vec<Vec<u32>> =
            entry.instances.iter().map(|instance| instance.text.bytes().map(u32::from).collect()).collect();
        let (mut tally, mut causes) = (Tally::default(), Vec::new());
        tally.times.slow_from = Some(0);
        let (mut row, mut details) = ([], Vec::new());
        let mut hearing = Hearing {
            entry: &entry,
            texts: &texts,
            end: END,
            length: &<[u32]>::len,
            row: &mut row,
            tally: &mut tally,
            causes: &mut causes,
            details: Some(&mut details),
        };
        hearing.run(&mut Fake::default());
        assert!(details.len() >= tally.instances);
        (tally, causes)
    }

    #[test]
    fn every_wrong_verdict_is_counted_and_told() {
        let (tally, causes) = judge(
            r#"{"name":"n","schema":{},"tests":[{"valid":true,"data":{"a":1}},{"valid":true,"data":{"a":"x"}},{"valid":false,"data":{"a":2}},{"valid":false,"data":"x"},{"valid":true,"data":[]},{"valid":false,"data":"y"}]}"#,
        );
        assert_eq!((tally.compiled, tally.instances), (1, 6));
        assert_eq!((tally.valid_refused, tally.invalid_accepted, tally.troubles), (2, 1, 1));
        assert_eq!(
            causes,
            [
                r#"instance 1: valid, refused at byte 7: "{\"a\": \"" then "x\"}""#,
                "instance 2: invalid, accepted",
                r#"instance 4: valid, refused at byte 2: "[]" then """#,
                "instance 5: token 1 is not in the mask, but accepted",
            ]
        );
        // One mask for each token and for the end, up to a refusal.
        assert_eq!(tally.times.masks.count(), 9 + 8 + 9 + 2 + 3 + 2);
        assert_eq!(tally.times.starts.count(), 6);
        assert!(tally.slow.iter().any(|(_, line)| line.contains("n, instance 2, byte 7:")));
    }

    #[test]
    fn a_refused_schema_is_counted_by_its_reason() {
        let (tally, causes) = judge(r#"{"name":"n","schema":"why","tests":[{"valid":true,"data":1}]}"#);
        assert_eq!((tally.compiled, tally.instances, causes.len()), (0, 0, 1));
        assert_eq!(tally.refused_by_reason(), [("", "why", 1)]);
    }

    #[test]
    fn panic_becomes_an_error() {
        let line = r#"{"name":"n","schema":"panic","tests":[]}"#;
        assert_eq!(catching(|| judge(line)).err().as_deref(), Some("panic: on purpose"));
    }
}

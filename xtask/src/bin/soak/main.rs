//! `cargo xtask soak`: random grammars and texts for a long time, on threads that share grammars, tables and
//! vocabularies.
//!
//! Engine and oracle must agree, and memory must settle. A case is a number and can be repeated alone.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool that tells what it finds")]

mod grammars;
mod growth;
mod kept;
mod outputs;
mod pool;
mod vocabulary;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use grammars::Grammars;
use grammask_testkit::fixtures;
use growth::Growth;
use outputs::{Output, Outputs};
use peak_alloc::PeakAlloc;
use pool::Pool;
use xtask::cases::agreement;
use xtask::cases::watch::{self, Watch, Worker};

/// Counts allocated bytes. Resident memory also depends on what the allocator of the system keeps for later,
/// which is more than a leak.
#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// Time between two lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

/// Time between two samples of memory.
const MEMORY_INTERVAL: Duration = Duration::from_millis(500);

/// Findings after which the run ends.
const MAX_FINDINGS: usize = 20;

/// Number of walks of random grammars for each step of an output.
const WALKS_PER_STEP: usize = 2;
const STEP_TOKENS: usize = 64;
const WALKING_STEP_TOKENS: usize = 1;

struct Options {
    time: Duration,
    /// Minimum number of walks, however long they take.
    walks: usize,
    threads: usize,
    first: u64,
    vocabulary: Option<PathBuf>,
    places: Option<PathBuf>,
    only: Option<Only>,
}

/// A single case.
enum Only {
    Walk(u64),
    Output(u64),
    Text(u64),
}

/// State that the threads share.
struct Soak {
    pool: Pool,
    outputs: Outputs,
    /// Short outputs of random grammars.
    texts: Outputs,
    next_walk: AtomicU64,
    walks: AtomicUsize,
    findings: AtomicUsize,
    is_over: AtomicBool,
}

fn main() -> ExitCode {
    xtask::exit_code(run())
}

/// Runs the soak. Returns `true` if nothing differs and memory settles.
fn run() -> anyhow::Result<bool> {
    let options = Options::parse(std::env::args().skip(1))?;
    let fixtures = fixtures::grammars(&fixtures::fixtures_root());
    let vocabulary = match &options.vocabulary {
        Some(path) => vocabulary::from_file(path)?,
        None => vocabulary::from_samples(&fixtures)?,
    };
    let vocabulary = outputs::with_little_room(&vocabulary);
    let soak = Soak {
        pool: Pool::new(),
        outputs: Outputs::new("--output", &vocabulary, Grammars::fixtures(&fixtures), STEP_TOKENS),
        texts: Outputs::new("--text", &vocabulary, Grammars::random(), WALKING_STEP_TOKENS),
        next_walk: AtomicU64::new(options.first),
        walks: AtomicUsize::new(0),
        findings: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
    };
    let watch = Watch::start();
    let begin = Instant::now();
    let growth = match options.only {
        Some(Only::Walk(number)) => {
            soak.walk(&watch.worker(None), number);
            None
        }
        Some(Only::Output(number)) => {
            soak.whole(&watch.worker(None), &soak.outputs, number);
            None
        }
        Some(Only::Text(number)) => {
            soak.whole(&watch.worker(None), &soak.texts, number);
            None
        }
        None => std::thread::scope(|scope| {
            for thread in 0..options.threads {
                let place = options.places.as_ref().map(|places| places.join(thread.to_string()));
                let (soak, watch) = (&soak, &watch);
                scope.spawn(move || soak.work(&watch.worker(place)));
            }
            soak.look_on(options.time, options.walks)
        }),
    };
    Ok(soak.close(begin.elapsed(), growth))
}

impl Soak {
    /// Runs cases until the time is over.
    fn work(&self, worker: &Worker<'_>) {
        let (mut output, mut text) = (None, None);
        while !self.is_over.load(Relaxed) {
            for _ in 0..WALKS_PER_STEP {
                self.walk(worker, self.next_walk.fetch_add(1, Relaxed));
            }
            self.go_on(worker, &self.outputs, &mut output);
            self.go_on(worker, &self.texts, &mut text);
        }
    }

    fn walk(&self, worker: &Worker<'_>, number: u64) {
        let again = format!("cargo xtask soak --walk {number}");
        self.try_case(worker, &again, || self.pool.walk(number));
        self.walks.fetch_add(1, Relaxed);
    }

    fn begin(&self, worker: &Worker<'_>, outputs: &Outputs, number: u64) -> Option<Output> {
        self.try_case(worker, &outputs.again(number), || outputs.begin(number)).flatten()
    }

    /// Goes on with an output for some tokens, or begins the next one.
    fn go_on(&self, worker: &Worker<'_>, outputs: &Outputs, place: &mut Option<Output>) {
        if place.is_none() {
            *place = self.begin(worker, outputs, outputs.next());
        }
        let Some(output) = place else { return };
        let goes_on = self.try_case(worker, &outputs.again(output.number), || outputs.go_on(output));
        if goes_on != Some(true) {
            *place = None;
        }
    }

    fn whole(&self, worker: &Worker<'_>, outputs: &Outputs, number: u64) {
        let mut output = self.begin(worker, outputs, number);
        while output.is_some() {
            self.go_on(worker, outputs, &mut output);
        }
    }

    /// Runs a case that must succeed, and prints a finding otherwise.
    fn try_case<T>(
        &self,
        worker: &Worker<'_>,
        again: &str,
        case: impl FnOnce() -> Result<T, String>,
    ) -> Option<T> {
        worker.enter(again);
        // The panic has printed its message; the case is still unknown.
        match catch_unwind(AssertUnwindSafe(case)).unwrap_or_else(|_| Err("it panics".to_owned())) {
            Ok(value) => Some(value),
            Err(finding) => {
                println!("a difference (alone: {again}):\n{finding}\n");
                if self.findings.fetch_add(1, Relaxed) + 1 >= MAX_FINDINGS {
                    self.is_over.store(true, Relaxed);
                }
                None
            }
        }
    }

    /// Prints progress until the time is over and the minimum of walks is done. Returns the samples of
    /// memory.
    fn look_on(&self, time: Duration, walks: usize) -> Option<Growth> {
        let begin = Instant::now();
        let mut news = Instant::now();
        let (mut samples, mut cold) = (Vec::new(), 0);
        while (begin.elapsed() < time || self.walks.load(Relaxed) < walks) && !self.is_over.load(Relaxed) {
            let rest = time.saturating_sub(begin.elapsed());
            std::thread::sleep(if rest.is_zero() { MEMORY_INTERVAL } else { MEMORY_INTERVAL.min(rest) });
            samples.push(ALLOCATED.current_usage() as u64);
            if !self.outputs.is_warm() || !pool::is_warm(self.walks.load(Relaxed) as u64) {
                cold = samples.len();
            }
            if news.elapsed() >= PROGRESS_INTERVAL {
                news = Instant::now();
                println!(
                    "{:.0} s: {} walks, {} masks, {} findings, {} MB of {} MB that are held, {} of them shared by all grammars",
                    begin.elapsed().as_secs_f64(),
                    self.walks.load(Relaxed),
                    self.masks(),
                    self.findings.load(Relaxed),
                    ALLOCATED.current_usage() >> 20,
                    watch::memory().unwrap_or(0) >> 10,
                    self.outputs.shared_bytes() >> 20
                );
            }
        }
        self.is_over.store(true, Relaxed);
        Growth::of(&samples, cold)
    }

    fn masks(&self) -> usize {
        agreement::masks() + self.outputs.masks() + self.texts.masks()
    }

    /// Prints the summary. Returns `true` if nothing was found and memory settles.
    fn close(&self, time: Duration, growth: Option<Growth>) -> bool {
        let findings = self.findings.load(Relaxed);
        println!(
            "{} walks, {} masks compared, {findings} differences, {:.0} s",
            self.walks.load(Relaxed),
            self.masks(),
            time.as_secs_f64()
        );
        println!("{}", agreement::closing_line());
        println!("{}: with much and with little room", self.outputs.closing_line());
        println!("{}: random grammars, with parts and by walking", self.texts.closing_line());
        println!(
            "the slowest mask among few tokens: {:.2} ms",
            agreement::slowest_mask().as_secs_f64() * 1e3
        );
        for outputs in [&self.outputs, &self.texts] {
            let (slowest, name) = outputs.slowest_mask();
            println!("among many: {:.2} ms ({name})", slowest.as_secs_f64() * 1e3);
        }
        match growth {
            Some(growth) => println!("memory: {growth}"),
            None => println!("memory: too short to judge, some grammars had no turn"),
        }
        findings == 0 && !growth.is_some_and(|growth| growth.is_too_much())
    }
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut options = Self {
            time: Duration::from_secs(600),
            walks: 0,
            threads: 2,
            first: 0,
            vocabulary: None,
            places: None,
            only: None,
        };
        while let Some(word) = words.next() {
            let value = words.next().with_context(|| format!("{word} needs a value"))?;
            let number = || value.parse().with_context(|| format!("{word} {value}"));
            match word.as_str() {
                "--minutes" => {
                    let minutes: f64 = value.parse().with_context(|| format!("--minutes {value}"))?;
                    options.time = Duration::try_from_secs_f64(minutes * 60.0)?;
                }
                "--walks" => options.walks = usize::try_from(number()?)?,
                "--threads" => options.threads = usize::try_from(number()?)?,
                "--seed" => options.first = number()?,
                "--vocabulary" => options.vocabulary = Some(value.into()),
                "--places" => options.places = Some(value.into()),
                "--walk" => options.only = Some(Only::Walk(number()?)),
                "--text" => options.only = Some(Only::Text(number()?)),
                "--output" => options.only = Some(Only::Output(number()?)),
                other => bail!("unknown option of soak: {other}"),
            }
        }
        Ok(options)
    }
}

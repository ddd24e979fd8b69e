//! `cargo xtask fuzz --coverage`: builds the targets of `fuzz/` with LLVM's coverage counters, runs each for
//! some minutes with libFuzzer, and prints a table.
//!
//! Neither `cargo fuzz` nor a nightly toolchain is needed: the pass that inserts the counters is part of
//! LLVM, and `libfuzzer-sys` has the rest.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::workspace::{Workspace, cargo};

/// Flags that insert counters of edges, and report the operands of comparisons.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
];

/// The time before the end in which new edges are counted apart.
const LAST: Duration = Duration::from_secs(5 * 60);

/// Number of findings after which a target is not started again.
const MAX_FINDINGS: usize = 10;

/// Maximum time of one input by the wall clock, in seconds, on a machine with other work. A slower one is a
/// finding.
const MAX_INPUT_SECONDS: u32 = 60;

/// Maximum length of an input, in bytes.
const MAX_INPUT_BYTES: u32 = 2_048;

/// Options of the command line.
struct Options {
    seconds: u64,
    minimizes: bool,
    /// True if the programs of the last build are run.
    is_built: bool,
    targets: BTreeSet<String>,
}

impl Options {
    fn parse(arguments: &[String]) -> anyhow::Result<Self> {
        let mut options =
            Self { seconds: 20 * 60, minimizes: false, is_built: false, targets: BTreeSet::new() };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--coverage" => {}
                "--minutes" => {
                    let minutes: f64 = rest.next().context("--minutes needs a value")?.parse()?;
                    options.seconds = (minutes * 60.0) as u64;
                }
                "--built" => options.is_built = true,
                "--minimize" => options.minimizes = true,
                name if !name.starts_with('-') => _ = options.targets.insert(name.to_owned()),
                other => bail!("fuzz --coverage has no option {other}"),
            }
        }
        Ok(options)
    }
}

/// The folders of one target.
struct Target {
    name: String,
    program: PathBuf,
    /// Inputs of the repository that were findings once, with a name each.
    kept: PathBuf,
    /// The minimized inputs of the repository, in one archive.
    archive: PathBuf,
    /// The files of the archive.
    unpacked: PathBuf,
    /// Inputs of this machine, which grow.
    corpus: PathBuf,
    findings: PathBuf,
    dictionary: PathBuf,
}

/// Numbers that the runs of a target printed.
#[derive(Debug, Default)]
struct Report {
    executions: u64,
    /// Edges with the time since the first run of the target.
    edges: Vec<(Duration, u64)>,
    slowest_seconds: u64,
    peak_mb: u64,
}

/// Runs the command. Returns `true` if there are no findings.
///
/// # Errors
/// If the targets cannot be built or run.
pub fn run(workspace: &Workspace, arguments: &[String]) -> anyhow::Result<bool> {
    let options = Options::parse(arguments)?;
    let folder = workspace.root.join("fuzz");
    let mut names = names_of_targets(&folder)?;
    if let Some(unknown) = options.targets.iter().find(|name| !names.contains(name)) {
        bail!("no target {unknown}; there are {}", names.join(", "));
    }
    names.retain(|name| options.targets.is_empty() || options.targets.contains(name));
    let target = workspace.target.join("coverage").join("build");
    let programs = target.join(host()?).join("release");
    if !options.is_built {
        build(&folder, &target)?;
    }
    let mut rows = Vec::new();
    let mut is_clean = true;
    for name in names {
        let place = workspace.target.join("coverage");
        let target = Target {
            program: programs.join(&name),
            kept: folder.join("corpus").join(&name),
            archive: folder.join("corpus").join(format!("{name}.tar.gz")),
            unpacked: place.join("unpacked").join(&name),
            corpus: place.join("corpus").join(&name),
            findings: place.join("findings").join(&name),
            dictionary: folder.join("dictionaries").join(format!("{name}.dict")),
            name,
        };
        for folder in [&target.corpus, &target.findings, &target.kept] {
            std::fs::create_dir_all(folder)?;
        }
        unpack(&target)?;
        if options.minimizes {
            minimize(&target)?;
            continue;
        }
        write_seeds(&target)?;
        let (report, findings) = fuzz(&target, Duration::from_secs(options.seconds))?;
        is_clean &= findings.is_empty();
        rows.push(row(&target.name, &report, findings.len()));
        for finding in findings {
            println!("finding: {} {}", target.program.display(), finding.display());
        }
    }
    if !rows.is_empty() {
        println!(
            "| target | executions | edges at the start | 5 minutes before the end | at the end | slowest input s | peak MB | findings |"
        );
        println!("| --- |{}", " --: |".repeat(7));
    }
    rows.iter().for_each(|row| println!("{row}"));
    Ok(is_clean)
}

fn names_of_targets(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder.join("fuzz_targets")).context("fuzz/fuzz_targets")? {
        names.extend(entry?.path().file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// Builds all targets of a folder into another.
fn build(folder: &Path, target: &Path) -> anyhow::Result<()> {
    // A target triple keeps the flags from build scripts and macros.
    let status = cargo()
        .args(["build", "--release", "--locked", "--bins", "--target", &host()?, "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f"))
        .status()
        .context("cargo build")?;
    if !status.success() {
        bail!("the targets cannot be built");
    }
    Ok(())
}

/// Returns the triple of this machine.
fn host() -> anyhow::Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("rustc -vV")?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

fn write_seeds(target: &Target) -> anyhow::Result<()> {
    let status = Command::new(&target.program).env("GRAMMASK_FUZZ_SEEDS", &target.corpus).status()?;
    if !status.success() {
        bail!("{} cannot write its seeds", target.name);
    }
    Ok(())
}

/// Runs a target until the time is over. After a finding, it is started again.
fn fuzz(target: &Target, time: Duration) -> anyhow::Result<(Report, Vec<PathBuf>)> {
    let begin = Instant::now();
    let before = files(&target.findings)?;
    let mut report = Report::default();
    loop {
        let left = time.saturating_sub(begin.elapsed());
        let mut command = Command::new(&target.program);
        command.args([&target.corpus, &target.kept, &target.unpacked]);
        command.arg(format!("-max_total_time={}", left.as_secs().max(1)));
        command.arg(format!("-timeout={MAX_INPUT_SECONDS}"));
        command.arg(format!("-max_len={MAX_INPUT_BYTES}"));
        command.arg(format!("-artifact_prefix={}/", target.findings.display()));
        command.args(["-rss_limit_mb=2048", "-print_final_stats=1", "-reload=0"]);
        if target.dictionary.exists() {
            command.arg(format!("-dict={}", target.dictionary.display()));
        }
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let stderr = BufReader::new(child.stderr.take().context("stderr")?);
        let earlier = report.executions;
        let mut messages = Vec::new();
        for line in stderr.split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            report.read(&line, begin.elapsed(), earlier);
            if !line.starts_with('#') {
                messages.push(line);
            }
        }
        let status = child.wait()?;
        let findings: Vec<_> = files(&target.findings)?.difference(&before).cloned().collect();
        let is_over = begin.elapsed() + Duration::from_secs(5) > time;
        if status.success() || is_over || findings.len() >= MAX_FINDINGS {
            return Ok((report, findings));
        }
        let skipped = messages.len().saturating_sub(60);
        println!("{}: {status}\n{}", target.name, messages[skipped..].join("\n"));
        if findings.is_empty() {
            bail!("{} ended without a finding", target.name);
        }
    }
}

fn files(folder: &Path) -> anyhow::Result<BTreeSet<PathBuf>> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

impl Report {
    /// Reads a line of libFuzzer. `earlier` is the number of executions of runs before.
    fn read(&mut self, line: &str, time: Duration, earlier: u64) {
        let number = |text: &str| text.split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
        if let Some(rest) = line.strip_prefix('#') {
            self.executions = number(rest).map_or(self.executions, |count| earlier + count);
            let edges = rest.split_once("cov: ").and_then(|(_, rest)| number(rest));
            // The corpus is read before this line.
            if !rest.contains("READ") {
                self.edges.extend(edges.map(|edges| (time, edges)));
            }
        } else if let Some(count) = line.strip_prefix("stat::number_of_executed_units:").and_then(number) {
            self.executions = earlier + count;
        } else if let Some(seconds) = line.strip_prefix("stat::slowest_unit_time_sec:").and_then(number) {
            self.slowest_seconds = self.slowest_seconds.max(seconds);
        } else if let Some(mb) = line.strip_prefix("stat::peak_rss_mb:").and_then(number) {
            self.peak_mb = self.peak_mb.max(mb);
        }
    }
}

/// Returns the row of a target in the table.
fn row(name: &str, report: &Report, findings: usize) -> String {
    let (first, last) = (report.edges.first(), report.edges.last());
    let at = |sample: Option<&(Duration, u64)>| sample.map_or(0, |(_, edges)| *edges);
    let end = last.map_or(Duration::ZERO, |(time, _)| *time);
    let before = report.edges.iter().rev().find(|(time, _)| *time + LAST <= end).or(first);
    format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {findings} |",
        report.executions,
        at(first),
        at(before),
        at(last),
        report.slowest_seconds,
        report.peak_mb
    )
}

/// Writes the files of the archive anew.
fn unpack(target: &Target) -> anyhow::Result<()> {
    empty(&target.unpacked)?;
    if target.archive.exists() {
        tar(&["-xzf"], &target.archive, &target.unpacked, &[])?;
    }
    Ok(())
}

/// Runs `tar` on an archive and the files of a folder.
fn tar(options: &[&str], archive: &Path, folder: &Path, names: &[&str]) -> anyhow::Result<()> {
    let mut command = Command::new("tar");
    command.args(options).arg(archive).arg("-C").arg(folder).args(names);
    let status = command.status().context("tar")?;
    anyhow::ensure!(status.success(), "tar {options:?} {}: {status}", archive.display());
    Ok(())
}

/// Makes an empty folder.
fn empty(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    Ok(std::fs::create_dir_all(folder)?)
}

/// Replaces the archive by the smallest inputs that reach the edges of all inputs.
fn minimize(target: &Target) -> anyhow::Result<()> {
    let next = target.corpus.with_extension("minimized");
    empty(&next)?;
    let status = Command::new(&target.program)
        .arg("-set_cover_merge=1")
        .arg(format!("-max_len={MAX_INPUT_BYTES}"))
        .args([&next, &target.corpus, &target.kept, &target.unpacked])
        .stderr(Stdio::null())
        .status()?;
    if !status.success() {
        bail!("the inputs of {} cannot be minimized", target.name);
    }
    tar(&["-czf"], &target.archive, &next, &["."])?;
    let bytes = std::fs::metadata(&target.archive)?.len();
    println!("{}: {} inputs, {bytes} bytes packed", target.name, files(&next)?.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_two_runs_make_one_row() {
        let mut report = Report::default();
        let lines = [
            "#30\tREAD units: 30",
            "#40\tINITED cov: 100 ft: 200 corp: 30/9Kb exec/s: 0 rss: 40Mb",
            "#90\tNEW    cov: 110 ft: 222 corp: 31/9Kb lim: 4 exec/s: 8 rss: 40Mb L: 4/9 MS: 1 ChangeBit-",
            "stat::number_of_executed_units: 95",
            "stat::slowest_unit_time_sec:    2",
        ];
        for (number, line) in lines.iter().enumerate() {
            report.read(line, Duration::from_secs(200 * number as u64), 0);
        }
        report.read("#7\tINITED cov: 120 ft: 1", Duration::from_secs(1_000), 95);
        assert_eq!(row("kbnf", &report, 1), "| kbnf | 102 | 100 | 110 | 120 | 2 | 0 | 1 |");
    }

    #[test]
    fn options_are_read() {
        let parse = |text: &str| Options::parse(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let options = parse("--coverage --minutes 0.5 load kbnf").unwrap();
        assert_eq!((options.seconds, options.targets.len(), options.minimizes), (30, 2, false));
        assert!(parse("--coverage --seed 1").is_err());
    }
}

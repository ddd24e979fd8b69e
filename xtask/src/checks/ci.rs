//! `cargo xtask ci`: everything that must hold before a change is taken.
//!
//! Each step is a command of cargo that can be repeated by hand. All steps run even if one fails, and a
//! summary at the end lists them with their times.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::loom;
use crate::tidy;
use crate::workspace::{Workspace, cargo};

/// The package of benchmarks. It is tested without the engines that it compares with, which take minutes to
/// build.
const BENCHMARKS: &str = "grammask-benches";

/// Packages that read JSON. `serde_json` reads numbers differently with its feature `arbitrary_precision`,
/// which the command line turns on, so they are tested once more without it.
const READERS_OF_JSON: &[&str] = &["grammask", "grammask-json-schema", "grammask-trie"];

/// Test programs of these packages that read no number from JSON, so they run the same code again.
const TESTS_WITHOUT_JSON: &[&str] = &["facade", "server"];

/// Maximum number of preemptions in the models of threads. `cargo xtask loom`, which `cargo xtask soak` runs
/// first, allows the models of two threads one more; they take most of its time.
const PREEMPTIONS: &str = "2";

/// Options of the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// True if the run ends at the first failure.
    pub fail_fast: bool,
}

impl Options {
    /// Reads a command line.
    ///
    /// # Errors
    /// For an unknown option.
    pub fn parse(arguments: &[String]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        for argument in arguments {
            match argument.as_str() {
                "--fail-fast" => options.fail_fast = true,
                other => bail!("ci has no option {other}"),
            }
        }
        Ok(options)
    }
}

/// A command of cargo with its environment.
struct Step {
    name: String,
    arguments: Vec<String>,
    environment: Vec<(&'static str, &'static str)>,
}

/// Result of a step.
struct Report {
    name: String,
    passed: bool,
    time: Duration,
    tests: Tests,
}

/// Sums over the summary lines of test programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tests {
    runs: usize,
    passed: usize,
    failed: usize,
    ignored: usize,
}

/// Runs all steps. Returns `true` if all pass.
///
/// # Errors
/// If cargo cannot be run at all.
pub fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<bool> {
    let steps = steps(workspace);
    let count = steps.len() + 1;
    let mut reports = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        say(&format!("[{}/{count}] {}: cargo {}", number + 1, step.name, step.arguments.join(" ")))?;
        let report = run_step(workspace, step)?;
        let passed = report.passed;
        reports.push(report);
        if !passed && options.fail_fast {
            return summarize(&reports);
        }
    }
    say(&format!("[{count}/{count}] tidy"))?;
    let begin = Instant::now();
    let passed = tidy::run(workspace)?;
    reports.push(Report { name: "tidy".into(), passed, time: begin.elapsed(), tests: Tests::default() });
    summarize(&reports)
}

/// Returns the commands.
///
/// Cargo builds a package anew for each set of features of its dependencies, so commands that select the same
/// packages and features share their builds:
///
/// - Clippy and the tests select all packages with all features, and the benchmarks without peers. Features
///   only add code (the test `features_only_add_code`), so these tests hold for fewer features, too.
/// - [`READERS_OF_JSON`] are tested once more, as a feature of a dependency changes what they do.
/// - Each package is checked alone, as it may need a feature of a dependency that only another package turns
///   on.
fn steps(workspace: &Workspace) -> Vec<Step> {
    let everything = everything(workspace);
    let mut steps = vec![
        step("format", "fmt --all --check"),
        step("clippy", &format!("clippy --locked --all-targets {everything} -- -D warnings")),
        Step {
            environment: vec![("RUSTDOCFLAGS", "-D warnings")],
            ..step("docs", "doc --locked --lib --no-deps --all-features")
        },
        step("all tests", &format!("test --locked --no-fail-fast {everything}")),
    ];
    steps.extend(tests_of_readers(workspace));
    // Each package alone: in one command, the features of one package would be on for all.
    for package in workspace.default_packages().filter(|package| package.has_default_features()) {
        let command = format!("clippy --locked --no-default-features -p {} -- -D warnings", package.name);
        steps.push(step(&format!("{} without features", package.name), &command));
    }
    // For code that is built with `save` and without `json-schema`.
    let saving = "clippy --locked --no-default-features --features save -p grammask -- -D warnings";
    steps.push(step("grammask with save alone", saving));
    for package in workspace.default_packages() {
        let command = format!("check --locked --all-targets -p {}", package.name);
        steps.push(step(&format!("{} alone", package.name), &command));
    }
    let python = "clippy --locked -p grammask-python -- -D warnings";
    steps.push(step("clippy of the Python package", python));
    steps.push(step("tests of the Python package", "xtask python"));
    steps.push(models("clippy of the models", &["clippy"], &["--", "-D", "warnings"], workspace));
    let mut run = models("models", &["test", "--release"], &[], workspace);
    run.environment.push(("LOOM_MAX_PREEMPTIONS", PREEMPTIONS));
    steps.push(run);
    steps
}

/// Selects the default packages with all features, and the benchmarks without any.
fn everything(workspace: &Workspace) -> String {
    let mut selection = format!("-p {BENCHMARKS}");
    let mut features = Vec::new();
    for package in workspace.default_packages() {
        selection.push_str(&format!(" -p {}", package.name));
        features.extend(package.features.iter().map(|feature| format!("{}/{feature}", package.name)));
    }
    format!("{selection} --no-default-features --features {}", features.join(","))
}

/// Tests of the packages that read JSON, with the features that are on by default.
fn tests_of_readers(workspace: &Workspace) -> [Step; 2] {
    let mut selection = "test --locked --no-fail-fast".to_owned();
    let mut tests = String::new();
    for package in workspace.packages.iter().filter(|package| READERS_OF_JSON.contains(&&*package.name)) {
        selection.push_str(&format!(" -p {}", package.name));
        for test in package.tests.iter().filter(|test| !TESTS_WITHOUT_JSON.contains(&&***test)) {
            tests.push_str(&format!(" --test {test}"));
        }
    }
    [
        step("tests of readers of JSON", &format!("{selection} --lib{tests}")),
        step("their examples", &format!("{selection} --doc")),
    ]
}

fn step(name: &str, command: &str) -> Step {
    Step {
        name: name.to_owned(),
        arguments: command.split(' ').map(str::to_owned).collect(),
        environment: Vec::new(),
    }
}

/// A step that builds the models of threads.
fn models(name: &str, command: &[&str], options: &[&str], workspace: &Workspace) -> Step {
    let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    Step {
        name: name.to_owned(),
        arguments: [owned(command), loom::selection(workspace), owned(options)].concat(),
        environment: loom::ENVIRONMENT.to_vec(),
    }
}

fn run_step(workspace: &Workspace, step: &Step) -> anyhow::Result<Report> {
    let begin = Instant::now();
    let mut command = cargo();
    command.args(&step.arguments).envs(step.environment.iter().copied()).current_dir(&workspace.root);
    let (passed, tests) = run_and_count(command).with_context(|| format!("cargo {}", step.arguments[0]))?;
    if !passed && matches!(step.arguments[0].as_str(), "fmt" | "clippy") && !has_command(&step.arguments[0]) {
        say("cargo does not know this command: rustup component add rustfmt clippy")?;
    }
    Ok(Report { name: step.name.clone(), passed, time: begin.elapsed(), tests })
}

/// Returns `true` if cargo has a command. A toolchain may lack `fmt` and `clippy`.
fn has_command(name: &str) -> bool {
    cargo()
        .args([name, "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

/// Runs a command, copies its output, and adds up the summary lines of its test programs. Returns whether it
/// succeeds.
fn run_and_count(mut command: Command) -> anyhow::Result<(bool, Tests)> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut tests = Tests::default();
    let mut out = std::io::stdout().lock();
    if let Some(stdout) = child.stdout.take() {
        let mut reader = BufReader::new(stdout);
        let mut line = Vec::new();
        // Bytes, as a test may print anything.
        while reader.read_until(b'\n', &mut line)? > 0 {
            out.write_all(&line)?;
            tests.count(&String::from_utf8_lossy(&line));
            line.clear();
        }
        out.flush()?;
    }
    Ok((child.wait()?.success(), tests))
}

impl Tests {
    /// Adds a line such as `test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; ...`. Ignores any
    /// other line.
    fn count(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else { return };
        self.runs += 1;
        for part in result.split(['.', ';']) {
            let mut words = part.split_whitespace();
            if let (Some(number), Some(kind)) = (words.next(), words.next())
                && let Ok(number) = number.parse::<usize>()
            {
                match kind {
                    "passed" => self.passed += number,
                    "failed" => self.failed += number,
                    "ignored" => self.ignored += number,
                    _ => {}
                }
            }
        }
    }
}

fn summarize(reports: &[Report]) -> anyhow::Result<bool> {
    say("summary")?;
    let mut out = std::io::stdout().lock();
    for report in reports {
        let verdict = if report.passed { "ok    " } else { "FAILED" };
        write!(out, "{verdict} {:>6.1} s  {}", report.time.as_secs_f64(), report.name)?;
        if report.tests.runs > 0 {
            let Tests { runs, passed, failed, ignored } = report.tests;
            write!(out, ": {passed} passed, {failed} failed, {ignored} ignored in {runs} runs")?;
        }
        writeln!(out)?;
    }
    let failed = reports.iter().filter(|report| !report.passed).count();
    let time: Duration = reports.iter().map(|report| report.time).sum();
    let verdict = if failed == 0 { "all passed".to_owned() } else { format!("{failed} FAILED") };
    writeln!(out, "{} steps, {verdict}, {:.0} s", reports.len(), time.as_secs_f64())?;
    Ok(failed == 0)
}

/// Prints a heading between the output of the commands.
fn say(line: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n==> {line}")?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_lines_are_added_up() {
        let mut tests = Tests::default();
        tests.count(
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.52s",
        );
        tests.count("test words ... ok");
        tests.count("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out");
        assert_eq!(tests, Tests { runs: 2, passed: 15, failed: 2, ignored: 1 });
    }

    #[test]
    fn one_build_has_all_features_but_those_of_the_benchmarks() {
        let selection = everything(&Workspace::load().expect("cargo metadata"));
        for part in ["-p grammask-benches ", "-p grammask-cli ", ",grammask/save,", ",xtask/fuzz"] {
            assert!(selection.contains(part), "{selection} lacks {part}");
        }
        assert!(!selection.contains("grammask-benches/") && !selection.contains("grammask-python"));
    }

    #[test]
    fn readers_of_json_are_tested_without_the_command_line() {
        let [tests, examples] = tests_of_readers(&Workspace::load().expect("cargo metadata"));
        let command = tests.arguments.join(" ");
        let words: Vec<&str> = command.split(' ').collect();
        for test in ["grammar", "json_schema", "hostile", "schemas", "loaders"] {
            assert!(words.windows(2).any(|pair| pair == ["--test", test]), "{command} lacks {test}");
        }
        assert!(!command.contains("facade") && !command.contains("grammask-cli"), "{command}");
        assert!(examples.arguments.join(" ").ends_with("--doc"));
    }

    #[test]
    fn tests_that_are_left_out_exist() {
        let workspace = Workspace::load().expect("cargo metadata");
        let facade = workspace.packages.iter().find(|package| package.name == "grammask").expect("facade");
        assert!(TESTS_WITHOUT_JSON.iter().all(|test| facade.tests.iter().any(|known| known == test)));
    }

    #[test]
    fn features_only_add_code() {
        let workspace = Workspace::load().expect("cargo metadata");
        let mut found = Vec::new();
        for package in workspace.default_packages() {
            let mut folders = vec![workspace.root.join(&package.folder)];
            while let Some(folder) = folders.pop() {
                for entry in
                    std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry"))
                {
                    let path = entry.path();
                    if path.is_dir() {
                        folders.push(path);
                    } else if path.extension().is_some_and(|extension| extension == "rs")
                        && removes_code(&std::fs::read_to_string(&path).expect("text"))
                    {
                        found.push(path.strip_prefix(&workspace.root).expect("below the root").to_owned());
                    }
                }
            }
        }
        found.sort();
        // `fill_masks` without `parallel`, and a list that is saved without `json-schema`. Both features are
        // on by default, and steps of clippy build without them.
        let known = ["crates/grammask/src/grammar/schema_remarks.rs", "crates/grammask/src/matcher/batch.rs"];
        assert_eq!(found, known.map(std::path::PathBuf::from));
    }

    /// Returns `true` if some code is built, or runs, only where a feature is off.
    fn removes_code(text: &str) -> bool {
        let text: String = text.split_whitespace().collect();
        // In parts, so that this file is not found.
        [concat!("not(", "feature"), concat!("not(", "any(feature"), concat!("cfg!", "(feature")]
            .iter()
            .any(|part| text.contains(part))
    }

    #[test]
    fn an_unknown_option_is_an_error() {
        assert!(Options::parse(&["--fail-fast".to_owned()]).is_ok_and(|options| options.fail_fast));
        assert!(Options::parse(&["--fast".to_owned()]).is_err());
    }
}

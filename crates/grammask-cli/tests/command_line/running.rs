//! Runs the command in a temporary folder.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder for the files of one test, with its name.
pub(crate) struct Folder(PathBuf);

/// The result of a run.
pub(crate) struct Run {
    command: String,
    pub out: Vec<u8>,
    pub err: String,
    pub status: i32,
}

impl Folder {
    /// Creates an empty folder.
    pub(crate) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // Remove the files of an earlier run.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Returns the folder with a further file.
    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(name, content);
        self
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), content).unwrap();
    }

    /// Reads a file.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }

    /// Runs the command with these arguments.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with_input(arguments, b"")
    }

    /// Runs the command with these arguments and this input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut child = self.command(arguments).spawn().unwrap();
        // Ignore errors: a command may close its input without reading it.
        let _ = child.stdin.take().unwrap().write_all(input);
        Run::new(arguments, child.wait_with_output().unwrap())
    }

    /// Returns the command, ready to be started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grammask"));
        command.args(arguments).current_dir(&self.0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

impl Run {
    fn new(arguments: &[&str], output: Output) -> Self {
        let status =
            output.status.code().unwrap_or_else(|| panic!("{arguments:?} was killed: {}", output.status));
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!err.contains("panicked"), "{arguments:?}: {err}");
        Self { command: arguments.join(" "), out: output.stdout, err, status }
    }

    /// Returns standard output as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// Returns standard output as one JSON value.
    pub(crate) fn json(&self) -> serde_json::Value {
        let value =
            serde_json::from_slice(&self.out).unwrap_or_else(|error| panic!("{self}\nis not JSON: {error}"));
        assert_eq!(self.err, "", "with --json, stderr is quiet");
        value
    }
}

/// Formats the run like a terminal session.
impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "$ grammask {}", self.command.replace('\n', "\\n"))?;
        f.write_str(&without_times(&self.text()))?;
        if !self.err.is_empty() {
            write!(f, "[stderr]\n{}", without_times(&self.err))?;
        }
        writeln!(f, "[status {}]", self.status)
    }
}

/// Replaces times and their units by `TIME`.
pub(crate) fn without_times(text: &str) -> String {
    let units = ["us", "ms", "s"];
    let is_unit = |word: &str| units.contains(&word.trim_end_matches([',', ';', '\n']));
    let mut result = String::new();
    let mut words = text.split_inclusive(' ').peekable();
    while let Some(word) = words.next() {
        let is_number =
            word.strip_suffix(' ').is_some_and(|word| word.contains('.') && word.parse::<f64>().is_ok());
        match words.peek().and_then(|next| next.split_inclusive([' ', '\n']).next()) {
            Some(unit) if is_number && is_unit(unit.trim_end_matches(' ')) => {
                let rest = words.next().unwrap_or_default();
                result.push_str("TIME");
                result.push_str(rest.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()));
            }
            _ => result.push_str(word),
        }
    }
    result
}

//! The rules that a program can check, with one finding for each place that breaks one.
//!
//! `cargo xtask tidy` runs them, and so does a test.

pub mod dependencies;
pub mod lexer;
pub mod links;
pub mod prose;
pub mod records;
pub mod source;
pub mod text;

use std::collections::BTreeSet;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::workspace::Workspace;

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, from the root of the workspace.
    pub path: String,
    /// Line, from 1. 0 for the file as a whole.
    pub line: usize,
    /// Description of the fault.
    pub message: String,
}

impl Finding {
    /// Returns a finding about a file as a whole.
    pub fn of_file(path: &str, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: 0, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

/// A file that is UTF-8.
#[derive(Clone, Debug)]
pub struct TextFile {
    /// Path from the root of the workspace, with `/` on every system.
    pub path: String,
    /// Its text.
    pub content: String,
}

/// Runs `cargo xtask tidy`, which may list findings of prose instead. Returns `true` if no rule is broken.
///
/// # Errors
/// For an unknown option, and if a file cannot be read.
pub fn run_with(workspace: &Workspace, options: &[String]) -> anyhow::Result<bool> {
    match options {
        [] => run(workspace),
        [option] if option == "--prose" => {
            prose::print(&prose::check(&read_texts(workspace)?.0), None)?;
            Ok(true)
        }
        [option, area] if option == "--prose" => {
            prose::print(&prose::check(&read_texts(workspace)?.0), Some(area))?;
            Ok(true)
        }
        _ => anyhow::bail!("tidy [--prose [CRATE]]"),
    }
}

/// Checks all files and prints the findings. Returns `true` if there are none.
///
/// # Errors
/// If a file cannot be read.
pub fn run(workspace: &Workspace) -> anyhow::Result<bool> {
    let (files, findings) = check(workspace)?;
    let mut out = std::io::stdout().lock();
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    writeln!(out, "tidy: {files} files, {} findings", findings.len())?;
    Ok(findings.is_empty())
}

/// Checks all files and packages. Returns the number of files, and the findings by path and line.
///
/// # Errors
/// If a file cannot be read.
pub fn check(workspace: &Workspace) -> anyhow::Result<(usize, Vec<Finding>)> {
    let mut findings = dependencies::check(&workspace.packages);
    let (files, paths) = read_texts(workspace)?;
    findings.extend(paths.iter().filter_map(|path| source::check_name(path)));
    for TextFile { path, content } in &files {
        if path.ends_with(".rs") {
            findings.extend(source::check(path, content));
        }
        findings.extend(text::check(path, content));
        findings.extend(records::check(path, content));
    }
    findings.extend(links::check(&files, &paths));
    findings.extend(prose::over_budget(&prose::check(&files)));
    findings.sort();
    Ok((paths.len(), findings))
}

/// Reads all files that are UTF-8, and lists the paths of all files. Fixtures may hold any bytes.
fn read_texts(workspace: &Workspace) -> anyhow::Result<(Vec<TextFile>, BTreeSet<String>)> {
    let (mut files, mut paths) = (Vec::new(), BTreeSet::new());
    for file in files_below(&workspace.root)? {
        let path = portable(file.strip_prefix(&workspace.root).unwrap_or(&file));
        let bytes = std::fs::read(&file).with_context(|| path.clone())?;
        paths.insert(path.clone());
        if let Ok(content) = String::from_utf8(bytes) {
            files.push(TextFile { path, content });
        }
    }
    Ok((files, paths))
}

/// Names of folders that are not read: what cargo and git write, and inputs of fuzzing, which are any bytes.
const SKIPPED_FOLDERS: &[&str] = &["target", ".git", "fuzz/corpus"];

/// Returns all files, sorted, without [`SKIPPED_FOLDERS`] and files of git.
fn files_below(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let name = entry.file_name();
            let kind = entry.file_type()?;
            if kind.is_dir() && !SKIPPED_FOLDERS.iter().any(|skipped| entry.path().ends_with(skipped)) {
                folders.push(entry.path());
            } else if kind.is_file() && name != ".git" {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns a path with `/` on every system.
fn portable(path: &Path) -> String {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

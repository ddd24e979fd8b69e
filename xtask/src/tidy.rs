//! The rules of docs/architecture.md that a program can check, with one finding for each place that breaks one.
//! `cargo xtask tidy` runs them, and so does a test.

pub mod decisions;
pub mod dependencies;
pub mod source;
pub mod text;

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::workspace::Workspace;

/// A rule that is broken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, from the root of the workspace.
    pub path: String,
    /// The line, counted from 1; 0 when the file as a whole is meant.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl Finding {
    /// A finding about a file as a whole.
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

/// Checks and prints; whether nothing was found.
///
/// # Errors
/// When a file cannot be read.
pub fn run(workspace: &Workspace) -> anyhow::Result<bool> {
    let (files, findings) = check(workspace)?;
    let mut out = std::io::stdout().lock();
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    writeln!(out, "tidy: {files} files, {} findings", findings.len())?;
    Ok(findings.is_empty())
}

/// Checks all files and packages: how many files, and what was found, by path and line.
///
/// # Errors
/// When a file cannot be read.
pub fn check(workspace: &Workspace) -> anyhow::Result<(usize, Vec<Finding>)> {
    let mut findings = dependencies::check(&workspace.packages);
    let files = files_below(&workspace.root)?;
    for file in &files {
        let path = portable(file.strip_prefix(&workspace.root).unwrap_or(file));
        findings.extend(source::check_name(&path));
        let bytes = std::fs::read(file).with_context(|| path.clone())?;
        // What is no UTF-8 is no text of ours: fixtures may hold any bytes.
        let Ok(content) = String::from_utf8(bytes) else { continue };
        if path.ends_with(".rs") {
            findings.extend(source::check(&path, &content));
        }
        findings.extend(text::check(&path, &content));
        findings.extend(decisions::check(&path, &content));
    }
    findings.sort();
    Ok((files.len(), findings))
}

/// All files, sorted, without what is built and what git keeps, which is a file in a further working tree.
fn files_below(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let name = entry.file_name();
            let kind = entry.file_type()?;
            if kind.is_dir() && name != "target" && name != ".git" {
                folders.push(entry.path());
            } else if kind.is_file() && name != ".git" {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A path with `/` on every system.
fn portable(path: &Path) -> String {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

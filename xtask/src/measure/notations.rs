//! `cargo xtask notations`: compares the verdicts on grammars in other notations with those of the programs
//! that the notations come from, on tables and on random grammars.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use crate::measure::succeed;
use crate::workspace::Workspace;

/// Folder of the programs in Python, and of the tables.
const FOLDER: &str = "xtask/src/notations";

/// The peers, at the versions whose results the documents have. llama.cpp is built from its sources.
const PEERS: [&str; 4] = ["xgrammar==0.2.8", "llguidance==1.9.1", "lark==1.3.1", "numpy"];

/// Options of the command line.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    /// Number of random grammars of each notation.
    random: u32,
    /// True if llama.cpp is left out.
    without_llama: bool,
    /// Tables to compare. All if empty.
    tables: Vec<String>,
}

impl Options {
    fn parse(words: &[String]) -> anyhow::Result<Self> {
        let mut options = Self { random: 200, without_llama: false, tables: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--random" => {
                    let value = words.next().context("--random needs a value")?;
                    options.random = value.parse().context("--random")?;
                }
                "--without-llama" => options.without_llama = true,
                table if !table.starts_with('-') => options.tables.push(table.to_owned()),
                other => bail!("notations has no option {other}"),
            }
        }
        Ok(options)
    }
}

/// Installs the peers and compares. Returns `true` if all programs ran.
///
/// # Errors
/// If Python or a C++ compiler is missing, a package cannot be fetched, or something does not build.
pub fn run(workspace: &Workspace, words: &[String]) -> anyhow::Result<bool> {
    let options = Options::parse(words)?;
    let target = workspace.target.join("notations");
    let python = target.join("venv/bin/python");
    if !python.exists() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(target.join("venv")))?;
    }
    succeed(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PEERS))?;
    let folder = workspace.root.join(FOLDER);
    let program = |name: &str| {
        let mut command = Command::new(&python);
        command.arg(folder.join(name)).current_dir(&workspace.root);
        command
    };
    let llama = target.join("llama");
    if !options.without_llama {
        succeed(program("llama.py").arg(&llama))?;
    }
    let llama = llama.join("llama_texts");
    let release = workspace.target.join("release");
    build(&workspace.root, &["--bin", "grammask"])?;
    build(&workspace.root, &["--example", "notations"])?;

    let mut tables = program("tables.py");
    tables.arg(release.join("examples/notations")).args(&options.tables);
    if !options.without_llama {
        tables.arg("--llama").arg(&llama);
    }
    succeed(&mut tables)?;
    for notation in ["gbnf", "ebnf", "tags"] {
        if options.random == 0 || notation == "gbnf" && options.without_llama {
            continue;
        }
        println!("{notation}, random:");
        let mut compare = program("compare.py");
        compare.arg(notation).arg(release.join("grammask")).arg(&llama).arg(options.random.to_string());
        succeed(&mut compare)?;
    }
    Ok(true)
}

/// Builds a program of the command line's package.
fn build(root: &Path, which: &[&str]) -> anyhow::Result<()> {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--release", "--locked", "-p", "grammask-cli"]).args(which);
    succeed(build.current_dir(root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let parse = |text: &str| Options::parse(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let expected = Options { random: 7, without_llama: true, tables: vec!["ebnf".to_owned()] };
        assert_eq!(parse("--random 7 --without-llama ebnf").unwrap(), expected);
        assert!(parse("--random").is_err() && parse("--seed 1").is_err());
    }
}

//! `cargo xtask parsers`: asks parsers in use whether they take the documents of the profile `Generation`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};

use crate::measure::succeed;
use crate::python::{Environment, build_wheel};
use crate::workspace::Workspace;

/// The folder of the programs, with the versions of the libraries for Python.
const FOLDER: &str = "xtask/src/parsers";

/// The library for Node.js, at the version whose results the documents have.
const ZOD: &str = "zod@4.6.7";

/// Returns the number of documents of each model.
fn documents(words: &[String]) -> anyhow::Result<u32> {
    match words {
        [] => Ok(50),
        [option, value] if option == "--documents" => value.parse().context("--documents"),
        _ => bail!("parsers takes --documents N"),
    }
}

/// Installs the libraries and asks them. Returns true if they refuse few enough documents.
///
/// # Errors
/// If Python 3.11 or newer is missing, a package cannot be installed, or the wheel does not build.
pub fn run(workspace: &Workspace, words: &[String]) -> anyhow::Result<bool> {
    let documents = documents(words)?;
    let folder = workspace.root.join(FOLDER);
    let environment = Environment::at(workspace, "parsers", &folder.join("requirements.txt"))?;
    let wheel = build_wheel(workspace, &environment, "dev")?;
    environment.install_wheel(&wheel)?;
    let zod = install_zod(&environment)?;
    let mut check = environment.python();
    check.arg("-B").arg(folder.join("check.py")).arg(zod).arg(documents.to_string());
    environment.run(&mut check)
}

/// Installs zod and returns its folder, or a hyphen where Node.js is missing.
fn install_zod(environment: &Environment) -> anyhow::Result<PathBuf> {
    let has_node = ["node", "npm"].iter().all(|name| Command::new(name).arg("--version").output().is_ok());
    if !has_node {
        println!("zod is left out: Node.js with npm is missing");
        return Ok("-".into());
    }
    let folder = environment.folder.join("zod");
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).arg(ZOD);
    succeed(&mut install)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_documents_is_read() {
        let parse = |text: &str| documents(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!((parse("").unwrap(), parse("--documents 7").unwrap()), (50, 7));
        assert!(parse("--documents").is_err() && parse("--documents x").is_err() && parse("all").is_err());
    }
}

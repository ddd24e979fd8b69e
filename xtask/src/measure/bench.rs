//! `cargo xtask bench`: compares with other engines and writes docs/benchmarks.md.
//!
//! The document begins with a chart and a table, see [`overview`](super::overview). `--overview` renews only
//! these from the document's other tables. `--glrmask` first builds the program that runs glrmask, which
//! takes many minutes once.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, ensure};

use super::overview::{Overview, overview};
use crate::workspace::{Workspace, cargo};

/// The package of the program that runs glrmask, from the root of the workspace.
const GLRMASK: &str = "benches/glrmask/Cargo.toml";

/// The file that holds the tables, from the root of the workspace.
const TABLE: &str = "docs/benchmarks.md";

/// The chart, in the folder of [`TABLE`].
const CHART: &str = "peers.svg";

/// Runs the comparison with `options`. Returns `true` unless it fails; slowness is not a failure.
///
/// # Errors
/// If the comparison fails, or the tables cannot be written.
pub fn run(workspace: &Workspace, options: &[String]) -> anyhow::Result<bool> {
    let table = workspace.root.join(TABLE);
    if options == ["--overview"] {
        write(&table, &overview(&std::fs::read_to_string(&table).context(TABLE)?, CHART)?)?;
        return Ok(true);
    }
    let keeps_table = !options.iter().any(|option| option == "--json" || option == "--help");
    let mut options = options.to_vec();
    if let Some(place) = options.iter().position(|option| option == "--glrmask") {
        options.insert(place + 1, build_glrmask(workspace)?);
    }
    let mut command = cargo();
    command
        .args(["run", "--release", "--quiet", "-p", "grammask-benches", "--bin", "grammask-benches", "--"])
        .args(options)
        .current_dir(&workspace.root);
    if !keeps_table {
        return Ok(command.status().context("cargo run")?.success());
    }
    let output = command.stderr(Stdio::inherit()).output().context("cargo run")?;
    ensure!(output.status.success(), "the comparison fails");
    let tables = String::from_utf8(output.stdout)?;
    println!("{tables}");
    match overview(&tables, CHART) {
        Ok(overview) => write(&table, &overview)?,
        // A run of some parts only may lack the tables for it.
        Err(error) => {
            eprintln!("{TABLE} begins without a chart: {error:#}");
            std::fs::write(&table, tables).context(TABLE)?;
        }
    }
    println!("written to {TABLE}");
    Ok(true)
}

fn write(table: &Path, Overview { document, chart }: &Overview) -> anyhow::Result<()> {
    std::fs::write(table, document).context(TABLE)?;
    std::fs::write(table.with_file_name(CHART), chart).context(CHART)
}

/// Builds the program that runs glrmask, which has a lock file of its own. Returns its path.
fn build_glrmask(workspace: &Workspace) -> anyhow::Result<String> {
    let target = workspace.target.join("glrmask");
    eprintln!("building glrmask, which takes many minutes the first time");
    let status = cargo()
        .args(["build", "--release", "--locked", "--manifest-path", GLRMASK, "--target-dir"])
        .arg(&target)
        .current_dir(&workspace.root)
        .status()
        .context("cargo build")?;
    ensure!(status.success(), "glrmask does not build");
    let program = target.join("release").join("grammask-benches-glrmask");
    Ok(program.to_str().context("a path that is not UTF-8")?.to_owned())
}

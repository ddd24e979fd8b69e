//! `cargo xtask engines`: runs the adapters of the Python package inside of real engines, by hand.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::python::{Environment, build_wheel};
use crate::workspace::Workspace;

/// The folder of the programs.
const FOLDER: &str = "crates/grammask-python/engines";

/// The programs with the arguments that they need.
const PROGRAMS: &[(&str, &[Argument])] = &[
    ("run_tokenizers.py", &[Argument::Model]),
    ("run_transformers.py", &[Argument::Model]),
    ("run_llama_cpp.py", &[Argument::Library]),
    ("run_vllm.py", &[Argument::Model]),
    ("run_vllm.py", &[Argument::Model, Argument::Drafts]),
];

/// The programs for later versions of PyTorch and transformers than those of vLLM.
const LATER_PROGRAMS: &[(&str, &[Argument])] = &[
    ("run_transformers.py", &[Argument::Model]),
    ("run_outlines.py", &[Argument::Model]),
    ("run_mlx_lm.py", &[Argument::Model]),
    ("run_sglang.py", &[Argument::Model]),
];

/// An argument of a program.
#[derive(Clone, Copy)]
enum Argument {
    /// The folder of the model.
    Model,
    /// The folder of `libgrammask_c.so`.
    Library,
    /// The option for drafted tokens.
    Drafts,
}

/// Installs the engines, about 8 GB, runs all programs, and prints their lines as a table. Returns true if
/// all succeed.
///
/// # Errors
/// If something cannot be installed or built.
pub fn run(workspace: &Workspace) -> anyhow::Result<bool> {
    let folder = workspace.root.join(FOLDER);
    let environment = install(workspace, "engines", "requirements")?;
    let later = install(workspace, "engines-later", "requirements-later")?;
    let wheel = build_wheel(workspace, &environment, "wheel")?;
    for environment in [&environment, &later] {
        environment.install_wheel(&wheel)?;
    }
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--locked", "--release", "-p", "grammask-capi"]);
    ensure!(environment.run(&mut build)?, "the C library does not build");

    let model = environment.folder.join("smollm2");
    let mut unpack = environment.python();
    ensure!(environment.run(unpack.arg(folder.join("model.py")).arg(&model))?, "the model is not unpacked");
    let library = workspace.target.join("release");
    println!("| engine | what | result | time |\n| --- | --- | --- | --- |");
    let mut is_right = true;
    for (environment, programs) in [(&environment, PROGRAMS), (&later, LATER_PROGRAMS)] {
        for (program, arguments) in programs {
            let mut command = environment.python();
            command.arg(folder.join(program)).env("GRAMMASK_VLLM", "1").current_dir(&workspace.root);
            for argument in *arguments {
                command.arg(match argument {
                    Argument::Model => model.as_os_str(),
                    Argument::Library => library.as_os_str(),
                    Argument::Drafts => OsStr::new("--drafts"),
                });
            }
            is_right &= report(&mut command, program)?;
        }
    }
    Ok(is_right)
}

/// Makes an environment with the packages of two lists: those of NAME.txt, and those of NAME-alone.txt
/// without what they require.
fn install(workspace: &Workspace, name: &str, requirements: &str) -> anyhow::Result<Environment> {
    let folder = workspace.root.join(FOLDER);
    let environment = Environment::at(workspace, name, &folder.join(format!("{requirements}.txt")))?;
    let alone = folder.join(format!("{requirements}-alone.txt"));
    let words = ["install", "--no-deps", "--requirement"].map(OsStr::new);
    environment.pip(words.into_iter().chain([alone.as_os_str()]))?;
    Ok(environment)
}

/// Runs a program, and prints the lines of its table. The rest of its output is for an error only.
fn report(command: &mut Command, program: &str) -> anyhow::Result<bool> {
    let output = command.output().with_context(|| format!("{program} cannot be run"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text.lines().filter(|line| line.matches(" | ").count() >= 1) {
        println!("| {line} |");
    }
    if !output.status.success() {
        println!("| {} | failed | {} |  |", Path::new(program).display(), output.status);
        println!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.status.success())
}

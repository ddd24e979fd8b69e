//! `cargo xtask python`: builds the Python wheel and runs its tests, in a virtual environment of its own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};

use crate::workspace::Workspace;

/// The folder of the package.
pub(crate) const PACKAGE: &str = "crates/grammask-python";

/// How the wheel is built and tested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Build with the profile of releases, and print the size of the wheel. Takes minutes.
    pub release: bool,
    /// Arguments for pytest.
    pub pytest: Vec<String>,
}

impl Options {
    /// Reads a command line: `[--release] [-- PYTEST ARGUMENTS]`.
    ///
    /// # Errors
    /// For an unknown option.
    pub fn parse(arguments: &[String]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--release" => options.release = true,
                "--" => options.pytest = rest.by_ref().cloned().collect(),
                other => bail!("python: unknown option {other}"),
            }
        }
        Ok(options)
    }
}

/// Builds, installs and tests the wheel; returns true if all tests pass.
///
/// # Errors
/// If Python 3.11 or newer is missing, its packages cannot be installed, or the wheel does not build.
pub fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<bool> {
    let requirements = workspace.root.join(PACKAGE).join("tests/requirements.txt");
    let environment = Environment::at(workspace, "python", &requirements)?;
    let profile = if options.release { "wheel" } else { "dev" };
    let wheel = build_wheel(workspace, &environment, profile)?;
    if options.release {
        println!("{}: {} bytes", wheel.display(), std::fs::metadata(&wheel)?.len());
    }
    environment.install_wheel(&wheel)?;

    let mut pytest = environment.python();
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "crates/grammask-python/tests"]);
    let passed = environment.run(pytest.args(&options.pytest))?;
    let mut stubtest = environment.python();
    stubtest.args(["-m", "mypy.stubtest", "grammask", "--ignore-unused-allowlist"]);
    stubtest.args(["--mypy-config-file", "crates/grammask-python/tests/mypy.ini"]);
    stubtest.args(["--allowlist", "crates/grammask-python/tests/stubtest.txt"]);
    let are_stubs_right = environment.run(&mut stubtest)?;
    Ok(passed && are_stubs_right)
}

/// Builds the wheel with a profile of the workspace; returns its path.
pub(crate) fn build_wheel(
    workspace: &Workspace,
    environment: &Environment,
    profile: &str,
) -> anyhow::Result<PathBuf> {
    let wheels = environment.folder.join("wheels");
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    let manifest = workspace.root.join(PACKAGE).join("Cargo.toml");
    let mut build = environment.python();
    build.args(["-m", "maturin", "build", "--quiet", "--locked", "--profile", profile, "--manifest-path"]);
    build.arg(manifest).arg("--out").arg(&wheels).env("VIRTUAL_ENV", &environment.folder);
    ensure!(environment.run(&mut build)?, "the wheel does not build");
    only_file(&wheels)
}

/// A virtual environment in the target folder, with the packages of a file of requirements.
pub(crate) struct Environment {
    root: PathBuf,
    pub(crate) folder: PathBuf,
}

impl Environment {
    /// Makes the environment unless it is there, and installs what is missing.
    pub(crate) fn at(workspace: &Workspace, name: &str, requirements: &Path) -> anyhow::Result<Self> {
        let folder = workspace.target.join(name);
        let environment = Self { root: workspace.root.clone(), folder };
        if !environment.folder.join("bin/python").exists() {
            let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
            let mut make = Command::new(&python);
            let is_made = make.args(["-m", "venv"]).arg(&environment.folder).status();
            let is_made = is_made.with_context(|| format!("{} cannot be run", python.display()))?;
            ensure!(is_made.success(), "python3 -m venv fails; Python 3.11 or newer is needed");
        }
        environment.pip([OsStr::new("install"), "--requirement".as_ref(), requirements.as_os_str()])?;
        Ok(environment)
    }

    pub(crate) fn python(&self) -> Command {
        Command::new(self.folder.join("bin/python"))
    }

    /// Runs a command in the root of the workspace; returns true if it succeeds.
    pub(crate) fn run(&self, command: &mut Command) -> anyhow::Result<bool> {
        let program = command.get_program().to_owned();
        let status = command.current_dir(&self.root).status();
        Ok(status.with_context(|| format!("{} cannot be run", program.display()))?.success())
    }

    /// Installs a wheel in place of the one that is there.
    pub(crate) fn install_wheel(&self, wheel: &Path) -> anyhow::Result<()> {
        let words = ["install", "--force-reinstall", "--no-deps"].map(OsStr::new);
        self.pip(words.into_iter().chain([wheel.as_os_str()]))
    }

    /// Runs pip.
    pub(crate) fn pip<'a>(&self, arguments: impl IntoIterator<Item = &'a OsStr>) -> anyhow::Result<()> {
        let mut pip = self.python();
        pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check"]).args(arguments);
        ensure!(self.run(&mut pip)?, "pip fails");
        Ok(())
    }
}

/// The one file in a folder.
fn only_file(folder: &Path) -> anyhow::Result<PathBuf> {
    let mut files =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    let file = files.pop().with_context(|| format!("{} is empty", folder.display()))?;
    ensure!(files.is_empty(), "{} has more than one file", folder.display());
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_after_two_hyphens_are_for_pytest() {
        let words = ["--release", "--", "-k", "pickling"].map(str::to_owned);
        let options = Options::parse(&words).expect("options");
        assert!(options.release);
        assert_eq!(options.pytest, ["-k", "pickling"]);
        assert!(Options::parse(&["--debug".to_owned()]).is_err());
    }
}

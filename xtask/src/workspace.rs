//! The folders and packages of the workspace, as `cargo metadata` reports them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

/// The workspace.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The folder of the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// The folder in which cargo builds.
    pub target: PathBuf,
    /// The minimum Rust version of the published crates.
    pub rust_version: String,
    /// All packages, by name.
    pub packages: Vec<Package>,
}

/// A package of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder, from the root of the workspace.
    pub folder: PathBuf,
    /// True if a plain `cargo test` tests it.
    pub is_default: bool,
    /// True if it may be published.
    pub is_published: bool,
    /// Names of its features. `default` is one of them if features are on by default.
    pub features: Vec<String>,
    /// Names of the test programs in its folder `tests`.
    pub tests: Vec<String>,
    /// Packages that it depends on.
    pub dependencies: Vec<Dependency>,
}

/// A dependency of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The package depended on.
    pub name: String,
    /// True if only tests, examples and benchmarks need it.
    pub is_dev: bool,
    /// True if it belongs to a feature.
    pub is_optional: bool,
}

impl Package {
    /// Returns `true` if features of the package are on by default.
    pub fn has_default_features(&self) -> bool {
        self.features.iter().any(|feature| feature == "default")
    }
}

impl Workspace {
    /// Runs `cargo metadata`.
    ///
    /// # Errors
    /// If cargo cannot be run, or refuses the workspace.
    pub fn load() -> anyhow::Result<Self> {
        let output = cargo()
            .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
            // In the root: elsewhere, the package of that folder would be the only default one.
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
            .output()
            .context("cargo metadata")?;
        ensure!(
            output.status.success(),
            "cargo metadata: {}",
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
        Self::from_metadata(&serde_json::from_slice(&output.stdout)?)
    }

    /// Reads the output of `cargo metadata --no-deps`.
    ///
    /// # Errors
    /// If a field is missing.
    pub fn from_metadata(metadata: &Value) -> anyhow::Result<Self> {
        let root = PathBuf::from(text(metadata, "workspace_root")?);
        let defaults: Vec<&str> =
            list(metadata, "workspace_default_members")?.iter().filter_map(Value::as_str).collect();
        let mut packages = Vec::new();
        for package in list(metadata, "packages")? {
            let manifest = Path::new(text(package, "manifest_path")?);
            let folder = manifest.parent().unwrap_or(manifest);
            packages.push(Package {
                name: text(package, "name")?.to_owned(),
                folder: folder.strip_prefix(&root).unwrap_or(folder).to_owned(),
                is_default: defaults.contains(&text(package, "id")?),
                // Null: may be published anywhere; an empty list: nowhere.
                is_published: package["publish"].as_array().is_none_or(|places| !places.is_empty()),
                features: features(package)?,
                tests: tests(package)?,
                dependencies: dependencies(package)?,
            });
        }
        packages.sort_by(|a, b| a.name.cmp(&b.name));
        let facade = list(metadata, "packages")?.iter().find(|package| package["name"] == "grammask");
        let rust_version = text(facade.context("there is no package grammask")?, "rust_version")?.to_owned();
        Ok(Self { root, target: text(metadata, "target_directory")?.into(), rust_version, packages })
    }

    /// Returns the packages that a plain `cargo test` tests.
    pub fn default_packages(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.is_default)
    }
}

/// Returns the cargo that runs this program, or the one on the path.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn features(package: &Value) -> anyhow::Result<Vec<String>> {
    let features = package["features"].as_object().context("cargo metadata has no features")?;
    Ok(features.keys().cloned().collect())
}

fn tests(package: &Value) -> anyhow::Result<Vec<String>> {
    let is_test =
        |target: &&Value| target["kind"].as_array().is_some_and(|kinds| kinds.contains(&"test".into()));
    let targets = list(package, "targets")?.iter().filter(is_test);
    targets.map(|target| Ok(text(target, "name")?.to_owned())).collect()
}

fn dependencies(package: &Value) -> anyhow::Result<Vec<Dependency>> {
    let mut found = Vec::new();
    for dependency in list(package, "dependencies")? {
        found.push(Dependency {
            name: text(dependency, "name")?.to_owned(),
            is_dev: dependency["kind"].as_str() == Some("dev"),
            is_optional: dependency["optional"].as_bool() == Some(true),
        });
    }
    Ok(found)
}

fn text<'a>(value: &'a Value, key: &str) -> anyhow::Result<&'a str> {
    value[key].as_str().with_context(|| format!("cargo metadata has no {key}"))
}

fn list<'a>(value: &'a Value, key: &str) -> anyhow::Result<&'a [Value]> {
    Ok(value[key].as_array().with_context(|| format!("cargo metadata has no {key}"))?)
}

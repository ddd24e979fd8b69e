//! The allowed dependencies between packages: the picture of docs/architecture.md as a table.
//!
//! No crate knows those on its right, and a library crate has no heavy dependency.

use super::Finding;
use crate::workspace::Package;

/// A package, and the packages of the workspace that it may depend on.
const PICTURE: &[(&str, &[&str])] = &[
    ("grammask-work", &[]),
    ("grammask-syntax", &["grammask-work"]),
    ("grammask-regular", &["grammask-work"]),
    ("grammask-cache", &[]),
    ("grammask-trie", &[]),
    ("grammask-normal", &["grammask-work", "grammask-syntax", "grammask-regular"]),
    ("grammask-earley", &["grammask-work", "grammask-normal", "grammask-regular", "grammask-cache"]),
    (
        "grammask-mask",
        &["grammask-work", "grammask-earley", "grammask-regular", "grammask-cache", "grammask-trie"],
    ),
    ("grammask-pattern", &["grammask-regular"]),
    ("grammask-json-schema", &["grammask-work", "grammask-syntax", "grammask-regular", "grammask-pattern"]),
    (
        "grammask-notation",
        &["grammask-work", "grammask-syntax", "grammask-regular", "grammask-pattern", "grammask-json-schema"],
    ),
    (
        "grammask-lark",
        &[
            "grammask-work",
            "grammask-syntax",
            "grammask-regular",
            "grammask-pattern",
            "grammask-json-schema",
            "grammask-notation",
        ],
    ),
    ("grammask-tools", &[]),
    ("grammask-gbnf", &["grammask-syntax", "grammask-notation"]),
    ("grammask-tags", &["grammask-syntax", "grammask-json-schema", "grammask-notation", "grammask-gbnf"]),
    ("grammask", LIBRARIES),
    ("grammask-kbnf", &["grammask"]),
    ("grammask-cli", WITH_FACADE),
    ("grammask-python", WITH_FACADE),
    ("grammask-capi", &["grammask"]),
    ("grammask-testkit", &["grammask-syntax"]),
    ("grammask-benches", WITH_KBNF),
    ("xtask", &["grammask", "grammask-syntax", "grammask-testkit"]),
];

/// The crates of the engine.
const LIBRARIES: &[&str] = &[
    "grammask-syntax",
    "grammask-regular",
    "grammask-cache",
    "grammask-trie",
    "grammask-normal",
    "grammask-earley",
    "grammask-mask",
    "grammask-pattern",
    "grammask-json-schema",
    "grammask-lark",
    "grammask-notation",
    "grammask-gbnf",
    "grammask-tags",
    "grammask-work",
];

/// The crates of the engine and the facade.
const WITH_FACADE: &[&str] = &[
    "grammask-syntax",
    "grammask-regular",
    "grammask-cache",
    "grammask-trie",
    "grammask-normal",
    "grammask-earley",
    "grammask-mask",
    "grammask-pattern",
    "grammask-json-schema",
    "grammask-lark",
    "grammask-notation",
    "grammask-gbnf",
    "grammask-tags",
    "grammask-work",
    "grammask",
];

/// The crates of the engine, the facade, and the crate with the interface of `kbnf`.
const WITH_KBNF: &[&str] = &[
    "grammask-syntax",
    "grammask-regular",
    "grammask-cache",
    "grammask-trie",
    "grammask-normal",
    "grammask-earley",
    "grammask-mask",
    "grammask-pattern",
    "grammask-json-schema",
    "grammask-lark",
    "grammask-notation",
    "grammask-gbnf",
    "grammask-tags",
    "grammask-tools",
    "grammask-work",
    "grammask",
    "grammask-kbnf",
];

/// Packages that only tests, tools and examples may use.
const HEAVY_PACKAGES: &[&str] = &[
    "anyhow",
    "clap",
    "criterion",
    "flate2",
    "insta",
    "jsonschema",
    "kbnf",
    "llguidance",
    "proptest",
    "rayon",
    "tiktoken-rs",
    "tokenizers",
    "tokio",
];

const TESTKIT: &str = "grammask-testkit";

/// The front ends that are tested with the engine below the facade: what a notation accepts is a verdict.
const FRONT_ENDS: &[&str] = &["grammask-gbnf", "grammask-lark", "grammask-tags"];

/// The crates with which they are tested: the engine, and tags as servers write them.
const VERDICTS: &[&str] = &["grammask-normal", "grammask-earley", "grammask-tools"];

/// Returns `true` for a crate of the engine and for the facade.
pub fn is_library(package: &str) -> bool {
    WITH_KBNF.contains(&package)
}

/// Checks the dependencies of all packages of the workspace.
pub fn check(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let path = format!("{}/Cargo.toml", super::portable(&package.folder));
        let mut find = |message: String| findings.push(Finding::of_file(&path, message));
        let Some(allowed) = allowed(&package.name) else {
            find(format!("{} is not in the picture of the crates", package.name));
            continue;
        };
        if package.is_published && !is_library(&package.name) && package.name != "grammask-cli" {
            find(format!("{} must not be published: publish = false", package.name));
        }
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            let is_ours = packages.iter().any(|other| other.name == name);
            if !is_ours {
                if is_library(&package.name) && !dependency.is_dev && HEAVY_PACKAGES.contains(&name) {
                    find(format!("{name} is too heavy for a library crate"));
                }
            } else if dependency.is_dev {
                if !may_test_with(&package.name, name) {
                    find(format!(
                        "a test of {} must not need {name}, which is not on its left",
                        package.name
                    ));
                }
            } else if !allowed.contains(&name) {
                find(format!("{} must not depend on {name}", package.name));
            }
        }
    }
    findings
}

fn allowed(package: &str) -> Option<&'static [&'static str]> {
    PICTURE.iter().find(|(name, _)| *name == package).map(|(_, allowed)| *allowed)
}

/// A crate is tested with crates on its left, and with the testkit unless that depends on it.
fn may_test_with(package: &str, other: &str) -> bool {
    if other == TESTKIT {
        return !is_left_of(package, TESTKIT);
    }
    is_left_of(other, package) || FRONT_ENDS.contains(&package) && VERDICTS.contains(&other)
}

/// Returns `true` if `right` may depend on `left`, directly or through others. The picture has no cycles.
fn is_left_of(left: &str, right: &str) -> bool {
    let mut to_see = vec![right];
    while let Some(package) = to_see.pop() {
        for &dependency in allowed(package).unwrap_or_default() {
            if dependency == left {
                return true;
            }
            to_see.push(dependency);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Dependency;

    fn package(name: &str, dependencies: &[(&str, bool)]) -> Package {
        Package {
            name: name.to_owned(),
            folder: format!("crates/{name}").into(),
            is_default: true,
            is_published: true,
            features: Vec::new(),
            tests: Vec::new(),
            dependencies: dependencies
                .iter()
                .map(|&(name, is_dev)| Dependency { name: name.to_owned(), is_dev, is_optional: false })
                .collect(),
        }
    }

    fn messages(packages: &[Package]) -> Vec<String> {
        check(packages).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn a_dependency_to_the_right_is_found() {
        let packages = [
            package("grammask-syntax", &[]),
            package("grammask-normal", &[("grammask-syntax", false), ("serde", false)]),
            package("grammask-earley", &[("grammask-normal", false), ("grammask-syntax", true)]),
        ];
        assert!(messages(&packages).is_empty());
        let packages =
            [package("grammask-syntax", &[("grammask-normal", false)]), package("grammask-normal", &[])];
        assert_eq!(messages(&packages), ["grammask-syntax must not depend on grammask-normal"]);
    }

    #[test]
    fn skipping_a_layer_is_found() {
        let packages =
            [package("grammask-syntax", &[]), package("grammask-mask", &[("grammask-syntax", false)])];
        assert_eq!(messages(&packages), ["grammask-mask must not depend on grammask-syntax"]);
    }

    #[test]
    fn a_crate_is_not_tested_with_what_depends_on_it() {
        let mut testkit = package(TESTKIT, &[("grammask-syntax", false)]);
        testkit.is_published = false;
        let packages = [package("grammask-syntax", &[(TESTKIT, true)]), testkit];
        assert_eq!(
            messages(&packages),
            ["a test of grammask-syntax must not need grammask-testkit, which is not on its left"]
        );
    }

    #[test]
    fn heavy_and_unknown_packages_are_found() {
        let packages = [package("grammask-trie", &[("tiktoken-rs", false), ("insta", true)])];
        assert_eq!(messages(&packages), ["tiktoken-rs is too heavy for a library crate"]);
        assert_eq!(
            messages(&[package("grammask-new", &[])]),
            ["grammask-new is not in the picture of the crates"]
        );
    }

    #[test]
    fn tools_are_not_published() {
        assert_eq!(messages(&[package("xtask", &[])]), ["xtask must not be published: publish = false"]);
    }
}

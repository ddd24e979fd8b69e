//! The workspace keeps the rules that a program can check.

use xtask::tidy;
use xtask::workspace::Workspace;

#[test]
fn the_workspace_is_tidy() {
    let workspace = Workspace::load().expect("cargo metadata");
    let (files, findings) = tidy::check(&workspace).expect("files can be read");
    assert!(files > 50, "only {files} files were looked at");
    let list: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "\n{}", list.join("\n"));
}

#[test]
fn a_plain_test_run_leaves_the_benchmarks_alone() {
    let workspace = Workspace::load().expect("cargo metadata");
    let defaults: Vec<&str> = workspace.default_packages().map(|package| package.name.as_str()).collect();
    assert!(defaults.contains(&"grammask-syntax") && defaults.contains(&"xtask"), "{defaults:?}");
    assert!(!defaults.contains(&"grammask-benches"), "{defaults:?}");
}

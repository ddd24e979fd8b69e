//! Tests the documents: every `console` block is what the command prints, and every `kbnf` block compiles.
//!
//! `UPDATE_DOCS=1 cargo test -p grammask-cli --test docs` updates the blocks.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// Returns README.md and all documents in docs/, except those that `cargo xtask bench` writes.
fn documents() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = ["docs", "docs/algorithms"]
        .iter()
        .flat_map(|folder| fs::read_dir(root().join(folder)).expect("a folder of documents"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .filter(|path| !path.ends_with("benchmarks.md"))
        .collect();
    files.push(root().join("README.md"));
    files.sort();
    files
}

/// Splits a command line at spaces outside of single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().expect("never empty").push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the output of `$ grammask …`: stdout, then stderr.
fn run(line: &str) -> String {
    let arguments = words(line.strip_prefix("$ grammask ").expect("a block shows the command grammask"));
    let output = Command::new(env!("CARGO_BIN_EXE_grammask"))
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("the command runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    // Lines of a document have no trailing spaces.
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// Returns a document with current `console` blocks.
fn renewed(text: &str) -> String {
    let mut lines = text.lines();
    let mut renewed = Vec::new();
    while let Some(line) = lines.next() {
        renewed.push(line.to_owned());
        if line == "```console" {
            for inside in lines.by_ref().take_while(|line| *line != "```") {
                if inside.starts_with("$ ") {
                    renewed.push(inside.to_owned());
                    renewed.push(run(inside));
                }
            }
            renewed.push("```".to_owned());
        }
    }
    renewed.join("\n") + "\n"
}

#[test]
fn console_blocks_show_what_is_printed() {
    let mut commands = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document");
        commands += text.lines().filter(|line| line.starts_with("$ grammask ")).count();
        let renewed = renewed(&text);
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, renewed).expect("a document that can be written");
        } else {
            assert!(text == renewed, "{} is out of date: UPDATE_DOCS=1 writes it anew", path.display());
        }
    }
    assert!(commands >= 6, "only {commands} commands are shown");
}

#[test]
fn every_pass_changes_the_example() {
    let text = fs::read_to_string(root().join("docs/examples/passes.kbnf")).expect("the example");
    let ast = grammask_syntax::parse(&text, &Default::default()).expect("KBNF");
    let trace = grammask_normal::normalize_traced(&ast, &Default::default()).expect("a language");
    let texts: Vec<String> = trace.steps.iter().map(|(_, grammar)| grammar.to_string()).collect();
    for pass in grammask_normal::PASSES {
        let changes = (1..texts.len()).any(|at| trace.steps[at].0 == pass.name && texts[at] != texts[at - 1]);
        assert!(changes, "{} changes nothing in the example", pass.name);
    }
}

#[test]
fn kbnf_blocks_compile() {
    let mut blocks = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document");
        let mut lines = text.lines();
        while lines.by_ref().any(|line| line == "```kbnf") {
            let grammar: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let grammar = grammar.join("\n");
            let ast = grammask_syntax::parse(&grammar, &Default::default())
                .unwrap_or_else(|errors| panic!("{}", errors.render(&grammar, &path.to_string_lossy())));
            // A block may be a fragment without a start symbol. Its first rule is the start symbol then.
            let config =
                grammask_normal::Config { start: Some(ast.rules[0].name.text.clone()), ..Default::default() };
            let (ast, _) = grammask::translate_schemas(&ast, &grammask::Config::default())
                .unwrap_or_else(|error| panic!("{}", error.render(&grammar, &path.to_string_lossy())));
            if let Err(errors) = grammask_normal::normalize(&ast, &config) {
                panic!("{}: {errors}\n{grammar}", path.display());
            }
            blocks += 1;
        }
    }
    assert!(blocks >= 10, "only {blocks} blocks");
}

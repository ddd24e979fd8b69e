//! The examples of the README print what it shows. `…` in the README replaces times.
//!
//! `UPDATE_DOCS=1 cargo test -p grammask-cli --test command_line` updates them.

use std::{env, fs};

use crate::running::{Folder, without_times};

const README: &str = include_str!("../../README.md");

/// Returns the fenced blocks of a kind.
fn blocks(kind: &str) -> Vec<&'static str> {
    let opening = format!("```{kind}\n");
    README.split(opening.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

/// Splits a command line at spaces outside of single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (place, piece) in line.split('\'').enumerate() {
        match place % 2 {
            0 => words.extend(piece.split_whitespace().map(str::to_owned)),
            _ => words.push(piece.to_owned()),
        }
    }
    words
}

#[test]
fn the_examples_print_the_documented_output() {
    let [grammar] = blocks("text")[..] else { panic!("one grammar") };
    let folder = Folder::new("readme").with("list.kbnf", grammar);
    let (mut commands, mut renewed) = (Vec::new(), README.to_owned());
    for block in blocks("console") {
        for example in block.split("$ grammask ").skip(1) {
            let (line, expected) = example.split_once('\n').unwrap();
            let words = words(line);
            let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
            let run = folder.run(&arguments);
            let printed =
                format!("{}{}{}", run.text(), if run.out.ends_with(b"\n") { "" } else { "\n" }, run.err);
            let printed = without_times(printed.trim_end()).replace("TIME", "…");
            renewed =
                renewed.replace(&format!("{line}\n{}", expected.trim_end()), &format!("{line}\n{printed}"));
            commands.push(arguments[0].to_owned());
        }
    }
    assert_eq!(commands, ["check", "show", "accept", "mask", "generate"]);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md"), renewed).unwrap();
    } else {
        assert_eq!(README, renewed, "the README is out of date: UPDATE_DOCS=1 writes it anew");
    }
}

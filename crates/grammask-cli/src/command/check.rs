//! `grammask check`: compiles a grammar, and prints its size or all of its errors.

use std::io::{self, Write};

use serde_json::json;

use crate::Status;
use crate::args::{Check, ReadingArgs};
use crate::failure::Failure;
use crate::input::source::{Source, config};
use crate::output::Output;
use crate::timing::readable;

pub(crate) fn run(arguments: &Check, reading: &ReadingArgs, out: &mut Output) -> Result<Status, Failure> {
    let config = config(reading)?;
    let source = Source::read(&arguments.file, reading, &config)?;
    let compiled = match source.compile(&config) {
        Ok(compiled) => compiled,
        Err(Failure::Grammar(invalid)) => {
            if out.is_json() {
                out.json(&json!({ "ok": false, "errors": invalid.errors, "omitted": invalid.omitted }))?;
            } else {
                // Best effort: the exit status is the answer.
                let _ = io::stderr().write_all(invalid.report.as_bytes());
            }
            return Ok(Status::No);
        }
        Err(failure) => return Err(failure),
    };
    let rules = compiled.ast.rules.len();
    let nonterminals = compiled.normal.nonterminals.len();
    let productions = compiled.production_count();
    let lexemes = compiled.lexeme_count();
    let nodes = compiled.network.nodes.len();
    let nanoseconds = u64::try_from(compiled.time.as_nanos()).unwrap_or(u64::MAX);
    if out.is_json() {
        let mut answer = json!({
            "ok": true,
            "rules": rules,
            "nonterminals": nonterminals,
            "productions": productions,
            "lexemes": lexemes,
            "nodes": nodes,
            "compile_ns": nanoseconds,
        });
        if let Some(relaxations) = source.relaxations() {
            answer["relaxations"] = json!(relaxations);
            answer["notes"] = json!(source.notes());
        }
        out.json(&answer)?;
    } else {
        let name = &source.name;
        out.line(format_args!("{name}: ok, {rules} rules, {productions} productions, {lexemes} lexemes, {nodes} nodes, compiled in {}", readable(nanoseconds)))?;
    }
    Ok(Status::Yes)
}

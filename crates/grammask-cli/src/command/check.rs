//! `grammask check`: compiles a grammar, and prints its size or all of its errors.

use std::io::{self, Write};

use grammask_syntax::Report;
use serde_json::json;

use crate::Status;
use crate::args::{Check, ReadingArgs};
use crate::failure::{Failure, diagnostics_to_json};
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
    // The grammar of a schema has no places in the text of the schema.
    let notes = match source.relaxations() {
        Some(_) => Vec::new(),
        None => grammask_normal::notes(&compiled.ast, &config.normal)
            .map_err(|errors| source.failure(&errors.into()))?,
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
        } else {
            answer["notes"] = json!(diagnostics_to_json(&source, &notes));
        }
        if let Some(notes) = source.notation_notes() {
            answer["notes"] = json!(notes);
        }
        out.json(&answer)?;
    } else {
        let name = &source.name;
        if !notes.is_empty() {
            let report = Report::new(&source.bytes, name, notes).with_severity("note");
            // Best effort: the notes are no part of the answer.
            let _ = io::stderr().write_all(report.to_string().as_bytes());
        }
        out.line(format_args!("{name}: ok, {rules} rules, {productions} productions, {lexemes} lexemes, {nodes} nodes, compiled in {}", readable(nanoseconds)))?;
    }
    Ok(Status::Yes)
}

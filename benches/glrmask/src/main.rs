//! glrmask as an engine of the benchmarks, which start this program as they start themselves:
//! `--work glrmask --grammar NAME`. It reads the Lark that is written for llguidance. By hand, `--schemas`
//! compares JSON Schemas.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool that prints its table")]

mod schemas;

use anyhow::ensure;
use glrmask::{Constraint, ConstraintState, Grammar, Vocab};
use grammask_benches::arguments::{Arguments, Job};
use grammask_benches::engine::{Engine, GLRMASK};
use grammask_benches::input::case::Case;
use grammask_benches::input::vocabulary::Words;
use grammask_benches::run::worker;

fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1).peekable();
    if words.next_if_eq("--schemas").is_some() {
        return schemas::run(words);
    }
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    ensure!(
        arguments.job == Job::Work(GLRMASK.to_owned()),
        "the benchmarks start this program: --work {GLRMASK}"
    );
    let words = Words::load(&arguments.vocabulary)?;
    let vocabulary = Vocab::new(words.tokens.clone());
    let engine = Glrmask { vocabulary, lark: String::new(), compiled: None };
    worker::run(GLRMASK, Box::new(engine), &words, &arguments)
}

/// glrmask. Tables of the vocabulary are kept between grammars, as in llguidance.
struct Glrmask {
    vocabulary: Vocab,
    lark: String,
    /// States borrow from their constraint, so each of the few that a process compiles stays until its end.
    compiled: Option<(&'static Constraint, ConstraintState<'static>)>,
}

impl Glrmask {
    fn state(&mut self) -> Result<&mut ConstraintState<'static>, String> {
        self.compiled.as_mut().map(|(_, state)| state).ok_or_else(|| "nothing is compiled".to_owned())
    }
}

impl Engine for Glrmask {
    fn prepare(&mut self, case: &Case, _: &[u32]) -> Result<(), String> {
        self.compiled = None;
        let lark = case.lark.as_ref().ok_or("there is no Lark form of this grammar")?;
        // The directive allows white space at the beginning, which does not matter here.
        let lines: Vec<&str> = lark.lines().filter(|line| !line.starts_with("%llguidance")).collect();
        self.lark = lines.join("\n");
        Ok(())
    }

    fn compile(&mut self) -> Result<(), String> {
        let grammar = Grammar::from_lark(&self.lark).map_err(|error| error.to_string())?;
        let constraint = grammar.compile(&self.vocabulary).map_err(|error| error.to_string())?;
        let constraint: &'static Constraint = Box::leak(Box::new(constraint));
        self.compiled = Some((constraint, constraint.start()));
        Ok(())
    }

    fn restart(&mut self) -> Result<(), String> {
        let (constraint, state) = self.compiled.as_mut().ok_or("nothing is compiled")?;
        *state = constraint.start();
        Ok(())
    }

    fn mask(&mut self, row: &mut [u32]) -> Result<(), String> {
        self.state()?.fill_mask(row);
        Ok(())
    }

    fn accept(&mut self, token: u32) -> Result<(), String> {
        if self.state()?.commit_token(token) { Ok(()) } else { Err("not allowed".to_owned()) }
    }

    fn table_bytes(&self) -> Option<usize> {
        None
    }

    fn note(&self) -> Option<String> {
        Some("compiles on one thread; wall clock alone, as it uses threads of its own".to_owned())
    }

    fn has_threads(&self) -> bool {
        true
    }
}

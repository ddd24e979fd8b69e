//! The command line.

use std::time::Duration;

use anyhow::{Context, bail};

/// What is printed for `--help`.
pub const HELP: &str = "\
cargo run --release -p grammask-benches -- [OPTIONS]

  --vocab o200k|PATH      the vocabulary: o200k (default), or a file of any format that grammask loads
  --grammar NAME          only fixtures/grammars/NAME.kbnf; may be repeated
  --peers all|none|NAME   which engines to compare with: kbnf, llguidance, both (default) or none
  --limit SECONDS         an engine that takes longer for a grammar is cut (default 60)
  --quick                 one round each, and recognizer texts up to 64 KB only
  --only masks|linear     one of the two parts
  --json                  JSON instead of a Markdown table
";

/// The command line, read.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// What to do.
    pub job: Job,
    /// `o200k`, or the path of a file.
    pub vocabulary: String,
    /// Names of grammars; all when empty.
    pub grammars: Vec<String>,
    /// Names of engines other than grammask.
    pub peers: Vec<&'static str>,
    /// How long an engine may take for a grammar.
    pub limit: Duration,
    /// Fewer rounds and shorter texts.
    pub quick: bool,
    /// Whether masks are compared.
    pub masks: bool,
    /// Whether the recognizer is run over long texts.
    pub linear: bool,
    /// JSON instead of Markdown.
    pub json: bool,
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// Print the help.
    Help,
    /// Run all engines and print the table.
    Compare,
    /// Run this engine on one grammar, for the process that has started this one.
    Work(String),
}

impl Arguments {
    /// Reads the command line.
    pub fn parse(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut arguments = Self {
            job: Job::Compare,
            vocabulary: "o200k".to_owned(),
            grammars: Vec::new(),
            peers: crate::engine::PEERS.to_vec(),
            limit: Duration::from_secs(60),
            quick: false,
            masks: true,
            linear: true,
            json: false,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} wants a value"));
            match word.as_str() {
                "--help" | "-h" => arguments.job = Job::Help,
                "--vocab" => arguments.vocabulary = value()?,
                "--grammar" => arguments.grammars.push(value()?),
                "--peers" => arguments.peers = peers(&value()?)?,
                "--limit" => arguments.limit = Duration::from_secs(value()?.parse().context("--limit")?),
                "--quick" => arguments.quick = true,
                "--json" => arguments.json = true,
                "--only" => match value()?.as_str() {
                    "masks" => arguments.linear = false,
                    "linear" => arguments.masks = false,
                    other => bail!("--only masks or linear, not {other}"),
                },
                "--work" => arguments.job = Job::Work(value()?),
                other => bail!("there is no option {other}\n\n{HELP}"),
            }
        }
        Ok(arguments)
    }
}

fn peers(word: &str) -> anyhow::Result<Vec<&'static str>> {
    match word {
        "all" => Ok(crate::engine::PEERS.to_vec()),
        "none" => Ok(Vec::new()),
        name => match crate::engine::PEERS.iter().find(|peer| **peer == name) {
            Some(peer) => Ok(vec![peer]),
            None => bail!("this build compares with {:?}, not with {name}", crate::engine::PEERS),
        },
    }
}

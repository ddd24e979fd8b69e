//! The command line of `cargo xtask bench`.

use std::time::Duration;

use anyhow::{Context, bail};

/// Help.
pub const HELP: &str = "\
cargo run --release -p grammask-benches -- [OPTIONS]

  --vocab o200k|PATH      the vocabulary: o200k (default), or a file of any format that grammask loads
  --small-vocab PATH      a vocabulary to compare o200k with, besides its own first 32,000 ids; by default a
                          tokenizer.json of about that size in ../shared/vocab, if there is one
  --grammar NAME          only fixtures/grammars/NAME.kbnf; may be repeated
  --peers all|none|NAME   which engines to compare with: kbnf, llguidance, both (default) or none
  --glrmask PROGRAM       also compare with glrmask, which this program runs: see benches/glrmask
  --limit SECONDS         maximum time of an engine for a grammar (default 20)
  --kbnf-limit SECONDS    the same for kbnf (default 5, or --limit where that is less)
  --quick                 few rounds each, and shorter texts
  --only PART             one of the parts; may be repeated. Parts: masks, known, vocabularies, batch, bounds, hard,
                          recursion, linear
  --json                  JSON instead of Markdown
";

/// The parts of a run, in order.
pub const PARTS: &[&str] =
    &["masks", "known", "vocabularies", "batch", "bounds", "hard", "recursion", "linear"];

/// The parsed command line.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// The task.
    pub job: Job,
    /// The words of the command line.
    pub words: Vec<String>,
    /// `o200k`, or the path of a file.
    pub vocabulary: String,
    /// The path of a small vocabulary.
    pub small_vocabulary: Option<String>,
    /// Names of grammars. All if empty.
    pub grammars: Vec<String>,
    /// Names of engines other than grammask.
    pub peers: Vec<&'static str>,
    /// The program that runs glrmask.
    pub glrmask: Option<String>,
    /// Maximum time of an engine for a grammar.
    pub limit: Duration,
    /// Maximum time of kbnf.
    pub kbnf_limit: Duration,
    /// True for fewer rounds and shorter texts.
    pub quick: bool,
    /// The parts to run. All if empty.
    pub parts: Vec<String>,
    /// True for JSON instead of Markdown.
    pub json: bool,
}

/// The task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// Print the help.
    Help,
    /// Run everything and print the tables.
    Compare,
    /// Do this work for the supervising process.
    Work(String),
}

impl Arguments {
    /// Reads the command line.
    ///
    /// # Errors
    /// For an unknown option or a wrong value.
    pub fn parse(words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let words: Vec<String> = words.collect();
        let mut arguments = Self {
            job: Job::Compare,
            words: words.clone(),
            vocabulary: "o200k".to_owned(),
            small_vocabulary: None,
            grammars: Vec::new(),
            peers: crate::engine::PEERS.to_vec(),
            glrmask: None,
            limit: Duration::from_secs(20),
            kbnf_limit: Duration::from_secs(5),
            quick: false,
            parts: Vec::new(),
            json: false,
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--help" | "-h" => arguments.job = Job::Help,
                "--vocab" => arguments.vocabulary = value()?,
                "--small-vocab" => arguments.small_vocabulary = Some(value()?),
                "--grammar" => arguments.grammars.push(value()?),
                "--peers" => arguments.peers = peers(&value()?)?,
                "--glrmask" => arguments.glrmask = Some(value()?),
                "--limit" => arguments.limit = Duration::from_secs(value()?.parse().context("--limit")?),
                "--kbnf-limit" => {
                    arguments.kbnf_limit = Duration::from_secs(value()?.parse().context("--kbnf-limit")?);
                }
                "--quick" => arguments.quick = true,
                "--json" => arguments.json = true,
                "--only" => {
                    let part = value()?;
                    if !PARTS.contains(&&*part) {
                        bail!("--only {}, not {part}", PARTS.join(", "));
                    }
                    arguments.parts.push(part);
                }
                "--work" => arguments.job = Job::Work(value()?),
                other => bail!("unknown option {other}\n\n{HELP}"),
            }
        }
        Ok(arguments)
    }

    /// Returns the command line to repeat the run, without the path of a program that the command builds.
    pub fn repeatable(&self) -> String {
        let mut words = self.words.iter();
        let mut command = "cargo xtask bench".to_owned();
        while let Some(word) = words.next() {
            if word == "--glrmask" {
                let _ = words.next();
            }
            command.push(' ');
            command.push_str(word);
        }
        command
    }

    /// Returns `true` if this part is to be run.
    pub fn has(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|other| other == part)
    }

    /// Returns the maximum time of an engine for a grammar.
    pub fn limit_of(&self, engine: &str) -> Duration {
        if engine == "kbnf" { self.limit.min(self.kbnf_limit) } else { self.limit }
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

//! The command lines of `maskbench`, `json-schema-suite`, `large-schemas` and `hostile-schemas`.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};

/// Where schemas with documents are unless somebody says otherwise.
pub const SCHEMAS: &str = "../shared/maskbench/dev.jsonl.gz";

/// What is printed for `maskbench --help`.
pub const MASKBENCH_HELP: &str = "\
cargo xtask maskbench [PATH] [OPTIONS]

  PATH                 a file with a schema and its documents in each line, .jsonl or .jsonl.gz
                       (default ../shared/maskbench/dev.jsonl.gz)
  --vocab o200k|FILE   the vocabulary (default ../shared/vocab/llama3.tiktoken)
  --limit N            only the first N schemas
  --only NAME          only this schema, and what is said of each of its documents; may be repeated
  --no-peers           grammask alone
  --threads N          so many schemas at a time (default 1; times are worth less with more)
  --jobs J/K           only the schemas whose index leaves J when divided by K
  --failures FILE      write a line for each schema that is refused or judged wrongly
  --server             instead: each schema once, as a server meets them, with or without documents: one compile a schema,
                       a fresh matcher a document, one vocabulary for all; percentiles, the slowest, memory
  --slow MICROSECONDS  list the masks that take longer: where, how long, and how many nodes of the trie are looked at
  --walks N            instead: N documents of each schema by a random model, which must be valid, and random
                       tokenizations of the valid documents, which must be allowed
  --together N         instead: the documents of each schema on one grammar by N threads at once, whose masks must be
                       those of one thread that shares nothing
";

/// What is printed for `json-schema-suite --help`.
pub const SUITE_HELP: &str = "\
cargo xtask json-schema-suite [PATH] [OPTIONS]

  PATH                 the folder of the official suite (default ../shared/json-schema-test-suite)
  --draft NAME|all     which draft: 4, 6, 7, 2019-09, 2020-12 (default), or all of them
  --no-peers           grammask alone
  --failures FILE      write a line for each case that is not right
";

/// What is printed for `large-schemas --help`.
pub const LARGE_HELP: &str = "\
cargo xtask large-schemas [OPTIONS]

  --vocab o200k|FILE   the vocabulary (default ../shared/vocab/llama3.tiktoken)
  --only TEXT          only the schemas in whose names the text stands; may be repeated
  --no-peers           grammask alone
";

/// What is printed for `hostile-schemas --help`.
pub const HOSTILE_HELP: &str = "\
cargo xtask hostile-schemas [OPTIONS]

  --only TEXT          only the schemas in whose names the text stands; may be repeated
";

/// The command line of `maskbench`.
#[derive(Clone, Debug)]
pub struct MaskbenchOptions {
    /// Print the help.
    pub help: bool,
    /// The file with schemas.
    pub path: PathBuf,
    /// The vocabulary.
    pub vocabulary: String,
    /// How many schemas, at most.
    pub limit: Option<usize>,
    /// Only these.
    pub only: Vec<String>,
    /// Whether others are asked too.
    pub has_peers: bool,
    /// How many threads.
    pub threads: usize,
    /// Which index modulo which number.
    pub job: (usize, usize),
    /// Where failures are written.
    pub failures: Option<PathBuf>,
    /// Masks that take longer are listed, in microseconds.
    pub slow: Option<u64>,
    /// How many documents the random model writes.
    pub walks: Option<usize>,
    /// How many threads share a grammar.
    pub together: Option<usize>,
    /// True if each schema is served once.
    pub server: bool,
}

impl MaskbenchOptions {
    /// Reads the command line.
    ///
    /// # Errors
    /// For an option that there is not, and for a value that cannot be.
    pub fn parse(words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut options = Self {
            help: false,
            path: PathBuf::from(SCHEMAS),
            vocabulary: "../shared/vocab/llama3.tiktoken".to_owned(),
            limit: None,
            only: Vec::new(),
            has_peers: true,
            threads: 1,
            job: (0, 1),
            failures: None,
            slow: None,
            walks: None,
            together: None,
            server: false,
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} wants a value"));
            match word.as_str() {
                "--help" | "-h" => options.help = true,
                "--vocab" => options.vocabulary = value()?,
                "--limit" => options.limit = Some(value()?.parse().context("--limit")?),
                "--only" => options.only.push(value()?),
                "--no-peers" => options.has_peers = false,
                "--server" => options.server = true,
                "--threads" => options.threads = value()?.parse::<usize>().context("--threads")?.max(1),
                "--jobs" => options.job = job(&value()?)?,
                "--failures" => options.failures = Some(value()?.into()),
                "--slow" => options.slow = Some(value()?.parse().context("--slow")?),
                "--walks" => options.walks = Some(value()?.parse().context("--walks")?),
                "--together" => options.together = Some(value()?.parse().context("--together")?),
                other if other.starts_with('-') => bail!("there is no option {other}\n\n{MASKBENCH_HELP}"),
                path => options.path = path.into(),
            }
        }
        Ok(options)
    }
}

fn job(word: &str) -> anyhow::Result<(usize, usize)> {
    let (job, count) = word.split_once('/').context("--jobs J/K")?;
    let (job, count) = (job.parse().context("--jobs")?, count.parse().context("--jobs")?);
    ensure!(job < count, "--jobs J/K wants a J below K");
    Ok((job, count))
}

/// The command line of `json-schema-suite`.
#[derive(Clone, Debug)]
pub struct SuiteOptions {
    /// Print the help.
    pub help: bool,
    /// The folder of the suite.
    pub path: PathBuf,
    /// A draft as its folder names it, or `all`.
    pub draft: String,
    /// Whether others are asked too.
    pub has_peers: bool,
    /// Where failures are written.
    pub failures: Option<PathBuf>,
}

impl SuiteOptions {
    /// Reads the command line.
    ///
    /// # Errors
    /// For an option that there is not, and for a value that cannot be.
    pub fn parse(words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut options = Self {
            help: false,
            path: PathBuf::from("../shared/json-schema-test-suite"),
            draft: "2020-12".to_owned(),
            has_peers: true,
            failures: None,
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} wants a value"));
            match word.as_str() {
                "--help" | "-h" => options.help = true,
                "--draft" => options.draft = value()?,
                "--no-peers" => options.has_peers = false,
                "--failures" => options.failures = Some(value()?.into()),
                other if other.starts_with('-') => bail!("there is no option {other}\n\n{SUITE_HELP}"),
                path => options.path = path.into(),
            }
        }
        Ok(options)
    }
}

/// The command line of `large-schemas`.
#[derive(Clone, Debug)]
pub struct LargeOptions {
    /// Print the help.
    pub help: bool,
    /// The vocabulary.
    pub vocabulary: String,
    /// Only these.
    pub only: Vec<String>,
    /// Whether others are asked too.
    pub has_peers: bool,
}

impl Default for LargeOptions {
    fn default() -> Self {
        let vocabulary = "../shared/vocab/llama3.tiktoken".to_owned();
        Self { help: false, vocabulary, only: Vec::new(), has_peers: true }
    }
}

impl LargeOptions {
    /// Reads the command line.
    ///
    /// # Errors
    /// For an option that there is not.
    pub fn parse(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} wants a value"));
            match word.as_str() {
                "--help" | "-h" => options.help = true,
                "--vocab" => options.vocabulary = value()?,
                "--only" => options.only.push(value()?),
                "--no-peers" => options.has_peers = false,
                other => bail!("there is no option {other}\n\n{LARGE_HELP}"),
            }
        }
        Ok(options)
    }
}

/// The command line of `hostile-schemas`.
#[derive(Clone, Debug, Default)]
pub struct HostileOptions {
    /// Print the help.
    pub help: bool,
    /// Only these.
    pub only: Vec<String>,
}

impl HostileOptions {
    /// Reads the command line.
    ///
    /// # Errors
    /// For an option that there is not.
    pub fn parse(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--help" | "-h" => options.help = true,
                "--only" => options.only.push(words.next().with_context(|| format!("{word} wants a value"))?),
                other => bail!("there is no option {other}\n\n{HOSTILE_HELP}"),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maskbench(words: &[&str]) -> anyhow::Result<MaskbenchOptions> {
        MaskbenchOptions::parse(words.iter().map(|word| (*word).to_owned()))
    }

    #[test]
    fn a_job_is_a_part_of_all() {
        assert_eq!(maskbench(&["--jobs", "1/4", "file"]).expect("a job").job, (1, 4));
        for wrong in ["4/4", "1", "a/b", "0/0"] {
            assert!(maskbench(&["--jobs", wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn unknown_options_are_refused() {
        assert!(maskbench(&["--what"]).is_err());
        assert!(maskbench(&["--limit"]).is_err());
        assert!(SuiteOptions::parse(["--limit".to_owned()].into_iter()).is_err());
        assert!(LargeOptions::parse(["--only".to_owned()].into_iter()).is_err());
    }
}

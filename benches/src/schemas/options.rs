//! The command lines of `maskbench`, `json-schema-suite`, `large-schemas` and `hostile-schemas`.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use grammask_json_schema::Profile;

/// Default file of schemas with documents.
pub const SCHEMAS: &str = "../shared/maskbench/dev.jsonl.gz";

/// Default file of SchemaStore's schemas with documents.
pub const SCHEMASTORE: &str = "../shared/schemastore/dev.jsonl.gz";

/// Default file of schemas and documents that libraries write.
pub const GENERATORS: &str = "../shared/generators/dev.jsonl.gz";

/// Help of `maskbench`.
pub const MASKBENCH_HELP: &str = "\
cargo xtask maskbench [PATH] [OPTIONS]

  PATH                 a file with a schema and its documents in each line, .jsonl or .jsonl.gz
                       (default ../shared/maskbench/dev.jsonl.gz)
  --vocab o200k|FILE   the vocabulary (default ../shared/vocab/llama3.tiktoken)
  --limit N            only the first N schemas
  --only NAME          only this schema, with the verdict on each document; may be repeated
  --profile NAME       standard (default) or generation
  --no-peers           grammask alone
  --threads N          number of threads (default 1; times are less exact with more)
  --jobs J/K           only the schemas whose index modulo K is J
  --failures FILE      write a line for each schema that is refused or judged wrongly
  --server             instead: each schema once, as a server meets them, with or without documents: one compile a schema,
                       a fresh matcher a document, one vocabulary for all; percentiles, the slowest, memory
  --prefetch N         Config::prefetch_nodes of grammask (default 0)
  --slow MICROSECONDS  list masks that take longer, with position, time and number of trie nodes visited
  --walks N            instead: a random model writes N documents of each schema, which must be valid, and random
                       tokenizations of the valid documents must be allowed
  --together N         instead: N threads follow the documents of each schema on one grammar; masks must equal those
                       of one thread that shares nothing
";

/// Help of `json-schema-suite`.
pub const SUITE_HELP: &str = "\
cargo xtask json-schema-suite [PATH] [OPTIONS]

  PATH                 the folder of the official suite (default ../shared/json-schema-test-suite)
  --draft NAME|all     which draft: 4, 6, 7, 2019-09, 2020-12 (default), or all of them
  --profile NAME       standard (default) or generation
  --no-peers           grammask alone
  --failures FILE      write a line for each case that is not right
";

/// Help of `large-schemas`.
pub const LARGE_HELP: &str = "\
cargo xtask large-schemas [OPTIONS]

  --vocab o200k|FILE   the vocabulary (default ../shared/vocab/llama3.tiktoken)
  --only TEXT          only the schemas whose names contain the text; may be repeated
  --no-peers           grammask alone
";

/// Help of `hostile-schemas`.
pub const HOSTILE_HELP: &str = "\
cargo xtask hostile-schemas [OPTIONS]

  --only TEXT          only the schemas whose names contain the text; may be repeated
";

/// Options of `schemastore` and `generators`, for their help.
const PRACTICE_OPTIONS: &str = "\
  --only TEXT          only the schemas whose names contain the text; may be repeated
  --limit N            only the first N schemas
  --draft NAME         draft of schemas that name none: 4, 6, 7, 2019-09, 2020-12 (default)
  --profile NAME       standard (default) or generation
  --failures FILE      write a line for each schema that is refused or judged wrongly

Each schema is compiled by default and relaxed. References lead to other schemas of the file where it has
them. A document that is judged otherwise than the data say is given to the crate `jsonschema`: it counts as
wrong unless that agrees.
";

/// The command line of `maskbench`.
#[derive(Clone, Debug)]
pub struct MaskbenchOptions {
    /// True if the help is to be printed.
    pub help: bool,
    /// The file with schemas.
    pub path: PathBuf,
    /// The vocabulary.
    pub vocabulary: String,
    /// Maximum number of schemas.
    pub limit: Option<usize>,
    /// Names to which the run is restricted. All if empty.
    pub only: Vec<String>,
    /// The profile of grammask.
    pub profile: Profile,
    /// True if other engines run too.
    pub has_peers: bool,
    /// Number of threads.
    pub threads: usize,
    /// Remainder and divisor of the indices of schemas.
    pub job: (usize, usize),
    /// File for failures.
    pub failures: Option<PathBuf>,
    /// Microseconds above which masks are listed.
    pub slow: Option<u64>,
    /// Number of documents of the random model.
    pub walks: Option<usize>,
    /// Number of threads that share a grammar.
    pub together: Option<usize>,
    /// True if each schema is served once.
    pub server: bool,
    /// Trie nodes of work for masks that are computed while a schema compiles.
    pub prefetch_nodes: u64,
}

impl MaskbenchOptions {
    /// Reads the command line.
    ///
    /// # Errors
    /// For an unknown option or a wrong value.
    pub fn parse(words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut options = Self {
            help: false,
            path: PathBuf::from(SCHEMAS),
            vocabulary: "../shared/vocab/llama3.tiktoken".to_owned(),
            limit: None,
            only: Vec::new(),
            profile: Profile::Standard,
            has_peers: true,
            threads: 1,
            job: (0, 1),
            failures: None,
            slow: None,
            walks: None,
            together: None,
            server: false,
            prefetch_nodes: 0,
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--help" | "-h" => options.help = true,
                "--vocab" => options.vocabulary = value()?,
                "--limit" => options.limit = Some(value()?.parse().context("--limit")?),
                "--only" => options.only.push(value()?),
                "--profile" => options.profile = profile(&value()?)?,
                "--no-peers" => options.has_peers = false,
                "--server" => options.server = true,
                "--prefetch" => options.prefetch_nodes = value()?.parse().context("--prefetch")?,
                "--threads" => options.threads = value()?.parse::<usize>().context("--threads")?.max(1),
                "--jobs" => options.job = job(&value()?)?,
                "--failures" => options.failures = Some(value()?.into()),
                "--slow" => options.slow = Some(value()?.parse().context("--slow")?),
                "--walks" => options.walks = Some(value()?.parse().context("--walks")?),
                "--together" => options.together = Some(value()?.parse().context("--together")?),
                other if other.starts_with('-') => bail!("unknown option {other}\n\n{MASKBENCH_HELP}"),
                path => options.path = path.into(),
            }
        }
        Ok(options)
    }
}

/// Returns the profile of a name.
///
/// # Errors
/// If there is no such profile.
pub fn profile(name: &str) -> anyhow::Result<Profile> {
    match name {
        "standard" => Ok(Profile::Standard),
        "generation" => Ok(Profile::Generation),
        other => bail!("--profile standard or generation, not {other}"),
    }
}

fn job(word: &str) -> anyhow::Result<(usize, usize)> {
    let (job, count) = word.split_once('/').context("--jobs J/K")?;
    let (job, count) = (job.parse().context("--jobs")?, count.parse().context("--jobs")?);
    ensure!(job < count, "--jobs J/K needs J below K");
    Ok((job, count))
}

/// The command line of `json-schema-suite`.
#[derive(Clone, Debug)]
pub struct SuiteOptions {
    /// True if the help is to be printed.
    pub help: bool,
    /// The folder of the suite.
    pub path: PathBuf,
    /// A draft as its folder names it, or `all`.
    pub draft: String,
    /// The profile of grammask.
    pub profile: Profile,
    /// True if other engines run too.
    pub has_peers: bool,
    /// File for failures.
    pub failures: Option<PathBuf>,
}

impl SuiteOptions {
    /// Reads the command line.
    ///
    /// # Errors
    /// For an unknown option or a wrong value.
    pub fn parse(words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut options = Self {
            help: false,
            path: PathBuf::from("../shared/json-schema-test-suite"),
            draft: "2020-12".to_owned(),
            profile: Profile::Standard,
            has_peers: true,
            failures: None,
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--help" | "-h" => options.help = true,
                "--draft" => options.draft = value()?,
                "--profile" => options.profile = profile(&value()?)?,
                "--no-peers" => options.has_peers = false,
                "--failures" => options.failures = Some(value()?.into()),
                other if other.starts_with('-') => bail!("unknown option {other}\n\n{SUITE_HELP}"),
                path => options.path = path.into(),
            }
        }
        Ok(options)
    }
}

/// The command line of `schemastore` and `generators`.
#[derive(Clone, Debug)]
pub struct PracticeOptions {
    /// The program: `schemastore` or `generators`.
    pub program: &'static str,
    /// True if the help is to be printed.
    pub help: bool,
    /// The file with schemas.
    pub path: PathBuf,
    /// Texts of names to which the run is restricted. All if empty.
    pub only: Vec<String>,
    /// Maximum number of schemas.
    pub limit: Option<usize>,
    /// Draft of schemas that name none.
    pub draft: Option<String>,
    /// Profile of the options.
    pub profile: Profile,
    /// File for failures.
    pub failures: Option<PathBuf>,
}

impl PracticeOptions {
    /// Reads the command line of `program`, whose schemas are in `path` by default.
    ///
    /// # Errors
    /// For an unknown option or a wrong value.
    pub fn parse(
        program: &'static str,
        path: &str,
        mut words: impl Iterator<Item = String>,
    ) -> anyhow::Result<Self> {
        let mut options = Self {
            program,
            help: false,
            path: PathBuf::from(path),
            only: Vec::new(),
            limit: None,
            draft: None,
            profile: Profile::Standard,
            failures: None,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--help" | "-h" => options.help = true,
                "--profile" => options.profile = profile(&value()?)?,
                "--only" => options.only.push(value()?),
                "--limit" => options.limit = Some(value()?.parse().context("--limit")?),
                "--draft" => options.draft = Some(value()?),
                "--failures" => options.failures = Some(value()?.into()),
                other if other.starts_with('-') => {
                    bail!("unknown option {other}\n\n{}", options.help_text())
                }
                path => options.path = path.into(),
            }
        }
        Ok(options)
    }

    /// Returns the help of the program.
    pub fn help_text(&self) -> String {
        let Self { program, .. } = self;
        format!("cargo xtask {program} [PATH] [OPTIONS]\n\n{PRACTICE_OPTIONS}")
    }
}

/// The command line of `large-schemas`.
#[derive(Clone, Debug)]
pub struct LargeOptions {
    /// True if the help is to be printed.
    pub help: bool,
    /// The vocabulary.
    pub vocabulary: String,
    /// Names to which the run is restricted. All if empty.
    pub only: Vec<String>,
    /// True if other engines run too.
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
    /// For an unknown option or a wrong value.
    pub fn parse(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--help" | "-h" => options.help = true,
                "--vocab" => options.vocabulary = value()?,
                "--only" => options.only.push(value()?),
                "--no-peers" => options.has_peers = false,
                other => bail!("unknown option {other}\n\n{LARGE_HELP}"),
            }
        }
        Ok(options)
    }
}

/// The command line of `hostile-schemas`.
#[derive(Clone, Debug, Default)]
pub struct HostileOptions {
    /// True if the help is to be printed.
    pub help: bool,
    /// Names to which the run is restricted. All if empty.
    pub only: Vec<String>,
}

impl HostileOptions {
    /// Reads the command line.
    ///
    /// # Errors
    /// For an unknown option or a wrong value.
    pub fn parse(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--help" | "-h" => options.help = true,
                "--only" => options.only.push(words.next().with_context(|| format!("{word} needs a value"))?),
                other => bail!("unknown option {other}\n\n{HOSTILE_HELP}"),
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
        let practice =
            |word: &str| PracticeOptions::parse("schemastore", SCHEMASTORE, [word.to_owned()].into_iter());
        assert!(practice("--walks").is_err());
        assert!(practice("file").is_ok_and(|options| options.path.as_os_str() == "file"));
    }
}

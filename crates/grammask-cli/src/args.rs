//! What the command line can say.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

const EXIT_STATUS: &str = "\
Exit status:
  0  done; check: the grammar is right; accept: the text is in the language
  1  check: the grammar is wrong; accept: reject; show, mask: no text begins like --after; compile: nor like --warm;
     bench: no text begins like this one
  2  accept: live prefix
  3  generate: the text is not complete
  4  no answer: wrong arguments or grammar, a file that cannot be read, a limit

Errors go to stderr, with file, line, column and a caret. With --json, stdout has one JSON object, also for errors.";

const EOS_HELP: &str = "\
A token that ends texts, by name or id, or `none`; may be repeated

Without it: those of <|endoftext|>, <|end_of_text|>, <|eot_id|>, </s> and <|im_end|> that are special tokens of the vocabulary";

/// Look into grammars and the token masks that come of them.
#[derive(Debug, Parser)]
#[command(name = "grammask", version, after_help = EXIT_STATUS, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(subcommand)]
    pub command: Command,
}

/// How all commands read a grammar, and answer.
#[derive(Debug, Args)]
pub(crate) struct ReadingArgs {
    /// The start symbol, instead of what %start says, or `start`
    #[arg(long, global = true, value_name = "NAME", conflicts_with = "schema")]
    pub start: Option<String>,
    /// The grammar's file is a JSON Schema: its language is the valid documents
    #[arg(long, global = true)]
    pub schema: bool,
    #[command(flatten)]
    pub choices: ChoiceArgs,
    /// Write one JSON object to stdout
    #[arg(long, global = true)]
    pub json: bool,
}

/// What a JSON Schema leaves to choose.
#[derive(Debug, Args)]
#[command(next_help_heading = "With --schema")]
pub(crate) struct ChoiceArgs {
    /// The white space of documents
    #[arg(long, global = true, value_name = "HOW", requires = "schema", default_value = "flexible")]
    pub whitespace: WhitespaceChoice,
    /// Properties that the schema names come in its order, others behind them
    #[arg(long, global = true, requires = "schema")]
    pub as_written: bool,
    /// Objects of which the schema names properties have no others, unless it says so
    #[arg(long, global = true, requires = "schema")]
    pub closed: bool,
    /// Formats are annotations: no document is held to them
    #[arg(long, global = true, requires = "schema")]
    pub no_formats: bool,
    /// What cannot be said exactly is weakened, with a warning, and not refused
    #[arg(long, global = true, requires = "schema")]
    pub relax: bool,
    /// The draft of a schema that does not name it
    #[arg(long, global = true, value_name = "NAME", requires = "schema", default_value = "2020-12")]
    pub draft: DraftChoice,
}

/// The white space of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhitespaceChoice {
    /// Wherever JSON allows it, in runs of up to 64 bytes
    Flexible,
    /// None
    Compact,
    /// One space behind each comma and colon, no other
    Spaced,
}

/// A draft of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DraftChoice {
    #[value(name = "4")]
    Draft4,
    #[value(name = "6")]
    Draft6,
    #[value(name = "7")]
    Draft7,
    #[value(name = "2019-09")]
    Draft201909,
    #[value(name = "2020-12")]
    Draft202012,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compile a grammar and report everything that is wrong with it
    #[command(after_help = EXIT_STATUS)]
    Check(Check),
    /// Write a compiled grammar to a file
    ///
    /// Programs load it with `Grammar::load`, which is faster than compiling, for the same vocabulary only.
    #[command(after_help = EXIT_STATUS)]
    Compile(Compile),
    /// Print a stage of a grammar
    #[command(after_help = EXIT_STATUS)]
    Show(Show),
    /// Say whether a text is in the language of a grammar
    ///
    /// Prints `accept`, `live prefix` (some text begins so, but this is none), or `reject at byte N`: N is the offset
    /// of the first byte after which no text goes on. Bytes are taken as they are, UTF-8 or not, a line break at the end of a
    /// file included. Without TEXT and --file, the text is read from stdin.
    #[command(after_help = EXIT_STATUS)]
    Accept(Accept),
    /// Print the tokens that may follow a text
    #[command(after_help = EXIT_STATUS)]
    Mask(Mask),
    /// Measure what masks cost along a text
    ///
    /// The text is cut into tokens, by the tokenizer of o200k, or always the longest token for vocabularies from files, and followed in each
    /// pass: by a fresh grammar whose vocabulary no grammar has used before; by a fresh grammar whose vocabulary has been used; and twice
    /// more by that grammar, which knows all masks then. Prints times of compiling, of first visits, of known masks and of accepting
    /// tokens, the sizes of the tables, what was walked, and the slowest first visits. The text need not be complete.
    #[command(after_help = EXIT_STATUS)]
    Bench(Bench),
    /// Let a random model write a text under the masks of a grammar
    ///
    /// Every token is drawn uniformly from the mask; but with a probability that grows from 0 at the first token to 1 at
    /// the last, as the square of the tokens written, the model takes a step of a shortest way to a complete text instead. A
    /// token after which the text might not be completed within --max-tokens is not taken. The text goes to stdout as it is written; tokens, masks and time for
    /// each mask go to stderr. Special tokens are written by name. The same seed gives the same text everywhere.
    #[command(after_help = EXIT_STATUS)]
    Generate(Generate),
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The grammar, in KBNF, or with --schema a JSON Schema; - for stdin
    pub file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Compile {
    /// The grammar, in KBNF, or with --schema a JSON Schema; - for stdin
    pub file: PathBuf,
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Save the masks before and after every byte of this text, too
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub warm: Option<OsString>,
    #[command(flatten)]
    pub vocabulary: VocabularyArgs,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// What to print
    pub stage: Stage,
    /// The grammar, in KBNF, or with --schema a JSON Schema; - for stdin
    pub file: PathBuf,
    /// For sets and mask: the text before
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub after: Option<OsString>,
    /// Print ids, and what else the longer form of the stage has
    #[arg(long)]
    pub ids: bool,
    #[command(flatten)]
    pub vocabulary: VocabularyArgs,
}

/// What `show` can print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
    /// The syntax tree, as canonical KBNF
    Ast,
    /// The grammar after every pass of the normalizer, as KBNF
    Passes,
    /// The normal form, as KBNF
    Normal,
    /// The network that is run
    Network,
    /// The Earley sets before and after every byte of --after
    Sets,
    /// The tokens that may follow --after, by what takes them
    Mask,
}

#[derive(Debug, Args)]
pub(crate) struct Accept {
    /// The grammar, in KBNF, or with --schema a JSON Schema; - for stdin
    pub file: PathBuf,
    #[command(flatten)]
    pub text: TextArgs,
}

/// A text, here or elsewhere.
#[derive(Debug, Args)]
pub(crate) struct TextArgs {
    /// The text
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    pub text: Option<OsString>,
    /// Read the text from a file
    #[arg(long = "file", value_name = "F", conflicts_with = "text")]
    pub text_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// The grammar, in KBNF, or with --schema a JSON Schema; - for stdin
    pub file: PathBuf,
    #[command(flatten)]
    pub text: TextArgs,
    /// How often to follow the text, each time from the beginning
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub passes: u32,
    /// Write a histogram of the times of masks to a file
    #[arg(long, value_name = "OUT")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub vocabulary: VocabularyArgs,
}

#[derive(Debug, Args)]
pub(crate) struct Mask {
    /// The grammar, in KBNF, or with --schema a JSON Schema; - for stdin
    pub file: PathBuf,
    /// The text before
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    pub after: OsString,
    /// What to print of each token, one in a line, or their number
    #[arg(long, default_value = "text")]
    pub format: MaskFormat,
    #[command(flatten)]
    pub vocabulary: VocabularyArgs,
}

/// How `mask` prints tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MaskFormat {
    /// Their text in quotes, escaped; special ones by name
    Text,
    /// Their ids
    Ids,
    /// How many there are
    Count,
}

#[derive(Debug, Args)]
pub(crate) struct Generate {
    /// The grammar, in KBNF, or with --schema a JSON Schema; - for stdin
    pub file: PathBuf,
    /// Where the random numbers begin
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How many tokens the text may have, an end-of-sequence token included
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_tokens: usize,
    #[command(flatten)]
    pub vocabulary: VocabularyArgs,
}

#[derive(Debug, Args)]
pub(crate) struct VocabularyArgs {
    /// o200k, or a file: tiktoken, tokenizer.json, RWKV, or plain JSON [default: o200k]
    #[arg(long, value_name = "o200k|PATH")]
    pub vocab: Option<PathBuf>,
    /// A token that ends texts, by name or id, or `none`; may be repeated
    #[arg(long, value_name = "NAME|ID", conflicts_with = "eager", long_help = EOS_HELP)]
    pub eos: Vec<String>,
    /// End a text as soon as it is complete
    #[arg(long)]
    pub eager: bool,
}

impl VocabularyArgs {
    /// Whether the vocabulary is the one that comes with the program.
    pub fn is_embedded(&self) -> bool {
        self.vocab.as_ref().is_none_or(|name| name.as_os_str() == "o200k")
    }
}

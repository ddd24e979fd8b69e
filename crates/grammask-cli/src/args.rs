//! The command line: commands, options and their help texts.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Args, Parser, Subcommand, ValueEnum};

const EXIT_STATUS: &str = "\
Exit status:
  0  success; check: the grammar is valid; accept: the text is in the language
  1  check: the grammar is invalid; accept: the text is rejected; show, mask, compile, bench: the given text is rejected
  2  accept: the text is only the beginning of a text in the language (live prefix)
  3  generate: the text is incomplete
  4  failure: invalid arguments or grammar, unreadable file, exceeded limit

Errors go to stderr, with file, line, column and a caret. With --json, stdout has one JSON object, also for errors.";

const EXAMPLES: &str = "\
Examples:
  grammask check list.kbnf                      Find all errors in a grammar
  grammask accept list.kbnf '[1, 2]'            Test a text
  grammask mask list.kbnf --after '[1'          List the tokens that may follow a text
  grammask generate --schema person.json        Write a random document that a JSON Schema allows
  grammask show normal list.kbnf                Print the grammar as the recognizer sees it";

const EOS_HELP: &str = "\
End-of-sequence token, by name or id, or `none`; may be repeated

Default: the tokens that the files of the vocabulary name, and those with a name that ends a text in known models, such as <|im_end|>. `grammask vocab` prints them";

const VOCAB_FORMAT_HELP: &str = "\
Format of the vocabulary file [default: detected]

tokenizer.json, sentencepiece, gguf, tekken, tiktoken[:NAME], tiktoken-json, rwkv-text, rwkv-json, or vocab.json[:SPELLING]. NAME says which special tokens a tiktoken file has: r50k, p50k, cl100k, o200k, o200k_harmony, llama3, llama4, qwen or qwen3.5. SPELLING is literal, byte-level or sentencepiece";

/// Version of the program, and of the Unicode tables of regular expressions.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!("{} (Unicode {})", env!("CARGO_PKG_VERSION"), grammask::json_schema::unicode_version())
});

/// Check grammars, test texts against them, and print the token masks that they give a language model
///
/// A grammar is a file in KBNF, in another notation with --notation, or a JSON Schema with --schema. A mask
/// is the set of tokens that may follow a text.
#[derive(Debug, Parser)]
#[command(name = "grammask", version = VERSION.as_str(), verbatim_doc_comment, disable_help_subcommand = true)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"))]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of all commands.
#[derive(Debug, Args)]
pub(crate) struct ReadingArgs {
    /// Start symbol [default: the one of %start in the grammar, else `start`]
    #[arg(long, global = true, value_name = "NAME", conflicts_with = "schema")]
    pub start: Option<String>,
    /// Read a JSON Schema instead of KBNF; its language is the set of valid documents
    #[arg(long, global = true)]
    pub schema: bool,
    /// Notation of the grammar; `json-schema` is the same as --schema
    #[arg(long, global = true, value_name = "NAME", default_value = "kbnf", conflicts_with = "schema")]
    pub notation: NotationChoice,
    /// Dialect of the regular expression of `--notation regex`
    #[arg(long, global = true, value_name = "NAME", default_value = "auto", conflicts_with = "schema")]
    pub dialect: RegexDialectChoice,
    /// Print the result as one JSON object
    #[arg(long, global = true)]
    pub json: bool,
    #[command(flatten)]
    pub choices: ChoiceArgs,
}

/// Replaces `--notation json-schema` by `--schema`, which conflicts with some options.
pub(crate) fn with_schema_flag(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = arguments.collect();
    let end = all.iter().position(|argument| argument == "--").unwrap_or(all.len());
    if let Some(at) = all[..end].iter().position(|argument| argument == "--notation=json-schema") {
        all[at] = "--schema".into();
    } else if let Some(at) =
        all[..end].windows(2).position(|pair| pair[0] == "--notation" && pair[1] == "json-schema")
    {
        all.splice(at..at + 2, [OsString::from("--schema")]);
    }
    all
}

impl ReadingArgs {
    /// Returns the notation of the grammar.
    pub(crate) const fn notation(&self) -> NotationChoice {
        if self.schema { NotationChoice::JsonSchema } else { self.notation }
    }
}

/// A notation of grammars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NotationChoice {
    /// KBNF
    Kbnf,
    /// A JSON Schema
    JsonSchema,
    /// GBNF of llama.cpp
    Gbnf,
    /// EBNF of XGrammar
    Ebnf,
    /// Lark, in the dialect of llguidance or in that of Lark itself
    Lark,
    /// A regular expression that outputs match from end to end
    Regex,
    /// Structural tags of XGrammar, as JSON
    Tags,
    /// A JSON array of texts, or one text per line
    Choice,
}

/// A dialect of `--notation regex`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RegexDialectChoice {
    /// ECMA-262; where that is a syntax error, Rust, then Python
    Auto,
    /// ECMA-262
    Ecma,
    /// The Rust crate `regex`
    Rust,
    /// The module `re` of Python 3.11
    Python,
    /// XGrammar: `.` takes line breaks, anchors have no effect
    Xgrammar,
}

/// Options for JSON Schemas.
#[derive(Debug, Args)]
#[command(next_help_heading = "JSON Schemas, also those inside of a grammar")]
pub(crate) struct ChoiceArgs {
    /// Set of options that the other options change (default: generation)
    #[arg(long, global = true, value_name = "NAME")]
    pub profile: Option<ProfileChoice>,
    /// White space between tokens: compact, spaced, bounded[=BLANKS,INDENTATION] or flexible[=BYTES]
    ///
    /// `compact`: none. `spaced`: one space after each comma and colon. `bounded`: at most BLANKS blanks, or
    /// a line break with at most INDENTATION blanks (generation: 1,32). `flexible`: at most BYTES bytes of
    /// any white space (standard: 64).
    #[arg(long, global = true, value_name = "HOW")]
    #[arg(value_parser = WhitespaceChoice::parse)]
    pub whitespace: Option<WhitespaceChoice>,
    /// Allow white space before and after the document
    #[arg(long, global = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub surrounding_whitespace: Option<bool>,
    /// Spellings of keys and of the strings and numbers of `enum` and `const`
    #[arg(long, global = true, value_name = "WHICH")]
    pub literal_escapes: Option<EscapesChoice>,
    /// Spellings of all other strings
    #[arg(long, global = true, value_name = "WHICH")]
    pub string_escapes: Option<EscapesChoice>,
    /// Spellings and range of integers
    #[arg(long, global = true, value_name = "WHICH")]
    pub integers: Option<IntegersChoice>,
    /// Spellings of all other numbers
    #[arg(long, global = true, value_name = "WHICH")]
    pub numbers: Option<NumbersChoice>,
    /// Keep the properties in the order of the schema, additional ones last
    #[arg(long, global = true)]
    pub as_written: bool,
    /// Forbid additional properties, unless the schema allows them explicitly
    #[arg(long, global = true)]
    pub closed: bool,
    /// Documents of a `oneOf` without its tag, where there are too many kinds of them
    #[arg(long, global = true, value_name = "HOW")]
    pub untagged_unions: Option<UntaggedUnionsChoice>,
    /// Formats that are asserted
    #[arg(long, global = true, value_name = "WHICH", conflicts_with = "no_formats")]
    pub formats: Option<FormatsChoice>,
    /// Assert no formats, as with `--formats annotations`
    #[arg(long, global = true)]
    pub no_formats: bool,
    /// Dates and times of the formats of RFC 3339
    #[arg(long, global = true, value_name = "WHICH")]
    pub date_times: Option<DateTimesChoice>,
    /// Allow times without an offset from UTC, and durations with a sign or a fraction
    #[arg(long, global = true)]
    pub naive_times: bool,
    /// Dialect of regular expressions (default: auto)
    #[arg(long, global = true, value_name = "NAME")]
    pub pattern_dialect: Option<PatternDialectChoice>,
    /// Weaken unsupported keywords, with a warning, instead of refusing the schema
    #[arg(long, global = true)]
    pub relax: bool,
    /// Draft of a schema without `$schema` (default: 2020-12)
    #[arg(long, global = true, value_name = "NAME")]
    pub draft: Option<DraftChoice>,
    /// Schema that `$ref` may name by this URI, and its file; may be repeated. Nothing is ever fetched
    #[arg(long = "document", global = true, value_name = "URI=FILE")]
    pub documents: Vec<String>,
}

impl ChoiceArgs {
    /// Returns the name of one of the options that are given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let options = [
            (self.profile.is_some(), "--profile"),
            (self.whitespace.is_some(), "--whitespace"),
            (self.surrounding_whitespace.is_some(), "--surrounding-whitespace"),
            (self.literal_escapes.is_some(), "--literal-escapes"),
            (self.string_escapes.is_some(), "--string-escapes"),
            (self.integers.is_some(), "--integers"),
            (self.numbers.is_some(), "--numbers"),
            (self.as_written, "--as-written"),
            (self.closed, "--closed"),
            (self.untagged_unions.is_some(), "--untagged-unions"),
            (self.formats.is_some(), "--formats"),
            (self.no_formats, "--no-formats"),
            (self.date_times.is_some(), "--date-times"),
            (self.naive_times, "--naive-times"),
            (self.pattern_dialect.is_some(), "--pattern-dialect"),
            (self.relax, "--relax"),
            (self.draft.is_some(), "--draft"),
            (!self.documents.is_empty(), "--document"),
        ];
        options.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }
}

/// A set of options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileChoice {
    /// For documents that a model writes: of the spellings of one document, those that parsers agree on
    Generation,
    /// Every document that the standard calls valid, in nearly all of its spellings
    Standard,
}

/// White space between the tokens of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhitespaceChoice {
    /// Anywhere that JSON allows it, at most this many bytes at once.
    Flexible(u32),
    /// At most this many blanks, or a line break with at most this many blanks.
    Bounded(u32, u32),
    /// None.
    Compact,
    /// One space after each comma and colon, no other.
    Spaced,
}

impl WhitespaceChoice {
    fn parse(text: &str) -> Result<Self, String> {
        let number = |digits: &str| digits.parse::<u32>().map_err(|_| format!("`{digits}` is not a number"));
        match text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value))) {
            ("compact", None) => Ok(Self::Compact),
            ("spaced", None) => Ok(Self::Spaced),
            ("flexible", None) => Ok(Self::Flexible(64)),
            ("flexible", Some(bytes)) => Ok(Self::Flexible(number(bytes)?)),
            ("bounded", None) => Ok(Self::Bounded(1, 32)),
            ("bounded", Some(value)) => {
                let (blanks, indentation) =
                    value.split_once(',').ok_or("two numbers: bounded=BLANKS,INDENTATION")?;
                Ok(Self::Bounded(number(blanks)?, number(indentation)?))
            }
            _ => Err("one of compact, spaced, bounded[=BLANKS,INDENTATION], flexible[=BYTES]".to_owned()),
        }
    }
}

/// Spellings of the characters of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EscapesChoice {
    /// All of JSON
    Any,
    /// The character itself, short escapes, and `\u00XX` for control characters
    Short,
    /// One spelling, with only the escapes that JSON requires
    Required,
}

/// Spellings and range of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IntegersChoice {
    /// All, such as `1.0` and `1e3`
    Any,
    /// Digits
    Digits,
    /// Digits, from -2^31 to 2^31-1
    #[value(name = "32")]
    Bits32,
    /// Digits, from -(2^53-1) to 2^53-1
    #[value(name = "53")]
    Bits53,
    /// Digits, from -2^63 to 2^63-1
    #[value(name = "64")]
    Bits64,
}

/// Spellings of numbers that need not be integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NumbersChoice {
    /// All
    Any,
    /// Those that a double holds, with at most 17 digits
    Double,
}

/// A dialect of regular expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PatternDialectChoice {
    /// ECMA-262; where that is a syntax error, Rust, then Python
    Auto,
    /// ECMA-262, as in the standard
    Ecma,
    /// The Rust crate `regex`
    Rust,
    /// The module `re` of Python 3.11
    Python,
}

/// Dates and times of the formats of RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DateTimesChoice {
    /// All that RFC 3339 defines
    Any,
    /// Those that parsers agree on: no year 0, no leap seconds, `T` and `Z` in capitals
    Common,
}

/// Documents of a `oneOf` without its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UntaggedUnionsChoice {
    /// The schema is refused
    Exact,
    /// The grammar does not offer them
    Omitted,
}

/// Formats that are asserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatsChoice {
    /// None
    Annotations,
    /// Those of the standard
    Asserted,
    /// Also those of OpenAPI and of schema generators, such as `int32` and `uuid4`
    Extended,
}

/// A draft of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DraftChoice {
    #[value(name = "openapi-3.0")]
    OpenApi30,
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
    /// Check a grammar, and report all of its errors
    #[command(after_help = EXIT_STATUS)]
    Check(Check),
    /// Write a compiled grammar to a file
    ///
    /// A program loads the file with `Grammar::load`, which is faster than compiling. It must use the same
    /// vocabulary.
    #[command(after_help = EXIT_STATUS, verbatim_doc_comment)]
    Compile(Compile),
    /// Print a stage of compiling or running a grammar
    #[command(after_help = EXIT_STATUS)]
    Show(Show),
    /// Print a grammar in another notation as KBNF
    #[command(after_help = EXIT_STATUS)]
    Convert(Convert),
    /// Test if a text is in the language of a grammar
    ///
    /// Prints `accept`, `live prefix`, or `reject at byte N`. A live prefix is incomplete, but some text in
    /// the language begins with it. N is the offset of the first byte that cannot follow. All bytes count,
    /// UTF-8 or not, including a line break at the end of a file. Without TEXT and --file, the text is read
    /// from stdin.
    #[command(after_help = EXIT_STATUS, verbatim_doc_comment)]
    Accept(Accept),
    /// Print the tokens that may follow a text
    #[command(after_help = EXIT_STATUS)]
    Mask(Mask),
    /// Measure the time of masks along a text
    ///
    /// Splits the text into tokens: with the o200k tokenizer, or into the longest tokens for other
    /// vocabularies. Each pass computes the masks along the text four times. The first run has a new
    /// vocabulary and a new grammar, the second a used vocabulary and a new grammar. The other two repeat
    /// that grammar, when all masks are cached. Prints the times of compiling, of new and cached masks and of
    /// accepting tokens, the sizes of the tables, and the slowest new masks. The text need not be complete.
    #[command(after_help = EXIT_STATUS, verbatim_doc_comment)]
    Bench(Bench),
    /// Print what a vocabulary holds: its kind, ids, special tokens and ends
    #[command(after_help = EXIT_STATUS)]
    Vocab(Vocab),
    /// Write a random text that a grammar allows
    ///
    /// Draws each token uniformly from the mask. The model sometimes takes a step towards the nearest
    /// complete text instead. The probability of this grows from 0 at the first token to 1 at the last, as
    /// the square of the number of tokens. The model never takes a token after which the text might need more
    /// than --max-tokens. The text goes to stdout, special tokens by name. The number of tokens and the times
    /// of the masks go to stderr. Equal seeds give equal texts on every machine.
    #[command(after_help = EXIT_STATUS, verbatim_doc_comment)]
    Generate(Generate),
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Grammar in KBNF, or with --schema a JSON Schema; `-` for stdin
    pub file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// Grammar in the notation of --notation; `-` for stdin
    pub file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Compile {
    /// Grammar in KBNF, or with --schema a JSON Schema; `-` for stdin
    pub file: PathBuf,
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Also save the masks before and after every byte of this text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub warm: Option<OsString>,
    #[command(flatten)]
    pub vocabulary: VocabularyArgs,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Stage to print
    pub stage: Stage,
    /// Grammar in KBNF, or with --schema a JSON Schema; `-` for stdin
    pub file: PathBuf,
    /// Text before the sets or the mask
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub after: Option<OsString>,
    /// Print the longer form of the stage, with ids
    #[arg(long)]
    pub ids: bool,
    /// For mask: print how often each strategy of the lexicon answered
    #[arg(long)]
    pub strategies: bool,
    #[command(flatten)]
    pub vocabulary: VocabularyArgs,
}

/// A stage that `show` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
    /// Syntax tree, as canonical KBNF
    Ast,
    /// Grammar after every pass of the normalizer, as KBNF
    Passes,
    /// Normal form, as KBNF
    Normal,
    /// Network of states that the recognizer runs
    Network,
    /// Earley sets before and after every byte of --after
    Sets,
    /// Tokens that may follow --after, grouped by the terminal that accepts them
    Mask,
}

#[derive(Debug, Args)]
pub(crate) struct Accept {
    /// Grammar in KBNF, or with --schema a JSON Schema; `-` for stdin
    pub file: PathBuf,
    #[command(flatten)]
    pub text: TextArgs,
}

/// A text: an argument, or the content of a file.
#[derive(Debug, Args)]
pub(crate) struct TextArgs {
    /// Text
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    pub text: Option<OsString>,
    /// Read the text from a file
    #[arg(long = "file", value_name = "F", conflicts_with = "text")]
    pub text_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Grammar in KBNF, or with --schema a JSON Schema; `-` for stdin
    pub file: PathBuf,
    #[command(flatten)]
    pub text: TextArgs,
    /// Number of passes over the text
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub passes: u32,
    /// Write a histogram of the mask times to a file, as SVG
    #[arg(long, value_name = "OUT")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub vocabulary: VocabularyArgs,
}

#[derive(Debug, Args)]
pub(crate) struct Mask {
    /// Grammar in KBNF, with --schema a JSON Schema, or a file of `grammask compile`; `-` for stdin
    pub file: PathBuf,
    /// Text before the mask
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    pub after: OsString,
    /// Output format: one token per line, or their number
    #[arg(long, default_value = "text")]
    pub format: MaskFormat,
    #[command(flatten)]
    pub vocabulary: VocabularyArgs,
}

/// How `mask` prints tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MaskFormat {
    /// Text in quotes, escaped; special tokens by name
    Text,
    /// Ids
    Ids,
    /// Number of tokens
    Count,
}

#[derive(Debug, Args)]
pub(crate) struct Generate {
    /// Grammar in KBNF, or with --schema a JSON Schema; `-` for stdin
    pub file: PathBuf,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Greatest number of tokens, including the end-of-sequence token
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_tokens: usize,
    #[command(flatten)]
    pub vocabulary: VocabularyArgs,
}

#[derive(Debug, Args)]
pub(crate) struct Vocab {
    /// Name of a built-in vocabulary, file, or folder with the files of a model [default: o200k]
    #[arg(value_name = "NAME|PATH")]
    pub name: Option<PathBuf>,
    /// Print the names of the built-in vocabularies
    #[arg(long, conflicts_with_all = ["name", "find"])]
    pub list: bool,
    /// Also print the tokens with this text; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub find: Vec<String>,
    #[command(flatten)]
    pub file: VocabularyFileArgs,
}

/// How a vocabulary file is read.
#[derive(Debug, Args)]
pub(crate) struct VocabularyFileArgs {
    /// Format of the vocabulary file [default: detected]
    #[arg(long, value_name = "FORMAT", long_help = VOCAB_FORMAT_HELP)]
    pub vocab_format: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct VocabularyArgs {
    /// Vocabulary: a built-in name, a tokenizer file of any format, or a folder with the files of a model
    /// [default: o200k]
    #[arg(long, value_name = "NAME|PATH")]
    pub vocab: Option<PathBuf>,
    #[command(flatten)]
    pub file: VocabularyFileArgs,
    /// End-of-sequence token, by name or id, or `none`; may be repeated
    #[arg(long, value_name = "NAME|ID", conflicts_with = "eager", long_help = EOS_HELP)]
    pub eos: Vec<String>,
    /// End a text as soon as it is complete, without a token
    #[arg(long)]
    pub eager: bool,
}

impl VocabularyArgs {
    /// Returns true for the vocabulary that is embedded in the program.
    pub fn is_embedded(&self) -> bool {
        self.vocab.as_ref().is_none_or(|name| name.as_os_str() == "o200k")
    }
}

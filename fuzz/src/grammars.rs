//! The targets that compile a text and walk through its masks.

use grammask::gbnf::{RegexDialect, translate_choice, translate_regex};
use grammask::json_schema::{
    AdditionalProperties, Config as SchemaConfig, DateTimes, Draft, Escapes, Formats, NumberSpelling, Profile,
    PropertyOrder, Unsupported, UntaggedUnions, Whitespace,
};
use grammask::notation::{Config as Notation, Errors, Outcome};
use grammask::syntax::{self, Ast};
use grammask::{Config, Ending, Error, Grammar, Vocabulary};
use grammask_tools::{Reasoning, Request, formats, structural_tag};

use crate::Input;
use crate::vocabularies::{config, low_schema, vocabulary};
use crate::walk::walk;

/// Budgets of the first compile, in bytes: tables are replaced seldom, or all the time.
const BUDGETS: [usize; 2] = [1 << 22, 0];

/// Bit of the options that sets the small budget for the first compile.
const SMALL_BUDGET: u32 = 0;
/// Bit of the options that compiles a second time.
const SECOND: u32 = 1;
/// Bit of the options that sets eager ending.
const EAGER: u32 = 2;

/// Compiles once or twice, and walks.
fn compile_and_walk(input: &Input<'_>, compile: impl Fn(&Vocabulary, &Config) -> Result<Grammar, Error>) {
    let with_budget = |budget: usize| {
        let mut config = config(budget);
        if input.has(EAGER) {
            config.ending = Ending::Eager;
        }
        compile(&vocabulary(budget), &config)
    };
    let first = usize::from(input.has(SMALL_BUDGET));
    match with_budget(BUDGETS[first]) {
        Err(error) => check_error(&error),
        Ok(grammar) => {
            let second = input.has(SECOND).then(|| with_budget(BUDGETS[1 - first]));
            if let Some(Err(error)) = &second {
                assert!(error.limit().is_some(), "a text that compiles does so again: {error}");
            }
            walk(&grammar, second.and_then(Result::ok).as_ref(), input.seed);
        }
    }
}

/// An error has a message.
fn check_error(error: &Error) {
    assert!(!error.to_string().is_empty());
    for diagnostic in error.diagnostics() {
        assert!(!diagnostic.message.is_empty());
    }
}

/// Prints a tree and reads it again.
fn check_print(ast: &Ast) {
    ast.check().expect("a reader makes sound trees");
    let printed = ast.to_string();
    let limits = syntax::Limits { max_nesting: 100_000, ..syntax::Limits::default() };
    let read = syntax::parse(&printed, &syntax::Config { limits });
    let read = read.unwrap_or_else(|errors| panic!("the printed tree is not KBNF: {errors}\n{printed}"));
    assert_eq!(read.to_string(), printed);
}

/// A text in KBNF.
pub fn kbnf(data: &[u8]) {
    let Some((input, text)) = Input::text(data) else { return };
    if let Ok(ast) = syntax::parse(text, &config(0).syntax) {
        check_print(&ast);
    }
    compile_and_walk(&input, |vocabulary, config| Grammar::compile(text, vocabulary, config));
}

/// The options of JSON Schema by the bits of the input.
fn schema_config(input: &Input<'_>) -> SchemaConfig {
    let profile = if input.has(3) { Profile::Standard } else { Profile::Generation };
    let drafts = [
        Draft::Draft202012,
        Draft::Draft7,
        Draft::Draft4,
        Draft::Draft6,
        Draft::Draft201909,
        Draft::OpenApi30,
    ];
    let whitespace = [
        SchemaConfig::new(profile).whitespace,
        Whitespace::Compact,
        Whitespace::Flexible { longest: 3 },
        Whitespace::Separators { item: ", ".to_owned(), key: ": ".to_owned() },
    ];
    let mut config = low_schema(SchemaConfig::new(profile));
    config.draft = drafts[input.bits(4, 3) % drafts.len()];
    config.whitespace = whitespace[input.bits(7, 2)].clone();
    if input.has(9) {
        config.property_order = PropertyOrder::AsWritten;
    }
    if input.has(10) {
        config.additional_properties = AdditionalProperties::Closed;
    }
    if input.has(11) {
        config.unsupported = Unsupported::Relax;
    }
    config.formats =
        [config.formats, Formats::Annotations, Formats::Extended, Formats::Asserted][input.bits(12, 2)];
    if input.has(14) {
        config.untagged_unions = UntaggedUnions::Exact;
        config.string_escapes = Escapes::Required;
        config.numbers = NumberSpelling::Any;
        config.date_times = DateTimes::Any;
    }
    config
}

/// The text of a JSON Schema.
pub fn json_schema(data: &[u8]) {
    let Some((input, text)) = Input::text(data) else { return };
    let schema = schema_config(&input);
    compile_and_walk(&input, |vocabulary, config| {
        let config = Config { json_schema: schema.clone(), ..config.clone() };
        Grammar::from_json_schema_text(text, vocabulary, &config)
    });
}

/// Checks what a front end returns, and walks.
fn walk_outcome(input: &Input<'_>, outcome: Result<Outcome, Errors>) {
    match outcome {
        Err(errors) => assert!(!errors.to_string().is_empty()),
        Ok(outcome) => {
            let _ = outcome.render_notes();
            check_print(&outcome.ast);
            compile_and_walk(input, |vocabulary, config| Grammar::from_outcome(&outcome, vocabulary, config));
        }
    }
}

/// A text in one of the other notations.
pub fn notation(data: &[u8]) {
    let Some((input, text)) = Input::text(data) else { return };
    let common = Notation::default();
    let regex = |dialect| translate_regex(text, dialect, "pattern", &common);
    let outcome = match input.bits(4, 4) % 9 {
        0 => grammask::gbnf::translate(text, &grammask::gbnf::Config::gbnf()),
        1 => grammask::gbnf::translate(text, &grammask::gbnf::Config::ebnf()),
        2 => {
            let mut config = grammask::lark::Config::default();
            config.schema = low_schema(config.schema);
            grammask::lark::translate(text, "grammar.lark", &config)
        }
        3 => regex(RegexDialect::Auto),
        4 => regex(RegexDialect::Ecma),
        5 => regex(RegexDialect::Rust),
        6 => regex(RegexDialect::Python),
        7 => regex(RegexDialect::XGrammar),
        _ => translate_choice(text, "choice", &common),
    };
    walk_outcome(&input, outcome);
}

/// A structural tag, or an OpenAI request with tools.
pub fn tags(data: &[u8]) {
    let Some((input, text)) = Input::text(data) else { return };
    let mut config = grammask::tags::Config::default();
    config.json_schema = low_schema(config.json_schema);
    if input.has(3) {
        config.special_tokens = vocabulary(0).specials().map(|(_, name)| name).collect();
    }
    if !input.has(4) {
        walk_outcome(&input, grammask::tags::translate(text, &config));
        return;
    }
    let Ok(value) = serde_json::from_str(text) else { return };
    let Ok(mut request) = Request::from_openai(&value) else { return };
    request.reasoning = [Reasoning::Off, Reasoning::On, Reasoning::Auto, Reasoning::Off][input.bits(5, 2)];
    let format = &formats()[input.bits(8, 6) % formats().len()];
    let options = grammask_tools::Config { any_arguments_unless_strict: input.has(7) };
    if let Ok(tag) = structural_tag(format, &request, &options) {
        walk_outcome(&input, grammask::tags::translate(&tag.to_string(), &config));
    }
}

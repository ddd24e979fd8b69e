//! The front ends of `--notation`.

use grammask::gbnf::{Config, Dialect, RegexDialect, translate, translate_choice, translate_regex};
use grammask::notation::{Errors, Guess, Outcome};
use grammask::{Vocabulary, lark, tags};

use crate::args::{NotationChoice, ReadingArgs, RegexDialectChoice};

/// A front end with its options.
#[derive(Debug)]
pub(crate) enum FrontEnd {
    /// GBNF or EBNF.
    Ebnf(Config),
    Lark(lark::Config),
    Regex(RegexDialect),
    Tags(tags::Config),
    Choice,
}

impl FrontEnd {
    /// Returns the front end that the arguments ask for. `None` for KBNF and JSON Schemas.
    pub(crate) fn of(reading: &ReadingArgs, config: &grammask::Config) -> Option<Self> {
        let with_root = |mut config: Config| {
            if let Some(start) = &reading.start {
                config.root.clone_from(start);
            }
            Self::Ebnf(config)
        };
        let schema = || config.json_schema.clone();
        match reading.notation() {
            NotationChoice::Kbnf | NotationChoice::JsonSchema => None,
            NotationChoice::Gbnf => Some(with_root(Config::gbnf())),
            NotationChoice::Ebnf => Some(with_root(Config::ebnf())),
            NotationChoice::Lark => Some(Self::Lark(lark::Config { schema: schema(), ..Default::default() })),
            NotationChoice::Regex => Some(Self::Regex(match reading.dialect {
                RegexDialectChoice::Auto => RegexDialect::Auto,
                RegexDialectChoice::Ecma => RegexDialect::Ecma,
                RegexDialectChoice::Rust => RegexDialect::Rust,
                RegexDialectChoice::Python => RegexDialect::Python,
                RegexDialectChoice::Xgrammar => RegexDialect::XGrammar,
            })),
            NotationChoice::Tags => {
                Some(Self::Tags(tags::Config { json_schema: schema(), ..Default::default() }))
            }
            NotationChoice::Choice => Some(Self::Choice),
        }
    }

    /// Returns the notation, as far as it can be guessed from a text.
    pub(crate) fn notation(&self) -> Guess {
        match self {
            Self::Ebnf(config) if config.dialect == Dialect::LlamaCpp => Guess::Gbnf,
            Self::Ebnf(_) => Guess::Ebnf,
            Self::Lark(_) => Guess::Lark,
            Self::Tags(_) => Guess::Tags,
            Self::Regex(_) => Guess::Regex,
            Self::Choice => Guess::Choice,
        }
    }

    /// Translates the text of a file. The line break at the end of a file with a regular expression is not
    /// part of it.
    pub(crate) fn translate(
        &self,
        text: &str,
        name: &str,
        vocabulary: Option<&Vocabulary>,
    ) -> Result<Outcome, Errors> {
        match self {
            Self::Ebnf(config) => {
                let config = Config { file_name: name.to_owned(), ..config.clone() };
                translate(text, &config)
            }
            Self::Lark(config) => lark::translate(text, name, config),
            Self::Regex(dialect) => {
                let pattern = text.strip_suffix('\n').unwrap_or(text);
                let pattern = pattern.strip_suffix('\r').unwrap_or(pattern);
                translate_regex(pattern, *dialect, name, &Default::default())
            }
            Self::Tags(config) => {
                let specials = vocabulary.into_iter().flat_map(|vocabulary| vocabulary.specials());
                let config = tags::Config {
                    file_name: name.to_owned(),
                    special_tokens: specials.map(|(_, name)| name).collect(),
                    ..config.clone()
                };
                tags::translate(text, &config)
            }
            Self::Choice => translate_choice(text, name, &Default::default()),
        }
    }
}

//! Grammars in other notations than KBNF.

use grammask_gbnf::RegexDialect;
use grammask_json_schema::PropertyOrder;
use grammask_notation::Outcome;
use grammask_regular::Store;
use grammask_work::{Stopped, is_stopped};

use super::tree::Tree;
use crate::{Config, Error, Grammar, Vocabulary};

impl Grammar {
    /// Compiles a grammar in GBNF, the notation of llama.cpp. The start symbol is that of `config`, or
    /// `root`.
    ///
    /// # Errors
    /// If the text has mistakes, all of them at once: [`Error::Notation`]. Otherwise as
    /// [`compile`](Self::compile).
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec()), (TokenId(1), b"b".to_vec())], [])?;
    /// let grammar = Grammar::from_gbnf("root ::= \"a\" [b-z]*", &vocabulary, &Config::default())?;
    /// assert_eq!(grammar.matcher().mask().iter().collect::<Vec<_>>(), [TokenId(0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_gbnf(text: &str, vocabulary: &Vocabulary, config: &Config) -> Result<Self, Error> {
        Self::of_ebnf(text, grammask_gbnf::Config::gbnf(), vocabulary, config)
    }

    /// Compiles a grammar in the EBNF of XGrammar. The start symbol is that of `config`, or `root`.
    ///
    /// # Errors
    /// As [`from_gbnf`](Self::from_gbnf).
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec()), (TokenId(1), b"1".to_vec())], [])?;
    /// let text = "root ::= Regex(\"[0-9]+\")\n";
    /// let grammar = Grammar::from_ebnf(text, &vocabulary, &Config::default())?;
    /// assert_eq!(grammar.matcher().mask().iter().collect::<Vec<_>>(), [TokenId(1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_ebnf(text: &str, vocabulary: &Vocabulary, config: &Config) -> Result<Self, Error> {
        Self::of_ebnf(text, grammask_gbnf::Config::ebnf(), vocabulary, config)
    }

    fn of_ebnf(
        text: &str,
        mut notation: grammask_gbnf::Config,
        vocabulary: &Vocabulary,
        config: &Config,
    ) -> Result<Self, Error> {
        if let Some(start) = &config.normal.start {
            notation.root.clone_from(start);
        }
        config.compile_grammar(|| {
            Self::from_outcome(&grammask_gbnf::translate(text, &notation)?, vocabulary, config)
        })
    }

    /// Compiles a grammar in Lark, in the dialect of llguidance or in that of Lark itself. JSON Schemas in it
    /// are read by [`Config::json_schema`](crate::Config::json_schema), but their properties have the order of
    /// the schema, as in llguidance.
    ///
    /// # Errors
    /// As [`from_gbnf`](Self::from_gbnf).
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec()), (TokenId(1), b"1".to_vec())], [])?;
    /// let text = "start: INT\n%import common.INT\n";
    /// let grammar = Grammar::from_lark(text, &vocabulary, &Config::default())?;
    /// assert_eq!(grammar.matcher().mask().iter().collect::<Vec<_>>(), [TokenId(1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_lark(text: &str, vocabulary: &Vocabulary, config: &Config) -> Result<Self, Error> {
        let mut notation = grammask_lark::Config { schema: config.json_schema.clone(), ..Default::default() };
        notation.schema.property_order = PropertyOrder::AsWritten;
        Self::from_lark_with(text, &notation, vocabulary, config)
    }

    /// As [`from_lark`](Self::from_lark), with other options of the notation. JSON Schemas in the text are
    /// read by those, not by [`Config::json_schema`](crate::Config::json_schema).
    ///
    /// # Errors
    /// As [`from_gbnf`](Self::from_gbnf).
    pub fn from_lark_with(
        text: &str,
        notation: &grammask_lark::Config,
        vocabulary: &Vocabulary,
        config: &Config,
    ) -> Result<Self, Error> {
        config.compile_grammar(|| {
            let outcome = grammask_lark::translate(text, "grammar.lark", notation)?;
            Self::from_outcome(&outcome, vocabulary, config)
        })
    }

    /// Compiles a regular expression. The outputs are the texts that it matches from end to end.
    ///
    /// # Errors
    /// If the pattern is invalid, has back-references, or exceeds a limit.
    ///
    /// ```
    /// use grammask::{Config, Grammar, RegexDialect, TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"a".to_vec()), (TokenId(1), b"b".to_vec())], [])?;
    /// let grammar = Grammar::from_regex("a(?!a)[ab]", RegexDialect::Auto, &vocabulary, &Config::default())?;
    /// let mut matcher = grammar.matcher();
    /// matcher.accept(TokenId(0));
    /// assert_eq!(matcher.mask().iter().collect::<Vec<_>>(), [TokenId(1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_regex(
        pattern: &str,
        dialect: RegexDialect,
        vocabulary: &Vocabulary,
        config: &Config,
    ) -> Result<Self, Error> {
        config.compile_grammar(|| {
            let outcome = grammask_gbnf::translate_regex(pattern, dialect, "pattern", &Default::default())?;
            Self::from_outcome(&outcome, vocabulary, config)
        })
    }

    /// Compiles a list of texts: the output is one of them.
    ///
    /// # Errors
    /// If the list is empty, or exceeds a limit.
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"y".to_vec()), (TokenId(1), b"es".to_vec())], [])?;
    /// let grammar = Grammar::from_choice(["yes", "no"], &vocabulary, &Config::default())?;
    /// assert_eq!(grammar.matcher().mask().iter().collect::<Vec<_>>(), [TokenId(0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_choice<'t>(
        choices: impl IntoIterator<Item = &'t str>,
        vocabulary: &Vocabulary,
        config: &Config,
    ) -> Result<Self, Error> {
        config.compile_grammar(|| {
            let outcome = grammask_gbnf::translate_choices(choices, &Default::default())?;
            Self::from_outcome(&outcome, vocabulary, config)
        })
    }

    /// Compiles the JSON text of a structural tag of XGrammar: free text in which triggers begin tags. Where
    /// a begin, an end or a trigger spells a special token of the vocabulary, the output has the token.
    ///
    /// JSON Schemas in it are read as XGrammar reads them, whatever
    /// [`Config::json_schema`](crate::Config::json_schema) says. [`from_tags_with`](Self::from_tags_with) takes
    /// other options.
    ///
    /// # Errors
    /// As [`from_gbnf`](Self::from_gbnf).
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::new([(TokenId(0), b"<a>".to_vec()), (TokenId(1), b"1".to_vec())], [])?;
    /// let text = r#"{"type": "structural_tag", "format": {"type": "tag", "begin": "<a>",
    ///     "content": {"type": "json_schema", "json_schema": {"type": "integer"}}, "end": "</a>"}}"#;
    /// let grammar = Grammar::from_tags(text, &vocabulary, &Config::default())?;
    /// assert_eq!(grammar.matcher().mask().iter().collect::<Vec<_>>(), [TokenId(0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_tags(text: &str, vocabulary: &Vocabulary, config: &Config) -> Result<Self, Error> {
        Self::from_tags_with(text, Default::default(), vocabulary, config)
    }

    /// As [`from_tags`](Self::from_tags), with other options of the notation. The special tokens of the
    /// vocabulary are added to those of `notation`.
    ///
    /// ```
    /// use grammask::json_schema::Profile;
    /// use grammask::{Config, Grammar, TokenId, Vocabulary, tags};
    ///
    /// let texts = ["<a>", "7", ".0", "E+001"].map(|text| text.as_bytes().to_vec());
    /// let vocabulary = Vocabulary::new((0..).map(TokenId).zip(texts), [])?;
    /// let text = r#"{"type": "structural_tag", "format": {"type": "tag", "begin": "<a>",
    ///     "content": {"type": "json_schema", "json_schema": {"type": "integer"}}, "end": ""}}"#;
    /// let notation = tags::Config { json_schema: Profile::Standard.into(), ..Default::default() };
    /// let grammar = Grammar::from_tags_with(text, notation, &vocabulary, &Config::default())?;
    /// let mut matcher = grammar.matcher();
    /// matcher.accept_bytes(b"<a>7");
    /// // Every spelling of an integer.
    /// assert!(matcher.mask().allows(TokenId(2)) && matcher.mask().allows(TokenId(3)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_gbnf`](Self::from_gbnf).
    pub fn from_tags_with(
        text: &str,
        mut notation: grammask_tags::Config,
        vocabulary: &Vocabulary,
        config: &Config,
    ) -> Result<Self, Error> {
        let specials = vocabulary.special_spellings();
        notation.special_tokens = if notation.special_tokens.is_empty() {
            specials.clone()
        } else {
            specials.iter().chain(notation.special_tokens.iter()).collect()
        };
        config.compile_grammar(|| {
            let outcome = grammask_tags::translate(text, &notation)?;
            Self::from_outcome(&outcome, vocabulary, config)
        })
    }

    /// Compiles the result of a front end. Errors have places in its sources, and names of its notation.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub fn from_outcome(outcome: &Outcome, vocabulary: &Vocabulary, config: &Config) -> Result<Self, Error> {
        let mut config = config.clone();
        // The tree names its start symbol.
        config.normal.start = None;
        config.compile_grammar(|| {
            let store = Store::new(&config.normal.regular);
            match Self::build(Tree::Borrowed(&outcome.ast), store, vocabulary, &config, is_stopped) {
                Ok(Some(grammar)) => Ok(grammar),
                Ok(None) => Err(Error::stopped(Stopped::Cancelled, None)),
                Err(error) => Err(error.in_notation(outcome)),
            }
        })
    }
}

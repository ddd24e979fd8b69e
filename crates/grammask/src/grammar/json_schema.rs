//! Grammars from JSON Schemas. The terminals that most schemas contain are compiled once and copied.

use grammask_work::{Allowance, CancelFlag, Stopped, apart, within};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use grammask_json_schema::{Escapes, Profile, Translation, translate, translate_text};
use grammask_mask::Prefetch;
use grammask_regular::{Store, analysis};
use grammask_syntax::{Ast, ExprKind};
use serde_json::{Value, json};

use super::tree::Tree;
use super::warm::warm_each;
use crate::{Config, Error, Grammar, SchemaRemarks, Vocabulary, WarmLimits, WarmProgress};

impl Grammar {
    /// Compiles a JSON Schema. The outputs of the grammar are the documents that are valid under the schema.
    ///
    /// A keyword that no grammar can express is an error, or is relaxed and listed in
    /// [`relaxations`](Self::relaxations). [`JsonSchemaConfig`](crate::JsonSchemaConfig) has this and other
    /// options. No reference is fetched.
    ///
    /// # Errors
    /// - If the value is not a schema, has a keyword that no grammar can express, or exceeds a limit.
    /// - If no document is valid: [`Reason::Unsatisfiable`](grammask_json_schema::Reason::Unsatisfiable).
    /// - If the flag [`cancel`](crate::JsonSchemaConfig::cancel) turns true:
    ///   [`Reason::Cancelled`](grammask_json_schema::Reason::Cancelled). All stages check it often.
    ///
    /// # Complexity
    /// Mostly linear in the schema. Alternatives of one value (`anyOf`, `oneOf`, ...) are multiplied out, up
    /// to the limits. Computes the first mask, and more in advance with
    /// [`Config::prefetch_nodes`].
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary};
    ///
    /// let bytes = (0..=255).map(|byte| (TokenId(byte), vec![byte as u8]));
    /// let vocabulary = Vocabulary::new(bytes, [])?;
    /// let schema = serde_json::json!({
    ///     "type": "object",
    ///     "properties": { "name": { "type": "string", "maxLength": 20 }, "age": { "type": "integer", "minimum": 0 } },
    ///     "required": ["name"],
    ///     "additionalProperties": false,
    /// });
    /// let grammar = Grammar::from_json_schema(&schema, &vocabulary, &Config::default())?;
    /// let mut matcher = grammar.matcher();
    /// for byte in br#"{"age": 7, "name": "Ada"}"# {
    ///     assert!(matcher.accept(TokenId(u32::from(*byte))).is_accepted());
    /// }
    /// assert!(matcher.is_complete());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_json_schema(schema: &Value, vocabulary: &Vocabulary, config: &Config) -> Result<Self, Error> {
        let translate = || Ok(translate(schema, &config.json_schema)?);
        Self::of_translation(translate, vocabulary, config)
    }

    /// Compiles the JSON text of a schema, as [`from_json_schema`](Self::from_json_schema) compiles its value.
    ///
    /// Keys count in the order of the text, and numbers with all of their digits, whatever features
    /// `serde_json` has.
    ///
    /// # Errors
    /// As [`from_json_schema`](Self::from_json_schema), and if the text is not JSON. Of several errors, the
    /// first one is returned; [`translate_text`] returns all of them with their places.
    ///
    /// ```
    /// use grammask::{Config, Grammar, TokenId, Vocabulary};
    ///
    /// let bytes = (0..=255).map(|byte| (TokenId(byte), vec![byte as u8]));
    /// let vocabulary = Vocabulary::new(bytes, [])?;
    /// let text = r#"{"type": "integer", "minimum": 3}"#;
    /// let grammar = Grammar::from_json_schema_text(text, &vocabulary, &Config::default())?;
    /// assert!(grammar.matcher().accept_bytes(b"3").is_accepted());
    /// assert!(!grammar.matcher().accept_bytes(b"-3").is_accepted());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_json_schema_text(
        text: &str,
        vocabulary: &Vocabulary,
        config: &Config,
    ) -> Result<Self, Error> {
        let translate = || {
            translate_text(text, &config.json_schema).map_err(|errors| {
                let first = errors.into_iter().next().map(|located| located.error);
                first.unwrap_or_else(grammask_json_schema::Error::unsatisfiable).into()
            })
        };
        Self::of_translation(translate, vocabulary, config)
    }

    /// Compiles the result of `translate`, and computes the first masks in advance. All work looks at the
    /// flags of `config` and of its options for JSON Schema.
    fn of_translation(
        translate: impl FnOnce() -> Result<Translation, Error>,
        vocabulary: &Vocabulary,
        config: &Config,
    ) -> Result<Self, Error> {
        let compile = || Self::of_translation_by_config(translate, vocabulary, config);
        let Some(flag) = &config.json_schema.cancel else { return compile() };
        let flag = CancelFlag::from(Arc::clone(flag));
        match within(&Allowance::default().with_flag(&flag), compile) {
            Err(Error::Stopped { cause: Stopped::Cancelled, .. }) if flag.is_cancelled() => {
                Err(grammask_json_schema::Error::cancelled().into())
            }
            result => result,
        }
    }

    /// As [`of_translation`](Self::of_translation), within the open accounts and those of `config`.
    fn of_translation_by_config(
        translate: impl FnOnce() -> Result<Translation, Error>,
        vocabulary: &Vocabulary,
        config: &Config,
    ) -> Result<Self, Error> {
        config.check_memory()?;
        let flag = config.json_schema.cancel.as_ref();
        let is_cancelled = || flag.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let (grammar, remarks) = config.compile_within(|| {
            let Translation { ast, relaxations, notes } = translate()?;
            let store = store_for(&ast, config);
            let built = Self::build(Tree::Owned(ast), store, vocabulary, config, is_cancelled);
            let grammar =
                built.map_err(Error::about_schema)?.ok_or_else(grammask_json_schema::Error::cancelled)?;
            Ok((grammar, SchemaRemarks { relaxations, notes }))
        })?;
        // Each mask has an account of its own, which does not count for the compile.
        let allowance = Allowance { flags: config.cancel.iter().cloned().collect(), ..Allowance::default() };
        let ahead = Prefetch { texts: &COMMON_PREFIXES, nodes: config.prefetch_nodes, cancel: flag };
        within(&allowance, || {
            let prefetched = grammar.tables().prefetch(&ahead).map_err(|limit| Error::of_schema(&limit));
            match grammask_work::stopped() {
                Some(cause) => Err(Error::stopped(cause, prefetched.as_ref().err())),
                None => prefetched,
            }
        })?;
        if is_cancelled() {
            return Err(grammask_json_schema::Error::cancelled().into());
        }
        Ok(config.admit(grammar.with_remarks(remarks))?)
    }
}

/// Prefixes of most documents at which a token ends: the first quote of an object, and a bracket. A prefix
/// that the schema does not allow is skipped.
const COMMON_PREFIXES: [&[u8]; 2] = [b"{\"", b"["];

impl Vocabulary {
    /// Fills the vocabulary's lexicon with the terminals of most JSON Schemas: strings, numbers, formats,
    /// property names, and separators. Masks are the same without, but the first ones take longer. The work
    /// is lost when the lexicon exceeds its memory budget ([`LexiconConfig`](crate::LexiconConfig)).
    ///
    /// `config` is the configuration of the schemas to come: options like white space change the terminals.
    /// `limits` hold for each terminal. `progress` is called every 32 states of each thread, and stops the
    /// work by breaking.
    ///
    /// Returns the sum over all terminals. It is not complete if `progress` broke, or the lexicon has no more
    /// room.
    ///
    /// # Errors
    /// If these terminals exceed a limit of the configuration.
    ///
    /// ```
    /// # use grammask::{Config, TokenId, Vocabulary, WarmLimits};
    /// # use std::ops::ControlFlow;
    /// let bytes = (0..=255).map(|byte| (TokenId(byte), vec![byte as u8]));
    /// let vocabulary = Vocabulary::new(bytes, [])?;
    /// vocabulary.warm_json_schemas(&Config::default(), &WarmLimits { states: 50, threads: 1 }, |_| ControlFlow::Continue(()))?;
    /// assert!(vocabulary.stats().entries > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn warm_json_schemas(
        &self,
        config: &Config,
        limits: &WarmLimits,
        progress: impl FnMut(WarmProgress) -> ControlFlow<()>,
    ) -> Result<WarmProgress, Error> {
        let formats = COMMON_FORMATS
            .iter()
            .chain(&RARE_FORMATS)
            .map(|name| json!({ "type": "string", "format": name }));
        let others = [
            json!({ "type": ["integer", "null"], "minimum": 0 }),
            json!({ "type": "string", "minLength": 1 }),
            json!({ "type": "string", "maxLength": 20 }),
            json!({ "type": "string", "pattern": r"^(?:\S+\s+){0,9}\S+$" }),
            json!({ "type": "object", "properties": { "name": { "const": "value" } } }),
            json!(true),
        ];
        let schemas: Vec<Value> = others.into_iter().chain(formats).collect();
        let grammars = schemas.iter().map(|schema| Grammar::from_json_schema(schema, self, config));
        warm_each(self, grammars, limits, progress)
    }
}

/// Capacity for the regular languages that a schema adds to a store. Most schemas add fewer.
const LANGUAGES_PER_SCHEMA: usize = 400;

/// Formats that occur in many schemas.
const COMMON_FORMATS: [&str; 7] = ["date-time", "date", "time", "email", "uri", "uuid", "ipv4"];

/// Formats that occur in few schemas, and whose first masks take long.
const RARE_FORMATS: [&str; 4] = ["uri-reference", "hostname", "ipv6", "regex"];

/// Returns a store in which the terminals of nearly all schemas are compiled, as copying them is faster than
/// compiling them. Only schemas with a format pay for copying the terminals of formats, which are many.
fn store_for(ast: &Ast, config: &Config) -> Store {
    // For each profile, without and with formats.
    static STORES: [[OnceLock<Store>; 2]; 2] = [const { [const { OnceLock::new() }; 2] }; 2];
    let regular = &config.normal.regular;
    if *regular != grammask_regular::Limits::default() {
        return Store::new(regular);
    }
    // The spellings of strings differ most.
    let (profile, [plain, with_formats]) = if config.json_schema.string_escapes == Escapes::Any {
        (Profile::Standard, &STORES[0])
    } else {
        (Profile::Generation, &STORES[1])
    };
    let plain = plain.get_or_init(|| apart(|| precompiled(profile, &[])));
    let patterns = ast.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Regex(pattern) => Some(pattern),
        _ => None,
    });
    let mut unknown = patterns.filter(|pattern| !analysis::knows_regex(plain, pattern)).peekable();
    if unknown.peek().is_none() {
        return plain.clone();
    }
    let formats = with_formats.get_or_init(|| apart(|| precompiled(profile, &COMMON_FORMATS)));
    if unknown.any(|pattern| analysis::knows_regex(formats, pattern)) {
        formats.clone()
    } else {
        plain.clone()
    }
}

/// Returns a store with the terminals of numbers, strings, arbitrary values, and these formats.
fn precompiled(profile: Profile, formats: &[&str]) -> Store {
    let defaults = Config::default().with_profile(profile);
    let mut store = Store::new(&defaults.normal.regular);
    let strings = formats.iter().map(|name| json!({ "type": "string", "format": name }));
    let numbers = [json!({ "minimum": 0 }), json!({ "minimum": 1 }), json!({})];
    let numbers = numbers.map(|bound| json!({ "type": ["integer", "null"], "allOf": [bound] }));
    let others = [json!(true), json!({ "type": "string", "minLength": 1 })];
    let items: Vec<Value> = strings.chain(numbers).chain(others).collect();
    let schemas = [
        json!({ "type": "array", "prefixItems": items }),
        json!({ "$schema": "http://json-schema.org/draft-04/schema#", "type": "integer" }),
    ];
    for translation in schemas.iter().filter_map(|schema| translate(schema, &defaults.json_schema).ok()) {
        // The result is not needed, only the terminals in the store. On failure, schemas compile them again.
        let _ = grammask_normal::normalize_in(&translation.ast, &mut store, &defaults.normal);
    }
    // Clones keep the capacity. Most schemas add a few hundred languages.
    store.reserve(LANGUAGES_PER_SCHEMA);
    store
}

//! Grammars from JSON Schemas: the translation, and the terminals that all of them have, made once for all.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use grammask_json_schema::translate;
use grammask_mask::Ahead;
use grammask_regular::{Store, analysis};
use grammask_syntax::{Ast, ExprKind};
use serde_json::{Value, json};

use crate::warm::warm_each;
use crate::{Config, Error, Grammar, Vocabulary, WarmLimits, Warmth};

impl Grammar {
    /// Compiles a JSON Schema: the outputs are the documents that it calls valid.
    ///
    /// What cannot be said exactly is refused, or weakened and listed in [`relaxations`](Self::relaxations); see
    /// [`JsonSchemaConfig`](crate::JsonSchemaConfig) for this and other choices. Nothing is fetched.
    ///
    /// # Errors
    /// When the schema is none, says what cannot be said exactly, or exceeds a limit; when it has no valid document, with
    /// [`Reason::Unsatisfiable`](grammask_json_schema::Reason::Unsatisfiable); as [`compile`](Self::compile) else.
    ///
    /// When the flag [`cancel`](crate::JsonSchemaConfig::cancel) turns true, with
    /// [`Reason::Cancelled`](grammask_json_schema::Reason::Cancelled). It is looked at all the time.
    ///
    /// # Complexity
    /// Mostly linear in the schema; alternatives of one value (`anyOf` and the like) are multiplied out, up to the limits. Masks are looked
    /// for as far as [`Config::ahead`] says.
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
        let translation = translate(schema, &config.json_schema)?;
        let flag = config.json_schema.cancel.as_ref();
        let is_cancelled = || flag.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let ahead = Ahead { texts: &BEGINNINGS, nodes: config.ahead, cancel: flag };
        let store = store(&translation.ast, config);
        let ast = Cow::Owned(translation.ast);
        match Self::from_ast_in(ast, store, vocabulary, config, Some(&ahead), is_cancelled) {
            Ok(Some(grammar)) => Ok(grammar.with_relaxations(translation.relaxations)),
            Ok(None) => Err(grammask_json_schema::Error::cancelled().into()),
            Err(error) => Err(error.about_schema()),
        }
    }
}

/// With what documents mostly begin: tokens end behind the first quote of an object, or behind a bracket. Where a schema does not allow it, nothing is
/// looked for.
const BEGINNINGS: [&[u8]; 2] = [b"{\"", b"["];

impl Vocabulary {
    /// Computes what the terminals of most JSON Schemas take of the vocabulary, before a schema asks for it: texts of any and of
    /// bounded length, numbers, formats, names of properties, and what stands between them. Masks are the same without. What was computed
    /// goes when what grammars share reaches its budget and is begun anew ([`LexiconConfig::budget`](crate::LexiconConfig::budget)).
    ///
    /// `config` is that of the schemas to come, as choices like white space make other terminals. `limits` are for each of these
    /// terminals; `progress` is called every 32 states for each thread, and ends it by breaking. The sum is returned; it is not complete where terminals were
    /// left out, as nobody wanted them or there was no more room.
    ///
    /// # Errors
    /// When a limit of the configuration is so low that these terminals exceed it.
    ///
    /// ```
    /// # use grammask::{Config, TokenId, Vocabulary, WarmLimits};
    /// # use std::ops::ControlFlow;
    /// let bytes = (0..=255).map(|byte| (TokenId(byte), vec![byte as u8]));
    /// let vocabulary = Vocabulary::new(bytes, [])?;
    /// vocabulary.warm_json_schemas(&Config::default(), &WarmLimits { states: 50, threads: 1 }, |_| ControlFlow::Continue(()))?;
    /// assert!(vocabulary.stats().parts > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn warm_json_schemas(
        &self,
        config: &Config,
        limits: &WarmLimits,
        progress: impl FnMut(Warmth) -> ControlFlow<()>,
    ) -> Result<Warmth, Error> {
        let formats =
            FORMATS.iter().chain(&MORE_FORMATS).map(|name| json!({ "type": "string", "format": name }));
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

/// Formats that many schemas have.
const FORMATS: [&str; 7] = ["date-time", "date", "time", "email", "uri", "uuid", "ipv4"];

/// Formats that few schemas have, with first visits that take long.
const MORE_FORMATS: [&str; 4] = ["uri-reference", "hostname", "ipv6", "regex"];

/// A store that knows the terminals of nearly all schemas: reading their patterns takes longer than copying what they come to. Those of formats
/// are many, and not in most schemas; so there is a store without them.
fn store(ast: &Ast, config: &Config) -> Store {
    static PLAIN: OnceLock<Store> = OnceLock::new();
    static WITH_FORMATS: OnceLock<Store> = OnceLock::new();
    let regular = &config.normal.regular;
    if *regular != grammask_regular::Config::default() {
        return Store::new(regular);
    }
    let plain = PLAIN.get_or_init(|| knowing(&[]));
    let patterns = ast.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Regex(pattern) => Some(pattern),
        _ => None,
    });
    let mut unknown = patterns.filter(|pattern| !analysis::knows_regex(plain, pattern)).peekable();
    if unknown.peek().is_none() {
        return plain.clone();
    }
    let formats = WITH_FORMATS.get_or_init(|| knowing(&FORMATS));
    if unknown.any(|pattern| analysis::knows_regex(formats, pattern)) {
        formats.clone()
    } else {
        plain.clone()
    }
}

/// A store that knows numbers, texts, everything, and these formats.
fn knowing(formats: &[&str]) -> Store {
    let defaults = Config::default();
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
        // What it comes to is not wanted, only what is in the store then. Without it, everything is as it is, but slower.
        let _ = grammask_normal::normalize_in(&translation.ast, &mut store, &defaults.normal);
    }
    // Clones have this room, too, and need not make it: most schemas bring a few hundred languages.
    store.reserve(400);
    store
}

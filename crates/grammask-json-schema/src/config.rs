//! Options and limits of the translation.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use grammask_pattern::Dialect as PatternDialect;
use grammask_regular::Escapes;
use serde_json::Value;

/// Options and limits of the translation.
///
/// `Config::default()` has the options of [`Profile::Generation`].
///
/// ```
/// use grammask_json_schema::{Config, Escapes, Profile, translate};
///
/// let schema = serde_json::json!({ "enum": ["a/b"] });
/// let standard = Config::new(Profile::Standard);
/// assert!(translate(&schema, &standard)?.ast.to_string().contains("json!('a/b')"));
///
/// let one_spelling = Config { literal_escapes: Escapes::Required, ..standard };
/// assert!(translate(&schema, &one_spelling)?.ast.to_string().contains("'\"a/b\"'"));
/// # Ok::<(), grammask_json_schema::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Config {
    /// Limits of the translation.
    pub limits: Limits,
    /// White space between the tokens of a document. Default: at most one blank, or one line break with at
    /// most 32 blanks.
    pub whitespace: Whitespace,
    /// White space before and after the document, of the same form as between its tokens. Default: false.
    pub surrounding_whitespace: bool,
    /// Spellings of keys that the schema names, and of the strings and numbers of `enum` and `const`.
    /// Default: those with only the escapes that JSON requires, so that they are forced.
    pub literal_escapes: Escapes,
    /// Spellings of all other strings. Default: raw characters, short escapes, and `\u00XX` for control
    /// characters.
    pub string_escapes: Escapes,
    /// Spellings of numbers that must be integers. Default: digits, in the range of 64 bits.
    pub integers: IntegerSpelling,
    /// Spellings of all other numbers. Default: numbers that a double holds.
    pub numbers: NumberSpelling,
    /// Order of the properties of an object. Default: any.
    pub property_order: PropertyOrder,
    /// Documents of a `oneOf` without the key that distinguishes its branches. Default: omitted beyond
    /// [`Limits::max_alternatives`].
    pub untagged_unions: UntaggedUnions,
    /// Meaning of an object schema that does not mention further properties. Default: that of the standard.
    pub additional_properties: AdditionalProperties,
    /// Meaning of `format`. Default: asserted, also outside of the standard.
    pub formats: Formats,
    /// Dates and times of the formats of RFC 3339. Default: those that parsers agree on.
    pub date_times: DateTimes,
    /// True if `date-time` and `time` may lack the offset from UTC that RFC 3339 requires, as in
    /// `2024-02-29T01:02:03`. Then `duration` may have a sign and a fraction of a second, as in `-P1DT0.5S`.
    /// Default: false.
    pub naive_times: bool,
    /// Dialect of the regular expressions of `pattern` and `patternProperties`. Default: ECMA-262, and others
    /// where that is a syntax error.
    pub pattern_dialect: PatternDialect,
    /// Treatment of constraints that have no exact grammar. Default: the schema is refused.
    pub unsupported: Unsupported,
    /// Draft of schemas without `$schema`. Default: 2020-12.
    pub draft: Draft,
    /// Schemas that `$ref` may name by their URI. Nothing is ever fetched. Default: none.
    pub documents: Vec<Document>,
    /// Limits of the automata that decide whether regular sets are empty or disjoint.
    pub regular: grammask_regular::Limits,
    /// Cancellation flag. Once it is true, the translation ends with
    /// [`Reason::Cancelled`](crate::Reason::Cancelled), usually within milliseconds. Not serialized. Default:
    /// none.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub cancel: Option<Arc<AtomicBool>>,
}

/// A set of options for one purpose. Each option of it can be changed afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Profile {
    /// For documents that a model writes and a program reads.
    ///
    /// Every document that the grammar allows is valid under the schema. Values that common parsers refuse,
    /// such as leap seconds, are left out. Of the spellings of one document, only those are allowed that
    /// common parsers read as the same value.
    #[default]
    Generation,
    /// For documents of any origin: every document that the standard calls valid, in nearly all of its
    /// spellings.
    Standard,
}

impl Default for Config {
    fn default() -> Self {
        Self::new(Profile::default())
    }
}

impl From<Profile> for Config {
    fn from(profile: Profile) -> Self {
        Self::new(profile)
    }
}

impl Config {
    /// Returns the options of a profile, and the default limits.
    pub fn new(profile: Profile) -> Self {
        let generation = Self {
            limits: Limits::default(),
            whitespace: Whitespace::Bounded { blanks: 1, indentation: 32 },
            surrounding_whitespace: false,
            literal_escapes: Escapes::Required,
            string_escapes: Escapes::Short,
            integers: IntegerSpelling::Bits64,
            numbers: NumberSpelling::Double,
            property_order: PropertyOrder::Any,
            untagged_unions: UntaggedUnions::Omitted,
            additional_properties: AdditionalProperties::Standard,
            formats: Formats::Extended,
            date_times: DateTimes::Common,
            naive_times: false,
            pattern_dialect: PatternDialect::Auto,
            unsupported: Unsupported::Refuse,
            draft: Draft::Draft202012,
            documents: Vec::new(),
            regular: grammask_regular::Limits::default(),
            cancel: None,
        };
        match profile {
            Profile::Generation => generation,
            Profile::Standard => Self {
                whitespace: Whitespace::Flexible { longest: 64 },
                surrounding_whitespace: true,
                literal_escapes: Escapes::Any,
                string_escapes: Escapes::Any,
                integers: IntegerSpelling::Any,
                numbers: NumberSpelling::Any,
                untagged_unions: UntaggedUnions::Exact,
                formats: Formats::Asserted,
                date_times: DateTimes::Any,
                ..generation
            },
        }
    }
}

impl Config {
    /// Returns the options of the translation of patterns.
    pub(crate) fn patterns(&self) -> grammask_pattern::Config {
        let limits = &self.limits;
        grammask_pattern::Config {
            limits: grammask_pattern::Limits {
                max_group_nesting: limits.max_group_nesting,
                max_quantifier: limits.max_quantifier,
                max_pattern_nodes: limits.max_pattern_nodes,
                max_pattern_size: limits.max_pattern_size,
                max_pattern_copies: limits.max_pattern_copies,
                max_pattern_steps: limits.max_pattern_steps,
                max_pattern_states: limits.max_pattern_states,
            },
            dialect: self.pattern_dialect,
            extent: grammask_pattern::Extent::Search,
            cancel: self.cancel.clone(),
        }
    }
}

/// Limits of the translation.
///
/// The first group bounds time, memory and stack: beyond it, the schema ends with
/// [`Reason::Limit`](crate::Reason::Limit). The second group bounds constructions that grow fast: beyond it,
/// the constraint has no exact grammar, and [`Config::unsupported`] decides.
///
/// Limits do not depend on the clock or the machine: a schema within the limits on one machine is within them
/// on all machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Limits {
    /// Work units: one for each schema, alternative or pair of alternatives that is examined, and one for
    /// each 64 bytes of automata. Default: 1,000,000.
    pub max_work: u64,
    /// Levels of arrays and objects in the JSON text of a schema, annotations included. Default: 10,000.
    pub max_nesting: u32,
    /// Levels of schemas that apply to one value, as `allOf` in `allOf` and chains of `$ref` do. Default:
    /// 256.
    pub max_depth: u32,
    /// Alternatives for one value, after `anyOf`, `oneOf` and `not` are multiplied out. Default: 1,024.
    pub max_alternatives: usize,
    /// Classes of the keys of one object, beside its named ones. The keys of a class match the same patterns.
    /// Patterns that overlap in every way have two to the power of their number. Default: 64.
    pub max_key_classes: usize,
    /// Largest count of characters, items or properties that a grammar can express. Maxima that are not below
    /// it do not restrict anything. A greater `minLength` counts as this many, and a greater `minItems`,
    /// `minContains` or `minProperties` is an error. Default: 1,000,000,000.
    pub max_count: u32,
    /// Digits of a number of the schema when it is written without an exponent. Default: 10,000.
    pub max_number_digits: u64,
    /// Digits of a number of the schema from the first to the last that is not zero. Default: 1,000.
    pub max_significant_digits: u64,
    /// Length of the URI of a schema resource, in bytes. Default: 8,192.
    pub uri_bytes: u64,
    /// Length of the URIs of all schema resources together, in bytes. Default: 67,108,864.
    pub total_uri_bytes: u64,

    /// Branches of an `anyOf` that may hold in any combination beside `unevaluatedProperties` or
    /// `unevaluatedItems`: at most two to this power combinations are enumerated, or one for each branch.
    /// Default: 8; values above 31 count as 31.
    pub max_combined_branches: usize,
    /// Numbers, or texts of a pattern, that are listed one by one for `uniqueItems`. Default: 128.
    pub max_listed_items: usize,
    /// First items of an array that are compared pairwise for `uniqueItems`. Default: 16.
    pub max_unique_prefix: usize,
    /// Keys of a class that are listed one by one where properties are counted. Default: 64.
    pub max_listed_keys: usize,
    /// `contains` constraints on one array. Default: 6.
    pub max_contains: usize,
    /// First items of an array that `contains` is checked against one by one. Default: 8.
    pub max_contains_prefix: usize,
    /// Items that several `contains` without maximum require together. Default: 6.
    pub max_contains_witnesses: u64,
    /// Ways to count the items of one array for `contains`. Default: 4,096.
    pub max_contains_choices: usize,
    /// Levels of nested groups of a pattern. Default: 250.
    pub max_group_nesting: usize,
    /// Largest number in a quantifier of a pattern. Default: 1,000,000,000.
    pub max_quantifier: u32,
    /// Nodes of an alternative of a pattern that has assertions in its middle. Default: 20,000.
    pub max_pattern_nodes: usize,
    /// Expressions that a pattern with assertions in its middle expands to. Default: 10,000.
    pub max_pattern_size: u64,
    /// Copies of a repetition with assertions inside. Default: 100.
    pub max_pattern_copies: u32,
    /// Steps for a pattern with assertions in its middle, mostly products of two matrix entries. Default:
    /// 2,000,000.
    pub max_pattern_steps: u64,
    /// States of each automaton for a pattern with look-around inside of repetitions. Default: 2,000.
    pub max_pattern_states: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_work: 1_000_000,
            max_nesting: 10_000,
            max_depth: 256,
            max_alternatives: 1_024,
            max_key_classes: 64,
            max_count: 1_000_000_000,
            max_number_digits: 10_000,
            max_significant_digits: 1_000,
            uri_bytes: 8_192,
            total_uri_bytes: 1 << 26,
            max_combined_branches: 8,
            max_listed_items: 128,
            max_unique_prefix: 16,
            max_listed_keys: 64,
            max_contains: 6,
            max_contains_prefix: 8,
            max_contains_witnesses: 6,
            max_contains_choices: 4_096,
            max_group_nesting: 250,
            max_quantifier: 1_000_000_000,
            max_pattern_nodes: 20_000,
            max_pattern_size: 10_000,
            max_pattern_copies: 100,
            max_pattern_steps: 2_000_000,
            max_pattern_states: 2_000,
        }
    }
}

/// White space between the tokens of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Whitespace {
    /// All white space of JSON, in runs of bounded length.
    Flexible {
        /// Length of the longest run, in bytes.
        longest: u32,
    },
    /// At most `blanks` blanks, or one line break with at most `indentation` blanks after it. A blank is a
    /// space or a tab; a line break is `\n` or `\r\n`.
    Bounded {
        /// Number of blanks without a line break.
        blanks: u32,
        /// Number of blanks after a line break.
        indentation: u32,
    },
    /// None.
    Compact,
    /// Exactly these separators, such as `", "` and `": "`, and no other white space.
    ///
    /// Separators that are not a comma or a colon within white space are an error.
    Separators {
        /// Between items and between properties: a comma and white space.
        item: String,
        /// Between a key and its value: a colon and white space.
        key: String,
    },
}

impl Whitespace {
    /// Returns the field of the first separator that is not its punctuation mark within white space, and that
    /// mark. Returns `None` if there is no such separator.
    pub(crate) fn wrong_separator(&self) -> Option<(&'static str, &'static str)> {
        let Self::Separators { item, key } = self else { return None };
        let is_wrong = |text: &str, sign: &str| text.trim_matches([' ', '\t', '\n', '\r']) != sign;
        let item = is_wrong(item, ",").then_some(("item", "comma"));
        item.or_else(|| is_wrong(key, ":").then_some(("key", "colon")))
    }
}

/// Spellings of numbers whose schema allows integers only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum IntegerSpelling {
    /// All comparable spellings, such as `12`, `12.0`, `1.2e1` and `-0`.
    Any,
    /// Digits of any length, after a minus sign for negative numbers. Zero has no sign.
    Digits,
    /// As `Digits`, from -2^31 to 2^31 - 1.
    ///
    /// A range ends where the schema says so: a `maximum` beyond 2^31 - 1 takes the place of this bound, and
    /// a `minimum` below -2^31 that of the other one. A value of `enum` or `const` is never left out.
    Bits32,
    /// As `Bits32`, from -(2^53 - 1) to 2^53 - 1, the integers that a double holds exactly.
    Bits53,
    /// As `Bits32`, from -2^63 to 2^63 - 1.
    Bits64,
}

/// Spellings of numbers that need not be integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NumberSpelling {
    /// All spellings of JSON; with a constraint, the comparable ones.
    Any,
    /// Numbers of at most 17 significant digits whose double is finite, and zero only if the number is zero.
    ///
    /// They are zero, or of a magnitude from 1e-307 to below 1e308. Those without exponent have at most 21
    /// digits before the point, and at most 20 zeros after `0.`. An exponent follows a single digit before
    /// the point. The double of a number violates no bound that the number itself satisfies.
    Double,
}

/// Order of the properties of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PropertyOrder {
    /// Every order, as in the standard.
    Any,
    /// First the properties that the schema names, in its order, then all others.
    AsWritten,
}

/// Treatment of the documents of a `oneOf` without its tag.
///
/// A tag is a key to which each branch gives other constants. If no branch requires it, a document without it
/// is valid if it violates all branches but one by its other keys. The number of ways to do so is the product
/// of the numbers of these keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UntaggedUnions {
    /// All of them are allowed. Beyond [`Limits::max_alternatives`], the schema is refused.
    Exact,
    /// Beyond [`Limits::max_alternatives`], the grammar offers documents with the tag only, and
    /// [`Translation::notes`](crate::Translation::notes) says so.
    Omitted,
}

/// Meaning of an object schema that does not mention further properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AdditionalProperties {
    /// Further properties are allowed, as in the standard.
    Standard,
    /// A schema with `properties` allows no further properties but those that it requires, unless it has
    /// `additionalProperties` or `unevaluatedProperties`.
    ///
    /// Each value is closed as a whole: a key is allowed if any schema that applies to the value names or
    /// matches it. The schemas of `allOf` and `$ref` count together, and so do those of one branch of `anyOf`
    /// and `oneOf`. Schemas under `not` and `if` do not close a value, so this option never allows more than
    /// [`Standard`](Self::Standard).
    Closed,
}

/// Meaning of `format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Formats {
    /// The grammar asserts the formats of the standard.
    Asserted,
    /// As `Asserted`, and those of the OpenAPI format registry and of schema generators, such as `int32`,
    /// `byte` and `uuid4`. Where a schema has a `pattern` beside such a format, the pattern decides.
    Extended,
    /// Formats do not restrict documents, as is the standard's default from 2019-09 on. They are listed in
    /// [`Translation::relaxations`](crate::Translation::relaxations).
    Annotations,
}

/// Dates and times that are offered for the formats `date`, `time`, `date-time`, and for those without an
/// offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DateTimes {
    /// All that RFC 3339 defines.
    Any,
    /// Those that parsers agree on: years from 0001 on, no leap seconds, and the letters `T` and `Z` in
    /// capitals.
    ///
    /// Values of an `enum` or `const` are offered all the same, and so are other dates and times where
    /// nothing else satisfies the schema. Where the schema excludes a format, as by `not`, it excludes all
    /// that RFC 3339 defines.
    Common,
}

/// Treatment of a constraint that has no exact grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Unsupported {
    /// The schema is refused with [`Reason::Unsupported`](crate::Reason::Unsupported).
    Refuse,
    /// A weaker constraint replaces it, and is listed in
    /// [`Translation::relaxations`](crate::Translation::relaxations).
    Relax,
}

/// A draft of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Draft {
    /// Schema objects of OpenAPI 3.0: draft 4 with `nullable`. Those of OpenAPI 3.1 are of 2020-12.
    ///
    /// `"nullable": true` adds `null` to what the other keywords of the schema allow, `enum`, `allOf` and
    /// `$ref` included.
    OpenApi30,
    /// Draft 4.
    Draft4,
    /// Draft 6.
    Draft6,
    /// Draft 7.
    Draft7,
    /// 2019-09.
    Draft201909,
    /// 2020-12.
    Draft202012,
}

/// A schema that `$ref` may name.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Document {
    /// URI of the schema, without fragment.
    pub uri: String,
    /// The schema.
    pub schema: Value,
}

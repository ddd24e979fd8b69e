//! Choices and limits of the translation.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;

/// Choices and limits of the translation.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Config {
    /// Which white space may stand between the parts of a document. Default: flexible, runs of up to 64 bytes.
    pub whitespace: Whitespace,
    /// In which order properties may come. Default: any.
    pub property_order: PropertyOrder,
    /// What an object schema means that says nothing of further properties. Default: the standard's meaning.
    pub additional_properties: AdditionalProperties,
    /// What `format` means. Default: it is asserted.
    pub formats: Formats,
    /// What becomes of what cannot be said exactly. Default: it is refused.
    pub unsupported: Unsupported,
    /// The draft of schemas without `$schema`. Default: 2020-12.
    pub draft: Draft,
    /// Schemas that `$ref` may name by their URI. Nothing is ever fetched. Default: none.
    pub documents: Vec<Document>,
    /// The greatest number of work units: a schema, an alternative or a pair of them that is looked at, or 64 bytes of automata. Default: 1,000,000.
    pub work: u64,
    /// How deep arrays and objects may nest in a schema's JSON, whatever they mean there. Default: 10,000.
    pub nesting: u32,
    /// How deep schemas that speak of one value may nest, as `allOf` in `allOf` and chains of `$ref` do. Default: 256.
    pub depth: u32,
    /// The greatest number of alternatives for one value, after `anyOf`, `oneOf`, `not` and the like are multiplied out. Default: 1,024.
    pub alternatives: usize,
    /// Limits of the automata that decide whether regular parts are empty or disjoint.
    pub regular: grammask_regular::Config,
    /// When this turns true, the translation ends with [`Reason::Cancelled`](crate::Reason::Cancelled), mostly within milliseconds; where very
    /// much has been built, giving it back can take longer. Not stored with the rest. Default: none.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            whitespace: Whitespace::Flexible { longest: 64 },
            property_order: PropertyOrder::Any,
            additional_properties: AdditionalProperties::Standard,
            formats: Formats::Asserted,
            unsupported: Unsupported::Refuse,
            draft: Draft::Draft202012,
            documents: Vec::new(),
            work: 1_000_000,
            nesting: 10_000,
            depth: 256,
            alternatives: 1_024,
            regular: grammask_regular::Config::default(),
            cancel: None,
        }
    }
}

/// Which white space may stand between the parts of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Whitespace {
    /// Any that JSON allows, in runs of up to so many bytes.
    Flexible {
        /// The longest run, in bytes.
        longest: u32,
    },
    /// None at all.
    Compact,
    /// Exactly these texts instead of `,` and `:`, such as `", "` and `": "`; no other white space.
    Separators {
        /// Between items and between properties; a comma and white space.
        item: String,
        /// Between a key and its value; a colon and white space.
        key: String,
    },
}

impl Whitespace {
    /// What is no comma, or no colon, with nothing but the white space of JSON around it: with it, documents would not be JSON. As the names of the field
    /// and of the sign that is wanted.
    pub(crate) fn wrong_separator(&self) -> Option<(&'static str, &'static str)> {
        let Self::Separators { item, key } = self else { return None };
        let is_wrong = |text: &str, sign: &str| text.trim_matches([' ', '\t', '\n', '\r']) != sign;
        let item = is_wrong(item, ",").then_some(("item", "comma"));
        item.or_else(|| is_wrong(key, ":").then_some(("key", "colon")))
    }
}

/// In which order the properties of an object may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PropertyOrder {
    /// In every order, as the standard has it.
    Any,
    /// Those that the schema names in the order in which it names them, then the others.
    AsWritten,
}

/// What an object schema means that says nothing of further properties.
///
/// Values are closed as a whole, and only those of documents: see [`Closed`](Self::Closed).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AdditionalProperties {
    /// They are allowed, as the standard has it.
    Standard,
    /// A schema with `properties` allows no others, unless it says so: no keys but those that are named, or matched by a pattern, by the schemas of
    /// the value that hold, those of `allOf`, `$ref` and the like together, and of one branch of `anyOf` and `oneOf`. Schemas under `not` and `if` close
    /// nothing, so this allows less, and never more.
    Closed,
}

/// What `format` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Formats {
    /// Strings are held to it.
    Asserted,
    /// Nothing that a document is held to, as the standard has it by default from 2019-09 on. It is listed in
    /// [`Translation::relaxations`](crate::Translation::relaxations).
    Annotations,
}

/// What becomes of a schema that cannot be translated exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Unsupported {
    /// It is refused.
    Refuse,
    /// A weaker constraint is used, and listed in [`Translation::relaxations`](crate::Translation::relaxations).
    Relax,
}

/// A draft of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Draft {
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

/// A schema that others may refer to.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Document {
    /// Its URI, without fragment.
    pub uri: String,
    /// The schema.
    pub schema: Value,
}

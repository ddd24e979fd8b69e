//! Options and limits.

use grammask_json_schema::{
    AdditionalProperties, Config as SchemaConfig, Escapes, IntegerSpelling, Profile, PropertyOrder,
    Unsupported, Whitespace,
};

use crate::tokens::SpecialTokens;

/// Options of [`translate`](crate::translate).
#[derive(Clone, Debug)]
pub struct Config {
    /// Name of the text in messages. Default: `tags.json`.
    pub file_name: String,
    /// Options of `json_schema`. The defaults are those of XGrammar. Properties have the order of the schema,
    /// and there are no additional ones unless the schema allows them. White space is allowed inside of the
    /// document. Keywords without a grammar are dropped with a note.
    pub json_schema: SchemaConfig,
    /// Spellings of the special tokens of the vocabulary. Where one occurs in a begin, an end, a trigger, a
    /// separator or a constant text, the output has the token. Default: none.
    pub special_tokens: SpecialTokens,
    /// Limits of structural tags.
    pub limits: Limits,
    /// Limits, and the treatment of annotations.
    pub common: grammask_notation::Config,
}

/// Limits of structural tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Levels of formats inside of formats. Default: 200.
    pub max_format_depth: usize,
    /// Objects that are written as parameters, in all formats together. Default: 10,000.
    pub max_xml_objects: usize,
    /// Levels of arrays and objects in the JSON text. Default: 1,000.
    pub max_json_nesting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_format_depth: 200, max_xml_objects: 10_000, max_json_nesting: 1_000 }
    }
}

impl Default for Config {
    fn default() -> Self {
        let json_schema = SchemaConfig {
            surrounding_whitespace: false,
            whitespace: Whitespace::Flexible { longest: 64 },
            literal_escapes: Escapes::Required,
            string_escapes: Escapes::Any,
            integers: IntegerSpelling::Digits,
            property_order: PropertyOrder::AsWritten,
            additional_properties: AdditionalProperties::Closed,
            unsupported: Unsupported::Relax,
            ..SchemaConfig::from(Profile::Standard)
        };
        Self {
            file_name: "tags.json".to_owned(),
            json_schema,
            special_tokens: SpecialTokens::default(),
            limits: Limits::default(),
            common: grammask_notation::Config::default(),
        }
    }
}

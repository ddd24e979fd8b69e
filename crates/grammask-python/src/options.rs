//! Keyword arguments to a configuration.

use grammask::json_schema::{
    AdditionalProperties, DateTimes, Document, Draft, Escapes, Formats, IntegerSpelling, NumberSpelling,
    PatternDialect, Profile, PropertyOrder, Unsupported, UntaggedUnions, Whitespace,
};
use grammask::{Config, JsonSchemaConfig};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::{arguments, errors};

/// The drafts by the names that Python code gives them.
const DRAFTS: [(&str, Draft); 6] = [
    ("openapi-3.0", Draft::OpenApi30),
    ("draft4", Draft::Draft4),
    ("draft6", Draft::Draft6),
    ("draft7", Draft::Draft7),
    ("2019-09", Draft::Draft201909),
    ("2020-12", Draft::Draft202012),
];

/// The spellings of strings by the names that Python code gives them.
const ESCAPES: [(&str, Escapes); 3] =
    [("any", Escapes::Any), ("short", Escapes::Short), ("required", Escapes::Required)];

/// Applies the keyword arguments of `Grammar.json_schema` and `check_json_schema` to `defaults`.
///
/// A profile keeps the order of properties, and the treatment of additional ones and of unsupported keywords.
///
/// # Errors
/// If a name or a value is not one of those documented; the message names both.
pub fn json_schema(options: Option<&Bound<'_, PyDict>>, defaults: JsonSchemaConfig) -> PyResult<Config> {
    let mut config = Config { json_schema: defaults, ..Config::default() };
    let schema = &mut config.json_schema;
    if let Some(profile) = options.map(|options| options.get_item("profile")).transpose()?.flatten() {
        let profiles = [("generation", Profile::Generation), ("standard", Profile::Standard)];
        let profile = choice("profile", &profile, &profiles)?;
        *schema = JsonSchemaConfig {
            property_order: schema.property_order,
            additional_properties: schema.additional_properties,
            unsupported: schema.unsupported,
            ..profile.into()
        };
    }
    let mut longest = None;
    for (name, value) in options.into_iter().flatten() {
        let name: String = name.extract()?;
        if set_work_limit(&mut config, &name, &value)? {
            continue;
        }
        if name == "prefetch" {
            let nodes = value.extract();
            config.prefetch_nodes =
                nodes.map_err(|_| errors::wrong_type("prefetch", "an int from 0 to 2**64 - 1", &value))?;
            continue;
        }
        let schema = &mut config.json_schema;
        match name.as_str() {
            "profile" => {}
            "whitespace" => schema.whitespace = whitespace(&value)?,
            "surrounding_whitespace" => {
                schema.surrounding_whitespace = value
                    .extract::<bool>()
                    .map_err(|_| errors::wrong_type("surrounding_whitespace", "a bool", &value))?;
            }
            "literal_escapes" => schema.literal_escapes = choice(&name, &value, &ESCAPES)?,
            "string_escapes" => schema.string_escapes = choice(&name, &value, &ESCAPES)?,
            "integers" => {
                let ways = [
                    ("any", IntegerSpelling::Any),
                    ("digits", IntegerSpelling::Digits),
                    ("32", IntegerSpelling::Bits32),
                    ("53", IntegerSpelling::Bits53),
                    ("64", IntegerSpelling::Bits64),
                ];
                schema.integers = choice(&name, &value, &ways)?;
            }
            "numbers" => {
                let ways = [("any", NumberSpelling::Any), ("double", NumberSpelling::Double)];
                schema.numbers = choice(&name, &value, &ways)?;
            }
            "max_whitespace" => {
                longest = Some(value.extract::<u32>().map_err(|_| {
                    errors::wrong_type("max_whitespace", "an int from 0 to 4294967295", &value)
                })?);
            }
            "order" => {
                let orders = [("any", PropertyOrder::Any), ("as-written", PropertyOrder::AsWritten)];
                schema.property_order = choice(&name, &value, &orders)?;
            }
            "extra" => {
                let extras =
                    [("open", AdditionalProperties::Standard), ("closed", AdditionalProperties::Closed)];
                schema.additional_properties = choice(&name, &value, &extras)?;
            }
            "formats" => {
                let formats = [
                    ("extended", Formats::Extended),
                    ("asserted", Formats::Asserted),
                    ("annotations", Formats::Annotations),
                ];
                schema.formats = choice(&name, &value, &formats)?;
            }
            "date_times" => {
                let ways = [("any", DateTimes::Any), ("common", DateTimes::Common)];
                schema.date_times = choice(&name, &value, &ways)?;
            }
            "naive_times" => {
                schema.naive_times = value
                    .extract::<bool>()
                    .map_err(|_| errors::wrong_type("naive_times", "a bool", &value))?;
            }
            "unsupported" => {
                let ways = [("error", Unsupported::Refuse), ("relax", Unsupported::Relax)];
                schema.unsupported = choice(&name, &value, &ways)?;
            }
            "untagged_unions" => {
                let ways = [("exact", UntaggedUnions::Exact), ("omitted", UntaggedUnions::Omitted)];
                schema.untagged_unions = choice(&name, &value, &ways)?;
            }
            "pattern_dialect" => {
                let dialects = [
                    ("auto", PatternDialect::Auto),
                    ("ecma", PatternDialect::Ecma),
                    ("rust", PatternDialect::Rust),
                    ("python", PatternDialect::Python),
                ];
                schema.pattern_dialect = choice(&name, &value, &dialects)?;
            }
            "draft" => schema.draft = choice(&name, &value, &DRAFTS)?,
            "documents" => schema.documents = documents(&value)?,
            other => {
                let message = format!("{other}: unknown option of a JSON Schema");
                return Err(pyo3::exceptions::PyTypeError::new_err(message));
            }
        }
    }
    if let Some(bytes) = longest {
        let schema = &mut config.json_schema;
        let Whitespace::Flexible { longest } = &mut schema.whitespace else {
            return Err(errors::wrong_value("max_whitespace", "needs whitespace=\"flexible\""));
        };
        *longest = bytes;
    }
    Ok(config)
}

/// Sets a limit of work if `name` is one. All grammars have them.
fn set_work_limit(config: &mut Config, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let limit = match name {
        "max_compile_work" => &mut config.limits.max_compile_work,
        "max_mask_work" => &mut config.masks.limits.max_mask_work,
        "max_step_work" => &mut config.masks.limits.max_step_work,
        "max_end_work" => &mut config.limits.end.max_end_work,
        "max_search_work" => &mut config.limits.end.max_search_work,
        _ => return Ok(false),
    };
    *limit = value.extract().map_err(|_| errors::wrong_type(name, "an int from 0 to 2**64 - 1", value))?;
    Ok(true)
}

/// Applies the keyword arguments of grammars that are texts, those in `known`.
///
/// # Errors
/// If a name or a value is not one of those documented; the message names both.
pub fn text(options: Option<&Bound<'_, PyDict>>, known: &[&str]) -> PyResult<Config> {
    let mut config = Config::default();
    for (name, value) in options.into_iter().flatten() {
        let name: String = name.extract()?;
        if set_work_limit(&mut config, &name, &value)? {
            continue;
        }
        match name.as_str() {
            "start" if known.contains(&"start") && value.is_none() => {}
            "start" if known.contains(&"start") => {
                let start: String =
                    value.extract().map_err(|_| errors::wrong_type("start", "a rule's name", &value))?;
                config = config.with_start(start);
            }
            other => {
                let message = format!("{other}: unknown option of a grammar");
                return Err(pyo3::exceptions::PyTypeError::new_err(message));
            }
        }
    }
    Ok(config)
}

/// `"bounded"`, `"flexible"`, `"compact"`, or a pair of separators such as `(", ", ": ")`.
fn whitespace(value: &Bound<'_, PyAny>) -> PyResult<Whitespace> {
    if let Ok((item, key)) = value.extract::<(String, String)>()
        && !value.is_instance_of::<PyString>()
    {
        return Ok(Whitespace::Separators { item, key });
    }
    let [bounded, flexible] =
        [Profile::Generation, Profile::Standard].map(|profile| JsonSchemaConfig::new(profile).whitespace);
    let choices = [("bounded", bounded), ("flexible", flexible), ("compact", Whitespace::Compact)];
    choice("whitespace", value, &choices)
}

/// One of some named values.
fn choice<T: Clone>(argument: &str, value: &Bound<'_, PyAny>, choices: &[(&str, T)]) -> PyResult<T> {
    let names: Vec<String> = choices.iter().map(|(name, _)| format!("{name:?}")).collect();
    let expected = names.join(" or ");
    let Ok(given) = value.extract::<String>() else {
        return Err(errors::wrong_type(argument, &expected, value));
    };
    let found = choices.iter().find(|(name, _)| *name == given).map(|(_, choice)| choice.clone());
    found.ok_or_else(|| errors::wrong_value(argument, &format!("{given:?} is not {expected}")))
}

/// Schemas by their URIs.
fn documents(value: &Bound<'_, PyAny>) -> PyResult<Vec<Document>> {
    let Ok(schemas) = value.cast::<PyDict>() else {
        return Err(errors::wrong_type("documents", "a dict from URI to schema", value));
    };
    let mut documents = Vec::new();
    for (uri, schema) in schemas {
        documents.push(Document { uri: uri.extract()?, schema: arguments::schema(&schema)? });
    }
    Ok(documents)
}

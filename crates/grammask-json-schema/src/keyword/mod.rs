//! The keywords of a schema: the set of each draft, and the values allowed by assertions about the value
//! itself.
//!
//! Such an assertion restricts the type of the value, or its properties as a number, string, array or object.

mod applicators;
mod arrays;
pub(crate) mod constant;
pub(crate) mod expand;
mod forms;
mod objects;
pub(crate) mod relax;
mod scalars;
mod tagged;
pub(crate) mod unevaluated;

use std::rc::Rc;

use crate::Draft;
use crate::context::{Context, Stop};
use crate::document::SchemaId;
use crate::error::{Limit, Reason};
use crate::json::{Map, Value};
use crate::keyword::expand::Schema;
use crate::language::LanguageId;
use crate::language::number;
use crate::value::algebra;
use crate::value::algebra::shapes;
use crate::value::{Array, Object, RegexStrings, Values};

pub(crate) use objects::only_required;

/// Rules of ECMA-262 that the grammar of regular expressions does not assert.
pub(crate) const UNASSERTED_REGEX_RULES: &str = "back-references of a regular expression, the order of long \
     numbers in a quantifier, and the order of a class's range outside of ASCII";

/// Returns true for keywords of the standard that never restrict a document.
fn is_known_annotation(name: &str) -> bool {
    matches!(
        name,
        "$anchor"
            | "$comment"
            | "$defs"
            | "$dynamicAnchor"
            | "$id"
            | "$recursiveAnchor"
            | "$schema"
            | "$vocabulary"
            | "contentEncoding"
            | "contentMediaType"
            | "contentSchema"
            | "default"
            | "definitions"
            | "deprecated"
            | "description"
            | "examples"
            | "id"
            | "readOnly"
            | "title"
            | "writeOnly"
    )
}

/// Returns true for keywords outside of the validation vocabulary that restrict a document.
fn is_applicator_or_reference(name: &str) -> bool {
    matches!(
        name,
        "$dynamicRef"
            | "$recursiveRef"
            | "$ref"
            | "additionalItems"
            | "additionalProperties"
            | "allOf"
            | "anyOf"
            | "contains"
            | "dependencies"
            | "dependentSchemas"
            | "else"
            | "format"
            | "if"
            | "items"
            | "not"
            | "oneOf"
            | "patternProperties"
            | "prefixItems"
            | "properties"
            | "propertyNames"
            | "then"
            | "unevaluatedItems"
            | "unevaluatedProperties"
    )
}

/// Returns true for keywords of the validation vocabulary.
pub(crate) fn is_validation(name: &str) -> bool {
    matches!(
        name,
        "const"
            | "dependentRequired"
            | "enum"
            | "exclusiveMaximum"
            | "exclusiveMinimum"
            | "maxContains"
            | "maxItems"
            | "maxLength"
            | "maxProperties"
            | "maximum"
            | "minContains"
            | "minItems"
            | "minLength"
            | "minProperties"
            | "minimum"
            | "multipleOf"
            | "pattern"
            | "required"
            | "type"
            | "uniqueItems"
    )
}

/// Returns the draft that introduced a keyword. Returns draft 4 for older keywords.
fn since(name: &str) -> Draft {
    match name {
        "const" | "contains" | "propertyNames" => Draft::Draft6,
        "if" | "then" | "else" => Draft::Draft7,
        "dependentRequired"
        | "dependentSchemas"
        | "minContains"
        | "maxContains"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "$recursiveRef" => Draft::Draft201909,
        "prefixItems" | "$dynamicRef" => Draft::Draft202012,
        _ => Draft::Draft4,
    }
}

/// Returns the last draft that has a keyword. `dependencies` is asserted in every draft, although 2019-09
/// renamed it: many schemas have it.
fn until(name: &str) -> Draft {
    match name {
        "additionalItems" | "$recursiveRef" => Draft::Draft201909,
        _ => Draft::Draft202012,
    }
}

/// Returns true if a keyword never restricts a document. Keywords that the standard does not know are
/// annotations.
pub(crate) fn is_annotation(name: &str) -> bool {
    !is_validation(name) && !is_applicator_or_reference(name)
}

/// Returns the values that a schema's own assertions allow.
pub(crate) fn assertion_values<'a>(cx: &mut Context<'a>, schema: Schema<'a>) -> Result<Values, Stop> {
    cx.current_keyword = "type";
    let mut values = type_values(cx, schema)?;
    cx.current_keyword = "enum";
    if let Some(list) = schema.get("enum") {
        let Value::Array(list) = list else {
            return Err(expand::invalid(cx, schema, "enum", "not a list of values"));
        };
        let listed = constant::values_among(cx, list)?;
        values = algebra::intersect(cx, &values, &listed)?;
    }
    cx.current_keyword = "const";
    if let Some(constant) = schema.get("const").filter(|_| schema.draft >= Draft::Draft6) {
        let constant = constant::values_among(cx, std::slice::from_ref(constant))?;
        values = algebra::intersect(cx, &values, &constant)?;
    }
    if values.number != LanguageId::NONE {
        let number = scalars::number_language(cx, schema)?;
        values.number = algebra::intersect_numbers(cx, values.number, number);
    }
    if values.string != LanguageId::NONE {
        let string = scalars::string_language(cx, schema)?;
        values.string = algebra::intersect_strings(cx, values.string, string);
        cx.current_keyword = "format";
        if scalars::asserts_format(cx) && schema.get("format").and_then(Value::as_str) == Some("regex") {
            let regexes = Values {
                string: LanguageId::NONE,
                regexes: RegexStrings::All,
                ..Values::any(cx.numbers.any)
            };
            values = algebra::intersect(cx, &values, &regexes)?;
            if values.regexes != RegexStrings::None {
                cx.list_partial(schema.id, "format", UNASSERTED_REGEX_RULES);
            }
        }
    }
    if !values.arrays.is_empty() {
        cx.current_keyword = "items";
        let arrays = arrays::array_shape(cx, schema)?;
        let arrays: Vec<Rc<Array>> = arrays.into_iter().map(Rc::new).collect();
        values.arrays = shapes::intersect_shapes(cx, &values.arrays, &arrays)?;
    }
    if !values.objects.is_empty() {
        cx.current_keyword = "properties";
        let objects = [Rc::new(objects::object_shape(cx, schema)?)];
        values.objects = shapes::intersect_shapes(cx, &values.objects, &objects)?;
    }
    Ok(values)
}

/// Returns true if a schema of OpenAPI 3.0 allows `null` besides what its other keywords allow.
pub(crate) fn is_nullable(entries: &Map, draft: Draft) -> bool {
    draft == Draft::OpenApi30 && entries.get("nullable") == Some(&Value::Bool(true))
}

/// Lists the keywords of a schema that are not asserted.
pub(crate) fn list_ignored_keywords(cx: &mut Context<'_>, id: SchemaId, entries: &Map) {
    let draft = cx.documents.draft(id);
    let has_sibling_ref = draft <= Draft::Draft7 && entries.len() > 1 && entries.get("$ref").is_some();
    for (name, value) in entries {
        let why = match &name[..] {
            "$schema" if cx.documents.is_of_unknown_draft(id) => {
                "an unknown draft, so the configured one is used"
            }
            "$ref" => continue,
            "nullable" if draft == Draft::OpenApi30 => continue,
            // Extensions are marked as such by their names.
            _ if name.starts_with("x-") => continue,
            "$schema" if !value.is_string() => "not a string, so the configured draft is used",
            _ if is_known_annotation(name) => continue,
            _ if has_sibling_ref => "up to draft 7, keywords next to a $ref are ignored",
            _ if is_annotation(name) => {
                let hint = hint_for(cx, name);
                cx.list_note(id, name, format!("an unknown keyword is an annotation{hint}"));
                continue;
            }
            _ if since(name) > draft => "a keyword of a later draft is an annotation",
            // Asserted: a list of items is read as in draft 2019-09.
            "additionalItems" if entries.get("items").is_some_and(Value::is_array) => continue,
            _ if until(name) < draft => "a keyword of an earlier draft is an annotation",
            "format" => {
                if let Value::String(format) = value
                    && !scalars::is_asserted_format(cx, format, entries.get("pattern").is_some())
                {
                    cx.list_note(id, name, scalars::annotation(format));
                }
                continue;
            }
            _ => match forms::deviation(name, value, draft) {
                Some(why) => why,
                None => continue,
            },
        };
        cx.list_note(id, name, why);
    }
}

/// Returns a hint about an unknown keyword, empty if no known one is similar. A large schema may have the
/// same unknown keyword thousands of times, so hints are kept.
fn hint_for(cx: &mut Context<'_>, name: &str) -> String {
    if let Some(known) = cx.keyword_hints.get(name) {
        return known.clone();
    }
    let alike = grammask_syntax::suggest(name, relax::asserting_names());
    let hint = alike.map(|alike| format!("; did you mean `{alike}`?")).unwrap_or_default();
    cx.keyword_hints.insert(name.into(), hint.clone());
    hint
}

fn type_values<'a>(cx: &mut Context<'a>, schema: Schema<'a>) -> Result<Values, Stop> {
    let names = match schema.get("type") {
        None => return Ok(Values::any(cx.numbers.any)),
        Some(name @ Value::String(_)) => std::slice::from_ref(name),
        Some(Value::Array(names)) => &names[..],
        Some(_) => {
            return Err(expand::invalid(cx, schema, "type", "neither a name nor a list of names"));
        }
    };
    let mut values = Values::NONE;
    for name in names {
        match name.as_str() {
            Some("null") => values.null = true,
            Some("boolean") => values.booleans = [true; 2],
            Some("number") => values.number = cx.numbers.any,
            // In draft 4, an integer is a number without fraction and exponent.
            Some("integer") if values.number == LanguageId::NONE => {
                values.number = match schema.draft {
                    Draft::Draft4 => number::digits(&mut cx.languages),
                    _ => number::integer(&mut cx.languages),
                };
            }
            Some("integer") => {}
            Some("string") => values.string = LanguageId::ANY,
            Some("array") => values.arrays = vec![Rc::new(Array::any())],
            Some("object") => values.objects = vec![Rc::new(Object::any())],
            _ => {
                let hint = name.as_str().and_then(type_meant_by);
                let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
                return Err(expand::invalid(cx, schema, "type", &format!("{name} is not a type{hint}")));
            }
        }
    }
    Ok(values)
}

/// Returns a hint about a name that is not a type. Returns `None` if no type is similar.
fn type_meant_by(name: &str) -> Option<String> {
    let known = ["array", "boolean", "integer", "null", "number", "object", "string"];
    let other = match &*name.to_ascii_lowercase() {
        "any" | "unknown" | "mixed" => return Some("without `type`, every value is allowed".to_owned()),
        "int" | "long" | "short" | "int32" | "int64" => "integer",
        "float" | "double" | "decimal" => "number",
        "str" | "text" | "char" | "date" | "datetime" | "uuid" => "string",
        "bool" => "boolean",
        "list" | "tuple" | "set" => "array",
        "dict" | "map" | "struct" | "record" => "object",
        "none" | "nil" | "undefined" | "void" => "null",
        _ => grammask_syntax::suggest(name, known)?,
    };
    Some(format!("did you mean \"{other}\"?"))
}

/// Returns the value of a keyword that counts characters, items or properties.
///
/// # Errors
/// When the value is not a nonnegative integer.
fn count<'a>(cx: &Context<'a>, schema: Schema<'a>, keyword: &str) -> Result<Option<u64>, Stop> {
    let Some(value) = schema.get(keyword) else { return Ok(None) };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a greater number saturates")]
    let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0).then_some(number as u64);
    match value.as_u64().or_else(|| value.as_f64().and_then(whole)) {
        Some(count) => Ok(Some(count)),
        None => Err(expand::invalid(cx, schema, keyword, "not a nonnegative integer")),
    }
}

/// Returns the value of a keyword for the least number of items or properties, or `default` without the
/// keyword.
///
/// # Errors
/// When the value is not a nonnegative integer, or is above `max_count`.
fn minimum<'a>(cx: &Context<'a>, schema: Schema<'a>, keyword: &str, default: u64) -> Result<u64, Stop> {
    let most = u64::from(cx.config.limits.max_count);
    let min = count(cx, schema, keyword)?.unwrap_or(default);
    if min > most {
        return Err(cx.error(schema.id, keyword, Reason::limit_found(Limit::Count, most, min)));
    }
    Ok(min)
}

/// Returns the value of a keyword for the greatest number of items or properties. Returns `None` if the
/// minimum of the complement, which is greater by one, is above `max_count`.
///
/// # Errors
/// When the value is not a nonnegative integer.
fn maximum<'a>(cx: &Context<'a>, schema: Schema<'a>, keyword: &str) -> Result<Option<u64>, Stop> {
    let most = u64::from(cx.config.limits.max_count);
    Ok(count(cx, schema, keyword)?.filter(|&max| max < most))
}

//! The keywords that assert something of a value itself: its type, and what it is as a number, a string, an array or an object.

mod arrays;
pub(crate) mod expand;
mod forms;
mod objects;
mod scalars;
mod unevaluated;

use std::rc::Rc;

pub(crate) use objects::only_required;
use serde_json::{Map, Value};

use crate::Draft;
use crate::context::{Stop, Translator};
use crate::document::SchemaId;
use crate::keyword::expand::Schema;
use crate::language::LanguageId;
use crate::language::{format, number};
use crate::value::{Array, Expressions, Object, Values};

/// What the rules of regular expressions do not see.
const NOT_OF_EXPRESSIONS: &str = "references of a regular expression to its groups, the order of long numbers of a quantifier, \
     and the order of a class's range outside of ASCII are not asserted";

/// Keywords that a document is never held to.
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

/// Keywords beside those of the validation vocabulary that a document is held to, or that say something to one that is.
fn is_beside_validation(name: &str) -> bool {
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

/// Keywords of the validation vocabulary.
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

/// The draft that brought a keyword; draft 4 for what is older.
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

/// The last draft that has a keyword. (`dependencies`, which is older, is held to in every draft, as many schemas have it.)
fn until(name: &str) -> Draft {
    match name {
        "additionalItems" | "$recursiveRef" => Draft::Draft201909,
        _ => Draft::Draft202012,
    }
}

/// What stands under a key of a schema. Most have so few that comparing is faster than hashing.
pub(crate) fn entry<'a>(entries: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    const FEW: usize = 8;
    if entries.len() > FEW {
        return entries.get(key);
    }
    entries.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// Whether no document is held to a keyword. Keywords that the standard does not know are annotations.
pub(crate) fn is_annotation(name: &str) -> bool {
    !is_validation(name) && !is_beside_validation(name)
}

/// The greatest count that a grammar can say; more than that is no limit for any document that is ever written.
const MOST: u64 = 1_000_000_000;

impl<'a> Translator<'a> {
    /// The values that a schema's own assertions allow.
    pub fn assertions(&mut self, schema: Schema<'a>) -> Result<Values, Stop> {
        let mut values = self.types(schema)?;
        if let Some(list) = schema.get("enum") {
            let Value::Array(list) = list else {
                return Err(self.invalid(schema, "enum", "it is not a list of values"));
            };
            let listed = self.values_among(list)?;
            values = self.intersect(&values, &listed)?;
        }
        if let Some(constant) = schema.get("const").filter(|_| schema.draft >= Draft::Draft6) {
            let constant = self.values_among(std::slice::from_ref(constant))?;
            values = self.intersect(&values, &constant)?;
        }
        if values.number != LanguageId::NONE {
            let number = self.numbers(schema)?;
            values.number = self.both_numbers(values.number, number);
        }
        if values.string != LanguageId::NONE {
            let string = self.strings(schema)?;
            values.string = self.both_strings(values.string, string);
            if self.asserts_format() && schema.get("format").and_then(Value::as_str) == Some("regex") {
                let expressions = Values {
                    string: LanguageId::NONE,
                    expressions: Expressions::All,
                    ..Values::any(self.any_number)
                };
                values = self.intersect(&values, &expressions)?;
                if values.expressions != Expressions::None {
                    self.note(schema.id, "format", NOT_OF_EXPRESSIONS);
                }
            }
        }
        if !values.arrays.is_empty() {
            let arrays = self.arrays(schema)?;
            let arrays: Vec<Rc<Array>> = arrays.into_iter().map(Rc::new).collect();
            values.arrays = self.both_lists(&values.arrays, &arrays)?;
        }
        if !values.objects.is_empty() {
            let objects = [Rc::new(self.objects(schema)?)];
            values.objects = self.both_lists(&values.objects, &objects)?;
        }
        Ok(values)
    }

    /// Lists what a schema says and no document is held to.
    pub fn note_ignored(&mut self, id: SchemaId, entries: &Map<String, Value>) {
        let draft = self.documents.draft(id);
        let beside = draft <= Draft::Draft7 && entries.len() > 1 && entry(entries, "$ref").is_some();
        for (name, value) in entries {
            let why = match &name[..] {
                "$schema" if self.documents.is_of_unknown_draft(id) => {
                    "the draft is not known, and read as the configured one"
                }
                "$ref" => continue,
                "$schema" if !value.is_string() => "it is no text, so the draft is the configured one",
                _ if is_known_annotation(name) => continue,
                _ if beside => "up to draft 7, nothing counts beside a $ref",
                _ if is_annotation(name) => "an unknown keyword is an annotation",
                _ if since(name) > draft => "a keyword that came after the schema's draft is an annotation",
                _ if until(name) < draft => {
                    "a keyword that the schema's draft does not have any more is an annotation"
                }
                "format" => {
                    if let Value::String(format) = value
                        && !(self.asserts_format() && format::is_known(format))
                    {
                        self.note(id, name, scalars::annotation(format));
                    }
                    continue;
                }
                _ => match forms::deviation(name, value, draft) {
                    Some(why) => why,
                    None => continue,
                },
            };
            self.note(id, name, why);
        }
    }

    fn types(&mut self, schema: Schema<'a>) -> Result<Values, Stop> {
        let names = match schema.get("type") {
            None => return Ok(Values::any(self.any_number)),
            Some(name @ Value::String(_)) => std::slice::from_ref(name),
            Some(Value::Array(names)) => &names[..],
            Some(_) => return Err(self.invalid(schema, "type", "it is neither a name nor a list of names")),
        };
        let mut values = Values::NONE;
        for name in names {
            match name.as_str() {
                Some("null") => values.null = true,
                Some("boolean") => values.booleans = [true; 2],
                Some("number") => values.number = self.any_number,
                // In draft 4 an integer is a number without fraction and exponent.
                Some("integer") if values.number == LanguageId::NONE => {
                    values.number = match schema.draft {
                        Draft::Draft4 => number::digits(&mut self.languages),
                        _ => number::integer(&mut self.languages),
                    };
                }
                Some("integer") => {}
                Some("string") => values.string = LanguageId::ANY,
                Some("array") => values.arrays = vec![Rc::new(Array::any())],
                Some("object") => values.objects = vec![Rc::new(Object::any())],
                _ => return Err(self.invalid(schema, "type", &format!("{name} is no type"))),
            }
        }
        Ok(values)
    }

    /// A number of characters, items or properties.
    fn count(&self, schema: Schema<'a>, keyword: &str) -> Result<Option<u64>, Stop> {
        let Some(value) = schema.get(keyword) else { return Ok(None) };
        let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0).then_some(number as u64);
        match value.as_u64().or_else(|| value.as_f64().and_then(whole)) {
            Some(count) => Ok(Some(count)),
            None => Err(self.invalid(schema, keyword, "it is no whole number from 0 on")),
        }
    }
}

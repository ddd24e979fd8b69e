//! Token ids, names of tokens and schemas from Python objects.

use grammask::{Begin, TokenId};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::errors;
use crate::vocabulary::Vocabulary;

/// A token id: anything with `__index__` from 0 to 2^32 - 1, numpy integers included.
///
/// # Errors
/// If the object is not such a number.
pub fn token(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<TokenId> {
    match value.extract::<u32>() {
        Ok(id) => Ok(TokenId(id)),
        Err(_) if value.hasattr("__index__")? => {
            let text = value.str()?;
            Err(errors::wrong_value(argument, &format!("{text} is not a token id (0 to 4294967295)")))
        }
        Err(_) => Err(errors::wrong_type(argument, "a token id", value)),
    }
}

/// Token ids from an iterable.
///
/// # Errors
/// If the object is not iterable, or an item is not a token id.
pub fn tokens(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<TokenId>> {
    if let Ok(ids) = value.extract::<Vec<u32>>() {
        return Ok(ids.into_iter().map(TokenId).collect());
    }
    let items =
        value.try_iter().map_err(|_| errors::wrong_type(argument, "an iterable of token ids", value))?;
    items.map(|item| token(argument, &item?)).collect()
}

/// End tokens: `None` for those of the vocabulary, an id or a special token's name, or an iterable of these.
///
/// # Errors
/// If a name is not a special token of the vocabulary, or an object is neither.
pub fn ends(value: Option<&Bound<'_, PyAny>>, vocabulary: &Vocabulary) -> PyResult<Vec<TokenId>> {
    let Some(value) = value.filter(|value| !value.is_none()) else {
        return Ok(vocabulary.ends.clone());
    };
    if value.is_instance_of::<PyString>() || value.hasattr("__index__")? {
        return Ok(vec![end(value, vocabulary)?]);
    }
    let expected = "a token id, a special token's name, or an iterable of these";
    let items = value.try_iter().map_err(|_| errors::wrong_type("end", expected, value))?;
    items.map(|item| end(&item?, vocabulary)).collect()
}

fn end(value: &Bound<'_, PyAny>, vocabulary: &Vocabulary) -> PyResult<TokenId> {
    let Ok(name) = value.cast::<PyString>() else { return token("end", value) };
    let name = name.to_str()?;
    vocabulary
        .inner
        .special(name)
        .ok_or_else(|| errors::wrong_value("end", &format!("the vocabulary has no special token {name:?}")))
}

/// Where a grammar begins: `None`, a token id, the name of a special token, or a text.
///
/// # Errors
/// If the object is none of these, or the text is empty.
pub fn begin(value: Option<&Bound<'_, PyAny>>, vocabulary: &Vocabulary) -> PyResult<Option<Begin>> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(None) };
    let Ok(name) = value.cast::<PyString>() else {
        let id = token("begin", value)?;
        if !vocabulary.has(id) {
            return Err(errors::wrong_value("begin", &format!("the vocabulary has no token {}", id.0)));
        }
        return Ok(Some(Begin::Token(id)));
    };
    let name = name.to_str()?;
    if name.is_empty() {
        return Err(errors::wrong_value("begin", "the text is empty"));
    }
    let special = vocabulary.inner.special(name).map(Begin::Token);
    Ok(Some(special.unwrap_or_else(|| Begin::Text(name.to_owned()))))
}

/// A JSON Schema: JSON text, a `dict` or `bool`, a Pydantic model, or a Pydantic `TypeAdapter`.
///
/// # Errors
/// If the object is none of these, is not JSON, or nests more than 127 levels.
pub fn schema(value: &Bound<'_, PyAny>) -> PyResult<serde_json::Value> {
    let text: String = if value.is_instance_of::<PyString>() {
        value.extract()?
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        std::str::from_utf8(bytes.as_bytes())
            .map_err(|error| errors::wrong_value("schema", &error.to_string()))?
            .to_owned()
    } else {
        let object = match (value.hasattr("model_json_schema")?, value.hasattr("json_schema")?) {
            (true, _) => value.call_method0("model_json_schema")?,
            (false, true) => value.call_method0("json_schema")?,
            (false, false) => value.clone(),
        };
        let expected = "JSON text, a dict, a bool, a Pydantic model or a TypeAdapter";
        let options = PyDict::new(value.py());
        options.set_item("allow_nan", false)?;
        value
            .py()
            .import("json")?
            .call_method("dumps", (object,), Some(&options))
            .map_err(|error| {
                let wrong = errors::wrong_type("schema", expected, value);
                wrong.set_cause(value.py(), Some(error));
                wrong
            })?
            .extract()?
    };
    serde_json::from_str(&text).map_err(|error| {
        let message = if error.to_string().contains("recursion limit") {
            "the JSON nests more than 127 levels".to_owned()
        } else {
            format!("not JSON: {error}")
        };
        errors::wrong_value("schema", &message)
    })
}

//! JSON values of schemas. Objects keep the order of their keys, and numbers all of their digits, whatever
//! features `serde_json` has in the user's program.

pub(crate) mod locate;
mod number;
pub(crate) mod read;

use grammask_work::charge;
use std::fmt;

pub(crate) use number::Number;

/// Up to this many entries, a linear search is faster than a binary one over an index.
const LINEAR_SEARCH_MAX_ENTRIES: usize = 8;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Value>),
    Object(Map),
}

/// The entries of an object, in the order of the text, with distinct keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Map {
    entries: Vec<(String, Value)>,
    /// Indices into `entries`, sorted by key. Empty for objects of few entries.
    sorted: Box<[u32]>,
}

/// A whole JSON text. Unlike a [`Value`], it is dropped without recursion.
#[derive(Debug)]
pub(crate) struct Tree {
    value: Value,
    /// True if some key is `unevaluatedProperties` or `unevaluatedItems`.
    pub mentions_unevaluated: bool,
}

/// Returns true for the keywords that depend on what other keywords evaluate.
fn is_unevaluated(key: &str) -> bool {
    matches!(key, "unevaluatedItems" | "unevaluatedProperties")
}

impl Tree {
    fn new(value: Value, mentions_unevaluated: bool) -> Self {
        Self { value, mentions_unevaluated }
    }

    /// Converts a value of `serde_json`.
    ///
    /// # Errors
    /// The JSON pointer to the first value that is more than `max_nesting` levels deep.
    pub(crate) fn from_serde(value: &serde_json::Value, max_nesting: u32) -> Result<Self, String> {
        enum Open<'s> {
            Array(std::slice::Iter<'s, serde_json::Value>, Vec<Value>),
            Object(serde_json::map::Iter<'s>, Vec<(String, Value)>),
        }
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut next = Some(value);
        let mut mentions_unevaluated = false;
        loop {
            // The caller asks whether the account is stopped, and drops the tree then.
            if charge(1).is_err() {
                return Ok(Self::new(Value::Null, false));
            }
            let mut done = match next.take() {
                None => None,
                Some(serde_json::Value::Array(items)) => {
                    open.push(Open::Array(items.iter(), Vec::with_capacity(items.len())));
                    None
                }
                Some(serde_json::Value::Object(entries)) => {
                    open.push(Open::Object(entries.iter(), Vec::with_capacity(entries.len())));
                    None
                }
                Some(serde_json::Value::Null) => Some(Value::Null),
                Some(serde_json::Value::Bool(truth)) => Some(Value::Bool(*truth)),
                Some(serde_json::Value::Number(number)) => {
                    Some(Value::Number(Number::new(number.to_string())))
                }
                Some(serde_json::Value::String(text)) => Some(Value::String(text.clone())),
            };
            if open.len() > max_nesting as usize {
                let mut pointer = String::new();
                for open in &open[..open.len() - 1] {
                    match open {
                        Open::Array(_, items) => push_step(&mut pointer, &items.len().to_string()),
                        Open::Object(_, entries) => {
                            push_step(&mut pointer, entries.last().map_or("", |(key, _)| key));
                        }
                    }
                }
                return Err(pointer);
            }
            // Completed values go into the innermost open one, which may be complete then.
            loop {
                match (open.last_mut(), done.take()) {
                    (None, Some(value)) => return Ok(Self::new(value, mentions_unevaluated)),
                    (None, None) => return Ok(Self::new(Value::Null, false)),
                    (Some(Open::Array(_, items)), Some(value)) => items.push(value),
                    (Some(Open::Object(_, entries)), Some(value)) => {
                        if let Some((_, place)) = entries.last_mut() {
                            *place = value;
                        }
                    }
                    (Some(_), None) => {}
                }
                next = match open.last_mut() {
                    Some(Open::Array(rest, _)) => rest.next(),
                    Some(Open::Object(rest, entries)) => rest.next().map(|(key, value)| {
                        mentions_unevaluated |= is_unevaluated(key);
                        entries.push((key.clone(), Value::Null));
                        value
                    }),
                    None => None,
                };
                if next.is_some() {
                    break;
                }
                done = match open.pop() {
                    Some(Open::Array(_, items)) => Some(Value::Array(items)),
                    Some(Open::Object(_, entries)) => Some(Value::Object(Map::new(entries))),
                    None => None,
                };
            }
        }
    }

    pub(crate) fn value(&self) -> &Value {
        &self.value
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let mut rest = vec![std::mem::replace(&mut self.value, Value::Null)];
        // Scalars are dropped where they are.
        let has_parts = |value: &Value| matches!(value, Value::Array(_) | Value::Object(_));
        while let Some(value) = rest.pop() {
            match value {
                Value::Array(items) => rest.extend(items.into_iter().filter(has_parts)),
                Value::Object(map) => {
                    rest.extend(map.entries.into_iter().map(|(_, value)| value).filter(has_parts));
                }
                _ => {}
            }
        }
    }
}

impl Value {
    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_object(&self) -> Option<&Map> {
        match self {
            Self::Object(map) => Some(map),
            _ => None,
        }
    }

    pub(crate) fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Number(number) => number.as_u64(),
            _ => None,
        }
    }

    pub(crate) fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    pub(crate) fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    pub(crate) fn is_string(&self) -> bool {
        matches!(self, Self::String(_))
    }

    pub(crate) fn is_boolean(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// Returns the value of a key. Returns `None` if there is none, or this is not an object.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }
}

impl Map {
    /// Returns an object with these entries. The keys must be distinct.
    pub(crate) fn new(entries: Vec<(String, Value)>) -> Self {
        let mut sorted: Box<[u32]> = Box::default();
        if entries.len() > LINEAR_SEARCH_MAX_ENTRIES {
            sorted = (0..).take(entries.len()).collect();
            sorted.sort_unstable_by(|&a, &b| entries[a as usize].0.cmp(&entries[b as usize].0));
        }
        Self { entries, sorted }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        if self.sorted.is_empty() {
            return self.entries.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        }
        let key_of = |&index: &u32| self.entries[index as usize].0.as_str().cmp(key);
        let found = self.sorted.binary_search_by(key_of).ok()?;
        Some(&self.entries[self.sorted[found] as usize].1)
    }

    pub(crate) fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn iter(&self) -> Entries<'_> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &String> {
        self.entries.iter().map(|(key, _)| key)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Value> {
        self.entries.iter().map(|(_, value)| value)
    }
}

/// The entries of an object in order.
pub(crate) type Entries<'a> =
    std::iter::Map<std::slice::Iter<'a, (String, Value)>, fn(&'a (String, Value)) -> (&'a String, &'a Value)>;

impl<'a> IntoIterator for &'a Map {
    type Item = (&'a String, &'a Value);
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.iter()
    }
}

/// Writes the value as JSON. For messages about scalars: nested values are abbreviated.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(truth) => write!(f, "{truth}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::String(text) => write!(f, "{}", serde_json::Value::from(text.as_str())),
            Self::Array(_) => f.write_str("[…]"),
            Self::Object(_) => f.write_str("{…}"),
        }
    }
}

/// Appends a step to a JSON pointer.
pub(crate) fn push_step(pointer: &mut String, step: &str) {
    pointer.push('/');
    if !step.contains(['~', '/']) {
        return pointer.push_str(step);
    }
    for character in step.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

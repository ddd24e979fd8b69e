//! Sets of JSON values: unions of shapes, one level deep.
//!
//! `{"type": ["null", "array"], "items": A}` is "null, or arrays whose items satisfy A". Values inside of
//! arrays and objects stay constraints, which are evaluated only where they are needed.

pub(crate) mod algebra;
pub(crate) mod evaluate;

use std::collections::BTreeSet;
use std::rc::Rc;

use grammask_syntax::Text;
use rustc_hash::FxHashMap;

use crate::constraint::ConstraintId;
use crate::document::SchemaId;
use crate::language::LanguageId;

/// A set of JSON values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Values {
    pub null: bool,
    /// Whether `false` and `true` are in the set, in this order.
    pub booleans: [bool; 2],
    /// Spellings of numbers.
    pub number: LanguageId,
    /// Contents of strings.
    pub string: LanguageId,
    /// Strings that are regular expressions of ECMA-262, in addition to `string`.
    pub regexes: RegexStrings,
    /// The arrays with one of these shapes.
    pub arrays: Vec<Rc<Array>>,
    /// The objects with one of these shapes.
    pub objects: Vec<Rc<Object>>,
}

impl Values {
    pub(crate) const NONE: Self = Self {
        null: false,
        booleans: [false; 2],
        number: LanguageId::NONE,
        string: LanguageId::NONE,
        regexes: RegexStrings::None,
        arrays: Vec::new(),
        objects: Vec::new(),
    };

    /// Returns every value. `number` is the language of all numbers.
    pub(crate) fn any(number: LanguageId) -> Self {
        Self {
            null: true,
            booleans: [true; 2],
            number,
            string: LanguageId::ANY,
            regexes: RegexStrings::None,
            arrays: vec![Rc::new(Array::any())],
            objects: vec![Rc::new(Object::any())],
        }
    }

    /// Returns true if the set is empty by its form. A set of another form may be empty as well.
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::NONE
    }
}

/// Regular expressions of ECMA-262, as strings of `format: "regex"`.
///
/// They are not a regular language, since groups nest, so only these three sets are represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum RegexStrings {
    None,
    /// Those with at least one character.
    NotEmpty,
    All,
}

/// A shape of arrays: a constraint for each item, and conditions on the array as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Array {
    /// Constraints of the first items.
    pub prefix: Vec<ConstraintId>,
    /// Constraint of all further items.
    pub rest: ConstraintId,
    pub min: u64,
    pub max: Option<u64>,
    pub contains: Vec<Contains>,
    /// If no two items may be equal: the schema with `uniqueItems`.
    pub unique: Option<SchemaId>,
    /// If two items must be equal: the schema whose `uniqueItems` is negated.
    pub repeated: Option<SchemaId>,
    /// Items that `unevaluatedItems` skips. `None` if no schema has that keyword.
    pub evaluated: Option<EvaluatedItems>,
}

/// The number of items that satisfy a constraint, from an index on: `min..=max`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Contains {
    pub constraint: ConstraintId,
    pub from: usize,
    pub min: u64,
    pub max: Option<u64>,
    /// The schema with `contains`.
    pub schema: SchemaId,
}

/// Items that some keyword has evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct EvaluatedItems {
    /// Number of evaluated first items. `None` if all items are evaluated.
    pub first: Option<usize>,
    /// Items that satisfy one of these constraints are evaluated, too.
    pub matching: Vec<ConstraintId>,
}

impl EvaluatedItems {
    /// Returns the empty set of items.
    pub(crate) const fn none() -> Self {
        Self { first: Some(0), matching: Vec::new() }
    }
}

impl Array {
    pub(crate) const fn any() -> Self {
        Self {
            prefix: Vec::new(),
            rest: ConstraintId::ANY,
            min: 0,
            max: None,
            contains: Vec::new(),
            unique: None,
            repeated: None,
            evaluated: None,
        }
    }

    /// Returns true if every array has this shape.
    pub(crate) fn is_any(&self) -> bool {
        Self { evaluated: None, ..self.clone() } == Self::any()
    }

    /// Returns the constraint of the item at an index.
    pub(crate) fn item(&self, index: usize) -> ConstraintId {
        self.prefix.get(index).copied().unwrap_or(self.rest)
    }

    /// Propagates unsatisfiable constraints to the bounds. Returns `false` if no array has the shape.
    pub(crate) fn normalize(&mut self) -> bool {
        if let Some(first) = self.prefix.iter().position(|&constraint| constraint == ConstraintId::NEVER) {
            self.prefix.truncate(first);
            self.rest = ConstraintId::NEVER;
        }
        if self.rest == ConstraintId::NEVER {
            let len = self.prefix.len() as u64;
            self.max = Some(self.max.map_or(len, |max| max.min(len)));
        }
        if let Some(max) = self.max.and_then(|max| usize::try_from(max).ok())
            && max <= self.prefix.len()
        {
            self.prefix.truncate(max);
            self.rest = ConstraintId::NEVER;
        }
        while self.prefix.last() == Some(&self.rest) {
            self.prefix.pop();
        }
        for contains in &self.contains {
            self.min = self.min.max(contains.min.saturating_add(if contains.min > 0 {
                contains.from as u64
            } else {
                0
            }));
        }
        self.contains.retain(|contains| contains.min > 0 || contains.max.is_some());
        if self.max.is_some_and(|max| max <= 1) {
            self.unique = None;
            if self.repeated.is_some() {
                return false;
            }
        }
        self.max.is_none_or(|max| self.min <= max)
            && self.contains.iter().all(|contains| contains.max.is_none_or(|max| contains.min <= max))
            && !self
                .contains
                .iter()
                .any(|contains| contains.min > 0 && contains.constraint == ConstraintId::NEVER)
    }
}

/// A set of keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Keys {
    /// The keys of a language.
    In(LanguageId),
    /// All keys but these.
    NotIn(Rc<KeySet>),
}

/// A set of keys: single names, and languages.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct KeySet {
    pub names: BTreeSet<Text>,
    pub languages: Vec<LanguageId>,
}

/// A named key and the constraint on its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Property {
    pub key: Text,
    pub constraint: ConstraintId,
    pub required: bool,
}

/// A shape of objects: constraints by key, and conditions on the object as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Object {
    /// Named keys, in the order of the schema.
    pub properties: Vec<Property>,
    /// For each set of keys: the value of every key in it satisfies the constraint. Includes named keys.
    pub rules: Vec<(Keys, ConstraintId)>,
    /// For each set of keys: some key in it is present, and its value satisfies the constraint. The schema is
    /// the one that requires it.
    pub exists: Vec<(Keys, ConstraintId, SchemaId)>,
    /// Pairs of keys: if the first is present, so is the second.
    pub requires: Vec<(Text, Text)>,
    pub min: u64,
    pub max: Option<u64>,
    /// The schema with `minProperties` or `maxProperties`.
    pub count_schema: Option<SchemaId>,
    /// Keys that `unevaluatedProperties` skips. `None` if no schema uses them.
    pub evaluated: Option<Vec<Keys>>,
    /// True if [`AdditionalProperties::Closed`](crate::AdditionalProperties::Closed) forbids all keys but the
    /// evaluated ones. It applies only when the shape is written, so complements do not have it.
    pub is_closed_by_default: bool,
}

impl Object {
    pub(crate) const fn any() -> Self {
        Self {
            properties: Vec::new(),
            rules: Vec::new(),
            exists: Vec::new(),
            requires: Vec::new(),
            min: 0,
            max: None,
            count_schema: None,
            evaluated: None,
            is_closed_by_default: false,
        }
    }

    /// Returns true if every object has this shape.
    pub(crate) fn is_any(&self) -> bool {
        self.properties.is_empty()
            && self.rules.is_empty()
            && self.exists.is_empty()
            && self.requires.is_empty()
            && self.min == 0
            && self.max.is_none()
    }

    /// Returns the index of each named key in `properties`. Faster than a linear search only for many
    /// look-ups.
    pub(crate) fn property_indices(&self) -> FxHashMap<Text, usize> {
        self.properties.iter().enumerate().map(|(index, property)| (property.key.clone(), index)).collect()
    }
}

/// Returns the smaller of two maxima, where `None` is infinite.
pub(crate) fn smaller_max(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

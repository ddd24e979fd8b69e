//! Sets of JSON values as unions of shapes: what a goal comes to when its claims are multiplied out, one level deep. What is inside of
//! arrays and objects stays a goal.

mod algebra;

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::conjunction::GoalId;
use crate::document::SchemaId;
use crate::language::LanguageId;
use grammask_syntax::Text;

/// A set of JSON values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Values {
    pub null: bool,
    /// `false` and `true`.
    pub booleans: [bool; 2],
    /// The spellings of numbers.
    pub number: LanguageId,
    /// The contents of strings.
    pub string: LanguageId,
    /// Regular expressions of ECMA-262 beside these strings.
    pub expressions: Expressions,
    /// Arrays of one of these shapes.
    pub arrays: Vec<Rc<Array>>,
    /// Objects of one of these shapes.
    pub objects: Vec<Rc<Object>>,
}

impl Values {
    pub const NONE: Self = Self {
        null: false,
        booleans: [false; 2],
        number: LanguageId::NONE,
        string: LanguageId::NONE,
        expressions: Expressions::None,
        arrays: Vec::new(),
        objects: Vec::new(),
    };

    /// Every value; `number` are all numbers.
    pub fn any(number: LanguageId) -> Self {
        Self {
            null: true,
            booleans: [true; 2],
            number,
            string: LanguageId::ANY,
            expressions: Expressions::None,
            arrays: vec![Rc::new(Array::any())],
            objects: vec![Rc::new(Object::any())],
        }
    }

    /// Whether nothing is left that could be a value, as far as can be seen at once.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }
}

/// Which of the regular expressions of ECMA-262: they are no regular set, and cannot be chosen from at will.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Expressions {
    None,
    /// Those with a character at least.
    NotEmpty,
    All,
}

/// The arrays whose items reach goals by their places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Array {
    /// Goals of the first items.
    pub prefix: Vec<GoalId>,
    /// The goal of the further items.
    pub rest: GoalId,
    pub min: u64,
    pub max: Option<u64>,
    pub contains: Vec<Contains>,
    /// No two items are equal; and who says so.
    pub unique: Option<SchemaId>,
    /// Two items are equal; and who says so.
    pub repeated: Option<SchemaId>,
    /// What `unevaluatedItems` need not look at; `None` where nobody asks.
    pub evaluated: Option<EvaluatedItems>,
}

/// So many of the items from a place on reach a goal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Contains {
    pub goal: GoalId,
    pub from: usize,
    pub min: u64,
    pub max: Option<u64>,
    /// Who says so.
    pub place: SchemaId,
}

/// Items that some keyword has looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct EvaluatedItems {
    /// The first so many; `None` for all.
    pub first: Option<usize>,
    /// Those that reach one of these goals.
    pub matching: Vec<GoalId>,
}

impl EvaluatedItems {
    /// None of the items.
    pub const fn none() -> Self {
        Self { first: Some(0), matching: Vec::new() }
    }
}

impl Array {
    pub const fn any() -> Self {
        Self {
            prefix: Vec::new(),
            rest: GoalId::ANY,
            min: 0,
            max: None,
            contains: Vec::new(),
            unique: None,
            repeated: None,
            evaluated: None,
        }
    }

    /// Whether every array is of this shape.
    pub fn is_any(&self) -> bool {
        Self { evaluated: None, ..self.clone() } == Self::any()
    }

    /// The goal of the item at a place.
    pub fn item(&self, place: usize) -> GoalId {
        self.prefix.get(place).copied().unwrap_or(self.rest)
    }

    /// Draws the conclusions from goals that are never reached. `false` when there is no such array.
    pub fn settle(&mut self) -> bool {
        if let Some(first) = self.prefix.iter().position(|&goal| goal == GoalId::NEVER) {
            self.prefix.truncate(first);
            self.rest = GoalId::NEVER;
        }
        if self.rest == GoalId::NEVER {
            let len = self.prefix.len() as u64;
            self.max = Some(self.max.map_or(len, |max| max.min(len)));
        }
        if let Some(max) = self.max
            && max <= self.prefix.len() as u64
        {
            self.prefix.truncate(max as usize);
            self.rest = GoalId::NEVER;
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
            && !self.contains.iter().any(|contains| contains.min > 0 && contains.goal == GoalId::NEVER)
    }
}

/// A set of keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Keys {
    /// Those of a language.
    In(LanguageId),
    /// All but these.
    Others(Rc<Known>),
}

/// Keys that somebody knows.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Known {
    pub names: BTreeSet<Text>,
    pub languages: Vec<LanguageId>,
}

/// A key and what is said of its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Property {
    pub key: Text,
    pub goal: GoalId,
    pub required: bool,
}

/// The objects whose properties obey rules.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Object {
    /// The keys that are named, in the order in which they are.
    pub properties: Vec<Property>,
    /// The value of every key of a set reaches a goal, those of named keys as well.
    pub rules: Vec<(Keys, GoalId)>,
    /// Some key of a set is there, with a value that reaches a goal; and who says so.
    pub some: Vec<(Keys, GoalId, SchemaId)>,
    /// If the first key is there, so is the second.
    pub needs: Vec<(Text, Text)>,
    pub min: u64,
    pub max: Option<u64>,
    /// Who says how many properties there are.
    pub counted: Option<SchemaId>,
    /// Keys that `unevaluatedProperties` need not look at; `None` where nobody asks.
    pub evaluated: Option<Vec<Keys>>,
    /// Whether a document may have no other keys than these, by choice. That is no part of what the object is, so nothing that is derived from
    /// it by `not` and the like has it.
    pub closes: bool,
}

impl Object {
    pub const fn any() -> Self {
        Self {
            properties: Vec::new(),
            rules: Vec::new(),
            some: Vec::new(),
            needs: Vec::new(),
            min: 0,
            max: None,
            counted: None,
            evaluated: None,
            closes: false,
        }
    }

    /// Whether every object is of this shape.
    pub fn is_any(&self) -> bool {
        self.properties.is_empty()
            && self.rules.is_empty()
            && self.some.is_empty()
            && self.needs.is_empty()
            && self.min == 0
            && self.max.is_none()
    }

    /// The places of the named keys; only worth it for many of them.
    pub fn places(&self) -> FxHashMap<Text, usize> {
        self.properties.iter().enumerate().map(|(place, property)| (property.key.clone(), place)).collect()
    }
}

/// The smaller of two greatest numbers.
pub(crate) fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

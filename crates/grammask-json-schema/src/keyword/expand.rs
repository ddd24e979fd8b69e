//! From a schema to the values that obey it, one level deep: the keywords that assert something here, and those that apply other schemas
//! to the same value.

use std::rc::Rc;

use grammask_syntax::Text;
use serde_json::{Map, Value};

use crate::conjunction::{Claim, GoalId, ScopeId, Subject};
use crate::context::{Stop, Translator};
use crate::document::SchemaId;
use crate::error::Reason;
use crate::language::LanguageId;
use crate::language::number::{self, Decimal};
use crate::value::{Array, Keys, Known, Object, Property, Values};
use crate::{Draft, keyword};

/// A schema, and what has to be known to look at its keywords.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'a> {
    pub id: SchemaId,
    pub scope: ScopeId,
    pub draft: Draft,
    pub entries: &'a Map<String, Value>,
    /// Whether the validation vocabulary is in use.
    pub validates: bool,
}

impl<'a> Schema<'a> {
    pub fn get(&self, keyword: &str) -> Option<&'a Value> {
        if !self.validates && keyword::is_validation(keyword) {
            return None;
        }
        keyword::entry(self.entries, keyword)
    }

    /// Whether the keyword is there, whatever it means.
    pub fn has(&self, keyword: &str) -> bool {
        keyword::entry(self.entries, keyword).is_some()
    }
}

/// More branches than this are not looked at in all combinations.
const MOST_COMBINATIONS: usize = 8;

/// Of so many branches, some may say the same.
const MANY_BRANCHES: usize = 1_000;

/// The texts of so many values of a list are kept together.
const TOGETHER: usize = 1_024;

/// Up to so many dependent schemas, objects with the key and without it are told apart.
const FEW_DEPENDENT: usize = 4;

impl<'a> Translator<'a> {
    /// The values that obey a schema.
    pub fn values_of_schema(&mut self, id: SchemaId, scope: ScopeId) -> Result<Values, Stop> {
        let entries = match self.documents.value(id) {
            Value::Bool(true) => return Ok(Values::any(self.any_number)),
            Value::Bool(false) => return Ok(Values::NONE),
            Value::Object(entries) => entries,
            _ => {
                return Err(
                    self.error_here(Reason::Invalid("a schema is an object, true or false".to_owned()))
                );
            }
        };
        let draft = self.documents.draft(id);
        let scope = self.enter(scope, self.documents.resource(id));
        let validates = self.documents.validates(id);
        let schema = Schema { id, scope, draft, entries, validates };
        self.note_ignored(id, entries);
        if draft <= Draft::Draft7 && schema.has("$ref") {
            return self.reference(schema, Values::any(self.any_number));
        }
        let values = self.assertions(schema)?;
        let values = self.in_place(schema, values)?;
        self.unevaluated(schema, values)
    }

    /// The goal of a schema below this one.
    pub fn child(&mut self, schema: Schema<'a>, steps: &[&str]) -> Result<GoalId, Stop> {
        let id = self.documents.child(schema.id, steps)?;
        self.goal(id, schema.scope)
    }

    /// The goal of obeying a schema. Schemas that only refer to others are skipped, so that those who refer to the same have the same goal.
    pub fn goal(&mut self, mut id: SchemaId, mut scope: ScopeId) -> Result<GoalId, Stop> {
        for _ in 0..self.config.depth {
            match self.documents.value(id) {
                Value::Bool(true) => return Ok(GoalId::ANY),
                Value::Bool(false) => return Ok(GoalId::NEVER),
                Value::Object(entries) => {
                    let is_bare = |name: &String| keyword::is_annotation(name);
                    if entries.keys().all(is_bare) {
                        self.note_ignored(id, entries);
                        return Ok(GoalId::ANY);
                    }
                    let reference = match keyword::entry(entries, "$ref") {
                        Some(Value::String(reference))
                            if self.documents.draft(id) <= Draft::Draft7
                                || entries.keys().all(|name| name == "$ref" || is_bare(name)) =>
                        {
                            reference
                        }
                        _ => break,
                    };
                    self.note_ignored(id, entries);
                    scope = self.enter(scope, self.documents.resource(id));
                    match self.documents.resolve(id, reference) {
                        Ok(target) => id = target,
                        // Said again, with what can be done about it, when the values are looked for.
                        Err(_) => break,
                    }
                }
                _ => break,
            }
        }
        let first = self.first_alike(id);
        // The first one is looked at when its values are looked for.
        if let Value::Object(entries) = self.documents.value(id)
            && first != id
        {
            self.note_ignored(id, entries);
        }
        let id = first;
        Ok(self.goals.single(Claim { subject: Subject::Schema(id, scope), holds: true }))
    }

    /// The values that equal a constant.
    pub fn values_of_constant(&mut self, value: &'a Value) -> Result<Values, Stop> {
        let mut values = Values::NONE;
        match value {
            Value::Null => values.null = true,
            Value::Bool(truth) => values.booleans[usize::from(*truth)] = true,
            Value::Number(number) => {
                values.number = self.equal_number(number)?;
            }
            Value::String(text) => values.string = self.languages.text(text),
            Value::Array(items) => {
                let prefix: Vec<GoalId> = items.iter().map(|item| self.equals(item)).collect();
                let len = prefix.len() as u64;
                let array = Array { prefix, rest: GoalId::NEVER, min: len, max: Some(len), ..Array::any() };
                values.arrays.push(Rc::new(array));
            }
            Value::Object(entries) => {
                let properties: Vec<Property> = entries
                    .iter()
                    .map(|(key, value)| Property {
                        key: key.as_str().into(),
                        goal: self.equals(value),
                        required: true,
                    })
                    .collect();
                // Closed by a rule, not by a count: what is not the constant can then be said, and so can an order.
                let names = properties.iter().map(|property| property.key.clone()).collect();
                let known = Known { names, ..Known::default() };
                let rules = vec![(Keys::Others(Rc::new(known)), GoalId::NEVER)];
                let object = Object { properties, rules, ..Object::any() };
                values.objects.push(Rc::new(object));
            }
        }
        Ok(values)
    }

    fn equals(&mut self, value: &'a Value) -> GoalId {
        let subject = Subject::Constant(self.constant(value));
        self.goals.single(Claim { subject, holds: true })
    }

    fn equal_number(&mut self, number: &serde_json::Number) -> Result<LanguageId, Stop> {
        let decimal = self.decimal(number)?;
        let language = number::equal(&mut self.languages, &decimal);
        self.single_numbers.insert(language);
        Ok(language)
    }

    /// A number of a schema, exactly.
    pub fn decimal(&self, number: &serde_json::Number) -> Result<Decimal, Stop> {
        let text = number.to_string();
        Decimal::parse(&text).map_err(|reason| self.error_here(reason))
    }

    /// What `enum` or `const` lists.
    pub fn values_among(&mut self, list: &'a [Value]) -> Result<Values, Stop> {
        let mut texts: Vec<LanguageId> = Vec::new();
        let mut numbers: Vec<LanguageId> = Vec::new();
        let mut others: Vec<Values> = Vec::new();
        // Nobody waits until all of them have been moved to where there is room.
        self.languages.reserve(list.len());
        let mut shared = Vec::new().into_iter();
        for (place, value) in list.iter().enumerate() {
            self.spend(1)?;
            if place.is_multiple_of(TOGETHER) {
                let some = &list[place..list.len().min(place + TOGETHER)];
                shared = Text::all(some.iter().filter_map(Value::as_str)).into_iter();
            }
            match value {
                Value::String(_) => texts.extend(shared.next().map(|text| self.languages.shared_text(&text))),
                Value::Number(number) => numbers.push(self.equal_number(number)?),
                _ => others.push(self.values_of_constant(value)?),
            }
        }
        self.look()?;
        let mut all = self.union(&others)?;
        all.string = self.languages.union(texts);
        self.look()?;
        all.number = self.languages.union(numbers);
        Ok(all)
    }

    /// The keywords that apply schemas to the same value.
    fn in_place(&mut self, schema: Schema<'a>, mut values: Values) -> Result<Values, Stop> {
        if schema.has("$ref") {
            values = self.reference(schema, values)?;
        }
        for keyword in ["$dynamicRef", "$recursiveRef"] {
            let is_known = (keyword == "$recursiveRef") == (schema.draft == Draft::Draft201909);
            if let (Some(reference), true) =
                (schema.get(keyword), is_known && schema.draft >= Draft::Draft201909)
            {
                let Value::String(reference) = reference else {
                    return Err(self.invalid(schema, keyword, "it is not a string"));
                };
                let scope = self.scope(schema.scope);
                let target = self.documents.resolve_dynamic(schema.id, reference, &scope)?;
                values = self.applied(schema, &values, target)?;
            }
        }
        for branch in self.branches(schema, "allOf")? {
            if values.is_none() {
                return Ok(values);
            }
            values = self.applied(schema, &values, branch)?;
        }
        if schema.has("if") && schema.draft >= Draft::Draft7 {
            values = self.condition(schema, values)?;
        }
        values = self.dependent_schemas(schema, values)?;
        let any_of = self.branches(schema, "anyOf")?;
        if !any_of.is_empty() && !values.is_none() {
            values = self.any_of(schema, &values, &any_of)?;
        }
        let one_of = self.branches(schema, "oneOf")?;
        if !one_of.is_empty() && !values.is_none() {
            values = self.one_of(schema, &values, &one_of)?;
        }
        if schema.has("not") && !values.is_none() {
            let excluded = self.documents.child(schema.id, &["not"])?;
            let subject = Subject::Schema(excluded, schema.scope);
            let excluded = self.values_to_exclude(subject)?;
            values = self.subtract(&values, &excluded)?;
        }
        Ok(values)
    }

    pub fn invalid(&self, schema: Schema<'_>, keyword: &str, what: &str) -> Stop {
        self.error(schema.id, keyword, Reason::Invalid(what.to_owned()))
    }

    /// The schemas in a list.
    fn branches(&mut self, schema: Schema<'a>, keyword: &str) -> Result<Vec<SchemaId>, Stop> {
        match schema.get(keyword) {
            None => Ok(Vec::new()),
            Some(Value::Array(list)) if !list.is_empty() => {
                let mut ids = Vec::with_capacity(list.len());
                for place in 0..list.len() {
                    // No work by itself, but there may be very many.
                    self.spend(0)?;
                    ids.push(self.documents.child(schema.id, &[keyword, &place.to_string()])?);
                }
                if ids.len() > MANY_BRANCHES {
                    self.make_alike(&mut ids)?;
                }
                Ok(ids)
            }
            Some(_) => Err(self.invalid(schema, keyword, "it is no list of schemas")),
        }
    }

    /// Of schemas that say the same in the same words, the first stands for all, so that its values are found out once.
    fn make_alike(&mut self, ids: &mut [SchemaId]) -> Result<(), Stop> {
        for id in ids {
            self.look()?;
            let first = self.first_alike(*id);
            if let Value::Object(entries) = self.documents.value(*id)
                && first != *id
            {
                self.note_ignored(*id, entries);
            }
            *id = first;
        }
        Ok(())
    }

    fn reference(&mut self, schema: Schema<'a>, values: Values) -> Result<Values, Stop> {
        let Some(Value::String(reference)) = schema.get("$ref") else {
            return Err(self.invalid(schema, "$ref", "it is not a string"));
        };
        match self.documents.resolve(schema.id, reference) {
            Ok(target) => self.applied(schema, &values, target),
            Err(error) => {
                if self.config.unsupported == crate::Unsupported::Refuse {
                    return Err(error.into());
                }
                let reason = match error.reason {
                    Reason::Unsupported(what) => what,
                    other => other.to_string(),
                };
                self.refuse(schema.id, "$ref", reason)?;
                Ok(values)
            }
        }
    }

    /// The values that obey another schema, too.
    fn applied(&mut self, schema: Schema<'a>, values: &Values, other: SchemaId) -> Result<Values, Stop> {
        let more = self.values_of(Subject::Schema(other, schema.scope))?;
        self.intersect(values, &more)
    }

    fn condition(&mut self, schema: Schema<'a>, values: Values) -> Result<Values, Stop> {
        let condition = self.documents.child(schema.id, &["if"])?;
        let subject = Subject::Schema(condition, schema.scope);
        let holds = self.values_of(subject)?;
        let holds = self.opened(holds);
        let mut yes = self.intersect(&values, &holds)?;
        if schema.has("then") {
            let then = self.documents.child(schema.id, &["then"])?;
            yes = self.applied(schema, &yes, then)?;
        } else if !schema.has("else") && !self.documents.asks_evaluated() {
            return Ok(values);
        }
        let holds = self.values_to_exclude(subject)?;
        let mut no = self.subtract(&values, &holds)?;
        if schema.has("else") {
            let otherwise = self.documents.child(schema.id, &["else"])?;
            no = self.applied(schema, &no, otherwise)?;
        }
        self.union(&[yes, no])
    }

    fn any_of(&mut self, schema: Schema<'a>, values: &Values, branches: &[SchemaId]) -> Result<Values, Stop> {
        if !self.documents.asks_evaluated() {
            let mut each = Vec::with_capacity(branches.len());
            for &branch in branches {
                each.push(self.applied(schema, values, branch)?);
            }
            return self.union(&each);
        }
        // What is evaluated depends on which branches hold: one alternative for every selection of them.
        if branches.len() > MOST_COMBINATIONS {
            let limit = Reason::Unsupported(format!(
                "unevaluated properties or items beside more than {MOST_COMBINATIONS} branches"
            ));
            return Err(self.error(schema.id, "anyOf", limit));
        }
        let mut selections = Vec::new();
        for selection in 1..1u32 << branches.len() {
            let mut one = values.clone();
            for (place, &branch) in branches.iter().enumerate() {
                if selection >> place & 1 == 1 && !one.is_none() {
                    one = self.applied(schema, &one, branch)?;
                }
            }
            selections.push(one);
        }
        self.union(&selections)
    }

    fn one_of(&mut self, schema: Schema<'a>, values: &Values, branches: &[SchemaId]) -> Result<Values, Stop> {
        let mut each: Vec<Values> = Vec::with_capacity(branches.len());
        for &branch in branches {
            each.push(self.applied(schema, values, branch)?);
        }
        let mut exactly_one = Vec::with_capacity(each.len());
        let rivals = self.rivals(&each)?;
        for (place, own) in each.iter().enumerate() {
            self.look()?;
            let mut only = own.clone();
            for other in rivals.of(place) {
                if only.is_none() {
                    break;
                }
                self.spend(1)?;
                let subject = Subject::Schema(branches[other], schema.scope);
                if each[other].is_none() && !self.is_rough(subject) {
                    continue;
                }
                // A branch that is larger than it should be must not take anything away, one that is smaller must take all that it may.
                let excluded = self.values_to_exclude(subject)?;
                let excluded = if self.is_rough(subject) { &excluded } else { &each[other] };
                only = self.subtract(&only, excluded)?;
            }
            exactly_one.push(only);
        }
        self.union(&exactly_one)
    }

    /// `dependentSchemas`, and the schemas in `dependencies`.
    fn dependent_schemas(&mut self, schema: Schema<'a>, mut values: Values) -> Result<Values, Stop> {
        for keyword in ["dependentSchemas", "dependencies"] {
            if keyword == "dependentSchemas" && schema.draft < Draft::Draft201909 {
                continue;
            }
            let Some(Value::Object(entries)) = schema.get(keyword) else { continue };
            // Many of them overlap, so that what says the same without the key is not said once more with it.
            let are_apart = self.documents.asks_evaluated() || entries.len() <= FEW_DEPENDENT;
            for (key, value) in entries {
                if value.is_array() || value.is_string() || keyword::only_required(value).is_some() {
                    continue;
                }
                let dependent = self.documents.child(schema.id, &[keyword, key])?;
                let property = |goal, required| Object {
                    properties: vec![Property { key: key.as_str().into(), goal, required }],
                    ..Object::any()
                };
                let mut without = Values::any(self.any_number);
                without.objects = vec![Rc::new(property(GoalId::NEVER, false))];
                let with =
                    Values { objects: vec![Rc::new(property(GoalId::ANY, are_apart))], ..Values::NONE };
                let without = self.intersect(&values, &without)?;
                let with = self.intersect(&values, &with)?;
                let with = self.applied(schema, &with, dependent)?;
                values = self.union(&[without, with])?;
                if !are_apart {
                    values.objects = self.absorbed(values.objects)?;
                }
            }
        }
        Ok(values)
    }
}

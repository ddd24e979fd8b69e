//! Values as a Boolean algebra: both, either, one without the other, and whether anything is left. Shapes that obviously nothing has
//! are dropped on the way, so that a discriminating key keeps products small.

use std::hash::Hash;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::error::Reason;
use crate::goals::{GoalId, Goals};
use crate::languages::{Language, LanguageId};
use crate::pattern;
use crate::translator::{Stop, Translator};
use crate::values::{Array, Contains, EvaluatedItems, Expressions, Keys, Object, Property, Values, least};

/// How deep is looked into values to see that two shapes exclude each other.
const LOOK: u32 = 3;
/// Below so many named keys a scan is faster than a table.
const FEW: usize = 8;

impl Translator<'_> {
    /// What is in both.
    pub fn intersect(&mut self, a: &Values, b: &Values) -> Result<Values, Stop> {
        let string = self.both_strings(a.string, b.string);
        let (string, expressions) = self.both_expressions(a, b, string)?;
        Ok(Values {
            null: a.null && b.null,
            booleans: [a.booleans[0] && b.booleans[0], a.booleans[1] && b.booleans[1]],
            number: self.both_numbers(a.number, b.number),
            string,
            expressions,
            arrays: self.both_lists(&a.arrays, &b.arrays)?,
            objects: self.both_lists(&a.objects, &b.objects)?,
        })
    }

    /// What is in one of them at least.
    pub fn union(&mut self, a: Values, b: &Values) -> Result<Values, Stop> {
        let number = match (a.number, b.number) {
            (any, _) | (_, any) if any == self.any_number => any,
            (a, b) => self.languages.union([a, b]),
        };
        Ok(Values {
            null: a.null || b.null,
            booleans: [a.booleans[0] || b.booleans[0], a.booleans[1] || b.booleans[1]],
            number,
            string: self.languages.union([a.string, b.string]),
            expressions: a.expressions.max(b.expressions),
            arrays: self.joined(a.arrays, &b.arrays)?,
            objects: self.joined(a.objects, &b.objects)?,
        })
    }

    /// What is in `a` and not in `b`.
    pub fn subtract(&mut self, a: &Values, b: &Values) -> Result<Values, Stop> {
        let number = match b.number {
            LanguageId::NONE => a.number,
            all if all == self.any_number => LanguageId::NONE,
            some if self.are_disjoint(a.number, some)? => a.number,
            some => {
                let rest = self.languages.not(some);
                let constrained = self.constrained_number;
                self.languages.and([a.number, constrained, rest])
            }
        };
        let string = match b.string {
            LanguageId::NONE => a.string,
            some if self.are_disjoint(a.string, some)? => a.string,
            some => {
                let rest = self.languages.not(some);
                self.languages.and([a.string, rest])
            }
        };
        let (string, expressions) = self.without_expressions(a, b, string)?;
        Ok(Values {
            null: a.null && !b.null,
            booleans: [a.booleans[0] && !b.booleans[0], a.booleans[1] && !b.booleans[1]],
            number,
            string,
            expressions,
            arrays: self.without(&a.arrays, &b.arrays)?,
            objects: self.without(&a.objects, &b.objects)?,
        })
    }

    /// Whether there is such a value, as far as can be seen `depth` levels deep: `false` is certain.
    pub fn may_be(&mut self, values: &Values, depth: u32) -> Result<bool, Stop> {
        if values.null
            || values.booleans != [false; 2]
            || values.expressions != Expressions::None
            || values.number == self.any_number
            || !self.is_empty(values.number)?
            || !self.is_empty(values.string)?
        {
            return Ok(true);
        }
        for array in &values.arrays {
            if array.may_be(self, depth)? {
                return Ok(true);
            }
        }
        for object in &values.objects {
            if object.may_be(self, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a goal can be reached, as far as can be seen `depth` levels deep: `false` is certain.
    pub fn may_reach(&mut self, goal: GoalId, depth: u32) -> Result<bool, Stop> {
        if goal == GoalId::NEVER || goal == GoalId::ANY || depth == 0 {
            return Ok(goal != GoalId::NEVER);
        }
        match self.values_inside(goal) {
            Ok(values) => self.may_be(&values, depth - 1),
            // It is being found out; perhaps so.
            Err(Stop::Busy) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// The goal of a property, all rules considered.
    pub fn goal_of(&mut self, object: &Object, key: &str) -> Result<GoalId, Stop> {
        let named = object.properties.iter().find(|property| &*property.key == key);
        let mut goal = named.map_or(GoalId::ANY, |property| property.goal);
        for (keys, more) in &object.rules {
            if self.has_key(keys, key)? {
                goal = self.goals.both(goal, *more);
            }
        }
        Ok(goal)
    }

    /// Whether a key is in a set.
    pub fn has_key(&mut self, keys: &Keys, key: &str) -> Result<bool, Stop> {
        Ok(match keys {
            Keys::In(LanguageId::ANY) => true,
            Keys::In(language) => self.contains(*language, key)?,
            Keys::Others(known) => {
                if known.names.contains(key) {
                    return Ok(false);
                }
                for &language in &known.languages {
                    if self.contains(language, key)? {
                        return Ok(false);
                    }
                }
                true
            }
        })
    }

    /// A set of keys as a language.
    pub fn key_language(&mut self, keys: &Keys) -> LanguageId {
        match keys {
            Keys::In(language) => *language,
            Keys::Others(known) => {
                let mut parts: Vec<LanguageId> =
                    known.names.iter().map(|name| self.languages.text(name)).collect();
                parts.extend(&known.languages);
                let all = self.languages.union(parts);
                self.languages.not(all)
            }
        }
    }

    pub fn both_numbers(&mut self, a: LanguageId, b: LanguageId) -> LanguageId {
        match (a, b) {
            (any, other) | (other, any) if any == self.any_number => other,
            _ if a == b => a,
            _ if self.are_apart(a, b) => LanguageId::NONE,
            _ => self.languages.and([a, b]),
        }
    }

    pub fn both_strings(&mut self, a: LanguageId, b: LanguageId) -> LanguageId {
        if self.are_apart(a, b) { LanguageId::NONE } else { self.languages.and([a, b]) }
    }

    /// Whether two languages are different texts, or lists of them without a common one.
    fn are_apart(&self, a: LanguageId, b: LanguageId) -> bool {
        match (self.texts(a), self.texts(b)) {
            // Members of a union are sorted.
            (Some(a), Some(b)) => !a.iter().any(|id| b.binary_search(id).is_ok()),
            _ => false,
        }
    }

    /// Whether two languages have nothing in common; `false` where a limit forbids to find out.
    fn are_disjoint(&mut self, a: LanguageId, b: LanguageId) -> Result<bool, Stop> {
        if a == LanguageId::NONE || b == LanguageId::NONE || self.are_apart(a, b) {
            return Ok(true);
        }
        if a == LanguageId::ANY || b == LanguageId::ANY || a == b {
            return Ok(false);
        }
        let both = self.languages.and([a, b]);
        self.is_empty(both)
    }

    /// The strings of both, given what their regular parts have in common.
    fn both_expressions(
        &mut self,
        a: &Values,
        b: &Values,
        string: LanguageId,
    ) -> Result<(LanguageId, Expressions), Stop> {
        let mut all = (string, a.expressions.min(b.expressions));
        for (own, other) in [(a, b), (b, a)] {
            match (own.expressions, other.expressions) {
                (Expressions::None, _) => {}
                (own, Expressions::None) => {
                    let (texts, expressions) = self.among_expressions(own, other.string)?;
                    all = (self.languages.union([all.0, texts]), all.1.max(expressions));
                }
                (Expressions::All, Expressions::NotEmpty) if self.contains(other.string, "")? => {
                    all.0 = self.languages.union([all.0, LanguageId::EMPTY_TEXT]);
                }
                _ => {}
            }
        }
        Ok(all)
    }

    /// The strings of `a` without those of `b`, given what is left of the regular part without the other one.
    fn without_expressions(
        &mut self,
        a: &Values,
        b: &Values,
        string: LanguageId,
    ) -> Result<(LanguageId, Expressions), Stop> {
        let mut left = (string, a.expressions);
        if b.expressions != Expressions::None && string != LanguageId::NONE {
            match self.texts(string) {
                Some(texts) => {
                    let others = texts.into_iter().filter(|&text| !self.is_expression(text, b.expressions));
                    let others = others.collect::<Vec<_>>();
                    left.0 = self.languages.union(others);
                }
                None => self.refuse(self.place, "format", "what is no regular expression")?,
            }
        }
        left.1 = match (a.expressions, b.expressions, b.string) {
            (Expressions::None, ..) | (_, Expressions::All, _) | (_, _, LanguageId::ANY) => Expressions::None,
            (own, Expressions::NotEmpty, other) => {
                if own == Expressions::All && !self.contains(other, "")? {
                    left.0 = self.languages.union([left.0, LanguageId::EMPTY_TEXT]);
                }
                Expressions::None
            }
            (own, Expressions::None, LanguageId::NONE) => own,
            (_, Expressions::None, LanguageId::EMPTY_TEXT) => Expressions::NotEmpty,
            (own, Expressions::None, _) => {
                self.refuse(self.place, "format", "regular expressions without some texts")?;
                own
            }
        };
        Ok(left)
    }

    /// The regular expressions among the texts of a language: some texts, or no list of them.
    fn among_expressions(
        &mut self,
        which: Expressions,
        language: LanguageId,
    ) -> Result<(LanguageId, Expressions), Stop> {
        if let Some(texts) = self.texts(language) {
            let texts = texts.into_iter().filter(|&text| self.is_expression(text, which)).collect::<Vec<_>>();
            return Ok((self.languages.union(texts), Expressions::None));
        }
        if language == LanguageId::ANY {
            return Ok((LanguageId::NONE, which));
        }
        if language == self.languages.length(1, None) {
            return Ok((LanguageId::NONE, Expressions::NotEmpty));
        }
        self.refuse(self.place, "format", "regular expressions beside other constraints")?;
        Ok((LanguageId::NONE, which))
    }

    fn is_expression(&self, text: LanguageId, which: Expressions) -> bool {
        match self.languages.get(text) {
            Language::Text(text) if text.is_empty() => which == Expressions::All,
            Language::Text(text) => pattern::is_pattern(text),
            _ => false,
        }
    }

    /// The texts of a list.
    pub fn texts(&self, id: LanguageId) -> Option<Vec<LanguageId>> {
        match self.languages.get(id) {
            Language::None => Some(Vec::new()),
            Language::Text(_) => Some(vec![id]),
            Language::Union(parts) => {
                let all = parts.iter().all(|&part| matches!(self.languages.get(part), Language::Text(_)));
                all.then(|| parts.clone())
            }
            _ => None,
        }
    }

    /// All shapes, each once.
    pub fn joined<T: Shape>(&mut self, a: Vec<Rc<T>>, b: &[Rc<T>]) -> Result<Vec<Rc<T>>, Stop> {
        if let Some(all) = a.iter().chain(b).find(|shape| shape.is_all()) {
            return Ok(vec![Rc::clone(all)]);
        }
        let mut all = Distinct { list: a, ..Distinct::default() };
        for shape in b {
            all.push(Rc::clone(shape));
        }
        self.check_bound(all.list.len())?;
        Ok(all.list)
    }

    fn both_lists<T: Shape>(&mut self, a: &[Rc<T>], b: &[Rc<T>]) -> Result<Vec<Rc<T>>, Stop> {
        match (a, b) {
            ([any], other) | (other, [any]) if any.is_all() => return Ok(other.to_vec()),
            _ => {}
        }
        let many = a.len() * b.len() > 1;
        let mut all = Distinct::default();
        for one in a {
            for other in b {
                let both =
                    if Rc::ptr_eq(one, other) { Some(Rc::clone(one)) } else { self.both(one, other, many)? };
                if let Some(both) = both {
                    all.push(both);
                }
            }
            self.check_bound(all.list.len())?;
        }
        Ok(all.list)
    }

    /// Two shapes at once, if anything may have both.
    fn both<T: Shape>(&mut self, a: &Rc<T>, b: &Rc<T>, look: bool) -> Result<Option<Rc<T>>, Stop> {
        if a.is_all() || b.is_all() {
            return Ok(Some(Rc::clone(if a.is_all() { b } else { a })));
        }
        self.spend(1 + a.size() + b.size())?;
        let Some(both) = a.meet(b, self)? else { return Ok(None) };
        if look && !both.may_be(self, LOOK)? {
            return Ok(None);
        }
        Ok(Some(Rc::new(both)))
    }

    fn without<T: Shape>(&mut self, a: &[Rc<T>], b: &[Rc<T>]) -> Result<Vec<Rc<T>>, Stop> {
        let mut all = a.to_vec();
        for taken in b {
            if taken.is_all() {
                return Ok(Vec::new());
            }
            let mut left = Distinct::default();
            let mut others = None;
            for shape in all {
                if self.both(&shape, taken, true)?.is_none() {
                    left.push(shape);
                    continue;
                }
                if others.is_none() {
                    others = Some(taken.others(self));
                }
                for other in others.iter().flatten() {
                    if let Some(both) = self.both(&shape, other, true)? {
                        left.push(both);
                    }
                }
                self.check_bound(left.list.len())?;
            }
            all = self.absorbed(left.list)?;
        }
        Ok(all)
    }

    /// The shapes without those that are within others.
    pub fn absorbed<T: Shape>(&mut self, shapes: Vec<Rc<T>>) -> Result<Vec<Rc<T>>, Stop> {
        if shapes.len() < 3 {
            return Ok(shapes);
        }
        let mut all: Vec<Rc<T>> = Vec::with_capacity(shapes.len());
        for shape in shapes {
            self.spend(1 + all.len() as u64 / 8)?;
            if all.iter().any(|other| shape.is_within(other, &self.goals)) {
                continue;
            }
            all.retain(|other| !other.is_within(&shape, &self.goals));
            all.push(shape);
        }
        Ok(all)
    }

    fn check_bound(&self, count: usize) -> Result<(), Stop> {
        if count <= self.config.alternatives {
            return Ok(());
        }
        let value = self.config.alternatives as u64;
        Err(self.error_here(Reason::Limit { limit: "alternatives", value }))
    }
}

/// Shapes, each once, in the order in which they came.
struct Distinct<T> {
    list: Vec<Rc<T>>,
    /// The same, once there are more than a few.
    set: FxHashSet<Rc<T>>,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self { list: Vec::new(), set: FxHashSet::default() }
    }
}

impl<T: Shape> Distinct<T> {
    fn push(&mut self, shape: Rc<T>) {
        if self.list.len() < FEW {
            if self.list.contains(&shape) {
                return;
            }
        } else {
            if self.set.is_empty() {
                self.set.extend(self.list.iter().cloned());
            }
            if !self.set.insert(Rc::clone(&shape)) {
                return;
            }
        }
        self.list.push(shape);
    }
}

/// Arrays and objects alike: what the algebra of their lists needs.
pub(crate) trait Shape: Eq + Hash + Sized {
    fn is_all(&self) -> bool;
    /// How much there is to look at.
    fn size(&self) -> u64;
    /// Both shapes; nothing where that is impossible.
    fn meet(&self, other: &Self, translator: &mut Translator<'_>) -> Result<Option<Self>, Stop>;
    /// Shapes that together have everything that this one has not.
    fn others(&self, translator: &mut Translator<'_>) -> Vec<Rc<Self>>;
    /// Whether everything of this shape is obviously of the other one, too.
    fn is_within(&self, other: &Self, goals: &Goals) -> bool;
    /// Whether something has the shape, as far as can be seen: `false` is certain.
    fn may_be(&self, translator: &mut Translator<'_>, depth: u32) -> Result<bool, Stop>;
}

impl Shape for Array {
    fn size(&self) -> u64 {
        (self.prefix.len() + self.contains.len()) as u64
    }

    fn is_all(&self) -> bool {
        self.is_any() && self.evaluated.is_none()
    }

    fn meet(&self, other: &Self, translator: &mut Translator<'_>) -> Result<Option<Self>, Stop> {
        let goals = &mut translator.goals;
        let len = self.prefix.len().max(other.prefix.len());
        let prefix = (0..len).map(|place| goals.both(self.item(place), other.item(place))).collect();
        let mut contains = self.contains.clone();
        contains.extend(other.contains.iter().filter(|more| !self.contains.contains(more)).cloned());
        let evaluated = match (&self.evaluated, &other.evaluated) {
            (Some(a), Some(b)) => Some(EvaluatedItems {
                first: a.first.zip(b.first).map(|(a, b)| a.max(b)),
                matching: a.matching.iter().chain(&b.matching).copied().collect(),
            }),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        let mut both = Self {
            prefix,
            rest: goals.both(self.rest, other.rest),
            min: self.min.max(other.min),
            max: least(self.max, other.max),
            contains,
            unique: self.unique.or(other.unique),
            repeated: self.repeated.or(other.repeated),
            evaluated,
        };
        Ok((both.settle() && !(both.unique.is_some() && both.repeated.is_some())).then_some(both))
    }

    fn is_within(&self, other: &Self, goals: &Goals) -> bool {
        let places = self.prefix.len().max(other.prefix.len()) + 1;
        self.min >= other.min
            && other.max.is_none_or(|max| self.max.is_some_and(|own| own <= max))
            && (other.unique.is_none() || self.unique.is_some())
            && (other.repeated.is_none() || self.repeated.is_some())
            && self.evaluated == other.evaluated
            && other.contains.iter().all(|contains| self.contains.contains(contains))
            && (0..places).all(|place| goals.implies(self.item(place), other.item(place)))
    }

    fn others(&self, translator: &mut Translator<'_>) -> Vec<Rc<Self>> {
        let goals = &mut translator.goals;
        let mut all = Vec::new();
        let any = Self::any();
        for (place, &goal) in self.prefix.iter().enumerate() {
            if goal != GoalId::ANY {
                let mut prefix = vec![GoalId::ANY; place];
                prefix.push(goals.negate(goal));
                all.push(Self { prefix, min: place as u64 + 1, ..any.clone() });
            }
        }
        let from = self.prefix.len();
        let is_closed = self.rest == GoalId::NEVER && self.max.is_some_and(|max| max <= from as u64);
        if self.rest != GoalId::ANY && !is_closed {
            let goal = goals.negate(self.rest);
            match goal {
                GoalId::ANY => all.push(Self { min: from as u64 + 1, ..any.clone() }),
                _ => {
                    let place = self.contains.first().map_or(translator.place, |contains| contains.place);
                    let contains = vec![Contains { goal, from, min: 1, max: None, place }];
                    all.push(Self { contains, min: from as u64 + 1, ..any.clone() });
                }
            }
        }
        for contains in &self.contains {
            let Contains { min, max, .. } = *contains;
            if min > 0 {
                let fewer = Contains { min: 0, max: Some(min - 1), ..contains.clone() };
                all.push(Self { contains: vec![fewer], ..any.clone() });
            }
            if let Some(max) = max {
                let more = Contains { min: max + 1, max: None, ..contains.clone() };
                all.push(Self { contains: vec![more], ..any.clone() });
            }
        }
        if self.min > 0 {
            all.push(Self { max: Some(self.min - 1), ..any.clone() });
        }
        if let Some(max) = self.max {
            all.push(Self { min: max + 1, ..any.clone() });
        }
        if let Some(place) = self.unique {
            all.push(Self { repeated: Some(place), ..any.clone() });
        }
        if let Some(place) = self.repeated {
            all.push(Self { unique: Some(place), ..any });
        }
        all.into_iter().filter_map(|mut shape| shape.settle().then(|| Rc::new(shape))).collect()
    }

    fn may_be(&self, translator: &mut Translator<'_>, depth: u32) -> Result<bool, Stop> {
        for place in 0..self.min.min(self.prefix.len() as u64 + 1) {
            if !translator.may_reach(self.item(place as usize), depth)? {
                return Ok(false);
            }
        }
        for contains in self.contains.iter().filter(|contains| contains.min > 0) {
            let goal = match self.prefix[..] {
                [] => translator.goals.both(contains.goal, self.rest),
                _ => contains.goal,
            };
            if !translator.may_reach(goal, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Shape for Object {
    fn size(&self) -> u64 {
        (self.properties.len() + self.rules.len() + self.some.len()) as u64
    }

    fn is_all(&self) -> bool {
        self.is_any() && self.evaluated.is_none()
    }

    fn meet(&self, other: &Self, translator: &mut Translator<'_>) -> Result<Option<Self>, Stop> {
        let mut both = self.clone();
        let places = if self.properties.len() > FEW { self.places() } else { Default::default() };
        for property in &other.properties {
            let place = if self.properties.len() > FEW {
                places.get(&property.key).copied()
            } else {
                self.properties.iter().position(|own| own.key == property.key)
            };
            match place.map(|place| &mut both.properties[place]) {
                Some(own) => {
                    own.goal = translator.goals.both(own.goal, property.goal);
                    own.required |= property.required;
                    if own.required && own.goal == GoalId::NEVER {
                        return Ok(None);
                    }
                }
                None => both.properties.push(property.clone()),
            }
        }
        both.rules.extend(other.rules.iter().filter(|rule| !self.rules.contains(rule)).cloned());
        both.some.extend(other.some.iter().filter(|some| !self.some.contains(some)).cloned());
        both.needs.extend(other.needs.iter().filter(|needs| !self.needs.contains(needs)).cloned());
        both.min = both.min.max(other.min);
        both.max = least(both.max, other.max);
        both.counted = self.counted.or(other.counted);
        both.evaluated = match (both.evaluated.take(), &other.evaluated) {
            (Some(mut own), Some(more)) => {
                own.extend(more.iter().cloned());
                Some(own)
            }
            (own, more) => own.or_else(|| more.clone()),
        };
        let required = both.properties.iter().filter(|property| property.required).count() as u64;
        Ok(both.max.is_none_or(|max| both.min.max(required) <= max).then_some(both))
    }

    fn is_within(&self, other: &Self, goals: &Goals) -> bool {
        let has = |(place, wanted): (usize, &Property)| {
            let is_same = |own: &Property| Rc::ptr_eq(&own.key, &wanted.key) || own.key == wanted.key;
            let own = match self.properties.get(place) {
                Some(own) if is_same(own) => Some(own),
                _ => self.properties.iter().find(|own| is_same(own)),
            };
            match own {
                None => wanted.goal == GoalId::ANY && !wanted.required,
                Some(own) => (own.required || !wanted.required) && goals.implies(own.goal, wanted.goal),
            }
        };
        self.min >= other.min
            && other.max.is_none_or(|max| self.max.is_some_and(|own| own <= max))
            && self.evaluated == other.evaluated
            && other.rules.iter().all(|rule| self.rules.contains(rule))
            && other.some.iter().all(|some| self.some.contains(some))
            && other.needs.iter().all(|needs| self.needs.contains(needs))
            && other.properties.iter().enumerate().all(has)
    }

    fn others(&self, translator: &mut Translator<'_>) -> Vec<Rc<Self>> {
        let any = Self::any();
        let with =
            |key: &Rc<str>, goal: GoalId, required: bool| Property { key: Rc::clone(key), goal, required };
        let mut all = Vec::new();
        for property in
            self.properties.iter().filter(|property| property.required || property.goal != GoalId::ANY)
        {
            // Not there, or with another value: one shape says both. What may be missing has to be there to be wrong.
            let goal = translator.goals.negate(property.goal);
            let properties = vec![with(&property.key, goal, !property.required)];
            all.push(Self { properties, ..any.clone() });
        }
        for (keys, goal) in &self.rules {
            let goal = translator.goals.negate(*goal);
            if goal != GoalId::NEVER {
                all.push(Self { some: vec![(keys.clone(), goal, translator.place)], ..any.clone() });
            }
        }
        for (keys, goal, _) in &self.some {
            let goal = translator.goals.negate(*goal);
            all.push(Self { rules: vec![(keys.clone(), goal)], ..any.clone() });
        }
        for (first, second) in &self.needs {
            let properties = vec![with(first, GoalId::ANY, true), with(second, GoalId::NEVER, false)];
            all.push(Self { properties, ..any.clone() });
        }
        let counted = self.counted;
        if self.min > 0 {
            all.push(Self { max: Some(self.min - 1), counted, ..any.clone() });
        }
        if let Some(max) = self.max {
            all.push(Self { min: max + 1, counted, ..any });
        }
        all.into_iter().map(Rc::new).collect()
    }

    fn may_be(&self, translator: &mut Translator<'_>, depth: u32) -> Result<bool, Stop> {
        for property in self.properties.iter().filter(|property| property.required) {
            let goal = translator.goal_of(self, &property.key)?;
            if !translator.may_reach(goal, depth)? {
                return Ok(false);
            }
        }
        for (keys, goal, _) in &self.some {
            if *goal == GoalId::NEVER || *keys == Keys::In(LanguageId::NONE) {
                return Ok(false);
            }
            // A rule about the same keys, or about all, decides at once.
            let mut goal = *goal;
            for (others, more) in &self.rules {
                if others == keys || *others == Keys::In(LanguageId::ANY) {
                    goal = translator.goals.both(goal, *more);
                }
            }
            if !translator.may_reach(goal, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

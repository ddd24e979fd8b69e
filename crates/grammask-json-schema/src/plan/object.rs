//! The members of an object: one for each named key, and one for each class of further keys.
//!
//! A class is a set of keys that the rules do not distinguish. `{"patternProperties": {"^a": A, "b$": B}}`
//! has three of them: keys that match both patterns, and keys that match either one alone.

use grammask_syntax::Text;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Member, ObjectPlan};
use crate::PropertyOrder;
use crate::constraint::{ConstraintId, Constraints};
use crate::context::{Context, Stop};
use crate::error::Limit;
use crate::language::{Language, LanguageId};
use crate::plan::distinct;
use crate::value::algebra;
use crate::value::algebra::shapes;
use crate::value::{Keys, Object, Property};

/// Maximum number of keys of a finite set that become named members, if a rule forbids all other keys. Beyond
/// it, the remaining keys stay a class.
const MAX_NAMES_LISTED: usize = 4_096;

/// A plan with named members, and all named keys with their languages, forbidden ones included.
type Named = (ObjectPlan, Vec<(Text, LanguageId)>);

/// Returns plans that together allow the objects of a shape.
pub(super) fn plan_object(cx: &mut Context<'_>, object: &Object) -> Result<Vec<ObjectPlan>, Stop> {
    cx.spend(1 + object.properties.len() as u64)?;
    let Some((mut plan, names)) = named_members(cx, object)? else { return Ok(Vec::new()) };
    class_members(cx, object, &names, &mut plan)?;
    let mut plans = vec![plan];
    for (keys, constraint, _) in &object.exists {
        let mut next = Vec::new();
        for plan in &plans {
            add_existing(cx, plan, keys, *constraint, &mut next)?;
        }
        // A plan that another one subsumes adds nothing.
        plans = shapes::drop_subsumed_by(cx, next, is_subsumed_by)?;
    }
    plans.retain(has_room);
    let mut counted = Vec::with_capacity(plans.len());
    for plan in plans {
        count_keys(cx, plan, &mut counted)?;
    }
    Ok(counted)
}

/// Returns the plan with named members alone. Returns `None` if no object has the shape.
fn named_members(cx: &mut Context<'_>, object: &Object) -> Result<Option<Named>, Stop> {
    let mut named = NamedProperties::new(object);
    for (first, second) in &object.requires {
        let pair = (named.add(first), named.add(second));
        named.requires.push(pair);
    }
    // If a rule forbids all keys but finitely many, these become named members.
    for (keys, constraint) in &object.rules {
        let Keys::In(language) = keys else { continue };
        if *constraint != ConstraintId::NEVER {
            continue;
        }
        let allowed = cx.languages.not(*language);
        for text in distinct::listed_members(cx, allowed)?.unwrap_or_default().iter().take(MAX_NAMES_LISTED) {
            if let Language::Text(text) = cx.languages.get(*text) {
                named.add(&text.as_str().into());
            }
        }
    }
    for property in &mut named.list {
        cx.check_cancelled()?;
        for (keys, more) in &object.rules {
            if property.constraint != ConstraintId::NEVER && algebra::keys_contain(cx, keys, &property.key)? {
                property.constraint = cx.constraints.both(property.constraint, *more);
            }
        }
    }
    named.propagate();
    let is_impossible = |property: &Property| property.required && property.constraint == ConstraintId::NEVER;
    if named.list.iter().any(is_impossible) {
        return Ok(None);
    }
    named.into_plan(cx, object).map(Some)
}

/// The named keys of a shape, and those that its rules and requirements name.
struct NamedProperties {
    list: Vec<Property>,
    /// Index of each key in `list`. Filled only if keys are added, because filling it is expensive.
    indices: FxHashMap<Text, usize>,
    /// Pairs of indices: if the first property is present, so is the second.
    requires: Vec<(usize, usize)>,
}

impl NamedProperties {
    fn new(object: &Object) -> Self {
        let forbids = |(keys, constraint): &(Keys, ConstraintId)| {
            matches!(keys, Keys::In(_)) && *constraint == ConstraintId::NEVER
        };
        let adds = !object.requires.is_empty() || object.rules.iter().any(forbids);
        let indices = if adds { object.property_indices() } else { Default::default() };
        Self { list: object.properties.clone(), indices, requires: Vec::new() }
    }

    /// Returns the index of a key, which is added if it is new.
    fn add(&mut self, key: &Text) -> usize {
        let list = &mut self.list;
        *self.indices.entry(key.clone()).or_insert_with(|| {
            list.push(Property { key: key.clone(), constraint: ConstraintId::ANY, required: false });
            list.len() - 1
        })
    }

    /// Propagates absence and presence along `requires`, up to the fixpoint.
    fn propagate(&mut self) {
        let list = &mut self.list;
        let mut is_fixpoint = false;
        while !is_fixpoint {
            is_fixpoint = true;
            for &(first, second) in &self.requires {
                if list[second].constraint == ConstraintId::NEVER
                    && list[first].constraint != ConstraintId::NEVER
                {
                    list[first].constraint = ConstraintId::NEVER;
                    is_fixpoint = false;
                }
                if list[first].required && !list[second].required {
                    list[second].required = true;
                    is_fixpoint = false;
                }
            }
        }
    }

    /// Returns the plan with a member for each key that may be present.
    fn into_plan(self, cx: &mut Context<'_>, object: &Object) -> Result<Named, Stop> {
        let mut index_of = vec![None; self.list.len()];
        let mut members = Vec::new();
        let mut names = Vec::with_capacity(self.list.len());
        let mut forbidden = Vec::new();
        for (index, property) in self.list.into_iter().enumerate() {
            cx.check_cancelled()?;
            let Property { key: name, constraint, required: is_required } = property;
            if constraint == ConstraintId::NEVER {
                forbidden.push(name);
                continue;
            }
            let key = cx.languages.shared_text(&name);
            names.push((name, key));
            index_of[index] = Some(members.len());
            members.push(Member { key, constraint, is_required, is_class: false });
        }
        forbidden.sort_unstable();
        names.extend(forbidden.into_iter().map(|name| {
            let key = cx.languages.shared_text(&name);
            (name, key)
        }));
        let requires = self
            .requires
            .iter()
            .filter_map(|&(first, second)| Some((index_of[first]?, index_of[second]?)))
            .filter(|&(first, second)| first != second && !members[second].is_required)
            .collect();
        let Object { min, max, count_schema, .. } = *object;
        let plan = ObjectPlan { members, requires, min, max, count_schema, has_distinct_keys: false };
        Ok((plan, names))
    }
}

/// Adds a member for each class of keys without a name.
fn class_members(
    cx: &mut Context<'_>,
    object: &Object,
    names: &[(Text, LanguageId)],
    plan: &mut ObjectPlan,
) -> Result<(), Stop> {
    let named = cx.languages.union(names.iter().map(|name| name.1));
    cx.check_cancelled()?;
    let limit = cx.config.limits.max_key_classes;
    let mut classes = vec![(cx.languages.not(named), ConstraintId::ANY)];
    for (language, constraint) in merged_rules(cx, object, names) {
        let mut split = Vec::new();
        for (class, old) in classes {
            cx.spend(1)?;
            let both = cx.constraints.both(old, constraint);
            if language == LanguageId::ANY || both == old {
                split.push((class, both));
                continue;
            }
            let inside = cx.languages.and([class, language]);
            let rest = cx.languages.not(language);
            let outside = cx.languages.and([class, rest]);
            split.extend([(inside, both), (outside, old)]);
        }
        split.retain(|&(class, constraint)| constraint != ConstraintId::NEVER && class != LanguageId::NONE);
        let mut left = Vec::new();
        for (class, constraint) in split {
            if !cx.is_empty(class)? {
                left.push((class, constraint));
            }
            if left.len() > limit {
                return Err(cx.limit_here(Limit::KeyClasses, limit as u64));
            }
        }
        classes = left;
    }
    for (key, constraint) in classes {
        // Keys of a class may repeat, so they are listed where properties are counted.
        if object.min > 1
            && let Some(texts) = cx.languages.enumerate(key, cx.config.limits.max_listed_keys)
        {
            for text in texts {
                let key = cx.languages.text(&text);
                plan.members.push(Member { key, constraint, is_required: false, is_class: false });
            }
            continue;
        }
        plan.members.push(Member { key, constraint, is_required: false, is_class: true });
    }
    Ok(())
}

/// Returns the rules with the languages of their keys. Rules of one constraint are one, as if the patterns of
/// their keys were alternatives of one pattern.
fn merged_rules(
    cx: &mut Context<'_>,
    object: &Object,
    names: &[(Text, LanguageId)],
) -> Vec<(LanguageId, ConstraintId)> {
    let mut known_names: Option<FxHashSet<&Text>> = None;
    let mut merged: Vec<(Vec<LanguageId>, ConstraintId)> = Vec::new();
    let mut places: FxHashMap<ConstraintId, usize> = FxHashMap::default();
    for (keys, constraint) in &object.rules {
        let language = match keys {
            Keys::In(language) => *language,
            Keys::NotIn(known) => {
                // Named keys are not in any class, so they need not be excluded.
                let mut known_keys = known.languages.clone();
                let names = known_names.get_or_insert_with(|| names.iter().map(|(name, _)| name).collect());
                for name in known.names.iter().filter(|name| !names.contains(name)) {
                    known_keys.push(cx.languages.shared_text(name));
                }
                let known_keys = cx.languages.union(known_keys);
                cx.languages.not(known_keys)
            }
        };
        let place = *places.entry(*constraint).or_insert(merged.len());
        match merged.get_mut(place) {
            Some((languages, _)) => languages.push(language),
            None => merged.push((vec![language], *constraint)),
        }
    }
    let union = |(languages, constraint)| (cx.languages.union(languages), constraint);
    merged.into_iter().map(union).collect()
}

/// Appends the plans in which some key of a set is present, with a value that satisfies a constraint.
fn add_existing(
    cx: &mut Context<'_>,
    plan: &ObjectPlan,
    keys: &Keys,
    constraint: ConstraintId,
    plans: &mut Vec<ObjectPlan>,
) -> Result<(), Stop> {
    let language = algebra::key_language(cx, keys);
    for (index, member) in plan.members.iter().enumerate() {
        cx.spend(1)?;
        let inside = cx.languages.and([member.key, language]);
        let constraint = cx.constraints.both(member.constraint, constraint);
        if constraint == ConstraintId::NEVER || cx.is_empty(inside)? {
            continue;
        }
        let mut with = ObjectPlan {
            members: Vec::new(),
            requires: plan.requires.clone(),
            min: plan.min,
            max: plan.max,
            count_schema: plan.count_schema,
            has_distinct_keys: false,
        };
        for other in &plan.members {
            with.members.push(*other);
        }
        if member.is_class && member.is_required {
            // A member that is required for another reason may satisfy this one, too.
            with.members[index].key = inside;
            with.members[index].constraint = constraint;
        } else if member.is_class {
            with.members.push(Member { key: inside, constraint, is_required: true, is_class: true });
        } else {
            with.members[index].constraint = constraint;
            with.members[index].is_required = true;
        }
        plans.push(with);
    }
    Ok(())
}

/// Appends plans that together allow the objects of a plan with at least `plan.min` properties.
///
/// A key of a class may be written twice, and two equal keys are one property. So the minimum can be counted
/// only if the recognizer compares the keys, or if each plan names the members that must be present.
///
/// # Errors
/// If the minimum cannot be counted, and the configuration does not allow to relax it.
fn count_keys(cx: &mut Context<'_>, mut plan: ObjectPlan, plans: &mut Vec<ObjectPlan>) -> Result<(), Stop> {
    let required = plan.members.iter().filter(|member| member.is_required).count() as u64;
    let has_class = plan.members.iter().any(|member| member.is_class);
    if plan.min <= required {
        plan.min = 0;
    }
    if has_class && plan.min > required + 1 {
        if can_compare_keys(cx, &plan)? {
            plan.has_distinct_keys = true;
        } else if let Some(pairs) = two_members(cx, &plan)? {
            plans.extend(pairs);
            return Ok(());
        } else {
            let schema = plan.count_schema.unwrap_or(cx.current_schema);
            cx.refuse_or_relax(schema, "minProperties", "distinct keys that the schema does not name")?;
            plan.min = required + 1;
        }
    }
    plans.push(plan);
    Ok(())
}

/// Returns plans for at least two properties of which none is required: two members, or two keys of one class
/// and nothing else. Returns `None` for another minimum, if there are too many members, or if a class has too
/// few keys.
fn two_members(cx: &mut Context<'_>, plan: &ObjectPlan) -> Result<Option<Vec<ObjectPlan>>, Stop> {
    let count = plan.members.len();
    let is_suitable = plan.min == 2
        && plan.members.iter().all(|member| !member.is_required)
        && count * count <= 2 * cx.config.limits.max_listed_items
        && cx.config.property_order == PropertyOrder::Any;
    if !is_suitable {
        return Ok(None);
    }
    let mut plans = Vec::new();
    for second in 0..count {
        for first in 0..second {
            cx.spend(count as u64)?;
            let mut both = plan.clone();
            both.min = 0;
            both.members[first].is_required = true;
            both.members[second].is_required = true;
            plans.push(both);
        }
    }
    for member in plan.members.iter().filter(|member| member.is_class) {
        let alone = ObjectPlan {
            members: vec![*member],
            requires: Vec::new(),
            has_distinct_keys: true,
            ..plan.clone()
        };
        if !can_compare_keys(cx, &alone)? {
            return Ok(None);
        }
        plans.push(alone);
    }
    plans.retain(has_room);
    Ok(Some(plans))
}

/// Returns true if the recognizer can compare the keys of an object: each member has the same constraint, and
/// the classes have more keys than any object.
fn can_compare_keys(cx: &mut Context<'_>, plan: &ObjectPlan) -> Result<bool, Stop> {
    let Some(first) = plan.members.first() else { return Ok(false) };
    let is_uniform = plan
        .members
        .iter()
        .all(|member| member.constraint == first.constraint && !(member.is_class && member.is_required));
    if !is_uniform || cx.config.property_order != PropertyOrder::Any {
        return Ok(false);
    }
    let classes = plan.members.iter().filter(|member| member.is_class).map(|member| member.key);
    let keys = cx.languages.union(classes.collect::<Vec<_>>());
    cx.spend(1)?;
    Ok(cx.languages.has_many_strings(keys))
}

/// Returns true if the required members do not exceed the maximum.
fn has_room(plan: &ObjectPlan) -> bool {
    let required = plan.members.iter().filter(|member| member.is_required).count() as u64;
    plan.max.is_none_or(|max| plan.min.max(required) <= max)
}

/// Returns true if all objects of one plan are known to be objects of the other. Both plans belong to one
/// shape.
fn is_subsumed_by(plan: &ObjectPlan, other: &ObjectPlan, constraints: &Constraints) -> bool {
    plan.members.len() == other.members.len()
        && plan.members.iter().zip(&other.members).all(|(own, other)| {
            own.key == other.key
                && own.is_class == other.is_class
                && (own.is_required || !other.is_required)
                && constraints.implies(own.constraint, other.constraint)
        })
}

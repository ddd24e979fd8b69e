//! Which members objects of a shape have: those with names, and one for every set of keys that the rules tell apart.

use rustc_hash::FxHashSet;

use super::{Member, ObjectPlan};
use crate::conjunction::{GoalId, Goals};
use crate::context::{Stop, Translator};
use crate::language::{Language, LanguageId};
use crate::value::{Keys, Object};
use grammask_syntax::Text;

/// Sets of keys with more members than this are not taken apart.
const MANY_KEYS: usize = 64;

/// Sets of texts with more members than this are not taken apart.
const MANY_TEXTS: usize = 4_096;

/// The members with names, and all names, each with what it is as a set.
type Named = (ObjectPlan, Vec<(Text, LanguageId)>);

impl Translator<'_> {
    pub(super) fn plan_object(&mut self, object: &Object) -> Result<Vec<ObjectPlan>, Stop> {
        self.spend(1 + object.properties.len() as u64)?;
        let Some((mut plan, names)) = self.named_members(object)? else { return Ok(Vec::new()) };
        self.class_members(object, &names, &mut plan)?;
        let mut plans = vec![plan];
        for (keys, goal, _) in &object.some {
            let mut next = Vec::new();
            for plan in &plans {
                self.with_some(plan, keys, *goal, &mut next)?;
            }
            // What another one has, too, is not needed.
            plans = self.outermost(next, is_within)?;
        }
        plans.retain(has_room);
        for plan in &mut plans {
            self.check_count(plan)?;
        }
        Ok(plans)
    }

    /// The members with names, and all names that the object's schema mentions; nothing where there is no such object.
    fn named_members(&mut self, object: &Object) -> Result<Option<Named>, Stop> {
        let mut named: Vec<(Text, GoalId, bool)> = object
            .properties
            .iter()
            .map(|property| (property.key.clone(), property.goal, property.required))
            .collect();
        // Only who adds names has to know those that are there.
        let forbids = |(keys, goal): &(Keys, GoalId)| matches!(keys, Keys::In(_)) && *goal == GoalId::NEVER;
        let adds = !object.needs.is_empty() || object.rules.iter().any(forbids);
        let mut places = if adds { object.places() } else { Default::default() };
        let mut add = |named: &mut Vec<(Text, GoalId, bool)>, key: &Text| {
            *places.entry(key.clone()).or_insert_with(|| {
                named.push((key.clone(), GoalId::ANY, false));
                named.len() - 1
            })
        };
        let mut needs: Vec<(usize, usize)> = Vec::new();
        for (first, second) in &object.needs {
            needs.push((add(&mut named, first), add(&mut named, second)));
        }
        // Where a rule forbids all keys but finitely many, each of these is a name.
        for (keys, goal) in &object.rules {
            let Keys::In(language) = keys else { continue };
            if *goal != GoalId::NEVER {
                continue;
            }
            let allowed = self.languages.not(*language);
            for text in self.members(allowed)?.unwrap_or_default().iter().take(MANY_TEXTS) {
                if let Language::Text(text) = self.languages.get(*text) {
                    add(&mut named, &text.as_str().into());
                }
            }
        }
        for (key, goal, _) in &mut named {
            self.look()?;
            for (keys, more) in &object.rules {
                if *goal != GoalId::NEVER && self.has_key(keys, key)? {
                    *goal = self.goals.both(*goal, *more);
                }
            }
        }
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for &(first, second) in &needs {
                if named[second].1 == GoalId::NEVER && named[first].1 != GoalId::NEVER {
                    named[first].1 = GoalId::NEVER;
                    is_settled = false;
                }
                if named[first].2 && !named[second].2 {
                    named[second].2 = true;
                    is_settled = false;
                }
            }
        }
        if named.iter().any(|(_, goal, required)| *required && *goal == GoalId::NEVER) {
            return Ok(None);
        }
        let mut place_of = vec![None; named.len()];
        let mut members = Vec::new();
        let mut names = Vec::with_capacity(named.len());
        let mut others = Vec::new();
        for (place, (name, goal, is_required)) in named.into_iter().enumerate() {
            self.look()?;
            if goal == GoalId::NEVER {
                others.push(name);
                continue;
            }
            let key = self.languages.shared_text(&name);
            names.push((name, key));
            place_of[place] = Some(members.len());
            members.push(Member { key, goal, is_required, is_class: false });
        }
        others.sort_unstable();
        names.extend(others.into_iter().map(|name| {
            let key = self.languages.shared_text(&name);
            (name, key)
        }));
        let needs = needs
            .iter()
            .filter_map(|&(first, second)| Some((place_of[first]?, place_of[second]?)))
            .filter(|&(first, second)| first != second && !members[second].is_required)
            .collect();
        let plan = ObjectPlan { members, needs, min: object.min, max: object.max, counted: object.counted };
        Ok(Some((plan, names)))
    }

    /// The members with other keys, one for every set of keys that the rules tell apart.
    fn class_members(
        &mut self,
        object: &Object,
        names: &[(Text, LanguageId)],
        plan: &mut ObjectPlan,
    ) -> Result<(), Stop> {
        let named = self.languages.union(names.iter().map(|name| name.1));
        self.look()?;
        let mut known_names: Option<FxHashSet<&Text>> = None;
        let mut classes = vec![(self.languages.not(named), GoalId::ANY)];
        for (keys, goal) in &object.rules {
            let language = match keys {
                Keys::In(language) => *language,
                Keys::Others(known) => {
                    // The names are no keys of a class anyhow.
                    let mut known_keys = known.languages.clone();
                    let names =
                        known_names.get_or_insert_with(|| names.iter().map(|(name, _)| name).collect());
                    for name in known.names.iter().filter(|name| !names.contains(name)) {
                        known_keys.push(self.languages.shared_text(name));
                    }
                    let known_keys = self.languages.union(known_keys);
                    self.languages.not(known_keys)
                }
            };
            let mut split = Vec::new();
            for (class, old) in classes {
                self.spend(1)?;
                let both = self.goals.both(old, *goal);
                if language == LanguageId::ANY || both == old {
                    split.push((class, both));
                    continue;
                }
                let inside = self.languages.and([class, language]);
                let rest = self.languages.not(language);
                let outside = self.languages.and([class, rest]);
                split.extend([(inside, both), (outside, old)]);
            }
            split.retain(|&(class, goal)| goal != GoalId::NEVER && class != LanguageId::NONE);
            let mut left = Vec::new();
            for (class, goal) in split {
                if !self.is_empty(class)? {
                    left.push((class, goal));
                }
            }
            classes = left;
        }
        for (key, goal) in classes {
            // Where keys are counted, it has to be seen that they differ.
            if object.min > 1
                && let Some(texts) = self.languages.few(key, MANY_KEYS)
            {
                for text in texts {
                    let key = self.languages.text(&text);
                    plan.members.push(Member { key, goal, is_required: false, is_class: false });
                }
                continue;
            }
            plan.members.push(Member { key, goal, is_required: false, is_class: true });
        }
        Ok(())
    }

    /// The plans in which some key of a set is there, with a value that reaches a goal.
    fn with_some(
        &mut self,
        plan: &ObjectPlan,
        keys: &Keys,
        goal: GoalId,
        plans: &mut Vec<ObjectPlan>,
    ) -> Result<(), Stop> {
        let language = self.key_language(keys);
        for (place, member) in plan.members.iter().enumerate() {
            self.spend(1)?;
            let inside = self.languages.and([member.key, language]);
            let goal = self.goals.both(member.goal, goal);
            if goal == GoalId::NEVER || self.is_empty(inside)? {
                continue;
            }
            let mut with = ObjectPlan {
                members: Vec::new(),
                needs: plan.needs.clone(),
                min: plan.min,
                max: plan.max,
                counted: plan.counted,
            };
            for other in &plan.members {
                with.members.push(Member { ..*other });
            }
            if member.is_class && member.is_required {
                // Who is there for another reason may be there for this one, too.
                with.members[place].key = inside;
                with.members[place].goal = goal;
            } else if member.is_class {
                with.members.push(Member { key: inside, goal, is_required: true, is_class: true });
            } else {
                with.members[place].goal = goal;
                with.members[place].is_required = true;
            }
            plans.push(with);
        }
        Ok(())
    }

    /// Sees that the number of members can be counted: keys of a class may repeat, and nobody would see it.
    fn check_count(&mut self, plan: &mut ObjectPlan) -> Result<(), Stop> {
        let required = plan.members.iter().filter(|member| member.is_required).count() as u64;
        let has_class = plan.members.iter().any(|member| member.is_class);
        if plan.min <= required {
            plan.min = 0;
        }
        if has_class && plan.min > required + 1 {
            let place = plan.counted.unwrap_or(self.place);
            self.refuse(
                place,
                "minProperties",
                "that keys which the schema does not name differ from each other",
            )?;
            plan.min = required + 1;
        }
        Ok(())
    }
}

/// Whether as many members as there must be are as many as there may be.
fn has_room(plan: &ObjectPlan) -> bool {
    let required = plan.members.iter().filter(|member| member.is_required).count() as u64;
    plan.max.is_none_or(|max| plan.min.max(required) <= max)
}

/// Whether all objects of one plan are obviously of the other. Both are made from the same shape.
fn is_within(plan: &ObjectPlan, other: &ObjectPlan, goals: &Goals) -> bool {
    plan.members.len() == other.members.len()
        && plan.members.iter().zip(&other.members).all(|(own, other)| {
            own.key == other.key
                && own.is_class == other.is_class
                && (own.is_required || !other.is_required)
                && goals.implies(own.goal, other.goal)
        })
}
